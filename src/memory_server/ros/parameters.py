"""Parameters of the memory node."""

from __future__ import annotations

from memory_server.episodic.retrieval import NONE, RERANKERS, SUBGOAL, UNITS
from memory_server.store.registry import DEFAULT
from memory_server.trajectory import GOAL, SIMILARITIES
from reactree_core.embedding.registry import ENCODERS
from reactree_core.ros.managed_node import MANAGED
from reactree_core.ros.parameter_specs import ParameterSpec as Row
from reactree_core.ros.parameter_specs import Table

# fmt: off
_STORE: Table = (
    Row('store_path', DEFAULT,
        "File of the experiences; 'default' is $XDG_DATA_HOME/reactree/memory.sqlite, else "
        "~/.local/share/reactree/memory.sqlite; 'none' loses them at the end; "
        "'postgresql://user@host/database' for a fleet (docs/memory_fleet.md).",
        read_only=True),
    Row('store_limit_mb', 1024, 'Maximum size of the file store_path; 0: no limit.',
        unit='MiB', low=0, high=1_000_000, read_only=True),
    Row('store_limit_count', 100_000,
        'Maximum number of experiences in the store: beyond it ~/store_experiences refuses new '
        'ones; 0: no limit.',
        unit='experiences', low=0, high=1_000_000_000),
    Row('store_rate', 10.0,
        'New experiences per second that ~/store_experiences accepts on average; those of 100 s '
        'may come at once. 0: no limit.',
        unit='experiences/s', low=0.0, high=1e6),
    Row('seed', True,
        'Keep the example experiences in the store; false: remove them.',
        read_only=True),
    Row('seed_folder', '',
        'Folder of text files of the example experiences; empty: those of the package.',
        read_only=True),
    Row('planners', ('planner',),
        'Planner nodes whose ~/observations fill working memory; full names, with a leading '
        'slash, for nodes of other namespaces.',
        read_only=True),
    Row('working_memory_path', DEFAULT,
        "File that lets working memory outlive this process; 'default' is working.sqlite beside "
        "the experiences' file; 'none', or a store_path that is no file: not kept.",
        read_only=True),
)

_ENCODER: Table = (
    Row('encoder', 'auto',
        'Encoder of goals; auto: minilm if it is installed, else hashing. minilm knows English, '
        'multilingual (by sentence-transformers) some fifty languages.',
        choices=ENCODERS, read_only=True),
    Row('encoder_model', '',
        'Model of encoder minilm (ONNX file; empty: that of the installed package), '
        'multilingual or sentence-transformers (folder or name) or server (its name).',
        read_only=True),
    Row('encoder_server', '',
        'Base URL of an OpenAI-compatible embeddings server, like http://host:8080/v1.',
        read_only=True),
    Row('encoder_key_variable', '',
        'Environment variable with the API key of encoder_server.', read_only=True),
    Row('encoder_key_over_http', False,
        'Send the key in encoder_key_variable to another machine even over plain http, where '
        'others on the network can read it.',
        read_only=True),
    Row('encoder_timeout', 2.0, 'Timeout of a request to encoder_server.',
        unit='s', low=0.1, high=600.0, read_only=True),
    Row('similarity', GOAL,
        'What is compared: goals, as published, or 0.9 goal + 0.1 first observation.',
        choices=SIMILARITIES, read_only=True),
    Row('reembed', False,
        'Compute all vectors again if the store has those of another encoder.', read_only=True),
)

_RETRIEVAL: Table = (
    Row('retrieval_unit', SUBGOAL,
        'What is retrieved: nodes with similar goals (as published), or all nodes of the runs '
        'whose first node has a similar goal.',
        choices=UNITS),
    Row('success_only', False,
        'Do not retrieve nodes that failed; nodes that expanded are retrieved.'),
    Row('duplicate_similarity', 0.0,
        'Leave out an experience if one with the same termination and a goal of at least this '
        'cosine similarity is chosen already; 0: keep all.',
        low=0.0, high=1.0),
    Row('reranker', NONE,
        'Reorders the nearest 32 experiences; words: by the number of shared words of goals.',
        choices=RERANKERS),
    Row('approximate_above', 0,
        'Above this number of experiences the search is approximate (needs faiss); 0: always '
        'exact.',
        unit='experiences', low=0, high=1_000_000_000, read_only=True),
)
# fmt: on

PARAMETERS: Table = (*_STORE, *_ENCODER, *_RETRIEVAL, *MANAGED)
