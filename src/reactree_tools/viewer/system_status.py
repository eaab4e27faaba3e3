"""What a viewer can be given besides events: health, the scene, the memory, and control."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from reactree_core.experience import Experience
from reactree_core.observation import Vocabulary
from reactree_planner.runs.approval_gate import SkillRequest


class Condition(Enum):
    """How something is."""

    GOOD = 'good'
    WARNING = 'warning'
    BAD = 'bad'
    UNKNOWN = 'unknown'


@dataclass(frozen=True, slots=True)
class Health:
    """One part of the system.

    :param part: 'planner', 'bridge', 'memory' or 'model'.
    :param text: a few words, or a sentence that says what is wrong.
    """

    part: str
    condition: Condition
    text: str


@dataclass(frozen=True, slots=True)
class Approval(SkillRequest):
    """A skill that waits for a person's answer.

    :param left: seconds until it counts as refused; None without a deadline.
    """

    left: float | None = None


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """What a run asks people; the fields are those of Question.msg.

    :param default: taken where nobody answers; '' for none. :param left: seconds until then.
    """

    run_id: str
    number: int
    text: str
    options: tuple[str, ...] = ()
    default: str = ''
    node_id: int = 0
    task: str = ''
    left: float = 0.0


class SystemStatus(Protocol):
    """The nodes around a viewer. Methods come from any thread and keep deadlines of their own."""

    @property
    def scene(self) -> str:
        """Name of the scene that the bridge has loaded, or of its robot; '' when unknown."""

    def health(self) -> tuple[Health, ...]:
        """How the parts are, at once."""

    def approval(self) -> Approval | None:
        """The skill that waits for an answer, if one does."""

    def question(self) -> OpenQuestion | None:
        """What a run asks people, while it is open."""

    def vocabulary(self) -> Vocabulary:
        """Skills and names of the skill server.

        :raises SkillError: none answers.
        """

    def graph(self) -> tuple[str, dict[str, Any]]:
        """Name of the scene and its graph as the bridge has it now.

        :raises SkillError: no bridge answers, or it has no graph.
        """

    def experiences(self, goal: str) -> tuple[Experience, ...]:
        """What the memory offers for a goal now.

        :raises SkillError: no memory answers.
        """


class Control(Protocol):
    """Hold a run, or end it.

    Methods raise SkillError when the planner does not answer or says no.
    """

    @property
    def paused(self) -> bool:
        """Whether skills wait, as far as this viewer has asked for it."""

    def pause(self, paused: bool) -> str:
        """Hold skills back or let them go on; the planner's answer."""

    @property
    def stopped(self) -> bool:
        """True while the emergency stop of a robot is pressed."""

    def stop(self, stopped: bool) -> str:
        """Press the emergency stop of the robots, or release it; what became of each."""

    def step(self) -> str:
        """Let one skill through while paused; the planner's answer."""

    def cancel(self, run_id: str) -> str:
        """End a run; what came of it."""

    def answer(self, run_id: str, sequence: int, skill: str, approve: bool, reason: str) -> str:
        """Approve or refuse the skill that was shown; the planner's answer."""

    def answer_question(self, run_id: str, number: int, said: str) -> str:
        """Answer the question that was shown; what the planner says to it."""

    def say(self, run_id: str, text: str) -> str:
        """Correct the task of a run; the planner's answer."""
