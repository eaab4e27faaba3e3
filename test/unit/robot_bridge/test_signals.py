"""The robot's own emergency stop and what must be true before it moves, read from its file."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from reactree_core.errors import ConfigurationError
from robot_bridge.goal_ids import goal_id_of, is_ours
from robot_bridge.robot import Interface
from support.robot_files import PORTER

STOP = """
emergency_stop:
  pressed: {topic: /e_stop, type: std_msgs/msg/Bool, field: data, latched: true}
  press: {service: std_srvs/srv/Trigger, name: /e_stop/press}
ready:
  - {topic: /seen, type: vision/msg/AllSeen, when: {'seen[0].score': '> 0.5', 'seen[0].id': key}}
"""


def test_signals_are_read_from_messages_and_named_among_the_interfaces(load):
    robot = load(PORTER + STOP)
    signals = robot.signals
    assert signals.pressed.holds(SimpleNamespace(data=True)) is True
    assert signals.pressed.holds(SimpleNamespace(data=False)) is False
    assert (signals.pressed.what, signals.pressed.wanted) == ('/e_stop', 'data: true')
    assert signals.press.what == 'the service /e_stop/press'
    (ready,) = signals.ready
    assert ready.holds(SimpleNamespace(seen=[SimpleNamespace(score=0.9, id='key')]))
    assert not ready.holds(SimpleNamespace(seen=[SimpleNamespace(score=0.4, id='key')]))
    assert {
        Interface('await', '/e_stop', 'std_msgs/msg/Bool'),
        Interface('service', '/e_stop/press', 'std_srvs/srv/Trigger'),
        Interface('await', '/seen', 'vision/msg/AllSeen'),
    } <= set(robot.interfaces())


@pytest.mark.parametrize(
    'seen', [[], [SimpleNamespace(score=float('nan'), id='key')]], ids=['no element', 'no number']
)
def test_what_a_message_does_not_tell_is_not_known(load, seen):
    (ready,) = load(PORTER + STOP).signals.ready
    with pytest.raises(LookupError):
        ready.holds(SimpleNamespace(seen=seen))


@pytest.mark.parametrize(
    ('right', 'wrong', 'said'),
    [
        ('field: data, latched', 'field: date, latched', 'has no field "date"'),
        ('std_msgs/msg/Bool, field: data, latched', 'std_msgs/msg/String, field: data, latched',
         '"data" is a text: name a field that is true or false, or write "when"'),
        ('field: data, latched', 'latched', 'the message is std_msgs/Bool: name a field'),
        ('field: data, latched: true', 'field: data, when: {data: true}',
         'it has "when": write the fields there, and no "field"'),
        ('service: std_srvs/srv/Trigger, name: /e_stop/press', 'procedure: stop',
         'an emergency stop is pressed by a service, or by publishing'),
        ('{service: std_srvs/srv/Trigger, name: /e_stop/press}',
         '{publish: std_msgs/msg/Bool, name: /e_stop, send: {data: true}, hold: 1 s}',
         'an emergency stop is published once'),
        (STOP[STOP.index('  pressed'):STOP.index('ready')], '  {}\n',
         'name what reports that it is pressed, what presses it, or both'),
        ("'seen[0].id': key", "'seen[0].name': key", 'vision/Seen has no field "name"'),
    ],
)  # fmt: skip
def test_mistakes_get_a_sentence(load, right, wrong, said):
    text = STOP.replace(right, wrong)
    assert text != STOP
    with pytest.raises(ConfigurationError) as error:
        load(PORTER + text)
    assert said in str(error.value)


def test_the_goals_of_bridges_are_told_from_those_of_others():
    skill = bytes(range(16))
    assert goal_id_of(skill, 1) == goal_id_of(skill, 1) != goal_id_of(skill, 2)
    assert goal_id_of(None, 1) != goal_id_of(None, 1)
    assert is_ours(goal_id_of(skill, 1)) and is_ours(goal_id_of(None, 1))
    assert not is_ours(skill)
