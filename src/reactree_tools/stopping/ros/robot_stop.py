"""Stops robots over ROS by what they are themselves: their actions, and their own stops.

All robots are stopped side by side, each by all means at once, whether or not one of our nodes
lives:

    robot's own stop       pressed                     (record)
    robot's actions        all goals canceled          (record)
    what skills publish    ended, as `finally` says    (record, where the bridge is gone)
    bridge                 asked by service and topic  (record, graph)
    planner                asked by topic; its goals are canceled where it does not heed that

Every part is a small state machine that is stepped until it knows, or until the time is over. None
waits for another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any

from action_msgs.msg import GoalStatusArray
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from std_msgs.msg import Bool

from reactree_core.robot_record import Life, read_record, remove_record, RobotRecord
from reactree_core.ros.spinning import leaving, security_hint
from reactree_tools.exit_codes import ExitCode
from reactree_tools.stopping.orders import (
    choose,
    Chosen,
    ended_sentence,
    gone_sentence,
    interrupted_sentence,
    name_mistakes,
    nobody_sentence,
    Order,
    RobotReport,
    settle_logs,
    some,
    StopResult,
    title,
    write_event,
)
from reactree_tools.stopping.ros.doors import (
    Doors,
    EXECUTE,
    Graph,
    LOOK,
    LOOK_AGAIN,
    MEET,
    PATIENCE,
    PLAN,
    REFUSED,
)
from reactree_tools.stopping.ros.robot_release import release_robots
from reactree_tools.stopping.ros.stop_parts import (
    ActionGoals,
    ACTIVE,
    BUTTON,
    FOLLOWS,
    OwnStop,
    SkillServerStop,
    STOP,
)

#: Seconds on top of those in which a bridge answers.
_ON_ITS_WAY = 1.0
#: Seconds until a skill server of which nothing but its action was met has no stop of its own.
_OWN_STOP_MET = 0.5
#: Seconds that a planner gets to end its runs by itself.
_RUNS_END = 1.0


class _Robot:
    """One robot and all means to stop it.

    :param record: None of a robot that only the graph shows.
    """

    def __init__(self, name: str, record: RobotRecord | None) -> None:
        self.name = name
        self.record = record
        self.began = time.monotonic()
        self._life = record.life if record is not None else Life.UNKNOWN
        # Cancels first: a robot that drives is stopped by them.
        actions: Mapping[str, Sequence[str]] = record.actions if record is not None else {}
        self._actions = [ActionGoals(action, skills) for action, skills in actions.items()]
        press, section = (record.press, record.pressed) if record is not None else (None, {})
        self._own = OwnStop(press, section)
        self._bridge = SkillServerStop(name, press=True)
        self._nodes: list[Node] = []
        #: Whether goals went on when the bridge said what had not ended; None: it has not.
        self._went_on: bool | None = None
        #: Names of the record that the graph shows.
        self._shown: set[str] = set()
        if record is None:
            # A skill server of the user's own: its skills are all that is known to move.
            self._actions.append(ActionGoals(f'{name}{EXECUTE}'))
        self._ends: list[OwnStop] = []
        self._end_alone()

    def _end_alone(self) -> None:
        """End what skills publish, where the bridge does not."""
        if self.record is None or self._life in (Life.ALIVE, Life.UNKNOWN) or self._ends:
            return
        self._ends = [OwnStop(end, {}) for end in self.record.ends]
        for end in self._ends:
            for node in self._nodes:
                with suppress(*REFUSED):
                    end.enter(node)

    @property
    def robot(self) -> str:
        """Its name; '' where it has none."""
        if self.record is not None:
            return self.record.robot
        status = self._bridge.status
        return status.backend if status is not None and not status.simulated else ''

    @property
    def _parts(self) -> list[ActionGoals | OwnStop | SkillServerStop]:
        return [*self._actions, self._own, *self._ends, self._bridge]

    def enter(self, node: Node) -> None:
        """Have what was not met yet meet others by one more node; what ROS permits of it."""
        self._nodes.append(node)
        for part in self._parts:
            if not part.met:
                with suppress(*REFUSED):
                    part.enter(node)

    @property
    def is_sought(self) -> bool:
        """Whether something that would stop it was not met."""
        own = self._own.exists and not self._own.met
        bridge = self._is_helped and not self._bridge.met
        return own or bridge or any(not action.met for action in self._actions)

    @property
    def has_own_log(self) -> bool:
        """Test whether its skill server keeps a stop by itself."""
        return self.record is not None or self._bridge.met

    def look(self, graph: Graph) -> None:
        """See what the graph shows of it, and what has become of its bridge."""
        record = self.record
        if record is None:
            return
        self._shown |= graph.shows(record)
        # It may have ended just now, as it should, or a new one may have begun.
        self.record = read_record(self.name) or record
        self._life = self.record.life
        self._end_alone()

    def step(self, now: float) -> None:
        """Send what is due."""
        for part in self._parts:
            part.step(now)
        self._ask_again_when_ended(now)
        if now - self.began > FOLLOWS and (self._own.settled or self._meets_nobody(now)):
            self._own.listen()

    def _ask_again_when_ended(self, now: float) -> None:
        """Ask a bridge once more that has answered while goals went on which have ended since."""
        answer = self._bridge.answer
        if answer is None or answer.success or self._bridge.is_asked:
            return
        goes_on = any(not action.ended(now) for action in self._actions)
        if self._went_on and not goes_on:
            self._bridge.ask_again()
        self._went_on = goes_on

    def _meets_nobody(self, now: float) -> bool:
        return now - self.began > MEET

    @property
    def _met(self) -> bool:
        return bool(self._shown) or any(part.met for part in self._parts)

    @property
    def _has_ended(self) -> bool:
        """Test whether its bridge has ended with nothing at work."""
        return self.record is not None and self.record.ended > 0.0

    @property
    def is_away(self) -> bool:
        """Test whether its bridge has ended as it should, and nothing of it was met."""
        return self._has_ended and not self._met

    def patience(self, began: float) -> float:
        """Seconds after a time in which what is known of it is known. :param began: monotonic."""
        patience = self.record.patience if self.record is not None else 0.0
        sent_at = self._bridge.first_sent_at or self.began + MEET
        return max(PATIENCE, sent_at + patience + _ON_ITS_WAY - began)

    @property
    def _is_helped(self) -> bool:
        """Whether its bridge is expected to answer."""
        if self._life in (Life.GONE, Life.SUSPENDED):
            return False
        return self._life is Life.ALIVE or self._bridge.met

    def settled(self, now: float) -> bool:
        """Whether all is known that can be."""
        answer = self._bridge.answer
        if now - self.began > self.patience(self.began):
            return True
        if self._is_helped and self._bridge.is_asked:
            return False
        if not self.has_own_log and now - self.began < _OWN_STOP_MET:
            return False
        waits = not self._meets_nobody(now) and not (answer is not None and answer.success)
        for action in self._actions:
            known = action.ended(now) or action.refused(now)
            if not known and (waits if not action.met else True):
                return False
        own = self._own.settled or (not self._own.met and not waits)
        sensed = not self._own.hears or bool(self._own.sensed) or self._meets_nobody(now)
        return own and sensed and (self._met or not waits)

    def report(self, now: float) -> RobotReport:
        """What became of it."""
        report = RobotReport(title(self.name, self.robot), self.name)
        record, answer = self.record, self._bridge.answer
        if record is not None and self._life is Life.GONE and not self._met:
            if record.simulated:
                report.standing.append('its world moves only by its bridge, which has ended')
                remove_record(record.node)
            else:
                report.gone = True
                report.doubts.append(f'{gone_sentence(record)}.')
            return report
        report.done += filter(None, (self._own.did(), *(end.did() for end in self._ends)))
        report.done += [
            f'canceled {action.count} goal{"s" if action.count > 1 else ""} of {action.name}'
            for action in self._actions
            if action.count
        ]
        doubts = self._doubts(now)
        if answer is not None:
            report.done.append('its bridge has pressed the stop')
        elif self._has_ended:
            report.standing.append('its bridge has ended with nothing at work')
        elif self._life in (Life.SUSPENDED, Life.GONE):
            how = 'is suspended' if self._life is Life.SUSPENDED else 'has died'
            report.done.append(f'its bridge {how} (process {record.pid if record else 0})')
        if self._own.sensed:
            report.standing.append(f'{self._own.sensed} reports that its own stop is pressed')
        quiet = [action for action in self._actions if action.ended(now)]
        if quiet and len(quiet) == len(self._actions):
            count = f'all {len(quiet)} actions report' if len(quiet) > 1 else 'its action reports'
            report.standing.append(f'{count} no goal at work')
        elif answer is not None and answer.success:
            report.standing.append('its bridge reports that nothing is at work')
        report.doubts += doubts
        if not self.has_own_log:
            report.asides.append(
                f'It has no emergency stop ({self.name}{STOP}): its planner refuses tasks until '
                'the release, and what others send to it directly is done.'
            )
        return report

    def _doubts(self, now: float) -> list[str]:
        answer, record = self._bridge.answer, self.record
        helped = answer is not None and answer.success
        doubts = [
            doubt
            for action in self._actions
            # What is not there is not at work where the bridge has seen all end.
            if (doubt := action.doubt(now)) and (action.met or not helped)
        ]
        if answer is not None and not answer.success and not doubts:
            doubts.append(_own_words(answer.message))
        if answer is None and self._is_helped:
            doubts.append(self._bridge.silence(now, record))
        halted = bool(self._own.sensed) or (self._own.taken and not self._own.hears)
        if answer is None and record is not None and not (halted or self._has_ended):
            unseen = [*record.services, *record.topics]
            if unseen:
                why = {Life.GONE: 'has died', Life.SUSPENDED: 'is suspended'}
                doubts.append(
                    f'Skills that use {some(unseen)} may still be at work: only their bridge '
                    f'knows of their end, and it {why.get(self._life, "has not answered")}.'
                )
        own = self._own.doubt()
        if own and any(self._own.name in doubt for doubt in doubts):
            pass  # the bridge has said so
        elif own:
            doubts.append(own)
        elif self._own.taken and self._own.denied:
            doubts.append(
                f'The own stop of the robot, {self._own.name}, took the press, but '
                f'{self._own.denied} reports that it is not pressed.'
            )
        elif doubts and record is not None and not self._bridge_speaks(doubts):
            doubts.append(self._own_result())
        return doubts

    def _bridge_speaks(self, doubts: Sequence[str]) -> bool:
        """Test whether the words of the bridge stand there, which tell of the robot's own stop."""
        answer = self._bridge.answer
        return answer is not None and _own_words(answer.message) in doubts

    def _own_result(self) -> str:
        """What the robot's own stop did, for whoever reads what still moves."""
        if not self._own.exists:
            return 'The robot has no stop of its own that could be pressed (`press:` in its file).'
        if self._own.sensed:
            return f'Its own stop is pressed ({self._own.sensed} reports it).'
        return f'Its own stop: {self._own.did()}.'


class _Planner:
    """A planner: its runs end by its own stop, and else by a cancel.

    :param name: full name of its node.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._began = time.monotonic()
        self._nodes: list[Node] = []
        self._buttons: list[Any] = []
        self._status: GoalStatusArray | None = None
        self._cancel: ActionGoals | None = None

    def enter(self, node: Node) -> None:
        """Meet it by one more node."""
        self._nodes.append(node)
        with suppress(*REFUSED):
            button = node.create_publisher(Bool, f'{self.name}{STOP}', BUTTON)
            button.publish(Bool(data=True))
            self._buttons.append(button)
        if self._cancel is not None:
            self._cancel.enter(node)
        node.create_subscription(
            GoalStatusArray,
            f'{self.name}{PLAN}/_action/status',
            self._hear,
            qos_profile_action_status_default,
        )

    def _hear(self, message: GoalStatusArray) -> None:
        self._status = message

    @property
    def _runs(self) -> bool:
        status = self._status
        return status is not None and any(one.status in ACTIVE for one in status.status_list)

    def step(self, now: float) -> None:
        """Cancel where it does not heed."""
        heeds = any(button.get_subscription_count() > 0 for button in self._buttons)
        patience = _RUNS_END if heeds else FOLLOWS
        if self._cancel is None and self._runs and now - self._began > patience:
            self._cancel = ActionGoals(f'{self.name}{PLAN}')
            for node in self._nodes:
                self._cancel.enter(node)
        if self._cancel is not None:
            self._cancel.step(now)

    def settled(self, now: float) -> bool:
        """Whether its runs have ended."""
        return now - self._began > FOLLOWS and not self._runs

    def note(self, now: float) -> str:
        """What people should know of it; '' for nothing."""
        if self.settled(now):
            return ''
        return f'The run of {self.name} has not ended yet; no stopped robot takes its skills.'


def carry_out(
    order: Order, chosen: Chosen | None = None, say: Callable[[StopResult], None] | None = None
) -> StopResult:
    """Stop robots, or release them.

    :param chosen: of `choose`, where that was done already.
    :param say: given what became of it before the graph is left; of a program that ends then, even
        where the middleware does not let go.
    :raises ConfigurationError: ROS cannot start here; the logs were written.
    """
    chosen = choose(order) if chosen is None else chosen
    doors, code = Doors(order.namespace), ExitCode.FAILED
    try:
        result = (_press if order.press else release_robots)(order, chosen, doors)
        settle_logs(chosen)
        result.mistakes += chosen.broken
        result.unkept += [
            f'{title(name, "")} is not kept stopped over a restart: {why}.'
            for name, why in chosen.trouble.items()
        ]
        result.notes += chosen.notes
        if result.exit_code is not ExitCode.OK and security_hint():
            result.notes.append(security_hint().strip())
        code = result.exit_code
        if say is not None:
            say(result)
    except KeyboardInterrupt:
        code = ExitCode.INTERRUPTED
        if say is not None:
            say(StopResult(notes=[interrupted_sentence(order, chosen)]))
        raise
    finally:
        with ExitStack() as leaves:
            if say is not None:
                leaves.enter_context(leaving(code))
            doors.close()
    return result


def _press(order: Order, chosen: Chosen, doors: Doors) -> StopResult:
    robots = {name: _Robot(name, record) for name, record in chosen.records.items()}
    planners: dict[str, _Planner] = {}
    for robot in robots.values():
        doors.enter(robot)
    began = time.monotonic()
    looked = 0.0
    while True:
        now = time.monotonic()
        if now - began > max([PATIENCE, *(one.patience(began) for one in robots.values())]):
            break
        if now - looked > LOOK_AGAIN:
            looked = now
            for name, robot in _found(order, chosen, doors.graph, robots.keys()).items():
                robots[name] = robot
                if name not in chosen.ended:
                    # Who pressed it, and why, stands there before its skill server is asked.
                    chosen.logged[name] = ''
                    write_event(order, name, chosen)
                doors.enter(robot)
            for name in doors.graph.planners(order) - planners.keys() if not order.robot else ():
                planners[name] = _Planner(name)
                doors.enter(planners[name])
            for robot in robots.values():
                robot.look(doors.graph)
        parts: list[_Robot | _Planner] = [*robots.values(), *planners.values()]
        for part in parts:
            part.step(now)
        looks = now - began < (LOOK if robots else MEET)
        if not looks and all(part.settled(now) for part in parts):
            break
        doors.pause(not robots or any(robot.is_sought for robot in robots.values()))
    ended = {
        **{name: record for name, record in chosen.ended.items() if name not in robots},
        **{name: one.record for name, one in robots.items() if one.is_away and one.record},
    }
    there = {name: robot for name, robot in robots.items() if name not in ended}
    result = StopResult([robot.report(now) for robot in there.values()])
    names = [(name, robot.robot) for name, robot in there.items()]
    names += [(name, record.robot) for name, record in ended.items()]
    result.mistakes += name_mistakes(order, names, chosen.known)
    if ended:
        # Where others were reached, all that is known to move was.
        (result.notes if there else result.mistakes).append(ended_sentence(ended))
    elif not there and not order.robot:
        result.mistakes.append(nobody_sentence(order, list(planners)))
    result.notes += filter(None, (planner.note(now) for planner in planners.values()))
    return result


def _found(
    order: Order, chosen: Chosen, graph: Graph, known: Collection[str]
) -> dict[str, _Robot]:
    """Robots of an order that the graph shows and that are not known yet, by their nodes."""
    found = {
        name: _Robot(name, record)
        for name, record in chosen.ended.items()
        if name not in known and graph.shows(record)
    }
    for name in graph.bridges(order) - chosen.others - found.keys() - set(known):
        if order.names(name):
            found[name] = _Robot(name, chosen.ended.get(name))
    return found


def _own_words(message: str) -> str:
    """What a bridge says beyond that its stop is pressed."""
    return message.rpartition('`reactree stop --release`.')[2].strip() or message
