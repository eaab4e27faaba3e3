"""Names of files of the Hugging Face hub: nothing but a name gets in, and none meets another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies

from reactree_core.errors import ConfigurationError
from reactree_planner.llm.models import HubFile
from reactree_planner.llm.models.hub import read_content_range, read_entity_tag
from reactree_planner.llm.models.hub_name import hub_folder, HubRecord, is_hub_name

LETTERS = strategies.text('aB1-_./@+%: ~\\\n\0é', max_size=12)
SEGMENTS = strategies.from_regex(r'[A-Za-z0-9_][A-Za-z0-9_.+-]{0,8}', fullmatch=True)
PATHS = strategies.lists(SEGMENTS, min_size=1, max_size=3).map('/'.join)
FILES = strategies.builds(
    HubFile, SEGMENTS, SEGMENTS, PATHS.map(lambda path: f'{path}.gguf'), PATHS
)


@pytest.mark.parametrize(
    ('name', 'parts'),
    [
        ('hf:me/tiny/a.gguf', ('me', 'tiny', 'a.gguf', 'main')),
        ('hf:me/tiny/Q4/a.b-1.gguf@v1.0', ('me', 'tiny', 'Q4/a.b-1.gguf', 'v1.0')),
        ('hf:me/tiny/a.gguf@refs/pr/3', ('me', 'tiny', 'a.gguf', 'refs/pr/3')),
    ],
)
def test_a_name_is_taken_apart_and_put_together_again(name: str, parts: tuple[str, ...]) -> None:
    file = HubFile.parse(name)
    assert (file.owner, file.repository, file.file, file.revision) == parts
    assert file.name == name


def test_the_default_revision_need_not_be_said() -> None:
    assert HubFile.parse('hf:me/tiny/a.gguf@main') == HubFile.parse('hf:me/tiny/a.gguf')


def test_an_address_quotes_what_would_be_read_as_a_path() -> None:
    file = HubFile.parse('hf:me/tiny/Q4/a.gguf@refs/pr/3')
    assert file.address == 'me/tiny/resolve/refs%2Fpr%2F3/Q4/a.gguf'


@pytest.mark.parametrize(
    'name',
    [
        'hf:',
        'hf:a.gguf',
        'hf:me/a.gguf',
        'hf:me/tiny/weights.bin',
        'hf:me/tiny/.gguf',
        'hf:me/tiny/../a.gguf',
        'hf:../tiny/a.gguf',
        'hf:me/..%2f/a.gguf',
        'hf:me//a.gguf',
        'hf://me/tiny/a.gguf',
        'hf:/me/tiny/a.gguf',
        'hf:me/tiny/a.gguf@',
        'hf:me/tiny/a.gguf@../../x',
        'hf:me/tiny/a.gguf@/x',
        'hf:me/tiny@v1/a.gguf',
        'hf:me/tiny/a.gguf\n',
        'hf:me/tiny/a.gguf?download=true',
        f'hf:me/tiny/{"a" * 300}.gguf',
        f'hf:me/tiny/a.gguf@{"/".join("a" * 70)}',
    ],
)
def test_what_is_no_name_is_refused_with_the_form_of_one(name: str) -> None:
    assert is_hub_name(name)
    with pytest.raises(ConfigurationError, match=r'hf:owner/repository/file\.gguf'):
        HubFile.parse(name)


@given(LETTERS)
def test_any_text_is_refused_or_a_name_of_a_file_in_the_folder(text: str) -> None:
    for name in (f'hf:{text}', f'hf:me/tiny/{text}.gguf', f'hf:me/tiny/a.gguf@{text}'):
        try:
            file = HubFile.parse(name)
        except ConfigurationError:
            continue
        assert HubFile.parse(file.name) == file
        for path in (file.path, file.kept().partial, file.record, file.lock):
            assert path.resolve().is_relative_to(hub_folder().resolve())


@given(FILES, FILES)
def test_two_names_never_share_a_file(one: HubFile, other: HubFile) -> None:
    ours = {one.path, one.kept().partial, one.record, one.lock}
    theirs = {other.path, other.kept().partial, other.record, other.lock}
    assert one == other or not ours & theirs


@given(FILES)
def test_a_kept_file_tells_its_name(file: HubFile) -> None:
    assert HubFile.kept_at(file.path) == file
    assert HubFile.kept_at(file.kept().partial) is None
    assert HubFile.kept_at(Path('/elsewhere') / file.file) is None


@given(strategies.text(max_size=40))
def test_any_content_range_is_understood_or_refused(text: str) -> None:
    assert read_content_range(text) is None


@given(strategies.integers(0, 10**12), strategies.integers(0, 10**12))
def test_a_content_range_tells_where_it_begins_and_the_size(start: int, size: int) -> None:
    expected = (start, size) if start < size else None
    assert read_content_range(f'bytes {start}-{max(start, size - 1)}/{size}') == expected
    assert read_content_range(f'bytes {start}-{size}/*') is None


@pytest.mark.parametrize('form', ['{}', '"{}"', 'W/"{}"', ' "{}" '])
def test_a_digest_is_read_from_a_tag(form: str) -> None:
    assert read_entity_tag(form.format('AB' * 32)) == 'ab' * 32
    assert read_entity_tag(form.format('ab' * 20)) == '', 'the hub tags small files with SHA-1'


@given(strategies.text(max_size=70))
def test_any_other_tag_is_no_digest(text: str) -> None:
    assert read_entity_tag(text) == ''


JSON = strategies.recursive(
    strategies.none() | strategies.booleans() | strategies.integers() | strategies.text(),
    lambda inner: strategies.dictionaries(strategies.sampled_from(['size', 'sha256', 'x']), inner),
)


@given(strategies.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_record_is_read_whole_or_counts_as_none(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / 'record.json'
    path.write_bytes(data)
    record = HubRecord.read(path)
    if record is not None:
        assert record.size >= 0
        assert record.sha256 == '' or len(bytes.fromhex(record.sha256)) == 32
        record.write(path)
        assert HubRecord.read(path) == record
