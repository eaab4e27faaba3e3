"""Parameter files: what is taken, and a sentence for what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_core.errors import ConfigurationError
from reactree_tools.processes.parameter_files import check_parameter_file, write_parameter_file

_CONFIG = Path(__file__).parents[3] / 'config'


def _write(folder: Path, text: str) -> Path:
    path = folder / 'params.yaml'
    path.write_text(text, encoding='utf-8')
    return path


@pytest.mark.parametrize('name', ['bridge', 'memory', 'planner'])
def test_the_shipped_files_are_parameter_files(name: str) -> None:
    assert list(check_parameter_file(_CONFIG / f'{name}.yaml')) == [f'/**/{name}']


def test_namespaces_may_be_nested_keys(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        'robot_1:\n  planner:\n    ros__parameters: {seed: 1}\n'
        '/**:\n  ros__parameters: {seed: 2}\n',
    )
    assert check_parameter_file(path) == {'robot_1/planner': {'seed': 1}, '/**': {'seed': 2}}


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('planner:\n  ros__parameters:\n   a: 1\n  b: [', 'line 4'),
        ('planner:\n\tros__parameters: {}', 'line 2'),
        ('', 'is not of the form'),
        ('- a\n- b\n', 'is not of the form'),
        ('planner: 3\n', 'is not of the form'),
        ('planner:\n  seed: 3\n', 'is not of the form'),
        ('planner:\n  ros__parameters:\n', 'has no parameters below'),
    ],
)
def test_what_is_wrong_is_said_with_the_file_and_the_place(
    tmp_path: Path, text: str, words: str
) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(ConfigurationError) as error:
        check_parameter_file(path)
    assert words in str(error.value)
    assert str(path) in str(error.value)


def test_a_missing_and_a_binary_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='No such file'):
        check_parameter_file(tmp_path / 'missing.yaml')
    (tmp_path / 'binary.yaml').write_bytes(b'\xff\xfe\x00')
    with pytest.raises(ConfigurationError, match='not text'):
        check_parameter_file(tmp_path / 'binary.yaml')


def test_what_is_written_reads_back_whatever_yaml_would_make_of_it(tmp_path: Path) -> None:
    values = {'task': '3', 'scene': 'generated:3', 'model': '~', 'memory': False, 'seed': 7}
    path = tmp_path / 'folder' / 'written.yaml'
    write_parameter_file(path, '/robot_1/planner', values)
    assert check_parameter_file(path) == {'/robot_1/planner': values}


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / 'file').touch()
    with pytest.raises(ConfigurationError, match='ROS_LOG_DIR'):
        write_parameter_file(tmp_path / 'file' / 'x.yaml', '/planner', {'seed': 1})
