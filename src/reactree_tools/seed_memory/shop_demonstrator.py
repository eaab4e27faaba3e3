"""The demonstrator of WebShop: searches, compares, chooses and buys."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sim_bridge.worlds.webshop.pages import BUY, PageKind
from sim_bridge.worlds.webshop.world import WebShopWorld


class ShopDemonstrator:
    """Searches for what is wanted by its kind and properties, and buys the first that is right.

    It gives up where that is none of those whose titles and prices stand on the page.

    :param world: with its task.
    """

    _FIND = re.compile(r'find .* and open its page$')
    _CHOOSE = re.compile(r'choose .* on the page of the product$')
    _BUY = 'buy the product that is open'

    def __init__(self, world: WebShopWorld) -> None:
        self._world = world
        goal = world.goal
        noun = re.search(
            r'(?:for|need|find|buy) (.+?)(?: that (?:is|are)| which| for me|\.)',
            goal.instruction,
        )
        self._kind = noun[1] if noun else goal.product.query
        self._bound = f'{goal.price_upper:.2f} dollars'

    def thought(self, goal: str) -> str:
        """What is wanted, and what is done next."""
        wanted = self._world.goal
        properties = ' and '.join(wanted.attributes)
        if self._CHOOSE.match(goal):
            return 'I click each of these values, and nothing else.'
        if goal.startswith(self._BUY):
            return 'It fits and its options are chosen, so I buy it.'
        said = f'I need {self._kind}, {properties}, for less than {self._bound}'
        if self._FIND.match(goal):
            return f'{said}. I search by kind and properties, and compare titles and prices.'
        options = ' and '.join(wanted.options)
        if not options:
            return f'{said}. First I find it, then I buy it.'
        return f'{said}. First I find it, then I choose {options}, then I buy it.'

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """To find it, to choose its options and to buy it."""
        if self._FIND.match(goal) or self._CHOOSE.match(goal) or goal.startswith(self._BUY):
            return ()
        wanted = self._world.goal
        properties = ' and '.join(wanted.attributes)
        options = ' and '.join(wanted.options)
        return (
            f'find {self._kind} that is {properties} for less than {self._bound} '
            'and open its page',
            *([f'choose {options} on the page of the product'] if options else []),
            self._BUY,
        )

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of one part."""
        found = self._world.page.kind is PageKind.ITEM
        if self._FIND.match(goal):
            return '' if found else self._next()
        if self._CHOOSE.match(goal):
            return self._next() if self._world.options_for_goal(self._world.page) else ''
        return self._next()

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of the whole task."""
        return self._next()

    def _next(self) -> str:
        world = self._world
        goal, page = world.goal, world.page
        if page.kind is PageKind.INIT:
            kind = re.sub('^an? ', '', self._kind)
            return f'search[{kind} {" ".join(goal.attributes)}]'
        if page.kind is PageKind.RESULTS:
            text = world.observe().text
            shown = [one.asin for one in world.shop.results(page) if one.title in text]
            return next((f'click[{asin}]' for asin in shown if self._fits(asin)), 'failure')
        left = world.options_for_goal(page)
        return f'click[{left[0]}]' if left else f'click[{BUY}]'

    def _fits(self, asin: str) -> bool:
        """Whether a product on a page of results, with the options that are wanted, is right."""
        page = self._world.shop.clicked(self._world.page, asin)
        return self._world.reward(self._world.with_options(page)).value == 1.0
