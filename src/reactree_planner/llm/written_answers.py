"""Answers as models write them: thinking before them, frames, bullets, and words around them.

Pure. Nothing that stands in a model's thinking is ever taken for its answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

#: Tags between which models think, where a server leaves that in the answer.
_THINKING = re.compile(r'<(/?)(?:think|thinking|thought|reasoning|reflection)>', re.IGNORECASE)
_FENCE = re.compile(r'```[\w-]*\n?(.*?)```', re.DOTALL)
_OBJECT = re.compile(r'\{[^{}]*\}')
_BULLET = re.compile(r'\A\s*(?:[-*•>]|\(?\d{1,3}[.)])\s+')
_LABEL = re.compile(
    r'\A\s*(?:act|action|answer|choice|option|skill|next|output|result)\b\s*[:=\-–]?\s*',
    re.IGNORECASE,
)
#: Under which a model names its choice, where it was not asked for a frame, or changed it.
_KEYS = ('choice', 'action', 'answer', 'option', 'skill', 'act', 'next')
#: Around what is said in a list.
_DECORATION = ' \t"\'`*'
#: Longest answer that is looked through.
_LONGEST = 20_000


def without_thinking(text: str) -> str:
    """What is said to others; '' where all of it is thinking that has not ended."""
    said: list[str] = []
    depth = at = 0
    for tag in _THINKING.finditer(text):
        if not tag[1]:
            said += [text[at : tag.start()]] if not depth else []
            depth += 1
        elif depth:
            depth -= 1
        else:
            # The template has opened it, before the answer.
            said.clear()
        at = tag.end()
    if not at:
        return text
    return ''.join([*said, text[at:] if not depth else '']).lstrip()


def json_choice(text: str) -> str:
    """The option that JSON anywhere in an answer names; '' for none, and for several."""
    found: dict[str, None] = {}
    for value in _json_values(text):
        if isinstance(value, dict):
            value = next((value[key] for key in _KEYS if key in value), None)
        if value and isinstance(value, str):
            found[value] = None
    return next(iter(found)) if len(found) == 1 else ''


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects that stand anywhere in an answer, the whole of it first."""
    return (value for value in _json_values(text) if isinstance(value, dict))


def _json_values(text: str) -> Iterator[object]:
    framed = [match[1] for match in _FENCE.finditer(text[:_LONGEST])]
    for part in (text, *framed, *_OBJECT.findall(text[:_LONGEST])):
        try:
            yield json.loads(part)
        except (ValueError, RecursionError):
            continue


def readings(answer: str) -> Iterator[tuple[str, ...]]:
    """What an answer may say, the surest way first; of one way, all that it says."""
    yield (answer,)
    named = json_choice(answer)
    if named:
        yield (named,)
    lines = [line for line in answer[:_LONGEST].splitlines() if line.strip('` \t')]
    yield tuple(lines)
    bare = [_BULLET.sub('', line) for line in lines]
    yield tuple(bare)
    yield tuple(_LABEL.sub('', line) for line in bare)


def line_of(text: str) -> str:
    """The line that an answer is, where it was to be one: without blank lines and fences before
    it, and a list below each other as a list in a row. What follows the line stays.
    """
    row = row_of(text)
    if row:
        return row
    lines = text[:_LONGEST].splitlines(keepends=True)
    first = next((at for at, line in enumerate(lines) if not _is_blank(line)), 0)
    return ''.join(lines[first:])


def row_of(text: str) -> str:
    """A list below each other, or in JSON, as one in a row: ' a, b'; '' where it is none."""
    items = _json_list(text)
    if not items:
        lines = [line for line in text[:_LONGEST].splitlines() if not _is_blank(line)]
        if len(lines) > 1 and lines[0].rstrip(' *').endswith(':'):
            # What is listed is given first.
            del lines[0]
        items = [_BULLET.sub('', line) for line in takewhile(_BULLET.match, lines)]
    parts = (' '.join(item.strip(_DECORATION).split()) for item in items)
    row = ', '.join(part.rstrip('.,;') for part in parts if part)
    return f' {row}' if row else ''


def _is_blank(line: str) -> bool:
    return not line.strip('` \t\r\n') or line.lstrip().startswith('```')


def _json_list(text: str) -> list[str]:
    framed = _FENCE.search(text[:_LONGEST])
    try:
        value = json.loads(framed[1] if framed else text[:_LONGEST])
    except (ValueError, RecursionError):
        return []
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    whole = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return list(value) if whole else []
