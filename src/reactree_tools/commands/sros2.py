"""`reactree sros2`: the policy with which SROS2 permits each node what it needs, and no more."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree sros2 > my.policy.xml         for reactree up and the launch files
  reactree sros2 --robot my_robot.yaml   with the interfaces that the robot's file uses
  reactree sros2 --robots robot_1,robot_2 --allow viewer_control
  ros2 security generate_artifacts -k keystore -p my.policy.xml
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'sros2', 'print the SROS2 policy of the nodes (docs/sros2.md)', run, _EXAMPLES
    )
    options.add_namespace(parser)
    parser.add_argument(
        '--robots',
        default='',
        metavar='NAMES',
        help='robots of a fleet, separated by commas, as in fleet.launch.py',
    )
    parser.add_argument('--robot', metavar='FILE', help="the robot's file: policy of its bridge")
    parser.add_argument(
        '--allow',
        action='append',
        default=[],
        metavar='NAME',
        help='also permit this optional feature, e.g. viewer_control or skills (docs/sros2.md '
        'lists them); may be given several times',
    )
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Print the policy."""
    from reactree_core.errors import ConfigurationError
    from reactree_tools.node_interfaces import EXTRAS
    from reactree_tools.security_policy import policy_text

    unknown = [name for name in args.allow if name not in EXTRAS]
    if unknown:
        raise ConfigurationError(
            f'--allow {unknown[0]} is not known; use one of {", ".join(EXTRAS)}.'
        )
    robot = None
    if args.robot:
        from robot_bridge.loading import load_robot
        from robot_bridge.ros.installed_types import InstalledTypes

        robot = load_robot(Path(args.robot).expanduser(), InstalledTypes())
    robots = [name.strip() for name in args.robots.split(',') if name.strip()]
    try:
        sys.stdout.write(policy_text(robots, args.namespace, robot, args.allow))
    except ValueError as error:
        raise ConfigurationError(f'{error}.') from None
    return ExitCode.OK
