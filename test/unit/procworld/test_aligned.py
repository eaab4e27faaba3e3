"""The aligned visual world: locations that are found, a body that runs into things."""

from __future__ import annotations

import json
import sys
from math import dist

import pytest

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Outcome
from reactree_core.world import ExpertWorld, SnapshotWorld
from sim_bridge.worlds.procworld.aligned import AlignedEngine
from sim_bridge.worlds.procworld.engine import Engine, Rules
from sim_bridge.worlds.procworld.ground import metres_of
from sim_bridge.worlds.procworld.layout import Layout
from sim_bridge.worlds.procworld.oracle_map import OracleMap
from sim_bridge.worlds.procworld.procthor_house import procthor_house
from sim_bridge.worlds.registry import make_world
from support.small_procthor import HOUSE

REACH = 1.5
#: Cells of the walls of both rooms, but for the door at (16, 8).
WALLS = {(x, z) for x in range(33) for z in range(17)} - {
    (x, z) for x in (*range(1, 16), *range(17, 32)) for z in range(1, 16)
}


class SomeBody:
    """Stands in for the robot in the program: sees all cells within reach, and walks blindly.

    :ivar hidden: cells that are in the way and look free. :ivar refused: verbs not done.
    """

    def __init__(self, house):
        self._house = house
        self.map = OracleMap(REACH)
        self.cell = (12, 8)
        self.near = frozenset()
        self.hidden, self.refused, self.done = set(), set(), []
        self.collisions = 0

    def look(self):
        at = metres_of(self.cell)
        for x in range(33):
            for z in range(17):
                if dist(metres_of((x, z)), at) <= REACH:
                    cells = self.map.blocked if (x, z) in WALLS else self.map.free
                    cells.add((x, z))
        self.map.free -= self.map.blocked
        self.map.stand(self.cell)
        self.near = frozenset(
            one.name for one in self._house.things if one.at and dist(one.at, at) <= REACH
        )

    def walk(self, goal):
        for cell in self.map.way(self.cell, goal)[1:]:
            if cell in self.hidden:
                self.map.bump(cell)
                return False
            self.cell = cell
        return True

    def face(self, at):
        pass

    def handle(self, verb, *names):
        self.done.append((verb, *names))
        return verb not in self.refused


@pytest.fixture
def game():
    """The rules and the body."""
    house = procthor_house(HOUSE)
    body = SomeBody(house)
    return AlignedEngine(Engine(Layout(house, REACH), Rules(has_map=True)), body), body


def go(engine, to):
    """Go to the location, furniture or door that is offered so; what was told."""
    skill = next(one for one in engine.offers() if one.startswith(to))
    return engine.do(skill).text


def locations(engine):
    return {one.name: one.at for one in engine.layout.house.location.values()}


def test_locations_are_the_frontiers_of_what_was_seen_and_change_as_it_grows(game):
    engine, _ = game
    before = locations(engine)
    assert before.pop('loc 1') == (3.0, 2.0), 'where it stands'
    assert len(before) >= 3
    frontiers = {name: at for name, at in before.items() if name not in engine.layout.doors}
    assert all(1.0 <= dist(at, (3.0, 2.0)) <= REACH for at in frontiers.values())
    west = min(before, key=lambda name: before[name][0])
    text = go(engine, f'go to {west}')
    assert text.startswith(f'You arrive at {west} [')
    after = locations(engine)
    # It has its name as long as it is a frontier; what was explored is none any more.
    assert {name: after[name] for name in before if name in after}.items() <= before.items()
    assert min(at[0] for at in after.values()) < before[west][0]
    assert 'loc 1' not in after


def test_things_are_told_once_they_were_seen_near_enough(game):
    engine, _ = game
    assert 'go to fridge 1' not in engine.offers()
    while 'go to diningtable 1' not in engine.offers():
        places = locations(engine)
        go(engine, f'go to {min(set(places) - {engine.state.place}, key=lambda n: places[n][0])} ')
    text = go(engine, 'go to diningtable 1')
    assert 'You are facing diningtable 1' in text and 'you see a mug 1' in text


def test_what_is_in_the_way_stops_it_there_and_it_knows_a_way_round(game):
    engine, body = game
    places = locations(engine)
    west = min(places, key=lambda name: places[name][0])
    way = body.map.way(body.cell, tuple(round(4 * one) for one in places[west]))
    body.hidden = {way[2]}
    text = go(engine, f'go to {west} ')
    assert engine.failed and text.startswith(f'Something is in the way to {west}. You arrive at')
    assert body.cell == way[1] and engine.state.at == metres_of(way[1])
    bumped = way[2]
    assert bumped in body.map.blocked
    places = locations(engine)
    west = min(set(places) - {engine.state.place}, key=lambda name: places[name][0])
    assert bumped not in body.map.way(body.cell, tuple(round(4 * one) for one in places[west]))
    assert not go(engine, f'go to {west} ').startswith('Something') and not engine.failed


def test_what_the_program_refuses_is_not_done(game):
    engine, body = game
    body.cell = (6, 8)
    engine._see('')
    go(engine, 'go to diningtable 1')
    body.refused = {'take'}
    assert engine.do('take mug 1 from diningtable 1').text == 'You cannot take the mug 1.'
    assert engine.failed and not engine.state.held
    body.refused = {'put'}
    assert engine.do('take mug 1 from diningtable 1').text.startswith('You pick up the mug 1')
    told = engine.do('put mug 1 in/on diningtable 1').text
    assert told == 'There is no room for the mug 1 in/on the diningtable 1.'
    assert engine.failed and engine.state.held == 'mug 1'
    assert body.done[-1] == ('put', 'mug 1', 'diningtable 1')


def test_a_door_leads_to_a_location_of_the_next_room_once_it_is_near(game):
    engine, _ = game
    assert not any('door' in one for one in engine.offers()), 'it stands elsewhere'
    before, _ = engine.layout.doors, go(engine, next(
        f'go to {one} ' for one in engine.layout.doors if engine.layout.spot(one)[1] == 'kitchen 1'
    ))  # fmt: skip
    assert before
    text = go(engine, 'go through door 1')
    assert 'in bedroom 1' in text and engine.state.room == 'bedroom 1'


def test_it_cannot_be_rehearsed(game):
    engine, _ = game
    with pytest.raises(SkillError, match='cannot go back'):
        engine.rehearsal()


def test_other_houses_and_options_are_refused_with_a_sentence(tmp_path):
    with pytest.raises(ConfigurationError, match='reach of at most 20 m'):
        make_world('procworld_aligned,reach=inf')
    with pytest.raises(ConfigurationError, match='square frames'):
        make_world('procworld_aligned,size=400x300')
    world = make_world('procworld_aligned')
    assert not isinstance(world, SnapshotWorld) and not isinstance(world, ExpertWorld)
    program = make_world(f'procworld_aligned,executable={sys.executable}')
    with pytest.raises(ConfigurationError, match='plays in ProcTHOR houses'):
        program.reset('generated:3', '', 0)


@pytest.mark.timeout(240)
def test_a_task_is_done_in_the_program_of_the_stand_in(tmp_path):
    file = tmp_path / 'house.json'
    file.write_text(json.dumps(HOUSE))
    world = make_world('procworld_aligned,stand_in=--made-up --failures none,answer=20')
    try:
        told = world.reset(str(file), 'put a mug in the fridge', 0)
        assert ' go to loc ' in told.text
        skills = [
            *('go to diningtable 1', 'take mug 1 from diningtable 1', 'go to fridge 1'),
            *('open fridge 1', 'put mug 1 in/on fridge 1'),
        ]
        for _ in range(40):
            if not skills:
                break
            if skills[0] in told.admissible_skills:
                told = world.step(skills[0])
                if told.outcome is Outcome.SUCCEEDED:
                    skills.pop(0)
                continue
            places = [one for one in told.admissible_skills if one.startswith('go to loc')]
            told = world.step(places[-1])
        assert not skills, told.text
        assert world.engine.state.holder['mug 1'] == 'fridge 1'
        shown = world._client.do({'action': 'Pass'})
        (mug,) = (one for one in shown['objects'] if one['objectType'] == 'Mug')
        assert mug['parentReceptacles'] == ['Fridge|1|3']
    finally:
        world.close()
