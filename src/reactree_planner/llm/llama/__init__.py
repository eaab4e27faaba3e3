"""llama.cpp in this process, the default: GGUF files, no server, every evaluated token kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from reactree_core.errors import ModelError
from reactree_planner.llm.in_process.model import InProcessModel
from reactree_planner.llm.llama.engine import LlamaEngine


@dataclass(frozen=True, slots=True)
class LlamaOptions:
    """How a GGUF model is run.

    :param context_tokens: KV cells shared by all sessions, 512 or more.
    :param threads: CPU threads; 0 takes the machine's cores.
    :param batch_tokens: most tokens a decode call, 32..2048; a stop waits for the call under way.
    :param state_directory: where prefix states are kept; None keeps none.
    :param state_bytes: most bytes of kept states.
    :param chat_template: 'none', 'auto' or a name of `in_process.chat_templates`.
    :param draft_tokens: most tokens guessed at once while it writes, 0..16.
    """

    context_tokens: int = 8192
    threads: int = 0
    batch_tokens: int = 32
    state_directory: Path | None = None
    state_bytes: int = 2 * 1024**3
    chat_template: str = 'none'
    draft_tokens: int = 6


class LlamaModel(InProcessModel):
    """A GGUF file run by llama.cpp.

    :raises ModelError: the file is missing or does not load.
    """

    def __init__(self, path: Path, options: LlamaOptions | None = None) -> None:
        options = options or LlamaOptions()
        if not path.is_file():
            raise ModelError(f'There is no model file {path}: fetch it with `make model`.')
        engine = LlamaEngine(path, options.context_tokens, options.threads, options.batch_tokens)
        stat = path.stat()
        fingerprint = hashlib.sha256(
            f'{path.name}:{stat.st_size}:{int(stat.st_mtime)}'.encode()
        ).hexdigest()[:16]
        super().__init__(
            engine,
            path.stem,
            fingerprint,
            options.state_directory,
            options.state_bytes,
            options.chat_template,
            options.draft_tokens,
        )
