"""One crate seen twice is one crate; gone is what was looked for where it was."""

from __future__ import annotations

import pytest

from perception.markers import Sighting
from perception.tracking import Tracker
from robot_bridge.poses import Pose


def crate(x, y=0.0):
    return Sighting('crate', Pose('map', x, y), unique=False)


def everywhere(pose):
    return True


def where(tracker):
    return {track.name: (track.pose.x, track.pose.y) for track in tracker if not track.gone}


@pytest.fixture
def tracker():
    return Tracker(within=0.2, gone_after=1.0)


def test_one_crate_seen_again_and_again_is_one_crate(tracker):
    for step in range(20):
        tracker.see([crate(1.0 + 0.01 * step)], step * 0.1, 'd', everywhere)
    assert where(tracker) == {'crate 1': (1.19, 0.0)}


def test_two_crates_keep_their_names_whichever_is_told_first(tracker):
    tracker.see([crate(0.0), crate(1.0)], 0.0, 'd', everywhere)
    tracker.see([crate(1.02), crate(0.03)], 0.1, 'd', everywhere)
    assert where(tracker) == {'crate 1': (0.03, 0.0), 'crate 2': (1.02, 0.0)}


def test_what_is_out_of_view_is_never_gone(tracker):
    tracker.see([crate(0.0)], 0.0, 'd', everywhere)
    for step in range(1, 50):
        tracker.see([], step * 1.0, 'd', lambda pose: False)
    assert tracker.gone() == []
    assert where(tracker) == {'crate 1': (0.0, 0.0)}


def test_it_is_gone_after_its_place_was_looked_at_for_a_while(tracker):
    tracker.see([crate(0.0)], 0.0, 'd', everywhere)
    tracker.see([], 0.5, 'd', everywhere)
    tracker.see([], 1.4, 'd', everywhere)
    assert tracker.gone() == []
    tracker.see([], 1.5, 'd', everywhere)
    assert tracker.gone() == ['crate 1']


def test_a_look_that_was_interrupted_begins_again(tracker):
    tracker.see([crate(0.0)], 0.0, 'd', everywhere)
    tracker.see([], 0.5, 'd', everywhere)
    tracker.see([], 1.0, 'd', lambda pose: False)
    tracker.see([], 1.6, 'd', everywhere)
    assert tracker.gone() == []


def test_the_only_one_that_was_moved_keeps_its_name(tracker):
    tracker.see([crate(0.0), crate(3.0)], 0.0, 'd', everywhere)
    tracker.see([crate(1.5), crate(3.0)], 0.1, 'd', everywhere)
    assert where(tracker) == {'crate 1': (1.5, 0.0), 'crate 2': (3.0, 0.0)}


def test_of_two_that_were_moved_nobody_knows_which_is_which(tracker):
    tracker.see([crate(0.0), crate(3.0)], 0.0, 'd', everywhere)
    tracker.see([crate(1.0), crate(5.0)], 0.1, 'd', everywhere)
    assert where(tracker).keys() == {'crate 1', 'crate 2', 'crate 3', 'crate 4'}


def test_one_that_comes_while_the_other_is_out_of_view_is_another(tracker):
    tracker.see([crate(0.0)], 0.0, 'd', everywhere)
    tracker.see([crate(5.0)], 0.1, 'd', lambda pose: pose.x > 2.0)
    assert where(tracker) == {'crate 1': (0.0, 0.0), 'crate 2': (5.0, 0.0)}


def test_a_name_of_its_own_is_itself_wherever_it_is(tracker):
    tracker.see([Sighting('gear 1', Pose('map', 0.0))], 0.0, 'm', everywhere)
    tracker.see([Sighting('gear 1', Pose('map', 9.0))], 0.1, 'm', everywhere)
    assert where(tracker) == {'gear 1': (9.0, 0.0)}


def test_another_source_that_does_not_see_it_tells_nothing(tracker):
    tracker.see([crate(0.0)], 0.0, 'd', everywhere)
    tracker.see([], 2.0, 'm', everywhere)
    tracker.see([], 9.0, 'm', everywhere)
    assert tracker.gone() == []


def test_an_older_picture_that_comes_later_moves_nothing(tracker):
    tracker.see([Sighting('gear 1', Pose('map', 1.0))], 5.0, 'm', everywhere)
    tracker.see([Sighting('gear 1', Pose('map', 0.0))], 4.0, 'm', everywhere)
    assert where(tracker) == {'gear 1': (1.0, 0.0)}
