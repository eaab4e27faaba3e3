"""The report as one HTML page that opens without a server, on light and dark ground.

All texts of worlds, models and files are escaped; the only script is the page's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from reactree_core.observation import Outcome
from reactree_tools.bench.report.failures import Failed, LABELS
from reactree_tools.bench.report.measures import axis_value, MethodNames
from reactree_tools.bench.report.plots import Legend, Plots
from reactree_tools.bench.report.tables import html, Table
from reactree_tools.bench.rows import EpisodeRow
from reactree_tools.plain_text import count, seconds, visible

#: Failures of which it is shown what was done; of the others a page would grow too large.
_SHOWN_RUNS = 200
#: Last skills of a failed run that are shown.
_SHOWN_STEPS = 80
#: Letters of a study file that are shown.
_SHOWN_STUDY = 20_000
_NUMBERS = ('decisions', 'asked', 'skills', 'seconds')
#: Nothing may be fetched, whatever stands in a text.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


@dataclass(frozen=True)
class Page:
    """What the page shows.

    :param sections: titles, each with its tables. :param study: the study's file.
    :param plots_note: why there are no plots. :param blind: whether the rules' labels are hidden
        from whoever labels.
    """

    name: str
    rows: Sequence[EpisodeRow]
    sections: Sequence[tuple[str, Sequence[Table]]]
    plots: Plots
    failures: Sequence[Failed]
    study: str = ''
    plots_note: str = ''
    blind: bool = False


def page(shown: Page) -> str:
    """The whole document."""
    here = Path(__file__).parent
    style = (here / 'page.css').read_text(encoding='utf-8')
    script = (here / 'page.js').read_text(encoding='utf-8')
    parts = [_about(shown)]
    if shown.plots.pictures or shown.plots_note:
        parts.append(_section('Plots', _plots(shown)))
    for title, tables in shown.sections:
        if tables:
            parts.append(_section(title, ''.join(map(html, tables))))
    if shown.failures:
        parts.append(_section('Failures', _failures(shown)))
    if not shown.blind:
        parts.append(_section('Episodes', _episodes(shown)))
    if shown.study:
        study_name = escape(shown.study[:_SHOWN_STUDY])
        parts.append(_section('What was asked', f'<pre>{study_name}</pre>'))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(shown.name)}</title><style>{style}</style></head>\n'
        f'<body data-study="{escape(shown.name)}">{"".join(parts)}'
        f'<script>{script}</script></body></html>\n'
    )


def _anchor(title: str) -> str:
    return f'about-{title.lower().replace(" ", "-")}'


def _section(title: str, content: str) -> str:
    return f'<section id="{_anchor(title)}"><h2>{escape(title)}</h2>{content}</section>\n'


def _about(shown: Page) -> str:
    rows = shown.rows
    met = sum(row.success for row in rows)
    spent = seconds(sum(row.seconds for row in rows))
    titles = [
        *(['Plots'] if shown.plots.pictures or shown.plots_note else []),
        *(title for title, tables in shown.sections if tables),
        *(['Failures'] if shown.failures else []),
        *([] if shown.blind else ['Episodes']),
        *(['What was asked'] if shown.study else []),
    ]
    links = ''.join(f'<a href="#{_anchor(one)}">{escape(one)}</a>' for one in titles)
    return (
        f'<h1>{escape(shown.name)}</h1><p class="soft">{len(rows)} episodes, {met} goals met, '
        f'{spent} in all.</p><nav>{links}</nav>\n'
    )


def _plots(shown: Page) -> str:
    note = f'<p class="soft">{escape(shown.plots_note)}</p>' if shown.plots_note else ''
    figures = ''.join(
        f'<figure><h3>{escape(plot.title)}</h3>{_legend(plot.legend)}{plot.svg}'
        f'<figcaption>{escape(plot.note)}</figcaption></figure>'
        for plot in shown.plots.pictures
    )
    return f'{note}{_legend(shown.plots.legend)}<div class="plots">{figures}</div>'


def _legend(legend: Legend) -> str:
    signs = ''.join(f'<li>{sign}{escape(visible(method))}</li>' for sign, method in legend)
    return f'<ul class="legend">{signs}</ul>' if signs else ''


def _episodes(shown: Page) -> str:
    names = MethodNames(shown.rows)
    labels = {id(one.row): one for one in shown.failures}
    heads = ['task', 'method', 'seed', 'goal', 'met', 'ended', *_NUMBERS, 'failure', 'reason']
    lines = []
    for row in shown.rows:
        failed = labels.get(id(row))
        cells = (
            f'{row.cell.world} {row.cell.task}: {row.instruction}',
            names.whole(row),
            row.cell.seed,
            'met' if row.success else 'not met',
            row.judged,
            row.ended,
            row.decisions,
            row.asked,
            row.steps,
            f'{row.seconds:.1f}',
            failed.label if failed is not None else '',
            ' '.join((row.reason, *row.notices)),
        )
        lines.append(
            '<tr>'
            + ''.join(
                f'<td{" class=n" if isinstance(cell, int) else ""}>{_text(cell)}</td>'
                for cell in cells
            )
            + '</tr>'
        )
    head = ''.join(f'<th>{one}</th>' for one in heads)
    return (
        '<p><input id="find" type="search" placeholder="words of a row" aria-label="find"></p>'
        f'<div class="wide"><table id="episodes"><thead><tr>{head}</tr></thead>'
        f'<tbody>{"".join(lines)}</tbody></table></div>'
    )


def _text(value: object) -> str:
    return escape(visible(str(value)))


def _failures(shown: Page) -> str:
    note = (
        'Choose what each failure is by what is said of it, then download the labels: '
        '<code>reactree bench report FOLDER --labels labels.json</code> compares them with the '
        'rules. They stay in this browser meanwhile.'
    )
    if shown.blind:
        note += ' What the rules say is not shown.'
    names = MethodNames(shown.rows)
    control = (
        '<div class="choose keep">'
        '<button id="download" type="button">Download labels.json</button>'
        '<span id="counted" class="soft"></span></div>'
    )
    found = ''.join(
        _failure(one, names.whole(one.row), shown.blind, number < _SHOWN_RUNS)
        for number, one in enumerate(shown.failures)
    )
    return f'<p class="soft">{note}</p>{control}{found}'


def _failure(failed: Failed, method: str, blind: bool, whole: bool) -> str:
    row = failed.row
    by_rules = ''
    if not blind:
        rule = failed.rule
        explanation = (
            f'{rule.text}: {rule.why}' if rule is not None else 'not told apart (no journal)'
        )
        plan = f' As a plan: {failed.plan.text}: {failed.plan.why}.' if failed.plan else ''
        by_rules = f'<p>By rules: {_text(explanation)}.{_text(plan)}</p>'
    options = ''.join(
        f'<option value="{one}"{" selected" if one == failed.person else ""}>{one}</option>'
        for one in LABELS
    )
    return (
        f'<div class="failure"><p><b>{_text(row.instruction)}</b></p>'
        f'<p class="soft">{_text(row.cell.world)} {_text(row.cell.task)}, {_text(method)}, seed '
        f'{row.cell.seed}; ended by {_text(row.ended)} after {row.decisions} decisions and '
        f'{row.steps} skills; {_text(row.judged or "not judged")}'
        f'{"" if row.cell.store == "" else ", store " + _text(axis_value(row, "store_size"))}</p>'
        f'<p>{_text(row.reason)}</p>{by_rules}'
        f'<p class="choose"><label>It is <select data-key="{escape(failed.key)}">'
        f'<option value="">not labelled</option>{options}</select></label></p>'
        f'{_run(failed, whole)}</div>\n'
    )


def _run(failed: Failed, whole: bool) -> str:
    """What was done, folded up."""
    evidence = failed.evidence
    if evidence is None:
        return '<p class="soft">Its journal is not there.</p>'
    if not whole:
        summary = f'reactree replay runs/{failed.row.run}.jsonl'
        return f'<p class="soft">What was done: <code>{_text(summary)}</code></p>'
    shown = evidence.steps[-_SHOWN_STEPS:]
    first = len(evidence.steps) - len(shown) + 1
    lines = ''.join(
        f'<li><b>{_text(step.skill)}</b>'
        f'{"" if step.outcome is Outcome.SUCCEEDED else " " + step.outcome.name.lower()} '
        f'<span class="soft">{escape(step.text)}</span></li>'
        for step in shown
    )
    subgoals = ''.join(f'<li>{_text(", ".join(goals))}</li>' for goals in evidence.expansions)
    divided = f'<p>Subgoals, an expansion each:</p><ol>{subgoals}</ol>' if subgoals else ''
    summary = count(len(evidence.steps), 'skill')
    return (
        f'<details><summary>What was done ({summary})</summary>{divided}'
        f'<p>Skills and what was seen:</p><ol start="{first}">{lines}</ol></details>'
    )
