"""ProcWorld behind the bridge: observations, facts, limits, snapshots, and what it refuses."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import ObjectFact, Outcome
from reactree_core.skill_checks import faults_of
from reactree_core.skill_types import class_and_number
from reactree_core.world import DisplacingWorld, ExpertWorld, GraphWorld, SnapshotWorld, TaskWorld
from reactree_tools.bench.task_sources import tasks_of
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.procworld import expert, ProcWorldWorld
from sim_bridge.worlds.procworld.goals import TYPES
from sim_bridge.worlds.procworld.house import Thing
from sim_bridge.worlds.procworld.house_file import write_house
from sim_bridge.worlds.procworld.skills import skill_types
from sim_bridge.worlds.registry import make_world
from support.procworld_house import rollout_house

SETTINGS = ({'reach': 'inf'}, {'reach': 3}, {'reach': 1.5, 'map': False}, {'reach': 1.5})
_ON = re.compile(r'On the (\w+ \d+), you see (.*?)\.')
_IN = re.compile(r'(?:The (\w+ \d+) is open|This is a normal (\w+ \d+))\. In it, you see (.*?)\.')
_CLOSED = re.compile(r'The (\w+ \d+) is closed\.')
_NAMED = re.compile(r'a (\w+ \d+)')


@pytest.fixture(scope='module')
def house_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp('houses') / 'published.json'
    file.write_text(write_house(rollout_house()), encoding='utf-8')
    return file


def in_the_house(file: Path, task: str = 'pick_and_place_simple:0', **options) -> ProcWorldWorld:
    world = ProcWorldWorld(**options)
    world.reset(str(file), task, 0)
    return world


def test_it_can_what_worlds_can() -> None:
    world = make_world('procworld,reach=3.0,map=false')
    for port in (TaskWorld, ExpertWorld, GraphWorld, SnapshotWorld, DisplacingWorld):
        assert isinstance(world, port)
    assert world.task_families() == TYPES
    assert [fault for skill in skill_types() for fault in faults_of(skill)] == []


def test_a_task_is_told_with_the_first_view(house_file: Path) -> None:
    world = ProcWorldWorld()
    first = world.reset(str(house_file), 'pick_and_place_simple:0', 0)
    view, _, task = first.text.partition('\n')
    assert view.startswith('You arrive at loc 26 at [2.25, 4.5] in bedroom 1. Looking around, ')
    assert task == f'Your task is to: {world.task().instruction}.'
    assert world.observe().text == view
    assert (first.place, first.room, first.held) == ('loc 26', 'bedroom 1', ())
    assert [fact.name for fact in first.facts] == ['box 1']
    assert world.vocabulary().rooms == ('bedroom 1',)
    assert (world.task().notes, world.task().difficulty) == ((), 'easy')
    sentence = world.reset(str(house_file), 'tidy up', 0)
    assert sentence.text.endswith('Your task is to: tidy up.') and world.progress() is None
    assert world.task() is None
    with pytest.raises(ConfigurationError, match='no task with a goal'):
        world.expert()


def test_what_is_faced_is_place_fact_and_looked_at(house_file: Path) -> None:
    world = in_the_house(house_file, reach='inf')
    seen = world.step('go to dresser 1')
    assert (seen.place, seen.room) == ('dresser 1', 'bedroom 1')
    assert seen.looked_at == ('dresser 1',)
    facts = {fact.name: fact for fact in seen.facts}
    assert facts['watch 1'].receptacle == 'dresser 1' and facts['drawer 1'].state == 'closed'
    assert facts['drawer 1'].receptacle == 'dresser 1' and facts['drawer 1'].room == 'bedroom 1'
    opened = world.step('open drawer 1')
    assert opened.looked_at == ('drawer 1',) and opened.place == 'dresser 1'
    taken = world.step('take watch 1 from dresser 1')
    assert taken.held == ('watch 1',) and taken.looked_at == ()
    assert [fact.receptacle for fact in taken.facts if fact.name == 'watch 1'] == ['agent 1']
    assert world.observe().text.endswith('You are carrying: a watch 1.')
    put = world.step('put watch 1 in/on drawer 1')
    assert [f.receptacle for f in put.facts if f.name == 'watch 1'] == ['drawer 1']


def test_what_cannot_be_done_says_which_sort_of_mistake_it_is(house_file: Path) -> None:
    world = in_the_house(house_file)
    before = world.observe()
    for skill, outcome in (
        ('go to bed 1', Outcome.PRECONDITION_FAILED),
        ('go to loc 24 at [2.0, 8.25]', Outcome.PRECONDITION_FAILED),
        ('go through door 2 to next room', Outcome.PRECONDITION_FAILED),
        ('take pencil 1 from box 1', Outcome.PRECONDITION_FAILED),
        ('sing', Outcome.INVALID_SKILL),
        ('go to the moon', Outcome.INVALID_SKILL),
        ('', Outcome.INVALID_SKILL),
    ):
        seen = world.step(skill)
        assert (seen.text, seen.outcome, seen.facts) == ('Nothing happens.', outcome, ())
    after = world.observe()
    assert after.admissible_skills == before.admissible_skills and after.place == before.place


def test_an_episode_ends_when_the_goal_is_met_or_the_steps_are_done(house_file: Path) -> None:
    world = in_the_house(house_file, step_limit=3)
    for number in range(3):
        seen = world.step('look')
        assert seen.over == (number == 2)
    assert world.step('look').text == 'Nothing happens.' and world.admissible_skills() == ()
    endless = in_the_house(house_file, step_limit=0)
    assert not any(endless.step('look').over for _ in range(60))
    endless.expert()
    assert endless.progress().success and endless.observe().over


def test_classes_that_only_the_house_has_are_known(tmp_path: Path) -> None:
    piano = Thing('piano 1', 'piano', 'bedroom 1', (9.0, 9.0), fixed=True)
    file = tmp_path / 'piano.json'
    file.write_text(write_house(rollout_house(piano)), encoding='utf-8')
    for options in SETTINGS:
        world = in_the_house(file, 'tidy up', **options)
        assert 'piano' in world.vocabulary().place_classes
        for skill in ('open piano 1', 'take mug 1 from piano 1'):
            assert world.step(skill).outcome is Outcome.PRECONDITION_FAILED, skill
        assert world.step('open harp 1').outcome is Outcome.INVALID_SKILL


def test_the_nearest_skill_is_done_where_that_is_wanted(house_file: Path) -> None:
    world = in_the_house(house_file, nearest='bleu')
    seen = world.step('go to box')
    assert seen.text.startswith('You are facing box 1') and seen.skill == 'go to box'
    assert world.step('whistle').outcome is Outcome.INVALID_SKILL


def test_a_task_beyond_the_limit_is_marked_with_settings_where_it_is_not(monkeypatch) -> None:
    monkeypatch.setattr(expert, 'STEPS', 9)
    world = ProcWorldWorld()
    world.reset('', 'procworld:3/pick_and_place_simple/0', 0)
    assert world.task().notes == ()
    monkeypatch.setattr(expert, 'STEPS', len(world.expert()) - 1)
    world.reset('', 'procworld:3/pick_and_place_simple/0', 0)
    (note,) = world.task().notes
    assert 'known in this setting; there is one with reach inf; reach 3 m' in note


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 400), st.sampled_from(SETTINGS), st.integers(0, 2**32))
def test_random_play_never_fails_and_facts_agree_with_texts(number, options, seed) -> None:
    world, random = ProcWorldWorld(step_limit=0, **options), Random(seed)
    observation = world.reset('', f'generated:{number}', 0)
    locations = len(world.engine.layout.house.locations)
    for _ in range(60):
        if observation.over:
            break
        assert observation.admissible_skills == tuple(sorted(set(observation.admissible_skills)))
        skill = random.choice(observation.admissible_skills)
        observation = world.step(skill)
        assert observation.outcome is Outcome.SUCCEEDED and observation.text, skill
        assert len(observation.held) <= 1
        check_facts(observation)
        assert world.observe().text == world.observe().text
        assert 'loc ' not in observation.text or locations
        progress = world.progress()
        assert 0 <= progress.met <= progress.total and progress.success == observation.over
        wrong = random.choice(('take', 'go to fridge 99', f'{skill} now'))
        assert world.step(wrong).text == 'Nothing happens.'


def check_facts(observation) -> None:
    facts = {fact.name: fact for fact in observation.facts}
    told = [(name, things) for name, things in _ON.findall(observation.text)]
    told += [(one or other, things) for one, other, things in _IN.findall(observation.text)]
    for name, things in told:
        for thing in _NAMED.findall(things):
            assert facts[thing].receptacle == name, observation.text
            assert facts[thing].room == facts[name].room
    for name in _CLOSED.findall(observation.text):
        assert 'closed' in facts[name].state.split(', ')
    for name in observation.looked_at:
        # Of a location, and a door that was gone through, no state is told.
        assert name not in facts or 'closed' not in facts[name].state.split(', ')


def test_a_search_can_follow_locations_and_doors() -> None:
    world = ProcWorldWorld(reach=1.5)
    observation = world.reset('', 'validation:60', 0)
    assert observation.looked_at == (observation.place,)
    locations = [skill for skill in observation.admissible_skills if skill.startswith('go to loc')]
    while not (doors := _through(observation)):
        observation = world.step(locations.pop())
        assert observation.looked_at == (observation.place,)
    door = ObjectFact(*class_and_number(doors[0]), observation.room, observation.place)
    assert door in observation.facts
    beyond = world.step(f'go through {door.name} to next room')
    assert beyond.looked_at == (door.name, beyond.place) and beyond.room != door.room
    assert 'door' in world.vocabulary().place_classes


def _through(observation) -> list[str]:
    begin, end = 'go through ', ' to next room'
    skills = (skill for skill in observation.admissible_skills if skill.startswith(begin))
    return [skill.removeprefix(begin).removesuffix(end) for skill in skills]


def test_snapshots_bring_back_all_of_it(house_file: Path) -> None:
    world = in_the_house(house_file, step_limit=20)
    world.step('go to box 1')
    world.step('take pencil 1 from box 1')
    kept, seen = world.snapshot(), world.observe()
    for skill in ('put pencil 1 in/on box 1', 'take box 1 from floor', 'look'):
        assert world.step(skill).succeeded
    assert world.restore(kept) == seen and world.restore(kept) == seen
    assert world.step('put pencil 1 in/on box 1').succeeded
    assert world.restore(kept) == seen
    with pytest.raises(ConfigurationError, match='no snapshot'):
        world.restore('something')


def test_things_can_be_put_elsewhere_by_others(house_file: Path) -> None:
    world = in_the_house(house_file, reach='inf')
    world.step('go to sidetable 1')
    assert world.displace('pencil 3', Random(1))
    assert 'pencil 3' not in world.step('look').text
    state = world.engine.state
    assert state.container_of('pencil 3') not in ('sidetable 1', '')
    assert not world.displace('sidetable 1', Random(1)) and not world.displace('egg 7', Random(1))
    assert world.displace('box 1', Random(1)) and world.step('go to box 1').text.startswith('Noth')


def test_the_graph_is_one_that_views_can_read(house_file: Path) -> None:
    world = in_the_house(house_file)
    world.step('go to box 1')
    world.step('take pencil 1 from box 1')
    graph = world.graph()
    read = SceneGraph(graph)
    assert read is not None
    names = {node['id']: node['class_name'] for node in graph['nodes']}
    told = {
        (names[edge['from_id']], edge['relation_type'], names[edge['to_id']])
        for edge in graph['edges']
    }
    assert {('character', 'HOLDS_RH', 'pencil'), ('character', 'CLOSE', 'box'),
            ('chair', 'ON', 'diningtable'), ('drawer', 'ON', 'dresser'),
            ('character', 'INSIDE', 'bedroom')} <= told  # fmt: skip


@pytest.mark.parametrize(
    ('options', 'words'),
    [
        ({'reach': 0.5}, 'over 0.5'),
        ({'reach': 'far'}, 'or inf'),
        ({'reach': True}, 'or inf'),
        ({'reach': 'nan'}, 'or inf'),
        ({'reach': [3]}, 'or inf'),
        ({'reach': '0.5'}, 'over 0.5'),
        ({'map': 1}, 'map must be true or false'),
        ({'in_hand': 'no'}, 'in_hand must be'),
        ({'nearest': 'word'}, 'off or bleu'),
        ({'step_limit': -1}, 'step_limit must be'),
    ],
)
def test_options_out_of_range_are_refused_in_a_sentence(options, words) -> None:
    with pytest.raises(ConfigurationError, match=words):
        ProcWorldWorld(**options)


def test_a_reach_may_be_a_text() -> None:
    told, meant = ProcWorldWorld(reach='1.5'), ProcWorldWorld(reach=1.5)
    assert told.reset('generated:6', '', 0) == meant.reset('generated:6', '', 0)


def test_an_expert_that_needs_more_than_is_left_does_nothing() -> None:
    world = ProcWorldWorld(step_limit=20)
    world.reset('', 'procworld:8/pick_and_place_simple/3', 0)
    kept = world.snapshot()
    needed = len(world.expert())
    assert world.progress().success and needed > 1
    world.restore(kept)
    for _ in range(20 - needed + 1):
        world.step('look')
    with pytest.raises(SkillError, match=f'needs {needed} skills, and {needed - 1} are left'):
        world.expert()
    assert world.engine.state.place == world.observe().place and not world.progress().success
    world.step('look')
    with pytest.raises(SkillError, match=f'and {needed - 2} are left'):
        world.expert()


def test_what_cannot_be_loaded_leaves_the_world_as_it_was(house_file: Path, tmp_path) -> None:
    world = in_the_house(house_file)
    before = world.observe()
    broken = tmp_path / 'broken.json'
    broken.write_text('{"format": 1}', encoding='utf-8')
    for scene, task in (
        ('nowhere', ''), (str(broken), ''), ('', 'pick_nose:3'), ('', str(broken)),
        ('', 'generated:x'), ('', 'generated:-1'), ('procworld:abc', ''),
        ('generated:7', 'validation:0'), (str(house_file), 'pick_heat_then_place_in_recep:0'),
    ):  # fmt: skip
        with pytest.raises(ConfigurationError):
            world.reset(scene, task, 0)
    assert world.observe() == before and world.scene == str(house_file)
    with pytest.raises(ConfigurationError, match='reset the world first'):
        ProcWorldWorld().observe()


def test_studies_name_their_tasks(house_file: Path) -> None:
    chosen = tasks_of('procworld,reach=1.5,map=true:validation[0:20]')
    assert len(chosen) == 20 and chosen[19].task == 'validation:19'
    assert len(tasks_of('procworld:validation')) == 3600
    assert tasks_of('procworld:8/pick_and_place_simple/3')[0].task == '8/pick_and_place_simple/3'
    file = tasks_of(f'procworld:{house_file}')
    world = ProcWorldWorld()
    listed = world.tasks_of_file(house_file)
    assert len(file) == len(listed) == 72
    world.reset(file[5].scene, file[5].task, file[5].seed)
    assert world.task().task_id == listed[5].task_id


def told_with_other_hashes(program: str) -> set[str]:
    """What a program prints in two processes that order their sets differently."""
    return {
        subprocess.run(
            [sys.executable, '-c', program],
            env={
                **os.environ,
                'PYTHONHASHSEED': str(seed),
                'PYTHONPATH': os.pathsep.join(sys.path),
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout
        for seed in (1, 2)
    }


def test_other_processes_play_the_same() -> None:
    program = (
        'from random import Random\n'
        'from sim_bridge.worlds.procworld import ProcWorldWorld\n'
        'from sim_bridge.worlds.procworld.tasks import digest, validation_tasks\n'
        'world, random = ProcWorldWorld(), Random(3)\n'
        "seen = world.reset('', 'generated:7', 0)\n"
        'for _ in range(40):\n'
        '    print(seen.text, seen.admissible_skills, seen.facts, seen.looked_at)\n'
        '    seen = world.step(random.choice(seen.admissible_skills))\n'
        "world.reset('', 'generated:8', 0)\n"
        'print(world.expert(), digest(validation_tasks([8])))\n'
    )
    told = told_with_other_hashes(program)
    assert len(told) == 1 and next(iter(told))


def test_other_processes_demonstrate_the_same() -> None:
    program = (
        'from itertools import islice\n'
        'from sim_bridge.worlds.procworld.engine import Engine, Rules\n'
        'from sim_bridge.worlds.procworld.expert import SETTINGS, solve\n'
        'from sim_bridge.worlds.procworld.exploring import explore\n'
        'from sim_bridge.worlds.procworld.layout import Layout\n'
        'from sim_bridge.worlds.procworld.tasks import validation_tasks\n'
        'for pool, task in islice(validation_tasks([4, 8, 12, 31]), 0, None, 14):\n'
        '    for reach, has_map in SETTINGS:\n'
        '        engine = Engine(Layout(pool.house, reach), Rules(has_map), task.start)\n'
        '        for expert in (solve, explore):\n'
        '            print(task.task_id, [one.skill for one in expert(engine, task.goal)])\n'
    )
    (told,) = told_with_other_hashes(program)
    assert len(told.splitlines()) == 21 * 5 * 2
