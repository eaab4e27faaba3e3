"""A robot's own words for skills and things, and the planner's, from a file that maps them.

    skills:
      pick up <object>: grasp(<object>)
    names:
      kitchen table: table_big        a class: `kitchen table 2` is `table_big 2`
      apple 1: fruit_0017             one thing

What the file does not name is the same on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from reactree_core.errors import ConfigurationError
from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Vocabulary

_PLACEHOLDER = re.compile(r'<\w+>')
_FILE_BYTES = 1024**2


class SkillVocabulary:
    """Translates both ways.

    :param skills: the planner's templates and the robot's, with one placeholder each.
    :param names: the planner's names and the robot's.
    :raises ConfigurationError: an entry cannot be used, or two mean the same for the robot.
    """

    def __init__(self, skills: Mapping[str, str], names: Mapping[str, str]) -> None:
        self._skills = [(_Template(ours), _Template(theirs)) for ours, theirs in skills.items()]
        self._names = dict(names)
        for what, right in (('skills', skills.values()), ('names', names.values())):
            twice = sorted({text for text in right if list(right).count(text) > 1})
            if twice:
                raise ConfigurationError(
                    f'{what}: {twice[0]!r} stands on the right of two entries, so that answers '
                    'of the robot could mean either; give each its own.'
                )
        self._back = {theirs: ours for ours, theirs in names.items()}

    @classmethod
    def load(cls, path: Path) -> SkillVocabulary:
        """Read the file.

        :raises ConfigurationError: it cannot be read, or an entry cannot be used.
        """
        try:
            if path.stat().st_size > _FILE_BYTES:
                raise ConfigurationError(f'{path} is larger than 1 MB: it is no vocabulary.')
            content = yaml.safe_load(path.read_text(encoding='utf-8'))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f'The vocabulary {path} cannot be read: {error}.') from error
        except yaml.YAMLError as error:
            said = ' '.join(str(error).split())[:300]
            raise ConfigurationError(f'{path} is no YAML: {said}.') from error
        if not isinstance(content, dict) or set(content) - {'skills', 'names'}:
            raise ConfigurationError(f'{path} must hold `skills` and `names` and nothing else.')
        try:
            return cls(_entries(content, 'skills'), _entries(content, 'names'))
        except ConfigurationError as error:
            raise ConfigurationError(f'{path}: {error}') from error

    def to_robot(self, skill: str) -> str:
        """The robot's words for a skill of the planner."""
        for ours, theirs in self._skills:
            name = ours.name_in(skill)
            if name is not None:
                return theirs.filled(self._name(name, self._names))
        return skill

    def from_robot(self, skill: str) -> str:
        """The planner's words for a skill of the robot."""
        for ours, theirs in self._skills:
            name = theirs.name_in(skill)
            if name is not None:
                return ours.filled(self.name_from_robot(name))
        return skill

    def name_from_robot(self, name: str) -> str:
        """The planner's name of a thing, a class or a room."""
        return self._name(name, self._back)

    @staticmethod
    def _name(name: str, names: Mapping[str, str]) -> str:
        if name in names:
            return names[name]
        stem, _, number = name.rpartition(' ')
        return f'{names[stem]} {number}' if number.isdigit() and stem in names else name

    def vocabulary(self, robot: Vocabulary) -> Vocabulary:
        """What the robot can do, in the planner's words."""
        back = self.name_from_robot
        translated = {theirs.text: ours.text for ours, theirs in self._skills}
        return Vocabulary(
            tuple(translated.get(template, template) for template in robot.templates),
            _classes(map(back, robot.object_classes)),
            _classes(map(back, robot.place_classes)),
            tuple(map(back, robot.rooms)),
        )

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
        )

    def _fact(self, fact: ObjectFact) -> ObjectFact:
        # One thing may have a name of its own, told as a class.
        name = self._back.get(fact.object_class) or self.name_from_robot(fact.name)
        stem, _, number = name.rpartition(' ')
        known = number.isdigit() and bool(stem)
        return replace(
            fact,
            object_class=stem if known else name,
            instance=int(number) if known else fact.instance,
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


class _Template:
    """A skill text with one placeholder."""

    def __init__(self, text: str) -> None:
        found = _PLACEHOLDER.findall(text)
        if len(found) != 1:
            raise ConfigurationError(
                f'skills: {text!r} must have exactly one placeholder such as <object>.'
            )
        self.text = text
        self._before, self._after = _PLACEHOLDER.split(text)
        if not self._before.strip():
            raise ConfigurationError(f'skills: {text!r} must begin with words, not with a name.')

    def name_in(self, skill: str) -> str | None:
        """The name in a grounded skill, None when it is of another template."""
        if not skill.startswith(self._before) or not skill.endswith(self._after):
            return None
        name = skill[len(self._before) : len(skill) - len(self._after)]
        return name.strip() or None

    def filled(self, name: str) -> str:
        """The grounded skill."""
        return f'{self._before}{name}{self._after}'


def _entries(content: Mapping[str, Any], what: str) -> dict[str, str]:
    entries = content.get(what) or {}
    if not isinstance(entries, dict) or not all(
        isinstance(text, str) and text.strip() for pair in entries.items() for text in pair
    ):
        raise ConfigurationError(
            f'{what} must map texts to texts (quote what YAML takes for a number or a list).'
        )
    return {left.strip(): right.strip() for left, right in entries.items()}


def _classes(names: Any) -> tuple[str, ...]:
    """Class names; of names of single things the class."""
    stems = []
    for name in names:
        stem, _, number = name.rpartition(' ')
        stems.append(stem if stem and number.isdigit() else name)
    return tuple(dict.fromkeys(stems))
