"""Products, and what is wanted of them.

A catalogue is the generated one, or the files that WebShop publishes. Goals are made alike of
both: a wording, attributes, options, and a bound above the price.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.webshop.search import SearchIndex

#: Which of the shuffled goals belong to which part (published).
PARTS = {'test': (0, 500), 'dev': (500, 1500), 'train': (1500, None)}
#: Of a goal without a bound on the price (published).
NO_BOUND = 1_000_000.0
_BOUNDS = [10.0 * ten for ten in range(1, 100)]
#: Of the published shuffle.
_SHUFFLE_SEED = 233


@dataclass(frozen=True, slots=True)
class Product:
    """Something that is sold.

    :param asin: its number, at most 10 characters. :param bullets: its features, one by one.
    :param query: words by which its kind was found. :param categories: from wide to narrow.
    :param price: dollars, by which purchases are judged. :param price_text: as it is shown.
    :param options: name and values of each choice.
    """

    asin: str
    title: str
    description: str
    bullets: tuple[str, ...]
    query: str
    categories: tuple[str, ...]
    price: float
    price_text: str
    options: tuple[tuple[str, tuple[str, ...]], ...]
    attributes: tuple[str, ...]

    @property
    def text(self) -> str:
        """What the search reads."""
        options = ', and '.join(f'{name}: {", ".join(values)}' for name, values in self.options)
        return ' '.join([self.title, self.description, *self.bullets[:1], options]).lower()


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody writes who wants a product.

    :param text: without the bound on the price.
    """

    text: str
    attributes: tuple[str, ...]
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be bought.

    :param product: what was in mind; others may do as well.
    :param price_upper: dollars; `NO_BOUND` for none.
    """

    product: Product
    instruction: str
    attributes: tuple[str, ...]
    options: tuple[str, ...]
    price_upper: float


def goal_of(product: Product, wish: Wish) -> Goal:
    """A goal with a bound above the price, of the four next tens, always the same of a wish."""
    above = [bound for bound in _BOUNDS if bound > product.price][:4]
    price_upper, text = NO_BOUND, ''
    if len(above) >= 2:
        random = Random(f'webshop bound {product.asin} {wish.text}')
        price_upper = max(random.sample(above, 2))
        text = f', and price lower than {price_upper:.2f} dollars'
    instruction = wish.text.strip('.') + text
    return Goal(product, instruction, wish.attributes, wish.options, price_upper)


def drawn_price(asin: str, low: float, high: float) -> float:
    """The price of a product that is sold from one price to another, always the same."""
    return Random(f'webshop price {asin}').uniform(low, high)


class Catalogue:
    """Products, their search and the goals, in the published order.

    :param products: of each number the first counts. :param wishes: in the order of the products.
    """

    def __init__(
        self, products: Iterable[Product], wishes: Iterable[tuple[Product, Wish]]
    ) -> None:
        self.by_asin: dict[str, Product] = {}
        for product in products:
            self.by_asin.setdefault(product.asin, product)
        self.products = tuple(self.by_asin.values())
        goals = [goal_of(product, wish) for product, wish in wishes if wish.attributes]
        Random(_SHUFFLE_SEED).shuffle(goals)
        self.goals: Sequence[Goal] = tuple(goals)

    @cached_property
    def index(self) -> SearchIndex:
        """The search over all products."""
        return SearchIndex(product.text for product in self.products)

    def goal(self, part: str, number: int) -> Goal:
        """A goal of a part, counted from 0 and around.

        :param part: one of `PARTS`.
        :raises ConfigurationError: the catalogue has no goals of that part.
        """
        first, end = PARTS[part]
        goals = self.goals[first:end]
        if not goals:
            last = len(self.goals) - 1
            raise ConfigurationError(
                f'this catalogue has {last + 1} goals, none of the part {part}, which begins at '
                f'{first}: '
                + (f'write test:0 to test:{min(last, 499)}' if self.goals else 'take another')
            )
        return goals[number % len(goals)]
