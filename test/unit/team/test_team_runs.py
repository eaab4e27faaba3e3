"""Two robots in one home: they meet the goal together, also where one is lost or the planner is."""

import pytest
from test.support.team_runs import Crash, TeamTrial

from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import Decision, DecisionKind, NodeKind
from reactree_core.record.snapshot import NodeStatus

SEEDS = (2, 6, 9)


def trial(seed: int) -> TeamTrial:
    return TeamTrial(f'generated:{seed}', f'generated:{seed}', seed)


@pytest.mark.parametrize('seed', SEEDS)
def test_the_goal_is_met_and_both_have_worked(seed: int) -> None:
    one = trial(seed)
    success, run = one.run()
    assert success and one.is_met and not run.ending.missing
    assert {who for who, _ in one.skills.executed} == {'robot_1', 'robot_2'}
    assert one.skills.now < len(one.skills.executed)  # some at the same time


def test_each_robot_has_a_lane_and_each_event_its_robot() -> None:
    one = trial(9)
    _, run = one.run()
    nodes = run.tree.snapshot().nodes
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

    success, run = one.run(see)
    if len(one.events) <= at:
        return
    held = set(run.tree.snapshot().nodes[0].goal)  # the record goes on
    assert held
    after = [name for name, skill in one.skills.executed]
    answered = one.sent
    assert len(answered) >= len(after)
    lost = [e for e in one.events if isinstance(e, Observation) and e.outcome is Outcome.BRIDGE_LOST]
    if lost and not lost[0].held:
        assert success and one.is_met
    if lost and lost[0].held and not success:
        assert lost[0].held[0] in run.notices[0]
    lane = next(n for n in run.tree.snapshot().nodes if n.goal.startswith(f'{who}:'))
    if lost:
        assert lane.status is NodeStatus.FAILURE


@pytest.fixture(scope='module')
def whole() -> TeamTrial:
    one = trial(9)
    one.run()
    return one


@pytest.mark.parametrize('at', range(1, 40, 3))
def test_a_planner_that_is_killed_goes_on_anywhere(whole: TeamTrial, at: int) -> None:
    one = trial(9)

    def see(event: object) -> None:
        if len(one.events) == at:
            raise Crash

    with pytest.raises(Crash):
        one.run(see)
    success, _ = one.run(resumes=True)
    assert success and one.is_met
    # No skill was done twice, and none was left out.
    assert one.skills.executed == whole.skills.executed


def test_the_record_is_the_same_each_time() -> None:
    def told() -> list[tuple[object, ...]]:
        one = trial(6)
        one.run()
        return [(e.sequence, e.node_id, e.who, e.skill, e.text) for e in one.events]

    assert told() == told()
