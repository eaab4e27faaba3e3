"""What a run knew, as a problem of PDDL: exported by the command, solved by another program."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.timeout(180)


def program(module, *words):
    command = [sys.executable, '-m', module, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_what_a_run_knew_is_solved_by_another_planner(tmp_path):
    played = program(
        'reactree_tools', 'bench', 'run', '--tasks', 'household:1@9000', '--model', 'none',
        '--memory', 'none', '--out', tmp_path / 'study',
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    (journal,) = (tmp_path / 'study' / 'runs').glob('*.jsonl')
    problem, domain = tmp_path / 'problem.pddl', tmp_path / 'problem-domain.pddl'

    def export(*options):
        return program('reactree_tools', 'export', journal, problem, '--pddl', *options)

    after = export()
    assert after.returncode == 2 and 'name an earlier record with --at' in after.stderr
    before = export('--at', '3')
    assert before.returncode == 2 and 'had not found' in before.stderr
    assert not problem.exists() and not domain.exists()
    made = export('--at', '8')
    assert made.returncode == 0, made.stderr
    assert '; put down plate' in domain.read_text(encoding='utf-8')
    solved = program('pyperplan', '-s', 'gbf', '-H', 'hff', domain, problem)
    assert solved.returncode == 0, solved.stderr
    plan = (tmp_path / 'problem.pddl.soln').read_text(encoding='utf-8')
    assert plan.count('(put-down-') == 3 and '(end-0)' in plan
