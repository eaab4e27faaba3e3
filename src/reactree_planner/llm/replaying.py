"""A recorded talk with a model played back, and where a new run leaves it."""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_core.ports import Selection
from reactree_core.ports import Strategy
from reactree_core.usage import LlmUsage
from reactree_planner.llm.recording_format import bounded
from reactree_planner.llm.recording_format import damaged
from reactree_planner.llm.recording_format import digest_of
from reactree_planner.llm.recording_format import Entry
from reactree_planner.llm.recording_format import ERRORS
from reactree_planner.llm.recording_format import generate_entry
from reactree_planner.llm.recording_format import Line
from reactree_planner.llm.recording_format import read_recording
from reactree_planner.llm.recording_format import select_entry
from reactree_planner.llm.recording_format import usage_of

_EXCERPT = 200


class ReplayDivergedError(ModelError):
    """A replay was asked something else than what was recorded.

    :param line: 1-based line of the recording; 0 when it has no line left for this.
    """

    def __init__(self, line: int, expected: str, got: str) -> None:
        super().__init__(
            f'The replay leaves its recording at line {line or "(end)"}: expected {expected}, '
            f'got {got}. The planner, its prompts or the world changed since the recording.'
        )
        self.line = line
        self.expected = expected
        self.got = got


class ReplayedModel:
    """Answers exactly as recorded, as long as it is asked exactly the same (`LanguageModel`).

    Sessions are matched by the order in which they begin; within each, every step must be the
    recorded one. Sessions that ran side by side need not interleave as they did.

    :raises ConfigurationError: the file cannot be read or is no recording.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        heading, lines = read_recording(path)
        self._name = str(heading.get('model', ''))[:_EXCERPT]
        context = heading.get('context_tokens')
        self._context_tokens = context if isinstance(context, int) else 0
        self._lock = threading.Lock()
        self._beginnings: deque[Line] = deque()
        self._steps: dict[int, deque[Line]] = defaultdict(deque)
        self._counts: dict[str, int] = {}
        for line in lines:
            self._keep(line)

    def _keep(self, line: Line) -> None:
        session, do = line.entry.get('session'), line.entry.get('do')
        if do == 'count' and isinstance(line.entry.get('tokens'), int):
            self._counts[str(line.entry.get('sha256'))] = line.entry['tokens']
        elif do == 'session' and isinstance(session, int):
            self._beginnings.append(line)
        elif do in ('append', 'select', 'generate', 'fork') and isinstance(session, int):
            if do == 'select':
                # Recordings from before there was another strategy do not name it.
                line.entry.setdefault('strategy', Strategy.CONSTRAINED.value)
            self._steps[session].append(line)
        else:
            raise damaged(self._path, line.number)

    @property
    def name(self) -> str:
        """The recorded model's, and that this is a replay."""
        return f'{self._name} (replayed)'

    @property
    def context_tokens(self) -> int:
        """The recorded model's."""
        return self._context_tokens

    @property
    def lines_left(self) -> int:
        """Recorded steps that nobody asked for again yet."""
        return len(self._beginnings) + sum(len(steps) for steps in self._steps.values())

    def count_tokens(self, text: str) -> int:
        """The recorded count.

        :raises ReplayDivergedError: this text was not counted in the recording.
        """
        tokens = self._counts.get(digest_of(text))
        if tokens is None:
            raise ReplayDivergedError(
                0, 'no count of this text', f'count_tokens of {text[:_EXCERPT]!r}'
            )
        return tokens

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> ReplayedSession:
        """The next recorded session."""
        cancel.check()
        wanted = {'do': 'session', 'text': bounded(shared_prefix)}
        line = self.take(self._beginnings, wanted)
        number: int = line.entry['session']
        usage = usage_of(line.entry, self._name)
        return ReplayedSession(self, self._steps[number], cancel, shared_prefix, usage)

    def steps_of(self, line: Line) -> deque[Line]:
        """Steps of a forked session."""
        number = line.entry.get('new')
        if not isinstance(number, int):
            raise self.damaged(line)
        return self._steps[number]

    def take(self, steps: deque[Line], wanted: Entry) -> Line:
        """The next step, if it is the wanted one; a recorded error is raised again.

        :raises ReplayDivergedError: it is another, or there is none.
        """
        with self._lock:
            if not steps:
                raise ReplayDivergedError(0, 'nothing more', _shown(wanted))
            line = steps[0]
            recorded = {name: line.entry.get(name) for name in wanted}
            if recorded != wanted:
                raise ReplayDivergedError(line.number, *_difference(recorded, wanted))
            steps.popleft()
        kind = line.entry.get('error')
        if kind is not None:
            raise ERRORS.get(str(kind), ModelError)(str(line.entry.get('message')))
        return line

    def damaged(self, line: Line) -> ConfigurationError:
        """Error about a line that lacks its answer."""
        return damaged(self._path, line.number)

    @property
    def recorded_name(self) -> str:
        """The recorded model's name, for usage."""
        return self._name

    def close(self) -> None:
        """Nothing to free."""


def _difference(recorded: Entry, wanted: Entry) -> tuple[str, str]:
    """The parts that differ, short enough to read."""
    names = [name for name in wanted if recorded[name] != wanted[name]]
    if 'do' in names:
        return _shown(recorded), _shown(wanted)
    return (
        _shown({'do': recorded['do']} | {name: recorded[name] for name in names}),
        _shown({'do': wanted['do']} | {name: wanted[name] for name in names}),
    )


def _shown(entry: Entry) -> str:
    rest = ', '.join(f'{name} {_excerpt(value)}' for name, value in entry.items() if name != 'do')
    return f'{entry["do"]} with {rest}' if rest else str(entry['do'])


def _excerpt(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _EXCERPT else f'{text[:_EXCERPT]}...'


class ReplayedSession:
    """One recorded session (port `LanguageSession`)."""

    def __init__(
        self,
        model: ReplayedModel,
        steps: deque[Line],
        cancel: CancelToken,
        text: str,
        usage: LlmUsage,
    ) -> None:
        self._model = model
        self._steps = steps
        self._cancel = cancel
        self._text = text
        self._usage = usage

    @property
    def text(self) -> str:
        """Everything so far."""
        return self._text

    @property
    def usage(self) -> LlmUsage:
        """As recorded."""
        return self._usage

    def append(self, text: str) -> None:
        """Add text.

        :raises ReplayDivergedError: something else was recorded here.
        """
        self._model.take(self._steps, {'do': 'append', 'text': bounded(text)})
        self._text += text

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """The recorded choice."""
        wanted = select_entry(0, options, strategy)
        entry, line = self._answer(wanted)
        index = entry.get('index')
        if not isinstance(index, int) or not 0 <= index < len(options):
            raise self._model.damaged(line)
        self._text += options[index]
        return Selection(
            index,
            _number(entry.get('log_probability'), 0.0),
            _number(entry.get('margin'), math.inf),
        )

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """The recorded text."""
        wanted = generate_entry(0, stop, max_tokens, temperature, seed, top_p)
        entry, line = self._answer(wanted)
        text = entry.get('answer')
        if not isinstance(text, str):
            raise self._model.damaged(line)
        self._text += text
        return text

    def _answer(self, wanted: Entry) -> tuple[Entry, Line]:
        self._cancel.check()
        del wanted['session']
        line = self._model.take(self._steps, wanted)
        self._usage += usage_of(line.entry, self._model.recorded_name)
        return line.entry, line

    def fork(self) -> ReplayedSession:
        """The recorded fork."""
        line = self._model.take(self._steps, {'do': 'fork'})
        usage = LlmUsage(self._model.recorded_name)
        return ReplayedSession(
            self._model, self._model.steps_of(line), self._cancel, self._text, usage
        )

    def drop(self) -> None:
        """Nothing to give back."""


def _number(value: object, missing: float) -> float:
    return float(value) if isinstance(value, int | float) else missing
