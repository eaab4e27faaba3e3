"""A model for studies: what it answers follows from what it reads, in whichever process it is."""

from __future__ import annotations

import os
import signal
import zlib
from pathlib import Path

from reactree_core.errors import ModelError
from reactree_planner.llm.policy import PolicyModel


def guesses(text, options):
    """Any option, and any of four sentences, the same after the same text."""
    number = zlib.crc32(text[-400:].encode())
    if options is None:
        return f' go to room {number % 4}'
    return number % len(options)


def load(place, options):
    """The model of a place; 'gone' does not answer, and 'dies:FILE' kills its process once."""
    if place == 'gone':
        return PolicyModel(_gone, place)
    kind, _, file = place.partition(':')
    if kind == 'dies' and not Path(file).exists():
        return PolicyModel(lambda *_: _die(Path(file)), place)
    return PolicyModel(guesses, place)


def _gone(text, options):
    raise ModelError('The server gone does not answer.')


def _die(file):
    file.touch()
    os.kill(os.getpid(), signal.SIGKILL)
