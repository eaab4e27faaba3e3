"""Encoders of the sentence-transformers library, with a tiny model made here."""

import importlib
import re
import shutil
import sys
from contextlib import closing

import numpy as np
import pytest

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.embedding.encoders import digits_of_folder
from reactree_core.embedding.registry import choose_embedder, EncoderOptions
from reactree_core.embedding.sentence_transformer import SentenceTransformerEmbedder
from reactree_core.errors import ConfigurationError, MemoryStoreError
from reactree_core.experience import Experience, Termination
from support.needs import needs

WORDS = ['find', 'the', 'apple', 'pear', 'wash', 'plate']


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    library = importlib.import_module('sentence_transformers')
    place = tmp_path_factory.mktemp('models') / 'words'
    modules = importlib.import_module('sentence_transformers.sentence_transformer.modules')
    bag = modules.BoW(vocab=WORDS)
    library.SentenceTransformer(modules=[bag], device='cpu').save(str(place))
    return place


@needs('sentence-transformers')
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
    assert re.fullmatch(r'sentence-transformers/words/[0-9a-f]{8}', embedder.name)
    assert embedder.embed([]).shape == (0, len(WORDS))


@needs('sentence-transformers')
def test_folders_with_one_name_and_other_content_are_never_mixed(folder, tmp_path):
    other, same = tmp_path / 'other' / folder.name, tmp_path / 'same' / folder.name
    for place in (other, same):
        shutil.copytree(folder, place)
    (same / 'README.md').write_text('What nobody computes with does not matter.')
    settings = next(path for path in other.rglob('*.json') if 'apple' in path.read_text())
    settings.write_text(settings.read_text().replace('apple', 'melon'))
    embedders = [SentenceTransformerEmbedder(str(place)) for place in (folder, same, other)]
    assert embedders[0].name == embedders[1].name != embedders[2].name
    store = SqliteStore(tmp_path / 'm.sqlite')
    with closing(EpisodicMemory(store, embedders[0])) as memory:
        memory.store([Experience('a', 'find the apple', 'Act: done', Termination.SUCCESS)])
        with pytest.raises(MemoryStoreError, match='reembed'):
            EpisodicMemory(store, embedders[2])
        assert len(EpisodicMemory(store, embedders[1])) == 1


def test_digits_follow_names_and_contents_of_what_is_computed_with(tmp_path):
    def digits(*files):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        for name, content in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
        return digits_of_folder(folder)

    one = ('model.safetensors', 'weights'), ('1_Pooling/config.json', '{}')
    assert digits(*one) == digits(*one[::-1], ('README.md', 'words'))
    assert digits(*one) != digits(('model.safetensors', 'other'), one[1])
    assert digits(*one) != digits(one[0], ('2_Pooling/config.json', '{}'))


@needs('sentence-transformers')
def test_a_folder_without_a_model_is_named(folder, tmp_path):
    with pytest.raises(ConfigurationError, match='encoder_model'):
        SentenceTransformerEmbedder(str(tmp_path))


def test_without_the_library_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'sentence_transformers', None)
    with pytest.raises(ConfigurationError, match=r'requirements/sentence_transformers\.txt'):
        choose_embedder('sentence-transformers')
