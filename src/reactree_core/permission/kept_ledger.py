"""What was spent in the last hour, in a small file that outlives the node."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reactree_core.durability import state_file, write_private
from reactree_core.errors import ConfigurationError
from reactree_core.permission.rules import Rules
from reactree_core.permission.spending import Amounts, HOUR, Ledger, NOTHING

#: Longest file, in bytes; one that is kept here has some hundred lines.
_LARGEST = 4_000_000
#: What was spent within so many seconds is one entry of the file, as if spent at their end.
_SPAN = 10.0
_Number = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]


class _Spent(BaseModel):
    """One entry. :param at: seconds since 1970."""

    model_config = ConfigDict(extra='forbid')

    at: _Number
    skills: Annotated[int, Field(ge=0, le=10**12)] = 0
    distance: _Number = 0.0
    seconds: _Number = 0.0
    tokens: Annotated[int, Field(ge=0, le=10**12)] = 0
    cost: _Number = 0.0


class _Summed(BaseModel):
    """What a rule has added up. :param at: as of `_Spent`. :param name: of what."""

    model_config = ConfigDict(extra='forbid')

    at: _Number
    rule: str
    name: str
    amount: Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]


class _File(BaseModel):
    """The file. :param counted: by the name of a rule, when it counted a skill."""

    model_config = ConfigDict(extra='forbid')

    format: Literal[1]
    spent: Annotated[list[_Spent], Field(max_length=10_000)]
    counted: dict[str, Annotated[list[_Number], Field(max_length=10_000)]]
    summed: Annotated[list[_Summed], Field(max_length=10_000)] = Field(default_factory=list)


class KeptLedger(Ledger):
    """A ledger that its file brings back.

    By the clock of the wall, as another process has none in common: what stands in the future
    counts from now on. What cannot be written down is refused from then on.

    :param path: of the file; made with its folder. :param clock: seconds that only grow.
    :param wall: seconds since 1970.
    :raises ConfigurationError: the file is there and cannot be read, or none can be written.
    """

    is_kept = True

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(clock)
        self._path = path
        self._wall = wall
        self._trouble = ''
        self._read()
        # What could not be kept shows now, and not after the first skill.
        self._keep()
        self._check()

    def spend(self, amounts: Amounts) -> None:
        """Note what was spent just now."""
        super().spend(amounts)
        self._keep()

    def count(self, rule: str) -> None:
        """Note that a rule of an hour counts a skill."""
        super().count(rule)
        self._keep()

    def add(self, rule: str, amounts: Mapping[str, Decimal]) -> None:
        """Note what a rule of an hour adds up. :param amounts: of each name."""
        super().add(rule, amounts)
        self._keep()

    def spent(self) -> Amounts:
        """What was spent in the last hour. :raises ConfigurationError: it cannot be kept."""
        self._check()
        return super().spent()

    def counted(self) -> dict[str, int]:
        """How many skills each rule has counted. :raises ConfigurationError: see `spent`."""
        self._check()
        return super().counted()

    def summed(self) -> dict[str, Mapping[str, Decimal]]:
        """What each rule has added up. :raises ConfigurationError: see `spent`."""
        self._check()
        return super().summed()

    def _check(self) -> None:
        if self._trouble:
            # The disk may have room again.
            self._keep()
        if self._trouble:
            raise ConfigurationError(
                f'Counts for hourly limits cannot be written to {self._path} ({self._trouble}), '
                'so no further skill is executed: make room, or make the folder writable.'
            )

    def _read(self) -> None:
        try:
            if self._path.stat().st_size > _LARGEST:
                raise self._broken(f'it has more than {_LARGEST} bytes')
            kept = _File.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._broken(error.strerror or 'it cannot be opened') from error
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise self._broken(str(first['msg'])[:200]) from error
        for one in sorted(kept.spent, key=lambda one: one.at):
            if (since := self._since(one.at)) is not None:
                amounts = Amounts(one.skills, one.distance, one.seconds, one.tokens, one.cost)
                self._spent.append((since, amounts))
        for rule, times in kept.counted.items():
            for at in sorted(times):
                if (since := self._since(at)) is not None:
                    self._counted.setdefault(rule, deque()).append(since)

        for entry in sorted(kept.summed, key=lambda one: one.at):
            if (since := self._since(entry.at)) is not None:
                self._summed.append((since, entry.rule, entry.name, entry.amount))

    def _since(self, at: float) -> float | None:
        """A time of the wall's clock by the other one; None for more than an hour ago."""
        age = max(0.0, self._wall() - at)
        return self._clock() - age if age < HOUR else None

    def _broken(self, why: str) -> ConfigurationError:
        return ConfigurationError(
            f'The file {self._path} of what the last hour has spent cannot be read ({why}). A '
            'limit would begin anew without it, so nothing is begun: look at it, and remove it '
            'where that may be.'
        )

    def _keep(self) -> None:
        """Write the file anew; what keeps it from that is known from then on."""
        try:
            write_private(self._path, self._file().model_dump_json())
        except OSError as error:
            self._trouble = error.strerror or str(error)
        except ValidationError:
            self._trouble = 'it would have too many entries'
        else:
            self._trouble = ''

    def _file(self) -> _File:
        self._forget()
        ahead = self._wall() - self._clock()
        spans: dict[int, Amounts] = {}
        for since, amounts in self._spent:
            span = self._span(since + ahead)
            spans[span] = spans.get(span, NOTHING) + amounts
        counted = super().counted()
        sums: dict[tuple[int, str, str], Decimal] = {}
        for since, rule, name, amount in self._summed:
            key = self._span(since + ahead), rule, name
            sums[key] = sums.get(key, Decimal(0)) + amount
        return _File(
            format=1,
            spent=[
                _Spent(
                    at=max(0.0, span * _SPAN),
                    skills=one.skills,
                    distance=one.distance,
                    seconds=one.seconds,
                    tokens=one.tokens,
                    cost=one.cost,
                )
                for span, one in spans.items()
            ],
            counted={
                rule: [max(0.0, since + ahead) for since in self._counted[rule]]
                for rule, many in counted.items()
                if many
            },
            summed=[
                _Summed(at=max(0.0, span * _SPAN), rule=rule, name=name, amount=amount)
                for (span, rule, name), amount in sums.items()
            ],
        )

    @staticmethod
    def _span(at: float) -> int:
        """The number of a time's span; its end is in it, so that no restart makes it later."""
        return math.ceil(at / _SPAN - 1e-6)


def ledger_of(rules: Rules, node: str, folder: Path | None = None) -> Ledger:
    """The ledger that rules need: one with a file where they limit an hour.

    :param node: full name of the node that keeps them, e.g. '/robot_1/bridge'.
    :param folder: of the file; None for the user's state.
    :raises ConfigurationError: the file cannot be read or written.
    """
    hour = rules.limits.per_hour != NOTHING or any(rule.per_hour for rule in rules.rules)
    if not hour:
        return Ledger()
    return KeptLedger(state_file('last_hour.json', node, folder))
