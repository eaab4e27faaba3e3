"""Hugging Face models in this process, on CPU or GPU; needs `requirements/transformers.txt`."""

from reactree_planner.llm.transformers.model import TransformersModel
from reactree_planner.llm.transformers.model import TransformersOptions

__all__ = ['TransformersModel', 'TransformersOptions']
