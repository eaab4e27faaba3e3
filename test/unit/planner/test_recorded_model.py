"""A run's journal as its model: asked the same it answers the same, else it says where not."""

from __future__ import annotations

import json

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import (
    CanceledError,
    ConfigurationError,
    ModelError,
    ModelOutputError,
    PromptTooLongError,
)
from reactree_core.record.journal_lines import encode_record
from reactree_planner.llm.recorded import load_recorded_model, ReplayDivergedError
from reactree_planner.llm.scripted import ScriptedModel
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.run_log import RunLog


def some_run(model, options=('go', 'wait'), beginning='Act: ', cancel=None):
    """Two sessions and a fork, interleaved; everything that came back."""
    cancel = cancel or CancelToken()
    first, second = model.session(cancel, 'Rules.\n'), model.session(cancel)
    first.append(beginning)
    seen = [options[first.select(options).index]]
    fork = first.fork()
    second.append('Think: ')
    seen.append(second.generate(stop=('\n', '.'), max_tokens=5, temperature=0.5, seed=2))
    fork.append(' now')
    seen.append(fork.select(['!', '?']).index)
    return [*seen, *(session.text for session in (first, second, fork))]


@pytest.fixture
def journal(tmp_path):
    """The journal of such a run, and what came back."""
    path = tmp_path / 'run.jsonl'
    records = []
    model = LoggedModel(ScriptedModel(['wait', 'I look. Then', 0]), RunLog(records.append))
    seen = some_run(model)
    path.write_text(''.join(f'{encode_record(record)}\n' for record in records), encoding='utf-8')
    return path, seen


def test_a_recorded_model_answers_as_the_run_was_answered(journal):
    path, seen = journal
    model = load_recorded_model(path)
    assert model.name == 'recorded:run.jsonl'
    assert some_run(model) == seen


@pytest.mark.parametrize(
    'asked',
    [{'options': ('go', 'wait', 'rest')}, {'beginning': 'Act:'}, {'options': ('go', 'run')}],
)
def test_it_says_where_a_run_leaves_its_record(journal, asked):
    path, _ = journal
    with pytest.raises(
        ReplayDivergedError, match=r'answer 1 of the model, which was select .wait'
    ):
        some_run(load_recorded_model(path), **asked)


def test_another_kind_of_request_is_told_apart(journal):
    session = load_recorded_model(journal[0]).session(CancelToken())
    with pytest.raises(ReplayDivergedError, match=r'which was select .*: now generate after'):
        session.generate()


def test_a_run_that_goes_on_longer_says_so(journal):
    model = load_recorded_model(journal[0])
    some_run(model)
    with pytest.raises(
        ReplayDivergedError, match='only 3 answers of the model; the run needs another: select'
    ):
        model.session(CancelToken()).select(['a', 'b'])


class FailingModel(ScriptedModel):
    """Answers every choice with an error."""

    def __init__(self, error):
        super().__init__([])
        self._error = error

    def session(self, cancel, shared_prefix=''):
        session = super().session(cancel, shared_prefix)
        session.select = self._fail
        return session

    def _fail(self, *arguments):
        raise self._error('There is no room for this.')


@pytest.mark.parametrize('kind', [ModelError, ModelOutputError, PromptTooLongError])
def test_errors_of_the_model_are_its_answers_too(tmp_path, kind):
    records = []
    log = RunLog(records.append)
    session = LoggedModel(FailingModel(kind), log).session(CancelToken())
    with pytest.raises(ModelError) as first:
        session.select(['a', 'b'])
    assert type(first.value) is kind
    path = tmp_path / 'run.jsonl'
    path.write_text(''.join(f'{encode_record(record)}\n' for record in records), encoding='utf-8')
    with pytest.raises(ModelError) as again:
        load_recorded_model(path).session(CancelToken()).select(['a', 'b'])
    assert (type(again.value), str(again.value)) == (kind, str(first.value))


def test_a_cancel_stops_a_recorded_run_too(journal):
    cancel = CancelToken()
    session = load_recorded_model(journal[0]).session(cancel)
    cancel.cancel()
    with pytest.raises(CanceledError):
        session.select(['go', 'wait'])


@pytest.mark.parametrize('content', [None, '', '{"no": "journal"}\n'])
def test_what_is_no_journal_with_answers_is_refused(tmp_path, content):
    path = tmp_path / 'run.jsonl'
    if content is not None:
        path.write_text(content, encoding='utf-8')
    with pytest.raises(ConfigurationError, match='journal'):
        load_recorded_model(path)


def test_a_journal_of_before_requests_were_told_apart_is_played_in_order(journal):
    path, seen = journal
    lines = path.read_text(encoding='utf-8').splitlines()
    older = [{k: v for k, v in json.loads(line).items() if k != 'of'} for line in lines]
    path.write_text(''.join(f'{json.dumps(line)}\n' for line in older), encoding='utf-8')
    assert some_run(load_recorded_model(path)) == seen
