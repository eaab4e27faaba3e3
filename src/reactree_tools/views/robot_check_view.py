"""The test of a robot's file against itself: a table for people, and values of JSON."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from reactree_tools.output import Output
from reactree_tools.plain_text import count, visible
from reactree_tools.robot_check.report import Report
from reactree_tools.robot_check.self_test import CAUGHT, Check, COLUMNS, NEEDS, PLAN, Result, Row
from robot_bridge.provenance import Provenance

#: Longest text of a row.
_LONGEST = 200


def show_check(report: Report, output: Output) -> None:
    """Print the table, what failed with what to change, what was inferred, and the sources."""
    skills = [row for row in report.rows if row.checks[0].name != CAUGHT]
    table = Table('skill', *COLUMNS, box=None, pad_edge=False)
    for row in skills:
        signs = (_sign(one, output) for one in row.checks)
        table.add_row(Text(visible(row.name, _LONGEST)), *signs)
    output.console.print(table)
    for row in report.rows:
        if row not in skills:
            check = row.checks[0]
            note = f' ({check.note})' if check.note else ''
            _line(output, _sign(check, output), f'{row.name}{note}')
    for row in skills:
        _notes(row, output)
    for row in report.failed:
        _faults(row, output)
    for sentence in (*report.inferred, *report.retries):
        _line(output, Text('i', 'cyan'), sentence)
    for one in report.sources:
        is_sure = one.provenance is Provenance.MEASURED
        sign = Text(output.glyphs.success, 'green') if is_sure else Text('?', 'yellow')
        _line(output, sign, f'{one.source}: {one.provenance.value}, {one.why}')
    asked = [one.source for one in report.sources if one.asks]
    if asked:
        question = (
            f'Does a sensor stand behind {", ".join(asked)}? Write "measured: true" beside each '
            'that has one, "measured: false" where it repeats what was commanded.'
        )
        _line(output, Text('?', 'yellow'), question)
    for one in report.sources:
        if one.confuses:
            question = (
                f'Does {one.source} tell one {one.confuses} from another by a tag, an address or '
                'a channel of its own? Then say "identifies: true" beside it; "identifies: false" '
                'where it tells them by their look.'
            )
            _line(output, Text('?', 'yellow'), question)
    failed = len(report.failed)
    closing = (
        f'{count(failed, "row")} failed' if failed else 'everything that could be tried works'
    )
    output.console.print(f'{count(len(report.rows), "row")}: {closing}.', markup=False)


def _sign(check: Check, output: Output) -> Text:
    glyphs = output.glyphs
    match check.result:
        case Result.PASSED:
            return Text(glyphs.success, 'green')
        case Result.FAILED:
            return Text(glyphs.failure, 'bold red')
    return Text('', 'dim')


def _notes(row: Row, output: Output) -> None:
    """What people may want to know of checks that passed."""
    for check in row.checks:
        if check.result is Result.PASSED and check.note and check.name in (PLAN, NEEDS):
            _line(output, Text('i', 'cyan'), f'{row.tried}, {check.name}: {check.note}')


def _faults(row: Row, output: Output) -> None:
    for check in row.failed:
        tried = row.tried or row.name
        sign = Text(output.glyphs.failure, 'bold red')
        _line(output, sign, f'{tried}, {check.name}: {check.note}')
        if check.advice:
            _line(output, Text(' '), f'to change: {check.advice}')


def _line(output: Output, sign: Text, sentence: str) -> None:
    text = sign.copy()
    output.console.print(text.append(f' {visible(sentence)}', 'default'), soft_wrap=True)


def check_fields(report: Report) -> dict[str, Any]:
    """All of it, as values of JSON."""
    return {
        'robot': report.robot,
        'passed': not report.failed,
        'rows': [
            {
                'name': row.name,
                'tried': row.tried,
                'checks': {
                    one.name: {
                        'result': one.result.value,
                        'note': one.note,
                        'advice': one.advice,
                    }
                    for one in row.checks
                },
            }
            for row in report.rows
        ],
        'inferred': list(report.inferred),
        'retries': list(report.retries),
        'sources': [
            {
                'source': one.source,
                'provenance': one.provenance.value,
                'why': one.why,
                'asks': one.asks,
                'identifies': one.identifies,
                'confuses': one.confuses,
            }
            for one in report.sources
        ],
    }
