"""Classes with members and lists of names in slots: of places, of things, and of both."""

from __future__ import annotations

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Vocabulary
from reactree_core.written_files import MistakesError
from robot_bridge.applicable import admissible
from robot_bridge.belief import Belief
from robot_bridge.declared_world import DeclaredWorld
from robot_bridge.filling import Filling
from robot_bridge.instances import Instances
from robot_bridge.sources import Seen
from support.robot_files import PORTER

PARK = """\
  - skill: {skill}
    slots: {slots}
    do: {{publish: std_msgs/msg/Bool, name: /park, send: {{data: true}}}}
"""
BAYS = PORTER.replace('classes:\n', 'classes:\n  - {name: bay, members: [dock, charger]}\n')


def parked(skill, slots='{}'):
    return BAYS + PARK.format(skill=repr(skill), slots=slots)


WRITTEN = [
    parked('park at <place: bay>'),
    parked('park at <place: dock, charger>'),
    parked('park at <place>', '{<place>: bay}'),
    parked('park at <place>', '{<place>: "place: dock, charger"}'),
    parked('park at <place>', '{<place>: [dock, charger]}'),
]


@pytest.mark.parametrize('written', WRITTEN)
def test_a_slot_takes_a_class_of_places_or_their_names_however_written(load, written):
    robot = load(written)
    *_, park = robot.skills
    assert park.type.slot_types == ('place: dock, charger',)
    offered = admissible(Belief(robot, lambda name, frame: None))
    assert [text for text in offered if text.startswith('park')] == [
        'park at dock', 'park at charger',
    ]  # fmt: skip
    skill, _, objection = robot.find('park at shelf 1', [])
    assert skill is None
    assert objection == '<place> takes a dock or charger, and "shelf 1" is none.'
    assert robot.find('park at charger', [])[0] is park


def test_a_class_with_members_is_no_word_of_tasks(load):
    told: Vocabulary = load(WRITTEN[0]).vocabulary()
    assert 'bay' not in (*told.place_classes, *told.object_classes, *told.other_classes)
    assert {'dock', 'shelf', 'charger'} == set(told.place_classes)


def test_things_and_places_make_a_slot_of_any_name(load):
    robot = load(parked('watch <what: crate 9, dock>'))
    assert robot.skills[-1].type.slot_types == ('name: crate 9, dock',)


def test_classes_are_members_of_classes(load):
    text = BAYS.replace('classes:\n', 'classes:\n  - {name: stop, members: [bay, shelf 1]}\n')
    robot = load(text + PARK.format(skill="'park at <place: stop>'", slots='{}'))
    assert robot.skills[-1].type.slot_types == ('place: dock, charger, shelf 1',)


MISTAKES = (
    ('members: [dock, charger]', 'members: [dock, chager]',
     'there is no place "chager"; did you mean "charger"?'),
    ('members: [dock, charger]', 'members: [bay]', 'the class "bay" is a member of itself'),
    ('members: [dock, charger]', 'members: [dock], other_words: [spot]', 'has members, which'),
    ('members: [dock, charger]', 'other_words: [dock, charger], kind: thing',
     '"dock" is a place, and no other word for a "bay": write "members"'),
    ('<place: bay>', '<place: bya>', 'there is no class "bya"; list it below "classes"'),
    ('slots: {}', 'slots: {<place>: thing}', 'is a class, and "slots" says "thing"'),
    ('slots: {}', 'slots: {<place>: dock}', 'has names, and "slots" has others'),
)  # fmt: skip


@pytest.mark.parametrize(('before', 'after', 'sentence'), MISTAKES)
def test_a_mistake_in_a_class_is_told_once(load, before, after, sentence):
    text = WRITTEN[0]
    assert before in text
    with pytest.raises(ConfigurationError) as raised:
        load(text.replace(before, after, 1))
    assert sentence in str(raised.value)
    assert len(raised.value.mistakes) == 1, raised.value.mistakes


def test_one_wrong_slot_gives_no_other_mistake(load):
    text = PORTER + (
        "  - skill: 'pour <ml> ml into <what: bottel>'\n"
        '    slots: {<ml>: {number: 0..200, unit: ml}}\n'
        '    do: {action: nav/action/Go, name: /pour, send: {mode: <ml>}}\n'
    )
    with pytest.raises(ConfigurationError) as raised:
        load(text)
    (mistake,) = raised.value.mistakes
    assert 'there is no class "bottel"' in mistake


def test_to_hold_a_class_is_to_hold_one_of_its_members(load):
    text = BAYS.replace('classes:\n', 'classes:\n  - {name: load, members: [crate, barrel]}\n')
    text = text.replace('needs: [holding <thing>, at <place>]', 'needs: [holding load]')
    put = load(text).skills[2]
    assert put.type.needs == ('holding crate or holding barrel',)
    assert [one.fact.value for one in (put.needs[0], *put.needs[0].others)] == ['crate', 'barrel']


TANK = PORTER.replace('  facts:\n', """\
  numbers:
    water:
      topic: /water
      type: sensor_msgs/msg/BatteryState
      field: percentage
      unit: l
      scale: 1
      range: 0..100
  facts:
""", 1) + """\
  - skill: pour <litres> l
    slots: {<litres>: {number: 5..50, unit: l, step: 5}}
    needs: [water >= <litres> l]
    effects: [lowers water by <litres>]
    do: {publish: std_msgs/msg/Bool, name: /pour, send: {data: true}}
"""  # fmt: skip


def test_a_need_compares_with_the_number_in_a_slot(load):
    world = DeclaredWorld(load(TANK))
    (key,) = world.truth.numbers
    world.truth.numbers[key] = 20
    assert world.objection('pour 30 l') == 'water is 20 l; needed is water >= 30 l.'
    assert not world.objection('pour 20 l')
    assert world.step('pour 20 l').succeeded and world.truth.numbers[key] == 0


def test_a_need_of_a_number_that_nothing_measures_is_a_mistake(load):
    with pytest.raises(ConfigurationError, match='the state has no number "watr"'):
        load(TANK.replace('[water >= <litres> l]', '[watr >= <litres> l]'))


class _Reporting:
    def __init__(self, belief):
        self._belief = belief

    def reported(self, name):
        return self._belief.reported(name)


def test_a_robot_is_sent_the_name_under_which_it_reports_a_thing(load):
    text = PORTER.replace('things:\n  crate 9: {place: shelf 1}\n', '') + (
        '  - skill: nudge <thing>\n    slots: [thing]\n    done: You nudged <thing>.\n'
        '    do: {action: nav/action/Go, name: /nudge, send: {tree: <thing>}}\n'
    )
    robot = load(text)
    belief = Belief(robot, lambda name, frame: None)
    numbering: Instances = belief._instances
    (seen,) = numbering.numbered([Seen('crate', 'dock', by='/seen')], {}, [], lambda one: 'dock')
    assert seen.name == 'crate 1'
    nudge, slots, _ = robot.find('nudge crate 1', ['crate 1'])
    filling = Filling(slots, _Reporting(belief))
    assert nudge.calls[0].send(filling) == {'tree': 'crate'}
    assert nudge.done(filling, None) == 'You nudged crate 1.'
    assert belief.reported('crate 9') == 'crate 9'


def test_an_object_called_by_an_other_word_has_a_class_of_its_own(load):
    robot = load(PORTER)
    assert 'box' not in robot.vocabulary().object_classes
    assert 'box' in robot.vocabulary(['box', 'dock']).object_classes


def test_an_unknown_member_beside_places_is_named_once_also_where_a_slot_says_place(load):
    text = PORTER.replace(
        'classes:\n', 'classes:\n  - {name: stop, members: [dock, nowhere]}\n'
    ).replace(
        '  - skill: go to <place>\n',
        "  - skill: go to <place>\n    slots: {<place>: 'place: stop'}\n",
    )
    with pytest.raises(MistakesError) as raised:
        load(text)
    (mistake,) = raised.value.mistakes
    assert 'there is no place "nowhere"' in mistake
