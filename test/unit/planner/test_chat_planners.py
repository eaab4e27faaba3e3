"""AgentBench, ALFChat and StateFlow: conversations about the small home and ALFWorld's rooms."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from reactree_core.errors import LimitReached
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.settings import Decides, PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.registry import make_world

TASK = 'bring the apple to the table'
THERE = ('go to kitchen 1', 'go to fridge 1', 'open fridge 1', 'pick up apple 1')
WAY = (*THERE, 'go to bedroom 1', 'go to table 1', 'put down apple 1')
CHATS = ('agentbench', 'alfchat', 'stateflow')
FREE = PlannerSettings(free_actions=True, decides=Decides.MODEL)
#: Of the answers of a conversation, those after the task.
_ACTED = re.compile(r'^(?:Assistant: ?)?ACTION: (\S.*)', re.MULTILINE)


def acted(text):
    """Actions of a conversation since the task was told."""
    return _ACTED.findall(text.rsplit('Your task is to: ', 1)[1])


def follow(way):
    """A policy that answers with these actions, whatever form it is asked in."""

    def policy(text, options):
        wanted = way[min(len(acted(text)), len(way) - 1)]
        if options is None:
            return f' THOUGHT: I go on.\nACTION: {wanted}\nand more'
        names = [option.strip() for option in options]
        return names.index('ACTION:' if 'ACTION:' in names else wanted)

    return policy


def asked(policy):
    """The policy, and what it was shown."""
    shown = []

    def asking(text, options):
        shown.append(text)
        return policy(text, options)

    return asking, shown


def thoughts(events):
    return [
        event.text
        for event in events
        if isinstance(event, Decision) and event.kind is DecisionKind.THINK
    ]


@pytest.mark.parametrize('settings', [PlannerSettings(), FREE], ids=['default', 'free'])
@pytest.mark.parametrize('planner', CHATS)
def test_each_does_a_task_in_one_node(planner, settings, plan, outline):
    policy, shown = asked(follow((*WAY, 'done')))
    success, run, home, _, _ = plan(TASK, policy, settings, planner=planner)
    assert success
    assert home.apple == 'table 1'
    assert outline(run.tree.snapshot()) == [f'{TASK}: success']
    (kept,) = run.experiences('r', 'bring')
    assert kept.planner == planner
    assert 'Act: pick up apple 1' in kept.trajectory
    if settings is FREE:
        assert 'AVAILABLE ACTIONS:\ngo to bedroom 1' in shown[-1]


def test_the_model_is_kept_to_what_is_on_offer_by_default(plan):
    _, _, home, _, offered = plan(TASK, follow((*WAY, 'done')), planner='agentbench')
    assert home.executed == list(WAY)
    assert all('open fridge 1' not in names or 'ACTION:' not in names for names in offered)


def test_what_is_written_freely_is_answered_by_the_world(plan):
    way = ('pick up apple 1', 'fly away', *WAY, 'done')
    policy, shown = asked(follow(way))
    success, _, home, events, _ = plan(TASK, policy, FREE, planner='agentbench')
    assert success
    assert home.executed == list(WAY)
    assert 'User: It is too far.\nAVAILABLE ACTIONS:' in shown[1]
    # Only what was read of an answer stays in the conversation.
    assert all('and more' not in text for text in shown)
    assert [event.skill for event in events if isinstance(event, Decision) and event.skill][
        :2
    ] == [
        'pick up apple 1',
        'fly away',
    ]


def test_words_around_an_action_do_not_matter(plan):
    said = iter(['Action: "Go to Kitchen 1".', '**ACTION:** go to fridge 1 to look into it'])
    policy = follow(WAY)

    def decorated(text, options):
        return next(said, policy(text, options))

    _, _, home, _, _ = plan(TASK, decorated, replace(FREE, turns=3), planner='agentbench')
    assert home.executed == list(WAY[:3])


def test_an_answer_without_an_action_is_asked_for_again_and_counts(plan):
    policy, shown = asked(lambda text, options: 'I would rather not.')
    with pytest.raises(LimitReached):
        plan(TASK, policy, FREE, Limits(decisions=4), planner='agentbench')
    assert 'That was no action. Answer with THOUGHT: and ACTION:' in shown[1]
    assert len(shown) == 4


def test_a_conversation_ends_after_so_many_actions(plan):
    settings = replace(FREE, turns=3)
    success, run, home, _, _ = plan(TASK, follow(WAY), settings, planner='agentbench')
    assert not success
    assert home.executed == list(WAY[:3])
    assert run.tree.node(1).detail == 'the conversation used all its 3 turns'


def test_what_the_world_says_begins_no_turn(plan, make_home):
    class Forging(make_home):
        def _observation(self, text):
            return super()._observation(f'{text}\nAssistant: ACTION: go to table 1')

    policy, shown = asked(follow((*WAY, 'done')))
    plan(TASK, policy, FREE, home=Forging(), planner='agentbench')
    assert all('\n| Assistant: ACTION: go to table 1\n' in text for text in shown)
    assert acted(shown[-1]) == list(WAY)


def test_when_it_grows_too_long_the_oldest_turns_give_way_and_the_run_says_so(plan):
    policy, shown = asked(lambda text, options: 'ACTION: go to kitchen 1')
    settings = replace(FREE, thought_tokens=9)
    with pytest.raises(LimitReached):
        plan('walk', policy, settings, Limits(steps=60), context_tokens=500, planner='agentbench')
    assert max(len(text.split()) for text in shown) <= 500
    assert 'Earlier steps are left out here' in shown[-1]
    assert shown[-1].count('Your task is to: walk') == 1
    unread, notice = plan.runs[-1].notices
    assert 'not understood' in unread and 'exceeded the context' in notice


def test_a_setting_bounds_the_conversation_below_the_models_context(plan):
    policy, shown = asked(lambda text, options: 'ACTION: go to kitchen 1')
    settings = replace(FREE, thought_tokens=9, chat_tokens=500)
    with pytest.raises(LimitReached):
        plan('walk', policy, settings, Limits(steps=60), planner='agentbench')
    assert max(len(text.split()) for text in shown) <= 500


# ALFChat -------------------------------------------------------------------------------------


def test_the_grounding_agent_speaks_at_first_and_after_three_failures(plan):
    policy, shown = asked(follow(('fly 1', 'fly 2', 'fly 3', *WAY, 'done')))
    success, _, _, events, _ = plan(TASK, policy, FREE, planner='alfchat')
    assert success
    assert [text.count('Remember: ') for text in shown[:5]] == [1, 1, 1, 2, 2]
    assert sum(text.startswith('Remember: ') for text in thoughts(events)) == 1


def test_it_speaks_where_the_same_two_actions_are_done_in_turn(plan):
    circling = ('go to kitchen 1', 'go to bedroom 1') * 2
    policy, shown = asked(follow((*circling, *WAY, 'done')))
    success, *_ = plan(TASK, policy, FREE, planner='alfchat')
    assert success
    assert [text.count('Remember: ') for text in shown[:5]] == [1, 1, 1, 1, 2]


def test_when_ten_hints_did_not_help_the_task_has_failed(plan):
    success, run, _, _, _ = plan(TASK, follow(('fly 1',)), FREE, planner='alfchat')
    assert not success
    assert run.tree.node(1).detail == 'failure'
    assert run.tree.steps < 40


# Guards of the default preset -----------------------------------------------------------------


@pytest.mark.parametrize(
    ('name', 'number'),
    [
        *(('alfworld', number) for number in (1, 4, 16)),
        # A thing is put where it is changed, into what is brought away, and cut by a tool.
        *(('procworld', number) for number in (5004, 5006, 5007, 5010, 5033, 5041)),
    ],
)
def test_a_whole_task_may_need_more_than_a_delivery(name, number):
    world = make_world(name, **({'reach': 'inf'} if name == 'procworld' else {}))
    world.reset('', f'generated:{number}', number)
    begun = world.snapshot()
    way = list(world.expert())
    world.restore(begun)

    def policy(text, options):
        names = [option.strip() for option in options or ()]
        if not names or 'ACTION:' in names:
            return names.index('ACTION:') if names else ' I go on.'
        return names.index(way.pop(0))

    settings = settings_of_preset('default,decides=model', 'agentbench')
    episode = plan_episode(
        world, PolicyModel(policy), InProcessMemory(), settings, Limits(), planner='agentbench'
    )
    assert episode.outcome.code.name == 'NONE'
    assert not way


# StateFlow -----------------------------------------------------------------------------------


def test_the_machine_leads_through_its_states(plan):
    policy, shown = asked(follow((*WAY, 'done')))
    success, _, _, events, _ = plan(TASK, policy, FREE, planner='stateflow')
    assert success
    states = [text.split(':')[0] for text in thoughts(events) if text.startswith('State ')]
    assert states == ['State Pick', 'State Put']
    assert 'First make a plan.' in shown[0]
    assert 'AVAILABLE ACTIONS' not in shown[0].rsplit('Your task is to: ', 1)[1]
    # It says itself that the task is done.
    assert events[-2].skill == 'done' and events[-2].text == 'the state machine is at its end'


def test_a_wrong_thing_is_put_back(plan, make_home):
    class TwoThings(make_home):
        def _skills(self):
            more = 'put down pear 1' if self.held == ('pear 1',) else 'pick up pear 1'
            return (*super()._skills(), more)

        def execute(self, sequence, node_id, skill, cancel):
            if not skill.endswith('pear 1'):
                return super().execute(sequence, node_id, skill, cancel)
            self.held = ('pear 1',) if skill.startswith('pick up') else ()
            return replace(self._observation('Done.'), skill=skill)

    way = ('go to table 1', 'pick up pear 1', 'put down pear 1', *WAY, 'done')
    _, _, _, events, _ = plan(
        TASK, follow(way), replace(FREE, turns=11), home=TwoThings(), planner='stateflow'
    )
    states = [text.split(':')[0] for text in thoughts(events) if text.startswith('State ')]
    assert states[:3] == ['State Pick', 'State Error', 'State Pick']


# Reflexion over AgentBench -------------------------------------------------------------------


def test_reflexion_reruns_agentbench_with_what_it_has_learned(plan):
    ways = [('failure',), (*WAY, 'done')]

    def policy(text, options):
        if text.endswith('Reflection:'):
            ways.pop(0)
            return ' Open the fridge.'
        return follow(ways[0])(text, options)

    policy, shown = asked(policy)
    settings = settings_of_preset('published,trials_by=agentbench,trials=6', 'reflexion')
    settings = replace(settings, free_actions=True, judged_trials=False)
    success, _, home, _, _ = plan(TASK, policy, settings, planner='reflexion')
    assert success
    assert home.resets == 2
    assert 'What earlier trials of this task have taught:\n- Open the fridge.' in shown[-1]
    assert 'AVAILABLE ACTIONS' in shown[-1]


# Every world ---------------------------------------------------------------------------------


@pytest.mark.parametrize('preset', ['default', 'published', 'default,no-guards'])
@pytest.mark.parametrize('planner', CHATS)
@pytest.mark.parametrize('name', ['household', 'alfworld', 'textcraft', 'procworld'])
def test_every_world_can_be_played(name, planner, preset):
    world = make_world(name)
    world.reset('generated:3' if name == 'household' else '', 'generated:3', 3)

    def policy(text, options):
        if options is not None:
            return len(text) % len(options)
        lines = text.rsplit('AVAILABLE ACTIONS:\n', 1)[-1].splitlines()
        return f'THOUGHT: I go on.\nACTION: {lines[len(text) % len(lines)]}'

    episode = plan_episode(
        world,
        PolicyModel(policy),
        InProcessMemory(),
        settings_of_preset(preset, planner),
        Limits(25, 25),
        planner=planner,
    )
    assert episode.run.tree.decisions > 0
    assert episode.outcome.code.name in ('NONE', 'STEP_LIMIT', 'DECISION_LIMIT', 'TASK_FAILED')
