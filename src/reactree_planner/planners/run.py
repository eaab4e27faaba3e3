"""One run of one task, as every planner sees it: emit events, run skills, keep the limits.

A planner decides; this carries out, writes down and counts. All planners share it, so limits,
cancel, journal, topics and the tree are the same for each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.experience import Experience
from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.ports import LanguageModel
from reactree_core.ports import LanguageSession
from reactree_core.ports import Memory
from reactree_core.ports import SkillServer
from reactree_core.usage import LlmUsage
from reactree_core.usage import NO_USAGE
from reactree_planner.planners.knowledge import RunKnowledge
from reactree_planner.planners.settings import PlannerSettings
from reactree_planner.planners.situation import RECALL
from reactree_planner.tree.control_flow import run_children
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import Event
from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.limits import Limits
from reactree_planner.tree.snapshot import AgentTree

#: Called with every event, after it is in the tree: journal, topics, views.
EventSink = Callable[[Event], None]
#: Called before a skill runs; may wait (approval, pause) and may refuse with a reason.
SkillGate = Callable[[Decision], str | None]


@dataclass(frozen=True)
class Ports:
    """What a run works with."""

    model: LanguageModel
    skills: SkillServer
    memory: Memory


@dataclass
class Timing:
    """Where the seconds of a run went."""

    model: float = 0.0
    skills: float = 0.0
    memory: float = 0.0
    waiting: float = 0.0


@dataclass
class PlanRun:
    """One task from its first look to its end.

    :param sink: told of every event. :param gate: asked before every skill.
    """

    task: str
    ports: Ports
    settings: PlannerSettings
    limits: Limits
    cancel: CancelToken
    sink: EventSink
    gate: SkillGate = lambda decision: None
    tree: AgentTree = field(default_factory=AgentTree)
    usage: LlmUsage = NO_USAGE
    timing: Timing = field(default_factory=Timing)

    def __post_init__(self) -> None:
        self._began = time.monotonic()
        self._sequence = 0
        self._charged: dict[int, LlmUsage] = {}

    def elapsed(self) -> float:
        """Seconds since the run's start."""
        return time.monotonic() - self._began

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence

    def _decision(self, node_id: int, kind: DecisionKind, **content: Any) -> Decision:
        """A decision taken now, with the next number."""
        return Decision(self._next(), node_id, kind, stamp=self.elapsed(), **content)

    def _emit(self, event: Event) -> None:
        self.tree.apply(event)
        self.sink(event)

    def start(self, planner: str) -> None:
        """Ask the skill server for its names and emit the START event.

        :raises SkillError: no answer in time.
        """
        began = time.monotonic()
        vocabulary, observation = self.ports.skills.list_skills(self.cancel)
        self.timing.skills += time.monotonic() - began
        self.knowledge = RunKnowledge(vocabulary)
        observation = self.knowledge.with_sightings(observation)
        self.knowledge.take_in(observation)
        self.ports.memory.update_working(observation)
        self._emit(
            self._decision(
                0,
                DecisionKind.START,
                text=self.task,
                subgoals=(
                    f'planner={planner}',
                    f'parallel_policy={self.settings.parallel_policy.value}',
                    *self.limits.settings(),
                ),
            )
        )

    def finish(self, status: NodeStatus, reason: str) -> None:
        """Emit the end of the run."""
        self._emit(
            self._decision(
                0,
                DecisionKind.FINISH,
                text=reason,
                status=status,
            )
        )

    def look(self, node_id: int) -> Observation:
        """What a node sees first; its node begins with it."""
        began = time.monotonic()
        observation = self.ports.skills.look(self.cancel)
        self.timing.skills += time.monotonic() - began
        observation = self.knowledge.with_sightings(
            replace(
                observation, sequence=self._next(), node_id=node_id, stamp=self.elapsed(), skill=''
            )
        )
        self.knowledge.take_in(observation)
        self._emit(observation)
        return observation

    def candidates(self) -> tuple[str, ...]:
        """The wider published set of skills."""
        began = time.monotonic()
        skills = self.ports.skills.candidate_skills(self.cancel)
        self.timing.skills += time.monotonic() - began
        return skills

    def session(self, shared_prefix: str) -> LanguageSession:
        """A model session of this run."""
        session = self.ports.model.session(self.cancel, shared_prefix)
        self._charged[id(session)] = LlmUsage()
        return session

    def choose(self, session: LanguageSession, options: Sequence[str]) -> int:
        """Index of the option that the model chooses; appended to the session."""
        return session.select(options, self.settings.selection).index

    def charge(self, session: LanguageSession) -> LlmUsage:
        """Count what a session used since it was last charged."""
        used = session.usage
        spent = used - self._charged.get(id(session), LlmUsage())
        self._charged[id(session)] = used
        self.usage = self.usage + spent
        self.timing.model += spent.latency
        return spent

    def drop(self, session: LanguageSession) -> LlmUsage:
        """Count what a session used last, and give it back."""
        spent = self.charge(session)
        del self._charged[id(session)]
        session.drop()
        return spent

    def before_decision(self) -> None:
        """Check cancel and the limits. :raises CanceledError: :raises LimitReached:"""
        if self.cancel.canceled:
            self.cancel.check()
        self.limits.check_time(self.elapsed())
        self.limits.check_decision(self.tree.decisions)
        self.limits.check_tokens(self.usage.evaluated_tokens + self.usage.completion_tokens)

    def think(self, node_id: int, text: str, usage: LlmUsage) -> None:
        """Emit a thought."""
        self._emit(self._decision(node_id, DecisionKind.THINK, text=text, usage=usage))

    def conclude(self, node_id: int, skill: str, usage: LlmUsage, reason: str = '') -> None:
        """Emit `done` or `failure`, which end a node and reach no robot."""
        self._emit(
            self._decision(node_id, DecisionKind.ACT, skill=skill, text=reason, usage=usage)
        )

    def act(self, node_id: int, skill: str, usage: LlmUsage, reason: str = '') -> Observation:
        """Run a skill, or a recall, and take its observation in.

        :param reason: why it was taken without asking the model; '' when the model chose it.
        :raises BridgeLostError: the server disappeared. :raises CanceledError: stopped.
        :raises LimitReached: the step limit.
        """
        self.limits.check_step(self.tree.steps)
        decision = self._decision(node_id, DecisionKind.ACT, skill=skill, text=reason, usage=usage)
        began = time.monotonic()
        refusal = self.gate(decision)
        executed = refusal is None and not skill.startswith(RECALL)
        self.timing.waiting += time.monotonic() - began
        self._emit(decision)
        if skill.startswith(RECALL):
            observation = self._unmoved(self._recall(skill[len(RECALL) :]), Outcome.SUCCEEDED)
        elif refusal is not None:
            observation = self._unmoved(refusal, Outcome.SAFETY_REJECTED)
        else:
            began = time.monotonic()
            observation = self.ports.skills.execute(decision.sequence, node_id, skill, self.cancel)
            self.timing.skills += time.monotonic() - began
        observation = replace(
            observation,
            sequence=decision.sequence,
            node_id=node_id,
            skill=skill,
            stamp=self.elapsed(),
        )
        if executed:
            observation = self.knowledge.with_sightings(observation)
            self.knowledge.take_in(observation)
            self.ports.memory.update_working(observation)
        self._emit(observation)
        return observation

    def _unmoved(self, text: str, outcome: Outcome) -> Observation:
        """An answer that did not come from the world: everything is as it was."""
        return replace(
            self.knowledge.observation, text=text, outcome=outcome, facts=(), looked_at=()
        )

    def _recall(self, object_class: str) -> str:
        began = time.monotonic()
        text = self.ports.memory.recall(object_class, self.cancel)
        self.timing.memory += time.monotonic() - began
        return text or self.knowledge.memory.recall(object_class)

    def expand(
        self, node_id: int, flow: ControlFlow, subgoals: tuple[str, ...], usage: LlmUsage
    ) -> bool:
        """Grow the tree below a node and run what grew, with `run_node`; True for success.

        :raises LimitReached: the depth limit.
        """
        self.limits.check_depth(self.tree.node(node_id).depth + 2)
        self._emit(
            self._decision(
                node_id,
                DecisionKind.EXPAND,
                control_flow=flow,
                subgoals=subgoals,
                usage=usage,
            )
        )
        control = self.tree.children(node_id)[-1]
        children = [child.node_id for child in self.tree.children(control.node_id)]
        return run_children(flow, children, self.settings.parallel_policy, self.run_node)

    #: Runs one agent node to its end; set by the planner.
    run_node: Callable[[int], bool] = lambda node_id: False

    def end_node(self, node_id: int, success: bool, reason: str = '') -> None:
        """Emit the end of an agent node that did not expand."""
        status = NodeStatus.SUCCESS if success else NodeStatus.FAILURE
        self._emit(
            self._decision(
                node_id,
                DecisionKind.FINISH,
                text=reason,
                status=status,
            )
        )

    def retrieve(self, goal: str, budget: int, limit: int) -> tuple[Experience, ...]:
        """Experiences near a goal; empty when the memory is gone."""
        began = time.monotonic()
        found = self.ports.memory.retrieve(goal, budget, limit, self.settings.seed, self.cancel)
        self.timing.memory += time.monotonic() - began
        return found
