"""Ties the words of a text that stand where a name should to the names of a skill server.

In this order words are taken for: a misspelled name, a name written together or apart, the only
name with that head, the nearest name in meaning, what the model or a person chooses among near
ones. Words that nothing fits are said to be unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence

from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.clauses import Sense
from reactree_planner.instructions.condition_words import Act
from reactree_planner.instructions.condition_words import BE
from reactree_planner.instructions.condition_words import BETWEEN
from reactree_planner.instructions.condition_words import EVERY
from reactree_planner.instructions.condition_words import LEAD_INS
from reactree_planner.instructions.condition_words import PARTS
from reactree_planner.instructions.condition_words import PREPOSITIONS
from reactree_planner.instructions.condition_words import PRONOUNS
from reactree_planner.instructions.condition_words import WHEN
from reactree_planner.instructions.condition_words import Words
from reactree_planner.instructions.name_choice import NameChoice
from reactree_planner.instructions.names import forms_of
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.ties import BEFORE_NAMES
from reactree_planner.instructions.ties import is_slip
from reactree_planner.instructions.ties import Tie
from reactree_planner.instructions.ties import TieKind
from reactree_planner.instructions.ties import WrittenNames
from reactree_planner.instructions.words import NUMBERS
from reactree_planner.instructions.words import word_set

#: Most words of one instruction that are tied by meaning.
_MOST_TIES = 24
#: Words that stand where a name may stand and are none.
_NO_NAMES = (
    LEAD_INS
    | PARTS
    | PREPOSITIONS
    | PRONOUNS
    | BE
    | frozenset(NUMBERS)
    | word_set(
        'the this that these those my our his her their its some any no not none each every all '
        'which who what where when while how why if because since than as like such same other '
        'others rest remaining more most less least few many much several lot lots bit thing '
        'things item items stuff object objects something anything everything nothing following '
        'place places spot spots area areas side sides top bottom front middle left right way '
        'end start order time times moment minute minutes hour day morning evening night today '
        'tomorrow tonight now here there away back together apart again too very really quite '
        'enough still already yet ever never always soon ready available possible necessary '
        'good great nice fine clean dirty empty full new old big small large little long short '
        'first second third last next final one ones both either neither half whole thanks thank '
        'sir madam friend people person guest guests man woman boss everyone everybody someone '
        'somebody else help hand work favour favor number amount total kind sort type way '
        'water light lights door doors room rooms house home dinner lunch breakfast meal '
        'later before after during until till about around along across through between among '
        'over above below behind beyond against without upon via per so but or nor and yet also '
        'only even just however instead otherwise therefore maybe perhaps probably likely '
        'actually finally properly neatly correctly safely carefully quickly immediately exactly '
        'inside outside nearby somewhere anywhere everywhere nowhere at all do does did done '
        'have has had having been being get gets got getting s t re ve ll d m em am was were '
        'would could should might may must shall can cannot remember notice note attention '
        'going want wants wanted need needs needed required requires found seen used using '
        'available different various own actual current correct right wrong separate single'
    )
)
#: Adjectives that change nothing about what is meant.
_DESCRIBING = word_set(
    'dirty clean empty full new old big small large little long short first second third last '
    'next good nice fine single separate individual actual'
)
#: What may stand before a name at the beginning of a part of a sentence.
_NO_VERBS = word_set(
    'except excepting excluding including besides instead unlike regarding about plus minus namely'
)


class Tying:
    """Finds the ties of one text."""

    def __init__(self, text: str, domain: Words, choice: NameChoice) -> None:
        self._text = text
        self._names = domain.names
        self._domain = domain
        self._choice = choice
        reading = read_clauses(text, domain.names.verbs)
        self._senses, self._begins = reading.senses, reading.begins
        self._known = domain.names.all_words()
        self._written = WrittenNames(text, self._known)
        self._words, self._spans = self._written.words, self._written.spans
        self._is_one_phrase = self._written.is_one_phrase
        self._heads = self._names_by_head()
        self._taken = [False] * len(self._words)
        self._answers: dict[str, tuple[str, TieKind]] = {}
        #: Names that the text has in full.
        self._mentioned: set[str] = set()

    def _names_by_head(self) -> dict[str, list[str]]:
        """Names of several words by their last."""
        heads: dict[str, list[str]] = {}
        for words, name in self._known.items():
            if len(words) > 1 and name not in heads.setdefault(words[-1], []):
                heads[words[-1]].append(name)
        return heads

    def ties(self) -> tuple[Tie, ...]:
        """All ties, in the order of the text."""
        mentions = self._names.find_all(self._text)
        found = [*self._written_ties(), *self._of_several(mentions)]
        self._mentioned = {one.name for one in mentions} | {tie.name for tie in found}
        for mention in mentions:
            for i in range(mention.start, mention.end):
                self._taken[i] = True
        for tie in found:
            for i in range(tie.start, tie.end):
                self._taken[i] = True
        for verb in self._verbs():
            for i in range(verb.start, verb.end):
                self._taken[i] = True
            found.append(verb)
        for start, end in self._unknown_phrases():
            unsure = self._tie(start, end)
            if unsure is not None and len(found) < _MOST_TIES:
                found.append(unsure)
        return tuple(sorted(found, key=lambda one: one.start))

    def _written_ties(self) -> Iterator[Tie]:
        """Names in other letters; "a slice of plank" is no plank only, where a skill slices."""
        for tie in self._written.ties():
            is_state = self._domain.state_of_portion(self._words[tie.start])
            if tie.kind is not TieKind.PORTION or not is_state:
                yield tie

    def _of_several(self, mentions: Sequence[Mention]) -> list[Tie]:
        """Names that are the plural of several others' head too: "cells", where there are fuel
        cells and solar cells.
        """
        found = []
        for mention in mentions:
            i, word = mention.start, self._words[mention.start]
            if mention.end - i > 1 or self._senses[i] is not Sense.ASKED:
                continue
            sorts = self._sorts(word) if self._known.get((word,)) == mention.name else []
            if len(sorts) < 2:
                continue
            start, each = self._each_of(sorts, i)
            words = self._written.phrase(start, i + 1)
            if words.casefold() not in self._answers:
                self._answers[words.casefold()] = self._choice.of_name_or_sorts(
                    mention.name, sorts, self._said_besides(i), each
                )
            name, kind = self._answers[words.casefold()]
            if name == each:
                found.append(Tie(words, name, kind, start, i + 1, (mention.name,)))
            else:
                others = tuple(one for one in (mention.name, *sorts) if one != name)
                found.append(Tie(self._written.phrase(i, i + 1), name, kind, i, i + 1, others))
        return found

    def _each_of(self, sorts: Sequence[str], i: int) -> tuple[int, str]:
        """Words for one of each sort, or all of each, and the index from which they stand for a
        plural and its number; '' where the number tells that there are others.
        """
        start = i
        while start and self._words[start - 1] in _DESCRIBING | BETWEEN:
            start -= 1
        before = self._words[start - 1] if start else ''
        if before in EVERY:
            return i, ' and all '.join(sorts)
        number = NUMBERS.get(before) or (int(before) if before.isdecimal() else 0)
        if number == len(sorts):
            return start - 1, ' and '.join(sorts)
        return i, '' if number or len(sorts) > 2 else ' and '.join(sorts)

    def _sorts(self, plural: str) -> list[str]:
        """Other names whose head a word is the plural of."""
        return [
            name
            for form in forms_of(plural)
            if form != plural
            for name in self._heads.get(form, ())
            if name != self._known.get((plural,))
        ]

    def _said_besides(self, i: int) -> str:
        """What else the sentence of a word says, without words of the grammar."""
        begin = max((k for k in self._begins if k <= i), default=0)
        end = min((k for k in self._begins if k > i), default=len(self._words))
        return ' '.join(
            word
            for word in self._words[begin:end]
            if word not in _NO_NAMES and not word.isdigit() and word != self._words[i]
        )

    def _verbs(self) -> Iterator[Tie]:
        """Verbs that no skill has and that mean one: "chop" for "slice"."""
        states = {
            ' '.join(words)
            for words, verb in self._domain.verbs.items()
            if verb.act in (Act.STATE, Act.MAKE) and not words[0].endswith('ing')
        }
        # What another skill takes back is near its opposite in meaning: "lock" is near "unlock".
        opposed = {
            ' '.join(words)
            for words, verb in self._domain.verbs.items()
            if verb.state in self._domain.opening | self._domain.switching
        }
        for i, word in enumerate(self._words):
            known = (
                self._taken[i]
                or self._senses[i] is not Sense.ASKED
                or len(word) < 3
                or not word.isalpha()
                or word in _NO_NAMES | _NO_VERBS | self._domain.own
                or not self._is_first(i)
                or self._domain.verb_at(self._words, i, True) is not None
            )
            if known or not states or not self._takes_object(i):
                continue
            slips = [verb for verb in states if ' ' not in verb and is_slip(word, verb)]
            if len(slips) == 1 and len(word) > 3:
                yield Tie(self._written.phrase(i, i + 1), slips[0], TieKind.SPELLING, i, i + 1)
                continue
            verb, kind = self._choice.verb(word, sorted(states - opposed))
            kind = kind if verb else TieKind.NO_SKILL
            yield Tie(self._written.phrase(i, i + 1), verb, kind, i, i + 1)

    def _is_first(self, i: int) -> bool:
        """Whether a clause begins at a word, but for words that lead in."""
        while i > 0:
            gap = self._text[self._spans[i - 1][1] : self._spans[i][0]].strip(' ')
            before = self._words[i - 1]
            if gap or before in ('and', 'then', 'to', 'please', 'or', 'but'):
                return True
            if before not in LEAD_INS:
                return False
            i -= 1
        return True

    def _takes_object(self, i: int) -> bool:
        """Whether what a verb handles may follow: a determiner, number, pronoun or name."""
        if i + 1 >= len(self._words) or not self._is_one_phrase(i, i + 2):
            return False
        behind = self._words[i + 1]
        if behind.isdigit() and i + 2 == len(self._words):
            # "bay 2" is a name.
            return False
        return (
            behind in BEFORE_NAMES
            or behind in NUMBERS
            or behind in PRONOUNS
            or behind.isdigit()
            or self._taken[i + 1]
        )

    def _unknown_phrases(self) -> Iterator[tuple[int, int]]:
        """Runs of words that are neither known, nor verbs, nor of the grammar."""
        i, count = 0, len(self._words)
        while i < count:
            if not self._may_be_noun(i):
                i += 1
                continue
            end = i + 1
            while end < count and self._may_be_noun(end) and self._is_one_phrase(i, end + 1):
                end += 1
            # What stands right before a known name only describes it.
            described = end < count and self._taken[end] and self._is_one_phrase(i, end + 1)
            if not described or self._written.misspelled(i, end):
                if self._stands_as_name(i):
                    yield i, end
            i = end

    def _may_be_noun(self, i: int) -> bool:
        word = self._words[i]
        if self._taken[i] or self._senses[i] is not Sense.ASKED or word.isdigit() or len(word) < 3:
            return False
        if word in _NO_NAMES or word in self._domain.states:
            return False
        if self._is_portion(i):
            return False
        if len(word) > 4 and word.endswith('ly'):
            return False
        first = self._is_first(i)
        if first and self._takes_object(i):
            # A verb that nobody knows: "press the button".
            return False
        verb = self._domain.verb_at(self._words, i, first)
        return verb is None or (
            not first and verb[1] == i + 1 and self._words[i - 1] in BEFORE_NAMES
        )

    def _is_portion(self, i: int) -> bool:
        """Whether a word only tells how much or which part of a name: "sets of keys", "slices"."""
        count = len(self._words)
        if i + 1 < count and self._words[i + 1] == 'of' and self._is_one_phrase(i, i + 2):
            behind = i + 2
            while behind < count and self._words[behind] in BEFORE_NAMES | _DESCRIBING:
                behind += 1
            return behind < count and self._taken[behind] and self._is_one_phrase(i, behind + 1)
        behind_name = i > 0 and self._taken[i - 1] and self._is_one_phrase(i - 1, i + 1)
        return behind_name and bool(self._domain.state_of_portion(self._words[i]))

    def _stands_as_name(self, i: int) -> bool:
        """Whether a name may stand here: after a determiner, number, verb or comma."""
        while i and self._words[i - 1] in _DESCRIBING:
            i -= 1
        if i == 0:
            return len(self._words) > 1
        before = self._words[i - 1]
        if before in ('for', 'with', 'as', 'like', 'about'):
            return False
        gap = self._text[self._spans[i - 1][1] : self._spans[i][0]]
        if before in BEFORE_NAMES or before.isdigit() or before in NUMBERS:
            return True
        if gap.strip(' ') in (',', ':', '\n', ', ', '-', '•', ',\n', ':\n'):
            return True
        verb = self._domain.verb_at(tuple(self._words), i - 1, True)
        return verb is not None or before in ('and', 'or') or before in PREPOSITIONS

    def _tie(self, start: int, end: int) -> Tie | None:
        """What a phrase stands for: the whole of it, else its last words."""
        for begin in range(max(start, end - 3), end):
            spelled = self._written.misspelled(begin, end)
            if spelled:
                return Tie(self._written.phrase(begin, end), spelled, TieKind.SPELLING, begin, end)
        short = self._by_head(self._words[end - 1])
        if len(short) > 1 and self._words[end - 1] not in {name.split()[-1] for name in short}:
            # "the crates", where there are several sorts: which are meant is not for a rule.
            return None
        words = self._written.phrase(start, end)
        if words.casefold() not in self._answers:
            self._answers[words.casefold()] = self._asked(words, short, end)
        name, kind = self._answers[words.casefold()]
        if not name and (not self._is_object(start) or self._is_beside_the_point(start)):
            return None
        return Tie(words, name, kind, start, end)

    def _by_head(self, word: str) -> list[str]:
        for form in forms_of(word):
            if form in self._heads:
                return self._heads[form]
        return []

    def _asked(self, words: str, short: Sequence[str], end: int) -> tuple[str, TieKind]:
        told = [name for name in short if name in self._mentioned or self._is_said(name, end)]
        if len(short) == 1 or len(told) == 1:
            # "put it on the loading bay ...; the bay": the one that was named.
            return (told or short)[0], TieKind.SHORT
        if short:
            return self._choice.of_sorts(words, short)
        return self._choice.by_meaning(words, sorted(set(self._known.values())))

    def _is_said(self, name: str, end: int) -> bool:
        """Whether the rest of a name stands behind its head: a yard gate is "the gate in the
        yard".
        """
        rest = name.split()[:-1]
        return any(
            list(self._words[end : end + len(between) + len(rest)]) == [*between, *rest]
            for where in ('in', 'at', 'from')
            for between in ((where,), (where, 'the'))
        )

    def _is_beside_the_point(self, start: int) -> bool:
        """Whether words stand in a clause that tells when or why: "before the guests come"."""
        for i in range(start - 1, -1, -1):
            if self._words[i] in WHEN:
                return True
            if self._text[self._spans[i][1] : self._spans[i + 1][0]].strip(' '):
                return False
        return False

    def _is_object(self, start: int) -> bool:
        """Whether an unknown phrase is what a verb handles, so that leaving it out matters."""
        before = self._words[start - 1] if start else ''
        return before in BEFORE_NAMES or before.isdigit() or before in NUMBERS
