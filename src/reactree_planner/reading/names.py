"""Known names in a text: regions, places and things, each with its number or label.

A name is known because the skill server listed it or because it was seen; nothing here knows how
any task is worded. Readers of tasks look names up in `ServerWords`, which learns the same ones.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from reactree_core.domain import CustomaryOrder, is_known, load_domain
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import class_and_number, Slot
from reactree_planner.reading.plain_words import plain_words, word_spans
from reactree_planner.reading.small_words import PREPOSITIONS, small_words
from reactree_planner.reading.tokens import singulars_of
from reactree_planner.reading.vocabulary import NameKind, ServerWords

#: Words that may stand before a name and change nothing about what sort of thing it is.
_MODIFIERS = small_words('words', 'modifiers')
#: A word with a letter and a digit, behind a name: "A-7", "b12".
_LABEL = re.compile(r'\s+((?=[^\s,;:!?()]*[^\W\d_])(?=[^\s,;:!?()]*\d)[^\s,;:!?()]*[^\W_])')
#: Text between the numbers of one name.
_LISTING = re.compile(r'\s*[,&/]\s*(?:(?:and|or|nor)\s+)?#?|\s+(?:and|or|nor)\s+#?', re.IGNORECASE)
#: Text behind the number of a list's item: "1, 2. lift it".
_ITEM = re.compile(r'[.:]\s*[a-z]|\.\d')
_BEHIND_NUMBER = PREPOSITIONS | small_words('words', 'behind_numbers')


@dataclass(frozen=True, slots=True)
class Named:
    """A known name in a text.

    :param name: class name as the skill server spells it.
    :param instance: number that follows it, or None.
    :param start: index of its first word. :param end: index after its last word or number.
    :param label: text that tells the thing apart instead of a number, e.g. 'A-7'; '' for none.
    """

    name: str
    kind: NameKind
    instance: int | None
    start: int
    end: int
    label: str = ''

    @property
    def text(self) -> str:
        """Name, with its number or label where the text has one."""
        number = self.label if self.instance is None else str(self.instance)
        return f'{self.name} {number}' if number else self.name

    def matches(self, grounded: str) -> bool:
        """Whether a grounded name, e.g. 'crate 2', is an instance of this name."""
        if self.label:
            return grounded.casefold() == self.text.casefold()
        if not grounded.startswith(self.name):
            return False
        name, number = class_and_number(grounded)
        if name == self.name:
            return self.instance in (None, number)
        # "crate A-7" is a crate; "hall gate 2" is no hall.
        behind, _, rest = grounded[len(self.name) :].partition(' ')
        first = rest.partition(' ')[0]
        if behind or number or not any(map(str.isdigit, first)):
            return False
        # "loc 3" is "loc 3 at [3.5, 5.25]".
        return self.instance is None or first == str(self.instance)


def before_determiners(words: Sequence[str], start: int) -> int:
    """Index of the first determiner before a name that begins at `start`, else `start`."""
    while start and words[start - 1] in _MODIFIERS:
        start -= 1
    return start


class WaysToWrite(dict[tuple[str, ...], str]):
    """Every way in which names may be written, as words, and the name; not changed once made."""

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all names."""
        return frozenset(word for words in self for word in words)


class Names:
    """The names of one skill server, found in texts longest first, plurals included.

    :param vocabulary: as the server declares it.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        #: The same names with states and verbs, for the readers of tasks.
        self.words = ServerWords(vocabulary)
        self.rooms = vocabulary.rooms
        self.skill_types = vocabulary.skills
        #: Things that are nothing but a number.
        self.own_numbers = tuple(
            one for one in vocabulary.numbers if one in vocabulary.other_classes
        )
        self._by_words: dict[tuple[str, ...], tuple[str, NameKind]] = {}
        self._ways: WaysToWrite | None = None
        self._kinds: dict[str, NameKind | None] = {}
        self._longest = 1
        self._verbs = tuple(filter(None, (plain_words(one.verb) for one in vocabulary.skills)))
        self._learned: list[tuple[str, NameKind]] = []
        #: Customary orders of the server's domain.
        self.orders: Sequence[CustomaryOrder] = (
            load_domain(vocabulary.domain).words.orders if is_known(vocabulary.domain) else ()
        )
        for kind, names in (
            (NameKind.OTHER, vocabulary.other_classes),
            (NameKind.THING, vocabulary.object_classes),
            (NameKind.PLACE, vocabulary.place_classes),
            (NameKind.REGION, (class_and_number(room)[0] for room in vocabulary.rooms)),
        ):
            for name in names:
                self.add(name, kind)
        for name, *others in vocabulary.other_words:
            known = class_and_number(name)[0]
            found = self.kind(known)
            for words in others if found is not None else ():
                if found is not None and plain_words(words) not in self._by_words:
                    self._add(plain_words(words), known, found)
        self._learned.clear()

    @property
    def size(self) -> int:
        """How many names were learned since the vocabulary was declared."""
        return len(self._learned)

    @property
    def content(self) -> Hashable:
        """Value that is equal for names which read the same."""
        return self.vocabulary, tuple(self._learned), tuple(one.say for one in self.orders)

    def add(self, name: str, kind: NameKind) -> None:
        """Learn a name; its first kind is kept, but places and regions win over things."""
        if self._add(plain_words(name), name, kind):
            self.words.learn(name, kind)
            self._learned.append((name, kind))

    def _add(self, key: tuple[str, ...], name: str, kind: NameKind) -> bool:
        """Enter a way to write a name. :return: whether it is new."""
        known = self._by_words.get(key)
        if not key or (known is not None and (known == (name, kind) or not _wins(kind, known[1]))):
            return False
        self._by_words[key] = (name, kind)
        self._longest = max(self._longest, len(key))
        self._ways = None
        self._kinds.clear()
        return True

    def all_words(self) -> WaysToWrite:
        """Every way in which a name may be written, as words, and the name."""
        if self._ways is None:
            self._ways = WaysToWrite({words: name for words, (name, _) in self._by_words.items()})
        return self._ways

    def class_of(self, name: str) -> str:
        """The class of a thing's name: without its number, or the known name it begins with.

        "crate 7" and "crate A-7" are a crate; a name that begins with no known one is its own
        class.
        """
        known = class_and_number(name)[0]
        while self.kind(known) is None and ' ' in known:
            known = known.rpartition(' ')[0]
        return known if self.kind(known) is not None else class_and_number(name)[0]

    def kind(self, name: str) -> NameKind | None:
        """The kind of a class name; None where it is not known."""
        # Asked for every offered skill of every decision.
        if name not in self._kinds:
            entry = self._by_words.get(plain_words(name))
            self._kinds[name] = entry[1] if entry else None
        return self._kinds[name]

    def kind_in(self, slot: Slot) -> NameKind | None:
        """The kind of names that a slot takes; None where nothing tells."""
        return self.kind(slot.name) or self.words.kind_in(slot)

    def find_all(self, text: str) -> tuple[Named, ...]:
        """Known names in a text, in order, each word used once."""
        words = plain_words(text)
        spans = word_spans(text)
        found: list[Named] = []
        start = 0
        while start < len(words):
            named = self._match(words, start)
            if named is None:
                start += 1
            else:
                named = self._with_its_number(named, text, spans, words)
                found += [named, *self._further_numbers(named, text, spans, words)]
                start = found[-1].end
        return tuple(found)

    def _further_numbers(
        self, named: Named, text: str, spans: Sequence[tuple[int, int]], words: Sequence[str]
    ) -> Iterator[Named]:
        """More of a name, by number alone: "crates 1, 2 and 3"."""
        end = named.end
        while named.instance is not None and end < len(words):
            at = end + (words[end] in ('and', 'or', 'nor'))
            if at >= len(words) or not words[at].isdecimal():
                return
            joint = text[spans[end - 1][1] : spans[at][0]]
            if not _LISTING.fullmatch(joint) or not self._ends_number(at + 1, text, spans, words):
                return
            end = at + 1
            yield replace(named, instance=int(words[at]), start=at, end=end)

    def _ends_number(
        self, i: int, text: str, spans: Sequence[tuple[int, int]], words: Sequence[str]
    ) -> bool:
        """Whether a number before a word counts nothing: not the 2 of "crate 1 and 2 drums"."""
        behind = text[spans[i - 1][1] :]
        if i >= len(words):
            return True
        # "crates (1 and 2)" begins with a bracket, "1) lift" does not.
        signs = ',;.:!?&/(' + ')' * ('(' in text[: spans[i - 1][0]])
        gap = behind[: spans[i][0] - spans[i - 1][1]]
        if gap.strip():
            return gap.strip()[0] in signs and not _ITEM.match(behind)
        return words[i] in _BEHIND_NUMBER

    def _with_its_number(
        self, named: Named, text: str, spans: Sequence[tuple[int, int]], words: Sequence[str]
    ) -> Named:
        """The name with the label behind it, and without a number that belongs to the next."""
        if named.instance is None:
            return _with_label(named, text, spans)
        last = named.end - 1
        before = text[spans[last - 1][1] : spans[last][0]]
        # A comma, or the number of a list's next item: "1) scan the crate 2) load it".
        item = text[spans[last][1] : spans[last][1] + 1] == ')' and '(' not in before
        apart = item or set(before) & set(',;:.\n')
        # "1 crate, 1 pallet", "2 crates 1 pallet"
        counted = named.start and words[named.start - 1].isdigit()
        if apart or (counted and self._match(words, named.end) is not None):
            return replace(named, instance=None, end=last)
        return named

    def location_mentions(self, text: str) -> tuple[Named, ...]:
        """Movable things that only tell where another is, or shall be, as in "crate on a pallet".

        None when no other would be left, or when the text names a thing in both ways.
        """
        words = plain_words(text)
        things = [one for one in self.find_all(text) if one.kind is NameKind.THING]
        places = [one for one in things if self._follows_preposition(words, one)]
        others = {one.name for one in things if one not in places}
        return tuple(one for one in places if one.name not in others) if others else ()

    def _follows_preposition(self, words: Sequence[str], named: Named) -> bool:
        end = before_determiners(words, named.start)
        before = tuple(words[:end])
        # "switch on the pump" is a skill.
        asked = any(before[-len(verb) :] == verb for verb in self._verbs)
        return not asked and bool(before) and before[-1] in PREPOSITIONS

    def _match(self, words: Sequence[str], start: int) -> Named | None:
        for length in range(min(self._longest, len(words) - start), 0, -1):
            stem = tuple(words[start : start + length - 1])
            for last in singulars_of(words[start + length - 1]):
                entry = self._by_words.get((*stem, last))
                if entry is None:
                    continue
                end = start + length
                instance = None
                if end < len(words) and words[end].isdecimal():
                    instance = int(words[end])
                    end += 1
                return Named(entry[0], entry[1], instance, start, end)
        return None

    def masked(self, text: str, whole: bool = False) -> str:
        """The text with names replaced by their kinds: equal for goals of one sort.

        :param whole: keep articles, ordinals and the like.
        """
        words = list(plain_words(text))
        places = self.location_mentions(text)
        for one in reversed(self.find_all(text)):
            kind = NameKind.PLACE if one in places else one.kind
            words[one.start : one.end] = [f'<{kind.value}>']
        return ' '.join(word for word in words if whole or word not in _MODIFIERS)


def _wins(kind: NameKind, known: NameKind) -> bool:
    """Whether a further kind of a name replaces the one that is known."""
    return kind in (NameKind.PLACE, NameKind.REGION) or (
        kind is NameKind.THING and known is NameKind.OTHER
    )


def _with_label(named: Named, text: str, spans: Sequence[tuple[int, int]]) -> Named:
    """The name with the label right behind it, as in "crate A-7"."""
    end = named.end
    if named.instance is not None or end >= len(spans):
        return named
    match = _LABEL.match(text, spans[end - 1][1])
    if match is None:
        return named
    while end < len(spans) and spans[end][0] < match.end():
        end += 1
    return replace(named, label=match[1], end=end)
