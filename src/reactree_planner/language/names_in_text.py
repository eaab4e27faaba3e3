"""Names in a text: in the plural, written apart, without their head, with a number or label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from reactree_planner.language import lexicon
from reactree_planner.language.chart import Chart, Found, rule
from reactree_planner.language.domain import Domain
from reactree_planner.language.meanings import Noun, Unknown
from reactree_planner.language.names import NameKind, Names
from reactree_planner.language.spelling import forms_of

#: What words cost that should be a name and are none, and each further word that describes it.
UNKNOWN, _DESCRIBED = 12, 1
#: Most words that describe one thing.
_MOST_DESCRIBING = 10


@dataclass(frozen=True, slots=True)
class Tied:
    """Words that were taken for a name. :param sure: whether nothing else can be meant.

    :param plural: whether several are meant; None: as its last word says.
    """

    name: str
    end: int
    sure: bool = True
    plural: bool | None = None


class NamesInText(Chart):
    """Rules of names.

    :param domain: verbs, states and names of the skill server.
    :param tied: first token -> words that were taken for a name.
    """

    def __init__(
        self, words: tuple[str, ...], domain: Domain, tied: Mapping[int, tuple[Tied, ...]]
    ) -> None:
        super().__init__(words)
        self.domain = domain
        self.names: Names = domain.names
        self._tied = tied
        #: Whether "something to write with" stands for a thing: somebody will say for which.
        self.describes = False
        self._known = self.names.all_words()
        self._longest = max(map(len, self._known), default=1)
        #: Names of several words by their last: "fork" for a lifting fork.
        self._heads: dict[str, set[str]] = {}
        for key, name in self._known.items():
            if len(key) > 1:
                self._heads.setdefault(key[-1], set()).add(name)
        #: Names that the text has in full, but for a head that several share.
        self._named_in_full = {
            noun.name
            for at in range(len(words))
            for _, (noun, _), _ in (*self._full_name(at), *self._headless(at))
        }

    @rule
    def name(self, at: int) -> Iterable[Found]:
        """Known names, the longest only, as (noun, whether it is a plural)."""
        found = list(self._full_name(at))
        yield from found
        yield from self._headless(at)
        if not any(cost == 0 for _, _, cost in found) and self._may_be_name(at, True):
            word = self.word(at)
            sorts = self.sorts_of(word, self.word(at - 1) in lexicon.DEFINITE)
            if len(sorts) == 1:
                plural = word not in self._heads
                # "plants" may be others than the tomato plants.
                yield at + 1, (self._called(next(iter(sorts)), at, at + 1, plural), plural), 1

    def _called(self, name: str, start: int, end: int, unsure: bool = False) -> Noun:
        kind = self.names.kind(name) or NameKind.OTHER
        return Noun(name, kind, start, end, unsure=unsure)

    def _headless(self, at: int) -> Iterator[Found]:
        """ "steel and copper pipes": the first of two names, without its head."""
        if self.word(at + 1) not in ('and', 'or'):
            return
        begin = at + 2 + (self.word(at + 2) in (*lexicon.DEFINITE, *lexicon.ARTICLES))
        for end, (_, plural), _ in self._full_name(begin):
            for form in forms_of(self.word(end - 1)) if end - begin > 1 else ():
                if name := self._known.get((self.word(at), form)):
                    yield at + 1, (self._called(name, at, at + 1), plural), 0
                    return

    def sorts_of(self, word: str, is_definite: bool = True) -> set[str]:
        """Names of which a word is the head: those that the text has in full, else all."""
        known = (self._heads[form] for form in forms_of(word) if form in self._heads)
        sorts: set[str] = next(known, set())
        return (sorts & self._named_in_full if is_definite else set()) or sorts

    def _full_name(self, at: int) -> Iterator[Found]:
        for tied in self._tied.get(at, ()):
            noun = self._called(tied.name, at, tied.end, not tied.sure)
            plural = self.is_plural(noun) if tied.plural is None else tied.plural
            yield tied.end, (noun, plural), 0 if tied.sure else 1
        compound, end = self._compound(at)
        if compound and self._content(at) in ('', compound):
            plural = self.word(at) != compound.split()[-1]
            yield end, (self._called(compound, at, end), plural), 0
            return
        for length in range(min(max(self._longest, 3), len(self.words) - at), 0, -1):
            stem = self.words[at : at + length - 1]
            last = self.words[at + length - 1]
            form, name = next(
                ((f, n) for f in forms_of(last) if (n := self._known.get((*stem, f)))), ('', '')
            )
            form, name = (form, name) if name else self._written_apart(stem, last)
            if name:
                # "forks" may be two lifting forks too.
                heads = [self._heads.get(one, {name}) for one in forms_of(last) if length == 1]
                others = any(sorts != {name} for sorts in heads[form == last :])
                noun = self._called(name, at, at + length, others)
                yield at + length, (noun, form != last), 0
                return

    def is_plural(self, noun: Noun) -> bool:
        """Whether a noun stands there in the plural, and its name does not."""
        last = self.word(noun.end - 1)
        return last.endswith('s') and not noun.name.endswith(last)

    def _compound(self, at: int) -> tuple[str, int]:
        """ "can of oil" for an oil can, "table in the hall" for a hall table; '' for none."""
        begin = at + 2 + (self.word(at + 2) in lexicon.DEFINITE)
        is_of = self.word(at + 1) == 'of' and begin == at + 2
        if is_of or (self.word(at + 1) == 'in' and begin > at + 2):
            ways = ((self.word(begin), form) for form in forms_of(self.word(at)))
            return next((name for way in ways if (name := self._known.get(way))), ''), begin + 1
        return '', at

    def _content(self, at: int) -> str:
        """The name of what a portion is of: "a bottle of oil"; '' where the vessel is known."""
        forms = tuple(forms_of(self.word(at)))
        is_vessel = any((form,) in self._known for form in forms)
        if is_vessel or lexicon.PORTIONS.isdisjoint(forms) or self.word(at + 1) != 'of':
            return ''
        return next((noun.name for _, (noun, _), _ in self._full_name(at + 2)), '')

    def _written_apart(self, stem: tuple[str, ...], last: str) -> tuple[str, str]:
        """The form of the last word, and the name that is else written together or apart."""
        if all(map(str.isalpha, (*stem, last))):
            for form in forms_of(last):
                letters = ''.join((*stem, form))
                named = self._known.joined.get(letters, frozenset())
                if len(letters) > 4 and len(named) == 1:
                    return form, next(iter(named))
        return '', ''

    def _may_be_name(self, at: int, behind_determiner: bool) -> bool:
        """Whether a word that nobody knows may be a noun."""
        word = self.word(at)
        if len(word) < 2 or not word.isalpha() or word in lexicon.CLOSED or len(word) > 40:
            return False
        if self.describes and word in lexicon.DESCRIBING:
            return False
        return behind_determiner or not self.domain.is_verb(word)

    @rule
    def unknown(self, at: int, behind_determiner: bool) -> Iterable[Found]:
        """One to three words that are no known name."""
        end = at
        while end < at + 4 and self._may_be_name(end, behind_determiner or end > at):
            # "the machine that washes dishes": the last word of a name alone may be of another.
            if any(not (self.describes and cost) for _, _, cost in self.name(end)):
                break
            end += 1
            if end > at + 1 and any(e == end for e, _, _ in self.name(end - 1)):
                continue
            text = ' '.join(self.words[at:end])
            yield end, Unknown(at, end, text=text, begin=at), UNKNOWN + end - at
        if self.describes:
            yield from self._described(at, end)

    def _described(self, at: int, begin: int) -> Iterator[Found]:
        """What no name stands for and is told of: "a tool to eat soup with", "something warm"."""
        is_any = begin == at and self.word(at) in lexicon.SOME_THING
        behind = lexicon.DESCRIBING | lexicon.ANY_THINGS
        if not is_any and (begin == at or self.word(begin) not in behind):
            return
        for end in range(begin + 1, min(begin + _MOST_DESCRIBING, len(self.words)) + 1):
            word = self.word(end - 1)
            determiners = (*lexicon.ARTICLES, *lexicon.DEFINITE)
            has_more = word == 'with' and (self.word(end) in determiners or self.name(end))
            # "the tray that is hot would be ...": what is said of it is no part of it.
            tells = word in lexicon.MODALS and self.word(end - 2) not in lexicon.RELATIVE
            if not word[:1].isalnum() or word in lexicon.COORDINATORS or has_more or tells:
                return
            text = ' '.join(self.words[at:end])
            yield end, Unknown(at, end, text=text, begin=at), UNKNOWN + _DESCRIBED * (end - at)
