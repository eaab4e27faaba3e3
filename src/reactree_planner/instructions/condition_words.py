"""English words by which an instruction says what shall be: verbs, prepositions, states, numbers.

What the verbs and states of one skill server are is read from its templates, kinds and effects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.spelling import forms_of
from reactree_planner.instructions.words import gerunds_of
from reactree_planner.instructions.words import participles_of
from reactree_planner.instructions.words import word_set
from reactree_planner.instructions.words import words_of

EVERY = word_set('all every each any remaining rest')
#: After which a thing is another one than those named before.
FURTHER = word_set('another additional more second third fourth other extra')
#: Before what is done after something else.
THEN = word_set('then afterwards afterward later finally lastly after')
DEFINITE = word_set('the that this these those said same its their')
#: Words between a number and a name: "2 of the empty crates", "a pair of gloves".
BETWEEN = word_set('of the these those my our your his her their')
PRONOUNS = word_set('it them they these those both everything ones one all')
#: Pronouns for one more of what was named, or what is left of it.
REST = word_set('another other second rest')
#: Before "else": whatever has not been named.
EVERYTHING = word_set('everything anything all')
#: Nouns that stand for whatever was named before.
ANY_THINGS = word_set('item items thing things object objects stuff lot')
#: What belongs to the thing named right before: "the truck door".
PARTS = word_set('door doors lid drawer drawers handle shelf shelves rack compartment cover')
BE = word_set('is are be being been')
#: What is said of a wish: "two crates on the truck would be nice".
PLEASING = word_set('nice great good lovely perfect wonderful fine ideal helpful appreciated')
RELATIVE = word_set('which that where who')
#: Where a thing is now, behind its name: "the crate lying on the pallet".
LYING = word_set('lying standing sitting located hanging resting kept stored currently already')
#: What follows only tells where to look.
PERHAPS = word_set('maybe perhaps probably possibly likely might may usually')

#: Words that begin a clause on when or why, and subjects of such a clause.
WHEN = word_set('when because since while until before after once though although')
SUBJECTS = word_set('i you he she it they we the my our your his her a an there everybody')
#: Where the robot has what it holds.
OWN = word_set('inventory hand possession hold grip gripper')

INTO = word_set('into onto to')
AT = word_set('in inside on upon at within under near beside by atop around')
SOURCE = word_set('from off out')
BESIDE = word_set('near beside by next')
#: Before "to" and behind "to the": a place beside another, not in it.
NEAR = word_set('next close closer closest near nearer nearest adjacent opposite')
SIDES = word_set('right left side front')
PREPOSITIONS = INTO | AT | SOURCE | word_set('with for of as next like')
#: Before what a thing has in or on it: "the box with the key in it".
HAVING = word_set('with containing')
#: Behind a verb or a state, and no more said by it: "rinse off the lid", "a warmed up roll".
PARTICLES = word_set('off up down out')


class Act(Enum):
    """What a verb asks for."""

    PUT = 'put'
    #: Put where a place is told, else given to the person or held by the robot.
    BRING = 'bring'
    TAKE = 'take'
    MOVE = 'move'
    MAKE = 'make'
    #: A state of its things; its word is told beside it.
    STATE = 'state'
    #: Things that shall be at a place, where one is told: "I want two crates on the truck".
    WANT = 'want'
    FIND = 'find'
    #: Asks for nothing alone: "turn it off".
    TURN = 'turn'


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb as it is used. :param state: the word of STATE, e.g. 'on'."""

    act: Act
    state: str = ''


WANT = Verb(Act.WANT)
_WORDS_OF_ACTS = {
    Act.TURN: 'turn turning switch switching flip',
    Act.FIND: 'find finding look search locate check see watch examine inspect use using',
    Act.WANT: 'want need like love have having wish require should must belong belongs go goes '
    'end ends sit sits needs wants ought',
    Act.MAKE: 'make making craft crafting build building create produce manufacture cook prepare',
    Act.MOVE: 'go going walk head drive travel proceed come navigate run approach',
    Act.TAKE: 'take taking get getting fetch fetching grab grabbing pick picking collect '
    'collecting hold holding obtain acquire retrieve remove gather',
    Act.BRING: 'bring bringing give hand pass fetch deliver carry carrying',
    Act.PUT: 'put puts putting place placing set setting lay laying leave store storing stow '
    'move moving delivering load loading drop dropping return returning transfer '
    'transferring hang stack stacking arrange add throw position deposit insert stick stash ship '
    'relocate send pack toss pop dump rest serve unload distribute stock park shove tuck drag '
    'haul slide assemble file keep fill filling hide secure',
}
_ACTS = {word: act for act, words in _WORDS_OF_ACTS.items() for word in words.split()}
#: Verbs that are nouns or modals elsewhere: they count at a clause's beginning only.
_ONLY_FIRST = word_set(
    'place set store rest stack file park load ship pack stock drop run head look check use slide '
    'need return deposit hand pass watch'
)
#: Words that may stand between a clause's beginning and its verb.
LEAD_INS = word_set(
    'please kindly just also now so then and but or first firstly second secondly third thirdly '
    'next finally lastly after afterwards afterward later simply only ok okay hey hi hello robot '
    'carefully quickly could can would will you i we to us let me must should have need needs '
    'want d like ll try be sure make that done once ve it go ahead step your job is task today '
    'thing last mind wondering if when until'
)
_OPENING = {
    SkillKind.OPEN: ('open', ('open', 'opened'), ('open', 'opening', 'unlock')),
    SkillKind.CLOSE: ('closed', ('closed', 'shut'), ('close', 'closing', 'shut', 'shutting')),
    SkillKind.SWITCH_ON: ('on', ('on', 'running'), ('start', 'activate')),
    SkillKind.SWITCH_OFF: ('off', ('off',), ('stop', 'deactivate')),
}
_SWITCHING = ('turn', 'turning', 'switch', 'switching', 'power')
_ACTS_OF_KINDS = {
    SkillKind.TAKE: Act.TAKE,
    SkillKind.PUT: Act.PUT,
    SkillKind.MOVE: Act.MOVE,
    SkillKind.MAKE: Act.MAKE,
    SkillKind.LOOK: Act.FIND,
}


class Words:
    """What the words of one skill server's domain do: verbs of its skills, words of its states."""

    def __init__(self, names: Names) -> None:
        self.names = names
        #: Beginnings of clauses: words -> verb, e.g. ('switch', 'on').
        self.verbs: dict[tuple[str, ...], Verb] = {}
        #: Words of states: 'scanned' -> 'scanned', 'heated' -> 'hot'.
        self.states: dict[str, str] = {}
        #: States for which the skills handle things only, no places.
        self.of_things: set[str] = set()
        #: Whether things are made of others: a skill that makes something names it.
        self.makes = any(
            skill.kind is SkillKind.MAKE and any(slot.type.is_name for slot in skill.slots)
            for skill in names.skill_types
        )
        #: Words with which the server's own skills begin.
        self.own = {words[0] for skill in names.skill_types if (words := words_of(skill.verb))}
        #: Words of states that opening and closing, or switching, bring about.
        self.opening: set[str] = set()
        self.switching: set[str] = set()
        #: State -> those in which a thing is no more once it is in it, as effects tell.
        self.undoes: dict[str, set[str]] = {}
        for skill in names.skill_types:
            verb = words_of(skill.verb)
            state = next(
                (
                    fact.value
                    for fact in skill.facts
                    if fact.relation is Relation.IS and fact.holds and '<' not in fact.value
                ),
                '',
            )
            if state:
                self.undoes.setdefault(state, set()).update(
                    fact.value
                    for fact in skill.facts
                    if fact.relation is Relation.IS and not fact.holds
                )
            if not verb:
                continue
            for told in (verb, *map(words_of, skill.other_words)):
                if not told:
                    continue
                if skill.kind in _ACTS_OF_KINDS:
                    self._learn(told, Verb(_ACTS_OF_KINDS[skill.kind]))
                elif state:
                    self._learn(told, Verb(Act.STATE, state))
                    for participle in participles_of(told[0]):
                        self.states.setdefault(participle, state)
                    if told is not verb:
                        self.states.setdefault(told[0], state)
            if state:
                self.states.setdefault(state, state)
                if skill.slots and names.kind_in(skill.slots[0]) is NameKind.THING:
                    self.of_things.add(state)
            if state and skill.kind in _OPENING:
                self._learn_opening(skill.kind, state)
        self._longest = max((len(verb) for verb in self.verbs), default=1)

    def _learn(self, verb: list[str], told: Verb) -> None:
        self.verbs.setdefault(tuple(verb), told)
        for gerund in gerunds_of(' '.join(verb)):
            self.verbs.setdefault(tuple(words_of(gerund)), told)

    def _learn_opening(self, kind: SkillKind, state: str) -> None:
        usual, adjectives, verbs = _OPENING[kind]
        switches = kind in (SkillKind.SWITCH_ON, SkillKind.SWITCH_OFF)
        (self.switching if switches else self.opening).add(state)
        for word in adjectives:
            self.states.setdefault(word, state)
        beginnings = [(word,) for word in verbs]
        if switches:
            beginnings += [(word, usual) for word in _SWITCHING]  # type: ignore[misc]
        for words in beginnings:
            self.verbs.setdefault(words, Verb(Act.STATE, state))

    def verb_at(self, words: Sequence[str], at: int, is_first: bool) -> tuple[Verb, int] | None:
        """The verb that begins at a word, and the index behind it; None for none.

        :param is_first: whether a clause begins there.
        """
        if at >= len(words):
            return None
        for length in range(self._longest, 0, -1):
            verb = self.verbs.get(tuple(words[at : at + length]))
            if verb is not None and (is_first or length > 1 or not self._is_noun(words[at])):
                return verb, self._behind_particle(verb, words, at + length)
        word = words[at]
        act = _ACTS.get(word)
        if act is None or (word in _ONLY_FIRST and not is_first):
            return None
        return Verb(act), at + 1

    def _behind_particle(self, verb: Verb, words: Sequence[str], end: int) -> int:
        """Index behind "off" in "rinse off the lid", not in "wipe off": there is nothing to do."""
        changes = verb.act is Act.STATE and verb.state not in self.opening | self.switching
        return end + (changes and end + 1 < len(words) and words[end] in PARTICLES)

    def state_of_portion(self, word: str) -> str:
        """The state of a thing that a verb's noun tells: "a slice of", "slices"; '' for none."""
        for form in forms_of(word):
            verb = self.verbs.get((form,))
            if verb is not None and verb.act is Act.STATE:
                return '' if verb.state in self.opening | self.switching else verb.state
        return ''

    def _is_noun(self, word: str) -> bool:
        return word in _ONLY_FIRST or word in self.states
