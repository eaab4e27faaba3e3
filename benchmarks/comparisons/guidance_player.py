"""The requests of a recorded run through Guidance on llama-cpp-python, as the published code does.

Every agent node begins with a fresh state; what Guidance's engine finds in its cache by itself, it
keeps. Needs requirements/benchmarks.txt, whose llama-cpp-python compiles for a long time.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from guidance import gen, models, select
from llama_cpp import Llama, llama_cpp


def leave_weights_as_they_are() -> None:
    """Let llama.cpp not rearrange weights for this CPU's vector units, from now on.

    Where it is compiled with AMX, its kernels end the process on some machines (ldtilecfg).
    """
    defaults = llama_cpp.llama_model_default_params

    def plain() -> Any:
        options = defaults()
        options.use_extra_bufts = False
        return options

    llama_cpp.llama_model_default_params = plain


class GuidancePlayer:
    """Plays to one model.

    :param path: GGUF file. :param context: tokens. :param plain: weights stay as they are.
    """

    def __init__(self, path: Path, context: int, plain: bool = False) -> None:
        if plain:
            leave_weights_as_they_are()
        self._llama = Llama(
            str(path),
            n_ctx=context,
            n_threads=os.cpu_count(),
            n_threads_batch=os.cpu_count(),
            logits_all=False,
            verbose=False,
        )
        self._empty: Any = models.LlamaCpp(self._llama, echo=False)
        self._states: dict[int, Any] = {}
        self.choices: list[int] = []

    def begin(self, session: int, text: str) -> None:
        """A fresh state."""
        self._states[session] = self._empty + text

    def append(self, session: int, text: str) -> None:
        """Add text; evaluated with the next request."""
        self._states[session] += text

    def fork(self, session: int, new: int) -> None:
        """States are values: both go on from here."""
        self._states[new] = self._states[session]

    def choose(self, text: str, options: list[str]) -> int:
        """One choice after a text; what the engine's cache has of it is not evaluated again."""
        answer = (self._empty + text + select(options, name='chosen'))['chosen']
        return options.index(answer)

    def select(self, session: int, options: list[str], chosen: int) -> bool:
        """Choose, then take the recorded option."""
        answer = (self._states[session] + select(options, name='chosen'))['chosen']
        self.choices.append(options.index(answer))
        self._states[session] += options[chosen]
        return self.choices[-1] == chosen

    def generate(self, session: int, text: str) -> None:
        """Generate as many tokens as the recorded text has, then take that text."""
        count = len(self._llama.tokenize(text.encode(), add_bos=False))
        self._states[session] + gen('text', max_tokens=max(1, count), temperature=0.0)
        self._states[session] += text

    def drop(self, session: int) -> None:
        """Forget a state."""
        del self._states[session]
