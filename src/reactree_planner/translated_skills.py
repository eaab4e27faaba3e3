"""A skill server that speaks other words than the planner (port `SkillServer`)."""

from __future__ import annotations

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Observation
from reactree_core.observation import Progress
from reactree_core.observation import Vocabulary
from reactree_core.ports import SkillServer
from reactree_core.skill_vocabulary import SkillVocabulary


class TranslatedSkillServer:
    """Another skill server, asked and understood in the robot's words.

    :param inner: speaks the robot's words. :param words: translates.
    """

    def __init__(self, inner: SkillServer, words: SkillVocabulary) -> None:
        self._inner = inner
        self._words = words

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        """Names and templates, and what the robot sees now."""
        vocabulary, observation = self._inner.list_skills(cancel)
        return self._words.vocabulary(vocabulary), self._words.observation(observation)

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        """The wider published set."""
        return tuple(map(self._words.from_robot, self._inner.candidate_skills(cancel)))

    def look(self, cancel: CancelToken) -> Observation:
        """What the robot sees now."""
        return self._words.observation(self._inner.look(cancel))

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        """Run one skill to its end; the observation names it as the planner does."""
        return self._words.observation(
            self._inner.execute(sequence, node_id, self._words.to_robot(skill), cancel)
        )

    def progress(self, cancel: CancelToken) -> Progress | None:
        """Goal conditions met, or None when the bridge cannot judge."""
        return self._inner.progress(cancel)

    def reset(self, cancel: CancelToken) -> None:
        """Put the world back to where its task began."""
        self._inner.reset(cancel)
