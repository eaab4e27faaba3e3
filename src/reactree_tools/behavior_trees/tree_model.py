"""A behaviour tree as values, before it is written as XML or as Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from reactree_core.skill_types import Relation, SkillType
from reactree_planner.facts.conditions import Condition, read_condition

#: Names of ports that BehaviorTree.CPP keeps for itself.
_RESERVED = {'name': 'thing', 'id': 'number'}
#: Its own node types, and words of its files.
_BUILT_IN = """
    Action AlwaysFailure AlwaysSuccess AsyncFallback AsyncSequence BehaviorTree Condition Control
    Decorator Delay Fallback ForceFailure ForceSuccess IfThenElse Inverter KeepRunningUntilFailure
    LoopBool LoopDouble LoopInt LoopString ManualSelector Parallel ParallelAll Precondition
    ReactiveFallback ReactiveSequence Repeat RetryUntilSuccessful RunOnce Script ScriptCondition
    Sequence SequenceWithMemory SetBlackboard SkipUnlessUpdated Sleep SubTree Switch2 Switch3
    Switch4 Switch5 Switch6 TestNode Timeout UnsetBlackboard WaitValueUpdate WasEntryUpdated
    WhileDoElse
"""


class Flow(Enum):
    """How a node takes its children; values are BehaviorTree.CPP's names."""

    SEQUENCE = 'Sequence'
    FALLBACK = 'Fallback'
    PARALLEL = 'Parallel'


class Constant(Enum):
    """A leaf that always ends alike; values are BehaviorTree.CPP's names."""

    SUCCESS = 'AlwaysSuccess'
    FAILURE = 'AlwaysFailure'


@dataclass(frozen=True, slots=True)
class Port:
    """Stands for the value that a subtree's port of this name has."""

    name: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """An action or a condition. :param node: name of its type. :param ports: name and value."""

    node: str
    ports: tuple[tuple[str, str | Port], ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A subtree with values for its ports. :param name: for people; '' for none."""

    subtree: str
    ports: tuple[tuple[str, str], ...] = ()
    name: str = ''


@dataclass(frozen=True, slots=True)
class Branch:
    """A control-flow node. :param name: for people; '' for none."""

    flow: Flow
    children: tuple[Node, ...]
    name: str = ''


@dataclass(frozen=True, slots=True)
class Part:
    """What may become a subtree: something the run brought about, and how.

    :param goal: of the agent that did it; '' where it did more than this.
    :param last: text of the skill with which it ends.
    :param roles: what to call the ports for the names in it.
    """

    goal: str
    last: str
    root: Node
    roles: Mapping[str, str]


Node = Leaf | Call | Branch | Constant | Part


@dataclass(frozen=True, slots=True)
class Subtree:
    """A part that is about whatever its ports say."""

    ports: tuple[str, ...]
    root: Node


@dataclass(frozen=True, slots=True)
class ActionType:
    """A skill as a type of action.

    :param ports: one a slot of the template, in order. :param names: those that hold names.
    """

    template: str
    ports: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass
class BehaviorTree:
    """A whole tree.

    :param task: in a sentence. :param origin: which run it is from.
    :param subtrees: by their names. :param actions: by the names of their types.
    :param goal: what the tree checks at its end. :param unproven: what the task asks for and
        nobody can check.
    """

    task: str
    origin: str
    root: Node
    subtrees: dict[str, Subtree] = field(default_factory=dict)
    actions: dict[str, ActionType] = field(default_factory=dict)
    goal: tuple[Condition, ...] = ()
    unproven: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class ConditionType:
    """A sort of condition as a type of node.

    :param ports: in the order of its text. :param condition: from the values of the ports.
    """

    ports: tuple[str, ...]
    condition: Callable[..., Condition]


#: The sorts of conditions by the names of their node types.
CONDITION_TYPES = {
    'IsAt': ConditionType(('place',), lambda place: Condition(Relation.AT, '', place)),
    'IsHolding': ConditionType(
        ('thing', 'count'),
        lambda thing, count: Condition(Relation.HOLDING, thing, '', int(count)),
    ),
    'IsIn': ConditionType(
        ('thing', 'place', 'count'),
        lambda thing, place, count: Condition(Relation.IN, thing, place, int(count)),
    ),
    'IsState': ConditionType(
        ('thing', 'state', 'count'),
        lambda thing, state, count: Condition(Relation.IS, thing, state, int(count)),
    ),
    'IsStateIn': ConditionType(
        ('thing', 'place', 'state', 'count'),
        lambda thing, place, state, count: Condition(Relation.IS, thing, state, int(count), place),
    ),
}


def check(condition: Condition) -> Leaf:
    """A condition as a leaf."""
    count = str(condition.count)
    subject, value = condition.subject, condition.value
    match condition.relation:
        case Relation.AT:
            return Leaf('IsAt', (('place', value),))
        case Relation.HOLDING:
            return Leaf('IsHolding', (('thing', subject), ('count', count)))
        case Relation.IN:
            return Leaf('IsIn', (('thing', subject), ('place', value), ('count', count)))
    if condition.where:
        place = ('place', condition.where)
        return Leaf('IsStateIn', (('thing', subject), place, ('state', value), ('count', count)))
    return Leaf('IsState', (('thing', subject), ('state', value), ('count', count)))


def condition_text(node: str, values: Iterable[str]) -> str:
    """What a condition node asks, as `read_condition` reads it.

    :param node: name of its type. :param values: of its ports, in order.
    :raises ValueError: a value does not fit.
    """
    text = CONDITION_TYPES[node].condition(*values).text
    if read_condition(text) is None:
        raise ValueError(f'{text!r} is no condition')
    return text


def identifier(text: str) -> str:
    """Words as one name in camel case, e.g. `GoToRoom` of `go to <room>`."""
    words = re.findall(r'[A-Za-z0-9]+', text)
    name = ''.join(word[0].upper() + word[1:] for word in words)[:60]
    return name if name[:1].isalpha() else f'Do{name}'


def port_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names as those of ports: letters, digits and underscores, no two alike."""
    found: list[str] = []
    for name in names:
        word = re.sub(r'\W+', '_', name, flags=re.ASCII).strip('_').lower() or 'value'
        word = _RESERVED.get(word, word if word[0].isalpha() else f'the_{word}')
        found.append(unused(word, found))
    return tuple(found)


def unused(name: str, taken: Iterable[str]) -> str:
    """A name, with a number behind it where it is taken."""
    names = set(taken)
    number = 2
    found = name
    while found in names:
        found, number = f'{name}_{number}', number + 1
    return found


def free_name(name: str, taken: Iterable[str]) -> str:
    """A name for a type of node or a subtree, with a number behind it where it is taken."""
    return unused(name, (*taken, *CONDITION_TYPES, *_BUILT_IN.split()))


def action_types(skills: Iterable[SkillType]) -> dict[str, ActionType]:
    """A type of action for each skill type, by its name."""
    found: dict[str, ActionType] = {}
    for skill in skills:
        name = free_name(identifier(skill.template), found)
        ports = port_names(slot.name for slot in skill.slots)
        slots = zip(ports, skill.slots, strict=True)
        names = tuple(port for port, slot in slots if slot.type.is_name)
        found[name] = ActionType(skill.template, ports, names)
    return found


def leaves_of(node: Node) -> Iterator[Leaf | Call]:
    """Actions, conditions and calls of a node, in order."""
    match node:
        case Branch(children=children):
            for child in children:
                yield from leaves_of(child)
        case Part(root=root):
            yield from leaves_of(root)
        case Leaf() | Call():
            yield node
