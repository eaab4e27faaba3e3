"""What lines that quote a sentence account for: its words, names, numbers and its order."""

from __future__ import annotations

import pytest

from reactree_planner.facts.conditions import read_condition
from reactree_planner.language.domain import Domain
from reactree_planner.language.goal import TieKind
from reactree_planner.language.languages import language
from reactree_planner.language.meant_skills import MeantSkills
from reactree_planner.language.quoted_lines import goal_of, QuotedLine
from reactree_planner.language.quoting import QuotedText


@pytest.fixture
def read(names):
    def goal(text, *lines, code='de'):
        """Lines are (quote, what it says, step); 'not X' forbids to take X."""
        sentence = QuotedText(text, language(code))
        told = []
        for quote, says, step in lines:
            begin = text.index(quote)
            inside = sentence.at(begin, begin + len(quote))
            span = min(inside), max(inside) + 1
            if says.startswith('not '):
                thing = tuple(says.split()[1:])
                never = MeantSkills(('take',), thing)
                told.append(QuotedLine(*span, step, never=never))
            else:
                told.append(QuotedLine(*span, step, read_condition(says) if says else None))
        return goal_of(text, code, sentence, tuple(told), names, Domain(names))

    return goal


@pytest.mark.parametrize(
    ('text', 'lines', 'means', 'unread'),
    [
        ('Leg das Netz in die Truhe.', [('Leg das Netz in die Truhe', 'net in chest', 0)],
         'net in chest', ()),
        ('Leg das Netz in die Truhe, heute noch.',
         [('Leg das Netz in die Truhe', 'net in chest', 0)], 'net in chest', ('heute noch',)),
        # A name that is quoted, and of which the line says nothing.
        ('Leg das Netz und rope in die Truhe.',
         [('Leg das Netz und rope in die Truhe', 'net in chest', 0)], 'net in chest',
         ('und rope',)),
        ('Leg das Netz in die Truhe. Leg das Netz fort.',
         [('Leg das Netz in die Truhe', 'net in chest', 0), ('Leg das Netz fort', 'at raft', 0)],
         'net in chest; at raft', ('Netz',)),
        # Numbers.
        ('Leg zwei Netz in die Truhe.', [('Leg zwei Netz in die Truhe', '2 net in chest', 0)],
         '2 net in chest', ()),
        ('Leg zwei Netz in die Truhe.', [('Leg zwei Netz in die Truhe', 'net in chest', 0)],
         'net in chest', ('zwei',)),
        ('Leg 3 Netz in die Truhe.', [('Leg 3 Netz in die Truhe', '2 net in chest', 0)],
         '2 net in chest', ('3',)),
        ('Leg Netz 3 in die Truhe.', [('Leg Netz 3 in die Truhe', 'net 3 in chest', 0)],
         'net 3 in chest', ()),
        ('Leg alle Netz in die Truhe.', [('Leg alle Netz in die Truhe', 'all net in chest', 0)],
         'all net in chest', ()),
        ('Leg alle Netz in die Truhe.', [('Leg alle Netz in die Truhe', 'net in chest', 0)],
         'net in chest', ('alle',)),
        # Words that may stand for a name that is none there, and words that cannot.
        ('Leg das Ruder in die Truhe.', [('Leg das Ruder in die Truhe', 'oar in chest', 0)],
         'oar in chest', ()),
        ('Netz Truhe.', [('Netz Truhe', 'oar in chest', 0)], '', ('Netz Truhe',)),
        # Both sides of an "and" are no one line's.
        ('Hol Seil und geh zum Boot.', [('Hol Seil und geh zum Boot', 'at raft', 0)],
         'at raft', ('und',)),
        ('Hol Seil und geh zum Boot.',
         [('Hol Seil', 'holding rope', 0), ('geh zum Boot', 'at raft', 0)],
         'holding rope; at raft', ()),
        # One after the other.
        ('Geh zum Boot. Danach hol Seil.',
         [('Geh zum Boot', 'at raft', 0), ('Danach hol Seil', 'holding rope', 2)],
         'at raft; then holding rope', ()),
        ('Danach hol Seil. Geh zum Boot.',
         [('Danach hol Seil', 'holding rope', 2), ('Geh zum Boot', 'at raft', 0)],
         'at raft; then holding rope', ()),
        ('Bevor du Seil holst, geh zum Boot.',
         [('Bevor du Seil holst', 'holding rope', 1), ('geh zum Boot', 'at raft', 0)],
         'at raft; then holding rope', ()),
        ('Bevor du Seil holst, geh zum Boot.',
         [('Bevor du Seil holst', 'holding rope', 0), ('geh zum Boot', 'at raft', 0)],
         'holding rope; at raft', ('Bevor',)),
        ('Bevor du Seil holst, geh zum Boot.', [('Bevor du Seil holst', 'holding rope', 1)],
         'holding rope', ('Bevor', 'geh zum Boot')),
    ],
)  # fmt: skip
def test_what_is_quoted_is_read_as_far_as_the_line_tells_of_it(read, text, lines, means, unread):
    goal = read(text, *lines)
    assert goal.means == means
    assert goal.unread == unread
    assert goal.whole == goal.acts == (not unread)
    accounts = {word.text: word.account for word in goal.words}
    assert all(accounts.values()) == (not unread)


def test_what_forbids_and_is_not_read_is_left_to_the_model(read):
    goal = read('Hol Seil, nimm aber nie das Netz.', ('Hol Seil', 'holding rope', 0))
    assert goal.left_to_model == ('nimm aber nie das Netz',) and not goal.whole and not goal.acts
    line = ('nimm aber nie das Netz', 'not net', 0)
    goal = read('Hol Seil, nimm aber nie das Netz.', ('Hol Seil', 'holding rope', 0), line)
    assert not goal.left_to_model and goal.whole and goal.acts
    assert [one.wording for one in goal.never] == ['take net']
    assert {word.text: word.account for word in goal.words}['nie'] == 'must not: take net'
    # It holds of each of them, whatever it names.
    goal = read('Nimm nie alle Netz.', ('Nimm nie alle Netz', 'not net', 0))
    assert goal.never and not goal.unread and not goal.acts
    goal = read('Nimm nie zwei Netz.', ('Nimm nie zwei Netz', 'not net', 0))
    assert goal.never and goal.unread == ('zwei',)
    goal = read('Nimm das nie.', ('Nimm das nie', 'not oar', 0))
    assert [one.wording for one in goal.never] == ['take oar']


def test_a_thing_that_is_none_of_the_names_is_told(read):
    goal = read('Hol den Anker.', ('Hol den Anker', '', 0))
    (tie,) = goal.ties
    assert (tie.words, tie.name, tie.kind) == ('Hol den Anker', '', TieKind.UNKNOWN)
    assert not goal.milestones and goal.unread == ('Hol den Anker',)


def test_of_a_language_that_nobody_knows_all_is_left_to_the_model(read):
    goal = read('Netz Truhe ni ireru.', ('Netz Truhe ni ireru', 'net in chest', 0), code='')
    assert goal.means == 'net in chest' and not goal.unread
    assert goal.left_to_model == ('Netz Truhe ni ireru.',) and not goal.whole and not goal.acts
