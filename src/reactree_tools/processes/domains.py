"""ROS domains: the one in use, and one that nobody uses."""

from __future__ import annotations

import os
import socket

from reactree_core.errors import ConfigurationError

#: Largest domain of which all ports fit (RTPS 2.5, section 9.6.2.3).
LARGEST_DOMAIN = 232
#: Domains whose ports stay below Linux' ephemeral ports.
SAFE_DOMAINS = 101
_PORT_BASE = 7400
_DOMAIN_GAIN = 250
_FIRST_UNICAST = 10


def current_domain() -> int:
    """ROS_DOMAIN_ID, or 0.

    :raises ConfigurationError: it is no domain.
    """
    text = os.environ.get('ROS_DOMAIN_ID', '').strip() or '0'
    if not text.isdigit() or int(text) > LARGEST_DOMAIN:
        raise ConfigurationError(
            f'ROS_DOMAIN_ID is {text!r}; unset it, or set it to a number from 0 to '
            f'{LARGEST_DOMAIN}.'
        )
    return int(text)


def _in_use(domain: int) -> bool:
    """Whether a participant of this machine has the domain's first unicast port."""
    port = _PORT_BASE + _DOMAIN_GAIN * domain + _FIRST_UNICAST
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(('', port))
        except OSError:
            return True
    return False


def free_domain() -> int:
    """A domain that nothing on this machine uses, different for programs started together.

    :raises ConfigurationError: all are taken.
    """
    for offset in range(SAFE_DOMAINS):
        domain = 1 + (os.getpid() + offset) % SAFE_DOMAINS
        if not _in_use(domain):
            return domain
    raise ConfigurationError(
        f'All ROS domains from 1 to {SAFE_DOMAINS} are in use on this machine; '
        'end some ROS programs, or set ROS_DOMAIN_ID yourself.'
    )
