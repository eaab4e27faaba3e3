"""What a goal names and how often: whether its subgoals cover it, and how they are made to."""

from __future__ import annotations

from collections import Counter

from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.names import DETERMINERS
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.words import NUMBERS
from reactree_planner.instructions.words import word_spans
from reactree_planner.instructions.words import words_of
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import MOST_SUBGOALS


def named_counts(text: str, names: Names) -> Counter[str]:
    """Movable things a text names, each as often as the number before it says."""
    words = words_of(text)
    counts: Counter[str] = Counter()
    places = names.location_mentions(text)
    end = 0
    for mention in names.find(text):
        if mention.kind is NameKind.THING and mention not in places:
            number = _number_before(words[end : mention.start])
            counts[mention.name] += min(max(number, 1), MOST_SUBGOALS)
        end = mention.end
    return counts


def _number_before(words: list[str]) -> int:
    """The number that words end with: "two", "two of" or "two bottles of"; 1 without any."""
    last = words[-3:] if words[-1:] == ['of'] else words[-1:]
    for word in reversed(last):
        if word.isdecimal() or word in NUMBERS:
            return int(word) if word.isdecimal() else NUMBERS[word]
    return 1


def _given(subgoals: tuple[str, ...], names: Names) -> Counter[str]:
    given: Counter[str] = Counter()
    for subgoal in subgoals:
        given.update(named_counts(subgoal, names))
    return given


def _places(text: str, names: Names) -> set[str]:
    named = {mention.name for mention in names.find(text) if mention.kind is NameKind.PLACE}
    return named | {mention.name for mention in names.location_mentions(text)}


def missing_things(flow: ControlFlow, subgoals: tuple[str, ...], goal: str, names: Names) -> int:
    """How many of the things and places a goal names its subgoals leave out, and things they add.

    0 for a fallback, whose subgoals are ways to one end, and for a goal that names no thing.
    """
    wanted = named_counts(goal, names)
    if flow is ControlFlow.FALLBACK or not wanted:
        return 0
    given = _given(subgoals, names)
    left_out = (wanted - given).total()
    # A chain of steps may name one thing in each of them: there more of it is no fault.
    added = sum(
        number
        for name, number in (given - wanted).items()
        if flow is ControlFlow.PARALLEL or name not in wanted
    )
    named = {place for subgoal in subgoals for place in _places(subgoal, names)}
    return left_out + added + len(_places(goal, names) - named)


def completed_counts(
    flow: ControlFlow, subgoals: tuple[str, ...], goal: str, names: Names
) -> tuple[str, ...]:
    """Subgoals about one thing, repeated as often as the goal wants more of that thing.

    "put crate on truck" is followed by "put another crate on truck" where two are wanted.
    """
    if flow is ControlFlow.FALLBACK:
        return subgoals
    lacking = named_counts(goal, names) - _given(subgoals, names)
    completed: list[str] = []
    for subgoal in subgoals:
        completed.append(subgoal)
        objects = [name for name in names.find(subgoal) if name.kind is NameKind.THING]
        if len(objects) == 1 and objects[0].instance is None:
            more = lacking.pop(objects[0].name, 0)
            completed += [_another(subgoal, objects[0].start)] * more
    return tuple(completed[:MOST_SUBGOALS])


def _another(subgoal: str, at: int) -> str:
    """The subgoal with "another" before its word number `at`, instead of an article there."""
    spans = word_spans(subgoal)
    begin = end = spans[at][0]
    while at and subgoal[slice(*spans[at - 1])].casefold() in DETERMINERS:
        at -= 1
        begin = spans[at][0]
    return f'{subgoal[:begin]}another {subgoal[end:]}'


def in_told_order(
    flow: ControlFlow, subgoals: tuple[str, ...], goal: str, names: Names
) -> tuple[str, ...]:
    """Steps in the order that the goal tells, where each is about something that it names."""
    reading = read_clauses(goal, names.verbs)
    if flow is not ControlFlow.SEQUENCE or not reading.ordered:
        return subgoals
    ranks: dict[str, int] = {}
    for mention in names.find(goal):
        rank = reading.ranks[mention.start]
        for name in (mention.name, mention.text):
            ranks[name] = min(rank, ranks.get(name, rank))
    places: dict[str, int] = {}
    for subgoal in subgoals:
        found = names.find(subgoal)
        things = [one for one in found if one.kind is NameKind.THING] or list(found)
        told = [ranks.get(one.text, ranks.get(one.name)) for one in things]
        known = [rank for rank in told if rank is not None]
        if not known:
            return subgoals
        places[subgoal] = min(known)
    return tuple(sorted(subgoals, key=lambda subgoal: places[subgoal]))


def about_the_goal(
    flow: ControlFlow, subgoals: tuple[str, ...], goal: str, names: Names
) -> tuple[str, ...]:
    """Subgoals without those about other things than the goal's, when some are about its own."""
    wanted = named_counts(goal, names)
    if flow is ControlFlow.FALLBACK:
        return subgoals
    named = [named_counts(subgoal, names) for subgoal in subgoals]
    if not any(wanted & counts for counts in named):
        return subgoals
    return tuple(
        subgoal
        for subgoal, counts in zip(subgoals, named, strict=True)
        if not counts or wanted & counts
    )


def with_names_of_goal(
    flow: ControlFlow, subgoals: tuple[str, ...], goal: str, names: Names
) -> tuple[str, ...]:
    """Subgoals with a name that slipped in put right.

    Where all of them together leave out just one of the goal's things (or places) and name just
    one that it does not name, the one stands for the other: models copy names from examples.
    """
    if flow is ControlFlow.FALLBACK:
        return subgoals
    for kind in (NameKind.THING, NameKind.PLACE):
        wanted = {mention.name for mention in names.find(goal) if mention.kind is kind}
        given = {
            mention.name
            for subgoal in subgoals
            for mention in names.find(subgoal)
            if mention.kind is kind
        }
        lost, strange = wanted - given, given - wanted
        if len(lost) == len(strange) == 1:
            old, new = strange.pop(), lost.pop()
            subgoals = tuple(_renamed(subgoal, old, new, names) for subgoal in subgoals)
    return subgoals


def _renamed(subgoal: str, old: str, new: str, names: Names) -> str:
    spans = word_spans(subgoal)
    for mention in reversed(names.find(subgoal)):
        if mention.name == old:
            begin, end = spans[mention.start][0], spans[mention.end - 1][1]
            subgoal = f'{subgoal[:begin]}{new}{subgoal[end:]}'
    return subgoal
