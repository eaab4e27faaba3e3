"""What memory gave a node, as the run's journal has it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, strategies

from reactree_core.errors import JournalError
from reactree_core.experience import Experience, Termination
from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal import Journal
from reactree_core.record.journal_lines import Answer
from reactree_core.record.run_settings import RunSettings
from reactree_planner.resume.logged_experiences import EXAMPLES, LoggedExperiences, RETRIEVE
from reactree_tools.viewer.prompts import retrieval_of
from reactree_tools.viewer.sources import GivenRun, JournalFolder, open_runs
from support.made_up_runs import MadeUpRun

RUN = 'a' * 32
EVIL = '<script>document.title = "taken"</script>'


def experience(name, text='', similarity=0.5):
    trajectory = text or f'Your task is to: {name}\nAct: done\n'
    return Experience(
        name, name, trajectory, Termination.SUCCESS, planner='p', similarity=similarity
    )


def asked(events, planner='reactree', notes=True, resumed_at=0):
    """Records of a run whose every node is given two experiences of its own and one of all."""
    told = LoggedExperiences()
    begun = set()
    for event in events:
        if isinstance(event, Decision) and event.kind is DecisionKind.START:
            event = replace(event, settings=replace(event.settings, planner=planner))
        yield event
        node = event.node_id
        if not isinstance(event, Observation) or node in begun:
            continue
        begun.add(node)
        if node == resumed_at:
            yield Decision(
                event.sequence, 0, DecisionKind.START, settings=RunSettings(resumed=True)
            )
        names = [f'first of {node}', 'of all', f'second of {node}']
        found = [
            experience(name, similarity=1.0 / (3 + place)) for place, name in enumerate(names)
        ]
        answer = json.loads(json.dumps(told.answer(found)))
        told.read(answer)
        yield Answer(RETRIEVE, answer)
        if notes:
            yield Answer(EXAMPLES, {'chosen': [f'second of {node}', 'of all']})
        yield Answer('generate', {'text': 'hm'})


@given(
    strategies.lists(
        strategies.lists(strategies.integers(0, 9), max_size=5, unique=True), max_size=6
    )
)
def test_experiences_written_once_come_back_whole(questions):
    writing, reading = LoggedExperiences(), LoggedExperiences()
    written = []
    for question in questions:
        found = tuple(
            experience(f'number {one}', similarity=1.0 / (1 + place))
            for place, one in enumerate(question)
        )
        answer = json.loads(json.dumps(writing.answer(found)))
        written += [fields['experience_id'] for fields in answer['new']]
        assert writing.read(answer) == found
        assert reading.read(answer) == found
    assert len(written) == len(set(written))


@pytest.mark.parametrize('resumed_at', [0, 1, 3])
def test_every_node_has_what_it_was_given_and_what_its_prompt_showed(resumed_at):
    records = list(asked(MadeUpRun(20), resumed_at=resumed_at))
    for node in {one.node_id for one in records if isinstance(one, Observation)}:
        retrieval = retrieval_of(records, node)
        names = [one.goal for one in retrieval.offered]
        assert names == [f'first of {node}', 'of all', f'second of {node}']
        assert [one.goal for one in retrieval.examples] == [f'second of {node}', 'of all']
        listed = [one.goal for one in retrieval.listed()]
        assert listed == ['of all', f'second of {node}', f'first of {node}']


def test_what_nobody_wrote_down_is_not_known():
    assert retrieval_of(MadeUpRun(5), 1) is None
    without = retrieval_of(asked(MadeUpRun(5), notes=False), 1)
    assert len(without.offered) == 3 and without.examples is None
    assert retrieval_of([*MadeUpRun(5), Answer('generate', {})], 1).offered == ()


@pytest.mark.parametrize(
    'content',
    [
        {},
        {'new': 3, 'found': []},
        {'new': [{'goal': 'x'}], 'found': []},
        {'new': [], 'found': [[7, 0.5]]},
        {'new': [], 'found': [['0', 0.5]]},
        {'new': [], 'found': 'all'},
        {'new': [{'termination': 99}], 'found': []},
    ],
)
def test_a_damaged_answer_is_told(serve, content):
    records = [*MadeUpRun(1), Answer(RETRIEVE, content)]
    with pytest.raises(JournalError, match='What memory gave cannot be read'):
        retrieval_of(records, 1)
    _, client = serve(GivenRun(RUN, records))
    for name in ('prompt', 'experiences'):
        answer = client.get(f'api/{name}', params={'run': RUN, 'node': 1, 'goal': 'x'})
        assert answer.status_code == 503
        assert 'cannot be read' in answer.json()['message']


@pytest.fixture
def journal(tmp_path):
    """Writes a journal; gives its folder."""

    def write(records):
        journal = Journal(tmp_path, RUN)
        for record in records:
            journal.append(record)
        journal.close()
        return tmp_path

    return write


@pytest.mark.parametrize(
    'source',
    [
        JournalFolder,
        lambda folder: open_runs('last', folder)[0],
        lambda folder: open_runs('aaaa', folder)[0],
        lambda folder: open_runs(str(folder / f'{RUN}.jsonl'), folder)[0],
    ],
)
def test_the_prompt_has_the_examples_that_stood_there(serve, journal, source):
    _, client = serve(source(journal(asked(MadeUpRun(20)))))
    answer = client.get('api/prompt', params={'run': RUN, 'node': 3}).json()
    assert answer['whole']
    head, _, own = answer['text'].partition('Now it is your turn')
    assert head.index('second of 3') < head.index('of all')
    assert 'first of 3' not in head and 'stood' not in head
    assert own.count('Your task is to:') == 1 and 'The larger task is: tidy up' in own
    found = client.get('api/experiences', params={'run': RUN, 'node': 3}).json()
    assert (found['source'], found['offered']) == ('journal', 3)
    assert [(one['goal'], one['shown']) for one in found['experiences']] == [
        ('of all', True),
        ('second of 3', True),
        ('first of 3', False),
    ]


def test_without_a_note_the_prompt_says_that_examples_stood_there(serve):
    for records in (asked(MadeUpRun(5), notes=False), MadeUpRun(5)):
        _, client = serve(GivenRun(RUN, records))
        text = client.get('api/prompt', params={'run': RUN, 'node': 1}).json()['text']
        assert 'Not recorded: the examples from memory' in text
    _, client = serve(GivenRun(RUN, asked(MadeUpRun(5), notes=False)))
    found = client.get('api/experiences', params={'run': RUN, 'node': 1}).json()
    assert [one['shown'] for one in found['experiences']] == [None] * 3


def test_of_another_planner_a_node_tells_its_transcript_and_what_it_was_given(serve):
    _, client = serve(GivenRun(RUN, asked(MadeUpRun(20), planner='react')))
    answer = client.get('api/prompt', params={'run': RUN, 'node': 3}).json()
    assert (answer['planner'], answer['whole']) == ('react', False)
    assert answer['text'].startswith('Your task is to: ')
    assert '\nThink: ' in answer['text']
    found = client.get('api/experiences', params={'run': RUN, 'node': 3}).json()
    assert found['source'] == 'journal' and found['experiences'][0]['shown']


def test_long_texts_are_cut_and_many_experiences_are_counted(serve):
    told = LoggedExperiences()
    many = [experience(f'{EVIL} {number}', 'x' * 100_000) for number in range(160)]
    records = [*MadeUpRun(1)][:2]
    records += [Answer(RETRIEVE, told.answer(many)), Answer(EXAMPLES, {'chosen': [many[99].goal]})]
    _, client = serve(GivenRun(RUN, records))
    answer = client.get('api/experiences', params={'run': RUN, 'node': 1})
    assert answer.headers['content-type'] == 'application/json'
    found = answer.json()
    assert found['offered'] == 160
    assert found['experiences'][0]['goal'] == many[99].goal
    assert len(found['experiences']) < 20
    assert all(len(one['text']) < 21_000 for one in found['experiences'])
    assert client.get('api/experiences', params={'run': RUN, 'node': 'x'}).status_code == 400
