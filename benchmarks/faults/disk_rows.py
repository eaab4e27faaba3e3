"""Disks that are full, and folders that cannot be written: journal, bag, store."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.faults.client import PATIENCE, require, Run
from benchmarks.faults.nursery import read_log
from benchmarks.faults.row import Row
from benchmarks.faults.stage import has_ended, Setup, Stage
from reactree_core.errors import ReactreeError
from reactree_core.record.journal import read_journal
from reactree_ros.action import PlanTask
from reactree_tools.recording.ros.run_reading import runs_of

#: Seconds in which a run whose journal cannot be written must end.
JOURNAL = 2.0
#: Seconds for a recorder to say that it cannot write.
RECORDER = 5.0
#: Seconds in which the recorder says an error once.
THROTTLE = 5.0
#: Bytes of a bag from which it is full; the log is shorter.
BAG_SIZES = (20_000, 40_000)
WITH_RECORDER = Setup(('bridge', 'memory', 'recorder', 'planner'))


def journal_full(stage: Stage, chance: Random) -> float:
    """No room for the journal, from some moment of a run on."""
    run = stage.send()
    stage.wait_for_skill(run, chance.randint(1, 2))
    size = (stage.journals / f'{run.run_id}.jsonl').stat().st_size
    stage.limit_files('planner', size + chance.randrange(200))
    full = time.monotonic()
    try:
        _ends_for_the_journal(stage, run)
    finally:
        stage.limit_files('planner', None)
    return run.ended - full


def journal_read_only(stage: Stage, chance: Random) -> float:
    """The folder of the journals cannot be written when a run begins."""
    stage.journals.mkdir(exist_ok=True)
    stage.journals.chmod(0o500)
    try:
        run = stage.send()
        _ends_for_the_journal(stage, run)
        require(not run.skills, 'a skill was done that no journal knows')
    finally:
        stage.journals.chmod(0o700)
    return run.ended - run.sent


def _ends_for_the_journal(stage: Stage, run: Run) -> None:
    result = stage.result(run, JOURNAL)
    wanted = PlanTask.Result.JOURNAL_ERROR
    require(
        result.error_code == wanted,
        f'the run ended with {result.error_code}: {result.error_msg or "no error"}',
    )
    require('disk space' in result.error_msg, f'it does not say what to do: {result.error_msg}')


def bag_full(stage: Stage, chance: Random) -> float:
    """No room for the bag, from some moment of a run on."""
    return _goes_on_without_bag(
        stage,
        chance.randint(0, 2),
        lambda: stage.limit_files('recorder', chance.randrange(*BAG_SIZES)),
        lambda: stage.limit_files('recorder', None),
    )


def bag_read_only(stage: Stage, chance: Random) -> float:
    """The folder of the bags cannot be written when a run begins."""
    return _goes_on_without_bag(
        stage, 0, lambda: stage.bags.chmod(0o500), lambda: stage.bags.chmod(0o700)
    )


def _goes_on_without_bag(
    stage: Stage, skills: int, begin: Callable[[], None], end: Callable[[], None]
) -> float:
    """:param skills: that are decided for before it begins; 0: it begins before the run."""
    recorder = stage.running('recorder')
    # Of errors that come together, it says the first.
    stage.pause(THROTTLE)
    before = read_log(recorder.log).count('[ERROR]')
    if skills:
        run = stage.send()
        stage.wait_for_skill(run, skills)
    begin()
    began = time.monotonic()
    try:
        if not skills:
            run = stage.send()
        result = stage.result(run, PATIENCE)
        require(result.success, f'the run failed: {result.error_msg}')
        stage.client.wait(
            lambda: read_log(recorder.log).count('[ERROR]') > before or has_ended(recorder),
            RECORDER + PATIENCE,
            'an error in the log of the recorder',
        )
        seconds = time.monotonic() - began
    finally:
        end()
    require(not has_ended(recorder), 'the recorder has ended')
    after = stage.serve()
    bag = stage.bags / after.run_id
    stage.client.wait((bag / 'ended').exists, PATIENCE, 'the bag of the next run')
    events = tuple(read_journal(stage.journals / f'{after.run_id}.jsonl'))
    require(_events(bag) == events, 'the bag of the next run does not hold what its journal does')
    return seconds


def _events(bag: Path) -> Any:
    try:
        return runs_of(bag)[0].events
    except ReactreeError as error:
        return str(error)


def store_full(stage: Stage, chance: Random) -> float:
    """No room for the store, from some moment of a run on."""
    run = stage.send()
    stage.wait_for_skill(run, chance.randint(1, 2))
    stage.limit_files('memory', chance.randrange(4096))
    try:
        _says_that_nothing_was_kept(stage, run)
    finally:
        stage.limit_files('memory', None)
    return _seconds_of_storing(stage, run)


def store_read_only(stage: Stage, chance: Random) -> float:
    """The memory starts with a store that cannot be written."""
    stage.serve()
    stage.end('memory')
    files = [stage.store.parent, *stage.store.parent.iterdir()]
    for file in files:
        file.chmod(0o500 if file.is_dir() else 0o400)
    try:
        stage.start('memory')
        run = stage.send()
        _says_that_nothing_was_kept(stage, run)
        stage.end('memory')
    finally:
        for file in files:
            if file.exists():
                file.chmod(0o700 if file.is_dir() else 0o600)
    stage.start('memory')
    return _seconds_of_storing(stage, run)


def _says_that_nothing_was_kept(stage: Stage, run: Run) -> None:
    result = stage.result(run, PATIENCE)
    require(result.success, f'the run failed: {result.error_msg}')
    said = '; '.join(result.notices)
    require('kept nothing' in said, f'the run does not say that nothing was kept: {said}')


def _seconds_of_storing(stage: Stage, run: Run) -> float:
    """From the end of the tree to the result."""
    stamps = (event.header.stamp for event in run.events)
    last: float = max(stamp.sec + stamp.nanosec * 1e-9 for stamp in stamps)
    return max(0.0, time.time() - (time.monotonic() - run.ended) - last)


ROWS = (
    Row(
        'journal-full',
        'The disk becomes full at a random byte of the journal of a run.',
        f'The run ends with JOURNAL_ERROR within {JOURNAL:g} s; nothing is published or '
        'executed that is not in the journal; once there is room, the next goal is served.',
        'full disk to result',
        40,
        'journal_silent',
        'planner',
        'the planner continues without its journal',
        journal_full,
    ),
    Row(
        'journal-read-only',
        'The folder of the journals cannot be written when a goal comes.',
        f'The run ends with JOURNAL_ERROR within {JOURNAL:g} s, before any skill.',
        'goal to result',
        40,
        'journal_silent',
        'planner',
        'the planner continues without its journal',
        journal_read_only,
    ),
    Row(
        'bag-full',
        'The disk becomes full for the bag at some moment of a run.',
        'The run is not disturbed, the recorder says so, and the bag of the next run is complete.',
        'full disk to line in the log',
        30,
        'recorder_breaks',
        'recorder',
        'the recorder ends when it cannot write',
        bag_full,
        WITH_RECORDER,
    ),
    Row(
        'bag-read-only',
        'The folder of the bags cannot be written when a run begins.',
        'The run is not disturbed, the recorder says so, and the bag of the next run is complete.',
        'goal to line in the log',
        30,
        'recorder_breaks',
        'recorder',
        'the recorder ends when it cannot write',
        bag_read_only,
        WITH_RECORDER,
    ),
    Row(
        'store-full',
        'The disk becomes full for the store at some moment of a run.',
        'The run is not disturbed and its result says that nothing was kept; the store stays '
        'intact, and accepts experiences once there is room.',
        'end of the tree to result',
        40,
        'stored_untruly',
        'memory',
        'the memory says that it stored what it did not',
        store_full,
    ),
    Row(
        'store-read-only',
        'The memory starts with a store that cannot be written.',
        'The run is not disturbed and its result says that nothing was kept.',
        'end of the tree to result',
        20,
        'stored_untruly',
        'memory',
        'the memory says that it stored what it did not',
        store_read_only,
    ),
)
