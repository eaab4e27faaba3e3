"""The teacher as it does a whole task alone, without splitting it: for executors' examples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence

from reactree_core.cancellation import CancelToken
from reactree_core.observation import WorldTask
from reactree_tools.seed_memory.teacher import TeacherModel
from reactree_tools.seed_memory.teacher import TeacherSession
from sim_bridge.tasks import Task

_GOAL_LINE = 'Your task is to: '
_RECALL = 'recall location of'
_OPTION = re.compile(
    rf'(?P<verb>go to|open|pick up|put down|turn on|{_RECALL}) '
    r'(?P<target>(?P<name>.+?)(?: \d+)?)$'
)
_HANDLED = re.compile(r'^Act: (pick up|put down|turn on) (.+?) \d+$', re.MULTILINE)


class FlatTeacherModel(TeacherModel):
    """Port `LanguageModel`: brings one thing after another, and says that it is done.

    :param rooms: rooms of the home, in the order in which they are searched.
    :param plan: its thought. :param wanted: how many of each thing. :param place: where to.
    :param last: class of what is turned on in the end; '' for nothing.
    """

    name = 'flat teacher'

    def __init__(
        self,
        rooms: Sequence[str],
        plan: str,
        wanted: Mapping[str, int],
        place: str,
        last: str = '',
    ) -> None:
        super().__init__(rooms, (), plan)
        self.wanted = Counter(wanted)
        self.place = place
        self.last = last

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> FlatTeacherSession:
        """A session that follows the rules."""
        return FlatTeacherSession(self, shared_prefix)


def flat_teacher_of(
    task: WorldTask | None, rooms: Sequence[str], plan: str, word: Callable[[str], str]
) -> FlatTeacherModel:
    """A teacher that knows the goal of a task.

    :param word: from a simulator class to its natural-language name.
    """
    assert isinstance(task, Task), 'a teacher does tasks of the household'
    wanted: dict[str, int] = {}
    place = last = ''
    for key, count in task.goal.items():
        relation, *classes = key.split('_')
        if relation == 'turnOn':
            last = word(classes[0])
        else:
            thing, place = (word(name) for name in classes)
            wanted[thing] = count
    return FlatTeacherModel(rooms, plan, wanted, place, last)


class FlatTeacherSession(TeacherSession):
    """Port `LanguageSession`: reads its own text to know what is still to be brought."""

    _model: FlatTeacherModel

    def fork(self) -> FlatTeacherSession:
        """A copy."""
        return FlatTeacherSession(self._model, self.text)

    def _thought(self) -> str:
        return self._model.plan

    def _kind(self, options: Sequence[str]) -> int:
        return [option.strip() for option in options].index('Act:')

    def _handled(self) -> tuple[Counter[str], Counter[str]]:
        """What is held, and what has been put down, since the task was given."""
        held: Counter[str] = Counter()
        placed: Counter[str] = Counter()
        for verb, name in _HANDLED.findall(self.text.rsplit(_GOAL_LINE, 1)[1]):
            if verb == 'pick up':
                held[name] += 1
            elif verb == 'put down':
                held[name] -= 1
                placed[name] += 1
        return +held, placed

    def _skill(self, options: list[str]) -> int:
        held, placed = self._handled()
        missing = self._model.wanted - placed - held
        parsed = [_OPTION.match(option) for option in options]
        for verb, wanted in self._wishes(held, missing, options):
            for index, option in enumerate(parsed):
                if option and option['verb'] == verb:
                    if wanted is None or option['target'] in wanted or option['name'] in wanted:
                        return index
        ending = 'failure' if missing or held else 'done'
        return options.index(ending) if ending in options else 0

    def _wishes(
        self, held: Counter[str], missing: Counter[str], options: Sequence[str]
    ) -> list[tuple[str, Collection[str] | None]]:
        """Verbs and names or targets of what to do them to, most wanted first; None: anything."""
        model = self._model
        place = (model.place,)
        rooms: list[tuple[str, Collection[str] | None]] = [
            ('go to', (room,)) for room in model.rooms
        ]
        bring: list[tuple[str, Collection[str] | None]] = [
            ('open', place),
            ('put down', held),
            ('go to', place),
        ]
        if held and (not missing or not any(_grasps(option, missing) for option in options)):
            return [*bring, (_RECALL, place), *rooms]
        if missing:
            places = {option.removeprefix('go to ') for option in options} - {*model.rooms}
            find = [('pick up', missing), ('go to', missing), ('open', None), ('go to', places)]
            return [*bring[:2], *find, *rooms]
        if model.last and f'Act: turn on {model.last}' not in self.text.rsplit(_GOAL_LINE, 1)[1]:
            return [('turn on', (model.last,)), ('go to', (model.last,)), *rooms]
        return []


def _grasps(option: str, names: Collection[str]) -> bool:
    """Whether an option leads to one of these things, or takes it."""
    match = _OPTION.match(option)
    return match is not None and match['verb'] in ('go to', 'pick up') and match['name'] in names
