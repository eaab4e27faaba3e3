"""What a viewer shows of runs, whatever is late, lost or missed on the way to it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies

from reactree_core.errors import JournalError
from reactree_core.observation import Observation
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, Event, NodeStatus
from reactree_core.record.snapshot import AgentTree, TreeSnapshot
from reactree_tools.viewer.run_event_merger import RunEventMerger
from support.repaired_run import repaired_run

#: What the planner's clock says when its run begins.
EPOCH = 5000.0


class Shown:
    """A taker that keeps what it was given, and complains when a run goes back."""

    def __init__(self) -> None:
        self.tree = AgentTree()
        self.events: list[Event] = []
        self.adopted: list[TreeSnapshot] = []

    def add(self, event: Event) -> None:
        before = self.tree.snapshot()
        self.events.append(event)
        self.tree.apply(event)
        self._check(before)

    def adopt(self, snapshot: TreeSnapshot) -> None:
        before = self.tree.snapshot()
        self.adopted.append(snapshot)
        self.tree = AgentTree.from_snapshot(snapshot)
        self._check(before)

    def _check(self, before: TreeSnapshot) -> None:
        assert self.tree.sequence >= before.sequence, 'the run goes back'
        assert self.tree.finished or not before.finished, 'an ended run goes on'


class Planner:
    """A run as it is published: every event, and the tree after it."""

    def __init__(self, run_id: str, kinds: str, began: float = 0.0) -> None:
        self.run_id = run_id
        self.events = list(_events(kinds))
        tree = AgentTree()
        self.trees = []
        for event in self.events:
            tree.apply(event)
            self.trees.append(tree.snapshot())
        self.began = began


def _events(kinds: str) -> list[Event]:
    """T thinks, A acts, L looks, E expands, D is done; after it the run ends."""
    stamps = iter(range(10_000))
    sequence = 1
    events: list[Event] = [_decision(1, 0, DecisionKind.START, stamps, text='put a cup away')]
    waiting: list[int] = []
    node, nodes = 1, 1

    def look() -> None:
        nonlocal sequence
        sequence += 1
        events.append(Observation('', node_id=node, sequence=sequence, stamp=next(stamps)))

    look()
    for kind in f'{kinds}D':
        sequence += 1
        if kind == 'T':
            events.append(_decision(sequence, node, DecisionKind.THINK, stamps, text='hm'))
        elif kind == 'A':
            skill = 'open fridge 1'
            events.append(_decision(sequence, node, DecisionKind.ACT, stamps, skill=skill))
            seen = Observation('', skill=skill, node_id=node, sequence=sequence)
            events.append(replace(seen, stamp=next(stamps)))
        elif kind == 'E':
            flow, subgoals = ControlFlow.SEQUENCE, ('find a cup', 'put it away')
            events.append(
                replace(
                    _decision(sequence, node, DecisionKind.EXPAND, stamps),
                    control_flow=flow,
                    subgoals=subgoals,
                )
            )
            waiting = [nodes + 2, nodes + 3, *waiting]
            nodes += 3
            node = waiting.pop(0)
            look()
        elif kind == 'D':
            events.append(_decision(sequence, node, DecisionKind.ACT, stamps, skill='done'))
            sequence += 1
            events.append(_end(sequence, node, stamps))
            if not waiting:
                break
            node = waiting.pop(0)
            look()
        else:
            sequence -= 1
            look()
    events.append(_end(sequence + 1, 0, stamps))
    return events


def _decision(sequence, node, kind, stamps, **fields) -> Decision:
    return Decision(sequence, node, kind, stamp=float(next(stamps)), **fields)


def _end(sequence, node, stamps) -> Decision:
    return _decision(sequence, node, DecisionKind.FINISH, stamps, status=NodeStatus.SUCCESS)


class Viewer:
    """A follower beside topics that are matched late, deliver late, and lose what they must."""

    def __init__(self, record=None) -> None:
        self.runs: dict[str, Shown] = {}
        self.follower = RunEventMerger(self._begin, record or _no_record)

    def _begin(self, run_id: str) -> Shown:
        self.runs[run_id] = Shown()
        return self.runs[run_id]


def _no_record(run_id: str) -> tuple[Event, ...]:
    raise JournalError(run_id)


def play(viewer: Viewer, planners, joined, late, lost=(), period=0.1, recorded=None) -> None:
    """Everything that happens, in steps of a twentieth of a second.

    :param joined: when decisions and observations are matched, in seconds.
    :param late: seconds that decisions, observations and the tree take.
    :param lost: places of events that never arrive, whatever the middleware promises.
    :param period: seconds between two events.
    :param recorded: takes the events of the journal as they are written.
    """
    mail: list[tuple[float, int, object]] = []
    place = 0
    published = []
    for planner in planners:
        for event, tree in zip(planner.events, planner.trees, strict=True):
            published.append((planner.began + event.stamp * period, planner.run_id, event, tree))
    published.sort(key=lambda item: item[0])
    newest: tuple[str, TreeSnapshot] | None = None
    subscribed = False
    now, steps = 0.0, 0
    end = published[-1][0] + 60.0
    while now < end:
        while place < len(published) and published[place][0] <= now:
            _, run_id, event, tree = published[place]
            if recorded is not None:
                recorded.append(event)
            topic = int(isinstance(event, Observation))
            if place not in lost and now >= joined[topic]:
                stamped = replace(event, stamp=EPOCH + event.stamp)
                mail.append((now + late[topic], topic, (run_id, stamped)))
            newest = (run_id, tree)
            if subscribed:
                mail.append((now + late[2], 2, newest))
            place += 1
        if viewer.follower.wants_tree != subscribed:
            subscribed = not subscribed
            mail = [letter for letter in mail if letter[1] != 2]
            if subscribed and newest is not None:
                mail.append((now + late[2], 2, newest))
        arrived = [letter for letter in mail if letter[0] <= now]
        mail = [letter for letter in mail if letter[0] > now]
        # In turn, as an executor takes them; of trees only the newest is kept.
        arrived.sort(key=lambda letter: letter[0])
        trees = [letter for letter in arrived if letter[1] == 2]
        for letter in arrived:
            if letter[1] == 2:
                if letter is trees[-1] and viewer.follower.wants_tree:
                    viewer.follower.hear_tree(*letter[2], now)
            else:
                viewer.follower.hear(*letter[2], now)
        if steps % 5 == 0:
            viewer.follower.look(now)
        now, steps = round(now + 0.05, 2), steps + 1


def without_times(tree: TreeSnapshot) -> TreeSnapshot:
    """Who joins late does not know when the run began."""
    return replace(tree, nodes=tuple(replace(one, started=0, ended=0) for one in tree.nodes))


KINDS = strategies.text('TALED', max_size=25)
SECONDS = strategies.sampled_from([0.0, 0.05, 0.3, 0.7, 2.5])


@settings(max_examples=300)
@given(
    kinds=KINDS,
    joined=strategies.tuples(*[strategies.sampled_from([0.0, 0.2, 1.0, 3.0, 30.0])] * 2),
    late=strategies.tuples(SECONDS, SECONDS, SECONDS),
    lost=strategies.sets(strategies.integers(0, 40), max_size=6),
    period=strategies.sampled_from([0.01, 0.1, 1.0, 7.0]),
)
def test_whatever_is_late_or_lost_the_page_ends_where_the_planner_ended(
    kinds, joined, late, lost, period
) -> None:
    planner, viewer = Planner('a', kinds), Viewer()
    play(viewer, [planner], joined, late, lost, period)
    shown = viewer.runs['a']
    assert without_times(shown.tree.snapshot()) == without_times(planner.trees[-1])
    numbers = [(event.sequence, isinstance(event, Observation)) for event in shown.events]
    assert numbers == sorted(set(numbers)), 'an event twice, or out of turn'


@given(kinds=KINDS, late=strategies.tuples(*[strategies.sampled_from([0.0, 0.1, 0.7, 1.7])] * 3))
def test_what_arrives_whole_is_shown_event_by_event(kinds, late) -> None:
    planner, viewer = Planner('a', kinds, began=1.0), Viewer()
    play(viewer, [planner], (0.0, 0.0), late)
    shown = viewer.runs['a']
    assert not shown.adopted
    assert shown.events == planner.events


@settings(max_examples=100)
@given(
    kinds=KINDS,
    joined=strategies.tuples(*[strategies.sampled_from([0.2, 1.0, 3.0, 30.0])] * 2),
    late=strategies.tuples(SECONDS, SECONDS, SECONDS),
    lost=strategies.sets(strategies.integers(0, 40), max_size=6),
)
def test_with_a_record_nothing_is_missed_however_late_one_comes(kinds, joined, late, lost) -> None:
    journal: list[Event] = []
    planner, viewer = Planner('a', kinds), Viewer(lambda _: tuple(journal))
    play(viewer, [planner], joined, late, lost, recorded=journal)
    shown = viewer.runs['a']
    assert not shown.adopted
    assert shown.events == planner.events


@settings(max_examples=100)
@given(
    kinds=strategies.tuples(KINDS, KINDS),
    joined=strategies.sampled_from([0.0, 1.0, 4.0]),
    # A tree of one run that is seconds late after another began cannot be told from a new one.
    late=strategies.tuples(SECONDS, SECONDS, strategies.sampled_from([0.0, 0.05, 0.3, 0.7])),
    lost=strategies.sets(strategies.integers(0, 60), max_size=6),
    gap=strategies.sampled_from([0.05, 1.0, 5.0]),
)
def test_of_two_runs_the_second_stays_in_sight(kinds, joined, late, lost, gap) -> None:
    first = Planner('a', kinds[0])
    second = Planner('b', kinds[1], began=first.events[-1].stamp * 0.1 + gap)
    viewer = Viewer()
    play(viewer, [first, second], (joined, joined), late, lost)
    assert list(viewer.runs)[-1] == 'b'
    shown = viewer.runs['b']
    assert without_times(shown.tree.snapshot()) == without_times(second.trees[-1])


def test_the_end_of_a_run_is_found_when_its_message_never_comes() -> None:
    planner, viewer = Planner('a', 'TA'), Viewer()
    last = len(planner.events) - 1
    play(viewer, [planner], (0.0, 0.0), (0.0, 0.0, 0.0), lost={last})
    shown = viewer.runs['a']
    assert shown.tree.finished
    assert [tree.finished for tree in shown.adopted] == [True]


def test_a_tree_that_is_older_than_what_is_shown_is_not_taken() -> None:
    planner, viewer = Planner('a', 'TTTTTT'), Viewer()
    follower, now = viewer.follower, 0.0
    follower.hear_tree('a', planner.trees[5], now)
    shown = viewer.runs['a']
    follower.look(now + 1.0)
    assert shown.tree.sequence == planner.trees[5].sequence
    for event in planner.events[7:]:
        follower.hear('a', replace(event, stamp=EPOCH + event.stamp), 2.0)
    follower.look(4.5)
    assert follower.wants_tree, 'an event is missing'
    follower.hear_tree('a', planner.trees[4], 4.5)
    assert follower.wants_tree
    follower.hear_tree('a', planner.trees[-1], 4.6)
    assert shown.tree.snapshot() == planner.trees[-1]
    assert not follower.wants_tree


def test_a_look_that_is_heard_of_before_its_start_is_shown_as_soon_as_that_comes() -> None:
    events, viewer = repaired_run(), Viewer()
    look, *before = (events[3], *events[:3])
    viewer.follower.hear('a', look, 0.0)
    for event in before:
        viewer.follower.hear('a', event, 0.1)
    assert viewer.runs['a'].events == [*before, look]


@pytest.mark.parametrize('kinds', ['', 'EADTD', 'LALA'])
def test_without_trouble_the_tree_is_wanted_only_before_the_run(kinds) -> None:
    planner, viewer = Planner('a', kinds), Viewer()
    assert viewer.follower.wants_tree
    for event in planner.events:
        viewer.follower.hear('a', event, event.stamp * 0.01)
        assert not viewer.follower.wants_tree
