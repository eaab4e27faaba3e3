"""Rules held against runs that go on, event by event, as the audit of a record holds them.

It takes the events of a planner's topics, and nothing of how planner and skill server keep rules.
A skill is judged when it is sent, and once more when its answer is there: what was refused or had
no effect has broken nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from reactree_core.observation import Observation, Vocabulary
from reactree_core.permission.hazards import Hazards
from reactree_core.permission.monitor import Finding, Held
from reactree_core.permission.rules import Rules
from reactree_core.record.events import Event
from reactree_tools.traces import AuditedRun, is_sent, RunReading

#: A planner's clock below this is that of a simulation, and tells no time of day.
_EARLIEST = 1e9


@dataclass(frozen=True, slots=True)
class HeardEvent:
    """An event of a run. :param stamp: seconds of the planner's clock.

    :param missed: whether events before it were lost.
    """

    run_id: str
    event: Event
    missed: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """What an event has brought to light.

    :param broken: rules that it breaks. :param sentences: about what was told before.
    :param ended: the run, where it ended here; :param findings: of every rule, then.
    """

    broken: tuple[Finding, ...] = ()
    sentences: tuple[str, ...] = ()
    ended: AuditedRun | None = None
    findings: tuple[Finding, ...] = ()


class _LiveRun:
    """One run. :param find: what is found of it so far."""

    def __init__(
        self,
        run_id: str,
        vocabulary: Vocabulary,
        find: Callable[[AuditedRun], tuple[Finding, ...]],
    ) -> None:
        self._reading = RunReading(run_id, vocabulary)
        self._find = find
        self._broken: dict[tuple[str, str], Finding] = {}
        self._missed = False

    def take(self, heard: HeardEvent) -> Heard:
        event, reading = heard.event, self._reading
        self._missed |= heard.missed
        is_told = event.stamp >= _EARLIEST
        reading.when = datetime.fromtimestamp(event.stamp) if is_told else datetime.now()
        reading.take(event)
        if reading.ended:
            run, findings = self.end()
            return Heard(self._new(findings), ended=run, findings=findings)
        if isinstance(event, Observation):
            judged = bool(event.skill)
        else:
            # Where nobody let it through it may be refused yet: the answer says.
            judged = is_sent(event) and bool(event.allowed_by)
        if not judged:
            return Heard()
        findings = self._find(reading.run)
        gone = tuple(self._gone(findings, event.skill))
        return Heard(self._new(findings), gone)

    def end(self) -> tuple[AuditedRun, tuple[Finding, ...]]:
        """The run as it stands, and what is found of it."""
        run = self._reading.run
        findings = self._find(run)
        if self._missed:
            why = 'Events before were missed: more of them are kept by nobody.'
            findings += (Finding('events', 'every event', Held.UNKNOWN, why=why),)
        return run, findings

    def _new(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        broken = {(one.rule, one.wording): one for one in findings if one.held is Held.BROKEN}
        new = tuple(found for name, found in broken.items() if name not in self._broken)
        self._broken |= broken
        return new

    def _gone(self, findings: tuple[Finding, ...], skill: str) -> Iterator[str]:
        for found in findings:
            name = (found.rule, found.wording)
            if found.held is not Held.BROKEN and self._broken.pop(name, None) is not None:
                yield f'not broken: {found.rule}: "{skill}" was refused or had no effect.'


class LiveAudits:
    """Every run of a planner, one after the other.

    :param vocabulary: asked once, when the first run is heard of: what the skill server declares.
    """

    def __init__(
        self, rules: Rules, hazards: Hazards, vocabulary: Callable[[], Vocabulary]
    ) -> None:
        self._rules, self._hazards = rules, hazards
        self._ask = vocabulary
        self._vocabulary: Vocabulary | None = None
        self._runs: dict[str, _LiveRun] = {}
        #: How many runs were heard of, and how many of them have ended.
        self.heard = self.ended = 0

    def take(self, heard: HeardEvent) -> Heard:
        """The next event of a run.

        :raises SkillError: no skill server reports what it declares.
        """
        if self._vocabulary is None:
            self._vocabulary = self._ask()
        run = self._runs.get(heard.run_id)
        if run is None:
            run = _LiveRun(heard.run_id, self._vocabulary, self._find)
            self._runs[heard.run_id] = run
            self.heard += 1
        findings = run.take(heard)
        if findings.ended is not None:
            self.ended += 1
            del self._runs[heard.run_id]
        return findings

    def _find(self, run: AuditedRun) -> tuple[Finding, ...]:
        return run.findings(self._rules, self._hazards)

    def unended(self) -> Iterator[tuple[AuditedRun, tuple[Finding, ...]]]:
        """Runs that go on, and what is found of each so far; nothing is owed yet."""
        for run in self._runs.values():
            lines, findings = run.end()
            yield (
                lines,
                tuple(
                    replace(one, held=Held.YES, why='') if one.held is Held.OPEN else one
                    for one in findings
                ),
            )
