"""The server back end against real servers: llama-server (its HTTP, from the wheel xllamacpp), and
the server of llama-cpp-python where `requirements/benchmarks.txt` is installed."""

from __future__ import annotations

import importlib.util
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_planner.llm.conformance import check_language_model
from reactree_planner.llm.models import resolve_model
from reactree_planner.llm.openai_server import OpenAiServerModel
from reactree_planner.llm.server_profile import Completion
from reactree_planner.llm.server_profile import Constraint
from reactree_planner.llm.server_profile import ServerKind
from reactree_planner.llm.server_profile import ServerProfile

pytestmark = [pytest.mark.system, pytest.mark.model, pytest.mark.timeout(1200)]

#: In a process of its own: two llama.cpp libraries in one process may share symbols. It ends when
#: its input ends, so it never outlives the tests.
_SERVER = """
import sys
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx = 8192
parameters.n_parallel = 2
parameters.port = 0
parameters.warmup = parameters.fit_params = False
for threads in (parameters.cpuparams, parameters.cpuparams_batch):
    # llama.cpp's threads wait by spinning: more of them than free cores are slower than one.
    threads.n_threads = 1
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
#: Another program with another interface: no /props, no /tokenize, JSON mode without schemas.
_OTHER_SERVER = """
import os
import socket
import sys
import threading
import uvicorn
from llama_cpp.server.app import create_app
from llama_cpp.server.settings import ModelSettings, ServerSettings
app = create_app(
    server_settings=ServerSettings(),
    model_settings=[ModelSettings(model=sys.argv[1], n_ctx=4096, n_threads=1, verbose=False)],
)
place = socket.create_server(('127.0.0.1', 0))
print(f'http://127.0.0.1:{place.getsockname()[1]}', flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
uvicorn.Server(uvicorn.Config(app, log_level='error')).run(sockets=[place])
"""
_START_SECONDS = 300.0
SKILLS = ['go to fridge 1', 'open fridge 1', 'pick up apple 1', 'go to sink 1']


@contextmanager
def _running(program: str, needs: str) -> Iterator[str]:
    """Address of a server in a process of its own."""
    if importlib.util.find_spec(needs) is None:
        pytest.skip(f'{needs} is not installed')
    try:
        path = resolve_model('gemma-3-270m')
    except ConfigurationError as error:
        pytest.skip(str(error))
    process = subprocess.Popen(
        [sys.executable, '-c', program, str(path)],
        stdin=subprocess.PIPE,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin
    assert process.stdout
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            assert selector.select(_START_SECONDS), 'the server does not start'
        url = process.stdout.readline().strip()
        assert url.startswith('http://127.0.0.1:'), 'the server did not start'
        yield url
    finally:
        process.stdin.close()
        try:
            process.wait(30.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


@pytest.fixture(scope='module')
def address() -> Iterator[str]:
    with _running(_SERVER, 'xllamacpp') as url:
        yield url


@pytest.fixture(scope='module')
def other_address() -> Iterator[str]:
    with _running(_OTHER_SERVER, 'llama_cpp') as url:
        yield url


@pytest.fixture
def model(address: str) -> Iterator[OpenAiServerModel]:
    opened = OpenAiServerModel(address)
    yield opened
    opened.close()


def test_the_server_is_recognised(model: OpenAiServerModel) -> None:
    profile = model.connect(CancelToken())
    assert profile.kind is ServerKind.LLAMA_SERVER
    assert profile.constraints[0] is Constraint.GRAMMAR
    assert profile.completion == (Completion.RAW,)
    assert model.context_tokens == 4096, 'the context of one of its two slots'
    assert model.name == 'gemma-3-270m'
    assert model.count_tokens('go to the fridge') == 4


def test_the_server_back_end_conforms(model: OpenAiServerModel) -> None:
    lines: list[str] = []
    results = check_language_model(model, lines.append)
    assert all(result.passed for result in results), '\n'.join(lines)


def test_a_choice_comes_with_its_log_probability_and_margin(model: OpenAiServerModel) -> None:
    session = model.session(CancelToken())
    session.append('Word: chair\nCopy: chair\nWord: cup\nCopy: cup\nWord: lamp\nCopy:')
    selection = session.select([' lamp', ' quarrel'])
    assert selection.index == 0
    assert -3.0 < selection.log_probability < 0.0
    assert 0.0 < selection.margin < 30.0


def test_the_shorter_of_two_options_is_chosen_where_the_text_ends_there(
    model: OpenAiServerModel,
) -> None:
    session = model.session(CancelToken())
    session.append('Word: chair\nCopy: chair\nWord: cup\nCopy: cup\nWord: lamp\nCopy: ')
    assert session.select(['lamp 12', 'lamp 1', 'lamp']).index == 2


def test_a_prompt_that_grew_is_not_evaluated_again(model: OpenAiServerModel) -> None:
    session = model.session(CancelToken(), 'You are a robot in a house. ' * 20)
    session.append('\nAct: ')
    session.select(SKILLS)
    first = session.usage
    session.append('\nAct: ')
    session.select(SKILLS)
    second = session.usage - first
    assert second.cached_tokens > 0.8 * second.prompt_tokens


@pytest.mark.parametrize('constraint', [Constraint.JSON_SCHEMA, Constraint.PROPOSE])
def test_lesser_constraints_choose_an_option_too(
    model: OpenAiServerModel, monkeypatch: pytest.MonkeyPatch, constraint: Constraint
) -> None:
    profile = model.connect(CancelToken())
    monkeypatch.setattr(ServerProfile, 'constraints', (constraint,), raising=False)
    assert profile.constraints == (constraint,)
    session = model.session(CancelToken(), 'Copy: cup\nCopy: cup\nCopy: cup\nCopy:')
    assert session.select([' cup', ' lamp']).index in (0, 1)


def test_a_prompt_that_does_not_fit_ends_in_a_sentence(model: OpenAiServerModel) -> None:
    session = model.session(CancelToken(), 'one two three ' * 3000)
    with pytest.raises(ModelError, match='no room for this prompt'):
        session.generate()


def test_a_grammar_of_every_letter_is_understood(model: OpenAiServerModel) -> None:
    options = ['"', '\\', '\n', '\t', '\x7f', 'ß', '\u2028', '\U0001f34f', '[a-z]', '{2}', '()|?*']
    session = model.session(CancelToken(), 'Write: ')
    assert session.select(options).index in range(len(options))
    assert model.connect(CancelToken()).constraints[0] is Constraint.GRAMMAR


def test_a_server_that_has_gone_is_named(address: str) -> None:
    started = time.monotonic()
    gone = OpenAiServerModel('http://127.0.0.1:1', max_retries=1, first_pause=0.01)
    with pytest.raises(ModelError, match=r'127\.0\.0\.1:1/v1 cannot be reached'):
        gone.session(CancelToken())
    gone.close()
    assert time.monotonic() - started < 5.0


def test_another_server_conforms_too(other_address: str) -> None:
    opened = OpenAiServerModel(other_address, read_timeout=120.0)
    lines: list[str] = []
    results = check_language_model(opened, lines.append)
    opened.close()
    assert all(result.passed for result in results), '\n'.join(lines)


def test_another_server_keeps_to_the_options(other_address: str) -> None:
    opened = OpenAiServerModel(other_address, read_timeout=120.0)
    session = opened.session(CancelToken(), 'Word: cup\nCopy: cup\nWord: lamp\nCopy:')
    assert session.select([' cup', ' lamp', ' towel']).index == 1
    opened.close()
