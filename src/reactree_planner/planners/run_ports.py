"""What a run works with, and who is told of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reactree_core.embedder import Embedder
from reactree_core.ports import LanguageModel
from reactree_core.ports import Memory
from reactree_core.ports import SkillServer
from reactree_planner.tree.events import Decision
from reactree_planner.tree.events import Event

#: Called with every event, after it is in the tree: journal, topics, views.
EventSink = Callable[[Event], None]
#: Called before a skill runs; may wait (approval, pause) and may refuse with a reason.
SkillGate = Callable[[Decision], str | None]
#: Told, once each, what people should know of a run that went on.
NoticeSink = Callable[[str], object]


@dataclass(frozen=True)
class Ports:
    """What a run works with.

    :param embedder: makes the encoder of sentences when a planner first needs it; None: none.
    """

    model: LanguageModel
    skills: SkillServer
    memory: Memory
    embedder: Callable[[], Embedder] | None = None
