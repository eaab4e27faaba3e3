"""Log-probability of each whole option, from the logits after every token of their tree.

Pure: whatever runs the model, the sums are made here (SayCan's and ReAct's way to choose).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reactree_planner.llm.token_trie import log_remainder
from reactree_planner.llm.token_trie import log_sum
from reactree_planner.llm.token_trie import ROOT
from reactree_planner.llm.token_trie import TokenTree


@dataclass(frozen=True, slots=True)
class LikeliestOption:
    """The best option.

    :param index: of the option. :param node: where it ends in the tree.
    :param log_probability: sum over its tokens, natural logarithm.
    :param margin: its score (sum or mean) minus the second's; inf without a second.
    """

    index: int
    node: int
    log_probability: float
    margin: float


class Likelihood:
    """Learns the logits after the nodes that have children, in any order; then tells the best.

    Where one option ends and longer ones go on, ending weighs as much as everything that is not
    one of the longer ones, as in constrained selection. Options equal in tokens are one option.

    :param mean: compare by the mean over an option's tokens, not by the sum.
    """

    def __init__(self, tree: TokenTree, mean: bool) -> None:
        self._tree = tree
        self._mean = mean
        self._children: dict[int, list[int]] = {}
        for node, parent in enumerate(tree.parents):
            self._children.setdefault(parent, []).append(node)
        self._scores = [0.0] * len(tree.tokens)
        self._ending = dict.fromkeys(tree.ends, 0.0)

    @property
    def parents(self) -> frozenset[int]:
        """Nodes whose logits are needed; those after the root are the session's own."""
        return frozenset(self._children) - {ROOT}

    def learn(self, node: int, logits: NDArray[np.float32]) -> None:
        """Take in the logits after a node, shape (vocabulary,)."""
        children = self._children[node]
        log_total = log_sum(logits)
        found = [float(logits[self._tree.tokens[child]]) - log_total for child in children]
        for child, score in zip(children, found, strict=True):
            self._scores[child] = score
        if node in self._ending:
            self._ending[node] = log_remainder(found)

    def best(self) -> LikeliestOption:
        """The likeliest option; the first of equals."""
        tree = self._tree
        sums = [0.0] * len(tree.tokens)
        lengths = [0] * len(tree.tokens)
        for node, parent in enumerate(tree.parents):
            above, length = (sums[parent], lengths[parent]) if parent != ROOT else (0.0, 0)
            sums[node], lengths[node] = above + self._scores[node], length + 1
        ranked = []
        for node, index in tree.ends.items():
            total = sums[node] + self._ending[node]
            ranked.append((total / lengths[node] if self._mean else total, -index, total, node))
        ranked.sort(reverse=True)
        score, negative, total, node = ranked[0]
        margin = score - ranked[1][0] if len(ranked) > 1 else math.inf
        return LikeliestOption(-negative, node, min(total, 0.0), margin)
