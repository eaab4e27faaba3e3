"""From the words of an instruction to the conditions that it asks for.

English grammar, the names of the skill server and the effects of its skills; no world's words. A
sentence is read word by word: verbs, names with their numbers, prepositions, states and pronouns;
what a clause leaves unsaid (verb, place, things) is taken over from the one before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from enum import Enum

from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_planner.instructions.clauses import gerund_of
from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.clauses import Sense
from reactree_planner.instructions.clauses import word_set
from reactree_planner.instructions.clauses import words_of
from reactree_planner.instructions.conditions import ALL
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names

#: Numbers as words; "a few" and the like say no number that could be checked.
NUMBERS = {
    'one': 1, 'two': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6, 'seven': 7, 'eight': 8,
    'nine': 9, 'ten': 10, 'eleven': 11, 'twelve': 12, 'dozen': 12, 'both': 2, 'pair': 2,
    'couple': 2, 'twice': 2, 'another': 1, 'a': 1, 'an': 1, 'single': 1,
}  # fmt: skip
_EVERY = word_set('all every each any remaining rest')
#: After which a thing is another one than those named before.
_FURTHER = word_set('another additional more second third fourth other extra')
_DEFINITE = word_set('the that this these those said same its their')
#: Words between a number and a name: "2 of the empty crates", "a pair of gloves".
_BETWEEN = word_set('of the these those my our your his her their')
PRONOUNS = word_set('it them they these those both everything ones one')
_SINGULAR = word_set('it one')
#: Nouns that stand for whatever was named before.
_ANY_THINGS = word_set('item items thing things object objects stuff lot')
#: What belongs to the thing named right before: "the truck door".
_PARTS = word_set('door doors lid drawer drawers handle shelf shelves rack compartment cover')
BE = word_set('is are be being been')
_RELATIVE = word_set('which that where who')
_BEFORE_STATES = word_set('get got left stays both all')

#: Prepositions before a place where something shall be, or is.
_INTO = word_set('into onto to')
_AT = word_set('in inside on upon at within under near beside by atop')
_SOURCE = word_set('from off out')
_BESIDE = word_set('near beside by next')
PREPOSITION_WORDS = _INTO | _AT | _SOURCE | word_set('with for of as next')


class Act(Enum):
    """What a verb asks for."""

    PUT = 'put'
    TAKE = 'take'
    MOVE = 'move'
    MAKE = 'make'
    #: A state of its things; its word is told beside it.
    STATE = 'state'
    #: Things that shall be at a place, where one is told: "I want two crates on the truck".
    WANT = 'want'
    FIND = 'find'
    #: Whatever asks for nothing that is known.
    OTHER = 'other'


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb as it is used. :param state: the word of STATE, e.g. 'on'."""

    act: Act
    state: str = ''


_WORDS_OF_ACTS = {
    Act.PUT: 'put puts putting place placing set setting lay laying leave store storing stow '
    'bring brings bringing carry carrying move moving deliver delivering load loading drop '
    'dropping return returning transfer transferring hang stack stacking arrange add throw '
    'position deposit insert stick stash ship relocate send pack toss pop dump rest serve '
    'unload distribute stock park shove tuck drag haul slide park gather assemble file',
    Act.TAKE: 'take taking get getting fetch fetching grab grabbing pick picking collect '
    'collecting hold holding obtain acquire retrieve remove gather bring',
    Act.MOVE: 'go going walk head drive travel proceed come navigate run',
    Act.MAKE: 'make making craft crafting build building create produce manufacture cook prepare',
    Act.WANT: 'want need like love have having wish require should must belong belongs go '
    'goes end ends sit sits needs wants',
    Act.FIND: 'find finding look search locate check see watch examine inspect use using',
}
_ACTS = {word: act for act, words in reversed(_WORDS_OF_ACTS.items()) for word in words.split()}
#: Verbs that are nouns or modals elsewhere: they count at a clause's beginning only.
_ONLY_FIRST = word_set(
    'place set store rest stack file park load ship pack stock drop hold run head look check use '
    'slide need'
)
#: Words that may stand between a clause's beginning and its verb.
LEAD_INS = word_set(
    'please kindly just also now so then and but or first firstly second secondly third thirdly '
    'next finally lastly after afterwards afterward later simply only ok okay hey hi hello robot '
    'carefully quickly could can would will you i we to us let me must should have need needs '
    'want d like ll try be sure make that done once you ve it go ahead step next your job is task '
    'today thing last'
)
_PARTICLES = {'on': 'on', 'off': 'off', 'up': '', 'down': '', 'back': '', 'away': '', 'out': ''}
_SWITCHING = word_set('turn turning switch switching flip power set leave keep have')
_USUAL_STATES = {
    SkillKind.OPEN: ('open', 'open opened opening unlock'),
    SkillKind.CLOSE: ('closed', 'close closed closing shut shutting'),
    SkillKind.SWITCH_ON: ('on', 'start activate'),
    SkillKind.SWITCH_OFF: ('off', 'stop deactivate'),
}


class Words:
    """What the words of one skill server's domain do: verbs of its skills, words of its states.

    :param names: with the skill types that its templates are.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        #: Beginnings of clauses: words -> verb, e.g. ('switch', 'on').
        self.verbs: dict[tuple[str, ...], Verb] = {}
        #: Words of states: 'scanned' -> 'scanned', 'heated' -> 'hot'.
        self.states: dict[str, str] = {}
        for skill in names.skill_types:
            verb = words_of(skill.verb)
            if not verb:
                continue
            kinds = {
                SkillKind.TAKE: Act.TAKE,
                SkillKind.PUT: Act.PUT,
                SkillKind.MOVE: Act.MOVE,
                SkillKind.MAKE: Act.MAKE,
                SkillKind.LOOK: Act.FIND,
            }
            state = next(
                (
                    fact.value
                    for fact in skill.facts
                    if fact.relation is Relation.IS and fact.holds and '<' not in fact.value
                ),
                '',
            )
            if skill.kind in kinds:
                self._learn(verb, Verb(kinds[skill.kind]))
            elif state:
                self._learn(verb, Verb(Act.STATE, state))
                self.states.setdefault(state, state)
                self.states.setdefault(_participle(verb[0]), state)
            usual = _USUAL_STATES.get(skill.kind)
            if usual and state:
                for word in usual[1].split():
                    self.verbs.setdefault((word,), Verb(Act.STATE, state))
                self.states.setdefault(usual[0], state)
                if usual[0] in ('on', 'off'):
                    for word in ('turn', 'switch', 'turning', 'switching', 'power'):
                        self.verbs.setdefault((word, usual[0]), Verb(Act.STATE, state))
        self.switches = {
            word: state for word, state in self.states.items() if word in ('on', 'off')
        }
        self._longest = max((len(verb) for verb in self.verbs), default=1)

    def _learn(self, verb: list[str], told: Verb) -> None:
        self.verbs.setdefault(tuple(verb), told)
        self.verbs.setdefault(tuple(words_of(gerund_of(' '.join(verb)))), told)

    def verb_at(self, words: tuple[str, ...], at: int, is_first: bool) -> tuple[Verb, int] | None:
        """The verb that begins at a word, and the index behind it; None for none."""
        for length in range(self._longest, 0, -1):
            verb = self.verbs.get(words[at : at + length])
            if verb is not None and (is_first or length > 1 or not self._is_noun(words[at])):
                return verb, at + length
        word = words[at]
        act = _ACTS.get(word)
        if act is None or (word in _ONLY_FIRST and not is_first):
            return None
        return Verb(act), at + 1

    def _is_noun(self, word: str) -> bool:
        return word in _ONLY_FIRST or word in self.states


def _participle(verb: str) -> str:
    """The past participle of a regular verb: 'scan' -> 'scanned'."""
    stem = gerund_of(verb).removesuffix('ing').split('ing ')[0]
    return verb[:-1] + 'ied' if verb.endswith('y') and verb[-2:-1] not in 'aeiou' else f'{stem}ed'


@dataclass(frozen=True, slots=True)
class _Item:
    """A name with what stands before it.

    :param count: `ALL` or 1..999. :param told: whether a number stands there.
    :param further: another one than those before. :param definite: one that was named before.
    :param is_new: "a crate", "two crates". :param states: adjectives that are states.
    """

    mention: Mention
    count: int = 1
    told: bool = False
    further: bool = False
    definite: bool = False
    is_new: bool = False
    states: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        return self.mention.text


@dataclass
class _Clause:
    """What has been read since the last verb."""

    verbs: list[Verb] = field(default_factory=list)
    group: list[_Item] = field(default_factory=list)
    place: Mention | None = None


class ConditionReader:
    """Reads the conditions of one text."""

    def __init__(self, text: str, domain: Words) -> None:
        self._domain = domain
        self._names = domain.names
        self._reading = read_clauses(text, self._names.verbs)
        self._words = self._reading.words
        self._mentions = {mention.start: mention for mention in self._names.find_all(text)}
        self._gaps = [
            text[self._reading.spans[i - 1][1] if i else 0 : span[0]]
            for i, span in enumerate(self._reading.spans)
        ]
        self._found: list[tuple[Condition, bool]] = []
        self._held: list[Condition] = []
        self._handled: set[str] = set()
        self._now = _Clause()
        self._last: list[_Item] = []
        self._last_place: Mention | None = None
        self._places_of_things: dict[str, Mention] = {}
        self._since = 0

    def read(self) -> tuple[Condition, ...]:
        """All of them, each once, in the order of the text."""
        preposition, skip_place, i = '', False, 0
        words, count = self._words, len(self._words)
        while i < count:
            if i in self._reading.begins and i:
                self._begin_sentence(i)
                preposition, skip_place = '', False
            if self._reading.senses[i] is not Sense.ASKED or i in self._reading.marks:
                i += 1
                continue
            mention = self._mentions.get(i)
            if mention is not None and not self._is_verb_here(i, mention):
                if self._is_part(i):
                    i = mention.end
                    continue
                self._take_name(mention, preposition, skip_place)
                preposition, skip_place = '', False
                i = mention.end
                continue
            word = words[i]
            verb = self._domain.verb_at(words, i, self._is_first(i))
            if word in _RELATIVE and self._last_place is not None and not self._now.group:
                told = self._state_told(i + 1)
                if told:
                    self._note(
                        Condition(Relation.IS, self._last_place.text, self._state_at(told)), False
                    )
                    i = told + 1
                    continue
            if word in _RELATIVE and self._now.group and words[i + 1 : i + 2]:
                # "the crates that are in bay 2": where they are now.
                if words[i + 1] in BE or words[i + 1] in ('you', 'i', 'should') or word == 'which':
                    skip_place = words[i + 1] not in ('should',)
                    i += 2
                    continue
            state = self._state_at(i)
            if state and self._now.group and self._takes_state(i):
                self._emit_state(state)
                i += 1
            elif verb is not None and word not in BE and not self._is_adjective(i):
                self._begin_verb(verb[0], i)
                preposition = ''
                i = verb[1]
            elif word in BE:
                if self._now.group and self._now.verbs[-1:] != [Verb(Act.WANT)]:
                    self._now.verbs = [Verb(Act.WANT)]
                i += 1
            elif word in _INTO | _AT | _SOURCE:
                preposition = self._preposition(i, preposition)
                i += 1
            elif word == 'there' and self._last_place is not None:
                self._take_name(self._last_place, 'in', False)
                i += 1
            elif word in _ANY_THINGS and self._last and not self._now.group and not preposition:
                i = self._take_pronoun(i, preposition)
            elif word in PRONOUNS and self._stands_alone(i):
                i = self._take_pronoun(i, preposition)
                preposition = ''
            else:
                if word in ('with', 'for') and words[i - 1] not in ('along', 'together'):
                    preposition = word
                i += 1
        self._flush()
        return self._conditions()

    # Words ------------------------------------------------------------------------------------

    def _is_first(self, i: int) -> bool:
        """Whether a clause begins here, but for words that lead in."""
        k = i - 1
        while k >= 0 and k not in self._reading.begins:
            if self._gaps[k + 1].strip(" '’") or self._words[k] not in LEAD_INS:
                break
            k -= 1
        begins = i in self._reading.begins or (
            k in self._reading.begins and self._words[k] in LEAD_INS
        )
        return begins or bool(self._gaps[k + 1].strip(" '’")) or self._words[i - 1] in (
            'and', 'then', 'to', 'please', 'or', 'but',
        )  # fmt: skip

    def _is_verb_here(self, i: int, mention: Mention) -> bool:
        """Whether a word that is a name too is a verb here: "water the plants"."""
        if mention.end - mention.start > 1 or not self._is_first(i):
            return False
        verb = self._domain.verb_at(self._words, i, True)
        behind = self._words[i + 1 : i + 2]
        return (
            verb is not None
            and bool(behind)
            and (
                behind[0] in ('the', 'a', 'an', 'all', 'my', 'it', 'them')
                or behind[0] in NUMBERS
                or behind[0].isdigit()
            )
        )

    def _is_part(self, i: int) -> bool:
        """Whether a name is only a part of the one right before it: "the truck door"."""
        joined = not self._gaps[i].strip(' -') if i else False
        ends = {mention.end for mention in self._mentions.values()}
        return self._words[i] in _PARTS and joined and i in ends

    def _state_at(self, i: int) -> str:
        return self._domain.states.get(self._words[i], '')

    def _is_adjective(self, i: int) -> bool:
        """Whether a state's word stands right before a name: "a clean crate", "an open bin"."""
        if not self._state_at(i):
            return False
        before = self._words[i - 1] if i else ''
        return (
            before in ('a', 'an', 'the', 'and', 'some')
            and (i + 1) in self._mentions
            and (before not in ('and',) or i + 1 not in self._mentions)
        )

    def _state_told(self, i: int) -> int:
        """Index of the state's word in "is (then turned) on"; 0 where none is told."""
        if self._words[i : i + 1] and self._words[i] in BE | {'should', 'must'}:
            for k in range(i + 1, min(i + 4, len(self._words))):
                if self._state_at(k):
                    return k
        return 0

    def _takes_state(self, i: int) -> bool:
        """Whether the word tells what the things before it shall be."""
        word = self._words[i]
        behind = i + 1
        ends = behind >= len(self._words) or behind in self._reading.begins
        breaks = ends or bool(self._gaps[behind].strip()) or self._words[behind] in (
            'and', 'then', 'or', 'before', 'after', 'when', 'as', 'again', 'please', 'for', 'so',
            'once', 'while', 'but', 'too', 'by', 'until', 'now', 'at',
        )  # fmt: skip
        if word in ('on', 'off'):
            return breaks
        return self._words[i - 1] in BE | _BEFORE_STATES or (
            breaks and i - 1 not in self._reading.begins and i not in self._reading.begins
            and self._now.verbs[-1:] == [Verb(Act.WANT)]
        )  # fmt: skip

    def _preposition(self, i: int, before: str) -> str:
        word = self._words[i]
        if word == 'to' and self._domain.verb_at(self._words, i + 1, True) and (
            i + 1 not in self._mentions
        ):  # fmt: skip
            return before
        if before in _SOURCE and word in ('of', 'in', 'on', 'the', 'inside', 'at'):
            return before
        if word == 'out' and self._words[i + 1 : i + 2] not in (('of',), ('from',)):
            return before
        if word == 'to' and i and self._words[i - 1] in ('next', 'close'):
            return 'next'
        return word

    def _stands_alone(self, i: int) -> bool:
        """Whether a pronoun stands for things, and not before a name: "both crates", "one"."""
        behind = i + 1
        word = self._words[i]
        if word == 'it' and behind < len(self._words) and self._words[behind] in BE | {'s'}:
            # "it is important"
            return bool(self._last)
        if behind >= len(self._words) or behind in self._reading.begins:
            return True
        if word in ('it', 'them', 'they', 'everything'):
            return True
        if self._gaps[behind].strip():
            return True
        k = behind
        while k < min(behind + 4, len(self._words)):
            if k in self._mentions:
                return False
            k += 1
        follows = self._words[behind]
        return follows in PREPOSITION_WORDS | BE | {'and', 'then', 'should', 'must', 'back'}

    # What is read -----------------------------------------------------------------------------

    def _begin_sentence(self, i: int) -> None:
        """A new sentence or line; a line of names alone goes on with what stands before."""
        end = next((k for k in sorted(self._reading.begins) if k > i), len(self._words))
        has_verb = any(
            self._domain.verb_at(self._words, k, self._is_first(k)) is not None
            or self._words[k] in BE
            for k in range(i, end)
            if k not in self._mentions and not (self._state_at(k) and not self._is_first(k))
        )
        goes_on = not has_verb and any(k in self._mentions for k in range(i, end))
        if not goes_on:
            self._flush()
            self._now = _Clause()

    def _begin_verb(self, verb: Verb, i: int) -> None:
        now = self._now
        carries = now.verbs[-1:] and now.verbs[-1].act is Act.WANT and verb.act is Act.WANT
        if carries:
            return
        if verb.act is Act.WANT and now.group:
            now.verbs = [verb]
            return
        if verb.act is Act.MOVE and now.group and (not now.verbs or now.verbs[-1].act is Act.WANT):
            # "the crates must go on the truck"
            now.verbs = [Verb(Act.WANT)]
            return
        joined = i and self._words[i - 1] in ('and', 'then', 'or')
        if now.verbs and not now.group and now.place is None and joined:
            # "wash and dry the crates"
            now.verbs.append(verb)
            return
        self._flush()
        self._now = _Clause([verb])

    def _item(self, mention: Mention) -> _Item:
        """A name with the number, determiners and states before it."""
        words, i = self._words, mention.start - 1
        number, told, further, definite, indefinite = 1, False, False, False, False
        states: list[str] = []
        steps = 0
        while i >= 0 and steps < 6 and i not in self._reading.marks:
            word = words[i]
            if self._gaps[i + 1].strip(' -'):
                break
            if word.isdigit() or word in NUMBERS or word in _EVERY:
                indefinite = indefinite or word in ('a', 'an')
                if word in ('a', 'an') and told:
                    i -= 1
                    continue
                if word in _EVERY:
                    number, told = ALL, True
                elif not (told and number == ALL):
                    number = min(int(word) if word.isdigit() else NUMBERS[word], 999)
                    told = word not in ('a', 'an')
                further = further or word in _FURTHER
                if word not in ('a', 'an', 'one') and words[i - 1 : i] != ('a',):
                    before = words[i - 1] if i else ''
                    if before not in _FURTHER | _EVERY:
                        break
            elif word in _FURTHER:
                further = True
            elif word in _DEFINITE:
                definite = True
            elif word in self._domain.states and word not in ('on', 'off', 'open'):
                states.append(self._domain.states[word])
            elif word not in _BETWEEN and (
                i in {m.end - 1 for m in self._mentions.values()}
                or word in PREPOSITION_WORDS | {'and', 'or', 'then'}
                or self._domain.verb_at(words, i, self._is_first(i)) is not None
            ):
                break
            i -= 1
            steps += 1
            if i + 1 in self._reading.begins:
                break
        is_new = (told or further or indefinite) and not definite
        return _Item(mention, number, told, further, definite, is_new, tuple(states))

    def _take_name(self, mention: Mention, preposition: str, skip_place: bool) -> None:
        now = self._now
        stationary = mention.kind in (NameKind.PLACE, NameKind.REGION)
        act = now.verbs[-1].act if now.verbs else None
        if preposition in ('with', 'for'):
            # "fill the truck with crates": a thing; "with the scanner": by what.
            if act is Act.PUT and now.place is None and now.group and preposition == 'with':
                now.place = now.group.pop().mention
                self._add(self._item(mention))
            elif act is Act.MOVE and preposition == 'with':
                self._flush()
                self._now = _Clause([Verb(Act.TAKE)], [self._item(mention)])
            return
        if preposition in _SOURCE or skip_place:
            self._handled.add(mention.name)
            self._last_place = mention
            return
        if preposition:
            self._take_place(mention, preposition, stationary)
            return
        if stationary and act is Act.PUT and now.group and mention.kind is NameKind.REGION:
            return
        self._add(self._item(mention))
        if stationary:
            self._last_place = mention

    def _add(self, item: _Item) -> None:
        self._now.group.append(item)

    def _take_place(self, mention: Mention, preposition: str, stationary: bool) -> None:
        """A place behind a preposition: where things shall be, or are taken from."""
        now = self._now
        act = now.verbs[-1].act if now.verbs else None
        self._last_place = mention
        if act in (Act.MOVE,) and not now.group:
            self._add(_Item(mention))
            return
        if act in (Act.FIND, Act.OTHER):
            self._look_by(mention, preposition)
            return
        if act is Act.TAKE and preposition in _AT - _BESIDE:
            self._handled.add(mention.name)
            return
        if act is Act.STATE:
            self._handled.add(mention.name)
            return
        if not stationary and preposition in _BESIDE:
            beside = self._place_of(mention)
            if beside is None:
                return
            mention = beside
        if act is Act.PUT and not now.group and now.place is None and self._last:
            if not self._list_follows(mention.end):
                # "find two crates and put on the truck"
                now.group = [replace(item, definite=True, is_new=False) for item in self._last]
        if now.group:
            if act is Act.TAKE:
                now.verbs = [Verb(Act.PUT)]
            self._emit_in(now.group, mention)
            self._last, now.group = now.group, []
            now.place = mention
        elif self._found and now.place is not None and act in (Act.PUT, Act.WANT):
            self._refine(mention, preposition)
        elif act in (Act.PUT, Act.WANT, Act.TAKE, None):
            now.place = mention

    def _list_follows(self, i: int) -> bool:
        """Whether things are told behind a place: "put on the truck: two crates"."""
        if i >= len(self._words):
            return False
        gap = self._gaps[i].strip(' ')
        if gap.startswith(':'):
            return True
        word = self._words[i]
        return not gap and (
            i in self._mentions or word.isdigit() or word in NUMBERS or word in _DEFINITE
        )

    def _place_of(self, thing: Mention) -> Mention | None:
        """Where a thing was to be put, for "next to the crate"."""
        self._last_place = self._places_of_things.get(thing.name)
        return self._last_place

    def _look_by(self, mention: Mention, preposition: str) -> None:
        """ "look at the label under the lamp": held in its light."""
        now = self._now
        if not now.group and preposition in ('at', 'on', 'in'):
            self._add(_Item(mention))
        elif now.group and preposition in ('under', 'by', 'near', 'beside') and (
            'on' in self._domain.switches and mention.kind is not NameKind.REGION
        ):  # fmt: skip
            self._held += [Condition(Relation.HOLDING, item.subject) for item in now.group]
            self._found.append(
                (Condition(Relation.IS, mention.text, self._domain.switches['on']), True)
            )
            now.group = []

    def _refine(self, mention: Mention, preposition: str) -> None:
        """A second place: "the crate on the pallet into the truck" ends in the truck."""
        if preposition not in _INTO or mention.kind is NameKind.REGION:
            return
        before = self._now.place
        assert before is not None
        self._found = [
            (replace(one, value=mention.text), sure)
            if one.relation is Relation.IN and one.value == before.text and k >= self._since
            else (one, sure)
            for k, (one, sure) in enumerate(self._found)
        ]
        self._now.place = mention

    def _take_pronoun(self, i: int, preposition: str) -> int:
        now, word = self._now, self._words[i]
        act = now.verbs[-1] if now.verbs else None
        behind = i + 1
        told = behind < len(self._words) and self._state_at(behind) and self._takes_state(behind)
        switches = act is not None and (act.act is Act.STATE or (not now.group and bool(told)))
        if preposition and preposition not in ('of', 'with', 'for'):
            if self._last_place is not None and word in _SINGULAR:
                self._take_place(self._last_place, preposition, True)
            return i + 1
        if switches and word == 'it' and self._last_place is not None:
            self._add(_Item(self._last_place))
        elif word == 'one' and len(self._last) == 1 and self._last[0].count == 2:
            self._add(replace(self._last[0], count=1, told=True, further=True))
        else:
            self._now.group += [replace(item, definite=True, is_new=False) for item in self._last]
        return i + 1

    # Conditions -------------------------------------------------------------------------------

    def _emit_in(self, group: list[_Item], place: Mention) -> None:
        self._since = len(self._found)
        for item in group:
            if item.mention.kind is NameKind.REGION or item.subject == place.text:
                continue
            self._handled.add(item.mention.name)
            self._handled.add(place.name)
            self._places_of_things[item.mention.name] = place
            self._note(Condition(Relation.IN, item.subject, place.text, item.count), item.is_new)
            for state in item.states:
                self._note(Condition(Relation.IS, item.subject, state, item.count), False)

    def _emit_state(self, state: str) -> None:
        now = self._now
        for item in now.group:
            self._note(Condition(Relation.IS, item.subject, state, item.count), False)
        self._last, now.group = now.group, []

    def _note(self, condition: Condition, is_new: bool) -> None:
        self._found.append((condition, is_new))

    def _flush(self) -> None:
        """What the clause asks for, now that all of it is read."""
        now = self._now
        if not now.group:
            return
        if now.place is not None and (not now.verbs or now.verbs[-1].act in (Act.PUT, Act.WANT)):
            self._emit_in(now.group, now.place)
        else:
            for verb in now.verbs:
                self._flush_verb(verb)
        self._last = [item for item in now.group if item.mention.kind is not NameKind.REGION]
        now.group = []

    def _flush_verb(self, verb: Verb) -> None:
        for item in self._now.group:
            if verb.act is Act.STATE:
                self._note(Condition(Relation.IS, item.subject, verb.state, item.count), False)
            elif verb.act is Act.MAKE and self._makes():
                self._note(Condition(Relation.HOLDING, item.subject, '', item.count), False)
            elif verb.act is Act.TAKE and item.mention.kind is not NameKind.REGION:
                self._held.append(Condition(Relation.HOLDING, item.subject, '', item.count))
            elif verb.act is Act.MOVE and item is self._now.group[-1]:
                self._note(Condition(Relation.AT, '', item.subject), False)
            elif verb.act is Act.WANT and self._makes():
                self._held.append(Condition(Relation.HOLDING, item.subject, '', item.count))

    def _makes(self) -> bool:
        return Verb(Act.MAKE) in self._domain.verbs.values()

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
                merged[key] = replace(before, count=min(before.count + condition.count, 999))
            else:
                merged[key] = replace(before, count=max(before.count, condition.count))
        put = {one.subject for one in merged.values() if one.relation is Relation.IN}
        for condition in self._held:
            key = (Relation.HOLDING, condition.subject, '')
            if condition.subject not in put and not self._is_handled(condition.subject):
                merged.setdefault(key, condition)
        return tuple(self._lasting(list(merged.values())))

    def _is_handled(self, subject: str) -> bool:
        return subject in self._handled

    def _lasting(self, found: list[Condition]) -> Iterator[Condition]:
        """Without what only leads to another: the gate that is opened to get at the crate, the
        place that is gone to; of two states of one thing the later stands.
        """
        opening = {self._domain.states.get('open'), self._domain.states.get('closed')}
        for place, one in enumerate(found):
            later = found[place + 1 :]
            if one.relation is Relation.IS and one.value in opening:
                if class_and_number(one.subject)[0] in self._handled and len(found) > 1:
                    continue
                if any(other.subject == one.subject and other.value in opening for other in later):
                    continue
            if one.relation is Relation.IS and one.value in self._domain.switches.values() and any(
                other.subject == one.subject and other.value in self._domain.switches.values()
                for other in later
            ):  # fmt: skip
                continue
            if one.relation is Relation.AT and (len(found) > 1 or self._held):
                continue
            yield one


def read_conditions(text: str, domain: Words) -> tuple[Condition, ...]:
    """Conditions that a text in the server's names asks for; () where it says none."""
    return ConditionReader(text, domain).read()
