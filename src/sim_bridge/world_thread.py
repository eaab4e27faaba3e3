"""The thread in which a world lives."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from reactree_core.errors import SkillError
from reactree_core.world import World

T = TypeVar('T')

_Question = tuple[Callable[[World], Any], 'Future[Any]']


class WorldThread:
    """Makes a world and asks it, one question after the other, in a thread of its own.

    Worlds are not thread-safe and may be slow or hang; whoever asks can stop waiting.
    The thread is a daemon, so that a world which hangs does not keep the process from ending.
    A world whose class says `quick = True` never takes longer than some milliseconds for a skill:
    it may be asked for one in the thread of whoever asks, which saves two changes of threads.

    :param make: makes the world, in that thread; what it raises comes out of every answer.
    """

    def __init__(self, make: Callable[[], World]) -> None:
        self._make = make
        self._world: Future[World] = Future()
        self._quick = False
        self._over = False
        self._turn = threading.Lock()
        self._questions: SimpleQueue[_Question | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._live, name='world', daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Questions that have not been begun."""
        return self._questions.qsize()

    def ask(self, question: Callable[[World], T]) -> Future[T]:
        """Have a question answered after those before it; returns at once."""
        answer: Future[T] = Future()
        self._questions.put((question, answer))
        if self._over:
            self._refuse()
        return answer

    def ask_soon(self, question: Callable[[World], T]) -> Future[T]:
        """The same; a quick world that has nothing else to do answers before this returns."""
        if self._over or not self._quick or not self._turn.acquire(blocking=False):
            return self.ask(question)
        answer: Future[T] = Future()
        try:
            self._answer(question, answer)
        finally:
            self._turn.release()
        return answer

    def close(self, timeout: float = 1.0, last: Callable[[World], Any] = lambda _: None) -> bool:
        """Let the questions asked so far be answered, then end.

        Those that are left then, and those that come later, are answered with a SkillError.

        :param timeout: seconds to wait for that.
        :param last: done with the world at its end, however late that is.
        :return: whether the thread has ended.
        """
        self._last = last
        self._questions.put(None)
        self._thread.join(timeout)
        self._over = True
        self._refuse()
        return not self._thread.is_alive()

    def _live(self) -> None:
        _settle(self._world, self._make)
        if self._world.exception() is None:
            self._quick = bool(getattr(self._world.result(), 'quick', False))
        while (item := self._questions.get()) is not None:
            with self._turn:
                self._answer(*item)
        self._answer(self._last, Future())

    def _refuse(self) -> None:
        """Answer what nobody in the thread answers any more."""
        error = SkillError('The world has been let go: nothing more can be asked of it.')
        try:
            while True:
                item = self._questions.get_nowait()
                if item is not None:
                    item[1].set_exception(error)
        except Empty:
            self._questions.put(None)  # for a world that hung until now

    def _answer(self, question: Callable[[World], Any], answer: Future[Any]) -> None:
        _settle(answer, lambda: question(self._world.result()))


def _settle(future: Future[Any], work: Callable[[], Any]) -> None:
    try:
        result = work()
    except Exception as error:  # noqa: BLE001 - whoever asked gets it
        future.set_exception(error)
    else:
        future.set_result(result)
