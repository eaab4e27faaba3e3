"""Tasks that ask for a skill itself, "scan hall": in the tree an action, and no condition."""

from __future__ import annotations

import pytest

from reactree_core.cancellation import CancelToken
from reactree_tools.behavior_trees.proven_tree import behavior_tree
from reactree_tools.behavior_trees.python_writing import python_text
from reactree_tools.behavior_trees.running import run_file, TreeRobot
from reactree_tools.behavior_trees.xml_reading import skills_of
from reactree_tools.behavior_trees.xml_writing import xml_text
from reactree_tools.recording.problems import problem_after
from reactree_tools.robot_check.exports import export_faults
from reactree_tools.robot_check.trials import run_in
from robot_bridge.declared_world import DeclaredWorld
from robot_bridge.loading import load_robot
from sim_bridge.in_process_skill_server import InProcessSkillServer
from support.made_up_interfaces import MadeUpInterfaces

DO = 'do: {service: std_srvs/srv/Trigger, name: /do}'
SPOT = f"""\
robot: spot
places: {{dock 1: {{}}, hall: {{}}}}
things: {{valve 1: {{place: hall}}}}
skills:
  - {{skill: go to <place>, kind: move, {DO}}}
  - {{skill: scan <place>, {DO}}}
  - {{skill: inspect <thing>, kind: look, slots: [thing], {DO}}}
"""


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / 'spot.yaml'
    path.write_text(SPOT)
    return load_robot(path, MadeUpInterfaces())


@pytest.fixture
def scanned(robot):
    """A run that scans the hall."""
    trial = run_in(DeclaredWorld(robot), 'scan hall')
    assert trial.succeeded and trial.done[-1] == 'scan hall'
    return trial


def test_the_tree_does_the_skill_and_asks_for_no_state(robot, scanned):
    tree = behavior_tree(scanned.events, robot.vocabulary(), 'a' * 32)
    assert not tree.goal and not tree.unproven
    text = xml_text(tree)
    assert skills_of(text) == ('scan {thing}',) and 'thing="hall"' in text
    assert 'IsState ' not in text.partition('TreeNodesModel')[0] and 'state=""' not in text
    assert 'Condition(' not in python_text(tree).partition('def do_')[2]


@pytest.mark.parametrize('suffix', ['.xml', '.py'])
def test_the_tree_runs_anew(robot, scanned, tmp_path, suffix):
    tree = behavior_tree(scanned.events, robot.vocabulary(), 'a' * 32)
    path = tmp_path / f'scan{suffix}'
    path.write_text(xml_text(tree) if suffix == '.xml' else python_text(tree))
    world = DeclaredWorld(robot)
    assert run_file(path, TreeRobot(InProcessSkillServer(world), CancelToken()))
    assert world.done[-1] == 'scan hall'


def test_its_problem_counts_how_often_the_skill_was_executed(robot, scanned):
    first = scanned.observations[0].sequence
    files = problem_after(scanned.events, robot.vocabulary(), first)
    assert '(executed scan-hall n1)' in files.domain and '(executed scan-hall n0)' in files.problem
    assert not list(export_faults(scanned, robot.vocabulary(), lambda: DeclaredWorld(robot)))


def test_what_only_shows_something_is_in_the_tree_where_it_was_asked_for(robot):
    trial = run_in(DeclaredWorld(robot), 'inspect valve 1')
    assert trial.done[-1:] == ('inspect valve 1',), trial.reason
    tree = behavior_tree(trial.events, robot.vocabulary(), 'a' * 32)
    assert 'inspect {thing}' in skills_of(xml_text(tree))
