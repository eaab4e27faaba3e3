"""Tokens of one text and how far an engine has evaluated them; no token is evaluated twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelError
from reactree_planner.llm.in_process.engine import (
    CacheFullError,
    check_length,
    context_tokens,
    Logits,
    TreeEvaluation,
)
from reactree_planner.llm.in_process.prefixes import PrefixCache
from reactree_planner.llm.token_trie import LikeliestOption, TokenTree

#: Tokens that must agree before a guess is made: the longest agreement is looked for first.
_LONGEST = 4
_SHORTEST = 2


class EvaluatedText:
    """A growing list of tokens over one sequence of an engine's cache.

    Those evaluated come first, the rest waits until logits are asked for. Callers hold the
    model's lock, but for `append`.

    :param prefixes: what texts of this engine begin with.
    :param draft_tokens: most tokens guessed at once, 0..16; 0 guesses none.
    """

    def __init__(self, prefixes: PrefixCache, draft_tokens: int, cancel: CancelToken) -> None:
        self._prefixes = prefixes
        self._engine = prefixes.engine
        self._draft_tokens = draft_tokens
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
        #: Tokens of a shared prefix that wait to be evaluated.
        self._waiting = 0
        #: Tokens of the shared prefix once it is evaluated, and how many of them were held.
        self.begun, self.shared = 0, 0

    def begin_with(self, tokens: list[int]) -> None:
        """Begin with a prefix that many texts share; evaluated when it is first needed."""
        self.tokens = tokens
        self._waiting = len(tokens)

    def begin(self) -> None:
        """Evaluate the shared prefix, if it waits.

        :raises ModelError: longer than the context. :raises CanceledError: stopped.
        """
        if not self._waiting:
            return
        prefix = self.tokens[: self._waiting]
        held, evaluated = self._prefixes.sequence_with(prefix, self._cancel)
        self._sequence = self._new_sequence()
        self._engine.copy_sequence(held, self._sequence, len(prefix))
        self._logits = self._prefixes.logits(prefix)
        self._waiting = 0
        self.begun, self.shared = len(prefix), len(prefix) - evaluated
        self.held = len(prefix)
        self.work += evaluated

    def append(self, tokens: Sequence[int]) -> None:
        """Go on with these tokens; evaluated when logits are next asked for."""
        self.tokens.extend(tokens)

    def cut(self, length: int) -> None:
        """Forget the tokens after the first `length`."""
        self.drop_guesses()
        del self.tokens[length:]
        self._waiting = min(self._waiting, length)
        if self.held > length and self._sequence is not None:
            self._engine.cut_sequence(self._sequence, length)
            self.held = length
            self._logits = None

    def logits(self, stops: Sequence[bytes] = (), room: int = 0) -> Logits:
        """Logits after the last token, evaluating what waits.

        :param stops: texts that end a generation. :param room: most tokens to guess along.
        :raises ModelError: empty, or longer than the context. :raises CanceledError: stopped.
        """
        self.begin()
        waiting = len(self.tokens) - self.held
        if self._logits is not None and not waiting:
            return self._logits
        if waiting and self._guesses and self._guesses[0][0] == self.tokens[self.held]:
            self.held += 1
            self._logits = self._guesses.pop(0)[1]
            return self._logits if waiting == 1 else self.logits(stops, room)
        if not self.tokens:
            raise ModelError('The session is empty: append a text before you ask the model.')
        self.drop_guesses()
        check_length(self._engine, len(self.tokens))
        return self._evaluate(self._guess(stops, room))

    def _evaluate(self, guesses: list[int]) -> Logits:
        """Evaluate what waits, and guesses along with it."""
        if self._sequence is None:
            self._sequence = self._new_sequence()
        if self.held == len(self.tokens):
            # Restored from disk without logits: the last token is evaluated once more.
            self.held -= 1
            self._engine.cut_sequence(self._sequence, self.held)
        start = self.held
        pending = self.tokens[start:]
        rows = guesses and self._engine.evaluate(
            self._sequence, start, [*pending, *guesses], self._cancel, 1 + len(guesses)
        )
        if not rows:
            # No prefix gives way to guesses, and no text ends early for them.
            guesses = []
            rows = self._prefixes.evaluate(self._sequence, start, pending, self._cancel)
        self._logits = rows[0]
        self._guesses = list(zip(guesses, rows[1:], strict=True))
        self.held = len(self.tokens)
        self.work += len(pending) + len(guesses)
        return rows[0]

    def _guess(self, stops: Sequence[bytes], room: int) -> list[int]:
        """Tokens that may come next, up to where a generation would stop."""
        room = min(room, context_tokens(self._engine) - len(self.tokens) - 1)
        guesses = draft_after(self.tokens, min(self._draft_tokens, room))
        text = b''
        for place, token in enumerate(guesses):
            text += self._engine.piece(token)
            if self._engine.ends_generation(token) or any(stop in text for stop in stops):
                return guesses[:place]
        return guesses

    def drop_guesses(self) -> None:
        """Take what was guessed out of the cache."""
        if self._guesses and self._sequence is not None:
            self._guesses = []
            self._engine.cut_sequence(self._sequence, self.held)

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
                with self._engine.evaluate_tree(
                    self._sequence, len(self.tokens), tree, self._cancel
                ) as evaluation:
                    chosen = choose(before, evaluation)
                    evaluation.keep(chosen.node)
                break
            except CacheFullError:
                self._prefixes.give_way(self._sequence)
        self.work += len(tree.tokens)
        self.tokens.extend(tree.tokens[node] for node in tree.path(chosen.node))
        self.held = len(self.tokens)
        self._logits = None
        return chosen

    def fork(self) -> EvaluatedText:
        """A second text with the same tokens; evaluated cells are shared."""
        self.begin()
        if self.held < len(self.tokens):
            # Evaluated here once, instead of in both later.
            self.logits()
        other = EvaluatedText(self._prefixes, self._draft_tokens, self._cancel)
        if self._sequence is not None:
            other._sequence = self._new_sequence()
            self._engine.copy_sequence(self._sequence, other._sequence, self.held)
        other._logits = self._logits
        other.tokens = list(self.tokens)
        other.held = self.held
        return other

    def drop(self) -> None:
        """Give the sequence back; safe to call twice."""
        if self._sequence is not None:
            self._engine.release_sequence(self._sequence)
            self._sequence = None

    def _new_sequence(self) -> int:
        if not self._engine.sequences_left:
            self._prefixes.release_oldest()
        return self._engine.take_sequence()


def draft_after(tokens: Sequence[int], most: int) -> list[int]:
    """Guess what a model writes next: what followed the last tokens when they were last there.

    A pass over one token reads every weight, and a few more tokens in the same pass cost little.
    What an agent writes is often what an example or its own past says word for word (prompt
    lookup decoding). The model's own logits decide after each guess, so that the text is what it
    would have been. Empty when the last tokens never were there before.

    :param tokens: the text so far. :param most: most tokens to guess, 0 or more.
    """
    if most <= 0:
        return []
    for size in range(_LONGEST, _SHORTEST - 1, -1):
        if len(tokens) <= size:
            continue
        wanted = list(tokens[-size:])
        last = wanted[-1]
        for end in range(len(tokens) - 2, size - 2, -1):
            if tokens[end] == last and list(tokens[end - size + 1 : end + 1]) == wanted:
                # After fewer words the guess is worse: a shorter one is risked.
                return list(tokens[end + 1 : end + 1 + (most if size > _SHORTEST else most // 2)])
    return []
