"""The monitor finds what was broken, and nothing in runs of whoever wants what is forbidden."""

from __future__ import annotations

import os
from contextlib import suppress
from random import Random

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ReactreeError
from reactree_core.observation import Observation, Outcome
from reactree_core.permission.formulas import atoms_of
from reactree_core.permission.guard import SkillGuard
from reactree_core.permission.matching import Moment
from reactree_core.permission.monitor import audit, Held, Sent, Trace
from reactree_core.permission.rules import Rules, truth_of, Verdict
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.permission.spending import Amounts
from reactree_core.permission.spending import Limits as Spendable
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal_lines import decode_record, encode_record
from reactree_core.record.run_settings import Limits
from reactree_core.skill_types import SkillType
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Decides, PlannerSettings
from reactree_tools.traces import audited
from support.memories import FixedMemory
from support.random_servers import ForbiddenFirst, HostilePlanner, random_rules, RandomServer
from support.textbook_ltlf import holds

#: Runs of each test; 1000 for a release.
RUNS = int(os.environ.get('REACTREE_AUDIT_RUNS', '50'))

TYPES = (SkillType('take <thing>'),)


def rules(*entries, **more):
    made = tuple(RuleEntry(name=f'rule {n}', **one).rule for n, one in enumerate(entries, 1))
    return Rules(made, **more)


def trace(*skills, **more):
    sent = (Sent(Moment(one, types=TYPES), True, stamp=n) for n, one in enumerate(skills))
    return Trace(tuple(sent), **more)


def told(told_rules, *skills, **more):
    return [(one.held, one.at) for one in audit(told_rules, trace(*skills, **more))]


def test_a_rule_is_broken_at_the_skill_that_broke_it():
    first = rules({'skills': 'load <crate>', 'only_after': 'scan <crate>'})
    assert told(first, 'scan crate 1', 'load crate 1') == [(Held.YES, 0)]
    assert told(first, 'scan crate 1', 'load crate 1', 'load crate 2') == [(Held.BROKEN, 3)]
    assert told(rules({'skills': 'lift *', 'at_most': 1}), 'lift a', 'lift b') == [
        (Held.BROKEN, 2)
    ]
    (found,) = audit(rules({'things': 'knife', 'decide': 'deny'}), trace('lift knife_1'))
    assert (found.held, found.why) == (Held.BROKEN, 'Skill 1, "lift knife_1", broke it.')


def test_what_was_owed_is_left_open_whether_or_not_the_run_may_go_on():
    closing = rules({'skills': 'open <gate>', 'then': 'close <gate>'})
    assert told(closing, 'open gate 1', 'close gate 1') == [(Held.YES, 0)]
    (found,) = audit(closing, trace('open gate 1', 'close gate 2'))
    assert found.held is Held.OPEN and 'when the run ended' in found.why
    (found,) = audit(closing, trace('open gate 1', ended=False))
    assert found.held is Held.OPEN and 'so far' in found.why


def test_the_first_rule_that_decides_counts():
    butter = {'things': 'butter knife', 'decide': 'allow'}
    knives = {'things': 'knife', 'decide': 'deny'}
    assert told(rules(butter, knives), 'take butter knife') == [(Held.YES, 0)] * 2
    assert told(rules(knives, butter), 'take butter knife')[0] == (Held.BROKEN, 1)
    # Where the first cannot be told to fit, it allows nothing.
    assert told(rules(butter, knives), 'slip butter knife')[1] == (Held.BROKEN, 1)


@pytest.mark.parametrize(
    ('approved', 'held'), [(True, Held.YES), (False, Held.BROKEN), (None, Held.UNKNOWN)]
)
def test_who_approved_decides_where_a_person_is_wanted(approved, held):
    sent = Trace((Sent(Moment('lift bottle 1'), True, approved),))
    (found,) = audit(rules({'things': 'bottle', 'decide': 'ask'}), sent)
    assert found.held is held
    (found,) = audit(Rules(otherwise=Verdict.ASK), sent)
    assert found.held is held
    (found,) = audit(rules({'things': 'crate', 'decide': 'ask'}), sent)
    assert found.held is Held.YES


def test_amounts_hours_and_limits_are_held_against_the_trace_too():
    total = {'of': '<ml>', 'for_each': '<plant>', 'at_most': 300}
    water = rules({'skills': 'water <plant> with <ml> ml', 'total': total})
    once = [f'water plant {n} with 200 ml' for n in (1, 2)]
    assert told(water, *once) == [(Held.YES, 0)]
    assert told(water, *once, 'water plant 1 with 150 ml') == [(Held.BROKEN, 3)]
    hourly = rules({'skills': 'lift *', 'at_most': 1, 'per': 'hour'})
    assert told(hourly, 'lift a', 'lift b') == [(Held.BROKEN, 2)]
    late = Trace(tuple(Sent(Moment('lift a'), True, stamp=at) for at in (0.0, 3700.0)))
    assert audit(hourly, late)[0].held is Held.YES
    limited = Rules(limits=Spendable(Amounts(skills=1)))
    spent = Trace((Sent(Moment('a'), spent=Amounts(1)), Sent(Moment('b'), spent=Amounts(1))))
    assert [(one.held, one.at) for one in audit(limited, spent)] == [(Held.BROKEN, 2)]


def test_a_time_of_day_that_is_not_recorded_is_told_as_such():
    night = rules({'skills': 'load *', 'between': ['22:00', '06:00'], 'decide': 'deny'})
    assert told(night, 'load a') == [(Held.UNKNOWN, 0)]
    assert told(night, 'lift a') == [(Held.YES, 0)]


# Runs of whoever wants what is forbidden ------------------------------------------------------


def planned(random, server, kept, planner, approves):
    """The records of a run, as its journal has them."""
    records = []

    def mentioned(skill):
        return any(one.skill.matches(Moment(skill, types=server.types)) for one in kept.rules)

    run = PlanRun(
        random.choice(('scan it', f'scan it, but do not scan {server.things[0]}')),
        Ports(PolicyModel(ForbiddenFirst(random, mentioned)), server, FixedMemory()),
        PlannerSettings(decides=Decides.MODEL),
        Limits(decisions=30, steps=15),
        CancelToken(),
        records.append,
        lambda decision: 'No.' if run.acting.asking and not approves else None,
        permission=kept,
    )
    with suppress(ReactreeError):
        carry_out(planner, run)
    return [decode_record(encode_record(record)) for record in records]


def sent_straight(random, server, guard):
    """The records of a client that goes around every planner."""
    seen = server.look()
    records = [seen]
    for number in range(1, 13):
        skill = random.choice(server.candidate_skills())
        decision = Decision(number, 1, DecisionKind.ACT, skill=skill)
        refusal = guard.refusal('run', skill, False, seen, server.types) if guard else None
        if refusal is None:
            seen = server.execute(number, 1, skill, None)
            if guard:
                guard.record('run', Observation(**{**fields_of(seen), 'skill': skill}), 0.0)
            answer = Observation(**{**fields_of(seen), 'skill': skill, 'sequence': number})
        else:
            answer = Observation(refusal.reason, Outcome.SAFETY_REJECTED, skill, seen.place)
        records += [decision, answer]
    return records


def fields_of(seen):
    return {name: getattr(seen, name) for name in seen.__slots__}


def broken(kept, run, approves=True):
    """What the monitor finds broken; its formulas are held against the definition besides."""
    told_sent = tuple(
        Sent(one.moment, one.succeeded, approves, one.stamp, one.spent) for one in run.trace.sent
    )
    told_trace = Trace(told_sent, run.trace.end, run.trace.ended)
    task_rules = run.task_rules
    findings = audit(kept, told_trace, task_rules)
    assert not [one for one in findings if one.held is Held.UNKNOWN]
    for rule, found in zip((*task_rules, *kept.rules), findings, strict=False):
        if rule.is_temporal:
            assert (found.held is Held.YES) is by_definition(rule, told_trace), found
    return [one for one in findings if one.held is Held.BROKEN]


def by_definition(rule, told_trace):
    """Whether a rule holds of every thing by the second implementation of LTLf."""
    bindings = {b for one in told_trace.sent for b in rule.bindings(one.moment.skill)}
    for one in (rule.bound(binding) for binding in bindings or [()]):
        formula = one.formula
        atoms = atoms_of(formula)
        positions = [
            frozenset(atom for atom in atoms if truth_of(atom, sent.moment, sent.succeeded))
            for sent in (*told_trace.sent, Sent(told_trace.end))
        ]
        if not holds(formula, positions):
            return False
    return True


def runs_of(attack, count):
    """(rules, run, whether a person approves) of random servers that are attacked."""
    for seed in range(count):
        random = Random(seed)
        failing = random.choice((0.0, 0.2))
        server = RandomServer(random, failing)
        kept = random_rules(random, server, within=not failing)
        approves = random.random() < 0.5
        if attack == 'model':
            records = planned(random, server, kept, make_planner('reactree'), approves)
        elif attack == 'planner':
            records = planned(random, server, kept, HostilePlanner(random, server), approves)
        else:
            approves = False
            guard = SkillGuard(True, kept) if attack == 'client' else None
            records = sent_straight(random, server, guard)
        yield kept, audited(f'{seed:032x}', records, server.vocabulary), approves


@pytest.mark.parametrize('attack', ['model', 'planner', 'client'])
def test_whoever_wants_what_is_forbidden_breaks_no_rule(attack):
    sent = refused = 0
    for kept, run, approves in runs_of(attack, RUNS):
        found = broken(kept, run, approves)
        assert not found, (run.run_id, found, [one.moment.skill for one in run.trace.sent])
        if run.succeeded:
            owed = [one for one in audit(kept, run.trace) if one.held is Held.OPEN]
            assert not owed, (run.run_id, owed)
        sent += len(run.trace.sent)
        refused += not run.trace.sent
    # They were let do what is not forbidden.
    assert sent > RUNS * 2 and refused < RUNS / 2


def test_without_anybody_who_keeps_them_the_same_rules_are_broken():
    found = [broken(kept, run) for kept, run, _ in runs_of('nobody', RUNS)]
    assert sum(map(bool, found)) > RUNS / 3
