"""The published simulator: tasks, texts, actions and scores as `scienceworld` 1.2.3 gives them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

from reactree_core.errors import ConfigurationError, SkillError
from sim_bridge.worlds.scienceworld.java import JavaGateway, missing_package

#: What makes tasks easier; 'easy' is all of them.
SIMPLIFICATIONS = (
    'easy',
    'teleportAction',
    'selfWateringFlowerPots',
    'openContainers',
    'openDoors',
    'noElectricalAction',
)
#: Sets of variations.
SPLITS = ('train', 'dev', 'test')
_REFUSED = 'ERROR:'
_FIRST = 'look around'


@dataclass(frozen=True, slots=True)
class Action:
    """An action that the simulator holds valid now.

    :param text: as it is typed. :param things: numbers of what it names, which stay the same.
    """

    text: str
    things: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Subgoal:
    """A part of a task that scores.

    :param needed: False for one of several ways, and for what may help.
    """

    text: str
    met: bool
    needed: bool


@lru_cache(maxsize=1)
def task_names() -> tuple[str, ...]:
    """Tasks of the package, sorted; needs no Java.

    :raises ConfigurationError: it is not installed.
    """
    try:
        from scienceworld.constants import ID2TASK
    except ImportError as error:
        raise missing_package(error) from error
    return tuple(sorted(ID2TASK.values()))


class Simulator:
    """One simulator in a Java of its own.

    :param simplifications: names, joined by commas.
    :raises ConfigurationError: package or Java are missing, or Java does not come up.
    """

    def __init__(self, simplifications: str = '') -> None:
        self._simplifications = simplifications
        self._java = JavaGateway()
        self._ask = self._java.process.ask
        self._game = self._java.interface()
        # Gold paths are found by loading; the game that is played must not lose its state.
        self._second = self._java.interface()
        self._splits: dict[str, dict[str, tuple[int, ...]]] = {}

    @property
    def is_running(self) -> bool:
        """Whether Java has not ended."""
        return self._java.process.is_running

    @property
    def pid(self) -> int:
        """Number of the Java process."""
        return self._java.process.pid

    def splits(self, task: str) -> dict[str, tuple[int, ...]]:
        """Variations of a task by set: train, dev, test."""
        if task not in self._splits:
            second = self._second

            def question() -> dict[str, tuple[int, ...]]:
                second.load(task, 0, self._simplifications, False)
                variations = (
                    second.getVariationsTrain(),
                    second.getVariationsDev(),
                    second.getVariationsTest(),
                )
                return {
                    name: tuple(map(int, found))
                    for name, found in zip(SPLITS, variations, strict=True)
                }

            self._splits[task] = self._ask(question)
        return self._splits[task]

    def load(self, task: str, variation: int) -> str:
        """Begin a task anew; what is seen first.

        :raises ConfigurationError: the simulator has no such variation.
        """

        def question() -> str:
            game = self._game
            refusal = str(game.load(task, variation, self._simplifications, False) or '')
            if refusal.startswith(_REFUSED):
                return refusal
            game.reset()
            return str(game.step(_FIRST))

        text = self._ask(question)
        if text.startswith(_REFUSED):
            raise ConfigurationError(f'ScienceWorld cannot load {task}:{variation}: {text}')
        return text

    def gold(self, task: str, variation: int) -> tuple[str, ...]:
        """What solves a variation from its beginning; may take some seconds to find."""

        def question() -> tuple[str, ...]:
            self._second.load(task, variation, self._simplifications, True)
            return tuple(map(str, self._second.getGoldActionSequence()))

        return self._ask(question)

    def do(self, action: str) -> str:
        """Do an action; its reply."""
        return str(self._ask(lambda: self._game.step(action)))

    def description(self) -> str:
        """What the task asks for."""
        return str(self._ask(lambda: self._game.getTaskDescription()))

    def look(self) -> str:
        """The room; takes no time."""
        return str(self._ask(lambda: self._game.freeActionLook()))

    def inventory(self) -> str:
        """What is held; takes no time."""
        return str(self._ask(lambda: self._game.freeActionInventory()))

    def judged(self) -> tuple[float, bool]:
        """The score, negative where the task can no longer be solved, and whether it is solved."""
        return self._ask(lambda: (float(self._game.getScore()), bool(self._game.getCompleted())))

    def valid(self) -> tuple[Action, ...]:
        """All actions that the simulator holds valid now, as it orders them.

        After an ambiguous one these are numbers.
        """
        # One text instead of thousands of small answers.
        text = str(self._ask(lambda: self._game.getValidActionObjectCombinationsJSON()))
        try:
            read = json.loads(text)['validActions']
            found = (Action(str(one['action']), tuple(one['obj_ids'])) for one in read)
            return tuple({action.text: action for action in found}.values())
        except (ValueError, KeyError, TypeError) as error:
            raise SkillError(
                f'ScienceWorld gave its actions in an unknown form: {error}'
            ) from None

    def names(self) -> dict[int, tuple[str, ...]]:
        """Number of each thing -> all that it can be called."""
        text = str(self._ask(lambda: self._game.getAllObjectIdsTypesReferentsLUTJSON()))
        try:
            return {int(key): tuple(one['referents']) for key, one in json.loads(text).items()}
        except (ValueError, KeyError, TypeError) as error:
            raise SkillError(f'ScienceWorld gave its things in an unknown form: {error}') from None

    def subgoals(self) -> tuple[Subgoal, ...]:
        """The parts of the task that score, those that are needed first."""
        return read_subgoals(str(self._ask(lambda: self._game.getGoalProgressStr())))

    def close(self) -> None:
        """End Java."""
        self._java.close()


def read_subgoals(text: str) -> tuple[Subgoal, ...]:
    """Subgoals of the simulator's table: number, whether it is met, class, sentence."""
    found = []
    needed = True
    for line in text.splitlines():
        if line.startswith('Unordered'):
            needed = False
        parts = [part.strip() for part in line.split('\t')]
        if len(parts) >= 4 and parts[0].isdigit():
            found.append(Subgoal(parts[3], parts[1] == 'true', needed))
    return tuple(found)
