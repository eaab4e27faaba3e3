"""A run exported in every form, and read back from each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, ReactreeError
from reactree_core.observation import Vocabulary
from reactree_planner.facts.pddl import PddlFiles
from reactree_planner.facts.pddl_reading import read_pddl
from reactree_tools.behavior_trees.proven_tree import behavior_tree
from reactree_tools.behavior_trees.python_writing import python_text
from reactree_tools.behavior_trees.running import run_file, TreeRobot
from reactree_tools.behavior_trees.tree_model import BehaviorTree
from reactree_tools.behavior_trees.xml_reading import prepared, skills_of
from reactree_tools.behavior_trees.xml_writing import xml_text
from reactree_tools.recording.problems import problem_after
from reactree_tools.robot_check.trials import Trial
from robot_bridge.declared_world import DeclaredWorld
from sim_bridge.in_process_skill_server import InProcessSkillServer

_RUN = 'f' * 32
#: Answers what is wrong with a problem; '' for nothing.
PddlReader = Callable[[PddlFiles], str]


def export_faults(
    trial: Trial,
    vocabulary: Vocabulary,
    world: Callable[[], DeclaredWorld],
    readers: Sequence[PddlReader] = (),
) -> Iterator[str]:
    """What goes wrong as a run is exported and read back, a sentence a form.

    :param trial: that succeeded. :param world: makes the world as it was before the run.
    :param readers: of PDDL, beside our own.
    """
    try:
        tree = behavior_tree(trial.events, vocabulary, _RUN)
    except ReactreeError as error:
        yield f'behaviour tree: {error}'
    else:
        yield from _tree_faults(tree, trial, world)
    fault = _problem_fault(trial, vocabulary, readers)
    if fault:
        yield f'PDDL: {fault}'


def _tree_faults(
    tree: BehaviorTree, trial: Trial, world: Callable[[], DeclaredWorld]
) -> Iterator[str]:
    for suffix, write, library in (
        ('.xml', xml_text, 'behaviortreepy'),
        ('.py', python_text, 'py_trees'),
    ):
        try:
            text = write(tree)
            if suffix == '.xml':
                prepared(text)
                strange = set(skills_of(text)) - set(_executed(trial))
                if strange and not tree.subtrees:
                    yield f'{suffix}: the tree has "{min(strange)}", which was not executed'
            else:
                compile(text, 'plan.py', 'exec')
            if find_spec(library) is not None:
                fault = _ticked(text, suffix, trial, world())
                if fault:
                    yield f'{suffix}: {fault}'
        except (ReactreeError, SyntaxError, ValueError) as error:
            yield f'{suffix}: {error}'


def _executed(trial: Trial) -> list[str]:
    return [one.skill for one in trial.observations if one.skill]


def _ticked(text: str, suffix: str, trial: Trial, world: DeclaredWorld) -> str:
    """What is wrong with a tree that is ticked where the run began; '' for nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f'plan{suffix}'
        path.write_text(text, encoding='utf-8')
        robot = TreeRobot(InProcessSkillServer(world), CancelToken())
        succeeded = run_file(path, robot)
    last = trial.done[-1] if trial.done else ''
    if not succeeded:
        return f'ticked anew it fails after {", ".join(world.done) or "nothing"}'
    if last not in world.done:
        return f'ticked anew it does not do "{last}"'
    return ''


def _problem_fault(trial: Trial, vocabulary: Vocabulary, readers: Sequence[PddlReader]) -> str:
    """What is wrong with the problem at the first moment from which a way was known."""
    objection = 'no problem was written at any moment of the run'
    for observation in trial.observations:
        try:
            files = problem_after(trial.events, vocabulary, observation.sequence)
        except ConfigurationError as error:
            objection = str(error)
            continue
        left = [
            one.skill
            for one in trial.observations
            if one.skill and one.succeeded and one.sequence > observation.sequence
        ]
        try:
            if read_pddl(files).is_reached_by(left):
                return next(filter(None, (reader(files) for reader in readers)), '')
        except ValueError as error:
            return str(error)
        objection = f'{", ".join(left)} is no plan of the problem'
    return objection
