"""`reactree mcp` with the SDK's own client, against real nodes with a scripted model."""

from __future__ import annotations

import json
import re
import socket
from concurrent.futures import ThreadPoolExecutor

import anyio
import mcp
import pytest
import yaml

from reactree_tools.processes.nodes import find_executable
from support.waiting import wait_for

TASK = 'look into the fridge'
TOOLS = {
    'plan',
    'follow',
    'answer',
    'approve',
    'cancel',
    'list_skills',
    'look_at_run',
    'read_task',
    'say',
}


def stdio(environment):
    """The command as clients start it."""
    command = str(find_executable('reactree'))
    return mcp.StdioServerParameters(command=command, args=['mcp'], env=environment)


def answers(port):
    """Whether something takes connections there."""
    with socket.socket() as client:
        return client.connect_ex(('127.0.0.1', port)) == 0


def text_of(result):
    return '\n'.join(part.text for part in result.content)


async def called(client, tool, progress=None, **arguments):
    """What a tool answers, and whether that is an error."""

    async def heard(done, total, message):
        if progress is not None:
            progress.append((done, message))

    result = await client.call_tool(tool, arguments, progress_callback=heard)
    return text_of(result), bool(result.is_error)


def run_with(server, conversation):
    """Hold a conversation with a server, with a deadline."""

    async def within_time():
        with anyio.fail_after(240):
            async with mcp.Client(server) as client:
                await conversation(client)

    # A thread of its own: a browser of another test may keep a loop in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(anyio.run, within_time).result()


@pytest.mark.timeout(400)
def test_a_task_is_planned_followed_and_looked_at(start, nodes, environment):
    start('up', *nodes(runs=2)).wait_for('Ready.')

    async def conversation(client):
        tools = await client.list_tools()
        assert {tool.name for tool in tools.tools} == TOOLS
        assert all(tool.description for tool in tools.tools)

        text, _ = await called(client, 'follow')
        assert text.endswith('No task was sent yet.')

        text, failed = await called(client, 'list_skills')
        assert not failed
        assert 'pick up <object> (take)' in text and 'go to kitchen 1' in text

        text, failed = await called(client, 'read_task', task='Close the fridge.')
        assert not failed and json.loads(text)['milestones'] == [['fridge is closed']]
        text, failed = await called(client, 'read_task', task='Is there any milk?')
        assert not failed and 'question' in json.loads(text)['answer']

        progress = []
        text, failed = await called(client, 'plan', progress, task=TASK, wait_seconds=120)
        assert not failed
        assert 'You move to the kitchen' in text
        assert 'Done, as the planner says (not known: ' in text
        assert [done for done, _ in progress] == list(range(1, len(progress) + 1))
        assert any('go to kitchen 1' in message for _, message in progress)
        run_id = re.search('Run ([0-9a-f]{32})', text)[1]

        # The last notifications, and lines, may arrive after the answer.
        after = int(re.search(r'after=(\d+)', text)[1])
        assert 0 < len(progress) <= after
        for _ in range(20):
            text, _ = await called(client, 'follow', run_id=run_id[:8], after=after)
            first, last = map(int, re.search(r'lines (\d+) to (\d+)', text).groups())
            assert first == after + 1
            if last == after:
                break
            after = last
        # Nothing more is told once the run is over.
        assert f'lines {after + 1} to {after}' in text

        text, failed = await called(client, 'look_at_run', run=run_id[:8], transcript=True)
        assert not failed and TASK in text
        # The next, with the same server, told in its own lines.
        text, failed = await called(client, 'plan', task=TASK, wait_seconds=120)
        assert not failed and run_id not in text
        assert 'Done, as the planner says' in text

        text, failed = await called(client, 'look_at_run', run='../../etc/passwd')
        assert failed and "a run's id" in text

    run_with(stdio(environment), conversation)


@pytest.mark.timeout(400)
def test_what_a_person_is_asked_stays_asked(start, nodes, environment, tmp_path):
    params = tmp_path / 'ask.yaml'
    params.write_text(
        yaml.safe_dump({'/**/planner': {'ros__parameters': {'require_approval': True}}})
    )
    start('up', *nodes(), '--params', str(params)).wait_for('Ready.')
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    start('mcp', '--http', str(port)).wait_for('Serving')
    wait_for(lambda: answers(port), 'the server answers', 60.0)

    async def conversation(client):
        text, _ = await called(client, 'plan', task=TASK, ask='always', wait_seconds=60)
        assert f'Is this what you want: {TASK}?' in text and '1 yes, 2 no' in text
        text, failed = await called(client, 'answer', said='perhaps')
        assert failed and '1 yes, 2 no' in text
        text, failed = await called(client, 'answer', said='yes')
        assert not failed and 'The answer is "yes".' in text

        text, _ = await called(client, 'follow', wait_seconds=60)
        while 'Waits for approval' not in text:
            text, _ = await called(client, 'follow', wait_seconds=60)
        assert 'Waits for approval of the skill "go to kitchen 1"' in text
        # Nothing moves until somebody has said so, about this very skill.
        text, failed = await called(client, 'approve', skill='go to bedroom 1', allow=True)
        assert failed and ', not "go to bedroom 1"' in text
        text, _ = await called(client, 'follow', wait_seconds=2)
        assert 'You move to the kitchen' not in text
        text, failed = await called(client, 'approve', skill='go to kitchen 1', allow=True)
        assert not failed and 'is approved' in text

        text, _ = await called(client, 'follow', wait_seconds=60)
        while 'You move to the kitchen' not in text:
            text, _ = await called(client, 'follow', wait_seconds=60)
        text, failed = await called(client, 'cancel')
        assert not failed and 'Canceled' in text

    run_with(f'http://127.0.0.1:{port}/mcp', conversation)


@pytest.mark.timeout(200)
def test_without_nodes_the_tools_say_what_to_do(environment):
    async def conversation(client):
        text, failed = await called(client, 'plan', task=TASK)
        assert failed and 'Start one with `reactree up`' in text
        text, failed = await called(client, 'list_skills')
        assert failed and 'start a bridge' in text

    run_with(stdio(environment), conversation)
