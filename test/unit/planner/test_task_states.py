"""In which state StateFlow's machine is: in a made-up warehouse, and in a house of ProcWorld."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import pytest
from hypothesis import given, strategies

from reactree_core.domain import load_domain
from reactree_core.observation import Observation, Vocabulary
from reactree_core.record.run_settings import Limits
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.task_states import Machine, State
from reactree_planner.prompting.chat_prompt import states_of
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.run_belief import RunBelief
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.procworld.goals import TYPES
from sim_bridge.worlds.registry import make_world

WAREHOUSE = Vocabulary(
    object_classes=('crate', 'scanner', 'label', 'tray', 'blade'),
    place_classes=('rack', 'dock'),
    skill_types=(
        SkillType('go to <place>', ('place',), SkillKind.MOVE),
        SkillType('lift <thing>', ('thing',), SkillKind.TAKE),
        SkillType('lower <thing> to <place>', ('thing', 'name'), SkillKind.PUT),
        SkillType(
            'seal <thing>',
            ('thing',),
            SkillKind.CHANGE,
            effects=('<thing> is sealed',),
            other_words=('tape',),
        ),
        SkillType(
            'cut <thing> with <blade>',
            ('thing', 'thing'),
            SkillKind.CHANGE,
            effects=('<thing> is cut',),
        ),
        SkillType('start <thing>', ('thing',), SkillKind.SWITCH_ON),
    ),
)


def situation_of(goal, vocabulary=WAREHOUSE):
    return NodeSituation(goal, (), RunBelief(vocabulary))


@pytest.mark.parametrize(
    ('goal', 'things', 'tool'),
    [
        ('bring a crate to the dock', [('crate', 1, [], 'dock')], ''),
        ('put two crates on the rack', [('crate', 2, [], 'rack')], ''),
        ('seal a crate and put it on the rack', [('crate', 1, ['sealed'], 'rack')], ''),
        ('put a sealed crate on the rack', [('crate', 1, ['sealed'], 'rack')], ''),
        ('put a taped crate on the rack', [('crate', 1, ['sealed'], 'rack')], ''),
        ('put two sealed crates on the rack', [('crate', 2, ['sealed'], 'rack')], ''),
        (
            'put a crate on the rack and a sealed crate on the dock',
            [('crate', 1, [], 'rack'), ('crate', 1, ['sealed'], 'dock')],
            '',
        ),
        (
            'put the tray on the rack and a sealed label in the tray',
            [('label', 1, ['sealed'], 'tray'), ('tray', 1, [], 'rack')],
            '',
        ),
        ('check the crate under the scanner', [('crate', 1, [], '')], 'scanner'),
        ('seal the crate', [('crate', 1, ['sealed'], '')], ''),
        ('walk around', [], ''),
    ],
)
def test_what_a_task_needs_is_read_from_its_conditions(goal, things, tool):
    needs = Machine(situation_of(goal)).needs
    assert needs.tool == tool
    assert [
        (need.thing, need.count, [one.state for one in need.changes], need.place)
        for need in needs.things
    ] == things


def test_where_no_skill_takes_things_all_is_work():
    shop = Vocabulary(('craft <items>', 'get <number> <item>'), ('plank',))
    assert Machine(situation_of('craft a plank', shop)).stage().state is State.WORK


def test_a_tool_that_was_seen_is_known_when_the_robot_has_gone_on():
    situation = situation_of('check the crate under the scanner')
    machine = Machine(situation)
    stages = []
    for skill, offered in (('lift crate 1', ()), ('go to dock 1', ('start scanner 1',))):
        situation.belief.update(Observation('Done.', skill=skill, admissible_skills=offered))
        situation.record(skill)
        stages.append(machine.stage().state)
    situation.belief.update(Observation('Done.', skill='go to rack 1'))
    assert [*stages, machine.stage().state] == [State.FIND_TOOL, State.USE_TOOL, State.USE_TOOL]


def after(goal, *skills):
    """Stages of a task after each skill, of a server that tells nothing but that it was done."""
    situation = situation_of(goal)
    machine = Machine(situation)
    stages = [machine.stage()]
    for skill in skills:
        situation.belief.update(Observation('Done.', skill=skill))
        situation.record(skill)
        stages.append(machine.stage())
    return stages


@pytest.mark.parametrize(
    ('goal', 'skills', 'told'),
    [
        # What was changed before it was taken is the thing to take.
        (
            'put a sealed crate on the rack',
            ('seal crate 2', 'lift crate 2', 'lower crate 2 to rack 1'),
            ['Pick crate', 'Pick crate 2', 'Put crate 2 rack', 'End'],
        ),
        # What was changed where it was put is taken again.
        (
            'put a sealed crate on the rack',
            ('lift crate 1', 'lower crate 1 to dock 1', 'seal crate 1', 'lift crate 1'),
            [
                'Pick crate',
                'Process crate 1',
                'Process crate 1',
                'Pick crate 1',
                'Put crate 1 rack',
            ],
        ),
        # Two belong to one place, not to two.
        (
            'put two crates on the rack',
            ('lift crate 1', 'lower crate 1 to rack 1', 'lift crate 2', 'lower crate 2 to rack 2'),
            ['Pick crate', 'Put crate 1 rack', 'Pick crate', 'Put crate 2 rack 1', 'Pick crate 2'],
        ),
        # Another tray does not have the label in it.
        (
            'put the tray on the rack and the label in the tray',
            ('lift label 1', 'lower label 1 to tray 1', 'lift tray 2', 'lower tray 2 to dock 1',
             'lift tray 1', 'lower tray 1 to rack 1'),
            ['Pick label', 'Put label 1 tray', 'Pick tray 1', 'Error tray 1', 'Pick tray 1',
             'Put tray 1 rack', 'End'],
        ),
        # A knife that is needed comes first, and is no wrong thing afterwards.
        (
            'cut a crate and put it on the rack',
            ('lift blade 1', 'cut crate 3 with blade 1', 'lower blade 1 to dock 1',
             'lift crate 3', 'lower crate 3 to rack 1'),
            ['Pick blade', 'Process crate', 'Pick crate 3', 'Pick crate 3', 'Put crate 3 rack',
             'End'],
        ),
        # A whole one instead of the one that was cut is a wrong one.
        (
            'cut a crate and put it on the rack',
            ('lift blade 1', 'cut crate 3 with blade 1', 'lower blade 1 to dock 1',
             'lift crate 1'),
            ['Pick blade', 'Process crate', 'Pick crate 3', 'Pick crate 3', 'Error crate 3'],
        ),
        (
            'check the crate under the scanner',
            ('lift label 1', 'lower label 1 to dock 1', 'lift crate 1', 'start scanner 1'),
            ['Pick crate', 'Error crate', 'Pick crate', 'FindTool crate 1', 'End'],
        ),
    ],
)  # fmt: skip
def test_the_state_follows_from_what_is_known(goal, skills, told):
    stages = after(goal, *skills)
    assert [f'{one.state.value} {one.thing} {one.place}'.strip() for one in stages] == told


SKILLS = (
    *(f'lift {thing}' for thing in ('crate 1', 'crate 2', 'label 1')),
    *(
        f'lower {thing} to {place}'
        for thing in ('crate 1', 'crate 2', 'label 1')
        for place in ('rack 1', 'rack 2', 'dock 1')
    ),
    'seal crate 1',
    'seal crate 2',
    'start scanner 1',
)


@pytest.mark.parametrize(
    ('goal', 'count', 'sealed'),
    [
        ('put a crate on the rack', 1, False),
        ('put two crates on the rack', 2, False),
        ('put two sealed crates on the rack', 2, True),
    ],
)
@given(done=strategies.lists(strategies.sampled_from(SKILLS), max_size=12))
def test_the_machine_ends_only_after_every_thing_was_done(goal, count, sealed, done):
    where: dict[str, str] = {}
    seals = set()
    stages = after(goal, *done)
    for skill, stage in zip(done, stages[1:], strict=True):
        verb, thing, number, *rest = skill.split()
        if verb == 'seal':
            seals.add(f'{thing} {number}')
        elif verb != 'start':
            where[f'{thing} {number}'] = ' '.join(rest[1:])
        there = Counter(
            place
            for thing, place in where.items()
            if 'crate' in thing and 'rack' in place and (not sealed or thing in seals)
        )
        assert (stage.state is State.END) == (max(there.values(), default=0) >= count)


# ProcWorld -----------------------------------------------------------------------------------

#: Task type -> the states of its first task in one house, as its expert does it.
PATHS = {
    'look_at_obj_in_light': 'Pick soapbottle, FindTool soapbottle 1, UseTool soapbottle 1',
    'pick_and_place_simple': 'Pick handtowel, Put handtowel 1 countertop',
    'pick_two_obj_and_place': 'Pick cup, Put cup 1 fridge, Pick cup, Put cup 2 fridge 1',
    'pick_clean_then_place_in_recep': (
        'Pick egg, Process egg 1, Pick egg 1, Put egg 1 garbagecan'
    ),
    'pick_heat_then_place_in_recep': 'Pick mug, Process mug 2, Pick mug 2, Put mug 2 sidetable',
    # It is cooled before it was taken.
    'pick_cool_then_place_in_recep': 'Pick mug, Pick mug 1, Put mug 1 microwave',
    'pick_and_place_with_movable_recep': (
        'Pick dishsponge, Put dishsponge 1 plate, Pick plate 1, Put plate 1 microwave'
    ),
    'pick_clean_and_place_with_movable_recep': (
        'Pick tomato, Process tomato 1, Pick tomato 1, Put tomato 1 plate, Pick plate 1, '
        'Put plate 1 microwave'
    ),
    'pick_heat_and_place_with_movable_recep': (
        'Pick egg, Process egg 1, Pick egg 1, Put egg 1 pot, Pick pot 1, Put pot 1 fridge'
    ),
    'pick_cool_and_place_with_movable_recep': (
        'Pick apple, Process apple 1, Pick apple 1, Put apple 1 pot, Pick pot 1, '
        'Put pot 1 coffeetable'
    ),
    'pick_and_place_simple_slice': 'Pick knife, Process egg, Pick egg 1, Put egg 1 countertop',
    'pick_two_obj_and_place_slice': (
        'Pick knife, Process tomato, Pick tomato 2, Put tomato 2 microwave, Pick tomato 1, '
        'Put tomato 1 microwave 1'
    ),
    'pick_clean_then_place_in_recep_slice': (
        'Pick knife, Process egg, Pick egg 1, Process egg 1, Pick egg 1, Put egg 1 garbagecan'
    ),
    'pick_heat_then_place_in_recep_slice': (
        'Pick knife, Process egg, Pick egg 1, Process egg 1, Pick egg 1, Put egg 1 diningtable'
    ),
    'pick_cool_then_place_in_recep_slice': (
        'Pick knife, Process apple, Pick apple 1, Process apple 1, Pick apple 1, '
        'Put apple 1 sinkbasin'
    ),
    'pick_and_place_with_movable_recep_slice': (
        'Pick knife, Process tomato, Pick tomato 1, Put tomato 1 pot, Pick pot 1, '
        'Put pot 1 sidetable'
    ),
}


@pytest.mark.parametrize('domain', ['neutral', 'procworld'])
def test_every_state_has_a_text(domain):
    text = load_domain(domain).prompt('states', Vocabulary(), True)
    assert set(states_of(text)) == {state.value for state in State}


@pytest.mark.parametrize('task_type', TYPES)
def test_every_type_of_procworld_goes_its_way_through_the_states(task_type, monkeypatch):
    world = make_world('procworld,reach=inf')
    world.reset('generated:3', f'{task_type}:0', 0)
    begun = world.snapshot()
    said = iter(('I go on.', *(f'ACTION: {skill}' for skill in world.expert())))
    world.restore(begun)
    stages = []
    stage = Machine.stage
    monkeypatch.setattr(
        Machine, 'stage', lambda machine: stages.append(stage(machine)) or stages[-1]
    )
    plan_episode(
        world,
        PolicyModel(lambda text, options: next(said)),
        InProcessMemory(),
        settings_of_preset('published', 'stateflow'),
        Limits(),
        planner='stateflow',
    )
    assert world.progress().met == world.progress().total
    told = (f'{one.state.value} {one.thing} {one.place}'.strip() for one in stages)
    assert ', '.join(text for text, _ in groupby(told)) == PATHS[task_type]
