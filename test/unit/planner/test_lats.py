"""LATS: its tree, and a search in a small shop; the naive buyer beside it."""

from __future__ import annotations

import math

import pytest

from reactree_core.record.events import NodeStatus
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.lats import leaf_of, Place
from reactree_planner.runs.presets import settings_of_preset
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.webshop import WebShopWorld
from sim_bridge.worlds.webshop import world as webshop
from support.small_shop import LAMP, MIRROR, small_catalogue
from support.workbench import WorkbenchWorld


def tree(*values):
    """A root with children of these values."""
    root = Place()
    root.children = [Place(parent=root, value=value) for value in values]
    return root


# The tree --------------------------------------------------------------------------------------


def test_what_was_never_looked_at_comes_first_the_most_promising_of_it_before_the_others():
    root = tree(0.2, 0.9, 0.5)
    assert leaf_of(root) is root.children[1]
    root.children[1].learn(0.0)
    assert leaf_of(root) is root.children[2]


def test_an_end_is_learned_by_all_places_of_its_way_as_a_mean():
    root = tree(0.9)
    (child,) = root.children
    child.learn(1.0)
    assert (child.value, root.value) == (1.0, 1.0)
    child.learn(0.0)
    assert (child.value, root.value, child.visits, root.visits) == (0.5, 0.5, 2, 2)


def test_of_places_that_were_looked_at_value_and_neglect_decide():
    root = tree(0.0, 0.0)
    often, seldom = root.children
    for _ in range(8):
        often.learn(0.5)
    seldom.learn(0.2)
    assert seldom.uct() == pytest.approx(0.2 + math.sqrt(math.log(9) / 1))
    assert leaf_of(root) is seldom
    seldom.learn(0.0)
    seldom.learn(0.0)
    assert leaf_of(root) is (often if often.uct() > seldom.uct() else seldom)


def test_below_what_has_ended_nothing_is_looked_for():
    root = tree(0.5, 0.1)
    first, second = root.children
    first.children = [Place(parent=first, is_closed=True)]
    assert leaf_of(root) is second
    second.is_closed = True
    assert leaf_of(root) is None


# A search --------------------------------------------------------------------------------------

BUY = 'click[Buy Now]'


@pytest.fixture
def shop(monkeypatch):
    """A lamp is to be bought."""
    made = small_catalogue()
    monkeypatch.setattr(webshop, 'load_catalogue', lambda source: made)
    world = WebShopWorld()
    world.reset('', 'test:0', 0)
    return world


class Shopper:
    """Writes lines by what it has read; judges the lamp's page high."""

    def __init__(self, *lines):
        self.lines = lines
        self.asked = []
        self.judged = []
        self.drawn = 0

    def __call__(self, text, options):
        self.asked.append(text)
        if options is not None:
            if options[0] == ' 1\n':
                assert text.endswith('\nScore:')
                self.judged.append(text)
                return 8 if LAMP.asin in text.rpartition('Your task is to: ')[2] else 1
            return next(n for n, one in enumerate(options) if 'search' in one or 'click' in one)
        if text.endswith('Judgement:'):
            return ' Nothing is bought yet.'
        if text.endswith('Reflection:'):
            return ' Choose the options first.'
        self.drawn += 1
        return self.next_line(text.rpartition('Your task is to: ')[2], 'earlier trials' in text)

    def next_line(self, way, has_lesson):
        """Alternately what leads on, and what leads to a mirror."""
        odd = self.drawn % 2
        if 'Act: search' not in way:
            return ' Act: search[lamp]' if odd else ' Think: a lamp is needed'
        if 'Act: click[' not in way:
            return f' Act: click[{LAMP.asin if odd else MIRROR.asin}]'
        if has_lesson and LAMP.asin in way:
            left = [one for one in ('blue', 'tall') if f'click[{one}]' not in way]
            if left:
                return f' Act: click[{left[0]}]'
        return f' Act: {BUY}'


def search(world, policy, overrides='', planner='lats'):
    preset = ','.join(filter(None, ('published,plans.samples=2', overrides)))
    return plan_episode(
        world,
        PolicyModel(policy),
        InProcessMemory(),
        settings_of_preset(preset, planner),
        Limits(decisions=0, steps=0),
        planner,
    )


def test_a_wrong_purchase_teaches_a_lesson_and_the_right_one_is_carried_out(shop):
    shopper = Shopper()
    episode = search(shop, shopper)
    assert episode.outcome.success and episode.goal_met
    assert shop.progress().score == 1.0
    nodes = {node.goal: node for node in episode.run.tree.snapshot().nodes}
    assert nodes['search for a way'].status is NodeStatus.SUCCESS
    assert 'worth 1.00' in nodes['search for a way'].detail
    # The lesson of the first purchase stands in what is asked later, and not before.
    told = ['- Choose the options first.' in text for text in shopper.asked]
    assert not told[0] and told[-1]
    assert shopper.judged and all('How far' not in text for text in shopper.judged)
    # What is kept is the way itself, without what was tried.
    (kept,) = episode.experiences('run')
    acts = [line for line in kept.trajectory.splitlines() if line.startswith('Act: ')]
    assert acts[0] == 'Act: search[lamp]' and acts[-2:] == [f'Act: {BUY}', 'Act: done']
    assert f'Act: click[{MIRROR.asin}]' not in acts


def test_a_search_that_finds_nothing_whole_carries_out_what_is_worth_most(shop):
    class Hasty(Shopper):
        def next_line(self, way, has_lesson):
            return super().next_line(way, False)

    episode = search(shop, Hasty(), 'trials=2')
    assert not episode.outcome.success
    assert 0.0 < shop.progress().score < 1.0
    assert shop.observe().over


def test_steps_of_one_place_begin_at_one_place(shop):
    """The second of two steps does not see what the first has done."""
    shopper = Shopper()
    search(shop, shopper, 'trials=1')
    firsts = [text for text in shopper.judged if 'Act: click[MIRROR' in text]
    assert firsts and not any(f'Act: click[{LAMP.asin}]' in text for text in firsts)
    assert not any('Invalid action' in text for text in firsts)


def test_without_free_actions_only_what_is_on_offer_is_tried(shop):
    class Rambling(Shopper):
        def next_line(self, way, has_lesson):
            return ' I would rather not.'

    tried = {}
    for free in ('true', 'false'):
        shopper = Rambling()
        search(shop, shopper, f'trials=1,turns=3,free_actions={free}')
        tried[free] = any('Act: I would rather not.' in text for text in shopper.asked)
    assert tried == {'true': True, 'false': False}


def test_it_needs_a_world_that_can_be_put_back():
    world = WorkbenchWorld()
    world.reset('', 'make_ladder:1', 1)
    episode = search(world, Shopper())
    assert not episode.outcome.success
    assert 'with snapshots' in episode.outcome.message


def test_its_published_values_are_those_of_its_program():
    settings = settings_of_preset('published', 'lats')
    assert (settings.trials, settings.turns, settings.free_actions) == (30, 15, True)
    assert (settings.plans.samples, settings.plans.temperature) == (5, 1.0)


# The naive buyer -------------------------------------------------------------------------------


def no_model(text, options):
    raise AssertionError('it asks no model')


def test_the_naive_buyer_buys_the_first_product_of_the_tasks_words(shop):
    episode = search(shop, no_model, planner='naive_buyer')
    assert shop.observe().over
    assert 0.0 < shop.progress().score < 1.0
    assert not episode.outcome.success


def test_the_naive_buyer_ends_where_nothing_is_for_sale():
    world = WorkbenchWorld()
    world.reset('', 'make_ladder:1', 1)
    episode = search(world, no_model, planner='naive_buyer')
    assert not episode.outcome.success
    assert 'search[' in episode.run.tree.snapshot().nodes[0].detail
