"""HTML of the shop's pages for a person; all texts of products are escaped."""

from __future__ import annotations

from html import escape

from sim_bridge.worlds.webshop.catalogue import Product
from sim_bridge.worlds.webshop.pages import BACK, BUY, NEXT, Page, PageKind, PREVIOUS
from sim_bridge.worlds.webshop.world import WebShopWorld


def shop_page(world: WebShopWorld, turn: int, note: str) -> str:
    """What a person sees.

    :param turn: stands in the page's form: which page it comes from.
    :param note: what is said of the last click, where it failed.
    """
    kind = world.page.kind
    if kind is PageKind.END or world.observe().over:
        content = _end(world)
    else:
        forms = {PageKind.INIT: _search, PageKind.RESULTS: _results, PageKind.ITEM: _item}
        style = 'search' if kind is PageKind.INIT else ''
        content = (
            f'<form method="post" action="/act" class="{style}">'
            f'<input type="hidden" name="turn" value="{turn}">'
            f'{forms.get(kind, _part)(world)}</form>'
        )
    note_html = f'<p class="note" role="alert">{escape(note)}</p>' if note else ''
    actions, most = world.actions
    count = f'Action {actions} of {most}' if most else f'Action {actions}'
    wanted = (
        '<section class="wanted" aria-label="What is wanted"><h2>You are asked to buy</h2>'
        f'<p id="instruction">{escape(world.goal.instruction)}</p></section>'
    )
    return document(f'{wanted}{note_html}<main>{content}</main>', count)


def document(content: str, count: str = '') -> str:
    """A whole page of the site. :param count: stands at its top."""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>WebShop</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"></head><body>'
        f'<header><h1>WebShop</h1><span id="actions">{count}</span></header>{content}'
        '</body></html>'
    )


def _button(button: str, text: str = '', name: str = '', pressed: bool | None = None) -> str:
    state = '' if pressed is None else f' aria-pressed="{"true" if pressed else "false"}"'
    return (
        f'<button name="skill" value="click[{escape(button)}]" class="{name}"{state}>'
        f'{escape(text or button)}</button>'
    )


def _search(world: WebShopWorld) -> str:
    return (
        '<label for="words">Search the shop</label><div class="row">'
        '<input id="words" name="words" maxlength="300" autofocus required autocomplete="off">'
        '<button class="strong">Search</button></div>'
    )


def _results(world: WebShopWorld) -> str:
    shop, page = world.shop, world.page
    buttons = shop.buttons(page)
    cards = ''.join(
        f'<li class="card">{_button(product.asin, product.title, "link")}'
        f'<p class="price">{escape(product.price_text)}</p>'
        f'<p class="number">{escape(product.asin)}</p></li>'
        for product in shop.results(page)
    )
    ways = ''.join(_button(way) for way in (PREVIOUS, NEXT) if way in buttons)
    return (
        f'<div class="row"><div>{_button(BACK)}</div>'
        f'<p>Page {page.number}, {shop.total(page)} results for '
        f'<q>{escape(page.query)}</q></p></div>'
        f'<ol class="cards">{cards}</ol>'
        f'{"" if cards else "<p>Nothing is on this page.</p>"}<div class="row">{ways}</div>'
    )


def _item(world: WebShopWorld) -> str:
    page = world.page
    product = world.shop.product(page)
    options = ''.join(
        f'<fieldset><legend>{escape(name)}</legend>'
        + ''.join(
            _button(value, name='option', pressed=(name, value) in page.chosen)
            for value in dict.fromkeys(values)
        )
        + '</fieldset>'
        for name, values in product.options
    )
    values = {value for _, each in product.options for value in each}
    parts = ''.join(
        _button(button)
        for button in world.shop.buttons(page)
        if button not in values and button not in (BACK, PREVIOUS, BUY)
    )
    return (
        f'<div class="row"><div>{_button(BACK)}{_button(PREVIOUS)}</div></div>'
        f'<article>{_headline(product)}{options}'
        f'<div class="row"><div>{parts}</div>{_button(BUY, name="strong")}</div></article>'
    )


def _headline(product: Product) -> str:
    return (
        f'<h2 class="title">{escape(product.title)}</h2>'
        f'<p class="price">{escape(product.price_text)}</p>'
        f'<p class="number">{escape(product.asin)} · Rating: N.A.</p>'
    )


def _part(world: WebShopWorld) -> str:
    shop, page = world.shop, world.page
    lines = shop.part_lines(page)
    listed = ''.join(f'<li>{escape(line)}</li>' for line in lines)
    return (
        f'<div class="row"><div>{_button(BACK)}{_button(PREVIOUS)}</div></div>'
        f'<article>{_headline(shop.product(page))}<h3>{escape(page.part)}</h3>'
        f'{f"<ul>{listed}</ul>" if lines else "<p>There is nothing here.</p>"}</article>'
    )


def _end(world: WebShopWorld) -> str:
    page, progress = world.page, world.progress()
    assert progress is not None, 'a shop judges'
    if page.kind is PageKind.END:
        bought = _purchase('Your purchase', world, page)
    else:
        bought = (
            '<article><h3>Your purchase</h3><p>You bought nothing within your actions.</p>'
            f'{_score(0.0)}</article>'
        )
    best = world.with_options(Page(PageKind.ITEM, asin=world.goal.product.asin))
    expert = _purchase('The purchase of the expert', world, best)
    lines = ''.join(
        f'<li class="{"met" if line.startswith("met") else "unmet"}">{escape(line)}</li>'
        for line in progress.conditions[:-1]
    )
    return (
        f'<div class="pair">{bought}{expert}</div>'
        f'<article><h3>What was wanted</h3><ul id="conditions">{lines}</ul></article>'
        '<form method="post" action="/next"><button class="strong">Next task</button></form>'
    )


def _purchase(title: str, world: WebShopWorld, page: Page) -> str:
    chosen = ', '.join(f'{name} {value}' for name, value in page.chosen) or 'none'
    return (
        f'<article><h3>{title}</h3>{_score(world.reward(page).value)}'
        f'{_headline(world.shop.product(page))}<p>Options: {escape(chosen)}</p></article>'
    )


def _score(score: float) -> str:
    return f'<p class="score"><strong data-score="{score}">{score:.2f}</strong> of 1.00</p>'
