"""The page of a study in a real browser, while its rows are appended."""

from __future__ import annotations

import pytest

from reactree_tools.bench.rows import append_row, ROWS, RUNS
from reactree_tools.bench.running import study_folder
from reactree_tools.viewer.sources import JournalFolder
from reactree_tools.viewer.study_page import StudyPage
from support.contrast import CONTRAST
from support.made_up_studies import begin_study, end_episode, row_of_cell

CELL = '#matrix .cell'


@pytest.fixture
def open_study(serve, open_page, tmp_path):
    """Opens the page of the study in the folder."""

    def begin(**options):
        study = StudyPage(tmp_path)
        _, url = serve(JournalFolder(tmp_path / RUNS, study.newest_runs), study=study)
        return open_page(f'{url}study', **{'wait': CELL, **options})

    return begin


def wait_for(page, selector, text):
    page.wait_for_function(
        '([selector, text]) => document.querySelector(selector)?.innerText.includes(text)',
        arg=[selector, text],
    )


def test_episodes_appear_as_they_end_and_lead_to_their_runs(open_study, tmp_path):
    study = begin_study(tmp_path)
    cells = list(study.cells())
    with study_folder(tmp_path, study):
        page = open_study()
        wait_for(page, '#done', '0 of 6 episodes')
        assert page.inner_text('#state') == 'running'
        assert page.locator(f'{CELL}.waiting').count() == 6
        run = end_episode(tmp_path, cells[1], nodes=20, success=False, met=1, seconds=60.0).run
        wait_for(page, '#done', '1 of 6 episodes')
        assert page.inner_text('#left') == 'about 5 min left'
        cell = page.locator(f'{CELL}.part')
        assert cell.inner_text() == '1/3'
        cell.hover()
        assert '1 of 3 conditions met' in page.inner_text('#detail')
        assert 'things are elsewhere' in page.inner_text('#detail')
        for one in cells[2:]:
            end_episode(tmp_path, one, success=True, met=3)
        wait_for(page, '#done', '5 of 6 episodes')
        wait_for(page, '#groups', '100 %')
        cell.click()
    page.wait_for_selector('[role=treeitem]')
    assert run in page.url
    page.click('#to-study')
    page.wait_for_selector(CELL)
    wait_for(page, '#state', 'not running')


def test_tasks_are_found_paged_and_kept_in_the_address(open_study, tmp_path):
    cells = list(begin_study(tmp_path, tasks=['household:60@1']).cells())
    for cell in cells[:40]:
        end_episode(tmp_path, cell)
    page = open_study()
    wait_for(page, '#range', '1 to 50 of 60 tasks')
    page.click('#after')
    wait_for(page, '#range', '51 to 60 of 60 tasks')
    page.click('#before')
    page.keyboard.press('/')
    page.keyboard.type('setup_table 11')
    wait_for(page, '#range', '1 task found')
    assert page.locator('#matrix tbody th').all_inner_texts()[0].startswith('setup_table:11')
    page.locator(f'a{CELL.rpartition(" ")[2]}').first.click()
    page.wait_for_selector('[role=treeitem]')
    page.go_back()
    wait_for(page, '#range', '1 task found')
    assert page.input_value('#find') == 'setup_table 11'
    page.fill('#find', '')
    page.select_option('#shown', 'waiting')
    wait_for(page, '#range', '40 tasks found')


def test_keys_go_from_episode_to_episode_and_stay_while_it_grows(open_study, tmp_path):
    cells = list(begin_study(tmp_path).cells())
    for cell in cells[:3]:
        end_episode(tmp_path, cell)
    page = open_study()
    page.focus('#shown')
    page.keyboard.press('Tab')
    label = 'document.activeElement.ariaLabel'
    # Past the frame, which scrolls by keys where a browser lets it be reached.
    for _ in range(3):
        if page.evaluate(label) and page.evaluate('document.activeElement.matches(".cell")'):
            break
        page.keyboard.press('Tab')
    assert page.evaluate(label).startswith('setup_table:7, none')
    page.keyboard.press('ArrowDown')
    page.keyboard.press('ArrowRight')
    page.keyboard.press('ArrowRight')
    assert page.evaluate(label) == 'put_fridge:8, both: not run yet'
    end_episode(tmp_path, cells[3])
    wait_for(page, '#done', '4 of 6')
    assert page.evaluate(label).startswith('put_fridge:8, both: ')
    assert 'decisions' in page.evaluate(label)
    page.keyboard.press('Enter')
    page.wait_for_selector('[role=treeitem]')


def test_what_rows_say_is_shown_and_never_obeyed(open_study, tmp_path):
    evil = '<img src=x onerror=document.title="taken">'
    cells = list(begin_study(tmp_path, models=[f'm{evil}', 'other']).cells())
    for cell in cells:
        append_row(tmp_path / ROWS, row_of_cell(cell, instruction=evil, reason=evil, run=evil))
    page = open_study()
    page.locator(CELL).first.hover()
    assert evil in page.inner_text('#detail')
    assert evil in page.inner_text('#groups')
    assert page.locator('main img, footer img, a.cell').count() == 0
    assert page.title() == f'{len(cells)} of {len(cells)} · {tmp_path.name} · reactree'


@pytest.mark.parametrize(('width', 'scheme'), [(1280, 'light'), (1280, 'dark'), (390, 'light')])
def test_it_can_be_read_in_light_and_dark_and_on_a_telephone(open_study, tmp_path, width, scheme):
    for cell in list(begin_study(tmp_path, presets=['default', 'published']).cells())[:9]:
        end_episode(tmp_path, cell)
    page = open_study(width=width, scheme=scheme)
    assert page.evaluate('document.documentElement.scrollWidth') == width
    texts = '.muted, .cell, h1, h2, th, td, dt, dd, .state, button, select'
    assert page.evaluate(CONTRAST, texts) >= 4.5
    assert page.evaluate(CONTRAST, '.sign') >= 3.0
    signs = page.eval_on_selector_all('#legend svg', 'all => all.map(one => one.innerHTML)')
    assert len(set(signs)) == len(signs) == 4


def test_a_viewer_without_a_study_says_how_one_is_shown(serve, open_page):
    _, url = serve()
    page = open_page(f'{url}study', wait='#trouble:not([hidden])', refused='404')
    assert 'reactree viewer --study FOLDER' in page.inner_text('#trouble')
