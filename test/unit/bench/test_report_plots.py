"""Plots of a study."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from reactree_tools.bench.report.plots import plots
from support.episode_rows import episode_row


def some_rows(methods=2, **changes):
    return [
        episode_row(
            number,
            planner=f'planner {method}',
            seed=seed,
            family=('load', 'stow')[number % 2],
            success=(number + seed + method) % 3 > 0,
            depth=1 + 2 * (number % 2),
            decisions=10 + number,
            **changes,
        )
        for method in range(methods)
        for number in range(4)
        for seed in range(2)
    ]


def named(rows):
    return {picture.name: picture for picture in plots(rows).pictures}


@pytest.mark.parametrize('methods', [1, 2, 9])
def test_every_picture_is_an_svg_whose_parts_have_names_of_their_own(methods):
    drawn = plots(some_rows(methods))
    assert [picture.name for picture in drawn.pictures] == ['cost', 'decisions', 'family', 'depth']
    assert len(drawn.legend) == methods
    known = []
    for svg in (*(one.svg for one in drawn.pictures), *(sign for sign, _ in drawn.legend)):
        ElementTree.fromstring(svg)
        own = re.findall(r'\bid="([^"]+)"', svg)
        used = re.findall(r'(?:href="|url\()#([^")]+)', svg)
        assert set(used) <= set(own)
        assert 'http' not in re.sub(r'xmlns(:\w+)?="[^"]+"', '', svg)
        known += own
    assert len(known) == len(set(known))


def test_colours_of_text_are_those_of_the_page():
    for picture in plots(some_rows()).pictures:
        assert 'currentColor' in picture.svg
        assert '#010203' not in picture.svg
        assert not re.search(r'<text[^>]*fill: #000', picture.svg)


def test_names_are_data():
    drawn = plots(some_rows(7, world='$\\frac{1}$<b>&"', tasks='$x'))
    assert drawn.pictures
    families = [episode_row(number, family=f'${number}^</text><b>') for number in range(2)]
    assert '&lt;b&gt;' in named(families)['family'].svg


def test_the_same_rows_give_the_same_pictures():
    assert plots(some_rows()) == plots(some_rows())


def test_a_memory_s_size_gives_learning_curves():
    rows = [
        episode_row(number, store='s', store_size=size, success=number < size)
        for number in range(4)
        for size in (1, 3, 0)
    ]
    picture = named(rows)['learning']
    assert '>all<' in picture.svg
    assert [name for _, name in picture.legend] == ['ReAcTree']


def test_cost_is_money_where_it_is_known_else_tokens_else_time():
    assert named([episode_row(cost=0.5)])['cost'].title.endswith('cost')
    assert named([episode_row(prompt_tokens=5)])['cost'].title.endswith('tokens')
    assert named([episode_row(seconds=0.0)])['cost'].title.endswith('seconds')
