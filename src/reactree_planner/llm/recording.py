"""A run's talk with its model, written down while it happens."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_core.ports import LanguageModel
from reactree_core.ports import LanguageSession
from reactree_core.ports import RemoteModel
from reactree_core.ports import Selection
from reactree_core.ports import Strategy
from reactree_core.usage import LlmUsage
from reactree_planner.llm.recording_format import bounded
from reactree_planner.llm.recording_format import digest_of
from reactree_planner.llm.recording_format import Entry
from reactree_planner.llm.recording_format import ERRORS
from reactree_planner.llm.recording_format import FORMAT
from reactree_planner.llm.recording_format import generate_entry
from reactree_planner.llm.recording_format import select_entry
from reactree_planner.llm.recording_format import usage_entry

_Answer = TypeVar('_Answer')


class RecordingModel:
    """Another model, with everything asked and answered written down (port `LanguageModel`).

    :param inner: the model that answers; closed with this one.
    :param path: written anew, line by line, so that a crash loses nothing before it.
    :raises ConfigurationError: the file cannot be written.
    """

    def __init__(self, inner: LanguageModel, path: Path) -> None:
        self._inner = inner
        self._path = path
        self._lock = threading.Lock()
        self._sessions = 0
        self._counted: set[str] = set()
        # A server knows its name only after it was asked something.
        context_tokens = inner.context_tokens
        heading = {'recording': FORMAT, 'model': inner.name, 'context_tokens': context_tokens}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open('w', encoding='utf-8')
        except OSError as error:
            raise ConfigurationError(
                f'The recording {path} cannot be written: {error.strerror}.'
            ) from error
        self.write(heading)

    @property
    def name(self) -> str:
        """The recorded model's."""
        return self._inner.name

    @property
    def context_tokens(self) -> int:
        """The recorded model's."""
        return self._inner.context_tokens

    def count_tokens(self, text: str) -> int:
        """The recorded model's count."""
        tokens = self._inner.count_tokens(text)
        digest = digest_of(text)
        if digest not in self._counted:
            self._counted.add(digest)
            self.write({'do': 'count', 'sha256': digest, 'tokens': tokens})
        return tokens

    def connect(self, cancel: CancelToken) -> None:
        """The recorded model's, where it is elsewhere."""
        if isinstance(self._inner, RemoteModel):
            self._inner.connect(cancel)

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> RecordingSession:
        """Begin a recorded session."""
        number = self.new_number()
        entry = {'do': 'session', 'session': number, 'text': bounded(shared_prefix)}
        inner = self.tried(entry, lambda: self._inner.session(cancel, shared_prefix))
        self.write(entry | {'usage': usage_entry(inner.usage)})
        return RecordingSession(self, inner, number)

    def close(self) -> None:
        """Close the file and the inner model; safe to call twice."""
        with self._lock:
            self._file.close()
        self._inner.close()

    def new_number(self) -> int:
        """Number of the next session."""
        with self._lock:
            self._sessions += 1
            return self._sessions

    def tried(self, entry: Entry, ask: Callable[[], _Answer]) -> _Answer:
        """Ask the inner model; an error is an answer too, and written as one."""
        try:
            return ask()
        except (CanceledError, ModelError) as error:
            kind = next(name for name, kind in ERRORS.items() if isinstance(error, kind))
            self.write(entry | {'error': kind, 'message': bounded(str(error))})
            raise

    def write(self, entry: Entry) -> None:
        """Append one line.

        :raises ModelError: the file cannot be written.
        """
        try:
            row = json.dumps(entry, allow_nan=False)
            with self._lock:
                self._file.write(f'{row}\n')
                self._file.flush()
        except (OSError, ValueError) as error:
            raise ModelError(
                f'The recording {self._path} cannot be written ({error}): free some space, or '
                'run without recording.'
            ) from error


class RecordingSession:
    """A session whose every step is written down (port `LanguageSession`)."""

    def __init__(self, model: RecordingModel, inner: LanguageSession, number: int) -> None:
        self._model = model
        self._inner = inner
        self._number = number

    @property
    def text(self) -> str:
        """Everything so far."""
        return self._inner.text

    @property
    def usage(self) -> LlmUsage:
        """The inner session's."""
        return self._inner.usage

    def append(self, text: str) -> None:
        """Add text."""
        self._inner.append(text)
        self._model.write({'do': 'append', 'session': self._number, 'text': bounded(text)})

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """Choose, and write it down."""
        entry = select_entry(self._number, options, strategy)
        before = self._inner.usage
        chosen = self._model.tried(entry, lambda: self._inner.select(options, strategy))
        self._model.write(
            entry
            | {
                'index': chosen.index,
                'log_probability': _finite(chosen.log_probability),
                'margin': _finite(chosen.margin),
                'usage': usage_entry(self._inner.usage - before),
            }
        )
        return chosen

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """Generate, and write it down."""
        entry = generate_entry(self._number, stop, max_tokens, temperature, seed, top_p)
        before = self._inner.usage
        text = self._model.tried(
            entry, lambda: self._inner.generate(stop, max_tokens, temperature, seed, top_p)
        )
        self._model.write(
            entry | {'answer': text, 'usage': usage_entry(self._inner.usage - before)}
        )
        return text

    def fork(self) -> RecordingSession:
        """A second session with the same text."""
        number = self._model.new_number()
        entry = {'do': 'fork', 'session': self._number, 'new': number}
        inner = self._model.tried(entry, self._inner.fork)
        self._model.write(entry)
        return RecordingSession(self._model, inner, number)

    def drop(self) -> None:
        """Give the inner session's resources back."""
        self._inner.drop()


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
