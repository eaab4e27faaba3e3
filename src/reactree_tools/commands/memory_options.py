"""Arguments that the actions of `reactree memory` share, and what they stand for."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_server.store.experience_store import ExperienceStore
    from reactree_tools.memory.browsing import Filter
    from reactree_tools.memory.opening import EncoderChoice

_TERMINATIONS = ('success', 'failure', 'expand')


def add_store(parser: argparse.ArgumentParser) -> None:
    """--store."""
    parser.add_argument(
        '--store',
        default='default',
        metavar='PATH',
        help='file of the experiences, or postgresql://... (default: that of the memory node)',
    )


def add_filters(parser: argparse.ArgumentParser, with_run: bool = True) -> None:
    """--termination, --task-type, --planner, --domain, --run and --unconfirmed."""
    group = parser.add_argument_group('filter')
    group.add_argument(
        '--termination', choices=_TERMINATIONS, help='how the agent ended its part of the task'
    )
    group.add_argument('--task-type', default='', metavar='NAME', help='e.g. put_fridge')
    group.add_argument('--planner', default='', metavar='NAME', help='e.g. reactree')
    group.add_argument('--domain', default='', metavar='NAME', help='e.g. household')
    if with_run:
        group.add_argument(
            '--run',
            default='',
            dest='run_id',
            metavar='ID',
            help='id of a run or source, or enough of its beginning',
        )
        group.add_argument(
            '--unconfirmed',
            action='store_true',
            help='what the planner called done and nothing verified; no examples until confirmed',
        )


def add_encoder(parser: argparse.ArgumentParser, required: bool = False) -> None:
    """--encoder and what it may need."""
    group = parser.add_argument_group('encoder')
    group.add_argument(
        '--encoder',
        default='auto',
        required=required,
        metavar='NAME',
        help='minilm, hashing, multilingual, sentence-transformers or server'
        + ('' if required else ' (default: that of the store)'),
    )
    group.add_argument(
        '--encoder-model',
        default='',
        metavar='NAME',
        help='model of the encoder; for minilm, an ONNX file',
    )
    group.add_argument(
        '--encoder-address',
        default='',
        metavar='URL',
        help='address of the server, e.g. http://host/v1',
    )
    group.add_argument(
        '--encoder-key-variable',
        default='',
        metavar='NAME',
        help="environment variable with the server's key",
    )
    group.add_argument(
        '--encoder-key-over-http',
        action='store_true',
        help='allow sending the key unencrypted to another machine',
    )


@contextmanager
def existing_store(args: argparse.Namespace) -> Iterator[ExperienceStore]:
    """The store that --store names, which must be there; closed at the end."""
    from reactree_tools.memory.opening import open_existing

    with closing(open_existing(args.store)) as store:
        yield store


def filter_of(args: argparse.Namespace, store: ExperienceStore) -> Filter:
    """What the filter's arguments mean in a store.

    :raises ConfigurationError: the beginning of a run fits several.
    """
    from reactree_core.experience import Termination
    from reactree_tools.memory.browsing import Filter, with_whole_run

    termination = Termination[args.termination.upper()] if args.termination else None
    run = getattr(args, 'run_id', '')
    unconfirmed = getattr(args, 'unconfirmed', False) or None
    chosen = Filter(termination, args.task_type, args.planner, run, args.domain, unconfirmed)
    return with_whole_run(store, chosen) if run else chosen


def encoder_of(args: argparse.Namespace) -> EncoderChoice:
    """What the encoder's arguments mean."""
    from reactree_core.embedding.registry import EncoderOptions
    from reactree_tools.memory.opening import EncoderChoice

    options = EncoderOptions(
        model=args.encoder_model,
        address=args.encoder_address,
        key_variable=args.encoder_key_variable,
        key_over_http=args.encoder_key_over_http,
    )
    return EncoderChoice(args.encoder, options)
