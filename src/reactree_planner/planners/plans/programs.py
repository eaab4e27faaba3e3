"""Programs that a model writes as plans (ProgPrompt): read as data, never run as Python.

A program is a function of calls, comments, and assertions each followed by what makes good:

    def bring_crate():
        # 1: find the crate
        go_to('aisle 2')
        assert('close' to 'crate')
            else: go_to('crate')
        lift('crate')

Lines of any other form say nothing and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from reactree_core.skill_types import SkillType

#: Longest line that is looked at, in characters.
_LONGEST_LINE = 300
#: Most claims of an assertion, and most calls that make one good.
_MOST_PARTS = 8
_MOST_ARGUMENTS = 4
_NAME = r'[A-Za-z_][A-Za-z0-9_]*'
_ARGUMENT = r"""'[^']*'|"[^"]*"|[^\s'"(),]+"""
_CALL = re.compile(rf'({_NAME})\s*\(\s*((?:{_ARGUMENT})?(?:\s*,\s*(?:{_ARGUMENT}))*)\s*,?\s*\)')
_ONE_ARGUMENT = re.compile(_ARGUMENT)
_ASSERT = re.compile(r'assert\b\s*\(?\s*(.*?)\s*\)?\s*,?')
_ELSE = re.compile(r'else\s*:\s*(.*)')
_CLAIM = re.compile(
    rf'(?P<no>not\s+)?\(?(?P<subject>{_ARGUMENT})\s+(?P<relation>is|in|on|to|==)\s+(?P<off>not\s+)?'
    rf'(?P<value>{_ARGUMENT})\)?'
)
_DEFINITION = re.compile(r'def\s+\w')
_WORD = re.compile(r'[a-z0-9]+')
#: Of a function, in characters.
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Call:
    """A skill as a program names it."""

    name: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f'{self.name}({", ".join(map(repr, self.arguments))})'


@dataclass(frozen=True, slots=True)
class Claim:
    """What an assertion says, e.g. that 'crate' is 'open' (relation `is`).

    :param relation: 'is', 'in', 'on', or 'to' of being close to.
    """

    subject: str
    relation: str
    value: str
    holds: bool = True


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """One line: a comment, an assertion, or a call.

    :param claims: all of them are asserted. :param recovery: done where one does not hold.
    :param text: as it was written, for people.
    """

    text: str
    call: Call | None = None
    claims: tuple[Claim, ...] = ()
    recovery: list[Call] = field(default_factory=list)

    @property
    def is_comment(self) -> bool:
        """Whether it does nothing."""
        return self.call is None and not self.claims


def read_program(text: str, most: int) -> tuple[ProgramLine, ...]:
    """The lines of the first function of a text; all of it where it begins with none.

    :param most: calls outside of recoveries; what comes after them is left out.
    """
    lines: list[ProgramLine] = []
    calls = 0
    #: The assertion that an `else` belongs to, and how far its open block is indented.
    asserted: ProgramLine | None = None
    block: int | None = None
    for written in text.splitlines():
        line = written[:_LONGEST_LINE].expandtabs(4)
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if not bare:
            continue
        if _DEFINITION.match(bare):
            if lines:
                break
            continue
        if block is not None and indent > block and asserted is not None:
            _add_recovery(asserted, bare)
            continue
        block = None
        otherwise = _ELSE.fullmatch(bare)
        if otherwise is not None:
            if asserted is not None:
                _add_recovery(asserted, otherwise[1])
                block = indent
            continue
        found = _read_line(bare)
        if found is None:
            continue
        if found.call is not None:
            calls += 1
            if calls > most:
                break
        asserted = found if found.claims else None
        lines.append(found)
    return tuple(lines)


def _read_line(bare: str) -> ProgramLine | None:
    if bare.startswith('#'):
        return ProgramLine(bare.lstrip('# '))
    assertion = _ASSERT.fullmatch(_without_comment(bare))
    if assertion is not None:
        claims = _claims(assertion[1])
        return ProgramLine(bare, claims=claims) if claims else None
    call = next(_calls(bare), None)
    return None if call is None else ProgramLine(str(call), call)


def _without_comment(bare: str) -> str:
    return bare.partition('  #')[0].strip()


def _calls(text: str) -> Iterator[Call]:
    """Calls that a line begins with, `;` between them."""
    for part in text.split(';')[:_MOST_PARTS]:
        match = _CALL.match(part.strip())
        if match is None:
            return
        arguments = tuple(
            plain for one in _ONE_ARGUMENT.findall(match[2]) if (plain := _unquoted(one))
        )
        yield Call(match[1], arguments[:_MOST_ARGUMENTS])


def _add_recovery(assertion: ProgramLine, text: str) -> None:
    left = _MOST_PARTS - len(assertion.recovery)
    assertion.recovery.extend(list(_calls(text))[:left])


def _claims(text: str) -> tuple[Claim, ...]:
    """What is asserted; () where one part cannot be read."""
    found = []
    for part in re.split(r'\s+and\s+|\s*,\s*(?=not\b|[\'"])', text)[:_MOST_PARTS]:
        match = _CLAIM.fullmatch(part.strip())
        if match is None:
            return ()
        relation = 'is' if match['relation'] == '==' else match['relation']
        holds = (match['no'] is None) == (match['off'] is None)
        found.append(
            Claim(_unquoted(match['subject']), relation, _unquoted(match['value']), holds)
        )
    return tuple(found)


def _unquoted(argument: str) -> str:
    return ' '.join(argument.strip('\'"').replace('_', ' ').split())


def function_name(text: str) -> str:
    """A text as the name of a function: its words, joined by underscores."""
    name = '_'.join(_WORD.findall(text.lower()))[:_LONGEST_NAME].strip('_')
    return name if name and not name[0].isdigit() else f'do_{name}'.rstrip('_')


def skill_function(skill: SkillType) -> str:
    """The name under which a program calls a skill: the words of its template."""
    return function_name(re.sub(r'<[^<>]*>', ' ', skill.template))


def imported(skill: SkillType) -> str:
    """A skill in the line of imports, e.g. `load_onto <crate> <truck>`."""
    return ' '.join((skill_function(skill), *(slot.text for slot in skill.slots)))
