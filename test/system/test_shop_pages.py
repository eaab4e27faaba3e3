"""The pages of the world webshop in a real browser, served by `reactree world play`."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sim_bridge.worlds.webshop import WebShopWorld
from sim_bridge.worlds.webshop import world as webshop
from sim_bridge.worlds.webshop.site import ShopServer, ShopSite
from support.small_shop import LAMP, small_catalogue
from support.waiting import wait_for

CARD = '.card button'


def score(page):
    """Of the own purchase."""
    return float(page.get_attribute('[data-score] >> nth=0', 'data-score'))


def click(page, text, wait):
    page.get_by_role('button', name=text, exact=True).click()
    page.wait_for_selector(wait)


def test_a_person_shops_to_the_end_and_scores_as_the_world_does(start, open_page):
    shop = start('world', 'play', 'webshop', '--task', 'test:3', '--browser', '--plain')
    url = re.search(r'http://127.0.0.1:\d+/', shop.wait_for('Ctrl-C'))[0]
    world = WebShopWorld()
    world.reset('', 'test:3', 0)
    page = open_page(url, wait='#words')
    assert page.inner_text('#instruction') == world.goal.instruction
    words = 'bumper case easy to grip scratch resistant'
    page.fill('#words', words)
    page.keyboard.press('Enter')
    page.wait_for_selector(CARD)
    world.step(f'search[{words}]')
    results = world.shop.results(world.page)
    assert page.locator(CARD).all_inner_texts() == [one.title for one in results]
    click(page, 'Next >', 'text=Page 2')
    click(page, '< Prev', 'text=Page 1')
    bought = results[1]
    click(page, bought.title, 'fieldset')
    color = bought.options[0][1][0]
    click(page, color, '[aria-pressed=true]')
    click(page, 'Features', 'h3')
    shown = page.locator('article li').all_inner_texts()
    assert shown == list(bought.bullets)
    click(page, '< Prev', '[aria-pressed=true]')
    click(page, 'Buy Now', '#conditions')
    for skill in (
        'Next >', '< Prev', bought.asin, color, 'Features', '< Prev', 'Buy Now',
    ):  # fmt: skip
        assert world.step(f'click[{skill}]').succeeded
    assert score(page) == world.progress().score
    assert page.locator('#conditions li').all_inner_texts() == list(
        world.progress().conditions[:-1]
    )
    # Nothing is bought again by going back and forth.
    page.go_back()
    page.go_forward()
    page.wait_for_selector('#conditions')
    assert score(page) == world.progress().score
    click(page, 'Next task', '#words')
    assert page.inner_text('#actions') == 'Action 0 of 15'
    world.reset('', 'test:4', 0)
    assert page.inner_text('#instruction') == world.goal.instruction
    shop.interrupt()
    assert shop.end() == 0


@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_long_and_hostile_texts_fit_a_small_screen_and_do_nothing(monkeypatch, open_page, scheme):
    hostile = '<script>document.title = "taken"</script><b>' + 'long' * 60
    product = replace(
        LAMP, title=f'lamp {hostile}', bullets=(hostile,), options=((hostile, (hostile, 'blue')),)
    )
    made = small_catalogue(product)
    monkeypatch.setattr(webshop, 'load_catalogue', lambda source: made)
    with ShopServer(ShopSite(WebShopWorld, '', 'test:0')) as server:
        page = open_page(server.url, width=360, height=640, scheme=scheme, wait='#words')

        def look():
            assert page.title() == 'WebShop' and page.locator('b').count() == 0
            # It may be laid out a moment after a change. Asked from here, since the page's own
            # policy forbids what a browser would evaluate in it while it waits.
            wait_for(
                lambda: page.evaluate(
                    'document.documentElement.scrollWidth <= document.documentElement.clientWidth'
                ),
                'the page fits the screen',
            )

        look()
        page.fill('#words', 'lamp ' + hostile[:280])
        page.keyboard.press('Enter')
        for selector in (CARD, 'fieldset', '[aria-pressed=true]', 'text=Features'):
            page.wait_for_selector(selector)
            look()
            if selector == CARD:
                page.click(CARD)
            elif selector == 'fieldset':
                page.click('.option >> nth=0')
        click(page, 'Features', 'h3')
        look()
        click(page, '< Prev', 'fieldset')
        click(page, 'Buy Now', '#conditions')
        look()
