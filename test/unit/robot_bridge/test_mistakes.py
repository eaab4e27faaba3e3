"""Every mistake in a robot's file gets a sentence with its line."""
# ruff: noqa: E501 - a mistake is a line

from __future__ import annotations

import pytest

from reactree_core.errors import ConfigurationError

#: What is wrong, the text that is replaced, by what, and the line and sentence that it gets.
MISTAKES = (
    ('no skills', 'skills:\n  - skill', 'skilled:\n  - skill', '"skills" is missing'),
    ('unknown word', 'hands: 1', 'hand: 1', 'line 3: there is no "hand"'),
    ('hands of the wrong type', 'hands: 1', 'hands: two', 'line 3: hands are a number from 0 to 20, or a list of their names'),
    ('unknown hand of a skill', '    kind: take\n', '    kind: take\n    hand: left hand\n', '"hands" has no "left hand"; there are none'),
    ('unknown hand that holds', 'field: data}\n  facts', 'field: data, hand: claw}\n  facts', '"hands" has no "claw"'),
    ('held told twice', 'held: {topic: /holds, type: std_msgs/msg/Bool, field: data}', 'held: [{topic: /holds, type: std_msgs/msg/Bool, field: data}, {topic: /has, type: std_msgs/msg/Bool, field: data}]', 'what is held is given twice'),
    ('bad unit', 'x: 400 cm', 'x: 400 inch', 'line 6: "400 inch" is no length'),
    ('bad unit of an angle', 'yaw: 90 deg', 'yaw: 90 m', 'line 6: "90 m" is no angle'),
    ('bad unit of a time', 'within: 1 min', 'within: 1 mile', '"1 mile" is no time'),
    ('no time at all', 'within: 1 min', 'within: 0', '"skills.1.do.within" must be more than 0'),
    ('missing frame', '{frame: map, x: 0, y: 0,', '{x: 0, y: 0,', 'line 5: a pose needs the frame'),
    ('half a pose', 'x: 0, y: 0,', 'x: 0,', 'line 5: a place has both x and y'),
    ('two poses', 'tf: charger,', 'tf: charger, x: 1, y: 1,', 'line 7: a place has one pose'),
    ('unknown type', 'action: nav/action/Go\n      name: /go', 'action: nav/action/Og\n      name: /go', 'there is no type nav/action/Og; did you mean "nav/action/Go"?'),
    ('type of another kind', 'service: std_srvs/srv/Trigger', 'service: nav/action/Go', '"nav/action/Go" is no type of a service'),
    ('no type', 'service: std_srvs/srv/Trigger', 'service: Trigger', '"Trigger" is no type of a service: write it as package/srv/Name'),
    ('wrong field of a goal', 'mode: FAST', 'mood: FAST', 'the goal of nav/action/Go has no field "mood"; did you mean "mode"?'),
    ('wrong field inside', 'pose: <place>, mode', 'pose: {heading: {}}, mode', 'geometry_msgs/PoseStamped has no field "heading"; did you mean "header"?'),
    ('text for a number', 'mode: FAST', 'mode: quick', '"quick" is no number'),
    ('unknown constant', 'mode: FAST', 'mode: QUICK', 'has no constant QUICK; there are: FAST, SLOW'),
    ('number out of range', 'mode: FAST', 'mode: 300', '"mode" must be from 0 to 255 (uint8), not 300'),
    ('broken number', 'mode: FAST', 'mode: 1.5', '"mode" must be a whole number (uint8)'),
    ('truth for a number', 'mode: FAST', 'mode: true', '"mode" is a number (uint8), not true'),
    ('number for a text', 'mode: FAST', 'tree: 7', '"tree" must be a text'),
    ('text too long', 'mode: FAST', 'tree: abcdefghijklmnopqrstuvwxyz', '"tree" must have 20 letters or fewer'),
    ('number for a truth', 'mode: FAST', 'carefully: 1', '"carefully" must be true or false'),
    ('no list', 'mode: FAST', 'gains: 1', '"gains" must be a list of double'),
    ('list of a wrong length', 'mode: FAST', 'gains: [1, 2, 3]', '"gains" must have 2 elements; there are 3'),
    ('list that is too long', 'mode: FAST', 'via: [dock, dock, dock, dock]', '"via" must have 3 elements or fewer'),
    ('message from a number', 'pose: <place>, mode', 'pose: 3, mode', '"pose" is a geometry_msgs/PoseStamped: write its fields'),
    ('unknown slot', 'pose: <place>, mode', 'pose: <plaice>, mode', '"go to <place>" has no slot <plaice>; did you mean "place"?'),
    ('slot of another sort', 'send: {data: <number>}', 'send: {data: <place>}', '"wait <number> s" has no slot <place>'),
    ('name for a number', 'dock: <place.number>', 'dock: <place>', '"dock" is a number, and <place> stands for a place'),
    ('unknown value', '<place.number>', '<place.code>', 'has a value "code"; there are: number'),
    ('value that one lacks', 'values: {number: 17}', 'values: {}', '<place.number>: "shelf 1" has no such value'),
    ('unknown place', 'pose: <place>, mode', 'pose: shelf 2, mode', 'there is no place "shelf 2"; did you mean "shelf 1"?'),
    ('place without a pose', 'dock: {frame: map, x: 0, y: 0,', 'dock: {', '<place> stands for a pose, and the place "dock" has none'),
    ('duplicate skill', 'skill: wait <number> s', 'skill: go to <where>', '"go to <where>" has the same texts as "go to <place>"'),
    ('slot that is a mark of chats', 'skill: wait <number> s', 'skill: wait <s>', 'has a slot that chats use as a mark'),
    ('too many slots', 'skill: wait <number> s', 'skill: wait <number> <a> <b> <c> <d>', '5 slots; 4 are allowed'),
    ('slot twice', 'skill: wait <number> s', 'skill: wait <number> <number>', 'has two slots <number>'),
    ('unknown kind', 'kind: take', 'kind: grab', '"skills.2.kind" must be one of'),
    ('unknown inverse', 'kind: take', 'kind: take\n    inverse: drop <thing>', 'is taken back by "drop <thing>", which is no skill here'),
    ('unreadable effect', 'kind: take', 'kind: take\n    effects: [is heavy]', 'the effect "is heavy" cannot be read'),
    ('unreadable need', 'hands free, <thing> in here', 'hands empty', 'the need "hands empty" cannot be read'),
    ('need of an unknown slot', '<thing> in here]', '<crate> in here]', '"pick up <thing>" has no slot <crate>'),
    ('need at an unknown place', 'hands free, <thing> in here', 'at dok', 'the need "at dok": there is no place "dok"; did you mean "dock"?'),
    ('need in an unknown place', '<thing> in here]', '<thing> in heer]', 'the need "<thing> in heer": there is no place "heer"; did you mean "here"?'),
    ('need of an unknown thing', '<thing> in here]', 'crte 9 is open]', 'the need "crte 9 is open": there is no thing or place "crte 9"; did you mean "crate 9"?'),
    ('need of a thing held that is unknown', '<thing> in here]', 'holding crte 9]', 'there is no thing "crte 9"; did you mean "crate 9"?'),
    ('need of a hand in other words', 'hands free, <thing>', 'hand is free, <thing>', 'the need "hand is free": did you mean "hands free"?'),
    ('need in an unknown hand', '<thing> in here]', 'holding <thing> in claw]', '"hands" has no "claw"; there are none'),
    ('need of a place as a state', '<thing> in here]', '<thing> is in here]', 'did you mean "<thing> in here"?'),
    ('need with its "not" inside', '<thing> in here]', 'crate 9 is not open]', 'did you mean "not crate 9 is open"?'),
    ('effect about an unknown thing', 'kind: take', 'kind: take\n    effects: [crat 9 is open]', 'the effect "crat 9 is open": there is no thing or place "crat 9"; did you mean "crate 9"?'),
    ('effect at an unknown place', 'kind: take', 'kind: take\n    effects: [not at shelve 1]', 'there is no place "shelve 1"; did you mean "shelf 1"?'),
    ('source of an unknown thing', 'name: crate {id}', 'name: crat 9', 'there is no thing "crat 9"; did you mean "crate 9"? If it is another one, list it below "things"'),
    ('unknown procedure', 'procedure: fold', 'procedure: unfold', 'there is no procedure "unfold"; did you mean "fold"?'),
    ('cyclic sequence', '    - service: std_srvs/srv/Trigger\n      name: /arm/fold', '    - procedure: fold', 'the procedure "fold" comes back to itself: fold -> fold'),
    ('unused procedure', '      - procedure: fold\n', '', 'no skill uses the procedure "fold"'),
    ('step of two kinds', 'do: {publish: std_msgs/msg/Bool,', 'do: {publish: std_msgs/msg/Bool, service: std_srvs/srv/Trigger,', 'this one has service and publish'),
    ('step of no kind', 'do: {publish: std_msgs/msg/Bool, name: /grip, send: {data: false}}', 'do: {name: /grip}', 'this one has none'),
    ('step without a name', 'name: /grip, ', '', 'the publish std_msgs/msg/Bool needs the name of its topic'),
    ('no ROS name', 'name: /grip', 'name: grip it', '"grip it" is no name in ROS'),
    ('word of another step', 'name: /grip', 'name: /grip, within: 3', '"within" belongs to action or service or await or until, not to publish'),
    ('unknown outcome', 'outcome: execution_failed', 'outcome: failed', 'must be one of'),
    ('condition on an unknown field', 'when: {error_code: BLOCKED}', 'when: {eror_code: 7}', 'the result of nav/action/Go has no field "eror_code"; did you mean "error_code"?'),
    ('condition that never holds', 'when: {error_code: BLOCKED}', 'when: {error_msg: 7}', '"error_msg" is a text, and can never be 7'),
    ('unknown constant of a result', 'error_code: BLOCKED', 'error_code: LOST', 'has no constant LOST; there are: BLOCKED, NONE'),
    ('sentence with an unknown field', '{error_msg}', '{message}', 'has no field "message"'),
    ('sentence with an unknown slot', 'The way to <place>', 'The way to <goal>', 'has no slot <goal>'),
    ('sentence that cannot be read', '{error_msg}', '{error_msg', 'cannot be read'),
    ('format that does not fit', '{left:.1f}', '{note:.1f}', '"{note:.1f}": a text cannot be written so'),
    ('field in a sentence without one', 'done: You have <thing>.', 'done: "You have {it}."', '"{it}" names a field, and nothing comes back here'),
    ('rule that never counts', 'results:\n', 'results:\n        - outcome: succeeded\n', 'this rule never counts'),
    ('completion by a text', 'completion: {field: left}', 'completion: {field: note}', '"note" is a text; a completion has to be a number'),
    ('pose of no pose', 'near: 0.5}', 'near: 0.5, field: header}', '"header" is std_msgs/Header, which is no pose'),
    ('pose without a frame', 'type: geometry_msgs/msg/PoseStamped, near', 'type: geometry_msgs/msg/Pose, near', 'geometry_msgs/Pose has no frame'),
    ('two sources', 'held: {topic: /holds,', 'held: {topic: /holds, service: /held,', 'name one source: a topic or a service'),
    ('source without a type', 'topic: /holds, type: std_msgs/msg/Bool,', 'topic: /holds,', '"/holds" needs its type'),
    ('tf without a frame', '{topic: /pose, type: geometry_msgs/msg/PoseStamped, near: 0.5}', '{tf: base_link}', '"tf" needs the frame to look in'),
    ('held by a number', 'std_msgs/msg/Bool, field: data}\n  facts', 'std_msgs/msg/Float64, field: data}\n  facts', 'what is held is given by a text, by true or false'),
    ('facts of no message', 'field: seen\n', 'field: header.frame_id\n', 'a fact is read from a message'),
    ('name of an unknown field', 'name: crate {id}', 'name: crate {number}', 'vision/Seen has no field "number"'),
    ('position that is none', 'position: at', 'position: score', '"score" is float, which is no pose or point'),
    ('positions without a frame', 'vision/msg/AllSeen', 'vision/msg/Unframed', 'has no frame: add the one positions are in'),
    ('thing at an unknown place', 'crate 9: {place: shelf 1}', 'crate 9: {place: shelf 7}', 'there is no place "shelf 7"'),
    ('thing called as a place', 'crate 9: {', 'dock: {', '"dock" is a place already'),
    ('class with a number', '{name: crate,', '{name: crate 1,', '"crate 1" is one thing, not a class'),
    ('name twice', 'hands: 1', 'robot: porter', '"robot" appears twice'),
    ('no YAML', 'hands: 1', 'hands: [1', 'is not YAML: line'),
)  # fmt: skip


@pytest.mark.parametrize(
    ('before', 'after', 'sentence'),
    [mistake[1:] for mistake in MISTAKES],
    ids=[mistake[0] for mistake in MISTAKES],
)
def test_a_mistake_gets_its_sentence(load, written, before, after, sentence):
    assert before in written
    with pytest.raises(ConfigurationError) as caught:
        load(written.replace(before, after, 1))
    text = str(caught.value)
    assert sentence in text
    assert 'robot.yaml' in text
    assert 'line ' in text or 'is missing' in text


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file(load, written):
    wrong = written.replace('mode: FAST', 'mode: 300').replace('fold:', 'unfold:')
    with pytest.raises(ConfigurationError) as caught:
        load(wrong)
    lines = [int(part.split(':')[0]) for part in str(caught.value).split('line ')[1:]]
    assert len(lines) == 3
    assert lines == sorted(lines)


def test_one_name_with_two_types_is_a_mistake(load, written):
    with pytest.raises(ConfigurationError, match='"/grip" is std_msgs/msg/Bool elsewhere'):
        load(written.replace('name: /wait', 'name: /grip'))


def test_what_is_no_file_of_a_robot_is_said(load):
    with pytest.raises(ConfigurationError, match='is no file of a robot'):
        load('- a\n- list\n')
    with pytest.raises(ConfigurationError, match='is no file of a robot'):
        load('')


@pytest.mark.parametrize(
    'need',
    ['at hall 1', 'crate is open', 'crate 12 is open', 'not crate 9 is very cold', 'dock is clean',
     'crate 9 in shelf 1', 'here is clean', 'holding crate 9'],
)  # fmt: skip
def test_a_need_may_be_about_every_name_of_the_file(load, written, need):
    told = written.replace('<thing> in here]', f'{need}]', 1)
    assert len(load(told).skills[1].needs) == 2


def test_a_hand_holds_and_is_no_place(load, written):
    told = written.replace('hands: 1', 'hands: [claw]').replace(
        '<thing> in here]', '<thing> in claw]'
    )
    with pytest.raises(ConfigurationError, match='did you mean "holding <thing> in claw"'):
        load(told)


def test_what_a_source_tells_of_has_a_name_that_needs_may_use(load, written):
    told = written.replace('name: crate {id}', 'name: gate 2').replace('in here]', 'in gate 2]')
    assert load(told).skills
