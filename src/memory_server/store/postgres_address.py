"""Addresses of PostgreSQL databases, which must not hold secrets."""

from __future__ import annotations

from urllib.parse import parse_qs
from urllib.parse import urlsplit

from reactree_core.errors import ConfigurationError

SCHEMES = ('postgresql://', 'postgres://')
_SECRETS = ('password', 'sslpassword', 'passfile')


def is_address(store_path: str) -> bool:
    """Whether a store path is the address of a database and no file."""
    return store_path.lower().startswith(SCHEMES)


def check_address(address: str) -> str:
    """The address as it is, when it holds no secret: parameters and addresses end up in logs.

    :raises ConfigurationError: it holds a password, which the message does not repeat, or is none.
    """
    try:
        parts = urlsplit(address)
        _ = parts.port
        names = {name.lower() for name in parse_qs(parts.query, keep_blank_values=True)}
    except ValueError as error:
        # The error of urlsplit may repeat what stands there.
        raise ConfigurationError(
            'the address of the store cannot be read: it must be like '
            'postgresql://user@host:5432/database'
        ) from error
    # A second '@' may be that of a password that was not escaped.
    if parts.password is not None or parts.netloc.count('@') > 1 or names & set(_SECRETS):
        raise ConfigurationError(
            'the address of the store holds a password, and addresses end up in logs: take it out '
            'and put the password into the environment variable PGPASSWORD, the file ~/.pgpass, '
            'or a service file (postgresql:///?service=NAME)'
        )
    return address
