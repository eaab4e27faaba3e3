"""Kinds of failures: what each rule sees, and how far rules and people agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import ObjectFact, Observation, Outcome
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, QUESTION
from reactree_core.record.journal_lines import encode_event
from reactree_core.record.run_settings import Kept, RunSettings
from reactree_core.skill_types import class_and_number
from reactree_tools.bench.report.evidence import bases, evidence_of, Unmet, unmet_conditions
from reactree_tools.bench.report.failures import (
    agreement,
    failure_of,
    failure_tables,
    failures_of,
    kind_of,
    LABELS,
    plan_failure_of,
)
from support.episode_rows import episode_row

TASK = 'Put the crate into the truck.'
UNMET = 'inside crate truck: 0 of 1'


class Run:
    """Events of a run in a depot with two aisles, one after another."""

    def __init__(self, task=TASK, kept=Kept.NODES):
        self.events = []
        settings = RunSettings('reactree', kept=kept)
        self.decide(DecisionKind.START, 0, text=task, settings=settings)
        self.see('', 'aisle 1', ('rack 1', ''), ('truck 1', ''))

    def decide(self, kind, node_id=1, **fields):
        self.events.append(Decision(len(self.events) + 1, node_id, kind, **fields))
        return self

    def expand(self, *subgoals, node_id=1, flow=ControlFlow.SEQUENCE):
        return self.decide(DecisionKind.EXPAND, node_id, subgoals=subgoals, control_flow=flow)

    def see(self, skill, place, *things, outcome=Outcome.SUCCEEDED, held=(), room='aisle 1'):
        facts = tuple(
            ObjectFact(*class_and_number(name), room=room, receptacle=where)
            for name, where in things
        )
        self.events.append(
            Observation(
                'seen',
                outcome,
                skill,
                place,
                room,
                held=held,
                facts=facts,
                node_id=1,
                sequence=len(self.events) + 1,
            )
        )
        return self

    def go(self, place, *things, room='aisle 1'):
        return self.see(f'go to {place}', place, *things, room=room)

    @property
    def evidence(self):
        return evidence_of(self.events, TASK)


def failed(unmet=UNMET, **changes):
    """A row of a run that gave up."""
    told = {
        'instruction': TASK,
        'success': False,
        'reason': f'gave up at "x" (failure). Conditions: {unmet}',
    }
    return episode_row(**{**told, **changes})


def label(run, row=None):
    return failure_of(row or failed(), run.evidence).text


# What lacks ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('reason', 'wanted'),
    [
        (
            'the planner held the goal for met, but: on a b: 1 of 2; on c b: 1 of 1',
            [('on a b', 2)],
        ),
        ('gave up at "Conditions: x" (y). Conditions: 2 of 2 wax; 0 of 3 wheel', [('wheel', 3)]),
        ('The limit. Conditions: not met: a rack is full; met: it is so', [('a rack is full', 1)]),
        ('The limit. Conditions: not met: a b; not met: a b', [('a b', 2)]),
        ('The limit. Conditions: a score of 0.50', []),
        ('', []),
    ],
)
def test_unmet_conditions_are_read_from_the_reason(reason, wanted):
    found = unmet_conditions(failed(reason=reason))
    assert [(one.text, one.need) for one in found] == wanted


def test_without_them_the_run_s_own_are_taken():
    assert unmet_conditions(failed(reason='', missing=('crate in truck',))) == (
        Unmet('crate in truck'),
    )


@given(st.text(max_size=60))
def test_any_reason_can_be_read(reason):
    row = failed(reason=reason)
    assert all(one.text and one.need >= 1 for one in unmet_conditions(row))
    assert failure_of(row, evidence_of([])).text in LABELS


def test_plurals_and_numbers_do_not_matter():
    assert bases('2 Boxes, 3 glasses and batteries (1)') == ('box', 'glass', 'and', 'battery')


# ReAcTree's ----------------------------------------------------------------------------------


def test_what_the_instruction_does_not_tell_is_ambiguous():
    row = failed('inside drum truck: 0 of 1')
    run = Run().go('rack 1', ('drum 1', 'rack 1'))
    assert label(run, row) == 'ambiguous: not told'


def test_misspelled_and_grounded_words_are_told():
    run = Run().decide(DecisionKind.GROUND, 0, text=TASK, subgoals=('drum in truck',))
    run.go('rack 1', ('drum 1', 'rack 1'))
    assert label(run, failed('inside drum truck: 0 of 1')) == 'execution: skipped'
    row = failed(instruction='Put the crat into the truk.')
    assert failure_of(row, evidence_of(Run('').events, row.instruction)).kind != 'ambiguous'


def test_what_people_answered_is_told():
    run = Run('')
    run.see(f'{QUESTION}which? [drum 1]', 'rack 1', ('drum 1', 'rack 1'))
    observed = run.events[-1]
    run.events[-1] = Observation('drum 1', skill=observed.skill, facts=observed.facts, node_id=1)
    assert failure_of(failed('inside drum truck: 0 of 1'), run.evidence).kind != 'ambiguous'


def test_means_that_the_task_does_not_name_count_only_by_themselves():
    run = Run().go('rack 1', ('crate 1', 'rack 1'), ('wax 1', ''))
    assert label(run, failed(f'0 of 3 wax; {UNMET}')) == 'execution: skipped'


def test_a_word_that_was_not_understood_is_ambiguous():
    row = failed(unknown=('crate',))
    assert label(Run(), row) == 'ambiguous: not understood'
    # A condition that nothing can tell is no such word.
    assert label(Run().go('rack 1'), failed(unknown=('crate in truck',))).startswith('search')


def test_a_thing_that_was_never_seen_was_not_found():
    run = Run().go('rack 1', room='aisle 1').go('rack 2', room='aisle 2')
    assert label(run) == 'search: incomplete'


def test_a_search_may_stay_in_one_region():
    run = Run().go('rack 1').go('rack 2').go('rack 3')
    assert label(run) == 'search: same region'


def test_a_search_may_come_back_again_and_again():
    run = Run()
    for _ in range(3):
        run.go('rack 1').go('rack 9', room='aisle 2')
    assert label(run) == 'search: revisits'


def test_too_few_of_a_thing_are_a_search_too():
    run = Run().go('rack 1', ('crate 1', 'rack 1')).go('rack 2', room='aisle 2')
    assert label(run, failed('inside crate truck: 1 of 2')) == 'search: incomplete'
    run.go('rack 3', ('crate 2', 'rack 3'))
    assert label(run, failed('inside crate truck: 1 of 2')) == 'execution: skipped'


def test_subgoals_may_leave_a_thing_out():
    run = Run().expand('load the truck', 'wait').go('rack 1', ('crate 1', 'rack 1'))
    assert label(run) == 'expansion: missing subgoal'


def test_subgoals_may_name_another_place():
    run = Run().expand('put crate on rack', 'go on').go('rack 1', ('crate 1', 'rack 1'))
    assert label(run) == 'expansion: wrong subgoal'
    run = Run().expand('find crate', 'put it into truck').go('rack 1', ('crate 1', 'rack 1'))
    assert label(run) == 'execution: skipped'


def test_a_name_is_not_seen_when_other_things_have_its_words():
    run = Run().go('rack 1', ('tool crate 1', 'rack 1'), ('parts rack 1', ''))
    run.go('rack 2', ('tool box 1', 'rack 2'), room='aisle 2')
    row = failed('inside parts crate truck: 0 of 1', instruction='Put the parts crate into it.')
    assert run.evidence.has_seen(('crate',)) and run.evidence.has_seen(('tool', 'crate'))
    assert not run.evidence.has_seen(('parts', 'crate'))
    assert label(run, row) == 'search: incomplete'


def test_subgoals_on_another_thing_of_the_same_kind_leave_it_out():
    seen = ('tool crate 1', 'rack 1'), ('parts crate 1', 'rack 1')
    run = Run().expand('find tool crate', 'put tool crate into truck').go('rack 1', *seen)
    assert label(run, failed('inside parts crate truck: 0 of 1')) == 'expansion: missing subgoal'
    run = Run().expand('find crate', 'put it into truck').go('rack 1', *seen)
    assert label(run, failed('inside parts crate truck: 0 of 1')) == 'execution: skipped'


def test_a_place_may_be_cut_short_in_a_subgoal():
    run = Run().go('worktable 1', ('crate 1', 'rack 1')).expand('put crate on the work')
    assert run.evidence.names_of_subgoals() == [[('put',), ('crate',), ('work',)]]
    row = failed('on crate worktable: 0 of 1', instruction='Put the crate on the worktable.')
    found = failure_of(row, evidence_of(run.events, row.instruction))
    assert found.text == 'execution: skipped'


def test_branches_of_plans_are_no_subgoals():
    run = Run(kept=Kept.PLANS).expand('wait > wait', 'wait', flow=ControlFlow.FALLBACK)
    run.go('rack 1', ('crate 1', 'rack 1'))
    assert not label(run).startswith('expansion')


def test_the_same_over_and_over_is_repetition():
    run = Run().go('rack 1', ('crate 1', 'rack 1'))
    for _ in range(4):
        run.see('take crate 1', 'rack 1', outcome=Outcome.PRECONDITION_FAILED)
    assert label(run) == 'execution: repetition'


def test_carrying_one_thing_after_another_is_not():
    run = Run().go('rack 1', *((f'crate {number}', 'rack 1') for number in range(1, 7)))
    for number in range(1, 7):
        run.see('go to truck 1', 'truck 1', held=(f'crate {number}',))
    assert label(run, failed('inside crate truck: 6 of 7')).startswith('search')
    assert label(run) == 'execution: skipped'


def test_what_could_not_be_done_or_was_not_named_is_confusion():
    run = Run().go('rack 1', ('crate 1', 'rack 1'))
    run.see('take crate 2', 'rack 1', outcome=Outcome.INVALID_SKILL)
    assert label(run) == 'execution: confusion'
    run = Run().go('rack 1', ('crate 1', 'rack 1'), ('drum 1', 'rack 1'))
    run.see('take drum 1', 'rack 1', held=('drum 1',))
    assert label(run) == 'execution: confusion'


def test_what_was_never_taken_while_other_things_were_is_skipped():
    task = 'Put the crate and the drum into the truck.'
    run = Run(task).go('rack 1', ('crate 1', 'rack 1'), ('drum 1', 'rack 1'))
    run.go('crate 1').see('take drum 1', 'rack 1', held=('drum 1',)).go('truck 1')
    row = failed(instruction=task)
    assert label(run, row) == 'execution: skipped'
    run.see('take crate 1', 'rack 1', held=('crate 1',))
    assert label(run, row) == 'execution: gave up'


@pytest.mark.parametrize(
    ('ended', 'wanted'),
    [('success', 'ended early'), ('decision_limit', 'limit'), ('failure', 'gave up')],
)
def test_what_no_rule_tells_is_told_by_the_end(ended, wanted):
    run = Run().go('rack 1', ('crate 1', 'rack 1')).see('take crate 1', 'rack 1')
    assert label(run, failed(ended=ended)) == f'execution: {wanted}'


def test_a_run_that_did_nothing_did_not_search():
    assert label(Run(), failed(ended='success')) == 'execution: ended early'


def test_errors_are_no_fault_of_the_plan():
    assert failure_of(failed(ended='prompt_too_long'), None).text == 'stopped: error'


def test_the_most_frequent_kind_is_that_of_the_episode():
    task = 'Put crate, drum and box into the truck.'
    run = (
        Run(task).go('rack 1', ('crate 1', 'rack 1'), room='aisle 1').go('rack 2', room='aisle 2')
    )
    lacking = '; '.join(f'inside {name} truck: 0 of 1' for name in ('crate', 'drum', 'box'))
    assert label(run, failed(lacking, instruction=task)) == 'search: incomplete'


def test_a_success_has_no_kind_and_without_a_journal_none_is_told():
    assert failure_of(episode_row(), Run().evidence) is None
    assert failure_of(failed(), None) is None


def test_a_world_without_facts_is_read_by_its_words():
    events = [
        Decision(1, 0, DecisionKind.START, text='craft a wheel'),
        Observation('There is wax. There are boards.', node_id=1),
        Observation('You got 2 wax.', skill='get 2 wax', node_id=1),
        Observation('There is nothing like that.', Outcome.PRECONDITION_FAILED, 'craft wheel'),
    ]
    row = failed('1 of 1 wax; 0 of 1 wheel', instruction='craft a wheel')
    assert failure_of(row, evidence_of(events)).text == 'execution: confusion'


# Tree-Planner's --------------------------------------------------------------------------------


def plan(run, **changes):
    found = plan_failure_of(failed(**changes), run.evidence)
    return found and found.text


def test_only_plans_have_errors_of_plans():
    assert plan(Run()) is None
    assert plan_failure_of(failed(), None) is None


def test_a_branch_that_was_left_aside_was_decided_wrongly():
    run = Run(kept=Kept.PLANS)
    run.expand('take crate 1 > load crate 1', 'take drum 1', flow=ControlFlow.FALLBACK)
    run.decide(DecisionKind.ACT, 4, skill='take drum 1').see('take drum 1', 'rack 1')
    assert plan(run) == 'deciding: incorrect'


def test_plans_may_not_name_what_is_wanted():
    run = Run(kept=Kept.PLANS).see('take drum 1', 'rack 1')
    assert plan(run) == 'missing plan: incomplete'


def test_plans_may_name_what_is_not_there_or_come_too_early():
    run = Run(kept=Kept.PLANS).see('take crate 1', '', outcome=Outcome.INVALID_SKILL)
    assert plan(run) == 'missing plan: misunderstanding'
    run = Run(kept=Kept.PLANS).go('rack 1', ('crate 1', 'rack 1'))
    run.see('take crate 1', 'rack 1', outcome=Outcome.PRECONDITION_FAILED)
    assert plan(run) == 'missing plan: illogical'
    assert plan(Run(kept=Kept.PLANS)) == 'missing plan: misunderstanding'


def test_a_plan_that_was_done_may_still_not_meet_the_goal():
    run = Run(kept=Kept.PLANS).see('take crate 1', 'rack 1', ('crate 1', ''))
    assert plan(run, ended='success') == 'missing plan: semantically correct'


# Rules and people --------------------------------------------------------------------------------


LABELLED = st.dictionaries(st.integers(0, 20), st.sampled_from('abc'), max_size=20)


@given(LABELLED, LABELLED)
def test_agreement_is_symmetric_and_within_its_bounds(rules, people):
    found = agreement(rules, people)
    if found is None:
        assert not rules.keys() & people.keys()
        return
    assert found == agreement(people, rules)
    assert found.count == len(rules.keys() & people.keys())
    assert 0 <= found.share <= 1
    if found.kappa is not None:
        assert -1 - 1e-9 <= found.kappa <= found.share + 1e-9
        assert (found.share == 1) == (found.kappa > 1 - 1e-9)


def test_kappa_is_as_in_cohen_s_example():
    # 20 of 50 said yes by both, 15 no by both, 5 and 10 differently: kappa is 0.4.
    pairs = ['yy'] * 20 + ['yn'] * 5 + ['ny'] * 10 + ['nn'] * 15
    found = agreement(
        {number: pair[0] for number, pair in enumerate(pairs)},
        {number: pair[1] for number, pair in enumerate(pairs)},
    )
    assert found.share == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)


def test_journals_are_found_by_name_and_labels_of_people_go_first(tmp_path):
    run = Run().go('rack 1').go('rack 2', room='aisle 2')
    (tmp_path / 'one.jsonl').write_text('\n'.join(map(encode_event, run.events)) + '\n')
    (tmp_path / 'torn.jsonl').write_text('{"event": 1}\n{}\n')
    names = ('one', 'torn', 'gone', '../one', '')
    rows = [failed(seed=number, run=name) for number, name in enumerate(names)]
    found = failures_of([*rows, episode_row()], tmp_path, {'one': 'execution: limit'})
    assert [one.rule and one.rule.kind for one in found] == ['search', None, None, None, None]
    assert found[0].label == 'execution: limit'
    assert len({one.key for one in found}) == 5
    tables = {
        table.name: table for table in failure_tables(found, {one.key: 'm' for one in found})
    }
    assert [row[:2] for row in tables['failures'].rows] == [
        ('execution', ''),
        ('', 'limit'),
        ('not told apart', ''),
        ('', 'no journal'),
    ]
    assert [row[1] for row in tables['agreement'].rows] == ['1', '1']


def test_every_label_has_a_kind():
    assert {kind_of(one) for one in LABELS} == {
        'ambiguous', 'search', 'expansion', 'execution', 'stopped',
    }  # fmt: skip
