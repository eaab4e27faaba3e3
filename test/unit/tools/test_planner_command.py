"""`reactree planner`: planners with their presets, and what a preset sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_planner.planners.registry import planner_names
from reactree_planner.runs.presets import preset_names
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from reactree_tools.preset_page import preset_page


def test_every_planner_is_listed_with_its_presets(capsys) -> None:
    assert main(['planner', 'list', '--plain']) == ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(planner_names())
    assert lines[0].endswith(', '.join(preset_names(planner_names()[0])))


def test_a_preset_is_shown_beside_the_default_and_its_sources(capsys) -> None:
    words = ['planner', 'show', 'react', '--preset', 'published,seed=3', '--plain']
    assert main(words) == ExitCode.OK
    rows = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines()}
    assert rows['ask'][1:3] == ['never', 'when-unsure'] and 'paper' in rows['ask']
    assert rows['seed'][1:] == ['3', '0', 'given', 'here']


def test_the_default_differs_in_nothing(capsys) -> None:
    assert main(['planner', 'show', 'react', '--preset', 'default']) == ExitCode.OK
    assert capsys.readouterr().out.strip() == 'All settings have their defaults.'


@pytest.mark.parametrize(
    ('words', 'told'),
    [
        (['reacts'], 'There is no planner "reacts"'),
        (['react', '--preset', 'best'], 'there is no preset "best" of the planner react'),
    ],
)
def test_what_there_is_not_is_told(words, told, capsys) -> None:
    assert main(['planner', 'show', *words]) == ExitCode.UNUSABLE
    assert told in capsys.readouterr().err


def test_the_page_of_presets_is_written_from_the_tables() -> None:
    page = Path(__file__).parents[3] / 'docs' / 'presets.md'
    assert page.read_text(encoding='utf-8') == preset_page(), (
        'run: python -m reactree_tools.preset_page > docs/presets.md'
    )
