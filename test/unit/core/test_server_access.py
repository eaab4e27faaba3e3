"""Which hosts are this machine; keys that go out in the open are told."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.server_access import is_loopback, refuse_open_key


@pytest.mark.parametrize('host', ['localhost', '127.0.0.1', '127.8.9.10', '::1', '[::1]'])
def test_loopback_is_this_machine(host):
    assert is_loopback(host)


@pytest.mark.parametrize(
    'host', ['', '10.0.0.1', '0.0.0.0', '::', 'localhost.example.com', '127.0.0.1.example.com']
)
def test_nothing_else_is(host):
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ('scheme', 'host', 'told'),
    [('http', '10.0.0.1', True), ('https', '10.0.0.1', False), ('http', '127.0.0.1', False)],
)
def test_a_key_goes_out_in_the_open_only_where_that_is_allowed_and_then_it_is_told(
    caplog, scheme, host, told
):
    def send(allowed):
        refuse_open_key('THE_KEY', scheme, host, f'{scheme}://{host}/v1', 'the_parameter', allowed)

    with pytest.raises(ConfigurationError, match='the_parameter') if told else nullcontext():
        send(False)
    assert not caplog.text
    send(True)
    assert ('THE_KEY' in caplog.text and 'unencrypted' in caplog.text) is told
