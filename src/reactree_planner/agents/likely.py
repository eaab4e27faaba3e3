"""Where to look next: what each look would cost, and how likely the thing is there.

    chance of a region (the model's order)  x  in sight there, or in one of its places
    ----------------------------------------------------------------------------------
                        skills that it takes to look there

The model is asked once a run for the order of regions for a sort of thing, and once for the sorts
of places in a region. Everything else is counted.

Where regions are found on the way, behind doors and the like, the model is asked for the order of
all sorts of places instead. Of each sort, one more is thought to be there than is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from string import Template

from reactree_core.skill_types import SkillKind
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.node_context import ModelTalk
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.single_goal import read_single_goal
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.runs.run import PlanRun

#: Names of an order that the model is asked for; those behind them stay as they were told.
_MOST_ASKED = 6
#: How likely a thing is in one sort of place of an order, beside the sort before it.
_NEXT = 0.5
#: How likely a thing that is in a region lies in sight there, where some of it is out of sight.
_IN_SIGHT = 1 / 3
#: How much a thing of a later goal counts, beside the one that is looked for now.
_LATER = 0.5


class Expectations:
    """What the model expects of where things are, asked once a run.

    :param context: of the node that asks; pays for it.
    """

    def __init__(self, run: PlanRun, context: ModelTalk) -> None:
        self._run = run
        self._context = context

    def order(self, thing: str, names: Iterable[str], within: str = '') -> list[str]:
        """Names in the order in which the model expects a thing there.

        As they are given where the domain has no sentence to ask with, or guards want no order.
        What was not known when it was asked comes behind.

        :param thing: class. :param names: regions; or classes of places, `within` a region.
        :raises ModelError: the model failed. :raises CanceledError: stopped.
        """
        listed = list(dict.fromkeys(names))
        asks = self._run.settings.guards.search_order and self._run.domain.words.usually_kept
        if not asks or len(listed) < 2:
            return listed
        known = self._run.expected.setdefault((thing, within), [])
        known += self._ask(thing, [name for name in listed if name not in known])
        return sorted(listed, key=known.index)

    def _ask(self, thing: str, names: list[str]) -> list[str]:
        left = list(names)
        ordered: list[str] = []
        question = Template(self._run.domain.words.usually_kept)
        if len(left) < 2:
            return left
        with self._context.side_session(self._run.prompts.text('search_order')) as stem:
            stem.append(question.safe_substitute(thing=prompt.with_article(thing)))
            while len(left) > 1 and len(ordered) < _MOST_ASKED:
                with self._context.fork(stem) as fork:
                    chosen = self._run.model.choose(fork, [f' {name}.\n' for name in left])
                ordered.append(left.pop(chosen))
        return ordered + left


def recalled_at_once(run: PlanRun, goal: str) -> str:
    """Class that a node with a single goal is told of when it begins, instead of recalling it; ''.

    :param goal: of the node.
    """
    settings, belief = run.settings, run.belief
    remembers = settings.working_memory and belief.tells_facts and settings.guards.once_only
    if not (remembers and settings.takes_direct_steps):
        return ''
    single = read_single_goal(goal, belief.names, belief.skills)
    movable = single is not None and single.thing.kind is NameKind.THING
    return single.thing.name if single is not None and movable else ''


def next_looks(
    situation: NodeSituation, expected: Expectations, thing: Mention, movable: bool
) -> list[str]:
    """Regions and places left to look at for a thing of a single goal, the best first.

    What goals to come want and nobody has seen yet is looked for on the way.

    :param movable: whether places may hide it; a place itself is in sight.
    """
    belief = situation.belief
    left = _left_to_look_at(situation, movable)
    if len(left) < 2:
        return left
    wanted = {thing.name: 1.0}
    for name in _later_things(situation) if movable else ():
        wanted.setdefault(name, _LATER)
    chances = dict.fromkeys(left, 0.0)
    for name, weight in wanted.items():
        for where, chance in _chances(situation, expected, name, left, movable).items():
            chances[where] += weight * chance
    regions = belief.vocabulary.rooms
    here = situation.observation.room

    def skills(where: str) -> int:
        if where in regions:
            return 1
        fact = belief.memory.fact(where)
        away = bool(here and fact and fact.room and fact.room != here)
        there = situation.observation.place == where
        first = belief.exploration.way_to(where) not in ('', situation.observation.place)
        closed = fact is not None and belief.exploration.is_closed(fact)
        return max(1, away + first + (not there) + closed)

    # Of equal ones the first that was seen.
    return sorted(left, key=lambda where: -chances[where] / skills(where))


def _left_to_look_at(situation: NodeSituation, movable: bool) -> list[str]:
    """Regions and places of the goal that may show the thing, but for those already tried."""
    goal, belief = situation.reading.single, situation.belief
    left = belief.exploration.unseen(situation.reading.scope)
    regions = belief.vocabulary.rooms
    tried = {
        skill.target
        for skill in situation.skills.parse_all(situation.history.done_since_change)
        if situation.has_led_nowhere(skill)
        and (skill.kind is SkillKind.OPEN or skill.target != situation.observation.place)
    }
    sources = goal.sources if goal is not None and movable else ()
    known = any(source.matches(fact.name) for source in sources for fact in belief.memory.facts())

    def counts(where: str) -> bool:
        if where in regions:
            # Where a place is not known, it may be anywhere.
            return not (sources and known)
        if belief.names.class_of(where) in belief.exploration.ways:
            return True
        return movable and (not sources or any(source.matches(where) for source in sources))

    return [where for where in left if where not in tried and counts(where)]


def _chances(
    situation: NodeSituation,
    expected: Expectations,
    thing: str,
    left: list[str],
    movable: bool,
) -> dict[str, float]:
    """How likely a thing is at each of these, not scaled to one."""
    belief = situation.belief
    if belief.exploration.ways:
        return _chances_on_the_way(belief, expected, thing, left)
    regions = belief.vocabulary.rooms
    order = expected.order(thing, regions)
    # The order of a small model is a hint: the second region is half as likely, the third a third.
    of_region = {region: 1 / (place + 1) for place, region in enumerate(order)}
    chances = {}
    places: dict[str, list[str]] = {}
    for where in left:
        if where in regions:
            chances[where] = of_region[where] * (_IN_SIGHT if movable else 1)
        else:
            fact = belief.memory.fact(where)
            places.setdefault(fact.room if fact else '', []).append(where)
    for region, found in places.items():
        classes = Counter(map(belief.names.class_of, found))
        inside = of_region.get(region, 1.0) * (1 - _IN_SIGHT)
        for place, name in enumerate(expected.order(thing, classes, region)):
            for where in found:
                if belief.names.class_of(where) == name:
                    chances[where] = inside * _NEXT ** (place + 1) / classes[name]
    return chances


def _chances_on_the_way(
    belief: BeliefState, expected: Expectations, thing: str, left: list[str]
) -> dict[str, float]:
    """The same where ways lead to regions that are not known yet.

    A way may lead to one more place of each sort.
    """
    class_of, ways = belief.names.class_of, belief.exploration.ways
    known = Counter(
        fact.object_class
        for fact in belief.memory.facts()
        if belief.names.kind(fact.object_class) is NameKind.PLACE and fact.object_class not in ways
    )
    sorts = (one for one in belief.vocabulary.place_classes if one not in ways)
    order = expected.order(thing, (*known, *sorts))
    share = {
        sort: 1 / (min(place, _MOST_ASKED) + 1) / (known[sort] + 1)
        for place, sort in enumerate(order)
    }
    leading = [where for where in left if class_of(where) in ways]
    of_way = sum(share.values()) / max(1, len(leading))
    return {
        where: of_way if where in leading else share.get(class_of(where), 0.0) for where in left
    }


def _later_things(situation: NodeSituation) -> list[str]:
    """Movable things that goals still to come name and that have not been seen."""
    names, memory = situation.belief.names, situation.belief.memory
    found = {
        mention.name: None
        for goal in situation.pending
        for mention in names.find(goal)
        if mention.kind is NameKind.THING
    }
    return [name for name in found if not memory.facts(name)][:_MOST_ASKED]
