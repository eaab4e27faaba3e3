"""The examples do what they say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactree_core.observation import ObjectFact, Observation
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal import Journal
from reactree_core.record.run_settings import RunSettings
from support.needs import needs
from support.waiting import wait_for

pytestmark = pytest.mark.timeout(900.0)

_EXAMPLES = Path(__file__).parents[2] / 'examples'
#: With the guards off, every decision is asked for: its kind, then the skill.
_SKILLS = ('go to table 1', 'pick up cup 1', 'go to shelf 1', 'put down cup 1')
#: The example robot, which clears the screen, renames the window and colours what it says.
_FOUL = """\
import sys
sys.path.insert(0, {folder!r})
from robot_skill_server import skill_server

class Foul(skill_server.SkillServer):
    def look(self, text, outcome=0):
        look = super().look(text + ' \\x1b[2J\\x1b]0;mine\\x07 \\x9b31m', outcome)
        look.room += '\\x1b[31m'
        for fact in look.facts:
            fact.state = '\\x1b[31mred'
        return look

    def world_state(self, request, response):
        response.scene = 'work\\x1b[2Jshop'
        return response

skill_server.SkillServer = Foul
skill_server.main()
"""
_CODES = re.compile('[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]')


def _done_by(start: Callable[..., Any], robot: str, task: str, options: list[str]) -> list[str]:
    """What an example robot does on a task, `done` at the end; it then leaves on Ctrl-C."""
    server = start(str(_EXAMPLES / robot))
    up = start('up', '--no-bridge', *options)
    up.wait_for('Ready.')
    server.wait_for('the robot is ready')
    client = start(str(_EXAMPLES / 'send_task.py'), *task.split(' '))
    assert client.end() == 0, client.text
    server.interrupt()
    assert server.end() == 0, server.text
    assert 'Traceback' not in server.text
    return [line.partition(' does: ')[2] for line in client.text.splitlines() if ' does: ' in line]


def test_a_robot_of_ones_own_brings_a_cup_when_a_client_asks_for_it(
    start: Callable[..., Any], nodes: Callable[..., list[str]], tmp_path: Path
) -> None:
    options = nodes()
    script = [{'select': line} for skill in (*_SKILLS, 'done') for line in ('Act:', f' {skill}\n')]
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(script), encoding='utf-8')
    robot = start(str(_EXAMPLES / 'robot_skill_server'))
    # The scene is the robot's own business.
    up = start('up', '--no-bridge', *options[2:])
    up.wait_for('Ready.')
    robot.wait_for('the robot is ready')

    client = start(str(_EXAMPLES / 'send_task.py'), 'bring', 'the', 'cup', 'to', 'the', 'shelf')
    assert client.end() == 0, client.text
    lines = client.text.splitlines()
    assert [line for line in lines if ' does: ' in line] == [
        f'agent 1 does: {skill}' for skill in (*_SKILLS, 'done')
    ]
    assert lines[-1].startswith('decisions 5, skills 4, ')

    robot.interrupt()
    assert robot.end() == 0, robot.text
    assert 'Traceback' not in robot.text


@pytest.mark.parametrize(
    ('robot', 'task', 'chosen', 'sent'),
    [
        (
            'warehouse_robot',
            'load crate A-7 onto truck 1',
            ('drive to dock 2', 'scan crate A-7', 'load crate A-7 onto truck 1'),
            ('drive to dock 2', 'scan crate A-7', 'load crate A-7 onto truck 1'),
        ),
        (
            'text_robot',
            'wake up, shine on the old clock and tell its age',
            ('wake up', 'shine on old clock', ('say <text>', ' It is 200 years old.')),
            ('wake up', 'shine on old clock', 'say It is 200 years old.'),
        ),
    ],
)
def test_a_robot_that_nobody_has_heard_of_reaches_done(
    start: Callable[..., Any],
    nodes: Callable[..., list[str]],
    tmp_path: Path,
    robot: str,
    task: str,
    chosen: tuple[Any, ...],
    sent: tuple[str, ...],
) -> None:
    options = nodes()
    script = []
    for skill in (*chosen, 'done'):
        skill, *written = (skill,) if isinstance(skill, str) else skill
        script += [{'select': 'Act:'}, {'select': f' {skill}\n'}]
        script += [{'generate': text} for text in written]
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(script), encoding='utf-8')
    assert _done_by(start, robot, task, options[2:]) == [*sent, 'done']


@pytest.mark.parametrize(
    ('robot', 'task', 'chosen', 'sent'),
    [
        (
            'robot_skill_server',
            'bring the cup to the shelf',
            (
                ' go to table 1\n',
                ' pick up cup 1\n',
                ' go to shelf 1\n',
                ' put down cup 1\n',
                ' done\n',
            ),
            # Nothing tells where the cup is: where it shall be is looked at first.
            (
                'go to shelf 1',
                'go to table 1',
                'pick up cup 1',
                'go to shelf 1',
                'put down cup 1',
                'done',
            ),
        ),
        (
            'warehouse_robot',
            'load crate A-7 onto truck 1',
            (' scan crate A-7\n',),
            ('drive to dock 2', 'scan crate A-7', 'load crate A-7 onto truck 1', 'done'),
        ),
        (
            'text_robot',
            'wake up, shine on the old clock and say welcome',
            (' wake up\n', ' shine on old clock\n', ' say <text>\n', ' welcome', ' done\n'),
            ('wake up', 'shine on old clock', 'say welcome', 'done'),
        ),
    ],
)
def test_a_task_of_three_steps_is_done_with_the_guards_of_every_user(
    start: Callable[..., Any],
    nodes: Callable[..., list[str]],
    tmp_path: Path,
    robot: str,
    task: str,
    chosen: tuple[str, ...],
    sent: tuple[str, ...],
) -> None:
    options = nodes()
    script = [{'generate': ' I do what I am told.'}]
    script += [{'generate' if line == ' welcome' else 'select': line} for line in chosen]
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(script), encoding='utf-8')
    parameters = {'planner': 'react', 'preset': 'default'}
    (tmp_path / 'params.yaml').write_text(
        yaml.safe_dump({'/**/planner': {'ros__parameters': parameters}}), encoding='utf-8'
    )
    assert _done_by(start, robot, task, options[2:]) == list(sent)


@needs('default model')
@pytest.mark.parametrize(
    ('robot', 'task', 'model', 'last'),
    [
        (
            'text_robot',
            'wake up and say welcome',
            'qwen2.5-coder-1.5b',
            'say welcome',
        ),
        (
            'robot_skill_server',
            'bring the cup to the shelf',
            'qwen2.5-coder-1.5b',
            'put down cup 1',
        ),
        (
            'warehouse_robot',
            'load crate A-7 onto truck 1',
            'qwen2.5-coder-1.5b',
            'load crate A-7 onto truck 1',
        ),
    ],
)
def test_a_real_model_does_a_task_of_three_steps(
    start: Callable[..., Any], robot: str, task: str, model: str, last: str
) -> None:
    does = _done_by(start, robot, task, ['--model', model, '--memory', 'none'])
    assert last in does and does[-1] == 'done', does


@pytest.mark.parametrize(
    ('robot', 'declares'),
    [
        ('robot_skill_server', '3 templates, 3 with a kind, domain not told'),
        ('warehouse_robot', '4 templates, 3 with a kind, domain warehouse'),
        ('text_robot', '3 templates, 0 with a kind, domain not told; silent on kinds, slot types'),
    ],
)
def test_every_example_keeps_the_robot_contract(
    start: Callable[..., Any], robot: str, declares: str
) -> None:
    server = start(str(_EXAMPLES / robot))
    server.wait_for('the robot is ready')
    check = start('conformance', '--move', '--plain')
    assert check.end() == 0, check.text
    assert '15 clauses kept, 0 broken, 0 not tried' in check.text
    assert declares in check.text
    server.interrupt()
    assert server.end() == 0, server.text


def test_our_own_bridge_keeps_the_robot_contract(
    start: Callable[..., Any], nodes: Callable[..., list[str]]
) -> None:
    up = start('up', *nodes())
    up.wait_for('Ready.')
    check = start('conformance', '--move', '--plain')
    assert check.end() == 0, check.text
    assert '15 clauses kept, 0 broken, 0 not tried' in check.text


def test_what_a_robot_has_done_is_done_again_when_it_was_brought_back_by_hand(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    """A robot refuses a reset, and a run of it may have begun at any time."""
    where = ('go to table 1', 'go to shelf 1'), ('go to shelf 1', 'go to dock 1')
    there = ('pick up cup 1', 'pick up book 1')
    things = tuple(ObjectFact(name, 1, 'workshop 1', 'table 1') for name in ('cup', 'book'))
    begin = 'You are in the workshop, at dock 1. Places are table 1, shelf 1, dock 1.'
    journals = []
    for before in (0, 7):
        journal = Journal(tmp_path, str(before) * 32)
        settings = RunSettings('react', scene='workshop', skills_before=before)
        journal.append(Decision(1, 0, DecisionKind.START, 'look at the table', settings=settings))
        journal.append(
            Observation(
                f'{begin} You see nothing to take.',
                place='dock 1',
                room='workshop 1',
                admissible_skills=where[0],
                sequence=2,
                node_id=1,
            )
        )
        journal.append(
            Observation(
                'Done: go to table 1. You see cup 1, book 1.',
                skill='go to table 1',
                place='table 1',
                room='workshop 1',
                facts=things,
                admissible_skills=where[1] + there,
                sequence=3,
                node_id=1,
            )
        )
        journal.close()
        journals.append(str(journal.path))
    fresh, later = journals
    robot = start(str(_EXAMPLES / 'robot_skill_server'))
    robot.wait_for('the robot is ready')
    for name, words in ((fresh, 'add --no-reset'), (later, 'after 7 other skills')):
        refused = start('rerun', name, '--bridge', '--plain')
        assert refused.end() == 2, refused.text
        assert words in refused.text
    both = start('rerun', fresh, later, '--bridge', '--no-reset', '--plain')
    assert both.end() == 2 and 'only one run' in both.text
    again = start('rerun', later, '--bridge', '--no-reset', '--plain')
    assert again.end() == 0, again.text
    assert '1 step, no difference' in again.text


def test_terminal_codes_of_a_robot_reach_neither_terminal_nor_journal(
    start: Callable[..., Any], nodes: Callable[..., list[str]], tmp_path: Path
) -> None:
    options = nodes()
    script = [{'select': line} for skill in (*_SKILLS, 'done') for line in ('Act:', f' {skill}\n')]
    (tmp_path / 'script.yaml').write_text(yaml.safe_dump(script), encoding='utf-8')
    (tmp_path / 'foul.py').write_text(_FOUL.format(folder=str(_EXAMPLES / 'robot_skill_server')))
    robot = start(str(tmp_path / 'foul.py'))
    up = start('up', '--no-bridge', *options[2:])
    up.wait_for('Ready.')
    robot.wait_for('the robot is ready')

    watch = start('watch')
    plan = start('plan', 'bring the cup to the shelf')
    assert plan.end() == 0, plan.text
    watch.wait_for('go to shelf 1')
    watch.interrupt()
    watch.end()
    (journal,) = (tmp_path / 'state').rglob('*.jsonl')
    tree = start('tree', str(journal))
    assert tree.end() == 0, tree.text
    check = start('conformance', '--plain')
    assert check.end() == 1, check.text
    assert 'BROKEN    names and texts hold no control characters' in check.text
    up.interrupt()
    assert up.end() == 0, up.text
    for program in (plan, watch, tree, check, up):
        assert 'cup' in program.text or program in (check, up)
        assert not _CODES.search(program.text), program.text
    kept = journal.read_text(encoding='utf-8')
    assert 'You see' in kept
    assert not _CODES.search(kept) and '\\u001b' not in kept and '\\u0007' not in kept


@pytest.mark.parametrize(
    ('example', 'words'),
    [
        ('own_world.py', 'ended: success; conditions met: 1 of 1'),
        ('own_domain.py', 'A guest waits. You serve step by step'),
        ('own_planner.py', 'do what there is no choice about: SUCCESS'),
        ('own_model.py', ' clauses kept, 0 broken'),
        ('fleet_memory.py', 'left saw juice 1 near fridge 1'),
    ],
)
def test_an_example_runs_as_it_stands(start: Callable[..., Any], example: str, words: str) -> None:
    program = start(str(_EXAMPLES / example))
    assert program.end() == 0, program.text
    assert words in program.text


def test_a_world_of_ones_own_is_served_by_the_bridge(
    start: Callable[..., Any], nodes: Callable[..., list[str]], environment: dict[str, str]
) -> None:
    environment['PYTHONPATH'] = f'{_EXAMPLES}:{environment.get("PYTHONPATH", "")}'
    options = nodes()
    options[options.index('--scene') : options.index('--scene') + 2] = []
    up = start('up', '--world', 'own_world:TeaKitchen', '--task', 'generated:1', *options)
    up.wait_for('Ready.')
    told = start('conformance', '--move', '--plain')
    assert told.end() == 0, told.text


def test_a_bag_is_read_with_python_alone(
    start: Callable[..., Any], nodes: Callable[..., list[str]], tmp_path: Path
) -> None:
    bags = tmp_path / 'bags'
    up = start('up', '--record', str(bags), *nodes())
    up.wait_for('Ready.')
    start('plan', 'put an apple on the kitchen table', '--plain').end()
    # While it is written, its folder has another name.
    wait_for(lambda: any(bags.glob('*[!g]/metadata.yaml')), 'a bag')
    (bag,) = (path.parent for path in bags.glob('*[!g]/metadata.yaml'))
    reader = start(str(_EXAMPLES / 'read_bag.py'), str(bag))
    assert reader.end() == 0, reader.text
    assert re.search(r'agent \d+ does ', reader.text), reader.text
    assert 'skills: ' in reader.text
