"""From the model's list of subgoals to those that may stand in the tree."""

from __future__ import annotations

import re

from reactree_planner.planners.clauses import words_of
from reactree_planner.planners.names import NameKind
from reactree_planner.planners.names import Names
from reactree_planner.tree.events import MOST_SUBGOALS

#: Longest subgoal that is taken, in characters.
LONGEST_SUBGOAL = 300


def split_subgoals(text: str) -> tuple[str, ...]:
    """Subgoals of a `- subgoals:` line: split at commas and semicolons, at most 16."""
    parts = (' '.join(part.split()).rstrip('.') for part in re.split(r'[,;]', text))
    return tuple(part[:LONGEST_SUBGOAL] for part in parts if part)[:MOST_SUBGOALS]


def same_goal(left: str, right: str) -> bool:
    """Whether two goals say the same, whatever their case, punctuation and articles."""
    articles = ('a', 'an', 'the')
    return [word for word in words_of(left) if word not in articles] == [
        word for word in words_of(right) if word not in articles
    ]


def search_of(subgoals: tuple[str, ...], names: Names) -> tuple[str, dict[str, str]]:
    """The search that subgoals are: its words, and where each of its subgoals looks.

    It is one when two or more subgoals differ in nothing but the room, or the numbered place, that
    they name.

    :return: ('', {}) when it is none. A NUL stands in the words for the place.
    """
    searches: dict[str, dict[str, str]] = {}
    for subgoal in subgoals:
        told = names.told_as_places(subgoal)
        found = [
            mention
            for mention in names.find(subgoal)
            if mention.kind is not NameKind.THING or mention in told
        ]
        if len(found) == 1 and found[0].instance is not None:
            where = f'{found[0].name} {found[0].instance}'
            if where in subgoal:
                searches.setdefault(subgoal.replace(where, '\0'), {})[subgoal] = where
    for wording, ways in searches.items():
        if len(ways) >= 2:
            return wording, ways
    return '', {}


def _is_bare_name(subgoal: str, names: Names) -> bool:
    """Whether a subgoal is the name and number of a place or region, and nothing else."""
    return any(
        mention.kind is not NameKind.THING and subgoal == f'{mention.name} {mention.instance}'
        for mention in names.find(subgoal)
    )


def completed_search(
    subgoals: tuple[str, ...], names: Names, rooms: tuple[str, ...]
) -> tuple[str, ...]:
    """A search over rooms or places, with these rooms added where it leaves them out.

    A small model lists the places it sees, and what it wants is in another room. Where there are
    too many ways, the last places give way, as a room is searched with its places.

    :param rooms: rooms with something unseen, by name and number.
    """
    wording, ways = search_of(subgoals, names)
    if not ways:
        return subgoals
    # Models leave out the words that all ways share: "scan crate in bay 1, bay 2".
    whole = {name: wording.replace('\0', name) for name in subgoals if _is_bare_name(name, names)}
    subgoals = tuple(dict.fromkeys(whole.get(subgoal, subgoal) for subgoal in subgoals))
    ways |= {subgoal: name for name, subgoal in whole.items()}
    added = [wording.replace('\0', room) for room in rooms if room not in ways.values()]
    surplus = len(subgoals) + len(added) - MOST_SUBGOALS
    places = [subgoal for subgoal, where in ways.items() if where not in rooms]
    dropped = places[-surplus:] if surplus > 0 else []
    kept = (subgoal for subgoal in subgoals if subgoal not in dropped)
    return (*kept, *added)[:MOST_SUBGOALS]
