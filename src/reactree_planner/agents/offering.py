"""What a node is offered: skills of the world that no rule holds pointless, and its own choices.

Its own are `recall`, `done` and `failure`; the rules are in `offering_rules`.
"""

from __future__ import annotations

from collections import Counter

from reactree_core.skill_types import SkillKind
from reactree_planner.agents.effects import effect_holds
from reactree_planner.agents.endings import changed_by
from reactree_planner.agents.endings import holds
from reactree_planner.agents.endings import spoken_maker
from reactree_planner.agents.offering_rules import in_sight
from reactree_planner.agents.offering_rules import MOST_WORDINGS
from reactree_planner.agents.offering_rules import REMEMBERING
from reactree_planner.agents.offering_rules import RULES
from reactree_planner.agents.search import recalled_rooms
from reactree_planner.agents.search import search_exhausted
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.skills import RECALL
from reactree_planner.agents.skills import Skill
from reactree_planner.agents.skills import STATE_KINDS
from reactree_planner.instructions.asked import AskedSkill
from reactree_planner.instructions.conditions import ALL
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.words import word_set
from reactree_planner.instructions.words import words_of
from reactree_planner.runs.settings import Guards
from reactree_planner.tree.trajectory import DONE as DONE
from reactree_planner.tree.trajectory import FAILURE as FAILURE

#: Words of a goal that is about every thing of a class.
_ALL = word_set('all every each')


def offered_skills(
    situation: NodeSituation, skills: tuple[str, ...], guards: Guards, remembers: bool = True
) -> list[str]:
    """Skills of the world that the node may choose from; skills without a template pass.

    :param remembers: whether rules may read what was seen before.
    """
    parsed = []
    free = []
    for text in skills:
        skill = situation.skills.parse(text)
        if skill is None:
            free.append(text)
        else:
            parsed.append(skill)
    further = situation.belief.domain_rules if guards.of_domain else ()
    last = dict(RULES)
    for switch, rule in RULES:
        if not getattr(guards, switch):
            continue
        if remembers or rule not in REMEMBERING:
            parsed = rule(situation, parsed)
        for name, added in further:
            if name == switch and rule is last[switch]:
                parsed = added(situation, parsed)
    # A server may name a skill twice; an option stands once.
    return list(dict.fromkeys([skill.text for skill in parsed] + free))


def offered_recalls(situation: NodeSituation, guards: Guards) -> list[str]:
    """`recall location of <class>`: of what the goal names, or of every class (published)."""
    if guards.named_only and situation.wanted:
        names = list(dict.fromkeys(mention.name for mention in situation.wanted))
    else:
        names = list(situation.belief.vocabulary.object_classes)
    texts = [RECALL + name for name in names]
    if not guards.once_only:
        return texts
    return [text for text in texts if text not in situation.done]


def should_act(situation: NodeSituation, skills: list[str], guards: Guards) -> bool:
    """Whether the goal's object can be approached directly: then EXPAND is not offered.

    It is in sight, or the node has recalled in which region it was seen.
    """
    parsed = situation.skills.parse_all(skills)
    if not guards.go_straight:
        return False
    rooms = recalled_rooms(situation)
    if any(skill.kind is SkillKind.MOVE and skill.target in rooms for skill in parsed):
        return True
    sighted = in_sight(situation, parsed)
    return any(
        asked.mention.matches(skill.target)
        for asked in situation.reading.asked
        for skill in sighted
    )


def may_be_done(situation: NodeSituation, guards: Guards, nothing_left: bool = False) -> bool:
    """Whether `done` is offered: what the goal asks was done, or the node had an effect.

    A goal that is about one thing or place alone may be done on arrival there. An executor is
    not done before everything is where the goal wants it. Where the server does not tell
    whether the goal is reached, the model says so.

    :param nothing_left: whether no skill of the world is on offer.
    """
    if not guards.checked_ends:
        return True
    if guards.true_ends and lacks_of_all(situation):
        return False
    if situation.single_is_reached():
        return True
    if situation.making.is_all:
        # Slots that are texts tell no thing that a skill asked for could be compared with.
        return not situation.making.left()
    if situation.reading.single is not None and situation.reading.single.destination is not None:
        # Else an effect on the way there would do.
        return not situation.belief.placements_known
    if not situation.is_delivered():
        return False
    if situation.reading.asked:
        return all(
            situation.asked_is_done(asked)
            or situation.attempted_with_unknown_effect(asked)
            or (nothing_left and effect_holds(situation.belief, asked) is None)
            for asked in situation.reading.asked
        )
    if not situation.wanted and situation.history.succeeded:
        # Nothing that the goal names tells whether it is reached.
        return True
    if nothing_left and all(map(situation.has_seen, situation.wanted)):
        return True
    alone = len({mention.name for mention in situation.wanted}) == 1
    arrived = any(map(situation.has_reached, situation.wanted))
    return situation.history.effects > 0 or (alone and arrived)


def lacks_of_all(situation: NodeSituation) -> bool:
    """Whether a goal is about all things of a class, of which the task wants all and lacks some.

    One may be where nobody has looked.
    """
    if _ALL.isdisjoint(words_of(situation.goal)):
        return False
    things = [one for one in situation.reading.mentions if one.kind is NameKind.THING]
    return any(
        one.count == ALL
        and any(mention.name == one.subject for mention in things)
        and holds(situation.belief, one) is False
        for one in situation.belief.wanted
    )


def may_fail(
    situation: NodeSituation, guards: Guards, done: bool = False, nothing_left: bool = False
) -> bool:
    """Whether `failure` is offered: nothing is left to look at in the goal's scope, or the node
    only repeats what it has done.

    It is not offered beside `done` if every object is at its place, or if the node has had an
    effect, has seen everything that its goal names, and no skill has failed.

    :param done: whether `done` is offered, or a skill that the goal asks for before that.
    :param nothing_left: as of `may_be_done`.
    """
    if not guards.checked_ends:
        return True
    went_well = situation.history.effects > 0 and not situation.history.failures
    found = all(map(situation.has_seen, situation.wanted))
    brought = situation.left_to_bring() == Counter()
    if done and not nothing_left and (brought or (went_well and found)):
        return False
    return nothing_left or situation.history.goes_in_circles or not situation.left_to_look_at()


def should_give_up(situation: NodeSituation, guards: Guards, remembers: bool = True) -> bool:
    """Whether all that is left to a node is to fail: it searches where nothing can be found.

    :param remembers: whether there is a working memory of what other nodes have seen.
    """
    return remembers and guards.whole_search and search_exhausted(situation)


def skill_without_names(situation: NodeSituation) -> str:
    """The skill that a goal is, word for word, or that brings about all that the task asks for,
    of those without names; '' for none.
    """
    belief, spoken = situation.belief, situation.reading.spoken
    if spoken or situation.chain or len(belief.wanted) != 1:
        return spoken
    return spoken_maker(belief, belief.wanted[0])


def matched_skill(situation: NodeSituation, skills: list[str]) -> str | None:
    """The offered skill that the goal literally asks for, where the goal wants it done."""
    now = situation.observation
    delivered = situation.is_delivered()
    steps = situation.reading.asked if situation.next_step is None else (situation.next_step,)
    spoken = situation.skills.parse(skill_without_names(situation))
    for skill in situation.skills.parse_all(skills):
        if spoken is not None and skill.type is spoken.type and spoken.text not in situation.done:
            # Its gaps are filled by the goal.
            return spoken.text
        # The goal is the skill itself, numbers and all.
        if skill.text == situation.goal and not skill.has_gap and skill.text not in situation.done:
            return skill.text
        for asked in steps:
            if not asked.certain or skill.has_gap:
                continue
            # What is to be started or closed in the end waits for what belongs there.
            if not delivered and asked.kind in STATE_KINDS:
                continue
            if (
                asked.asks_for(skill)
                and not situation.asked_is_done(asked)
                and not situation.is_wanted_elsewhere(skill)
                and not _is_another(situation, asked, skill)
                and _is_where_asked(situation, skill, now.place, now.room)
            ):
                return skill.text
    return None


def _is_another(situation: NodeSituation, asked: AskedSkill, skill: Skill) -> bool:
    """Whether a goal asks for one more thing, and a skill would change one that is so already."""
    changed = changed_by(situation.belief, (asked.type,))
    return situation.reading.asks_anew(asked) and skill.target in changed


def _is_where_asked(situation: NodeSituation, skill: Skill, place: str, room: str) -> bool:
    """Whether every other place and region of the goal is where the robot is."""
    for mention in situation.reading.mentions:
        if mention.matches(skill.target) or mention.matches(skill.destination):
            continue
        if mention.kind is NameKind.PLACE and not mention.matches(place):
            return False
    if skill.target in situation.belief.vocabulary.rooms:
        # It is on its way to one of the goal's regions.
        return True
    scope = situation.reading.scope
    return not room or room in scope


def _was_tried(situation: NodeSituation, text: str) -> bool:
    """Whether the node has done a skill; one with open slots, in as many wordings as it may."""
    skill = situation.skills.parse(text)
    if skill is None or not skill.has_gap:
        return text in situation.done
    done = situation.skills.parse_all(situation.done)
    return sum(one.type == skill.type for one in done) >= MOST_WORDINGS


def asks_no_more(situation: NodeSituation) -> bool:
    """Whether a goal literally asks for skills, and for nothing but skills that were done."""
    asked = situation.reading.asked
    if spoken := skill_without_names(situation):
        belief = situation.belief
        is_so = not situation.reading.spoken and holds(belief, belief.wanted[0])
        return bool(is_so) or any(one.text == spoken for one in situation.history.succeeded)
    return (
        bool(asked or situation.reading.asked_types)
        and not situation.reading.asks_more
        and all(one.certain and situation.asked_is_done(one) for one in asked)
        and not situation.asked_types_left()
    )


def choices(
    situation: NodeSituation,
    skills: tuple[str, ...],
    guards: Guards,
    remembers: bool = True,
    is_unfinished: bool = False,
) -> list[str]:
    """Everything the node may do next. It is never empty: `failure` is offered if nothing else is,
    and `done` with it if the server reports nothing that shows whether the goal is reached.

    :param remembers: whether there is a working memory to recall from.
    :param is_unfinished: whether `done` is known to be untrue.
    """
    options = offered_skills(situation, skills, guards, remembers)
    # Not what rules have left: what has not been tried may be what the goal asks for.
    nothing_left = all(_was_tried(situation, skill) for skill in skills)
    if remembers and situation.belief.tells_facts:
        options += offered_recalls(situation, guards)
    left = situation.asked_types_left() if guards.checked_ends else ()
    waits = bool(left) and any(skill.type in left for skill in situation.skills.parse_all(options))
    if not (waits or is_unfinished) and may_be_done(situation, guards, nothing_left):
        options.append(DONE)
    if may_fail(situation, guards, waits or DONE in options, nothing_left) or not options:
        options.append(FAILURE)
    return options
