"""Frames: laid over each other they show what the reducer and working memory say."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from hypothesis import given, settings, strategies

from reactree_core.observation import ObjectFact, Observation, Vocabulary, WORLD_RESET
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.record.journal_lines import Answer
from reactree_core.record.snapshot import AgentTree, reduce_events
from reactree_core.skill_types import SkillKind, SkillType
from reactree_core.working_memory import WorkingMemory
from reactree_tools.viewer.frames import count_of, folded, FrameMaker, RunHistory
from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.sources import GivenRun
from sim_bridge.worlds.household.world import HouseholdWorld
from support.made_up_runs import MadeUpRun
from support.repaired_run import repaired_run, TIES, WANTED, WHY

#: Which looks the world is put back after.
RESETS = strategies.lists(strategies.integers(0, 100), max_size=4)


def laid(frames):
    """What a page has after these frames."""
    nodes, facts, looked_at = {}, {}, []
    for frame in frames:
        nodes.update((node[0], node) for node in frame['nodes'])
        if frame.get('cleared'):
            facts, looked_at = {}, []
        facts.update(frame.get('facts', {}))
        looked_at += frame.get('looked_at', [])
    known = {name: fact for name, fact in facts.items() if fact is not None}
    return nodes, known, looked_at


def with_resets(events, resets):
    """The events with the world put back after some of the looks, as planners of trials do."""
    looks = [event for event in events if isinstance(event, Observation)]
    after = [looks[number % len(looks)] for number in resets] if looks else []
    for event in events:
        yield event
        if any(event is one for one in after):
            yield Observation(
                WORLD_RESET, sequence=event.sequence, node_id=event.node_id, stamp=event.stamp
            )


def told(tree):
    return {node.node_id: (node.parent_id, node.kind, node.status, node.goal) for node in tree}


@settings(max_examples=25, deadline=None)
@given(strategies.integers(1, 40), strategies.integers(0, 1000), strategies.floats(0, 1), RESETS)
def test_at_any_moment_frames_show_the_reducers_tree_and_the_working_memory(
    nodes, seed, share, resets
):
    events = list(with_resets(list(MadeUpRun(nodes, seed=seed)), resets))
    events = events[: max(1, int(len(events) * share))]
    maker = FrameMaker()
    frames = [json.loads(json.dumps(maker.frame(event))) for event in events]
    memory = WorkingMemory()
    for event in events:
        if isinstance(event, Observation) and event.text == WORLD_RESET:
            memory = WorkingMemory()
        elif isinstance(event, Observation):
            memory.update(event)
    seen, facts, looked_at = laid(frames)
    tree = reduce_events(events)
    assert {key: (node[1], node[2], node[3], node[4]) for key, node in seen.items()} == told(
        tree.nodes
    )
    assert facts == {
        fact.name: [fact.room, fact.receptacle, fact.state] for fact in memory.facts()
    }
    assert tuple(looked_at) == memory.looked_at()
    last = frames[-1]['run']
    assert (last['decisions'], last['steps']) == (tree.decisions, tree.steps)
    assert (last['active'], last['finished']) == (tree.active_node_id, tree.finished)


@settings(max_examples=25, deadline=None)
@given(strategies.integers(2, 60), strategies.integers(0, 1000), RESETS)
def test_folded_frames_lead_to_the_same_state(count, seed, resets):
    maker = FrameMaker()
    events = with_resets(list(MadeUpRun(20, seed=seed)), resets)
    frames = [maker.frame(event) for event in events]
    together = folded(frames[:count])
    assert laid([together, *frames[count:]]) == laid(frames)
    assert count_of(together) == len(frames[:count])


def read_all(history, position=0, most=7):
    """What a reader gets in small pieces, and where it is then."""
    frames = []
    while True:
        text, end, anew = history.after(position, most)
        if anew:
            frames = []
        if end == position and not anew:
            return frames, position
        frames += json.loads(text)
        position = end


def test_readers_get_every_frame_once_and_then_only_what_is_new():
    history = RunHistory('run')
    events = list(MadeUpRun(10))
    for event in events[:9]:
        history.add(event)
    frames, position = read_all(history)
    assert len(frames) == position == 9
    for event in events[9:]:
        history.add(event)
    more, position = read_all(history, position)
    assert len(more) == len(events) - 9
    assert position == history.end == len(events)


def test_a_long_run_keeps_so_many_frames_and_readers_that_lag_begin_anew():
    history = RunHistory('run', kept=40)
    events = list(MadeUpRun(60))
    for event in events[:30]:
        history.add(event)
    frames, position = read_all(history)
    for event in events[30:]:
        history.add(event)
    late, _ = read_all(history, position)
    fresh, end = read_all(history)
    assert end == len(events)
    assert len(fresh) <= 41
    assert late == fresh
    assert told(reduce_events(events).nodes).keys() == laid(fresh)[0].keys()
    assert sum(map(count_of, fresh)) == len(events)
    assert len(frames) == 30


def test_a_reader_with_frames_of_another_run_begins_anew():
    history = RunHistory('run')
    for event in MadeUpRun(5):
        history.add(event)
    _, _, anew = history.after(10**6)
    assert anew


def test_a_run_goes_on_from_a_tree_whose_events_are_lost():
    events = list(MadeUpRun(30))
    middle = len(events) // 2
    history = RunHistory('run')
    history.adopt(reduce_events(events[:middle]))
    for event in events[middle:]:
        history.add(event)
    frames, _ = read_all(history)
    assert frames[0]['event']['kind'] == 'joined'
    nodes = laid(frames)[0]
    whole = reduce_events(events)
    assert {key: (node[3], node[4]) for key, node in nodes.items()} == {
        node.node_id: (node.status, node.goal) for node in whole.nodes
    }
    assert history.finished


def test_a_tree_made_from_a_snapshot_shows_that_snapshot():
    snapshot = reduce_events(list(MadeUpRun(30))[:80])
    assert AgentTree.from_snapshot(snapshot).snapshot() == snapshot


def test_furniture_near_a_place_stands_in_the_room_and_not_in_that_place():
    world = HouseholdWorld()
    seen = [world.reset('generated:9006', '', 0)]
    for skill in ('go to kitchen 1', 'go to fridge 1', 'open fridge 1'):
        seen.append(world.step(skill))
        assert seen[-1].succeeded, seen[-1].text
    near = [fact.name for fact in seen[2].facts if fact.receptacle == 'fridge 1']
    assert 'dishwasher 1' in near
    maker = FrameMaker()
    maker.know(world.vocabulary())
    facts = laid([maker.frame(event) for event in seen])[1]
    for name in ('dishwasher 1', 'kitchen cabinet 1', 'stove 1', 'fridge 1'):
        assert facts[name][1] == '', name
    assert any(place == 'fridge 1' for _, place, _ in facts.values()), 'its content is not told'


def test_a_box_that_can_be_picked_up_stays_where_it_was_seen():
    world = HouseholdWorld()
    maker = FrameMaker()
    maker.take(world.reset('generated:9001', '', 0))
    maker.know(world.vocabulary())
    maker.take(world.step('go to kitchen 1'))
    table = world.step('go to kitchen table 1')
    facts = maker.frame(table)['facts']
    offered = {
        skill.removeprefix('pick up ')
        for skill in table.admissible_skills
        if skill.startswith('pick up ')
    }
    assert offered
    assert all(facts[name][1] for name in offered)


#: Words that no world of ours has for what it does.
UNLATCH = SkillType('unlatch <place>', kind=SkillKind.OPEN)
GRAB = SkillType('grab <thing>', kind=SkillKind.TAKE)


def beside_a_crane(stamp, *skills):
    """A hatch and a tub that are seen at a crane."""
    facts = (ObjectFact('hatch', 1, 'hall 1', 'crane 1'),)
    facts += (ObjectFact('tub', 1, 'hall 1', 'crane 1'),)
    return Observation('A hall.', facts=facts, admissible_skills=skills, stamp=stamp)


def test_what_stays_where_it_is_follows_from_what_skills_declare():
    seen = beside_a_crane(1.0, 'unlatch hatch 1', 'unlatch tub 1', 'grab tub 1')
    knowing, other = FrameMaker(), FrameMaker()
    knowing.know(Vocabulary(skill_types=(UNLATCH, GRAB)))
    facts = knowing.frame(seen)['facts']
    # A tub is opened, too, but it can be taken away.
    assert [facts[name][1] for name in ('hatch 1', 'tub 1')] == ['', 'crane 1']
    # The words themselves say nothing.
    facts = other.frame(beside_a_crane(1.0, 'open hatch 1', 'turn on hatch 1'))['facts']
    assert facts['hatch 1'][1] == 'crane 1'


def test_recorded_runs_know_what_their_skill_server_declared():
    told = {'vocabulary': asdict(Vocabulary(skill_types=(UNLATCH, GRAB)))}
    start = Decision(1, 0, DecisionKind.START, text='a task')
    seen = beside_a_crane(1.0, 'unlatch hatch 1')
    for records, place in (
        ([start, Answer('list_skills', told), seen], ''),
        ([start, seen], 'crane 1'),
    ):
        text, _, _ = Runs([GivenRun('run', records)]).history('run').after(0)
        assert laid(json.loads(text))[1]['hatch 1'][1] == place


def test_live_runs_know_what_the_bridge_declares_whenever_it_is_heard_of():
    runs = Runs()
    before = runs.begin('before')
    runs.know(Vocabulary(skill_types=(UNLATCH, GRAB)))
    for history in (before, runs.begin('after')):
        history.add(beside_a_crane(1.0, 'unlatch hatch 1'))
        assert laid(json.loads(history.after(0)[0]))[1]['hatch 1'][1] == ''


def forbidding(events):
    """The events with what the task forbids after the first one."""
    first, *rest = events
    return [
        first,
        Decision(
            first.sequence + 1,
            0,
            DecisionKind.FORBID,
            subgoals=('turn on stove', 'open fridge'),
            text='only if it is dark',
        ),
        *(replace(event, sequence=event.sequence + 1) for event in rest),
    ]


def test_what_the_task_forbids_is_told_with_every_frame_also_when_folded_or_joined():
    maker = FrameMaker()
    frames = [maker.frame(event) for event in forbidding(MadeUpRun(10))]
    assert frames[0]['run']['must_not'] == []
    assert frames[1]['event']['forbidden'] == ['turn on stove', 'open fridge']
    assert frames[1]['nodes'] == []
    for frame in (*frames[1:], folded(frames[:20])):
        assert frame['run']['must_not'] == ['turn on stove', 'open fridge']
        assert frame['run']['left_to_model'] == 'only if it is dark'
    late = FrameMaker().adopt(maker.tree.snapshot())
    assert late['run']['must_not'] == ['turn on stove', 'open fridge']


def test_what_the_task_means_is_told_with_every_frame_and_a_repair_with_its_end():
    maker = FrameMaker()
    frames = [json.loads(json.dumps(maker.frame(event))) for event in repaired_run()]
    nodes = laid(frames)[0]
    assert {key: (node[1], node[2], node[3], node[4]) for key, node in nodes.items()} == told(
        reduce_events(repaired_run()).nodes
    )
    assert (frames[1]['run']['means'], frames[1]['run']['ties']) == ('', [])
    late = FrameMaker().adopt(maker.tree.snapshot())
    for frame in (*frames[2:], folded(frames), late):
        assert frame['run']['means'] == '; '.join(WANTED)
        assert tuple(frame['run']['ties']) == TIES
    again, over = [frame['event'] for frame in frames if frame['event']['kind'] == 'repair']
    assert (again['flow'], again['text'], len(again['subgoals'])) == ('sequence', WHY, 3)
    assert over['end'] == 'overruled, failed instead of succeeded' and not over['subgoals']
    assert 'end' not in again


def test_a_frame_says_which_limit_ended_the_run():
    maker = FrameMaker()
    for event in list(MadeUpRun(5))[:-1]:
        assert maker.frame(event)['run']['result'] == 'no end recorded'
    text = 'The run took 9 s, all it may: raise max_time to let it go on longer.'
    end = Decision(999, 0, DecisionKind.FINISH, status=NodeStatus.CANCELED, text=text)
    told = maker.frame(end)['run']
    assert (told['result'], told['reason']) == ('stopped by the time limit', text)
