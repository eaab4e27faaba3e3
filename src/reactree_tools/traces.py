"""What was sent in a recorded run, as rules are held against it: from a journal or a bag."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from reactree_core.observation import (
    evidence_of,
    ObjectFact,
    Observation,
    Vocabulary,
    WORLD_RESTORED,
)
from reactree_core.permission.hazards import Hazards
from reactree_core.permission.hour import read_hour
from reactree_core.permission.matching import Moment
from reactree_core.permission.monitor import audit, Finding, Held, Sent, Trace
from reactree_core.permission.permission import WITHOUT_EFFECT
from reactree_core.permission.rules import Rule, Rules
from reactree_core.permission.spending import Amounts
from reactree_core.record.events import Decision, DecisionKind, Event, is_world_reset, NodeStatus
from reactree_core.record.journal_lines import Answer, Record
from reactree_core.record.snapshot import is_step
from reactree_core.working_memory import RECALL
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone


@dataclass(frozen=True, slots=True)
class AuditedRun:
    """A run as an audit reads it.

    :param must_not: what the run itself said it must not do.
    :param succeeded: whether it ended as a success.
    :param said: what people said meanwhile, and behind how many skills.
    """

    run_id: str
    task: str
    vocabulary: Vocabulary
    trace: Trace
    must_not: tuple[str, ...] = ()
    succeeded: bool = False
    said: tuple[tuple[str, int], ...] = ()

    @property
    def task_rules(self) -> tuple[Rule, ...]:
        """What the sentence of the task forbids, read again; without what the run did not keep."""
        rules = _stated_rules(self.task, self.vocabulary)
        return tuple(rule for rule in rules if self._promised(rule))

    def _promised(self, rule: Rule) -> bool:
        return any(line.startswith(rule.wording) for line in self.must_not)

    def findings(self, rules: Rules, hazards: Hazards) -> tuple[Finding, ...]:
        """What is found of every rule of the task and of a file, of hazards and of limits."""
        task_rules = self.task_rules
        asking, later = hazards.rules(self.vocabulary.skills, self.vocabulary.other_words)
        found = audit(rules, self.trace, task_rules, (*asking, *later))
        said: list[Rule] = []
        for text, sent in self.said:
            # It holds from then on.
            rules_found = tuple(filter(self._promised, _stated_rules(text, self.vocabulary)))
            found += audit(Rules(), replace(self.trace, sent=self.trace.sent[sent:]), rules_found)
            said += rules_found
        return found + self._unchecked((*task_rules, *said, *rules.rules, *asking, *later))

    def _unchecked(self, rules: Iterable[Rule]) -> tuple[Finding, ...]:
        """What the run said it must not do, and none of these rules says."""
        wordings = tuple(rule.wording for rule in rules if rule.wording)
        return tuple(
            Finding('unknown', line, Held.UNKNOWN, why=_UNTOLD)
            for line in self.must_not
            if not line.startswith(wordings)
        )


_UNTOLD = (
    'Name its file with --permission. What a language model read of a task is in no file, and '
    'cannot be read again.'
)


@lru_cache(maxsize=8)
def _stated_rules(task: str, vocabulary: Vocabulary) -> tuple[Rule, ...]:
    return read_alone(task, Names(vocabulary)).permission_rules


def audited(run_id: str, records: Iterable[Record], vocabulary: Vocabulary) -> AuditedRun:
    """A run by its record. :param records: events, and answers where there are any."""
    reading = RunReading(run_id, vocabulary)
    for record in records:
        if isinstance(record, Answer):
            reading.answered(record)
        else:
            reading.take(record)
    return reading.run


class RunReading:
    """Takes the records of one run in their order; `run` is what they come to so far."""

    def __init__(self, run_id: str, vocabulary: Vocabulary) -> None:
        self._run_id = run_id
        self._vocabulary = vocabulary
        self._now = Observation('')
        self._facts: dict[str, ObjectFact] = {}
        #: Time of day, by the computer's clock; datetime.min where nothing reports it.
        self.when = datetime.min
        self._sent: list[Sent] = []
        self._waiting: Sent | None = None
        self._task = ''
        self._must_not: tuple[str, ...] = ()
        self._said: list[tuple[str, int]] = []
        self._succeeded = False
        #: Whether the run has ended.
        self.ended = False

    def answered(self, answer: Answer) -> None:
        """Take what the journal has between two events."""
        if answer.kind == 'clock':
            self.when = read_hour(dict(answer.content)).when

    def take(self, event: Event) -> None:
        """Take the next event."""
        if isinstance(event, Observation):
            self._observe(event)
        elif event.kind is DecisionKind.START:
            self._task = event.text
        elif event.kind is DecisionKind.FORBID:
            self._must_not = event.subgoals
        elif event.kind is DecisionKind.CORRECT:
            self._settle()
            self._said.append((event.text, len(self._sent)))
        elif event.kind is DecisionKind.FINISH and event.node_id == 0:
            self.ended, self._succeeded = True, event.status is NodeStatus.SUCCESS
        elif is_sent(event):
            self._settle()
            # Records from before that was given have neither.
            by = event.allowed_by
            approved = by.startswith('person') if by else None
            self._waiting = Sent(self._moment(event.skill), approved=approved, stamp=event.stamp)

    def _observe(self, event: Observation) -> None:
        waiting = self._waiting
        if waiting is not None and event.skill == waiting.moment.skill:
            self._waiting = None
            if event.outcome not in WITHOUT_EFFECT:
                seconds = max(0.0, event.stamp - waiting.stamp)
                spent = Amounts(1, event.distance, seconds)
                self._sent.append(replace(waiting, succeeded=event.succeeded, spent=spent))
        if is_world_reset(event) or event.text.startswith(WORLD_RESTORED):
            self._facts.clear()
        self._facts.update((fact.name, fact) for fact in event.facts)
        self._now = event

    def _settle(self) -> None:
        """A skill without an answer may have done anything, so it counts."""
        if self._waiting is not None:
            self._sent.append(self._waiting)
            self._waiting = None

    def _moment(self, skill: str) -> Moment:
        now, types = self._now, self._vocabulary.skills
        evidence = evidence_of(now)
        facts = dict(self._facts)
        return Moment(skill, now, facts, types, self.when, evidence=evidence, clock=now.stamp)

    @property
    def run(self) -> AuditedRun:
        """The run so far; a skill that goes on counts as sent."""
        waiting = (self._waiting,) if self._waiting is not None else ()
        return AuditedRun(
            self._run_id,
            self._task,
            self._vocabulary,
            Trace((*self._sent, *waiting), self._moment(''), self.ended),
            self._must_not,
            self._succeeded,
            tuple(self._said),
        )


def is_sent(event: Decision) -> bool:
    """Whether a decision sends a skill to a robot."""
    is_act = event.kind is DecisionKind.ACT and is_step(event.skill)
    return is_act and not event.skill.startswith(RECALL)
