"""One clause of a text as declared skills: with what, how often, and where they are done.

    stir it twice for 5 minutes      stir kettle for 5 min, 2 times
    take three water samples         take a water sample, 3 times
    take a photo at the dock         go to dock; then take a photo
    ... and one at the wreck         go to wreck; then take a photo

A clause is a template whose phrases may change places, with adverbials between them. A pronoun
stands for names that fit its slot, or for words of the template, that were said before the clause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from reactree_core.skill_types import (
    Relation,
    SkillKind,
    SkillType,
    Slot,
    SlotType,
)
from reactree_planner.reading.names import Names
from reactree_planner.reading.phrases import Phrases
from reactree_planner.reading.skill_referents import PLURAL, Referents, SINGULAR, THERE
from reactree_planner.reading.skill_templates import (
    ARTICLES,
    key_of,
    NameIndex,
    noun_at,
    Pattern,
    patterns_of,
    Phrase,
    QUOTE,
    SIGNS,
)
from reactree_planner.reading.skill_text import SkillText
from reactree_planner.reading.small_words import (
    ADVERBS,
    DEFINITE,
    EXCEPTING,
    FORBIDDING,
    FURTHER,
    MEASURES,
    POLITE,
    PREPOSITIONS,
    word_set,
)
from reactree_planner.reading.tokens import singulars_of, tokens_of
from reactree_planner.reading.units import UNITS

_TIMES = {'once': 1, 'twice': 2, 'thrice': 3}
#: Most times that one sentence asks for a skill, and most words of a free text.
_MOST_TIMES, _MOST_TEXT = 50, 60
#: Most names of one list, and adverbials in a row.
_MOST_NAMES, _MOST_ADVERBS = 12, 3
#: Costs: a slot, a word of a free text, an adverbial or pronoun, a phrase in another place, a verb
#: that is left out.
_SLOT, _TEXT, _ADVERB, _MOVED, _GAP = 1, 3, 1, 2, 3
_AGAIN = Phrases.of('again|once more|once again|one more time|over again')
#: Adverbials that change nothing about what is to be done.
_IDLE = Phrases.of('back|here') | ((word,) for word in ADVERBS)
#: Words of a free text that may just as well say when, or whether, something is to be done.
_RISKY = (
    FORBIDDING
    | EXCEPTING
    | word_set(
        'if when whenever until till before after while then once unless but instead rather only '
        'every'
    )
)
#: Words that may stand for each other before a slot.
_ALIKE: dict[str, frozenset[str]] = {
    'to': word_set('into onto'),
    'in': word_set('into inside'),
    'on': word_set('onto upon'),
}
_OF_TIME = word_set('s min h')
#: Before the place where a skill is done.
_AT = word_set('at in inside on by near')


@dataclass(frozen=True, slots=True)
class SaidSkill:
    """A declared skill with its slots filled.

    :param values: of its slots, in order, as the server writes them.
    :param times: how often it is to be done; 0 where nothing is said.
    :param open: indices of slots whose value is a name without a number: any such thing.
    :param refers: whether a pronoun stands for one of the values. :param again: "once more".
    :param anyhow: whether any other skill with its effects will do.
    """

    type: SkillType
    values: tuple[str, ...] = ()
    times: int = 0
    open: tuple[int, ...] = ()
    refers: bool = field(default=False, compare=False)
    again: bool = False
    anyhow: bool = False

    @property
    def text(self) -> str:
        """As the server executes it."""
        return self.type.filled(self.values)


@dataclass(frozen=True, slots=True)
class Match:
    """Skills of one clause. :param skills: one for each name of a list.

    :param start: :param end: in characters. :param cost: less for a reading that leaves less to
        slots. :param later: "then". :param where: what brings the robot where they
        are done, before: to a place, then a number of its own to a value.
    :param pattern: that the clause was read by.
    """

    skills: tuple[SaidSkill, ...]
    start: int
    end: int
    cost: int
    pattern: Pattern = field(compare=False)
    where: tuple[SaidSkill, ...] = ()
    later: bool = False

    @property
    def only(self) -> SaidSkill | None:
        """The skill of a clause that names nothing else."""
        return self.skills[0] if len(self.skills) == 1 and not self.where else None


#: Token behind a clause, its skills, and what brings the robot where they are done.
_Key = tuple[int, tuple[SaidSkill, ...], tuple[SaidSkill, ...]]


@dataclass(frozen=True, slots=True)
class _Filling:
    """A clause as far as it is read. :param values: of slots by number: one or a list."""

    values: tuple[tuple[int, tuple[str, ...]], ...] = ()
    open: tuple[int, ...] = ()
    times: int = 0
    where: tuple[SaidSkill, ...] = ()
    refers: bool = False
    again: bool = False
    cost: int = 0

    def dearer(self, cost: int, times: int = 0, refers: bool = False) -> _Filling:
        return replace(
            self,
            cost=self.cost + cost,
            times=self.times or times,
            refers=self.refers or refers,
        )

    @property
    def is_of_several(self) -> bool:
        return self.times > 1 or any(len(values) > 1 for _, values in self.values)


class Skills:
    """Templates and names of one server. :param names: of it, with its skill types."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.index = NameIndex(names)
        self._by_word: dict[str, list[Pattern]] = {}
        self._by_lead: dict[str, list[tuple[Pattern, Phrase]]] = {}
        # A customary order is said like a skill.
        for one in (*names.skill_types, *(SkillType(order.say) for order in names.orders)):
            for pattern in patterns_of(one):
                first = next((w for w in pattern.head if w not in ARTICLES), '')
                self._by_word.setdefault(first, []).append(pattern)
                for phrase in pattern.phrases[1:] if first else ():
                    if phrase.lead and phrase.slot is not None:
                        self._by_lead.setdefault(phrase.lead[0], []).append((pattern, phrase))
        #: What brings the robot to a place alone, and a number of its own to a value.
        self.moves = [
            one
            for one in names.skill_types
            if one.kind is SkillKind.MOVE and len(one.slots) == 1 and one.slots[0].type.is_name
            if not one.changes and {fact.relation for fact in one.facts} == {Relation.AT}
        ]
        self.settings = [
            (one, change.name or change.subject)
            for one in names.skill_types
            if len(one.slots) == 1 and one.slots[0].type is SlotType.NUMBER
            for change in one.changes
            if change.sets and change.slot
        ]

    def at(self, words: Sequence[str], at: int) -> Iterable[Pattern]:
        """Patterns that may begin there."""
        first = at
        while first + 1 < len(words) and words[first] in ARTICLES:
            first += 1
        found = [*self._by_word.get(words[first], ()), *self._by_word.get('', ())]
        if first > at:
            found += self._by_word.get(words[at], ())
        return found

    def led_by(self, word: str) -> Iterable[tuple[Pattern, Phrase]]:
        """Patterns with a phrase that begins with a word."""
        return self._by_lead.get(word, ())

    def sharing(self, pattern: Pattern) -> Iterator[tuple[Pattern, int]]:
        """Patterns that begin as another does, and how many words both have."""
        first = next((w for w in pattern.head if w not in ARTICLES), '')
        for one in self._by_word.get(first, ()) if first else ():
            shared = 0
            for word, other in zip(one.head, pattern.head, strict=False):
                if word != other:
                    break
                shared += 1
            if shared:
                yield one, shared


class Clauses:
    """Reads clauses of one text."""

    def __init__(self, skills: Skills, text: str) -> None:
        self._skills = skills
        self.text = SkillText(skills.index, text)
        self._referents = Referents(self.text)
        plain = tokens_of(self.text.text)
        self._risky = frozenset(one.start for one in plain if one.word in _RISKY)
        #: First token of the clause that is being read: pronouns stand for what was said before.
        self._start = 0

    def at(self, at: int, before: Match | None = None) -> list[tuple[int, Match]]:
        """Clauses that begin at a token, with the tokens behind, the cheapest first.

        :param before: the clause before, whose verb may be left out, or that is done again.
        """
        self._start = at
        found: dict[_Key, tuple[int, Pattern]] = {}
        for pattern, begin, left, told in self._begun(at, before):
            for end, filling in self._grown(pattern, left, begin, told):
                for skills in self._skills_of(pattern, filling):
                    key = end, skills, filling.where
                    known = found.get(key)
                    if end > at and (known is None or filling.cost < known[0]):
                        found[key] = filling.cost, pattern
        if before is not None:
            for end, filling in self._repeated(at, before):
                times = filling.times
                skills = tuple(replace(s, times=times or s.times) for s in before.skills)
                found[end, skills, before.where] = filling.cost, before.pattern
        ranked = sorted(found.items(), key=lambda one: (one[1][0], -one[0][0]))
        start = self.text.tokens[at].start
        return [
            (end, Match(skills, start, self.text.tokens[end - 1].end, cost, pattern, where))
            for (end, skills, where), (cost, pattern) in ranked
        ]

    # Beginnings --------------------------------------------------------------------------------

    def _begun(
        self, at: int, before: Match | None
    ) -> Iterator[tuple[Pattern, int, tuple[Phrase, ...], _Filling]]:
        """Patterns of which the head is read: index behind it, phrases left, what was said."""
        for begin, filling in self._led_in(at):
            for pattern in (
                self._skills.at(self.text.words, begin) if begin < len(self.text.words) else ()
            ):
                for end, told in self._literal(begin, pattern.head, pattern, filling):
                    yield pattern, end, pattern.phrases, told
        for pattern, phrase in self._skills.led_by(self.text.word(at)):
            # "For 5 minutes, stir the kettle."
            left = tuple(one for one in pattern.phrases if one is not phrase)
            for begin, filling in self._phrase(pattern, phrase, left, at, _Filling(cost=_MOVED)):
                begin += self.text.word(begin) == ','
                for end, told in self._literal(begin, pattern.head, pattern, filling):
                    yield pattern, end, left, told
        for pattern, shared in self._skills.sharing(before.pattern) if before is not None else ():
            for gap in range(1, shared + 1):
                filling = _Filling(cost=_GAP)
                for end, told in self._literal(at, pattern.head, pattern, filling, gap):
                    if end > at or pattern.phrases:
                        yield pattern, end, pattern.phrases, told

    def _led_in(self, at: int) -> Iterator[tuple[int, _Filling]]:
        """ "At the south pile, take ...": adverbials before the verb."""
        yield at, _Filling()
        for end, filling in self._adverbials(at, _Filling()):
            if filling.where or filling.times:
                yield end + (self.text.word(end) == ','), filling.dearer(_ADVERB)

    def _repeated(self, at: int, before: Match) -> Iterator[tuple[int, _Filling]]:
        """ "Do it again", "do that twice"."""
        if self.text.word(at) == 'do' and self.text.word(at + 1) in SINGULAR | {'so'}:
            for end, filling in self._adverbials(at + 2, _Filling(cost=_GAP)):
                if end > at + 2 and not filling.where:
                    yield end, filling

    # Words of a template -----------------------------------------------------------------------

    def _literal(
        self,
        at: int,
        words: tuple[str, ...],
        pattern: Pattern,
        told: _Filling,
        found: int = 0,
        *,
        is_first: bool | None = None,
    ) -> Iterator[tuple[int, _Filling]]:
        """Behind fixed words of a template; articles may be more, fewer or others.

        :param found: words of it that are read. :param is_first: whether a clause begins there.
        """
        is_first = (words is pattern.head and found == 0) if is_first is None else is_first
        if found == len(words):
            yield at, told
            return
        said, word = self.text.word(at), words[found]

        def behind(at: int, found: int, told: _Filling) -> Iterator[tuple[int, _Filling]]:
            return self._literal(at, words, pattern, told, found, is_first=False)

        if said == word:
            yield from behind(at + 1, found + 1, told)
            return
        if said in _ALIKE.get(word, ()) and words is not pattern.head:
            yield from behind(at + 1, found + 1, told.dearer(_ADVERB))
        if word in ARTICLES or word in SIGNS:
            yield from behind(at, found + 1, told)
        elif (said in ARTICLES or said == QUOTE) and not is_first:
            yield from behind(at + 1, found, told)
        if is_first or not said or word in ARTICLES:
            return
        for end in _IDLE.at(self.text.words, at):
            yield from behind(end, found, told.dearer(_ADVERB))
        for end in _AGAIN.at(self.text.words, at):
            yield from behind(end, found, replace(told.dearer(_ADVERB), again=True))
        if said == THERE and all(one in PREPOSITIONS for one in words[found:]):
            # "put it there", of "put <thing> on <place>"
            yield at, told
        noun = noun_at(words, found)
        if noun == found or found == 0:
            return
        was_said = self._was_said(words[found:noun])
        if said in SINGULAR | PLURAL and was_said:
            yield from behind(at + 1, noun, told.dearer(_ADVERB))
        is_one = words[found - 1] in DEFINITE or self._is_name(words[found:noun])
        for end, number, times in self._count(at) if not (is_one or told.times) else ():
            if number > 1 and not pattern.is_countable:
                continue
            counted = told.dearer(_ADVERB, times)
            close = self._noun(end, words[found:noun], number > 1)
            if close:
                yield from behind(close, noun, counted)
            elif was_said:
                yield from behind(end + (self.text.word(end) in ('one', 'ones')), noun, counted)

    def _is_name(self, words: Sequence[str]) -> bool:
        return self._skills.index.length_at(words, 0) == len(words)

    def _was_said(self, words: Sequence[str]) -> bool:
        """Find words of a template before the clause."""
        return any(self._noun(at, words, True, self._start) for at in range(self._start))

    def _noun(self, at: int, words: Sequence[str], plural: bool, most: int | None = None) -> int:
        """Index behind words of a template, which may be in the plural; 0 where others stand."""
        for word in words:
            said = self.text.word(at) if most is None or at < most else ''
            if word in ARTICLES and said != word:
                continue
            if said != word and not (plural and said and word in singulars_of(said)):
                return 0
            at += 1
        return at

    def _count(self, at: int) -> Iterator[tuple[int, int, int]]:
        """Counts: index behind, number, times of the skill; 0 times for "one"."""
        end, number = at, 0
        if self.text.word(at) in FURTHER:
            end, number = at + 1, 1
        elif self.text.word(at) in MEASURES and self.text.word(at + 1) == 'of':
            end, number = at + 2, MEASURES[self.text.word(at)]
        else:
            for close, value in self.text.number(at, ''):
                if value.isdecimal() and self.text.word(at) != 'both':
                    end, number = close, int(value)
        if 0 < number <= _MOST_TIMES:
            more = self.text.word(end) == 'more'
            is_new = more or number > 1 or self.text.word(at) in FURTHER
            yield end + more, number, number if is_new else 0

    # Phrases -----------------------------------------------------------------------------------

    def _grown(
        self, pattern: Pattern, left: tuple[Phrase, ...], at: int, told: _Filling
    ) -> Iterator[tuple[int, _Filling]]:
        """The phrases left of a clause, with adverbials before, between and behind them."""
        for begin, filling in self._adverbials(at, told):
            if not left:
                yield begin, filling
                continue
            for number, phrase in enumerate(left):
                is_text = phrase.slot is not None and phrase.slot.type is SlotType.TEXT
                if (number and not phrase.lead) or (begin > at and is_text):
                    continue
                rest = (*left[:number], *left[number + 1 :])
                moved = filling.dearer(_MOVED) if number else filling
                for end, one in self._phrase(pattern, phrase, rest, begin, moved):
                    yield from self._grown(pattern, rest, end, one)

    def _phrase(
        self,
        pattern: Pattern,
        phrase: Phrase,
        rest: tuple[Phrase, ...],
        at: int,
        told: _Filling,
    ) -> Iterator[tuple[int, _Filling]]:
        """A slot, with the words before it. :param rest: phrases behind it."""
        for begin, filling in self._literal(at, phrase.lead, pattern, told):
            if phrase.slot is None:
                yield begin, filling
                continue
            if phrase.slot.fault or begin >= len(self.text.words):
                continue
            for end, values, is_open, refers, cost in self._values(pattern, phrase, rest, begin):
                yield (
                    end,
                    replace(
                        filling.dearer(cost, refers=refers),
                        values=(*filling.values, (phrase.number, values)),
                        open=(*filling.open, phrase.number) if is_open else filling.open,
                    ),
                )

    def _values(
        self, pattern: Pattern, phrase: Phrase, rest: tuple[Phrase, ...], at: int
    ) -> Iterator[tuple[int, tuple[str, ...], bool, bool, int]]:
        """Fillers of a slot: index behind, values, "it is open which thing", "a pronoun stands
        there", cost.
        """
        slot = phrase.slot
        assert slot is not None, 'words alone take nothing'
        if slot.type is SlotType.NUMBER:
            unit = slot.bounds.unit if slot.bounds is not None else ''
            unit = unit or ' '.join(phrase.unit)
            # "wait [for] 5 seconds"
            at += self.text.word(at) == 'for' and UNITS.get(unit, unit) in _OF_TIME
            for end, value in self.text.number(at, UNITS.get(unit, unit)):
                if not slot.objection(value):
                    close = end + len(phrase.unit)
                    follows = self.text.words[end:close] == phrase.unit
                    yield close if follows else end, (value,), False, False, _SLOT
        elif slot.type is SlotType.TEXT:
            for end, value, words in self._free_text(at, pattern, phrase, rest):
                yield end, (value,), False, False, _SLOT + _TEXT * words
        else:
            for end, values, is_open in self._names(at, slot):
                if not any(map(slot.objection, values)):
                    yield end, values, is_open, False, _SLOT * len(values)
            close, names = self._referents.of(at, slot, self._start)
            if names and not any(map(slot.objection, names)):
                # A name that was said without its number still is: it is open which.
                is_open = any(not any(map(str.isdigit, one)) for one in names)
                yield close, names, is_open, True, _SLOT + _ADVERB

    def _names(self, at: int, slot: Slot) -> Iterator[tuple[int, tuple[str, ...], bool]]:
        """A name, or a list: "the kettle, the mash tun and the fermenter"."""
        yield from self._listed(at + (self.text.word(at) == 'both'), slot, (), False, True)

    def _listed(
        self, at: int, slot: Slot, before: tuple[str, ...], is_open: bool, may_end: bool
    ) -> Iterator[tuple[int, tuple[str, ...], bool]]:
        for begin in self.text.behind_articles(at):
            for end, name, one_open in self.text.names_at(begin, slot):
                names, opened = (*before, name), is_open or one_open
                if may_end:
                    yield end, names, opened
                if name in before or len(names) >= _MOST_NAMES:
                    continue
                if self.text.word(end) == ',' and self.text.word(end + 1) != 'and':
                    yield from self._listed(end + 1, slot, names, opened, False)
                behind = end + (self.text.word(end) == ',')
                if self.text.word(behind) == 'and':
                    yield from self._listed(behind + 1, slot, names, opened, True)

    def _free_text(
        self, at: int, pattern: Pattern, phrase: Phrase, rest: tuple[Phrase, ...]
    ) -> Iterator[tuple[int, str, int]]:
        """Quoted words, or all up to a sign or to the next words of the template."""
        begin, end = phrase.marks
        if begin and not self.text.text[: self.text.tokens[at].start].rstrip().endswith(begin):
            return
        if self.text.words[at] == QUOTE:
            for close in range(at + 1, len(self.text.words)):
                if self.text.words[close] == QUOTE:
                    inside = self.text.text[
                        self.text.tokens[at].end : self.text.tokens[close].start
                    ]
                    if value := ' '.join(inside.split()):
                        yield close + 1, value, 0
                    return
            return
        if pattern.type.kind is SkillKind.ASK:
            # "Ask Tom to bring the cup": who shall bring it?
            return
        behind = rest[0].lead[:1] if rest else ()
        for close in range(at + 1, min(len(self.text.words), at + _MOST_TEXT) + 1):
            last = self.text.tokens[close - 1]
            if last.start in self._risky or last.text in ('\n', QUOTE):
                return
            if last.text in SIGNS:
                continue
            follows = self.text.word(close)
            ends = not follows or follows in SIGNS or follows in POLITE | {'and', 'then'}
            told = self.text.text[self.text.tokens[at].start : last.end]
            if end:
                ends = self.text.text[last.end :].lstrip().startswith(end)
            if ends or (behind and follows == behind[0]):
                yield close, ' '.join(told.split()), close - at

    # Adverbials --------------------------------------------------------------------------------

    def _adverbials(
        self, at: int, told: _Filling, most: int = _MOST_ADVERBS
    ) -> Iterator[tuple[int, _Filling]]:
        """Adverbials in a row; none, too."""
        yield at, told
        for end, filling in (
            self._adverbial(at, told) if most and at < len(self.text.words) else ()
        ):
            yield from self._adverbials(end, filling, most - 1)

    def _adverbial(self, at: int, told: _Filling) -> Iterator[tuple[int, _Filling]]:
        for end in _IDLE.at(self.text.words, at):
            # "back" is a way that its place tells; alone it is one that nobody knows.
            if self.text.words[at] != 'back' or self.text.word(end) in PREPOSITIONS:
                yield end, told.dearer(_ADVERB)
        for end in _AGAIN.at(self.text.words, at):
            yield end, replace(told.dearer(_ADVERB), again=True)
        if not told.times:
            for end, times in self._often(at):
                yield end, replace(told, times=times)
        if self.text.words[at] == 'each' and told.is_of_several:
            yield at + 1 + (self.text.word(at + 1) == 'time'), told.dearer(_ADVERB)
        for end, where in (*self._place(at), *self._level(at)):
            if all(one.type.kind is not where.type.kind for one in told.where):
                # There first, and then down: a way may lead over the surface.
                both = sorted((*told.where, where), key=lambda one: not one.anyhow)
                yield end, replace(told.dearer(_GAP), where=tuple(both))

    def _often(self, at: int) -> Iterator[tuple[int, int]]:
        """ "twice", "three times"."""
        if self.text.words[at] in _TIMES:
            yield at + 1, _TIMES[self.text.words[at]]
        for end, value in self.text.number(at, ''):
            if (
                self.text.word(end) == 'times'
                and value.isdecimal()
                and 0 < int(value) <= _MOST_TIMES
            ):
                yield end + 1, int(value)

    def _place(self, at: int) -> Iterator[tuple[int, SaidSkill]]:
        """ "at the south pile", "there": what brings the robot there."""
        for move in self._skills.moves:
            (slot,) = move.slots
            if self.text.words[at] == THERE:
                end, names = self._referents.of(at, slot, self._start)
                if names and not slot.objection(names[0]):
                    yield end, SaidSkill(move, names, anyhow=True)
            elif self.text.words[at] in _AT and at + 1 < len(self.text.words):
                for begin in self.text.behind_articles(at + 1):
                    for end, name, _ in self.text.names_at(begin, slot):
                        if not slot.objection(name):
                            yield end, SaidSkill(move, (name,), anyhow=True)

    def _level(self, at: int) -> Iterator[tuple[int, SaidSkill]]:
        """ "at 5 m", "at a depth of 5 m": what brings the robot's own number there."""
        if self.text.words[at] != 'at':
            return
        ways: dict[int, set[SaidSkill]] = {}
        for skill, name in self._skills.settings:
            (slot,) = skill.slots
            unit = slot.bounds.unit if slot.bounds is not None else ''
            words = key_of(name)
            begin = at + 1 + (self.text.word(at + 1) in ARTICLES)
            if self.text.words[begin : begin + len(words)] == words:
                begin += len(words) + (self.text.word(begin + len(words)) == 'of')
            for end, value in self.text.number(begin, UNITS.get(unit, unit)):
                is_told = self.text.word(end - 1) == '%' or self.text.word(end - 1) in UNITS
                if unit and is_told and not slot.objection(value):
                    if self.text.words[end : end + len(words)] == words:
                        end += len(words)
                    ways.setdefault(end, set()).add(SaidSkill(skill, (value,)))
        for end, skills in ways.items():
            if len(skills) == 1:
                yield end, next(iter(skills))

    # Skills ------------------------------------------------------------------------------------

    def _skills_of(self, pattern: Pattern, told: _Filling) -> Iterator[tuple[SaidSkill, ...]]:
        """The skills of a clause, one for each name of a list; none where they say nothing."""
        skill, values = pattern.type, dict(told.values)
        if not all(_may_be_done_at(skill, one) for one in told.where):
            return
        lists = [number for number, names in told.values if len(names) > 1]
        if len(lists) > 1 or any(not _takes_lists(skill, number) for number in lists):
            return
        rows = list(product(*(values[number] for number in range(len(skill.slots)))))
        named = [n for n, slot in enumerate(skill.slots) if slot.type.is_name]
        if lists or told.refers:
            if any(len({row[n] for n in named}) < len(named) for row in rows):
                # Nothing is pumped from a thing into itself.
                return
        opened = tuple(sorted(told.open))
        yield tuple(
            SaidSkill(skill, row, told.times, opened, told.refers, told.again) for row in rows
        )


def _may_be_done_at(skill: SkillType, where: SaidSkill) -> bool:
    """Test that "at a place" beside a skill places the robot, and tells no thing apart."""
    if where.type.template == skill.template:
        return False
    if where.type.kind is SkillKind.MOVE and where.anyhow:
        return skill.kind is not SkillKind.MOVE and not any(s.type.is_name for s in skill.slots)
    return True


def _takes_lists(skill: SkillType, number: int) -> bool:
    """Test that each name of a list is one more skill: no thing is put at two places."""
    return skill.kind is not SkillKind.PUT or number == 0
