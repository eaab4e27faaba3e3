"""Hugging Face models in this process, on CPU or GPU; needs `requirements/transformers.txt`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from reactree_core.errors import ModelError
from reactree_core.ports import ChatModel
from reactree_planner.llm.in_process.model import InProcessModel


@dataclass(frozen=True, slots=True)
class TransformersOptions:
    """How a Hugging Face model is run.

    :param context_tokens: longest session, 512 or more.
    :param threads: CPU threads; 0 leaves it to torch.
    :param device: 'cpu', 'cuda', 'cuda:1', ...; '' takes a GPU where there is one.
    :param batch_tokens: most prompt tokens of one forward pass, 32 or more.
    :param state_directory: where prefix states are kept; None keeps none.
    :param state_bytes: most bytes of kept states.
    :param chat_template: 'none', 'auto' or a name of `in_process.chat_templates`.
    """

    context_tokens: int = 8192
    threads: int = 0
    device: str = ''
    batch_tokens: int = 512
    state_directory: Path | None = None
    state_bytes: int = 2 * 1024**3
    chat_template: str = 'none'


class TransformersModel(InProcessModel):
    """A model of a folder, a GGUF file or a repository of the Hugging Face hub.

    :param source: path of either, or `owner/name`.
    :raises ModelError: torch or transformers is missing, or the model does not load.
    """

    def __init__(self, source: str, options: TransformersOptions | None = None) -> None:
        options = options or TransformersOptions()
        try:
            from reactree_planner.llm.transformers.engine import TransformersEngine
        except ImportError as error:
            raise ModelError(
                f'Models of transformers need torch and transformers ({error}): install them with '
                '`.venv/bin/pip install -r requirements/transformers.txt`.'
            ) from error
        engine = TransformersEngine(
            source, options.context_tokens, options.threads, options.device, options.batch_tokens
        )
        fingerprint = hashlib.sha256(
            f'{source}:{engine.dtype}:{_stamp(Path(source))}'.encode()
        ).hexdigest()[:16]
        super().__init__(
            engine,
            Path(source).stem if Path(source).suffix == '.gguf' else Path(source).name,
            fingerprint,
            options.state_directory,
            options.state_bytes,
            options.chat_template,
        )


def load_vision_model(source: str, context_tokens: int, threads: int, device: str) -> ChatModel:
    """A vision-language model; see `vision.VisionModel`.

    :raises ModelError: a package of requirements/transformers.txt is missing, or the model does
        not load.
    """
    try:
        from reactree_planner.llm.transformers.vision import VisionModel
    except ImportError as error:
        raise ModelError(
            f'Vision-language models need packages that are missing ({error}): install them '
            'with `.venv/bin/pip install -r requirements/transformers.txt`.'
        ) from error
    return VisionModel(source, context_tokens, threads, device)


def _stamp(source: Path) -> str:
    """Changes when the files change; a repository of the hub is known by its name."""
    files = sorted(source.glob('*.*')) if source.is_dir() else [source]
    stats = [(file.name, file.stat()) for file in files if file.is_file()]
    return repr([(name, stat.st_size, int(stat.st_mtime)) for name, stat in stats])
