"""Which moves lead to what a node searches, or to where it brings what it holds.

Rules like those of `offering_rules`.
"""

from __future__ import annotations

from reactree_core.skill_types import SkillKind
from reactree_planner.planners.names import NameKind
from reactree_planner.planners.search import delivery_rooms
from reactree_planner.planners.search import recalled_rooms
from reactree_planner.planners.search import search_rooms
from reactree_planner.planners.search import searched
from reactree_planner.planners.situation import NodeSituation
from reactree_planner.planners.skills import SEARCHING
from reactree_planner.planners.skills import Skill
from reactree_planner.planners.skills import STATE_KINDS


def within_scope(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """A goal that names rooms, or places by number, is pursued there."""
    knowledge = situation.knowledge
    rooms, scope = knowledge.vocabulary.rooms, search_rooms(situation)
    # A place that no skill leads to confines nothing.
    places = tuple(filter(knowledge.can_search, situation.numbered_places))
    searches = bool(searched(situation))
    room = situation.observation.room
    outside = bool(room) and room not in scope
    leads_there = outside and any(
        skill.kind is SkillKind.MOVE and skill.target in scope for skill in skills
    )

    def within(skill: Skill) -> bool:
        if leads_there and skill.kind in SEARCHING and skill.target not in scope:
            # Nothing else is looked into on the way there.
            return any(mention.matches(skill.target) for mention in situation.mentions)
        if skill.kind is SkillKind.OPEN and searches and places:
            return skill.target in places
        if skill.kind is not SkillKind.MOVE:
            return True
        if skill.target in rooms:
            return skill.target in scope
        is_place = knowledge.names.kind(skill.name) is NameKind.PLACE
        return not places or not is_place or skill.target in places

    return [skill for skill in skills if within(skill)]


def following_recall(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Who has recalled where the thing it searches was seen goes to that room first."""
    return _led_to(recalled_rooms(situation), skills)


def straight_on(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Who brings something to a place not in sight goes from room to room, and opens nothing."""
    return _led_to(delivery_rooms(situation), skills)


def _led_to(rooms: tuple[str, ...], skills: list[Skill]) -> list[Skill]:
    """Of the moves only those to rooms, and nothing opened; all skills where none leads there."""
    leading = [skill for skill in skills if skill.kind is SkillKind.MOVE and skill.target in rooms]
    if not leading:
        return skills
    return [
        skill
        for skill in skills
        if skill in leading or skill.kind not in (SkillKind.MOVE, *STATE_KINDS)
    ]
