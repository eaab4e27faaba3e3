"""The world that a file declares: skills do what they declare, senses report what they can."""

from __future__ import annotations

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Outcome
from reactree_core.skill_types import read_effect
from reactree_tools.behavior_trees.running import TreeRobot
from robot_bridge.declared_world import DeclaredWorld
from sim_bridge.in_process_skill_server import InProcessSkillServer
from support.robot_files import PORTER


@pytest.fixture
def world(load):
    return DeclaredWorld(load(PORTER))


def test_it_begins_at_the_first_place_with_empty_hands_and_a_thing_of_each_class(world):
    seen = world.observe()
    assert (seen.place, seen.held) == ('dock', ())
    assert world.truth.where == {'crate 9': 'shelf 1'}


def test_a_skill_brings_about_its_effects_and_the_senses_tell(world):
    for text in ('go to shelf 1', 'pick up crate 9', 'go to dock', 'put crate 9 on dock'):
        answer = world.step(text)
        assert answer.succeeded, answer.text
    assert world.truth.where == {'crate 9': 'dock'} and not world.truth.held
    assert (answer.place, answer.held) == ('dock', ())
    assert [one.receptacle for one in answer.facts if one.name == 'crate 9'] == ['dock']
    assert world.done[-1] == 'put crate 9 on dock'


def test_a_skill_whose_need_is_unmet_is_refused_in_the_words_of_the_bridge(world):
    answer = world.step('put crate 9 on dock')
    assert answer.outcome is Outcome.PRECONDITION_FAILED
    assert answer.text.startswith('You do not hold crate 9')
    assert world.objection('put crate 9 on dock') and not world.objection('go to shelf 1')
    assert world.step('juggle crate 9').outcome is Outcome.INVALID_SKILL
    assert not world.done


def test_what_is_out_of_sight_is_not_reported(world):
    world.make(read_effect('crate 9 in charger'))
    # It still is where the file has it, as far as anybody knows.
    assert 'crate 9 at shelf 1 (assumed)' in world.observe().text
    world.step('go to charger')
    assert 'You see crate 9 at charger' in world.observe().text


def test_facts_are_made_to_hold_or_not_to(world):
    world.make(read_effect('holding crate 9'))
    assert world.observe().held == ('something',) or world.observe().held == ('crate 9',)
    world.make(read_effect('not holding crate 9'))
    assert world.truth.where['crate 9'] == 'dock' and not world.observe().held
    world.make(read_effect('not at dock'))
    assert world.truth.place != 'dock'


def test_numbers_meet_the_needs_of_the_file_and_change_by_effects(load):
    text = PORTER.replace(
        'state:',
        'state:\n  numbers:\n    battery: {topic: /b, type: sensor_msgs/msg/BatteryState, '
        "field: percentage, unit: '%'}",
    ).replace(
        'kind: move',
        'kind: move\n    needs: [battery > 70 %]\n'
        '    effects: [at <place>, lowers battery by 5 %]',
    )
    world = DeclaredWorld(load(text))
    assert world.truth.numbers['battery', ''] > 70
    before = world.truth.numbers['battery', '']
    assert world.step('go to shelf 1').succeeded
    assert world.truth.numbers['battery', ''] == before - 5
    world.make(read_effect('not battery > 70 %'))
    assert 'needed is battery > 70 %' in world.objection('go to dock')


def test_looks_and_skills_are_told_in_one_clock(world):
    server, cancel = InProcessSkillServer(world), CancelToken()
    seen = server.look(cancel)
    done = server.execute(1, 1, 'go to shelf 1', cancel)
    assert 0 < seen.stamp <= done.stamp
    for answer in (seen, done):
        assert answer.evidence
        assert {fact.time for fact in answer.evidence} <= {answer.stamp, float('-inf')}
    robot = TreeRobot(server, cancel)
    assert robot.holds('at shelf 1') and not robot.holds('at dock')
    assert robot.execute('go to dock')
    assert robot.holds('at dock') and not robot.holds('at shelf 1')
