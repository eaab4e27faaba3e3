"""People who halt a run: "wait" cancels the skill under way, "stop" is for whoever ends it."""

from __future__ import annotations

import threading

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.snapshot import reduce_events
from reactree_planner.resume.held_skill import executed
from reactree_planner.runs.mailbox import Mailbox
from sim_bridge.in_process_skill_server import InProcessSkillServer
from support.told_run import Told

TASK = 'Bring the apple to the kitchen table.'
RUN_ID = 'a' * 32


class SlowOnce(InProcessSkillServer):
    """Its second skill goes on until it is canceled; somebody says something meanwhile."""

    says = ()
    mailbox = None

    def execute(self, sequence, node_id, skill, cancel):
        if len(self.executed) == 1 and self.says:
            said, self.says = self.says, ()
            for text in said:
                assert self.mailbox.say('', text, 'the cook')[0]
            assert cancel.wait(30.0), 'the skill was not canceled'
            self.after = self.mailbox.halts
            cancel.check()
        return super().execute(sequence, node_id, skill, cancel)


def told(*says):
    run = Told(TASK, serve=SlowOnce)
    run.server.says, run.server.mailbox = says, run.mailbox
    return run


@pytest.mark.parametrize('wait', ['wait', 'Moment!', '待って', 'no!'])
def test_wait_cancels_the_skill_under_way_and_the_run_goes_on(wait):
    run = told(wait, 'go on')
    assert run.go()
    assert run.run.aims.ending.verified == ('apple in kitchen table',)
    canceled = [
        one
        for one in run.events
        if isinstance(one, Observation) and one.outcome is Outcome.CANCELED
    ]
    assert len(canceled) == 1
    assert f'"{canceled[0].skill}" was canceled: a person wants the robot to wait' in (
        canceled[0].text
    )
    waits = run.decisions(DecisionKind.WAIT)
    assert waits and waits[0].sequence > canceled[0].sequence
    assert reduce_events(run.events) == run.run.tree.snapshot()


def test_a_correction_behind_wait_cancels_the_skill_and_is_taken():
    run = told('wait, no, to the sofa', 'go on')
    assert run.go()
    assert run.run.aims.ending.verified == ('apple in sofa',)


def test_what_is_no_halt_lets_the_skill_end():
    run = told('wait', 'and a plate too', 'go on')
    assert run.go()
    assert [one.approver for one in run.decisions(DecisionKind.CORRECT)] == ['the cook'] * 3


def test_a_run_that_was_halted_is_resumed_alike():
    first = told('wait', 'go on')
    assert first.go()
    again = Told(TASK, past=first.records)
    assert again.go()
    assert again.run.tree.snapshot() == first.run.tree.snapshot()
    # Nothing of the past is done again.
    assert not again.server.executed


def test_a_skill_that_was_decided_on_before_a_halt_is_not_begun():
    server = InProcessSkillServer(Told(TASK).world)
    token = CancelToken(whole=CancelToken())
    token.cancel()
    seen = executed(server, 1, 1, 'go to apple 1', token)
    assert seen.outcome is Outcome.CANCELED and 'was not begun' in seen.text
    assert not server.executed


def test_a_cancel_of_the_run_is_no_halt():
    whole = CancelToken()
    whole.cancel()
    server = InProcessSkillServer(Told(TASK).world)
    with pytest.raises(CanceledError):
        executed(server, 1, 1, 'go to apple 1', CancelToken(whole=whole))


# The mailbox ---------------------------------------------------------------------------------


def test_stop_is_no_word_to_be_taken_and_ends_the_run_at_once():
    stopped = []
    mailbox = Mailbox(stopped.append)
    mailbox.open(RUN_ID)
    accepted, message = mailbox.say(RUN_ID, ' Arrête ! ', 'Zoé')
    assert accepted and 'the run ends' in message
    assert stopped == ['Zoé said "Arrête !"']
    assert not mailbox.is_said and mailbox.take() is None
    assert mailbox.say('', 'stop')[0] and stopped[-1] == 'Somebody said "stop"'


def test_a_full_mailbox_takes_a_halt():
    stopped = []
    mailbox = Mailbox(stopped.append)
    mailbox.open(RUN_ID)
    while mailbox.say('', 'and a plate too')[0]:
        pass
    assert mailbox.say('', 'wait')[0] and mailbox.halts
    assert mailbox.say('', 'stop')[0] and stopped


def test_a_mailbox_halts_until_the_halt_is_taken():
    heard = threading.Event()
    mailbox = Mailbox()
    mailbox.open(RUN_ID)
    mailbox.listen(heard.set)
    assert mailbox.say('', 'and a plate too')[0] and not mailbox.halts
    assert mailbox.say('', 'wait')[0] and mailbox.halts and heard.is_set()
    mailbox.take()
    assert mailbox.halts
    assert mailbox.take().text == 'wait'
    assert not mailbox.halts
    mailbox.say('', 'wait')
    mailbox.open(RUN_ID)
    assert not mailbox.halts


def test_no_run_is_stopped_by_who_means_another_one():
    stopped = []
    mailbox = Mailbox(stopped.append)
    accepted, message = mailbox.say('', 'Stop!')
    assert not accepted and '`reactree stop`' in message
    mailbox.open(RUN_ID)
    assert not mailbox.say('b' * 32, 'stop')[0]
    assert not stopped


def test_decisions_are_numbered_through(monkeypatch):
    run = told('wait', 'go on')
    assert run.go()
    numbers = [one.sequence for one in run.events if isinstance(one, Decision)]
    assert numbers == sorted(set(numbers))
