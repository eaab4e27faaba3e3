"""A sentence read with the grammar: names in other letters found, the goal put together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from reactree_planner.language import lexicon
from reactree_planner.language.amounts import amount_limits
from reactree_planner.language.chart import SENTENCE_ENDS
from reactree_planner.language.discourse import Told
from reactree_planner.language.domain import domain_of
from reactree_planner.language.goal import Goal, Tie, TieKind, Word
from reactree_planner.language.grammar_reader import COURTESY, GrammarReader, Part
from reactree_planner.language.islands import never_of, timed_of
from reactree_planner.language.languages import is_english, may_be_foreign
from reactree_planner.language.meanings import parts_of, Unknown
from reactree_planner.language.name_choice import NameChoice
from reactree_planner.language.names import Names
from reactree_planner.language.names_in_text import Tied
from reactree_planner.language.skill_goals import read_skills
from reactree_planner.language.tokens import MOST_CHARACTERS, Token, tokens_of
from reactree_planner.language.unlisted_prohibitions import with_prohibitions
from reactree_planner.language.words import word_spans, words_of

#: Phrases of one sentence that are tied by choice, and letters of one.
_MOST_TIES = 24
_LONGEST_TIE = 120
#: Given words that describe a thing, the name that they are taken for; '' for none.
Describe = Callable[[str], str]
#: Readings that are kept.
_MOST_READ = 64
#: Text, whether rules in time are read, names -> what was read, and whether words of it should be
#: names and are none.
_READ: dict[tuple[str, bool, Hashable], tuple[Goal, bool]] = {}
#: What a word costs that clauses took, and that stands for nothing after all.
_UNREAD = 2


def read_with_grammar(
    text: str, names: Names, choice: NameChoice | None = None, in_time: bool = True
) -> Goal:
    """The goal of a sentence, as far as the grammar reads it.

    :param choice: who says what words mean that stand for a name and are none; None: nobody.
    :param in_time: whether rules in time are read; else they are left to the model.
    :raises EncoderError: the encoder does not answer.
    """
    if (skills := read_skills(text, names)) is not None:
        return skills
    # A run reads its task for what it forbids, then for what it asks; and tasks are done again.
    key = text, in_time, names.content
    known = _READ.get(key)
    if known is not None and (choice is None or not (known[1] or choice.is_calibrated)):
        return known[0]
    tokens = tokens_of(text)
    domain = domain_of(names)
    tied: dict[int, tuple[Tied, ...]] = {}
    limits = amount_limits(text, names.skill_types) if in_time else ()
    reader = GrammarReader(tokens, domain, tied, in_time, limits, text=text)
    ways = reader.ways()
    best = ways[0][1]
    chosen = [] if choice is None else _chosen_ties(text, reader, best, choice)
    if chosen:
        for tie, start, end in chosen:
            if tie.name:
                sure = tie.kind is TieKind.PERSON
                tied[start] = (*tied.get(start, ()), Tied(tie.name, end, sure))
        reader = GrammarReader(tokens, domain, tied, in_time, limits, text=text)
        ways = reader.ways()
    read = ((cost, parts, reader.tell(parts)) for cost, parts in ways)
    ranked = [(cost + _UNREAD * len(told.unread), parts, told) for cost, parts, told in read]
    cost, parts, told = min(ranked, key=lambda one: one[0])
    others = (_asked(other) for other_cost, _, other in ranked if other_cost == cost)
    if not told.unread and any(other != _asked(told) for other in others):
        # Two readings remain: neither is taken.
        told.unread.update(range(len(reader.words)))
    goal = _goal(text, reader, parts, told, tuple(tie for tie, _, _ in chosen))
    goal = with_prohibitions(goal, names)
    if not chosen:
        if len(_READ) >= _MOST_READ:
            _READ.clear()
        _READ[key] = goal, any(_unknown(text, reader, best))
    return goal


def read_with_descriptions(text: str, names: Names, which: Describe) -> Goal:
    """What a sentence asks for where things are told of in words that no name stands for.

    :param which: the name that such words are taken for; '' for none.
    """
    tokens = tokens_of(text)
    domain = domain_of(names)
    tied: dict[int, tuple[Tied, ...]] = {}
    ties: dict[int, Tie] = {}
    while True:
        reader = GrammarReader(tokens, domain, tied, describes=True)
        read = ((cost, parts, reader.tell(parts)) for cost, parts in reader.ways())
        _, parts, told = min(read, key=lambda one: one[0] + _UNREAD * len(one[2].unread))
        fresh = [one for one in _unknown(text, reader, parts) if one[1] not in ties]
        if not fresh or len(ties) + len(fresh) > _MOST_TIES:
            return _goal(text, reader, parts, told, tuple(ties.values()))
        for words, start, end in fresh:
            name = which(words)
            ties[start] = Tie(words, name, TieKind.MODEL, start, end)
            if name:
                # "tools to cut bread with": what is told of them is in the plural for itself.
                tied[start] = (Tied(name, end, plural=_is_plural(words)),)


def _is_plural(words: str) -> bool:
    """Whether a description is of several things, by the word before what describes them."""
    told = words.casefold().split()
    heads = next((n for n, word in enumerate(told) if n and word in lexicon.DESCRIBING), len(told))
    return told[heads - 1].endswith('s') and not told[heads - 1].endswith('ss')


def _asked(told: Told) -> tuple[object, ...]:
    """What is asked for, whatever the order within a milestone."""
    return *(frozenset(each) for each in told.milestones), told.trigger


def _chosen_ties(
    text: str, reader: GrammarReader, parts: Sequence[Part], choice: NameChoice
) -> list[tuple[Tie, int, int]]:
    """What words stand for that should be names and are none, and the tokens that they are."""
    found: list[tuple[Tie, int, int]] = []
    names = sorted(set(reader.domain.names.all_words().values()))
    answers: dict[str, tuple[str, TieKind]] = {}
    for words, first, end in _unknown(text, reader, parts):
        if len(found) == _MOST_TIES or len(words) > _LONGEST_TIE:
            break
        sorts = sorted(reader.chart.sorts_of(reader.tokens[end - 1].text))
        if words.casefold() not in answers:
            answers[words.casefold()] = (
                choice.of_sorts(words, sorts) if sorts else choice.by_meaning(words, names)
            )
        name, kind = answers[words.casefold()]
        found.append((Tie(words, name, kind, first, end), first, end))
    if choice.is_calibrated:
        tied = {at for _, start, end in found for at in range(start, end)}
        found += _short_names(text, reader, choice, tied)
    return found


def _short_names(
    text: str, reader: GrammarReader, choice: NameChoice, tied: set[int]
) -> list[tuple[Tie, int, int]]:
    """Words by which several names end, wherever they stand: also where nothing else is read."""
    spans = word_spans(text)
    said = [
        (spans[one.start][0], spans[one.end - 1][1]) for one in reader.domain.names.find_all(text)
    ]
    found: list[tuple[Tie, int, int]] = []
    answers: dict[str, tuple[str, TieKind]] = {}
    around = ['', *(reader.tokens[at].text for at in reader.kept), '']
    for before, after, at in zip(around, around[2:], reader.kept, strict=False):
        token = reader.tokens[at]
        sorts = sorted(reader.chart.sorts_of(token.text))
        # "copper pipe" is none of the other pipes, and "a can of paint" is paint.
        if before.isalpha() and before not in lexicon.CLOSED:
            sorts = [name for name in sorts if before in words_of(name)]
        is_said = any(start <= token.start < end for start, end in said)
        if len(sorts) < 2 or after == 'of' or is_said or at in tied or len(found) == _MOST_TIES:
            continue
        words = text[token.start : token.end]
        if token.text not in answers:
            answers[token.text] = choice.of_sorts(words, sorts)
        name, kind = answers[token.text]
        if name:
            found.append((Tie(words, name, kind, at, at + 1), at, at + 1))
    return found


def _unknown(
    text: str, reader: GrammarReader, parts: Sequence[Part]
) -> Iterator[tuple[str, int, int]]:
    """Words that should be names and are none, and the tokens that they are."""
    for unknown in parts_of([one.clauses for one in parts], Unknown):
        first, last = reader.kept[unknown.start], reader.kept[unknown.end - 1]
        if reader.chart.describes:
            first = reader.kept[unknown.begin]
            last = reader.kept[unknown.begin + len(unknown.text.split()) - 1]
        while first < last and reader.tokens[first].text in lexicon.CLOSED - lexicon.SOME_THING:
            first += 1
        yield text[reader.tokens[first].start : reader.tokens[last].end], first, last + 1


def _goal(
    text: str, reader: GrammarReader, parts: Sequence[Part], told: Told, ties: tuple[Tie, ...]
) -> Goal:
    tokens = [reader.tokens[index] for index in reader.kept]
    unread = told.unread | {at for island in reader.islands for at in island.unread}
    accounts = [''] * len(tokens)
    for part in parts:
        within = range(part.start, part.end if part.clauses else part.start)
        texts = dict.fromkeys(text for start, text in told.accounts if start in within)
        for index in {*range(part.start, part.end)} - unread:
            accounts[index] = '; '.join(texts) or part.account
    words = [
        Word(text[token.start : token.end], account or '')
        for token, account in zip(tokens, accounts, strict=True)
    ]
    phrases = _phrases(text, tokens, sorted(unread))
    acts = bool(told.milestones) and _is_idle(reader, unread, accounts)
    return Goal(
        text,
        told.milestones,
        told.sources,
        never_of(reader.islands),
        timed_of(reader.islands),
        tuple(words),
        unread=phrases,
        left_to_model=_left_to_model(text, reader, unread, parts),
        ties=ties,
        acts=acts,
        trigger=told.trigger,
    )


def _is_idle(reader: GrammarReader, unread: set[int], accounts: Sequence[str]) -> bool:
    """Whether what was not read stands in sentences that say nothing of what was."""
    words = reader.words
    for sentence in sentences(words, _parts):
        told = [i for i in sentence if words[i][:1].isalnum()]
        if unread.isdisjoint(told):
            continue
        # "It is hot today.": what begins the text has nothing to refer to.
        ties = any(words[i] in lexicon.TYING and (i or words[i] != 'it') for i in told)
        is_read = any(accounts[i] for i in told)
        ties |= reader.chart.is_referred_to(sentence.stop) or not _is_english(reader, told)
        ties |= not _foreign(reader, unread).isdisjoint(told)
        if ties or is_read or not all(map(reader.chart.tells_nothing, told)):
            return False
    return True


def _is_english(reader: GrammarReader, told: Sequence[int]) -> bool:
    """Whether words that were not read are English for certain: others may forbid."""
    known = reader.domain.names.all_words().words
    return is_english(' '.join(reader.tokens[reader.kept[i]].text for i in told), known)


def _foreign(reader: GrammarReader, unread: set[int]) -> set[int]:
    """Words in a row that were not read and may be in another language, in an English sentence."""
    known = reader.domain.names.all_words().words
    rows: list[list[int]] = []
    for index in sorted(unread):
        if rows and rows[-1][-1] == index - 1:
            rows[-1].append(index)
        else:
            rows.append([index])
    said = [reader.tokens[index].text for index in reader.kept]
    told = ((row, ' '.join(said[i] for i in row)) for row in rows)
    return {i for row, words in told if may_be_foreign(words, known) for i in row}


def _ends(words: Sequence[str], at: int) -> bool:
    return words[at] in SENTENCE_ENDS


def _parts(words: Sequence[str], at: int) -> bool:
    """Whether what stands behind a sign is said apart: "Dinner starts soon, and ..."."""
    return _ends(words, at) or words[at] == ':' or tuple(words[at : at + 2]) == (',', 'and')


def sentences(
    words: Sequence[str], ends: Callable[[Sequence[str], int], bool] = _ends
) -> Iterator[range]:
    """The words of each sentence, without the sign that ends it."""
    begin = 0
    for end in range(len(words) + 1):
        if end == len(words) or ends(words, end):
            yield range(begin, end)
            begin = end + 1


def _left_to_model(
    text: str, reader: GrammarReader, unread: set[int], parts: Sequence[Part]
) -> tuple[str, ...]:
    """Sentences in which something reads as forbidden, or as told of time, and is not kept.

    One that was not read and is in another language may forbid.
    """
    tokens = [reader.tokens[index] for index in reader.kept]
    chart = reader.chart
    kept = {i for one in reader.islands for i in range(one.start, one.end)}
    triggers = (range(one.start, one.end) for one in parts if one.trigger is not None)
    kept |= {i for told in triggers for i in told} - unread
    silent = {i for i in unread if tokens[i].text in lexicon.FORBIDDING | lexicon.TIMING}
    silent |= {i for i in range(len(tokens)) if i not in kept and chart.left(i)}
    silent |= _foreign(reader, unread)
    # A list of what is forbidden that was not read to its end.
    silent |= {one.end - 1 for one in reader.islands if chart.word(one.end) in ('or', 'nor')}
    limited = [range(one.begin, one.end) for one in reader.limits]
    silent = {i for i in silent if not any(tokens[i].start in one for one in limited)}
    found: list[tuple[int, int]] = []
    polite = {i for one in parts if one.account == COURTESY for i in range(one.start, one.end)}
    for sentence in sentences(reader.words):
        told = [i for i in sentence if tokens[i].is_word and i not in polite]
        is_unread = bool(told) and unread.issuperset(told)
        if not silent.isdisjoint(told) or (is_unread and not _is_english(reader, told)):
            first = reader.kept[told[0]]
            while first and reader.tokens[first - 1].is_word:
                first -= 1
            found.append((reader.tokens[first].start, tokens[told[-1]].end))
    found += [(one.begin, one.end) for one in reader.limits if not one.rules]
    if len(text) > MOST_CHARACTERS:
        found.append((MOST_CHARACTERS, MOST_CHARACTERS + 80))
    return tuple(' '.join(text[begin:end].split()) for begin, end in found)


def _phrases(text: str, tokens: Sequence[Token], unread: Sequence[int]) -> tuple[str, ...]:
    """Tokens in a row as phrases of the sentence; signs alone are none."""
    rows: list[list[Token]] = []
    for index in unread:
        if rows and rows[-1][-1] is tokens[index - 1]:
            rows[-1].append(tokens[index])
        else:
            rows.append([tokens[index]])
    told = (row for row in rows if any(token.is_word for token in row))
    return tuple(text[row[0].start : row[-1].end] for row in told)
