"""Finding one's way in a real browser: links to a place, searches, and big trees at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.record.events import Decision, DecisionKind, NodeKind, NodeStatus
from reactree_core.record.run_settings import RunSettings
from reactree_core.record.snapshot import reduce_events
from reactree_tools.viewer.sources import GivenRun
from support.made_up_runs import MadeUpRun

NEWEST, OLDER, SHORT = 'a' * 32, 'b' * 32, 'c' * 32
ITEM = '[role=treeitem]'
SELECTED = '[role=treeitem][aria-selected=true]'
LIMIT = 'The run took 40 decisions, all it may: raise max_decisions to let it go on longer.'


def limited():
    """A run that a limit has ended, with a task and a planner of its own."""
    start, *rest, end = MadeUpRun(30, seed=3)
    start = replace(start, text='water the plants', settings=RunSettings('react'))
    return [start, *rest, replace(end, status=NodeStatus.CANCELED, text=LIMIT)]


@pytest.fixture
def three_runs(serve):
    """The address of a viewer with three recorded runs."""
    runs = (NEWEST, MadeUpRun(60)), (OLDER, limited()), (SHORT, MadeUpRun(1))
    return serve(*(GivenRun(run_id, events) for run_id, events in runs))[1]


def wait_for_run(page, run_id):
    page.wait_for_function(
        'id => document.querySelector("#about").textContent.includes(id)', arg=run_id[:8]
    )


def wait_for_selected(page, node_id):
    page.wait_for_selector(f'{SELECTED}[data-id="{node_id}"]')


def wait_for_address(page, ending):
    page.wait_for_function('ending => location.href.endsWith(ending)', arg=ending)


def moment(page):
    text = page.get_attribute('#position', 'aria-valuetext')
    return int(text.partition(' of ')[0].removeprefix('event '))


def test_a_link_opens_its_run_its_node_and_its_event(three_runs, open_page):
    events = limited()[:45]
    node_id = reduce_events(events).nodes[-1].node_id
    page = open_page(f'{three_runs}#run={OLDER}&node={node_id}&event=45')
    wait_for_run(page, OLDER)
    wait_for_selected(page, node_id)
    assert moment(page) == 45
    assert page.locator(ITEM).count() == len(reduce_events(events).nodes)
    assert page.locator('#live').get_attribute('aria-pressed') == 'false'
    by_time = open_page(f'{three_runs}#run={OLDER}&time={events[-1].stamp:.3f}')
    wait_for_run(by_time, OLDER)
    assert by_time.inner_text('#clock').startswith('0:0')
    assert 1 < moment(by_time) < len(limited())


def test_the_address_follows_and_back_and_forward_go_there(three_runs, open_page):
    page = open_page(three_runs)
    wait_for_run(page, NEWEST)
    page.locator(ITEM).nth(2).click()
    first = page.locator(SELECTED).get_attribute('data-id')
    wait_for_address(page, f'#run={NEWEST}&node={first}')
    page.locator('#position').fill('20')
    wait_for_address(page, f'#run={NEWEST}&node={first}&event=20')
    page.keyboard.press('5')
    page.locator('.run-choice', has_text='water the plants').click()
    wait_for_run(page, OLDER)
    wait_for_address(page, f'#run={OLDER}')
    page.go_back()
    wait_for_run(page, NEWEST)
    wait_for_selected(page, first)
    page.wait_for_function('() => document.querySelector("#position").value === "20"')
    page.go_back()
    page.wait_for_function('() => !location.hash')
    page.wait_for_function('() => document.querySelector("#live").ariaPressed === "true"')
    page.go_forward()
    page.go_forward()
    wait_for_run(page, OLDER)
    assert page.evaluate('location.hash') == f'#run={OLDER}'


def test_a_link_to_a_run_that_is_not_there_says_so_and_others_can_be_chosen(three_runs, open_page):
    page = open_page(f'{three_runs}#run={"f" * 32}&node=3', wait='#trouble:not([hidden])')
    assert 'No record of this run' in page.inner_text('#trouble')
    page.keyboard.press('5')
    page.locator('.run-choice', has_text='water the plants').click()
    wait_for_run(page, OLDER)
    assert not page.locator('#trouble').is_visible()


def test_a_token_leaves_the_address_and_the_link_stays(three_runs, open_page):
    page = open_page(f'{three_runs}#run={OLDER}&token={"t" * 24}')
    wait_for_run(page, OLDER)
    assert page.url.endswith(f'#run={OLDER}')


@pytest.mark.parametrize('words', ['plants', 'REACT water', 'decision limit', OLDER[:8]])
def test_runs_are_found_by_task_planner_result_and_id(three_runs, open_page, words):
    page = open_page(three_runs)
    page.keyboard.press('5')
    page.wait_for_selector('.run-choice >> nth=3')
    page.keyboard.press('/')
    page.keyboard.type(words)
    page.wait_for_function('() => document.querySelectorAll(".run-choice").length === 1')
    told = page.inner_text('.run-choice')
    assert 'water the plants' in told and 'stopped by the decision limit' in told
    assert page.inner_text('.run-search output') == '1 run of 3'
    page.fill('#run-search', 'nothing of the sort')
    page.wait_for_selector('#panel-runs .empty')
    assert page.locator('.run-choice').count() == 0


def big():
    """A run of 259 agents."""
    events = list(MadeUpRun(327))
    tree = reduce_events(events)
    assert sum(node.kind is NodeKind.AGENT for node in tree.nodes) == 259
    return events


def wait_until_drawn(page):
    """A big tree is drawn in several steps, and its overview with it."""
    page.wait_for_function('() => document.querySelectorAll(".node.agent").length === 259')


OUT_OF_SIGHT = """() => {
  const room = document.querySelector('#tree-scroll').getBoundingClientRect();
  return [...document.querySelectorAll('.node.agent')].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width < 2 || box.height < 1.5 || box.left < room.left - 1 || box.top < room.top - 1
      || box.right > room.right + 1 || box.bottom > room.bottom + 1;
  }).length;
}"""


@pytest.mark.parametrize('size', [(1280, 800), (1000, 600), (540, 800)])
def test_259_agents_are_seen_at_once_and_again_as_large_as_before(serve, open_page, size):
    _, url = serve(GivenRun(NEWEST, big()))
    page = open_page(url, *size)
    wait_until_drawn(page)
    before = page.evaluate(OUT_OF_SIGHT)
    assert before > 200
    page.keyboard.press('z')
    page.wait_for_function(f'() => ({OUT_OF_SIGHT})() === 0')
    assert page.locator('#fit').get_attribute('aria-pressed') == 'true'
    page.set_viewport_size({'width': size[0] - 150, 'height': size[1] + 60})
    page.wait_for_function(f'() => ({OUT_OF_SIGHT})() === 0')
    page.keyboard.press('z')
    page.wait_for_function(f'() => ({OUT_OF_SIGHT})() > 200')


def test_the_overview_leads_to_any_part_of_a_big_tree(serve, open_page):
    _, url = serve(GivenRun(NEWEST, big()))
    page = open_page(url)
    wait_until_drawn(page)
    page.wait_for_selector('#overview:not(.away)')
    box = page.locator('#overview').bounding_box()
    page.mouse.click(box['x'] + box['width'] * 0.9, box['y'] + box['height'] * 0.5)
    page.wait_for_function(
        """() => {
          const place = document.querySelector('#tree-scroll');
          return place.scrollTop > place.scrollHeight * 0.3 && place.scrollLeft > 0;
        }"""
    )
    small = open_page(f'{url}#run={NEWEST}&event=4')
    assert not small.locator('#overview').is_visible()


def test_nodes_are_found_by_goal_and_skill_and_enter_goes_to_the_next(serve, open_page):
    events = big()
    tree = reduce_events(events)
    acting = {
        event.node_id
        for event in events
        if isinstance(event, Decision)
        and event.kind is DecisionKind.ACT
        and 'coffee table 2' in event.skill
    }
    assert acting
    wanted = [node for node in tree.nodes if 'pudding in bedroom' in node.goal]
    _, url = serve(GivenRun(NEWEST, events))
    page = open_page(url)
    page.keyboard.press('e')
    page.keyboard.press('/')
    page.keyboard.type('bedroom pudding')
    page.wait_for_function(
        'text => document.querySelector("#found").textContent === text',
        arg=f'{len(wanted)} found',
    )
    visited = []
    for number in range(1, len(wanted) + 1):
        page.keyboard.press('Enter')
        page.wait_for_function(
            'text => document.querySelector("#found").textContent === text',
            arg=f'{number} of {len(wanted)}',
        )
        page.wait_for_function(f'() => document.querySelector("{SELECTED}.found")')
        visited.append(int(page.locator(SELECTED).get_attribute('data-id')))
    assert sorted(visited) == sorted(node.node_id for node in wanted)
    page.keyboard.press('Enter')
    wait_for_selected(page, visited[0])
    page.keyboard.press('Shift+Enter')
    wait_for_selected(page, visited[-1])
    assert page.evaluate('document.activeElement.id') == 'find'
    page.keyboard.press('Escape')
    assert page.locator('.node.found').count() == 0
    page.keyboard.type('go to coffee table 2')
    page.wait_for_function(
        'text => document.querySelector("#found").textContent === text',
        arg=f'{len(acting)} found',
    )


def test_only_one_node_looks_active_however_the_tree_has_grown(serve, open_page):
    runs, url = serve()
    page = open_page(url, wait='#tree-empty')
    history = runs.begin(NEWEST)
    events = list(MadeUpRun(60))
    for start in range(0, len(events) - 20, 20):
        for event in events[start : start + 20]:
            history.add(event)
        tree = reduce_events(events[: start + 20])
        if not tree.active_node_id:
            continue
        page.wait_for_selector(f'.node.active[data-id="{tree.active_node_id}"]')
        if not start:
            page.locator(ITEM).first.click()
        assert page.locator('.node.active').count() == 1
        assert page.locator(SELECTED).count() == 1


def test_one_agent_is_one_agent(serve, open_page):
    _, url = serve(GivenRun(SHORT, MadeUpRun(1)))
    page = open_page(url)
    assert page.inner_text('#tree-count') == '1 agent, 1 ended'
