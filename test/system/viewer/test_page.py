"""The page in a real browser: live and recorded, small and large, with mouse, keys and thumbs."""

from __future__ import annotations

import socket
from dataclasses import asdict, replace
from itertools import islice
from urllib.parse import urlsplit

import pytest

from reactree_core.errors import SkillError
from reactree_core.experience import Experience, Termination
from reactree_core.observation import ObjectFact, Observation, Vocabulary, WORLD_RESET
from reactree_core.record.events import ControlFlow, Decision, DecisionKind, NodeStatus
from reactree_core.record.journal_lines import Answer
from reactree_core.record.run_settings import RunSettings
from reactree_core.record.snapshot import reduce_events
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.resume.logged_experiences import EXAMPLES, LoggedExperiences, RETRIEVE
from reactree_tools.viewer.sources import GivenRun
from reactree_tools.viewer.system_status import Approval, Condition, Health, OpenQuestion
from reactree_tools.viewer.web import stream
from sim_bridge.worlds.registry import make_world
from support.approved_run import approved_run, RULES
from support.contrast import CONTRAST
from support.goal_run import goal_run
from support.goal_run import WHY as NOT_VERIFIED
from support.made_up_runs import MadeUpRun
from support.repaired_run import OVERRULED, repaired_run, TASK, TIES, WANTED, WHY
from support.skill_kinds import declared

RUN = 'a' * 32
OTHER = 'b' * 32
ITEM = '[role=treeitem]'


def recorded(nodes, run_id=RUN):
    return GivenRun(run_id, MadeUpRun(nodes))


def items(page):
    return page.locator(ITEM).count()


def wait_for_items(page, count):
    page.wait_for_function(
        '([selector, count]) => document.querySelectorAll(selector).length === count',
        arg=[ITEM, count],
    )


def shown(page):
    """Events shown and events there are."""
    text = page.get_attribute('#position', 'aria-valuetext')
    return tuple(int(part) for part in text.partition(',')[0].removeprefix('event ').split(' of '))


def wait_for_moment(page, count):
    page.wait_for_function(
        'text => document.querySelector("#position").ariaValueText.startsWith(text)',
        arg=f'event {count} of ',
    )


def labels(page):
    return page.eval_on_selector_all(ITEM, 'all => all.map(one => one.ariaLabel)')


@pytest.mark.parametrize('nodes', [1, 60, 400])
def test_a_recorded_run_shows_every_node_with_its_status(serve, open_page, nodes):
    source = recorded(nodes)
    _, url = serve(source)
    page = open_page(url)
    tree = reduce_events(source.events(RUN))
    wait_for_items(page, len(tree.nodes))
    # The last nodes are listed before the events after them have come.
    page.wait_for_function(
        """() => document.querySelector("#about").innerText.startsWith("succeeded · record")
            && document.querySelector("[role=treeitem]").getAttribute("aria-label")
                .endsWith("succeeded")"""
    )
    words = ('not tried', 'at work', 'succeeded', 'failed', 'expanded', 'canceled')
    status = {node.node_id: words[node.status] for node in tree.nodes}
    for label in labels(page):
        assert label.endswith(status[int(label.partition(',')[0])])
    assert page.inner_text('#task') == tree.task
    assert page.locator('#about').inner_text().startswith('succeeded · record')


def test_a_live_run_grows_and_is_followed_until_another_begins(serve, open_page):
    runs, url = serve()
    page = open_page(url, wait='#tree-empty')
    events = list(MadeUpRun(40))
    history = runs.begin(RUN)
    for event in events[:60]:
        history.add(event)
    page.wait_for_selector(ITEM)
    tree = reduce_events(events[:60])
    wait_for_items(page, len(tree.nodes))
    selected = page.locator('[role=treeitem][aria-selected=true]')
    assert selected.get_attribute('data-id') == str(tree.active_node_id)
    assert selected.evaluate('one => one.classList.contains("active")')
    for event in events[60:]:
        history.add(event)
    page.wait_for_function('() => document.querySelector("#about").textContent.includes("record")')
    wait_for_items(page, len(reduce_events(events).nodes))
    another = runs.begin(OTHER)
    for event in islice(iter(MadeUpRun(1)), 4):
        another.add(event)
    wait_for_items(page, 1)
    assert OTHER[:8] in page.inner_text('#about')


@pytest.fixture
def plain_page(browser):
    """A page that may complain of what it is refused."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(20_000)
    yield page
    context.close()


def idle_stream(url):
    """A stream that somebody holds without reading it."""
    address = urlsplit(url)
    held = socket.create_connection((address.hostname, address.port), 20.0)
    held.sendall(b'GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
    assert held.recv(12) == b'HTTP/1.1 200'
    return held


def test_a_page_that_was_refused_asks_again_and_gets_in(serve, plain_page, monkeypatch):
    monkeypatch.setattr(stream, 'STREAMS_OF_ONE', 1)
    monkeypatch.setattr(stream, 'MIN_STREAM_SECONDS', 1000.0)
    _, url = serve(recorded(5))
    with idle_stream(url):
        with plain_page.expect_response('**/api/stream?*') as answer:
            plain_page.goto(url)
        assert answer.value.status == 429
        assert plain_page.locator(ITEM).count() == 0
    plain_page.wait_for_selector(ITEM)


def test_a_page_whose_stream_had_to_make_room_goes_on_where_it_was(serve, plain_page, monkeypatch):
    monkeypatch.setattr(stream, 'STREAMS_OF_ONE', 1)
    monkeypatch.setattr(stream, 'MIN_STREAM_SECONDS', 0.0)
    runs, url = serve()
    events = list(MadeUpRun(40))
    history = runs.begin(RUN)
    for event in events[:60]:
        history.add(event)
    plain_page.goto(url)
    plain_page.wait_for_selector(ITEM)
    with plain_page.expect_response('**/api/stream?*') as answer, idle_stream(url):
        for event in events[60:]:
            history.add(event)
    assert answer.value.status == 200
    assert answer.value.request.all_headers()['last-event-id'].startswith(f'{RUN}:')
    wait_for_items(plain_page, len(reduce_events(events).nodes))


def test_subtrees_fold_and_nodes_tell_what_they_did(serve, open_page):
    _, url = serve(recorded(60))
    page = open_page(url)
    before = items(page)
    root = page.locator(ITEM).first
    root.locator('.fold').click()
    wait_for_items(page, 1)
    assert root.get_attribute('aria-expanded') == 'false'
    root.locator('.fold').click()
    wait_for_items(page, before)
    page.locator('[role=treeitem][aria-label*="failed"]').first.click()
    page.wait_for_selector('#panel-node .entry.think')
    text = page.inner_text('#panel-node')
    assert 'THINKS' in text.upper()
    page.get_by_text('Prompt', exact=True).click()
    page.wait_for_selector('#panel-node pre')
    assert 'Your task is to:' in page.inner_text('#panel-node pre')


def test_scrubbing_shows_any_moment_and_comes_back_to_the_newest(serve, open_page):
    source = recorded(60)
    _, url = serve(source)
    page = open_page(url)
    events = source.events(RUN)
    whole = labels(page)
    assert shown(page) == (len(events), len(events))
    for moment in (40, 12, 80):
        page.locator('#position').fill(str(moment))
        tree = reduce_events(events[:moment])
        wait_for_items(page, len(tree.nodes))
        page.keyboard.press('.')
        wait_for_moment(page, moment + 1)
    page.click('#live')
    wait_for_items(page, len(whole))
    assert labels(page) == whole


def seen(sequence, node_id, thing, place, text='You look around.'):
    fact = ObjectFact(thing, 1, 'kitchen 1', place)
    return Observation(
        text,
        sequence=sequence,
        node_id=node_id,
        place=place,
        room='kitchen 1',
        looked_at=(place,),
        facts=(fact,),
    )


def test_what_an_earlier_trial_knew_is_gone_when_the_world_was_put_back(serve, open_page):
    trials = ('tidy up (trial 1 of 2)', 'tidy up (trial 2 of 2)')
    events = [
        Decision(1, 0, DecisionKind.START, text='tidy up', settings=RunSettings('try_again')),
        Decision(2, 1, DecisionKind.EXPAND, control_flow=ControlFlow.FALLBACK, subgoals=trials),
        seen(3, 3, 'apple', 'fridge 1'),
        Decision(4, 3, DecisionKind.FINISH, status=NodeStatus.FAILURE),
        Observation(WORLD_RESET, sequence=5, node_id=4),
        seen(6, 4, 'plate', 'sink 1'),
    ]
    _, url = serve(GivenRun(RUN, events))
    page = open_page(url)
    page.click('[role=tab][data-panel=memory]')
    page.wait_for_selector('#panel-memory .thing')
    memory = page.inner_text('#panel-memory')
    assert 'plate 1' in memory and 'sink 1 ✓' in memory
    assert 'apple 1' not in memory and 'fridge 1' not in memory
    page.keyboard.press(',')
    page.wait_for_selector('#panel-memory .empty')
    assert 'put back' in page.inner_text('#panel-memory')
    page.keyboard.press(',')
    page.wait_for_selector('#panel-memory .thing')
    assert 'fridge 1 ✓' in page.inner_text('#panel-memory')
    page.click('#live')
    page.click('[role=tab][data-panel=scene]')
    page.wait_for_selector('.path-list')
    assert page.inner_text('.path-list').split() == ['sink', '1', 'kitchen', '1']


def test_a_world_without_rooms_is_shown_as_an_outline_that_follows_it(serve, open_page):
    nodes = Nodes()
    hemp = {'name': '<img src=x onerror=taken()>', 'state': '0 of 2'}
    told = {'name': 'rope', 'state': '0 of 2', 'met': False, 'parts': [hemp]}
    nodes.graph = lambda: ('workshop', {'outline': told})
    _, url = serve(recorded(5), system_status=nodes)
    page = open_page(url)
    page.click('[role=tab][data-panel=scene]')
    page.wait_for_selector('.outline li li')
    assert page.inner_text('.outline').split('\n') == ['rope 0 of 2', f'{hemp["name"]} 0 of 2']
    assert page.locator('.outline .met').count() == 0
    hemp |= {'state': '2 of 2', 'met': True}
    page.wait_for_selector('.outline .met')
    assert page.inner_text('.outline .met') == f'{hemp["name"]} 2 of 2'


def test_a_house_appears_on_the_plan_as_it_is_explored(serve, open_page):
    world = make_world('procworld')
    at_first = world.reset('generated:6', '', 0)
    nodes = Nodes()
    nodes.graph = lambda: ('generated:6', world.graph())
    runs, url = serve(system_status=nodes)
    history = runs.begin(RUN)
    history.add(Decision(1, 0, DecisionKind.START, text='look', settings=RunSettings('react')))
    history.add(replace(at_first, sequence=2, node_id=1))
    page = open_page(url)
    page.click('[role=tab][data-panel=scene]')
    page.wait_for_selector('.plan .room-box')
    assert page.locator('.plan .room-box').count() == 1
    few = page.locator('.plan .location').count()
    assert few and page.locator('.plan .reach').count() == 1
    sequence = 3
    entered = {at_first.room}
    while len(entered) < 3:
        doors = [skill for skill in world.admissible_skills() if 'through' in skill]
        doors = [skill for skill in doors if sequence % 3] or [
            skill for skill in world.admissible_skills() if skill.startswith('go to loc')
        ]
        told = world.step(doors[sequence % len(doors)])
        history.add(replace(told, sequence=sequence, node_id=1))
        entered.add(told.room)
        sequence += 1
        assert sequence < 200
    page.wait_for_function('() => document.querySelectorAll(".plan .room-box").length >= 3')
    assert page.locator('.plan .location').count() > few
    page.wait_for_selector('.plan .location.visited')
    assert page.locator('.plan .plan-door').count() >= 2
    assert page.locator('.plan .path').count() == 1


def test_a_recorded_run_plays(serve, open_page):
    _, url = serve(recorded(5))
    page = open_page(url)
    total = shown(page)[1]
    page.click('#speed')
    page.click('#speed')
    page.click('#play')
    page.wait_for_function('() => document.querySelector("#play").ariaLabel === "Stop"')
    wait_for_moment(page, total)


def test_the_keyboard_alone_reaches_everything(serve, open_page):
    _, url = serve(recorded(60))
    page = open_page(url)
    before = items(page)
    page.keyboard.press('1')
    focused = 'document.activeElement.dataset.id'
    page.keyboard.press('Home')
    assert page.evaluate(focused) == '1'
    page.keyboard.press('ArrowLeft')
    wait_for_items(page, 1)
    page.keyboard.press('ArrowRight')
    wait_for_items(page, before)
    page.keyboard.press('ArrowDown')
    page.keyboard.press('ArrowDown')
    page.keyboard.press('Enter')
    chosen = page.evaluate(focused)
    page.wait_for_function(
        'id => document.querySelector("#panel-node h2 .muted").textContent === id', arg=chosen
    )
    page.keyboard.press('3')
    assert page.locator('#panel-memory').is_visible()
    total = shown(page)[1]
    page.keyboard.press(',')
    wait_for_moment(page, total - 1)
    page.keyboard.press('?')
    assert page.locator('#help').is_visible()
    page.keyboard.press('Escape')
    for _ in range(40):
        page.keyboard.press('Tab')
        if page.evaluate('document.activeElement.id') == 'position':
            break
    assert page.evaluate('document.activeElement.id') == 'position'


def test_a_telephone_shows_one_panel_at_a_time(serve, open_page):
    _, url = serve(recorded(60))
    page = open_page(url, width=390, height=800)
    assert page.evaluate('document.documentElement.scrollWidth') == 390
    assert page.locator('#tree').get_attribute('class') == 'outline'
    page.locator(ITEM).first.click()
    page.wait_for_selector('#panel-node h2')
    assert not page.locator('#panel-tree').is_visible()
    for name in ('memory', 'scene', 'runs', 'tree'):
        page.click(f'#tabs [data-panel={name}]')
        assert page.locator(f'#panel-{name}').is_visible()
        assert page.evaluate('document.documentElement.scrollWidth') == 390


def test_light_and_dark_can_be_read(serve, open_page):
    _, url = serve(recorded(60))
    backs = set()
    for scheme in ('light', 'dark'):
        page = open_page(url, scheme=scheme)
        backs.add(page.evaluate('getComputedStyle(document.body).backgroundColor'))
        texts = '.goal, .detail, .muted, .said, .label, h1, dd, button'
        assert page.evaluate(CONTRAST, texts) >= 4.5, scheme
        assert page.evaluate(CONTRAST, '.sign, .kind') >= 3.0, scheme
    page.keyboard.press('d')
    page.wait_for_function('() => document.documentElement.dataset.theme === "light"')
    backs.add(page.evaluate('getComputedStyle(document.body).backgroundColor'))
    assert len(backs) == 2


def test_every_status_and_kind_has_a_shape_of_its_own(serve, open_page):
    _, url = serve(recorded(1))
    page = open_page(url)
    page.keyboard.press('?')
    shapes = page.eval_on_selector_all('#legend svg', 'all => all.map(one => one.innerHTML)')
    assert len(shapes) == 9
    assert len(set(shapes)) == 9


def test_what_worlds_and_models_say_is_shown_and_never_obeyed(serve, open_page):
    evil = '<img src=x onerror=document.title="taken"><script>document.title="taken"</script>'
    events = [
        Decision(1, 0, DecisionKind.START, text=evil, settings=RunSettings(evil)),
        Decision(2, 1, DecisionKind.THINK, text=evil),
        Decision(
            3,
            1,
            DecisionKind.EXPAND,
            control_flow=ControlFlow.SEQUENCE,
            subgoals=(evil, '\u202eesrever'),
        ),
    ]
    _, url = serve(GivenRun(RUN, events))
    page = open_page(url)
    page.locator(ITEM).first.click()
    page.wait_for_selector('#panel-node .entry.think')
    assert evil in page.inner_text('#panel-node')
    assert page.inner_text('#task') == evil
    assert page.locator('main img, main script').count() == 0
    assert page.title() != 'taken'


@pytest.mark.parametrize('planner', ['reactree', 'react'])
def test_a_node_shows_what_memory_gave_it_as_text(serve, open_page, planner):
    evil = '<img src=x onerror=document.title="taken">'
    given = [
        Experience(name, f'{name} {evil}', f'text of {name} {evil}', Termination.SUCCESS)
        for name in ('one', 'two')
    ]
    events = list(MadeUpRun(1))
    start = replace(events[0], settings=RunSettings(planner))
    answers = [
        Answer(RETRIEVE, LoggedExperiences().answer(given)),
        Answer(EXAMPLES, {'chosen': ['two']}),
    ]
    _, url = serve(GivenRun(RUN, [start, events[1], *answers, *events[2:]]))
    page = open_page(url)
    page.locator(ITEM).first.click()
    page.get_by_text('Experiences', exact=True).click()
    page.wait_for_selector('.experience')
    told = page.locator('.experience summary').all_inner_texts()
    assert [text.partition(evil)[0] for text in told] == ['✓ two ', 'one ']
    assert '2 experiences. ✓ was chosen' in page.inner_text('.on-demand')
    page.get_by_text('Prompt', exact=True).click()
    page.wait_for_selector('.on-demand > details:first-child pre')
    prompt = page.inner_text('.on-demand > details:first-child')
    assert ('text of two' in prompt) == (planner == 'reactree')
    assert ('react writes around this are not recorded' in prompt) == (planner == 'react')
    assert page.locator('main img').count() == 0
    assert page.title() != 'taken'


def test_a_skill_says_who_allowed_it_and_answers_why_and_why_not(serve, open_page):
    _, url = serve(GivenRun(RUN, approved_run()), rules=RULES)
    page = open_page(url)
    page.locator(ITEM).first.click()
    act = page.locator('.entry.act', has_text='open gate 1')
    assert ', approved by Ada <b>, taken back by close gate 1' in act.inner_text()
    # What ends an agent is no skill.
    assert page.locator('.entry.act .why').count() == 1
    act.get_by_text('Why?').click()
    act.locator('.sentences').wait_for()
    said = act.inner_text()
    assert 'The agent had thought: "The first gate is the nearest."' in said
    assert 'It was approved by Ada <b> (rule "gates").' in said
    offered = act.locator('datalist option')
    assert [offered.nth(n).get_attribute('value') for n in range(2)] == [
        'open gate 2',
        'take knife 1',
    ]
    act.get_by_label('Why not, in place of open gate 1').fill('take knife 1')
    act.get_by_role('button', name='Ask').click()
    act.locator('.whys .sentences').wait_for()
    assert 'It was forbidden: Rule "hands off"' in act.locator('.whys').inner_text()
    page.get_by_text('Why it ended').click()
    page.get_by_text('The run ended with success: verified').wait_for()
    # It stays open while the moment that is shown does.
    assert act.locator('.sentences').count() == 2


def asked(waiting):
    return waiting.run_id, waiting.sequence, waiting.skill


class Nodes:
    """Stands in for the nodes around a viewer."""

    scene = 'somewhere'
    paused = stopped = False

    def __init__(self):
        self.told = []
        self.waiting = self.open = None

    def question(self):
        return self.open

    def approval(self):
        return self.waiting

    def answer_question(self, run_id, number, said):
        self.told.append((run_id, number, said))
        if self.open is None or (run_id, number) != (self.open.run_id, self.open.number):
            raise SkillError('No question is open.')
        if said not in self.open.options:
            raise SkillError(f'"{said}" is none of the options.')
        self.open = None
        return 'answered'

    def answer(self, run_id, sequence, skill, approve, reason):
        self.told.append((run_id, sequence, skill, approve, reason))
        if self.waiting is None or (run_id, sequence, skill) != asked(self.waiting):
            raise SkillError('No such request waits: it was answered elsewhere.')
        self.waiting = None
        return 'answered'

    def health(self):
        return (Health('bridge', Condition.BAD, 'gone'), Health('memory', Condition.GOOD, 'ready'))

    def graph(self):
        return 'somewhere', {'nodes': [], 'edges': []}

    def vocabulary(self):
        return declared(Vocabulary(('open <object>',), ('rope',), ('raft',)))

    def experiences(self, goal):
        return ()

    def pause(self, paused):
        self.told.append(('pause', paused))
        self.paused = paused
        return 'skills wait'

    def step(self):
        self.told.append('step')
        return 'one skill may run'

    def stop(self, stopped):
        self.stopped = stopped
        self.told.append(('stop', stopped))
        return 'stopped'

    def cancel(self, run_id):
        self.told.append(('cancel', run_id))
        return 'the run ends'


def test_a_run_is_controlled_by_whoever_has_the_token(serve, open_page):
    nodes = Nodes()
    runs, url = serve(system_status=nodes, control=nodes, token='t' * 24)
    history = runs.begin(RUN)
    for event in islice(iter(MadeUpRun(20)), 30):
        history.add(event)
    without = open_page(url)
    without.wait_for_selector('#health .bad')
    assert without.locator('#pause').is_disabled()
    page = open_page(f'{url}#token={"t" * 24}')
    assert '#token' not in page.url
    page.click('#pause')
    page.wait_for_function('() => document.querySelector("#pause").textContent === "Go on"')
    page.click('#step')
    page.click('#cancel')
    page.click('#cancel')
    page.click('#pause')
    page.wait_for_function('() => document.querySelector("#pause").textContent === "Pause"')
    assert nodes.told == [('pause', True), 'step', ('cancel', RUN), ('pause', False)]


def test_the_emergency_stop_is_pressed_at_once_and_released_by_two_clicks(serve, open_page):
    nodes = Nodes()
    runs, url = serve(system_status=nodes, control=nodes, token='t' * 24)
    history = runs.begin(RUN)
    for event in islice(iter(MadeUpRun(20)), 30):
        history.add(event)
    without = open_page(url)
    without.wait_for_selector('#health .bad')
    assert without.locator('#stop').is_disabled()
    page = open_page(f'{url}#token={"t" * 24}')
    says = '() => document.querySelector("#stop").textContent === '
    page.wait_for_function(f'{says} "Emergency stop"')
    page.click('#stop')
    page.wait_for_function(f'{says} "Release stop"')
    page.click('#stop')
    page.wait_for_function(f'{says} "Really?"')
    assert nodes.told == [('stop', True)]
    page.click('#stop')
    page.wait_for_function(f'{says} "Emergency stop"')
    assert nodes.told == [('stop', True), ('stop', False)]


TOKEN = 't' * 24
WAITING = Approval(
    RUN,
    31,
    'turn on stove 1',
    1,
    'warm the pudding',
    'stove 1',
    'kitchen 1',
    'the pudding is cold',
    'warm the pudding',
    42.0,
)


@pytest.fixture
def waiting(serve):
    """Nodes of which a skill waits for an answer, a live run, and the address."""
    nodes = Nodes()
    nodes.waiting = WAITING
    runs, url = serve(system_status=nodes, control=nodes, token=TOKEN)
    history = runs.begin(RUN)
    for event in islice(iter(MadeUpRun(20)), 30):
        history.add(event)
    return nodes, url


def wait_for_panel(page, shown):
    state = 'visible' if shown else 'hidden'
    page.wait_for_selector('#approval', state=state)


def test_a_skill_that_waits_is_shown_with_what_where_why_and_approved(waiting, open_page):
    nodes, url = waiting
    page = open_page(f'{url}#token={TOKEN}')
    wait_for_panel(page, True)
    text = page.inner_text('#approval')
    for words in ('turn on stove 1', 'stove 1, kitchen 1', 'the pudding is cold', '0:42 left'):
        assert words in text
    assert page.title().startswith('(approve?)')
    page.click('#approval-about a')
    page.wait_for_selector(f'{ITEM}[data-id="1"][aria-selected=true]')
    page.wait_for_selector('#approve:enabled')
    page.keyboard.press('a')
    page.keyboard.press('Enter')
    wait_for_panel(page, False)
    assert nodes.told == [(RUN, 31, 'turn on stove 1', True, '')]


def test_a_skill_is_refused_with_a_reason(waiting, open_page):
    nodes, url = waiting
    page = open_page(f'{url}#token={TOKEN}')
    page.fill('#approval-reason', 'the child is at the stove')
    page.click('#refuse')
    wait_for_panel(page, False)
    assert nodes.told == [(RUN, 31, 'turn on stove 1', False, 'the child is at the stove')]


def test_an_answer_that_the_planner_refuses_is_told_and_names_what_was_shown(waiting, open_page):
    nodes, url = waiting
    page = open_page(f'{url}#token={TOKEN}', refused='503')
    page.wait_for_selector('#approve:enabled')
    with page.expect_request('**/api/control/approve') as sent:
        # Between picture and click another skill has taken the place of the one that was shown.
        page.route('**/api/control/approve', lambda route: swap(nodes, route))
        page.click('#approve')
    assert sent.value.post_data_json['skill'] == 'turn on stove 1'
    page.wait_for_selector('#trouble:not([hidden])')
    assert page.inner_text('#trouble') == 'No such request waits: it was answered elsewhere.'
    page.wait_for_function(
        '() => document.querySelector("#approval-skill").textContent === "open fridge 1"'
    )
    assert nodes.told == [(RUN, 31, 'turn on stove 1', True, '')]


def swap(nodes, route):
    nodes.waiting = replace(WAITING, sequence=33, skill='open fridge 1')
    route.continue_()


def test_the_panel_goes_when_the_skill_was_answered_elsewhere(waiting, open_page):
    nodes, url = waiting
    page = open_page(f'{url}#token={TOKEN}')
    wait_for_panel(page, True)
    nodes.waiting = None
    wait_for_panel(page, False)
    assert nodes.told == []
    assert not page.title().startswith('(approve?)')


def test_without_the_token_a_skill_that_waits_is_shown_and_not_answered(waiting, open_page):
    _, url = waiting
    page = open_page(url)
    wait_for_panel(page, True)
    assert not page.locator('#approval-answer').is_visible()
    assert 'reactree approve' in page.inner_text('#approval-hint')


OPEN = OpenQuestion(
    RUN,
    31,
    'Which of these do you mean by "the red one"?',
    ('crate 1 in aisle 3', 'crate 4 at the dock', 'barrel 2'),
    'crate 1 in aisle 3',
    left=42.0,
)


def wait_for_question(page, shown):
    page.wait_for_selector('#question', state='visible' if shown else 'hidden')


def test_a_question_is_shown_with_its_options_and_answered_by_a_button(waiting, open_page):
    nodes, url = waiting
    nodes.waiting, nodes.open = None, OPEN
    page = open_page(f'{url}#token={TOKEN}')
    wait_for_question(page, True)
    text = page.inner_text('#question')
    for words in (OPEN.text, *OPEN.options, '0:42 left, then "crate 1 in aisle 3" is taken'):
        assert words in text
    assert page.title().startswith('(answer?)')
    page.wait_for_selector('#question-send:enabled')
    page.get_by_role('button', name='crate 4 at the dock').click()
    wait_for_question(page, False)
    assert nodes.told == [(RUN, 31, 'crate 4 at the dock')]


def test_a_question_is_answered_in_words_and_what_is_refused_is_told(waiting, open_page):
    nodes, url = waiting
    nodes.waiting, nodes.open = None, OPEN
    page = open_page(f'{url}#token={TOKEN}', refused='503')
    page.wait_for_selector('#question-send:enabled')
    page.fill('#question-words', 'the green one')
    page.keyboard.press('Enter')
    page.wait_for_selector('#trouble:not([hidden])')
    assert page.inner_text('#trouble') == '"the green one" is none of the options.'
    page.wait_for_selector('#question-send:enabled')
    page.fill('#question-words', 'barrel 2')
    page.click('#question-send')
    wait_for_question(page, False)
    assert [said for *_, said in nodes.told] == ['the green one', 'barrel 2']


def test_a_question_goes_when_it_was_answered_elsewhere_and_needs_the_token(waiting, open_page):
    nodes, url = waiting
    nodes.waiting, nodes.open = None, OPEN
    page = open_page(url)
    wait_for_question(page, True)
    assert not page.locator('#question-answer').is_visible()
    assert 'reactree answer' in page.inner_text('#question-hint')
    nodes.open = None
    wait_for_question(page, False)


def test_what_the_task_forbids_stands_under_it(serve, open_page):
    first, *rest = MadeUpRun(5)
    forbid = Decision(
        1, 0, DecisionKind.FORBID, subgoals=('turn on stove',), text='only if it is dark'
    )
    runs, url = serve(GivenRun(RUN, [first, forbid, *rest]))
    page = open_page(url)
    words = 'must not: turn on stove · left to the model: only if it is dark'
    assert page.inner_text('#must-not') == words
    live = runs.begin(OTHER)
    for event in (first, forbid, rest[0]):
        live.add(event)
    page.wait_for_function(
        'id => document.querySelector("#about").textContent.includes(id)', arg=OTHER[:8]
    )
    assert page.inner_text('#must-not') == words
    page.keyboard.press('Home')
    page.wait_for_selector('#must-not', state='hidden')


def test_the_head_tells_milestones_what_was_not_read_and_whether_it_is_verified(serve, open_page):
    _, url = serve(GivenRun(RUN, goal_run()))
    page = open_page(url)
    page.wait_for_selector('#milestones')
    told = page.locator('#milestones li').all_inner_texts()
    assert told == ['✓ crate in truck; pump is on (met)', '○ pump is off (next)']
    assert page.inner_text('#unread') == 'not read: "for uncle"'
    assert page.inner_text('#about').startswith(f'succeeded, {NOT_VERIFIED} · ')
    assert page.is_hidden('#reading')
    page.keyboard.press('Home')
    page.wait_for_selector('#unread', state='hidden')
    page.wait_for_selector('#milestones', state='hidden')


def test_a_task_is_read_while_it_is_written_and_nothing_moves(serve, open_page):
    nodes = Nodes()
    _, url = serve(recorded(3), system_status=nodes)
    page = open_page(url)
    page.click('#reading summary')
    page.fill('#reading-text', 'Open the raft.')
    page.wait_for_selector('#reading-whole.whole')
    assert page.locator('#reading-told .means').all_inner_texts() == ['raft is open']
    page.fill('#reading-text', 'Open the <i>kayak</i>.')
    page.wait_for_selector('#reading-whole.not-whole')
    assert 'kayak' in page.locator('#reading-told mark').all_inner_texts()
    page.fill('#reading-text', 'Is the raft open?')
    page.wait_for_selector('#reading-whole:has-text("This is a question")')
    page.fill('#reading-text', '')
    page.wait_for_selector('#reading-whole', state='detached')
    assert not nodes.told


def test_what_the_task_means_stands_under_it_and_a_repair_shows_what_it_replaced(serve, open_page):
    events = repaired_run()
    _, url = serve(GivenRun(RUN, events))
    page = open_page(url)
    wait_for_items(page, 9)
    assert page.inner_text('#task') == TASK
    told = ' · '.join((f'means: {"; ".join(WANTED)}', *TIES))
    assert page.inner_text('#means') == told
    replaced = page.locator(f'{ITEM}.replaced')
    assert [item.get_attribute('data-id') for item in replaced.all()] == ['2', '3', '4', '5']
    assert labels(page)[2:4] == [
        '3, load crate 1 from shelf 1, replaced, failed',
        '4, load crate 2 from shelf 2, replaced, not tried',
    ]
    assert labels(page)[-1] == '9, switch on the pump, succeeded'
    boxes = {
        item.get_attribute('data-id'): item.bounding_box() for item in page.locator(ITEM).all()
    }
    assert boxes['7']['y'] > boxes['5']['y'] and boxes['7']['x'] == boxes['5']['x']
    page.click('[data-id="1"]')
    again, over = page.locator('#panel-node .repair .said').all_inner_texts()
    assert again.split('\n')[0].endswith(f'sequence: {WHY}')
    assert 'load 2 crates into the truck' in again
    assert over == f'overruled, failed instead of succeeded: {OVERRULED}'
    assert page.locator('#marks .repair').count() == 2
    # Before the repair nothing was replaced.
    repair = next(place for place, event in enumerate(events) if is_repair(event))
    page.click('#to-start')
    page.wait_for_selector('#means', state='hidden')
    for _ in range(repair - 1):
        page.keyboard.press('.')
    wait_for_items(page, 5)
    page.wait_for_selector(f'{ITEM}[aria-label="3, load crate 1 from shelf 1, failed"]')
    assert replaced.count() == 0


def is_repair(event):
    return isinstance(event, Decision) and event.kind is DecisionKind.REPAIR


def test_furniture_seen_from_the_fridge_is_not_listed_as_if_it_were_in_it(serve, open_page):
    events = [Decision(1, 0, DecisionKind.START, text='look', settings=RunSettings('reactree'))]
    facts = (
        ObjectFact('apple', 1, 'kitchen 1', 'fridge 1'),
        ObjectFact('dishwasher', 1, 'kitchen 1', 'fridge 1', 'closed'),
    )
    look = seen(2, 1, 'apple', 'fridge 1')
    events.append(
        replace(look, facts=facts, admissible_skills=('pick up apple 1', 'open dishwasher 1'))
    )
    kinds = (
        SkillType('open <place>', kind=SkillKind.OPEN),
        SkillType('pick up <thing>', kind=SkillKind.TAKE),
    )
    declared = Answer('list_skills', {'vocabulary': asdict(Vocabulary(skill_types=kinds))})
    _, url = serve(GivenRun(RUN, [events[0], declared, *events[1:]]))
    page = open_page(url)
    page.keyboard.press('3')
    page.wait_for_selector('#panel-memory .thing')
    rows = dict(
        zip(
            page.locator('#panel-memory dt').all_inner_texts(),
            page.locator('#panel-memory dd').all_inner_texts(),
            strict=True,
        )
    )
    assert rows == {'near fridge 1 ✓': 'apple 1', 'in the room': 'dishwasher 1 closed'}
