"""Encoders: what they find alike, and that nothing else decides about a vector."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.embedding import registry
from reactree_core.embedding.encoders import CachedEmbedder, HashingEmbedder
from reactree_core.embedding.minilm import MiniLmEmbedder
from reactree_core.embedding.registry import choose_embedder
from reactree_core.errors import ConfigurationError

GOALS = [
    'put the apple in the fridge',
    'place an apple inside the refrigerator',
    'turn on the television in the living room',
    'switch on the tv',
]


@pytest.fixture(scope='module')
def minilm():
    return MiniLmEmbedder()


class CountingEmbedder(HashingEmbedder):
    def __init__(self):
        super().__init__(16)
        self.seen = []

    def embed(self, texts):
        self.seen.extend(texts)
        return super().embed(texts)


def test_minilm_knows_which_sentences_mean_the_same(minilm):
    vectors = minilm.embed(GOALS)
    cosines = vectors @ vectors.T
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, 384)
    assert cosines[0, 1] == pytest.approx(0.90, abs=0.01)
    assert cosines[0, 2] == pytest.approx(0.18, abs=0.01)
    assert cosines[2, 3] == pytest.approx(0.77, abs=0.01)


def test_minilm_gives_a_text_the_same_vector_in_every_batch(minilm):
    texts = GOALS + ['find and pick up the cutlery fork in living room 1 ' * 5, 'x'] * 12
    together = minilm.embed(texts)
    for text, row in zip(texts, together, strict=True):
        assert np.abs(minilm.embed([text])[0] - row).max() < 1e-6


def test_minilm_takes_any_text(minilm):
    texts = ['', ' ', '\ud800', '\x00', '苹果 Äpfel 🍎', 'apple ' * 5000, '[SEP] [MASK]']
    assert np.linalg.norm(minilm.embed(texts), axis=1) == pytest.approx(np.ones(7), abs=1e-5)
    assert minilm.embed([]).shape == (0, 384)


def test_minilm_is_named_after_its_weights(minilm):
    assert minilm.name == 'all-MiniLM-L6-v2-int8/8199be6f'


@pytest.mark.parametrize('content', [b'', b'not a model'])
def test_broken_weights_are_a_clear_error(tmp_path, content):
    path = tmp_path / 'model.onnx'
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match='not a usable ONNX model'):
        MiniLmEmbedder(path)
    with pytest.raises(ConfigurationError, match='cannot read the weights'):
        MiniLmEmbedder(tmp_path / 'missing.onnx')


def test_without_onnxruntime_auto_says_that_it_hashes_and_minilm_refuses(monkeypatch):
    monkeypatch.setitem(sys.modules, 'onnxruntime', None)
    registry._loaded.cache_clear()
    embedder, remark = choose_embedder('auto')
    assert embedder.name == 'hashed-words-384'
    assert 'shared words only' in remark
    assert 'pip install onnxruntime' in remark
    with pytest.raises(ConfigurationError, match='pip install onnxruntime'):
        choose_embedder('minilm')
    assert choose_embedder('hashing')[1] == ''


def test_an_unknown_encoder_is_refused_by_name():
    with pytest.raises(ConfigurationError, match="'bert' is none of auto, minilm, hashing"):
        choose_embedder('bert')


def test_hashed_words_find_shared_words():
    vectors = HashingEmbedder().embed(['find the apple', 'find the pear', 'switch on a lamp'])
    assert vectors[0] @ vectors[1] > 0.3 > abs(vectors[0] @ vectors[2])


def test_hashed_words_are_the_same_in_another_process():
    code = (
        'from reactree_core.embedding.encoders import HashingEmbedder\n'
        'print(HashingEmbedder(8).embed(["put the apple in the fridge"]).tolist())'
    )
    results = {
        subprocess.run(
            [sys.executable, '-c', code],
            env={'PYTHONPATH': ':'.join(sys.path), 'PYTHONHASHSEED': seed},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ('1', '2')
    }
    assert len(results) == 1


@given(st.lists(st.text(max_size=40), max_size=5))
def test_hashed_words_have_length_one(texts):
    vectors = HashingEmbedder(32).embed(texts)
    assert vectors.shape == (len(texts), 32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)


@settings(max_examples=50)
@given(st.lists(st.lists(st.sampled_from('abcdef'), max_size=6), max_size=6))
def test_a_cache_changes_no_vector(calls):
    inner = HashingEmbedder(16)
    cached = CachedEmbedder(CountingEmbedder(), size=3)
    for texts in calls:
        assert np.array_equal(cached.embed(texts), inner.embed(texts))


def test_a_cache_asks_for_a_text_once():
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner)
    cached.embed(['a', 'b', 'a'])
    cached.embed(['b', 'a', 'c'])
    assert inner.seen == ['a', 'b', 'c']
    assert (cached.name, cached.dimension) == (inner.name, inner.dimension)
