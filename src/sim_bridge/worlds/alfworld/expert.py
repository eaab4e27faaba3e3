"""An expert for ALFWorld: finds, treats and places things, and knows where everything is."""

from __future__ import annotations

from collections.abc import Iterator

from reactree_core.errors import SkillError
from sim_bridge.worlds.alfworld.engine import BuiltinEngine, NOTHING
from sim_bridge.worlds.alfworld.game import Condition, Goal
from sim_bridge.worlds.alfworld.judging import satisfied

#: Condition -> skill that brings it about, and the type of receptacle that it needs.
_TREATMENTS = {
    'isClean': ('clean', 'sinkbasintype'),
    'isHot': ('heat', 'microwavetype'),
    'isCool': ('cool', 'fridgetype'),
}
#: Conditions for which their thing itself is handled.
_HANDLED = (*_TREATMENTS, 'isSliced', 'isToggled')
_MOST_COMMANDS = 200


def solve(engine: BuiltinEngine) -> tuple[str, ...]:
    """Play a game to its end.

    :returns: the commands that were needed.
    :raises SkillError: there is no way.
    """
    done: list[str] = []
    for command in _commands(engine):
        if engine.do(command) == NOTHING or len(done) == _MOST_COMMANDS:
            raise SkillError(f'The expert finds no way: {command!r} cannot be done.')
        done.append(command)
        if engine.won:
            break
    if not engine.won:
        raise SkillError('The expert finds no way to reach the goal of this game.')
    return tuple(done)


def _commands(engine: BuiltinEngine) -> Iterator[str]:
    # What has to be held in the end comes last, and what has to be reached after it.
    for goal in sorted(engine.layout.game.goals, key=_is_at_a_place):
        choice = _easiest(goal, engine)
        todo: dict[str, list[Condition]] = {}
        for condition in goal.conditions:
            thing = choice.get(condition.atom[1], condition.atom[1])
            todo.setdefault(thing, []).append(condition)
        for thing, conditions in todo.items():
            yield from _bring_about(engine, thing, conditions, choice)


def _is_at_a_place(goal: Goal) -> bool:
    return any(condition.atom[0] == 'atLocation' for condition in goal.conditions)


def _easiest(goal: Goal, engine: BuiltinEngine) -> dict[str, str]:
    """Things of which most is so already, and the rest can be done by a robot."""
    state = engine.state

    def can_be_done(choice: dict[str, str]) -> bool:
        atoms = (
            (one.atom[0], [choice.get(word, word) for word in one.atom[1:]])
            for one in goal.conditions
        )
        return all(state.is_so(*atom) or _is_possible(engine, *atom) for atom in atoms)

    able = tuple(choice for choice in goal.choices if can_be_done(dict(choice)))
    _, chosen = satisfied(Goal(able or goal.choices, goal.conditions), state)
    return chosen


def _is_possible(engine: BuiltinEngine, predicate: str, things: list[str]) -> bool:
    """Whether what is handled for a condition can be got at: some games have things that lie
    nowhere, or in what stands at no place.
    """
    layout = engine.layout
    if predicate == 'inReceptacle':
        thing, place = things
        return thing in layout.pickupable and place in layout.place_of and _is_there(engine, thing)
    if predicate == 'holds':
        return _is_there(engine, things[-1])
    return predicate not in _HANDLED or _is_there(engine, things[0])


def _bring_about(
    engine: BuiltinEngine, thing: str, conditions: list[Condition], choice: dict[str, str]
) -> Iterator[str]:
    state, names = engine.state, engine.layout.names
    open_ones = [
        one
        for one in conditions
        if not state.is_so(one.atom[0], [choice.get(word, word) for word in one.atom[1:]])
    ]
    treatments = [one.atom[0] for one in open_ones if one.atom[0] in _TREATMENTS]
    # What is treated is taken out, so that it has to be put back as well.
    placed = conditions if treatments else open_ones
    target = next((choice[one.atom[2]] for one in placed if one.atom[0] == 'inReceptacle'), '')
    held = next((choice[one.atom[2]] for one in open_ones if one.atom[0] == 'holds'), '')
    if held:
        yield from _take(engine, held)
    if thing in engine.layout.able['toggle'] and any(
        one.atom[0] == 'isToggled' for one in open_ones
    ):
        yield from _go_to(engine, _receptacle_of(engine, thing))
        yield f'use {names[thing]}'
    if 'isSliced' in [one.atom[0] for one in open_ones]:
        yield from _slice(engine, thing)
    if treatments or target:
        yield from _take(engine, thing)
    for treatment in treatments:
        verb, kind = _TREATMENTS[treatment]
        tool = next((key for key in engine.layout.receptacles if _is(engine, key, kind)), '')
        if not tool:
            raise SkillError(f'The expert finds no {kind.removesuffix("type")} here.')
        yield from _go_to(engine, tool)
        yield f'{verb} {names[thing]} with {names[tool]}'
    if target:
        yield from _go_to(engine, target)
        yield from _open(engine, target)
        yield f'move {names[thing]} to {names[target]}'


def _is(engine: BuiltinEngine, key: str, kind: str) -> bool:
    return engine.layout.type_of.get(key) == kind


def _receptacle_of(engine: BuiltinEngine, thing: str) -> str:
    for key, things in engine.state.inside.items():
        if thing in things and key in engine.layout.place_of:
            return key
    raise SkillError(f'The expert cannot reach {engine.layout.names.get(thing, thing)}.')


def _go_to(engine: BuiltinEngine, key: str) -> Iterator[str]:
    if engine.layout.place_of[key] != engine.state.location:
        yield f'go to {engine.layout.names[key]}'


def _open(engine: BuiltinEngine, key: str) -> Iterator[str]:
    if key in engine.layout.openable and key not in engine.state.opened:
        yield f'open {engine.layout.names[key]}'


def _take(engine: BuiltinEngine, thing: str) -> Iterator[str]:
    if engine.state.held == thing:
        return
    names = engine.layout.names
    if engine.state.held:
        yield from _lay_down(engine)
    place = _receptacle_of(engine, thing)
    yield from _go_to(engine, place)
    yield from _open(engine, place)
    yield f'take {names[thing]} from {names[place]}'


def _lay_down(engine: BuiltinEngine) -> Iterator[str]:
    """Put what is held where it fits."""
    layout, held = engine.layout, engine.state.held
    kind = layout.type_of.get(held, '')
    fitting = [
        key for key in layout.receptacles if (layout.type_of.get(key), kind) in layout.can_contain
    ]
    here = [key for key in fitting if layout.place_of[key] == engine.state.location]
    if not fitting:
        raise SkillError(f'The expert cannot put {layout.names[held]} down anywhere.')
    place = (here or fitting)[0]
    yield from _go_to(engine, place)
    yield from _open(engine, place)
    yield f'move {layout.names[held]} to {layout.names[place]}'


def _slice(engine: BuiltinEngine, thing: str) -> Iterator[str]:
    knives = [knife for knife in sorted(engine.layout.knives) if knife in engine.layout.names]
    knife = next((key for key in knives if _is_there(engine, key)), '')
    if not knife:
        raise SkillError('The expert finds no knife here.')
    yield from _take(engine, knife)
    yield from _go_to(engine, _receptacle_of(engine, thing))
    yield f'slice {engine.layout.names[thing]} with {engine.layout.names[knife]}'
    yield from _lay_down(engine)


def _is_there(engine: BuiltinEngine, thing: str) -> bool:
    """Whether a thing is held, or in or on what can be gone to."""
    places = engine.layout.place_of
    inside = engine.state.inside.items()
    return engine.state.held == thing or any(
        key in places and thing in things for key, things in inside
    )
