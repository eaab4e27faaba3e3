"""A person answers in the terminal what a planner waits for: real nodes, a real terminal."""

from __future__ import annotations

import pytest
import yaml

from reactree_tools.processes.nodes import find_executable
from support.terminal import Terminal
from system.conftest import SCRIPT


@pytest.fixture
def asking(start, nodes, tmp_path):
    """A stack in which every skill waits for approval; returns how to run a command in it."""
    params = tmp_path / 'ask.yaml'
    params.write_text(
        yaml.safe_dump({'/**/planner': {'ros__parameters': {'require_approval': True}}})
    )
    # What a person refused is not offered again: the last skill is another one.
    lines = [*SCRIPT[:-3], {'select': 'go to stove 1'}, *SCRIPT[-2:]]
    stack = start('up', *nodes(lines=lines), '--params', str(params))
    stack.wait_for('Ready.')
    return stack


@pytest.mark.timeout(300)
def test_y_lets_a_skill_run_and_n_keeps_it_back_with_a_reason(asking, start, environment):
    reactree = [find_executable('reactree')]
    terminal = Terminal([*reactree, 'plan', 'look into the fridge'], environment)
    try:
        terminal.wait_for('waits for approval: ')
        shown = terminal.wait_for('do it? y or n: ')
        assert 'go to kitchen 1' in shown
        # Why: the last thought of the node, or of the nearest above it.
        assert 'I look into the kitchen first' in shown
        terminal.type('y')
        terminal.wait_for('is approved')
        terminal.wait_for('do it? y or n: ')
        terminal.type('n')
        terminal.wait_for('why not?')
        terminal.type('too hox\x7ft\r')
        terminal.wait_for('is refused')
        terminal.wait_for('was refused: too hot')
        # The next is answered from another terminal.
        terminal.wait_for('do it? y or n: ')
        other = start('approve', '--no', 'not now')
        other.wait_for('is refused')
        terminal.wait_for('was refused: not now')
        # Ctrl-C while it asks: the run is canceled, and the terminal is as it was.
        terminal.wait_for('do it? y or n: ')
        assert terminal.interrupt() == (130, True)
    finally:
        terminal.close()


def test_without_a_terminal_the_command_that_answers_is_named(asking, start):
    plan = start('plan', '--plain', 'look into the fridge')
    plan.wait_for('reactree approve --yes')
    start('watch', '--plain').wait_for('waits for approval: go to kitchen 1')
    approved = start('approve', '--yes')
    approved.wait_for('"go to kitchen 1" is approved.')
    plan.wait_for('You move to the kitchen')


def test_where_nothing_waits_that_is_said(start, nodes):
    stack = start('up', *nodes())
    stack.wait_for('Ready.')
    start('approve').wait_for('No skill waits for approval.')


def test_who_watches_is_told_that_no_planner_answers(start, environment):
    start('watch', '--once').wait_for('No planner answers in namespace /')
    terminal = Terminal([find_executable('reactree'), 'watch'], environment)
    try:
        terminal.wait_for('waiting for a run. No planner answers')
    finally:
        terminal.close()
