"""A run as those see it who change it while it goes: people's words, and what it waits for."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Protocol

from reactree_core.cancellation import CancelToken
from reactree_core.permission.rules import Rule
from reactree_core.record.events import DecisionKind
from reactree_core.record.snapshot import AgentTree
from reactree_planner.facts.conditions import Milestones
from reactree_planner.knowledge.belief_state import BeliefState
from reactree_planner.language.goal import Goal
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.run_world import RunWorld
from reactree_planner.runs.understanding import Understanding


class LivingRun(Protocol):
    """What they ask of a run; see `PlanRun`."""

    task: str
    ports: Ports
    cancel: CancelToken
    tree: AgentTree
    log: RunLog
    world: RunWorld
    understanding: Understanding
    woken: threading.Event
    is_read: bool
    simulated: bool
    skills_chosen: list[str]

    @property
    def belief(self) -> BeliefState:
        """What is known of the world."""

    def notify(self, text: str) -> None:
        """Let people know of something."""

    def hear(self, waits: bool = False, at_gate: bool = False) -> None:
        """Take what people have said since."""

    def note(self, kind: DecisionKind, **content: Any) -> None:
        """Emit something that belongs to no node."""

    def note_wait(self, what: str) -> None:
        """Emit that nothing is done until something happens."""

    def fire(self, why: str, milestones: Milestones) -> None:
        """Begin to do what the task wants now."""

    def forbid(self, rules: Sequence[Rule]) -> None:
        """Keep more of what a person forbids."""

    def aim_anew(self, goal: Goal) -> None:
        """Do something else from now on."""
