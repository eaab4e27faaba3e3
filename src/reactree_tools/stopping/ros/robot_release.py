"""Releases of robots, and what still moves then."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from rclpy.node import Node

from reactree_core.robot_record import Life, RobotRecord
from reactree_core.ros.fields import bounded
from reactree_core.stop_log import stop_log, StopEvent
from reactree_ros.msg import BridgeStatus
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
from skill_server.ros.emergency_stop import ITSELF, NOT_PRESSED, RELEASED

#: Seconds in which a bridge that lives follows its log.
_FOLLOWS_LOG = 2.0


class RobotRelease:
    """The release of one robot.

    :param name: full name of its skill server. :param record: None of a robot that left none.
    :param is_unknown: whether a record that cannot be read may be its.
    """

    def __init__(self, name: str, record: RobotRecord | None, is_unknown: bool = False) -> None:
        self._name = name
        self._record = record
        self._is_unknown = is_unknown
        self.bridge = SkillServerStop(name, press=False)
        #: Whether a bridge lives that follows the log.
        self._follows = record is not None and record.life is Life.ALIVE
        self._stands_since = 0.0
        actions: Mapping[str, Sequence[str]] = record.actions if record is not None else {}
        self._actions = [
            ActionGoals(one, skills, cancels=False) for one, skills in actions.items()
        ]

    def step(self, now: float) -> None:
        """Have its skill server release it, where the log that both know does not.

        A bridge follows its log, in which the release stands. It is asked by its service only
        where it does not, and never where the stop was pressed again meanwhile: a request that is
        on its way would undo that.

        :param now: in monotonic seconds.
        """
        status = self.bridge.status
        if self._follows and status is not None:
            self._stands_since = self._stands_since or now
            is_stopped = status.state == BridgeStatus.STATE_STOPPED
            if not is_stopped or now - self._stands_since < _FOLLOWS_LOG:
                return
        if self.pressed_again is None:
            self.bridge.step(now)

    @property
    def pressed_again(self) -> StopEvent | None:
        """The press that came after the release; None where there is none."""
        last = stop_log(self._name).last()
        return last if last is not None and last.pressed else None

    @property
    def is_released(self) -> bool:
        """Test whether its bridge reports that it follows the release in the log."""
        status = self.bridge.status
        return self._follows and status is not None and status.state != BridgeStatus.STATE_STOPPED

    def _shown(self) -> str:
        """Read off its status what has not ended; '' for nothing, and while it works."""
        status = self.bridge.status
        tells = (BridgeStatus.STATE_READY, BridgeStatus.STATE_FAULT)
        return bounded(status.message) if status is not None and status.state in tells else ''

    @property
    def _unseen(self) -> list[str]:
        """Services and topics of skills of whose end nobody tells, as there is no bridge."""
        record = self._record
        if record is None or record.ended or self._follows:
            return []
        return [*record.services, *record.topics]

    def enter(self, node: Node) -> None:
        """Meet its bridge and its actions by one more node."""
        parts: list[SkillServerStop | ActionGoals] = [self.bridge, *self._actions]
        for part in parts:
            with suppress(*REFUSED):
                part.enter(node)

    def waits(self, meets: bool) -> bool:
        """Test whether an answer is to come. :param meets: others may still be met."""
        bridge = self.bridge
        if meets and not self._follows and not all(one.is_heard for one in self._actions):
            # Nobody else tells what is at work.
            return True
        if bridge.answer is not None or self.is_released or self.pressed_again is not None:
            return False
        return bridge.met or (meets and (self._follows or self._is_unknown))

    def report(self, robot: str, chosen: Chosen, is_served: bool, now: float) -> RobotReport:
        """Report of its end.

        :param robot: its name. :param is_served: whether its skill server is there.
        """
        answer, record = self.bridge.answer, self._record
        report = RobotReport(title(self._name, robot), self._name, bad='STAYS STOPPED')
        said = str(answer.message) if answer is not None else ''
        was_pressed = self._name in chosen.pressed or said.startswith(RELEASED)
        report.ok = 'is released' if was_pressed else 'was not pressed'
        again = self.pressed_again
        if answer is not None and not answer.success:
            report.doubts.append(said)
        elif again is not None and again.how == ITSELF and self._name not in chosen.trouble:
            report.doubts.append(
                'The stop of the robot itself is pressed: release that at the robot, then run '
                'this again.'
            )
        elif again is not None and self._name not in chosen.trouble:
            report.doubts.append(f'The emergency stop was pressed again {again}.')
        elif self._name in chosen.trouble:
            report.doubts.append(f'{chosen.trouble[self._name]}.'.capitalize())
        elif self.is_released:
            said = self._shown()
        elif answer is None and record is not None and record.life is Life.SUSPENDED:
            report.standing.append(
                f'its bridge is suspended (process {record.pid}), and follows once it goes on'
            )
        elif answer is None and (self.bridge.met or self._follows):
            report.doubts.append(self.bridge.silence(now, record))
        elif answer is None and not is_served:
            report.standing.append('no bridge is there: skills run once one is started')
        report.asides += filter(None, (action.doubt(now) for action in self._actions))
        if answer is not None or self.is_released:
            for begin in (RELEASED, NOT_PRESSED):
                said = said.removeprefix(begin).strip() if said.startswith(begin) else said
            # An action that the command itself sees at work stands there already.
            if said and not report.asides and not report.doubts:
                report.asides.append(said)
        elif self._unseen:
            report.asides.append(
                f'Whether skills that use {some(self._unseen)} are still at work is not known: '
                'only their bridge knows of it.'
            )
        return report


def release_robots(order: Order, chosen: Chosen, doors: Doors) -> StopResult:
    """Release robots by the logs, which `choose` has written, and by their skill servers."""
    # Of those that have ended, only what was pressed is worth a line.
    ended = {name: one for name, one in chosen.ended.items() if name in chosen.pressed}
    records = {**chosen.records, **ended}
    robots = {**{name: record.robot for name, record in records.items()}, **chosen.logged}
    is_unknown = bool(chosen.broken)
    releases = {name: RobotRelease(name, records.get(name), is_unknown) for name in robots}
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
                    releases[name] = RobotRelease(name, None)
                    doors.enter(releases[name])
        for release in releases.values():
            release.step(now)
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
