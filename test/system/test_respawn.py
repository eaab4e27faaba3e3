"""Nodes that are killed and started again; a planner goes on with its run by itself."""

from __future__ import annotations

import json
import os
import re
import signal
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from reactree_tools.processes.nodes import find_executable
from system.conftest import Program, SCRIPT, Start, wait_until

PATIENCE = 120.0
#: The model's answers up to its first skill.
_FIRST = 7
_DONE = re.compile(r'run ([0-9a-f]{32}) number (\d+): (.*) \((\w+)\)$')


class Robot:
    """Bridge and planner in a namespace; the planner can be killed and started again."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        self.namespace = f'/s{uuid.uuid4().hex[:8]}'
        self.programs: list[Program] = []
        self.script = folder / 'script.yaml'
        self.script.write_text(yaml.safe_dump(SCRIPT), encoding='utf-8')
        logger = f'{self.namespace[1:]}.bridge:=debug'
        self.bridge = self.start(
            'bridge',
            {'scene': 'generated:3', 'skill_duration': 3.0},
            '--log-level',
            logger,
        )

    def start(self, name: str, parameters: dict[str, object], *more: str) -> Program:
        words = [str(find_executable(f'{name}_node')), '--ros-args', *more]
        words += ['-r', f'__ns:={self.namespace}']
        for key, value in parameters.items():
            words += ['-p', f'{key}:={value}']
        output = self.folder / f'{name}-{len(self.programs)}.txt'
        program = Program(words, self.environment, output)
        self.programs.append(program)
        return program

    def planner(self, **parameters: object) -> Program:
        program = self.start(
            'planner',
            {
                'model': f'scripted:{self.script}',
                'preset': 'default,no-guards,repairs=0,expand_tries=1,example_count=0',
                'memory': 'false',
                'journal_directory': str(self.folder / 'runs'),
                **parameters,
            },
        )
        program.wait_for('planner ready', PATIENCE)
        return program

    def executed(self) -> list[tuple[int, str]]:
        """Numbers and skills, as the bridge wrote them down while it did them."""
        found = map(_DONE.search, self.bridge.text.splitlines())
        return [(int(row[2]), row[3]) for row in found if row]

    def records(self) -> list[dict[str, object]]:
        """Of the only journal, without a last line that a kill has torn."""
        (journal,) = (self.folder / 'runs').glob('*.jsonl')
        lines = journal.read_text(encoding='utf-8').splitlines()
        return [json.loads(line) for line in lines if line.endswith('}')]

    def is_ended(self) -> bool:
        last = [one for one in self.records() if one['event'] == 'decision'][-1]
        return (last['kind'], last['node_id']) == (_FINISH, 0)

    def end(self) -> None:
        for program in self.programs:
            program.kill()


#: DecisionKind.FINISH, as journals have it.
_FINISH = 3


@pytest.fixture
def robot(tmp_path, environment):
    made = Robot(tmp_path, environment)
    yield made
    made.end()


def begin_and_kill(robot: Robot, tmp_path: Path) -> None:
    """Kill a planner while the robot does its first skill."""
    planner = robot.planner()
    words = [str(find_executable('reactree')), 'plan', '--plain', '--namespace']
    asking = Program(
        [*words, robot.namespace, 'open the fridge'], robot.environment, tmp_path / 'plan.txt'
    )
    robot.programs.append(asking)
    # The journal has the decision before the bridge has the goal.
    robot.bridge.wait_for(' begins: go to kitchen 1', PATIENCE)
    assert any(one.get('skill') == 'go to kitchen 1' for one in robot.records())
    os.kill(planner.pid, signal.SIGKILL)
    assert planner.end() == -signal.SIGKILL
    # What the model says next: what it has said already comes from the journal.
    robot.script.write_text(yaml.safe_dump(SCRIPT[_FIRST:]), encoding='utf-8')


@pytest.mark.timeout(400)
def test_a_killed_planner_goes_on_with_its_run_and_repeats_no_skill(robot, tmp_path):
    begin_and_kill(robot, tmp_path)
    again = robot.planner(resume_within=600.0)
    again.wait_for('continues the interrupted run', PATIENCE)
    text = again.wait_for('run ended', PATIENCE)
    assert 'run ended: success' in text, text
    assert robot.is_ended()
    skills = robot.executed()
    assert skills[0][1] == 'go to kitchen 1' and skills[-1][1] == 'open fridge 1'
    assert len({number for number, _ in skills}) == len(skills), skills
    assert [skill for _, skill in skills].count('go to kitchen 1') == 1
    assert not list((tmp_path / 'runs').glob('*.open'))


@pytest.mark.timeout(400)
def test_a_run_is_gone_on_with_only_where_that_is_said_and_soon(robot, tmp_path):
    begin_and_kill(robot, tmp_path)
    wait_until(lambda: robot.executed(), PATIENCE, 'the end of the skill')
    records = robot.records()
    quiet = robot.planner()
    quiet.interrupt()
    quiet.end()
    assert 'goes on' not in quiet.text
    late = robot.planner(resume_within=0.1)
    text = late.wait_for('more than resume_within', PATIENCE)
    assert 'reactree plan --resume' in text
    assert robot.records() == records and len(robot.executed()) == 1


@pytest.mark.timeout(400)
def test_up_starts_a_killed_planner_again_which_goes_on_with_its_run(
    start: Start, nodes: Callable[..., list[str]], tmp_path: Path
) -> None:
    again = ('--respawn', '--resume-within', '600')
    up = start('up', *nodes(skill_seconds=3.0), *again)
    up.wait_for('Ready.')
    before = up.children()
    start('plan', 'open the fridge').wait_for('▸ go to kitchen 1')
    # What the model says next: what it has said already comes from the journal.
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(SCRIPT[_FIRST:]), encoding='utf-8')
    os.kill(before['planner'], signal.SIGKILL)
    up.wait_for('The planner was ended by SIGKILL and is restarted (1 of 3 times in 10 min)')
    assert 'planner  ready again in ' in up.wait_for('ready again')
    after = up.children()
    assert after['planner'] != before['planner'] and after['bridge'] == before['bridge']
    (log,) = (tmp_path / 'log').glob('reactree-*/planner.log')
    wait_until(
        lambda: 'run ended: ' in log.read_text(encoding='utf-8'), PATIENCE, 'the end of the run'
    )
    text = log.read_text(encoding='utf-8')
    assert 'continues the interrupted run' in text and 'run ended: success' in text
    up.interrupt()
    assert up.end() == 0, up.text
    assert not up.alive(after)


@pytest.mark.timeout(400)
def test_up_starts_a_killed_bridge_again_and_the_next_task_is_done(
    start: Start, nodes: Callable[..., list[str]]
) -> None:
    up = start('up', *nodes(), '--respawn')
    up.wait_for('Ready.')
    before = up.children()
    os.kill(before['bridge'], signal.SIGKILL)
    up.wait_for('The bridge was ended by SIGKILL and is restarted (1 of 3 times in 10 min)')
    assert 'bridge   ready again in ' in up.wait_for('ready again')
    plan = start('plan', 'open the fridge')
    assert plan.end() == 0, plan.text
    up.interrupt()
    assert up.end() == 0, up.text
