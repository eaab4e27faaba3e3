"""`reactree record`: every run of a planner into a bag of its own, until Ctrl-C."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers

_EXAMPLES = """\
  reactree record                        start it before or after the planner
  reactree record --bags /data/bags --namespace robot_1
  reactree up --record                   the same, together with the nodes
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'record', 'record the runs of a planner as bags, until Ctrl-C', run, _EXAMPLES
    )
    options.add_bags(parser)
    options.add_namespace(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Be the recorder node."""
    from reactree_tools.node_table import enclave_arguments
    from reactree_tools.recording.bag_names import bag_directory
    from reactree_tools.recording.ros.node import main

    arguments = ['--ros-args', '-p', f'directory:={bag_directory(args.bags).absolute()}']
    if args.namespace != '/':
        arguments += ['-r', f'__ns:={args.namespace}']
    return main([*arguments, *enclave_arguments(args.namespace, 'recorder')])
