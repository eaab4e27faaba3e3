"""What must hold after every run of every row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.faults.client import PlannerClient, Run
from memory_server.store.registry import open_store
from memory_server.store.sqlite_file import inspect_file
from reactree_core.errors import ReactreeError
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.journal import read_journal
from reactree_core.ros.conversions import observation_from_message
from reactree_planner.ros.run_messages import decision_from_message
from reactree_ros.msg import Decision as DecisionMessage

#: How the bridge says, in its own log, what it has executed.
_EXECUTED = re.compile(r'run ([0-9a-f]{32}) number (\d+): ')


def broken_promises(client: PlannerClient, run: Run, journals: Path) -> Iterator[str]:
    """What does not hold of a run, as sentences.

    :param journals: folder of the planner's.
    """
    if run.result is None:
        yield 'the goal has no result'
    ends = client.ends[run.run_id]
    if len(ends) != 1:
        yield f'the goal has ended in {len(ends)} ways'
    path = journals / f'{run.run_id}.jsonl'
    try:
        kept = list(read_journal(path)) if path.exists() else []
    except ReactreeError as error:
        yield str(error)
        return
    finishes = [
        event
        for event in kept
        if isinstance(event, Decision) and (event.kind, event.node_id) == (DecisionKind.FINISH, 0)
    ]
    if len(finishes) > 1:
        yield f'the journal ends {len(finishes)} times'
    known = Counter(map(_told, kept))
    missed = Counter(map(_told, map(_event, run.events))) - known
    if missed:
        yield f'the client saw {missed.total()} events that the journal does not hold'


def unseen(run: Run, journals: Path) -> int:
    """Events of the journal that the client has not seen."""
    kept = Counter(map(_told, read_journal(journals / f'{run.run_id}.jsonl')))
    return (kept - Counter(map(_told, map(_event, run.events)))).total()


def _event(message: Any) -> Event:
    if isinstance(message, DecisionMessage):
        return decision_from_message(message)
    return observation_from_message(message)


def _told(event: Event) -> tuple[object, ...]:
    """An event without its time, which is counted from elsewhere in a message."""
    if isinstance(event, Decision):
        return event.sequence, event.node_id, event.kind, event.skill, event.text, event.status
    return event.sequence, event.node_id, event.outcome, event.skill, event.text


def executed_twice(logs: Iterable[str]) -> list[str]:
    """Skills that bridges did more than once, by their logs."""
    done = Counter(
        found.groups()
        for log in logs
        for found in map(_EXECUTED.search, log.splitlines())
        if found
    )
    return [f'run {run} number {number}' for (run, number), times in done.items() if times > 1]


def lost_experiences(store: Path, acknowledged: Iterable[str]) -> list[str]:
    """Runs whose experiences were acknowledged and are not kept.

    :raises ReactreeError: the store is damaged.
    """
    wanted = list(acknowledged)
    if not wanted:
        return []
    inspect_file(store)
    opened = open_store(str(store))
    try:
        return [run for run in wanted if not opened.ids_of_run(run)]
    finally:
        opened.close()
