"""What a run is answered by skill server, memory, people and gate: logged, and repeated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.errors import BridgeLostError, SkillError
from reactree_core.experience import Experience, ExperienceQuery
from reactree_core.observation import Observation, Progress, Vocabulary
from reactree_core.permission.hour import Hour, hour_of, hour_record, read_hour
from reactree_core.permission.spending import Ledger
from reactree_core.ports import (
    ExpertSkillServer,
    Memory,
    SkillServer,
    SnapshotSkillServer,
    TellingSkillServer,
)
from reactree_core.record.events import Decision
from reactree_core.record.journal_lines import (
    Answer,
    decode_event,
    encode_event,
    text,
    texts,
    value_of,
)
from reactree_core.record.questions import People, Question
from reactree_core.skill_types import SkillType
from reactree_planner.resume.held_skill import executed
from reactree_planner.resume.logged_experiences import LoggedExperiences, RETRIEVE
from reactree_planner.resume.run_log import RunLog
from reactree_planner.resume.skill_in_doubt import settled

#: Why a robot cannot say how its task is done.
NO_EXPERT = (
    'Nobody here knows how the task is done: that tells only the expert of a simulated world in '
    'the same process, as evaluations have it. A robot, or a bridge over ROS, has none: choose '
    'another planner.'
)


class LoggedSkills:
    """Another skill server (port `SkillServer`). Looks and skills are events, logged as such."""

    def __init__(self, inner: SkillServer, log: RunLog) -> None:
        self._inner = inner
        self._log = log
        self._ahead: tuple[Vocabulary, Observation] | None = None
        self._types: tuple[SkillType, ...] = ()

    def ask_ahead(self, cancel: CancelToken) -> Vocabulary:
        """What `list_skills` will answer next, before the log of the run begins."""
        self._ahead = self._inner.list_skills(cancel)
        return self._ahead[0]

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        """Names and templates, and what the robot saw."""

        def ask() -> dict[str, Any]:
            declared, self._ahead = self._ahead or self._inner.list_skills(cancel), None
            vocabulary, observation = declared
            return {'vocabulary': asdict(vocabulary), 'observation': encode_event(observation)}

        def read(answer: Mapping[str, Any]) -> tuple[Vocabulary, Observation]:
            observation = decode_event(answer['observation'])
            if not isinstance(observation, Observation):
                raise TypeError('a decision instead of a look')
            return value_of(Vocabulary, answer['vocabulary']), observation

        vocabulary, observation = self._log.answer('list_skills', ask, read)
        self._types = vocabulary.skills
        return vocabulary, observation

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        """The wider published set."""
        return self._log.answer(
            'candidate_skills',
            lambda: {'skills': self._inner.candidate_skills(cancel)},
            lambda answer: texts(answer['skills']),
        )

    def listen(self, listener: Callable[[], None]) -> bool:
        """Have somebody told of changes; whether the skill server reports any."""
        inner = self._inner
        return isinstance(inner, TellingSkillServer) and inner.listen(listener)

    def look(self, cancel: CancelToken) -> Observation:
        """What the robot saw, or sees now."""
        return self._log.observation() if self._log.replaying else self._inner.look(cancel)

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        """What the skill answered; a skill that was under way at the end is looked into first.

        Where its token ends alone, it was canceled, and the run goes on.
        """
        if self._log.replaying:
            return self._log.observation()
        if sequence == self._log.in_doubt:
            self._log.go_on()
            return self._settle(sequence, node_id, skill, cancel)
        return executed(self._inner, sequence, node_id, skill, cancel)

    def _settle(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        """Look, then decide whether a skill that may have been done is still to be done."""
        return settled(
            self._inner,
            self._types,
            self._log.last_observation,
            (sequence, node_id, skill),
            cancel,
            self._log.ask_again,
        )

    def progress(self, cancel: CancelToken) -> Progress | None:
        """Goal conditions that were met, or are met now; planners of several trials ask."""

        def ask() -> dict[str, Any]:
            progress = self._inner.progress(cancel)
            return {} if progress is None else asdict(progress)

        def read(answer: Mapping[str, Any]) -> Progress | None:
            return value_of(Progress, answer) if answer else None

        return self._log.answer('progress', ask, read)

    def snapshot(self, cancel: CancelToken) -> str:
        """What the skill server kept the world as; '' where it cannot."""
        inner = self._inner
        if not isinstance(inner, SnapshotSkillServer):
            return ''
        return self._log.answer(
            'snapshot',
            lambda: {'snapshot': inner.snapshot(cancel)},
            lambda answer: text(answer['snapshot']),
        )

    def restore(self, snapshot: str, cancel: CancelToken) -> Observation:
        """Put the world back, once; a refusal is an answer too."""
        inner = self._inner

        def ask() -> dict[str, Any]:
            if not isinstance(inner, SnapshotSkillServer):
                return {'error': 'The skill server keeps no snapshots.'}
            try:
                return {'observation': encode_event(inner.restore(snapshot, cancel))}
            except BridgeLostError:
                raise
            except SkillError as error:
                return {'error': str(error)}

        def read(answer: Mapping[str, Any]) -> Observation | str:
            if 'error' in answer:
                return text(answer['error'])
            found = decode_event(answer['observation'])
            if not isinstance(found, Observation):
                raise TypeError('a decision instead of a look')
            return found

        restored = self._log.answer('restore', ask, read)
        if isinstance(restored, str):
            raise SkillError(restored)
        return restored

    def expert_plan(self, cancel: CancelToken) -> tuple[str, ...]:
        """What the expert said, once; a refusal is an answer too."""
        inner = self._inner

        def ask() -> dict[str, Any]:
            if not isinstance(inner, ExpertSkillServer):
                return {'error': NO_EXPERT}
            try:
                return {'skills': inner.expert_plan(cancel)}
            except BridgeLostError:
                raise
            except SkillError as error:
                return {'error': str(error)}

        def read(answer: Mapping[str, Any]) -> tuple[str, ...] | str:
            return text(answer['error']) if 'error' in answer else texts(answer['skills'])

        plan = self._log.answer('expert_plan', ask, read)
        if isinstance(plan, str):
            raise SkillError(plan)
        return plan

    def reset(self, cancel: CancelToken) -> None:
        """Put the world back, once; a refusal is an answer too."""

        def ask() -> dict[str, Any]:
            try:
                self._inner.reset(cancel)
            except BridgeLostError:
                raise
            except SkillError as error:
                return {'error': str(error)}
            return {}

        refusal = self._log.answer(
            'reset', ask, lambda answer: text(answer['error']) if answer else ''
        )
        if refusal:
            raise SkillError(refusal)


class LoggedMemory:
    """Another memory (port `Memory`). Experiences are written once a run, then by number."""

    def __init__(self, inner: Memory, log: RunLog) -> None:
        self._inner = inner
        self._log = log
        self._logged = LoggedExperiences()

    def retrieve(self, query: ExperienceQuery, cancel: CancelToken) -> tuple[Experience, ...]:
        """Experiences nearest to a goal."""

        def ask() -> dict[str, Any]:
            return self._logged.answer(self._inner.retrieve(query, cancel))

        return self._log.answer(RETRIEVE, ask, self._logged.read)

    def store(self, experiences: Sequence[Experience], cancel: CancelToken) -> None:
        """Keep experiences; one that is known changes nothing."""
        self._inner.store(experiences, cancel)

    def recall(self, object_class: str, sequence: int, cancel: CancelToken) -> str:
        """What the memory said about things of a class."""
        return self._log.answer(
            'recall',
            lambda: {'text': self._inner.recall(object_class, sequence, cancel)},
            lambda answer: text(answer['text']),
        )


class LoggedPeople:
    """Other people (port `People`): what was answered is not asked again.

    A question that was open when the planner ended has no answer in the log, and is asked anew.
    """

    def __init__(self, inner: People, log: RunLog) -> None:
        self._inner = inner
        self._log = log

    @property
    def attended(self) -> bool:
        """Whether somebody was there, or is now."""
        return self._log.answer(
            'attended',
            lambda: {'attended': self._inner.attended},
            lambda answer: bool(answer['attended']),
        )

    def ask(self, question: Question, cancel: CancelToken) -> str | None:
        """What a person answered, or answers now."""

        def ask() -> dict[str, Any]:
            # Seen to go on before somebody takes their time.
            self._log.go_on()
            said = self._inner.ask(question, cancel)
            return {} if said is None else {'said': said}

        return self._log.answer(
            'person', ask, lambda answer: text(answer['said']) if answer else None
        )


def logged_hour(ledger: Ledger, log: RunLog, sequence: Callable[[], int]) -> Callable[[], Hour]:
    """What the clock reads, the same between two events; a resumed run reads it again.

    :param ledger: what was spent in the last hour. :param sequence: number of the last event.
    """
    recorded_at, recorded = -1, Hour(datetime.min)

    def hour() -> Hour:
        nonlocal recorded_at, recorded
        if log.asking_again:
            return hour_of(ledger)
        if recorded_at != sequence():
            recorded = log.answer('clock', lambda: hour_record(hour_of(ledger)), read_hour)
            recorded_at = sequence()
        return recorded

    return hour


def logged_gate(
    gate: Callable[[Decision], str | None], log: RunLog
) -> Callable[[Decision], str | None]:
    """A gate whose refusals are logged; what was let through once is not asked again."""

    def passing(decision: Decision) -> str | None:
        if log.replaying:
            known: Mapping[str, Any] | None = log.recall('refusal')
            return None if known is None else str(known.get('text', ''))
        refusal = gate(decision)
        if refusal is not None and not log.asking_again:
            log.keep(Answer('refusal', {'text': refusal}))
        return refusal

    return passing
