"""A walk through a room of AI2-THOR: the texts of it, in this environment or in another one.

`python -m support.thor_walk '{"version": "2.1"}'` prints them; the client 2.1.0 cannot be
installed beside 5.x.
"""

from __future__ import annotations

import json
import sys

from sim_bridge.worlds.thor.world import ThorWorld

STAND_IN = '--made-up --failures none --frames plain'


def walk(world: ThorWorld, scene: str = 'FloorPlan7', count: int = 12) -> list[str]:
    """Texts of going to places, opening them and handling what is there."""
    texts = [world.reset(scene, '', 0).text]
    places = [text for text in world.admissible_skills() if text.startswith('go to ')]
    for skill in places[:: max(1, len(places) // count)]:
        texts.append(world.step(skill).text)
        for verb in ('open ', 'pick up ', 'slice ', 'put down ', 'turn on ', 'close '):
            own = [text for text in world.admissible_skills() if text.startswith(verb)]
            texts += [world.step(text).text for text in own[:1]]
    return texts


if __name__ == '__main__':
    made = ThorWorld(**{'stand_in': STAND_IN, **json.loads(sys.argv[1])})
    try:
        sys.stdout.write(json.dumps(walk(made)) + '\n')
    finally:
        made.close()
