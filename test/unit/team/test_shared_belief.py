"""What robots of a team sense is one belief: with its source, and the newest sight first."""

from __future__ import annotations

import pytest

from reactree_core.belief import Fact, holds, Source, SourceKind, Status, why
from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.skill_types import class_and_number, Effect, Relation, SkillKind, SkillType
from reactree_planner.facts.reasoner import Reasoner

WORDS = Vocabulary(
    (),
    ('crate',),
    ('shelf 1', 'shelf 2', 'dock 1'),
    (),
    (
        SkillType('go to <place>', ('place',), SkillKind.MOVE),
        SkillType('lift <thing>', ('thing',), SkillKind.TAKE),
        SkillType('put <thing> on <place>', ('thing', 'place'), SkillKind.PUT),
    ),
)
CAMERA = Source(SourceKind.SENSOR, '/camera')


def crate(where, at, source=CAMERA, age=5.0):
    return Fact(Effect(Relation.IN, 'crate 1', where), source, at, age)


def says(who, now, *evidence, **more):
    """An observation with facts that name their sources; things are where these say."""
    facts = tuple(
        ObjectFact(*class_and_number(one.what.subject), receptacle=one.what.value)
        for one in evidence
        if one.what.relation is Relation.IN
    )
    return Observation('', who=who, stamp=now, evidence=evidence, facts=facts, **more)


@pytest.fixture
def robot_2():
    return Reasoner(WORDS, (), None)


def hear(robot, observation):
    robot.hear(observation, robot.belief.skills)


def verdict(robot, where):
    belief = robot.belief
    return holds(belief.evidence, Effect(Relation.IN, 'crate 1', where), belief.now)


def test_what_another_robot_sees_is_known_by_it_and_guides(robot_2):
    hear(robot_2, says('robot_1', 10.0, crate('shelf 2', 10.0)))
    known = verdict(robot_2, 'shelf 2')
    # A sensor that has followed no act verifies nothing, whoever's it is.
    assert (known.holds, known.status) == (True, Status.ASSUMED)
    (fact,) = known.evidence
    assert fact.source == Source(SourceKind.ROBOT, '/camera', 'robot_1')
    assert robot_2.belief.holder('crate 1') == 'shelf 2'
    # Once it is older than its age it still says where to look, and no more.
    robot_2.see(says('', 40.0))
    later = verdict(robot_2, 'shelf 2')
    assert later.status is Status.ASSUMED
    assert why(later, 40.0) == "last seen 30 s ago by robot_1's /camera"


def test_own_sight_beats_hearsay_of_the_same_time(robot_2):
    for order in (0, 1):
        if order:
            robot_2.see(says('', 10.0, crate('dock 1', 10.0)))
        hear(robot_2, says('robot_1', 10.0, crate('shelf 2', 10.0)))
        if not order:
            robot_2.see(says('', 10.0, crate('dock 1', 10.0)))
        assert verdict(robot_2, 'dock 1').holds is True
        assert verdict(robot_2, 'shelf 2').holds is False
        assert robot_2.belief.holder('crate 1') == 'dock 1'


def test_what_another_robot_remembers_does_not_undo_a_newer_sight(robot_2):
    hear(robot_2, says('robot_1', 10.0, crate('shelf 2', 10.0)))
    robot_2.see(says('', 20.0, crate('dock 1', 20.0)))
    # Robot 1 has not seen it since, and says again where it was then.
    hear(robot_2, says('robot_1', 21.0, crate('shelf 2', 10.0)))
    assert verdict(robot_2, 'dock 1').holds is True
    assert robot_2.belief.holder('crate 1') == 'dock 1'


def test_a_newer_sight_of_another_robot_beats_an_old_own_one(robot_2):
    robot_2.see(says('', 10.0, crate('dock 1', 10.0)))
    hear(robot_2, says('robot_1', 30.0, crate('shelf 2', 30.0)))
    assert verdict(robot_2, 'shelf 2').holds is True
    assert robot_2.belief.holder('crate 1') == 'shelf 2'


def test_what_another_robot_has_done_and_nobody_sensed_is_not_verified(robot_2):
    put = Source(SourceKind.EFFECT, 'put crate 1 on dock 1')
    hear(robot_2, says('robot_1', 10.0, crate('dock 1', 10.0, put)))
    known = verdict(robot_2, 'dock 1')
    assert known.status is Status.ASSUMED
    assert why(known, 10.0) == 'effect of `put crate 1 on dock 1`, no sensor reports it'


def test_what_another_robot_knows_of_an_earlier_run_is_not_verified(robot_2):
    run = Source(SourceKind.RUN, '3f2a')
    hear(robot_2, says('robot_1', 10.0, crate('dock 1', 10.0, run)))
    assert verdict(robot_2, 'dock 1').status is Status.NOT_KNOWN


def test_what_another_robot_holds_is_with_it_and_not_in_the_own_hand(robot_2):
    grip = Fact(Effect(Relation.HOLDING, '', 'crate 1'), Source(SourceKind.SENSOR, '/grip'), 10.0)
    at = Fact(Effect(Relation.AT, '', 'shelf 2'), Source(SourceKind.SENSOR, '/pose'), 10.0)
    robot_2.see(
        says('', 9.0, Fact(Effect(Relation.AT, '', 'dock 1'), CAMERA, 9.0), place='dock 1')
    )
    hear(robot_2, says('robot_1', 10.0, grip, at, held=('crate 1',), place='shelf 2'))
    belief = robot_2.belief
    held = holds(belief.evidence, Effect(Relation.HOLDING, '', 'crate 1'), belief.now)
    assert held.holds is False and belief.held == ()
    assert holds(belief.evidence, Effect(Relation.AT, '', 'dock 1'), belief.now).holds is True


def test_what_another_robot_saw_before_a_thing_was_moved_is_over(robot_2):
    hear(robot_2, says('robot_1', 10.0, crate('shelf 2', 10.0, age=60.0)))
    put = {'skill': 'put crate 1 on dock 1', 'place': 'dock 1'}
    robot_2.see(says('', 20.0, crate('dock 1', 20.0, age=60.0), **put))
    hear(robot_2, says('robot_1', 21.0, crate('shelf 2', 10.0, age=60.0)))
    assert verdict(robot_2, 'dock 1').holds is True
    assert len(verdict(robot_2, 'dock 1').evidence) == 1
    # What it sees after that counts again.
    hear(robot_2, says('robot_1', 95.0, crate('shelf 2', 95.0, age=60.0)))
    assert verdict(robot_2, 'shelf 2').holds is True


def test_what_another_robot_shows_without_naming_sensors_is_verified(robot_2):
    shown = ObjectFact('crate', 1, receptacle='shelf 2')
    hear(robot_2, Observation('', who='robot_1', stamp=10.0, facts=(shown,)))
    assert verdict(robot_2, 'shelf 2').status is Status.VERIFIED
