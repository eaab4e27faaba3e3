"""A tree of continuations in one forward pass: every token sees only those that lead to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType

import torch

from reactree_planner.llm.in_process.engine import Logits
from reactree_planner.llm.token_trie import ROOT, TokenTree

#: Keys and values of one layer, each of shape (1, heads, tokens, width).
Layer = tuple[torch.Tensor, torch.Tensor]


@dataclass(slots=True)
class KeysAndValues:
    """What was evaluated of one sequence; no layers before its first token."""

    layers: list[Layer]
    length: int = 0

    def first(self, length: int) -> KeysAndValues:
        """The first tokens of it."""
        cut = [(keys[:, :, :length], values[:, :, :length]) for keys, values in self.layers]
        return KeysAndValues(cut if length else [], min(length, self.length))


Run = Callable[[Sequence[int]], tuple[KeysAndValues, torch.Tensor]]


def tree_mask(
    tree: TokenTree, start: int, window: int, dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    """What is added to the attention of each token to what came before: 0 or minus infinity.

    :param start: tokens before the tree. :param window: how far back a token sees; 0 for all.
    :return: shape (1, 1, nodes, start + nodes).
    """
    nodes, depths = len(tree.tokens), tree.depths()
    seen = torch.zeros((nodes, start + nodes), dtype=torch.bool)
    seen[:, :start] = True
    for node, parent in enumerate(tree.parents):
        if parent != ROOT:
            seen[node, start:] = seen[parent, start:]
        seen[node, start + node] = True
    if window:
        rows = torch.tensor([start + depth for depth in depths])
        columns = torch.cat([torch.arange(start), rows])
        seen &= rows[:, None] - columns[None, :] < window
    mask = torch.zeros((nodes, start + nodes), dtype=dtype)
    mask.masked_fill_(~seen, torch.finfo(dtype).min)
    return mask[None, None].to(device)


class TransformersBranches:
    """One evaluation of a tree after a sequence (protocol `TreeEvaluation`)."""

    def __init__(
        self, tree: TokenTree, start: int, run: Run, keep: Callable[[KeysAndValues], None]
    ) -> None:
        self._tree = tree
        self._start = start
        self._run = run
        self._keep = keep
        self._whole: KeysAndValues | None = None

    def __enter__(self) -> TransformersBranches:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._whole = None

    def logits(self, wanted: Collection[int]) -> Iterator[tuple[int, Logits]]:
        """Evaluate the whole tree in one pass."""
        # A pass must answer something, even where no choice is left after the first token.
        nodes = sorted(wanted) or [0]
        self._whole, rows = self._run(nodes)
        for node, row in zip(nodes, rows, strict=True):
            if node in wanted:
                yield node, row.numpy()

    def keep(self, node: int) -> None:
        """Let the sequence go on with the tokens that lead to this node."""
        assert self._whole is not None, 'logits come first'
        path = [self._start + step for step in self._tree.path(node)]
        places = torch.tensor([*range(self._start), *path])
        layers = [
            (
                keys.index_select(2, places.to(keys.device)),
                values.index_select(2, places.to(values.device)),
            )
            for keys, values in self._whole.layers
        ]
        self._keep(type(self._whole)(layers, len(places)))
