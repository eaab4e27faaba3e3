"""Steps of plans: read from text, translated, grounded, taken back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.embedding.registry import choose_embedder
from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_planner.facts.skills import Skills
from reactree_planner.planners.plans import steps
from reactree_planner.planners.plans.execution import DoneStep, undo_skills
from reactree_planner.planners.plans.grounding import ground
from reactree_planner.planners.plans.steps import (
    END,
    known_steps,
    StepReader,
    StepTranslator,
    translate_nothing,
)
from reactree_planner.runs.run_belief import RunBelief
from support.skill_kinds import declared

HOME = declared(
    Vocabulary(
        (
            'go to <room>',
            'go to <object>',
            'pick up <object>',
            'put down <object>',
            'open <object>',
            'close <object>',
            'wait',
        ),
        ('apple', 'wine glass'),
        ('fridge', 'kitchen table'),
        ('kitchen 1', 'bedroom 1'),
    )
)


def read(line, translate=translate_nothing):
    step = StepReader(RunBelief(HOME), translate).read(line)
    return step and step.text


@pytest.mark.parametrize(
    ('line', 'text'),
    [
        (' pick up apple', 'pick up apple'),
        ('3. Pick up the apple.', 'pick up apple'),
        ('- open <fridge> (2)', 'open fridge 2'),
        ('Step 4: go to the kitchen', 'go to kitchen'),
        ('Act: put down wine_glasses on the kitchen table', 'put down wine glass'),
        ('[wait]', 'wait'),
        ('7) done', END.text),
        ('[END]', END.text),
        ('wash the apple', None),
        ('pick up', None),
        ('open the kitchen', None),
        ('pick up fridge', None),
        ('', None),
    ],
)
def test_a_line_says_a_step_in_the_servers_words(line, text):
    assert read(line) == text


@given(st.text(max_size=60), st.sampled_from(known_steps(HOME)))
def test_any_text_is_read_and_what_was_read_reads_as_itself(before, step):
    for line in (before, f'{before} {step}', f'{before}\n{step}'):
        text = read(line)
        assert text is None or read(text) == text
    assert read(step) == step


def test_a_plan_ends_at_its_end_and_leaves_out_what_is_no_step():
    reader = StepReader(RunBelief(HOME))
    text = ' go to kitchen\n2. look happy\n3. open fridge\n4. done\n5. pick up apple'
    assert [step.text for step in reader.read_plan(text, 20)] == [
        'go to kitchen',
        'open fridge',
        'done',
    ]
    assert [step.text for step in reader.read_plan(text, 1)] == ['go to kitchen', 'done']
    assert reader.read_plan('I would rather not.', 20) == ()


def test_other_words_are_translated_to_the_nearest_known_step():
    made = []

    def make():
        made.append(choose_embedder('minilm')[0])
        return made[0]

    translator = StepTranslator(make, 0.5)
    assert read('go to fridge', translator.nearest) == 'go to fridge'
    assert not made, 'the encoder is made when it is first needed'
    assert read('2. grab the apple', translator.nearest) == 'pick up apple'
    assert read('walk into the bedroom', translator.nearest) == 'go to bedroom'
    assert read('recite a poem about the sea', translator.nearest) is None
    assert len(made) == 1


def test_what_texts_are_compared_with_is_made_out_once(monkeypatch):
    made = []
    monkeypatch.setattr(steps, 'known_steps', lambda told: made.append(1) or known_steps(told))
    reader = StepReader(RunBelief(HOME), lambda text, known: (known[0], 1.0))
    for line in ('grab the fruit', 'fetch the thing', 'grab the fruit'):
        assert reader.read(line) is not None
    assert made == [1]


def test_what_a_line_says_in_known_words_is_not_translated():
    compared = []
    read('fetch the apples', lambda text, steps: compared.append(steps))
    read('open the window', lambda text, steps: compared.append(steps))
    read('look around', lambda text, steps: compared.append(steps))
    assert {step.partition(' apple')[1] for step in compared[0]} == {' apple'}
    assert {step.split()[0] for step in compared[1]} == {'open'}
    assert compared[2] == list(known_steps(HOME))


# Grounding ----------------------------------------------------------------------------------


def grounded(line, belief, skills):
    step = StepReader(belief).read(line)
    belief.observation = Observation(
        '',
        place=belief.observation.place,
        held=belief.observation.held,
        admissible_skills=skills,
    )
    return ground(step, belief, skills)


def knowledge_of(place='kitchen 1', held=(), looked_at=(), facts=()):
    belief = RunBelief(HOME)
    belief.update(
        Observation('', place=place, room='kitchen 1', held=held, looked_at=looked_at, facts=facts)
    )
    return belief


TABLES = ('go to kitchen table 1', 'go to kitchen table 2', 'pick up apple 1', 'pick up apple 2')


def test_empty_hands_go_to_the_place_that_was_not_looked_at():
    tables = tuple(ObjectFact('kitchen table', n, 'kitchen 1') for n in (1, 2))
    belief = knowledge_of('kitchen table 1', looked_at=('kitchen table 1',), facts=tables)
    assert grounded('go to kitchen table', belief, TABLES).skill == 'go to kitchen table 2'
    assert grounded('go to kitchen table 1', belief, TABLES).skill == ''


def test_full_hands_go_to_the_place_used_before_and_take_what_is_not_in_place():
    belief = knowledge_of(held=('wine glass 1',))
    belief.placed['apple 1'] = 'kitchen table 2'
    assert grounded('go to kitchen table', belief, TABLES).skill == 'go to kitchen table 2'
    assert grounded('pick up apple', belief, TABLES).skill == 'pick up apple 2'
    assert grounded('pick up apple 1', belief, TABLES).skill == 'pick up apple 1'


def test_what_is_so_already_needs_nothing():
    belief = knowledge_of('fridge 1', held=('apple 1',))
    for line, skills in (
        ('open fridge', ('close fridge 1',)),
        ('pick up apple', ('close fridge 1',)),
        ('go to fridge', ('close fridge 1',)),
    ):
        result = grounded(line, belief, skills)
        assert (result.skill, result.refusal) == ('', ''), line


def test_a_refusal_says_what_can_be_done_instead():
    belief = knowledge_of()
    assert grounded('pick up apple', belief, ('go to apple 2',)).refusal == (
        '"pick up apple" cannot be done now; what can be: go to apple 2.'
    )
    assert grounded('pick up wine glass', belief, ()).refusal == (
        '"pick up wine glass" cannot be done now: no wine glass is in sight.'
    )


# Taking back --------------------------------------------------------------------------------


def _skills(*templates):
    vocabulary = declared(Vocabulary(templates))
    return Skills(vocabulary)


def test_steps_are_taken_back_newest_first_and_moves_in_a_row_once():
    done = [
        DoneStep('go to kitchen 1', '', 'bedroom 1', 'bedroom 1'),
        DoneStep('go to fridge 1', '', 'kitchen 1', 'kitchen 1'),
        DoneStep('open fridge 1', '', 'fridge 1', 'kitchen 1'),
        DoneStep('wait', '', 'fridge 1', 'kitchen 1'),
        DoneStep('pick up apple 1', '', 'fridge 1', 'kitchen 1'),
    ]
    templates = tuple(
        f'{verb} <object>' for verb in ('put down', 'pick up', 'go to', 'close', 'open')
    )
    assert [undoing.skills for undoing in undo_skills(done, _skills(*templates, 'wait'))] == [
        ('put down apple 1',),
        ('close fridge 1',),
        ('go to bedroom 1', 'go to bedroom 1'),
    ]
    few = ('pick up <object>', 'go to <object>', 'open <object>')
    assert [undoing.skills for undoing in undo_skills(done, _skills(*few))] == [
        ('go to bedroom 1', 'go to bedroom 1')
    ]
