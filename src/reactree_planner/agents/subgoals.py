"""From the model's list of subgoals to those that may stand in the tree."""

from __future__ import annotations

import re
from collections.abc import Callable

from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.subgoal_checks import brings_about
from reactree_planner.agents.subgoal_checks import infeasible
from reactree_planner.agents.subgoal_checks import lacking
from reactree_planner.agents.subgoal_checks import more_than_lacking
from reactree_planner.agents.subgoal_checks import not_covered
from reactree_planner.agents.subgoal_checks import written_in_order
from reactree_planner.instructions.asked import asked_skills
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.coverage import about_the_goal
from reactree_planner.instructions.coverage import completed_counts
from reactree_planner.instructions.coverage import in_told_order
from reactree_planner.instructions.coverage import missing_things
from reactree_planner.instructions.coverage import named_counts
from reactree_planner.instructions.coverage import with_names_of_goal
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.words import words_of
from reactree_planner.runs.run import PlanRun
from reactree_planner.tree.events import ControlFlow
from reactree_planner.tree.events import MOST_SUBGOALS

#: Longest subgoal that is taken, in characters.
LONGEST_SUBGOAL = 1000

Written = tuple[ControlFlow, tuple[str, ...]]


def split_subgoals(
    text: str, most: int = MOST_SUBGOALS, as_written: bool = False
) -> tuple[str, ...]:
    """Subgoals of a `- subgoals:` line: split at commas and semicolons.

    :param most: further ones are dropped, 1 or more.
    :param as_written: as published: only a comma before a space parts, and full stops stay.
    """
    found = text.split(', ') if as_written else re.split(r'[,;]', text)
    parts = (' '.join(part.split()).rstrip('' if as_written else '.') for part in found)
    return tuple(part[:LONGEST_SUBGOAL] for part in parts if part)[:most]


def same_goal(left: str, right: str) -> bool:
    """Whether two goals say the same, whatever their case, punctuation and articles."""
    articles = ('a', 'an', 'the')
    return [word for word in words_of(left) if word not in articles] == [
        word for word in words_of(right) if word not in articles
    ]


def search_of(subgoals: tuple[str, ...], names: Names) -> tuple[str, dict[str, str]]:
    """The search that subgoals are: its words, and where each of its subgoals looks.

    It is one when two or more subgoals differ in nothing but the room, or the numbered place, that
    they name.

    :return: ('', {}) when it is none. A NUL stands in the words for the place.
    """
    searches: dict[str, dict[str, str]] = {}
    for subgoal in subgoals:
        told = names.location_mentions(subgoal)
        found = [
            mention
            for mention in names.find(subgoal)
            if mention.kind is not NameKind.THING or mention in told
        ]
        if len(found) == 1 and found[0].instance is not None:
            where = f'{found[0].name} {found[0].instance}'
            if where in subgoal:
                searches.setdefault(subgoal.replace(where, '\0'), {})[subgoal] = where
    for wording, ways in searches.items():
        if len(ways) >= 2:
            return wording, ways
    return '', {}


def _is_bare_name(subgoal: str, names: Names) -> bool:
    """Whether a subgoal is the name and number of a place or region, and nothing else."""
    return any(
        mention.kind is not NameKind.THING and subgoal == f'{mention.name} {mention.instance}'
        for mention in names.find(subgoal)
    )


def completed_search(
    subgoals: tuple[str, ...], names: Names, rooms: tuple[str, ...]
) -> tuple[str, ...]:
    """A search over rooms or places, with these rooms added where it leaves them out.

    A small model lists the places it sees, and what it wants is in another room. If there are too
    many subgoals, the last places are dropped: searching a room covers its places.

    :param rooms: rooms with something unseen, by name and number.
    """
    wording, ways = search_of(subgoals, names)
    if not ways:
        return subgoals
    # Models leave out the words that all ways share: "scan crate in bay 1, bay 2".
    whole = {name: wording.replace('\0', name) for name in subgoals if _is_bare_name(name, names)}
    subgoals = tuple(dict.fromkeys(whole.get(subgoal, subgoal) for subgoal in subgoals))
    ways |= {subgoal: name for name, subgoal in whole.items()}
    added = [wording.replace('\0', room) for room in rooms if room not in ways.values()]
    surplus = len(subgoals) + len(added) - MOST_SUBGOALS
    places = [subgoal for subgoal, where in ways.items() if where not in rooms]
    dropped = places[-surplus:] if surplus > 0 else []
    kept = (subgoal for subgoal in subgoals if subgoal not in dropped)
    return (*kept, *added)[:MOST_SUBGOALS]


class SubgoalRepair:
    """Mends lists of subgoals of one goal.

    :param goes_on: whether the goal was expanded before: then part of it is done, and what the
        list leaves out is not added.
    :param has_tried: whether subgoals have failed with just what is known now.
    """

    def __init__(
        self,
        run: PlanRun,
        situation: NodeSituation,
        goes_on: bool = False,
        has_tried: Callable[[tuple[str, ...]], bool] = lambda subgoals: False,
    ) -> None:
        self._run = run
        self._has_tried = has_tried
        self._goes_on = goes_on
        self._covers = run.settings.guards.cover_goal and not goes_on
        self._belief = run.belief
        self._guards = run.settings.guards
        self._rules = run.rules
        self._situation = situation
        self._names = run.belief.names

    @property
    def is_ordered(self) -> bool:
        """Whether the goal tells in which order its parts are to be done."""
        return self._guards.cover_goal and self._situation.reading.ordered

    @property
    def is_about_several(self) -> bool:
        """Whether the goal is about several things, which no single way to one end brings."""
        several = named_counts(self._situation.goal, self._names).total() > 1
        return (self._guards.cover_goal and several) or len(self.lacked) > 1

    @property
    def lacked(self) -> tuple[Condition, ...]:
        """Conditions of the task that its own goal, and no part of it, is to bring about."""
        if self._situation.chain or not self._guards.check_expansions:
            return ()
        return tuple(one for one in self._run.conditions if lacking(self._belief, one))

    def has_failed(self, subgoals: tuple[str, ...]) -> bool:
        """Whether just these subgoals have failed with just what is known now."""
        return self._guards.check_expansions and self._has_tried(subgoals)

    def objection(self, flow: ControlFlow, subgoals: tuple[str, ...]) -> str:
        """What is wrong with subgoals, in a sentence for the model; '' where nothing is known."""
        if not subgoals or not self._guards.check_expansions:
            return ''
        if self.has_failed(subgoals):
            return 'This has failed before, and nothing is different since.'
        lacked = self.lacked
        if flow is ControlFlow.FALLBACK:
            # Each way stands for the whole.
            ways = (not_covered((way,), lacked, self._belief) for way in subgoals)
            return next(filter(None, ways), '')
        return (
            not_covered(subgoals, lacked, self._belief)
            or infeasible(flow, subgoals, self._belief)
            or self._done_already(subgoals, lacked)
        )

    def _done_already(self, subgoals: tuple[str, ...], lacked: tuple[Condition, ...]) -> str:
        """A sentence about a subgoal that brings about what holds already; '' for none."""
        if not (self._goes_on and lacked):
            return ''
        surplus = more_than_lacking(subgoals, lacked, self._belief)
        met = [one for one in self._run.conditions if one not in lacked]
        for subgoal in subgoals:
            does = [one for one in (*met, *lacked) if brings_about(subgoal, one, self._belief)]
            if does and not any(one in lacked for one in does):
                return f'This is done already: {subgoal}.'
        return surplus

    def written(self) -> Written | None:
        """Subgoals written from what the task lacks; None where they would be the goal itself, or
        leave out what its conditions do not tell.
        """
        lacked = self.lacked
        if not lacked:
            return None
        goal = self._situation.goal
        flow, subgoals = written_in_order(lacked, self._belief, goal)
        usable = self.usable(subgoals, flow)
        if not usable or self._has_tried(usable):
            return None
        return flow, usable

    def usable(
        self, listed: tuple[str, ...], flow: ControlFlow = ControlFlow.NONE
    ) -> tuple[str, ...]:
        """Subgoals that may stand; fewer than given when some may not."""
        usable = [
            text
            for text in listed
            if not (self._is_forbidden(text) or self._names_unknown_instance(text))
        ]
        if self._guards.cover_goal and flow is ControlFlow.FALLBACK:
            # Repeated, it is no alternative; elsewhere it may stand for a second object.
            usable = [
                text
                for place, text in enumerate(usable)
                if not any(same_goal(text, other) for other in usable[:place])
            ]
        return self._without_ancestors(tuple(usable))

    def _names_unknown_instance(self, subgoal: str) -> bool:
        """Whether a subgoal names something by a number that neither task nor server has told."""
        if not (self._guards.cover_goal and self._belief.tells_facts):
            return False
        by_people = {(m.name, m.instance) for m in self._situation.reading.chain_mentions}
        return any(
            mention.instance is not None
            and (mention.name, mention.instance) not in by_people
            and not self._belief.is_known_instance(f'{mention.name} {mention.instance}')
            for mention in self._names.find(subgoal)
        )

    def _is_forbidden(self, subgoal: str) -> bool:
        """Whether a subgoal literally asks for what rules forbid for good."""
        found = self._names.find(subgoal)
        now = self._situation.observation
        return any(
            self._rules.bars(one.text, now)
            for one in asked_skills(subgoal, found, self._belief.skills)
        )

    def _without_ancestors(self, subgoals: tuple[str, ...]) -> tuple[str, ...]:
        if not self._guards.cover_goal:
            return subgoals
        above = (self._situation.goal, *self._situation.chain)
        return tuple(text for text in subgoals if not any(same_goal(text, goal) for goal in above))

    def missing(self, flow: ControlFlow, subgoals: tuple[str, ...]) -> int:
        """How far subgoals are from covering the goal, 0 for well covered."""
        if not self._covers:
            return 0
        return missing_things(flow, subgoals, self._situation.goal, self._names)

    def repaired(self, flow: ControlFlow, listed: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
        """Usable subgoals made to cover the goal, and how many flaws the list had."""
        goal, names = self._situation.goal, self._names
        usable = self.usable(listed, flow)
        flaws = len(listed) - len(usable)
        if self._covers:
            # A name put right may have made the goal itself of a subgoal.
            usable = self._without_ancestors(with_names_of_goal(flow, usable, goal, names))
            usable = about_the_goal(flow, usable, goal, names)
            usable = completed_counts(flow, usable, goal, names)
            usable = in_told_order(flow, usable, goal, names)
        return usable, flaws + self.missing(flow, usable)

    def add_unsearched_rooms(
        self, flow: ControlFlow, subgoals: tuple[str, ...]
    ) -> tuple[str, ...]:
        """A search with the rooms that it leaves out, the one where the robot is last."""
        if not self._guards.cover_goal or flow is not ControlFlow.FALLBACK:
            return subgoals
        if self._situation.reading.numbered_places:
            return subgoals
        unseen = self._belief.exploration.unseen
        rooms = [room for room in self._situation.reading.scope if unseen((room,))]
        rooms.sort(key=lambda room: room == self._situation.observation.room)
        return completed_search(subgoals, self._names, tuple(rooms))
