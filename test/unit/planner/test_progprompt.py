"""ProgPrompt: programs are read as data, assertions are checked against what is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import ObjectFact, Observation
from reactree_core.record.events import DecisionKind
from reactree_planner.planners.plans.program_prompt import program_example
from reactree_planner.planners.plans.programs import (
    Call,
    Claim,
    function_name,
    read_program,
    skill_function,
)
from reactree_planner.planners.plans.steps import StepReader
from reactree_planner.planners.progprompt import claim_holds, step_of
from reactree_planner.prompting.plan_prompt import PlanExample
from reactree_planner.runs.run_belief import RunBelief
from reactree_planner.runs.settings import OnInadmissible, PlannerSettings, PlanSettings

TASK = 'put the apple on the table'

#: Written in the form of the published examples: comments, a recovery of two lines, spaces.
PUBLISHED_FORM = """\
def put_apple_on_table():
\t# 0: find the apple
\tgo_to('kitchen')
\tassert('close' to 'fridge' )
\t\telse: go_to('fridge')
\tassert('fridge' is 'opened' )
\t\telse: open('fridge')
\t# 1: bring it
\tassert('apple' in 'hands' )
\t\telse: go_to('apple')
\t\telse: pick_up('apple')
\tgo_to('bedroom')
\tassert('close' to 'table')
\t\telse: go_to('table')
\tput_down('apple')
\t# 2: Done
"""


def test_a_program_of_the_published_form_is_read_line_by_line():
    program = read_program(PUBLISHED_FORM, 20)
    assert [line.text for line in program if line.is_comment] == [
        '0: find the apple',
        '1: bring it',
        '2: Done',
    ]
    assert [str(line.call) for line in program if line.call] == [
        "go_to('kitchen')",
        "go_to('bedroom')",
        "put_down('apple')",
    ]
    asserted = [line for line in program if line.claims]
    assert [line.claims for line in asserted] == [
        (Claim('close', 'to', 'fridge'),),
        (Claim('fridge', 'is', 'opened'),),
        (Claim('apple', 'in', 'hands'),),
        (Claim('close', 'to', 'table'),),
    ]
    assert asserted[2].recovery == [Call('go_to', ('apple',)), Call('pick_up', ('apple',))]


def test_a_program_is_carried_out_and_what_does_not_hold_is_made_good(plan):
    success, run, home, events, _ = plan(
        TASK, lambda text, options: PUBLISHED_FORM, planner='progprompt'
    )
    assert success
    assert home.apple == 'table 1'
    assert home.executed == [
        'go to kitchen 1',
        'go to fridge 1',
        'open fridge 1',
        'pick up apple 1',
        'go to bedroom 1',
        'go to table 1',
        'put down apple 1',
    ]
    thoughts = [event.text for event in events if getattr(event, 'kind', 9) is DecisionKind.THINK]
    assert thoughts[0].startswith("Program: # 0: find the apple; go_to('kitchen'); assert(")
    assert "assert('fridge' is 'opened' ) does not hold." in thoughts
    (experience,) = run.experiences('run', '')
    assert experience.planner == 'progprompt'


def test_what_holds_already_is_not_made_good(plan):
    program = "assert('close' to 'bedroom')\n    else: go_to('kitchen')\ngo_to('table')"
    success, _, home, _, _ = plan(TASK, lambda text, options: program, planner='progprompt')
    assert success
    assert home.executed == ['go to table 1']


@pytest.mark.parametrize(('skips', 'executed'), [(False, []), (True, ['go to table 1'])])
def test_a_step_that_cannot_be_done_ends_the_program_or_is_passed_over(plan, skips, executed):
    how = OnInadmissible.SKIP if skips else OnInadmissible.STOP
    settings = PlannerSettings(plans=PlanSettings(on_inadmissible=how))
    program = "open('fridge')\ngo_to('table')"
    success, _, home, _, _ = plan(
        TASK, lambda text, options: program, settings, planner='progprompt'
    )
    assert (success, home.executed) == (skips, executed)


def test_the_prompt_has_the_parts_of_the_published_one_in_their_order(plan):
    texts = []

    def policy(text, options):
        texts.append(text)
        return PUBLISHED_FORM

    plan(TASK, policy, planner='progprompt')
    (text,) = texts
    parts = [
        'from actions import go_to <room>, go_to <object>, pick_up <object>',
        "objects = ['bedroom', 'kitchen', 'fridge', 'table', 'apple', 'pear']",
        f'Your task is to: {TASK}\n',
        'def put_the_apple_on_the_table():\n',
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert text.endswith(parts[-1])


def belief_of(home, *observations):
    belief = RunBelief(home.vocabulary)
    for observation in (home.look(None), *observations):
        belief.update(belief.with_sightings(observation))
    return belief


def test_an_example_is_put_as_a_program_with_assertions(make_home):
    belief = belief_of(make_home())
    example = PlanExample('Bring an apple!', ('go to fridge', 'open fridge', 'pick up apple'))
    assert program_example(example, belief.skills, 'gripper') == (
        'Your task is to: Bring an apple!\n'
        'def bring_an_apple():\n'
        '    # 1: open fridge\n'
        "    go_to('fridge')\n"
        "    assert('close' to 'fridge')\n"
        "        else: go_to('fridge')\n"
        "    assert('fridge' is 'closed')\n"
        "        else: close('fridge')\n"
        "    open('fridge')\n"
        '    # 2: pick up apple\n'
        "    assert('close' to 'apple')\n"
        "        else: go_to('apple')\n"
        "    pick_up('apple')\n"
        '    # 3: done'
    )
    # What is shown can be read again.
    assert len(read_program(program_example(example, belief.skills, 'gripper'), 20)) == 9


@pytest.mark.parametrize(
    ('claim', 'holds'),
    [
        (Claim('close', 'to', 'fridge'), True),
        (Claim('close', 'to', 'table'), False),
        (Claim('close', 'to', 'kitchen'), True),
        (Claim('fridge', 'is', 'open'), True),
        (Claim('fridge', 'is', 'Opened'), True),
        (Claim('fridge', 'is', 'closed'), False),
        (Claim('fridge', 'is', 'closed', holds=False), True),
        (Claim('apple', 'in', 'fridge'), True),
        (Claim('apple', 'on', 'table'), False),
        (Claim('pear', 'in', 'hands'), True),
        (Claim('pear', 'in', 'hand'), True),
        (Claim('pear', 'is', 'held'), True),
        (Claim('apple', 'in', 'hands'), False),
        (Claim('dragon', 'in', 'hands'), False),
        (Claim('pear', 'is', 'ripe'), True),
    ],
)
def test_claims_hold_by_what_is_known(make_home, claim, holds):
    seen = Observation(
        'You see.',
        place='fridge 1',
        room='kitchen 1',
        held=('pear 1',),
        admissible_skills=('close fridge 1', 'pick up apple 1'),
        facts=(
            ObjectFact('apple', 1, 'kitchen 1', 'fridge 1'),
            ObjectFact('pear', 1, 'kitchen 1', 'agent 1', 'ripe, green'),
        ),
    )
    assert claim_holds(belief_of(make_home(), seen), claim, 'hands') is holds


def test_calls_are_skills_by_name_and_by_words(make_home):
    belief = belief_of(make_home())
    reader = StepReader(belief)
    assert step_of(Call('pick_up', ('apple',)), belief, reader).text == 'pick up apple'
    assert step_of(Call('pick', ('up apple',)), belief, reader).text == 'pick up apple'
    assert step_of(Call('fly'), belief, reader) is None
    assert step_of(Call('done'), belief, reader) is None


@pytest.mark.parametrize(
    'line',
    [
        'import os',
        "os.system('reboot')",
        "x = go_to('table')",
        'x = 3',
        'for crate in crates:',
        'lambda: 1',
        'assert True',
        "assert('a' near 'b')",
        "if 'a' in 'b':",
        "else: go_to('table')",
    ],
)
def test_lines_of_other_forms_say_nothing(line):
    assert read_program(line, 9) == ()


def test_only_the_first_function_counts_and_only_so_many_calls():
    text = "def a():\n  go('x')\n  go('y')\n  go('z')\ndef b():\n  go('w')"
    assert [line.text for line in read_program(text, 9)] == ["go('x')", "go('y')", "go('z')"]
    assert [line.text for line in read_program(text, 2)] == ["go('x')", "go('y')"]


def test_a_block_after_else_is_its_recovery():
    text = "assert('a' in 'b')\n  else:\n    go('a'); take('a')\n    put('a')\nturn('c')"
    first, second = read_program(text, 9)
    assert [call.name for call in first.recovery] == ['go', 'take', 'put']
    assert second.text == "turn('c')"


@given(st.text(alphabet=' \n\t\'"()#,;:_asertlon ifdexyz0', max_size=300), st.integers(1, 5))
def test_whatever_is_written_is_read_within_bounds(text, most):
    program = read_program(text, most)
    assert sum(line.call is not None for line in program) <= most
    for line in program:
        assert len(line.recovery) <= 8


@given(
    st.lists(
        st.tuples(
            st.from_regex(r'[a-z][a-z_]{0,8}', fullmatch=True).filter(
                lambda name: name not in ('def', 'else', 'assert')
            ),
            st.lists(st.from_regex(r'[a-z]{1,6}( [a-z]{1,6})?', fullmatch=True), max_size=4),
        ),
        max_size=8,
    )
)
def test_calls_that_are_printed_are_read_again(calls):
    wanted = [Call(name, tuple(arguments)) for name, arguments in calls]
    text = 'def f():\n' + '\n'.join(f'    {call}' for call in wanted)
    assert [line.call for line in read_program(text, 20)] == wanted


@given(st.text(max_size=80))
def test_every_task_has_a_function_name(text):
    assert function_name(text).isidentifier()


def test_functions_are_the_words_of_templates(make_home):
    names = [skill_function(skill) for skill in belief_of(make_home()).skills.types]
    assert names == ['go_to', 'go_to', 'pick_up', 'put_down', 'open', 'close']
