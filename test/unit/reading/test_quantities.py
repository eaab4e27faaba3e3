"""How many of which things an instruction means: numbers, lists of them, exceptions, none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone

TYPES = (
    SkillType('drive to <place>', kind=SkillKind.MOVE),
    SkillType('grab <thing>', kind=SkillKind.TAKE),
    SkillType('load <thing> in <place>', kind=SkillKind.PUT),
    SkillType('open <place>', kind=SkillKind.OPEN, inverse='close <place>'),
    SkillType('close <place>', kind=SkillKind.CLOSE, inverse='open <place>'),
    SkillType('label <thing>', kind=SkillKind.CHANGE, effects=('<thing> is labelled',)),
    SkillType('sterilise <thing>', kind=SkillKind.CHANGE, effects=('<thing> is sterile',)),
)
DEPOT = Vocabulary(
    tuple(one.template for one in TYPES), ('crate', 'drum'), ('truck', 'pallet', 'bay'), TYPES[0:0]
)
DEPOT = replace(DEPOT, rooms=('yard 1',), skill_types=TYPES)


def conditions(text):
    """What is read, and what is left out."""
    found = read_alone(text, Names(DEPOT))
    return [one.text for one in found.conditions], list(found.unread)


def assert_told_unread(text, *, hints=()):
    """It is not read whole, so that facts do not act. :param hints: what may be read of it."""
    found = read_alone(text, Names(DEPOT))
    assert not found.whole and not found.acts


def forbidden(text):
    """What is kept for certain, and what is left to the model."""
    found = read_alone(text, Names(DEPOT))
    return [rule.wording for rule in found.permission_rules], list(found.left_to_model)


@pytest.mark.parametrize(
    ('number', 'count'),
    [
        ('thirteen', 13),
        ('fifteen', 15),
        ('Twenty', 20),
        ('twenty one', 21),
        ('twenty-one', 21),
        ('ninety-nine', 99),
        ('a dozen', 12),
        ('half a dozen', 6),
        ('two dozen', 24),
        ('a hundred', 100),
        ('three hundred', 300),
        ('fifteen of the', 15),
        ('21', 21),
        ('999', 999),
        ('any two', 2),
        ('any two of the', 2),
        ('at least two', 2),
        ('two or more', 2),
    ],
)
def test_numbers_are_read_in_whole(number, count):
    assert conditions(f'Put {number} crates in the truck.') == ([f'{count} crate in truck'], [])
    assert conditions(f'Label {number} crates.') == ([f'{count} crate is labelled'], [])


@pytest.mark.parametrize(
    'quantity',
    [
        'half of the', 'half the', 'a few', 'several', 'most', 'most of the',
        'many', 'a third of the', 'two thirds of the', 'three quarters of the', '50% of the',
        '50 percent of the', 'two or three', 'two to four', '2-3', 'between two and four', '2.5',
        'about ten', 'more than two', 'up to three', 'a hundred and twenty', 'two thousand',
        '1,000', '1000', '0', 'zero', 'dozens of', 'a lot of', 'a number of', 'fewer than three',
        'almost ten', 'exactly two', 'minus two', '-2', 'every second',
        'two and a half', 'nearly all', 'ten percent of the',
    ],
)  # fmt: skip
def test_a_quantity_that_is_not_read_is_said_to_be_unread(quantity):
    hints = ['drum is labelled']
    assert_told_unread(f'Label {quantity} crates.')
    assert_told_unread(f'Label the drum and put {quantity} crates in the truck.', hints=hints)
    # What is said of them then is not about the things before.
    text = f'Label the drum, take {quantity} crates and put them in the truck.'
    assert_told_unread(text, hints=hints)


@pytest.mark.parametrize(
    ('number', 'read'),
    [
        ('two more', '2 crate'),
        ('another two', '2 crate'),
        ('a third', 'crate'),
        ('the other', 'all crate'),
    ],
)
def test_more_than_which_is_asked_where_none_were_told(number, read):
    text = f'Label the drum and put {number} crates in the truck.'
    assert_told_unread(text, hints=['drum is labelled', f'{read} in truck'])


def test_numbers_that_belong_to_something_else():
    assert_told_unread('In two minutes the crate must be in the truck.')
    text = 'Label the crates and put {} of them in the truck.'
    read = ['all crate is labelled', '21 crate in truck']
    assert conditions(text.format('twenty-one')) == (read, [])
    assert_told_unread(text.format('half'), hints=read[:1])


@pytest.mark.parametrize(
    ('told', 'read'),
    [
        ('crates 1 and 2', ['crate 1', 'crate 2']),
        ('crates 1, 2 and 3', ['crate 1', 'crate 2', 'crate 3']),
        ('crates 1, 2, and 3', ['crate 1', 'crate 2', 'crate 3']),
        ('the crates 1 & 3', ['crate 1', 'crate 3']),
        ('crates #1 and #2', ['crate 1', 'crate 2']),
        ('crate 1 and 2 drums', ['crate 1', '2 drum']),
        ('crate 1, 2 drums', ['crate 1', '2 drum']),
        ('crate 1 and the drum', ['crate 1', 'drum']),
    ],
)
def test_lists_of_numbers_are_read_in_whole(told, read):
    assert conditions(f'Put {told} in the truck.') == ([f'{one} in truck' for one in read], [])
    assert conditions(f'Label {told}.') == ([f'{one} is labelled' for one in read], [])
    plain = [one.removeprefix('2 ') for one in read]
    if plain == read:
        assert forbidden(f'Do not label {told}.') == ([f'label {one}' for one in read], [])


def test_numbers_of_steps_are_no_lists():
    read = ['crate 1 is labelled', 'crate 2 is labelled']
    assert conditions('1) label crate 1, 2) label crate 2')[0] == read
    assert conditions('1. Label crate 1. 2. Label crate 2.')[0] == read


@pytest.mark.parametrize('told', ['crates 1 to 3', 'crates 1-3', 'crates 1 through 3'])
def test_numbers_that_are_not_all_told_are_not_read(told):
    assert_told_unread(f'Put {told} in the truck.')
    assert_told_unread(f'Label {told}.', hints=['crate 1 is labelled'])
    assert_told_unread(f'Put the {told} in the truck.')
    assert conditions(f'Do not label {told}.')[1]


def test_a_list_of_two_sorts_with_numbers_is_told_as_unread():
    hints = ['crate 1 is labelled', 'crate 2 is labelled', 'drum 3 is labelled']
    assert_told_unread('Label crates 1, 2 and drums 3 and 4.', hints=hints)


def test_numbers_in_brackets_are_told_as_unread():
    assert_told_unread('Label the crates (1 and 2).')


@pytest.mark.parametrize(
    'but',
    [
        'but',
        'except',
        'except for',
        'apart from',
        'aside from',
        'other than',
        'but not',
        'excluding',
    ],
)
@pytest.mark.parametrize('every', ['every crate', 'all crates', 'all the crates'])
def test_what_is_excepted_is_forbidden_and_is_not_among_all(every, but):
    text = f'Label {every} {but} crate 3.'
    assert conditions(text) == (['all crate is labelled but for crate 3'], [])
    in_truck = (['all crate in truck but for crate 3'], [])
    assert conditions(f'Put {every} {but} crate 3 in the truck.') == in_truck
    assert conditions(f'Put {every}, {but} crate 3, in the truck.') == in_truck
    behind = f'Put {every} in the truck {but} crate 3.'
    if but == 'but':
        # What follows may go on: "but crate 3 on the pallet".
        assert_told_unread(behind)
    else:
        assert conditions(behind) == in_truck
    assert forbidden(text) == (['label crate 3'], [])
    assert forbidden(f'Put {every} {but} crate 3 in the truck.')[0] == ['put crate 3 to truck']


def test_an_exception_in_a_word_that_is_not_read_is_told_as_unread():
    assert_told_unread('Label every crate besides crate 3.')


def test_an_exception_of_another_sort_or_from_any_one_takes_none_out():
    assert conditions('Label all crates but not drum 3.')[0] == [
        'all crate is labelled but for drum 3'
    ]
    assert_told_unread('Label any crate except crate 3.')


@pytest.mark.parametrize(
    'text',
    [],
)
def test_an_exception_of_any_ones_forbids_nothing(text):
    read, unread = conditions(text)
    assert read == [] and unread
    rules, left = forbidden(text)
    assert rules == [] and left


def test_a_but_that_goes_on_is_no_exception():
    text = 'Put all crates in the truck but leave the drum on the pallet.'
    assert_told_unread(text)
    text = 'Label all crates, but do not put them in the truck.'
    assert conditions(text) == (['all crate is labelled'], [])
    assert forbidden(text) == (['put crate to truck'], [])
    text = 'Put all crates in the truck and everything else on the pallet.'
    read = ['all crate in truck', 'everything in pallet but for crate']
    assert conditions(text) == (read, [])


@pytest.mark.parametrize(
    ('text', 'read', 'rules'),
    [
        ('Put no crates in the truck.', [], ['put crate to truck']),
        ('Put none of the crates in the truck.', [], ['put crate to truck']),
        ('Put nothing in the truck.', [], ['put anything to truck']),
        ('Open no truck.', [], ['open truck']),
        ('Put no crate in the truck, but label it.',
         ['crate is labelled'], ['put crate to truck']),
        ('Put the crate not in the truck but in the bay.', ['crate in bay'], []),
    ],
)  # fmt: skip
def test_what_is_negated_is_not_asked(text, read, rules):
    assert conditions(text)[0] == read
    assert forbidden(text)[0] == rules


@pytest.mark.parametrize(
    'text',
    [
        'Put not only the crate but also the drum in the truck.',
        'Bring the crate with no lid to the truck.',
        'Make sure that no crate is in the truck.',
        'There should be no crate on the pallet.',
        'The truck should have no crate in it.',
        'Leave no crate on the pallet.',
        'Make sure that no labelled crate is in the truck.',
        'Make sure that none of the crates is in the truck.',
        'We have no crate. Bring one.',
    ],
)
def test_what_is_contrasted_or_shall_not_be_there_is_told_as_unread(text):
    assert_told_unread(text)
    # Nobody takes away what is there: that no more is put there is all that is kept.
    assert set(forbidden(text)[0]) <= {f'put crate{to}' for to in ('', ' to truck', ' to pallet')}
    # Nor does it change what another sentence asks for.
    assert_told_unread(f'Put the drum in the bay. {text}', hints=['drum in bay'])


@pytest.mark.parametrize('instead', ['instead of', 'rather than in', 'instead of in'])
def test_what_is_done_instead_forbids_the_other(instead):
    text = f'Put the crate in the bay {instead} the truck.'
    assert conditions(text) == (['crate in bay'], [])
    assert forbidden(text) == (['put crate to truck'], [])


def test_words_may_speak_of_what_is_denied():
    assert_told_unread('Nobody uses the truck, so close it.', hints=['truck is closed'])
    assert conditions('Put the crate in the truck, not in the bay, and close it.')[0] == [
        'crate in truck',
        'truck is closed',
    ]


@pytest.mark.parametrize(
    ('text', 'read', 'rules'),
    [
        ('Put the crate in the truck and do not label it.',
         ['crate in truck'], ['label crate']),
        ('Put the crate in the truck without sterilising it.',
         ['crate in truck'], ['sterilise crate']),
        ('Put the crate in the truck; it must not be labelled.',
         ['crate in truck'], ['label crate']),
        ('Put the crate in the truck and do not close it.', ['crate in truck'], ['close truck']),
        ('Label the crate, close the truck, and put it on the pallet.',
         ['crate is labelled', 'truck is closed', 'crate in pallet'], []),
    ],
)  # fmt: skip
@pytest.mark.parametrize('are_types_told', [True, False])
def test_it_is_what_the_verb_can_handle(text, read, rules, are_types_told, monkeypatch):
    if are_types_told:
        typed = tuple(
            replace(one, slot_types=tuple(slot.name for slot in one.slots)) for one in TYPES
        )
        monkeypatch.setitem(globals(), 'DEPOT', replace(DEPOT, skill_types=typed))
    assert sorted(conditions(text)[0]) == sorted(read)
    assert forbidden(text)[0] == rules


@pytest.mark.parametrize('without', [])
def test_a_gerund_is_known_in_each_spelling(without):
    assert forbidden(f'Put the crate in the truck without {without} it.')[0] == ['label crate']


def test_an_unknown_gerund_is_left_to_the_model():
    text = 'Put the crate in the truck without denting it.'
    assert_told_unread(text)
    assert forbidden(text)[1]
    assert forbidden('Put the crate in the truck without touching the drum.')[0] == ['touch drum']


def test_it_is_what_can_be_so_also_where_that_was_shut_in():
    text = 'Put the crate in the truck, close it, and label it.'
    assert conditions(text) == (['crate in truck', 'truck is closed', 'crate is labelled'], [])
    assert_told_unread('Put the crates in the truck, close it, and label them.')


def test_a_raised_digit_is_no_number():
    assert_told_unread('Put crate ² in the truck.')
    assert forbidden('Do not label crate ².')[0] == ['label crate']
