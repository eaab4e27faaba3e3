"""`reactree memory import`, `export` and `reembed`: whole memories, in and out and over."""

from __future__ import annotations

import argparse
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands import memory_options
from reactree_tools.commands.parsers import add_command
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from memory_server.exchange.files import Exported, Reading
    from memory_server.store.experience_store import ExperienceStore
    from reactree_tools.output import Output

_IMPORT_EXAMPLES = """\
  reactree memory import lessons.jsonl
  reactree memory import trajectories/   every .txt and .jsonl file in the folder
  reactree memory import ReAcTree/resource/wah/em_llm/reactree_wm --domain household
  reactree memory import other.jsonl --from robot-7 --dry-run
  reactree memory delete --run import/robot-7 --yes   delete what was imported
"""
_EXPORT_EXAMPLES = """\
  reactree memory export lessons.jsonl
  reactree memory export --run 3f2a | head -n 1
  reactree memory export --text trajectories --termination success
"""
_REEMBED_EXAMPLES = """\
  reactree memory reembed --encoder minilm
  reactree memory reembed --encoder server --encoder-address http://127.0.0.1:8000/v1
"""
_SHOWN_PROBLEMS = 10
#: Experiences of an import that are shown before it is done.
_SHOWN_NEW = 20
#: Most experiences of one import, unless it is told otherwise.
_MOST = 100_000
_SOURCE = re.compile('[A-Za-z0-9][A-Za-z0-9._-]{0,79}')


def add_parsers(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the three actions."""
    parser = add_command(
        actions, 'import', 'import experiences from files', run_import, _IMPORT_EXAMPLES
    )
    parser.add_argument(
        'places',
        nargs='+',
        type=Path,
        metavar='PLACE',
        help='a .jsonl file, any other file (a published trajectory), or a folder of them',
    )
    parser.add_argument(
        '--skip-broken', action='store_true', help='store what can be read, and list the rest'
    )
    parser.add_argument(
        '--dry-run', action='store_true', help='show what would be imported, and store nothing'
    )
    parser.add_argument(
        '--from',
        type=_source,
        default=None,
        dest='source',
        metavar='NAME',
        help='name of the source: all runs get ids import/NAME/..., so that you can delete them',
    )
    parser.add_argument(
        '--most',
        type=options.count,
        default=_MOST,
        metavar='N',
        help=f'refuse to import more experiences than this (default {_MOST:,})',
    )
    for label in ('planner', 'model', 'domain'):
        parser.add_argument(
            f'--{label}', default='', metavar='NAME', help=f'{label} of experiences without one'
        )
    memory_options.add_encoder(parser)
    memory_options.add_store(parser)
    options.add_plain(parser)

    parser = add_command(
        actions, 'export', 'write experiences to files', run_export, _EXPORT_EXAMPLES
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        'file',
        nargs='?',
        type=Path,
        metavar='FILE',
        help='for JSON lines (default: standard output)',
    )
    where.add_argument(
        '--text',
        type=Path,
        metavar='FOLDER',
        help='write one trajectory file per experience into it',
    )
    memory_options.add_filters(parser)
    memory_options.add_store(parser)
    options.add_plain(parser)

    parser = add_command(
        actions,
        'reembed',
        'compute all vectors again with another encoder',
        run_reembed,
        _REEMBED_EXAMPLES,
    )
    memory_options.add_encoder(parser, required=True)
    parser.add_argument(
        '--similarity',
        choices=('goal', 'goal_and_observation'),
        default='goal',
        help="text to compare, as in the memory node's parameter similarity (default goal)",
    )
    memory_options.add_store(parser)
    options.add_plain(parser)


def run_import(args: argparse.Namespace) -> int:
    """Read everything, then store it."""
    from memory_server.exchange.files import (
        check_files,
        find_files,
        import_files,
        Reading,
        refuse_more,
        refuse_problems,
    )
    from reactree_tools.memory.opening import open_memory, open_writable
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count
    from reactree_tools.views.work_bar import work_bar

    output = Output(args.plain)
    said = {'planner': args.planner, 'model': args.model, 'domain': args.domain}
    how = Reading({name: label for name, label in said.items() if label}, args.source or '')
    checked = check_files(find_files(args.places), how)
    if not (args.skip_broken or args.dry_run):
        refuse_problems(checked)
    _warn_of(checked.problems, output)
    if args.dry_run:
        _show_review(args, checked.files, how, output)
        return ExitCode.OK
    refuse_more(checked, args.most)
    with closing(open_writable(args.store)) as store:
        memory, remark = open_memory(store, memory_options.encoder_of(args))
        if remark:
            output.warn(remark)
        with work_bar(output, 'importing') as show:
            done = import_files(
                memory, checked.files, lambda number: show(number, checked.experiences), how
            )
        words = (
            f'{count(done.stored, "new experience")} in {store.location}; {done.known:,} known '
            f'already, {store.count():,} in all.'
        )
    output.console.print(words, soft_wrap=True)
    return ExitCode.OK


def _source(text: str) -> str:
    if not _SOURCE.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f'{text!r} is no name of a source; use letters, digits, ., _ and -, at most 80'
        )
    return text


def _show_review(
    args: argparse.Namespace, files: tuple[Path, ...], how: Reading, output: Output
) -> None:
    """What an import would bring: figures, the first of it, and what looks disguised."""
    from contextlib import nullcontext

    from memory_server.exchange.files import review_files
    from reactree_tools.memory.browsing import figures_of, SHORT_ID
    from reactree_tools.memory.opening import file_of
    from reactree_tools.plain_text import count
    from reactree_tools.views.memory_view import content_rows, experience_lines
    from reactree_tools.views.world_view import named_lines

    path = file_of(args.store)
    is_there = path is None or path.is_file()
    with memory_options.existing_store(args) if is_there else nullcontext() as store:
        found = review_files(files, store.known if store else lambda ids: set(), how)
    console, width = output.console, output.console.width
    console.print(
        f'{count(len(found.new), "new experience")} would be stored, {found.known:,} known '
        'already. Nothing was stored.',
        soft_wrap=True,
    )
    for line in named_lines(content_rows(figures_of(found.new)), output.glyphs, width):
        console.print(line)
    for line in experience_lines(found.new[:_SHOWN_NEW], output.glyphs, width):
        console.print(line)
    if len(found.new) > _SHOWN_NEW:
        console.print(f'and {len(found.new) - _SHOWN_NEW:,} more', soft_wrap=True)
    if found.disguised:
        ids = ', '.join(identity[:SHORT_ID] for identity in found.disguised[:_SHOWN_PROBLEMS])
        output.warn(
            f'{count(len(found.disguised), "experience")} with characters that hide, reorder or '
            f'command, or that end the turn of a chat, which prompts leave out: {ids}'
        )


def run_export(args: argparse.Namespace) -> int:
    """Write what fits the filter, in the order stored."""
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count

    output = Output(args.plain)
    with memory_options.existing_store(args) as store:
        done = _export(args, store)
    _warn_of(done.problems, output)
    if args.file or args.text:
        words = f'{count(done.written, "experience")} written to {args.file or args.text}.'
        output.console.print(words, soft_wrap=True)
    return ExitCode.FAILED if done.problems else ExitCode.OK


def _export(args: argparse.Namespace, store: ExperienceStore) -> Exported:
    import sys

    from memory_server.exchange.files import export_file, export_lines, export_texts
    from reactree_tools.memory.browsing import oldest

    # What nobody has confirmed is given away only when asked for, and stays unconfirmed there.
    chosen = replace(memory_options.filter_of(args, store), unconfirmed=args.unconfirmed)
    found = oldest(store, chosen)
    if args.text:
        return export_texts(found, args.text)
    return export_file(found, args.file) if args.file else export_lines(found, sys.stdout)


def run_reembed(args: argparse.Namespace) -> int:
    """Replace all vectors, or none."""
    from memory_server.episodic.episodic_memory import embed_anew
    from memory_server.trajectory import ExperienceEncoder
    from reactree_tools.memory.opening import check_writable
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count
    from reactree_tools.views.work_bar import work_bar

    output = Output(args.plain)
    with memory_options.existing_store(args) as store:
        check_writable(store)
        embedder, remark = memory_options.encoder_of(args).make()
        if remark:
            output.warn(remark)
        encoder = ExperienceEncoder(embedder, args.similarity)
        if store.encoder() in ('', encoder.name):
            words = f'There is nothing to do: no vector of {store.location} is of another encoder.'
        else:
            with work_bar(output, 'embedding') as show:
                number = embed_anew(store, encoder, show)
            words = (
                f'{count(number, "experience")} of {store.location} embedded anew by '
                f'{encoder.name}. A memory node must be started again with this encoder.'
            )
    output.console.print(words, soft_wrap=True)
    return ExitCode.OK


def _warn_of(problems: tuple[str, ...], output: Output) -> None:
    for problem in problems[:_SHOWN_PROBLEMS]:
        output.warn(f'passed over: {problem}')
    if len(problems) > _SHOWN_PROBLEMS:
        output.warn(f'passed over: {len(problems) - _SHOWN_PROBLEMS} more')
