"""Trajectories in the published text form: what happened in one agent node, as blocks.

The text begins with the goal line and the node's first observation. Then come blocks: `Think: ...`
with its answer `OK.`, `Act: ...` with the observation that came back, `Expand:` with a control
flow and subgoals. Before the goal line, published files say the parent's goal and the siblings.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience, Termination
from reactree_core.ports import Embedder, FloatMatrix

CONTROL_FLOWS = ('sequence', 'fallback', 'parallel')
DONE = 'done'
GOAL_LINE = 'Your task is to: '
_THINK = 'Think: '
_ACT = 'Act: '
_EXPAND = 'Expand:'
_FLOW = '- control flow: '
_SUBGOALS = '- subgoals: '
_SUBGOAL_BREAK = ', '
_BLOCK = re.compile(r'Think: |Act: |Expand:$')


@dataclass(frozen=True, slots=True)
class Thought:
    """A line of reasoning. :param reply: what came back, in the published form 'OK.'."""

    text: str
    reply: str = 'OK.'


@dataclass(frozen=True, slots=True)
class Act:
    """A skill, 'done' or 'failure'. :param reply: the observation; '' when nothing came back."""

    skill: str
    reply: str = ''


@dataclass(frozen=True, slots=True)
class Expansion:
    """Subgoals under a control flow. :param reply: 'OK.' or '', both are published."""

    control_flow: str
    subgoals: tuple[str, ...]
    reply: str = 'OK.'


Block = Thought | Act | Expansion


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One agent node's text, taken apart.

    :param goal: one line, or several.
    :param opening: first observation; '' for none.
    :param context: lines before the goal line; '' for none.
    """

    goal: str
    opening: str = ''
    blocks: tuple[Block, ...] = ()
    context: str = ''

    @property
    def termination(self) -> Termination:
        """How the node ended; one that was stopped from outside failed."""
        last = self.blocks[-1] if self.blocks else None
        if isinstance(last, Expansion):
            return Termination.EXPAND
        if isinstance(last, Act) and last.skill == DONE:
            return Termination.SUCCESS
        return Termination.FAILURE


def parse_trajectory(
    text: str,
    goal_lines: int = 0,
    source: str = 'trajectory',
    first_line: int = 1,
    openings: tuple[str, ...] = (),
) -> Trajectory:
    """Take a text apart.

    :param goal_lines: lines of the goal; 0 to tell by `openings`, else one.
    :param openings: how first observations begin; what stands before them is still the goal.
    :param source: name of the text in errors. :param first_line: number of its first line.
    :raises ConfigurationError: not of this form; names the line.
    """
    return _Reader(text, source, first_line).read(goal_lines, openings)


def write_trajectory(trajectory: Trajectory) -> str:
    """The text of a trajectory, without a final line break.

    :raises ConfigurationError: it holds a text that would read back as something else.
    """
    parts = [trajectory.context, GOAL_LINE + trajectory.goal, trajectory.opening]
    for block in trajectory.blocks:
        parts.extend(_block_lines(block))
    text = '\n'.join(part for part in parts if part)
    lines = trajectory.goal.count('\n') + 1
    if parse_trajectory(text, lines) != trajectory:
        raise ConfigurationError(
            f'the trajectory of {trajectory.goal!r} cannot be written as text: one of its parts '
            'is empty, begins or ends with a line break, or holds a line like those of the form'
        )
    return text


def _block_lines(block: Block) -> list[str]:
    if isinstance(block, Thought):
        return [_THINK + block.text, block.reply]
    if isinstance(block, Act):
        return [_ACT + block.skill, block.reply]
    subgoals = _SUBGOAL_BREAK.join(block.subgoals)
    return [_EXPAND, _FLOW + block.control_flow, _SUBGOALS + subgoals, block.reply]


class _Reader:
    def __init__(self, text: str, source: str, first_line: int) -> None:
        # Not splitlines(): it breaks at characters that may stand inside a line.
        self._lines = text.replace('\r\n', '\n').strip('\n').split('\n')
        self._source = source
        self._first_line = first_line + len(text) - len(text.lstrip('\n'))
        self._next = 0

    def read(self, goal_lines: int, openings: tuple[str, ...] = ()) -> Trajectory:
        context = self._take_until(lambda line: line.startswith(GOAL_LINE))
        if not self._has_more():
            raise self._error(f'no line begins with {GOAL_LINE!r}')
        head = [self._take()[len(GOAL_LINE) :]]
        head += self._take_until(lambda line: _BLOCK.match(line) is not None)
        if goal_lines > len(head):
            raise self._error(f'the goal should have {goal_lines} lines')
        if not goal_lines:
            looks = [number for number, line in enumerate(head) if line.startswith(openings)]
            goal_lines = max(1, looks[0]) if looks else 1
        goal = '\n'.join(head[:goal_lines])
        if not goal.strip():
            raise self._error('the goal is empty')
        blocks: list[Block] = []
        while self._has_more():
            blocks.append(self._block())
        opening = '\n'.join(head[goal_lines:])
        return Trajectory(goal, opening, tuple(blocks), '\n'.join(context))

    def _block(self) -> Block:
        line = self._take()
        if line.startswith(_THINK):
            return Thought(line[len(_THINK) :], self._reply())
        if line.startswith(_ACT):
            skill = line[len(_ACT) :]
            if not skill.strip():
                raise self._error('the act names no skill')
            return Act(skill, self._reply())
        flow = self._take_after(_FLOW)
        if flow not in CONTROL_FLOWS:
            raise self._error(f'control flow {flow!r} is none of {", ".join(CONTROL_FLOWS)}')
        subgoals = tuple(self._take_after(_SUBGOALS).split(_SUBGOAL_BREAK))
        if not all(subgoal.strip() for subgoal in subgoals):
            raise self._error('a subgoal is empty')
        return Expansion(flow, subgoals, self._reply())

    def _reply(self) -> str:
        return '\n'.join(self._take_until(lambda line: _BLOCK.match(line) is not None))

    def _has_more(self) -> bool:
        return self._next < len(self._lines)

    def _take(self) -> str:
        self._next += 1
        return self._lines[self._next - 1]

    def _take_after(self, prefix: str) -> str:
        line = self._take() if self._has_more() else ''
        if not line.startswith(prefix):
            raise self._error(f'expected {prefix!r}, found {line!r}')
        return line[len(prefix) :]

    def _take_until(self, ends: Callable[[str], bool]) -> list[str]:
        start = self._next
        while self._has_more() and not ends(self._lines[self._next]):
            self._next += 1
        return self._lines[start : self._next]

    def _error(self, what: str) -> ConfigurationError:
        number = self._first_line + max(0, self._next - 1)
        return ConfigurationError(f'{self._source}:{number}: {what}')


GOAL = 'goal'
GOAL_AND_OBSERVATION = 'goal_and_observation'
SIMILARITIES = (GOAL, GOAL_AND_OBSERVATION)
#: Share of the goal in the similarity; the rest is the first observation's.
GOAL_WEIGHT = 0.9
#: Vectors with observations are another vector space than the encoder's own.
_SUFFIX = '+first-observation'


class ExperienceEncoder:
    """Makes the vectors by which experiences are found.

    With 'goal_and_observation' two vectors are weighed into one of twice the dimension: the
    product of two such vectors is 0.9 times the cosine of the goals plus 0.1 times that of the
    observations. Without an observation that part is zero.

    :param embedder: encoder of texts.
    :param similarity: 'goal' (as published) or 'goal_and_observation'.
    :raises ConfigurationError: unknown similarity.
    """

    def __init__(self, embedder: Embedder, similarity: str = GOAL) -> None:
        if similarity not in SIMILARITIES:
            raise ConfigurationError(
                f'similarity {similarity!r} is none of {", ".join(SIMILARITIES)}'
            )
        self.embedder = embedder
        self.similarity = similarity
        self.reads_observations = similarity == GOAL_AND_OBSERVATION

    @property
    def name(self) -> str:
        """Name of the vector space: only vectors under one name may be compared."""
        return self.embedder.name + (_SUFFIX if self.reads_observations else '')

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self.embedder.dimension * (2 if self.reads_observations else 1)

    def query(self, goal: str, observation: str = '') -> FloatMatrix:
        """The vector of a goal: float32 (d,).

        :param observation: what the robot sees first, where it is read.
        :raises EncoderError: the encoder does not answer.
        """
        if not self.reads_observations:
            row: FloatMatrix = self.embedder.embed([goal])[0]
            return row
        combined: FloatMatrix = self._combine([goal], [observation])[0]
        return combined

    def experiences(self, experiences: Sequence[Experience]) -> FloatMatrix:
        """One row an experience: float32 (n, d).

        :raises EncoderError: the encoder does not answer.
        """
        goals = [experience.goal for experience in experiences]
        if not self.reads_observations:
            return self.embedder.embed(goals)
        return self._combine(goals, [_first_observation(item) for item in experiences])

    def goals(self, goals: Sequence[str]) -> FloatMatrix:
        """As `experiences`, for encoders that read goals only."""
        return self.embedder.embed(goals)

    def _combine(self, goals: Sequence[str], observations: Sequence[str]) -> FloatMatrix:
        seen = [place for place, observation in enumerate(observations) if observation]
        vectors = self.embedder.embed([*goals, *(observations[place] for place in seen)])
        width = self.embedder.dimension
        rows = np.zeros((len(goals), 2 * width), np.float32)
        rows[:, :width] = vectors[: len(goals)] * math.sqrt(GOAL_WEIGHT)
        rows[seen, width:] = vectors[len(goals) :] * math.sqrt(1.0 - GOAL_WEIGHT)
        return rows


def _first_observation(experience: Experience) -> str:
    """'' when the trajectory has none or is not of the published form."""
    try:
        lines = experience.goal.count('\n') + 1
        return parse_trajectory(experience.trajectory, lines).opening.strip()
    except ConfigurationError:
        return ''
