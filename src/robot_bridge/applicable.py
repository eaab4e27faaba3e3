"""Which skills of a robot can be done now, as far as that is known, and why others cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, product

from reactree_core.skill_types import Effect, is_of_class, Relation, SkillKind, Slot, SlotType
from robot_bridge.belief import Belief, listed
from robot_bridge.needs import Need
from robot_bridge.robot import Skill, with_values
from robot_bridge.sources import SOMETHING

#: Most skills that are given as admissible.
MOST_SKILLS = 1000
#: Most of one skill.
_MOST_OF_ONE = 300


#: Objections that were found to a need with names in its slots, of one hand.
_Tested = dict[tuple[Effect, str], str]


def objection_to(
    belief: Belief, skill: Skill, slots: Mapping[str, str], tested: _Tested | None = None
) -> str:
    """Reason why a skill cannot be begun now, as far as that is known; '' when it can.

    :param tested: needs that many skills share are tested once.
    """
    tested = {} if tested is None else tested
    for slot in skill.type.slots:
        if slots[slot.name] == SOMETHING and not _lets_go_of(skill, slot):
            return f'What you hold is not known, so "{skill.type.template}" cannot be about it.'
    for need in skill.needs:
        objections = [unmet(belief, one, slots, tested) for one in (need, *need.others)]
        if all(objections):
            return objections[0]
    return next(filter(None, _hand_objections(belief, skill, slots)), '')


def unmet(
    belief: Belief, need: Need, slots: Mapping[str, str], tested: _Tested | None = None
) -> str:
    """Reason why a need does not hold, as far as that is known; '' where it may.

    :param slots: values. :param tested: see `objection_to`.
    """
    tested = {} if tested is None else tested
    if need.fact is None:
        return _not_free(belief, need.hand)
    fact = with_values(need.fact, slots)
    if fact.relation is Relation.HOLDING:
        # "holding knife" is to hold any knife.
        held = (name for name in belief.held if is_of_class(name, fact.value))
        fact = replace(fact, value=next(held, fact.value))
    objection = tested.get((fact, need.hand))
    if objection is None:
        objection = tested[fact, need.hand] = belief.lacks(fact, need.hand)
    return objection


def _hand_objections(belief: Belief, skill: Skill, slots: Mapping[str, str]) -> Iterator[str]:
    """What its effects on the hands presuppose: a free hand, and that the thing is held."""
    for effect in skill.type.facts:
        if effect.relation is Relation.HOLDING:
            fact = with_values(effect, slots)
            if not effect.holds and belief.denied_hold(fact.value):
                yield belief.lacks(replace(fact, holds=True))
            if effect.holds and belief.robot.file.hands and fact.value not in belief.held:
                yield _not_free(belief, skill.entry.hand)


def _not_free(belief: Belief, hand: str) -> str:
    """Why nothing can be taken, with a certain hand where one is named; '' when it can."""
    if hand:
        is_free = all(other != hand for other, _ in belief.hands())
    else:
        is_free = len(belief.hands()) < max(1, len(belief.robot.file.hands))
    hands = f'Your {hand} is' if hand else 'Your hands are'
    return '' if is_free else f'{hands} not free: you hold {listed(belief.held_where())}.'


def admissible(belief: Belief) -> tuple[str, ...]:
    """Skills that can succeed now as far as that is known."""
    found: dict[str, None] = {}
    tested: _Tested = {}
    for skill in belief.robot.skills:
        texts = _texts(belief, skill, tested)
        found.update(dict.fromkeys(islice(texts, _MOST_OF_ONE)))
    return tuple(islice(found, MOST_SKILLS))


def _texts(belief: Belief, skill: Skill, tested: _Tested) -> Iterator[str]:
    slots = skill.type.slots
    for values in product(*(_fitting(belief, slot, skill) for slot in slots)):
        names = {slot.name: value for slot, value in zip(slots, values, strict=True)}
        named = [value for slot, value in zip(slots, values, strict=True) if slot.type.is_name]
        if len(set(named)) == len(named) and not objection_to(belief, skill, names, tested):
            yield skill.type.filled(values)


def _fitting(belief: Belief, slot: Slot, skill: Skill) -> list[str]:
    values = _values(belief, slot, skill)
    if _lets_go_of(skill, slot) and SOMETHING in belief.held:
        # Whatever it is, the hand can be emptied.
        values.append(SOMETHING)
    if not slot.classes:
        return values
    return [name for name in values if name == SOMETHING or not slot.objection(name)]


def _lets_go_of(skill: Skill, slot: Slot) -> bool:
    """Test for a skill after which what stands in a slot is held no more."""
    return any(
        effect.relation is Relation.HOLDING and not effect.holds and effect.value == slot.text
        for effect in skill.type.facts
    )


def _values(belief: Belief, slot: Slot, skill: Skill) -> list[str]:
    places = list(belief.robot.file.places)
    regions = list(dict.fromkeys(entry.region for entry in belief.robot.file.places.values()))
    if skill.type.kind is SkillKind.MOVE:
        places = [name for name in places if name != belief.place]
    match slot.type:
        case SlotType.PLACE:
            return places
        case SlotType.REGION:
            return [region for region in regions if region]
        case SlotType.THING:
            return list(belief.things)
        case SlotType.NAME:
            return [*places, *belief.things]
        case _:
            return [slot.text]
