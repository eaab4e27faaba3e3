"""The one thread in which a world lives."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any
from typing import TypeVar

from reactree_core.ports import World

T = TypeVar('T')

_Question = tuple[Callable[[World], Any], 'Future[Any]']


class WorldThread:
    """Makes a world and asks it, one question after the other, in a thread of its own.

    Worlds are not thread-safe and may be slow or hang; whoever asks can stop waiting.
    The thread is a daemon, so that a world which hangs does not keep the process from ending.

    :param make: makes the world, in that thread; what it raises comes out of every answer.
    """

    def __init__(self, make: Callable[[], World]) -> None:
        self._make = make
        self._questions: SimpleQueue[_Question | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._live, name='world', daemon=True)
        self._thread.start()

    def ask(self, question: Callable[[World], T]) -> Future[T]:
        """Have a question answered after those before it; returns at once."""
        answer: Future[T] = Future()
        self._questions.put((question, answer))
        return answer

    def close(self, timeout: float = 1.0) -> bool:
        """Let the questions asked so far be answered, then end.

        :param timeout: seconds to wait for that.
        :return: whether the thread has ended.
        """
        self._questions.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _live(self) -> None:
        made: Future[World] = Future()
        _answer(made, self._make)
        while (item := self._questions.get()) is not None:
            question, answer = item
            _answer(answer, partial(_put, question, made))


def settled(answer: Future[Any], timeout: float) -> bool:
    """Wait for an answer, good or bad; whether it is there.

    :param timeout: seconds.
    """
    try:
        answer.exception(timeout)
    except TimeoutError:
        return False
    return True


def _put(question: Callable[[World], Any], made: Future[World]) -> Any:
    return question(made.result())


def _answer(future: Future[Any], work: Callable[[], Any]) -> None:
    try:
        result = work()
    except Exception as error:  # noqa: BLE001 - whoever asked gets it
        future.set_exception(error)
    else:
        future.set_result(result)
