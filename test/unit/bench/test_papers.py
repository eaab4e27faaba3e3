"""docs/papers.md: every row's command can be given, and what holds it is there."""

from __future__ import annotations

import ast
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from reactree_planner.planners.registry import planner_names
from reactree_planner.runs.presets import settings_of_preset
from reactree_tools.command_line import make_parser

ROOT = Path(__file__).parents[3]
_STATES = ('works', 'differs', 'missing', 'a drawing', 'a list', 'a comparison', 'a: ', 'as above',
           'texts of observations')  # fmt: skip
#: Paper -> its last table and figure.
LAST = {
    'ReAcTree (AAMAS 2026)': (6, 4),
    'ReAcTree, earlier version': (8, 5),
    'ADaPT': (8, 12),
    'Tree-Planner': (9, 17),
    'ProcWorld': (21, 11),
}


def names_of(row):
    """Of what a row is: ``Table 3 to 5, 7`` is of four tables."""
    kind, _, numbers = row.partition(' ')
    if kind not in {'Table', 'Figure'}:
        return [row]
    found = []
    for part in numbers.split(', '):
        first, _, last = part.partition(' to ')
        found += range(int(first), int(last or first) + 1)
    return [f'{kind} {number}' for number in found]


def rows():
    """Paper, name, state and what holds it, of every row."""
    paper = ''
    for line in (ROOT / 'docs' / 'papers.md').read_text(encoding='utf-8').splitlines():
        paper = line.removeprefix('## ') if line.startswith('## ') else paper
        if paper and line.startswith('| ') and not line.startswith(('| |', '|--')):
            name, state, held = (cell.strip() for cell in line.strip('|').split('|'))
            for one in names_of(name):
                yield paper, one, state, held


ROWS = list(rows())


@pytest.mark.parametrize('command', sorted(set(re.findall(r'`(reactree [^`]+)`', str(ROWS)))))
def test_a_command_is_one(command):
    parsed = make_parser().parse_args(shlex.split(command)[1:])
    planners = getattr(parsed, 'planner', None) or ['reactree']
    for planner in planners if isinstance(planners, list) else [planners]:
        assert planner in planner_names()
        presets = getattr(parsed, 'preset', None) or []
        for preset in presets if isinstance(presets, list) else [presets]:
            settings_of_preset(preset, planner)


@cache
def functions(path):
    tree = ast.parse((ROOT / path).read_text(encoding='utf-8'))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize('test', sorted(set(re.findall(r'`(test/[^`]+)`', str(ROWS)))))
def test_what_holds_a_row_is_a_test(test):
    path, _, name = test.partition('::')
    assert (ROOT / path).is_file()
    assert not name or name in functions(path)


def test_every_table_and_figure_has_one_row_and_every_row_says_where_it_stands():
    for paper, (tables, figures) in LAST.items():
        names = [name for one, name, *_ in ROWS if one == paper]
        for kind, last in (('Table', tables), ('Figure', figures)):
            wanted = [f'{kind} {number}' for number in range(1, last + 1)]
            assert sorted(name for name in names if name.startswith(f'{kind} ')) == sorted(wanted)
        assert any(name.startswith('Method') for name in names)
    assert {row[0] for row in ROWS} == set(LAST)
    assert not [row for row in ROWS if not row[2].startswith(_STATES)]


def test_what_works_is_held_by_something():
    assert not [row for row in ROWS if row[2].startswith('works') and not row[3]]
