"""`reactree permission check`: what is said of a file, and of a skill."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from reactree_core.observation import Observation, Vocabulary
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.record.journal_lines import Answer, encode_event, encode_record
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


def test_declared_skills_of_a_robots_file_and_facts_that_are_told(check, tmp_path):
    rules = tmp_path / 'rules.yaml'
    rules.write_text(
        'rules:\n'
        '  - {name: low, kinds: move, while: battery < 20 %, decide: deny}\n'
        '  - {name: driving, kinds: move, decide: allow}\n'
    )
    rover = str(Path(EXAMPLE).parents[1] / 'examples' / 'rover' / 'robot.yaml')
    skill = ('--robot', rover, '--skill', 'go to shed')
    status, said = check(str(rules), *skill, '--fact', 'battery: 15 %')
    assert status == ExitCode.FAILED and 'while battery < 20 %' in said
    assert check(str(rules), *skill, '--fact', 'battery: 50 %')[0] == ExitCode.OK
    # A number that nobody tells permits nothing.
    assert check(str(rules), *skill)[0] == ExitCode.FAILED
    status, said = check(str(rules), *skill, '--fact', 'battery')
    assert status == ExitCode.UNUSABLE and 'write --fact "battery: 15 %"' in said


def test_a_mistake_and_an_impossible_past_are_one_sentence(check, tmp_path):
    file = tmp_path / 'rules.yaml'
    file.write_text('rules:\n  - {name: x, skills: lift *, decide: never}\n')
    status, said = check(str(file))
    assert status == ExitCode.UNUSABLE and 'line 2' in said and 'Traceback' not in said
    status, said = check(EXAMPLE, '--after', 'open fire door 1', '--skill', 'lift crate 1')
    assert status == ExitCode.UNUSABLE and 'could not have been done' in said


def test_hazards_are_checked_where_they_are_named(check):
    skill = ('--world', 'household', '--skill', 'put fork 1 in microwave 1')
    status, said = check(EXAMPLE, *skill)
    assert status == ExitCode.OK and 'Hazard' not in said
    status, said = check(EXAMPLE, '--hazards', 'on', *skill)
    assert 'ask: put fork' in said and 'Hazard "metal in the microwave"' in said


@pytest.fixture
def journal(tmp_path):
    """A run's journal: the crates that were scanned, then those that were loaded."""
    run_id = '3508702a7f2841989421a744d6f34daf'

    def write(scanned, loaded, ended=True, must_not=()):
        vocabulary = Vocabulary(('scan <crate>', 'load <crate>'), ('crate',))
        seen = encode_event(Observation('You look.'))
        told = {'vocabulary': asdict(vocabulary), 'observation': seen}
        records = [
            Decision(1, 0, DecisionKind.START, text='load the crates'),
            Answer('list_skills', told),
            Decision(2, 0, DecisionKind.FORBID, subgoals=must_not),
        ]
        for number, skill in enumerate((*scanned, *loaded), start=3):
            records.append(Decision(number, 1, DecisionKind.ACT, skill=skill))
            records.append(Observation('Done.', skill=skill, sequence=number, node_id=1))
        if ended:
            end = Decision(99, 0, DecisionKind.FINISH, status=NodeStatus.SUCCESS)
            records.append(end)
        lines = [encode_record(record) for record in records]
        (tmp_path / f'{run_id}.jsonl').write_text('\n'.join(lines) + '\n')
        return 'last', '--journals', str(tmp_path)

    return write


@pytest.fixture
def audit(capsys, tmp_path):
    """Run the command; returns exit status and what it said."""
    rules = tmp_path / 'rules.yaml'
    rules.write_text(
        "rules:\n  - {name: scan first, skills: 'load <crate>', only_after: 'scan <crate>'}\n"
    )

    def run(*arguments, file=True):
        named = ('--permission', str(rules)) if file else ()
        status = main(['permission', 'audit', *arguments, *named, '--plain'])
        said = capsys.readouterr()
        return status, said.out + said.err

    return run


def test_an_audit_says_of_every_rule_whether_it_held(audit, journal):
    status, said = audit(*journal(['scan crate 1'], ['load crate 1']))
    assert status == ExitCode.OK
    assert 'run 3508702a7f2841989421a744d6f34daf: 2 skills, 1 rule, 1 held' in said
    status, said = audit(*journal(['scan crate 1'], ['load crate 1', 'load crate 2']))
    assert status == ExitCode.FAILED
    assert 'broken: rule "scan first": load <crate> before scan <crate>' in said
    assert 'Skill 3, "load crate 2", broke it.' in said


def test_what_the_run_promised_and_no_rule_says_is_not_taken_for_held(audit, journal):
    promised = ('load <crate> before scan <crate>', 'open gate 1')
    status, said = audit(*journal([], [], must_not=promised))
    assert status == ExitCode.FAILED
    assert 'cannot be told: unknown: open gate 1\n  Name its file with --permission.' in said
    status, said = audit(*journal([], [], must_not=promised[:1]), file=False)
    assert status == ExitCode.FAILED and 'before scan <crate>' in said
    status, said = audit(*journal([], []), file=False)
    assert status == ExitCode.OK and 'there was nothing to hold against it' in said


def test_why_is_answered_from_the_record(journal, capsys):
    name, *where = journal(['scan crate 1'], ['load crate 1'])
    assert main(['why', name, 'why load crate 1?', *where, '--plain']) == ExitCode.OK
    said = capsys.readouterr().out
    assert (
        'Skill 4, "load crate 1", was done by agent 1, whose goal was "load the crates".' in said
    )
    assert main(['why', name, 'why?', *where, '--plain']) == ExitCode.UNUSABLE
    assert 'names no skill of this run' in capsys.readouterr().err
