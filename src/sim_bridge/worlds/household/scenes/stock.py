"""What lies around in a home, and where people leave it."""

from __future__ import annotations

from sim_bridge.worlds.household.scenes.household import Household, Thing
from sim_bridge.worlds.household.scenes.seeded_random import SeededRandom

Spot = tuple[str, float]

# Where the things of a group are found, as 'on|in <class>' with a weight.
_SPOTS: dict[str, tuple[Spot, ...]] = {
    'dishes': (
        ('in kitchencabinet', 4.0),
        ('in dishwasher', 0.7),
        ('on kitchencounter', 2.0),
        ('on kitchentable', 0.5),
        ('on coffeetable', 1.2),
        ('on desk', 1.0),
        ('in cabinet', 1.2),
        ('on nightstand', 0.6),
        ('in microwave', 0.4),
        ('on sofa', 0.2),
        ('on bathroomcounter', 0.3),
        ('in bookshelf', 0.3),
    ),
    'food': (
        ('in fridge', 1.8),
        ('in kitchencabinet', 2.2),
        ('on kitchencounter', 1.8),
        ('on kitchentable', 0.5),
        ('on coffeetable', 0.6),
        ('in microwave', 0.8),
        ('in stove', 0.5),
        ('in cabinet', 1.0),
        ('on desk', 1.0),
        ('on nightstand', 0.5),
        ('in bookshelf', 0.3),
        ('on bench', 0.3),
        ('on sofa', 0.2),
    ),
    'cold': (('in fridge', 4.0), ('on kitchencounter', 1.0), ('on kitchentable', 0.5)),
    'dry': (('in kitchencabinet', 3.0), ('on kitchencounter', 2.0), ('in bookshelf', 0.4)),
    'fruit': (('on coffeetable', 2.0), ('on kitchentable', 1.5), ('in fridge', 1.0)),
    'cooking': (('on stove', 1.0), ('in stove', 0.6), ('in kitchencabinet', 1.0)),
    'sink': (('on kitchencounter', 1.0), ('on bathroomcounter', 0.3)),
    'bath': (('in bathroomcabinet', 2.0), ('on bathroomcounter', 3.0)),
    'towels': (('on towelrack', 1.0), ('in bathroomcabinet', 1.0), ('on bathroomcounter', 1.0)),
    'clothes': (('in closet', 1.0),),
    'worn': (('in closet', 2.0), ('on bed', 1.0), ('on chair', 1.0)),
    'reading': (
        ('in bookshelf', 4.0),
        ('on desk', 1.5),
        ('on coffeetable', 1.0),
        ('in nightstand', 1.0),
        ('on sofa', 0.4),
        ('in cabinet', 0.5),
    ),
    'desk': (('on desk', 1.0),),
    'leisure': (
        ('in bookshelf', 1.5),
        ('in cabinet', 1.0),
        ('on bed', 0.6),
        ('on coffeetable', 0.5),
        ('on tvstand', 0.6),
        ('in closet', 0.4),
    ),
    'soft': (('on bed', 2.0), ('on sofa', 1.5)),
    'pocket': (
        ('on coffeetable', 2.0),
        ('on desk', 1.0),
        ('on nightstand', 1.0),
        ('on sofa', 0.5),
    ),
    'ornament': (
        ('on tvstand', 1.0),
        ('on cabinet', 1.0),
        ('on desk', 0.6),
        ('on wallshelf', 1.0),
    ),
}

# Group, classes with (weight, most of it); weights are relative over everything.
_STOCK: tuple[tuple[str, str, float, int], ...] = (
    ('dishes', 'plate', 2.0, 7),
    ('dishes', 'waterglass', 2.0, 7),
    ('dishes', 'wineglass', 1.8, 7),
    ('dishes', 'cutleryfork', 1.8, 8),
    ('dishes', 'cutleryknife', 1.2, 6),
    ('dishes', 'mug', 1.0, 5),
    ('dishes', 'dishbowl', 1.0, 5),
    ('dishes', 'coffeepot', 0.4, 3),
    ('food', 'apple', 1.2, 5),
    ('food', 'cupcake', 1.2, 5),
    ('food', 'pudding', 1.2, 5),
    ('food', 'juice', 1.0, 4),
    ('food', 'wine', 1.0, 4),
    ('food', 'pancake', 0.8, 4),
    ('food', 'poundcake', 0.8, 4),
    ('food', 'pie', 0.4, 2),
    ('food', 'milkshake', 0.3, 2),
    ('food', 'sundae', 0.3, 2),
    ('food', 'salad', 0.3, 2),
    ('cold', 'milk', 0.5, 2),
    ('cold', 'chicken', 0.3, 1),
    ('cold', 'salmon', 0.5, 2),
    ('cold', 'mincedmeat', 0.3, 1),
    ('cold', 'cutlets', 0.3, 1),
    ('cold', 'bellpepper', 0.6, 4),
    ('cold', 'carrot', 0.4, 3),
    ('cold', 'whippedcream', 0.3, 1),
    ('dry', 'cereal', 0.5, 2),
    ('dry', 'crackers', 0.4, 2),
    ('dry', 'chips', 0.5, 2),
    ('dry', 'breadslice', 0.6, 4),
    ('dry', 'creamybuns', 0.4, 2),
    ('dry', 'chocolatesyrup', 0.3, 1),
    ('dry', 'condimentbottle', 0.5, 3),
    ('dry', 'condimentshaker', 0.5, 3),
    ('dry', 'candybar', 0.4, 3),
    ('dry', 'alcohol', 0.3, 2),
    ('fruit', 'bananas', 0.5, 2),
    ('fruit', 'lime', 0.3, 2),
    ('fruit', 'plum', 0.4, 3),
    ('fruit', 'pear', 0.4, 3),
    ('fruit', 'peach', 0.3, 2),
    ('fruit', 'bottlewater', 0.2, 2),
    ('cooking', 'cookingpot', 0.5, 2),
    ('cooking', 'fryingpan', 0.5, 2),
    ('cooking', 'oventray', 0.2, 1),
    ('sink', 'dishwashingliquid', 0.3, 1),
    ('sink', 'washingsponge', 0.3, 2),
    ('sink', 'knifeblock', 0.2, 1),
    ('sink', 'bucket', 0.1, 1),
    ('bath', 'barsoap', 0.5, 3),
    ('bath', 'toothbrush', 0.6, 4),
    ('bath', 'toothpaste', 0.5, 2),
    ('bath', 'facecream', 0.5, 2),
    ('bath', 'hairproduct', 0.5, 3),
    ('bath', 'lotionbottle', 0.4, 2),
    ('bath', 'deodorant', 0.3, 2),
    ('bath', 'painkillers', 0.3, 1),
    ('bath', 'perfume', 0.3, 1),
    ('bath', 'toiletpaper', 0.5, 4),
    ('towels', 'towel', 0.9, 12),
    ('clothes', 'hanger', 1.0, 60),
    ('clothes', 'clothesshirt', 0.9, 60),
    ('clothes', 'clothespants', 0.7, 60),
    ('worn', 'clothespile', 0.7, 30),
    ('worn', 'slippers', 0.3, 6),
    ('reading', 'book', 1.6, 80),
    ('reading', 'magazine', 0.5, 20),
    ('reading', 'folder', 0.4, 20),
    ('reading', 'notes', 0.3, 10),
    ('reading', 'paper', 0.4, 30),
    ('desk', 'keyboard', 0.3, 3),
    ('desk', 'mouse', 0.3, 3),
    ('desk', 'mousemat', 0.2, 3),
    ('leisure', 'boardgame', 0.3, 3),
    ('leisure', 'toy', 0.4, 6),
    ('leisure', 'teddybear', 0.3, 3),
    ('leisure', 'box', 0.4, 8),
    ('leisure', 'radio', 0.2, 2),
    ('leisure', 'crayons', 0.2, 2),
    ('leisure', 'sportsball', 0.2, 2),
    ('soft', 'pillow', 0.8, 10),
    ('pocket', 'cellphone', 0.4, 3),
    ('pocket', 'remotecontrol', 0.5, 3),
    ('pocket', 'glasses', 0.3, 2),
    ('ornament', 'candle', 0.4, 5),
    ('ornament', 'photoframe', 0.4, 5),
    ('ornament', 'vase', 0.3, 3),
)

#: Classes the tasks ask for, and how many an apartment has at least.
_ASKED_FOR = {
    'plate': 3,
    'waterglass': 3,
    'wineglass': 3,
    'cutleryfork': 3,
    'apple': 2,
    'cupcake': 2,
    'pudding': 2,
    'juice': 2,
    'wine': 2,
    'pancake': 2,
    'poundcake': 2,
    'coffeepot': 1,
}
_PATIENCE = 60


def place_task_objects(household: Household) -> None:
    """Bring in what tasks ask for: one of each first, then more while nodes are left."""
    groups = {class_name: group for group, class_name, _, _ in _STOCK}
    for round_number in range(max(_ASKED_FOR.values())):
        for class_name, least in _ASKED_FOR.items():
            if round_number < least and household.left > 0:
                _bring(household, class_name, groups[class_name])


def place_random_objects(household: Household) -> None:
    """Bring in all kinds of things until the apartment has the nodes it is to have."""
    dice = household.dice
    # Every household has its own habits: some like books, some have four mugs.
    likings = {name: weight * dice.between(0.2, 1.8) for _, name, weight, _ in _STOCK}
    shares = {name: dice.between(0.3, 1.0) for _, name, _, _ in _STOCK}
    for plenty in (1.0, 2.0, 4.0, 16.0):
        limits = {name: most * shares[name] * plenty for _, name, _, most in _STOCK}
        _fill(household, likings, limits)


def _fill(household: Household, likings: dict[str, float], limits: dict[str, float]) -> None:
    """Bring in things until the nodes are used up, the limits are met or nothing fits."""
    counts = {name: len(household.of_class(name)) for name in likings}
    patience = _PATIENCE
    while household.left > 0 and patience > 0:
        choices = [
            ((group, name), likings[name])
            for group, name, _, _ in _STOCK
            if counts[name] < limits[name]
        ]
        if not choices:
            return
        group, class_name = household.dice.weighted(choices)
        if _bring(household, class_name, group) is None:
            patience -= 1
        else:
            counts[class_name] += 1
            patience = _PATIENCE


def _bring(household: Household, class_name: str, group: str) -> Thing | None:
    """Put one thing at one of its usual spots, or at another when that is full or missing."""
    for spot in _in_weighted_order(household.dice, _SPOTS[group]):
        how, _, host_class = spot.partition(' ')
        thing = household.put(class_name, host_class, how == 'in')
        if thing is not None:
            return thing
    return None


def _in_weighted_order(dice: SeededRandom, spots: tuple[Spot, ...]) -> list[str]:
    rest = list(spots)
    order = []
    while rest:
        chosen = dice.weighted([(spot, spot[1]) for spot in rest])
        rest.remove(chosen)
        order.append(chosen[0])
    return order
