"""Robot files of random skills: invented verbs and nouns, 0 to 4 slots, every kind.

Each file is what a user could write: it has no mistakes, its senses report what its effects and
needs speak of, and no two of its skills mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from reactree_core.skill_types import class_and_number

_ONSETS = tuple('b br d dr f fl g gl k kr l m n p pl r s st t tr v w z sh'.split())  # noqa: SIM905
_NUCLEI = ('a', 'e', 'i', 'o', 'u', 'oo', 'ai', 'ea')
_CODAS = ('ck', 'l', 'm', 'n', 'nd', 'p', 'rk', 'rt', 'sh', 'st', 't', 'x', 'zz')
#: Nouns and verbs with letters beyond ASCII, as robots of other countries have them.
_FOREIGN_NOUNS = ('Prüfstand', 'étagère', 'склад', '倉庫', 'estación', 'skříň')
_FOREIGN_VERBS = ('prüfe', 'éteindre', 'проверить', '確認', 'señalar')
_ADJECTIVES = (
    'open', 'closed', 'on', 'off', 'clean', 'dry', 'sealed', 'armed', 'folded', 'docked', 'level',
    'primed', 'loose', 'tuned',
)  # fmt: skip
_PAIRS = (('open', 'closed'), ('on', 'off'), ('armed', 'disarmed'), ('folded', 'unfolded'),
          ('docked', 'undocked'), ('sealed', 'unsealed'))  # fmt: skip
_KINDS = (
    'move', 'take', 'put', 'open', 'close', 'switch on', 'switch off', 'change', 'look', 'make',
    'ask', 'end', 'other', 'other', 'other',
)  # fmt: skip
_UNITS = ('ml', 'rpm', '%', 'cm', 's', 'kg')


@dataclass(frozen=True, slots=True)
class _Names:
    """Classes and names that a slot takes. :param way: how the file writes them."""

    names: tuple[str, ...]
    way: str
    WAYS: ClassVar[tuple[str, ...]] = ('template', 'type', 'text', 'list')

    @property
    def text(self) -> str:
        """All of them, between commas."""
        return ', '.join(self.names)

    @property
    def is_in_template(self) -> bool:
        """Test whether they stand in the template."""
        return self.way == 'template'

    def entry(self) -> object:
        """Below `slots`."""
        return {'type': f'place: {self.text}', 'text': self.text}.get(self.way, list(self.names))


class Generator:
    """Makes files. :param seed: of all that is random."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._used: set[str] = set()
        self._foreign: set[str] = set()

    def file(self) -> dict[str, Any]:
        """A whole file, as YAML would give it."""
        draw = self._random
        self._used, self._foreign = set(), set()
        self._places = [self._name(numbered=True) for _ in range(draw.randint(1, 4))]
        self._things = [self._name(numbered=True) for _ in range(draw.randint(0, 3))]
        self._parts = [self._name(numbered=False) for _ in range(draw.randint(0, 2))]
        self._numbers = ['battery'] if draw.random() < 0.5 else []
        self._words: dict[str, set[str]] = {name: set() for name in (*self._things, *self._parts)}
        #: Parts with a topic of their own -> their state where it is true, and where it is false.
        self._switches: dict[str, tuple[str, str]] = {}
        self._classes: list[dict[str, Any]] = []
        if len(self._places) > 1 and draw.random() < 0.4:
            members = draw.sample(self._places, draw.randint(1, len(self._places)))
            self._classes.append({'name': self._name(numbered=False), 'members': members})
        if self._things and draw.random() < 0.2:
            # A thing that bears the name of its class.
            self._classes.append({'name': class_and_number(draw.choice(self._things))[0]})
        skills: list[dict[str, Any]] = []
        for _ in range(draw.randint(1, 3)):
            skills += self._skills()
        file: dict[str, Any] = {
            'robot': 'generated',
            'hands': 1,
            'places': {name: {} for name in self._places},
            'things': {name: {} for name in self._words},
            'state': self._state(),
            'skills': skills,
        }
        if not self._words:
            del file['things']
        if self._classes:
            file['classes'] = self._classes
        self._shut_one(file)
        return file

    def _shut_one(self, file: dict[str, Any]) -> None:
        """Give a place that has no state yet a door with a sensor, skills that open and close it,
        and one that handles a thing where it is.
        """
        draw = self._random
        free = [name for name in self._places if name not in self._words]
        if draw.random() >= 0.25 or not self._words or not free:
            return
        place = draw.choice(free)
        file['state']['facts'].append(
            {
                'topic': '/door',
                'type': 'std_msgs/msg/Bool',
                'name': place,
                'state': '{data}',
                'words': {'true': 'open', 'false': 'closed'},
            }
        )
        for kind, word in (('open', 'open'), ('close', 'closed')):
            do = {'service': 'std_srvs/srv/Trigger', 'name': f'/d{draw.randint(1, 10**6)}'}
            file['skills'].append(
                {
                    'skill': f'{self._made_up_verb()} the door of {place}',
                    'kind': kind,
                    'effects': [f'{place} is {word}'],
                    'do': do,
                }
            )
        if self._things:
            do = {'service': 'std_srvs/srv/Trigger', 'name': f'/h{draw.randint(1, 10**6)}'}
            file['skills'].append(
                {
                    'skill': f'{self._made_up_verb()} <thing>',
                    'slots': {'<thing>': 'thing'},
                    'needs': ['<thing> in here'],
                    'do': do,
                }
            )

    # Words ------------------------------------------------------------------------------------

    def _syllables(self, least: int, most: int) -> str:
        draw = self._random
        count = draw.randint(least, most)
        word = ''.join(draw.choice(_ONSETS) + draw.choice(_NUCLEI) for _ in range(count))
        return word + draw.choice(_CODAS)

    def _unused(self, make: Callable[[], str]) -> str:
        while True:
            word = make()
            if word.casefold() not in self._used and len(word) > 2:
                self._used.add(word.casefold())
                return word

    def _noun(self) -> str:
        draw = self._random
        roll = draw.random()
        foreign = [one for one in _FOREIGN_NOUNS if one not in self._foreign]
        if roll < 0.08 and foreign:
            # No thing bears the name of a place.
            word = draw.choice(foreign)
            self._foreign.add(word)
            return word
        word = self._syllables(1, 2)
        if roll < 0.18:
            return word.capitalize()
        if roll < 0.26:
            return f'{word}-{self._syllables(1, 1)}'
        if roll < 0.32:
            return f'{word} {self._syllables(1, 1)}'
        return word

    def _name(self, numbered: bool) -> str:
        draw = self._random

        def make() -> str:
            noun = self._noun()
            roll = draw.random()
            if not numbered or roll < 0.3:
                return noun
            if roll < 0.7:
                return f'{noun} {draw.randint(1, 99)}'
            if roll < 0.85:
                return f'{noun} {draw.choice("ABT")}{draw.randint(1, 30):02d}'
            return f'{noun} {draw.choice("ABC")}-{draw.randint(1, 9)}'

        return self._unused(make)

    def _verb(self) -> str:
        draw = self._random

        def make() -> str:
            roll = draw.random()
            if roll < 0.08:
                return draw.choice(_FOREIGN_VERBS)
            word = self._syllables(1, 2)
            if roll < 0.15:
                return word.capitalize()
            if roll < 0.22:
                return f're-{word}'
            return f'{word} {draw.choice(("out", "up", "over"))}' if roll < 0.3 else word

        return self._unused(make)

    def _made_up_verb(self) -> str:
        """A verb that is no English one such as "run", which asks for what shall be alone."""
        return self._unused(lambda: self._syllables(2, 2))

    # Skills -----------------------------------------------------------------------------------

    def _skills(self) -> list[dict[str, Any]]:
        """One skill, or two of which one takes the other back."""
        draw = self._random
        roll = draw.random()
        if roll < 0.25 and self._words:
            return self._pair()
        if roll < 0.35 and self._things:
            return self._puts()
        kind = draw.choice(_KINDS)
        slots = self._slots_for(kind)
        skill: dict[str, Any] = {'skill': self._template(slots)}
        if kind != 'other' or draw.random() < 0.3:
            skill['kind'] = kind
        types = {
            f'<{name}>': one.entry() if isinstance(one, _Names) else one
            for name, one in slots
            if one is not None and not (isinstance(one, _Names) and one.is_in_template)
        }
        if types:
            skill['slots'] = types
        effects = self._effects(kind, slots)
        if effects:
            skill['effects'] = effects
        needs = self._needs(kind, slots, effects)
        if needs:
            skill['needs'] = needs
        skill['do'] = {'service': 'std_srvs/srv/Trigger', 'name': f'/s{draw.randint(1, 10**6)}'}
        return [skill]

    def _pair(self) -> list[dict[str, Any]]:
        draw = self._random
        first, second = draw.choice(_PAIRS)
        part = draw.choice(list(self._words))
        slotted = part in self._things and draw.random() < 0.5
        if part in self._parts and draw.random() < 0.6:
            self._switches.setdefault(part, (first, second))
            first, second = self._switches[part]
        what = '<thing>' if slotted else part
        names = list(self._things) if slotted else [part]
        for name in names:
            self._words[name] |= {first, second}
        verbs = self._verb(), self._verb()
        pair: list[dict[str, Any]] = [
            {'skill': f'{verb} {what}' if slotted else f'{verb} the {what}',
             'effects': [f'{what} is {word}']}
            for verb, word in zip(verbs, (first, second), strict=True)
        ]  # fmt: skip
        if draw.random() < 0.4:
            pair[0]['inverse'], pair[1]['inverse'] = pair[1]['skill'], pair[0]['skill']
        for one in pair:
            one['do'] = {'service': 'std_srvs/srv/Trigger', 'name': f'/p{draw.randint(1, 10**6)}'}
        return pair

    def _puts(self) -> list[dict[str, Any]]:
        """Two skills that put one thing down: anywhere, and in a certain place."""
        draw = self._random
        place = draw.choice(self._places)
        where = self._place_slot('place')
        shown = (
            f'<place: {where.text}>' if where is not None and where.is_in_template else '<place>'
        )
        put: dict[str, Any] = {
            'skill': f'{self._made_up_verb()} <thing> at {shown}',
            'kind': 'put',
            'needs': ['holding <thing>', 'at <place>'],
        }
        if where is not None and not where.is_in_template:
            put['slots'] = {'<place>': where.entry()}
        stow: dict[str, Any] = {
            'skill': f'{self._made_up_verb()} <thing> into the {place}',
            'kind': 'put',
            'needs': ['holding <thing>', f'at {place}'],
            'effects': [f'<thing> in {place}', 'not holding <thing>'],
        }
        for one in (put, stow):
            one['slots'] = {**one.get('slots', {}), '<thing>': 'thing'}
            one['do'] = {'service': 'std_srvs/srv/Trigger', 'name': f'/u{draw.randint(1, 10**6)}'}
        return [put, stow]

    def _place_slot(self, name: str) -> _Names | None:
        """Places that a slot takes; None for all."""
        draw = self._random
        groups = [one['name'] for one in self._classes if 'members' in one]
        roll = draw.random()
        if roll < 0.2 and groups:
            return _Names((groups[0],), draw.choice(_Names.WAYS))
        if roll < 0.35:
            some = draw.sample(self._places, draw.randint(1, len(self._places)))
            return _Names(tuple(some), draw.choice(_Names.WAYS))
        return None

    def _slots_for(self, kind: str) -> list[tuple[str, Any]]:
        """Names of slots, with what the file says of each; None where it says nothing."""
        draw = self._random
        thing: tuple[str, Any] = draw.choice((('thing', 'thing'), ('item', 'thing')))
        place: tuple[str, Any] = draw.choice((('place', None), ('spot', 'place')))
        place = place[0], self._place_slot(place[0]) or place[1]
        if kind in ('move', 'take', 'open', 'close', 'switch on', 'switch off'):
            first = place if kind == 'move' or not self._things else thing
            found = [first]
        elif kind == 'put':
            found = [thing, place] if self._things else []
        else:
            count = draw.choice((0, 0, 1, 1, 2, 3, 4))
            pool = [place, self._number(), ('text', None), ('amount', self._number()[1])]
            pool += [thing] if self._things else []
            draw.shuffle(pool)
            found = pool[:count]
            # A text takes whatever follows: it stands last, as people write it.
            found.sort(key=lambda one: one[0] == 'text')
        return found

    def _number(self) -> tuple[str, Any]:
        draw = self._random
        least = draw.choice((0, 1, 10))
        step = draw.choice((1, 5, 10))
        entry = {'number': f'{least}..{least + step * draw.randint(2, 20)}', 'step': step}
        if draw.random() < 0.5:
            entry['unit'] = draw.choice(_UNITS)
        return draw.choice(('count', 'ml')), entry

    def _template(self, slots: Iterable[tuple[str, Any]]) -> str:
        draw = self._random
        verb = self._verb()
        parts = [verb]
        between = ['to', 'with', 'from', 'at', 'for']
        draw.shuffle(between)
        for index, (name, one) in enumerate(slots):
            if index:
                parts.append(between.pop())
            narrow = isinstance(one, _Names) and one.is_in_template
            parts.append(f'<{name}: {one.text}>' if narrow else f'<{name}>')
            if isinstance(one, dict) and 'unit' in one:
                parts.append(one['unit'])
        if len(parts) == 1 and draw.random() < 0.6:
            parts.append(f'{draw.choice(("the", "a"))} {self._unused(self._noun)}')
        return ' '.join(parts)

    def _effects(self, kind: str, slots: list[tuple[str, Any]]) -> list[str]:
        draw = self._random
        names = [name for name, _ in slots]
        if kind in ('move', 'take', 'put', 'open', 'close', 'switch on', 'switch off') and slots:
            for name in self._words:
                if kind in ('open', 'close'):
                    self._words[name] |= {'open', 'closed'}
                if kind in ('switch on', 'switch off'):
                    self._words[name] |= {'on', 'off'}
            return []
        if draw.random() < 0.4:
            return []
        thing = next((name for name in names if name in ('thing', 'item')), '')
        word = draw.choice(_ADJECTIVES)
        number = next((name for name in names if name in ('count', 'ml', 'amount')), '')
        ways: list[str] = []
        if thing:
            ways.append(f'<{thing}> is {word}')
        if self._parts:
            ways.append(f'{self._parts[0]} is {word}')
        if self._numbers and number:
            ways += [f'sets battery to <{number}> %', f'raises battery by <{number}>/10']
        if self._numbers:
            ways.append('raises battery by 5 %')
        if not ways:
            return []
        chosen = draw.choice(ways)
        if chosen.startswith(f'<{thing}>'):
            for name in self._things:
                self._words[name].add(word)
        elif self._parts and chosen.startswith(self._parts[0]):
            self._words[self._parts[0]].add(word)
        return [chosen]

    def _needs(self, kind: str, slots: list[tuple[str, Any]], effects: list[str]) -> list[str]:
        draw = self._random
        if draw.random() < 0.5:
            return []
        names = [name for name, _ in slots]
        # To put something down, a hand is full.
        ways = [] if kind == 'put' else ['hands free']
        place = next((name for name in names if name in ('place', 'spot')), '')
        thing = next((name for name in names if name in ('thing', 'item')), '')
        if place and kind != 'move':
            ways.append(f'at <{place}>')
        if thing and kind != 'put':
            ways.append(f'<{thing}> in here')
        if self._parts and not any(self._parts[0] in one for one in effects):
            word = draw.choice(_ADJECTIVES)
            self._words[self._parts[0]].add(word)
            state = [f'{self._parts[0]} is {word}', f'not {self._parts[0]} is {word}']
            if len(self._places) > 1:
                state.append(f'{self._parts[0]} is {word} or at {self._places[0]}')
            ways.append(draw.choice(state))
        if self._numbers and not any('battery' in one for one in effects):
            ways.append(draw.choice(('battery > 20 %', 'battery between 10 and 90 %')))
            for name, one in slots:
                if isinstance(one, dict) and int(one['number'].partition('..')[2]) <= 100:
                    ways.append(f'battery >= <{name}> %')
        chosen = draw.sample(ways, min(len(ways), draw.choice((1, 1, 2))))
        # The robot is at one place at a time.
        spots = [one for one in chosen if one.startswith('at ') or ' or at ' in one]
        return [one for one in chosen if one not in spots[1:]]

    # State ------------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        state = self._sources()
        for part, (first, second) in self._switches.items():
            state.setdefault('facts', []).append(
                {
                    'topic': f'/switch_{len(state["facts"])}',
                    'type': 'std_msgs/msg/Bool',
                    'name': part,
                    'state': '{data}',
                    'words': {'true': first, 'false': second},
                }
            )
        sources = [state['place'], state['held'], *state.get('facts', ())]
        for source in (*sources, *state.get('numbers', {}).values()):
            if self._random.random() < 0.4:
                source['age'] = self._random.choice(('300 ms', '2 s', '10 s'))
        return state

    def _sources(self) -> dict[str, Any]:
        state: dict[str, Any] = {
            'place': {'topic': '/where', 'type': 'std_msgs/msg/String', 'field': 'data'},
            'held': {'topic': '/held', 'type': 'std_msgs/msg/String', 'field': 'data'},
        }
        if self._words:
            state['facts'] = [
                {
                    'topic': '/things',
                    'type': 'made_up_msgs/msg/Things',
                    'field': 'things',
                    'name': '{name}',
                    'place': '{place}',
                    'state': '{state}',
                    'whole': 'everywhere',
                }
            ]
        if self._numbers:
            state['numbers'] = {
                'battery': {
                    'topic': '/battery',
                    'type': 'std_msgs/msg/Float32',
                    'field': 'data',
                    'unit': '%',
                    'words': {'low': '< 20 %'},
                }
            }
        return state
