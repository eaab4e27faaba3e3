"""Answers that are there at once, taken without a round through the executor."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

#: Seconds for which the executor itself waits for an answer before it turns to other callbacks.
#: Most worlds answer within; a round through the executor would take longer than their skill.
QUICK = 0.02


def settled(answer: Future[Any], timeout: float = QUICK) -> bool:
    """Wait for an answer, good or bad; whether it is there.

    :param timeout: seconds.
    """
    try:
        answer.exception(timeout)
    except TimeoutError:
        return False
    return True
