"""`reactree permission audit --live` beside a planner: at once, late, and in its namespace."""

from __future__ import annotations

import threading
import time

import pytest

from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode


@pytest.fixture
def rules(tmp_path):
    """A file of one rule that every run of the stack breaks, and of one that none does."""
    file = tmp_path / 'rules.yaml'
    file.write_text(
        'rules:\n'
        '  - {name: hands off, kinds: take, decide: deny}\n'
        '  - {name: no words, skills: say *, decide: deny}\n'
    )
    return file


def live(stack, *arguments):
    return main(
        [
            *('permission', 'audit', '--live', '--plain', '--timeout', '40'),
            *('--namespace', stack.client.get_namespace(), *arguments),
        ]
    )


def sent_once_heard(stack):
    """A thread that sends a task once somebody more hears the planner."""
    heard = stack.client.count_subscribers('planner/decisions')

    def send():
        poll, deadline = threading.Event(), time.monotonic() + 40.0
        while stack.client.count_subscribers('planner/decisions') <= heard:
            assert time.monotonic() < deadline, 'nobody hears the planner'
            poll.wait(0.05)
        stack.send()

    thread = threading.Thread(target=send)
    thread.start()
    return thread


def test_a_broken_rule_is_told_while_the_run_goes_on(make_stack, rules, capsys):
    stack = make_stack(bridge=(('skill_duration', 0.2),))
    sent = sent_once_heard(stack)
    assert live(stack, '--once', '--permission', str(rules)) == ExitCode.FAILED
    sent.join()
    said = capsys.readouterr().out
    at_once, end = said.split('\nrun ', 1)
    assert at_once.startswith('broken: rule "hands off": ') and '", broke it.' in at_once
    assert '2 rules, 1 held' in end and 'held: rule "no words"' in end


def test_a_run_under_way_is_heard_from_its_beginning_and_one_that_is_over_not(
    make_stack, rules, capsys
):
    # Long enough that the audit finds the planner before the run is over, beside other tests too.
    stack = make_stack(bridge=(('skill_duration', 1.0),))
    stack.plan(max_steps=1)
    over = len(stack.observations)
    stack.send()
    stack.wait(lambda: len(stack.observations) > over + 1)
    rules.write_text('rules:\n  - {name: all is well, skills: say *, decide: deny}\n')
    assert live(stack, '--once', '--permission', str(rules)) == ExitCode.OK
    said = capsys.readouterr().out
    assert said.count('\nrun ') + said.startswith('run ') == 1
    sent = [one for one in stack.observations[over:] if one.skill]
    assert f': {len(sent)} skills, 1 rule, 1 held' in said


def test_nothing_to_audit_is_said_and_no_success(make_stack, rules, capsys):
    stack = make_stack()
    assert live(stack, '--timeout', '1') == ExitCode.UNUSABLE
    assert 'No run was heard of' in capsys.readouterr().err
    assert main(['permission', 'audit', '--plain']) == ExitCode.UNUSABLE
    assert main(['permission', 'audit', 'last', '--live', '--plain']) == ExitCode.UNUSABLE
