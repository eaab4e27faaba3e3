"""What a rule wants before the end is done, or the task is refused before anything moves."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from benchmarks.robot_files.properties import loaded
from reactree_core.cancellation import CancelToken
from reactree_core.errors import ReactreeError
from reactree_core.permission.matching import SkillPattern
from reactree_core.permission.rules import Rule, Rules, Verdict
from reactree_core.record.events import Decision
from reactree_core.record.run_settings import Limits
from reactree_core.skill_types import read_effect
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.planners.registry import make_planner
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory
from robot_bridge.declared_world import DeclaredWorld
from sim_bridge.in_process_skill_server import InProcessSkillServer

OPEN, CLOSE = 'open the door of Stall A', 'close the door of Stall A'
FILE: dict[str, Any] = {
    'robot': 'groom',
    'places': {'dock': {}, 'Stall A': {}},
    'state': {
        'place': {'topic': '/where', 'type': 'std_msgs/msg/String', 'field': 'data'},
        'facts': [
            {'topic': '/door', 'type': 'std_msgs/msg/Bool', 'name': 'Stall A', 'state': '{data}',
             'words': {'true': 'open', 'false': 'closed'}, 'measured': True},
        ],
    },
    'classes': [{'name': 'stall', 'members': ['Stall A']}],
    'skills': [
        {'skill': 'go to <place>', 'kind': 'move'},
        {'skill': 'open the door of <stall: stall>', 'kind': 'open', 'needs': ['at <stall>'],
         'effects': ['<stall> is open']},
        {'skill': 'close the door of <stall: stall>', 'kind': 'close', 'needs': ['at <stall>'],
         'effects': ['<stall> is closed']},
        {'skill': 'muck out <stall: stall>', 'needs': ['at <stall>', '<stall> is open']},
    ],
}  # fmt: skip
SHUT_AGAIN = Rule(
    'stalls are shut again',
    SkillPattern('open the door of <stall>'),
    then=(SkillPattern('close the door of <stall>'),),
)


def stable() -> DeclaredWorld:
    file = copy.deepcopy(FILE)
    for number, skill in enumerate(file['skills']):
        skill['do'] = {'service': 'std_srvs/srv/Trigger', 'name': f'/s{number}'}
    world = DeclaredWorld(loaded(file))
    world.make(read_effect('Stall A is closed'))
    return world


def run(world: DeclaredWorld, task: str, rule: Rule = SHUT_AGAIN) -> tuple[bool, str]:
    """Whether a task succeeded under a rule, and the reason of its end."""
    events: list[Any] = []
    plan = PlanRun(
        task,
        Ports(load_model('none', ModelOptions()), InProcessSkillServer(world), InProcessMemory()),
        PlannerSettings(),
        Limits(40, 40),
        CancelToken(),
        events.append,
        permission=Rules((rule,), Verdict.ALLOW),
    )
    try:
        succeeded = carry_out(make_planner('reactree'), plan)
    except ReactreeError as error:
        return False, str(error)
    said = (one.text for one in reversed(events) if isinstance(one, Decision) and one.text)
    return succeeded, next(said, '')


def test_a_door_that_was_opened_on_the_way_is_shut_before_the_end():
    world = stable()
    assert run(world, 'muck out Stall A')[0]
    assert world.done == ['go to Stall A', OPEN, 'muck out Stall A', CLOSE]


def test_what_is_owed_at_another_place_is_done_there_and_the_goal_is_met_again():
    world = stable()
    assert run(world, 'muck out Stall A, then go to dock')[0]
    assert CLOSE in world.done and world.truth.states['Stall A'] == {'closed'}
    assert world.truth.place == 'dock' or world.done.index('go to dock') > 2


def test_a_state_that_a_rule_has_taken_back_is_refused_before_anything_moves():
    world = stable()
    succeeded, reason = run(world, OPEN)
    assert not succeeded and world.done == []
    assert reason.startswith(
        f'"Stall A is open" cannot last to the end: after "{OPEN}", rule "stalls are shut again" '
        'wants "close the door of stall a" before the run ends'
    )


def test_what_is_taken_back_unforeseen_is_not_done_over_and_over():
    # The skill that the rule wants does not declare what it does.
    world = stable()
    rule = Rule(
        'the robot ends at the dock',
        SkillPattern('go to Stall A'),
        then=(SkillPattern('go to dock'),),
    )
    succeeded, reason = run(world, 'go to Stall A', rule)
    assert not succeeded
    assert world.done.count('go to Stall A') <= 2 and world.done[-1] == 'go to dock'
    assert 'undoes what is asked for' in reason


@pytest.mark.parametrize('task', [f'{OPEN}, then {CLOSE}', 'close the door of Stall A'])
def test_a_task_that_agrees_with_the_rule_is_done(task):
    world = stable()
    assert run(world, task)[0]
    assert world.truth.states['Stall A'] == {'closed'}


def test_nothing_is_looked_for_where_a_needed_state_may_not_be_brought_about():
    world = stable()
    rule = Rule('no doors', SkillPattern('open the door of <stall>'), Verdict.DENY)
    succeeded, reason = run(world, 'muck out Stall A', rule)
    assert not succeeded and world.done == []
    assert f'"Stall A is open" would need "{OPEN}", which is forbidden' in reason


def test_a_place_that_the_file_does_not_have_is_not_looked_for():
    world = stable()
    for text in ('go to stall 7', 'go to Stall A, then go to stall 7'):
        assert not run(world, text)[0]
        assert 'dock' not in world.done
    assert [one for one in world.done if one != 'go to Stall A'] == []
