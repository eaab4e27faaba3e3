"""What can be done at a place only by a robot that went to that place itself."""

from __future__ import annotations

import pytest

from support.told_run import Told


@pytest.mark.parametrize(
    'task',
    ['Put the fork next to the plate.', 'Put the fork next to the plate. Never touch a knife.'],
)
def test_a_robot_that_went_to_a_thing_goes_to_what_that_stands_on(task):
    told = Told(task, began=('generated:9983', 'generated:9983', 9983))
    assert told.go()
    *_, taken, there, down = told.server.executed
    assert taken.startswith('pick up cutlery fork') and down.startswith('put down cutlery fork')
    # It stood beside the counter already, from which nothing was offered.
    assert there.startswith('go to kitchen counter')
    assert told.server.executed.count(there) == 1
