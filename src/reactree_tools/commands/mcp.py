"""`reactree mcp`: the planner as a server of the Model Context Protocol."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree mcp                           over standard input and output, as clients start it
  reactree mcp --http 8765               at http://127.0.0.1:8765/mcp
  reactree mcp --namespace robot_1
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'mcp', 'let assistants send tasks, by the Model Context Protocol', run, _EXAMPLES
    )
    parser.add_argument(
        '--http',
        type=options.port,
        metavar='PORT',
        help='serve HTTP on 127.0.0.1 instead of standard input and output',
    )
    options.add_namespace(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until the client goes, or until Ctrl-C."""
    from reactree_core.errors import ConfigurationError

    if args.http == 0:
        raise ConfigurationError(
            '--http needs a fixed port, which clients have to know: give 1 to 65535.'
        )
    try:
        from reactree_tools.mcp_server import make_server
    except ModuleNotFoundError as error:
        if error.name not in ('mcp', 'mcp_types'):
            raise
        raise ConfigurationError(
            'reactree mcp needs the package mcp: install it with .venv/bin/pip install -r '
            'requirements/mcp.txt'
        ) from error
    from reactree_tools.output import Output
    from reactree_tools.ros.followed_runs import RunDesk
    from reactree_tools.ros.session import Session

    with Session(args.namespace) as session:
        desk = RunDesk(session)
        try:
            server = make_server(desk)
            if args.http is None:
                server.run('stdio')
            else:
                address = f'http://127.0.0.1:{args.http}/mcp'
                Output(args.plain).console.print(f'Serving {address}; Ctrl-C ends it.')
                server.run('streamable-http', host='127.0.0.1', port=args.http)
        except KeyboardInterrupt:
            return ExitCode.INTERRUPTED
        finally:
            desk.close()
    return ExitCode.OK
