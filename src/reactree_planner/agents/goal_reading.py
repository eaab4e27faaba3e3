"""What one goal asks, as far as its words say it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reactree_planner.agents.skills import SkillBook
from reactree_planner.instructions.asked import asked_skills
from reactree_planner.instructions.asked import asked_without_names
from reactree_planner.instructions.asked import AskedSkill
from reactree_planner.instructions.asked import asks_more
from reactree_planner.instructions.asked import sources
from reactree_planner.instructions.asked import spoken_skill
from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.coverage import named_counts
from reactree_planner.instructions.names import before_determiners
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.single_goal import read_single_goal
from reactree_planner.instructions.single_goal import SingleGoal
from reactree_planner.instructions.single_goal import tool_of
from reactree_planner.instructions.words import word_set
from reactree_planner.instructions.words import words_of

#: Words before a thing that is not the one that others were about.
_ONE_MORE = word_set('another other more second third fourth fifth sixth next')


class GoalReading:
    """A goal read with the names that are known now.

    :param chain: goals from its parent to the root.
    :param is_direct: whether it is read for the one thing that it may ask.
    :param tools: that it needs beside what it names, where it asks for more than one thing.
    """

    def __init__(
        self,
        goal: str,
        chain: Sequence[str],
        names: Names,
        skills: SkillBook,
        is_direct: bool = False,
        tools: tuple[Mention, ...] = (),
    ) -> None:
        self._goal = goal
        self._names = names
        #: How much was known of names, as `Names.size` tells.
        self.names_known = names.size
        named = names.find(goal)
        #: The one thing that it asks in plain words; None where that is for the model to read.
        self.single = read_single_goal(goal, names, skills) if is_direct else None
        #: By what or where a single goal changes its thing, told by it or by the skill.
        self.tools = self._tools_of(self.single) if self.single is not None else tools
        #: Names in it, and the tools that it may be done with.
        self.mentions = named + tuple(one for one in self.tools if one not in named)
        self.chain_mentions = self.mentions + tuple(
            mention for goal in chain for mention in names.find(goal)
        )
        #: Objects and places the goal names or needs.
        self.wanted = tuple(
            mention for mention in self.mentions if mention.kind is not NameKind.REGION
        )
        #: Movable things of the nearest goal that names any: its own, else its parent's, ...
        self.named_objects: tuple[Mention, ...] = ()
        #: Those that only locate another: "the pallet" in "load the crate on the pallet".
        self.location_mentions: tuple[Mention, ...] = ()
        #: How many of each of them that goal wants.
        self.wanted_counts: Counter[str] = Counter()
        for text in (goal, *chain):
            mentions = self.mentions if text == goal else names.find(text)
            found = tuple(m for m in mentions if m.kind is NameKind.THING)
            if found:
                self.named_objects = found
                self.location_mentions = names.location_mentions(text)
                self.wanted_counts = named_counts(text, names)
                break
        self.asked = asked_skills(goal, named, skills)
        #: Places that only tell where something is to be taken.
        self.sources = sources(goal, named, self.asked)
        #: Places to which it wants something.
        self.destinations = tuple(
            mention
            for mention in self.wanted
            if mention.kind is NameKind.PLACE and mention not in self.sources
        )
        #: The skill without names that the goal is, word for word; '' for none.
        self.spoken = spoken_skill(goal, skills)
        #: Skills without names that the goal asks for.
        self.asked_types = asked_without_names(goal, skills)
        ends = [mention.end for one in self.asked for mention in (one.mention, *one.others)]
        #: Whether it asks for more than these.
        self.asks_more = asks_more(
            goal, skills, max((*ends, *self.asked_types.values()), default=0)
        )
        #: Whether the goal tells in which order it wants what it asks for.
        self.ordered = read_clauses(goal, skills.verbs).ordered and len(self.asked) > 1

    def _tools_of(self, goal: SingleGoal) -> tuple[Mention, ...]:
        if len(goal.types) != 1:
            return ()
        if goal.tool is not None:
            return (goal.tool,)
        return self._names.sorts_of(tool_of(goal.types[0]))

    @property
    def numbered_places(self) -> tuple[str, ...]:
        """Places the goal names with their numbers: then it is about those alone.

        Movable things in or on which it wants others ("in basket 1") are places to it. Where a
        single goal brings a thing does not tell where that is.
        """
        brought_to = self.single.destination if self.single is not None else None
        return tuple(
            f'{mention.name} {mention.instance}'
            for mention in self.mentions
            if mention.instance is not None
            and mention != brought_to
            and (mention.kind is NameKind.PLACE or mention in self.location_mentions)
        )

    def asks_anew(self, asked: AskedSkill) -> bool:
        """Whether a goal wants one more thing than others had, as in "load another crate"."""
        words = words_of(self._goal)
        start = asked.mention.start
        before = words[before_determiners(words, start) : start]
        return not _ONE_MORE.isdisjoint(before)

    @property
    def scope(self) -> tuple[str, ...]:
        """Regions that it is about: those it names, or all that are known by now."""
        named = [mention for mention in self.mentions if mention.kind is NameKind.REGION]
        rooms = self._names.rooms
        return tuple(room for room in rooms if any(one.matches(room) for one in named)) or rooms
