"""A game of ALFWorld as its file has it: names, what never changes, the beginning and the goal.

A file `game.tw-pddl` holds a planning problem (things, facts, goal) and the sentence of the task.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import read_text

GAME_FILE = 'game.tw-pddl'
_LARGEST_FILE = 16 * 1024**2
_TOKEN = re.compile(r'[()]|[^\s();]+|;[^\n]*')
_TASK = re.compile(r'"task"\s*:\s*\[\s*\{\s*"rhs"\s*:\s*"Your task is to: (.*?)"', re.DOTALL)
#: What skills change; all else holds for the whole game.
CHANGING = frozenset({
    'atLocation', 'holds', 'holdsAny', 'inReceptacle', 'isClean', 'isCool', 'isHot', 'isSliced',
    'isToggled', 'objectAtLocation', 'opened',
})  # fmt: skip

#: Things of each fact that is read.
_THINGS = {
    **dict.fromkeys(('cleanable', 'coolable', 'heatable', 'holdsAny', 'isClean', 'isCool', 'isHot',
                     'isReceptacleObject', 'isSliced', 'isToggled', 'openable', 'opened',
                     'pickupable', 'sliceable', 'toggleable'), 1),
    **dict.fromkeys(('atLocation', 'canContain', 'holds', 'inReceptacle', 'inReceptacleObject',
                     'objectAtLocation', 'objectType', 'receptacleAtLocation', 'receptacleType'),
                    2),
}  # fmt: skip

#: Of a planning problem: a word, or a list of such.
Expression = str | list['Expression']
Fact = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """One atom of the goal. :param holds: False for one under a `not`."""

    atom: Fact
    holds: bool = True


@dataclass(frozen=True)
class Goal:
    """Some things, and what has to be so of them.

    :param choices: ways to choose the things: all that never changes is so of them.
    :param conditions: with variables, which begin with '?'.
    """

    choices: tuple[Mapping[str, str], ...]
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Game:
    """One game; ids are those of the file in lower case.

    :param task: the sentence, without its full stop. :param name: of its folder.
    :param names: id -> name, e.g. 'mug 1', in the order of the ids.
    :param facts: predicate -> what it holds of at first.
    :param goals: all of them have to be reached.
    """

    name: str
    task: str
    names: Mapping[str, str]
    facts: Mapping[str, frozenset[Fact]]
    goals: tuple[Goal, ...]

    def of(self, predicate: str) -> Iterator[str]:
        """What a predicate of one thing holds of, in the order of the ids."""
        return iter(sorted(things[0] for things in self.facts.get(predicate, ())))

    def pairs(self, predicate: str) -> Mapping[str, str]:
        """A predicate of two things, of which the second follows from the first."""
        return dict(sorted(self.facts.get(predicate, ())))  # type: ignore[arg-type]


def read_game(path: Path) -> Game:
    """Read a game.

    :param path: the file, or its folder.
    :raises ConfigurationError: it cannot be read, or is no game.
    """
    file = path / GAME_FILE if path.is_dir() else path
    text = read_text(file, _LARGEST_FILE)
    try:
        content = json.loads(text)
        problem, grammar = content['pddl_problem'], content['grammar']
        sentence = _TASK.search(grammar)
        if sentence is None:
            raise ValueError('its grammar has no task')
        return game_of(problem, sentence[1], _name_of(file))
    except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        missing = 'it has no ' if isinstance(error, KeyError) else ''
        said = missing + ' '.join(str(error).split())[:200]
        raise ConfigurationError(f'{file} is no game of ALFWorld: {said}') from error


def _name_of(file: Path) -> str:
    # Games lie in FAMILY-THING-.../trial_...: both are needed to distinguish them.
    trial = file.parent.name
    return f'{file.parent.parent.name}/{trial}' if trial.startswith('trial') else trial


def game_of(problem: str, task: str, name: str) -> Game:
    """A game from a planning problem.

    :raises ValueError: it is none.
    """
    parts = {part[0]: part[1:] for part in _read(problem)[1:] if isinstance(part, list)}
    types = _typed([_word(word) for word in parts[':objects']])
    facts: dict[str, set[Fact]] = defaultdict(set)
    for part in parts[':init']:
        words = [_word(word) for word in part if isinstance(word, str)]
        if words and words[0] != '=':
            facts[words[0]].add(_checked((words[0], *map(str.lower, words[1:])))[1:])
    kinds: dict[str, list[str]] = defaultdict(list)
    for thing, kind in types:
        kinds[kind].append(thing.lower())
    frozen = {predicate: frozenset(found) for predicate, found in facts.items()}
    goals = tuple(
        Goal(_choices(variables, fixed, frozen, kinds), tuple(changing))
        for variables, fixed, changing in _blocks(parts[':goal'][0], frozen)
    )
    ids = sorted(thing.lower() for thing, _ in types if '_bar_' in thing)
    located = {pair[0] for pair in frozen.get('receptacleAtLocation', ())}
    located |= {pair[0] for pair in frozen.get('objectType', ())}
    names = _names(ids, located)
    if not all(goal.choices for goal in goals):
        raise ValueError('what its goal asks for is not there')
    strange = {thing for thing, _ in frozen.get('inReceptacle', ())} - set(names)
    if strange:
        raise ValueError(f'{min(strange)} lies somewhere and is of no type')
    return Game(name, task.strip().rstrip('.'), names, frozen, goals)


def _checked(atom: Fact) -> Fact:
    if len(atom) - 1 != _THINGS.get(atom[0], len(atom) - 1):
        raise ValueError(f'({" ".join(atom)}) must have {_THINGS[atom[0]]} thing(s)'[:200])
    return atom


def _read(text: str) -> list[Expression]:
    stack: list[list[Expression]] = [[]]
    for token in _TOKEN.findall(text):
        if token.startswith(';'):
            continue
        if token == '(':
            stack.append([])
        elif token == ')':
            closed = stack.pop()
            if not stack:
                break
            stack[-1].append(closed)
        else:
            stack[-1].append(token)
    if len(stack) != 1 or not stack[0] or not isinstance(stack[0][0], list):
        raise ValueError('its brackets do not match')
    return stack[0][0]


def _word(expression: Expression) -> str:
    if not isinstance(expression, str):
        raise ValueError(f'a word was expected, not {str(expression)[:60]}')
    return expression


def _typed(words: Sequence[str]) -> list[tuple[str, str]]:
    """Names with their types, from `a b - type c - type`."""
    found: list[tuple[str, str]] = []
    waiting: list[str] = []
    left = iter(words)
    for word in left:
        if word == '-':
            kind = next(left, '')
            found += [(name, kind) for name in waiting]
            waiting = []
        else:
            waiting.append(word)
    return found


def _names(ids: Sequence[str], things: set[str]) -> dict[str, str]:
    """Names as in the texts: per class numbers go down from the count, in the order of ids."""
    classes = {
        key: key.partition('_bar_')[0] + ('basin' if 'basin' in key else '')
        for key in ids
        if key in things
    }
    left = Counter(classes.values())
    names = {}
    for key, kind in classes.items():
        names[key] = f'{kind} {left[kind]}'
        left[kind] -= 1
    return names


_Block = tuple[list[tuple[str, str]], list[Condition], list[Condition]]


def _blocks(goal: Expression, facts: Mapping[str, frozenset[Fact]]) -> Iterator[_Block]:
    """The parts of a goal that share no things: variables, fixed and changing conditions."""
    if isinstance(goal, list) and goal[:1] == ['and']:
        for part in goal[1:]:
            yield from _blocks(part, facts)
        return
    variables: list[tuple[str, str]] = []
    conditions: list[Condition] = []
    _flatten(goal, variables, conditions)
    fixed: list[Condition] = []
    changing: list[Condition] = []
    for condition in conditions:
        (changing if condition.atom[0] in CHANGING else fixed).append(condition)
    yield variables, fixed, changing


def _flatten(
    goal: Expression, variables: list[tuple[str, str]], conditions: list[Condition]
) -> None:
    if not isinstance(goal, list) or not goal:
        raise ValueError(f'its goal has {goal!r}')
    head = goal[0]
    if head == 'exists':
        variables += _typed([_word(word) for word in goal[1]])
        _flatten(goal[2], variables, conditions)
    elif head == 'and':
        for part in goal[1:]:
            _flatten(part, variables, conditions)
    elif head == 'not' and isinstance(goal[1], list):
        atom = _checked(tuple(_word(word) for word in goal[1]))
        conditions.append(Condition((atom[0], *map(_plain, atom[1:])), False))
    elif head in ('or', 'forall', 'imply', 'when'):
        raise ValueError(f'its goal has {head!r}, which no game of the published sets has')
    else:
        atom = _checked(tuple(_word(word) for word in goal))
        conditions.append(Condition((atom[0], *map(_plain, atom[1:]))))


def _plain(word: str) -> str:
    return word if word.startswith('?') else word.lower()


def _choices(
    variables: Sequence[tuple[str, str]],
    fixed: Sequence[Condition],
    facts: Mapping[str, frozenset[Fact]],
    kinds: Mapping[str, Sequence[str]],
) -> tuple[Mapping[str, str], ...]:
    """All things for the variables of which the fixed conditions hold."""
    found: list[dict[str, str]] = [{}]
    held = [condition for condition in fixed if condition.holds]
    while held:
        # The one with the fewest facts first, so that few ways are looked at.
        held.sort(key=lambda condition: len(facts.get(condition.atom[0], ())))
        known = set(found[0]) if found else set()
        joined = [one for one in held if known & set(one.atom[1:])] or held
        condition = joined[0]
        held.remove(condition)
        found = [
            more
            for choice in found
            for fact in sorted(facts.get(condition.atom[0], ()))
            if (more := _unified(choice, condition.atom[1:], fact)) is not None
        ]
    for variable, kind in variables:
        if found and variable not in found[0]:
            found = [{**choice, variable: thing} for choice in found for thing in kinds[kind]]
    return tuple(
        choice
        for choice in found
        if all(_differs(condition, choice, facts) for condition in fixed if not condition.holds)
    )


def _unified(choice: dict[str, str], atom: Sequence[str], fact: Fact) -> dict[str, str] | None:
    more = dict(choice)
    for word, thing in zip(atom, fact, strict=True):
        if (more.setdefault(word, thing) if word.startswith('?') else word) != thing:
            return None
    return more


def _differs(
    condition: Condition, choice: Mapping[str, str], facts: Mapping[str, frozenset[Fact]]
) -> bool:
    things = tuple(choice.get(word, word) for word in condition.atom[1:])
    if condition.atom[0] == '=':
        return things[0] != things[1]
    return things not in facts.get(condition.atom[0], frozenset())
