"""`reactree permission check`: what is said of a file, and of a skill."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode

EXAMPLE = str(Path(__file__).parents[3] / 'config' / 'permission.yaml')


@pytest.fixture
def check(capsys):
    """Run the command; returns exit status and what it said."""

    def run(*arguments):
        status = main(['permission', 'check', *arguments, '--plain'])
        said = capsys.readouterr()
        return status, said.out + said.err

    return run


def test_the_shipped_example_has_no_mistake(check):
    status, said = check(EXAMPLE)
    assert status == ExitCode.OK
    assert '9 rules, no mistake found' in said
    assert 'must not: open fire door *' in said


def test_each_skill_is_told_with_its_rule(check):
    status, said = check(
        EXAMPLE,
        *('--after', 'scan crate 1'),
        *('--skill', 'load crate 2 onto truck 2', '--skill', 'lift bottle 3'),
    )
    assert status == ExitCode.FAILED
    assert 'deny: load crate 2 onto truck 2\n  Rule "scan before loading" forbids it' in said
    assert 'ask: lift bottle 3\n  Rule "glass with a person" wants a person to decide' in said


def test_declared_skills_of_a_world_have_kinds(check, tmp_path):
    file = tmp_path / 'rules.yaml'
    file.write_text('rules:\n  - {name: hands off, kinds: take, decide: deny}\n')
    status, said = check(str(file), '--world', 'household', '--skill', 'pick up apple 1')
    assert status == ExitCode.FAILED and 'Rule "hands off"' in said
    status, said = check(str(file), '--world', 'household', '--skill', 'go to kitchen 1')
    assert status == ExitCode.OK and 'allow: go to kitchen 1' in said


def test_a_mistake_and_an_impossible_past_are_one_sentence(check, tmp_path):
    file = tmp_path / 'rules.yaml'
    file.write_text('rules:\n  - {name: x, skills: lift *, decide: never}\n')
    status, said = check(str(file))
    assert status == ExitCode.UNUSABLE and 'line 2' in said and 'Traceback' not in said
    status, said = check(EXAMPLE, '--after', 'open fire door 1', '--skill', 'lift crate 1')
    assert status == ExitCode.UNUSABLE and 'could not have been done' in said
