"""Numbers within bounds, and names of a class: in a robot's file, and of what is offered."""

from __future__ import annotations

import pytest

from reactree_core.errors import ConfigurationError
from robot_bridge.applicable import admissible
from robot_bridge.belief import Belief
from support.robot_files import PORTER

GARDENER = PORTER.replace('  crate 9: {place: shelf 1}\n', """\
  crate 9: {place: shelf 1}
  plant 1: {values: {id: 31}}
  tomato 2: {values: {id: 32}}
  vent: {}
""").replace('  - {name: crate, other_words: [box]}\n', """\
  - {name: crate, other_words: [box]}
  - {name: plant, other_words: [tomato]}
""").replace('skills:\n', """\
skills:
  - skill: 'water <plant: plant> with <ml> ml'
    slots: {<ml>: {number: 0..200, unit: ml, step: 10}}
    needs: ['not <plant> is wet', hands free]
    do: {action: nav/action/Go, name: /water, send: {dock: <plant.id>, mode: <ml>}}
""", 1)  # fmt: skip


def test_a_file_declares_bounds_classes_and_needs(load):
    water = load(GARDENER).vocabulary().skill_types[0]
    assert water.template == 'water <plant> with <ml> ml'
    assert water.slot_types == ('thing: plant, tomato', 'number: 0..200 step 10 ml')
    assert water.needs == ('not <plant> is wet', 'hands free')
    assert [slot.is_narrow for slot in water.slots] == [True, True]


@pytest.mark.parametrize('slots', [
    '{ml: {number: 0..200, step: 10, unit: ml}}', '[thing, {number: 0..200, step: 10, unit: ml}]',
])  # fmt: skip
def test_slots_are_told_by_name_or_in_order(load, slots):
    written = GARDENER.replace('{<ml>: {number: 0..200, unit: ml, step: 10}}', slots)
    told = load(written).vocabulary().skill_types[0].slot_types
    assert told == ('thing: plant, tomato', 'number: 0..200 step 10 ml')


def test_only_things_of_the_class_are_offered(load):
    offered = admissible(Belief(load(GARDENER), lambda name, frame: None))
    assert [text for text in offered if text.startswith('water')] == [
        'water plant 1 with <ml> ml', 'water tomato 2 with <ml> ml',
    ]  # fmt: skip
    assert 'pick up vent' in offered, 'another skill takes any thing'


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        ('water vent with 10 ml', '<plant> takes a plant or tomato, and "vent" is none.'),
        ('water plant 1 with -50 ml', '<ml> takes 0 to 200 ml in steps of 10, not -50.'),
        ('water plant 1 with 5 ml', '<ml> takes 0 to 200 ml in steps of 10, not 5.'),
        ('water plant 1 with 1e9 ml', '<ml> takes a number such as 50 or 2.5, not "1e9".'),
        ('water plant 1 with <ml> ml', '<ml> takes a number such as 50 or 2.5, not "<ml>".'),
        ('water plant 7 with 10 ml', 'There is no thing "plant 7" that is known'),
        ('wait soon s', '<number> takes a number such as 50 or 2.5, not "soon".'),
        ('wait nan s', '<number> takes a number such as 50 or 2.5, not "nan".'),
    ],
)
def test_what_does_not_fit_is_no_skill(load, text, sentence):
    skill, _, objection = load(GARDENER).find(text, ['plant 1', 'tomato 2', 'vent'])
    assert skill is None
    assert objection.startswith(sentence)


@pytest.mark.parametrize('number', ['0', '10', '200'])
def test_what_fits_is_found(load, number):
    skill, slots, _ = load(GARDENER).find(f'water plant 1 with {number} ml', ['plant 1'])
    assert skill is not None
    assert slots == {'plant': 'plant 1', 'ml': number}


MISTAKES = (
    ('<plant: plant>', '<plant: plnt>', 'there is no class "plnt"; list it below "classes"'),
    ("'water <plant: plant> with <ml> ml'", 'water <plant: plant> with <ml> ml',
     'put a text with a colon between quotation marks'),
    ('{<ml>:', '{<millilitres>:', 'has no slot <millilitres>; it has <plant>, <ml>'),
    ('{<ml>: {number', '{plant: {number', '<plant: plant> is a class, and "slots" says "number'),
    ('0..200', '0-200', '"0-200" is no range of numbers: write "number: 0..300"'),
    ('0..200', '200..0', '"200..0": 200 is more than 0'),
    ('0..200', '0..1e9', '"0..1e9" is no range of numbers'),
    ('0..200', '.nan', '"skills.1.slots.<ml>.number" must be a text'),
    ('number: 0..200', 'number: 0..205', 'steps of 10 from 0 do not lead to 205'),
    ('step: 10', 'step: 0', 'a step is more than 0, not 0'),
    ('step: 10', 'step: .inf', 'is no range of numbers'),
    ('number: 0..200, ', '', 'a slot is a word, or has "number"'),
    ('number: 0..200', 'number: 0..200, most: 7', 'there is no "skills.1.slots.<ml>.most"'),
    ('0..200', '0..300', '"mode" must be from 0 to 255 (uint8), not'),
    ('step: 10', 'step: 0.5', '"mode" must be a whole number (uint8)'),
    ('values: {id: 32}', 'values: {}', '<plant.id>: "tomato 2" has no such value'),
)  # fmt: skip


@pytest.mark.parametrize(('before', 'after', 'sentence'), MISTAKES)
def test_a_mistake_gets_a_sentence(load, before, after, sentence):
    assert before in GARDENER
    with pytest.raises(ConfigurationError) as raised:
        load(GARDENER.replace(before, after, 1))
    assert sentence in str(raised.value)
    assert 'line ' in str(raised.value)
