"""From the words of an instruction to the conditions that it asks for.

A text is read word by word: verbs, names with their numbers, prepositions, states and pronouns.
What a clause leaves unsaid (verb, place, things) is taken over from the one before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import Relation
from reactree_planner.instructions.clauses import gerund_of
from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.clauses import Sense
from reactree_planner.instructions.condition_words import Act
from reactree_planner.instructions.condition_words import ANY_THINGS
from reactree_planner.instructions.condition_words import AT
from reactree_planner.instructions.condition_words import BE
from reactree_planner.instructions.condition_words import BESIDE
from reactree_planner.instructions.condition_words import BETWEEN
from reactree_planner.instructions.condition_words import DEFINITE
from reactree_planner.instructions.condition_words import EVERY
from reactree_planner.instructions.condition_words import FURTHER
from reactree_planner.instructions.condition_words import INTO
from reactree_planner.instructions.condition_words import LEAD_INS
from reactree_planner.instructions.condition_words import LYING
from reactree_planner.instructions.condition_words import NUMBERS
from reactree_planner.instructions.condition_words import OWN
from reactree_planner.instructions.condition_words import PARTS
from reactree_planner.instructions.condition_words import PERHAPS
from reactree_planner.instructions.condition_words import PREPOSITIONS
from reactree_planner.instructions.condition_words import PRONOUNS
from reactree_planner.instructions.condition_words import RELATIVE
from reactree_planner.instructions.condition_words import REST
from reactree_planner.instructions.condition_words import SOURCE
from reactree_planner.instructions.condition_words import SUBJECTS
from reactree_planner.instructions.condition_words import Verb
from reactree_planner.instructions.condition_words import WANT
from reactree_planner.instructions.condition_words import WHEN
from reactree_planner.instructions.condition_words import Words
from reactree_planner.instructions.conditions import ALL
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.names import DETERMINERS
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind

#: Stands in a text for a name that nobody knows.
UNNAMED = 'unnamedthing'
_ARROWS = ('->', '→', '=>')
_MOST = 999


@dataclass(frozen=True, slots=True)
class _Item:
    """A name with what stands before it.

    :param count: `ALL` or 1..999. :param told: whether a number stands there.
    :param is_new: "a crate", "two crates", not "the crate". :param states: adjectives.
    """

    mention: Mention
    count: int = 1
    told: bool = False
    is_new: bool = False
    states: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        return self.mention.text

    @property
    def is_place(self) -> bool:
        return self.mention.kind in (NameKind.PLACE, NameKind.REGION)


@dataclass
class _Clause:
    """What has been read since the last verb.

    :param place: where its things shall be. :param verb_end: index behind its last verb.
    :param emitted: conditions of the text before this clause's last place.
    """

    verbs: list[Verb] = field(default_factory=list)
    group: list[_Item] = field(default_factory=list)
    place: Mention | None = None
    verb_end: int = 0
    emitted: int = -1

    @property
    def act(self) -> Act | None:
        """Of the last verb."""
        return self.verbs[-1].act if self.verbs else None


class _Reader:
    """Reads the conditions of one text."""

    def __init__(self, text: str, domain: Words) -> None:
        self._domain = domain
        self._reading = read_clauses(text, domain.names.verbs)
        self._words = self._reading.words
        self._mentions = {one.start: one for one in domain.names.find_all(text)}
        self._ends = {one.end for one in self._mentions.values()}
        spans = self._reading.spans
        self._gaps = [
            text[spans[i - 1][1] if i else 0 : span[0]].strip(' ') for i, span in enumerate(spans)
        ]
        self._gaps.append(text[spans[-1][1] :].strip(' ') if spans else '')
        self._found: list[tuple[Condition, bool]] = []
        #: What only a verb of taking says; dropped where more is said of the thing.
        self._held: list[Condition] = []
        self._moved_to = ''
        #: Classes that something else happens to, and places that only hold them.
        self._handled: set[str] = set()
        self._used_up: set[str] = set()
        self._now = _Clause()
        self._last: tuple[_Item, ...] = ()
        self._last_place: Mention | None = None
        self._place_of: dict[str, Mention] = {}
        self._preposition, self._preposition_at = '', 0
        #: Whether the next place only tells where something is.
        self._is_whereabouts = self._is_source = False
        #: What was opened last, and whose a part is: "open the truck door, ... shut the door".
        self._opened: Mention | None = None
        self._owners: dict[str, Mention] = {}
        self._named: set[str] = set()

    def read(self) -> tuple[Condition, ...]:
        """All of them, each once, in the order of the text."""
        i, count = 0, len(self._words)
        while i < count:
            if i in self._reading.begins and i:
                self._begin_sentence(i)
            if any(arrow in self._gaps[i] for arrow in _ARROWS):
                self._preposition = 'to'
            i = self._step(i)
        self._flush()
        return self._conditions()

    def _step(self, i: int) -> int:
        """Read the word at an index; the index of the next."""
        mention = self._mentions.get(i)
        if self._reading.senses[i] is not Sense.ASKED or i in self._reading.marks:
            if mention is not None and mention.kind is NameKind.THING and not self._now.group:
                # "do not drop the crates; put them on the truck"
                self._last = (self._item(mention),)
            return i + 1
        word = self._words[i]
        if word == UNNAMED:
            return self._take_unnamed(i)
        if mention is not None and not self._is_verb_here(i, mention):
            if self._is_part(i):
                owner = self._mention_before(i)
                assert owner is not None
                self._owners[mention.name] = owner
            else:
                self._take_name(self._owner_of(mention))
            self._end_of_place(mention.end)
            return mention.end
        now = self._now
        if word in WHEN and self._is_aside(i):
            end = self._behind_aside(i)
            aside = (one for start, one in self._mentions.items() if i <= start < end)
            self._named.update(one.name for one in aside if one.kind is NameKind.THING)
            return end
        if word in OWN and self._preposition in AT and now.group:
            # "two crates in your inventory"
            self._hold(i)
        elif word in LYING and (i in self._ends or self._words[i - 1] in BE):
            self._is_whereabouts = self._is_whereabouts or i in self._ends
        elif word in PERHAPS:
            self._is_whereabouts = True
        elif word in RELATIVE and i in self._ends:
            return self._read_relative(i)
        elif self._state_at(i) and self._is_told_state(i):
            self._take_state(i)
        elif word in BE or (word in ('has', 'have') and now.group and now.act is not Act.PUT):
            self._assert()
            if self._words[i - 1] == 'to' and not now.group:
                state = self._state_at(i + 1) if i + 1 < len(self._words) else ''
                if state and not self._is_whereabouts:
                    # "to be washed:", and then what
                    now.verbs = [Verb(Act.STATE, state)]
        elif (verb := self._verb_at(i)) is not None:
            self._begin_verb(verb[0], i, verb[1])
            return verb[1]
        elif word in INTO | AT | SOURCE:
            if self._breaks(i) or word in INTO:
                self._is_whereabouts = self._is_source = False
            self._take_preposition(i)
        elif word == 'there' and self._last_place is not None and not self._is_told_there(i):
            self._preposition = 'in'
            self._take_name(self._last_place)
            self._preposition = ''
        elif self._is_pronoun(i):
            return self._take_pronoun(i)
        elif word in ('with', 'for', 'like') and self._words[i - 1] not in ('along', 'together'):
            self._preposition, self._preposition_at = word, i
        return i + 1

    # Words ------------------------------------------------------------------------------------

    def _word(self, i: int) -> str:
        return self._words[i] if 0 <= i < len(self._words) else ''

    def _breaks(self, i: int) -> bool:
        """Whether a sentence, line or part of a list ends before a word."""
        if i >= len(self._words) or i in self._reading.begins or i in self._reading.marks:
            return True
        return bool(self._gaps[i])

    def _is_first(self, i: int) -> bool:
        """Whether a clause begins here, but for words that lead in."""
        k = i
        while not self._breaks(k) and k > 0:
            if self._words[k - 1] in ('and', 'then', 'to', 'please', 'or', 'but', 'not', 'mind'):
                return True
            if self._words[k - 1] not in LEAD_INS or k - 1 in self._mentions:
                return False
            k -= 1
        return True

    def _verb_at(self, i: int) -> tuple[Verb, int] | None:
        if i in self._mentions and i + 1 == self._mentions[i].end and not self._is_first(i):
            return None
        return self._domain.verb_at(self._words, i, self._is_first(i))

    def _is_verb_here(self, i: int, mention: Mention) -> bool:
        """Whether a word that is a name too is a verb here: "label the crates"."""
        if mention.end - mention.start > 1 or not self._is_first(i):
            return False
        behind = self._word(i + 1)
        follows = behind in ('the', 'a', 'an', 'all', 'my', 'it', 'them') or behind in NUMBERS
        return (follows or behind.isdigit()) and not self._gaps[i + 1] and bool(self._verb_at(i))

    def _is_part(self, i: int) -> bool:
        """Whether a name is only a part of the one right before it: "the truck door"."""
        return self._words[i] in PARTS and not self._gaps[i] and i in self._ends

    def _owner_of(self, mention: Mention) -> Mention:
        """The thing itself where only a part of it is named, as before."""
        owner = self._owners.get(mention.name)
        if owner is None or mention.instance is not None:
            return mention
        return replace(owner, start=mention.start, end=mention.end)

    def _state_at(self, i: int) -> str:
        return self._domain.states.get(self._words[i], '')

    def _is_told_state(self, i: int) -> bool:
        """Whether a state's word tells what the things before it shall be."""
        before, behind = self._word(i - 1), self._word(i + 1)
        ends = self._breaks(i + 1) or behind in (
            'and', 'then', 'or', 'before', 'after', 'when', 'as', 'again', 'please', 'for', 'so',
            'once', 'while', 'but', 'too', 'by', 'until', 'now',
        )  # fmt: skip
        if not self._now.group:
            # "is off and cleaned": one more state of the same things.
            joined = before in ('and', 'but') and self._word(i - 2) in self._domain.states
            return joined and bool(self._last) and ends
        if self._now.act is Act.STATE and before not in BE:
            return False
        return ends if self._words[i] in ('on', 'off') else ends or before in BE

    def _take_preposition(self, i: int) -> None:
        word, before = self._words[i], self._preposition
        if word == 'to' and i + 1 not in self._mentions and self._verb_at(i + 1):
            return
        if before == 'from' and word in AT:
            return
        if word == 'out' and self._word(i + 1) not in ('of', 'from'):
            return
        if word in ('in', 'inside', 'on') and self._breaks(i + 1):
            # "open the bin and put the crate in"
            if self._last_place is not None and self._now.group and self._is_putting():
                self._preposition = word
                self._take_name(self._last_place)
                self._preposition = ''
            return
        near = word == 'to' and self._word(i - 1) in ('next', 'close')
        self._preposition, self._preposition_at = 'next' if near else word, i

    def _is_putting(self) -> bool:
        return self._now.act in (Act.PUT, Act.BRING)

    def _is_told_there(self, i: int) -> bool:
        """Whether it is the "there" of "there are two crates"."""
        return self._word(i + 1) in BE | {'s'}

    def _is_pronoun(self, i: int) -> bool:
        """Whether a word stands for things, and not before a name: "both crates", "one"."""
        word, behind = self._words[i], self._word(i + 1)
        if word in ANY_THINGS:
            return bool(self._last) and not self._now.group and not self._preposition
        if word in REST and behind in ('one', 'ones', 'two'):
            return bool(self._last)
        if word not in PRONOUNS | REST or not (self._last or word == 'it'):
            return False
        if word in ('it', 'them', 'they', 'everything') or self._breaks(i + 1):
            return True
        if word == 'all' and self._now.group:
            return False
        return behind in PREPOSITIONS | BE | {
            'and', 'then', 'should', 'must', 'back', 'goes', 'go', 'has', 'have', 'belongs',
        }  # fmt: skip

    # What is read -----------------------------------------------------------------------------

    def _begin_sentence(self, i: int) -> None:
        """A new sentence or line; one of names alone goes on with what stands before."""
        self._preposition, self._is_whereabouts, self._is_source = '', False, False
        end = next((k for k in sorted(self._reading.begins) if k > i), len(self._words))
        names = [k for k in range(i, end) if k in self._mentions]
        says_more = any(
            self._words[k] in BE | INTO | AT
            or (self._state_at(k) and k in self._ends)
            or (k not in self._mentions and self._verb_at(k) is not None)
            for k in range(i, end)
        )
        heads = any(self._gaps[k].startswith(':') for k in range(i + 1, end))
        if says_more or heads or not names:
            self._flush()
            if says_more or heads or i not in self._reading.marks:
                self._now = _Clause(verb_end=i)

    def _begin_verb(self, verb: Verb, i: int, end: int) -> None:
        now = self._now
        if verb.act is Act.WANT:
            self._preposition = ''
            if self._asks_gerund(end):
                return
            self._assert()
            if not now.verbs or now.act is Act.WANT:
                now.verbs, now.verb_end = [WANT], end
            if self._words[i] in ('needs', 'need') and now.group and now.group[-1].is_place:
                # "bay 3 needs two crates"
                now.place = now.group.pop().mention
            return
        if verb.act is Act.MOVE and (now.group or self._word(i - 1) in PRONOUNS):
            if not now.verbs or now.act is Act.WANT:
                # "the crates must go on the truck"
                now.verbs, now.verb_end = [WANT], end
                return
        between = set(self._words[now.verb_end : i])
        if now.verbs and not now.group and now.place is None and between <= {'and', 'then', 'or'}:
            # "wash and dry the crates"
            now.verbs.append(verb)
            now.verb_end = end
            return
        self._flush()
        self._now = _Clause([verb], verb_end=end)
        self._preposition, self._is_source = '', False
        if verb.act is not Act.FIND:
            self._is_whereabouts = False

    def _asks_gerund(self, i: int) -> bool:
        """ "the crate needs scanning" """
        if not self._now.group or i >= len(self._words):
            return False
        for verb, told in self._domain.verbs.items():
            if told.act is Act.STATE and self._words[i] == gerund_of(verb[0]).split()[0]:
                self._note_state(self._now.group, told.state)
                self._last, self._now.group = tuple(self._now.group), []
                return True
        return False

    def _assert(self) -> None:
        """ "the crate on the pallet should be ...": the place is where it is now."""
        now = self._now
        if not now.verbs and now.emitted >= 0 and not now.group and self._last:
            del self._found[now.emitted :]
            now.group, now.place, now.emitted = list(self._last), None, -1
        if now.group and now.act in (None, Act.WANT, Act.FIND, Act.TAKE):
            if now.act is Act.TAKE:
                return
            now.verbs = [WANT]

    def _is_aside(self, i: int) -> bool:
        """Whether a clause begins that only tells when or why: "before the guests come, ..."."""
        behind = self._word(i + 1)
        if behind.endswith('ing') and self._verb_at(i + 1) is not None:
            return False
        end = self._behind_aside(i)
        if self._is_first(i) and i in self._reading.begins:
            return end < len(self._words) and end not in self._reading.begins
        return behind in SUBJECTS and bool(self._now.verbs)

    def _behind_aside(self, i: int) -> int:
        """Index of the word behind a clause: behind its sentence, or a comma before a verb."""
        end = i + 1
        while end < len(self._words) and end not in self._reading.begins:
            if self._breaks(end) and any(self._verb_at(k) for k in range(end, self._near(end))):
                break
            end += 1
        return end

    def _near(self, i: int) -> int:
        return min(i + 3, len(self._words))

    def _hold(self, i: int) -> None:
        now = self._now
        for item in now.group:
            self._note(Condition(Relation.HOLDING, item.subject, '', item.count), item.is_new)
        self._last, now.group, self._preposition = tuple(now.group), [], ''

    def _read_relative(self, i: int) -> int:
        """ "which is on the pallet": where it is now; "which should be on": what it shall be."""
        k = i + 1
        wanted = self._word(k) in ('should', 'must', 'has', 'have')
        while self._word(k) in BE | {'should', 'must', 'to', 'has', 'have', 'then', 'turned',
                                     'switched'}:  # fmt: skip
            k += 1
        last = self._mention_before(i)
        if k > i + 1 and k < len(self._words) and self._state_at(k) and last is not None and (
            self._words[k] not in ('on', 'off') or self._breaks(k + 1)
        ):  # fmt: skip
            self._note(Condition(Relation.IS, last.text, self._state_at(k)), False)
            return k + 1
        self._is_whereabouts = not wanted
        return k

    def _mention_before(self, i: int) -> Mention | None:
        return next((one for one in self._mentions.values() if one.end == i), None)

    def _end_of_place(self, i: int) -> None:
        """Read on behind a name; "from the rack in aisle 2" goes on telling where things are."""
        self._is_source = (self._is_source or self._preposition in SOURCE) and not self._breaks(i)
        self._is_whereabouts = self._is_source
        self._preposition = ''

    def _take_unnamed(self, i: int) -> int:
        if self._preposition in INTO | AT and not self._is_whereabouts:
            # Whatever shall be there: the place is not known.
            self._last, self._now.group = tuple(self._now.group), []
        self._end_of_place(i + 1)
        if self._now.verb_end <= i:
            self._now.verb_end = 0
        return i + 1

    def _item(self, mention: Mention) -> _Item:
        """A name with the number, determiners and states before it."""
        words, i = self._words, mention.start - 1
        number, told, further, definite, indefinite = 1, False, False, False, False
        states: list[str] = []
        while i >= 0 and mention.start - i <= 6 and i not in self._reading.marks:
            word = words[i]
            if self._gaps[i + 1].strip('-') or i + 1 in self._reading.begins:
                break
            if word in EVERY:
                number, told = ALL, True
            elif word.isdigit() or word in NUMBERS:
                if word in ('a', 'an'):
                    indefinite = True
                elif number != ALL:
                    number = min(int(word) if word.isdigit() else NUMBERS[word], _MOST)
                    told = True
                if word not in ('a', 'an') and self._word(i - 1) not in EVERY | {'a', 'the'}:
                    further = further or word == 'another'
                    break
            elif word in FURTHER:
                further = True
            elif word in DEFINITE:
                definite = True
            elif word in self._domain.states and word not in ('on', 'off', 'open'):
                states.append(self._domain.states[word])
            elif word not in BETWEEN and (
                i + 1 in self._ends
                or word in PREPOSITIONS | {'and', 'or', 'then'}
                or self._verb_at(i) is not None
            ):
                break
            i -= 1
        is_new = (told or further or indefinite) and not (definite and not told)
        return _Item(mention, number, told, is_new, tuple(states))

    def _take_name(self, mention: Mention) -> None:
        if not self._reaches(mention.start):
            self._preposition = ''
        now, preposition = self._now, self._preposition
        item = self._item(mention)
        if mention.kind is NameKind.THING:
            self._named.add(mention.name)
        if preposition in ('with', 'for', 'like'):
            self._take_with(item, preposition)
        elif preposition in SOURCE or (self._is_whereabouts and (preposition or item.is_place)):
            self._handled.add(mention.name)
            self._last_place = mention
        elif preposition:
            self._take_place(mention, preposition, item.is_place)
        else:
            heads = item.is_place and self._gaps[mention.end].startswith(':')
            if heads and not now.group and now.act in (None, Act.PUT, Act.WANT):
                # "truck: two crates, a barrel"
                now.place, now.verbs = mention, now.verbs or [WANT]
            else:
                now.group.append(item)
            if item.is_place:
                self._last_place = mention

    def _reaches(self, start: int) -> bool:
        """Whether the last preposition is that of a name: not in "by tonight the crates ..."."""
        between = self._words[self._preposition_at + 1 : start]
        if 'of' in between:
            return True
        noun = False
        for word in between:
            if word in DETERMINERS | DEFINITE and noun:
                return False
            noun = word not in DETERMINERS | BETWEEN | EVERY and not word.isdigit()
        return True

    def _take_with(self, item: _Item, preposition: str) -> None:
        now = self._now
        if preposition == 'for' and now.act is Act.FIND:
            # "check the rack for a crate"
            now.group = [item]
        elif preposition == 'for' and item.is_place and (
            self._gaps[item.mention.end].startswith((':', ','))
        ) and not now.group:  # fmt: skip
            now.place = item.mention
        elif preposition == 'with' and now.act is Act.PUT and now.group and now.place is None:
            # "fill the truck with crates"
            now.place = self._last_place = now.group.pop().mention
            now.group.append(item)
        elif preposition == 'with' and now.act is Act.MOVE:
            self._flush()
            self._now = _Clause([Verb(Act.TAKE)], [item], verb_end=item.mention.start)

    def _take_place(self, mention: Mention, preposition: str, is_place: bool) -> None:
        """A place behind a preposition: where things shall be, or are now."""
        now = self._now
        if now.act is Act.MOVE and not now.group:
            now.group.append(_Item(mention))
            self._last_place = mention
            return
        if now.act is Act.FIND:
            self._look_by(mention, preposition)
            return
        if not is_place and preposition in BESIDE:
            beside = self._place_of.get(mention.name)
            if beside is None:
                return
            mention = beside
        self._last_place = mention
        whereabouts = now.act is Act.TAKE and preposition in AT - BESIDE
        if whereabouts and not now.group and self._list_follows(mention.end):
            # "collect in the truck the crates and the drum"
            now.verbs, now.place = [Verb(Act.PUT)], mention
            return
        if whereabouts or now.act is Act.STATE:
            self._handled.add(mention.name)
            return
        if self._is_putting() and not now.group and now.place is None and self._last:
            if not self._list_follows(mention.end):
                # "find two crates and put on the truck"
                now.group = [replace(item, is_new=False) for item in self._last]
        at = self._preposition_at
        if self._word(at - 1) == 'and' and self._word(at - 2) in self._domain.states:
            # "all crates scanned and on the truck"
            now.group = now.group or [replace(item, is_new=False) for item in self._last]
        movable = [item for item in now.group if not item.is_place]
        if movable:
            if now.act is Act.TAKE:
                now.verbs = [Verb(Act.PUT)]
            now.emitted = len(self._found)
            self._emit(movable, mention)
            self._last, now.group, now.place = tuple(movable), [], mention
        elif now.emitted >= 0 and now.place is not None:
            self._refine(mention, preposition)
        elif not now.group:
            now.place = mention

    def _look_by(self, mention: Mention, preposition: str) -> None:
        """ "look at the label under the lamp": held in its light."""
        now = self._now
        if not now.group:
            if preposition in ('at', 'on'):
                now.group.append(self._item(mention))
            self._handled.add(mention.name)
        elif preposition in ('under', 'by', 'near', 'beside') and self._domain.switching:
            state = self._domain.states.get('on', '')
            if state and mention.kind is not NameKind.REGION:
                self._found += [
                    (Condition(Relation.HOLDING, item.subject), False) for item in now.group
                ]
                self._note(Condition(Relation.IS, mention.text, state), False)
                now.group = []

    def _refine(self, mention: Mention, preposition: str) -> None:
        """A second place: "the crate on the pallet into the truck" ends in the truck."""
        now = self._now
        assert now.place is not None
        is_place = mention.kind not in (NameKind.THING, NameKind.REGION)
        # "the glue in a bottle on the shelf": what is movable only tells what the thing is in.
        vague = now.place.kind is NameKind.REGION or (
            now.place.kind is NameKind.THING and is_place
        )
        if mention.kind is NameKind.REGION or not (preposition in INTO or vague):
            return
        self._found[now.emitted :] = [
            (replace(one, value=mention.text) if one.relation is Relation.IN else one, is_new)
            for one, is_new in self._found[now.emitted :]
        ]
        now.place = mention

    def _list_follows(self, i: int) -> bool:
        """Whether things are told behind a place: "put on the truck: two crates"."""
        if i >= len(self._words):
            return False
        if self._gaps[i].startswith(':'):
            return True
        word = self._words[i]
        return not self._gaps[i] and (
            i in self._mentions or word.isdigit() or word in NUMBERS or word in DEFINITE
        )

    def _take_pronoun(self, i: int) -> int:
        now, word, preposition = self._now, self._words[i], self._preposition
        end = i + 2 if word in REST and self._word(i + 1) in ('one', 'ones', 'two') else i + 1
        self._preposition = ''
        if preposition in SOURCE or preposition == 'with':
            self._used_up.update(item.mention.name for item in self._last)
        elif preposition and preposition != 'of' and now.act is not Act.FIND:
            if self._last_place is not None and word == 'it':
                self._preposition = preposition
                self._take_place(self._last_place, preposition, True)
                self._preposition = ''
        elif word == 'it' and self._last_place is not None and self._is_switched(end):
            now.group.append(_Item(self._last_place))
        elif self._last:
            now.group += self._meant(i, word)
        return end

    def _is_switched(self, behind: int) -> bool:
        """Whether "it" is what is opened or switched: the last place, no thing."""
        now, domain = self._now, self._domain
        states = domain.opening | domain.switching
        if now.act is Act.STATE:
            return now.verbs[-1].state in states
        told = behind < len(self._words) and self._state_at(behind)
        if now.group or not told or told not in states:
            return False
        return (
            self._words[behind] not in ('on', 'off')
            or self._breaks(behind + 1)
            or (self._words[behind + 1] in ('and', 'then', 'when', 'before', 'after'))
        )

    def _meant(self, i: int, word: str) -> list[_Item]:
        """The things that a pronoun stands for."""
        if word in REST | {'one'} and len(self._last) == 1:
            return [replace(self._last[0], count=1, told=True, is_new=True)]
        before = self._word(i - 2) if self._word(i - 1) == 'of' else ''
        if before.isdigit() or (before in NUMBERS and before not in ('a', 'an')):
            number = int(before) if before.isdigit() else NUMBERS[before]
            return [replace(item, count=number, told=True, is_new=False) for item in self._last]
        return [replace(item, is_new=False) for item in self._last]

    # Conditions -------------------------------------------------------------------------------

    def _take_state(self, i: int) -> None:
        now = self._now
        group = now.group or list(self._last)
        self._note_state(group, self._state_at(i))
        self._last = tuple(group)
        now.group = []
        if group and group[-1].is_place:
            self._last_place = group[-1].mention

    def _note_state(self, group: Sequence[_Item], state: str) -> None:
        for item in group:
            self._note(Condition(Relation.IS, item.subject, state, item.count), False)

    def _emit(self, group: Sequence[_Item], place: Mention) -> None:
        for item in group:
            if item.is_place or item.subject == place.text:
                continue
            if not self._now.verbs and item.mention.instance and not item.told:
                # "crates 2, barrels 3 -> truck"
                mention = replace(item.mention, instance=None)
                item = replace(item, mention=mention, count=item.mention.instance)
            self._handled.update((item.mention.name, place.name))
            self._place_of[item.mention.name] = place
            self._note(Condition(Relation.IN, item.subject, place.text, item.count), item.is_new)
            for state in item.states:
                self._note(Condition(Relation.IS, item.subject, state, item.count), False)

    def _note(self, condition: Condition, is_new: bool) -> None:
        self._found.append((condition, is_new))

    def _flush(self) -> None:
        """What the clause asks for, now that all of it is read."""
        now = self._now
        if not now.group:
            return
        place = now.place or (self._opened if now.act is Act.PUT else None)
        if place is not None and now.act in (None, Act.PUT, Act.BRING, Act.WANT):
            self._emit(now.group, place)
        else:
            for verb in now.verbs or [WANT]:
                self._flush_verb(verb, bool(now.verbs))
        things = tuple(item for item in now.group if item.mention.kind is not NameKind.REGION)
        self._last = things or self._last
        now.group = []

    def _flush_verb(self, verb: Verb, is_told: bool) -> None:
        group, makes = self._now.group, self._domain.makes
        if verb.act is Act.STATE:
            self._note_state(group, verb.state)
            if group[-1].is_place:
                self._last_place = group[-1].mention
                if verb.state == self._domain.states.get('open'):
                    self._opened = self._last_place
        elif verb.act is Act.MOVE:
            self._moved_to = group[-1].subject
        elif verb.act is Act.MAKE and makes:
            for item in group:
                made = Condition(Relation.HOLDING, item.subject, '', item.count)
                self._note(made, item.is_new)
        elif verb.act in (Act.TAKE, Act.BRING) or (makes and verb.act in (Act.WANT, Act.FIND)):
            for item in group:
                subject, count = item.subject, item.count
                if not is_told and item.mention.instance and not item.told:
                    # "rope 2, chain 1"
                    subject, count = item.mention.name, item.mention.instance
                if not item.is_place:
                    self._held.append(Condition(Relation.HOLDING, subject, '', count))

    def left_out(self) -> tuple[str, ...]:
        """Things that the text names and of which nothing was read; after `read`."""
        told = {class_and_number(one.subject)[0] for one, _ in self._found}
        told |= {class_and_number(one.subject)[0] for one in self._held}
        told |= {class_and_number(one.value)[0] for one, _ in self._found}
        return tuple(sorted(self._named - told - self._used_up - self._handled))

    def _conditions(self) -> tuple[Condition, ...]:
        merged: dict[tuple[Relation, str, str], Condition] = {}
        for condition, is_new in self._found:
            key = (condition.relation, condition.subject, condition.value)
            before = merged.get(key)
            if before is None:
                merged[key] = condition
            elif ALL in (before.count, condition.count):
                merged[key] = replace(before, count=ALL)
            elif is_new and not condition.is_numbered and condition.relation is Relation.IN:
                merged[key] = replace(before, count=min(before.count + condition.count, _MOST))
            else:
                merged[key] = replace(before, count=max(before.count, condition.count))
        more = {one.subject for one in merged.values()} | self._handled | self._used_up
        for condition in self._held:
            if condition.subject not in more:
                merged.setdefault((Relation.HOLDING, condition.subject, ''), condition)
        used = {
            key
            for key, one in merged.items()
            if one.relation is Relation.HOLDING and one.subject in self._used_up
        }
        lasting = tuple(self._lasting([one for key, one in merged.items() if key not in used]))
        if self._moved_to and self._moved_to not in {one.value for one in lasting}:
            if not lasting or self._now.act is Act.MOVE:
                return (*lasting, Condition(Relation.AT, '', self._moved_to))
        return lasting

    def _lasting(self, found: list[Condition]) -> Iterator[Condition]:
        """Without what only leads to another: what is opened to get at a thing; of two states of
        one thing the later stands.
        """
        pairs = (self._domain.opening, self._domain.switching)
        opened = self._domain.states.get('open', '')
        for place, one in enumerate(found):
            if one.relation is Relation.IS:
                if one.value == opened and class_and_number(one.subject)[0] in self._handled:
                    continue
                if any(
                    one.value in pair and other.subject == one.subject and other.value in pair
                    for pair in pairs
                    for other in found[place + 1 :]
                ):
                    continue
            yield one


def read_conditions(text: str, domain: Words) -> tuple[tuple[Condition, ...], tuple[str, ...]]:
    """Conditions that a text in the server's names asks for, and things that it names besides."""
    reader = _Reader(text, domain)
    return reader.read(), reader.left_out()
