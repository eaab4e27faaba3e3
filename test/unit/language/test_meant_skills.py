"""Which skills the words of a prohibition bar, where, and what of that nobody can tell."""

from __future__ import annotations

import pytest

from reactree_core.observation import ObjectFact, Observation
from reactree_core.permission.matching import Moment
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.language.meant_skills import contains, does, MeantSkills

TYPES = (
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('lift <crate>', ('crate',), SkillKind.TAKE),
    SkillType('put down <crate>', ('crate',), SkillKind.PUT),
    SkillType('load <crate> onto <truck>', ('crate', 'truck'), SkillKind.PUT),
    SkillType('open airlock', (), SkillKind.OPEN),
    SkillType('scan <crate>', ('crate',)),
    SkillType('steam', (), SkillKind.CHANGE, effects=('everything in kiln is hot',)),
    SkillType('heat <crate>', ('crate',), SkillKind.CHANGE, effects=('<crate> is hot',)),
)
SERVER = {one.verb: (one,) for one in TYPES}
FACTS = {
    'crate 1': ObjectFact('crate', 1, 'hall 1', 'pallet 1'),
    'crate 2': ObjectFact('crate', 2, 'hall 2', 'kiln 1'),
    'kiln 1': ObjectFact('kiln', 1, 'hall 2'),
    'tray 1': ObjectFact('tray', 1, 'hall 2', 'kiln 1'),
    'cup 1': ObjectFact('cup', 1, 'hall 2', 'tray 1'),
}


def meant(verb='', thing='', where='', state=''):
    verbs = tuple(verb.split('|')) if verb else ()
    return MeantSkills(
        verbs, tuple(thing.split()), tuple(where.split()), server=SERVER, state=state
    )


def bars(rule, skill, place='pallet 1', room='hall 1'):
    now = Observation('', place=place, room=room, facts=tuple(FACTS.values()))
    return rule.matches(Moment(skill, now, FACTS, TYPES))


@pytest.mark.parametrize(
    ('rule', 'barred', 'allowed'),
    [
        (meant('lift', 'crate'), 'lift crate 1|LIFT  Crate 2|lift crate A-7',
         'lift drum 1|put down crate 1|go to crate 1|lift glass|'),
        (meant('lift', 'crate 2'), 'lift crate 2', 'lift crate 21|lift crate 1|lift crate'),
        (meant('lift', 'crates'), 'lift crates 1', 'lift drum 1'),
        (meant('lift'), 'lift drum 1', 'scan drum 1'),
        # All that is done with it, but for going there.
        (meant('', 'crate'), 'lift crate 1|scan crate 2|load crate 1 onto truck 2',
         'go to crate 1|lift drum 1|open airlock'),
        (meant('', 'airlock'), 'open airlock', 'lift crate 1'),
        (meant('open airlock', 'airlock'), 'open airlock', 'lift crate 1'),
        (meant('lift|scan', 'drum'), 'lift drum 1|scan drum 1', 'put down drum 1'),
        # There: where the thing is, or where the robot stands that puts it down.
        (meant('lift', 'crate', 'pallet'), 'lift crate 1', 'lift crate 2'),
        (meant('lift', 'crate', 'hall 2'), 'lift crate 2', 'lift crate 1'),
        (meant('put down', 'crate', 'pallet'), 'put down crate 1|put down crate 2',
         'put down drum 1'),
        (meant('put down', '', 'hall 2'), '', 'put down crate 1'),
        (meant('load', 'crate', 'truck 2'), 'load crate 1 onto truck 2',
         'load crate 1 onto truck 1|load drum 1 onto truck 2'),
    ],
)  # fmt: skip
def test_what_words_bar(rule, barred, allowed):
    for skill in filter(None, barred.split('|')):
        assert bars(rule, skill) is True, skill
    for skill in allowed.split('|'):
        assert bars(rule, skill) is False, skill


def test_what_nobody_knows_is_not_allowed_for_certain():
    # Where that crate is, and what a skill does that no template has.
    assert bars(meant('lift', 'crate', 'pallet'), 'lift crate 9') is None
    assert bars(meant('', 'crate'), 'zap crate 1') is None
    assert bars(meant('', 'crate'), 'zap drum 1') is False
    # Where the robot puts a thing down, it stands.
    rule = meant('put down', 'crate', 'pallet')
    assert bars(rule, 'put down crate 9') is True
    assert bars(rule, 'put down crate 9', place='kiln 1', room='hall 2') is False


@pytest.mark.parametrize(
    ('thing', 'skill', 'barred'),
    [
        ('crate 2', 'steam', True),
        ('crate 1', 'steam', False),
        # What is in something that is in there, and what nobody has seen.
        ('cup', 'steam', True),
        ('vase', 'steam', None),
        ('', 'steam', True),
        ('crate', 'heat crate 1', True),
        ('crate 2', 'heat crate 1', False),
        ('crate', 'heat', None),
        ('crate', 'lift crate 2', False),
    ],
)
def test_a_state_is_barred_by_whatever_brings_it_about(thing, skill, barred):
    assert bars(meant('steam|heat', thing, state='hot'), skill) is barred


@pytest.mark.parametrize(
    ('rule', 'wording'),
    [
        (meant('lift', 'crate 2'), 'lift crate 2'),
        (meant('', 'crate', 'hall 1'), 'touch crate at hall 1'),
        (meant('', ''), 'touch anything'),
        (meant('lift|scan'), 'lift or scan anything'),
        (meant('open airlock', 'airlock'), 'open airlock'),
        (meant('open airlock'), 'open airlock'),
        (meant('open airlock', 'crate'), 'open airlock crate'),
        (meant('heat', 'crate', 'kiln', 'hot'), 'have crate hot at kiln'),
        (meant('heat', '', '', 'hot'), 'have anything hot'),
    ],
)
def test_what_is_barred_is_told(rule, wording):
    assert rule.wording == wording


def test_a_rule_includes_another_that_bars_no_more():
    wide = meant('lift|scan', 'crate')
    for narrow in (
        meant('lift', 'crate'), meant('lift|scan', 'crate 2'), meant('scan', 'crate', 'hall 1')
    ):  # fmt: skip
        assert wide.includes(narrow) and not narrow.includes(wide)
    everything = meant('', 'crate')
    assert everything.includes(meant('', 'crate', 'hall 1'))
    assert not wide.includes(everything)
    assert not wide.includes(meant('lift', 'drum'))
    assert not wide.includes(meant('lift', 'crate', state='hot'))


def test_of_one_skill_two_conditions_are_about_the_same_thing():
    rule = MeantSkills(('lift', 'load'), ('crate',), slot='crate', server=SERVER)
    assert rule.slots == {'crate'} and not meant('lift').slots
    assert rule.wording == 'lift or load <crate>'
    assert rule.readings('Lift  crate 2') == ({'crate': 'crate 2'},)
    assert rule.readings('load crate 1 onto truck 2') == ({'crate': 'crate 1'},)
    assert rule.readings('lift drum 2') == rule.readings('scan crate 2') == ()
    bound = rule.bound((('crate', 'crate 2'),))
    assert bound.thing == ('crate', '2') and not bound.slot
    assert rule.bound((('truck', 'truck 1'),)) == rule


@pytest.mark.parametrize(
    ('words', 'part', 'stands'),
    [
        ('crate 2', 'crate', True),
        ('crate 2', 'crates 2', True),
        ('crate 21', 'crate 2', False),
        ('glass crate 2', 'crate 2', True),
        ('crate 2 b', 'crate b', False),
        ('crate', 'crate 2', False),
        ('7', '7', True),
        ('crate', '', True),
    ],
)
def test_a_name_stands_in_words_as_a_whole(words, part, stands):
    assert contains(tuple(words.split()), tuple(part.split())) is stands


def test_what_a_verb_does_is_what_its_server_tells_or_else_what_people_mean():
    assert does('lift', SkillKind.TAKE, SERVER) and not does('lift', SkillKind.PUT, SERVER)
    # "scan" is of no kind.
    assert not does('scan', SkillKind.TAKE, SERVER)
    assert does('grab', SkillKind.TAKE, {}) and not does('zap', SkillKind.TAKE, {})
    assert does('sail to', SkillKind.MOVE, {}) and not does('sail', SkillKind.MOVE, {})
    assert does('put down', SkillKind.PUT, {})
