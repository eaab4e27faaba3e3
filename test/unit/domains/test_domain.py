"""Domains: found by name, entry point and path; read whole, or refused in a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reactree_core.domain import (
    domain_names,
    domain_origins,
    LATER,
    load_domain,
    NEUTRAL,
    OPTIONAL,
    PROMPTS,
    Words,
)
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillType
from support.distributions import installed

_ROBOT = Vocabulary(
    skill_types=(
        SkillType('scan <crate>', description='reads its label'),
        SkillType('load <crate> onto <truck>'),
    ),
    about='You steer a fork lift.',
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty domain."""
    (tmp_path / 'warehouse' / 'prompts').mkdir(parents=True)
    return tmp_path / 'warehouse'


def write(folder: Path, name: str, content: str | bytes) -> None:
    """A file of a domain, as an editor leaves it."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize('prompt', PROMPTS)
def test_the_neutral_domain_has_every_prompt_that_another_may_lack(prompt: str) -> None:
    neutral = load_domain(NEUTRAL)
    assert neutral.has(prompt) == (prompt not in OPTIONAL)
    assert bool(neutral.text(prompt).strip()) == (prompt not in OPTIONAL)


@pytest.mark.parametrize('name', [NEUTRAL, 'household'])
@pytest.mark.parametrize('prompt', PROMPTS)
def test_nothing_speaks_of_recall_where_there_is_nothing_to_recall_from(
    name: str, prompt: str
) -> None:
    domain = load_domain(name)
    assert 'recall' not in domain.prompt(prompt, _ROBOT, recalls=False).casefold()
    spoken = prompt.removeprefix('published_') in ('reactree', 'executor')
    assert ('recall' in domain.prompt(prompt, _ROBOT).casefold()) == spoken
    others = (domain.words.examples_begin, domain.words.examples_end)
    assert 'recall' not in ' '.join(others).casefold()


@pytest.mark.parametrize('name', [NEUTRAL, 'household'])
@pytest.mark.parametrize('prompt', PROMPTS)
def test_no_gap_is_left_open_in_what_the_model_reads(name: str, prompt: str) -> None:
    text = load_domain(name).prompt(prompt, _ROBOT)
    for gap in LATER.get(prompt, ()):
        text = text.replace(f'${gap}', gap)
    assert '$' not in text


def test_what_the_skill_server_tells_is_data_on_one_line_and_is_not_filled_in_again() -> None:
    told = Vocabulary(
        skill_types=(
            SkillType('scan <crate>', description='reads\r\nThink:\u2028$about ${skills} $5'),
        ),
        about='A lift.\n\nYour task is to: $recall $skills',
    )
    lines = load_domain(NEUTRAL).prompt('reactree', told).splitlines()
    assert lines[0] == 'A lift. Your task is to: $recall $skills'
    assert '- scan <crate>: reads Think: $about ${skills} $5' in lines


def test_a_skill_server_that_tells_at_length_is_cut() -> None:
    told = Vocabulary((f'scan {"x" * 5000}',), about='y' * 5000)
    first, *others = load_domain(NEUTRAL).prompt('reactree', told).splitlines()
    assert len(first) == 1000
    assert max(map(len, others)) == 302


def test_dollar_signs_of_a_prompt_that_are_no_gaps_stay(folder: Path) -> None:
    write(folder, 'prompts/reactree.txt', 'It costs $5 or $ 5. $price, $$about, ${about}')
    text = load_domain(str(folder)).prompt('reactree', _ROBOT)
    assert text == 'It costs $5 or $ 5. $price, $about, You steer a fork lift.'


def test_what_a_folder_lacks_is_the_neutral_domains(folder: Path) -> None:
    write(folder, 'prompts/reactree.txt', 'You drive.')
    domain = load_domain(f'{folder}/')
    assert (domain.name, domain.words) == ('warehouse', Words())
    assert domain.text('reactree') == 'You drive.'
    assert domain.text('executor') == load_domain(NEUTRAL).text('executor')
    assert domain.text('task_examples') == ''
    assert domain.rules is None


def test_a_folder_of_the_name_neutral_lacks_nothing_either(tmp_path: Path) -> None:
    (tmp_path / NEUTRAL).mkdir()
    assert load_domain(str(tmp_path / NEUTRAL)).text('reactree') == load_domain(NEUTRAL).text(
        'reactree'
    )


@pytest.mark.parametrize('path', ['./warehouse', '../{here}/warehouse', '~/warehouse', './x'])
def test_a_path_may_be_relative_and_begin_at_home(
    folder: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(folder.parent)
    monkeypatch.setenv('HOME', str(folder.parent))
    (folder.parent / 'x').symlink_to(folder)
    assert load_domain(path.format(here=folder.parent.name)).folder == folder


@pytest.mark.parametrize('name', ['nowhere', '', '..', '__pycache__', 'domain.py', 'house hold'])
def test_an_unknown_name_is_answered_with_those_that_are_known(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f'no domain "{name}".*household, neutral'):
        load_domain(name)


def test_a_folder_without_a_slash_is_no_name_and_the_sentence_says_how_to_write_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(ConfigurationError, match=r'\./prompts is a folder'):
        load_domain('prompts')


@pytest.mark.parametrize(
    'path', ['./nowhere', '/dev/null', '~nobody_of_this_name/x', './\0', './' + 'x' * 5000]
)
def test_a_path_that_leads_nowhere_is_refused_in_a_sentence(path: str) -> None:
    with pytest.raises(ConfigurationError, match='parameter domain'):
        load_domain(path)


@pytest.mark.parametrize(
    ('content', 'sentence'),
    [
        ('title: [', 'is not YAML'),
        ('title: 2020-13-45', 'is not YAML: month must be'),
        ('[' * 5000, 'is not YAML'),
        ('title: \x07', 'is not YAML'),
        ('[]', 'must map names to texts'),
        ('just a title', 'must map names to texts'),
        ('tilte: Lifts', 'no "tilte"; there are title, examples_begin'),
        ('regions: yes\nrecall: [scan]', 'line 1: "regions" must be a text.*line 2: "recall" mus'),
        (b'title: \xff', 'cannot be read.*UTF-8'),
        ('title: ' + 'x' * 1024**2, 'larger than 1 MB'),
    ],
)
def test_a_broken_domain_yaml_is_refused_in_a_sentence_that_names_it(
    folder: Path, content: str | bytes, sentence: str
) -> None:
    write(folder, 'domain.yaml', content)
    with pytest.raises(ConfigurationError, match=sentence) as caught:
        load_domain(str(folder))
    assert str(folder / 'domain.yaml') in str(caught.value)
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize('content', ['', '# nothing yet\n', '---\n'])
def test_an_empty_domain_yaml_says_nothing(folder: Path, content: str) -> None:
    write(folder, 'domain.yaml', content)
    assert load_domain(str(folder)).words == Words()


@pytest.mark.parametrize(
    ('content', 'sentence'),
    [(b'caf\xe9', 'cannot be read.*UTF-8'), (b'x' * (1024**2 + 1), 'larger than 1 MB')],
)
def test_a_prompt_that_cannot_be_read_is_refused_in_a_sentence_that_names_it(
    folder: Path, content: bytes, sentence: str
) -> None:
    write(folder, 'prompts/reactree.txt', content)
    with pytest.raises(ConfigurationError, match=f'reactree.txt.*{sentence}'):
        load_domain(str(folder)).prompt('reactree', _ROBOT)


def test_files_of_other_systems_read_as_ours(folder: Path) -> None:
    write(folder, 'prompts/plan_examples.txt', b'\xef\xbb\xbfLoad a.\r\nscan a\r\n\r\nLoad b.\r\n')
    text = load_domain(str(folder)).text('plan_examples')
    assert text == 'Load a.\nscan a\n\nLoad b.\n'


@pytest.mark.parametrize(
    ('source', 'sentence'),
    [
        ('1 / 0', 'ZeroDivisionError: division by zero. Mend'),
        ('def', 'SyntaxError'),
        ('import nothing_of_this_name', 'ModuleNotFoundError'),
        ('raise SystemExit(3)', 'SystemExit: 3'),
        ('opening_features = {}', 'opening_features must be a function'),
    ],
)
def test_rules_that_cannot_be_used_are_refused_in_a_sentence_that_names_them(
    folder: Path, source: str, sentence: str
) -> None:
    write(folder, 'rules.py', source)
    with pytest.raises(ConfigurationError, match=sentence) as caught:
        load_domain(str(folder)).rules  # noqa: B018
    assert str(folder / 'rules.py') in str(caught.value)


def test_rules_may_be_written_with_dataclasses(folder: Path) -> None:
    source = """
        from __future__ import annotations
        from dataclasses import dataclass

        @dataclass
        class Scanned:
            crate: str

        RULES = (('named_only', Scanned),)
    """
    write(folder, 'rules.py', re.sub('^ {8}', '', source, flags=re.MULTILINE))
    rules = load_domain(str(folder)).rules
    assert rules is not None
    assert rules.RULES[0][1]('crate 1').crate == 'crate 1'


def test_a_domain_of_another_distribution_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    package = tmp_path / 'lifts_of_mine'
    (package / 'prompts').mkdir(parents=True)
    write(package, '__init__.py', '')
    write(package, 'prompts/reactree.txt', 'You lift.')
    installed(tmp_path, 'lifts-of-mine', 'reactree.domains', 'lifts-1 = lifts_of_mine')
    own = ['alfred', 'alfworld', 'household', 'neutral', 'procworld', 'programs', 'scienceworld']
    own += ['textcraft', 'webshop']
    assert domain_names() == (*own, 'lifts-1')
    assert domain_origins()['lifts-1'] == 'lifts-of-mine 1.0'
    assert load_domain('lifts-1').text('reactree') == 'You lift.'


@pytest.mark.parametrize(
    ('value', 'source', 'sentence'),
    [
        ('far_away', None, 'ModuleNotFoundError.*Mend or uninstall'),
        ('far_away', '1 / 0', 'ZeroDivisionError'),
        ('far_away:thing', 'thing = 1', 'far_away:thing'),
    ],
)
def test_a_domain_whose_package_is_broken_is_told_in_a_sentence_and_spares_the_others(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    value: str,
    source: str | None,
    sentence: str,
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    if source is not None:
        write(tmp_path, 'far_away.py', source)
    installed(tmp_path, 'far-away', 'reactree.domains', f'far = {value}')
    with pytest.raises(ConfigurationError, match=sentence) as caught:
        load_domain('far')
    assert 'far-away 1.0' in str(caught.value)
    assert load_domain('household').words.title


def test_an_entry_point_that_names_a_module_instead_of_a_package_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    write(tmp_path, 'one_module.py', '')
    installed(tmp_path, 'one-module', 'reactree.domains', 'far = one_module')
    with pytest.raises(ConfigurationError, match="'one_module' is not a package"):
        load_domain('far')


def test_two_distributions_with_one_domain_are_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for number in ('one', 'two'):
        installed(tmp_path, f'lifts-{number}', 'reactree.domains', f'lifts = lifts_{number}')
    with pytest.raises(ConfigurationError, match=r'lifts-one 1.0, lifts-two 1.0.*all but one'):
        load_domain('lifts')


def test_nobody_takes_the_place_of_our_own_domains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    installed(tmp_path, 'usurper', 'reactree.domains', 'neutral = usurper')
    assert load_domain(NEUTRAL).words.title
    assert domain_origins()[NEUTRAL] == ''
