"""Sentences that stop a robot, in every listed language, and those that do not."""

from __future__ import annotations

import pytest

from reactree_planner.reading.halting import Halt, halt_in, known_words, only_halts
from reactree_planner.reading.languages import LANGUAGES

STOPS = [(code, phrase) for code, language in LANGUAGES.items() for phrase in language.stopping]
PAUSES = [
    (code, phrase)
    for code, language in LANGUAGES.items()
    for phrase in (*language.pausing, *language.denying)
]
#: A word more, in each language, that has to be read.
CUPS = {'ja': 'コップ', 'zh': '杯子', 'th': 'แก้ว', 'ko': '컵을', 'ar': 'كوب', 'ru': 'чашку'}


def test_every_language_says_stop_and_wait_and_no():
    assert len(LANGUAGES) >= 20
    for language in LANGUAGES.values():
        assert language.stopping and language.pausing and language.denying, language.name


@pytest.mark.parametrize('written', ['{}', '{}!', ' {} ', '{}!!!', '{}... {}!', '"{}"'])
def test_every_phrase_that_stops_does_however_it_is_written(written):
    for code, phrase in STOPS:
        for said in {phrase, phrase.upper(), phrase.capitalize()}:
            assert halt_in(written.format(said, said)) is Halt.STOP, (code, said)


def test_every_phrase_that_pauses_or_denies_holds_the_robot():
    for code, phrase in PAUSES:
        assert halt_in(f'{phrase}!') in (Halt.PAUSE, Halt.STOP), (code, phrase)
        assert only_halts(phrase)


@pytest.mark.parametrize('courtesy', ['please', 'robot', 'hey robot,', 'ok'])
def test_courtesy_around_it_changes_nothing(courtesy):
    for code, phrase in STOPS:
        if LANGUAGES[code].spaced:
            assert halt_in(f'{courtesy} {phrase}') is Halt.STOP, (code, phrase)
            assert halt_in(f'{phrase} {courtesy}') is Halt.STOP, (code, phrase)


@pytest.mark.parametrize(
    'said',
    [
        'stop', 'Stop!', 'STOP', 'stooop', 'stop now', 'please stop', 'stop the robot',
        'stop moving', 'could you please stop right now?', 'no, stop', 'hey robot, halt',
        'I said stop', 'wait, stop!', 'sofort anhalten', 'bitte halt an', 'Arrete-toi !',
        "s'il te plaît arrête", 'arrête tout de suite', '¡Para ya!', 'ferma subito',
        'por favor pare', 'sta stil', 'zatrzymaj się natychmiast', 'stanna nu', 'hemen dur',
        'немедленно остановись', '止まってください', '今すぐ止まれ', '请马上停下来',
        '지금 당장 멈춰',
        'توقف الآن', 'अभी रुको', 'σταμάτα αμέσως', 'עצור עכשיו', 'หยุดเดี๋ยวนี้',
        'همین حالا بایست',
    ],
)  # fmt: skip
def test_a_stop_in_a_sentence_that_says_nothing_else_stops(said):
    assert halt_in(said) is Halt.STOP and only_halts(said)


@pytest.mark.parametrize(
    'said', ['wait, the other one', 'Stop! That is my cup.', 'hold on - not the juice']
)
def test_what_goes_on_behind_a_halt_cancels_the_skill_and_is_read(said):
    assert halt_in(said) is Halt.PAUSE and not only_halts(said)


@pytest.mark.parametrize(
    'said',
    [
        '', '  ', '?!', 'ok', 'thank you', 'go on', 'stop at the table', 'stop the mixer',
        'stop when you reach the door', 'stop after the third plate', "don't stop", 'do not stop',
        'never stop', 'keep going', 'no, the other one', 'wait for the kettle',
        'stay in the kitchen', 'freeze the soup', 'do not move the cup', 'hold the cup',
        'nicht anhalten', 'no te detengas', "n'arrête pas", 'не останавливайся',
        'leave the apple', 'and a plate too', 'x' * 600, 'stop ' * 200,
    ],
)  # fmt: skip
def test_whatever_says_more_or_the_opposite_does_not_halt(said):
    assert halt_in(said) is None and not only_halts(said)


@pytest.mark.parametrize(
    'said',
    [
        "for god's sake stop", 'i beg you stop', 'you stupid thing stop now', 'stop and look',
        'no no for heavens sake stop', 'do not hit the child stop', 'the bus stop',
        'um himmels willen halt an', 'por el amor de dios para', 'pour l amour du ciel arrête',
        '求求你停下来', 'ちょっと君止まって', 'ради бога остановись', 'dur allah aşkına dur',
    ],
)  # fmt: skip
def test_in_doubt_a_stop_with_whatever_beside_it_holds_the_robot(said):
    assert halt_in(said) is Halt.PAUSE and not only_halts(said)


def test_what_stands_behind_a_stop_is_a_task_only_where_the_robot_knows_it():
    known = known_words(['mixer', 'turn on <device>', 'Table 1'])
    assert halt_in('stop the mixer', known) is None and halt_in('stop at TABLE 1', known) is None
    assert halt_in('stop at 3', known) is None
    assert halt_in('stop for the love of god', known) is Halt.PAUSE
    assert halt_in('stop you fool', known) is Halt.PAUSE
    assert halt_in('never stop', known) is None


@pytest.mark.parametrize(
    ('said', 'halt'),
    [
        ('STOP STOP STOP you are going to hit the child', Halt.PAUSE),
        ('STOP you are going to hit the child', Halt.PAUSE),
        ('stop going to dock 2', Halt.PAUSE),
        ('please stop going to dock 2 now', Halt.PAUSE),
        ('stop driving to dock 2', Halt.PAUSE),
        ('stop right there or you hit dock 2', Halt.PAUSE),
        ('stop at dock 2', None),
        ('please stop at dock 2', None),
        ('could you stop the big mixer now', None),
        ('do not stop at dock 2', None),
    ],
)
def test_only_what_stands_right_behind_a_stop_is_its_object(said, halt):
    assert halt_in(said, known_words(['go to dock 2', 'mix in mixer'])) is halt


def test_a_word_more_makes_a_sentence_of_every_stop():
    for code, phrase in STOPS:
        gap = ' ' if LANGUAGES[code].spaced else ''
        assert halt_in(f'{phrase}{gap}{CUPS.get(code, "frobnicator")}') is not Halt.STOP
