"""What a text forbids is found whatever stands around it, and never read as a wish."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.language.contradictions import contradictions
from reactree_planner.language.names import Names
from reactree_planner.language.reading import read_with_grammar
from support.skill_kinds import HOME

PLANT_TYPES = (
    SkillType('drive to <place>', kind=SkillKind.MOVE),
    SkillType('lift <drum>', kind=SkillKind.TAKE),
    SkillType('set down <drum>', kind=SkillKind.PUT),
    SkillType('switch on <pump>', kind=SkillKind.SWITCH_ON, inverse='switch off <pump>'),
    SkillType('switch off <pump>', kind=SkillKind.SWITCH_OFF, inverse='switch on <pump>'),
)
PLANT = Vocabulary(
    tuple(one.template for one in PLANT_TYPES),
    ('drum',),
    ('pump', 'pallet', 'conveyor'),
    ('hall 1',),
    skill_types=PLANT_TYPES,
)
HOME_WORDS = {
    'wish': 'Put an apple on the kitchen table.', 'open': 'open', 'opening': 'opening',
    'opened': 'opened', 'Opening': 'Opening', 'closed': 'closed', 'it': 'fridge',
}  # fmt: skip
PLANT_WORDS = {
    'wish': 'Put a drum on the pallet.', 'open': 'switch on', 'opening': 'switching on',
    'opened': 'switched on', 'Opening': 'Switching on', 'closed': 'off', 'it': 'pump',
}  # fmt: skip


def wordings(name):
    lines = Path(__file__).with_name(name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith('#')]


ONE_PROHIBITION = wordings('one_prohibition.txt')
UNSEEN = wordings('one_prohibition_unseen.txt')


def read(text, vocabulary=HOME):
    return read_with_grammar(text, Names(vocabulary))


def never(text, vocabulary=HOME):
    return [one.wording for one in read(text, vocabulary).never]


def protects(goal, words):
    """Whether opening it is forbidden, or all that is done with it, or to go there."""
    return any(
        one.thing == (words['it'],)
        and (not one.verbs or words['open'] in one.verbs or one.verbs[0].endswith(' to'))
        for one in goal.never
    )


@pytest.mark.parametrize(
    ('vocabulary', 'words', 'state'),
    [(HOME, HOME_WORDS, 'fridge is open'), (PLANT, PLANT_WORDS, 'pump is on')],
    ids=['home', 'plant'],
)
@pytest.mark.parametrize('wording', ONE_PROHIBITION)
def test_one_prohibition_is_read_in_many_wordings(wording, vocabulary, words, state):
    goal = read(wording.format(**words), vocabulary)
    assert protects(goal, words)
    assert state not in goal.means
    # What is asked beside it is read as well.
    assert goal.milestones


@pytest.mark.parametrize('wording', UNSEEN)
def test_a_wording_that_is_not_known_is_never_read_whole_as_the_wish(wording):
    goal = read(wording.format(**HOME_WORDS, opens='opens'))
    assert protects(goal, HOME_WORDS) or not goal.whole
    goal = read(wording.format(**PLANT_WORDS, opens='switches on'), PLANT)
    assert protects(goal, PLANT_WORDS) or not goal.whole


def test_there_are_forty_wordings():
    assert len(set(ONE_PROHIBITION)) == len(set(UNSEEN)) == 40


LITTLE_WORDS = [
    'do',
    'not',
    'never',
    'no',
    'without',
    'avoid',
    'forbid',
    'but',
    'except',
    'only',
    'anything',
    'it',
    'the',
    'fridge',
    'stove',
    'apple',
    'open',
    'close',
    'put',
    'on',
    'in',
    'must',
    'be',
    'is',
    ',',
    '.',
    'and',
    'or',
    'you',
    'i',
    'want',
    'before',
    'after',
    'until',
    'at',
    'most',
    'twice',
    'to',
]


@given(st.lists(st.sampled_from(LITTLE_WORDS), max_size=14))
def test_what_is_denied_and_not_read_asks_for_nothing_and_is_told(words):
    for sentence in ' '.join(words).split('.'):
        goal = read(sentence)
        denied = {'not', 'never', 'no', 'without', 'avoid', 'forbid', 'except'} & set(
            ' '.join(goal.unread).split()
        )
        assert not denied or goal.left_to_model
        if denied:
            assert not goal.conditions


@pytest.mark.parametrize(
    ('text', 'means'),
    [
        (
            'Put a pudding in the fridge and close the fridge again to avoid damage to it.',
            'pudding in fridge; fridge is closed',
        ),
        ('Close the fridge so that the pudding is not spoiled.', 'fridge is closed'),
        ('Put an apple in the sink to prevent stains on the stove.', 'apple in sink'),
    ],
)
def test_a_reason_is_no_prohibition(text, means):
    goal = read(text)
    assert goal.whole and goal.means == means
    assert not goal.never and not goal.left_to_model
    assert 'a reason' in {one.account for one in goal.words}


@pytest.mark.parametrize(
    'text',
    [
        "I don't want the apple on the kitchen table; put it in the fridge.",
        'The apple should not be on the kitchen table but in the fridge.',
        'The apple must not stay on the kitchen table, but in the fridge.',
    ],
)
def test_where_a_thing_is_no_longer_wanted_it_may_be_taken_away(text):
    goal = read(text)
    assert goal.whole and goal.means == 'apple in fridge'
    assert [one.wording for one in goal.never] == ['put down apple at kitchen table']
    assert not contradictions(goal, HOME)


def test_not_here_but_there_is_one_wish():
    goal = read('Put the apple not in the fridge but on the kitchen table.')
    assert goal.whole and goal.means == 'apple in kitchen table' and not goal.never


def test_an_exception_that_asks_forbids_nothing():
    goal = read(
        'Put the plate, the knife and the apple in the sink, except that the apple goes on the '
        'kitchen table.'
    )
    assert not goal.never and not goal.milestones and goal.left_to_model


@pytest.mark.parametrize(
    'text',
    [
        'Do not put anything but the apple in the fridge.',
        "Don't open anything other than the fridge.",
        'Do not touch anything except the apple.',
        'Only touch the apple.',
        'When I am away, keep the fridge closed.',
        'Do not open the fridge unless it is necessary.',
        'Do not open the fridge until I come back.',
    ],
)
def test_what_holds_for_a_case_or_a_time_is_told_and_forbids_nothing_else(text):
    goal = read(text)
    assert not goal.never and not goal.whole
    assert goal.left_to_model == (text.rstrip('.'),)


@pytest.mark.parametrize(
    'text',
    [
        "Don't leave the fridge open.",
        'Please do not, under any circumstances, leave the fridge open.',
        'Never leave the fridge open.',
        'It is not ok to leave the fridge open.',
        'Do not let the fridge stay open.',
        'Let the apple be in the fridge.',
    ],
)
def test_what_shall_not_stay_so_may_be_changed(text):
    """To forbid closing, or touching, would be the opposite of what was said."""
    goal = read(text)
    assert not goal.never and not goal.milestones and not goal.whole


@pytest.mark.parametrize(
    ('text', 'forbidden'),
    [
        # Opening: whatever may be opened of all that was named, for it is not said which.
        (
            "The fridge was cleaned. Bring an apple to the kitchen table. Don't open it.",
            ['open fridge', 'open kitchen table'],
        ),
        # The text says itself that something is in it.
        ('Go to the sink. Put the apple in the fridge. Do not open it.', ['open fridge']),
        ("The plate is in the sink. Don't touch it.", ['touch plate', 'touch sink']),
        ('Take the pudding to the kitchen table. Do not touch it.', ['touch kitchen table']),
        ('Put the knife in the sink. Do not pick it up again.', ['pick up knife']),
        ('Get the knife and the plate. Do not touch them.', ['touch knife', 'touch plate']),
    ],
)  # fmt: skip
def test_where_two_things_could_be_meant_both_are_forbidden(text, forbidden):
    assert never(text) == forbidden


def test_the_words_of_a_prohibition_are_accounted_for():
    goal = read('Put an apple in the sink without opening the fridge.')
    assert goal.whole
    told = {one.text: one.account for one in goal.words}
    assert told['opening'] == told['without'] == 'must not: open fridge'
    assert told['apple'] == 'apple in sink'


def test_a_prohibition_is_kept_where_nothing_else_is_read():
    goal = read('Frobnicate the quux, but whatever you do, never open the fridge, said my aunt.')
    assert [one.wording for one in goal.never] == ['open fridge']
    assert not goal.milestones and goal.unread


def test_a_name_with_a_slip_is_protected_all_the_same():
    assert never('dont opne the frige') == ['touch fridge']


# Contradictions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        (
            'Open the fridge. Never open the fridge.',
            '"Open the fridge" asks that fridge is open, but "Never open the fridge" forbids what '
            'would bring it about (must not: open fridge).',
        ),
        (
            'Put an apple in the sink, but do not touch the apple.',
            '"Put an apple in the sink" asks that apple is in sink, but "do not touch the apple" '
            'forbids what would bring it about (must not: touch apple).',
        ),
        (
            'Put an apple in the sink. Put nothing in the sink.',
            '"Put an apple in the sink" asks that apple is in sink, but "Put nothing in the sink" '
            'forbids what would bring it about (must not: put down anything at sink).',
        ),
        (
            'Go to the kitchen. The kitchen is off limits.',
            '"Go to the kitchen" asks that the robot is at kitchen, but "The kitchen is off '
            'limits" forbids what would bring it about (must not: go to kitchen).',
        ),
    ],
)
def test_what_is_asked_and_forbidden_is_found_before_anything_moves(text, sentence):
    (found,) = contradictions(read(text), HOME)
    assert found.sentence == sentence


@pytest.mark.parametrize(
    'text',
    [
        'Put the plate in the sink. Do not put the plate in the fridge.',
        'Put the apple in the sink and do not take the apple from the fridge.',
        'Close the fridge. Never open the fridge.',
        'Pick up plate 1. Do not touch plate 2.',
    ],
)
def test_what_can_be_done_all_the_same_is_no_contradiction(text):
    goal = read(text)
    assert goal.never and goal.milestones
    assert not contradictions(goal, HOME)


@pytest.mark.parametrize(
    ('text', 'forbidden'),
    [
        ('Put the apple in the fridge, not in the sink.', ['apple']),
        ('Put the apple next to the plate, not in the sink.', ['apple', 'plate']),
        ("Put the APPLE next to the plate, but don't put it in the sink.", ['apple', 'plate']),
        ('Put the apple and the plate in the fridge, not in the sink.', ['apple', 'plate']),
        ('Put the plate in the sink and the apple in the fridge, not in the sink.', ['apple']),
    ],
)
def test_what_may_not_be_put_there_is_whatever_may_be_meant(text, forbidden):
    assert never(text) == [f'put down {one} at sink' for one in forbidden]


@pytest.mark.parametrize(
    'text',
    [
        'Never move the plate.',
        'The plate must not be moved.',
        'Put the apple next to the plate without moving the plate.',
    ],
)
def test_what_is_not_to_be_moved_is_not_taken_either(text):
    (one,) = read(text).never
    assert {'pick up', 'put down'} <= set(one.verbs) and one.thing == ('plate',)
    (elsewhere,) = read("Don't move the plate to the sink.").never
    assert 'pick up' not in elsewhere.verbs
