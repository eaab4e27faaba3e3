"""One node at work: its goal, what it has done, and what is known. All that the rules read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from reactree_core.observation import Observation
from reactree_core.skill_types import plain_name
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.effects import effect_holds
from reactree_planner.agents.effects import holds_already
from reactree_planner.agents.goal_reading import GoalReading
from reactree_planner.agents.making import Making
from reactree_planner.agents.node_history import NodeHistory
from reactree_planner.agents.retries import BRINGING
from reactree_planner.agents.retries import FETCHING
from reactree_planner.agents.skills import RECALL
from reactree_planner.agents.skills import Skill
from reactree_planner.instructions.asked import AskedSkill
from reactree_planner.instructions.coverage import named_counts
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.single_goal import is_plural

#: Kinds that are part of bringing a thing somewhere, or say nothing of it.
_CARRYING = (SkillKind.TAKE, SkillKind.PUT, SkillKind.MOVE, SkillKind.OTHER)


@dataclass
class NodeSituation:
    """One agent node at work.

    :param goal: its goal. :param chain: goals from its parent to the root.
    :param is_executor: whether it does all of its goal itself and cannot expand.
    :param pending: goals of other nodes that are still to come.
    :param is_direct: whether what follows from facts is done without asking the model, where the
        goal asks one thing.
    :param recalled: class of which it was told where things were seen when it began; '' for none.
    """

    goal: str
    chain: tuple[str, ...]
    belief: BeliefState
    is_executor: bool = False
    pending: tuple[str, ...] = ()
    recalled: str = ''
    is_direct: bool = False
    #: What is held, is not this goal's, and keeps the robot from opening something.
    in_the_way: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.skills = self.belief.skills
        #: What it has done.
        self.history = NodeHistory(self.skills, self.recalled)
        directly = self.is_direct and not self.chain
        #: What it makes, where it does a whole task.
        self.making = Making(self.goal, self.belief, self.history, directly)
        self._read_goal()
        self._note_what_is_in_the_way()
        self._look_again()

    def _read_goal(self) -> None:
        belief = self.belief
        #: What its goal asks, read again when more names are known.
        self.reading = GoalReading(
            self.goal,
            self.chain,
            belief.names,
            self.skills,
            self.is_direct,
            tools=() if self.chain else belief.tools_of_task(),
        )
        self._steps_done = 0
        self._pass_steps(None)
        for skill in self.history.succeeded:
            self._pass_steps(skill)

    @property
    def is_more_than_delivery(self) -> bool:
        """Whether it is a whole task in which things are changed, or put into what is brought."""
        return (
            not self.chain
            and self.reading.single is None
            and bool(self.reading.tools or self.belief.filled)
        )

    @property
    def wanted(self) -> tuple[Mention, ...]:
        """Objects and places that its goal names."""
        return self.reading.wanted

    @property
    def done(self) -> list[str]:
        """Skills that it has done, in order."""
        return self.history.done

    @property
    def brings_something(self) -> bool:
        """Whether the robot holds what a single goal wants at some place."""
        goal = self.reading.single
        if goal is None or goal.destination is None:
            return False
        return any(map(goal.thing.matches, self.held_things()))

    @property
    def approach_targets(self) -> tuple[Mention, ...]:
        """What it goes to on sight; an executor goes to a place only with a held object.

        Of a single goal: to the thing, and with it in hand to its place, or where it is changed.
        """
        goal = self.reading.single
        if goal is not None and goal.destination is not None:
            return (goal.destination if self.brings_something else goal.thing,)
        if goal is not None and (tools := self.reading.tools):
            # What is to be in the hand comes first: a tool, or what is brought to it.
            first: tuple[Mention, ...] = (goal.thing,)
            then = tools
            if tools[0].kind is NameKind.THING:
                first, then = then, first
            return then if self.holds_any(first) else first
        if not self.is_executor or self.observation.held:
            return self.wanted
        things = tuple(m for m in self.wanted if m.kind is NameKind.THING)
        return things or self.wanted

    def is_delivered(self) -> bool:
        """Whether an executor has brought everything to the places of its goal.

        True for other nodes, and where the server does not tell what was put where.
        """
        return not (self.is_executor and self.left_to_bring())

    def left_to_bring(self) -> Counter[str] | None:
        """Things that are not at the places of the goal yet; None where that cannot be told.

        What this run has put there counts. What was seen there may only have been near.
        """
        places = self.reading.destinations
        if not places or not self.reading.wanted_counts or not self.belief.placements_known:
            return None
        there = Counter(
            self.belief.names.class_of(thing)
            for thing, place in self.belief.placed.items()
            if not place or any(mention.matches(place) for mention in places)
        )
        # What is only scanned, washed and the like need not be brought.
        done_elsewhere = Counter(
            asked.mention.name
            for asked in self.reading.asked
            if asked.kind not in _CARRYING
            or (asked.kind is SkillKind.OTHER and self.asked_is_done(asked))
        )
        return self.reading.wanted_counts - there - done_elsewhere

    @property
    def observation(self) -> Observation:
        """Where the robot is now."""
        return self.belief.observation

    def record(self, skill_text: str, before: Observation) -> None:
        """Take note of a skill that has ended; the belief holds its observation already."""
        if self.belief.names.size != self.reading.names_known:
            self._read_goal()
        self.history.record(skill_text, before, self.observation)
        if skill_text.startswith(RECALL):
            return
        self._note_what_is_in_the_way()
        if self.history.last_skill is not None and self.observation.succeeded:
            self._pass_steps(self.history.last_skill)
        self._look_again()

    def _look_again(self) -> None:
        """Look everywhere once more, where a thing has vanished and nothing else is left."""
        goal = self.reading.single
        if goal is None or not self.belief.vanished or self.brings_something:
            return
        if not self.left_to_look_at() and self.belief.look_again(goal.thing):
            self.history.done_since_change.clear()

    def _note_what_is_in_the_way(self) -> None:
        """Know what to get rid of, once the robot may not open or take what it stands before: what
        other goals have left in its hold, and cannot be brought.
        """
        now, belief = self.observation, self.belief
        goal = self.reading.single
        left = [name for name in now.held if name in belief.stranded]
        if goal is None or not left:
            self.in_the_way = ()
            return
        here = belief.memory.fact(now.place)
        kinds = {skill.kind for skill in self.skills.parse_all(now.admissible_skills)}
        shut = (
            here is not None and belief.exploration.is_closed(here) and SkillKind.OPEN not in kinds
        )
        near = {now.place, *(fact.name for fact in now.facts if fact.receptacle == now.place)}
        beside = any(map(goal.thing.matches, near)) and SkillKind.TAKE not in kinds
        if self.in_the_way or shut or beside:
            self.in_the_way = tuple(name for name in left if not goal.thing.matches(name))

    @property
    def next_step(self) -> AskedSkill | None:
        """What the goal wants done next, where it tells an order and something is left."""
        if not self.reading.ordered or self._steps_done >= len(self.reading.asked):
            return None
        return self.reading.asked[self._steps_done]

    def _pass_steps(self, skill: Skill | None) -> None:
        """Count the steps of an order that a skill has done, and those after it that hold."""
        step = self.next_step
        if step is not None and skill is not None and step.asks_for(skill):
            self._steps_done += 1
        while (step := self.next_step) is not None and self._is_there_or_holds(step):
            self._steps_done += 1

    def _is_there_or_holds(self, asked: AskedSkill) -> bool:
        if asked.kind is SkillKind.MOVE:
            here = (self.observation.place, self.observation.room)
            return any(asked.mention.matches(place) for place in here)
        return self._held_before(asked)

    def is_wanted_elsewhere(self, skill: Skill) -> bool:
        """Whether a skill of a whole task puts a thing where its conditions do not want it, as the
        crate of "put crate pallet on shelf": first it comes on the pallet.
        """
        if self.chain or skill.kind is not SkillKind.PUT:
            return False
        ends = self.belief.ends_of(skill.target)
        where = skill.destination or self.observation.place
        return bool(ends and where) and not self.belief.is_one_of(where, ends)

    def asked_is_done(self, asked: AskedSkill) -> bool:
        """Whether an asked skill was done in this node, or holds already; in order, if told."""
        if self.reading.ordered:
            return any(asked is one for one in self.reading.asked[: self._steps_done])
        if any(asked.asks_for(skill) for skill in self.history.succeeded):
            return True
        return self._held_before(asked)

    def _held_before(self, asked: AskedSkill) -> bool:
        """Whether the effect of an asked skill holds, and the goal does not ask for it anew."""
        return not self.reading.asks_anew(asked) and holds_already(self.belief, asked)

    def holds_any(self, mentions: Iterable[Mention]) -> bool:
        """Whether the robot holds what one of these means."""
        return any(one.matches(name) for one in mentions for name in self.held_things())

    def held_things(self) -> tuple[str, ...]:
        """What the robot holds, or this node has taken where the server does not tell that."""
        if self.belief.held_objects_known:
            return self.observation.held
        held: dict[str, None] = {}
        for skill in self.history.succeeded:
            if skill.kind is SkillKind.TAKE:
                held[skill.target] = None
            elif skill.kind is SkillKind.PUT:
                held.pop(skill.target, None)
        return tuple(held)

    def has_led_nowhere(self, skill: Skill) -> bool:
        """Whether a skill was done since something last changed, or once more begins a round that
        leads nowhere, and is not to be done again.
        """
        if self.history.begins_round_anew(skill.text, self.reading.wanted_counts.values()):
            return not self.making.comes_next(skill)
        if skill.text not in self.history.done_since_change:
            return False
        return not (self._may_try_again(skill.text) or self.may_return(skill))

    def _may_try_again(self, text: str) -> bool:
        """Whether a skill failed that may succeed when it is tried again."""
        return (
            self.is_direct
            and self.history.may_be_tried_again(text)
            and not self.belief.retries.has_given_up(text)
        )

    def may_return(self, skill: Skill) -> bool:
        """Whether a skill leads back to where something wanted was seen and left, or, of a single
        goal, to where not all has been seen.
        """
        if skill.kind is not SkillKind.MOVE or self.history.is_done_often(skill):
            return False
        goal, exploration = self.reading.single, self.belief.exploration
        wanted = self.reading.named_objects if goal is None else self.approach_targets
        if any(
            skill.target in (fact.name, *self.belief.holders_of(fact.name))
            and self.is_wanted_from_where_it_is(mention, fact.name)
            for mention in wanted
            for fact in self.belief.memory.facts(mention.name)
        ):
            return True
        if goal is None:
            return False
        if skill.target in self.belief.vocabulary.rooms:
            return bool(exploration.unseen((skill.target,)))
        return skill.target in exploration.ways_to_unseen()

    def is_wanted_from_where_it_is(self, mention: Mention, name: str) -> bool:
        """Whether a thing is meant that is not in its place, or named by its number."""
        numbered = mention.instance is not None
        return mention.matches(name) and (numbered or not self.belief.is_in_its_place(name))

    def single_asks_for(self, skill: Skill) -> bool:
        """Whether a skill, done here, is what a single goal asks for in the end."""
        goal = self.reading.single
        if goal is None or skill.type not in goal.types or not goal.thing.matches(skill.target):
            return False
        where = skill.destination or self.observation.place
        return goal.destination is None or goal.destination.matches(where)

    def single_is_reached(self) -> bool:
        """Whether what a single goal asks is so, by what this run has done and seen."""
        goal = self.reading.single
        if goal is None:
            return False
        own = [
            skill
            for skill in self.history.succeeded
            if skill.type in goal.types and goal.thing.matches(skill.target)
        ]
        if goal.kind is SkillKind.MOVE:
            now = self.observation
            in_reach = (
                skill.target
                for skill in self.skills.parse_all(now.admissible_skills)
                if skill.kind is not SkillKind.MOVE
            )
            here = (*self.held_things(), now.place, now.room, *in_reach)
            return any(map(goal.thing.matches, here)) or (bool(own) and not now.place)
        if goal.kind is SkillKind.TAKE:
            held = any(map(goal.thing.matches, self.held_things()))
            return held and (bool(own) or not goal.further)
        if goal.kind is SkillKind.PUT:
            return any(self._is_at_destination(skill.target) for skill in own) or (
                self._enough_is_placed()
            )
        return bool(own) or (
            not goal.further
            and any(holds_already(self.belief, AskedSkill(one, goal.thing)) for one in goal.types)
        )

    def _is_at_destination(self, thing: str) -> bool:
        """Whether this run has put a thing where a single goal wants it, as far as is told."""
        assert self.reading.single is not None and self.reading.single.destination is not None
        where = self.belief.placed.get(thing)
        return where is not None and (not where or self.reading.single.destination.matches(where))

    def _enough_is_placed(self) -> bool:
        """Whether the run has brought as many as the whole task wants, before this node began."""
        goal = self.reading.single
        assert goal is not None
        if goal.further or not self.chain:
            return False
        names = self.belief.names
        wanted = named_counts(self.chain[-1], names)[goal.thing.name]
        said = [
            mention for mention in names.find(self.chain[-1]) if mention.name == goal.thing.name
        ]
        if not wanted or any(is_plural(mention, self.chain[-1]) for mention in said):
            return False
        there = [
            thing
            for thing in self.belief.placed
            if goal.thing.matches(thing) and self._is_at_destination(thing)
        ]
        return len(there) >= wanted

    def asked_types_left(self) -> tuple[SkillType, ...]:
        """Skills without names that the goal asks for and that were not done in this node."""
        done = {skill.type.template for skill in self.history.succeeded}
        return tuple(one for one in self.reading.asked_types if one.template not in done)

    def attempted_with_unknown_effect(self, asked: AskedSkill) -> bool:
        """Whether an asked skill was tried, and the server does not tell what came of it."""
        if effect_holds(self.belief, asked) is not None:
            return False
        return any(asked.asks_for(skill) for skill in self.skills.parse_all(self.done))

    def has_seen(self, mention: Mention) -> bool:
        """Whether what a goal names was seen or reached, or the server tells of nothing seen."""
        belief = self.belief
        if not belief.tells_facts or self.has_reached(mention):
            return True
        return any(mention.matches(fact.name) for fact in belief.memory.facts())

    def has_reached(self, mention: Mention) -> bool:
        """Whether the robot is at what a goal names, or has done something with it."""
        if mention.matches(self.observation.place):
            return True
        tells_place = bool(self.observation.place)
        return any(
            mention.matches(plain_name(value))
            for skill in self.history.succeeded
            if not (tells_place and skill.kind is SkillKind.MOVE)
            for value in skill.values
        )

    def is_delivery_to(self, place: str) -> bool:
        """Whether the goal is about something held and about this place."""
        held = self.observation.held
        return any(
            mention.kind is NameKind.PLACE and mention.matches(place)
            for mention in self.reading.mentions
            if mention not in self.reading.tools
        ) and any(mention.matches(name) for mention in self.reading.mentions for name in held)

    @property
    def given_up(self) -> Mention | None:
        """What a single goal needs next, where a skill on one of these was given up."""
        goal = self.reading.single
        if goal is None:
            return None
        # Nothing is fetched for a place that cannot be reached or opened.
        for mention in (goal.destination, None if self.brings_something else goal.thing):
            if mention is not None and any(map(mention.matches, self.names_given_up(mention))):
                return mention
        return None

    def names_given_up(self, mention: Mention) -> set[str]:
        """Things or places on which what a single goal needs of the mentioned one was given up."""
        goal = self.reading.single
        assert goal is not None
        if mention == goal.destination:
            kinds = BRINGING
        elif mention == goal.thing and goal.kind is not SkillKind.PUT:
            kinds = FETCHING - {SkillKind.TAKE} | {one.kind for one in goal.types}
        else:
            kinds = FETCHING
        return self.belief.retries.given_up(kinds)

    def left_to_look_at(self) -> tuple[str, ...]:
        """What of the goal's scope has not been seen yet, as far as it may help."""
        unseen = self.belief.exploration.unseen(self.reading.scope)
        if (needed := self.given_up) is not None:
            if needed.instance is not None or needed.label:
                return ()
            if needed.kind is NameKind.PLACE:
                # Another one would be in sight.
                return tuple(one for one in unseen if one in self.belief.vocabulary.rooms)
        named = self.reading.numbered_places
        if not named:
            return unseen
        left = tuple(place for place in named if self.belief.exploration.may_hide(place))
        # What no skill leads to may come in sight yet, or never.
        return tuple(
            place for place in left if self.belief.exploration.can_search(place) or unseen
        )
