"""Sentences that forbid, made by a grammar of leads, acts, nouns and endings.

Each comes with a skill that it forbids. Half of the nouns are names of the server; the other half
are synonyms, kinds, and nouns that nothing here is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

from reactree_core.observation import ObjectFact, Vocabulary
from reactree_core.skill_types import SkillKind, SkillType

HOUSE = Vocabulary(
    (),
    ('apple', 'milk', 'book', 'cutlery knife', 'mug'),
    ('fridge', 'sofa', 'tv', 'kitchen table', 'closet', 'dishwasher'),
    ('kitchen', 'bathroom', 'bedroom'),
    (
        SkillType('go to <place>', kind=SkillKind.MOVE),
        SkillType('pick up <thing>', kind=SkillKind.TAKE),
        SkillType('put <thing> on <place>', kind=SkillKind.PUT),
        SkillType('open <place>', kind=SkillKind.OPEN),
        SkillType('close <place>', kind=SkillKind.CLOSE),
        SkillType('switch on <place>', kind=SkillKind.SWITCH_ON),
        SkillType('switch off <place>', kind=SkillKind.SWITCH_OFF),
    ),
)
#: The apple and the milk lie in the fridge, the book in the closet.
FACTS = {
    one.name: one
    for one in (
        ObjectFact('apple', 1, 'kitchen', 'fridge 1'),
        ObjectFact('milk', 1, 'kitchen', 'fridge 1'),
        ObjectFact('book', 1, 'bedroom', 'closet 1'),
        ObjectFact('mug', 1, 'kitchen', 'kitchen table 1'),
        ObjectFact('cutlery knife', 1, 'kitchen', 'kitchen table 1'),
        ObjectFact('fridge', 1, 'kitchen'),
        ObjectFact('closet', 1, 'bedroom'),
        ObjectFact('sofa', 1, 'bedroom'),
        ObjectFact('tv', 1, 'bedroom'),
        ObjectFact('dishwasher', 1, 'kitchen'),
        ObjectFact('kitchen table', 1, 'kitchen'),
    )
}
#: Before a bare verb.
_LEADS = (
    'Do not {}', "Don't {}", 'Never {}', 'You must not {}', 'You may not {}', 'Please do not {}',
    'Make sure not to {}', 'Under no circumstances {}', 'I forbid you to {}',
    'You are not allowed to {}', "I don't want you to {}", 'Take care not to {}',
    'It is forbidden to {}', 'Do not ever {}', "Don't you dare {}", 'You should never {}',
    'In no case {}', 'Be careful that you do not {}', 'Try not to {}', 'Just do not {}',
)  # fmt: skip
#: Before a gerund.
_GERUND_LEADS = (
    'Avoid {}', 'Refrain from {}', 'No {}', 'There will be no {}', 'I forbid {}',
    'Abstain from {}', 'Do it without {}', '{} is forbidden', '{} is not allowed',
    'Stay away from {}', 'Stop short of {}',
)  # fmt: skip
#: Base, gerund, and the skill that it is about; the noun is that of a piece of furniture.
_ACTS = (
    ('open {}', 'opening {}', 'open {} 1'),
    ('go to {}', 'going to {}', 'go to {} 1'),
    ('go near {}', 'going near {}', 'open {} 1'),
    ('touch {}', 'touching {}', 'open {} 1'),
    ('use {}', 'using {}', 'switch on {} 1'),
    ('turn on {}', 'turning on {}', 'switch on {} 1'),
    ('switch {} on', 'switching {} on', 'switch on {} 1'),
    ('shut {}', 'shutting {}', 'close {} 1'),
    ('put anything in {}', 'putting anything in {}', 'put mug 1 on {} 1'),
    ('place the mug on {}', 'placing the mug on {}', 'put mug 1 on {} 1'),
    ('mess with {}', 'messing with {}', 'open {} 1'),
    ('unlatch {}', 'unlatching {}', 'open {} 1'),
    ('fumble around with {}', 'fumbling around with {}', 'open {} 1'),
    ('have anything to do with {}', 'having anything to do with {}', 'open {} 1'),
)
#: The same about what lies in the furniture, and is taken out of it.
_TAKING = (
    ('take anything out of {}', 'taking anything out of {}'),
    ('remove anything from {}', 'removing anything from {}'),
    ('get things from {}', 'getting things from {}'),
)
#: Acts with a thing.
_HANDLING = (
    ('take {}', 'taking {}'),
    ('pick {} up', 'picking {} up'),
    ('grab {}', 'grabbing {}'),
    ('move {}', 'moving {}'),
    ('touch {}', 'touching {}'),
    ('lay a hand on {}', 'laying a hand on {}'),
    ('swipe {}', 'swiping {}'),
)
_ENTERING = (
    ('enter {}', 'entering {}'),
    ('go into {}', 'going into {}'),
    ('set foot in {}', 'setting foot in {}'),
    ('wander into {}', 'wandering into {}'),
)
#: Nouns and what they are here; '' for what nothing here is.
_FURNITURE = (('the fridge', 'fridge'), ('the closet', 'closet'))
_LIKE_FURNITURE = (
    ('the refrigerator', 'fridge'), ('the icebox', 'fridge'), ('the wardrobe', 'closet'),
    ('any appliance', 'fridge'), ('that contraption', ''), ('the aquarium', ''),
)  # fmt: skip
_THINGS = (('the apple', 'apple'), ('the book', 'book'), ('the mug', 'mug'))
_LIKE_THINGS = (
    ('any fruit', 'apple'), ('the cup', 'mug'), ('the novel', 'book'), ('the tome', 'book'),
    ('the heirloom', ''),
)  # fmt: skip
_ROOMS = (('the bathroom', 'bathroom'), ('the bedroom', 'bedroom'))
_LIKE_ROOMS = (('the sleeping room', 'bedroom'), ('the bath', 'bathroom'), ('the cellar', ''))
_ENDINGS = (
    '',
    '',
    ' please',
    ' under any circumstances',
    ' at all',
    ', whatever happens',
    ' today',
)
_TASKS = ('Put the mug on the sofa', 'Bring the mug to the kitchen table', 'Find the mug')


@dataclass(frozen=True)
class Forbidding:
    """A text that forbids. :param skill: that it forbids; '' where its noun is nothing here."""

    text: str
    skill: str


def _bare() -> Iterator[tuple[str, str, str, str, bool]]:
    """Base, gerund, noun, skill, and whether the noun is a name of the server."""
    for nouns, known in ((_FURNITURE, True), (_LIKE_FURNITURE, False)):
        for (base, gerund, skill), (noun, name) in product(_ACTS, nouns):
            yield base, gerund, noun, skill.format(name) if name else '', known
        inner = {'fridge': 'pick up apple 1', 'closet': 'pick up book 1', '': ''}
        for (base, gerund), (noun, name) in product(_TAKING, nouns):
            yield base, gerund, noun, inner[name], known
    for acts, pairs, form in (
        (_HANDLING, ((_THINGS, True), (_LIKE_THINGS, False)), 'pick up {} 1'),
        (_ENTERING, ((_ROOMS, True), (_LIKE_ROOMS, False)), 'go to {}'),
    ):
        for nouns, known in pairs:
            for (base, gerund), (noun, name) in product(acts, nouns):
                yield base, gerund, noun, form.format(name) if name else '', known


def forbidding(count: int, seed: int = 20261) -> tuple[Forbidding, ...]:
    """Some of the sentences, half of them with a noun that is no name of the server."""
    rng = Random(seed)
    every = list(_bare())
    found = []
    for number in range(count):
        known = number % 2 == 0
        base, gerund, noun, skill, _ = rng.choice([one for one in every if one[4] is known])
        lead = rng.choice((*_LEADS, *_GERUND_LEADS))
        act = (gerund if lead in _GERUND_LEADS else base).format(noun)
        ban = lead.format(act) + rng.choice(_ENDINGS)
        ban = ban[:1].upper() + ban[1:]
        task = rng.choice(_TASKS)
        lowered = ban[:1].lower() + ban[1:]
        text = rng.choice((f'{task}. {ban}.', f'{ban}. {task}.', f'{task}, but {lowered}.'))
        found.append(Forbidding(text, skill))
    return tuple(found)


def asking(count: int, seed: int = 20262) -> Iterator[tuple[str, str]]:
    """Polite questions and "not from" sentences, each with the condition that it asks for."""
    rng = Random(seed)
    polite = (
        "Can't you {}?", "Couldn't you {}?", "Won't you {}?", "Wouldn't you {}?",
        'Would you mind {ing}?', 'Do you mind {ing}?', "Why don't you {}?", 'Why not {}?',
        "Don't forget to {}.", 'Never forget to {}.', "Don't hesitate to {}.",
        "Wouldn't it be nice to {}?", 'If you do not mind, {}.', 'No rush, but {}.',
        "You can't go wrong if you {}.",
    )  # fmt: skip
    not_from = (
        'Put the mug from the kitchen table, not from the closet, {there}.',
        'Put the mug {there}, but not the one from the closet.',
        'Not from the closet but from the kitchen table, put the mug {there}.',
    )
    acts = (
        ('put the {thing} {there}', 'putting the {thing} {there}'),
        ('bring the {thing} {to}', 'bringing the {thing} {to}'),
    )
    places = (
        ('sofa', 'on the sofa', 'to the sofa'),
        ('fridge', 'into the fridge', 'to the fridge'),
    )
    for number in range(count):
        thing = rng.choice(('mug', 'apple', 'book'))
        place, there, to = rng.choice(places)
        if number % 4 == 3:
            yield rng.choice(not_from).format(there=there), f'mug in {place}'
            continue
        base, gerund = (one.format(thing=thing, there=there, to=to) for one in rng.choice(acts))
        told = rng.choice(polite)
        yield told.replace('{ing}', gerund).replace('{}', base), f'{thing} in {place}'
