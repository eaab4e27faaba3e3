"""Headless Chromium, where playwright and a Chromium are installed, and viewers to look at."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import field

import pytest

from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.web.application import Viewer
from reactree_tools.viewer.web.server import ViewerServer

BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')


@pytest.fixture(scope='session')
def browser():
    """One browser for all tests."""
    playwright = pytest.importorskip(
        'playwright.sync_api',
        reason='playwright is not installed: pip install -r requirements/browser.txt',
    )
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip('there is no Chromium: apt-get install chromium')
    with playwright.sync_playwright() as running:
        # Without its sandbox, since tests may run as root in a container; pages are our own.
        browser = running.chromium.launch(executable_path=path, args=['--no-sandbox'])
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page and what it complained about."""

    page: object
    complaints: list = field(default_factory=list)


@pytest.fixture
def open_page(browser):
    """Opens pages; a test fails when one logged an error or broke its content policy.

    Where the server is to refuse something, `refused` is in the line that the browser logs of it.
    """
    opened = []

    def begin(
        url, width=1280, height=800, scheme='light', wait='[role=treeitem]', refused='no answer'
    ):
        context = browser.new_context(
            viewport={'width': width, 'height': height},
            color_scheme=scheme,
            reduced_motion='reduce',
        )
        page = context.new_page()
        page.set_default_timeout(20_000)
        one = Opened(page)
        opened.append((context, one))
        page.on('pageerror', lambda error: one.complaints.append(str(error)))
        page.on(
            'console',
            lambda line: (
                line.type == 'error'
                and refused not in line.text
                and one.complaints.append(line.text)
            ),
        )
        page.goto(url)
        if wait:
            page.wait_for_selector(wait)
        return page

    yield begin
    for context, one in opened:
        context.close()
        assert not one.complaints, one.complaints


@pytest.fixture
def serve():
    """Serves viewers of sources and live runs; gives the runs and the address."""
    with ExitStack() as stack:

        def begin(*sources, **options):
            runs = Runs(sources)
            server = stack.enter_context(ViewerServer(Viewer(runs, **options), 0))
            return runs, server.url

        yield begin
