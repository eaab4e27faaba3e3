"""`reactree permission`: what a file of rules says of a skill, and whether rules held in a run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_core.permission.permission import Permission
    from reactree_core.skill_types import SkillType
    from reactree_tools.commands.parsers import Subparsers

_EXAMPLES = """\
  reactree permission check config/permission.yaml
  reactree permission check rules.yaml --skill "lift crate 1"
  reactree permission check rules.yaml --after "scan crate 1" --skill "ship crate 1"
  reactree permission check rules.yaml --skill "drive to dock 2" --at "aisle 3" --world household
"""

_AUDIT_EXAMPLES = """\
  reactree permission audit last
  reactree permission audit 3508702a --permission config/permission.yaml
  reactree permission audit ~/bags/3508702a7f2841989421a744d6f34daf --plain

exit status: 0 every rule held, 1 one did not or cannot be told, 2 bad input
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'permission', 'check the rules of what a robot may do', None, _EXAMPLES
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    check = add_command(
        actions,
        'check',
        'say what the rules decide about a skill, and by which rule',
        run,
        _EXAMPLES,
    )
    check.add_argument('file', metavar='FILE', help='file of rules, see docs/permission.md')
    check.add_argument(
        '--skill',
        action='append',
        default=[],
        metavar='TEXT',
        help='a skill to decide about; may be given several times',
    )
    check.add_argument(
        '--after',
        action='append',
        default=[],
        metavar='TEXT',
        help='a skill that has succeeded before; may be given several times, in order',
    )
    check.add_argument('--at', default='', metavar='PLACE', help='where the robot is')
    check.add_argument(
        '--world',
        default='',
        metavar='WORLD',
        help='use the declared skills of this simulated world (default: a robot that declares '
        'nothing)',
    )
    _add_hazards(check)
    options.add_plain(check)
    auditing = add_command(
        actions,
        'audit',
        'say whether every rule held in a recorded run, by the formulas of the rules alone',
        audit,
        _AUDIT_EXAMPLES,
    )
    options.add_recorded_run(auditing)
    auditing.add_argument(
        '--permission', default='', metavar='FILE', help='file of rules that the run had'
    )
    _add_hazards(auditing)
    options.add_run_of_bag(auditing)
    options.add_bags(auditing)
    options.add_journals(auditing)
    options.add_plain(auditing)


def _add_hazards(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        '--hazards',
        default='off',
        metavar='TEXT',
        help='also hazards, as in the parameter of this name: on, a file, -NAME (default: off)',
    )


def run(args: argparse.Namespace) -> int:
    """Read the file, and judge each skill; fails where one is denied."""
    from dataclasses import replace

    from reactree_core.observation import Observation
    from reactree_core.permission.hazards import read_hazards
    from reactree_core.permission.permission import Permission
    from reactree_core.permission.rules import Verdict
    from reactree_core.permission.rules_file import read_rules
    from reactree_tools.output import Output

    output = Output(args.plain)

    def say(text: str, style: str = '') -> None:
        output.console.print(text, style=style, soft_wrap=True, markup=False)

    rules = replace(read_rules(args.file), hazards=read_hazards(args.hazards))
    permission = Permission(rules, bool(args.world), _types_of(args.world))
    if not args.skill:
        count = len(rules.rules)
        say(f'{args.file}: {count} {"rule" if count == 1 else "rules"}, no mistake found.')
        for line in permission.must_not:
            say(f'  must not: {line}')
        return ExitCode.OK
    permission.see(Observation('', place=args.at))
    for skill in args.after:
        _do(permission, skill, args.at)
    styles = {Verdict.ALLOW: 'green', Verdict.ASK: 'yellow', Verdict.DENY: 'bold red'}
    worst = Verdict.ALLOW
    for skill in args.skill:
        ruling = permission.ruling(skill)
        worst = max(worst, ruling.verdict)
        say(f'{ruling.verdict.name.lower()}: {skill}', styles[ruling.verdict])
        say(f'  {ruling.reason}')
    return ExitCode.FAILED if worst is Verdict.DENY else ExitCode.OK


def audit(args: argparse.Namespace) -> int:
    """Read a run's record, and hold every rule against it; fails where one did not hold."""
    from reactree_core.permission.hazards import read_hazards
    from reactree_core.permission.monitor import audit as findings_of
    from reactree_core.permission.monitor import Held
    from reactree_core.permission.rules_file import read_rules
    from reactree_core.record.journal import journal_directory
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count
    from reactree_tools.recording.bags import bag_directory
    from reactree_tools.traces import audited
    from reactree_tools.traces import open_told

    output = Output(args.plain)
    rules = read_rules(args.permission)
    hazards = read_hazards(args.hazards)
    runs = open_told(
        args.run_name,
        journal_directory(args.journals),
        bag_directory(args.bags),
        args.run_id,
        output.warn,
    )
    styles = {Held.YES: 'green', Held.BROKEN: 'bold red'}
    ok = True
    for recorded in runs:
        one = audited(recorded.run_id, recorded.records, recorded.vocabulary)
        task_rules = one.task_rules
        asking, later = hazards.rules(one.vocabulary.skills, one.vocabulary.other_words)
        findings = findings_of(rules, one.trace, task_rules, (*asking, *later))
        findings += one.unchecked((*task_rules, *rules.rules, *asking, *later))
        held = sum(found.held is Held.YES for found in findings)
        ok &= held == len(findings)
        figures = f'{count(len(one.trace.sent), "skill")}, {count(len(findings), "rule")}'
        said = f'run {one.run_id}: {figures}, {held} held'
        if not findings:
            said += ': there was nothing to hold against it (--permission names a file)'
        output.console.print(said, soft_wrap=True, markup=False)
        for found in findings:
            line = f'{found.held.value}: {found.rule}: {found.wording}'
            style = styles.get(found.held, 'yellow')
            output.console.print(line, style=style, soft_wrap=True, markup=False)
            if found.why:
                output.console.print(f'  {found.why}', soft_wrap=True, markup=False)
    return ExitCode.OK if ok else ExitCode.FAILED


def _do(permission: Permission, skill: str, place: str) -> None:
    """Have a skill done, as if it had worked. :raises ConfigurationError: it is denied itself."""
    from reactree_core.errors import ConfigurationError
    from reactree_core.observation import Observation
    from reactree_core.permission.rules import Verdict

    ruling = permission.begin(skill)
    if ruling.verdict is Verdict.DENY:
        raise ConfigurationError(f'--after "{skill}" could not have been done: {ruling.reason}')
    permission.record(skill, Observation('', skill=skill, place=place))


def _types_of(world: str) -> tuple[SkillType, ...]:
    """Skills that a world declares."""
    if not world:
        return ()
    from sim_bridge.worlds.registry import make_world

    made = make_world(world)
    made.reset('', '', 0)
    return made.vocabulary().skills
