"""Encoders behind a server: right vectors, a clear error for everything a server does wrong."""

import json
import threading
import time
from contextlib import closing

import numpy as np
import pytest

from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.embedding.registry import choose_embedder, EncoderOptions
from reactree_core.embedding.server import ServerEmbedder
from reactree_core.errors import ConfigurationError, EncoderError
from support.embeddings_server import (
    dripping,
    dripping_headers,
    EmbeddingsServer,
    PATIENCE,
    send,
    silent,
    vectors,
)


def says(status, content, **headers):
    return lambda _, handler, __: send(handler, status, content, **headers)


def with_data(change):
    def answer(_, handler, body):
        send(handler, 200, json.dumps({'data': change(vectors(body))}).encode())

    return answer


@pytest.fixture
def server():
    running = EmbeddingsServer()
    yield running
    running.close()


def test_vectors_are_those_of_the_server_in_the_order_asked_and_of_length_one(server):
    embedder = ServerEmbedder(server.address, 'small', batch=2)
    texts = ['find the apple', 'wash the plate', 'find the pear', '\ud800', '']
    found = embedder.embed(texts)
    assert found[:3] == pytest.approx(HashingEmbedder(16).embed(texts[:3]), abs=1e-6)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(5), abs=1e-6)
    assert found.dtype == np.float32
    assert (embedder.name, embedder.dimension) == ('server/small', 16)
    assert [len(body['input']) for body in server.requests] == [1, 2, 2, 1]
    assert {body['model'] for body in server.requests} == {'small'}
    assert all(text for body in server.requests for text in body['input'])
    assert embedder.embed([]).shape == (0, 16)


def test_the_key_comes_from_the_environment_and_is_never_shown(server, monkeypatch):
    monkeypatch.setenv('EMBEDDING_KEY', 'secret-1')
    options = EncoderOptions('small', server.address + '/', 'EMBEDDING_KEY')
    embedder, remark = choose_embedder('server', options=options)
    assert remark == ''
    assert server.keys == ['Bearer secret-1']
    server.answers = [says(401, b'{"error": {"message": "secret-1 is wrong"}}')]
    with pytest.raises(EncoderError, match='HTTP 401') as caught:
        embedder.embed(['x'])
    assert 'encoder_key_variable' in str(caught.value)
    assert 'secret-1' not in str(caught.value)


def test_a_key_is_not_sent_over_plain_http_to_another_machine(monkeypatch):
    monkeypatch.setenv('EMBEDDING_KEY', 'secret-1')
    options = EncoderOptions('small', 'http://192.0.2.1:8000/v1', 'EMBEDDING_KEY')
    with pytest.raises(ConfigurationError, match='use https, or set encoder_key_over_http') as it:
        choose_embedder('server', options=options)
    assert 'secret-1' not in str(it.value)


@pytest.mark.parametrize('status', [301, 302, 303, 307, 308])
def test_a_redirect_takes_the_key_nowhere(server, status, monkeypatch):
    monkeypatch.setenv('EMBEDDING_KEY', 'secret-1')
    other = EmbeddingsServer()
    with closing(other):
        server.answers = [says(status, b'', Location=f'{other.address}/embeddings')]
        with pytest.raises(EncoderError, match=f'HTTP {status}'):
            ServerEmbedder(server.address, 'small', 'EMBEDDING_KEY')
    assert (len(server.keys), other.keys) == (1, [])


def test_a_busy_server_is_asked_again(server):
    embedder = ServerEmbedder(server.address, 'small')
    server.answers = [says(503, b''), says(429, b'slow down')]
    assert embedder.embed(['x']).shape == (1, 16)
    server.answers = [says(503, b'')] * 3
    with pytest.raises(EncoderError, match='HTTP 503'):
        embedder.embed(['x'])


@pytest.mark.parametrize(
    ('answer', 'message'),
    [
        (says(404, b'no such model'), r'HTTP 404, it says: no such model'),
        (says(200, b'<html>'), 'gives no vectors'),
        (says(200, b'[' * 100_000), 'gives no vectors'),
        (says(200, b'[]'), 'gives no vectors'),
        (says(200, b'x' * 2_000_000), 'answers with more than'),
        (says(200, b'{}', Content_Encoding='gzip'), 'compresses'),
        (says(302, b'', Location='http://elsewhere/'), 'HTTP 302'),
        (with_data(lambda data: []), 'gives no vectors'),
        (with_data(lambda data: data + data), 'gives no vectors'),
        (with_data(lambda data: [{'index': 0, 'embedding': ['x']}]), 'gives no vectors'),
        (with_data(lambda data: [{'index': 0, 'embedding': [0.0] * 16}]), 'without a direction'),
        (with_data(lambda data: [{'index': 0, 'embedding': [float('nan')] * 16}]), 'direction'),
        (with_data(lambda data: [{'index': 0, 'embedding': [1.0] * 8}]), 'from 16 to 8'),
    ],
)
def test_an_answer_that_cannot_be_used_is_named(server, answer, message):
    embedder = ServerEmbedder(server.address, 'small')
    server.answers = [answer]
    with pytest.raises(EncoderError, match=message):
        embedder.embed(['x'])
    assert embedder.embed(['x']).shape == (1, 16)


@pytest.mark.parametrize('answer', [silent, dripping, dripping_headers])
def test_a_server_that_never_ends_its_answer_is_given_up(server, answer):
    embedder = ServerEmbedder(server.address, 'small', timeout=PATIENCE)
    embedder._timeout = 0.5
    server.answers = [answer]
    begin = time.monotonic()
    with pytest.raises(EncoderError, match=r'no answer within 0\.5 s'):
        embedder.embed(['x'])
    assert time.monotonic() - begin < PATIENCE / 2
    assert embedder.embed(['x']).shape == (1, 16)


def test_texts_wait_for_those_of_others_no_longer_than_the_timeout(server):
    embedder = ServerEmbedder(server.address, 'small', timeout=PATIENCE)
    server.answers = [silent]
    first = threading.Thread(target=embedder.embed, args=(['x'],))
    asked = server.asked
    asked.clear()
    first.start()
    try:
        assert asked.wait(PATIENCE)
        embedder._timeout = 0.2
        with pytest.raises(EncoderError, match=r'no answer within 0\.2 s'):
            embedder.embed(['y'])
    finally:
        server.silence.set()
        first.join(PATIENCE)
    assert embedder.embed(['y']).shape == (1, 16)


def test_an_embedder_may_be_closed_twice(server):
    embedder = ServerEmbedder(server.address, 'small')
    embedder.close()
    embedder.close()


def test_a_server_that_is_gone_is_named(server):
    server.close()
    with pytest.raises(EncoderError, match='cannot be reached'):
        ServerEmbedder(server.address, 'small')


@pytest.mark.parametrize(
    'address',
    ['', 'host:80', 'ftp://host/v1', 'http://a:secret@host/v1', 'http://h/v1?key=secret'],
)
def test_an_address_that_cannot_be_used_is_refused(address):
    with pytest.raises(ConfigurationError) as caught:
        ServerEmbedder(address, 'small')
    assert 'secret' not in str(caught.value)


def test_a_model_and_a_set_key_variable_are_needed(monkeypatch):
    with pytest.raises(ConfigurationError, match='encoder_model'):
        ServerEmbedder('http://localhost/v1', '')
    monkeypatch.delenv('EMBEDDING_KEY', raising=False)
    with pytest.raises(ConfigurationError, match='EMBEDDING_KEY is not set') as caught:
        ServerEmbedder('http://localhost/v1', 'small', 'EMBEDDING_KEY')
    assert 'encoder_key_variable' in str(caught.value)
