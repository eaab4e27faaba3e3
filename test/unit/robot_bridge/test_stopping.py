"""What a stop needs of a robot's file, on its way through the robot's record."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.robot_record import Command, read_records, write_record
from robot_bridge.stopping import pressed_signal, record_of
from support.made_up_interfaces import MadeUpInterfaces
from support.robot_files import PORTER

STOP = """
emergency_stop:
  pressed: {topic: /e_stop, type: std_msgs/msg/Bool, field: data, latched: true, age: 2 s}
  press: {service: std_srvs/srv/Trigger, name: /e_stop/press}
"""


def renamed(name, kind):
    """A name on the graph."""
    return f'/r1{name}|{kind}'


def test_a_record_names_all_by_their_names_on_the_graph(load):
    robot = load(PORTER + STOP)
    record = record_of(robot, '/r1/bridge', renamed, None)
    assert (record.node, record.robot) == ('/r1/bridge', robot.file.robot)
    used = {
        call.step.name
        for skill in robot.skills
        for call in skill.calls
        if call.step.kind == 'action'
    }
    assert used and set(record.actions) == {renamed(name, 'action') for name in used}
    assert all(templates for templates in record.actions.values())
    press = Command('service', renamed('/e_stop/press', 'service'), 'std_srvs/srv/Trigger')
    assert record.press == press
    assert record.pressed['topic'] == renamed('/e_stop', 'topic')


def test_the_sense_of_the_own_stop_is_read_from_a_record_as_from_the_file(load, tmp_path):
    record = record_of(load(PORTER + STOP), '/r1/bridge', lambda name, kind: name, None)
    write_record(record, tmp_path)
    (read,) = read_records(tmp_path).here
    signal = pressed_signal(read.pressed, MadeUpInterfaces())
    assert signal.holds(SimpleNamespace(data=True)) and signal.what == '/e_stop'
    assert not signal.holds(SimpleNamespace(data=False))
    assert signal.entry.latched and signal.entry.age == 2.0


@pytest.mark.parametrize(
    'section', [{'topic': '/e_stop', 'type': 'std_msgs/msg/Bool', 'field': 'date'}, {'field': 3}]
)
def test_a_section_that_cannot_be_read_is_an_error(section):
    with pytest.raises(ConfigurationError):
        pressed_signal(section, MadeUpInterfaces())
