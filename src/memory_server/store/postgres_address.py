"""Addresses of PostgreSQL databases, which must not hold secrets."""

from __future__ import annotations

import re
from urllib.parse import unquote

from reactree_core.errors import ConfigurationError

SCHEMES = ('postgresql://', 'postgres://')
_SECRETS = frozenset({'password', 'sslpassword'})


def is_address(store_path: str) -> bool:
    """Whether a store path is the address of a database and no file."""
    return store_path.lower().startswith(SCHEMES)


def check_address(address: str) -> str:
    """The address as it is, when it holds no secret: parameters and addresses end up in logs.

    :raises ConfigurationError: it holds a password, which the message does not repeat.
    """
    # As libpq reads it, which is not how URLs are read elsewhere, and stricter: a password may
    # hold any character, whether it was escaped or not.
    said = address.partition('://')[2]
    try:
        unquote(said, errors='strict')
    except UnicodeDecodeError:
        raise ConfigurationError(
            'the address of the store has a %-escape that is no UTF-8 text: write letters as they '
            'are, and a % as %25'
        ) from None
    names = {unquote(part.partition('=')[0]).strip().lower() for part in re.split('[?&]', said)}
    if ':' in said.rpartition('@')[0] or names & _SECRETS:
        raise ConfigurationError(
            'the address of the store holds a password, and addresses end up in logs: take it out '
            'and put the password into the environment variable PGPASSWORD, the file ~/.pgpass, '
            'or a service file (postgresql:///?service=NAME); write any other @ as %40'
        )
    return address
