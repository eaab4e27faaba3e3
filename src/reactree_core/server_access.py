"""How servers are reached: keys come from the environment, and plain HTTP is for this machine."""

from __future__ import annotations

import ipaddress
import logging
import os

from reactree_core.errors import ConfigurationError

_LOG = logging.getLogger(__name__)


def read_api_key(variable: str, server: str, parameter: str) -> str:
    """The API key in an environment variable: the only place where they are read.

    :param variable: its name; '' for no key.
    :param server: what the key is for, and :param parameter: which names the variable; for the
        message of an error.
    :raises ConfigurationError: it is not set, or holds no usable key.
    """
    if not variable:
        return ''
    key = os.environ.get(variable, '').strip()
    if not key:
        raise ConfigurationError(
            f'The environment variable {variable} is not set: put the API key of the {server} '
            f'there, or leave {parameter} empty.'
        )
    if not key.isascii() or not key.isprintable() or ' ' in key:
        raise ConfigurationError(
            f'The environment variable {variable} holds no usable API key (spaces or unusual '
            'characters).'
        )
    return key


def is_loopback(host: str) -> bool:
    """Whether what is sent to a host stays on this machine. :param host: a name or an address."""
    try:
        return ipaddress.ip_address(host.strip('[]')).is_loopback
    except ValueError:
        return host == 'localhost'


def refuse_open_key(
    variable: str, scheme: str, host: str, address: str, parameter: str, allowed: bool
) -> None:
    """Make sure that a key is not sent where others may read it, or only with a warning.

    :param variable: which holds the key. :param scheme: of the address, like 'http'.
    :param parameter: which allows it. :param allowed: what that parameter says.
    :raises ConfigurationError: it would be, and is not allowed.
    """
    if scheme != 'http' or is_loopback(host):
        return
    if not allowed:
        raise ConfigurationError(
            f'The key in {variable} is not sent to {address}, where anybody on the way could read '
            f'it: use https, or set {parameter} to true.'
        )
    _LOG.warning('The key in %s goes to %s unencrypted: use https.', variable, address)
