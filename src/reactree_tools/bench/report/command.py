"""`reactree bench report`: reads a study's folder, makes its report, and writes it."""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import read_file, Written
from reactree_tools.bench.report.failures import Failed, failure_tables, failures_of, LABELS
from reactree_tools.bench.report.layouts import LAYOUTS
from reactree_tools.bench.report.measures import MethodNames, varying
from reactree_tools.bench.report.options import ALL, COMPARED, FORMATS, Options
from reactree_tools.bench.report.page import Page, page
from reactree_tools.bench.report.plots import Plots, plots
from reactree_tools.bench.report.statistics import comparison_table
from reactree_tools.bench.report.tables import comma_separated, latex, markdown, Table
from reactree_tools.bench.rows import EpisodeRow, read_rows, ROWS, RUNS, STUDY, write_parquet
from reactree_tools.exit_codes import ExitCode

#: Of the draw of failures to label, so that everybody labels the same.
_DRAW = 0


class LabelsFile(Written):
    """What the page downloads. :param labels: by keys of episodes, texts of `LABELS`."""

    study: str = ''
    labels: dict[str, str]


def run(args: argparse.Namespace) -> int:
    """Make the report and write it.

    :raises ConfigurationError: the folder is no study, or a file cannot be read or written.
    """
    from reactree_tools.output import Output

    output = Output(args.plain)
    options = Options(
        args.format,
        tuple(args.layout or ()),
        tuple(args.compare or ()),
        args.labels,
        args.relabel,
    )
    made = report(args.folder, options)
    if args.parquet is not None:
        _write_rows(args.parquet, labelled_rows(made.rows, made.failures))
        output.console.print(f'wrote {args.parquet}', soft_wrap=True)
    name = 'relabel.html' if args.relabel else 'report.html'
    file = args.out or (args.folder / name if args.format == 'html' else None)
    if file is None:
        output.console.file.write(made.text)
        return ExitCode.OK
    if options.layouts and args.format == 'html':
        output.console.file.write(_written(made.tables, 'markdown') + '\n')
    try:
        file.write_text(made.text, encoding='utf-8')
    except OSError as error:
        raise ConfigurationError(f'{file} cannot be written ({error.strerror}).') from error
    output.console.print(f'wrote {file}', soft_wrap=True)
    return ExitCode.OK


@dataclass(frozen=True)
class Report:
    """A finished one. :param text: in its format. :param tables: all that stand in it."""

    text: str
    tables: tuple[Table, ...]
    rows: tuple[EpisodeRow, ...]
    failures: tuple[Failed, ...]


def report(folder: Path, options: Options) -> Report:
    """The report on a study.

    :raises ConfigurationError: the folder is no study, an option is not known, or the labels are
        not of this study.
    """
    _check(options)
    rows = study_rows(folder)
    people = {} if options.labels is None else read_labels(options.labels)
    failures = failures_of(rows, folder / RUNS, people)
    _check_labels(people, failures, options)
    if options.relabel:
        return _to_label(folder, options, rows, failures)
    sections = _sections(rows, failures, options)
    tables = tuple(table for _, found in sections for table in found)
    if options.format != 'html':
        return Report(_written(tables, options.format), tables, tuple(rows), tuple(failures))
    drawn, note = _drawn(rows)
    shown = Page(folder.resolve().name, rows, sections, drawn, failures, _study_text(folder), note)
    return Report(page(shown), tables, tuple(rows), tuple(failures))


def _check(options: Options) -> None:
    if options.format not in FORMATS:
        raise ConfigurationError(
            f'there is no format "{options.format}"; there are: {", ".join(FORMATS)}'
        )
    for layout in options.layouts:
        if layout not in (*LAYOUTS, ALL):
            known = ', '.join((*LAYOUTS, ALL))
            raise ConfigurationError(f'there is no layout "{layout}"; there are: {known}')
    for axis in options.compare:
        if axis not in COMPARED:
            known = ', '.join(COMPARED)
            raise ConfigurationError(f'"{axis}" cannot be compared; these can: {known}')
    if options.relabel and options.format != 'html':
        raise ConfigurationError('failures are labelled on the page: leave --format out')


def study_rows(folder: Path) -> list[EpisodeRow]:
    """All episodes of a study.

    :raises ConfigurationError: there are none, or they cannot be read.
    """
    file = folder / ROWS
    if not folder.is_dir():
        raise ConfigurationError(f'there is no folder {folder}: name that of a study')
    if not file.is_file():
        raise ConfigurationError(
            f'{folder} has no {ROWS}: it is no study, or none of its episodes has ended'
        )
    try:
        rows = read_rows(file)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'{file} cannot be read ({error}).') from error
    if not rows:
        raise ConfigurationError(f'{file} has no episode: let `reactree bench run` go on')
    return rows


def read_labels(file: Path) -> dict[str, str]:
    """People's labels by keys of episodes.

    :raises ConfigurationError: the file is none of labels, or has one that does not exist.
    """
    labels = read_file(file, LabelsFile).labels
    for key, label in labels.items():
        if label not in LABELS:
            raise ConfigurationError(
                f'{file}: "{label}" of {key} is no kind of failure; there are: {", ".join(LABELS)}'
            )
    return labels


def _check_labels(people: Mapping[str, str], failures: Sequence[Failed], options: Options) -> None:
    unknown = sorted(people.keys() - {one.key for one in failures})
    if unknown:
        more = f' and {len(unknown) - 1} more' if len(unknown) > 1 else ''
        raise ConfigurationError(
            f'{options.labels} labels {unknown[0]}{more}, which is no failure of this study: give '
            "the labels that were downloaded from this study's page"
        )


def labelled_rows(rows: Sequence[EpisodeRow], failures: Sequence[Failed]) -> list[EpisodeRow]:
    """The rows with the kinds of their failures."""
    labels = {one.row.cell: one.label for one in failures}
    return [replace(row, failure=labels.get(row.cell, row.failure)) for row in rows]


def _write_rows(file: Path, rows: Sequence[EpisodeRow]) -> None:
    try:
        write_parquet(file, rows)
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            'Parquet needs pyarrow: pip install -r requirements/bench.txt.'
        ) from error
    except OSError as error:
        raise ConfigurationError(f'{file} cannot be written ({error}).') from error


def _sections(
    rows: Sequence[EpisodeRow], failures: Sequence[Failed], options: Options
) -> list[tuple[str, list[Table]]]:
    chosen = options.layouts or ((ALL,) if options.format == 'html' else ('general',))
    names = tuple(LAYOUTS) if ALL in chosen else tuple(dict.fromkeys(chosen))
    titles = {
        'general': 'Everything',
        'team': 'Several robots',
        'reactree': 'As in ReAcTree',
        'tree_planner': 'As in Tree-Planner',
        'adapt': 'As in ADaPT',
        'procworld': 'As in ProcWorld',
        'eb_alfred': 'As in EmbodiedBench',
        'tasks': 'Tasks',
    }
    axes = options.compare
    if not axes and (options.format == 'html' or not options.layouts):
        axes = tuple(axis for axis in COMPARED if axis in varying(rows))
    compared = [comparison_table(rows, axis) for axis in axes]
    methods = MethodNames(rows)
    kinds = failure_tables(failures, {one.key: methods.whole(one.row) for one in failures})
    made = [(titles[name], list(LAYOUTS[name](rows))) for name in names]
    sections = [(title, tables) for title, tables in made if tables]
    place = names.index('general') + 1 if 'general' in names else len(names)
    sections[place:place] = [
        ('Comparisons', [table for table in compared if table.rows]),
        ('Kinds of failures', kinds),
    ]
    return sections


def _written(tables: Sequence[Table], form: str) -> str:
    if form == 'csv':
        return '\n'.join(f'# {table.title}\n{comma_separated(table)}' for table in tables)
    write = latex if form == 'latex' else markdown
    return '\n'.join(map(write, tables))


def _drawn(rows: Sequence[EpisodeRow]) -> tuple[Plots, str]:
    """The plots, or why there are none."""
    try:
        return plots(rows), ''
    except ConfigurationError as error:
        return Plots(), str(error)


def _study_text(folder: Path) -> str:
    try:
        return (folder / STUDY).read_text(encoding='utf-8', errors='replace')
    except OSError:
        return ''


def _to_label(
    folder: Path, options: Options, rows: Sequence[EpisodeRow], failures: Sequence[Failed]
) -> Report:
    """A page of some failures, drawn among those whose journals are there."""
    known = [one for one in failures if one.evidence is not None]
    if not known:
        raise ConfigurationError(
            f'no failure of {folder} has a journal in {folder / RUNS}: there is nothing to label'
        )
    order = random.Random(_DRAW).sample(range(len(known)), min(options.relabel, len(known)))
    drawn = [known[number] for number in sorted(order)]
    shown = Page(folder.resolve().name, rows, (), Plots(), drawn, blind=True)
    return Report(page(shown), (), tuple(rows), tuple(drawn))
