"""Dataclasses to messages and back: the only place where the two shapes meet.

Every text is bounded in both directions (see fields.py). The ids of runs and the times, which have
modules of their own, are offered here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from math import inf
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.clock import Clock
from std_msgs.msg import Header

from reactree_core.belief import Fact, Source, SourceKind
from reactree_core.chain_link import ChainLink, NO_LINK
from reactree_core.errors import MemoryStoreError, SkillError
from reactree_core.experience import Experience, Termination
from reactree_core.foreign_text import within_limit
from reactree_core.observation import (
    ObjectFact,
    Observation,
    OBSERVATION_LIMIT,
    Outcome,
    Progress,
    Vocabulary,
)
from reactree_core.ros.fields import bounded as bounded
from reactree_core.ros.fields import (
    bounded_name,
    bounded_names,
    LIST_LIMIT,
    TRAJECTORY_LIMIT,
    unsigned,
)
from reactree_core.ros.fields import duration_from_message as duration_from_message
from reactree_core.ros.fields import duration_to_message as duration_to_message
from reactree_core.ros.fields import run_id_from_message as run_id_from_message
from reactree_core.ros.fields import run_id_to_message as run_id_to_message
from reactree_core.ros.fields import skill_goal_id as skill_goal_id
from reactree_core.ros.fields import time_from_message as time_from_message
from reactree_core.ros.fields import time_to_message as time_to_message
from reactree_core.skill_types import MOST_TRIES, read_proposition, SkillKind, SkillType
from reactree_core.usage import LlmUsage
from reactree_ros.msg import Experience as ExperienceMessage
from reactree_ros.msg import Fact as FactMessage
from reactree_ros.msg import LlmUsage as LlmUsageMessage
from reactree_ros.msg import NameClass, RecordLink
from reactree_ros.msg import ObjectFact as ObjectFactMessage
from reactree_ros.msg import Observation as ObservationMessage
from reactree_ros.msg import SkillType as SkillTypeMessage
from reactree_ros.srv import GetWorldState, ListSkills

_LINK = ('format', 'line_before', 'event_before')
#: Metres that no robot goes in one skill: what is more is no distance.
_FARTHEST = 1e7
#: By the KIND_* constants of Fact.msg.
_KINDS = tuple(SourceKind)

# Observations --------------------------------------------------------------------------------


def _fact_to_message(fact: ObjectFact, seen_at: Time) -> ObjectFactMessage:
    return ObjectFactMessage(
        object_class=bounded_name(fact.object_class),
        instance=unsigned(fact.instance, 32, 'the number of an object'),
        room=bounded_name(fact.room),
        receptacle=bounded_name(fact.receptacle),
        state=bounded_name(fact.state),
        seen_by=bounded_name(fact.seen_by),
        seen_at=seen_at,
    )


def fact_from_message(message: ObjectFactMessage) -> ObjectFact:
    """One fact."""
    return ObjectFact(
        bounded_name(message.object_class),
        message.instance,
        bounded_name(message.room),
        bounded_name(message.receptacle),
        bounded_name(message.state),
        time_from_message(message.seen_at),
        bounded_name(message.seen_by),
    )


def facts_to_messages(facts: Iterable[ObjectFact]) -> list[ObjectFactMessage]:
    """Facts, at most LIST_LIMIT of them.

    :raises SkillError: a number or time does not fit.
    """
    facts = tuple(islice(facts, LIST_LIMIT))
    # Most were seen at one moment, and a time costs as much as the rest of its fact.
    times = {seen_at: time_to_message(seen_at) for seen_at in {fact.seen_at for fact in facts}}
    return [_fact_to_message(fact, times[fact.seen_at]) for fact in facts]


def facts_from_messages(messages: Iterable[ObjectFactMessage]) -> tuple[ObjectFact, ...]:
    """Facts, at most LIST_LIMIT of them."""
    return tuple(fact_from_message(message) for message in islice(messages, LIST_LIMIT))


def evidence_to_messages(evidence: Iterable[Fact]) -> list[FactMessage]:
    """Facts with their sources, at most LIST_LIMIT of them.

    :raises SkillError: a time does not fit.
    """
    return [
        FactMessage(
            fact=bounded_name(fact.what.text),
            kind=_KINDS.index(fact.source.kind),
            source=bounded_name(fact.source.name),
            stamp=time_to_message(fact.time),
            age=0.0 if fact.age == inf else fact.age,
        )
        for fact in islice(evidence, LIST_LIMIT)
    ]


def evidence_from_messages(messages: Iterable[FactMessage]) -> tuple[Fact, ...]:
    """Facts with their sources, at most LIST_LIMIT of them; what cannot be read is left out."""
    read = (
        (message, read_proposition(bounded_name(message.fact)))
        for message in islice(messages, LIST_LIMIT)
        if message.kind < len(_KINDS)
    )
    return tuple(
        Fact(
            what,
            Source(_KINDS[message.kind], bounded_name(message.source)),
            time_from_message(message.stamp),
            message.age if 0.0 < message.age < inf else inf,
        )
        for message, what in read
        if what is not None
    )


def observation_to_message(observation: Observation, run_id: str = '') -> ObservationMessage:
    """An observation of a run.

    :param run_id: 32 hexadecimal digits, or '' outside a run.
    :raises SkillError: a number or time does not fit. :raises ConfigurationError: a bad run id.
    """
    observation = within_limit(observation)
    return ObservationMessage(
        header=Header(stamp=time_to_message(observation.stamp)),
        run_id=run_id_to_message(run_id),
        sequence=unsigned(observation.sequence, 32, 'the sequence number'),
        node_id=unsigned(observation.node_id, 32, 'the node id'),
        skill=bounded_name(observation.skill),
        outcome=int(observation.outcome),
        text=bounded(observation.text, OBSERVATION_LIMIT),
        place=bounded_name(observation.place),
        room=bounded_name(observation.room),
        looked_at=bounded_names(observation.looked_at),
        held=bounded_names(observation.held),
        admissible_skills=bounded_names(observation.admissible_skills),
        facts=facts_to_messages(observation.facts),
        distance=float(observation.distance),
        over=observation.over,
        sensed=bounded_names(observation.sensed),
        assumed=bounded_names(observation.assumed),
        evidence=evidence_to_messages(observation.evidence),
        who=bounded_name(observation.who),
        link=link_to_message(observation.link),
    )


def link_to_message(link: ChainLink) -> list[RecordLink]:
    """Where an event stands in the record; none for an event of no journal."""
    if not link.format:
        return []
    return [RecordLink(**{name: getattr(link, name) for name in _LINK})]


def link_from_message(messages: Sequence[RecordLink]) -> ChainLink:
    """Where an event stands in the record."""
    return ChainLink(*(getattr(messages[0], name) for name in _LINK)) if messages else NO_LINK


def stamped(observation: Observation, clock: Clock, **changes: Any) -> Observation:
    """The same observation, seen now, with these fields changed."""
    now = clock.now().nanoseconds * 1e-9
    facts = tuple(
        fact if fact.seen_at else replace(fact, seen_at=now) for fact in observation.facts
    )
    return replace(observation, stamp=now, facts=facts, **changes)


def observation_from_message(message: ObservationMessage) -> Observation:
    """An observation; the run it belongs to is `run_id_from_message(message.run_id)`.

    :raises SkillError: the outcome is none of the OUTCOME_* constants.
    """
    try:
        outcome = Outcome(message.outcome)
    except ValueError:
        raise SkillError(
            f'the skill server answered outcome {message.outcome}, which Observation.msg does not'
            ' define; build it against the same interfaces'
        ) from None
    return Observation(
        text=bounded(message.text, OBSERVATION_LIMIT),
        outcome=outcome,
        skill=bounded_name(message.skill),
        place=bounded_name(message.place),
        room=bounded_name(message.room),
        looked_at=tuple(bounded_names(message.looked_at)),
        held=tuple(bounded_names(message.held)),
        admissible_skills=tuple(bounded_names(message.admissible_skills)),
        facts=facts_from_messages(message.facts),
        sequence=message.sequence,
        node_id=message.node_id,
        stamp=time_from_message(message.header.stamp),
        # What is no distance must not take back what was spent.
        distance=message.distance if 0.0 < message.distance < _FARTHEST else 0.0,
        over=message.over,
        sensed=tuple(bounded_names(message.sensed)),
        assumed=tuple(bounded_names(message.assumed)),
        evidence=evidence_from_messages(message.evidence),
        who=bounded_name(message.who),
        link=link_from_message(message.link),
    )


# Experiences and usage -----------------------------------------------------------------------


def experience_to_message(experience: Experience) -> ExperienceMessage:
    """One experience.

    :raises SkillError: its count of tokens does not fit.
    """
    return ExperienceMessage(
        experience_id=bounded_name(experience.experience_id),
        goal=bounded(experience.goal),
        trajectory=bounded(experience.trajectory, TRAJECTORY_LIMIT),
        termination=int(experience.termination),
        run_id=bounded_name(experience.run_id),
        task_type=bounded_name(experience.task_type),
        domain=bounded_name(experience.domain),
        planner=bounded_name(experience.planner),
        model=bounded_name(experience.model),
        tokens=unsigned(experience.tokens, 32, 'the count of tokens of an experience'),
        similarity=float(experience.similarity),
        context=bounded(experience.context, TRAJECTORY_LIMIT),
        unconfirmed=experience.unconfirmed,
    )


def experience_from_message(message: ExperienceMessage) -> Experience:
    """One experience; `similarity` comes back with the precision of 32 bits.

    :raises MemoryStoreError: the termination is none of the TERMINATION_* constants.
    """
    try:
        termination = Termination(message.termination)
    except ValueError:
        raise MemoryStoreError(
            f'an experience has termination {message.termination}, which Experience.msg does not'
            ' define; use one of its TERMINATION_* constants'
        ) from None
    return Experience(
        bounded_name(message.experience_id),
        bounded(message.goal),
        bounded(message.trajectory, TRAJECTORY_LIMIT),
        termination,
        bounded_name(message.run_id),
        bounded_name(message.task_type),
        bounded_name(message.planner),
        bounded_name(message.model),
        message.tokens,
        message.similarity,
        bounded_name(message.domain),
        bounded(message.context, TRAJECTORY_LIMIT),
        message.unconfirmed,
    )


def usage_to_message(usage: LlmUsage) -> LlmUsageMessage:
    """Counts of model work.

    :raises SkillError: a count is negative or does not fit.
    """
    return LlmUsageMessage(
        model=bounded_name(usage.model),
        prompt_tokens=unsigned(usage.prompt_tokens, 64, 'the count of prompt tokens'),
        cached_tokens=unsigned(usage.cached_tokens, 64, 'the count of cached tokens'),
        evaluated_tokens=unsigned(usage.evaluated_tokens, 64, 'the count of evaluated tokens'),
        completion_tokens=unsigned(usage.completion_tokens, 64, 'the count of completion tokens'),
        requests=unsigned(usage.requests, 32, 'the count of requests'),
        latency=float(usage.latency),
        cost=float(usage.cost),
    )


def usage_from_message(message: LlmUsageMessage) -> LlmUsage:
    """Counts of model work."""
    return LlmUsage(
        bounded_name(message.model),
        message.prompt_tokens,
        message.cached_tokens,
        message.evaluated_tokens,
        message.completion_tokens,
        message.requests,
        message.latency,
        message.cost,
    )


# Answers of a skill server -------------------------------------------------------------------


def skills_to_response(
    vocabulary: Vocabulary,
    admissible_skills: Iterable[str],
    candidate_skills: Iterable[str],
    look: Observation,
    response: ListSkills.Response,
) -> ListSkills.Response:
    """Fill the answer to ListSkills; returns it."""
    response.templates = bounded_names(vocabulary.templates)
    response.object_classes = bounded_names(vocabulary.object_classes)
    response.place_classes = bounded_names(vocabulary.place_classes)
    response.rooms = bounded_names(vocabulary.rooms)
    response.skill_types = [
        SkillTypeMessage(
            skill_template=bounded_name(skill.template),
            slot_types=bounded_names(skill.slot_types),
            kind=int(skill.kind),
            inverse=bounded_name(skill.inverse),
            effects=bounded_names(skill.effects),
            description=bounded_name(skill.description),
            other_words=bounded_names(skill.other_words),
            needs=bounded_names(skill.needs),
            tries=skill.tries,
        )
        for skill in islice(vocabulary.skill_types, LIST_LIMIT)
    ]
    response.classes = _classes_to_messages(vocabulary)
    response.domain = bounded_name(vocabulary.domain)
    response.about = bounded(vocabulary.about)
    response.admissible_skills = bounded_names(admissible_skills)
    response.candidate_skills = bounded_names(candidate_skills)
    response.observation = observation_to_message(look)
    return response


def skills_from_response(
    response: ListSkills.Response,
) -> tuple[Vocabulary, tuple[str, ...], Observation]:
    """Vocabulary, candidate skills and the look, which carries the admissible skills.

    :raises SkillError: the observation breaks its contract.
    """
    skill_types = tuple(map(_skill_type, islice(response.skill_types, LIST_LIMIT)))
    templates = (*bounded_names(response.templates), *(skill.template for skill in skill_types))
    names: dict[int, list[str]] = {
        NameClass.KIND_THING: bounded_names(response.object_classes),
        NameClass.KIND_PLACE: bounded_names(response.place_classes),
        NameClass.KIND_REGION: bounded_names(response.rooms),
    }
    other_words = []
    for declared in islice(response.classes, LIST_LIMIT):
        name, words = bounded_name(declared.name), bounded_names(declared.other_words)
        kind = declared.kind if declared.kind <= NameClass.KIND_NUMBER else NameClass.KIND_OTHER
        names.setdefault(kind, []).append(name)
        if words:
            other_words.append((name, *words))
    vocabulary = Vocabulary(
        tuple(dict.fromkeys(templates)),
        tuple(dict.fromkeys(names[NameClass.KIND_THING])),
        tuple(dict.fromkeys(names[NameClass.KIND_PLACE])),
        tuple(dict.fromkeys(names[NameClass.KIND_REGION])),
        skill_types,
        tuple(dict.fromkeys(names.get(NameClass.KIND_OTHER, ()))),
        tuple(other_words),
        bounded_name(response.domain),
        bounded(response.about),
        tuple(dict.fromkeys(names.get(NameClass.KIND_STATE, ()))),
        tuple(dict.fromkeys(names.get(NameClass.KIND_NUMBER, ()))),
    )
    look = observation_from_message(response.observation)
    admissible = tuple(bounded_names(response.admissible_skills))
    look = replace(look, admissible_skills=admissible)
    return vocabulary, tuple(bounded_names(response.candidate_skills)), look


def _skill_type(message: SkillTypeMessage) -> SkillType:
    known = message.kind in SkillKind.__members__.values()
    return SkillType(
        bounded_name(message.skill_template),
        tuple(bounded_names(message.slot_types)),
        # A kind of a newer interface is as good as none.
        SkillKind(message.kind) if known else SkillKind.OTHER,
        bounded_name(message.inverse),
        tuple(bounded_names(message.effects)),
        bounded_name(message.description),
        tuple(bounded_names(message.other_words)),
        tuple(bounded_names(message.needs)),
        min(message.tries, MOST_TRIES),
    )


def _classes_to_messages(vocabulary: Vocabulary) -> list[NameClass]:
    """Classes that the lists of names cannot tell: those of other kinds, and with other words."""
    words = {name: more for name, *more in vocabulary.other_words}
    kinds = {
        NameClass.KIND_THING: vocabulary.object_classes,
        NameClass.KIND_PLACE: vocabulary.place_classes,
        NameClass.KIND_REGION: vocabulary.rooms,
        NameClass.KIND_OTHER: vocabulary.other_classes,
        NameClass.KIND_STATE: vocabulary.states,
        NameClass.KIND_NUMBER: vocabulary.numbers,
    }
    return [
        NameClass(
            name=bounded_name(name), kind=kind, other_words=bounded_names(words.get(name, ()))
        )
        for kind, names in kinds.items()
        for name in islice(names, LIST_LIMIT)
        if kind >= NameClass.KIND_OTHER or name in words
    ]


def progress_to_response(
    progress: Progress | None, response: GetWorldState.Response
) -> GetWorldState.Response:
    """Fill the goal part of the answer to GetWorldState; returns it.

    :param progress: None when the world cannot judge.
    """
    response.has_goal = progress is not None
    if progress is not None:
        response.conditions_met = unsigned(progress.met, 32, 'the count of conditions met')
        response.conditions_total = unsigned(progress.total, 32, 'the count of conditions')
        response.success = progress.success
        response.conditions = bounded_names(progress.conditions)
        response.has_score = progress.score is not None
        response.score = progress.score or 0.0
    return response


def progress_from_response(response: GetWorldState.Response) -> Progress | None:
    """The goal part of the answer to GetWorldState; None when the server cannot judge."""
    if not (response.has_goal or response.has_score):
        return None
    score = min(1.0, max(0.0, response.score)) if response.has_score else None
    if score is None and not response.conditions_total and not response.success:
        score = 0.0  # It only says whether.
    return Progress(
        response.conditions_met,
        response.conditions_total,
        tuple(bounded_names(response.conditions)),
        score,
    )
