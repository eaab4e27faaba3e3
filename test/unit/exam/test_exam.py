"""What models of known ability come to in the exam, and what is to be set for them."""

from __future__ import annotations

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ModelError, ModelOutputError
from reactree_core.permission.spending import Price
from reactree_planner.exam.advice import advice_of
from reactree_planner.exam.answers import Answer, readings_of, score_of
from reactree_planner.exam.asking import ask, ask_all
from reactree_planner.exam.questions import exam_questions, Kind, MOST_REQUESTS, WorldQuestion
from reactree_planner.exam.taking import take_exam
from reactree_planner.exam.world import PlayedWorld
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.llm.registry import load_model, ModelOptions
from support.exam_models import Recorded

PAIRS = list(exam_questions())
TOTAL = len(PAIRS)


def settings(advice):
    return {one.setting: one.value for one in advice}


@pytest.fixture(scope='module')
def known():
    """The profile of the recorded strong answers."""
    return take_exam(PolicyModel(Recorded(), 'sage'), 'scripted:sage.yaml')


def test_the_recorded_strong_answers_pass(known):
    assert [one.question for one in known.answers if not one.right] == []
    assert (known.readings.precision, known.readings.coverage) == (1.0, 1.0)
    assert settings(known.advice) == {'reading': 'model', 'decides': 'model'}
    assert known.changes == ('reading=model', 'decides=model')
    assert known.scores[-1].requests <= MOST_REQUESTS


def test_a_random_model_fails():
    profile = take_exam(load_model('random:1', ModelOptions()), 'random:1')
    assert settings(profile.advice) == {'reading': 'grammar', 'decides': 'facts'}
    assert profile.readings.precision == profile.readings.coverage == 0.0
    assert profile.scores[-1].requests <= MOST_REQUESTS


def test_a_model_that_reads_nothing_and_refuses_everything_fails():
    def refusing(text, options):
        return '{}' if options is None else len(options) - 1

    profile = take_exam(PolicyModel(refusing, 'no'), 'scripted:no.yaml')
    assert settings(profile.advice) == {'reading': 'grammar', 'decides': 'facts'}
    rights = {one.kind for one in profile.answers if one.right}
    assert rights <= {Kind.NOTHING.value}
    assert profile.scores[-1].requests <= MOST_REQUESTS


def test_without_a_model_nothing_is_right_and_every_default_stays():
    profile = take_exam(load_model('none', ModelOptions()), 'none')
    assert profile.scores[-1].right == 0
    assert 'no model' in profile.answers[0].fault
    assert profile.changes == ()


def test_what_cannot_be_used_from_the_start_ends_the_exam():
    with pytest.raises(ModelOutputError, match='none of the first 6 questions'):
        ask_all(PolicyModel(lambda text, options: 'I am a teapot'), CancelToken())


def test_a_model_that_is_gone_ends_the_exam_and_so_does_a_cancel():
    def gone(text, options):
        raise ModelError('the server is gone')

    with pytest.raises(ModelError, match='gone'):
        ask_all(PolicyModel(gone), CancelToken())
    cancel = CancelToken()
    numbers = []

    def begin(number, of):
        numbers.append((number, of))
        if number == 3:
            cancel.cancel()

    with pytest.raises(CanceledError):
        ask_all(PolicyModel(Recorded()), cancel, begin)
    assert numbers == [(number, TOTAL) for number in (1, 2, 3)]


@pytest.mark.parametrize('kind', [Kind.DECISION, Kind.WORLD])
def test_one_decision_that_is_wrong_is_enough_not_to_decide(known, kind):
    answers = [
        one.model_copy(update={'right': one.right and one.kind != kind.value})
        for one in known.answers
    ]
    assert settings(advice_of(answers)) == {'reading': 'model', 'decides': 'facts'}


@pytest.mark.parametrize('kind', [kind for kind in Kind if kind is not Kind.NOTHING])
def test_a_kind_that_is_wrong_is_wrong_alone(kind):
    model = PolicyModel(Recorded(kind))
    for domain, question in PAIRS:
        if question.kind is kind:
            assert not ask(model, domain, question, CancelToken()).right, question.about
            break


def test_what_moves_where_nothing_is_asked_does_not_read(known):
    answers = [
        one.model_copy(update={'right': one.right and one.kind != Kind.NOTHING.value})
        for one in known.answers
    ]
    assert settings(advice_of(answers))['reading'] == 'grammar'


def test_whole_and_wrong_is_never_trusted_alone(known):
    first = known.answers[0].model_copy(update={'right': False, 'whole': True})
    answers = [first, *known.answers[1:]]
    assert readings_of(answers).misread == 1
    assert settings(advice_of(answers))['reading'] == 'both'


def test_who_is_right_and_slow_is_not_asked_for_every_skill(known):
    slow = [one.model_copy(update={'seconds': 300.0}) for one in known.answers]
    advice = advice_of(slow)[1]
    assert advice.value == 'facts' and 's a decision' in advice.why


def test_a_world_counts_where_things_are_and_what_was_done():
    domain, question = next(p for p in PAIRS if isinstance(p[1], WorldQuestion))
    cancel = CancelToken()
    skills = (
        'head to telescope 1', 'lift prism 1', 'head to archive 1', 'set prism 1 in archive 1',
    )  # fmt: skip
    world = PlayedWorld(domain.vocabulary, question)
    assert not world.is_right
    for skill in skills:
        world.execute(0, 0, skill, cancel)
    assert world.is_right and world.done == list(skills)
    other = PlayedWorld(domain.vocabulary, question)
    for skill in ('head to telescope 1', 'lift filter 1', 'set filter 1 in telescope 1'):
        other.execute(0, 0, skill, cancel)
    for skill in skills[1:]:
        other.execute(0, 0, skill, cancel)
    assert not other.is_right, 'the filter was not to be lifted'
    assert 'cannot be done' in world.execute(0, 0, 'lift the moon', cancel).text


def test_a_price_is_for_tokens_presented_known_before_and_written():
    answer = Answer(
        domain='x', kind='k', question='q', wanted='w', requests=2, seconds=3.0,
        prompt_tokens=3_000_000, cached_tokens=1_000_000, completion_tokens=500_000,
    )  # fmt: skip
    row = score_of('k', [answer, answer], Price(1.0, 0.5, 4.0))
    assert row.cost == pytest.approx(2 * (2.0 + 0.5 + 2.0))
    assert (row.seconds, row.request_seconds) == (3.0, 1.5)
    assert score_of('k', [answer]).cost is None
