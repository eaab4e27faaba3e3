"""A text with the names in it, and what stands around them."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.clauses import Sense
from reactree_planner.instructions.condition_words import AT
from reactree_planner.instructions.condition_words import BE
from reactree_planner.instructions.condition_words import BETWEEN
from reactree_planner.instructions.condition_words import DEFINITE
from reactree_planner.instructions.condition_words import EVERY
from reactree_planner.instructions.condition_words import FURTHER
from reactree_planner.instructions.condition_words import LEAD_INS
from reactree_planner.instructions.condition_words import PARTICLES
from reactree_planner.instructions.condition_words import PARTS
from reactree_planner.instructions.condition_words import PREPOSITIONS
from reactree_planner.instructions.condition_words import PRONOUNS
from reactree_planner.instructions.condition_words import Verb
from reactree_planner.instructions.condition_words import Words
from reactree_planner.instructions.conditions import ALL
from reactree_planner.instructions.names import DETERMINERS
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.spoken_numbers import APPROXIMATE
from reactree_planner.instructions.spoken_numbers import CARDINALS
from reactree_planner.instructions.spoken_numbers import COMPARED
from reactree_planner.instructions.spoken_numbers import GOING_ON
from reactree_planner.instructions.spoken_numbers import number_of
from reactree_planner.instructions.spoken_numbers import VAGUE_BEFORE_OF
from reactree_planner.instructions.spoken_numbers import VAGUE_QUANTITIES
from reactree_planner.instructions.words import NUMBERS
from reactree_planner.instructions.words import word_set

_MOST = 999
_PERSONS = word_set('i we you they')


@dataclass(frozen=True, slots=True)
class Item:
    """A name with what stands before it.

    :param count: `ALL` or 1..999. :param told: whether a number stands there.
    :param is_new: "a crate", "two crates", not "the crate". :param states: adjectives.
    :param unread: the words of it, where they tell a quantity that no condition can say.
    """

    mention: Mention
    count: int = 1
    told: bool = False
    is_new: bool = False
    states: tuple[str, ...] = ()
    unread: str = ''

    @property
    def subject(self) -> str:
        """The name as it is told."""
        return self.mention.text

    @property
    def is_place(self) -> bool:
        """Whether it is a place or a region."""
        return self.mention.kind in (NameKind.PLACE, NameKind.REGION)


class NamedText:
    """The words of a text, and the names that they are.

    :param text: in the names of a skill server.
    """

    def __init__(self, text: str, domain: Words) -> None:
        self._domain = domain
        self._written = text
        self.reading = read_clauses(text, domain.names.verbs)
        self.words = self.reading.words
        #: Names by the index of their first word, and the indices behind them.
        self.mentions = {one.start: one for one in domain.names.find_all(text)}
        self.ends = {one.end for one in self.mentions.values()}
        spans = self.reading.spans
        #: What stands before each word, and behind the last.
        self.gaps = [
            text[spans[i - 1][1] if i else 0 : span[0]].strip(' ') for i, span in enumerate(spans)
        ]
        self.gaps.append(text[spans[-1][1] :].strip(' ') if spans else '')

    def word(self, i: int) -> str:
        """The word at an index; '' outside the text."""
        return self.words[i] if 0 <= i < len(self.words) else ''

    def breaks(self, i: int) -> bool:
        """Whether a sentence, line or part of a list ends before a word."""
        if i >= len(self.words) or i in self.reading.begins or i in self.reading.marks:
            return True
        return bool(self.gaps[i])

    def is_first(self, i: int) -> bool:
        """Whether a clause begins here, but for words that lead in."""
        k = i
        while not self.breaks(k) and k > 0:
            if self.words[k - 1] in ('and', 'then', 'to', 'please', 'or', 'but', 'not', 'mind'):
                return True
            if self.words[k - 1] not in LEAD_INS or k - 1 in self.mentions:
                return False
            k -= 1
        return True

    def verb_at(self, i: int) -> tuple[Verb, int] | None:
        """The verb that begins at a word, and the index behind it."""
        if i in self.mentions and i + 1 == self.mentions[i].end and not self.is_first(i):
            return None
        if self.word(i + 1) == 'of' and self._domain.state_of_portion(self.words[i]):
            return None
        return self._domain.verb_at(self.words, i, self.is_first(i))

    def is_verb_here(self, i: int, mention: Mention) -> bool:
        """Whether a word that is a name too is a verb here: "label the crates"."""
        if mention.end - mention.start > 1 or not self.is_first(i):
            return False
        behind = self.word(i + 1)
        follows = behind in ('the', 'a', 'an', 'all', 'my', 'it', 'them') or behind in NUMBERS
        return (follows or behind.isdigit()) and not self.gaps[i + 1] and bool(self.verb_at(i))

    def is_part(self, i: int) -> bool:
        """Whether a name is only a part of the one right before it: "the truck door"."""
        return self.words[i] in PARTS and not self.gaps[i] and i in self.ends

    def is_portion(self, i: int) -> bool:
        """Whether a word is the noun of a verb behind a name, and so a state: "roll slices"."""
        if i >= len(self.words) or self.gaps[i] or i not in self.ends:
            return False
        follows = i + 1 < len(self.words) and not self.gaps[i + 1] and i + 1 in self.mentions
        determined = self.word(i + 1) in DETERMINERS | DEFINITE | PRONOUNS | EVERY
        return bool(self._domain.state_of_portion(self.words[i])) and not follows | determined

    def is_light(self, mention: Mention) -> bool:
        """Whether a name is only what comes from the next one: "in the light of the lamp"."""
        if self.word(mention.end) not in ('of', 'from') or mention.kind is not NameKind.OTHER:
            return False
        begin = mention.end + 1
        while self.word(begin) in DETERMINERS | DEFINITE and begin not in self.mentions:
            begin += 1
        source = self.mentions.get(begin)
        return source is not None and source.kind is NameKind.OTHER

    def state_at(self, i: int) -> str:
        """The state that a word tells; '' for none."""
        return self._domain.states.get(self.words[i], '')

    def is_told_there(self, i: int) -> bool:
        """Whether it is the "there" of "there are two crates"."""
        return self.word(i + 1) in BE | {'s'}

    def behind_aside(self, i: int) -> int:
        """Index of the word behind a clause: behind its sentence, a comma before a verb, or where
        a person does something else: "when I am at the table I want a crate".
        """
        end = i + 1
        while end < len(self.words) and end not in self.reading.begins:
            if end > i + 2 and self.words[end] in _PERSONS:
                break
            if self.breaks(end) and any(self.verb_at(k) for k in range(end, self._near(end))):
                break
            end += 1
        return end

    def _near(self, i: int) -> int:
        return min(i + 3, len(self.words))

    def mention_before(self, i: int) -> Mention | None:
        """The name that ends right before a word."""
        return next((one for one in self.mentions.values() if one.end == i), None)

    def item(self, mention: Mention) -> Item:
        """A name with the number, determiners and states before it."""
        words, i = self.words, mention.start - 1
        number, told, further, definite, indefinite = 1, False, False, False, False
        states: list[str] = []
        begin, is_read = mention.start, not mention.goes_on
        while i >= 0 and mention.start - i <= 6 and i not in self.reading.marks:
            word = words[i]
            if self.gaps[i + 1].strip('-%') or i + 1 in self.reading.begins:
                break
            if word in EVERY:
                # "any two crates" are no more than two.
                number, begin = (number if told and word == 'any' else ALL), i
                told = True
            elif word in ('a', 'an'):
                indefinite = True
            elif (quantity := self.quantity_before(i + 1)) is not None:
                if definite and self.word(i + 1) not in BETWEEN | DEFINITE:
                    # "in two minutes the crate ..."
                    break
                value, i = quantity
                if value is None:
                    is_read, begin = False, i
                    break
                number, told = number if number == ALL else value, True
                if self.word(i - 1) not in EVERY | {'a', 'the'}:
                    further = further or word == 'another'
                    break
            elif word in FURTHER:
                further = True
            elif word in DEFINITE:
                definite = True
            elif word in self._domain.states and word not in ('on', 'off', 'open'):
                states.append(self._domain.states[word])
            elif word in PARTICLES and self.word(i - 1) in self._domain.states:
                pass  # "a warmed up roll"
            elif self.word(i + 1) == 'of' and self._domain.state_of_portion(word):
                states.append(self._domain.state_of_portion(word))
            elif word not in BETWEEN and (
                i + 1 in self.ends
                or word in PREPOSITIONS | {'and', 'or', 'then'}
                or self.verb_at(i) is not None
            ):
                break
            i -= 1
        if self.is_portion(mention.end):
            states.append(self._domain.state_of_portion(words[mention.end]))
        is_new = (told or further or indefinite) and not (definite and not told)
        end = self._behind_exception(mention, number == ALL)
        is_read = is_read and end == mention.end
        if mention.goes_on and end == mention.end:
            end += 1 + (words[end] in ('to', 'through'))
        unread = '' if is_read else self.phrase(begin, end)
        return Item(mention, number, told, is_new, tuple(states), unread)

    def quantity_before(self, end: int) -> tuple[int | None, int] | None:
        """The number that ends before a word, and where it begins; None for none.

        The number is None where a quantity stands there that is not read: "half of", "1 to 3".
        """
        begin = end - 1
        word = self.word(begin)
        if word in VAGUE_QUANTITIES or (word in VAGUE_BEFORE_OF and self.word(end) == 'of'):
            return None, begin
        if not word.isdecimal() and word not in NUMBERS:
            return None
        while (earlier := self._number_goes_on(begin)) < begin:
            begin = earlier
        words = self.words[begin:end]
        number = NUMBERS.get(word) if len(words) == 1 else None
        if number is None:
            number = number_of(words, self.gaps[begin + 1 : end])
        is_read = number is not None and 0 < number <= _MOST and '%' not in self.gaps[end]
        before = self.words[max(0, begin - 2) : begin]
        if before in COMPARED or before[-1:] == ('than',):
            return None, begin - len(before)
        if not APPROXIMATE.isdisjoint(before[-1:]):
            return None, begin - 1
        return number if is_read else None, begin

    def _number_goes_on(self, i: int) -> int:
        """Where a number begins with the words before one of its words."""
        if i < 1 or i in self.reading.begins or self._is_named(i - 1):
            return i
        word, before, gap = self.words[i], self.words[i - 1], self.gaps[i]
        if self._is_number(i - 1):
            both = before.isdecimal() and word.isdecimal()
            return i - 1 if gap in ('', '-') or (both and gap in (',', '.', '–')) else i
        if gap or self.gaps[i - 1]:
            return i
        if before == 'a' and not word.isdecimal():
            return i - 1 if word in GOING_ON and word not in CARDINALS else i
        if before in ('or', 'to', 'and') and i > 1 and not self._is_named(i - 2):
            large = self.words[i - 2] in ('hundred', 'thousand') or self.word(i - 3) == 'between'
            if self._is_number(i - 2) and (before != 'and' or large):
                return i - 2
        return i

    def _is_number(self, i: int) -> bool:
        return self.words[i].isdecimal() or self.words[i] in GOING_ON

    def _is_named(self, i: int) -> bool:
        return any(one.start <= i < one.end for one in self.mentions.values())

    def _behind_exception(self, mention: Mention, is_all: bool) -> int:
        """Index behind what is excepted from the things of a name; behind the name for nothing."""
        later = (begin for begin in self.reading.begins if begin > mention.start)
        sentence_end = min(later, default=len(self.words))
        for one in self.reading.regions:
            if not mention.end <= one.start < sentence_end:
                continue
            names = [named for at, named in self.mentions.items() if one.start <= at < one.end]
            same = [named for named in names if named.name == mention.name]
            # "all crates except for crate 2"; "all crates on the truck, but not crate 2"
            is_next = one.inherits and one.start <= mention.end + 2
            is_next = is_next and self.words[one.start - 1] != 'not'
            is_one = any(named.text != named.name for named in same)
            if is_next or (is_all and (is_one or (one.inherits and (same or not names)))):
                return min((one.end, *(named.end for named in names)))
        return mention.end

    def is_excepted(self, i: int) -> bool:
        """Whether a word is part of an exception."""
        return any(
            one.inherits and one.start <= i < one.end and self.word(one.start - 1) != 'no'
            for one in self.reading.regions
        )

    def denied(self, mention: Mention) -> str:
        """A thing of which there shall be none, without a rule: "no crate"; '' for another."""
        if self.reading.senses[mention.start] is not Sense.SILENT:
            return ''
        begin = max(0, mention.start - 3)
        for k in range(mention.start - 1, begin - 1, -1):
            if self.words[k] in ('no', 'none'):
                # "we have no crate" asks for nothing.
                is_told = self.word(k - 1) in ('have', 'got') and self.word(k - 2) in _PERSONS
                return '' if is_told else self.phrase(k, mention.end)
        return ''

    def exceptions(self) -> tuple[str, ...]:
        """What is excepted from everything, with no name before it: "all but one crate"."""
        return tuple(
            self.phrase(one.start - 2, one.end)
            for one in self.reading.regions
            if one.inherits and self.word(one.start - 2) in ('all', 'everything', 'anything')
        )

    def phrase(self, begin: int, end: int) -> str:
        """Words as they are written."""
        spans = self.reading.spans
        return ' '.join(self._written[spans[begin][0] : spans[end - 1][1]].split())

    def reaches(self, preposition_at: int, start: int) -> bool:
        """Whether the last preposition is that of a name: not in "by tonight the crates ..."."""
        between = self.words[preposition_at + 1 : start]
        if 'of' in between:
            return True
        noun = False
        for word in between:
            if word in DETERMINERS | DEFINITE and noun:
                return False
            noun = word not in DETERMINERS | BETWEEN | EVERY and not word.isdigit()
        return True

    def tells_what_runs(self, i: int) -> bool:
        """Whether a thing stands behind "run", and nothing that tells whither: "run the pump"."""
        while self.word(i) in DETERMINERS | DEFINITE:
            i += 1
        mention = self.mentions.get(i)
        end = mention.end if mention is not None else i + 1
        is_named = mention is not None and mention.kind is not NameKind.REGION
        ends = self.breaks(end) or self.word(end) in ('and', 'then', 'once', 'when', 'after')
        return (is_named or self.word(i) == 'it') and ends

    def ends_inside_it(self, i: int) -> bool:
        """Whether a list of things ends with "in it"."""
        between = DETERMINERS | DEFINITE | {'and'} | set(NUMBERS)
        while i in self.mentions or self.word(i) in between or self.word(i).isdigit():
            i = self.mentions[i].end if i in self.mentions else i + 1
        return self.word(i) in AT and self.word(i + 1) == 'it'

    def list_follows(self, i: int) -> bool:
        """Whether things are told behind a place: "put on the truck: two crates"."""
        if i >= len(self.words):
            return False
        if self.gaps[i].startswith(':'):
            return True
        word = self.words[i]
        return not self.gaps[i] and (
            i in self.mentions or word.isdigit() or word in NUMBERS or word in DEFINITE
        )
