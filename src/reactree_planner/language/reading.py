"""A sentence read with the grammar: names in other letters found, the goal put together."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from reactree_planner.instructions.names import Names
from reactree_planner.instructions.ties import Tie
from reactree_planner.instructions.ties import TieKind
from reactree_planner.instructions.ties import WrittenNames
from reactree_planner.language.discourse import Told
from reactree_planner.language.domain import Domain
from reactree_planner.language.goal import Goal
from reactree_planner.language.goal import Word
from reactree_planner.language.grammar_reader import GrammarReader
from reactree_planner.language.grammar_reader import Part
from reactree_planner.language.nouns import CLOSED
from reactree_planner.language.nouns import Tied
from reactree_planner.language.tokens import Token
from reactree_planner.language.tokens import tokens_of

#: Ends of sentences: what was not read in one says nothing of another that does not refer to it.
_SENTENCE_ENDS = frozenset('.?\n')


def read_with_grammar(text: str, names: Names) -> Goal:
    """The goal of a sentence, as far as the grammar reads it."""
    tokens = tokens_of(text)
    domain = _domain_of(names)
    ties, tied = _written_ties(text, tokens, domain)
    reader = GrammarReader(tokens, domain, tied)
    ways = reader.ways()
    if not ways:
        return Goal(text)
    cost, parts = ways[0]
    told = reader.tell(parts)
    for other_cost, other in ways[1:]:
        if other_cost > cost:
            break
        if not told.unread and reader.tell(other).milestones != told.milestones:
            # Two readings remain: neither is taken.
            told.unread.update(range(len(reader.words)))
    return _goal(text, reader, parts, told, ties)


_DOMAINS: WeakKeyDictionary[Names, tuple[int, Domain]] = WeakKeyDictionary()


def _domain_of(names: Names) -> Domain:
    """The domain of these names, made anew once more of them are known."""
    size, domain = _DOMAINS.get(names, (-1, None))
    if domain is None or size != names.size:
        domain = Domain(names)
        _DOMAINS[names] = names.size, domain
    return domain


def _written_ties(
    text: str, tokens: Sequence[Token], domain: Domain
) -> tuple[tuple[Tie, ...], dict[int, tuple[Tied, ...]]]:
    """Names in other letters, and the tokens that they stand at."""
    known = domain.names.all_words()
    written = WrittenNames(text, known)
    at = {token.start: index for index, token in enumerate(tokens)}
    ends = {token.end: index + 1 for index, token in enumerate(tokens)}
    found: dict[int, tuple[Tied, ...]] = {}
    ties = []
    for tie in written.ties():
        start = at.get(written.spans[tie.start][0])
        end = ends.get(written.spans[tie.end - 1][1])
        is_portion = (
            tie.kind is TieKind.PORTION
            and tie.name in known.values()
            and any(known.get(tuple(tie.words.casefold().split()[k:])) == tie.name for k in (2, 3))
        )
        if start is not None and end is not None and not is_portion:
            found[start] = (*found.get(start, ()), Tied(tie.name, end))
            ties.append(tie)
    plain = {word for key in known for word in key}
    for i in range(len(written.words)):
        for length in (1, 2, 3):
            if i + length > len(written.words):
                break
            words = written.words[i : i + length]
            if any(word in CLOSED or word in plain or domain.is_verb(word) for word in words):
                continue
            name = written.misspelled(i, i + length)
            start, end = at.get(written.spans[i][0]), ends.get(written.spans[i + length - 1][1])
            if name and start is not None and end is not None:
                # "desk" is a slip of "disk", and a word of its own.
                sure = sum(map(len, words)) > 5
                found[start] = (*found.get(start, ()), Tied(name, end, sure))
    return tuple(ties), found


def _goal(
    text: str, reader: GrammarReader, parts: Sequence[Part], told: Told, ties: tuple[Tie, ...]
) -> Goal:
    tokens = [reader._all[index] for index in reader.kept]
    unread = set(told.unread)
    accounts = [''] * len(tokens)
    clause = 0
    for part in parts:
        texts = []
        for _ in part.clauses:
            texts.append(told.accounts[clause] if clause < len(told.accounts) else '')
            clause += 1
        for index in range(part.start, part.end):
            accounts[index] = '; '.join(dict.fromkeys(texts)) or part.account
    for index in unread:
        accounts[index] = ''
    words = [
        Word(text[token.start : token.end], account or '')
        for token, account in zip(tokens, accounts)
    ]
    phrases = _phrases(text, tokens, sorted(unread))
    return Goal(text, told.milestones, told.sources, words=tuple(words), unread=phrases, ties=ties)


def _phrases(text: str, tokens: Sequence[Token], unread: Sequence[int]) -> tuple[str, ...]:
    """Tokens in a row as phrases of the sentence; signs alone are none."""
    found: list[str] = []
    last = -2
    start = 0
    for index in (*unread, len(tokens) + 1):
        if index != last + 1:
            if last >= 0 and any(tokens[i].is_word for i in range(start, last + 1)):
                found.append(text[tokens[start].start : tokens[last].end])
            start = index
        last = index
    return tuple(found)
