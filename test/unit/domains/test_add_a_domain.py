"""docs/add_a_domain.md, followed to the letter."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from memory_server.seed.loader import write_experiences
from reactree_core.domain import domain_origins, load_domain, PROMPTS, Words
from reactree_core.experience import Experience, Termination
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.names import Names
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from support.page import commands_of, install_package_of, write_files_of

_PAGE = 'add_a_domain.md'
_TEXT = Path(__file__).parents[3].joinpath('docs', _PAGE).read_text(encoding='utf-8')
_SCAN = 'scan crate 1'
_LOAD = 'load crate 1 onto truck 1'
_ROBOT = Vocabulary(
    object_classes=('crate',),
    place_classes=('truck',),
    skill_types=(
        SkillType(
            'scan <crate>',
            kind=SkillKind.CHANGE,
            effects=('<crate> is scanned',),
            description='reads its label',
        ),
        SkillType('load <crate> onto <truck>', kind=SkillKind.PUT),
    ),
    domain='warehouse',
    about='You steer a fork lift.',
)
_TRAJECTORY = f"""\
Your task is to: {_SCAN}
You see crates.
Act: {_SCAN}
OK.
It is scanned.
Act: done
OK."""


@pytest.fixture(scope='module')
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page's own command has installed its distribution."""
    return install_package_of(_PAGE, tmp_path_factory.mktemp('warehouse'))


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the page's files."""
    write_files_of(_PAGE, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('XDG_DATA_HOME', str(tmp_path / 'data'))
    return tmp_path


def run(line: str) -> int:
    """A command of the page."""
    assert line in commands_of(_PAGE)
    return main(shlex.split(line)[1:])


def cells(first_row: str) -> dict[str, str]:
    """The table that has this row: first cell, without its quotation marks -> second."""
    for table in re.findall(r'(?:^\|.*\n)+', _TEXT, re.MULTILINE):
        rows = [[cell.strip() for cell in row.split('|')[1:-1]] for row in table.splitlines()]
        if first_row in [row[0] for row in rows]:
            return {name.strip('`'): text for name, text in rows[2:]}
    raise AssertionError(f'no table with a row {first_row}')


def test_the_page_explains_every_key_of_the_yaml_file() -> None:
    assert [key for key in Words.model_fields if f'`{key}`' not in _TEXT] == []


def test_the_table_of_prompts_is_that_of_the_program() -> None:
    assert cells('`reactree.txt`') == {f'{name}.txt': about for name, about in PROMPTS.items()}


def test_the_folder_is_well_and_its_prompt_reads_as_it_is_meant(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run('reactree domain check ./warehouse') == ExitCode.OK
    assert run('reactree domain check ./warehouse --prompt reactree') == ExitCode.OK
    assert 'You fill one order at a time' in capsys.readouterr().out
    parameters = yaml.safe_load((written / 'warehouse.yaml').read_text())
    domain = load_domain(parameters['/**/planner']['ros__parameters']['domain'])
    text = domain.prompt('reactree', _ROBOT)
    assert text.startswith('You steer a fork lift.\nYou fill one order')
    assert 'seen:\n- scan <crate>: reads its label\n- load <crate> onto <truck>\n' in text
    assert domain.words.regions == 'Docks'


def test_examples_go_from_one_memory_through_the_domain_into_another(
    written: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    solved = Experience(
        '', _SCAN, _TRAJECTORY, Termination.SUCCESS, run_id='3f2a77', planner='reactree'
    )
    other = replace(solved, trajectory=_TRAJECTORY.replace('crates', 'much'), run_id='seed')
    (written / 'solved.txt').write_text(write_experiences([solved, other]))
    assert main(['memory', 'import', 'solved.txt']) == ExitCode.OK
    assert run('reactree memory export --text warehouse/examples --run 3f2a') == ExitCode.OK
    assert run('reactree domain check ./warehouse') == ExitCode.OK
    assert '1 experience: 1 success, 1 reactree' in capsys.readouterr().out
    monkeypatch.setenv('XDG_DATA_HOME', str(written / 'of_another_robot'))
    assert run('reactree memory import warehouse/examples') == ExitCode.OK
    assert '1 new experience' in capsys.readouterr().out


@pytest.mark.timeout(180)
def test_the_package_is_found_by_the_name_that_the_skill_server_tells(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(package))
    assert run('reactree domain list') == ExitCode.OK
    assert run('reactree domain check warehouse') == ExitCode.OK
    assert domain_origins()['warehouse'] == 'reactree-warehouse 1.0'
    domain = load_domain(_ROBOT.domain)
    assert domain.words.title == 'Robots that scan crates and load trucks'
    assert domain.prompt('reactree', _ROBOT).startswith('You steer a fork lift.\nYou fill')


@pytest.mark.parametrize(
    ('opening', 'features'),
    [
        ('You see nothing.', set()),
        ('You see crate 1.', {'in sight'}),
        ('Crate 1 is scanned here', {'in sight', 'scanned'}),
    ],
)
def test_features_of_a_first_observation(written: Path, opening: str, features: set[str]) -> None:
    rules = load_domain('./warehouse').rules
    assert rules is not None
    assert rules.opening_features(_LOAD, opening, Names(_ROBOT)) == features
