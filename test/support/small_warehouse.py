"""A warehouse of aisles with shelves and bins, of which only what is near is seen (a double)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.skill_types import class_and_number, SkillKind, SkillType

_MOVES = (
    SkillType('drive to <aisle>', ('region',), SkillKind.MOVE),
    SkillType('drive to <place>', ('place',), SkillKind.MOVE),
)
_HANDLING = (
    SkillType('grip <crate>', ('thing',), SkillKind.TAKE),
    SkillType('open <place>', ('place',), SkillKind.OPEN, 'close <place>'),
    SkillType('close <place>', ('place',), SkillKind.CLOSE, 'open <place>'),
    SkillType('power up <place>', ('place',), SkillKind.SWITCH_ON, 'power down <place>'),
    SkillType('power down <place>', ('place',), SkillKind.SWITCH_OFF, 'power up <place>'),
)
_ONTO = SkillType('release <crate> onto <place>', ('thing', 'place'), SkillKind.PUT)
_HERE = SkillType('release <crate>', ('thing',), SkillKind.PUT, 'grip <crate>')


@dataclass
class SmallWarehouse:
    """Port `SkillServer`.

    :param places: name -> aisle; those called "bin ..." are closed.
    :param things: name -> place. :param says_where: whether its PUT names the place.
    :param failing: numbers of skills that fail, counted from 0. :param holds: how many it can.
    """

    places: dict[str, str]
    things: dict[str, str]
    aisle: str = 'aisle 1'
    says_where: bool = False
    failing: frozenset[int] = frozenset()
    holds: int = 1
    place: str = ''
    held: tuple[str, ...] = ()
    opened: set[str] = field(default_factory=set)
    running: set[str] = field(default_factory=set)
    executed: list[str] = field(default_factory=list)

    @property
    def vocabulary(self) -> Vocabulary:
        """Names of its aisles, and classes of what is there."""
        types = (*_MOVES, *_HANDLING, _ONTO if self.says_where else _HERE)
        classes = {class_and_number(name)[0]: None for name in self.places}
        return Vocabulary(
            tuple(one.template for one in types),
            ('crate', 'pallet'),
            tuple(classes),
            tuple(sorted(set(self.places.values()))),
            types,
            about='A forklift.',
        )

    def list_skills(self, cancel):
        return self.vocabulary, self.look(cancel)

    def candidate_skills(self, cancel):
        return self._skills()

    def progress(self, cancel):
        return None

    def look(self, cancel):
        return self._observation('This is what you see.')

    def execute(self, sequence, node_id, skill, cancel):
        number = len(self.executed)
        self.executed.append(skill)
        if skill not in self._skills():
            raise AssertionError(f'{skill} is not admissible')
        if number in self.failing:
            seen = self._observation('The wheels spin.')
            return replace(seen, outcome=Outcome.EXECUTION_FAILED)
        first, _, rest = skill.partition(' ')
        if first == 'drive':
            target = rest.removeprefix('to ')
            self.place = target if target in self.places else ''
            self.aisle = self.places.get(target, target)
        elif first == 'grip':
            self.held = (*self.held, rest)
            del self.things[rest]
        elif first == 'open':
            self.opened.add(rest)
        elif first == 'close':
            self.opened.discard(rest)
        elif first == 'power':
            change = self.running.add if rest.startswith('up') else self.running.discard
            change(rest.partition(' ')[2])
        else:
            thing = rest.partition(' onto ')[0]
            self.held = tuple(name for name in self.held if name != thing)
            self.things[thing] = self.place
        return self._observation(f'Done: {skill}.')

    def _shut(self, place: str) -> bool:
        return place.startswith('bin') and place not in self.opened

    def _state(self, place: str) -> str:
        return 'closed' if self._shut(place) else ''

    def _skills(self) -> tuple[str, ...]:
        skills = [f'drive to {aisle}' for aisle in sorted(set(self.places.values()))]
        skills += [
            f'drive to {place}' for place, where in self.places.items() if where == self.aisle
        ]
        if self.place:
            if self._shut(self.place):
                skills += [f'open {self.place}'] if len(self.held) < self.holds else []
            else:
                here = [thing for thing, place in self.things.items() if place == self.place]
                skills += [f'grip {name}' for name in here] if len(self.held) < self.holds else []
                onto = f' onto {self.place}' if self.says_where else ''
                skills += [f'release {thing}{onto}' for thing in self.held]
            if self.place in self.opened and len(self.held) < self.holds:
                skills.append(f'close {self.place}')
            if self.place.startswith('press'):
                skills.append(
                    f'power {"down" if self.place in self.running else "up"} {self.place}'
                )
        return tuple(skills)

    def _observation(self, text: str) -> Observation:
        facts = [
            ObjectFact(
                *class_and_number(place), aisle, state='closed' if self._shut(place) else ''
            )
            for place, aisle in self.places.items()
            if aisle == self.aisle
        ]
        shown = bool(self.place) and not self._shut(self.place)
        facts += [
            ObjectFact(*class_and_number(thing), self.aisle, place)
            for thing, place in self.things.items()
            if shown and place == self.place
        ]
        return Observation(
            text,
            place=self.place,
            room=self.aisle,
            looked_at=(self.place,) if shown else (),
            held=self.held,
            admissible_skills=self._skills(),
            facts=tuple(facts),
        )
