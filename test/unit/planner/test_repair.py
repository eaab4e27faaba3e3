"""Subgoals that fail are repaired within a budget, and the facts have the last word on the end."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from reactree_core.cancellation import CancelToken
from reactree_core.errors import LimitReached
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import reduce_events
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.logged_ports import LoggedMemory, LoggedSkills
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Decides, Guards, PlannerSettings
from support.warehouse import GroundedRun, Warehouse

TASK = 'load two crates onto the truck and switch on the pump'
WANTED = ('2 crate in truck', 'pump is on')
PARTS = ' load crate onto truck, load another crate onto truck, switch on pump'


class Nothing:
    """Remembers nothing."""

    def retrieve(self, query, cancel):
        return ()

    def recall(self, *_):
        return ''


def goal_of(text):
    return text.rsplit('Your task is to: ', 1)[1].splitlines()[0]


class Foreman:
    """Splits goals as it is told, else does what is to be done.

    :param lists: goal -> lists of subgoals, the next at each time it is asked.
    """

    def __init__(self, world, lists, flow='sequence', ends='failure'):
        self._world, self._flow, self._ends = world, flow, ends
        self._lists = {goal: list(texts) for goal, texts in lists.items()}
        self.texts = []

    def __call__(self, text, options):
        self.texts.append(text)
        goal = goal_of(text)
        left = self._lists.get(goal, [])
        if options is None:
            is_list = text.endswith('- subgoals:')
            return (left.pop(0) if len(left) > 1 else left[0]) if is_list and left else ' Hm.'
        names = [option.strip() for option in options]
        if 'Expand:' in names:
            return names.index('Expand:') if left else 0
        if self._flow in names:
            return names.index(self._flow)
        for wanted in self._wishes(goal):
            for place, name in enumerate(names):
                if name.startswith(wanted):
                    return place
        return 0

    def _wishes(self, goal):
        world = self._world
        yield 'done'
        if 'pump' in goal:
            yield from ('switch on', 'enter dock', self._ends)
        yield from ('load',)
        if world.held:
            yield from ('enter dock', self._ends)
        wanted = 'drum' if 'drum' in goal else 'crate'
        if 'scan' in goal:
            yield f'scan {wanted}'
        yield f'lift {wanted}'
        for name, place in world.at.items():
            if name.startswith(wanted) and place.startswith('shelf'):
                yield f'enter {world.in_room[place]}'
        yield from ('enter aisle 1', 'enter aisle 2', self._ends)


def run_of(
    world,
    foreman,
    wanted=WANTED,
    settings=None,
    limits=None,
    planner='reactree',
    log=None,
    task=TASK,
):
    """A finished run, whether it succeeded, and its events."""
    events = []
    ports = Ports(PolicyModel(foreman), world, Nothing(), None)
    if log is not None:
        ports = Ports(
            LoggedModel(ports.model, log),
            LoggedSkills(world, log),
            LoggedMemory(Nothing(), log),
            None,
        )
    run = GroundedRun(
        task,
        ports,
        settings or PlannerSettings(decides=Decides.MODEL),
        limits or Limits(),
        CancelToken(),
        events.append,
        log=log or RunLog(),
    )
    run.wanted = wanted
    return make_planner(planner).run(run), run, events


def repairs_in(events):
    return [
        event
        for event in events
        if isinstance(event, Decision) and event.kind is DecisionKind.REPAIR
    ]


def thoughts_in(events):
    return [event for event in events if getattr(event, 'kind', None) is DecisionKind.THINK]


@pytest.mark.parametrize('repairs', [0, 1])
def test_a_success_that_stays_untrue_is_a_failure(repairs):
    world = Warehouse(Counter({'lift crate 2': 99}))
    settings = PlannerSettings(
        guards=Guards(check_expansions=False), repairs=repairs, decides=Decides.MODEL
    )
    lists = {TASK: [' load crate onto truck, switch on pump']}
    success, run, events = run_of(world, Foreman(world, lists), settings=settings)
    assert not success
    last = repairs_in(events)[-1]
    assert run.tree.node(1).status is NodeStatus.FAILURE
    if not repairs:
        assert last.subgoals == () and last.status is NodeStatus.FAILURE
        assert last.text == 'Not done yet: 2 crate in truck; pump is on.'
        assert run.tree.node(1).detail == last.text


def test_below_the_root_the_model_is_asked_with_what_failed_and_why():
    world = Warehouse(Counter({'lift crate 1': 99}))
    task = 'make the load ready'
    lists = {
        task: [' have crate 1 loaded, switch on pump'],
        'have crate 1 loaded': [
            ' lift crate 1, load crate 1 onto truck',
            ' load crate 2 onto truck, wait',
        ],
    }
    foreman = Foreman(world, lists)
    settings = PlannerSettings(guards=Guards(), repairs=9)
    run_of(world, foreman, (), settings, Limits(decisions=150), task=task)
    assert any(
        'Failed: lift crate 1 (lift crate 1: The motor stalls.).' in text for text in foreman.texts
    )


def test_the_published_setting_repairs_nothing_and_believes_what_it_hears():
    settings = replace(settings_of_preset('published', 'reactree'), seed=1)
    world = Warehouse(Counter({'switch on pump 1': 99}))
    _, run, events = run_of(
        world, Foreman(world, {TASK: [PARTS]}), settings=settings, limits=Limits(decisions=300)
    )
    assert not repairs_in(events)
    assert run.budget.repairs_left == 0


FAULTS = st.dictionaries(
    st.sampled_from(
        (
            'lift crate 1',
            'lift crate 2',
            'load crate 1 onto truck 1',
            'switch on pump 1',
            'enter aisle 2',
        )
    ),
    st.integers(0, 5),
)


@examples(deadline=None, max_examples=60)
@given(
    st.integers(0, 2**16),
    FAULTS,
    st.integers(0, 5),
    st.sampled_from((WANTED, (), ('all crate in truck',), ('ingot in truck', 'pump is on'))),
)
def test_whatever_fails_and_whatever_the_model_says_a_run_ends_and_repairs_spend(
    seed, faults, repairs, wanted
):
    dice = random.Random(seed)

    def policy(text, options):
        if options is None:
            return dice.choice(
                (PARTS, ' load crate onto truck, scan drum', ' find drum', ' hm', '')
            )
        return dice.randrange(len(options))

    settings = PlannerSettings(repairs=repairs, guards=Guards(first_thought=bool(seed % 2)))
    try:
        success, run, events = run_of(
            Warehouse(Counter(faults)), policy, wanted, settings, Limits(decisions=120)
        )
    except LimitReached as error:
        assert error.limit in ('decisions', 'depth')
        return
    spent = [event for event in repairs_in(events) if event.subgoals]
    assert len(spent) <= repairs and run.budget.repairs_left == repairs - len(spent)
    assert reduce_events(events) == run.tree.snapshot()
    ended = NodeStatus.SUCCESS if success else NodeStatus.FAILURE
    assert run.tree.node(1).status is ended
    if success:
        assert not run.aims.ending.missing


class Killed(BaseException):
    """The planner's process is gone."""


def _shape(run):
    return [(node.goal, node.kind, node.status, node.detail) for node in run.tree.snapshot().nodes]


@pytest.mark.parametrize('stuck', [0, 99])
def test_a_task_about_all_things_is_not_done_before_all_was_looked_at(stuck):
    """Every model says "done" as soon as it may; one aisle may never be entered."""
    world = Warehouse(Counter({'enter aisle 2': stuck}))
    task = 'scan all crates'
    success, run, _ = run_of(
        world, Foreman(world, {}), ('all crate is scanned',), PlannerSettings(), task=task
    )
    assert success is (world.scanned == {'crate 1', 'crate 2'}) is (not stuck)
    assert run.aims.ending.lack == ('Not done yet: all crate is scanned.' if stuck else '')
