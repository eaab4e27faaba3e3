"""Thoughts that list something and stay short."""

from __future__ import annotations

from collections.abc import Sequence

from sim_bridge.tasks.subgoals import Bring
from sim_bridge.tasks.subgoals import ranked
from sim_bridge.tasks.subgoals import TurnOn
from sim_bridge.tasks.subgoals import Whole
from sim_bridge.tasks.wording import list_things

#: A thought has fewer words than this.
MOST_WORDS = 25


def plan_task(goal: Whole) -> str:
    """What is to be brought where, e.g. 'I need to put two plates and a mug on kitchen table.'"""
    bring = [part for part in goal.parts if isinstance(part, Bring)]
    switched = [part for part in goal.parts if isinstance(part, TurnOn)]
    counts: dict[str, int] = {}
    for part in bring:
        counts[part.thing] = counts.get(part.thing, 0) + 1
    turn_on = f'turn on {switched[0].place}' if switched else ''
    if not bring:
        return f'I need to {turn_on}.'
    where = f'{bring[0].preposition} {bring[0].place}'
    end = f' {where}, then {turn_on}.' if turn_on else f' {where}.'
    things = list(counts.items())
    text = f'I need to put {list_things(things, "article")}{end}'
    if _is_long(text):
        text = f'Put {where}: {", ".join(part.thing for part in bring)}.'
    return text if not _is_long(text) else f'There are {len(bring)} things to put {where}.'


def one_of(thing: str, rank: int = 1) -> str:
    """E.g. 'a plate' or 'another plate'."""
    return ranked(thing, rank) if rank > 1 else list_things([(thing, 1)], 'article')


def plan_search(wanted: str, places: Sequence[str]) -> tuple[str, list[str]]:
    """A thought that lists as many places as it can, and those it lists.

    :param wanted: e.g. 'another plate'; '' when other places were listed before.
    :param places: 1 or more, with numbers.
    """
    begin = f'To find {wanted} I look at:' if wanted else 'Next I look at:'
    listed: list[str] = []
    for place in places:
        if listed and _is_long(_join(begin, [*listed, place])):
            break
        listed.append(place)
    return _join(begin, listed), listed


def short_list(begin: str, names: Sequence[str]) -> str:
    """A beginning with names; as many of them as fit."""
    listed = list(names)
    while len(listed) > 1 and _is_long(_join(begin, listed)):
        listed.pop()
    return _join(begin, listed)


def _join(begin: str, names: Sequence[str]) -> str:
    return f'{begin} {", ".join(names)}.'


def _is_long(text: str) -> bool:
    return len(text.split()) >= MOST_WORDS
