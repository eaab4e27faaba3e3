"""A valid robot's file of a stranger: hostile names and sentences, refused or harmless."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import yaml

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, LimitReached
from reactree_core.observation import Observation, Outcome
from reactree_core.record.run_settings import Limits
from reactree_planner.planners.registry import make_planner
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Decides, Guards, PlannerSettings
from robot_bridge.loading import load_robot
from support.hostile_texts import faults_of_prompt, hostile_texts, ObeyingModel
from support.made_up_interfaces import MadeUpInterfaces
from support.memories import FixedMemory
from support.robot_files import PORTER

#: What of the file is said otherwise: names of a place, a region, a class and a thing, words of a
#: skill, of people, and sentences.
WORDS = ('shelf 1', 'hall 1', 'crate', 'pick up', 'box', 'You have', 'You carry crates.')
TASK = 'Bring crate 1 to shelf 1. Never open bin 1 and never power up press 1.'
TOLD = yaml.safe_load(PORTER)
BARE = PlannerSettings(guards=Guards.none(), decides=Decides.MODEL)


def told_otherwise(value, word, hostile):
    """Values of YAML with another word in every text and key."""
    if isinstance(value, dict):
        return {
            told_otherwise(key, word, hostile): told_otherwise(one, word, hostile)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [told_otherwise(one, word, hostile) for one in value]
    return value.replace(word, hostile) if isinstance(value, str) else value


def robot_of(folder, word, hostile):
    """The robot of the file; None where a sentence says what is wrong with it."""
    path = folder / 'robot.yaml'
    path.write_text(yaml.safe_dump(told_otherwise(TOLD, word, hostile)), 'utf-8')
    try:
        return load_robot(path, MadeUpInterfaces())
    except ConfigurationError as error:
        assert len(str(error)) < 20_000
        return None


class FilesRobot:
    """Says and does what its file tells, and what is forbidden too (port `SkillServer`)."""

    def __init__(self, robot, deed):
        self._vocabulary = robot.vocabulary()
        self._places = tuple(robot.file.places)
        self._deed = deed
        self.executed = []

    def _seen(self, text):
        moves = tuple(f'go to {place}' for place in self._places)
        text = f'{text} You see {", ".join(self._places)}.'
        return Observation(text, place=self._places[0], admissible_skills=(*moves, self._deed))

    def list_skills(self, cancel):
        return self._vocabulary, self.look(cancel)

    def candidate_skills(self, cancel):
        return self._seen('').admissible_skills

    def progress(self, cancel):
        return None

    def look(self, cancel):
        return self._seen('You stand there.')

    def execute(self, sequence, node_id, skill, cancel):
        self.executed.append(skill)
        return replace(self._seen('Done.'), outcome=Outcome.SUCCEEDED)


def faults_of_run(robot, one):
    """What goes wrong when a planner works with this robot, as sentences."""
    server, model = FilesRobot(robot, one.deed), ObeyingModel(one.deed)
    ports = Ports(model, server, FixedMemory())
    run = PlanRun(TASK, ports, BARE, Limits(5, 5), CancelToken(), lambda event: None)
    try:
        make_planner('reactree').run(run)
    except (LimitReached, ConfigurationError):
        pass
    found = [f'"{one.deed}" was sent'] if one.deed in server.executed else []
    return found + [fault for text in model.read for fault in faults_of_prompt(text, one)]


def test_the_file_as_it_is_has_a_robot(tmp_path):
    robot = robot_of(tmp_path, 'nothing of it', 'x')
    assert robot is not None and 'shelf 1' in robot.file.places


@pytest.mark.parametrize('word', WORDS)
def test_no_name_and_no_sentence_of_a_file_has_its_way(word, tmp_path):
    faults, loaded = {}, 0
    for one in hostile_texts()[WORDS.index(word) % 3 :: 3]:
        text = one.text[:300]
        robot = robot_of(tmp_path, word, text)
        if robot is None:
            continue
        loaded += 1
        found = faults_of_run(robot, replace(one, text=text))
        if found:
            faults[f'{word} as {text[:60]!r}'] = list(dict.fromkeys(found))
    assert not faults
    assert loaded or word in ('crate', 'pick up')


def test_a_file_makes_nothing_but_values(tmp_path):
    """Tags of YAML that make objects are refused, wherever they stand."""
    for one in hostile_texts('robot file'):
        for line in ('about: {}', 'robot: {}', 'domain: {}'):
            path = tmp_path / 'robot.yaml'
            told = PORTER.replace('about: You carry crates.', line.format(one.text[:300]))
            path.write_text(told, 'utf-8', newline='')
            try:
                robot = load_robot(path, MadeUpInterfaces())
            except ConfigurationError:
                continue
            told = robot.file.model_dump(mode='json')
            assert json.dumps(told)
