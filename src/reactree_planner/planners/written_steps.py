"""An agent whose steps the model writes as text: a thought or a skill, a line each.

As in ReAct and LATS: nothing constrains the model. A line that names no skill, or one that cannot
be done, goes to the skill server, which says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reactree_core.errors import EpisodeOver
from reactree_core.ports import LanguageSession
from reactree_core.record.trajectory import think_block
from reactree_core.record.trajectory_text import ACT, single_line
from reactree_planner.agents.acting import Actor
from reactree_planner.agents.executor import (
    Attempt,
    attempted_within,
    FindExamples,
    own_end,
    prompt_parts,
)
from reactree_planner.agents.node_context import NodeContext, SPARE_TOKENS
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.llm.option_constraints import proposed_index
from reactree_planner.prompting.reactree_prompt import PromptParts
from reactree_planner.runs.planner import PlannedRun

#: Letters of a line that are read.
_LONGEST = 1000
_THOUGHTS = ('think', 'thought')
_SKILLS = ('act', 'action')


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """A line of the model. :param text: one line. :param is_thought: else it is a skill."""

    text: str
    is_thought: bool = False

    @property
    def told(self) -> str:
        """As it stands in a prompt; of a skill without what came of it."""
        return think_block(self.text) if self.is_thought else f'{ACT} {self.text}\n'


def read_step(line: str, offered: Sequence[str]) -> WrittenStep:
    """What a line says, however its label is written; without a label it is a skill.

    :param offered: skills that it may mean in other letters.
    """
    said = single_line(line, _LONGEST)
    label, colon, rest = said.partition(':')
    named = label.strip(' >*#').lower() if colon else ''
    if named in _THOUGHTS:
        return WrittenStep(rest.strip(), is_thought=True)
    if named in _SKILLS:
        said = rest.strip()
    index = proposed_index(said, offered)
    return WrittenStep(said or '?' if index is None else offered[index])


class TextContext(NodeContext):
    """An agent's text, no longer than `chat_tokens` where the settings tell any.

    Parameters as of `NodeContext`.
    """

    def __init__(self, run: PlannedRun, parts: PromptParts, node_id: int = 0) -> None:
        settings = run.settings
        most = settings.chat_tokens or run.model.model.context_tokens
        self._longest = max(1, most - settings.thought_tokens - SPARE_TOKENS)
        super().__init__(run, run.tree.goal, parts, settings.thought_tokens, node_id)
        self._budget = min(self._budget, self._longest)

    def _begun(self, budget: int) -> LanguageSession:
        return super()._begun(min(budget, self._longest))

    def written(self, temperature: float = 0.0, seed: int = 0) -> str:
        """What the model writes as the next line; the session stays as it was."""
        with self.fork() as fork:
            return fork.generate(
                max_tokens=self._run.settings.thought_tokens, temperature=temperature, seed=seed
            )


class _TextActor(Actor):
    """Decides by the lines that the model writes."""

    def decide(self, text: TextContext) -> bool | None:
        """One line, whatever it says: how the task ended, or None."""
        step = read_step(text.written(), self.offered())
        text.session.append(step.told)
        if not step.is_thought:
            return self.perform(step.text)
        self.last_thought = step.text
        self._run.events.think(self._id, step.text, text.take_usage())
        return None


def attempt_in_text(run: PlannedRun, node_id: int, find_examples: FindExamples) -> Attempt:
    """Have an agent do the run's task by what it writes, to its end.

    :param node_id: whose decisions these are; its end is left to the caller.
    :raises ReactreeError: whatever ended the run.
    """
    return attempted_within(run, lambda: _attempted(run, node_id, find_examples))


def _attempted(run: PlannedRun, node_id: int, find_examples: FindExamples) -> Attempt:
    text = TextContext(run, prompt_parts(run, node_id, run.tree.goal, find_examples), node_id)
    situation = NodeSituation(run.tree.goal, (), run.world.belief)
    actor = _TextActor(run, node_id, situation, text, is_whole_task=True)
    most = run.settings.turns
    try:
        while not most or len(situation.done) < most:
            run.acting.before_decision()
            text.make_room()
            ended = actor.decide(text)
            if ended is not None:
                return own_end(actor, ended)
        return Attempt(False, f'all {most} turns are used')
    except EpisodeOver as over:
        return Attempt(actor.end(over), str(over), actor.last_success)
    finally:
        text.end()
