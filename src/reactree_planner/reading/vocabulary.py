"""The words of one skill server: its names, states and acts, and where a text says them.

Names come from the server's vocabulary and from what is seen; verbs from its templates, its
`other_words`, and the general English verbs for each kind of skill (`words/english.yaml`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property

from rapidfuzz import process
from rapidfuzz.distance import OSA

from reactree_core.measures import read_comparison
from reactree_core.observation import Vocabulary
from reactree_core.permission.acts import MAKING
from reactree_core.skill_types import (
    class_and_number,
    is_of_class,
    Relation,
    SkillKind,
    SkillType,
    SLOT,
    Slot,
    SlotType,
    TOLD_APART,
)
from reactree_planner.reading.nouns import is_noun, Likeness, likeness, related, split_name
from reactree_planner.reading.phrases import listed
from reactree_planner.reading.spelling import is_english_word, is_slip
from reactree_planner.reading.tokens import inflected, singulars_of, Token, tokens_of

#: Kinds of skills and the state that each leaves its thing in.
SWITCHED = {
    SkillKind.OPEN: 'open',
    SkillKind.CLOSE: 'closed',
    SkillKind.SWITCH_ON: 'on',
    SkillKind.SWITCH_OFF: 'off',
}
_OF_PLACES = (SkillKind.MOVE, *SWITCHED)
#: Words that stand for no thing by themselves, though a name may end with them.
_NO_HEAD = frozenset(['one', 'thing', 'set', 'top', 'side', 'can', 'bar', 'box', 'piece', 'pair'])
#: Acts that a form may name, beside the verbs of declared skills.
ACTS = ('open', 'close', 'take', 'put', 'go', 'switch on', 'switch off', 'touch')


class NameKind(Enum):
    """What a name stands for."""

    # Enum hashes in Python, and the chart asks for it all the time.
    __hash__ = object.__hash__

    REGION = 'region'
    PLACE = 'place'
    THING = 'thing'
    #: Whatever else skills name.
    OTHER = 'other'


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a text that stand for a name of the server.

    :param start: index of its first token. :param end: index behind its last.
    :param names: names that they may stand for; of `exact` ones, all are called so.
    :param exact: whether the name or one of its other words is written out; else a part of the
        name ("table" of "work table") or a synonym.
    :param plural: whether it has the ending of a plural.
    :param instance: number or label behind the class, '2' or 'A-7'; '' for none.
    """

    start: int
    end: int
    names: tuple[str, ...]
    exact: bool = True
    plural: bool = False
    instance: str = ''

    @property
    def name(self) -> str:
        """The only name that it may stand for, with its number; '' where there are several."""
        if len(self.names) != 1:
            return ''
        return f'{self.names[0]} {self.instance}' if self.instance else self.names[0]


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb in one of its forms.

    :param act: category of `english.yaml`, or 'skill' for a verb that is a declared skill's own.
    :param words: its words in this form. :param sort: 'base', 'third', 'gerund', 'participle'.
    :param state: that it brings about; '' for none. :param skills: templates it may stand for.
    """

    act: str
    words: tuple[str, ...]
    sort: str
    state: str = ''
    skills: tuple[SkillType, ...] = ()


@cache
def english() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The general verbs and states of English, by category."""
    return {
        section: {
            str(key): tuple(one.replace('_', ' ') for one in value.split())
            for key, value in rows.items()
        }
        for section, rows in listed('english').items()
    }


def state_of(skill: SkillType) -> str:
    """The state that a skill brings about; '' for none."""
    made = (
        fact.value
        for fact in skill.facts
        if fact.relation is Relation.IS and fact.holds and '<' not in fact.value
        if read_comparison(fact.value) is None
    )
    return next(made, '')


class ServerWords:
    """Names, states and verbs of one skill server.

    :param vocabulary: as the server declares it.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.skills = vocabulary.skills
        #: Things that are nothing but a number.
        self.own_numbers = frozenset(vocabulary.numbers) & {*vocabulary.other_classes}
        self._kinds: dict[str, NameKind] = {}
        #: First word -> forms that begin with it: words, name, whether the name is whole.
        self._forms: dict[str, list[tuple[tuple[str, ...], str, bool]]] = defaultdict(list)
        self._joined: dict[str, list[str]] = defaultdict(list)
        self._learned: list[str] = []
        #: Names by the senses and last words that they share with what is like them.
        self._by_sense: dict[int, list[str]] = defaultdict(list)
        self._by_head: dict[str, list[str]] = defaultdict(list)
        self._spelled: dict[str, str] = {}
        self._order: dict[str, int] = {}
        self._indexed = 0
        self._slips: dict[tuple[int, str], str] = {}
        self._known_words: tuple[int, frozenset[str], tuple[str, ...]] | None = None
        for kind, names in (
            (NameKind.REGION, vocabulary.rooms),
            (NameKind.PLACE, vocabulary.place_classes),
            (NameKind.THING, vocabulary.object_classes),
            (NameKind.OTHER, (*vocabulary.other_classes, *vocabulary.numbers)),
        ):
            for name in names:
                self.learn(name, kind)
        for name, *others in vocabulary.other_words:
            known = name if name in self._kinds else class_and_number(name)[0]
            for words in others if known in self._kinds else ():
                if read_comparison(words) is None:
                    self._add(words, known, whole=True)
        self._learned.clear()

    # Names ---------------------------------------------------------------------------------------

    def learn(self, name: str, kind: NameKind) -> None:
        """Learn a name that the server lists, or that was seen; the first kind is kept.

        Of a name with a number, 'crate 2' and 'plant T01', the class is learned too.
        """
        if not name or name in self._kinds:
            return
        self._order[name] = len(self._kinds)
        self._kinds[name] = kind
        self._learned.append(name)
        self._add(name, name, whole=True)
        apart = TOLD_APART.fullmatch(name)
        if apart is not None:
            if apart[1] not in self._kinds:
                self.learn(apart[1], kind)
            if any(letter.isalpha() for letter in apart[2]):
                # "T01" alone is plant T01.
                self._add(apart[2], name, whole=True)

    def _add(self, text: str, name: str, whole: bool) -> None:
        tokens = tokens_of(text)
        words = tuple(token.word for token in tokens)
        if not any(token.is_word for token in tokens):
            return
        entry = (words, name, whole)
        if entry not in self._forms[words[0]]:
            self._forms[words[0]].append(entry)
        parts = words if len(words) > 1 else split_name(words[0])
        if whole and len(parts) > 1:
            self._joined[''.join(parts)].append(name)
            if len(words) == 1:
                self._add(' '.join(parts), name, whole=True)
            if not any(map(str.isdigit, parts[-1])) and parts[-1] not in _NO_HEAD:
                self._add(parts[-1], name, whole=False)

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are known."""
        return tuple(self._kinds)

    @property
    def size(self) -> int:
        """Number of names learned since the vocabulary was read."""
        return len(self._learned)

    def kind(self, name: str) -> NameKind | None:
        """What a name, or its class, stands for; None where it is not known."""
        if name in self._kinds:
            return self._kinds[name]
        apart = TOLD_APART.fullmatch(name)
        return self._kinds.get(apart[1]) if apart else None

    @staticmethod
    def is_numbered(name: str) -> bool:
        """Whether a name is that of one thing of a class: "crate 2"."""
        return TOLD_APART.fullmatch(name) is not None

    def mentions_at(self, tokens: Sequence[Token], at: int) -> tuple[Mention, ...]:
        """Mentions that begin at a token: exact ones before others, longer before shorter."""
        found: dict[tuple[int, bool], set[str]] = defaultdict(set)
        first = tokens[at].word
        plurals: dict[int, bool] = {}
        #: Ends of plurals of the last words of names.
        parts: set[int] = set()
        for form in singulars_of(first):
            for words, name, whole in self._forms.get(form, ()):
                end = at + len(words)
                rest = tuple(token.word for token in tokens[at + 1 : end])
                if len(words) == 1:
                    plural = form != first
                elif rest[:-1] != words[1:-1] or form != first:
                    continue
                elif rest[-1:] == words[-1:]:
                    plural = False
                elif rest and words[-1] in singulars_of(rest[-1]):
                    plural = True
                else:
                    continue
                found[end, whole].add(name)
                parts |= {end} if plural and not whole else set()
                plurals[end] = plurals.get(end, True) and plural
        for form in singulars_of(first):
            # "paintcan" where the server says "paint can"
            if form in self._joined and form not in self._kinds:
                found[at + 1, True].update(self._joined[form])
                plurals[at + 1] = form != first
        for end in (at + 2, at + 3):
            joined = ''.join(token.word for token in tokens[at:end])
            for form in singulars_of(joined) if len(tokens) >= end else ():
                if form in self._joined or form in self._kinds:
                    names = self._joined.get(form) or [form]
                    found[end, True].update(names)
                    plurals[end] = form != joined
        for last in range(at + 2, min(at + 4, len(tokens))):
            # "a tank of water" where the server says "water tank"
            if tokens[at + 1].word == 'of':
                names, plural = self._compound(tokens[last].word, first)
                if names:
                    found[last + 1, True].update(names)
                    plurals[last + 1] = plural
        if found.get((at + 1, True)) and not plurals[at + 1] and at + 1 in parts:
            # "jars" is a name, and there are oil jars
            found[at + 1, True].update(found[at + 1, False])
        order = sorted(found, key=lambda key: (not key[1], -key[0]))
        return tuple(
            self._numbered(
                tokens, Mention(at, end, self._narrowed(found[end, exact]), exact, plurals[end])
            )
            for end, exact in order
        )

    def _compound(self, first: str, last: str) -> tuple[list[str], bool]:
        """Names of these two words, and whether the last is a plural."""
        for form in singulars_of(last):
            names = [
                n
                for words, n, whole in self._forms.get(first, ())
                if whole and words == (first, form)
            ]
            if names:
                return names, form != last
        return [], False

    def _narrowed(self, names: set[str]) -> tuple[str, ...]:
        """Names that words stand for; a class alone stands for itself and not for its things."""
        classes = {name for name in names if not TOLD_APART.fullmatch(name)}
        return tuple(sorted(classes or names))

    def _numbered(self, tokens: Sequence[Token], mention: Mention) -> Mention:
        """The mention with the number or label that stands behind its class."""
        if len(mention.names) != 1 or mention.end >= len(tokens):
            return mention
        label, end = _label(tokens, mention.end)
        is_known = bool(label) and f'{mention.names[0]} {label}' in self._kinds
        tells = label.isdecimal() or _TAG.fullmatch(label) is not None
        is_number = tells and not TOLD_APART.fullmatch(mention.names[0])
        behind = [token.word for token in tokens[end : end + 2]]
        counts = not is_known and (
            behind[1:] == ['of']
            or any(one in self._forms for one in singulars_of(''.join(behind[:1])))
        )
        if not (is_known or is_number) or mention.plural or counts:
            # "in the vault 1 crate"
            return mention
        return Mention(mention.start, end, mention.names, mention.exact, False, label)

    def like(self, words: str) -> dict[str, Likeness]:
        """Names that are near to a noun that is none of them, with how near they are.

        Nearness is that of WordNet's senses; a name that shares the noun's last word is a kind.
        """
        for name in list(self._kinds)[self._indexed :]:
            spelled = ' '.join(split_name(name)) or class_and_number(name)[0]
            self._spelled[name] = spelled
            for sense in related(spelled):
                self._by_sense[sense].append(name)
            self._by_head[spelled.rpartition(' ')[2]].append(name)
        self._indexed = len(self._kinds)
        heads = singulars_of(words.rpartition(' ')[2])
        # "ice box" is an icebox.
        senses = related(words) | related(words.replace(' ', ''))
        near = {name for sense in senses for name in self._by_sense.get(sense, ())}
        near |= {name for head in heads for name in self._by_head.get(head, ())}
        found: dict[str, Likeness] = {}
        for name in near:
            spelled = self._spelled[name]
            how = max(likeness(words, spelled), likeness(words.replace(' ', ''), spelled))
            if how is Likeness.NONE and spelled.rpartition(' ')[2] in heads:
                how = Likeness.KIND
            if how is not Likeness.NONE:
                found[name] = how
        return {name: found[name] for name in sorted(found, key=self._order.__getitem__)}

    @cached_property
    def fixed_nouns(self) -> frozenset[str]:
        """Nouns in the fixed words of skills: 'door' of `open the door of <pen>`."""
        fixed = (' '.join(SLOT.split(one.template)).split()[1:] for one in self.skills)
        return frozenset(word for words in fixed for word in words if is_noun(word))

    def fixed_like(self, words: str) -> tuple[str, ...]:
        """Nouns in the fixed words of skills that a noun may stand for."""
        said = {words, *singulars_of(words)}
        return tuple(
            noun for noun in sorted(self.fixed_nouns) if noun in said or likeness(words, noun)
        )

    def spelled(self, tokens: Sequence[Token]) -> tuple[Token, ...]:
        """Tokens with slips of the pen set right, each at its place in the text."""
        return tuple(
            replace(token, word=self._right(token.word)) if len(token.word) > 3 else token
            for token in tokens
        )

    def _right(self, word: str) -> str:
        """The only word of a name or verb that a word is a slip of; itself where it is none."""
        if not word.isalpha() or not self._written.isdisjoint(singulars_of(word)):
            return word
        key = (self.size, word)
        if key not in self._slips:
            near = {
                right
                for form in singulars_of(word)
                for right, _, _ in process.extract(
                    form, self._sorted, scorer=OSA.distance, score_cutoff=2, limit=None
                )
                if is_slip(form, right)
            }
            right = near.pop() if len(near) == 1 and not is_english_word(word) else word
            self._slips[key] = right
        return self._slips[key]

    @property
    def _written(self) -> frozenset[str]:
        """Words of names and verbs, as they are written."""
        if self._known_words is None or self._known_words[0] != self.size:
            words = {
                word for forms in self._forms.values() for form, _, _ in forms for word in form
            }
            words |= set(self.verbs) | {
                word for verbs in self.verbs.values() for v in verbs for word in v.words
            }
            words |= {word for phrase in self.states for word in phrase}
            self._known_words = (
                self.size,
                frozenset(words),
                tuple(sorted(w for w in words if len(w) > 3)),
            )
        return self._known_words[1]

    @property
    def _sorted(self) -> tuple[str, ...]:
        assert self._written is not None and self._known_words is not None, 'made beside'
        return self._known_words[2]

    # States --------------------------------------------------------------------------------------

    @cached_property
    def states(self) -> Mapping[tuple[str, ...], str]:
        """Words that say how a thing is, and the state."""
        found: dict[tuple[str, ...], str] = {}
        for state in self.reachable:
            for told in (state, *self._said_for(state)):
                found.setdefault(_words(told), state)
        opposite = english()['opposite']
        for state in (*self.reachable, *self.vocabulary.states):
            for other in (state, *opposite.get(state, ())):
                for told in (other, *english()['states'].get(other, ())):
                    found.setdefault(_words(told), other)
        for words in [key for key in found if len(key) == 1]:
            for form, sort in inflected(words[0]).items():
                if sort == 'participle':
                    found.setdefault((form,), found[words])
        return found

    def _said_for(self, state: str) -> Iterator[str]:
        for skill in self._makers.get(state, ()):
            yield from skill.other_words
            if skill.slots:
                yield skill.verb
        for word, *others in self.vocabulary.other_words:
            if word == state:
                yield from (one for one in others if read_comparison(one) is None)

    @cached_property
    def _makers(self) -> Mapping[str, tuple[SkillType, ...]]:
        """Skills by the states that they bring about."""
        found: dict[str, list[SkillType]] = defaultdict(list)
        for skill in self.skills:
            made = dict.fromkeys((state_of(skill), *(one.state for one in skill.treatments)))
            for state in made:
                found[state].append(skill)
        return {state: tuple(skills) for state, skills in found.items()}

    @cached_property
    def reachable(self) -> tuple[str, ...]:
        """States that skills bring about."""
        made = [state_of(skill) for skill in self.skills]
        made += [one.state for skill in self.skills for one in skill.treatments]
        made += [SWITCHED[skill.kind] for skill in self.skills if skill.kind in SWITCHED]
        return tuple(dict.fromkeys(filter(None, made)))

    def reaches(self, name: str, state: str) -> bool:
        """Whether a skill brings a thing into a state, as far as is declared."""
        if self.is_amount(state) and any(self.moves(s, name, state) for s in self.skills):
            return True
        kind = self.kind(name) or NameKind.OTHER
        for skill in self.skills:
            if any(one.state == state for one in skill.treatments):
                if kind in (NameKind.THING, NameKind.OTHER):
                    return True
            if state_of(skill) != state:
                continue
            fits = bool(skill.slots) and self.fits(skill.slots[0], name)
            if fits or any(is_of_class(name, fact.subject) for fact in skill.facts):
                return True
        return False

    def moves(self, skill: SkillType, name: str, state: str) -> bool:
        """Whether a skill moves a number of a thing towards a comparison: 'moisture > 40 %'.

        :param name: '' for any thing.
        """
        told = read_comparison(self.condition_of(state) or state)
        signs = {sign[0] for sign, _ in told.tests} if told is not None else set()
        slots = {slot.text: slot for slot in skill.slots}
        return told is not None and any(
            told.name in ('', one.name)
            and (one.sets or ('>' if one.factor > 0 else '<') in signs)
            and (
                name in ('', one.subject)
                or (one.subject in slots and self.fits(slots[one.subject], name))
            )
            for one in skill.changes
        )

    def number_of(self, name: str, skills: Iterable[SkillType] = ()) -> str:
        """The only number of a thing that skills move; '' where there are none or several.

        :param skills: () for all that are declared.
        """
        if name in self.own_numbers:
            return ''
        moved = {
            change.name
            for skill in tuple(skills) or self.skills
            for change in skill.changes
            if any(self.moves(skill, name, f'{change.name} {sign} 0') for sign in '<>')
        }
        return moved.pop() if len(moved) == 1 else ''

    def is_amount(self, state: str) -> bool:
        """Test for a condition on a number, or a state that follows from one."""
        return read_comparison(state) is not None or bool(self.condition_of(state))

    def condition_of(self, state: str) -> str:
        """The condition on a number that a state follows from, '< 20 %'; '' for none."""
        for word, *others in self.vocabulary.other_words:
            if word == state:
                return next((one for one in others if read_comparison(one) is not None), '')
        return ''

    # Slots ---------------------------------------------------------------------------------------

    def fits(self, slot: Slot, name: str) -> bool:
        """Whether a name may stand in a slot, as far as is declared."""
        kind = self.kind(name)
        if slot.classes:
            return slot.may_name(name)
        if self.kind(slot.name) is not None:
            return is_of_class(name, slot.name)
        if slot.type is SlotType.NAME and slot.name in self._carried:
            return kind in (NameKind.THING, NameKind.OTHER)
        if slot.type is SlotType.NAME:
            return True
        return kind is NameKind.OTHER or (kind is not None and kind.value == slot.type.value)

    def kind_in(self, slot: Slot) -> NameKind | None:
        """The kind of names that a slot takes, by its type and what other skills do with them."""
        if slot.type is SlotType.NAME and slot.name in self._carried:
            return NameKind.THING
        return next((kind for kind in NameKind if kind.value == slot.type.value), None)

    @cached_property
    def _carried(self) -> frozenset[str]:
        """Names of slots for what is taken, and neither gone to, opened nor switched."""
        taken = {
            one.slots[0].name for one in self.skills if one.slots and one.kind is SkillKind.TAKE
        }
        others = {one.slots[0].name for one in self.skills if one.slots and one.kind in _OF_PLACES}
        return frozenset(taken - others)

    # Verbs ---------------------------------------------------------------------------------------

    @cached_property
    def verbs(self) -> Mapping[str, tuple[Verb, ...]]:
        """First words of verbs in all forms, and the verbs."""
        found: dict[str, dict[Verb, None]] = defaultdict(dict)
        for text, act, state, skills in self._verb_entries():
            for form, sort in inflected(text).items():
                words = tuple(form.split())
                found[words[0]][Verb(act, words, sort, state, skills)] = None
        return {word: tuple(verbs) for word, verbs in found.items()}

    def _verb_entries(self) -> Iterator[tuple[str, str, str, tuple[SkillType, ...]]]:
        own: dict[str, list[SkillType]] = defaultdict(list)
        for skill in self.skills:
            for text in (skill.verb, *skill.other_words):
                words = ' '.join(token.word for token in tokens_of(text))
                if words:
                    own[words].append(skill)
        for text, skills in own.items():
            kinds = {skill.kind for skill in skills}
            act = next((_ACT_OF_KIND[kind] for kind in kinds if kind in _ACT_OF_KIND), 'skill')
            state = next(filter(None, map(state_of, skills)), '')
            yield text, 'state' if state else act, state, tuple(skills)
        for act, verbs in english()['verbs'].items():
            kind_state = act if act in english()['opposite'] else ''
            if kind_state and kind_state not in self.switchable:
                continue
            for text in verbs:
                yield text, 'state' if kind_state else act, kind_state, ()
        for phrase, state in self.states.items():
            # "Scanned the crate" tells what was done
            if state not in english()['opposite'] and not phrase[-1].endswith('ed'):
                yield ' '.join(phrase), 'state', state, ()

    @cached_property
    def switchable(self) -> frozenset[str]:
        """Of open, closed, on and off, those that skills bring about, and their opposites."""
        made = {SWITCHED[skill.kind] for skill in self.skills if skill.kind in SWITCHED}
        made |= {state for state in self.reachable if state in english()['opposite']}
        return frozenset(made | {one for state in made for one in english()['opposite'][state]})

    def skills_of(self, doing: str) -> tuple[SkillType, ...]:
        """Declared skills that an act stands for: of its kind, or of this verb."""
        kinds = _KINDS_OF_ACT.get(doing, ())
        verb = doing.casefold()
        if doing.startswith(MAKING):
            return self._makers.get(doing.removeprefix(MAKING), ())
        return tuple(
            skill
            for skill in self.skills
            if skill.kind in kinds
            or doing == 'touch'
            or verb in (skill.verb.casefold(), skill.verb.casefold().partition(' ')[0])
            or verb in map(str.casefold, skill.other_words)
        )


_ACT_OF_KIND = {
    SkillKind.MOVE: 'go',
    SkillKind.TAKE: 'take',
    SkillKind.PUT: 'put',
    SkillKind.MAKE: 'make',
}
_KINDS_OF_ACT = {
    'open': (SkillKind.OPEN,),
    'close': (SkillKind.CLOSE,),
    'take': (SkillKind.TAKE,),
    'put': (SkillKind.PUT,),
    'go': (SkillKind.MOVE,),
    'switch on': (SkillKind.SWITCH_ON,),
    'switch off': (SkillKind.SWITCH_OFF,),
}


#: Acts by the states that they bring about.
ACT_OF_STATE = {'open': 'open', 'closed': 'close', 'on': 'switch on', 'off': 'switch off'}


#: Labels of things that are told apart by more than a number: A-7.
_TAG = re.compile(r'[^\W\d_]{1,3}[-_/]\d+')


def act_of_state(state: str, words: ServerWords) -> str:
    """The act that brings a state about; 'touch' where no skill does."""
    makers = (skill.verb for skill in words.skills if state_of(skill) == state)
    treated = any(one.state == state for skill in words.skills for one in skill.treatments)
    return ACT_OF_STATE.get(state) or next(makers, f'{MAKING}{state}' if treated else 'touch')


def _words(text: str) -> tuple[str, ...]:
    return tuple(token.word for token in tokens_of(text) if token.is_word)


def _label(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """Number or label that begins at a token, 'A-7' and 't01', and the index behind it."""
    end, text = at, ''
    if at + 1 < len(tokens) and tokens[at + 1].word == ')' and tokens[at - 1].word != '(':
        # "1) find the tray 2) carry it": the number of an item
        return '', at
    while end < len(tokens) and (end == at or tokens[end].start == tokens[end - 1].end):
        if not (tokens[end].is_word or tokens[end].word in '-_/'):
            break
        text += tokens[end].word
        end += 1
    return (text, end) if any(map(str.isdigit, text)) else ('', at)
