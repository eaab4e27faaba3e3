"""What a model server offers: found out once by asking it, then used for every request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

import httpx

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_core.errors import ModelOutputError
from reactree_planner.llm.http_client import HttpClient
from reactree_planner.llm.http_client import RequestRefused
from reactree_planner.llm.token_trie import TokenScore

#: Context of a server that does not tell; small enough for every model in use.
DEFAULT_CONTEXT = 8192
_NAMES_SHOWN = 8
_PROBE_SECONDS = 10.0
#: Answers of a server that is busy, or loads its model (llama-server).
_NOT_YET = (429, 503)
#: In the title of the interface description that `llama_cpp.server` publishes.
_LLAMA_CPP_PYTHON = 'llama.cpp Python API'


class ServerKind(Enum):
    """Servers that are told apart because each constrains its answers in another way."""

    LLAMA_SERVER = 'llama-server'
    LLAMA_CPP_PYTHON = 'llama-cpp-python'
    VLLM = 'vLLM'
    OLLAMA = 'Ollama'
    OPENAI = 'OpenAI'
    OTHER = 'OpenAI-compatible'


class Completion(Enum):
    """How text is continued: raw where possible, so that the server's prompt cache works."""

    RAW = 'completions'
    OLLAMA_RAW = 'api/generate'
    CHAT = 'chat/completions'


class Constraint(Enum):
    """How `select` is kept to its options."""

    GRAMMAR = 'grammar'
    STRUCTURED_CHOICE = 'structured_outputs.choice'
    GUIDED_CHOICE = 'guided_choice'
    OLLAMA_FORMAT = 'format'
    JSON_SCHEMA = 'response_format.json_schema'
    JSON_OBJECT = 'response_format.json_object'
    PROPOSE = 'propose, validate, correct'


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A base URL taken apart.

    :param api: where `/models` and `/completions` are, without a slash at the end.
    :param root: where a server's own paths (`/props`, `/api/version`) are.
    """

    api: str
    root: str

    @classmethod
    def parse(cls, base_url: str) -> ServerAddress:
        """`http://host:8080`, `http://host:8080/v1` or another full API path.

        :raises ConfigurationError: not an http(s) address, or one with secrets in it.
        """
        try:
            url = httpx.URL(base_url.strip())
            # Both raise where httpx.URL does not look.
            urlsplit(base_url.strip()).port, url.host
        except (httpx.InvalidURL, ValueError) as error:
            raise ConfigurationError(
                'The base URL of the model server is no address: give it like http://host:8080/v1.'
            ) from error
        if url.userinfo or url.query or url.fragment:
            raise ConfigurationError(
                'The base URL of the model server must hold no user, password, query or '
                'fragment: put the key into an environment variable and its name into '
                'api_key_variable.'
            )
        if url.scheme not in ('http', 'https') or not url.host:
            raise ConfigurationError(
                f'The base URL {base_url.strip()[:200]!r} is no http(s) address: give it like '
                'http://host:8080/v1.'
            )
        path = str(url).rstrip('/')
        if url.path in ('', '/'):
            return cls(f'{path}/v1', path)
        return cls(path, path.removesuffix('/v1'))


@dataclass(frozen=True, slots=True)
class ServerProfile:
    """What to use of one server.

    :param model: id to send. :param context_tokens: longest prompt and answer together.
    :param completion: ways to continue text, best first.
    :param constraints: ways to keep `select` to its options, best first, PROPOSE last.
    :param tokenizer: path of a tokenizer under the root, '' without one.
    :param top_logprobs: alternatives per token that may be asked for, 0 for none.
    """

    kind: ServerKind
    version: str
    model: str
    context_tokens: int
    completion: tuple[Completion, ...]
    constraints: tuple[Constraint, ...]
    tokenizer: str = ''
    top_logprobs: int = 0


def detect_server(
    http: HttpClient, address: ServerAddress, model: str, context_tokens: int, cancel: CancelToken
) -> ServerProfile:
    """Ask a server what it is.

    :param model: wanted model id; '' for the only one it has.
    :param context_tokens: 0 for what the server says, or DEFAULT_CONTEXT.
    :raises ConfigurationError: the server does not have that model, or which one is not said.
    :raises ModelError: no usable answer. :raises CanceledError: stopped.
    """
    offered = _offered_models(http, address, cancel)
    if httpx.URL(address.api).host == 'api.openai.com':
        return ServerProfile(
            ServerKind.OPENAI,
            '',
            _chosen(model, offered, address, strict=False),
            context_tokens or DEFAULT_CONTEXT,
            (Completion.CHAT,),
            (Constraint.JSON_SCHEMA, Constraint.PROPOSE),
        )
    properties = _probe(http, f'{address.root}/props', cancel)
    settings = properties.get('default_generation_settings')
    if isinstance(settings, dict):
        return ServerProfile(
            ServerKind.LLAMA_SERVER,
            str(properties.get('build_info', ''))[:80],
            _chosen(model, offered, address, strict=False),
            context_tokens or _positive(settings.get('n_ctx')) or DEFAULT_CONTEXT,
            (Completion.RAW,),
            (Constraint.GRAMMAR, Constraint.JSON_SCHEMA, Constraint.PROPOSE),
            '/tokenize',
            10,
        )
    version = _probe(http, f'{address.root}/version', cancel).get('version')
    if isinstance(version, str):
        chosen = _chosen(model, offered, address, strict=True)
        return ServerProfile(
            ServerKind.VLLM,
            version[:80],
            chosen,
            context_tokens
            or _positive(offered.get(chosen, {}).get('max_model_len'))
            or DEFAULT_CONTEXT,
            (Completion.RAW, Completion.CHAT),
            (*_vllm_choices(version), Constraint.JSON_SCHEMA, Constraint.PROPOSE),
            '/tokenize',
            5,
        )
    version = _probe(http, f'{address.root}/api/version', cancel).get('version')
    if isinstance(version, str):
        chosen = _chosen(model, offered, address, strict=True)
        return ServerProfile(
            ServerKind.OLLAMA,
            version[:80],
            chosen,
            context_tokens or _ollama_context(http, address, chosen, cancel),
            (Completion.OLLAMA_RAW, Completion.CHAT),
            (Constraint.OLLAMA_FORMAT, Constraint.JSON_SCHEMA, Constraint.PROPOSE),
        )
    about = _probe(http, f'{address.root}/openapi.json', cancel).get('info')
    if isinstance(about, dict) and _LLAMA_CPP_PYTHON in str(about.get('title')):
        # It does not tell its context. Log-probabilities are not asked for: it computes them for
        # all tokens it can hold, seconds per choice, and may refuse them (without logits_all).
        return ServerProfile(
            ServerKind.LLAMA_CPP_PYTHON,
            str(about.get('version', ''))[:80],
            _chosen(model, offered, address, strict=False),
            context_tokens or DEFAULT_CONTEXT,
            (Completion.RAW,),
            (Constraint.GRAMMAR, Constraint.JSON_OBJECT, Constraint.PROPOSE),
            '/extras/tokenize',
        )
    return ServerProfile(
        ServerKind.OTHER,
        '',
        _chosen(model, offered, address, strict=False),
        context_tokens or DEFAULT_CONTEXT,
        (Completion.RAW, Completion.CHAT),
        (Constraint.JSON_SCHEMA, Constraint.JSON_OBJECT, Constraint.PROPOSE),
    )


def _offered_models(
    http: HttpClient, address: ServerAddress, cancel: CancelToken
) -> dict[str, Mapping[str, Any]]:
    try:
        answer = http.get(f'{address.api}/models', cancel)
    except RequestRefused as refused:
        # Some gateways have no model list; they need the name from the user.
        if refused.status not in (404, 405, 501):
            raise
        return {}
    entries = answer.get('data') if isinstance(answer, dict) else None
    if not isinstance(entries, list):
        raise ModelError(
            f'{http.address} answers /models with something else than a list of models: it is '
            'no OpenAI-compatible server, or the path is wrong.'
        )
    return {
        entry['id']: entry
        for entry in entries
        if isinstance(entry, dict) and isinstance(entry.get('id'), str)
    }


def _chosen(
    model: str, offered: Mapping[str, Mapping[str, Any]], address: ServerAddress, strict: bool
) -> str:
    names = ', '.join(sorted(offered)[:_NAMES_SHOWN])[:400]
    if model:
        if model in offered or not offered or not strict:
            return model
        if f'{model}:latest' in offered:
            return f'{model}:latest'
        raise ConfigurationError(
            f'{address.api} does not have the model {model[:100]!r}; it has: {names}.'
        )
    if len(offered) == 1:
        return next(iter(offered))
    raise ConfigurationError(
        f'Say which model of {address.api} to use; it has: {names or "no list of models"}.'
    )


def _probe(http: HttpClient, url: str, cancel: CancelToken) -> dict[str, Any]:
    """JSON object at a path that only some servers have; {} where it is not.

    :raises ModelError: the server is loading its model or busy, so this says nothing.
    """
    try:
        answer = http.get(url, cancel, tries=1, within=_PROBE_SECONDS)
    except RequestRefused as refused:
        if refused.status in _NOT_YET:
            raise
        return {}
    except ModelError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _vllm_choices(version: str) -> tuple[Constraint, ...]:
    """The newer field came with 0.10.2, the older went with 0.12; unknown fields are ignored."""
    numbers = [int(part) if part.isdigit() else 0 for part in version.split('.')[:2]]
    if numbers >= [0, 11] or numbers[:1] >= [1]:
        return (Constraint.STRUCTURED_CHOICE,)
    return (Constraint.GUIDED_CHOICE, Constraint.STRUCTURED_CHOICE)


def _ollama_context(
    http: HttpClient, address: ServerAddress, model: str, cancel: CancelToken
) -> int:
    """The model's own context, at most DEFAULT_CONTEXT: Ollama reserves memory for all of it."""
    try:
        answer = http.post(f'{address.root}/api/show', {'model': model}, cancel)
    except RequestRefused:
        return DEFAULT_CONTEXT
    details = answer.get('model_info') if isinstance(answer, dict) else None
    lengths = (
        [
            _positive(value)
            for name, value in details.items()
            if str(name).endswith('.context_length')
        ]
        if isinstance(details, dict)
        else []
    )
    return min([DEFAULT_CONTEXT, *filter(None, lengths)])


def _positive(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


#: Asked for in a chat, whose answer names the option in JSON.
CHAT_JSON = (Constraint.JSON_SCHEMA, Constraint.JSON_OBJECT)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered.

    :param prompt_tokens: None when it did not count.
    :param tokens: with their log-probabilities; empty when not told.
    """

    text: str
    prompt_tokens: int | None = None
    cached_tokens: int = 0
    completion_tokens: int | None = None
    tokens: tuple[TokenScore, ...] = ()


def read_json_choice(constraint: Constraint, text: str) -> str:
    """The option named in a JSON answer; '' when there is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ''
    if constraint in CHAT_JSON:
        value = value.get('choice') if isinstance(value, dict) else None
    return value if isinstance(value, str) else ''


def read_answer(completion: Completion, value: object, where: str) -> Answer:
    """One answer of any of the three paths.

    :param where: the server's address, for the message.
    :raises ModelOutputError: it holds no text where text belongs.
    """
    if not isinstance(value, dict):
        raise _unreadable(where, completion)
    if completion is Completion.OLLAMA_RAW:
        text = value.get('response')
        if not isinstance(text, str):
            raise _unreadable(where, completion)
        return Answer(
            text, _count(value.get('prompt_eval_count')), 0, _count(value.get('eval_count'))
        )
    choices = value.get('choices')
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise _unreadable(where, completion)
    if completion is Completion.CHAT:
        message = choice.get('message')
        # A refusal or an answer that was all reasoning has no content.
        text = (message.get('content') or '') if isinstance(message, dict) else None
    else:
        text = choice.get('text')
    if not isinstance(text, str):
        raise _unreadable(where, completion)
    usage = _object(value.get('usage'))
    timings = _object(value.get('timings'))
    prompt = _count(usage.get('prompt_tokens'))
    cached = _count(_object(usage.get('prompt_tokens_details')).get('cached_tokens'))
    if cached is None:
        cached = _count(timings.get('cache_n'))
    return Answer(
        text,
        prompt,
        min(cached or 0, prompt or 0),
        _count(usage.get('completion_tokens')),
        _token_scores(choice.get('logprobs')),
    )


def _unreadable(where: str, completion: Completion) -> ModelOutputError:
    return ModelOutputError(
        f'{where} answers {completion.value} in a shape that is not OpenAI-compatible: check the '
        'address and the version of the server.'
    )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int | None:
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40
    return value if good and isinstance(value, int) else None


def _token_scores(value: object) -> tuple[TokenScore, ...]:
    """Log-probabilities in today's form (`content`) or the older parallel lists."""
    told = _object(value)
    content = told.get('content')
    if isinstance(content, list):
        return tuple(
            TokenScore(
                _bytes(entry),
                _score(entry.get('logprob')),
                tuple(
                    (_bytes(rival), _score(rival.get('logprob')))
                    for rival in entry.get('top_logprobs') or ()
                    if isinstance(rival, dict)
                ),
            )
            for entry in content
            if isinstance(entry, dict)
        )
    texts, scores = told.get('tokens'), told.get('token_logprobs')
    if not isinstance(texts, list) or not isinstance(scores, list):
        return ()
    tops = told.get('top_logprobs')
    rivals = tops if isinstance(tops, list) and len(tops) == len(texts) else [None] * len(texts)
    return tuple(
        TokenScore(
            str(text).encode(),
            _score(score),
            tuple((str(name).encode(), _score(other)) for name, other in _object(top).items()),
        )
        for text, score, top in zip(texts, scores, rivals, strict=False)
    )


def _bytes(entry: dict[str, Any]) -> bytes:
    given = entry.get('bytes')
    if isinstance(given, list) and all(isinstance(n, int) and 0 <= n < 256 for n in given):
        return bytes(given)
    return str(entry.get('token', '')).encode(errors='replace')


def _score(value: object) -> float:
    return float(value) if isinstance(value, int | float) and value == value else 0.0
