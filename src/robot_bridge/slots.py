"""Slots of a robot's skills: what a file says of them, as `SkillType` tells it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from reactree_core.bounds import read_bounds
from reactree_core.written_files import Written

#: A slot that takes a class: `<crate: box>`.
_NARROW = re.compile(r'<([^<>:]*):([^<>]*)>')
#: A slot of a list, by its place from 1.
_PLACE = '#{}'


def _by_place(value: object) -> object:
    """Slots by their names; of a list by their places, '#1' the first."""
    if isinstance(value, list):
        value = {_PLACE.format(place): one for place, one in enumerate(value, 1)}
    if not isinstance(value, dict):
        return value
    return {name: {'type': one} if isinstance(one, str) else one for name, one in value.items()}


class SlotEntry(Written):
    """What fits a slot: a word, or numbers with their bounds.

    :param type: the word. :param number: both ends, e.g. '0..300'.
    :param step: between two of the numbers, from the first on; left out: any number.
    :param unit: for people.
    """

    type: Literal['name', 'thing', 'place', 'region', 'number', 'text'] = 'number'
    number: Annotated[str, Field(max_length=40)] = ''
    step: float | int | None = None
    unit: Annotated[str, Field(max_length=40)] = ''

    @model_validator(mode='after')
    def _can_be_read(self) -> SlotEntry:
        if not self.number:
            if self.model_fields_set != {'type'}:
                raise ValueError('a slot is a word, or has "number", e.g. {number: 0..300}')
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
        """As `SkillType` tells it."""
        if not self.number:
            return self.type
        step = '' if self.step is None else f' step {self.step}'
        return f'number: {self.number}{step} {self.unit}'.rstrip()


Slots = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=200)], SlotEntry],
    BeforeValidator(_by_place),
]


def plain_template(written: str) -> str:
    """A template without the classes in it: `water <plant>` for `water <plant: seedling>`."""
    return _NARROW.sub(lambda slot: f'<{slot[1].strip()}>', written)


def slot_types(
    written: str, slots: Mapping[str, SlotEntry], classes: Mapping[str, str]
) -> tuple[str, ...]:
    """Types of the slots of a template, in order, as `SkillType` tells them.

    :param written: the template with its classes. :param slots: what the file says of them.
    :param classes: of the file -> the type of a slot that takes it.
    :raises ValueError: they do not fit together.
    """
    names = re.findall(r'<([^<>]*)>', plain_template(written))
    types = dict.fromkeys(names, '')
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
    for slot, wanted in _NARROW.findall(written):
        name, one = slot.strip(), ' '.join(wanted.split())
        if one not in classes:
            raise ValueError(
                f'<{slot}:{wanted}>: there is no class "{one}"; list it below "classes", with '
                'other words for what counts as one'
            )
        if types[name] not in ('', classes[one].partition(':')[0]):
            raise ValueError(f'<{slot}:{wanted}> is a class, and "slots" says "{types[name]}"')
        types[name] = classes[one]
    types_given = [types[name] for name in names]
    return tuple(types_given) if any(types_given) else ()
