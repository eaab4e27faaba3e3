"""Behaviour trees ticked by the libraries they are written for, against a skill server."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ConfigurationError, ReactreeError
from reactree_core.observation import Observation
from reactree_core.ports import SkillServer
from reactree_core.skill_types import SkillType
from reactree_core.written_files import read_text
from reactree_planner.facts.conditions import read_condition
from reactree_planner.facts.reasoner import Reasoner
from reactree_tools.behavior_trees.tree_model import condition_text
from reactree_tools.behavior_trees.xml_reading import (
    LARGEST_FILE,
    LeafType,
    PORT,
    prepared,
    skills_of,
)
from reactree_tools.behavior_trees.xml_writing import TEMPLATE

#: Milliseconds between two ticks of a tree that waits for time to pass; skills end in their tick.
_PERIOD = 10


class TreeRobot:
    """What the leaves of a tree ask of a skill server; one skill at a time, each to its end.

    :param told: called with every skill and what came of it.
    :raises SkillError: no answer. :raises CanceledError: stopped.
    """

    def __init__(
        self,
        skills: SkillServer,
        cancel: CancelToken,
        on_observation: Callable[[Observation], None] = lambda observation: None,
    ) -> None:
        self._skills = skills
        self._cancel = cancel
        self._told = on_observation
        self._done = 0
        self.error: ReactreeError | None = None
        vocabulary, seen = skills.list_skills(cancel)
        self.templates = vocabulary.templates
        self._mind = Reasoner(vocabulary, ())
        self._mind.see(seen)

    def execute(self, skill: str) -> bool:
        """Do a skill to its end; whether it succeeded. After an error nothing is done any more."""
        if self.error is not None:
            return False
        try:
            self._cancel.check()
            self._done += 1
            observation = self._skills.execute(self._done, 1, skill, self._cancel)
        except ReactreeError as error:
            # Not through the library, which would tell it as an error of its own.
            self.error = error
            return False
        observation = replace(observation, skill=skill)
        self._mind.see(observation)
        self._told(observation)
        return observation.succeeded

    def goes_on(self, seconds: float = 0.0) -> bool:
        """Whether nobody has stopped it, after some seconds."""
        if self.error is None and (self._cancel.wait(seconds) or self._cancel.expired):
            self.error = CanceledError('stopped while the tree was waiting')
        return self.error is None

    def holds(self, condition: str) -> bool:
        """Whether a condition is known to hold, by all that was observed so far."""
        read = read_condition(condition)
        return read is not None and self._mind.goal.holds(read) is True


def run_xml(
    text: str,
    robot: TreeRobot,
    groot2_port: int | None = None,
    folder: Path | None = None,
) -> bool:
    """Tick a tree of BehaviorTree.CPP 4 to its end.

    :param groot2_port: where Groot2 can watch it; None for nowhere.
    :param folder: where the files are that it includes; None where it may include none.
    :return: whether it ended with SUCCESS.
    :raises ConfigurationError: `behaviortreepy` is missing, or the file is no such tree.
    :raises ReactreeError: what the skill server said when it could not go on.
    """
    library = _library('behaviortreepy')
    file = prepared(text, folder, robot.templates)
    factory = library.BehaviorTreeFactory()

    def registered(leaf: LeafType) -> Callable[[Any], Any]:
        def tick(node: Any) -> Any:
            done = _done_by(leaf, robot, node.config().blackboard.get_string)
            return library.NodeStatus.SUCCESS if done else library.NodeStatus.FAILURE

        return tick

    for leaf in file.leaves:
        register = (
            factory.register_simple_condition if leaf.asks else factory.register_simple_action
        )
        register(leaf.name, registered(leaf))
    try:
        factory.register_behavior_tree_from_text(file.text)
        tree = factory.create_tree(file.main)
    except RuntimeError as error:
        raise ConfigurationError(
            f'BehaviorTree.CPP 4 cannot tick this tree: {error}. TreeNodesModel must declare the '
            f'ports of every action, and Metadata {TEMPLATE}="..." with its skill template.'
        ) from error
    # It is told everything as long as it lives.
    watched = _watched(library, tree, groot2_port) if groot2_port is not None else None
    # `tick_once` goes on for as long as a loop asks for it: nothing could stop one without end.
    status = tree.tick_exactly_once()
    while status == library.NodeStatus.RUNNING and robot.goes_on():
        # A delay or a loop that somebody has put in.
        tree.sleep(_PERIOD)
        status = tree.tick_exactly_once()
    tree.halt_tree()
    del watched
    if robot.error is not None:
        raise robot.error
    return bool(status == library.NodeStatus.SUCCESS)


def _watched(library: Any, tree: Any, port: int) -> Any:
    """What serves a tree to Groot2, once it answers.

    A publisher that is destroyed before its thread has begun waits for that thread without end.
    """
    zmq = _library('zmq')
    try:
        publisher = library.Groot2Publisher(tree, port)
        with zmq.Context() as context, context.socket(zmq.REQ) as client:
            client.linger = 0
            client.rcvtimeo = _ANSWER_TIME
            client.connect(f'tcp://127.0.0.1:{port}')
            client.send(_STATUS_REQUEST)
            client.recv_multipart()
    except (RuntimeError, zmq.ZMQError) as error:
        raise ConfigurationError(
            f'Groot2 cannot watch at port {port}: {error}. Choose a port that is free, as is the '
            'one after it.'
        ) from error
    return publisher


#: Milliseconds that Groot2's publisher may take until its first answer.
_ANSWER_TIME = 10_000
#: Of Groot2's protocol 2: version, type and number of a request for the state of all nodes.
_STATUS_REQUEST = b'\x02S\0\0\0\0'


def _done_by(leaf: LeafType, robot: TreeRobot, value_of: Callable[[str], str]) -> bool:
    """Do a leaf or ask it. :param value_of: the value of an entry of its blackboard."""
    try:
        values = [value_of(PORT + port) for port in leaf.ports]
        if not all(values):
            raise ValueError('one is empty')
        if leaf.asks:
            return robot.holds(condition_text(leaf.name, values))
    except (RuntimeError, ValueError) as error:
        robot.error = robot.error or ConfigurationError(
            f'{leaf.name} cannot be ticked, as a port has no value that fits: {error}.'
        )
        return False
    return robot.execute(SkillType(leaf.template).filled(values))


def run_module(path: Path, robot: TreeRobot) -> bool:
    """Tick the tree of a module that `reactree export` has written for py_trees to its end.

    :return: whether it ended with SUCCESS.
    :raises ConfigurationError: py_trees is missing, or the module builds no tree.
    :raises ReactreeError: what the skill server said when it could not go on.
    """
    common = _library('py_trees').common
    try:
        root = _module(path).create_tree(robot)
    except Exception as error:  # anybody's code
        raise ConfigurationError(
            f'{path} builds no tree: {type(error).__name__}: {error}.'
        ) from error
    root.tick_once()
    while root.status == common.Status.RUNNING and robot.goes_on(_PERIOD / 1000):
        root.tick_once()
    root.shutdown()
    if robot.error is not None:
        raise robot.error
    return bool(root.status == common.Status.SUCCESS)


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location('exported_tree', path)
    assert spec is not None and spec.loader is not None, 'it ends in .py'
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_file(path: Path, robot: TreeRobot, groot2_port: int | None = None) -> bool:
    """Tick the tree of a file to its end: XML, or a Python module.

    :raises ConfigurationError: see `run_xml` and `run_module`; or it is neither.
    """
    if path.suffix == '.py':
        if groot2_port is not None:
            raise ConfigurationError('Groot2 can only watch XML trees: export the run as XML too.')
        return run_module(path, robot)
    return run_xml(read_text(path, LARGEST_FILE), robot, groot2_port, path.parent)


def skills_of_file(path: Path) -> tuple[str, ...]:
    """The skills that a tree may do, for people; values that the tree sets stay as they stand.

    :raises ConfigurationError: it cannot be read.
    """
    if path.suffix == '.py':
        return (f'whatever the program {path.name} says',)
    return skills_of(read_text(path, LARGEST_FILE), path.parent)


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ConfigurationError(
            f'This needs the package {name}: install it with .venv/bin/pip install -r '
            'requirements/behavior_trees.txt'
        ) from error
