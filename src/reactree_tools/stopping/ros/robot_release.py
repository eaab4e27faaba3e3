"""Releases of robots, and what still moves then."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from rclpy.node import Node

from reactree_core.robot_record import Life, RobotRecord
from reactree_tools.stopping.orders import (
    Chosen,
    name_mistakes,
    nobody_sentence,
    Order,
    RobotReport,
    some,
    StopResult,
    title,
)
from reactree_tools.stopping.ros.doors import (
    Doors,
    LOOK,
    LOOK_AGAIN,
    MEET,
    PATIENCE,
    REFUSED,
)
from reactree_tools.stopping.ros.stop_parts import ActionGoals, SkillServerStop
from skill_server.ros.emergency_stop import NOT_PRESSED, RELEASED


class _Release:
    """The release of one robot.

    :param name: full name of its skill server. :param record: None of a robot that left none.
    """

    def __init__(self, name: str, record: RobotRecord | None) -> None:
        self._name = name
        self._record = record
        self.bridge = SkillServerStop(name, press=False)
        actions: Mapping[str, Sequence[str]] = record.actions if record is not None else {}
        self._actions = [
            ActionGoals(one, skills, cancels=False) for one, skills in actions.items()
        ]

    def enter(self, node: Node) -> None:
        """Meet its bridge and its actions by one more node."""
        parts: list[SkillServerStop | ActionGoals] = [self.bridge, *self._actions]
        for part in parts:
            with suppress(*REFUSED):
                part.enter(node)

    def waits(self, meets: bool) -> bool:
        """Test whether an answer is to come. :param meets: others may still be met."""
        bridge, record = self.bridge, self._record
        lives = record is not None and record.life is Life.ALIVE
        return bridge.answer is None and (bridge.met or (meets and lives))

    def report(self, robot: str, chosen: Chosen, is_served: bool, now: float) -> RobotReport:
        """Report of its end.

        :param robot: its name. :param is_served: whether its skill server is there.
        """
        answer, record = self.bridge.answer, self._record
        report = RobotReport(title(self._name, robot), self._name, bad='STAYS STOPPED')
        said = str(answer.message) if answer is not None else ''
        was_pressed = self._name in chosen.pressed or said.startswith(RELEASED)
        report.ok = 'is released' if was_pressed else 'was not pressed'
        lives = record is not None and record.life is Life.ALIVE
        if answer is not None and not answer.success:
            report.doubts.append(said)
        elif self._name in chosen.trouble:
            report.doubts.append(f'{chosen.trouble[self._name]}.'.capitalize())
        elif answer is None and (self.bridge.met or lives):
            report.doubts.append(self.bridge.silence(now, record))
        elif answer is None and not is_served:
            report.standing.append('no bridge is there: skills run once one is started')
        report.asides += filter(None, (action.doubt(now) for action in self._actions))
        if answer is not None:
            for begin in (RELEASED, NOT_PRESSED):
                said = said.removeprefix(begin).strip() if said.startswith(begin) else said
            # An action that the command itself sees at work stands there already.
            if said and not report.asides and answer.success:
                report.asides.append(said)
        elif record is not None and not record.ended and (record.services or record.topics):
            report.asides.append(
                f'Whether skills that use {some([*record.services, *record.topics])} are still '
                'at work is not known: only their bridge knows of it.'
            )
        return report


def release_robots(order: Order, chosen: Chosen, doors: Doors) -> StopResult:
    """Release robots by the logs, which `choose` has written, and by their skill servers."""
    # Of those that have ended, only what was pressed is worth a line.
    ended = {name: one for name, one in chosen.ended.items() if name in chosen.pressed}
    records = {**chosen.records, **ended}
    robots = {**{name: record.robot for name, record in records.items()}, **chosen.logged}
    releases = {name: _Release(name, records.get(name)) for name in robots}
    for release in releases.values():
        doors.enter(release)
    began = time.monotonic()
    looked = 0.0
    served: set[str] = set()
    while (now := time.monotonic()) - began < PATIENCE:
        looks = now - began < (LOOK if releases else MEET)
        meets = now - began < MEET
        if now - looked > LOOK_AGAIN:
            looked = now
            served = doors.graph.bridges(order)
            for name in served - releases.keys() - chosen.others:
                if order.names(name):
                    releases[name] = _Release(name, None)
                    doors.enter(releases[name])
        for release in releases.values():
            release.bridge.step(now)
        waits = any(release.waits(meets) for release in releases.values())
        if not looks and not waits:
            break
        doors.pause(not releases or waits)
    result = StopResult()
    for name, release in releases.items():
        result.reports.append(release.report(robots.get(name, ''), chosen, name in served, now))
    names = [(name, robots.get(name, '')) for name in releases]
    names += [(name, one.robot) for name, one in chosen.ended.items() if name not in releases]
    result.mistakes += name_mistakes(order, names, chosen.known)
    if not releases and chosen.ended:
        result.notes.append('Nothing was pressed.')
    elif not releases and not order.robot:
        result.mistakes.append(nobody_sentence(order))
    return result
