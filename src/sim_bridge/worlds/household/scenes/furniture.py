"""Which furniture stands in which kind of room, and how it gets there."""

from __future__ import annotations

from sim_bridge.worlds.household.scenes.household import Household

# A piece is (class, anchor of Household.stand). Without the first ones no task can be set.
_NEEDED = {
    'kitchen': (
        ('kitchencounter', 'wall'),
        ('stove', 'wall'),
        ('dishwasher', 'wall'),
        ('fridge', 'wall'),
        ('kitchentable', 'open'),
        ('kitchencabinet', 'wall 1.5'),
    ),
    'livingroom': (('sofa', 'wall'), ('coffeetable', 'open')),
    'bathroom': (('toilet', 'wall'), ('bathroomcounter', 'wall')),
    'bedroom': (('bed', 'wall'),),
}
#: A second kitchen is a pantry.
_PANTRY = (('kitchencounter', 'wall'), ('kitchencabinet', 'wall 1.5'))

# (class, anchor, chance, most of it)
_USUAL = {
    'kitchen': (
        ('sink', 'on kitchencounter', 1.0, 1),
        ('faucet', 'on kitchencounter', 1.0, 1),
        ('kitchencabinet', 'wall 1.5', 0.75, 5),
        ('microwave', 'on kitchencounter', 0.95, 1),
        ('chair', 'beside kitchentable', 0.6, 4),
        ('bench', 'beside kitchentable', 0.3, 2),
        ('kitchencounter', 'wall', 0.4, 1),
        ('kitchencounterdrawer', 'part kitchencounter', 0.6, 4),
        ('coffeemaker', 'on kitchencounter', 0.7, 1),
        ('toaster', 'on kitchencounter', 0.7, 1),
        ('stovefan', 'wall 1.9', 0.6, 1),
        ('wallshelf', 'wall 1.4', 0.5, 2),
        ('garbagecan', 'wall', 0.4, 1),
        ('ceilinglamp', 'ceiling', 0.9, 3),
        ('lightswitch', 'wall 1.2', 0.9, 1),
        ('powersocket', 'wall 0.15', 0.6, 2),
        ('window', 'wall 1.1', 0.5, 1),
        ('wallphone', 'wall 1.4', 0.3, 1),
        ('clock', 'wall 1.8', 0.4, 1),
        ('wallpictureframe', 'wall 1.5', 0.4, 2),
        ('rug', 'open', 0.2, 1),
        ('fridge', 'wall', 0.08, 1),
    ),
    'livingroom': (
        ('tvstand', 'wall', 0.9, 1),
        ('tv', 'on tvstand', 0.9, 1),
        ('bookshelf', 'wall', 0.6, 2),
        ('cabinet', 'wall', 0.7, 1),
        ('desk', 'wall', 0.5, 1),
        ('computer', 'on desk', 0.8, 1),
        ('cpuscreen', 'on desk', 0.6, 1),
        ('chair', 'beside desk', 0.7, 1),
        ('chair', 'wall', 0.4, 2),
        ('sofa', 'wall', 0.4, 1),
        ('closet', 'wall', 0.3, 1),
        ('nightstand', 'wall', 0.2, 1),
        ('tablelamp', 'on nightstand', 0.7, 1),
        ('speaker', 'wall', 0.4, 2),
        ('ceilinglamp', 'ceiling', 0.9, 2),
        ('walllamp', 'wall 1.7', 0.4, 2),
        ('lightswitch', 'wall 1.2', 0.9, 1),
        ('powersocket', 'wall 0.15', 0.6, 2),
        ('window', 'wall 1.1', 0.6, 2),
        ('curtains', 'wall 1.1', 0.5, 3),
        ('wallpictureframe', 'wall 1.5', 0.6, 3),
        ('rug', 'open', 0.4, 1),
        ('coatrack', 'wall', 0.2, 1),
        ('balanceball', 'open', 0.1, 1),
        ('orchid', 'on tvstand', 0.4, 1),
        ('printer', 'on desk', 0.2, 1),
    ),
    'bathroom': (
        ('sink', 'on bathroomcounter', 1.0, 1),
        ('faucet', 'on bathroomcounter', 1.0, 1),
        ('bathroomcabinet', 'wall 1.5', 0.9, 1),
        ('bathtub', 'wall', 0.5, 1),
        ('stall', 'wall', 0.6, 1),
        ('washingmachine', 'wall', 0.7, 1),
        ('towelrack', 'wall 1.4', 0.6, 3),
        ('garbagecan', 'wall', 0.3, 1),
        ('ceilinglamp', 'ceiling', 0.9, 1),
        ('walllamp', 'wall 1.9', 0.6, 2),
        ('lightswitch', 'wall 1.2', 0.9, 1),
        ('window', 'wall 1.1', 0.3, 1),
        ('curtains', 'wall 1.0', 0.4, 2),
        ('wallshelf', 'wall 1.3', 0.4, 1),
        ('rug', 'open', 0.4, 1),
        ('wallpictureframe', 'wall 1.5', 0.2, 1),
    ),
    'bedroom': (
        ('nightstand', 'beside bed', 0.9, 2),
        ('closet', 'wall', 0.8, 2),
        ('desk', 'wall', 0.6, 1),
        ('computer', 'on desk', 0.7, 1),
        ('cpuscreen', 'on desk', 0.6, 2),
        ('chair', 'beside desk', 0.8, 1),
        ('bookshelf', 'wall', 0.5, 1),
        ('cabinet', 'wall', 0.4, 1),
        ('coffeetable', 'open', 0.15, 1),
        ('tablelamp', 'on nightstand', 0.8, 2),
        ('garbagecan', 'wall', 0.3, 1),
        ('amplifier', 'wall', 0.1, 1),
        ('guitar', 'wall', 0.15, 1),
        ('coatrack', 'wall', 0.2, 1),
        ('ceilinglamp', 'ceiling', 0.9, 2),
        ('lightswitch', 'wall 1.2', 0.9, 1),
        ('powersocket', 'wall 0.15', 0.6, 2),
        ('window', 'wall 1.1', 0.6, 1),
        ('curtains', 'wall 1.1', 0.5, 3),
        ('wallpictureframe', 'wall 1.5', 0.6, 3),
        ('rug', 'open', 0.4, 1),
    ),
}


def place_needed_furniture(household: Household) -> None:
    """Put up what every room of its kind has."""
    rooms = household.plan.rooms
    seen: list[str] = []
    for index, room in enumerate(rooms):
        pieces = _NEEDED[room.kind]
        if room.kind == 'kitchen' and room.kind in seen:
            pieces = _PANTRY
        if len(rooms) == 1:
            pieces = pieces + _NEEDED['livingroom']
        seen.append(room.kind)
        for class_name, anchor in pieces:
            # The largest first, so what has no place on this wall finds one on another.
            household.stand(class_name, index, anchor)


def place_usual_furniture(household: Household, most: int) -> None:
    """Furnish the rooms as people do, room by room in turn.

    :param most: add no more nodes than this.
    """
    dice = household.dice
    wishes: list[tuple[int, int, str, int, str]] = []
    for index, room in enumerate(household.plan.rooms):
        usual = _USUAL[room.kind]
        if len(household.plan.rooms) == 1:
            usual = usual + _USUAL['livingroom']
        for rank, (class_name, anchor, chance, limit) in enumerate(usual):
            for copy in range(limit):
                if dice.chance(chance):
                    wishes.append((rank + 4 * copy, len(wishes), class_name, index, anchor))
    for _, _, class_name, index, anchor in sorted(wishes):
        if most <= 0 or household.left <= 0:
            return
        if household.stand(class_name, index, anchor) is not None:
            most -= 1
