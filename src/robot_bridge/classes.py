"""Classes of names, and lists of names, as slots take them.

A class has members: places, things or other classes. A slot takes a class or a list of names:

    classes = Classes(file)
    classes.slot_type(['vessel'])            # 'place: mash tun, kettle'
    classes.slot_type(['mash tun', 'dock'])  # 'place: mash tun, dock'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reactree_core.skill_types import class_and_number
from robot_bridge.faults import Faults
from robot_bridge.interface_types import near
from robot_bridge.robot_file import RobotFile

#: Words for slots that take any name of a kind, or none.
_TYPES = ('name', 'thing', 'place', 'region', 'number', 'text')
#: Kinds of slots that take names of several kinds.
_ANY = 'name'
#: Kinds of names of which the file lists all.
_FIXED = frozenset({'place', 'region'})


class Classes:
    """The names of a file that a slot may take; `check` notes mistakes in it."""

    def __init__(self, file: RobotFile) -> None:
        self._entries = {entry.name: entry for entry in file.classes}
        self._kinds: dict[str, str] = {}
        regions = (place.region for place in file.places.values() if place.region)
        seen = file.perception.classes if file.perception is not None else ()
        own = (entry.name for entry in file.state.facts if '{' not in entry.name)
        known = (('place', file.places), ('thing', file.things), ('region', regions))
        for kind, names in (*known, ('thing', seen), ('thing', own)):
            for name in names:
                self._kinds.setdefault(name, kind)
        for name, kind in list(self._kinds.items()):
            if kind != 'region':
                self._kinds.setdefault(class_and_number(name)[0], kind)

    def members(self, name: str, inside: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Names that belong to a class, those of its members included; () where it lists none."""
        entry = self._entries.get(name)
        if entry is None or name in inside:
            return ()
        within = (*inside, name)
        found = (self.members(one, within) or (one,) for one in entry.members)
        return tuple(dict.fromkeys(one for each in found for one in each))

    def kind(self, name: str) -> str:
        """'thing', 'place', 'region' or 'name' for a name or class; '' for one that is unknown."""
        entry = self._entries.get(name)
        if entry is None:
            return self._kinds.get(name, '')
        members = self.members(name)
        if members:
            kinds = [self.kind(one) if one != name else '' for one in members]
            # A member that nothing else names is a class of things that are seen; beside places
            # it is a mistake, which `check` names once.
            is_fixed = not _FIXED.isdisjoint(kinds)
            return _common(kind for kind in kinds if kind or not is_fixed)
        return _ANY if entry.kind == 'other' else entry.kind

    def slot_type(self, names: Sequence[str]) -> str:
        """The type of a slot that takes classes and names, as `SkillType` has it.

        :raises ValueError: a name is neither a class nor a place or thing of the file.
        """
        for name in names:
            if not self.kind(name):
                known = [*self._entries, *self._kinds, *_TYPES]
                raise ValueError(
                    f'there is no class "{name}"; list it below "classes", with its members, or '
                    f'write names of places or things: {near(name, known)}'
                )
        kind = _common(map(self.kind, names))
        taken = (self._taken(name) for name in names)
        return f'{kind}: {", ".join(dict.fromkeys(one for each in taken for one in each))}'

    def _taken(self, name: str) -> tuple[str, ...]:
        members = self.members(name)
        entry = self._entries.get(name)
        if members or entry is None:
            return members or (name,)
        return (name, *entry.other_words)

    def check(self, faults: Faults) -> None:
        """Note classes whose members do not fit together."""
        for index, (name, entry) in enumerate(self._entries.items()):
            here = ('classes', index, 'members')
            if entry.members and name in self._reached(entry.members):
                faults.add(here, f'the class "{name}" is a member of itself')
                continue
            places = [one for one in entry.other_words if self._kinds.get(one) == 'place']
            if places and not entry.members and entry.kind == 'thing':
                faults.add(
                    ('classes', index, 'other_words'),
                    f'"{places[0]}" is a place, and no other word for a "{name}": write '
                    f'"members" in place of "other_words"',
                )
            kinds = {one: self.kind(one) for one in entry.members}
            fixed = [one for one, kind in kinds.items() if kind in _FIXED]
            for one in (one for one, kind in kinds.items() if not kind and fixed):
                known = [place for place, kind in self._kinds.items() if kind == 'place']
                which = (*here, entry.members.index(one))
                faults.add(which, f'there is no place "{one}"; {near(one, known)}')
            if entry.members and entry.other_words:
                faults.add(
                    ('classes', index, 'other_words'),
                    f'"{name}" has members, which people call by their own names: give '
                    '"other_words" to a class of each of these, or leave them out',
                )

    def _reached(self, names: Iterable[str]) -> set[str]:
        reached: set[str] = set()
        left = list(names)
        while left:
            name = left.pop()
            entry = self._entries.get(name)
            if entry is not None and name not in reached:
                left += entry.members
            reached.add(name)
        return reached


def _common(kinds: Iterable[str]) -> str:
    """The kind of all: of what is in no file 'thing', of several 'name'."""
    found = {kind or 'thing' for kind in kinds}
    return found.pop() if len(found) == 1 else _ANY
