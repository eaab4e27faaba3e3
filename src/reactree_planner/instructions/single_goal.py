"""Goals that ask one thing of one thing, in words of which none is left open.

"put the crate on shelf 2", "find and take a crate in aisle 1", "switch the pump on". What such a
goal needs next follows from what is known (`agents/direct_steps.py`); any other goal is the
model's to read.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace

from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.agents.skills import SkillBook
from reactree_planner.agents.skills import STATE_KINDS
from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.clauses import Sense
from reactree_planner.instructions.meant_skills import SAID_FOR
from reactree_planner.instructions.names import before_determiners
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.spoken_verbs import ALIKE
from reactree_planner.instructions.words import word_set
from reactree_planner.instructions.words import words_of

#: Kinds that a single goal may be of, beside those that set a state.
_KINDS = (SkillKind.MOVE, SkillKind.TAKE, SkillKind.PUT, SkillKind.CHANGE, *STATE_KINDS)
_JOINING = word_set('and then')
_FILLING = word_set('please kindly now also just finally next')
#: Verbs for going to a thing wherever it is; some need a word behind them.
_SEEKING = {'find': '', 'locate': '', 'look': 'for', 'search': 'for', 'reach': '', 'approach': ''}
#: Verbs that bring a thing somewhere where the goal tells a place to bring it to.
_CARRYING = word_set('bring carry move take transfer deliver get fetch return')
#: Of these, the ones that ask for the thing itself where it tells none.
_FETCHING = word_set('take get fetch')
#: Said for kinds, and for too much else to be acted on.
_OPEN_TO_DOUBT = word_set('leave hold remove steal run head come step store drop')
_TOWARDS = word_set('to into onto')
_RESTING = word_set('in inside on upon at top of')
_FROM = word_set('from out of off')
_BY = word_set('with using by')
#: Determiners that ask for one more than there is already.
_FURTHER = word_set('another other second third fourth fifth sixth more next remaining')
_PARTICLES = {SkillKind.TAKE: 'up', SkillKind.PUT: 'down'}

_Token = str | Mention


@dataclass(frozen=True, slots=True)
class SingleGoal:
    """What is asked, and of what.

    :param kind: what is asked; MOVE also for "find", PUT also for "bring".
    :param thing: of what. :param types: skill types that bring it about.
    :param destination: where a PUT brings the thing; None for other kinds.
    :param sources: places in, on or from which it is to be taken; () for anywhere.
    :param tool: by what a CHANGE is to be made, or where; None where the goal does not say it.
    :param further: whether one more is meant than there is already ("another crate").
    """

    kind: SkillKind
    thing: Mention
    types: tuple[SkillType, ...]
    destination: Mention | None = None
    sources: tuple[Mention, ...] = ()
    further: bool = False
    tool: Mention | None = None


@dataclass(frozen=True, slots=True)
class _Verb:
    """A verb of the goal. :param words: as it has it. :param types: of a template's verb."""

    words: str
    kinds: frozenset[SkillKind]
    types: tuple[SkillType, ...] = ()


def read_single_goal(goal: str, names: Names, skills: SkillBook) -> SingleGoal | None:
    """The one thing that a goal asks; None where it asks more, less, or leaves anything open.

    :param goal: one sentence; a number of things ("two crates", "crates") is no single goal.
    """
    reading = read_clauses(goal, skills.verbs)
    if reading.regions or reading.marks or not all(reading.certain):
        return None
    if any(sense is not Sense.ASKED for sense in reading.senses):
        return None
    words = list(reading.words)
    mentions = names.find(goal)
    if not mentions or any(is_plural(mention, goal) for mention in mentions):
        return None
    begin = before_determiners(words, mentions[0].start)
    further = not _FURTHER.isdisjoint(words[begin : mentions[0].start])
    found = _Clauses(_tokens(words, mentions), skills).read()
    return found and replace(found, further=further)


def tool_of(kind: SkillType) -> str:
    """Name of the second slot of a skill that changes a thing: `wash <crate> with <sprayer>`."""
    slots = [slot for slot in kind.slots if slot.type.is_name]
    return slots[1].name if kind.kind is SkillKind.CHANGE and len(slots) == 2 else ''


def is_plural(mention: Mention, text: str) -> bool:
    """Whether a text says a name for several, without telling how many."""
    if mention.instance is not None or mention.label:
        return False
    said, named = words_of(text)[mention.end - 1], words_of(mention.name)[-1]
    return said.endswith('s') and not named.endswith('s')


def _tokens(words: list[str], mentions: tuple[Mention, ...]) -> list[_Token]:
    """Words and names in order, without articles before names and words that say nothing."""
    tokens: list[_Token] = []
    end = 0
    for mention in mentions:
        tokens += words[end : before_determiners(words, mention.start)]
        tokens.append(mention)
        end = mention.end
    tokens += words[end:]
    return [token for token in tokens if token not in _FILLING]


class _Clauses:
    """Takes "find and take the crate and put it on the shelf" apart: verbs, thing, places."""

    def __init__(self, tokens: list[_Token], skills: SkillBook) -> None:
        self._tokens = tokens
        self._skills = skills
        self._at = 0
        self._thing: Mention | None = None
        self._sources: list[Mention] = []
        self._tool: Mention | None = None

    def read(self) -> SingleGoal | None:
        """What all of it asks; None where a word is left that it cannot be sure of."""
        goal = None
        while self._at < len(self._tokens):
            # All but the last only lead there.
            if goal is not None and goal.kind not in (SkillKind.MOVE, SkillKind.TAKE):
                return None
            goal = self._clause()
            if goal is None:
                return None
        return goal

    def _next(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self, *words: str) -> bool:
        """Pass these words where they come next."""
        there = self._tokens[self._at : self._at + len(words)]
        if there != list(words):
            return False
        self._at += len(words)
        return True

    def _join(self) -> None:
        while self._next() in _JOINING:
            self._at += 1

    def _clause(self) -> SingleGoal | None:
        verb = None
        while True:
            self._join()
            if isinstance(self._next(), Mention) or self._next() == 'it':
                break
            if verb is not None and not verb.kinds & {SkillKind.MOVE, SkillKind.TAKE}:
                return None
            verb = self._verb()
            if verb is None:
                return None
        thing = self._next()
        self._at += 1
        if isinstance(thing, Mention):
            if self._thing is not None:
                return None
            self._thing = thing
        elif self._thing is None:
            return None
        assert self._thing is not None
        whole = None if verb is None else self._with_particle(verb)
        return None if whole is None else self._of(whole, self._thing)

    def _verb(self) -> _Verb | None:
        """The verb that comes next: of a template, or one that people say for a kind."""
        for template in self._skills.verbs:
            if self._take(*words_of(template)):
                types = self._skills.of_verb(template)
                return _Verb(template, frozenset(one.kind for one in types), types)
        word = self._next()
        if not isinstance(word, str) or word in _OPEN_TO_DOUBT:
            return None
        self._at += 1
        if word in (*ALIKE.values(), *ALIKE):
            return self._switched(word) or _Verb(word, frozenset())
        if word in _SEEKING:
            behind = words_of(_SEEKING[word])
            return _Verb(word, frozenset((SkillKind.MOVE,))) if self._take(*behind) else None
        kinds = {kind for kind in _KINDS if word in SAID_FOR.get(kind, ())}
        if SkillKind.MOVE in kinds and word not in _CARRYING:
            leads = self._take('to') or self._next() in _JOINING
            return _Verb(word, frozenset((SkillKind.MOVE,))) if leads else None
        if not kinds and word not in _CARRYING:
            return None
        return self._with_particle(_Verb(word, frozenset(kinds)))

    def _switched(self, word: str) -> _Verb | None:
        """One of "switch on" and the like, where "on" or "off" comes next."""
        for particle, kind in (('on', SkillKind.SWITCH_ON), ('off', SkillKind.SWITCH_OFF)):
            if self._take(particle):
                return _Verb(f'{word} {particle}', frozenset((kind,)))
        return None

    def _with_particle(self, verb: _Verb) -> _Verb | None:
        """The verb with what may stand behind it or its thing, as in "switch the pump on"."""
        if not verb.kinds:
            return self._switched(verb.words) or (None if verb.words not in _CARRYING else verb)
        for kind, particle in _PARTICLES.items():
            if kind in verb.kinds and not verb.types:
                self._take(particle)
        return verb

    def _of(self, verb: _Verb, thing: Mention) -> SingleGoal | None:
        """What the verb asks of the thing, given the places that come next."""
        destination = None
        carries = verb.words in _CARRYING or SkillKind.PUT in verb.kinds
        tools = {name for one in verb.types if (name := tool_of(one))}
        while self._next() not in (None, 'and', 'then'):
            joint = []
            while isinstance(word := self._next(), str) and word not in _JOINING:
                joint.append(word)
                self._at += 1
            place = self._next()
            if not isinstance(place, Mention) or not joint:
                return None
            self._at += 1
            if place.name in tools and (_BY | _RESTING).issuperset(joint):
                self._tool = place
                continue
            if place.kind is NameKind.REGION and carries and verb.words not in _FETCHING:
                # Of a thing or of where it is to go: either may be meant.
                return None
            if _FROM.issuperset(joint):
                self._sources.append(place)
            elif _TOWARDS.issuperset(joint) or (
                SkillKind.PUT in verb.kinds and (_TOWARDS | _RESTING).issuperset(joint)
            ):
                if destination is not None or not carries or place.kind is NameKind.REGION:
                    return None
                destination = place
            elif _RESTING.issuperset(joint):
                self._sources.append(place)
            else:
                return None
        return self._asked(verb, thing, destination)

    def _asked(
        self, verb: _Verb, thing: Mention, destination: Mention | None
    ) -> SingleGoal | None:
        kinds = verb.kinds & set(_KINDS)
        if destination is not None:
            kinds = frozenset((SkillKind.PUT,))
        elif verb.words in _CARRYING and not verb.types:
            kinds = frozenset((SkillKind.TAKE,) if verb.words in _FETCHING else ())
        else:
            kinds -= {SkillKind.PUT}
        if len(kinds) != 1:
            return None
        (kind,) = kinds
        carried = kind in (SkillKind.TAKE, SkillKind.PUT)
        movable = thing.kind in (NameKind.THING, NameKind.OTHER)
        if (carried and not movable) or (
            thing.kind is NameKind.REGION and kind is not SkillKind.MOVE
        ):
            return None
        types = tuple(one for one in verb.types if one.kind is kind)
        types = types or self._skills.of_kind(kind)
        if not types:
            return None
        sources = tuple(place for place in self._sources if place.kind is not NameKind.REGION)
        return SingleGoal(kind, thing, types, destination, sources, tool=self._tool)
