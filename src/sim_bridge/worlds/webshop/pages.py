"""The pages of the shop: which there are, what can be clicked on them, and how they read.

A page is a value, so that a snapshot is the page itself. Texts come in two forms: `text` as in
ReAct, Reflexion and ADaPT, `sep` as in the published package.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from reactree_core.observation import Outline
from sim_bridge.worlds.webshop.catalogue import Catalogue, Product
from sim_bridge.worlds.webshop.search import PAGE_SIZE

BACK, PREVIOUS, NEXT, BUY = 'Back to Search', '< Prev', 'Next >', 'Buy Now'
DESCRIPTION, FEATURES, REVIEWS, ATTRIBUTES = 'Description', 'Features', 'Reviews', 'Attributes'
SCORE = 'Your score (min 0.0, max 1.0)'
TEXT, SEP = 'text', 'sep'
_SEPARATOR = ' [SEP] '


class PageKind(Enum):
    """What a page shows; the names are the published ones."""

    INIT = 'init'
    RESULTS = 'search'
    ITEM = 'item'
    PART = 'item_sub'
    END = 'end'


@dataclass(frozen=True, slots=True)
class Page:
    """Where somebody is in the shop.

    :param query: of the results, also while one of them is looked at. :param number: of the page
        of results, from 1. :param chosen: name and value of the options that were clicked.
    :param part: of a product, e.g. `Features`. :param score: on the last page, 0..1.
    """

    kind: PageKind = PageKind.INIT
    query: str = ''
    number: int = 1
    asin: str = ''
    chosen: tuple[tuple[str, str], ...] = ()
    part: str = ''
    score: float = 0.0


class Shop:
    """The pages of a catalogue.

    :param attributes: whether products have a page of their attributes.
    """

    def __init__(self, catalogue: Catalogue, attributes: bool = False) -> None:
        self.catalogue = catalogue
        self._parts = (DESCRIPTION, FEATURES, REVIEWS, *([ATTRIBUTES] if attributes else []))
        self._hits = lru_cache(maxsize=64)(catalogue.index.hits)

    def product(self, page: Page) -> Product:
        """What an item page shows."""
        return self.catalogue.by_asin[page.asin]

    def total(self, page: Page) -> int:
        """How many results its search has."""
        return len(self._hits(page.query))

    def results(self, page: Page) -> tuple[Product, ...]:
        """The products of one page of results."""
        first = (page.number - 1) * PAGE_SIZE
        found = self._hits(page.query)[first : first + PAGE_SIZE]
        return tuple(self.catalogue.products[index] for index in found)

    def buttons(self, page: Page) -> tuple[str, ...]:
        """What can be clicked, in the order of the page; the search is none of it."""
        match page.kind:
            case PageKind.RESULTS:
                before = (PREVIOUS,) if page.number > 1 else ()
                return (BACK, *before, NEXT, *(one.asin for one in self.results(page)))
            case PageKind.ITEM:
                values = (value for _, each in self.product(page).options for value in each)
                return tuple(dict.fromkeys((BACK, PREVIOUS, *values, *self._parts, BUY)))
            case PageKind.PART:
                return BACK, PREVIOUS
        return ()

    def searched(self, query: str) -> Page:
        """The first page of results."""
        return Page(PageKind.RESULTS, query)

    def clicked(self, page: Page, button: str) -> Page:
        """The page behind a button of a page; the last one comes without its score."""
        if button == BACK:
            return Page()
        if button == BUY:
            return replace(page, kind=PageKind.END)
        if page.kind is PageKind.RESULTS:
            if button in (PREVIOUS, NEXT):
                return replace(page, number=page.number + (1 if button == NEXT else -1))
            return replace(page, kind=PageKind.ITEM, asin=button)
        if page.kind is PageKind.PART:
            return replace(page, kind=PageKind.ITEM, part='')
        if button == PREVIOUS:
            return replace(page, kind=PageKind.RESULTS, asin='', chosen=())
        if button in self._parts:
            return replace(page, kind=PageKind.PART, part=button)
        name = self.option_of(page, button)
        others = (choice for choice in page.chosen if choice[0] != name)
        return replace(page, chosen=(*others, (name, button)))

    def option_of(self, page: Page, value: str) -> str:
        """Which option of a product has this value; '' for none."""
        options = self.product(page).options
        return next((name for name, values in options if value in values), '')

    def part_lines(self, page: Page) -> tuple[str, ...]:
        """What a part of a product says; nobody has reviewed anything."""
        product = self.product(page)
        lines = {
            DESCRIPTION: (product.description,),
            FEATURES: product.bullets,
            ATTRIBUTES: product.attributes,
        }
        return tuple(filter(None, lines.get(page.part, ())))

    def text(self, page: Page, instruction: str, titles: int) -> str:
        """A page as in ReAct, Reflexion and ADaPT, a line for each entry.

        :param titles: products of the results whose title and price are shown; of the others
            only the number is.
        """
        return '\n'.join(self._lines(page, instruction, titles))

    def _lines(self, page: Page, instruction: str, titles: int) -> Iterator[str]:
        match page.kind:
            case PageKind.INIT:
                yield from ('WebShop', 'Instruction: ', instruction, '[Search]')
            case PageKind.END:
                yield f'{SCORE}: {page.score}'
            case PageKind.RESULTS:
                yield f'[{BACK}]'
                yield self._headline(page)
                yield from [f'[{PREVIOUS}]'] if page.number > 1 else []
                yield f'[{NEXT}]'
                for place, product in enumerate(self.results(page)):
                    yield f'[{product.asin}]'
                    if place < titles:
                        yield from (product.title, product.price_text)
            case PageKind.ITEM:
                product = self.product(page)
                yield from (f'[{BACK}]', f'[{PREVIOUS}]')
                for name, values in product.options:
                    marked = (
                        f'[[{value}]]' if (name, value) in page.chosen else f'[{value}]'
                        for value in values
                    )
                    yield f'{name} {"".join(marked)}'
                yield from (product.title, f'Price: {product.price_text}', 'Rating: N.A.')
                yield from (f'[{part}]' for part in (*self._parts, BUY))
            case PageKind.PART:
                yield from (f'[{BACK}]', f'[{PREVIOUS}]', *self.part_lines(page))

    def _headline(self, page: Page) -> str:
        return f'Page {page.number} (Total results: {self.total(page)})'

    def outline(self, page: Page) -> Outline:
        """A page for people: products with prices, or a product, its options and the choice."""
        if page.kind is PageKind.INIT:
            return Outline('Search')
        if page.kind is PageKind.RESULTS:
            found = (Outline(one.title, one.price_text) for one in self.results(page))
            return Outline(f'"{page.query}"', self._headline(page), parts=tuple(found))
        product = self.product(page)
        chosen = dict.fromkeys(page.chosen, 'chosen')
        options = (
            Outline(
                name,
                parts=tuple(
                    Outline(value, chosen.get((name, value), ''), (name, value) in chosen)
                    for value in values
                ),
            )
            for name, values in product.options
        )
        lines = (Outline(line) for line in self.part_lines(page))
        bought = page.kind is PageKind.END
        state = f'bought, score {page.score:.2f}' if bought else product.price_text
        return Outline(product.title, state, page.score >= 1, (*options, *lines))

    def joined_text(self, page: Page, instruction: str) -> str:
        """A page as the published package gives it: all that is visible, between [SEP]."""
        return _SEPARATOR.join(filter(None, self._visible(page, instruction)))

    def _visible(self, page: Page, instruction: str) -> Iterator[str]:
        if page.kind is PageKind.END:
            yield from ('Thank you for shopping with us!', SCORE, str(page.score))
            return
        if page.kind is PageKind.INIT:
            yield from ('WebShop', 'Instruction:', instruction, 'Search')
            return
        yield from ('Instruction:', instruction, BACK)
        if page.kind is PageKind.RESULTS:
            yield self._headline(page)
            yield from [PREVIOUS] if page.number > 1 else []
            yield NEXT
            for product in self.results(page):
                yield from (product.asin, product.title, product.price_text)
            return
        yield PREVIOUS
        if page.kind is PageKind.PART:
            yield from self.part_lines(page)
            return
        product = self.product(page)
        for name, values in product.options:
            yield from (name, *values)
        yield from (product.title, f'Price: {product.price_text}', 'Rating: N.A.')
        yield from (*self._parts, BUY)
