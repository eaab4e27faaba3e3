"""What a run aims at: the goal that its task was read as, how much of it holds, what is forbidden.

It changes while the run goes on: people correct the task, and one that waits wants it each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reactree_core.permission.rules import Rule
from reactree_core.record.events import DecisionKind
from reactree_core.record.outcome import Ending
from reactree_core.record.run_settings import Ask
from reactree_core.record.snapshot import AgentTree
from reactree_planner.facts.conditions import Condition, from_places, Milestones
from reactree_planner.facts.fillers import Fillers
from reactree_planner.reading.contradictions import but_for_forbidden
from reactree_planner.reading.goal import Goal, ReadBy, Trigger
from reactree_planner.runs.run_ports import Basis
from reactree_planner.runs.run_world import RunWorld
from reactree_planner.runs.settings import Decides
from reactree_planner.runs.understanding import Understanding


class Aims:
    """Of one run. :param task: its sentence."""

    def __init__(
        self, task: str, basis: Basis, world: RunWorld, understanding: Understanding
    ) -> None:
        self.task = task
        self._settings = basis.settings
        self._events = basis.events
        self._notify = basis.notify
        self._world = world
        self.understanding = understanding
        #: What the task was read as; None before, and where it is not read.
        self.goal: Goal | None = None
        #: What the run waits for; None where it began at once.
        self.trigger: Trigger | None = None
        #: What is wanted each time that it happens, of whichever thing.
        self.each_time: Goal | None = None
        #: Whether the task was read so far that facts may choose skills for it.
        self.is_read = False
        #: How many milestones of the task are met once a node is done, for nodes of milestones.
        self.milestones_of: dict[int, int] = {}
        #: Of what the task forbids, what only the model can keep.
        self.left_to_model = ''

    @property
    def _tree(self) -> AgentTree:
        return self._events.tree

    def read(self, forbidden: tuple[Rule, ...], simulated: bool, may_wait: bool) -> None:
        """Read the task, and let facts decide where they may.

        :param forbidden: what of it is kept already.
        :param simulated: see `Understanding.read`; also the other one.
        :raises NotUnderstoodError: the robot may not move for what was read of it.
        """
        settings, asked = self._settings, self.understanding
        if settings.guards.ground_words:
            asked.check_request(self.task)
            facts = settings.decides is Decides.FACTS
            goal = self._refined(asked.read(self.task, simulated, may_wait))
            self.goal = goal
            read = goal if settings.guards.rules_in_time else replace(goal, rules=())
            more = tuple(one for one in read.permission_rules if one not in forbidden)
            if more:
                # Prohibitions of a model, or confirmed by a person, are kept like the grammar's.
                self.forbid(more)
                forbidden = (*forbidden, *more)
            self.is_read = goal.acts and facts
            if facts:
                given = goal.trigger.conditions if goal.trigger and not goal.trigger.waits else ()
                reasoner = self._world.aim(
                    goal.milestones if goal.acts else (), given if goal.acts else ()
                )
                reasoner.exploration.said = goal.sources
            warning = asked.check_understood(
                goal, forbids=bool(forbidden), simulated=simulated, by_model=not facts
            )
            if warning:
                self._notify(warning)
            asked.check_consistent(goal)
        confirmed = self.goal is not None and self.goal.by is ReadBy.PERSON
        if (settings.ask is Ask.ALWAYS or forbidden) and asked.is_attended and not confirmed:
            asked.confirm('; '.join(self._tree.wanted) or self.task, forbidden)
        if self.is_read and self.goal and self.goal.trigger and self.goal.trigger.waits:
            self.each_time, self.trigger = self.goal, self.goal.trigger
        else:
            self.note_milestones()

    def _refined(self, goal: Goal) -> Goal:
        """Restrict which things conditions are about, by where the task takes them from and by
        what it forbids.
        """
        goal = but_for_forbidden(goal, self._world.vocabulary)
        kind = self._world.belief.names.kind
        known = [(thing, place) for thing, place in goal.sources if kind(place) is not None]
        return replace(goal, milestones=from_places(goal.milestones, known))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What the task asks for, as far as its words say it; () where nothing was grounded."""
        return self.goal.conditions if self.goal is not None and self.goal.acts else ()

    @property
    def ending(self) -> Ending:
        """What is known now of the conditions of the task."""
        world, goal = self._world, self.goal
        if not world.has_begun:
            return Ending()
        if self.trigger is not None and not self._tree.firings:
            return Ending(verified=(f'not so: {self.trigger.text}',))
        ending = world.ending(goal.conditions if goal is not None else ())
        missing, unknown = ending.missing, ending.unknown
        if goal is not None and not goal.acts:
            # What was read in part is a hint, and nothing that can be missing.
            missing, unknown = (), (*unknown, *missing)
        return replace(
            ending,
            missing=(*missing, *world.rules.pending()),
            unknown=unknown,
            unread=goal.unread if goal is not None else (),
        )

    @property
    def lack(self) -> str:
        """What keeps the task from being done, as a sentence; '' where nothing is known to.

        A rule that wants something before the end; of a task that facts decide, its conditions.
        """
        missing = self.ending.missing if self.is_read else self._world.rules.pending()
        return Ending(missing=tuple(missing)).lack

    @property
    def due_later(self) -> tuple[str, ...]:
        """Skills that a rule wants before the end and that are not on offer here."""
        reasoner = self._world.reasoner
        known = Fillers(reasoner.belief).known_skills() if reasoner is not None else ()
        return self._world.rules.due(tuple(known))

    def note_milestones(self) -> None:
        """Emit the milestones of the task that were met since."""
        reasoner = self._world.reasoner
        if reasoner is None or not self.is_read:
            return
        reasoner.advance()
        for index in range(self._tree.milestones_met, reasoner.goal.met):
            texts = tuple(one.text for one in reasoner.goal.milestones[index])
            self._events.decide(0, DecisionKind.MILESTONE, subgoals=texts)

    def forbid(self, rules: Sequence[Rule]) -> None:
        """Keep more of what a person forbids, from the next skill on."""
        self._world.rules.add(rules)
        before = self._world.rules.must_not
        self._events.decide(0, DecisionKind.FORBID, text=self.left_to_model, subgoals=before)

    def fire(self, why: str, milestones: Milestones) -> None:
        """Begin to do what the task wants now that it has happened."""
        assert self.goal is not None and self._world.reasoner is not None, 'it was read'
        self.goal = replace(self.goal, milestones=milestones)
        self._world.reasoner.aim(milestones)
        self.milestones_of.clear()
        wanted = tuple(one.text for one in self.conditions)
        self._events.decide(0, DecisionKind.FIRE, text=why, subgoals=wanted)

    def take_bound(self) -> None:
        """Have the goal be about the things that were found to be as the task asked."""
        reasoner, trigger = self._world.reasoner, self.goal.trigger if self.goal else None
        if self.goal is not None and reasoner is not None and trigger and not trigger.waits:
            self.goal = replace(self.goal, milestones=reasoner.goal.milestones)

    def aim_anew(self, goal: Goal) -> None:
        """Do something else from now on; milestones that were met are not met again."""
        self.goal = goal = self._refined(goal)
        if self.trigger is not None and self._tree.waiting_for:
            self.each_time = goal
            return
        reasoner = self._world.reasoner
        if reasoner is not None:
            # What the task depends on, and is not known yet, it still depends on.
            reasoner.aim(goal.milestones, self._tree.milestones_met, reasoner.goal.given)
            reasoner.exploration.said = goal.sources
        self.milestones_of.clear()
        self.note_milestones()
