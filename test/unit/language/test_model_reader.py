"""A model reads a task line by line; what its lines do not account for is unread."""

from __future__ import annotations

import random

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ModelError
from reactree_core.observation import Vocabulary
from reactree_core.permission.matching import Moment
from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import Condition
from reactree_planner.language.domain import Domain
from reactree_planner.language.goal import ReadBy
from reactree_planner.language.model_reader import ModelReader, MOST_LINES, OwnSessions
from reactree_planner.language.names import Names
from reactree_planner.language.quoted_lines import milestones_of
from reactree_planner.llm.policy import PolicyModel


class Answering:
    """A model that says lines: of each select the option that goes on with them."""

    def __init__(self, *lines):
        self.left = ''.join(f'{line}\n' for line in lines)
        self.prompts = []
        self.offered = []

    def __call__(self, text, options):
        self.prompts.append(text)
        self.offered.append(tuple(options))
        fitting = [option for option in options if self.left.startswith(option)]
        assert fitting, f'none of {options[:12]} begins {self.left!r}'
        chosen = max(fitting, key=len)
        self.left = self.left[len(chosen) :]
        return options.index(chosen)


def read(names, text, *lines):
    policy = Answering(*lines)
    return ModelReader(OwnSessions(PolicyModel(policy))).read(text, names), policy


def texts(goal):
    return [[one.text for one in milestone] for milestone in goal.milestones]


def test_every_line_quotes_the_words_that_it_comes_from(names):
    goal, _ = read(
        names,
        'Please put two nets into the trunk and coil the rope.',
        '"put two nets into the trunk" -> 2 net in chest',
        '"coil the rope" -> rope is coiled',
    )
    assert texts(goal) == [['2 net in chest', 'rope is coiled']]
    assert goal.whole and goal.acts and goal.by is ReadBy.MODEL and goal.language == 'en'
    accounts = {word.text: word.account for word in goal.words}
    assert accounts['nets'] == '2 net in chest'
    assert accounts['coil'] == 'rope is coiled'
    assert accounts['Please'] == accounts['and'] == 'small word'


def test_the_sentence_stands_in_the_prompt_word_for_word(names):
    sentence = 'Put  the ROPE in the trunk,\n  "quickly"'
    _, policy = read(names, sentence, '"Put the ROPE in the trunk" -> rope in chest', 'end')
    assert all(f'Sentence: {sentence}\n' in prompt for prompt in policy.prompts)


def test_only_words_of_the_sentence_and_declared_names_are_offered(names):
    _, policy = read(names, 'Put rope in chest', '"Put rope in chest" -> rope in chest')
    quotes, subjects, places = policy.offered
    assert set(quotes) == {
        'end\n',
        *(f'"{one}" ->' for one in (
            'Put', 'Put rope', 'Put rope in', 'Put rope in chest', 'rope', 'rope in',
            'rope in chest', 'in chest', 'chest',
        )),
    }  # fmt: skip
    assert ' rope in' in subjects and ' chest is' in subjects
    assert ' rope is' in subjects and ' chest in' not in subjects
    # Nothing is put into what can be carried.
    assert set(places) == {' chest\n', ' jetty\n', ' raft\n', ' boathouse\n'}


def test_words_that_no_line_quotes_are_unread(names):
    goal, _ = read(
        names,
        'Put the rope in the chest by noon.',
        '"Put the rope in the chest" -> rope in chest',
        'end',
    )
    assert goal.unread == ('noon',)
    assert not goal.whole and not goal.acts
    assert texts(goal) == [['rope in chest']]


def test_an_unknown_thing_is_told_and_unread(names):
    goal, _ = read(names, 'Bring a kayak', '"Bring a kayak" -> unknown')
    assert goal.unread == ('Bring a kayak',) or goal.unread == ('Bring', 'kayak')
    assert [tie.text for tie in goal.ties] == ['"Bring a kayak" is unknown here']
    assert not goal.milestones


def test_what_is_forbidden_becomes_a_rule_of_permission(names):
    goal, _ = read(
        names,
        'Put the rope in the raft. Never open the trunk, and do not touch a net at the jetty.',
        '"Put the rope in the raft" -> rope in raft',
        '"Never open the trunk" -> must not (open) chest',
        '"and do not touch a net at the jetty" -> must not (touch) net at jetty',
    )
    assert [one.wording for one in goal.never] == ['open chest', 'touch net at jetty']
    assert goal.whole
    assert goal.never[0].matches(Moment('open chest 1'))
    assert not goal.never[0].matches(Moment('close chest 1'))


def test_anything_may_be_forbidden(names):
    goal, _ = read(
        names, "Don't open anything", '"Don\'t open anything" -> must not (open) anything'
    )
    assert [one.wording for one in goal.never] == ['open anything']
    assert goal.whole and not goal.acts


@pytest.mark.parametrize(
    'sentence',
    [
        'Do not open the chest',
        "Don't open the chest",
        'I forbid you to open the chest',
        'open the chest unless it rains',
        'Öffne niemals die Truhe',
        'No abras nunca el cofre',
        "N'ouvre jamais la malle",
        'Non aprire il baule',
        'Não abra o baú',
        'Doe de kist nooit open',
        'Никогда не открывай сундук',
        '絶対に箱を開けないで',
        '千万不要打开箱子',
        '절대로 상자를 열지 마',
        'لا تفتح الصندوق أبدا',
        'संदूक कभी मत खोलो',
    ],
)
def test_no_clause_with_a_forbidding_word_yields_a_wish(names, sentence):
    rng = random.Random(5)

    def at_random(text, options):
        assert not any(option.endswith((' in', ' is')) for option in options)
        return rng.randrange(len(options))

    for _ in range(30):
        goal = ModelReader(OwnSessions(PolicyModel(at_random))).read(sentence, names)
        assert goal.milestones == ()


def test_a_quote_cannot_leave_out_the_word_that_forbids(names):
    _, policy = read(names, 'Do not open the chest', 'end')
    assert all('not' in quote for quote in policy.offered[0][1:])


def test_where_nothing_forbids_no_prohibition_is_offered(names):
    _, policy = read(names, 'Open the chest', '"Open the chest" -> chest is open')
    assert ' must not' not in policy.offered[1]


@pytest.mark.parametrize(
    'sentence',
    [
        'Fas die Truhe nich an',
        'Oeffne die Truhe nei, niemals',
        'NO ABRAS JAMAS EL COFRE',
        'Nao abra o bau, nao',
        'Es ist verboten, die Truhe zu öffnen',
        'Die Truhe öffnen, niemals!',
        'Ni se te ocurra abrir el cofre',
        'Öffne die Netze und die Truhe nicht',
        'Nicht öffnen und anfassen',
        '箱を開けちゃだめ',
        '严禁打开箱子',
    ],
)
def test_what_forbids_is_no_wish_with_slips_and_wherever_it_stands(names, sentence):
    rng = random.Random(7)

    def at_random(text, options):
        assert not any(option.endswith((' in', ' is')) for option in options)
        return rng.randrange(len(options))

    for _ in range(20):
        goal = ModelReader(OwnSessions(PolicyModel(at_random))).read(sentence, names)
        assert goal.milestones == ()


@pytest.mark.parametrize(
    ('sentence', 'wish', 'forbids'),
    [
        ('Leg das Seil ins Boot, aber lass die Truhe zu.', 'Leg das Seil ins Boot',
         'aber lass die Truhe zu'),
        ('Leg das Seil ins Boot und öffne niemals die Truhe.', 'Leg das Seil ins Boot',
         'und öffne niemals die Truhe'),
        ('Leg das Seil ins Boot ohne die Truhe zu öffnen.', 'Leg das Seil ins Boot',
         'ohne die Truhe zu öffnen'),
        ('Pon la cuerda en la balsa y no abras el cofre.', 'Pon la cuerda en la balsa',
         'y no abras el cofre'),
        ('Положи верёвку на плот и не открывай сундук.', 'Положи верёвку на плот',
         'и не открывай сундук'),
        ('箱を開けずに、ロープをいかだに置いて。', 'ロープをいかだに置いて', '箱を開けずに'),
    ],
)  # fmt: skip
def test_a_wish_and_what_forbids_in_one_sentence_are_both_read(names, sentence, wish, forbids):
    told = {wish: 'rope in raft', forbids: 'must not (open) chest'}
    lines = [f'"{words}" -> {told[words]}' for words in sorted(told, key=sentence.find)]
    goal, _ = read(names, sentence, *lines)
    assert texts(goal) == [['rope in raft']] and goal.whole and goal.acts
    assert [one.wording for one in goal.never] == ['open chest']


def test_no_line_says_both_a_wish_and_what_is_forbidden(names):
    sentence = 'Leg das Seil ins Boot, aber öffne die Truhe nicht.'
    _, policy = read(names, sentence, 'end')
    spanning = [one for one in policy.offered[0] if 'Seil' in one and 'Truhe' in one]
    assert spanning == []


@pytest.mark.parametrize(
    ('sentence', 'first', 'last'),
    [
        ('Open the chest before you coil the rope.', 'Open the chest', 'before you coil the rope'),
        ('Bevor du das Seil aufrollst, öffne die Truhe.', 'öffne die Truhe',
         'Bevor du das Seil aufrollst'),
        ('Abre el cofre antes de enrollar la cuerda.', 'Abre el cofre',
         'antes de enrollar la cuerda'),
        ('ロープを巻く前に、箱を開けて。', '箱を開けて', 'ロープを巻く前に'),
        ('卷绳子之前，打开箱子。', '打开箱子', '卷绳子之前'),
    ],
)  # fmt: skip
def test_before_parts_milestones_wherever_it_stands(names, sentence, first, last):
    told = {first: 'chest is open', last: 'rope is coiled'}
    lines = [f'"{words}" -> {told[words]}' for words in sorted(told, key=sentence.find)]
    goal, _ = read(names, sentence, *lines)
    assert goal.whole
    assert texts(goal) == [['chest is open'], ['chest is open', 'rope is coiled']]


@pytest.mark.parametrize(
    ('sentence', 'line', 'unread'),
    [
        ('Leg das Seil und das Ruder ins Boot', 'rope in raft', 'und'),
        ('Öffne die Kiste und das Boot nicht', 'must not (open) chest', 'und'),
        ('把绳子和船桨放到木筏上', 'rope in raft', '和'),
        ('Положи верёвку и весло на плот', 'rope in raft', 'и'),
    ],
)
def test_one_line_does_not_say_all_of_two_things(names, sentence, line, unread):
    goal, _ = read(names, sentence, f'"{sentence}" -> {line}')
    assert goal.unread == (unread,) and not goal.acts


@pytest.mark.parametrize(
    ('first', 'second'),
    [
        ('Öffne weder die Truhe', 'noch das Boot'),
        ('No abras el cofre', 'ni la balsa'),
        ("N'ouvre ni le coffre", 'ni le radeau'),
    ],
)
def test_each_thing_that_is_forbidden_has_a_line(names, first, second):
    goal, policy = read(
        names, f'{first} {second}',
        f'"{first}" -> must not (open) chest', f'"{second}" -> must not (open) raft',
    )  # fmt: skip
    assert goal.whole and [one.wording for one in goal.never] == ['open chest', 'open raft']
    assert f'"{first} {second}" ->' not in policy.offered[0]


@pytest.mark.parametrize('sentence', ['Öffne die Truhe, bevor es regnet', '在打开之前，箱子'])
def test_before_what_is_not_read_stays_unread(names, sentence):
    quote = sentence.replace('，', ',').split(',')[0]
    goal, _ = read(names, sentence, f'"{quote}" -> chest is open', 'end')
    assert goal.unread and not goal.acts


def test_before_in_a_sentence_that_forbids_is_a_condition(names):
    sentence = 'Öffne die Truhe nicht, bevor das Seil aufgerollt ist'
    goal, policy = read(
        names, sentence,
        '"Öffne die Truhe nicht" -> must not (open) chest',
        '"bevor das Seil aufgerollt ist" -> unknown',
    )  # fmt: skip
    assert policy.offered[-1] == (' unknown\n',)
    assert not goal.acts


def test_what_forbids_and_was_not_read_is_left_to_the_model(names):
    sentence = 'Leg das Seil ins Boot, aber öffne die Truhe nicht.'
    goal, _ = read(names, sentence, '"Leg das Seil ins Boot" -> rope in raft', 'end')
    assert goal.left_to_model == ('aber öffne die Truhe nicht',)
    assert not goal.acts


@pytest.mark.parametrize('sentence', ['Βάλε το σχοινί στο κιβώτιο', 'Hako ni rope wo irete'])
def test_where_nobody_knows_what_forbids_no_reading_is_whole(names, sentence):
    goal, _ = read(names, sentence, f'"{sentence}" -> rope in chest')
    assert texts(goal) == [['rope in chest']]
    assert goal.left_to_model == (sentence,) and not goal.whole and not goal.acts


def test_a_number_that_is_part_of_a_word_is_no_count(names):
    goal, _ = read(names, '把三文鱼网放进箱子。', '"把三文鱼网放进箱子" -> net in chest')
    assert goal.whole
    goal, _ = read(names, '把三个网放进箱子。', '"把三个网放进箱子" -> net in chest')
    assert goal.unread == ('三',)


def test_of_a_long_sentence_whole_clauses_can_be_quoted(names):
    clause = 'とても古くて重いロープをゆっくりと丁寧にあの大きな木のいかだの上に置いて'
    sentence = f'お願いですが、{clause}、終わったら教えて'
    _, policy = read(names, sentence, 'end')
    assert f'"{clause}" ->' in policy.offered[0]
    assert len(policy.offered[0]) <= 242


@pytest.mark.parametrize(
    'sentence',
    ['after that open the chest', 'Wenn es regnet öffne die Truhe', 'si llueve abre el cofre'],
)
def test_a_condition_is_neither_a_wish_nor_a_prohibition(names, sentence):
    goal, policy = read(names, sentence, f'"{sentence}" -> unknown')
    assert policy.offered[1:] == [(' unknown\n',)]
    assert not goal.whole and not goal.never and not goal.milestones


def test_a_name_that_is_quoted_and_left_out_is_unread(names):
    goal, _ = read(
        names, 'Put the rope and the oar in the chest',
        '"Put the rope and the oar in the chest" -> rope in chest',
    )  # fmt: skip
    assert goal.unread == ('oar',)


def test_a_name_that_nothing_in_the_quote_can_mean_is_not_believed(names):
    goal, _ = read(
        names,
        'Bring the rope to the raft',
        '"Bring the rope" -> rope in jetty',
        '"to the raft" -> at: raft',
    )
    assert texts(goal) == [['at raft']]
    assert goal.unread == ('Bring the rope',)


def test_another_word_for_a_name_is_believed(names):
    goal, _ = read(
        names, 'Bring the cord to the dinghy', '"Bring the cord to the dinghy" -> rope in raft'
    )
    assert goal.whole


@pytest.mark.parametrize(
    ('sentence', 'line', 'unread'),
    [
        ('Put two nets in the chest', 'net in chest', ('two',)),
        ('Put 3 nets in the chest', '2 net in chest', ('3',)),
        ('Put every net in the chest', 'net in chest', ('every',)),
        ('Put every net in the chest', 'all net in chest', ()),
        ('Leg zwei Netze in die Truhe', 'net in chest', ('zwei',)),
        ('Leg zwei Netze in die Truhe', '2 net in chest', ()),
    ],
)
def test_a_number_that_is_quoted_and_not_kept_is_unread(names, sentence, line, unread):
    goal, _ = read(names, sentence, f'"{sentence}" -> {line}')
    assert goal.unread == unread


def test_then_begins_a_milestone_whether_or_not_the_model_says_so(names):
    goal, _ = read(
        names, 'Open the chest, then put the rope in the raft.',
        '"Open the chest" -> chest is open',
        '"then put the rope in the raft" -> rope in raft',
    )  # fmt: skip
    assert texts(goal) == [['chest is open'], ['chest is open', 'rope in raft']]


def test_in_a_language_without_a_list_the_model_parts_and_every_word_counts(names):
    goal, policy = read(
        names, 'Βάλε το σχοινί στο κιβώτιο',
        '"Βάλε το σχοινί" -> rope in chest',
        'then',
        '"στο" -> at: chest',
        'end',
    )  # fmt: skip
    assert goal.language == 'el'
    assert goal.unread == ('κιβώτιο',)
    assert texts(goal) == [['rope in chest'], ['rope in chest', 'at chest']]
    assert ' must not' in policy.offered[1]


def test_letters_are_words_where_no_spaces_part_them(names):
    goal, _ = read(
        names, '把绳子放进箱子。', '"把绳子放进箱子" -> rope in chest',
    )  # fmt: skip
    assert goal.whole and goal.language == 'zh'
    assert texts(goal) == [['rope in chest']]


@pytest.mark.parametrize('text', ['', '   ', '😀😀', '!!!'])
def test_a_text_without_words_is_not_shown_to_the_model(names, text):
    goal, policy = read(names, text)
    assert policy.prompts == []
    assert not goal.whole and goal.text == text


def test_a_reading_of_a_long_text_is_bounded(names):
    rng = random.Random(1)
    asked = []

    def at_random(text, options):
        asked.append(len(options))
        return rng.randrange(1, len(options)) if len(options) > 1 else 0

    text = 'Put the rope in the chest and the net on the raft. ' * 80
    goal = ModelReader(OwnSessions(PolicyModel(at_random))).read(text, names)
    assert len(asked) <= MOST_LINES * 5
    assert max(asked) <= 300
    assert not goal.whole and goal.unread


def test_what_stands_behind_the_longest_text_is_unread(names):
    goal, _ = read(names, 'the ' * 1100 + 'open chest', *[])
    assert 'all behind the first 4,000 characters' in goal.unread


def test_of_five_thousand_names_the_nearest_are_shown_and_those_that_are_named(vocabulary):
    many = tuple(f'gadget {chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{i}x' for i in range(5000))
    names = Names(Vocabulary(
        object_classes=(*many[:2500], 'rope', *many[2500:]),
        place_classes=vocabulary.place_classes,
        skill_types=vocabulary.skill_types,
    ))  # fmt: skip
    goal, policy = read(
        names, 'Put the rope in the chest', '"Put the rope in the chest" -> rope in chest'
    )
    assert goal.whole
    assert policy.prompts[0].count('gadget') < 200


def test_a_canceled_reading_ends(names):
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(CanceledError):
        ModelReader(OwnSessions(PolicyModel(lambda text, options: 0), cancel)).read(
            'Open the chest', names
        )


def test_what_the_model_fails_with_is_raised(names):
    def fails(text, options):
        raise ModelError('The server is gone.')

    with pytest.raises(ModelError, match='gone'):
        ModelReader(OwnSessions(PolicyModel(fails))).read('Open the chest', names)


@pytest.mark.parametrize('seed', range(40))
def test_whatever_a_model_says_the_goal_holds_together(names, seed):
    rng = random.Random(seed)
    reader = ModelReader(
        OwnSessions(PolicyModel(lambda text, options: rng.randrange(len(options))))
    )
    goal = reader.read(
        'Put two nets in the chest, then close it. Never take the oar to the raft!', names
    )
    told = {name for milestone in goal.milestones for one in milestone for name in one.names}
    assert told <= {'rope', 'net', 'oar', 'chest', 'jetty', 'raft', 'boathouse'}
    assert goal.whole == all(word.account for word in goal.words)


def test_a_later_condition_ends_one_that_it_contradicts(names):
    domain = Domain(names)

    def inside(thing, place):
        return Condition(Relation.IN, thing, place)

    held = Condition(Relation.HOLDING, 'rope')
    opened, closed = (Condition(Relation.IS, 'chest', state) for state in ('open', 'closed'))
    for steps, wanted in (
        ([[held, inside('rope', 'raft')]], [[inside('rope', 'raft')]]),
        ([[inside('rope', 'raft')], [held]], [[inside('rope', 'raft')], [held]]),
        ([[opened, closed]], [[opened], [closed]]),
        (
            [[opened], [inside('rope', 'chest'), closed]],
            [[opened], [inside('rope', 'chest'), closed]],
        ),
    ):
        assert [list(one) for one in milestones_of(steps, domain)] == wanted
