"""What `reactree bench` costs beside the episodes, and how two workers compare with one.

Run: python -m benchmarks.study_overhead [--tasks N]

Episodes are played by the teacher: a model would hide whatever the bench costs. An episode is all
that has to be done for it: its world, its plan, its score. Printed is what the bench takes beside
that, and the time of one worker process over that of two, both without the time in which processes
start. For the second figure the machine has to be quiet.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_tools.bench.episodes import EpisodeRunner
from reactree_tools.bench.running import pending_cells, run_study, study_folder
from reactree_tools.bench.study import make_study, Study, StudyFile, TEACHER
from reactree_tools.bench.workers import LocalProcesses, ThisProcess, Workers


class Timed(EpisodeRunner):
    """Adds up the time of its episodes."""

    seconds = 0.0

    def run(self, *given: Any) -> Any:
        """One episode."""
        began = time.perf_counter()
        try:
            return super().run(*given)
        finally:
            self.seconds += time.perf_counter() - began


def carry_out(study: Study, workers: Workers) -> float:
    """Wall time of a study."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with study_folder(folder, study):
            cells, _ = pending_cells(study, folder)
            began = time.perf_counter()
            run_study(study, folder, cells, workers, lambda: False, lambda: False)
            return time.perf_counter() - began


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--tasks', type=int, default=40)
    arguments = parser.parse_args()

    def a_study(tasks: str) -> Study:
        fields = {'tasks': [tasks], 'models': [TEACHER], 'memories': ['working']}
        return make_study(StudyFile.model_validate(fields))

    study, warm = a_study(f'household:{arguments.tasks}@9000'), a_study('household:2@8000')
    timed = Timed(study.models, study.limits)
    here = ThisProcess(timed, CancelToken())
    carry_out(warm, here)
    timed.seconds = 0.0
    beside = carry_out(study, here) - timed.seconds
    here.close()
    share = beside / timed.seconds
    each = 1e3 * beside / arguments.tasks
    print(f'{arguments.tasks} episodes of {1e3 * timed.seconds / arguments.tasks:.0f} ms')
    print(f'the bench beside them: {each:.2f} ms an episode, {share:.2%}')
    times = []
    for count in (1, 2):
        crew = LocalProcesses(EpisodeRunner(study.models, study.limits), count)
        carry_out(warm, crew)
        times.append(carry_out(study, crew))
        crew.close()
    print(f'one worker {times[0]:.2f} s, two {times[1]:.2f} s: {times[0] / times[1]:.2f} times')


if __name__ == '__main__':
    main()
