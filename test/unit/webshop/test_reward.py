"""What purchases are worth: forty of them, worked out by hand."""

from __future__ import annotations

import pytest

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.webshop.catalogue import Goal, NO_BOUND, Product
from sim_bridge.worlds.webshop.reward import (
    color_or_all,
    COLORS,
    fitting_value,
    nouns_by,
    reward_of,
    words_of,
)

HOME = ('Home', 'Lighting', 'Desk Lamps')


def product(
    title: str = 'Tarn Desk Lamp',
    attributes: tuple[str, ...] = (),
    price: float = 20.0,
    query: str = 'desk lamps',
    categories: tuple[str, ...] = HOME,
    description: str = '',
    bullets: tuple[str, ...] = (),
) -> Product:
    """Something that could be bought."""
    return Product(
        'B000000001',
        title,
        description,
        bullets,
        query,
        categories,
        price,
        f'${price}',
        (),
        attributes,
    )


LAMP = product(attributes=('dimmable', 'easy to clean'))
#: A title of eleven words that are no stop words, and one of ten.
ELEVEN = 'Lamp Red Blue Green Tall Small Round Square Soft Hard Cold'
TEN = 'Lamp Red Blue Green Tall Small Round Square Soft Hard'
OTHER = {'query': 'wall clocks', 'categories': ('Home', 'Decoration', 'Clocks')}

#: Bought, chosen values, attributes and options of the goal, its bound, title that was in mind,
#: and what that is worth.
PURCHASES = [
    # Everything is met.
    (LAMP, ['black'], ['dimmable'], ['black'], 30.0, '', 1.0),
    (LAMP, [], ['dimmable', 'easy to clean'], [], 30.0, '', 1.0),
    (LAMP, ['black', 'small'], ['dimmable'], ['black', 'small'], 30.0, '', 1.0),
    # The price is just within, just above, without bound.
    (LAMP, [], ['dimmable'], [], 20.0, '', 1.0),
    (LAMP, [], ['dimmable'], [], 19.99, '', 1 / 2),
    (LAMP, [], ['dimmable'], [], NO_BOUND, '', 1.0),
    (product(price=99.5), [], ['dimmable'], [], 90.0, '', 0.0),
    # Attributes.
    (LAMP, [], ['foldable'], [], 30.0, '', 1 / 2),
    (LAMP, [], ['dimmable', 'foldable'], [], 30.0, '', 2 / 3),
    (LAMP, [], ['foldable', 'quiet', 'wireless'], [], 30.0, '', 1 / 4),
    (LAMP, [], ['easy clean'], [], 30.0, '', 1.0),
    (LAMP, [], ['clean easy to'], [], 30.0, '', 1.0),
    (LAMP, [], ['easy to carry'], [], 30.0, '', 1 / 2),
    (LAMP, [], ['Dimmable!'], [], 30.0, '', 1.0),
    (product(description='It is Quiet.'), [], ['quiet'], [], 30.0, '', 1.0),
    (product(bullets=('So quiet', 'tall')), [], ['quiet', 'tall'], [], 30.0, '', 1.0),
    (product(), [], ['tarn desk'], [], 30.0, '', 1.0),
    # Over two features: the published program joins them with a space.
    (product(bullets=('soft', 'light')), [], ['soft light'], [], 30.0, '', 1.0),
    # Capitals are compared with lower case, so that they are found in attributes only.
    (product(description='It is Quiet.'), [], ['Quiet'], [], 30.0, '', 1 / 2),
    # Options.
    (LAMP, [], ['dimmable'], ['black'], 30.0, '', 2 / 3),
    (LAMP, ['white'], ['dimmable'], ['black'], 30.0, '', 2 / 3),
    (LAMP, ['black'], ['dimmable'], ['black', 'small'], 30.0, '', 3 / 4),
    (LAMP, ['black', 'tall'], ['dimmable'], [], 30.0, '', 1.0),
    (LAMP, ['large'], ['dimmable'], ['x-large'], 30.0, '', 1.0),
    # 12 of 14 letters of "size 40" and "size 42" are the same, which is more than 85 of 100.
    (LAMP, ['size 40'], ['dimmable'], ['size 42'], 30.0, '', 1.0),
    (LAMP, ['size 8'], ['dimmable'], ['size 12'], 30.0, '', 2 / 3),
    (LAMP, ['12 fl oz (pack of 1)'], ['dimmable'], ['12 fl oz'], 30.0, '', 1.0),
    # Colors: the first in the list that stands in the option, also within a word.
    (LAMP, ['midnight blue'], ['dimmable'], ['sky blue | 2'], 30.0, '', 1.0),
    (LAMP, ['matte black'], ['dimmable'], ['black'], 30.0, '', 1.0),
    (LAMP, ['grey'], ['dimmable'], ['gray'], 30.0, '', 2 / 3),
    (LAMP, ['white and black'], ['dimmable'], ['white'], 30.0, '', 2 / 3),
    (LAMP, ['standard'], ['dimmable'], ['tan'], 30.0, '', 1.0),
    # One value may be what several options mean, and each option counts.
    (LAMP, ['blue'], ['dimmable'], ['navy blue', 'sky blue', 'tall'], 30.0, '', 4 / 5),
    # Another kind: the same query, or two common categories, or more than a fifth of the words.
    (product(categories=('X', 'Y')), [], ['tarn'], [], 30.0, 'Desk Tray Pen Box Cup', 1.0),
    (product(query='lights'), [], ['tarn'], [], 30.0, 'Desk Tray Pen Box Cup', 1.0),
    (product(**OTHER), [], ['tarn'], [], 30.0, 'Desk Tray Pen Box', 1.0),
    # None of these, with just a fifth of the words.
    (product(**OTHER), [], ['tarn'], [], 30.0, 'Desk Tray Pen Box Cup', 0.5),
    (product(**OTHER), [], ['tarn', 'loud'], [], 30.0, TEN, 0.5 * 2 / 3),
    # Less than a tenth of the words, though query and categories are the same; then none of them.
    (product(), [], ['tarn'], [], 30.0, ELEVEN, 0.1),
    (product(), [], ['tarn'], [], 30.0, 'Wall Clock', 0.0),
]


@pytest.mark.parametrize(
    ('bought', 'chosen', 'attributes', 'options', 'bound', 'title', 'worth'), PURCHASES
)
def test_a_purchase_is_worth_what_was_worked_out(
    bought, chosen, attributes, options, bound, title, worth
) -> None:
    wanted = product(title or 'Tarn Desk Lamp')
    goal = Goal(wanted, '', tuple(attributes), tuple(options), bound)
    assert reward_of(bought, chosen, goal, words_of).value == pytest.approx(worth, abs=1e-12)


def test_the_table_has_forty_purchases() -> None:
    assert len(PURCHASES) == 40


def test_what_was_met_is_told_one_by_one() -> None:
    goal = Goal(LAMP, '', ('quiet', 'dimmable'), ('blue', 'tall'), 10.0)
    reward = reward_of(LAMP, ['tall'], goal, words_of)
    assert (reward.attributes, reward.options) == ((False, True), (False, True))
    assert (reward.price, reward.kind) == (False, 1.0)
    assert reward.value == 2 / 5


def test_a_title_without_nouns_says_nothing_of_the_kind() -> None:
    goal = Goal(LAMP, '', ('dimmable',), (), 30.0)
    assert reward_of(LAMP, [], goal, lambda title: ()).kind == 1.0
    other = product(attributes=('dimmable',), **OTHER)
    assert reward_of(other, [], goal, lambda title: ()).kind == 0.5


def test_repeated_nouns_of_the_wanted_title_count_each_time() -> None:
    """As published: common nouns are counted once, those that are wanted each time."""
    goal = Goal(product('Lamp Lamp Lamp Lamp Lamp Lamp'), '', ('tarn',), (), 30.0)
    assert reward_of(product(**OTHER), [], goal, words_of).kind == 0.5


def test_words_of_a_title_leave_out_stop_words_and_numbers() -> None:
    assert words_of('The Lamp for 12 Desks, 5W and well-lit') == [
        'lamp',
        'desks',
        '5w',
        'well-lit',
    ]


def test_an_option_is_cut_to_its_first_color_of_the_list() -> None:
    assert color_or_all('white | black') == 'black'
    assert color_or_all('size 9') == 'size 9'
    assert sorted(COLORS) == list(COLORS) and len(set(COLORS)) == len(COLORS) == 102
    # Published pairs: what both are cut to decides, not their other words.
    assert color_or_all('dark walnut') == color_or_all('dark oak') == 'dark'
    assert color_or_all('cherry') == 'cherry'


def test_an_expert_takes_the_very_value_before_one_that_is_alike() -> None:
    assert fitting_value('x-large', ['large', 'x-large']) == 'x-large'
    assert fitting_value('navy blue', ['red', 'light blue']) == 'light blue'
    assert fitting_value('tall', ['small']) is None


def test_nouns_are_told_by_words_or_by_spacy_where_it_is() -> None:
    assert nouns_by('words') is words_of
    with pytest.raises(ConfigurationError, match='nouns must be words or spacy'):
        nouns_by('verbs')
    try:
        nouns = nouns_by('spacy')
    except ConfigurationError as error:
        assert 'pip install spacy' in str(error)
    else:
        assert 'lamp' in nouns('A small lamp stands there')
