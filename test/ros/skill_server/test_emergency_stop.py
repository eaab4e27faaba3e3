"""The emergency stop: who may press it, what it ends, and what it takes to release it."""

from __future__ import annotations

import pytest
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from skill_server.ros.emergency_stop import EmergencyStop
from skill_server.ros.status import BridgeState, StatusBoard


class Arms:
    """What moves beside the running skill."""

    def __init__(self):
        self.presses, self.still_moving, self.pressed = [], '', ''

    def stop(self, press):
        self.presses.append(press)

    async def moving(self):
        return self.still_moving


class Stage:
    """A stop, with what it ends and what it says."""

    def __init__(self, node, file=None, motion=None):
        self.node, self.ended = node, []
        self.board = StatusBoard(node, None)
        self.board.serve()
        self.stop = EmergencyStop(node, None, self.board, self._end, file, motion)

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


def test_it_stays_pressed_over_a_restart_until_it_is_released(node, tmp_path):
    file = tmp_path / 'deep' / 'stop'
    file.parent.mkdir()
    stage = Stage(node, file)
    assert not stage.board.stop and not file.exists()
    stage.ask(True)
    assert file.read_text() == stage.board.stop + '\n'
    again = Stage(node, file)
    assert 'before this bridge started' in again.board.stop
    assert again.board.state is BridgeState.STOPPED
    assert again.ask(False)[0] and not file.exists()
    assert not Stage(node, file).board.stop


def test_a_file_that_nobody_can_look_at_counts_as_pressed(node, tmp_path, monkeypatch):
    def refuse(self):
        raise PermissionError('no')

    file = tmp_path / 'stop'
    monkeypatch.setattr(type(file), 'exists', refuse)
    assert 'before this bridge started' in Stage(node, file).board.stop


def test_a_file_that_cannot_be_written_is_said_and_the_stop_is_pressed(node, tmp_path):
    stage = Stage(node, tmp_path / 'stop')
    (tmp_path / 'stop').mkdir()
    stage.ask(True)
    assert stage.board.stop and any('will not be pressed any more' in one for one in node.logged)


def test_a_file_that_stays_keeps_it_pressed(node, tmp_path):
    stage = Stage(node, tmp_path / 'stop')
    (tmp_path / 'stop').mkdir()
    stage.ask(True)
    success, message = stage.ask(False)
    assert not success and 'stays pressed' in message and 'cannot be removed' in message
    assert stage.board.stop


def test_a_release_survives_a_folder_that_is_gone(node, tmp_path):
    stage = Stage(node, tmp_path / 'gone' / 'stop')
    stage.push(True)
    assert stage.board.stop
    for one in (tmp_path / 'gone').glob('*'):
        one.unlink()
    if (tmp_path / 'gone').exists():
        (tmp_path / 'gone').rmdir()
    assert stage.ask(False)[0] and not stage.board.stop


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
