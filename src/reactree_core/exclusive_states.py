"""States of which a thing has one at a time, derived from declared effects.

Two states exclude each other where

* one kind of skill opens or switches on, and another closes or switches off;
* a skill declares that one of them ends as the other begins, and cannot begin anew beside it;
* the inverse of the skill that brings one about brings the other about;
* two skills bring them about for the same name, and no skill brings about a third state of it:
  `open the lid` (`lid is open`) and `close the lid` (`lid is closed`). Of what may stand in a slot
  this is not assumed: `slice <fruit>` and `chill <fruit>` go together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from reactree_core.measures import read_comparison
from reactree_core.skill_types import Relation, SkillKind, SkillType

#: States of which each excludes each of the others.
_Pair = tuple[frozenset[str], frozenset[str]]


def exclusive_states(types: Sequence[SkillType]) -> Mapping[str, frozenset[str]]:
    """Each state with the states that it excludes; states that exclude none are left out."""
    rivals: dict[str, set[str]] = defaultdict(set)
    for some, others in (*_by_kind(types), *_by_effects(types), *_by_name(types)):
        for one in some:
            for other in others - {one}:
                rivals[one].add(other)
                rivals[other].add(one)
    return {word: frozenset(others) for word, others in rivals.items()}


def _states(one: SkillType, holds: bool = True) -> frozenset[str]:
    told = (fact for fact in one.facts if fact.relation is Relation.IS)
    return frozenset(fact.value for fact in told if fact.holds is holds)


def _by_kind(types: Sequence[SkillType]) -> Iterator[_Pair]:
    def after(kind: SkillKind) -> frozenset[str]:
        return frozenset[str]().union(*(_states(one) for one in types if one.kind is kind))

    yield after(SkillKind.OPEN), after(SkillKind.CLOSE)
    yield after(SkillKind.SWITCH_ON), after(SkillKind.SWITCH_OFF)


def _by_effects(types: Sequence[SkillType]) -> Iterator[_Pair]:
    by_template = {one.template: one for one in types}
    for one in types:
        begun = _states(one)
        # A slice is not hot before it is heated: it ends, and may begin anew.
        ended = (word for word in _states(one, False) if not _comes_beside(types, word, begun))
        yield begun, frozenset(ended)
        if one.inverse in by_template:
            yield begun, _states(by_template[one.inverse])


def _comes_beside(types: Sequence[SkillType], state: str, others: frozenset[str]) -> bool:
    """Whether a skill brings a state about, and leaves others as they are."""
    if any(told.state == state for one in types for told in one.treatments):
        return True
    return any(state in _states(one) and others.isdisjoint(_states(one, False)) for one in types)


def _by_name(types: Sequence[SkillType]) -> Iterator[_Pair]:
    """Pairs of states of names of which skills bring about these two alone."""
    makers: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    treated = {told.state for one in types for told in one.treatments}
    ended = frozenset[str]().union(*(_states(one, False) for one in types))
    for one in types:
        slots = {slot.text for slot in one.slots}
        for fact in one.facts:
            if fact.relation is Relation.IS and fact.holds and fact.subject not in slots:
                makers[fact.subject][fact.value].add(one.template)
    for states in makers.values():
        if len(states) != 2 or not (treated | ended).isdisjoint(states):
            continue
        (state, some), (other, others) = states.items()
        if some.isdisjoint(others) and not any(map(read_comparison, states)):
            yield frozenset((state,)), frozenset((other,))
