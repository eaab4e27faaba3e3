"""A team's run in a real browser: what its robots did at the same time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import Decision, DecisionKind
from reactree_tools.team_episode import TeamEpisode
from reactree_tools.viewer.sources import GivenRun
from support.made_up_runs import MadeUpRun

RUN = 'a' * 32


@pytest.fixture(scope='module')
def events():
    """A run of two robots in which one waits, and a skill fails."""
    one = TeamEpisode('generated:9', 'generated:9', 9)
    assert one.run()
    told = list(one.events)
    # A second between two events: they all came at once.
    told = [replace(event, stamp=float(number)) for number, event in enumerate(told)]
    act = next(
        n for n, e in enumerate(told) if isinstance(e, Decision) and e.kind is DecisionKind.ACT
    )
    wait = Decision(
        0,
        told[act].node_id,
        DecisionKind.THINK,
        text='waits for robot_2, which is at fridge 1',
        stamp=act - 0.5,
        who=told[act].who,
    )
    told.insert(act, wait)
    last = next(n for n in reversed(range(len(told))) if isinstance(told[n], Observation))
    told[last] = replace(told[last], outcome=Outcome.EXECUTION_FAILED)
    return told


def bars(page, number, kind=''):
    return page.locator(f'.lane >> nth={number} >> .doing{kind}')


def test_each_robot_has_a_lane_with_its_skills(serve, open_page, events):
    _, url = serve(GivenRun(RUN, events))
    page = open_page(url)
    page.locator('.lane').first.wait_for()
    assert page.locator('.lane > button').all_inner_texts() == ['robot_1', 'robot_2']
    for number, who in enumerate(('robot_1', 'robot_2')):
        skills = [e.skill for e in events if isinstance(e, Decision) and e.skill and e.who == who]
        told = bars(page, number).all_inner_texts()
        assert [text for text in told if not text.startswith('waits')] == skills
        track = page.locator('.track').nth(number).bounding_box()
        for bar in bars(page, number).all():
            box = bar.bounding_box()
            assert box['width'] >= 3 and track['x'] - 1 <= box['x'] <= track['x'] + track['width']
    assert bars(page, 0, '.wait').count() + bars(page, 1, '.wait').count() == 1
    assert page.locator('.doing.refused').count() == 1
    # At one moment both are at work: bars of the two lanes stand above each other.
    first, second = (
        [bar.bounding_box() for bar in bars(page, number, '.success').all()] for number in (0, 1)
    )
    assert any(
        a['x'] < b['x'] + b['width'] and b['x'] < a['x'] + a['width']
        for a in first
        for b in second
    )


def test_a_bar_leads_to_the_agent_of_its_robot(serve, open_page, events):
    _, url = serve(GivenRun(RUN, events))
    page = open_page(url)
    page.locator('.doing.success').first.wait_for()
    for number, who in enumerate(('robot_1', 'robot_2')):
        bars(page, number, '.success').first.click()
        chosen = page.locator('[role=treeitem][aria-selected=true]')
        assert who in chosen.inner_text()
    page.locator('.lane > button').first.click()
    assert 'robot_1' in page.locator('[role=treeitem][aria-selected=true]').inner_text()


def test_an_earlier_moment_has_the_skills_that_were_begun_by_then(serve, open_page, events):
    _, url = serve(GivenRun(RUN, events))
    page = open_page(url)
    page.locator('.doing.success').first.wait_for()
    whole = page.locator('.doing').count()
    page.locator('#position').focus()
    for _ in range(6):
        page.keyboard.press('ArrowLeft')
    page.wait_for_function(
        'count => document.querySelectorAll(".doing").length < count', arg=whole
    )
    page.keyboard.press('Home')
    page.wait_for_function('() => document.querySelector("#lanes").classList.contains("away")')


def test_a_run_of_one_robot_has_none(serve, open_page):
    _, url = serve(GivenRun(RUN, MadeUpRun(5)))
    page = open_page(url)
    assert not page.locator('#lanes').is_visible()
