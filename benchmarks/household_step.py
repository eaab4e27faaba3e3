"""Steps per second of the household world, next to a plain version that scans the whole graph.

A step is one random admissible skill with everything that comes back: observation text, facts and
the list of admissible skills. The plain version gives the same text and the same list, but keeps
nothing from step to step: before and after every change it reads all nodes and edges into
dictionaries and works everything out from them. Both start in the same generated home of about 350
nodes, and before any time is taken they make the same steps and their answers are compared.

Run: python -m benchmarks.household_step [--seconds S] [--scene generated:SEED]
"""

from __future__ import annotations

import argparse
import time
from random import Random
from typing import Any

from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.closeness import REACH
from sim_bridge.worlds.household.roles import known_classes

#: About 350 nodes.
SCENE = 'generated:10'
COMPARED_STEPS = 400


class FullScan:
    """The household without indexes or anything kept; admissible skills only.

    :param graph: as `HouseholdWorld.graph` gives it right after a reset. Every class must be in
        the table of known classes, every thing in one place, and every fixture have a box, as in
        generated homes.
    """

    def __init__(self, graph: dict[str, Any]) -> None:
        self.nodes: list[dict[str, Any]] = graph['nodes']
        self.edges = [edge for edge in graph['edges'] if edge['relation_type'] != 'CLOSE']
        self.me = next(node['id'] for node in self.nodes if node['class_name'] == 'character')
        self.stand: int | None = None
        self.fixture: int | None = None
        self.receptacle: int | None = None
        self.laid: set[int] = set()
        self.boxes = {
            node['id']: node['bounding_box'] for node in self.nodes if node.get('bounding_box')
        }

        self.scan()

    def scan(self) -> None:
        """Read everything."""
        self.by_id = {node['id']: node for node in self.nodes}
        self.roles = {node['id']: known_classes()[node['class_name']].roles for node in self.nodes}
        self.rooms = [node['id'] for node in self.nodes if node['category'] == 'Rooms']
        hands: dict[str, int] = {}
        self.parents: dict[int, tuple[str, int]] = {}
        own_room: dict[int, int] = {}
        for edge in self.edges:
            start, relation, end = edge['from_id'], edge['relation_type'], edge['to_id']
            if relation.startswith('HOLDS'):
                hands[relation] = end
            elif relation == 'INSIDE' and end in self.rooms:
                own_room[start] = end
            elif relation == 'INSIDE':
                self.parents[start] = relation, end
            elif relation == 'ON' and self.by_id[end]['class_name'] != 'floor':
                self.parents.setdefault(start, (relation, end))
        self.held = [hands[hand] for hand in ('HOLDS_RH', 'HOLDS_LH') if hand in hands]
        self.room = {
            key: own_room.get(self.me if self.root(key) in self.held else self.root(key))
            for key in self.by_id
        }
        self.names: dict[int, tuple[str, int]] = {}
        counts: dict[str, int] = {}
        for key in sorted(self.by_id):
            word = known_classes()[self.by_id[key]['class_name']].name
            counts[word] = counts.get(word, 0) + 1
            self.names[key] = word, counts[word]
        here = self.room[self.me]
        self.visible = [
            key
            for key in self.by_id
            if self.roles[key].observable
            and self.room[key] == here
            and key != self.me
            and key not in self.held
            and key not in self.rooms
            and not self.hidden(key)
        ]
        self.close = [key for key in self.visible if self.root(key) in self.held or self.near(key)]

    def root(self, node_id: int) -> int:
        while node_id in self.parents:
            node_id = self.parents[node_id][1]
        return node_id

    def text(self, node_id: int) -> str:
        word, number = self.names[node_id]
        return f'{word} {number}'

    def listed(self, things: list[int]) -> str:
        groups: dict[str, list[int]] = {}
        for key in things:
            word, number = self.names[key]
            groups.setdefault(word, []).append(number)
        return (
            ', '.join(
                f'{word} ({", ".join(map(str, sorted(groups[word])))})' for word in sorted(groups)
            )
            or 'nothing'
        )

    def hidden(self, node_id: int) -> bool:
        while node_id in self.parents:
            relation, holder = self.parents[node_id]
            node = self.by_id[holder]
            has_door = 'CAN_OPEN' in node['properties'] or 'CLOSED' in node['states']
            if relation == 'INSIDE' and 'OPEN' not in node['states']:
                if has_door or node_id not in self.laid:
                    return True
            node_id = holder
        return False

    def belongs_to(self, node_id: int) -> int:
        while node_id in self.parents and 'GRABBABLE' in self.by_id[node_id]['properties']:
            node_id = self.parents[node_id][1]
        return node_id

    def near(self, node_id: int) -> bool:
        if self.fixture is None:
            return False
        pair = (self.belongs_to(node_id), self.fixture)
        if pair[0] == pair[1]:
            return True
        if any(one in self.parents and self.parents[one][1] in pair for one in pair):
            return True
        first, second = (self.boxes[one] for one in pair)
        gaps = [
            max(
                0.0,
                abs(first['center'][axis] - second['center'][axis])
                - (first['size'][axis] + second['size'][axis]) / 2,
            )
            for axis in (0, 2)
        ]
        return bool((gaps[0] ** 2 + gaps[1] ** 2) ** 0.5 <= REACH)

    def admissible(self) -> tuple[str, ...]:
        stand = self.stand if self.stand is not None else self.room[self.me]
        skills = [
            f'go to {self.text(key)}' for key in (*self.rooms, *self.visible) if key != stand
        ]
        if len(self.held) < 2:
            for key in (*self.close, *self.held):
                node, roles = self.by_id[key], self.roles[key]
                if roles.grabbable and 'GRABBABLE' in node['properties'] and key not in self.held:
                    skills.append(f'pick up {self.text(key)}')
                if roles.openable and 'CAN_OPEN' in node['properties']:
                    verb = 'close' if 'OPEN' in node['states'] else 'open'
                    skills.append(f'{verb} {self.text(key)}')
                if roles.switchable and 'HAS_SWITCH' in node['properties']:
                    if 'ON' not in node['states']:
                        skills.append(f'turn on {self.text(key)}')
        if self.receptacle is not None and self.takes_things(self.receptacle):
            skills += [f'put down {self.text(key)}' for key in self.held]
        return tuple(sorted(skills))

    def takes_things(self, receptacle: int) -> bool:
        node = self.by_id[receptacle]
        if receptacle not in self.close or self.root(receptacle) in self.held:
            return False
        if not self.roles[receptacle].container:
            return 'SURFACES' in node['properties']
        has_door = 'CAN_OPEN' in node['properties'] or 'CLOSED' in node['states']
        return 'CONTAINERS' in node['properties'] and not (
            has_door and 'OPEN' not in node['states']
        )

    def step(self, skill: str) -> tuple[str, tuple[str, ...]]:
        """Do an admissible skill; the text and the next admissible skills."""
        verb = next(
            verb
            for verb in ('go to', 'pick up', 'put down', 'open', 'close', 'turn on')
            if skill.startswith(verb + ' ')
        )
        self.scan()
        name = skill[len(verb) + 1 :]
        key = next(key for key in self.by_id if self.text(key) == name)
        text = getattr(self, '_' + verb.replace(' ', '_'))(key, self.names[key][0])
        if self.held:
            text += f' You hold {self.listed(self.held)}.'
        return text, self.admissible()

    def _go_to(self, key: int, word: str) -> str:
        number = self.names[key][1]
        if key in self.rooms:
            self._place(self.me, 'INSIDE', key)
            self.stand = self.fixture = None
            self.scan()
            seen = self.listed(
                [one for one in (*self.visible, *self.held) if self.roles[one].look]
            )
            return (
                f'You move to the {word} ({number}). '
                f'Looking quickly around the room, you see {seen}.'
            )
        if self.root(key) not in self.held:
            self.stand, self.fixture = key, self.belongs_to(key)
        if self.roles[key].receptacle:
            self.receptacle = key
        self.scan()
        node = self.by_id[key]
        text = f'You arrive at the {word} ({number}).'
        if 'CAN_OPEN' in node['properties'] and node['class_name'] != 'desk':
            text += f' The {word} ({number}) is '
            text += 'open.' if 'OPEN' in node['states'] else 'closed.'
        return f'{text} You see {self.listed([*self.close, *self.held])}'

    def _place(self, key: int, relation: str, target: int | None) -> None:
        self.edges = [
            edge
            for edge in self.edges
            if not (edge['from_id'] == key and edge['relation_type'] in ('INSIDE', 'ON'))
            and not (edge['from_id'] == self.me and edge['to_id'] == key)
        ]
        if target is not None:
            self.edges.append({'from_id': key, 'relation_type': relation, 'to_id': target})

    def _pick_up(self, key: int, word: str) -> str:
        right = any(edge['relation_type'] == 'HOLDS_RH' for edge in self.edges)
        self._place(key, '', None)
        hand = 'HOLDS_LH' if right else 'HOLDS_RH'
        self.edges.append({'from_id': self.me, 'relation_type': hand, 'to_id': key})
        self.laid.add(key)
        self.scan()
        return f'You pick up {word}.'

    def _put_down(self, key: int, word: str) -> str:
        assert self.receptacle is not None
        inside = self.roles[self.receptacle].container
        self._place(key, 'INSIDE' if inside else 'ON', self.receptacle)
        self.scan()
        receptacle = self.names[self.receptacle][0]
        return f'You put down {word} {"in" if inside else "on"} {receptacle}'

    def _swap(self, key: int, old: str, new: str) -> None:
        states = self.by_id[key]['states']
        if old in states:
            states.remove(old)
        states.append(new)
        self.scan()

    def _open(self, key: int, word: str) -> str:
        self._swap(key, 'CLOSED', 'OPEN')
        return f'You open {word}. You see {self.listed([*self.close, *self.held])}'

    def _close(self, key: int, word: str) -> str:
        self._swap(key, 'OPEN', 'CLOSED')
        return f'You close {word}.'

    def _turn_on(self, key: int, word: str) -> str:
        self._swap(key, 'OFF', 'ON')
        return f'You turn on {word}.'


def compare(scene: str, steps: int, seed: int = 0) -> int:
    """Take the same random steps with both; the number of different answers, which is 0."""
    world = HouseholdWorld()
    observation = world.reset(scene, '', seed)
    plain = FullScan(world.graph())
    random = Random(seed)
    different = int(plain.admissible() != observation.admissible_skills)
    for _ in range(steps):
        skill = random.choice(observation.admissible_skills)
        observation = world.step(skill)
        answer = plain.step(skill)
        different += answer != (observation.text, observation.admissible_skills)
    return different


def measure(scene: str, seconds: float, seed: int = 0) -> dict[str, float]:
    """Steps per second of both, taken in turns, and the number of nodes.

    :param seconds: how long to measure, 1 or more.
    """
    world = HouseholdWorld()
    observation = world.reset(scene, '', seed)
    plain = FullScan(world.graph())
    random = Random(seed)
    offered = plain.admissible()
    fast_steps = plain_steps = 0
    fast_time = fast_cpu = plain_time = 0.0
    while fast_time + plain_time < seconds:
        start, cpu = time.perf_counter(), time.process_time()
        for _ in range(500):
            observation = world.step(random.choice(observation.admissible_skills))
        middle, fast_cpu = time.perf_counter(), fast_cpu + time.process_time() - cpu
        for _ in range(10):
            _, offered = plain.step(random.choice(offered))
        fast_steps, plain_steps = fast_steps + 500, plain_steps + 10
        fast_time += middle - start
        plain_time += time.perf_counter() - middle
    return {
        'nodes': len(plain.nodes),
        'household_steps_per_second': fast_steps / fast_time,
        'household_steps_per_cpu_second': fast_steps / fast_cpu,
        'full_scan_steps_per_second': plain_steps / plain_time,
    }


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description='Steps per second of the household world.')
    parser.add_argument('--seconds', type=float, default=8.0, help='time to measure')
    parser.add_argument('--scene', default=SCENE, help='a generated home')
    arguments = parser.parse_args()
    different = compare(arguments.scene, COMPARED_STEPS)
    found = measure(arguments.scene, arguments.seconds)
    fast, plain = found['household_steps_per_second'], found['full_scan_steps_per_second']
    print(f'scene               {arguments.scene}, {found["nodes"]:.0f} nodes')
    print(f'different answers   {different} of {COMPARED_STEPS}')
    print(f'household           {fast:,.0f} steps/s')
    print(f'  of its CPU time   {found["household_steps_per_cpu_second"]:,.0f} steps/s')
    print(f'full scan           {plain:,.0f} steps/s')
    print(f'ratio               {fast / plain:,.0f}')


if __name__ == '__main__':
    main()
