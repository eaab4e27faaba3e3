"""Runs without a model in the world that a robot's file declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ReactreeError
from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.goal_record import GoalRecord
from reactree_core.record.run_settings import Limits
from reactree_core.skill_types import (
    Effect,
    Relation,
    SkillKind,
    SkillType,
    SlotType,
    SWITCHING,
)
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.planners.registry import make_planner
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory
from robot_bridge.declared_world import DeclaredWorld
from robot_bridge.needs import Need
from robot_bridge.robot import Robot, Skill, with_values
from robot_bridge.sources import HERE
from sim_bridge.in_process_skill_server import InProcessSkillServer

#: Of one run: more than any skill of a file needs, where each does what it declares.
_LIMITS = Limits(60, 40)
#: Kinds of skills that are done where that is which they are about.
_ON_THE_SPOT = (*SWITCHING, SkillKind.CHANGE)
#: What fills hands that must not be free.
_BURDEN = 'burden'


@dataclass(frozen=True, slots=True)
class Trial:
    """One run.

    :param done: skills that succeeded, in order. :param reason: of a failed one, as a run says it.
    """

    task: str
    succeeded: bool
    done: tuple[str, ...]
    reason: str
    events: tuple[Event, ...]

    @property
    def read_whole(self) -> bool:
        """Whether every word of the task was read."""
        return any(goal.whole for goal in self._goals)

    @property
    def unread(self) -> tuple[str, ...]:
        """Parts of the task that were not read."""
        return tuple(part for goal in self._goals for part in goal.unread)

    @property
    def observations(self) -> tuple[Observation, ...]:
        """Those of the run, in order."""
        return tuple(one for one in self.events if isinstance(one, Observation))

    @property
    def _goals(self) -> list[GoalRecord]:
        grounded = (one for one in self.events if isinstance(one, Decision))
        return [one.goal for one in grounded if one.kind is DecisionKind.GROUND]


def run_in(world: DeclaredWorld, task: str) -> Trial:
    """Carry a task out with no model; facts alone decide."""
    events: list[Event] = []
    run = PlanRun(
        task,
        Ports(load_model('none', ModelOptions()), InProcessSkillServer(world), InProcessMemory()),
        PlannerSettings(),
        _LIMITS,
        CancelToken(),
        events.append,
    )
    reason = ''
    try:
        succeeded = carry_out(make_planner('reactree'), run)
    except ReactreeError as error:
        succeeded, reason = False, str(error)
    if not succeeded and not reason:
        texts = (one.text for one in reversed(events) if isinstance(one, Decision) and one.text)
        reason = next(texts, 'the run gave up')
    return Trial(task, succeeded, tuple(world.done), reason, tuple(events))


@dataclass(frozen=True, slots=True)
class Text:
    """A skill with values in its slots. :param slots: by their names."""

    skill: Skill
    slots: dict[str, str]

    @property
    def text(self) -> str:
        """As it is sent."""
        return self.skill.type.filled(list(self.slots.values()))

    @property
    def said(self) -> str:
        """As people say it, with free texts in quotation marks."""
        slots = self.skill.type.slots
        return self.skill.type.filled(
            [
                f'"{self.slots[one.name]}"' if one.type is SlotType.TEXT else self.slots[one.name]
                for one in slots
            ]
        )

    def fact(self, effect: Effect) -> Effect:
        """A fact of the skill, with the values."""
        return with_values(effect, self.slots)

    def needs(self) -> Iterator[tuple[Need, ...]]:
        """Its needs with the values; of each group one will do."""
        for need in self.skill.needs:
            yield tuple(
                Need(None if one.fact is None else self.fact(one.fact), one.hand)
                for one in (need, *need.others)
            )


def texts_of(robot: Robot, skill: Skill, most: int = 1) -> list[Text]:
    """A skill with values that the file declares, all different; none where it has none."""
    world = DeclaredWorld(robot)
    found: list[dict[str, str]] = [{}]
    for slot in skill.type.slots:
        values = world.values_for(slot)
        found = [
            {**one, slot.name: value}
            for one in found
            for value in values
            if not slot.type.is_name or value not in one.values()
        ][: max(20, most)]
    return [Text(skill, one) for one in found[:most]]


def world_for(robot: Robot, text: Text, meets_needs: bool) -> DeclaredWorld:
    """A world in which nothing of a skill's effects holds yet.

    :param meets_needs: whether all that it needs holds; else only what no skill brings about.
    """
    world = DeclaredWorld(robot)
    undo(world, text)
    for group in (*text.needs(), *_implied(text, robot)):
        if meets_needs or not any(_is_made(robot.skills, one) for one in group):
            meet(world, group[0])
    return world


def supply(world: DeclaredWorld, text: Text) -> None:
    """Have states hold that a skill needs and that no skill brings about."""
    for first, *others in text.needs():
        is_state = first.fact is not None and first.fact.relation is Relation.IS
        if is_state and not any(_is_made(world.robot.skills, one) for one in (first, *others)):
            meet(world, first)


def _implied(text: Text, robot: Robot) -> Iterator[tuple[Need, ...]]:
    """Needs of skills of its kind: to put a thing down it is held, and the robot is there."""
    first = next((slot for slot in text.skill.type.slots if slot.type.is_name), None)
    value = text.slots[first.name] if first is not None else ''
    if value and not text.skill.needs and text.skill.type.kind in _ON_THE_SPOT:
        is_place = value in robot.file.places
        at = Effect(Relation.AT, '', value) if is_place else Effect(Relation.IN, value, HERE)
        yield (Need(at),)
    for effect in text.skill.type.facts:
        if effect.relation is Relation.HOLDING and not effect.holds:
            yield (Need(replace(text.fact(effect), holds=True), text.skill.entry.hand),)
        is_put = text.skill.type.kind is SkillKind.PUT and effect.relation is Relation.IN
        if is_put and effect.holds and effect.value != HERE:
            yield (Need(Effect(Relation.AT, '', text.fact(effect).value)),)


def undo(world: DeclaredWorld, text: Text) -> None:
    """Have the states and places that a skill brings about not hold."""
    for effect in text.skill.type.facts:
        if effect.relation is Relation.IS or (effect.relation is Relation.IN and effect.holds):
            fact = text.fact(effect)
            world.suppose(replace(fact, holds=not fact.holds))
        elif effect.relation is Relation.AT and effect.holds:
            world.suppose(Effect(Relation.AT, '', text.fact(effect).value, False))


def meet(world: DeclaredWorld, need: Need) -> None:
    """Have a need hold."""
    if need.fact is None:
        held, spare = list(world.truth.held), max(1, len(world.robot.file.hands)) - 1
        full = [name for hand, name in held if hand == need.hand] if need.hand else []
        for name in full or [name for _, name in held[: max(0, len(held) - spare)]]:
            world.suppose(Effect(Relation.HOLDING, '', name, False))
        return
    world.suppose(need.fact, need.hand)


def violate(world: DeclaredWorld, group: Sequence[Need]) -> None:
    """Have none of some needs hold."""
    for need in group:
        if need.fact is None:
            hands = [hand for hand in world.robot.file.hands if not need.hand or hand == need.hand]
            for number, hand in enumerate(hands or [need.hand], 1):
                world.suppose(Effect(Relation.HOLDING, '', f'{_BURDEN} {number}'), hand)
            continue
        fact = replace(need.fact, holds=not need.fact.holds)
        elsewhere = world.elsewhere
        if fact.relation is Relation.IN and fact.value == HERE and need.fact.holds and elsewhere:
            fact = replace(need.fact, value=elsewhere)
        world.suppose(fact, need.hand)


def _is_made(skills: Iterable[Skill], need: Need) -> bool:
    """Whether a skill of the file may bring a need about."""
    return any(makes(one.type, need) for one in skills)


def makes(skill: SkillType, need: Need) -> bool:
    """Whether a skill may bring a need about."""
    if need.fact is None:
        return any(fact.relation is Relation.HOLDING and not fact.holds for fact in skill.facts)
    wanted, slots = need.fact, {slot.text for slot in skill.slots}
    for fact in skill.facts:
        same = fact.relation is wanted.relation and fact.holds is wanted.holds
        about = fact.value if fact.relation in (Relation.AT, Relation.HOLDING) else fact.subject
        name = (
            wanted.value if wanted.relation in (Relation.AT, Relation.HOLDING) else wanted.subject
        )
        state = fact.relation is not Relation.IS or fact.value == wanted.value
        if same and state and (about in slots or about == name):
            return True
    return wanted.relation is Relation.IS and any(
        change.subject in slots or change.subject == wanted.subject for change in skill.changes
    )
