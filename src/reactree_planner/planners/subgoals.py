"""From the model's list of subgoals to those that may stand in the tree."""

from __future__ import annotations

import re

from reactree_planner.planners.clauses import word_set
from reactree_planner.planners.clauses import words_of
from reactree_planner.planners.names import Mention
from reactree_planner.planners.names import NameKind
from reactree_planner.planners.names import Names
from reactree_planner.planners.settings import Guards
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import MOST_SUBGOALS

#: Longest subgoal that is taken, in characters.
LONGEST_SUBGOAL = 300

#: Words without a thing of their own. A subgoal may use these, the words of skill templates, of
#: the goals above and of the examples, and known names.
_PLAIN_WORDS = word_set(
    'a an the one two three four five six seven eight nine ten first second third fourth '
    'fifth another other any all some each every and or then of to in into on onto at from '
    'for with near next by it its them is are be not no find get take bring fetch up put '
    'place down move go look search check off use make sure done again back out over under '
    'inside there here this that'
)


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


def _is_known(
    subgoal: str, names: Names, known_words: frozenset[str], known_instances: frozenset[str]
) -> bool:
    words = words_of(subgoal)
    covered: set[int] = set()
    for mention in names.find(subgoal):
        covered.update(range(mention.start, mention.end))
        if not _instance_is_known(mention, known_instances):
            return False
    return all(
        word in _PLAIN_WORDS or word in known_words or word.isdigit()
        for index, word in enumerate(words)
        if index not in covered
    )


def _instance_is_known(mention: Mention, known_instances: frozenset[str]) -> bool:
    return mention.instance is None or f'{mention.name} {mention.instance}' in known_instances


def usable_subgoals(
    flow: ControlFlow,
    subgoals: tuple[str, ...],
    goal: str,
    chain: tuple[str, ...],
    names: Names,
    known_words: frozenset[str],
    known_instances: frozenset[str],
    guards: Guards,
) -> tuple[str, ...]:
    """Subgoals that may stand, in order; fewer than given when some may not.

    :param flow: control flow they stand under. :param chain: goals above, nearest first.
    :param known_words: words of the goals above, of the skill templates and of the examples.
    :param known_instances: rooms and things that exist as far as is known, e.g. 'hall 1'.
    """
    usable: list[str] = []
    for subgoal in subgoals:
        # The same way twice is no other way; but two of a thing may be brought one by one.
        if (
            guards.known_subgoals
            and flow is ControlFlow.FALLBACK
            and any(same_goal(subgoal, other) for other in usable)
        ):
            continue
        if guards.no_ancestor_goal and any(same_goal(subgoal, other) for other in (goal, *chain)):
            continue
        if guards.known_subgoals and not _is_known(subgoal, names, known_words, known_instances):
            continue
        usable.append(subgoal)
    return tuple(usable)


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
    added = [wording.replace('\0', room) for room in rooms if room not in ways.values()]
    surplus = len(subgoals) + len(added) - MOST_SUBGOALS
    places = [subgoal for subgoal, where in ways.items() if where not in rooms]
    dropped = places[-surplus:] if surplus > 0 else []
    kept = (subgoal for subgoal in subgoals if subgoal not in dropped)
    return (*kept, *added)[:MOST_SUBGOALS]
