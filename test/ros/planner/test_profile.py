"""The profile of an examined model changes the preset `default` of a run, and is told."""

from __future__ import annotations

import pytest

from reactree_planner.exam.advice import Advice
from reactree_planner.exam.profile import keep_profile, Profile
from reactree_planner.exam.questions import VERSION
from reactree_planner.ros.parameters import PARAMETERS
from reactree_ros.msg import Decision

MODEL = next(row.default for row in PARAMETERS if row.name == 'model')


@pytest.fixture
def examined(tmp_path, monkeypatch):
    """Keeps what an exam has said of the node's model, which calls itself so."""
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path / 'state'))

    def keep(name):
        return keep_profile(
            Profile(
                model=MODEL,
                name=name,
                version=VERSION,
                date='2026-01-02',
                scores=[],
                readings={},
                grammar={},
                advice=[Advice(setting='decides', value='model', why='it can')],
                answers=[],
            )
        )

    return keep


def preset_of(stack):
    """The preset that the last run has begun with, as its record tells."""
    stack.wait(lambda: any(one.kind == Decision.KIND_START for one in stack.decisions))
    starts = [one for one in stack.decisions if one.kind == Decision.KIND_START]
    return starts[-1].settings[0].preset


@pytest.mark.parametrize(
    ('preset', 'wanted'),
    [
        ('default,example_count=0', 'default,decides=model,example_count=0'),
        ('default,decides=facts,example_count=0', None),
        ('published,example_count=0', None),
    ],
)
def test_a_run_takes_it_and_tells_so_once(make_stack, examined, preset, wanted):
    examined('teacher')
    stack = make_stack(planner=(('preset', preset),))
    result = stack.plan(max_decisions=2).result
    assert preset_of(stack) == (wanted or preset)
    told = [one for one in result.notices if 'decides=model' in one]
    assert len(told) == (1 if wanted else 0)


def test_a_damaged_profile_is_told_and_the_run_goes_on(make_stack, examined):
    examined('teacher').write_text('{')
    stack = make_stack()
    result = stack.plan(max_decisions=2).result
    assert preset_of(stack) == 'default,example_count=0'
    assert any('delete the file' in one for one in result.notices)
