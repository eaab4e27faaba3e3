"""`reactree answer`: answer what a run asks people."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree answer                        show the question, and answer it here
  reactree answer 2                      the second option
  reactree answer the blue one
  ros2 param set /planner ask always     from the next run on
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(commands, 'answer', 'answer the question of a run', run, _EXAMPLES)
    parser.add_argument(
        'words',
        nargs='*',
        metavar='TEXT',
        help='number of an option, or words (default: show the question)',
    )
    options.add_namespace(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Show what is asked, and answer it."""
    import sys

    from reactree_tools.output import Output
    from reactree_tools.processes.interrupts import Interrupts
    from reactree_tools.ros.questions import question_lines, QuestionDesk, Questions
    from reactree_tools.ros.session import Session

    output = Output(args.plain)
    with Interrupts() as interrupts, Session(args.namespace) as session:
        questions = Questions(session)
        questions.find()
        if not questions.hear(interrupts):
            return ExitCode.INTERRUPTED
        waiting = questions.waiting
        if waiting is None:
            output.console.print('No question is open.')
            return ExitCode.FAILED if args.words else ExitCode.OK
        if args.words or not sys.stdin.isatty():
            for line in question_lines(waiting, output):
                output.console.print(line, soft_wrap=True)
        if args.words:
            output.console.print(f'  {questions.answer(waiting, " ".join(args.words))}')
        if args.words or not sys.stdin.isatty():
            return ExitCode.OK
        desk = QuestionDesk(questions, output, ask=True)
        return ExitCode.OK if desk.serve(interrupts) else ExitCode.INTERRUPTED
