"""A team that waits: for a robot that was lost, and for what its task depends on."""

import threading
import time
from itertools import pairwise

import pytest

from reactree_core.errors import CanceledError
from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.snapshot import NodeStatus, reduce_events
from reactree_planner.runs.mailbox import Mailbox
from reactree_planner.runs.standing import Waits
from reactree_tools.team_episode import TeamEpisode
from sim_bridge.simulated_team import SimulatedTeam
from sim_bridge.worlds.household.team import TeamHome

RUN_ID = 'a' * 32
ROBOTS = ('robot_1', 'robot_2')
WAITS = 'waits for its skill server'


class Crash(BaseException):
    """The planner is killed here."""


def lone(lost: float) -> TeamEpisode:
    return TeamEpisode('generated:9', 'generated:9', 9, waits=Waits(lost=lost))


def remarks(one: TeamEpisode) -> list[str]:
    return [e.text for e in one.events if isinstance(e, Decision) and WAITS in e.text]


def losing_all(one: TeamEpisode, at: int, when_waiting=lambda: None):
    """Lose all robots at an event, and do something as soon as they are waited for."""

    def see(event: object) -> None:
        if len(one.events) == at:
            for who in ROBOTS:
                one.skills.lose(who)
        if isinstance(event, Decision) and WAITS in event.text:
            when_waiting()

    return see


@pytest.mark.parametrize('at', range(8, 30, 7))
def test_a_robot_that_comes_back_while_it_is_waited_for_goes_on(at: int) -> None:
    one = lone(60.0)
    assert one.run(losing_all(one, at, lambda: one.skills.bring_back('robot_2')))
    assert one.is_met and remarks(one)
    answers = [e for e in one.events if isinstance(e, Observation) and e.skill]
    assert len({e.sequence for e in answers}) == len(answers)
    done = [e for e in answers if e.outcome is not Outcome.BRIDGE_LOST]
    assert len(done) == len(one.skills.executed)


def test_the_wait_has_an_end_and_a_reason() -> None:
    one = lone(0.5)
    began = time.monotonic()
    assert not one.run(losing_all(one, 12))
    assert 0.5 <= time.monotonic() - began < 30.0
    lanes = [n for n in one.plan.tree.snapshot().nodes if n.goal.startswith(ROBOTS)]
    assert lanes and all(n.status is NodeStatus.FAILURE for n in lanes)
    # Told in the lane of each robot, where the viewer shows it.
    assert {e.who for e in one.events if WAITS in getattr(e, 'text', '')} == set(ROBOTS)
    assert reduce_events(one.events) == one.plan.tree.snapshot()


def test_where_no_time_is_given_it_ends_at_once() -> None:
    one = lone(0.0)
    assert not one.run(losing_all(one, 12))
    assert not remarks(one)


def test_nobody_is_waited_for_while_another_robot_can_go_on() -> None:
    one = lone(60.0)

    def see(event: object) -> None:
        if len(one.events) == 5:
            one.skills.lose('robot_2')

    assert one.run(see) and not remarks(one)


def test_a_cancel_ends_the_wait() -> None:
    one = lone(600.0)

    def stop() -> None:
        threading.Timer(0.2, one.plan.cancel.cancel).start()

    with pytest.raises(CanceledError):
        one.run(losing_all(one, 12, stop))


def test_a_planner_killed_while_it_waits_waits_on() -> None:
    one = lone(60.0)

    def die() -> None:
        raise Crash

    with pytest.raises(Crash):
        one.run(losing_all(one, 12, die))
    told = len(one.events)
    one.skills.bring_back('robot_1')
    assert one.run(resumes=True) and one.is_met
    assert len(one.events) > told


def test_a_wait_that_ended_is_repeated_as_it_was() -> None:
    one = lone(0.3)
    assert not one.run(losing_all(one, 12))
    whole = [e.text for e in one.events if isinstance(e, Decision)]
    began = time.monotonic()
    assert not one.run(resumes=True)
    assert [e.text for e in one.events if isinstance(e, Decision)] == whole
    assert time.monotonic() - began < 30.0


def test_a_team_does_its_task_each_time_that_the_clock_wants_it() -> None:
    one = TeamEpisode(
        'generated:9',
        '',
        9,
        sentence='Every second bring an apple to the kitchen table.',
        waits=Waits(60.0, 3, 0.1),
    )
    assert one.run(), one.plan.ending
    assert one.plan.tree.firings_so_far == (3, 3)
    assert reduce_events(one.events) == one.plan.tree.snapshot()
    fires = [e for e in one.events if isinstance(e, Decision) and e.kind is DecisionKind.FIRE]
    assert len(fires) == 3
    # It was done at the first time, and holds at the others: nothing is to be done twice.
    taken = [skill for _, skill in one.skills.executed if skill.startswith('pick up')]
    assert len(taken) == 1


def test_a_team_that_waits_is_killed_and_waits_on() -> None:
    one = TeamEpisode(
        'generated:9',
        '',
        9,
        sentence='Every second bring an apple to the kitchen table.',
        waits=Waits(60.0, 2, 0.1),
    )
    waits = 0

    def see(event: object) -> None:
        nonlocal waits
        waits += isinstance(event, Decision) and event.kind is DecisionKind.WAIT
        if waits == 2:
            waits += 1
            raise Crash

    with pytest.raises(Crash):
        one.run(see)
    done = list(one.skills.executed)
    assert one.run(resumes=True)
    assert one.plan.tree.snapshot().firings == 2
    assert one.skills.executed[: len(done)] == done
    assert all(a != b for a, b in pairwise(one.skills.executed))


def test_what_any_robot_senses_wakes_the_team() -> None:
    # Only the second robot stands in the kitchen, where a fridge is open.
    sentence = 'Close the fridge as soon as the fridge is open.'
    one = TeamEpisode('generated:9', '', 9, sentence=sentence, waits=Waits(60.0, 1, 0.1))
    rooms = {who: member.observe().room for who, member in one.home.members.items()}
    assert not rooms['robot_1'].startswith('kitchen') and rooms['robot_2'].startswith('kitchen')
    assert one.run()
    assert ('robot_2', 'close fridge 2') in one.skills.executed


def test_each_time_that_people_do_it_again_it_is_undone() -> None:
    sentence = 'Whenever somebody opens the washing machine, close it.'
    home = TeamHome((*ROBOTS, 'ada'))
    waits = Waits(30.0, 2, 0.05)
    one = TeamEpisode('generated:9', '', 9, sentence=sentence, waits=waits, within=home)
    ada = home.members['ada']
    # A person is no robot of the team.
    one.skills = SimulatedTeam({who: home.members[who] for who in ROBOTS})

    def open_it() -> None:
        for skill in ('go to bathroom 1', 'go to washing machine 1', 'open washing machine 1'):
            assert ada.step(skill).succeeded

    def see(event: object) -> None:
        if isinstance(event, Decision) and event.kind is DecisionKind.WAIT:
            threading.Timer(0.3, open_it).start()

    assert one.run(see)
    assert one.plan.tree.firings_so_far == (2, 2)
    closed = [skill for _, skill in one.skills.executed if skill == 'close washing machine 1']
    assert len(closed) == 2


def test_a_team_without_robots_that_answer_goes_on_waiting() -> None:
    sentence = 'Close the fridge as soon as the fridge is open.'
    one = TeamEpisode('generated:9', '', 9, sentence=sentence, waits=Waits(60.0, 1, 0.1))

    def see(event: object) -> None:
        if isinstance(event, Decision) and event.kind is DecisionKind.WAIT:
            for who in ROBOTS:
                one.skills.lose(who)
            threading.Timer(0.5, lambda: [one.skills.bring_back(who) for who in ROBOTS]).start()

    assert one.run(see)
    assert any('does not answer' in text for text in one.plan.notices)


def test_what_is_said_after_a_wait_is_taken_at_the_same_point_when_resumed() -> None:
    mailbox = Mailbox()
    mailbox.open(RUN_ID)
    sentence = 'Bring an apple to the kitchen table.'
    one = TeamEpisode(
        'generated:9', '', 9, sentence=sentence, said=mailbox, waits=Waits(lost=60.0)
    )
    answered = 0

    def come_back() -> None:
        # After many looks, of which a run that is resumed repeats one.
        threading.Timer(1.0, lambda: [one.skills.bring_back(who) for who in ROBOTS]).start()

    lose = losing_all(one, 12, come_back)

    def see(event: object) -> None:
        nonlocal answered
        lose(event)
        answered += bool(remarks(one)) and isinstance(event, Observation) and bool(event.skill)
        if answered == 3:
            answered += 1
            assert mailbox.say('', 'and a plate too', 'the cook')[0]
        if answered == 7:
            raise Crash

    with pytest.raises(Crash):
        one.run(see)
    told = [e for e in one.events if getattr(e, 'kind', None) is DecisionKind.CORRECT]
    assert [e.text for e in told] == ['and a plate too']
    before = list(one.events)
    assert one.run(resumes=True)
    assert one.events[: len(before) - 1] == before[:-1]
