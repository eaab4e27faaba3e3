"""What is wrong with skill types as a server declares them, and with skills that do not fit."""

from __future__ import annotations

from collections.abc import Iterable

from reactree_core.bounds import read_bounds
from reactree_core.measures import read_change
from reactree_core.skill_types import (
    MOST_SLOTS,
    read_effect,
    read_treatment,
    SkillType,
    SLOT,
    SlotType,
    TAKES,
)


def faults_of(skill: SkillType) -> tuple[str, ...]:
    """What is wrong with a skill type as a server reports it, in sentences; () for nothing."""
    faults = []
    slots = SLOT.findall(skill.template)
    if not SLOT.sub('', skill.template).strip():
        faults.append(f'the template "{skill.template}" has no word of its own')
    if len(slots) > MOST_SLOTS:
        faults.append(f'"{skill.template}" has {len(slots)} slots; {MOST_SLOTS} are allowed')
    if len(skill.slot_types) > len(slots):
        faults.append(f'"{skill.template}" has more slot types than it has slots')
    known = [kind.value for kind in SlotType]
    faults += [
        f'"{skill.template}": "{declared}" is no type of a slot; there are {", ".join(known)}'
        for declared in skill.slot_types
        if declared and declared.partition(':')[0].strip() not in known
    ]
    faults += [
        f'"{skill.template}": "{slot.fault}" cannot be read; ' + _why(slot.fault)
        for slot in skill.slots
        if slot.fault
    ]
    declared = [('effect', one) for one in skill.effects] + [('need', one) for one in skill.needs]
    for what, text in (('inverse', skill.inverse), *declared):
        strange = [name for name in SLOT.findall(text) if name not in slots]
        if strange:
            faults.append(f'"{skill.template}": its {what} "{text}" names <{strange[0]}>')
        change = read_change(text) if what == 'effect' else None
        is_known = bool(change or TAKES.fullmatch(text) or read_treatment(text))
        if what == 'effect' and not is_known and read_effect(text) is None:
            faults.append(
                f'"{skill.template}": the effect "{text}" cannot be read; write "holding <x>", '
                '"at <x>", "<x> in <y>", "<x> is word", "everything in <x> is word" or '
                '"raises <number> of <x> by <slot>"'
            )
        if change is not None and change.slot:
            numbers = [slot.text for slot in skill.slots if slot.type is SlotType.NUMBER]
            if change.slot not in (*numbers, *(f'<{name}>' for name in strange)):
                faults.append(
                    f'"{skill.template}": the effect "{text}" adds {change.slot}, which is no '
                    'number'
                )
    return tuple(faults)


def _why(text: str) -> str:
    """What is wrong with what stands behind the colon of a slot's type."""
    bounds = read_bounds(text.partition(':')[2])
    if bounds is not None and bounds.fault:
        return bounds.fault
    return 'write "number: 0..300 step 10 ml" or "thing: plant, seedling"'


def shape_of(template: str) -> str:
    """A template without the names of its slots: those of one shape have the same texts."""
    return SkillType(template).filled(['<>'] * MOST_SLOTS)


def misfit(text: str, types: Iterable[SkillType]) -> str:
    """Why a skill's text has something in a slot that its server declares not to fit there, as a
    sentence; '' where it fits, and for a text of which nothing is declared.
    """
    objection = ''
    for skill in types:
        for values in skill.splits(text, any_number=True):
            pairs = zip(skill.slots, values, strict=True)
            found = next(filter(None, (slot.objection(value) for slot, value in pairs)), '')
            if not found:
                return ''
            if any(slot.is_narrow for slot in skill.slots):
                objection = objection or found
    return objection
