"""Commands that send skills themselves ask a person first, where a robot's rules want one."""

from __future__ import annotations

import sys

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Outcome
from reactree_tools.output import Output
from reactree_tools.ros.bridge_skills import ask_approval, find_skills
from reactree_tools.ros.session import Session


@pytest.mark.parametrize('approved', [False, True])
def test_nothing_is_approved_without_a_word(client, namespace, approved):
    client(permission='ask')
    with Session(f'/{namespace}') as session:
        skills = find_skills(session, CancelToken(), approved)
        answer = skills.execute(1, 1, 'go to dock', CancelToken())
    expected = Outcome.SUCCEEDED if approved else Outcome.SAFETY_REJECTED
    assert answer.outcome is expected
    assert approved or 'Nobody has approved "go to dock"' in answer.text


@pytest.mark.parametrize('said', ['yes', 'no', ''])
def test_a_person_is_asked_once_at_the_terminal(client, namespace, monkeypatch, capsys, said):
    client(permission='ask')
    monkeypatch.setattr(sys.stdin, 'isatty', lambda: True, raising=False)
    monkeypatch.setattr('builtins.input', lambda prompt: said)
    used = ['go to dock', 'take crate 1', 'go to dock', *(f'wait {n} s' for n in range(60))]
    assert ask_approval(f'/{namespace}', used, Output(plain=True)) is (said == 'yes')
    shown = capsys.readouterr().out
    assert shown.count('go to dock\n') == 1 and 'take crate 1\n' in shown
    assert 'and 12 more' in shown and 'Approve all of them' in shown


def test_without_a_terminal_nobody_is_asked(namespace, monkeypatch):
    monkeypatch.setattr(sys.stdin, 'isatty', lambda: False, raising=False)
    assert not ask_approval(f'/{namespace}', ['go to dock'], Output(plain=True))
