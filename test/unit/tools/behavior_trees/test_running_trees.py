"""Exported trees, loaded and ticked by BehaviorTree.CPP and by py_trees: how they end, and why."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.cancellation import CancelToken
from reactree_core.errors import BridgeLostError, CanceledError, ConfigurationError, RecordingError
from reactree_core.record.events import ControlFlow
from reactree_core.skill_types import SkillType
from reactree_planner.facts.conditions import conditions_of
from reactree_tools.behavior_trees import running
from reactree_tools.behavior_trees.proven_tree import behavior_tree
from reactree_tools.behavior_trees.python_writing import python_text
from reactree_tools.behavior_trees.running import run_file, run_xml, skills_of_file, TreeRobot
from reactree_tools.behavior_trees.tree_model import (
    action_types,
    BehaviorTree,
    Branch,
    Call,
    check,
    Flow,
    Leaf,
    Port,
    Subtree,
)
from reactree_tools.behavior_trees.xml_writing import TEMPLATE, xml_text
from support.recorded_trees import Recording, warehouse

WRITERS = {'.xml': xml_text, '.py': python_text}


def home(**changes):
    return warehouse(**{'things': {'crate 1': 'bin 2', 'crate 2': 'bin 1'}, **changes})


def recorded():
    """A fallback whose first way opened the bin and failed, and two crates brought in parallel."""
    run = Recording(home(), 'bring 2 crates', ('2 crate in shelf',))
    run.expand(1, ControlFlow.SEQUENCE, 'bring one', 'bring the other and start')
    run.look(3)
    run.expand(3, ControlFlow.FALLBACK, 'this way', 'that way')
    run.look(6)
    run.act(6, 'drive to bin 2', 'open bin 2')
    run.finish(6, success=False)
    run.look(7)
    run.act(7, 'grip crate 1', 'drive to shelf 1', 'release crate 1')
    run.finish(7)
    run.look(4)
    run.expand(4, ControlFlow.PARALLEL, 'bring crate 2', 'start the press')
    run.look(9)
    run.act(9, 'drive to bin 1', 'open bin 1', 'grip crate 2', 'drive to shelf 1')
    run.act(9, 'release crate 2')
    run.finish(9)
    run.look(10)
    run.act(10, 'drive to aisle 2', 'drive to press 1', 'power up press 1')
    run.finish(10)
    return run


@pytest.fixture(params=list(WRITERS))
def tick(request, tmp_path):
    """Writes the tree of a run for one of the libraries, and ticks it with a robot."""
    run = recorded()
    file = tmp_path / f'plan{request.param}'
    tree = behavior_tree(run.events, run.vocabulary, 'run')
    file.write_text(WRITERS[request.param](tree), encoding='utf-8')

    def tick(server, cancel=None):
        cancel = cancel or CancelToken()
        return run_file(file, TreeRobot(server, cancel))

    return tick


def test_the_run_is_done_again(tick):
    run = recorded()
    server = home()
    assert tick(server) is True
    assert server.executed == run.server.executed
    assert server.things == {'crate 1': 'shelf 1', 'crate 2': 'shelf 1'}


@pytest.mark.parametrize(
    'things',
    [
        {'crate 1': 'bin 1', 'crate 2': 'bin 2'},
        {'crate 1': 'bin 2'},
        {'crate 2': 'bin 1'},
        {},
        {'crate 1': 'press 1', 'crate 2': 'bin 1'},
    ],
)
def test_another_world_ends_in_failure(tick, things):
    server = home(things=dict(things))
    assert tick(server) is False


@pytest.mark.parametrize('number', range(8))
def test_a_skill_that_fails_never_ends_in_a_wrong_success(tick, number):
    server = home(failing=frozenset({number}))
    ended = tick(server)
    assert not ended or server.things == {'crate 1': 'shelf 1', 'crate 2': 'shelf 1'}


def test_what_is_open_already_is_not_opened(tick):
    server = home(opened={'bin 1', 'bin 2'})
    assert tick(server) is True
    assert 'open bin 1' not in server.executed


def test_a_server_that_is_lost_ends_the_tree_with_its_error(tick):
    server = home()
    done = server.execute

    def lose(sequence, *others):
        if sequence == 3:
            raise BridgeLostError('The skill server disappeared.')
        return done(sequence, *others)

    server.execute = lose
    with pytest.raises(BridgeLostError):
        tick(server)
    assert len(server.executed) == 2


def test_a_tree_that_is_stopped_does_no_more_skills(tick):
    cancel = CancelToken()
    cancel.cancel()
    server = home()
    with pytest.raises(CanceledError):
        tick(server, cancel)
    assert server.executed == []


class Listening:
    """Takes the part of a robot that does everything and writes down what it was asked."""

    error = None

    def __init__(self, *templates):
        self.asked = []
        self.templates = templates

    def execute(self, skill):
        self.asked.append(skill)
        return True

    def holds(self, condition):
        self.asked.append(condition)
        return True


#: What XML can hold, apart from the white space that its attributes make alike.
TEXTS = st.text(
    st.characters(exclude_categories=('Cs', 'Cc', 'Zs', 'Zl', 'Zp', 'Cn', 'Co')), min_size=1
).filter(lambda text: text.isascii() or not (text.startswith('{') and text.endswith('}')))


@settings(max_examples=40)
@given(
    thing=TEXTS,
    place=TEXTS,
    task=st.text(),
    port=st.sampled_from(['thing', 'class', 'name', 'robot', 'sequence', 'py_trees', 'Skill']),
)
def test_any_text_reaches_the_robot_as_it_was(tmp_path_factory, thing, place, task, port):
    skill = SkillType('put <thing> {on} "<place>"')
    actions = action_types([skill])
    (name, action), *_ = actions.items()
    port = 'thing' if port == 'name' else port
    leaf = Leaf(name, ((action.ports[0], Port(port)), (action.ports[1], place)))
    ask = Leaf('IsIn', (('thing', Port(port)), ('place', 'shelf 1'), ('count', '2')))
    subtrees = {'PutThing': Subtree((port,), Branch(Flow.SEQUENCE, (ask, leaf)))}
    call = Call('PutThing', ((port, thing),), 'put it')
    tree = BehaviorTree(task, 'run', Branch(Flow.SEQUENCE, (call,), task), subtrees, actions)
    folder = tmp_path_factory.mktemp('trees')
    for suffix, writer in WRITERS.items():
        file = folder / f'plan{suffix}'
        file.write_text(writer(tree), encoding='utf-8')
        robot = Listening()
        assert run_file(file, robot) is True
        assert robot.asked == [f'2 {thing} in shelf 1', f'put {thing} {{on}} "{place}"']


def test_every_sort_of_condition_is_asked_as_the_run_told_it(tmp_path):
    wanted = ('at shelf 1', 'holding crate', '2 crate in bin', 'all crate is full',
              '2 crate in shelf 1 is full')  # fmt: skip
    asked = Branch(Flow.SEQUENCE, tuple(map(check, conditions_of(wanted))), 'ask')
    tree = BehaviorTree('ask', 'run', Branch(Flow.SEQUENCE, (asked,), 'all'))
    for suffix, writer in WRITERS.items():
        file = tmp_path / f'plan{suffix}'
        file.write_text(writer(tree), encoding='utf-8')
        robot = Listening()
        assert run_file(file, robot) is True
        assert robot.asked == list(wanted)


def test_skills_that_are_called_like_nodes_of_the_libraries(tmp_path):
    templates = ('sleep', 'repeat <name>', 'is at <place>', 'sub tree', 'sleep <place>')
    actions = action_types(SkillType(template) for template in templates)
    leaves = tuple(
        Leaf(name, tuple((port, 'x') for port in action.ports)) for name, action in actions.items()
    )
    subtrees = {'Do': Subtree((), Branch(Flow.SEQUENCE, leaves))}
    tree = BehaviorTree('rest', 'run', Branch(Flow.SEQUENCE, (Call('Do'),)), subtrees, actions)
    for suffix, writer in WRITERS.items():
        file = tmp_path / f'plan{suffix}'
        file.write_text(writer(tree), encoding='utf-8')
        robot = Listening()
        assert run_file(file, robot) is True
        assert robot.asked == ['sleep', 'repeat x', 'is at x', 'sub tree', 'sleep x']


IN_BRACES = ['{hello}', ' {hello} ', '{=}', "{it's}", '{"a": 1}', '{text}', '{}', '{', '{a} {b}']


@pytest.mark.parametrize('words', IN_BRACES)
def test_a_text_in_braces_is_no_port(tmp_path, words):
    actions = action_types([SkillType('say <text>')])
    ((name, _),) = actions.items()
    said = Subtree(('text',), Branch(Flow.SEQUENCE, (Leaf(name, (('text', Port('text')),)),)))
    both = (Leaf(name, (('text', words),)), Call('SayIt', (('text', words),), 'say it'))
    root = Branch(Flow.SEQUENCE, both)
    tree = BehaviorTree('say', 'run', root, {'SayIt': said}, actions)
    for suffix, writer in WRITERS.items():
        file = tmp_path / f'plan{suffix}'
        file.write_text(writer(tree), encoding='utf-8')
        robot = Listening()
        assert run_file(file, robot) is True
        assert robot.asked == [f'say {words}'] * 2
    assert skills_of_file(tmp_path / 'plan.xml')[0] == f'say {words}'


@pytest.mark.parametrize('words', ['{héllo}', '{"it\'s"}'])
def test_a_text_that_no_file_of_the_library_can_have_is_refused(words):
    actions = action_types([SkillType('say <text>')])
    leaf = Leaf(next(iter(actions)), (('text', words),))
    tree = BehaviorTree('say', 'run', Branch(Flow.SEQUENCE, (leaf,)), {}, actions)
    with pytest.raises(RecordingError, match=r'export the run to a \.py file'):
        xml_text(tree)


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        ('not xml', 'This is no XML'),
        ('<root/>', 'BTCPP_format="4"'),
        (
            '<root BTCPP_format="4"><BehaviorTree ID="A"><Action ID="Fly"/></BehaviorTree></root>',
            'TreeNodesModel must declare the ports of every action',
        ),
        (
            '<root BTCPP_format="4"><BehaviorTree ID="A"><Condition ID="IsAt"/></BehaviorTree>'
            '<TreeNodesModel><Condition ID="IsAt"/></TreeNodesModel></root>',
            "IsAt gives no value for 'place'",
        ),
        (
            '<root BTCPP_format="4"><BehaviorTree ID="A"><Turn/></BehaviorTree></root>',
            'BehaviorTree.CPP 4 cannot tick this tree: ',
        ),
    ],
)
def test_what_is_no_tree_is_told(text, sentence):
    with pytest.raises(ConfigurationError) as told:
        run_xml(text, TreeRobot(home(), CancelToken()))
    assert sentence in str(told.value)


def test_a_port_without_a_value_is_told():
    text = (
        '<root BTCPP_format="4"><BehaviorTree ID="A"><Condition ID="IsAt" place="{where}"/>'
        '</BehaviorTree><TreeNodesModel><Condition ID="IsAt"/></TreeNodesModel></root>'
    )
    with pytest.raises(ConfigurationError, match='a port has no value'):
        run_xml(text, TreeRobot(home(), CancelToken()))


def test_a_module_that_builds_no_tree_is_told(tmp_path):
    file = tmp_path / 'plan.py'
    file.write_text('import py_trees')
    with pytest.raises(ConfigurationError, match='builds no tree'):
        run_file(file, Listening())
    with pytest.raises(ConfigurationError, match='XML trees'):
        run_file(file, Listening(), groot2_port=1667)


def test_a_missing_library_is_told(tmp_path, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(running.importlib, 'import_module', missing)
    file = tmp_path / 'plan.py'
    file.write_text('')
    with pytest.raises(ConfigurationError, match=r'requirements/behavior_trees\.txt'):
        run_file(file, Listening())


def test_a_delay_that_was_put_in_is_waited_for_and_can_be_stopped():
    delay = (
        '<root BTCPP_format="4"><BehaviorTree ID="A"><Delay delay_msec="{}"><AlwaysSuccess/>'
        '</Delay></BehaviorTree></root>'
    )
    assert run_xml(delay.format(30), TreeRobot(home(), CancelToken())) is True
    cancel = CancelToken(deadline=time.monotonic() + 0.1)
    with pytest.raises(CanceledError, match='while the tree was waiting'):
        run_xml(delay.format(60_000), TreeRobot(home(), cancel))


STOPPED_AFTER_A_WHILE = """
import sys, time
from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_tools.behavior_trees.running import run_xml, TreeRobot
from support.recorded_trees import warehouse
robot = TreeRobot(warehouse(things={}), CancelToken(deadline=time.monotonic() + 0.3))
try:
    run_xml(sys.argv[1], robot)
except CanceledError:
    print('stopped')
"""


@pytest.mark.parametrize(
    'loop',
    [
        '<Repeat num_cycles="-1"><AlwaysSuccess/></Repeat>',
        '<RetryUntilSuccessful num_attempts="-1"><AlwaysFailure/></RetryUntilSuccessful>',
        '<RetryUntilSuccessful num_attempts="-1"><Action ID="DriveTo" place="nowhere"/>'
        '</RetryUntilSuccessful>',
    ],
)
def test_a_loop_without_end_can_be_stopped(loop):
    text = (
        f'<root BTCPP_format="4"><BehaviorTree ID="A">{loop}</BehaviorTree><TreeNodesModel>'
        '<Action ID="DriveTo"><input_port name="place"/><MetadataFields>'
        f'<Metadata {TEMPLATE}="drive to &lt;place&gt;"/></MetadataFields></Action>'
        '</TreeNodesModel></root>'
    )
    # In a process of its own: a loop in the library would stop this one for good.
    command = [sys.executable, '-c', STOPPED_AFTER_A_WHILE, text]
    path = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=path, timeout=60, stdout=subprocess.PIPE, check=True)
    assert done.stdout == b'stopped\n'


def test_a_module_that_runs_over_several_ticks_is_waited_for_and_can_be_stopped(tmp_path):
    file = tmp_path / 'plan.py'
    file.write_text(
        'import py_trees\n\n\ndef create_tree(robot):\n    return '
        'py_trees.behaviours.TickCounter("wait", 3, py_trees.common.Status.SUCCESS)\n'
    )
    assert run_file(file, TreeRobot(home(), CancelToken())) is True
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(CanceledError):
        run_file(file, TreeRobot(home(), cancel))


def free_ports():
    """The first of two neighbours that are free."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(('', 0))
            port = first.getsockname()[1]
            with suppress(OSError, OverflowError):
                second.bind(('', port + 1))
                return port


def test_groot2_can_watch():
    port = free_ports()
    watched = []

    class Watched(TreeRobot):
        def execute(self, skill):
            with socket.socket() as client:
                watched.append(client.connect_ex(('127.0.0.1', port)) == 0)
            return super().execute(skill)

    run = recorded()
    text = xml_text(behavior_tree(run.events, run.vocabulary, 'run'))
    assert run_xml(text, Watched(home(), CancelToken()), port) is True
    assert watched and all(watched)


def test_a_port_that_is_taken_is_no_place_to_watch():
    run = recorded()
    text = xml_text(behavior_tree(run.events, run.vocabulary, 'run'))
    with socket.socket() as taken:
        taken.bind(('0.0.0.0', 0))
        taken.listen()
        with pytest.raises(ConfigurationError, match='Choose a port that is free'):
            run_xml(text, TreeRobot(home(), CancelToken()), taken.getsockname()[1])
