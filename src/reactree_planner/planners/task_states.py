"""In which state a task is: by the conditions of its words and by what is known of the world.

The states of ProcWorld appendix B.4. Nothing is counted or crossed out: the state follows from
the facts after every skill, whatever the model did.

    Pick -> Process -> Put -> Pick -> ... -> End       one round for each thing that is wanted
    Pick -> FindTool -> UseTool -> End                 where a thing is to be held at a tool

A thing that goes into a container is put there first; the container, as its content is in it, is
the next thing. What another thing is needed for, as a blade, is done before the thing is taken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from reactree_core.skill_types import class_and_number, Relation, SkillKind, SkillType, SlotType
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.facts.belief import Belief
from reactree_planner.facts.conditions import ALL, Condition
from reactree_planner.facts.goals import holds, is_inside
from reactree_planner.facts.skills import Skills, Sort
from reactree_planner.reading.reader import read_alone
from reactree_planner.runs.run_belief import RunBelief


class State(Enum):
    """Where a task stands; the values name the blocks of a domain's `states`."""

    PLAN = 'Plan'
    PICK = 'Pick'
    PROCESS = 'Process'
    FIND_TOOL = 'FindTool'
    USE_TOOL = 'UseTool'
    PUT = 'Put'
    ERROR = 'Error'
    #: What no other state is for; the model says when it is done.
    WORK = 'Work'
    END = 'End'


@dataclass(frozen=True, slots=True)
class Change:
    """A state that a thing is wanted in. :param skill: brings it about."""

    state: str
    skill: SkillType

    @property
    def helper(self) -> str:
        """What has to be in the hand for it, by the name of its slot; '' for nothing."""
        things = (SlotType.THING, SlotType.NAME)
        return next((slot.name for slot in self.skill.slots[1:] if slot.type in things), '')


@dataclass(frozen=True, slots=True)
class Need:
    """Things that a task is about.

    :param thing: class, or class and number. :param count: how many, or `ALL`.
    :param changes: of each of them, what needs a thing in the hand first.
    :param place: where they are to be; '' for anywhere. :param held: whether they are to be held.
    """

    thing: str
    count: int = 1
    changes: tuple[Change, ...] = ()
    place: str = ''
    held: bool = False


@dataclass(frozen=True, slots=True)
class Needs:
    """What a task needs. :param things: what goes into a container, before the container.
    :param tool: what is switched on with a thing in the hand; '' for nothing.
    """

    things: tuple[Need, ...] = ()
    tool: str = ''


def read_needs(conditions: Sequence[Condition], skills: Skills) -> Needs:
    """What conditions ask for, as far as skills that take and change things bring it about."""
    if not skills.of_kind(SkillKind.TAKE):
        return Needs()
    moved = [one for one in conditions if one.relation in (Relation.IN, Relation.HOLDING)]
    moved.sort(key=lambda one: _filled_before(one, conditions))
    #: By thing, and the place of those that are meant.
    changes: defaultdict[tuple[str, str], list[Change]] = defaultdict(list)
    tool = ''
    for one in conditions:
        if one.relation is not Relation.IS:
            continue
        if maker := _maker(skills, SkillKind.CHANGE, one.value):
            changes[one.subject, one.where].append(Change(one.value, maker))
            if all(one.subject != other.subject for other in moved):
                moved.append(one)
        elif _maker(skills, SkillKind.SWITCH_ON, one.value):
            tool = one.subject

    def changes_of(one: Condition) -> list[Change]:
        wanted = dict.fromkeys(('', one.value if one.relation is Relation.IN else ''))
        return [change for where in wanted for change in changes[one.subject, where]]

    things = tuple(
        Need(
            one.subject,
            one.count,
            tuple(sorted(changes_of(one), key=lambda change: not change.helper)),
            one.value if one.relation is Relation.IN else '',
            one.relation is Relation.HOLDING,
        )
        for one in moved
    )
    return Needs(things, tool if any(need.held for need in things) else '')


def _maker(skills: Skills, kind: SkillKind, state: str) -> SkillType | None:
    makers = skills.makers_of(Relation.IS, state)
    return next((one for one in makers if one.kind is kind), None)


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a task stands now.

    :param thing: that is at hand, or comes next; with its number where one is meant.
    :param change: what is to be done with it. :param place: where it is to be put.
    """

    state: State
    thing: str = ''
    change: Change | None = None
    place: str = ''


class Machine:
    """The states of one task. :param situation: of the agent that does it."""

    def __init__(self, situation: NodeSituation) -> None:
        self._situation = situation
        self._names_known = -1
        self._conditions: tuple[Condition, ...] = ()
        self._needs = Needs()
        #: Whether the tool was seen: a server may report it only where it is.
        self._tool_seen = False

    @property
    def needs(self) -> Needs:
        """Of the task; where nothing was read, it is read again when more names are known."""
        names = self._belief.names
        if not self._conditions and names.size != self._names_known:
            self._names_known = names.size
            self._conditions = read_alone(self._situation.goal, names).conditions
            self._needs = read_needs(self._conditions, self._situation.belief.skills)
        return self._needs

    @property
    def _belief(self) -> RunBelief:
        return self._situation.belief

    @property
    def _facts(self) -> Belief:
        return self._situation.belief.facts

    def stage(self) -> Stage:
        """The state that follows from what is known."""
        left = [need for need in self.needs.things if self._is_left(need)]
        self._tool_seen = self._tool_seen or self._sees_tool()
        held = self._situation.held_things()
        for thing in held:
            for need in left:
                if self._is_meant(thing, need):
                    return self._with_in_hand(thing, need)
        if not left:
            return Stage(self._last_state())
        need = left[0]
        helped = next((one for one in need.changes if self._lacks_helped(need, one)), None)
        if held and helped is not None:
            return Stage(State.PROCESS, need.thing, helped)
        if any(thing not in self._helpers() for thing in held):
            return Stage(State.ERROR, self._next(need))
        if helped is not None and self._belief.names.kind(helped.helper) is not None:
            return Stage(State.PICK, helped.helper)
        thing = self._next(need)
        pending = self._pending(thing, need)
        if pending is not None and thing in self._belief.placed:
            # It was put where it is to be changed.
            return Stage(State.PROCESS, thing, pending)
        return Stage(State.PICK, thing)

    def _with_in_hand(self, thing: str, need: Need) -> Stage:
        pending = self._pending(thing, need)
        if pending is not None:
            if pending.helper and not self._lacks_helped(need, pending):
                # Others of its class were changed, and are meant.
                return Stage(State.ERROR, self._next(need))
            return Stage(State.PROCESS, thing, pending)
        content = self._content(need)
        if (
            content
            and not self._is_filled(thing, content)
            and not any(map(self._is_left, content))
        ):
            return Stage(State.ERROR, self._next(need))
        if need.place:
            return Stage(State.PUT, thing, place=self._place(need))
        return Stage(State.USE_TOOL if self._tool_seen else State.FIND_TOOL, thing)

    def _last_state(self) -> State:
        """The state where nothing is left of what is needed: the end, as far as that is all."""
        needs = self.needs
        whole = needs.things and all(need.place or needs.tool for need in needs.things)
        missing = any(holds(self._facts, one) is False for one in self._conditions)
        return State.END if whole and not missing else State.WORK

    # What is known of things ------------------------------------------------------------------

    def _known(self, need: Need) -> list[str]:
        """Things that a need may be about, in the order in which they were first seen."""
        belief = self._belief
        names = self._facts.of_class(need.thing)
        done = (name for skill in belief.achieved for name in (skill.target, skill.destination))
        held = self._situation.held_things()
        known = dict.fromkeys((*names, *held, *belief.placed, *done))
        return [name for name in known if self._is_meant(name, need)]

    def _is_left(self, need: Need) -> bool:
        """Whether too few things are as a need wants them."""
        known = self._known(need)
        done = self._done(need)
        return len(done) < (need.count if need.count != ALL else max(1, len(known)))

    def _done(self, need: Need) -> list[str]:
        """Things that are as a need wants them; of several that belong together, in one place."""
        there = set(self._things_in(need.place)) if need.place else set()
        held = self._situation.held_things()
        done = [
            name
            for name in self._known(need)
            if self._pending(name, need) is None
            and self._is_filled(name, self._content(need))
            and (not need.place or name in there)
            and (not need.held or (name in held and self._tool_is_used()))
        ]
        if need.count in (1, ALL) or not need.place:
            return done
        if self._facts.sort(need.place) is Sort.REGION:
            return done
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for name in done:
            groups[self._where(name)].append(name)
        return max(groups.values(), key=len, default=[])

    def _tool_is_used(self) -> bool:
        """Whether the run has switched on the tool, if one is needed, and is where it is.

        That it is on does not count: another may have switched it on.
        """
        if not self.needs.tool:
            return True
        tool = self.needs.tool
        last = self._situation.last_skill
        here = self._belief.observation.place
        return any(
            skill is last or here in (skill.target, self._where(skill.target))
            for skill in self._belief.achieved
            if skill.kind is SkillKind.SWITCH_ON
            and self._facts.skills.is_named(skill.target, tool)
        )

    def _pending(self, thing: str, need: Need) -> Change | None:
        """What is still to be done with a thing; the first of it."""
        return next((one for one in need.changes if not self._is_changed(thing, one)), None)

    def _is_changed(self, thing: str, change: Change) -> bool:
        return self._facts.is_so(thing, change.state) is True

    def _lacks_helped(self, need: Need, change: Change) -> bool:
        """Whether too few things are changed by what has to be in the hand for it."""
        known = self._known(need)
        wanted = need.count if need.count != ALL else max(1, len(known))
        return bool(change.helper) and (
            sum(self._is_changed(name, change) for name in known) < wanted
        )

    def _helpers(self) -> set[str]:
        """Things by which others were changed."""
        done = (one for one in self._belief.achieved if one.kind is SkillKind.CHANGE)
        return {one.destination for one in done}

    def _content(self, need: Need) -> list[Need]:
        """What the task wants in a thing."""
        kind = class_and_number(need.thing)[0]
        return [one for one in self.needs.things if class_and_number(one.place)[0] == kind]

    def _is_filled(self, thing: str, content: Sequence[Need]) -> bool:
        """Whether a container has its content in it."""
        inner = set(self._things_in(thing)) if content else set()
        return all(
            any(self._is_meant(name, one) and self._pending(name, one) is None for name in inner)
            for one in content
        )

    def _is_meant(self, thing: str, need: Need) -> bool:
        """Whether a thing, as it is in the hand, may be one of those that a need wants."""
        return self._facts.skills.is_named(thing, need.thing)

    def _next(self, need: Need) -> str:
        """The thing that was worked on and is not done; else the class of what comes next."""
        content, done = self._content(need), self._done(need)
        for name in self._known(need):
            if name not in done and (
                self._is_filled(name, content)
                if content
                else name in self._belief.placed
                or any(self._is_changed(name, one) for one in need.changes)
            ):
                return name
        return need.thing

    def _things_in(self, place: str) -> list[str]:
        facts = self._facts
        return [name for name in facts.things if is_inside(facts, name, place)]

    def _where(self, thing: str) -> str:
        return self._facts.whereabouts(thing)

    def _place(self, need: Need) -> str:
        """Where a thing is to be put: where others of its need are."""
        done = self._done(need) if need.count > 1 else []
        return (self._where(done[0]) if done else '') or need.place

    def _sees_tool(self) -> bool:
        """Whether the tool is told of now, or was."""
        if not self.needs.tool:
            return False
        belief, tool = self._belief, self.needs.tool
        offered = belief.skills.parse_all(belief.observation.admissible_skills)
        return bool(self._facts.of_class(tool)) or any(
            skill.kind is SkillKind.SWITCH_ON and self._facts.skills.is_named(skill.target, tool)
            for skill in offered
        )


def _filled_before(condition: Condition, conditions: Sequence[Condition]) -> int:
    """How many containers within each other are filled before a thing is put away."""
    above = [condition]
    for deep in range(len(conditions) + 1):
        away = {class_and_number(one.subject)[0] for one in above}
        above = [
            one
            for one in conditions
            if one.relation is Relation.IN and class_and_number(one.value)[0] in away
        ]
        if not above:
            return deep
    return 0  # they contain each other
