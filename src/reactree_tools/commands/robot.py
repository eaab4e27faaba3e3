"""`reactree robot`: the file of a robot, tested against itself, tried without moving, proposed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_tools.output import Output
    from reactree_tools.ros.session import Session
    from robot_bridge.robot import Interface, Robot

_EXAMPLES = """\
  reactree robot init my_robot.yaml      propose a file from the running ROS graph
  reactree robot check my_robot.yaml     types and fields right? every skill read, planned, undone,
                                         refused and exported? nothing moves, no robot is needed
  reactree robot check my_robot.yaml --live
                                         and: are the servers and topics of the robot there?
  reactree robot check my_robot.yaml --dry-run "go to home"
                                         print what would be sent; nothing moves
  reactree up --robot my_robot.yaml      start its bridge, planner and memory
"""
#: Seconds for servers to be discovered.
_FIND = 5.0


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'robot', "check or propose a robot's file (docs/robot_file.md)", None, _EXAMPLES
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    check = add_command(
        actions, 'check', "test a file's skills, rules and sources; report its mistakes", run_check
    )
    check.add_argument('file', metavar='FILE', help="the robot's YAML file")
    check.add_argument(
        '--dry-run',
        action='append',
        default=[],
        metavar='SKILL',
        help='print what this skill would send; nothing moves; may be given several times',
    )
    check.add_argument(
        '--live', action='store_true', help='also look for the servers and topics of the robot'
    )
    check.add_argument(
        '--permission', default='', metavar='FILE', help='rules that are to be tested too'
    )
    check.add_argument(
        '--hazards',
        default='',
        metavar='TEXT',
        help='as in the parameter of this name: off, a file, -NAME (default: those shipped)',
    )
    check.add_argument('--json', action='store_true', help='print all of the test as JSON')
    init = add_command(actions, 'init', 'propose a file from the running ROS graph', run_init)
    init.add_argument(
        'file', nargs='?', metavar='FILE', help='file to write (default: standard output)'
    )
    for action in (check, init):
        action.add_argument(
            '--wait',
            type=options.positive_seconds,
            default=_FIND,
            metavar='SECONDS',
            help=f'longest search for servers (default {_FIND:.0f})',
        )
        options.add_namespace(action)
        options.add_plain(action)


def run_check(args: argparse.Namespace) -> int:
    """Print mistakes, the self-test, sources, and interfaces that are not there.

    :returns: FAILED where anything is to be changed.
    """
    import sys

    from reactree_core.written_files import MistakesError
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count, visible
    from robot_bridge.loading import load_robot
    from robot_bridge.ros.installed_types import InstalledTypes

    # With --json, what is for people goes where errors go.
    output = Output(args.plain, sys.stderr if args.json else None)
    path = Path(args.file).expanduser()
    try:
        robot = load_robot(path, InstalledTypes())
    except MistakesError as error:
        for mistake in error.mistakes:
            _say(output, False, visible(mistake))
        number = len(error.mistakes) + error.further
        output.console.print(f'{count(number, "mistake")} in {path}.')
        return ExitCode.FAILED
    skills, places = len(robot.skills), len(robot.file.places)
    shown = f'{path}: {count(skills, "skill")}, {count(places, "place")}; all types are installed'
    _say(output, True, shown)
    if not args.live:
        status = _dry_runs(args, output, robot, None) if args.dry_run else ExitCode.OK
        return status if args.dry_run else _self_test(args, output, robot, None)
    from reactree_tools.ros.session import Session
    from robot_bridge.perception_file import TOPIC

    with Session(args.namespace) as session:
        # What perception tells comes from a node of ours, which need not run yet.
        wanted = [one for one in robot.interfaces() if one.name != TOPIC]
        absent = _look(session, output, (*wanted, *robot.cameras()), args.wait)
        if robot.cameras() and not session.node.count_publishers(TOPIC):
            _say(output, None, f'{TOPIC}: what is seen is published while `reactree up` runs')
        unheard = _listen(session, output, robot)
        status = _dry_runs(args, output, robot, session)
        tested = ExitCode.OK if args.dry_run else _self_test(args, output, robot, session)
    if absent:
        output.console.print(
            f'{count(absent, "interface")} missing: are all nodes of the robot running?'
        )
        return ExitCode.FAILED
    return ExitCode.FAILED if unheard or tested else status


def _self_test(
    args: argparse.Namespace, output: Output, robot: Robot, session: Session | None
) -> ExitCode:
    """Print the file's test against itself. :returns: FAILED where a row fails."""
    import json

    from reactree_core.permission.hazards import read_hazards
    from reactree_core.permission.rules_file import read_rules
    from reactree_tools.plain_text import printable_json
    from reactree_tools.robot_check.report import report_of
    from reactree_tools.views.robot_check_view import check_fields, show_check
    from robot_bridge.provenance import provenances

    behind: tuple[Any, Any] = (None, None)
    if session is not None:
        from robot_bridge.ros.graph import nodes_behind

        behind = nodes_behind(session.node, robot.interfaces())
    rules, hazards = read_rules(args.permission), read_hazards(args.hazards)
    report = report_of(robot, rules, hazards, tuple(provenances(robot, *behind)))
    if args.json:
        print(printable_json(json.dumps(check_fields(report), ensure_ascii=False, indent=2)))
    else:
        show_check(report, output)
    return ExitCode.FAILED if report.failed else ExitCode.OK


def _say(output: Output, well: bool | None, sentence: str) -> None:
    """A line of the check. :param well: None for advice."""
    from rich.text import Text

    glyphs = output.glyphs
    sign = Text(glyphs.success, 'green') if well else Text(glyphs.failure, 'bold red')
    if well is None:
        sign = Text(glyphs.warning, 'yellow')
    output.console.print(sign.append(f' {sentence}', 'default'), soft_wrap=True)


def _look(session: Session, output: Output, wanted: tuple[Interface, ...], seconds: float) -> int:
    """Say which interfaces are there; how many are not."""
    import time

    from robot_bridge.ros.graph import interfaces_now

    node = session.node
    names = {one: node.resolve_topic_name(one.name) for one in wanted}
    deadline = time.monotonic() + seconds
    while True:
        there = {(one.kind, one.name): one.type for one in interfaces_now(node)}
        absent = [one for one in wanted if (one.kind, names[one]) not in there]
        if not absent or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    wrong = 0
    for one in wanted:
        found = there.get((one.kind, names[one]))
        if found is None:
            nobody = {'publish': 'nobody listens', 'await': 'nobody publishes'}
            _say(output, False, f'{one} ({one.type}): {nobody.get(one.kind, "it has no server")}')
        elif found != one.type:
            _say(output, False, f'{one} is {found}, and the file says {one.type}')
        else:
            _say(output, True, f'{one} ({one.type})')
        wrong += found != one.type
    return wrong


def _listen(session: Session, output: Output, robot: Robot) -> int:
    """Print which sources are not heard, and which report what cannot be.

    :returns: how many are published so that they are not heard.
    """
    from robot_bridge.ros.graph import advice, unheard

    wrong = 0
    for sense in robot.senses.all():
        if sense.entry.topic:
            why = unheard(session.node, sense.entry)
            wrong += bool(why)
            why_not = why or advice(session.node, sense.entry)
            if why_not:
                _say(output, False if why else None, why_not)
    surroundings, _ = _surroundings(robot, session)
    for sentence in surroundings.belief.notices.values():
        _say(output, None, sentence)
    return wrong


def _dry_runs(
    args: argparse.Namespace, output: Output, robot: Robot, session: Session | None
) -> int:
    """Print what skills would send. :returns: FAILED where one would send nothing."""
    from reactree_core.errors import SkillError
    from robot_bridge.filling import Filling

    if not args.dry_run:
        return ExitCode.OK
    surroundings, things = _surroundings(robot, session)
    status = ExitCode.OK
    for text in args.dry_run:
        skill, slots, objection = robot.find(text, things)
        if skill is None:
            _say(output, False, objection)
            status = ExitCode.FAILED
            continue
        for call in skill.calls:
            try:
                values = call.send(Filling(slots, surroundings))
            except SkillError as error:
                _say(output, False, f'{text}: {error}')
                status = ExitCode.FAILED
                break
            for line in _call_lines(text, call, values, slots):
                output.console.print(line, markup=False, highlight=False, soft_wrap=True)
    return status


def _call_lines(text: str, call: Any, values: dict[str, Any], slots: dict[str, str]) -> list[str]:
    import yaml

    from robot_bridge.calls import shown

    if call.step.is_wait:
        what = call.what
        for slot, value in slots.items():
            what = what.replace(f'<{slot}>', value)
        return [f'{text}, step {call.number}: {what}']
    if call.test is not None:
        wanted = ', '.join(f'{field}: {value}' for field, value in call.step.when.items())
        sent = f'waits for {wanted}'
    else:
        sent = yaml.safe_dump(shown(values), sort_keys=False, default_flow_style=None).rstrip()
    head = f'{text}, step {call.number}: {call.what} ({call.step.type})'
    return [head, *(f'    {line}' for line in sent.split('\n'))]


def _surroundings(robot: Robot, session: Session | None) -> tuple[Any, list[str]]:
    """What poses are asked of, and the things that are known."""
    from robot_bridge.declared_world import DeclaredWorld
    from robot_bridge.filling import FileSurroundings
    from robot_bridge.ros.sensing import Sensing

    if session is None:
        # Offline, a thing of each class is known.
        return FileSurroundings(robot.file), list(DeclaredWorld(robot).names_of_things())
    # What it says of implausible reports is printed with the sources.
    sensing = Sensing(session.node, robot, lambda sentence: None)
    executor = session.node.executor
    assert executor is not None
    session.wait(executor.create_task(sensing.hear_once), 2 * _FIND)
    return sensing, list(sensing.belief.things)


def run_init(args: argparse.Namespace) -> int:
    """Write or print a proposal."""
    import sys
    import time

    from reactree_core.errors import ConfigurationError
    from reactree_tools.output import Output
    from reactree_tools.robot_check.proposing import sound_proposal
    from reactree_tools.ros.session import Session
    from robot_bridge.ros.graph import interfaces_now, latched_topics
    from robot_bridge.ros.installed_types import InstalledTypes

    output = Output(args.plain)
    path = Path(args.file).expanduser() if args.file else None
    if path is not None and path.exists():
        raise ConfigurationError(f'{path} exists already: give another name, or remove it.')
    with Session(args.namespace) as session:
        found = interfaces_now(session.node)
        deadline = time.monotonic() + args.wait
        steady = 0
        # Discovery is over when nothing new has come for a second.
        while steady < 10 and time.monotonic() < deadline:
            time.sleep(0.1)
            newer = interfaces_now(session.node)
            steady = steady + 1 if newer and newer == found else 0
            found = newer
        latched = latched_topics(session.node, found)
    catalogue = InstalledTypes()
    text = sound_proposal(found, latched, catalogue)
    if path is None:
        sys.stdout.write(text)
        return ExitCode.OK
    try:
        path.write_text(text, encoding='utf-8')
    except OSError as error:
        raise ConfigurationError(f'{path} cannot be written: {error.strerror}.') from None
    output.console.print(f'{path} is written. Next: reactree robot check {path}')
    return ExitCode.OK
