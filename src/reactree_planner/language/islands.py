"""What a text forbids, as islands among its words: kept whatever else is read of it."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

from reactree_core.permission.rules import Rule
from reactree_planner.language.forbidden_skills import ForbiddenSkills
from reactree_planner.language.meanings import Shall
from reactree_planner.language.meanings import Thing
from reactree_planner.language.meant_skills import MeantSkills
from reactree_planner.language.order_rules import OrderRules
from reactree_planner.language.timed_rules import rules_of_timed


@dataclass(frozen=True, slots=True)
class Island:
    """Tokens that forbid something. :param asks: whether they also ask for something, so that
    they have to be read as a clause, too.

    :param named: what may be referred to afterwards. :param asked: clauses in the same words.
    """

    start: int
    end: int
    never: tuple[MeantSkills, ...] = ()
    rules: tuple[Rule, ...] = ()
    asks: bool = False
    named: tuple[Thing, ...] = ()
    asked: tuple[Shall, ...] = ()

    @property
    def account(self) -> str:
        """For people."""
        told = [one.wording for one in self.never] + [one.wording for one in self.rules]
        return f'must not: {"; ".join(dict.fromkeys(told))}'


def islands_of(
    chart: OrderRules, in_time: bool = True, amounts: Sequence[Island] = ()
) -> tuple[Island, ...]:
    """All that a text forbids, in order.

    :param in_time: whether rules of time are read. :param amounts: limits of numbers in skills,
        which were read by themselves; without rules, where they cannot be kept.
    """
    skills = ForbiddenSkills(chart)
    found: list[Island] = []
    at = 0
    while at < len(chart.words):
        amount = next((one for one in amounts if one.start <= at < one.end), None)
        if amount is not None:
            found += [amount] if amount.rules else []
            at = amount.end
            continue
        if not chart.words[at][0].isalnum():
            at += 1
            continue
        island = (in_time and _timed_at(chart, skills, at)) or _never_at(chart, skills, at)
        if not island:
            at += 1
            continue
        found.append(island)
        at = max(at + 1, island.end if not island.asks else at + 1)
    return tuple(found)


def _never_at(chart: OrderRules, skills: ForbiddenSkills, at: int) -> Island | None:
    best: tuple[int, Island] | None = None
    for end, forbidden, cost in chart.forbidden(at):
        never = tuple(dict.fromkeys(m for one in forbidden.actions for m in skills.of(one)))
        liking = 3 * (end - at) - cost
        if never and (best is None or liking > best[0]):
            best = liking, Island(at, end, never, named=forbidden.named, asked=forbidden.asked)
    return None if best is None else best[1]


def _timed_at(chart: OrderRules, skills: ForbiddenSkills, at: int) -> Island | None:
    best: tuple[int, Island] | None = None
    for end, timed, cost in chart.timed(at):
        rules = tuple(dict.fromkeys(rules_of_timed(timed, skills, chart.names.skill_types)))
        liking = 3 * (end - at) - cost
        if rules and (best is None or liking > best[0]):
            best = liking, Island(at, end, rules=rules, asks=timed.asks)
    return None if best is None else best[1]


def never_of(islands: tuple[Island, ...]) -> tuple[MeantSkills, ...]:
    """All prohibitions, each once."""
    return tuple(dict.fromkeys(one for island in islands for one in island.never))


def timed_of(islands: tuple[Island, ...]) -> tuple[Rule, ...]:
    """All rules in time, each once."""
    return tuple(dict.fromkeys(one for island in islands for one in island.rules))


def covered(islands: tuple[Island, ...]) -> Iterator[int]:
    """Tokens that islands account for by themselves."""
    for island in islands:
        if not island.asks:
            yield from range(island.start, island.end)
