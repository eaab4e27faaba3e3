"""The planner's own time per decision, beside model, skills and memory.

Whole household runs under a rule-following model, in one process, with everything a real run
does around a decision: journal, reducer, conversion to messages, publishing them. Time inside the
model, the world and the memory is taken out.

    scripts/with_ros python -m benchmarks.planner_overhead
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import rclpy

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Observation
from reactree_core.ports import Selection, Strategy
from reactree_core.record.events import Event
from reactree_core.record.journal import Journal
from reactree_core.record.run_settings import Limits
from reactree_core.ros import qos
from reactree_core.ros.conversions import observation_to_message
from reactree_core.usage import LlmUsage
from reactree_planner.planners.reactree import ReAcTreePlanner
from reactree_planner.ros.run_messages import decision_to_message, TreeMessages
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_ros.msg import Decision as DecisionMessage
from reactree_ros.msg import Observation as ObservationMessage
from reactree_ros.msg import TreeSnapshot as TreeSnapshotMessage
from reactree_tools.episode import InProcessMemory
from reactree_tools.seed_memory.expert_models import ScriptedExpertModel, TeacherSession
from reactree_tools.seed_memory.writing import FIRST_SEED, root_lesson
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.household.tasks import FAMILIES
from sim_bridge.worlds.registry import make_world


class TimedSession(TeacherSession):
    """Counts the seconds of its own answers as model time."""

    def _timed(self, began: float) -> None:
        spent = time.perf_counter() - began
        self.usage = self.usage + LlmUsage(requests=1, latency=spent)

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """As the teacher."""
        began = time.perf_counter()
        try:
            return super().select(options, strategy)
        finally:
            self._timed(began)

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """As the teacher."""
        began = time.perf_counter()
        try:
            return super().generate(stop, max_tokens, temperature, seed, top_p)
        finally:
            self._timed(began)

    def fork(self) -> TimedSession:
        """A copy."""
        return TimedSession(self._model, self.text)


class TimedTeacher(ScriptedExpertModel):
    """Sessions that count their time."""

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> TimedSession:
        """A session."""
        return TimedSession(self, shared_prefix)


def measure(node: rclpy.node.Node, seed: int, folder: Path) -> tuple[float, int]:
    """Milliseconds of the planner's own per decision in one run, and its decisions."""
    world = make_world('household')
    world.reset(f'generated:{seed}', f'{FAMILIES[seed % 5]}:{seed}', seed)
    task = world.task()
    assert task is not None
    subgoals, plan = root_lesson(task, name_of)
    model = TimedTeacher(world.vocabulary().rooms, subgoals, plan)
    decisions = node.create_publisher(DecisionMessage, 'decisions', qos.events())
    observations = node.create_publisher(ObservationMessage, 'observations', qos.events())
    trees = node.create_publisher(TreeSnapshotMessage, 'tree', qos.latched())
    run_id = f'{seed:032x}'
    journal = Journal(folder, run_id)
    messages = TreeMessages(run_id)

    def sink(event: Event) -> None:
        journal.append(event)
        if isinstance(event, Observation):
            observations.publish(observation_to_message(event, run_id))
        else:
            decisions.publish(decision_to_message(event, run_id, 0.0))
        trees.publish(messages.message(run.tree.snapshot(), 0.0))

    run = PlanRun(
        task.instruction,
        Ports(model, InProcessSkillServer(world), InProcessMemory()),
        PlannerSettings(example_count=0),
        Limits(decisions=600, steps=600),
        CancelToken(),
        sink,
    )
    began = time.perf_counter()
    ReAcTreePlanner().run(run)
    total = time.perf_counter() - began
    journal.close()
    own = total - run.timing.model - run.timing.skills - run.timing.memory - run.timing.waiting
    return own / run.tree.decisions * 1e3, run.tree.decisions


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--runs', type=int, default=10)
    arguments = parser.parse_args()
    rclpy.init()
    node = rclpy.create_node('overhead')
    with tempfile.TemporaryDirectory() as folder:
        figures = [
            measure(node, FIRST_SEED + index, Path(folder)) for index in range(arguments.runs)
        ]
    times = [milliseconds for milliseconds, _ in figures]
    print(f'{arguments.runs} runs, {sum(count for _, count in figures)} decisions')
    print(
        f'own time per decision: median {statistics.median(times):.2f} ms, '
        f'longest run {max(times):.2f} ms (wanted: under 2 ms)'
    )
    node.destroy_node()
    rclpy.shutdown()


if __name__ == '__main__':
    main()
