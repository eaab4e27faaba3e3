"""From an observation text back to what it says: the published WAH-NL sentences, read.

For whoever has texts only: a bag or a published log without facts, or a bridge of one's own that
is to speak as the planner's examples do (its texts should be read here as they were meant).
`phrases` and `skills` write the sentences; this is written from their published wording alone.

Three kinds of texts that the household says are none of WAH-NL's, where the model can only choose
offered skills: answers to what is no skill (INVALID_SKILL), failures that the user has asked for
(`failure_rate`), and a simulator's own reasons. They are not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_WORD = r'[^(),. ][^(),.]*'
_NUMBERED = rf'{_WORD} \(\d+\)'
_GROUP = rf'{_WORD} \(\d+(?:, \d+)*\)'
_LIST = rf'(?:nothing|{_GROUP}(?:, {_GROUP})*)'
_LOOK = rf'Looking quickly around the room, you see (?P<seen>{_LIST}|)\.'
#: Published are an empty list where this project says 'nothing', and no period.
_CLOSE = rf'You see (?P<seen>{_LIST}|)\.?'


class Event(StrEnum):
    """What a text says: a look, a skill that was done, or the check that stood against one."""

    LOOK = 'look'
    ROOM = 'go to room'
    ARRIVAL = 'go to object'
    PICK_UP = 'pick up'
    PUT_DOWN = 'put down'
    OPEN = 'open'
    CLOSE = 'close'
    TURN_ON = 'turn on'
    NO_EMPTY_HAND = 'no empty hand'
    NOT_CLOSE = 'not close'
    SHUT_IN = 'inside something closed'
    NOT_GRABBABLE = 'cannot be grabbed'
    NOT_HELD = 'not held'
    NOT_TAKEN_THERE = 'cannot be put down there'
    SHUT = 'closed'
    NO_DOOR = 'cannot be opened'
    OPEN_ALREADY = 'already open'
    CLOSED_ALREADY = 'already closed'
    NO_SWITCH = 'no switch'
    ON_ALREADY = 'already turned on'


_PLACED = rf'(?P<thing>{_WORD}?) (?P<relation>in|on) (?P<place>{_WORD})'
#: After `open` a failure is followed by what is close.
_SEEN_TOO = rf'(?: {_CLOSE})?'
_TEMPLATES = {
    Event.LOOK: (
        rf'You are in the house, and there are (?P<count>\d+) rooms: (?P<rooms>{_LIST})\. '
        rf'You are in the middle of a (?P<thing>{_NUMBERED})\. {_LOOK}'
    ),
    Event.ROOM: rf'You move to the (?P<thing>{_NUMBERED})\. {_LOOK}',
    Event.ARRIVAL: (
        rf'You arrive at the (?P<thing>{_NUMBERED})\.'
        rf'(?: The (?P=thing) is (?P<door>open|closed)\.)? {_CLOSE}'
    ),
    Event.PICK_UP: rf'You pick up (?P<thing>{_WORD})\.',
    Event.PUT_DOWN: rf'You put down {_PLACED}\.?',
    Event.OPEN: rf'You open (?P<thing>{_WORD})\. {_CLOSE}',
    Event.CLOSE: rf'You close (?P<thing>{_WORD})\.',
    Event.TURN_ON: rf'You turn on (?P<thing>{_WORD})\.',
    Event.NO_EMPTY_HAND: rf'You do not have an empty hand\.{_SEEN_TOO}',
    Event.NOT_CLOSE: rf'The (?P<thing>{_WORD}) is not close to you\.{_SEEN_TOO}',
    Event.SHUT_IN: rf'The (?P<thing>{_WORD}?) is inside closed (?P<place>{_WORD})\.',
    Event.NOT_GRABBABLE: rf'The (?P<thing>{_WORD}) cannot be grabbed\.',
    Event.NOT_HELD: rf'You do not grab the (?P<thing>{_WORD})\.',
    Event.NOT_TAKEN_THERE: (
        rf'The (?P<thing>{_WORD}) cannot be put down (?P<relation>in|on) (?P<place>{_WORD})\.'
    ),
    Event.SHUT: rf'The (?P<thing>{_WORD}) is closed\.',
    Event.NO_DOOR: rf'The (?P<thing>{_WORD}) cannot be opened\.?{_SEEN_TOO}',
    Event.OPEN_ALREADY: rf'The (?P<thing>{_WORD}) is already open\.{_SEEN_TOO}',
    Event.CLOSED_ALREADY: rf'The (?P<thing>{_WORD}) is already closed\.',
    Event.NO_SWITCH: rf'The (?P<thing>{_WORD}) does not have a switch\.?',
    Event.ON_ALREADY: rf'The (?P<thing>{_WORD}) is already turned on\.',
}
_PATTERNS = {event: re.compile(template) for event, template in _TEMPLATES.items()}
_HOLDING = re.compile(rf' You hold (?P<held>{_GROUP}(?:, {_GROUP})*)\.$')


@dataclass(frozen=True, slots=True)
class Report:
    """What a text says. Things in lists have their numbers: 'apple 1'.

    :param thing: what the event is about: with its number after LOOK, ROOM (the room) and
        ARRIVAL, a word without number else ('fridge'); '' when the text does not name it.
    :param place: where it is put, as a word; or the class of what it is shut in.
    :param relation: 'in' or 'on' of a place.
    :param door: 'open' or 'closed' of the thing one has arrived at, when told.
    :param rooms: of the house, after a LOOK.
    :param seen: what is listed; None when the text lists nothing (it may list 'nothing': ()).
    :param held: what the robot holds.
    """

    event: Event
    thing: str = ''
    place: str = ''
    relation: str = ''
    door: str = ''
    rooms: tuple[str, ...] = ()
    seen: tuple[str, ...] | None = None
    held: tuple[str, ...] = ()


def read_text(text: str) -> Report | None:
    """What an observation text says, or None when it is none of the published ones.

    :param text: of one observation.
    """
    holding = _HOLDING.search(text)
    body = text[: holding.start()] if holding else text
    for event, pattern in _PATTERNS.items():
        match = pattern.fullmatch(body)
        if match is None:
            continue
        parts = match.groupdict()
        rooms = _names(parts.get('rooms') or '')
        if len(rooms) != int(parts.get('count') or 0):
            return None
        thing = parts.get('thing') or ''
        return Report(
            event,
            thing.replace('(', '').replace(')', ''),
            parts.get('place') or '',
            parts.get('relation') or '',
            parts.get('door') or '',
            rooms,
            None if parts.get('seen') is None else _names(parts['seen']),
            _names(holding['held']) if holding else (),
        )
    return None


def _names(listed: str) -> tuple[str, ...]:
    """'apple (1, 2), bowl (1)' as names."""
    return tuple(
        f'{word} {number}'
        for word, numbers in re.findall(rf'({_WORD}) \((\d+(?:, \d+)*)\)', listed)
        for number in numbers.split(', ')
    )
