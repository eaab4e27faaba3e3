"""StateFlow: AgentBench's conversation, led by a state machine that says what is to be done now.

ProcWorld appendix B.4, after StateFlow (Wu et al., 2024). After Init, in which the task is told,
come Plan, Pick, Process, FindTool and UseTool (the paper names one tool there), Put, End and
Error. What the task needs is read from its words and the kinds and effects of skills that the
server declares; so are the transitions. Where no skill takes things, or the task names none, all
is done in the state Work. What the model reads in each state is a text of the domain (`states`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from string import Template

from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_core.skill_types import SlotType
from reactree_planner.agents import offering
from reactree_planner.agents.chatting import attempt_chat
from reactree_planner.agents.chatting import ChatActor
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.skills import Skill
from reactree_planner.agents.skills import STATE_KINDS
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.words import words_of
from reactree_planner.prompting.chat_prompt import ACTION
from reactree_planner.prompting.chat_prompt import parse_reply
from reactree_planner.prompting.chat_prompt import states_of
from reactree_planner.prompting.reactree_prompt import single_line
from reactree_planner.runs.run import PlanRun
from reactree_planner.tree.run_settings import Kept

#: What makes a plan longer than this is cut off.
_LONGEST_PLAN = 1000


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
class Needs:
    """What a task needs.

    :param things: classes of things to be taken, as often as the task says.
    :param processes: skills that change each of them, in the order of the server's list.
    :param tool: what is switched on for them; None for nothing.
    :param place: where they are to be put; None where the task names no place.
    """

    things: Counter[str]
    processes: tuple[SkillType, ...] = ()
    tool: Mention | None = None
    place: Mention | None = None


def read_needs(situation: NodeSituation) -> Needs:
    """What the words of a goal ask for, by what skills are declared to do.

    A change is asked for by the skill's words or by the state that it brings about.
    """
    skills = situation.skills
    movable = (NameKind.THING, NameKind.OTHER)
    mentions = [one for one in situation.reading.mentions if one.kind in movable]
    places = situation.reading.destinations
    things = Counter(situation.reading.wanted_counts)
    tool = None
    if not places and len({one.name for one in mentions}) > 1 and _switches(skills.types):
        # "check the crate under the scanner": what only tells where, else what is named last.
        tool = (situation.reading.location_mentions or tuple(mentions))[-1]
        del things[tool.name]
    place = places[-1] if places else None
    if place is None and tool is None and situation.reading.location_mentions:
        place = situation.reading.location_mentions[-1]
    if not skills.of_kind(SkillKind.TAKE):
        things.clear()
    words = set(words_of(situation.goal))
    named = {word for one in situation.reading.mentions for word in words_of(one.name)}
    processes = tuple(
        kind for kind in skills.of_kind(SkillKind.CHANGE) if _words_for(kind) & (words - named)
    )
    return Needs(things, processes, tool, place)


def _switches(types: tuple[SkillType, ...]) -> bool:
    return any(kind.kind is SkillKind.SWITCH_ON for kind in types)


def _words_for(kind: SkillType) -> set[str]:
    """Words that ask for a change: its verb, and the states that it brings about."""
    states = [fact.value for fact in kind.facts if fact.relation is Relation.IS and fact.holds]
    return {word for text in (kind.verb, *states) for word in words_of(text)}


class Machine:
    """The states of one task. :param needs: of the task."""

    def __init__(self, needs: Needs) -> None:
        self.needs = needs
        self.state = State.PLAN
        self._left = Counter(needs.things)
        self._processes = list(needs.processes)
        #: Class of the thing that is at hand.
        self._thing = ''

    @property
    def thing(self) -> str:
        """Class of the thing that is at hand, or comes next; '' without any."""
        return self._thing or next(iter(self._left), '')

    @property
    def process(self) -> SkillType | None:
        """What is to be done with it; None for nothing more."""
        return self._processes[0] if self._processes else None

    def begin(self) -> None:
        """Go on from the plan."""
        self.state = State.PICK if self._left else State.WORK

    def take(self, skill: Skill, sees_tool: bool) -> None:
        """Go on after a skill that was done; one that failed leaves the state as it is.

        :param sees_tool: whether the robot knows where the tool is.
        """
        if self.state is State.PICK and skill.kind is SkillKind.TAKE:
            self._pick(skill)
        elif self.state is State.ERROR and skill.kind is SkillKind.PUT:
            self.state = State.PICK
        elif self.state is State.PROCESS and skill.type in self._processes:
            self._processes.remove(skill.type)
            self._go_on()
        elif self._is_last(skill):
            self._finish()
        if self.state is State.FIND_TOOL and sees_tool:
            self.state = State.USE_TOOL

    def _pick(self, skill: Skill) -> None:
        if skill.name in self._left:
            self._thing = skill.name
            self._processes = list(self.needs.processes)
            self._go_on()
        elif not self._helps(skill):
            self.state = State.ERROR

    def _helps(self, skill: Skill) -> bool:
        """Whether what was taken may be what a change is done with."""
        return any(
            slot.type in (SlotType.THING, SlotType.NAME)
            for kind in self._processes
            for slot in kind.slots[1:]
        )

    def _is_last(self, skill: Skill) -> bool:
        """Whether nothing is left to do with a thing after this skill."""
        if self.state is State.PUT:
            return skill.kind is SkillKind.PUT
        tool = self.needs.tool
        if self.state is not State.USE_TOOL or tool is None:
            return False
        return skill.kind is SkillKind.SWITCH_ON and tool.matches(skill.target)

    def _go_on(self) -> None:
        """The state after the thing was taken, or changed."""
        if self._processes:
            self.state = State.PROCESS
        elif self.needs.tool is not None:
            self.state = State.FIND_TOOL
        else:
            self.state = State.PUT if self.needs.place is not None else State.WORK

    def _finish(self) -> None:
        """One thing is where it belongs."""
        self._left -= Counter([self._thing])
        self._thing = ''
        self.state = State.PICK if self._left else State.END


class StateFlowPlanner:
    """One node, whose conversation is led by a state machine."""

    name = 'stateflow'

    def run(self, run: PlanRun) -> bool:
        """Do the task; True when the machine or the agent holds that it is done.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name, Kept.ATTEMPTS)
        attempt = attempt_chat(
            run, 1, run.goal, make_adviser=lambda situation: Guide(run, situation)
        )
        run.end_node(1, attempt.success, attempt.reason)
        return attempt.success


class Guide:
    """Tells the model at every change of state what is to be done now."""

    def __init__(self, run: PlanRun, situation: NodeSituation) -> None:
        self._run = run
        self._situation = situation
        self._texts = states_of(run.prompts.text('states'))
        self._machine = Machine(read_needs(situation))
        self._read = 0

    def opening(self) -> str:
        """The request for a plan."""
        return self._text()

    def _text(self) -> str:
        """What the domain says in the state of the machine."""
        machine = self._machine
        needs, process = machine.needs, machine.process
        return Template(self._texts.get(machine.state.value, '')).safe_substitute(
            thing=machine.thing or 'thing',
            skill=process.template if process is not None else 'the skill that it needs',
            tool=needs.tool.text if needs.tool is not None else 'tool',
            place=needs.place.text if needs.place is not None else 'place',
        )

    def advise(self, actor: ChatActor) -> bool | None:
        """Go on to the state that follows from what was done; True at the end."""
        machine = self._machine
        if machine.state is State.PLAN:
            self._plan(actor)
            machine.begin()
            self._tell(actor)
            return None
        done = self._situation.done
        if len(done) == self._read:
            return None
        self._read = len(done)
        before = machine.state
        skill = self._situation.history.last_skill
        succeeded = self._run.belief.observation.succeeded
        if skill is not None and succeeded:
            machine.take(skill, self._sees_tool())
        if machine.state is State.END:
            if offering.DONE in actor.offered() and not self._leaves_something():
                return actor.perform(offering.DONE, 'the state machine is at its end')
            # Something is missing that no other state is for.
            machine.state = State.WORK
        if machine.state is not before:
            self._tell(actor)
        elif not succeeded:
            actor.talk.tell(self._text())
        return None

    def _leaves_something(self) -> bool:
        """Whether the task asks for a state that nothing was brought into."""
        asked = [one for one in self._situation.reading.asked if one.kind in STATE_KINDS]
        return not all(map(self._situation.asked_is_done, asked))

    def _tell(self, actor: ChatActor) -> None:
        text = self._text()
        actor.talk.tell(text)
        said = single_line(f'State {self._machine.state.value}: {text}', _LONGEST_PLAN)
        self._run.think(1, said, actor.context.take_usage())

    def _plan(self, actor: ChatActor) -> None:
        """Have the model write a plan, which stays in the conversation."""
        settings = self._run.settings
        actor.talk.ask(())
        plan = actor.context.session.generate(
            stop=('\n\n', ACTION), max_tokens=2 * settings.plan_tokens, seed=settings.seed
        )
        # The model may put it in the form of its later answers.
        said = single_line(parse_reply(plan).thought, _LONGEST_PLAN)
        self._run.think(1, f'Plan: {said}', actor.context.take_usage())

    def _sees_tool(self) -> bool:
        tool = self._machine.needs.tool
        if tool is None:
            return False
        belief = self._run.belief
        known = any(tool.matches(fact.name) for fact in belief.memory.facts(tool.name))
        offered = belief.skills.parse_all(belief.observation.admissible_skills)
        return known or any(
            skill.kind is SkillKind.SWITCH_ON and tool.matches(skill.target) for skill in offered
        )
