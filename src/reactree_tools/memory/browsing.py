"""Looks through a store: what fits a filter, what an id stands for, and how much there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from memory_server.store.experience_store import ExperienceStore
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience, Termination

_BATCH = 200
#: Characters of an id that are shown in a list.
SHORT_ID = 12


@dataclass(frozen=True, slots=True)
class Filter:
    """Which experiences are meant; '' and None for all.

    :param run: id of a run, or whole parts of its beginning: "import/robot-7" is a part of
        "import/robot-7/3f2a", and none of "import/robot-71/3f2a".
    :param unconfirmed: only those that wait for a person, or only the others; None for all.
    """

    termination: Termination | None = None
    task_type: str = ''
    planner: str = ''
    run: str = ''
    domain: str = ''
    unconfirmed: bool | None = None

    @property
    def is_open(self) -> bool:
        """Whether everything fits."""
        return self == Filter()

    def fits(self, experience: Experience) -> bool:
        """Whether an experience is meant."""
        return (
            self.termination in (None, experience.termination)
            and self.task_type in ('', experience.task_type)
            and self.planner in ('', experience.planner)
            and self.domain in ('', experience.domain)
            and self.unconfirmed in (None, experience.unconfirmed)
            and (not self.run or f'{experience.run_id}/'.startswith(f'{self.run}/'))
        )


def with_whole_run(store: ExperienceStore, chosen: Filter) -> Filter:
    """The filter with its run as far as a run's id is written in the store: "3f" may be "3f2a".

    :raises ConfigurationError: several runs begin so, and it is a whole part of none.
    """
    begun = chosen.run.rstrip('/')
    runs = {f'{run}/' for rows in store.rows_after(0) for run in rows.run_ids}
    found = {run[: run.index('/', len(begun))] for run in runs if run.startswith(begun)}
    if begun in found or not found:
        return replace(chosen, run=begun)
    if len(found) == 1:
        return replace(chosen, run=found.pop())
    raise _several(found, begun)


def find_run(store: ExperienceStore, name: str) -> str:
    """The run of this id, or the only one whose id begins so.

    :raises ConfigurationError: there is none, or several.
    """
    runs = {run for rows in store.rows_after(0) for run in rows.run_ids}
    found = {run for run in runs if name and run.startswith(name)}
    if name in found or len(found) == 1:
        return name if name in found else found.pop()
    if found:
        raise _several(found, name)
    raise ConfigurationError(
        f'the memory holds nothing of a run {name!r}: `reactree memory list --unconfirmed` shows '
        'what waits'
    )


def _several(found: Collection[str], begun: str) -> ConfigurationError:
    names = ', '.join(sorted(found)[:4]) + (', ...' if len(found) > 4 else '')
    return ConfigurationError(
        f'{len(found)} runs or sources begin with {begun!r}: write more of {names}'
    )


@dataclass(frozen=True, slots=True)
class Figures:
    """How much there is, of each kind.

    :param tokens: of all trajectories, counted or estimated.
    :param unconfirmed: how many of them wait for a person.
    """

    count: int = 0
    tokens: int = 0
    terminations: Counter[Termination] = field(default_factory=Counter)
    task_types: Counter[str] = field(default_factory=Counter)
    planners: Counter[str] = field(default_factory=Counter)
    domains: Counter[str] = field(default_factory=Counter)
    unconfirmed: int = 0


def newest(store: ExperienceStore, chosen: Filter, limit: int = 0) -> Iterator[Experience]:
    """What fits, stored last first.

    :param limit: most experiences; 0 for all.
    """
    numbers = _numbers(store)
    numbers.reverse()
    return _fitting(store, numbers, chosen, limit)


def oldest(store: ExperienceStore, chosen: Filter) -> Iterator[Experience]:
    """What fits, in the order stored."""
    return _fitting(store, _numbers(store), chosen, 0)


def find_experiences(store: ExperienceStore, names: Sequence[str]) -> list[Experience]:
    """The experiences of these ids, or of these beginnings of ids, in the order asked.

    :raises ConfigurationError: one stands for nothing, or a beginning for several.
    """
    found: dict[str, list[Experience]] = {name: [] for name in names}
    for experience in oldest(store, Filter()):
        for name, those in found.items():
            if name and experience.experience_id.startswith(name):
                those.append(experience)
    return [_only_one(name, those) for name, those in found.items()]


def read_figures(store: ExperienceStore) -> Figures:
    """Count everything."""
    terminations: Counter[int] = Counter()
    task_types: Counter[str] = Counter()
    planners: Counter[str] = Counter()
    domains: Counter[str] = Counter()
    tokens = unconfirmed = 0
    for rows in store.rows_after(0):
        terminations.update(int(termination) for termination in rows.terminations)
        task_types.update(rows.task_types)
        planners.update(rows.planners)
        domains.update(rows.domains)
        tokens += int(rows.tokens.sum())
        unconfirmed += sum(rows.unconfirmed)
    return Figures(
        terminations.total(),
        tokens,
        Counter({Termination(value): number for value, number in terminations.items()}),
        task_types,
        planners,
        domains,
        unconfirmed,
    )


def figures_of(experiences: Sequence[Experience]) -> Figures:
    """Count what is kept nowhere yet."""
    return Figures(
        len(experiences),
        sum(experience.tokens for experience in experiences),
        Counter(experience.termination for experience in experiences),
        Counter(experience.task_type for experience in experiences),
        Counter(experience.planner for experience in experiences),
        Counter(experience.domain for experience in experiences),
        sum(experience.unconfirmed for experience in experiences),
    )


def _numbers(store: ExperienceStore) -> list[int]:
    return [number for batch in store.goals() for number, _ in batch]


def _fitting(
    store: ExperienceStore, numbers: Sequence[int], chosen: Filter, limit: int
) -> Iterator[Experience]:
    left = limit or len(numbers)
    for start in range(0, len(numbers), _BATCH):
        for experience in store.load(numbers[start : start + _BATCH]):
            if left and chosen.fits(experience):
                left -= 1
                yield experience
        if not left:
            return


def _only_one(name: str, found: Sequence[Experience]) -> Experience:
    for experience in found:
        if experience.experience_id == name:
            return experience
    if len(found) == 1:
        return found[0]
    if not found:
        raise ConfigurationError(
            f'no experience has the id {name!r}: `reactree memory list` shows the ids'
        )
    ids = ', '.join(experience.experience_id for experience in found[:4])
    more = ', ...' if len(found) > 4 else ''
    raise ConfigurationError(
        f'{len(found)} experiences have ids that begin with {name!r}: write more of {ids}{more}'
    )
