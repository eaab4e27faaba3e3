"""The experiences that the prompts of a run show."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.experience import Experience, ExperienceQuery
from reactree_planner.resume.logged_experiences import EXAMPLES
from reactree_planner.runs.run_ports import Basis
from reactree_planner.runs.run_prompts import RunPrompts


class RunMemory:
    """Of one run. :param prompts: by whose domain experiences are found."""

    def __init__(self, basis: Basis, prompts: RunPrompts) -> None:
        self._memory = basis.ports.memory
        self._settings = basis.settings
        self._cancel = basis.cancel
        self._timing = basis.timing
        self._log = basis.events.log
        self._prompts = prompts
        #: Examples of each prompt so far, in their order.
        self.shown: list[tuple[Experience, ...]] = []

    def retrieve(
        self, goal: str, limit: int, observation: str = '', planner: str = ''
    ) -> tuple[Experience, ...]:
        """Experiences near a goal; empty when the memory is gone.

        :param observation: what the node sees first. :param planner: only this planner's; '' for
            all.
        """
        with self._timing.measure('memory'):
            query = ExperienceQuery(
                goal,
                limit,
                seed=self._settings.seed,
                observation=observation,
                planner=planner,
                domain=self._prompts.stored_under,
                unit=self._settings.retrieval_unit.value,
            )
            return self._memory.retrieve(query, self._cancel)

    def note_chosen(self, ids: Sequence[str]) -> None:
        """Write down which experiences a prompt shows, for whoever reads the record."""
        self._log.note(EXAMPLES, {'chosen': list(ids)})
