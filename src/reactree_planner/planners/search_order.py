"""Where to look first: the model's common sense about rooms, asked beside the task."""

from __future__ import annotations

from collections.abc import Iterable
from string import Template

from reactree_planner.planners.node_context import NodeContext
from reactree_planner.planners.run import PlanRun
from reactree_planner.planners.search import searched
from reactree_planner.planners.situation import NodeSituation
from reactree_planner.planners.subgoals import search_of
from reactree_planner.prompting import reactree_prompt as prompt


def likeliest_first(
    run: PlanRun, context: NodeContext, situation: NodeSituation, subgoals: tuple[str, ...]
) -> tuple[str, ...]:
    """The ways of a search, those in likely rooms first; other subgoals stay where they are.

    A place counts with the room it is in. Ways in one room keep their order. Nothing is asked
    where the domain has no sentence for it.

    :param context: pays for the question.
    :raises ModelError: the model failed. :raises CanceledError: stopped.
    """
    # A way that is listed twice is one way.
    subgoals = tuple(dict.fromkeys(subgoals))
    knowledge = run.knowledge
    things = searched(situation) if run.domain.words.usually_kept else ()
    _, ways = search_of(subgoals, knowledge.names)
    rooms = {}
    for subgoal, where in ways.items():
        fact = knowledge.memory.fact(where)
        room = where if where in knowledge.vocabulary.rooms else fact.room if fact else ''
        if room:
            rooms[subgoal] = room
    if not things or len(set(rooms.values())) < 2:
        return subgoals
    order = _rooms_in_order(run, context, things[0].name, dict.fromkeys(rooms.values()))
    sorted_ways = iter(sorted(rooms, key=lambda subgoal: order.index(rooms[subgoal])))
    return tuple(next(sorted_ways) if subgoal in rooms else subgoal for subgoal in subgoals)


def _rooms_in_order(
    run: PlanRun, context: NodeContext, thing: str, rooms: Iterable[str]
) -> list[str]:
    """Rooms in the order in which the model expects a thing there."""
    left = list(rooms)
    ordered = []
    question = Template(run.domain.words.usually_kept)
    with context.aside(run.prompt('search_order')) as stem:
        stem.append(question.safe_substitute(thing=prompt.with_article(thing)))
        while len(left) > 1:
            with context.fork(stem) as fork:
                chosen = run.model.choose(fork, [f' {room}.\n' for room in left])
            ordered.append(left.pop(chosen))
    return ordered + left
