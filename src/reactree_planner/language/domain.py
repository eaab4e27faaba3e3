"""What the words of one skill server do: its verbs in all their forms, and its states.

Read from templates, kinds, effects and other words; beside them stand the verbs of the lexicon.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from reactree_core.exclusive_states import exclusive_states
from reactree_core.measures import read_comparison
from reactree_core.skill_types import Relation, SkillKind, SkillType, Slot, SlotType
from reactree_planner.language import lexicon
from reactree_planner.language.names import NameKind, Names
from reactree_planner.language.spelling import Spelling
from reactree_planner.language.verbs import (
    Act,
    CLOSING,
    OPENING,
    OPPOSITES,
    STARTING,
    STATE_WORDS,
    STOPPING,
    VERBS,
)
from reactree_planner.language.words import bases_of, Form, participles_of, verb_forms, words_of


@dataclass(frozen=True, slots=True)
class Verb:
    """What a verb asks for. :param state: of CHANGE, and of TURN with its particle.

    :param words: its base form, particles included. :param own: whether a skill is called so.
    """

    act: Act
    words: tuple[str, ...]
    state: str = ''
    own: bool = False

    @property
    def head(self) -> str:
        """Its first word."""
        return self.words[0]

    @property
    def particle(self) -> str:
        """What may stand behind its thing: "up" of "lift up"; '' for none."""
        return self.words[1] if len(self.words) == 2 else ''


#: In effects: where the robot is.
_HERE = 'here'
_ACT_OF_KIND = {
    SkillKind.MOVE: Act.MOVE,
    SkillKind.TAKE: Act.TAKE,
    SkillKind.PUT: Act.PUT,
    SkillKind.MAKE: Act.MAKE,
    SkillKind.LOOK: Act.FIND,
}
_SWITCHES = {
    SkillKind.OPEN: ('open', OPENING),
    SkillKind.CLOSE: ('closed', CLOSING),
    SkillKind.SWITCH_ON: ('on', STARTING),
    SkillKind.SWITCH_OFF: ('off', STOPPING),
}


def state_of(skill: SkillType) -> str:
    """The state that a skill brings about; '' for none."""
    return next(
        (
            fact.value
            for fact in skill.facts
            if fact.relation is Relation.IS and fact.holds and '<' not in fact.value
            if read_comparison(fact.value) is None
        ),
        '',
    )


#: Verbs that a written form may be of, each in one sense: by form, words and act.
_Senses = dict[tuple[Form, tuple[str, ...], Act], tuple[Verb, Form]]
#: Form of a verb, written out -> the verbs of which it may be one.
_Forms = dict[str, _Senses]


def _add(known: _Senses, verb: Verb, form: Form) -> None:
    known.setdefault((form, verb.words, verb.act), (verb, form))


@cache
def _general_forms(makes: bool) -> _Forms:
    """Verbs of the lexicon, which no domain changes. :param makes: whether skills make things."""
    found: _Forms = {}
    for act, verbs in VERBS.items():
        if act is Act.TURN or (act is Act.MAKE and not makes):
            continue
        for text in verbs.split():
            verb = Verb(act, tuple(text.split('_')))
            for word, form in verb_forms(verb.head):
                _add(found.setdefault(word, {}), verb, form)
    return found


class Domain:
    """Verbs and states of one skill server, with its names."""

    def __init__(self, names: Names) -> None:
        self.names = names
        #: Words of states -> the states, e.g. ('heated',) -> 'hot'.
        self.states: dict[tuple[str, ...], str] = {}
        #: State -> the states that end when it begins.
        self.ends: dict[str, set[str]] = {}
        #: States that opening and closing, and switching, bring about.
        self.openings: set[str] = set()
        self.switchings: set[str] = set()
        self.opposites: dict[str, str] = {}
        self._exclusive = exclusive_states(names.skill_types)
        self._forms: _Forms = {}
        #: Words of skills in all their forms, whatever the skills do.
        self._words: set[str] = set()
        #: State -> skills that bring it about.
        self.makers: dict[str, list[SkillType]] = {}
        self._by_template: dict[str, list[SkillType]] = {}
        self._by_inverse: dict[str, list[SkillType]] = {}
        for skill in names.skill_types:
            self._by_template.setdefault(skill.template, []).append(skill)
            self._by_inverse.setdefault(skill.inverse, []).append(skill)
        for skill in names.skill_types:
            self._learn_skill(skill)
        for skill in names.skill_types:
            for state in dict.fromkeys(told.state for told in skill.treatments):
                self._learn_treatment(skill, state)
        for state in names.states:
            self.states.setdefault(tuple(words_of(state)), state)
        for state, opposite in self.opposites.items():
            for word in STATE_WORDS[opposite]:
                if (word,) not in self.states:
                    self.states[word,] = opposite
                    self.ends.setdefault(opposite, set()).add(state)
        #: First word -> the words that a skill is called by, and the skill.
        self._calls: dict[str, list[tuple[tuple[str, ...], SkillType]]] = {}
        for skill in names.skill_types:
            for text in (skill.verb, *skill.other_words):
                if words := tuple(words_of(text)):
                    self._calls.setdefault(words[0], []).append((words, skill))
        self._learn_general_verbs()
        self.spelling = Spelling(
            self._words.union(names.all_words().words, self._forms, lexicon.CLOSED)
        )

    # Learning --------------------------------------------------------------------------------

    def _learn_skill(self, skill: SkillType) -> None:
        state = state_of(skill)
        if state:
            self.makers.setdefault(state, []).append(skill)
            self._learn_state(skill, state)
        verbs = [words_of(skill.verb), *map(words_of, skill.other_words)]
        for position, told in enumerate(verbs):
            if not told:
                continue
            words = tuple(told)
            if skill.kind in _ACT_OF_KIND:
                self._learn(Verb(_ACT_OF_KIND[skill.kind], words, own=True))
            elif state:
                self._learn(Verb(Act.CHANGE, words, state, own=True))
                for participle in participles_of(words[0]):
                    self.states.setdefault((participle, *words[1:]), state)
                if position:
                    self.states.setdefault(words, state)
            self._words.update(form for word in words for form, _ in verb_forms(word))
        if state and skill.kind in _SWITCHES:
            usual, others = _SWITCHES[skill.kind]
            switches = skill.kind in (SkillKind.SWITCH_ON, SkillKind.SWITCH_OFF)
            (self.switchings if switches else self.openings).add(state)
            for word in STATE_WORDS[usual]:
                self.states.setdefault((word,), state)
            # What may be open is closed before, whether a skill closes it or not.
            opposite = OPPOSITES[usual]
            self.opposites.setdefault(state, opposite)
            for other in others.split():
                head, *particle = other.split('_')
                self._learn(Verb(Act.CHANGE, (head, *particle), state))
                for participle in participles_of(head) if switches and not particle else ():
                    self.states.setdefault((participle,), state)
            if switches:
                for word in VERBS[Act.TURN].split():
                    self._learn(Verb(Act.CHANGE, (word, usual), state))
                    for participle in participles_of(word):
                        self.states.setdefault((participle, usual), state)

    def _learn_state(self, skill: SkillType, state: str) -> None:
        self.states.setdefault(tuple(words_of(state)), state)
        ends = self.ends.setdefault(state, set())
        facts = (fact for fact in skill.facts if fact.relation is Relation.IS)
        ends.update(fact.value for fact in facts if not fact.holds)
        inverse = self._by_template.get(skill.inverse, [])
        inverse = [*inverse, *self._by_inverse.get(skill.template, ())]
        ends.update(other for one in inverse if (other := state_of(one)) and other != state)

    def _learn_treatment(self, skill: SkillType, state: str) -> None:
        """Learn what people say for a state that comes of being where something is done."""
        self.makers.setdefault(state, []).append(skill)
        self.ends.setdefault(state, set())
        self.states.setdefault(tuple(words_of(state)), state)
        for base in bases_of(state):
            self._learn(Verb(Act.CHANGE, (base,), state))
        for words in map(tuple, map(words_of, self.names.said_for(state))):
            self.states.setdefault(words, state)
            self._learn(Verb(Act.CHANGE, words, state))
            for participle in participles_of(words[0]):
                self.states.setdefault((participle, *words[1:]), state)
            self._words.update(form for word in words for form, _ in verb_forms(word))

    def _learn_general_verbs(self) -> None:
        makes = any(
            skill.kind is SkillKind.MAKE and any(slot.type.is_name for slot in skill.slots)
            for skill in self.names.skill_types
        )
        known_verbs = (verb for forms in self._forms.values() for verb, _ in forms.values())
        own_changes = {verb.words for verb in known_verbs if verb.state}
        own, self._forms = self._forms, dict(_general_forms(makes))
        for word, known in own.items():
            # What a skill brings about, no general verb does.
            others = self._forms.get(word, {}).values()
            general = [one for one in others if one[0].words not in own_changes]
            self._forms[word] = known
            for verb, form in general:
                _add(known, verb, form)

    def _learn(self, verb: Verb) -> None:
        for word, form in verb_forms(verb.head):
            _add(self._forms.setdefault(word, {}), verb, form)

    # Asking ----------------------------------------------------------------------------------

    def verbs_at(self, words: tuple[str, ...], at: int) -> Iterator[tuple[int, Verb, Form, str]]:
        """Verbs that begin at a word: index behind what stands together, verb, form, and the
        particle that is still to come ("turn the lamp on"); '' for none.
        """
        if at >= len(words):
            return
        for verb, form in self._forms.get(words[at], {}).values():
            rest = verb.words[1:]
            if words[at + 1 : at + 1 + len(rest)] == rest:
                yield at + 1 + len(rest), verb, form, ''
            if verb.particle and verb.particle != 'to':
                yield at + 1, verb, form, verb.particle

    def skills_called(
        self, words: tuple[str, ...], at: int
    ) -> Iterator[tuple[int, tuple[str, ...], SkillType]]:
        """Skills whose words stand there: index behind, the words, and the skill."""
        for told, skill in self._calls.get(words[at], ()) if at < len(words) else ():
            if words[at : at + len(told)] == told:
                yield at + len(told), told, skill

    def is_verb(self, word: str) -> bool:
        """Whether some form of a verb is written so."""
        return word in self._forms

    def is_base(self, word: str) -> bool:
        """Whether the base form of a verb is written so."""
        return any(form is Form.BASE for _, form in self._forms.get(word, {}).values())

    def states_at(self, words: tuple[str, ...], at: int) -> Iterator[tuple[int, str]]:
        """States whose words begin there, and the index behind them."""
        for length in (3, 2, 1):
            state = self.states.get(words[at : at + length])
            if state is not None and at + length <= len(words):
                yield at + length, state

    def portion_state(self, word: str) -> str:
        """The state of which a noun tells: "a slice of", where a skill slices; '' for none."""
        singular = word.removesuffix('s')
        for verb, form in self._forms.get(singular, {}).values():
            changes = verb.act is Act.CHANGE and form is Form.BASE and len(verb.words) == 1
            if changes and verb.state not in self.openings | self.switchings:
                return verb.state
        return ''

    def may_be(self, kind: NameKind, name: str, state: str) -> bool:
        """Whether a thing of this kind may be in a state, as far as the skills tell."""
        for skill in self.makers.get(state, ()):
            # "open airlock" opens what it says, and nothing else.
            if any(told.state == state for told in skill.treatments):
                if kind in (NameKind.THING, NameKind.OTHER):
                    return True
                continue
            says = any((fact.subject, fact.value) == (name, state) for fact in skill.facts)
            if self.takes(skill, kind, name) if skill.slots else says:
                return True
        return False

    def may_stand(self, relation: Relation, kind: NameKind, name: str, subject: bool) -> bool:
        """Whether some skill brings a relation about that has a name on one of its sides.

        :param subject: on which: the thing that is there, or where.
        """
        if relation is Relation.IN and not subject and kind is NameKind.REGION:
            # What is laid somewhere is in the region around it.
            return True
        for skill in self.names.skill_types:
            slots = {slot.text: slot for slot in skill.slots}
            for fact in skill.facts:
                side = fact.subject if subject else fact.value
                if fact.relation is relation and fact.holds:
                    slot = slots.get(side)
                    fits = slot is not None and self.fits(slot, kind, name)
                    if fits or side in (name, _HERE):
                        return True
        return False

    def takes(self, skill: SkillType, kind: NameKind, name: str) -> bool:
        """Whether a name may stand in the first slot of a skill, as far as that is told."""
        slot = skill.slots[0]
        is_name = slot.type is SlotType.NAME and skill.kind is not SkillKind.MOVE
        return self.fits(slot, kind, name) and not (is_name and kind is NameKind.REGION)

    def fits(self, slot: Slot, kind: NameKind, name: str) -> bool:
        """Whether a name of a kind may stand in a slot, as far as that is told."""
        if slot.classes:
            return slot.may_name(name)
        if self.names.kind(slot.name) is not None:
            return slot.name == name
        wanted = self.names.kind_in(slot)
        return wanted in (None, NameKind.OTHER) or kind in (wanted, NameKind.OTHER)

    def excludes(self, state: str, other: str) -> bool:
        """Whether nothing can be in both states."""
        if other in self._exclusive.get(state, ()):
            return True
        told, asked = read_comparison(state), read_comparison(other)
        if told is not None and asked is not None:
            return told.excludes(asked)
        return self._ends_for_good(state, other) or self._ends_for_good(other, state)

    def _ends_for_good(self, begun: str, ended: str) -> bool:
        """Whether a state ends as another begins, and cannot begin anew beside it."""
        if ended not in self.ends.get(begun, ()):
            return False
        return ended not in self.makers or begun in self.ends.get(ended, ())


def domain_of(names: Names) -> Domain:
    """The domain of these names, made anew once more of them are known."""
    return _domain_of(names, names.size)


@lru_cache(maxsize=16)
def _domain_of(names: Names, size: int) -> Domain:
    return Domain(names)
