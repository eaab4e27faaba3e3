"""What became of the skills of a run."""

from __future__ import annotations

from reactree_core.observation import Observation
from skill_server.executed_skills import ExecutedSkills

RUN, OTHER = 'a' * 32, 'b' * 32


def test_a_skill_is_recalled_by_run_and_number():
    executed = ExecutedSkills()
    observation = Observation('done', sequence=4)
    executed.remember(RUN, observation)
    assert executed.recall(RUN, 4) is observation
    assert executed.recall(RUN, 5) is None
    assert executed.recall(OTHER, 4) is None


def test_outside_a_run_nothing_is_kept():
    executed = ExecutedSkills()
    executed.remember('', Observation('done', sequence=1))
    assert executed.recall('', 1) is None


def test_the_newest_ones_are_kept():
    executed = ExecutedSkills(capacity=3)
    for sequence in range(1, 6):
        executed.remember(RUN, Observation('done', sequence=sequence))
    known = [number for number in range(1, 6) if executed.recall(RUN, number)]
    assert known == [3, 4, 5]
