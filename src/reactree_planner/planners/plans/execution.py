"""Carrying out the steps of a plan: ground, run, remember, take back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reactree_core.record.trajectory import TAKEN_BACK
from reactree_core.record.trajectory_text import quoted
from reactree_core.skill_types import SkillKind
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.agents.offering import DONE, FAILURE
from reactree_planner.facts.skills import Skills
from reactree_planner.planners.plans.grounding import ground
from reactree_planner.planners.plans.steps import Step
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.runs.run_world import KeptWorld


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step came to.

    :param skill: what was run; the step itself when nothing was.
    :param text: what was observed, or why it could not be done; one line.
    """

    skill: str
    succeeded: bool
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a plan can go back to.

    :param done: how many skills were done. :param kept: None where the world cannot be put back.
    """

    done: int
    kept: KeptWorld | None


class StepRunner:
    """Runs steps of one task; knows what was done and not taken back."""

    def __init__(self, run: PlannedRun) -> None:
        self._run = run
        #: Skills that succeeded and were not taken back, oldest first.
        self.done: list[DoneStep] = []

    def begin(self, node_id: int) -> str:
        """What the robot sees first, as one line; the node begins with it."""
        return quoted(self._run.acting.look(node_id).text)

    def try_step(self, node_id: int, step: Step, usage: LlmUsage = NO_USAGE) -> StepResult:
        """Do a step, or find out why not; either way the run's event is about it.

        :param usage: model work that led to the step.
        :raises LimitReached: :raises EpisodeOver: no more may be done.
        :raises CanceledError: stopped.
        """
        run = self._run
        run.acting.before_decision()
        belief = run.world.belief
        before = belief.observation
        only_admissible = run.settings.guards.admissible_only
        skills = before.admissible_skills if only_admissible else run.world.candidates()
        grounding = ground(step, belief, run.world.permitted(skills))
        if not grounding.skill:
            if grounding.refusal:
                run.events.refuse(node_id, grounding.refusal, usage)
                return StepResult(step.text, False, grounding.refusal)
            text = f'"{step.text}" is so already.'
            run.events.think(node_id, text, usage)
            return StepResult(step.text, True, text)
        observation = run.acting.act(node_id, grounding.skill, usage)
        text = quoted(observation.text)
        if observation.succeeded:
            self.done.append(DoneStep(grounding.skill, text, before.place, before.room))
        run.world.check_episode()
        return StepResult(grounding.skill, observation.succeeded, text)

    def moment(self) -> Moment:
        """The moment now, to go back to."""
        undo = self._run.settings.plans.undo
        return Moment(len(self.done), self._run.world.keep() if undo else None)

    def undo(self, node_id: int, back_to: Moment) -> None:
        """Take back what was done since a moment; does nothing where the settings say so.

        The world is put back where it can be, as published; else skills take skills back, newest
        first, as far as they can.
        """
        if not self._run.settings.plans.undo:
            return
        taken_back = self.done[back_to.done :]
        del self.done[back_to.done :]
        if back_to.kept and self._run.world.restore(node_id, back_to.kept):
            return
        for undo_step in undo_skills(taken_back, self._run.world.belief.skills):
            possible = self._run.world.belief.observation.admissible_skills
            skills: Sequence[str] = undo_step.skills
            if skills[-1] in possible:
                skills = skills[-1:]
            for skill in skills:
                if skill in self._run.world.belief.observation.admissible_skills:
                    self._run.acting.before_decision()
                    self._run.acting.act(node_id, skill, NO_USAGE, TAKEN_BACK)


def conclude(
    run: PlannedRun, node_id: int, success: bool, usage: LlmUsage = NO_USAGE, reason: str = ''
) -> bool:
    """End an agent node with `done` or `failure`.

    :param reason: for people. :return: `success`, for the caller to return.
    """
    skill = DONE if success else FAILURE
    # Said once: with `done`, or as the reason of the failed node's end.
    run.events.conclude(node_id, skill, usage, reason if success else '')
    run.events.end_node(node_id, success, skill if success else reason or skill)
    return success


@dataclass(frozen=True, slots=True)
class DoneStep:
    """A skill that succeeded.

    :param skill: grounded text. :param text: what was observed.
    :param place: where the robot stood before it. :param room: the room of that.
    """

    skill: str
    text: str
    place: str
    room: str


@dataclass(frozen=True, slots=True)
class UndoStep:
    """What takes one skill back.

    :param skills: the last of them does it; the others are for where that cannot be done at once.
    """

    skills: tuple[str, ...]
    moves: bool


def undo_skills(done: Sequence[DoneStep], skills: Skills) -> tuple[UndoStep, ...]:
    """What takes these skills back, newest first; skills without an inverse are left out.

    Of several moves in a row only the last is made: the robot ends where it began.

    :param skills: of the skill server; it offers no other inverses.
    """
    undo_steps: list[UndoStep] = []
    for step in reversed(done):
        undo_step = _undo_step(step, skills)
        if undo_step is None:
            continue
        if undo_step.moves and undo_steps and undo_steps[-1].moves:
            undo_steps.pop()
        undo_steps.append(undo_step)
    return tuple(undo_steps)


def _undo_step(step: DoneStep, skills: Skills) -> UndoStep | None:
    skill = skills.parse(step.skill)
    if skill is None:
        return None
    if skill.kind is SkillKind.MOVE and len(skill.values) == 1:
        # A place in another region is reached by way of that region.
        stations = [station for station in (step.room, step.place) if station]
        return UndoStep(tuple(skill.type.filled((station,)) for station in stations), True)
    if not skill.inverse or skills.parse(skill.inverse) is None:
        return None
    return UndoStep((skill.inverse,), False)


class Corrections:
    """Counts the corrections of one run.

    :param most: as many are allowed, 0 or more.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.made = 0

    def take(self) -> bool:
        """Make one more; False when none is left."""
        if self.made >= self._most:
            return False
        self.made += 1
        return True

    @property
    def used_up_text(self) -> str:
        """Why a run ends at a failed step, for people."""
        if not self._most:
            return 'failed steps are not corrected'
        return f'all {self._most} corrections are made: raise plans.corrections to go on longer'


def error_text(result: StepResult) -> str:
    """What the model is told of a failed step: which it was, and what the world said."""
    return f'The step "{result.skill}" failed: {result.text}'
