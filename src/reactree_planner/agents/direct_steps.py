"""The next skill, where it follows from facts.

Of goals that ask one thing of one thing (`instructions/single_goal.py`), and of tasks that ask for
nothing but things to be made. Nothing is taken that is not offered, so all rules hold; where facts
do not say what comes next, the model is asked.

    held and fits -> bring it to its place, open that, put it down, done
    in reach      -> take it
    in sight      -> go there
    seen          -> go to where it was seen, open that
    not seen      -> the next place to look at (`likely.py`); failure once nothing is left
    to be made    -> the parts that recipes tell, then the thing (`recipes.py`)

A thing is changed by a tool in the hand where the thing is, or at a place to which it is brought,
where the template names the tool by its class: `wash <crate> with <sprayer>`.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable

from reactree_core.skill_types import SkillKind
from reactree_planner.agents.endings import changed_by
from reactree_planner.agents.likely import Expectations
from reactree_planner.agents.likely import next_looks
from reactree_planner.agents.making import Making
from reactree_planner.agents.retries import ENTERING
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.skills import Skill
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.tree.trajectory import DONE
from reactree_planner.tree.trajectory import FAILURE

#: A skill and why it is taken.
Step = tuple[str, str]


def direct_step(
    situation: NodeSituation,
    offered: list[str],
    settings: PlannerSettings,
    expected: Expectations,
) -> Step | None:
    """The next skill that follows from facts alone, and why; None where the model is to be asked.

    :param offered: what it is chosen from, `done` and `failure` among them.
    :raises ModelError: the model failed to tell where things are expected.
    :raises CanceledError: stopped.
    """
    if situation.history.failed_last in offered and situation.is_direct:
        return situation.history.failed_last, 'it failed, and may succeed when it is tried again'
    goal = situation.reading.single
    if goal is None:
        making = situation.making
        return _make(making, offered) if making.is_all else None
    if situation.single_is_reached():
        return (DONE, 'what the goal asks is so') if DONE in offered else None
    steps = _Steps(situation, offered, settings, expected)
    if situation.in_the_way and (step := steps.lay_down()) is not None:
        return step
    if goal.kind is SkillKind.PUT:
        return steps.deliver()
    if goal.kind in (SkillKind.TAKE, SkillKind.MOVE):
        return steps.reach(goal.thing)
    return steps.change()


def _make(making: Making, offered: list[str]) -> Step | None:
    """What a task that asks for nothing but things to be made needs next."""
    if not making.left():
        return (DONE, 'what the goal asks is so') if DONE in offered else None
    found = making.next_of(offered)
    if found is None:
        return None
    skill, needed_by = found
    return skill.text, f'{needed_by} needs it' if needed_by else 'the goal asks for it'


class _Steps:
    """What is offered to one node now, and what of it leads on."""

    def __init__(
        self,
        situation: NodeSituation,
        offered: list[str],
        settings: PlannerSettings,
        expected: Expectations,
    ) -> None:
        self._situation = situation
        self._belief = situation.belief
        self._now = situation.observation
        self._expected = expected
        #: Whether what other nodes have seen may be used.
        self._remembers = settings.working_memory
        # A place where nothing is in sight may still tell of ways to others, and before anything
        # was done nobody knows whether the server tells what is where.
        belief = situation.belief
        tells = belief.tells_facts or bool(belief.exploration.ways)
        looks = self._remembers and settings.guards.whole_search
        self._searches = looks and (tells or not belief.achieved)
        self._may_fail = tells and FAILURE in offered
        assert situation.reading.single is not None, "others are the model's to read"
        self._goal = situation.reading.single
        self._takes = self._goal.kind in (SkillKind.TAKE, SkillKind.PUT)
        self._skills = [
            skill
            for skill in situation.skills.parse_all(offered)
            if not skill.has_gap
            and not situation.has_led_nowhere(skill)
            and not situation.history.is_refused(skill.text, self._now)
            and not situation.history.is_done_often(skill)
        ]

    def _offered(self, kind: SkillKind, fits: Callable[[Skill], bool]) -> Skill | None:
        return next((one for one in self._skills if one.kind is kind and fits(one)), None)

    def _to(self, target: str) -> Skill | None:
        if target in (self._now.place, ''):
            return None
        return self._offered(SkillKind.MOVE, lambda skill: skill.target == target)

    def _opening(self, place: str) -> Skill | None:
        if not place:
            # A skill without names opens a thing that its template names.
            return None
        return self._offered(SkillKind.OPEN, lambda skill: skill.target == place)

    def deliver(self) -> Step | None:
        """Put what is held where the goal wants it, or get it first."""
        place, thing = self._goal.destination, self._goal.thing
        assert place is not None, 'of a PUT'
        put = self._offered(
            SkillKind.PUT,
            lambda skill: (
                thing.matches(skill.target) and place.matches(skill.destination or self._now.place)
            ),
        )
        if put is not None:
            return put.text, f'{put.target} is at hand and this is its place'
        if self._situation.given_up == place and self._is_hopeless(place):
            return self._failure(place)
        if not self._situation.brings_something:
            return self.reach(thing, place)
        for name in (self._now.place, *self._instances(place)):
            if place.matches(name) and (opening := self._opening(name)) is not None:
                return opening.text, 'what is held goes in there'
        return self._approach(place) or self._search(place)

    def change(self) -> Step | None:
        """Set a state of the thing, or go to it first."""
        goal = self._goal
        changed = changed_by(self._belief, goal.types) if goal.further else ()
        for kind in dict.fromkeys(one.kind for one in goal.types):
            skill = self._offered(
                kind,
                lambda skill: (
                    goal.thing.matches(skill.target)
                    and skill.type in goal.types
                    and skill.target not in changed
                ),
            )
            if skill is not None:
                return skill.text, 'the goal asks for it'
        if tools := self._situation.reading.tools:
            in_hand = tools[0].kind is NameKind.THING
            return self._to_hand(tools) if in_hand else self._bring_to(tools[0])
        if goal.thing.matches(self._now.place) and self._situation.given_up is None:
            # What else it needs is not told.
            return None
        return self.reach(goal.thing)

    def _to_hand(self, tools: tuple[Mention, ...]) -> Step | None:
        """Take a tool, and go with it to the thing.

        The thing is found first: with the tool in the hand a robot may not open what hides it.
        """
        thing = self._goal.thing
        if self._instances(thing) and not self._situation.holds_any(tools):
            self._takes = True
            return self.reach(next(filter(self._instances, tools), tools[0]))
        return self._approach(thing) or self._search(thing)

    def _bring_to(self, place: Mention) -> Step | None:
        """Take the thing to the place where it is changed, and put it in there."""
        thing, here = self._goal.thing, self._now.place
        if not self._situation.holds_any((thing,)):
            puts = (one for one in self._situation.history.succeeded if one.kind is SkillKind.PUT)
            if any(thing.matches(put.target) for put in puts):
                return self._approach(thing)  # what else it needs there is not told
            self._takes = True
            return self.reach(thing)
        if not place.matches(here):
            return self._approach(place) or self._search(place)
        if (opening := self._opening(here)) is not None:
            return opening.text, f'{thing.text} is changed in there'
        put = self._offered(
            SkillKind.PUT,
            lambda skill: thing.matches(skill.target) and place.matches(skill.destination or here),
        )
        return (put.text, f'{put.target} is changed in there') if put is not None else None

    def reach(self, thing: Mention, place: Mention | None = None) -> Step | None:
        """Take a thing, or whatever leads to it, and look for it where that is not known.

        :param place: where it shall be in the end: what is there already is fetched last.
        """
        if self._takes:
            for name in self._instances(thing, place):
                if (taken := self._taking(name)) is not None:
                    return taken.text, f'{name} is in reach'
        return self._approach(thing, place) or self._search(thing)

    def _taking(self, name: str) -> Skill | None:
        """The skill that takes a thing, from where the goal wants it taken if it tells."""
        sources = self._goal.sources

        def fits(skill: Skill) -> bool:
            told = bool(sources and skill.destination)
            return skill.target == name and (not told or _any_matches(sources, skill.destination))

        return self._offered(SkillKind.TAKE, fits)

    def _instances(self, thing: Mention, place: Mention | None = None) -> list[str]:
        """Things that are meant, the nearest first; none that this run has put in its place."""
        belief, now = self._belief, self._now
        targets = [skill.target for skill in self._skills]
        known = [fact.name for fact in belief.memory.facts()] if self._remembers else []
        names = dict.fromkeys(name for name in (*targets, *known) if thing.matches(name))
        if thing.instance is None and not thing.label:
            names = dict.fromkeys(name for name in names if not belief.is_in_its_place(name))
        if thing == self._goal.thing and self._goal.further:
            changed = changed_by(belief, self._goal.types)
            names = dict.fromkeys(name for name in names if name not in changed)
        if self._takes and thing == self._goal.thing:
            names = dict.fromkeys(name for name in names if name not in belief.out_of_reach)
        lost = self._situation.names_given_up(thing)
        shut = belief.retries.given_up(ENTERING)

        def is_given_up(name: str) -> bool:
            fact = belief.memory.fact(name)
            return name in lost or (
                fact is not None and fact.receptacle in shut and name not in targets
            )

        names = dict.fromkeys(name for name in names if not is_given_up(name))

        def distance(name: str) -> tuple[bool, bool, bool, bool]:
            fact = belief.memory.fact(name)
            there = bool(fact and place and place.matches(fact.receptacle))
            used = name in belief.placed.values()
            away = bool(fact and fact.room and now.room and fact.room != now.room)
            return there, not used, away, name not in targets

        return sorted(names, key=distance)

    def _approach(self, thing: Mention, place: Mention | None = None) -> Step | None:
        """The next skill on the way to what is in sight or was seen."""
        sources = self._goal.sources if thing == self._goal.thing else ()
        for name in self._instances(thing, place):
            fact = self._belief.memory.fact(name) if self._remembers else None
            receptacle = fact.receptacle if fact else ''
            if sources and receptacle and not _any_matches(sources, receptacle):
                continue
            step = self._to(name)
            if step is not None:
                return step.text, f'{name} is in sight'
            if fact is None:
                continue
            if step := self._opening(receptacle):
                return step.text, f'{name} was seen in there'
            if name == self._now.place:
                continue
            for holder in self._belief.holders_of(name):
                if step := self._to(holder):
                    return step.text, f'{name} was seen at {holder}'
            if fact.room != self._now.room and (step := self._to(fact.room)):
                return step.text, f'{name} was seen in {fact.room}'
        return None

    def _search(self, thing: Mention) -> Step | None:
        """The next place to look at, or failure where none is left."""
        seen_now = {fact.name for fact in self._now.facts}
        if not self._searches or not seen_now.isdisjoint(self._instances(thing)):
            # What is here and leads to nothing needs something that is not told.
            return None
        if self._situation.given_up is not None and self._is_hopeless(thing):
            return self._failure(thing)
        movable = self._belief.names.kind(thing.name) is not NameKind.PLACE
        looks = next_looks(self._situation, self._expected, thing, movable)
        if not movable:
            # A region to which no skill leads is seen from a place in it, and what is a part of
            # another place perhaps only there.
            looks += [place for one in looks for place in self._belief.exploration.places(one)]
            looks = looks or next_looks(self._situation, self._expected, thing, movable=True)
        if not looks:
            return self._failure(thing) if self._is_hopeless(thing) else None
        for where in looks:
            if (step := self._look_at(where)) is not None:
                why = f'{thing.text} is looked for, and {where} has not been looked at'
                return step.text, why
        if self._belief.exploration.may_hide(self._now.place):
            # Who stands before something closed opens it first.
            step = self._opening(self._now.place)
            return (step.text, f'{thing.text} may be in here') if step is not None else None
        return None

    def _look_at(self, where: str) -> Skill | None:
        """The next skill on the way to look at a place."""
        if where == self._now.place:
            return self._opening(where)
        fact = self._belief.memory.fact(where)
        return (
            self._opening(where)
            or self._to(where)
            or self._to(self._belief.exploration.way_to(where))
            or (self._to(fact.room) if fact else None)
        )

    def _is_hopeless(self, thing: Mention) -> bool:
        """Whether nothing is left to look at, and none of what is meant can be handled."""
        left = self._situation.left_to_look_at()
        return self._may_fail and not left and not self._instances(thing)

    def _failure(self, thing: Mention) -> Step:
        given_up = self._situation.given_up is not None
        failed = f'{thing.text} failed too often, and ' if given_up else ''
        return FAILURE, f'{failed}nothing is left to look at'

    def lay_down(self) -> Step | None:
        """Release what another goal has left in the hold, here or at a place of this region."""
        left = self._situation.in_the_way
        put = self._offered(SkillKind.PUT, lambda skill: skill.target in left)
        if put is not None:
            return put.text, f'{put.target} is in the way'
        for place in self._belief.exploration.places(self._now.room):
            fact = self._belief.memory.fact(place)
            closed = fact is not None and self._belief.exploration.is_closed(fact)
            if not closed and (step := self._to(place)) is not None:
                return step.text, f'{left[0]} is in the way, and may be left there'
        return None


def _any_matches(mentions: Iterable[Mention], name: str) -> bool:
    return any(mention.matches(name) for mention in mentions)
