"""Which conditions of a task hold, as far as this run has seen or brought about.

A condition is *verified* where the server reports that it holds: by facts, held objects, place. It
is *assumed* where only skills that succeeded say so by their effects, and where the server says
that it assumes it itself; *missing* where facts would show but do not; and *unknown* where nothing
that the skill server reports can say so: a server that declares nothing leaves all unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reactree_core.measures import is_so, measures_of, read_comparison
from reactree_core.observation import ObjectFact
from reactree_core.record.outcome import Ending
from reactree_core.skill_types import class_and_number, Effect, Relation, SkillKind
from reactree_planner.facts.conditions import ALL, Condition
from reactree_planner.knowledge.achievements import brought_about
from reactree_planner.knowledge.belief_state import BeliefState
from reactree_planner.language.names import Mention, NameKind


def ending_of(belief: BeliefState, conditions: tuple[Condition, ...]) -> Ending:
    """What a run's belief says of each condition."""
    found: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    assumed = []
    for condition in conditions:
        met = holds(belief, condition)
        if met and not is_sensed(belief, condition):
            assumed.append(condition.text)
        else:
            found[met].append(condition.text)
    verified, missing, unknown = (tuple(found[kind]) for kind in (True, False, None))
    return Ending(verified, missing, unknown, assumed=tuple(assumed))


def is_sensed(belief: BeliefState, condition: Condition) -> bool:
    """Whether the skill server reports what a condition that holds is met by.

    What follows from effects of skills alone is not sensed, whether the planner reckons so or the
    server says of itself that it does.
    """
    if condition.relation is Relation.DONE:
        # Its skills have said so themselves.
        return True
    if condition.relation is Relation.AT:
        now, meant = belief.observation, meant_by(belief, condition.value)
        place = belief.is_told(Effect(Relation.AT, '', now.place))
        return place and (meant.matches(now.place) or meant.matches(now.room))
    met = things_that_meet(belief, condition)
    sensed = sum(_is_told(belief, condition, name) for name in met)
    if condition.count == ALL:
        return sensed == len(met)
    if condition.relation is Relation.HOLDING and belief.tells_held and sensed == len(met):
        # Of "twine" several may be held under one name.
        sensed = max(sensed, belief.stock.stock[condition.subject])
    return sensed >= condition.count


def _is_told(belief: BeliefState, condition: Condition, name: str) -> bool:
    """Whether the server reports that a thing is as a condition wants it."""
    if condition.relation is Relation.HOLDING:
        held = name in belief.observation.held
        return held and belief.is_told(Effect(Relation.HOLDING, '', name))
    fact = belief.memory.fact(name)
    if condition.relation is Relation.IN:
        place = meant_by(belief, condition.value)
        if place.matches(belief.found_in.get(name, '')):
            return True
        if fact is None or not (place.matches(fact.receptacle) or place.matches(fact.room)):
            return False
        return belief.is_told(Effect(Relation.IN, name, fact.receptacle))
    if fact is not None and _is_in_state(fact, condition.value):
        return belief.is_told(Effect(Relation.IS, name, condition.value))
    return name in _taken_back(belief, condition.value)


def holds(belief: BeliefState, condition: Condition) -> bool | None:
    """Whether a condition holds; False where that would be known, None where it cannot be."""
    if condition.relation is Relation.DONE:
        return belief.done_as[condition.subject] >= condition.count
    if condition.relation is Relation.AT:
        return _is_there(belief, condition)
    if condition.is_of_sight:
        # The reasoner knows what it is about; by names alone nobody does.
        return None
    met = things_that_meet(belief, condition)
    if condition.count == ALL:
        return _all_meet(belief, condition, met)
    number = len(met)
    if condition.relation is Relation.HOLDING:
        # Of "twine" several may be held under one name.
        number = max(number, belief.stock.stock[condition.subject])
    if number >= condition.count:
        return True
    return False if _is_knowable(belief, condition) else None


def _is_there(belief: BeliefState, condition: Condition) -> bool | None:
    now = belief.observation
    meant = meant_by(belief, condition.value)
    if now.place or now.room or Relation.AT.value in now.sensed:
        return meant.matches(now.place) or meant.matches(now.room)
    moves = [skill for skill in belief.achieved if skill.kind is SkillKind.MOVE]
    return True if moves and meant.matches(moves[-1].target) else None


def _all_meet(belief: BeliefState, condition: Condition, met: set[str]) -> bool | None:
    if not _is_knowable(belief, condition):
        return None
    known = things_known(belief, condition)
    if condition.being:
        return _all_such_meet(belief, condition, met, known)
    exploration = belief.exploration
    unseen = bool(exploration.unseen(belief.vocabulary.rooms) or exploration.missed())
    if not known and not unseen:
        # There are none, as far as anybody can tell.
        return None
    # A place that nobody has looked at may hold one more.
    return met.issuperset(known) and not unseen


def _all_such_meet(
    belief: BeliefState, condition: Condition, met: set[str], known: tuple[str, ...]
) -> bool | None:
    """Whether no thing is left that is so and where it should be; None where one may be."""
    where = meant_by(belief, condition.where) if condition.where else None
    left = []
    for name in known:
        fact = belief.memory.fact(name)
        if where is not None and fact is not None and (fact.receptacle or fact.room):
            if not (where.matches(fact.receptacle) or where.matches(fact.room)):
                continue
        if name not in met:
            was = belief.past.was_so(name, condition.being)
            left.append(False if was else denies_state(belief, fact, condition.being))
    if False in left or not known:
        return None if not known else False
    return None if None in left else True


def denies_state(belief: BeliefState, fact: ObjectFact | None, word: str) -> bool | None:
    """Whether a thing is given not to be in a state; None where nobody says so.

    Of a state that is declared, it is given by another one, or by the number it follows from.
    """
    if fact is None:
        return None
    if _is_in_state(fact, word):
        return False
    vocabulary = belief.vocabulary
    words = [word, *(one for name, *others in vocabulary.other_words if name == word
                    for one in others)]  # fmt: skip
    numbers = [one for one in map(read_comparison, words) if one is not None]
    if numbers:
        return True if numbers[0].name in measures_of(fact.state) else None
    others = set(fact.state.split(', ')) & set(vocabulary.states)
    return True if others else None


def things_known(belief: BeliefState, condition: Condition) -> tuple[str, ...]:
    """Things that a condition may be about, as far as the run has seen them, in order."""
    meant = meant_by(belief, condition.subject)
    names = (fact.name for fact in belief.memory.facts(meant.name))
    known = dict.fromkeys((*names, *belief.observation.held, *belief.placed))
    return tuple(name for name in known if meant.matches(name))


def things_meant(belief: BeliefState, condition: Condition) -> set[str]:
    """Things that a state is about since the task has brought them to their place; none of other
    conditions: "put a clean cup on the shelf" means one cup.
    """
    if condition.relation is Relation.IS and condition.count != ALL:
        wanted = belief.wanted
        if condition.where:
            wanted = (replace(condition, relation=Relation.IN, value=condition.where, where=''),)
        for other in wanted:
            same = (other.subject, other.count) == (condition.subject, condition.count)
            if same and other.relation is Relation.IN:
                there = things_that_meet(belief, other)
                if len(there) >= other.count:
                    return there
    return set()


def _brought_elsewhere(belief: BeliefState, condition: Condition) -> set[str]:
    """Things that are where the task wants others than those of a state."""
    found: set[str] = set()
    for other in belief.wanted if condition.where else ():
        if other.relation is Relation.IN and other.value != condition.where:
            found |= things_that_meet(belief, other)
    return found


def things_that_meet(belief: BeliefState, condition: Condition) -> set[str]:
    """Things known to be as a condition wants them; of a condition AT none."""
    meant = meant_by(belief, condition.subject)
    if condition.relation is Relation.HOLDING:
        found = _held(belief)
    elif condition.relation is Relation.IN:
        found = inside(belief, meant_by(belief, condition.value))
    else:
        found = in_state(belief, condition.value)
    named = {name for name in found if meant.matches(name)}
    there = things_meant(belief, condition)
    return named & there if there else named - _brought_elsewhere(belief, condition)


def _held(belief: BeliefState) -> Iterator[str]:
    yield from belief.observation.held
    if belief.tells_held is not True:
        for name, _ in belief.achievements.of(Relation.HOLDING):
            if name not in belief.placed:
                yield name


def inside(belief: BeliefState, place: Mention) -> Iterator[str]:
    """Things known to be in, on or, of a region, anywhere in a place."""
    held = belief.observation.held
    is_region = place.kind is NameKind.REGION
    for fact in belief.memory.facts():
        if fact.name in held or (fact.name in belief.placed and not is_region):
            continue
        near = belief.tells_nearness
        exact = belief.found_in.get(fact.name, '') if near else fact.receptacle
        where = fact.room if is_region else exact
        denied = not near and belief.achievements.denies(Relation.IN, fact.name, where)
        if place.matches(where) and not denied:
            yield fact.name
    for name, where in belief.placed.items():
        there = belief.memory.fact(where)
        if place.matches(where) or (there is not None and place.matches(there.room)):
            yield name
    for name, where in belief.achievements.of(Relation.IN):
        if name not in (*held, *belief.placed) and place.matches(where):
            yield name


def in_state(belief: BeliefState, word: str) -> Iterator[str]:
    """Things known to be in a state."""
    for fact in belief.memory.facts():
        denied = belief.achievements.denies(Relation.IS, fact.name, word)
        if _is_in_state(fact, word) and not denied:
            yield fact.name
    comparison = read_comparison(word)
    for name, state in belief.achievements.of(Relation.IS):
        # A number that is measured says itself how it is.
        of_number = (
            comparison is not None and (comparison.name or name) in belief.vocabulary.numbers
        )
        if state == word and not of_number:
            yield name
    yield from _taken_back(belief, word)


def _is_in_state(fact: ObjectFact, word: str) -> bool:
    """Whether a fact shows a state, or a number that is as a condition wants it."""
    states = fact.state.split(', ')
    comparison = read_comparison(word)
    if comparison is not None:
        return is_so(states, comparison) is True
    return word in states


def _taken_back(belief: BeliefState, word: str) -> Iterator[str]:
    """Things in a state that can be taken back now, so that they are in it."""
    for skill in belief.skills.parse_all(belief.observation.admissible_skills):
        back = belief.skills.parse(skill.inverse) if skill.inverse else None
        if back is not None:
            undone = brought_about(back, Relation.IS)
            yield from (name for name, state in undone if state == word)


def _is_knowable(belief: BeliefState, condition: Condition) -> bool:
    """Whether the run would know of it, once it holds."""
    names = belief.names
    if any(names.kind(names.class_of(name)) is None for name in condition.names):
        return False
    if condition.relation is Relation.HOLDING:
        takes = bool(belief.skills.of_kind(SkillKind.TAKE))
        return belief.tells_held is True or (belief.tells_held is None and takes)
    if not belief.tells_facts:
        return False
    if condition.relation is Relation.IN:
        return belief.placements_known or not belief.tells_nearness
    comparison = read_comparison(condition.value)
    if comparison is not None:
        facts = belief.memory.facts()
        reported_numbers = any(comparison.name in measures_of(fact.state) for fact in facts)
        return (
            reported_numbers or (comparison.name or condition.subject) in belief.vocabulary.numbers
        )
    if condition.value in belief.vocabulary.states:
        return True
    reported = any(condition.value in fact.state.split(', ') for fact in belief.memory.facts())
    return reported or any(
        fact.relation is Relation.IS and fact.holds and fact.value == condition.value
        for skill_type in belief.skills.types
        for fact in skill_type.facts
    )


def meant_by(belief: BeliefState, name: str) -> Mention:
    """A name of a condition as something that grounded names may match."""
    class_name, number = class_and_number(name)
    kind = belief.names.kind(class_name) or NameKind.OTHER
    return Mention(class_name, kind, number or None, 0, 0)
