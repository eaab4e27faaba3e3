"""How much of a goal holds: WAH-NL's scoring of goals such as {'on_plate_kitchentable': 2}.

The goal's target is the class at the end of its keys. For every instance of it, each goal key
counts the things of its class in that relation to that instance, up to the number asked for; the
best instance counts (SSR = met / total, GSR = all met). Keys that end in another class than the
first (published WAH-NL goals have none) are counted alike for the best instance of their class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Progress
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.roles import name_of

_RELATIONS = {'on': 'ON', 'inside': 'INSIDE'}
_TURN_ON = 'turnon'
_HOLDS = 'holds'
# In Watch-And-Help's goals; none of the skills sits down, so it is never met.
_SIT = 'sit'


@dataclass(frozen=True, slots=True)
class Condition:
    """One goal key.

    :param relation: 'on', 'inside', 'turnon', 'holds' or 'sit'.
    :param thing: class of what is counted; '' for turnon and sit.
    :param target: class of what it is in or on, or of what is switched or sat on; '' for holds.
    :param need: how many, 1 or more.
    """

    relation: str
    thing: str
    target: str
    need: int


class Goal:
    """Goal conditions against one scene.

    :param conditions: goal key -> how many, e.g. {'inside_apple_fridge': 1, 'turnOn_stove': 1}.
    :param graph: the scene, for its class names (which may contain underscores).
    :raises ConfigurationError: a key cannot be understood, or a number is not 1 or more.
    """

    def __init__(self, conditions: Mapping[str, int], graph: SceneGraph) -> None:
        self._graph = graph
        self._by_class: dict[str, list[int]] = {}
        for key, node in graph.nodes.items():
            self._by_class.setdefault(node.class_name.casefold(), []).append(key)
        self.conditions = tuple(self._read(key, need) for key, need in conditions.items())

    def _read(self, key: str, need: int) -> Condition:
        relation, _, rest = key.casefold().partition('_')
        if not rest or relation not in (*_RELATIONS, _TURN_ON, _HOLDS, _SIT):
            raise ConfigurationError(
                f'goal condition {key!r} is unknown: use on_<thing>_<place>, '
                f'inside_<thing>_<place>, turnOn_<thing> or holds_<thing>'
            )
        if isinstance(need, bool) or not isinstance(need, int) or need < 1:
            raise ConfigurationError(f'goal condition {key!r} needs a number of 1 or more')
        if relation in (_TURN_ON, _SIT):
            return Condition(relation, '', rest, need)
        if relation == _HOLDS:
            return Condition(relation, rest, '', need)
        thing, target = self._split(rest)
        if not thing:
            raise ConfigurationError(f'goal condition {key!r} must name two classes')
        return Condition(relation, thing, target, need)

    def _split(self, rest: str) -> tuple[str, str]:
        """Two class names joined by '_', either of which may contain one itself."""
        words = rest.split('_')
        splits = [('_'.join(words[:cut]), '_'.join(words[cut:])) for cut in range(1, len(words))]
        known = [pair for pair in splits if pair[1] in self._by_class]
        both = [pair for pair in known if pair[0] in self._by_class]
        return (both or known or splits[-1:] or [('', rest)])[0]

    def progress(self) -> Progress | None:
        """What holds now; None without any condition."""
        if not self.conditions:
            return None
        met: dict[Condition, int] = {}
        for target in dict.fromkeys(one.target for one in self.conditions):
            shared = [one for one in self.conditions if one.target == target]
            counts = (
                [self._count(one, instance) for one in shared]
                for instance in self._instances(target)
            )
            met |= zip(shared, max(counts, key=sum, default=[0] * len(shared)), strict=True)
        lines = tuple(f'{_sentence(one)}: {met[one]} of {one.need}' for one in self.conditions)
        return Progress(sum(met.values()), sum(one.need for one in self.conditions), lines)

    def _instances(self, class_name: str) -> list[int]:
        # What the robot holds is about no instance but the robot.
        return self._by_class.get(class_name, []) if class_name else [self._graph.character]

    def _count(self, condition: Condition, instance: int) -> int:
        graph = self._graph
        if condition.relation == _TURN_ON:
            return min(condition.need, 1 if 'ON' in graph.nodes[instance].states else 0)
        if condition.relation == _SIT:
            return 0
        things = self._by_class.get(condition.thing, [])
        if condition.relation == _HOLDS:
            return min(condition.need, sum(1 for key in things if key in graph.held))
        place = (_RELATIONS[condition.relation], instance)
        return min(condition.need, sum(1 for key in things if place in graph.places(key)))


def _sentence(condition: Condition) -> str:
    if condition.relation == _TURN_ON:
        return f'turn on {name_of(condition.target)}'
    if condition.relation == _SIT:
        return f'sit {name_of(condition.target)}'
    if condition.relation == _HOLDS:
        return f'hold {name_of(condition.thing)}'
    return f'{condition.relation} {name_of(condition.thing)} {name_of(condition.target)}'
