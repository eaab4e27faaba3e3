"""The viewer node beside real nodes: what a page is told, and what it may do."""

from __future__ import annotations

import json
import threading

import httpx
import pytest
from rclpy.context import Context
from rclpy.parameter import Parameter

from reactree_core.ros.conversions import run_id_from_message, run_id_to_message
from reactree_core.ros.spinning import NodesInThread
from reactree_tools.viewer.ros.node import ViewerNode
from reactree_tools.viewer.web.application import TOKEN_HEADER

PATIENCE = 30.0
TASK = 'set the table'


class Page:
    """Reads the stream as a page does, in a thread of its own."""

    def __init__(self, url, run='newest'):
        self._client = httpx.Client(timeout=PATIENCE)
        self.arrived = threading.Condition()
        self.frames = []
        self.statuses = []
        self.run = ''
        self._response = self._client.stream('GET', f'{url}api/stream', params={'run': run})
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        kind = ''
        try:
            with self._response as response:
                for line in response.iter_lines():
                    if line.startswith('event: '):
                        kind = line.removeprefix('event: ')
                    elif line.startswith('data: '):
                        self._take(kind, json.loads(line.removeprefix('data: ')))
        except httpx.HTTPError:
            return  # the test ends, or the server does

    def _take(self, kind, content):
        with self.arrived:
            if kind == 'run':
                if (self.run, len(self.frames)) != (content['run'], content['position']):
                    self.run, self.frames = content['run'], []
            elif kind == 'frames':
                self.frames += content['frames']
            elif kind == 'status':
                self.statuses.append(content)
            self.arrived.notify_all()

    def wait(self, condition, what):
        with self.arrived:
            assert self.arrived.wait_for(lambda: condition(self), PATIENCE), what

    def close(self):
        self._client.close()
        self._thread.join(PATIENCE)


@pytest.fixture
def open_page():
    pages = []

    def begin(url, run='newest'):
        pages.append(Page(url, run))
        return pages[-1]

    yield begin
    for page in pages:
        page.close()


@pytest.fixture
def open_viewer(tmp_path, open_page):
    """Starts viewer nodes beside a stack, on a free port; they end before the pages do."""
    ends = []

    def begin(stack, journals=tmp_path / 'runs', **parameters):
        context = Context()
        context.init()
        addresses = []
        given = {'port': 0, 'journal_directory': str(journals), **parameters}
        node = ViewerNode(
            tell=addresses.append,
            context=context,
            namespace=stack.planner.get_namespace(),
            parameter_overrides=[Parameter(name, value=value) for name, value in given.items()],
        )
        thread = NodesInThread(context, node)
        thread.start()
        ends.extend([context.try_shutdown, lambda: thread.end(PATIENCE)])
        return node.url, addresses[0]

    yield begin
    for end in reversed(ends):
        end()


def last(page):
    return page.frames[-1]['run'] if page.frames else {}


def nodes_of(page):
    return {node[0]: node for frame in page.frames for node in frame['nodes']}


def test_a_page_sees_the_whole_run_and_the_health_of_all_parts(make_stack, open_viewer, open_page):
    stack = make_stack()
    url, _ = open_viewer(stack)
    page = open_page(url)
    page.wait(
        lambda page: (
            page.statuses
            and {part['condition'] for part in page.statuses[-1]['health']} == {'good'}
        ),
        'not all parts are found',
    )
    answer = stack.plan(task=TASK, max_decisions=60)
    page.wait(lambda page: last(page).get('finished'), 'the run does not end on the page')
    tree = answer.result.tree
    assert page.run == run_id_from_message(tree.run_id)
    assert {node.node_id: (node.kind, node.status, node.goal) for node in tree.nodes} == {
        key: (node[2], node[3], node[4]) for key, node in nodes_of(page).items()
    }
    assert last(page)['decisions'] == tree.decisions
    assert last(page)['limits']['decisions'] == 60
    assert any(frame.get('facts') for frame in page.frames), 'working memory stays empty'
    plan = httpx.get(f'{url}api/scene', timeout=PATIENCE).json()['plan']
    assert plan['scene'] == 'generated:9001'
    assert {'kitchen 1'} <= {room['name'] for room in plan['rooms']}
    goal = {'goal': 'put an apple in the fridge'}
    found = httpx.get(f'{url}api/experiences', params=goal, timeout=PATIENCE).json()
    assert found['experiences'][0]['text']


@pytest.mark.parametrize('with_journal', [True, False])
def test_a_viewer_that_comes_late_shows_the_tree_from_its_root(
    make_stack, open_viewer, open_page, tmp_path, with_journal
):
    stack = make_stack()
    stack.planner._gate.pause(True)
    handle = stack.send(task=TASK)
    stack.wait(lambda: len(stack.decisions) >= 3)
    url, _ = open_viewer(stack, tmp_path / ('runs' if with_journal else 'elsewhere'))
    page = open_page(url)
    page.wait(lambda page: 1 in nodes_of(page), 'the root does not show')
    stack.planner._gate.pause(False)
    tree = stack.result_of(handle.get_result_async()).result.tree
    page.wait(lambda page: last(page).get('finished'), 'the run does not end on the page')
    assert {node.node_id: (node.status, node.goal) for node in tree.nodes} == {
        key: (node[3], node[4]) for key, node in nodes_of(page).items()
    }
    kinds = [frame['event']['kind'] for frame in page.frames]
    assert kinds[0] == ('start' if with_journal else 'joined')
    assert last(page)['task'] == TASK


def test_with_the_token_a_run_is_paused_stepped_and_cancelled(make_stack, open_viewer, open_page):
    stack = make_stack(planner=(('preset', 'default,ask=never'),))
    url, address = open_viewer(stack, control=True)
    token = address.partition('#token=')[2]
    assert token
    page = open_page(url)
    page.wait(
        lambda page: page.statuses and page.statuses[-1]['health'][0]['condition'] == 'good',
        'no planner',
    )

    def tell(what, token=token, **content):
        headers = {TOKEN_HEADER: token}
        return httpx.post(
            f'{url}api/control/{what}', json=content, headers=headers, timeout=PATIENCE
        )

    assert tell('pause', token='guessed').status_code == 403
    assert tell('pause').status_code == 200
    page.wait(lambda page: page.statuses[-1]['paused'], 'the pause is not told')
    handle = stack.send(task=TASK)
    assert handle.accepted
    stack.wait(lambda: stack.decisions)
    before = skills(stack)
    assert before == 0
    assert tell('step').status_code == 200
    stack.wait(lambda: skills(stack) == 1)
    run_id = run_id_from_message(stack.decisions[0].run_id)
    assert tell('cancel', run=run_id).status_code == 200
    result = stack.result_of(handle.get_result_async()).result
    assert result.error_code == result.CANCELED
    assert tell('cancel', run=run_id).status_code == 503
    assert tell('resume').status_code == 200


def test_a_run_that_was_resumed_is_cancelled_too(make_stack, open_viewer, open_page, tmp_path):
    run_id = run_id_from_message(make_stack().plan(task=TASK).result.tree.run_id)
    cut_after_the_first_skill(tmp_path / 'runs' / f'{run_id}.jsonl')
    stack = make_stack()
    stack.planner._gate.pause(True)
    url, address = open_viewer(stack, control=True)
    page = open_page(url)
    handle = stack.send(task=TASK, resume_run=run_id_to_message(run_id))
    assert handle.accepted
    page.wait(lambda page: page.run == run_id and page.frames, 'the run does not show')
    page.wait(lambda page: page.statuses[-1]['health'][0]['text'] == 'at work', 'no run')

    def cancel(run_id):
        headers = {TOKEN_HEADER: address.partition('#token=')[2]}
        return httpx.post(
            f'{url}api/control/cancel', json={'run': run_id}, headers=headers, timeout=PATIENCE
        )

    another = cancel('f' * 32)
    assert another.status_code == 503
    assert 'ended already' in another.json()['message']
    assert not last(page)['finished']
    answer = cancel(run_id)
    assert answer.status_code == 200, answer.text
    result = stack.result_of(handle.get_result_async()).result
    assert result.error_code == result.CANCELED
    page.wait(lambda page: last(page)['finished'], 'the run does not end on the page')
    assert cancel(run_id).status_code == 503


def cut_after_the_first_skill(journal):
    """As if the planner had been killed there."""
    lines = journal.read_text(encoding='utf-8').splitlines(keepends=True)
    events = [json.loads(line) for line in lines]
    end = next(place for place, event in enumerate(events) if event.get('skill')) + 1
    while events[end]['event'] != 'observation':
        end += 1
    journal.write_text(''.join(lines[: end + 1]), encoding='utf-8')


@pytest.mark.parametrize('planner', ['reactree', 'zero_shot'])
def test_a_node_tells_what_memory_gave_it_then(make_stack, open_viewer, planner):
    stack = make_stack(planner=(('preset', 'default,example_count=2,no-ground-words'),))
    run_id = run_id_from_message(
        stack.plan(task=TASK, planner=planner, max_decisions=8).result.tree.run_id
    )
    url, _ = open_viewer(stack)

    def ask(what, **params):
        params = {'run': run_id, 'node': 1, 'goal': TASK, **params}
        return httpx.get(f'{url}api/{what}', params=params, timeout=PATIENCE).json()

    found = ask('experiences')
    assert found['source'] == 'journal'
    shown = [one['text'] for one in found['experiences'] if one['shown']]
    prompt = ask('prompt')
    assert 'Your task is to: set the table' in prompt['text']
    assert prompt['whole'] == (planner == 'reactree')
    if planner == 'reactree':
        assert len(shown) == 2 and found['offered'] > 2
        assert all(text.strip() in prompt['text'] for text in shown)
    else:
        # Memory has no plans, and only those are shown to a planner that writes plans.
        assert not shown


def skills(stack):
    return sum(bool(message.skill) for message in stack.observations)


def test_a_viewer_without_control_changes_nothing(make_stack, open_viewer):
    stack = make_stack()
    url, address = open_viewer(stack)
    assert 'token' not in address
    assert httpx.post(f'{url}api/control/pause', json={}, timeout=PATIENCE).status_code == 403
    assert not stack.planner._gate.paused


def test_a_page_that_never_reads_does_not_hold_the_planner_up(make_stack, open_viewer):
    stack = make_stack()
    url, _ = open_viewer(stack)
    with httpx.stream('GET', f'{url}api/stream', timeout=PATIENCE) as response:
        assert response.status_code == 200
        assert stack.plan(task=TASK).result.success
