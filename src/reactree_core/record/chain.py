"""A journal whose lines are chained: each holds the hash of the one before.

    {"event": ..., "before": "000..."}  <-  {..., "before": sha256 of line 1}  <-  ...  <-  closing

Whoever changes, removes or adds a line has to write all lines behind it anew, and then the closing
hash, that of the last line, is another one. It stands in the result of the run, and with a key its
signature stands beside the journal.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pydantic import Field

from reactree_core.durability import write_private
from reactree_core.errors import ConfigurationError
from reactree_core.errors import JournalError
from reactree_core.record.events import Decision
from reactree_core.record.events import DecisionKind
from reactree_core.record.journal import Answer
from reactree_core.record.journal import decode_record
from reactree_core.record.journal import link_of
from reactree_core.record.journal import NO_LINK
from reactree_core.record.journal import Record
from reactree_core.written_files import read_file
from reactree_core.written_files import Written


class Verdict(Enum):
    """What is found of a record."""

    WHOLE = 'whole'
    CHANGED = 'changed'
    CUT = 'cut'
    NOT_CHAINED = 'not chained'


@dataclass(frozen=True, slots=True)
class Verification:
    """What is found of a journal.

    :param line: that was changed, or behind which lines are missing; 0 for none.
    :param event: number of the run's last event up to there. :param events: of the whole journal.
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
    expected, event, last = NO_LINK, 0, None
    for number, line in enumerate(lines, start=1):
        record, before = _read(line)
        if record is None:
            return _changed(number, event, 'it can no longer be read')
        if before is None:
            if number == 1:
                why = 'It was written before journals were chained: nothing tells.'
                return Verification(Verdict.NOT_CHAINED, why)
            return _changed(number, event, 'it has lost its link')
        if before != expected:
            # The line before was whole up to its own link, so it, or what stood behind it, is not.
            return _changed(max(1, number - 1), event, 'the next line was written behind another')
        if not isinstance(record, Answer):
            event = max(event, record.sequence)
        expected, last = link_of(line), record
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
    told = f'Changed at event {event}, line {line}: {why}.'
    return Verification(Verdict.CHANGED, told, line, event)


def _cut(line: int, event: int, closing: str, why: str) -> Verification:
    told = f'Cut behind event {event}, line {line}. {why}'
    return Verification(Verdict.CUT, told, line, event, event, closing)


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
    told = SignatureFile(closing=closing, signature=signature)
    try:
        write_private(signature_path(journal), told.model_dump_json())
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

    told = read_file(signature_path(journal), SignatureFile)
    try:
        public = load_pem_public_key(key.read_bytes())
    except (OSError, ValueError) as error:
        raise _no_key(key, error) from error
    if not isinstance(public, Ed25519PublicKey):
        raise _no_key(key, 'it is of another kind')
    try:
        public.verify(bytes.fromhex(told.signature), told.closing.encode())
    except InvalidSignature as error:
        raise ConfigurationError(
            f'The signature beside {journal} is not of the key {key}: it was changed, or another '
            'key signed it.'
        ) from error
    closing: str = told.closing
    return closing


def _no_key(key: Path, why: object) -> ConfigurationError:
    return ConfigurationError(
        f'{key} is no Ed25519 key in PEM ({str(why)[:200]}). Make one: openssl genpkey -algorithm '
        'ed25519 -out key.pem; openssl pkey -in key.pem -pubout -out public.pem'
    )
