"""What an in-process runtime must offer: tokens in and out, sequences of its KV cache, cancel.

A sequence is a text that was evaluated, as the runtime keeps it. Copies share what they can, so
that a fork costs nothing until it grows. Engines are not thread-safe: their model has a lock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reactree_core.cancellation import CancelToken
from reactree_core.errors import PromptTooLongError
from reactree_planner.llm.token_trie import TokenTree

#: Of shape (vocabulary,).
Logits = NDArray[np.float32]


class CacheFullError(Exception):
    """No room in the KV cache; never leaves the in-process back ends."""


def context_tokens(engine: TokenEngine) -> int:
    """Longest text that an engine's model can go on with, in tokens."""
    return min(engine.cells, engine.trained_context or engine.cells)


def check_length(engine: TokenEngine, tokens: int) -> None:
    """Whether a text of so many tokens can be gone on with.

    :raises PromptTooLongError: it cannot; the message says what to change.
    """
    longest = context_tokens(engine)
    if tokens >= longest:
        raise PromptTooLongError(
            f'The prompt of {tokens} tokens does not fit the model context of {longest}. Raise '
            'context_tokens, or show fewer examples: preset:=default,example_tokens=300.'
        )


def batches(tokens: int, most: int) -> list[tuple[int, int]]:
    """Where to cut an evaluation, as (begin, end): the first batch is the short one.

    Logits come from one call, so what they are wanted of must be together at the end.
    """
    first = tokens % most or most
    return [(max(0, end - most), end) for end in range(first, tokens + 1, most)]


class TreeEvaluation(Protocol):
    """The tokens of a tree after a sequence, each to be evaluated once; a context manager.

    The sequence is as it was before when the `with` block ends, but for what `keep` keeps.
    """

    def logits(self, wanted: Collection[int]) -> Iterator[tuple[int, Logits]]:
        """Evaluate the whole tree; yield (node, logits after it) of the wanted nodes.

        :raises CacheFullError: no room. :raises CanceledError: stopped.
        :raises ModelError: the evaluation failed.
        """

    def keep(self, node: int) -> None:
        """Let the sequence go on with the tokens that lead to this node."""

    def __enter__(self) -> TreeEvaluation: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class TokenEngine(Protocol):
    """A loaded model."""

    @property
    def cells(self) -> int:
        """Tokens that all sequences together may hold."""

    @property
    def trained_context(self) -> int:
        """Longest text the model was trained for, in tokens; 0 when it does not say."""

    @property
    def sequences_left(self) -> int:
        """Sequences that can still be taken."""

    @property
    def chat_template(self) -> str:
        """The model's own chat template (Jinja), '' when it has none."""

    @property
    def end_marker(self) -> str:
        """How the token that ends a text is spelled, '' where there is none."""

    def tokenize(self, text: str, first: bool, control: bool = False) -> list[int]:
        """Tokens of a text; control tokens spelled in it stay plain text unless asked otherwise.

        :param first: the text begins a sequence (adds the begin token where the model wants one).
        :param control: the text is our own and spells control tokens.
        """

    def piece(self, token: int) -> bytes:
        """Bytes of one token; b'' for control tokens."""

    def ends_generation(self, token: int) -> bool:
        """Whether the model says with this token that it has finished."""

    def take_sequence(self) -> int:
        """An empty sequence. :raises ModelError: too many are alive."""

    def release_sequence(self, sequence: int) -> None:
        """Give a sequence back."""

    def copy_sequence(self, source: int, target: int, length: int) -> None:
        """Let the empty `target` begin with the first `length` tokens of `source`."""

    def cut_sequence(self, sequence: int, length: int) -> None:
        """Forget everything after the first `length` tokens."""

    def evaluate(
        self,
        sequence: int,
        start: int,
        tokens: Sequence[int],
        cancel: CancelToken,
        wanted: int = 1,
    ) -> list[Logits] | None:
        """Append tokens to a sequence; the logits after the last ones, None when there is no room.

        :param start: tokens the sequence holds already.
        :param wanted: after how many of the last tokens, 1 to 32.
        :raises CanceledError: stopped. :raises ModelError: the evaluation failed.
        """

    def evaluate_tree(
        self, sequence: int, start: int, tree: TokenTree, cancel: CancelToken
    ) -> TreeEvaluation:
        """Prepare to evaluate a tree of continuations.

        :raises ModelError: more branches than can be alive at once.
        """

    def save_sequence(self, sequence: int, tokens: Sequence[int], path: Path) -> bool:
        """Write what was evaluated to a file; False when it could not be written."""

    def load_sequence(self, sequence: int, tokens: Sequence[int], path: Path) -> bool:
        """Fill an empty sequence from a file; False when the file is for other tokens or bad."""

    def close(self) -> None:
        """Free everything; safe to call twice."""
