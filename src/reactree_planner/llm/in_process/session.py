"""A growing text over a model in this process (port `LanguageSession`), whatever runs it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.errors import ModelError
from reactree_core.ports import Selection
from reactree_core.ports import Strategy
from reactree_core.usage import LlmUsage
from reactree_planner.llm.in_process.drafting import draft_after
from reactree_planner.llm.in_process.engine import CacheFullError
from reactree_planner.llm.in_process.engine import Logits
from reactree_planner.llm.in_process.likelihood import Likelihood
from reactree_planner.llm.in_process.sampling import sample_token
from reactree_planner.llm.token_trie import ROOT
from reactree_planner.llm.token_trie import TokenTree
from reactree_planner.llm.token_trie import walk_greedily

if TYPE_CHECKING:
    from reactree_planner.llm.in_process.model import InProcessModel


@dataclass(slots=True)
class _Counts:
    prompt: int = 0
    cached: int = 0
    evaluated: int = 0
    completion: int = 0
    requests: int = 0
    latency: float = 0.0


@dataclass(slots=True)
class _State:
    """Tokens of a session: those evaluated come first, the rest waits for the next request."""

    tokens: list[int] = field(default_factory=list)
    evaluated: int = 0
    logits: Logits | None = None
    text: list[str] = field(default_factory=list)
    #: Tokens that may come next and the logits after each: in the cache, not in `evaluated`.
    guesses: list[tuple[int, Logits]] = field(default_factory=list)


class InProcessSession:
    """One growing text (port `LanguageSession`); no token of it is evaluated twice."""

    def __init__(
        self, model: InProcessModel, cancel: CancelToken, shared_prefix: str = ''
    ) -> None:
        self._model = model
        self._cancel = cancel
        self._state = _State()
        self._counts = _Counts()
        self._sequence: int | None = None
        if shared_prefix:
            self._begin_with(shared_prefix)

    def _begin_with(self, prefix: str) -> None:
        started = time.monotonic()
        with self._model.lock:
            tokens = self._model.beginning(prefix)
            held, evaluated = self._model.prefixes.sequence_with(tokens, self._cancel)
            self._sequence = self._new_sequence()
            self._model.engine.copy_sequence(held, self._sequence, len(tokens))
            self._state.logits = self._model.prefixes.logits(tokens)
        self._state.tokens = tokens
        self._state.evaluated = len(tokens)
        self._state.text.append(prefix)
        self._counts.evaluated += evaluated
        self._counts.cached += len(tokens) - evaluated
        self._counts.prompt += len(tokens)
        self._counts.latency += time.monotonic() - started

    @property
    def text(self) -> str:
        """Everything so far."""
        return ''.join(self._state.text)

    @property
    def tokens(self) -> int:
        """Length so far."""
        return len(self._state.tokens)

    @property
    def usage(self) -> LlmUsage:
        """Counts since this session began."""
        counts = self._counts
        return LlmUsage(
            self._model.name,
            counts.prompt,
            counts.cached,
            counts.evaluated,
            counts.completion,
            counts.requests,
            counts.latency,
        )

    def append(self, text: str) -> None:
        """Add text; evaluated with the next request."""
        if text:
            self._append_tokens(self._tokenize(text), text)

    def _append_tokens(self, tokens: list[int], text: str) -> None:
        if tokens:
            self._state.logits = None
        self._state.tokens.extend(tokens)
        self._state.text.append(text)

    def _tokenize(self, text: str) -> list[int]:
        with self._model.lock:
            return self._model.engine.tokenize(text, first=not self._state.tokens)

    def _new_sequence(self) -> int:
        if not self._model.engine.sequences_left:
            self._model.prefixes.release_oldest()
        return self._model.engine.take_sequence()

    def _logits(self, stops: Sequence[bytes] = (), room: int = 0) -> Logits:
        """Logits after everything appended, evaluating what waits.

        :param stops: texts that end a generation. :param room: most tokens to guess along.
        """
        state = self._state
        if state.logits is not None and state.evaluated == len(state.tokens):
            return state.logits
        if state.guesses and state.guesses[0][0] == state.tokens[state.evaluated]:
            state.evaluated += 1
            state.logits = state.guesses.pop(0)[1]
            return state.logits
        self._drop_guesses()
        self._model.check_length(len(state.tokens))
        if self._sequence is None:
            self._sequence = self._new_sequence()
        start = state.evaluated
        if start == len(state.tokens):
            # Restored from disk without logits: the last token is evaluated once more.
            start -= 1
            self._model.engine.cut_sequence(self._sequence, start)
        pending = state.tokens[start:]
        guesses = self._guess(stops, room)
        evaluated = guesses and self._model.engine.evaluate(
            self._sequence, start, [*pending, *guesses], self._cancel, 1 + len(guesses)
        )
        if not evaluated:
            # No prefix gives way to guesses, and no text ends early for them.
            guesses = []
            evaluated = self._model.prefixes.evaluate(self._sequence, start, pending, self._cancel)
        logits, *later = evaluated
        state.logits = logits
        state.guesses = list(zip(guesses, later, strict=True))
        state.evaluated = len(state.tokens)
        self._counts.evaluated += len(pending) + len(guesses)
        return logits

    def _guess(self, stops: Sequence[bytes], room: int) -> list[int]:
        """Tokens that may come next, up to where a generation would stop."""
        tokens = self._state.tokens
        room = min(room, self._model.context_tokens - len(tokens) - 1)
        guesses = draft_after(tokens, min(self._model.draft_tokens, room))
        text = b''
        for place, token in enumerate(guesses):
            text += self._model.engine.piece(token)
            if self._model.engine.ends_generation(token) or any(stop in text for stop in stops):
                return guesses[:place]
        return guesses

    def _drop_guesses(self) -> None:
        if self._state.guesses and self._sequence is not None:
            self._state.guesses = []
            self._model.engine.cut_sequence(self._sequence, self._state.evaluated)

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """Choose over the token trie of the options."""
        if not options or not all(options):
            raise ModelError('select needs one or more non-empty options.')
        started = time.monotonic()
        self._count_request()
        base = len(self._state.tokens)
        with self._model.lock:
            tokenized = [self._model.option_tokens(option, base == 0) for option in options]
            if strategy is Strategy.CONSTRAINED:
                chosen = self._select_constrained(base, tokenized)
            else:
                chosen = self._select_likeliest(tokenized, strategy is Strategy.MEAN_LIKELIHOOD)
        self._state.text.append(options[chosen.index])
        self._counts.completion += len(tokenized[chosen.index])
        self._counts.latency += time.monotonic() - started
        return chosen

    def _select_constrained(self, base: int, tokenized: list[tuple[int, ...]]) -> Selection:
        def logits_after(path: list[int]) -> Logits:
            self._state.tokens[base:] = path
            return self._logits()

        try:
            walk = walk_greedily(tokenized, logits_after)
        except (CanceledError, ModelError):
            del self._state.tokens[base:]
            self._state.evaluated = min(self._state.evaluated, base)
            self._state.logits = None
            raise
        if len(self._state.tokens) < base + len(walk.tokens):
            self._state.logits = None
        self._state.tokens[base:] = walk.tokens
        return Selection(walk.index, walk.log_probability, walk.margin)

    def _select_likeliest(self, tokenized: list[tuple[int, ...]], mean: bool) -> Selection:
        state, model = self._state, self._model
        before = self._logits()
        tree = TokenTree.of(tokenized)
        model.check_length(len(state.tokens) + max(map(len, tokenized)))
        assert self._sequence is not None
        while True:
            likelihood = Likelihood(tree, mean)
            likelihood.learn(ROOT, before)
            try:
                with model.engine.evaluate_tree(
                    self._sequence, len(state.tokens), tree, self._cancel
                ) as evaluation:
                    for node, logits in evaluation.logits(likelihood.parents):
                        likelihood.learn(node, logits)
                    best = likelihood.best()
                    evaluation.keep(best.node)
                break
            except CacheFullError:
                model.prefixes.give_way(self._sequence)
        self._counts.evaluated += len(tree.tokens)
        state.tokens.extend(tokenized[best.index])
        state.evaluated = len(state.tokens)
        state.logits = None
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
        base = len(self._state.tokens)
        rest = b''
        with self._model.lock:
            try:
                while len(tokens) < max_tokens:
                    logits = self._logits(stops, max_tokens - len(tokens) - 1)
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
                    self._state.tokens.append(token)
                    rest = whole
            finally:
                self._drop_guesses()
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
        if whole < len(tokens):
            # A stop text spanned tokens that were evaluated already.
            del self._state.tokens[base + whole :]
            if self._state.evaluated > base + whole and self._sequence is not None:
                self._model.engine.cut_sequence(self._sequence, base + whole)
                self._state.evaluated = base + whole
            self._state.logits = None
        self._state.text.append(kept[:length].decode('utf-8', errors='replace'))
        if tail:
            self._append_tokens(self._tokenize(tail), tail)

    def _count_request(self) -> None:
        self._counts.requests += 1
        self._counts.prompt += len(self._state.tokens)
        self._counts.cached += self._state.evaluated

    def fork(self) -> InProcessSession:
        """A second session with the same text; evaluated cells are shared."""
        other = InProcessSession(self._model, self._cancel)
        with self._model.lock:
            if self._state.evaluated < len(self._state.tokens):
                # Evaluated here once, instead of in both later.
                started = time.monotonic()
                self._logits()
                self._counts.latency += time.monotonic() - started
            if self._sequence is not None:
                other._sequence = self._new_sequence()
                self._model.engine.copy_sequence(
                    self._sequence, other._sequence, self._state.evaluated
                )
        other._state = _State(
            list(self._state.tokens),
            self._state.evaluated,
            self._state.logits,
            list(self._state.text),
        )
        return other

    def drop(self) -> None:
        """Give the sequence back; safe to call twice."""
        if self._sequence is not None:
            with self._model.lock:
                self._model.engine.release_sequence(self._sequence)
            self._sequence = None
