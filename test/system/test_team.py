"""Several robots with one task as processes: `reactree up --robots`, and kills of any of them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest
import yaml

from reactree_core.observation import Observation
from reactree_core.record.journal import read_journal
from reactree_tools.processes.nodes import find_executable
from system.conftest import Program, Start, wait_until

PATIENCE = 180.0
ROBOTS = ('robot_1', 'robot_2')
_DONE = re.compile(r'run ([0-9a-f]{32}) number (\d+): (.*) \((\w+)\)$')
_ACT = 1


class Team:
    """Two simulated robots with one planner, started by `reactree up`.

    :param seconds: that a skill takes.
    """

    def __init__(
        self,
        folder: Path,
        start: Start,
        environment: dict[str, str],
        seconds: float,
        respawn: bool = True,
    ):
        self.folder, self.environment, self._start = folder, environment, start
        params = folder / 'params.yaml'
        planner = {'journal_directory': str(folder / 'runs')}
        settings = {
            '/**/planner': {'ros__parameters': planner},
            '/**/bridge': {'ros__parameters': {'skill_duration': seconds}},
        }
        params.write_text(yaml.safe_dump(settings), encoding='utf-8')
        world = ['--scene', 'generated:9', '--task', 'generated:9', '--model', 'none']
        more = ['--resume-within', '300', '--log-level', 'debug', '--no-memory']
        more += ['--respawn'] if respawn else []
        names = ['--robots', ','.join(ROBOTS), '--params', str(params)]
        self.up = start('up', '--plain', *names, *world, *more)
        self.up.wait_for('Ready.', PATIENCE)

    def plan(self) -> Program:
        """Send the task of the world."""
        return self._start('plan', '--plain')

    def pid_of(self, words: str) -> int:
        """The only process of this stack whose command line has these words."""
        folder = Path(f'/proc/{self.up.pid}/task/{self.up.pid}/children')
        found = []
        for child in map(int, folder.read_text().split()):
            told = Path(f'/proc/{child}/cmdline').read_bytes().replace(b'\0', b' ').decode()
            if words in told:
                found.append(child)
        (pid,) = found
        return pid

    def records(self) -> list[dict[str, object]]:
        """Of the only journal, without a last line that a kill has torn."""
        journals = list((self.folder / 'runs').glob('*.jsonl'))
        lines = journals[0].read_text(encoding='utf-8').splitlines() if journals else []
        return [json.loads(line) for line in lines if line.endswith('}')]

    def under_way(self) -> set[str]:
        """Robots whose skills were sent, and not answered."""
        busy: set[str] = set()
        for one in self.records():
            if one.get('event') == 'decision' and one['kind'] == _ACT:
                busy.add(str(one['who']))
            elif one.get('event') == 'observation' and one.get('skill'):
                busy.discard(str(one['who']))
        return busy

    def executed(self) -> list[tuple[str, int, str]]:
        """Robots, numbers and skills, as the bridges wrote them down while they did them."""
        found = []
        for log in sorted(Path(self.environment['ROS_LOG_DIR']).glob('*/robot_*.bridge.log')):
            rows = map(_DONE.search, log.read_text(encoding='utf-8').splitlines())
            found += [(log.name.partition('.')[0], int(r[2]), r[3]) for r in rows if r]
        return found

    def world(self) -> str:
        """How much of the goal holds, by the first robot that is there."""
        words = [str(find_executable('reactree')), 'world', 'state', '--plain']
        for robot in ROBOTS:
            told = subprocess.run(
                [*words, '--namespace', robot],
                env=self.environment,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            if told.returncode == 0:
                return told.stdout
        return ''


@pytest.fixture
def make_team(tmp_path, start, environment):
    return lambda *how, **more: Team(tmp_path, start, environment, *how, **more)


@pytest.mark.timeout(600)
def test_a_planner_killed_with_two_skills_under_way_goes_on_and_repeats_none(make_team):
    team = make_team(1.5)
    team.plan()
    wait_until(lambda: len(team.executed()) >= 4, PATIENCE, 'some skills')
    wait_until(lambda: team.under_way() == set(ROBOTS), PATIENCE, 'two skills under way')
    os.kill(team.pid_of('planner_node'), signal.SIGKILL)
    team.up.wait_for('planner  ready again', PATIENCE)
    wait_until(lambda: '4 of 4' in team.world(), PATIENCE, 'the goal')
    wait_until(lambda: not team.under_way(), PATIENCE, 'the end of the last skills')
    done = team.executed()
    assert max(Counter(number for _, number, _ in done).values()) == 1, done
    assert {who for who, _, _ in done} == set(ROBOTS)
    asked = [r for r in team.records() if r.get('event') == 'decision' and r['kind'] == _ACT]
    # What was decided is what was done, also by those that were under way.
    assert sorted((r['who'], r['sequence'], r['skill']) for r in asked) == sorted(done)


@pytest.mark.timeout(600)
def test_a_robot_that_is_killed_does_not_end_the_others(make_team):
    team = make_team(1.0, respawn=False)
    plan = team.plan()
    wait_until(lambda: len(team.executed()) >= 3, PATIENCE, 'some skills')
    os.kill(team.pid_of('__ns:=/robot_2'), signal.SIGKILL)
    plan.end()
    assert 'robot_2 is lost' in ' '.join(plan.text.split())
    assert 'Planning continues without it.' in team.up.text
    assert team.up.running
    done = team.executed()
    assert max(Counter(number for _, number, _ in done).values()) == 1, done


@pytest.mark.timeout(600)
def test_two_robots_by_one_file_clear_the_shelves_and_never_stand_at_one_place(
    start, tmp_path, environment
):
    folder = Path(__file__).parents[2] / 'examples' / 'mobile_robot'
    hall = start(str(folder), 'porter_1', 'porter_2')
    hall.wait_for('the mobile robot is ready')
    robots = ','.join(f'porter_{number}={folder}/robot.yaml' for number in (1, 2))
    own = ['--remap', '/*:=/{robot}/*', '--permission', 'allow', '--no-memory']
    up = start('up', '--plain', '--robots', robots, *own, '--model', 'none')
    up.wait_for('Ready.')
    plan = start('plan', '--plain', 'put all crates on the packing table')
    assert plan.end() == 0, plan.text
    (journal,) = Path(environment['XDG_STATE_HOME']).rglob('runs/*.jsonl')
    at, to, waits = {}, {}, 0
    moved = set()
    for event in read_journal(journal):
        if not event.who:
            continue
        if isinstance(event, Observation):
            at[event.who] = event.place
            if event.skill:
                to.pop(event.who, None)
        elif event.skill.startswith('go to '):
            to[event.who] = event.skill.removeprefix('go to ')
        elif event.skill.startswith('pick up '):
            moved.add(event.who)
        waits += getattr(event, 'text', '').startswith('waits for')
        taken = [{at[who], to.get(who, '')} - {''} for who in at]
        assert not set.intersection(*taken) or len(taken) < 2, event
    assert moved == {'porter_1', 'porter_2'}
    assert waits
    for program in (hall, up):
        assert 'Traceback' not in program.text
