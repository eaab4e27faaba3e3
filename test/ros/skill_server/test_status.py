"""The state that everybody is shown: which layer is uppermost, and what goes with which."""

from __future__ import annotations

import pytest

from skill_server.ros.status import BridgeState, StatusBoard


@pytest.fixture
def board(node):
    board = StatusBoard(node, None)
    board.serve()
    return board


def shown(node):
    newest = node.published[-1]
    return BridgeState(newest.state), newest.message


def test_it_begins_as_starting_and_says_so_at_once(node):
    board = StatusBoard(node, None, simulated=True)
    assert shown(node) == (BridgeState.STARTING, '') and board.state is BridgeState.STARTING
    assert node.published[-1].simulated
    assert not board.stop and not board.is_busy


def test_every_change_is_published(board, node):
    def changes(do):
        before = len(node.published)
        answer = do()
        assert len(node.published) == before + 1, do
        return answer

    work = changes(lambda: board.claim(BridgeState.BUSY, 'open fridge 1'))
    assert shown(node) == (BridgeState.BUSY, 'open fridge 1')
    assert board.sentence == 'BUSY: open fridge 1'
    changes(lambda: board.give_back(work))
    assert shown(node) == (BridgeState.READY, '') and board.sentence == 'READY'
    lift = changes(lambda: board.fail('The drive is gone.'))
    assert shown(node) == (BridgeState.FAULT, 'The drive is gone.')
    changes(lift)
    assert shown(node) == (BridgeState.READY, '')
    changes(lambda: board.need_reset('The world is gone.'))
    assert shown(node) == (BridgeState.FAULT, 'The world is gone.')
    changes(lambda: board.refuse('Not active.'))
    assert shown(node) == (BridgeState.STARTING, 'Not active.')
    changes(lambda: board.press('Stopped.'))
    assert shown(node) == (BridgeState.STOPPED, 'Stopped.')
    changes(board.release)
    changes(lambda: board.serve('Mind the step.'))
    assert shown(node) == (BridgeState.FAULT, 'The world is gone.')


def test_it_is_repeated_every_second(board, node):
    before = len(node.published)
    node.pass_time(3.0)
    assert len(node.published) == before + 3


def test_nothing_is_claimed_but_from_ready(board):
    work = board.claim(BridgeState.BUSY, 'open fridge 1')
    assert work is not None and board.is_busy
    assert board.claim(BridgeState.BUSY, 'close fridge 1') is None
    board.give_back(work)
    assert not board.is_busy
    lift = board.fail('The drive is gone.')
    assert board.claim(BridgeState.BUSY, 'go') is None
    lift()
    board.press('Stopped.')
    assert board.claim(BridgeState.BUSY, 'go') is None
    assert board.claim(BridgeState.RESETTING, '', mends=True) is None
    board.release()
    board.refuse('Not active.')
    assert board.claim(BridgeState.BUSY, 'go') is None
    board.serve()
    assert board.claim(BridgeState.BUSY, 'go') is not None


def test_a_world_that_is_gone_is_left_by_a_reset_alone(board, node):
    board.need_reset('The world is gone.')
    assert board.claim(BridgeState.BUSY, 'go') is None
    reset = board.claim(BridgeState.RESETTING, 'reset', mends=True)
    assert reset is not None and board.state is BridgeState.RESETTING
    board.give_back(reset)
    assert board.state is BridgeState.FAULT, 'the reset has failed'
    reset = board.claim(BridgeState.RESETTING, 'reset', mends=True)
    board.give_back(reset, mended=True)
    assert shown(node) == (BridgeState.READY, '')


def test_a_fault_is_above_a_world_that_is_gone_and_no_reset_mends_it(board):
    board.need_reset('The world is gone.')
    board.fail('The arm still moves.')
    assert board.claim(BridgeState.RESETTING, 'reset', mends=True) is None


def test_each_fault_stays_until_it_is_lifted_itself(board, node):
    lift_drive = board.fail('The drive is gone.')
    lift_arm = board.fail('The arm is gone.')
    assert shown(node)[1] == 'The drive is gone.'
    lift_drive()
    assert shown(node) == (BridgeState.FAULT, 'The arm is gone.')
    lift_drive()
    assert shown(node) == (BridgeState.FAULT, 'The arm is gone.')
    lift_arm()
    assert shown(node) == (BridgeState.READY, '')


def test_two_faults_that_say_the_same_are_two(board):
    first, second = board.fail('It moves.'), board.fail('It moves.')
    first()
    assert board.state is BridgeState.FAULT
    second()
    assert board.state is BridgeState.READY


def test_the_stop_is_above_all_and_tells_the_faults_beneath(board, node):
    board.claim(BridgeState.BUSY, 'go')
    board.fail('The drive is gone.')
    board.press('Stopped.')
    assert shown(node) == (BridgeState.STOPPED, 'Stopped. The drive is gone.')
    assert board.sentence == 'STOPPED: Stopped. The drive is gone.'
    assert board.stop == 'Stopped.'
    board.release()
    assert board.stop == '' and shown(node) == (BridgeState.FAULT, 'The drive is gone.')


def test_work_of_an_earlier_world_is_not_given_back(board):
    old = board.claim(BridgeState.RESETTING, 'reset')
    board.renew()
    new = board.claim(BridgeState.BUSY, 'go')
    assert new is not None
    board.give_back(old)
    assert board.is_busy and board.state is BridgeState.BUSY
    board.give_back(new)
    assert not board.is_busy


def test_what_a_world_told_goes_with_it_but_a_running_skill_stays(board):
    work = board.claim(BridgeState.BUSY, 'go')
    board.fail('The drive is gone.')
    board.need_reset('The world is gone.')
    board.renew()
    assert board.state is BridgeState.BUSY and board.is_busy
    board.give_back(work)
    assert board.state is BridgeState.READY


def test_what_people_should_know_is_told_when_it_is_ready(board, node):
    board.serve('The map is old.')
    assert shown(node) == (BridgeState.READY, 'The map is old.')
    board.load('household', 'home 1', 'task 2')
    board.repeat()
    newest = node.published[-1]
    assert (newest.backend, newest.scene, newest.task_id) == ('household', 'home 1', 'task 2')


def test_a_revision_tells_that_what_is_sensed_differs(board, node):
    sensed = ['a']
    board.sensed = lambda: sensed[0]
    board.repeat()
    first = node.published[-1].revision
    board.repeat()
    assert node.published[-1].revision == first
    sensed[0] = 'b'
    board.repeat()
    assert node.published[-1].revision == first + 1
    work = board.claim(BridgeState.BUSY, 'go')
    sensed[0] = 'c'
    board.repeat()
    assert node.published[-1].revision == first + 1, 'a skill changes what is sensed'
    board.give_back(work)
    board.repeat()
    assert node.published[-1].revision == first + 2


def test_a_revision_goes_round_and_leaves_out_zero(board, node):
    board._message.revision = 2**32 - 1
    board.sensed = lambda: 'a'
    board.repeat()
    assert node.published[-1].revision == 1


def test_states_are_those_of_the_message():
    from reactree_ros.msg import BridgeStatus

    # Of two with the same number, one would be no member of its own.
    assert len(BridgeState) == len(BridgeState.__members__) == 6
    for name, state in BridgeState.__members__.items():
        assert getattr(BridgeStatus, f'STATE_{name}') == state
