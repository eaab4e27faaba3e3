"""Two robots in one home meet a goal together, also where one is lost, or the planner is."""

import pytest

from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import Decision, DecisionKind, NodeKind
from reactree_core.record.snapshot import NodeStatus
from reactree_tools.team_episode import TeamEpisode

SEEDS = (7, 6, 9)


class Crash(BaseException):
    """The planner is killed here."""


def trial(seed: int) -> TeamEpisode:
    return TeamEpisode(f'generated:{seed}', f'generated:{seed}', seed)


@pytest.mark.parametrize('seed', SEEDS)
def test_the_goal_is_met_and_both_have_worked(seed: int) -> None:
    one = trial(seed)
    assert one.run() and one.is_met and one.plan is not None
    assert not one.plan.aims.ending.missing
    assert {who for who, _ in one.skills.executed} == {'robot_1', 'robot_2'}
    assert one.skills.now < len(one.skills.executed)  # some at the same time


def test_each_robot_has_a_lane_and_each_event_its_robot() -> None:
    one = trial(9)
    one.run()
    assert one.plan is not None
    nodes = one.plan.tree.snapshot().nodes
    assert [node.kind for node in nodes[:2]] == [NodeKind.AGENT, NodeKind.PARALLEL]
    lanes = {node.node_id: node.goal.split(':')[0] for node in nodes[2:]}
    assert sorted(lanes.values()) == ['robot_1', 'robot_2']
    for event in one.events:
        if event.node_id in lanes and getattr(event, 'kind', None) is not DecisionKind.FINISH:
            assert event.who == lanes[event.node_id]


def test_two_skills_are_under_way_at_once() -> None:
    one = trial(9)
    one.run()
    most = under_way = 0
    for event in one.events:
        if isinstance(event, Decision) and event.kind is DecisionKind.ACT:
            under_way += 1
        elif isinstance(event, Observation) and event.skill:
            under_way -= 1
        most = max(most, under_way)
    assert (most, under_way) == (2, 0)


def test_no_thing_is_gone_for_by_two() -> None:
    for seed in SEEDS:
        one = trial(seed)
        one.run()
        taken = [skill for _, skill in one.skills.executed if skill.startswith('pick up')]
        assert len(taken) == len(set(taken))


@pytest.mark.parametrize('at', range(4, 70, 10))
@pytest.mark.parametrize('who', ['robot_1', 'robot_2'])
def test_a_robot_that_is_lost(who: str, at: int) -> None:
    one = trial(9)

    def see(event: object) -> None:
        if len(one.events) == at:
            one.skills.lose(who)

    success = one.run(see)
    if len(one.events) <= at:
        return  # it was over before
    assert one.plan is not None
    lost = [
        event
        for event in one.events
        if isinstance(event, Observation) and event.outcome is Outcome.BRIDGE_LOST
    ]
    for event in lost[:1]:
        assert event.who == who
        lanes = [node for node in one.plan.tree.snapshot().nodes if node.goal.startswith(who)]
        assert lanes[0].status is NodeStatus.FAILURE
        assert all(name in one.plan.notices[0] for name in event.held)
        if not event.held:
            assert success and one.is_met
    # Nothing is done after the loss by the robot that is lost, and nothing twice.
    acts = [e.sequence for e in one.events if isinstance(e, Observation) and e.skill]
    unanswered = sum(bool(event.skill) for event in lost)
    assert len(acts) == len(set(acts)) == len(one.skills.executed) + unanswered


@pytest.fixture(scope='module')
def whole() -> TeamEpisode:
    one = trial(9)
    one.run()
    return one


@pytest.mark.parametrize('at', range(1, 40, 3))
def test_a_planner_that_is_killed_goes_on_anywhere(whole: TeamEpisode, at: int) -> None:
    one = trial(9)

    def see(event: object) -> None:
        if len(one.events) == at:
            raise Crash

    with pytest.raises(Crash):
        one.run(see)
    assert one.run(resumes=True) and one.is_met
    # No skill was done twice, and none was left out.
    assert one.skills.executed == whole.skills.executed


def test_the_record_is_the_same_each_time() -> None:
    def told() -> list[tuple[object, ...]]:
        one = trial(6)
        one.run()
        return [(e.sequence, e.node_id, e.who, e.skill, e.text) for e in one.events]

    assert told() == told()


def test_what_shall_hold_of_all_is_looked_for_by_whoever_is_idle() -> None:
    one = TeamEpisode('generated:9', '', 9, sentence='put all apples in the fridge')
    assert one.run() and one.plan is not None
    assert one.plan.aims.ending.verified == ('all apple in fridge',)
    state = one.home.home.state
    nodes = state.graph.nodes
    apples = [key for key, node in nodes.items() if node.class_name == 'apple']
    assert len(apples) == 2
    assert {nodes[state.sight.fixture[key]].class_name for key in apples} == {'fridge'}
    looking = {
        event.who for event in one.events if getattr(event, 'text', '').startswith('looks for')
    }
    assert looking == {'robot_1', 'robot_2'}


@pytest.mark.parametrize('who', ['robot_1', 'robot_2'])
def test_a_robot_that_comes_back_is_part_of_the_team_again(who: str) -> None:
    back = held = 0
    for at in range(6, 40, 4):
        one = trial(9)

        def see(event: object, one: TeamEpisode = one, at: int = at) -> None:
            if len(one.events) == at:
                one.skills.lose(who)
            elif len(one.events) == at + 9:
                one.skills.bring_back(who)

        success = one.run(see)
        assert one.plan is not None
        if not any(f'{who} is there again' in notice for notice in one.plan.notices):
            continue  # it was over before, or nobody has noticed
        back += 1
        lost = [
            event
            for event in one.events
            if isinstance(event, Observation) and event.outcome is Outcome.BRIDGE_LOST
        ]
        # What it held when it was lost is brought to its place all the same.
        held += bool(lost[0].held)
        assert success and one.is_met
        answers = [e for e in one.events if isinstance(e, Observation) and e.skill]
        assert len({e.sequence for e in answers}) == len(answers)
        lane = next(n for n in one.plan.tree.snapshot().nodes if n.goal.startswith(who))
        assert lane.status is NodeStatus.SUCCESS
    assert back >= 3 and held


def test_a_return_is_repeated_when_a_killed_planner_goes_on() -> None:
    def watched(one: TeamEpisode, dies_at: int = 0):
        def see(event: object) -> None:
            if len(one.events) == 12:
                one.skills.lose('robot_2')
            elif len(one.events) == 20:
                one.skills.bring_back('robot_2')
            if dies_at and len(one.events) == dies_at:
                raise Crash

        return see

    whole = trial(9)
    assert whole.run(watched(whole))
    assert any('is there again' in notice for notice in whole.plan.notices)
    for dies_at in range(16, len(whole.events), 3):
        one = trial(9)
        with pytest.raises(Crash):
            one.run(watched(one, dies_at))
        assert one.run(watched(one), resumes=True) and one.is_met
        if dies_at > 20:
            assert one.skills.executed == whole.skills.executed
