"""The form of a goal: what a sentence asks for, each part with the words that it accounts for.

    Put two crates on the table, but don't open the vault.

    milestones   in(crate x 2, table)        "two crates on the table"
    never        open(vault)                "don't open the vault"

Whoever reads a sentence writes this form: a person, a model in one request, or the grammar. It
says what shall hold and never how. Its JSON schema and its codec follow from the dataclasses.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from reactree_core.errors import ModelOutputError
from reactree_core.permission.acts import MAKING

#: A count of things: 1 to 999, or all of them.
Count = int | Literal['all']
Relation = Literal['in', 'near', 'is', 'holding', 'at', 'done']
Circumstances = Literal['if', 'unless', 'once', 'until', 'whenever', 'every', 'after']
#: Longest text of a form.
MOST_LETTERS = 2000
_Form = TypeVar('_Form')


@dataclass(frozen=True, slots=True)
class Name:
    """Marks a text that is a name of the skill server."""


@dataclass(frozen=True, slots=True)
class Doing:
    """Marks a text that is an act: a kind of skill, or the verb of a declared one."""


NameText = Annotated[str, Name()]
DoingText = Annotated[str, Doing()]


@dataclass(frozen=True, slots=True)
class FormCondition:
    """A condition that shall hold.

    :param relation: `in` also stands for "on"; `near` for "next to", "beside"; `at` is the robot's
        own place (`thing` is None); `done` is a declared skill with its slots filled, in `thing`.
    :param thing: name of the things; None for everything (with count 'all'), and for `at`.
    :param count: how many of them; of `done`, how often.
    :param value: place of `in`, `near` and `at`; state of `is`, also a condition on a number,
        '> 40 %'; None for `holding` and `done`.
    :param source: place where the things are now: "the cup from the shelf"; None where not said.
    :param being: state in which the things are now: "each dirty crate"; None where not said.
    :param but: names of the things that are excepted: "all fruit but the drum".
    :param holds: False for a condition that shall not hold: "the lamp should not be on".
    :param words: quote of the sentence, as short as names its things, count, place and state.
    """

    relation: Relation
    thing: NameText | None
    value: NameText | None = None
    count: Count = 1
    source: NameText | None = None
    being: str | None = None
    but: tuple[NameText, ...] = ()
    holds: bool = True
    words: str = ''


@dataclass(frozen=True, slots=True)
class Circumstance:
    """When something is to be done.

    :param kind: `if`, `unless`: decided now; `once`: as soon as it holds; `until`: repeated up to
        then; `whenever`: each time that it comes to hold; `every`: again after some seconds;
        `after`: once, some seconds from now.
    :param conditions: that hold then. :param seconds: of `every` and `after`, > 0; else None.
    :param times: how often at most; None for any number.
    """

    kind: Circumstances
    conditions: tuple[FormCondition, ...] = ()
    seconds: float | None = None
    times: int | None = None
    words: str = ''


@dataclass(frozen=True, slots=True)
class FormMilestone:
    """Conditions that hold together at one time.

    :param when: of this milestone alone; None where it is due in any case.
    """

    conditions: tuple[FormCondition, ...]
    when: Circumstance | None = None


@dataclass(frozen=True, slots=True)
class Prohibition:
    """An act that must not be done.

    :param doing: open, close, take, put, go, switch on, switch off, touch (anything with it), the
        verb of a declared skill, or 'make ' and a state that skills bring about.
    :param thing: name of what it is done with; None for anything.
    :param place: where it is bound to a place: "take anything out of the vault".
    :param side: whether the place is where the thing comes from, goes to, or where it is done.
    :param but: names that are excepted.
    :param until: up to when it holds; None: to the end.
    """

    doing: DoingText
    thing: NameText | None = None
    place: NameText | None = None
    side: Literal['from', 'to', 'at'] = 'at'
    but: tuple[NameText, ...] = ()
    until: Circumstance | None = None
    words: str = ''


@dataclass(frozen=True, slots=True)
class Limit:
    """How often an act may be done, or how much of an amount may be used.

    :param at_most: times, >= 0, or amount in `unit`. :param unit: '' for times; 'ml', 's', '%'.
    :param per: of an amount: in all, for each thing, or each time. :param hourly: in an hour.
    """

    doing: DoingText
    at_most: float
    thing: NameText | None = None
    place: NameText | None = None
    unit: str = ''
    per: Literal['all', 'thing', 'time'] = 'all'
    hourly: bool = False
    words: str = ''


@dataclass(frozen=True, slots=True)
class Ordering:
    """An act that waits for another: "only open the box after the lid is off".

    :param first: condition that has to hold before. :param then: act that waits.
    """

    then: Prohibition
    first: FormCondition
    words: str = ''


@dataclass(frozen=True, slots=True)
class Sequel:
    """What has to follow an act: "whenever you open the box, close it again".

    :param after: the act; doing it is not asked for. :param then: condition that holds afterwards.
    :param within: skills in which it is met, 1 to 50; None: before the end.
    """

    after: Prohibition
    then: FormCondition
    within: int | None = None
    words: str = ''


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question that asks for an answer and for no act.

    :param about: what shall be told: whether it holds, how many, where.
    :param look: whether the robot is asked to go and see.
    """

    ask: Literal['whether', 'how many', 'where', 'what']
    about: FormCondition
    look: bool = False
    words: str = ''


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Words that are no name of the server, and the name they are taken for.

    :param others: names that they may stand for as well.
    """

    words: str
    name: NameText
    others: tuple[NameText, ...] = ()


@dataclass(frozen=True, slots=True)
class Remainder:
    """Words that the form cannot express.

    :param matters: whether the task done without them would be wrong.
    """

    words: str
    why: str
    matters: bool = True


@dataclass(frozen=True, slots=True)
class GoalForm:
    """What a sentence asks for.

    :param language: ISO 639-1 code. :param milestones: met one after the other.
    :param when: circumstances of the whole task.
    """

    language: str = 'en'
    milestones: tuple[FormMilestone, ...] = ()
    never: tuple[Prohibition, ...] = ()
    limits: tuple[Limit, ...] = ()
    order: tuple[Ordering, ...] = ()
    sequels: tuple[Sequel, ...] = ()
    when: Circumstance | None = None
    question: Inquiry | None = None
    taken_for: tuple[Interpretation, ...] = ()
    cannot_say: tuple[Remainder, ...] = ()

    @property
    def wanted(self) -> tuple[FormCondition, ...]:
        """Conditions of all milestones, in order."""
        return tuple(one for milestone in self.milestones for one in milestone.conditions)

    @property
    def circumstances(self) -> tuple[Circumstance, ...]:
        """Circumstances of the task, its milestones and its prohibitions."""
        found = (self.when, *(one.when for one in self.milestones), *(n.until for n in self.never))
        return tuple(one for one in found if one is not None)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked, forbidden or limited."""
        rules = self.never or self.limits or self.order or self.sequels
        return not (self.milestones or rules or self.question)


# Codec and schema ------------------------------------------------------------------------------


def to_json(form: object) -> Any:
    """The JSON value of a form or a part of it."""
    if dataclasses.is_dataclass(form):
        fields = dataclasses.fields(form)
        return {one.name: to_json(getattr(form, one.name)) for one in fields}
    if isinstance(form, tuple):
        return [to_json(one) for one in form]
    return form


def from_json(value: object, kind: type[_Form]) -> _Form:
    """A form from its JSON value; fields that are missing have their defaults.

    :raises ModelOutputError: a field is of another type; the sentence names it.
    """
    found: _Form = _read(value, kind, 'goal')
    return found


def schema(
    kind: object = GoalForm, names: Sequence[str] = (), doings: Sequence[str] = ()
) -> dict[str, Any]:
    """The JSON schema of a form.

    :param names: of the skill server, () for any. :param doings: acts, () for any.
    """
    return _schema(kind, tuple(names), tuple(doings))


def _schema(kind: object, names: tuple[str, ...], doings: tuple[str, ...]) -> dict[str, Any]:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        listed = names if isinstance(arguments[1], Name) else doings
        return {'enum': list(listed)} if listed else {'type': 'string'}
    if origin in (types.UnionType, typing.Union):
        return {'anyOf': [_schema(one, names, doings) for one in arguments]}
    if origin is Literal:
        return {'enum': list(arguments)}
    if origin is tuple:
        return {'type': 'array', 'items': _schema(arguments[0], names, doings)}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        # A state is no name: `value` may also be any text.
        fields = {name: _schema(hint, names, doings) for name, hint in hints.items()}
        if kind is FormCondition:
            fields['value'] = {'anyOf': [{'type': 'string'}, {'type': 'null'}]}
            fields['thing'] = {'anyOf': [{'type': 'string'}, {'type': 'null'}]}
        return {
            'type': 'object',
            'properties': fields,
            'required': list(fields),
            'additionalProperties': False,
        }
    plain = {str: 'string', int: 'integer', float: 'number', bool: 'boolean'}
    return {'type': plain.get(typing.cast(type, kind), 'null')}


@cache
def _hints(kind: type) -> Mapping[str, object]:
    return typing.get_type_hints(kind, include_extras=True)


def _read(value: object, kind: object, path: str) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        return _read(value, arguments[0], path)
    if origin in (types.UnionType, typing.Union):
        return _read_union(value, arguments, path)
    if origin is Literal:
        if value in arguments:
            return value
        raise _wrong(path, f'one of {", ".join(map(str, arguments))}', value)
    if origin is tuple:
        if not isinstance(value, list):
            raise _wrong(path, 'a list', value)
        return tuple(_read(one, arguments[0], f'{path}[{i}]') for i, one in enumerate(value))
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _read_fields(value, kind, path)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, typing.cast(type, kind)) or (kind is int and value is True):
        raise _wrong(path, getattr(kind, '__name__', str(kind)), value)
    if isinstance(value, str) and len(value) > MOST_LETTERS:
        raise ModelOutputError(f'"{path}" has more than {MOST_LETTERS} letters.')
    return value


def _read_union(value: object, kinds: tuple[object, ...], path: str) -> Any:
    if value is None and types.NoneType in kinds:
        return None
    told: ModelOutputError | None = None
    for kind in kinds:
        if kind is not types.NoneType:
            try:
                return _read(value, kind, path)
            except ModelOutputError as error:
                told = error
    raise told or _wrong(path, 'null', value)


def _read_fields(value: object, kind: type, path: str) -> Any:
    if not isinstance(value, dict):
        raise _wrong(path, 'an object', value)
    hints = _hints(kind)
    unknown = [str(name) for name in value if name not in hints]
    if unknown:
        raise ModelOutputError(f'"{path}" has no field "{unknown[0][:60]}".')
    read = {name: _read(one, hints[name], f'{path}.{name}') for name, one in value.items()}
    missing = [
        one.name
        for one in dataclasses.fields(kind)
        if one.name not in read
        and one.default is dataclasses.MISSING
        and one.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise ModelOutputError(f'"{path}" lacks the field "{missing[0]}".')
    return kind(**read)


def _wrong(path: str, wanted: str, value: object) -> ModelOutputError:
    return ModelOutputError(f'"{path}" must be {wanted}, not {str(value)[:60]!r}.')


# In plain English ------------------------------------------------------------------------------


def render(form: GoalForm) -> str:
    """The goal as plain sentences, for the person who confirms it."""
    return '\n'.join(_sentences(form))


def _sentences(form: GoalForm) -> Iterator[str]:
    steps = [_milestone_text(one) for one in form.milestones]
    if steps:
        start = f'{_circumstance_text(form.when)}: ' if form.when else ''
        yield f'I will{":" if start else ""} {start}{"; then ".join(steps)}.'.replace(': :', ':')
    for one in form.never:
        until = f' {_circumstance_text(one.until)}' if one.until else ''
        yield f'I will never {act_text(one)}{until}.'
    for limit in form.limits:
        per = {'all': '', 'thing': ' each', 'time': ' at a time'}[limit.per]
        hour = ' in an hour' if limit.hourly else ''
        amount = f'{limit.at_most:g} {limit.unit or "times"}{per}{hour}'
        act = Prohibition(limit.doing, limit.thing, limit.place)
        yield f'I will {act_text(act)} at most {amount}.'
    for order in form.order:
        yield f'I will {act_text(order.then)} only after {state_text(order.first)}.'
    for sequel in form.sequels:
        soon = f', within {sequel.within} steps' if sequel.within else ''
        yield f'After I {act_text(sequel.after)}, {state_text(sequel.then)}{soon}.'
    if form.question:
        yield _question_text(form.question)
    for taken in form.taken_for:
        others = f' (it could be {", ".join(taken.others)})' if taken.others else ''
        yield f'I take "{taken.words}" to be {taken.name}{others}.'
    for left in form.cannot_say:
        yield f'I leave out "{left.words}": {left.why}.'


def _question_text(one: Inquiry) -> str:
    about = state_text(replace(one.about, count=1))
    if one.ask == 'how many':
        about = about.replace('the ', '', 1).replace(' is ', ' are ', 1)
    elif one.ask in ('where', 'what'):
        about = f'{_things(one.about)} is' if one.ask == 'where' else about.partition(' is ')[2]
        about = about if one.ask == 'where' else f'is {about}'
    looks = 'I will look and tell' if one.look else 'You ask'
    return f'{looks} {one.ask} {about}.'


def _milestone_text(milestone: FormMilestone) -> str:
    wanted = ' and '.join(map(condition_text, milestone.conditions))
    return f'{_circumstance_text(milestone.when)}, {wanted}' if milestone.when else wanted


def _things(one: FormCondition) -> str:
    sort = f'{one.being} {one.thing or "thing"}' if one.being else one.thing or 'thing'
    if one.count == 'all':
        text = f'every {sort}'
    else:
        text = f'{one.count} {sort}' if one.count != 1 else f'the {sort}'
    source = f' from the {one.source}' if one.source else ''
    but = f' but {", ".join(one.but)}' if one.but else ''
    return f'{text}{source}{but}'


def condition_text(one: FormCondition) -> str:
    """A wanted condition, to stand behind "I will"."""
    no = '' if one.holds else 'not '
    if one.relation == 'at':
        return f'{no}be at the {one.value}'
    if one.relation == 'done':
        return f'{no}{one.thing}' + (f' {one.count} times' if one.count != 1 else '')
    if one.relation == 'holding':
        return f'{no}hold {_things(one)}'
    where = {'in': _place_text(one.value or ''), 'near': f'next to the {one.value}'}
    return f'{no}have {_things(one)} {where.get(one.relation, one.value)}'


def _place_text(place: str) -> str:
    if not place:
        return 'somewhere'
    return place if place.startswith('where ') else f'in or on the {place}'


def state_text(one: FormCondition) -> str:
    """A condition as a statement: "the lamp is on"."""
    no = '' if one.holds else 'not '
    if one.relation == 'at':
        return f'I am {no}at the {one.value}'
    if one.relation == 'done':
        return f'{one.thing} is {no}done'
    where = {
        'in': _place_text(one.value or ''),
        'near': f'next to the {one.value}',
        'holding': 'in my hand',
    }
    return f'{_things(one)} is {no}{where.get(one.relation, one.value)}'


def act_text(one: Prohibition) -> str:
    """An act, to stand behind "I will never"."""
    thing = one.thing or ('' if one.doing == 'go' else 'anything')
    place = f' {one.side} {one.place}' if one.place else ''
    but = f' but {", ".join(one.but)}' if one.but else ''
    if one.doing.startswith(MAKING):
        return f'make {thing} {one.doing.removeprefix(MAKING)}' + place + but
    return f'{one.doing} {thing}'.strip() + place + but


def _circumstance_text(one: Circumstance) -> str:
    told = ' and '.join(map(state_text, one.conditions))
    seconds = f'{one.seconds:g} s' if one.seconds is not None else ''
    times = f'at most {one.times} times' if one.times is not None else ''
    return ' '.join(filter(None, (one.kind, told, seconds, times)))
