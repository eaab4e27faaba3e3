"""A robot as its file describes it, ready to be used: skills with their calls, and its state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import Effect, SkillType, SLOT, SlotType
from robot_bridge.calls import Call
from robot_bridge.interface_types import near
from robot_bridge.needs import Need
from robot_bridge.perception_file import IMAGE, INFO
from robot_bridge.reading import Sentence
from robot_bridge.robot_file import RobotFile, SkillEntry
from robot_bridge.signals import Signals
from robot_bridge.sources import Senses, SOMETHING
from robot_bridge.state_file import Source
from robot_bridge.vocabulary import vocabulary_of


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill with what is done for it.

    :param needs: without which it is not begun.
    :param done: what is said when it succeeded; None where nothing of its own is.
    """

    type: SkillType
    entry: SkillEntry
    calls: tuple[Call, ...]
    needs: tuple[Need, ...]
    done: Sentence | None


@dataclass(frozen=True, slots=True)
class Interface:
    """One of a robot's interfaces.

    :param kind: 'action', 'service', 'publish' for a topic that it hears, 'await' for one that it
        publishes.
    """

    kind: str
    name: str
    type: str

    def __str__(self) -> str:
        """E.g. 'action /navigate_to_pose'."""
        return f'{"topic" if self.kind in ("publish", "await") else self.kind} {self.name}'


@dataclass(frozen=True, slots=True)
class Robot:
    """A robot's file that holds together, with its types."""

    file: RobotFile
    skills: tuple[Skill, ...]
    senses: Senses
    signals: Signals

    def vocabulary(self, seen: Iterable[str] = ()) -> Vocabulary:
        """Declarations of skills and names. :param seen: names that the robot reports."""
        return vocabulary_of(self.file, tuple(skill.type for skill in self.skills), seen)

    def find(self, text: str, things: Sequence[str]) -> tuple[Skill | None, dict[str, str], str]:
        """The skill that a text is of, and what stands in its slots; or why there is none.

        :param things: names of things that are known now.
        """
        objection = ''
        for skill in self.skills:
            names = [slot.name for slot in skill.type.slots]
            for values in skill.type.splits(text, any_number=True):
                slots = dict(zip(names, values, strict=True))
                objection = _slot_fault(self.file, skill, slots, things)
                if not objection:
                    return skill, slots, ''
        if not objection:
            templates = [skill.type.template for skill in self.skills]
            objection = f'There is no skill "{text[:80]}"; {near(text, templates)}.'
        return None, {}, objection

    @property
    def hears_frames(self) -> bool:
        """Whether the pose of the robot or of a place is looked up in TF."""
        pose = self.file.state.pose
        frames = [pose.tf if pose else '', *(place.tf for place in self.file.places.values())]
        return any(frames)

    def cameras(self) -> tuple[Interface, ...]:
        """What the file names for perception: topics of cameras and detectors."""
        perception = self.file.perception
        if perception is None:
            return ()
        found = [Interface('await', entry.topic, entry.type) for entry in perception.detections]
        for camera in perception.cameras.values():
            found += [
                Interface('await', camera.image, IMAGE),
                Interface('await', camera.info, INFO),
            ]
            found += [Interface('await', camera.depth, IMAGE)] if camera.depth else []
        return tuple(dict.fromkeys(found))

    def interfaces(self) -> tuple[Interface, ...]:
        """What the file names of the robot's ROS side, each once."""
        calls = [c.step for skill in self.skills for c in skill.calls if not c.step.is_wait]
        if self.signals.press is not None:
            calls.append(self.signals.press.step)
        senses: list[Source] = [sense.entry for sense in self.senses.all()]
        senses += [signal.entry for signal in self.signals.all()]
        return tuple(
            dict.fromkeys(
                (
                    *(Interface(step.kind, step.name, step.type) for step in calls),
                    *(
                        Interface(
                            'await' if entry.topic else 'service',
                            entry.topic or entry.service,
                            entry.type,
                        )
                        for entry in senses
                        if entry.topic or entry.service
                    ),
                )
            )
        )


def with_values(effect: Effect, slots: Mapping[str, str]) -> Effect:
    """A fact of a template, about what stands in its slots."""

    def filled(text: str) -> str:
        return SLOT.sub(lambda match: slots.get(match[1], match[0]), text)

    return Effect(effect.relation, filled(effect.subject), filled(effect.value), effect.holds)


def _slot_fault(
    file: RobotFile, skill: Skill, slots: Mapping[str, str], things: Sequence[str]
) -> str:
    """Why a skill cannot be about what stands in its slots; '' when it can."""
    for slot in skill.type.slots:
        value = slots[slot.name]
        # What is held without a name may be of any class.
        objection = slot.objection(value) if value != SOMETHING else ''
        if objection:
            return objection
        regions = [place.region for place in file.places.values() if place.region]
        known = {
            SlotType.PLACE: [*file.places],
            SlotType.THING: [*things],
            SlotType.REGION: regions,
            SlotType.NAME: [*file.places, *things, *regions],
        }.get(slot.type)
        if known is not None and value not in known:
            what = slot.type.value
            return f'There is no {what} "{value[:80]}" that is known; {near(value, known)}.'
    return ''
