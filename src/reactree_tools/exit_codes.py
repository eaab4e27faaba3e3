"""What the exit status of `reactree` says."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Numbers that scripts can rely on."""

    OK = 0
    #: The plan failed, its goal is not met, or a node died.
    FAILED = 1
    #: Bad input, or nothing to talk to; standard error says what to do.
    UNUSABLE = 2
    #: A task was not read whole (`reactree read`).
    PARTIAL = 3
    #: A task is done as far as is known, and not verified: some of it is assumed, or not known.
    ASSUMED = 4
    NOT_KNOWN = 5
    #: Ended by Ctrl-C or a signal (128 + SIGINT, as shells do).
    INTERRUPTED = 130
