"""The shop's web pages over real HTTP: what they show, escape and refuse."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import httpx
import pytest

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.webshop import site as shop_site
from sim_bridge.worlds.webshop import WebShopWorld
from sim_bridge.worlds.webshop import world as webshop
from sim_bridge.worlds.webshop.site import ShopServer, ShopSite
from support.small_shop import LAMP, small_catalogue

PATIENCE = 10.0
HOSTILE = '"><script>alert(1)</script>&amp;<img src=x onerror=alert(2)>\'</title>'


class Person:
    """Somebody with a browser that keeps cookies."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(
            base_url=url, timeout=PATIENCE, follow_redirects=True, trust_env=False
        )
        self.html = self.client.get('/').text

    def send(self, **fields: str) -> str:
        """Send the form of the page."""
        turn = re.search(r'name="turn" value="(\d+)"', self.html)
        data = {'turn': turn[1] if turn else '', **fields}
        answer = self.client.post('/act', data=data)
        assert answer.status_code == 200 and answer.url.path == '/'
        self.html = answer.text
        return self.html

    @property
    def actions(self) -> str:
        found = re.search(r'id="actions">([^<]*)<', self.html)
        assert found
        return found[1]

    @property
    def score(self) -> float:
        """Of the own purchase."""
        found = re.search(r'data-score="([\d.]+)"', self.html)
        assert found
        return float(found[1])


@pytest.fixture
def url(small_shop) -> Iterator[str]:
    with ShopServer(ShopSite(WebShopWorld, '', 'test:0')) as server:
        yield server.url


@pytest.fixture
def person(url) -> Iterator[Person]:
    one = Person(url)
    yield one
    one.client.close()


def test_a_person_shops_to_the_end_and_scores_as_the_world_does(person) -> None:
    world = WebShopWorld()
    world.reset('', 'test:0', 0)
    assert world.goal.instruction in person.html and person.actions == 'Action 0 of 15'
    html = person.send(words='tarn lamp')
    assert html.count('class="card"') == 4 and 'Page 1, 4 results' in html
    world.step('search[tarn lamp]')
    for skill in ('click[LAMP000001]', 'click[blue]', 'click[Features]', 'click[< Prev]'):
        html = person.send(skill=skill)
        assert world.step(skill).succeeded
    assert 'class="option" aria-pressed="true">blue<' in html and html.count('"true"') == 1
    html = person.send(skill='click[Buy Now]')
    world.step('click[Buy Now]')
    assert person.score == world.progress().score == 0.8
    assert '0.80</strong>' in html and 'data-score="1.0"' in html, 'the expert does better'
    assert 'not met: tall is chosen' in html and 'Options: color blue, size tall' in html
    assert person.actions == 'Action 6 of 15'


def test_features_descriptions_and_empty_parts_are_shown(person) -> None:
    person.send(words='tarn')
    person.send(skill='click[LAMP000001]')
    assert '<li>Made of steel.</li>' in person.send(skill='click[Features]')
    person.send(skill='click[< Prev]')
    assert 'A lamp for desks.' in person.send(skill='click[Description]')
    person.send(skill='click[< Prev]')
    assert 'There is nothing here.' in person.send(skill='click[Reviews]')


def test_the_next_task_begins_anew_and_an_end_without_purchase_says_so(small_shop) -> None:
    make = lambda: WebShopWorld(most_actions=1)  # noqa: E731
    with ShopServer(ShopSite(make, '', 'test:0')) as server:
        one = Person(server.url)
        html = one.send(words='lamp')
        assert 'You bought nothing within your actions.' in html and one.score == 0.0
        html = one.client.post('/next').text
        assert 'Action 0 of 1' in html and 'id="words"' in html


def test_what_is_impossible_is_said_and_an_old_page_does_nothing(person) -> None:
    first = person.html
    assert 'Invalid action! Try a different action.' in person.send(skill='click[nothing]')
    assert person.actions == 'Action 1 of 15'
    person.html = first
    person.send(words='lamp')
    assert person.actions == 'Action 1 of 15' and 'id="words"' in person.html
    person.send(words='lamp')
    assert person.actions == 'Action 2 of 15' and 'Invalid' not in person.html


class Tags(HTMLParser):
    """Which tags and attributes a page has."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}


def test_hostile_texts_of_products_are_texts_on_every_page(monkeypatch) -> None:
    hostile = replace(
        LAMP,
        title=f'lamp {HOSTILE}',
        description=HOSTILE,
        bullets=(HOSTILE,),
        price_text=HOSTILE,
        options=((HOSTILE, (HOSTILE,)),),
        attributes=(HOSTILE,),
    )
    made = small_catalogue(hostile)
    made.goals = (replace(made.goals[0], instruction=HOSTILE, attributes=(HOSTILE,)),)
    monkeypatch.setattr(webshop, 'load_catalogue', lambda source: made)
    with ShopServer(ShopSite(lambda: WebShopWorld(attributes=True), '', 'test:0')) as server:
        one = Person(server.url)
        pages = [one.html, one.send(words=f'lamp {HOSTILE}')]
        pages.append(one.send(skill='click[LAMP000001]'))
        pages.append(one.send(skill=f'click[{HOSTILE}]'))
        for part in ('Description', 'Features', 'Attributes'):
            pages.append(one.send(skill=f'click[{part}]'))
            one.send(skill='click[< Prev]')
        pages.append(one.send(skill='click[Buy Now]'))
        for html in pages:
            found = Tags(html)
            assert not {'script', 'img'} & found.tags
            assert not [name for name in found.names if name.startswith('on')]
            assert HOSTILE in unescape(html)
        assert 'aria-pressed="true"' in pages[3] and 'data-score' in pages[-1]


def test_answers_forbid_scripts_frames_and_foreign_forms(person) -> None:
    answer = person.client.get('/')
    policy = answer.headers['Content-Security-Policy']
    assert "default-src 'none'" in policy and "form-action 'self'" in policy
    assert 'script-src' not in policy and "frame-ancestors 'none'" in policy
    assert answer.headers['X-Content-Type-Options'] == 'nosniff'
    cookie = answer.headers['Set-Cookie']
    assert 'HttpOnly' in cookie and 'SameSite=Strict' in cookie
    assert person.client.get('/style.css').headers['Content-Type'].startswith('text/css')


@pytest.mark.parametrize(
    ('method', 'path', 'headers', 'status'),
    [
        ('GET', '/nowhere', {}, 404),
        ('GET', '/%2e%2e/world.py', {}, 404),
        ('GET', '/style.css?x', {}, 404),
        ('GET', '/act', {}, 404),
        ('POST', '/', {}, 404),
        ('PUT', '/act', {}, 501),
        ('GET', '/', {'Host': 'shop.example'}, 403),
        ('POST', '/act', {'Origin': 'http://shop.example'}, 403),
        ('POST', '/act', {'Origin': 'null'}, 403),
        ('POST', '/next', {'Host': 'shop.example'}, 403),
    ],
)
def test_other_requests_are_refused_and_change_nothing(
    person, method, path, headers, status
) -> None:
    answer = person.client.request(method, path, headers=headers)
    assert answer.status_code == status
    assert 'Action 0 of 15' in person.client.get('/').text


@pytest.mark.parametrize(
    ('body', 'status'),
    [
        (b'x' * 5000, 400),
        (b'&'.join(b'a=1' for _ in range(9)), 400),
        (b'words=%ff', 400),
        ('words=ä'.encode(), 400),
        (b'', 303),
        (b'turn=0&words=lamp&words=tarn', 303),
    ],
)
def test_forms_are_bounded_and_read_strictly(person, body: bytes, status: int) -> None:
    headers = {'Content-Type': 'application/x-www-form-urlencoded'}
    answer = person.client.post('/act', content=body, headers=headers, follow_redirects=False)
    assert answer.status_code == status


def test_a_form_without_a_length_is_refused(url) -> None:
    with socket.create_connection(('127.0.0.1', httpx.URL(url).port), PATIENCE) as connection:
        host = url.removeprefix('http://').rstrip('/')
        connection.sendall(f'POST /act HTTP/1.0\r\nHost: {host}\r\n\r\n'.encode())
        assert b' 400 ' in connection.recv(200)


def test_sessions_are_kept_apart_and_are_bounded(url, monkeypatch) -> None:
    monkeypatch.setattr(shop_site, 'MOST_SESSIONS', 8)
    first, second = Person(url), Person(url)
    first.send(words='tarn')
    assert 'Action 0 of 15' in second.client.get('/').text
    assert 'Action 1 of 15' in first.client.get('/').text
    keys = [dict(one.client.cookies) for one in (first, second)]
    for _ in range(7):
        Person(url)
    # Whoever was away for the longest begins anew.
    assert 'Action 1 of 15' in first.client.get('/').text
    assert 'Action 0 of 15' in second.client.get('/').text
    assert dict(first.client.cookies) == keys[0] and dict(second.client.cookies) != keys[1]
    # Keys that nobody gave out are not taken.
    stranger = httpx.get(url, headers={'Cookie': f'webshop-{httpx.URL(url).port}=mine'})
    assert 'mine' not in stranger.headers['Set-Cookie']


def test_many_people_shop_at_once(url) -> None:
    scores: list[float] = []

    def shop(asin: str) -> None:
        one = Person(url)
        one.send(words='lamp')
        one.send(skill=f'click[{asin}]')
        one.send(skill='click[Buy Now]')
        scores.append(one.score)

    asins = ('LAMP000001', 'LAMP000002', 'MIRROR0001')
    people = [threading.Thread(target=shop, args=(asins[n % 3],)) for n in range(24)]
    for one in people:
        one.start()
    for one in people:
        one.join(PATIENCE * 3)
    assert sorted(scores) == [0.2] * 16 + [0.6] * 8


def test_the_port_is_this_machine_s_alone_and_is_given_back(small_shop) -> None:
    site = ShopSite(WebShopWorld, '', 'test:0')
    with ShopServer(site) as server:
        port = server.port
        assert server._server.server_address[0] == '127.0.0.1'
        with pytest.raises(ConfigurationError, match=f'Port {port} cannot be served'):
            ShopServer(site, port)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f'http://127.0.0.1:{port}/', trust_env=False)
    with ShopServer(site, port) as server:
        assert Person(server.url).actions == 'Action 0 of 15'


def test_a_site_that_cannot_be_opened_says_why() -> None:
    with pytest.raises(ConfigurationError, match='there is no task'):
        ShopSite(WebShopWorld, '', 'best:1')
