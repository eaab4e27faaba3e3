"""The belief of a run takes over the sources of a server's facts, and tells them at the end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.belief import Fact, Source, SourceKind
from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.record.outcome import Ending
from reactree_core.skill_types import read_effect, SkillKind, SkillType
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.reasoner import Reasoner

TYPES = (
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('pick up <thing>', ('thing',), SkillKind.TAKE),
    SkillType('put <thing> on <place>', ('thing', 'place'), SkillKind.PUT),
    SkillType('open <thing>', ('name',), SkillKind.OPEN, effects=('<thing> is open',)),
)
HALL = Vocabulary(
    object_classes=('crate', 'door'), place_classes=('table', 'shelf', 'dock'), skill_types=TYPES
)
CAMERA, GRIPPER = (Source(SourceKind.SENSOR, name) for name in ('/camera', '/gripper'))
AGE = 2.0
UNTESTED = 'only /camera says so, and it has followed no act in this run'


def fact(text: str, source: Source, time: float, age: float = AGE) -> Fact:
    what = read_effect(text)
    assert what is not None
    return Fact(what, source, time, age)


def seen(stamp: float, *evidence: Fact, place: str = 'dock 1', **changes: object) -> Observation:
    """What a robot with named sensors answers: crates are where its belief has them."""
    found = Observation(
        '',
        place=place,
        stamp=stamp,
        sensed=('at', 'holding'),
        admissible_skills=('go to table 1', 'go to shelf 1', 'go to dock 1', 'open door 1'),
        evidence=evidence,
    )
    places = [one.what for one in evidence if one.what.holds and one.what.relation.value == 'in']
    facts = tuple(ObjectFact(*_named(one.subject), receptacle=one.value) for one in places)
    states = [one.what for one in evidence if one.what.holds and one.what.relation.value == 'is']
    facts += tuple(ObjectFact(*_named(one.subject), state=one.value) for one in states)
    return replace(found, facts=facts, **changes)  # type: ignore[arg-type]


def _named(name: str) -> tuple[str, int]:
    kind, _, number = name.rpartition(' ')
    return kind, int(number)


def minded(*texts: str) -> Reasoner:
    return Reasoner(HALL, (conditions_of(texts),))


def with_test(mind: Reasoner, source: Source) -> Reasoner:
    """The same, once a source has followed an act."""
    closed, open_ = (fact(f'door 2 is {word}', source, 0.0) for word in ('closed', 'open'))
    mind.see(seen(0.0, closed))
    mind.see(seen(0.05, replace(open_, time=0.05), skill='open door 2'))
    return mind


def ending(mind: Reasoner, now: float) -> Ending:
    mind.advance()
    return mind.goal.ending(now)


def test_what_a_sensor_reports_at_the_end_is_verified_and_later_only_assumed() -> None:
    mind = with_test(minded('crate in table 1'), CAMERA)
    mind.see(seen(10.0, fact('crate 1 in table 1', CAMERA, 9.9)))
    assert ending(mind, 10.1).verified == ('crate in table 1',)
    late = 'crate in table 1: last seen 30 s ago by /camera'
    assert ending(mind, 40.0) == Ending(assumed=(late,))


def test_what_was_seen_before_the_run_is_looked_at_and_ends_nothing() -> None:
    mind = minded('crate 1 in table 1')
    mind.see(seen(0.1, fact('crate 1 in table 1', CAMERA, -30.0)))
    step = mind.next()
    assert (step.skill, step.is_done) == ('go to table 1', False)
    told = 'crate 1 in table 1: last seen 30 s ago by /camera'
    assert ending(mind, 0.2) == Ending(unknown=(told,))
    # There it is.
    mind.see(seen(5.0, fact('crate 1 in table 1', CAMERA, 5.0), place='table 1',
                  skill='go to table 1'))  # fmt: skip
    told = f'crate 1 in table 1: {UNTESTED}'
    assert mind.next().is_done and ending(mind, 5.0) == Ending(assumed=(told,))


def test_what_was_carried_away_between_two_runs_is_not_verified() -> None:
    mind = minded('crate 1 in table 1')
    mind.see(seen(0.1, fact('crate 1 in table 1', CAMERA, -30.0)))
    assert mind.next().skill == 'go to table 1'
    gone = seen(5.0, place='table 1', skill='go to table 1', looked_at=('table 1',))
    mind.see(gone)
    assert not mind.next().is_done and not ending(mind, 5.0).holds


def test_an_effect_of_an_earlier_run_ends_nothing() -> None:
    mind = minded('crate 1 in table 1')
    effect = Source(SourceKind.EFFECT, 'put crate 1 on table 1')
    mind.see(seen(0.1, fact('crate 1 in table 1', effect, -30.0, float('inf'))))
    assert ending(mind, 0.1).unknown == ('crate 1 in table 1: in an earlier run, 30 s ago',)


def test_a_silent_door_of_an_earlier_run_is_not_known() -> None:
    mind = minded('door 1 is open')
    mind.see(seen(0.1, fact('door 1 is open', CAMERA, -4.0)))
    assert ending(mind, 0.1).unknown == ('door 1 is open: last seen 4 s ago by /camera',)
    assert not mind.next().is_done


def test_a_reading_of_just_before_the_run_counts_within_its_age() -> None:
    mind = minded('door 1 is open')
    mind.see(seen(0.1, fact('door 1 is open', CAMERA, -0.4)))
    assert mind.next().is_done
    assert ending(mind, 0.1) == Ending(assumed=(f'door 1 is open: {UNTESTED}',))


def test_sources_that_disagree_are_both_named() -> None:
    mind = minded('holding crate 1')
    mind.see(
        seen(
            1.0,
            fact('holding crate 1', GRIPPER, 1.0),
            fact('not holding crate 1', CAMERA, 0.9),
        )
    )
    (told,) = ending(mind, 1.0).unknown
    assert told.startswith('holding crate 1: ')
    assert '/gripper says holding crate 1' in told and '/camera says not holding' in told


def test_a_thing_that_was_put_down_is_not_held_although_the_gripper_was_sure_just_before() -> None:
    mind = minded('crate 1 in table 1')
    mind.see(seen(0.5, fact('crate 1 in dock 1', CAMERA, 0.5)))
    mind.see(seen(1.0, fact('holding crate 1', GRIPPER, 1.0), held=('crate 1',),
                  skill='pick up crate 1'))  # fmt: skip
    mind.see(seen(1.6, fact('crate 1 in table 1', CAMERA, 1.6), place='table 1',
                  skill='put crate 1 on table 1'))  # fmt: skip
    assert mind.next().is_done and ending(mind, 1.6).verified == ('crate 1 in table 1',)


def test_an_effect_that_no_sensor_reports_is_assumed_and_named() -> None:
    mind = minded('door 1 is open')
    mind.see(Observation('', place='dock 1', facts=(ObjectFact('door', 1),)))
    mind.see(Observation('', place='dock 1', skill='open door 1', stamp=3.0))
    told = 'door 1 is open: effect of `open door 1`, no sensor reports it'
    assert mind.next().is_done and ending(mind, 3.0).assumed == (told,)


@pytest.mark.parametrize('lost', [True, False])
def test_a_last_milestone_that_is_lost_is_open_again(lost: bool) -> None:
    mind = minded('crate 1 in table 1')
    mind.see(seen(1.0, fact('crate 1 in table 1', CAMERA, 1.0)))
    assert mind.next().is_done
    place = 'shelf 1' if lost else 'table 1'
    mind.see(seen(2.0, fact(f'crate 1 in {place}', CAMERA, 2.0)))
    assert mind.next().is_done is not lost
    assert ending(mind, 2.0).missing == (('crate 1 in table 1',) if lost else ())


def test_what_an_earlier_run_saw_says_where_to_look_first_and_ends_nothing() -> None:
    mind = minded('crate 1 in table 1')
    mind.see(seen(0.1, fact('crate 2 in shelf 1', CAMERA, 0.1)))
    mind.belief.recall(
        (ObjectFact('crate', 1, '', 'table 1'), ObjectFact('crate', 2, '', 'dock 1'))
    )
    assert mind.belief.holder('crate 2') == 'shelf 1', 'this run has seen it'
    assert ending(mind, 0.1).unknown == ('crate 1 in table 1: in an earlier run',)
    step = mind.next()
    assert step.skill == 'go to table 1'
    mind.see(seen(5.0, place='table 1', skill='go to table 1', looked_at=('table 1',)))
    assert not mind.next().is_done and mind.belief.whereabouts('crate 1') == ''


@pytest.mark.parametrize('age', [AGE, float('inf')])
def test_what_its_server_tells_no_more_was_good_at_its_moment(age: float) -> None:
    mind = with_test(minded('crate in table 1'), CAMERA)
    place = fact('at dock 1', GRIPPER, 1.0)
    mind.see(seen(1.0, place, fact('crate 1 in table 1', CAMERA, 1.0, age)))
    assert ending(mind, 1.0).verified == ('crate in table 1',)
    mind.see(seen(2.0, replace(place, time=2.0)))
    assert ending(mind, 2.0) == Ending(assumed=('crate in table 1: last seen 1 s ago by /camera',))
