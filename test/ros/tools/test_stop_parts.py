"""The parts of a stop, each with a deadline of its own."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from rclpy.task import Future
from std_srvs.srv import SetBool

from reactree_core.robot_record import Command, Life, RobotRecord
from reactree_core.stop_log import stop_event, stop_log
from reactree_ros.msg import BridgeStatus
from reactree_tools.stopping.orders import Chosen
from reactree_tools.stopping.ros.doors import Graph
from reactree_tools.stopping.ros.robot_release import RobotRelease
from reactree_tools.stopping.ros.stop_parts import Request, SkillServerStop


class Peer:
    """A client whose answers come when the test has them."""

    def __init__(self):
        self.pending = []

    def service_is_ready(self):
        return True

    def call_async(self, request):
        self.pending.append(Future())
        return self.pending[-1]

    def remove_pending_request(self, future):
        self.pending.remove(future)


def request_of(peers, **options):
    request = Request(SetBool, '/bridge/emergency_stop', SetBool.Request(data=True), **options)
    waiting = iter(peers)
    node = SimpleNamespace(create_client=lambda kind, name: next(waiting))
    for _ in peers:
        request.enter(node)
    return request


@pytest.mark.parametrize('late', [0, 1, 2])
def test_the_answer_to_any_request_counts_however_late_it_comes(late):
    peers = [Peer(), Peer()]
    request = request_of(peers)
    for now in (10.0, 11.0, 12.0):
        request.step(now)
    sent = [peers[0].pending[0], peers[1].pending[0], peers[0].pending[1]]
    assert request.answer is None
    sent[late].set_result(SetBool.Response(success=True))
    request.step(12.1)
    assert request.answer.success and not any(peer.pending for peer in peers)


def test_a_patient_request_is_sent_ever_more_rarely():
    peer = Peer()
    request = request_of([peer], patient=True)
    for tenth in range(100, 200):
        request.step(tenth / 10)
    assert 4 <= len(peer.pending) <= 6


def test_a_stop_that_hangs_is_called_once_more_and_not_again():
    peer = Peer()
    request = request_of([peer], most=2)
    for tenth in range(100, 200):
        request.step(tenth / 10)
    assert len(peer.pending) == 2


@pytest.fixture
def release(monkeypatch, tmp_path):
    """A release of a robot whose bridge lives and has a log."""
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path))
    monkeypatch.setattr(RobotRecord, 'life', Life.ALIVE)
    made = RobotRelease('/yard/bridge', RobotRecord('/yard/bridge', pid=17))
    made.peer = Peer()
    made.bridge._request = request_of([made.peer], patient=True)
    made.log = stop_log('/yard/bridge')
    made.log.append(stop_event(True, '/yard/bridge'))
    made.log.append(stop_event(False, '/yard/bridge'))
    return made


def test_a_bridge_that_follows_its_log_is_not_asked_to_release(release):
    release.bridge.status = BridgeStatus(state=BridgeStatus.STATE_READY)
    for tenth in range(100, 160):
        release.step(tenth / 10)
    assert release.is_released and not release.waits(True) and not release.peer.pending
    assert release.report('hermes', Chosen(pressed={'/yard/bridge'}), True, 16.0).stopped


@pytest.mark.parametrize(
    ('state', 'said', 'asides'),
    [
        (BridgeStatus.STATE_READY, 'The service /lift was called.', 1),
        (BridgeStatus.STATE_FAULT, 'The action drive goes on.', 1),
        (BridgeStatus.STATE_READY, '', 0),
        (BridgeStatus.STATE_BUSY, 'go to dock 1', 0),
    ],
)
def test_what_a_bridge_that_follows_its_log_has_not_seen_end_is_said(release, state, said, asides):
    release._record = replace(release._record, services=('/lift',))
    release.bridge.status = BridgeStatus(state=state, message=said)
    report = release.report('hermes', Chosen(pressed={'/yard/bridge'}), True, 16.0)
    assert report.stopped and report.asides == [said] * asides


def test_a_bridge_that_does_not_follow_its_log_is_asked(release):
    release.bridge.status = BridgeStatus(state=BridgeStatus.STATE_STOPPED)
    release.step(10.0)
    assert not release.peer.pending and release.waits(True)
    release.step(13.0)
    assert len(release.peer.pending) == 1


@pytest.mark.parametrize('heard', [True, False])
def test_a_release_undoes_no_stop_that_came_after_it(release, heard):
    if heard:
        release.bridge.status = BridgeStatus(state=BridgeStatus.STATE_STOPPED)
    release.log.append(stop_event(True, '/yard/bridge', how='by the topic'))
    for tenth in range(100, 160):
        release.step(tenth / 10)
    assert not release.peer.pending and not release.waits(True)
    report = release.report('hermes', Chosen(pressed={'/yard/bridge'}), True, 16.0)
    assert not report.stopped and 'was pressed again (by the topic)' in str(report)


def test_a_bridge_that_lives_and_has_not_answered_is_said_so():
    peer = Peer()
    bridge = SkillServerStop('/bridge', press=True)
    bridge._request = request_of([peer])
    record = RobotRecord('/bridge', pid=17)
    assert 'was not met, though its process 17 lives' in bridge.silence(10.0, record)
    bridge.step(10.0)
    assert 'lives and has not answered within 3 s' in bridge.silence(13.0, record)


def test_whatever_a_record_names_shows_that_its_robot_may_be_there():
    shown = {'services': set(), 'subscribers': set(), 'publishers': set()}

    node = SimpleNamespace(
        count_services=lambda name: name in shown['services'],
        count_subscribers=lambda name: name in shown['subscribers'],
        count_publishers=lambda name: name in shown['publishers'],
    )
    record = RobotRecord(
        '/bridge',
        actions={'/drive': ()},
        services=('/lift',),
        topics=('/cmd_vel',),
        heard=('/pose',),
        asked=('/doors',),
        press=Command('service', '/halt', 'std_srvs/srv/Trigger'),
        pressed={'topic': '/halted'},
    )
    graph = Graph(SimpleNamespace(nodes=[node]))
    assert graph.shows(record) == set()
    for kind, names in (
        ('services', ('/lift', '/doors', '/halt', '/drive/_action/cancel_goal')),
        ('subscribers', ('/cmd_vel',)),
        ('publishers', ('/pose', '/halted')),
    ):
        for name in names:
            shown[kind] = {name}
            assert graph.shows(record) == {name}
            shown[kind] = set()
    # What the stop itself publishes and hears is nobody else.
    shown['publishers'], shown['subscribers'] = {'/cmd_vel'}, {'/pose', '/halted'}
    assert graph.shows(record) == set()
