"""A tree of continuations in one llama.cpp context: one sequence for each of its leaves.

A token belongs to the sequences of all leaves below it, so that it is evaluated once and every
branch sees exactly the tokens that lead to it.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelError
from reactree_planner.llm.in_process.engine import Logits
from reactree_planner.llm.token_trie import ROOT
from reactree_planner.llm.token_trie import TokenTree

if TYPE_CHECKING:
    from reactree_planner.llm.llama.engine import LlamaEngine


class LlamaBranches:
    """One evaluation of a tree after a sequence (protocol `TreeEvaluation`).

    :raises ModelError: more leaves than sequences left.
    """

    def __init__(
        self,
        engine: LlamaEngine,
        sequence: int,
        start: int,
        tree: TokenTree,
        cancel: CancelToken,
    ) -> None:
        leaves = tree.leaves()
        if len(leaves) > engine.sequences_left:
            raise ModelError(
                f'{len(leaves)} different options cannot be scored at once '
                f'({engine.sequences_left} sequences are left): offer fewer, or select by '
                'constrained.'
            )
        self._engine = engine
        self._sequence = sequence
        self._start = start
        self._tree = tree
        self._cancel = cancel
        self._depths = tree.depths()
        self._own = [engine.take_sequence() for _ in leaves]
        self._below: list[list[int]] = [[] for _ in tree.tokens]
        for leaf, own in zip(leaves, self._own, strict=True):
            self._below[leaf].append(own)
        for node in reversed(range(len(tree.tokens))):
            if tree.parents[node] != ROOT:
                self._below[tree.parents[node]] += self._below[node]

    def __enter__(self) -> LlamaBranches:
        for own in self._own:
            self._engine.copy_sequence(self._sequence, own, self._start)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for own in self._own:
            self._engine.release_sequence(own)

    def logits(self, wanted: Collection[int]) -> Iterator[tuple[int, Logits]]:
        """Evaluate the whole tree in as few decode calls as the batch size allows."""
        tokens = self._tree.tokens
        for first in range(0, len(tokens), self._engine.batch_tokens):
            nodes = range(first, min(first + self._engine.batch_tokens, len(tokens)))
            rows = [
                (
                    tokens[node],
                    self._start + self._depths[node],
                    self._below[node],
                    node in wanted,
                )
                for node in nodes
            ]
            self._engine.decode_rows(rows, self._cancel)
            for row, node in enumerate(nodes):
                if node in wanted:
                    yield node, self._engine.logits_of(row)

    def keep(self, node: int) -> None:
        """Let the sequence go on with the tokens that lead to this node."""
        end = self._start + self._depths[node] + 1
        self._engine.copy_sequence(self._below[node][0], self._sequence, end, self._start)
