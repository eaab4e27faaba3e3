"""`reactree memory`: what the robot has learned: look at it, share it, tidy it, teach it."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands import memory_bootstrap, memory_exchange, memory_options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree memory list --termination failure
  reactree memory show 3f2a
  reactree memory search "put the milk in the fridge"
  reactree memory confirm 3f2a
  reactree memory export lessons.jsonl
  reactree memory import lessons.jsonl trajectories/
  reactree memory bootstrap --tasks generated:1000-1030

all actions work while the memory node runs
"""
_SHOWN = 20


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'memory', 'inspect, share, delete and collect experiences', None, _EXAMPLES
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    _add_list(actions)
    _add_show(actions)
    _add_search(actions)
    _add_stats(actions)
    _add_confirm(actions)
    _add_delete(actions)
    memory_exchange.add_parsers(actions)
    memory_bootstrap.add_parser(actions)


def _add_list(actions: Subparsers) -> None:
    parser = add_command(actions, 'list', 'list experiences, newest first', run_list)
    memory_options.add_filters(parser)
    parser.add_argument(
        '--limit',
        type=options.seed,
        default=_SHOWN,
        metavar='N',
        help=f'largest number of experiences to show (default {_SHOWN}); 0: all',
    )
    _add_common(parser)


def _add_show(actions: Subparsers) -> None:
    parser = add_command(
        actions, 'show', 'show one experience with its whole trajectory', run_show
    )
    parser.add_argument('id', metavar='ID', help='id, or enough of its beginning')
    _add_common(parser)


def _add_search(actions: Subparsers) -> None:
    parser = add_command(
        actions,
        'search',
        'find experiences with similar goals',
        run_search,
    )
    parser.add_argument('goal', metavar='GOAL', help='a goal, in words')
    memory_options.add_filters(parser, with_run=False)
    parser.add_argument(
        '--limit',
        type=options.count,
        default=10,
        metavar='N',
        help='largest number of experiences to show (default 10)',
    )
    memory_options.add_encoder(parser)
    _add_common(parser)


def _add_stats(actions: Subparsers) -> None:
    parser = add_command(actions, 'stats', 'count experiences; name encoder and file', run_stats)
    memory_options.add_store(parser)
    options.add_plain(parser)


def _add_confirm(actions: Subparsers) -> None:
    parser = add_command(
        actions, 'confirm', 'say that a run did its task: its experiences count', run_confirm
    )
    parser.add_argument('run_id', metavar='RUN', help='id of the run, or enough of its beginning')
    memory_options.add_store(parser)
    options.add_plain(parser)


def _add_delete(actions: Subparsers) -> None:
    parser = add_command(actions, 'delete', 'delete experiences, by id or by filter', run_delete)
    parser.add_argument('ids', nargs='*', metavar='ID', help='ids, or enough of their beginnings')
    memory_options.add_filters(parser)
    parser.add_argument(
        '--yes', action='store_true', help='confirm: delete everything that matches the filter'
    )
    memory_options.add_store(parser)
    options.add_plain(parser)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        '--json', action='store_true', help='print JSON lines, as `reactree memory export` does'
    )
    memory_options.add_store(parser)
    options.add_plain(parser)


def run_list(args: argparse.Namespace) -> int:
    """Print what fits the filter."""
    from itertools import islice

    from memory_server.exchange.json_lines import write_line
    from reactree_tools.memory.browsing import newest
    from reactree_tools.output import Output
    from reactree_tools.plain_text import printable_json
    from reactree_tools.views.memory_view import experience_lines

    with memory_options.existing_store(args) as store:
        found = newest(store, memory_options.filter_of(args, store))
        # One more than is shown says whether there are more.
        shown = list(islice(found, args.limit + 1 if args.limit else None))
    more = bool(args.limit) and len(shown) > args.limit
    shown = shown[: args.limit or None]
    output = Output(args.plain)
    if args.json:
        for experience in shown:
            print(printable_json(write_line(experience)))
        return ExitCode.OK
    for line in experience_lines(shown, output.glyphs, output.console.width):
        output.console.print(line)
    if not shown:
        output.console.print('No experience fits.')
    elif more:
        output.console.print(f'There are more than these {args.limit}: --limit 0 shows all.')
    return ExitCode.OK


def run_show(args: argparse.Namespace) -> int:
    """Print one experience."""
    from memory_server.exchange.json_lines import write_line
    from reactree_tools.memory.browsing import find_experiences
    from reactree_tools.output import Output
    from reactree_tools.plain_text import printable_json
    from reactree_tools.views.memory_view import experience_page

    with memory_options.existing_store(args) as store:
        (experience,) = find_experiences(store, [args.id])
        stored_at = store.stored_at(experience.experience_id)
    if args.json:
        print(printable_json(write_line(experience)))
        return ExitCode.OK
    output = Output(args.plain)
    for line in experience_page(experience, stored_at, output.glyphs, output.console.width):
        output.console.print(line)
    return ExitCode.OK


def run_search(args: argparse.Namespace) -> int:
    """Print the experiences nearest to a goal."""
    from memory_server.episodic.retrieval import Variant
    from memory_server.exchange.json_lines import write_line
    from reactree_core.experience import ExperienceQuery
    from reactree_tools.memory.opening import open_memory
    from reactree_tools.output import Output
    from reactree_tools.plain_text import printable_json
    from reactree_tools.views.memory_view import experience_lines

    output = Output(args.plain)
    with memory_options.existing_store(args) as store:
        chosen = memory_options.filter_of(args, store)
        memory, remark = open_memory(store, memory_options.encoder_of(args))
        if remark:
            output.warn(remark)
        # What the robot sees first may stand below the goal.
        goal, _, observation = args.goal.partition('\n')
        query = ExperienceQuery(
            goal,
            args.limit,
            observation=observation,
            task_type=chosen.task_type,
            planner=chosen.planner,
            domain=chosen.domain,
        )
        ended = () if chosen.termination is None else (chosen.termination,)
        found = memory.retrieve(query, Variant(terminations=ended))
    if args.json:
        for experience in found:
            print(printable_json(write_line(experience)))
        return ExitCode.OK
    for line in experience_lines(found, output.glyphs, output.console.width, similar=True):
        output.console.print(line)
    if not found:
        output.console.print('No experience fits.')
    return ExitCode.OK


def run_stats(args: argparse.Namespace) -> int:
    """Print figures of the whole store."""
    from reactree_tools.memory.browsing import read_figures
    from reactree_tools.memory.opening import size_of
    from reactree_tools.output import Output
    from reactree_tools.views.memory_view import figure_lines

    output = Output(args.plain)
    with memory_options.existing_store(args) as store:
        lines = figure_lines(
            store.location,
            size_of(args.store),
            store.encoder(),
            store.read_only,
            read_figures(store),
            output.glyphs,
            output.console.width,
        )
    for line in lines:
        output.console.print(line)
    return ExitCode.OK


def run_confirm(args: argparse.Namespace) -> int:
    """Make the experiences of one run examples like all others."""
    from reactree_tools.memory.browsing import find_run
    from reactree_tools.memory.opening import check_writable
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count, visible

    with memory_options.existing_store(args) as store:
        check_writable(store)
        run = find_run(store, args.run_id)
        confirmed = store.confirm(run)
    words = (
        f'{count(confirmed, "experience")} of run {visible(run)} confirmed: examples from now on.'
        if confirmed
        else f'Nothing changed: no experience of run {visible(run)} is unconfirmed.'
    )
    Output(args.plain).console.print(words, soft_wrap=True)
    return ExitCode.OK


def run_delete(args: argparse.Namespace) -> int:
    """Delete by id at once, by filter only when that is confirmed."""
    from reactree_core.errors import ConfigurationError
    from reactree_tools.memory.browsing import find_experiences, oldest
    from reactree_tools.memory.opening import check_writable
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count

    with memory_options.existing_store(args) as store:
        chosen = memory_options.filter_of(args, store)
        if bool(args.ids) is not chosen.is_open:
            raise ConfigurationError(
                'say what to delete: either ids, or a filter such as --run or --termination'
            )
        check_writable(store)
        found = find_experiences(store, args.ids) if args.ids else oldest(store, chosen)
        ids = [experience.experience_id for experience in found]
        if not args.ids and ids and not args.yes:
            raise ConfigurationError(
                f'{count(len(ids), "experience")} would be deleted from {store.location}; '
                'nothing was deleted. Look at them with `reactree memory list`, then add --yes'
            )
        deleted = store.forget(ids) if ids else 0
        words = f'{count(deleted, "experience")} deleted from {store.location}.'
    Output(args.plain).console.print(words, soft_wrap=True)
    return ExitCode.OK
