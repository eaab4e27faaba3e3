"""Without a model a task that was read whole fails for the reason that facts have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.permission.rules import Rules
from reactree_core.permission.rules_file import RuleEntry
from reactree_planner.runs.settings import Decides
from support.told_run import Told
from support.watched_warehouse import warehouse, Watched

SERVE = warehouse(crate_1='dock', crate_2='dock')


def test_more_things_than_can_be_held_at_once_are_the_reason():
    told = Told('Take two crates.', serve=SERVE)
    assert not told.go()
    assert told.run.tree.node(1).detail == '2 things cannot be held at once, only 1'
    # None was laid down for the other, and none is looked for elsewhere.
    assert [one.split()[0] for one in told.server.executed].count('grip') == 1


class Reluctant(Watched):
    """It never offers to grip anything, and says no reason."""

    def _skills(self):
        return tuple(one for one in super()._skills() if not one.startswith('grip'))


def test_a_skill_that_is_not_on_offer_for_no_known_reason_is_the_reason():
    told = Told(
        'Take a crate.', serve=lambda _: Reluctant({'dock': 'aisle 1'}, {'crate 1': 'dock'})
    )
    assert not told.go()
    assert told.run.tree.node(1).detail == (
        '"grip crate 1" cannot be done, and it is not known why'
    )


ALLOWED = Rules((RuleEntry(name='all', skills='*', decide='allow').rule,))


class Sensing(Reluctant):
    """The same of a server that says by which sense it knows what, as robots do."""

    def _observation(self, text):
        return replace(super()._observation(text), sensed=('at', 'in'))


@pytest.mark.parametrize('seed', range(1, 6))
@pytest.mark.parametrize(
    ('server', 'simulated'), [(Sensing, True), (Sensing, False), (Reluctant, False)]
)
def test_no_model_acts_for_a_task_that_was_read_whole(server, simulated, seed):
    told = Told(
        'Take a crate.',
        model=f'random:{seed}',
        serve=lambda _: server({'dock': 'aisle 1', 'rack': 'aisle 1'}, {'crate 1': 'dock'}),
        simulated=simulated,
        permission=ALLOWED,
    )
    assert not told.go()
    assert told.run.budget.usage.requests == 0
    reason = '"grip crate 1" cannot be done, and it is not known why'
    assert told.run.tree.node(1).detail == reason
    without = Told(
        'Take a crate.',
        serve=lambda _: server({'dock': 'aisle 1', 'rack': 'aisle 1'}, {'crate 1': 'dock'}),
        simulated=simulated,
        permission=ALLOWED,
    )
    without.go()
    assert told.server.executed == without.server.executed


def test_the_model_may_still_choose_where_a_simulated_world_says_nothing_of_its_skills():
    told = Told(
        'Take a crate.',
        model='random:1',
        serve=lambda _: Reluctant({'dock': 'aisle 1'}, {'crate 1': 'dock'}),
    )
    told.go()
    assert told.run.budget.usage.requests > 0


def test_where_the_model_was_chosen_to_decide_it_does():
    told = Told(
        'Take a crate.',
        model='random:1',
        serve=lambda _: Sensing({'dock': 'aisle 1'}, {'crate 1': 'dock'}),
        settings={'decides': Decides.MODEL},
    )
    told.go()
    assert told.run.budget.usage.requests > 0
