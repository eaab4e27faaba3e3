"""One robot in a home that several share: the home is in a process of its own (`team_home`).

Both sides speak lines of JSON over a socket of this machine: `{"ask": "step", "with": ["..."]}` is
answered by `{"answer": ...}` or `{"error": "..."}`. A robot whose process ends leaves the home as
it is, and may come back.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from typing import Any

from reactree_core.errors import ConfigurationError, WorldGoneError
from reactree_core.observation import Observation, Progress, Vocabulary, WorldTask
from reactree_core.record.journal_lines import decode_event, encode_event, texts, value_of
from sim_bridge.worlds.household.team import TeamHome
from sim_bridge.worlds.shared_world import Member

#: Longest line, in bytes.
LONGEST = 16 * 1024**2
#: Seconds between two looks whether a home is there.
_PERIOD = 0.1


def answer_of(home: TeamHome, who: str, ask: str, given: list[Any]) -> Any:
    """What a home answers to one robot, as JSON values.

    :raises ConfigurationError: nothing of the kind can be asked, or it cannot be done.
    """
    member = home.members.get(who)
    if member is None:
        raise ConfigurationError(
            f'there is no robot {who!r:.80} in this home: its robots are {", ".join(home.members)}'
        )
    if ask not in _ANSWERS:
        raise ConfigurationError(f'nobody can ask a home {ask!r:.80}')
    try:
        return _ANSWERS[ask](member, *given)
    except TypeError as error:
        raise ConfigurationError(f'{ask} was asked with other values: {error}') from None


def _seen(observation: Observation) -> str:
    return encode_event(observation)


def _task_of(member: Member) -> dict[str, Any] | None:
    task = member.task()
    return (
        None if task is None else {one.name: getattr(task, one.name) for one in fields(WorldTask)}
    )


def _join(member: Member, scene: str, task: str, seed: int) -> str:
    """Come into the home: it is loaded by the first robot that comes."""
    member.team.load_once(str(scene), str(task), int(seed))
    return _seen(member.observe())


_ANSWERS: Mapping[str, Callable[..., Any]] = {
    'join': _join,
    'reset': lambda one, scene, task, seed: _seen(one.reset(str(scene), str(task), int(seed))),
    'scene': lambda one: one.scene,
    'vocabulary': lambda one: asdict(one.vocabulary()),
    'observe': lambda one: _seen(one.observe()),
    'admissible': lambda one: one.admissible_skills(),
    'candidates': lambda one: one.candidate_skills(),
    'step': lambda one, skill: _seen(one.step(str(skill))),
    'progress': lambda one: None if (told := one.progress()) is None else asdict(told),
    'task': _task_of,
    'graph': lambda one: one.graph(),
}


class HomeMember:
    """The home as one robot sees it, over a socket (port `World`).

    :param home: path of the socket of `team_home`. :param robot: who this is.
    :param timeout: seconds that one answer may take, and that the home may take to start.
    """

    name = 'household'
    quick = False

    def __init__(self, home: str = '', robot: str = '', timeout: float = 10.0) -> None:
        if not home or not robot:
            raise ConfigurationError(
                'the world household_member needs the options home (the socket of team_home) and '
                'robot (its name there): see docs/team.md'
            )
        self._path, self._robot, self._timeout = home, robot, timeout
        self._socket: socket.socket | None = None
        self._file: Any = None
        self._has_joined = False

    def _connect(self) -> None:
        # The first time, a home that was started together with its robots may not be there yet.
        deadline = time.monotonic() + (0.0 if self._has_joined else self._timeout)
        while True:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(self._timeout)
            try:
                connection.connect(self._path)
            except OSError as error:
                connection.close()
                if time.monotonic() < deadline:
                    time.sleep(_PERIOD)
                    continue
                raise ConfigurationError(
                    f'no home answers at {self._path} ({error.strerror}): start it with '
                    '`team_home`'
                ) from None
            self._socket, self._file = connection, connection.makefile('rb')
            return

    def _ask(self, ask: str, *given: object) -> Any:
        if self._socket is None:
            self._connect()
        assert self._socket is not None
        question = {'robot': self._robot, 'ask': ask, 'with': given}
        try:
            self._socket.sendall(json.dumps(question).encode() + b'\n')
            line = self._file.readline(LONGEST)
            answer = json.loads(line)
        except (OSError, ValueError) as error:
            self.close()
            raise WorldGoneError(
                f'The home at {self._path} has gone, or does not answer ({error}): start it again.'
            ) from None
        if 'error' in answer:
            raise ConfigurationError(str(answer['error']))
        return answer['answer']

    def _observation(self, line: str) -> Observation:
        event = decode_event(line)
        if not isinstance(event, Observation):
            raise WorldGoneError(f'The home at {self._path} answers no observation.')
        return event

    @property
    def scene(self) -> str:
        """What is loaded."""
        return str(self._ask('scene'))

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Come into the home; from the second time on, load it anew for all robots.

        :raises ConfigurationError: it cannot be loaded, or holds something else.
        """
        ask = 'reset' if self._has_joined else 'join'
        seen = self._observation(self._ask(ask, scene, task, seed))
        self._has_joined = True
        return seen

    def vocabulary(self) -> Vocabulary:
        """Names and templates of this robot."""
        return value_of(Vocabulary, self._ask('vocabulary'))

    def observe(self) -> Observation:
        """What it sees from where it stands."""
        return self._observation(self._ask('observe'))

    def admissible_skills(self) -> tuple[str, ...]:
        """Those of its skills that can succeed now."""
        return texts(self._ask('admissible'))

    def candidate_skills(self) -> tuple[str, ...]:
        """The wider published set."""
        return texts(self._ask('candidates'))

    def step(self, skill: str) -> Observation:
        """Do one skill."""
        return self._observation(self._ask('step', skill))

    def progress(self) -> Progress | None:
        """Goal conditions met."""
        answer = self._ask('progress')
        return None if answer is None else value_of(Progress, answer)

    def task(self) -> WorldTask | None:
        """The loaded task."""
        answer = self._ask('task')
        return None if answer is None else value_of(WorldTask, answer)

    def graph(self) -> dict[str, Any]:
        """The scene as it is now."""
        graph: dict[str, Any] = self._ask('graph')
        return graph

    def close(self) -> None:
        """Give the connection back."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()
        self._socket = None
