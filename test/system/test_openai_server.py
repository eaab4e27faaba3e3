"""The server back end against two real servers: llama-server (its HTTP, from the wheel xllamacpp)
and the server of llama-cpp-python, another program with another interface.

The second is taken from this environment, or from the one whose Python the variable
REACTREE_SECOND_SERVER_PYTHON names (`requirements/second_server.txt`); else it is skipped.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelError
from reactree_planner.llm.conformance import check_language_model
from reactree_planner.llm.models import resolve_model
from reactree_planner.llm.openai_server.dialogue import ServerDialogue
from reactree_planner.llm.openai_server.model import OpenAiServerModel
from reactree_planner.llm.openai_server.profile import (
    Completion,
    Constraint,
    ServerKind,
    ServerProfile,
)
from support.needs import needs

pytestmark = [needs('gemma-3-270m'), pytest.mark.timeout(1200)]

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
#: No /props, no /tokenize, no schemas in `json_schema`; it does not say how long its context is.
_SECOND_SERVER = """
import os
import socket
import sys
import threading
import uvicorn
import llama_cpp.llama_cpp as library
from llama_cpp.server.app import create_app
from llama_cpp.server.settings import ModelSettings, ServerSettings

defaults = library.llama_model_default_params

def without_repacking():
    # llama.cpp crashes on weights repacked for AMX (its issue 20824); no setting of this server
    # reaches that switch.
    parameters = defaults()
    parameters.use_extra_bufts = False
    return parameters

library.llama_model_default_params = without_repacking
settings = ModelSettings(
    model=sys.argv[1],
    n_ctx=1024,
    n_threads=1,
    n_threads_batch=1,
    logits_all=False,
    verbose=False,
)
app = create_app(server_settings=ServerSettings(), model_settings=[settings])
place = socket.create_server(('127.0.0.1', 0))
print(f'http://127.0.0.1:{place.getsockname()[1]}', flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
uvicorn.Server(uvicorn.Config(app, log_level='error')).run(sockets=[place])
"""
_SECOND_CONTEXT = 1024
_SECOND_PYTHON = 'REACTREE_SECOND_SERVER_PYTHON'
_IMPORT_SECONDS = 120.0
_START_SECONDS = 300.0
SKILLS = ['go to fridge 1', 'open fridge 1', 'pick up apple 1', 'go to sink 1']


def _second_python() -> str:
    """The Python that has the second server."""
    python = os.environ.get(_SECOND_PYTHON) or sys.executable
    tried = subprocess.run(
        [python, '-c', 'import llama_cpp.server.app'],
        capture_output=True,
        text=True,
        timeout=_IMPORT_SECONDS,
        check=False,
    )
    assert tried.returncode == 0, f'{python} has no second server:\n{tried.stderr}'
    return python


@contextmanager
def _running(python: str, program: str) -> Iterator[str]:
    """Address of a server in a process of its own."""
    path = resolve_model('gemma-3-270m')
    process = subprocess.Popen(
        [python, '-c', program, str(path)],
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
    with _running(sys.executable, _SERVER) as url:
        yield url


@pytest.fixture(scope='module')
def second_address() -> Iterator[str]:
    with _running(_second_python(), _SECOND_SERVER) as url:
        yield url


@pytest.fixture
def model(address: str) -> Iterator[OpenAiServerModel]:
    opened = OpenAiServerModel(address)
    yield opened
    opened.close()


@pytest.fixture
def silent_model(address: str) -> Iterator[OpenAiServerModel]:
    """One that is told no options: only the constraint has them."""
    opened = OpenAiServerModel(address, lists_options=False)
    yield opened
    opened.close()


@pytest.fixture
def second_model(second_address: str) -> Iterator[OpenAiServerModel]:
    opened = OpenAiServerModel(second_address, context_tokens=_SECOND_CONTEXT)
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
    silent_model: OpenAiServerModel,
) -> None:
    session = silent_model.session(CancelToken())
    session.append('Word: chair\nCopy: chair\nWord: cup\nCopy: cup\nWord: lamp\nCopy: ')
    assert session.select(['lamp 12', 'lamp 1', 'lamp']).index == 2


def test_a_prompt_that_grew_is_not_evaluated_again(silent_model: OpenAiServerModel) -> None:
    session = silent_model.session(CancelToken(), 'You are a robot in a house. ' * 20)
    session.append('\nAct: ')
    session.select(SKILLS)
    first = session.usage
    session.append('\nAct: ')
    session.select(SKILLS)
    second = session.usage - first
    assert second.cached_tokens > 0.8 * second.prompt_tokens


@pytest.mark.parametrize(
    'constraint', [Constraint.JSON_SCHEMA, Constraint.JSON_OBJECT, Constraint.PROPOSE]
)
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


def test_the_second_server_is_recognised(second_model: OpenAiServerModel) -> None:
    profile = second_model.connect(CancelToken())
    assert profile.kind is ServerKind.LLAMA_CPP_PYTHON
    assert profile.version
    assert profile.constraints[0] is Constraint.GRAMMAR
    assert second_model.name == 'gemma-3-270m'
    assert second_model.count_tokens('go to the fridge') == 5, 'with the token that begins a text'


def test_the_second_server_conforms_too(second_model: OpenAiServerModel) -> None:
    lines: list[str] = []
    results = check_language_model(second_model, lines.append)
    assert all(result.passed for result in results), '\n'.join(lines)


@pytest.mark.parametrize('constraint', [Constraint.GRAMMAR, Constraint.PROPOSE])
def test_the_second_server_keeps_to_the_options(
    second_model: OpenAiServerModel, monkeypatch: pytest.MonkeyPatch, constraint: Constraint
) -> None:
    second_model.connect(CancelToken())
    monkeypatch.setattr(ServerProfile, 'constraints', (constraint,), raising=False)
    session = second_model.session(CancelToken(), 'Word: cup\nCopy: cup\nWord: lamp\nCopy:')
    assert session.select([' cup', ' lamp', ' towel']).index == 1


@pytest.mark.parametrize('constraint', [Constraint.GRAMMAR, Constraint.JSON_OBJECT])
def test_the_second_server_obeys_what_it_understands(
    second_model: OpenAiServerModel, monkeypatch: pytest.MonkeyPatch, constraint: Constraint
) -> None:
    second_model.connect(CancelToken())
    monkeypatch.setattr(ServerProfile, 'constraints', (constraint,), raising=False)
    # Without the last resort a choice can only come from an answer that was kept to the options.
    monkeypatch.setattr(ServerDialogue, '_proposed', None)
    session = second_model.session(CancelToken(), 'Goal: chill the apple.\nAct: ')
    assert session.select(SKILLS).index in range(len(SKILLS))


def test_the_second_server_says_that_a_prompt_does_not_fit(
    second_model: OpenAiServerModel,
) -> None:
    session = second_model.session(CancelToken(), 'one two three ' * 500)
    with pytest.raises(ModelError, match='no room for this prompt'):
        session.generate()
