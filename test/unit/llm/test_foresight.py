"""What an agent is asked bit by bit is answered by one request; else it is asked as ever."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Role, Turn
from reactree_core.ports import ForeseeingSession, Outlook
from reactree_planner.llm.openai_server.foresight import continuation_of, listed_first, listed_last
from reactree_planner.llm.openai_server.model import OpenAiServerModel
from reactree_planner.llm.option_constraints import folded
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.run_log import RunLog

CHAT, COMPLETIONS = '/v1/chat/completions', '/v1/completions'
SKILLS = ('go to fridge 1', 'open fridge 1', 'recall location of egg', 'done')
KINDS = ('Act:', 'Think:', 'Expand:\n')
LINES = tuple(f' {skill}\n' for skill in SKILLS)
FLOWS = ('sequence', 'fallback')
OUTLOOK = Outlook(
    'Act:', SKILLS, 'Think:', '\nOK.\n', False, 'Expand:\n', FLOWS, '- control flow:',
    '- subgoals:', frozenset({'recall location of egg'}),
)  # fmt: skip
TEXT = 'Your task is to: open the fridge\nYou see a fridge.\n'


def decision(choice, thought='', subgoals=()):
    said = {'thought': thought, 'choice': choice, 'subgoals': list(subgoals)}
    return {'choices': [{'message': {'content': json.dumps(said)}, 'finish_reason': 'stop'}]}


@pytest.fixture
def opened(server, reply) -> Iterator:
    """A model whose server answers chats one after the other."""
    server.on('/v1/models', reply({'data': [{'id': 'm1'}]}))
    models = []

    def opening(*answers):
        server.on(CHAT, *[reply(answer) for answer in answers])
        models.append(OpenAiServerModel(server.url, max_retries=0))
        return models[-1]

    yield opening
    for model in models:
        model.close()


def asked_by(session, outlook=OUTLOOK):
    """What ReAcTree's agents ask, up to a skill or subgoals; the frame stays the planner's."""
    session.foresee(outlook)
    fork = session.fork()
    kind = KINDS[fork.select(KINDS).index]
    if kind == KINDS[1]:
        session.append(kind)
        thought = session.generate()
        session.append(outlook.after_thought)
        return kind, thought
    if kind == KINDS[2]:
        stem = session.fork()
        stem.append(kind + outlook.before_flow)
        flow = FLOWS[stem.select([f' {flow}\n' for flow in FLOWS]).index]
        stem.append(outlook.before_list)
        return kind, flow, stem.fork().generate()
    session.append(kind)
    return kind, SKILLS[session.select(LINES).index]


def test_kind_and_skill_are_one_request(opened, server):
    session = opened(decision('open fridge 1')).session(CancelToken(), TEXT)
    assert isinstance(session, ForeseeingSession)
    assert asked_by(session) == ('Act:', 'open fridge 1')
    assert session.text == f'{TEXT}Act: open fridge 1\n'
    assert len(server.requests(CHAT)) == 1


def test_a_thought_and_what_follows_it_are_one_request(opened, server):
    answer = decision('open fridge 1', 'I see it.\nI open it.')
    session = opened(answer).session(CancelToken(), TEXT)
    assert asked_by(session) == ('Think:', ' I see it. I open it.')
    assert asked_by(session) == ('Act:', 'open fridge 1')
    assert len(server.requests(CHAT)) == 1
    assert session.text == f'{TEXT}Think: I see it. I open it.\nOK.\nAct: open fridge 1\n'


def test_an_expansion_is_one_request(opened, server):
    answer = decision('expand: fallback', '', ['look in the fridge', 'ask'])
    session = opened(answer).session(CancelToken(), TEXT)
    assert asked_by(session) == ('Expand:\n', 'fallback', ' look in the fridge, ask')
    assert len(server.requests(CHAT)) == 1


def test_what_was_decided_before_something_happened_is_forgotten(opened, server):
    answers = decision('open fridge 1', 'I open it.'), decision('done')
    session = opened(*answers).session(CancelToken(), TEXT)
    assert asked_by(session)[0] == 'Think:'
    session.append('Act: go to fridge 1\nYou are there.\n')  # by facts
    assert asked_by(session) == ('Act:', 'done')
    assert len(server.requests(CHAT)) == 2


def test_what_is_no_more_on_offer_is_forgotten(opened, server):
    answers = decision('open fridge 1', 'I open it.'), decision('done')
    session = opened(*answers).session(CancelToken(), TEXT)
    assert asked_by(session)[0] == 'Think:'
    assert asked_by(session, Outlook('Act:', ('done',), 'Think:', '\nOK.\n')) == ('Act:', 'done')
    assert len(server.requests(CHAT)) == 2


def test_a_thought_that_must_come_first_comes_with_the_skill(opened, server):
    session = opened(decision('done', 'It is open.')).session(CancelToken(), TEXT)
    session.foresee(Outlook('Act:', SKILLS, 'Think:', '\nOK.\n', must_think=True))
    session.append('Think:')
    assert session.generate() == ' It is open.'
    session.append('\nOK.\n')
    session.foresee(Outlook('Act:', SKILLS))
    session.append('Act:')
    assert SKILLS[session.select(LINES).index] == 'done'
    assert len(server.requests(CHAT)) == 1


def test_an_answer_that_decides_nothing_is_followed_by_the_questions(opened, server):
    plain = {'choices': [{'message': {'content': '{"choice": "Act:"}'}}]}
    session = opened(decision('dance'), plain).session(CancelToken(), TEXT)
    session.foresee(OUTLOOK)
    assert KINDS[session.select(KINDS).index] == 'Act:'
    first, second = server.requests(CHAT)
    assert 'enum' not in json.dumps(first.body)
    assert second.body['response_format']['json_schema']['name'] == 'choice'


def test_a_chat_without_schemas_decides_at_once_too(server, reply):
    def answer(seen):
        if 'response_format' in seen.body:
            return reply({'error': {'message': 'response_format is not supported'}}, 400)
        return reply(decision('open fridge 1', 'I open it.'))

    server.on('/v1/models', reply({'data': [{'id': 'm1'}]}))
    server.on(CHAT, answer)
    model = OpenAiServerModel(server.url, max_retries=0)
    session = model.session(CancelToken(), TEXT)
    for _ in range(2):
        # Schemas were refused once, and are no more asked for.
        assert asked_by(session) in (('Think:', ' I open it.'), ('Act:', 'open fridge 1'))
    session.append('It is open.\n')
    before = len(server.requests(CHAT))
    assert asked_by(session)[0] == 'Think:'
    assert asked_by(session) == ('Act:', 'open fridge 1')
    model.close()
    assert len(server.requests(CHAT)) == before + 1


def test_a_conversation_is_decided_at_once_too(opened, server):
    model = opened(decision('open fridge 1', 'I open it.'))
    session = model.chat(CancelToken(), [Turn(Role.SYSTEM, 'A robot.')])
    session.say(Role.USER, 'Open the fridge.')
    session.foresee(Outlook('ACTION:', SKILLS, 'THOUGHT:', '\n', must_think=True, are_told=True))
    session.append('THOUGHT:')
    assert session.generate(stop=('\n', 'ACTION:')) == ' I open it.'
    session.append('\nACTION:')
    assert SKILLS[session.select(LINES).index] == 'open fridge 1'
    (asked,) = server.requests(CHAT)
    system, user = asked.body['messages']
    assert system['content'].startswith('A robot.')
    assert 'fridge 1' not in user['content']


def test_a_raw_server_chooses_kind_and_skill_at_once(server, reply):
    server.on('/v1/models', reply({'data': [{'id': 'm1', 'max_model_len': 9000}]}))
    server.on('/version', reply({'version': '0.12.0'}))
    server.on(COMPLETIONS, reply({'choices': [{'text': 'Act: open fridge 1\n'}]}))
    model = OpenAiServerModel(server.url, max_retries=0)
    try:
        assert asked_by(model.session(CancelToken(), TEXT)) == ('Act:', 'open fridge 1')
    finally:
        model.close()
    (asked,) = server.requests(COMPLETIONS)
    assert 'Act: open fridge 1\n' in asked.body['structured_outputs']['choice']
    # The model reads what it may choose.
    assert 'Act: open fridge 1' in asked.body['prompt']


@pytest.mark.parametrize('tells', [True, False])
def test_options_stand_in_a_raw_prompt_unless_that_is_not_wanted(server, reply, tells):
    server.on('/v1/models', reply({'data': [{'id': 'm1'}]}))
    server.on('/version', reply({'version': '0.12.0'}))
    server.on(COMPLETIONS, reply({'choices': [{'text': ' done\n'}]}))
    model = OpenAiServerModel(server.url, max_retries=0, lists_options=tells)
    session = model.session(CancelToken(), f'{TEXT}Act:')
    session.select(LINES)
    model.close()
    (asked,) = server.requests(COMPLETIONS)
    assert ('open fridge 1' in asked.body['prompt']) is tells
    assert asked.body['prompt'].endswith('\nAct:')
    assert session.text == f'{TEXT}Act: done\n'


def test_a_logged_run_has_every_answer_by_itself(opened, server):
    log = RunLog()
    model = LoggedModel(opened(decision('open fridge 1', 'I open it.')), log)
    session = model.session(CancelToken(), TEXT)
    assert asked_by(session) == ('Think:', ' I open it.')
    assert asked_by(session) == ('Act:', 'open fridge 1')
    assert len(server.requests(CHAT)) == 1


def test_what_lasts_stands_before_the_text_and_the_rest_behind_it():
    assert '- recall location of egg' in listed_first(OUTLOOK)
    assert 'recall' not in listed_last(OUTLOOK)
    assert listed_last(OUTLOOK).endswith('- done\n- expand: sequence\n- expand: fallback')


@pytest.mark.parametrize(
    'answer',
    [
        '{"thought": "", "choice": "Open fridge 1.", "subgoals": []}',
        '```json\n{"choice": "- open fridge (1)"}\n```',
        'Here: {"choice": "Act: open fridge 1", "thought": null}',
        '{"choice": "open fridge 1", "subgoals": "none"}',
    ],
)
def test_decisions_are_read_as_they_are_written(answer):
    assert continuation_of(OUTLOOK, answer) == 'Act: open fridge 1\n'


@given(st.text(max_size=200))
def test_any_other_text_decides_nothing_that_is_not_on_offer(text):
    said = continuation_of(OUTLOOK, json.dumps({'thought': text, 'choice': text}))
    assert said == '' or said.partition('Act: ')[2].strip() in SKILLS or 'Expand:' in said
    continuation_of(OUTLOOK, text)


def test_options_that_begin_alike_are_one_line():
    boxes = [f'box {number}' for number in range(1, 9)]
    options = [*(f'open {box}' for box in boxes), *(f'close {box}' for box in boxes), 'done']
    assert folded(options) == ['close, open <one of: box (1, 2, 3, 4, 5, 6, 7, 8)>', 'done']
    recalls = [f'recall location of {name}' for name in 'abcdefghij']
    assert folded(recalls) == ['recall location of <one of: a; b; c; d; e; f; g; h; i; j>']
    few = ['go to a', 'go to b', 'done']
    assert folded(few) == few


def unfolded(line):
    """The options that a line stands for, as a model reads it."""
    told = re.fullmatch(r'(.*) <one of: (.*)>', line)
    if told is None:
        return [line]
    names = []
    for name in told[2].split('; '):
        numbered = re.fullmatch(r'(.*) \((.*)\)', name)
        some = numbered[2].split(', ') if numbered else ()
        names += [f'{numbered[1]} {number}' for number in some] if numbered else [name]
    return [f'{start} {name}' for start in told[1].split(', ') for name in names]


_NAMES = ['a 1', 'a 2', 'a', 'b 12', 'b 3', 'c', 'd e 7', 'd e 8', 'f', 'g 1', 'h']


@given(
    st.lists(st.tuples(st.sampled_from(['go to', 'open', 'put it on']), st.sampled_from(_NAMES))),
)
def test_no_option_is_lost_by_folding(pairs):
    options = list(dict.fromkeys(' '.join(pair) for pair in pairs))
    told = [option for line in folded(options) for option in unfolded(line)]
    assert sorted(told) == sorted(options)
