"""The reducer: a tree is a pure function of decisions and observations."""

from __future__ import annotations

import random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from reactree_core.observation import Observation
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, NodeKind, NodeStatus
from reactree_core.record.goal_record import GoalRecord
from reactree_core.record.journal_lines import decode_event, encode_event
from reactree_core.record.run_settings import ParallelPolicy, RunSettings
from reactree_core.record.snapshot import AgentTree, ENDED, reduce_events, replaced_nodes


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


def failed_sequence():
    """A run whose first of two subgoals failed, and the ids of both."""
    run = Recorder()
    run.look(1)
    first, second = run.expand(1, ControlFlow.SEQUENCE, 'a', 'b')
    run.look(first)
    run.end(first, False)
    return run, first, second


def test_what_a_task_means_becomes_the_goal_of_the_root_and_the_sentence_stays_the_task():
    run = Recorder()
    run.emit(
        kind=DecisionKind.GROUND, text='the goal', subgoals=('2 crate in truck',), ties=('t',)
    )
    tree = run.tree.snapshot()
    assert (tree.task, tree.nodes[0].goal) == ('the task', 'the goal')
    assert (tree.wanted, tree.ties, tree.decisions) == (('2 crate in truck',), ('t',), 0)
    run.emit(kind=DecisionKind.GROUND)
    assert run.tree.node(1).goal == 'the goal', 'an empty text changes nothing'


def test_a_repair_goes_on_below_the_same_agent_and_what_it_replaces_stays():
    run, first, second = failed_sequence()
    before = run.tree.snapshot().nodes[1:]
    again = run.repair(1, ControlFlow.FALLBACK, 'c', 'd')
    assert again == [6, 7]
    assert run.tree.snapshot().nodes[1:4] == before
    assert [node.kind for node in run.tree.children(1)] == [NodeKind.SEQUENCE, NodeKind.FALLBACK]
    root = run.tree.node(1)
    assert (root.status, root.ended, root.detail) == (
        NodeStatus.EXPANDED,
        -1.0,
        'repair: fallback: c, d',
    )
    assert replaced_nodes(run.tree.snapshot().nodes) == {2, first, second}
    run.look(6)
    run.end(6, True)
    assert run.statuses()[1] is NodeStatus.SUCCESS and run.statuses()[7] is NodeStatus.IDLE


def test_a_repair_deep_below_takes_back_all_ends_that_followed_from_that_failure():
    run = Recorder()
    run.look(1)
    (child,) = run.expand(1, ControlFlow.SEQUENCE, 'a')
    run.look(child)
    (grandchild,) = run.expand(child, ControlFlow.PARALLEL, 'b')
    run.look(grandchild)
    run.end(grandchild, False)
    assert run.statuses()[1] is NodeStatus.FAILURE
    (again,) = run.repair(child, ControlFlow.SEQUENCE, 'c')
    statuses = run.statuses()
    assert (statuses[1], statuses[2], statuses[child]) == (
        NodeStatus.EXPANDED,
        NodeStatus.RUNNING,
        NodeStatus.EXPANDED,
    )
    assert statuses[4] is NodeStatus.FAILURE, 'the earlier expansion stays as it ended'
    run.look(again)
    run.end(again, True)
    assert run.statuses()[1] is NodeStatus.SUCCESS


def test_an_end_is_overruled_and_what_follows_from_it_above_is_decided_anew():
    run = Recorder()
    run.look(1)
    first, second = run.expand(1, ControlFlow.SEQUENCE, 'a', 'b')
    for child in (first, second):
        run.look(child)
        run.end(child, True)
    assert run.statuses()[1] is NodeStatus.SUCCESS
    run.emit(second, kind=DecisionKind.REPAIR, status=NodeStatus.FAILURE, text='not so')
    assert [run.statuses()[node] for node in (1, 2, first, second)] == [
        NodeStatus.FAILURE,
        NodeStatus.FAILURE,
        NodeStatus.SUCCESS,
        NodeStatus.FAILURE,
    ]
    assert run.tree.node(second).detail == 'not so'
    assert not replaced_nodes(run.tree.snapshot().nodes)


# What people say, and what a run waits for -------------------------------------------------------


def test_endings_that_are_free_count_as_no_decision_and_no_step():
    for free, decisions in ((False, 3), (True, 1)):
        run = Recorder()
        run.tree = AgentTree()
        run.emit(kind=DecisionKind.START, settings=RunSettings('reactree', free_endings=free))
        run.look(1)
        run.act(1, 'go to kitchen 1')
        run.act(1, 'failure')
        run.act(1, 'done')
        node = run.tree.node(1)
        assert (run.tree.decisions, run.tree.steps) == (decisions, 1)
        assert (node.decisions, node.steps, node.detail) == (decisions, 1, 'done')
        run.emit(1, kind=DecisionKind.THINK, text='hm', skill='done')
        assert run.tree.decisions == decisions + 1, 'a thought is no ending'


def test_a_question_is_a_decision_and_no_step():
    run = Recorder()
    run.look(1)
    run.act(1, 'ask: Which one?')
    assert (run.tree.decisions, run.tree.steps) == (1, 0)


def test_what_a_person_says_is_kept_and_a_new_goal_begins_the_tree_anew():
    run = Recorder()
    run.look(1)
    first, second = run.expand(1, ControlFlow.SEQUENCE, 'a', 'b')
    run.look(first)
    run.end(first, True)
    run.look(second)
    run.emit(kind=DecisionKind.CORRECT, text='carefully')
    assert run.tree.corrections == ('"carefully"',)
    assert run.tree.active_node_id == second and not run.tree.wanted
    goal = GoalRecord(('cup in sink', 'cup is clean; sink is off'))
    run.emit(
        kind=DecisionKind.CORRECT, text='wash it', subgoals=('x', 'y'), goal=goal, ties=('t',)
    )
    tree = run.tree.snapshot()
    assert tree.corrections == ('"carefully"', '"wash it": x; y')
    assert (tree.goal, tree.wanted) == (goal, ('cup is clean', 'sink is off'))
    assert (tree.ties, tree.active_node_id) == (('t',), 0)
    root, control, done, given_up = tree.nodes
    assert (root.status, root.ended) == (NodeStatus.IDLE, -1.0)
    assert (control.status, given_up.status) == (NodeStatus.CANCELED, NodeStatus.CANCELED)
    assert control.ended == run.events[-1].stamp and done.status is NodeStatus.SUCCESS
    run.emit(kind=DecisionKind.CORRECT, text='stop', goal=GoalRecord(language='en'), ties=('t',))
    assert (run.tree.wanted, run.tree.ties) == ((), ('t',))


def fired(*ends):
    """A run that waits, and has begun as often as there are ends; None: not yet at its end."""
    run = Recorder()
    run.emit(kind=DecisionKind.WAIT, text='whenever cup in sink')
    for good in ends:
        run.emit(kind=DecisionKind.FIRE, text='cup in sink', subgoals=('cup is clean',))
        run.look(1)
        if good is not None:
            run.end(1, good)
        run.emit(kind=DecisionKind.WAIT, text='whenever cup in sink')
    return run


def test_how_often_something_happened_and_how_often_all_was_done_then_is_counted():
    run = fired(True, False, True)
    assert (run.tree.firings, run.tree.firings_done) == run.tree.firings_so_far == (3, 2)
    run.emit(kind=DecisionKind.MILESTONE)
    assert run.tree.milestones_met == 1
    run.emit(kind=DecisionKind.FIRE, subgoals=('cup is clean',))
    assert (run.tree.wanted, run.tree.milestones_met) == (('cup is clean',), 0)
    assert run.tree.node(1).status is NodeStatus.IDLE and run.tree.firings_so_far == (4, 2)
    run.look(1)
    run.end(1, True)
    assert (run.tree.firings_done, run.tree.firings_so_far) == (2, (4, 3)), 'done, not yet counted'
    run.emit(kind=DecisionKind.FINISH, status=NodeStatus.SUCCESS)
    assert run.tree.firings_done == 3
    assert fired(True, None).tree.firings_done == 1
    once = Recorder()
    once.look(1)
    once.end(1, True)
    assert once.tree.firings_so_far == (0, 0), 'nothing was waited for'
    once.emit(kind=DecisionKind.FINISH, status=NodeStatus.SUCCESS)
    assert once.tree.firings_done == 0
    at_once = fired()
    for good in (True, True, False):
        at_once.emit(kind=DecisionKind.FIRE)
        at_once.look(1)
        at_once.end(1, good)
    assert at_once.tree.firings_so_far == (3, 2)
    assert at_once.tree.active_node_id == 0


def test_a_run_waits_until_something_is_done():
    for event in ('FORBID', 'CORRECT', 'START'):
        run = fired()
        run.emit(kind=DecisionKind[event])
        assert run.tree.waiting_for == 'whenever cup in sink', event
    run.look(1)
    assert run.tree.waiting_for == ''
    run = fired()
    run.emit(1, kind=DecisionKind.THINK)
    assert run.tree.waiting_for == ''
    run = fired(None)
    run.look(1)
    assert run.tree.waiting_for, 'a node that is at work already begins nothing'


def test_the_last_event_is_that_of_the_largest_number():
    run = Recorder()
    run.look(1)
    assert run.tree.sequence == 2
    run.tree.apply(Observation('late', sequence=1, node_id=1))
    assert run.tree.sequence == 2


def test_children_of_a_parallel_node_all_end_before_it_does():
    run = Recorder('any')
    run.look(1)
    first, second = run.expand(1, ControlFlow.PARALLEL, 'a', 'b')
    run.look(first)
    run.end(first, True)
    assert run.tree.node(1).status is NodeStatus.EXPANDED
    run.look(second)
    run.end(second, False)
    assert run.tree.node(1).status is NodeStatus.SUCCESS


def test_ancestors_are_the_agents_above_nearest_first():
    run = Recorder()
    run.look(1)
    (child,) = run.expand(1, ControlFlow.SEQUENCE, 'a')
    run.look(child)
    (grandchild,) = run.expand(child, ControlFlow.SEQUENCE, 'b')
    assert [one.node_id for one in run.tree.ancestors(grandchild)] == [child, 1]
    assert run.tree.ancestors(1) == ()
    assert (run.tree.node(grandchild).depth, run.tree.goal) == (5, 'the task')
    assert AgentTree(task='t').goal == 't'


#: Decisions and looks of a few nodes, whether or not they can have happened.
node_ids = st.integers(0, 8)
some_texts = st.lists(st.sampled_from('abc'), max_size=3).map(tuple)
any_decision = st.builds(
    Decision,
    st.integers(0, 40),
    node_ids,
    # Many that make the tree grow, so that there is something to repair.
    st.sampled_from([*DecisionKind, *[DecisionKind.EXPAND, DecisionKind.REPAIR] * 3]),
    st.sampled_from(['', 'why']),
    st.sampled_from(['go', 'done', 'failure']),
    st.sampled_from(ControlFlow),
    some_texts,
    st.sampled_from(NodeStatus),
    st.floats(0, 100),
    ties=some_texts,
)
any_events = st.lists(
    st.one_of(any_decision, st.builds(Observation, st.just('a room'), node_id=node_ids)),
    max_size=40,
)


#: Repaired is the child that was not tried yet when its sibling failed.
OUT_OF_TURN = [
    Decision(2, 1, DecisionKind.EXPAND, control_flow=ControlFlow.SEQUENCE, subgoals=('a', 'b')),
    Decision(3, 3, DecisionKind.FINISH, status=NodeStatus.FAILURE),
    Decision(4, 4, DecisionKind.REPAIR, control_flow=ControlFlow.SEQUENCE, subgoals=('c',)),
]


@given(any_events, st.integers(0, 40))
@example(OUT_OF_TURN, 2)
@settings(max_examples=200)
def test_whatever_the_events_nothing_breaks_and_a_repaired_node_and_all_above_it_go_on(
    events, cut
):
    events = [Decision(1, 0, DecisionKind.START, text='the task'), *events]
    cut = min(cut, len(events))
    tree = AgentTree()
    # Goes on from a snapshot as if it had heard everything.
    late = AgentTree()
    for place, event in enumerate(events):
        if place == cut:
            late = AgentTree.from_snapshot(tree.snapshot(), tree.policy)
        tree.apply(event)
        if place >= cut:
            late.apply(event)
        known = {node.node_id for node in tree.snapshot().nodes}
        if not (isinstance(event, Decision) and event.kind is DecisionKind.REPAIR):
            continue
        if event.node_id in known and event.subgoals:
            assert tree.node(event.node_id).status is NodeStatus.EXPANDED
            above = tree.node(event.node_id).parent_id
            while above:
                assert tree.node(above).status not in ENDED
                above = tree.node(above).parent_id
    assert reduce_events(decode_event(encode_event(event)) for event in events) == tree.snapshot()
    assert cut == len(events) or late.snapshot() == tree.snapshot()
    nodes = tree.snapshot().nodes
    for node_id in replaced_nodes(nodes):
        control = tree.node(node_id)
        while control.parent_id in replaced_nodes(nodes):
            control = tree.node(control.parent_id)
        siblings = [one for one in tree.children(control.parent_id) if one.kind]
        assert control in siblings[:-1], 'the newest expansion is replaced by none'


@given(st.integers(0, 2**32), st.sampled_from(['majority', 'all', 'any']))
def test_random_runs_replay_to_the_live_tree_and_keep_its_invariants(seed, policy):
    dice = random.Random(seed)
    run = Recorder(policy)

    def play(node_id, depth):
        run.look(node_id)
        if depth < 3 and dice.random() < 0.6:
            flow = dice.choice(list(ControlFlow)[1:])
            children = run.expand(node_id, flow, *'abcd'[: dice.randint(1, 4)])
            play_all(node_id, children, depth)
            while run.tree.node(node_id).status is NodeStatus.FAILURE and dice.random() < 0.5:
                children = run.repair(node_id, flow, *'abcd'[: dice.randint(1, 4)])
                play_all(node_id, children, depth)
            if dice.random() < 0.2:
                run.emit(node_id, kind=DecisionKind.REPAIR, status=dice.choice(ENDED[:2]))
        else:
            run.act(node_id, 'failure')
            run.end(node_id, dice.random() < 0.5)

    def play_all(node_id, children, depth):
        for child in children:
            if run.tree.node(node_id).status is not NodeStatus.EXPANDED:
                break
            play(child, depth + 1)

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
