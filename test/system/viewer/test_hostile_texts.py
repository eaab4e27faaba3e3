"""Hostile texts in the pages, in a real browser: shown as text, nothing run, made or fetched."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from reactree_core.record.events import ControlFlow, Decision, DecisionKind, NodeStatus
from reactree_tools.bench.report.command import report
from reactree_tools.bench.report.options import Options
from reactree_tools.bench.rows import append_row, ROWS, RUNS
from reactree_tools.viewer.sources import GivenRun, JournalFolder
from reactree_tools.viewer.study_page import StudyPage
from reactree_tools.viewer.system_status import Approval, Condition, Health, OpenQuestion
from support.episode_rows import episode_row
from support.hostile_texts import hostile_texts, strangers_run
from support.made_up_studies import begin_study, row_of_cell

RUN = 'a' * 32
#: Characters that change the order in which a line is read.
REORDERING = set('\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069')
#: What would come true, if a page took a text for its own.
TRIED = (
    '<img src="/taken" onerror="taken()">',
    '<script>taken()</script>',
    '"><svg onload=taken()>',
    "'-taken()-'",
    '</title><script src="/taken.js"></script>',
    '<a href="javascript:taken()">here</a>',
    '<iframe srcdoc="<script>parent.taken()</script>"></iframe>',
    '<style>@import "/taken.css";</style><p style="background:url(/taken)">',
    '<form action="/taken"><button autofocus onfocus=taken()>',
    '<base href="http://taken.invalid/"><link rel=prefetch href="/taken">',
    '${taken()}',
    '{{taken()}}',
    'javascript:taken()',
    '</script><script>taken()</script>',
    '<!--<script>taken()</script>-->',
    '<math><mtext><table><mglyph><style><img src=/taken onerror=taken()>',
)
TEXTS = (*TRIED, *(one.text[:1500] for one in hostile_texts()[::3]))
#: Elements and attributes that no page makes of itself below its body, as one CSS selector.
FOREIGN = (
    'body :is(img, iframe, object, embed, base, link, style, math, template, meta), '
    'body a[href^="javascript" i], body form[action], '
    'body [onerror], body [onload], body [onfocus], body [srcdoc]'
)


def watch(page):
    """Have a page note where `taken` is called; every address that it asks for, from now on."""
    page.add_init_script('window.taken = () => { window.wasTaken = true; };')
    asked = []
    page.on('request', lambda request: asked.append(request.url))
    page.on('dialog', lambda dialog: (asked.append('a dialog'), dialog.dismiss()))
    return asked


@pytest.fixture
def watched(open_page):
    """Opens a page that tells what it has fetched, and notes where `taken` was called."""

    def begin(url, wait):
        page = open_page('about:blank', wait='')
        asked = watch(page)
        page.goto(url)
        page.wait_for_selector(wait)
        return page, asked

    return begin


def faults_of(page, asked, own):
    """What a page did that no text may make it do. :param own: paths that it fetches by itself."""
    found = [url for url in asked if 'taken' in url or 'invalid' in url or url == 'a dialog']
    hosts = {urlsplit(url).hostname for url in asked if not url.startswith(('data:', 'blob:'))}
    found += sorted(host for host in hosts - {'127.0.0.1', 'localhost', None})
    found += [url for url in asked if urlsplit(url).path.lstrip('/').split('/')[0] not in own]
    if page.evaluate('window.wasTaken === true'):
        found.append('a script has run')
    reordering = REORDERING & set(page.inner_text('body'))
    found += [f'a line is reordered by {one!a}' for one in sorted(reordering)]
    found += page.eval_on_selector_all(
        FOREIGN, 'all => all.map(one => one.outerHTML.slice(0, 99))'
    )
    return found


class HostileStatus:
    """Parts, a question and a skill that waits, all of one text (`SystemStatus`)."""

    scene = ''

    def __init__(self, text):
        self._text = text

    def health(self):
        return (Health(self._text, Condition.BAD, self._text),)

    def approval(self):
        text = self._text
        return Approval(RUN, 9, text, 1, text, text, text, text, text, left=30.0)

    def question(self):
        text = self._text
        return OpenQuestion(RUN, 9, text, (text, 'no'), text, 1, text, 30.0)

    def graph(self):
        return self._text, None

    def experiences(self, goal):
        return ()


def batched(texts, size):
    """The texts by groups."""
    return [texts[at : at + size] for at in range(0, len(texts), size)]


def run_of(texts):
    """A run whose root has an agent for each text, which thinks, does and sees it."""
    begun = strangers_run(texts[0])[:4]
    events = [
        *(replace(one, subgoals=texts) if getattr(one, 'subgoals', ()) else one for one in begun),
        Decision(5, 1, DecisionKind.EXPAND, control_flow=ControlFlow.SEQUENCE, subgoals=texts),
    ]
    for node, text in enumerate(texts, 3):
        acts = len(events) + 2
        events += [
            Decision(acts - 1, node, DecisionKind.THINK, text=text),
            Decision(acts, node, DecisionKind.ACT, skill=text, text=text),
            replace(begun[3], text=text, skill=text, place=text, sequence=acts, node_id=node),
            Decision(acts + 2, node, DecisionKind.FINISH, status=NodeStatus.FAILURE, text=text),
        ]
    return events


def is_own(name):
    return name.endswith(('.js', '.css', '.svg', '.ico'))


def test_a_run_of_any_texts_is_text(serve, watched):
    _, url = serve(GivenRun(RUN, strangers_run('a crate')))
    page, asked = watched(url, '[role=treeitem]')
    own = {'', 'api', *filter(is_own, (urlsplit(one).path.lstrip('/') for one in asked))}
    assert 'main.js' in own
    for number, texts in enumerate(batched(TEXTS, 16)):
        shown = GivenRun(f'{number:032x}', run_of(texts))
        _, url = serve(shown, system_status=HostileStatus(texts[0]))
        asked.clear()
        page.goto(url)
        page.wait_for_selector('[role=treeitem]')
        for item in page.locator('[role=treeitem]').all()[::4]:
            item.click()
        assert not faults_of(page, asked, own), texts


def test_what_is_shown_is_the_text_itself(serve, watched):
    _, url = serve(GivenRun(RUN, strangers_run(TRIED[0])))
    page, _ = watched(url, '[role=treeitem]')
    page.locator('[role=treeitem]').first.click()
    assert TRIED[0] in page.inner_text('body')


def test_a_study_of_any_texts_is_text(serve, watched, tmp_path):
    cells = list(begin_study(tmp_path, tasks=[f'household:{len(TEXTS)}@1']).cells())
    for text, cell in zip(TEXTS, cells, strict=False):
        told = {'instruction': text, 'reason': text, 'run': text[:100], 'family': text[:100]}
        append_row(tmp_path / ROWS, row_of_cell(cell, **told))
    study = StudyPage(tmp_path)
    _, url = serve(JournalFolder(tmp_path / RUNS, study.newest_runs), study=study)
    page, asked = watched(f'{url}study', '#matrix .cell')
    for cell in page.locator('#matrix .cell').all()[:40]:
        cell.hover()
    page.fill('#find', TRIED[0])
    own = {'', 'api', 'study', *filter(is_own, (urlsplit(one).path.lstrip('/') for one in asked))}
    assert not faults_of(page, asked, own)


def test_a_report_of_any_texts_is_text(watched, tmp_path):
    (tmp_path / RUNS).mkdir()
    for number, text in enumerate(TEXTS):
        told = {'instruction': text, 'reason': text, 'family': text[:60], 'success': False}
        append_row(tmp_path / ROWS, episode_row(number, run=f'r{number}', **told))
    file = tmp_path / 'report.html'
    file.write_text(report(tmp_path, Options()).text)
    page, asked = watched(file.as_uri(), '#episodes')
    page.fill('#find', TRIED[1])
    assert TRIED[1] in page.inner_text('body')
    assert page.evaluate('window.wasTaken === true') is False
    assert not REORDERING & set(page.inner_text('body'))
    foreign = page.eval_on_selector_all(FOREIGN, 'all => all.map(one => one.outerHTML)')
    assert [one for one in foreign if 'taken' in one] == []
    assert [url for url in asked if not url.startswith(file.as_uri())] == []


def test_a_page_that_takes_texts_for_markup_would_be_seen(browser, tmp_path):
    """The watch works: the same texts as markup do what the tests above deny."""
    for number, text in enumerate(TRIED[:5]):
        file = tmp_path / f'{number}.html'
        file.write_text(f'<body><main>x</main>{text}</body>')
        context = browser.new_context()
        page = context.new_page()
        asked = watch(page)
        page.goto(file.as_uri())
        found = faults_of(page, asked, {''})
        context.close()
        assert found or text == "'-taken()-'", text
