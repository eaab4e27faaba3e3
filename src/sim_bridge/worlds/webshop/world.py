"""WebShop behind the bridge: search, look at products, choose options, buy.

Pages and replies are those of the published agents (ReAct, ADaPT), or of the package (`style`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import (
    Observation,
    Outcome,
    Outline,
    Progress,
    Vocabulary,
    WorldTask,
)
from reactree_core.skill_types import SkillType
from sim_bridge.worlds.one_episode import OneEpisode
from sim_bridge.worlds.task_names import family_and_seed, GENERATED
from sim_bridge.worlds.webshop.catalogue import Goal, NO_BOUND, PARTS
from sim_bridge.worlds.webshop.catalogues import load_catalogue
from sim_bridge.worlds.webshop.pages import BACK, BUY, NEXT, Page, PageKind, SEP, Shop, TEXT
from sim_bridge.worlds.webshop.reward import fitting_value, nouns_by, Reward, reward_of, WORDS
from sim_bridge.worlds.webshop.search import PAGE_SIZE

DOMAIN = 'webshop'
SEARCH = 'search[<text>]'
SKILL_TYPES = (
    SkillType(SEARCH, ('text',), description='finds products by key words, where [Search] stands'),
    SkillType(
        'click[<button>]',
        ('name',),
        description='a button of the page, which stands in brackets: a product, an option, ...',
    ),
)
ABOUT = (
    'You shop in an online store. You search for products by key words, look at their pages, '
    'choose their options and buy one of them, once.'
)
IMPOSSIBLE = 'Invalid action! Try a different action.'
#: Longest words that are searched, in characters.
_LONGEST_QUERY = 300
_ACTION = re.compile(r'(search|click)\[(.*)\]', re.DOTALL)
#: What a result says where titles are compared by their words.
_BY_WORDS = (
    'Kinds of products are compared by all words of their titles, not by nouns (nouns: words).'
)


@dataclass
class _Episode:
    """A goal, and how far its shopping has come."""

    scene: str
    shop: Shop
    goal: Goal
    task: WorldTask
    page: Page = field(default_factory=Page)
    actions: int = 0
    impossible: int = 0
    stopped: bool = False

    @property
    def bought(self) -> bool:
        return self.page.kind is PageKind.END

    @property
    def over(self) -> bool:
        return self.bought or self.stopped


class WebShopWorld(OneEpisode[_Episode]):
    """Ports `TaskWorld`, `ExpertWorld`, `SnapshotWorld` and `OutlineWorld`.

    :param page_length: products of a page of results whose title and price are given, 0..10
        (3 in ReAct, 3 and 10 in ADaPT).
    :param style: `text` or `sep`. :param nouns: how kinds of products are given: `words`, `spacy`.
    :param attributes: products have a page of their attributes.
    :param most_actions: after which the episode ends; 0 for no limit.
    :param most_impossible: impossible actions in a row after which it ends; 0 for no limit.
    :raises ConfigurationError: a value is out of range, or nouns are not installed.
    """

    name = 'webshop'
    #: A skill takes a few milliseconds (see `WorldThread`).
    quick = True
    splits = tuple(PARTS)

    def __init__(
        self,
        page_length: int = 3,
        style: str = TEXT,
        nouns: str = WORDS,
        attributes: bool = False,
        most_actions: int = 15,
        most_impossible: int = 3,
    ) -> None:
        if style not in (TEXT, SEP):
            raise ConfigurationError(f'style must be {TEXT} or {SEP}, not {style!r}')
        for name, number, most in (
            ('page_length', page_length, PAGE_SIZE),
            ('most_actions', most_actions, 1_000_000),
            ('most_impossible', most_impossible, 1_000_000),
        ):
            if type(number) is not int or not 0 <= number <= most:
                raise ConfigurationError(f'{name} must be 0 to {most}, not {number!r}')
        if type(attributes) is not bool:
            raise ConfigurationError(f'attributes must be true or false, not {attributes!r}')
        self._nouns = nouns_by(nouns)
        self._notes = (_BY_WORDS,) if nouns == WORDS else ()
        self._titles = page_length
        self._style = style
        self._attributes = attributes
        self._most_actions = most_actions
        self._most_impossible = most_impossible

    @property
    def scene(self) -> str:
        """Which catalogue is loaded."""
        return self._episode.scene if self._episode else ''

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Open the shop with something to buy.

        :param scene: catalogue: `generated`, or the path of a folder of WebShop's files (or of
            its file of products); '' for that loaded, before any for `generated`.
        :param task: 'test:<n>', 'dev:<n>' or 'train:<n>', counted around; 'generated:<n>' is a
            training goal; without a number the seed is taken. '' for 'generated'.
        :raises ConfigurationError: either cannot be loaded; the world stays as it was.
        """
        text = task.strip() or GENERATED
        named = family_and_seed(text, PARTS, seed)
        if named is None:
            raise ConfigurationError(
                f'there is no task {text!r}: write {GENERATED}:<number>, or one of '
                f'{", ".join(PARTS)} with :<number>'
            )
        source = scene.strip() or self.scene or GENERATED
        catalogue = load_catalogue(source)
        family, number = named
        part = 'train' if family == GENERATED else family
        goal = catalogue.goal(part, number)
        loaded = WorldTask(f'{family}:{number}', part, goal.instruction, notes=self._notes)
        self._episode = _Episode(source, Shop(catalogue, self._attributes), goal, loaded)
        return self.observe()

    def vocabulary(self) -> Vocabulary:
        """The two skills; what is on sale is nowhere listed."""
        return Vocabulary(
            templates=tuple(skill.template for skill in SKILL_TYPES),
            skill_types=SKILL_TYPES,
            domain=DOMAIN,
            about=ABOUT,
        )

    def observe(self) -> Observation:
        """The page; changes nothing."""
        return self._observation('', self._text(self._now.page))

    def _text(self, page: Page) -> str:
        episode = self._now
        if self._style == SEP:
            return episode.shop.joined_text(page, episode.goal.instruction)
        return episode.shop.text(page, episode.goal.instruction, self._titles)

    def admissible_skills(self) -> tuple[str, ...]:
        """The search where there is one, and every button of the page."""
        episode = self._now
        if episode.over:
            return ()
        search = (SEARCH,) if self._can_search else ()
        buttons = episode.shop.buttons(episode.page)
        return (*search, *(f'click[{self._written(button)}]' for button in buttons))

    def candidate_skills(self) -> tuple[str, ...]:
        """The same: nothing else can be done."""
        return self.admissible_skills()

    @property
    def _can_search(self) -> bool:
        return self._now.page.kind is PageKind.INIT or self._style == SEP

    def _written(self, button: str) -> str:
        return button.lower() if self._style == SEP else button

    def step(self, skill: str) -> Observation:
        """Do one skill; what cannot be done changes nothing, and counts."""
        episode = self._now
        if episode.over:
            text = 'The episode is over: nothing can be done until the shop is opened anew.'
            return self._observation(skill, text, Outcome.PRECONDITION_FAILED)
        action = _ACTION.fullmatch(skill.strip())
        before = episode.page
        after = self._after(action[1], action[2].strip()) if action else None
        episode.actions += 1
        outcome = Outcome.SUCCEEDED
        if after is None:
            episode.impossible += 1
            outcome = Outcome.PRECONDITION_FAILED if action else Outcome.INVALID_SKILL
            text = IMPOSSIBLE if self._style == TEXT else self._text(before)
        else:
            episode.impossible = 0
            if after.kind is PageKind.END:
                after = replace(after, score=self.reward(after).value)
            episode.page = after
            text = self._text(after)
            # From a product to itself leads only an option, also one that is chosen already.
            if self._style == TEXT and before.kind is after.kind is PageKind.ITEM:
                text = f'You have clicked {after.chosen[-1][1]}.'
        if not episode.bought:
            text += self._stop()
        return self._observation(skill, text, outcome)

    def _after(self, verb: str, words: str) -> Page | None:
        """The page behind an action; None for one that is not possible here."""
        episode = self._now
        if verb == 'search':
            query = ' '.join(words.split())[:_LONGEST_QUERY]
            return episode.shop.searched(query) if query and self._can_search else None
        for button in episode.shop.buttons(episode.page):
            if self._written(words) == self._written(button):
                return episode.shop.clicked(episode.page, button)
        return None

    def _stop(self) -> str:
        """End the episode at a limit; says so."""
        episode = self._now
        if 0 < self._most_impossible <= episode.impossible:
            reason = f'{episode.impossible} impossible actions in a row'
        elif 0 < self._most_actions <= episode.actions:
            reason = f'{episode.actions} actions'
        else:
            return ''
        episode.stopped = True
        return f'\nThe episode is over after {reason}: nothing was bought.'

    def reward(self, page: Page) -> Reward:
        """What buying the product of a page would be worth."""
        goal = self._now.goal
        chosen = [value for _, value in page.chosen]
        return reward_of(self._now.shop.product(page), chosen, goal, self._nouns)

    def progress(self) -> Progress | None:
        """What holds of the product that is looked at, and the score once it is bought."""
        episode = self._now
        goal, page = episode.goal, episode.page
        reward = self.reward(page) if page.asin else None
        bound = f'{goal.price_upper:.2f} dollars'
        conditions = [
            *(f'it is {attribute}' for attribute in goal.attributes),
            *(f'{value} is chosen' for value in goal.options),
            'any price' if goal.price_upper == NO_BOUND else f'the price is up to {bound}',
            'it is of the kind that is wanted',
            'it is bought',
        ]
        met = [False] * len(conditions)
        if reward is not None:
            of_kind = reward.kind == 1.0
            met = [*reward.attributes, *reward.options, reward.price, of_kind, episode.bought]
        lines = [
            f'{"met" if holds else "not met"}: {one}'
            for holds, one in zip(met, conditions, strict=True)
        ]
        return Progress(sum(met), len(met), tuple(lines), page.score)

    def outline(self) -> Outline:
        """The page: products and prices, or a product, its options and what is chosen."""
        return self._now.shop.outline(self._now.page)

    def task(self) -> WorldTask | None:
        """What is to be bought."""
        return self._episode.task if self._episode else None

    def task_families(self) -> tuple[str, ...]:
        """The goals of the test set; those of 'generated' and 'train' are for training."""
        return ('test',)

    def scene_of(self, seed: int) -> str:
        """The catalogue that comes with this world."""
        return GENERATED

    def tasks_of_file(self, path: Path) -> Sequence[WorldTask]:
        """None: goals come with their catalogue; see the port."""
        raise ConfigurationError(
            'the world webshop reads no task files: name the folder of its files as scene, and '
            f'one of {", ".join(PARTS)} with :<number> as task'
        )

    @property
    def shop(self) -> Shop:
        """The pages that can be seen."""
        return self._now.shop

    @property
    def page(self) -> Page:
        """The page that is seen."""
        return self._now.page

    @property
    def goal(self) -> Goal:
        """What is to be bought."""
        return self._now.goal

    @property
    def actions(self) -> tuple[int, int]:
        """Actions so far, and how many there may be; 0 for no limit."""
        return self._now.actions, self._most_actions

    def options_for_goal(self, page: Page) -> tuple[str, ...]:
        """Values of a product's options that the goal wants and that are not chosen yet."""
        product = self.shop.product(page)
        values = [value for _, each in product.options for value in each]
        wanted = (fitting_value(option, values) for option in self.goal.options)
        chosen = {value for _, value in page.chosen}
        return tuple(dict.fromkeys(value for value in wanted if value and value not in chosen))

    def with_options(self, page: Page) -> Page:
        """An item page with all options chosen that the goal wants."""
        for value in self.options_for_goal(page):
            page = self.shop.clicked(page, value)
        return page

    def expert(self) -> tuple[str, ...]:
        """Search the title of what was in mind, choose its options and buy it; see the port."""
        done: list[str] = []

        def do(skill: str) -> None:
            observation = self.step(skill)
            done.append(skill)
            if not observation.succeeded or (observation.over and not self._now.bought):
                raise SkillError(f'The expert cannot go on: {observation.text}')

        product = self.goal.product
        if self.page.kind is not PageKind.INIT:
            do(self._click(BACK))
        do(f'search[{product.title}]')
        while product not in self.shop.results(self.page):
            if not self.shop.results(self.page):
                raise SkillError(f'The expert does not find {product.asin} by its title.')
            do(self._click(NEXT))
        do(self._click(product.asin))
        for value in self.options_for_goal(self.page):
            do(self._click(value))
        do(self._click(BUY))
        return tuple(done)

    def _click(self, button: str) -> str:
        return f'click[{self._written(button)}]'

    def snapshot(self) -> object:
        """The page and what was counted; see the port."""
        return replace(self._now)

    def restore(self, snapshot: object) -> Observation:
        """Put it back; see the port.

        :raises ConfigurationError: it is no snapshot of such a world.
        """
        if not isinstance(snapshot, _Episode):
            raise ConfigurationError('this is no snapshot of WebShop: take one first')
        self._episode = replace(snapshot)
        return self.observe()

    def _observation(
        self, skill: str, text: str, outcome: Outcome = Outcome.SUCCEEDED
    ) -> Observation:
        return Observation(
            text,
            outcome,
            skill,
            admissible_skills=self.admissible_skills(),
            over=self._now.over,
        )
