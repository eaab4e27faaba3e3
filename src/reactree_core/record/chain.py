"""Records that are chained: each line of a journal holds the hash of the one before.

    {"event": ..., "before": "000..."}  <-  {..., "before": sha256 of line 1}  <-  ...  <-  closing

Whoever changes, removes or adds a line has to write all lines behind it anew, and then the closing
hash, that of the last line, is another one. It stands in the result of the run, and with a key its
signature stands beside the journal.

A bag has the events without the answers between them. So the line of an event also tells the hash
of the event before, and both hashes travel with its message: the lines of the events are made anew
from the bag, each is held against the next, and the last one has the same closing hash.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pydantic import Field

from reactree_core.chain_link import NO_LINE
from reactree_core.durability import write_private
from reactree_core.errors import ConfigurationError, JournalError
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.journal_lines import (
    Answer,
    chained,
    decode_record,
    encode_event,
    FORMAT,
    hash_of,
    Record,
)
from reactree_core.written_files import read_file, Written


class Verdict(Enum):
    """What is found of a record."""

    WHOLE = 'whole'
    CHANGED = 'changed'
    CUT = 'cut'
    NOT_CHAINED = 'not chained'


@dataclass(frozen=True, slots=True)
class Verification:
    """What is found of a journal or a bag.

    :param line: of the journal that was changed, or behind which lines are missing; 0 for none.
    :param event: number of the run's last event up to there. :param events: of the whole record.
    :param closing: hash of the last line. :param why: a sentence.
    """

    verdict: Verdict
    why: str
    line: int = 0
    event: int = 0
    events: int = 0
    closing: str = ''


def verify(path: Path, closing: str = '') -> Verification:
    """Whether a journal is as it was written.

    :param closing: hash that its last line must have; '' where nobody knows it.
    :raises JournalError: the file cannot be read.
    """
    try:
        lines = path.read_bytes().split(b'\n')
    except OSError as error:
        raise JournalError(f'The journal {path} cannot be read ({error.strerror}).') from error
    torn, lines = lines[-1], lines[:-1]
    expected, event, last = NO_LINE, 0, None
    for number, line in enumerate(lines, start=1):
        record, before = _read(line)
        if record is None:
            return _changed(number, event, 'it can no longer be read')
        if before is None:
            if number == 1:
                why = 'It was written before journals were chained: nothing is known.'
                return Verification(Verdict.NOT_CHAINED, why)
            return _changed(number, event, 'it has lost its link')
        if before != expected:
            # The line before was whole up to its own link, so it, or what stood behind it, is not.
            return _changed(max(1, number - 1), event, 'the next line was written behind another')
        if not isinstance(record, Answer):
            event = max(event, record.sequence)
        expected, last = hash_of(line), record
    if torn or not lines:
        return _cut(len(lines), event, expected, 'Its last line is not whole.')
    if closing and expected != closing:
        if _has_ended(last):
            return _changed(len(lines), event, 'the closing hash is another one')
        return _cut(len(lines), event, expected, 'Its end is missing.')
    if not _has_ended(last):
        return _cut(
            len(lines), event, expected, 'The end of the run is missing, or it has not ended.'
        )
    why = f'All {event} events are as they were written.'
    return Verification(Verdict.WHOLE, why, 0, event, event, expected)


def verify_events(events: Iterable[Event], closing: str = '', twice: int = 0) -> Verification:
    """Whether the events of a bag, in their order, are as the run's journal has them.

    :param closing: hash that the journal's last line must have; '' where nobody knows it.
    :param twice: number of an event that stands in the bag in two ways; 0 for none.
    """
    if twice:
        return _changed_event(twice, 'the bag has it twice, in two ways')
    expected, last = NO_LINE, None
    for event in events:
        link = event.link
        if not link.format:
            if last is None:
                why = 'It was recorded before events were chained, or without a journal.'
                return Verification(Verdict.NOT_CHAINED, why)
            return _changed_event(event.sequence, 'it has lost its link')
        if link.format > FORMAT:
            why = f'A later version wrote it (format {link.format}): verify it with that.'
            return Verification(Verdict.NOT_CHAINED, why)
        if link.event_before != expected:
            return _other_before(event, last)
        expected, last = hash_of(chained(encode_event(event, link.format), link)), event
    number = last.sequence if last is not None else 0
    if closing and expected != closing and _has_ended(last):
        return _changed_event(number, 'the closing hash is another one')
    if (closing and expected != closing) or not _has_ended(last):
        why = f'Cut behind event {number}. Its end is missing, or the run has not ended.'
        return Verification(Verdict.CUT, why, 0, number, number, expected)
    why = f'All {number} events are as the journal has them.'
    return Verification(Verdict.WHOLE, why, 0, number, number, expected)


def _other_before(event: Event, last: Event | None) -> Verification:
    """What is found where an event was written behind another one than stands before it."""
    if last is None:
        why = f'Cut before event {event.sequence}. The beginning of the run is missing.'
        return Verification(Verdict.CUT, why, 0, event.sequence)
    first, end = last.sequence + 1, event.sequence - 1
    if first <= end:
        missing = f'event {first} is' if first == end else f'events {first} to {end} are'
        return _changed_event(first, f'{missing} missing')
    return _changed_event(last.sequence, 'the next event was written behind another')


def _changed_event(event: int, why: str) -> Verification:
    return Verification(Verdict.CHANGED, f'Changed at event {event}: {why}.', 0, event)


def _read(line: bytes) -> tuple[Record | None, str | None]:
    """The record of a line and its link; None for what cannot be read, or is not there."""
    try:
        text = line.decode()
        record = decode_record(text)
        before = json.loads(text).get('before')
    except (JournalError, ValueError):
        return None, None
    return record, before if isinstance(before, str) else None


def _changed(line: int, event: int, why: str) -> Verification:
    sentence = f'Changed at event {event}, line {line}: {why}.'
    return Verification(Verdict.CHANGED, sentence, line, event)


def _cut(line: int, event: int, closing: str, why: str) -> Verification:
    sentence = f'Cut behind event {event}, line {line}. {why}'
    return Verification(Verdict.CUT, sentence, line, event, event, closing)


def _has_ended(last: Record | None) -> bool:
    return isinstance(last, Decision) and (last.kind, last.node_id) == (DecisionKind.FINISH, 0)


# Signatures ----------------------------------------------------------------------------------


class SignatureFile(Written):
    """What stands beside a signed journal. :param closing: hash. :param signature: hexadecimal."""

    closing: str = Field(pattern='^[0-9a-f]{64}$')
    signature: str = Field(pattern='^[0-9a-f]{128}$')


def signature_path(journal: Path) -> Path:
    """The file beside a journal that holds its signature."""
    return journal.with_suffix('.signature.json')


def sign(journal: Path, closing: str, key: Path) -> None:
    """Write the signature of a closing hash beside a journal.

    :param key: file of a private Ed25519 key, PEM, without a password.
    :raises ConfigurationError: it is none, or the signature cannot be written.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        private = load_pem_private_key(key.read_bytes(), None)
    except (OSError, ValueError, TypeError) as error:
        raise _no_key(key, error) from error
    if not isinstance(private, Ed25519PrivateKey):
        raise _no_key(key, 'it is of another kind')
    signature = private.sign(closing.encode()).hex()
    file = SignatureFile(closing=closing, signature=signature)
    try:
        write_private(signature_path(journal), file.model_dump_json())
    except OSError as error:
        raise ConfigurationError(
            f'The signature of {journal} cannot be written ({error.strerror}).'
        ) from error


def signed_closing(journal: Path, key: Path) -> str:
    """The closing hash that a journal was signed with.

    :param key: file of the public key, PEM.
    :raises ConfigurationError: there is no signature, or it is not of this key.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    file = read_file(signature_path(journal), SignatureFile)
    try:
        public = load_pem_public_key(key.read_bytes())
    except (OSError, ValueError) as error:
        raise _no_key(key, error) from error
    if not isinstance(public, Ed25519PublicKey):
        raise _no_key(key, 'it is of another kind')
    try:
        public.verify(bytes.fromhex(file.signature), file.closing.encode())
    except InvalidSignature as error:
        raise ConfigurationError(
            f'The signature beside {journal} is not of the key {key}: it was changed, or another '
            'key signed it.'
        ) from error
    closing: str = file.closing
    return closing


def _no_key(key: Path, why: object) -> ConfigurationError:
    return ConfigurationError(
        f'{key} is no Ed25519 key in PEM ({str(why)[:200]}). Make one: openssl genpkey -algorithm '
        'ed25519 -out key.pem; openssl pkey -in key.pem -pubout -out public.pem'
    )
