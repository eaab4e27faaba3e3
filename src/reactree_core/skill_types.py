"""Skill types: what a skill server declares about its skills, and how skill texts are parsed.

The texts of a type are its template with the slots filled, e.g. `load <crate> onto <truck>`. All
fields but the template are optional; a rule whose input is not declared does nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from functools import lru_cache

from reactree_core.bounds import Bounds, read_bounds, read_number
from reactree_core.measures import Change, fact_text, read_change, read_fact, read_measure, TIMES

#: Most slots of a template.
MOST_SLOTS = 4
#: Ways to take one text apart that are looked at.
_MOST_SPLITS = 64
#: Templates of which parts are kept; a server may declare thousands.
_MOST_TEMPLATES = 16384
SLOT = re.compile(r'<([^<>]*)>')
#: Numbers that distinguish things of one class: `mug 1`, `Mug (1)`.
_NUMBERED = re.compile(r'(.*\S)\s+(?:\((\d{1,9})\)|(\d{1,9}))')
_BRACKETED = re.compile(r'\((\d{1,9})\)')
#: A class and what distinguishes its things, with letters too: `mug 1`, `crate A-7`, `plant T01`.
TOLD_APART = re.compile(r'(.*\S)(\s+\S*\d\S*)')


class SkillKind(IntEnum):
    """What a skill does; equal to the KIND_* constants of SkillType.msg."""

    OTHER = 0
    MOVE = 1
    TAKE = 2
    PUT = 3
    OPEN = 4
    CLOSE = 5
    SWITCH_ON = 6
    SWITCH_OFF = 7
    CHANGE = 8
    LOOK = 9
    MAKE = 10
    ASK = 11
    END = 12


#: Kinds that bring a thing away from where it was.
CARRYING = (SkillKind.TAKE, SkillKind.PUT)
#: Kinds by which a thing is looked for.
SEARCHING = (SkillKind.MOVE, SkillKind.OPEN)
#: Kinds that set a state of one thing, which another skill takes back.
SWITCHING = (SkillKind.OPEN, SkillKind.CLOSE, SkillKind.SWITCH_ON, SkillKind.SWITCH_OFF)


class SlotType(Enum):
    """What may stand in a slot."""

    #: A known name of any kind.
    NAME = 'name'
    THING = 'thing'
    PLACE = 'place'
    REGION = 'region'
    NUMBER = 'number'
    #: Whatever the model writes.
    TEXT = 'text'

    @property
    def is_name(self) -> bool:
        """Whether a known name stands there."""
        return self not in (SlotType.NUMBER, SlotType.TEXT)


#: The need of a free hand where a robot has no other: it holds one thing at a time.
ONLY_HAND_FREE = 'only hand free'
#: Types of slots by their names, for servers that do not say them.
_TYPES_BY_NAME = {
    **dict.fromkeys(('room', 'region', 'area', 'zone', 'aisle', 'floor'), SlotType.REGION),
    **dict.fromkeys(('place', 'location', 'receptacle', 'station'), SlotType.PLACE),
    **dict.fromkeys(('number', 'count', 'amount'), SlotType.NUMBER),
    **dict.fromkeys(('text', 'query', 'message', 'question'), SlotType.TEXT),
}


@dataclass(frozen=True, slots=True)
class Slot:
    """A gap of a template.

    :param name: as it stands between the angle brackets.
    :param bounds: of a number; None for any.
    :param classes: of which a name must be; () for any.
    :param fault: what is told of it and cannot be read, so that nothing fits; '' where all can.
    """

    name: str
    type: SlotType
    bounds: Bounds | None = None
    classes: tuple[str, ...] = ()
    fault: str = ''

    @property
    def text(self) -> str:
        """As it stands in the template; in a skill it is a gap that the model is to fill."""
        return f'<{self.name}>'

    @property
    def is_narrow(self) -> bool:
        """Whether more than its type is told of it."""
        return bool(self.bounds or self.classes or self.fault)

    def may_name(self, name: str) -> bool:
        """Test for a name of one of its classes, or the class of such a name: `dock` for `dock 2`.

        A slot without classes takes any.
        """
        return not self.classes or any(
            is_of_class(name, one) or is_of_class(one, name) for one in self.classes
        )

    def objection(self, value: str) -> str:
        """Why a value cannot stand there, as a sentence; '' where it can, as far as is given."""
        if self.fault:
            return f'{self.text} is declared as "{self.fault}", which cannot be read.'
        if self.classes and not any(is_of_class(value, one) for one in self.classes):
            *first, last = self.classes
            taken = f'{", ".join(first)} or {last}' if first else last
            return f'{self.text} takes a {taken}, and "{value[:80]}" is none.'
        if self.type is not SlotType.NUMBER:
            return ''
        number = read_number(value)
        if number is None:
            return f'{self.text} takes a number such as 50 or 2.5, not "{value[:80]}".'
        if self.bounds is not None and not self.bounds.takes(number):
            return f'{self.text} takes {self.bounds.wording}, not {value}.'
        return ''


class Relation(Enum):
    """What a fact says."""

    HOLDING = 'holding'
    AT = 'at'
    IN = 'in'
    IS = 'is'
    #: A skill has been done; of conditions alone.
    DONE = 'done'


@dataclass(frozen=True, slots=True)
class Effect:
    """What holds after a skill, e.g. `<object> in <place>`.

    :param subject: slot's or literal name; '' for the robot.
    :param value: the other name, or the state: a word, or a condition on a number, 'moisture >
        40 %' (`measures.Comparison`); 'here' is where the robot is.
    """

    relation: Relation
    subject: str
    value: str
    holds: bool = True

    @property
    def text(self) -> str:
        """As a skill server writes it."""
        fact = f'{self.subject} {self.relation.value} {self.value}'.strip()
        if self.relation is Relation.IS:
            fact = fact_text(self.subject, self.value)
        return fact if self.holds else f'not {fact}'


@dataclass(frozen=True, slots=True)
class Treatment:
    """What a skill does to all that is in a place, 'everything in <oven> is hot'.

    :param place: slot's or literal name. :param state: that everything there comes into.
    :param slot: which of its slots decides whether it does, by the class of the name in it; ''
        where it always does. :param classes: those that do.
    """

    place: str
    state: str
    slot: str = ''
    classes: tuple[str, ...] = ()

    def bound(self, slots: Mapping[str, str]) -> Treatment | None:
        """With names in place of slots; None where these names do not do it."""
        # Who forbids reads skills in small letters: a class in others must not escape.
        name = slots.get(self.slot, '').casefold()
        if self.slot and not any(is_of_class(name, one.casefold()) for one in self.classes):
            return None
        return replace(self, place=slots.get(self.place, self.place), slot='', classes=())


#: Effects of each kind, where the server declares none.
_USUAL_EFFECTS = {
    SkillKind.MOVE: ('at {0}',),
    SkillKind.TAKE: ('holding {0}',),
    SkillKind.PUT: ('{0} in {1}', 'not holding {0}'),
    SkillKind.OPEN: ('{0} is open',),
    SkillKind.CLOSE: ('{0} is closed',),
    SkillKind.SWITCH_ON: ('{0} is on',),
    SkillKind.SWITCH_OFF: ('{0} is off',),
}
#: States that those kinds leave a thing in.
_STATE_OF_KINDS = {
    kind: texts[0].removeprefix('{0} is ')
    for kind, texts in _USUAL_EFFECTS.items()
    if texts[0].startswith('{0} is ')
}
_EFFECT = re.compile(
    r'(?P<no>not )?(?:(?P<robot>holding|at) (?P<what>\S.*)'
    r'|(?P<subject>\S.*?) (?:(?P<state>is)|in|on|at) (?P<value>\S.*))'
)
_TREATMENT = re.compile(
    r'everything in (?P<place>\S.*?) is (?P<state>(?!not )\S+)'
    r'(?: if (?P<slot><[^<>]+>) is (?P<classes>\S.*))?'
)
#: How long a skill waits: a number, or the slot of one.
TAKES = re.compile(rf'takes (?P<time><[^<>]+>|\d+(?:\.\d+)?) (?P<unit>{"|".join(TIMES)})')

#: Digits of a number that stands for a slot while its fact is read.
_MARK = '77770000'

#: Most tries of a skill that fails, with the first one.
MOST_TRIES = 11


@dataclass(frozen=True, slots=True)
class SkillType:
    """One sort of skill.

    :param template: fixed words and 0 to 4 slots, e.g. 'pick up <object>'.
    :param slot_types: values of `SlotType` in the order of the slots; a slot for which none is
        told has that of its name (`<room>`, `<place>`, `<number>`, `<text>`), else `name`. Behind
        a colon may stand which numbers fit, 'number: 0..300 step 10 ml' (see `Bounds`), or of
        which classes a name must be, 'thing: plant, seedling'.
    :param kind: what it does; OTHER where that is not given.
    :param inverse: template of what takes it back, with slots of the same names; '' for none.
    :param effects: facts that hold afterwards: 'holding <object>', 'at <place>',
        '<object> in <place>', '<object> is clean', each also with 'not ' before it; 'here' is
        where the robot is; and changes of numbers, 'raises moisture of <plant> by about <ml>/10'
        (`measures.Change`); what becomes of all that is in a place, 'everything in <machine> is
        clean', 'everything in sink is clean if <name> is faucet' (`Treatment`); and how long it
        waits, 'takes <s> s', 'takes 600 s'. Where none is given, those usual for the kind.
    :param description: one line for the model.
    :param other_words: what people say for its verb and for the state that it brings about:
        'chill' and 'cold' for 'cool <bottle>'.
    :param needs: facts without which it is not begun, told as effects are, and 'hands free', or
        `ONLY_HAND_FREE` of a robot with one hand; of several with ' or ' between them one will do,
        and a class held means any of it.
    :param tries: in a run, with the first one, until a skill that fails is given up, 1 to
        `MOST_TRIES`; 0: as many as the planner's policy says.
    """

    template: str
    slot_types: tuple[str, ...] = ()
    kind: SkillKind = SkillKind.OTHER
    inverse: str = ''
    effects: tuple[str, ...] = ()
    description: str = ''
    other_words: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    tries: int = 0

    @property
    def verb(self) -> str:
        """The fixed words before the first slot."""
        return self.template.split('<')[0].strip()

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Its gaps, in order."""
        return _slots_of(self.template, self.slot_types)

    @property
    def facts(self) -> tuple[Effect, ...]:
        """What holds afterwards, as far as it can be read."""
        return _facts_of(self)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What it does to numbers."""
        return tuple(change for text in self.effects if (change := read_change(text)) is not None)

    @property
    def treatments(self) -> tuple[Treatment, ...]:
        """What it does to all that is in a place."""
        return _treatments_of(self.effects)

    def tools_for(self, state: str) -> Iterator[tuple[str, ...]]:
        """What it brings a state about with: of each, classes of which any one will do."""
        slots = {slot.text: slot.name for slot in self.slots}
        treated = [one for one in self.treatments if one.state == state]
        makes = any((one.relation, one.value) == (Relation.IS, state) for one in self.facts)
        for one in treated:
            if one.classes:
                yield one.classes
            if one.place not in slots or not one.classes:
                yield (slots.get(one.place, one.place),)
        for slot in self.slots[1:] if makes else ():
            if slot.type.is_name:
                yield (slot.name,)
        for text in self.needs if makes or treated else ():
            effects = [read_effect(way) for way in text.split(' or ')]
            names = tuple(one.value for one in effects if one and one.relation is Relation.HOLDING)
            if len(names) == len(effects) and slots.keys().isdisjoint(names):
                yield names

    def waits(self, values: Sequence[str]) -> float:
        """How long it waits at most, s, beside what it does. :param values: of its slots."""
        slots = dict(zip((slot.text for slot in self.slots), values, strict=True))
        total = 0.0
        for match in filter(None, map(TAKES.fullmatch, self.effects)):
            number = read_number(slots.get(match['time'], match['time']))
            total += 0.0 if number is None else float(number) * TIMES[match['unit']]
        return total

    @property
    def begin(self) -> str:
        """The text before the first slot; all of it where there is none."""
        return _literals_of(self.template)[0]

    def filled(self, values: Sequence[str]) -> str:
        """The text of a skill with these values in its slots."""
        left = iter(values)
        return SLOT.sub(lambda slot: next(left, slot[0]), self.template)

    def taking(self, classes: Iterable[str]) -> SkillType:
        """The same, whose first slot takes some classes alone; any where none is given."""
        wanted = f'{self.slots[0].type.value}: {", ".join(sorted(classes))}'
        return replace(self, slot_types=(wanted, *self.slot_types[1:])) if classes else self

    def splits(self, text: str, any_number: bool = False) -> Iterator[tuple[str, ...]]:
        """Values that make this text of the template; several where words of it occur in names.

        :param any_number: whether what is no number may stand where one belongs.
        """
        parts = _literals_of(self.template)
        if not text.startswith(parts[0]) or not text.endswith(parts[-1]):
            return
        if len(parts) == 1:
            if text == parts[0]:
                yield ()
            return
        end = len(text) - len(parts[-1])
        slots = self.slots
        for count, found in enumerate(_split(text, len(parts[0]), end, parts[1:-1])):
            if count == _MOST_SPLITS:
                return
            pairs = zip(slots, found, strict=True)
            if all(value and _may_be(slot, value, any_number) for slot, value in pairs):
                yield found


def _may_be(slot: Slot, value: str, any_number: bool) -> bool:
    if value == slot.text:
        return True
    if value != value.strip():
        return False
    return any_number or slot.type is not SlotType.NUMBER or read_number(value) is not None


def _split(text: str, start: int, end: int, between: Sequence[str]) -> Iterator[tuple[str, ...]]:
    if not between:
        yield (text[start:end],)
        return
    at = text.find(between[0], start + 1, end)
    while at > 0:
        for rest in _split(text, at + len(between[0]), end, between[1:]):
            yield (text[start:at], *rest)
        at = text.find(between[0], at + 1, end)


@lru_cache(maxsize=_MOST_TEMPLATES)
def _literals_of(template: str) -> tuple[str, ...]:
    """The fixed parts of a template, one more than slots."""
    return tuple(SLOT.split(template)[::2])


@lru_cache(maxsize=_MOST_TEMPLATES)
def _slots_of(template: str, types: tuple[str, ...]) -> tuple[Slot, ...]:
    slots = []
    for place, name in enumerate(SLOT.findall(template)):
        declared = types[place] if place < len(types) else ''
        usual = _TYPES_BY_NAME.get(name.rstrip('s 0123456789'), SlotType.NAME)
        slots.append(_slot_of(name, declared, usual))
    return tuple(slots)


def _slot_of(name: str, declared: str, usual: SlotType) -> Slot:
    word, colon, rest = declared.partition(':')
    slot = Slot(name, {kind.value: kind for kind in SlotType}.get(word.strip(), usual))
    if not colon:
        return slot
    bounds = read_bounds(rest) if slot.type is SlotType.NUMBER else None
    if bounds is not None and not bounds.fault:
        return replace(slot, bounds=bounds)
    classes = tuple(one for part in rest.split(',') if (one := ' '.join(part.split())))
    if slot.type.is_name and slot.type.value == word.strip() and classes:
        return replace(slot, classes=classes)
    return replace(slot, fault=declared)


@lru_cache(maxsize=_MOST_TEMPLATES)
def _facts_of(skill: SkillType) -> tuple[Effect, ...]:
    names = [slot.text for slot in skill.slots if slot.type.is_name]
    declared = tuple(text for text in skill.effects if read_treatment(text) is None)
    if not declared and names:
        # What becomes of other things leaves the usual effects.
        declared = tuple(
            text.format(names[0], names[1] if len(names) > 1 else 'here')
            for text in _USUAL_EFFECTS.get(skill.kind, ())
        )
    facts = tuple(effect for text in declared if (effect := read_effect(text)) is not None)
    states = [fact for fact in facts if fact.relation is Relation.IS]
    if skill.kind in _STATE_OF_KINDS and states and not any(fact.holds for fact in states):
        # "not <door> is open" alone does not say how the door is called once it is closed.
        usual = replace(states[0], value=_STATE_OF_KINDS[skill.kind], holds=True)
        facts = (usual, *facts)
    return facts


@lru_cache(maxsize=_MOST_TEMPLATES)
def read_treatment(text: str) -> Treatment | None:
    """What becomes of all that is in a place; None for an effect of another sort."""
    match = _TREATMENT.fullmatch(' '.join(text.split()))
    if match is None:
        return None
    classes = tuple(one for part in (match['classes'] or '').split(',') if (one := part.strip()))
    return Treatment(match['place'], match['state'], match['slot'] or '', classes)


@lru_cache(maxsize=_MOST_TEMPLATES)
def _treatments_of(effects: tuple[str, ...]) -> tuple[Treatment, ...]:
    return tuple(treatment for text in effects if (treatment := read_treatment(text)) is not None)


def read_effect(text: str) -> Effect | None:
    """A fact as a skill server writes it; None for a text of another form."""
    text = ' '.join(text.split())
    number = read_fact(text.removeprefix('not '))
    if number is not None:
        subject, comparison = number
        return Effect(Relation.IS, subject, comparison.text, not text.startswith('not '))
    match = _EFFECT.fullmatch(text)
    if match is None or read_change(text) or TAKES.fullmatch(text) or read_treatment(text):
        return None
    holds = match['no'] is None
    if match['robot']:
        relation = Relation.HOLDING if match['robot'] == 'holding' else Relation.AT
        return Effect(relation, '', match['what'], holds)
    relation = Relation.IS if match['state'] else Relation.IN
    return Effect(relation, match['subject'], match['value'], holds)


def read_need(text: str, slots: Iterable[Slot]) -> Effect | None:
    """A fact in which slots of numbers may stand for numbers: 'level of <tank> >= <litres> l'.

    :returns: its value has these slots, as its names have theirs; None for another form.
    """
    marks = {
        slot.text: f'{_MARK}{index}'
        for index, slot in enumerate(slots)
        if slot.type is SlotType.NUMBER and slot.text in text
    }
    for slot, mark in marks.items():
        text = text.replace(slot, mark)
    effect = read_effect(text)
    if effect is None or not marks:
        return effect
    value = effect.value
    for slot, mark in marks.items():
        value = value.replace(mark, slot)
    # Elsewhere a number stands for nothing.
    return replace(effect, value=value) if all(slot in value for slot in marks) else None


def read_proposition(text: str) -> Effect | None:
    """A fact as `Effect.text` writes it, also one with a number: `battery is 80 %`."""
    subject, parted, value = text.removeprefix('not ').rpartition(' is ')
    if parted and read_measure(value) is not None:
        return Effect(Relation.IS, subject, value, not text.startswith('not '))
    return read_effect(text)


def longest_wait(text: str, types: Iterable[SkillType]) -> float:
    """How long a skill of this text waits at most, s, beside what it does."""
    found = (one.waits(values) for one in types for values in one.splits(text))
    return max(found, default=0.0)


def is_of_class(name: str, wanted: str) -> bool:
    """Whether a name is of a class, or the class itself: `plant 1`, `Plant (1)`, `plant T01`."""
    return wanted in sorts_of(name)


def sorts_of(name: str) -> tuple[str, ...]:
    """A name and the classes that it belongs to by its letters: `plant T01` is a `plant`."""
    plain = plain_name(name)
    apart = TOLD_APART.fullmatch(plain)
    return tuple(dict.fromkeys((plain, class_and_number(plain)[0], apart[1] if apart else plain)))


def plain_name(name: str) -> str:
    """A name with its number written plainly: `Mug (1)` is `Mug 1`."""
    return _BRACKETED.sub(r'\1', name) if name.endswith(')') else name


@lru_cache(maxsize=16_384)
def class_and_number(name: str) -> tuple[str, int]:
    """The class of a thing's name, and its number; 0 for a name without one."""
    match = _NUMBERED.fullmatch(name)
    return (match[1], int(match[2] or match[3])) if match else (name, 0)
