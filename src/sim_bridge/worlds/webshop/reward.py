"""What a purchase is worth (Yao et al., WebShop, section 3): attributes, options, price, kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rapidfuzz.fuzz import token_set_ratio
from rapidfuzz.utils import default_process

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.webshop.catalogue import Goal, Product
from sim_bridge.worlds.webshop.search import STOP_WORDS, words_in

WORDS, SPACY = 'words', 'spacy'
#: Texts are the same from here on, of 100.
_ALIKE = 85
_SPACY_MODEL = 'en_core_web_sm'
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
#: The first that stands in an option, in this order, is all that is compared of it. These are the
#: words that the published reward knows (web_agent_site/engine/normalize.py).
COLORS = words_in(
    'alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze brown '
    'burgundy camel camo caramel champagne charcoal cheetah chestnut chocolate christmas coffee '
    'cognac copper coral cranberry cream crystal dark denim eggplant elephant espresso fuchsia '
    'gold granite grape graphite grass gray green grey heather indigo ivory ivy khaki lavender '
    'lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha multicolor '
    'mushroom mustard natural navy nude olive orange peach pewter pink plum purple rainbow red '
    'rose royal rust sand sapphire seashell silver skull slate steel stone stonewash sunflower '
    'tan taupe teal tiger turquoise violet walnut wheat white wine yellow'
)

#: A title -> what its kind is given by.
Nouns = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Reward:
    """What holds of a purchase.

    :param attributes: of the goal, each met or not. :param options: the same.
    :param price: whether it is within the bound. :param kind: factor for the kind of product:
        1, 0.5, 0.1 or 0.
    """

    attributes: tuple[bool, ...]
    options: tuple[bool, ...]
    price: bool
    kind: float

    @property
    def value(self) -> float:
        """0..1."""
        met = sum(self.attributes) + sum(self.options) + self.price
        return self.kind * met / (len(self.attributes) + len(self.options) + 1)


def reward_of(product: Product, chosen: Sequence[str], goal: Goal, nouns: Nouns) -> Reward:
    """Judge a purchase.

    :param chosen: values of the options that were clicked.
    """
    bought = [color_or_all(value) for value in chosen]
    return Reward(
        tuple(_has_attribute(product, attribute) for attribute in goal.attributes),
        tuple(any(_alike(value, color_or_all(each)) for value in bought) for each in goal.options),
        product.price <= goal.price_upper,
        _kind_factor(product, goal.product, nouns),
    )


def color_or_all(option: str) -> str:
    """The first color that stands in an option, also within a word; else the whole option."""
    return next((color for color in COLORS if color in option), option)


def fitting_value(wanted: str, values: Iterable[str]) -> str | None:
    """Of the values of an option the one that a goal means; None without one."""
    found = [value for value in values if _alike(color_or_all(value), color_or_all(wanted))]
    return wanted if wanted in found else next(iter(found), None)


def _has_attribute(product: Product, attribute: str) -> bool:
    if any(_alike(known, attribute) for known in product.attributes):
        return True
    texts = product.title, ' '.join(product.bullets), product.description
    return any(attribute in text.lower() for text in texts)


def _kind_factor(product: Product, wanted: Product, nouns: Nouns) -> float:
    needed = nouns(wanted.title)
    common = set(needed) & set(nouns(product.title))
    share = len(common) / len(needed) if needed else 0.2
    same_category = len(set(product.categories) & set(wanted.categories)) >= 2
    if share == 0.0:
        return 0.0
    if share < 0.1:
        return 0.1
    return 1.0 if product.query == wanted.query or same_category or share > 0.2 else 0.5


def _alike(left: str, right: str) -> bool:
    # Rounded, and without other letters than ASCII, as thefuzz does.
    return round(token_set_ratio(_plain(left), _plain(right))) > _ALIKE


@lru_cache(maxsize=65_536)
def _plain(text: str) -> str:
    return default_process(text.encode('ascii', 'ignore').decode())


def words_of(title: str) -> list[str]:
    """All words of a title but stop words and numbers, in place of its nouns."""
    words = _WORD.findall(title.lower())
    return [word for word in words if word not in STOP_WORDS and not word.isdigit()]


def nouns_by(name: str) -> Nouns:
    """How the kind of a product is given by its title.

    :param name: `words`, or `spacy` where it and its English model are installed.
    :raises ConfigurationError: no such way, or it is not installed.
    """
    if name == WORDS:
        return words_of
    if name != SPACY:
        raise ConfigurationError(f'nouns must be {WORDS} or {SPACY}, not {name!r}')
    return _spacy_nouns()


@lru_cache(maxsize=1)
def _spacy_nouns() -> Nouns:
    try:
        import spacy

        parse: Any = spacy.load(_SPACY_MODEL)
    except (ImportError, OSError) as error:
        raise ConfigurationError(
            f'nouns: spacy needs spaCy and its model {_SPACY_MODEL}: pip install spacy, then '
            f'python -m spacy download {_SPACY_MODEL}; or take nouns: {WORDS}'
        ) from error

    @lru_cache(maxsize=4096)
    def nouns(title: str) -> list[str]:
        return [word.text.lower() for word in parse(title) if word.pos_ in ('NOUN', 'PROPN')]

    return nouns
