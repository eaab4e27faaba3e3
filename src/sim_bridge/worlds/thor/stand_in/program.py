"""The executable: takes Unity's arguments and environment, and answers until the client ends."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from reactree_core.errors import ConfigurationError, ReactreeError
from sim_bridge.pictures import opencv
from sim_bridge.worlds.thor.stand_in.classes import OPENING_FAILS
from sim_bridge.worlds.thor.stand_in.evidence import installed_layouts, Sources
from sim_bridge.worlds.thor.stand_in.frames import Frames
from sim_bridge.worlds.thor.stand_in.options import add_options
from sim_bridge.worlds.thor.stand_in.records import ProtocolError
from sim_bridge.worlds.thor.stand_in.simulation import is_size, NO_SIZE, Simulation
from sim_bridge.worlds.thor.stand_in.sources import SceneSource
from sim_bridge.worlds.thor.stand_in.transports import Transport, transport

#: Seconds between looks whether the client's process is still there.
_LOOKS = 0.5
_DIED = 70


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until the client ends; 0 for a good end, 1 where something is wrong."""
    options, _unity = make_parser().parse_known_args(arguments)
    try:
        simulation = simulation_for(options, os.environ)
        connection = transport(os.environ)
    except ReactreeError as error:
        return _complain(str(error))
    threading.Thread(target=_end_with_client, args=(os.getppid(),), daemon=True).start()
    try:
        _answer(simulation, connection, options)
    except (ProtocolError, OSError) as error:
        return _complain(f'the client cannot be talked to: {error}')
    except KeyboardInterrupt:
        pass
    finally:
        connection.close()
    return 0


def make_parser() -> argparse.ArgumentParser:
    """The options of the executable; Unity's own are read too, or left alone."""
    parser = argparse.ArgumentParser(prog='thor-stand-in', allow_abbrev=False)
    add_options(parser)
    for side in ('width', 'height'):
        # What Unity is given: `-screen-width 300`.
        parser.add_argument(f'-screen-{side}', type=int, default=300, help=argparse.SUPPRESS)
    return parser


def simulation_for(options: argparse.Namespace, environment: Mapping[str, str]) -> Simulation:
    """The program's world from its options.

    :raises ConfigurationError: one of them cannot be used.
    """
    layouts: list[Path] = [] if options.made_up else [*options.layouts]
    if not layouts and not options.made_up:
        installed = installed_layouts()
        layouts = [installed] if installed else []
    for folder in (*layouts, *options.trajectories, *options.games):
        if not folder.is_dir():
            raise ConfigurationError(f'there is no folder {folder}')
    if not is_size(options.screen_width, options.screen_height):
        raise ConfigurationError(NO_SIZE)
    if options.frames == 'drawn':
        try:
            opencv()
        except ConfigurationError as error:
            raise ConfigurationError(f'{error}, or choose --frames plain') from error
    sources = Sources(layouts, options.trajectories, options.games)
    frames = Frames(options.frames == 'drawn', 'AI2THOR_SERVER_TYPE' not in environment)
    return Simulation(
        SceneSource(sources, options.seed, options.replay),
        frames,
        options.screen_width,
        options.screen_height,
        failure_rates(options.failures),
        options.seed,
    )


def failure_rates(which: str) -> dict[str, float]:
    """Class -> share of attempts to open it that fail.

    :param which: 'recorded', 'none', or one share for all classes.
    :raises ConfigurationError: it is none of these.
    """
    if which == 'recorded':
        return dict(OPENING_FAILS)
    if which == 'none':
        return {}
    try:
        share = float(which)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise ConfigurationError(
            f'--failures is recorded, none or a share 0..1, not {which[:40]!r}'
        )
    return dict.fromkeys(OPENING_FAILS, share)


def _answer(simulation: Simulation, connection: Transport, options: argparse.Namespace) -> None:
    action = connection.exchange(simulation.first_event())
    count = 0
    while action is not None:
        count += 1
        if options.die_after is not None and count >= options.die_after:
            sys.stderr.write(f'thor-stand-in: ends at action {count}, as --die-after says\n')
            sys.stderr.flush()
            os._exit(_DIED)
        if options.hang_after is not None and count >= options.hang_after:
            # Until the client ends this process, or ends itself.
            threading.Event().wait()
        action = connection.exchange(simulation.answer(action))


def _end_with_client(parent: int) -> None:
    """A client that was killed closes nothing: end when it is gone."""
    while os.getppid() == parent:
        time.sleep(_LOOKS)
    os._exit(0)


def _complain(text: str) -> int:
    sys.stderr.write(f'thor-stand-in: {text}\n')
    return 1
