"""How many experiences are taken from whoever can reach the memory."""

import pytest

from memory_server.episodic.episodic_memory import Intake, SAVED_SECONDS
from reactree_core.errors import MemoryStoreError

RATE = 10.0
AT_ONCE = int(RATE * SAVED_SECONDS)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def intake(clock):
    return Intake(clock)


def test_what_was_saved_up_may_come_at_once_and_then_the_rate_holds(intake, clock):
    intake.admit(AT_ONCE, 0, 0, RATE)
    with pytest.raises(MemoryStoreError, match=r'10 a second .* again in 2 s, raise .*store_rate'):
        intake.admit(20, 0, 0, RATE)
    clock.now += 1.0
    intake.admit(10, 0, 0, RATE)
    with pytest.raises(MemoryStoreError, match='memory import'):
        intake.admit(1, 0, 0, RATE)


def test_no_more_is_saved_up_however_long_it_was_quiet(intake, clock):
    clock.now += 1e6
    intake.admit(AT_ONCE, 0, 0, RATE)
    with pytest.raises(MemoryStoreError):
        intake.admit(1, 0, 0, RATE)


def test_what_can_never_come_at_once_is_told_so(intake):
    with pytest.raises(MemoryStoreError, match=r'1001 new .* than the 1000 .* send fewer'):
        intake.admit(AT_ONCE + 1, 0, 0, RATE)
    intake.admit(AT_ONCE, 0, 0, RATE)


def test_a_refusal_costs_nothing(intake):
    for _ in range(100):
        with pytest.raises(MemoryStoreError):
            intake.admit(AT_ONCE + 1, 0, 0, RATE)
        with pytest.raises(MemoryStoreError, match='store_limit_count'):
            intake.admit(2, 99, 100, RATE)
    intake.admit(AT_ONCE, 0, 0, RATE)


def test_a_rate_that_was_raised_holds_at_once(intake):
    intake.admit(AT_ONCE // 2, 0, 0, RATE)
    with pytest.raises(MemoryStoreError):
        intake.admit(AT_ONCE, 0, 0, RATE)
    intake.admit(AT_ONCE, 0, 0, 2 * RATE)


def test_a_memory_takes_so_many_and_no_more(intake):
    intake.admit(3, 97, 100, RATE)
    with pytest.raises(MemoryStoreError, match=r'holds 97 .* may hold 100: .*memory delete'):
        intake.admit(4, 97, 100, RATE)


def test_zeros_take_all(intake):
    intake.admit(10**9, 10**9, 0, 0.0)
