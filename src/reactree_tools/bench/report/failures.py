"""Kinds of failures by rules: ReAcTree's (section 5.6) and Tree-Planner's (section 5.4).

Each condition of the goal that did not hold has a kind of its own by the first rule that fits; an
episode has the most frequent, of equally many the one that stands first in `KINDS`. The rules are
written down in docs/bench_report.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reactree_core.observation import Outcome
from reactree_core.record.outcome import without_reason
from reactree_core.record.run_settings import Kept
from reactree_planner.facts.conditions import read_condition
from reactree_tools.bench.report.evidence import (
    are_one_name,
    bases,
    Evidence,
    is_among,
    read_evidence,
    Unmet,
    unmet_conditions,
)
from reactree_tools.bench.report.tables import Column, Number, Table
from reactree_tools.bench.rows import EpisodeRow

#: Kinds, and what each is divided into.
KINDS = {
    'ambiguous': ('not told', 'not understood'),
    'search': ('incomplete', 'same region', 'revisits'),
    'expansion': ('missing subgoal', 'wrong subgoal'),
    'execution': ('repetition', 'confusion', 'skipped', 'ended early', 'limit', 'gave up'),
    'stopped': ('error',),
}
#: Tree-Planner's, of runs that carry out plans.
PLAN_KINDS = {
    'deciding': ('incorrect', 'semantically correct'),
    'missing plan': ('misunderstanding', 'incomplete', 'illogical', 'semantically correct'),
}
#: All that a person may choose among.
LABELS = tuple(f'{kind}: {detail}' for kind, details in KINDS.items() for detail in details)
#: Runs that carry out plans: their expansions are branches, not subgoals.
_OF_PLANS = (Kept.PLANS, Kept.FRESH_PLANS)
#: Times that a skill came to the same before it counts as repeated.
REPEATED = 4
#: Arrivals of a search before it can be said to come back again and again.
_FEW_ARRIVALS = 4
#: Skills of a search before it can be said to stay in one region.
_FEW_STEPS = 3


@dataclass(frozen=True, slots=True)
class Label:
    """A kind of failure. :param why: what the rule saw, in a sentence."""

    kind: str
    detail: str
    why: str

    @property
    def text(self) -> str:
        """As in rows, e.g. 'search: revisits'."""
        return f'{self.kind}: {self.detail}'


def kind_of(label: str) -> str:
    """The kind of a label's text."""
    return label.partition(':')[0]


def failure_of(row: EpisodeRow, evidence: Evidence | None) -> Label | None:
    """The kind of an episode's failure; None of a success, or where nothing reports it.

    :param evidence: None where there is no journal.
    """
    if row.success:
        return None
    if row.ended not in ('success', 'failure') and not row.ended.endswith('_limit'):
        return Label('stopped', 'error', f'the run ended by {row.ended.replace("_", " ")}')
    if evidence is None:
        return None
    unmet = unmet_conditions(row)
    untold = [_untold(row, evidence, one) for one in unmet]
    if untold and untold[0] is not None and None not in untold:
        return untold[0]
    # What the instruction does not say is a means to what it tells, where that is lacking too.
    ends = [one for one, label in zip(unmet, untold, strict=True) if label is None]
    found = [_of_condition(row, evidence, one) for one in ends or [Unmet('')]]
    order = list(KINDS)
    counts = Counter(one.kind for one in found)
    kind = min(counts, key=lambda one: (-counts[one], order.index(one)))
    own = [one for one in found if one.kind == kind]
    details = Counter(one.detail for one in own)
    return min(own, key=lambda one: (-details[one.detail], KINDS[kind].index(one.detail)))


def _of_condition(row: EpisodeRow, evidence: Evidence, unmet: Unmet) -> Label:
    cause = _unfound(evidence, unmet) or _ill_divided(evidence, unmet)
    return cause or _execution(row, evidence, unmet)


def _untold(row: EpisodeRow, evidence: Evidence, unmet: Unmet) -> Label | None:
    """Whether the instruction does not say, or was not understood to tell, what is wanted."""
    thing, place = evidence.thing_and_place(unmet.text)
    for words in (thing, place):
        # The last word of a name is what the thing is; the others tell which.
        if words and not is_among(words[-1], evidence.told):
            return Label(
                'ambiguous',
                'not told',
                f'the goal wants "{unmet.text}", and the instruction has no word for '
                f'"{" ".join(words)}"',
            )
    # What is no condition among them are words that were tied to no name.
    words_alone = [text for text in row.unknown if read_condition(text) is None]
    unknown = {word for text in words_alone for word in bases(text)}
    held = (*row.missing, *row.verified, *map(without_reason, row.assumed))
    known = {word for text in held for word in bases(text)}
    if thing and thing[-1] in unknown - known:
        return Label(
            'ambiguous', 'not understood', f'"{" ".join(thing)}" of the task was not understood'
        )
    return None


def _unfound(evidence: Evidence, unmet: Unmet) -> Label | None:
    """Whether the thing was never seen, or fewer of it than are wanted."""
    if not evidence.steps or not evidence.places:
        return None  # nothing was looked for, or there is nowhere to look
    thing, place = evidence.thing_and_place(unmet.text)
    hidden = [
        word for name in (thing, place) if name and not evidence.has_seen(name) for word in name
    ]
    known = evidence.names.get(thing)
    if not hidden and (known is None or len(known) >= unmet.need):
        return None
    what = ' '.join(hidden) if hidden else f'{unmet.need} of {" ".join(thing)}'
    rooms = {step.room for step in evidence.steps if step.room}
    if len(rooms) == 1 and len(evidence.steps) >= _FEW_STEPS:
        return Label('search', 'same region', f'"{what}" never seen; all was in {rooms.pop()}')
    places = [step.place for step in evidence.steps if step.place and step.outcome == 0]
    arrivals = [
        place for before, place in zip(('', *places), places, strict=False) if place != before
    ]
    again = len(arrivals) - len(set(arrivals))
    if len(arrivals) >= _FEW_ARRIVALS and 2 * again > len(arrivals):
        why = f'{again} of {len(arrivals)} arrivals were at places where the robot had been'
        return Label('search', 'revisits', f'"{what}" never seen; {why}')
    return Label('search', 'incomplete', f'"{what}" never seen')


def _ill_divided(evidence: Evidence, unmet: Unmet) -> Label | None:
    """Whether no subgoal is about the condition, or those that are name another place."""
    thing, place = evidence.thing_and_place(unmet.text)
    if not evidence.expansions or not thing or evidence.kept in _OF_PLANS:
        return None
    naming = [
        names
        for names in evidence.names_of_subgoals()
        if any(are_one_name(name, thing) for name in names)
    ]
    what = ' '.join(thing)
    if not naming:
        return Label('expansion', 'missing subgoal', f'no subgoal names "{what}"')
    named = [name for names in naming for name in names]
    elsewhere = any(evidence.places.intersection(name) for name in named)
    if place and elsewhere and not any(are_one_name(name, place) for name in named):
        return Label(
            'expansion',
            'wrong subgoal',
            f'subgoals on "{what}" name another place than "{" ".join(place)}"',
        )
    return None


def _execution(row: EpisodeRow, evidence: Evidence, unmet: Unmet) -> Label:
    """What went wrong although the thing was seen and the subgoals were right."""
    thing, place = evidence.thing_and_place(unmet.text)
    most = max(evidence.steps, key=lambda step: step.same, default=None)
    if most is not None and most.same + 1 >= REPEATED:
        why = f'"{most.skill}" was done {most.same + 1} times and came to the same'
        return Label('execution', 'repetition', why)
    about = [step for step in evidence.steps if not thing or set(thing) <= set(step.words)]
    failed = next((step for step in about if step.outcome is not Outcome.SUCCEEDED), None)
    if failed is not None:
        return Label('execution', 'confusion', f'"{failed.skill}" could not be done')
    strange = next(
        (
            name
            for name in sorted(evidence.held)
            if (words := bases(name)) and not is_among(words[-1], evidence.told)
        ),
        None,
    )
    # Where there are no places, things are made of others, which a task need not name.
    if strange is not None and evidence.places:
        why = f'"{strange}" was taken, which the task does not name'
        return Label('execution', 'confusion', why)
    if thing and not about and evidence.steps and evidence.has_seen(thing):
        why = f'"{" ".join(thing)}" was named or seen, and nothing was done with it'
        return Label('execution', 'skipped', why)
    held = {word for name in evidence.held for word in bases(name)}
    if thing and place and held and not held.issuperset(thing) and about:
        why = f'"{" ".join(thing)}" was never taken, and other things were'
        return Label('execution', 'skipped', why)
    if row.ended == 'success':
        return Label('execution', 'ended early', f'held for done, but "{unmet.text}" did not hold')
    if row.ended.endswith('_limit'):
        return Label('execution', 'limit', f'{row.ended.replace("_", " ")} before the end')
    return Label('execution', 'gave up', 'the run gave up, and no other rule says why')


def plan_failure_of(row: EpisodeRow, evidence: Evidence | None) -> Label | None:
    """The kind of failure as Tree-Planner distinguishes them; None of runs without plans."""
    if row.success or evidence is None or evidence.kept not in _OF_PLANS:
        return None
    unmet = unmet_conditions(row)
    given = [one for one in unmet if _untold(row, evidence, one) is None]
    thing, _ = evidence.thing_and_place((*given, *unmet, Unmet(''))[0].text)
    what = ' '.join(thing)
    if not evidence.steps and not evidence.expansions and row.ended == 'failure':
        return Label('missing plan', 'misunderstanding', 'no plan had a step that can be done')
    named = [words for words in evidence.subgoals if thing and set(thing) <= set(words)]
    about = [step for step in evidence.steps if thing and set(thing) <= set(step.words)]
    untried = [goal for goal in evidence.untried if thing and set(thing) <= set(bases(goal))]
    if untried:
        return Label('deciding', 'incorrect', f'a branch on "{what}" was left aside')
    failed = next((one for one in evidence.steps if one.outcome is not Outcome.SUCCEEDED), None)
    if thing and not named and not about:
        return Label('missing plan', 'incomplete', f'no plan names "{what}"')
    if failed is not None and (
        failed.outcome is Outcome.INVALID_SKILL
        or not evidence.seen.issuperset(evidence.content(failed.skill))
    ):
        return Label(
            'missing plan', 'misunderstanding', f'"{failed.skill}" names what is not there'
        )
    if failed is not None:
        return Label('missing plan', 'illogical', f'"{failed.skill}" could not be done then')
    if row.ended == 'success':
        kind = 'deciding' if evidence.expansions else 'missing plan'
        why = 'every step was done, and the goal does not hold'
        return Label(kind, 'semantically correct', why)
    return Label('missing plan', 'incomplete', 'the plan ended before the goal held')


# All of a study -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Failed:
    """A failure of a study: by the rules, and by a person where one has looked at it.

    :param key: in files of labels. :param person: a text of `LABELS`; '' where nobody has.
    """

    key: str
    row: EpisodeRow
    rule: Label | None
    plan: Label | None = None
    evidence: Evidence | None = None
    person: str = ''

    @property
    def label(self) -> str:
        """A person's before the rules'; '' where neither tells."""
        return self.person or (self.rule.text if self.rule is not None else '')


def episode_key(row: EpisodeRow) -> str:
    """What a file of labels calls an episode: its journal, or else what tells its cell."""
    cell = row.cell
    identity = (cell.world, cell.tasks, cell.task, cell.scene, cell.world_seed, cell.planner)
    more = (cell.preset, cell.model, cell.memory, cell.store, cell.store_size, cell.seed)
    return row.run or ' | '.join(map(str, (*identity, *more)))


def failures_of(
    rows: Sequence[EpisodeRow], journals: Path, people: Mapping[str, str]
) -> list[Failed]:
    """All failures, labelled.

    :param journals: folder of the runs. :param people: labels by keys of episodes.
    """
    found = []
    for row in rows:
        if not row.success:
            evidence = read_evidence(journals, row)
            key = episode_key(row)
            rule = failure_of(row, evidence)
            plan = plan_failure_of(row, evidence)
            found.append(Failed(key, row, rule, plan, evidence, people.get(key, '')))
    return found


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far rules and people agree. :param count: episodes that both labelled.

    :param share: equal ones, 0..1. :param kappa: Cohen's, 1 at most; None where chance alone
        would have to agree.
    """

    count: int
    share: float
    kappa: float | None


def agreement(rules: Mapping[str, str], people: Mapping[str, str]) -> Agreement | None:
    """Of labels by episodes' keys; None where no episode has both."""
    pairs = [(rules[key], people[key]) for key in rules if key in people]
    if not pairs:
        return None
    count = len(pairs)
    share = sum(one == other for one, other in pairs) / count
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    # In whole numbers, so that chance is exactly 1 where it is.
    chance = sum(first[label] * second[label] for label in first)
    if chance == count * count:
        return Agreement(count, share, None)
    return Agreement(count, share, (share - chance / count**2) / (1 - chance / count**2))


def failure_tables(failures: Sequence[Failed], methods: Mapping[str, str]) -> list[Table]:
    """How many failures of each kind every method has, and how far people agree.

    :param methods: by keys of episodes.
    """
    tables = []
    labels = [(methods[one.key], one.label or 'not told apart: no journal') for one in failures]
    if labels:
        tables.append(
            _kinds_table('failures', 'Kinds of failures (ReAcTree, figure 4)', labels, LABELS)
        )
    plans = [(methods[one.key], one.plan.text) for one in failures if one.plan is not None]
    if plans:
        known = tuple(f'{kind}: {one}' for kind, all_ in PLAN_KINDS.items() for one in all_)
        title = 'Errors of plans (Tree-Planner, tables 3 and 8)'
        tables.append(_kinds_table('plan_failures', title, plans, known))
    people = {one.key: one.person for one in failures if one.person}
    rules = {one.key: one.rule.text for one in failures if one.rule is not None}
    lines = []
    for name, cut in (('kinds', kind_of), ('kinds with details', str)):
        agreed = agreement(
            {key: cut(label) for key, label in rules.items()},
            {key: cut(label) for key, label in people.items()},
        )
        if agreed is not None:
            kappa = None if agreed.kappa is None else Number(agreed.kappa)
            share = Number(100 * agreed.share, digits=1)
            lines.append((name, str(agreed.count), share, kappa))
    if lines:
        columns = (Column('of'), Column('failures'), Column('equal (%)'), Column("Cohen's kappa"))
        title = 'Agreement of the rules with people'
        tables.append(Table('agreement', title, columns, tuple(lines)))
    return tables


def _kinds_table(
    name: str, title: str, kinds: Sequence[tuple[str, str]], order: Sequence[str]
) -> Table:
    """A row a label, a column a method, with sums of kinds."""
    methods = list(dict.fromkeys(method for method, _ in kinds))
    counts = Counter(kinds)
    labels = [one for one in order if any((method, one) in counts for method in methods)]
    labels += [one for one in dict.fromkeys(label for _, label in kinds) if one not in labels]
    lines = []
    for kind in dict.fromkeys(map(kind_of, labels)):
        own = [label for label in labels if kind_of(label) == kind]
        sums = [sum(counts[method, label] for label in own) for method in methods]
        lines.append((kind, '', *(_counted(number) for number in sums)))
        lines += [
            (
                '',
                label.partition(': ')[2],
                *(_counted(counts[method, label]) for method in methods),
            )
            for label in own
        ]
    columns = (Column('kind'), Column('more exactly'), *map(Column, methods))
    note = 'Numbers of failures, by rules unless a person has labelled them.'
    return Table(name, title, columns, tuple(lines), note)


def _counted(number: int) -> Number | None:
    return Number(number, digits=0) if number else None
