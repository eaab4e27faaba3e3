"""ReAcTree and ReAct under their published presets: published runs played again, prompts by part.

The runs in `published/` are written by hand in the form and with the observations of ReAcTree's
appendix B. With REACTREE_PUBLISHED_RUNS=FOLDER (of the published code: resource/wah/em_llm) those
runs are played again too.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.experience import Experience, Termination
from reactree_core.observation import Vocabulary
from reactree_core.record.events import Decision, DecisionKind, NodeKind, NodeStatus
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import reduce_events
from reactree_core.skill_types import SkillType
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner, planner_names
from reactree_planner.runs.presets import (
    differences,
    preset_names,
    setting_names,
    settings_of_preset,
)
from reactree_planner.runs.published import FROM_CODE, FROM_PAPERS
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.run_prompts import without_hints
from support.memories import FixedMemory
from support.needs import needs
from support.published_runs import PublishedRun, RECALL

FOLDER = Path(__file__).parent / 'published'
#: Folder of published runs, where somebody has them.
THEIRS = os.environ.get('REACTREE_PUBLISHED_RUNS', '')


def nodes_of(name):
    """The texts of the nodes of a run in `published/`."""
    text = (FOLDER / name).read_text(encoding='utf-8')
    return [part.strip('\n') for part in text.split('=== node\n') if part]


def play(nodes, planner, preset, recalls=True, memory=None, limits=None, context_tokens=1_000_000):
    """The run, its world, its events, the prompts, and whether it succeeded."""
    world = PublishedRun(nodes)
    events, texts = [], []

    def answer(text, options):
        texts.append(text)
        return world.policy(text, options)

    settings = replace(settings_of_preset(preset, planner), working_memory=recalls)
    run = PlanRun(
        world.task,
        Ports(
            PolicyModel(answer, context_tokens=context_tokens),
            world,
            memory or FixedMemory(),
            None,
        ),
        settings,
        limits or Limits(),
        CancelToken(),
        events.append,
    )
    success = make_planner(planner).run(run)
    return run, world, events, texts, success


def texts_of(run, events):
    """The texts of agent nodes, in the order in which they began."""
    began = dict.fromkeys(event.node_id for event in events if event.node_id)
    return [run.trajectories.of(node_id).text.strip() for node_id in began]


@pytest.mark.parametrize(
    ('name', 'planner', 'preset', 'success'),
    [
        # Two of three subgoals in parallel are reached: a majority, but not all.
        ('reactree_wm.txt', 'reactree', 'published', True),
        ('reactree_wm.txt', 'reactree', 'published-code', False),
        ('react_wm.txt', 'react', 'published', True),
    ],
)
def test_a_published_run_is_accepted_decision_by_decision(name, planner, preset, success):
    nodes = nodes_of(name)
    run, world, events, _, ended = play(nodes, planner, preset)
    assert texts_of(run, events) == nodes
    assert world.is_over()
    assert ended is success
    blocks = [block for one in world.trajectories for block in one.blocks]
    endings = sum(getattr(block, 'skill', '') in ('done', 'failure') for block in blocks)
    assert run.tree.decisions == len(blocks) - endings
    assert reduce_events(events) == run.tree.snapshot()
    start = events[0].settings
    assert (start.preset, start.free_endings) == (preset, True)


def test_nothing_is_decided_without_the_model(name='reactree_wm.txt'):
    _, _, events, _, _ = play(nodes_of(name), 'reactree', 'published')
    decisions = [event for event in events if isinstance(event, Decision)]
    assert not any(event.is_unasked for event in decisions)
    kinds = {event.kind for event in decisions}
    assert kinds.isdisjoint({DecisionKind.GROUND, DecisionKind.REPAIR, DecisionKind.FORBID})


@needs('published runs')
@pytest.mark.parametrize('planner', ['reactree', 'react'])
@pytest.mark.parametrize('recalls', [True, False])
def test_the_published_runs_are_accepted_decision_by_decision(planner, recalls):
    runs = defaultdict(list)
    for file in sorted(Path(THEIRS).glob(f'{planner}{"_wm" * recalls}/text_traj/*/*.txt')):
        runs[file.parent.name, file.name.partition('_dec')[0]].append(file)
    assert runs
    for name, files in runs.items():
        # Of a second run of a task, names end with when it was.
        files.sort(key=lambda file: re.findall(r'dec(\d+)', file.name))
        nodes = [file.read_text(encoding='utf-8') for file in files]
        run, world, events, _, _ = play(
            nodes, planner, 'published-code' * (planner == 'reactree') or 'published', recalls
        )
        assert list(map(_comparable, texts_of(run, events))) == list(map(_comparable, nodes)), name
        assert world.is_over(), name


def _comparable(text):
    """A node's text, without what was told before its goal and without orders that do not count:
    the simulator tells what it recalls in the order of its graph.
    """
    own = text[text.index('Your task is to: ') :].strip().removesuffix('\nOK.')
    lines = (' '.join(line.split()) for line in own.splitlines())
    return [
        sorted(re.findall(r'You .*?\.', line))
        if line.startswith(('You saw', 'You are holding'))
        else line
        for line in lines
    ]


NEAR = Experience(
    'near',
    'carry the plum to the bed',
    'Your task is to: carry the plum to the bed\nYou are in the house.\nAct: done',
    Termination.SUCCESS,
    context='The larger task is: tidy up\nIts parts: carry the plum to the bed; sweep',
)
FAR = replace(
    NEAR,
    experience_id='far',
    trajectory='Your task is to: sweep\nYou are in the house.\nAct: failure',
    context='',
)
ANOTHER = replace(
    FAR, experience_id='another', trajectory=f'Your task is to: dust\nAct: {RECALL}plum\nSeen.'
)


def in_order(text, *parts):
    """Every part stands in the text, after the one before it."""
    place = 0
    for part in parts:
        assert part in text[place:], part
        place = text.index(part, place) + len(part)


def test_the_prompt_of_reactree_has_the_published_parts_in_their_order():
    _, _, _, texts, _ = play(
        nodes_of('reactree_wm.txt'), 'reactree', 'published', memory=FixedMemory(NEAR, FAR)
    )
    text = next(one for one in texts if 'task is to: find and pick up the plum\n' in one)
    in_order(
        text,
        # Who it is, and what it can do at a step.
        'thinking, by acting, and by growing a behaviour tree',
        '1. Think:',
        '2. Act:',
        'recall location of',
        'done, failure',
        'go to <object>',
        '3. Expand:',
        'sequence:',
        'fallback:',
        'parallel:',
        # Examples, the nearest first, each with why it existed.
        'Source domain',
        NEAR.context,
        NEAR.trajectory,
        FAR.trajectory,
        # The node's own: the goal above, its siblings, its goal, what it sees.
        'Target domain',
        'The larger task is: carry the plum to the desk\n',
        'find and pick up the plum; find the desk and put down the plum\n',
        'Your task is to: find and pick up the plum\n',
        'You are in the house, and there are 3 rooms',
    )
    # Nothing else: no hints of a domain, no prohibitions, nothing that other nodes did.
    assert 'You must not' not in text and 'A skill that failed' not in text
    assert 'carry the mug' not in text


RELEASED = """\
Your primary goal is to: tidy up
To achieve this, you should perform your sibling tasks {how} At this level, your sibling tasks \
are: carry the plum to the bed, and sweep."""
ASKED = {
    'in sequence.': 'one after another',
    'using a fallback strategy.': 'as different ways, until one succeeds',
    'in parallel.': 'independently of each other',
}


@pytest.mark.parametrize('how', ASKED)
def test_released_examples_say_why_they_existed_in_the_words_of_the_nodes_own(how):
    released = replace(NEAR, context=RELEASED.format(how=how))
    _, _, _, texts, _ = play(
        nodes_of('reactree_wm.txt'), 'reactree', 'published', memory=FixedMemory(released)
    )
    assert not any('primary goal' in text for text in texts)
    told = f'The larger task is: tidy up\nIts parts, done {ASKED[how]}: '
    in_order(texts[0], 'Source domain', f'{told}carry the plum to the bed; sweep\nYour task is to')


def test_the_published_frame_names_skills_alone():
    told = SkillType('heat <object>', ('thing',), description='a microwave heats it')
    bare = without_hints(Vocabulary(templates=('heat <object>',), skill_types=(told,)))
    assert bare.skill_types == (SkillType('heat <object>', ('thing',)),)


def test_the_prompt_of_react_has_the_published_parts_in_their_order():
    _, _, _, texts, _ = play(
        nodes_of('react_wm.txt'), 'react', 'published', memory=FixedMemory(FAR)
    )
    in_order(
        texts[0],
        'by thinking and by acting.',
        '1. Think:',
        '2. Act:',
        'recall location of',
        'done, failure',
        'Source domain',
        FAR.trajectory,
        'Target domain',
        'Your task is to: Lay the plum on the desk.\nYou are in the house',
    )
    assert 'Expand' not in texts[0]


@pytest.mark.parametrize(('planner', 'name'), [('reactree', 'reactree_wm'), ('react', 'react_wm')])
def test_without_working_memory_nothing_speaks_of_recall(planner, name):
    # What was recalled is left out of the run, with its observation.
    nodes = [
        re.sub(rf'Act: {RECALL}.*\n.*\n', '', node + '\n').strip('\n')
        for node in nodes_of(f'{name}.txt')
    ]
    run, world, events, texts, _ = play(
        nodes, planner, 'published', False, memory=FixedMemory(ANOTHER, FAR)
    )
    assert texts_of(run, events) == nodes
    assert not any('recall' in text for text in texts[0].splitlines())
    assert FAR.trajectory in texts[0] and ANOTHER.trajectory not in texts[0]
    assert not any(RECALL in option for options in world.offered for option in options)


def test_without_examples_the_frame_still_stands():
    _, _, _, texts, _ = play(nodes_of('react_wm.txt'), 'react', 'published')
    in_order(texts[0], 'Source domain', 'Target domain', 'Your task is to')


def test_a_fixed_example_is_the_only_one_of_every_prompt(tmp_path):
    file = tmp_path / 'one_task.txt'
    file.write_text(f'{NEAR.trajectory}\n{FAR.trajectory}\n', encoding='utf-8')
    memory = FixedMemory(replace(NEAR, trajectory='Your task is to: paint\nAct: done'))
    preset = f'published,fixed_example={file}'
    run, _, _, texts, _ = play(nodes_of('reactree_wm.txt'), 'reactree', preset, memory=memory)
    assert not memory.units
    for text in texts:
        in_order(text, 'Source domain', NEAR.trajectory, FAR.trajectory, 'Target domain')
        assert 'paint' not in text
    assert run.settings.preset == preset


def test_examples_fill_the_token_limit_nearest_first_and_end_at_the_first_that_is_too_long():
    def example(name, words):
        text = f'Your task is to: {name}\n' + 'x ' * (words - 5)
        return replace(FAR, experience_id=name, goal=name, trajectory=text)

    memory = FixedMemory(
        *(example(f'a{number}', 600) for number in range(8)), example('long', 300), example('z', 9)
    )
    preset = 'published'
    _, _, _, texts, _ = play(nodes_of('react_wm.txt'), 'react', preset, memory=memory)
    shown = re.findall(r'Your task is to: (a\d|long|z)\n', texts[0])
    assert shown == [f'a{number}' for number in range(8)]
    assert memory.units == ['subgoal']


def test_whole_tasks_stand_wholly_or_not_at_all():
    def node(run_id, name, words=20):
        text = f'Your task is to: {name}\n' + 'x ' * (words - 5)
        return replace(FAR, experience_id=name, run_id=run_id, trajectory=text)

    memory = FixedMemory(
        node('r1', 'a1'), node('r1', 'a2'), node('r2', 'b1', 4000), node('r2', 'b2', 4000)
    )
    _, _, _, texts, _ = play(
        nodes_of('react_wm.txt'), 'react', 'published,retrieval_unit=task', memory=memory
    )
    assert set(memory.units) == {'task'}
    assert sorted(re.findall(r'Your task is to: (\w\d)\n', texts[0])) == ['a1', 'a2']


# Limits ---------------------------------------------------------------------------------------

LOOK = 'You are in the house. You are in the middle of a bedroom (1).'


def small_run(*nodes):
    return [f'Your task is to: {goal}\n{LOOK}\n{blocks}'.strip() for goal, blocks in nodes]


def statuses(run):
    return {
        node.goal: node.status for node in run.tree.snapshot().nodes if node.kind is NodeKind.AGENT
    }


SPLIT = 'Expand:\n- control flow: {}\n- subgoals: {}\nOK.'
STEP = 'Act: go to desk 1\nYou arrive at the desk (1).\n'


def test_a_node_fails_at_the_limit_of_decisions_and_those_after_it_with_it():
    nodes = small_run(
        ('tidy', SPLIT.format('fallback', 'dust, sweep')),
        ('dust', STEP * 3),
        ('sweep', ''),
    )
    run, world, _, _, success = play(nodes, 'reactree', 'published', limits=Limits(4, 0, 0))
    assert not success and world.is_over()
    assert run.tree.decisions == 4
    assert set(statuses(run).values()) == {NodeStatus.FAILURE}


def test_a_node_fails_at_the_limit_of_skills_before_it_decides_again():
    nodes = small_run(('dust', STEP * 2))
    run, world, _, _, success = play(nodes, 'react', 'published', limits=Limits(0, 2, 0))
    assert not success and world.is_over()
    assert run.tree.snapshot().nodes[0].detail.startswith('The run reached its limit of skills')


def test_endings_are_no_decisions():
    nodes = small_run(('dust', f'{STEP}Act: done'))
    run, _, _, _, success = play(nodes, 'react', 'published', limits=Limits(2, 0, 0))
    assert success and run.tree.decisions == 1


def test_what_stands_too_deep_fails_and_its_siblings_go_on():
    nodes = small_run(
        ('tidy', SPLIT.format('fallback', 'dust, sweep')),
        # Its control flow would stand at depth 4.
        ('dust', SPLIT.format('sequence', 'wipe, polish')),
        ('sweep', f'{STEP}Act: done'),
    )
    run, world, _, _, success = play(nodes, 'reactree', 'published', limits=Limits(0, 0, 3))
    assert success and world.is_over()
    found = statuses(run)
    assert (found['dust'], found['wipe']) == (NodeStatus.FAILURE, NodeStatus.FAILURE)
    assert found['polish'] is NodeStatus.IDLE


@pytest.mark.parametrize('kind', ['prompt', 'history'])
def test_a_node_whose_context_is_full_fails_and_its_siblings_go_on(kind):
    long = 'Act: go to desk 1\n' + 'You see desk (1). ' * 300 + '\n'
    nodes = small_run(
        ('tidy', SPLIT.format('fallback', 'dust, sweep')),
        ('dust', long if kind == 'history' else ''),
        ('sweep', f'{STEP}Act: done'),
    )
    if kind == 'prompt':
        nodes[1] += ' It is dusty.' * 300
    run, world, _, _, success = play(nodes, 'reactree', 'published', context_tokens=400)
    assert success and world.is_over()
    assert statuses(run)['dust'] is NodeStatus.FAILURE
    assert not run.notices, 'nothing was left out'


# Control flows and subgoals -------------------------------------------------------------------


@pytest.mark.parametrize(
    ('flows', 'words'),
    [
        ('all', ['sequence', 'fallback', 'parallel']),
        ('seq+fb', ['sequence', 'fallback']),
        ('seq', ['sequence']),
    ],
)
def test_an_expansion_uses_the_control_flows_of_the_ablation(flows, words):
    nodes = small_run(('tidy', SPLIT.format('sequence', 'dust')), ('dust', 'Act: done'))
    _, world, _, texts, _ = play(nodes, 'reactree', f'published,flows={flows}')
    assert words in world.offered
    assert [word for word in ('sequence', 'fallback', 'parallel') if f'- {word}:' in texts[0]] == (
        words
    )


def test_as_many_subgoals_stand_as_are_written():
    goals = [f'dust shelf {number}' for number in range(1, 31)]
    nodes = small_run(
        ('tidy', SPLIT.format('parallel', ', '.join(goals))),
        *((goal, 'Act: done') for goal in goals),
    )
    run, world, _, _, success = play(nodes, 'reactree', 'published')
    assert success and world.is_over()
    assert len(run.tree.snapshot().nodes) == 32


# The table ------------------------------------------------------------------------------------


def test_every_value_of_a_preset_is_of_a_planner_and_a_setting_and_has_a_source():
    for value in (*FROM_PAPERS, *FROM_CODE):
        assert value.planner in ('', *planner_names())
        assert value.setting in ('guards', *setting_names())
        assert len(value.source) > 5


@pytest.mark.parametrize('planner', planner_names())
def test_every_planner_has_its_presets(planner):
    for name in preset_names(planner):
        settings = settings_of_preset(name, planner)
        shown = {setting: value for setting, value, _, _ in differences(name, planner)}
        if name.startswith('published'):
            assert shown['guards'] == 'none' and settings.repairs == 0
        assert settings.preset == name


def test_only_planners_whose_code_differs_have_a_preset_of_the_code():
    assert 'published-code' in preset_names('reactree')
    assert 'published-code' not in preset_names('react')
    with pytest.raises(ValueError, match='of the planner react: begin with default'):
        settings_of_preset('published-code', 'react')
