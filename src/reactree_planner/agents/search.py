"""Searches and deliveries: what a node is to find or to deliver, and which rooms lead there.

Both are empty for an executor: its task has other parts to go on with.
"""

from __future__ import annotations

from reactree_core.observation import ObjectFact
from reactree_core.skill_types import SkillKind
from reactree_planner.agents.retries import FETCHING
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.skills import RECALL
from reactree_planner.agents.skills import SEARCHING
from reactree_planner.agents.skills import Skill
from reactree_planner.agents.skills import STATE_KINDS
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind


def searched(situation: NodeSituation) -> tuple[Mention, ...]:
    """Movable things that a node is still to find; () where its goal asks for more than that."""
    asked = situation.reading.asked
    if situation.is_executor or any(
        one.kind is not SkillKind.TAKE or one.mention.kind is not NameKind.THING for one in asked
    ):
        return ()
    return tuple(one.mention for one in asked if not situation.asked_is_done(one))


def search_rooms(situation: NodeSituation) -> tuple[str, ...]:
    """Rooms that a node may go to: of a search through numbered places, those they are in."""
    belief = situation.belief
    facts = [belief.memory.fact(place) for place in situation.reading.numbered_places]
    rooms = {fact.room if fact is not None else '' for fact in facts}
    if not searched(situation) or '' in rooms:
        # What is not known yet may be anywhere.
        return situation.reading.scope
    return (
        tuple(room for room in belief.vocabulary.rooms if room in rooms) or situation.reading.scope
    )


def sightings(situation: NodeSituation) -> list[ObjectFact]:
    """Last known locations of searched objects, except those that were placed or given up."""
    belief = situation.belief
    gone = (*situation.observation.held, *belief.retries.given_up(FETCHING))
    return [
        fact
        for mention in searched(situation)
        for fact in belief.memory.facts(mention.name)
        if mention.matches(fact.name)
        and fact.name not in gone
        and not belief.is_in_its_place(fact.name)
    ]


def recalled_rooms(situation: NodeSituation) -> tuple[str, ...]:
    """Rooms in which what is searched was seen, as this node has recalled, and not gone to since.

    None while some of it was seen in the room where the robot is.
    """
    recalled = [
        fact for fact in sightings(situation) if RECALL + fact.object_class in situation.done
    ]
    rooms = {fact.room for fact in recalled}
    if situation.observation.room in rooms:
        return ()
    been = {skill.target for skill in situation.history.succeeded if skill.kind is SkillKind.MOVE}
    return tuple(room for room in search_rooms(situation) if room in rooms - been)


def search_exhausted(situation: NodeSituation) -> bool:
    """Whether a search of certain rooms or places has looked at all of them, and seen nothing."""
    belief = situation.belief
    rooms, places = search_rooms(situation), situation.reading.numbered_places
    if not searched(situation) or not belief.exploration.visited.issuperset(rooms):
        return False
    if places:
        known = all(belief.memory.fact(place) is not None for place in places)
        if not known or any(belief.exploration.may_hide(place) for place in places):
            return False
    elif len(rooms) == len(belief.vocabulary.rooms) or belief.exploration.unseen(rooms):
        return False
    # An object seen in these rooms, or in an unknown one, may be meant: the model decides.
    return not any(not fact.room or fact.room in rooms for fact in sightings(situation))


def destinations(situation: NodeSituation) -> tuple[Mention, ...]:
    """Places to which a node brings what it holds; () where its goal asks for more than that."""
    held = situation.observation.held
    things = [mention for mention in situation.wanted if mention.kind is NameKind.THING]
    if situation.is_executor or not things:
        return ()
    if not all(any(thing.matches(name) for name in held) for thing in things):
        return ()
    return tuple(mention for mention in situation.wanted if mention.kind is NameKind.PLACE)


def delivery_rooms(situation: NodeSituation) -> tuple[str, ...]:
    """Rooms that lead to the place of a delivery: where it was seen, else those not seen yet.

    None in the room where it stands, where it is in sight.
    """
    belief = situation.belief
    wanted = destinations(situation)
    rooms = {
        fact.room
        for mention in wanted
        for fact in belief.memory.facts(mention.name)
        if mention.matches(fact.name)
    }
    if not wanted or situation.observation.room in rooms:
        return ()
    return tuple(
        room
        for room in situation.reading.scope
        if (room in rooms if rooms else room not in belief.exploration.visited)
    )


def within_scope(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """A goal that names rooms, or places by number, is pursued there."""
    belief = situation.belief
    rooms, scope = belief.vocabulary.rooms, search_rooms(situation)
    # A place that no skill leads to confines nothing.
    places = tuple(filter(belief.exploration.can_search, situation.reading.numbered_places))
    searches = bool(searched(situation))
    room = situation.observation.room
    outside = bool(room) and room not in scope
    leads_there = outside and any(
        skill.kind is SkillKind.MOVE and skill.target in scope for skill in skills
    )

    def within(skill: Skill) -> bool:
        if leads_there and skill.kind in SEARCHING and skill.target not in scope:
            # Nothing else is looked into on the way there.
            return any(mention.matches(skill.target) for mention in situation.reading.mentions)
        if skill.kind is SkillKind.OPEN and searches and places:
            return skill.target in places
        if skill.kind is not SkillKind.MOVE:
            return True
        if skill.target in rooms:
            return skill.target in scope
        is_place = belief.names.kind(skill.name) is NameKind.PLACE
        return not places or not is_place or skill.target in places

    return [skill for skill in skills if within(skill)]


def following_recall(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Who has recalled where the thing it searches was seen goes to that room first."""
    return only_moves_to(recalled_rooms(situation), skills)


def delivery_moves_only(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Who brings something to a place not in sight goes from room to room, and opens nothing."""
    return only_moves_to(delivery_rooms(situation), skills)


def only_moves_to(rooms: tuple[str, ...], skills: list[Skill]) -> list[Skill]:
    """Of the moves only those to rooms, and nothing opened; all skills where none leads there."""
    leading = [skill for skill in skills if skill.kind is SkillKind.MOVE and skill.target in rooms]
    if not leading:
        return skills
    return [
        skill
        for skill in skills
        if skill in leading or skill.kind not in (SkillKind.MOVE, *STATE_KINDS)
    ]
