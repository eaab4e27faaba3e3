"""Scenes by their names: from files where they have them, else made up from a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.stand_in.evidence import Sources
from sim_bridge.worlds.thor.stand_in.floor_plans import floor_plan
from sim_bridge.worlds.thor.stand_in.houses import house_scene
from sim_bridge.worlds.thor.stand_in.made_up import made_up_room
from sim_bridge.worlds.thor.stand_in.recordings import recorded_scenes
from sim_bridge.worlds.thor.stand_in.scene import FLOOR_PLANS, Scene, settle


class SceneSource:
    """Scenes of one program, each built once.

    :param sources: files; floor plans that they do not know are made up.
    :param seed: of what is made up or guessed.
    :param recordings: files of recorded events, whose scenes come before all others.
    """

    def __init__(self, sources: Sources, seed: int = 0, recordings: Sequence[Path] = ()) -> None:
        self._sources, self._seed = sources, seed
        self._built: dict[str, Scene] = {}
        for file in recordings:
            self._built.update(recorded_scenes(file))

    def scene(self, name: str) -> Scene:
        """A scene by its name, e.g. 'FloorPlan10'; the caller may change it.

        :raises ConfigurationError: there is none, or a file cannot be read.
        """
        if name not in FLOOR_PLANS and name not in self._built:
            raise ConfigurationError(
                f'there is no scene {name[:60]!r}: FloorPlan1 to 30, 201 to 230, 301 to 330, '
                '401 to 430'
            )
        if name not in self._built:
            if self._sources.knows(name):
                built = floor_plan(name, self._sources.read(name), self._seed)
            else:
                built = made_up_room(name, self._seed)
            settle(built.things)
            self._built[name] = built
        return self._built[name].copy()

    def house(self, description: Mapping[str, Any]) -> Scene:
        """A ProcTHOR house.

        :raises ConfigurationError: it is none.
        """
        return house_scene(description)
