"""What a robot's machine does to all that is in it, and needs of which any one will do."""

from __future__ import annotations

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.skill_types import Effect, Relation
from robot_bridge.applicable import objection_to
from robot_bridge.belief import Belief
from robot_bridge.poses import Pose

WASHER = """\
robot: washer
hands: 1
places:
  rack: {}
  machine 1: {}
classes:
  - {name: brush}
things:
  mug 1: {place: machine 1}
  mug 2: {place: rack}
  brush 1: {place: rack}
  sponge: {place: rack}
skills:
  - {skill: drive to <place>, kind: move, do: {service: std_srvs/srv/Trigger, name: /drive}}
  - {skill: grab <thing>, kind: take, do: {service: std_srvs/srv/Trigger, name: /grab}}
  - skill: start <place>
    kind: switch on
    effects: [everything in <place> is washed if <place> is machine 1]
    do: {service: std_srvs/srv/Trigger, name: /start}
  - skill: scrub <thing>
    effects: [<thing> is scrubbed]
    needs: [holding brush or holding sponge]
    do: {service: std_srvs/srv/Trigger, name: /scrub}
"""


def believing(robot):
    return Belief(robot, lambda name, frame: Pose('map', 0, 0))


def skill(robot, verb):
    return next(one for one in robot.skills if one.type.verb == verb)


def test_all_that_is_in_the_machine_is_washed_and_nothing_else(load):
    robot = load(WASHER)
    belief = believing(robot)
    assert belief.did(skill(robot, 'start'), {'place': 'rack'}) == ''
    assert 'washed' not in belief.things['mug 2'].states
    belief.did(skill(robot, 'start'), {'place': 'machine 1'})
    assert 'washed' in belief.things['mug 1'].assumed
    assert 'washed' not in belief.things['mug 2'].states


def test_any_of_a_class_or_the_other_will_do(load):
    robot = load(WASHER)
    belief, scrub = believing(robot), skill(robot, 'scrub')
    assert 'do not hold' in objection_to(belief, scrub, {'thing': 'mug 1'})
    for tool in ('brush 1', 'sponge'):
        belief.did(skill(robot, 'grab'), {'thing': tool})
        assert objection_to(belief, scrub, {'thing': 'mug 1'}) == ''
        belief._assume(Effect(Relation.HOLDING, '', tool, False), '')


@pytest.mark.parametrize(
    ('right', 'wrong', 'told'),
    [
        ('in <place> is washed', 'in <oven> is washed', '<oven>'),
        ('is machine 1]', 'is machin 1]', 'machin 1'),
        ('holding sponge]', 'holding spong]', 'spong'),
        ('or holding sponge', 'or sponge', 'sponge'),
    ],
)
def test_a_misspelled_name_is_told(load, right, wrong, told):
    with pytest.raises(ConfigurationError, match=told):
        load(WASHER.replace(right, wrong))
