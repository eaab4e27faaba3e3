"""Rules held against a run that goes on: told when a skill is sent, and taken back if refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.observation import Observation, Outcome, Vocabulary
from reactree_core.permission.hazards import read_hazards
from reactree_core.permission.monitor import Held
from reactree_core.permission.rules import Rules
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.skill_types import SkillKind, SkillType
from reactree_tools.live_audit import HeardEvent, LiveAudits
from reactree_tools.traces import audited

VOCABULARY = Vocabulary(
    object_classes=('knife', 'gate'),
    skill_types=(
        SkillType('take <thing>', kind=SkillKind.TAKE),
        SkillType('open <thing>', kind=SkillKind.OPEN),
        SkillType('close <thing>', kind=SkillKind.CLOSE),
    ),
)
NO_HAZARDS = read_hazards('off')


def rules(*entries):
    return Rules(
        tuple(RuleEntry(name=f'rule {n}', **one).rule for n, one in enumerate(entries, 1))
    )


KNIVES = rules({'things': 'knife', 'decide': 'deny'})
GATES = rules({'skills': 'open <gate>', 'then': 'close <gate>'})


class Planner:
    """Tells of a run, and keeps what was found at each event."""

    def __init__(self, kept, task='open the gate'):
        self.audits = LiveAudits(kept, NO_HAZARDS, lambda: VOCABULARY)
        self.events = []
        self.number = 0
        self.tell(Decision(1, 0, DecisionKind.START, text=task))

    def tell(self, event, missed=False):
        self.events.append(event)
        return self.audits.take(HeardEvent('a' * 32, event, missed))

    def send(self, skill, by='default'):
        self.number += 1
        act = Decision(self.number + 1, 1, DecisionKind.ACT, skill=skill, allowed_by=by)
        return self.tell(act)

    def answer(self, outcome=Outcome.SUCCEEDED):
        act = self.events[-1]
        return self.tell(Observation('', outcome, skill=act.skill, sequence=act.sequence))

    def do(self, skill):
        return self.send(skill), self.answer()

    def finish(self, status=NodeStatus.SUCCESS):
        return self.tell(Decision(self.number + 2, 0, DecisionKind.FINISH, status=status))


def test_a_rule_is_told_broken_when_the_skill_is_sent_and_once_only():
    planner = Planner(KNIVES)
    assert planner.do('take gate 1')[0].broken == ()
    (found,) = planner.send('take knife 1').broken
    assert (found.rule, found.held, found.at) == ('rule "rule 1"', Held.BROKEN, 2)
    assert planner.answer().broken == ()
    assert planner.do('take knife 2')[1].broken == ()
    told = planner.finish()
    assert told.broken == () and [one.held for one in told.findings] == [Held.BROKEN]


@pytest.mark.parametrize('outcome', [Outcome.SAFETY_REJECTED, Outcome.PRECONDITION_FAILED])
def test_what_the_skill_server_refuses_is_taken_back(outcome):
    planner = Planner(KNIVES)
    assert planner.send('take knife 1').broken
    told = planner.answer(outcome)
    assert told.broken == ()
    assert told.sentences == (
        'not broken: rule "rule 1": "take knife 1" was refused or had no effect.',
    )
    assert [one.held for one in planner.finish().findings] == [Held.YES]


def test_a_skill_that_nobody_let_through_is_judged_by_what_came_of_it():
    planner = Planner(KNIVES)
    assert planner.send('take knife 1', by='').broken == ()
    assert planner.answer(Outcome.SAFETY_REJECTED).broken == ()
    # A planner that does not say who allowed it, and sends it.
    assert planner.send('take knife 1', by='').broken == ()
    assert planner.answer().broken


def test_what_is_owed_is_told_at_the_end_alone():
    planner = Planner(GATES)
    for told in planner.do('open gate 1'):
        assert told.broken == ()
    ((_, so_far),) = planner.audits.unended()
    assert [one.held for one in so_far] == [Held.YES]
    told = planner.finish(NodeStatus.FAILURE)
    assert [one.held for one in told.findings] == [Held.OPEN]
    assert told.ended.run_id == 'a' * 32 and planner.audits.ended == planner.audits.heard == 1


def test_what_the_sentence_forbids_is_held_too():
    planner = Planner(Rules(), 'open the gate, but do not take the knife')
    planner.tell(Decision(2, 0, DecisionKind.FORBID, subgoals=('take knife',)))
    planner.number = 1
    (found,) = planner.send('take knife 1').broken
    assert found.wording == 'take knife'


def test_events_that_were_missed_leave_something_untold():
    planner = Planner(KNIVES)
    planner.number = 40
    planner.tell(Decision(41, 1, DecisionKind.THINK, text='where was I?'), missed=True)
    held = [one.held for one in planner.finish().findings]
    assert held == [Held.YES, Held.UNKNOWN]


def test_the_time_of_day_is_that_of_the_planner_or_of_now_in_a_simulation():
    kept = rules({'things': 'gate', 'between': ['00:00', '23:59'], 'decide': 'deny'})
    for stamp in (5.0, 1_795_329_666.0):
        planner = Planner(kept)
        act = Decision(2, 1, DecisionKind.ACT, skill='open gate 1', allowed_by='default')
        assert planner.tell(replace(act, stamp=stamp)).broken


def test_what_is_found_live_is_what_is_found_in_the_record():
    kept = rules(
        {'things': 'knife', 'decide': 'deny'},
        {'skills': 'open <gate>', 'then': 'close <gate>', 'within': 1},
        {'skills': 'open *', 'at_most': 1},
    )
    planner = Planner(kept)
    for skill in ('open gate 1', 'take knife 1', 'close gate 1', 'open gate 2', 'close gate 2'):
        planner.do(skill)
    told = planner.finish()
    recorded = audited('a' * 32, planner.events, VOCABULARY)
    assert told.findings == recorded.findings(kept, NO_HAZARDS)
    assert [one.at for one in told.findings] == [2, 2, 4]
