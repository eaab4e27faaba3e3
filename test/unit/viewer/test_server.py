"""The server: whom it answers, what it streams, and what it never gives away."""

from __future__ import annotations

import json
import socket
from dataclasses import replace

import httpx
import pytest

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.experience import Experience, Termination
from reactree_core.observation import Vocabulary
from reactree_core.record.events import NodeStatus
from reactree_core.record.journal import Journal
from reactree_tools.viewer.outline import outline
from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.sources import GivenRun, JournalFolder
from reactree_tools.viewer.system_status import Approval, Condition, Health, OpenQuestion
from reactree_tools.viewer.web import application
from reactree_tools.viewer.web.application import TOKEN_HEADER, Viewer
from reactree_tools.viewer.web.guard import is_token, make_token, VARIABLE
from reactree_tools.viewer.web.server import ViewerServer
from sim_bridge.worlds.household.scenes import generate_apartment
from support.made_up_runs import MadeUpRun
from support.skill_kinds import declared

RUN = 'a' * 32
TOKEN = 'the-right-token-of-24-chars'


class Nodes:
    """Stands in for the nodes around a viewer."""

    scene = 'generated:3'
    paused = stopped = lost = False
    waiting = None
    open = None

    def health(self):
        return (Health('bridge', Condition.GOOD, 'ready'),)

    def question(self):
        return self.open

    def approval(self):
        return self.waiting

    def answer(self, run_id, sequence, skill, approve, reason):
        if (run_id, sequence, skill) != (RUN, 7, 'turn on stove 1'):
            raise SkillError('No such request waits.')
        return f'approved {approve} {reason}'

    def answer_question(self, run_id, number, said):
        if (run_id, number) != (RUN, 7):
            raise SkillError('No question is open.')
        return f'The answer is "{said}".'

    def graph(self):
        return self.scene, generate_apartment(3)

    def vocabulary(self):
        if self.lost:
            raise SkillError('No bridge is there.')
        return declared(Vocabulary(('open <object>',), ('rope',), ('raft',)))

    def experiences(self, goal):
        found = Experience('1', goal, 'Act: done', Termination.SUCCESS, 'seed')
        return (found,)

    def pause(self, paused):
        self.paused = paused
        return 'skills wait'

    def stop(self, stopped):
        self.stopped = stopped
        return 'stopped' if stopped else 'released'

    def step(self):
        raise SkillError('The planner did not step: not paused.')

    def cancel(self, run_id):
        return f'{run_id} ends'


def messages(client, until, **params):
    """Messages of the stream up to the first of a kind."""
    found = []
    with client.stream('GET', 'api/stream', params=params) as response:
        assert response.headers['content-type'].startswith('text/event-stream')
        kind = ''
        for line in response.iter_lines():
            if line.startswith('event: '):
                kind = line.removeprefix('event: ')
            elif line.startswith('data: '):
                found.append((kind, json.loads(line.removeprefix('data: '))))
                if until(*found[-1]):
                    return found
    raise AssertionError('the stream has ended')


def test_the_page_and_its_files_come_with_a_strict_policy(serve):
    _, client = serve()
    for name in ('', 'study', 'main.js', 'viewer.css', 'icon.svg'):
        answer = client.get(name)
        assert answer.status_code == 200, name
        policy = answer.headers['content-security-policy']
        assert "default-src 'none'" in policy
        assert 'unsafe' not in policy
        assert answer.headers['x-content-type-options'] == 'nosniff'
    page = client.get('').text
    assert 'http://' not in page
    assert 'https://' not in page
    assert '<script>' not in page


@pytest.mark.parametrize('path', ['nothing.js', '../sources.py', '%2e%2e/sources.py', 'api/none'])
def test_nothing_else_can_be_had(serve, path):
    _, client = serve()
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ('header', 'value'),
    [
        ('host', 'evil.example'),
        ('host', 'evil.example:8765'),
        ('host', '127.0.0.1.evil.example'),
        ('host', ''),
        ('host', '[::1'),
        ('origin', 'http://evil.example'),
        ('origin', 'null'),
        ('sec-fetch-site', 'cross-site'),
        ('sec-fetch-site', 'same-site'),
    ],
)
@pytest.mark.parametrize('path', ['', 'api/runs', 'api/stream'])
def test_other_pages_and_rebound_names_are_refused(serve, header, value, path):
    _, client = serve(GivenRun(RUN, MadeUpRun(3)))
    answer = client.get(path, headers={header: value})
    assert answer.status_code == 403
    assert 'tidy up' not in answer.text


@pytest.mark.parametrize('host', ['localhost:9000', '127.0.0.1:1', '[::1]:8765', 'LOCALHOST'])
def test_a_forwarded_port_is_answered(serve, host):
    _, client = serve()
    headers = {'host': host, 'origin': f'http://{host}', 'sec-fetch-site': 'same-origin'}
    assert client.get('api/runs', headers=headers).status_code == 200


def test_a_recorded_run_is_streamed_whole_and_taken_up_where_it_was_left(serve):
    source = GivenRun(RUN, MadeUpRun(300))
    _, client = serve(source)
    total = len(tuple(source.events(RUN)))
    found = messages(client, lambda kind, what: kind == 'frames' and what['end'] == total)
    assert [kind for kind, _ in found][:2] == ['status', 'run']
    frames = [frame for kind, what in found if kind == 'frames' for frame in what['frames']]
    assert len(frames) == total
    rest = messages(client, lambda kind, _: kind == 'frames', has=f'{RUN}:{total - 5}')[-1][1]
    assert rest['frames'] == frames[-5:]
    other = messages(client, lambda kind, _: kind == 'frames', has=f'{"b" * 32}:{total}')[-1][1]
    assert other['frames'] == frames[: len(other['frames'])]


@pytest.mark.parametrize('has', ['', ':', f'{RUN}:', f'{RUN}:-1', f'{RUN}:{"9" * 30}', 'x:1:2'])
def test_a_position_that_makes_no_sense_begins_at_the_start(serve, has):
    _, client = serve(GivenRun(RUN, MadeUpRun(3)))
    what = messages(client, lambda kind, _: kind == 'frames', has=has)[-1][1]
    assert what['frames'][0]['event']['kind'] == 'start'


def test_a_run_that_is_not_there_is_told_in_the_stream(serve):
    _, client = serve()
    found = messages(client, lambda kind, _: kind == 'trouble', run='f' * 32)
    assert 'No record of this run' in found[-1][1]['message']


def test_a_page_hears_of_a_live_run_and_of_health(serve):
    runs, client = serve(system_status=Nodes())
    runs.begin(RUN).add(next(iter(MadeUpRun(1))))
    found = messages(client, lambda kind, _: kind == 'frames')
    status = dict(found)['status']
    assert status['health'] == [{'part': 'bridge', 'condition': 'good', 'text': 'ready'}]
    assert dict(found)['run'] == {'run': RUN, 'live': True, 'position': 0}


def test_a_run_known_from_its_record_goes_on_when_it_turns_out_to_be_live(serve):
    events = list(MadeUpRun(5))
    runs, client = serve(GivenRun(RUN, events[:6]))
    sent = []

    def go_on(kind, what):
        if kind == 'frames':
            sent.extend(what['frames'])
            if len(sent) == 6:
                history = runs.begin(RUN)
                for event in events:
                    history.add(event)
        return len(sent) >= len(events)

    found = messages(client, go_on)
    assert len(sent) == len(events)
    assert [what['live'] for kind, what in found if kind == 'run'] == [False, False]
    assert sent[-1]['run']['finished']


def test_a_page_follows_the_journal_of_somebody_elses_run(serve, tmp_path):
    events = list(MadeUpRun(20))
    journal = Journal(tmp_path, RUN)
    for event in events[:30]:
        journal.append(event)
    _, client = serve(JournalFolder(tmp_path))
    ends = []

    def grown(kind, data):
        if kind != 'frames':
            return False
        ends.append(data['end'])
        if len(ends) == 1:
            for event in events[30:]:
                journal.append(event)
            journal.close()
        return data['end'] == len(events)

    found = messages(client, grown, run=RUN)
    assert ends[0] == 30
    assert not any(data['anew'] for kind, data in found if kind == 'frames')
    assert [data['position'] for kind, data in found if kind == 'run'] == [0, 30]


def test_a_damaged_journal_is_listed_as_such_and_told_when_it_is_looked_at(serve, tmp_path):
    journal = Journal(tmp_path, RUN)
    for event in MadeUpRun(20):
        journal.append(event)
    journal.close()
    damaged = 'b' * 32
    (tmp_path / f'{damaged}.jsonl').write_text('[' * 100_000 + '\n')
    _, client = serve(JournalFolder(tmp_path))
    listed = {run['run']: run for run in client.get('api/runs').json()}
    assert listed.keys() == {RUN, damaged}
    assert listed[damaged]['trouble']
    assert (listed[RUN]['trouble'], listed[RUN]['task']) == (
        '',
        'tidy up the whole house and set the table for two',
    )
    *_, (kind, _) = messages(client, lambda kind, _: kind in ('run', 'trouble'), run=damaged)
    assert kind == 'trouble'


def test_prompt_scene_and_experiences_come_on_demand(serve):
    _, client = serve(GivenRun(RUN, MadeUpRun(20)), system_status=Nodes())
    text = client.get('api/prompt', params={'run': RUN, 'node': 3}).json()['text']
    assert 'The larger task is: tidy up' in text
    assert 'Act: go to ' in text or 'Expand:' in text
    plan = client.get('api/scene').json()['plan']
    assert {'kitchen 1', 'bedroom 1'} <= {room['name'] for room in plan['rooms']}
    assert any(box['name'] == 'fridge 1' for box in plan['fixtures'])
    found = client.get('api/experiences', params={'goal': 'put it down'}).json()['experiences']
    assert found[0]['goal'] == 'put it down'
    assert client.get('api/prompt', params={'run': RUN, 'node': '1; drop'}).status_code == 400
    assert client.get('api/prompt', params={'run': RUN, 'node': 999}).json()['text'] == ''
    assert client.get('api/prompt', params={'run': 'b' * 32, 'node': 1}).status_code == 503


@pytest.mark.parametrize(
    ('told', 'shown'),
    [
        ({'name': 'raft', 'met': True}, {'name': 'raft', 'state': '', 'met': True, 'parts': []}),
        (
            {'name': 'a\x1b[2Jb', 'state': 3, 'met': 'yes', 'parts': [7, {'name': None}]},
            {'name': 'a[2Jb', 'state': '3', 'met': False, 'parts': []},
        ),
        ({'parts': []}, None),
        ('raft', None),
    ],
)
def test_an_outline_is_what_is_shown_of_a_world_without_rooms(serve, told, shown):
    nodes = Nodes()
    nodes.graph = lambda: ('workshop', {'outline': told})
    _, client = serve(GivenRun(RUN, MadeUpRun(3)), system_status=nodes)
    assert client.get('api/scene').json() == {'plan': None, 'outline': shown}


def test_a_task_is_read_where_a_skill_server_is(serve):
    nodes = Nodes()
    _, client = serve(system_status=nodes)
    told = client.get('api/read', params={'text': 'Open the raft.'}).json()
    assert told['whole'] and told['milestones'] == [['raft is open']]
    told = client.get('api/read', params={'text': 'Open the <b>kayak</b>.'}).json()
    assert not told['whole'] and told['because']
    assert client.get('api/read').json()['answer'].startswith('The task has no words')
    assert client.get('api/read', params={'text': 'a' * 2001}).status_code >= 400

    nodes.lost = True
    answer = client.get('api/read', params={'text': 'Open the raft.'})
    assert (answer.status_code, answer.json()['message']) == (503, 'No bridge is there.')
    _, client = serve(GivenRun(RUN, MadeUpRun(3)))
    assert client.get('api/read', params={'text': 'Open the raft.'}).status_code == 404


def test_an_outline_is_bounded():
    deep = {'name': 'x'}
    for _ in range(100):
        deep = {'name': 'x' * 1000, 'parts': [deep] * 2}

    def entries(found):
        return [found, *(one for part in found.parts for one in entries(part))]

    found = entries(outline({'outline': deep}))
    assert len(found) == 500
    assert max(len(one.name) for one in found) < 250
    wide = {'name': 'x', 'parts': [{'name': 'y'}] * 10_000}
    assert len(entries(outline({'outline': wide}))) == 500


def test_many_pages_that_follow_a_robot_ask_the_bridge_once(serve, monkeypatch):
    nodes, asked = Nodes(), []

    def graph():
        asked.append(True)
        if len(asked) > 1:
            raise SkillError('the bridge is gone')
        return 'porter', {'outline': {'name': 'porter'}}

    nodes.graph = graph
    _, client = serve(GivenRun(RUN, MadeUpRun(3)), system_status=nodes)
    monkeypatch.setattr(application, '_SCENE_SECONDS', 600.0)
    answers = [client.get('api/scene') for _ in range(5)]
    assert len(asked) == 1 and {answer.status_code for answer in answers} == {200}
    monkeypatch.setattr(application, '_SCENE_SECONDS', 0.0)
    client.get('api/scene')
    monkeypatch.setattr(application, '_SCENE_SECONDS', 600.0)
    for _ in range(2):
        answer = client.get('api/scene')
        assert answer.status_code == 503 and answer.json()['message'] == 'the bridge is gone'
    assert len(asked) == 2


def test_without_nodes_there_is_no_scene_and_no_memory(serve):
    _, client = serve(GivenRun(RUN, MadeUpRun(3)))
    assert client.get('api/scene').json() == {'plan': None, 'outline': None}
    assert client.get('api/experiences', params={'goal': 'x'}).json() == {
        'source': '',
        'offered': 0,
        'experiences': [],
    }


@pytest.mark.parametrize('token', ['', 'wrong', TOKEN[:-1], TOKEN + 'x', 'ü'])
def test_control_needs_the_whole_token(serve, token):
    nodes = Nodes()
    _, client = serve(control=nodes, token=TOKEN)
    headers = {TOKEN_HEADER: token.encode()}
    assert client.post('api/control/pause', json={}, headers=headers).status_code == 403
    assert not nodes.paused


def test_with_the_token_control_is_passed_on_with_the_planners_own_words(serve):
    nodes = Nodes()
    _, client = serve(control=nodes, token=TOKEN)

    def tell(what, content=b'{}', **headers):
        return client.post(
            f'api/control/{what}', content=content, headers={TOKEN_HEADER: TOKEN, **headers}
        )

    assert tell('pause').json() == {'message': 'skills wait'}
    assert nodes.paused
    assert tell('stop').json() == {'message': 'stopped'} and nodes.stopped
    assert tell('release').json() == {'message': 'released'} and not nodes.stopped
    assert tell('step').status_code == 503
    assert 'did not step' in tell('step').json()['message']
    assert tell('cancel', json.dumps({'run': RUN}).encode()).json()['message'].startswith(RUN)
    assert tell('explode').status_code == 404
    assert tell('pause', b'[1').status_code == 400
    assert tell('pause', b'x' * 10_000).status_code == 413
    assert tell('pause', origin='http://evil.example').status_code == 403
    assert client.get('api/control/pause', headers={TOKEN_HEADER: TOKEN}).status_code == 405


def test_a_viewer_without_control_refuses_every_token(serve):
    _, client = serve()
    answer = client.post('api/control/pause', json={}, headers={TOKEN_HEADER: ''})
    assert answer.status_code == 403


def test_tokens_are_made_or_taken_from_the_environment(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert make_token() != make_token()
    monkeypatch.setenv(VARIABLE, 'short')
    with pytest.raises(ConfigurationError, match=VARIABLE):
        make_token()
    monkeypatch.setenv(VARIABLE, TOKEN)
    assert is_token(TOKEN, make_token())
    assert not is_token('', '')


def test_a_port_that_is_taken_is_told_and_only_this_machine_is_served():
    with ViewerServer(Viewer(Runs()), 0) as server:
        with pytest.raises(ConfigurationError, match='choose another port'):
            ViewerServer(Viewer(Runs()), server.port)
        with pytest.raises(OSError):
            socket.create_connection(('127.0.0.2', server.port), timeout=2.0).close()
        assert httpx.get(server.url).status_code == 200
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.url, timeout=2.0)


def test_the_server_ends_while_pages_are_open():
    runs = Runs([GivenRun(RUN, MadeUpRun(3))])
    with ViewerServer(Viewer(runs), 0) as server:
        client = httpx.Client(base_url=server.url, timeout=20.0)
        stream = client.stream('GET', 'api/stream')
        lines = stream.__enter__().iter_lines()
        assert next(lines).startswith('event: ')
    assert list(lines)
    client.close()


WAITING = Approval(
    RUN, 7, 'turn on stove 1', 3, 'cook', 'stove 1', 'kitchen 1', 'hungry', '', 41.2
)


def test_a_waiting_approval_is_told_with_what_where_why_and_the_time_left(serve):
    nodes = Nodes()
    _, client = serve(system_status=nodes)
    assert messages(client, lambda kind, _: kind == 'status')[-1][1]['approval'] is None
    nodes.waiting = WAITING
    told = messages(client, lambda kind, _: kind == 'status')[-1][1]['approval']
    assert (told['run'], told['sequence'], told['skill']) == (RUN, 7, 'turn on stove 1')
    assert (told['place'], told['room'], told['reason']) == ('stove 1', 'kitchen 1', 'hungry')
    assert told['left'] == 42


def test_an_answer_names_what_was_shown_and_needs_the_token(serve):
    nodes = Nodes()
    nodes.waiting = WAITING
    _, client = serve(system_status=nodes, control=nodes, token=TOKEN)
    shown = {'run': RUN, 'sequence': 7, 'skill': 'turn on stove 1'}

    def tell(what, token=TOKEN, **content):
        return client.post(f'api/control/{what}', json=content, headers={TOKEN_HEADER: token})

    assert tell('approve', 'wrong', **shown).status_code == 403
    assert tell('approve', **shown).json() == {'message': 'approved True '}
    refused = tell('refuse', **shown, reason='not\x1b[31m now\n')
    assert refused.json() == {'message': 'approved False not[31m now'}
    for other in ({'run': 'b' * 32}, {'sequence': 8}, {'skill': 'open fridge 1'}):
        answer = tell('approve', **{**shown, **other})
        assert (answer.status_code, answer.json()['message']) == (503, 'No such request waits.')
    for broken in (
        {'run': 5},
        {'run': ''},
        {'sequence': '7'},
        {'sequence': True},
        {'sequence': -1},
        {'sequence': 2**32},
        {'skill': None},
        {'skill': ''},
    ):
        answer = tell('approve', **{**shown, **broken})
        assert answer.status_code == 503
        assert 'names the run' in answer.json()['message']


def test_without_control_nothing_can_be_answered(serve):
    nodes = Nodes()
    nodes.waiting = WAITING
    _, client = serve(system_status=nodes)
    for what in ('approve', 'answer'):
        assert client.post(f'api/control/{what}', json={}).status_code == 403


def test_an_open_question_is_told_with_its_options_and_the_time_left(serve):
    nodes = Nodes()
    _, client = serve(system_status=nodes)
    assert messages(client, lambda kind, _: kind == 'status')[-1][1]['question'] is None
    nodes.open = OpenQuestion(RUN, 7, 'Which crate?', ('red', 'blue'), 'red', left=41.2)
    told = messages(client, lambda kind, _: kind == 'status')[-1][1]['question']
    assert (told['run'], told['number'], told['text']) == (RUN, 7, 'Which crate?')
    assert (told['options'], told['default'], told['left']) == (['red', 'blue'], 'red', 42)


def test_an_answer_to_a_question_names_it_and_needs_the_token(serve):
    nodes = Nodes()
    _, client = serve(system_status=nodes, control=nodes, token=TOKEN)
    given = {'run': RUN, 'number': 7, 'answer': 'the\x1b[31m red\none'}

    def tell(token=TOKEN, **changed):
        headers = {TOKEN_HEADER: token}
        return client.post('api/control/answer', json=given | changed, headers=headers)

    assert tell('wrong').status_code == 403
    assert tell().json() == {'message': 'The answer is "the[31m red one".'}
    assert len(tell(answer='x' * 2000).json()['message']) < 700
    for other in ({'run': 'b' * 32}, {'number': 8}):
        assert (tell(**other).status_code, tell(**other).json()['message']) == (
            503, 'No question is open.'
        )  # fmt: skip
    for broken in (
        {'run': 5}, {'run': ''}, {'number': '7'}, {'number': True}, {'number': 0},
        {'number': 2**32}, {'answer': None}, {'answer': '  '}, {'answer': ['red']},
    ):  # fmt: skip
        assert tell(**broken).status_code == 503
        assert 'names run and number' in tell(**broken).json()['message']


def test_runs_are_listed_with_planner_result_and_reason(serve):
    *events, last = MadeUpRun(3)
    text = 'The run took 9 decisions, all it may: raise max_decisions to let it go on longer.'
    end = replace(last, status=NodeStatus.CANCELED, text=text)
    runs, client = serve(GivenRun(RUN, [*events, end]))
    live = runs.begin('b' * 32)
    for event in [*events, end]:
        live.add(event)
    for run in client.get('api/runs').json():
        assert run['planner'] == 'reactree'
        assert (run['result'], run['reason']) == ('stopped by the decision limit', text)
