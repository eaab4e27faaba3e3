"""Whose prompts and rules a run has: the skill server's domain, or that of the settings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.errors import ConfigurationError
from reactree_planner.runs.settings import Decides, PlannerSettings

_RULE = """
def no_fridge(situation, skills):
    return [skill for skill in skills if skill.name != 'fridge']

RULES = (('named_only', no_fridge),)
"""


@pytest.fixture
def folder(tmp_path):
    """A domain with a prompt and a rule of its own."""
    (tmp_path / 'prompts').mkdir()
    (tmp_path / 'prompts' / 'reactree.txt').write_text('You are mine. $about')
    (tmp_path / 'rules.py').write_text(_RULE)
    return tmp_path


@pytest.fixture
def read_and_offered(plan, make_home):
    """Plan until the first choice of a skill: all that the model read, and what was offered."""

    def read_and_offered(domain='', told='', **changes):
        home = make_home()
        home.vocabulary = replace(home.vocabulary, domain=told, about='A small robot.', **changes)
        texts = []

        def policy(text, options):
            texts.append(text)
            if options is None:
                return ' I think.'
            names = [option.strip() for option in options]
            return names.index('failure') if 'failure' in names else 0

        settings = PlannerSettings(domain=domain, decides=Decides.MODEL)
        _, run, _, _, offered = plan('put the apple on the table', policy, settings, home=home)
        return run, '\n'.join(texts), {name for names in offered for name in names}

    return read_and_offered


def test_the_domain_of_the_settings_holds_whatever_the_skill_server_names(
    folder, read_and_offered
):
    run, read, offered = read_and_offered(f'{folder}/', 'household')
    assert read.startswith('You are mine. A small robot.')
    assert 'household robot' not in read
    assert 'go to kitchen 1' in offered
    assert run.notices == ()


def test_the_domain_that_the_skill_server_names_is_used(read_and_offered):
    run, read, offered = read_and_offered(told='household')
    assert read.startswith('You are the mind of a household robot.')
    assert run.notices == ()
    assert 'go to kitchen 1' in offered


@pytest.mark.parametrize('told', ['lifts', './prompts', '../' * 9 + 'etc', 'x' * 5000])
def test_one_that_is_not_installed_is_told_and_the_neutral_prompts_are_used(
    read_and_offered, told
):
    run, read, _ = read_and_offered(told=told)
    assert read.startswith('A small robot.\nYou reach one task')
    (notice,) = run.notices
    assert f'"{told[:80]}", which is not installed' in notice


def test_recall_is_told_of_where_there_is_something_to_recall(read_and_offered):
    _, read, offered = read_and_offered()
    assert 'recall location of' in read
    assert any(name.startswith('recall ') for name in offered)
    _, read, offered = read_and_offered(object_classes=())
    assert 'recall' not in read
    assert not any(name.startswith('recall ') for name in offered)


def test_a_broken_one_of_the_settings_ends_the_run_with_a_sentence(folder, read_and_offered):
    (folder / 'rules.py').write_text('opening_features = 5')
    with pytest.raises(ConfigurationError, match='opening_features must be a function'):
        read_and_offered(f'{folder}/')
