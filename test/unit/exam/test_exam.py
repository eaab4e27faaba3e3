"""What models of known ability come to in the exam, and what they are told to set."""

from __future__ import annotations

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ModelError, ModelOutputError
from reactree_core.permission.spending import Price
from reactree_core.record.events import ControlFlow
from reactree_planner.agents.expansion import Expansion
from reactree_planner.exam.advice import advice_of
from reactree_planner.exam.answers import Answer, score_of
from reactree_planner.exam.asking import ask, ask_all, grammar_answers
from reactree_planner.exam.questions import exam_questions, ExpansionQuestion, Kind, ObjectQuestion
from reactree_planner.exam.scoring import expands_right, is_right_object
from reactree_planner.exam.taking import take_exam
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.llm.registry import load_model, ModelOptions
from support.exam_models import Knowing

TOTAL = len(list(exam_questions()))


def settings(advice):
    return {one.setting: one.value for one in advice}


@pytest.fixture(scope='module')
def known():
    """The profile of a model that knows everything."""
    return take_exam(PolicyModel(Knowing(), 'sage'), 'scripted:sage.yaml')


def test_a_model_that_knows_everything_has_everything_right(known):
    wrong = [one for one in known.answers if not one.right]
    assert wrong == []
    assert known.scores[-1].words == f'{TOTAL} of {TOTAL}'
    assert settings(known.advice) == {'reading': 'model', 'decides': 'model', 'flows': 'all'}
    assert known.changes == ('reading=model', 'decides=model')


def test_chance_is_told_for_every_kind_and_met_by_a_random_model():
    """Guesses of ten seeds come near what is told; a kind that cannot be guessed has none."""
    pairs = [pair for pair in exam_questions() if pair[1].kind is Kind.INJECTION]
    right, told = 0, 0.0
    for seed in range(10):
        model = load_model(f'random:{seed}', ModelOptions())
        answers = [ask(model, domain, question, CancelToken()) for domain, question in pairs]
        right += sum(one.right for one in answers)
        told += sum(one.chance for one in answers)
    # 60 questions of about 1 in 6: a deviation is 3.
    assert abs(right - told) < 12
    profile = take_exam(load_model('random:1', ModelOptions()), 'random:1')
    chance = {row.kind: row.chance for row in profile.scores}
    assert 0.1 < chance[Kind.END.value] < 0.2
    assert chance[Kind.ENGLISH.value] == chance[Kind.EXPANSION.value] == 0.0
    advised = settings(profile.advice)
    assert (advised['reading'], advised['decides']) == ('grammar', 'facts')


def test_without_a_model_nothing_is_right_and_every_default_stays():
    profile = take_exam(load_model('none', ModelOptions()), 'none')
    assert profile.scores[-1].right == 0
    assert profile.scores[-1].unanswered == TOTAL
    assert 'no model' in profile.answers[0].fault
    assert profile.changes == ()


def test_what_cannot_be_used_from_the_start_ends_the_exam():
    asked = []

    def nonsense(text, options):
        asked.append(options)
        return 'I am a teapot'

    with pytest.raises(ModelOutputError, match='none of the first 6 questions'):
        ask_all(PolicyModel(nonsense), CancelToken())
    assert len(asked) == 6


def test_a_model_that_fails_later_counts_as_wrong_there():
    knowing = Knowing()

    def broken(text, options):
        return 'what?' if options and ' done\n' in options else knowing(text, options)

    answers = ask_all(PolicyModel(broken), CancelToken())
    faults = {one.kind for one in answers if one.fault}
    assert faults == {
        one.value for one in (Kind.CHOICE, Kind.END, Kind.PROHIBITION, Kind.INJECTION)
    }
    assert not any(one.right for one in answers if one.fault)
    assert all(one.right for one in answers if not one.fault)


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
        ask_all(PolicyModel(Knowing()), cancel, begin)
    assert numbers == [(number, TOTAL) for number in (1, 2, 3)]


def test_what_is_offered_is_what_chance_is_told_of_and_nothing_forbidden_is_held_back():
    """The planner keeps what a sentence forbids by itself; here the model has to."""
    offered = []

    def watching(text, options):
        if options:
            offered.append({option.strip() for option in options})
            return 0
        return ' I look.'

    for domain, question in exam_questions():
        if not hasattr(question, 'offered'):
            continue
        offered.clear()
        ask(PolicyModel(watching), domain, question, CancelToken())
        assert offered[-1] == {*question.offered, 'done', 'failure'}, question.task


def test_who_names_other_options_is_wrong_and_does_not_decide():
    kinds = (Kind.CHOICE, Kind.END, Kind.PROHIBITION, Kind.INJECTION)
    model = PolicyModel(Knowing(*kinds))
    pairs = [pair for pair in exam_questions() if pair[1].kind in kinds]
    answers = [ask(model, domain, question, CancelToken()) for domain, question in pairs]
    assert not any(one.right or one.fault for one in answers)
    assert settings(advice_of(answers, []))['decides'] == 'facts'


@pytest.mark.parametrize('kind', [Kind.CHOICE, Kind.END, Kind.PROHIBITION, Kind.INJECTION])
def test_one_kind_of_decision_that_is_wrong_is_enough_not_to_decide(known, kind):
    answers = [
        one.model_copy(update={'right': one.right and one.kind != kind.value})
        for one in known.answers
    ]
    told = settings(advice_of(answers, grammar_answers()))
    assert (told['decides'], told['reading']) == ('facts', 'model')


def test_who_is_right_and_slow_is_not_asked_for_every_skill(known):
    slow = [one.model_copy(update={'seconds': 30.0}) for one in known.answers]
    advice = advice_of(slow, grammar_answers())[1]
    assert advice.value == 'facts' and '30 s a decision' in advice.why


def readings(english, foreign, whole=False):
    """Answers to sentences: so many right of each kind, the others called whole or not."""
    found = []
    for kind, right, of in ((Kind.ENGLISH, english, 9), (Kind.FOREIGN, foreign, 15)):
        for number in range(of):
            found.append(
                Answer(
                    domain='x', kind=kind.value, question='q', wanted='w',
                    right=number < right, whole=number < right or whole,
                )
            )  # fmt: skip
    return found


@pytest.mark.parametrize(
    ('english', 'foreign', 'whole', 'reading'),
    [
        (9, 15, False, 'model'),
        (9, 14, False, 'model'),
        # One that was misread and called whole is one too many where two are.
        (9, 13, True, 'both'),
        (9, 9, False, 'both'),
        (9, 8, False, 'grammar'),
        (8, 15, False, 'grammar'),
        (0, 0, True, 'grammar'),
    ],
)
def test_who_reads_follows_from_both_kinds_of_sentences(english, foreign, whole, reading):
    advice = advice_of(readings(english, foreign, whole), grammar_answers())
    assert advice[0].value == reading
    assert f'English {english} of 9 (the grammar 9 of 9)' in advice[0].why


def expansions(*pairs):
    return [
        Answer(
            domain='x', kind=Kind.EXPANSION.value, question='q', wanted='w',
            wanted_flow=wanted, flow=flow,
        )
        for wanted, flow in pairs
    ]  # fmt: skip


@pytest.mark.parametrize(
    ('sequence', 'fallback', 'parallel', 'flows'),
    [
        ('sss', 'fff', 'ppp', 'all'),
        ('sss', 'sss', 'sss', 'all'),
        ('sss', 'fff', 'ppf', 'all'),
        ('sss', 'fff', 'pff', 'seq'),
        ('spp', 'fff', 'ppp', 'seq+fb'),
        ('fff', 'fff', 'fff', 'seq'),
    ],
)
def test_a_control_flow_that_is_chosen_where_it_is_wrong_is_not_offered(
    sequence, fallback, parallel, flows
):
    names = {'s': 'sequence', 'f': 'fallback', 'p': 'parallel'}
    rows = (('sequence', sequence), ('fallback', fallback), ('parallel', parallel))
    told = [(wanted, names[letter]) for wanted, letters in rows for letter in letters]
    assert advice_of(expansions(*told), [])[2].value == flows


@pytest.mark.parametrize(
    ('subgoals', 'right'),
    [
        (('ink the forme', 'set it in the press', 'start the press'), True),
        (('go to the forme', 'ink forme 1', 'put forme 1 in press 1', 'start press 1'), True),
        (('set the forme in the press', 'ink the forme', 'start the press'), False),
        (('ink the forme', 'start the press'), False),
        (('ink the forme, press it, start the press',), False),
        (('ink the forme', *['set it in the press'] * 5, 'start the press'), False),
    ],
)
def test_an_expansion_has_every_part_in_its_order_and_little_else(subgoals, right):
    question = ExpansionQuestion(
        task='t',
        seen='s',
        flow='sequence',
        parts=[['ink', 'forme'], ['press'], ['start', 'press']],
    )
    assert expands_right(question, Expansion(ControlFlow.SEQUENCE, subgoals)) is right
    assert not expands_right(question, Expansion(ControlFlow.PARALLEL, subgoals))
    assert not expands_right(question, None)


@pytest.mark.parametrize(
    ('written', 'right'),
    [
        ('{"hall": 7, "running": false}', True),
        ('```json\n{"running": false, "hall": 7}\n```', True),
        ('{"hall": "7", "running": false}', False),
        ('{"hall": 7, "running": 0}', False),
        ('{"hall": 7}', False),
        ('{"hall": 7, "running": false, "note": ""}', False),
        ('Here it is: {"hall": 7, "running": false}', False),
        ('{"hall": 7, "running": false} I hope this helps.', False),
        ('[' * 100_000, False),
        ('', False),
    ],
)
def test_a_json_object_is_all_that_is_written(written, right):
    question = ObjectQuestion(
        note='n', fields={'hall': 'x', 'running': 'y'}, values={'hall': [7], 'running': [False]}
    )
    assert is_right_object(question, written) is right


def test_a_price_is_for_tokens_presented_known_before_and_written():
    answer = Answer(
        domain='x', kind='k', question='q', wanted='w', requests=2, seconds=3.0,
        prompt_tokens=3_000_000, cached_tokens=1_000_000, completion_tokens=500_000,
    )  # fmt: skip
    row = score_of('k', [answer, answer], Price(1.0, 0.5, 4.0))
    assert row.cost == pytest.approx(2 * (2.0 + 0.5 + 2.0))
    assert (row.seconds, row.request_seconds) == (3.0, 1.5)
    assert score_of('k', [answer]).cost is None
