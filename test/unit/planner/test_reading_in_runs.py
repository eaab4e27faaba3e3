"""A run reads its task by grammar, by model, or by both, as the setting `reading` says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.record.events import DecisionKind
from reactree_planner.reading.goal import ReadBy
from reactree_core.record.run_settings import Reading
from reactree_planner.runs.settings import PlannerSettings

_READ = {
    'Leg den Apfel auf den Tisch': '"Leg den Apfel auf den Tisch" -> apple in table\n',
    'Leg den Apfel auf den Tisch, aber öffne nie den Kühlschrank': (
        '"Leg den Apfel auf den Tisch" -> apple in table\n'
        '"aber öffne nie den Kühlschrank" -> must not (open) fridge\n'
    ),
    'put an apple in the fridge': '"put an apple in the fridge" -> apple in table\n',
}


def _policy(text, options):
    """Reads as told above; everything else is failure."""
    if options is None:
        return ' I think.'
    if 'Sentence: ' in text:
        said = text.rsplit('Sentence: ', 1)[1]
        sentence, _, done = said.partition('\n')
        left = _READ[sentence].removeprefix(done)
        return max((one for one in options if left.startswith(one)), key=len, default='end\n')
    ends = [place for place, option in enumerate(options) if 'failure' in option]
    return ends[0] if ends else 0


def _goal_read(events):
    return next(
        event.goal for event in events if getattr(event, 'kind', None) is DecisionKind.GROUND
    )


def _played(plan, task, reading):
    settings = replace(PlannerSettings(), reading=reading)
    _, run, _, events, _ = plan(task, _policy, settings)
    return run, _goal_read(events)


def test_a_model_reads_a_task_in_another_language(plan):
    run, goal = _played(plan, 'Leg den Apfel auf den Tisch', Reading.MODEL)
    assert goal.milestones == ('apple in table',)
    assert (goal.language, goal.read_by, goal.whole) == ('de', ReadBy.MODEL.value, True)
    assert run.model.usage.requests > 0


def test_what_a_model_reads_as_forbidden_is_a_rule_of_the_run(plan):
    run, _ = _played(
        plan, 'Leg den Apfel auf den Tisch, aber öffne nie den Kühlschrank', Reading.MODEL
    )
    assert run.world.rules.must_not == ('open fridge',)
    assert run.world.permitted(['open fridge 1', 'go to fridge 1']) == ('go to fridge 1',)


def test_the_grammar_says_of_another_language_that_it_cannot_be_kept(plan):
    _, goal = _played(plan, 'Leg den Apfel auf den Tisch', Reading.GRAMMAR)
    assert (goal.language, goal.read_by, goal.whole) == ('de', ReadBy.GRAMMAR.value, False)
    assert goal.left_to_model == ('Leg den Apfel auf den Tisch',)


def test_what_grammar_and_model_read_differently_is_not_whole(plan):
    _, goal = _played(plan, 'put an apple in the fridge', Reading.BOTH)
    assert goal.milestones == ('apple in fridge',)
    assert not goal.whole and not goal.acts


@pytest.mark.parametrize('reading', list(Reading))
def test_the_setting_is_part_of_a_preset(reading):
    from reactree_planner.runs.presets import settings_of_preset

    assert settings_of_preset(f'default,reading={reading.value}', '').reading is reading
