"""Events that were recorded of a program are scenes of the stand-in."""

from __future__ import annotations

import json

import pytest

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.stand_in.recordings import recorded_scenes
from sim_bridge.worlds.thor.world import ThorWorld
from support.thor_walk import STAND_IN, walk


def test_a_recorded_scene_is_played_again_as_it_was(tmp_path):
    file = tmp_path / 'events.jsonl'
    told = []
    for options in (
        {'record': str(file)},
        {'stand_in': f'--replay {file} --seed 9 --failures none --frames plain'},
    ):
        world = ThorWorld(**{'stand_in': STAND_IN, **options})
        try:
            told.append(walk(world))
        finally:
            world.close()
    assert told[0] == told[1] and len(told[0]) > 20
    scene = recorded_scenes(file)['FloorPlan7']
    assert scene.reachable and not scene.approximate
    assert any(thing.parent for thing in scene.things)


@pytest.mark.parametrize(
    'lines',
    [
        [],
        ['not JSON'],
        ['{"action": 3}'],
        [json.dumps({'action': {'action': 'Reset'}, 'metadata': {'objects': [{}]}})],
        [json.dumps({'action': {'action': 'Pass'}, 'metadata': {}})],
    ],
)
def test_what_is_no_recording_is_told(tmp_path, lines):
    file = tmp_path / 'events.jsonl'
    file.write_text('\n'.join(lines))
    with pytest.raises(ConfigurationError, match=r'events\.jsonl'):
        recorded_scenes(file)
    with pytest.raises(ConfigurationError, match='cannot be read'):
        recorded_scenes(tmp_path / 'gone')
