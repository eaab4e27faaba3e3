"""`reactree viewer`: a page that shows runs, live or recorded."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_core.permission.rules import Rules
    from reactree_tools.output import Output
    from reactree_tools.viewer.web.application import Viewer

_EXAMPLES = """\
  reactree viewer                        live runs, and runs in the journals
  reactree viewer --control              also pause, step, cancel, approve, answer
  reactree viewer last                   the run that was recorded last; needs no node
  reactree viewer 3508702a               a run by the first digits of its id
  reactree viewer ~/from_the_robot/3508702a7f2841989421a744d6f34daf.jsonl
  reactree viewer --study FOLDER         a study of reactree bench, also while it runs
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'viewer', 'show runs in the browser, live or recorded', run, _EXAMPLES
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        'run_name',
        nargs='?',
        metavar='RUN',
        help="a recorded run: a journal, a bag, the first digits of a run's id, or last",
    )
    which.add_argument(
        '--study',
        type=Path,
        metavar='FOLDER',
        help='show a study of reactree bench, running or finished, instead of runs; needs no node',
    )
    options.add_namespace(parser)
    options.add_journals(parser)
    parser.add_argument(
        '--port',
        type=options.port,
        default=None,
        metavar='N',
        help='port of the page; 0: any free port',
    )
    parser.add_argument(
        '--control',
        action='store_true',
        help='whoever opens the printed address may pause, step, cancel, approve and answer',
    )
    parser.add_argument(
        '--permission',
        default='',
        metavar='FILE',
        help='file of rules that the runs had, for who asks why not',
    )
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from reactree_tools.output import Output

    output = Output(args.plain)
    if args.study is not None:
        return _show_study(args, output)
    if args.run_name is not None:
        return _show_record(args, output)
    return _show_live(args, output)


def _tell(output: Output, address: str) -> None:
    from rich.text import Text

    line = Text('Open ', style='bold')
    line.append(address, style='not bold cyan')
    output.console.print(line, soft_wrap=True)
    if 'token=' in address:
        hint = 'Whoever has this address can pause, step, cancel, approve and answer.'
        output.console.print(hint, style='dim', highlight=False)
    output.console.print('Ctrl-C ends the viewer, not the runs.', style='dim', highlight=False)


def _show_record(args: argparse.Namespace, output: Output) -> int:
    """The runs of a record, the newest first; a journal needs no ROS."""
    from reactree_core.record.journal import journal_directory
    from reactree_tools.recording.bag_names import bag_directory
    from reactree_tools.viewer.runs import Runs
    from reactree_tools.viewer.sources import open_runs
    from reactree_tools.viewer.web.application import Viewer

    recorded = open_runs(args.run_name, journal_directory(args.journals), bags=bag_directory())[
        ::-1
    ]
    return _serve(args, output, Viewer(Runs(recorded), rules=_rules(args)))


def _show_study(args: argparse.Namespace, output: Output) -> int:
    """A study and the runs of its episodes; needs no ROS either."""
    from reactree_core.errors import ConfigurationError
    from reactree_tools.bench.rows import RUNS
    from reactree_tools.viewer.runs import Runs
    from reactree_tools.viewer.sources import JournalFolder
    from reactree_tools.viewer.study_page import StudyPage
    from reactree_tools.viewer.web.application import Viewer

    if args.control:
        raise ConfigurationError(
            '--control is not possible with --study: interrupt a study by Ctrl-C in its terminal'
        )
    study = StudyPage(args.study)
    runs = Runs([JournalFolder(args.study / RUNS, study.newest_runs)])
    return _serve(args, output, Viewer(runs, study=study, rules=_rules(args)), 'study')


def _rules(args: argparse.Namespace) -> Rules:
    from reactree_core.permission.rules_file import read_rules

    return read_rules(args.permission)


def _serve(args: argparse.Namespace, output: Output, viewer: Viewer, page: str = '') -> int:
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.viewer.web.server import PORT, ViewerServer

    port = PORT if args.port is None else args.port
    with Interrupts() as interrupts, ViewerServer(viewer, port) as server:
        _tell(output, f'{server.url}{page}')
        interrupts.requested.wait()
    return ExitCode.OK


def _show_live(args: argparse.Namespace, output: Output) -> int:
    """The node, in this process."""
    from reactree_core.ros.spinning import run_node
    from reactree_tools.node_table import enclave_arguments
    from reactree_tools.viewer.ros.node import ViewerNode

    given = {'port': args.port, 'journal_directory': args.journals}
    arguments = ['--ros-args', '--log-level', 'warn']
    arguments += enclave_arguments(args.namespace, 'viewer')
    if args.namespace != '/':
        arguments += ['-r', f'__ns:={args.namespace}']
    for name, value in given.items():
        if value is not None:
            # Quoted, so that a path stays a text whatever YAML would make of it.
            text = f'"{Path(value).expanduser()}"' if name == 'journal_directory' else value
            arguments += ['-p', f'{name}:={text}']
    if args.control:
        arguments += ['-p', 'control:=true']
    rules = _rules(args)
    return run_node(
        lambda: ViewerNode(tell=lambda address: _tell(output, address), rules=rules), 1, arguments
    )
