"""What is known of each class: category, properties, first states, usual size.

Class names, properties and states are those of VirtualHome's apartments. Two deviations: a
bookshelf can be opened (as in Watch-And-Help's apartments), and what has a plug is plugged in.
"""

from __future__ import annotations

from dataclasses import dataclass

# class | category | properties | states | width height depth in metres (front along the width)
_TABLE = """
alcohol | Food | GRABBABLE DRINKABLE POURABLE MOVABLE | | .1 .3 .1
amplifier | Electronics | | | .8 .9 .45
apple | Food | GRABBABLE EATABLE MOVABLE | | .1 .1 .1
balanceball | Props | | | .7 .7 .7
bananas | Food | GRABBABLE EATABLE MOVABLE | | .25 .12 .2
barsoap | Props | GRABBABLE CREAM MOVABLE | | .12 .04 .1
bathroomcabinet | Furniture | SURFACES CAN_OPEN CONTAINERS | CLOSED | 1.2 .7 .25
bathroomcounter | Furniture | SURFACES | | 1.6 .9 .6
bathtub | Furniture | SITTABLE LIEABLE | | 1.7 .8 .9
bed | Furniture | SURFACES SITTABLE LIEABLE | | 1.6 .5 2
bellpepper | Food | GRABBABLE EATABLE MOVABLE | | .12 .12 .12
bench | Furniture | SURFACES SITTABLE LIEABLE MOVABLE | | 1.5 .5 .4
boardgame | Props | SURFACES GRABBABLE LOOKABLE MOVABLE | | .3 .05 .3
book | Props | GRABBABLE CUTTABLE CAN_OPEN READABLE HAS_PAPER MOVABLE | CLOSED | .2 .04 .26
bookshelf | Furniture | SURFACES CAN_OPEN CONTAINERS | CLOSED | 1.2 2 .4
bottlewater | Food | DRINKABLE POURABLE | | .08 .28 .08
box | Props | GRABBABLE RECIPIENT CAN_OPEN CONTAINERS COVER_OBJECT MOVABLE | CLOSED | .4 .3 .3
breadslice | Food | GRABBABLE EATABLE CUTTABLE MOVABLE | | .14 .03 .12
bucket | Props | GRABBABLE RECIPIENT MOVABLE | | .3 .28 .3
cabinet | Furniture | SURFACES CAN_OPEN CONTAINERS | CLOSED | 1.2 1 .45
candle | Decor | GRABBABLE HAS_SWITCH MOVABLE | OFF | .1 .14 .1
candybar | Food | GRABBABLE EATABLE MOVABLE | | .06 .03 .18
carrot | Food | GRABBABLE EATABLE CUTTABLE MOVABLE | | .22 .06 .06
ceiling | Ceiling | | | 1 0 1
ceilinglamp | Lamps | | | .4 .3 .4
cellphone | Props | GRABBABLE HAS_SWITCH HAS_PLUG MOVABLE | OFF | .1 .01 .18
cereal | Food | GRABBABLE EATABLE MOVABLE | | .22 .28 .08
chair | Furniture | SURFACES GRABBABLE SITTABLE MOVABLE | | .45 .85 .45
character | Characters | | | .7 1.7 .4
chicken | Food | GRABBABLE EATABLE MOVABLE | | .25 .1 .15
chips | Food | GRABBABLE EATABLE MOVABLE | | .18 .22 .12
chocolatesyrup | Food | GRABBABLE POURABLE EATABLE MOVABLE | | .1 .2 .1
clock | Electronics | GRABBABLE HAS_SWITCH LOOKABLE HAS_PLUG MOVABLE | OFF | .3 .3 .06
closet | Furniture | CAN_OPEN CONTAINERS | CLOSED | 2 2 .55
clothespants | Furniture | GRABBABLE HANGABLE CLOTHES MOVABLE | | .3 .6 .08
clothespile | Furniture | GRABBABLE CAN_OPEN CONTAINERS MOVABLE | CLOSED | .3 .1 .25
clothesshirt | Furniture | GRABBABLE HANGABLE CLOTHES MOVABLE | | .4 .6 .06
coatrack | Furniture | GRABBABLE HANGABLE MOVABLE | | .4 1.9 .4
coffeemaker | Appliances | RECIPIENT HAS_SWITCH CONTAINERS HAS_PLUG MOVABLE | OFF | .3 .35 .3
coffeepot | Appliances | GRABBABLE RECIPIENT CAN_OPEN MOVABLE | CLOSED | .2 .2 .2
coffeetable | Furniture | SURFACES MOVABLE | | 1.2 .45 .9
computer | Electronics | HAS_SWITCH LOOKABLE HAS_PLUG | OFF | .25 .5 .5
condimentbottle | Props | GRABBABLE POURABLE CREAM MOVABLE | | .06 .2 .06
condimentshaker | Props | GRABBABLE POURABLE MOVABLE | | .06 .1 .06
cookingpot | Props | GRABBABLE RECIPIENT CAN_OPEN MOVABLE | CLOSED | .35 .2 .3
cpuscreen | Electronics | | | .6 .5 .15
crackers | Food | GRABBABLE EATABLE MOVABLE | | .22 .07 .16
crayons | Props | GRABBABLE MOVABLE | | .1 .03 .1
creamybuns | Food | GRABBABLE EATABLE MOVABLE | | .14 .12 .1
cupcake | Food | GRABBABLE EATABLE MOVABLE | | .1 .1 .1
curtains | Decor | CAN_OPEN COVER_OBJECT MOVABLE | CLOSED | .6 1.2 .08
cutleryfork | Props | GRABBABLE MOVABLE | | .03 .02 .2
cutleryknife | Props | GRABBABLE MOVABLE | | .03 .02 .22
cutlets | Food | GRABBABLE EATABLE MOVABLE | | .3 .06 .25
deodorant | Props | | | .05 .15 .05
desk | Furniture | SURFACES CAN_OPEN MOVABLE | CLOSED | 1.6 .75 .7
dishbowl | Props | GRABBABLE RECIPIENT MOVABLE | | .2 .08 .2
dishwasher | Appliances | CAN_OPEN HAS_SWITCH CONTAINERS HAS_PLUG | CLOSED OFF | .7 .9 .7
dishwashingliquid | Props | GRABBABLE POURABLE CREAM MOVABLE | | .1 .26 .08
door | Doors | CAN_OPEN | OPEN | .93 2 .1
doorjamb | Doors | | | 1 2.06 .12
facecream | Props | GRABBABLE POURABLE CREAM MOVABLE | | .07 .05 .07
faucet | Furniture | HAS_SWITCH | OFF | .1 .25 .1
floor | Floor | SURFACES | | 1 0 1
folder | Props | GRABBABLE CAN_OPEN READABLE CONTAINERS HAS_PAPER MOVABLE | CLOSED | .08 .3 .26
fridge | Appliances | CAN_OPEN HAS_SWITCH CONTAINERS HAS_PLUG | CLOSED ON | .8 1.9 .75
fryingpan | Props | SURFACES GRABBABLE RECIPIENT CONTAINERS MOVABLE | | .45 .06 .3
garbagecan | Furniture | CAN_OPEN CONTAINERS MOVABLE | CLOSED | .35 .5 .35
glasses | Props | GRABBABLE CLOTHES MOVABLE | | .14 .04 .12
guitar | Decor | | | .4 1 .25
hairproduct | Props | GRABBABLE POURABLE CAN_OPEN MOVABLE | CLOSED | .08 .2 .08
hanger | Furniture | GRABBABLE HANGABLE MOVABLE | | .4 .2 .03
juice | Food | GRABBABLE DRINKABLE POURABLE MOVABLE | | .1 .3 .1
keyboard | Electronics | GRABBABLE HAS_PLUG MOVABLE | | .45 .04 .16
kitchencabinet | Furniture | SURFACES CAN_OPEN CONTAINERS | CLOSED | .75 .7 .4
kitchencounter | Furniture | SURFACES | | 2.4 1 .7
kitchencounterdrawer | Furniture | | | .5 .25 .6
kitchentable | Furniture | SURFACES MOVABLE | | 1.8 .85 1.2
knifeblock | Props | | | .12 .22 .12
lightswitch | Electronics | HAS_SWITCH HAS_PLUG | ON | .08 .1 .02
lime | Food | GRABBABLE EATABLE CUTTABLE MOVABLE | | .07 .07 .07
lotionbottle | Props | GRABBABLE POURABLE CAN_OPEN CREAM MOVABLE | CLOSED | .07 .18 .07
magazine | Props | GRABBABLE CAN_OPEN READABLE COVER_OBJECT HAS_PAPER MOVABLE | CLOSED | .2 .01 .28
microwave | Appliances | CAN_OPEN HAS_SWITCH CONTAINERS HAS_PLUG | CLOSED OFF | .55 .32 .42
milk | Food | GRABBABLE DRINKABLE POURABLE CAN_OPEN MOVABLE | CLOSED | .1 .24 .1
milkshake | Food | GRABBABLE DRINKABLE POURABLE MOVABLE | | .09 .22 .09
mincedmeat | Food | GRABBABLE EATABLE MOVABLE | | .2 .06 .14
mouse | Electronics | GRABBABLE HAS_PLUG MOVABLE | | .07 .04 .11
mousemat | Electronics | SURFACES MOVABLE | | .25 .01 .22
mug | Props | GRABBABLE RECIPIENT POURABLE MOVABLE | | .1 .1 .1
nightstand | Furniture | SURFACES CAN_OPEN CONTAINERS | CLOSED | .5 .55 .45
notes | Props | GRABBABLE READABLE HAS_PAPER MOVABLE | | .15 .01 .2
orchid | Decor | | | .2 .3 .2
oventray | Appliances | SURFACES GRABBABLE MOVABLE | | .5 .02 .4
painkillers | Props | | | .06 .1 .06
pancake | Food | GRABBABLE EATABLE MOVABLE | | .2 .04 .2
paper | Props | GRABBABLE READABLE HAS_PAPER MOVABLE | | .21 .01 .28
peach | Food | | | .09 .09 .09
pear | Food | GRABBABLE EATABLE CUTTABLE MOVABLE | | .08 .11 .08
perfume | Props | | | .05 .14 .05
photoframe | Props | | | .14 .2 .1
pie | Food | GRABBABLE EATABLE CUTTABLE MOVABLE | | .26 .06 .26
pillow | Decor | GRABBABLE MOVABLE | | .5 .15 .4
plate | Props | SURFACES GRABBABLE RECIPIENT MOVABLE | | .26 .02 .26
plum | Food | GRABBABLE EATABLE CUTTABLE MOVABLE | | .07 .07 .07
poundcake | Food | GRABBABLE EATABLE MOVABLE | | .25 .1 .14
powersocket | Electronics | | | .08 .14 .02
printer | Electronics | HAS_SWITCH CONTAINERS HAS_PLUG | OFF | .45 .3 .4
pudding | Food | GRABBABLE EATABLE CUTTABLE MOVABLE | | .12 .08 .12
radio | Electronics | GRABBABLE HAS_SWITCH HAS_PLUG MOVABLE | OFF | .3 .18 .14
remotecontrol | Props | GRABBABLE HAS_SWITCH MOVABLE | OFF | .06 .03 .18
rug | Decor | SURFACES GRABBABLE SITTABLE LIEABLE MOVABLE | | 1.6 .02 1
salad | Food | GRABBABLE EATABLE MOVABLE | | .22 .1 .22
salmon | Food | GRABBABLE EATABLE MOVABLE | | .25 .05 .14
sink | Furniture | RECIPIENT CONTAINERS | | .5 .02 .35
slippers | Props | GRABBABLE CLOTHES MOVABLE | | .25 .08 .28
sofa | Furniture | SURFACES SITTABLE LIEABLE MOVABLE | | 2 .8 .95
speaker | Electronics | | | .35 .9 .35
sportsball | Props | GRABBABLE MOVABLE | | .2 .2 .2
stall | Furniture | | | 1 2 1
stove | Appliances | SURFACES CAN_OPEN HAS_SWITCH CONTAINERS HAS_PLUG | CLOSED OFF | .8 .95 .7
stovefan | Appliances | | | .8 .5 .45
sundae | Food | GRABBABLE EATABLE MOVABLE | | .11 .2 .11
tablelamp | Lamps | HAS_SWITCH HAS_PLUG | ON | .2 .3 .2
teddybear | Props | GRABBABLE MOVABLE | | .25 .3 .2
toaster | Appliances | HAS_SWITCH CONTAINERS HAS_PLUG MOVABLE | OFF | .3 .2 .2
toilet | Furniture | SITTABLE CAN_OPEN CONTAINERS | CLOSED | .5 .75 .7
toiletpaper | Props | GRABBABLE HANGABLE CUTTABLE COVER_OBJECT HAS_PAPER MOVABLE | | .12 .12 .12
toothbrush | Props | GRABBABLE MOVABLE | | .03 .03 .18
toothpaste | Props | GRABBABLE POURABLE CAN_OPEN CREAM MOVABLE | CLOSED | .16 .04 .05
towel | Props | GRABBABLE COVER_OBJECT MOVABLE | | .35 .08 .25
towelrack | Furniture | SURFACES GRABBABLE MOVABLE | | .8 .05 .1
toy | Props | GRABBABLE MOVABLE | | .15 .15 .15
tv | Electronics | HAS_SWITCH LOOKABLE HAS_PLUG | OFF | 1.1 .7 .15
tvstand | Furniture | SURFACES MOVABLE | | 1.6 .5 .45
vase | Decor | | | .14 .3 .14
wall | Walls | | | 1 2.5 .06
walllamp | Lamps | | | .3 .2 .15
wallphone | Electronics | GRABBABLE HAS_SWITCH HAS_PLUG MOVABLE | OFF | .1 .25 .05
wallpictureframe | Decor | GRABBABLE HANGABLE HAS_PAPER MOVABLE | | .9 .7 .04
wallshelf | Furniture | SURFACES | | 1 .05 .25
washingmachine | Appliances | CAN_OPEN HAS_SWITCH CONTAINERS HAS_PLUG | CLOSED OFF | .65 .9 .65
washingsponge | Props | GRABBABLE MOVABLE | | .12 .05 .08
waterglass | Props | GRABBABLE RECIPIENT POURABLE MOVABLE | | .08 .14 .08
whippedcream | Food | GRABBABLE EATABLE MOVABLE | | .07 .2 .07
window | Windows | CAN_OPEN | CLOSED | 1.4 1.1 .1
wine | Food | GRABBABLE DRINKABLE POURABLE MOVABLE | | .09 .32 .09
wineglass | Props | GRABBABLE RECIPIENT POURABLE MOVABLE | | .08 .2 .08
"""

_WASHABLE = ('cutlery', 'plate', 'glass', 'mug', 'dishbowl', 'cookingpot', 'fryingpan')


@dataclass(frozen=True, slots=True)
class Kind:
    """One class.

    :param size: usual width, height and depth in metres.
    """

    class_name: str
    category: str
    properties: tuple[str, ...]
    states: tuple[str, ...]
    size: tuple[float, float, float]


def _read_table() -> dict[str, Kind]:
    kinds = {}
    for line in _TABLE.strip().splitlines():
        parts = [part.strip() for part in line.split('|')]
        class_name, category, properties, states, sizes = parts
        width, height, depth = (float(number) for number in sizes.split())
        first_states = states.split()
        if 'HAS_PLUG' in properties.split():
            first_states.append('PLUGGED_IN')
        if any(word in class_name for word in _WASHABLE):
            first_states.append('CLEAN')
        kinds[class_name] = Kind(
            class_name,
            category,
            tuple(properties.split()),
            tuple(first_states),
            (width, height, depth),
        )
    return kinds


#: Every class a generated apartment may hold.
KINDS = _read_table()
