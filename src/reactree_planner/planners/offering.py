"""Which skills a node is offered: the admissible ones, less what some rule holds pointless now.

Each rule is one small function `(situation, skills) -> skills`, on its own switch in `Guards`.
They read skill templates, known names, what has been seen and the words of the node's own goal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from reactree_planner.planners.names import NameKind
from reactree_planner.planners.settings import Guards
from reactree_planner.planners.situation import GRASPING
from reactree_planner.planners.situation import INVERSES
from reactree_planner.planners.situation import MOVING
from reactree_planner.planners.situation import NodeSituation
from reactree_planner.planners.situation import parse_skill
from reactree_planner.planners.situation import RECALL
from reactree_planner.planners.situation import RELEASING
from reactree_planner.planners.situation import Skill

Rule = Callable[[NodeSituation, list[Skill]], list[Skill]]

DONE = 'done'
FAILURE = 'failure'


def without_repeats(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """What was done since something last changed led nowhere: not again in this node."""
    return [skill for skill in skills if skill.text not in situation.done_since_change]


def without_explored(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Places looked at, and rooms with nothing left to see, unless something wanted is there."""
    if not situation.wanted:
        return skills
    knowledge = situation.knowledge
    known = [
        fact
        for mention in situation.wanted
        for fact in knowledge.memory.facts(mention.name)
        if mention.matches(fact.name) and fact.name not in knowledge.placed
    ]
    lures = {fact.receptacle for fact in known}
    rooms = {fact.room for fact in known}

    def worthwhile(skill: Skill) -> bool:
        if skill.verb not in MOVING:
            return True
        target = skill.target
        if target in knowledge.vocabulary.rooms:
            # Who is in a room sees no more of it by walking to its middle.
            away = target != situation.observation.room
            return away and (target in rooms or bool(knowledge.unseen((target,))))
        if any(mention.matches(target) for mention in situation.mentions):
            return True
        return target in lures or knowledge.may_hide(target)

    return [skill for skill in skills if worthwhile(skill)]


def in_sight(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Moves that lead to what the goal names and the robot neither holds nor stands at."""
    now = situation.observation
    return [
        skill
        for skill in skills
        if skill.verb in MOVING
        and skill.target not in (now.place, *now.held, *situation.knowledge.placed)
        and any(mention.matches(skill.target) for mention in situation.led_by)
    ]


def sighted_first(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """While what the goal wants is in sight, nothing else is walked to or opened."""
    sighted = in_sight(situation, skills)
    if not sighted:
        return skills
    return [
        skill
        for skill in skills
        if skill in sighted
        or skill.verb not in (*MOVING, 'open')
        or (skill.verb == 'open' and any(m.matches(skill.target) for m in situation.mentions))
    ]


def finishing_looking(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Who stands before something closed opens it before leaving, if that is to the point.

    It is where what is wanted may be hidden, and where the goal wants what the robot holds.
    """
    here = situation.observation.place
    may_open = any(skill.verb == 'open' and skill.target == here for skill in skills)
    if not may_open or not situation.wanted:
        return skills
    if not situation.brings_to(here) and (
        not situation.knowledge.may_hide(here) or in_sight(situation, skills)
    ):
        return skills
    return [skill for skill in skills if skill.verb not in MOVING]


def only_named(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Pick up, go to and put down only the movable things of the nearest goal that names any.

    Things are put down only where the nearest goal that names a place wants them.
    """
    names = situation.knowledge.names
    objects = situation.named_objects
    places = [mention for mention in situation.chain_mentions if mention.kind is NameKind.PLACE]
    if not objects:
        return skills
    here = situation.observation.place

    def named(skill: Skill) -> bool:
        if names.kind(skill.name) is not NameKind.OBJECT:
            return True
        if not any(mention.matches(skill.target) for mention in objects):
            return False
        if skill.verb in RELEASING and places:
            return any(mention.matches(here) for mention in places)
        return True

    return [skill for skill in skills if named(skill)]


def enough_in_hand(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """No more of a thing is gone to or picked up than the nearest goal that names things wants.

    Hands that are full can open nothing, so who does all alone keeps one free where the place
    that the goal names may be closed.
    """
    held = Counter(name.rpartition(' ')[0] for name in situation.observation.held)
    wanted = situation.wanted_counts
    if held and situation.needs_a_hand():
        return [
            skill
            for skill in skills
            if skill.verb not in (*GRASPING, *MOVING) or skill.name not in wanted
        ]
    return [
        skill
        for skill in skills
        if skill.verb not in (*GRASPING, *MOVING)
        or skill.name not in wanted
        or held[skill.name] < wanted[skill.name]
    ]


def within_scope(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """A goal that names rooms, or places by number, is pursued there."""
    knowledge = situation.knowledge
    rooms, scope, places = knowledge.vocabulary.rooms, situation.scope, situation.numbered_places

    def within(skill: Skill) -> bool:
        if skill.verb not in MOVING:
            return True
        if skill.target in rooms:
            return skill.target in scope
        is_place = knowledge.names.kind(skill.name) is NameKind.PLACE
        return not places or not is_place or skill.target in places

    return [skill for skill in skills if within(skill)]


def keeping_effects(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """What this run has put in its place stays there."""
    placed = situation.knowledge.placed
    return [
        skill
        for skill in skills
        if skill.verb not in (*GRASPING, *MOVING)
        or skill.target not in placed
        or any(
            mention.instance is not None and mention.matches(skill.target)
            for mention in situation.mentions
        )
    ]


def at_one_place(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """A place named without a number stays the one that was first used for it."""
    used = {
        place.rpartition(' ')[0]: place
        for place in reversed(tuple(situation.knowledge.placed.values()))
    }

    def consistent(skill: Skill) -> bool:
        where = situation.observation.place if skill.verb in RELEASING else skill.target
        for mention in situation.chain_mentions:
            if mention.instance is None and mention.matches(where):
                return used.get(mention.name, where) == where
        return True

    return [
        skill for skill in skills if skill.verb not in (*MOVING, *RELEASING) or consistent(skill)
    ]


def without_undoing(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """What this node has done is not taken back by it, unless its goal literally asks for that.

    Picking up and putting down are left to `keep_effects`: a thing may have to change places.
    """
    undone = {
        (INVERSES[skill.verb], skill.target)
        for skill in situation.succeeded
        if skill.verb in INVERSES and skill.verb not in (*GRASPING, *RELEASING)
    }
    last = situation.last_skill
    if last is not None and last.verb in INVERSES:
        undone.add((INVERSES[last.verb], last.target))
    return [
        skill
        for skill in skills
        if (skill.verb, skill.target) not in undone
        or any(asked.asks_for(skill) for asked in situation.asked)
    ]


_RULES: tuple[tuple[str, Rule], ...] = (
    # Leaves the fewest, so it comes before those that look things up.
    ('named_only', only_named),
    ('enough_in_hand', enough_in_hand),
    ('repeat_guard', without_repeats),
    ('skip_explored', without_explored),
    ('sighted_first', sighted_first),
    ('finish_looking', finishing_looking),
    ('stay_in_scope', within_scope),
    ('keep_effects', keeping_effects),
    ('same_place', at_one_place),
    ('no_undo', without_undoing),
)


def offered_skills(
    situation: NodeSituation, skills: tuple[str, ...], guards: Guards, remembers: bool = True
) -> list[str]:
    """Skills of the world that the node may choose from; skills without a template pass.

    :param remembers: whether rules may read what was seen before.
    """
    parsed = []
    free = []
    for text in skills:
        skill = parse_skill(text, situation.verbs)
        if skill is None:
            free.append(text)
        else:
            parsed.append(skill)
    for switch, rule in _RULES:
        if getattr(guards, switch) and (remembers or rule is not without_explored):
            parsed = rule(situation, parsed)
    # A server may name a skill twice; an option stands once.
    return list(dict.fromkeys([skill.text for skill in parsed] + free))


def offered_recalls(situation: NodeSituation, guards: Guards) -> list[str]:
    """`recall location of <class>`: of what the goal names, or of every class (published)."""
    if guards.named_only and situation.wanted:
        names = list(dict.fromkeys(mention.name for mention in situation.wanted))
    else:
        names = list(situation.knowledge.vocabulary.object_classes)
    texts = [RECALL + name for name in names]
    if not guards.repeat_guard:
        return texts
    return [text for text in texts if text not in situation.done]


def should_act(situation: NodeSituation, skills: list[str], guards: Guards) -> bool:
    """Whether the goal asks for a skill on something in sight: then there is nothing to expand."""
    if not guards.sighted_first or not situation.asked:
        return False
    parsed = [parse_skill(text, situation.verbs) for text in skills]
    sighted = in_sight(situation, [skill for skill in parsed if skill is not None])
    return any(
        asked.mention.matches(skill.target) for asked in situation.asked for skill in sighted
    )


def may_be_done(situation: NodeSituation, guards: Guards) -> bool:
    """Whether `done` is offered: what the goal asks was done, or the node had an effect.

    A goal that is about one thing or place alone may be done on arrival there.
    """
    if not guards.done_guard:
        return True
    if situation.asked:
        return all(situation.asked_is_done(asked) for asked in situation.asked)
    here = situation.observation.place
    alone = len({mention.name for mention in situation.wanted}) == 1
    arrived = any(mention.matches(here) for mention in situation.wanted)
    return situation.effects > 0 or (alone and arrived)


def may_fail(situation: NodeSituation, guards: Guards) -> bool:
    """Whether `failure` is offered: nothing is left to look at in the goal's scope."""
    if not guards.failure_guard or not situation.wanted:
        return True
    return not situation.left_to_look_at()


def matched_skill(situation: NodeSituation, skills: list[str]) -> str | None:
    """The offered skill that the goal literally asks for, where the goal wants it done."""
    now = situation.observation
    for text in skills:
        skill = parse_skill(text, situation.verbs)
        if skill is None:
            continue
        for asked in situation.asked:
            if (
                asked.asks_for(skill)
                and not situation.asked_is_done(asked)
                and _is_where_asked(situation, skill, now.place, now.room)
            ):
                return text
    return None


def _is_where_asked(situation: NodeSituation, skill: Skill, place: str, room: str) -> bool:
    """Whether every other place and room of the goal is where the robot is."""
    for mention in situation.mentions:
        if mention.matches(skill.target):
            continue
        if mention.kind is NameKind.PLACE and not mention.matches(place):
            return False
    scope = situation.scope
    return not room or room in scope


def choices(
    situation: NodeSituation, skills: tuple[str, ...], guards: Guards, remembers: bool = True
) -> list[str]:
    """Everything the node may do next, never empty: `failure` is there when nothing else is.

    :param remembers: whether there is a working memory to recall from.
    """
    options = offered_skills(situation, skills, guards, remembers)
    if remembers:
        options += offered_recalls(situation, guards)
    if may_be_done(situation, guards):
        options.append(DONE)
    if may_fail(situation, guards) or not options:
        options.append(FAILURE)
    return options
