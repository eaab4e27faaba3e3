"""What of a recorded run becomes a tree: which skills counted, control flow, conditions, ports."""

from __future__ import annotations

import pytest

from reactree_core.errors import RecordingError
from reactree_core.observation import Observation, Outcome, WORLD_RESTORED
from reactree_core.record.events import ControlFlow
from reactree_tools.behavior_trees.proven_tree import behavior_tree
from reactree_tools.behavior_trees.tree_model import (
    Branch,
    Call,
    Constant,
    Flow,
    identifier,
    Leaf,
    Port,
    port_names,
)
from support.recorded_trees import Recording, warehouse

TO_SHELF = ('crate in shelf',)


def tree_of(recording):
    return behavior_tree(recording.events, recording.vocabulary, 'run')


def plain(tree, node=None, ports=()):
    """A tree as nested lists: skills and conditions in a few words."""
    node = tree.root if node is None else node
    values = dict(ports)

    def filled(leaf):
        given = (value for _, value in leaf.ports)
        return ' '.join(values[one.name] if isinstance(one, Port) else one for one in given)

    match node:
        case Branch(flow, children):
            return [flow.value, *(plain(tree, child, ports) for child in children)]
        case Call(subtree, given):
            return plain(tree, tree.subtrees[subtree].root, given)
        case Leaf(kind):
            return f'{kind} {filled(node)}'
        case Constant():
            return node.value


def fetched(*search):
    """A run that fetched the crate, after a search."""
    run = Recording(warehouse(), 'bring the crate to the shelf', TO_SHELF)
    run.act(1, *search)
    run.act(1, 'drive to bin 2', 'open bin 2', 'grip crate 1', 'drive to shelf 1')
    run.act(1, 'release crate 1')
    run.finish(1)
    return run


PLAN = [
    'Sequence',
    [
        'Fallback',
        'IsIn crate 1 shelf 1 1',
        [
            'Sequence',
            'DriveToPlace bin 2',
            ['Fallback', 'IsState bin 2 open 1', 'OpenPlace bin 2'],
            'GripCrate crate 1',
            'DriveToPlace shelf 1',
            'IsHolding crate 1 1',
            'ReleaseCrate crate 1',
        ],
    ],
    ['Sequence', 'IsIn crate shelf 1', 'IsIn crate 1 shelf 1 1'],
]


@pytest.mark.parametrize(
    'search',
    [
        (),
        ('drive to bin 1', 'open bin 1', 'drive to shelf 1'),
        ('drive to bin 1', 'open bin 1', 'close bin 1'),
        ('drive to aisle 1', 'drive to bin 1'),
    ],
)
def test_searches_that_led_nowhere_are_left_out_and_what_had_to_be_opened_stays(search):
    assert plain(tree_of(fetched(*search))) == PLAN


def test_a_skill_that_failed_is_left_out():
    run = Recording(warehouse(failing=frozenset({0, 1})), 'bring the crate', TO_SHELF)
    run.act(1, 'drive to bin 2', 'drive to bin 2', 'drive to bin 2', 'open bin 2', 'grip crate 1')
    run.act(1, 'drive to shelf 1', 'release crate 1')
    run.finish(1)
    assert plain(tree_of(run)) == PLAN


def test_a_way_that_was_needed_stays():
    run = Recording(warehouse(), 'power up the press', ('press is on',))
    run.act(1, 'drive to aisle 2', 'drive to press 1', 'power up press 1')
    run.finish(1)
    skills = str(plain(tree_of(run)))
    assert skills.index('DriveToAisle aisle 2') < skills.index('DriveToPlace press 1')


def test_all_stays_where_it_is_not_known_what_was_asked_for():
    run = Recording(warehouse(), 'do the usual')
    run.act(1, 'drive to bin 1', 'open bin 1', 'drive to shelf 1', 'drive to bin 2')
    run.finish(1)
    skills = str(plain(tree_of(run)))
    for skill in ('OpenPlace bin 1', 'DriveToPlace shelf 1', 'DriveToPlace bin 2'):
        assert skill in skills
    assert 'IsState bin 1 open 1' in str(plain(tree_of(run))[-1])


def test_moves_to_where_the_robot_was_to_be_stay():
    run = Recording(warehouse(), 'visit the shelf, then the press', ('at shelf', 'at press'))
    run.act(1, 'drive to bin 1', 'drive to shelf 1', 'drive to aisle 2', 'drive to press 1')
    run.finish(1)
    skills = str(plain(tree_of(run)))
    assert 'bin 1' not in skills
    assert skills.index('DriveToPlace shelf 1') < skills.index('DriveToPlace press 1')
    assert plain(tree_of(run))[-1] == ['Sequence', 'IsAt press']


def test_a_run_that_began_at_its_thing_goes_there_where_it_is_elsewhere():
    run = Recording(warehouse(), 'power up the press', ('press is on',))
    run.act(1, 'drive to aisle 2', 'drive to press 1')
    begun = Recording(run.server, 'power up the press', ('press is on',))
    begun.act(1, 'power up press 1')
    begun.finish(1)
    told = str(plain(tree_of(begun)))
    assert "['Fallback', 'IsAt press 1', 'DriveToPlace press 1']" in told
    assert told.index('DriveToPlace press 1') < told.index('PowerUpPlace press 1')


@pytest.mark.parametrize(
    ('slots', 'ports'),
    [
        (('name',), ('thing',)),
        (('name', 'thing', 'id'), ('thing', 'thing_2', 'number')),
        (('2nd',), ('the_2nd',)),
    ],
)
def test_ports_have_no_name_that_the_libraries_keep(slots, ports):
    assert port_names(slots) == ports
    assert identifier(f'charge the {ports[0]}') != 'ChargeTheTheName'


def test_words_that_were_no_skill_and_failed_are_left_out():
    run = fetched()
    run.events.insert(4, Observation('What?', Outcome.INVALID_SKILL, skill='fly there', node_id=1))
    assert 'fly' not in str(plain(tree_of(run)))


def test_agents_become_control_flow_and_what_they_did_alike_one_subtree():
    things = {'crate 1': 'bin 1', 'crate 2': 'bin 2'}
    run = Recording(warehouse(things=things), 'bring 2 crates to the shelf', ('2 crate in shelf',))
    run.expand(1, ControlFlow.SEQUENCE, 'bring crate 1', 'bring crate 2')
    for node, number in ((3, 1), (4, 2)):
        run.look(node)
        run.act(node, f'drive to bin {number}', f'open bin {number}', f'grip crate {number}')
        run.act(node, 'drive to shelf 1', f'release crate {number}')
        run.finish(node)
    tree = tree_of(run)
    assert list(tree.subtrees) == ['ReleaseThing']
    assert set(tree.subtrees['ReleaseThing'].ports) == {'thing', 'source', 'destination'}
    first, second, goal = tree.root.children
    assert (first.name, second.name) == ('bring crate 1', 'bring crate 2')
    assert dict(first.ports) == {'thing': 'crate 1', 'source': 'bin 1', 'destination': 'shelf 1'}
    assert dict(second.ports) == {'thing': 'crate 2', 'source': 'bin 2', 'destination': 'shelf 1'}
    assert 'IsIn crate shelf 2' in plain(tree)[-1]
    assert goal.name == 'goal'


def alternatives(flow, first_does):
    run = Recording(warehouse(), 'bring the crate to the shelf', TO_SHELF)
    run.expand(1, flow, 'one way', 'another way')
    run.look(3)
    run.act(3, *first_does)
    run.finish(3, success=False)
    run.look(4)
    run.act(4, 'grip crate 1', 'drive to shelf 1', 'release crate 1')
    run.finish(4)
    return run


def test_a_failed_alternative_whose_skills_counted_stays_one():
    run = alternatives(ControlFlow.FALLBACK, ('drive to bin 2', 'open bin 2'))
    flow, failed, other = plain(tree_of(run))[1]
    assert flow == 'Fallback'
    assert failed[-1] == 'AlwaysFailure' and 'OpenPlace bin 2' in str(failed)
    assert 'GripCrate crate 1' in str(other)


def test_a_failed_alternative_that_changed_nothing_goes():
    server = warehouse(things={'crate 1': 'shelf 1'})
    run = Recording(server, 'bring the crate to the press', ('crate in press',))
    run.expand(1, ControlFlow.FALLBACK, 'look elsewhere', 'take it')
    run.look(3)
    run.act(3, 'drive to bin 1', 'drive to bin 2')
    run.finish(3, success=False)
    run.look(4)
    run.act(4, 'drive to shelf 1', 'grip crate 1', 'drive to aisle 2', 'drive to press 1')
    run.act(4, 'release crate 1')
    run.finish(4)
    assert 'bin' not in str(plain(tree_of(run)))
    assert 'AlwaysFailure' not in str(plain(tree_of(run)))


def test_an_alternative_that_had_nothing_left_to_do_succeeds():
    run = Recording(warehouse(), 'power up the press', ('press is on',))
    run.expand(1, ControlFlow.FALLBACK, 'one way', 'another way')
    run.look(3)
    run.act(3, 'drive to aisle 2', 'drive to press 1', 'power up press 1')
    run.finish(3, success=False)
    run.look(4)
    run.finish(4)
    flow, failed, other = plain(tree_of(run))[1]
    assert (flow, failed[-1], other) == ('Fallback', 'AlwaysFailure', 'AlwaysSuccess')


def test_parallel_children_stay_parallel():
    things = {'crate 1': 'bin 1'}
    run = Recording(warehouse(things=things), 'tidy', ('crate in shelf', 'press is on'))
    run.expand(1, ControlFlow.PARALLEL, 'bring the crate', 'start the press')
    run.look(3)
    run.act(3, 'drive to bin 1', 'open bin 1', 'grip crate 1', 'drive to shelf 1')
    run.act(3, 'release crate 1')
    run.finish(3)
    run.look(4)
    run.act(4, 'drive to aisle 2', 'drive to press 1', 'power up press 1')
    run.finish(4)
    tree = tree_of(run)
    parallel, _ = tree.root.children
    assert parallel.flow is Flow.PARALLEL and len(parallel.children) == 2
    assert parallel.name == 'tidy'


def test_only_what_ended_with_success_is_exported():
    run = Recording(warehouse(), 'bring the crate', TO_SHELF)
    run.act(1, 'drive to bin 2')
    with pytest.raises(RecordingError, match='ended with RUNNING'):
        tree_of(run)
    run.finish(1, success=False)
    with pytest.raises(RecordingError, match='only a run that ended with SUCCESS'):
        tree_of(run)


def test_a_run_that_did_nothing_is_not_exported():
    run = Recording(warehouse(), 'wait')
    run.finish(1)
    with pytest.raises(RecordingError, match='executed no skill'):
        tree_of(run)


def test_a_world_that_was_put_back_on_the_way_is_told():
    run = fetched()
    run.events.insert(4, Observation(f'{WORLD_RESTORED} You see a shelf.', node_id=1))
    with pytest.raises(RecordingError, match='restored an earlier state'):
        tree_of(run)


def test_skills_of_another_robot_are_told():
    run = fetched()
    del run.vocabulary
    run.vocabulary = warehouse(says_where=True).vocabulary
    with pytest.raises(RecordingError, match='fits no template'):
        tree_of(run)


def test_conditions_that_nobody_could_see_are_told():
    run = Recording(warehouse(), 'bring it and paint it', (*TO_SHELF, 'crate is blue'))
    run.act(1, 'drive to bin 2', 'open bin 2', 'grip crate 1', 'drive to shelf 1')
    run.act(1, 'release crate 1')
    run.finish(1)
    assert [one.text for one in tree_of(run).unproven] == ['crate is blue']
