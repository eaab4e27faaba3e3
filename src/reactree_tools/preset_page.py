"""Writes docs/presets.md from the tables of presets: `python -m` this module prints it."""

from __future__ import annotations

from collections.abc import Iterator

from reactree_planner.planners.registry import PLANNERS
from reactree_planner.runs.presets import differences
from reactree_planner.runs.presets import preset_names
from reactree_planner.runs.published import FROM_PAPERS
from reactree_planner.runs.published import PUBLISHED
from reactree_planner.runs.published import PUBLISHED_CODE

_HEAD = """\
# Presets

Written from `src/reactree_planner/runs/published.py` by
`python -m reactree_tools.preset_page > docs/presets.md`.
A preset sets how a planner decides; further changes follow after commas (`published,subgoals=8`).
Settings that are not in these tables keep their defaults.
`reactree planner show NAME --preset PRESET` prints the same tables.
[decisions/presets.md](decisions/presets.md) says where values are from and what no preset sets.
"""
_COLUMNS = '| setting | value | default | source |\n|---|---|---|---|\n'


def preset_page() -> str:
    """The whole page as Markdown."""
    common = {value.setting for value in FROM_PAPERS if not value.planner}
    parts = [
        _HEAD,
        '## `published`, every planner\n\n' + _COLUMNS + ''.join(_rows(PUBLISHED, '', set())),
    ]
    for planner in PLANNERS:
        rows = ''.join(_rows(PUBLISHED, planner, common))
        if rows:
            parts.append(f'## `published`, `{planner}`\n\n{_COLUMNS}{rows}')
        if PUBLISHED_CODE in preset_names(planner):
            known = set(differences(PUBLISHED, planner))
            rows = ''.join(
                _row(one) for one in differences(PUBLISHED_CODE, planner) if one not in known
            )
            told = 'As `published`, except:\n\n'
            parts.append(f'## `published-code`, `{planner}`\n\n{told}{_COLUMNS}{rows}')
    return '\n'.join(parts)


def _rows(preset: str, planner: str, left_out: set[str]) -> Iterator[str]:
    for one in differences(preset, planner):
        if one[0] not in left_out:
            yield _row(one)


def _row(cells: tuple[str, str, str, str]) -> str:
    setting, value, default, source = cells
    return f'| `{setting}` | {value} | {default} | {source} |\n'


if __name__ == '__main__':
    print(preset_page(), end='')
