"""What a demonstrated node decides, and how it is written in a trajectory."""

from __future__ import annotations

from dataclasses import dataclass

from sim_bridge.tasks.subgoals import Goal

DONE = 'done'
FAILURE = 'failure'
RECALL = 'recall location of '


@dataclass(frozen=True, slots=True)
class Think:
    """A thought of fewer than 25 words."""

    text: str

    @property
    def lines(self) -> str:
        """As in a trajectory, the answer included."""
        return f'Think: {self.text}\nOK.'


@dataclass(frozen=True, slots=True)
class Act:
    """A skill of the world, `recall location of <class>`, `done` or `failure`."""

    skill: str

    @property
    def lines(self) -> str:
        """As in a trajectory, without the answer."""
        return f'Act: {self.skill}'


@dataclass(frozen=True, slots=True)
class Expand:
    """Subgoals under a control flow: 'sequence', 'fallback' or 'parallel'."""

    control_flow: str
    subgoals: tuple[Goal, ...]

    @property
    def lines(self) -> str:
        """As in a trajectory, the answer included."""
        texts = ', '.join(goal.text for goal in self.subgoals)
        return f'Expand:\n- control flow: {self.control_flow}\n- subgoals: {texts}\nOK.'


Decision = Think | Act | Expand
