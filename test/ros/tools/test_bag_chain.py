"""A bag shows what was done to it: the lines of its run's journal are made anew from it."""

from __future__ import annotations

import time
from dataclasses import fields, replace
from enum import Enum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.belief import Fact, Source, SourceKind
from reactree_core.chain_link import ChainLink, NO_LINK
from reactree_core.observation import ObjectFact, Observation
from reactree_core.record.chain import sign, Verdict, verify, verify_events
from reactree_core.record.events import bounded_event, Decision, DecisionKind
from reactree_core.record.goal_record import GoalRecord
from reactree_core.record.journal import Journal, read_journal
from reactree_core.record.journal_lines import Answer
from reactree_core.record.run_settings import Limits, RunSettings
from reactree_core.ros.conversions import link_to_message
from reactree_core.skill_types import Effect, Relation
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode
from reactree_tools.recording.bags import find_bag
from reactree_tools.recording.ros.run_reading import runs_of
from support.recorded_bags import bag_of, whole_variants
from support.repaired_run import repaired_run

RUN = 'a' * 32
#: What no message says with the value that it has elsewhere.
SETTINGS = RunSettings('reactree', limits=Limits(seconds=3), scene='hall', elapsed=0)


def run_of_every_field():
    """A run in which everything that an event can tell is told at least once."""
    start, *events = repaired_run()
    events[0:0] = [
        Decision(
            start.sequence,
            0,
            DecisionKind.GROUND,
            'in other words',
            goal=GoalRecord(('a in b',), ('a from c',), language='en', whole=True),
        )
    ]
    seen = Observation(
        'Über den Zaun — 猫 "x"\n\ty',
        skill='look',
        place='shelf 1',
        facts=(ObjectFact('cup', 2, 'hall 1', 'shelf 1', 'open', 12.5, 'left'),),
        held=('cup 2',),
        distance=1.25,
        sensed=('at',),
        assumed=('holding cup 2',),
    )
    numbered = [replace(start, settings=SETTINGS), *events[:1], seen, *events[1:]]
    return [replace(event, sequence=number) for number, event in enumerate(numbered, start=1)]


@pytest.fixture(scope='module')
def written(tmp_path_factory):
    """A journal of the run, with answers between its events, and its events."""
    journal = Journal(tmp_path_factory.mktemp('journals'), RUN)
    for event in run_of_every_field():
        if event.sequence % 3 == 0:
            journal.append(Answer('select', {'index': event.sequence}))
        journal.append(event)
    journal.close()
    return journal, tuple(read_journal(journal.path))


def found_in(folder, events, closing=''):
    """What is found of a bag of these events, each with the link that it was given."""
    (run,) = runs_of(find_bag(bag_of(folder / 'bag', a=events), folder))
    return verify_events(run.events, closing, run.twice)


def test_a_bag_is_whole_with_the_closing_hash_of_its_journal(written, tmp_path):
    journal, events = written
    assert verify(journal.path, journal.closing).verdict is Verdict.WHOLE
    found = found_in(tmp_path, events, journal.closing)
    assert (found.verdict, found.closing) == (Verdict.WHOLE, journal.closing)
    assert found.events == events[-1].sequence


def test_bags_that_other_tools_wrote_anew_are_whole(written, tmp_path):
    journal, events = written
    bag_of(tmp_path / 'session', a=events)
    for name, path in whole_variants(tmp_path / 'session', tmp_path / 'variants'):
        (run,) = runs_of(find_bag(str(path), tmp_path))
        assert verify_events(run.events, journal.closing).verdict is Verdict.WHOLE, name


def changed(value):
    """Another value of the kind, that a message takes."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, Enum):
        return next(other for other in type(value) if other is not value)
    if isinstance(value, str):
        return value + 'x'
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, tuple):
        return value[:-1] if value else ('x',)
    first = fields(value)[0].name
    return replace(value, **{first: changed(getattr(value, first))})


def changes_of(event):
    """Each of its fields changed: the name, and the event."""
    for one in fields(event):
        if one.name not in ('link', 'sequence', 'facts', 'evidence'):
            yield one.name, replace(event, **{one.name: changed(getattr(event, one.name))})
    if isinstance(event, Observation):
        yield 'facts', replace(event, facts=(ObjectFact('knife', 1),))
        held = Effect(Relation.HOLDING, '', 'knife 1')
        yield 'evidence', replace(event, evidence=(Fact(held, Source(SourceKind.SENSOR), 1.0),))


def test_whatever_is_changed_in_any_event_is_seen_and_named(written):
    journal, events = written
    seen = 0
    for place, event in enumerate(events):
        for name, other in changes_of(event):
            if name in ('settings', 'goal') and getattr(other, name) != getattr(event, name):
                # Only those of their own kind carry them.
                kind = {'settings': DecisionKind.START, 'goal': DecisionKind.GROUND}[name]
                if event.kind is not kind:
                    continue
            found = verify_events((*events[:place], other, *events[place + 1 :]), journal.closing)
            assert found.verdict in (Verdict.CHANGED, Verdict.CUT), (name, event)
            if found.verdict is Verdict.CHANGED:
                assert found.event == event.sequence, name
            seen += 1
    assert seen > 200


def test_events_that_are_missing_moved_or_told_twice_are_seen(written, tmp_path):
    _, events = written
    (first, second, third, *rest) = events
    assert found_in(tmp_path / '1', (first, third, *rest)).why == (
        'Changed at event 2: event 2 is missing.'
    )
    assert found_in(tmp_path / '2', (first, second, *rest[2:])).why == (
        'Changed at event 3: events 3 to 5 are missing.'
    )
    late = found_in(tmp_path / '3', (second, third, *rest))
    assert (late.verdict, late.event) == (Verdict.CUT, 2)
    assert late.why == 'Cut before event 2. The beginning of the run is missing.'
    early = found_in(tmp_path / '4', events[:-2])
    assert (early.verdict, early.event) == (Verdict.CUT, events[-3].sequence)
    forged = replace(third, skill='look at nothing', link=second.link)
    twice = found_in(tmp_path / '5', (*events, forged))
    assert twice.why == 'Changed at event 3: the bag has it twice, in two ways.'
    assert found_in(tmp_path / '6', (*events, replace(third))).verdict is Verdict.WHOLE


def test_a_link_that_is_taken_away_or_of_later_is_told(written):
    _, events = written
    bare = tuple(replace(event, link=NO_LINK) for event in events)
    assert verify_events(bare).verdict is Verdict.NOT_CHAINED
    assert verify_events((*events[:4], *bare[4:])).why.endswith('it has lost its link.')
    later = replace(events[0], link=ChainLink(99))
    assert 'A later version wrote it (format 99)' in verify_events((later,)).why
    assert link_to_message(NO_LINK) == []


def test_a_forged_bag_is_seen_by_the_closing_hash_alone(written, tmp_path):
    journal, events = written
    forged = Journal(tmp_path / 'forged', RUN)
    for event in (*events[:3], replace(events[3], node_id=9), *events[4:]):
        forged.append(event)
    forged.close()
    bag = tuple(read_journal(forged.path))
    assert verify_events(bag).verdict is Verdict.WHOLE
    assert verify_events(bag, journal.closing).verdict is Verdict.CHANGED


texts = st.text(st.characters(codec='utf-8'), max_size=40)


@settings(max_examples=25, deadline=None)
@given(texts, texts, st.floats(0, 1e6), st.floats(0, 100, width=32))
def test_whatever_is_told_its_bag_is_whole(tmp_path_factory, said, skill, seen_at, metres):
    folder = tmp_path_factory.mktemp('told')
    journal = Journal(folder, RUN)
    start, *_, end = repaired_run()
    facts = (ObjectFact('cup', 1, seen_at=round(seen_at * 1e9) / 1e9),)
    told = (
        start,
        Decision(2, 1, DecisionKind.ACT, said, skill, subgoals=(said,), ties=(skill,)),
        Observation(said * 3000, skill=skill, sequence=2, facts=facts, distance=metres),
        replace(end, sequence=3, stamp=1.0),
    )
    for event in told:
        journal.append(bounded_event(event))
    journal.close()
    found = found_in(folder, tuple(read_journal(journal.path)), journal.closing)
    assert found.verdict is Verdict.WHOLE, found.why


def test_the_command_verifies_each_run_of_a_bag(written, tmp_path, capsys):
    journal, events = written
    other = Journal(tmp_path, 'b' * 32)
    for event in events[:-1]:
        other.append(event)
    other.close()
    bag = bag_of(tmp_path / 'bag', a=events, b=tuple(read_journal(other.path)))
    assert main(['verify', bag, '--plain']) == ExitCode.FAILED
    said = capsys.readouterr().out
    assert f'whole: {RUN}' in said and f'cut: {"b" * 32}' in said
    assert main(['verify', bag, '--run', 'aaaa', '--closing', journal.closing]) == ExitCode.OK
    assert main(['verify', bag, '--run', 'aaaa', '--closing', 'f' * 64]) == ExitCode.FAILED
    assert main(['verify', str(tmp_path / 'none'), '--journals', str(tmp_path)]) == 2


def test_the_signature_of_the_journal_is_that_of_the_bag(written, tmp_path, keys, capsys):
    journal, events = written
    private, public = keys
    sign(journal.path, journal.closing, private)
    bag = bag_of(tmp_path / 'bag', a=events)
    command = ['verify', bag, '--key', str(public), '--journals', str(journal.path.parent)]
    assert main(command) == ExitCode.OK
    cut = bag_of(tmp_path / 'cut', a=events[:-1])
    assert main([*command[:1], cut, *command[2:]]) == ExitCode.FAILED
    assert 'Its end is missing' in capsys.readouterr().out


def test_a_link_costs_less_than_a_tenth_of_a_millisecond_an_event(written):
    _, events = written
    began = time.process_time()
    for _ in range(20):
        for event in events:
            bounded_event(event)
            link_to_message(event.link)
    assert (time.process_time() - began) / 20 / len(events) < 1e-4
