"""The options of a `select` as a trie of tokens, and both ways to choose over it.

`walk_greedily` follows the likeliest token that is still an option (constrained); `Likelihood`
compares whole options by the log-probability of all their tokens (SayCan's and ReAct's way).
Pure: the logits come from whoever runs the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

#: Logits after the session's text plus these further tokens, shape (vocabulary,).
LogitsAfter = Callable[[list[int]], NDArray[np.float32]]


@dataclass(slots=True)
class TrieNode:
    """Options that share the tokens up to here; `ends` are those that stop here."""

    children: dict[int, TrieNode] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Walk:
    """The chosen option: index, its tokens, log-probability of the choices made, margin."""

    index: int
    tokens: tuple[int, ...]
    log_probability: float
    margin: float


#: Parent of the tokens that options begin with.
ROOT = -1


@dataclass(frozen=True, slots=True)
class TokenTree:
    """The trie laid out in a row: each node after its parent, a branch before its neighbours.

    :param tokens: one per node. :param parents: index of a node's parent, or ROOT.
    :param ends: first option that ends at a node, by node.
    """

    tokens: tuple[int, ...]
    parents: tuple[int, ...]
    ends: dict[int, int]

    @classmethod
    def of(cls, options: Sequence[Sequence[int]]) -> TokenTree:
        """Tree of tokenized options, none empty."""
        tokens: list[int] = []
        parents: list[int] = []
        ends: dict[int, int] = {}
        waiting = [(ROOT, token, node) for token, node in _last_first(build_trie(options))]
        while waiting:
            parent, token, trie = waiting.pop()
            place = len(tokens)
            tokens.append(token)
            parents.append(parent)
            if trie.ends:
                ends[place] = trie.ends[0]
            waiting += [(place, child, node) for child, node in _last_first(trie)]
        return cls(tuple(tokens), tuple(parents), ends)

    def path(self, node: int) -> list[int]:
        """Nodes from the first token to this one."""
        nodes = []
        while node != ROOT:
            nodes.append(node)
            node = self.parents[node]
        return nodes[::-1]

    def depths(self) -> list[int]:
        """Tokens before each node."""
        depths: list[int] = []
        for parent in self.parents:
            depths.append(0 if parent == ROOT else depths[parent] + 1)
        return depths

    def leaves(self) -> list[int]:
        """Nodes after which nothing comes."""
        inner = set(self.parents)
        return [node for node in range(len(self.tokens)) if node not in inner]


def _last_first(node: TrieNode) -> list[tuple[int, TrieNode]]:
    return list(node.children.items())[::-1]


def log_remainder(log_probabilities: Sequence[float]) -> float:
    """Logarithm of the probability that none of these happens, bounded below."""
    return math.log(max(1.0 - sum(map(math.exp, log_probabilities)), 1e-12))


def log_sum(logits: NDArray[np.float32]) -> float:
    """Logarithm of the sum of all exponentials: what makes logits log-probabilities.

    The exponentials are taken in single precision: five times as fast, the same to six digits.
    """
    most = logits.max()
    return float(most) + math.log(np.exp(logits - most).sum(dtype=np.float64))


def build_trie(options: Sequence[Sequence[int]]) -> TrieNode:
    """Trie over tokenized options, at least one."""
    root = TrieNode()
    for index, tokens in enumerate(options):
        node = root
        for token in tokens:
            node = node.children.setdefault(token, TrieNode())
        node.ends.append(index)
    return root


def walk_greedily(options: Sequence[Sequence[int]], logits_after: LogitsAfter) -> Walk:
    """Token by token, the likeliest continuation that is still an option.

    Logits are asked only where options part, so a chain shared by all costs nothing. Where one
    option ends and longer ones go on, ending weighs as much as everything that is not one of the
    longer ones. Options equal in tokens answer with the first.
    """
    node = build_trie(options)
    path: list[int] = []
    total = 0.0
    margin = math.inf
    while True:
        if not node.children:
            return Walk(node.ends[0], tuple(path), total, margin)
        if len(node.children) == 1 and not node.ends:
            token, node = next(iter(node.children.items()))
            path.append(token)
            continue
        logits = logits_after(path)
        log_total = log_sum(logits)
        scores = {token: float(logits[token]) - log_total for token in node.children}
        if node.ends:
            end_score = log_remainder(list(scores.values()))
            best_child = max(scores.values())
            margin = min(margin, abs(end_score - best_child))
            if end_score >= best_child:
                return Walk(node.ends[0], tuple(path), total + end_score, margin)
        ranked = sorted(scores.items(), key=lambda item: -item[1])
        token, score = ranked[0]
        if len(ranked) > 1:
            margin = min(margin, score - ranked[1][1])
        total += score
        path.append(token)
        node = node.children[token]


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
