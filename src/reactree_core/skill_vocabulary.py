"""A robot's own words for skills and things, and the planner's, from a file that maps them.

    skills:
      pick up <object>: grasp(<object>)
      put <object> on <place>: place_at(<place>, <object>)
    names:
      kitchen table: table_big        a class: `kitchen table 2` is `table_big 2`
      apple 1: fruit_0017             one thing

What the file does not name is the same on both sides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import StringConstraints

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.observation import ObjectFact, Observation, Progress, Vocabulary
from reactree_core.ports import SettlingSkillServer, SkillServer, TellingSkillServer
from reactree_core.skill_types import (
    class_and_number,
    MOST_SLOTS,
    read_effect,
    Relation,
    SkillType,
    Slot,
    SlotType,
    TOLD_APART,
)
from reactree_core.written_files import read_file, Written

_SLOT = re.compile(r'<([^<>]*)>')


_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class WrittenVocabulary(Written):
    """What the file holds: the planner's texts, and the robot's for each."""

    skills: dict[_Text, _Text] | None = None
    names: dict[_Text, _Text] | None = None


class SkillVocabulary:
    """Translates both ways.

    :param skills: the planner's templates and the robot's, with the same 0 to 4 slots: those of
        the same names belong together, else those at the same places.
    :param names: the planner's names and the robot's.
    :raises ConfigurationError: an entry cannot be used, or two mean the same for the robot.
    """

    def __init__(self, skills: Mapping[str, str], names: Mapping[str, str]) -> None:
        self._pairs = [_Pair(ours, theirs) for ours, theirs in skills.items()]
        self._by_shape = {_shape(pair.theirs.template): pair for pair in self._pairs}
        self._names = dict(names)
        for what, side, texts in (
            ('skills', 'left', skills),
            ('skills', 'right', skills.values()),
            ('names', 'right', names.values()),
        ):
            shapes = Counter(map(_shape, texts))
            twice = [text for text in texts if shapes[_shape(text)] > 1]
            if twice:
                raise ConfigurationError(
                    f'{what}: {twice[0]!r} is on the {side} side of two entries, so it is '
                    'ambiguous; write it once.'
                )
        self._back = {theirs: ours for ours, theirs in names.items()}

    @classmethod
    def load(cls, path: Path) -> SkillVocabulary:
        """Read the file.

        :raises ConfigurationError: it cannot be read, or an entry cannot be used.
        """
        form = 'must map "skills" and "names", as docs/robot_contract.md shows'
        written: WrittenVocabulary = read_file(path, WrittenVocabulary, form=form)
        try:
            return cls(written.skills or {}, written.names or {})
        except ConfigurationError as error:
            raise ConfigurationError(f'{path}: {error}') from error

    def to_robot(self, skill: str) -> str:
        """The robot's words for a skill of the planner."""
        for pair in self._pairs:
            for values in pair.ours.splits(skill):
                return pair.in_theirs([self._name(value, self._names) for value in values])
        return skill

    def from_robot(self, skill: str) -> str:
        """The planner's words for a skill of the robot; its own where they would not lead back."""
        for pair in self._pairs:
            for values in pair.theirs.splits(skill):
                text = pair.in_ours(list(map(self.name_from_robot, values)))
                if self.to_robot(text) == skill:
                    return text
        return skill

    def name_from_robot(self, name: str) -> str:
        """The planner's name of a thing, a class or a room."""
        return self._name(name, self._back)

    @staticmethod
    def _name(name: str, names: Mapping[str, str]) -> str:
        if name in names:
            return names[name]
        match = TOLD_APART.fullmatch(name)
        return names[match[1]] + match[2] if match and match[1] in names else name

    def vocabulary(self, robot: Vocabulary) -> Vocabulary:
        """What the robot can do, in the planner's words."""
        back = self.name_from_robot
        return Vocabulary(
            tuple(map(self._template, robot.templates)),
            _classes(map(back, robot.object_classes)),
            _classes(map(back, robot.place_classes)),
            tuple(map(back, robot.rooms)),
            tuple(map(self._skill_type, robot.skill_types)),
            _classes(map(back, robot.other_classes)),
            tuple((class_and_number(back(name))[0], *more) for name, *more in robot.other_words),
            robot.domain,
            self._text(robot.about),
        )

    def _template(self, robot: str) -> str:
        pair = self._by_shape.get(_shape(robot))
        return pair.ours.template if pair else robot

    def _skill_type(self, robot: SkillType) -> SkillType:
        """All that is told of a skill, with the planner's template and its slots."""
        names = [slot.name for slot in robot.slots]
        order = list(range(len(names)))
        ours = names
        pair = self._by_shape.get(_shape(robot.template))
        if pair is not None:
            ours, order = [slot.name for slot in pair.ours.slots], pair.order
        renamed = {names[place]: name for name, place in zip(ours, order, strict=True)}
        types = [
            self._slot_type(slot, declared)
            for slot, declared in zip(
                robot.slots, (*robot.slot_types, *[''] * len(names)), strict=False
            )
        ]
        effects = robot.effects
        if not effects and order != sorted(order):
            # The usual ones go by the places of the slots.
            effects = tuple(fact.text for fact in robot.facts)
        return replace(
            robot,
            template=self._template(robot.template),
            slot_types=tuple(types[place] for place in order) if any(types) else (),
            inverse=self._inverse(robot.inverse, renamed),
            effects=tuple(self._effect(_renamed(effect, renamed)) for effect in effects),
            description=self._text(robot.description),
            needs=tuple(self._effect(_renamed(need, renamed)) for need in robot.needs),
        )

    def _slot_type(self, slot: Slot, declared: str) -> str:
        if slot.classes:
            return f'{slot.type.value}: {", ".join(map(self.name_from_robot, slot.classes))}'
        return declared if slot.is_narrow or slot.type is SlotType.NAME else slot.type.value

    def _inverse(self, robot: str, renamed: Mapping[str, str]) -> str:
        text = _renamed(robot, renamed)
        pair = self._by_shape.get(_shape(robot))
        if pair is None:
            return text
        slots = [f'<{name}>' for name in _SLOT.findall(text)]
        return pair.ours.filled([slots[place] for place in pair.order])

    def _effect(self, text: str) -> str:
        """An effect with the planner's names of the things that it names itself."""
        effect = read_effect(text)
        if effect is None:
            return text
        is_state = effect.relation is Relation.IS
        value = effect.value if is_state else self.name_from_robot(effect.value)
        return replace(effect, subject=self.name_from_robot(effect.subject), value=value).text

    def observation(self, robot: Observation) -> Observation:
        """What the robot saw, in the planner's words."""
        back = self.name_from_robot
        return replace(
            robot,
            text=self._text(robot.text),
            skill=self.from_robot(robot.skill),
            place=back(robot.place),
            room=back(robot.room),
            looked_at=tuple(map(back, robot.looked_at)),
            held=tuple(map(back, robot.held)),
            admissible_skills=tuple(map(self.from_robot, robot.admissible_skills)),
            facts=tuple(map(self._fact, robot.facts)),
            assumed=tuple(map(self._effect, robot.assumed)),
        )

    def _fact(self, fact: ObjectFact) -> ObjectFact:
        # One thing may have a name of its own, told as a class.
        name = self._back.get(fact.object_class) or self.name_from_robot(fact.name)
        stem, number = class_and_number(name)
        return replace(
            fact,
            object_class=stem,
            instance=number or fact.instance,
            room=self.name_from_robot(fact.room),
            receptacle=self.name_from_robot(fact.receptacle),
        )

    def _text(self, text: str) -> str:
        """A text with the robot's names replaced where they stand as words of their own."""
        if not self._back:
            return text
        # Longest first: one name may begin another.
        names = sorted(self._back, key=len, reverse=True)
        pattern = '|'.join(re.escape(name) for name in names)
        return re.sub(rf'(?<!\w)(?:{pattern})(?!\w)', lambda found: self._back[found[0]], text)


class _Pair:
    """The planner's template of a skill and the robot's."""

    def __init__(self, ours: str, theirs: str) -> None:
        self.ours, self.theirs = SkillType(ours), SkillType(theirs)
        left, right = (_SLOT.findall(text) for text in (ours, theirs))
        if len(left) != len(right) or len(left) > MOST_SLOTS:
            raise ConfigurationError(
                f'skills: {ours!r} has {len(left)} slots and {theirs!r} has {len(right)}; both '
                f'must have the same slots such as <object>, at most {MOST_SLOTS}.'
            )
        for text in (ours, theirs):
            if not text.partition('<')[0].strip():
                raise ConfigurationError(
                    f'skills: {text!r} must begin with words, not with a name.'
                )
        same = set(left) == set(right) and len(set(left)) == len(left)
        #: Which of the robot's slots each of the planner's is.
        self.order = [right.index(name) for name in left] if same else list(range(len(left)))

    def in_ours(self, values: Sequence[str]) -> str:
        """The planner's text with the values of the robot's slots."""
        return self.ours.filled(
            [
                slot.text if values[place] == self.theirs.slots[place].text else values[place]
                for slot, place in zip(self.ours.slots, self.order, strict=True)
            ]
        )

    def in_theirs(self, values: Sequence[str]) -> str:
        """The robot's text with the values of the planner's slots."""
        found = list(values)
        for slot, value, place in zip(self.ours.slots, values, self.order, strict=True):
            # What the model is to write is a gap on both sides.
            found[place] = self.theirs.slots[place].text if value == slot.text else value
        return self.theirs.filled(found)


def _shape(template: str) -> str:
    """A template without the names of its slots."""
    return _SLOT.sub('<>', template)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """A text with its slots renamed."""
    return _SLOT.sub(lambda slot: f'<{names.get(slot[1], slot[1])}>', text)


def _classes(names: Any) -> tuple[str, ...]:
    """Class names; of names of single things the class."""
    return tuple(dict.fromkeys(class_and_number(name)[0] for name in names))


class TranslatedSkillServer:
    """Another skill server, asked and understood in the robot's words.

    :param inner: speaks the robot's words. :param words: translates.
    """

    def __init__(self, inner: SkillServer, words: SkillVocabulary) -> None:
        self._inner = inner
        self._words = words

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        """Names and templates, and what the robot sees now."""
        vocabulary, observation = self._inner.list_skills(cancel)
        return self._words.vocabulary(vocabulary), self._words.observation(observation)

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        """The wider published set."""
        return tuple(map(self._words.from_robot, self._inner.candidate_skills(cancel)))

    def look(self, cancel: CancelToken) -> Observation:
        """What the robot sees now."""
        return self._words.observation(self._inner.look(cancel))

    def listen(self, listener: Callable[[], None]) -> bool:
        """Call somebody at every change that is given; whether any are."""
        inner = self._inner
        return isinstance(inner, TellingSkillServer) and inner.listen(listener)

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        """Run one skill to its end; the observation names it as the planner does."""
        return self._words.observation(
            self._inner.execute(sequence, node_id, self._words.to_robot(skill), cancel)
        )

    def settle(self, cancel: CancelToken, fresh: bool = False) -> None:
        """Wait until canceled skills have ended, where that takes a while."""
        if isinstance(self._inner, SettlingSkillServer):
            self._inner.settle(cancel, fresh)

    def progress(self, cancel: CancelToken) -> Progress | None:
        """Goal conditions met, or None when the bridge cannot judge."""
        return self._inner.progress(cancel)

    def reset(self, cancel: CancelToken) -> None:
        """Put the world back to where its task began."""
        self._inner.reset(cancel)
