"""A growing text over a model in this process (port `LanguageSession`), whatever runs it."""

from __future__ import annotations

import time
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.errors import ModelError
from reactree_core.ports import Selection
from reactree_core.ports import Strategy
from reactree_core.usage import LlmUsage
from reactree_planner.llm.in_process.engine import CacheFullError
from reactree_planner.llm.in_process.engine import draft_after
from reactree_planner.llm.in_process.engine import Logits
from reactree_planner.llm.in_process.engine import sample_token
from reactree_planner.llm.in_process.engine import TreeEvaluation
from reactree_planner.llm.in_process.likelihood import LikeliestOption
from reactree_planner.llm.in_process.likelihood import Likelihood
from reactree_planner.llm.token_trie import ROOT
from reactree_planner.llm.token_trie import TokenTree
from reactree_planner.llm.token_trie import walk_greedily

if TYPE_CHECKING:
    from reactree_planner.llm.in_process.model import InProcessModel


@dataclass(slots=True)
class _Counts:
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    requests: int = 0
    latency: float = 0.0


class InProcessSession:
    """One growing text (port `LanguageSession`); no token of it is evaluated twice."""

    def __init__(
        self, model: InProcessModel, cancel: CancelToken, shared_prefix: str = ''
    ) -> None:
        self._model = model
        self._cancel = cancel
        self.evaluated_text = EvaluatedText(model, cancel)
        self._written: list[str] = []
        self._counts = _Counts()
        if shared_prefix:
            self._begin_with(shared_prefix)

    def _begin_with(self, prefix: str) -> None:
        started = time.monotonic()
        with self._model.lock:
            self.evaluated_text.begin_with(self._model.beginning(prefix))
        self._written.append(prefix)
        self._counts.cached += self.tokens - self.evaluated_text.work
        self._counts.prompt += self.tokens
        self._counts.latency += time.monotonic() - started

    @property
    def text(self) -> str:
        """Everything so far."""
        return ''.join(self._written)

    @property
    def tokens(self) -> int:
        """Length so far."""
        return len(self.evaluated_text.tokens)

    @property
    def usage(self) -> LlmUsage:
        """Counts since this session began."""
        counts = self._counts
        return LlmUsage(
            self._model.name,
            counts.prompt,
            counts.cached,
            self.evaluated_text.work,
            counts.completion,
            counts.requests,
            counts.latency,
        )

    def append(self, text: str) -> None:
        """Add text; evaluated with the next request."""
        if text:
            self.evaluated_text.append(self._tokenize(text))
            self._written.append(text)

    def _tokenize(self, text: str) -> list[int]:
        with self._model.lock:
            return self._model.engine.tokenize(text, first=not self.tokens)

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """Choose over the token trie of the options."""
        if not options or not all(options):
            raise ModelError('select needs one or more non-empty options.')
        started = time.monotonic()
        self._count_request()
        first = self.tokens == 0
        with self._model.lock:
            tokenized = [self._model.option_tokens(option, first) for option in options]
            if strategy is Strategy.CONSTRAINED:
                chosen = self._select_constrained(tokenized)
            else:
                chosen = self._select_likeliest(tokenized, strategy is Strategy.MEAN_LIKELIHOOD)
        self._written.append(options[chosen.index])
        self._counts.completion += len(tokenized[chosen.index])
        self._counts.latency += time.monotonic() - started
        return chosen

    def _select_constrained(self, tokenized: list[tuple[int, ...]]) -> Selection:
        evaluated = self.evaluated_text
        base = len(evaluated.tokens)

        def logits_after(path: list[int]) -> Logits:
            evaluated.append(path[len(evaluated.tokens) - base :])
            return evaluated.logits()

        try:
            walk = walk_greedily(tokenized, logits_after)
        except (CanceledError, ModelError):
            evaluated.cut(base)
            raise
        evaluated.append(walk.tokens[len(evaluated.tokens) - base :])
        return Selection(walk.index, walk.log_probability, walk.margin)

    def _select_likeliest(self, tokenized: list[tuple[int, ...]], mean: bool) -> Selection:
        tree = TokenTree.of(tokenized)
        self._model.check_length(self.tokens + max(map(len, tokenized)))

        def best_of(before: Logits, evaluation: TreeEvaluation) -> LikeliestOption:
            likelihood = Likelihood(tree, mean)
            likelihood.learn(ROOT, before)
            for node, logits in evaluation.logits(likelihood.parents):
                likelihood.learn(node, logits)
            return likelihood.best()

        best = self.evaluated_text.grow_along(tree, best_of)
        return Selection(best.index, best.log_probability, best.margin)

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """Free text up to the first stop text."""
        started = time.monotonic()
        self._count_request()
        random = np.random.default_rng(seed)
        engine = self._model.engine
        stops = [text.encode() for text in stop]
        pieces: list[bytes] = []
        tokens: list[int] = []
        base = self.tokens
        rest = b''
        with self._model.lock:
            try:
                while len(tokens) < max_tokens:
                    logits = self.evaluated_text.logits(stops, max_tokens - len(tokens) - 1)
                    token = sample_token(logits, temperature, top_p, random)
                    if engine.ends_generation(token):
                        break
                    pieces.append(engine.piece(token))
                    whole = b''.join(pieces)
                    cut = min((at for at in map(whole.find, stops) if at >= 0), default=-1)
                    if cut >= 0:
                        # Tokens that lie wholly before the stop are kept; the split one is redone.
                        rest = whole[:cut]
                        break
                    tokens.append(token)
                    self.evaluated_text.append((token,))
                    rest = whole
            finally:
                self.evaluated_text.drop_guesses()
        self._finish_generation(base, pieces, tokens, rest)
        self._counts.completion += len(tokens)
        self._counts.latency += time.monotonic() - started
        return rest.decode('utf-8', errors='replace')

    def _finish_generation(
        self, base: int, pieces: list[bytes], tokens: list[int], kept: bytes
    ) -> None:
        length = 0
        whole = 0
        for piece in pieces[: len(tokens)]:
            if length + len(piece) > len(kept):
                break
            length += len(piece)
            whole += 1
        tail = kept[length:].decode('utf-8', errors='replace')
        # A stop text may have spanned tokens that were evaluated already.
        with self._model.lock:
            self.evaluated_text.cut(base + whole)
        self._written.append(kept[:length].decode('utf-8', errors='replace'))
        self.append(tail)

    def _count_request(self) -> None:
        self._counts.requests += 1
        self._counts.prompt += self.tokens
        self._counts.cached += self.evaluated_text.held

    def fork(self) -> InProcessSession:
        """A second session with the same text; evaluated cells are shared."""
        other = InProcessSession(self._model, self._cancel)
        started = time.monotonic()
        with self._model.lock:
            other.evaluated_text = self.evaluated_text.fork()
        self._counts.latency += time.monotonic() - started
        other._written = list(self._written)
        return other

    def drop(self) -> None:
        """Give the sequence back; safe to call twice."""
        with self._model.lock:
            self.evaluated_text.drop()


if TYPE_CHECKING:
    from reactree_planner.llm.in_process.model import InProcessModel


class EvaluatedText:
    """A growing list of tokens over one sequence of an engine's cache.

    Those evaluated come first, the rest waits until logits are asked for. Callers hold the
    model's lock, but for `append`.
    """

    def __init__(self, model: InProcessModel, cancel: CancelToken) -> None:
        self._model = model
        self._cancel = cancel
        self._sequence: int | None = None
        self._logits: Logits | None = None
        #: Tokens that may come next and the logits after each: in the cache, not in `held`.
        self._guesses: list[tuple[int, Logits]] = []
        self.tokens: list[int] = []
        #: How many tokens are in the cache.
        self.held = 0
        #: Tokens whose evaluation this text had to ask for, wrong guesses included.
        self.work = 0

    def begin_with(self, tokens: list[int]) -> None:
        """Begin with a prefix that many texts share.

        :raises ModelError: longer than the context. :raises CanceledError: stopped.
        """
        held, evaluated = self._model.prefixes.sequence_with(tokens, self._cancel)
        self._sequence = self._new_sequence()
        self._model.engine.copy_sequence(held, self._sequence, len(tokens))
        self._logits = self._model.prefixes.logits(tokens)
        self.tokens = tokens
        self.held = len(tokens)
        self.work += evaluated

    def append(self, tokens: Sequence[int]) -> None:
        """Go on with these tokens; evaluated when logits are next asked for."""
        self.tokens.extend(tokens)

    def cut(self, length: int) -> None:
        """Forget the tokens after the first `length`."""
        self.drop_guesses()
        del self.tokens[length:]
        if self.held > length and self._sequence is not None:
            self._model.engine.cut_sequence(self._sequence, length)
            self.held = length
            self._logits = None

    def logits(self, stops: Sequence[bytes] = (), room: int = 0) -> Logits:
        """Logits after the last token, evaluating what waits.

        :param stops: texts that end a generation. :param room: most tokens to guess along.
        :raises ModelError: empty, or longer than the context. :raises CanceledError: stopped.
        """
        waiting = len(self.tokens) - self.held
        if self._logits is not None and not waiting:
            return self._logits
        if waiting and self._guesses and self._guesses[0][0] == self.tokens[self.held]:
            self.held += 1
            self._logits = self._guesses.pop(0)[1]
            return self._logits if waiting == 1 else self.logits(stops, room)
        if not self.tokens:
            raise ModelError('A model goes on with a text: append one before you ask it.')
        self.drop_guesses()
        self._model.check_length(len(self.tokens))
        return self._evaluate(self._guess(stops, room))

    def _evaluate(self, guesses: list[int]) -> Logits:
        """Evaluate what waits, and guesses along with it."""
        engine = self._model.engine
        if self._sequence is None:
            self._sequence = self._new_sequence()
        if self.held == len(self.tokens):
            # Restored from disk without logits: the last token is evaluated once more.
            self.held -= 1
            engine.cut_sequence(self._sequence, self.held)
        start = self.held
        pending = self.tokens[start:]
        rows = guesses and engine.evaluate(
            self._sequence, start, [*pending, *guesses], self._cancel, 1 + len(guesses)
        )
        if not rows:
            # No prefix gives way to guesses, and no text ends early for them.
            guesses = []
            rows = self._model.prefixes.evaluate(self._sequence, start, pending, self._cancel)
        self._logits = rows[0]
        self._guesses = list(zip(guesses, rows[1:], strict=True))
        self.held = len(self.tokens)
        self.work += len(pending) + len(guesses)
        return rows[0]

    def _guess(self, stops: Sequence[bytes], room: int) -> list[int]:
        """Tokens that may come next, up to where a generation would stop."""
        room = min(room, self._model.context_tokens - len(self.tokens) - 1)
        guesses = draft_after(self.tokens, min(self._model.draft_tokens, room))
        text = b''
        for place, token in enumerate(guesses):
            text += self._model.engine.piece(token)
            if self._model.engine.ends_generation(token) or any(stop in text for stop in stops):
                return guesses[:place]
        return guesses

    def drop_guesses(self) -> None:
        """Take what was guessed out of the cache."""
        if self._guesses and self._sequence is not None:
            self._guesses = []
            self._model.engine.cut_sequence(self._sequence, self.held)

    def grow_along(
        self, tree: TokenTree, choose: Callable[[Logits, TreeEvaluation], LikeliestOption]
    ) -> LikeliestOption:
        """Evaluate a tree of continuations at once and go on with the one that is chosen.

        :param choose: given the logits before the tree and its evaluation, the option to keep;
            asked again when the cache was full.
        :raises ModelError: no room. :raises CanceledError: stopped.
        """
        before = self.logits()
        assert self._sequence is not None
        while True:
            try:
                with self._model.engine.evaluate_tree(
                    self._sequence, len(self.tokens), tree, self._cancel
                ) as evaluation:
                    chosen = choose(before, evaluation)
                    evaluation.keep(chosen.node)
                break
            except CacheFullError:
                self._model.prefixes.give_way(self._sequence)
        self.work += len(tree.tokens)
        self.tokens.extend(tree.tokens[node] for node in tree.path(chosen.node))
        self.held = len(self.tokens)
        self._logits = None
        return chosen

    def fork(self) -> EvaluatedText:
        """A second text with the same tokens; evaluated cells are shared."""
        if self.held < len(self.tokens):
            # Evaluated here once, instead of in both later.
            self.logits()
        other = EvaluatedText(self._model, self._cancel)
        if self._sequence is not None:
            other._sequence = self._new_sequence()
            self._model.engine.copy_sequence(self._sequence, other._sequence, self.held)
        other._logits = self._logits
        other.tokens = list(self.tokens)
        other.held = self.held
        return other

    def drop(self) -> None:
        """Give the sequence back; safe to call twice."""
        if self._sequence is not None:
            self._model.engine.release_sequence(self._sequence)
            self._sequence = None

    def _new_sequence(self) -> int:
        if not self._model.engine.sequences_left:
            self._model.prefixes.release_oldest()
        return self._model.engine.take_sequence()
