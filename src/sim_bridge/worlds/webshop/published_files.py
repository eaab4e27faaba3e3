"""Reads the files that WebShop publishes: products, their attributes, and people's instructions.

They hold what was found on a shop's pages. Types and lengths are checked, and every text becomes
one line of letters that can be shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field

from reactree_core.errors import ConfigurationError
from reactree_core.written_files import read_file, Written
from sim_bridge.worlds.webshop.catalogue import Catalogue, drawn_price, Product, Wish

_INSTRUCTIONS = 'items_human_ins.json'
#: Products -> their attributes; the small set first, as in the published program.
_FILES = {
    'items_shuffle_1000.json': 'items_ins_v2_1000.json',
    'items_shuffle.json': 'items_ins_v2.json',
}
#: The whole set has 5 GB or so.
_LARGEST_FILE = 8 * 1024**3
_LONGEST_NUMBER = 10
_USUAL_PRICE = 100.0
_PRICE = re.compile(r'\$\s*(\d[\d,]*(?:\.\d+)?|\.\d+)')
_SEPARATOR = '›'
#: Dollars beyond which a price is a mistake.
_HIGHEST_PRICE = 1e9

_Name = Annotated[str, Field(max_length=1_000)]
_Text = Annotated[str, Field(max_length=100_000)]


class _File(Written):
    model_config = ConfigDict(extra='ignore')


class _Value(_File):
    value: _Name


class _Product(_File):
    asin: _Name
    name: _Text
    full_description: _Text | None = None
    small_description: Annotated[list[_Text | None], Field(max_length=1_000)] | _Text | None = None
    pricing: _Name | None = None
    product_category: _Name = ''
    query: _Name = ''
    customization_options: (
        dict[_Name, Annotated[list[_Value], Field(max_length=5_000)] | None]
        | Annotated[list[_Value], Field(max_length=0)]
        | _Text
        | None
    ) = None


class _Attributes(_File):
    attributes: Annotated[tuple[_Name, ...], Field(max_length=1_000, strict=False)] = ()


class _Instruction(_File):
    instruction: _Text
    instruction_attributes: Annotated[tuple[_Name, ...], Field(max_length=100, strict=False)] = ()
    instruction_options: (
        Annotated[tuple[_Name, ...], Field(max_length=100, strict=False)] | dict[_Name, _Name]
    ) = ()


def read_catalogue(place: Path) -> Catalogue:
    """The products and goals of a folder.

    :param place: the folder, or its file of products.
    :raises ConfigurationError: a file is missing or broken; names it, the item, and what to do.
    """
    folder, products_file = _found(place)
    written = read_file(
        products_file, list[_Product], form='must be a list of products', largest=_LARGEST_FILE
    )
    attributes = read_file(
        _needed(folder, _FILES[products_file.name]),
        dict[str, _Attributes],
        form='must map the numbers of products to their "attributes"',
        largest=_LARGEST_FILE,
    )
    instructions = read_file(
        _needed(folder, _INSTRUCTIONS),
        dict[str, list[_Instruction]],
        form='must map the numbers of products to lists of instructions',
        largest=_LARGEST_FILE,
    )
    products: dict[str, Product] = {}
    for index, entry in enumerate(written, 1):
        if entry.asin == 'nan' or len(entry.asin) > _LONGEST_NUMBER or entry.asin in products:
            continue
        known = attributes.get(entry.asin)
        products[entry.asin] = _product(
            entry, known.attributes if known else (), f'{products_file}, product {index}'
        )
    wishes = [
        (product, _wish(instruction))
        for asin, product in products.items()
        for instruction in instructions.get(asin, ())
    ]
    catalogue = Catalogue(products.values(), wishes)
    if not catalogue.goals:
        raise ConfigurationError(
            f'{folder / _INSTRUCTIONS} has no instruction for any of the {len(products)} products '
            f'of {products_file.name}: take files of the same set'
        )
    return catalogue


def _found(place: Path) -> tuple[Path, Path]:
    if place.is_file() and place.name in _FILES:
        return place.parent, place
    for name in _FILES:
        if (place / name).is_file():
            return place, place / name
    raise ConfigurationError(
        f'there is no catalogue {str(place)!r}: write generated, or the path of a folder with '
        f'{" or ".join(_FILES)}, the attributes beside it and {_INSTRUCTIONS}'
    )


def _needed(folder: Path, name: str) -> Path:
    file = folder / name
    if not file.is_file():
        raise ConfigurationError(
            f'{folder} has no {name}: put the file of the same set there, as WebShop publishes it'
        )
    return file


def _product(entry: _Product, attributes: Sequence[str], where: str) -> Product:
    asin = _line(entry.asin)
    if not asin or asin != entry.asin or set('[]') & set(asin):
        raise ConfigurationError(
            f'{where}: "asin" must be up to 10 letters and digits, not {entry.asin!r}: '
            'correct or remove it'
        )
    bullets = entry.small_description
    price, price_text = _price(entry.pricing or '', asin, where)
    return Product(
        asin,
        _line(entry.name),
        _line(entry.full_description or ''),
        tuple(_line(text or '') for text in (bullets if isinstance(bullets, list) else [bullets])),
        _line(entry.query).lower(),
        tuple(part.strip() for part in _line(entry.product_category).split(_SEPARATOR)),
        price,
        price_text,
        _options(entry),
        tuple(map(_line, attributes)),
    )


def _options(entry: _Product) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: dict[str, tuple[str, ...]] = {}
    options = entry.customization_options
    for name, values in (options if isinstance(options, dict) else {}).items():
        if values is not None:
            texts = (_line(one.value).replace('/', ' | ').lower() for one in values)
            found[_line(name).lower()] = tuple(dict.fromkeys(filter(None, texts)))
    return tuple(found.items())


def _price(text: str, asin: str, where: str) -> tuple[float, str]:
    """What a purchase is judged by, and what is shown."""
    prices = [float(number.replace(',', '')) for number in _PRICE.findall(text)][:2]
    if not prices:
        return _USUAL_PRICE, f'${_USUAL_PRICE}'
    if max(prices) > _HIGHEST_PRICE:
        raise ConfigurationError(f'{where}: "pricing" is no price: {text[:40]!r}: correct it')
    if len(prices) == 1:
        return prices[0], f'${prices[0]}'
    return drawn_price(asin, *prices), f'${prices[0]} to ${prices[1]}'


def _wish(instruction: _Instruction) -> Wish:
    options = instruction.instruction_options
    values = options.values() if isinstance(options, dict) else options
    return Wish(
        _line(instruction.instruction),
        tuple(map(_line, instruction.instruction_attributes)),
        tuple(map(_line, values)),
    )


def _line(text: str) -> str:
    """A text on one line, without letters that cannot be shown."""
    return ''.join(letter for letter in ' '.join(text.split()) if letter.isprintable())
