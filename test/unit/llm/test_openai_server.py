"""The server back end against servers that play llama-server, vLLM, Ollama and others.

None of them is real. Their replies are reconstructed: written by hand after what each server
documents, cut down to the fields that matter; nothing was recorded from a running vLLM or Ollama.
Those of the server of llama-cpp-python were recorded from it, and cut down likewise. That one and
llama-server are asked in earnest in `test/system/test_openai_server.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ConfigurationError, ModelError, ModelOutputError
from reactree_planner.llm.openai_server.model import OpenAiServerModel
from reactree_planner.llm.openai_server.profile import Constraint, ServerAddress, ServerKind

OPTIONS = ['go to fridge 1', 'go to sink 1', 'open fridge 1']
TOLD = '(What comes next is one of: go to fridge 1; go to sink 1; open fridge 1.)\n'
Opening = Callable[..., OpenAiServerModel]


@pytest.fixture
def opened() -> Iterator[Opening]:
    models: list[OpenAiServerModel] = []

    def opening(address: str, **arguments: Any) -> OpenAiServerModel:
        quick: dict[str, Any] = {
            'connect_timeout': 1.0,
            'read_timeout': 2.0,
            'max_retries': 1,
            'first_pause': 0.01,
        }
        models.append(OpenAiServerModel(address, **(quick | arguments)))
        return models[-1]

    yield opening
    for model in models:
        model.close()


@pytest.fixture
def llama(server: Any, reply: Any) -> Any:
    """Plays llama-server; reconstructed after `tools/server/README.md` of llama.cpp, not real."""
    server.on('/v1/models', reply({'data': [{'id': '/models/tiny.gguf', 'owned_by': 'llamacpp'}]}))
    server.on(
        '/props', reply({'default_generation_settings': {'n_ctx': 2048}, 'build_info': 'b1'})
    )
    server.on('/tokenize', lambda seen: reply({'tokens': seen.body['content'].split()}))
    return server


@pytest.fixture
def llama_cpp_python(server: Any, reply: Any) -> Any:
    """Plays `llama_cpp.server`; recorded from version 0.3.36 with gemma-3-270m, cut down."""
    model = {'id': '/models/tiny.gguf', 'object': 'model', 'owned_by': 'me', 'permissions': []}
    about = {'title': '\U0001f999 llama.cpp Python API', 'version': '0.3.36'}
    server.on('/v1/models', reply({'object': 'list', 'data': [model]}))
    server.on('/openapi.json', reply({'openapi': '3.1.0', 'info': about, 'paths': {}}))
    server.on('/extras/tokenize', reply({'tokens': [2, 1909, 531, 506, 39791]}))
    return server


@pytest.fixture
def vllm(server: Any, reply: Any) -> Any:
    """Plays vLLM 0.11; reconstructed after its documented API, no real vLLM answers.

    Followed are "OpenAI-Compatible Server" (`/v1/models`, with `owned_by` and `max_model_len` of
    its `ModelCard`, and `/version`) and "Structured Outputs" (`structured_outputs.choice`, where
    servers before 0.12 also take `guided_choice`).
    """
    server.on(
        '/v1/models',
        reply({'data': [{'id': 'org/tiny', 'owned_by': 'vllm', 'max_model_len': 4096}]}),
    )
    server.on('/version', reply({'version': '0.11.2'}))
    return server


@pytest.fixture
def ollama(server: Any, reply: Any) -> Any:
    """Plays Ollama 0.12; reconstructed after its documented API, no real Ollama answers.

    Followed are `docs/openai.md` (`/v1/models`) and `docs/api.md` (`/api/version`, `/api/show`
    with `model_info`, `/api/generate` with `raw` and, since 0.5, a JSON schema as `format`).
    """
    server.on('/v1/models', reply({'data': [{'id': 'tiny:latest', 'owned_by': 'library'}]}))
    server.on('/api/version', reply({'version': '0.12.0'}))
    server.on('/api/show', reply({'model_info': {'tiny.context_length': 4096}}))
    return server


@pytest.fixture
def other(server: Any, reply: Any) -> Any:
    """Plays a server of no known kind, with nothing but the paths of the OpenAI API; not real."""
    server.on('/v1/models', reply({'data': [{'id': 'tiny'}, {'id': 'large'}]}))
    return server


def completion(text: str, **more: Any) -> dict[str, Any]:
    """An answer of `/v1/completions`, reconstructed after the OpenAI API reference."""
    return {'choices': [{'text': text}], **more}


def chat(text: str | None) -> dict[str, Any]:
    """An answer of `/v1/chat/completions`, reconstructed after the OpenAI API reference."""
    return {
        'choices': [{'message': {'role': 'assistant', 'content': text}}],
        'usage': {'prompt_tokens': 7, 'completion_tokens': 2},
    }


@pytest.mark.parametrize(
    ('base_url', 'api', 'root'),
    [
        ('http://h:1', 'http://h:1/v1', 'http://h:1'),
        ('http://h:1/', 'http://h:1/v1', 'http://h:1'),
        (' http://h:1/v1/ ', 'http://h:1/v1', 'http://h:1'),
        ('https://h/api/v1', 'https://h/api/v1', 'https://h/api'),
        ('https://h/v1beta/openai/', 'https://h/v1beta/openai', 'https://h/v1beta/openai'),
    ],
)
def test_a_base_url_is_taken_with_and_without_its_path(base_url: str, api: str, root: str) -> None:
    assert ServerAddress.parse(base_url) == ServerAddress(api, root)


@pytest.mark.parametrize(
    'base_url',
    [
        '',
        'localhost:8080',
        'ftp://h',
        'http://',
        'http://user:secret@h',
        'http://h?key=secret',
        'http://h:99999999',
        'http://[bad',
        'http://xn--/',
    ],
)
def test_an_address_that_cannot_be_used_is_refused_without_its_secrets(base_url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        ServerAddress.parse(base_url)
    assert 'secret' not in str(caught.value)


def test_a_llama_server_is_recognised(llama: Any, opened: Opening) -> None:
    model = opened(llama.url)
    profile = model.connect(CancelToken())
    assert profile.kind is ServerKind.LLAMA_SERVER
    assert profile.constraints[0] is Constraint.GRAMMAR
    assert model.context_tokens == 2048
    assert model.name == 'tiny'
    assert len(llama.requests('/props')) == 1, 'a server is asked once'


def test_a_server_of_llama_cpp_python_is_recognised(
    llama_cpp_python: Any, opened: Opening
) -> None:
    model = opened(llama_cpp_python.url, context_tokens=512)
    profile = model.connect(CancelToken())
    assert (profile.kind, profile.version) == (ServerKind.LLAMA_CPP_PYTHON, '0.3.36')
    assert (model.name, model.context_tokens) == ('tiny', 512)
    assert model.count_tokens('go to the fridge') == 5
    asked = llama_cpp_python.requests('/extras/tokenize')[0].body
    assert asked == {'model': '/models/tiny.gguf', 'input': 'go to the fridge'}


def test_a_vllm_server_is_recognised(vllm: Any, opened: Opening) -> None:
    profile = opened(vllm.url).connect(CancelToken())
    assert (profile.kind, profile.context_tokens) == (ServerKind.VLLM, 4096)
    assert profile.constraints[0] is Constraint.STRUCTURED_CHOICE


@pytest.mark.parametrize(
    ('version', 'first'),
    [
        ('0.8.5', Constraint.GUIDED_CHOICE),
        ('0.12.0rc1', Constraint.STRUCTURED_CHOICE),
        ('1.0', Constraint.STRUCTURED_CHOICE),
        ('dev', Constraint.GUIDED_CHOICE),
    ],
)
def test_the_choice_field_of_vllm_follows_its_version(
    vllm: Any, reply: Any, opened: Opening, version: str, first: Constraint
) -> None:
    vllm.on('/version', reply({'version': version}))
    assert opened(vllm.url).connect(CancelToken()).constraints[0] is first


def test_an_ollama_server_is_recognised(ollama: Any, opened: Opening) -> None:
    profile = opened(ollama.url, model='tiny').connect(CancelToken())
    assert (profile.kind, profile.model) == (ServerKind.OLLAMA, 'tiny:latest')
    assert profile.context_tokens == 4096


def test_which_of_several_models_must_be_said(other: Any, opened: Opening) -> None:
    with pytest.raises(ConfigurationError, match=r'Say which model.*large, tiny'):
        opened(other.url).connect(CancelToken())
    assert opened(other.url, model='tiny').connect(CancelToken()).kind is ServerKind.OTHER


def test_a_model_that_the_server_does_not_have_is_refused(vllm: Any, opened: Opening) -> None:
    with pytest.raises(ConfigurationError, match=r"does not have the model 'big'.*org/tiny"):
        opened(vllm.url, model='big').connect(CancelToken())


def test_a_gateway_without_a_model_list_needs_a_name(
    server: Any, reply: Any, opened: Opening
) -> None:
    with pytest.raises(ConfigurationError, match='no list of models'):
        opened(server.url).connect(CancelToken())
    assert opened(server.url, model='x').connect(CancelToken()).model == 'x'


def test_a_server_of_something_else_is_an_error(server: Any, reply: Any, opened: Opening) -> None:
    server.on('/v1/models', reply(['hello']))
    with pytest.raises(ModelError, match='no OpenAI-compatible server'):
        opened(server.url).session(CancelToken())


def test_a_session_begins_only_when_wanted(llama: Any, opened: Opening) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(CanceledError):
        opened(llama.url).session(cancel)


def test_generate_continues_raw_text_with_the_prompt_cache(
    llama: Any, reply: Any, opened: Opening
) -> None:
    llama.on(
        '/v1/completions',
        reply(
            completion(
                ' I look.\nAct:',
                usage={
                    'prompt_tokens': 20,
                    'completion_tokens': 5,
                    'prompt_tokens_details': {'cached_tokens': 18},
                },
            )
        ),
    )
    session = opened(llama.url).session(CancelToken(), 'Rules.\n')
    session.append('Think: ')
    assert session.generate(max_tokens=9, seed=3) == 'I look.'
    assert session.text == 'Rules.\nThink: I look.'
    body = llama.requests('/v1/completions')[0].body
    assert body['prompt'] == 'Rules.\nThink:', 'the last space belongs to the next token'
    assert body['cache_prompt'] is True
    assert (body['max_tokens'], body['stop'], body['temperature'], body['seed']) == (
        9,
        ['\n'],
        0.0,
        3,
    )
    usage = session.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (20, 18, 5)
    assert (usage.evaluated_tokens, usage.requests, usage.model) == (7, 1, 'tiny')
    assert usage.latency > 0.0
    assert 'top_p' not in body, 'not every server knows it'
    session.generate(temperature=0.8, top_p=0.9)
    assert llama.requests('/v1/completions')[1].body['top_p'] == 0.9


def test_generate_cuts_at_the_first_stop_whatever_the_server_does(
    llama: Any, reply: Any, opened: Opening
) -> None:
    llama.on('/v1/completions', reply(completion('one. two; three')))
    session = opened(llama.url).session(CancelToken())
    assert session.generate(stop=(';', '. ')) == 'one'
    stops = tuple('ABCDEFG')
    session.generate(stop=stops)
    assert llama.requests('/v1/completions')[-1].body['stop'] == list('ABCD')


def test_an_answer_longer_than_asked_for_is_cut(llama: Any, reply: Any, opened: Opening) -> None:
    llama.on('/v1/completions', reply(completion('x' * 100_000)))
    assert len(opened(llama.url).session(CancelToken()).generate(max_tokens=2)) <= 128


def test_a_grammar_keeps_a_llama_server_to_the_options(
    llama: Any, reply: Any, opened: Opening
) -> None:
    logprobs = {
        'content': [
            {'token': ' go', 'bytes': list(b' go'), 'logprob': -0.1, 'top_logprobs': []},
            {'token': ' to', 'bytes': list(b' to'), 'logprob': -0.1, 'top_logprobs': []},
            {
                'token': ' sink',
                'bytes': list(b' sink'),
                'logprob': -0.5,
                'top_logprobs': [
                    {'token': ' sink', 'bytes': list(b' sink'), 'logprob': -0.5},
                    {'token': ' fridge', 'bytes': list(b' fridge'), 'logprob': -1.0},
                ],
            },
            {'token': ' 1', 'bytes': list(b' 1'), 'logprob': -0.0, 'top_logprobs': []},
        ]
    }
    llama.on(
        '/v1/completions', reply({'choices': [{'text': ' go to sink 1', 'logprobs': logprobs}]})
    )
    session = opened(llama.url).session(CancelToken(), 'Act: ')
    selection = session.select(OPTIONS)
    assert selection.index == 1
    assert math.isclose(selection.log_probability, -0.7)
    assert math.isclose(selection.margin, 0.0) or selection.margin <= 0.5
    assert session.text == 'Act: go to sink 1'
    body = llama.requests('/v1/completions')[0].body
    assert body['prompt'] == TOLD + 'Act:'
    assert body['grammar'].startswith('root ::= " " ')


def test_a_grammar_keeps_llama_cpp_python_to_the_options(
    llama_cpp_python: Any, reply: Any, opened: Opening
) -> None:
    answer = completion(
        ' open fridge 1',
        usage={'prompt_tokens': 3, 'completion_tokens': 10, 'total_tokens': 13},
    )
    answer['choices'][0] |= {'index': 0, 'logprobs': None, 'finish_reason': 'stop'}
    llama_cpp_python.on('/v1/completions', reply(answer))
    session = opened(llama_cpp_python.url).session(CancelToken(), 'Act: ')
    selection = session.select(OPTIONS)
    assert (selection.index, selection.log_probability) == (2, 0.0)
    body = llama_cpp_python.requests('/v1/completions')[0].body
    assert body['prompt'] == TOLD + 'Act:'
    assert body['grammar'].startswith('root ::= " " ("go to')
    assert 'logprobs' not in body
    assert (session.usage.prompt_tokens, session.usage.completion_tokens) == (3, 10)


def test_a_choice_keeps_vllm_to_the_options(vllm: Any, reply: Any, opened: Opening) -> None:
    # Reconstructed after vLLM 0.11, not recorded: log-probabilities as parallel lists.
    vllm.on(
        '/v1/completions',
        reply(
            {
                'choices': [
                    {
                        'text': ' open fridge 1',
                        'logprobs': {
                            'tokens': [' open', ' fridge', ' 1'],
                            'token_logprobs': [-0.2, -0.1, 0.0],
                            'top_logprobs': [{' open': -0.2, ' go': -1.7}, {}, {}],
                        },
                    }
                ]
            }
        ),
    )
    selection = opened(vllm.url).session(CancelToken(), 'Act: ').select(OPTIONS)
    assert selection.index == 2
    assert math.isclose(selection.margin, 1.5)
    body = vllm.requests('/v1/completions')[0].body
    assert body['structured_outputs'] == {'choice': [f' {option}' for option in OPTIONS]}


def test_a_format_keeps_ollama_to_the_options(ollama: Any, reply: Any, opened: Opening) -> None:
    # Reconstructed after docs/api.md of Ollama 0.12, not recorded: the answer is JSON in a string.
    ollama.on(
        '/api/generate', reply({'response': '"Expand:"', 'prompt_eval_count': 11, 'eval_count': 3})
    )
    session = opened(ollama.url).session(CancelToken(), 'Next: ')
    assert session.select(['Think: ', 'Expand:\n']).index == 1
    assert session.text == 'Next: Expand:\n'
    body = ollama.requests('/api/generate')[0].body
    assert body['raw'] is True
    assert body['format'] == {'type': 'string', 'enum': ['Think:', 'Expand:']}
    assert body['options']['num_ctx'] == 4096
    assert (session.usage.prompt_tokens, session.usage.completion_tokens) == (11, 3)


def test_a_schema_keeps_other_servers_to_the_options(
    other: Any, reply: Any, opened: Opening
) -> None:
    other.on('/v1/chat/completions', reply(chat('{"choice": "go to sink 1"}')))
    session = opened(other.url, model='tiny').session(CancelToken(), 'Act: ')
    assert session.select(OPTIONS).index == 1
    body = other.requests('/v1/chat/completions')[0].body
    schema = body['response_format']['json_schema']['schema']
    assert schema['properties']['choice']['enum'] == OPTIONS
    assert body['messages'][-1]['content'].startswith('Act: ')


def test_json_mode_keeps_servers_to_the_options_that_refuse_the_newer_schemas(
    other: Any, reply: Any, opened: Opening
) -> None:
    def answering(seen: Any) -> Any:
        if seen.body['response_format']['type'] == 'json_schema':
            # Recorded from `llama_cpp.server`, which answers so with status 500.
            said = "1 validation error: 'msg': \"Input should be 'text' or 'json_object'\""
            return reply({'error': {'message': said, 'type': 'internal_server_error'}}, 500)
        return reply(chat('{"choice": "go to sink 1"}'))

    other.on('/v1/chat/completions', answering)
    session = opened(other.url, model='tiny').session(CancelToken(), 'Act: ')
    assert [session.select(OPTIONS).index for _ in range(2)] == [1, 1]
    kinds = [
        seen.body['response_format']['type'] for seen in other.requests('/v1/chat/completions')
    ]
    assert kinds == ['json_schema', 'json_schema', 'json_object', 'json_object']
    schema = other.seen[-1].body['response_format']['schema']
    assert schema['properties']['choice']['enum'] == OPTIONS


def test_a_constraint_that_is_refused_is_not_asked_for_again(
    llama: Any, reply: Any, opened: Opening
) -> None:
    llama.on('/v1/completions', reply({'error': {'message': 'unknown field grammar'}}, 400))
    llama.on('/v1/chat/completions', reply(chat('{"choice": "go to sink 1"}')))
    session = opened(llama.url).session(CancelToken(), 'Act: ')
    assert [session.select(OPTIONS).index for _ in range(3)] == [1, 1, 1]
    assert len(llama.requests('/v1/completions')) == 1


def test_a_constraint_that_is_ignored_is_given_up_after_three_times(
    vllm: Any, reply: Any, opened: Opening
) -> None:
    vllm.on('/v1/completions', reply(completion(' sing a song')))
    vllm.on('/v1/chat/completions', reply(chat('{"choice": "go to sink 1"}')))
    session = opened(vllm.url).session(CancelToken(), 'Act: ')
    assert [session.select(OPTIONS).index for _ in range(5)] == [1] * 5
    assert len(vllm.requests('/v1/completions')) == 3


def test_a_failing_server_is_not_taken_for_a_lesser_one(
    llama: Any, reply: Any, opened: Opening
) -> None:
    llama.on('/v1/completions', reply({}, 503))
    with pytest.raises(ModelError, match='HTTP 503'):
        opened(llama.url).session(CancelToken()).select(OPTIONS)
    assert not llama.requests('/v1/chat/completions')


def test_without_any_constraint_a_wrong_proposal_is_corrected(
    other: Any, reply: Any, opened: Opening
) -> None:
    def answering(seen: Any) -> Any:
        if 'response_format' in seen.body:
            return reply({'error': {'message': 'response_format is not supported'}}, 400)
        said = len(seen.body['messages'])
        return reply(chat('I would clean the sink.' if said == 2 else 'Go to sink 1.'))

    other.on('/v1/chat/completions', answering)
    session = opened(other.url, model='tiny').session(CancelToken(), 'Act: ')
    selection = session.select(OPTIONS)
    assert selection.index == 1
    assert session.text == 'Act: go to sink 1'
    messages = other.requests('/v1/chat/completions')[-1].body['messages']
    assert messages[2] == {'role': 'assistant', 'content': 'I would clean the sink.'}
    assert 'not one of the options' in messages[3]['content']
    assert session.usage.prompt_tokens == 14, 'rejected answers cost tokens too'
    assert session.usage.requests == 1


def test_a_raw_proposal_is_corrected_in_the_prompt_and_not_in_the_session(
    llama: Any, reply: Any, opened: Opening
) -> None:
    def answering(seen: Any) -> Any:
        if 'grammar' in seen.body:
            return reply({'error': {'message': 'no grammar'}}, 400)
        corrected = 'That is not possible' in seen.body['prompt']
        return reply(completion(' open fridge 1' if corrected else ' dance'))

    llama.on('/v1/completions', answering)
    session = opened(llama.url).session(CancelToken(), 'You see a fridge.\nAct: ')
    assert session.select(OPTIONS).index == 2
    assert session.text == 'You see a fridge.\nAct: open fridge 1'
    assert llama.requests('/v1/completions')[-1].body['prompt'].endswith('.)\nAct:')


def test_a_model_that_never_names_an_option_ends_in_an_error(
    other: Any, reply: Any, opened: Opening
) -> None:
    other.on('/v1/chat/completions', reply(chat('I cannot say.')))
    session = opened(other.url, model='tiny', max_corrections=2).session(CancelToken(), 'Act: ')
    with pytest.raises(ModelOutputError, match=r"none of 3 options in 3 tries.*'I cannot say"):
        session.select(OPTIONS)
    assert session.text == 'Act: '
    assert session.usage.requests == 1
    assert session.usage.prompt_tokens == 35, 'two constraints ignored, then three proposals'


def test_chat_is_used_where_there_are_no_completions(
    other: Any, reply: Any, opened: Opening
) -> None:
    other.on('/v1/chat/completions', reply(chat('Think: I look around.\nAct: x')))
    session = opened(other.url, model='tiny').session(CancelToken(), 'Goal.\nThink: ')
    assert session.generate() == 'I look around.'
    session.append('\nThink:')
    assert session.generate() == ' I look around.'
    assert len(other.requests('/v1/completions')) == 1


def test_a_field_that_a_model_refuses_is_left_out_or_renamed(
    other: Any, reply: Any, opened: Opening
) -> None:
    def answering(seen: Any) -> Any:
        for name in ('max_tokens', 'temperature', 'stop'):
            if name in seen.body:
                return reply(
                    {'error': {'message': f'Unsupported parameter: {name}', 'param': name}}, 400
                )
        return reply(chat('fine\nand more'))

    other.on('/v1/chat/completions', answering)
    session = opened(other.url, model='tiny').session(CancelToken())
    assert session.generate(max_tokens=5) == 'fine'
    body = other.requests('/v1/chat/completions')[-1].body
    assert body['max_completion_tokens'] == 5
    assert 'temperature' not in body


@pytest.mark.parametrize(
    'answer',
    [[], {}, {'choices': []}, {'choices': [1]}, {'choices': [{'text': 5}]}, '"text"', None],
)
def test_an_answer_in_another_shape_is_an_output_error(
    llama: Any, reply: Any, opened: Opening, answer: Any
) -> None:
    llama.on('/v1/completions', reply(answer))
    with pytest.raises(ModelOutputError, match='not OpenAI-compatible'):
        opened(llama.url).session(CancelToken()).generate()


def test_strange_numbers_in_an_answer_do_no_harm(llama: Any, reply: Any, opened: Opening) -> None:
    body = json.dumps(
        completion(
            ' go to sink 1',
            usage={
                'prompt_tokens': -5,
                'completion_tokens': True,
                'prompt_tokens_details': {'cached_tokens': 'many'},
            },
        )
    )
    body = body.replace('-5', '1e99')
    llama.on('/v1/completions', reply(body))
    session = opened(llama.url).session(CancelToken(), 'Act: ')
    assert session.select(OPTIONS).index == 1
    assert 0 < session.usage.prompt_tokens < 100, 'estimated, as the server did not count'


def test_a_single_option_is_taken_without_asking(llama: Any, opened: Opening) -> None:
    session = opened(llama.url).session(CancelToken())
    assert session.select(['only']).margin == math.inf
    assert session.text == 'only'
    assert not llama.requests('/v1/completions')


@pytest.mark.parametrize('options', [[], ['a', ''], ['a', 'a']])
def test_options_that_cannot_be_told_apart_are_refused(
    llama: Any, opened: Opening, options: list[str]
) -> None:
    with pytest.raises(ModelError, match='different, non-empty'):
        opened(llama.url).session(CancelToken()).select(options)


def test_a_fork_goes_its_own_way(llama: Any, opened: Opening) -> None:
    session = opened(llama.url).session(CancelToken(), 'a')
    fork = session.fork()
    fork.append('b')
    session.append('c')
    assert (session.text, fork.text, fork.usage.requests) == ('ac', 'ab', 0)
    fork.drop()


@pytest.mark.parametrize('asking', ['select', 'generate'])
def test_a_cancel_ends_a_request_within_half_a_second(
    llama: Any, reply: Any, opened: Opening, asking: str, canceler: Any
) -> None:
    llama.on('/v1/completions', reply(fault='drip'))
    session = opened(llama.url, read_timeout=30.0).session(canceler.token, 'Act: ')
    canceler.start()
    with pytest.raises(CanceledError):
        session.select(OPTIONS) if asking == 'select' else session.generate()
    assert canceler.seconds_since() < 0.5
    assert llama.disconnected.wait(2.0)
    assert session.text == 'Act: '


def test_a_cancel_ends_the_first_contact_and_counting_too(
    llama: Any, reply: Any, opened: Opening, canceler: Any
) -> None:
    llama.on('/tokenize', reply(fault='drip'))
    model = opened(llama.url, read_timeout=30.0)
    model.connect(canceler.token)
    canceler.start()
    with pytest.raises(CanceledError):
        model.count_tokens('three small words')
    assert canceler.seconds_since() < 0.5
    llama.on('/v1/models', reply(fault='drip'))
    with pytest.raises(CanceledError):
        opened(llama.url, read_timeout=30.0).connect(canceler.token)


def test_after_a_count_that_failed_tokens_are_estimated_for_a_while(
    llama: Any, reply: Any, opened: Opening
) -> None:
    llama.on('/tokenize', reply({}, 500))
    model = opened(llama.url, max_retries=0)
    assert [model.count_tokens(f'three small words {number}') for number in range(9)] == [7] * 9
    assert len(llama.requests('/tokenize')) == 1


@pytest.mark.parametrize('status', [429, 503])
def test_a_server_that_is_loading_its_model_is_asked_again(
    llama: Any, reply: Any, opened: Opening, status: int
) -> None:
    ready = reply({'default_generation_settings': {'n_ctx': 2048}, 'build_info': 'b1'})
    llama.on('/props', reply({'error': {'message': 'Loading model'}}, status))
    model = opened(llama.url)
    with pytest.raises(ModelError, match=f'HTTP {status}'):
        model.connect(CancelToken())
    llama.on('/props', ready)
    assert model.connect(CancelToken()).kind is ServerKind.LLAMA_SERVER
    assert model.context_tokens == 2048


def test_tokens_are_counted_by_the_server_once(llama: Any, opened: Opening) -> None:
    model = opened(llama.url)
    assert [model.count_tokens('three small words') for _ in range(3)] == [3, 3, 3]
    assert model.count_tokens('') == 0
    assert len(llama.requests('/tokenize')) == 1


def test_tokens_are_estimated_where_the_server_has_no_tokenizer(
    other: Any, opened: Opening
) -> None:
    assert opened(other.url, model='tiny').count_tokens('three small words') == 6


def test_no_key_is_shown(llama: Any, opened: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('TEST_KEY', 'sk-secret')
    model = opened(llama.url, api_key_env='TEST_KEY')
    model.connect(CancelToken())
    assert llama.seen[-1].headers['Authorization'] == 'Bearer sk-secret'
    assert 'secret' not in repr(model)


@pytest.mark.parametrize(
    'wrong',
    [
        {'max_corrections': -1},
        {'context_tokens': -1},
        {'read_timeout': 0.0},
        {'api_key_env': 'NO_SUCH_VARIABLE_IS_SET'},
    ],
)
def test_arguments_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        OpenAiServerModel('http://127.0.0.1:1', **wrong)


def test_several_continuations_are_one_request_where_the_server_gives_them(
    vllm: Any, reply: Any, opened: Opening
) -> None:
    choices = [
        {
            'text': f' go {place}\nand on',
            'logprobs': {
                'tokens': [' go', f' {place}', '\n', 'and', ' on'],
                'token_logprobs': [-0.5, -1.0, -0.1, -2.0, -2.0],
            },
        }
        for place in ('north', 'south', 'west')
    ]
    usage = {'prompt_tokens': 9, 'completion_tokens': 15}
    vllm.on('/v1/completions', reply({'choices': choices, 'usage': usage}))
    session = opened(vllm.url).session(CancelToken(), 'Plan:')
    samples = tuple(session.sample((5, 6, 7), max_tokens=20, temperature=0.8, top_p=0.95))
    assert [sample.text for sample in samples] == [' go north', ' go south', ' go west']
    assert samples[0].tokens == ((' go', -0.5), (' north', -1.0))
    assert samples[0].mean_log_probability == -0.75
    (body,) = [seen.body for seen in vllm.seen if seen.path == '/v1/completions']
    assert (body['n'], body['seed'], body['temperature'], body['top_p']) == (3, 5, 0.8, 0.95)
    assert session.text == 'Plan:'
    assert (session.usage.prompt_tokens, session.usage.completion_tokens) == (9, 15)


def test_a_server_that_gives_one_answer_is_asked_once_for_each(
    llama: Any, reply: Any, opened: Opening
) -> None:
    llama.on('/v1/completions', reply(completion(' a')), reply(completion(' b')))
    session = opened(llama.url).session(CancelToken(), 'Plan:')
    assert [sample.text for sample in session.sample((5, 6))] == [' a', ' b']
    bodies = [seen.body for seen in llama.seen if seen.path == '/v1/completions']
    assert [(body['seed'], body.get('n')) for body in bodies] == [(5, 2), (6, None)]


def test_a_server_that_refuses_several_answers_is_asked_for_one(
    llama: Any, reply: Any, opened: Opening
) -> None:
    def answering(seen: Any) -> Any:
        if 'n' in seen.body or 'logprobs' in seen.body:
            return reply({'error': {'message': 'not supported'}}, status=400)
        return reply(completion(f' {seen.body["seed"]}'))

    llama.on('/v1/completions', answering)
    model = opened(llama.url)
    session = model.session(CancelToken(), 'Plan:')
    assert [sample.text for sample in session.sample((5, 6, 7))] == [' 5', ' 6', ' 7']
    refused = sum('n' in (seen.body or {}) for seen in llama.seen)
    assert refused == 1, 'it is not asked for that again'
