"""Requirements of tests: named in one place, skipped with a command, judged by a second stage."""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from _pytest.outcomes import Skipped

from support import needs as needs_of_tests
from support.needs import EXCUSE, FIXTURES, Need, NEEDS, needs

ROOT = Path(__file__).parents[3]
#: What only test/support/needs.py may call.
SKIPS = ('skip', 'skipif', 'importorskip', 'SkipTest')


def skips(path: Path) -> list[int]:
    """Lines of a file that skip tests by themselves."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8')))
        if isinstance(node, ast.Attribute) and node.attr in SKIPS
    ]


def test_only_declared_needs_skip_tests() -> None:
    files = {*(ROOT / 'test').rglob('*.py'), *(ROOT / 'examples').rglob('test_*.py')}
    allowed = ROOT / 'test' / 'support' / 'needs.py'
    assert allowed in files and skips(allowed)
    found = {path.relative_to(ROOT): skips(path) for path in files - {allowed}}
    assert not {path: lines for path, lines in found.items() if lines}


def test_every_need_says_how_it_is_met_and_fixtures_name_needs() -> None:
    for name, need in NEEDS.items():
        assert need.what and len(need.command.split()) >= 2, name
        assert need.reason.startswith(f'needs {need.what}: {need.command}')
        assert (EXCUSE in need.reason) is not need.is_brought
    assert set(FIXTURES.values()) <= NEEDS.keys()
    with pytest.raises(AssertionError, match='Chromium'):
        needs('Chromium')


def made(excuse: str, there: bool) -> Need:
    return Need('a lamp', 'apt-get install lamp', lambda: there, lambda: excuse)


class Item:
    """A test with a marker and a fixture, as pytest has it."""

    fixturenames = ('tmp_path', 'lantern')

    def iter_markers(self, name: str) -> list[Any]:
        return [SimpleNamespace(args=('lamp',))] if name == 'needs' else []


@pytest.mark.parametrize(
    ('excuse', 'there', 'later'),
    [
        ('', True, True),
        ('', False, True),
        ('no current', True, False),
        ('no current', False, True),
    ],
)
def test_the_second_stage_takes_what_it_brings_and_what_is_missing(
    excuse: str, there: bool, later: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NEEDS, 'lamp', made(excuse, there))
    monkeypatch.setitem(FIXTURES, 'lantern', 'lamp')
    item: Any = Item()
    assert needs_of_tests.needs_of(item) == [NEEDS['lamp']]
    assert needs_of_tests.is_for_later(item) is later
    if there:
        needs_of_tests.check_needs(item)
    else:
        with pytest.raises(Skipped, match='needs a lamp: apt-get install lamp'):
            needs_of_tests.check_needs(item)


REPORT = """\
<testsuites><testsuite tests="7" skipped="{skipped}">
<testcase classname="test.system.test_page" name="test_a"/>
{cases}</testsuite></testsuites>
"""
CASE = (
    '<testcase classname="test.system.test_page" name="test_{0}">'
    '<skipped message="{1}">{2}</skipped></testcase>\n'
)


def test_a_skip_without_an_excuse_fails_the_second_stage(tmp_path: Path) -> None:
    functions = runpy.run_path(str(ROOT / 'scripts' / 'run_tests.py'))
    assert functions['EXCUSE'] == EXCUSE
    reasons = [made('no current', False).reason, made('', False).reason, 'I do not like it']
    report = tmp_path / 'report.xml'
    cases = [CASE.format(number, reason, '') for number, reason in enumerate(reasons)]
    # pytest writes the reasons of whole files so.
    cases += [CASE.format(number + 3, 'whole', reason) for number, reason in enumerate(reasons)]
    report.write_text(REPORT.format(skipped=len(cases), cases=''.join(cases)))
    assert functions['unexcused'](report) == [
        f'test.system.test_page::test_1: {reasons[1]}',
        f'test.system.test_page::test_2: {reasons[2]}',
        f'test.system.test_page::test_4: whole {reasons[1]}',
        f'test.system.test_page::test_5: whole {reasons[2]}',
    ]


def test_a_missing_requirement_skips_a_test_and_a_file_with_its_command(tmp_path: Path) -> None:
    (tmp_path / 'test_lamp.py').write_text(
        'import pytest\n'
        'from support.needs import needs\n'
        "@needs('old ai2thor')\n"
        'def test_one(): pass\n'
        'def test_two(): pass\n'
    )
    (tmp_path / 'test_hall.py').write_text(
        'from support import needs\n'
        "needs.NEEDS['java'] = needs.Need('a hall', 'build it', lambda: False, lambda: '')\n"
        "hall = needs.needed_module('hall', 'java')\n"
    )
    (tmp_path / 'conftest.py').write_text((ROOT / 'test' / 'conftest.py').read_text())
    command = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-c']
    command += [str(ROOT / 'pyproject.toml'), '--rootdir', str(tmp_path)]
    environment = {'PATH': '', 'PYTHONPATH': f'{ROOT / "src"}:{ROOT / "test"}'}

    def run(*options: str) -> str:
        done = subprocess.run(
            [*command, *options, str(tmp_path)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    whole = run()
    assert '1 passed, 2 skipped' in whole
    assert 'needs ai2thor 2.1.0: set REACTREE_THOR21_PYTHON' in whole
    assert 'needs a hall: build it' in whole
    assert '2 skipped, 1 deselected' in run('--optional')
