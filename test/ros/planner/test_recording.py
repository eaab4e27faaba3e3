"""A run's bag holds the run: the same events as its journal, the same trees as were seen live."""

from __future__ import annotations

import subprocess
import sys

from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from reactree_core.observation import Observation
from reactree_core.record.chain import Verdict, verify_events
from reactree_core.record.events import Decision
from reactree_core.record.journal import read_journal
from reactree_core.record.snapshot import AgentTree, reduce_events
from reactree_planner.ros.run_messages import snapshot_from_message
from reactree_tools.recording.bags import find_bag, read_messages
from reactree_tools.recording.ros.run_reading import runs_of
from reactree_tools.viewer.sources import open_runs
from support.waiting import wait_for

PATIENCE = 30.0


def bag_of(folder, run_id):
    bag = folder / run_id
    wait_for((bag / 'ended').exists, f'the bag {bag}')
    return bag


def test_bag_and_journal_hold_the_same_and_any_reader_can_read_it(make_stack, tmp_path):
    stack = make_stack(bags=tmp_path / 'bags')
    result = stack.plan().result
    run_id = bytes(result.tree.run_id.uuid).hex()
    events = tuple(read_journal(tmp_path / 'runs' / f'{run_id}.jsonl'))
    bag = bag_of(tmp_path / 'bags', run_id)
    recorded = runs_of(bag)[0]
    assert recorded.events == events
    found = verify_events(recorded.events, result.record_hash, recorded.twice)
    assert found.verdict is Verdict.WHOLE, found.why
    assert recorded.run_id == run_id and recorded.backend == 'household'
    assert recorded.start.settings.scene == 'generated:9001'
    assert recorded.start.settings.skills_before == 0
    assert reduce_events(recorded.events) == snapshot_from_message(result.tree)
    live, growing = [], AgentTree()
    for event in events:
        growing.apply(event)
        live.append(growing.snapshot())
    assert recorded.trees[-1] == live[-1]
    assert all(tree in live for tree in recorded.trees)
    counts = {}
    for message in read_messages(bag):
        counts[message.topic.rpartition('/')[2]] = 1 + counts.get(
            message.topic.rpartition('/')[2], 0
        )
    decisions = [event for event in events if isinstance(event, Decision)]
    assert counts['decisions'] == len(decisions)
    assert counts['observations'] == len(events) - len(decisions)
    assert counts['bridge_status'] >= 1
    texts = []
    with (bag / f'{run_id}.mcap').open('rb') as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, channel, _, message in reader.iter_decoded_messages():
            if channel.topic.endswith('/decisions'):
                texts.append((message.sequence, message.skill, list(message.subgoals)))
    assert sorted(texts) == sorted(
        (event.sequence, event.skill, list(event.subgoals)) for event in decisions
    )


def test_a_recorder_that_comes_late_misses_nothing(make_stack, tmp_path):
    stack = make_stack()
    result = stack.plan().result
    run_id = bytes(result.tree.run_id.uuid).hex()
    stack.start_recorder(tmp_path / 'bags')
    bag = bag_of(tmp_path / 'bags', run_id)
    recorded = runs_of(bag)[0]
    assert recorded.events == tuple(read_journal(tmp_path / 'runs' / f'{run_id}.jsonl'))
    assert verify_events(recorded.events, result.record_hash).verdict is Verdict.WHOLE
    assert open_runs(str(bag), tmp_path)[0].events(run_id) == recorded.events, (
        'as the viewer has it'
    )


def test_a_killed_recorder_leaves_what_it_had_and_the_next_one_has_everything(
    make_stack, tmp_path
):
    stack = make_stack(bridge=(('skill_duration', 0.5),))
    bags = tmp_path / 'bags'
    command = [sys.executable, '-m', 'reactree_tools.recording.ros.node', '--ros-args']
    command += ['-r', f'__ns:={stack.client.get_namespace()}', '-p', f'directory:={bags}']
    recorder = subprocess.Popen(command)
    try:
        # The client's, and the recorder's: on a busy machine a run may else end before it listens.
        wait_for(lambda: stack.client.count_subscribers('planner/decisions') > 1, 'the recorder')
        handle = stack.send()

        def parts():
            return [path.stat().st_size for path in bags.glob('*.recording/part.mcap')]

        wait_for(lambda: parts() and parts()[0] > 100_000, 'some of the run is recorded')
    finally:
        recorder.kill()
        recorder.wait(PATIENCE)
    (left,) = bags.glob('*.recording')
    run_id = bytes(stack.result_of(handle.get_result_async()).result.tree.run_id.uuid).hex()
    journal = tuple(read_journal(tmp_path / 'runs' / f'{run_id}.jsonl'))
    mended = runs_of(find_bag(run_id[:8], bags))[0]
    assert not left.exists()
    assert 10 < len(mended.events) < len(journal)
    for kind in (Decision, Observation):
        # Each topic is whole up to the kill; which of two comes first is left to the middleware.
        found = [event for event in mended.events if isinstance(event, kind)]
        assert found == [event for event in journal if isinstance(event, kind)][: len(found)]
    stack.start_recorder(bags)
    wait_for((bags / f'{run_id}_2' / 'ended').exists, 'the bag of the second recorder')
    assert runs_of(bags / f'{run_id}_2')[0].events == journal
