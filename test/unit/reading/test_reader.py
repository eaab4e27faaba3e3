"""Who reads a task: the grammar, the model, or both; of both only what they agree on is whole."""

from __future__ import annotations

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.permission.acts import Act
from reactree_core.record.goal_record import GoalRecord
from reactree_core.record.run_settings import Reading
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.reading.goal import Goal, ReadBy, Word
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import (
    agree,
    AgreeingReader,
    AloneReader,
    FirstWhole,
    NEITHER,
    read_alone,
    reader_of,
)
from reactree_planner.reading.record import (
    is_in_unread_language,
    record_of,
    why_not_whole,
)

OPEN_CHEST = Act('open', 'chest')
TAKE_OAR = Act('take', 'oar')


def read(text, names, mode=Reading.GRAMMAR, model_reader=None, ask=None):
    return reader_of(mode, model_reader, ask).read(text, names)


class Fixed:
    """Reads the same always."""

    def __init__(self, *milestones, never=(), unread=(), by=ReadBy.MODEL):
        self.goal = Goal(
            'text',
            tuple(conditions_of(tuple(one.split('; '))) for one in milestones),
            never=never,
            words=(Word('text', '' if unread else 'all'),),
            unread=unread,
            by=by,
        )

    def read(self, text, names):
        return self.goal


def test_english_is_read_without_a_model(names):
    goal = read('Put the rope in the chest', names)
    assert goal.means == 'rope in chest'
    assert goal.whole and goal.language == 'en' and goal.by is ReadBy.SKILL


@pytest.mark.parametrize(
    ('text', 'code'),
    [
        ('Leg das Seil in die Truhe und öffne nie das Netz', 'de'),
        ('Öffne die chest nicht', 'de'),
        ('No abras nunca el cofre', 'es'),
        ('絶対に箱を開けないで', 'ja'),
    ],
)
def test_of_another_language_the_grammar_reads_nothing_and_says_which_it_is(names, text, code):
    goal = read(text, names)
    assert goal.language == code
    assert not goal.milestones and not goal.never and not goal.whole and not goal.acts
    assert goal.left_to_model == (text,)
    assert goal.unread == (text,)
    assert 'grammar does not know' in why_not_whole(record_of(goal))


def test_a_foreign_part_of_an_english_sentence_is_unread(names):
    goal = read('Put the rope in the chest und das Messer dazu', names)
    assert goal.language == 'en'
    assert not goal.whole


def test_the_model_reads_alone_where_it_shall(names):
    goal = read('Leg das Seil in die Truhe', names, Reading.MODEL, Fixed('rope in chest'))
    assert goal.means == 'rope in chest' and goal.by is ReadBy.MODEL


def test_without_a_model_the_grammar_reads_alone(names):
    assert read('Open the chest', names, Reading.BOTH).by is ReadBy.SKILL


def test_what_both_read_is_whole(names):
    goal = read('The rope goes in the chest', names, Reading.BOTH, Fixed('rope in chest'))
    assert goal.whole and goal.acts and goal.by is ReadBy.BOTH


@pytest.mark.parametrize(
    'other', [Fixed('rope in raft'), Fixed('rope in chest', never=(OPEN_CHEST,)), Fixed()]
)
def test_what_they_read_differently_is_not_whole(names, other):
    goal = read('The rope goes in the chest', names, Reading.BOTH, other)
    assert not goal.whole and not goal.acts
    assert goal.means == 'rope in chest'
    assert why_not_whole(record_of(goal))


@pytest.mark.parametrize('mode', [Reading.BOTH, Reading.MODEL])
def test_a_skill_word_for_word_is_read_before_any_model_is_asked(names, mode):
    goal = read('Coil rope 2', names, mode, Fixed('rope in raft'))
    assert goal.whole and goal.means == 'rope 2 is coiled' and goal.by is ReadBy.SKILL


def test_a_prohibition_of_either_reading_is_kept_where_the_model_reads():
    first = Fixed(never=(OPEN_CHEST,), unread=('cosy',), by=ReadBy.GRAMMAR)
    second = Fixed('rope in raft', never=(TAKE_OAR,))
    goal = FirstWhole(first, second).read('text', None)
    assert goal.never == (OPEN_CHEST, TAKE_OAR) and goal.means == 'rope in raft'
    assert FirstWhole(second, first).read('text', None) is second.goal


def test_prohibitions_of_both_are_kept_where_they_differ(names):
    first = Fixed('rope in raft', never=(OPEN_CHEST,))
    second = Fixed('rope in raft', never=(OPEN_CHEST, TAKE_OAR))
    goal = AgreeingReader(first, second).read('text', names)
    assert goal.never == (OPEN_CHEST, TAKE_OAR)
    assert not goal.whole


def test_a_person_says_which_reading_is_meant(names):
    asked = []

    def person(question, options):
        asked.append((question, tuple(options)))
        return options[1]

    first, second = Fixed('rope in raft'), Fixed('rope in chest', never=(TAKE_OAR,))
    goal = AgreeingReader(first, second, person).read('text', names)
    assert asked == [('What is wanted?', ('rope in raft', 'rope in chest', NEITHER))]
    assert goal.means == 'rope in chest' and goal.by is ReadBy.PERSON
    assert goal.whole and goal.never == (TAKE_OAR,)


@pytest.mark.parametrize('answer', [NEITHER, ''])
def test_where_no_person_takes_one_nothing_is_whole(names, answer):
    first, second = Fixed('rope in raft'), Fixed('rope in chest')
    goal = AgreeingReader(first, second, lambda question, options: answer).read('text', names)
    assert not goal.whole and goal.by is not ReadBy.PERSON


def test_readings_agree_in_whatever_order_conditions_of_a_milestone_stand():
    def goal(*milestones, never=()):
        return Fixed(*milestones, never=never).goal

    assert agree(goal('rope in raft; chest is open'), goal('chest is open; rope in raft'))
    assert not agree(goal('rope in raft', 'chest is open'), goal('chest is open', 'rope in raft'))
    assert not agree(goal('rope in raft'), goal('2 rope in raft'))
    assert not agree(goal(), goal())
    assert agree(goal(never=(OPEN_CHEST,)), goal(never=(OPEN_CHEST,)))


def test_two_partial_readings_that_agree_are_not_whole(names):
    partial = Fixed('rope in raft', unread=('soon',))
    goal = AgreeingReader(partial, partial).read('text', names)
    assert not goal.whole and not goal.acts


@pytest.mark.parametrize('text', ['', '  ', '😀', '?!'])
def test_a_text_without_words_is_not_whole(names, text):
    goal = read(text, names)
    assert not goal.whole and not goal.milestones
    assert why_not_whole(record_of(goal))


@pytest.mark.parametrize(
    'text', ['Put ' * 1000, 'a' * 4000, 'xyzzy ' * 650, '😀' * 4000, '(' * 4000, 'not ' * 1000]
)
def test_the_longest_texts_are_read_to_their_end(names, text):
    assert not read(text[:4000], names).milestones


_GERMAN_NAMES = Names(
    Vocabulary(
        object_classes=('Milch', 'Herd'),
        place_classes=('Kühlschrank',),
        skill_types=(
            SkillType('gehe zu <place>', kind=SkillKind.MOVE),
            SkillType('nimm <thing>', ('thing',), SkillKind.TAKE),
            SkillType('lege <thing> in <place>', ('thing', 'place'), SkillKind.PUT),
        ),
    )
)


@pytest.mark.parametrize(
    'text',
    [
        'Lege die Milch in den Kühlschrank',
        'Put the Milch in the Kühlschrank, aber nicht den Herd',
        'Put the Milch in the Kühlschrank. Herd nie.',
        'MILCH NICHT IN DEN KÜHLSCHRANK',
        'nie Milch Kühlschrank',
    ],
)
def test_names_in_another_language_make_no_english_of_it(text):
    goal = AloneReader().read(text, _GERMAN_NAMES)
    assert not goal.acts and goal.left_to_model


def test_an_english_sentence_with_names_in_another_language_is_read():
    goal = AloneReader().read('Put the Milch in the Kühlschrank.', _GERMAN_NAMES)
    assert goal.whole and goal.means == 'Milch in Kühlschrank' and goal.language == 'en'


def test_no_word_of_another_language_is_a_slip_of_what_forbids(names):
    goal = read_alone('Pon la cuerda en la nevera, por favor.', names)
    assert goal.never == ()


@pytest.mark.parametrize(
    ('record', 'why'),
    [
        (GoalRecord(whole=True, words=('go',)), ''),
        (GoalRecord(), 'it has no words'),
        (
            GoalRecord(words=('x',), language='en', unread=('the kraken', 'a quux')),
            'this was not read: "the kraken"; "a quux"',
        ),
        (
            GoalRecord(words=('x',), language='en', left_to_model=('never zap it',)),
            'this cannot be kept for certain: "never zap it"',
        ),
        (
            GoalRecord(
                words=('x',), language='en', unread=('left of it', 'zap'), left_to_model=('zap',)
            ),
            'this was not read: "left of it"; "zap"; no skill knows on which side of '
            'another thing, or how near, a thing is',
        ),
        (
            # What it forbids is kept, and shown: only the words that were not read are the reason.
            GoalRecord(
                words=('x',),
                language='en',
                unread=('spin it for 5 minutes',),
                left_to_model=('spin it for 5 minutes and never zap it',),
            ),
            'this was not read: "spin it for 5 minutes"',
        ),
        (
            GoalRecord(
                words=('x',), language='en', unread=('gladly',), left_to_model=('never zap it',)
            ),
            'this was not read: "gladly"; this cannot be kept for certain: "never zap it"',
        ),
        (
            # What it forbids is kept, and shown: only the words that were not read are the reason.
            GoalRecord(
                words=('x',),
                language='en',
                unread=('spin it for 5 minutes',),
                left_to_model=('spin it for 5 minutes and never zap it',),
            ),
            'this was not read: "spin it for 5 minutes"',
        ),
        (
            GoalRecord(
                words=('x',), language='en', unread=('gladly',), left_to_model=('never zap it',)
            ),
            'this was not read: "gladly"; this cannot be kept for certain: "never zap it"',
        ),
        (
            GoalRecord(words=('x',), language='de', read_by='model', unread=('Tabu',)),
            'this was not read: "Tabu"',
        ),
    ],
)
def test_why_a_reading_is_not_whole(record, why):
    assert why_not_whole(record) == why


@pytest.mark.parametrize(('code', 'name'), [('de', 'German'), ('', 'an unknown language')])
def test_a_language_that_the_grammar_does_not_know_is_told(code, name):
    record = GoalRecord(words=('x',), language=code, read_by='grammar', unread=('Tabu',))
    assert is_in_unread_language(record)
    why = why_not_whole(record)
    assert f'seems to be {name}, which' in why and 'nothing was read of "Tabu", and' in why


def test_how_near_a_thing_is_nobody_tells():
    told = [
        'how near' in why_not_whole(GoalRecord(words=('x',), language='en', unread=(phrase,)))
        for phrase in ('the NEAREST net', 'in front of the raft', 'the left raft', 'zap it')
    ]
    assert told == [True, True, False, False]
