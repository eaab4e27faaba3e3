"""ProcWorld's aligned visual world behind the bridge: see `aligned`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.procworld.aligned import AlignedEngine, Body
from sim_bridge.worlds.procworld.engine import Engine
from sim_bridge.worlds.procworld.house_file import procthor_record
from sim_bridge.worlds.procworld.named import house_file
from sim_bridge.worlds.procworld.procthor_house import program_ids
from sim_bridge.worlds.procworld.procthor_writing import procthor_of
from sim_bridge.worlds.procworld.tasks import STEPS
from sim_bridge.worlds.procworld.world import ProcWorldWorld
from sim_bridge.worlds.thor.client import ControllerClient
from sim_bridge.worlds.thor.dialects import NEW
from sim_bridge.worlds.thor.loading import restored
from sim_bridge.worlds.thor.starting import client_options, command_of


class AlignedProcWorld(ProcWorldWorld):
    """ProcWorld's texts and rules over a house that AI2-THOR simulates.

    Its program plays in ProcTHOR houses, the stand-in in any.

    :param reach: metres within which the robot sees. :param map: as of `ProcWorldWorld`.
    :param step_limit: as there. :param stand_in: options of the stand-in.
    :param program: options of the world `thor` for its program; without `executable` the stand-in.
    :raises ConfigurationError: a value is out of range.
    """

    name = 'procworld_aligned'
    #: A skill is many actions of a program.
    quick = False
    # Its program cannot be copied, and where its locations are is not known beforehand.
    expert = snapshot = restore = displace = None  # type: ignore[assignment]

    def __init__(
        self,
        reach: float | str = 1.5,
        map: bool = True,  # noqa: A002 (the option's name)
        step_limit: int = STEPS,
        stand_in: str = '',
        **program: Any,
    ) -> None:
        super().__init__(reach, map, step_limit=step_limit)
        if self._reach > 20.0:
            raise ConfigurationError('the aligned world needs a reach of at most 20 m, e.g. 1.5')
        options = client_options(**{'version': NEW, **program})
        if options.size[0] != options.size[1]:
            raise ConfigurationError('the aligned world takes square frames, e.g. size=300')
        self._options = replace(options, senses=True)
        self._command = command_of(options.executable, stand_in)
        self._client: ControllerClient | None = None

    def _begin(self, scene: str, planned: Engine) -> Engine:
        file = house_file(scene)
        record = procthor_record(file) if file else None
        if record is not None:
            ids = program_ids(record)
        elif self._options.executable:
            raise ConfigurationError(
                f"AI2-THOR's program plays in ProcTHOR houses, and {scene} is none: give the file "
                'of one as scene or task, or leave executable empty for the stand-in'
            )
        else:
            record, ids = procthor_of(planned.layout.house)
        if self._client is not None and self._client.gone:
            self.close()
        if self._client is None:
            own = not self._options.executable
            self._client = ControllerClient(self._options, self._command, record, not own)
        shown, points = restored(self._client, record, None)
        body = Body(self._client, ids, shown, self._reach)
        body.place(points, planned.state.at)
        return AlignedEngine(planned, body)

    @property
    def collisions(self) -> int:
        """How often the robot ran into something in this episode."""
        engine = self._now.engine
        return engine.body.collisions if isinstance(engine, AlignedEngine) else 0

    def close(self) -> None:
        """End the program."""
        client, self._client = self._client, None
        if client is not None:
            client.close()
