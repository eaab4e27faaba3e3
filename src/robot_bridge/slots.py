"""Slots of a robot's skills: what a file says of them, as `SkillType` tells it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from reactree_core.bounds import read_bounds
from reactree_core.written_files import Written

#: A slot that takes a class: `<crate: box>`.
_NARROW = re.compile(r'<([^<>:]*):([^<>]*)>')
_WORDS = ('name', 'thing', 'place', 'region', 'number', 'text')
#: A slot of which the file's type is wrong: nothing fits, and nothing else is wrong with it.
FAULTY = 'faulty'
#: A slot of a list, by its place from 1.
_PLACE = '#{}'


def _written_as(value: object) -> object:
    """A slot's entry, of its word, or of names: 'thing', 'place: kettle, tank', [kettle, tank]."""
    if isinstance(value, list):
        return {'names': value}
    if not isinstance(value, str):
        return value
    word, colon, names = value.partition(':')
    if word.strip() in _WORDS:
        return {'type': word.strip(), **({'names': listed(names)} if colon else {})}
    return {'names': listed(value)}


def listed(text: str) -> list[str]:
    """Names between commas."""
    return [one for part in text.split(',') if (one := ' '.join(part.split()))]


def _by_place(value: object) -> object:
    """Slots by their names; of a list by their places, '#1' the first."""
    if isinstance(value, list):
        value = {_PLACE.format(place): one for place, one in enumerate(value, 1)}
    if not isinstance(value, dict):
        return value
    return {name: _written_as(one) for name, one in value.items()}


class SlotEntry(Written):
    """Type of a slot: a word, names, or numbers with their bounds.

    :param type: the word. :param names: classes and names of which one fits.
    :param number: both ends, e.g. '0..300'.
    :param step: between two of the numbers, from the first on; left out: any number.
    :param unit: for people.
    """

    type: Literal['name', 'thing', 'place', 'region', 'number', 'text'] = 'number'
    names: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=200)] = Field(
        default_factory=list
    )
    number: Annotated[str, Field(max_length=40)] = ''
    step: float | int | None = None
    unit: Annotated[str, Field(max_length=40)] = ''

    @model_validator(mode='after')
    def _can_be_read(self) -> SlotEntry:
        if not self.number:
            if not self.model_fields_set <= {'type', 'names'} or not self.model_fields_set:
                raise ValueError('a slot is a word, or has "number", e.g. {number: 0..300}')
            if self.names and 'type' in self.model_fields_set and self.type in ('number', 'text'):
                raise ValueError(f'"{self.type}: {", ".join(self.names)}" is no list of names')
            return self
        bounds = read_bounds(self.text.partition(':')[2])
        if bounds is None or self.type != 'number':
            raise ValueError(
                f'"{self.number}" is no range of numbers: write "number: 0..300", and "step" and '
                '"unit" beside it'
            )
        if bounds.fault:
            raise ValueError(f'"{self.number}": {bounds.fault}')
        return self

    @property
    def text(self) -> str:
        """As `SkillType` has it; '' where only names are given."""
        if not self.number:
            return self.type if 'type' in self.model_fields_set else ''
        step = '' if self.step is None else f' step {self.step}'
        return f'number: {self.number}{step} {self.unit}'.rstrip()


@dataclass(frozen=True, slots=True)
class SlotTypes:
    """Types of slots in order, as `SkillType` has them.

    :param faults: of slots that nothing fits: the slot's key, '' in the template, and a sentence.
    """

    types: tuple[str, ...]
    faults: tuple[tuple[str, str], ...] = ()


Slots = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=200)], SlotEntry],
    BeforeValidator(_by_place),
]


def plain_template(written: str) -> str:
    """A template without the classes in it: `water <plant>` for `water <plant: seedling>`."""
    return _NARROW.sub(lambda slot: f'<{slot[1].strip()}>', written)


def slot_types(
    written: str, slots: Mapping[str, SlotEntry], type_of: Callable[[Sequence[str]], str]
) -> SlotTypes:
    """Types of the slots of a template, in order.

    :param written: the template with its classes. :param slots: what the file says of them.
    :param type_of: type of a slot that takes classes and names; ValueError where there is none.
    :raises ValueError: they do not fit together.
    """
    names = re.findall(r'<([^<>]*)>', plain_template(written))
    types = dict.fromkeys(names, '')
    wanted: dict[str, tuple[str, str, list[str]]] = {}
    for key, entry in slots.items():
        name = key.strip('<>')
        if key.startswith(_PLACE[0]):
            place = int(key[1:])
            if place > len(names):
                raise ValueError(f'"{written}" has more slot types than it has slots')
            name = names[place - 1]
        if name not in types:
            known = ', '.join(f'<{one}>' for one in names) or 'none'
            raise ValueError(f'"{written}" has no slot <{name}>; it has {known}')
        types[name] = entry.text
        if entry.names:
            wanted[name] = key, f'<{name}>', entry.names
    for slot, found in _NARROW.findall(written):
        name = slot.strip()
        if name in wanted:
            raise ValueError(f'<{slot}:{found}> has names, and "slots" has others')
        wanted[name] = '', f'<{slot}:{found}>', listed(found)
    faults = []
    for name, (key, shown, some) in wanted.items():
        declared, types[name] = types[name], f'{FAULTY}: {", ".join(some)}'
        try:
            taken = type_of(some)
            if declared not in ('', 'name', taken.partition(':')[0]):
                what = 'a class' if len(some) == 1 else 'a list of names'
                raise ValueError(f'is {what}, and "slots" says "{declared}"')
            types[name] = taken
        except ValueError as error:
            text = str(error)
            told = f'{shown} {text}' if text.startswith('is ') else f'{shown}: {text}'
            faults.append((key, told))
    types_given = tuple(types[name] for name in names)
    return SlotTypes(types_given if any(types_given) else (), tuple(faults))
