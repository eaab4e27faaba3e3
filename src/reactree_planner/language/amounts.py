"""Limits of amounts in a task: "never more than 300 ml a plant". English, and nothing else.

What is read is a rule of permission that adds up numbers in skills (`Total`). A limit is read as a
whole or not at all: one of a case, of another time or in other units is said not to be kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from reactree_core.bounds import read_number
from reactree_core.permission.matching import SkillPattern
from reactree_core.permission.rules import Rule
from reactree_core.permission.selector import Selector
from reactree_core.permission.totals import Total
from reactree_core.skill_types import SkillType, Slot, SlotType
from reactree_planner.language.lexicon import number_of, NUMBER_WORDS

#: Units as people say them -> as skills do.
_SAID_UNITS = {
    'ml': 'millilitre milliliter', 'l': 'litre liter', 's': 'second sec', 'min': 'minute',
    'h': 'hour', 'mm': 'millimetre millimeter', 'cm': 'centimetre centimeter', 'm': 'metre meter',
    'km': 'kilometre kilometer', 'g': 'gram gramme', 'kg': 'kilogram kilo', 'deg': 'degree',
    'gal': 'gallon', 'cup': '', 'oz': 'ounce', 'lb': 'pound', '%': 'percent', 'drop': '',
}  # fmt: skip
UNITS = {
    form: unit
    for unit, said in _SAID_UNITS.items()
    for word in (unit, *said.split())
    for form in (word, f'{word}s')
}
_SENTENCE = re.compile(r'(?:[^.;!?\n]|(?<=\d)\.(?=\d))+[.;!?\n]?')
_LIMIT = re.compile(
    r"\b(?:(?:never|not?|cannot|\w+n['’]?t)\b(?P<told>[^,]*?)\b(?:more than|exceed(?:ing)?|over)"
    r'|at (?:the )?most|up to|(?:an? )?max(?:imum|\.)?(?: of)?'
    r'|(?P<less>less than|under|below))\s+',
    re.IGNORECASE,
)
#: Behind these it is told how a number is or shall be, and not how much is used.
_STATING = re.compile(
    r'\b(?:is|are|be|stays?|remains?|gets?|falls?|drops?|sinks?|rises?|reaches'
    r'|until|till|anything|everything) (?:still )?$',
    re.IGNORECASE,
)
#: Words of numbers that are read, and of those that are not.
_NUMBER_WORDS = NUMBER_WORDS | {'to', 'or', 'and', 'a', 'an', 'of', 'half', 'about', 'roughly'}
#: With these a limit holds in a case, for a time, or not at all.
_CASES = re.compile(
    r'\b(?:if|when|while|unless|until|till|before|after|(?<!at )once|except|during|today|tonight|'
    r'tomorrow|now|yesterday|was|were|did|had|need|matter|problem|longer|usually|or more|'
    r'some|most of)\b',
    re.IGNORECASE,
)
_UNTIL_OF_ANOTHER = re.compile(r'(?<=\w )(?:until|till) [^,;]*,', re.IGNORECASE)
_IN_AN_HOUR = re.compile(
    r'\b(?:(?:in|within) )?(?:an|per|every|each|any|one) hour\b|\bhourly\b', re.IGNORECASE
)
_AT_ONCE = re.compile(
    r'\b(?:at (?:a time|once|one time)|(?:each|every) time|per time|in one go)\b', re.IGNORECASE
)
_EACH = re.compile(r'\b(?:an?|any|each|every|per) (?P<what>\w+(?: \w+)?)\b', re.IGNORECASE)
_EACH_OF_THEM = re.compile(r'^\s*(?:each|apiece)\b', re.IGNORECASE)
#: What changes nothing behind a limit.
_FILLING = re.compile(
    r'\b(?:of \w+|in (?:total|all)|all in all|altogether|together|please|ever|for|to|on|it|them|'
    r'each|the|or|and)\b',
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ToldLimit:
    """A limit of an amount in a text. :param begin: of its words, in letters. :param end: of them.

    :param rules: () for one that is not kept.
    """

    begin: int
    end: int
    rules: tuple[Rule, ...] = ()


def amount_limits(text: str, types: Sequence[SkillType]) -> tuple[ToldLimit, ...]:
    """Every limit of an amount with a unit that a text tells, in order.

    :param types: of the skill server; a rule is about those with a number in that unit.
    """
    units = {unit for one in types for slot in one.slots if (unit := _unit(one, slot))}
    forms = '|'.join(map(re.escape, sorted({*units, *UNITS}, key=len, reverse=True)))
    of_unit = re.compile(
        rf'(?P<number>\S(?:[^;!?]{{0,40}}?\S)??)\s*(?P<unit>{forms})(?!\w)', re.IGNORECASE
    )
    found = []
    for sentence in _SENTENCE.finditer(text):
        begin, said = sentence.start(), sentence[0]
        for limit in _LIMIT.finditer(said):
            if _STATING.search(said, 0, limit.start()):
                continue
            amount = of_unit.match(said, limit.end())
            if amount is None or not _is_number_like(amount['number']):
                continue
            if text[: begin + limit.start()].count('"') % 2:
                continue
            end = _clause_end(said, amount.end())
            rules = () if limit['less'] else _rules(said, limit, amount, end, types)
            found.append(ToldLimit(begin + limit.start(), begin + end, rules))
    return tuple(found)


def _is_number_like(said: str) -> bool:
    words = said.lower().replace('-', ' ').split()
    return all(word in _NUMBER_WORDS or any(map(str.isdigit, word)) for word in words)


def _clause_end(said: str, begin: int) -> int:
    joint = re.compile(r',|\b(?:and|but|then|so)\b|[.;!?\n]', re.IGNORECASE).search(said, begin)
    return joint.start() if joint else len(said)


def _rules(
    said: str,
    limit: re.Match[str],
    amount: re.Match[str],
    end: int,
    types: Sequence[SkillType],
) -> tuple[Rule, ...]:
    most = _number(amount['number'])
    before = said[said.rfind(',', 0, limit.start()) + 1 : limit.start()]
    told, behind = limit['told'] or '', said[amount.end() : end]
    # Until when something else goes on is told of that.
    told_before = _UNTIL_OF_ANOTHER.sub(',', said[: limit.start()])
    is_case = said.rstrip().endswith('?') or _CASES.search(f'{told_before} {told}')
    if most is None or is_case or _CASES.search(said[limit.end() :]):
        return ()
    meant = _meant(f'{before} {told}', _plain_unit(amount['unit']), types)
    if not meant:
        return ()
    hour, alone = _IN_AN_HOUR.search(behind), _AT_ONCE.search(behind)
    rest = _AT_ONCE.sub(' ', _IN_AN_HOUR.sub(' ', behind))
    each = bool(_EACH_OF_THEM.match(rest))
    named: set[str] = set()
    for part in (rest, f'{before} {told}'):
        each |= any(_is_one_of(match['what'], meant) for match in _EACH.finditer(part))
        named |= {name for one, slot in meant for name in _names(part, _each_slot(one))}
    rest = _EACH.sub(lambda one: ' ' if _is_one_of(one['what'], meant) else one[0], rest)
    for name in named:
        rest = re.sub(rf'\b{re.escape(name)}\b', ' ', rest, flags=re.IGNORECASE)
    if re.search(r'\w', _FILLING.sub(' ', rest)) or (hour and alone):
        return ()
    return tuple(
        Rule(
            'the task',
            Selector(tuple(_pattern(one, slot, name) for one, slot in meant)),
            per_hour=bool(hour),
            of_task=True,
            total=Total(_NUMBER, most, _EACH_SLOT if each and not name else '', bool(alone)),
        )
        for name in sorted(named) or ['']
    )


#: Slots of all patterns of a rule, whatever the templates call them.
_NUMBER, _EACH_SLOT = 'amount', 'thing'


def _number(said: str) -> Decimal | None:
    """An amount in digits or words; None for one that is not read, as "1,000" or "300 to 400"."""
    words = said.lower().replace('-', ' ').split()
    if len(words) == 1 and words[0][:1].isdigit():
        return read_number(said)
    number = number_of(words) if words and not said[0].isdigit() else None
    return None if number is None else Decimal(number)


def _plain_unit(said: str) -> str:
    return UNITS.get(said.lower(), said.lower())


def _unit(skill: SkillType, slot: Slot) -> str:
    """The unit of a slot: as declared, or the word behind it."""
    if slot.type is not SlotType.NUMBER:
        return ''
    if slot.bounds is not None and slot.bounds.unit:
        return _plain_unit(slot.bounds.unit)
    behind = skill.template.partition(slot.text)[2].split()
    return _plain_unit(behind[0]) if behind and not behind[0].startswith('<') else ''


def _meant(said: str, unit: str, types: Sequence[SkillType]) -> list[tuple[SkillType, Slot]]:
    """Skills with a number in a unit; of several, those whose verb is told where one is."""
    found = [(one, slot) for one in types for slot in one.slots if _unit(one, slot) == unit]
    words = {form for word in re.findall(r'\w+', said.lower()) for form in (word, word[:-3])}
    told = [
        (one, slot)
        for one, slot in found
        if words & {word.lower() for word in (one.verb, *one.other_words)}
    ]
    return told or found


def _each_slot(skill: SkillType) -> Slot | None:
    return next((slot for slot in skill.slots if slot.type.is_name), None)


def _is_one_of(what: str, meant: Sequence[tuple[SkillType, Slot]]) -> bool:
    """Whether words name what stands in the skills: a class of theirs, or "thing"."""
    slots = [slot for one, _ in meant if (slot := _each_slot(one))]
    known = {word.lower() for slot in slots for word in (slot.name, *slot.classes)}
    return len(slots) == len(meant) and (what.lower() in known or what.split()[0].lower() in known)


def _names(said: str, slot: Slot | None) -> Iterator[str]:
    """Things with a number that stand in a text: "plant 1"."""
    for one in (slot.name, *slot.classes) if slot else ():
        for match in re.finditer(rf'\b{re.escape(one)} \w*\d\w*\b', said, re.IGNORECASE):
            yield match[0].lower()


def _pattern(skill: SkillType, slot: Slot, name: str) -> SkillPattern:
    """The texts of a skill, with slots of the same names for all; with a name in its slot."""
    text = skill.template.replace(slot.text, f'<{_NUMBER}>')
    each = _each_slot(skill)
    if each is not None:
        text = text.replace(each.text, name or f'<{_EACH_SLOT}>')
    return SkillPattern(text)
