"""What a model server offers: found out once by asking it, then used for every request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import httpx

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, ModelError
from reactree_core.server_access import parse_address
from reactree_planner.llm.openai_server.connection import RequestRefused, ServerConnection

#: Context of a server that does not say; small enough for every model in use.
DEFAULT_CONTEXT = 8192
_NAMES_SHOWN = 8
_PROBE_SECONDS = 10.0
#: Answers of a server that is busy, or loads its model (llama-server).
_NOT_YET = (429, 503)
#: In the title of the interface description that `llama_cpp.server` publishes.
_LLAMA_CPP_PYTHON = 'llama.cpp Python API'


class ServerKind(Enum):
    """Servers that are distinguished because each constrains its answers in another way."""

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
        url = parse_address(base_url, 'The base URL of the model server', 'api_key_variable')
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
    http: ServerConnection,
    address: ServerAddress,
    model: str,
    context_tokens: int,
    cancel: CancelToken,
    usual_context: int = DEFAULT_CONTEXT,
) -> ServerProfile:
    """Ask a server what it is.

    :param model: wanted model id; '' for the only one it has.
    :param context_tokens: 0 for what the server says. :param usual_context: where it says nothing.
    :raises ConfigurationError: the server does not have that model, or which one is not said.
    :raises ModelError: no usable answer. :raises CanceledError: stopped.
    """
    offered = _offered_models(http, address, cancel)
    if httpx.URL(address.api).host == 'api.openai.com':
        return ServerProfile(
            ServerKind.OPENAI,
            '',
            _chosen(model, offered, address, strict=False),
            context_tokens or _reported_context(model, offered) or usual_context,
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
            context_tokens or _positive(settings.get('n_ctx')) or usual_context,
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
            or usual_context,
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
            context_tokens or _ollama_context(http, address, chosen, cancel, usual_context),
            (Completion.OLLAMA_RAW, Completion.CHAT),
            (Constraint.OLLAMA_FORMAT, Constraint.JSON_SCHEMA, Constraint.PROPOSE),
        )
    about = _probe(http, f'{address.root}/openapi.json', cancel).get('info')
    if isinstance(about, dict) and _LLAMA_CPP_PYTHON in str(about.get('title')):
        # It does not say its context. Log-probabilities are not asked for: it computes them for
        # all tokens it can hold, seconds per choice, and may refuse them (without logits_all).
        return ServerProfile(
            ServerKind.LLAMA_CPP_PYTHON,
            str(about.get('version', ''))[:80],
            _chosen(model, offered, address, strict=False),
            context_tokens or usual_context,
            (Completion.RAW,),
            (Constraint.GRAMMAR, Constraint.JSON_OBJECT, Constraint.PROPOSE),
            '/extras/tokenize',
        )
    return ServerProfile(
        ServerKind.OTHER,
        '',
        _chosen(model, offered, address, strict=False),
        context_tokens or _reported_context(model, offered) or usual_context,
        (Completion.RAW, Completion.CHAT),
        (Constraint.JSON_SCHEMA, Constraint.JSON_OBJECT, Constraint.PROPOSE),
    )


def _offered_models(
    http: ServerConnection, address: ServerAddress, cancel: CancelToken
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


def _probe(http: ServerConnection, url: str, cancel: CancelToken) -> dict[str, Any]:
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


#: Under which servers report the length of a model's context in their list of models.
_CONTEXT_KEYS = (
    'context_length', 'max_model_len', 'context_window', 'max_context_length', 'max_input_tokens',
)  # fmt: skip


def _reported_context(model: str, offered: Mapping[str, Mapping[str, Any]]) -> int:
    """The length of a model's context as the list of models tells it; 0 where it does not."""
    entry = offered.get(model) or (next(iter(offered.values())) if len(offered) == 1 else {})
    return next((length for key in _CONTEXT_KEYS if (length := _positive(entry.get(key)))), 0)


def _ollama_context(
    http: ServerConnection, address: ServerAddress, model: str, cancel: CancelToken, most: int
) -> int:
    """The model's own context, within limits: Ollama reserves memory for all of it."""
    try:
        answer = http.post(f'{address.root}/api/show', {'model': model}, cancel)
    except RequestRefused:
        return most
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
    return min([most, *filter(None, lengths)])


def _positive(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
