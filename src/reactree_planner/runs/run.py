"""One run of one task, as every planner sees it: emit events, run skills, keep the limits.

A planner decides; this carries out, writes down and counts. All planners share it, so limits,
cancel, journal, topics and the tree are the same for each.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.chat import PictureFile
from reactree_core.domain import Domain
from reactree_core.errors import (
    EpisodeOver,
    LimitReached,
    NotPermittedError,
    PromptTooLongError,
    ReactreeError,
)
from reactree_core.experience import Experience, ExperienceQuery
from reactree_core.foreign_text import bounded
from reactree_core.observation import Observation, Progress
from reactree_core.permission.permission import FREE, OTHERWISE, Permission, Ruling
from reactree_core.permission.rules import Rule, Rules, Verdict
from reactree_core.permission.spending import Amounts, FREE_OF_CHARGE, Ledger, Price
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, NodeStatus
from reactree_core.record.outcome import Ending
from reactree_core.record.questions import Question
from reactree_core.record.run_settings import Ask, Kept, Limits, NO_SETTINGS, RunSettings
from reactree_core.record.snapshot import AgentTree, run_children
from reactree_core.record.trajectory import Trajectories
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.facts.conditions import Condition, Milestones
from reactree_planner.knowledge.belief_state import BeliefState
from reactree_planner.knowledge.endings import ending_of, is_sensed
from reactree_planner.knowledge.skills import RECALL
from reactree_planner.language.goal import Goal
from reactree_planner.language.names import Names
from reactree_planner.language.reading import read_with_grammar
from reactree_planner.llm.two_models import planner_of
from reactree_planner.resume.logged_ports import logged_hour
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.correcting import Correcting
from reactree_planner.runs.event_writer import EventWriter
from reactree_planner.runs.reasoning import ending_of_goal
from reactree_planner.runs.run_ports import (
    EventSink,
    ModelAccount,
    NoticeSink,
    Ports,
    SkillGate,
    Timing,
)
from reactree_planner.runs.run_prompts import RunPrompts
from reactree_planner.runs.run_world import RunWorld
from reactree_planner.runs.settings import Decides, PlannerSettings
from reactree_planner.runs.standing import NO_WAITS, NothingHappened, Standing, Waits
from reactree_planner.runs.understanding import Understanding


@dataclass
class PlanRun:
    """One task from its first look to its end.

    :param sink: told of every event. :param gate: asked before every skill; without one, a skill
        of which a rule wants a person to decide is not done.
    :param notice: told what went wrong without ending the run.
    :param began: in which world the run begins, and whose prompts it has, as its START records.
    :param permission: what may be done, :param simulated: whether nothing but a world moves,
        :param ledger: what was spent in the last hour, by all runs.
    :param price: of the model; where there is none, that of the permission.
    :param log: where events are written down, and come from while the run is resumed.
    :param waits: how long it may wait for what a task waits for.
    """

    task: str
    ports: Ports
    settings: PlannerSettings
    limits: Limits
    cancel: CancelToken
    sink: EventSink
    gate: SkillGate | None = None
    notice: NoticeSink = lambda text: None
    began: RunSettings = NO_SETTINGS
    tree: AgentTree = field(default_factory=AgentTree)
    timing: Timing = field(default_factory=Timing)
    log: RunLog = field(default_factory=RunLog)
    permission: Rules = field(default_factory=Rules)
    simulated: bool = True
    ledger: Ledger = field(default_factory=Ledger)
    price: Price = FREE_OF_CHARGE
    waits: Waits = NO_WAITS

    def __post_init__(self) -> None:
        #: What every agent saw, thought and did.
        self.trajectories = Trajectories(self.tree)
        self._events = EventWriter(self.tree, self.trajectories, self.limits, self.log, self.sink)
        own = self.permission.limits.price
        price = own if self.price == FREE_OF_CHARGE else self.price
        #: The model, and what it has cost.
        self.model = ModelAccount(
            self.ports.model, self.settings.selection, self.cancel, self.timing, price
        )
        planner = planner_of(self.ports.model)
        #: What writes plans, and what it has cost: the model itself where it is alone.
        self.planning = (
            self.model
            if planner is self.ports.model
            else ModelAccount(planner, self.settings.selection, self.cancel, self.timing, price)
        )
        #: The skill server, and what is known from it.
        self.world = RunWorld(
            self.ports,
            self.cancel,
            self.timing,
            self._events,
            self.notify,
            self.settings.memory_by_closeness,
        )
        #: What the task means, as far as words and people tell.
        self.understanding = Understanding(
            self.ports,
            self.settings.ask,
            self.settings.wrong_at_most,
            self.settings.reading,
            self.world,
            self.model,
            self.cancel,
            self.timing,
            self._events,
        )
        #: What the model is told, in the words of the domain.
        self.prompts = RunPrompts(self.settings, self.notify)
        #: Where the model expects things, asked once: (class, region or '') -> names in order.
        self.expected: dict[tuple[str, str], list[str]] = {}
        #: Examples of each prompt so far, in their order.
        self.examples_shown: list[tuple[Experience, ...]] = []
        #: How many milestones of the task are met once a node is done, for nodes of milestones.
        self.milestones_of: dict[int, int] = {}
        #: Whether the task was read so far that facts may choose skills for it.
        self.is_read = False
        self._notices: list[str] = []
        #: Why a person is to decide on the skill that is at the gate; '' where nobody has to.
        self.asking = ''
        #: Whether that may be answered by MCP.
        self.by_mcp = True
        #: Who approved the skill at the gate, '' for a person without a name; None: nobody did.
        self.approver: str | None = None
        #: Of a task that was a question; '' for others.
        self.answer = ''
        self._charged = NO_USAGE
        self._repairs = 0
        #: Goal conditions met at the end of the best trial, by planners that try several times.
        self.best: Progress | None = None
        #: Set by whatever a run that waits is to look at: a cancel, words, a change in the world.
        self.woken = threading.Event()
        self.cancel.wakes(self.woken)
        self.ports.said.listen(self.woken.set)
        self._correcting = Correcting(self)
        #: What the run waits for; None where it is to begin at once.
        self._standing: Standing | None = None
        #: Skills that were chosen so far, whether they were let through or not.
        self.skills_chosen: list[str] = []
        self._given_limits = self.limits
        self._has_started = False
        self._left_to_model = ''

    @property
    def goal(self) -> str:
        """The task in the world's names, as far as its words were taken for some."""
        return self.tree.goal

    @property
    def belief(self) -> BeliefState:
        """What is known of the world."""
        return self.world.belief

    @property
    def rules(self) -> Permission:
        """What may be done, by file and task; holds for every node, whatever the settings."""
        return self.world.rules

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What the task asks for, as far as its words say it; () where nothing was grounded."""
        goal = self.understanding.goal
        return goal.conditions if goal is not None and goal.acts else ()

    @property
    def ending(self) -> Ending:
        """What is known now of the conditions of the task."""
        if not self.world.has_begun:
            return Ending()
        goal, reasoner = self.understanding.goal, self.world.reasoner
        if self._standing is not None and not self.tree.firings:
            return Ending(verified=(f'not so: {self._standing.trigger.text}',))
        if reasoner is not None and self.is_read:
            ending = ending_of_goal(reasoner, partial(is_sensed, self.belief))
        else:
            ending = ending_of(self.belief, goal.conditions if goal is not None else ())
        missing, unknown = ending.missing, ending.unknown
        if goal is not None and not goal.acts:
            # What was read in part is a hint, and nothing that can be missing.
            missing, unknown = (), (*unknown, *missing)
        return replace(
            ending,
            missing=(*missing, *self.rules.pending()),
            unknown=unknown,
            unread=goal.unread if goal is not None else (),
        )

    def permitted(self, skills: Sequence[str]) -> tuple[str, ...]:
        """Those of some skills that no rule denies now and no person has refused."""
        return tuple(one for one in self.rules.permitted(skills) if one not in self.world.refused)

    @property
    def lack(self) -> str:
        """What keeps the task from being done, as a sentence; '' where nothing is known to.

        A rule that wants something before the end; of a task that facts decide, its conditions.
        """
        missing = self.ending.missing if self.is_read else self.rules.pending()
        return Ending(missing=tuple(missing)).lack

    @property
    def due_later(self) -> tuple[str, ...]:
        """Skills that a rule wants before the end: what takes back something that was done."""
        return self.rules.due([one.inverse for one in self.belief.achieved if one.inverse])

    @property
    def repairs_left(self) -> int:
        """How often nodes of this run may still go on after their subgoals failed."""
        return max(0, self.settings.repairs - self._repairs)

    @property
    def usage(self) -> LlmUsage:
        """What the run has used of the model, as far as it was charged."""
        alone = self.planning is self.model
        return self.model.usage if alone else self.model.usage + self.planning.usage

    @property
    def notices(self) -> tuple[str, ...]:
        """What people should know, in order."""
        return tuple(self._notices)

    def notify(self, text: str) -> None:
        """Let people know of something that does not end the run; the same only once."""
        if text not in self._notices:
            self._notices.append(text)
            self.notice(text)

    def elapsed(self) -> float:
        """Seconds since the START event, in whole nanoseconds; interruptions do not count."""
        return self._events.elapsed()

    def start(self, planner: str, kept: Kept = Kept.NODES, interprets: bool = False) -> None:
        """Emit the START event and ask the skill server for its names.

        :param kept: what the planner's nodes are, and so what is worth keeping of them.
        :param interprets: whether facts may lead it to what the model takes the task for.
        :raises SkillError: no answer in time.
        :raises NotUnderstoodError: the robot may not move for what was read of the task.
        :raises NothingHappened: what the task waits for has not happened while it may wait.
        """
        if self._has_started:
            return  # a planner that begins anew: the task was corrected, or is to be done again
        self._has_started = True
        settings = self.settings
        self._events.start(
            self.task,
            replace(
                self.began,
                planner=planner,
                parallel_policy=settings.parallel_policy,
                kept=kept,
                undo=settings.plans.undo,
                recall=settings.working_memory,
                ask=settings.ask,
                preset=settings.preset,
                free_endings=settings.free_endings,
                limits=self.limits,
            ),
        )
        vocabulary, observation = self.world.list_skills()
        told = read_with_grammar(
            self.task, Names(vocabulary), in_time=settings.guards.rules_in_time
        )
        forbidden = told.permission_rules
        rules = Permission(
            self.permission,
            self.simulated,
            vocabulary.skills,
            forbidden,
            self.ledger,
            other_words=vocabulary.other_words,
        )
        if rules.needs_clock:
            rules.hour = logged_hour(self.ledger, self.log, lambda: self.tree.sequence)
        rules.replaying = lambda: self.log.replaying
        if rules.must_not or told.left_to_model:
            self._left_to_model = '; '.join(told.left_to_model)
            self._events.decide(
                0,
                DecisionKind.FORBID,
                text=self._left_to_model,
                subgoals=rules.must_not,
                stamp=0.0,
            )
        self.prompts.take_domain(vocabulary)
        self.world.begin(vocabulary, observation, rules)
        self.belief.names.orders = self.domain.words.orders
        if settings.guards.ground_words:
            self.understanding.check_request(self.task)
            interprets &= settings.interprets and settings.decides is Decides.FACTS
            goal = self.understanding.read(
                self.task, interprets, self.simulated, self.waits.seconds > 0
            )
            read = goal if settings.guards.rules_in_time else replace(goal, rules=())
            more = tuple(one for one in read.permission_rules if one not in forbidden)
            if more:
                # What a model read, or a person confirmed, is kept like what the grammar read.
                self.forbid(more)
                forbidden = (*forbidden, *more)
            self.is_read = goal.acts and settings.decides is Decides.FACTS
            if settings.decides is Decides.FACTS:
                given = goal.trigger.conditions if goal.trigger and not goal.trigger.waits else ()
                self.world.aim(goal.milestones if goal.acts else (), given if goal.acts else ())
            self._check_understood(bool(forbidden))
            self.understanding.check_consistent()
        if (settings.ask is Ask.ALWAYS or forbidden) and self.is_attended:
            wanted = '; '.join(self.tree.wanted) or self.task
            self.understanding.confirm(wanted, forbidden)
        self.belief.wanted = self.conditions
        if not self._begin_waiting():
            self._note_milestones()

    def _begin_waiting(self) -> bool:
        """Wait for what the task waits for; False where it is to begin at once.

        :raises NothingHappened: it has not happened while the run may wait.
        """
        goal = self.understanding.goal
        if not self.is_read or goal is None or goal.trigger is None or not goal.trigger.waits:
            return False
        self._standing = Standing(self, goal, goal.trigger, self.waits)
        if not self._standing.next():
            raise NothingHappened('What the task waits for has not happened.')
        return True

    def wait_again(self) -> bool:
        """Wait until the task is to be done once more; False where it is not."""
        return self._standing is not None and self._standing.next()

    def goes_on_after(self, error: ReactreeError) -> bool:
        """Whether a task that comes again may, although this time was ended by an error."""
        if self._standing is None or not self._standing.trigger.repeats or self.cancel.canceled:
            return False
        return not (isinstance(error, LimitReached) and error.limit in ('tokens', 'cost'))

    def hear(self, waits: bool = False, at_gate: bool = False) -> None:
        """Take what people have said since. :param waits: whether nothing is planned now.

        :param at_gate: whether a skill is about to be sent.
        :raises Corrected: what was planned is to be planned anew. :raises CanceledError: stopped.
        """
        self._correcting.hear(waits, at_gate)

    def choose_again(self, missing: str) -> None:
        """Have the model choose again, where it chose a thing that was not found.

        :raises Corrected: it did: what was planned is to be planned anew.
        """
        self._correcting.choose_again(missing)

    def note(self, kind: DecisionKind, **content: Any) -> None:
        """Emit something that belongs to no node."""
        self._events.decide(0, kind, **content)

    def note_wait(self, what: str) -> None:
        """Emit that nothing is done until something happens."""
        self.note(DecisionKind.WAIT, text=what)

    def fire(self, why: str, milestones: Milestones) -> None:
        """Begin to do what the task wants now; each time has the limits of a run of its own."""
        goal, tree, given = self.understanding.goal, self.tree, self._given_limits
        assert goal is not None and self.world.reasoner is not None, 'it was read'
        self.understanding.goal = replace(goal, milestones=milestones)
        self.world.reasoner.aim(milestones)
        self.milestones_of.clear()
        self.limits = self._events.limits = replace(
            given,
            decisions=given.decisions and given.decisions + tree.decisions,
            steps=given.steps and given.steps + tree.steps,
            seconds=given.seconds and given.seconds + self.elapsed(),
        )
        if given.seconds and not self.log.replaying:
            self.cancel.deadline = time.monotonic() + given.seconds
        wanted = tuple(one.text for one in self.conditions)
        self.note(DecisionKind.FIRE, text=why, subgoals=wanted)
        self.belief.wanted = self.conditions

    def forbid(self, rules: Sequence[Rule]) -> None:
        """Keep more of what a person forbids, from the next skill on."""
        self.rules.add(rules)
        if self.rules.needs_clock:
            self.rules.hour = logged_hour(self.ledger, self.log, lambda: self.tree.sequence)
        self.note(DecisionKind.FORBID, text=self._left_to_model, subgoals=self.rules.must_not)

    def aim_anew(self, goal: Goal) -> None:
        """Do something else from now on; milestones that were met are not met again."""
        self.understanding.goal = goal
        if self._standing is not None and self.tree.waiting_for:
            self._standing.goal = goal
            return
        if self.world.reasoner is not None:
            self.world.reasoner.aim(goal.milestones, self.tree.milestones_met)
        self.milestones_of.clear()
        self.belief.wanted = self.conditions
        self._note_milestones()

    def _check_understood(self, forbids: bool) -> None:
        """:param forbids: whether the task forbids something that is kept.
        :raises NotUnderstoodError: the robot may not move for what was read of the task.
        """
        warning = self.understanding.check_understood(
            forbids=forbids,
            simulated=self.simulated,
            by_model=self.settings.decides is Decides.MODEL,
        )
        if warning:
            self.notify(warning)

    @property
    def domain(self) -> Domain:
        """Whose prompts, examples and rules are used; the skill server names it."""
        return self.prompts.domain

    def finish(self, status: NodeStatus, reason: str) -> None:
        """Emit the end of the run.

        :param reason: why; '' tells of a success whether it is verified, and why not.
        """
        if status is NodeStatus.SUCCESS and self.world.has_begun:
            reason = reason or self.ending.told
        if self._standing is not None and status is not NodeStatus.CANCELED:
            fired, done = map(_times, self.tree.firings_so_far)
            reason = '; '.join(filter(None, (reason, f'happened {fired}, done {done}')))
        self._events.decide(0, DecisionKind.FINISH, text=reason, status=status)

    def look(self, node_id: int, recalled: str = '', known: str = '') -> Observation:
        """What a node sees first; its node begins with it.

        :param recalled: class of which it is also told where things were seen; '' for none.
        :param known: what it is told of what was done before it; '' for nothing.
        :raises EpisodeOver: it can do nothing any more.
        """
        self.check_episode()
        seen = self.world.look(node_id, recalled, known)
        if self._standing is not None:
            # Nothing may be left to do.
            self._note_milestones()
        return seen

    def reset(self, node_id: int) -> None:
        """Have the world put back to where its task began; what was known of it is forgotten.

        An observation of the node tells of it.

        :raises SkillError: the skill server cannot do that; a robot never can.
        """
        self.world.reset(node_id)

    def picture(self) -> PictureFile | None:
        """The newest picture of the world, for a model that is to see it; None elsewhere.

        :raises ReactreeError: none can be had; says why.
        """
        # What a resumed run was answered was answered to what was seen then.
        return self.world.picture() if self.settings.pictures and not self.log.replaying else None

    def before_decision(self) -> None:
        """Check cancel, episode and limits.

        :raises CanceledError: stopped. :raises EpisodeOver: :raises LimitReached: nothing may be
            decided any more.
        """
        if self.cancel.canceled:
            self.cancel.check()
        self.hear()
        self.check_episode()
        self.before_thought()

    def before_thought(self) -> None:
        """The same before a thought that needs no world: of a trial, once its episode is over.

        :raises CanceledError: stopped. :raises LimitReached: nothing may be decided any more.
        """
        if self.cancel.canceled:
            self.cancel.check()
        self.limits.check_time(self.elapsed())
        self.limits.check_decision(self.tree.decisions)
        if self.settings.fail_at_limits:
            self.limits.check_step(self.tree.steps)
        self.limits.check_tokens(self.usage.evaluated_tokens + self.usage.completion_tokens)
        self.limits.check_cost(self.usage.cost)
        self._check_permission()

    def _check_permission(self) -> None:
        """:raises NotPermittedError: nothing may be done any more."""
        usage, self._charged = self.usage - self._charged, self.usage
        tokens = usage.evaluated_tokens + usage.completion_tokens
        if tokens:
            self.rules.spend(Amounts(tokens=tokens, cost=usage.cost))
        ended = self.rules.ended_by
        if ended:
            raise NotPermittedError(ended)

    def fails_node(self, error: LimitReached | PromptTooLongError) -> bool:
        """Whether only the node that met a limit has failed, and not the run."""
        if not self.settings.fail_at_limits:
            return False
        return isinstance(error, PromptTooLongError) or error.limit in ('decisions', 'steps')

    def check_episode(self) -> None:
        """Ask the world for its verdict if it takes no more skills. :raises EpisodeOver: then."""
        if self.belief.observation.over:
            progress = self.world.progress()
            raise EpisodeOver(progress is not None and progress.success)

    def think(self, node_id: int, text: str, usage: LlmUsage = NO_USAGE) -> None:
        """Emit a thought."""
        self._events.decide(node_id, DecisionKind.THINK, text=text, usage=usage)

    def refuse(self, node_id: int, text: str, usage: LlmUsage = NO_USAGE) -> None:
        """Emit why a written step cannot be done: a failed step that reaches no robot."""
        self._events.decide(
            node_id, DecisionKind.THINK, text=text, status=NodeStatus.FAILURE, usage=usage
        )

    def conclude(
        self, node_id: int, skill: str, usage: LlmUsage = NO_USAGE, reason: str = ''
    ) -> None:
        """Emit `done` or `failure`, which end a node and reach no robot."""
        self._events.decide(node_id, DecisionKind.ACT, skill=skill, text=reason, usage=usage)

    def act(
        self,
        node_id: int,
        skill: str,
        usage: LlmUsage = NO_USAGE,
        reason: str = '',
        recalled_too: str = '',
    ) -> Observation:
        """Run a skill, a recall or a question, and take its observation in.

        :param reason: why it was taken without asking the model; '' when the model chose it.
        :param recalled_too: what stands after the answer of a recall.
        :raises BridgeLostError: the server disappeared. :raises CanceledError: stopped.
        :raises SkillResultError: its result is none; what the world is now was looked at.
        :raises LimitReached: the step or decision limit. :raises NotPermittedError: one of
            permission.
        """
        # As it is sent: rules and people read what the robot will.
        skill = bounded(skill)
        # The last gate: whatever was offered, what a rule denies is not sent.
        ruling = FREE if skill.startswith(RECALL) else self.rules.begin(skill)
        if ruling.ends:
            raise NotPermittedError(ruling.reason)
        refusal = ruling.reason if ruling.verdict is Verdict.DENY else None
        question = None if refusal else self.understanding.question(node_id, skill)
        if question is not None:
            return self.understanding.ask(question, usage, reason)[1]
        self.limits.check_step(self.tree.steps)
        decision = self._events.decision(
            node_id, DecisionKind.ACT, skill=skill, text=reason, usage=usage
        )
        decision, refusal = self._let_through(decision, ruling, refusal)
        observation = self.world.answer(decision, refusal, recalled_too)
        self._note_milestones()
        return observation

    def begin(
        self, who: str, node_id: int, skill: str, reason: str, seen: Observation
    ) -> tuple[Decision, str | None]:
        """Decide on a skill of one robot of a team; it is sent by whoever asks.

        :param seen: what that robot saw last.
        :return: the decision, as it was emitted, and why its skill may not be done; None: it may.
        :raises LimitReached: the step or decision limit. :raises NotPermittedError: one of
            permission.
        """
        skill = bounded(skill)
        ruling = self.rules.begin(skill, seen)
        if ruling.ends:
            raise NotPermittedError(ruling.reason)
        refusal = ruling.reason if ruling.verdict is Verdict.DENY else None
        self.limits.check_step(self.tree.steps)
        decision = self._events.decision(
            node_id, DecisionKind.ACT, skill=skill, text=reason, who=who
        )
        return self._let_through(decision, ruling, refusal)

    def learn(self, observation: Observation, of_all: Observation, began: float = 0.0) -> None:
        """Take in what one robot of a team has answered or seen, and emit it.

        :param of_all: the same as the team sees it, with all that its robots hold.
        :param began: seconds at which its skill was begun.
        """
        self.world.learn(observation, of_all, began)
        self._note_milestones()

    def remark(self, who: str, node_id: int, text: str) -> None:
        """Emit what people should know of a robot of a team: what it takes on, or waits for."""
        self._events.decide(node_id, DecisionKind.THINK, text=text, who=who)

    def next_number(self) -> int:
        """The number of the next event: of what a robot of a team sees without a skill."""
        return self._events.next_number()

    def _let_through(
        self, decision: Decision, ruling: Ruling, refusal: str | None
    ) -> tuple[Decision, str | None]:
        """Ask whoever is to be asked, and emit the decision.

        :return: as it was emitted, and why its skill may not be done; None: it may.
        """
        skill = decision.skill
        self.skills_chosen.append(skill)
        refusal = refusal or self.world.refused.get(skill)
        if not refusal:
            self.asking = ruling.reason if ruling.verdict is Verdict.ASK else ''
            self.by_mcp = ruling.by_mcp
            with self.timing.measure('waiting'):
                refusal = self._pass_gate(decision)
            if refusal:
                self.world.refused[skill] = refusal
            elif not skill.startswith(RECALL):
                decision = self._allowed(decision, ruling)
        with self._events.before(decision):
            # Also what was said while a person was asked, or the run was paused.
            self.hear(at_gate=True)
        self._events.emit(decision)
        if decision.sequence == self.log.in_doubt:
            self.log.refusal_now = partial(self._refusal_now, decision)
        return decision, refusal

    def _allowed(self, decision: Decision, ruling: Ruling) -> Decision:
        """The decision with who let its skill through, and what takes it back."""
        by = f'rule "{ruling.rule}"'
        if ruling.rule in ('', OTHERWISE):
            by = 'default'
        if ruling.verdict is Verdict.ASK:
            by = f'person ({by})'
        elif self.approver is not None:
            by = 'person (require_approval)'
        skill = self.belief.skills.parse(decision.skill)
        return replace(
            decision,
            allowed_by=by,
            approver=self.approver or '',
            undone_by=skill.inverse if skill is not None else '',
        )

    def _note_milestones(self) -> None:
        """Emit the milestones of the task that were met since."""
        reasoner = self.world.reasoner
        if reasoner is None or not self.is_read:
            return
        reasoner.advance()
        for index in range(self.tree.milestones_met, reasoner.met):
            told = tuple(one.text for one in reasoner.milestones[index])
            self._events.decide(0, DecisionKind.MILESTONE, subgoals=told)

    def _refusal_now(self, decision: Decision) -> str | None:
        """Why a skill that was let through before an interruption may not be done now: by the
        clock of now, and asked anew where a person decides.
        """
        ruling = self.rules.ruling(decision.skill)
        if ruling.verdict is Verdict.DENY:
            return ruling.reason
        self.asking = ruling.reason if ruling.verdict is Verdict.ASK else ''
        self.by_mcp = ruling.by_mcp
        with self.timing.measure('waiting'):
            return self._pass_gate(decision)

    def _pass_gate(self, decision: Decision) -> str | None:
        """Why a skill may not be done, by whoever is asked; None when it may."""
        self.approver = None
        if self.gate is not None:
            return self.gate(decision)
        if not self.asking:
            return None
        return f'{self.asking} Nobody is there to ask; "{decision.skill}" was not done.'

    @property
    def is_attended(self) -> bool:
        """Whether people may be asked and somebody is there; when resumed, as it was then."""
        return self.understanding.is_attended

    def ask(self, node_id: int, question: Question) -> str:
        """Ask a person; the answer is an observation. It is no step of the robot.

        :param node_id: agent node that asks; 0 before the root has looked.
        :return: the answer, one of the options where there are any; the default where nobody
            answers.
        :raises CanceledError: stopped. :raises LimitReached: the decision limit.
        """
        return self.understanding.ask(replace(question, node_id=node_id))[0]

    def grow(
        self,
        node_id: int,
        flow: ControlFlow,
        subgoals: Sequence[str],
        usage: LlmUsage = NO_USAGE,
        reason: str = '',
    ) -> tuple[int, ...]:
        """Grow the tree below a node.

        :param subgoals: 1 or more. :param reason: what people may want to know about them.
        :return: the new agent nodes, in order. :raises LimitReached: the depth or decision limit.
        """
        if not self.settings.fail_at_limits:
            self.limits.check_depth(self.tree.node(node_id).depth + 2)
        return self._events.grow(DecisionKind.EXPAND, node_id, flow, subgoals, reason, usage)

    def repair(
        self,
        node_id: int,
        flow: ControlFlow,
        subgoals: Sequence[str],
        reason: str,
        usage: LlmUsage = NO_USAGE,
    ) -> tuple[int, ...]:
        """Go on with a node whose subgoals have failed, or left something out; spends a repair.

        :param subgoals: 1 to 16. :param reason: why, for people.
        :return: the new agent nodes, in order. :raises LimitReached: the decision limit.
        """
        self._repairs += 1
        if self.world.reasoner is not None:
            self.world.reasoner.belief.attempts.hope_again()
        return self._events.grow(DecisionKind.REPAIR, node_id, flow, subgoals, reason, usage)

    def overrule(self, node_id: int, success: bool, reason: str) -> None:
        """End a node otherwise than its subgoals did. :raises LimitReached: the decision limit."""
        status = NodeStatus.SUCCESS if success else NodeStatus.FAILURE
        self._events.decide(node_id, DecisionKind.REPAIR, text=reason, status=status)

    def run_children(
        self, flow: ControlFlow, children: Sequence[int], run_node: Callable[[int], bool]
    ) -> bool:
        """Run what has grown until the flow is decided; True for success.

        :param run_node: runs one agent node to its end.
        """
        return run_children(flow, children, self.settings.parallel_policy, run_node)

    def end_node(self, node_id: int, success: bool, reason: str = '') -> None:
        """Emit the end of an agent node that did not expand."""
        status = NodeStatus.SUCCESS if success else NodeStatus.FAILURE
        self._events.decide(node_id, DecisionKind.FINISH, text=reason, status=status)

    def retrieve(
        self, goal: str, limit: int, observation: str = '', planner: str = ''
    ) -> tuple[Experience, ...]:
        """Experiences near a goal; empty when the memory is gone.

        :param observation: what the node sees first. :param planner: only this planner's; '' for
            all.
        """
        with self.timing.measure('memory'):
            query = ExperienceQuery(
                goal,
                limit,
                seed=self.settings.seed,
                observation=observation,
                planner=planner,
                domain=self.prompts.stored_under,
                unit=self.settings.retrieval_unit.value,
            )
            return self.ports.memory.retrieve(query, self.cancel)

    def experiences(
        self, run_id: str, task_type: str, judged: bool = False
    ) -> tuple[Experience, ...]:
        """What is worth keeping of the run, once its goal was met.

        :param judged: the world itself said so; else only what was verified is confirmed.
        """
        unconfirmed = not (judged or self.ending.is_verified)
        model = self.ports.model
        return tuple(
            replace(
                kept,
                task_type=task_type,
                model=model.name,
                tokens=model.count_tokens(kept.trajectory),
                domain=self.prompts.stored_under,
                unconfirmed=unconfirmed,
            )
            for kept in self.trajectories.experiences(run_id)
        )


def _times(number: int) -> str:
    return f'{number} time{"" if number == 1 else "s"}'
