"""Which of the admissible skills some rule holds pointless now.

Each rule is one small function `(situation, skills) -> skills`, on its own switch in `Guards`.
They read skill templates, known names, what has been seen and the words of the node's own goal.
Search and delivery rules are in `search.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_planner.agents.endings import holds
from reactree_planner.agents.endings import meant_by
from reactree_planner.agents.search import delivery_moves_only
from reactree_planner.agents.search import following_recall
from reactree_planner.agents.search import within_scope
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.skills import SEARCHING
from reactree_planner.agents.skills import Skill
from reactree_planner.agents.skills import STATE_KINDS
from reactree_planner.instructions.names import NameKind

#: Most tries of a skill that the model writes words or numbers into, until something has changed.
MOST_WORDINGS = 2
#: Kinds that bring a thing into the robot's hold.
_FETCHING = (SkillKind.TAKE, SkillKind.MOVE)

#: Kinds that are about one thing and its place or state.
_HANDLING = (*_FETCHING, SkillKind.PUT, SkillKind.CHANGE, *STATE_KINDS)

Rule = Callable[[NodeSituation, list[Skill]], list[Skill]]


def without_repeats(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """What was done since something last changed led nowhere: not again in this node.

    A skill that the model writes words or numbers into may be tried twice. The search of a single
    goal may come back to a region that it has not seen all of. What failed and may succeed is
    tried again, until it is given up.
    """
    written: Counter[str] = Counter()
    for text, times in situation.history.done_since_change.items():
        done = situation.skills.parse(text)
        if done is not None and any(not slot.type.is_name for slot in done.type.slots):
            written[done.type.template] += times
    return [
        skill
        for skill in skills
        if not situation.has_led_nowhere(skill)
        and not (skill.has_gap and written[skill.type.template] >= MOST_WORDINGS)
    ]


def without_explored(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Places looked at, and rooms with nothing left to see, unless something wanted is there."""
    belief = situation.belief
    if not situation.wanted or not belief.tells_facts:
        return skills
    known = [
        fact
        for mention in situation.wanted
        for fact in belief.memory.facts(mention.name)
        if situation.is_wanted_from_where_it_is(mention, fact.name)
    ]
    known_containers = belief.exploration.ways_to_unseen().union(
        *(belief.holders_of(fact.name) for fact in known)
    )
    rooms = {fact.room for fact in known}

    def worthwhile(skill: Skill) -> bool:
        if skill.kind is not SkillKind.MOVE:
            return True
        target = skill.target
        if target in belief.vocabulary.rooms:
            # Who is in a room sees no more of it by walking to its middle.
            away = target != situation.observation.room
            return away and (target in rooms or bool(belief.exploration.unseen((target,))))
        if any(mention.matches(target) for mention in situation.reading.mentions):
            return True
        if situation.in_the_way and belief.names.kind(skill.name) is NameKind.PLACE:
            return True
        return target in known_containers or belief.exploration.may_hide(target)

    return [skill for skill in skills if worthwhile(skill)]


def in_sight(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Moves that lead to what the goal names and the robot neither holds nor stands at.

    None in a whole task that is more than a delivery, or while the robot holds what is to be
    changed before it is brought anywhere.
    """
    if situation.is_more_than_delivery or _holds_unchanged(situation):
        return []
    now = situation.observation
    return [
        skill
        for skill in skills
        if skill.kind is SkillKind.MOVE
        and skill.target not in (now.place, *now.held)
        and not situation.belief.is_in_its_place(skill.target)
        and not (situation.reading.single and skill.target in situation.belief.out_of_reach)
        and any(mention.matches(skill.target) for mention in situation.approach_targets)
    ]


def _holds_unchanged(situation: NodeSituation) -> bool:
    """Whether one who does the whole task holds what that wants in a state that it is not in."""
    belief = situation.belief
    if not situation.is_executor or situation.chain:
        return False
    changed = situation.skills.states_after(SkillKind.CHANGE)
    return any(
        one.relation is Relation.IS
        and one.value in changed
        and any(map(meant_by(belief, one.subject).matches, situation.observation.held))
        and holds(belief, one) is False
        for one in belief.wanted
    )


def sighted_first(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """While what the goal wants is in sight, nothing else is walked to or opened."""
    sighted = in_sight(situation, skills)
    if not sighted:
        return skills
    return [
        skill
        for skill in skills
        if skill in sighted
        or skill.kind not in SEARCHING
        or (
            skill.kind is SkillKind.OPEN
            and any(m.matches(skill.target) for m in situation.reading.mentions)
        )
    ]


def open_before_leaving(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Who stands before something closed opens it before leaving, if that is to the point.

    It is where what is wanted may be hidden, and where the goal wants what the robot holds.
    """
    here = situation.observation.place
    may_open = any(skill.kind is SkillKind.OPEN and skill.target == here for skill in skills)
    if not may_open or not situation.wanted:
        return skills
    single = situation.reading.single
    looks_no_further = (
        situation.brings_something
        or situation.is_more_than_delivery
        # What can be opened does not hold itself.
        or (single is not None and single.thing.matches(here))
        or not situation.belief.exploration.may_hide(here)
        or bool(in_sight(situation, skills))
    )
    if not situation.is_delivery_to(here) and looks_no_further:
        return skills
    return [skill for skill in skills if skill.kind is not SkillKind.MOVE]


def only_named(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Handle only the movable things of the nearest goal that names any, and what holds them.

    An object is released only at a place that the node's goal or an ancestor's goal names, or in
    what the nearest goal tells it to be put in. One that only locates another ("the pallet" in
    "the crate on the pallet") is not taken. Skills of other kinds (MAKE, OTHER) are not
    restricted: they may need other objects.
    """
    belief = situation.belief
    names = belief.names
    objects = situation.reading.named_objects
    places = [
        mention for mention in situation.reading.chain_mentions if mention.kind is NameKind.PLACE
    ]
    if not objects:
        return skills
    here = situation.observation.place
    holding_them = {
        fact.receptacle
        for mention in objects
        for fact in belief.memory.facts(mention.name)
        if mention.matches(fact.name)
    }

    filled = situation.belief.filled

    def is_about_another(skill: Skill) -> bool:
        """Whether the one that is meant is in hand, and the skill is on one like it."""
        like_it = [name for name in situation.held_things() if names.class_of(name) == skill.name]
        return (
            bool(like_it)
            and skill.target not in like_it
            and situation.reading.wanted_counts[skill.name] == 1
            and all(one.instance is None for one in objects if one.name == skill.name)
        )

    def named(skill: Skill) -> bool:
        if skill.kind not in _HANDLING or names.kind(skill.name) is not NameKind.THING:
            return True
        if skill.kind is SkillKind.PUT and (
            skill.target in situation.in_the_way
            or any(tool.matches(skill.target) for tool in situation.reading.tools)
        ):
            return True
        if not any(mention.matches(skill.target) for mention in objects):
            return skill.kind in SEARCHING and skill.target in holding_them
        if skill.kind is SkillKind.CHANGE:
            return not is_about_another(skill)
        if skill.kind is SkillKind.TAKE:
            return not any(
                mention.matches(skill.target) for mention in situation.reading.location_mentions
            )
        if skill.kind is SkillKind.PUT and places:
            where = skill.destination or here
            # "put the crate on the pallet": the pallet may be a thing that is carried too.
            told = (*places, *situation.reading.location_mentions)
            return (
                not where
                or any(mention.matches(where) for mention in told)
                or names.class_of(where) in filled
            )
        return True

    return [skill for skill in skills if named(skill)]


def only_what_leads_there(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Make only what the nearest goal that asks for something made needs, as recipes tell.

    What is made uses up other things, which the goal may need.
    """
    recipes, reading = situation.belief.recipes, situation.reading
    for mentions in (reading.mentions, reading.chain_mentions):
        needed = recipes.needed_for({mention.name for mention in mentions})
        if needed:
            return [
                skill
                for skill in skills
                if skill.kind is not SkillKind.MAKE or recipes.makes(skill, needed)
            ]
    return skills


def limit_to_wanted_count(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """No more of a thing is gone to or taken than the nearest goal that names things wants."""
    names = situation.belief.names
    held = Counter(map(names.class_of, situation.observation.held))
    wanted = situation.reading.wanted_counts
    return [
        skill
        for skill in skills
        if skill.kind not in _FETCHING
        or skill.name not in wanted
        or held[skill.name] < wanted[skill.name]
    ]


def keeping_effects(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """What this run has put in its place stays there."""
    return [
        skill
        for skill in skills
        if skill.kind not in _FETCHING
        or not situation.belief.is_in_its_place(skill.target)
        or any(
            mention.instance is not None and mention.matches(skill.target)
            for mention in situation.reading.mentions
        )
    ]


def at_one_place(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """A place named without a number stays the one that was first used for it."""
    used = {
        situation.belief.names.class_of(place): place
        for place in reversed(tuple(situation.belief.placed.values()))
    }

    def consistent(skill: Skill) -> bool:
        where = skill.target
        if skill.kind is SkillKind.PUT:
            where = skill.destination or situation.observation.place
        for mention in situation.reading.chain_mentions:
            if mention.instance is None and mention.matches(where):
                return used.get(mention.name, where) == where
        return True

    return [
        skill
        for skill in skills
        if skill.kind not in (SkillKind.MOVE, SkillKind.PUT) or consistent(skill)
    ]


def without_undoing(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """What this node has done is not taken back by it, unless its goal literally asks for that.

    Taking and putting are left to `keeping_effects`: a thing may have to change places.
    """
    undone = {
        skill.inverse
        for skill in situation.history.succeeded
        if skill.kind not in (SkillKind.TAKE, SkillKind.PUT)
    }
    if situation.history.last_skill is not None:
        undone.add(situation.history.last_skill.inverse)
    return [
        skill
        for skill in skills
        if skill.text not in undone
        or any(asked.asks_for(skill) for asked in situation.reading.asked)
        or situation.single_asks_for(skill)
    ]


def in_order(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Where the goal tells an order, and its next step can be done, no later step is."""
    step = situation.next_step
    if step is None or not any(step.asks_for(skill) for skill in skills):
        return skills
    later = [one for one in situation.reading.asked if one.mention != step.mention]
    return [
        skill
        for skill in skills
        if step.asks_for(skill) or not any(one.asks_for(skill) for one in later)
    ]


#: What they know of places comes from what other nodes have seen.
REMEMBERING: tuple[Rule, ...] = (without_explored, delivery_moves_only)
#: Switch in `Guards` and its rule, in the order in which they are applied.
RULES: tuple[tuple[str, Rule], ...] = (
    # Leaves the fewest, so it comes before those that look things up.
    ('named_only', only_named),
    ('named_only', only_what_leads_there),
    ('named_only', limit_to_wanted_count),
    ('once_only', without_repeats),
    ('whole_search', without_explored),
    ('go_straight', sighted_first),
    ('whole_search', open_before_leaving),
    ('whole_search', within_scope),
    ('go_straight', following_recall),
    ('go_straight', delivery_moves_only),
    ('once_only', keeping_effects),
    ('named_only', at_one_place),
    ('once_only', without_undoing),
    ('goal_match', in_order),
)
