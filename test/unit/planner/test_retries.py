"""Skills that fail and may succeed: tried again without asking, a few times, then another way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.retries import ENTERING
from reactree_planner.agents.retries import FETCHING
from reactree_planner.agents.retries import MOST_IN_ALL
from reactree_planner.agents.retries import MOST_TRIES
from reactree_planner.agents.retries import Retries
from reactree_planner.agents.skills import Skill
from reactree_planner.runs.settings import Guards
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from support.small_warehouse import SmallWarehouse

PLACES = {'shelf 1': 'aisle 1', 'bin 1': 'aisle 1', 'bin 2': 'aisle 2', 'press 1': 'aisle 2'}


@dataclass
class Unwilling(SmallWarehouse):
    """A warehouse in which some skills fail.

    :param fails: skill -> how often in a row. :param outcome: of these.
    """

    fails: dict[str, int] = field(default_factory=dict)
    outcome: Outcome = Outcome.EXECUTION_FAILED

    def execute(self, sequence, node_id, skill, cancel):
        if self.fails.get(skill, 0) <= 0:
            return super().execute(sequence, node_id, skill, cancel)
        self.executed.append(skill)
        self.fails[skill] -= 1
        return replace(self._observation('It is stuck.'), outcome=self.outcome)


def unasked(text, options):
    raise AssertionError(f'the model was asked: {text[-200:]} {options}')


def last_act(events):
    acts = [e for e in events if isinstance(e, Decision) and e.kind is DecisionKind.ACT]
    return acts[-1].skill, acts[-1].text


@pytest.mark.parametrize('outcome', [Outcome.EXECUTION_FAILED, Outcome.TIMED_OUT])
@pytest.mark.parametrize(
    'skill',
    ['drive to aisle 2', 'drive to bin 2', 'open bin 2', 'grip crate 1', 'release crate 1'],
)
def test_what_may_succeed_is_tried_again_without_asking(plan, skill, outcome):
    fails = {skill: MOST_TRIES - 1}
    home = Unwilling(PLACES, {'crate 1': 'bin 2'}, fails=fails, outcome=outcome)
    success, run, _, events, _ = plan('put the crate on the shelf', unasked, home=home)
    assert success and run.usage.requests == 0
    assert home.things == {'crate 1': 'shelf 1'}
    tries = [k for k, done in enumerate(home.executed) if done == skill]
    assert tries[:MOST_TRIES] == list(range(tries[0], tries[0] + MOST_TRIES))
    again = 'it failed, and may succeed when it is tried again'
    assert [e.text for e in events if isinstance(e, Decision)].count(again) == MOST_TRIES - 1
    assert not run.world.failed_skills


def test_what_cannot_succeed_is_not_tried_again(plan):
    fails = {'grip crate 1': 9}
    home = Unwilling(
        PLACES, {'crate 1': 'shelf 1'}, fails=fails, outcome=Outcome.PRECONDITION_FAILED
    )
    with pytest.raises(AssertionError, match='the model was asked'):
        plan('grip crate 1', unasked, home=home)
    assert home.executed.count('grip crate 1') == 1


def test_without_direct_steps_the_model_decides_whether_to_try_again(plan):
    home = Unwilling(PLACES, {'crate 1': 'shelf 1'}, fails={'drive to shelf 1': 9})
    settings = PlannerSettings(direct_steps=False, guards=Guards(first_thought=False))
    asked = []

    def policy(text, options):
        names = [option.strip() for option in options]
        asked.append(names)
        wanted = ('drive to shelf 1', 'Act:', 'failure')
        return next((names.index(one) for one in wanted if one in names), 0)

    plan('grip crate 1', policy, settings, home=home)
    assert asked
    assert home.executed[:2] == ['drive to shelf 1', 'drive to aisle 2']


def test_a_place_that_does_not_open_is_left_alone_and_the_search_goes_on(plan):
    home = Unwilling(PLACES, {'crate 1': 'bin 2'}, fails={'open bin 1': 99})
    success, run, _, _, _ = plan('grip a crate', unasked, home=home)
    assert success and run.usage.requests == 0
    assert home.executed.count('open bin 1') == MOST_TRIES


def test_a_search_fails_truly_once_all_that_opens_was_looked_at(plan):
    home = Unwilling(PLACES, {'crate 1': 'bin 2'}, fails={'open bin 2': 99})
    success, run, _, events, _ = plan('grip a crate', unasked, home=home)
    assert not success and run.usage.requests == 0
    assert last_act(events) == ('failure', 'nothing is left to look at')
    assert home.executed.count('open bin 2') == MOST_TRIES
    assert 'open bin 1' in home.executed


def test_another_instance_serves_where_one_was_given_up(plan):
    things = {'crate 1': 'shelf 1', 'crate 2': 'press 1'}
    home = Unwilling(PLACES, things, fails={'grip crate 1': 99})
    assert plan('grip a crate', unasked, home=home)[0]
    assert home.held == ('crate 2',)
    assert home.executed.count('grip crate 1') == MOST_TRIES


@pytest.mark.parametrize('what', ['drive to press 1', 'power up press 1'])
def test_what_the_goal_is_about_is_given_up_without_wandering(plan, what):
    home = Unwilling(PLACES, {}, aisle='aisle 2', fails={what: 99})
    success, run, _, events, _ = plan('power up press 1', unasked, home=home)
    assert not success and run.usage.requests == 0
    assert last_act(events) == (
        'failure',
        'press 1 failed too often, and nothing is left to look at',
    )
    assert len(home.executed) <= MOST_TRIES + 1


def test_another_of_its_class_may_be_in_a_region_that_nobody_has_seen(plan):
    places = {**PLACES, 'press 2': 'aisle 3'}
    home = Unwilling(places, {}, aisle='aisle 2', fails={'power up press 1': 99})
    assert plan('power up a press', unasked, home=home)[0]
    assert home.running == {'press 2'}


def test_a_move_is_tried_again_from_elsewhere(plan):
    fails = {'drive to bin 1': MOST_TRIES + 1}
    home = Unwilling(PLACES, {'crate 1': 'bin 1'}, fails=fails)
    success, run, _, _, _ = plan('grip a crate', unasked, home=home)
    assert success and run.usage.requests == 0
    tries = [place for place, skill in enumerate(home.executed) if skill == 'drive to bin 1']
    assert len(tries) == MOST_TRIES + 2
    assert tries[MOST_TRIES] - tries[MOST_TRIES - 1] > 1


class Haunted(SmallWarehouse):
    """Somebody takes crate 1 to the shelf when it is to be gripped for the first time."""

    def execute(self, sequence, node_id, skill, cancel):
        if skill == 'grip crate 1' and skill not in self.executed:
            self.executed.append(skill)
            self.things['crate 1'] = 'shelf 1'
            return replace(self._observation('Gone.'), outcome=Outcome.EXECUTION_FAILED)
        return super().execute(sequence, node_id, skill, cancel)


def test_what_has_vanished_is_looked_for_again_where_it_was_not(plan):
    home = Haunted(PLACES, {'crate 1': 'bin 2'})
    success, run, _, _, _ = plan('put the crate on the press', unasked, home=home)
    assert success and run.usage.requests == 0
    assert home.things == {'crate 1': 'press 1'}
    # It is not tried where it is not, and not looked for there.
    assert home.executed.count('grip crate 1') == 2
    assert home.executed.index('drive to shelf 1') < home.executed.index('grip crate 1')
    assert not run.belief.vanished


def parts(*goals, flow='parallel'):
    """Writes these subgoals, and is asked nothing else."""

    def policy(text, options):
        if options is None:
            return f' {", ".join(goals)}'
        names = [option.strip() for option in options]
        return next(i for i, name in enumerate(names) if name in ('Expand:', flow))

    return policy


SPLIT = PlannerSettings(guards=Guards(first_thought=False), repairs=0)


def test_what_cannot_be_switched_may_still_be_filled(plan):
    home = Unwilling(PLACES, {'crate 1': 'shelf 1'}, fails={'power up press 1': 99})
    policy = parts('power up press 1', 'put crate on press 1')
    plan('power up press 1 and put a crate on press 1', policy, SPLIT, home=home)
    assert home.things == {'crate 1': 'press 1'}
    assert home.executed.count('power up press 1') == MOST_TRIES


def test_what_is_left_in_the_hold_is_put_down_for_what_needs_a_free_one(plan):
    class Pedals(Unwilling):
        """Bin 2 opens by a pedal."""

        def _skills(self):
            here = self.place == 'bin 2' and self._shut('bin 2')
            return (*super()._skills(), *(('open bin 2',) if here and self.held else ()))

    things = {'crate 1': 'shelf 1', 'crate 2': 'shelf 1', 'pallet 1': 'bin 1'}
    home = Pedals(PLACES, things, fails={'open bin 2': 99})
    policy = parts('put crate in bin 2', 'put another crate in bin 2', 'put pallet on shelf 1')
    task = 'put two crates in bin 2 and a pallet on shelf 1'
    plan(task, policy, SPLIT, home=home)
    assert home.things['pallet 1'] == 'shelf 1'
    assert home.held == ()
    # Nothing is fetched for a place that is known not to open.
    assert sum(skill.startswith('grip crate') for skill in home.executed) == 1
    assert home.executed.count('open bin 2') == MOST_TRIES


# Retries by themselves --------------------------------------------------------------------------

_KINDS = {
    'drive to bin 1': SkillKind.MOVE,
    'drive to bin 2': SkillKind.MOVE,
    'open bin 1': SkillKind.OPEN,
    'grip crate 1': SkillKind.TAKE,
}
_ENDS = st.sampled_from(
    (Outcome.SUCCEEDED, Outcome.EXECUTION_FAILED, Outcome.TIMED_OUT, Outcome.PRECONDITION_FAILED)
)


def skill_of(text):
    kind = _KINDS[text]
    return Skill(text, SkillType(text, kind=kind), target=' '.join(text.split()[-2:]))


@given(st.lists(st.tuples(st.sampled_from(tuple(_KINDS)), _ENDS), max_size=60))
def test_nothing_that_is_not_given_up_has_failed_too_often(tries):
    retries = Retries()
    in_all: Counter[str] = Counter()
    for text, outcome in tries:
        if retries.has_given_up(text):
            continue
        retries.note(skill_of(text), Observation('', outcome))
        if outcome is Outcome.SUCCEEDED:
            in_all[text] = 0
            assert not retries.has_given_up(text)
        elif outcome is not Outcome.PRECONDITION_FAILED:
            in_all[text] += 1
        assert in_all[text] <= MOST_IN_ALL
        if in_all[text] == MOST_IN_ALL:
            assert retries.has_given_up(text)
            assert skill_of(text).target in retries.given_up((_KINDS[text],))


def test_hope_is_given_once(plan):
    _, run, _, _, _ = plan('power up the press', unasked, home=SmallWarehouse(PLACES, {}))
    (mention,) = run.belief.names.find('open bin 1')
    retries = Retries()
    opening = skill_of('open bin 1')
    for _ in range(MOST_TRIES):
        assert not retries.given_up(ENTERING)
        retries.note(opening, Observation('', Outcome.EXECUTION_FAILED))
    assert retries.given_up(ENTERING) == {'bin 1'}
    assert not retries.given_up(FETCHING)
    retries.hope_again((mention,))
    assert not retries.given_up(ENTERING)
    for _ in range(MOST_TRIES):
        retries.note(opening, Observation('', Outcome.TIMED_OUT))
    retries.hope_again((mention,))
    assert retries.given_up(ENTERING) == {'bin 1'}
