"""Problems of PDDL as `facts.pddl` writes them, read back: sections, names, and plans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reactree_planner.facts.pddl import PddlFiles

Atom = tuple[str, ...]
#: Sections of a domain in the order of the language's grammar.
_ORDER = (':requirements', ':types', ':constants', ':predicates')


@dataclass(frozen=True, slots=True)
class Action:
    """One without parameters. :param skill: text in the comment above it."""

    name: str
    skill: str
    needs: frozenset[Atom]
    adds: frozenset[Atom]
    deletes: frozenset[Atom]

    def after(self, state: frozenset[Atom]) -> frozenset[Atom]:
        """The state that it leads to."""
        return (state - self.deletes) | self.adds


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A domain and its problem."""

    actions: tuple[Action, ...]
    initial: frozenset[Atom]
    goal: Atom

    def is_reached_by(self, skills: Sequence[str]) -> bool:
        """Whether skills, or the first of them, reach the goal in this order."""
        states = {self.initial}
        for number in range(len(skills) + 1):
            if any(self._ends(state) for state in states):
                return True
            if number < len(skills):
                states = {
                    one.after(state)
                    for state in states
                    for one in self.actions
                    if one.skill == skills[number] and one.needs <= state
                }
        return False

    def _ends(self, state: frozenset[Atom]) -> bool:
        return any(self.goal in one.adds and one.needs <= state for one in self.actions)


def read_pddl(files: PddlFiles) -> ReadProblem:
    """Read a domain and a problem of actions without parameters.

    :raises ValueError: they are not in the language's order, or name what is not declared.
    """
    domain = _read(files.domain)[2:]
    sections = [one[0] for one in domain]
    declared = [one for one in sections if one in _ORDER]
    if declared != sorted(declared, key=_ORDER.index) or ':action' in sections[: len(declared)]:
        raise ValueError(f'the sections stand in the order {", ".join(sections)}')
    parts = {one[0]: one[1:] for one in (*domain, *_read(files.problem)[1:])}
    names = set(parts.get(':constants', ()))
    arity = {one[0]: len(one) - 1 for one in parts[':predicates']}
    skills = {action: skill for skill, action in _comments(files.domain)}
    actions = tuple(_action(one, skills) for one in domain if one[0] == ':action')
    initial, (goal,) = frozenset(parts[':init']), parts[':goal']
    facts = {atom for one in actions for atom in (*one.needs, *one.adds, *one.deletes)}
    for atom in (*facts, *initial, goal):
        if arity.get(atom[0]) != len(atom) - 1 or not names.issuperset(atom[1:]):
            raise ValueError(f'({" ".join(atom)}) is not declared')
    if len({one.name for one in actions}) < len(actions):
        raise ValueError('two actions have one name')
    return ReadProblem(actions, initial, goal)


def _comments(domain: str) -> list[tuple[str, str]]:
    """Skill and action, in order."""
    return re.findall(r'; ([^\n]*)\n\s*\(:action (\S+)', domain)


def _action(written: tuple, skills: dict[str, str]) -> Action:  # type: ignore[type-arg]
    fields = dict(zip(written[2::2], written[3::2], strict=True))
    effects = fields[':effect'][1:]
    deletes = frozenset(one[1] for one in effects if one[0] == 'not')
    adds = frozenset(one for one in effects if one[0] != 'not')
    name = written[1]
    return Action(
        name, skills.get(name, ''), frozenset(fields[':precondition'][1:]), adds, deletes
    )


def _read(text: str) -> tuple:  # type: ignore[type-arg]
    """Brackets as tuples, without comments. :raises ValueError: they do not match."""
    stack: list[list] = [[]]  # type: ignore[type-arg]
    for token in re.findall('[()]|[^()\\s]+', re.sub(';.*', '', text)):
        if token == '(':
            stack.append([])
        elif token == ')':
            if len(stack) == 1:
                raise ValueError('a bracket is closed that was not opened')
            done = tuple(stack.pop())
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError('its brackets do not match')
    return tuple(stack[0][0])
