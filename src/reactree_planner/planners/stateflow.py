"""StateFlow: AgentBench's conversation, led by a state machine that says what is to be done now.

ProcWorld appendix B.4, after StateFlow (Wu et al., 2024). After Init, in which the task is given,
come Plan, Pick, Process, FindTool and UseTool (the paper names one tool there), Put, End and
Error; `task_states` says which. Where no skill takes things, or no condition was read of the
task, all is done in the state Work. What the model reads in each state is a text of the domain
(`states`).
"""

from __future__ import annotations

from string import Template

from reactree_core.record.trajectory_text import single_line
from reactree_planner.agents import offering
from reactree_planner.agents.chatting import ChatActor
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.planners.agentbench import AgentBenchPlanner
from reactree_planner.planners.task_states import Machine, Stage, State
from reactree_planner.prompting.chat_prompt import ACTION, parse_reply, states_of
from reactree_planner.runs.planner import PlannedRun

#: What makes a plan longer than this is cut off.
_LONGEST_PLAN = 1000


class StateFlowPlanner(AgentBenchPlanner):
    """One node, whose conversation is led by a state machine."""

    name = 'stateflow'

    def adviser(self, run: PlannedRun, situation: NodeSituation) -> Guide:
        """Who joins it."""
        return Guide(run, situation)


class Guide:
    """Tells the model at every change of state what is to be done now."""

    def __init__(self, run: PlannedRun, situation: NodeSituation) -> None:
        self._run = run
        self._situation = situation
        self._texts = states_of(run.prompts.text('states'))
        self._machine = Machine(situation)
        self._stage = Stage(State.PLAN)
        self._read = 0

    def opening(self) -> str:
        """The request for a plan."""
        return self._text()

    def _text(self) -> str:
        """What the domain says where the task stands now."""
        stage = self._stage
        skill = 'the skill that it needs'
        if stage.change is not None:
            skill = stage.change.skill.filled((stage.thing,))
        return Template(self._texts.get(stage.state.value, '')).safe_substitute(
            thing=stage.thing or 'what the task names',
            skill=skill,
            tool=self._machine.needs.tool or 'tool',
            place=stage.place or 'place',
        )

    def advise(self, actor: ChatActor) -> bool | None:
        """Go on to the state that follows from what was done; True at the end."""
        done = self._situation.done
        if self._stage.state is State.PLAN:
            self._plan(actor)
        elif len(done) == self._read:
            return None
        self._read = len(done)
        before, self._stage = self._stage, self._machine.stage()
        if self._stage.state is State.END:
            if offering.DONE in actor.offered() and not self._leaves_something():
                return actor.perform(offering.DONE, 'the state machine is at its end')
            # Something is missing that no other state is for.
            self._stage = Stage(State.WORK)
        if self._stage != before:
            self._tell(actor)
        elif not self._run.world.belief.observation.succeeded:
            actor.talk.tell(self._text())
        return None

    def _leaves_something(self) -> bool:
        """Whether something that the task asks for is known to be missing."""
        return bool(self._run.aims.ending.missing)

    def _tell(self, actor: ChatActor) -> None:
        text = self._text()
        actor.talk.tell(text)
        said = single_line(f'State {self._stage.state.value}: {text}', _LONGEST_PLAN)
        self._run.events.think(1, said, actor.context.take_usage())

    def _plan(self, actor: ChatActor) -> None:
        """Have the model write a plan, which stays in the conversation."""
        settings = self._run.settings
        actor.talk.ask(())
        plan = actor.context.session.generate(
            stop=('\n\n', ACTION), max_tokens=2 * settings.plan_tokens, seed=settings.seed
        )
        # The model may put it in the form of its later answers.
        said = single_line(parse_reply(plan).thought, _LONGEST_PLAN)
        self._run.events.think(1, f'Plan: {said}', actor.context.take_usage())
