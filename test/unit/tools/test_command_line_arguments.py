"""The command line without ROS: help, version, bad input, and what is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reactree_tools import __version__
from reactree_tools.command_line import main, make_parser
from reactree_tools.commands.demo import demo_options, names_a_task
from reactree_tools.exit_codes import ExitCode
from reactree_tools.running_stack import RunningStack

_ROOT = Path(__file__).parents[3]
_COMMANDS = ('demo', 'up', 'plan', 'scene', 'task', 'model', 'memory', 'domain', 'world')


@pytest.mark.parametrize('command', _COMMANDS)
def test_every_command_has_help_with_examples(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    with pytest.raises(SystemExit) as end:
        main([command, '--help'])
    assert end.value.code == 0
    assert f'  reactree {command}' in capsys.readouterr().out


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(['--version'])
    assert capsys.readouterr().out == f'reactree {__version__}\n'
    assert f'<version>{__version__}</version>' in (_ROOT / 'package.xml').read_text('utf-8')


@pytest.mark.parametrize(
    'arguments',
    [
        [],
        ['fly'],
        ['up', '--namespace', 'my robot'],
        ['up', '--memory', 'a.db', '--no-memory'],
        ['plan', '--max-steps', '0'],
        ['plan', '--timeout', 'nan'],
        ['demo', '--seed', '-1'],
        ['up', '--log-level', 'loud'],
        ['world'],
        ['model', 'remove'],
        ['memory'],
        ['domain'],
        ['domain', 'check'],
        ['memory', 'show'],
        ['memory', 'list', '--termination', 'won'],
        ['memory', 'search', 'x', '--limit', '0'],
        ['memory', 'bootstrap'],
        ['memory', 'reembed'],
        ['memory', 'export', 'a.jsonl', '--text', 'folder'],
    ],
)
def test_bad_arguments_end_with_usage_and_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == ExitCode.UNUSABLE
    assert 'usage: reactree' in capsys.readouterr().err


@pytest.mark.parametrize(
    ('arguments', 'usage', 'words'),
    [
        (['up', '--robbot', 'a.yaml'], 'up', '--robbot a.yaml; did you mean --robot?\n'),
        (['world', 'reset', '--sceen=x'], 'world reset', '--sceen=x; did you mean --scene?'),
        (['stop', 'now'], 'stop', 'unrecognized arguments: now\n'),
    ],
)
def test_an_argument_that_nobody_knows_gets_the_usage_of_its_command(
    capsys: pytest.CaptureFixture[str], arguments: list[str], usage: str, words: str
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == ExitCode.UNUSABLE
    told = capsys.readouterr().err
    assert told.startswith(f'usage: reactree {usage} ') and words in told


@pytest.mark.parametrize(
    ('arguments', 'sentence'),
    [
        (
            ['--robot', 'a.yaml', '--scene', 'generated:3'],
            '--scene is for a simulated world, and --robot FILE starts none: leave it out.',
        ),
        (['--robot', 'a.yaml', '--seed', '0'], '--seed is for a simulated world'),
        (['--no-bridge', '--world', 'thor'], '--world is for a simulated world, and --no-bridge'),
        (['--planner', 'reactre'], 'There is no planner "reactre". Choose one of: adapt, '),
        (['--permission', 'alow'], 'write allow, ask or deny.'),
    ],
)
def test_what_up_cannot_use_is_told_before_anything_starts(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.setattr(RunningStack, '__init__', None)
    assert main(['up', '--model', 'http://127.0.0.1:1/v1', *arguments]) == ExitCode.UNUSABLE
    assert sentence in capsys.readouterr().err


def test_a_robots_file_with_a_mistake_is_told_before_anything_starts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(RunningStack, '__init__', None)
    path = tmp_path / 'robot.yaml'
    path.write_text('robot: [pillbot\n', 'utf-8')
    arguments = ['--model', 'http://127.0.0.1:1/v1', '--robot', str(path)]
    for command in (['up'], ['demo', '--task', 'sweep the hall']):
        assert main([*command, *arguments]) == ExitCode.UNUSABLE
        assert 'robot.yaml is not YAML: line' in capsys.readouterr().err
    assert main(['demo', '--task', 'sweep', '--scene', 'x', *arguments]) == ExitCode.UNUSABLE
    assert '--scene is for a simulated world' in capsys.readouterr().err


def test_a_task_that_is_too_long_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['plan', 'x' * 2001]) == ExitCode.UNUSABLE
    sentence = capsys.readouterr().err
    assert sentence.startswith('reactree: The task has 2,001 characters')
    assert sentence.count('\n') == 1


@pytest.mark.parametrize(
    ('choice', 'words'),
    [
        ('gpt-99', 'qwen2.5-coder-1.5b'),
        ('/nowhere/model.gguf', '/nowhere/model.gguf'),
        ('scripted:/nowhere.yaml', '/nowhere.yaml'),
    ],
)
def test_a_model_that_is_not_there_is_told_before_anything_starts(
    capsys: pytest.CaptureFixture[str], choice: str, words: str
) -> None:
    assert main(['up', '--model', choice]) == ExitCode.UNUSABLE
    assert words in capsys.readouterr().err


def test_a_default_model_that_is_not_fetched_tells_how_to_where_it_is_not_fetched_later(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    assert main(['model', 'exam', 'qwen2.5-coder-1.5b']) == ExitCode.UNUSABLE
    sentence = capsys.readouterr().err
    assert '`reactree model fetch qwen2.5-coder-1.5b`' in sentence
    assert '`make model`' in sentence


def test_models_are_listed_and_removed_without_ros(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    assert main(['model', 'list', '--plain']) == ExitCode.OK
    text = capsys.readouterr().out
    assert 'o qwen2.5-coder-1.5b  1,117 MB  not fetched  default' in text
    assert main(['model', 'remove', 'gemma-3-270m']) == ExitCode.OK
    assert 'was not on this machine' in capsys.readouterr().out
    assert main(['model', 'check']) == ExitCode.OK
    assert main(['model', 'check', 'gemma-3-270m']) == ExitCode.UNUSABLE


@pytest.mark.parametrize(
    'arguments', [['--help'], ['up', '--help'], ['memory', 'list', '--help'], ['model', 'list']]
)
def test_quick_commands_import_neither_ros_nor_a_model(arguments: list[str]) -> None:
    program = (
        'import sys\nfrom reactree_tools.command_line import main\n'
        f'try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n'
        "slow = {'rclpy', 'reactree_ros', 'numpy', 'onnxruntime', 'ik_llama_cpp'}\n"
        'print(sorted(slow & set(sys.modules)), file=sys.stderr)\n'
    )
    done = subprocess.run(
        [sys.executable, '-c', program],
        capture_output=True,
        text=True,
        timeout=60.0,
        check=True,
        env={'PYTHONPATH': str(_ROOT / 'src'), 'HOME': '/nonexistent', 'PATH': ''},
    )
    assert done.stderr.strip() == '[]'


def test_only_the_ros_folder_imports_ros() -> None:
    folder = _ROOT / 'src' / 'reactree_tools'
    for path in folder.rglob('*.py'):
        if 'ros' not in path.relative_to(folder).parts:
            for line in path.read_text(encoding='utf-8').splitlines():
                words = line.split()
                if words[:1] in (['import'], ['from']) and not line.startswith(' '):
                    assert words[1].partition('.')[0] not in ('rclpy', 'reactree_ros'), path
                    assert not words[1].startswith('reactree_tools.ros'), path


@pytest.mark.parametrize(
    ('text', 'loads'),
    [
        ('generated:3', True),
        ('setup_table:12', True),
        (__file__, True),
        (f'{__file__}#7', True),
        ('depth_2:1', True),
        ('invented:rest_on_the_sofa', True),
        ('wah:tasks.json#7', True),
        ('alfred:json_2.1.0/valid_seen#look-308/trial_2/0', True),
        (str(Path(__file__).parent), True),
        (f'{Path(__file__).parent}#7', True),
        ('test', False),
        ('#7', False),
        ('put the milk away', False),
        ('generated', False),
        ('', False),
    ],
)
def test_a_demo_tells_sentences_from_tasks_to_load(text: str, loads: bool) -> None:
    assert names_a_task(text) is loads


def test_a_demo_is_the_same_every_time_and_leaves_nothing() -> None:
    args = make_parser().parse_args(['demo'])
    chosen, sentence = demo_options(args)
    assert (chosen.given['memory_store'], chosen.given['seed'], sentence) == ('none', 0, '')
    args = make_parser().parse_args(['demo', '--task', ' find a plate '])
    chosen, sentence = demo_options(args)
    assert (chosen.given['task'], sentence) == ('', 'find a plate')


def test_words_of_a_task_need_no_quotes() -> None:
    args = make_parser().parse_args(['plan', 'put', 'the', 'milk', 'away', '--max-steps', '5'])
    assert (args.words, args.max_steps) == (['put', 'the', 'milk', 'away'], 5)
