"""What programs written for VirtualHome's public Python API call, and how they read answers."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import cv2
import httpx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_bridge.virtualhome_server import VirtualHomeServer, VirtualHomeService
from sim_bridge.virtualhome_server.script_lines import VERBS
from sim_bridge.worlds.household.pictures.drawing import MODES
from sim_bridge.worlds.household.scenes import generate_apartment

#: Scene 0 with bounding boxes, scene 1 without.
BOXED = generate_apartment(1)
BARE = generate_apartment(2)
for _node in BARE['nodes']:
    _node.pop('bounding_box', None)
    _node.pop('obj_transform', None)

Call = Callable[..., dict[str, Any]]


@pytest.fixture
def call() -> Iterator[Call]:
    """A call by the name of its action; lists become intParams, texts and objects stringParams."""
    service = VirtualHomeService([BOXED, BARE])
    with VirtualHomeServer(service, 0) as server, httpx.Client(timeout=30.0) as client:

        def post(action: str, *params: Any) -> dict[str, Any]:
            request: dict[str, Any] = {'id': '7', 'action': action}
            ints = [one for one in params if isinstance(one, list)]
            if ints:
                request['intParams'] = ints[0]
            strings = [one for one in params if not isinstance(one, list)]
            if strings:
                request['stringParams'] = [
                    one if isinstance(one, str) else json.dumps(one) for one in strings
                ]
            answer: dict[str, Any] = client.post(server.url, json=request).json()
            return answer

        yield post


def graph_of(call: Call) -> dict[str, Any]:
    graph: dict[str, Any] = json.loads(call('environment_graph')['message'])
    return graph


def ids_of(graph: dict[str, Any], class_name: str) -> list[int]:
    return [node['id'] for node in graph['nodes'] if node['class_name'] == class_name]


def edges_of(graph: dict[str, Any]) -> set[tuple[int, str, int]]:
    return {(edge['from_id'], edge['relation_type'], edge['to_id']) for edge in graph['edges']}


# Scenes


def test_the_public_reset_chooses_the_scene_and_the_character_goes(call: Call) -> None:
    first = graph_of(call)
    assert call('add_character', {'mode': 'random'})['success']
    for index in (1, 0):
        # As `UnityCommunication.reset` does.
        assert call('clear', [index])['success']
        assert not ids_of(graph_of(call), 'character')
        assert call('environment', [index])['success']
        assert not ids_of(graph_of(call), 'character')
        assert (graph_of(call) == first) == (index == 0)


def test_a_generated_home_is_the_same_for_the_same_seed(call: Call) -> None:
    homes = []
    for seed in (5, 6, 5):
        assert call('clear_procedural')['success']
        assert call('procedural_generation', [seed])['message'] == str(seed)
        homes.append(graph_of(call))
    assert homes[0] == homes[2] != homes[1]
    chosen = call('procedural_generation')
    assert call('procedural_generation', [int(chosen['message'])])['success']
    assert call('environment')['success'] and graph_of(call) not in homes


@pytest.mark.parametrize(
    'action',
    [
        'camera_data',
        'camera_image',
        'environment_graph',
        'expand_scene',
        'instance_colors',
        'observation',
        'point_cloud',
        'render_script',
        'teleport',
    ],
)
def test_a_refusal_is_in_the_form_that_clients_read(call: Call, action: str) -> None:
    refused = call(action, [1], '{')
    if refused['success']:
        refused = call(action, ['one'])
    assert refused['success'] is False and refused['message_list'] == []
    assert refused['value'] == 0
    if action in ('camera_data', 'environment_graph', 'instance_colors', 'point_cloud'):
        assert ' ' in json.loads(refused['message'])
    else:
        assert ' ' in refused['message']


@pytest.mark.parametrize('action', ['set_time', 'activate_physics', 'remove_terrain'])
def test_what_has_no_effect_here_is_accepted_and_says_so(call: Call, action: str) -> None:
    before = graph_of(call)
    accepted = call(action, {'hours': 10, 'gravity': -10})
    assert accepted['success'] and accepted['message']
    assert graph_of(call) == before


def test_a_scene_is_expanded_around_its_characters(call: Call) -> None:
    call('add_character', {'mode': 'fix_room', 'initial_room': 'kitchen'})
    call('add_character', {'mode': 'fix_room', 'initial_room': 'bathroom'})
    cameras = call('camera_count')['value']
    graph = graph_of(call)
    sofa = ids_of(graph, 'sofa')[0]
    graph['nodes'].append({'class_name': 'cat', 'category': 'Animals', 'id': 5000})
    graph['edges'].append({'from_id': 5000, 'relation_type': 'ON', 'to_id': sofa})
    assert call('expand_scene', {}, graph)['success']
    now = graph_of(call)
    first, second = ids_of(now, 'character')
    assert (first, 'INSIDE', ids_of(now, 'kitchen')[0]) in edges_of(now)
    assert (second, 'INSIDE', ids_of(now, 'bathroom')[0]) in edges_of(now)
    assert call('camera_count')['value'] == cameras
    # What people carry can be carried, also when the graph does not say so.
    assert run(call, '<char1> [grab] <cat> (5000)')['success']
    assert (second, 'HOLDS_RH', 5000) in edges_of(graph_of(call))


# Scripts


def run(call: Call, *lines: str, **config: Any) -> dict[str, Any]:
    answer = call('render_script', config, *lines)
    assert answer['success'] or len(answer['message']) > 10
    return answer


def add(call: Call, *rooms: str) -> list[int]:
    """Characters in some rooms; their ids."""
    for room in rooms:
        assert call('add_character', {'mode': 'fix_room', 'initial_room': room})['success']
    return sorted(ids_of(graph_of(call), 'character'))


def states_of(call: Call, node_id: int) -> list[str]:
    nodes = graph_of(call)['nodes']
    return next(list(node['states']) for node in nodes if node['id'] == node_id)


def test_a_name_that_is_not_that_of_the_id_is_refused(call: Call) -> None:
    add(call, 'kitchen')
    before = call('environment_graph')
    fridge = ids_of(BOXED, 'fridge')[0]
    tables = ids_of(BOXED, 'kitchentable')
    refused = run(call, f'<char0> [walk] <unicorn> ({fridge})')
    assert not refused['success']
    assert f'{fridge} is a <fridge>' in refused['message']
    assert 'nothing here is called unicorn' in refused['message']
    refused = run(call, f'<char0> [walk] <kitchentable> ({fridge})')
    assert not refused['success'] and f'ids of kitchentable: {tables[0]}' in refused['message']
    assert not run(call, '<char0> [walk] <fridge> (1)')['success']
    assert call('environment_graph')['message'] == before['message']
    for name in ('kitchentable', 'KitchenTable', 'kitchen table', 'KITCHEN_TABLE', 'table'):
        assert run(call, f'<char0> [walk] <{name}> ({tables[0]})')['success'], name


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_name_but_its_own_is_refused_for_an_id(data: st.DataObject) -> None:
    service = VirtualHomeService([BOXED])
    assert service.answer({'action': 'add_character'})['success']
    one, other = (data.draw(st.sampled_from(BOXED['nodes'])) for _ in range(2))
    line = f'<char0> [find] <{other["class_name"]}> ({one["id"]})'
    answer = service.answer({'action': 'check_script', 'stringParams': [line]})
    if one['class_name'] == other['class_name']:
        assert 'is a <' not in answer['message']
    else:
        assert not answer['success']


def test_instance_numbers_find_things_that_suit(call: Call) -> None:
    add(call, 'bathroom')
    lines = ['<char0> [walk] <fridge> (1)', '<char0> [open] <fridge> (1)']
    assert not run(call, *lines)['success']
    assert run(call, *lines, find_solution=True)['success']
    fridge = ids_of(BOXED, 'fridge')[0]
    assert states_of(call, fridge)[0] == 'OPEN'
    twice = next(
        name
        for name in sorted({node['class_name'] for node in BOXED['nodes']})
        if sum(
            node['class_name'] == name and 'GRABBABLE' in node['properties']
            for node in BOXED['nodes']
        )
        > 3
    )
    lines = [f'<char0> [grab] <{twice}> ({number})' for number in (1, 2)]
    assert run(call, *lines, find_solution=True)['success']
    held = [end for _, relation, end in edges_of(graph_of(call)) if relation.startswith('HOLDS')]
    assert len(set(held)) == 2 and set(held) <= set(ids_of(BOXED, twice))


def test_states_are_those_of_the_file_until_somebody_changes_them(call: Call) -> None:
    # As Unity exports them: a fridge has a switch and is CLOSED, a radio can be opened and is OFF.
    graph = graph_of(call)
    given = {node['id']: node['states'] for node in BOXED['nodes']}
    (fridge, *_), room = ids_of(graph, 'fridge'), ids_of(graph, 'kitchen')[0]
    radio, pot, lone = (max(given) + number for number in (1, 2, 3))
    doors, switch = ['CAN_OPEN', 'CONTAINERS'], ['HAS_SWITCH']
    for node in graph['nodes']:
        if node['id'] == fridge:
            node.update(properties=[*doors, *switch], states=['CLOSED'])
    for key, name, properties, states in (
        (radio, 'radio', [*doors, *switch], ['OFF']),
        (pot, 'pot', [*doors, 'GRABBABLE'], []),
        (lone, 'garbagecan', doors, ['CLEAN']),
    ):
        node = {'id': key, 'class_name': name, 'category': 'Props', 'properties': properties}
        graph['nodes'].append({**node, 'states': states})
        graph['edges'].append({'from_id': key, 'to_id': room, 'relation_type': 'INSIDE'})
    assert call('expand_scene', {'randomize': False}, graph)['success']
    assert call('add_character', {'mode': 'fix_room', 'initial_room': 'kitchen'})['success']

    def states() -> list[list[str]]:
        found = {node['id']: node['states'] for node in graph_of(call)['nodes']}
        return [found[key] for key in (fridge, radio, pot, lone)]

    # Only where a file tells no state at all, as old exports do, the first of each is meant.
    assert states() == [['CLOSED'], ['OFF'], ['CLOSED'], ['CLEAN']]
    steps = (
        ('switchon', 'fridge', fridge, ['CLOSED', 'ON'], 0),
        ('switchoff', 'fridge', fridge, ['CLOSED', 'OFF'], 0),
        ('open', 'radio', radio, ['OFF', 'OPEN'], 1),
        ('close', 'radio', radio, ['OFF', 'CLOSED'], 1),
    )
    for verb, name, key, wanted, place in steps:
        answer = run(call, f'<char0> [{verb}] <{name}> ({key})')
        assert answer['success'], answer
        assert states()[place] == wanted


def test_one_walks_to_what_one_handles_and_not_when_it_cannot_be_done(call: Call) -> None:
    me = add(call, 'bathroom')[0]
    fridge = ids_of(BOXED, 'fridge')[0]
    before = call('environment_graph')['message']
    assert not run(call, f'<char0> [close] <fridge> ({fridge})')['success']
    assert call('environment_graph')['message'] == before
    assert run(call, f'<char0> [open] <fridge> ({fridge})')['success']
    assert (me, 'CLOSE', fridge) in edges_of(graph_of(call))


def test_one_sits_down_and_has_to_stand_up_to_walk(call: Call) -> None:
    me = add(call, 'bathroom')[0]
    toilet = ids_of(BOXED, 'toilet')[0]
    assert not run(call, '<char0> [standup]')['success']
    assert run(call, f'<char0> [walk] <toilet> ({toilet})', f'<char0> [sit] <toilet> ({toilet})')[
        'success'
    ]
    assert states_of(call, me) == ['SITTING']
    assert (me, 'ON', toilet) in edges_of(graph_of(call))
    for line in ('walkforward', f'sit] <toilet> ({toilet}) ['):
        assert not run(call, f'<char0> [{line}]')['success']
    fridge = ids_of(BOXED, 'fridge')[0]
    for verb in ('walk', 'open'):
        refused = run(call, f'<char0> [{verb}] <fridge> ({fridge})')
        assert not refused['success'] and '[standup] first' in refused['message']
    assert run(call, '<char0> [standup]', '<char0> [walkforward]')['success']
    assert states_of(call, me) == []
    assert (me, 'ON', toilet) not in edges_of(graph_of(call))


def test_other_actions_have_the_conditions_of_programs(call: Call) -> None:
    me = add(call, 'livingroom')[0]
    sofa = ids_of(BOXED, 'sofa')[0]
    for verb in ('touch', 'push', 'turnto', 'lookat', 'pointat', 'lookat_long'):
        assert run(call, f'<char0> [{verb}] <sofa> ({sofa})')['success'], verb
    assert (me, 'FACING', sofa) in edges_of(graph_of(call))
    for verb, reason in (
        ('drink', 'is not drinkable'),
        ('read', 'is not readable'),
        ('watch', 'not lookable'),
        ('plugin', 'does not have a plug'),
        ('wipe', 'does not hold anything'),
    ):
        refused = run(call, f'<char0> [{verb}] <sofa> ({sofa})')
        assert not refused['success'] and reason in refused['message'], refused
    assert run(call, '<char0> [turnleft]', '<char0> [turnright]', '<char0> [turnright]')['success']
    assert (me, 'FACING', sofa) not in edges_of(graph_of(call))


def carried_of(graph: dict[str, Any], place: str) -> list[dict[str, Any]]:
    """Things on a place that can be taken from it."""
    here = ids_of(graph, place)
    upon = {edge['from_id'] for edge in graph['edges'] if edge['to_id'] in here}
    return [
        node for node in graph['nodes'] if node['id'] in upon and 'GRABBABLE' in node['properties']
    ]


def test_things_are_put_where_a_script_says_and_put_back_where_they_were(call: Call) -> None:
    add(call, 'kitchen')
    table = next(node for node in BOXED['nodes'] if node['class_name'] == 'kitchentable')
    things = [node for node in BOXED['nodes'] if node['class_name'] in ('apple', 'plate', 'mug')]
    taken = next(
        thing
        for thing in things
        if run(call, f'<char0> [grab] <{thing["class_name"]}> ({thing["id"]})')['success']
    )
    name = f'<{taken["class_name"]}> ({taken["id"]})'
    box = table['bounding_box']
    x, z = box['center'][0] + 0.1, box['center'][2] - 0.2
    put = f'<char0> [putback] {name} <kitchentable> ({table["id"]}) <position> {x:.3f},{z:.3f}'
    assert run(call, put)['success']
    nodes = {node['id']: node for node in graph_of(call)['nodes']}
    center = nodes[taken['id']]['bounding_box']['center']
    assert (center[0], center[2]) == (pytest.approx(x, abs=1e-3), pytest.approx(z, abs=1e-3))
    assert run(
        call,
        f'<char0> [grab] {name}',
        f'<char0> [walk] <bathroom> ({ids_of(BOXED, "bathroom")[0]})',
        f'<char0> [putobjback] {name}',
    )['success']
    assert (taken['id'], 'ON', table['id']) in edges_of(graph_of(call))
    assert run(call, f'<char0> [grab] {name}', f'<char0> [drop] {name}')['success']
    assert (taken['id'], 'INSIDE', ids_of(BOXED, 'kitchen')[0]) in edges_of(graph_of(call))
    assert run(call, f'<char0> [grab] {name}')['success']


def test_that_nothing_is_recorded_is_said(call: Call) -> None:
    add(call, 'kitchen')
    answer = run(call, '<char0> [turnleft]', recording=True, output_folder='/nowhere')
    assert (
        answer['success'] and 'nothing was recorded' in json.loads(answer['message'])['recording']
    )


# Several characters


def test_each_character_has_its_own_place_and_hands(call: Call) -> None:
    one, other = add(call, 'kitchen', 'bathroom')
    assert (one, other) == (1, 2) or one < other
    fridge, toilet = ids_of(BOXED, 'fridge')[0], ids_of(BOXED, 'toilet')[0]
    answer = run(call, f'<char0> [walk] <fridge> ({fridge}) | <char1> [walk] <toilet> ({toilet})')
    assert json.loads(answer['message']) == {
        '0': {'message': 'Success'},
        '1': {'message': 'Success'},
    }
    edges = edges_of(graph_of(call))
    assert {(one, 'CLOSE', fridge), (other, 'CLOSE', toilet), (toilet, 'CLOSE', other)} <= edges
    assert not {(one, 'CLOSE', toilet), (other, 'CLOSE', fridge)} & edges
    assert run(call, f'<char1> [open] <fridge> ({fridge})')['success']
    food = next(
        node
        for node in BOXED['nodes']
        if node['id']
        in {start for start, relation, end in edges if (relation, end) == ('INSIDE', fridge)}
    )
    name = f'<{food["class_name"]}> ({food["id"]})'
    assert run(call, f'<char1> [grab] {name}', f'<char1> [walk] <toilet> ({toilet})')['success']
    edges = edges_of(graph_of(call))
    assert (other, 'HOLDS_RH', food['id']) in edges and (one, 'HOLDS_RH', food['id']) not in edges
    assert (food['id'], 'INSIDE', ids_of(BOXED, 'bathroom')[0]) in edges
    refused = run(call, f'<char0> [grab] {name}')
    assert not refused['success'] and 'in the hands of <char1>' in refused['message']
    both = f'<char0> [close] <fridge> ({fridge}) | <char1> [sit] <toilet> ({toilet})'
    assert run(call, both)['success']
    edges = edges_of(graph_of(call))
    assert (other, 'ON', toilet) in edges and states_of(call, other) == ['SITTING']
    assert states_of(call, one) == [] and states_of(call, fridge)[0] == 'CLOSED'


def test_what_one_cannot_do_is_told_and_the_other_does_its_part(call: Call) -> None:
    add(call, 'kitchen', 'bathroom')
    fridge = ids_of(BOXED, 'fridge')[0]
    lines = [
        f'<char0> [close] <fridge> ({fridge}) | <char1> [turnleft]',
        f'<char0> [open] <fridge> ({fridge})',
    ]
    answer = run(call, *lines)
    message = json.loads(answer['message'])
    assert not answer['success'] and message['1'] == {'message': 'Success'}
    assert message['0']['line'] == 0 and 'already closed' in message['0']['message']
    assert states_of(call, fridge)[0] == 'CLOSED'
    refused = run(call, '<char2> [turnleft]')
    assert not refused['success'] and 'only <char0>, <char1>' in refused['message']


def test_each_character_brings_cameras_and_sees_its_own_room(call: Call) -> None:
    before = call('camera_count')['value']
    add(call, 'kitchen', 'bathroom')
    names = json.loads(call('character_cameras')['message'])
    assert call('camera_count')['value'] == before + 2 * len(names)
    seen = [
        json.loads(call('observation', [before + who * len(names)])['message']) for who in (0, 1)
    ]
    assert 'fridge' in seen[0].values() and 'toilet' in seen[1].values()
    assert not seen[0].keys() & seen[1].keys()
    assert call('move_character', {'char_index': 1, 'character_position': center_of('kitchen')})
    again = json.loads(call('observation', [before + len(names)])['message'])
    assert again == seen[0]


def center_of(room: str) -> dict[str, float]:
    node = next(node for node in BOXED['nodes'] if node['class_name'] == room)
    return dict(zip('xyz', node['bounding_box']['center'], strict=True))


_VERBS = st.sampled_from(sorted(VERBS))


@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_whatever_several_characters_do_the_graph_stays_one(data: st.DataObject) -> None:
    service = VirtualHomeService([BOXED], seed=data.draw(st.integers(0, 99)))
    count = data.draw(st.integers(1, 3))
    for _ in range(count):
        assert service.answer({'action': 'add_character'})['success']
    nodes = [node for node in BOXED['nodes'] if node['class_name'] != 'character']
    handy = [node for node in nodes if {'GRABBABLE', 'CAN_OPEN'} & set(node['properties'])]
    for _ in range(8):
        verb = data.draw(_VERBS)
        chosen = [data.draw(st.sampled_from(handy + nodes)) for _ in range(VERBS[verb][0])]
        objects = ' '.join(f'<{node["class_name"]}> ({node["id"]})' for node in chosen)
        line = f'<char{data.draw(st.integers(0, count - 1))}> [{verb}] {objects}'
        before = service.answer({'action': 'environment_graph'})['message']
        checked = service.answer({'action': 'check_script', 'stringParams': [line]})
        assert service.answer({'action': 'environment_graph'})['message'] == before
        done = service.answer({'action': 'render_script', 'stringParams': ['{}', line]})
        assert done['success'] == checked['success']
        after = service.answer({'action': 'environment_graph'})['message']
        assert done['success'] or after == before, line
        graph = json.loads(after)
        assert graph == service.graph()
        ids = {node['id'] for node in graph['nodes']}
        assert len(ids) == len(graph['nodes']) == len(nodes) + count
        holding = [edge for edge in edges_of(graph) if edge[1].startswith('HOLDS')]
        assert len({held for _, _, held in holding}) == len(holding)
        assert len({(who, hand) for who, hand, _ in holding}) == len(holding)
        rooms = {node['id'] for node in graph['nodes'] if node['category'] == 'Rooms'}
        for me in ids_of(graph, 'character'):
            inside = [
                end
                for start, relation, end in edges_of(graph)
                if (start, relation) == (me, 'INSIDE')
            ]
            assert len(inside) == 1 and inside[0] in rooms
            assert all(
                (held, 'INSIDE', inside[0]) in edges_of(graph)
                for who, _, held in holding
                if who == me
            )


# Cameras


def decoded(answer: dict[str, Any]) -> list[Any]:
    """As the published client decodes pictures."""
    flags = cv2.IMREAD_ANYDEPTH + cv2.IMREAD_ANYCOLOR
    return [
        cv2.imdecode(np.frombuffer(base64.b64decode(one), np.uint8), flags)
        for one in answer['message_list']
    ]


@pytest.mark.parametrize('scene', [0, 1])
def test_every_camera_has_a_picture_with_and_without_boxes(call: Call, scene: int) -> None:
    assert call('environment', [scene])['success']
    add(call, 'kitchen')
    count = call('camera_count')['value']
    indices = [*range(0, count, 7), *range(count - 6, count)]
    images = decoded(call('camera_image', indices, {'image_width': 160, 'image_height': 120}))
    assert len(images) == len(indices)
    for image in images:
        assert image.shape == (120, 160, 3) and len(np.unique(image)) > 2


@pytest.mark.parametrize('mode', [*MODES, 'depth'])
def test_every_mode_has_a_picture_where_there_are_boxes_else_a_clear_no(
    call: Call, mode: str
) -> None:
    config = {'mode': mode, 'image_width': 64, 'image_height': 48}
    image = decoded(call('camera_image', [8], config))[0]
    assert image.shape == (48, 64, 3)
    if mode == 'depth':
        assert image.dtype == np.float32 and 0.1 < image.min() < image.max() <= 100.0
    assert call('environment', [1])['success']
    answer = call('camera_image', [8], config)
    assert answer['success'] == (mode == 'normal')
    if mode != 'normal':
        assert answer['message_list'] == [] and 'no bounding boxes' in answer['message']


def test_cameras_are_added_and_moved_and_stay_when_a_character_comes(call: Call) -> None:
    count = call('camera_count')['value']
    center = center_of('kitchen')
    above = {'position': center | {'y': 2.0}, 'rotation': {'x': 30, 'y': 45, 'z': 0}}
    said = call('add_camera', above | {'field_view': 60})
    assert said['success'] and int(said['message'].split(':')[1]) == count
    add(call, 'kitchen')
    assert call('camera_count')['value'] == count + 7
    before = json.loads(call('camera_data', [count])['message'])[0]
    assert before['position'] == center | {'y': 2.0} and before['field_of_view'] == 60
    assert call('update_camera', [count], above | {'rotation': {'x': 0, 'y': 0, 'z': 0}})[
        'success'
    ]
    after = json.loads(call('camera_data', [count])['message'])[0]
    assert after['world_to_camera_matrix'] != before['world_to_camera_matrix']
    assert len(after['projection_matrix']) == len(after['world_to_camera_matrix']) == 16
    assert not call('update_camera', [count + 3], above)['success']
    assert not call('update_camera', [999], above)['success']
    for wrong in ({}, {'position': 1}, above | {'field_view': 0}, above | {'field_view': 'x'}):
        assert not call('add_camera', wrong)['success']
    assert call('environment', [0])['success']
    assert call('camera_count')['value'] == count


def test_cameras_of_characters_are_added_before_they_come(call: Call) -> None:
    count = call('camera_count')['value']
    own = {'position': {'x': 0, 'y': 1, 'z': 0}, 'rotation': {'x': 0, 'y': 0, 'z': 0}}
    assert call('add_character_camera', own | {'camera_name': 'mine'})['success']
    assert call('update_character_camera', own | {'camera_name': 'PERSON_FRONT'})['success']
    assert not call('update_character_camera', own | {'camera_name': 'nobody'})['success']
    add(call, 'kitchen')
    assert json.loads(call('character_cameras')['message'])[-1] == 'mine'
    assert call('camera_count')['value'] == count + 7
    mine, front = json.loads(call('camera_data', [count + 6, count])['message'])
    assert mine['position'] == front['position']
    late = call('add_character_camera', own | {'camera_name': 'late'})
    assert not late['success'] and 'comes before add_character' in late['message']


def test_turning_and_stepping_move_what_the_eyes_see_but_not_what_is_close(call: Call) -> None:
    add(call, 'kitchen')
    eyes = call('camera_count')['value'] - 5
    places = []
    graph = graph_of(call)
    for line in ('turnright', 'turnright', 'walkforward'):
        places.append(json.loads(call('camera_data', [eyes])['message'])[0])
        assert run(call, f'<char0> [{line}]')['success']
    places.append(json.loads(call('camera_data', [eyes])['message'])[0])
    # Its box comes along.
    now = graph_of(call)
    for seen, place in ((graph, places[0]), (now, places[3])):
        me = next(node for node in seen['nodes'] if node['class_name'] == 'character')
        center, moved = me.pop('bounding_box')['center'], me.pop('obj_transform')
        assert (center[0], center[2]) == pytest.approx(
            (place['position']['x'], place['position']['z'])
        )
        assert math.degrees(2 * math.asin(moved['rotation'][1])) == pytest.approx(
            place['rotation']['y']
        )
    turns = [place['rotation']['y'] - places[0]['rotation']['y'] for place in places]
    assert turns == [pytest.approx(angle) for angle in (0, 30, 60, 60)]
    assert places[2]['position'] == places[0]['position'] != places[3]['position']
    assert now == graph


def test_points_lie_on_the_boxes_of_things(call: Call) -> None:
    clouds = json.loads(call('point_cloud')['message'])
    boxes = {node['id']: node.get('bounding_box') for node in BOXED['nodes']}
    assert len(clouds) > 50
    for cloud in clouds:
        points = np.array(cloud['points']).reshape(-1, 3)
        box = boxes[cloud['id']]
        beyond = np.abs(points - box['center']) - np.array(box['size']) / 2
        assert np.abs(beyond.max(axis=1)).max() < 1e-3
    assert call('environment', [1])['success']
    refused = call('point_cloud')
    assert not refused['success'] and 'no bounding boxes' in json.loads(refused['message'])
