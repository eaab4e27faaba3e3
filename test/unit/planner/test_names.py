"""Finding known things in sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.vocabulary import NameKind
from support.skill_kinds import declared

VOCABULARY = declared(
    Vocabulary(
        ('go to <object>', 'pick up <object>'),
        ('glass', 'water glass', 'apple', 'cutlery knife', 'cherry', 'slice of bread'),
        ('kitchen table', 'table', 'fridge'),
        ('kitchen 1', 'bedroom 1', 'bedroom 2', 'living room 1'),
    )
)
NAMES = Names(VOCABULARY)


def found(text):
    return [(mention.name, mention.instance) for mention in NAMES.find_all(text)]


def test_the_longest_name_wins():
    assert found('put the water glass on the kitchen table') == [
        ('water glass', None),
        ('kitchen table', None),
    ]


def test_a_number_after_a_name_is_its_instance():
    assert found('find apple 3 in bedroom 2') == [('apple', 3), ('bedroom', 2)]


@pytest.mark.parametrize(
    ('plural', 'name'),
    [
        ('Water glasses', 'water glass'),
        ('apples', 'apple'),
        ('cutlery knives', 'cutlery knife'),
        ('cherries', 'cherry'),
    ],
)
def test_plurals_are_understood(plural, name):
    assert found(f'two {plural}, please') == [(name, None)]


def test_masked_goals_of_one_kind_are_equal():
    assert NAMES.masked('find the apple in bedroom 2') == NAMES.masked(
        'Find the water glass in living room 1'
    )


def test_a_thing_that_only_tells_where_counts_as_a_place():
    assert NAMES.masked('find the apple in glass 2') == NAMES.masked('find cherry in fridge 1')
    assert NAMES.masked('find apple and glass') != NAMES.masked('find apple in glass')


def test_rooms_win_over_objects_of_the_same_name():
    names = Names(Vocabulary((), ('kitchen',), (), ('kitchen 1',)))
    assert names.kind('kitchen') is NameKind.REGION


@given(st.text(max_size=200))
def test_any_text_can_be_searched(text):
    mentions = NAMES.find_all(text)
    ends = [0]
    for mention in mentions:
        assert ends[-1] <= mention.start < mention.end
        ends.append(mention.end)
    NAMES.masked(text)


YARD_TYPES = (
    SkillType('drive to <place>', kind=SkillKind.MOVE),
    SkillType('lift <crate>', ('crate',), SkillKind.TAKE),
    SkillType('load <crate> onto <truck>', ('crate', 'truck'), SkillKind.PUT),
    SkillType('switch on <pump>', ('pump',), SkillKind.SWITCH_ON, 'switch off <pump>'),
    SkillType('open <box>', ('box',), SkillKind.OPEN),
    SkillType('scan <label>', ('label',)),
    SkillType('carry <parcel>', ('parcel',), SkillKind.TAKE),
    SkillType('hoist <chain>', ('chain',), SkillKind.TAKE),
    SkillType('open <chain>', ('chain',), SkillKind.OPEN),
)
YARD = Names(
    Vocabulary(
        object_classes=('crate', 'drum', 'glass crate'),
        place_classes=('pump', 'pallet', 'dock 4 gate', 'truck'),
        rooms=('hall 1', 'hall 2'),
        skill_types=YARD_TYPES,
        other_words=(('crate', 'carton'), ('hall 1', 'bay'), ('unheard of', 'thing')),
    )
)


@pytest.mark.parametrize(
    ('text', 'names'),
    [
        ('Lift crates 1, 2 and 3.', 'crate 1; crate 2; crate 3'),
        ('lift crates 1,2,3', 'crate 1; crate 2; crate 3'),
        ('Lift crates 1 & 2 now', 'crate 1; crate 2'),
        ('lift crates #1 and #2', 'crate 1; crate 2'),
        ('lift crates 1/2?', 'crate 1; crate 2'),
        ('lift crates (1 and 2)', 'crate 1; crate 2'),
        ('lift crate 1 or 2 now', 'crate 1; crate 2'),
        ('neither crate 1 nor 2', 'crate 1; crate 2'),
        ('crates 1, 2 in hall 2', 'crate 1; crate 2; hall 2'),
        ('crate 1 and 2 and drum 4', 'crate 1; crate 2; drum 4'),
        # A number that counts something, or measures it, is none of the name's.
        ('lift crate 1 and 2 drums', 'crate 1; drum'),
        ('lift crate 1, 2 drums', 'crate 1; drum'),
        ('lift crate 1 and the 2 drums', 'crate 1; drum'),
        ('crates 1, 2.5 m', 'crate 1'),
        ('crate 1 and 2x', 'crate 1'),
        ('crate 1; 2', 'crate 1'),
        ('crate 1 2', 'crate 1'),
        ('crate 1 x2', 'crate 1'),
        ('2 crates 1 pallet', 'crate; pallet'),
        ('two crates 1 pallet', 'crate 1; pallet'),
        ('1 crate, 1 pallet', 'crate; pallet'),
        ('2 crates 1 hour', 'crate 1'),
        # Items of a list.
        ('1) scan the crate 2) load it', 'crate'),
        ('1. scan crate 1, 2. lift it', 'crate 1'),
        ('1. scan crate 1\n2. lift it', 'crate 1'),
        ('1, 2: lift crate 3', 'crate 3'),
        ('start the pump\n2 drums', 'pump; drum'),
        ('lift the crate, 2', 'crate'),
        ('lift the crate: 2', 'crate'),
        ('lift crate (2)', 'crate 2'),
        # A label in place of a number.
        ('put crate A-7 on pallet b12', 'crate A-7; pallet b12'),
        ('crate A-7, please', 'crate A-7'),
        ('crate A-7 crate B-8', 'crate A-7; crate B-8'),
        ('crate 7A', 'crate 7A'),
        ('crate (A-7)', 'crate'),
        ('crate A', 'crate'),
        # The longest name, in other words, capitals and the plural.
        ('CRATE 2 GLASS CRATES 5', 'crate 2; glass crate 5'),
        ('the dock 4 gate 2', 'dock 4 gate 2'),
        ('cartons 3 in Bay 2', 'crate 3; hall 2'),
        ('glass, Hall1', ''),
    ],
)
def test_numbers_and_labels_belong_to_the_name_before_them(text, names):
    assert '; '.join(one.text for one in YARD.find_all(text)) == names


@pytest.mark.parametrize(
    ('told', 'meant'),
    [
        ('crate', ['crate', 'crate 2', 'crate 21', 'crate A-7']),
        ('crate 2', ['crate 2']),
        ('crate A-7', ['crate A-7', 'CRATE a-7']),
        ('hall', ['hall 2', 'hall 2 at [3.5, 1]']),
        ('hall 2', ['hall 2', 'hall 2 at [3.5, 1]']),
        ('hall 3', []),
    ],
)
def test_a_mention_means_things_of_its_name_number_and_label(told, meant):
    (mention,) = YARD.find_all(told)
    things = (
        'crate', 'crate 2', 'crate 21', 'crate A-7', 'CRATE a-7', 'crate b 2', 'crates 2',
        'glass crate 2', 'hall 2', 'hall gate 2', 'hall 2 at [3.5, 1]',
    )  # fmt: skip
    assert [one for one in things if mention.matches(one)] == meant


@pytest.mark.parametrize(
    ('name', 'its_class'),
    [
        ('crate 7', 'crate'),
        ('crate A-7', 'crate'),
        ('glass crate of doom', 'glass crate'),
        ('crate of wood 3', 'crate'),
        ('hall 2', 'hall'),
        ('anchor 3', 'anchor'),
        ('rusty anchor 3', 'rusty anchor'),
    ],
)
def test_the_class_of_a_thing_is_the_known_name_that_it_begins_with(name, its_class):
    assert YARD.class_of(name) == its_class


def test_what_stands_in_a_slot_is_told_by_its_name_or_by_what_skills_do_with_it():
    kinds = {
        slot.name: kind.value if kind else None
        for skill in YARD.skill_types
        for slot in skill.slots
        for kind in [YARD.kind_in(slot)]
    }
    assert kinds == {
        'place': 'place', 'crate': 'thing', 'truck': 'place', 'pump': 'place', 'box': None,
        'label': None, 'parcel': 'thing', 'chain': None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ('text', 'masked'),
    [
        ('Put the crate on a drum', 'put the <thing> on a <place>'),
        ('lift a drum from the first crate', 'lift a <thing> from the first <place>'),
        ('switch on the drum', 'switch on the <thing>'),
        ('the crate on the crate', 'the <thing> on the <thing>'),
        ('on the drum', 'on the <thing>'),
        ('find the crate in the other drum, the drum',
         'find the <thing> in the other <thing> the <thing>'),
    ],
)  # fmt: skip
def test_names_are_masked_by_what_they_are_there(text, masked):
    assert YARD.masked(text, whole=True) == masked
    small = {'the', 'a', 'first', 'other'}
    assert YARD.masked(text) == ' '.join(one for one in masked.split() if one not in small)


def test_of_one_name_told_twice_places_win_over_things_and_whatever_else():
    names = Names(Vocabulary())
    kinds = []
    for kind in ('OTHER', 'THING', 'OTHER', 'PLACE', 'THING', 'REGION'):
        size = names.size
        names.add('bin', NameKind[kind])
        kinds.append((names.kind('bin').name, names.size - size))
    assert kinds == [
        ('OTHER', 1), ('THING', 1), ('THING', 0), ('PLACE', 1), ('PLACE', 0), ('REGION', 1)
    ]  # fmt: skip
    assert [one.text for one in names.find_all('the bin')] == ['bin'] and names.size == 4


def test_names_of_the_same_content_read_the_same():
    first, second = Names(VOCABULARY), Names(VOCABULARY)
    assert first.content == second.content and not first.size
    second.add('ladle', NameKind.THING)
    assert first.content != second.content
    first.add('ladle', NameKind.THING)
    assert first.content == second.content
    first.add('ladle', NameKind.THING)
    assert first.content == second.content
