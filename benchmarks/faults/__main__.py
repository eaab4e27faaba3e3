"""Runs the table of faults, and writes docs/reliability.md.

    make faults [ROWS="NAME ..."] [RUNS=N] [MUTATIONS=1] [AGAIN=1]
    scripts/with_ros python -m benchmarks.faults [NAME ...] [--runs N] [--mutations] [--again]

Each run is written to a file as it ends, so that the table goes on where it was interrupted;
--again forgets what the file has of the rows that are named. The exit status is 1 where a run did
not hold, or a row held in spite of its mutation.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from benchmarks.faults.results import line_of, PAGE, page, Results, ROOT
from benchmarks.faults.row import Row
from benchmarks.faults.table import ROWS
from reactree_tools.processes.domains import free_domain

FILE = ROOT / 'build' / 'faults' / 'results.jsonl'
#: Runs that a program of its own plays before it tells what came of them.
BATCH = 10


def main() -> int:
    """Run rows; answers the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog=f'rows: {", ".join(ROWS)}'
    )
    parser.add_argument('rows', nargs='*', metavar='ROW', help='rows to run (all)')
    parser.add_argument('--runs', type=int, help='most runs of each row (as the table says)')
    parser.add_argument('--mutations', action='store_true', help='show that each row can fail')
    parser.add_argument('--results', type=Path, default=FILE, help=f'file of results ({FILE})')
    parser.add_argument('--page', type=Path, default=PAGE, help=f'page to write ({PAGE})')
    parser.add_argument('--again', action='store_true', help='forget earlier runs of these rows')
    parser.add_argument('--keep', type=Path, help='folder for what nodes wrote in bad runs')
    arguments = parser.parse_args()
    unknown = [name for name in arguments.rows if name not in ROWS]
    if unknown:
        parser.error(f'no row {unknown[0]!r}; choose of: {", ".join(ROWS)}')
    # A shell ignores the first for what it starts in the background.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    rows = [ROWS[name] for name in arguments.rows or ROWS]
    results = Results(arguments.results)
    if arguments.again:
        for row in rows:
            results.forget(row, arguments.mutations)
    folder = Path(arguments.keep or tempfile.mkdtemp(prefix='reactree-faults-'))
    folder.mkdir(parents=True, exist_ok=True)
    good = True
    try:
        for row in rows:
            if arguments.mutations:
                good &= mutate(row, results, folder)
            else:
                good &= play(row, results, folder, min(arguments.runs or row.runs, row.runs))
            arguments.page.write_text(page(results), encoding='utf-8')
    except KeyboardInterrupt:
        print('interrupted; the same command goes on from here')
        return 130
    finally:
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f'written: {arguments.page}')
    return 0 if good else 1


def play(row: Row, results: Results, folder: Path, wanted: int) -> bool:
    """Have a row played as often as is wanted; whether all runs held."""
    while (first := results.next_run(row)) < wanted:
        left = wanted - first
        count = min(left, BATCH) if row.play_alone is not None else left
        for run, seconds, problem in played(row, first, count, folder, mutated=False):
            told = results.add(row, run, seconds, problem, mutated=False)
            if told.problem:
                print(f'    {row.name}, run {run}: {told.problem}', flush=True)
    print(line_of(row, results), flush=True)
    return all(not told.problem for told in results.of(row))


def mutate(row: Row, results: Results, folder: Path) -> bool:
    """Have a row played with its mutation, unless it was; whether it did not hold, as it must."""
    if not results.of(row, mutated=True):
        # A fault at a random moment may spare the mutation.
        for told in played(row, 0, BATCH // 2, folder, mutated=True):
            run, seconds, problem = told
            if problem:
                break
        results.add(row, run, seconds, problem, mutated=True)
    problem = results.of(row, mutated=True)[-1].problem
    print(f'{row.name:<28}{"fails" if problem else "HELD"}: {problem[:120]}', flush=True)
    return bool(problem)


def played(
    row: Row, first: int, count: int, folder: Path, mutated: bool
) -> Iterator[tuple[int, float, str]]:
    """Number, seconds and problem of each run, as they end, in a process of their own."""
    command = [sys.executable, '-m', 'benchmarks.faults.play', row.name, str(first), str(count)]
    command += [str(folder), *(['--mutated'] if mutated else [])]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, env=surroundings(row, folder), start_new_session=True
    )
    assert process.stdout is not None
    run, began = first, time.monotonic()
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while run < first + count:
                left = began + row.longest - time.monotonic()
                if not selector.select(max(0.0, left)):
                    yield run, row.longest, f'nothing came of it in {row.longest:g} s'
                    return
                line = process.stdout.readline()
                if not line:
                    seconds = time.monotonic() - began
                    yield run, seconds, f'its process ended with code {process.wait(10.0)}'
                    return
                told = json.loads(line)
                yield told['run'], told['seconds'], told['problem']
                run, began = run + 1, time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            process.wait(60.0)
    finally:
        # Of the whole session: what a stuck process has started goes with it.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10.0)


def surroundings(row: Row, folder: Path) -> Mapping[str, str]:
    """Environment of a row's processes."""
    made = {
        **os.environ,
        'ROS_DOMAIN_ID': str(free_domain()),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        # Shared memory of a killed process would stay behind in /dev/shm.
        'FASTDDS_BUILTIN_TRANSPORTS': 'UDPv4',
        'ROS_LOG_DIR': str(folder / 'log'),
        # Stops are kept there.
        'XDG_STATE_HOME': str(folder / 'state'),
        'PYTHONPATH': os.pathsep.join([str(ROOT), os.environ.get('PYTHONPATH', '')]),
    }
    if row.preload:
        made |= {**row.preload, 'LD_PRELOAD': str(datagrams(folder))}
    return made


def datagrams(folder: Path) -> Path:
    """The library that loses datagrams, built when it is first needed."""
    library = folder / 'datagrams.so'
    if not library.exists():
        source = Path(__file__).with_name('datagrams.c')
        compiler = shutil.which(os.environ.get('CC', 'cc'))
        if compiler is None:
            sys.exit('A row with a bad network needs a C compiler: install gcc, or set CC.')
        command = [compiler, '-O2', '-shared', '-fPIC', '-o', str(library), str(source), '-ldl']
        subprocess.run(command, check=True)
    return library


if __name__ == '__main__':
    sys.exit(main())
