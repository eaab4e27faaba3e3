"""Texts that are no skills of this world: always an answer that helps, never a change."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.observation import Outcome, TEXT_LIMIT
from sim_bridge.worlds.household import HouseholdWorld

Do = Callable[..., str]


@pytest.fixture
def invalid(world: HouseholdWorld) -> Callable[[str], str]:
    """Do something that must be refused as invalid and change nothing; its text."""

    def invalid(skill: str) -> str:
        before = world.graph(), world.observe()
        observation = world.step(skill)
        assert observation.outcome is Outcome.INVALID_SKILL
        assert observation.skill == skill
        assert (world.graph(), world.observe()) == before
        assert observation.admissible_skills == before[1].admissible_skills
        return observation.text

    return invalid


Invalid = Callable[[str], str]


def test_an_unknown_verb_is_answered_with_the_verbs(invalid: Invalid) -> None:
    text = invalid('fly to the moon')
    assert text.startswith("There is no skill 'fly to the moon'. Skills are: go to <room>")
    assert 'Some of what you can do: ' in text


@pytest.mark.parametrize(
    'skill',
    [
        '',
        '   ',
        'go',
        'goto fridge 1',
        'turn off dishwasher 1',
        'recall location of apple',
        'done',
        'failure',
        'slice apple 1',
    ],
)
def test_what_is_no_skill_of_a_world_is_invalid(invalid: Invalid, skill: str) -> None:
    assert 'There is no skill' in invalid(skill)


def test_a_verb_alone_needs_a_name(invalid: Invalid) -> None:
    assert "'pick up' needs a name with its number" in invalid('pick up')


def test_a_misspelt_name_is_answered_with_near_names(invalid: Invalid) -> None:
    text = invalid('go to fridg 1')
    assert text.startswith("You have not seen 'fridg 1'. Did you mean go to fridge 1")


def test_a_name_without_its_number_is_answered_with_the_numbered_ones(invalid: Invalid) -> None:
    assert 'Did you mean go to apple 2?' in invalid('go to apple')


def test_a_number_that_does_not_exist_is_invalid(invalid: Invalid) -> None:
    assert "You have not seen 'apple 9'." in invalid('go to apple 9')


def test_a_thing_that_does_not_exist_is_answered_with_those_that_were_seen(
    invalid: Invalid,
) -> None:
    text = invalid('pick up apple 7')
    assert text.startswith("You have not seen 'apple 7'. Did you mean pick up apple 2")
    assert text.count('apple 7') == 1


@pytest.mark.parametrize(
    ('skill', 'text'),
    [
        ('pick up apple 1', 'The apple is not close to you.'),
        ('put down apple 1', 'You do not grab the apple.'),
        ('open apple 1', 'The apple is not close to you. You see nothing'),
        ('close apple 1', 'The apple is not close to you.'),
        ('turn on apple 1', 'The apple is not close to you.'),
    ],
)
def test_a_thing_never_seen_goes_through_the_published_checks(
    world: HouseholdWorld, skill: str, text: str
) -> None:
    before = world.graph()
    observation = world.step(skill)
    assert (observation.text, observation.outcome) == (text, Outcome.PRECONDITION_FAILED)
    assert world.graph() == before


def test_one_cannot_go_to_a_thing_never_seen(invalid: Invalid) -> None:
    assert invalid('go to apple 1').startswith("You have not seen 'apple 1'.")


def test_one_cannot_go_to_a_thing_in_another_room_but_is_told_which(
    do: Do, invalid: Invalid
) -> None:
    do('go to living room 1')
    text = invalid('go to fridge 1')
    assert text.startswith(
        'You cannot see fridge 1 from where you are. It is not in living room 1: '
        'go to kitchen 1 first.'
    )


def test_one_cannot_go_to_a_thing_that_is_shut_away(do: Do, invalid: Invalid) -> None:
    do('go to fridge 1', 'open fridge 1', 'close fridge 1')
    assert invalid('go to apple 1').startswith('You cannot see apple 1 from where you are.')


def test_a_room_can_only_be_gone_to(invalid: Invalid) -> None:
    assert invalid('open kitchen 1').startswith('kitchen 1 is a room: you can only go to it.')


def test_a_robot_does_not_handle_itself(invalid: Invalid) -> None:
    assert "You have not seen 'user 1'." in invalid('pick up user 1')


def test_letter_case_and_spaces_do_not_matter(do: Do) -> None:
    do('  Go to   KITCHEN TABLE 1 ')
    assert do('Pick Up plate 1') == 'You pick up plate. You hold plate (1).'


def test_a_very_long_text_is_quoted_briefly(invalid: Invalid) -> None:
    text = invalid('go to ' + 'x' * 100_000)
    assert len(text) < 1000


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=300), verb=st.sampled_from(['', 'go to ', 'pick up ', 'open ']))
def test_no_text_breaks_the_world(text: str, verb: str) -> None:
    world = _WORLD
    before = world.graph()
    observation = world.step(verb + text)
    if not observation.succeeded:
        assert world.graph() == before
    assert 0 < len(observation.text) <= TEXT_LIMIT
    assert observation.text.isprintable()


def _small_world() -> HouseholdWorld:
    world = HouseholdWorld()
    world.reset_to(
        {
            'nodes': [
                {
                    'id': 1,
                    'class_name': 'kitchen',
                    'category': 'Rooms',
                    'properties': [],
                    'states': [],
                },
                {
                    'id': 2,
                    'class_name': 'apple',
                    'category': 'Food',
                    'properties': ['GRABBABLE'],
                    'states': [],
                },
            ],
            'edges': [{'from_id': 2, 'to_id': 1, 'relation_type': 'INSIDE'}],
        }
    )
    return world


_WORLD = _small_world()
