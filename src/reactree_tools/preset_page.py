"""Writes docs/presets.md from the tables of presets: `python -m` this module prints it."""

from __future__ import annotations

from reactree_planner.planners.registry import PLANNERS
from reactree_planner.runs.presets import differences, preset_names
from reactree_planner.runs.published import FROM_PAPERS, PUBLISHED, PUBLISHED_CODE

#: Setting, value, default and source.
_Row = tuple[str, str, str, str]
_HEAD = """\
# Presets

Written from `src/reactree_planner/runs/published.py` by
`python -m reactree_tools.preset_page > docs/presets.md`.
A preset sets how a planner decides; further changes follow after commas (`published,subgoals=8`).
Settings that are not in these tables keep their defaults.
`reactree planner show NAME --preset PRESET` prints those of one planner, with the defaults.
[decisions/presets.md](decisions/presets.md) says where values are from and what no preset sets.
"""
_COLUMNS = '| setting | value | source | planners |\n|---|---|---|---|\n'


def preset_page() -> str:
    """The whole page as Markdown: a row for each value, with the planners that have it."""
    common = {value.setting for value in FROM_PAPERS if not value.planner}
    published: dict[_Row, list[str]] = {}
    code: dict[_Row, list[str]] = {}
    for planner in PLANNERS:
        known = differences(PUBLISHED, planner)
        for row in known:
            if row[0] not in common:
                published.setdefault(row, []).append(f'`{planner}`')
        if PUBLISHED_CODE in preset_names(planner):
            for row in differences(PUBLISHED_CODE, planner):
                if row not in known:
                    code.setdefault(row, []).append(f'`{planner}`')
    every = {row: ['all'] for row in differences(PUBLISHED, '')}
    return (
        f'{_HEAD}\n## `published`\n\n{_table(every | published)}\n'
        f'## `published-code`\n\nAs `published`, except:\n\n{_table(code)}'
    )


def _table(rows: dict[_Row, list[str]]) -> str:
    lines = (
        f'| `{setting}` | {value} | {source} | {", ".join(planners)} |\n'
        for (setting, value, _, source), planners in rows.items()
    )
    return _COLUMNS + ''.join(lines)


if __name__ == '__main__':
    print(preset_page(), end='')
