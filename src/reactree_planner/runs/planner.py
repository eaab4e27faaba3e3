"""What a planner is, and a run as those see it who decide in one: no more than they use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Progress
from reactree_core.record.events import ControlFlow
from reactree_core.record.run_settings import Kept
from reactree_core.record.snapshot import AgentTree
from reactree_core.record.trajectory import Trajectories
from reactree_planner.runs.acting import Acting
from reactree_planner.runs.aims import Aims
from reactree_planner.runs.budget import Budget
from reactree_planner.runs.correcting import Correcting
from reactree_planner.runs.event_writer import EventWriter
from reactree_planner.runs.run_memory import RunMemory
from reactree_planner.runs.run_ports import ModelAccount, Ports, Timing
from reactree_planner.runs.run_prompts import RunPrompts
from reactree_planner.runs.run_world import RunWorld
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.runs.standing import Waits


class TalkingRun(Protocol):
    """What a talk with the model needs of a run."""

    settings: PlannerSettings
    model: ModelAccount
    world: RunWorld
    trajectories: Trajectories

    def notify(self, text: str) -> None:
        """Let people know of something that does not end the run; the same only once."""


class AgentRun(TalkingRun, Protocol):
    """What agents think, look and act in."""

    tree: AgentTree
    events: EventWriter
    acting: Acting
    aims: Aims
    budget: Budget
    correcting: Correcting
    memory: RunMemory
    prompts: RunPrompts


class PlannedRun(AgentRun, Protocol):
    """What a planner begins, and grows."""

    task: str
    ports: Ports
    planning: ModelAccount
    cancel: CancelToken
    timing: Timing
    waits: Waits
    best: Progress | None

    def start(self, planner: str, kept: Kept = Kept.NODES) -> None:
        """Begin: read the task, and ask the skill server for its names."""

    def run_children(
        self, flow: ControlFlow, children: Sequence[int], run_node: Callable[[int], bool]
    ) -> bool:
        """Run what has grown until the flow is decided; True for success."""


class Planner(Protocol):
    """A way to plan: decides, and leaves the rest to the run."""

    @property
    def name(self) -> str:
        """As in the parameter `planner`."""

    def run(self, run: PlannedRun) -> bool:
        """Plan and act to the end; True for success.

        :raises ReactreeError: whatever ended the run early.
        """
