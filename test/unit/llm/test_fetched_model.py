"""A model that is fetched at its first request: once, canceled at once, and tried again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Role, Turn
from reactree_core.errors import CanceledError, ConfigurationError, ModelError
from reactree_core.ports import ChatModel, FetchedModel, RemoteModel
from reactree_planner.llm.fetched_model import ModelToFetch
from reactree_planner.llm.llama import LlamaModel
from reactree_planner.llm.models import DEFAULT_MODEL, FetchProgress, FetchStatus
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.llm.two_models import TwoModels
from reactree_tools.model_check import check_model_choice, fetched_later

PATIENCE = 20.0
HELLO = Turn(Role.SYSTEM, 'Hello.')
Bring = Callable[[FetchProgress], Path]


class Fetching:
    """A model to be fetched, with all that happens to it."""

    def __init__(self, bring: Bring) -> None:
        self.happened: list[str] = []
        self.told: list[FetchStatus] = []
        self.bring = bring
        self.model = ModelToFetch('small', 99, self._fetch, self._load, self.told.append)

    def _fetch(self, progress: FetchProgress) -> Path:
        self.happened.append('fetch')
        return self.bring(progress)

    def _load(self, path: Path) -> PolicyModel:
        self.happened.append(f'load {path}')
        return PolicyModel(lambda text, options: 0 if options else ' here', 'small', 99)

    @contextmanager
    def waiting(self, what: str):
        """The context of a wait."""
        self.happened.append(f'begin: {what}')
        yield
        self.happened.append('end')


def part_by_part(progress: FetchProgress) -> Path:
    for part in (1, 2):
        progress(FetchStatus('small', f'fetching part {part} of 2', part * 5_000_000, 10_000_000))
    return Path('small.gguf')


def test_nothing_is_fetched_until_it_is_asked_and_then_once() -> None:
    fetching = Fetching(part_by_part)
    model = fetching.model
    assert isinstance(model, FetchedModel) and not isinstance(model, RemoteModel)
    assert (model.name, model.is_loaded, model.takes_pictures) == ('small', False, False)
    # Python 3.11 asks for all that a protocol names to say whether something is one.
    assert model.context_tokens == 99 and isinstance(model, ChatModel)
    assert fetching.happened == []
    model.attend(CancelToken(), fetching.waiting)
    session, chat = model.session(CancelToken(), 'Go'), model.chat(CancelToken(), (HELLO,))
    session.append(' to')
    other = session.fork()
    other.append(' find')
    chat.say(Role.USER, 'Where?')
    chat.append('In')
    aside = chat.fork()
    aside.append(' there')
    assert (session.text, other.text, session.usage.requests) == ('Go to', 'Go to find', 0)
    assert model.count_tokens('a fork and a plate') == 6, 'estimated'
    assert fetching.happened == []
    assert session.select([' the sink', ' the stove']).index == 0
    assert (session.text, session.usage.requests) == ('Go to the sink', 1)
    assert model.is_loaded and model.count_tokens('a fork and a plate') == 5
    assert other.generate() == ' here' and other.text == 'Go to find here'
    assert [one.text for one in other.sample((1, 2))] == [' here', ' here']
    for talk, text in ((chat, 'In here'), (aside, 'In there here')):
        before = talk.text
        assert talk.generate() == ' here' and talk.text == f'{before} here'
        assert talk.text.endswith(text) and 'Where?' in talk.text and 'Hello.' in talk.text
    session.fork().drop()
    aside.fork().drop()
    for one in (session, other, chat, aside):
        one.drop()
    assert fetching.happened == [
        'begin: Fetching the model small',
        'fetch',
        'end',
        'load small.gguf',
    ]
    assert [one.line for one in fetching.told] == [
        'small: fetching part 1 of 2 (5 of 10 MB)',
        'small: fetching part 2 of 2 (10 of 10 MB)',
    ]
    model.close()
    assert not model.is_loaded


@pytest.mark.parametrize('ask', ['select', 'generate', 'sample', 'chat'])
def test_a_fetch_that_fails_is_a_sentence_and_the_next_request_tries_again(ask: str) -> None:
    def fail(progress: FetchProgress) -> Path:
        raise ModelError('the package registry cannot be reached; use another model')

    fetching = Fetching(fail)
    model = fetching.model
    session, chat = model.session(CancelToken()), model.chat(CancelToken())
    requests: dict[str, Callable[[], object]] = {
        'select': lambda: session.select(['a', 'b']),
        'generate': lambda: session.generate(),
        'sample': lambda: list(session.sample((1,))),
        'chat': lambda: chat.generate(),
    }
    with pytest.raises(ModelError, match=r'small .* not on this machine.* cannot be reached; use'):
        requests[ask]()
    assert not model.is_loaded
    fetching.bring = part_by_part
    assert requests[ask]()
    assert model.is_loaded
    assert fetching.happened == ['fetch', 'fetch', 'load small.gguf']


def test_a_fault_of_the_program_is_not_taken_for_a_failed_fetch() -> None:
    def fault(progress: FetchProgress) -> Path:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Fetching(fault).model.session(CancelToken()).generate()


def test_a_cancel_is_heard_during_a_fetch_which_stops_at_its_next_part() -> None:
    begun, go_on, stopped = threading.Event(), threading.Event(), threading.Event()

    def slow(progress: FetchProgress) -> Path:
        begun.set()
        assert go_on.wait(PATIENCE)
        try:
            return part_by_part(progress)
        except CanceledError:
            stopped.set()
            raise

    fetching, cancel = Fetching(slow), CancelToken()
    fetching.model.attend(cancel, fetching.waiting)
    ended: list[str] = []

    def ask() -> None:
        with pytest.raises(CanceledError):
            fetching.model.session(cancel).generate()
        ended.append('canceled')

    asking = threading.Thread(target=ask)
    asking.start()
    assert begun.wait(PATIENCE)
    cancel.cancel()
    asking.join(PATIENCE)
    assert ended == ['canceled'], 'the fetch was waited for'
    go_on.set()
    assert stopped.wait(PATIENCE) and fetching.told == []


def test_of_two_models_each_is_fetched_when_it_is_asked() -> None:
    first, second = Fetching(part_by_part), Fetching(part_by_part)
    both = TwoModels(first.model, second.model)
    assert isinstance(both, FetchedModel) and not both.is_loaded
    both.attend(CancelToken(), second.waiting)
    both.planner.session(CancelToken()).generate()
    assert first.happened == [] and second.happened[0].startswith('begin')
    assert not both.is_loaded
    both.session(CancelToken()).generate()
    assert both.is_loaded and first.happened[-1] == 'load small.gguf'


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of models."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    return tmp_path / 'reactree' / 'models'


def test_only_who_shows_the_progress_gets_a_model_that_is_fetched_later(cache: Path) -> None:
    with pytest.raises(ConfigurationError, match='reactree model fetch'):
        load_model(DEFAULT_MODEL, ModelOptions())
    later = ModelOptions(progress=lambda status: None)
    model = load_model(DEFAULT_MODEL, later)
    assert isinstance(model, ModelToFetch) and model.name == DEFAULT_MODEL
    assert model.context_tokens == ModelOptions().context_tokens
    pair = load_model(f'random:1,planner={DEFAULT_MODEL}', later)
    assert isinstance(pair, FetchedModel) and not pair.is_loaded
    assert not list(cache.parent.rglob('*.partial')), 'nothing is fetched'


@pytest.mark.parametrize('name', ['gpt-17', 'no/such.gguf', 'hf:owner/repository/file.gguf'])
def test_what_cannot_be_known_to_exist_is_refused_at_the_start(name: str, cache: Path) -> None:
    with pytest.raises(ConfigurationError):
        load_model(name, ModelOptions(progress=lambda status: None))
    with pytest.raises(ConfigurationError):
        check_model_choice(name, fetches=True)
    assert fetched_later(name) == ''


def test_a_model_of_the_catalogue_that_is_not_here_is_fine_where_it_is_fetched(
    cache: Path,
) -> None:
    check_model_choice(DEFAULT_MODEL, fetches=True)
    check_model_choice(f'none,planner={DEFAULT_MODEL}', fetches=True)
    assert fetched_later(f'none,planner={DEFAULT_MODEL}') == (
        f'{DEFAULT_MODEL} (1.1 GB) is fetched when it is first asked'
    )
    with pytest.raises(ConfigurationError, match=f'reactree model fetch {DEFAULT_MODEL}'):
        check_model_choice(DEFAULT_MODEL)


def test_a_model_that_is_here_is_loaded_at_once(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[Path] = []
    monkeypatch.setattr(LlamaModel, '__init__', lambda self, path, options: loaded.append(path))
    cache.mkdir(parents=True)
    file = cache / f'{DEFAULT_MODEL}.gguf'
    with file.open('wb') as stream:
        stream.write(b'GGUF')
        stream.truncate(1117320768)
    assert fetched_later(DEFAULT_MODEL) == ''
    load_model(DEFAULT_MODEL, ModelOptions(progress=lambda status: None))
    assert loaded == [file]
