"""One run of one task, as every planner sees it: emit events, run skills, keep the limits.

A planner decides; this carries out, writes down and counts. All planners share it, so limits,
cancel, journal, topics and the tree are the same for each.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from datetime import datetime

from reactree_core.cancellation import CancelToken
from reactree_core.chat import PictureFile
from reactree_core.errors import EpisodeOver
from reactree_core.errors import LimitReached
from reactree_core.errors import NotPermittedError
from reactree_core.errors import PromptTooLongError
from reactree_core.experience import Experience
from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.observation import Progress
from reactree_core.permission.permission import FREE
from reactree_core.permission.permission import Hour
from reactree_core.permission.permission import hour_of
from reactree_core.permission.permission import Permission
from reactree_core.permission.permission import read_hour
from reactree_core.permission.permission import told_of
from reactree_core.permission.rules import Rules
from reactree_core.permission.rules import Verdict
from reactree_core.permission.spending import Amounts
from reactree_core.permission.spending import Ledger
from reactree_core.usage import LlmUsage
from reactree_core.usage import NO_USAGE
from reactree_domains.domain import domain_names
from reactree_domains.domain import load_domain
from reactree_domains.domain import NEUTRAL
from reactree_domains.domain import Words
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.endings import ending_of
from reactree_planner.agents.skills import RECALL
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.conditions import conditions_of
from reactree_planner.instructions.prohibitions import rules_of
from reactree_planner.llm.two_models import planner_of
from reactree_planner.prompting.reactree_prompt import example_text
from reactree_planner.prompting.reactree_prompt import frame_words
from reactree_planner.prompting.reactree_prompt import prompt_name
from reactree_planner.prompting.reactree_prompt import with_flows
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.event_writer import EventWriter
from reactree_planner.runs.outcome import Ending
from reactree_planner.runs.questions import Question
from reactree_planner.runs.run_ports import EventSink
from reactree_planner.runs.run_ports import ModelAccount
from reactree_planner.runs.run_ports import NoticeSink
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.run_ports import SkillGate
from reactree_planner.runs.run_ports import Timing
from reactree_planner.runs.run_world import KeptWorld
from reactree_planner.runs.run_world import RunWorld
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.runs.understanding import Understanding
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import NodeKind
from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.run_settings import Ask
from reactree_planner.tree.run_settings import Kept
from reactree_planner.tree.run_settings import Limits
from reactree_planner.tree.run_settings import NO_SETTINGS
from reactree_planner.tree.run_settings import RunSettings
from reactree_planner.tree.snapshot import AgentTree
from reactree_planner.tree.snapshot import ENDED
from reactree_planner.tree.snapshot import run_children
from reactree_planner.tree.trajectory import Trajectories


@dataclass
class PlanRun:
    """One task from its first look to its end.

    :param sink: told of every event. :param gate: asked before every skill; without one, a skill
        of which a rule wants a person to decide is not done.
    :param notice: told what went wrong without ending the run.
    :param began: in which world the run begins, and whose prompts it has, as its START records.
    :param permission: what may be done, :param simulated: whether nothing but a world moves,
        :param ledger: what was spent in the last hour, by all runs.
    :param log: where events are written down, and come from while the run is resumed.
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

    def __post_init__(self) -> None:
        #: What every agent saw, thought and did.
        self.trajectories = Trajectories(self.tree)
        self._kept = Kept.NODES
        self._events = EventWriter(self.tree, self.trajectories, self.limits, self.log, self.sink)
        self.log.on_resumed = self._emit_resumption
        #: The model, and what it has cost.
        self.model = ModelAccount(
            self.ports.model, self.settings.selection, self.cancel, self.timing
        )
        planner = planner_of(self.ports.model)
        #: What writes plans, and what it has cost: the model itself where it is alone.
        self.planning = (
            self.model
            if planner is self.ports.model
            else ModelAccount(planner, self.settings.selection, self.cancel, self.timing)
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
        self._understanding = Understanding(
            self.ports,
            self.settings.ask,
            self.world,
            self.model,
            self.cancel,
            self.timing,
            self._events,
        )
        #: Things that the task names, and no condition of it is about.
        self.left_out: tuple[str, ...] = ()
        self._unknown_words: tuple[str, ...] = ()
        #: Domain whose prompts, examples and rules are used; the skill server names it.
        self.domain = load_domain(NEUTRAL)
        #: Domain under which experiences are stored and examples are retrieved.
        self.domain_name = NEUTRAL
        #: Where the model expects things, asked once: (class, region or '') -> names in order.
        self.expected: dict[tuple[str, str], list[str]] = {}
        self._notices: list[str] = []
        #: Why a person is to decide on the skill that is at the gate; '' where nobody has to.
        self.asking = ''
        self._charged = NO_USAGE
        self._hour = -1, Hour(datetime.min)
        self._repairs = 0
        #: The last skill of each node that failed, with what was said of it.
        self.failed_skills: dict[int, str] = {}
        #: Goal conditions met at the end of the best trial, by planners that try several times.
        self.best: Progress | None = None

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
        return conditions_of(self.tree.wanted)

    @property
    def ending(self) -> Ending:
        """What is known now of the conditions of the task."""
        conditions = self.conditions
        pending = self.rules.pending()
        if not conditions:
            return Ending(missing=pending)
        ending = ending_of(self.belief, conditions)
        ending = replace(ending, missing=(*ending.missing, *pending))
        return replace(ending, unknown=(*ending.unknown, *self.left_out, *self._unknown_words))

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

    def _start_settings(
        self, planner: str, resumed: bool = False, elapsed: float = 0.0
    ) -> RunSettings:
        """Settings recorded in a START event."""
        return replace(
            self.began,
            planner=planner,
            parallel_policy=self.settings.parallel_policy,
            kept=self._kept,
            undo=self.settings.plans.undo,
            recall=self.settings.working_memory,
            ask=self.settings.ask,
            preset=self.settings.preset,
            free_endings=self.settings.free_endings,
            limits=self.limits,
            resumed=resumed,
            elapsed=elapsed,
        )

    def _emit_resumption(self) -> None:
        """A second START, under the number of the last event."""
        if self.tree.sequence:
            stamp = self.elapsed()
            settings = self._start_settings(self.tree.planner, resumed=True, elapsed=stamp)
            last = self.tree.sequence
            start = Decision(
                last, 0, DecisionKind.START, text=self.task, settings=settings, stamp=stamp
            )
            self._events.emit(start)

    def start(self, planner: str, kept: Kept = Kept.NODES) -> None:
        """Emit the START event and ask the skill server for its names.

        :param kept: what the planner's nodes are, and so what is worth keeping of them.
        :raises SkillError: no answer in time.
        """
        self._events.begin()
        self._kept = kept
        settings = self._start_settings(planner)
        self._events.decide(0, DecisionKind.START, text=self.task, settings=settings, stamp=0.0)
        vocabulary, observation = self.world.list_skills()
        told = rules_of(self.task, vocabulary, self.settings.guards.rules_in_time)
        rules = Permission(
            self.permission, self.simulated, vocabulary.skills, told.rules, self.ledger
        )
        if rules.needs_clock:
            rules.hour = self._read_hour
        rules.replaying = lambda: self.log.replaying
        if rules.must_not or told.left_to_model:
            left = '; '.join(told.left_to_model)
            self._events.decide(
                0, DecisionKind.FORBID, text=left, subgoals=rules.must_not, stamp=0.0
            )
        self._take_domain(vocabulary.domain)
        self.world.begin(vocabulary, observation, rules, self.domain)
        if self.settings.guards.ground_words:
            grounding = self._understanding.ground(self.task, self.prompt('ground_words'))
            self.left_out, self._unknown_words = grounding.left_out, grounding.unknown
        if (self.settings.ask is Ask.ALWAYS or told.rules) and self.is_attended:
            wanted = '; '.join(self.tree.wanted) or self.task
            forbidden = '; '.join(rule.wording for rule in told.rules)
            forbidden = f' (must not: {forbidden})' if forbidden else ''
            self._understanding.confirm(f'Is this what you want: {wanted}{forbidden}?')
        self.belief.wanted = self.conditions

    def _read_hour(self) -> Hour:
        """What the clock tells, the same between two events; a resumed run reads it again."""
        if self._hour[0] != self.tree.sequence:
            hour = self.log.answer('clock', lambda: told_of(hour_of(self.ledger)), read_hour)
            self._hour = self.tree.sequence, hour
        return self._hour[1]

    def _take_domain(self, told: str) -> None:
        """Use the domain of the settings, or the one that the skill server names.

        :raises ConfigurationError: that of the settings cannot be loaded.
        """
        wanted = self.settings.domain or told
        self.domain_name = told or NEUTRAL
        if not self.settings.domain and told not in (*domain_names(), ''):
            self.notify(
                f'The skill server names the domain "{told[:80]}", which is not installed: the '
                'neutral prompts are used. Install it, or set the parameter domain.'
            )
            wanted = ''
        self.domain = load_domain(wanted or NEUTRAL)
        if self.settings.domain:
            self.domain_name = self.domain.name

    def prompt(self, name: str) -> str:
        """A prompt of the run's domain, filled with what the skill server tells."""
        recalls = self.settings.working_memory
        framed = prompt_name(name, self.settings.frame)
        text = self.domain.prompt(framed, self.belief.vocabulary, recalls)
        return with_flows(text, self.settings.flows)

    @property
    def words(self) -> Words:
        """Words between the parts of an agent's prompt."""
        return frame_words(self.domain.words, self.settings.frame)

    def example_text(self, example: Experience) -> str:
        """An example as the run's prompts show it."""
        return example_text(example, self.settings.frame)

    def finish(self, status: NodeStatus, reason: str) -> None:
        """Emit the end of the run."""
        self._events.decide(0, DecisionKind.FINISH, text=reason, status=status)

    def look(self, node_id: int, recalled: str = '') -> Observation:
        """What a node sees first; its node begins with it.

        :param recalled: class of which it is also told where things were seen; '' for none.
        :raises EpisodeOver: it can do nothing any more.
        """
        self.check_episode()
        return self.world.look(node_id, recalled)

    def reset(self, node_id: int) -> None:
        """Have the world put back to where its task began; what was known of it is forgotten.

        An observation of the node tells of it.

        :raises SkillError: the skill server cannot do that; a robot never can.
        """
        self.world.reset(node_id)

    def keep_world(self) -> KeptWorld | None:
        """Keep the world and what is known of it; None where only skills can take skills back."""
        return self.world.keep()

    def restore_world(self, node_id: int, kept: KeptWorld) -> bool:
        """Put the world back; an observation of the node tells of it. False where it cannot be."""
        return self.world.restore(node_id, kept)

    def expert_plan(self) -> tuple[str, ...]:
        """Skills with which the world's expert does the task from here.

        :raises SkillError: there is no expert, or it finds no way; a robot has none.
        """
        return self.world.expert_plan()

    def picture(self) -> PictureFile | None:
        """The newest picture of the world, for a model that is to see it; None elsewhere.

        :raises ReactreeError: none can be had; says why.
        """
        # What a resumed run was answered was answered to what was seen then.
        if not self.settings.pictures or self.log.replaying:
            return None
        if self.ports.pictures is None:
            self.notify(
                'There are no pictures of the world, so the model is shown none: take a world '
                'with a camera, and over ROS set camera.period of the bridge.'
            )
            return None
        with self.timing.measure('waiting'):
            return self.ports.pictures.newest(self.cancel)

    def permitted(self, skills: Sequence[str]) -> tuple[str, ...]:
        """Skills that no rule denies where the robot is now."""
        return self.rules.permitted(skills, self.belief.observation)

    def progress(self) -> Progress | None:
        """Goal conditions met now, or None when the bridge cannot judge."""
        return self.world.progress()

    def candidates(self) -> tuple[str, ...]:
        """The wider published set of skills."""
        return self.world.candidates()

    def before_decision(self) -> None:
        """Check cancel, episode and limits.

        :raises CanceledError: stopped. :raises EpisodeOver: :raises LimitReached: nothing may be
            decided any more.
        """
        if self.cancel.canceled:
            self.cancel.check()
        self.check_episode()
        self.limits.check_time(self.elapsed())
        self.limits.check_decision(self.tree.decisions)
        if self.settings.fail_at_limits:
            self.limits.check_step(self.tree.steps)
        self.limits.check_tokens(self.usage.evaluated_tokens + self.usage.completion_tokens)
        self._check_permission()

    def _check_permission(self) -> None:
        """:raises NotPermittedError: nothing may be done any more."""
        usage, self._charged = self.usage - self._charged, self.usage
        tokens = usage.evaluated_tokens + usage.completion_tokens
        if tokens:
            self.rules.spend(Amounts(tokens=tokens, cost=self.permission.limits.price.of(usage)))
        ended = self.rules.ended_by
        if ended:
            raise NotPermittedError(ended)

    def check_kept(self, success: bool) -> None:
        """Whether a run may end here. :raises NotPermittedError: a rule wants something first."""
        pending = self.rules.pending()
        if pending:
            left = f'Rules want this before a run ends, and it was not done: {"; ".join(pending)}.'
            if success:
                raise NotPermittedError(left)
            self.notify(left)

    def fails_node(self, error: LimitReached | PromptTooLongError) -> bool:
        """Whether only the node that met a limit has failed, and not the run."""
        if not self.settings.fail_at_limits:
            return False
        return isinstance(error, PromptTooLongError) or error.limit in ('decisions', 'steps')

    def check_episode(self) -> None:
        """Ask the world for its verdict if it takes no more skills. :raises EpisodeOver: then."""
        if self.belief.observation.over:
            progress = self.progress()
            raise EpisodeOver(progress is not None and progress.success)

    def end_episode(self, end: EpisodeOver) -> None:
        """End every node that has not, as far as that is not decided: the world's verdict."""
        for node in self.tree.snapshot().nodes:
            above = self.tree.node(node.parent_id) if node.parent_id else None
            if node.kind is not NodeKind.AGENT or (above and above.status in ENDED):
                continue
            if self.tree.node(node.node_id).status in (NodeStatus.IDLE, NodeStatus.RUNNING):
                self.end_node(node.node_id, end.success, str(end))

    def think(self, node_id: int, text: str, usage: LlmUsage = NO_USAGE) -> None:
        """Emit a thought."""
        self._events.decide(node_id, DecisionKind.THINK, text=text, usage=usage)

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
        # The last gate: whatever was offered, what a rule denies is not sent.
        ruling = FREE if skill.startswith(RECALL) else self.rules.begin(skill)
        if ruling.ends:
            raise NotPermittedError(ruling.reason)
        refusal = ruling.reason if ruling.verdict is Verdict.DENY else None
        question = None if refusal else self._understanding.question(node_id, skill)
        if question is not None:
            return self._understanding.ask(question, usage, reason)[1]
        self.limits.check_step(self.tree.steps)
        decision = self._events.decision(
            node_id, DecisionKind.ACT, skill=skill, text=reason, usage=usage
        )
        if not refusal:
            self.asking = ruling.reason if ruling.verdict is Verdict.ASK else ''
            with self.timing.measure('waiting'):
                refusal = self._pass_gate(decision)
        self._events.emit(decision)
        if skill.startswith(RECALL):
            text = f'{self.world.recall(skill[len(RECALL) :])} {recalled_too}'.strip()
            observation = self.world.unmoved(decision, text, Outcome.SUCCEEDED)
        elif refusal is not None:
            observation = self.world.unmoved(decision, refusal, Outcome.SAFETY_REJECTED)
        else:
            began = self.elapsed()
            observation = self.world.execute(decision)
            self.rules.record(skill, observation, max(0.0, self.elapsed() - began))
            if not observation.succeeded:
                self.failed_skills[node_id] = f'{skill}: {observation.text}'
            elif self.failed_skills.get(node_id, '').startswith(f'{skill}: '):
                del self.failed_skills[node_id]
        self._events.emit(observation)
        return observation

    def _pass_gate(self, decision: Decision) -> str | None:
        """Why a skill may not be done, by whoever is asked; None when it may."""
        if self.gate is not None:
            return self.gate(decision)
        if not self.asking:
            return None
        return f'{self.asking} Nobody is there to ask; "{decision.skill}" was not done.'

    @property
    def is_attended(self) -> bool:
        """Whether people may be asked and somebody is there; when resumed, as it was then."""
        return self._understanding.is_attended

    def ask(self, node_id: int, question: Question) -> str:
        """Ask a person; the answer is an observation. It is no step of the robot.

        :param node_id: agent node that asks; 0 before the root has looked.
        :return: the answer, one of the options where there are any; the default where nobody
            answers.
        :raises CanceledError: stopped. :raises LimitReached: the decision limit.
        """
        return self._understanding.ask(replace(question, node_id=node_id))[0]

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
        return self._split(DecisionKind.EXPAND, node_id, flow, subgoals, reason, usage)

    def _split(
        self,
        kind: DecisionKind,
        node_id: int,
        flow: ControlFlow,
        subgoals: Sequence[str],
        reason: str,
        usage: LlmUsage,
    ) -> tuple[int, ...]:
        self._events.decide(
            node_id,
            kind,
            text=reason,
            control_flow=flow,
            subgoals=tuple(subgoals),
            usage=usage,
        )
        control = self.tree.children(node_id)[-1]
        return tuple(child.node_id for child in self.tree.children(control.node_id))

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
        for subgoal in subgoals:
            self.belief.retries.hope_again(self.belief.names.find(subgoal))
        return self._split(DecisionKind.REPAIR, node_id, flow, subgoals, reason, usage)

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
        self, goal: str, budget: int, limit: int, observation: str = '', planner: str = ''
    ) -> tuple[Experience, ...]:
        """Experiences near a goal; empty when the memory is gone.

        :param observation: what the node sees first. :param planner: only this planner's; '' for
            all.
        """
        with self.timing.measure('memory'):
            return self.ports.memory.retrieve(
                goal,
                budget,
                limit,
                self.settings.seed,
                self.cancel,
                observation,
                planner,
                self.domain_name,
                self.settings.retrieval_unit.value,
            )

    def experiences(self, run_id: str, task_type: str) -> tuple[Experience, ...]:
        """What is worth keeping of the run, once its goal was met."""
        model = self.ports.model
        return tuple(
            replace(
                kept,
                task_type=task_type,
                model=model.name,
                tokens=model.count_tokens(kept.trajectory),
                domain=self.domain_name,
            )
            for kept in self.trajectories.experiences(run_id)
        )
