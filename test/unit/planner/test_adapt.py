"""ADaPT follows its own figures: as-needed recursion (1), nested logic (8), algorithm 1."""

from __future__ import annotations

import pytest

from reactree_core.errors import LimitReached
from reactree_core.observation import Observation, Outcome, Vocabulary
from reactree_core.record.events import DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import reduce_events
from reactree_planner.runs.settings import Guards, PlannerSettings
from support.skill_kinds import declared

PAPER = PlannerSettings(guards=Guards.none())


class Household:
    """The household of figure 1: a mug in the cabinet, a sink, a desk."""

    vocabulary = declared(
        Vocabulary(
            ('go to <place>', 'take <thing>', 'clean <thing>', 'put <thing>'),
            ('mug',),
            ('countertop', 'cabinet', 'sink', 'desk'),
            ('room 1',),
        )
    )
    places = ('countertop 1', 'cabinet 1', 'sink 1', 'desk 1')

    def __init__(self):
        self.place, self.mug, self.is_clean = 'room 1', 'cabinet 1', False
        self.executed = []

    def list_skills(self, cancel):
        return self.vocabulary, self.look(cancel)

    def candidate_skills(self, cancel):
        return self._skills()

    def look(self, cancel):
        return self._observation('You are in the middle of a room (1).')

    def progress(self, cancel):
        return None

    def execute(self, sequence, node_id, skill, cancel):
        self.executed.append(skill)
        verb, _, target = skill.partition(' ')
        if verb == 'go':
            self.place = target.removeprefix('to ')
        elif verb == 'take':
            self.mug = 'hand'
        elif verb == 'clean':
            self.is_clean = True
        else:
            self.mug = self.place
        return self._observation(f'You {skill}.')

    def _skills(self):
        skills = [f'go to {place}' for place in self.places]
        if self.mug == self.place:
            skills.append('take mug 1')
        if self.mug == 'hand':
            skills += ['put mug 1', *(['clean mug 1'] if self.place == 'sink 1' else [])]
        return tuple(skills)

    def _observation(self, text):
        held = ('mug 1',) if self.mug == 'hand' else ()
        return Observation(
            text,
            Outcome.SUCCEEDED,
            place=self.place,
            room='room 1',
            held=held,
            admissible_skills=self._skills(),
        )


PLANS = {
    'put a clean mug on a desk': (
        ('find a mug', 'clean the mug', 'put the clean mug on a desk'),
        'Step 1 AND Step 2 AND Step 3',
    ),
    'find a mug': (
        ('find a mug on the countertop', 'find a mug in the cabinet'),
        'Step 1 OR Step 2',
    ),
}
SKILLS = {
    'find a mug on the countertop': ['go to countertop 1', 'failure'],
    'find a mug in the cabinet': ['go to cabinet 1', 'take mug 1', 'done'],
    'clean the mug': ['go to sink 1', 'clean mug 1', 'done'],
    'put the clean mug on a desk': ['go to desk 1', 'put mug 1', 'done'],
}


def executor(text, names):
    """Acts out `SKILLS`; what is not in it is too hard for the executor."""
    if 'Act:' in names:
        return 'Act:'
    own = text.rsplit('Your task is to: ', 1)[1]
    skills = SKILLS.get(own.splitlines()[0], ['failure'])
    return skills[own.count('Act: ')]


@pytest.fixture
def adapt(plan, planning_policy):
    """Runs ADaPT on the task of figure 1; returns what `plan` does."""

    def adapt(settings=PAPER, **changes):
        return plan(
            'put a clean mug on a desk',
            changes.pop('policy', planning_policy(PLANS, executor)),
            settings,
            home=Household(),
            planner='adapt',
            **changes,
        )

    return adapt


def test_figure_1_only_what_the_executor_fails_at_is_split_and_that_again(adapt, outline):
    success, run, home, events, _ = adapt()
    assert success
    assert (home.mug, home.is_clean) == ('desk 1', True)
    assert outline(run.tree.snapshot()) == [
        'put a clean mug on a desk: success',
        '  SEQUENCE: success',
        '    find a mug: success',
        '      FALLBACK: success',
        '        find a mug on the countertop: failure',
        '        find a mug in the cabinet: success',
        '    clean the mug: success',
        '    put the clean mug on a desk: success',
    ]
    assert reduce_events(events) == run.tree.snapshot()
    # Algorithm 1, lines 6 to 10: in one node, first the executor's failure, then the plan.
    decisions = [event for event in events if not isinstance(event, Observation)]
    first = [event for event in decisions if event.node_id == 1]
    assert [event.skill or event.kind.name for event in first] == ['failure', 'THINK', 'EXPAND']
    assert first[-1].text == 'Execution Order: Step 1 AND Step 2 AND Step 3'
    assert sum(event.kind is DecisionKind.EXPAND for event in decisions) == 2


@pytest.mark.parametrize(('levels', 'plans'), [(1, 0), (2, 1), (3, 2)])
def test_below_the_deepest_level_nothing_is_planned(adapt, levels, plans):
    settings = PlannerSettings(guards=Guards.none(), trials=levels)
    success, run, _, events, _ = adapt(settings)
    assert success is (levels == 3)
    expansions = [event for event in events if getattr(event, 'kind', 0) is DecisionKind.EXPAND]
    assert len(expansions) == plans
    assert max(node.depth for node in run.tree.snapshot().nodes) == 1 + 2 * plans


def test_nested_logic_counts_as_one_level(adapt, planning_policy, outline):
    plans = {
        'put a clean mug on a desk': (
            (
                'find a mug on the countertop',
                'find a mug in the cabinet',
                'clean the mug',
                'put the clean mug on a desk',
            ),
            '(Step 1 OR Step 2) AND Step 3 AND Step 4',
        )
    }
    settings = PlannerSettings(guards=Guards.none(), trials=2)
    success, run, _, _, _ = adapt(settings, policy=planning_policy(plans, executor))
    assert success
    assert outline(run.tree.snapshot())[:5] == [
        'put a clean mug on a desk: success',
        '  SEQUENCE: success',
        '    find a mug on the countertop, or find a mug in the cabinet: success',
        '      FALLBACK: success',
        '        find a mug on the countertop: failure',
    ]


def test_information_comes_from_successful_steps_and_ways_to_one_end_hear_the_same(
    adapt, planning_policy
):
    told = {}

    def policy(text, options):
        own = text.rsplit('\n\n', 1)[1]
        goal = own.rsplit('Your task is to: ', 1)[1].splitlines()[0]
        told.setdefault(goal, own.partition('Your task is to: ')[0].splitlines())
        return planning_policy(PLANS, executor)(text, options)

    adapt(policy=policy)
    assert told == {
        'put a clean mug on a desk': [],
        'find a mug': [],
        'find a mug on the countertop': [],
        'find a mug in the cabinet': [],
        'clean the mug': ['Done just before: take mug 1. You take mug 1.'],
        'put the clean mug on a desk': ['Done just before: clean mug 1. You clean mug 1.'],
    }


def test_a_planner_is_told_what_executors_could_not_do(adapt, planning_policy):
    plans = {
        'put a clean mug on a desk': (('find a cup', 'find a mug'), 'Step 1 OR Step 2'),
        'find a cup': (('find a cup in the cabinet',), 'Step 1'),
        'find a mug': (('find a mug in the cabinet',), 'Step 1'),
    }
    told = {}

    def policy(text, options):
        own = text.rsplit('\n\n', 1)[1]
        before, _, task = own.rpartition('Your task is to: ')
        if text.endswith('Step 1:'):
            told[task.splitlines()[0]] = before
        else:
            assert 'Tried' not in before or 'You plan' in text, 'executors hear nothing of it'
        return planning_policy(plans, executor)(text, options)

    success, *_ = adapt(policy=policy)
    assert success
    whole = 'put a clean mug on a desk'
    assert told == {
        whole: '',
        'find a cup': f'Tried without success: {whole}\n',
        'find a mug': (f'Tried without success: {whole}; find a cup; find a cup in the cabinet\n'),
    }


def test_what_was_found_by_thinking_alone_is_told_to_the_next_step(adapt, planning_policy):
    plans = {
        'put a clean mug on a desk': (('say where mugs are', 'find a mug'), 'Step 1 AND Step 2')
    }
    told = []

    def policy(text, options):
        own = text.rsplit('\n\n', 1)[1]
        before, _, task = own.rpartition('Your task is to: ')
        if task.startswith('find a mug'):
            told.append(before)
        names = [option.strip() for option in options or ()]
        if task.startswith('say where'):
            if names == ['Act:', 'Think:']:
                return int('Think:' not in task)
            return names.index('done') if names else ' They are in cabinet 1.'
        return planning_policy(plans, executor)(text, options)

    adapt(PlannerSettings(guards=Guards.none(), trials=2), policy=policy)
    assert set(told) == {'Done just before: They are in cabinet 1.\n'}


def test_an_executor_that_does_not_end_has_failed_after_its_decisions(adapt, planning_policy):
    def wander(text, names):
        goal = text.rsplit('Your task is to: ', 1)[1].splitlines()[0]
        if goal == 'find a mug' and 'Act:' not in names:
            return 'go to desk 1'
        return executor(text, names)

    settings = PlannerSettings(guards=Guards.none(), executor_decisions=4)
    success, _, home, events, _ = adapt(settings, policy=planning_policy(PLANS, wander))
    assert success
    texts = [event.text for event in events if event.node_id == 3]
    told = 'the executor used all its 4 decisions. Execution Order: Step 1 OR Step 2'
    assert told in texts
    assert home.executed[:5] == ['go to desk 1'] * 4 + ['go to countertop 1']


def test_a_plan_that_cannot_be_read_is_done_in_order(adapt, planning_policy, outline):
    plans = PLANS | {'put a clean mug on a desk': (PLANS['put a clean mug on a desk'][0], 'XOR')}
    success, run, _, _, _ = adapt(policy=planning_policy(plans, executor))
    assert success
    assert outline(run.tree.snapshot())[1] == '  SEQUENCE: success'


def test_a_plan_that_would_be_too_deep_fails_its_task_and_not_the_run(adapt):
    success, run, _, _, _ = adapt(limits=Limits(depth=3))
    assert not success
    (failed,) = (node for node in run.tree.snapshot().nodes if node.goal == 'find a mug')
    assert failed.detail == 'failure, and the plan is too deep for max_depth'


def test_the_limits_of_a_run_hold_for_executors_and_planners_together(adapt):
    with pytest.raises(LimitReached) as caught:
        adapt(limits=Limits(decisions=6))
    assert caught.value.limit == 'decisions'
