"""The catalogue that comes with this world: invented brands, 20 kinds of 50 products, 2,000 goals.

A kind has ten models. Of each there are the model itself and four near misses: one lacks an
attribute, one the usual options, one is dearer, and one has another noun. Everything follows from
`kinds.txt` and a fixed seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from random import Random

from reactree_core.written_files import read_text
from sim_bridge.worlds.webshop.catalogue import Catalogue, drawn_price, Product, Wish
from sim_bridge.worlds.webshop.search import words_in

_SEED = 20
_MODELS = 10
_WISHES = 2
_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789'
_BRANDS = words_in(
    'Alderfen Brisko Calderwick Dunmarra Elvestad Farnholm Gullvik Harrowmint Isenbrook Jarvale '
    'Kestoria Lumarra Mellowark Norrfeld Ostrava-Lane Pellworth Quillon Rovenna Skarholt Tindra '
    'Umbrello Varnfield Wexmoor Yarrowby Zellmark'
)
_MODEL_NAMES = words_in(
    'Arc Birch Cove Dale Ember Fjord Grove Haze Inlet Juniper Knoll Lark Mere North Orbit Pine '
    'Quartz Ridge Spruce Tarn'
)
_WORDINGS = (
    'i am looking for {noun} that is {attributes}{options}',
    'i need {noun}. it should be {attributes}{options}',
    'please find {noun} for me, {attributes}{options}',
    'i would like to buy {noun} which is {attributes}{options}',
)
_CLAIMS = (
    'That is what one expects of a good one.',
    'Tested for a year in our workshop.',
    'This is what buyers asked us for.',
    'Made for every day.',
    'So it was with the first of its line.',
)
#: Share of products that are sold from one price to another.
_RANGES = 0.1
_HIGHEST_PRICE = 400.0


@dataclass(frozen=True, slots=True)
class Kind:
    """What products of one kind are made of; see kinds.txt."""

    query: str
    nouns: tuple[str, ...]
    category: tuple[str, ...]
    prices: tuple[float, float]
    attributes: tuple[str, ...]
    options: tuple[tuple[str, tuple[str, ...]], ...]
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Model:
    """One product before it has its texts."""

    brand: str
    name: str
    noun: str
    attributes: tuple[str, ...]
    options: tuple[tuple[str, tuple[str, ...]], ...]
    price: float


def generated_catalogue() -> Catalogue:
    """The catalogue; the same in every process."""
    products = []
    wishes = []
    numbers: set[str] = set()
    for kind in read_kinds():
        random = Random(f'webshop {_SEED} {kind.query}')
        for model in _models(kind, random):
            product = _product(kind, model, _number(random, numbers), random)
            products.append(product)
            wishes += [(product, wish) for wish in _wishes(model, random)]
    return Catalogue(products, wishes)


def read_kinds() -> tuple[Kind, ...]:
    """The kinds of kinds.txt."""
    text = read_text(resources.files(__package__) / 'kinds.txt')
    blocks = [
        [line for line in block.splitlines() if not line.startswith('#')]
        for block in text.split('\n\n')
    ]
    return tuple(_kind(block) for block in blocks if block)


def _kind(lines: Sequence[str]) -> Kind:
    fields = dict(line.split(': ', 1) for line in lines[1:])
    listed = {name: tuple(value.split(', ')) for name, value in fields.items()}
    low, high = map(float, fields['prices'].split())
    return Kind(
        lines[0],
        listed['nouns'],
        listed['category'],
        (low, high),
        listed['attributes'],
        tuple(
            (name.removeprefix('option '), values)
            for name, values in listed.items()
            if name.startswith('option ')
        ),
        tuple(fields['about'].split(' | ')),
    )


def _models(kind: Kind, random: Random) -> Iterator[_Model]:
    brands = random.sample(_BRANDS, _MODELS)
    names = random.sample(_MODEL_NAMES, _MODELS)
    for brand, name in zip(brands, names, strict=True):
        attributes = tuple(random.sample(kind.attributes, random.randint(3, 5)))
        options = tuple(
            (option, tuple(random.sample(values, random.randint(2, max(2, len(values) - 2)))))
            for option, values in kind.options
        )
        low, high = kind.prices
        # Cheap ones are more frequent.
        price = _ending(low + (high - low) * random.random() ** 1.6 * 0.8)
        model = _Model(brand, name, kind.nouns[0], attributes, options, price)
        yield model
        yield replace(
            model, name=f'{name} Basic', attributes=(*attributes[1:], _other(kind, model, random))
        )
        yield replace(
            model,
            name=f'{name} II',
            options=tuple(
                (option, _rest(values, dict(options)[option])) for option, values in kind.options
            ),
        )
        dearer = min(_HIGHEST_PRICE, price * random.uniform(1.6, 2.4))
        yield replace(model, name=f'{name} Plus', price=_ending(dearer))
        yield replace(model, name=f'{name} Duo', noun=random.choice(kind.nouns[1:]))


def _other(kind: Kind, model: _Model, random: Random) -> str:
    return random.choice([one for one in kind.attributes if one not in model.attributes])


def _rest(values: Sequence[str], taken: Sequence[str]) -> tuple[str, ...]:
    """The other values of an option; one at least."""
    return tuple(value for value in values if value not in taken) or tuple(taken[-1:])


def _ending(price: float) -> float:
    """A price as shops write it, e.g. 12.99."""
    return max(5.0, min(_HIGHEST_PRICE, int(price) + (0.5, 0.95, 0.99, 0.0)[int(price * 7) % 4]))


def _number(random: Random, taken: set[str]) -> str:
    while True:
        number = 'B0' + ''.join(random.choices(_LETTERS, k=8))
        if number not in taken:
            taken.add(number)
            return number


def _product(kind: Kind, model: _Model, asin: str, random: Random) -> Product:
    first, second, *others = model.attributes
    title = f'{model.brand} {model.name} {model.noun.title()}, {first.capitalize()} and {second}'
    description = ' '.join(
        (
            f'{model.noun.capitalize()} by {model.brand}, {first}.',
            *random.sample(kind.about, len(kind.about)),
            *(f'Also {attribute}.' for attribute in others[:1]),
        )
    )
    bullets = tuple(
        f'{attribute.capitalize()}. {random.choice(_CLAIMS)}' for attribute in model.attributes
    )
    price, price_text = model.price, f'${model.price}'
    high = round(min(_HIGHEST_PRICE, price * 1.25), 2)
    if random.random() < _RANGES and price < high:
        price, price_text = drawn_price(asin, price, high), f'${price} to ${high}'
    return Product(
        asin,
        title,
        description,
        bullets,
        kind.query,
        kind.category,
        price,
        price_text,
        model.options,
        model.attributes,
    )


def _wishes(model: _Model, random: Random) -> Iterator[Wish]:
    wordings = random.sample(_WORDINGS, _WISHES)
    for index, wording in enumerate(wordings):
        attributes = tuple(random.sample(model.attributes, random.randint(1, 3)))
        named = random.sample(model.options, random.randint(index, len(model.options)))
        options = [(name, random.choice(values)) for name, values in named]
        wanted = ' and '.join(f'{name} {value}' for name, value in options)
        article = 'an' if model.noun[0] in 'aeiou' else 'a'
        plural = model.noun.endswith('s')
        text = wording.format(
            noun=model.noun if plural else f'{article} {model.noun}',
            attributes=' and '.join(attributes),
            options=f', with {wanted}' if wanted else '',
        )
        if plural:
            text = text.replace('that is', 'that are').replace('it should', 'they should')
            text = text.replace('which is', 'which are')
        yield Wish(text, attributes, tuple(value for _, value in options))
