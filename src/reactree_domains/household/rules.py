"""Rules that hold in a home and not everywhere: two hands, doors, and the world's sentences."""

from __future__ import annotations

from reactree_core.skill_types import SkillKind
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.skills import Skill
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names


def keeping_a_hand_free(situation: NodeSituation, skills: list[Skill]) -> list[Skill]:
    """Hands that are full can open nothing, so an executor keeps one of them free.

    Where the place that its goal names is or may be closed: then nothing more is fetched.
    """
    if not situation.observation.held or not _may_have_to_open(situation):
        return skills
    fetching = (SkillKind.TAKE, SkillKind.MOVE)
    return [
        skill
        for skill in skills
        if skill.kind not in fetching or skill.name not in situation.reading.wanted_counts
    ]


def _may_have_to_open(situation: NodeSituation) -> bool:
    if not situation.is_executor:
        return False
    known = situation.belief.memory.facts()
    for mention in situation.wanted:
        if mention.kind is NameKind.PLACE:
            seen = [fact for fact in known if mention.matches(fact.name)]
            if not seen or any(map(situation.belief.exploration.is_closed, seen)):
                return True
    return False


#: Switch in `Guards` and the rule that is added to it.
RULES = (('named_only', keeping_a_hand_free),)


def opening_features(goal: str, opening: str, names: Names) -> frozenset[str]:
    """What of a goal's named things the first observation shows already.

    Read from the household's published sentences ("You hold ...", "You are in the middle of ...").
    """
    text = opening.casefold()
    _, holds, held = text.partition('you hold ')
    # What was seen elsewhere may be told behind it.
    held = held.partition('.')[0]
    features = set()
    for mention in names.find(goal):
        name = mention.name.casefold()
        if holds and name in held:
            features.add(f'holds {mention.kind.value}')
        elif mention.instance is not None:
            if f'in the middle of a {name} ({mention.instance})' in text:
                features.add(f'in {mention.kind.value}')
        elif f'{name} (' in text:
            features.add(f'sees {mention.kind.value}')
    return frozenset(features)
