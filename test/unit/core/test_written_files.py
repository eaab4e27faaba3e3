"""Files that people write: read, bounded, checked, with a line for each mistake."""

from __future__ import annotations

import json
import string
from pathlib import Path
from time import process_time

import pytest
import yaml
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
from pydantic import Field

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import MistakesError, read_file, Written


class Step(Written):
    skill: str
    seconds: float = Field(1.0, gt=0, allow_inf_nan=False)


class Program(Written):
    title: str = ''
    steps: list[Step] = Field(min_length=1)
    names: dict[str, str] = Field(default_factory=dict)


GOOD = """\
title: Morning
steps:
  - skill: look
  - skill: go to kitchen
    seconds: 2.5
names: {mug: cup}
"""


def write(folder: Path, text: str | bytes, name: str = 'program.yaml') -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_good_file_becomes_its_type_from_yaml_and_from_json(tmp_path: Path) -> None:
    program = read_file(write(tmp_path, GOOD), Program)
    assert program.steps[1] == Step(skill='go to kitchen', seconds=2.5)
    text = json.dumps(yaml.safe_load(GOOD))
    assert read_file(write(tmp_path, text, 'program.json'), Program) == program


def test_what_editors_on_other_systems_add_is_no_mistake(tmp_path: Path) -> None:
    path = write(tmp_path, b'\xef\xbb\xbf' + GOOD.replace('\n', '\r\n').encode())
    assert read_file(path, Program).title == 'Morning'


@pytest.mark.parametrize(
    ('text', 'says'),
    [
        ('steps:\n  - skil: look\n', 'line 2: there is no "steps.1.skil"; there are skill, sec'),
        ('steps:\n  - skil: look\n', 'line 2: "steps.1.skill" is missing'),
        ('tilte: x\nsteps: [{skill: a}]\n', 'line 1: there is no "tilte"; there are title, step'),
        ('steps:\n- skill: a\n\n  seconds: soon\n', 'line 4: "steps.1.seconds" must be a number'),
        ('steps:\n- skill: a\n  seconds: 0\n', 'line 3: "steps.1.seconds" must be more than 0'),
        ('steps:\n- skill: a\n  seconds: .inf\n', 'must be a finite number'),
        ('steps: []\n', 'line 1: "steps" must have 1 entries or more'),
        ('steps: [{skill: no}]\n', '"steps.1.skill" must be a text: write it between quotation'),
        ('names:\n  a: b\n  on: cup\n', 'line 3: on is read as true by YAML: write "on"'),
        ('names:\n  a: b\n  no: cup\n', 'line 3: no is read as false by YAML: write "no"'),
        ('names: {a: b,\n2:30: cup}\n', 'line 2: 2:30 is read as the number 150 by YAML: write'),
        ('names: {a: b,\n007: cup}\n', 'line 2: 007 is read as the number 7 by YAML: write "007"'),
        ('names: {a: b,\n1.50: cup}\n', 'line 2: 1.50 is read as the number 1.5 by YAML: write'),
        ('names: {a: b,\n2024-01-02: c}\n', 'line 2: 2024-01-02 is read as a date by YAML'),
        ('names: {a: b,\n~: cup}\n', 'line 2: ~ is read as nothing by YAML: write "~"'),
        # Both are true: the second hides the first.
        ('names: {on: a,\nyes: b}\n', 'on is read as true by YAML: write "on"; line 2: yes is'),
        ('names: {a: b,\non: 1}\n', 'line 2: "names.on" must be a text'),
        ('names: {a: b,\n0x1F: 1}\n', 'line 2: "names.0x1F" must be a text'),
        ('steps: look\n', '"steps" must be a list'),
        ('steps: [look]\n', '"steps.1" must map names to values'),
        ('title: a\nnames: {}\ntitle: b\n', 'line 3, column 1: "title" appears twice'),
        ('steps: &s [*s]\n', 'contains itself'),
        ('steps: [\n', 'not YAML: line 2'),
        ('[' * 3000, 'nested too deeply'),
        ('- a\n', 'must be a program'),
        ('', 'must be a program'),
        (b'title: \xff', 'not text in UTF-8'),
        (b' ' * (2 * 1024**2), 'larger than 1 MB'),
    ],
)
def test_each_mistake_is_said_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        read_file(path, Program, form='must be a program')
    said = str(caught.value)
    assert says in said and str(path) in said and '\n' not in said


def test_names_that_are_no_texts_are_said_once(tmp_path: Path) -> None:
    with pytest.raises(MistakesError) as caught:
        read_file(write(tmp_path, 'steps: [{skill: look}]\nnames: {on: a, 2:30: b}\n'), Program)
    assert caught.value.mistakes == (
        'line 2: on is read as true by YAML: write "on"',
        'line 2: 2:30 is read as the number 150 by YAML: write "2:30"',
    )


def test_aliases_that_unfold_without_end_are_refused(tmp_path: Path) -> None:
    lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    lines += [f'a{n}: &a{n} [{", ".join([f"*a{n - 1}"] * 10)}]' for n in range(1, 9)]
    with pytest.raises(ConfigurationError, match='unfold to too much'):
        read_file(write(tmp_path, '\n'.join(lines)), dict)


def test_several_mistakes_are_said_at_once_but_not_hundreds(tmp_path: Path) -> None:
    text = 'steps:\n' + '- {skill: 1}\n' * 50
    with pytest.raises(ConfigurationError, match=r'line 2: .*; line 9: .*; and 42 more\.$'):
        read_file(write(tmp_path, text), Program)


def test_a_file_full_of_mistakes_takes_no_quadratic_time(tmp_path: Path) -> None:
    text = 'steps: [{skill: look}]\nnames:\n' + '\n'.join(f'  n{n}: {n}' for n in range(30_000))
    began = process_time()
    with pytest.raises(ConfigurationError, match=r'; and 29992 more\.$'):
        read_file(write(tmp_path, text), Program)
    assert process_time() - began < 12


def test_a_name_that_stands_twice_in_json_is_refused(tmp_path: Path) -> None:
    text = '{"steps": [{"skill": "a"}, {"skill": "b", "seconds": 1, "skill": "c"}]}'
    with pytest.raises(ConfigurationError, match='not JSON: "skill" appears twice'):
        read_file(write(tmp_path, text, 'program.json'), Program)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='cannot be read: No such file'):
        read_file(tmp_path / 'none.yaml', Program)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(string.printable),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(['steps', 'x', '']), inner),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text() | JSON.map(json.dumps) | JSON.map(yaml.safe_dump), st.sampled_from('yj'))
def test_whatever_stands_in_a_file_it_is_read_or_refused_in_a_sentence(
    tmp_path: Path, text: str, form: str
) -> None:
    path = write(tmp_path, text, 'any.json' if form == 'j' else 'any.yaml')
    try:
        assert isinstance(read_file(path, Program), Program)
    except ConfigurationError as error:
        assert str(path) in str(error) and '\n' not in str(error)
