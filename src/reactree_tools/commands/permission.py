"""`reactree permission`: what a file of rules says of a skill, and whether rules held in a run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands import permission_audit
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_core.observation import ObjectFact
    from reactree_core.permission.permission import Permission
    from reactree_core.skill_types import SkillType

_EXAMPLES = """\
  reactree permission check config/permission.yaml
  reactree permission check rules.yaml --skill "lift crate 1"
  reactree permission check rules.yaml --after "scan crate 1" --skill "ship crate 1"
  reactree permission check rules.yaml --skill "drive to dock 2" --at "aisle 3" --world household
  reactree permission check rules.yaml --robot rover.yaml --fact "battery: 15 %" --skill "charge"
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
    check.add_argument(
        '--robot', default='', metavar='FILE', help="use the declared skills of this robot's file"
    )
    check.add_argument(
        '--fact',
        action='append',
        default=[],
        metavar='NAME: STATE',
        help='what is known of a thing, as observations give it, e.g. "battery: 15 %%"; may be '
        'given several times',
    )
    options.add_hazards(check)
    options.add_plain(check)
    permission_audit.add_parser(actions)


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
    types = _types_of_robot(args.robot) if args.robot else _types_of(args.world)
    permission = Permission(rules, bool(args.world) and not args.robot, types)
    if not args.skill:
        count = len(rules.rules)
        say(f'{args.file}: {count} {"rule" if count == 1 else "rules"}, no mistake found.')
        for line in permission.must_not:
            say(f'  must not: {line}')
        return ExitCode.OK
    permission.see(Observation('', place=args.at, facts=tuple(map(_fact, args.fact))))
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


def _do(permission: Permission, skill: str, place: str) -> None:
    """Have a skill done, as if it had worked. :raises ConfigurationError: it is denied itself."""
    from reactree_core.errors import ConfigurationError
    from reactree_core.observation import Observation
    from reactree_core.permission.rules import Verdict

    ruling = permission.begin(skill)
    if ruling.verdict is Verdict.DENY:
        raise ConfigurationError(f'--after "{skill}" could not have been done: {ruling.reason}')
    permission.record(skill, Observation('', skill=skill, place=place))


def _fact(text: str) -> ObjectFact:
    """What an option says of a thing. :raises ConfigurationError: it says nothing."""
    from reactree_core.errors import ConfigurationError
    from reactree_core.observation import ObjectFact
    from reactree_core.skill_types import class_and_number

    name, colon, state = (part.strip() for part in text.partition(':'))
    if not name or not colon:
        raise ConfigurationError(f'"{text}" tells nothing: write --fact "battery: 15 %".')
    return ObjectFact(*class_and_number(name), state=state)


def _types_of_robot(file: str) -> tuple[SkillType, ...]:
    """Skills that a robot's file declares. :raises ConfigurationError: it has mistakes."""
    from pathlib import Path

    from robot_bridge.loading import declared_vocabulary

    return declared_vocabulary(Path(file).expanduser()).skills


def _types_of(world: str) -> tuple[SkillType, ...]:
    """Skills that a world declares."""
    if not world:
        return ()
    from sim_bridge.worlds.registry import make_world

    made = make_world(world)
    made.reset('', '', 0)
    return made.vocabulary().skills
