"""Servers and gateways with the ways that public reports tell of; none of them is real.

Which report each plays stands beside it; the replies are written by hand after them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import (
    ConfigurationError,
    ModelError,
    ModelOutputError,
    PromptTooLongError,
)
from reactree_core.http_faults import seconds_said
from reactree_planner.llm.openai_server.model import OpenAiServerModel
from reactree_planner.llm.openai_server.thinking import Thinking
from reactree_planner.llm.registry import load_model, ModelOptions

OPTIONS = ['go to fridge 1', 'go to sink 1', 'open fridge 1']
CHAT = '/v1/chat/completions'
TEXT = 'Your task is to: open the fridge\nAct:'


@pytest.fixture
def session_with(server, reply) -> Iterator:
    """A session with a server that answers chats by a function of the request's body."""
    server.on('/v1/models', reply({'data': [{'id': 'm1', 'context_length': 40_000}]}))
    models = []

    def opening(chat, **arguments):
        server.on(CHAT, lambda seen: reply(*chat(seen.body)))
        quick = {'connect_timeout': 1.0, 'read_timeout': 2.0, 'max_retries': 2}
        quick['first_pause'] = 0.01
        models.append(OpenAiServerModel(server.url, **(quick | arguments)))
        return models[-1].session(CancelToken(), TEXT)

    yield opening
    for model in models:
        model.close()


def said(content, finish='stop', **message):
    message = {'role': 'assistant', 'content': content, **message}
    usage = {'prompt_tokens': 10, 'completion_tokens': 5}
    return {'choices': [{'message': message, 'finish_reason': finish}], 'usage': usage}


def refused(words, status=400, **more):
    return {'error': {'message': words, **more}}, status


def chosen(body, number=1):
    """The answer that a server with schemas gives; free text elsewhere."""
    told = (body.get('response_format') or {}).get('json_schema')
    if told is None:
        return said('I look around.')
    option = told['schema']['properties']['choice']['enum'][number]
    return said(json.dumps({'choice': option}))


# Thinking ----------------------------------------------------------------------------------------


def thinking(need, efforts=('low', 'medium', 'high')):
    """Hosted reasoning models: thinking counts as answer (danny-avila/LibreChat#10737)."""

    def answer(body):
        effort = body.get('reasoning_effort', 'medium')
        thought = need if effort in efforts else 0
        if body['max_tokens'] < thought + 5:
            return (said('', 'length', reasoning_content='Let me see ...'),)
        return (chosen(body),)

    return answer


@pytest.mark.parametrize('need', [400, 3000, 15_000])
def test_room_grows_until_a_model_that_thinks_has_answered(session_with, server, need):
    session = session_with(thinking(need))
    assert session.select(OPTIONS).index == 1
    tries = len(server.requests(CHAT))
    # Known from then on: nothing is asked twice.
    assert session.select(OPTIONS).index == 1
    assert session.generate() == ' I look around.'
    assert len(server.requests(CHAT)) == tries + 2
    # What was paid for counts.
    assert session.usage.completion_tokens >= 5 * tries


def test_a_model_that_thinks_without_end_is_asked_to_think_less(session_with, server):
    session = session_with(thinking(10**9, ('low', 'medium', 'high')))
    assert session.select(OPTIONS).index == 1
    efforts = [seen.body.get('reasoning_effort') for seen in server.requests(CHAT)]
    assert efforts == [None, 'low', 'minimal']


def test_one_that_never_ends_is_told_as_that(session_with):
    session = session_with(thinking(10**9, ('low', 'medium', 'high', 'minimal', 'none')))
    with pytest.raises(ModelOutputError, match='still thinking after 20000 tokens'):
        session.select(OPTIONS)


def test_effort_is_left_out_where_it_is_refused(session_with, server):
    """Servers that know room but no effort."""

    def answer(body):
        if 'reasoning_effort' in body:
            return refused("Unrecognized request argument: 'reasoning_effort'")
        return thinking(400)(body)

    session = session_with(answer)
    assert session.select(OPTIONS).index == 1
    assert session.select(OPTIONS).index == 1
    assert 'reasoning_effort' not in server.requests(CHAT)[-1].body


@pytest.mark.parametrize(
    'thought',
    [
        '<think>\nAct: open fridge 1\n</think>\n\n',
        '<think>open fridge 1</think>',
        # The template has opened it (vllm-project/vllm#21130).
        'I could: open fridge 1\n</think>\n',
        '<thinking>{"choice": "open fridge 1"}</thinking>',
    ],
)
@pytest.mark.parametrize('has_schemas', [True, False])
def test_what_is_thought_is_never_done(session_with, thought, has_schemas):
    def answer(body):
        if body.get('response_format') and not has_schemas:
            return refused('response_format is not supported')
        plain = 'go to sink 1' if 'Options:' in body['messages'][-1]['content'] else 'I look.'
        is_framed = bool(body.get('response_format'))
        text = json.dumps({'choice': plain}) if is_framed else plain
        return (said(thought + text),)

    session = session_with(answer)
    assert session.select(OPTIONS).index == 1
    assert session.generate() == ' I look.'


# Refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('message', 'finish', 'words'),
    [
        ({'content': None, 'refusal': 'I cannot help with that.'}, 'stop', 'I cannot help'),
        ({'content': ''}, 'content_filter', 'content_filter'),
    ],
)
def test_a_refusal_is_its_own_error(session_with, server, message, finish, words):
    session = session_with(lambda body: (said(**message, finish=finish),))
    with pytest.raises(ModelOutputError, match=words) as error:
        session.select(OPTIONS)
    assert 'check the address' not in str(error.value)
    assert len(server.requests(CHAT)) == 1


def test_a_field_that_is_refused_in_words_alone_is_left_out(session_with, server):
    """Gateways give no `param` (BerriAI/litellm#13390)."""

    def answer(body):
        if 'max_tokens' in body:
            return refused("Unsupported parameter: 'max_tokens' is not supported.", param=None)
        if body.get('temperature') != 1:
            if 'temperature' in body:
                return refused("Unsupported value: 'temperature' does not support 0.0.")
        return (chosen(body),)

    session = session_with(answer)
    assert session.select(OPTIONS).index == 1
    last = server.requests(CHAT)[-1].body
    assert 'max_completion_tokens' in last and not {'max_tokens', 'temperature'} & set(last)


def test_another_refusal_stays_one(session_with):
    session = session_with(lambda body: refused("The project 'max' has no credit left."))
    with pytest.raises(ModelError, match='no credit left'):
        session.select(OPTIONS)


def test_a_template_without_a_system_role_gets_its_text_from_the_user(session_with, server):
    """Gemma 2 on vLLM (huggingface/chat-ui#1386)."""

    def answer(body):
        if any(message['role'] == 'system' for message in body['messages']):
            return refused('System role not supported', type='BadRequestError')
        return (chosen(body),)

    session = session_with(answer)
    assert session.select(OPTIONS).index == 1
    assert session.generate() == ' I look around.'
    first, *others = [seen.body['messages'] for seen in server.requests(CHAT)]
    assert first[0]['role'] == 'system'
    assert all([one['role'] for one in messages] == ['user'] for messages in others)
    assert first[0]['content'] in others[0][0]['content']


# Errors with status 200 --------------------------------------------------------------------------


def test_an_error_with_status_200_has_its_words(session_with, server):
    """OpenRouter (UKGovernmentBEIS/inspect_ai#1534)."""
    session = session_with(lambda body: refused('No such route for this model', 200, code=404))
    with pytest.raises(ModelError, match='No such route for this model'):
        session.select(OPTIONS)


def test_one_that_passes_is_waited_for(session_with, server):
    waits = iter([429, 502])

    def answer(body):
        code = next(waits, None)
        return refused('Busy', 200, code=code) if code else (chosen(body),)

    assert session_with(answer).select(OPTIONS).index == 1
    assert len(server.requests(CHAT)) == 3


def test_no_pause_is_begun_that_the_time_limit_would_not_outlast(session_with, server):
    answer = refused('Busy', 200, code=429)
    session = session_with(lambda body: answer, first_pause=60.0, total_timeout=5.0)
    with pytest.raises(ModelError, match='Busy'):
        session.select(OPTIONS)
    assert server.requests(CHAT)


def test_a_prompt_that_is_too_long_is_told_as_that(session_with):
    words = "This model's maximum context length is 4096 tokens."
    session = session_with(lambda body: refused(words, 200, code=400))
    with pytest.raises(PromptTooLongError, match='maximum context length'):
        session.select(OPTIONS)


def test_the_list_of_models_tells_the_context(session_with, server, reply):
    session_with(lambda body: (chosen(body),))
    model = OpenAiServerModel(server.url, usual_context=16_000)
    assert model.context_tokens == 40_000
    model.close()
    server.on('/v1/models', reply({'data': [{'id': 'm1'}]}))
    model = OpenAiServerModel(server.url, usual_context=16_000)
    assert model.context_tokens == 16_000
    model.close()


# What was set about thinking --------------------------------------------


def test_the_effort_that_was_set_is_asked_for_at_once(session_with, server):
    session = session_with(thinking(400), thinking=Thinking('medium', 4096))
    assert session.select(OPTIONS).index == 1
    (asked,) = server.requests(CHAT)
    assert asked.body['reasoning_effort'] == 'medium'
    assert asked.body['max_tokens'] > 2048


def test_no_effort_gives_no_room(session_with, server):
    session = session_with(thinking(400), thinking=Thinking('none'))
    assert session.select(OPTIONS).index == 1
    (asked,) = server.requests(CHAT)
    assert asked.body['reasoning_effort'] == 'none'
    assert asked.body['max_tokens'] < 400


def test_room_is_no_more_than_was_set(session_with, server):
    efforts = ('low', 'medium', 'high', 'minimal', 'none')
    session = session_with(thinking(3000, efforts), thinking=Thinking(tokens=2500))
    with pytest.raises(ModelOutputError, match=r'after 2500 tokens.*raise thinking_tokens'):
        session.select(OPTIONS)
    assert max(seen.body['max_tokens'] for seen in server.requests(CHAT)) < 3000


@pytest.mark.parametrize('wrong', [{'effort': 'much'}, {'tokens': -1}])
def test_other_thinking_is_none(wrong):
    with pytest.raises(ConfigurationError):
        Thinking(**wrong)


def test_they_come_from_the_options_of_a_model(server, reply):
    server.on('/v1/models', reply({'data': [{'id': 'm1'}]}))
    server.on(CHAT, lambda seen: reply(*thinking(400)(seen.body)))
    options = ModelOptions(
        context_tokens=12_000, reasoning_effort='high', thinking_tokens=3000, request_timeout=5.0
    )
    model = load_model(server.url, options)
    try:
        assert model.context_tokens == 12_000
        model.session(CancelToken(), TEXT).select(OPTIONS)
    finally:
        model.close()
    (asked,) = server.requests(CHAT)
    assert asked.body['reasoning_effort'] == 'high'


# Limits of what may be asked --------------------------------------------


def test_a_pause_that_only_words_tell_is_kept(session_with, server, monkeypatch):
    """OpenAI and Groq tell it in the sentence."""
    paused = []
    monkeypatch.setattr(CancelToken, 'wait', lambda token, seconds: paused.append(seconds))
    replies = iter([refused('Rate limit reached. Please try again in 1.5s.', 429), None])
    session = session_with(lambda body: next(replies) or (chosen(body),), total_timeout=5.0)
    assert session.select(OPTIONS).index == 1
    assert paused == [pytest.approx(1.5, abs=0.01)]


def test_one_that_takes_too_long_is_told_at_once(session_with, server):
    session = session_with(
        lambda body: refused('Please try again in 7m12s.', 429), total_timeout=5.0
    )
    with pytest.raises(ModelError, match=r'next try would be in 432 s.*request_timeout'):
        session.select(OPTIONS)
    assert len(server.requests(CHAT)) == 1


@pytest.mark.parametrize(
    ('words', 'status', 'more'),
    [
        ('You exceeded your current quota.', 429, {'type': 'insufficient_quota'}),
        ('Quota is used up.', 429, {'code': 'insufficient_quota'}),
        ('Insufficient Balance', 402, {}),
        ('Insufficient credits. Add more.', 200, {'code': 402}),
    ],
)
def test_what_no_waiting_mends_ends_at_once(session_with, server, words, status, more):
    session = session_with(lambda body: refused(words, status, **more))
    with pytest.raises(ModelError, match='pay for more'):
        session.select(OPTIONS)
    assert len(server.requests(CHAT)) == 1


@pytest.mark.parametrize(
    ('words', 'seconds'),
    [
        ('Please try again in 12s.', 12),
        ('try again in 1m30.5s', 90.5),
        ('Please retry after 20 seconds.', 20),
        ('Please try again in 120ms', 0.12),
        ('try again in 6m0s', 360),
        ('Please wait for 2 minutes', 120),
        ('try again in 1 hour', 3600),
        ('Please try again later.', 0),
        ('free-models-per-day', 0),
    ],
)
def test_seconds_are_read_from_words(words, seconds):
    assert seconds_said(words) == pytest.approx(seconds)


def test_a_prompt_that_a_filter_takes_is_told_as_that(session_with, server):
    """Azure OpenAI answers with status 400."""
    words = 'The response was filtered due to the prompt triggering content management policy.'
    session = session_with(lambda body: refused(words, code='content_filter'))
    with pytest.raises(ModelOutputError, match='in other words') as error:
        session.select(OPTIONS)
    assert 'address' not in str(error.value)
    assert len(server.requests(CHAT)) == 1


def test_a_path_that_is_not_there_is_asked_for_once_a_server(session_with, server):
    session = session_with(lambda body: (chosen(body),))
    for _ in range(3):
        list(session.sample((1, 2)))
        session.generate()
        session.fork().generate()
    assert len(server.requests('/v1/completions')) == 1


# Lines and lists --------------------------------------------

ROW = 'find an apple, put it on the table'


@pytest.mark.parametrize(
    'written',
    [
        f' {ROW}',
        f'\n{ROW}',
        '- find an apple\n- put it on the table',
        '\n\n1. find an apple\n2. put it on the table.\n\nOK.',
        'Here are the subgoals:\n* find an apple\n* put it on the table',
        '**Subgoals:**\n- **find an apple**\n- **put it on the table**',
        '["find an apple", "put it on the table"]',
        '```json\n{"subgoals": ["find an apple", "put it on the table"]}\n```',
        f'```\n{ROW}\n```',
    ],
)
def test_subgoals_come_in_a_row_or_below_each_other(session_with, written):
    session = session_with(lambda body: (said(written),))
    assert session.generate().strip() == ROW


def test_a_raw_continuation_may_begin_a_list_on_its_next_line(session_with, server, reply):
    def answer(seen):
        below = '\n  - find an apple\n  - put it on the table\nOK.'
        text = below.partition('\n')[0] if '\n' in seen.body['stop'] else below
        return reply({'choices': [{'text': text, 'finish_reason': 'stop'}]})

    server.on('/v1/completions', answer)
    session = session_with(lambda body: (said(''),))
    assert session.generate() == f' {ROW}'


def test_the_call_of_a_tool_that_nobody_offered_is_read(session_with):
    call = {'function': {'name': 'choose', 'arguments': '{"choice": "go to sink 1"}'}}
    session = session_with(lambda body: (said(None, 'tool_calls', tool_calls=[call]),))
    assert session.select(OPTIONS).index == 1
