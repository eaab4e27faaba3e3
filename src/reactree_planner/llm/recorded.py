"""A run's talk with its model, written down and played back exactly.

A recording is JSON lines: a heading, then one line per session, fork, append, select, generate and
token count, with the answer and what it cost. Long texts are cut, with a digest so that a replay
still tells them apart. Nothing of a back end's configuration is written, so no keys are.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections import deque
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_core.errors import ModelOutputError
from reactree_core.ports import LanguageModel
from reactree_core.ports import LanguageSession
from reactree_core.ports import Selection
from reactree_core.usage import LlmUsage

FORMAT = 1
#: Longer texts are written as their beginning, length and digest.
_TEXT_LETTERS = 20_000
_BEGINNING = 500
_RECORDING_BYTES = 256 * 1024**2
_EXCERPT = 160

Entry = dict[str, Any]


class ReplayDivergedError(ModelError):
    """A replay was asked something else than what was recorded.

    :param line: 1-based line of the recording; 0 when it has no line left for this.
    """

    def __init__(self, line: int, expected: str, got: str) -> None:
        super().__init__(
            f'The replay leaves its recording at line {line or "(end)"}: expected {expected}, '
            f'got {got}. The planner, its prompts or the world changed since the recording.')
        self.line = line
        self.expected = expected
        self.got = got


class RecordingModel:
    """Another model, with everything asked and answered written to a file (port `LanguageModel`).

    :param inner: the model that answers; closed with this one.
    :param path: written anew, one line at a time, so that a crash loses nothing.
    :raises ConfigurationError: the file cannot be written.
    """

    def __init__(self, inner: LanguageModel, path: Path) -> None:
        self._inner = inner
        self._path = path
        self._lock = threading.Lock()
        self._sessions = 0
        self._counted: set[str] = set()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open('w', encoding='utf-8')
        except OSError as error:
            raise ConfigurationError(
                f'The recording {path} cannot be written: {error.strerror}.') from error
        self.write({'recording': FORMAT, 'model': inner.name,
                    'context_tokens': inner.context_tokens})

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
        digest = _digest(text)
        if digest not in self._counted:
            self._counted.add(digest)
            self.write({'do': 'count', 'sha256': digest, 'tokens': tokens})
        return tokens

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> RecordingSession:
        """Begin a recorded session."""
        number = self.new_number()
        entry = {'do': 'session', 'session': number, 'text': _bounded(shared_prefix)}
        inner = self.tried(entry, lambda: self._inner.session(cancel, shared_prefix))
        self.write(entry | {'usage': _usage_entry(inner.usage)})
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

    def tried[Answer](self, entry: Entry, ask: Callable[[], Answer]) -> Answer:
        """Ask; an error is an answer too and written as one."""

    def write(self, entry: Entry) -> None:
        """Append one line.

        :raises ModelError: the file cannot be written.
        """
