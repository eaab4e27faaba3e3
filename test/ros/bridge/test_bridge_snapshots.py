"""Snapshots of the bridge over real DDS: the household put back, and what is refused."""

from __future__ import annotations

import threading

import pytest

from reactree_ros.msg import BridgeStatus
from sim_bridge.ros.served_world import SNAPSHOTS
from sim_bridge.worlds.registry import make_world


@pytest.fixture
def world():
    """The household."""
    home = make_world('household')
    home.release = threading.Event()
    return home


@pytest.fixture
def bridge(serve):
    """Its client."""
    return serve(scene='generated:3', task='setup_table:3')


def play(client, first, count=4):
    """Outcomes and texts of some skills, each the middle one that is offered."""
    told = []
    offered = client.call('list_skills').admissible_skills
    for number in range(first, first + count):
        skill = offered[len(offered) // 2]
        _, seen = client.execute(skill, number)
        told.append((skill, seen.outcome, seen.text))
        offered = seen.admissible_skills
    return told


def test_a_world_is_put_back_as_often_as_one_likes(bridge, statuses):
    play(bridge, 1)
    taken = bridge.call('snapshot_world')
    assert taken.success and taken.snapshot
    assert taken.message == f'Snapshot {taken.snapshot} is taken.'
    state = bridge.call('get_world_state', include_graph=True)
    future = play(bridge, 10)
    for again in (20, 30):
        back = bridge.call('snapshot_world', restore=taken.snapshot)
        assert back.success and back.snapshot == taken.snapshot
        # What is seen now, without what the last skill said.
        look = bridge.call('list_skills').observation
        assert (back.observation.text, back.observation.place) == (look.text, look.place)
        assert bridge.call('get_world_state', include_graph=True) == state
        assert play(bridge, again) == future
    statuses.until(lambda states: states[-1] == BridgeStatus.STATE_READY)


def test_a_snapshot_brings_back_its_scene_and_task(bridge, statuses):
    taken = bridge.call('snapshot_world').snapshot
    before = bridge.call('get_world_state')
    assert bridge.call('reset_world', scene='generated:4', task='put_fridge:4').success
    assert bridge.call('snapshot_world', restore=taken).success
    assert bridge.call('get_world_state') == before
    statuses.until(lambda _: statuses.messages[-1].task_id == before.task_id)
    # A reset that begins again begins that task again.
    assert bridge.call('reset_world', again=True).task_id == before.task_id


def test_the_last_sixteen_are_kept(bridge):
    taken = [bridge.call('snapshot_world').snapshot for _ in range(SNAPSHOTS + 1)]
    assert len(set(taken)) == len(taken)
    gone = bridge.call('snapshot_world', restore=taken[0])
    assert not gone.success
    assert gone.message.startswith(f"there is no snapshot '{taken[0]}': the last 16 are kept")
    assert bridge.call('snapshot_world', restore=taken[1]).success


def test_nothing_is_put_back_under_a_skill(serve):
    client = serve(scene='generated:3', skill_duration=60.0)
    taken = client.call('snapshot_world').snapshot
    handle = client.start(client.call('list_skills').admissible_skills[0], 1)
    for restore in ('', taken):
        refused = client.call('snapshot_world', restore=restore)
        assert not refused.success
        assert refused.message.startswith('The bridge is at work (BUSY')
    client.wait(handle.cancel_goal_async())
