"""Other constrained decoders over the logits of our engine: llguidance, XGrammar, Outlines.

Each is given the vocabulary of the GGUF file and says, token by token, what may come next. Tokens
that it knows without asking the model are taken without a model call. Needs
requirements/decoders.txt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import llguidance
import numpy as np
import xgrammar
from numpy.typing import NDArray
from outlines_core import Guide, Index, Vocabulary
from outlines_core.json_schema import build_regex_from_schema

from reactree_planner.llm.llama.engine import LlamaEngine

#: Token ids, or their bits, 32 in a number.
Allowed = NDArray[np.bool_]


def _bits(mask: NDArray[np.int32], size: int) -> Allowed:
    return np.unpackbits(mask.view(np.uint8), bitorder='little')[:size].astype(bool)


class Constraint(Protocol):
    """A text that is written under a grammar."""

    def forced(self) -> list[int]:
        """Tokens that must come next, taken already."""

    def allowed(self) -> Allowed:
        """For every token whether it may come next."""

    def take(self, token: int) -> None:
        """The token was chosen."""


class Decoder(Protocol):
    """One library with the vocabulary of one model."""

    name: str

    def choice(self, slots: Sequence[Sequence[str]]) -> Constraint:
        """One text of each slot, one behind the other."""

    def schema(self, schema: dict[str, Any]) -> Constraint:
        """An object of a JSON schema, on one line."""


class Words:
    """The vocabulary of a model, as the libraries want it."""

    def __init__(self, engine: LlamaEngine) -> None:
        self.engine = engine
        self.size = engine.vocabulary_size
        self.ends = [token for token in range(self.size) if engine.ends_generation(token)]

    @cached_property
    def pieces(self) -> list[bytes]:
        """Bytes of every token; b'' of control tokens."""
        return [self.engine.piece(token) for token in range(self.size)]

    def tokens(self, text: str) -> list[int]:
        """Tokens of a text within another one."""
        return self.engine.tokenize(text, first=False)


class LlGuidance:
    """llguidance: a lexer of derivatives and an Earley parser, in Rust; Guidance's own."""

    name = 'llguidance'

    def __init__(self, words: Words) -> None:
        class Tokenizer:
            eos_token_id = words.ends[0]
            bos_token_id = None
            # What has no bytes is marked as special by 0xff.
            tokens = tuple(
                piece or b'\xff[%d]' % number for number, piece in enumerate(words.pieces)
            )

            def __call__(self, text: str | bytes) -> list[int]:
                return words.tokens(text if isinstance(text, str) else text.decode())

        self._words = words
        self._tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(Tokenizer()))

    def choice(self, slots: Sequence[Sequence[str]]) -> _LlGuidanceText:
        """As a regular expression of alternatives."""
        return self._text(llguidance.LLMatcher.grammar_from_regex(_pattern(slots)))

    def schema(self, schema: dict[str, Any]) -> _LlGuidanceText:
        """As a JSON schema."""
        spaces = {'whitespace_flexible': False, 'item_separator': ', ', 'key_separator': ': '}
        return self._text(llguidance.LLMatcher.grammar_from_json_schema(schema, overrides=spaces))

    def _text(self, grammar: str) -> _LlGuidanceText:
        matcher = llguidance.LLMatcher(self._tokenizer, grammar)
        assert not matcher.is_error(), matcher.get_error()
        return _LlGuidanceText(matcher, self._words.size)


class _LlGuidanceText:
    def __init__(self, matcher: Any, size: int) -> None:
        self._matcher = matcher
        self._size = size

    def forced(self) -> list[int]:
        tokens: list[int] = self._matcher.compute_ff_tokens()
        self._matcher.consume_tokens(tokens)
        return tokens

    def allowed(self) -> Allowed:
        return _bits(np.frombuffer(self._matcher.compute_bitmask(), np.int32), self._size)

    def take(self, token: int) -> None:
        assert self._matcher.consume_token(token), self._matcher.get_error()


class XGrammar:
    """XGrammar: a pushdown automaton with masks computed when it is compiled, in C++."""

    name = 'XGrammar'

    def __init__(self, words: Words) -> None:
        info = xgrammar.TokenizerInfo(words.pieces, stop_token_ids=words.ends)
        self._words = words
        # Its own cache would answer for what was asked before.
        self._compiler = xgrammar.GrammarCompiler(info, cache_enabled=False)

    def choice(self, slots: Sequence[Sequence[str]]) -> _XGrammarText:
        """As a grammar of alternatives."""
        rules = [' | '.join(json.dumps(text) for text in slot) for slot in slots]
        return self._text(
            self._compiler.compile_grammar('root ::= ' + ' '.join(f'({rule})' for rule in rules))
        )

    def schema(self, schema: dict[str, Any]) -> _XGrammarText:
        """As a JSON schema."""
        compiled = self._compiler.compile_json_schema(json.dumps(schema), any_whitespace=False)
        return self._text(compiled)

    def _text(self, compiled: Any) -> _XGrammarText:
        return _XGrammarText(xgrammar.GrammarMatcher(compiled), self._words)


class _XGrammarText:
    def __init__(self, matcher: Any, words: Words) -> None:
        self._matcher = matcher
        self._words = words
        self._mask = xgrammar.allocate_token_bitmask(1, words.size)

    def forced(self) -> list[int]:
        # It knows characters, not tokens: the space before a skill would be a token of its own,
        # after which the model chooses otherwise.
        return []

    def allowed(self) -> Allowed:
        self._matcher.fill_next_token_bitmask(self._mask)
        return _bits(self._mask.numpy()[0], self._words.size)

    def take(self, token: int) -> None:
        assert self._matcher.accept_token(token)


class Outlines:
    """Outlines' core: an automaton of a regular expression over the vocabulary, in Rust."""

    name = 'Outlines'

    def __init__(self, words: Words) -> None:
        known: dict[bytes, list[int]] = {}
        for token, piece in enumerate(words.pieces):
            if piece and token not in words.ends:
                known.setdefault(piece, []).append(token)
        self._words = words
        self._vocabulary = Vocabulary(words.ends[0], known)

    def choice(self, slots: Sequence[Sequence[str]]) -> _OutlinesText:
        """As a regular expression of alternatives."""
        return self._text(_pattern(slots))

    def schema(self, schema: dict[str, Any]) -> _OutlinesText:
        """As the regular expression of a JSON schema."""
        return self._text(build_regex_from_schema(json.dumps(schema)))

    def _text(self, pattern: str) -> _OutlinesText:
        return _OutlinesText(Guide(Index(pattern, self._vocabulary)), self._words.size)


class _OutlinesText:
    def __init__(self, guide: Any, size: int) -> None:
        self._guide = guide
        self._size = size

    def forced(self) -> list[int]:
        return []

    def allowed(self) -> Allowed:
        found = np.zeros(self._size, bool)
        found[self._guide.get_tokens()] = True
        return found

    def take(self, token: int) -> None:
        self._guide.advance(token, return_tokens=False)


def _pattern(slots: Sequence[Sequence[str]]) -> str:
    """A regular expression of one text of each slot."""
    return ''.join(f'({"|".join(map(_escaped, slot))})' for slot in slots)


def _escaped(text: str) -> str:
    # Of other dialects than Python's: spaces stay, a line ends as in JSON.
    return re.sub(r'([.^$*+?{}\[\]\\|()/-])', r'\\\1', text).replace('\n', '\\n')


DECODERS: tuple[type[LlGuidance | XGrammar | Outlines], ...] = (LlGuidance, XGrammar, Outlines)
