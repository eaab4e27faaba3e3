"""Numbers in skills, added up: "at most 300 ml a plant an hour"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from reactree_core.bounds import number_text, read_number
from reactree_core.permission.matching import Matcher, Moment, plain
from reactree_core.skill_types import plain_name, SlotType

#: Name -> how much; '' where it is all one.
Sums = Mapping[str, Decimal]
#: Nothing less can be written in a skill.
_LEAST = Decimal('1e-9')


@dataclass(frozen=True, slots=True)
class Total:
    """Most of the numbers in a slot of a rule's skills.

    Of negative numbers the amount counts. What cannot be read as a number is too much.

    :param slot: its name. :param most: still allowed.
    :param each: name of the slot by whose names they are added up one by one; '' for all together.
    :param alone: not added up: of each skill alone.
    """

    slot: str
    most: Decimal
    each: str = ''
    alone: bool = False

    def wording(self, skill: str, hour: bool) -> str:
        """What is not to be done, for people. :param skill: wording of the rule's skills."""
        parts = [
            skill.replace(f'<{self.slot}>', f'more than {number_text(self.most)}'),
            '' if self.alone else 'in all',
            f'for each <{self.each}>' if self.each else '',
            'in an hour' if hour else '',
        ]
        return ' '.join(filter(None, parts))

    def amounts(self, skill: Matcher, moment: Moment) -> Sums | None:
        """How much the skill of this moment takes, of each name that it may be about.

        :returns: None where no number can be read. A number that is left open counts as the least
            that may be written there.
        """
        found: dict[str, Decimal] = {}
        for values in skill.readings(moment.skill):
            number = self._number(values.get(plain(self.slot), ''), moment)
            if number is not None:
                name = plain(plain_name(values.get(plain(self.each), ''))) if self.each else ''
                found[name] = max(found.get(name, number), number)
        return found or None

    def objection(self, amounts: Sums | None, spent: Sums) -> str:
        """Why that is too much, for a sentence; '' where it is not.

        :param amounts: of the skill. :param spent: before it.
        """
        if amounts is None:
            return 'how much it is cannot be told'
        for name, amount in amounts.items():
            before = Decimal(0) if self.alone else spent.get(name, Decimal(0))
            if before + amount > self.most:
                whose = f' for {name}' if name else ''
                left = number_text(max(self.most - before, Decimal(0)))
                return f'{left} of {number_text(self.most)} are left{whose}'
        return ''

    def _number(self, value: str, moment: Moment) -> Decimal | None:
        number = read_number(value)
        if number is not None:
            return abs(number)
        slots = (slot for one in moment.types for slot in one.slots)
        gaps = [one for one in slots if plain(one.text) == value and one.type is SlotType.NUMBER]
        least = (one.bounds.smallest if one.bounds else _LEAST for one in gaps)
        return max(min(least), _LEAST) if gaps else None


def added(one: Sums, other: Sums) -> dict[str, Decimal]:
    """Both together."""
    names = dict.fromkeys((*one, *other))
    return {name: one.get(name, Decimal(0)) + other.get(name, Decimal(0)) for name in names}
