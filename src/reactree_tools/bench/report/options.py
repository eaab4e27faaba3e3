"""What a report may have, and the command line's words for it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from reactree_tools import options

FORMATS = ('html', 'markdown', 'latex', 'csv')
#: Tables, in the order in which they stand on the page; see `layouts`.
LAYOUT_NAMES = (
    'general',
    'team',
    'reactree',
    'tree_planner',
    'adapt',
    'procworld',
    'eb_alfred',
    'tasks',
)
#: Stands for every layout.
ALL = 'all'
#: What may be compared; by itself every one of them that the study varies.
COMPARED = ('planner', 'preset', 'memory', 'model')


@dataclass(frozen=True)
class Options:
    """What a report has.

    :param layouts: names of layouts, or 'all'; none: all on a page, else the general one.
    :param compare: axes; none: of `COMPARED` those that the study varies.
    :param labels: a file of labels by people. :param relabel: how many failures are drawn for
        people to label, without showing what the rules say; 0 shows all, with the rules' labels.
    """

    format: str = 'html'
    layouts: tuple[str, ...] = ()
    compare: tuple[str, ...] = ()
    labels: Path | None = None
    relabel: int = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument('folder', type=Path, metavar='FOLDER', help='folder of the study')
    parser.add_argument(
        '--layout',
        action='append',
        choices=(*LAYOUT_NAMES, ALL),
        help='these tables, as in a paper; may be given several times (default: all in html, else '
        'general)',
    )
    parser.add_argument(
        '--format',
        choices=FORMATS,
        default='html',
        help='default html: one page that needs no server',
    )
    parser.add_argument(
        '--compare',
        action='append',
        choices=COMPARED,
        help='compare these on common tasks; may be given several times (default: all that vary)',
    )
    parser.add_argument(
        '--labels',
        type=Path,
        metavar='FILE',
        help='labels by people, downloaded from the page of --relabel',
    )
    parser.add_argument(
        '--relabel',
        type=options.count,
        default=0,
        metavar='N',
        help='write a page on which a person labels N failures, without seeing labels by rules',
    )
    parser.add_argument(
        '--out',
        type=Path,
        metavar='FILE',
        help='default FOLDER/report.html; other formats: standard output',
    )
    parser.add_argument(
        '--parquet',
        type=Path,
        metavar='FILE',
        help='also write the rows to this file (needs pyarrow)',
    )
    options.add_plain(parser)
