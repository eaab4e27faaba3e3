"""The thread in which a world lives."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import pytest

from reactree_core.errors import ConfigurationError, SkillError
from sim_bridge.world_thread import WorldThread
from skill_server.quick_answers import settled

PATIENCE = 20.0


class Quick(dict):
    """A world that never takes long."""

    quick = True


def test_the_world_is_made_and_asked_in_one_other_thread():
    makers = []

    def make():
        makers.append(threading.get_ident())
        return 'world'

    thread = WorldThread(make)
    askers = [thread.ask(lambda world: threading.get_ident()).result(PATIENCE) for _ in range(3)]
    assert set(askers) == set(makers) != {threading.get_ident()}
    assert thread.close(PATIENCE)


def test_questions_are_answered_in_order():
    thread = WorldThread(list)
    answers = [
        thread.ask(lambda world, number=number: world.append(number) or list(world))
        for number in range(4)
    ]
    assert answers[-1].result(PATIENCE) == [0, 1, 2, 3]
    assert thread.close(PATIENCE)


def test_an_error_reaches_only_the_one_who_asked():
    thread = WorldThread(dict)
    bad = thread.ask(lambda world: world['nothing'])
    good = thread.ask(len)
    with pytest.raises(KeyError):
        bad.result(PATIENCE)
    assert good.result(PATIENCE) == 0
    assert thread.close(PATIENCE)


def test_a_world_that_cannot_be_made_is_told_to_everybody_who_asks():
    def make():
        raise ConfigurationError('no such world')

    thread = WorldThread(make)
    for _ in range(2):
        with pytest.raises(ConfigurationError, match='no such world'):
            thread.ask(lambda world: None).result(PATIENCE)
    assert thread.close(PATIENCE)


def test_a_world_that_hangs_does_not_hold_up_who_closes_it():
    thread = WorldThread(dict)
    hanging, release = threading.Event(), threading.Event()

    def hang(world):
        hanging.set()
        return release.wait(PATIENCE)

    answer = thread.ask(hang)
    assert hanging.wait(PATIENCE)
    left = thread.ask(len)
    assert not settled(answer, 0.0)
    let_go = threading.Event()
    assert not thread.close(0.0, last=lambda world: let_go.set())
    # Nobody waits for what a world that hangs will never be asked.
    for asked in (left, thread.ask(len), thread.ask_soon(len)):
        with pytest.raises(SkillError, match='let go'):
            asked.result(0.0)
    release.set()
    assert answer.result(PATIENCE)
    assert let_go.wait(PATIENCE)


@pytest.mark.parametrize('kind', [dict, Quick])
def test_a_question_after_the_end_is_answered_with_an_error(kind):
    thread = WorldThread(kind)
    assert thread.ask(len).result(PATIENCE) == 0
    assert thread.close(PATIENCE)
    for ask in (thread.ask, thread.ask_soon):
        with pytest.raises(SkillError, match='let go'):
            ask(len).result(0.0)
    assert thread.close(PATIENCE)


def test_an_answer_is_settled_whether_good_or_bad():
    good, bad = Future(), Future()
    good.set_result(None)
    bad.set_exception(ValueError())
    assert settled(good, 0.0)
    assert settled(bad, 0.0)


def test_a_quick_world_may_answer_in_the_thread_of_who_asks():
    thread = WorldThread(Quick)
    thread.ask(len).result(PATIENCE)  # it is made
    answer = thread.ask_soon(lambda world: threading.get_ident())
    assert answer.done()
    assert answer.result() == threading.get_ident()
    with pytest.raises(KeyError):
        thread.ask_soon(lambda world: world['nothing']).result()
    assert thread.close(PATIENCE)


def test_a_quick_world_is_never_asked_two_things_at_once():
    thread = WorldThread(Quick)
    busy, release = threading.Event(), threading.Event()

    def hang(world):
        busy.set()
        return release.wait(PATIENCE)

    first = thread.ask(hang)
    assert busy.wait(PATIENCE)
    second = thread.ask_soon(lambda world: first.done())
    assert not second.done()
    release.set()
    assert second.result(PATIENCE)
    assert thread.close(PATIENCE)


def test_other_worlds_answer_in_their_own_thread():
    thread = WorldThread(dict)
    answer = thread.ask_soon(lambda world: threading.get_ident())
    assert answer.result(PATIENCE) != threading.get_ident()
    assert thread.close(PATIENCE)
