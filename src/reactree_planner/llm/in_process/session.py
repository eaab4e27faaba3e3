"""Sessions with a model in this process (port `LanguageSession`), and what they share.

Whatever runs the model is a `TokenEngine`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Role
from reactree_core.errors import CanceledError, ModelError
from reactree_core.ports import check_options, Sample, Selection, Strategy
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_planner.llm.in_process.chat_templates import choose_template
from reactree_planner.llm.in_process.drawing import log_probability, sample_token, scored_tokens
from reactree_planner.llm.in_process.engine import (
    check_length,
    Logits,
    TokenEngine,
    TreeEvaluation,
)
from reactree_planner.llm.in_process.evaluated_text import EvaluatedText
from reactree_planner.llm.in_process.prefixes import PrefixCache
from reactree_planner.llm.token_trie import (
    LikeliestOption,
    Likelihood,
    ROOT,
    TokenTree,
    walk_greedily,
)

#: Options whose tokens are remembered: most skills are offered often.
_OPTIONS_KEPT = 8192


class SharedEngine:
    """What the sessions of one model share; calls from several threads take turns.

    :param name: for people and records. :param fingerprint: of the weights and the runtime.
    :param state_directory: where prefix states are kept; None keeps none.
    :param state_bytes: most bytes of kept states.
    :param chat_template: see `named_templates.CHOICES`.
    :param draft_tokens: most tokens guessed at once while it writes, 0..16; 0 guesses none.
    :raises ConfigurationError: there is no such template.
    """

    def __init__(
        self,
        engine: TokenEngine,
        name: str,
        fingerprint: str,
        state_directory: Path | None = None,
        state_bytes: int = 2 * 1024**3,
        chat_template: str = 'none',
        draft_tokens: int = 0,
    ) -> None:
        self.engine = engine
        self.template = choose_template(chat_template, engine.chat_template, engine.end_marker)
        self._name = name
        self.prefixes = PrefixCache(engine, state_directory, fingerprint, state_bytes)
        self._draft_tokens = draft_tokens
        self.lock = threading.RLock()
        #: Tokens of an option: (text, whether it begins a session).
        self.option_tokens = lru_cache(_OPTIONS_KEPT)(self._tokens_of_option)

    def _tokens_of_option(self, option: str, first: bool) -> tuple[int, ...]:
        return tuple(self.engine.tokenize(option, first=first))

    @property
    def name(self) -> str:
        """For people and records."""
        return self._name

    def evaluated_text(self, cancel: CancelToken) -> EvaluatedText:
        """The tokens of a new session."""
        return EvaluatedText(self.prefixes, self._draft_tokens, cancel)

    def beginning(self, prefix: str) -> list[int]:
        """Tokens of a session's shared prefix, within the chat template when there is one."""
        if self.template is None:
            return self.engine.tokenize(prefix, first=True)
        before, after = self.template.markers((Role.SYSTEM,))
        return [
            *self.engine.tokenize(before, first=True, control=True),
            *self.engine.tokenize(prefix, first=False),
            *self.engine.tokenize(after, first=False, control=True),
        ]


@dataclass(slots=True)
class _Counts:
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    requests: int = 0
    latency: float = 0.0


class InProcessSession:
    """One growing text (port `LanguageSession`); no token of it is evaluated twice."""

    def __init__(self, model: SharedEngine, cancel: CancelToken, shared_prefix: str = '') -> None:
        self._model = model
        self._cancel = cancel
        self.evaluated_text = model.evaluated_text(cancel)
        self._written: list[str] = []
        self._counts = _Counts()
        #: Of forks that samples were drawn from.
        self._sampled = NO_USAGE
        if shared_prefix:
            self._begin_with(shared_prefix)

    def _begin_with(self, prefix: str) -> None:
        with self._model.lock:
            self.evaluated_text.begin_with(self._model.beginning(prefix))
        self._written.append(prefix)

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
        own = LlmUsage(
            self._model.name,
            counts.prompt + self.evaluated_text.begun,
            counts.cached + self.evaluated_text.shared,
            self.evaluated_text.work,
            counts.completion,
            counts.requests,
            counts.latency,
        )
        return own + self._sampled if self._sampled.requests else own

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
        check_options(options)
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
        check_length(self._model.engine, self.tokens + max(map(len, tokenized)))

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
        return self._generated(stop, max_tokens, temperature, seed, top_p, False).text

    def sample(
        self,
        seeds: Sequence[int],
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 1.0,
        top_p: float = 1.0,
    ) -> Iterator[Sample]:
        """Continuations of forks, one after another, with the probabilities of their tokens."""
        for seed in seeds:
            fork = self.fork()
            try:
                sample = fork._generated(stop, max_tokens, temperature, seed, top_p, True)
            finally:
                self._sampled += fork.usage
                fork.drop()
            yield sample

    def _generated(
        self,
        stop: Sequence[str],
        max_tokens: int,
        temperature: float,
        seed: int,
        top_p: float,
        scored: bool,
    ) -> Sample:
        started = time.monotonic()
        self._count_request()
        random = np.random.default_rng(seed)
        engine = self._model.engine
        stops = [text.encode() for text in stop]
        pieces: list[bytes] = []
        tokens: list[int] = []
        scores: list[float] = []
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
                    if scored:
                        scores.append(log_probability(logits, token))
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
        text = rest.decode('utf-8', errors='replace')
        return Sample(text, scored_tokens(pieces, scores, len(rest)))

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
        with self._model.lock:
            self.evaluated_text.begin()
        self._counts.requests += 1
        self._counts.prompt += self.tokens
        self._counts.cached += self.evaluated_text.held

    def fork(self) -> InProcessSession:
        """A second session with the same text; evaluated cells are shared."""
        other = self._empty_twin()
        started = time.monotonic()
        with self._model.lock:
            other.evaluated_text = self.evaluated_text.fork()
        self._counts.latency += time.monotonic() - started
        other._written = list(self._written)
        return other

    def _empty_twin(self) -> InProcessSession:
        return InProcessSession(self._model, self._cancel)

    def drop(self) -> None:
        """Give the sequence back; safe to call twice."""
        with self._model.lock:
            self.evaluated_text.drop()
