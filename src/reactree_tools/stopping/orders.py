"""Stops and releases of robots: which robots, their logs, what is said of each. No ROS here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from reactree_core.durability import this_domain
from reactree_core.robot_record import (
    forget_outdated,
    Life,
    read_records,
    record_file,
    RobotRecord,
)
from reactree_core.stop_log import stop_event, stop_log, stop_logs, this_person
from reactree_tools.exit_codes import ExitCode


@dataclass(frozen=True, slots=True)
class Order:
    """A press or a release as given by a person.

    :param namespace: of the robots, with a leading slash. :param robot: name of one of them, ''
        for all below the namespace. :param how: e.g. 'with `reactree stop`'.
    """

    press: bool
    namespace: str = '/'
    robot: str = ''
    how: str = 'with `reactree stop`'
    why: str = ''
    by: str = field(default_factory=this_person)

    def covers(self, node: str) -> bool:
        """Whether a node is below the namespace. :param node: full name."""
        return node.startswith(f'{self.namespace.rstrip("/")}/')

    def names(self, node: str, *names: str) -> bool:
        """Whether a robot is one of those ordered.

        :param node: full name of its skill server. :param names: that it has besides its
            namespace.
        """
        if not self.robot:
            return True
        namespace = node.rpartition('/')[0]
        wanted = self.robot.strip('/')
        return wanted in (*names, namespace.strip('/'), namespace.rpartition('/')[2])


@dataclass
class RobotReport:
    """What became of one robot.

    :param name: for people. :param node: full name of its skill server.
    :param done: what was pressed and canceled, each as 'pressed /halt'.
    :param standing: by which senses it is known to stand still.
    :param doubts: what still moves or is not known, a sentence each; none where it has stopped.
    :param asides: what people should know besides, a sentence each.
    :param gone: nothing of it can be found. :param ok: what it does where there are no doubts.
    :param bad: what it does else.
    """

    name: str
    node: str
    done: list[str] = field(default_factory=list)
    standing: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    gone: bool = False
    ok: str = 'has stopped'
    bad: str = 'IS NOT KNOWN TO HAVE STOPPED'

    @property
    def stopped(self) -> bool:
        """Whether it is known to do what was ordered."""
        return not self.doubts and not self.gone

    def __str__(self) -> str:
        did = f' Done: {"; ".join(self.done)}.' if self.done else ''
        did = ' '.join((did, *self.asides))
        if self.stopped:
            why = f': {"; ".join(self.standing)}' if self.standing else ''
            return f'{self.name} {self.ok}{why}.{did}'
        bad = 'is gone' if self.gone else self.bad
        return f'{self.name} {bad}: {" ".join(self.doubts)}{did}'


@dataclass
class StopResult:
    """What became of an order.

    :param reports: of each robot. :param mistakes: of what was ordered, a sentence each.
    :param unkept: what a restart would forget, a sentence each.
    :param notes: what people should know besides.
    """

    reports: list[RobotReport] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)
    unkept: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> ExitCode:
        """OK only where every robot did what was ordered, and does so after a restart."""
        if self.unkept or any(not one.stopped and not one.gone for one in self.reports):
            return ExitCode.FAILED
        if self.mistakes or any(report.gone for report in self.reports):
            return ExitCode.UNUSABLE
        return ExitCode.OK

    @property
    def lines(self) -> list[str]:
        """All that is said."""
        return [*map(str, self.reports), *self.mistakes, *self.unkept, *self.notes]


@dataclass
class Chosen:
    """The robots of an order that have records, or logs.

    :param records: by the node. :param ended: of those whose skill server has ended with nothing
        at work, likewise. :param pressed: nodes of those that were pressed before the order.
    :param logged: robots that are pressed and have no record, by the node: their names.
    :param others: nodes of robots that were not ordered.
    :param known: names of all that could have been ordered.
    :param written: nodes of robots into whose logs the order was written.
    :param trouble: why a log could not be written, by the node of its robot.
    :param broken: of records that cannot be read, a sentence each: a robot may be behind each.
    """

    records: dict[str, RobotRecord] = field(default_factory=dict)
    ended: dict[str, RobotRecord] = field(default_factory=dict)
    pressed: set[str] = field(default_factory=set)
    logged: dict[str, str] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    known: list[str] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    trouble: dict[str, str] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def title(node: str, robot: str) -> str:
    """How a robot is called. :param node: of its skill server. :param robot: its name, or ''."""
    namespace = node.rpartition('/')[0] or '/'
    return f'{robot} ({namespace})' if robot else (namespace if namespace != '/' else 'The robot')


def choose(order: Order) -> Chosen:
    """Find the robots of an order, and write it into their logs.

    That comes first and needs no ROS: a live bridge follows its log.
    """
    chosen = Chosen()
    with suppress(OSError):
        forget_outdated()
    found = read_records()
    for record in found.here:
        if not order.covers(record.node):
            continue
        chosen.known.append(title(record.node, record.robot))
        if order.names(record.node, record.robot):
            (chosen.ended if record.ended else chosen.records)[record.node] = record
        else:
            chosen.others.add(record.node)
    pressed = {}
    for log in stop_logs():
        last = log.last()
        if last is not None and last.pressed and last.node:
            pressed[last.node] = last.robot
    chosen.pressed = set(pressed)
    for node, robot in pressed.items():
        known = node in chosen.records or node in chosen.ended
        if not order.press and not known and order.covers(node):
            chosen.known.append(title(node, robot))
            if order.names(node, robot):
                chosen.logged[node] = robot
    for node in (*chosen.records, *chosen.logged, *chosen.ended):
        if order.press or node in pressed:
            write_event(order, node, chosen)
    chosen.broken += [
        f'{path} is no record of a robot: remove it, and look whether that robot has stopped.'
        for path in found.broken
    ]
    others: dict[int, list[str]] = {}
    for domain, record in found.elsewhere:
        if record.life in (Life.ALIVE, Life.SUSPENDED):
            others.setdefault(domain, []).append(title(record.node, record.robot))
    release = '' if order.press else ' --release'
    chosen.notes += [
        f'{some(names)} {"are" if len(names) > 1 else "is"} in ROS domain {domain} and '
        f'{"were" if len(names) > 1 else "was"} left alone: ROS_DOMAIN_ID={domain} reactree '
        f'stop{release}'
        for domain, names in others.items()
    ]
    return chosen


def is_stopped_below(namespace: str) -> bool:
    """Tell from the logs of this domain whether a robot is stopped.

    :param namespace: with a leading slash.
    """
    order = Order(True, namespace, by='')
    last = (log.last() for log in stop_logs())
    return any(one is not None and one.pressed and order.covers(one.node) for one in last)


def write_event(order: Order, node: str, chosen: Chosen) -> None:
    """Write an order into the log of a robot; `chosen.trouble` says why that was not possible.

    :param node: full name of its skill server.
    """
    record = chosen.records.get(node) or chosen.ended.get(node)
    robot = record.robot if record is not None else chosen.logged.get(node, '')
    log = stop_log(node)
    try:
        log.append(
            stop_event(order.press, node, robot, order.by, order.how, order.why), durable=False
        )
    except OSError as error:
        chosen.trouble[node] = f'its log {log.path} cannot be written ({error.strerror or error})'
    else:
        chosen.written.add(node)


def settle_logs(chosen: Chosen) -> None:
    """Wait until the disk has what was written."""
    for node in sorted(chosen.written):
        log = stop_log(node)
        try:
            log.settle()
        except OSError as error:
            chosen.trouble.setdefault(
                node, f'its log {log.path} may not be kept ({error.strerror or error})'
            )


def name_mistakes(
    order: Order, names: Sequence[tuple[str, str]], known: Sequence[str]
) -> list[str]:
    """What is wrong with the robots of an order, a sentence each.

    :param names: node and name of each robot that was found. :param known: names of all.
    """
    release = '' if order.press else ' --release'
    if not names:
        if order.robot:
            others = f' The robots here: {", ".join(dict.fromkeys(known))}.' if known else ''
            every = f' `reactree stop{release}` is for all of them.' if known else ''
            return [f'There is no robot "{order.robot}" in {order.namespace}.{others}{every}']
        return []
    if order.robot and len(names) > 1:
        places = ', '.join(node.rpartition('/')[0] or '/' for node, _ in names)
        did = 'stopped' if order.press else 'released'
        return [
            f'{len(names)} robots are called "{order.robot}" ({places}), and all were {did}: use '
            '--namespace for one of them.'
        ]
    return []


def gone_sentence(record: RobotRecord) -> str:
    """What to say of a robot of which nothing can be found."""
    return (
        f'its bridge has died (process {record.pid} on {record.host}) and nothing of it is on '
        'the graph: it is switched off, or out of reach, where it may still move. The stop is '
        f'kept for it. Look at it; once it is off for good, remove {record_file(record.node)}'
    )


def interrupted_sentence(order: Order, chosen: Chosen | None) -> str:
    """Sentence for a person who ends the command before all is known.

    :param chosen: what was written into logs; None where that was not done yet.
    """
    if chosen is None or not (chosen.records or chosen.ended or chosen.logged):
        did = 'pressed' if order.press else 'released'
        return f'Interrupted: nothing was {did}, as far as is known. Run it again.'
    if order.press:
        return (
            'Interrupted: the stop is pressed and stays so until `reactree stop --release`, but '
            'whether each robot has stopped was not seen. Run `reactree stop` again to see it.'
        )
    return 'Interrupted: run `reactree stop --release` again to see which robots are released.'


def nobody_sentence(order: Order, planners: Sequence[str] = ()) -> str:
    """Sentence for a namespace without a robot.

    :param planners: that were asked to end their runs.
    """
    domain = this_domain()
    asked = f' Its planner {", ".join(planners)} was asked to end its run.' if planners else ''
    release = '' if order.press else ' --release'
    return (
        f'There is no robot in namespace {order.namespace} of ROS domain {domain}: none has left '
        f'a record here, and none is on the graph.{asked} If one runs, give its --namespace and '
        f'set the same ROS_DOMAIN_ID: reactree stop{release} --namespace robot_1'
    )


def some(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    shown = ', '.join(names[:4])
    return f'{shown} and {len(names) - 4} more' if len(names) > 4 else shown


def ended_sentence(ended: Mapping[str, RobotRecord]) -> str:
    """Sentences about robots that are not there, whose skill servers have ended as they should.

    :param ended: their records, by the node.
    """
    names = ', '.join(title(node, record.robot) for node, record in ended.items())
    are, have, them, stay = (
        ('are', 'their bridges have', 'them', 'They stay')
        if len(ended) > 1
        else ('is', 'its bridge has', 'it', 'It stays')
    )
    return (
        f'{names} {are} not there: {have} ended with nothing at work, and nothing of {them} is on '
        f'the graph. {stay} stopped until `reactree stop --release`.'
    )
