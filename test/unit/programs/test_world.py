"""The world `programs`: Tree-Planner's actions, observations, goals, measures and sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Outcome
from reactree_tools.bench.task_sources import tasks_of
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from sim_bridge.worlds.household.programs import execute, read_script
from sim_bridge.worlds.household.programs.measures import goal_conditions, measure, recall, Rule
from sim_bridge.worlds.household.programs.stage import PUBLISHED, Stage
from sim_bridge.worlds.programs import ProgramsWorld
from sim_bridge.worlds.programs.building import (
    build_set,
    make_pair,
    NotPossible,
    read_resources,
    Resources,
)
from sim_bridge.worlds.programs.pairs import as_file, files_of_set, read_pair, write_set
from sim_bridge.worlds.programs.seeing import deciding_text, visible
from sim_bridge.worlds.programs.skills import (
    FORMS,
    PUBLISHED_ACTIONS,
    read_skill,
    SKILLS,
    skills_of,
)
from sim_bridge.worlds.registry import make_world

COOL = """Cool the milk
Take it out, and shut the fridge.

[Walk] <fridge> (1)
[Open] <fridge> (1)
[Grab] <milk> (1)
[Close] <fridge> (1)
"""
#: Action -> what is done before it, the step, and for each need: what is done instead, the step,
#: and what is said. The home is that of `graph`.
ACTIONS: dict[str, tuple[list[str], str, list[tuple[list[str], str, str]]]] = {
    'SLEEP': (['walk to bed', 'lie on bed'], 'sleep', [([], 'sleep', 'is not lying or sitting')]),
    'STANDUP': (
        ['walk to bed', 'sit on bed'],
        'stand up',
        [([], 'stand up', 'is not lying or sitting')],
    ),
    'WAKEUP': (
        ['walk to bed', 'lie on bed'],
        'wake up',
        [([], 'wake up', 'is not lying or sitting')],
    ),
    'WALK': ([], 'walk to table', [(['walk to bed', 'sit on bed'], 'walk to cup', 'is sitting')]),
    'RUN': ([], 'run to table', [(['walk to bed', 'lie on bed'], 'run to cup', 'is sitting')]),
    'FIND': ([], 'find table', [(['walk to bed', 'sit on bed'], 'find cup', 'is sitting')]),
    'GRAB': (
        ['walk to table'],
        'grab cup',
        [
            (['walk to table'], 'grab table', 'is not grabbable'),
            ([], 'grab cup', 'is not close to'),
            (['walk to fridge'], 'grab milk', 'is inside other closed thing'),
            (['walk to table', 'grab cup'], 'grab cup', 'already grabbed'),
            (
                ['walk to table', 'grab cup', 'grab book', 'walk to shirt'],
                'grab shirt',
                'does not have a free hand',
            ),
        ],
    ),
    'WASH': (['walk to cup'], 'wash cup', [([], 'wash cup', 'is not close to')]),
    'WIPE': (
        ['walk to table', 'grab book'],
        'wipe table',
        [
            ([], 'wipe table', 'is not close to'),
            (['walk to table'], 'wipe table', 'does not hold anything in hands'),
        ],
    ),
    'PULL': (
        ['walk to chair'],
        'pull chair',
        [
            (['walk to table'], 'pull table', 'is not movable'),
            ([], 'pull chair', 'is not close to'),
            (
                ['walk to table', 'grab cup', 'grab book', 'walk to chair'],
                'pull chair',
                'does not have a free hand',
            ),
        ],
    ),
    'PUSH': (
        ['walk to table'],
        'push table',
        [
            ([], 'push table', 'is not close to'),
            (['walk to fridge'], 'push milk', 'is inside other closed thing'),
            (['walk to table', 'grab cup', 'grab book'], 'push table', 'not have a free hand'),
        ],
    ),
    'POUR': (
        ['walk to fridge', 'open fridge', 'grab milk', 'walk to cup'],
        'pour milk',
        [
            (['walk to cup', 'grab book'], 'pour book', 'is not pourable or drinkable'),
            (['walk to fridge', 'open fridge'], 'pour milk', 'anything that can be poured into'),
            (['walk to cup'], 'pour milk into cup', 'is not holding'),
            (['walk to bed'], 'pour milk into bed', 'is not recipient'),
            (
                ['walk to fridge', 'open fridge', 'grab milk'],
                'pour milk into cup',
                'is not close to',
            ),
        ],
    ),
    'TURNTO': ([], 'turn to bed', []),
    'POINTAT': (['turn to bed'], 'point at bed', [([], 'point at bed', 'does not face')]),
    'WATCH': (
        ['turn to television'],
        'watch television',
        [
            (['turn to bed'], 'watch bed', 'not lookable'),
            ([], 'watch television', 'does not face'),
            (['walk to table', 'turn to television'], 'watch television', 'is not in the room of'),
        ],
    ),
    'TOUCH': (
        ['walk to table'],
        'touch cup',
        [
            ([], 'touch cup', 'is not close to'),
            (['walk to fridge'], 'touch milk', 'is inside other closed thing'),
        ],
    ),
    'OPEN': (
        ['walk to fridge'],
        'open fridge',
        [
            (['walk to table'], 'open table', 'can not be opened'),
            ([], 'open fridge', 'is not close to'),
            (['walk to fridge', 'open fridge'], 'open fridge', 'is not closed'),
            (['walk to fridge', 'switch on fridge'], 'open fridge', 'is still on'),
            (
                ['walk to table', 'grab cup', 'grab book', 'walk to fridge'],
                'open fridge',
                'does not have a free hand',
            ),
        ],
    ),
    'CLOSE': (
        ['walk to fridge', 'open fridge'],
        'close fridge',
        [
            (['walk to table'], 'close table', 'can not be opened'),
            ([], 'close fridge', 'is not close to'),
            (['walk to fridge'], 'close fridge', 'is not open'),
        ],
    ),
    'SIT': (
        ['walk to bed'],
        'sit on bed',
        [
            ([], 'sit on bed', 'is not close to'),
            (['walk to bed', 'sit on bed'], 'sit on bed', 'is sitting'),
            (['walk to table'], 'sit on table', 'is not sittable'),
            (['walk to chair'], 'sit on chair', 'Too many things on'),
        ],
    ),
    'READ': (
        ['walk to table', 'grab book'],
        'read book',
        [
            (['walk to table', 'grab cup'], 'read cup', 'is not readable'),
            (['walk to table'], 'read book', 'is not holding'),
        ],
    ),
    'PUTON': (
        ['walk to shirt', 'grab shirt'],
        'put on shirt',
        [
            (['walk to shirt'], 'put on shirt', 'is not holding'),
            (['walk to cup', 'grab cup'], 'put on cup', 'is not clothes'),
        ],
    ),
    'DROP': (['walk to cup', 'grab cup'], 'drop cup', [([], 'drop cup', 'is not holding')]),
    'LIE': (
        ['walk to bed'],
        'lie on bed',
        [
            ([], 'lie on bed', 'is not close to'),
            (['walk to bed', 'lie on bed'], 'lie on bed', 'is lying'),
            (['walk to table'], 'lie on table', 'is not lieable'),
        ],
    ),
    'SWITCHON': (
        ['walk to television'],
        'switch on television',
        [
            (['walk to table'], 'switch on table', 'does not have a switch'),
            ([], 'switch on television', 'is not close to'),
            (['walk to television', 'switch on television'], 'switch on television', 'is not off'),
            (['walk to fridge', 'unplug fridge'], 'switch on fridge', 'is unplugged'),
        ],
    ),
    'SWITCHOFF': (
        ['walk to television', 'switch on television'],
        'switch off television',
        [
            (['walk to table'], 'switch off table', 'does not have a switch'),
            ([], 'switch off television', 'is not close to'),
            (['walk to television'], 'switch off television', 'is not on'),
        ],
    ),
    'DRINK': (
        ['walk to cup', 'grab cup'],
        'drink cup',
        [
            (['walk to book', 'grab book'], 'drink book', 'is not drinkable or not recipient'),
            ([], 'drink cup', 'is not holding'),
        ],
    ),
    'PUTIN': (
        ['walk to fridge', 'open fridge', 'walk to cup', 'grab cup', 'walk to fridge'],
        'put cup in fridge',
        [
            (['walk to fridge'], 'put cup in fridge', 'is not holding'),
            (['walk to cup', 'grab cup'], 'put cup in fridge', 'is not close to'),
            (
                ['walk to cup', 'grab cup', 'walk to fridge'],
                'put cup in fridge',
                'is not open or is not openable',
            ),
        ],
    ),
    'PUTBACK': (
        ['walk to cup', 'grab cup'],
        'put cup on table',
        [
            (['walk to table'], 'put cup on table', 'is not holding'),
            (['walk to cup', 'grab cup', 'walk to bed'], 'put cup on table', 'is not close to'),
        ],
    ),
}


@pytest.fixture
def home_file(graph: dict[str, Any], tmp_path: Path) -> Path:
    """The small home with a chair that is taken, and a plug on the fridge."""
    chair = {'id': 14, 'class_name': 'chair', 'category': 'Furniture', 'states': []}
    graph['nodes'].append({**chair, 'properties': ['SITTABLE', 'MOVABLE']})
    coat = {'id': 24, 'class_name': 'coat', 'category': 'Props', 'states': []}
    graph['nodes'].append({**coat, 'properties': ['GRABBABLE', 'CLOTHES']})
    graph['edges'] += [
        {'from_id': start, 'relation_type': relation, 'to_id': end}
        for start, relation, end in ((14, 'INSIDE', 2), (24, 'ON', 14), (24, 'INSIDE', 2))
    ]
    next(node for node in graph['nodes'] if node['id'] == 10)['states'].append('PLUGGED_IN')
    path = tmp_path / 'home.json'
    path.write_text(json.dumps(graph))
    return path


@pytest.fixture
def world(home_file: Path) -> ProgramsWorld:
    world = ProgramsWorld()
    world.reset(str(home_file), '', 0)
    return world


def steps(world: ProgramsWorld, *skills: str) -> None:
    for skill in skills:
        observation = world.step(skill)
        assert observation.succeeded, observation.text


# Actions


def test_the_published_actions_are_28_and_in_the_table() -> None:
    published = {skill.action for skill in skills_of(PUBLISHED_ACTIONS)}
    assert len(published) == 28 and published == set(ACTIONS)
    assert {skill.objects for skill in SKILLS} == {0, 1, 2}


@pytest.mark.parametrize('action', sorted(ACTIONS))
def test_an_action_is_done(world: ProgramsWorld, action: str) -> None:
    before, skill, _ = ACTIONS[action]
    step = read_skill(skill)
    assert step is not None and step.action == action
    steps(world, *before, skill)


@pytest.mark.parametrize(
    ('action', 'before', 'skill', 'reason'),
    [(action, *need) for action, (_, _, needs) in sorted(ACTIONS.items()) for need in needs],
)
def test_each_need_of_an_action_is_told_and_nothing_changes(
    world: ProgramsWorld, action: str, before: list[str], skill: str, reason: str
) -> None:
    steps(world, *before)
    graph = world.graph()
    observation = world.step(skill)
    assert observation.outcome is Outcome.PRECONDITION_FAILED
    assert observation.text.startswith('Script is not executable, since ')
    assert reason in observation.text and f' when executing "[{action}] ' in observation.text
    assert world.graph() == graph


def test_the_published_sentence_of_an_error(world: ProgramsWorld) -> None:
    steps(world, 'walk to cup', 'grab cup', 'walk to bed')
    assert world.step('[PutBack] <cup> (21) <table> (11)').text == (
        'Script is not executable, since <character> (3) is not close to <table> (11) when '
        'executing "[PUTBACK] <cup> (21) <table> (11) [1]"'
    )


@pytest.mark.parametrize(
    ('skill', 'said'),
    [
        ('dance', 'That is no skill'),
        ('', 'That is no skill'),
        ('[Grab] cup 21', 'That is no skill'),
        ('grab unicorn 3', 'There is no unicorn in this home.'),
        ('[Walk] <kitchen counter> (11)', 'There is no kitchen counter in this home.'),
        ('[Dance]', '[DANCE] is not an action of VirtualHome'),
        ('[PutIn] <cup> (21)', '[PUTIN] takes 2 objects, not 1'),
    ],
)
def test_what_is_no_skill_is_said(world: ProgramsWorld, skill: str, said: str) -> None:
    graph = world.graph()
    observation = world.step(skill)
    assert observation.outcome is Outcome.INVALID_SKILL and observation.text.startswith(said)
    assert world.graph() == graph


@pytest.mark.parametrize('form', FORMS)
def test_what_is_offered_can_be_done(home_file: Path, form: str) -> None:
    world = ProgramsWorld(form=form)
    world.reset(str(home_file), '', 0)
    for skill in ('walk to table 11', '[Grab] <cup> (21)'):
        assert world.step(skill).succeeded
    kept = world.snapshot()
    offered = world.admissible_skills()
    assert len(set(offered)) == len(offered) > 20
    assert set(offered) <= set(world.candidate_skills())
    types = world.vocabulary().skills
    for skill in offered:
        assert any(next(kind.splits(skill), None) is not None for kind in types), skill
        assert world.step(skill).succeeded, skill
        world.restore(kept)


def test_both_forms_say_the_same() -> None:
    assert read_skill('put kitchen counter 3 on table 4') == read_skill(
        '[PutBack] <kitchen counter> (3) <table> (4)'
    )
    assert str(read_skill('Put on shoes 12')) == '[PUTON] <shoes> (12)'
    assert str(read_skill('pour milk 1 into cup 2')) == '[POUR] <milk> (1) <cup> (2)'


# What is seen


def test_what_lies_in_something_closed_is_not_seen(world: ProgramsWorld, graph: Any) -> None:
    home = Stage(graph)
    assert {1, 2, 3, 12, 13, 23} <= visible(home) and not {10, 20, 21} & visible(home)
    steps(world, 'walk to fridge')
    assert not any(fact.object_class == 'milk' for fact in world.observe().facts)
    opened = world.step('open fridge 10')
    assert any(fact.name == 'milk 20' and fact.receptacle == 'fridge 10' for fact in opened.facts)
    assert 'fridge 10' in opened.looked_at and 'milk' in opened.text


def test_the_published_texts(graph: dict[str, Any]) -> None:
    home = Stage(graph)
    first = (
        'Currently, you are standing in the bedroom, and holding nothing in your right hand and '
        'nothing in your left hand.'
    )
    inside = 'bed,character,shirt,television is inside bedroom'
    assert deciding_text(home, ()) == f'{first}\n{inside}'
    assert deciding_text(home, (13, 23)).splitlines() == [
        first,
        'television is off',
        'shirt is on bed',
        inside,
    ]
    script = '[WALK] <cup> (21)\n[GRAB] <cup> (21)\n[WALK] <bed> (12)\n[SIT] <bed> (12)'
    assert execute(home, read_script(script).steps).succeeded
    assert deciding_text(home, ()).startswith(
        'Currently, you are sitting on bed in the bedroom, and holding cup in your right hand and '
    )


# Goals and measures


def test_turning_to_a_thing_is_the_goal_of_a_program_that_only_turns(graph: Any) -> None:
    script = read_script('Look\n[StandUp]\n[TurnTo] <television> (1)\n[LookAt] <television> (1)')
    sitting = next(node for node in graph['nodes'] if node['id'] == 3)
    sitting['states'] = ['SITTING']
    pair = make_pair(script, graph, 'home', Resources())
    assert pair.goal == {(3, 'FACING', 13)}


def test_a_run_that_fails_at_its_end_counts_by_the_rule(graph: dict[str, Any]) -> None:
    gold = read_script('[WALK] <cup> (21)\n[GRAB] <cup> (21)').steps
    home = Stage(graph)
    before = home.facts(PUBLISHED)
    execution = execute(home, gold, PUBLISHED)
    goal = goal_conditions(before, execution.visited[-1])
    assert measure([(execution, goal)], Rule.PLAN).recall == 1.0
    failing = read_script('[WALK] <cup> (21)\n[GRAB] <cup> (21)\n[STANDUP]').steps
    failed = execute(Stage(graph), failing, PUBLISHED)
    assert [recall(failed, goal, rule) for rule in Rule] == [0.0, 0.0, 1.0]
    steps = ['[WALK] <cup> (21)', '[GRAB] <cup> (21)', '[WALK] <bed> (12)', '[DROP] <cup> (21)']
    undone = read_script('\n'.join(steps))
    moved = execute(Stage(graph), undone.steps, PUBLISHED)
    assert recall(moved, goal, Rule.GROUNDED) == 1.0 > recall(moved, goal, Rule.PLAN)


def test_a_facing_goal_holds_until_the_next_walk_and_counts_at_its_best(
    home_file: Path, tmp_path: Path
) -> None:
    program = tmp_path / 'look.txt'
    program.write_text(
        'Look and fetch\n[TurnTo] <television> (1)\n[Walk] <cup> (1)\n[TurnTo] <bed> (1)\n'
        '[Grab] <cup> (1)'
    )
    world = ProgramsWorld()
    first = world.reset(str(home_file), str(program), 0)
    progress = world.progress()
    assert progress is not None and not progress.met and not first.over
    assert 'you are facing bed 12: 0 of 1' in progress.conditions
    steps(world, 'turn to bed', 'walk to cup')
    progress = world.progress()
    # One condition held before the walk, another holds now: the best moment had one.
    assert progress is not None and progress.met == 1
    steps(world, 'turn to bed')
    progress = world.progress()
    assert progress is not None and progress.met == 2
    observation = world.step('grab cup')
    assert observation.over and observation.admissible_skills == ()
    progress = world.progress()
    assert progress is not None and progress.success and progress.ratio == 1.0
    assert world.step('walk to bed').outcome is Outcome.PRECONDITION_FAILED


def test_what_is_put_back_does_not_count(home_file: Path, tmp_path: Path) -> None:
    program = tmp_path / 'cool.txt'
    program.write_text(COOL)
    world = ProgramsWorld()
    world.reset(str(home_file), str(program), 0)
    kept, before = world.snapshot(), world.graph()
    steps(world, 'walk to fridge', 'open fridge')
    progress = world.progress()
    assert progress is not None and (progress.met, progress.total) == (1, 2)
    world.restore(kept)
    assert world.graph() == before
    progress = world.progress()
    assert progress is not None and progress.met == 0
    with pytest.raises(ConfigurationError, match='no snapshot'):
        world.restore(b'\x80\x04N.')


# Sets


def test_a_set_is_the_same_bytes_twice_and_its_gold_plans_solve_it(
    home_file: Path, tmp_path: Path
) -> None:
    programs = tmp_path / 'programs'
    programs.mkdir()
    (programs / 'a.txt').write_text(COOL)
    (programs / 'b.txt').write_text(COOL.replace('[Close] <fridge> (1)\n', ''))
    (programs / 'c.txt').write_text(COOL.replace('[Grab]', '[Find] <milk> (1)\n[Grab]'))
    (programs / 'short.txt').write_text('Nap\n[Walk] <bed> (1)\n[Lie] <bed> (1)')
    (programs / 'fails.txt').write_text(
        'Nap\n[Walk] <bed> (1)\n[Lie] <bed> (1)\n[Walk] <table> (1)'
    )
    (programs / 'lacks.txt').write_text('Eat\n[Walk] <pie> (1)\n[Grab] <pie> (1)\n[Eat] <pie> (1)')
    built = build_set(programs, [home_file], Resources())
    assert [(pair.pair_id, len(pair.gold)) for pair in built.pairs] == [('cool_the_milk-home', 4)]
    assert built.pairs[0].instruction == 'Cool the milk. Take it out, and shut the fridge.'
    reasons = built.left_out
    assert reasons['short.txt in home'] == 'it has fewer than 3 steps'
    assert reasons['fails.txt in home'].startswith('<character> (3) is sitting')
    assert reasons['lacks.txt in home'] == 'there is no pie, and no place where one may stand'
    folders = tmp_path / 'one', tmp_path / 'two'
    for folder in folders:
        assert write_set(folder, build_set(programs, [home_file], Resources()).pairs) == 1
    one, two = ({file.name: file.read_bytes() for file in each.iterdir()} for each in folders)
    assert one == two and set(one) == {'index.json', 'cool_the_milk-home.json'}
    pair = read_pair(files_of_set(folders[0])[0])
    assert as_file(pair) == as_file(built.pairs[0])
    world = ProgramsWorld()
    world.reset('', f'{folders[0]}#cool_the_milk-home', 0)
    assert world.expert()[0] == 'walk to fridge 10'
    progress = world.progress()
    assert progress is not None and progress.success
    (task,) = tasks_of(f'programs:{folders[0]}')
    assert (task.scene, task.task) == ('home', str(folders[0])), 'a task brings its scene'
    assert [task.task_id for task in world.tasks_of_file(folders[0])] == ['cool_the_milk-home']
    with pytest.raises(ConfigurationError, match='not empty'):
        write_set(folders[0], built.pairs)


def test_the_command_builds_a_set_and_says_what_is_no_task(
    home_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    programs, folder = tmp_path / 'programs', tmp_path / 'set'
    programs.mkdir()
    (programs / 'short.txt').write_text('Nap\n[Walk] <bed> (1)\n[Lie] <bed> (1)')
    build = ['world', 'build', str(folder), '--programs', str(programs), '--scene', str(home_file)]
    assert main(build) == ExitCode.UNUSABLE
    printed = capsys.readouterr()
    assert '1 x it has fewer than 3 steps' in printed.out
    assert 'no program can be executed in any of these scenes' in printed.err
    (programs / 'torn.txt').write_text('Nap\n[Walk] <bed> (1')
    assert main(build) == ExitCode.UNUSABLE
    assert f'{programs / "torn.txt"} cannot be used: line 2' in capsys.readouterr().err
    (programs / 'torn.txt').unlink()
    (programs / 'cool.txt').write_text(COOL)
    assert main(build) == ExitCode.OK
    printed = capsys.readouterr()
    assert 'home.json: 1 tasks, one per title; 1 programs cannot be executed there' in printed.out
    command = printed.out.splitlines()[-1].strip()
    assert command == f'reactree task "{folder}#cool_the_milk-home" --world programs'
    assert main(['task', f'{folder}#cool_the_milk-home', '--world', 'programs']) == ExitCode.OK
    assert 'Cool the milk' in capsys.readouterr().out
    assert main(build) == ExitCode.UNUSABLE
    assert 'is not empty: name a new one' in capsys.readouterr().err


def test_what_a_scene_lacks_is_added_where_the_table_says(
    graph: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / 'object_script_placing.json').write_text(
        json.dumps({'pie': [{'destination': 'table', 'relation': 'IN', 'room': None}]})
    )
    (tmp_path / 'properties_data.json').write_text(
        json.dumps({'pie': ['GRABBABLE', 'CAN_OPEN'], 'arms': ['BODY_PART']})
    )
    (tmp_path / 'class_name_equivalence.json').write_text(json.dumps({'cake': ['pie']}))
    resources = read_resources(tmp_path)
    script = read_script(
        'Have cake\n[Walk] <kitchen> (1)\n[Find] <cake> (1)\n[Grab] <cake> (1)\n[Wash] <arms> (1)'
    )
    pair = make_pair(script, graph, 'home', resources)
    added = pair.graph['nodes'][len(graph['nodes']) :]
    assert [(node['id'], node['class_name'], node['states']) for node in added] == [
        (24, 'pie', ['CLOSED']),
        (25, 'arms', []),
    ]
    edges = [tuple(edge.values()) for edge in pair.graph['edges'][len(graph['edges']) :]]
    assert edges == [
        (24, 'ON', 11),
        (24, 'CLOSE', 11),
        (11, 'CLOSE', 24),
        (24, 'INSIDE', 1),
        (25, 'INSIDE', 1),
    ]
    assert (3, 'HOLDS_RH', 24) in pair.goal
    assert pair == make_pair(script, graph, 'home', resources)
    with pytest.raises(NotPossible, match='there is no cake'):
        make_pair(script, graph, 'home', Resources())
    with pytest.raises(ConfigurationError, match='none of object_script_placing'):
        read_resources(tmp_path / 'nowhere')


@pytest.mark.parametrize(
    ('change', 'said'),
    [
        ({'format': 2}, 'format'),
        ({'gold': ['jump']}, "'jump' is no step"),
        ({'gold': ['[Jump]']}, '[JUMP] is not an action of VirtualHome'),
        ({'gold': ['[Walk]']}, '[WALK] takes 1 objects, not 0'),
        ({'gold': ['[Walk] <fridge> (999)']}, 'no node has the id of <fridge> (999)'),
        ({'goal': {'edges': [[3, 'ON', 999]], 'states': []}}, 'names the id 999'),
        ({'goal': {'edges': [['x', 'ON', 3]], 'states': []}}, 'write [id, relation, id]'),
        ({'graph': {}}, 'holds no scene graph'),
    ],
)
def test_a_file_that_is_no_task_is_told(
    graph: dict[str, Any], tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    pair = make_pair(read_script(COOL), graph, 'home', Resources())
    path = tmp_path / 'x.json'
    path.write_text(json.dumps({**as_file(pair), **change}))
    with pytest.raises(ConfigurationError) as error:
        read_pair(path)
    assert said in str(error.value) and 'x.json' in str(error.value)


def test_an_index_names_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / 'index.json').write_text(json.dumps({'format': 1, 'pairs': ['../secret']}))
    with pytest.raises(ConfigurationError, match='no file beside it'):
        files_of_set(tmp_path)


# Invented programs


@pytest.mark.parametrize('seed', [0, 3, 5, 7, 12, 54])
def test_an_invented_program_can_be_done_in_a_generated_home(seed: int) -> None:
    world = make_world('programs')
    world.reset(f'generated:{seed}', f'generated:{seed}', seed)
    assert isinstance(world, ProgramsWorld)
    world.expert()
    progress = world.progress()
    assert progress is not None and progress.success


def test_errors_of_tasks_and_options_say_what_to_do(tmp_path: Path) -> None:
    world = ProgramsWorld()
    for task, said in (
        ('invented:fly', 'choose one of: rest_on_the_sofa'),
        ('nowhere.txt', 'write generated:<seed>'),
        (f'{tmp_path}#x', 'cannot be read'),
    ):
        with pytest.raises(ConfigurationError, match=said):
            world.reset('generated:1', task, 0)
    with pytest.raises(ConfigurationError, match='reset the world first'):
        world.observe()
    for options in ({'form': 'poem'}, {'actions': '12'}, {'resources': str(tmp_path)}):
        with pytest.raises(ConfigurationError):
            ProgramsWorld(**options)


def test_the_published_set_of_programs(shared_data: Path) -> None:
    """Gold plans of a set built from real programs reach Exec = SR = GCR = 1."""
    files = [
        shared_data / 'virtualhome_scenes' / f'TrimmedTestScene{number}_graph.json'
        for number in (1, 2, 3, 4)
    ]
    resources = read_resources(shared_data / 'virtualhome_resources')
    built = build_set(shared_data / 'eai_virtualhome' / 'programs', files, resources)
    assert {pair.scene for pair in built.pairs} == {'ENV-1', 'ENV-2', 'ENV-3', 'ENV-4'}
    results = [
        (execute(Stage(pair.graph), pair.gold, PUBLISHED), pair.goal) for pair in built.pairs
    ]
    assert len(results) >= 10
    for rule in Rule:
        found = measure(results, rule)
        assert (found.executability, found.success, found.recall) == (1.0, 1.0, 1.0)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 5), st.lists(st.integers(0, 10_000), max_size=25))
def test_no_skills_break_a_home(seed: int, choices: list[int]) -> None:
    """Hands hold what they say, and what is offered succeeds, whatever was done before."""
    world = ProgramsWorld()
    world.reset(f'generated:{seed}', '', 0)
    nodes = len(world.graph()['nodes'])
    for choice in choices:
        offered = world.admissible_skills()
        wide = world.candidate_skills()
        skill = offered[choice % len(offered)] if choice % 3 else wide[choice % len(wide)]
        observation = world.step(skill)
        assert observation.succeeded or skill not in offered
        assert len(observation.held) <= 2
        graph = world.graph()
        assert len(graph['nodes']) == nodes
        character = next(n['id'] for n in graph['nodes'] if n['class_name'] == 'character')
        rooms = [
            edge
            for edge in graph['edges']
            if edge['from_id'] == character and edge['relation_type'] == 'INSIDE'
        ]
        assert len(rooms) == 1
