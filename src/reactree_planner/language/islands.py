"""What a text forbids, as islands among its words: kept whatever else is read of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from reactree_core.permission.matching import Condition, FactPattern
from reactree_core.permission.rules import Rule
from reactree_core.skill_types import Effect, Relation, SkillType
from reactree_planner.language.actions import Action
from reactree_planner.language.forbidden_skills import ForbiddenSkills
from reactree_planner.language.meanings import Noun, parts_of, Pronoun, Shall, Thing
from reactree_planner.language.meant_skills import MeantSkills
from reactree_planner.language.order_rules import OrderRules
from reactree_planner.language.timed import Timed, TimeKind


@dataclass(frozen=True, slots=True)
class Island:
    """Tokens that forbid something. :param asks: whether they also ask for something, so that
    they have to be read as a clause, too.

    :param named: what may be referred to afterwards. :param spoken: all things named in it.
    :param asked: clauses in the same words.
    :param unread: tokens that tell things apart and are not understood, so that more is forbidden
        than was said.
    """

    start: int
    end: int
    never: tuple[MeantSkills, ...] = ()
    rules: tuple[Rule, ...] = ()
    asks: bool = False
    named: tuple[Thing, ...] = ()
    spoken: tuple[Noun, ...] = ()
    asked: tuple[Shall, ...] = ()
    unread: tuple[int, ...] = ()

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
        timed = _best(_timed_at(chart, skills, at)) if in_time else None
        island = timed or _best(_never_at(chart, skills, at))
        if not island:
            at += 1
            continue
        found.append(island)
        # What a rule in time is about may forbid more.
        at = max(at + 1, at + 1 if island.asks and not island.never else island.end)
    return tuple(found)


def _best(islands: Iterable[tuple[Island, int]]) -> Island | None:
    """The one that is liked most: of many words, and not costly."""
    told = [(3 * (one.end - one.start) - cost, one) for one, cost in islands]
    told = [(liking, one) for liking, one in told if one.never or one.rules]
    return max(told, key=lambda one: one[0], default=(0, None))[1]


def _never_at(chart: OrderRules, skills: ForbiddenSkills, at: int) -> Iterator[tuple[Island, int]]:
    for end, found, cost in chart.forbidden(at):
        never = tuple(dict.fromkeys(m for one in found.actions for m in skills.of(one)))
        unread = tuple(i for noun in parts_of(found.actions, Noun) for i in noun.unread)
        spoken = tuple(parts_of(found.actions, Noun))
        asks = chart.excepts_from_set(at)
        yield (
            Island(
                at, end, never, (), asks, found.named, spoken, found.asked, () if asks else unread
            ),
            cost,
        )


def _timed_at(chart: OrderRules, skills: ForbiddenSkills, at: int) -> Iterator[tuple[Island, int]]:
    for end, timed, cost in chart.timed(at):
        rules = tuple(dict.fromkeys(rules_of_timed(timed, skills, chart.names.skill_types)))
        yield Island(at, end, rules=rules, asks=timed.asks), cost


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


# Rules in time: order and number -----------------------------------------------------------------


def rules_of_timed(
    timed: Timed, skills: ForbiddenSkills, types: Sequence[SkillType]
) -> Iterator[Rule]:
    """The rules that it says. :param types: that the skill server declares."""
    about, wanted = _referred(timed, skills)
    if any(one.state for one in (*about, *wanted)):
        # When a thing came into it is no skill's to tell.
        return
    if timed.kind is TimeKind.AT_MOST:
        for skill in about:
            yield Rule('the task', skill, at_most=timed.at_most, of_task=True)
        return
    alternatives = [wanted] if timed.any_of else [(one,) for one in wanted]
    for skill in about:
        for some in alternatives:
            if some:
                yield from _joined(timed, skill, some, types)


def _referred(
    timed: Timed, skills: ForbiddenSkills
) -> tuple[tuple[MeantSkills, ...], tuple[MeantSkills, ...]]:
    """Both sides; a pronoun takes its thing from the other one."""

    waits = timed.kind is TimeKind.ONLY_AFTER

    def meant(
        actions: Sequence[Action], before: Sequence[MeantSkills], done: bool
    ) -> tuple[MeantSkills, ...]:
        return tuple(one for action in actions for one in skills.of(action, before, done))

    if _refers(timed.actions) and timed.conditions and not _refers(timed.conditions):
        wanted = meant(timed.conditions, (), True)
        return meant(timed.actions, wanted, not waits), wanted
    about = meant(timed.actions, (), not waits)
    return about, meant(timed.conditions, about, True)


def _refers(actions: Sequence[Action]) -> bool:
    return any(isinstance(one, Pronoun) for action in actions for one in action.things)


def _joined(
    timed: Timed, skill: MeantSkills, wanted: Sequence[MeantSkills], types: Sequence[SkillType]
) -> Iterator[Rule]:
    """Rules of skills, and of what they wait for or bring with them; of the same thing, where
    both name it alike and without a number.
    """
    thing = skill.thing
    is_shared = bool(thing) and not thing[-1].isdigit()
    slot = ' '.join(thing) if is_shared and all(one.thing == thing for one in wanted) else ''
    conditions: dict[Condition, None] = {}
    for one in wanted:
        bound = replace(one, slot=slot)
        conditions[bound] = None
        conditions.update(dict.fromkeys(_facts(bound, types)))
    skill = replace(skill, slot=slot)
    if timed.kind is TimeKind.THEN:
        yield Rule('the task', skill, then=tuple(conditions), within=timed.within, of_task=True)
        return
    if not (timed.within and slot):
        yield Rule('the task', skill, only_after=tuple(conditions), of_task=True)
    for one in wanted if timed.within else ():
        # It also follows what it waits for soon.
        later: tuple[Condition, ...] = (skill, *_facts(skill, types))
        first = replace(one, slot=slot)
        yield Rule('the task', first, then=later, within=timed.within, of_task=True)


def _facts(meant: MeantSkills, types: Sequence[SkillType]) -> Iterator[FactPattern]:
    """Facts that hold after each of the skills: whoever brought them about, they will do."""
    thing = f'<{meant.slot}>' if meant.slot else ' '.join(meant.thing)
    where = ' '.join(meant.where)
    for type_ in types:
        slots = [slot.text for slot in type_.slots if slot.type.is_name]
        if type_.verb not in meant.verbs or not slots or not thing:
            continue
        for effect in type_.facts:
            told = _fact(effect, slots, thing, where)
            if told:
                yield FactPattern(told)


def _fact(effect: Effect, slots: Sequence[str], thing: str, where: str) -> str:
    """A fact with the thing in its slot; '' where it says nothing of the thing alone."""
    if not effect.holds:
        return ''
    if effect.relation is Relation.IN:
        is_put = effect.subject == slots[0] and effect.value in ('here', *slots[1:])
        return f'{thing} in {where}' if where and is_put else ''
    if where or len(slots) > 1:
        return ''
    if effect.relation is Relation.IS:
        is_plain = effect.subject == slots[0] and '<' not in effect.value
        return f'{thing} is {effect.value}' if is_plain else ''
    return f'{effect.relation.value} {thing}' if effect.value == slots[0] else ''
