"""Exported trees after an edit in Groot2: what its users report that it drops, sorts and adds.

Reports: BehaviorTree/Groot2 #3 (several files), #5 and #42 (order), #7 (main tree), #51 and #57
(attributes that nobody gave), BehaviorTree.CPP #742 (order of trees and models).
"""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError
from reactree_core.skill_types import SkillType
from reactree_tools.behavior_trees.proven_tree import behavior_tree
from reactree_tools.behavior_trees.running import run_file, run_xml, skills_of_file, TreeRobot
from reactree_tools.behavior_trees.tree_model import action_types, BehaviorTree, Branch, Flow, Leaf
from reactree_tools.behavior_trees.xml_writing import xml_text
from support.recorded_trees import Recording, warehouse

PUT = 'put <thing> on <place>'


class Listening:
    """Takes the part of a robot that does everything and writes down what it was asked."""

    error = None

    def __init__(self, *templates):
        self.templates = templates
        self.asked = []

    def execute(self, skill):
        self.asked.append(skill)
        return True

    def holds(self, condition):
        return True

    def goes_on(self, seconds=0.0):
        return True


def small(templates=(PUT,)):
    """A tree of one action."""
    actions = action_types(SkillType(one) for one in templates)
    name, action = next(iter(actions.items()))
    leaf = Leaf(name, tuple(zip(action.ports, ('cup 1', 'desk 2'), strict=False)))
    return BehaviorTree('put it', 'run', Branch(Flow.SEQUENCE, (leaf,)), {}, actions)


def as_saved(text: str, keep_metadata: bool = True) -> Element:
    """A file after Groot2 has opened and saved it."""
    root = ElementTree.fromstring(text.encode())
    root.attrib.pop('main_tree_to_execute')
    models = root.find('TreeNodesModel')
    models[:] = sorted(models, key=lambda one: (one.tag, one.get('ID')))
    for model in models:
        ports = sorted(model.findall('input_port'), key=lambda port: port.get('name'))
        others = [one for one in model if one.tag != 'input_port']
        model[:] = [*ports, *(others if keep_metadata else [])]
    trees = sorted(root.findall('BehaviorTree'), key=lambda one: one.get('ID'))
    for element in (one for tree in trees for one in tree.iter()):
        given = dict(sorted(element.attrib.items(), reverse=True))
        element.attrib.clear()
        element.attrib.update(given)
        if element.tag == 'SubTree':
            element.set('_autoremap', 'false')
        if element.tag in ('Action', 'Condition'):
            # Both forms are found in saved files.
            element.tag = element.attrib.pop('ID')
    root[:] = [*trees, models]
    return root


def written(root: Element) -> str:
    return ElementTree.tostring(root, encoding='unicode')


@pytest.mark.parametrize('keep_metadata', [True, False])
def test_a_run_is_done_again_from_the_saved_file(keep_metadata):
    things = {'crate 1': 'bin 2', 'crate 2': 'bin 1'}
    run = Recording(warehouse(things=dict(things)), 'bring 2 crates', ('2 crate in shelf',))
    for crate, source in (('crate 1', 'bin 2'), ('crate 2', 'bin 1')):
        run.act(1, f'drive to {source}', f'open {source}', f'grip {crate}')
        run.act(1, 'drive to shelf 1', f'release {crate}')
    run.finish(1)
    text = xml_text(behavior_tree(run.events, run.vocabulary, 'run'))
    server = warehouse(things=dict(things))
    saved = written(as_saved(text, keep_metadata))
    assert saved.index('ID="ReleaseThing"') < saved.index('ID="Task"')
    assert run_xml(saved, TreeRobot(server, CancelToken())) is True
    assert server.executed == run.server.executed


@pytest.mark.parametrize(
    'template', [PUT, 'put <object> on <furniture>', 'turn <thing> by <angle>']
)
def test_slots_are_filled_by_name_however_ports_are_sorted(template):
    text = written(as_saved(xml_text(small((template,)))))
    robot = Listening()
    assert run_xml(text, robot) is True
    assert robot.asked == [SkillType(template).filled(['cup 1', 'desk 2'])]


def test_the_skill_server_tells_the_template_that_a_file_has_lost():
    root = as_saved(xml_text(small()), keep_metadata=False)
    robot = Listening(PUT)
    assert run_xml(written(root), robot) is True
    root.remove(root.find('TreeNodesModel'))
    assert run_xml(written(root), robot) is True
    assert robot.asked == ['put cup 1 on desk 2'] * 2
    with pytest.raises(ConfigurationError, match='with its skill template'):
        run_xml(written(root), Listening('drive to <place>'))
    # Of two that are called alike nobody knows which is meant.
    with pytest.raises(ConfigurationError, match='with its skill template'):
        run_xml(written(root), Listening(PUT, 'Put <thing> on <place>'))


def test_metadata_of_others_may_stand_beside_the_template():
    root = as_saved(xml_text(small()))
    root.find('.//MetadataFields').insert(0, Element('Metadata', colour='red'))
    robot = Listening()
    assert run_xml(written(root), robot) is True and robot.asked == ['put cup 1 on desk 2']


def test_renamed_ports_are_refused_since_nobody_knows_which_is_which():
    text = xml_text(small()).replace('place=', 'where=').replace('name="place"', 'name="where"')
    with pytest.raises(ConfigurationError, match='call them thing, place in TreeNodesModel'):
        run_xml(text, Listening())


def test_a_port_that_nobody_filled_is_told_and_a_default_is_taken():
    root = as_saved(xml_text(small()))
    leaf = root.find('.//PutThingOnPlace')
    leaf.set('place', '')
    with pytest.raises(ConfigurationError, match="gives no value for 'place'"):
        run_xml(written(root), Listening())
    root.find('.//input_port[@name="place"]').set('default', 'desk 7')
    robot = Listening()
    assert run_xml(written(root), robot) is True and robot.asked == ['put cup 1 on desk 7']
    leaf.set('place', '{where}')
    tree = root.find('BehaviorTree')
    tree.set('ID', 'Inner')
    SubElement(SubElement(root, 'BehaviorTree', ID='Outer'), 'SubTree', ID='Inner', where='')
    with pytest.raises(ConfigurationError, match='one is empty'):
        run_xml(written(root), Listening())


def test_of_several_trees_the_main_one_is_that_which_none_calls():
    root = as_saved(xml_text(small()))
    root.find('BehaviorTree').set('ID', 'B')
    SubElement(SubElement(root, 'BehaviorTree', ID='A'), 'AlwaysSuccess')
    with pytest.raises(ConfigurationError, match=r'B, A.*main_tree_to_execute="B"'):
        run_xml(written(root), Listening())
    SubElement(root.findall('BehaviorTree')[0].find('Sequence'), 'SubTree', ID='A')
    robot = Listening()
    assert run_xml(written(root), robot) is True and robot.asked == ['put cup 1 on desk 2']


def test_trees_that_call_each_other_end_nobody():
    root = as_saved(xml_text(small()))
    SubElement(root.find('BehaviorTree').find('Sequence'), 'SubTree', ID='A')
    SubElement(SubElement(root, 'BehaviorTree', ID='A'), 'SubTree', ID='Task')
    with pytest.raises(ConfigurationError, match='The trees A, Task call each other without end'):
        run_xml(written(root), Listening())


def test_a_project_is_run_with_the_files_that_it_includes(tmp_path):
    root = as_saved(xml_text(small()))
    models = root.find('TreeNodesModel')
    root.remove(models)
    (tmp_path / 'trees').mkdir()
    (tmp_path / 'trees' / 'plan.xml').write_text(written(root))
    project = Element('root', BTCPP_format='4', project_name='Project')
    SubElement(project, 'include', path='trees/plan.xml')
    project.append(models)
    file = tmp_path / 'plan.btproj'
    file.write_text(written(project))
    robot = Listening()
    assert run_file(file, robot) is True and robot.asked == ['put cup 1 on desk 2']
    assert skills_of_file(file) == ('put cup 1 on desk 2',)
    SubElement(project, 'include', path='gone.xml')
    file.write_text(written(project))
    with pytest.raises(ConfigurationError, match=r'The file gone\.xml that this tree includes'):
        run_file(file, Listening())
    SubElement(project, 'include', path='gone.xml', ros_pkg='nav2_bt_navigator')
    file.write_text(written(project))
    with pytest.raises(ConfigurationError, match='copy the trees that it needs into its file'):
        run_file(file, Listening())


def test_a_file_for_an_older_version_says_what_to_do():
    root = as_saved(xml_text(small()))
    root.set('BTCPP_format', '3')
    with pytest.raises(ConfigurationError, match='Groot2 asks for which version it saves'):
        run_xml(written(root), Listening())
