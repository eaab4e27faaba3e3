"""`reactree virtualhome-server`: VirtualHome's simulator protocol, without Unity or a display."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree virtualhome-server --scene generated:3
  reactree virtualhome-server --scene flat_0.json --scene flat_1.json --port 8081
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        'virtualhome-server',
        'serve homes by the protocol of the VirtualHome simulator',
        run,
        _EXAMPLES,
    )
    parser.add_argument(
        '--scene',
        action='append',
        metavar='SCENE',
        help='as in `reactree scene`; give several, and clients choose one by its index',
    )
    parser.add_argument(
        '--port',
        type=_port,
        default=8080,
        metavar='N',
        help='port on 127.0.0.1; 0: any free port',
    )
    parser.add_argument(
        '--seed',
        type=options.seed,
        default=0,
        metavar='N',
        help='seed of the places of characters that a client adds without a place',
    )


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from sim_bridge.virtualhome_server import VirtualHomeServer, VirtualHomeService
    from sim_bridge.worlds.household.world import load_scene

    scenes = args.scene or ['generated:0']
    service = VirtualHomeService([load_scene(scene) for scene in scenes], args.seed)
    server = VirtualHomeServer(service, args.port)
    try:
        print(f'Serving {", ".join(scenes)} at {server.url}', flush=True)
        server.serve()
    finally:
        server.close()
    return ExitCode.OK


def _port(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f'{text!r} is not a port; use a number from 0 to 65535')
    return number
