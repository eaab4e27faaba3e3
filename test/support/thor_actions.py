"""Every action of the table, sent by the bare client: what the metadata say after each.

`python test/support/thor_actions.py PROGRAM TRANSPORT` prints them, with ai2thor 5.x or 2.1.0.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

#: Of each thing.
_TOLD = (
    'objectId', 'name', 'objectType', 'visible', 'isOpen', 'isToggled', 'isPickedUp', 'isDirty',
    'isSliced', 'temperature', 'parentReceptacles', 'receptacleObjectIds', 'position',
)  # fmt: skip


def metadata(step: Callable[[Mapping[str, Any]], Mapping[str, Any]], old: bool) -> list[Any]:
    """What is told after each action of a script, the same in both dialects.

    :param step: does an action and answers with the metadata. :param old: the words of 2.1.0.
    """
    found: list[Any] = []

    def do(action: str, **fields: Any) -> Mapping[str, Any]:
        told = step({'action': action, **fields})
        found.append(
            (
                action,
                told['lastActionSuccess'],
                told['errorMessage'],
                told['actionReturn'] if action == 'GetReachablePositions' else None,
                told['agent']['position'],
                told['agent']['rotation'],
                told['agent']['cameraHorizon'],
                told['inventoryObjects'],
                [[one[name] for name in _TOLD] for one in told['objects']],
            )
        )
        return told

    def first(class_name: str) -> str:
        things = do('Pass')['objects']
        return str(next(one['objectId'] for one in things if one['objectType'] == class_name))

    do('Initialize', gridSize=0.25, visibilityDistance=1.5, cameraY=0.75, renderImage=True)
    do('SetObjectToggles', objectToggles=[{'objectType': 'StoveKnob', 'isOn': True}])
    do('SetStateOfAllObjects', StateChange='CanBeDirty', forceAction=True)
    do('SetStateOfAllObjects', StateChange='CanBeFilled', forceAction=False)
    upright = {'x': 0, 'y': 0, 'z': 0}
    poses = [
        {'objectName': name, 'position': {'x': x, 'y': 0.95, 'z': 0.3}, 'rotation': upright}
        for name, x in (('Apple_1', 0.4), ('Apple_1', 0.7), ('Mug_2', 1.0), ('Knife_3', 1.3))
    ]
    do('SetObjectPoses', objectPoses=poses)
    posture = {} if old else {'standing': True}
    points = do('GetReachablePositions')['actionReturn']
    for number, point in enumerate(points[:: max(len(points) // 6, 1)]):
        where = {**point, 'rotation': 90.0 * number, 'horizon': 30}
        do('TeleportFull', **where, **posture)
        for action in ('MoveAhead', 'MoveBack', 'RotateLeft', 'RotateRight', 'LookUp', 'LookDown'):
            do(action)
    do('TeleportFull', x=-50.0, y=0.9, z=0.0, rotation=0.0, horizon=0, **posture)
    forced = {'forceAction': True}
    names = ('Fridge', 'Microwave', 'Mug', 'Apple')
    fridge, microwave, mug, apple = (first(name) for name in names)

    def opened(thing: str) -> None:
        far = {'moveMagnitude': 1.0} if old else {'openness': 1.0}
        do('OpenObject', objectId=thing, **far, **forced)

    def put(held: str, receptacle: str) -> None:
        both = {'objectId': held, 'receptacleObjectId': receptacle, 'placeStationary': True}
        do('PutObject', **(both if old else {'objectId': receptacle}), **forced)

    do('PickupObject', objectId=mug)
    do('PickupObject', objectId=mug, **forced)
    do('PickupObject', objectId=apple, **forced)
    put(mug, fridge)
    opened(fridge)
    put(mug, fridge)
    do('CloseObject', objectId=fridge, **forced)
    do('CleanObject', objectId=mug, **forced)
    do('PickupObject', objectId=first('Knife'), **forced)
    do('SliceObject', objectId=apple, **forced)
    do('DropHandObject', **forced)
    do('PickupObject', objectId=first('AppleSliced'), **forced)
    opened(microwave)
    put(first('AppleSliced'), microwave)
    do('CloseObject', objectId=microwave, **forced)
    do('ToggleObjectOn', objectId=microwave, **forced)
    do('ToggleObjectOn', objectId=microwave, **forced)
    do('ToggleObjectOff', objectId=microwave, **forced)
    do('ToggleObjectOn', objectId=first('Faucet'), **forced)
    return found


def play(program: str, transport: str) -> list[Any]:
    """The script by the client that is installed here."""
    import ai2thor.controller

    scene = 'FloorPlan7'
    if transport == 'old':
        controller = ai2thor.controller.Controller(quality='MediumCloseFitShadows')
        controller.local_executable_path = program
        # There is no display, and the stand-in needs none.
        controller.check_x_display = lambda _: None
        controller.start(x_display='0', player_screen_width=300, player_screen_height=300)
        controller.reset(scene)
    else:
        import ai2thor.fifo_server
        import ai2thor.wsgi_server

        servers = {
            'fifo': ai2thor.fifo_server.FifoServer,
            'http': ai2thor.wsgi_server.WsgiServer,
        }
        controller = ai2thor.controller.Controller(
            local_executable_path=program, scene=scene, width=300, height=300, x_display=':0',
            server_class=servers[transport],
        )  # fmt: skip
    try:
        return metadata(lambda action: controller.step(action).metadata, transport == 'old')
    finally:
        controller.stop()


if __name__ == '__main__':
    sys.stdout.write(json.dumps(play(*sys.argv[1:])) + '\n')
