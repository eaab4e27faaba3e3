"""Steps that follow from facts: what they lead to, and that they come to an end."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from reactree_core.cancellation import CancelToken
from reactree_core.errors import LimitReached
from reactree_core.observation import Observation
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.direct_steps import direct_step
from reactree_planner.agents.node_history import MOST_TIMES
from reactree_planner.agents.retries import MOST_IN_ALL
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.llm.scripted import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Guards
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.run_settings import Limits
from support.small_warehouse import SmallWarehouse

PLACES = {'shelf 1': 'aisle 1', 'bin 1': 'aisle 1', 'bin 2': 'aisle 2', 'press 1': 'aisle 2'}


def unasked(text, options):
    raise AssertionError(f'the model was asked: {text[-200:]} {options}')


def acts(events):
    """Skills, with why they were taken without asking."""
    return [
        (event.skill, event.text)
        for event in events
        if isinstance(event, Decision) and event.kind is DecisionKind.ACT
    ]


def test_one_thing_is_found_fetched_and_brought_without_asking_the_model(plan):
    home = SmallWarehouse(PLACES, {'crate 1': 'bin 2'})
    success, run, _, events, _ = plan('put the crate on the shelf', unasked, home=home)
    assert success
    assert home.things == {'crate 1': 'shelf 1'}
    assert home.executed[-4:] == [
        'grip crate 1',
        'drive to aisle 1',
        'drive to shelf 1',
        'release crate 1',
    ]
    assert len(home.executed) == 10
    assert all(reason for _, reason in acts(events))
    assert run.usage.requests == 0


@pytest.mark.parametrize(
    ('goal', 'begins'),
    [
        ('power up the press', ['drive to aisle 2', 'drive to press 1', 'power up press 1']),
        ('open bin 2', ['drive to aisle 2', 'drive to bin 2', 'open bin 2']),
        ('find the press', ['drive to aisle 2', 'drive to press 1']),
        ('grip crate 1', ['drive to shelf 1', 'grip crate 1']),
        ('take a crate from the shelf', ['drive to shelf 1', 'grip crate 1']),
        (
            'take crate 1 to the press',
            ['drive to shelf 1', 'grip crate 1', 'drive to aisle 2'],
        ),
    ],
)
def test_each_kind_of_goal_goes_straight_to_its_end(plan, goal, begins):
    home = SmallWarehouse(PLACES, {'crate 1': 'shelf 1'})
    success, run, _, _, _ = plan(goal, unasked, home=home)
    assert success
    assert home.executed[: len(begins)] == begins
    assert run.usage.requests == 0


def test_what_is_held_already_is_used(plan):
    home = SmallWarehouse(PLACES, {'crate 1': 'bin 1'}, held=('crate 2',))
    assert plan('put a crate on the shelf', unasked, home=home)[0]
    assert home.executed == ['drive to shelf 1', 'release crate 2']


def test_a_goal_that_is_reached_already_ends_at_once(plan):
    home = SmallWarehouse(PLACES, {}, place='press 1', aisle='aisle 2', running={'press 1'})
    success, _, _, events, _ = plan('start the press', unasked, home=home)
    assert success
    assert acts(events) == [('done', 'what the goal asks is so')]


def test_what_is_nowhere_ends_with_failure_after_every_place_was_looked_at(plan):
    home = SmallWarehouse(PLACES, {'crate 1': 'bin 1'})
    success, _, _, events, _ = plan('grip a pallet', unasked, home=home)
    assert not success
    assert acts(events)[-1] == ('failure', 'nothing is left to look at')
    assert {'open bin 1', 'open bin 2', 'drive to press 1', 'drive to shelf 1'} <= {*home.executed}


def test_a_search_begins_where_memory_has_seen_the_thing(plan, make_memory):
    home = SmallWarehouse(
        {**PLACES, 'shelf 2': 'aisle 3', 'bin 3': 'aisle 3'}, {'crate 4': 'bin 3'}
    )
    told = []

    class Shared(make_memory):
        def recall(self, object_class, sequence, cancel):
            told.append(object_class)
            return f'ann saw {object_class} 4 near bin 3 in aisle 3.'

    success, _, _, events, _ = plan('grip a crate', unasked, home=home, memory=Shared())
    assert success
    assert home.executed == ['drive to aisle 3', 'drive to bin 3', 'open bin 3', 'grip crate 4']
    first = next(event for event in events if isinstance(event, Observation))
    assert first.text.endswith('From before: ann saw crate 4 near bin 3 in aisle 3.')
    assert told == ['crate']


@pytest.mark.parametrize(
    'settings',
    [
        PlannerSettings(direct_steps=False),
        PlannerSettings(guards=Guards(go_straight=False)),
        PlannerSettings(guards=Guards(goal_match=False)),
        PlannerSettings(guards=Guards.none()),
    ],
)
def test_without_the_guards_nothing_follows(plan, settings):
    home = SmallWarehouse(PLACES, {'crate 1': 'shelf 1'})
    with suppress(LimitReached, AssertionError):
        plan('put crate 1 on the press', unasked, settings, home=home)
    assert home.executed == []


def test_two_parts_look_for_both_things_in_one_sweep(plan):
    """What the first part saw on its way is not looked for again."""
    home = SmallWarehouse(PLACES, {'crate 1': 'bin 2', 'pallet 1': 'bin 1'})

    def policy(text, options):
        if options is None:
            return ' put crate on shelf, put pallet on shelf'
        names = [option.strip() for option in options]
        return next(i for i, n in enumerate(names) if n in ('Expand:', 'sequence', 'Think:'))

    task = 'put the crate and the pallet on the shelf'
    settings = PlannerSettings(guards=Guards(first_thought=False))
    success, _, _, _, _ = plan(task, policy, settings, home=home)
    assert success
    assert home.things == {'crate 1': 'shelf 1', 'pallet 1': 'shelf 1'}
    opened = [skill for skill in home.executed if skill.startswith('open')]
    assert sorted(opened) == sorted(set(opened))


# Any warehouse -------------------------------------------------------------------------------

AISLES = ('aisle 1', 'aisle 2', 'aisle 3')
NAMES = ('shelf 1', 'shelf 2', 'bin 1', 'bin 2', 'bin 3', 'press 1')


@st.composite
def warehouses(draw, failing=None):
    places = {name: draw(st.sampled_from(AISLES)) for name in NAMES}
    things = {
        name: draw(st.sampled_from(NAMES))
        for name in draw(st.sets(st.sampled_from(('crate 1', 'crate 2', 'pallet 1'))))
    }
    return SmallWarehouse(
        places,
        things,
        aisle=draw(st.sampled_from(sorted(set(places.values())))),
        says_where=draw(st.booleans()),
        failing=frozenset() if failing is None else draw(failing),
        holds=draw(st.integers(1, 2)),
    )


GOALS = (
    'put the crate on shelf 1',
    'put a crate into the bin',
    'grip a pallet',
    'find a crate in the bin and take it',
    'power up the press',
    'take the pallet to the press',
)


@given(
    warehouses(), st.sampled_from(('put the crate on shelf 1', 'grip a crate', 'start the press'))
)
@hypothesis_settings(max_examples=60, deadline=None)
def test_in_any_warehouse_what_is_there_is_found_and_brought(plan_anew, home, goal):
    there = any(name.startswith('crate') for name in home.things) or 'press' in goal
    success, run, _, _ = plan_anew(goal, unasked, home)
    assert success is there
    assert run.usage.requests == 0
    if success and goal.startswith('put'):
        assert any(where == 'shelf 1' for where in home.things.values())


@given(
    warehouses(st.frozensets(st.integers(0, 40), max_size=25)),
    st.sampled_from(GOALS),
    st.randoms(use_true_random=False),
)
@hypothesis_settings(max_examples=60, deadline=None)
def test_whatever_fails_no_node_does_the_same_for_ever(plan_anew, home, goal, dice):
    def policy(text, options):
        return ' find a crate, put it down' if options is None else dice.randrange(len(options))

    _, _, events, _ = plan_anew(goal, policy, home, Limits(decisions=120, steps=120))
    seen = {event.sequence: event for event in events if isinstance(event, Observation)}
    taken: Counter[tuple[int, str]] = Counter()
    failed: Counter[str] = Counter()
    for event in events:
        if not isinstance(event, Decision) or event.kind is not DecisionKind.ACT:
            continue
        worked = event.sequence not in seen or seen[event.sequence].succeeded
        taken[event.node_id, event.skill] += worked and bool(event.text)
        failed[event.skill] = 0 if worked else failed[event.skill] + 1
        assert failed[event.skill] <= MOST_IN_ALL
    assert not taken or max(taken.values()) <= MOST_TIMES


@given(warehouses(), st.sampled_from(GOALS), st.data())
@hypothesis_settings(max_examples=60, deadline=None)
def test_a_step_is_always_one_of_those_on_offer(plan_anew, home, goal, data):
    _, run, _, _ = plan_anew(goal, _first, home, Limits(decisions=12, steps=12))
    situation = NodeSituation(goal, (), run.belief, is_direct=True)
    everything = [*home._skills(), 'done', 'failure']
    offered = data.draw(st.lists(st.sampled_from(everything), unique=True))
    expected = _AsTold()
    step = direct_step(situation, offered, PlannerSettings(), expected)
    assert step is None or (step[0] in offered and step[1])
    asked = NodeSituation(goal, (), run.belief)
    assert direct_step(asked, offered, PlannerSettings(), expected) is None


def _first(text, options):
    return 'I go on.' if options is None else 0


class _AsTold:
    """Expects nothing: names stay in the order in which they are told."""

    def order(self, thing, names, within=''):
        return list(dict.fromkeys(names))


@pytest.fixture(scope='module')
def plan_anew(make_memory):
    """Plan a goal in a warehouse to its end or its limits: (success, run, events, home)."""

    def plan_anew(goal, policy, home, limits=None):
        events = []
        run = PlanRun(
            goal,
            Ports(PolicyModel(policy), home, make_memory(), None),
            PlannerSettings(example_count=0),
            limits or Limits(),
            CancelToken(),
            events.append,
        )
        success = None
        with suppress(LimitReached):
            success = make_planner('reactree').run(run)
        return success, run, events, home

    return plan_anew


def test_what_is_here_and_leads_to_nothing_is_asked_about(plan):
    """A robot that loads without taking, and only what was scanned: nobody has told it so."""

    class Loader(SmallWarehouse):
        @property
        def vocabulary(self):
            told = super().vocabulary
            types = (
                *(one for one in told.skill_types if one.kind is not SkillKind.TAKE),
                SkillType('scan <crate>', ('thing',), SkillKind.CHANGE),
            )
            return replace(told, templates=tuple(o.template for o in types), skill_types=types)

        def _skills(self):
            skills = [skill for skill in super()._skills() if not skill.startswith('grip')]
            if self.things.get('crate 1') != self.place:
                return tuple(skills)
            scanned = 'scan crate 1' in self.executed
            return (*skills, f'release crate 1 onto {self.place}' if scanned else 'scan crate 1')

        def execute(self, sequence, node_id, skill, cancel):
            if skill.startswith('scan'):
                self.executed.append(skill)
                return self._observation('It is scanned.')
            return super().execute(sequence, node_id, skill, cancel)

    home = Loader(PLACES, {'crate 1': 'shelf 1'}, says_where=True)
    asked = []

    def policy(text, options):
        if options is None:
            return 'It may have to be scanned.'
        names = [option.strip() for option in options]
        asked.append(names)
        return names.index('Act:') if 'Act:' in names else names.index('scan crate 1')

    success, _, _, _, _ = plan('put the crate on shelf 1', policy, home=home)
    assert success
    assert home.executed == ['drive to shelf 1', 'scan crate 1', 'release crate 1 onto shelf 1']
    assert len(asked) == 2


class Workshop(SmallWarehouse):
    """A warehouse where crates are painted by a sprayer in the hand, and washed in a washer."""

    CHANGES = (
        SkillType(
            'paint <crate> with <sprayer>',
            ('thing', 'thing'),
            SkillKind.CHANGE,
            effects=('<crate> is painted',),
        ),
        SkillType(
            'wash <crate> with <washer>',
            ('thing', 'place'),
            SkillKind.CHANGE,
            effects=('<crate> is clean',),
        ),
    )

    @property
    def vocabulary(self):
        found = super().vocabulary
        types = (*found.skill_types, *self.CHANGES)
        return replace(
            found,
            templates=tuple(one.template for one in types),
            skill_types=types,
            object_classes=('crate', 'sprayer', 'handsprayer'),
        )

    def _skills(self):
        skills = super()._skills()
        here = [name for name, at in self.things.items() if at == self.place and 'crate' in name]
        if self.place and not self._shut(self.place):
            tools = [name for name in self.held if 'sprayer' in name]
            skills += tuple(f'paint {thing} with {tool}' for thing in here for tool in tools)
            if self.place.startswith('washer'):
                skills += tuple(f'wash {thing} with {self.place}' for thing in here)
        return skills

    def execute(self, sequence, node_id, skill, cancel):
        if skill.startswith(('paint', 'wash')):
            assert skill in self._skills()
            self.executed.append(skill)
            return self._observation(f'Done: {skill}.')
        return super().execute(sequence, node_id, skill, cancel)


WORKSHOP = {**PLACES, 'washer 1': 'aisle 2'}


@pytest.mark.parametrize(
    ('task', 'things', 'last'),
    [
        (
            'paint the crate',
            {'crate 1': 'bin 2', 'handsprayer 1': 'shelf 1'},
            ['grip handsprayer 1', 'paint crate 1 with handsprayer 1'],
        ),
        (
            'wash the crate in the washer',
            {'crate 1': 'shelf 1'},
            ['grip crate 1', 'release crate 1', 'wash crate 1 with washer 1'],
        ),
        (
            'paint a crate, wash it and put it on the shelf',
            {'crate 1': 'press 1', 'sprayer 1': 'bin 1'},
            [
                'grip sprayer 1',
                'paint crate 1 with sprayer 1',
                # The hand is needed for the crate.
                'release sprayer 1',
                'grip crate 1',
                'release crate 1',
                'wash crate 1 with washer 1',
                'grip crate 1',
                'release crate 1',
            ],
        ),
    ],
)
def test_a_thing_is_changed_by_its_tool_or_where_the_template_says(plan, task, things, last):
    home = Workshop(WORKSHOP, things)
    success, run, _, _, _ = plan(task, unasked, home=home)
    assert success
    ways = ('drive', 'open', 'close')
    assert [skill for skill in home.executed if not skill.startswith(ways)] == last
    assert run.usage.requests == 0


class HandWorkshop(Workshop):
    """A workshop where a crate is washed at the washer in the hand."""

    def _skills(self):
        skills = SmallWarehouse._skills(self)
        if self.place.startswith('washer'):
            skills += tuple(f'wash {thing} with {self.place}' for thing in self.held)
        return skills


@pytest.mark.parametrize('where', ['shelf 1', 'washer 1'])
def test_what_is_changed_in_the_hand_is_taken_wherever_it_lies(plan, where):
    home = HandWorkshop(WORKSHOP, {'crate 1': where})
    success, run, _, _, _ = plan('wash the crate', unasked, home=home)
    assert success
    assert home.executed[-1] == 'wash crate 1 with washer 1'
    assert sum(skill.startswith(('grip', 'release')) for skill in home.executed) == 1
    assert run.usage.requests == 0


class QuietWarehouse(SmallWarehouse):
    """A warehouse that tells what is where only once something was done."""

    def _observation(self, text):
        seen = super()._observation(text)
        return seen if self.executed else replace(seen, facts=())


def test_a_search_begins_before_any_fact_is_told(plan):
    home = QuietWarehouse(PLACES, {'crate 1': 'bin 1'})
    success, run, _, _, _ = plan('put a crate on the shelf', unasked, home=home)
    assert success
    assert home.executed[-1] == 'release crate 1'
    assert run.usage.requests == 0


class MuteWarehouse(SmallWarehouse):
    """A warehouse that never tells what is where, nor where one is."""

    @property
    def vocabulary(self):
        return replace(super().vocabulary, place_classes=(), rooms=())

    def _skills(self):
        return ('wait',)

    def _observation(self, text):
        return Observation(text, admissible_skills=self._skills())


def test_where_nothing_is_told_the_model_is_asked_and_nothing_is_given_up(plan):
    asked = []

    def ask(text, options):
        asked.append(options)
        raise LimitReached('decisions', 'enough')

    with suppress(LimitReached):
        plan('grip a crate', ask, home=MuteWarehouse(PLACES, {}))
    assert asked
