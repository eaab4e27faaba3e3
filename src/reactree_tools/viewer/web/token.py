"""The token that whoever controls a run must have."""

from __future__ import annotations

import hmac
import os
import secrets

from reactree_core.errors import ConfigurationError

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
