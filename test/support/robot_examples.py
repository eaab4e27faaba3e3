"""Examples of robots by their files: one with its bridge, a planner that does as it is told."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, ExitStack
from functools import partial
from pathlib import Path

from rclpy.node import Node
from rclpy.parameter import Parameter

from reactree_core.cancellation import CancelToken
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.planners.registry import make_planner
from reactree_planner.ros.bridge_services import SkillDeadlines
from reactree_planner.ros.skill_client import RosSkillServer
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Guards, PlannerSettings
from reactree_tools.episode import InProcessMemory
from robot_bridge.loading import read_robot_file
from robot_bridge.ros.node import RobotBridgeNode
from support.bridge_client import spinning
from support.waiting import wait_for

_EXAMPLES = Path(__file__).parents[2] / 'examples'


@contextmanager
def running_example(name: str, namespace: str, folder: Path) -> Iterator[Node]:
    """The robot's node, spun, with its bridge beside it.

    :param folder: gets the robot's file with the interfaces in the namespace.
    """
    file = folder / 'robot.yaml'
    written = (_EXAMPLES / name / 'robot.yaml').read_text()
    file.write_text(re.sub('(name|topic|image|info): /', rf'\1: /{namespace}/', written))
    module = importlib.import_module(f'{name}.stack')

    def make_bridge(context):
        return RobotBridgeNode(
            context=context,
            namespace=namespace,
            parameter_overrides=[
                Parameter('robot', value=str(file)),
                Parameter('permission', value='allow'),
            ],
        )

    def make_stack(context):
        return module.Stack(context=context, namespace=namespace)

    with ExitStack() as stack:
        node = stack.enter_context(spinning(make_stack, 4))
        if read_robot_file(file).perception is not None:
            stack.enter_context(spinning(partial(_perception, namespace, file), 4))
        bridge = stack.enter_context(spinning(make_bridge))
        wait_for(lambda: not bridge._calls.absent(), 'discovery')
        wait_for(bridge._skills._sensing._sources.have_all, 'all that is told')
        node.absent = bridge._calls.absent
        yield node


def _perception(namespace, file, context):
    """Of a robot with cameras; OpenCV need not be there for the others."""
    from perception.ros.node import PerceptionNode

    overrides = [Parameter('robot', value=str(file))]
    return PerceptionNode(context=context, namespace=namespace, parameter_overrides=overrides)


def plan(namespace, task, skills):
    """What came of skills that a model chooses one after the other, and whether it ended well."""
    left = list(skills)

    def answer(text, options):
        if options is None:
            return ' I go on.'
        names = [option.strip() for option in options]
        if left[0] in names:
            return names.index(left.pop(0))
        return next(at for at, name in enumerate(names) if name.startswith('Act'))

    return _carried_out(namespace, task, 'react', PolicyModel(answer), Guards.none())


def solve(namespace, task):
    """What came of the skills by which facts alone do a task, and whether it ended well."""
    return _carried_out(namespace, task, 'reactree', load_model('none', ModelOptions()), Guards())


def _carried_out(namespace, task, planner, model, guards):
    seen = []

    def watch(event):
        if getattr(event, 'skill', '') and hasattr(event, 'outcome'):
            seen.append(event)

    def make_planner_node(context):
        return Node('planner', context=context, namespace=namespace)

    with spinning(make_planner_node, 2) as node:
        server = RosSkillServer(node, lambda: SkillDeadlines(find=30.0, service=20.0, skill=60.0))
        server.find(CancelToken())
        server.run_id = '5eed' * 8
        run = PlanRun(
            task,
            Ports(model, server, InProcessMemory()),
            PlannerSettings(guards=guards, repairs=0),
            Limits(30, 20),
            CancelToken(),
            watch,
        )
        ended = carry_out(make_planner(planner), run)
    return ended, seen
