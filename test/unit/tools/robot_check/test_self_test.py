"""A robot's file tested against itself: what works passes, what would fail on the robot fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Outcome
from reactree_core.permission.hazards import read_hazards
from reactree_core.permission.rules_file import read_rules
from reactree_planner.facts.retries import RETRIES
from reactree_tools.robot_check import exports as exporting
from reactree_tools.robot_check import self_test as module
from reactree_tools.robot_check import violations as violating
from reactree_tools.robot_check.proposing import sound_proposal
from reactree_tools.robot_check.report import report_of
from reactree_tools.robot_check.self_test import Result, self_test
from reactree_tools.robot_check.trials import run_in
from reactree_tools.robot_check.violations import violations
from robot_bridge.declared_world import DeclaredWorld
from robot_bridge.loading import load_robot
from robot_bridge.provenance import Provenance, provenances
from robot_bridge.robot import Interface
from support.made_up_interfaces import MadeUpInterfaces

DO = 'do: {service: std_srvs/srv/Trigger, name: /do}'
LID = f"""\
robot: lid
things: {{lid: {{}}}}
places: {{bench: {{}}}}
state:
  facts:
    - {{topic: /lid, type: std_msgs/msg/Bool, name: lid, place: bench, state: '{{data}}',
       words: {{'true': open, 'false': closed}}}}
skills:
  - {{skill: open the lid, effects: [lid is open], {DO}}}
  - {{skill: close the lid, effects: [lid is closed], {DO}}}
"""
PORTER = f"""\
robot: porter
hands: 1
places: {{dock 1: {{}}, dock 2: {{}}}}
things: {{cup 1: {{}}, stove: {{}}}}
state:
  place: {{topic: /place, type: std_msgs/msg/String, field: data}}
  held: {{topic: /held, type: std_msgs/msg/String, field: data}}
  numbers:
    battery: {{topic: /battery, type: sensor_msgs/msg/BatteryState, field: percentage, unit: '%'}}
  facts:
    - {{topic: /seen, type: vision/msg/AllSeen, field: seen, name: '{{id}}', place: here,
       whole: true}}
skills:
  - {{skill: go to <place>, kind: move, needs: [battery > 20 %], {DO}}}
  - {{skill: pick up <thing>, kind: take, needs: ['<thing> in here'], {DO}}}
  - {{skill: put <thing> on <place>, kind: put, needs: [at <place>], {DO}}}
  - {{skill: switch on the stove, kind: switch on, effects: [stove is on], {DO}}}
  - {{skill: switch off the stove, kind: switch off, effects: [stove is off], {DO}}}
"""


@pytest.fixture
def load(tmp_path):
    def make(text):
        path = tmp_path / 'robot.yaml'
        path.write_text(text, encoding='utf-8')
        return load_robot(path, MadeUpInterfaces())

    return make


def checks(row):
    return {one.name: one for one in row.checks}


def test_a_skill_that_works_passes_each_check(load):
    go, take, put, *_ = self_test(load(PORTER))
    for row, needed in ((go, 'battery > 20 %'), (take, 'cup 1'), (put, 'at dock 2')):
        found = checks(row)
        assert not row.failed, row
        assert found['read'].result is found['plan'].result is found['export'].result
        assert found['needs'].result is Result.PASSED and needed in found['needs'].note
    assert go.tried == 'go to dock 2' and put.tried == 'put cup 1 on dock 2'
    assert checks(put)['plan'].note == '3 skills'


def test_an_unmet_need_is_told_with_its_value(load):
    go, *_ = self_test(load(PORTER))
    assert checks(go)['needs'].note == '"go to dock 2" needs battery > 20 %, and it is 19.5 %'


def test_two_skills_of_one_part_are_a_pair_without_inverse(load):
    robot = load(LID)
    for row in self_test(robot):
        assert checks(row)['undo'].result is Result.PASSED, row
    report = report_of(robot, read_rules(''), read_hazards('off'), ())
    assert report.inferred == (
        '"open the lid" and "close the lid" take each other back: "lid is open" and "lid is '
        'closed" exclude each other',
    )
    assert not report.failed and report.retries


class Jammed(DeclaredWorld):
    """Its skills are carried out and fail."""

    tries = 0

    def step(self, skill):
        self.tries += 1
        return replace(
            self.observe(), text='It is stuck.', outcome=Outcome.EXECUTION_FAILED, skill=skill
        )


@pytest.mark.parametrize(
    ('file', 'own', 'tries', 'shown'),
    [
        (None, None, 1 + RETRIES, ('each skill is tried 3 times where it fails, then given up',)),
        (0, None, 1, ('each skill is tried once where it fails, then given up',)),
        (4, None, 5, ('each skill is tried 5 times where it fails, then given up',)),
        (4, 1, 2, (
            '"open the lid" is tried 2 times where it fails, then given up',
            '"close the lid" is tried 5 times where it fails, then given up',
        )),
    ],
)  # fmt: skip
def test_a_skill_is_tried_as_often_as_the_file_says(load, file, own, tries, shown):
    text = LID if file is None else f'retries: {file}\n{LID}'
    if own is not None:
        text = text.replace('{skill: open the lid,', f'{{skill: open the lid, retries: {own},')
    robot = load(text)
    world = Jammed(robot)
    trial = run_in(world, 'open the lid')
    assert not trial.succeeded and 'It is stuck' in trial.reason
    assert world.tries == tries
    assert report_of(robot, read_rules(''), read_hazards('off'), ()).retries == shown


@pytest.mark.parametrize('number', ['-1', '11', '1.5', 'often'])
def test_a_number_of_retries_that_is_none_is_a_mistake_with_its_line(load, number):
    with pytest.raises(ConfigurationError, match=r'(?s)1.*retries'):
        load(f'retries: {number}\n{LID}')


def test_a_skill_that_can_never_be_begun_fails_with_what_to_change(load):
    grease = (
        f'  - {{skill: grease the lid, effects: [lid is greased], needs: [lid is open], {DO}}}\n'
    )
    *_, row = self_test(load(LID + grease))
    assert not row.failed and checks(row)['plan'].note == '2 skills'
    contrary = grease.replace('[lid is open]', '[lid is open, not lid is open]')
    *_, row = self_test(load(LID + contrary))
    (failed,) = row.failed
    assert failed.name == 'plan' and 'lid is' in failed.note and failed.advice


def test_a_slot_that_no_name_fits_fails(load):
    text = LID.replace('skills:', f'skills:\n  - {{skill: enter <region>, kind: move, {DO}}}')
    row = next(iter(self_test(load(text))))
    (failed,) = row.failed
    assert failed.note == 'no name of the file fits <region>' and 'places' in failed.advice


def test_slots_that_need_more_names_than_the_file_has_fail(load):
    text = LID.replace(
        'skills:', f'skills:\n  - {{skill: tie <thing> to <other>, slots: [thing, thing], {DO}}}'
    )
    row = next(iter(self_test(load(text))))
    (failed,) = row.failed
    assert failed.note == '<thing> and <other> need different names, and the file has too few'
    assert 'things' in failed.advice


def pretending(change):
    """Runs that say something else than what came of them."""

    def run(world, task):
        return change(run_in(world, task))

    return run


def test_a_run_that_gives_another_reason_fails(load, monkeypatch):
    vague = pretending(lambda one: one if one.succeeded else replace(one, reason='it gave up'))
    monkeypatch.setattr(module, 'run_in', vague)
    go, *_ = self_test(load(PORTER))
    (failed,) = go.failed
    assert failed.name == 'needs' and 'it gave up' in failed.note and 'battery' in failed.note


def test_a_skill_that_is_done_without_its_need_fails(load, monkeypatch):
    rash = pretending(lambda one: replace(one, succeeded=True, done=(*one.done, one.task)))
    monkeypatch.setattr(module, 'run_in', rash)
    go, *_ = self_test(load(PORTER))
    assert 'it was done without "battery > 20 %"' in checks(go)['needs'].note


def test_what_is_done_and_undone_twice_fails(load, monkeypatch):
    swinging = pretending(lambda one: replace(one, done=one.done * 2))
    monkeypatch.setattr(module, 'run_in', swinging)
    for row in self_test(load(LID)):
        undo = checks(row)['undo']
        assert undo.result is Result.FAILED and 'inverse: ' in undo.advice


def test_a_rule_that_the_monitor_does_not_see_fails(load, monkeypatch):
    monkeypatch.setattr(violating, 'audit', lambda *args, **more: ())
    *_, row = self_test(load(PORTER), hazards=read_hazards(''))
    (failed,) = row.failed
    assert failed.name == 'caught' and 'switch on the stove' in failed.advice


def test_an_export_that_does_not_run_anew_fails(load, monkeypatch):
    monkeypatch.setattr(exporting, 'xml_text', lambda tree: '<root/>')
    go, *_ = self_test(load(PORTER))
    (failed,) = go.failed
    assert failed.name == 'export' and failed.note.startswith('.xml: ')


def test_each_hazard_that_is_shown_is_broken_once_and_caught(load):
    found = list(violations(load(PORTER), read_rules(''), read_hazards('')))
    assert [(one.skill, one.caught) for one in found] == [('switch on the stove', True)]
    assert 'end without switch off the stove' in found[0].wording


RULES = """\
rules:
  - {name: cold, skills: [switch on the stove], decide: deny}
  - {name: thrice, skills: [go to <place>], at_most: 3}
  - {name: never meant, skills: [launch <thing>], decide: deny}
"""


def test_rules_of_a_file_are_broken_too(load, tmp_path):
    path = tmp_path / 'rules.yaml'
    path.write_text(RULES)
    found = {
        one.rule: one
        for one in violations(load(PORTER), read_rules(str(path)), read_hazards('off'))
    }
    assert found['rule "cold"'].caught and found['rule "thrice"'].caught
    assert not found['rule "never meant"'].skill


def test_where_a_source_comes_from_is_told_or_asked(load):
    robot = load(PORTER)
    told = {one.source: one for one in provenances(robot)}
    assert told['/battery'].provenance is Provenance.MEASURED
    assert told['/held'].provenance is Provenance.UNKNOWN and told['/held'].asks
    answered = load(PORTER.replace('/held, type', '/held, measured: false, type'))
    one = next(one for one in provenances(answered) if one.source == '/held')
    assert one.provenance is Provenance.ECHO and not one.asks


def test_a_source_that_names_several_things_is_asked_how_it_tells_them_apart(load):
    def seen(text):
        return next(one for one in provenances(load(text)) if one.source == '/seen')

    asked = seen(PORTER)
    assert asked.confuses and not asked.identifies
    said = seen(PORTER.replace('/seen, type', '/seen, identifies: true, type'))
    assert said.provenance is Provenance.MEASURED and said.identifies and not said.confuses
    # By their look: it is answered, and no sensor is behind it yet.
    looks = seen(PORTER.replace('/seen, type', '/seen, identifies: false, type'))
    assert looks.provenance is Provenance.UNKNOWN and not looks.identifies and not looks.confuses
    wrong = PORTER.replace('/seen, type', '/seen, identifies: true, measured: false, type')
    with pytest.raises(ConfigurationError, match='leave one of them out'):
        load(wrong)


def test_a_topic_that_a_skill_writes_may_only_echo(load):
    step = 'do: {publish: std_msgs/msg/String, name: /held, send: {data: x}}'
    robot = load(PORTER.replace(DO, step, 1))
    one = next(one for one in provenances(robot) if one.source == '/held')
    assert one.provenance is Provenance.ECHO and 'go to <place>' in one.why and one.asks


def test_a_node_that_publishes_a_state_and_serves_its_command_may_only_echo(load):
    robot = load(PORTER)
    told = provenances(robot, {'/held': {'/arm'}, '/seen': {'/camera'}}, {'/do': {'/arm'}})
    found = {one.source: one for one in told}
    assert found['/held'].provenance is Provenance.ECHO
    assert '/arm' in found['/held'].why and '/do' in found['/held'].why
    assert found['/seen'].provenance is Provenance.UNKNOWN


def test_what_fails_the_test_is_proposed_as_a_comment(load):
    interfaces = (
        Interface('action', '/navigate_to_pose', 'nav/action/Go'),
        Interface('service', '/arm/fold', 'std_srvs/srv/Trigger'),
    )
    text = sound_proposal(interfaces, (), MadeUpInterfaces())
    proposed = load(text)
    assert all(not row.failed for row in self_test(proposed))
    assert ('# Not proposed: ' in text) is (
        'arm fold' not in [s.type.template for s in proposed.skills]
    )
