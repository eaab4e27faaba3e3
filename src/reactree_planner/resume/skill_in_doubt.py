"""A skill that was under way when the planner ended: what is seen of it afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reactree_core.observation import Observation
from reactree_core.permission.matching import FactPattern, Moment
from reactree_core.skill_types import Effect, plain_name, SkillType


def standing(observation: Observation) -> tuple[Any, ...]:
    """What a skill changes, where it changes anything; by names as they are written down."""
    return (
        plain_name(observation.place),
        plain_name(observation.room),
        frozenset(map(plain_name, observation.held)),
        frozenset(observation.admissible_skills),
    )


def is_seen_done(
    skill: str, types: Sequence[SkillType], before: Observation, now: Observation
) -> bool:
    """Whether what is seen tells that a skill was done, and not only that something has changed.

    All its effects hold now, or what takes it back can be done now and could not be before.

    :param types: that the skill server declares.
    """
    moment = Moment(skill, now, {fact.name: fact for fact in now.facts})
    for one in types:
        for found in one.splits(skill):
            values = dict(zip((slot.text for slot in one.slots), found, strict=True))
            back = one.inverse
            for slot, value in values.items():
                back = back.replace(slot, value)
            if back in now.admissible_skills and back not in before.admissible_skills:
                return True
            effects = [_of(effect, values, now) for effect in one.facts]
            if effects and all(FactPattern(one.text).matches(moment) for one in effects):
                return True
    return False


def _of(effect: Effect, values: Mapping[str, str], now: Observation) -> Effect:
    """An effect with the names of a skill in its slots."""
    value = now.place if effect.value == 'here' else values.get(effect.value, effect.value)
    return replace(effect, subject=values.get(effect.subject, effect.subject), value=value)
