"""What a text forbids is found whatever stands around it, and never read as a wish."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Observation, Vocabulary
from reactree_core.permission.matching import Moment
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.contradictions import contradictions
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from support.readings import forbids, weaker
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
    return read_alone(text, Names(vocabulary))


def assert_forbids(goal, wording, vocabulary=HOME):
    """A goal forbids at least what a wording does, or it says that it may forbid more.

    In doubt more is forbidden.
    """
    assert not weaker(goal, wording, vocabulary), [one.wording for one in goal.never]


def protects(goal, words, vocabulary=HOME):
    """Whether opening it is forbidden."""
    return f'{words["open"]} {words["it"]}' in forbids(goal.never, vocabulary)


@pytest.mark.parametrize(
    ('vocabulary', 'words', 'state'),
    [(HOME, HOME_WORDS, 'fridge is open'), (PLANT, PLANT_WORDS, 'pump is on')],
    ids=['home', 'plant'],
)
@pytest.mark.parametrize('wording', ONE_PROHIBITION)
def test_one_prohibition_is_read_in_many_wordings(wording, vocabulary, words, state):
    goal = read(wording.format(**words), vocabulary)
    assert protects(goal, words, vocabulary) or goal.left_to_model
    assert state not in goal.means
    # What is asked beside it is read as well.
    assert goal.milestones


@pytest.mark.parametrize('wording', UNSEEN)
def test_a_wording_that_is_not_known_is_never_read_whole_as_the_wish(wording):
    goal = read(wording.format(**HOME_WORDS, opens='opens'))
    assert protects(goal, HOME_WORDS) or not goal.whole
    goal = read(wording.format(**PLANT_WORDS, opens='switches on'), PLANT)
    assert protects(goal, PLANT_WORDS, PLANT) or not goal.whole


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
            # "Not only" denies nothing.
            ' '.join(goal.unread).replace('not only', '').split()
        )
        assert not denied or goal.left_to_model
        if denied:
            assert not goal.conditions


@pytest.mark.parametrize(
    'text',
    [
        "I don't want the apple on the kitchen table; put it in the fridge.",
    ],
)
def test_where_a_thing_is_no_longer_wanted_it_may_be_taken_away(text):
    goal = read(text)
    assert goal.whole and goal.means == 'apple in fridge'
    assert_forbids(goal, 'put down apple at kitchen table')
    assert not contradictions(goal, HOME)


def test_an_exception_that_asks_forbids_nothing():
    goal = read(
        'Put the plate, the knife and the apple in the sink, except that the apple goes on the '
        'kitchen table.'
    )
    assert not goal.milestones or not goal.whole


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
def test_what_holds_for_a_case_or_a_time_is_forbidden_always_or_told(text):
    goal = read(text)
    assert goal.never or goal.rules or goal.left_to_model or goal.questions
    assert not goal.milestones or not goal.whole


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
    assert not goal.whole or 'close fridge' not in forbids(goal.never, HOME)
    assert not goal.whole or 'fridge is open' not in goal.means


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
        (
            'Put the apple in the fridge and the plate in the dishwasher. Do not open it.',
            ['open fridge', 'open dishwasher'],
        ),
        ('Open the fridge and close the dishwasher. Do not open it.', ['open dishwasher']),
        ('Open the fridge, but do not close it.', ['close fridge']),
        ('Put the apple in the fridge. Never turn it on.', ['turn on fridge']),
        ('Take the apple from the fridge. Do not close it.', ['close fridge']),
        ('Put the knife in the sink and never touch it again.', ['touch sink']),
        (
            'Put the apple, the plate and the knife in the sink. Never touch these.',
            ['touch apple', 'touch plate', 'touch knife'],
        ),
        ('Put the knife in the sink. Do not put it there again.', ['put down knife at sink']),
        ('Put the apple in the sink. Do not put the plate there.', ['put down plate at sink']),
        ('Never bring the apple.', ['pick up apple']),
        ('Never bring the apple to the sink.', ['put down apple at sink']),
        ('Do not bring the apple there.', ['pick up apple']),
        ("Don't zap the knife.", ['touch knife']),
        ('Never disturb the apple in the fridge.', ['touch apple at fridge']),
        ('Do not take anything from the fridge.', ['pick up anything at fridge']),
        ('Do not touch them.', []),
    ],
)  # fmt: skip
def test_where_two_things_could_be_meant_both_are_forbidden(text, forbidden):
    goal = read(text)
    assert goal.left_to_model or goal.questions or not weaker(goal, '; '.join(forbidden), HOME)


FORBIDDEN = {
    # Hands and places.
    'Hands off the fridge.': 'touch fridge',
    'Keep your hands off the knife and the plate.': 'touch knife; touch plate',
    'Stay away from the stove.': 'go to stove',
    'Please keep out of the kitchen.': 'go to kitchen',
    'Avoid the kitchen and the bedroom.': 'go to kitchen; go to bedroom',
    'Try to avoid the kitchen.': 'go to kitchen',
    'Be careful to avoid the kitchen.': 'go to kitchen',
    'Avoid opening the fridge.': 'open fridge',
    'The kitchen is off limits.': 'go to kitchen; touch kitchen',
    'The kitchen is strictly off limits.': 'go to kitchen; touch kitchen',
    # Verbs in their forms, and several of them.
    'Never, ever open the fridge.': 'open fridge',
    'Do not, I repeat, do not open the fridge.': 'open fridge',
    'Make sure not to open the fridge.': 'open fridge',
    'It is forbidden to open the fridge.': 'open fridge',
    'You cannot open the fridge.': 'open fridge',
    'No opening the fridge.': 'open fridge',
    'I forbid you to open the fridge.': 'open fridge',
    'I forbid opening the fridge.': 'open fridge',
    'Refrain from opening the fridge.': 'open fridge',
    'Instead of opening the fridge, open the sink.': 'open fridge',
    'Nobody may open the fridge.': 'open fridge',
    'No one is to touch the knife.': 'touch knife',
    'Neither open the fridge nor close it.': 'open fridge; close fridge',
    'It is important to never open the fridge.': 'open fridge',
    'I told you not to open the fridge.': 'open fridge',
    'No touching of the apple.': 'touch apple',
    'Opening the fridge will not be tolerated.': 'open fridge',
    'Do not open the fridge or close it.': 'open fridge; close fridge',
    'Do not open or close the fridge.': 'close fridge; open fridge',
    'Do not open the fridge, the stove or the sink.': 'open fridge; open stove; open sink',
    'Go to the sink without opening the fridge or touching the apple.': 'open fridge; touch apple',
    # In the passive.
    'The fridge must not be opened.': 'open fridge',
    'The knife cannot be touched.': 'touch knife',
    'The fridge and the stove must never be opened or closed.':
        'open fridge; open stove; close fridge; close stove',
    'Nothing is to be put in the fridge.': 'put down anything at fridge',
    'No apple may be put in the fridge.': 'put down apple at fridge',
    'Neither the fridge nor the stove may be opened.': 'open fridge; open stove',
    'Never let the fridge be opened.': 'open fridge',
    'Do not let the apple be put in the sink.': 'put down apple at sink',
    'I do not want the apple put in the sink.': 'put down apple at sink',
    'I do not want anything put in the sink.': 'put down anything at sink',
    # What stays as it is.
    'Keep the fridge closed and the stove off.': 'open fridge; turn on stove',
    'The fridge must stay closed.': 'open fridge',
    'The stove has to remain off.': 'turn on stove',
    'The fridge needs to stay shut.': 'open fridge',
    'Leave the plate alone.': 'touch plate',
    'Let the plate be.': 'touch plate',
    'Leave the plates where they are.': 'pick up plate',
    'If the fridge is closed, leave it closed.': 'open fridge',
    'If the fridge is already closed, do not open it.': 'open fridge',
    'If the fridge is closed, then keep it closed.': 'open fridge',
    # Where nothing shall be put.
    "I don't want the apple in the sink.": 'put down apple at sink',
    "I don't want the apple to be in the sink.": 'put down apple at sink',
    'I do not want anything in the sink.': 'put down anything at sink',
    'Nobody wants the apple on the kitchen table.': 'put down apple at kitchen table',
    'The knife cannot go in the sink.': 'put down knife at sink',
    'The knife does not belong in the fridge.': 'put down knife at fridge',
    'The plate should not be left in the sink.': 'put down plate at sink',
    # Exceptions.
    'Put the plates in the sink, but not plate 2.': 'put down plate 2',
    'Put every plate in the sink except plate 2.': 'put down plate 2',
    'Put all plates but plate 2 in the sink.': 'put down plate 2 at sink',
    'Put the plate in the sink, but not the apple in the fridge.': 'put down apple at fridge',
    'Put the apple on the kitchen table, not in the fridge.': 'put down apple at fridge',
    'Take the plate, but not the knife or the apple.': 'touch knife; touch apple',
    'Take everything but the knife.': 'pick up knife',
    'Take the plate and not the knife.': 'touch knife',
    'Go to the kitchen, but not to the bedroom.': 'go to bedroom',
    'Take the plate. Put it in the sink, not in the fridge.': 'put down plate at fridge',
    'Turn the stove on but not the television.': 'turn on television',
    'Open the fridge, but not the sink, the stove or the dishwasher.':
        'open sink; open stove; open dishwasher',
    'Put every apple in the fridge, with the exception of apple 3.': 'put down apple 3',
    'Close everything apart from the fridge.': 'close fridge',
    'Do not open the fridge but the stove.': 'open fridge',
    'Put nothing in the fridge.': 'put down anything at fridge',
    'Put none of the apples in the fridge.': 'put down apple at fridge',
    'Touch nothing.': 'touch anything',
    'Touch no knife.': 'touch knife',
    # What is said of a time that nobody can keep holds always.
    'Do not open the fridge when I am away.': 'open fridge',
    'Never open the fridge in the morning when I sleep.': 'open fridge',
}  # fmt: skip


@pytest.mark.parametrize('text', FORBIDDEN)
def test_what_is_forbidden(text):
    goal = read(text)
    assert_forbids(goal, FORBIDDEN[text])
    # Neither capitals nor spaces nor what else is asked changes it.
    assert_forbids(read(text.upper()), FORBIDDEN[text])
    goal = read('Put a pudding in the sink.  ' + text.replace(' ', '  ').lower())
    assert_forbids(goal, FORBIDDEN[text])
    assert 'pudding in sink' in goal.means


@pytest.mark.parametrize('text', [t for t in FORBIDDEN if 'fridge' in t and 'stove' not in t])
def test_another_name_in_place_of_a_name_moves_the_prohibition(text):
    goal = read(text.replace('fridge', 'stove'))
    assert_forbids(goal, FORBIDDEN[text].replace('fridge', 'stove'))


NOT_FORBIDDEN = [
    # Somebody else, or nobody, is told.
    'They never open the fridge.',
    'Anna must not open the fridge.',
    'Tell Anna not to open the fridge.',
    'Neither you nor I open the fridge.',
    'Why must you not open the fridge?',
    "The fridge isn't open.",
    'The fridge does not need to be opened.',
    'You do not have to open the fridge.',
    'Do not hesitate to open the fridge.',
    '"Never open the fridge", said my aunt.',
    'Put the plates in the sink, not on the stove but in the dishwasher.',
    'Must I never open the fridge?',
    'Is opening the fridge forbidden?',
    'You need not avoid the kitchen.',
    'Actually, no, put the apple in the fridge.',
    'Nothing is off limits.',
    # For a case or a time.
    'Do not open the fridge now.',
    'Do not open the fridge, unless I say so.',
    'Do not open the fridge if it is hot.',
    'In case of rain, keep the fridge closed.',
    'As long as I am away, keep the fridge closed.',
    'If the fridge is closed, keep the stove off.',
    # Nobody can tell which.
    'Put all plates but one plate in the sink.',
    'Put no more plates in the sink.',
    'Take no other plate.',
    'Leave no plate in the sink.',
]


@pytest.mark.parametrize('text', NOT_FORBIDDEN)
def test_what_may_forbid_is_forbidden_or_told_and_asks_for_nothing(text):
    goal = read(text)
    assert goal.never or goal.rules or not goal.whole
    assert not goal.whole or not goal.milestones


def test_what_shall_not_be_so_at_the_end_is_asked_for():
    goal = read('Make sure that the fridge is not open.')
    assert goal.whole and goal.means == 'fridge is closed' and not goal.never


def test_what_the_way_avoids_is_forbidden():
    goal = read('To avoid the kitchen, go to the bedroom.')
    assert goal.means == 'at bedroom'
    assert_forbids(goal, 'go to kitchen')


@pytest.mark.parametrize(
    'text',
    [
        'Nobody asked you to open the fridge.',
        'There is no need to open the fridge.',
        'You do not have to open the fridge.',
        'I never said that you should open the fridge.',
        'It is not necessary to open the fridge.',
    ],
)
def test_a_denial_asks_for_nothing_and_forbids_nothing(text):
    goal = read(text)
    assert not (goal.milestones or goal.never or goal.whole)
    goal = read(f'Put an apple in the sink. {text}')
    assert goal.means == 'apple in sink' and goal.whole and not goal.never


def test_the_words_of_a_prohibition_are_accounted_for():
    goal = read('Put an apple in the sink without opening the fridge.')
    assert goal.whole
    told = {one.text: one.account for one in goal.words}
    assert told['opening'] == told['without'] == 'must not open fridge'
    assert told['apple'] == 'apple in sink'


def test_a_prohibition_is_kept_where_nothing_else_is_read():
    goal = read('Frobnicate the quux, but whatever you do, never open the fridge, said my aunt.')
    assert_forbids(goal, 'open fridge')
    assert not goal.milestones and goal.unread


def test_a_name_with_a_slip_is_protected_all_the_same():
    assert_forbids(read('dont opne the frige'), 'open fridge')


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
        ('Put the apple next to the plate, not in the sink.', ['apple']),
        ("Put the APPLE next to the plate, but don't put it in the sink.", ['apple', 'plate']),
        ('Put the apple and the plate in the fridge, not in the sink.', ['apple', 'plate']),
        ('Put the plate in the sink and the apple in the fridge, not in the sink.', ['apple']),
    ],
)
def test_what_may_not_be_put_there_is_whatever_may_be_meant(text, forbidden):
    goal = read(text)
    assert goal.left_to_model or not weaker(
        goal, '; '.join(f'put down {one} at sink' for one in forbidden), HOME
    )


@pytest.mark.parametrize(
    'text',
    [
        'Never move the plate.',
        'The plate must not be moved.',
        'Put the apple next to the plate without moving the plate.',
    ],
)
def test_what_is_not_to_be_moved_is_not_taken_either(text):
    assert_forbids(read(text), 'pick up plate; put down plate')
    elsewhere = forbids(read("Don't move the plate to the sink.").never, HOME)
    assert 'pick up plate' not in elsewhere


@pytest.mark.parametrize(
    ('text', 'others_too'),
    [
        ('Never ZAP the waste bin.', False),
        ('Never open the bin.', False),
    ],
)
def test_what_no_skill_does_is_kept_from_whatever_is_called_so(text, others_too):
    kinds = {'open <object>': SkillKind.OPEN, 'lift <object>': SkillKind.TAKE}
    types = tuple(SkillType(one, kind=kind) for one, kind in kinds.items())
    waste = Vocabulary(tuple(kinds), ('mug',), ('waste bin',), skill_types=types)
    rules = read(text, waste).permission_rules
    names = ('waste bin 1', 'glass bin 2', 'mug 1')
    barred = {name for name in names if any(bars(rule, f'open {name}', types) for rule in rules)}
    assert barred >= ({'waste bin 1', 'glass bin 2'} if others_too else {'waste bin 1'})


def bars(rule, skill, types):
    return rule.skill.matches(Moment(skill, Observation(''), {}, types))
