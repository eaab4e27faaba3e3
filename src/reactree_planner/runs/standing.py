"""Tasks that wait: for conditions, or for the clock. Nothing is planned or asked while they do.

    whenever a crate is on the dock, bring it to the shed        WAIT, FIRE, ..., WAIT, FIRE, ...

A run sleeps until the skill server reports that something it senses has changed, until a time has
come, or until a person says something. What it looks at while it waits is no event. A firing is
written down before it is acted on, so a run that is resumed has fired as often as it had, and
waits on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from reactree_core.errors import ReactreeError, SkillError
from reactree_core.record.journal_lines import Answer, texts
from reactree_core.skill_types import Relation
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import Condition, Milestones
from reactree_planner.facts.known import is_known, of_which
from reactree_planner.facts.pursuit import of_thing
from reactree_planner.reading.goal import Trigger
from reactree_planner.runs.aims import Aims
from reactree_planner.runs.budget import Budget
from reactree_planner.runs.correcting import Correcting
from reactree_planner.runs.run_ports import Basis
from reactree_planner.runs.run_world import RunWorld

#: Looks where the skill server reports changes itself, in looks where it does not.
_SELDOM = 12.0
#: Seconds that one sleep may take: what a clock can be told.
_LONGEST = 3600.0
_NO_ANSWER = 'The skill server does not answer while the run waits; it goes on waiting.'


@dataclass(frozen=True, slots=True)
class Waits:
    """How long a run may wait.

    :param seconds: from its first wait to its end; 0: a run does not wait at all.
    :param times: how often it may be woken; 0: any number.
    :param look: seconds between two looks where nothing reports changes.
    :param lost: seconds in all for robots of a team that are lost, where no other one can go on;
        0: not at all.
    """

    seconds: float = 0.0
    times: int = 0
    look: float = 5.0
    lost: float = 0.0


#: Of evaluations, in which nobody changes the world while the robot stands.
NO_WAITS = Waits()


class NothingHappened(ReactreeError):
    """A run has waited for as long as it may, and what it waits for has not happened."""


class Standing:
    """Waits for what a task waits for, and says what is wanted once it has happened.

    :param trigger: what it waits for. :param limits: of its waits.
    :param aims: have what is wanted each time.
    :param correcting: hears what people say meanwhile.
    """

    def __init__(
        self,
        trigger: Trigger,
        limits: Waits,
        basis: Basis,
        world: RunWorld,
        aims: Aims,
        budget: Budget,
        correcting: Correcting,
    ) -> None:
        self._trigger = trigger
        self._limits = limits
        self._events = basis.events
        self._cancel = basis.cancel
        self._notify = basis.notify
        self._world = world
        self._aims = aims
        self._budget = budget
        self._correcting = correcting
        #: Things of which it holds, and for which it was woken already.
        self._handled: frozenset[str] = frozenset()
        #: When the first wait began, and the one that goes on, by the clock on the wall: that
        #: goes on while the planner is down.
        self._first = 0.0
        self._began = 0.0

    def next(self) -> bool:
        """Wait until it has happened; False once it may wait no longer."""
        aims, log, trigger = self._aims, self._events.log, self._trigger
        fired = self._events.tree.firings
        aims.goal = aims.each_time
        most = [one for one in (trigger.times, self._limits.times) if one]
        once = not trigger.repeats
        if (fired and once) or any(fired >= one for one in most):
            return False
        self._events.note_wait(trigger.text)
        recorded = log.answer('wait', lambda: {'at': time.time()}, _time_of)
        self._began, self._first = recorded, self._first or recorded
        with self._cancel.paused():
            answer = self._answer()
        if not answer:
            return False
        self._handled = frozenset(texts(answer['handled']))
        self._budget.renew()
        aims.fire(str(answer['why']), self._bound(str(answer['of'])))
        return True

    def _answer(self) -> Mapping[str, Any]:
        """What has woken the run; empty where it may wait no longer."""
        log = self._events.log
        while True:
            self._correcting.hear(waits=True)
            if log.replaying:
                return log.answer('woken', dict, lambda answer: answer)
            happened = self._sleep()
            if happened is not None:
                log.keep(Answer('woken', happened))
                return happened

    def _sleep(self) -> Mapping[str, Any] | None:
        """Wait for it; None where somebody says something. :raises CanceledError: stopped."""
        trigger, woken = self._trigger, self._correcting.woken
        tells = self._world.listen(woken.set)
        pause = self._limits.look * (_SELDOM if tells else 1.0)
        while True:
            woken.clear()
            self._cancel.check()
            if self._correcting.said.is_said:
                return None
            left = self._time_left()
            if left <= 0:
                return {}
            found: Mapping[str, Any] | None = None
            if not trigger.seconds:
                found = self._look()
            elif (pause := self._began + trigger.seconds - time.time()) <= 0:
                found = {'why': trigger.text, 'of': '', 'handled': []}
            if found is not None:
                return found
            woken.wait(min(pause, left, _LONGEST))

    def _time_left(self) -> float:
        lasts = [one for one in (self._trigger.lasts, self._limits.seconds) if one]
        return self._first + min(lasts) - time.time() if lasts else float('inf')

    def _look(self) -> Mapping[str, Any] | None:
        """What has happened, as far as the robot senses it where it is; None for nothing."""
        try:
            seen = self._world.glance()
        except SkillError:
            self._notify(_NO_ANSWER)
            return None
        belief = Belief(self._world.vocabulary)
        belief.update(seen)
        now = self._of_which(belief)
        self._handled &= frozenset(now)
        new = [name for name in sorted(now) if name not in self._handled]
        if not new:
            return None
        name = new[0]
        return {
            'why': self._why(name),
            'of': name,
            'handled': sorted({*self._handled, name}),
        }

    def _of_which(self, belief: Belief) -> tuple[str, ...]:
        """Things of which it holds; one without a name where it is about none in particular."""
        about, rest = self._about()
        if not all(is_known(belief, one) for one in rest):
            return ()
        return of_which(belief, about) if about is not None else ('',)

    def _about(self) -> tuple[Condition | None, tuple[Condition, ...]]:
        """The condition whose thing is meant by the task, and the others."""
        conditions = self._trigger.conditions
        about = next((one for one in conditions if _tells_things_apart(one)), None)
        return about, tuple(one for one in conditions if one is not about)

    def _why(self, name: str) -> str:
        about, rest = self._about()
        first = () if about is None else (replace(about, subject=name),)
        return ' and '.join(one.text for one in (*first, *rest))

    def _bound(self, name: str) -> Milestones:
        """What is wanted now, of the thing that it happened to."""
        about, _ = self._about()
        subject = about.subject if about is not None else ''

        goal = self._aims.each_time
        wanted = goal.milestones if goal else ()
        if name:
            wanted = of_thing(wanted, subject, name)
        return tuple(tuple(map(self._anew, each)) for each in wanted)

    def _anew(self, one: Condition) -> Condition:
        """What was done at an earlier firing is to be done once more."""
        reasoner = self._world.reasoner
        if reasoner is None or not self._trigger.repeats:
            return one
        belief = reasoner.belief
        if one.relation is Relation.DONE:
            return replace(one, count=belief.done_as[one.subject] + one.count)
        if one.relation is not Relation.IS or one.count != 1:
            return one
        for skill in belief.skills.types:
            lasts = not skill.inverse and len(skill.slots) == 1
            if lasts and any(fact.value == one.value and fact.holds for fact in skill.facts):
                text = skill.filled([one.subject])
                # What nothing takes back ("is photographed") holds for ever.
                return Condition(Relation.DONE, text, '', belief.done_as[text] + 1)
        return one


def _tells_things_apart(one: Condition) -> bool:
    return one.relation in (Relation.IN, Relation.IS) and one.count == 1


def _time_of(answer: Any) -> float:
    value = answer['at']
    if not isinstance(value, int | float):
        raise TypeError('no time')
    return float(value)
