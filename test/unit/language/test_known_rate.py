"""Asking at a known rate of error: sets of options that keep the right one, and who uses them."""

from __future__ import annotations

import random
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_core.ports import Selection
from reactree_core.record.run_settings import Ask, read_ask
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.language import known_rate
from reactree_planner.language.chances import ByCloseness, ByModel, is_called
from reactree_planner.language.conformal import Calibration, normalized, possible, scores_of
from reactree_planner.language.goal import TieKind
from reactree_planner.language.known_rate import (
    calibrated,
    calibration_file,
    CALLED,
    coverage_of,
    group_of,
    keep,
    KnownRate,
    NEAR,
    Pair,
    read_calibration,
    read_pairs,
    shipped_pairs,
)
from reactree_planner.language.name_choice import NameChoice
from reactree_planner.language.names import Names
from reactree_planner.language.reader import GrammarTaskReader
from reactree_planner.language.reading import read_with_grammar
from reactree_planner.runs.presets import settings_of_preset

KITCHEN = ('metal bowl', 'clay bowl', 'fork', 'truck')
CHANCES = st.lists(st.floats(0.01, 1.0), min_size=1, max_size=8).map(
    lambda found: [one / sum(found) for one in found]
)


class Told:
    """Chances by words."""

    by = 'told'

    def __init__(self, **chances):
        self._chances = chances

    def of(self, sentence, words, options):
        return self._chances[words]


class Letters:
    """An encoder: words of one sense are alike, others are not."""

    name = 'senses'
    _SENSES = (('lorry', 'truck'), ('waggon', 'truck'))

    def embed(self, texts):
        rows = np.eye(64, dtype=np.float32)[[sum(map(ord, text)) % 60 for text in texts]]
        for at, text in enumerate(texts):
            if any(text in pair for pair in self._SENSES):
                rows[at] = np.eye(64, dtype=np.float32)[63]
        return rows


@given(CHANCES, st.floats(0.0, 1.0))
def test_the_likeliest_always_stays_and_sets_grow_with_the_threshold(chances, threshold):
    left = possible(chances, threshold)
    assert left[0] == chances.index(max(chances))
    assert set(left) <= set(possible(chances, min(1.0, threshold + 0.1)))
    assert set(possible(chances, 1.0)) == set(range(len(chances)))


def test_what_is_certain_stays_alone_and_of_many_alike_most_stay():
    assert possible((0.01, 0.98, 0.01), 0.7) == (1,)
    assert len(possible((0.1,) * 10, 0.7)) == 8
    assert scores_of((0.2, 0.5, 0.3)) == [0.8, 0.0, 0.5]


def test_the_threshold_is_the_smallest_score_that_enough_pairs_stay_below():
    scores = Calibration('x', {CALLED: [k / 20 for k in range(19)]})
    # ceil(20 * 0.9) = 18: the 18th of 19.
    assert scores.threshold(CALLED, 0.1) == 17 / 20
    assert scores.threshold(CALLED, 0.5) == 9 / 20
    assert scores.threshold(NEAR, 0.1) is None
    assert Calibration('x', {CALLED: [0.5] * 8}).threshold(CALLED, 0.1) is None
    assert Calibration('x', {CALLED: [0.5] * 9}).threshold(CALLED, 0.1) == 0.5


@pytest.mark.parametrize('rate', [0.05, 0.1, 0.3])
def test_the_right_option_stays_as_often_as_is_asked_for_whatever_the_chances_are(rate):
    drawn = random.Random(3)

    def draw():
        # The one that is right has more chance, but less than it should.
        weights = [drawn.expovariate(1.0) for _ in range(6)]
        right = drawn.randrange(6)
        weights[right] += drawn.random()
        return tuple(one / sum(weights) for one in weights), right

    covered = []
    for _ in range(60):
        learned = sorted(
            scores_of(chances)[right] for chances, right in (draw() for _ in range(99))
        )
        threshold = Calibration('x', {'': learned}).threshold('', rate)
        covered += [
            right in possible(chances, threshold) for chances, right in (draw() for _ in range(50))
        ]
    assert 1 - rate - 0.015 < fmean(covered) < 1 - rate + 0.025


def test_a_name_is_called_by_its_last_words():
    assert is_called('bowl', 'metal bowl') and is_called('bowls', 'metal bowl')
    assert is_called('shelf', 'bookshelf') and is_called('bed', 'bed 2')
    assert not is_called('metal', 'metal bowl') and not is_called('bowl', 'bowling pin')
    assert group_of('bowl', KITCHEN) == CALLED and group_of('lorry', KITCHEN) == NEAR


def test_closeness_gives_the_name_itself_all_and_shares_what_is_called_alike():
    closeness = ByCloseness(Letters)
    itself = closeness.of('', 'metal bowl', KITCHEN)
    assert itself[0] > 0.99 and sum(itself) == pytest.approx(1.0) and len(itself) == 5
    shared = closeness.of('', 'bowl', KITCHEN)
    assert shared[0] == pytest.approx(shared[1], abs=0.2) and shared[0] + shared[1] > 0.9
    assert closeness.of('', 'lorry', KITCHEN)[3] > 0.9
    assert closeness.of('', 'ladder', KITCHEN)[-1] > 0.9
    assert ByCloseness(None).of('', 'bowl', KITCHEN)[2] < 0.05


class Session:
    """Of a model that finds one letter likely."""

    def __init__(self, letter, log):
        self._letter, self._log = letter, log

    def session(self, prefix):
        self._log.append(prefix)
        return self

    def append(self, text):
        self._log.append(text)

    def fork(self):
        return self

    def select(self, options, strategy=None):
        return Selection(0, 0.0 if options[0].strip() == self._letter else -5.0, 0.0)

    def drop(self, session=None):
        pass


def test_a_model_is_asked_only_in_doubt_and_weighs_what_closeness_found():
    log = []
    model = ByModel('m', Session('B', log), ByCloseness(None))
    assert model.of('Take the fork.', 'fork', KITCHEN)[2] > 0.99 and not log
    found = model.of('Take the bowl.', 'bowl', KITCHEN)
    assert found[1] > 0.9 and sum(found) == pytest.approx(1.0)
    assert 'Task: Take the bowl.' in log[1] and 'B) clay bowl' in log[1]
    alike = ByModel('m', Session('', log), ByCloseness(None)).of('', 'bowl', KITCHEN)
    assert alike[0] == pytest.approx(alike[1])


def test_a_question_is_asked_where_more_than_one_option_stays():
    rate = KnownRate(
        Told(bowl=(0.5, 0.4, 0.05, 0.03, 0.02), lorry=(0.0, 0.0, 0.0, 0.9, 0.1)),
        Calibration('told', {CALLED: [0.6] * 9, NEAR: [0.2] * 9}),
        0.1,
    )
    assert rate.may_mean('bowl', KITCHEN) == ('metal bowl', 'clay bowl')
    asked = []

    def clarify(words, names):
        asked.append((words, tuple(names)))
        return names[1]

    choice = NameChoice(None, clarify, rate.may_mean)
    assert choice.of_sorts('bowl', KITCHEN) == ('clay bowl', TieKind.PERSON)
    assert asked == [('bowl', ('metal bowl', 'clay bowl'))]
    assert choice.by_meaning('lorry', KITCHEN) == ('truck', TieKind.MEANING)
    assert len(asked) == 1


def test_without_pairs_of_a_group_names_are_asked_as_ever_and_other_words_mean_none():
    rate = KnownRate(Told(), Calibration('told', {}), 0.1)
    assert rate.may_mean('bowl', KITCHEN) is None
    assert rate.may_mean('lorry', KITCHEN) == ('',)
    assert NameChoice(None, may_mean=rate.may_mean).by_meaning('lorry', KITCHEN) == (
        '',
        TieKind.UNKNOWN,
    )


def test_pairs_are_read_and_what_is_wrong_is_told(tmp_path):
    file = tmp_path / 'pairs.yaml'
    file.write_text(
        '- {sentence: Bring a cup., words: cup, options: [tea cup, fork], meant: tea cup}\n'
        '- {words: ladder, options: [tea cup]}\n'
    )
    first, second = read_pairs(file)
    assert first == Pair('Bring a cup.', 'cup', ('tea cup', 'fork'), 0)
    assert second.right == 1
    for text, words in (
        ('- {words: cup, options: [fork], meant: spoon}', 'pair 1 .*none of its options'),
        ('- {words: cup}', 'options'),
        ('[]', 'has no pairs'),
        ('3', 'must be a list of pairs'),
    ):
        file.write_text(text)
        with pytest.raises(ConfigurationError, match=words):
            read_pairs(file)


def test_a_calibration_is_kept_and_taken_by_later_runs(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path))
    closeness = ByCloseness(None)
    pairs = [Pair('', 'bowl', KITCHEN, k % 2) for k in range(20)]
    made = calibrated(pairs, closeness)
    keep(made, calibration_file(made.by))
    assert read_calibration(calibration_file('closeness')).scores[CALLED] == made.scores[CALLED]
    rate = known_rate.known_rate(0.1, 'Take the bowl.', None)
    assert rate.may_mean('bowl', KITCHEN) == ('metal bowl', 'clay bowl')
    (found,) = coverage_of(pairs, closeness, made, (0.1,))
    assert (found.count, found.covered, found.asked, found.size) == (20, 1.0, 1.0, 2.0)
    calibration_file('closeness').write_text('{"by": 3}')
    with pytest.raises(ConfigurationError, match='closeness'):
        known_rate.known_rate(0.1, '', None)


def test_the_shipped_pairs_are_of_words_that_names_have_in_part():
    pairs = shipped_pairs()
    assert len(pairs) >= 50 and all(pair.right < len(pair.options) for pair in pairs)
    assert {group_of(pair.words, pair.options) for pair in pairs} == {CALLED}


def test_the_dial_is_a_share_everywhere():
    assert read_ask('') == (None, 0.0) and read_ask('never') == (Ask.NEVER, 0.0)
    assert read_ask('0.1') == (Ask.WHEN_UNSURE, 0.1)
    for wrong in ('0', '0.6', 'nan', 'often'):
        with pytest.raises(ValueError, match=r'rate of error|convert'):
            read_ask(wrong)
    assert settings_of_preset('default,wrong_at_most=0.1', '').wrong_at_most == 0.1
    with pytest.raises(ValueError, match=r'wrong_at_most is 0 to 0\.5'):
        settings_of_preset('default,wrong_at_most=0.7', '')
    assert normalized((0.0, 0.0)) == (0.5, 0.5)


def test_all_of_nothing_is_no_list():
    names = Names(
        Vocabulary(
            templates=('take <thing>', 'put <thing> in <place>'),
            object_classes=('spoon', 'rake'),
            place_classes=('shed',),
        )
    )
    text = 'Start the washer and ensure all garden tools are placed inside.'
    assert not GrammarTaskReader().read(text, names).whole


BARRELS = Names(
    Vocabulary(
        templates=('take <thing>', 'put <thing> on <place>', 'scan <thing>'),
        object_classes=('steel drum', 'oil drum', 'blue copper pipe', 'grey copper pipe', 'vial'),
        place_classes=('rack',),
        skill_types=(
            SkillType('take <thing>', ('thing',), SkillKind.TAKE),
            SkillType('put <thing> on <place>', ('thing', 'place'), SkillKind.PUT),
            SkillType('scan <thing>', ('thing',), SkillKind.CHANGE,
                      effects=('<thing> is scanned',)),
        ),
    )
)  # fmt: skip


def read_asking(text, answer):
    """What is read where a person answers, and what was asked."""
    asked = []

    def clarify(words, names):
        asked.append((words, sorted(names)))
        return answer if answer in names else ''

    choice = NameChoice(None, clarify, lambda words, names: tuple(names))
    return read_with_grammar(text, BARRELS, choice), asked


@pytest.mark.parametrize(
    ('text', 'means'),
    [
        ('Put the drum on the rack.', 'oil drum in rack'),
        ('Put the drum on the rack and scan the drum.', 'oil drum in rack; oil drum is scanned'),
        ('Put two drums on the rack.', '2 oil drum in rack'),
    ],
)
def test_which_of_several_a_short_name_is_a_person_is_asked_once(text, means):
    goal, asked = read_asking(text, 'oil drum')
    assert goal.whole and goal.means == means
    assert [names for _, names in asked] == [['oil drum', 'steel drum']]
    assert all(tie.kind is TieKind.PERSON and tie.name == 'oil drum' for tie in goal.ties)


@pytest.mark.parametrize('text', ['Put the drum on the rack.', 'Never scan the drum.'])
def test_without_an_answer_it_is_not_whole(text):
    goal, asked = read_asking(text, 'nobody')
    assert asked and not goal.milestones and not goal.acts


@pytest.mark.parametrize(
    ('text', 'options'),
    [
        # Also where nothing else is read, but no name that is said in full, and no other pipe.
        ('Consider the drum.', [['oil drum', 'steel drum']]),
        ('Scan the oil drum.', []),
        ('Consider the copper pipe.', [['blue copper pipe', 'grey copper pipe']]),
        ('Consider the iron pipe.', []),
        ('Consider a drum of oil.', []),
        ('Consider the vial.', []),
    ],
)
def test_short_names_are_asked_about_wherever_they_stand(text, options):
    _, asked = read_asking(text, '')
    assert [names for _, names in asked] == options
