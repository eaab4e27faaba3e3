"""A model server with a fault, asked by the planner node, and by its client alone."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random

from benchmarks.faults import patches
from benchmarks.faults.client import require
from benchmarks.faults.row import Row
from benchmarks.faults.stage import Setup, Stage
from benchmarks.http_faults import FAULTS, FaultyServer, GRACE, TOTAL_TIMEOUT
from benchmarks.http_faults import run as ask_alone
from reactree_ros.action import PlanTask

Result = PlanTask.Result
#: Seconds that a request to the server may take, the shortest that can be set.
REQUEST = 1.0
#: Seconds in which a run that the server fails must end.
WITHOUT_MODEL = 3.0
#: What no rule can do without the model.
ASKS_THE_MODEL = 'make it nice'
LIES = 'lies about its context'
#: Fault -> what the server does, and the mutation.
_FAULTS = {
    'refuse': ('does not listen', 'servers_waited_for'),
    'hang': ('takes requests and is silent', 'servers_waited_for'),
    'slow drip': ('answers a byte at a time', 'servers_waited_for'),
    '429 with Retry-After': ('is too busy (429)', 'servers_waited_for'),
    '503': ('is not ready (503)', 'servers_waited_for'),
    'truncated JSON': ('breaks off its JSON', 'answers_unread'),
    'HTML with 200': ('answers with a web page', 'answers_unread'),
    '10 MB answer': ('answers with 10 MB', 'answers_unread'),
    LIES: ('says that it has a longer context than it has', 'lengths_unnoticed'),
}
_FAILS_WHEN = {
    'servers_waited_for': 'the client of model servers has no limits of time',
    'answers_unread': 'the client of model servers treats errors as empty answers',
    'lengths_unnoticed': 'the client of model servers treats a prompt that is too long as '
    'any other refusal',
}


@contextmanager
def _serving(stage: Stage, fault: str, chance: Random) -> Iterator[FaultyServer]:
    server = FaultyServer(fault, chance.choice((1, 60)), stage.port)
    try:
        yield server
    finally:
        server.stop()


def fails(fault: str, stage: Stage, chance: Random) -> float:
    """The server fails when the planner asks it; the first time it is not known yet."""
    with _serving(stage, fault, chance) as server:
        server.begin_fault()
        run = stage.send(ASKS_THE_MODEL)
        result = stage.result(run, WITHOUT_MODEL)
    wanted = Result.PROMPT_TOO_LONG if fault == LIES else Result.LLM_UNAVAILABLE
    require(
        result.error_code == wanted,
        f'the run ended with {result.error_code}: {result.error_msg or "no error"}',
    )
    require(f':{stage.port}' in result.error_msg, f'the server is not named: {result.error_msg}')
    with _serving(stage, fault, chance):
        stage.serve()
    return run.ended - run.sent


def fails_alone(folder: Path, first: int, count: int, mutation: str) -> list[tuple[float, str]]:
    """Runs of benchmarks.http_faults, several at once."""
    if mutation:
        patches.apply(mutation)
    told = []
    with ThreadPoolExecutor(8) as pool:
        numbers = range(first, first + count)
        faults = [FAULTS[number % len(FAULTS)] for number in numbers]
        moments = [number // len(FAULTS) for number in numbers]
        for fault, outcome in zip(faults, pool.map(ask_alone, faults, moments), strict=True):
            problem = '' if outcome.right(fault) else f'{fault.name}: {outcome.error}'
            if outcome.seconds > TOTAL_TIMEOUT + GRACE:
                problem = f'{fault.name}: {outcome.seconds:.1f} s'
            told.append((outcome.seconds, problem))
    return told


ROWS = (
    *(
        Row(
            'model-' + name.lower().replace(' ', '-'),
            f'The model server {what}.',
            f'The run ends with {"PROMPT_TOO_LONG" if name == LIES else "LLM_UNAVAILABLE"} within '
            f'{WITHOUT_MODEL:g} s and names the server; once the server works again, the next '
            'goal is served.',
            'goal to result',
            20,
            mutation,
            'planner',
            _FAILS_WHEN[mutation],
            partial(fails, name),
            Setup(
                parameters={
                    'planner': {'model': 'http://127.0.0.1:{port}', 'request_timeout': REQUEST}
                }
            ),
            serves=False,
        )
        for name, (what, mutation) in _FAULTS.items()
    ),
    Row(
        'model-client',
        'The same faults at first contact, choice and text, with the client of model servers '
        'alone.',
        f'The right sentence within {TOTAL_TIMEOUT:g} s, and {GRACE:g} s for a busy machine.',
        'request to error',
        200,
        'answers_unread',
        'the client',
        _FAILS_WHEN['answers_unread'],
        play_alone=fails_alone,
    ),
)
