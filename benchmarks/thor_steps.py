"""What the world `thor` costs beside the bare client of AI2-THOR: actions and resets a second.

The world plays random skills of those that it offers, with all that a bridge sends back. The
actions that it sends are kept, and the published `Controller` sends the same ones once more, to a
program of its own. Both take turns, round by round, on one machine and in one process.

Run: python -m benchmarks.thor_steps [--rounds N] [--transport fifo|http] [--executable PROGRAM]
Needs: pip install -r requirements/thor.txt
"""

from __future__ import annotations

import argparse
import time
from random import Random
from typing import Any

from reactree_core.errors import ConfigurationError
from sim_bridge.in_process_skill_server import with_skills
from sim_bridge.worlds.thor.client import installed_version
from sim_bridge.worlds.thor.dialects import dialect_of, OLD
from sim_bridge.worlds.thor.world import ThorWorld

#: Skills of a round.
SKILLS = 60
SCENES = ('FloorPlan1', 'FloorPlan10', 'FloorPlan219', 'FloorPlan308', 'FloorPlan424')


class Listening:
    """Keeps the actions that a world sends. :param client: of the world."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.sent: list[dict[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def do(self, action: dict[str, Any]) -> Any:
        """One action, as of the client."""
        self.sent.append(action)
        return self._client.do(action)


def play(world: ThorWorld, scene: str, seed: int) -> tuple[list[dict[str, Any]], float, float]:
    """Random skills in a scene: the actions sent, and seconds for them and for the reset."""
    begun = time.perf_counter()
    observation = with_skills(world, world.reset(scene, '', seed))
    resetting = time.perf_counter() - begun
    random = Random(seed)
    listening = Listening(world.robot.client)
    world.robot.client = listening
    begun = time.perf_counter()
    for _ in range(SKILLS):
        skill = random.choice(observation.admissible_skills)
        observation = with_skills(world, world.step(skill))
    return listening.sent, time.perf_counter() - begun, resetting


def bare_controller(command: str, transport: str) -> Any:
    """The published controller, as anybody makes it."""
    from ai2thor.controller import Controller
    from ai2thor.fifo_server import FifoServer
    from ai2thor.wsgi_server import WsgiServer

    return Controller(
        local_executable_path=command,
        scene=SCENES[0],
        width=300,
        height=300,
        quality='Medium',
        x_display=':0',
        server_class=WsgiServer if transport == 'http' else FifoServer,
        **dialect_of(installed_version()).initialization(),
    )


def main() -> None:
    """Print rates of both, and the share of the world's."""
    parser = argparse.ArgumentParser(description='The world thor beside the bare client.')
    parser.add_argument('--rounds', type=int, default=10)
    parser.add_argument('--transport', choices=('fifo', 'http'), default='fifo')
    parser.add_argument('--executable', default='', help="default: this package's stand-in")
    parser.add_argument('--stand-in', default='--made-up', help='options of the stand-in')
    arguments = parser.parse_args()
    try:
        version = installed_version()
        if dialect_of(version).version == OLD:
            raise ConfigurationError('this is measured with ai2thor 5.x: requirements/thor.txt')
        world = ThorWorld(
            executable=arguments.executable,
            transport=arguments.transport,
            stand_in=arguments.stand_in,
        )
        world.reset(SCENES[0], '', 0)
    except ConfigurationError as error:
        parser.error(str(error))
    controller = bare_controller(world.command, arguments.transport)
    count, spent, bare, resets, bare_resets = 0, 0.0, 0.0, 0.0, 0.0
    try:
        for round_number in range(arguments.rounds):
            scene = SCENES[round_number % len(SCENES)]
            sent, seconds, resetting = play(world, scene, round_number)
            begun = time.perf_counter()
            controller.reset(scene)
            controller.step(action='GetReachablePositions')
            bare_resets += time.perf_counter() - begun
            begun = time.perf_counter()
            for action in sent:
                try:
                    controller.step(action)
                except ValueError:
                    continue  # refused, as to the world
            bare += time.perf_counter() - begun
            count, spent, resets = count + len(sent), spent + seconds, resets + resetting
    finally:
        world.close()
        controller.stop()
    rounds = arguments.rounds
    print(f'ai2thor {version}, {arguments.transport}, {count} actions of {rounds * SKILLS} skills')
    print(f'{"":12} {"actions/s":>10} {"resets/s":>10}')
    print(f'{"world":12} {count / spent:10,.0f} {rounds / resets:10,.1f}')
    print(f'{"bare client":12} {count / bare:10,.0f} {rounds / bare_resets:10,.1f}')
    print(f'{"share":12} {bare / spent:10.2f} {bare_resets / resets:10.2f}')


if __name__ == '__main__':
    main()
