"""Approvals that may not come by MCP, where the rules say so."""

from __future__ import annotations

import threading

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import BY_MCP
from reactree_core.permission.rules_file import read_rules
from reactree_planner.runs.approval_gate import Gate, SkillRequest

RULES = """\
rules:
  - {name: ways are seen, skills: go to *, decide: ask, by_mcp: false}
  - {name: lifts, skills: lift *, decide: ask}
"""


def read(tmp_path, text=RULES):
    path = tmp_path / 'rules.yaml'
    path.write_text(text)
    return Permission(read_rules(str(path)))


def test_a_rule_says_whether_an_answer_may_come_by_mcp(tmp_path):
    permission = read(tmp_path)
    assert not permission.ruling('go to dock').by_mcp
    assert permission.ruling('lift crate 1').by_mcp
    everywhere = read(tmp_path, 'by_mcp: false\n' + RULES)
    assert not everywhere.ruling('lift crate 1').by_mcp
    # Also of what no rule speaks of.
    assert not everywhere.ruling('push').by_mcp


def test_it_goes_with_rules_that_ask(tmp_path):
    with pytest.raises(ConfigurationError, match='decide: ask'):
        read(tmp_path, RULES.replace('decide: ask, by', 'decide: allow, by'))


def test_the_gate_takes_no_approval_by_mcp_but_a_refusal(tmp_path):
    waits = threading.Event()
    gate = Gate(lambda: True, lambda: 30.0, lambda request, state, seconds: waits.set())
    request = SkillRequest('run', 1, 'go to dock', by_mcp=False)
    answers = []
    thread = threading.Thread(
        target=lambda: answers.append(gate.pass_skill(request, CancelToken()))
    )
    thread.start()
    assert waits.wait(10.0)
    taken, sentence = gate.resolve('run', 1, 'go to dock', True, '', BY_MCP)
    assert not taken and 'a person does' in sentence
    assert gate.resolve('run', 1, 'go to dock', True, '', 'ana')[0]
    thread.join(10.0)
    assert answers == [None] and gate.approver == 'ana'
