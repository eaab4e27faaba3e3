"""What an HTTP answer of a model server means: a value, a refusal, or something that may pass."""

from __future__ import annotations

import email.utils
import json
from datetime import datetime
from datetime import UTC
from typing import Any

import httpx

from reactree_core.errors import ModelError
from reactree_core.errors import PromptTooLongError

#: Characters of a server's own words that are repeated in an error.
_EXCERPT = 200
_MAY_PASS = frozenset({408, 429, 500, 502, 503, 504, 529})
_TOO_LONG = (
    'exceed_context_size',
    'context_length_exceeded',
    'maximum context length',
    'context size',
    'context window',
    'maximum model length',
)


class RequestRefused(ModelError):
    """The server answered that it will not do this request.

    :param status: HTTP status, 400..599.
    :param parameter: the request field the server names as the reason, '' when it names none.
    """

    def __init__(self, message: str, status: int, parameter: str = '') -> None:
        super().__init__(message)
        self.status = status
        self.parameter = parameter


class MayPassError(Exception):
    """Something that a later try may not meet."""

    def __init__(self, message: str, status: int = 0, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class AnswerReader:
    """Reads the answers of one server; its messages never hold the key."""

    def __init__(self, address: str, key: str, api_key_env: str) -> None:
        self._address = address
        self._key = key
        self._api_key_env = api_key_env

    def value_of(self, response: httpx.Response, content: bytes) -> Any:
        """JSON value of a good answer.

        :raises MayPassError: a later try may succeed. :raises RequestRefused: it will not.
        :raises ModelError: the answer is unusable.
        """
        status = response.status_code
        if 200 <= status < 300:
            return self._parse(content)
        where = self._address
        if 300 <= status < 400:
            target = _origin(response.headers.get('location', ''))
            raise ModelError(
                f'{where} redirects to {target}, which is not followed: if that is right, give '
                'its address as the base URL.'
            )
        said, parameter = self._words_of(content)
        if status in (401, 403):
            hint = (
                f'check the key in {self._api_key_env}'
                if self._api_key_env
                else 'name the environment variable with its key in api_key_variable'
            )
            raise ModelError(f'{where} refuses access (HTTP {status}): {hint}.')
        if status in _MAY_PASS:
            raise MayPassError(
                f'{where} is busy or failing (HTTP {status}{said}): try again later, or look at '
                'the server.',
                status,
                seconds_of(response.headers.get('retry-after', '')),
            )
        if any(word in said.lower() for word in _TOO_LONG):
            raise PromptTooLongError(
                f'{where} has no room for this prompt (HTTP {status}{said}): give the server a '
                'longer context, or lower the token budget of the prompt.'
            )
        raise RequestRefused(
            f'{where} refuses {response.request.url.path} (HTTP {status}{said}): check the '
            'address and the model name.',
            status,
            parameter,
        )

    def _parse(self, content: bytes) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            start = content[:200].lstrip().lower()
            kind = 'a web page' if start.startswith((b'<!doctype', b'<html')) else 'no valid JSON'
            raise ModelError(
                f'{self._address} answers with {kind}: it is no OpenAI-compatible server, or the '
                'path is wrong; the base URL is usually like http://host:8080/v1.'
            ) from error

    def _words_of(self, content: bytes) -> tuple[str, str]:
        """What an error answer says, bounded, on one line and without the key."""
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            return '', ''
        error = value.get('error', value) if isinstance(value, dict) else value
        parameter = ''
        if isinstance(error, dict):
            parameter = str(error.get('param') or '')[:100]
            error = f'{error.get("type") or ""} {error.get("message") or ""}'
        words = ' '.join(str(error).split())
        if self._key:
            words = words.replace(self._key, '***')
        words = ''.join(letter for letter in words if letter.isprintable())[:_EXCERPT]
        return (f', it says: {words}' if words.strip() else ''), parameter


def _origin(location: str) -> str:
    try:
        url = httpx.URL(location)
        host = url.host
    except (httpx.InvalidURL, UnicodeError):
        # UnicodeError: a host name that looks encoded (xn--...) and is not.
        return 'an unreadable address'
    return f'{url.scheme}://{url.netloc.decode()}'[:_EXCERPT] if host else 'another path'


def seconds_of(retry_after: str) -> float:
    """Seconds a Retry-After header asks for, as a number or a date; 0.0 when unreadable."""
    text = retry_after.strip()
    try:
        return max(0.0, float(text)) if float(text) < float('inf') else 0.0
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
