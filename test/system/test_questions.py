"""A person is asked in the terminal what was understood: real nodes, a real terminal."""

from __future__ import annotations

import re

import pytest

from reactree_tools.processes.nodes import find_executable
from support.terminal import Terminal

TASK = 'look into the fridge'
ASKED = f'Is this what you want: {TASK}?'
PROMPT = 'number or words ('


@pytest.fixture
def stack(start, nodes):
    """Bridge, memory and planner."""
    stack = start('up', *nodes())
    stack.wait_for('Ready.')
    return stack


@pytest.fixture
def ask(stack, environment):
    """Plan in a terminal of its own, and be asked."""
    terminals = []

    def ask(*arguments):
        command = [find_executable('reactree'), 'plan', '--ask', 'always', *arguments, TASK]
        terminals.append(Terminal(command, environment))
        terminals[-1].wait_for(ASKED)
        return terminals[-1]

    yield ask
    for terminal in terminals:
        terminal.close()


@pytest.mark.timeout(400)
def test_a_question_is_answered_where_the_task_was_given_or_from_elsewhere(ask, start):
    terminal = ask()
    shown = re.sub(r'\x1b\[\d*m', '', terminal.wait_for(PROMPT))
    assert '1  yes  (taken where nobody answers)' in shown and '2  no' in shown
    assert terminal.wait_for('): ').endswith(', then "yes"')
    # It counts down, and refuses what is no answer.
    terminal.wait_for(PROMPT)
    terminal.type('perhaps\r')
    assert '1 yes, 2 no' in terminal.wait_for('2 no.') + '2 no.'
    terminal.wait_for(PROMPT)
    terminal.type('2x\x7f\r')
    terminal.wait_for('The answer is "no".')
    terminal.wait_for('this is not what was meant')

    terminal = ask('--plain')
    terminal.wait_for(PROMPT)
    start('answer').wait_for('2  no')
    other = start('answer', 'yes')
    other.wait_for('The answer is "yes".')
    terminal.wait_for('answered by terminal of ')
    terminal.interrupt()

    # Ctrl-C while it asks: the run is canceled, and the terminal is as it was.
    terminal = ask()
    terminal.wait_for(PROMPT)
    assert terminal.interrupt() == (130, True)
    start('answer').wait_for('No question is open.')
    assert start('answer', 'yes').end() == 1


def test_without_a_terminal_nobody_is_asked(stack, start):
    plan = start('plan', '--ask', 'always', '--plain', TASK)
    text = plan.wait_for('You move to the kitchen')
    assert ASKED not in text
