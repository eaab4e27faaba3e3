"""A robot's file tested against itself: a row for each skill, rule and hazard.

Each skill is asked for by its own text in the world that the file declares, is undone where the
file has its opposite, is refused once for each of its needs, and its run is exported and read
back. What fails here fails on the robot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from reactree_core.measures import fact_text
from reactree_core.permission.hazards import Hazards, NO_HAZARDS
from reactree_core.permission.rules import Rules
from reactree_core.skill_types import Relation
from reactree_tools.robot_check.exports import export_faults, PddlReader
from reactree_tools.robot_check.pairs import opposite_of
from reactree_tools.robot_check.trials import (
    run_in,
    supply,
    Text,
    texts_of,
    Trial,
    undo,
    violate,
    world_for,
)
from reactree_tools.robot_check.violations import violations
from robot_bridge.declared_world import DeclaredWorld
from robot_bridge.needs import HANDS_FREE, Need
from robot_bridge.robot import Robot, Skill
from robot_bridge.sources import HERE


class Result(Enum):
    """What came of a check; values are for JSON."""

    PASSED = 'passed'
    FAILED = 'failed'
    #: The file gives no occasion for it.
    NOTHING = 'nothing to check'


@dataclass(frozen=True, slots=True)
class Check:
    """One cell of the table.

    :param note: what was seen, for people. :param advice: what to change in the file.
    """

    name: str
    result: Result
    note: str = ''
    advice: str = ''


@dataclass(frozen=True, slots=True)
class Row:
    """A skill, or a rule. :param tried: text with which it was tried; '' for none."""

    name: str
    tried: str = ''
    checks: tuple[Check, ...] = field(default=())

    @property
    def failed(self) -> tuple[Check, ...]:
        """Checks that failed."""
        return tuple(one for one in self.checks if one.result is Result.FAILED)


_OURS = 'this is a fault of the program: please report it with the file'
#: Checks of a skill, in the order of the table's columns.
READ, PLAN, UNDO, NEEDS, EXPORT = 'read', 'plan', 'undo', 'needs', 'export'
COLUMNS = (READ, PLAN, UNDO, NEEDS, EXPORT)
CAUGHT = 'caught'


def self_test(
    robot: Robot,
    rules: Rules | None = None,
    hazards: Hazards = NO_HAZARDS,
    readers: Sequence[PddlReader] = (),
) -> Iterator[Row]:
    """Test a file row by row: its skills, then the rules and hazards that people are shown.

    :param robot: of a file without mistakes. :param readers: of PDDL, beside our own.
    """
    for skill in robot.skills:
        yield skill_row(robot, skill, readers)
    for one in violations(robot, rules or Rules(), hazards):
        if not one.skill:
            note, advice = 'no skill of the file is meant', ''
            check = Check(CAUGHT, Result.NOTHING, note, advice)
        elif one.caught:
            check = Check(CAUGHT, Result.PASSED)
        else:
            advice = f'"{one.skill}" is shown as forbidden by it, and nothing enforces that'
            check = Check(CAUGHT, Result.FAILED, 'the monitor does not see it', advice)
        yield Row(f'{one.rule}: {one.wording}', one.skill, (check,))


def skill_row(robot: Robot, skill: Skill, readers: Sequence[PddlReader] = ()) -> Row:
    """All checks of one skill."""
    texts = texts_of(robot, skill)
    if not texts:
        slots, bare = skill.type.slots, DeclaredWorld(robot)
        missing = next((slot.text for slot in slots if not bare.values_for(slot)), '')
        names = ' and '.join(slot.text for slot in slots if slot.type.is_name)
        note = f'no name of the file fits {missing}' if missing else ''
        note = note or f'{names} need different names, and the file has too few'
        advice = 'list one below "places", "things" or "classes", with a source that reports it'
        failed = Check(READ, Result.FAILED, note, advice)
        nothing = tuple(Check(one, Result.NOTHING) for one in COLUMNS[1:])
        return Row(skill.type.template, '', (failed, *nothing))
    text = texts[0]
    trial, read, plan, world = _asked_for(robot, text)
    can_be_done = plan.result is Result.PASSED
    checks = [read, plan]
    checks.append(_undone(robot, text) if can_be_done else Check(UNDO, Result.NOTHING))
    checks.append(_refused(robot, text) if can_be_done else Check(NEEDS, Result.NOTHING))
    if trial.succeeded and text.text in trial.done:
        faults = list(export_faults(trial, robot.vocabulary(), world, readers))
        result = Result.FAILED if faults else Result.PASSED
        checks.append(Check(EXPORT, result, '; '.join(faults), _OURS if faults else ''))
    else:
        checks.append(Check(EXPORT, Result.NOTHING, 'there is no run'))
    return Row(skill.type.template, text.text, tuple(checks))


def _asked_for(
    robot: Robot, text: Text
) -> tuple[Trial, Check, Check, Callable[[], DeclaredWorld]]:
    """The skill asked for by its own text: first with what it needs to be brought about."""

    def world(meets_needs: bool = False) -> DeclaredWorld:
        return world_for(robot, text, meets_needs)

    trial = first = run_in(world(), text.said)
    if not trial.read_whole:
        unread = ', '.join(f'"{part}"' for part in trial.unread) or f'"{text.text}"'
        note = f'{unread} is not read'
        advice = f'call the skill otherwise than "{text.skill.type.template}"'
        read = Check(READ, Result.FAILED, note, advice)
        return trial, read, Check(PLAN, Result.NOTHING), world
    read = Check(READ, Result.PASSED)
    if not _did(trial, text):
        trial = run_in(world(True), text.said)
        if _did(trial, text):
            note = f'where its needs hold; else: {first.reason}'
            if first.succeeded:
                did = first.done[-1] if first.done else 'nothing'
                note = f'where its needs hold; else "{did}" brings about the same, and is done'
            return trial, read, Check(PLAN, Result.PASSED, note), lambda: world(True)
    if _did(trial, text):
        count = len(trial.done)
        note = '' if count == 1 else f'{count} skills'
        return trial, read, Check(PLAN, Result.PASSED, note), world
    if trial.succeeded:
        did = ', '.join(trial.done) or 'nothing'
        note = f'the run did {did} and ended well'
        advice = f'"{text.text}" means the same as another skill: give one of them another name'
        return trial, read, Check(PLAN, Result.FAILED, note, advice), world
    advice = _advice_on(text, trial.reason)
    return trial, read, Check(PLAN, Result.FAILED, trial.reason, advice), world


def _did(trial: Trial, text: Text) -> bool:
    return trial.succeeded and text.text in trial.done


def _advice_on(text: Text, reason: str) -> str:
    effects = ', '.join(text.skill.type.effects)
    if effects:
        return f'look at its effects ({effects}) and needs: each must be something that is sensed'
    return 'look at its needs, and give it "effects" where it changes something'


def _undone(robot: Robot, text: Text) -> Check:
    """Done and undone, where the file has its opposite."""
    pair = opposite_of(robot, text)
    if pair is None:
        return Check(UNDO, Result.NOTHING)
    world = world_for(robot, text, True)
    supply(world, pair.back)
    trial = run_in(world, f'{text.said}, then {pair.back.said}')
    both = (text.text, pair.back.text)
    done = tuple(one for one in trial.done if one in both)
    if trial.succeeded and done == both:
        return Check(UNDO, Result.PASSED, pair.note)
    did = ', '.join(trial.done) or 'nothing'
    reason = f': {trial.reason}' if not trial.succeeded else ''
    note = f'"{trial.task}" did {did}{reason}'
    advice = f'write "inverse: {pair.back.skill.type.template}", or other effects'
    return Check(UNDO, Result.FAILED, note, advice)


def _refused(robot: Robot, text: Text) -> Check:
    """Each need unmet, with no other skill there: the reason names it, and its value."""
    alone = replace(robot, skills=(text.skill,))
    notes = []
    for group in text.needs():
        world = world_for(alone, text, True)
        violate(world, group)
        undo(world, text)
        if not world.objection(text.text):
            # What no sense reports is not known, and counts as fulfilled.
            continue
        lacking = [one for one in text.needs() if one == group or world.lacks(one)]
        trial = run_in(world, text.said)
        needed = ' or '.join(map(need_text, group))
        if trial.done[:1] == (text.text,):
            return Check(NEEDS, Result.FAILED, f'it was done without "{needed}"', _OURS)
        if trial.succeeded:
            # Its effect held already, or it has brought about what it needs: a pump fills the
            # tank that it is to empty.
            continue
        # The skill's own text names what it is about, whatever it lacks.
        reason = trial.reason.replace(text.text, '')
        if not any(_names(reason, one) for one in lacking):
            note = f'without "{needed}" a run says: {trial.reason}'
            return Check(NEEDS, Result.FAILED, note, f'write the need "{needed}" otherwise')
        notes.append(trial.reason)
    if not notes:
        return Check(NEEDS, Result.NOTHING)
    return Check(NEEDS, Result.PASSED, notes[0])


def need_text(need: Need) -> str:
    """A need as the file writes it."""
    if need.fact is None:
        return f'{need.hand} free' if need.hand else HANDS_FREE
    return f'{need.fact.text} in {need.hand}' if need.hand else need.fact.text


def _names(reason: str, group: tuple[Need, ...]) -> bool:
    """Whether a reason names an unmet need; what is nowhere to be found cannot be held either."""
    held = (one.fact for one in group if one.fact and one.fact.relation is Relation.HOLDING)
    lost = any(f'no {fact.value} was found' in reason for fact in held)
    return lost or any(_named_as(one) in reason for one in group)


def _named_as(need: Need) -> str:
    fact = need.fact
    if fact is None:
        return 'free'
    if fact.relation is Relation.IS:
        return fact_text(fact.subject, fact.value)
    if fact.relation is Relation.IN and fact.value == HERE:
        return fact.subject
    return replace(fact, holds=True).text
