"""How servers are reached: addresses without secrets, keys from the environment, and only there.

Plain HTTP is for this machine: a key goes over it to another one only where a parameter allows it.
"""

from __future__ import annotations

import ipaddress
import logging
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

from reactree_core.errors import ConfigurationError

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerKey:
    """The API key of a server, and the parameters that say where it is.

    :param variable: environment variable that holds it; '' for no key.
    :param server: what the key is for, like 'model server'.
    :param parameter: which names the variable.
    :param open_parameter: which lets the key go to another machine unencrypted.
    :param may_be_open: what that parameter says.
    """

    variable: str
    server: str
    parameter: str
    open_parameter: str
    may_be_open: bool = False

    def read(self, url: httpx.URL) -> str:
        """The key to send to an address; '' for none.

        :raises ConfigurationError: it is not set or not usable, or would go out in the open.
        """
        key = read_api_key(self.variable, self.server, self.parameter)
        if key:
            refuse_open_key(
                self.variable,
                url.scheme,
                url.host,
                str(url),
                self.open_parameter,
                self.may_be_open,
            )
        return key


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
    if not is_sendable(key):
        raise ConfigurationError(
            f'The environment variable {variable} holds no usable API key (spaces or unusual '
            'characters).'
        )
    return key


def is_sendable(key: str) -> bool:
    """Whether a key can stand in the header of a request."""
    return key.isascii() and key.isprintable() and ' ' not in key


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


def parse_address(address: str, what: str, key_parameter: str) -> httpx.URL:
    """The address of a server that a user gave.

    :param what: it is, for the message of an error, which never repeats what may be a secret.
    :param key_parameter: parameter that names the variable with the server's key.
    :raises ConfigurationError: it is no http(s) address, or holds secrets.
    """
    try:
        url = httpx.URL(address.strip())
        # Both raise where httpx.URL does not look.
        urlsplit(address.strip()).port, url.host
    except (httpx.InvalidURL, ValueError) as error:
        raise ConfigurationError(
            f'{what} is no address: give it like http://host:8080/v1.'
        ) from error
    if url.userinfo or url.query or url.fragment:
        raise ConfigurationError(
            f'{what} must hold no user, password, query or fragment, because addresses end up in '
            'logs: put the key into an environment variable and its name into '
            f'{key_parameter}.'
        )
    if url.scheme not in ('http', 'https') or not url.host:
        raise ConfigurationError(
            f'{what} ({address.strip()[:200]!r}) is no http(s) address: give it like '
            'http://host:8080/v1.'
        )
    return url
