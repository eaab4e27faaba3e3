"""Tasks of ScienceWorld by their texts: a name and a variation, or a number within a set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.scienceworld.simulator import SPLITS
from sim_bridge.worlds.task_names import GENERATED

#: Task -> its variations by set.
Splits = Callable[[str], Mapping[str, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a text names. :param task: a task's name. :param variation: its number."""

    task: str
    variation: int

    @property
    def text(self) -> str:
        """'boil:3'."""
        return f'{self.task}:{self.variation}'


def chosen(text: str, seed: int, names: Sequence[str], splits: Splits) -> Chosen:
    """The task that a text names.

    `boil:3` is a variation, and numbers beyond the last count around; `test:boil:3` counts within
    a set. `test:3` draws a task and a variation of a set; `generated:3` is `test:3`.

    :param seed: used where the text has no number.
    :param names: of all tasks. :param splits: asks the simulator.
    :raises ConfigurationError: no such task; lists the names.
    """
    wanted = text.strip() or GENERATED
    first, _, number = wanted.partition(':')
    first = 'test' if first == GENERATED else first
    if first in SPLITS and (not number or _is_number(number)):
        random = Random(f'scienceworld {first} {int(number) if number else seed}')
        task = random.choice(list(names))
        return Chosen(task, random.choice(splits(task)[first]))
    split, task = '', wanted
    if first in SPLITS:
        split, task = first, number
    task, _, number = task.partition(':')
    if task not in names or (number and not _is_number(number)):
        raise ConfigurationError(_unknown(text, names))
    variations = splits(task)
    among = variations[split] if split else tuple(sorted(sum(variations.values(), ())))
    return Chosen(task, among[(int(number) if number else seed) % len(among)])


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18


def _unknown(text: str, names: Sequence[str]) -> str:
    return (
        f'there is no task {text!r} in ScienceWorld: write generated:<seed>, {", ".join(SPLITS)} '
        'with :<seed>, a task as boil:3 (name:variation), or test:boil:3 (set:name:number); '
        f'tasks are {", ".join(names)}'
    )
