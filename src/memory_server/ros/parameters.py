"""Parameters of the memory node."""

from __future__ import annotations

from memory_server.embedding.registry import ENCODERS
from memory_server.episodic.selection import NONE
from memory_server.episodic.selection import RERANKERS
from memory_server.episodic.selection import SUBGOAL
from memory_server.episodic.selection import UNITS
from memory_server.episodic.trajectory import GOAL
from memory_server.episodic.trajectory import SIMILARITIES
from memory_server.store.registry import DEFAULT
from reactree_core.ros.managed_node import MANAGED
from reactree_core.ros.parameter_specs import ParameterSpec as Row
from reactree_core.ros.parameter_specs import Table

# fmt: off
_STORE: Table = (
    Row('store_path', DEFAULT,
        "File of the experiences; 'default' is $XDG_DATA_HOME/reactree/memory.sqlite, else "
        "~/.local/share/reactree/memory.sqlite; 'none' forgets them at the end; "
        "'postgresql://user@host/database' is shared by a fleet (docs/memory_fleet.md).",
        read_only=True),
    Row('store_limit_mb', 1024, 'Largest size of that file; 0 for no limit but the disk.',
        unit='MiB', low=0, high=1_000_000, read_only=True),
    Row('store_limit_count', 100_000,
        'Most experiences in the store when ~/store_experiences takes more; 0 for no limit.',
        unit='experiences', low=0, high=1_000_000_000),
    Row('store_rate', 10.0,
        'New experiences that ~/store_experiences takes in a second, over time; those of 100 s '
        'may come at once. 0 for no limit.',
        unit='experiences/s', low=0.0, high=1e6),
    Row('seed', True,
        'Keep the example experiences in the store; otherwise they are taken out of it.',
        read_only=True),
    Row('seed_folder', '',
        "Folder of their text files; '' takes those that come with the package.", read_only=True),
    Row('planners', ('planner',),
        'Names of the planner nodes whose ~/observations fill working memory; those of other '
        'namespaces with a leading slash.',
        read_only=True),
    Row('working_memory_path', DEFAULT,
        "File that lets working memory outlive this process; 'default' is working.sqlite beside "
        "the experiences' file; 'none' keeps nothing, as does a memory without such a file.",
        read_only=True),
)

_ENCODER: Table = (
    Row('encoder', 'auto',
        'What makes vectors of goals; auto takes minilm where it is installed, else hashing.',
        choices=ENCODERS, read_only=True),
    Row('encoder_model', '',
        'Model of encoder minilm (ONNX file; empty: that of the installed package), '
        'sentence-transformers (folder or name) or server (its name).',
        read_only=True),
    Row('encoder_server', '',
        'Base URL of an OpenAI-compatible embeddings server, like http://host:8080/v1.',
        read_only=True),
    Row('encoder_key_variable', '',
        "Name of the environment variable that holds that server's key.", read_only=True),
    Row('encoder_key_over_http', False,
        'Send that key to a server on another machine over http too, where anybody on the way can '
        'read it.',
        read_only=True),
    Row('encoder_timeout', 2.0, "Longest wait for that server's answer.",
        unit='s', low=0.1, high=600.0, read_only=True),
    Row('similarity', GOAL,
        'What is compared: goals, as published, or 0.9 goal + 0.1 first observation.',
        choices=SIMILARITIES, read_only=True),
    Row('reembed', False,
        'Make the vectors anew when the store holds those of another encoder.', read_only=True),
)

_RETRIEVAL: Table = (
    Row('retrieval_unit', SUBGOAL,
        'What is found: nodes with goals like the one asked for, as published, or all nodes of '
        'the runs whose first node has such a goal.',
        choices=UNITS),
    Row('success_only', False, 'Leave out nodes that failed; those that expanded stay.'),
    Row('duplicate_similarity', 0.0,
        'Leave out an experience whose goal has this cosine or more to that of one chosen before '
        'with the same termination; 0: keep all.',
        low=0.0, high=1.0),
    Row('reranker', NONE,
        'Orders the nearest 32 experiences anew; words counts the words that goals share.',
        choices=RERANKERS),
    Row('approximate_above', 0,
        'Compare likely candidates only, once there are more experiences (needs faiss); 0: '
        'compare all, always.',
        unit='experiences', low=0, high=1_000_000_000, read_only=True),
)
# fmt: on

PARAMETERS: Table = (*_STORE, *_ENCODER, *_RETRIEVAL, *MANAGED)
