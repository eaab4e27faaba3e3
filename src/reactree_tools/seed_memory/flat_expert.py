"""The stand-in for a model that does a household task without subgoals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from reactree_core.cancellation import CancelToken
from reactree_core.observation import WorldTask
from reactree_tools.seed_memory.expert_models import ScriptedExpertModel, TeacherSession
from sim_bridge.worlds.household.tasks import Task

_GOAL_LINE = 'Your task is to: '
_RECALL = 'recall location of'
_SKILL = re.compile(
    rf'(?P<verb>go to|open|pick up|put down|turn on|{_RECALL}) '
    r'(?P<target>(?P<name>.+?)(?: \d+)?)$'
)
_HANDLED = re.compile(r'^Act: (pick up|put down|turn on) (.+?)( \d+)$', re.MULTILINE)
_FURNITURE = re.compile(r'around the room, you see (.+?)\.')


class ReactExpertModel(ScriptedExpertModel):
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
) -> ReactExpertModel:
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
    return ReactExpertModel(rooms, plan, wanted, place, last)


class FlatTeacherSession(TeacherSession):
    """Port `LanguageSession`: reads its own text to know what is still to be brought."""

    _model: ReactExpertModel

    def fork(self) -> FlatTeacherSession:
        """A copy."""
        return FlatTeacherSession(self._model, self.text)

    def _thought(self) -> str:
        return self._model.plan

    def _kind(self, options: Sequence[str]) -> int:
        return [option.strip() for option in options].index('Act:')

    def _done(self) -> str:
        """What was done and seen since the task was given."""
        return self.text.rsplit(_GOAL_LINE, 1)[1]

    def _handled(self) -> tuple[Counter[str], Counter[str], set[str]]:
        """What is held and what has been put down, and the names of the latter."""
        held: Counter[str] = Counter()
        placed: Counter[str] = Counter()
        names: set[str] = set()
        for verb, name, number in _HANDLED.findall(self._done()):
            if verb == 'pick up':
                held[name] += 1
            elif verb == 'put down':
                held[name] -= 1
                placed[name] += 1
                names.add(name + number)
        return +held, placed, names

    def _skill(self, options: list[str]) -> int:
        held, placed, names = self._handled()
        missing = self._model.wanted - placed - held
        left = [option for option in options if not option.endswith(tuple(names))]
        parsed = [(option, _SKILL.match(option)) for option in left]
        for verb, wanted in self._wishes(held, missing):
            for text, option in parsed:
                if option and option['verb'] == verb:
                    if wanted is None or option['target'] in wanted or option['name'] in wanted:
                        return options.index(text)
        ending = 'failure' if missing or held else 'done'
        return options.index(ending) if ending in options else 0

    def _wishes(
        self, held: Counter[str], missing: Counter[str]
    ) -> list[tuple[str, Collection[str] | None]]:
        """Verbs and names or targets of what to do them to, most wanted first; None: anything."""
        model = self._model
        place = (model.place,)
        gone = re.findall(r'^Act: go to (.+)$', self._done(), re.MULTILINE)
        last, moves = ''.join(gone[-1:]), Counter(gone)
        most = 2 + model.wanted.total()
        searched = sorted(
            (room for room in model.rooms if moves[room] < most), key=moves.__getitem__
        )
        rooms: list[tuple[str, Collection[str] | None]] = [('go to', (room,)) for room in searched]
        there: list[tuple[str, Collection[str] | None]] = []
        if last.rpartition(' ')[0] == model.place:
            there = [('open', place), ('put down', held)]
        # The other hand opens what is closed.
        if held:
            return [*there, ('go to', place), (_RECALL, place), *rooms]
        if missing:
            places = set(_numbered(self._done())) - {*moves}
            find = [('pick up', missing), ('go to', missing), ('open', places), ('go to', places)]
            return [*find, *rooms]
        if model.last and f'Act: turn on {model.last}' not in self._done():
            return [('turn on', (model.last,)), ('go to', (model.last,)), *rooms]
        return []


def _numbered(text: str) -> Iterator[str]:
    """Names of the furniture of every room that was looked around in."""
    for seen in _FURNITURE.findall(text):
        for name, numbers in re.findall(r'([a-z][a-z ]*) \(([\d, ]+)\)', seen):
            yield from (f'{name} {number}' for number in numbers.split(', '))
