"""How a run's talk with its model stands in a file: JSON lines.

A heading, then one line per session, fork, append, select, generate and token count, with the
answer and what it cost. Long texts are cut, with a digest so that they are still told apart.
Nothing of a back end's configuration is written, so no keys are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reactree_core.errors import CanceledError
from reactree_core.errors import ConfigurationError
from reactree_core.errors import ModelError
from reactree_core.errors import ModelOutputError
from reactree_core.errors import ReactreeError
from reactree_core.ports import Strategy
from reactree_core.usage import LlmUsage

FORMAT = 1
#: Longer texts are written as their beginning, length and digest.
TEXT_LETTERS = 20_000
_BEGINNING = 500
_RECORDING_BYTES = 256 * 1024**2

#: Errors that are answers, by the name they are written with; the most special first.
ERRORS: dict[str, type[ReactreeError]] = {
    'CanceledError': CanceledError,
    'ModelOutputError': ModelOutputError,
    'ModelError': ModelError,
}

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a recording. :param number: 1-based."""

    number: int
    entry: Entry


def digest_of(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode(errors='replace')).hexdigest()


def bounded(text: str) -> str | Entry:
    """A text as it is written."""
    if len(text) <= TEXT_LETTERS:
        return text
    return {'begins': text[:_BEGINNING], 'letters': len(text), 'sha256': digest_of(text)}


def usage_entry(usage: LlmUsage) -> Entry:
    """A cost as it is written; the model stands in the heading."""
    return {name: value for name, value in asdict(usage).items() if name != 'model' and value}


def usage_of(entry: Entry, model: str) -> LlmUsage:
    """A written cost."""
    costs = entry.get('usage')
    costs = costs if isinstance(costs, dict) else {}

    def count(name: str) -> int:
        value = costs.get(name, 0)
        return value if isinstance(value, int) else 0

    latency = costs.get('latency', 0.0)
    return LlmUsage(
        model,
        count('prompt_tokens'),
        count('cached_tokens'),
        count('evaluated_tokens'),
        count('completion_tokens'),
        count('requests'),
        float(latency) if isinstance(latency, int | float) else 0.0,
    )


def select_entry(session: int, options: Sequence[str], strategy: Strategy) -> Entry:
    """A `select` as it is asked."""
    whole = bounded('\n'.join(options))
    return {
        'do': 'select',
        'session': session,
        'options': list(options) if isinstance(whole, str) else whole,
        'strategy': strategy.value,
    }


def generate_entry(
    session: int,
    stop: Sequence[str],
    max_tokens: int,
    temperature: float,
    seed: int,
    top_p: float,
) -> Entry:
    """A `generate` as it is asked."""
    entry = {
        'do': 'generate',
        'session': session,
        'stop': list(stop),
        'max_tokens': max_tokens,
        'temperature': temperature,
        'seed': seed,
    }
    # Left out where it does nothing, as in recordings from before it could be asked.
    return entry if top_p == 1.0 else entry | {'top_p': top_p}


def read_recording(path: Path) -> tuple[Entry, list[Line]]:
    """Heading and lines of a recording. A last line that a crash cut off is left out.

    :raises ConfigurationError: the file cannot be read or is no recording.
    """
    try:
        if path.stat().st_size > _RECORDING_BYTES:
            raise ConfigurationError(
                f'The recording {path} is longer than {_RECORDING_BYTES} bytes.'
            )
        text = path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'The recording {path} cannot be read: {error}') from error
    rows = text.split('\n')
    lines = []
    for number, row in enumerate(rows[:-1], 1):
        try:
            entry = json.loads(row)
        except (ValueError, RecursionError) as error:
            raise damaged(path, number) from error
        if not isinstance(entry, dict):
            raise damaged(path, number)
        lines.append(Line(number, entry))
    if not lines or lines[0].entry.get('recording') != FORMAT:
        raise ConfigurationError(f'{path} is no recording of a language model in format {FORMAT}.')
    return lines[0].entry, lines[1:]


def damaged(path: Path, number: int) -> ConfigurationError:
    """Error about a line that holds something else than it must."""
    return ConfigurationError(f'Line {number} of the recording {path} is damaged.')
