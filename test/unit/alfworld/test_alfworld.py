"""ALFWorld: reading of games, texts, commands, goals, and games of our own."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Outcome
from sim_bridge.worlds.alfworld import AlfworldWorld
from sim_bridge.worlds.alfworld.engine import BuiltinEngine, NOTHING
from sim_bridge.worlds.alfworld.game import game_of, read_game
from sim_bridge.worlds.alfworld.generator import FAMILIES, generated_game
from sim_bridge.worlds.alfworld.state import Layout
from sim_bridge.worlds.alfworld.tasks import games_of
from support import alfworld_room

PROBLEM = """
; a made-up kitchen
(define (problem tiny) (:domain alfred)
(:objects agent1 - agent
  Egg_bar_02 - object Egg_bar_01 - object Knife_bar_01 - object Mug_bar_01 - object
  DeskLamp_bar_01 - object
  Fridge_bar_01 - receptacle Microwave_bar_01 - receptacle Table_bar_01 - receptacle
  Sink_bar_01_bar_SinkBasin - receptacle Shelf_bar_01 - receptacle
  start here there oven - location)
(:init (atLocation agent1 start)
  (receptacleType Fridge_bar_01 FridgeType) (receptacleAtLocation Fridge_bar_01 here)
  (receptacleType Table_bar_01 TableType) (receptacleAtLocation Table_bar_01 there)
  (receptacleType Shelf_bar_01 ShelfType) (receptacleAtLocation Shelf_bar_01 there)
  (receptacleType Sink_bar_01_bar_SinkBasin SinkBasinType)
  (receptacleAtLocation Sink_bar_01_bar_SinkBasin there)
  (receptacleType Microwave_bar_01 MicrowaveType) (receptacleAtLocation Microwave_bar_01 oven)
  (openable Fridge_bar_01) (openable Microwave_bar_01)
  (canContain TableType EggType) (canContain FridgeType EggType) (canContain TableType KnifeType)
  (canContain ShelfType MugType)
  (objectType Egg_bar_01 EggType) (inReceptacle Egg_bar_01 Fridge_bar_01)
  (objectType Egg_bar_02 EggType) (inReceptacle Egg_bar_02 Table_bar_01)
  (objectType Knife_bar_01 KnifeType) (inReceptacle Knife_bar_01 Table_bar_01)
  (objectType Mug_bar_01 MugType) (inReceptacle Mug_bar_01 Table_bar_01)
  (objectType DeskLamp_bar_01 DeskLampType) (inReceptacle DeskLamp_bar_01 Shelf_bar_01)
  (objectAtLocation Egg_bar_02 there) (objectAtLocation Egg_bar_01 here)
  (pickupable Mug_bar_01) (canContain TableType MugType) (canContain SinkBasinType MugType)
  (pickupable Egg_bar_01) (pickupable Egg_bar_02) (pickupable Knife_bar_01)
  (cleanable Egg_bar_01) (heatable Egg_bar_01) (coolable Egg_bar_01) (sliceable Egg_bar_02)
  (cleanable Egg_bar_02) (heatable Egg_bar_02) (coolable Egg_bar_02)
  (toggleable DeskLamp_bar_01) (isReceptacleObject Mug_bar_01))
(:goal (and (exists (?r - receptacle) (exists (?o - object) (and
  (heatable ?o) (objectType ?o EggType) (receptacleType ?r TableType)
  (isHot ?o) (inReceptacle ?o ?r))))))
)
"""
FIRST = (
    '-= Welcome to TextWorld, ALFRED! =-\n\n'
    'You are in the middle of a room. Looking quickly around you, you see a fridge 1, '
    'a microwave 1, a shelf 1, a sinkbasin 1, and a table 1.\n\n'
    'Your task is to: put a hot egg in table.'
)
#: What is commanded, and the reply.
PLAY = [
    ('look', 'You are in the middle of a room. Looking quickly around you, you see nothing.'),
    ('inventory', 'You are not carrying anything.'),
    ('open fridge 1', NOTHING),
    ('go to fridge 1', 'You arrive at fridge 1. The fridge 1 is closed.'),
    ('go to fridge 1', NOTHING),
    ('take egg 2 from fridge 1', NOTHING),
    (
        'open fridge 1',
        'You open the fridge 1. The fridge 1 is open. In it, you see a egg 2.',
    ),
    ('examine fridge 1', 'The fridge 1 is open. In it, you see a egg 2.'),
    ('examine egg 2', NOTHING),
    ('take egg 2 from fridge 1', 'You pick up the egg 2 from the fridge 1.'),
    ('examine egg 2', "There's nothing special about egg 2."),
    ('cool egg 2 with fridge 1', 'You cool the egg 2 using the fridge 1.'),
    ('examine egg 2', 'This is a cold egg 2.'),
    ('close fridge 1', 'You close the fridge 1.'),
    ('move egg 2 to fridge 1', NOTHING),
    (
        'go to table 1',
        'You arrive at table 1. On the table 1, you see a egg 1, a knife 1, and a mug 1.',
    ),
    ('take egg 1 from table 1', NOTHING),
    ('go to shelf 1', NOTHING),
    ('use desklamp 1', 'You turn on the desklamp 1.'),
    (
        'look',
        'You are facing the shelf 1, sinkbasin 1, and table 1. Next to it, you see nothing.',
    ),
    ('clean egg 2 with sinkbasin 1', 'You clean the egg 2 using the sinkbasin 1.'),
    ('examine egg 2', 'This is a cool and clean egg 2.'),
    ('move egg 2 to table 1', 'You move the egg 2 to the table 1.'),
    ('take knife 1 from table 1', 'You pick up the knife 1 from the table 1.'),
    ('slice egg 1 with knife 1', 'You sliced the egg 1 with the knife 1.'),
    ('inventory', 'You are carrying: a knife 1.'),
    ('move knife 1 to table 1', 'You move the knife 1 to the table 1.'),
    ('take egg 1 from table 1', 'You pick up the egg 1 from the table 1.'),
    ('examine egg 1', 'This is a sliced egg 1.'),
    ('go to microwave 1', 'You arrive at microwave 1. The microwave 1 is closed.'),
    ('heat egg 1 with microwave 1', 'You heat the egg 1 using the microwave 1.'),
    ('examine egg 1', 'This is a hot sliced egg 1.'),
    ('Go to table 1', NOTHING),
]


def tiny() -> BuiltinEngine:
    return BuiltinEngine(Layout(game_of(PROBLEM, 'put a hot egg in table.', 'tiny')))


def write_game(folder: Path, problem: str = PROBLEM, task: str = 'put a hot egg in table') -> Path:
    grammar = '{"task": [{"rhs": "Your task is to: ' + task + '."}]}'
    content = {'pddl_domain': '', 'grammar': grammar, 'pddl_problem': problem}
    path = folder / 'game.tw-pddl'
    path.write_text(json.dumps(content), encoding='utf-8')
    return path


def test_texts_commands_and_the_end_are_the_published_ones() -> None:
    engine = tiny()
    assert engine.first_text == FIRST
    for command, reply in PLAY:
        assert engine.do(command) == reply, command
    engine.do('go to table 1')
    assert not engine.won
    assert engine.do('move egg 1 to table 1') == 'You move the egg 1 to the table 1.'
    assert engine.won


def test_what_is_moved_from_here_to_here_is_seen_beside() -> None:
    engine, beside = tiny(), []
    engine.do('go to table 1')
    for start, end in (('table', 'shelf'), ('shelf', 'sinkbasin'), ('sinkbasin', 'shelf')):
        for command in (f'take mug 1 from {start} 1', f'move mug 1 to {end} 1'):
            assert engine.do(command) != NOTHING
            beside.append(engine.do('look').partition('you see ')[2])
    twice = 'a mug 1, and a mug 1.'
    assert beside == ['nothing.', 'a mug 1.', 'nothing.', twice, 'nothing.', twice]


def test_the_world_tells_facts_outcomes_and_progress(tmp_path: Path) -> None:
    world = AlfworldWorld()
    assert world.reset('', str(write_game(tmp_path)), 0).text == FIRST
    assert (world.task().instruction, world.task().task_type) == ('put a hot egg in table', 'heat')
    assert 'look' not in world.admissible_skills() and 'look' in world.candidate_skills()
    world.step('go to fridge 1')
    seen = world.step('open fridge 1')
    assert (seen.place, seen.looked_at) == ('fridge 1', ('fridge 1',))
    assert {(fact.name, fact.receptacle, fact.state) for fact in seen.facts} == {
        ('fridge 1', '', 'open'),
        ('egg 2', 'fridge 1', ''),
    }
    assert world.step('take mug 1 from fridge 1').outcome is Outcome.PRECONDITION_FAILED
    assert world.step('take the mug').outcome is Outcome.INVALID_SKILL
    assert world.step('take egg 2 from fridge 1').held == ('egg 2',)
    assert world.step('go to microwave 1').looked_at == ()
    # As the package does, blanks around a command are passed over.
    assert world.step(' look ').text == world.step('look').text != NOTHING
    assert world.step('heat egg 2 with microwave 1').facts[0].state == 'hot'
    assert world.progress().conditions == (
        'met: a egg is hot',
        'not met: a egg is in or on a table',
    )
    assert world.observe().text.endswith(
        'You are at microwave 1. The microwave 1 is closed. You are carrying: a egg 2.'
    )
    kept = world.snapshot()
    world.step('go to table 1')
    seen = world.step('move egg 2 to table 1')
    assert seen.over and world.progress().success and not world.admissible_skills()
    assert world.step('look').outcome is Outcome.PRECONDITION_FAILED
    assert not world.restore(kept).over and world.progress().met == 1
    assert world.observe().place == 'microwave 1'


def test_of_several_receptacles_at_a_place_the_one_that_is_named_is_looked_at(
    tmp_path: Path,
) -> None:
    world = AlfworldWorld()
    drawer = PROBLEM.replace(
        '(openable Fridge_bar_01)', '(openable Fridge_bar_01) (openable Shelf_bar_01)'
    )
    world.reset('', str(write_game(tmp_path, drawer)), 0)
    assert world.step('go to shelf 1').looked_at == ()
    assert world.step('examine table 1').looked_at == ('table 1',)
    assert world.step('examine shelf 1').looked_at == ()
    assert world.step('take mug 1 from table 1').looked_at == ()
    assert world.step('examine mug 1').looked_at == ()
    assert world.step('open shelf 1').looked_at == ('shelf 1',)
    world.step('go to fridge 1')
    world.step('go to table 1')
    world.step('close shelf 1')
    seen = world.step('open shelf 1')
    assert (seen.place, seen.looked_at) == ('table 1', ('shelf 1',))


@pytest.mark.parametrize('family', FAMILIES)
def test_games_of_our_own_are_solved_and_the_same_each_time(family: str) -> None:
    for seed in range(40):
        world = AlfworldWorld()
        first = world.reset('', f'{family}:{seed}', 0)
        assert first == AlfworldWorld().reset('', f'{family}:{seed}', 9)
        assert world.task().task_type == family
        assert not world.progress().success
        assert world.expert()
        assert world.progress().success and world.observe().over


def test_vocabulary_names_kinds_and_no_instances() -> None:
    world = AlfworldWorld()
    world.reset('', 'heat:3', 0)
    vocabulary = world.vocabulary()
    assert {'fridge', 'microwave', 'sinkbasin'} <= set(vocabulary.place_classes)
    assert {'egg', 'mug'} <= set(vocabulary.object_classes)
    assert not set(vocabulary.place_classes) & set(vocabulary.object_classes)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 500), st.integers(0, 2**32), st.lists(st.text(max_size=20), max_size=5))
def test_offered_commands_are_done_others_change_nothing_and_nothing_is_lost(
    seed: int, moves: int, noise: list[str]
) -> None:
    engine = BuiltinEngine(Layout(generated_game('generated', seed)))
    random = Random(moves)
    things = _things(engine)
    for _ in range(60):
        commands = engine.commands()
        command = random.choice(commands)
        assert engine.do(command) != NOTHING
        assert _things(engine) == things
        before, offered = engine.state.copy(), engine.commands()
        for text in (*noise, f'{command} twice', 'take sun 1 from sky 1'):
            if text not in offered:
                assert engine.do(text) == NOTHING
        assert engine.state == before


def _things(engine: BuiltinEngine) -> Counter[str]:
    """Where each thing is counts; held ones too."""
    found = Counter(thing for things in engine.state.inside.values() for thing in things)
    return found + Counter([engine.state.held] if engine.state.held else [])


@pytest.mark.parametrize(
    ('problem', 'says'),
    [
        ('(define', 'brackets'),
        ('', 'brackets'),
        ('())', 'brackets'),
        (PROBLEM.replace(':init', ':start'), "it has no ':init'"),
        (PROBLEM.replace('Fridge_bar_01 here', 'here'), 'must have 2'),
        (PROBLEM.replace('(isHot ?o)', '(isHot)'), 'must have 1'),
        (PROBLEM.replace('?r TableType', '?r MoonType'), 'asks for is not there'),
        (PROBLEM.replace('(objectType Mug_bar_01 MugType)', ''), 'mug_bar_01 lies somewhere'),
        (PROBLEM.replace('(isHot ?o)', '(or (isHot ?o) (isCool ?o))'), "goal has 'or'"),
    ],
)
def test_a_broken_game_says_why(tmp_path: Path, problem: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        AlfworldWorld().reset('', str(write_game(tmp_path, problem)), 0)


@pytest.mark.parametrize('task', ['dust:3', 'nowhere/game.tw-pddl', '.'])
def test_a_game_that_is_not_there_says_what_to_write(tmp_path: Path, task: str) -> None:
    with pytest.raises(ConfigurationError, match='there is no game'):
        AlfworldWorld().reset('', str(tmp_path / task) if task == '.' else task, 0)


def test_the_packages_are_asked_for_in_a_sentence_where_they_are_missing(tmp_path: Path) -> None:
    try:
        import textworld  # noqa: F401
    except ImportError:
        world = AlfworldWorld(engine='textworld')
        with pytest.raises(ConfigurationError, match=r'requirements/alfworld\.txt'):
            world.reset('', str(write_game(tmp_path)), 0)
    with pytest.raises(ConfigurationError, match='builtin or textworld'):
        AlfworldWorld(engine='unity')
    with pytest.raises(ConfigurationError, match='published games'):
        AlfworldWorld(engine='textworld').reset('', 'heat:3', 0)


def test_a_folder_of_games_is_chosen_from_by_name_and_by_number(tmp_path: Path) -> None:
    for name in ('egg', 'mug'):
        (tmp_path / name / 'trial_1').mkdir(parents=True)
        write_game(tmp_path / name / 'trial_1')
    world = AlfworldWorld()
    world.reset('', f'{tmp_path}#mug', 0)
    assert world.task().task_id == 'mug/trial_1'
    world.reset('', str(tmp_path), 2)
    assert world.task().task_id == 'egg/trial_1'
    assert [task.task_id for task in world.tasks_of_file(tmp_path)] == [
        'egg/trial_1',
        'mug/trial_1',
    ]


@pytest.mark.parametrize('kind', ['', 'clean', 'heat', 'look'])
@pytest.mark.parametrize('nowhere', ['inReceptacle', 'receptacleAtLocation'])
def test_the_expert_takes_what_can_be_got_at(tmp_path: Path, kind: str, nowhere: str) -> None:
    """Of two mugs the first by its id lies nowhere, or in what stands at no place."""
    path = alfworld_room.write_game(
        tmp_path, kind=kind, thing='Mug', place='DeskLamp' if kind == 'look' else 'Shelf'
    )
    game = json.loads(path.read_text())
    lost = 'Mug_bar_0', 'Cabinet_bar_0'
    facts = {
        'inReceptacle': '',
        'receptacleAtLocation': f'(receptacleType {lost[1]} CabinetType) '
        f'(inReceptacle {lost[0]} {lost[1]})',
    }[nowhere]
    able = '(pickupable {0}) (cleanable {0}) (heatable {0})'.format(lost[0])
    game['pddl_problem'] = (
        game['pddl_problem']
        .replace('(:objects ', f'(:objects {lost[0]} - object {lost[1]} - receptacle ')
        .replace('(:init ', f'(:init (objectType {lost[0]} MugType) {able} {facts} ')
    )
    path.write_text(json.dumps(game))
    world = AlfworldWorld()
    world.reset('', str(path), 0)
    assert 'mug 1' in ' '.join(world.expert())
    assert world.progress().success


def test_the_expert_solves_every_published_game(shared_data: Path) -> None:
    files = games_of(shared_data / 'alfworld_valid_unseen_134')
    assert files
    families = Counter()
    for file in files:
        world = AlfworldWorld()
        world.reset('', str(file), 0)
        families[world.task().task_type] += 1
        assert len(world.expert()) <= 20
        assert world.progress().success, read_game(file).name
    assert set(families) == set(FAMILIES)
