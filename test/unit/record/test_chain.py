"""A journal shows what was done to it: whole, changed at an event, or cut."""

from __future__ import annotations

import subprocess
import time
from dataclasses import replace

import pytest

from reactree_core.chain_link import NO_LINK
from reactree_core.errors import ConfigurationError, JournalError
from reactree_core.observation import Observation
from reactree_core.record.chain import (
    sign,
    signature_path,
    signed_closing,
    Verdict,
    verify,
    verify_events,
)
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.record.journal import Journal, read_records
from reactree_core.record.journal_lines import Answer, FORMAT
from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode

RECORDS = (
    Decision(1, 0, DecisionKind.START, text='lift it'),
    Answer('select', {'index': 1}),
    Decision(2, 1, DecisionKind.ACT, skill='lift crate 1', allowed_by='default'),
    Observation('Lifted.', skill='lift crate 1', sequence=2, node_id=1),
    Decision(3, 0, DecisionKind.FINISH, status=NodeStatus.SUCCESS),
)


@pytest.fixture
def journal(tmp_path):
    """A whole journal: its path and its closing hash."""
    written = Journal(tmp_path, 'a' * 32)
    for record in RECORDS:
        written.append(record)
    written.close()
    return written.path, written.closing


def test_a_journal_that_nobody_touched_is_whole_and_reads_as_before(journal):
    path, closing = journal
    assert tuple(read_records(path)) == RECORDS
    found = verify(path, closing)
    assert (found.verdict, found.events, found.closing) == (Verdict.WHOLE, 3, closing)


def test_every_letter_that_is_changed_is_seen(journal):
    path, closing = journal
    content = path.read_bytes()
    for at in range(0, len(content), 7):
        changed = bytearray(content)
        changed[at] = changed[at] ^ 1
        path.write_bytes(changed)
        assert verify(path, closing).verdict is not Verdict.WHOLE, at


@pytest.mark.parametrize('line', range(4))
def test_a_changed_or_missing_line_is_named_with_its_event(journal, line):
    path, _ = journal
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(''.join([*lines[:line], *lines[line + 1 :]]))
    assert verify(path).verdict is Verdict.CHANGED
    word = ('lift it', '"index":1', 'lift crate 1', 'Lifted')[line]
    path.write_text(''.join(lines).replace(word, 'x' * len(word) if line != 1 else '"index":2', 1))
    found = verify(path)
    assert (found.verdict, found.line) == (Verdict.CHANGED, line + 1)
    assert found.event == (1, 1, 2, 2)[line]
    assert found.why.startswith(f'Changed at event {found.event}, line {line + 1}: ')


def test_lines_that_change_places_or_are_added_are_seen(journal):
    path, _ = journal
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(''.join([lines[0], lines[2], lines[1], *lines[3:]]))
    assert verify(path).verdict is Verdict.CHANGED
    path.write_text(''.join([*lines[:3], lines[2], *lines[3:]]))
    assert verify(path).verdict is Verdict.CHANGED


def test_a_journal_that_ends_early_is_cut(journal):
    path, closing = journal
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(''.join(lines[:4]))
    found = verify(path)
    assert (found.verdict, found.event, found.line) == (Verdict.CUT, 2, 4)
    path.write_text(''.join(lines)[:-9])
    assert verify(path, closing).verdict is Verdict.CUT


def test_one_that_was_written_anew_is_seen_by_its_closing_hash_alone(journal, tmp_path):
    path, closing = journal
    forged = Journal(tmp_path / 'b', path.stem)
    for record in (*RECORDS[:2], *RECORDS[4:]):
        forged.append(record)
    forged.close()
    assert verify(forged.path).verdict is Verdict.WHOLE
    assert verify(forged.path, closing).verdict is Verdict.CHANGED


def test_a_resumed_run_keeps_the_chain_also_behind_a_torn_line(tmp_path):
    first = Journal(tmp_path, 'run')
    for record in RECORDS[:3]:
        first.append(record)
    first.close()
    with first.path.open('ab') as file:
        file.write(b'{"text":"to')
    assert verify(first.path).verdict is Verdict.CUT
    again = Journal(tmp_path, 'run')
    for record in RECORDS[3:]:
        again.append(record)
    again.close()
    assert verify(again.path, again.closing).verdict is Verdict.WHOLE


def test_a_journal_of_before_is_told_as_not_chained(journal):
    path, _ = journal
    lines = [line.partition(',"before"')[0] + '}' for line in path.read_text().splitlines()]
    path.write_text('\n'.join(lines) + '\n')
    assert tuple(read_records(path)) == RECORDS
    assert verify(path).verdict is Verdict.NOT_CHAINED


def test_a_signature_is_of_one_key_and_one_closing_hash(journal, keys, tmp_path):
    (path, closing), (private, public) = journal, keys
    sign(path, closing, private)
    assert signed_closing(path, public) == closing
    text = signature_path(path).read_text()
    signature_path(path).write_text(text.replace(closing, 'f' * 64))
    with pytest.raises(ConfigurationError, match='is not of the key'):
        signed_closing(path, public)
    with pytest.raises(ConfigurationError, match='is no Ed25519 key in PEM'):
        sign(path, closing, tmp_path / 'none.pem')


def test_the_command_says_what_it_found(journal, keys, capsys):
    (path, closing), (private, public) = journal, keys
    sign(path, closing, private)
    assert main(['verify', str(path), '--plain']) == ExitCode.OK
    said = capsys.readouterr().out
    assert f'whole: {path.stem}' in said and 'Whoever wrote everything anew' in said
    assert main(['verify', 'last', '--journals', str(path.parent), '--key', str(public)]) == 0
    assert 'Whoever wrote' not in capsys.readouterr().out
    path.write_text(path.read_text().replace('Lifted', 'Hidden'))
    assert main(['verify', str(path), '--closing', closing, '--plain']) == ExitCode.FAILED
    assert 'Changed at event 2, line 4' in capsys.readouterr().out
    assert main(['verify', 'nothing', '--journals', str(path.parent)]) == ExitCode.UNUSABLE


def test_the_chain_costs_less_than_a_tenth_of_a_millisecond_an_event(tmp_path):
    from reactree_core.record.journal_lines import hash_of

    line = b'x' * 20_000
    began = time.process_time()
    for _ in range(200):
        hash_of(line)
    assert (time.process_time() - began) / 200 < 1e-4


# Events of a bag ---------------------------------------------------------------------------------


@pytest.fixture
def events(tmp_path):
    """The events of a whole journal with their links, and its closing hash."""
    written, linked = Journal(tmp_path, 'e' * 32), []
    for record in RECORDS:
        link = written.append(record)
        if not isinstance(record, Answer):
            linked.append(replace(record, link=link))
    written.close()
    return linked, written.closing


def test_events_that_nobody_touched_are_whole(events):
    linked, closing = events
    found = verify_events(linked, closing)
    assert (found.verdict, found.event, found.events) == (Verdict.WHOLE, 3, 3)
    assert found.closing == closing and verify_events(linked).verdict is Verdict.WHOLE


def test_events_that_are_changed_missing_or_told_twice_are_named(events):
    linked, closing = events
    for place, event in enumerate(linked[:-1]):
        field = {'text': 'else'} if isinstance(event, Observation) else {'approver': 'me'}
        changed = [*linked[:place], replace(event, **field), *linked[place + 1 :]]
        found = verify_events(changed, closing)
        assert (found.verdict, found.event) == (Verdict.CHANGED, event.sequence)
        assert (found.line, found.closing) == (0, ''), 'a bag has no lines'
    last = replace(linked[-1], text='else')
    assert verify_events([*linked[:-1], last], closing).verdict is Verdict.CHANGED
    found = verify_events([linked[0], linked[3]], closing)
    assert (found.verdict, found.event) == (Verdict.CHANGED, 2)
    assert 'event 2 is missing' in found.why
    far = replace(linked[3], sequence=5)
    assert 'events 2 to 4 are missing' in verify_events([linked[0], far]).why
    assert verify_events(linked, closing, 2).why.startswith('Changed at event 2: the bag has it')


def test_events_without_their_beginning_or_their_end_are_cut(events):
    linked, closing = events
    found = verify_events(linked[1:], closing)
    assert (found.verdict, found.event) == (Verdict.CUT, 2)
    for those in (linked[:-1], linked[:1], []):
        for known in (closing, ''):
            found = verify_events(those, known)
            number = those[-1].sequence if those else 0
            assert (found.verdict, found.event) == (Verdict.CUT, number)


def test_events_without_links_or_of_a_later_format_tell_nothing(events):
    linked, _ = events
    bare = [replace(one, link=NO_LINK) for one in linked]
    assert verify_events(bare).verdict is Verdict.NOT_CHAINED
    found = verify_events([linked[0], *bare[1:]])
    assert (found.verdict, found.event) == (Verdict.CHANGED, 2)
    newer = replace(linked[0], link=replace(linked[0].link, format=FORMAT + 1))
    assert verify_events([newer]).verdict is Verdict.NOT_CHAINED


def test_a_file_that_is_not_there_and_keys_of_other_kinds_are_told(journal, tmp_path):
    path, closing = journal
    with pytest.raises(JournalError, match='cannot be read'):
        verify(tmp_path / 'none.jsonl')
    curve = tmp_path / 'curve.pem'
    make = ['openssl', 'genpkey', '-algorithm', 'x25519', '-out', str(curve)]
    subprocess.run(make, check=True, capture_output=True)
    with pytest.raises(ConfigurationError, match='it is of another kind'):
        sign(path, closing, curve)
    tell = ['openssl', 'pkey', '-in', str(curve), '-pubout', '-out', str(tmp_path / 'public.pem')]
    subprocess.run(tell, check=True, capture_output=True)
    with pytest.raises(ConfigurationError, match='signature'):
        signed_closing(path, tmp_path / 'public.pem')
