"""What every request must pass, and what every answer carries.

A page of another origin can send requests to this machine, and by DNS rebinding even read the
answers; therefore the names in Host and Origin are checked, and what changes something needs a
token in a header that no foreign page can set.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

from reactree_core.errors import ConfigurationError

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Names under which this machine calls itself; a port may differ (a forwarded one, over ssh).
LOCAL_NAMES = frozenset({'127.0.0.1', 'localhost', '::1'})
_HEADERS = {
    'content-security-policy': (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; "
        "form-action 'none'; "
        "require-trusted-types-for 'script'"
    ),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
}


class Guard:
    """Wraps an application: refuses strangers, and adds the headers.

    :param application: ASGI.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection."""
        if scope['type'] != 'http':
            return

        async def send_guarded(message: Message) -> None:
            if message['type'] == 'http.response.start':
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        objection = refusal(Headers(scope=scope))
        if objection:
            await PlainTextResponse(objection, status_code=403)(scope, receive, send_guarded)
            return
        await self._application(scope, receive, send_guarded)


def refusal(headers: Headers) -> str:
    """Why a request is not answered; '' when it is."""
    host = headers.get('host', '')
    if _name(f'//{host}') not in LOCAL_NAMES:
        return 'This viewer is for this machine only: open it as http://127.0.0.1 or localhost.'
    origin = headers.get('origin')
    if origin is not None and origin != f'http://{host}':
        return 'Requests of other pages are not answered.'
    if headers.get('sec-fetch-site', 'none') not in ('same-origin', 'none'):
        return 'Requests of other pages are not answered.'
    return ''


def _name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or '').lower()
    except ValueError:
        return ''


#: Environment variable with the token; without it one is made.
VARIABLE = 'REACTREE_VIEWER_TOKEN'
#: Shortest token that is taken, in characters.
SHORTEST = 16


def make_token() -> str:
    """The token from the environment, or a new one.

    :raises ConfigurationError: the one in the environment is too short to protect anything.
    """
    given = os.environ.get(VARIABLE, '')
    if given and len(given) < SHORTEST:
        raise ConfigurationError(
            f'{VARIABLE} has {len(given)} characters; use {SHORTEST} or more, or unset it to have '
            'one made.'
        )
    return given or secrets.token_urlsafe(24)


def is_token(given: str, token: str) -> bool:
    """Whether a text is the token; compared in constant time. An empty token fits nothing."""
    return bool(token) and hmac.compare_digest(given.encode('utf-8', 'replace'), token.encode())
