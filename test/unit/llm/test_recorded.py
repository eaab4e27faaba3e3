from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_core.errors import ModelOutputError
from reactree_core.ports import LanguageModel
from reactree_planner.llm.recorded import RecordingModel
from reactree_planner.llm.recorded import ReplayDivergedError
from reactree_planner.llm.recorded import ReplayedModel
from reactree_planner.llm.recording_format import bounded
from reactree_planner.llm.recording_format import TEXT_LETTERS
from reactree_planner.llm.scripted import PolicyModel
from reactree_planner.llm.scripted import ScriptedModel


def some_run(model: LanguageModel) -> list[object]:
    """Two sessions and a fork, interleaved; everything that came back."""
    seen: list[object] = []
    first = model.session(CancelToken(), 'Rules.\n')
    second = model.session(CancelToken())
    first.append('Act: ')
    seen.append(first.select(['go', 'wait']))
    fork = first.fork()
    second.append('Think: ')
    seen.append(second.generate(stop=('\n', '.'), max_tokens=5, temperature=0.5, seed=2))
    fork.append(' now')
    seen.append(fork.select(['!']))
    seen.append(model.count_tokens('one two'))
    seen.append(model.count_tokens('one two'))
    for session in (first, second, fork):
        seen.append((session.text, session.usage.prompt_tokens, session.usage.requests))
        session.drop()
    return seen


def recorded(path: Path) -> list[object]:
    model = RecordingModel(ScriptedModel(['wait', 'I look. Then', 0]), path)
    seen = some_run(model)
    model.close()
    model.close()
    return seen


def test_a_replay_answers_exactly_as_recorded(tmp_path: Path) -> None:
    path = tmp_path / 'new' / 'run.jsonl'
    seen = recorded(path)
    replay = ReplayedModel(path)
    assert some_run(replay) == seen
    assert replay.lines_left == 0
    assert replay.name == 'scripted (replayed)'
    assert replay.context_tokens == 1_000_000
    replay.close()


def test_a_recording_is_one_json_object_a_line(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    recorded(path)
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    assert entries[0] == {'recording': 1, 'model': 'scripted', 'context_tokens': 1_000_000}
    assert [entry['do'] for entry in entries[1:]] == [
        'session',
        'session',
        'append',
        'select',
        'fork',
        'append',
        'generate',
        'append',
        'select',
        'count',
    ]
    select = entries[4]
    assert (select['session'], select['options'], select['index']) == (1, ['go', 'wait'], 1)
    assert select['usage']['prompt_tokens'] == 2
    assert entries[9]['margin'] is None, 'infinity is no JSON'


def test_sessions_may_interleave_otherwise_in_a_replay(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    recorded(path)
    replay = ReplayedModel(path)
    first = replay.session(CancelToken(), 'Rules.\n')
    second = replay.session(CancelToken())
    second.append('Think: ')
    assert second.generate(('\n', '.'), 5, 0.5, 2) == 'I look'
    first.append('Act: ')
    assert first.select(['go', 'wait']).index == 1
    assert first.fork().text == 'Rules.\nAct: wait'
    assert replay.lines_left == 2


def test_a_replay_says_where_it_leaves_the_recording(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    recorded(path)
    session = ReplayedModel(path).session(CancelToken(), 'Rules.\n')
    session.append('Act: ')
    with pytest.raises(ReplayDivergedError) as caught:
        session.select(['go', 'stay'])
    assert caught.value.line == 5
    assert caught.value.expected == "select with options ['go', 'wait']"
    assert caught.value.got == "select with options ['go', 'stay']"
    assert 'line 5' in str(caught.value)
    assert session.select(['go', 'wait']).index == 1, 'the recorded step can still be asked'


def test_another_kind_of_step_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    recorded(path)
    session = ReplayedModel(path).session(CancelToken(), 'Rules.\n')
    with pytest.raises(ReplayDivergedError, match=r'line 4: expected append.*got generate with'):
        session.generate()


def test_a_replay_that_goes_on_too_long_says_so(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    recorded(path)
    replay = ReplayedModel(path)
    some_run(replay)
    with pytest.raises(ReplayDivergedError, match='nothing more'):
        replay.session(CancelToken())
    with pytest.raises(ReplayDivergedError, match='no count of this text'):
        replay.count_tokens('never counted')


def test_errors_are_recorded_and_raised_again(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    model = RecordingModel(ScriptedModel(['x']), path)
    cancel = CancelToken()
    session = model.session(cancel)
    with pytest.raises(ModelOutputError):
        session.select(['a', 'b'])
    cancel.cancel()
    with pytest.raises(CanceledError):
        session.generate()
    model.close()
    again = ReplayedModel(path).session(CancelToken())
    with pytest.raises(ModelOutputError, match="'x' is no option"):
        again.select(['a', 'b'])
    with pytest.raises(CanceledError, match='canceled'):
        again.generate()


def test_a_cancel_stops_a_replay_too(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    recorded(path)
    cancel = CancelToken()
    session = ReplayedModel(path).session(cancel, 'Rules.\n')
    cancel.cancel()
    with pytest.raises(CanceledError):
        session.select(['go', 'wait'])


def test_long_texts_are_cut_and_still_told_apart(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    long = 'x' * (TEXT_LETTERS + 1)
    model = RecordingModel(PolicyModel(lambda text, options: 0), path)
    session = model.session(CancelToken(), long)
    session.append(long + 'a')
    session.select([long, long + 'b'])
    model.close()
    assert path.stat().st_size < 4000
    again = ReplayedModel(path).session(CancelToken(), long)
    with pytest.raises(ReplayDivergedError, match='line 3'):
        again.append(long + 'b')
    again.append(long + 'a')
    assert again.select([long, long + 'b']).index == 0
    assert again.text == long + long + 'a' + long


@settings(deadline=None)
@given(strategies.text(strategies.characters(), max_size=30))
def test_texts_survive_the_file(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp('recording') / 'run.jsonl'

    def policy(given_text: str, options: Sequence[str] | None) -> int | str:
        return text

    model = RecordingModel(PolicyModel(policy), path)
    session = model.session(CancelToken(), text)
    answer = session.generate(stop=('stop',))
    model.close()
    again = ReplayedModel(path).session(CancelToken(), text)
    assert again.generate(stop=('stop',)) == answer
    assert again.usage == session.usage


def test_a_line_that_a_crash_cut_off_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    recorded(path)
    whole = path.read_text()
    path.write_text(whole[:-20])
    replay = ReplayedModel(path)
    with pytest.raises(ReplayDivergedError, match='no count'):
        some_run(replay)


@pytest.mark.parametrize(
    'content',
    [
        '',
        '{}\n',
        'hello\n',
        '[1]\n',
        '{"recording": 2}\n',
        '{"recording": 1}\n{"do": "x"}\n',
        '{"recording": 1}\nx\n',
        '{"recording": 1}\n{"do": "select"}\n',
        '\xff',
    ],
)
def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / 'run.jsonl'
    path.write_bytes(content.encode('latin-1'))
    with pytest.raises(ConfigurationError, match=r'run\.jsonl'):
        ReplayedModel(path)


@pytest.mark.parametrize('answer', ['', ', "index": 9', ', "index": "1"'])
def test_a_line_without_its_answer_is_damaged(tmp_path: Path, answer: str) -> None:
    path = tmp_path / 'run.jsonl'
    path.write_text(
        '{"recording": 1}\n{"do": "session", "session": 1, "text": ""}\n'
        '{"do": "select", "session": 1, "options": ["a", "b"]' + answer + '}\n'
    )
    session = ReplayedModel(path).session(CancelToken())
    with pytest.raises(ConfigurationError, match='Line 3'):
        session.select(['a', 'b'])


def test_a_recording_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='cannot be written'):
        RecordingModel(ScriptedModel(['a']), tmp_path)


def test_writing_after_the_end_is_an_error(tmp_path: Path) -> None:
    model = RecordingModel(ScriptedModel(['a']), tmp_path / 'run.jsonl')
    session = model.session(CancelToken())
    model.close()
    with pytest.raises(ModelError, match='cannot be written'):
        session.append('x')


def test_infinite_margins_come_back(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    model = RecordingModel(ScriptedModel([0]), path)
    model.session(CancelToken()).select(['a'])
    model.close()
    assert ReplayedModel(path).session(CancelToken()).select(['a']).margin == math.inf


def test_short_texts_stand_in_the_file_as_they_are() -> None:
    assert bounded('abc') == 'abc'
