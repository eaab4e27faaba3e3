"""Catalogues: the one that ships, and files of the published form, whole and broken."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.task_names import GENERATED
from sim_bridge.worlds.webshop import WebShopWorld
from sim_bridge.worlds.webshop.catalogue import Catalogue, goal_of, NO_BOUND, Wish
from sim_bridge.worlds.webshop.catalogues import load_catalogue
from sim_bridge.worlds.webshop.generator import generated_catalogue
from sim_bridge.worlds.webshop.published_files import read_catalogue

SHIPPED = load_catalogue(GENERATED)


def item(asin: str, **fields: Any) -> dict[str, Any]:
    """A product as the published files have it."""
    return {
        'asin': asin,
        'name': f'Lamp {asin}',
        'full_description': 'A lamp.',
        'small_description': ['Bright.', 'Quiet.'],
        'pricing': '$12.50',
        'product_category': 'Home › Lighting › Lamps',
        'category': 'garden',
        'query': ' Desk Lamps ',
        'images': ['https://example.org/1.jpg'],
        'customization_options': {},
        **fields,
    }


COLORS = [{'value': ' Red/Blue', 'image': None}, {'value': 'GREEN'}, {'value': 'green'}]
ITEMS = [
    item('B01', customization_options={'Color': COLORS, 'Size': None}),
    item('B02', pricing='$1,010.50$2,020.00', small_description='One text.'),
    item('B01', name='A double'),
    item('B012345678X', name='Too long a number'),
    item('nan'),
    item('B03', pricing=None, full_description=None, small_description=None, query=''),
    item('B04', name='  A\nlamp\tof \x07many​ lines ', pricing='', customization_options=''),
    item('B05', pricing='$985', customization_options=[]),
]
ATTRIBUTES = {'B01': {'attributes': ['dimmable', 'quiet']}, 'B02': {'more': 1}, 'B05': {}}
INSTRUCTIONS = {
    'B01': [
        {
            'instruction': 'i need a lamp.',
            'instruction_attributes': ['dimmable'],
            'instruction_options': ['green'],
            'worker_id': 'x',
        },
        {
            'instruction': 'nothing is told',
            'instruction_attributes': [],
            'instruction_options': [],
        },
    ],
    'B02': [
        {
            'instruction': 'a dear lamp',
            'instruction_attributes': ['bright'],
            'instruction_options': {'color': 'red'},
        }
    ],
    'B05': [{'instruction': 'the last', 'instruction_attributes': ['bright']}],
    'B99': [{'instruction': 'of nothing', 'instruction_attributes': ['x']}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The three files of the small set."""
    for name, content in (
        ('items_shuffle_1000.json', ITEMS),
        ('items_ins_v2_1000.json', ATTRIBUTES),
        ('items_human_ins.json', INSTRUCTIONS),
    ):
        (tmp_path / name).write_text(json.dumps(content), encoding='utf-8')
    return tmp_path


def test_the_shipped_catalogue_has_what_it_promises() -> None:
    assert len(SHIPPED.products) == 1000 and len(SHIPPED.goals) == 2000
    assert set(Counter(product.query for product in SHIPPED.products).values()) == {50}
    assert len({product.query for product in SHIPPED.products}) == 20
    prices = [product.price for product in SHIPPED.products]
    assert 5.0 <= min(prices) < 6.0 and 350.0 < max(prices) <= 400.0
    assert all(len(product.asin) == 10 and product.options for product in SHIPPED.products)
    titles = Counter(product.title for product in SHIPPED.products)
    assert max(titles.values()) == 1
    assert all(goal.attributes and goal.price_upper > goal.product.price for goal in SHIPPED.goals)


def test_the_shipped_catalogue_is_the_same_each_time() -> None:
    again = generated_catalogue()
    assert again.products == SHIPPED.products and again.goals == SHIPPED.goals
    assert SHIPPED.goals[0].instruction == (
        'please find an office chair for me, padded with memory foam and free of armrests and '
        'height adjustable, and price lower than 220.00 dollars'
    )


def test_every_model_has_its_near_misses() -> None:
    models = [SHIPPED.products[first : first + 5] for first in range(0, 1000, 5)]
    for whole, attribute, options, price, noun in models:
        assert len(set(whole.attributes) - set(attribute.attributes)) == 1
        assert options.options != whole.options and options.attributes == whole.attributes
        assert price.price > whole.price and price.attributes == whole.attributes
        assert noun.title != whole.title and noun.options == whole.options


def test_bounds_are_the_larger_of_two_of_the_next_four_tens() -> None:
    for goal in SHIPPED.goals:
        above = [10.0 * ten for ten in range(1, 100) if 10.0 * ten > goal.product.price][1:4]
        assert goal.price_upper in above
        assert goal.instruction.endswith(f', and price lower than {goal.price_upper:.2f} dollars')


def test_goals_come_in_the_published_order_and_parts() -> None:
    wishes = [
        (SHIPPED.products[0], Wish(str(number), ('dimmable',), ())) for number in range(1600)
    ]
    order = list(range(1600))
    Random(233).shuffle(order)
    catalogue = Catalogue(SHIPPED.products, wishes)
    told = [int(goal.instruction.partition(',')[0]) for goal in catalogue.goals]
    assert told == order
    for part, number, index in (
        ('test', 0, 0), ('test', 499, 499), ('test', 500, 0), ('dev', 0, 500), ('dev', 999, 1499),
        ('train', 0, 1500), ('train', 99, 1599), ('train', 100, 1500),
    ):  # fmt: skip
        assert catalogue.goal(part, number) is catalogue.goals[index]


def test_published_files_are_read_as_the_published_program_reads_them(folder: Path) -> None:
    catalogue = read_catalogue(folder)
    assert list(catalogue.by_asin) == ['B01', 'B02', 'B03', 'B04', 'B05']
    first, second, third, fourth, fifth = catalogue.products
    assert first.title == 'Lamp B01' and first.query == 'desk lamps'
    assert first.categories == ('Home', 'Lighting', 'Lamps')
    assert first.options == (('color', ('red | blue', 'green')),)
    assert first.attributes == ('dimmable', 'quiet') and second.attributes == ()
    assert (first.price, first.price_text) == (12.5, '$12.5')
    assert second.price_text == '$1010.5 to $2020.0' and 1010.5 <= second.price <= 2020.0
    assert second.bullets == ('One text.',)
    assert (third.price, third.price_text) == (100.0, '$100.0')
    assert (third.description, third.bullets) == ('', ('',))
    assert fourth.title == 'A lamp of many lines' and fourth.options == ()
    assert fifth.price == 985.0
    assert first.text == 'lamp b01 a lamp. bright. color: red | blue, green'


def test_goals_of_published_files_have_attributes_options_and_bounds(folder: Path) -> None:
    goals = {goal.product.asin: goal for goal in read_catalogue(folder).goals}
    assert sorted(goals) == ['B01', 'B02', 'B05']
    assert goals['B01'].instruction.startswith('i need a lamp, and price lower than ')
    assert goals['B01'].price_upper in (30.0, 40.0, 50.0)
    # Fewer than two tens are left above these prices.
    assert [goals[asin].price_upper for asin in ('B02', 'B05')] == [NO_BOUND, NO_BOUND]
    assert goals['B02'].options == ('red',) and goals['B02'].instruction == 'a dear lamp'


def test_a_bound_and_a_drawn_price_are_the_same_each_time(folder: Path) -> None:
    assert read_catalogue(folder).products == read_catalogue(folder).products
    wish = Wish('i need it', ('dimmable',), ())
    assert goal_of(SHIPPED.products[0], wish) == goal_of(SHIPPED.products[0], wish)


def test_a_world_plays_published_files_by_their_folder_or_file(folder: Path) -> None:
    world = WebShopWorld()
    for scene in (folder, folder / 'items_shuffle_1000.json'):
        world.reset(str(scene), 'test:1', 0)
        assert world.scene == str(scene)
        world.expert()
        assert world.page.score > 0.0
    with pytest.raises(ConfigurationError, match=r'none of the part train, .*test:0 to test:2'):
        world.reset('', 'generated:3', 0)


def test_of_both_sets_the_small_one_is_read_and_the_other_can_be_named(folder: Path) -> None:
    (folder / 'items_shuffle.json').write_text(json.dumps([item('B05')]), encoding='utf-8')
    (folder / 'items_ins_v2.json').write_text('{}', encoding='utf-8')
    assert len(read_catalogue(folder).products) == 5
    assert len(read_catalogue(folder / 'items_shuffle.json').products) == 1


@pytest.mark.parametrize(
    ('name', 'content', 'says'),
    [
        ('items_shuffle_1000.json', '[', 'items_shuffle_1000.json is not JSON'),
        ('items_shuffle_1000.json', '{}', 'must be a list of products'),
        ('items_shuffle_1000.json', [item('B01'), {'asin': 'B02'}], '"2.name" is missing'),
        ('items_shuffle_1000.json', [item('B01', name=5)], '"1.name" must be a text'),
        ('items_shuffle_1000.json', [item('B01', pricing=5)], '"1.pricing" must be a text'),
        ('items_shuffle_1000.json', [item('B01', name='x' * 100_001)], 'letters or fewer'),
        ('items_shuffle_1000.json', [item('B[1]')], 'product 1: "asin" must be up to 10 letters'),
        ('items_shuffle_1000.json', [item('')], 'product 1: "asin" must be'),
        ('items_shuffle_1000.json', [item('B1', pricing='$' + '9' * 30)], 'is no price'),
        ('items_shuffle_1000.json', [], 'has no instruction for any of the 0 products'),
        ('items_ins_v2_1000.json', [], 'must map the numbers of products'),
        ('items_ins_v2_1000.json', {'B01': {'attributes': 'x'}}, 'must be a'),
        ('items_human_ins.json', {'B01': [{}]}, '"B01.1.instruction" is missing'),
        ('items_human_ins.json', {'B77': []}, 'take files of the same set'),
        ('items_ins_v2_1000.json', None, 'has no items_ins_v2_1000.json: put the file'),
        ('items_human_ins.json', None, 'has no items_human_ins.json: put the file'),
        ('items_shuffle_1000.json', None, 'there is no catalogue'),
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong(
    folder: Path, name: str, content: Any, says: str
) -> None:
    file = folder / name
    if content is None:
        file.unlink()
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        file.write_text(text, encoding='utf-8')
    with pytest.raises(ConfigurationError) as raised:
        read_catalogue(folder)
    assert says in str(raised.value)
    assert str(folder) in str(raised.value)
