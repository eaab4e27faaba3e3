"""JSON to and from one model server, and what to do about each thing that can go wrong with it."""

from __future__ import annotations

import json
import math
import re
import time
from typing import Any

import httpx

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelError, ModelOutputError, PromptTooLongError
from reactree_core.http_client import HttpClient, HttpLimits
from reactree_core.http_faults import Fault, HttpFault, kind_of, seconds_said
from reactree_core.server_access import ServerKey

_ADVICE = {
    Fault.UNREACHABLE: 'check the address and start the server there',
    Fault.NO_CONNECTION: 'check the address and that the server runs',
    Fault.NO_TLS: 'check the address (http or https?), or name the authority that signed its '
    'certificate in SSL_CERT_FILE',
    Fault.SILENT: 'look at the server, or raise request_timeout',
    Fault.LATE: 'raise request_timeout, or use a faster model or server',
    Fault.BROKEN: 'look at the server',
    Fault.COMPRESSED: 'put no compressing proxy before it',
    Fault.TOO_LONG: 'it does not seem to be a model server; check the address',
    Fault.CLOSED: 'load the model again',
    Fault.REDIRECT: 'if that is right, give its address as the base URL',
    Fault.BUSY: 'try again later, or look at the server',
    Fault.UNPAID: 'pay for more, wait until the quota is renewed, or use another model',
    Fault.REFUSED: 'it does not take such a request: see what it says',
}
#: Refusals that may be of what a prompt says.
_OF_WORDS = (400, 403)
_NOT_FOUND_ADVICE = 'check the address and the model name'
#: Refusals of what a prompt says.
_FILTERED = re.compile(
    r'content[_ ](?:filter|policy|management)|moderation|safety system|flagged', re.IGNORECASE
)
_FILTERED_ADVICE = 'say the task in other words, or use another model'

_TOO_LONG = (
    'exceed_context_size',
    'context_length_exceeded',
    'maximum context length',
    'context size',
    'context window',
    'maximum model length',
)


_SHORTER = 'give the server a longer context, or lower the token budget of the prompt'
_BAD_REQUEST, _NOT_FOUND = 400, 404
#: Longest words of a server that are given.
_WORDS = 300


def _described_error(value: object) -> tuple[int, str] | None:
    """Status and words of an error that came with status 200; None where there is an answer."""
    if not isinstance(value, dict) or not value.get('error'):
        return None
    if any(key in value for key in ('choices', 'response', 'data', 'tokens')):
        return None
    error = value['error']
    described = error if isinstance(error, dict) else {'message': error}
    code = described.get('code')
    status = code if isinstance(code, int) and 400 <= code <= 599 else _BAD_REQUEST
    named = (
        described.get('type'),
        code if isinstance(code, str) else '',
        described.get('message'),
    )
    words = ' '.join(' '.join(str(one) for one in named if one).split())[:_WORDS]
    return status, words or 'no reason'


class RequestRefused(ModelError):
    """The server answered that it will not do this request.

    :param status: HTTP status, 400..599.
    :param parameter: the request field the server names as the reason, '' when it names none.
    """

    def __init__(self, message: str, status: int, parameter: str = '') -> None:
        super().__init__(message)
        self.status = status
        self.parameter = parameter


class ServerConnection:
    """GET and POST of JSON to one model server; may be used from several threads.

    :param address: where the server is, for messages; must not hold secrets.
    :param api_key_env: name of the environment variable with the API key; '' for none.
    :param key_over_http: send the key to another machine unencrypted too.
    :raises ConfigurationError: that variable is not set, holds no usable key, or one that would be
        sent unencrypted.
    """

    def __init__(
        self,
        address: str,
        api_key_env: str = '',
        limits: HttpLimits | None = None,
        key_over_http: bool = False,
    ) -> None:
        self.address = address
        self._limits = limits or HttpLimits()
        self._api_key_env = api_key_env
        key = ServerKey(
            api_key_env, 'model server', 'api_key_variable', 'api_key_over_http', key_over_http
        )
        self._http = HttpClient(httpx.URL(address), self._limits, key, address)

    def __repr__(self) -> str:
        return f'ServerConnection({self.address!r})'

    def get(
        self, url: str, cancel: CancelToken, tries: int | None = None, within: float | None = None
    ) -> Any:
        """JSON value at an address.

        :param tries: at most so many; None for what the limits say.
        :param within: seconds for all tries; None for what the limits say.
        :raises RequestRefused: the server will not. :raises ModelError: no usable answer.
        :raises CanceledError: stopped.
        """
        return self._request('GET', url, None, cancel, tries, within)

    def post(
        self, url: str, body: dict[str, Any], cancel: CancelToken, within: float | None = None
    ) -> Any:
        """JSON answer to a JSON request; errors as for `get`."""
        return self._request('POST', url, body, cancel, None, within)

    def close(self) -> None:
        """End what runs, close every connection and the thread; safe to call twice."""
        self._http.close()

    def _request(
        self,
        method: str,
        url: str,
        body: dict[str, Any] | None,
        cancel: CancelToken,
        tries: int | None,
        within: float | None,
    ) -> Any:
        pause, tried = self._limits.first_pause, 0
        deadline = time.monotonic() + min(within or math.inf, self._limits.total_timeout)
        left = within
        while True:
            try:
                content = self._http.request(method, url, cancel, body, tries, left)
            except HttpFault as fault:
                raise self._error(fault, within) from fault
            value = self._value(content)
            described = _described_error(value)
            if described is None:
                return value
            status, words = described
            sentence = f'{self.address} answers with an error ({status}), it says: {words}'
            if any(one in words.lower() for one in _TOO_LONG):
                raise PromptTooLongError(f'{sentence}: {_SHORTER}.')
            if status in _OF_WORDS and _FILTERED.search(words):
                raise ModelOutputError(f'{sentence}: {_FILTERED_ADVICE}.')
            kind = kind_of(status, words)
            if kind is Fault.UNPAID:
                raise ModelError(f'{sentence}: {_ADVICE[kind]}.')
            wait = max(pause, seconds_said(words))
            left = deadline - time.monotonic() - wait
            if kind is not Fault.BUSY or tried >= self._limits.max_retries or left <= 0:
                raise RequestRefused(f'{sentence}: {self._advice(kind, status)}.', status)
            tried += 1
            cancel.wait(wait)
            cancel.check()
            pause *= 2

    def _value(self, content: bytes) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            start = content[:200].lstrip().lower()
            kind = 'a web page' if start.startswith((b'<!doctype', b'<html')) else 'no valid JSON'
            raise ModelError(
                f'{self.address} answers with {kind}: it is no OpenAI-compatible server, or the '
                'path is wrong; the base URL is usually like http://host:8080/v1.'
            ) from error

    def _error(self, fault: HttpFault, within: float | None) -> ModelError:
        """What happened, what to do about it, and how often it was tried."""
        if fault.fault is Fault.REFUSED and any(
            words in f'{fault}'.lower() for words in _TOO_LONG
        ):
            return PromptTooLongError(
                f'{fault}, because it has no room for this prompt: {_SHORTER}.'
            )
        if fault.status in _OF_WORDS and _FILTERED.search(f'{fault}'):
            return ModelOutputError(f'{fault}: {_FILTERED_ADVICE}.')
        sentence = f'{fault}: {self._advice(fault.fault, fault.status)}.'
        if fault.tries > 1:
            sentence += f' ({fault.tries} tries)'
        if fault.next_pause:
            total = min(self._limits.total_timeout, within or self._limits.total_timeout)
            sentence += (
                f' The next try would be in {fault.next_pause:.0f} s, past the time limit of '
                f'{total:g} s (request_timeout).'
            )
        if fault.fault in (Fault.BUSY, Fault.REFUSED):
            return RequestRefused(sentence, fault.status, fault.parameter)
        return ModelError(sentence)

    def _advice(self, fault: Fault, status: int) -> str:
        if fault is Fault.REFUSED and status == _NOT_FOUND:
            return _NOT_FOUND_ADVICE
        if fault is not Fault.DENIED:
            return _ADVICE[fault]
        if self._api_key_env:
            return f'check the key in {self._api_key_env}'
        return 'name the environment variable with its key in api_key_variable'
