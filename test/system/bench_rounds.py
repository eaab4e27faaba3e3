"""Runs a study whose models answer by code, for tests that kill it: FOLDER WORKERS FIELDS."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from reactree_tools.bench.episodes import EpisodeRunner
from reactree_tools.bench.running import pending_cells, run_study, study_folder
from reactree_tools.bench.study import make_study, StudyFile
from reactree_tools.bench.workers import LocalProcesses, RayActors
from support.study_models import load


def main() -> None:
    """Run what is not done yet."""
    folder, workers, fields = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
    study = make_study(StudyFile.model_validate(fields))
    runner = EpisodeRunner(study.models, study.limits, load=load)
    with study_folder(folder, study):
        cells, _ = pending_cells(study, folder)
        if workers.startswith('ray'):
            crew = RayActors(runner, int(workers.removeprefix('ray')))
        else:
            crew = LocalProcesses(runner, int(workers))
        try:
            run_study(study, folder, cells, crew, lambda: False, lambda: False)
        finally:
            crew.close()


if __name__ == '__main__':
    main()
