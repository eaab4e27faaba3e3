"""What people say to a team while it works."""

import pytest

from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.snapshot import NodeStatus
from reactree_planner.runs.mailbox import Mailbox
from reactree_tools.team_episode import TeamEpisode

RUN_ID = 'a' * 32
TASK = 'Bring an apple to the kitchen table.'


class Crash(BaseException):
    """The planner is killed here."""


def told(said: dict[int, str], task: str = TASK):
    """A run of two robots; behind which skills people say what."""
    mailbox = Mailbox()
    mailbox.open(RUN_ID)
    one = TeamEpisode('generated:9', '', 9, sentence=task, said=mailbox)
    left = dict(said)

    def see(event: object) -> None:
        for number in [n for n in left if n <= len(one.skills.executed)]:
            assert mailbox.say('', left.pop(number), 'the cook')[0]

    return one, see


def corrections(one: TeamEpisode) -> list[str]:
    return [
        e.text for e in one.events if isinstance(e, Decision) and e.kind is DecisionKind.CORRECT
    ]


@pytest.mark.parametrize('at', range(1, 9, 2))
def test_one_thing_more_is_brought_too(at: int) -> None:
    one, see = told({at: 'and a plate too'})
    assert one.run(see), one.plan and one.plan.aims.ending
    assert corrections(one) == ['and a plate too']
    assert set(one.plan.aims.ending.verified) == {
        'apple in kitchen table',
        'plate in kitchen table',
    }
    answers = [
        (e.who, e.sequence)
        for e in one.events
        if getattr(e, 'skill', '') and hasattr(e, 'outcome')
    ]
    assert len(set(answers)) == len(answers) == len(one.skills.executed)
    root = one.plan.tree.snapshot().nodes[0]
    assert root.status is NodeStatus.SUCCESS


@pytest.mark.parametrize('at', range(1, 9, 2))
def test_another_place_is_gone_to_with_what_is_in_the_hand(at: int) -> None:
    one, see = told({at: 'no, to the coffee table'})
    assert one.run(see), one.plan and one.plan.aims.ending
    assert one.plan.aims.ending.verified == ('apple in coffee table',)


def test_what_is_left_out_is_not_done() -> None:
    task = 'Bring an apple to the kitchen table, then turn on the tv.'
    one, see = told({3: 'leave the tv'}, task)
    assert one.run(see)
    assert not any(skill.startswith('turn on') for _, skill in one.skills.executed)


def test_a_prohibition_holds_for_all_robots_from_then_on() -> None:
    one, see = told({2: 'do not open the fridge'})
    one.run(see)
    assert corrections(one) == ['do not open the fridge']
    assert not any('open fridge' in skill for _, skill in one.skills.executed)


def test_what_was_said_is_heard_at_the_same_moment_by_a_planner_that_goes_on() -> None:
    whole, see = told({3: 'and a plate too'})
    assert whole.run(see)
    for dies_at in range(8, len(whole.events), 4):
        one, see = told({3: 'and a plate too'})

        def crash(event: object, one: TeamEpisode = one, at: int = dies_at, see=see) -> None:
            see(event)
            if len(one.events) == at:
                raise Crash

        with pytest.raises(Crash):
            one.run(crash)
        assert one.run(see, resumes=True) and one.is_met is not None
        assert one.skills.executed == whole.skills.executed
