"""Which skills of a recorded run counted: those that succeeded and that the end depends on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from reactree_core.errors import RecordingError
from reactree_core.observation import Observation, Vocabulary, WORLD_RESTORED
from reactree_core.record.events import Event, is_world_reset, QUESTION
from reactree_core.skill_types import class_and_number, Effect, plain_name, Relation, SkillKind
from reactree_core.working_memory import RECALL
from reactree_planner.facts.conditions import Condition, conditions_of
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.skills import Skill

#: Kinds that only show something, or ask somebody.
_SHOWING = (SkillKind.LOOK, SkillKind.ASK)
#: In a declared fact: where the robot is.
_HERE = 'here'


@dataclass(frozen=True, slots=True)
class CountedSkill:
    """A skill that succeeded, and what the run knew about it.

    :param sequence: number of its event. :param node_id: agent node that chose it.
    :param offered: skills that could succeed just before it.
    :param needs: conditions that held before it, which it declares to take away.
    :param brings: conditions that held after it, which it declares to bring about.
    :param new: those of `brings` that did not hold before.
    """

    sequence: int
    node_id: int
    skill: Skill
    offered: frozenset[str] = frozenset()
    needs: tuple[Condition, ...] = ()
    brings: tuple[Condition, ...] = ()
    new: frozenset[Condition] = frozenset()


@dataclass
class ProvenRun:
    """What is left of a run.

    :param skills: in the order in which they were done.
    :param goal: conditions that held at the end: those that the task asks for, and what the
        skills have brought about for good.
    :param unproven: conditions that the task asks for and that were not seen to hold.
    :param executed: skills of which the task asks that they are executed, whatever holds already.
    """

    skills: list[CountedSkill] = field(default_factory=list)
    goal: tuple[Condition, ...] = ()
    unproven: tuple[Condition, ...] = ()
    executed: frozenset[str] = frozenset()


def proven_run(
    events: Iterable[Event], vocabulary: Vocabulary, wanted: tuple[str, ...]
) -> ProvenRun:
    """Follow a run's events, and leave out what did not count.

    :param vocabulary: of the run's skill server. :param wanted: conditions that the task asks for.
    :raises RecordingError: the world was put back on the way, so that no order of skills leads
        to the end; or a skill is of no template.
    """
    mind = Reasoner(vocabulary, ())
    asked = conditions_of(wanted)
    executed = frozenset(one.subject for one in asked if one.relation is Relation.DONE)
    done: list[CountedSkill] = []
    first: Observation | None = None
    for event in events:
        if not isinstance(event, Observation):
            continue
        if is_world_reset(event):
            mind, done, first = Reasoner(vocabulary, ()), [], None
            continue
        if event.text.startswith(WORLD_RESTORED) and not event.skill:
            raise RecordingError(
                'In this run the planner restored an earlier state of the simulated world, which '
                'a robot cannot do: plan the task with another planner, and export that run.'
            )
        first = first or event
        begins = not event.skill.startswith((RECALL, QUESTION))
        counted = _begun(mind, event, executed) if begins else None
        mind.see(event)
        if counted is not None and event.succeeded:
            done.append(_ended(mind, counted))
    skills = _without_detours(done, asked)
    skills = [*_way_to_the_start(mind, first, skills), *skills]
    return ProvenRun(
        skills,
        _goal(mind, skills, asked, first.held if first is not None else ()),
        tuple(one for one in asked if mind.goal.holds(one) is not True),
        executed,
    )


def _way_to_the_start(
    mind: Reasoner, first: Observation | None, skills: Sequence[CountedSkill]
) -> list[CountedSkill]:
    """The move to where the robot was when it did its first skill there, where it has one.

    A tree is begun anywhere. `new` is empty: where the robot is there, it need not move.
    """
    place = first.place if first is not None else ''
    if not place or not skills or skills[0].skill.kind is SkillKind.MOVE:
        return []
    templates = (one for one in mind.belief.skills.types if one.kind is SkillKind.MOVE)
    texts = (one.filled([place]) for one in templates if len(one.slots) == 1)
    move = next((one for one in map(mind.belief.skills.parse, texts) if one is not None), None)
    if move is None or move.target != place:
        return []
    there = Condition(Relation.AT, '', plain_name(place))
    # The event before the first skill is its own decision.
    return [CountedSkill(skills[0].sequence - 1, skills[0].node_id, move, brings=(there,))]


def _begun(mind: Reasoner, event: Observation, asked: Collection[str]) -> CountedSkill | None:
    """A skill as it was begun; None for none, and for one that only shows something.

    :param asked: skills of which the task asks that they are executed, whatever they do.
    """
    if not event.skill:
        return None
    skill = mind.belief.skills.parse(event.skill)
    if skill is None and not event.succeeded:
        return None
    if skill is None:
        raise RecordingError(
            f'The skill "{event.skill[:120]}" of the run fits no template of the present skill '
            'server: export while the skill server of the run is running.'
        )
    if skill.kind in _SHOWING and not skill.type.facts and skill.text not in asked:
        return None
    offered = frozenset(mind.belief.observation.admissible_skills)
    back = mind.belief.skills.parse(skill.inverse) if skill.inverse else None
    taken = [_condition(one, skill, '') for one in skill.type.facts if not one.holds]
    if back is not None:
        # What it takes back was so.
        taken += [_condition(one, back, '') for one in back.type.facts if one.holds]
    needs = dict.fromkeys(one for one in taken if one is not None and mind.goal.holds(one))
    brought = (_condition(one, skill, '') for one in skill.type.facts if one.holds)
    before = tuple(one for one in brought if one is not None and mind.goal.holds(one))
    return CountedSkill(event.sequence, event.node_id, skill, offered, tuple(needs), before)


def _ended(mind: Reasoner, begun: CountedSkill) -> CountedSkill:
    """A skill with what it has brought about."""
    skill, now = begun.skill, mind.belief.observation
    where = mind.belief.placed.get(skill.target) or plain_name(now.place)
    conditions = (_condition(one, skill, where) for one in skill.type.facts if one.holds)
    brings = tuple(
        dict.fromkeys(one for one in conditions if one is not None and mind.goal.holds(one))
    )
    needs = tuple(one for one in begun.needs if not mind.goal.holds(one))
    new = frozenset(brings) - frozenset(begun.brings)
    return CountedSkill(begun.sequence, begun.node_id, skill, begun.offered, needs, brings, new)


def _condition(effect: Effect, skill: Skill, where: str) -> Condition | None:
    """What a declared fact says of a skill's things; None where it cannot be said.

    :param where: what 'here' means; '' where that is not known.
    """
    slots = zip(skill.type.slots, skill.values, strict=True)
    values = {slot.text: plain_name(value) for slot, value in slots}
    subject = values.get(effect.subject, effect.subject)
    value = values.get(effect.value, effect.value)
    if effect.relation is Relation.HOLDING:
        return Condition(Relation.HOLDING, value)
    value = where if value == _HERE else value
    return Condition(effect.relation, subject, value) if value else None


def _without_detours(
    done: Sequence[CountedSkill], asked: Sequence[Condition]
) -> list[CountedSkill]:
    """Skills without those of a search that led nowhere, where it is known what the task asks for.

    Left out is what stands before a move that could be made before it too: other moves, and
    openings (with their closings) of what no later skill needs. The move makes up for the place
    where the robot then is. What stands behind the last skill that is no move goes too. Moves to
    where the task asks the robot to be stay.
    """
    kept = list(done)
    while kept and _may_be_left_out(kept, len(kept) - 1, len(kept), asked):
        if kept[-1].skill.kind is not SkillKind.MOVE:
            break
        kept.pop()
    at = len(kept) - 1
    while at > 0:
        if kept[at].skill.kind is SkillKind.MOVE:
            begin = _detour_before(kept, at, asked)
            del kept[begin:at]
            at = begin
        at -= 1
    return kept


def _detour_before(kept: Sequence[CountedSkill], at: int, asked: Sequence[Condition]) -> int:
    """Index of the first skill of the longest detour that ends just before a move."""
    longest = begin = at
    while begin > 0 and _may_be_left_out(kept, begin - 1, at, asked):
        begin -= 1
        detour = [one.skill for one in kept[begin:at]]
        opened = {skill.inverse for skill in detour if skill.kind is SkillKind.OPEN}
        closed = {skill.text for skill in detour if skill.kind is SkillKind.CLOSE}
        if kept[at].skill.text in kept[begin].offered and closed <= opened:
            longest = begin
    return longest


def _may_be_left_out(
    kept: Sequence[CountedSkill], index: int, until: int, asked: Sequence[Condition]
) -> bool:
    """Whether later skills and the goal need nothing of what a skill has done.

    :param until: index of the first skill that stays.
    """
    skill = kept[index].skill
    if any((one.relation, one.subject) == (Relation.DONE, skill.text) for one in asked):
        return False
    target = {skill.target, class_and_number(skill.target)[0]}
    asked_of_it = [one for one in asked if target & set(one.names)]
    if skill.kind is SkillKind.MOVE:
        return bool(asked) and not any(one.relation is Relation.AT for one in asked_of_it)
    if skill.kind not in (SkillKind.OPEN, SkillKind.CLOSE) or not asked or asked_of_it:
        return False
    later = [one.skill for one in kept[until:]]
    # A thing in it that is fetched later is offered only while it is open.
    shown = frozenset[str]().union(*(one.offered for one in kept[index + 1 : until + 1]))
    fetched = {one.text for one in later} & (shown - kept[index].offered)
    named = {plain_name(value) for one in later for value in one.values}
    return not fetched and skill.target not in named


def _goal(
    mind: Reasoner,
    skills: Sequence[CountedSkill],
    asked: Sequence[Condition],
    held_first: Sequence[str],
) -> tuple[Condition, ...]:
    """What can be checked at the end: facts. A skill that was to be executed is in the tree."""
    facts = [one for one in asked if one.relation is not Relation.DONE]
    found = dict.fromkeys(one for one in facts if mind.goal.holds(one))
    lasting = [
        one
        for counted in skills
        for one in counted.brings
        if one.relation is not Relation.AT and mind.goal.holds(one)
        if counted.skill.kind not in (SkillKind.OPEN, SkillKind.CLOSE) or not found
    ]
    held = (
        Condition(Relation.HOLDING, plain_name(name))
        for name in mind.belief.observation.held
        if name not in held_first
    )
    return tuple(dict.fromkeys((*found, *lasting, *held)))
