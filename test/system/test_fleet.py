"""Two robots with one memory and one viewer, as processes, and their page in a real browser."""

from __future__ import annotations

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
import yaml

from reactree_tools.node_table import fleet_nodes
from reactree_tools.processes.nodes import find_executable
from system.conftest import Program, SCRIPT, wait_until

ROBOTS = ('robot_1', 'robot_2')
PATIENCE = 180.0


def command_of(placed, params: Path) -> list[str]:
    """What a launch file starts."""
    words = [str(find_executable(f'{placed.node.name}_node')), '--ros-args']
    words += ['-r', f'__ns:={placed.namespace}', '--params-file', str(params)]
    for name, value in placed.parameters.items():
        text = yaml.safe_dump(list(value) if isinstance(value, tuple) else value)
        words += ['-p', f'{name}:={text.replace("...", "").strip()}']
    for name, other in placed.remappings:
        words += ['-r', f'{name}:={other}']
    return words


@pytest.fixture
def fleet(tmp_path, environment):
    """The nodes of a fleet, ready; gives their programs by full name."""
    script = tmp_path / 'script.yaml'
    script.write_text(yaml.safe_dump(SCRIPT), encoding='utf-8')
    params = tmp_path / 'params.yaml'
    planner = {
        'preset': 'default,no-guards,repairs=0,expand_tries=1,example_count=1',
        'keep_experiences': False,
    }
    memory = {'encoder': 'hashing'}
    settings = {
        '/**/planner': {'ros__parameters': planner},
        '/**/memory': {'ros__parameters': memory},
    }
    params.write_text(yaml.safe_dump(settings), encoding='utf-8')
    given = {
        'with_bridge': True,
        'memory': True,
        'memory_store': 'none',
        'viewer': True,
        'viewer_port': 0,
        'managed': True,
        'scene': 'generated:3',
        'model': f'scripted:{script}',
    }
    programs = {}
    try:
        for placed in fleet_nodes(ROBOTS, given):
            name = f'{placed.namespace.rstrip("/")}/{placed.node.name}'
            output = tmp_path / f'{name.strip("/").replace("/", ".")}.txt'
            programs[name] = Program(command_of(placed, params), environment, output)
        programs['/manager'].wait_for('all are up', PATIENCE)
        yield programs
    finally:
        for program in programs.values():
            if program.running:
                program.interrupt()
        for program in programs.values():
            program.kill()


def plan(robot: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A task for one robot, by the command that a person types."""
    words = [str(find_executable('reactree')), 'plan', '--plain', '--namespace', robot]
    return subprocess.run(
        [*words, 'open the fridge'],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.timeout(600)
def test_two_robots_run_at_once_share_what_they_see_and_stand_side_by_side(
    fleet, environment, open_page, tmp_path
):
    up = fleet['/manager'].text
    for robot in ROBOTS:
        assert f'/{robot}/planner is activated' in up and f'/{robot}/bridge is activated' in up
    with ThreadPoolExecutor(2) as both:
        answers = list(both.map(lambda robot: plan(robot, environment), ROBOTS))
    for answer in answers:
        assert answer.returncode == 0, answer.stdout + answer.stderr
    url = re.search(r'page at (http://\S+)', fleet['/viewer'].wait_for('page at')).group(1)

    def seen_by():
        told = httpx.get(f'{url}api/fleet', timeout=10.0).json()
        assert told['robots'] == list(ROBOTS)
        return {row['robot'] for row in told['sightings']}

    # Both see the same things in homes that are alike: who was last stands there.
    wait_until(lambda: seen_by() & set(ROBOTS), PATIENCE, 'sightings')
    assert seen_by() <= set(ROBOTS)
    page = open_page(url, width=1500, height=900, wait='iframe')
    for robot in ROBOTS:
        column = page.frame_locator(f'iframe[title="Runs of {robot}"]')
        column.locator('[role=treeitem]').first.wait_for()
        assert 'open the fridge' in column.locator('#task').inner_text()
    table = page.locator('#sightings tbody')
    table.locator('tr').first.wait_for()
    assert any(robot in table.inner_text() for robot in ROBOTS)
    shot = Path(os.environ.get('REACTREE_SCREENSHOTS', tmp_path)) / 'fleet.png'
    page.screenshot(path=shot)
    # What is chosen in one column stays there.
    assert page.locator('iframe').count() == len(ROBOTS)
