"""What telemetry costs: runs that are sent as traces beside runs that are not.

The records of a run in a household, with the model's requests, are written to a journal and taken
into the tree as the planner does it, with and without a trace, in turn. The collector is one on
this machine that answers at once, or none at all. Times are processor time of the run's own
thread: other load on the machine counts little.

    scripts/with_ros python -m benchmarks.telemetry        (needs requirements/telemetry.txt)
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.record.journal import Journal
from reactree_core.record.journal_lines import Record
from reactree_core.record.run_settings import Limits
from reactree_core.record.trace import RunTrace
from reactree_core.telemetry import open_telemetry, Telemetry
from reactree_planner.planners.reactree import ReAcTreePlanner
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.logged_ports import LoggedSkills
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Decides, PlannerSettings
from reactree_tools.episode import InProcessMemory
from reactree_tools.seed_memory.expert_models import ScriptedExpertModel
from reactree_tools.seed_memory.writing import FIRST_SEED, root_lesson
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.household.tasks import FAMILIES
from sim_bridge.worlds.registry import make_world


class _Collector(BaseHTTPRequestHandler):
    """Takes everything and answers that it has."""

    def do_POST(self) -> None:
        """Read, and answer."""
        self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(200)
        self.send_header('Content-Length', '0')
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def sent(kind: str) -> Iterator[Telemetry | None]:
    """Telemetry to a collector of this kind: 'none' is off, 'down' does not answer."""
    if kind == 'none':
        yield None
        return
    server = ThreadingHTTPServer(('127.0.0.1', 0), _Collector)
    os.environ['OTEL_EXPORTER_OTLP_ENDPOINT'] = f'http://127.0.0.1:{server.server_port}'
    if kind == 'down':
        server.server_close()
    else:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    telemetry = open_telemetry('otlp', 'reactree_planner', '/planner', lambda text: None)
    assert telemetry is not None
    yield telemetry
    telemetry.close()
    if kind != 'down':
        server.shutdown()
        server.server_close()


def measure(seed: int, folder: Path, telemetry: Telemetry | None) -> tuple[float, float, int]:
    """One run.

    :return: its seconds of processor time, those of them inside the trace, and its decisions.
    """
    world = make_world('household')
    world.reset(f'generated:{seed}', f'{FAMILIES[seed % 5]}:{seed}', seed)
    task = world.task()
    assert task is not None
    subgoals, plan = root_lesson(task, name_of)
    model = ScriptedExpertModel(world.vocabulary().rooms, subgoals, plan)
    run_id = f'{seed:032x}'
    journal = Journal(folder, run_id)
    trace = RunTrace(telemetry, run_id, model.name, 'scripted', False) if telemetry else None
    inside = 0.0

    def keep(record: Record) -> None:
        nonlocal inside
        journal.append(record)
        if trace is not None:
            began = time.thread_time()
            trace.take(record, run.events.elapsed())
            inside += time.thread_time() - began

    log = RunLog(keep)
    run = PlanRun(
        task.instruction,
        Ports(
            LoggedModel(model, log),
            LoggedSkills(InProcessSkillServer(world), log),
            InProcessMemory(),
        ),
        PlannerSettings(decides=Decides.MODEL, example_count=0),
        Limits(decisions=600, steps=600),
        CancelToken(),
        lambda event: None,
        log=log,
    )
    began = time.thread_time()
    ReAcTreePlanner().run(run)
    spent = time.thread_time() - began
    journal.close()
    journal.path.unlink()
    return spent, inside, run.tree.decisions


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--runs', type=int, default=10)
    parser.add_argument('--rounds', type=int, default=5)
    arguments = parser.parse_args()
    kinds = ('none', 'up', 'down')
    ratios: dict[str, list[float]] = {kind: [] for kind in kinds}
    inside: dict[str, list[float]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as folder:
        measure(FIRST_SEED, Path(folder), None)
        for number in range(arguments.runs * arguments.rounds):
            seed = FIRST_SEED + number % arguments.runs
            seconds = {}
            for kind in kinds:
                with sent(kind) as telemetry:
                    spent, traced, decisions = measure(seed, Path(folder), telemetry)
                seconds[kind] = spent
                inside[kind].append(traced / decisions * 1e3)
            for kind in kinds:
                ratios[kind].append(seconds[kind] / seconds['none'])
    print(f'{arguments.runs} runs, {arguments.rounds} rounds in turn')
    for kind in kinds[1:]:
        print(
            f'collector {kind}: {statistics.median(inside[kind]):.2f} ms a decision, most in a '
            f'run {max(inside[kind]):.2f} ms (wanted: under 2 ms); a run takes '
            f'{statistics.median(ratios[kind]):.2f} times the processor time of one without'
        )


if __name__ == '__main__':
    main()
