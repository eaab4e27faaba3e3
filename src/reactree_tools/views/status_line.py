"""The one line that moves at the bottom of a live run."""

from __future__ import annotations

from rich.text import Text

from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.snapshot import AgentTree
from reactree_core.usage import LlmUsage
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count, visible
from reactree_tools.views.transcript import clock


class StatusLine:
    """Follows a run and says in one line what it is doing now and what it has cost."""

    def __init__(self, glyphs: Glyphs) -> None:
        self._glyphs = glyphs
        self._usage = LlmUsage()
        self._doing = 'waiting for the planner'
        #: What the run waits for before it goes on; '' while it goes on.
        self.preparing = ''

    def follow(self, event: Event) -> None:
        """Take the next event in."""
        if isinstance(event, Observation):
            self._doing = 'thinking'
            return
        self._usage = self._usage + event.usage
        if event.kind is DecisionKind.ACT:
            self._doing = visible(event.skill, 60)
        elif event.kind is DecisionKind.FINISH and event.node_id == 0:
            self._doing = 'ending'
        else:
            self._doing = 'thinking'

    def text(self, tree: AgentTree, elapsed: float, canceling: bool = False) -> Text:
        """The line now.

        :param elapsed: seconds since the task was sent.
        """
        separator = f' {self._glyphs.separator} '
        parts = [clock(elapsed), count(tree.decisions, 'decision'), count(tree.steps, 'step')]
        tokens = self._usage.evaluated_tokens + self._usage.completion_tokens
        if tokens:
            parts.append(count(tokens, 'token'))
        doing = f'waits: {visible(tree.waiting_for, 60)}' if tree.waiting_for else self._doing
        if doing == 'thinking' and not tree.decisions:
            # Before its first decision a model evaluates the long prompt; on a slow machine that
            # takes a minute, once.
            doing = 'reading the prompt'
        doing = visible(self.preparing, 80) or doing
        text = Text('canceling' if canceling else doing, style='bold')
        text.append(separator + separator.join(parts), style='not bold bright_black')
        return text


def is_end_of_run(event: Event) -> bool:
    """Whether this is the last event of a run."""
    return isinstance(event, Decision) and event.kind is DecisionKind.FINISH and event.node_id == 0
