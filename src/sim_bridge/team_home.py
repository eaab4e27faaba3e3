"""Program `team_home`: a home for several simulated robots, each of which has its own process.

team_home --socket PATH robot_1 robot_2.yaml
"""

from __future__ import annotations

import argparse
import json
import os
import socketserver
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError, ReactreeError
from sim_bridge.worlds.household.member import answer_of, LONGEST
from sim_bridge.worlds.household.team import read_robots, TeamHome

_ROS = '--ros-args'


class HomeServer(socketserver.ThreadingUnixStreamServer):
    """Answers robots at a socket of this machine, which only its user can reach.

    :param path: of the socket; one that nobody serves any more is replaced.
    :raises ConfigurationError: the socket cannot be made.
    """

    daemon_threads = True

    def __init__(self, path: Path, home: TeamHome) -> None:
        self.home = home
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                path.unlink()
            before = os.umask(0o177)
            try:
                super().__init__(str(path), _Handler)
            finally:
                os.umask(before)
        except OSError as error:
            raise ConfigurationError(
                f'the socket {path} cannot be made ({error.strerror}): name another one'
            ) from None


class _Handler(socketserver.StreamRequestHandler):
    """One robot's connection."""

    server: HomeServer

    def handle(self) -> None:
        """Answer line by line."""
        while line := self.rfile.readline(LONGEST):
            try:
                self.wfile.write(json.dumps(self._answer(line)).encode() + b'\n')
            except OSError:
                return  # the robot has gone

    def _answer(self, line: bytes) -> Mapping[str, Any]:
        try:
            request = json.loads(line)
            who, ask, given = request['robot'], request['ask'], list(request['with'])
        except (ValueError, KeyError, TypeError) as error:
            return {'error': f'this is no question to a home: {error}'}
        try:
            return {'answer': answer_of(self.server.home, who, ask, given)}
        except ReactreeError as error:
            return {'error': str(error)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until it is ended. :return: exit code, 2 for something that cannot be used."""
    described = (__doc__ or '').splitlines()[0]
    parser = argparse.ArgumentParser(prog='team_home', description=described)
    parser.add_argument('robots', nargs='+', help='of each its name, or its file')
    parser.add_argument('--socket', type=Path, required=True, help='where robots come in')
    given = list(sys.argv[1:] if arguments is None else arguments)
    # A launch file gives arguments of ROS too.
    args = parser.parse_args(given[: (*given, _ROS).index(_ROS)])
    try:
        robots = read_robots(args.robots)
        server = HomeServer(args.socket, TeamHome(tuple(robots), robots))
    except ConfigurationError as error:
        sys.stderr.write(f'{error}\n')
        return 2
    # The last line is as of every node (reactree_core.ros.spinning).
    sys.stdout.write(f'home of {", ".join(robots)} at {args.socket}\nhome ready\n')
    sys.stdout.flush()
    with server, suppress(KeyboardInterrupt):
        server.serve_forever(poll_interval=0.2)
    return 0


if __name__ == '__main__':
    sys.exit(main())
