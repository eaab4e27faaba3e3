"""Tree-Planner: sampling, deciding, going back; figures 2 and 4, and whatever may fail."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Observation, Outcome, Vocabulary
from reactree_core.record.events import DecisionKind, NodeKind, NodeStatus
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import reduce_events
from reactree_planner.llm.policy import PolicyModel, PolicySession
from reactree_planner.planners.action_tree import decide
from reactree_planner.planners.plans.execution import DoneStep
from reactree_planner.planners.tree_planner import TreePlanner, TreeWalk
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings, PlanSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.registry import make_task_world
from support.memories import FixedMemory
from support.skill_kinds import declared

COLOURS = ('red', 'blue', 'green', 'black', 'white', 'grey')


class Boxes:
    """Boxes to open and close; which ways of opening them fail, a test says.

    :param fails: orders of opening of which the last cannot be done.
    """

    vocabulary = declared(
        Vocabulary(
            ('open <object>', 'close <object>'),
            (),
            tuple(f'{colour} box' for colour in COLOURS),
            ('hall 1',),
        )
    )

    def __init__(self, fails=()):
        self.fails = set(fails)
        self.opened = ()
        self.tried = []

    def list_skills(self, cancel):
        return self.vocabulary, self.look(cancel)

    def look(self, cancel):
        return self._observation('You see boxes.', Outcome.SUCCEEDED)

    def progress(self, cancel):
        return None

    def execute(self, sequence, node_id, skill, cancel):
        verb, colour = skill.split()[:2]
        if verb == 'close':
            assert colour == self.opened[-1], 'taken back newest first'
            self.opened = self.opened[:-1]
            return self._observation(f'You {skill}.', Outcome.SUCCEEDED)
        way = (*self.opened, colour)
        self.tried.append(way)
        if way in self.fails:
            return self._observation(f'The {colour} box is stuck.', Outcome.PRECONDITION_FAILED)
        self.opened = way
        return self._observation(f'You {skill}.', Outcome.SUCCEEDED)

    def _observation(self, text, outcome):
        skills = [
            f'{"close" if colour in self.opened else "open"} {colour} box 1' for colour in COLOURS
        ]
        return Observation(
            text, outcome, place='hall 1', room='hall 1', admissible_skills=tuple(skills)
        )


def sampled(plans, vote):
    """A model that samples these plans (orders of colours), and votes as `vote(text)` says."""
    left = list(plans)

    def policy(text, options):
        if options is not None:
            return 0
        if text.endswith('Answer:'):
            return vote(text)
        steps = [f'open {colour} box' for colour in left.pop(0)]
        return '\n'.join(f'{number}. {step}' for number, step in enumerate((*steps, 'done'), 1))

    return policy


def options_of(text):
    """Letters and steps that a decision offers."""
    lines = text.rpartition('Which step comes next?\n')[2].splitlines()[:-1]
    return {line.partition('. ')[2]: line[0] for line in lines}


def preferring(*steps):
    """A vote for the first of these that is on offer."""

    def vote(text):
        offered = options_of(text)
        return ' ' + next(offered[step] for step in steps if step in offered)

    return vote


class SeedsModel(PolicyModel):
    """Notes the seed of every text that it is asked for."""

    def __init__(self, policy, asked):
        super().__init__(policy)
        self.asked = asked

    def session(self, cancel, shared_prefix=''):
        return SeedsSession(self, self._policy, cancel, shared_prefix, 0)


class SeedsSession(PolicySession):
    def generate(self, stop=('\n',), max_tokens=200, temperature=0.0, seed=0, top_p=1.0):
        self._model.asked.append(seed)
        return super().generate(stop, max_tokens, temperature, seed, top_p)

    def fork(self):
        return SeedsSession(self._model, self._policy, self._cancel, self._text, self._cached)


def run_tree(plans, vote, fails=(), limits=None, seed=0, asked=None, **changes):
    """Run Tree-Planner on these plans; (success, run, boxes, events, planner)."""
    boxes = Boxes(fails)
    events = []
    wanted = PlanSettings(**{'samples': len(plans), 'votes': 1, 'corrections': 1000} | changes)
    run = PlanRun(
        'open the boxes',
        Ports(
            SeedsModel(sampled(plans, vote), [] if asked is None else asked), boxes, FixedMemory()
        ),
        PlannerSettings(plans=wanted, seed=seed),
        limits or Limits(0, 0, 0),
        CancelToken(),
        events.append,
    )
    planner = TreePlanner()
    success = planner.run(run)
    return success, run, boxes, events, planner


#: Two forks, one below the other: red leads to green or black, both of which may fail; blue is
#: the way that is left at the upper fork (figure 4).
FIGURE_4 = (('red', 'green'), ('red', 'black'), ('red', 'black', 'white'), ('blue', 'grey'))
FIRST = preferring('open red box', 'open green box', 'open black box', 'open blue box', 'done')


def test_figure_4_goes_back_to_the_last_fork_with_a_valid_child_and_decides_again():
    fails = {('red', 'green'), ('red', 'black')}
    success, run, boxes, events, planner = run_tree(FIGURE_4, FIRST, fails)
    assert success
    assert boxes.tried == [
        ('red',),
        ('red', 'green'),
        ('red', 'black'),
        ('blue',),
        ('blue', 'grey'),
    ]
    assert boxes.opened == ('blue', 'grey'), 'the red box was closed on the way back'
    valid = {node.text for node in planner._walk.root.nodes() if node.valid and node.step}
    assert valid == {'open blue box', 'open grey box', 'done'}
    tree = run.tree.snapshot()
    assert reduce_events(events) == tree
    assert [(node.kind, node.goal, node.status) for node in tree.nodes] == [
        (NodeKind.AGENT, 'open the boxes', NodeStatus.SUCCESS),
        (NodeKind.FALLBACK, '', NodeStatus.SUCCESS),
        (NodeKind.AGENT, 'open red box', NodeStatus.FAILURE),
        (NodeKind.AGENT, 'open blue box > open grey box > done', NodeStatus.SUCCESS),
        (NodeKind.FALLBACK, '', NodeStatus.FAILURE),
        (NodeKind.AGENT, 'open green box > done', NodeStatus.FAILURE),
        (NodeKind.AGENT, 'open black box', NodeStatus.FAILURE),
    ]


def test_a_way_that_works_is_followed_to_its_end_without_going_back():
    success, run, boxes, _, _ = run_tree(FIGURE_4, FIRST)
    assert success
    assert boxes.tried == [('red',), ('red', 'green')]
    started = [node.goal for node in run.tree.snapshot().nodes if node.started >= 0]
    assert 'open blue box > open grey box > done' not in started


def test_the_end_of_a_plan_is_an_option_where_another_goes_on():
    asked = []

    def vote(text):
        asked.append(options_of(text))
        return preferring('open red box', 'open black box', 'done')(text)

    success, _, boxes, _, _ = run_tree(FIGURE_4, vote)
    assert success
    assert asked[-1].keys() == {'done', 'open white box'}
    assert boxes.opened == ('red', 'black')


def test_the_next_decision_reads_history_sight_and_what_failed():
    texts = []

    def vote(text):
        texts.append(text)
        return FIRST(text)

    plans = (('red', 'green'), ('red', 'black'), ('red', 'white'))
    run_tree(plans, vote, {('red', 'green')})
    assert texts[1].partition('Your task is to: ')[2] == (
        'open the boxes\n'
        'Done so far:\nAct: open red box 1\nYou open red box 1.\n'
        'Now: You see boxes.\n'
        'The step "open green box 1" failed: The green box is stuck.\n'
        'Which step comes next?\nA. open black box\nB. open white box\nAnswer:'
    )


def test_a_decision_leaves_the_oldest_steps_out_where_all_do_not_fit():
    asked = []

    def vote(text, options):
        asked.append(text)
        return ' A'

    boxes = Boxes()
    done = [DoneStep(f'open {colour} box 1', 'It opens. ' * 30, '', '') for colour in COLOURS]
    for context_tokens in (10_000, 250):
        run = PlanRun(
            'open the boxes',
            Ports(PolicyModel(vote, context_tokens=context_tokens), boxes, FixedMemory()),
            PlannerSettings(plans=PlanSettings(votes=1)),
            Limits(),
            CancelToken(),
            lambda event: None,
        )
        run.start('tree_planner')
        choice = decide(run, ['open red box', 'done'], done, 'You see boxes.', '')
        assert choice.index == 0
    whole, cut = asked
    assert [colour in whole for colour in COLOURS] == [True] * len(COLOURS)
    assert 'left out' in cut and 'left out' not in whole
    kept = [colour for colour in COLOURS if f'Act: open {colour}' in cut]
    assert kept and kept == list(COLOURS[-len(kept) :])
    assert 'You see boxes.' in cut and 'A. open red box' in cut
    assert any('context_tokens' in one for one in run.notices)


def test_the_majority_decides_and_answers_without_a_letter_do_not_count():
    answers = iter([' B', ' b.', ' blue', ' A', '\n', ' (B)', ' Z'])
    success, _, boxes, events, _ = run_tree(
        (('red',), ('blue',)), lambda text: next(answers), votes=7
    )
    assert success
    assert boxes.opened == ('blue',)
    (expansion,) = [e for e in events if getattr(e, 'kind', None) is DecisionKind.EXPAND]
    assert expansion.text == 'open blue box: 3 of 4 votes'


def test_a_fork_may_have_more_branches_than_there_are_letters():
    colours = ('red', 'blue', *(f'shade {letter}' for letter in 'abcdefghijklmnopqrstuvwxyzäöü'))
    options = [f'open {colour} box' for colour in colours]
    for count, mark in ((26, 'Z'), (27, 'BA'), (len(options), 'BE')):
        asked = []

        def answer(text, offered, mark=mark, asked=asked):
            asked.append(text)
            return f' {mark}. I think'

        run = PlanRun(
            'open the boxes',
            Ports(PolicyModel(answer), Boxes(), FixedMemory()),
            PlannerSettings(plans=PlanSettings(votes=1)),
            Limits(),
            CancelToken(),
            lambda event: None,
        )
        run.start('tree_planner')
        choice = decide(run, options[:count], (), 'You see boxes.', '')
        assert choice.index == count - 1 and sum(choice.votes) == 1
        assert f'\n{mark}. {options[count - 1]}\nAnswer:' in asked[0]


def test_without_any_vote_the_model_is_kept_to_the_options(plan):
    def policy(text, options):
        if options is not None:
            return 1
        if text.endswith('Answer:'):
            return ' I do not know'
        return next(plans)

    plans = iter(['go to kitchen\n2. done', 'go to table\n2. done'])
    success, _, home, _, _ = plan(
        'go', policy, PlannerSettings(plans=PlanSettings(samples=2)), planner=TreePlanner()
    )
    assert success
    assert home.executed == ['go to table 1']


def test_corrections_end_and_what_was_not_tried_says_so():
    fails = {(colour,) for colour in COLOURS}
    plans = tuple((colour,) for colour in COLOURS)
    success, run, boxes, events, _ = run_tree(plans, lambda text: ' A', fails, corrections=2)
    assert not success
    assert len(boxes.tried) == 3, 'the step, and two corrections of it'
    tree = run.tree.snapshot()
    assert {node.status for node in tree.nodes} == {NodeStatus.FAILURE}
    assert tree.nodes[-1].detail.startswith('not tried: all 2 corrections are made')
    assert reduce_events(events) == tree


def test_a_tree_deeper_than_allowed_is_pruned_and_said_so():
    _, run, _, events, _ = run_tree(FIGURE_4, FIRST, limits=Limits(0, 0, 3))
    assert max(node.depth for node in run.tree.snapshot().nodes) == 3
    said = next(e.text for e in events if getattr(e, 'kind', None) is DecisionKind.THINK)
    assert '4 plans of 4 sampled are usable, 4 of them different' in said
    assert '2 plans cut off' in said


def test_tokens_are_accounted_for_by_phase():
    _, run, _, events, planner = run_tree(FIGURE_4, FIRST, {('red', 'green')})
    account = planner._walk.account
    assert account.sampling.requests == 4
    assert account.deciding.requests == 3, 'at the forks; the only way left needs no decision'
    assert account.sampling + account.deciding == replace(run.budget.usage, latency=0.0)
    told = [event.usage for event in events if hasattr(event, 'usage')]
    assert sum(usage.requests for usage in told) == run.budget.usage.requests
    assert account.critical > 4
    done = next(event for event in events if getattr(event, 'skill', '') == 'done')
    assert done.text.startswith('sampling: 4 requests, ')


def test_everything_random_is_seeded_and_differs_from_sample_to_sample():
    def seeds(seed):
        asked = []
        run_tree(FIGURE_4, FIRST, {('red',)}, seed=seed, votes=3, asked=asked)
        return asked

    assert seeds(5) == seeds(5)
    assert len(set(seeds(5)[:4])) == 4, 'four samples'
    assert len(set(seeds(5)[4:7])) == 3, 'three votes'
    assert not set(seeds(5)) & set(seeds(6))


ORDERS = st.lists(
    st.permutations(COLOURS).flatmap(lambda p: st.integers(1, 5).map(lambda n: tuple(p[:n]))),
    min_size=1,
    max_size=14,
)


@hypothesis_settings(max_examples=150, deadline=None)
@given(ORDERS, st.integers(0, 2**32), st.floats(0.0, 1.0), st.sampled_from([0, 2, 1000]))
def test_whatever_fails_no_invalid_step_is_chosen_and_it_ends(plans, seed, share, corrections):
    dice = random.Random(seed)
    prefixes = sorted({plan[:length] for plan in plans for length in range(1, len(plan) + 1)})
    fails = {prefix for prefix in prefixes if dice.random() < share}
    chosen = []
    walks = []
    real = TreeWalk._go_on

    def watched(walk, node_id, at, first=None):
        walks.append(walk)
        if first is not None:
            assert first.valid and all(above.valid for above in _above(first))
            chosen.append(first)
        return real(walk, node_id, at, first)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TreeWalk, '_go_on', watched)
        success, run, boxes, events, _ = run_tree(
            plans, lambda text: f' {dice.choice("ABCDEFG")}', fails, corrections=corrections
        )
    assert len(chosen) == len(set(map(id, chosen))), 'no branch is taken twice'
    assert len([way for way in boxes.tried if way in fails]) <= corrections + 1
    failed = [way for way in boxes.tried if way in fails]
    assert len(failed) == len(set(failed)), 'what failed is not tried again'
    for way in boxes.tried:
        assert way in prefixes, 'only what was sampled is done, from where it was sampled'
    possible = [
        plan
        for plan in plans
        if not any(plan[:length] in fails for length in range(1, len(plan) + 1))
    ]
    if success:
        assert boxes.opened in possible
    elif corrections == 1000:
        assert not possible
        assert not any(node.valid for node in walks[0].root.nodes())
    tree = run.tree.snapshot()
    assert reduce_events(events) == tree
    assert tree.nodes[0].status is (NodeStatus.SUCCESS if success else NodeStatus.FAILURE)


def _above(node):
    while node.parent is not None:
        node = node.parent
        yield node


@pytest.mark.parametrize('gold', [True, False])
def test_the_gold_plan_may_be_one_of_the_samples(gold):
    world = make_task_world('programs')
    world.reset(world.scene_of(1), 'generated:1', 1)
    episode = plan_episode(
        world,
        PolicyModel(lambda text, options: ' done' if options is None else 0),
        InProcessMemory(),
        settings_of_preset(
            f'published,plans.samples=2,plans.gold={str(gold).lower()}', 'tree_planner'
        ),
        Limits(),
        'tree_planner',
    )
    assert episode.goal_met is gold
