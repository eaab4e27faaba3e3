"""What changes in a house is done in AI2-THOR as well."""

from __future__ import annotations

from random import Random

import pytest

from reactree_core.errors import SkillError, WorldGoneError
from sim_bridge.worlds.procworld import ProcWorldWorld
from sim_bridge.worlds.procworld.mirror import Mirror
from sim_bridge.worlds.thor.dialects import NewDialect


class Program:
    """Keeps what it is told, by the rules of AI2-THOR that matter here; ids are names in capitals.

    :param refuses: ids with which nothing can be done.
    """

    def __init__(self, state, refuses=()):
        self.dialect = NewDialect()
        self.actions = []
        self.refuses = {*refuses}
        self.held = ''
        self.opened = {name.upper() for name in state.opened}
        self.closable = {name.upper() for name in state.layout.house.thing if state.can_open(name)}
        self.holder = {name.upper(): where.upper() for name, where in state.holder.items()}
        self.on = set()
        self.gone = False

    def do(self, action):
        if self.gone:
            raise WorldGoneError('the program has ended')
        self.actions.append((action['action'], action.get('objectId', '')))
        return {'lastActionSuccess': self._does(action['action'], action.get('objectId', ''))}

    def _does(self, verb, key):
        if key in self.refuses:
            raise SkillError('the client does not let it be done')
        match verb:
            case 'OpenObject' if key in self.closable - self.opened:
                self.opened.add(key)
            case 'CloseObject' if key in self.opened:
                self.opened.remove(key)
            case 'PickupObject' if not self.held:
                self.held, self.holder[key] = key, ''
            case 'PutObject' if self.held and key not in self.closable - self.opened:
                self.holder[self.held], self.held = key, ''
            case 'DropHandObject' if self.held:
                self.holder[self.held], self.held = '', ''
            case 'ToggleObjectOn' if key not in self.on:
                self.on.add(key)
            case 'ToggleObjectOff' if key in self.on:
                self.on.remove(key)
            case _:
                return False
        return True


def begun(seed, refuses=(), **options):
    """A world, the program and the mirror between them."""
    world = ProcWorldWorld(reach=3, step_limit=0, **options)
    world.reset(f'generated:{seed}', '', 0)
    state = world.engine.state
    program = Program(state, refuses)
    ids = {name: name.upper() for name in state.layout.house.thing}
    return world, program, Mirror(program, ids, state, {'objects': []})


def upper(names):
    return {name.upper() for name in names}


@pytest.mark.parametrize('seed', [0, 2, 3, 4, 5, 6])
def test_the_program_ends_up_with_the_same_house_however_seldom_it_is_looked_at(seed):
    world, program, mirror = begun(seed)
    random = Random(seed)
    for _ in range(300):
        skills = [one for one in world.admissible_skills() if not one.startswith('examine')]
        handling = [one for one in skills if not one.startswith('go ')]
        world.step(random.choice(handling if random.random() < 0.6 else skills))
        state = world.engine.state
        if random.random() < 0.2:
            mirror.follow(state)
            assert program.opened == upper(state.opened)
            assert program.held == state.held.upper()
            assert program.holder == {a.upper(): b.upper() for a, b in state.holder.items()}
            assert program.on == upper(
                name for name, words in state.states.items() if 'on' in words
            )
    assert {'PickupObject', 'PutObject', 'OpenObject'} <= {verb for verb, _ in program.actions}
    mirror.follow(world.engine.state)
    program.actions.clear()
    mirror.follow(world.engine.state)
    assert not program.actions


def change(world, **changes):
    """Another state of the same game."""
    state = world.engine.state.copy()
    for name, value in changes.items():
        setattr(state, name, value)
    return state


def test_what_is_refused_is_not_asked_for_again_until_it_changes():
    world, program, mirror = begun(6)
    state = world.engine.state
    name = next(one for one in state.layout.house.thing if state.is_closed(one))
    program.refuses.add(name.upper())
    opened = change(world, opened=state.opened | {name})
    mirror.follow(opened)
    mirror.follow(opened)
    assert program.actions == [('OpenObject', name.upper())]
    mirror.follow(state)
    program.refuses.clear()
    mirror.follow(opened)
    assert program.actions[1:] == [('OpenObject', name.upper())]


def test_what_cannot_be_put_is_dropped_so_that_the_hand_is_free():
    world, program, mirror = begun(6)
    state = world.engine.state
    things = [name for name, holder in state.holder.items() if holder][:2]
    place = next(
        one.name for one in state.layout.house.things
        if one.fixed and one.at and not state.can_open(one.name)
        and one.name not in (state.holder[things[0]], state.holder[things[1]])
    )  # fmt: skip
    program.refuses.add(place.upper())
    moved = change(world, holder={**state.holder, things[0]: place})
    mirror.follow(moved)
    assert program.actions[-1][0] == 'DropHandObject' and not program.held
    moved = change(world, holder={**moved.holder, things[1]: ''}, held=things[1])
    mirror.follow(moved)
    assert program.held == things[1].upper()


def test_a_program_that_is_gone_is_told():
    world, program, mirror = begun(6)
    program.gone = True
    state = world.engine.state
    name = next(one for one in state.layout.house.thing if state.is_closed(one))
    with pytest.raises(WorldGoneError):
        mirror.follow(change(world, opened=state.opened | {name}))


def test_a_sink_is_the_basin_of_the_programs_sink():
    world, program, _ = begun(6)
    state = world.engine.state
    name = next(iter(name for name, holder in state.holder.items() if holder))
    place = next(
        one.name for one in state.layout.house.things
        if one.fixed and one.at and not state.can_open(one.name)
        and one.name != state.holder[name]
    )  # fmt: skip
    ids = {name: 'Thing|1', place: 'Sink|2'}
    shown = {
        'objects': [
            {'objectId': 'Sink|2', 'objectType': 'Sink'},
            {'objectId': 'Sink|2|SinkBasin', 'objectType': 'SinkBasin'},
        ]
    }
    Mirror(program, ids, state, shown).follow(change(world, holder={**state.holder, name: place}))
    assert program.actions == [('PickupObject', 'Thing|1'), ('PutObject', 'Sink|2|SinkBasin')]
