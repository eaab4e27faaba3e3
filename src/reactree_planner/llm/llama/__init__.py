"""llama.cpp in this process: GGUF files, no server, every evaluated token kept."""

from reactree_planner.llm.llama.engine import LlamaModel
from reactree_planner.llm.llama.engine import LlamaOptions

__all__ = ['LlamaModel', 'LlamaOptions']
