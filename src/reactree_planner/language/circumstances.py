"""Rules of what people do and of how the day is: what asks for nothing, what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reactree_planner.language import lexicon
from reactree_planner.language.chart import Found, maybe, rule, SENTENCE_ENDS
from reactree_planner.language.meanings import Noun, Place, Reference, Shall
from reactree_planner.language.names import NameKind
from reactree_planner.language.quantities import Quantities

#: What may stand before a circumstance and behind it.
_AROUND = SENTENCE_ENDS | {',', ':', '"', 'and', 'so', 'but'}
_MOST_WORDS = 12
_IT = lexicon.words('it them they')
#: What stands between a place and what people will have with them there.
_AND_USE = (maybe(','), maybe('and'), maybe('i we they'), maybe('will'), lexicon.NEEDING)
_LOOK_FOR = lexicon.phrases('look for|expect', lexicon.NEEDING)
#: With one of these it is a wish, takes something back, or ties to another clause.
_WISHING = frozenset().union(
    lexicon.LACKING, lexicon.SHALL, lexicon.FALSE, lexicon.TYING, lexicon.NUMBERS, lexicon.EVERY,
    lexicon.words('once twice half tomorrow yesterday noon later next as like'),
)  # fmt: skip


class Circumstances(Quantities):
    """Rules of clauses that tell of people, of the day, and of what machines can do."""

    @rule
    def clause(self, at: int) -> Iterable[Found]:
        """Anything that asks for something."""
        yield from super().clause(at)
        yield from self.occasion(at)
        yield from self.treatment(at)

    # Nothing is asked ------------------------------------------------------------------------

    @rule
    def circumstance(self, at: int) -> Iterable[Found]:
        """ "My aunt is coming", "before the guests arrive", "It is late today"."""
        if self.word(at) == 'before':
            # "before the guests arrive", "before we leave"
            of_people = self.word(at + 1) in lexicon.DEFINITE and self._may_be_name(at + 2, True)
            told = [at + 3] if of_people else [at + 2] if self._is_person(at + 1) else []
        else:
            told = list(self._told_of(at)) if self.word(at - 1) in _AROUND else []
        for verb in told:
            end = at + 1
            while self.tells_nothing(end) and end < at + _MOST_WORDS:
                end += 1
            is_wish = not _WISHING.isdisjoint(self.words[at + 1 : end])
            ends = verb < end and self.word(end) in _AROUND
            if ends and not is_wish and not self.is_referred_to(end):
                yield end, 'asks for nothing', 2

    def is_referred_to(self, at: int) -> bool:
        """Whether "it" follows before a name: "I have a cat. Lift it."."""
        follows = (i for i in range(at, len(self.words)) if self.word(i) in _IT or self.name(i))
        first = next(follows, None)
        return first is not None and self.word(first) in _IT and self.word(first + 1) != 'will'

    def _told_of(self, at: int) -> Iterator[int]:
        """Where the verb of a clause stands that tells of somebody, or of the day."""
        begin = at + 1
        if not self._is_person(at):
            # "It is hot": what begins the text has nothing to refer to.
            if self.word(at) in ('it', 'they') and self._named_before(at):
                return
            if self.word(at) not in ('it', 'they', 'there'):
                begin = at + (self.word(at) in lexicon.DEFINITE | lexicon.ARTICLES)
                ends = [end for end, _, _ in self.unknown(begin, True)]
                for verb in ends:
                    if self.word(verb) in lexicon.NOW | lexicon.EVENTS:
                        yield verb
                return
        if self.word(begin) in lexicon.NOW | {'am', 'will', 'have', 'had', 'would'}:
            yield begin

    def _is_person(self, at: int) -> bool:
        return self.word(at) in lexicon.PERSONS - {'you', 'it', 'they', 'who'}

    def _named_before(self, at: int) -> bool:
        return any(any(self.name(i)) for i in range(at))

    def tells_nothing(self, at: int) -> bool:
        """Whether a word names nothing, orders nothing, and contrasts nothing."""
        word, before = self.word(at), self.word(at - 1)
        ends = not self.word(at + 1)[:1].isalnum()
        is_state = any(self.domain.states_at(self.words, at)) and (
            ends or word not in (lexicon.ON, lexicon.OFF)
        )
        is_order = self.domain.is_base(word) and before not in lexicon.PERSONS | {'will', 'to'}
        is_tied = word in lexicon.CONTRASTING or is_order
        return word[:1].isalnum() and not (is_tied or is_state or any(self.name(at)))

    # It follows what shall be where ----------------------------------------------------------

    def occasion(self, at: int) -> Iterator[Found]:
        """ "We eat at the pier tonight and will use two trays", "a tray would be nice, I will sit
        at the pier": what people will have with them at a place shall be there."""
        used = (_AND_USE, ('with',)) if self.word(at) == 'let' else (_AND_USE,)
        told = (one for joint in used for one in self.row(at, self._stay, *joint, self.things))
        for end, (place, things), cost in told:
            if not lexicon.FUTURE.isdisjoint(self.words[at:end]):
                yield end, (Shall(things, (), place, start=at, end=end),), cost
        stays = self.row(at, self.things, lexicon.PLEASING, ',', self._stay)
        for end, (things, place), cost in stays:
            yield end, (Shall(things, (), place, start=at, end=end),), cost
        # "they will look for a tray on the pier"
        will = (lexicon.PERSONS, 'will', _LOOK_FOR, self.things, self.destination)
        for end, (things, place), cost in self.row(at, *will):
            yield end, (Shall(things, (), place, start=at, end=end),), cost

    def _stay(self, at: int) -> Iterator[Found]:
        """ "we eat at the pier tonight", "let me rest at the pier", "lunch at the pier"."""
        begin = at + (self.word(at) == 'when')
        end = begin
        while end < begin + 4 and (end == begin or self.word(end) not in lexicon.PREPOSITIONS):
            end += 1
        first, last = self.word(begin), self.word(end - 1)
        goes = self._is_person(begin) or self.words[begin : begin + 2] == ('let', 'me')
        known = any(any(self.name(i)) for i in range(begin, end))
        if known or not (goes or (end == begin + 1 and self._may_be_name(begin, False))):
            return
        if (first == last and goes) or last in lexicon.CLOSED - {'come'}:
            return
        for behind, (place,), cost in self.row(end, lexicon.PREPOSITIONS, self.place):
            if isinstance(place, Noun) and place.kind is NameKind.PLACE:
                yield behind + (self.word(behind) in lexicon.TODAY), Place(place), cost

    @rule
    def treatment(self, at: int) -> Iterable[Found]:
        """ "Clean two trays: into the washer", "two trays are dirty. The washer can clean them":
        a verb that no skill has, and how it is done all the same."""
        wish = (lexicon.WISHERS, lexicon.WISHES, self.things, 'to', 'be', self._strange)
        told = [(end + (self.word(end) in lexicon.TODAY), things)
                for end, (things, _), _ in self.row(at, *wish)]  # fmt: skip
        told += [(end, things) for end, (_, things), _ in self.row(at, self._strange, self.things)]
        for begin, things in told:
            for end, (place,), cost in self.row(begin, ':', self.destination):
                yield end, (Shall(things, (), place, start=at, end=end),), cost + 2
        dirty = (self.things, lexicon.NOW, self._strange, '.')
        does = (self.place, lexicon.MODALS, self._strange, self.pronoun)
        for end, (things, _), cost in self.row(at, *dirty):
            for behind, (machine, _, pronoun), more in self.row(end, *does):
                works = self.domain.states.get((lexicon.ON,), '')
                fits = isinstance(machine, Noun) and self.domain.may_be(
                    machine.kind, machine.name, works
                )
                if fits and pronoun.reference in (Reference.SEVERAL, Reference.ONE):
                    behind += self.word(behind) in lexicon.TODAY
                    there = Shall(things, (), Place(machine, into=True), start=at, end=behind)
                    on = Shall((machine,), (works,), start=at, end=behind)
                    yield behind, (there, on), cost + more + 2

    def _strange(self, at: int) -> Iterator[Found]:
        if self._is_strange(at):
            yield at + 1, None, 0

    def _is_strange(self, at: int) -> bool:
        """Whether a word may be a verb, or a state, that no skill has."""
        word = self.word(at)
        closed = word in lexicon.CLOSED or self.domain.is_verb(word) or any(self.name(at))
        return word.isalpha() and not closed and (word,) not in self.domain.states
