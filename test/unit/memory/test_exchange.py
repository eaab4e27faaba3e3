"""Experiences go out into files and come back the same; what is broken is named, not stored."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.episodic.retrieval import Variant
from memory_server.exchange.files import (
    check_files,
    export_lines,
    export_texts,
    file_stem,
    find_files,
    import_files,
    Imported,
    read_file,
    Reading,
    refuse_problems,
    text_of,
)
from memory_server.exchange.json_lines import parse_line, parse_lines, write_line
from memory_server.exchange.published import labels_of
from memory_server.seed.loader import parse_experiences
from memory_server.store.sqlite_store import SqliteStore
from memory_server.trajectory import Act, Trajectory, write_trajectory
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.errors import ConfigurationError
from reactree_core.experience import Experience, ExperienceQuery, Termination

EXAMPLES = Path(__file__).parent / 'examples'
ANY_TEXT = st.text(st.characters(exclude_categories=['Cs']), max_size=20)
SOME_TEXT = ANY_TEXT.filter(str.strip)
LABELS = st.text('ab: #=-ä', max_size=8).map(str.strip)

ANY_EXPERIENCE = st.builds(
    Experience,
    experience_id=SOME_TEXT,
    goal=SOME_TEXT,
    trajectory=SOME_TEXT,
    termination=st.sampled_from(Termination),
    run_id=ANY_TEXT,
    task_type=ANY_TEXT,
    planner=ANY_TEXT,
    model=ANY_TEXT,
    tokens=st.integers(0, 2**32 - 1),
    context=ANY_TEXT,
)


@st.composite
def published(draw):
    """An experience whose trajectory is of the published form."""
    goal = draw(st.lists(st.text('abc', min_size=1), min_size=1, max_size=2).map('\n'.join))
    done = draw(st.booleans())
    reply = draw(st.text('You see: -\n', max_size=12)).strip()
    blocks = (Act('look', reply), Act('done' if done else 'failure'))
    return Experience(
        experience_id=draw(st.text('aB1-/ä.', min_size=1, max_size=12)),
        goal=goal,
        trajectory=write_trajectory(Trajectory(goal, 'You are in the house.', blocks)),
        termination=Termination.SUCCESS if done else Termination.FAILURE,
        run_id=draw(st.sampled_from(['', 'seed', 'import', 'ab' * 16])),
        task_type=draw(LABELS),
        planner=draw(LABELS),
        model=draw(LABELS),
        tokens=draw(st.integers(0, 10**6)),
        context=draw(st.sampled_from(['', 'The larger task is: tidy', 'a goal\nand its parts'])),
    )


def experience(name='a', **fields):
    goal = f'find {name}'
    values = {
        'experience_id': name,
        'goal': goal,
        'trajectory': f'Your task is to: {goal}\nYou are in the house.\nAct: done\n',
        'termination': Termination.SUCCESS,
        'run_id': 'ab' * 16,
        'tokens': 12,
    }
    return Experience(**(values | fields))


@pytest.fixture
def memory():
    return EpisodicMemory(SqliteStore(None), HashingEmbedder())


@settings(max_examples=300)
@given(ANY_EXPERIENCE)
def test_any_experience_reads_back_from_its_line(item):
    line = write_line(replace(item, similarity=0.5))
    assert '\n' not in line
    assert parse_line(line) == item


@settings(max_examples=300)
@given(published())
def test_a_published_trajectory_reads_back_from_its_text(item):
    assert parse_experiences(text_of(item)) == (item,)


@settings(max_examples=25)
@given(items=st.lists(published(), max_size=5, unique_by=lambda item: item.experience_id))
def test_a_folder_of_texts_holds_what_was_written(items, tmp_path_factory):
    folder = tmp_path_factory.mktemp('texts')
    assert export_texts(items, folder).written == len(items)
    found = [entry for path in folder.iterdir() for entry in read_file(path)]
    assert sorted(found, key=lambda item: item.experience_id) == sorted(
        items, key=lambda item: item.experience_id
    )


@settings(max_examples=300)
@given(
    st.one_of(
        st.text(max_size=40),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
        ).map(json.dumps),
        st.dictionaries(
            st.sampled_from(['goal', 'trajectory', 'termination', 'tokens', 'run_id']),
            st.sampled_from(['x', 'success', '', 0, -1, 2**70, 1.5, None, True, '\ud800']),
        ).map(json.dumps),
    )
)
def test_any_line_is_read_or_refused_with_its_place(line):
    for entry in parse_lines([line], 'f.jsonl'):
        if isinstance(entry, ConfigurationError):
            assert str(entry).startswith('f.jsonl:1: ')
        else:
            assert parse_line(write_line(entry)) == entry


@pytest.mark.parametrize(
    ('change', 'says'),
    [
        ({'goal': ' '}, 'the goal is empty'),
        ({'goal': 3}, 'goal must be a text'),
        ({'goal': 'x' * 4097}, 'the goal has 4097 characters, more than 4096'),
        ({'trajectory': 'x' * 65537}, 'the trajectory has 65537 characters'),
        ({'termination': 'won'}, "termination is 'won', none of success, failure, expand"),
        ({'termination': True}, 'termination is True'),
        ({'termination': 7}, 'termination is 7'),
        ({'tokens': -1}, 'tokens must be a whole number'),
        ({'tokens': 2**32}, 'tokens must be a whole number'),
        ({'colour': 'red'}, "there is no field 'colour'"),
        ({'planner': '\ud800'}, 'the planner is no valid Unicode'),
    ],
)
def test_what_is_wrong_with_a_line_is_said(change, says):
    line = json.dumps(json.loads(write_line(experience())) | change)
    with pytest.raises(ConfigurationError, match='line: ') as caught:
        parse_line(line)
    assert says in str(caught.value)


def test_a_line_without_an_id_gets_one_that_follows_from_its_content():
    values = json.loads(write_line(experience()))
    del values['experience_id']
    first, again = parse_line(json.dumps(values)), parse_line(json.dumps(values | {'tokens': 9}))
    other = parse_line(json.dumps(values | {'goal': 'another'}))
    assert first.experience_id == again.experience_id != other.experience_id
    numbered = parse_line(json.dumps(values | {'termination': 0, 'similarity': 0.3}))
    assert (numbered.termination, numbered.similarity) == (Termination.SUCCESS, 0.0)


@pytest.mark.parametrize('missing', ['goal', 'trajectory', 'termination'])
def test_what_every_line_needs_is_missed(missing):
    values = json.loads(write_line(experience()))
    del values[missing]
    with pytest.raises(ConfigurationError, match=f'the field {missing} is missing'):
        parse_line(json.dumps(values))


def test_a_trajectory_of_no_form_goes_out_as_a_line_but_not_as_text(tmp_path):
    items = [experience('a', trajectory='I just went there.'), experience('b')]
    exported = export_texts(items, tmp_path)
    assert exported.written == 1
    (problem,) = exported.problems
    assert problem.startswith("a: trajectory:1: no line begins with 'Your task is to: '")
    assert [path.name for path in tmp_path.iterdir()] == ['b.txt']
    file = io.StringIO()
    assert export_lines(items, file).written == 2
    assert list(parse_lines(file.getvalue().split('\n'))) == items


def test_the_relatives_of_a_node_go_out_as_text_and_come_back_apart(tmp_path):
    item = replace(experience(), context='Your primary goal is to: p')
    item = replace(item, trajectory=item.trajectory.strip())
    path = tmp_path / 'one.txt'
    path.write_text(text_of(item))
    assert list(read_file(path)) == [item]


def test_no_id_names_a_file_elsewhere():
    names = ['../../x', '', '.', 'a/b', 'ä', '\ud800', 'x' * 200, 'CON ', 'seed-ab12']
    stems = [file_stem(name) for name in names]
    assert stems[-1] == 'seed-ab12'
    assert len(set(stems)) == len(stems)
    assert all(stem.replace('-', '').isalnum() and len(stem) <= 80 for stem in stems)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / 'file').touch()
    with pytest.raises(ConfigurationError, match=r'cannot write .*file'):
        export_texts([experience()], tmp_path / 'file' / 'deeper')


def test_importing_twice_stores_once(memory, tmp_path):
    lines = tmp_path / 'some.jsonl'
    items = [experience(str(number)) for number in range(450)]
    lines.write_text(''.join(write_line(item) + '\n\n' for item in items))
    export_texts(items[:3], tmp_path / 'texts' / 'deeper')
    files = find_files([tmp_path])
    assert len(files) == 4
    checked = check_files(files)
    assert (checked.experiences, checked.problems) == (453, ())
    progress = []
    assert import_files(memory, files, progress.append) == Imported(450, 3)
    assert progress == [200, 400, 453]
    assert import_files(memory, files) == Imported(0, 453)
    assert len(memory) == 450


def test_published_files_without_labels_are_of_the_run_import(memory):
    files = find_files([EXAMPLES])
    entries = [entry for path in files for entry in read_file(path)]
    # What is of the run seed is taken out by the memory node when it is not shipped.
    assert {entry.run_id for entry in entries} == {'import'}
    assert all(entry.experience_id.startswith('import-') for entry in entries)
    assert import_files(memory, files) == Imported(3, 0)
    assert import_files(memory, files) == Imported(0, 3)


NODE = """\
Your primary goal is to: bring crate 7 to aisle 2
To achieve this, you should perform your sibling tasks in sequence. At this level, your sibling \
tasks are: find crate 7, and go to aisle 2.
Your task is to: find crate 7
You are in the house, and there are 2 rooms.
Act: done"""
#: File of a published collection -> run, planner and kind of its experience.
PUBLISHED = {
    'wah/em_llm/reactree_wm/text_traj/040/40_bring_dec001_depth01.txt': (
        'import/wah/em_llm/reactree_wm/40_bring',
        'reactree',
        'bring',
    ),
    'wah/em_llm/reactree_wm/text_traj/040/40_bring_dec003_depth03.txt': (
        'import/wah/em_llm/reactree_wm/40_bring',
        'reactree',
        'bring',
    ),
    'wah/em_llm/react/text_traj/105/105_set_out.txt': (
        'import/wah/em_llm/react/105_set_out',
        'react',
        'set_out',
    ),
    'wah/collect_llm/reactree/102_bring_dec107_depth03_20241219063901.txt': (
        'import/wah/collect_llm/reactree/102_bring',
        'reactree',
        'bring',
    ),
    'alfred/em_human/reactree_wm/text_traj/look_at-A-None-B-301_trial_T2_04_ann_0_dec002_depth03'
    '.txt': (
        'import/alfred/em_human/reactree_wm/look_at-A-None-B-301_trial_T2_04_ann_0',
        'reactree',
        'look_at',
    ),
    'mine/7_bring_dec001_depth01.txt': ('import/7_bring', 'reactree', 'bring'),
    'mine/lesson.txt': ('import', '', ''),
    'react/project/a/b/lesson.txt': ('import', '', ''),
}


def test_published_files_have_their_labels_by_their_places_and_a_run_for_each_task(
    memory, tmp_path
):
    for name in PUBLISHED:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NODE.replace('bring crate 7', f'bring {name}'))
    files = find_files([tmp_path])
    how = Reading({'domain': 'warehouse'})
    entries = {}
    for path in files:
        (entries[path.relative_to(tmp_path).as_posix()],) = read_file(path, how)
    found = {name: (one.run_id, one.planner, one.task_type) for name, one in entries.items()}
    assert found == PUBLISHED
    assert {one.domain for one in entries.values()} == {'warehouse'}
    assert {one.goal for one in entries.values()} == {'find crate 7'}
    assert all(one.context.startswith('Your primary goal is to: ') for one in entries.values())
    assert import_files(memory, files, how=how) == Imported(len(PUBLISHED), 0)
    assert import_files(memory, files, how=how) == Imported(0, len(PUBLISHED))
    # Whole tasks are retrieved by their first nodes.
    variant = Variant(unit='task')
    nodes = memory.retrieve(
        ExperienceQuery('find crate 7', token_budget=10_000, planner='reactree'), variant
    )
    assert len({one.run_id for one in nodes}) == 4


def test_what_a_file_says_goes_before_what_is_said_of_it(tmp_path):
    folder = tmp_path / 'aisles' / 'em_llm' / 'reactree' / 'text_traj'
    folder.mkdir(parents=True)
    (folder / '1_bring_dec001_depth01.txt').write_text(NODE)
    entry = '=== experience\ntermination: success\nplanner: mine\n\n' + NODE
    (folder / '2_bring_dec001_depth01.txt').write_text(entry)
    line = {'goal': 'x', 'trajectory': 'y', 'termination': 'success', 'model': 'm'}
    (folder / '3.jsonl').write_text(json.dumps(line))
    how = Reading({'planner': 'said', 'model': 'said', 'domain': 'said'})
    found = [one for path in find_files([folder]) for one in read_file(path, how)]
    assert [(one.planner, one.model, one.domain) for one in found] == [
        ('said', 'said', 'said'),
        ('mine', 'said', 'said'),
        ('said', 'm', 'said'),
    ]
    # A file with headers says itself of which run its experiences are.
    runs = [one.run_id for one in found[:2]]
    assert runs == ['import/aisles/em_llm/reactree/1_bring', 'import']


@given(st.text('/reactwm_0123dephx.-', max_size=60))
def test_any_place_gives_labels_that_a_store_takes(text):
    labels = labels_of(Path('/' + text))
    assert set(labels) in (set(), {'run_id', 'task_type', 'planner'})
    if labels:
        assert labels['planner'] in ('react', 'reactree')
        assert labels['run_id'].startswith('import/')


BROKEN_TEXT = """\
=== experience
termination: success

Your task is to: one
Act: done

=== experience
termination: success

Your task is to: two
Act: failure

=== experience
termination: failure

Your task is to: three
Expand:
- control flow: any
"""


def test_every_broken_place_is_named_and_the_rest_can_be_had(memory, tmp_path):
    (tmp_path / 'a.jsonl').write_text(write_line(experience()) + '\n{"goal": \n\n')
    (tmp_path / 'b.txt').write_text(BROKEN_TEXT)
    (tmp_path / 'c.txt').write_bytes(b'Your task is to: x\nYou \xff')
    files = find_files([tmp_path])
    checked = check_files(files)
    places = [problem.removeprefix(f'{tmp_path}/') for problem in checked.problems]
    assert places[0].startswith('a.jsonl:2: this is no JSON')
    assert places[1].startswith('b.txt:8: termination is success, but')
    assert places[2].startswith("b.txt:18: control flow 'any' is none of")
    assert places[3].startswith('c.txt:2: this is no UTF-8 text')
    with pytest.raises(ConfigurationError, match='nothing was stored') as caught:
        refuse_problems(checked)
    assert 'a.jsonl:2' in str(caught.value)
    assert '--skip-broken' in str(caught.value)
    assert import_files(memory, files).stored == checked.experiences


def test_a_long_list_of_problems_is_cut(tmp_path):
    (tmp_path / 'a.jsonl').write_text('[]\n' * 30)
    with pytest.raises(ConfigurationError, match='and 20 more'):
        refuse_problems(check_files(find_files([tmp_path])))


def test_places_that_hold_nothing_are_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r'has no files that end with \.txt or \.jsonl'):
        find_files([tmp_path])
    with pytest.raises(ConfigurationError, match='there is no file or folder'):
        find_files([tmp_path / 'missing'])
    (tmp_path / 'any.name').write_text('Your task is to: x\nAct: done')
    assert find_files([tmp_path / 'any.name', tmp_path / 'any.name']) == (tmp_path / 'any.name',)
