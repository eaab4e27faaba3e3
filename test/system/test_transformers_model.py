"""The transformers back end with a real model: the catalogue's small GGUF file, read by torch."""

from __future__ import annotations

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelError
from reactree_core.ports import Strategy
from reactree_planner.llm.conformance import check_language_model
from reactree_planner.llm.models import resolve_model
from reactree_planner.llm.token_trie import TokenTree
from support.needs import needed_module, needs

torch = needed_module('torch', 'transformers')

from reactree_planner.llm.transformers import (  # noqa: E402
    TransformersModel,
    TransformersOptions,
)
from reactree_planner.llm.transformers.engine import tree_mask  # noqa: E402

pytestmark = [needs('slow models', 'transformers', 'gemma-3-270m'), pytest.mark.timeout(1200)]
HEAD = 'You control a robot in a home. ' * 12 + '\n'
OPTIONS = [' go to fridge 1\n', ' go to sink 1\n', ' open fridge 1\n', ' done\n']


@pytest.fixture(scope='module')
def source():
    return str(resolve_model('gemma-3-270m'))


@pytest.fixture(scope='module')
def model(source):
    model = TransformersModel(source, TransformersOptions(context_tokens=2048))
    yield model
    model.close()


def test_it_keeps_every_clause_of_the_port(model):
    results = check_language_model(model)
    assert [result for result in results if not result.passed] == []


def test_pieces_join_to_the_text_they_were_cut_from(model):
    text = 'Käse, \U0001f34f and a line\n  end: open kitchen cabinet 12\t!'
    tokens = model.engine.tokenize(text, first=False)
    assert b''.join(map(model.engine.piece, tokens)).decode() == text


def test_a_tree_is_evaluated_in_one_pass_and_each_token_once(model):
    session = model.session(CancelToken(), HEAD)
    session.append('Your task is to: find milk\nAct:')
    session.fork().drop()
    before, calls = session.usage.evaluated_tokens, model.engine.forward_calls
    session.select(OPTIONS, Strategy.LIKELIHOOD)
    tree = TokenTree.of([model.engine.tokenize(option, False) for option in OPTIONS])
    assert session.usage.evaluated_tokens - before == len(tree.tokens)
    assert model.engine.forward_calls - calls == 1
    session.drop()


def test_a_saved_prefix_comes_back_from_disk_and_a_damaged_one_does_no_harm(source, tmp_path):
    seen = []
    for damage in (False, False, True):
        for file in tmp_path.glob('*.kv') if damage else ():
            file.write_bytes(b'rubbish' * 100)
        model = TransformersModel(
            source, TransformersOptions(context_tokens=2048, state_directory=tmp_path)
        )
        session = model.session(CancelToken(), HEAD)
        session.append('Your task is to: find milk\nAct:')
        chosen = session.select(OPTIONS)
        seen.append((chosen, model.prefixes.restored_from_disk))
        model.close()
    assert [restored for _, restored in seen] == [0, 1, 0]
    assert seen[0][0] == seen[1][0] == seen[2][0]


def test_a_window_hides_what_lies_too_far_back():
    tree = TokenTree.of([[1, 2, 3], [1, 4]])
    mask = tree_mask(tree, 3, 2, torch.float32, torch.device('cpu'))[0, 0]
    seen = (mask == 0).tolist()
    # Nodes 1, 12, 123, 14 after three tokens; each sees itself and the one before.
    assert seen == [
        [False, False, True, True, False, False, False],
        [False, False, False, True, True, False, False],
        [False, False, False, False, True, True, False],
        [False, False, False, True, False, False, True],
    ]


def test_what_does_not_load_says_so(tmp_path):
    with pytest.raises(ModelError, match='does not load'):
        TransformersModel(str(tmp_path))
