"""A skill that was under way when the planner ended: what is seen of it afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.errors import BridgeLostError, SkillError, SkillResultError, SkillRunsError
from reactree_core.observation import evidence_of, Observation, Outcome
from reactree_core.permission.matching import FactPattern, Moment
from reactree_core.ports import SkillServer
from reactree_core.skill_types import Effect, plain_name, SkillType
from reactree_planner.resume.held_skill import executed


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
    """Whether what is seen says that a skill was done, and not only that something has changed.

    All its effects hold now, or what takes it back can be done now and could not be before.

    :param types: that the skill server declares.
    """
    facts = {fact.name: fact for fact in now.facts}
    moment = Moment(skill, now, facts, evidence=evidence_of(now), clock=now.stamp)
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


def settled(
    skills: SkillServer,
    types: Sequence[SkillType],
    known: Observation | None,
    asked: tuple[int, int, str],
    cancel: CancelToken,
    refusal_now: Callable[[], str | None] = lambda: None,
) -> Observation:
    """Look, then decide whether a skill that may have been done is still to be done.

    If place, room, held objects or admissible skills differ from before the skill, it had an
    effect: the current observation is its result, a success where that shows what the skill
    is for. In an unchanged world the same goal is sent again, under its own id, if that may be
    done now: a skill server that did the skill answers with its first result or rejects the
    goal, one that did not does it now.

    :param known: what was seen before it; None where nothing was. :param asked: number, node and
        text of the skill. :param refusal_now: why it may not be done now; None: it may.
    """
    sequence, node_id, skill = asked
    seen = skills.look(cancel.whole)
    if known is not None and standing(seen) == standing(known):
        refusal = refusal_now()
        if refusal is not None:
            text = f'What came of it before the planner ended is not known. {refusal}'
            return replace(seen, skill=skill, text=text, outcome=Outcome.SAFETY_REJECTED)
        try:
            return executed(skills, sequence, node_id, skill, cancel)
        except (BridgeLostError, SkillResultError, SkillRunsError):
            raise
        except SkillError:
            # Rejected: it has run, and nothing came of it.
            seen = replace(skills.look(cancel.whole), outcome=Outcome.EXECUTION_FAILED)
    elif known is None or not is_seen_done(skill, types, known, seen):
        seen = replace(seen, outcome=Outcome.EXECUTION_FAILED)
    return replace(
        seen, skill=skill, text=f'"{skill}" was under way when the planner ended. {seen.text}'
    )
