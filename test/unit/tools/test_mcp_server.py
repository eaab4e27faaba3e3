"""Tools of the MCP server, asked by the SDK's client in this process; the planner is a double."""

from __future__ import annotations

import json
import threading

import anyio
import mcp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Observation, Vocabulary
from reactree_core.record.utterances import LONGEST_SAID
from reactree_core.skill_types import SkillKind, SkillType
from reactree_tools.mcp_server import (
    bounded,
    LONGEST_ANSWER,
    make_server,
)


class ToldRun:
    """A run that has told its lines already."""

    run_id = '3508702a' * 4

    def __init__(self, lines, waits='', ended=True):
        self.all_lines = lines
        self.waits = waits
        self.ended = ended
        self.canceled = threading.Event()

    @property
    def told(self):
        return len(self.all_lines)

    def wait(self, after, seconds):
        return self.canceled.wait(0.0) or after < self.told

    def lines(self, after):
        return self.all_lines[after:]

    def state(self):
        return [self.waits or ('Done.' if self.ended else 'The run goes on.')]

    def cancel(self):
        self.ended = True
        self.canceled.set()


class FakeDesk:
    """Writes down what it is asked."""

    def __init__(self, run=None):
        self.told = run
        self.asked = []

    def plan(self, *values):
        self.asked.append(('plan', *values))
        if self.told is None:
            raise SkillError('No planner answers: start one.')
        return self.told

    def run(self, run_id):
        if self.told is None:
            raise ConfigurationError('No task was sent yet.')
        return self.told

    def approve(self, *values):
        self.asked.append(('approve', *values))
        return 'It is approved.'

    def answer(self, *values):
        self.asked.append(('answer', *values))
        return 'The answer is "yes".'

    def say(self, *values):
        self.asked.append(('say', *values))
        if self.told is None:
            raise SkillError('No task is under way.')
        return 'It is said to the run.'

    def read(self, task):
        self.asked.append(('read', task))
        return {'text': task, 'whole': False, 'unread': ['"\x1b[31mküche']}

    def skills(self):
        types = (SkillType('grip <crate>', ('thing',), SkillKind.TAKE, description='one only'),)
        seen = Observation('A \x1b[31mshelf.', admissible_skills=('grip crate 1',) * 120)
        return Vocabulary(skill_types=types, about='A forklift.'), seen


def ask(desk, *calls, progress=None):
    """What each of some calls answers: text and whether it is an error."""

    async def heard(done, total, message):
        if progress is not None:
            progress.append((done, message))

    async def conversation():
        with anyio.fail_after(60):
            async with mcp.Client(make_server(desk)) as client:
                found = []
                for tool, arguments in calls:
                    result = await client.call_tool(tool, arguments, progress_callback=heard)
                    text = '\n'.join(part.text for part in result.content)
                    found.append((text, bool(result.is_error)))
                return found

    return anyio.run(conversation)


def test_what_a_run_tells_is_notified_line_by_line_and_answered_as_a_whole():
    desk = FakeDesk(ToldRun(['one', 'two', 'three']))
    progress = []
    calls = ('plan', {'task': ' tidy up ', 'max_steps': 5}), ('follow', {'after': 2})
    (planned, _), (followed, _) = ask(desk, *calls, progress=progress)
    assert desk.asked == [('plan', 'tidy up', '', 0, 5, 0.0, '')]
    assert progress == [(1, 'one'), (2, 'two'), (3, 'three'), (3, 'three')]
    assert 'lines 1 to 3:\none\ntwo\nthree\nDone.' in planned
    assert 'lines 3 to 3:\nthree\nDone.' in followed
    assert 'after=3' in followed


def test_a_run_that_goes_on_is_left_after_the_wait():
    ((text, failed),) = ask(
        FakeDesk(ToldRun(['one'], ended=False)), ('follow', {'wait_seconds': 0.1})
    )
    assert not failed and 'The run goes on.' in text


def test_what_a_person_is_asked_is_told_and_not_answered():
    desk = FakeDesk(ToldRun(['one'], waits='Waits for approval of the skill "grip"', ended=False))
    ((text, _),) = ask(desk, ('plan', {'task': 'tidy'}))
    assert 'Waits for approval of the skill "grip"' in text
    assert [kind for kind, *_ in desk.asked] == ['plan']


def test_answers_are_passed_on():
    desk = FakeDesk(ToldRun([]))
    calls = (
        ('approve', {'skill': 'grip', 'allow': False, 'reason': 'hot'}),
        ('answer', {'said': '2', 'run_id': '35'}),
    )
    assert [text for text, _ in ask(desk, *calls)] == ['It is approved.', 'The answer is "yes".']
    assert desk.asked == [('approve', '', 'grip', False, 'hot'), ('answer', '35', '2')]


def test_what_a_person_says_meanwhile_is_passed_on_word_for_word():
    desk = FakeDesk(ToldRun([], ended=False))
    calls = (
        ('say', {'text': 'No, the OTHER one!'}),
        ('say', {'text': 'warte, nicht den Herd', 'run_id': '35'}),
    )
    assert ask(desk, *calls) == [('It is said to the run.', False)] * 2
    assert desk.asked == [
        ('say', '', 'No, the OTHER one!'), ('say', '35', 'warte, nicht den Herd')
    ]  # fmt: skip


def test_where_no_task_is_under_way_it_is_told_so():
    ((text, failed),) = ask(FakeDesk(), ('say', {'text': 'wait'}))
    assert failed and 'No task is under way.' in text


@given(st.text(min_size=1, max_size=LONGEST_SAID))
@settings(max_examples=25, deadline=None)
def test_whatever_is_said_arrives_as_it_is_or_is_refused(text):
    desk = FakeDesk(ToldRun([], ended=False))
    ((_, failed),) = ask(desk, ('say', {'text': text}))
    assert desk.asked == [] if failed else desk.asked[0][2].strip() == text.strip()
    assert not failed or not text.strip()


def test_a_run_is_canceled():
    run = ToldRun(['one'], ended=False)
    ((text, _),) = ask(FakeDesk(run), ('cancel', {}))
    assert run.canceled.is_set() and 'Done.' in text


def test_errors_are_sentences():
    (planned, first), (followed, second) = ask(FakeDesk(), ('plan', {'task': ''}), ('follow', {}))
    assert first and 'No planner answers: start one.' in planned
    assert second and 'No task was sent yet.' in followed


@pytest.mark.parametrize(
    ('tool', 'arguments'),
    [
        ('plan', {'task': 'x' * 2001}),
        ('plan', {'task': 'x', 'ask': 'sometimes'}),
        ('plan', {'task': 'x', 'max_steps': -1}),
        ('follow', {'wait_seconds': 1e9}),
        ('answer', {'said': ''}),
        ('say', {'text': ''}),
        ('say', {'text': 'x' * (LONGEST_SAID + 1)}),
        ('approve', {'allow': True}),
    ],
)
def test_values_out_of_range_reach_no_planner(tool, arguments):
    desk = FakeDesk(ToldRun([]))
    ((_, failed),) = ask(desk, (tool, arguments))
    assert failed and desk.asked == []


@pytest.mark.parametrize(
    ('tool', 'arguments'),
    [
        ('plan', {'task': 'tidy', 'max_step': 5}),
        ('follow', {'run': '35'}),
        ('list_skills', {'all': True}),
    ],
)
def test_an_argument_that_a_tool_does_not_have_is_refused_with_those_it_has(tool, arguments):
    desk = FakeDesk(ToldRun([]))
    ((text, failed),) = ask(desk, (tool, arguments))
    assert failed and desk.asked == []
    assert f'{tool} takes no {list(arguments)[-1]}; its arguments are ' in text
    assert 'Nothing was done.' in text


def test_the_schemas_say_that_there_are_no_other_arguments():
    async def conversation():
        async with mcp.Client(make_server(FakeDesk())) as client:
            return (await client.list_tools()).tools

    assert all(
        tool.input_schema['additionalProperties'] is False for tool in anyio.run(conversation)
    )


@pytest.mark.parametrize('name', ['../../etc/passwd', '/tmp/bag', '--help', ''])
def test_only_runs_are_looked_at(name):
    ((text, failed),) = ask(FakeDesk(), ('look_at_run', {'run': name}))
    assert failed and "first digits of a run's id" in text


def test_skills_are_listed_within_bounds_and_without_control_characters():
    ((text, _),) = ask(FakeDesk(), ('list_skills', {}))
    assert '  grip <crate> (take): one only' in text
    assert 'Possible now: (20 more)' in text
    assert '\x1b' not in text


def test_tools_that_move_the_robot_or_speak_for_a_person_are_marked():
    async def conversation():
        async with mcp.Client(make_server(FakeDesk())) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool.annotations for tool in anyio.run(conversation)}
    assert {name for name, marks in tools.items() if marks.destructive_hint} == {
        'plan',
        'answer',
        'approve',
        'say',
    }
    assert {name for name, marks in tools.items() if marks.read_only_hint} == {
        'follow',
        'list_skills',
        'look_at_run',
        'read_task',
    }


@given(st.lists(st.text(max_size=4000), max_size=8))
def test_any_text_is_bounded(lines):
    text = bounded(lines)
    assert len(text) <= LONGEST_ANSWER + 60
    assert '\x1b' not in text


def test_a_task_is_read_before_anything_moves():
    desk = FakeDesk()
    ((text, failed),) = ask(desk, ('read_task', {'task': 'tidy the küche'}))
    told = json.loads(text)
    assert not failed and '\x1b' not in text
    assert desk.asked == [('read', 'tidy the küche')]
    assert told['text'] == 'tidy the küche' and told['whole'] is False and told['unread']
    (refused,) = ask(desk, ('read_task', {'task': 'a' * 2001}))
    assert refused[1]
