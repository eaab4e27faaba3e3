"""Runs a study: what is not done yet, by whoever is free, into one folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from reactree_core.errors import ConfigurationError, ReactreeError
from reactree_core.written_files import read_file
from reactree_tools.bench.episodes import Finished, Unfinished
from reactree_tools.bench.rows import (
    append_row,
    Cell,
    EpisodeRow,
    LOCK,
    read_rows,
    ROWS,
    RUNS,
    STUDY,
)
from reactree_tools.bench.study import Study, StudyFile
from reactree_tools.bench.workers import Workers

#: Times that an episode is begun whose worker dies, or that ends for a reason of the machine.
ATTEMPTS = 3
#: Seconds for which the folder may be locked by whoever only looks whether a study runs.
_PATIENCE = 0.5
#: Seconds between looks at whether an end was asked for.
_LOOK = 0.2


class StudyStopped(ReactreeError):
    """A study cannot go on; what is finished is kept."""


@dataclass
class Outcome:
    """What a call of `run_study` came to. :param left_out: episodes that could not be run."""

    done: int = 0
    left_out: dict[Cell, str] = field(default_factory=dict)


@contextmanager
def study_folder(folder: Path, study: Study) -> Iterator[None]:
    """A folder that holds a study, for this process alone; the study's file is written into it.

    :raises ConfigurationError: another process runs there, or the folder holds episodes under
        other limits.
    """
    try:
        (folder / RUNS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f'{folder} cannot be made: {error.strerror}') from error
    lock = FileLock(folder / LOCK, timeout=_PATIENCE)
    try:
        lock.acquire()
    except Timeout:
        raise ConfigurationError(
            f'another process runs the study in {folder}: wait for its end, or name another folder'
        ) from None
    try:
        path = folder / STUDY
        if path.exists():
            before: StudyFile = read_file(path, StudyFile)
            if before.limits != study.file.limits and (folder / ROWS).exists():
                raise ConfigurationError(
                    f'{folder} holds episodes under other limits ({before.limits}): name another '
                    'folder for these'
                )
        whole = path.with_suffix('.new')
        try:
            whole.write_text(study.text(), encoding='utf-8')
            whole.replace(path)
        except OSError as error:
            raise ConfigurationError(f'{path} cannot be written: {error.strerror}') from error
        yield
    finally:
        lock.release()


def pending_cells(study: Study, folder: Path) -> tuple[list[Cell], int]:
    """The episodes that are still to be run, in order, and how many are done."""
    done = {row.cell for row in read_rows(folder / ROWS)}
    cells = list(study.cells())
    left = [cell for cell in cells if cell not in done]
    return left, len(cells) - len(left)


def run_study(
    study: Study,
    folder: Path,
    cells: Sequence[Cell],
    workers: Workers,
    stop: Callable[[], bool],
    stop_at_once: Callable[[], bool],
    begin: Callable[[Cell], None] = lambda cell: None,
    end: Callable[[EpisodeRow | Unfinished], None] = lambda result: None,
    keep: Callable[[Finished], None] = lambda result: None,
) -> Outcome:
    """Run episodes to their end; each is on file before it is told of.

    :param folder: see `study_folder`. :param cells: to be run.
    :param stop: whether no more are to begin. :param stop_at_once: nor any to end.
    :param begin: called with each. :param end: called with each.
    :param keep: called with each that ended, before it is on file.
    :raises StudyStopped: no model is left that answers, or the folder cannot be written.
    """
    waiting = list(reversed(cells))
    places = _Places(study)
    attempts: Counter[Cell] = Counter()
    running: dict[Cell, str] = {}
    outcome = Outcome()
    while (waiting and not stop()) or running:
        if stop_at_once():
            break
        for place, cell in places.next_of(waiting, running, workers.free if not stop() else 0):
            running[cell] = place
            attempts[cell] += 1
            begin(cell)
            workers.begin(cell, place)
        for result in workers.ended(_LOOK):
            cell = result.row.cell if isinstance(result, Finished) else result.cell
            del running[cell]
            if isinstance(result, Finished):
                keep(result)
                _write(folder, result)
                outcome.done += 1
                end(result.row)
                continue
            if stop_at_once():
                continue
            if result.place:
                places.lost(cell.model, result.place, result.reason)
                waiting.append(cell)
                attempts[cell] -= 1
            elif not result.lasting and attempts[cell] < ATTEMPTS:
                waiting.append(cell)
            else:
                outcome.left_out[cell] = result.reason
                end(result)
    return outcome


class _Places:
    """Where each model can be asked, with how many episodes at once."""

    def __init__(self, study: Study) -> None:
        self._left = {name: list(entry.places) for name, entry in study.models.items()}
        self._most = {
            name: entry.requests if entry.servers or '://' in entry.name else 0
            for name, entry in study.models.items()
        }

    def next_of(
        self, waiting: list[Cell], running: dict[Cell, str], free: int
    ) -> Iterator[tuple[str, Cell]]:
        """Take as many as can begin, first come first served."""
        busy = Counter((cell.model, place) for cell, place in running.items())
        passed: list[Cell] = []
        while waiting and free:
            cell = waiting.pop()
            most = self._most[cell.model]
            place = min(self._left[cell.model], key=lambda one: busy[cell.model, one])
            if most and busy[cell.model, place] >= most:
                passed.append(cell)
                continue
            busy[cell.model, place] += 1
            free -= 1
            yield place, cell
        waiting.extend(reversed(passed))

    def lost(self, model: str, place: str, reason: str) -> None:
        """A model's place does not answer.

        :raises StudyStopped: it was the last one.
        """
        places = self._left[model]
        if place in places:
            places.remove(place)
        if not places:
            raise StudyStopped(
                f'{reason} Finished episodes are kept: repair the model {model} and repeat the '
                'command.'
            )


def _write(folder: Path, result: Finished) -> None:
    """The journal first: a row without one would have nothing to click on."""
    path = folder / RUNS / f'{result.row.run}.jsonl'
    try:
        path.write_text(
            ''.join(f'{line}\n' for line in result.journal), encoding='utf-8', errors='replace'
        )
        append_row(folder / ROWS, result.row)
    except OSError as error:
        raise StudyStopped(
            f'{folder} cannot be written ({error.strerror}): free disk space and give the same '
            'command again. Finished episodes are kept.'
        ) from error
