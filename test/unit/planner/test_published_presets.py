"""Presets `published`: each planner decides as its paper says, from prompts of the same parts.

Trajectories follow the papers' (ADaPT's are those of its published results in short); where a
paper prints none they are written after its description.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import SkillError
from reactree_core.observation import ObjectFact, Observation, Outcome, Progress, Vocabulary
from reactree_core.ports import Sample
from reactree_core.record.events import DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel, PolicySession
from reactree_planner.llm.two_models import TwoModels
from reactree_planner.planners.registry import make_planner, PLANNERS
from reactree_planner.runs.presets import setting_of, settings_of_preset, values_of_preset
from reactree_planner.runs.published import FROM_CODE, FROM_PAPERS
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from support.memories import FixedMemory
from support.skill_kinds import declared

TASK = 'put apple on table'
WAY = (
    'go to kitchen',
    'go to fridge',
    'open fridge',
    'pick up apple',
    'go to bedroom',
    'go to table',
    'put down apple',
)
EXECUTED = [f'{step} 1' for step in WAY]


class Asked(PolicyModel):
    """Notes how every text was asked for: temperature, top-p, longest answer, prompt."""

    def __init__(self, policy):
        super().__init__(policy)
        self.asked = []
        self.chosen = []

    def session(self, cancel, shared_prefix=''):
        return AskedSession(self, self._policy, cancel, shared_prefix, 0)

    @property
    def temperatures(self):
        return [temperature for temperature, *_ in self.asked]


class AskedSession(PolicySession):
    def generate(self, stop=('\n',), max_tokens=200, temperature=0.0, seed=0, top_p=1.0):
        self._model.asked.append((temperature, top_p, max_tokens, self.text))
        return super().generate(stop, max_tokens, temperature, seed, top_p)

    def select(self, options, strategy=None):
        self._model.chosen.append(self.text)
        return super().select(options)

    def fork(self):
        return AskedSession(self._model, self._policy, self._cancel, self._text, self._cached)


def go(planner, policy, home, task=TASK, overrides='', domain='household'):
    """Plan under the preset: (success, run, model, events)."""
    events = []
    model = Asked(policy)
    preset = ','.join(filter(None, ('published', overrides)))
    run = PlanRun(
        task,
        Ports(model, home, FixedMemory()),
        replace(settings_of_preset(preset, planner), domain=domain, working_memory=False),
        Limits(),
        CancelToken(),
        events.append,
    )
    success = make_planner(planner).run(run)
    return success, run, model, events


def in_order(text, *parts):
    """Whether a prompt has these parts, one after the other."""
    places = []
    for part in parts:
        places.append(text.find(part, places[-1] if places else 0))
        assert places[-1] >= 0, f'{part!r} is not in its place in {text!r}'
    return True


# The tables ----------------------------------------------------------------------------------


@pytest.mark.parametrize('row', [*FROM_PAPERS, *FROM_CODE], ids=lambda row: row.setting)
def test_every_value_is_of_a_planner_has_its_type_and_a_source(row):
    assert row.planner in ('', *PLANNERS)
    usual = setting_of(settings_of_preset('default', ''), row.setting)
    assert type(row.value) is type(usual)
    assert len(row.source) > 5


@pytest.mark.parametrize('planner', PLANNERS)
def test_a_planner_has_one_value_of_a_setting(planner):
    settings = settings_of_preset('published', planner)
    for row in values_of_preset('published', planner):
        assert setting_of(settings, row.setting) == row.value


# Planners of plans ---------------------------------------------------------------------------


def step_of(text, way=WAY):
    """The next line of a plan that is asked for step by step."""
    written = text.rpartition('Your task is to: ')[2]
    done = [line for line in written.splitlines() if line[:1].isdigit() and len(line) > 3]
    return (*way, 'done')[len(done)]


def test_zero_shot_ranks_ten_samples_of_each_step(small_home):
    drawn = []

    def policy(text, options):
        drawn.append(text)
        step = step_of(text)
        # Nine samples of ten say something less likely.
        if len(drawn) % 10:
            return Sample(' close fridge\n', ((' close fridge', -9.0),))
        return Sample(f' {step}\n', ((f' {step}', -0.2),))

    # Where most samples end the plan, it ends.
    def ending(text, options):
        return policy(text, options) if step_of(text) != 'done' else ' done\n'

    success, _, model, _ = go('zero_shot', ending, small_home)
    assert success
    assert small_home.executed == EXECUTED
    assert len(model.asked) == 10 * (len(WAY) + 1)
    assert {asked[:2] for asked in model.asked} == {(0.6, 0.9)}
    # One retrieved plan is the exemplar; then the task and the translated steps so far.
    prompt = model.asked[-1][3]
    assert prompt.count('Your task is to: ') == 2
    assert in_order(prompt, 'Skills: ', 'Your task is to: ', f'Your task is to: {TASK}', 'Plan:')
    assert prompt.endswith('6. go to table\n7. put down apple\n8.')


def test_zero_shot_stops_early_where_no_sample_is_good_enough(small_home):
    def unlikely(text, options):
        return Sample(' go to table\n', ((' go to table', -2.0),))

    success, _, _, _ = go('zero_shot', unlikely, small_home)
    # 1 - 0.3 * 2 is below 0.5.
    assert not success
    assert small_home.executed == []


def plan_text(way):
    return '\n'.join(f'{number}. {step}' for number, step in enumerate((*way, 'done'), 1))


def test_tree_planner_samples_votes_and_corrects_as_published(small_home):
    astray = ('go to kitchen', 'pick up apple')
    left = [astray] * 20 + [WAY] * 30
    seen = []

    def policy(text, options):
        if text.endswith('Answer:'):
            seen.append(text)
            offered = text.rpartition('Which step comes next?\n')[2]
            # First what cannot be done, then by the error.
            wanted = 'go to fridge' if 'failed: ' in text else 'pick up apple'
            line = next((one for one in offered.splitlines() if wanted in one), 'A.')
            return f' {line[0]}'
        return plan_text(left.pop(0))

    success, _, model, _ = go('tree_planner', policy, small_home)
    assert success
    assert small_home.executed == EXECUTED
    sampling = [asked for asked in model.asked if not asked[3].endswith('Answer:')]
    assert {asked[:3] for asked in sampling} == {(0.8, 0.95, 512)}
    assert len(sampling) == 50
    # Instruction, global information, examples, initial observation, task.
    in_order(
        sampling[0][3],
        'You plan for a household robot.',
        'Skills: go to <room>',
        'Rooms: bedroom 1, kitchen 1.',
        'Places: fridge, table.',
        'Things: apple, pear.',
        'Your task is to: ',
        'You are in bedroom 1. You hold nothing.',
        f'Your task is to: {TASK}\nPlan:\n1.',
    )
    assert sampling[0][3].count('Your task is to: ') == 4, (
        'of four examples one uses a washing machine'
    )
    votes = [asked for asked in model.asked if asked[3].endswith('Answer:')]
    # One fork: the only step left after the failed one is taken without asking.
    assert len(votes) == 20
    assert {asked[:2] for asked in votes} == {(0.7, 1.0)}
    # Instruction, task, history, observation with all that is seen, options; no examples.
    in_order(
        votes[0][3],
        'You choose the next step of a household robot.',
        f'Your task is to: {TASK}',
        'Done so far:\nAct: go to kitchen 1',
        'Now: You are in kitchen 1. You hold nothing.\nfridge 1 is closed\n',
        'In kitchen 1: fridge 1',
        'Which step comes next?\nA. go to fridge\nB. pick up apple\nAnswer:',
    )
    assert votes[0][3].count('Your task is to: ') == 1


class Doors:
    """Doors of which all but the green one are stuck."""

    vocabulary = declared(
        Vocabulary(
            ('open <object>', 'close <object>'),
            (),
            ('red door', 'blue door', 'black door', 'green door'),
            ('hall 1',),
        )
    )

    def __init__(self):
        self.opened = []

    def list_skills(self, cancel):
        return self.vocabulary, self.look(cancel)

    def candidate_skills(self, cancel):
        return self.look(cancel).admissible_skills

    def look(self, cancel):
        doors = self.vocabulary.place_classes
        return Observation(
            'You see doors.',
            place='hall 1',
            room='hall 1',
            admissible_skills=tuple(f'open {door} 1' for door in doors),
            facts=tuple(ObjectFact(door, 1, 'hall 1') for door in doors),
        )

    def progress(self, cancel):
        return None

    def execute(self, sequence, node_id, skill, cancel):
        if 'green' not in skill:
            text = f'The {skill.split()[1]} door is stuck.'
            return replace(self.look(cancel), text=text, outcome=Outcome.EXECUTION_FAILED)
        self.opened.append(skill)
        return replace(self.look(cancel), text=f'You {skill}.')


def test_errors_at_one_fork_pile_up(small_home):
    colours = ['red', 'blue', 'black', 'green']
    left = [(f'open {colour} door',) for colour in colours for _ in range(3)]
    votes = []

    def policy(text, options):
        if text.endswith('Answer:'):
            votes.append(text)
            return ' A'
        return plan_text(left.pop(0))

    doors = Doors()
    task = 'open a door'
    success, _, _, _ = go(
        'tree_planner', policy, doors, task, 'plans.samples=12,plans.votes=1', 'neutral'
    )
    assert success
    assert doors.opened == ['open green door 1']
    assert 'failed: ' not in votes[0]
    assert 'The red door is stuck.' in votes[1]
    in_order(
        votes[2], 'The red door is stuck.', 'The blue door is stuck.', 'Which step comes next?'
    )


def test_best_first_asks_nothing_after_sampling_and_corrects_nothing(small_home):
    left = [('open fridge',), *[('go to table',)] * 49]
    success, _, model, _ = go(
        'best_first', lambda text, options: plan_text(left.pop(0)), small_home
    )
    assert success
    assert small_home.executed == ['go to table 1']
    assert len(model.asked) == 50 and not model.chosen
    left = [('open fridge',)] * 50
    again = type(small_home)()
    success, _, _, _ = go('best_first', lambda text, options: plan_text(left.pop(0)), again)
    assert not success
    assert again.executed == []


def steps_one_by_one(way):
    left = list(way)

    def policy(text, options):
        assert options is None
        return f' {left.pop(0)}\n'

    return policy


def test_iterative_writes_each_step_once_at_temperature_zero(small_home):
    success, _, model, _ = go('iterative', steps_one_by_one((*WAY, 'done')), small_home)
    assert success
    assert small_home.executed == EXECUTED
    assert model.temperatures == [0.0] * (len(WAY) + 1)
    # Instruction, global information, examples, observation, task, and what was done and seen.
    in_order(
        model.asked[-1][3],
        'You steer a household robot.',
        'Skills: ',
        'Your task is to: ',
        'You are in the middle of a bedroom (1).',
        f'Your task is to: {TASK}\nPlan:\nAct: go to kitchen 1\nYou go to kitchen 1.',
        'Act: put down apple 1\nYou put down apple 1.\nAct:',
    )


def test_iterative_ends_at_a_step_that_fails(small_home):
    success, _, model, _ = go('iterative', steps_one_by_one(('open fridge', *WAY)), small_home)
    assert not success
    assert len(model.asked) == 1


def test_local_replan_goes_on_from_the_failed_step_and_global_replan_from_the_start(small_home):
    astray = (*WAY[:2], 'pick up apple')
    success, _, model, _ = go(
        'local_replan', steps_one_by_one((*astray, *WAY[2:], 'done')), small_home
    )
    assert success
    assert small_home.executed == EXECUTED
    assert set(model.temperatures) == {0.0}
    assert 'failed: ' in model.asked[3][3]
    again = type(small_home)()
    success, _, model, _ = go('global_replan', steps_one_by_one((*astray, *WAY, 'done')), again)
    assert success
    # Taken back by skills where the world cannot be put back, then all of it again.
    assert again.executed[:2] == EXECUTED[:2]
    assert again.executed[-7:] == EXECUTED
    assert 'Other ways were tried and taken back:' in model.asked[3][3]


@pytest.mark.parametrize('planner', ['local_replan', 'global_replan', 'tree_planner'])
def test_after_ten_corrections_a_failure_ends_the_run(small_home, planner):
    def policy(text, options):
        policy.asked += 1
        return ' open fridge\n'

    policy.asked = 0
    if planner == 'tree_planner':
        assert settings_of_preset('published', planner).plans.corrections == 10
        return
    success, run, _, _ = go(planner, policy, small_home)
    assert not success
    assert policy.asked == 11
    assert run.tree.node(1).detail == (
        'all 10 corrections are made: raise plans.corrections to go on longer'
    )


def test_progprompt_passes_over_what_fails_and_writes_at_temperature_zero(small_home, program):
    text = program(('open fridge', *WAY))
    success, _, model, _ = go('progprompt', lambda asked, options: text, small_home)
    assert success
    assert small_home.executed == EXECUTED
    ((temperature, _, longest, prompt),) = model.asked
    assert (temperature, longest) == (0.0, 600)
    # Actions to import, known objects, three example programs, the head of the new one.
    in_order(
        prompt,
        'from actions import go_to <room>, go_to <object>',
        'objects = [',
        'def please_bring_a_book_and_a_pillow_to_the_sofa():',
        "assert('close' to ",
        'else: go_to(',
        f'def {TASK.replace(" ", "_")}():\n',
    )
    assert prompt.endswith('():\n')


# ADaPT and its baselines ---------------------------------------------------------------------

PLACES = ('desk 1', 'desk 2', 'drawer 1', 'shelf 1', 'shelf 2', 'garbagecan 1')
ROOM = (
    'You are in the middle of a room. Looking quickly around you, you see a desk 2, a desk 1, '
    'a drawer 1, a shelf 2, a shelf 1, and a garbagecan 1.'
)
#: Put a mug in desk, after results/ADaPT_maxd3_alfworld_text_davinci_003.json: what is done under
#: "Find and take mug from desk", and what came of it.
FOUND = (
    ('Think: First I need to find a mug. I can check one by one, starting with desk 1.', 'OK.'),
    ('Act: go to desk 1', 'On the desk 1, you see a alarmclock 1, and a laptop 1.'),
    ('Act: go to desk 2', 'On the desk 2, you see a bowl 2, and a pen 2.'),
    ('Think: There is no mug in desk 1 and desk 2. Next, I need to check drawer 1.', 'OK.'),
    ('Act: go to drawer 1', 'The drawer 1 is closed.'),
    ('Act: open drawer 1', 'In it, you see nothing.'),
    ('Act: go to shelf 1', 'On the shelf 1, you see a cellphone 1.'),
    ('Act: open shelf 1', 'Nothing happens.'),
    ('Act: go to shelf 2', 'On the shelf 2, you see a mug 1.'),
    ('Act: take mug 1 from shelf 2', 'You pick up the mug 1 from the shelf 2.'),
    ('Act: done', ''),
)
PUT = (
    ('Act: go to desk 1', 'On the desk 1, you see a alarmclock 1, and a laptop 1.'),
    ('Act: move mug 1 to desk 1', 'You move the mug 1 to the desk 1.'),
    ('Act: done', ''),
)
MUG_TASK = 'put a mug in desk'


class PublishedRoom:
    """The room of the trajectory; what is not in it comes to nothing, as in ALFWorld."""

    vocabulary = declared(
        Vocabulary(
            (
                'go to <place>',
                'open <place>',
                'take <object> from <place>',
                'move <object> to <place>',
            ),
            ('mug',),
            ('desk', 'drawer', 'shelf', 'garbagecan'),
            domain='alfworld',
        )
    )

    def __init__(self):
        self.executed = []
        self.resets = 0
        self.answers = {
            decision.removeprefix('Act: '): answer
            for decision, answer in (*FOUND, *PUT)
            if decision.startswith('Act: ')
        }
        self.goal = 'move mug 1 to desk 1'

    def list_skills(self, cancel):
        return self.vocabulary, self.look(cancel)

    def candidate_skills(self, cancel):
        moves = [f'{verb} {place}' for verb in ('go to', 'open') for place in PLACES]
        takes = [f'take mug 1 from {place}' for place in PLACES]
        return (*moves, *takes, *(f'move mug 1 to {place}' for place in PLACES))

    def look(self, cancel):
        return Observation(ROOM)

    def progress(self, cancel):
        return Progress(int(self.goal in self.executed), 1)

    def reset(self, cancel):
        self.resets += 1
        self.executed = []

    def execute(self, sequence, node_id, skill, cancel):
        self.executed.append(skill)
        text = self.answers.get(skill, 'Nothing happens.')
        failed = text == 'Nothing happens.'
        outcome = Outcome.PRECONDITION_FAILED if failed else Outcome.SUCCEEDED
        return Observation(text, outcome)


def goal_of(text):
    return text.rpartition('Your task is to: ')[2].splitlines()[0]


class Executor:
    """Decides as trajectories say, whichever way it is asked.

    :param ways: goal -> its decisions, or those of each trial. :param plans: goal -> plan.
    """

    def __init__(self, ways, plans=None):
        self.left = {goal: list(way) for goal, way in ways.items()}
        self.plans = plans or {}
        self.reflections = []

    def __call__(self, text, options):
        goal = goal_of(text)
        if options is None and text.endswith('Reflection:'):
            self.reflections.append(f'lesson {len(self.reflections) + 1}')
            return f' {self.reflections[-1]}'
        steps, order = self.plans.get(goal, ((), ''))
        tail = text.rpartition('\n')[2]
        if options is None and tail.startswith('Step '):
            return f' {steps[int(tail[5:-1]) - 1]}'
        if options is None and tail == 'Execution Order:':
            return f' {order}'
        names = [option.strip() for option in options or ()]
        if 'Execution Order:' in names:
            return int(int(names[0][5:-1]) > len(steps))
        if options is None and tail == 'Think:' and goal in self.plans and not self.left[goal]:
            return ' I plan.'
        decision = self.left[goal][0]
        kind, _, rest = decision.partition(': ')
        if names and f'{kind}:' in names:
            return names.index(f'{kind}:')
        if options is None and not tail:
            # Sampled: what kind of decision it is, then the decision.
            return f'{kind}:'
        self.left[goal].pop(0)
        return names.index(rest) if names else f' {rest}\n'


def decisions(way):
    return [decision for decision, _ in way]


def told_of(events, node):
    """Thoughts and skills of a node as lines, with what came of the skills."""
    lines = []
    for event in events:
        if event.node_id != node:
            continue
        if isinstance(event, Observation):
            if event.skill:
                lines[-1] = (lines[-1][0], event.text)
        elif event.kind is DecisionKind.THINK:
            lines.append((f'Think: {event.text}', 'OK.'))
        elif event.kind is DecisionKind.ACT:
            lines.append((f'Act: {event.skill}', ''))
    return tuple(lines)


ADAPT_PLANS = {
    MUG_TASK: (('Find and take mug', 'Put mug in desk'), 'Step 1 AND Step 2'),
    'Find and take mug': (
        (
            'Find and take mug from desk',
            'Find and take mug from drawer',
            'Find and take mug from shelf',
            'Find and take mug from garbagecan',
        ),
        'Step 1 OR Step 2 OR Step 3 OR Step 4',
    ),
}


def test_adapt_takes_the_published_trajectory_decision_by_decision(outline):
    room = PublishedRoom()
    executor = Executor(
        {
            MUG_TASK: ['Act: failure'],
            'Find and take mug': ['Act: failure'],
            'Find and take mug from desk': decisions(FOUND),
            'Put mug in desk': decisions(PUT),
        },
        ADAPT_PLANS,
    )
    success, run, model, events = go('adapt', executor, room, MUG_TASK, domain='alfworld')
    assert success
    lines = outline(run.tree.snapshot())
    # As in the published result: success by depth, and the logic of each plan.
    assert [line.strip() for line in lines] == [
        f'{MUG_TASK}: success',
        'SEQUENCE: success',
        'Find and take mug: success',
        'FALLBACK: success',
        'Find and take mug from desk: success',
        'Find and take mug from drawer: idle',
        'Find and take mug from shelf: idle',
        'Find and take mug from garbagecan: idle',
        'Put mug in desk: success',
    ]
    nodes = {node.goal: node.node_id for node in run.tree.snapshot().nodes}
    assert told_of(events, nodes['Find and take mug from desk']) == FOUND
    assert told_of(events, nodes['Put mug in desk']) == PUT
    assert set(model.temperatures) == {0.0}


def test_the_executor_reads_skills_and_two_tasks_then_what_was_done_and_its_goal():
    executor = Executor(
        {
            MUG_TASK: ['Act: failure'],
            'Find and take mug': decisions(FOUND),
            'Put mug in desk': decisions(PUT),
        },
        ADAPT_PLANS,
    )
    _, _, model, _ = go('adapt', executor, PublishedRoom(), MUG_TASK, domain='alfworld')
    prompt = next(text for text in model.chosen if goal_of(text) == 'Put mug in desk')
    # Skills by name (table 5), gold trajectories for heat and look, salient information, task.
    in_order(
        prompt,
        'Act: done says that the task is completed.',
        'Act: take ',
        'Act: move ',
        'Act: clean ',
        'Act: heat ',
        'Act: cool ',
        'Act: use desklamp',
        'Your task is to: heat some mug and put it in cabinet',
        'Your task is to: look at pencil under the desklamp',
        'Done just before: take mug 1 from shelf 2. You pick up the mug 1',
        'Your task is to: Put mug in desk\n',
        ROOM,
    )
    only_skills = 'executor_prompt=skills'
    executor = Executor({MUG_TASK: ['Act: failure']}, {MUG_TASK: (('wait',), 'Step 1')})
    with pytest.raises(KeyError, match='wait'):
        go('adapt', executor, PublishedRoom(), MUG_TASK, only_skills, 'alfworld')
    room = PublishedRoom()
    executor = Executor({MUG_TASK: ['Act: failure']})
    _, _, model, _ = go('adapt', executor, room, MUG_TASK, f'{only_skills},trials=1', 'alfworld')
    assert 'heat some mug' not in model.chosen[0]
    assert 'Act: use desklamp' in model.chosen[0]


def test_an_executor_has_failed_after_twenty_decisions_and_d_max_is_three():
    looping = ['Act: go to desk 1'] * 100
    executor = Executor(
        {goal: list(looping) for goal in (MUG_TASK, 'look', 'see')},
        {MUG_TASK: (('look',), 'Step 1'), 'look': (('see',), 'Step 1')},
    )
    success, _, _, events = go('adapt', executor, PublishedRoom(), MUG_TASK, domain='alfworld')
    assert not success
    acted = [event.node_id for event in events if isinstance(event, Observation) and event.skill]
    assert {acted.count(node) for node in set(acted)} == {20}
    assert len(set(acted)) == 3


def test_plan_and_execute_plans_once_with_nested_logic(outline):
    steps = (
        'Find and take mug from desk',
        'Find and take mug from drawer',
        'Put mug in desk',
    )
    executor = Executor(
        {
            MUG_TASK: [],
            steps[0]: ['Act: go to desk 1', 'Act: failure'],
            steps[1]: ['Act: go to drawer 1', *decisions(FOUND)[-3:]],
            steps[2]: decisions(PUT),
        },
        {MUG_TASK: (steps, '(Step 1 OR Step 2) AND Step 3')},
    )
    success, run, model, _ = go(
        'plan_and_execute', executor, PublishedRoom(), MUG_TASK, domain='alfworld'
    )
    assert success
    assert [line.strip() for line in outline(run.tree.snapshot())] == [
        f'{MUG_TASK}: success',
        'SEQUENCE: success',
        f'{steps[0]}, or {steps[1]}: success',
        'FALLBACK: success',
        f'{steps[0]}: failure',
        f'{steps[1]}: success',
        f'{steps[2]}: success',
    ]
    assert set(model.temperatures) == {0.0}


def trial(number):
    return f'{MUG_TASK} (trial {number} of 3)'


def test_try_again_makes_all_trials_samples_the_later_ones_and_counts_the_best():
    room = PublishedRoom()
    quick = ['Act: take mug 1 from shelf 2', *decisions(PUT)]
    executor = Executor({MUG_TASK: ['Act: go to desk 1', 'Act: failure', *quick, 'Act: failure']})
    success, run, model, _ = go('try_again', executor, room, MUG_TASK, domain='alfworld')
    assert success
    tree = run.tree.snapshot()
    assert [(node.goal, node.status.name) for node in tree.nodes[2:]] == [
        (trial(1), 'FAILURE'),
        (trial(2), 'SUCCESS'),
        (trial(3), 'FAILURE'),
    ]
    assert room.resets == 2
    assert run.best == Progress(1, 1)
    # The first trial is greedy; of the others kinds of decisions and skills are sampled at 0.7.
    assert len(model.chosen) == 4
    assert set(model.temperatures) == {0.7}
    assert len(model.asked) == 2 * (len(quick) + 1)


def test_reflexion_reflects_while_the_world_says_no_and_reads_the_last_three_lessons():
    room = PublishedRoom()
    # The executor holds its first trial for done, and the world does not.
    ways = ['Act: done', *['Act: failure'] * 3, *decisions(FOUND)[-2:-1], *decisions(PUT)]
    executor = Executor({MUG_TASK: ways})
    success, run, model, _ = go(
        'reflexion', executor, room, MUG_TASK, 'trials=6', domain='alfworld'
    )
    assert success
    assert executor.reflections == [f'lesson {number}' for number in range(1, 5)]
    tree = run.tree.snapshot()
    ended = [node.status.name for node in tree.nodes[2:]]
    assert ended == ['FAILURE'] * 4 + ['SUCCESS', 'IDLE']
    assert 'but the world says: 0 of 1' in tree.nodes[2].detail
    assert set(model.temperatures) == {0.0}
    prompt = model.chosen[-1]
    in_order(
        prompt,
        'What earlier trials of this task have taught:\n- lesson 2\n- lesson 3\n- lesson 4\n',
        f'Your task is to: {MUG_TASK}\n',
        ROOM,
    )
    assert 'lesson 1' not in prompt


def test_reflexion_needs_a_world_that_begins_anew():
    class Robot(PublishedRoom):
        def reset(self, cancel):
            raise SkillError('Put things back by hand.')

    with pytest.raises(SkillError, match='can be reset'):
        go('reflexion', Executor({MUG_TASK: []}), Robot(), MUG_TASK, domain='alfworld')


def test_of_two_models_one_writes_the_plans_and_the_other_does_the_rest():
    executor = Executor(
        {
            MUG_TASK: ['Act: failure'],
            'Find and take mug': decisions(FOUND),
            'Put mug in desk': decisions(PUT),
        },
        ADAPT_PLANS,
    )
    acts, plans = Asked(executor), Asked(executor)
    run = PlanRun(
        MUG_TASK,
        Ports(TwoModels(acts, plans), PublishedRoom(), FixedMemory()),
        replace(settings_of_preset('published', 'adapt'), working_memory=False),
        Limits(),
        CancelToken(),
        lambda event: None,
    )
    assert make_planner('adapt').run(run)
    assert {goal_of(text) for _, _, _, text in plans.asked} == {MUG_TASK}
    assert any(text.endswith('Execution Order:') for _, _, _, text in plans.asked)
    assert not any('Execution Order:' in text for *_, text in acts.asked)
    assert run.budget.usage.requests == run.model.usage.requests + run.planning.usage.requests
    assert run.planning.usage.requests > 3


def test_a_sampled_trial_that_writes_no_skill_is_kept_to_what_is_offered():
    ways = ['Act: failure', *decisions(FOUND)[-2:-1], *decisions(PUT)]
    executor = Executor({MUG_TASK: ways})

    def rambling(text, options):
        return executor(text, options) if options is not None else ' I would rather not.'

    overrides = 'trials=2,all_trials=false'
    success, _, model, _ = go(
        'try_again', rambling, PublishedRoom(), MUG_TASK, overrides, 'alfworld'
    )
    assert success
    # Three tries for each decision and each kind of one, at 0.7.
    assert model.temperatures == [0.7] * (3 * 2 * (len(ways) - 1))


def test_executors_without_demonstrations_say_so():
    executor = Executor({MUG_TASK: ['Act: failure']})
    _, run, _, _ = go('adapt', executor, PublishedRoom(), MUG_TASK, 'trials=1', 'neutral')
    assert any('has no skill_examples' in notice for notice in run.notices)


# ProcWorld's methods -------------------------------------------------------------------------

#: ProcWorld's ReAct, as docs/reproduce.md has it.
FREE_REACT = 'free_actions=true,turns=50,chat_tokens=2048,fail_at_limits=false'


def lines_of(*said):
    """What a model writes line by line; the last for good."""
    left = list(said)

    def policy(text, options):
        assert options is None, 'nothing constrains the model'
        return left.pop(0) if len(left) > 1 else left[0]

    return policy


def test_procworlds_react_writes_thoughts_and_skills_as_text(small_home):
    said = [' Think: I look for an apple.', 'fly away', *(f'> Act: {one}' for one in EXECUTED)]
    policy = lines_of(*said, 'done')
    success, _, model, events = go(
        'react', policy, small_home, overrides=f'{FREE_REACT},executor_prompt=task',
        domain='procworld',
    )  # fmt: skip
    assert success
    assert small_home.executed == EXECUTED
    assert set(model.temperatures) == {0.0} and not model.chosen
    in_order(
        model.asked[-1][3],
        'Your task is to: ',
        'Act: done',
        f'Your task is to: {TASK}\n',
        'Think: I look for an apple.\nOK.\nAct: fly away\n',
        f'Act: {EXECUTED[0]}\n',
    )
    acted = [event.skill for event in events if getattr(event, 'kind', None) is DecisionKind.ACT]
    assert acted == ['fly away', *EXECUTED, 'done']


def test_procworlds_react_has_fifty_turns_and_2048_tokens(small_home):
    tour = ['go to kitchen 1', 'go to fridge 1', 'go to bedroom 1', 'go to table 1'] * 13
    said = [line for place in tour for line in (f'Think: {"far " * 90}', f'Act: {place}')]
    success, run, model, _ = go('react', lines_of(*said), small_home, overrides=FREE_REACT)
    assert not success
    assert len(small_home.executed) == 50
    assert run.tree.node(1).detail == 'all 50 turns are used'
    longest = max(len(text.split()) for *_, text in model.asked)
    assert 1000 < longest <= 2048 - 200
    assert 'Earlier steps are left out' in model.asked[-1][3]


def answering(*skills):
    """Answers of a conversation, one after another; the last for good."""
    left = list(skills)

    def policy(text, options):
        assert options is None, 'nothing constrains the model'
        skill = left.pop(0) if len(left) > 1 else left[0]
        return f' THOUGHT: I go on.\nACTION: {skill}'

    return policy


@pytest.mark.parametrize('planner', ['agentbench', 'alfchat', 'stateflow'])
def test_conversations_have_the_parts_of_the_paper_in_their_order(small_home, planner):
    skip = ['plan'] if planner == 'stateflow' else []
    policy = answering(*skip, 'fly away', *EXECUTED, 'done')
    success, _, model, _ = go(planner, policy, small_home, domain='alfworld')
    assert success
    assert small_home.executed == EXECUTED
    assert set(model.temperatures) == {0.0} and not model.chosen
    # Instruction, one worked task, then its own: observation, task, and what can be done; the
    # thoughts and actions so far, each with what the world said and what can be done then.
    first = model.asked[len(skip)][3]
    sense = ['Remember: You must find and take a thing'] if planner == 'alfchat' else []
    in_order(
        first,
        'System: ',
        'THOUGHT: what you see',
        'User: Here is your task.\nYour task is to: heat some mug and put it in cabinet',
        'Assistant: THOUGHT: I find and take a mug',
        'ACTION: go to countertop 1\nUser: You arrive at countertop 1.',
        'ACTION: done\nUser: Here is your task.\nYou are in the middle of a bedroom (1).',
        f'Your task is to: {TASK}\n',
        *sense,
        'AVAILABLE ACTIONS:\ngo to bedroom 1\n',
    )
    in_order(
        model.asked[-1][3],
        f'Your task is to: {TASK}\n',
        'ACTION: fly away\nUser: It is too far.',
        'AVAILABLE ACTIONS:\n',
        'Assistant: THOUGHT: I go on.\nACTION: go to kitchen 1\nUser: You go to kitchen 1.',
    )
    assert first.count('Your task is to: ') == 2, 'one worked task'


@pytest.mark.parametrize('planner', ['agentbench', 'alfchat', 'stateflow'])
def test_conversations_are_as_short_as_in_the_paper(small_home, planner):
    settings = settings_of_preset('published', planner)
    assert (settings.turns, settings.chat_tokens, settings.free_actions) == (50, 2048, True)
    # Always somewhere else: the grounding agent sees no mistake.
    tour = ['go to kitchen 1', 'go to fridge 1', 'go to bedroom 1', 'go to table 1'] * 13
    go_on = answering(*(['plan'] if planner == 'stateflow' else []), *tour)
    success, run, _, _ = go(planner, go_on, small_home)
    assert not success
    assert len(small_home.executed) == 50
    assert run.tree.node(1).detail == 'the conversation used all its 50 turns'
