"""Finding what a sentence names: known regions, places and things.

A name is known because the skill server listed it or because it was seen; nothing here knows how
any task is worded.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from reactree_core.domain import is_known, load_domain
from reactree_core.measures import Comparison, read_comparison
from reactree_core.observation import Vocabulary
from reactree_core.skill_types import class_and_number, SkillKind, SkillType, Slot, SlotType
from reactree_planner.language.lexicon import PREPOSITIONS
from reactree_planner.language.lexicon import words as word_set
from reactree_planner.language.spelling import forms_of, WaysToWrite
from reactree_planner.language.words import word_spans, words_of

#: Words that may stand before a name and change nothing about what sort of thing is meant.
DETERMINERS = word_set(
    'a an the one another any some this that other more new first second third fourth fifth '
    'sixth next last remaining'
)
#: A word with a letter and a digit, behind a name: "A-7", "b12".
_LABEL = re.compile(r'\s+((?=[^\s,;:!?()]*[^\W\d_])(?=[^\s,;:!?()]*\d)[^\s,;:!?()]*[^\W_])')
#: What stands between the numbers of one name.
_LISTING = re.compile(r'\s*[,&/]\s*(?:(?:and|or|nor)\s+)?#?|\s+(?:and|or|nor)\s+#?', re.IGNORECASE)
#: What stands behind the number of a list's item: "1, 2. lift it".
_ITEM = re.compile(r'[.:]\s*[a-z]|\.\d')
_BEHIND_NUMBER = PREPOSITIONS | word_set(
    'and or nor then but with from out off up down away is are be was were must should shall can '
    'could may might will would need needs has have go goes belong belongs before after when '
    'while once until if unless because so as too first last again together please now there '
    'here back that which who not never'
)
#: Kinds of skills that are mostly about places.
_OF_PLACES = (
    SkillKind.MOVE,
    SkillKind.OPEN,
    SkillKind.CLOSE,
    SkillKind.SWITCH_ON,
    SkillKind.SWITCH_OFF,
)


class NameKind(Enum):
    """What a name stands for."""

    # Enum's own works the name's out in Python, and charts ask for it all the time.
    __hash__ = object.__hash__

    REGION = 'region'
    PLACE = 'place'
    THING = 'thing'
    #: Whatever else skills name, and names of which nothing more is told.
    OTHER = 'other'


@dataclass(frozen=True, slots=True)
class Mention:
    """A known name in a text.

    :param name: class name as the skill server spells it.
    :param instance: number that follows it, or None.
    :param start: index of its first word. :param end: index after its last word or number.
    :param label: what tells the thing apart instead of a number, e.g. 'A-7'; '' for none.
    """

    name: str
    kind: NameKind
    instance: int | None
    start: int
    end: int
    label: str = ''

    @property
    def text(self) -> str:
        """Name, with its number or label where one is told."""
        number = self.label if self.instance is None else str(self.instance)
        return f'{self.name} {number}' if number else self.name

    def matches(self, grounded: str) -> bool:
        """Whether a grounded name, e.g. 'crate 2', is meant by this mention."""
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


def verbs_of(templates: Iterable[str]) -> tuple[str, ...]:
    """Fixed beginnings of skill templates, longest first: 'scan <crate>' -> 'scan'."""
    return tuple(
        sorted(
            {template.split('<')[0].strip() for template in templates},
            key=lambda verb: (-len(verb), verb),
        )
    )


def before_determiners(words: list[str], start: int) -> int:
    """Index of the first determiner before a name that begins at `start`, else `start`."""
    while start and words[start - 1] in DETERMINERS:
        start -= 1
    return start


def _with_label(mention: Mention, text: str, spans: list[tuple[int, int]]) -> Mention:
    """The mention with the label right behind it, as in "crate A-7"."""
    end = mention.end
    if mention.instance is not None or end >= len(spans):
        return mention
    match = _LABEL.match(text, spans[end - 1][1])
    if match is None:
        return mention
    while end < len(spans) and spans[end][0] < match.end():
        end += 1
    return replace(mention, label=match[1], end=end)


def _carried(types: Iterable[SkillType]) -> frozenset[str]:
    """Names of slots for what is taken, and neither gone to, opened nor switched."""
    first: dict[bool, set[str]] = {True: set(), False: set()}
    for skill_type in types:
        is_taken = skill_type.kind is SkillKind.TAKE
        if skill_type.slots and (is_taken or skill_type.kind in _OF_PLACES):
            first[is_taken].add(skill_type.slots[0].name)
    return frozenset(first[True] - first[False])


def _class_of(name: str) -> str:
    return class_and_number(name)[0]


class Names:
    """The names of one skill server, found in texts longest first, plurals included."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._by_words: dict[tuple[str, ...], tuple[str, NameKind]] = {}
        self._ways: WaysToWrite | None = None
        self._kinds: dict[str, NameKind | None] = {}
        self._longest = 1
        self.rooms = vocabulary.rooms
        self.skill_types = vocabulary.skills
        self._carried = _carried(vocabulary.skills)
        #: Orders that are customary there, as the domain of the server declares them.
        self.orders = (
            load_domain(vocabulary.domain).words.orders if is_known(vocabulary.domain) else []
        )
        self.verbs = tuple(verb for verb in verbs_of(vocabulary.templates) if verb)
        self._verbs = tuple(tuple(words_of(verb)) for verb in self.verbs)
        #: Words for how things are, what is measured, and which things are nothing but a number.
        self.states = vocabulary.states
        self.numbers = vocabulary.numbers
        self.own_numbers = tuple(n for n in self.numbers if n in vocabulary.other_classes)
        self._of_numbers = {
            word: told
            for word, *others in vocabulary.other_words
            for told in map(read_comparison, others)
            if word in self.states and told is not None
        }
        self._said_for = {
            word: tuple(one for one in others if read_comparison(one) is None)
            for word, *others in vocabulary.other_words
            if word in self.states
        }
        self._learned: list[tuple[str, NameKind, tuple[str, ...]]] = []
        self._vocabulary = vocabulary
        for kind, names in (
            (NameKind.OTHER, vocabulary.other_classes),
            (NameKind.THING, vocabulary.object_classes),
            (NameKind.PLACE, vocabulary.place_classes),
            (NameKind.REGION, map(_class_of, vocabulary.rooms)),
        ):
            for name in names:
                self.add(name, kind)
        for name, *others in vocabulary.other_words:
            told = self.kind(_class_of(name))
            for words in others if told else ():
                self.add(_class_of(name), told or NameKind.OTHER, words)
        self._learned.clear()

    @property
    def size(self) -> int:
        """How often something was learned."""
        return len(self._learned)

    @property
    def vocabulary(self) -> Vocabulary:
        """The server's vocabulary, as it was declared."""
        return self._vocabulary

    @property
    def learned(self) -> Sequence[tuple[str, NameKind]]:
        """Names that were learned since, with what they stand for, in order."""
        return [(name, kind) for name, kind, _ in self._learned]

    @property
    def content(self) -> Hashable:
        """What a reading depends on: names of the same content read the same."""
        orders = tuple((one.say, *one.means) for one in self.orders)
        return self._vocabulary, tuple(self._learned), orders

    def add(self, name: str, kind: NameKind, words: str = '') -> None:
        """Learn a name; the first kind told is kept, but places and regions win over things.

        :param words: other words for it; '' for the name itself.
        """
        key = tuple(words_of(words or name))
        if not key:
            return
        known = self._by_words.get(key)
        if known is not None:
            weaker = kind is NameKind.OTHER or words
            stays = kind is NameKind.THING and known[1] is not NameKind.OTHER
            if weaker or stays or known == (name, kind):
                return
        self._by_words[key] = (name, kind)
        self._longest = max(self._longest, len(key))
        self._learned.append((name, kind, key))
        self._ways = None
        self._kinds.clear()

    def number_wanted(self, state: str) -> Comparison | None:
        """The condition on a number that a state is, or follows from; None for another state."""
        return self._of_numbers.get(state) or read_comparison(state)

    def said_for(self, state: str) -> tuple[str, ...]:
        """What people say for a state, and for the verb that brings it about."""
        return self._said_for.get(state, ())

    def all_words(self) -> WaysToWrite:
        """Every way in which a name may be written, as words, and the name."""
        if self._ways is None:
            self._ways = WaysToWrite({words: name for words, (name, _) in self._by_words.items()})
        return self._ways

    def class_of(self, name: str) -> str:
        """The class of a thing's name: without its number, or the known name it begins with.

        "crate 7" and "crate A-7" are a crate; what begins with no known name is its own class.
        """
        known = class_and_number(name)[0]
        while self.kind(known) is None and ' ' in known:
            known = known.rpartition(' ')[0]
        return known if self.kind(known) is not None else class_and_number(name)[0]

    def kind(self, name: str) -> NameKind | None:
        """What a class name stands for."""
        # Asked for every offered skill of every decision.
        if name not in self._kinds:
            entry = self._by_words.get(tuple(words_of(name)))
            self._kinds[name] = entry[1] if entry else None
        return self._kinds[name]

    def kind_in(self, slot: Slot) -> NameKind | None:
        """What stands in a slot: by its type, its name, or what other skills do with the like."""
        named = self.kind(slot.name)
        if named is not None:
            return named
        if slot.type is SlotType.NAME and slot.name in self._carried:
            return NameKind.THING
        return next((kind for kind in NameKind if kind.value == slot.type.value), None)

    def find_all(self, text: str) -> tuple[Mention, ...]:
        """Known names in a text, in order, each word used once."""
        words = words_of(text)
        spans = word_spans(text)
        found: list[Mention] = []
        start = 0
        while start < len(words):
            mention = self._match(words, start)
            if mention is None:
                start += 1
            else:
                mention = self._with_its_number(mention, text, spans, words)
                found += [mention, *self._further_numbers(mention, text, spans, words)]
                start = found[-1].end
        return tuple(found)

    def _further_numbers(
        self, mention: Mention, text: str, spans: list[tuple[int, int]], words: list[str]
    ) -> Iterator[Mention]:
        """More of a name, by number alone: "crates 1, 2 and 3"."""
        end = mention.end
        while mention.instance is not None and end < len(words):
            at = end + (words[end] in ('and', 'or', 'nor'))
            if at >= len(words) or not words[at].isdecimal():
                return
            joint = text[spans[end - 1][1] : spans[at][0]]
            if not _LISTING.fullmatch(joint) or not self._ends_number(at + 1, text, spans, words):
                return
            end = at + 1
            yield replace(mention, instance=int(words[at]), start=at, end=end)

    def _ends_number(
        self, i: int, text: str, spans: list[tuple[int, int]], words: list[str]
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
        self, mention: Mention, text: str, spans: list[tuple[int, int]], words: list[str]
    ) -> Mention:
        """The mention with the label behind it, and without a number that belongs to the next."""
        if mention.instance is None:
            return _with_label(mention, text, spans)
        last = mention.end - 1
        before = text[spans[last - 1][1] : spans[last][0]]
        # A comma, or the number of a list's next item: "1) scan the crate 2) load it".
        item = text[spans[last][1] : spans[last][1] + 1] == ')' and '(' not in before
        apart = item or set(before) & set(',;:.\n')
        # "1 crate, 1 pallet", "2 crates 1 pallet"
        counted = mention.start and words[mention.start - 1].isdigit()
        if apart or (counted and self._match(words, mention.end) is not None):
            return replace(mention, instance=None, end=last)
        return mention

    def location_mentions(self, text: str) -> tuple[Mention, ...]:
        """Movable things that only tell where another is, or shall be, as in "crate on a pallet".

        None when no other would be left, or when the text names a thing in both ways.
        """
        words = words_of(text)
        things = [mention for mention in self.find_all(text) if mention.kind is NameKind.THING]
        places = [mention for mention in things if self._follows_preposition(words, mention)]
        others = {mention.name for mention in things if mention not in places}
        if not others:
            return ()
        return tuple(mention for mention in places if mention.name not in others)

    def _follows_preposition(self, words: list[str], mention: Mention) -> bool:
        end = before_determiners(words, mention.start)
        before = tuple(words[:end])
        # "switch on the pump" is a skill.
        asked = any(verb and before[-len(verb) :] == verb for verb in self._verbs)
        return not asked and bool(before) and before[-1] in PREPOSITIONS

    def _match(self, words: list[str], start: int) -> Mention | None:
        for length in range(min(self._longest, len(words) - start), 0, -1):
            stem = tuple(words[start : start + length - 1])
            for last in forms_of(words[start + length - 1]):
                entry = self._by_words.get((*stem, last))
                if entry is None:
                    continue
                end = start + length
                instance = None
                if end < len(words) and words[end].isdecimal():
                    instance = int(words[end])
                    end += 1
                return Mention(entry[0], entry[1], instance, start, end)
        return None

    def masked(self, text: str, whole: bool = False) -> str:
        """The text with names replaced by their kind: what makes two goals of one sort.

        :param whole: keep articles, ordinals and the like.
        """
        words = words_of(text)
        places = self.location_mentions(text)
        for mention in reversed(self.find_all(text)):
            kind = NameKind.PLACE if mention in places else mention.kind
            words[mention.start : mention.end] = [f'<{kind.value}>']
        return ' '.join(word for word in words if whole or word not in DETERMINERS)
