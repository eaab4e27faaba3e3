"""Every text of the published environment, and which calls are sent in which order."""

from __future__ import annotations

import math

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Outcome
from sim_bridge.worlds.thor.names import Names
from sim_bridge.worlds.thor.texts import Texts
from support.small_kitchen import metadata, robot, SmallClient, thing

MUG, TABLE, FRIDGE, DRAWER, FAUCET = 'Mug|1', 'CounterTop|1', 'Fridge|1', 'Drawer|1', 'Faucet|1'


def kitchen(held='', **more):
    """A mug on a counter, a fridge, a drawer, a faucet over a basin, an apple and a knife."""
    told = {
        MUG: thing('Mug_1', 1.0, 1.0, objectId=MUG, visible=True, pickupable=True,
                   parentReceptacles=[TABLE]),
        TABLE: thing('CounterTop_1', 1.0, 0.9, objectId=TABLE, visible=True, receptacle=True,
                     receptacleObjectIds=[MUG]),
        FRIDGE: thing('Fridge_1', 3.0, 0.5, objectId=FRIDGE, receptacle=True, openable=True,
                      receptacleObjectIds=[]),
        DRAWER: thing('Drawer_1', 2.0, 0.5, objectId=DRAWER, receptacle=True, openable=True),
        FAUCET: thing('Faucet_1', 1.5, 1.1, objectId=FAUCET, toggleable=True),
        'Apple|1': thing('Apple_1', 1.2, 1.0, objectId='Apple|1', pickupable=True, sliceable=True),
    }  # fmt: skip
    for key, changes in more.items():
        name = {'mug': MUG, 'table': TABLE, 'fridge': FRIDGE, 'drawer': DRAWER,
                'faucet': FAUCET, 'apple': 'Apple|1'}[key]  # fmt: skip
        told[name].update(changes)
    return metadata(*told.values(), held=held)


def acting(told, style='published', version='2.1', receptacle='', names='published'):
    client = SmallClient(told, version)
    one = robot(client, style, names)
    one.receptacle = receptacle
    one.visited = receptacle
    return client, one


def said(one, reply):
    """The whole text, with its end."""
    return one._texts.finished(reply.text, one.held)


def test_the_first_text_tells_room_and_receptacles():
    names = Names('published')
    names.see([thing('Fridge_1', objectId='a'), thing('Cabinet_2', objectId='b'),
               thing('Cabinet_1', objectId='c')])  # fmt: skip
    assert Texts('published', names).start('kitchen', ['a', 'b', 'c']) == (
        'You are in the house, and you arrive at the kitchen, Looking quickly around the room, '
        'you see Fridge (1), Cabinet (1, 2).'
    )


# go to ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('name', 'changes', 'text'),
    [
        ('CounterTop (1)', {}, 'You arrive at CounterTop (1). You see Mug (1), CounterTop (1). '),
        ('Mug (1)', {}, 'You see Mug (1), CounterTop (1). '),
        ('Egg (1)', {}, 'Cannot find Egg (1)'),
        (
            'Fridge (1)', {},
            'You arrive at Fridge (1). You see Mug (1), CounterTop (1). Fridge (1) is closed. ',
        ),
        (
            'Drawer (1)', {'drawer': {'isOpen': True}},
            'You arrive at Drawer (1). You see Mug (1), CounterTop (1). Drawer (1) is open. ',
        ),
        (
            'Faucet (1)', {'faucet': {'isToggled': True}},
            'You see Mug (1), CounterTop (1). Faucet (1) is already turned on. ',
        ),
        (
            'Mug (1)', {'mug': {'distance': 0.4}},
            'You already arrive at Mug (1). You see Mug (1, 1), CounterTop (1, 1). ',
        ),
        (
            'CounterTop (1)', {'mug': {'visible': False}, 'table': {'visible': False}},
            'You arrive at CounterTop (1). There are no visible objects.. ',
        ),
    ],
)  # fmt: skip
def test_texts_of_going(name, changes, text):
    _, one = acting(kitchen(**changes))
    assert said(one, one.go_to(name)) == text


def test_plain_texts_are_the_same_words_tidied():
    _, one = acting(kitchen(mug={'distance': 0.4}), 'plain')
    assert said(one, one.go_to('Mug (1)')) == (
        'You already arrive at Mug (1). You see Mug (1), CounterTop (1).'
    )
    _, one = acting(kitchen(mug={'visible': False}, table={'visible': False}), 'plain')
    assert said(one, one.go_to('CounterTop (1)')) == (
        'You arrive at CounterTop (1). There are no visible objects.'
    )
    _, one = acting(kitchen(held=MUG), 'plain')
    assert said(one, one.go_to('CounterTop (1)')) == (
        'You arrive at CounterTop (1). You see Mug (1), CounterTop (1). I am holding Mug (1) now.'
    )


def test_every_text_ends_with_what_is_held():
    _, one = acting(kitchen(held=MUG))
    assert said(one, one.go_to('CounterTop (1)')) == (
        'You arrive at CounterTop (1). You see Mug (1), CounterTop (1).  I am holding Mug (1) now.'
    )


def test_going_tries_the_nearest_points_and_looks_at_the_thing():
    client, one = acting(kitchen())
    client.then('TeleportFull', False)
    client.then('TeleportFull', False)
    reply = one.go_to('CounterTop (1)')
    assert reply.outcome is Outcome.SUCCEEDED and one.receptacle == TABLE
    assert [action['action'] for action in client.sent] == ['TeleportFull'] * 3
    assert [action['x'] for action in client.sent] == [1.0, 0.75, 1.25]
    second = client.sent[1]
    assert second == {
        'action': 'TeleportFull',
        'x': 0.75,
        'y': 0.9,
        'z': 0.0,
        'rotation': pytest.approx(90.0),
        'horizon': pytest.approx(0.9 * math.degrees(math.atan2(1.65 - 0.9, 0.25))),
    }
    assert client.sent[2]['rotation'] == pytest.approx(270.0)
    # What failed tries have seen stays in the list.
    assert reply.text == (
        'You arrive at CounterTop (1). You see Mug (1, 1, 1), CounterTop (1, 1, 1). '
    )


def test_twenty_points_are_tried():
    client, one = acting(kitchen())
    for _ in range(25):
        client.then('TeleportFull', False)
    reply = one.go_to('Drawer (1)')
    assert len(client.sent) == 20
    assert said(one, reply) == 'Cannot move to Drawer (1). Drawer (1) is closed. '
    assert reply.outcome is Outcome.EXECUTION_FAILED and reply.seen == ()


@pytest.mark.parametrize(('turned', 'tried'), [(0.0, 19), (90.0, 11)])
def test_a_fridge_is_tried_from_its_side_first(turned, tried):
    told = kitchen()
    fridge = next(one for one in told['objects'] if one['objectId'] == FRIDGE)
    fridge['rotation']['y'] = turned
    client, one = acting(told)
    for _ in range(25):
        client.then('TeleportFull', False)
    one.go_to('Fridge (1)')
    # Faced as wanted are nine of ten points, or the one straight under it; then all ten.
    assert len(client.sent) == tried


def test_going_with_the_new_client():
    client, one = acting(kitchen(), version='5')
    client.then('TeleportFull', False)
    client.then('TeleportFull', False)
    one.go_to('CounterTop (1)')
    steep, mended, next_point = client.sent
    assert (steep['x'], steep['horizon']) == (1.0, pytest.approx(81.0))
    assert (mended['x'], mended['horizon']) == (1.0, 60.0)
    assert next_point['x'] == 0.75
    assert mended['standing'] is True and mended['y'] == 0.9009992
    assert mended['rotation'] == {'x': 0.0, 'y': 0.0, 'z': 0.0}


# pick up -------------------------------------------------------------------------------------


def test_picking_up():
    client, one = acting(kitchen(), receptacle=TABLE)
    client.then('PickupObject', told=kitchen(held=MUG))
    reply = one.pick_up('Mug (1)')
    assert client.sent == [{'action': 'PickupObject', 'objectId': MUG, 'forceAction': False}]
    assert said(one, reply) == (
        'You pick up Mug (1). You see Mug (1), CounterTop (1). I am holding Mug (1) now.'
    )
    assert one.receptacle == ''


@pytest.mark.parametrize(
    ('name', 'held', 'changes', 'text'),
    [
        ('Mug (1)', '', {'mug': {'distance': 2.6}}, 'The Mug (1) is not close to you.'),
        ('Mug (1)', '', {'mug': {'visible': False}}, 'The Mug (1) is not close to you.'),
        ('CounterTop (1)', '', {}, 'The CounterTop (1) cannot be pick up.'),
        (
            'Mug (1)', 'Apple|1', {},
            'You are currently holding Apple (1). I am holding Apple (1) now.',
        ),
        ('Mug (1)', '', {}, ''),
        ('Egg (1)', '', {}, 'Cannot find Egg (1) to pick up.'),
    ],
)  # fmt: skip
def test_texts_of_what_is_not_picked_up(name, held, changes, text):
    client, one = acting(kitchen(held, **changes))
    client.then('PickupObject', False)
    reply = one.pick_up(name)
    assert said(one, reply) == text and not reply.learned and reply.seen == ()


def test_empty_texts_say_something_plainly():
    for verb, text in (
        ('pick_up', 'The Mug (1) cannot be picked up here.'),
        ('turn_on', 'The Faucet (1) cannot be turned on here.'),
        ('turn_off', 'The Faucet (1) cannot be turned off here.'),
    ):
        seen = {'visible': True, 'isToggled': verb == 'turn_off'}
        client, one = acting(kitchen(faucet=seen), 'plain')
        client.then('PickupObject', False)
        client.then('ToggleObjectOn', False)
        client.then('ToggleObjectOff', False)
        name = 'Mug (1)' if verb == 'pick_up' else 'Faucet (1)'
        reply = getattr(one, verb)(name)
        assert said(one, reply) == text and reply.outcome is Outcome.EXECUTION_FAILED


# put down ------------------------------------------------------------------------------------


def test_putting_down_where_one_has_gone_to():
    client, one = acting(kitchen(MUG), receptacle=TABLE)
    client.then('PutObject', told=kitchen())
    reply = one.put_down('Mug (1)')
    assert client.sent == [
        {
            'action': 'PutObject',
            'objectId': MUG,
            'receptacleObjectId': TABLE,
            'forceAction': True,
            'placeStationary': True,
        }
    ]
    assert (
        said(one, reply) == 'You put Mug (1) on CounterTop (1). You see Mug (1), CounterTop (1).'
    )
    assert one.receptacle == TABLE
    client, one = acting(kitchen(MUG), version='5', receptacle=TABLE)
    one.put_down('Mug (1)')
    assert client.sent[0]['objectId'] == TABLE and 'receptacleObjectId' not in client.sent[0]


def test_what_cannot_be_put_is_dropped():
    client, one = acting(kitchen(MUG), receptacle=TABLE)
    client.then('PutObject', False)
    client.then('DropHandObject', told=kitchen())
    reply = one.put_down('Mug (1)')
    assert client.sent[1] == {'action': 'DropHandObject', 'forceAction': True}
    assert said(one, reply) == 'You put down failed, drop it. You see Mug (1), CounterTop (1).'
    assert reply.outcome is Outcome.EXECUTION_FAILED


def test_right_after_picking_up_or_slicing_it_is_always_dropped():
    client, one = acting(kitchen(), receptacle=TABLE)
    client.then('PickupObject', told=kitchen(held=MUG))
    client.then('DropHandObject', told=kitchen())
    one.pick_up('Mug (1)')
    assert said(one, one.put_down('Mug (1)')).startswith('You put down failed, drop it. You see ')
    assert client.actions == ['PickupObject', 'DropHandObject']


def test_texts_with_an_empty_hand():
    client, one = acting(kitchen())
    client.then('DropHandObject', False)
    assert said(one, one.put_down('Mug (1)')) == (
        'You are not holding any object. You see Mug (1), CounterTop (1).'
    )
    client, one = acting(kitchen(), receptacle=TABLE)
    reply = one.put_down('Mug (1)')
    assert said(one, reply) == 'You do not holding any object.' and client.sent == []
    client, one = acting(kitchen(MUG))
    client.then('DropHandObject', False)
    assert said(one, one.put_down('Mug (1)')) == (
        'Drop action failed. You see Mug (1), CounterTop (1). I am holding Mug (1) now.'
    )
    client, one = acting(kitchen(MUG), receptacle=TABLE)
    assert one.put_down('Apple (1)').text == 'You are currently holding Mug (1).'
    assert client.sent == []


# open and close ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('kind', 'back', 'ahead'),
    [('Cabinet', 4, 4), ('Drawer', 2, 2), ('Microwave', 2, 3), ('Fridge', 0, 0), ('Safe', 0, 0)],
)
def test_what_opens_towards_the_robot_is_opened_from_some_steps_back(kind, back, ahead):
    door = thing(f'{kind}_1', objectId='X|1', openable=True, visible=True)
    for version, fields in (
        ('2.1', {'moveMagnitude': 1.0}),
        ('5', {'openness': 1.0}),
    ):
        client, one = acting(metadata(door), version=version)
        reply = one.open(f'{kind} (1)')
        assert client.actions == ['MoveBack'] * back + ['OpenObject'] + ['MoveAhead'] * ahead
        assert client.sent[back] == {
            'action': 'OpenObject', 'objectId': 'X|1', 'forceAction': True, **fields,
        }  # fmt: skip
        assert reply.text == f'You open {kind} (1). You see {kind} (1).'


@pytest.mark.parametrize(
    ('name', 'changes', 'text', 'outcome'),
    [
        ('Drawer (1)', {'isOpen': True}, 'The Drawer (1) is already open.', 'PRECONDITION_FAILED'),
        ('Drawer (1)', {'openable': False}, 'The Drawer (1) cannot be opened.',
         'PRECONDITION_FAILED'),
        ('Drawer (1)', {}, 'The Drawer (1) is not close to you.', 'PRECONDITION_FAILED'),
        ('Drawer (1)', {'visible': True}, 'The Drawer (1) is open failed.', 'EXECUTION_FAILED'),
        ('Egg (1)', {}, 'Cannot find Egg (1) to open', 'INVALID_SKILL'),
    ],
)  # fmt: skip
def test_texts_of_what_is_not_opened(name, changes, text, outcome):
    client, one = acting(kitchen(drawer=changes), receptacle=TABLE)
    client.then('OpenObject', False)
    reply = one.open(name)
    assert (reply.text, reply.outcome.name) == (text, outcome)
    # The text tells nothing to be visible, so that nothing but places is offered after it.
    assert reply.seen == ()
    # Opening leaves alone where things are put down.
    assert one.receptacle == TABLE


def test_closing():
    client, one = acting(kitchen(fridge={'isOpen': True}), receptacle=FRIDGE)
    reply = one.close('Fridge (1)')
    assert client.sent == [{'action': 'CloseObject', 'objectId': FRIDGE, 'forceAction': False}]
    assert reply.text == 'You close Fridge (1). You see Mug (1), CounterTop (1).'
    assert one.receptacle == ''


@pytest.mark.parametrize(
    ('changes', 'message', 'text'),
    [
        ({}, '', 'The Fridge (1) is already closed.'),
        ({'isOpen': True, 'openable': False}, '', 'The Fridge (1) cannot be closed.'),
        ({'isOpen': True}, '', 'The Fridge (1) is not close to you.'),
        (
            {'isOpen': True, 'visible': True},
            'Something is in the way.',
            'Something is in the way.',
        ),
    ],
)
def test_texts_of_what_is_not_closed(changes, message, text):
    client, one = acting(kitchen(fridge=changes))
    client.then('CloseObject', False, errorMessage=message)
    assert one.close('Fridge (1)').text == text


# turn on and off -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('verb', 'action'), [('on', 'ToggleObjectOn'), ('off', 'ToggleObjectOff')]
)
def test_turning_on_and_off(verb, action):
    client, one = acting(kitchen(), receptacle=TABLE)
    do = one.turn_on if verb == 'on' else one.turn_off
    reply = do('Faucet (1)')
    assert client.sent[0] == {'action': action, 'objectId': FAUCET, 'forceAction': False}
    assert reply.text == f'You turn {verb} Faucet (1). You see Mug (1), CounterTop (1).'
    assert one.receptacle == ''
    for changes, text in (
        ({'isToggled': verb == 'on'}, f'The Faucet (1) already turn {verb}.'),
        ({'isToggled': verb != 'on', 'toggleable': False},
         f'The Faucet (1) cannot be turn {verb}.'),
        ({'isToggled': verb != 'on'}, 'The Faucet (1) is not close to you.'),
        ({'isToggled': verb != 'on', 'visible': True}, ''),
    ):  # fmt: skip
        client, one = acting(kitchen(faucet=changes))
        client.then(action, False)
        assert (one.turn_on if verb == 'on' else one.turn_off)('Faucet (1)').text == text


def test_a_faucet_cleans_what_is_dirty_in_its_basin():
    told = kitchen(mug={'dirtyable': True, 'isDirty': True}, apple={'dirtyable': True})
    basin = thing('SinkBasin_1', 1.5, objectId='Sink|1|SinkBasin', visible=True, receptacle=True,
                  receptacleObjectIds=[MUG, 'Apple|1'])  # fmt: skip
    told['objects'].append(basin)
    client, one = acting(told)
    reply = one.turn_on('Faucet (1)')
    assert client.actions == ['ToggleObjectOn', 'Pass', 'CleanObject']
    assert client.sent[2] == {'action': 'CleanObject', 'objectId': MUG}
    assert one.treated.clean == {MUG, 'Apple|1'}
    assert reply.text.startswith('You turn on Faucet (1). You see ')


# slice ---------------------------------------------------------------------------------------


def test_slicing_tells_all_pieces_of_all_that_was_sliced():
    pieces = [
        thing(f'Apple_1_Slice_{number}', 1.2, objectId=f'Apple|1|AppleSliced_{number}',
              visible=number == 1, pickupable=True)
        for number in (1, 2)
    ]  # fmt: skip
    after = kitchen()
    after['objects'] = [
        *(one for one in after['objects'] if one['objectId'] != 'Apple|1'), *pieces,
        thing('Bread_1_Slice_1', objectId='Bread|1|BreadSliced_1'),
    ]  # fmt: skip
    client, one = acting(kitchen())
    client.then('SliceObject', told=after)
    reply = one.slice('Apple (1)')
    assert client.sent == [{'action': 'SliceObject', 'objectId': 'Apple|1', 'forceAction': False}]
    assert reply.text == (
        'You slice Apple (1). You see Mug (1), CounterTop (1), Apple (2). '
        'Bread (1), Apple (1, 2) are sliced.'
    )


@pytest.mark.parametrize(
    ('changes', 'text'),
    [
        ({'isSliced': True}, 'The Apple (1) already sliced.'),
        ({'sliceable': False}, 'The Apple (1) cannot be sliced.'),
        ({}, 'The Apple (1) is not close to you.'),
        ({'visible': True}, 'The Apple (1) slice failed.'),
    ],
)
def test_texts_of_what_is_not_sliced(changes, text):
    client, one = acting(kitchen(apple=changes))
    client.then('SliceObject', False)
    assert one.slice('Apple (1)').text == text


# recall --------------------------------------------------------------------------------------


def test_recall_tells_where_things_of_a_class_were_seen():
    client, one = acting(kitchen())
    assert one.recall('Mug').text == 'You have not seen Mug before.'
    one.go_to('CounterTop (1)')
    assert one.recall('Mug').text == 'You saw Mug (1) near CounterTop (1).'
    # Receptacles that stay where they are, are not kept.
    assert one.recall('CounterTop').text == 'You have not seen CounterTop before.'
    client.then('PickupObject', told=kitchen(held=MUG))
    one.pick_up('Mug (1)')
    assert one.recall('Mug').text == 'You saw Mug (1) near hand.'
    client.then('DropHandObject', told=kitchen())
    one.put_down('Mug (1)')
    assert one.recall('Mug').text == (
        'You dropped Mug due to fail to put it on the receptacle. You need to find it again.'
    )


def test_what_lies_at_a_thing_lies_where_that_lay_when_the_task_began():
    _, one = acting(kitchen(apple={'visible': True}))
    one.go_to('Mug (1)')
    assert one.recall('Apple').text == 'You saw Apple (1) near CounterTop (1).'


def test_putting_and_slicing_are_remembered_and_several_are_joined():
    second = thing('Mug_0', objectId='Mug|2', visible=True, pickupable=True)
    told = kitchen(MUG)
    told['objects'].append(second)
    client, one = acting(told)
    one.go_to('CounterTop (1)')
    client.then('PutObject')
    one.put_down('Mug (1)')
    assert one.recall('Mug').text == (
        'You saw Mug (2) near CounterTop (1). You saw Mug (1) near CounterTop (1).'
    )
    client, one = acting(kitchen(apple={'visible': True}))
    one.go_to('CounterTop (1)')
    gone = kitchen()
    gone['objects'] = [each for each in gone['objects'] if each['objectId'] != 'Apple|1']
    client.then('SliceObject', told=gone)
    one.slice('Apple (1)')
    assert one.recall('Apple').text == 'You have not seen Apple before.'


def test_a_held_thing_is_recalled_as_held_plainly():
    client, one = acting(kitchen(), 'plain', names='stable')
    one.go_to('CounterTop (1)')
    client.then('PickupObject', told=kitchen(held=MUG))
    one.pick_up('Mug (1)')
    assert one.recall('Mug').text == 'You are holding Mug (1).'


def test_there_are_two_sorts_of_texts():
    with pytest.raises(ConfigurationError, match='published, plain'):
        Texts('short', Names())
