"""A made-up robot whose skills are nothing but needs and effects, in which tests play.

It is written against the texts that servers declare, not against the reasoner's own reading.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from itertools import product
from math import inf

from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.skill_types import class_and_number, SkillKind, SkillType
from reactree_core.working_memory import AGENT


def skill(template, kind=SkillKind.OTHER, effects=(), needs=(), slot_types=(), inverse=''):
    """A skill type that declares its needs."""
    return SkillType(
        template,
        slot_types=slot_types,
        kind=kind,
        effects=tuple(effects),
        needs=tuple(needs),
        inverse=inverse,
    )


@dataclass
class MadeUp:
    """A world of facts.

    :param places: names, each with the region it is in ('' for none).
    :param things: names, each with the place where it is.
    :param states: of names, as words that hold. :param hands: things that can be held.
    :param seen: whether everything is told from anywhere; else only what is at the robot's place.
    """

    types: tuple[SkillType, ...]
    places: dict[str, str]
    things: dict[str, str]
    states: dict[str, set[str]] = field(default_factory=dict)
    hands: int = 1
    at: str = ''
    seen: bool = True
    tells_offers: bool = True
    held: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    looked: set[str] = field(default_factory=set)
    #: Skills -> how often they still fail.
    failing: dict[str, int] = field(default_factory=dict)

    def vocabulary(self) -> Vocabulary:
        """Classes and skills."""

        def classes(names):
            return tuple(sorted({class_and_number(name)[0] for name in names}))

        return Vocabulary(
            templates=tuple(one.template for one in self.types),
            object_classes=classes(self.things),
            place_classes=classes(self.places),
            rooms=tuple(sorted({region for region in self.places.values() if region})),
            skill_types=self.types,
        )

    def offers(self) -> tuple[str, ...]:
        """All skills whose needs hold."""
        return tuple(sorted(one.filled(values) for one, values in self._ready()))

    def _ready(self):
        regions = sorted({region for region in self.places.values() if region})
        names = {'place': self.places, 'thing': self.things, 'region': regions}
        every = [*self.places, *self.things]
        for one in self.types:
            for values in product(*(names.get(slot.type.value, every) for slot in one.slots)):
                if len(set(values)) == len(values) and self._can(one, values):
                    yield one, values

    def fewest(self, is_met) -> float:
        """How many skills it takes at least; inf where there is no way. :param is_met: asked of
        a world."""
        steps, left = {self._state(): 0}, deque([self])
        while left:
            world = left.popleft()
            if is_met(world):
                return steps[world._state()]
            for one, values in world._ready():
                then = replace(
                    world,
                    things=dict(world.things),
                    states={name: set(words) for name, words in world.states.items()},
                    held=[*world.held],
                )
                then._do(one, values)
                if steps.setdefault(then._state(), inf) == inf:
                    steps[then._state()] = steps[world._state()] + 1
                    left.append(then)
        return inf

    def _state(self):
        states = {(name, word) for name, words in self.states.items() for word in words}
        return self.at, frozenset(self.things.items()), frozenset(states), frozenset(self.held)

    def look(self, done='', outcome=Outcome.SUCCEEDED, text='') -> Observation:
        """What is seen."""
        visible = [
            name
            for name, place in self.things.items()
            if name in self.held or self.seen or place == self.at
        ]
        if self.at:
            self.looked.add(self.at)
        facts = [
            ObjectFact(*class_and_number(name), self.places[name], '', self._told(name))
            for name in self.places
        ]
        for name in visible:
            where = AGENT if name in self.held else self.things[name]
            region = self.places.get(where, '')
            facts.append(ObjectFact(*class_and_number(name), region, where, self._told(name)))
        return Observation(
            text,
            outcome,
            done,
            place=self.at,
            room=self.places.get(self.at, ''),
            looked_at=(self.at,) if self.at and self.seen is False else (),
            held=tuple(self.held),
            admissible_skills=self.offers() if self.tells_offers else (),
            facts=tuple(facts),
        )

    def step(self, text) -> Observation:
        """Do a skill."""
        self.done.append(text)
        if self.failing.get(text, 0) > 0:
            self.failing[text] -= 1
            return self.look(text, Outcome.EXECUTION_FAILED, 'It slips.')
        for one in self.types:
            for values in one.splits(text):
                if self._can(one, values):
                    self._do(one, values)
                    return self.look(text)
        return self.look(text, Outcome.PRECONDITION_FAILED, 'It cannot be done.')

    def _told(self, name):
        return ', '.join(sorted(self.states.get(name, ())))

    def _can(self, one, values) -> bool:
        slots = dict(zip((slot.text for slot in one.slots), values, strict=True))
        for index, slot in enumerate(one.slots):
            known = {class_and_number(name)[0] for name in (*self.places, *self.things)}
            is_place = values[index] in self.places
            if slot.name in known and not class_and_number(values[index])[0].endswith(slot.name):
                return False
            if slot.type.value == 'place' and not is_place:
                return False
            if slot.type.value == 'thing' and is_place:
                return False
        if one.kind is SkillKind.TAKE and values[0] in self.held:
            return False
        return all(self._holds(need, slots) for need in one.needs)

    def _holds(self, need, slots) -> bool:
        if ' or ' in need:
            return any(self._holds(one, slots) for one in need.split(' or '))
        for slot, value in slots.items():
            need = need.replace(slot, value)
        if need == 'hands free':
            return len(self.held) < self.hands
        negated = need.startswith('not ')
        need = need.removeprefix('not ')
        if need.startswith('at '):
            name = need[3:]
            so = self.at == name or self.things.get(name) == self.at or name in self.held
        elif need.startswith('holding '):
            so = need[8:] in self.held or need[8:] in {class_and_number(n)[0] for n in self.held}
        elif ' is ' in need:
            name, _, word = need.partition(' is ')
            so = word in self.states.get(name, ())
        else:
            name, _, place = need.partition(' in ')
            so = self.things.get(name) == place and name not in self.held
        return so != negated

    def _do(self, one, values) -> None:
        slots = dict(zip((slot.text for slot in one.slots), values, strict=True))
        for told in one.treatments:
            does = not told.slot or class_and_number(slots[told.slot])[0] in told.classes
            place = slots.get(told.place, told.place)
            for name, where in self.things.items() if does else ():
                if name not in self.held and place in (where, class_and_number(where)[0]):
                    self.states.setdefault(name, set()).add(told.state)
        for effect in one.facts:
            subject = slots.get(effect.subject, effect.subject)
            value = slots.get(effect.value, effect.value)
            match effect.relation.value, effect.holds:
                case 'at', True:
                    self.at = value
                case 'holding', True:
                    self.held.append(value)
                    self.things[value] = ''
                case 'holding', False:
                    if value in self.held:
                        self.held.remove(value)
                case 'in', True:
                    if subject in self.held:
                        self.held.remove(subject)
                    self.things[subject] = self.at if value == 'here' else value
                case 'is', holds:
                    words = self.states.setdefault(subject, set())
                    (words.add if holds else words.discard)(value)
                    if holds:
                        rivals = {'open': 'closed', 'closed': 'open', 'on': 'off', 'off': 'on'}
                        words.discard(rivals.get(value, ''))


def play(world, reasoner, most=60):
    """Play to the end; answers the last step."""
    reasoner.see(world.look())
    for _ in range(most):
        step = reasoner.next()
        if not step.skill:
            return step
        reasoner.see(world.step(step.skill))
    raise AssertionError(f'no end after {world.done}')


#: Going, taking and putting, with the needs that most robots have.
GO = skill('drive to <place>', SkillKind.MOVE, slot_types=('place',))
TAKE = skill(
    'grab <object>', SkillKind.TAKE, needs=('hands free', 'at <object>'), slot_types=('thing',)
)
PUT = skill(
    'leave <object> at <place>',
    SkillKind.PUT,
    needs=('holding <object>', 'at <place>', 'not <place> is closed'),
    slot_types=('thing', 'place'),
)
OPEN = skill(
    'unfold <place>',
    SkillKind.OPEN,
    needs=('at <place>', '<place> is closed'),
    slot_types=('place',),
)
CLOSE = skill(
    'fold <place>',
    SkillKind.CLOSE,
    needs=('at <place>', 'not <place> is closed'),
    slot_types=('place',),
)
