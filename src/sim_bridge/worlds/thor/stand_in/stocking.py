"""Movable things for scenes whose files say nothing of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom
from sim_bridge.worlds.thor.stand_in.handling import free_spot
from sim_bridge.worlds.thor.stand_in.scene import id_of, name_of, Scene, settle, Thing, thing_at
from sim_bridge.worlds.thor.stand_in.state import Failures, Settings, State

#: Classes of each sort of room: fewest, most.
_STOCK: dict[str, dict[tuple[int, int], str]] = {
    'kitchen': {
        (1, 3): 'Apple Tomato Potato Egg Mug Cup Plate Bowl Spoon Fork Knife DishSponge',
        (1, 2): 'Lettuce Bread Pan Pot ButterKnife Spatula SaltShaker PepperShaker SoapBottle',
        (0, 1): 'Kettle Ladle Glassbottle WineBottle Vase Statue Book CreditCard CellPhone '
        'PaperTowelRoll',
    },
    'living room': {
        (1, 2): 'RemoteControl Newspaper Pillow Book KeyChain CreditCard Laptop Watch TissueBox',
        (0, 2): 'Vase Statue CellPhone Box WateringCan Plate Bowl Pen Pencil',
    },
    'bedroom': {
        (1, 2): 'AlarmClock Book CD CellPhone CreditCard KeyChain Laptop Mug Pen Pencil Pillow '
        'Bowl',
        (0, 1): 'BaseballBat BasketBall TennisRacket TeddyBear Box Statue RemoteControl Watch '
        'Vase TissueBox Cloth',
    },
    'bathroom': {
        (1, 3): 'SoapBar ToiletPaper Candle Cloth SprayBottle SoapBottle',
        (1, 2): 'HandTowel Towel TissueBox',
        (0, 1): 'Plunger ScrubBrush DishSponge',
    },
}


def usual_stock(kind: str, random: SeededRandom) -> list[str]:
    """Classes of the movable things of a room, each as often as it is there."""
    return [
        name
        for (fewest, most), names in _STOCK[kind].items()
        for name in names.split()
        for _ in range(random.integer(fewest, most))
    ]


def stock(scene: Scene, classes: Iterable[str], random: SeededRandom) -> None:
    """Put things of some classes where they may lie; what fits nowhere is left out."""
    settle(scene.things)
    state = State.begin(scene, Settings(), Failures({}, Random(0)))
    for class_name in classes:
        thing = thing_at(class_name, (0.0, 1.0, 0.0))
        for receptacle in random.shuffled(_fixed(scene.things)):
            if not receptacle.of_class.may_hold(class_name):
                continue
            if len(receptacle.contents) >= max(receptacle.of_class.most * 2 // 3, 1):
                continue
            spot = free_spot(state, thing, receptacle)
            if spot is None:
                continue
            thing.move_to((round(spot[0], 4), round(spot[1], 4), round(spot[2], 4)))
            thing.object_id = id_of(class_name, thing.position)
            if thing.object_id in state.things:
                continue
            thing.name = name_of(class_name, f'{scene.name} {thing.object_id}')
            thing.room = receptacle.room
            state.add(thing)
            state.put_into(thing, receptacle)
            scene.things.append(thing)
            break


def _fixed(things: Sequence[Thing]) -> list[Thing]:
    return [one for one in things if one.is_a('receptacle') and not one.is_a('pickupable')]
