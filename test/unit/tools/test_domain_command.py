"""`reactree domain`: what it says of good and of broken domains, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memory_server.seed.loader import write_experiences
from reactree_core.experience import Experience, Termination
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from support.distributions import installed

_TRAJECTORY = """\
Your task is to: scan crate 1
You see crate 1.
Act: scan crate 1
OK.
It is scanned.
Act: done
OK."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A good domain, in the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('COLUMNS', '400')
    folder = tmp_path / 'warehouse'
    (folder / 'prompts').mkdir(parents=True)
    (folder / 'examples').mkdir()
    (folder / 'domain.yaml').write_text('title: Lifts\nregions: Docks\n')
    (folder / 'prompts' / 'reactree.txt').write_text('$about\nYou can$recall:\n$skills\n')
    (folder / 'rules.py').write_text('def opening_features(*_, **__): return ()\n')
    experience = Experience(
        '', 'scan crate 1', _TRAJECTORY, Termination.SUCCESS, planner='reactree'
    )
    (folder / 'examples' / 'a.txt').write_text(write_experiences([experience]))
    return folder


def said(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed, however it was broken into lines."""
    return ' '.join(capsys.readouterr().out.split())


def test_domains_are_listed_with_where_they_are_from_and_what_is_wrong_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    installed(tmp_path, 'far-away', 'reactree.domains', 'far = far_away')
    assert main(['domain', 'list', '--plain']) == ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    words = [line.split() for line in lines]
    assert ['+', 'household', 'this', 'package'] in words
    assert ['+', 'neutral', 'this', 'package'] in words
    assert ['-', 'far', 'far-away', '1.0'] in words
    assert 'ModuleNotFoundError' in ' '.join(lines)


@pytest.mark.parametrize('name', ['household', 'neutral', 'procworld'])
def test_nothing_is_to_mend_or_to_think_about_in_our_own(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(['domain', 'check', name, '--plain']) == ExitCode.OK
    assert capsys.readouterr().out.endswith('\nNo mistakes.\n')


@pytest.mark.parametrize('name', ['warehouse', './warehouse', '{parent}/warehouse/'])
def test_what_is_a_folders_own_and_what_is_not_is_told_part_by_part(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    place = name.format(parent=folder.parent)
    assert main(['domain', 'check', place, '--plain']) == ExitCode.OK
    told = said(capsys)
    assert told.startswith(f'warehouse: {folder} ')
    for sentence in (
        '+ domain.yaml title, regions',
        '+ prompts/reactree.txt about 11 tokens, $about, $recall, $skills',
        'o prompts/executor.txt the neutral one',
        'o prompts/task_examples.txt none',
        '+ rules.py opening_features',
        '+ examples/a.txt 1 experience: 1 success, 1 reactree; about 33 tokens',
    ):
        assert sentence in told
    assert told.endswith('No mistakes.')


@pytest.mark.parametrize(
    ('name', 'content', 'sentence'),
    [
        (
            'domain.yaml',
            'tilte: x',
            '- domain.yaml {folder}/domain.yaml: line 1: there is no "tilte"',
        ),
        ('domain.yml', 'title: x', '- domain.yml No planner reads it: if you mean domain.ya'),
        ('prompts/reactre.txt', 'x', 'if you mean prompts/reactree.txt, rename it'),
        ('prompts/executor.txt', ' \n', 'It is empty'),
        ('prompts/executor.txt', b'\xff', '- prompts/executor.txt {folder}/prompts/executor.txt'),
        ('prompts/executor.txt', 'a $skill, $5', 'Unknown placeholder $skill; valid: $about'),
        ('prompts/plan_examples.txt', 'Go.\n$skills', '$skills is not replaced in this file'),
        ('prompts/plan_examples.txt', 'Go.\n\nScan.', 'A plan is a line with its task'),
        (
            'domain.yaml',
            'orders: [{say: ship <crate>, means: [<crate> shipped]}]',
            'The order "ship <crate>" is never read, as "<crate> shipped" is no condition',
        ),
        ('rules.py', '1 / 0', 'ZeroDivisionError'),
        ('rules.py', 'rules = ()', 'It has no opening_features'),
        (
            'examples/b.txt',
            'Scan it.',
            "examples/b.txt:1: no line begins with 'Your task is to: '",
        ),
        ('examples/b.txt', '', 'It has no experience'),
    ],
)
def test_what_is_to_mend_is_said_in_a_sentence_and_by_the_exit_status(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str | bytes,
    sentence: str,
) -> None:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    assert main(['domain', 'check', './warehouse', '--plain']) == ExitCode.FAILED
    told = said(capsys)
    assert sentence.format(folder=folder) in told
    assert 'mistake' in told
    # The rest is looked at all the same.
    assert 'o prompts/reflection.txt the neutral one' in told


@pytest.mark.parametrize(
    ('name', 'content', 'sentence'),
    [
        ('prompts/executor.txt', 'You may recall$recall.', 'It mentions recall even if'),
        (
            'prompts/mine.txt',
            'x',
            '! prompts/mine.txt No planner reads it; valid names: react',
        ),
        ('domain.yaml', 'examples_end: Recall it.', 'examples_end mentions recall even if'),
        ('examples/b.jsonl', '{}', '`reactree memory export --text FOLDER` writes valid files'),
        (
            'examples/b.txt',
            _TRAJECTORY.replace('It is scanned.', 'It is scanned. ' * 300),
            '1 experience with more than 700 tokens: never shown',
        ),
    ],
)
def test_what_is_only_doubtful_is_said_and_all_is_well(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, content: str, sentence: str
) -> None:
    (folder / name).write_text(content)
    assert main(['domain', 'check', './warehouse', '--plain']) == ExitCode.OK
    told = said(capsys)
    assert sentence in told
    assert told.endswith('No mistakes. 1 warning (!).')


def test_a_folder_with_nothing_of_a_domain_is_not_well(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(['domain', 'check', '.', '--plain']) == ExitCode.FAILED
    assert 'It has no file of a domain' in said(capsys)


def test_a_file_that_is_none_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / 'prompts' / 'executor.txt').symlink_to(folder / 'gone.txt')
    assert main(['domain', 'check', './warehouse', '--plain']) == ExitCode.FAILED
    assert '- prompts/executor.txt It is not a readable file' in said(capsys)


def test_a_prompt_is_shown_as_the_model_would_read_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ['domain', 'check', './warehouse', '--prompt', 'reactree', '--plain']
    assert main(arguments) == ExitCode.OK
    shown = capsys.readouterr().out.partition('No mistakes.\n')[2]
    assert shown.startswith('\nYou steer a fork lift in a warehouse.')
    assert '- load <crate> onto <truck>' in shown
    assert '$' not in shown


@pytest.mark.parametrize(
    ('arguments', 'sentence'),
    [
        (
            ['nowhere'],
            'no domain "nowhere"; choose one of alfred, alfworld, household',
        ),
        (['./nowhere'], 'There is no folder'),
        (['neutral', '--prompt', 'react'], 'no prompt "react"; choose one of reactree'),
    ],
)
def test_what_is_not_there_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main(['domain', 'check', *arguments]) == ExitCode.UNUSABLE
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count('\n') == 1


def test_it_needs_no_ros() -> None:
    source = Path(__file__).parents[3] / 'src'
    code = (
        f'import sys; sys.path.insert(0, {str(source)!r}); sys.modules["rclpy"] = None\n'
        'from reactree_tools.command_line import main\n'
        'sys.exit(main(["domain", "check", "household"]))'
    )
    done = subprocess.run(
        [sys.executable, '-I', '-c', code], capture_output=True, text=True, timeout=50
    )
    assert (done.returncode, done.stderr) == (0, '')
