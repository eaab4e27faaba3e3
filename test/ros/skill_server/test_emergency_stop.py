"""The emergency stop: who may press it, what it ends, and what it takes to release it."""

from __future__ import annotations

import threading

import pytest
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from reactree_core.stop_log import stop_event, StopLog
from skill_server.ros.emergency_stop import EmergencyStop, NOT_PRESSED, RELEASED
from skill_server.ros.status import BridgeState, StatusBoard
from support.waiting import wait_for


class Arms:
    """What moves beside the running skill."""

    def __init__(self):
        self.presses, self.still_moving, self.pressed = [], '', ''
        self.still = ''

    def stop(self, press):
        self.presses.append(press)

    async def moving(self):
        return self.still_moving

    def unended(self):
        return self.still


class Stage:
    """A stop, with what it ends and what it says."""

    def __init__(self, node, log=None, motion=None):
        self.node, self.ended = node, []
        self.board = StatusBoard(node, None)
        self.board.serve()
        self.stop = EmergencyStop(node, None, self.board, self._end, log, motion)

    def _end(self, why):
        self.ended.append((why, self.board.state))

    def ask(self, press):
        answer = self.node.services['~/emergency_stop'](
            SetBool.Request(data=press), SetBool.Response()
        )
        try:
            answer.send(None)
        except StopIteration as over:
            return over.value.success, over.value.message
        raise AssertionError('it waits')

    def push(self, data):
        for hear in self.node.subscriptions:
            hear(Bool(data=data))


def test_a_press_shows_the_stop_before_it_ends_what_runs(node):
    stage = Stage(node)
    success, message = stage.ask(True)
    assert success and 'by the service' in message and '--release' in message
    assert stage.board.state is BridgeState.STOPPED and stage.board.stop == message
    assert stage.ended == [('the emergency stop', BridgeState.STOPPED)]
    assert message in node.logged


def test_a_button_presses_and_never_releases(node):
    stage = Stage(node)
    assert len(node.subscriptions) == 3, 'latched, reliable and best effort'
    stage.push(False)
    assert not stage.board.stop and not stage.ended
    stage.push(True)
    assert 'by the topic' in stage.board.stop and len(stage.ended) == 1
    stage.push(False)
    assert stage.board.stop


def test_a_second_press_tells_the_first_reason_and_ends_nothing_twice(node):
    stage = Stage(node)
    stage.push(True)
    assert 'by the topic' in stage.ask(True)[1] and len(stage.ended) == 1


def test_a_release_lets_skills_run_again(node):
    stage = Stage(node)
    assert stage.ask(False) == (True, 'The emergency stop was not pressed.')
    stage.ask(True)
    assert stage.ask(False) == (True, 'The emergency stop is released: skills may run.')
    assert stage.board.state is BridgeState.READY and not stage.board.stop
    assert stage.ask(True)[0] and len(stage.ended) == 2


@pytest.fixture
def log(tmp_path):
    return StopLog(tmp_path / 'deep' / 'stops.jsonl')


def test_it_stays_pressed_over_a_restart_until_it_is_released(node, log):
    stage = Stage(node, log)
    assert not stage.board.stop and log.events() == []
    stage.ask(True)
    assert log.last().how == 'by the service' and '(by the service) on 20' in stage.board.stop
    again = Stage(node, log)
    assert 'before this bridge started' in again.board.stop
    assert '(by the service) on 20' in again.board.stop, 'how and when stand in it'
    assert again.board.state is BridgeState.STOPPED
    assert again.ask(False)[0] and not log.is_pressed
    assert not Stage(node, log).board.stop


def test_a_log_that_nobody_can_read_counts_as_pressed(node, tmp_path):
    assert 'before this bridge started' in Stage(node, StopLog(tmp_path)).board.stop


def test_a_log_that_cannot_be_written_is_said_and_the_stop_is_pressed(node, log, monkeypatch):
    def refuse(event, durable=True):
        raise OSError(28, 'No space left on device')

    stage = Stage(node, log)
    monkeypatch.setattr(log, 'append', refuse)
    stage.ask(True)
    assert stage.board.stop
    assert any('will not be pressed any more' in one and 'No space' in one for one in node.logged)


def test_a_log_that_cannot_be_written_keeps_it_pressed(node, log):
    stage = Stage(node, log)
    stage.ask(True)
    log.path.unlink()
    log.path.mkdir()
    success, message = stage.ask(False)
    assert not success and 'stays pressed' in message and 'cannot be written' in message
    assert stage.board.stop
    log.path.rmdir()
    assert stage.ask(False)[0] and not stage.board.stop


def test_a_release_survives_a_folder_that_is_gone(node, log):
    stage = Stage(node, log)
    stage.push(True)
    log.path.unlink()
    log.path.parent.rmdir()
    assert stage.ask(False)[0] and not stage.board.stop


def test_what_others_write_into_the_log_is_so_at_once(node, log):
    arms = Arms()
    stage = Stage(node, log, arms)
    log.append(stop_event(True, '/bridge', by='ana', how='with `reactree stop`', why='a child'))
    stage.stop.look()
    assert stage.board.state is BridgeState.STOPPED and arms.presses == [True]
    assert '(with `reactree stop`, by ana)' in stage.board.stop and '"a child"' in stage.board.stop
    assert stage.ended == [('the emergency stop', BridgeState.STOPPED)]
    stage.stop.look()
    assert arms.presses == [True], 'an event is taken once'
    log.append(stop_event(False, '/bridge', by='ana'))
    stage.stop.look()
    assert not stage.board.stop and stage.board.state is BridgeState.READY


def test_a_press_that_was_released_meanwhile_still_ends_what_runs(node, log):
    arms = Arms()
    stage = Stage(node, log, arms)
    log.append(stop_event(True, '/bridge'))
    log.append(stop_event(False, '/bridge'))
    stage.stop.look()
    assert stage.ended == [('the emergency stop', BridgeState.STOPPED)] and arms.presses == [True]
    assert not stage.board.stop, 'and skills may run again'


def test_what_a_bridge_writes_itself_is_not_taken_again(node, log):
    arms = Arms()
    stage = Stage(node, log, arms)
    stage.ask(True)
    stage.ask(False)
    stage.stop.look()
    assert arms.presses == [True] and not stage.board.stop


def test_a_release_says_what_has_not_ended(node, log):
    arms = Arms()
    stage = Stage(node, log, arms)
    stage.ask(True)
    arms.still = 'The lift moves.'
    assert stage.ask(False) == (True, f'{RELEASED} The lift moves.')
    assert stage.ask(False) == (True, f'{NOT_PRESSED} The lift moves.')


def test_nobody_goes_on_while_another_thread_takes_a_press_from_the_log(node, log):
    entered, go_on = threading.Event(), threading.Event()

    class Slow(Arms):
        def stop(self, press):
            entered.set()
            assert go_on.wait(10.0)

    stage = Stage(node, log, Slow())
    log.append(stop_event(True, '/bridge'))
    follower = threading.Thread(target=stage.stop.look)
    follower.start()
    assert entered.wait(10.0)
    looked = threading.Event()
    other = threading.Thread(target=lambda: (stage.stop.look(), looked.set()))
    other.start()
    assert not looked.wait(0.1), 'it would send what the stop forbids'
    go_on.set()
    follower.join(10.0)
    other.join(10.0)
    assert looked.is_set() and stage.ended


def test_a_line_that_nobody_can_read_presses(node, log):
    stage = Stage(node, log)
    log.path.parent.mkdir()
    log.path.write_text('rubbish\n')
    stage.stop.look()
    assert stage.board.state is BridgeState.STOPPED


def test_a_release_by_the_log_yields_to_the_robots_own_stop(node, log):
    arms = Arms()
    stage = Stage(node, log, arms)
    stage.ask(True)
    arms.pressed = 'Turn the red button.'
    log.append(stop_event(False, '/bridge'))
    stage.stop.look()
    assert stage.board.stop and log.is_pressed and log.last().how == 'by the robot itself'


def test_the_log_is_followed_however_busy_the_node_is(node, log):
    stage = Stage(node, log)
    stage.stop.follow()
    try:
        log.append(stop_event(True, '/bridge'))
        wait_for(lambda: stage.board.stop, 'the stop', 10.0)
    finally:
        stage.stop.close()


def test_what_moves_beside_a_skill_is_stopped_too(node):
    arms = Arms()
    stage = Stage(node, motion=arms)
    success, message = stage.ask(True)
    assert success and message.endswith("All goals of the robot's actions have ended.")
    assert arms.presses == [True]
    stage.ask(True)
    assert arms.presses == [True, True], 'a press again is passed on'


def test_what_still_moves_is_said_and_it_is_pressed_all_the_same(node):
    arms = Arms()
    arms.still_moving = 'The drive still moves.'
    stage = Stage(node, motion=arms)
    success, message = stage.ask(True)
    assert not success and message.endswith('The drive still moves.') and stage.board.stop


def test_the_robots_own_stop_is_not_pressed_again_by_itself(node):
    arms = Arms()
    stage = Stage(node, motion=arms)
    stage.stop.press('by the robot', itself=True)
    assert arms.presses == [False] and 'by the robot' in stage.board.stop


def test_no_release_while_the_robots_own_stop_is_pressed(node):
    arms = Arms()
    stage = Stage(node, motion=arms)
    stage.stop.press('by the robot', itself=True)
    arms.pressed = 'Turn the red button.'
    assert stage.ask(False) == (False, 'The emergency stop stays pressed. Turn the red button.')
    assert stage.board.stop
    arms.pressed = ''
    assert stage.ask(False)[0] and not stage.board.stop


@pytest.mark.parametrize('press', [True, False])
def test_each_answer_fits_its_message(node, press):
    stage = Stage(node, motion=Arms())
    stage.ask(True)
    stage.stop._motion.still_moving = stage.stop._motion.pressed = 'x' * 100_000
    assert len(stage.ask(press)[1]) < 100_200
