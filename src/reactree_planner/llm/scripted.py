"""Answers from a script, for tests, examples and demos."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PlainValidator

from reactree_core.errors import ModelOutputError
from reactree_core.written_files import read_file
from reactree_planner.llm.policy import EXCERPT, named_option, offered, PolicyModel


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """One answer of a script.

    :param answer: for a `select` an option, a part of one, or an index; else free text.
    :param kind: 'select', 'generate', or '' for whichever is asked.
    """

    answer: int | str
    kind: str = ''


class ScriptedModel(PolicyModel):
    """Answers line by line, whichever session asks.

    :param script: lines; a bare text or index answers whichever request comes.
    """

    def __init__(self, script: Sequence[ScriptLine | int | str], name: str = 'scripted') -> None:
        super().__init__(self._next, name)
        self._lines = [
            line if isinstance(line, ScriptLine) else ScriptLine(line) for line in script
        ]
        self._used = 0
        self._lock = threading.Lock()

    def _next(self, text: str, options: Sequence[str] | None) -> int | str:
        asked = 'generate' if options is None else 'select'
        with self._lock:
            if self._used == len(self._lines):
                raise ModelOutputError(
                    f'The script has only {len(self._lines)} lines and is asked to {asked} once '
                    f'more{self._detail(text, options)}.'
                )
            line = self._lines[self._used]
            self._used += 1
            number = self._used
        if line.kind not in ('', asked) or (options is None and isinstance(line.answer, int)):
            raise ModelOutputError(
                f'Script line {number} is to {line.kind or "select"} {line.answer!r}, but the '
                f'planner asks to {asked}{self._detail(text, options)}.'
            )
        if options is None:
            return line.answer
        try:
            return named_option(line.answer, options)
        except ModelOutputError as error:
            raise ModelOutputError(f'Script line {number}: {error}') from error

    def _detail(self, text: str, options: Sequence[str] | None) -> str:
        if options is not None:
            return f' from {offered(options)}'
        return f' after {text[-EXCERPT:]!r}'


def _script_line(entry: Any) -> ScriptLine:
    kind = ''
    if isinstance(entry, dict) and len(entry) == 1:
        kind, entry = next(iter(entry.items()))
    known = kind in ('', 'select', 'generate')
    good = isinstance(entry, str) or (isinstance(entry, int) and kind != 'generate')
    if not known or not good or isinstance(entry, bool):
        raise ValueError(
            'an entry is a text, an index, "select: text or index" or "generate: text" (quote '
            'texts that YAML takes for something else)'
        )
    return ScriptLine(entry, kind)


_Entry = Annotated[Any, PlainValidator(_script_line)]


def load_scripted_model(path: Path) -> ScriptedModel:
    """A scripted model from a YAML file: a list of answers.

    Each entry is a text, an index, or a mapping `select: ...` or `generate: ...`.

    :raises ConfigurationError: the file cannot be read or holds something else.
    """
    form = 'is no list: write one answer a line, each after "- "'
    entries = read_file(path, Annotated[list[_Entry], Field(min_length=1)], form=form)
    return ScriptedModel(entries)
