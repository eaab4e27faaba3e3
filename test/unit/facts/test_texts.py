"""Skills as texts: taken apart as they were put together, and what their states exclude."""

from __future__ import annotations

from random import Random

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.facts.skills import Skills, Sort

OPEN = SkillType('unbar <gate>', ('place',), SkillKind.OPEN, 'bar <gate>')
CLOSE = SkillType('bar <gate>', ('place',), SkillKind.CLOSE, 'unbar <gate>')
ON = SkillType('light <lamp>', ('place',), SkillKind.SWITCH_ON, 'dim <lamp>')
OFF = SkillType('dim <lamp>', ('place',), SkillKind.SWITCH_OFF, 'light <lamp>')
CHANGE = SkillKind.CHANGE


def change(template, *effects, inverse=''):
    return SkillType(template, ('thing',), CHANGE, inverse, effects=effects)


def act(template, *effects):
    return SkillType(template, effects=effects)


def server(*types, **told):
    return Skills(Vocabulary(skill_types=types, **told))


@pytest.mark.parametrize(
    ('types', 'pairs'),
    [
        ((OPEN, CLOSE), {('open', 'closed')}),
        ((ON, OFF), {('on', 'off')}),
        ((OPEN, CLOSE, ON, OFF), {('open', 'closed'), ('on', 'off')}),
        ((OPEN, ON), set()),
        # What ends as another begins, and comes back by nothing that leaves that as it is.
        ((change('rub <x>', '<x> is dry', 'not <x> is wet'),), {('dry', 'wet')}),
        (
            (
                change('rub <x>', '<x> is dry', 'not <x> is wet'),
                change('rinse <x>', '<x> is wet', 'not <x> is dry'),
            ),
            {('dry', 'wet')},
        ),
        # A slice that was hot is hot no more, and may be heated again.
        (
            (
                change('slice <x>', '<x> is sliced', 'not <x> is hot'),
                change('heat <x>', '<x> is hot'),
            ),
            set(),
        ),
        (
            (
                change('slice <x>', '<x> is sliced', 'not <x> is hot'),
                change('bake <x>', 'everything in <x> is hot'),
            ),
            set(),
        ),
        # What one skill does its inverse undoes.
        (
            (
                change('fold <x>', '<x> is flat', inverse='unfold <x>'),
                change('unfold <x>', '<x> is tall', inverse='fold <x>'),
            ),
            {('flat', 'tall')},
        ),
        ((change('fold <x>', '<x> is flat', inverse='tear <x>'),), set()),
        (
            (
                change('fold <x>', '<x> is flat', inverse='unfold <x>'),
                change('unfold <x>', 'not <x> is flat'),
            ),
            set(),
        ),
        ((change('paint <x>', '<x> is red', '<x> is wet'),), set()),
        # A name that skills bring into two states has one of them at a time ...
        (
            (act('raise the lid', 'lid is up'), act('drop the lid', 'lid is down')),
            {('up', 'down')},
        ),
        # ... unless one skill brings about both, a third state is told, or how they end is.
        ((act('raise the lid', 'lid is up', 'lid is wet'),), set()),
        ((act('a', 'lid is up'), act('b', 'lid is down'), act('c', 'lid is wet')), set()),
        (
            (
                act('a', 'lid is up'),
                act('b', 'lid is wet', 'not lid is up'),
                act('c', 'lid is up'),
            ),
            set(),
        ),
        ((act('a', 'lid is up'), act('b', 'box is wet')), set()),
        # Things of a class may be in both.
        ((change('slice <x>', '<x> is sliced'), change('chill <x>', '<x> is cold')), set()),
    ],
)
def test_states_exclude_each_other_where_skills_say_so(types, pairs):
    skills = server(*types)
    words = {fact.value for one in types for fact in one.facts if fact.relation.value == 'is'}
    both = pairs | {(other, one) for one, other in pairs}
    assert {(a, b) for a in words for b in words if skills.excludes(a, b)} == both
    assert all(skills.excluded_by(a) == {b for x, b in both if x == a} for a in words)


def test_what_changes_a_state_is_found_both_ways():
    heat = change('heat <x>', '<x> is hot', 'not <x> is raw')
    skills = server(OPEN, CLOSE, heat)

    def verbs(state, so):
        return [one.verb for one, _ in skills.changers(state, so)]

    assert (verbs('open', True), verbs('open', False)) == (['unbar'], ['bar'])
    assert (verbs('hot', True), verbs('hot', False)) == (['heat'], [])
    assert (verbs('raw', True), verbs('raw', False)) == ([], ['heat', 'heat'])
    assert skills.states_after(SkillKind.OPEN) == {'open'}
    assert skills.states_after(CHANGE) == {'hot'}, 'what ends is no state that it leaves'


def test_a_team_knows_the_states_of_all():
    mine, other = server(OPEN), server(OPEN, CLOSE)
    assert not mine.excludes('open', 'closed')
    mine.know_states_of(other)
    assert mine.excludes('open', 'closed') and mine.excludes('closed', 'open')


def test_names_that_no_slot_stands_for_are_known_from_the_templates():
    types = (
        SkillType('open airlock', (), SkillKind.OPEN, effects=('airlock is open',)),
        SkillType('polish <plate>', ('thing',), CHANGE, effects=('<plate> is bright',)),
        SkillType('hum', (), CHANGE, effects=('mood is good',)),
        SkillType('flush airlock', (), CHANGE, effects=('airlock is clean',)),
    )
    skills = server(*types, place_classes=('airlock',), object_classes=('plate',))
    assert set(skills.fixed_names()) == {'airlock'}


TEMPLATES = (
    SkillType('carry <load> to <spot>', ('thing', 'place'), SkillKind.PUT),
    SkillType('carry <load>', ('thing',), SkillKind.TAKE),
    SkillType('go <region>', ('region',), SkillKind.MOVE),
    SkillType('set <dial> to <number> percent', ('place', 'number'), CHANGE),
    SkillType('say <words>', ('text',), SkillKind.OTHER),
    SkillType('rest', (), SkillKind.OTHER),
)
NAMES = {
    'thing': ('crate 1', 'crate 22', 'Tool Box 3', 'tool 4'),
    'place': ('dial 1', 'long shelf 2', 'shelf 5'),
    'region': ('hall 1', 'Long Hall 2'),
    'number': ('3', '40'),
    'text': ('hello', 'carry on to the end'),
}
TOLD = {
    'object_classes': ('crate', 'Tool Box', 'tool'),
    'place_classes': ('dial', 'shelf', 'long shelf'),
    'rooms': ('hall 1', 'Long Hall 2'),
}


def test_a_text_is_taken_apart_as_it_was_put_together():
    skills, dice = server(*TEMPLATES, **TOLD), Random(7)
    for _ in range(200):
        one = dice.choice(TEMPLATES)
        values = tuple(dice.choice(NAMES[slot.type.value]) for slot in one.slots)
        text = one.filled(values)
        found = skills.parse(text)
        assert (found.type, found.values, found.text) == (one, values, text)
        assert found == skills.filled(one, values) and not found.has_gap
        kinds = [slot.type.value for slot in one.slots]
        names = [
            v for v, kind in zip(values, kinds, strict=True) if kind not in ('number', 'text')
        ]
        assert list(found.names) == names
        assert (found.target, found.destination) == (*names, '', '')[:2]
        gap = skills.parse(one.template)
        assert gap.has_gap is bool(one.slots) and gap.leaves_open(found)
    for text in ('', 'carry', 'Rest', 'go', 'resting', 'set dial 1'):
        assert skills.parse(text) is None


def test_what_a_name_stands_for_whatever_its_case_and_number():
    skills = server(*TEMPLATES, **TOLD)
    for sort, kind in (('thing', Sort.THING), ('place', Sort.PLACE), ('region', Sort.REGION)):
        for name in NAMES[sort]:
            assert skills.sort(name) is skills.sort(name.upper()) is kind
    assert skills.class_of('tool box 3') == 'tool box' and skills.class_of('tool 4') == 'tool'
    assert skills.is_named('crate 22', 'crate') and skills.is_named('crate 22', 'Crate 22')
    assert not skills.is_named('crate 22', 'crate 2')
    assert skills.is_of_sort('long shelf 2', 'shelf') and skills.is_of_sort('x', '')
    assert not skills.is_of_sort('shelf 5', 'long shelf') and skills.is_of_sort(
        'shelf 5', 'Shelf 5'
    )
    assert not skills.is_of_sort('bookshelf 5', 'shelf')
    assert skills.sort('kite') is None
    skills.add('kite', Sort.OTHER)
    assert skills.sort('kite 3') is Sort.OTHER
    skills.add('kite', Sort.THING)
    assert skills.sort('kite 3') is Sort.THING, 'more is known now'
    skills.add('kite', Sort.PLACE)
    assert skills.sort('kite 3') is Sort.THING, 'what was told before stays'


def test_what_is_carried_is_a_thing_and_where_it_is_put_is_not():
    put = SkillType('put <load> on <spot>', ('name', 'name'), SkillKind.PUT)
    skills = server(put, object_classes=('crate',), place_classes=('desk',), rooms=('hall 1',))
    names = ('crate 1', 'desk 1', 'hall 1', 'kite 1')
    fitting = [[name for name in names if skills.fits(put, n, name)] for n in (0, 1)]
    assert fitting == [['crate 1'], ['crate 1', 'desk 1', 'kite 1']]
    skills.learn(('put kite 1 on post 4',))
    assert (skills.sort('kite 1'), skills.sort('post 4')) == (Sort.THING, Sort.OTHER)
