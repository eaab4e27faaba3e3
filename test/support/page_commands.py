"""The commands and files of a page of the documentation, as a reader would type them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

#: A block that no test runs says why in the line before it.
_NOT_RUN = re.compile(r'<!-- not run: (.*?) -->', re.DOTALL)
_FENCE = re.compile(r'^```(\w*)\s*$')
_FILE = re.compile(r'^`([\w./-]+)`:$')
_COMMAND = re.compile(
    r'^(?:\$ )?((?:[A-Z_]+=\S+ )*(?:reactree|make|ros2|colcon|rosdep|pip|python3?|docker|export|'
    r'cp|cd|git|source|apt-get|scripts/|\.venv/bin/|~/|reactree/bin/)\S*(?: .*)?)$'
)
_COMMENT = re.compile(r'\s+#\s.*$')


@dataclass(frozen=True)
class Block:
    """One block of a page.

    :param line: where it begins. :param commands: in their order.
    :param file: that a reader writes with the text; '' for none.
    :param reason: why no test runs it; '' where one does.
    """

    line: int
    commands: tuple[str, ...]
    file: str
    text: str
    reason: str


def blocks_of(page: Path) -> list[Block]:
    """Blocks with commands, and files that the page lets its reader write."""
    found: list[Block] = []
    lines = page.read_text(encoding='utf-8').splitlines()
    at, reason, file = 0, '', ''
    while at < len(lines):
        line = lines[at]
        fence = _FENCE.match(line)
        if line.startswith('<!--'):
            end = next(place for place in range(at, len(lines)) if '-->' in lines[place])
            told = _NOT_RUN.search(' '.join(lines[at : end + 1]))
            reason = told[1].strip() if told else reason
            at = end + 1
            continue
        if fence or line.startswith('    '):
            begin = at
            if fence:
                end = next(place for place in range(at + 1, len(lines)) if lines[place] == '```')
                body, at = lines[at + 1 : end], end + 1
            else:
                while at < len(lines) and (lines[at].startswith('    ') or not lines[at].strip()):
                    at += 1
                body = [one[4:] for one in lines[begin:at]]
            is_text = bool(fence and fence[1] not in {'', 'bash', 'console', 'sh'})
            commands = () if is_text else _commands(body)
            if commands or file:
                found.append(Block(begin + 1, commands, file, '\n'.join(body) + '\n', reason))
            reason = file = ''
            continue
        if line.strip():
            named = _FILE.match(line)
            file = named[1] if named else ''
            reason = ''
        at += 1
    return found


def _commands(body: list[str]) -> tuple[str, ...]:
    commands = []
    whole = re.sub(r'\\\n\s*', '', '\n'.join(body))
    for line in whole.splitlines():
        match = _COMMAND.match(line)
        if match:
            commands.append(_COMMENT.sub('', match[1]).strip())
    return tuple(commands)
