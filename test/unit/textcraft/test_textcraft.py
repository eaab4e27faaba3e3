"""TextCraft: reading of recipes, replies, tasks, and what no command may break."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Outcome, Outline
from sim_bridge.worlds.registry import make_world
from sim_bridge.worlds.textcraft import TextCraftWorld
from sim_bridge.worlds.textcraft.recipes import (
    read_command,
    read_recipes,
    Recipe,
    RecipeBook,
    WORKSHOP,
)
from sim_bridge.worlds.textcraft.tasks import FAMILIES

#: A shop of four recipes, as a folder of the game has them.
FOLDER = {
    'alder_board': {
        'type': 'minecraft:crafting_shapeless',
        'group': 'board',
        'ingredients': [{'item': 'minecraft:alder_trunk'}],
        'result': {'item': 'minecraft:alder_board', 'count': 4},
    },
    'larch_board': {
        'type': 'minecraft:crafting_shapeless',
        'group': 'board',
        'ingredients': [{'tag': 'minecraft:larch_trunks'}],
        'result': {'item': 'minecraft:larch_board', 'count': 4},
    },
    'peg': {
        'type': 'minecraft:crafting_shaped',
        'pattern': ['#', '#'],
        'key': {'#': {'tag': 'minecraft:board'}},
        'result': {'item': 'minecraft:peg', 'count': 4},
    },
    'sign': {
        'type': 'minecraft:crafting_shaped',
        'pattern': ['##', ' |'],
        'key': {
            '#': [{'tag': 'minecraft:board'}, {'item': 'minecraft:slate'}],
            '|': {'item': 'minecraft:peg'},
        },
        'result': 'minecraft:sign',
    },
    'unpacked': {
        'type': 'minecraft:crafting_shapeless',
        'ingredients': [{'item': 'minecraft:tin_block'}],
        'result': {'item': 'minecraft:tin', 'count': 9},
    },
    'trunk_again': {
        'type': 'minecraft:crafting_shapeless',
        'ingredients': [{'item': 'minecraft:sign'}],
        'result': {'item': 'minecraft:alder_trunk'},
    },
    'unpacked_snow': {
        'type': 'minecraft:crafting_shapeless',
        'ingredients': [{'item': 'minecraft:snow_block'}],
        'result': {'item': 'minecraft:snow'},
        'group': 'board',
    },
    'glass': {'type': 'minecraft:smelting', 'result': 'minecraft:glass'},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, recipe in FOLDER.items():
        (tmp_path / f'{name}.json').write_text(json.dumps(recipe), encoding='utf-8')
    return tmp_path


@pytest.fixture
def shop(folder: Path) -> TextCraftWorld:
    """A sign is to be made, of what the folder has."""
    tasks = folder / 'tasks.txt.json'
    commands = 'craft 1 sign using 2 board, 1 peg\ncraft 4 peg using 2 board\n'
    commands += (
        'craft 4 alder board using 1 alder trunk\ncraft 4 larch board using 1 larch trunks\n'
    )
    entry = {
        'env': 'env_5',
        'goal': 'craft sign.',
        'commands': f'Crafting commands:\n{commands}\n',
    }
    tasks.write_text(json.dumps([entry]), encoding='utf-8')
    (recipes := folder / 'recipes').mkdir()
    for file in folder.glob('*.json'):
        if file != tasks:
            file.rename(recipes / file.name)
    world = TextCraftWorld()
    world.reset(str(folder), str(tasks), 0)
    return world


def test_a_folder_is_read_as_the_published_program_reads_it(folder: Path) -> None:
    book = RecipeBook(read_recipes(str(folder)))
    assert {recipe.command for recipe in book.recipes} == {
        'craft 4 alder board using 1 alder trunk',
        # Of a kind that no recipe makes an item: it is an item of that name.
        'craft 4 larch board using 1 larch trunks',
        'craft 4 peg using 2 board',
        # The first of alternatives.
        'craft 1 sign using 2 board, 1 peg',
    }
    assert book.is_kind('board') and not book.is_kind('larch trunks')
    assert [book.depth(name) for name in ('alder trunk', 'board', 'peg', 'sign')] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ('recipe', 'says'),
    [
        ('{', 'is not JSON'),
        ('[]', 'has no "type"'),
        ({'ingredients': []}, '"ingredients" must have 1 entries'),
        ({'ingredients': [[]]}, '"ingredients.1" must have 1 entries'),
        ({'ingredients': [{}]}, 'neither "item" nor "tag"'),
        ({'ingredients': [{'item': 'a, 1 b'}]}, '"ingredients.1.item"'),
        ({'result': {'item': 'x', 'count': '4'}}, '"result.count" must be a whole number'),
        ({'result': {'item': 'x', 'count': -4}}, '"result.count" must be 0 or more'),
        (
            {'type': 'minecraft:crafting_shaped', 'pattern': ['#'], 'key': {'x': {'item': 'a'}}},
            'its pattern has no ingredient',
        ),
    ],
)
def test_a_broken_recipe_says_what_is_wrong_with_it(
    tmp_path: Path, recipe: object, says: str
) -> None:
    whole = {'type': 'minecraft:crafting_shapeless', 'ingredients': [{'item': 'a'}], 'result': 'x'}
    text = json.dumps({**whole, **recipe}) if isinstance(recipe, dict) else str(recipe)
    (tmp_path / 'broken.json').write_text(text, encoding='utf-8')
    with pytest.raises(ConfigurationError, match=says):
        read_recipes(str(tmp_path))


def test_recipes_without_end_are_refused(tmp_path: Path) -> None:
    deep = [Recipe(f'item {n + 1}', 1, ((f'item {n}', 9),)) for n in range(12)]
    with pytest.raises(ConfigurationError, match='more than 100,000 crafts'):
        RecipeBook(deep).plan('item 12')
    for number in range(2000):
        recipe = {
            'type': 'minecraft:crafting_shapeless',
            'ingredients': [{'item': f'item_{number}'}],
            'result': f'item_{number + 1}',
        }
        (tmp_path / f'{number:04d}.json').write_text(json.dumps(recipe), encoding='utf-8')
    with pytest.raises(ConfigurationError, match='follow from each other'):
        TextCraftWorld().reset(str(tmp_path), 'generated', 1)


def test_a_task_that_no_command_ends_is_refused(shop: TextCraftWorld, tmp_path: Path) -> None:
    task = {'env': 'a', 'goal': 'craft ship.', 'commands': 'craft 4 peg using 2 board'}
    (file := tmp_path / 'ship.json').write_text(json.dumps([task]), encoding='utf-8')
    with pytest.raises(ConfigurationError, match='no command makes its goal, ship'):
        shop.reset('', str(file), 0)


def test_the_first_text_is_the_published_one(shop: TextCraftWorld) -> None:
    assert shop.reset('', str(Path(shop.scene) / 'tasks.txt.json'), 0).text == (
        'Crafting commands:\ncraft 1 sign using 2 board, 1 peg\ncraft 4 peg using 2 board\n'
        'craft 4 alder board using 1 alder trunk\ncraft 4 larch board using 1 larch trunks\n'
        '\nGoal: craft sign.'
    )
    assert shop.task().instruction == 'craft sign' and shop.task().task_id == 'env_5'


REPLIES = [
    ('inventory', 'Inventory: You are not carrying anything.', Outcome.SUCCEEDED),
    ('get 1 sign', 'Could not find sign', Outcome.PRECONDITION_FAILED),
    ('get 1 board', 'Could not find board', Outcome.PRECONDITION_FAILED),
    ('get 1 moon', 'Could not find moon', Outcome.PRECONDITION_FAILED),
    ('get one trunk', 'Could not execute get one trunk', Outcome.INVALID_SKILL),
    ('dance', 'Could not execute dance', Outcome.INVALID_SKILL),
    ('craft peg using board', 'Wrong item format: board', Outcome.INVALID_SKILL),
    (
        'craft 4 peg using 2 alder board',
        'Could not find enough items to craft minecraft:peg',
        Outcome.PRECONDITION_FAILED,
    ),
    ('get 2 alder trunk', 'Got 2 alder trunk', Outcome.SUCCEEDED),
    ('get 0 larch_trunks', 'Got 0 larch_trunks', Outcome.SUCCEEDED),
    # Only a recipe that is left out makes it.
    ('get 0 snow', 'Got 0 snow', Outcome.SUCCEEDED),
    (
        'craft 4 alder board using 2 alder trunk',
        'Could not find a valid recipe for minecraft:alder_board',
        Outcome.PRECONDITION_FAILED,
    ),
    # The written count is not what is made.
    (
        'craft 9 alder board using 1 alder trunk',
        'Crafted 4 minecraft:alder_board',
        Outcome.SUCCEEDED,
    ),
    (
        'craft 4 peg using 2 board',
        'Could not find enough items to craft minecraft:peg',
        Outcome.PRECONDITION_FAILED,
    ),
    # Twice the same item is what is held of it once.
    (
        'craft 4 peg using 3 alder board, 3 alder board',
        'Could not find enough items to craft minecraft:peg',
        Outcome.PRECONDITION_FAILED,
    ),
    ('craft peg using 2 alder board', 'Crafted 4 minecraft:peg', Outcome.SUCCEEDED),
    (
        'inventory please',
        'Inventory: [alder trunk] (1) [larch trunks] (0) [snow] (0) [alder board] (2) [peg] (4) ',
        Outcome.SUCCEEDED,
    ),
    ('craft 1 sign using 2 alder board, 1 peg', 'Crafted 1 minecraft:sign', Outcome.SUCCEEDED),
]


def test_each_reply_and_the_order_of_checks(shop: TextCraftWorld) -> None:
    for command, reply, outcome in REPLIES:
        seen = shop.step(command)
        assert (seen.text, seen.outcome) == (reply, outcome), command
    assert seen.over and shop.progress().success and not shop.admissible_skills()
    assert shop.step('inventory').outcome is Outcome.PRECONDITION_FAILED


def test_what_is_offered_can_be_done_and_kinds_are_filled_in(shop: TextCraftWorld) -> None:
    offered = {'get 1 alder trunk', 'get 1 larch trunks', 'inventory'}
    assert set(shop.admissible_skills()) == offered
    shop.step('get 1 alder trunk')
    shop.step('craft 4 alder board using 1 alder trunk')
    assert 'craft 4 peg using 2 alder board' in shop.admissible_skills()
    assert 'craft 4 peg using 2 larch board' not in shop.admissible_skills()
    assert 'craft 1 sign using 2 alder board, 1 peg' in shop.candidate_skills()


def test_a_command_of_many_kinds_does_not_list_all_its_fillings(tmp_path: Path) -> None:
    def write(name: str, ingredients: list[dict[str, str]], group: str = '') -> None:
        form = 'minecraft:crafting_shapeless'
        content = {'type': form, 'group': group, 'ingredients': ingredients, 'result': name}
        (tmp_path / f'{name}.json').write_text(json.dumps(content), encoding='utf-8')

    kinds = range(6)
    for kind in kinds:
        for number in range(8):
            write(f'thing_{kind}_{number}', [{'item': f'ore_{kind}_{number}'}], f'kind {kind}')
    write('whole', [{'tag': f'kind_{kind}'} for kind in kinds])
    world = TextCraftWorld()
    world.reset(str(tmp_path), 'depth_2:0', 0)
    tracemalloc.start()
    try:
        skills = world.candidate_skills()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sum(skill.startswith('craft 1 whole') for skill in skills) == 8
    # There are 8 to the power of 6.
    assert peak < 1_000_000


def test_the_expert_makes_whole_batches_and_progress_counts_them(shop: TextCraftWorld) -> None:
    assert shop.progress().met == 0
    assert shop.expert() == (
        'get 1 alder trunk',
        'craft 4 alder board using 1 alder trunk',
        'craft 4 peg using 2 alder board',
        'craft 1 sign using 2 alder board, 1 peg',
    )
    assert shop.progress().success
    assert shop.progress().conditions[-1] == '1 of 1 sign'


def test_a_reset_forgets_what_was_made_and_snapshots_keep_it(shop: TextCraftWorld) -> None:
    shop.step('get 3 alder trunk')
    kept = shop.snapshot()
    shop.step('craft 4 alder board using 1 alder trunk')
    assert shop.restore(kept).text.endswith('Inventory: [alder trunk] (3) ')
    shop.reset('', str(Path(shop.scene) / 'tasks.txt.json'), 0)
    assert shop.observe().text.endswith('You are not carrying anything.')
    with pytest.raises(ConfigurationError, match='no snapshot'):
        shop.restore('something')


@pytest.mark.parametrize(
    ('scene', 'task', 'says'),
    [
        ('nowhere', 'generated:1', 'no folder of recipes'),
        ('', 'depth_9:1', 'there is no task'),
        ('', 'nowhere.json', 'there is no task'),
    ],
)
def test_what_cannot_be_loaded_says_why_and_changes_nothing(
    shop: TextCraftWorld, scene: str, task: str, says: str
) -> None:
    before = shop.observe()
    with pytest.raises(ConfigurationError, match=says):
        shop.reset(scene, task, 0)
    assert shop.observe() == before


def test_a_task_whose_recipes_are_not_loaded_says_what_to_name(shop: TextCraftWorld) -> None:
    with pytest.raises(ConfigurationError, match='name the folder of recipes'):
        shop.reset(WORKSHOP, str(Path(shop.scene) / 'tasks.txt.json'), 0)


@pytest.mark.parametrize('family', FAMILIES.values())
def test_drawn_tasks_are_solved_as_deep_as_they_say_and_the_same_each_time(family: str) -> None:
    for seed in range(20):
        world = make_world('textcraft')
        first = world.reset('', f'{family}:{seed}', 0)
        again = make_world('textcraft').reset('', f'{family}:{seed}', 5)
        assert first == again
        assert 5 <= first.text.count('\n') <= 43
        world.expert()
        assert world.progress().success and world.observe().over


BOOK = RecipeBook(read_recipes(WORKSHOP))
NAMES = st.sampled_from([*sorted(BOOK.items), 'board', 'moon', ''])
AMOUNTS = st.integers(0, 12)
PARTS = st.lists(st.tuples(AMOUNTS, NAMES), max_size=3).map(
    lambda parts: ', '.join(f'{amount} {name}' for amount, name in parts)
)
KNOWN = st.sampled_from([recipe.command for recipe in BOOK.recipes])
COMMANDS = (
    st.builds('get {} {}'.format, AMOUNTS, NAMES)
    | st.builds('craft {} {} using {}'.format, AMOUNTS, NAMES, PARTS)
    | KNOWN
    | st.text(max_size=30)
)


@settings(max_examples=120, deadline=None)
@given(st.lists(COMMANDS, min_size=60, max_size=120), st.integers(0, 50))
def test_whatever_is_commanded_nothing_comes_from_nothing(commands: list[str], seed: int) -> None:
    world = TextCraftWorld()
    world.reset(WORKSHOP, f'generated:{seed}', 0)
    got: Counter[str] = Counter()
    for command in commands:
        before = _held(world)
        offered = world.admissible_skills()
        seen = world.step(command)
        after = _held(world)
        assert min(after.values(), default=0) >= 0
        if not seen.succeeded or command.startswith('inventory'):
            assert after == before
            assert command not in offered
        elif command.startswith('get'):
            got += after - before
            assert all(BOOK.depth(name) == 0 for name in after - before)
        else:
            gone, come = before - after, after - before
            assert len(come) == 1 and gone
        if seen.over:
            break


def _held(world: TextCraftWorld) -> Counter[str]:
    text = world.observe().text.rpartition('Inventory: ')[2]
    pairs = (part.split('] (') for part in text.strip(' ').strip('[)').split(') ['))
    return Counter({pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2})


@given(st.text(max_size=60))
def test_any_text_is_a_command_or_none(text: str) -> None:
    recipe = read_command(text)
    if recipe is not None:
        assert read_command(recipe.command) == Recipe(
            recipe.result, recipe.count, recipe.ingredients
        )


def test_the_published_tasks_are_solved_with_their_own_commands(shared_data: Path) -> None:
    folder = shared_data / 'textcraft'
    tasks = folder / 'adapt_tasks_100.json'
    world = TextCraftWorld()
    for seed in range(len(json.loads(tasks.read_text(encoding='utf-8')))):
        first = world.reset(str(folder / 'recipes_minecraft_1.16.5'), str(tasks), seed)
        skills = world.expert()
        assert world.progress().success
        shown = {
            read_command(line).result for line in first.text.splitlines() if ' using ' in line
        }
        crafted = {read_command(skill).result for skill in skills if skill.startswith('craft')}
        assert crafted <= shown


def test_the_published_recipes_are_as_many_and_as_deep_as_was_counted(shared_data: Path) -> None:
    book = RecipeBook(read_recipes(str(shared_data / 'textcraft/recipes_minecraft_1.16.5')))
    depths = Counter(book.depth(recipe.result) for recipe in book.recipes)
    goals = Counter(book.depth(item) for item in {recipe.result for recipe in book.recipes})
    assert len({recipe.result for recipe in book.recipes}) == 544
    assert (goals[2], goals[3], goals[4]) == (291, 117, 11)
    assert max(depths) == 4


def test_the_outline_is_the_tree_of_crafts_with_what_there_was() -> None:
    world = TextCraftWorld()
    world.reset('workshop', 'depth_2:3', 0)

    def told(outline: Outline) -> tuple[object, ...]:
        return (outline.name, outline.state, outline.met, *map(told, outline.parts))

    hemp = ('hemp', '0 of 2', False)
    assert told(world.outline()) == ('rope', '0 of 2', False, ('twine', '0 of 3', False, hemp))
    world.expert()
    hemp = ('hemp', '2 of 2', True)
    assert told(world.outline()) == ('rope', '2 of 2', True, ('twine', '3 of 3', True, hemp))
