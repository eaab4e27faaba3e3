"""`reactree export`: a recorded run as JSON lines, experiences, behaviour tree or PDDL."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_core.observation import Vocabulary
    from reactree_tools.output import Output
    from reactree_tools.recording.ros.run_reading import RecordedRun

_EXAMPLES = """\
  reactree export last | jq .skill
  reactree export 3508702a run.jsonl
  reactree export last lessons.jsonl --experiences && reactree memory import lessons.jsonl
  reactree export last plan.xml --behavior-tree    for BehaviorTree.CPP 4 and Groot2
  reactree export last plan.py --behavior-tree     for py_trees; execute it by reactree tree-run
  reactree export last problem.pddl --pddl --at 12  what was known after record 12, for a planner
"""


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'export', 'write a recorded run as JSON lines or behaviour tree', run, _EXAMPLES
    )
    options.add_bag(parser)
    parser.add_argument(
        'file',
        nargs='?',
        type=Path,
        metavar='FILE',
        help='file to write (default: standard output)',
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        '--experiences',
        action='store_true',
        help='write experiences, for `reactree memory import`, instead of events',
    )
    form.add_argument(
        '--behavior-tree',
        action='store_true',
        help='write a behaviour tree that repeats the run: XML, or Python if FILE ends in .py',
    )
    form.add_argument(
        '--pddl',
        action='store_true',
        help='write what the run knew and what was left to do as a problem of PDDL (STRIPS), and '
        'its domain beside it, in FILE with "-domain" in its name',
    )
    parser.add_argument(
        '--at',
        type=int,
        metavar='RECORD',
        help='with --pddl: as it was after this record (default: at the end of the run)',
    )
    parser.add_argument(
        '--bridge',
        action='store_true',
        help='with --behavior-tree or --pddl: ask the running bridge for the skill types, if no '
        'journal of the run is there',
    )
    options.add_namespace(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Read the run and write it."""
    from memory_server.exchange.json_lines import write_line
    from reactree_core.errors import ConfigurationError
    from reactree_core.record.journal import journal_directory
    from reactree_core.record.journal_lines import encode_event
    from reactree_core.record.trajectory import trajectories_of
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count, printable_json
    from reactree_tools.recording.bag_names import bag_directory
    from reactree_tools.recording.bags import first_run
    from reactree_tools.recording.ros.run_reading import open_runs
    from reactree_tools.viewer.sources import bag_name

    output = Output(args.plain)
    if args.behavior_tree and args.file is not None and args.file.suffix not in ('.xml', '.py'):
        raise ConfigurationError(
            f'{args.file.name} is the name of no behaviour tree: end it in .xml for '
            'BehaviorTree.CPP and Groot2, or in .py for py_trees.'
        )
    bags = bag_directory(args.bags)
    record = bag_name(args.bag, journal_directory(), bags, output.warn)
    runs = open_runs(record, bags, args.run_id, output.warn)
    recorded = first_run(runs, output.warn)
    beside: tuple[Path, str] | None = None
    if args.behavior_tree:
        text, what = _behavior_tree(recorded, args, output), 'Behaviour tree'
    elif args.pddl:
        domain, text = _pddl(recorded, args)
        what = 'Problem'
        if args.file is None:
            text = f'{domain}\n{text}'
        else:
            beside = args.file.with_stem(f'{args.file.stem}-domain'), domain
    elif args.experiences:
        recorded.start  # noqa: B018  says what is missing
        kept = trajectories_of(recorded.events).experiences(recorded.run_id)
        text = ''.join(f'{write_line(experience)}\n' for experience in kept)
        what = count(len(kept), 'experience')
    else:
        text = ''.join(f'{encode_event(event)}\n' for event in recorded.events)
        what = count(len(recorded.events), 'event')
    if args.file is None:
        is_json = not (args.behavior_tree or args.pddl)
        sys.stdout.write(printable_json(text) if is_json else text)
        return ExitCode.OK
    for path, content in ((args.file, text), *([beside] if beside else ())):
        try:
            path.write_text(content, encoding='utf-8')
        except OSError as error:
            raise ConfigurationError(f'{path} cannot be written: {error.strerror}.') from error
    also = f', its domain to {beside[0]}' if beside else ''
    output.console.print(f'{what} written to {args.file}{also}.', soft_wrap=True)
    return ExitCode.OK


def _pddl(recorded: RecordedRun, args: argparse.Namespace) -> tuple[str, str]:
    """Domain and problem: what the run knew after a record, and the milestone that came next."""
    from reactree_tools.recording.problems import problem_after

    last = recorded.events[-1].sequence if args.at is None else args.at
    files = problem_after(recorded.events, _vocabulary(recorded, args), last)
    return files.domain, files.problem


def _behavior_tree(recorded: RecordedRun, args: argparse.Namespace, output: Output) -> str:
    """The text of the tree; what it does not check is given."""
    from reactree_tools.behavior_trees.proven_tree import behavior_tree
    from reactree_tools.behavior_trees.python_writing import python_text
    from reactree_tools.behavior_trees.xml_writing import xml_text

    tree = behavior_tree(recorded.events, _vocabulary(recorded, args), recorded.run_id)
    if not tree.goal:
        output.warn('No goal condition is known: the tree succeeds when all its skills do.')
    elif tree.unproven:
        unproven = ', '.join(one.text for one in tree.unproven)
        output.warn(f'Not checked at the end, because no observation shows it: {unproven}.')
    is_python = args.file is not None and args.file.suffix == '.py'
    return python_text(tree) if is_python else xml_text(tree)


def _vocabulary(recorded: RecordedRun, args: argparse.Namespace) -> Vocabulary:
    from reactree_core.record.journal import journal_directory
    from reactree_tools.recording.vocabularies import vocabulary_of_run

    if args.bridge:
        from reactree_core.cancellation import CancelToken
        from reactree_tools.ros.bridge_skills import find_skills
        from reactree_tools.ros.session import Session

        with Session(args.namespace) as session:
            cancel = CancelToken()
            return find_skills(session, cancel).list_skills(cancel)[0]
    journal = Path(args.bag).expanduser()
    if journal.suffix != '.jsonl':
        journal = journal_directory() / f'{recorded.run_id}.jsonl'
    return vocabulary_of_run(recorded.start, recorded.backend, journal)
