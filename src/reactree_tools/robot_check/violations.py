"""Each rule and hazard that is shown, broken once on purpose before the monitor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product

from reactree_core.observation import Observation
from reactree_core.permission.hazards import Hazards
from reactree_core.permission.matching import Moment
from reactree_core.permission.monitor import audit, Held, Sent, Trace
from reactree_core.permission.rules import Rule, Rules
from reactree_core.skill_types import SkillType
from robot_bridge.declared_world import DeclaredWorld
from robot_bridge.robot import Robot

#: Texts of a skill that are tried, and times that one is repeated.
_MOST_TEXTS, _MOST_TIMES = 100, 20


@dataclass(frozen=True, slots=True)
class Violation:
    """What came of a rule. :param skill: that broke it; '' where no skill of the file is meant.

    :param caught: whether the monitor found it broken, or left open at the end.
    """

    rule: str
    wording: str
    skill: str
    caught: bool


def violations(robot: Robot, rules: Rules, hazards: Hazards) -> Iterator[Violation]:
    """Break each rule that people are shown, by a skill that it means.

    :param rules: of a file. :param hazards: that are on.
    """
    vocabulary = robot.vocabulary()
    asking, later = hazards.rules(vocabulary.skills, vocabulary.other_words)
    for rule in (*rules.rules, *asking, *later):
        if rule.wording:
            yield _broken(robot, rule, vocabulary.skills)


def _broken(robot: Robot, rule: Rule, types: tuple[SkillType, ...]) -> Violation:
    called = f'{rule.called}'
    meant = ''
    for text, observation in _moments(robot):
        moment = Moment(text, observation, {one.name: one for one in observation.facts}, types)
        if rule.skill.matches(moment) is False:
            continue
        meant = meant or text
        for times in (1, 2, _MOST_TIMES):
            trace = Trace((Sent(moment, succeeded=True, approved=False),) * times)
            by_hazard = (rule,) if rule.of_hazard else ()
            found = audit(Rules() if by_hazard else Rules((rule,)), trace, hazards=by_hazard)
            if any(one.held in (Held.BROKEN, Held.OPEN) for one in found):
                return Violation(called, rule.wording, text, True)
    return Violation(called, rule.wording, meant, False)


def _moments(robot: Robot) -> Iterator[tuple[str, Observation]]:
    world = DeclaredWorld(robot)
    seen = world.observe()
    for skill in robot.skills:
        values = [world.values_for(slot)[:8] for slot in skill.type.slots]
        for one in islice(product(*values), _MOST_TEXTS):
            yield skill.type.filled(one), seen
