"""What an encoder reads of experiences and queries: goals, or also what the robot saw first."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from memory_server.episodic.trajectory import parse_trajectory
from reactree_core.embedder import Embedder
from reactree_core.embedder import FloatMatrix
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience

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
        self._embedder = embedder
        self.reads_observations = similarity == GOAL_AND_OBSERVATION

    @property
    def name(self) -> str:
        """Name of the vector space: only vectors under one name may be compared."""
        return self._embedder.name + (_SUFFIX if self.reads_observations else '')

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._embedder.dimension * (2 if self.reads_observations else 1)

    def query(self, goal: str, observation: str = '') -> FloatMatrix:
        """The vector of a goal: float32 (d,).

        :param observation: what the robot sees first, where it is read.
        :raises EncoderError: the encoder does not answer.
        """
        if not self.reads_observations:
            row: FloatMatrix = self._embedder.embed([goal])[0]
            return row
        combined: FloatMatrix = self._combine([goal], [observation])[0]
        return combined

    def experiences(self, experiences: Sequence[Experience]) -> FloatMatrix:
        """One row an experience: float32 (n, d).

        :raises EncoderError: the encoder does not answer.
        """
        goals = [experience.goal for experience in experiences]
        if not self.reads_observations:
            return self._embedder.embed(goals)
        return self._combine(goals, [_first_observation(item) for item in experiences])

    def goals(self, goals: Sequence[str]) -> FloatMatrix:
        """As `experiences`, for encoders that read goals only."""
        return self._embedder.embed(goals)

    def _combine(self, goals: Sequence[str], observations: Sequence[str]) -> FloatMatrix:
        seen = [place for place, observation in enumerate(observations) if observation]
        vectors = self._embedder.embed([*goals, *(observations[place] for place in seen)])
        width = self._embedder.dimension
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
