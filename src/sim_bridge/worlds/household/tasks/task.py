"""A task of a home: a sentence for the planner, and goal conditions for the judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reactree_core.observation import WorldTask


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(WorldTask):
    """One task.

    :param goal: Watch-And-Help's form: 'on_X_Y', 'inside_X_Y' or 'turnOn_X' to a count, with the
        class names of the scene graph (see the world's `scoring`).
    :param graph: the home it starts in, in VirtualHome's format; None: the scene as it is.
    :param home: name of the scene that it brings along, e.g. 'wah:tasks.json#7'; '' when it
        starts in the loaded one.
    """

    goal: dict[str, int]
    home: str = ''
    graph: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
