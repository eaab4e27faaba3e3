"""The page of a report in a browser: opened from its file, failures labelled and found."""

from __future__ import annotations

import re

import pytest

from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal_lines import encode_event
from reactree_tools.bench.report.command import read_labels, report
from reactree_tools.bench.report.options import Options
from reactree_tools.bench.rows import append_row
from support.episode_rows import episode_row

pytestmark = pytest.mark.system


@pytest.fixture
def study(tmp_path):
    """Two planners on four tasks, half of them failed, with journals."""
    (tmp_path / 'runs').mkdir()
    for number in range(4):
        for planner in ('react', 'reactree'):
            name = f'{planner}{number}'
            row = episode_row(number, planner=planner, success=number % 2 == 0, run=name)
            append_row(tmp_path / 'episodes.jsonl', row)
            events = [
                Decision(1, 0, DecisionKind.START, text='Load the <crate>.'),
                Observation('There is a rack.', skill='go to rack 1', node_id=1, sequence=2),
            ]
            lines = ''.join(f'{encode_event(event)}\n' for event in events)
            (tmp_path / 'runs' / f'{name}.jsonl').write_text(lines)
    return tmp_path


def test_labels_are_kept_downloaded_and_read(study, open_page):
    file = study / 'report.html'
    file.write_text(report(study, Options()).text)
    page = open_page(file.as_uri(), wait='#counted')
    assert page.text_content('#counted') == '0 of 4 labelled'
    page.select_option('select[data-key=reactree3]', 'search: revisits')
    page.select_option('select[data-key=react1]', 'execution: limit')
    page.reload()
    assert page.text_content('#counted') == '2 of 4 labelled'
    with page.expect_download() as told:
        page.click('#download')
    assert told.value.suggested_filename == 'labels.json'
    labels = study / 'labels.json'
    told.value.save_as(labels)
    assert read_labels(labels) == {'reactree3': 'search: revisits', 'react1': 'execution: limit'}
    page.select_option('select[data-key=react1]', '')
    assert page.text_content('#counted') == '1 of 4 labelled'
    again = report(study, Options('markdown', labels=labels))
    assert 'Agreement of the rules with people' in again.text


def test_episodes_are_found_by_words(study, open_page):
    file = study / 'report.html'
    file.write_text(report(study, Options()).text)
    page = open_page(file.as_uri(), wait='#episodes')
    assert page.locator('#episodes tbody tr:visible').count() == 8
    page.fill('#find', 'ReAcTree not met')
    assert page.locator('#episodes tbody tr:visible').count() == 2


@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_pictures_have_the_colour_of_the_text(study, open_page, scheme):
    file = study / 'report.html'
    file.write_text(report(study, Options()).text)
    page = open_page(file.as_uri(), scheme=scheme, wait='.plots svg')
    colour = 'getComputedStyle(document.querySelector("{}")).{}'
    ink = page.evaluate(colour.format('body', 'color'))
    assert page.evaluate(colour.format('.plots svg text', 'fill')) == ink
    ground = page.evaluate(colour.format('body', 'backgroundColor'))
    light = [sum(map(int, re.findall(r'\d+', text)[:3])) for text in (ink, ground)]
    assert (light[0] < light[1]) == (scheme == 'light')


def test_a_narrow_screen_is_not_left(study, open_page):
    file = study / 'report.html'
    file.write_text(report(study, Options()).text)
    page = open_page(file.as_uri(), width=400, wait='#episodes')
    assert page.evaluate('document.documentElement.scrollWidth') <= 400
