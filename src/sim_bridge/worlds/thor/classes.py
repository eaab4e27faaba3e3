"""Classes of things in AI2-THOR, as ReAcTree's ALFRED environment sorts them."""

from __future__ import annotations

import re
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
#: Receptacles that stay where they are: what is told first, and can always be gone to.
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
    'ArmChair': ('armchair', 'chair'),
    'BaseballBat': ('bat',),
    'BasketBall': ('basketball', 'ball'),
    'Bathtub': ('bath tub', 'tub'),
    'Candle': ('candles',),
    'Cabinet': ('cupboard',),
    'CD': ('disc', 'disk'),
    'CellPhone': ('phone', 'cell phone', 'cellphone', 'mobile phone'),
    'Cloth': ('rag', 'wash cloth', 'washcloth'),
    'CoffeeMachine': ('coffee maker',),
    'CounterTop': ('counter', 'kitchen counter'),
    'DeskLamp': ('lamp', 'table lamp'),
    'DishSponge': ('sponge',),
    'Faucet': ('tap',),
    'FloorLamp': ('standing lamp', 'tall lamp'),
    'Fridge': ('refrigerator',),
    'GarbageCan': ('trash can', 'bin', 'waste basket', 'recycling bin'),
    'Glassbottle': ('glass bottle',),
    'KeyChain': ('keys', 'set of keys'),
    'Ladle': ('serving spoon',),
    'Laptop': ('computer',),
    'LaundryHamper': ('hamper',),
    'Lettuce': ('head of lettuce',),
    'Newspaper': ('paper',),
    'Pan': ('frying pan', 'skillet'),
    'PepperShaker': ('pepper',),
    'RemoteControl': ('remote', 'tv remote'),
    'SaltShaker': ('salt',),
    'SideTable': ('end table', 'night stand', 'nightstand'),
    'SinkBasin': ('sink',),
    'SoapBar': ('bar of soap', 'soap'),
    'SoapBottle': ('bottle of soap', 'soap dispenser'),
    'Sofa': ('couch',),
    'SprayBottle': ('spray',),
    'StoveBurner': ('stove', 'burner'),
    'TennisRacket': ('racket', 'racquet', 'tennis racquet'),
    'TissueBox': ('box of tissues', 'tissues'),
    'ToiletPaper': ('roll of toilet paper', 'toilet roll'),
    'TVStand': ('tv stand', 'television stand'),
    'WineBottle': ('bottle of wine', 'wine'),
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
