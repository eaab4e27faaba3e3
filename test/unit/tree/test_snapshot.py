"""The reducer: a tree is a pure function of decisions and observations."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Observation
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import DecisionKind
from reactree_planner.tree.events import NodeKind
from reactree_planner.tree.events import NodeStatus
from reactree_planner.tree.run_settings import ParallelPolicy
from reactree_planner.tree.run_settings import RunSettings
from reactree_planner.tree.snapshot import AgentTree
from reactree_planner.tree.snapshot import reduce_events


class Recorder:
    """Writes a run's events, as a planner would."""

    def __init__(self, policy='majority'):
        self.events = []
        self.tree = AgentTree()
        self.emit(
            kind=DecisionKind.START,
            text='the task',
            settings=RunSettings('reactree', ParallelPolicy(policy)),
        )

    def emit(self, node_id=0, **values):
        self._add(Decision(len(self.events) + 1, node_id, stamp=len(self.events) * 0.5, **values))

    def _add(self, event):
        self.events.append(event)
        self.tree.apply(event)

    def look(self, node_id):
        self._add(
            Observation(
                'a room',
                node_id=node_id,
                sequence=len(self.events) + 1,
                stamp=len(self.events) * 0.5,
            )
        )

    def expand(self, node_id, flow, *subgoals):
        self.emit(node_id, kind=DecisionKind.EXPAND, control_flow=flow, subgoals=subgoals)
        control = self.tree.children(node_id)[-1]
        return [child.node_id for child in self.tree.children(control.node_id)]

    def repair(self, node_id, flow, *subgoals):
        self.emit(node_id, kind=DecisionKind.REPAIR, control_flow=flow, subgoals=subgoals)
        control = self.tree.children(node_id)[-1]
        return [child.node_id for child in self.tree.children(control.node_id)]

    def overrule(self, node_id, success):
        status = NodeStatus.SUCCESS if success else NodeStatus.FAILURE
        self.emit(node_id, kind=DecisionKind.REPAIR, status=status)

    def act(self, node_id, skill):
        self.emit(node_id, kind=DecisionKind.ACT, skill=skill)

    def end(self, node_id, success):
        status = NodeStatus.SUCCESS if success else NodeStatus.FAILURE
        self.emit(node_id, kind=DecisionKind.FINISH, status=status)

    def statuses(self):
        return {node.node_id: node.status for node in self.tree.snapshot().nodes}


def test_an_agent_begins_with_its_look_and_ends_with_its_finish():
    run = Recorder()
    assert run.tree.node(1).status is NodeStatus.IDLE
    run.look(1)
    assert run.tree.node(1).status is NodeStatus.RUNNING
    assert run.tree.active_node_id == 1
    run.act(1, 'done')
    run.end(1, True)
    node = run.tree.node(1)
    assert (node.status, node.started, node.ended) == (NodeStatus.SUCCESS, 0.5, 1.5)


def test_an_expansion_adds_a_control_node_and_one_agent_per_subgoal():
    run = Recorder()
    run.look(1)
    assert run.expand(1, ControlFlow.FALLBACK, 'a', 'b') == [3, 4]
    nodes = run.tree.snapshot().nodes
    assert [(node.parent_id, node.depth, node.kind) for node in nodes] == [
        (0, 1, NodeKind.AGENT),
        (1, 2, NodeKind.FALLBACK),
        (2, 3, NodeKind.AGENT),
        (2, 3, NodeKind.AGENT),
    ]
    assert run.tree.node(1).status is NodeStatus.EXPANDED


def test_the_end_of_a_child_decides_everything_above_it():
    run = Recorder()
    run.look(1)
    first, second = run.expand(1, ControlFlow.SEQUENCE, 'a', 'b')
    run.look(first)
    run.end(first, False)
    assert run.statuses() == {
        1: NodeStatus.FAILURE,
        2: NodeStatus.FAILURE,
        first: NodeStatus.FAILURE,
        second: NodeStatus.IDLE,
    }


def test_the_tree_of_the_papers_first_figure():
    # Two things brought in parallel; the first is searched for in rooms by fallback.
    run = Recorder()
    run.look(1)
    wine, juice = run.expand(1, ControlFlow.PARALLEL, 'bring wine', 'bring juice')
    run.look(wine)
    find, place = run.expand(wine, ControlFlow.SEQUENCE, 'find wine', 'place wine')
    run.look(find)
    kitchen, bedroom = run.expand(find, ControlFlow.FALLBACK, 'in kitchen 1', 'in bedroom 1')
    for node, success in ((kitchen, False), (bedroom, True), (place, True), (juice, True)):
        run.look(node)
        run.end(node, success)
    failed = [key for key, status in run.statuses().items() if status is NodeStatus.FAILURE]
    assert failed == [kitchen]
    assert run.tree.node(1).status is NodeStatus.SUCCESS


def test_thoughts_acts_and_expansions_are_decisions_and_only_acts_on_the_world_are_steps():
    run = Recorder()
    run.look(1)
    run.emit(1, kind=DecisionKind.THINK, text='hm')
    run.act(1, 'go to kitchen 1')
    run.act(1, 'recall location of apple')
    run.act(1, 'done')
    assert (run.tree.decisions, run.tree.steps) == (4, 2)


def test_what_still_runs_when_the_run_ends_was_canceled():
    run = Recorder()
    run.look(1)
    child, idle = run.expand(1, ControlFlow.SEQUENCE, 'a', 'b')
    run.look(child)
    run.emit(0, kind=DecisionKind.FINISH, status=NodeStatus.CANCELED, text='canceled')
    assert run.tree.finished and run.tree.active_node_id == 0
    assert run.statuses()[child] is NodeStatus.CANCELED
    assert run.statuses()[1] is NodeStatus.CANCELED
    assert run.statuses()[idle] is NodeStatus.IDLE


def test_events_of_nodes_that_do_not_exist_are_ignored():
    run = Recorder()
    run.act(99, 'done')
    run.look(98)
    assert len(run.tree.snapshot().nodes) == 1


def test_a_repair_goes_on_below_a_node_that_had_ended_and_above_it_what_had_ended_with_it():
    run = Recorder()
    run.look(1)
    first, second = run.expand(1, ControlFlow.SEQUENCE, 'a', 'b')
    run.look(first)
    (inner,) = run.expand(first, ControlFlow.PARALLEL, 'c')
    run.look(inner)
    run.end(inner, False)
    assert run.tree.node(1).status is NodeStatus.FAILURE
    run.emit(
        first,
        kind=DecisionKind.REPAIR,
        control_flow=ControlFlow.SEQUENCE,
        subgoals=('d', 'e'),
        text='why',
    )
    assert run.tree.node(1).status is NodeStatus.EXPANDED and run.tree.node(1).ended == -1
    assert run.tree.node(2).status is NodeStatus.RUNNING
    assert run.tree.node(inner).status is NodeStatus.FAILURE
    again = [one for one in run.tree.snapshot().nodes if one.goal in ('d', 'e')]
    assert [one.depth for one in again] == [run.tree.node(inner).depth] * 2
    for node in (*(one.node_id for one in again), second):
        assert run.tree.node(1).status is NodeStatus.EXPANDED
        run.look(node)
        run.end(node, True)
    assert run.tree.node(first).status is run.tree.node(1).status is NodeStatus.SUCCESS
    run.emit(1, kind=DecisionKind.REPAIR, status=NodeStatus.FAILURE, text='something is missing')
    assert (run.tree.node(1).status, run.tree.node(1).detail) == (
        NodeStatus.FAILURE,
        'something is missing',
    )


IDS = st.integers(0, 9)
EVENTS = st.one_of(
    st.builds(Observation, st.just('seen'), sequence=st.integers(0, 99), node_id=IDS),
    st.builds(
        Decision,
        st.integers(0, 99),
        IDS,
        st.sampled_from(list(DecisionKind)),
        control_flow=st.sampled_from(list(ControlFlow)[1:]),
        subgoals=st.lists(st.sampled_from('abc'), min_size=1, max_size=3).map(tuple),
        skill=st.sampled_from(('done', 'failure', 'go', '')),
        status=st.sampled_from((NodeStatus.SUCCESS, NodeStatus.FAILURE, NodeStatus.CANCELED)),
    ),
    st.builds(
        Decision,
        st.integers(0, 99),
        IDS,
        st.just(DecisionKind.REPAIR),
        status=st.sampled_from((NodeStatus.SUCCESS, NodeStatus.FAILURE)),
    ),
)


@given(st.lists(EVENTS, max_size=30))
def test_whatever_events_come_in_the_tree_stays_one(events):
    tree = reduce_events([Decision(1, 0, DecisionKind.START, text='the task'), *events])
    by_id = {node.node_id: node for node in tree.nodes}
    for node in tree.nodes:
        ended = (NodeStatus.SUCCESS, NodeStatus.FAILURE, NodeStatus.CANCELED)
        assert node.ended >= 0 or node.status not in ended
        if node.parent_id:
            assert by_id[node.parent_id].depth == node.depth - 1
    assert tree.decisions == sum(node.decisions for node in tree.nodes)


@given(st.integers(0, 2**32), st.sampled_from(['majority', 'all', 'any']))
def test_random_runs_replay_to_the_live_tree_and_keep_its_invariants(seed, policy):
    dice = random.Random(seed)
    run = Recorder(policy)
    flows = list(ControlFlow)[1:]

    def play_all(node_id, children, depth):
        for child in children:
            if run.tree.node(node_id).status is not NodeStatus.EXPANDED:
                break
            play(child, depth + 1)

    def play(node_id, depth):
        run.look(node_id)
        if depth < 3 and dice.random() < 0.6:
            children = run.expand(node_id, dice.choice(flows), *'abcd'[: dice.randint(1, 4)])
            play_all(node_id, children, depth)
            while dice.random() < 0.3:
                # What has ended goes on, or ends otherwise.
                if dice.random() < 0.5:
                    run.overrule(node_id, dice.random() < 0.5)
                else:
                    play_all(node_id, run.repair(node_id, dice.choice(flows), 'e', 'f'), depth)
        else:
            run.act(node_id, 'failure')
            run.end(node_id, dice.random() < 0.5)

    play(1, 0)
    live = run.tree.snapshot()
    assert reduce_events(run.events) == live
    assert [node.node_id for node in live.nodes] == list(range(1, len(live.nodes) + 1))
    by_id = {node.node_id: node for node in live.nodes}
    for node in live.nodes:
        assert node.parent_id < node.node_id
        if node.parent_id:
            assert node.depth == by_id[node.parent_id].depth + 1
        assert node.ended == -1 or node.ended >= node.started
    assert by_id[1].status in (NodeStatus.SUCCESS, NodeStatus.FAILURE)
    assert live.decisions == sum(node.decisions for node in live.nodes)
