"""The in-process llama.cpp back end with a real model, the small one of the catalogue."""

from __future__ import annotations

import contextlib
import random
import threading

import numpy as np
import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ModelError
from reactree_planner.llm.conformance import check_language_model
from reactree_planner.llm.llama import LlamaModel, LlamaOptions
from reactree_planner.llm.models import resolve_model
from support.needs import needs

NAME = 'gemma-3-270m'
HEAD = 'You control a robot in a home. ' * 12 + '\n'
WORDS = ('robot', 'goes', 'fridge', 'opens', 'then', 'takes', 'milk', 'out', 'kitchen')
OPTIONS = [' go to fridge 1\n', ' go to sink 1\n', ' open fridge 1\n', ' done\n']


pytestmark = needs(NAME)


@pytest.fixture(scope='module')
def path():
    return resolve_model(NAME)


@pytest.fixture
def make(path):
    models = []

    def make(**options):
        model = LlamaModel(path, LlamaOptions(context_tokens=2048, **options))
        models.append(model)
        return model

    yield make
    for model in models:
        model.close()


def answer(model):
    session = model.session(CancelToken(), HEAD)
    session.append('Your task is to: find milk\nAct:')
    try:
        index = session.select(OPTIONS).index
        session.append('The fridge is closed.\nThink:')
        return index, session.generate(max_tokens=12), session.usage
    finally:
        session.drop()


@pytest.mark.timeout(600)
def test_it_keeps_every_clause_of_the_port(make):
    results = check_language_model(make())
    assert [result for result in results if not result.passed] == []


@pytest.mark.timeout(600)
def test_sessions_that_share_the_cache_answer_as_fresh_ones_do(make):
    model = make()
    dice = random.Random(7)
    heads = [' '.join(dice.choices(WORDS, k=50)) + '\n' for _ in range(3)]
    live = []
    for _ in range(25):
        turn = dice.random()
        if turn < 0.4 or not live:
            live.append(model.session(CancelToken(), dice.choice(heads)))
        elif turn < 0.7:
            live.append(dice.choice(live).fork())
        else:
            live.pop(dice.randrange(len(live))).drop()
        if not live:
            continue
        session = dice.choice(live)
        session.append(' '.join(dice.choices(WORDS, k=9)) + '\n')
        session.select(OPTIONS)
        shared = session.evaluated_text.logits()
        fresh = model.engine.take_sequence()
        (alone,) = model.engine.evaluate(fresh, 0, session.evaluated_text.tokens, CancelToken())
        model.engine.release_sequence(fresh)
        # Other batch sizes round otherwise; a wrong cache is off by ten and more.
        assert np.abs(shared - alone).max() < 3.0


@pytest.mark.timeout(600)
def test_a_shared_prefix_is_evaluated_once_and_restored_from_disk(make, tmp_path):
    first = make(state_directory=tmp_path)
    index, text, cold = answer(first)
    assert answer(first)[2].evaluated_tokens < cold.evaluated_tokens / 2
    assert len(list(tmp_path.glob('*.kv'))) == 1
    second = make(state_directory=tmp_path)
    index_again, text_again, warm = answer(second)
    assert second.prefixes.restored_from_disk == 1
    assert (index_again, text_again) == (index, text)
    assert warm.evaluated_tokens < cold.evaluated_tokens / 2


@pytest.mark.timeout(600)
def test_a_damaged_state_file_costs_time_only(make, tmp_path):
    index, text, _ = answer(make(state_directory=tmp_path))
    (file,) = tmp_path.glob('*.kv')
    file.write_bytes(b'rubbish' * 100)
    assert answer(make(state_directory=tmp_path))[:2] == (index, text)


@pytest.mark.timeout(600)
def test_a_cancel_stops_an_evaluation_and_the_model_goes_on(make):
    model = make()
    cancel = CancelToken()
    session = model.session(cancel)
    session.append('word ' * 1800)
    engine = model.prefixes.engine
    canceled = []

    def stop():
        canceled.append(engine.decode_calls)
        cancel.cancel()

    timer = threading.Timer(0.3, stop)
    timer.start()
    with pytest.raises(CanceledError):
        session.generate()
    timer.join()
    # It waits for the call under way, which is short, and for no other.
    assert 0 < engine.decode_calls <= canceled[0] + 1 < 1800 / engine.batch_tokens
    session.drop()
    answer(model)


@pytest.mark.timeout(600)
def test_no_moment_of_a_cancel_leaves_the_library_waiting(make):
    model = make()
    chance = random.Random(5)
    for _ in range(20):
        cancel = CancelToken()
        session = model.session(cancel)
        session.append('word ' * 300)
        timer = threading.Timer(chance.uniform(0.0, 0.4), cancel.cancel)
        timer.start()
        with contextlib.suppress(CanceledError):
            session.generate(max_tokens=4)
        timer.join()
        session.drop()
    answer(model)


@pytest.mark.timeout(600)
def test_a_prompt_that_does_not_fit_says_what_to_change(make):
    session = make().session(CancelToken())
    session.append('word ' * 4000)
    with pytest.raises(ModelError, match='context_tokens'):
        session.select(OPTIONS)
    session.drop()


def test_a_file_that_is_no_model_says_so(tmp_path):
    file = tmp_path / 'broken.gguf'
    file.write_bytes(b'GGUF' + bytes(100))
    with pytest.raises(ModelError, match='does not load'):
        LlamaModel(file)
    with pytest.raises(ModelError, match='make model'):
        LlamaModel(tmp_path / 'missing.gguf')
