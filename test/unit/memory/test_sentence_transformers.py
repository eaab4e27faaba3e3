"""Encoders of the sentence-transformers library, with a tiny model made here."""

import importlib
import sys

import numpy as np
import pytest

from memory_server.embedding.choice import choose_embedder
from memory_server.embedding.choice import EncoderOptions
from memory_server.embedding.sentence_transformer import SentenceTransformerEmbedder
from reactree_core.errors import ConfigurationError

WORDS = ['find', 'the', 'apple', 'pear', 'wash', 'plate']


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    library = pytest.importorskip(
        'sentence_transformers',
        reason='sentence-transformers is not installed (requirements/sentence_transformers.txt)',
    )
    place = tmp_path_factory.mktemp('models') / 'words'
    modules = importlib.import_module('sentence_transformers.sentence_transformer.modules')
    bag = modules.BoW(vocab=WORDS)
    library.SentenceTransformer(modules=[bag], device='cpu').save(str(place))
    return place


def test_vectors_have_length_one_and_tell_sentences_apart(folder):
    embedder, remark = choose_embedder(
        'sentence-transformers', options=EncoderOptions(model=str(folder))
    )
    found = embedder.embed(['find the apple', 'find the pear', 'wash plate'])
    assert remark == ''
    assert found.dtype == np.float32
    assert found.shape == (3, embedder.dimension) == (3, len(WORDS))
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    assert found[0] @ found[1] == pytest.approx(2 / 3, abs=1e-5)
    assert found[0] @ found[2] == pytest.approx(0.0, abs=1e-5)
    assert embedder.name == 'sentence-transformers/words'
    assert embedder.embed([]).shape == (0, len(WORDS))


def test_a_folder_without_a_model_is_named(folder, tmp_path):
    with pytest.raises(ConfigurationError, match='encoder_model'):
        SentenceTransformerEmbedder(str(tmp_path))


def test_without_the_library_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'sentence_transformers', None)
    with pytest.raises(ConfigurationError, match=r'requirements/sentence_transformers\.txt'):
        choose_embedder('sentence-transformers')
