"""Values of arguments: what is taken, and the sentence when it is not."""

from __future__ import annotations

import argparse

import pytest

from reactree_tools import options


@pytest.mark.parametrize(
    ('text', 'namespace'),
    [('', '/'), ('/', '/'), ('robot', '/robot'), ('/a/b_2', '/a/b_2'), ('a/b/', '/a/b')],
)
def test_namespaces_get_a_leading_slash(text: str, namespace: str) -> None:
    assert options.namespace(text) == namespace


@pytest.mark.parametrize('text', ['my robot', '1st', 'a//b', 'a-b', '../x', '~', 'ä'])
def test_what_ros_refuses_as_a_namespace_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match='robot_1'):
        options.namespace(text)


def test_a_run_id_may_have_dashes_and_nothing_else_is_taken() -> None:
    digits = '5d1c20aa' * 4
    assert options.run_id('5D1C20AA-5d1c-20aa-5d1c-20aa5d1c20aa') == digits
    for text in ('', 'last', digits[:-1], digits + '0', 'g' * 32):
        with pytest.raises(argparse.ArgumentTypeError, match='32 hexadecimal'):
            options.run_id(text)


@pytest.mark.parametrize('text', ['0', '-3', '1.5', 'many', '', str(2**32)])
def test_counts_are_whole_numbers_from_one_on(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match='whole number'):
        options.count(text)
    assert options.count('4294967295') == 2**32 - 1


@pytest.mark.parametrize('text', ['-1', 'x', str(2**63)])
def test_seeds_fit_a_parameter(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match='seed'):
        options.seed(text)
    assert options.seed('0') == 0


@pytest.mark.parametrize('text', ['0', '-1', 'nan', 'inf', 'soon'])
def test_durations_are_finite_and_above_zero(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match='seconds'):
        options.positive_seconds(text)


def test_a_task_of_2000_characters_is_taken_and_one_more_is_not() -> None:
    assert options.task_text(f'  {"x" * 2000}\n') == 'x' * 2000
    with pytest.raises(argparse.ArgumentTypeError, match='2,001 characters'):
        options.task_text('x' * 2001)
