"""Language models by name: what there is, where it is kept, and how it is fetched.

A model is a GGUF file. Those of the catalogue and of the Hugging Face hub
(`hf:owner/repository/file.gguf`, with `@revision` behind it when wanted) are kept in one folder
for all checkouts (`${XDG_CACHE_HOME:-~/.cache}/reactree/models`); any other GGUF file is named by
its path.
"""

from reactree_planner.llm.models.catalogue import (
    ChatTemplate,
    DEFAULT_MODEL,
    find_entry,
    load_catalogue,
    ModelEntry,
    WheelSource,
)
from reactree_planner.llm.models.hub_name import HubFile
from reactree_planner.llm.models.named_models import (
    absent_model,
    check_model,
    fetch_model,
    HubModel,
    list_hub_models,
    list_models,
    ModelFile,
    remove_model,
    resolve_model,
)
from reactree_planner.llm.models.progress import FetchProgress, FetchStatus, terminal_progress
from reactree_planner.llm.models.storage import model_folder

__all__ = [
    'DEFAULT_MODEL',
    'ChatTemplate',
    'FetchProgress',
    'FetchStatus',
    'HubFile',
    'HubModel',
    'ModelEntry',
    'ModelFile',
    'WheelSource',
    'absent_model',
    'check_model',
    'fetch_model',
    'find_entry',
    'list_hub_models',
    'list_models',
    'load_catalogue',
    'model_folder',
    'remove_model',
    'resolve_model',
    'terminal_progress',
]
