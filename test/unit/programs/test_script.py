"""From lines to steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.programs.script import Named, read_script, read_step, Step


def test_a_step_has_an_action_and_objects() -> None:
    assert read_step('[WALK] <fridge> (103)') == Step('WALK', (Named('fridge', 103),))
    assert read_step('[standup]') == Step('STANDUP')
    assert read_step('  [PutIn] <Food food> (12) <fridge>(103) ') == Step(
        'PUTIN', (Named('food_food', 12), Named('fridge', 103))
    )


def test_an_id_may_stand_behind_an_instance_number() -> None:
    assert read_step('[GRAB] <remote_control> (1.1000)').objects == (
        Named('remote_control', 1000, is_id=True),
    )


def test_a_step_may_be_for_another_character() -> None:
    step = read_step('<char1> [grab] <apple> (12)')
    assert (step.who, str(step)) == (1, '[GRAB] <apple> (12)')


@pytest.mark.parametrize(
    'line',
    [
        '',
        'walk to the fridge',
        '[WALK',
        '[] <fridge> (1)',
        '[WALK] fridge (1)',
        '[WALK] <fridge>',
        '[WALK] <fridge> (one)',
        '[WALK] <fridge> (-1)',
        '[WALK] <> (1)',
        '[WALK] < > (1)',
        '[WALK] <fridge> (1) and',
        '[WALK] <fridge> (1.2.3)',
        f'[WALK] <fridge> ({"9" * 5000})',
    ],
)
def test_other_lines_are_no_steps(line: str) -> None:
    with pytest.raises(ConfigurationError, match=r'write|no name'):
        read_step(line)


def test_a_program_has_a_title_and_a_description() -> None:
    script = read_script('Watch TV\nSit down\n and look.\n\n\n[SIT] <couch> (1.352)\n# end\n')
    assert script.title == 'Watch TV'
    assert script.description == 'Sit down\nand look.'
    assert [str(step) for step in script.steps] == ['[SIT] <couch> (352)']


def test_a_bad_line_is_told_by_its_number() -> None:
    with pytest.raises(ConfigurationError, match='line 3 of the program'):
        read_script('[STANDUP]\n\nsleep')


@given(st.text())
def test_any_text_is_a_program_or_is_refused(text: str) -> None:
    try:
        script = read_script(text)
    except ConfigurationError:
        return
    again = read_script('\n'.join(map(str, script.steps)))
    assert [str(step) for step in again.steps] == [str(step) for step in script.steps]


_NAMES = st.from_regex(r'[a-z][a-z_]{0,8}', fullmatch=True)


@given(
    st.from_regex(r'[A-Z]{1,9}', fullmatch=True), st.lists(st.tuples(_NAMES, st.integers(0, 9999)))
)
def test_what_is_written_is_read_back(action: str, objects: list[tuple[str, int]]) -> None:
    step = Step(action, tuple(Named(name, number) for name, number in objects))
    assert read_step(str(step)) == step
