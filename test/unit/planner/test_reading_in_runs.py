"""A run reads its task by grammar, by model, or by both, as the setting `reading` says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.record.events import DecisionKind
from reactree_core.record.run_settings import Reading
from reactree_planner.reading.form import FormMilestone, GoalForm, Prohibition
from reactree_planner.reading.goal import ReadBy
from reactree_planner.runs.settings import PlannerSettings
from support.written_forms import APPLE, reads, TAKEN

_GERMAN = 'Leg den Apfel auf den Tisch'
_READ = GoalForm('de', (FormMilestone((APPLE,)),), taken_for=TAKEN)


def _goal_read(events):
    return next(
        event.goal for event in events if getattr(event, 'kind', None) is DecisionKind.GROUND
    )


def _played(plan, task, reading, form=_READ):
    settings = replace(PlannerSettings(), reading=reading)
    _, run, _, events, _ = plan(task, reads(form), settings)
    return run, _goal_read(events)


def test_a_model_reads_a_task_in_another_language_in_one_request(plan):
    run, goal = _played(plan, _GERMAN, Reading.MODEL)
    assert goal.milestones == ('apple in table',)
    assert (goal.language, goal.read_by, goal.whole) == ('de', ReadBy.MODEL.value, True)
    assert run.model.usage.requests >= 1


def test_a_prohibition_that_a_model_reads_is_a_rule_of_the_run(plan):
    ban = Prohibition('open', 'fridge', words='öffne nie den Kühlschrank')
    run, _ = _played(
        plan,
        f'{_GERMAN}, aber öffne nie den Kühlschrank',
        Reading.MODEL,
        replace(_READ, never=(ban,)),
    )
    assert run.world.rules.must_not == ('open fridge',)
    assert run.world.permitted(['open fridge 1', 'go to fridge 1']) == ('go to fridge 1',)


def test_a_sentence_that_the_grammar_reads_whole_is_asked_of_no_model(plan):
    _, goal = _played(plan, 'put an apple in the fridge', Reading.MODEL)
    assert goal.milestones == ('apple in fridge',) and goal.read_by != ReadBy.MODEL.value


def test_the_grammar_says_of_another_language_that_it_cannot_be_kept(plan):
    _, goal = _played(plan, _GERMAN, Reading.GRAMMAR)
    assert (goal.language, goal.read_by, goal.whole) == ('de', ReadBy.GRAMMAR.value, False)
    assert goal.left_to_model == (_GERMAN,)


def test_what_grammar_and_model_read_differently_is_not_whole(plan):
    _, goal = _played(plan, 'The apple belongs in the fridge', Reading.BOTH)
    assert goal.milestones == ('apple in fridge',)
    assert not goal.whole and not goal.acts


@pytest.mark.parametrize('reading', list(Reading))
def test_the_setting_is_part_of_a_preset(reading):
    from reactree_planner.runs.presets import settings_of_preset

    assert settings_of_preset(f'default,reading={reading.value}', '').reading is reading


def test_settings_of_earlier_versions_in_a_recorded_preset_are_passed_over():
    from reactree_planner.runs.presets import settings_of_preset

    old = settings_of_preset('default,interprets=false,wrong_at_most=0.1,thoughts=3', '')
    assert old.thoughts == 3
