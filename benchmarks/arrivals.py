"""How many things are listed on arrival: what the definition of closeness comes to, set by set.

In every home the robot walks from each room's middle to every receptacle that it sees there; the
home stays as it is. In the logs published for WAH-NL, 12.3 things are listed on average (median
13, at most 33); `docs/decisions/closeness.md` says what is close here.

Run: python -m benchmarks.arrivals [--homes N] [GRAPH ...]   (files, or folders of them)
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import mean, median

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.nodes import read_node
from sim_bridge.worlds.household.roles import name_of, PUBLISHED, roles_of
from sim_bridge.worlds.household.text_reading import read_text

#: Of the published logs.
PUBLISHED_MEAN = 12.3


def arrivals(world: HouseholdWorld) -> Iterator[int]:
    """Things listed at each visible receptacle of a loaded home."""
    nodes = map(read_node, world.graph()['nodes'])
    places = {name_of(node.class_name) for node in nodes if roles_of(node, PUBLISHED).receptacle}
    for room in world.vocabulary().rooms:
        world.step(f'go to {room}')
        skills = [skill for skill in world.candidate_skills() if skill.startswith('go to ')]
        for skill in skills:
            if skill.removeprefix('go to ').rpartition(' ')[0] in places:
                report = read_text(world.step(skill).text)
                assert report is not None and report.seen is not None
                yield len(report.seen)


def kind_of(world: HouseholdWorld) -> str:
    """Which rule closeness follows in a home."""
    graph = world.graph()
    me = {node['id'] for node in graph['nodes'] if node['class_name'] == 'character'}
    furniture = [
        node
        for node in graph['nodes']
        if 'GRABBABLE' not in (node.get('properties') or ()) and node['category'] != 'Rooms'
    ]
    boxed = sum(1 for node in furniture if node.get('bounding_box'))
    if 2 * boxed > len(furniture):
        return 'boxes'
    drawn = any(
        edge['relation_type'] == 'CLOSE' and not me & {edge['from_id'], edge['to_id']}
        for edge in graph['edges']
    )
    return 'CLOSE edges' if drawn else 'order of ids'


def files(names: Iterable[str]) -> Iterator[Path]:
    """Files that are named, and the JSON files of folders that are."""
    for name in names:
        place = Path(name)
        yield from sorted(place.glob('*.json')) if place.is_dir() else [place]


def measure(names: Iterable[str], homes: int) -> dict[str, list[list[int]]]:
    """Set -> for each of its homes, things listed at each arrival."""
    found: dict[str, list[list[int]]] = {}
    world = HouseholdWorld()
    for seed in range(homes):
        world.reset(f'generated:{seed}', '', 0)
        found.setdefault('generated: boxes', []).append(list(arrivals(world)))
    for file in files(names):
        try:
            world.reset(str(file), '', 0)
        except ConfigurationError as error:
            print(f'left out: {error}', file=sys.stderr)
            continue
        found.setdefault(f'{file.parent.name}: {kind_of(world)}', []).append(list(arrivals(world)))
    return found


def main() -> None:
    """Print a row for each set."""
    parser = argparse.ArgumentParser(description='Things listed on arrival.')
    parser.add_argument('graphs', nargs='*', help='VirtualHome graphs, or folders of them')
    parser.add_argument('--homes', type=int, default=100, help='how many generated ones')
    arguments = parser.parse_args()
    print(f'{"set: rule":32} {"homes":>5} {"arrivals":>8} {"mean":>6} {"median":>6} {"most":>5}')
    for name, counts in measure(arguments.graphs, arguments.homes).items():
        listed = [count for home in counts for count in home]
        print(
            f'{name:32} {len(counts):5} {len(listed):8} {mean(listed):6.1f} '
            f'{median(listed):6.0f} {max(listed):5}'
        )
    print(f'{"published logs":32} {"":5} {"":8} {PUBLISHED_MEAN:6}')


if __name__ == '__main__':
    main()
