"""Sentences for goals: what somebody might say who wants these things brought there."""

from __future__ import annotations

from collections.abc import Sequence

from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom

_NUMBERS = ('no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten')

# {things}: 'two plates and a fork'; {Things}: the same at the start of a sentence; {be}, {them}:
# agreeing with them; {place}: name of the target.
_DIRECT = {
    'setup_table': (
        'Put {things} on the {place}.',
        'Please set the {place} with {things}.',
        'Take {things} to the {place}.',
        'Could you lay out {things} on the {place}?',
        'Get {things} and place {them} on the {place}.',
        'The {place} needs {things}, please bring {them}.',
        'Lay the {place}: {things}.',
    ),
    'put_fridge': (
        'Put {things} in the {place}.',
        'Store {things} in the {place}.',
        'Please put {things} away in the {place}.',
        'Find {things} and place {them} inside the {place}.',
        'Fill the {place} with {things}.',
        'Could you move {things} into the {place}?',
        'I want {things} in the {place}.',
    ),
    'put_dishwasher': (
        'Put {things} in the {place} and turn it on.',
        'Load the {place} with {things}, then start it.',
        'Please wash {things}: into the {place}, and switch it on.',
        'Gather {things} for the {place} and turn the {place} on.',
        'Place {things} inside the {place}, then run it.',
        'Could you fill the {place} with {things} and turn it on?',
    ),
    'prepare_food': (
        'Put {things} on the {place}.',
        'Serve {things} on the {place}.',
        'Please prepare a meal on the {place}: {things}.',
        'Bring {things} to the {place}.',
        'Take {things} and set {them} on the {place}.',
        'Could you have {things} ready on the {place}?',
        'Collect {things} and put {them} down on the {place}.',
    ),
    'prepare_snack': (
        'Put {things} on the {place}.',
        'Bring {things} to the {place}.',
        'Please get me {things} and leave {them} on the {place}.',
        'Make a snack ready on the {place}: {things}.',
        'Carry {things} over to the {place}.',
        'Could you place {things} on the {place}?',
        'I would like {things} on the {place}.',
    ),
}
_INDIRECT = {
    'setup_table': (
        'Dinner starts soon, and {things} {be} still missing on the {place}.',
        'We eat at the {place} tonight and will use {things}.',
        'Guests are on their way. {Things} should be waiting on the {place}.',
    ),
    'put_fridge': (
        '{Things} will not keep outside the {place}.',
        'I am done with the shopping: {things} belong in the {place}.',
        'It is hot today. {Things} had better be in the {place}.',
    ),
    'put_dishwasher': (
        'I want {things} to be clean tonight: into the {place}, and do not forget to turn it on.',
        'The {place} should be running with {things} in it.',
        '{Things} {be} dirty. The {place} can wash {them} now.',
    ),
    'prepare_food': (
        'I am hungry: {things} would be lovely, I will sit at the {place}.',
        'Breakfast at the {place} today means {things}.',
        'When I come to the {place} I hope to find {things}.',
    ),
    'prepare_snack': (
        'I will watch a film soon. {Things} on the {place} would be nice.',
        'Friends are coming over; they will look for {things} on the {place}.',
        'Let me relax at the {place} with {things}.',
    ),
}
_MANY = {'wine': 'bottles of wine', 'juice': 'bottles of juice', 'milk': 'bottles of milk'}

FAMILIES = tuple(_DIRECT)


def word_task(
    dice: SeededRandom, family: str, place: str, things: Sequence[tuple[str, int]]
) -> tuple[str, ...]:
    """Four different sentences for one goal, three plain and one indirect, in any order.

    :param family: one of `FAMILIES`.
    :param place: natural-language name of the target class.
    :param things: (natural-language class name, count), 1 or more of them.
    """
    templates = dice.shuffled(_DIRECT[family])[:3] + dice.shuffled(_INDIRECT[family])[:1]
    sentences = []
    for template in dice.shuffled(templates):
        style = dice.weighted((('article', 4.0), ('word', 2.0), ('digit', 2.0), ('the', 1.0)))
        if style == 'the' and any(count > 1 for _, count in things):
            style = 'article'
        words = list_things(dice.shuffled(things), style)
        several = len(things) > 1 or things[0][1] > 1
        sentence = template.format(
            things=words,
            Things=words[0].upper() + words[1:],
            place=place,
            be='are' if several else 'is',
            them='them' if several else 'it',
        )
        sentences.append(sentence)
    return tuple(sentences)


def list_things(things: Sequence[tuple[str, int]], style: str) -> str:
    """E.g. 'two plates, a mug and an apple'.

    :param style: 'article', 'word' ('one mug'), 'digit' ('1 mug') or 'the' ('the mug').
    """
    parts = [_count_things(name, count, style) for name, count in things]
    return parts[0] if len(parts) == 1 else f'{", ".join(parts[:-1])} and {parts[-1]}'


def _count_things(name: str, count: int, style: str) -> str:
    if count > 1:
        number = str(count) if style == 'digit' or count >= len(_NUMBERS) else _NUMBERS[count]
        return f'{number} {many(name)}'
    if style == 'the':
        return f'the {name}'
    if style == 'digit':
        return f'1 {name}'
    if style == 'word':
        return f'one {name}'
    if name.endswith('s') and not name.endswith('ss'):
        return name
    return f'{"an" if name[0].lower() in "aeiou" else "a"} {name}'


def many(name: str) -> str:
    """Plural of a class name, e.g. 'water glasses'."""
    if name in _MANY:
        return _MANY[name]
    if name.endswith(('s', 'x', 'ch', 'sh')):
        return f'{name}es' if name.endswith(('glass', 'x', 'ch', 'sh')) else name
    return f'{name}s'
