"""`reactree model exam` with servers on loopback: one that knows, and several that fail."""

from __future__ import annotations

import json

import pytest

from reactree_planner.exam.profile import read_profile
from reactree_planner.exam.questions import exam_questions
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from support.exam_models import Recorded

CHAT = '/v1/chat/completions'
FEW = list(exam_questions())
TOTAL = len(FEW)


def said(content):
    message = {'role': 'assistant', 'content': content}
    usage = {'prompt_tokens': 100, 'completion_tokens': 5}
    return {'choices': [{'message': message, 'finish_reason': 'stop'}], 'usage': usage}


def enumerated(schema):
    """The options of a JSON schema, wherever they stand in it."""
    if isinstance(schema, dict):
        if 'enum' in schema:
            return schema['enum']
        return next(filter(None, map(enumerated, schema.values())), None)
    return None


def knowing(*mistaken):
    """Answers requests of chats with a JSON schema, as hosted services take them."""
    policy = Recorded(*mistaken)

    def answer(body):
        text = '\n'.join(message['content'] for message in body['messages'])
        options = enumerated(body.get('response_format'))
        if options is None or len(body['messages'][-1]['content'].partition('Task: ')[2]) > 0:
            return said(policy(text, None))
        return said(json.dumps({'choice': options[policy(text, options)]}))

    return answer


@pytest.fixture
def exam(server, reply, capsys):
    """Runs the command at a server that answers as told: its status, output and errors."""
    server.on('/v1/models', reply({'data': [{'id': 'sage', 'context_length': 40_000}]}))

    def run(chat, *more):
        answering = chat if isinstance(chat, reply) else None
        server.on(CHAT, answering or (lambda seen: reply(chat(seen.body))))
        status = main(['model', 'exam', server.url, *more])
        return (status, *capsys.readouterr())

    return run


def test_a_model_that_knows_gets_a_table_and_is_told_to_decide(exam, server):
    status, out, err = exam(knowing(), '--price', '1,4')
    assert (status, err) == (ExitCode.OK, '')
    lines = out.splitlines()
    assert lines[0].split() == [
        'sage', 'right', 'by', 'chance', 's', 'each', 's/request', 'requests', 'prompt',
        'written', 'cost',
    ]  # fmt: skip
    total = next(line for line in lines if line.startswith('all '))
    assert f'{TOTAL} of {TOTAL}' in total
    asked = len(server.requests(CHAT))
    assert f' {100 * asked:,} ' in total and f' {5 * asked:,} ' in total
    cost = asked * (100 + 4 * 5) / 1e6
    assert float(total.split()[-1]) == pytest.approx(cost, abs=1e-4)
    assert '  reading=model' in out and '  decides=model' in out and 'precision 100%' in out
    assert 'takes reading=model, decides=model' in out
    assert read_profile(server.url).changes == ('reading=model', 'decides=model')


def test_as_json_it_is_all_that_is_kept(exam, server):
    status, out, err = exam(knowing(), '--json')
    assert (status, err) == (ExitCode.OK, '')
    told = json.loads(out)
    assert told == json.loads(read_profile(server.url).model_dump_json())
    assert len(told['answers']) == TOTAL and all(one['right'] for one in told['answers'])
    assert told['name'] == 'sage' and told['scores'][-1]['requests'] > TOTAL


def refusing(body):
    return {'error': {'message': 'the model is overloaded, come back tomorrow'}}


@pytest.mark.parametrize(
    ('chat', 'words'),
    [
        (lambda body: said('I am a teapot. ' * 50), 'none of the first 6 questions'),
        (lambda body: said('{"choice": "rm -rf /"}'), 'none of the first 6 questions'),
        (refusing, 'come back tomorrow'),
        (lambda body: {'answer': 42}, 'sage'),
    ],
)
def test_a_server_of_which_nothing_can_be_used_is_one_sentence(exam, state, chat, words):
    status, out, err = exam(chat, '--request-timeout', '5')
    assert (status, out) == (ExitCode.UNUSABLE, '')
    assert err.count('\n') == 1, err
    assert words in err or words == 'sage'
    assert not state.exists()


def test_a_server_that_is_silent_ends_in_its_time(exam, reply, state):
    status, out, err = exam(reply(fault='hang'), '--request-timeout', '0.5')
    assert (status, out) == (ExitCode.UNUSABLE, '')
    assert 'question 1, and nothing of it is kept' in err and err.count('\n') == 1
    assert not state.exists()


def test_a_server_that_is_not_there_is_told_before_any_question(exam, server, capsys, state):
    url = server.url
    server.stop()
    server.stop = lambda: None
    assert main(['model', 'exam', url, '--request-timeout', '2']) == ExitCode.UNUSABLE
    err = capsys.readouterr().err
    assert url.removeprefix('http://') in err and 'question' not in err
    assert not state.exists()


def test_a_server_that_dies_half_way_leaves_the_profile_that_was_there(exam, server, reply):
    assert exam(knowing())[0] == ExitCode.OK
    before = read_profile(server.url)
    left = [20]
    answer = knowing()

    def dying(body):
        left[0] -= 1
        return answer(body) if left[0] > 0 else refusing(body)

    status, _, err = exam(dying, '--request-timeout', '5')
    assert status == ExitCode.UNUSABLE and 'nothing of it is kept' in err
    assert read_profile(server.url) == before


def test_an_interrupt_keeps_nothing(exam, state, monkeypatch):
    asked = []

    def interrupted(question, goal, types):
        asked.append(question)
        if len(asked) == 5:
            raise KeyboardInterrupt
        return True

    monkeypatch.setattr('reactree_planner.exam.asking.reads_right', interrupted)
    status, out, _ = exam(knowing())
    assert (status, out, len(asked)) == (ExitCode.INTERRUPTED, '', 5)
    assert not state.exists()


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['gpt-99'], 'gpt-99'),
        (['/no/such/model.gguf'], '/no/such/model.gguf'),
        (['random:x'], 'random:SEED'),
        ([''], 'Name one model'),
        (['none,planner=random:1'], 'Name one model'),
        (['scripted:/no/file.yaml'], '/no/file.yaml'),
    ],
)
def test_a_model_that_is_none_is_one_sentence(arguments, words, capsys, state):
    assert main(['model', 'exam', *arguments]) == ExitCode.UNUSABLE
    err = capsys.readouterr().err
    assert words in err and err.count('\n') == 1
    assert not state.exists()


@pytest.mark.parametrize('price', ['', '1', '1,2,3,4', '-1,2', 'nan,1', 'inf,1', 'a,b'])
def test_a_price_that_is_none_is_refused(price, capsys):
    with pytest.raises(SystemExit):
        main(['model', 'exam', 'none', f'--price={price}'])
    assert 'is no price: write PROMPT,WRITTEN' in capsys.readouterr().err


def test_answers_are_shown_where_they_are_wanted(capsys):
    assert main(['model', 'exam', 'none', '--answers', '--plain']) == ExitCode.OK
    out = capsys.readouterr().out
    for _, question in FEW:
        assert f'x {" ".join(question.about.split())[:60]}' in out or question.about in out
    assert 'questions had no answer that can be used' in out
    assert 'It changes no default.' in out
