"""Pictures by AI2-THOR, for which the stand-in plays the program."""

from __future__ import annotations

import json
import os
import signal
import threading
import time

import numpy as np
import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Outcome
from sim_bridge.worlds.procworld import ProcWorldWorld, program_pictures
from sim_bridge.worlds.procworld.eyes import Eyes, Mark
from sim_bridge.worlds.procworld.house import House, Location, Room, Thing
from sim_bridge.worlds.procworld.layout import Layout
from sim_bridge.worlds.procworld.procthor_house import procthor_house, program_ids
from sim_bridge.worlds.procworld.program_pictures import (
    eyes_of,
    heading_to,
    Look,
    Shot,
    standing_points,
    with_marks,
)
from sim_bridge.worlds.procworld.state import arrive, beginning
from sim_bridge.worlds.registry import make_world
from sim_bridge.worlds.thor.dialects import NewDialect
from support.small_procthor import HOUSE, vector
from support.waiting import wait_for

STAND_IN = '--made-up --failures none'
SIZE = (800, 200)
#: Seconds within which whoever asks for a picture has one.
ENDS = 2.0


@pytest.fixture
def file(tmp_path):
    path = tmp_path / 'house.json'
    path.write_text(json.dumps(HOUSE))
    return str(path)


@pytest.fixture
def world_of(monkeypatch):
    """Worlds of this test, by their options; a picture is waited for, unless told otherwise."""
    made = []

    def make(patience=60.0, **options):
        monkeypatch.setattr(program_pictures, 'PATIENCE', patience)
        options = {'stand_in': STAND_IN, 'answer': 30, 'reach': 3, **options}
        made.append(make_world('procworld', pictures='thor', **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def pixels_of(picture):
    return np.frombuffer(picture.data, np.uint8).reshape(picture.height, picture.width, 3)


def changed(one, other):
    """Which of the four views differ."""
    halves = np.split(pixels_of(one) != pixels_of(other), 4, axis=1)
    return [bool(part.any()) for part in halves]


# Without the program

HALL = House(
    0,
    (
        Room('hall 1', ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0))),
        Room('hall 2', ((4.0, 0.0), (8.0, 0.0), (8.0, 4.0), (4.0, 4.0))),
    ),
    (),
    (Thing('shelf 1', 'shelf', 'hall 1', at=(3.75, 2.0), fixed=True),),
    (Location('loc 1', (2.0, 2.0), 'hall 1'), Location('loc 2', (2.0, 0.5), 'hall 1')),
    'loc 1',
)


def grey_look(heading=0.0, boxes=None):
    """Four grey frames from the middle of the hall."""
    grey = np.full((100, 100, 3), 90, np.uint8)
    shots = [Shot(grey, Eyes((2.0, 2.0), pitch=20.0, heading=heading).turned(n)) for n in range(4)]
    return Look(tuple(shots), boxes or {})


@pytest.mark.parametrize(('heading', 'view'), [(0.0, 2), (90.0, 1), (180.0, 0), (200.0, 0)])
def test_a_location_is_marked_in_the_view_towards_it(heading, view):
    look = grey_look(heading)
    bare = with_marks(look, HALL, 'hall 1', (), *SIZE)
    marked = with_marks(look, HALL, 'hall 1', {'loc 2'}, *SIZE)
    assert changed(bare, marked) == [number == view for number in range(4)]


def test_things_have_their_names_where_the_program_has_them():
    box = Mark((3.75, 2.0), 0.0, (0.5, 1.0), (0, 0, 0), '')
    look = grey_look(boxes={'shelf 1': box})
    bare = with_marks(look, HALL, 'hall 1', (), *SIZE)
    named = with_marks(look, HALL, 'hall 1', {'shelf 1'}, *SIZE)
    assert changed(bare, named) == [False, True, False, False]


@pytest.mark.parametrize('size', [(800, 200), (640, 480), (1280, 160), (161, 60)])
def test_frames_fill_the_picture_or_stand_in_its_middle(size):
    picture = with_marks(grey_look(), HALL, 'hall 1', {'loc 2'}, *size)
    assert (picture.width, picture.height) == size
    column = pixels_of(picture)[:, size[0] // 8, 0]
    side = size[0] // 4
    framed = np.flatnonzero(column == 90)
    assert len(framed) == min(side, size[1])
    assert abs((framed[0] + framed[-1]) / 2 - (size[1] - 1) / 2) <= 1
    with pytest.raises(ConfigurationError, match='a panorama has'):
        with_marks(grey_look(), HALL, 'hall 1', (), 100, 100)


def test_one_stands_at_the_location_or_at_the_nearest_point_on_this_side_of_the_wall():
    state = beginning(Layout(HALL, 3.0))
    points = [(4.25, 2.0), (3.0, 2.0), (2.0, 2.25), (1.0, 1.0)]
    assert standing_points(HALL, state, points)[0] == (2.0, 2.0)
    arrive(state, 'shelf 1')
    assert standing_points(HALL, state, points) == [(3.0, 2.0), (2.0, 2.25), (1.0, 1.0)]
    # Where the program knows none in the room, any will do.
    assert standing_points(HALL, state, points[:1]) == points[:1]
    assert heading_to((3.0, 2.0), state.at) == pytest.approx(90.0)
    assert heading_to((3.0, 2.0), (3.0, 0.0)) == pytest.approx(180.0)


def test_the_camera_is_that_of_the_event():
    told = {
        'agent': {
            'position': vector(1, 0.9, 2),
            'rotation': vector(0, 90, 0),
            'cameraHorizon': 30,
        },
        'cameraPosition': vector(1, 1.6, 2),
        'fov': 60,
    }
    assert eyes_of(told) == Eyes((1.0, 2.0), 1.6, 90.0, 30.0, 60.0)


def test_things_have_the_ids_of_their_house():
    ids = program_ids(HOUSE)
    assert ids.keys() == procthor_house(HOUSE).thing.keys()
    assert ids['mug 1'] == 'Mug|1|1' and ids['fridge 1'] == 'Fridge|1|3'


@pytest.mark.parametrize(
    ('options', 'told'),
    [
        ({'pictures': 'painted'}, 'pictures must be drawn or thor'),
        ({'display': ':1'}, 'display: only with pictures=thor'),
        ({'pictures': 'thor', 'colour': 'red'}, 'procworld has no option colour'),
        ({'pictures': 'thor', 'version': '2.1'}, 'procworld has no option version'),
        ({'pictures': 'thor', 'answer': 0}, 'answer must be above 0 s'),
        ({'pictures': 'thor', 'size': '400x300'}, 'square frames'),
        ({'pictures': 'thor', 'stand_in': '"'}, 'stand_in'),
    ],
)
def test_options_that_cannot_be_used_are_told(options, told):
    with pytest.raises(ConfigurationError, match=told):
        ProcWorldWorld(**options)


def test_without_the_program_one_plays_with_drawn_pictures(file, world_of, caplog):
    world = world_of(executable='/nowhere/thor')
    told = world.reset(file, '', 0)
    assert told.text.startswith('You arrive at loc')
    sentences = [record.message for record in caplog.records]
    assert len(sentences) == 1
    assert sentences[0].startswith('pictures are drawn here, as AI2-THOR gives none: ')
    drawn = make_world('procworld', reach=3)
    drawn.reset(file, '', 0)
    assert world.picture(-1, *SIZE) == drawn.picture(-1, *SIZE)
    assert world.step('look').outcome is Outcome.SUCCEEDED


def test_houses_that_the_program_does_not_have_are_drawn(world_of, caplog):
    world = world_of()
    world.reset('generated:6', '', 0)
    assert 'AI2-THOR shows ProcTHOR houses only: generated:6 is drawn' in caplog.text
    assert world.picture(-1, *SIZE).width == 800


class FakeClient:
    """A client that grants everything, if it is let. :param told: what its events tell besides."""

    def __init__(self, told=None):
        self.dialect = NewDialect()
        self.told = told if told is not None else {'agent': {
            'position': vector(3, 0.9, 2), 'rotation': vector(0, 0, 0),
        }}  # fmt: skip
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.gone, self.pid, self.actions = False, 1, []

    def reset(self, house):
        return {}

    def do(self, action):
        assert self.goes_on.wait(60)
        self.actions.append(action['action'])
        return {'lastActionSuccess': True, 'objects': [], **self.told}

    def do_slowly(self, action):
        return {**self.do(action), 'actionReturn': [vector(3, 0.9, 2)]}

    def frame(self):
        return np.zeros((300, 300, 3), np.uint8)

    def close(self):
        self.gone = True


@pytest.fixture
def client(monkeypatch):
    fake = FakeClient()
    monkeypatch.setattr(program_pictures, 'ControllerClient', lambda *_: fake)
    return fake


def test_who_waits_too_long_does_without_and_has_the_picture_later(client, file, world_of):
    world = world_of(patience=1.0)
    world.reset(file, '', 0)
    client.goes_on.clear()
    state = world.engine.state
    assert world.pictures.look(state) is None
    # Nobody waits twice for the same.
    begun = time.monotonic()
    assert world.pictures.look(state) is None and time.monotonic() - begun < 0.9
    # What changes meanwhile is looked at after it.
    world.step('go to fridge 1')
    client.goes_on.set()
    wait_for(lambda: world.pictures.look(state) is not None, 'the picture is there')
    assert not world.pictures.complaint
    world.close()
    assert client.gone


def test_what_cannot_be_read_is_told_and_not_asked_for_again(client, file, world_of):
    world = world_of()
    client.told = {}
    world.reset(file, '', 0)
    assert world.picture(-1, *SIZE).width == 800
    assert 'what its program reports cannot be read' in world.pictures.complaint
    count = len(client.actions)
    world.step('go to fridge 1')
    assert world.picture(-1, *SIZE).width == 800 and len(client.actions) == count


# With it


def object_of(world, object_id):
    """What the program tells of a thing."""
    told = world.pictures._client.do({'action': 'Pass'})
    return next(one for one in told['objects'] if one['objectId'] == object_id)


def test_pictures_are_the_programs_and_show_what_has_changed(file, world_of):
    world = world_of()
    drawn = make_world('procworld', reach=3)
    for one in (world, drawn):
        one.reset(file, '', 0)
    assert not world.pictures.complaint
    before = world.picture(-1, *SIZE)
    assert all(changed(before, drawn.picture(-1, *SIZE)))
    # Nothing changed: the same once more, without the program.
    begun = time.monotonic()
    assert world.picture(-1, *SIZE) == before and time.monotonic() - begun < ENDS
    world.step('go to diningtable 1')
    world.step('take mug 1 from diningtable 1')
    assert world.picture(-1, *SIZE) != before
    assert world.pictures._client.do({'action': 'Pass'})['inventoryObjects'][0]['objectId'] == (
        'Mug|1|1'
    )
    for skill in ('go to fridge 1', 'open fridge 1', 'put mug 1 in/on fridge 1'):
        assert world.step(skill).outcome is Outcome.SUCCEEDED
    opened = world.picture(-1, *SIZE)
    assert object_of(world, 'Fridge|1|3')['isOpen']
    assert object_of(world, 'Mug|1|1')['parentReceptacles'] == ['Fridge|1|3']
    world.step('close fridge 1')
    assert changed(opened, world.picture(-1, *SIZE))[0]
    assert not object_of(world, 'Fridge|1|3')['isOpen']
    # The house as it begins, in the same program.
    pid = world.pictures.pid
    world.reset(file, '', 0)
    assert world.picture(-1, *SIZE) == before and world.pictures.pid == pid


def test_a_faced_thing_is_in_the_first_view(file, world_of):
    world = world_of()
    world.reset(file, '', 0)
    world.step('go to fridge 1')
    look = world.pictures.look(world.engine.state)
    headings = [shot.eyes.heading for shot in look.shots]
    assert [round(one - headings[0]) % 360 for one in headings] == [0, 90, 180, 270]
    fridge = look.boxes['fridge 1']
    column, _ = look.shots[0].eyes.pixel(fridge.at, 1.0, 300, 300)
    # The position is on the grid, the thing is not quite.
    assert column == pytest.approx(150, abs=40)
    assert look.shots[0].eyes.faces(fridge.at)


def test_a_program_that_dies_is_told_once_and_started_again(file, world_of, caplog):
    world = world_of()
    world.reset(file, '', 0)
    before = world.picture(-1, *SIZE)
    os.kill(world.pictures.pid, signal.SIGKILL)
    wait_for(lambda: world.pictures._client.gone, 'the program is seen to be gone')
    world.step('go to fridge 1')
    drawn = world.picture(-1, *SIZE)
    assert world.picture(-1, *SIZE) == drawn
    assert [record.message for record in caplog.records] == [world.pictures.complaint]
    assert 'the AI2-THOR program has ended' in world.pictures.complaint
    assert world.step('open fridge 1').outcome is Outcome.SUCCEEDED
    world.reset(file, '', 0)
    assert world.picture(-1, *SIZE) == before and not world.pictures.complaint


def test_a_slow_program_keeps_nobody_waiting(file, world_of):
    world = world_of(patience=0.2, answer=4, stand_in=f'{STAND_IN} --hang-after 9')
    world.reset(file, '', 0)
    for skill in ('look', 'go to fridge 1', 'open fridge 1', 'close fridge 1'):
        begun = time.monotonic()
        assert world.step(skill).outcome is Outcome.SUCCEEDED
        world.picture(-1, *SIZE)
        assert time.monotonic() - begun < ENDS
    wait_for(lambda: world.pictures.complaint, 'the program is ended')
    assert 'did not answer' in world.pictures.complaint
