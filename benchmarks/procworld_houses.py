"""Houses of ProcWorld beside those of the paper: ranges, distributions, seconds a house.

The paper (figure 4) gives ranges over 5,000 houses. Things are counted with furniture and its
parts. The digest is that of the houses 0 to 49, in which validation tasks are set: two people with
the same digest measure the same houses.

Run: python -m benchmarks.procworld_houses [--houses N]
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections import Counter
from collections.abc import Sequence
from math import dist
from statistics import mean

from sim_bridge.worlds.procworld.generator import generated_house
from sim_bridge.worlds.procworld.house import House
from sim_bridge.worlds.procworld.house_file import write_house
from sim_bridge.worlds.procworld.locations import joined

#: Of the published houses.
PAPER = {'rooms': (1, 10), 'things': (6, 243), 'locations': (1, 42), 'classes': (84, 84)}
VALIDATION = range(50)


def validation_digest() -> str:
    """SHA-256 over the files of the validation houses in order."""
    digest = hashlib.sha256()
    for seed in VALIDATION:
        digest.update(write_house(generated_house(seed)).encode())
    return digest.hexdigest()


def distribution(name: str, values: Sequence[int]) -> str:
    """A row: range of the paper, then ours with its quartiles."""
    ordered = sorted(values)
    marks = [ordered[round(share * (len(ordered) - 1))] for share in (0, 0.25, 0.5, 0.75, 1)]
    low, high = PAPER[name]
    columns = ' '.join(f'{mark:>6}' for mark in marks)
    return f'{name:<10} {low:>5} to {high:<5} {columns} {mean(values):>8.1f}'


def nearest_neighbours(house: House) -> list[float]:
    """Metres from each location to the nearest one of its room, or of those joined to it."""
    found = []
    for rooms in joined([room.name for room in house.rooms], house.openings):
        places = [location.at for location in house.locations if location.room in rooms]
        for place in places:
            others = [dist(place, other) for other in places if other != place]
            found += [min(others)] if others else []
    return found


def main() -> None:
    """Make the houses and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--houses', type=int, default=1000, metavar='N')
    count = parser.parse_args().houses
    houses, seconds = [], []
    for seed in range(count):
        begin = time.process_time()
        houses.append(generated_house.__wrapped__(seed))
        seconds.append(time.process_time() - begin)
    print(
        f'{count} houses; {mean(seconds):.3f} s of processor time a house, the '
        f'slowest {max(seconds):.2f} s\n'
    )
    print(f'{"":<10} {"paper":>14} {"least":>6} {"1/4":>6} {"1/2":>6} {"3/4":>6} {"most":>6} mean')
    print(distribution('rooms', [len(house.rooms) for house in houses]))
    print(distribution('things', [len(house.things) for house in houses]))
    print(distribution('locations', [len(house.locations) for house in houses]))
    classes = {thing.thing_class for house in houses for thing in house.things}
    print(f'classes    paper 84, here {len(classes)}')
    between = [metres for house in houses for metres in nearest_neighbours(house)]
    print(
        f'locations to their nearest: paper 1.0 to 1.5 m; here {min(between):.2f} to '
        f'{max(between):.2f}, mean {mean(between):.2f}'
    )
    carried = [
        times
        for house in houses
        for times in Counter(
            thing.thing_class for thing in house.things if not thing.fixed
        ).values()
    ]
    several = mean(times > 1 for times in carried)
    print(f'of a class that a house has, more than one: {several:.0%}, most {max(carried)}\n')
    print(f'{"rooms":>5} {"houses":>7} {"things":>18} {"locations":>18}')
    for rooms in sorted({len(house.rooms) for house in houses}):
        of_size = [house for house in houses if len(house.rooms) == rooms]
        columns = [
            f'{min(values)} {mean(values):.0f} {max(values)}'
            for values in (
                [len(house.things) for house in of_size],
                [len(house.locations) for house in of_size],
            )
        ]
        print(f'{rooms:>5} {len(of_size):>7} {columns[0]:>18} {columns[1]:>18}')
    print(f'\ndigest of the houses 0 to 49: {validation_digest()}')


if __name__ == '__main__':
    main()
