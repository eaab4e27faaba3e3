"""What a model takes a sentence for that was not read whole: things described, and wishes."""

from __future__ import annotations

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.language.goal import confirmed, ReadBy, TieKind
from reactree_planner.language.interpreting import Interpreter, may_interpret
from reactree_planner.language.model_reader import OwnSessions
from reactree_planner.language.names import Names
from reactree_planner.language.reader import GrammarTaskReader
from reactree_planner.language.reading import read_with_descriptions, read_with_grammar
from reactree_planner.llm.policy import PolicyModel

_SKILLS = (
    SkillType('go to <place>', kind=SkillKind.MOVE),
    SkillType('take <thing>', ('thing',), SkillKind.TAKE),
    SkillType('put <thing> in <place>', ('thing', 'place'), SkillKind.PUT),
    SkillType('open <place>', ('place',), SkillKind.OPEN, 'close <place>'),
    SkillType('close <place>', ('place',), SkillKind.CLOSE, 'open <place>'),
    SkillType('switch on <place>', ('place',), SkillKind.SWITCH_ON),
)


def names_templates():
    return tuple(one.template for one in _SKILLS)


@pytest.fixture(scope='module')
def names():
    return Names(
        Vocabulary(
            tuple(one.template for one in _SKILLS),
            ('ladle', 'fork', 'juice', 'cup'),
            ('table', 'sink', 'fridge', 'lamp'),
            (),
            _SKILLS,
        )
    )


def _model(meant, lines=(), asked=None):
    """Takes descriptions for names, and writes the lines. :param asked: gets every prompt."""
    left = [*(f' {line}\n' for line in lines), 'end\n']

    def choose(text, options):
        if options is None:
            return ' do it.'
        if asked is not None:
            asked.append(text)
        if text.endswith('It means:'):
            words = text.rsplit('"', 2)[1]
            return options.index(f' {meant.get(words, "none of them")}\n')
        done = text.rsplit('It should', 1)[1].partition('\n')[2]
        rest = ''.join(left).removeprefix(done)
        return max((one for one in options if rest.startswith(one)), key=len)

    return PolicyModel(lambda text, options: _index(choose(text, options), options))


def _index(chosen, options):
    return options.index(chosen) if isinstance(chosen, str) and options is not None else chosen


def _taken(names, text, meant=(), lines=(), asked=None):
    goal = read_with_grammar(text, names)
    assert may_interpret(goal)
    return Interpreter(OwnSessions(_model(dict(meant), lines, asked))).interpret(goal, names)


@pytest.mark.parametrize(
    ('text', 'meant', 'means'),
    [
        (
            'Put something for serving soup on the table.',
            {'something for serving soup': 'ladle'},
            'ladle in table',
        ),
        (
            'Take the thing that people eat noodles with and put it in the sink.',
            {'thing that people eat noodles with': 'fork'},
            'fork in sink',
        ),
        (
            'Put a juice into the appliance that keeps food cold.',
            {'appliance that keeps food cold': 'fridge'},
            'juice in fridge',
        ),
        (
            'Put a vessel for drinking with a fork in it on the table.',
            {'vessel for drinking': 'cup'},
            'fork in cup; cup in table',
        ),
    ],
)
def test_what_a_thing_is_that_is_only_described(names, text, meant, means):
    taken = _taken(names, text, meant)
    assert taken.means == means and taken.acts and not taken.whole
    assert taken.by is ReadBy.INTERPRETED and set(meant) == set(taken.unread)
    assert {one.kind for one in taken.ties} == {TieKind.MODEL}


def test_a_wish_without_any_name(names):
    taken = _taken(names, 'I am thirsty.', lines=('juice in table',))
    assert taken.means == 'juice in table'
    assert taken.unread == ('I am thirsty.',) and not taken.whole


def test_what_was_read_stands_before_what_is_written(names):
    asked = []
    text = 'Put the cup on the table where grandmother likes it.'
    taken = _taken(names, text, lines=('cup in table', 'lamp is on'), asked=asked)
    assert taken.means == 'cup in table; lamp is on'
    assert asked[-1].rsplit('It should', 1)[1].count('cup in table') == 1


def test_what_is_forbidden_stays_forbidden(names):
    text = 'Put something for serving soup on the table. Never open the fridge.'
    taken = _taken(names, text, {'something for serving soup': 'ladle'})
    assert [one.verbs for one in taken.never] == [('open',)] and taken.means == 'ladle in table'


def test_a_person_makes_a_reading_of_it(names):
    taken = confirmed(_taken(names, 'I am thirsty.', lines=('juice in table',)))
    assert taken.whole and taken.by is ReadBy.PERSON and all(one.account for one in taken.words)


@pytest.mark.parametrize(
    'text',
    [
        'Put the cup on the table.',
        'Open the fridge, please.',
        'If the fridge is open, put the cup in it.',
        'Bring den Saft auf den Tisch, ich bin durstig.',
        'Lleva el zumo a la mesa, que tengo sed.',
        'Porta il succo di frutta sulla tavola, ho sete.',
        'Принеси сок на стол, я хочу пить.',
        'ジュースをテーブルに持ってきてください',
        # A work in many steps, which no conditions would hold.
        'Bring me something ' + 'very ' * 40 + 'sweet.',
    ],
)
def test_what_is_read_or_in_another_language_or_long_is_not_interpreted(names, text):
    assert not may_interpret(GrammarTaskReader().read(text, names))


@pytest.mark.parametrize(
    'text', ['I am thirsty.', 'Bring me something sweet.', 'It is so dark in here!']
)
def test_what_is_not_read_in_english_is(names, text):
    assert may_interpret(GrammarTaskReader().read(text, names))


@pytest.mark.parametrize(
    'text',
    [
        'Bring den Saft, aber nicht den Tee',
        'Konro ni sawaranaide',
        'Put the cup on the table, niemals den Herd anfassen.',
        'Put something sweet on the table ohne Alkohol',
        'Rinse something for serving soup 不要打开水槽',
    ],
)
def test_what_may_forbid_in_another_language_becomes_no_wish(names, text):
    assert not may_interpret(GrammarTaskReader().read(text, names))


def test_descriptions_are_read_only_where_somebody_says_what_they_are(names):
    goal = read_with_grammar('Never put something for serving soup on the table.', names)
    assert not goal.milestones and not goal.acts


@pytest.mark.parametrize(
    'text',
    [
        'Under no circumstances switch on the appliance that keeps food cold.',
        'Never touch something for serving soup.',
        'Do not put anything sharp in the sink.',
        'Put something sweet on the table but nothing with alcohol.',
    ],
)
def test_what_forbids_and_was_read_in_part_becomes_no_wish(names, text):
    assert not may_interpret(read_with_grammar(text, names))


def test_what_asks_for_nothing_is_taken_for_nothing(names):
    goal = read_with_grammar('Grandmother liked that ladle.', names)
    assert may_interpret(goal)
    assert Interpreter(OwnSessions(_model({}))).interpret(goal, names) is goal


def test_what_is_said_of_a_described_thing_is_no_part_of_its_description(names):
    text = 'Opening the appliance that keeps food cold would be a disaster.'
    described = read_with_descriptions(text, names, lambda words: 'fridge')
    assert not described.acts


def test_a_word_by_which_several_names_end_is_one_of_those(names):
    asked = []
    told = Vocabulary(
        names_templates(), ('ladle', 'cup'), ('kitchen table', 'coffee table', 'sink'), (), _SKILLS
    )
    model = _model({'black table': 'coffee table', 'table': 'kitchen table'}, asked=asked)
    interpreter = Interpreter(OwnSessions(model))
    for text, place in (
        ('Put the cup on the black table.', 'coffee table'),
        ('Put the cup on the table.', 'kitchen table'),
    ):
        some = Names(told)
        taken = interpreter.interpret(read_with_grammar(text, some), some)
        assert [one.text for one in taken.conditions] == [f'cup in {place}']
        assert not taken.whole
    options = {
        one.rsplit('is one of: ', 1)[1].split('\n')[0] for one in asked if 'It means:' in one
    }
    assert options == {'coffee table, kitchen table, none of them'}
