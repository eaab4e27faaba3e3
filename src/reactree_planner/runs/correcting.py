"""Words of people while a run is under way: taken before its next skill, and what follows.

It is written down where it is taken: a run that is resumed takes it at the same point again.
"""

from __future__ import annotations

import threading
from weakref import WeakSet

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ReactreeError
from reactree_core.record.events import DecisionKind
from reactree_core.record.goal_record import NO_GOAL
from reactree_core.record.utterances import Said
from reactree_planner.reading.corrections import Context, Correction, Kind, read_correction
from reactree_planner.reading.goal import Goal
from reactree_planner.reading.record import record_of
from reactree_planner.runs.aims import Aims
from reactree_planner.runs.run_ports import Basis
from reactree_planner.runs.run_world import RunWorld

_SAID = 'said'
#: What a run that is held waits for.
UNTIL_GO_ON = 'somebody says "go on"'


class Corrected(ReactreeError):
    """The task has changed: what was planned for it before is planned anew."""

    def __init__(self) -> None:
        super().__init__('a person corrected the task')


class Correcting:
    """Takes what people say to one run."""

    def __init__(self, basis: Basis, aims: Aims, world: RunWorld) -> None:
        self._events = basis.events
        self._cancel = basis.cancel
        #: By people.
        self.said = basis.ports.said
        self._aims = aims
        self._world = world
        #: Set by whatever a run that waits is to look at: a cancel, words, a change in the world.
        self.woken = threading.Event()
        self._cancel.wakes(self.woken)
        #: Of the skills under way: "wait" cancels them at once.
        self._skills: WeakSet[CancelToken] = WeakSet()
        self.said.listen(self._wake)
        #: Points at which something could be taken so far; a resumed run passes the same ones.
        self._passed = 0
        self._is_held = False

    def _wake(self) -> None:
        """Called, from any thread, once there is something to take."""
        self.woken.set()
        if self.said.halts:
            for skill in list(self._skills):
                skill.cancel()

    def skill_token(self) -> CancelToken:
        """A token for the next skill: canceled with the run, and alone where people say "wait"."""
        token = CancelToken(whole=self._cancel)
        self._skills.add(token)
        if self.said.halts:
            token.cancel()
        return token

    def hear(self, waits: bool = False, at_gate: bool = False, again: bool = False) -> None:
        """Take what was said since; a run that is held waits here.

        :param waits: whether nothing is planned now, so that nothing has to be planned anew.
        :param at_gate: whether a skill is about to be sent, which is chosen anew after anything.
        :param again: whether this is still the point that was passed last: who waits may look
            any number of times, and a run that is resumed passes each point once.
        :raises Corrected: what was planned is to be planned anew. :raises CanceledError: stopped.
        """
        self._passed += not (waits or again)
        changed = False
        while (said := self._next(waits)) is not None:
            changed |= self._take(said, waits, at_gate)
        if self._is_held:
            with self._cancel.paused():
                while self._is_held:
                    changed |= self._take(self._awaited(), waits, at_gate)
        if changed and not waits:
            raise Corrected

    def _next(self, waits: bool) -> Said | None:
        log = self._events.log
        if log.replaying:
            known = log.peek(_SAID)
            if known is None or not (waits or known.get('at') == self._passed):
                return None
            log.recall(_SAID)
            return Said(str(known.get('text')), str(known.get('by')))
        said = self.said.take()
        if said is not None:
            content = {'text': said.text, 'by': said.by, 'at': self._passed}
            log.answer(_SAID, lambda: content, lambda answer: answer)
        return said

    def _awaited(self) -> Said:
        """What is said next. :raises CanceledError: stopped."""
        log = self._events.log
        while True:
            self.woken.clear()
            self._cancel.check()
            said = self._next(waits=True)
            if said is not None:
                return said
            if log.replaying:
                raise log.diverged('waits')
            self.woken.wait()

    def _take(self, said: Said, waits: bool, at_gate: bool) -> bool:
        """Do as was said. :return: whether what was planned is to be planned anew."""
        aims = self._aims
        aims.take_bound()
        known = aims.goal or aims.understanding.read_said(aims.task)
        correction = self._read(said, known, 0 if waits else self._events.tree.milestones_met)
        if correction.rules:
            aims.forbid(correction.rules)
        shown = correction.kind is Kind.UNREAD and not aims.is_read
        goal = correction.goal or (known if shown or correction.rules or at_gate else None)
        record = NO_GOAL if goal is None else record_of(goal)
        self._events.decide(
            0,
            DecisionKind.CORRECT,
            text=said.text,
            subgoals=correction.follows,
            goal=record,
            approver=said.by,
        )
        if correction.goal is not None:
            aims.aim_anew(correction.goal)
        if correction.holds or (self._is_held and correction.kind is not Kind.GO_ON):
            self._is_held = True
            self._events.note_wait(UNTIL_GO_ON)
        elif correction.kind is Kind.GO_ON:
            self._is_held = False
        return goal is not None

    def _read(self, said: Said, goal: Goal, met: int) -> Correction:
        world = self._world
        belief = world.reasoner.belief if world.reasoner is not None else None
        context = Context(
            goal,
            min(met, len(goal.milestones)),
            world.belief.names,
            world.vocabulary,
            self._last_things(),
            (lambda name: ()) if belief is None else belief.of_class,
            self._aims.understanding.read_said,
        )
        return read_correction(said.text, context)

    def _last_things(self) -> tuple[str, ...]:
        """Things of the task that the last skills were about, the newest first."""
        world, goal = self._world, self._aims.goal
        named = {
            name for one in (goal.conditions if goal is not None else ()) for name in one.names
        }
        parsed = map(world.belief.skills.parse, reversed(world.skills_chosen))
        about = (one for one in parsed if one is not None and one.target)
        class_of = world.belief.names.class_of
        return tuple(
            dict.fromkeys(
                one.target for one in about if named & {one.target, class_of(one.target)}
            )
        )
