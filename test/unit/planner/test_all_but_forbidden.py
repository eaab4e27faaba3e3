"""Things that the same task forbids to touch are excepted from "all"."""

from __future__ import annotations

import pytest

from support.told_run import Told
from support.watched_warehouse import warehouse


@pytest.mark.parametrize(
    'task',
    [
        'Move all the crates to the rack, but do not touch crate 2.',
        'Move all crates to the rack. Never grip crate 2.',
        'Do not touch crate 2, and move all crates to the rack.',
    ],
)
def test_all_is_all_but_what_must_not_be_touched(task):
    told = Told(task, serve=warehouse(crate_1='dock', crate_2='dock', crate_3='dock'))
    assert told.go()
    assert told.server.things == {'crate 1': 'rack', 'crate 2': 'dock', 'crate 3': 'rack'}
    assert told.run.aims.ending.verified == ('all crate in rack but for crate 2',)


@pytest.mark.parametrize(
    'task',
    [
        'Move all crates to the rack. Never grip the crates.',
        'Move crate 2 to the rack. Never grip crate 2.',
    ],
)
def test_what_is_forbidden_for_all_that_is_asked_for_still_contradicts(task):
    told = Told(task, serve=warehouse(crate_1='dock', crate_2='dock'))
    with pytest.raises(Exception, match='contradicts itself'):
        told.go()
    assert told.server.things == {'crate 1': 'dock', 'crate 2': 'dock'}
