"""ProgPrompt: the plan is a program with assertions, each with what to do where it does not hold.

Baseline of Tree-Planner (section 4.1 and appendix B.2). The program is written once and read as
data (`plans/programs.py`). While it is carried out, its assertions are checked against what is
known; where one does not hold, its recovery is done first. The published program has the model
judge assertions from a list of what is seen; here facts show.
"""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.record.run_settings import Kept
from reactree_core.record.trajectory_text import quoted, single_line, task_line
from reactree_core.skill_types import SkillKind
from reactree_planner.agents.node_context import NodeContext
from reactree_planner.planners.plans import program_prompt
from reactree_planner.planners.plans.execution import conclude, StepRunner
from reactree_planner.planners.plans.grounding import plan_examples
from reactree_planner.planners.plans.programs import (
    Call,
    Claim,
    ProgramLine,
    read_program,
    skill_function,
)
from reactree_planner.planners.plans.steps import Step, step_reader, StepReader
from reactree_planner.prompting import plan_prompt
from reactree_planner.prompting.reactree_prompt import PromptParts
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.runs.run_belief import RunBelief
from reactree_planner.runs.settings import OnInadmissible

#: Letters of a program that are told to people.
_LONGEST_TOLD = 2000
#: Words of programs for what servers call otherwise.
_STATES = {
    'opened': 'open',
    'shut': 'closed',
    'switchon': 'on',
    'switched on': 'on',
    'switchoff': 'off',
    'switched off': 'off',
}
#: State that is known by the skill that could end it.
_ENDED_BY = {
    'open': SkillKind.CLOSE,
    'closed': SkillKind.OPEN,
    'on': SkillKind.SWITCH_OFF,
    'off': SkillKind.SWITCH_ON,
}


class ProgPromptPlanner:
    """Writes a program, then carries it out."""

    name = 'progprompt'

    def run(self, run: PlannedRun) -> bool:
        """Plan and act to the end; True when the program came to its end.

        :raises ReactreeError: whatever ended the run early.
        """
        run.start(self.name, Kept.PLANS)
        self._run = run
        self._steps = StepRunner(run)
        self._steps.begin(1)
        self._reader = step_reader(run)
        run.acting.before_decision()
        parts = program_parts(run)
        context = NodeContext(run, run.tree.goal, parts, run.settings.plans.program_tokens)
        try:
            text = context.session.generate(
                program_prompt.PROGRAM_STOPS, run.settings.plans.program_tokens
            )
            usage = context.take_usage()
        finally:
            context.end()
        program = read_program(text, run.settings.plans.steps)
        if not any(self._step(line.call) for line in program):
            return conclude(run, 1, False, usage, 'no line of the program is a skill of the robot')
        run.events.think(1, single_line(f'Program: {_told(program)}', _LONGEST_TOLD), usage)
        stops = run.settings.plans.on_inadmissible is OnInadmissible.STOP
        for line in program:
            if not self._done(line) and stops:
                return conclude(run, 1, False, reason='a step of the program could not be done')
        return conclude(run, 1, bool(self._steps.done), reason='the program ends here')

    def _done(self, line: ProgramLine) -> bool:
        """Do what a line says; False where its skill failed.

        What makes an assertion good may fail: the next skill then tells.
        """
        belief, gripper = self._run.world.belief, self._run.prompts.domain.words.gripper
        failing = [claim for claim in line.claims if not claim_holds(belief, claim, gripper)]
        if failing:
            self._run.acting.before_decision()
            self._run.events.think(1, f'{line.text} does not hold.')
            for call in line.recovery:
                step = self._step(call)
                if step is not None:
                    self._steps.try_step(1, step)
        step = self._step(line.call)
        return step is None or self._steps.try_step(1, step).succeeded

    def _step(self, call: Call | None) -> Step | None:
        """The skill that a call means; None for a comment, or where it is none of the robot's."""
        return None if call is None else step_of(call, self._run.world.belief, self._reader)


def step_of(call: Call, belief: RunBelief, reader: StepReader) -> Step | None:
    """The skill that a call means; None where it is none of the robot's."""
    fitting = [
        skill
        for skill in belief.skills.types
        if skill_function(skill) == call.name and len(skill.slots) == len(call.arguments)
    ]
    for skill in fitting:
        step = reader.read(skill.filled(call.arguments))
        if step is not None and not step.ends_plan:
            return step
    step = reader.read(' '.join((call.name.replace('_', ' '), *call.arguments)))
    return None if step is None or step.ends_plan else step


def program_parts(run: PlannedRun) -> PromptParts:
    """What a program is written from, up to its first line."""
    now = run.world.belief.observation
    words = run.prompts.domain.words
    return PromptParts(
        program_prompt.system_text(run.prompts.text('program'), run.world.belief.vocabulary),
        plan_examples(
            run,
            lambda example: program_prompt.program_example(
                example, run.world.belief.skills, words.gripper
            ),
        ),
        (plan_prompt.whereabouts(now, words) or f'{quoted(now.text)}\n')
        + task_line(run.tree.goal),
        program_prompt.program_head(run.tree.goal),
        words=words,
    )


def claim_holds(belief: RunBelief, claim: Claim, gripper: str) -> bool:
    """Whether an assertion's claim is known to hold; what is not known does not.

    :param gripper: what holds things, in the words of the domain; one of several is meant too.

    The opposite of a claim holds where the claim is not known to hold.
    """
    if claim.relation == 'to':
        # Written 'close' to 'crate'; some write 'crate' to 'robot'.
        named = claim.value if claim.subject == 'close' else claim.subject
        so = _is_close(belief, named)
    elif claim.value.lower() in ('held', gripper, gripper.removesuffix('s')):
        held = belief.observation.held
        so = any(_is_meant(belief, claim.subject, name) for name in held)
    elif claim.relation == 'is':
        so = _is_so(belief, claim.subject, _STATES.get(claim.value.lower(), claim.value.lower()))
    else:
        so = any(
            _is_meant(belief, claim.subject, fact.name)
            and any(
                _is_meant(belief, claim.value, where)
                for where in (fact.receptacle, fact.room)
                if where
            )
            for fact in belief.memory.facts()
        )
    return so == claim.holds


def _is_close(belief: RunBelief, named: str) -> bool:
    now = belief.observation
    here = (now.place, now.room, *now.held)
    if any(_is_meant(belief, named, name) for name in here if name):
        return True
    reached = belief.skills.parse_all(now.admissible_skills)
    return any(
        skill.kind is not SkillKind.MOVE
        and skill.target
        and _is_meant(belief, named, skill.target)
        for skill in reached
    )


def _is_so(belief: RunBelief, named: str, state: str) -> bool:
    ending = _ENDED_BY.get(state)
    skills = belief.skills.parse_all(belief.observation.admissible_skills)
    if ending is not None and any(
        skill.kind is ending and _is_meant(belief, named, skill.target) for skill in skills
    ):
        return True
    return any(
        _is_meant(belief, named, fact.name) and state in fact.state.lower().split(', ')
        for fact in belief.memory.facts()
    )


def _is_meant(belief: RunBelief, named: str, name: str) -> bool:
    """Whether a name that a program uses means something with this name and number."""
    mentions = belief.names.find_all(named)
    if mentions:
        return any(mention.matches(name) for mention in mentions)
    return named.casefold() in (name.casefold(), belief.names.class_of(name).casefold())


def _told(program: Sequence[ProgramLine]) -> str:
    lines = []
    for line in program:
        text = f'# {line.text}' if line.is_comment else line.text
        recovery = '; '.join(map(str, line.recovery))
        lines.append(f'{text} else: {recovery}' if recovery else text)
    return '; '.join(lines)
