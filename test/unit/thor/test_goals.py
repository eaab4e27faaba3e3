"""ALFRED's goals on metadata made by hand: each condition alone true, and alone false."""

from __future__ import annotations

import pytest

from sim_bridge.worlds.thor import goals
from sim_bridge.worlds.thor.goals import Goal, progress_of, Treated
from support.small_kitchen import metadata, thing

APPLE, OTHER = 'Apple|1', 'Apple|2'
PIECE, SECOND = 'Apple|1|AppleSliced_1', 'Apple|1|AppleSliced_2'


def apple(key=APPLE, **more):
    return thing('Apple_a', objectId=key, pickupable=True, **more)


def table(*inside, key='DiningTable|1', name='DiningTable_1', **more):
    return thing(
        name, objectId=key, receptacle=True, receptacleObjectIds=list(inside) or None, **more
    )


def judged(goal, *things, treated=None, held=''):
    progress = progress_of(goal, metadata(*things, held=held), treated or Treated())
    return [line.startswith('met') for line in progress.conditions], progress


def test_simple_wants_one_of_the_class_in_one_receptacle_of_the_class():
    goal = Goal(goals.SIMPLE, 'Apple', 'DiningTable')
    assert judged(goal, apple(), table(APPLE))[0] == [True]
    assert judged(goal, apple(), table())[0] == [False]
    # Of another class, in another place, or no receptacle at all.
    assert judged(goal, apple(), table('Egg|1'))[0] == [False]
    assert judged(goal, apple(), table(APPLE, key='Shelf|1'))[0] == [False]
    assert judged(goal, apple(), {**table(APPLE), 'receptacle': False})[0] == [False]
    assert judged(goal, {**apple(), 'pickupable': False}, table(APPLE))[0] == [False]


def test_a_piece_is_one_condition_more_and_only_pieces_count():
    goal = Goal(goals.SIMPLE, 'Apple', 'DiningTable', sliced=True)
    assert judged(goal, apple(), table(APPLE))[0] == [False, False]
    assert judged(goal, apple(PIECE), table())[0] == [True, False]
    found, progress = judged(goal, apple(PIECE), table(PIECE))
    assert found == [True, True] and progress.success and progress.total == 2
    light = Goal(goals.LIGHT, 'Apple', lamp='DeskLamp', sliced=True)
    assert judged(light, apple(PIECE))[1].total == 3


def test_two_wants_both_in_the_same_receptacle_and_counts_them():
    goal = Goal(goals.TWO, 'Apple', 'DiningTable')
    both = apple(), apple(OTHER)
    second = table(OTHER, key='DiningTable|2')
    for things, met in (
        ((*both, table()), 0),
        ((*both, table(APPLE)), 1),
        ((*both, table(APPLE), second), 1),
        ((*both, table(APPLE, OTHER)), 2),
        ((*both, apple('Apple|3'), table(APPLE, OTHER, 'Apple|3')), 2),
        (both, 0),
    ):
        progress = judged(goal, *things)[1]
        assert (progress.met, progress.total) == (met, 2)
    sliced = Goal(goals.TWO, 'Apple', 'DiningTable', sliced=True)
    progress = judged(sliced, apple(PIECE), table(PIECE))[1]
    assert (progress.met, progress.total, progress.success) == (2, 4, False)
    progress = judged(sliced, apple(PIECE), apple(SECOND), table(PIECE, SECOND))[1]
    assert progress.success and progress.met == 4


@pytest.mark.parametrize(
    ('held', 'on', 'seen', 'met'),
    [
        (APPLE, True, True, [True, True]),
        ('Egg|1', True, True, [False, True]),
        ('', True, True, [False, True]),
        (APPLE, False, True, [True, False]),
        (APPLE, True, False, [True, False]),
        ('', False, False, [False, False]),
    ],
)
def test_light_wants_the_thing_in_the_hand_and_a_lamp_on_and_in_sight(held, on, seen, met):
    goal = Goal(goals.LIGHT, 'Apple', lamp='DeskLamp')
    lamp = thing('DeskLamp_1', toggleable=True, isToggled=on, visible=seen)
    assert judged(goal, apple(), lamp, held=held)[0] == met


@pytest.mark.parametrize('task_type', [goals.CLEAN, goals.HEAT, goals.COOL])
def test_treated_things_have_to_be_those_that_are_in_place(task_type):
    goal = Goal(task_type, 'Apple', 'DiningTable')
    things = apple(), apple(OTHER)

    def treated(*ids):
        return Treated(set(ids), set(ids), set(ids))

    assert judged(goal, *things, table())[0] == [False, False, False]
    assert judged(goal, *things, table(APPLE))[0] == [True, False, False]
    assert judged(goal, *things, table(), treated=treated(APPLE))[0] == [False, True, False]
    wrong = judged(goal, *things, table(APPLE), treated=treated(OTHER))
    assert wrong[0] == [True, True, False] and not wrong[1].success
    right = judged(goal, *things, table(APPLE), treated=treated(APPLE))
    assert right[1].success and right[1].met == 3
    assert not judged(goal, *things, table(APPLE), treated=treated('Egg|1'))[0][1]


def test_each_treatment_counts_for_its_own_task():
    things = apple(), table(APPLE)
    only = {
        goals.CLEAN: Treated(clean={APPLE}),
        goals.HEAT: Treated(hot={APPLE}),
        goals.COOL: Treated(cold={APPLE}),
    }
    for wanted in only:
        for given, treated in only.items():
            found = judged(Goal(wanted, 'Apple', 'DiningTable'), *things, treated=treated)[1]
            assert found.success is (wanted == given)


def test_movable_wants_the_thing_in_a_container_that_is_in_place():
    goal = Goal(goals.MOVABLE, 'Apple', 'DiningTable', container='Plate')

    def plate(*inside, parents=(), key='Plate|1'):
        return thing(
            'Plate_1', objectId=key, pickupable=True, receptacle=True,
            receptacleObjectIds=list(inside), parentReceptacles=list(parents) or None,
        )  # fmt: skip

    on_table = 'DiningTable|1'
    assert judged(goal, apple(), plate(), table())[0] == [False, False, False]
    assert judged(goal, apple(), plate(APPLE), table())[0] == [True, False, False]
    assert judged(goal, apple(), plate(parents=[on_table]), table('Plate|1'))[0] == [
        False, True, False,
    ]  # fmt: skip
    # One plate holds the apple, and another one stands on the table.
    apart = judged(
        goal, apple(), plate(APPLE), plate(parents=[on_table], key='Plate|2'), table('Plate|2')
    )
    assert apart[0] == [True, True, False]
    whole = judged(goal, apple(), plate(APPLE, parents=[on_table]), table('Plate|1'))
    assert whole[1].success and whole[1].total == 3


def test_a_faucet_cleans_what_is_in_the_nearest_visible_basin():
    faucet = thing('Faucet_1', objectId='Faucet|1')
    near = table(APPLE, key='Sink|1|SinkBasin', name='SinkBasin_1', visible=True)
    far = table(OTHER, key='Sink|2|SinkBasin', name='SinkBasin_2', visible=True)
    far['position'] = {'x': 3.0, 'y': 0.9, 'z': 0.0}
    treated = Treated()
    treated.note('ToggleObjectOn', 'Faucet|1', metadata(faucet, far, near))
    assert treated.clean == {APPLE}
    treated.note('ToggleObjectOn', 'Faucet|1', metadata(faucet, far, {**near, 'visible': False}))
    assert treated.clean == {APPLE, OTHER}
    # Nothing visible, or nothing in it: what is clean stays clean.
    hidden = {**near, 'visible': False}
    treated.note('ToggleObjectOn', 'Faucet|1', metadata(faucet, hidden))
    treated.note(
        'ToggleObjectOn', 'Faucet|1', metadata(faucet, {**near, 'receptacleObjectIds': None})
    )
    assert treated.clean == {APPLE, OTHER}


@pytest.mark.parametrize(
    ('action', 'key', 'kind', 'word'),
    [
        ('ToggleObjectOn', 'Microwave|1', 'Microwave', 'hot'),
        ('CloseObject', 'Fridge|1', 'Fridge', 'cold'),
    ],
)
def test_microwave_and_fridge_treat_what_is_in_the_first_of_the_scene(action, key, kind, word):
    inside = table(APPLE, key=key, name=f'{kind}_1')
    treated = Treated()
    treated.note(action, key, metadata(inside, succeeds=False))
    treated.note('OpenObject', key, metadata(inside))
    treated.note(action, 'Drawer|1', metadata(inside))
    assert getattr(treated, word) == set()
    treated.note(action, key, metadata(inside))
    assert getattr(treated, word) == {APPLE}
    treated.note(action, key, metadata({**inside, 'receptacleObjectIds': None}))
    assert getattr(treated, word) == {APPLE}


def test_conditions_are_told_as_sentences():
    goal = Goal(goals.HEAT, 'Apple', 'DiningTable')
    assert judged(goal, apple(), table(APPLE))[1].conditions == (
        'met: Apple is in or on DiningTable',
        'not met: Apple is hot',
        'not met: Apple in or on DiningTable is hot',
    )
    two = judged(Goal(goals.TWO, 'Apple', 'DiningTable'), apple(), table(APPLE))[1]
    assert two.conditions == ('not met: two of Apple are in or on one DiningTable (1 of 2)',)
