"""Without a model a task that was read whole fails for the reason that facts have."""

from __future__ import annotations

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
