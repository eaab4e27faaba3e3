"""Skills of a file that undo each other, as it declares or as follows from its effects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reactree_core.exclusive_states import exclusive_states
from reactree_core.skill_types import Relation
from reactree_tools.robot_check.trials import Text
from robot_bridge.robot import Robot


@dataclass(frozen=True, slots=True)
class Pair:
    """A skill and what takes it back. :param note: how that is known."""

    back: Text
    note: str


def opposite_of(robot: Robot, text: Text) -> Pair | None:
    """The skill that takes another one back; None where the file has none."""
    inverse = text.skill.type.inverse
    exclusive = exclusive_states([skill.type for skill in robot.skills])
    for other in robot.skills:
        names = [slot.name for slot in other.type.slots]
        if other is text.skill or set(names) - set(text.slots):
            continue
        if any(slot.objection(text.slots[slot.name]) for slot in other.type.slots):
            continue
        back = Text(other, {name: text.slots[name] for name in names})
        if inverse and other.type.template == inverse:
            return Pair(back, 'declared by "inverse"')
        if not inverse and _excludes(text, back, exclusive):
            words = ' and '.join(f'"{one}"' for one in (*_states(text), *_states(back)))
            return Pair(back, f'{words} exclude each other')
    return None


def _excludes(text: Text, back: Text, exclusive: Mapping[str, frozenset[str]]) -> bool:
    """Whether each brings about one state of one thing, and these exclude each other."""
    facts = [text.fact(one) for one in text.skill.type.facts]
    others = [back.fact(one) for one in back.skill.type.facts]
    if len(facts) != 1 or len(others) != 1:
        return False
    (one,), (other,) = facts, others
    same = one.relation is other.relation is Relation.IS and one.subject == other.subject
    if not same:
        return False
    return other.value in exclusive.get(one.value, ()) or (
        one.value == other.value and one.holds is not other.holds
    )


def _states(text: Text) -> Iterator[str]:
    for fact in text.skill.type.facts:
        if fact.relation is Relation.IS:
            yield fact.text


def pairs_of(robot: Robot, texts: list[Text]) -> list[tuple[Text, Pair]]:
    """All pairs of a file, each once."""
    found: list[tuple[Text, Pair]] = []
    seen: set[frozenset[str]] = set()
    for text in texts:
        pair = opposite_of(robot, text)
        key = frozenset((text.text, pair.back.text)) if pair is not None else frozenset()
        if pair is not None and key not in seen:
            seen.add(key)
            found.append((text, pair))
    return found
