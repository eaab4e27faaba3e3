"""One run of one task, from its first look to its end, put together from its parts.

A planner decides; the parts carry out, write down and count. All planners share them, so limits,
cancel, journal, topics and the tree are the same for each:

    events       all that happens, written down            budget    what it may use
    world        the skill server, and what is known       aims      its goal, and what holds of it
    acting       looks and skills, past rules and people   memory    experiences for prompts
    correcting   what people say meanwhile                 prompts   the words of the domain
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, InitVar, replace

from reactree_core.cancellation import CancelToken
from reactree_core.errors import (
    CanceledError,
    EpisodeOver,
    LimitReached,
    ModelOutputError,
    NotPermittedError,
    QuestionAnswered,
)
from reactree_core.experience import Experience
from reactree_core.observation import Progress, Vocabulary
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rule, Rules
from reactree_core.permission.spending import FREE_OF_CHARGE, Ledger, Price
from reactree_core.record.control_flow import run_children
from reactree_core.record.events import ControlFlow, DecisionKind, NodeKind, NodeStatus
from reactree_core.record.run_settings import Kept, Limits, NO_SETTINGS, RunSettings
from reactree_core.record.snapshot import AgentTree, ENDED
from reactree_core.record.trajectory import Trajectories
from reactree_planner.llm.two_models import planner_of
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from reactree_planner.resume.logged_ports import logged_hour
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.acting import Acting
from reactree_planner.runs.aims import Aims
from reactree_planner.runs.budget import Budget
from reactree_planner.runs.correcting import Corrected, Correcting
from reactree_planner.runs.event_writer import EventSink, EventWriter
from reactree_planner.runs.planner import Planner
from reactree_planner.runs.run_memory import RunMemory
from reactree_planner.runs.run_ports import (
    Basis,
    ModelAccount,
    NoticeSink,
    Ports,
    SkillGate,
    Timing,
)
from reactree_planner.runs.run_prompts import RunPrompts
from reactree_planner.runs.run_world import RunWorld
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.runs.standing import NO_WAITS, NothingHappened, Standing, Waits
from reactree_planner.runs.understanding import Understanding

#: Number of the root of every tree.
_ROOT = 1


@dataclass
class PlanRun:
    """One task from its first look to its end.

    :param limits: that it begins with. :param sink: called with every event.
    :param gate: asked before every skill, see `Acting`.
    :param notice: called with what went wrong without ending the run.
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
    limits: InitVar[Limits]
    cancel: CancelToken
    sink: InitVar[EventSink]
    gate: InitVar[SkillGate | None] = None
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

    def __post_init__(self, limits: Limits, sink: EventSink, gate: SkillGate | None) -> None:
        #: What people should know, in order.
        self.notices: tuple[str, ...] = ()
        ports, settings, cancel, timing = self.ports, self.settings, self.cancel, self.timing
        #: Observations, thoughts and acts of every agent.
        self.trajectories = Trajectories(self.tree)
        self.events = EventWriter(
            self.tree, self.trajectories, limits, self.log, sink, not settings.fail_at_limits
        )
        price = self.permission.limits.price if self.price == FREE_OF_CHARGE else self.price
        #: The model, and what it has cost.
        self.model = ModelAccount(ports.model, settings.selection, cancel, timing, price)
        #: What writes plans, and what it has cost: the model itself where it is alone.
        self.planning = self.model
        planner = planner_of(ports.model)
        if planner is not ports.model:
            self.planning = ModelAccount(planner, settings.selection, cancel, timing, price)
        basis = self._basis = Basis(ports, settings, cancel, timing, self.events, self.notify)
        self.world = RunWorld(basis)
        accounts = tuple(dict.fromkeys((self.model, self.planning)))
        self.budget = Budget(basis, self.world, accounts)
        understanding = Understanding(basis, self.world, self.model)
        self.aims = Aims(self.task, basis, self.world, understanding)
        self.correcting = Correcting(basis, self.aims, self.world)
        self.acting = Acting(basis, self.world, self.aims, self.budget, self.correcting, gate)
        self.prompts = RunPrompts(settings, self.notify)
        self.memory = RunMemory(basis, self.prompts)
        #: Of a task that was a question; '' for others.
        self.answer = ''
        #: Goal conditions met at the end of the best trial, by planners that try several times.
        self.best: Progress | None = None
        self._standing: Standing | None = None
        self._has_started = False

    def notify(self, text: str) -> None:
        """Let people know of something that does not end the run; the same only once."""
        if text not in self.notices:
            self.notices += (text,)
            self.notice(text)

    def start(self, planner: str, kept: Kept = Kept.NODES) -> None:
        """Emit the START event and ask the skill server for its names.

        :param kept: what the planner's nodes are, and so what is worth keeping of them.
        :raises SkillError: no answer in time.
        :raises NotUnderstoodError: the robot may not move for what was read of the task.
        :raises NothingHappened: what the task waits for has not happened while it may wait.
        """
        if self._has_started:
            return  # a planner that begins anew: the task was corrected, or is to be done again
        self._has_started = True
        settings = self.settings
        self.events.start(
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
                limits=self.events.limits,
            ),
        )
        vocabulary, observation = self.world.list_skills()
        # Each of these takes its time where a server declares thousands of skills.
        self.cancel.check()
        reading = read_alone(self.task, Names(vocabulary))
        if not settings.guards.rules_in_time:
            told = reading.form.order + reading.form.sequels if reading.form is not None else ()
            left = (*reading.left_to_model, *(one.words for one in told))
            reading = replace(reading, rules=(), left_to_model=left)
        forbidden = reading.permission_rules
        rules = self._permission(vocabulary, forbidden)
        if rules.must_not or reading.left_to_model:
            self.aims.left_to_model = '; '.join(reading.left_to_model)
            self.events.decide(
                0,
                DecisionKind.FORBID,
                text=self.aims.left_to_model,
                subgoals=rules.must_not,
                stamp=0.0,
            )
        self.prompts.take_domain(vocabulary)
        self.cancel.check()
        self.world.begin(vocabulary, observation, rules)
        self.world.belief.names.orders = self.prompts.domain.words.orders
        self.cancel.check()
        self.aims.read(forbidden, self.simulated, self.waits.seconds > 0)
        trigger = self.aims.trigger
        if trigger is None:
            return
        self._standing = Standing(
            trigger,
            self.waits,
            self._basis,
            self.world,
            self.aims,
            self.budget,
            self.correcting,
        )
        if not self._standing.next():
            raise NothingHappened('What the task waits for has not happened.')

    def _permission(self, vocabulary: Vocabulary, forbidden: Sequence[Rule]) -> Permission:
        """What may be done. :param forbidden: by the task."""
        rules = Permission(
            self.permission,
            self.simulated,
            vocabulary.skills,
            forbidden,
            self.ledger,
            logged_hour(self.ledger, self.log, lambda: self.tree.sequence),
            vocabulary.other_words,
            vocabulary.rooms,
        )
        rules.account.replaying = lambda: self.log.replaying
        return rules

    @contextmanager
    def uncounted(self, what: str) -> Iterator[None]:
        """Let no limit of time run out until the block is left.

        :param what: what is waited for, for the notice that says how long it took.
        """
        began = time.monotonic()
        try:
            with self.cancel.paused(), self.timing.measure('waiting'):
                yield
        finally:
            seconds = time.monotonic() - began
            self.events.extend(seconds)
        self.notify(f'{what} took {seconds:.0f} s, which count for no limit of time.')

    def wait_again(self) -> bool:
        """Wait until the task is to be done once more; False where it is not."""
        return self._standing is not None and self._standing.next()

    def run_children(
        self, flow: ControlFlow, children: Sequence[int], run_node: Callable[[int], bool]
    ) -> bool:
        """Run what has grown until the flow is decided; True for success.

        :param run_node: runs one agent node to its end.
        """
        return run_children(flow, children, self.settings.parallel_policy, run_node)

    def finish(self, status: NodeStatus, reason: str) -> None:
        """Emit the end of the run.

        :param reason: why; '' tells of a success whether it is verified, and why not.
        """
        if status is NodeStatus.SUCCESS and self.world.has_begun:
            reason = reason or self.aims.ending.told
        if self.aims.trigger is not None and status is not NodeStatus.CANCELED:
            fired, done = map(_times, self.tree.firings_so_far)
            reason = '; '.join(filter(None, (reason, f'happened {fired}, done {done}')))
        self.events.decide(0, DecisionKind.FINISH, text=reason, status=status)

    def experiences(
        self, run_id: str, task_type: str, judged: bool = False
    ) -> tuple[Experience, ...]:
        """What is worth keeping of the run, once its goal was met.

        :param judged: the world itself said so; else only what was verified is confirmed.
        """
        unconfirmed = not (judged or self.aims.ending.is_verified)
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


def carry_out(planner: Planner, run: PlanRun) -> bool:
    """Plan and act to the end of the tree or of the world's episode; True for success.

    :raises ReactreeError: whatever ended the run early.
    """
    success = True
    try:
        success = _done_in_limits(planner, run)
        while run.wait_again():
            _done_in_limits(planner, run)
    except NothingHappened as error:
        run.notify(str(error))
    except EpisodeOver as end:
        _end_nodes(run, end.success, str(end))
        return end.success
    except QuestionAnswered as answer:
        run.answer = str(answer)
        run.events.end_node(_ROOT, True, run.answer)
        run.finish(NodeStatus.SUCCESS, run.answer)
        return True
    fired, done = run.tree.firings_so_far
    return done == fired if fired else success


def _done_in_limits(planner: Planner, run: PlanRun) -> bool:
    """Do the task; where it may come again, a limit or a useless answer ends this time alone."""
    try:
        return _done_once(planner, run)
    except (LimitReached, ModelOutputError, CanceledError) as error:
        trigger = run.aims.trigger
        if trigger is None or not trigger.repeats or run.budget.ends_all(error):
            raise
        run.notify(str(error))
        _end_nodes(run, False, str(error))
        return False


def run_corrected(planner: Planner, run: PlanRun) -> bool:
    """Do the task, as it is after all that people have said, and the model has chosen, meanwhile.

    :raises ReactreeError: whatever ended the run early.
    """
    while True:
        try:
            return planner.run(run)
        except Corrected:
            continue


def _done_once(planner: Planner, run: PlanRun) -> bool:
    """Do the task, and nothing that is wanted before the end is left."""
    success = run_corrected(planner, run)
    check_kept(run, success)
    if success and run.settings.guards.true_ends and run.aims.ending.missing:
        # Planners that end with their plan take the task for done.
        run.events.overrule(_ROOT, success=False, reason=run.aims.ending.lack)
        return False
    return success


def check_kept(run: PlanRun, success: bool) -> None:
    """Whether a run may end here. :raises NotPermittedError: a rule wants something first."""
    pending = run.world.rules.pending()
    if pending:
        left = f'Rules want this before a run ends, and it was not done: {"; ".join(pending)}.'
        if success:
            raise NotPermittedError(left)
        run.notify(left)


def _end_nodes(run: PlanRun, success: bool, reason: str) -> None:
    """End every node that has not, as far as that is not decided."""
    for node in run.tree.snapshot().nodes:
        above = run.tree.node(node.parent_id) if node.parent_id else None
        if node.kind is not NodeKind.AGENT or (above and above.status in ENDED):
            continue
        if run.tree.node(node.node_id).status in (NodeStatus.IDLE, NodeStatus.RUNNING):
            run.events.end_node(node.node_id, success, reason)


def _times(number: int) -> str:
    return f'{number} time{"" if number == 1 else "s"}'
