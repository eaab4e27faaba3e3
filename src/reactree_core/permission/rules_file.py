"""The file of rules: what people write, checked, and the rules that follow."""

from __future__ import annotations

import re
from datetime import datetime, time
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from reactree_core.errors import ConfigurationError
from reactree_core.permission.acts import read_event
from reactree_core.permission.matching import Condition, FactPattern, plain, SkillPattern
from reactree_core.permission.rules import Rule, Rules, Verdict
from reactree_core.permission.selector import DAYS, Selector
from reactree_core.permission.spending import Amounts, Limits, Price
from reactree_core.permission.totals import Total
from reactree_core.skill_checks import faults_of
from reactree_core.skill_types import MOST_SLOTS, read_effect, SkillKind, SkillType
from reactree_core.written_files import path_of, read_file, Written

#: How often a rule may count to; more is for `limits`.
MOST_TIMES = 100
#: Most skills within which something may have to follow.
MOST_WITHIN = 50
#: What the parameter `permission` may be in place of a file.
WORDS = tuple(verdict.name.lower() for verdict in Verdict)
_KINDS = {kind.name.lower(): kind for kind in SkillKind}
_Says = Literal['allow', 'ask', 'deny']
_Words = Annotated[str, Field(min_length=1, max_length=200)]
_Several = _Words | Annotated[list[_Words], Field(min_length=1, max_length=100)]
_Amount = Annotated[float, Field(ge=0, le=1e9)]
_Coordinate = Annotated[float, Field(allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=0, le=10**12)]


def _slot(text: str) -> str:
    if not re.fullmatch(r'<[^<>*]+>', text):
        raise ValueError(f'"{text[:80]}" is no slot: write it as in "skills", e.g. "<ml>"')
    return text


_Slot = Annotated[str, AfterValidator(_slot)]


class FactEntry(Written):
    """A condition that is a fact, as effects are written: `<crate> is scanned`."""

    fact: _Words

    @field_validator('fact')
    @classmethod
    def _can_be_read(cls, text: str) -> str:
        if read_effect(plain(text)) is None:
            raise ValueError(
                f'"fact" is "{text}": write "holding <x>", "at <x>", "<x> in <y>" or "<x> is word"'
            )
        return text


_Condition = _Words | FactEntry
_Conditions = _Condition | Annotated[list[_Condition], Field(min_length=1, max_length=20)]


class TotalEntry(Written):
    """Most of the numbers in a slot. :param of: the slot, e.g. '<ml>'. :param at_most: of them.

    :param for_each: slot by whose names they are added up one by one, e.g. '<plant>'.
    """

    of: _Slot
    at_most: Annotated[float | int, Field(ge=0, le=1e15, allow_inf_nan=False)]
    for_each: _Slot | None = None

    def total(self, alone: bool) -> Total:
        """The same as a value. :param alone: not added up."""
        each = self.for_each.strip('<>') if self.for_each else ''
        return Total(self.of.strip('<>'), Decimal(str(self.at_most)), each, alone)


class RuleEntry(Written):
    """A rule: which skills, and what holds for them.

    :param skills: texts or templates; `*` and `<slot>` stand for anything.
    :param kinds: that the skill server declares, e.g. put.
    :param things: names or classes in the skill. :param places: where it is done, or leads to.
    :param between: two times of day. :param days: e.g. [saturday, sunday].
    :param facts: written `while`: all of these hold, e.g. `battery < 20 %`, `<plant> is dry`.
    :param events: one of these comes about by the skill, whatever it is called: opened(<x>),
        closed(<x>), switched on(<x>), switched off(<x>), held(<x>), leaves(<x>, <place>),
        enters(<x>, <place>), where <x> may be `robot`, or * for anything.
    :param decide: allow, ask or deny: the first rule that fits. :param at_most: 0 for never.
    :param total: most of a number in them, added up.
    :param per: of `at_most` and `total`; 'skill' of `total` alone. :param only_after: one of
        these first. :param then: one of these before the run ends. They hold whatever other rules
        allow.
    :param within: of `then`: in how many skills, 1 to 50.
    :param by_mcp: of `decide: ask`: false where the answer may not come by MCP.
    """

    name: Annotated[str, Field(min_length=1, max_length=80)]
    skills: _Several | None = None
    kinds: _Several | None = None
    things: _Several | None = None
    places: _Several | None = None
    between: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    days: _Several | None = None
    facts: _Several | None = Field(default=None, alias='while')
    events: _Several | None = None
    decide: _Says | None = None
    at_most: Annotated[int, Field(ge=0, le=MOST_TIMES)] | None = None
    total: TotalEntry | None = None
    per: Literal['skill', 'run', 'hour'] = 'run'
    only_after: _Conditions | None = None
    then: _Conditions | None = None
    within: Annotated[int, Field(ge=1, le=MOST_WITHIN)] | None = None
    by_mcp: bool = True

    @model_validator(mode='after')
    def _says_one_thing(self) -> RuleEntry:
        decisions = (self.decide, self.at_most, self.total, self.only_after, self.then)
        if sum(one is not None for one in decisions) != 1:
            raise ValueError(
                f'rule "{self.name}" must say one of decide, at_most, total, only_after and then'
            )
        about = (self.skills, self.kinds, self.things, self.places, self.between, self.days,
                 self.facts, self.events)  # fmt: skip
        if all(one is None for one in about) and self.decide is None:
            raise ValueError(
                f'rule "{self.name}" must say which skills: skills, kinds, things ...'
            )
        if self.within is not None and self.then is None:
            raise ValueError(f'rule "{self.name}": within goes with then')
        if not self.by_mcp and self.decide != 'ask':
            raise ValueError(f'rule "{self.name}": by_mcp goes with "decide: ask"')
        if self.per == 'hour' and self.at_most is None and self.total is None:
            raise ValueError(f'rule "{self.name}": per: hour goes with at_most or total')
        if self.per == 'skill' and self.total is None:
            raise ValueError(f'rule "{self.name}": per: skill goes with total')
        for text in _listed(self.events):
            try:
                read_event(text)
            except ValueError as error:
                raise ValueError(f'rule "{self.name}": {error}') from None
        for text in (*_listed(self.skills), *_skills_of(self.only_after), *_skills_of(self.then)):
            _check_pattern(self.name, text)
        self._check_shared_slots()
        self._check_facts()
        self._check_total()
        for kind in _listed(self.kinds):
            if kind not in _KINDS:
                raise ValueError(
                    f'rule "{self.name}": there is no kind "{kind}"; there are {", ".join(_KINDS)}'
                )
        for day in _listed(self.days):
            if day not in DAYS:
                raise ValueError(
                    f'rule "{self.name}": there is no day "{day}"; there are {", ".join(DAYS)}'
                )
        times = [_time_of(self.name, text) for text in self.between or ()]
        if times and times[0] == times[1]:
            raise ValueError(
                f'rule "{self.name}": "between" has two equal times; leave it out for the whole '
                'day'
            )
        return self

    def _check_shared_slots(self) -> None:
        """A slot of a condition that a skill does not have would be met by any name."""
        patterns = _conditions(list(_listed(self.skills)))
        for condition in (*_conditions(self.only_after), *_conditions(self.then)):
            for name in sorted(condition.slots):
                lacks = next((f'"{one.wording}"' for one in patterns if name not in one.slots), '')
                if lacks or not patterns:
                    any_name = '' if isinstance(condition, FactPattern) else ', or be *'
                    raise ValueError(
                        f'rule "{self.name}": <{name}> of "{condition.wording}" must stand in '
                        f'{lacks or "its skills"}, too{any_name}'
                    )

    def _check_facts(self) -> None:
        """What must hold can be read, and is about what stands in every skill."""
        patterns = [SkillPattern(text) for text in _listed(self.skills)]
        for text in _listed(self.facts):
            if read_effect(plain(text)) is None:
                raise ValueError(
                    f'rule "{self.name}": "{text}" of "while" cannot be read: write '
                    '"battery < 20 %", "<x> is word", "at <x>", "<x> in <y>" or "holding <x>"'
                )
            for name in sorted(FactPattern(text).slots):
                if not patterns or any(name not in one.slots for one in patterns):
                    raise ValueError(
                        f'rule "{self.name}": <{name}> of "{text}" must stand in its skills, too'
                    )

    def _check_total(self) -> None:
        """What is added up, and by what, must stand in every skill."""
        patterns = [SkillPattern(text) for text in _listed(self.skills)]
        for slot in (self.total.of, self.total.for_each) if self.total else ():
            lacks = [one.text for one in patterns if slot and plain(slot)[1:-1] not in one.slots]
            if lacks or not patterns:
                where = f'"{lacks[0]}"' if lacks else 'its skills'
                raise ValueError(f'rule "{self.name}": {slot} of its total must stand in {where}')

    @property
    def rule(self) -> Rule:
        """What follows from it."""
        begin_end = tuple(_time_of(self.name, text) for text in self.between or ())
        return Rule(
            self.name,
            Selector(
                tuple(map(SkillPattern, _listed(self.skills))),
                frozenset(_KINDS[kind] for kind in _listed(self.kinds)),
                _listed(self.things),
                _listed(self.places),
                (begin_end[0], begin_end[1]) if begin_end else None,
                frozenset(DAYS.index(day) for day in _listed(self.days)),
                tuple(FactPattern(one, self.decide != 'allow') for one in _listed(self.facts)),
                tuple(map(read_event, _listed(self.events))),
            ),
            Verdict[self.decide.upper()] if self.decide else None,
            self.at_most,
            self.per == 'hour',
            _conditions(self.only_after),
            _conditions(self.then),
            total=self.total.total(self.per == 'skill') if self.total else None,
            within=self.within,
            by_mcp=self.by_mcp,
        )


class AmountsEntry(Written):
    """Most of everything; 0: no limit. See `Amounts`."""

    skills: _Count = 0
    distance: _Amount = 0.0
    seconds: _Amount = 0.0
    tokens: _Count = 0
    cost: _Amount = 0.0

    @property
    def amounts(self) -> Amounts:
        """The same as a value."""
        return Amounts(self.skills, self.distance, self.seconds, self.tokens, self.cost)


class LimitsEntry(Written):
    """Limits of a run, and of any hour, over all runs."""

    per_run: AmountsEntry = AmountsEntry()
    per_hour: AmountsEntry = AmountsEntry()


class PriceEntry(Written):
    """Of a million tokens; see `Price`."""

    prompt: _Amount = 0.0
    cached: _Amount = 0.0
    completion: _Amount = 0.0


class PermissionFile(Written):
    """A file of rules.

    :param rules: the first that fits and decides, decides; those of time hold in any case.
    :param otherwise: of what no rule speaks of; left out: ask for what moves, and allow
        everything in a simulated world.
    :param places: coordinates of places, for distances. :param price: of the model, for costs.
    :param by_mcp: false where no skill may be approved by MCP.
    """

    rules: Annotated[list[RuleEntry], Field(max_length=1000)] = Field(default_factory=list)
    otherwise: _Says | None = None
    limits: LimitsEntry = LimitsEntry()
    places: dict[str, Annotated[list[_Coordinate], Field(min_length=2, max_length=3)]] = Field(
        default_factory=dict
    )
    price: PriceEntry = PriceEntry()
    by_mcp: bool = True

    @model_validator(mode='after')
    def _fits_together(self) -> PermissionFile:
        names = [rule.name for rule in self.rules]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f'two rules are called "{name}": give each its own name')
        price = self.price
        if self.limits.per_run.cost or self.limits.per_hour.cost:
            if not price.prompt and not price.completion:
                raise ValueError('a limit of cost needs a price: of prompt and completion')
        if self.limits.per_run.distance or self.limits.per_hour.distance:
            if not self.places:
                raise ValueError('a limit of distance needs places: their coordinates')
        if len({len(at) for at in self.places.values()}) > 1:
            raise ValueError('places must all have two coordinates, or all three')
        return self


def read_rules(text: str) -> Rules:
    """The rules that the parameter `permission` tells.

    :param text: a file; allow, ask or deny for all skills alike; '' for none.
    :raises ConfigurationError: the file cannot be read, or something in it is wrong.
    """
    if text in WORDS:
        return Rules(otherwise=Verdict[text.upper()], source=text)
    if not text:
        return Rules()
    path = path_of(text)
    if path is None:
        words = f'{", ".join(WORDS[:-1])} or {WORDS[-1]}'
        raise ConfigurationError(
            f'{text} cannot be read: No such file or directory. Name a file, or write {words}.'
        )
    file: PermissionFile = read_file(
        path, PermissionFile, form='is no file of rules: see docs/permission.md'
    )
    return Rules(
        tuple(entry.rule for entry in file.rules),
        Verdict[file.otherwise.upper()] if file.otherwise else None,
        Limits(
            file.limits.per_run.amounts,
            file.limits.per_hour.amounts,
            {name: tuple(at) for name, at in file.places.items()},
            Price(file.price.prompt, file.price.cached, file.price.completion),
        ),
        str(path),
        by_mcp=file.by_mcp,
    )


def _listed(written: str | list[str] | None) -> tuple[str, ...]:
    if written is None:
        return ()
    return (written,) if isinstance(written, str) else tuple(written)


def _all_conditions(written: _Conditions | None) -> tuple[str | FactEntry, ...]:
    if written is None:
        return ()
    return tuple(written) if isinstance(written, list) else (written,)


def _skills_of(written: _Conditions | None) -> tuple[str, ...]:
    return tuple(one for one in _all_conditions(written) if isinstance(one, str))


def _conditions(written: _Conditions | None) -> tuple[Condition, ...]:
    return tuple(
        SkillPattern(one) if isinstance(one, str) else FactPattern(one.fact)
        for one in _all_conditions(written)
    )


def _check_pattern(rule: str, text: str) -> None:
    slots = [slot.name for slot in SkillType(text).slots]
    if len(slots) != len(set(slots)):
        raise ValueError(f'rule "{rule}": a slot appears twice in "{text}"')
    if text.count('*') + len(slots) > MOST_SLOTS:
        raise ValueError(f'rule "{rule}": "{text}" has more than {MOST_SLOTS} slots and *')
    fault = next(iter(faults_of(SkillType(text.replace('*', 'x')))), '')
    if fault and '*' not in text:
        raise ValueError(f'rule "{rule}": {fault}')


def _time_of(rule: str, text: str) -> time:
    try:
        return datetime.strptime(text, '%H:%M').time()
    except ValueError:
        raise ValueError(f'rule "{rule}": "{text}" is no time of day: write \'22:00\'') from None
