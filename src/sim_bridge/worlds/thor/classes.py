"""Classes of things in AI2-THOR, as ReAcTree's ALFRED environment sorts them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

#: What is offered to be picked up.
PICKABLE = frozenset({
    'AlarmClock', 'Apple', 'BaseballBat', 'BasketBall', 'Book', 'Bowl', 'Box', 'Bread',
    'ButterKnife', 'CD', 'Candle', 'CellPhone', 'Cloth', 'CreditCard', 'Cup', 'DishSponge', 'Egg',
    'Fork', 'Glassbottle', 'HandTowel', 'Kettle', 'KeyChain', 'Knife', 'Ladle', 'Laptop',
    'Lettuce', 'Mug', 'Newspaper', 'Pan', 'Pen', 'Pencil', 'PepperShaker', 'Pillow', 'Plate',
    'Plunger', 'Pot', 'Potato', 'RemoteControl', 'SaltShaker', 'SoapBar', 'SoapBottle', 'Spatula',
    'Spoon', 'SprayBottle', 'Statue', 'TennisRacket', 'TissueBox', 'ToiletPaper', 'Tomato', 'Vase',
    'Watch', 'WateringCan', 'WineBottle',
})  # fmt: skip
OPENABLE = frozenset({'Box', 'Cabinet', 'Drawer', 'Fridge', 'Laptop', 'Microwave', 'Safe'})
#: What has to be open for things to be put in or taken out; a toilet's lid does not matter.
SHUTTABLE = frozenset({
    'Box', 'Cabinet', 'Drawer', 'Fridge', 'LaundryHamper', 'Microwave', 'Safe',
})  # fmt: skip
TOGGLEABLE = frozenset({'DeskLamp', 'Faucet', 'FloorLamp', 'Microwave'})
SLICEABLE = frozenset({'Apple', 'Bread', 'Lettuce', 'Potato', 'Tomato'})
#: What a sink cleans, a microwave heats and a fridge cools.
CLEANABLE = frozenset({
    'Apple', 'Bowl', 'ButterKnife', 'Cloth', 'Cup', 'DishSponge', 'Egg', 'Fork', 'Kettle', 'Knife',
    'Ladle', 'Lettuce', 'Mug', 'Pan', 'Plate', 'Pot', 'Potato', 'SoapBar', 'Spatula', 'Spoon',
    'Tomato',
})  # fmt: skip
HEATABLE = frozenset({'Apple', 'Bread', 'Cup', 'Egg', 'Mug', 'Plate', 'Potato', 'Tomato'})
COOLABLE = HEATABLE | {'Bowl', 'Lettuce', 'Pan', 'Pot', 'WineBottle'}
#: Receptacles that can be carried.
MOVABLE_RECEPTACLES = frozenset({'Bowl', 'Box', 'Cup', 'Mug', 'Pan', 'Plate', 'Pot'})
#: Receptacles that stay where they are: what is given first, and can always be gone to.
FIXED_RECEPTACLES = frozenset({
    'ArmChair', 'Bathtub', 'BathtubBasin', 'Bed', 'Cabinet', 'Cart', 'CoffeeMachine',
    'CoffeeTable', 'CounterTop', 'Desk', 'DiningTable', 'Drawer', 'Dresser', 'Fridge',
    'GarbageCan', 'HandTowelHolder', 'LaundryHamper', 'Microwave', 'Ottoman', 'PaintingHanger',
    'Safe', 'Shelf', 'SideTable', 'Sink', 'SinkBasin', 'Sofa', 'StoveBurner', 'TVStand', 'Toaster',
    'Toilet', 'ToiletPaperHanger', 'TowelHolder',
})  # fmt: skip
LAMPS = ('DeskLamp', 'FloorLamp')
KNIVES = ('Knife', 'ButterKnife')
#: What may be asked for by `recall location of`.
RECALLED = (*sorted(PICKABLE), *LAMPS)
#: First floor plan of each sort of room; each sort has thirty.
ROOMS = {1: 'kitchen', 201: 'living room', 301: 'bedroom', 401: 'bathroom'}
#: What people call a class besides its own words.
_OTHER_WORDS = {
    'AlarmClock': ('clock',),
    'ArmChair': ('armchair', 'chair', 'recliner'),
    'BaseballBat': ('bat',),
    'BasketBall': ('basketball', 'ball'),
    'Bathtub': ('bath tub', 'tub'),
    'BathtubBasin': ('bath tub', 'bathtub', 'tub'),
    'Candle': ('candles',),
    'Cabinet': ('cupboard',),
    'CD': ('disc', 'disk', 'compact disc'),
    'CellPhone': ('phone', 'cell phone', 'cellphone', 'mobile phone', 'smartphone'),
    'Cloth': ('rag', 'wash cloth', 'washcloth', 'dish cloth'),
    'CoffeeMachine': ('coffee maker', 'coffee brewer'),
    'CounterTop': ('counter', 'kitchen counter', 'kitchen island', 'island', 'worktop'),
    'CreditCard': ('bank card',),
    'Cup': ('glass',),
    'DeskLamp': ('lamp', 'table lamp', 'light', 'reading lamp'),
    'DiningTable': ('dinner table', 'kitchen table'),
    'DishSponge': ('sponge',),
    'Dresser': ('chest of drawers', 'bureau'),
    'Faucet': ('tap',),
    'FloorLamp': ('standing lamp', 'tall lamp', 'lamp', 'light'),
    'Fridge': ('refrigerator', 'icebox'),
    'GarbageCan': (
        'trash can', 'trash bin', 'bin', 'waste basket', 'wastebasket', 'garbage', 'garbage bin',
        'recycling bin', 'trash', 'rubbish bin',
    ),
    'Glassbottle': ('glass bottle',),
    'KeyChain': ('keys', 'key', 'set of keys', 'key ring'),
    'Ladle': ('serving spoon',),
    'Laptop': ('computer', 'notebook computer'),
    'LaundryHamper': ('hamper', 'laundry basket'),
    'Lettuce': ('head of lettuce',),
    'Newspaper': ('paper',),
    'Ottoman': ('foot stool', 'footstool'),
    'Pan': ('frying pan', 'skillet'),
    'PepperShaker': ('pepper', 'pepper mill'),
    'Pillow': ('cushion',),
    'RemoteControl': ('remote', 'tv remote', 'controller'),
    'Safe': ('vault',),
    'SaltShaker': ('salt',),
    'SideTable': ('end table', 'night stand', 'nightstand', 'bedside table', 'night table'),
    'SinkBasin': ('sink', 'basin'),
    'SoapBar': ('bar of soap', 'soap'),
    'SoapBottle': ('bottle of soap', 'soap dispenser', 'pump bottle'),
    'Sofa': ('couch', 'settee'),
    'SprayBottle': ('spray',),
    'StoveBurner': ('stove', 'burner', 'hob'),
    'TennisRacket': ('racket', 'racquet', 'tennis racquet'),
    'TissueBox': ('box of tissues', 'tissues'),
    'ToiletPaper': ('roll of toilet paper', 'toilet roll', 'toilet paper roll'),
    'TVStand': ('tv stand', 'television stand'),
    'WineBottle': ('bottle of wine', 'wine'),
}  # fmt: skip
#: What people say for a state, and for the verb that brings it about.
STATE_WORDS = {
    'clean': ('wash', 'rinse', 'wet'),
    'hot': ('warm', 'cook', 'microwave', 'heat up', 'warm up'),
    'cool': ('cold', 'chill', 'refrigerate', 'cool down'),
    'sliced': ('cut', 'cut up', 'chop', 'piece', 'chunk', 'section', 'wedge'),
}


def room_of(scene: str) -> str:
    """'kitchen', 'living room', 'bedroom' or 'bathroom'; 'house' for no floor plan."""
    digits = scene.removeprefix('FloorPlan').removesuffix('_physics')
    if not digits.isascii() or not digits.isdigit() or len(digits) > 3:
        return 'house'
    number = int(digits)
    return next((room for first, room in ROOMS.items() if first <= number < first + 30), 'house')


@lru_cache(maxsize=1024)
def class_of(name: str) -> str:
    """The class of a thing's name in the program: what stands before `_`, `(` or `|`."""
    return name.split('(')[0].split('_')[0].split('|')[0]


@lru_cache(maxsize=1024)
def words_of(class_name: str) -> str:
    """A class in plain words, e.g. 'counter top'."""
    if class_name.isupper():
        return class_name
    return re.sub(r'(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])', ' ', class_name).lower()


def other_words(class_name: str) -> tuple[str, ...]:
    """What people call a class, its own words first."""
    return tuple(dict.fromkeys((words_of(class_name), *_OTHER_WORDS.get(class_name, ()))))


def words_for(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Names as ALFWorld has them (`desklamp`), each with what people call it."""
    return tuple((name, *other_words(_CLASSES[name])) for name in names if name in _CLASSES)


#: Classes by their names in ALFWorld.
_CLASSES = {
    name.lower(): name
    for name in (*PICKABLE, *FIXED_RECEPTACLES, *TOGGLEABLE, *LAMPS, *_OTHER_WORDS)
}
