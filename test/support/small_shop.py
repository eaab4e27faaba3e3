"""A shop of four products, whose pages and scores can be written out."""

from __future__ import annotations

from sim_bridge.worlds.webshop.catalogue import Catalogue, Product, Wish

HOME = ('Home', 'Lighting', 'Lamps')
LAMP = Product(
    'LAMP000001',
    'Tarn Lamp, Dimmable',
    'A lamp for desks.',
    ('Dimmable.', 'Made of steel.'),
    'lamps',
    HOME,
    12.0,
    '$12.0',
    (('color', ('red', 'blue')), ('size', ('small', 'tall'))),
    ('dimmable', 'made of steel'),
)
PLUS = Product(
    'LAMP000002', 'Tarn Lamp Plus', '', (), 'lamps', HOME, 52.0, '$52.0', (), ('dimmable',)
)
MIRROR = Product(
    'MIRROR0001', 'Lamp Mirror', 'It shines.', ('Round.',), 'mirrors',
    ('Home', 'Bath'), 9.0, '$9.0', (), (),
)  # fmt: skip
BRIGHT = Product(
    'LAMP000003', 'Bright Lamp', 'Bright.', ('Bright.',), 'lamps', HOME, 30.0, '$30.0', (), ()
)
#: A wish for which the price may be up to 30 dollars.
WISH = Wish('i need a lamp.', ('dimmable', 'made of steel'), ('blue', 'tall'))


def small_catalogue(*products: Product) -> Catalogue:
    """A catalogue whose goal 0 of every part is the lamp's."""
    found = products or (LAMP, PLUS, MIRROR, BRIGHT)
    return Catalogue(found, [(found[0], WISH)] * 1501)
