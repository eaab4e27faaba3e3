"""What a node has done and what its goal asks: all that the rules read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from dataclasses import field

from reactree_core.observation import Observation
from reactree_core.skill_types import plain_name
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.belief_state import BeliefState
from reactree_planner.agents.effects import effect_holds
from reactree_planner.agents.effects import holds_already
from reactree_planner.agents.retries import BRINGING
from reactree_planner.agents.retries import FETCHING
from reactree_planner.agents.retries import has_vanished
from reactree_planner.agents.retries import may_succeed_again
from reactree_planner.agents.skills import IDLE_KINDS
from reactree_planner.agents.skills import Skill
from reactree_planner.instructions.asked import asked_skills
from reactree_planner.instructions.asked import asked_without_names
from reactree_planner.instructions.asked import AskedSkill
from reactree_planner.instructions.asked import asks_more
from reactree_planner.instructions.asked import sources
from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.coverage import named_counts
from reactree_planner.instructions.names import before_determiners
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.single_goal import is_plural
from reactree_planner.instructions.single_goal import read_single_goal
from reactree_planner.instructions.words import word_set
from reactree_planner.instructions.words import words_of

RECALL = 'recall location of '
#: When a skill of unknown kind shows the same text this often in a node, it changes nothing.
_MOST_EQUAL_TEXTS = 3
#: Skills that a node does again before it may give up.
_CIRCLE = 8
#: The same skills in the same order, so often in a row, are enough; and how many skills these are.
_MOST_ROUNDS, _LONGEST_ROUND = 4, 4
#: Words before a thing that is not the one that others were about.
_ONE_MORE = word_set('another other more second third fourth fifth sixth next')
#: Times that a node with a single goal does one and the same skill without asking the model.
MOST_TIMES = 3
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
    done: list[str] = field(default_factory=list)
    done_since_change: Counter[str] = field(default_factory=Counter)
    succeeded: list[Skill] = field(default_factory=list)
    effects: int = 0
    #: Skills that did not succeed.
    failures: int = 0
    last_skill: Skill | None = None
    #: Skills whose last try failed, but may succeed; and how often that was so.
    failed: set[str] = field(default_factory=set)
    retried: Counter[str] = field(default_factory=Counter)
    #: The last skill, where it failed and changed nothing; '' else.
    failed_last: str = ''
    #: What is held, is not this goal's, and keeps the robot from opening something.
    in_the_way: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.skills = self.belief.skills
        if self.recalled:
            self.done.append(RECALL + self.recalled)
        self._texts_seen: Counter[str] = Counter()
        self._read_goal()
        self._look_again()

    def _read_goal(self) -> None:
        """Know what the goal speaks of: again when more names are known."""
        names = self.belief.names
        self._read_with = names.size
        self.mentions = names.find(self.goal)
        self.chain_mentions = self.mentions + tuple(
            mention for goal in self.chain for mention in names.find(goal)
        )
        #: Objects and places the goal names.
        self.wanted = tuple(
            mention for mention in self.mentions if mention.kind is not NameKind.REGION
        )
        #: Movable things of the nearest goal that names any: its own, else its parent's, ...
        self.named_objects: tuple[Mention, ...] = ()
        #: Those that only locate another: "the pallet" in "load the crate on the pallet".
        self.location_mentions: tuple[Mention, ...] = ()
        #: How many of each of them that goal wants.
        self.wanted_counts: Counter[str] = Counter()
        for goal in (self.goal, *self.chain):
            found = tuple(m for m in names.find(goal) if m.kind is NameKind.THING)
            if found:
                self.named_objects = found
                self.location_mentions = names.location_mentions(goal)
                self.wanted_counts = named_counts(goal, names)
                break
        self.asked = asked_skills(self.goal, self.mentions, self.skills)
        #: The one thing that it asks in plain words; None where that is for the model to read.
        self.single = read_single_goal(self.goal, names, self.skills) if self.is_direct else None
        #: Places that only tell where something is to be taken.
        self.sources = sources(self.goal, self.mentions, self.asked)
        #: Skills without names that the goal asks for.
        self.asked_types = asked_without_names(self.goal, self.skills)
        ends = [mention.end for one in self.asked for mention in (one.mention, *one.others)]
        #: Whether it asks for more than these.
        self.asks_more = asks_more(
            self.goal, self.skills, max((*ends, *self.asked_types.values()), default=0)
        )
        #: Whether the goal tells in which order it wants what it asks for.
        self.ordered = read_clauses(self.goal, self.skills.verbs).ordered and len(self.asked) > 1
        self._steps_done = 0
        self._pass_steps(None)
        for skill in self.succeeded:
            self._pass_steps(skill)

    @property
    def brings_something(self) -> bool:
        """Whether the robot holds what a single goal wants at some place."""
        return (
            self.single is not None
            and self.single.destination is not None
            and any(map(self.single.thing.matches, self.held_things()))
        )

    @property
    def approach_targets(self) -> tuple[Mention, ...]:
        """What it goes to on sight; an executor goes to a place only with a held object.

        Of a single goal: to the thing, and with it in hand to its place.
        """
        if self.single is not None and self.single.destination is not None:
            brings = self.brings_something
            return (self.single.destination if brings else self.single.thing,)
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
        places = [
            mention
            for mention in self.wanted
            if mention.kind is NameKind.PLACE and mention not in self.sources
        ]
        if not places or not self.wanted_counts or not self.belief.placements_known:
            return None
        there = Counter(
            self.belief.names.class_of(thing)
            for thing, place in self.belief.placed.items()
            if not place or any(mention.matches(place) for mention in places)
        )
        # What is only scanned, washed and the like need not be brought.
        done_elsewhere = Counter(
            asked.mention.name
            for asked in self.asked
            if asked.kind not in _CARRYING
            or (asked.kind is SkillKind.OTHER and self.asked_is_done(asked))
        )
        return self.wanted_counts - there - done_elsewhere

    @property
    def observation(self) -> Observation:
        """Where the robot is now."""
        return self.belief.observation

    def record(self, skill_text: str, before: Observation) -> None:
        """Take note of a skill that has ended; the belief holds its observation already."""
        if self.belief.names.size != self._read_with:
            self._read_goal()
        self.done.append(skill_text)
        self.done_since_change[skill_text] += 1
        skill = self.skills.parse(skill_text)
        self.last_skill = skill
        self.failed_last = ''
        if skill_text.startswith(RECALL):
            return
        self._note_effect(skill_text, skill, before)
        self._look_again()

    def _look_again(self) -> None:
        """Look everywhere once more, where a thing has vanished and nothing else is left."""
        goal = self.single
        if goal is None or not self.belief.vanished or self.brings_something:
            return
        if not self.left_to_look_at() and self.belief.look_again(goal.thing):
            self.done_since_change.clear()

    def _note_effect(self, skill_text: str, skill: Skill | None, before: Observation) -> None:
        """Know what a skill has changed, or that it failed."""
        now = self.observation
        self._note_what_is_in_the_way()
        if skill is not None and has_vanished(skill, now):
            # Where it is found next, what was done before counts no more.
            for done in self.skills.parse_all(tuple(self.done_since_change)):
                if done.target == skill.target:
                    del self.done_since_change[done.text]
        self.failed.discard(skill_text)
        if may_succeed_again(now):
            self.failed.add(skill_text)
            self.retried[skill_text] += 1
            if (now.held, now.place, now.room) == (before.held, before.place, before.room):
                self.failed_last = skill_text
        if not now.succeeded:
            self.failures += 1
            return
        if self._has_changed_something(skill, before):
            self.effects += 1
            # More can come of what is made, and nobody knows what a skill of no kind does.
            goes_on = skill is None or skill.kind in (SkillKind.MAKE, SkillKind.OTHER)
            self.done_since_change = Counter(() if goes_on else (skill_text,))
        if skill is not None:
            self.succeeded.append(skill)
            self._pass_steps(skill)

    def _note_what_is_in_the_way(self) -> None:
        """Know what to get rid of, once the robot may not open or take what it stands before: what
        other goals have left in its hold, and cannot be brought.
        """
        now, belief = self.observation, self.belief
        goal = self.single
        left = [name for name in now.held if name in belief.stranded]
        if goal is None or not left:
            self.in_the_way = ()
            return
        here = belief.memory.fact(now.place)
        kinds = {skill.kind for skill in self.skills.parse_all(now.admissible_skills)}
        shut = (
            here is not None and belief.exploration.is_closed(here) and SkillKind.OPEN not in kinds
        )
        beside = goal.thing.matches(now.place) and SkillKind.TAKE not in kinds
        if self.in_the_way or shut or beside:
            self.in_the_way = tuple(name for name in left if not goal.thing.matches(name))

    def _has_changed_something(self, skill: Skill | None, before: Observation) -> bool:
        """Whether a skill that succeeded had an effect, as far as what is seen tells.

        Walking shows new things but changes nothing. Where the server tells no facts of what the
        skill is on, its kind says so. A skill of unknown kind may have done anything, until it
        has shown the same text a few times.
        """
        now = self.observation
        if now.held != before.held:
            return True
        if skill is None or skill.kind is SkillKind.OTHER:
            self._texts_seen[now.text] += 1
            return self._texts_seen[now.text] < _MOST_EQUAL_TEXTS
        states = {fact.name: fact.state for fact in before.facts}
        told = [fact for fact in now.facts if fact.name == skill.target]
        if told:
            changed = any(states.get(fact.name, '') != fact.state for fact in told)
            return changed and now.place == before.place
        return skill.kind not in IDLE_KINDS

    @property
    def next_step(self) -> AskedSkill | None:
        """What the goal wants done next, where it tells an order and something is left."""
        if not self.ordered or self._steps_done >= len(self.asked):
            return None
        return self.asked[self._steps_done]

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

    def asked_is_done(self, asked: AskedSkill) -> bool:
        """Whether an asked skill was done in this node, or holds already; in order, if told."""
        if self.ordered:
            return any(asked is one for one in self.asked[: self._steps_done])
        if any(asked.asks_for(skill) for skill in self.succeeded):
            return True
        return self._held_before(asked)

    @property
    def goes_in_circles(self) -> bool:
        """Whether the node has for some time done only what it had done before."""
        earlier, lately = self.done[:-_CIRCLE], self.done[-_CIRCLE:]
        return len(lately) == _CIRCLE and set(lately) <= set(earlier)

    def _held_before(self, asked: AskedSkill) -> bool:
        """Whether the effect of an asked skill holds, and the goal does not ask for it anew."""
        return not self._asks_anew(asked) and holds_already(self.belief, asked)

    def _asks_anew(self, asked: AskedSkill) -> bool:
        """Whether a goal wants one more thing than others had, as in "load another crate"."""
        words = words_of(self.goal)
        start = asked.mention.start
        before = words[before_determiners(words, start) : start]
        return not _ONE_MORE.isdisjoint(before)

    def held_things(self) -> tuple[str, ...]:
        """What the robot holds, or this node has taken where the server does not tell that."""
        if self.belief.held_objects_known:
            return self.observation.held
        held: dict[str, None] = {}
        for skill in self.succeeded:
            if skill.kind is SkillKind.TAKE:
                held[skill.target] = None
            elif skill.kind is SkillKind.PUT:
                held.pop(skill.target, None)
        return tuple(held)

    def has_led_nowhere(self, skill: Skill) -> bool:
        """Whether a skill was done since something last changed, or once more begins a round that
        leads nowhere, and is not to be done again.
        """
        if self._begins_round_anew(skill.text):
            return True
        if skill.text not in self.done_since_change:
            return False
        return not (self._may_try_again(skill.text) or self.may_return(skill))

    def _begins_round_anew(self, text: str) -> bool:
        """Whether the last skills are one round of few, done over and over, that a skill begins.

        What changes with each round may keep a node busy for ever ("get ore", "smelt ore"). A goal
        that names more things than there may be rounds has as many.
        """
        rounds = max([_MOST_ROUNDS, *self.wanted_counts.values()])
        for length in range(1, _LONGEST_ROUND + 1):
            lately = self.done[-length * rounds :]
            if lately[:1] == [text] and lately == lately[:length] * rounds:
                return True
        return False

    def _may_try_again(self, text: str) -> bool:
        """Whether a skill failed that may succeed when it is tried again."""
        return (
            self.is_direct and text in self.failed and not self.belief.retries.has_given_up(text)
        )

    def is_done_often(self, skill: Skill) -> bool:
        """Whether a single goal's node has done a skill as often as it may without asking, tries
        that failed and were repeated left out.
        """
        return self.done.count(skill.text) - self.retried[skill.text] >= MOST_TIMES

    def may_return(self, skill: Skill) -> bool:
        """Whether a skill leads back to where a single goal's node has not seen all."""
        if self.single is None or skill.kind is not SkillKind.MOVE or self.is_done_often(skill):
            return False
        if skill.target in self.belief.vocabulary.rooms:
            return bool(self.belief.exploration.unseen((skill.target,)))
        return skill.target in self.belief.exploration.ways_to_unseen()

    def single_asks_for(self, skill: Skill) -> bool:
        """Whether a skill, done here, is what a single goal asks for in the end."""
        goal = self.single
        if goal is None or skill.type not in goal.types or not goal.thing.matches(skill.target):
            return False
        where = skill.destination or self.observation.place
        return goal.destination is None or goal.destination.matches(where)

    def single_is_reached(self) -> bool:
        """Whether what a single goal asks is so, by what this run has done and seen."""
        goal = self.single
        if goal is None:
            return False
        own = [
            skill
            for skill in self.succeeded
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
        return bool(own) or any(
            holds_already(self.belief, AskedSkill(one, goal.thing)) for one in goal.types
        )

    def _is_at_destination(self, thing: str) -> bool:
        """Whether this run has put a thing where a single goal wants it, as far as is told."""
        assert self.single is not None and self.single.destination is not None
        where = self.belief.placed.get(thing)
        return where is not None and (not where or self.single.destination.matches(where))

    def _enough_is_placed(self) -> bool:
        """Whether the run has brought as many as the whole task wants, before this node began."""
        goal = self.single
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
        done = {skill.type.template for skill in self.succeeded}
        return tuple(one for one in self.asked_types if one.template not in done)

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
            for skill in self.succeeded
            if not (tells_place and skill.kind is SkillKind.MOVE)
            for value in skill.values
        )

    def is_delivery_to(self, place: str) -> bool:
        """Whether the goal is about something held and about this place."""
        held = self.observation.held
        return any(
            mention.kind is NameKind.PLACE and mention.matches(place) for mention in self.mentions
        ) and any(mention.matches(name) for mention in self.mentions for name in held)

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

    @property
    def given_up(self) -> Mention | None:
        """What a single goal needs next, where a skill on one of these was given up."""
        goal = self.single
        if goal is None:
            return None
        # Nothing is fetched for a place that cannot be reached or opened.
        for mention in (goal.destination, None if self.brings_something else goal.thing):
            if mention is not None and any(map(mention.matches, self.names_given_up(mention))):
                return mention
        return None

    def names_given_up(self, mention: Mention) -> set[str]:
        """Things or places on which what a single goal needs of the mentioned one was given up."""
        goal = self.single
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
        unseen = self.belief.exploration.unseen(self.scope)
        if (needed := self.given_up) is not None:
            if needed.instance is not None or needed.label:
                return ()
            if needed.kind is NameKind.PLACE:
                # Another one would be in sight.
                return tuple(one for one in unseen if one in self.belief.vocabulary.rooms)
        named = self.numbered_places
        if not named:
            return unseen
        left = tuple(place for place in named if self.belief.exploration.may_hide(place))
        # What no skill leads to may come in sight yet, or never.
        return tuple(
            place for place in left if self.belief.exploration.can_search(place) or unseen
        )

    @property
    def scope(self) -> tuple[str, ...]:
        """Rooms the goal is about: those it names, or all."""
        named = [mention for mention in self.mentions if mention.kind is NameKind.REGION]
        rooms = self.belief.vocabulary.rooms
        chosen = tuple(room for room in rooms if any(mention.matches(room) for mention in named))
        return chosen or rooms
