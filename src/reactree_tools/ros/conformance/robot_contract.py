"""The clauses of the robot contract; each tries one thing and says what it saw."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from reactree_core.bounds import number_text
from reactree_core.conformance import (
    BrokenClauseError,
    ClauseResult,
    expect,
    NotTried,
    try_clauses,
)
from reactree_core.errors import SkillError
from reactree_core.observation import OBSERVATION_LIMIT, Progress, Vocabulary
from reactree_core.ros import conversions, qos
from reactree_core.ros.fields import time_from_message
from reactree_core.skill_checks import faults_of, shape_of
from reactree_core.skill_types import class_and_number, SkillKind, SkillType, Slot, SlotType
from reactree_ros.msg import BridgeStatus, NameClass, Observation
from reactree_tools.ros.conformance.trial import Executed, Patience, ServerTrial
from reactree_tools.ros.session import Session

_LAST_OUTCOME = Observation.OUTCOME_SAFETY_REJECTED
_NO_SKILL = 'recite the alphabet backwards'
#: Seconds by which messages may come late.
_GRACE = 0.5
#: Fields that may hold several lines; all others are names, on one line.
_LINES = ('text', 'message', 'instruction', 'graph', 'about')


def _says_that_it_lives(trial: ServerTrial) -> str:
    node = trial.session.node
    topic = node.resolve_topic_name(trial.status_topic)
    trial.until(lambda: bool(trial.states) and len(node.get_publishers_info_by_topic(topic)) == 1)
    publishers = node.get_publishers_info_by_topic(topic)
    expect(len(publishers) == 1, f'{len(publishers)} publishers of {trial.status_topic}')
    profile = publishers[0].qos_profile
    lease = profile.liveliness_lease_duration.nanoseconds * 1e-9
    expect(profile.durability is DurabilityPolicy.TRANSIENT_LOCAL, 'it is not latched')
    expect(profile.reliability is ReliabilityPolicy.RELIABLE, 'it is not reliable')
    expect(lease <= qos.STATUS_LEASE, f'its lease is {lease:g} s')
    expect(bool(trial.states), 'no state came, although the topic is latched')
    state = trial.states[-1]
    expect(bool(state.backend), 'backend is empty')
    expect(state.state <= BridgeStatus.STATE_STOPPED, f'state {state.state} does not exist')
    expect(state.state != BridgeStatus.STATE_FAULT, f'it reports a fault: {state.message}')
    return f'{state.backend}, lease {lease:g} s'


def _vocabulary(answer: Any) -> Vocabulary:
    """What an answer of list_skills declares, as the planner takes it."""
    try:
        return conversions.skills_from_response(answer)[0]
    except SkillError as error:
        raise BrokenClauseError(str(error)) from None


def _lists_its_skills(trial: ServerTrial) -> str:
    answer = trial.skills()
    skills = _vocabulary(answer).skills
    expect(bool(skills), 'no templates')
    strange = [text for text in answer.admissible_skills if not _types_of(text, skills)]
    expect(not strange, f'admissible, but of no template: {strange[:3]}')
    _check_text(answer.observation)
    return f'{len(skills)} templates, {len(answer.admissible_skills)} admissible skills'


def _declares_soundly(trial: ServerTrial) -> str:
    answer = trial.skills()
    vocabulary = _vocabulary(answer)
    skills = vocabulary.skills
    faults = [fault for skill in skills for fault in faults_of(skill)]
    expect(not faults, '; '.join(faults[:3]))
    for entry in answer.skill_types:
        expect(
            entry.kind in SkillKind.__members__.values(),
            f'"{entry.skill_template}" is of kind {entry.kind}, which is none of SkillType.msg',
        )
    templates = [entry.skill_template for entry in answer.skill_types]
    twice = [text for text in templates if templates.count(text) > 1]
    expect(not twice, f'{twice[:1]} is declared twice')
    shapes = {shape_of(skill.template) for skill in skills}
    for skill in skills:
        expect(
            not skill.inverse or shape_of(skill.inverse) in shapes,
            f'"{skill.template}" is taken back by "{skill.inverse}", which is no template',
        )
    kinds: dict[str, int] = {}
    for entry in answer.classes:
        expect(bool(entry.name.strip()), 'a class without a name')
        expect(
            entry.kind <= NameClass.KIND_NUMBER,
            f'the class "{entry.name}" is of kind {entry.kind}, which is none of NameClass.msg',
        )
        expect(
            # A battery is a name, and a number too.
            entry.kind > NameClass.KIND_OTHER
            or kinds.setdefault(entry.name, entry.kind) == entry.kind,
            f'the class "{entry.name}" is declared with two kinds',
        )
    for name in (*vocabulary.object_classes, *vocabulary.place_classes):
        expect(
            not class_and_number(name)[1],
            f'the class "{name}" is declared with a number, which belongs to one thing',
        )
    parts = {
        'kinds': any(skill.kind is not SkillKind.OTHER for skill in skills),
        'slot types': any(skill.slot_types for skill in skills),
        'inverses': any(skill.inverse for skill in skills),
        'effects': any(skill.effects for skill in skills),
        'descriptions': any(skill.description for skill in skills),
        'classes': any(
            (
                vocabulary.object_classes,
                vocabulary.place_classes,
                vocabulary.rooms,
                vocabulary.other_classes,
            )
        ),
        'other words': bool(vocabulary.other_words) or any(skill.other_words for skill in skills),
        'about': bool(vocabulary.about),
    }
    untold = [what for what, entry in parts.items() if not entry]
    known = sum(skill.kind is not SkillKind.OTHER for skill in skills)
    return (
        f'{len(skills)} templates, {known} with a kind, domain {vocabulary.domain or "not told"}'
        + (f'; silent on {", ".join(untold)}' if untold else '')
    )


def _types_of(text: str, skills: Iterable[SkillType]) -> list[SkillType]:
    """Skill types of whose templates a text can be."""
    return [skill for skill in skills if next(skill.splits(text), None) is not None]


def _looking_changes_nothing(trial: ServerTrial) -> str:
    first, second = trial.skills(), trial.skills()
    for name in ('place', 'room', 'held', 'admissible_skills'):
        left, right = (getattr(answer.observation, name) for answer in (first, second))
        expect(left == right, f'{name} was {left!r} and then {right!r}')
    return f'twice at {first.observation.place or "an unknown place"}'


def _tells_its_state(trial: ServerTrial) -> str:
    state = trial.world_state()
    if not (state.has_goal or state.has_score):
        return 'it judges no goals'
    met, total = state.conditions_met, state.conditions_total
    expect(met <= total, f'{met} of {total} conditions met')
    expect(0.0 <= state.score <= 1.0, f'a score of {state.score}, not of 0 to 1')
    return str(Progress(met, total, (), state.score if state.has_score else None))


def _check_text(observation: Any) -> None:
    size = len(observation.text.encode())
    expect(size <= OBSERVATION_LIMIT, f'an observation text of {size} bytes')
    expect(bool(observation.text.strip()), 'an empty observation text')


def _check_result(goal: Any, executed: Executed) -> None:
    """What every result must hold."""
    observation = executed.observation
    expect(executed.accepted, f'"{goal.skill}" was rejected while nothing else ran')
    expect(
        observation.outcome <= _LAST_OUTCOME, f"outcome {observation.outcome} is not a server's"
    )
    _check_text(observation)
    for name in ('run_id', 'sequence', 'node_id', 'skill'):
        sent, back = getattr(goal, name), getattr(observation, name)
        expect(sent == back, f'{name} {sent!r} came back as {back!r}')
    stamp = observation.header.stamp
    expect(stamp.sec or stamp.nanosec, 'the observation has no stamp')
    canceled = executed.status == GoalStatus.STATUS_CANCELED
    said = observation.outcome == Observation.OUTCOME_CANCELED
    expect(canceled == said, f'goal status {executed.status}, outcome {observation.outcome}')
    late = [value for value in executed.completions if value > 1.0]
    expect(not late, f'feedback completion {late[:3]}')


def _moves(trial: ServerTrial) -> list[str]:
    """Skills that only move the robot, or only look; where none is told to, any."""
    if not trial.may_move:
        raise NotTried('it would move the robot: add --move')
    answer = trial.skills()
    expect(bool(answer.admissible_skills), 'no skill is admissible')
    skills = _vocabulary(answer).skills
    found: dict[SkillKind, list[str]] = {kind: [] for kind in SkillKind}
    for text in answer.admissible_skills:
        types = _types_of(text, skills)
        kinds = {skill.kind for skill in types}
        for slot in (slot for skill in types for slot in skill.slots):
            # What is open is the model's to write.
            text = text.replace(slot.text, _fitting(slot))
        found[kinds.pop() if len(kinds) == 1 else SkillKind.OTHER].append(text)
    everything = [text for texts in found.values() for text in texts]
    return found[SkillKind.MOVE] or found[SkillKind.LOOK] or everything


def _fitting(slot: Slot) -> str:
    """What may stand in a slot that is left open."""
    if slot.type is not SlotType.NUMBER:
        return 'hello'
    return number_text(slot.bounds.least) if slot.bounds is not None else '1'


def _misfitting(slot: Slot) -> str:
    """What does not fit a slot, and is harmless where it is done nevertheless."""
    if slot.bounds is None:
        return 'no such thing'
    return number_text(slot.bounds.most + (slot.bounds.step or 1))


def _keeps_to_its_slots(trial: ServerTrial) -> str:
    answer = trial.skills()
    declared = [
        (skill, place)
        for skill in _vocabulary(answer).skills
        for place, slot in enumerate(skill.slots)
        if slot.is_narrow
    ]
    if not declared:
        return 'it declares neither bounds nor classes'
    if not trial.may_move:
        raise NotTried('where they are not kept it would move the robot: add --move')
    tried = []
    for skill, place in declared:
        offered = (next(skill.splits(text), None) for text in answer.admissible_skills)
        values = next(filter(None, offered), None)
        if values is None:
            continue
        pairs = zip(skill.slots, values, strict=True)
        filled = [_fitting(slot) if value == slot.text else value for slot, value in pairs]
        filled[place] = _misfitting(skill.slots[place])
        goal = trial.goal(skill.filled(filled))
        executed = trial.execute(goal)
        _check_result(goal, executed)
        outcome = executed.observation.outcome
        invalid = outcome == Observation.OUTCOME_INVALID_SKILL
        expect(invalid, f'outcome {outcome} for "{goal.skill}", which does not fit its slots')
        tried.append(executed.observation.text)
    return repr(tried[0][:60]) if tried else 'none of those skills is admissible now'


def _move(trial: ServerTrial) -> str:
    return _moves(trial)[0]


def _executes_a_skill(trial: ServerTrial) -> str:
    goal = trial.goal(_move(trial))
    executed = trial.execute(goal)
    _check_result(goal, executed)
    return f'"{goal.skill}": {executed.observation.text[:60]!r} in {executed.seconds:.2f} s'


def _refuses_what_it_does_not_know(trial: ServerTrial) -> str:
    before = trial.skills().observation
    goal = trial.goal(_NO_SKILL)
    executed = trial.execute(goal)
    _check_result(goal, executed)
    outcome = executed.observation.outcome
    expect(outcome == Observation.OUTCOME_INVALID_SKILL, f'outcome {outcome} for "{_NO_SKILL}"')
    after = trial.skills().observation
    expect((before.place, before.held) == (after.place, after.held), 'the robot is elsewhere now')
    return repr(executed.observation.text[:60])


def _runs_no_goal_twice(trial: ServerTrial) -> str:
    goal = trial.goal(_move(trial))
    first = trial.execute(goal)
    _check_result(goal, first)
    second = trial.execute(goal)
    if not second.accepted:
        return 'rejected the second time'
    expect(
        second.observation.header.stamp == first.observation.header.stamp,
        f'"{goal.skill}" was executed again under the same goal id',
    )
    return 'answered again without executing'


def _cancels(trial: ServerTrial) -> str:
    goal = trial.goal(_move(trial))
    executed = trial.execute(goal, cancel=True)
    expect(not executed.cancel_refused, f'the cancel of "{goal.skill}" was refused')
    _check_result(goal, executed)
    if executed.observation.outcome != Observation.OUTCOME_CANCELED:
        return f'it had ended before the cancel came, in {executed.seconds:.2f} s'
    return f'canceled in {executed.seconds:.2f} s'


def _keeps_its_time_limit(trial: ServerTrial) -> str:
    limit = 0.2
    goal = trial.goal(_move(trial), limit)
    executed = trial.execute(goal, seconds=limit + trial.patience.cancel + _GRACE)
    _check_result(goal, executed)
    return f'outcome {executed.observation.outcome} in {executed.seconds:.2f} s'


def _answers_two_at_once(trial: ServerTrial) -> str:
    skill = _move(trial)
    goals = [trial.goal(skill), trial.goal(skill)]
    runs = [Executed(False), Executed(False)]
    handles = [trial.send(goal, run) for goal, run in zip(goals, runs, strict=True)]
    expect(runs[0].accepted, 'the first of two was rejected')
    for goal, run, handle in zip(goals, runs, handles, strict=True):
        if run.accepted:
            trial.result(handle, run, trial.patience.skill, f'"{skill}", one of two')
            _check_result(goal, run)
    return 'several at a time' if runs[1].accepted else 'one at a time'


def _begins_what_it_takes(trial: ServerTrial) -> str:
    moves = _moves(trial)
    skill, other = moves[0], moves[-1]
    goals = [trial.goal(skill), trial.goal(other), trial.goal(other)]
    runs = [Executed(False) for _ in goals]
    # Not one after the other: the second comes before the first has begun.
    handles = trial.send_together(goals, runs)
    taken = [(run, handle) for run, handle in zip(runs, handles, strict=True) if run.accepted]
    expect(bool(taken), 'all were rejected while nothing else ran')
    (first, going), *others = taken
    began = time.monotonic()
    ends = []
    for run, handle in others:
        trial.cancel(handle, run)
    for run, handle in others:
        trial.result(handle, run, trial.patience.skill, f'the canceled "{other}"')
        ends.append((time.monotonic() - began, time_from_message(run.observation.header.stamp)))
    trial.result(going, first, trial.patience.skill, f'"{skill}"')
    end_of_first = time_from_message(first.observation.header.stamp)
    late = [seconds for seconds, end in ends if seconds > _GRACE and end >= end_of_first]
    expect(
        not late,
        f'{len(taken)} of {len(goals)} skills sent at once were accepted, but one had not begun: '
        f'it ended {max(late, default=0.0):.1f} s after its cancel, when another had ended; '
        'reject what cannot begin at once',
    )
    return f'{len(taken)} of {len(goals)} at a time'


def _texts(message: Any, where: str) -> Iterator[tuple[str, str, str]]:
    """Every text of a message: the field's name, where it is, and the text."""
    for name in message.get_fields_and_field_types():
        value = getattr(message, name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield name, f'{name} of {where}', item
            elif hasattr(item, 'get_fields_and_field_types'):
                yield from _texts(item, where)


def _speaks_plainly(trial: ServerTrial) -> str:
    trial.skills()
    said = [*trial.heard, *(('bridge_status', state) for state in tuple(trial.states))]
    count = 0
    for doing, message in said:
        for field, where, text in _texts(message, doing):
            count += 1
            allowed = '\n\t' if field in _LINES else ''
            for letter in text:
                expect(
                    letter in allowed or unicodedata.category(letter) != 'Cc',
                    f'{where} holds the control character {letter!r}: {text[:60]!r}',
                )
    return f'{count} texts'


def _is_ready_afterwards(trial: ServerTrial) -> str:
    trial.check_alive('the check')
    state = trial.states[-1].state
    expect(state != BridgeStatus.STATE_FAULT, f'it reports a fault: {trial.states[-1].message}')
    goal = trial.goal(_move(trial))
    _check_result(goal, trial.execute(goal))
    # A run is a success only where nothing may move any more.
    trial.until(lambda: trial.states[-1].state == BridgeStatus.STATE_READY)
    last = trial.states[-1]
    expect(
        last.state == BridgeStatus.STATE_READY,
        f'its state stays {last.state} after a skill, not READY: {last.message or "no message"}',
    )
    return f'after {trial.sequence} goals'


CLAUSES: tuple[tuple[str, Callable[[ServerTrial], str]], ...] = (
    ('bridge_status is latched, with a lease of 1 s at most', _says_that_it_lives),
    ('list_skills lists templates, names and what is seen', _lists_its_skills),
    ('what it declares of its skills and names holds together', _declares_soundly),
    ('looking changes nothing', _looking_changes_nothing),
    ('get_world_state answers', _tells_its_state),
    ('a skill runs to its end and says what came of it', _executes_a_skill),
    ('an unknown skill is INVALID_SKILL and changes nothing', _refuses_what_it_does_not_know),
    ('what does not fit a declared slot is INVALID_SKILL', _keeps_to_its_slots),
    ('a goal id is never executed twice', _runs_no_goal_twice),
    ('a cancel ends a skill in time', _cancels),
    ('a skill ends by its time limit', _keeps_its_time_limit),
    ('two skills at once are both answered', _answers_two_at_once),
    ('a skill that is accepted begins at once', _begins_what_it_takes),
    ('names and texts hold no control characters', _speaks_plainly),
    ('afterwards it is alive and takes skills', _is_ready_afterwards),
)


def check_skill_server(
    session: Session,
    bridge: str = 'bridge',
    status: str = 'bridge_status',
    may_move: bool = False,
    patience: Patience | None = None,
    say: Callable[[ClauseResult], object] = lambda result: None,
) -> Sequence[ClauseResult]:
    """Try every clause on one skill server.

    :param bridge: node name of the skill server. :param status: its state topic.
    :param may_move: execute skills; else only what moves nothing is tried.
    :param say: called with each result as it comes.
    :raises SkillError: there is no such server.
    """
    trial = ServerTrial(session, bridge, status, patience or Patience(), may_move)
    trial.find()
    return try_clauses(CLAUSES, lambda: trial, say)
