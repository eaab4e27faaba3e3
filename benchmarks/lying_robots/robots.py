"""Robot files with things to carry, parts with states, a number, and sensors of every make.

Each is drawn from its seed: which sensors there are, what each can see, its age, and whether the
file says that it measures, and that it identifies things. Words are those of
`benchmarks.robot_files`, or English.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Any

from benchmarks.robot_files.generator import Generator

_ENGLISH = {'move': 'go to', 'take': 'pick up', 'put': 'put'}
_PAIRS = (('open', 'closed'), ('on', 'off'), ('folded', 'unfolded'), ('armed', 'disarmed'))
_THINGS = 'made_up_msgs/msg/Things'
_SERVICE = {'service': 'std_srvs/srv/Trigger', 'name': '/do'}


class Sensing(Enum):
    """Grade of sensing of a robot, by its file; each has what those before it have."""

    NOTHING = 'nothing said'
    MEASURED = 'measured'
    IDENTIFIES = '+ identifies'
    EVERYWHERE = '+ sees all places'
    TWO = '+ two sources'

    def has(self, other: Sensing) -> bool:
        """Test whether it has what another one has."""
        order = tuple(Sensing)
        return order.index(self) >= order.index(other)


#: A robot of none of these has some sources of each make.
_SENSING = (None, None, *Sensing)


@dataclass
class LabeledFile:
    """A robot's file, with what a benchmark has to know of it.

    :param things: names of things that can be carried, some of one class.
    :param parts: name -> the two words of which it is in one.
    :param numbers: names. :param move, put, take: templates of skills.
    :param switch: part and word -> text of the skill that brings it there.
    :param fill: task that brings a number up; '' for none.
    """

    file: dict[str, Any]
    things: list[str]
    places: list[str]
    parts: dict[str, tuple[str, str]]
    numbers: list[str]
    move: str
    put: str
    take: str
    switch: dict[tuple[str, str], str] = field(default_factory=dict)
    fill: str = ''


class RobotDrawer(Generator):
    """Draws files. :param seed: of all that is random.

    :param sensing: how well it is sensed; None: by chance.
    :param two_sources: whether parts and things have two sensors each.
    :param has_number: whether it has a number; None: by chance. :param has_part: whether it has
        parts in any case.
    """

    def __init__(
        self,
        seed: int,
        sensing: Sensing | None = None,
        two_sources: bool = False,
        has_number: bool | None = None,
        has_part: bool = False,
    ) -> None:
        super().__init__(seed)
        self._makes = Random(f'makes {seed}')
        self._sensing = sensing or self._makes.choice(_SENSING)
        self._two_sources = two_sources or self._sensing is Sensing.TWO
        self._has_number = has_number
        self._has_part = has_part

    def labeled(self) -> LabeledFile:
        """A file without mistakes."""
        draw = self._random
        places = [f'{self._unused(self._noun)} {n}' for n in range(1, draw.randint(2, 4) + 1)]
        kind = self._unused(self._noun)
        things = [f'{kind} {n}' for n in range(1, draw.randint(2, 3) + 1)]
        if draw.random() < 0.4:
            things.append(f'{self._unused(self._noun)} 1')
        count = draw.randint(int(self._has_part), 2)
        parts = {self._unused(self._noun): draw.choice(_PAIRS) for _ in range(count)}
        has_number = draw.random() < 0.5 if self._has_number is None else self._has_number
        numbers = [self._unused(self._noun)] if has_number else []
        verbs = _ENGLISH if draw.random() < 0.5 else {one: self._verb() for one in _ENGLISH}
        found = LabeledFile(
            {}, things, places, parts, numbers,
            f'{verbs["move"]} <place>', f'{verbs["put"]} <thing> on <place>',
            f'{verbs["take"]} <thing>',
        )  # fmt: skip
        found.file = {
            'robot': 'generated',
            'hands': 1,
            'places': {name: {} for name in places},
            'things': {name: {} for name in (*things, *parts)},
            'state': self._sensors(found),
            'skills': [*self._carrying(found), *self._switching(found), *self._filling(found)],
        }
        return found

    # Skills -----------------------------------------------------------------------------------

    def _carrying(self, found: LabeledFile) -> list[dict[str, Any]]:
        put = {'skill': found.put, 'kind': 'put', 'needs': ['holding <thing>', 'at <place>']}
        return [
            {'skill': found.move, 'kind': 'move', 'do': _SERVICE},
            {'skill': found.take, 'kind': 'take', 'needs': ['<thing> in here'], 'do': _SERVICE},
            {**put, 'do': _SERVICE},
        ]

    def _switching(self, found: LabeledFile) -> list[dict[str, Any]]:
        skills = []
        for part, words in found.parts.items():
            texts = [f'{self._verb()} the {part}' for _ in words]
            for text, other, word in zip(texts, reversed(texts), words, strict=True):
                found.switch[part, word] = text
                effects = [f'{part} is {word}']
                skills.append(
                    {'skill': text, 'effects': effects, 'inverse': other, 'do': _SERVICE}
                )
        return skills

    def _filling(self, found: LabeledFile) -> list[dict[str, Any]]:
        skills = []
        for name in found.numbers:
            text, least = f'{self._verb()} the {name}', self._random.choice((40, 55, 65))
            ways = f'raises {name} by 20 %', f'sets {name} to 70 %', f'{name} > {least} %'
            effect = self._random.choice(ways)
            skills.append({'skill': text, 'effects': [effect], 'do': _SERVICE})
            until = '' if effect.startswith(name) else f' until {name} is above {least} %'
            found.fill = f'{text}{until}'
        return skills

    # Sensors ----------------------------------------------------------------------------------

    def _sensors(self, found: LabeledFile) -> dict[str, Any]:
        draw = self._random
        text = {'type': 'std_msgs/msg/String', 'field': 'data'}
        state: dict[str, Any] = {'place': {'topic': '/where', **text, **self._make()}}
        gripper = draw.random()
        if gripper < 0.5 or self._two_sources:
            state['held'] = {'topic': '/grip', **text, **self._identifying(self._make())}
        elif gripper < 0.7:
            kind = {'type': 'std_msgs/msg/Bool', 'field': 'data'}
            state['held'] = {'topic': '/grip', **kind, **self._make()}
        cameras = 2 if self._two_sources else draw.choice((1, 1, 1, 2))
        sees_parts = draw.random() < 0.3
        facts = [self._camera(number, sees_parts) for number in range(cameras)]
        for part, words in found.parts.items():
            topics = 2 if self._two_sources or draw.random() < 0.2 else 1
            for number in range(topics if not sees_parts or self._two_sources else topics - 1):
                topic = f'/part{list(found.parts).index(part)}_{number}'
                facts.append(self._contact(topic, part, words))
        state['facts'] = facts
        if found.numbers:
            state['numbers'] = {
                name: {
                    'topic': f'/gauge{index}', 'type': 'std_msgs/msg/Float32', 'field': 'data',
                    'unit': '%', **self._make(),
                }
                for index, name in enumerate(found.numbers)
            }  # fmt: skip
        return state

    def _make(self) -> dict[str, Any]:
        """Age of a source, and whether it measures, as the file says it or not."""
        draw = self._random
        make: dict[str, Any] = {}
        if draw.random() < 0.7:
            make['age'] = f'{draw.choice((1, 2, 5))} s'
        said = draw.random()
        if self._sensing is Sensing.NOTHING:
            return make
        if said < 0.75 or self._sensing is not None:
            make['measured'] = True
        elif said < 0.85:
            make['measured'] = False
        return make

    def _identifying(self, make: dict[str, Any]) -> dict[str, Any]:
        """The same of a source of names, which may tell things apart by tags."""
        sensing = self._sensing
        share = 0.3 if sensing is None else float(sensing.has(Sensing.IDENTIFIES))
        if make.get('measured') and self._makes.random() < share:
            del make['measured']
            make['identifies'] = True
        return make

    def _camera(self, number: int, sees_parts: bool) -> dict[str, Any]:
        draw = self._random
        whole: bool | str = draw.choice((True, True, 'everywhere'))
        if self._sensing is not None and self._sensing.has(Sensing.EVERYWHERE):
            whole = 'everywhere'
        camera = {
            'topic': f'/seen{number}', 'type': _THINGS, 'field': 'things', 'name': '{name}',
            'place': '{place}', 'whole': whole, **self._identifying(self._make()),
        }  # fmt: skip
        # A camera does not repeat commands, though its file need not say so.
        if camera.get('measured') is False:
            del camera['measured']
        return camera | ({'state': '{state}'} if sees_parts else {})

    def _contact(self, topic: str, part: str, words: tuple[str, str]) -> dict[str, Any]:
        return {
            'topic': topic, 'type': 'std_msgs/msg/Bool', 'name': part, 'state': '{data}',
            'words': {'true': words[0], 'false': words[1]}, **self._make(),
        }  # fmt: skip
