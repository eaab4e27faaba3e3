"""Shared prefixes: evaluated once, kept in the KV cache and on disk, reused by every session."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from reactree_core.cancellation import CancelToken
from reactree_core.errors import PromptTooLongError
from reactree_planner.llm.in_process.engine import Logits, TokenEngine

#: Shorter prefixes are quicker to evaluate than to read.
_WORTH_SAVING = 48
#: Saved prefixes that are compared with a new one.
_REMEMBERED = 64


class PrefixCache:
    """Prefixes by their tokens; the least recently used give way when the cache is full.

    :param directory: where states are saved, or None to save nothing.
    :param fingerprint: of the model file and library, part of every file's name.
    :param disk_bytes: most bytes of saved states; the oldest files are removed beyond it.
    """

    def __init__(
        self, engine: TokenEngine, directory: Path | None, fingerprint: str, disk_bytes: int
    ) -> None:
        self.engine = engine
        self._directory = directory
        self._fingerprint = fingerprint
        self._disk_bytes = disk_bytes
        # Every evaluated token looks at all cells in use, so idle prefixes slow everybody down;
        # from disk they are back in milliseconds.
        self._most_held = engine.cells // (16 if directory else 2)
        self._held: OrderedDict[tuple[int, ...], tuple[int, Logits | None]] = OrderedDict()
        #: Files of this process's prefixes, which others may begin like; the last used are last.
        self._saved: OrderedDict[tuple[int, ...], Path] = OrderedDict()
        self.restored_from_disk = 0

    def sequence_with(self, tokens: Sequence[int], cancel: CancelToken) -> tuple[int, int]:
        """A sequence that holds exactly these tokens, and how many had to be evaluated.

        The sequence stays owned by this cache: copy it, never grow it.

        :raises ModelError: longer than the context. :raises CanceledError: stopped.
        """
        key = tuple(tokens)
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key][0], 0
        self._make_room(len(key))
        sequence = self.engine.take_sequence()
        path = self._path(key)
        if path and path.exists():
            if self.engine.load_sequence(sequence, key, path):
                self._held[key] = (sequence, None)
                self.restored_from_disk += 1
                self._remember(key, path)
                with suppress(OSError):
                    # Used now: others are removed before it. (A folder may be read-only.)
                    os.utime(path)
                return sequence, 0
            with suppress(OSError):
                path.unlink()
        shared = self._begin_as_another(sequence, key)
        logits: Logits | None = None
        try:
            logits = self.evaluate(sequence, shared, key[shared:], cancel)[0]
        finally:
            if logits is None:
                self.engine.release_sequence(sequence)
        self._held[key] = (sequence, logits)
        self._save(sequence, key, path)
        return sequence, len(key) - shared

    def evaluate(
        self,
        sequence: int,
        start: int,
        tokens: Sequence[int],
        cancel: CancelToken,
        wanted: int = 1,
    ) -> list[Logits]:
        """Evaluate, giving up old prefixes while the cache is full.

        :param wanted: after how many of the last tokens the logits are returned, 1 to 32.
        :raises PromptTooLongError: full although nothing is left to give up.
        """
        while True:
            logits = self.engine.evaluate(sequence, start, tokens, cancel, wanted)
            if logits is not None:
                return logits
            self.give_way(sequence)

    def give_way(self, sequence: int) -> None:
        """Forget the prefix used longest ago, to make room for a sequence.

        :raises PromptTooLongError: full although nothing is left to give up.
        """
        if not self.release_oldest(but=sequence):
            raise PromptTooLongError(
                f'The model context of {self.engine.cells} tokens is full. Raise '
                'context_tokens, or show fewer examples: preset:=default,example_tokens=300.'
            )

    def _make_room(self, tokens: int) -> None:
        """Let the least recently used go until a prefix of this length may be held."""
        held = sum(map(len, self._held))
        while self._held and (held + tokens > self._most_held or not self.engine.sequences_left):
            held -= len(next(iter(self._held)))
            self.release_oldest()

    def release_oldest(self, but: int = -1) -> bool:
        """Forget the prefix used longest ago (its file stays); False when there is none."""
        for key, (sequence, _) in self._held.items():
            if sequence != but:
                del self._held[key]
                self.engine.release_sequence(sequence)
                return True
        return False

    def logits(self, tokens: Sequence[int]) -> Logits | None:
        """Logits after a held prefix, when they were computed in this process."""
        entry = self._held.get(tuple(tokens))
        return entry[1] if entry else None

    def _begin_as_another(self, sequence: int, key: tuple[int, ...]) -> int:
        """Fill an empty sequence with what the likest known prefix shares; how many tokens."""
        # One token at least must be evaluated to have logits.
        most = len(key) - 1
        shared, held = max(
            ((min(_common(other, key), most), other) for other in self._held), default=(0, ())
        )
        saved, file = max(
            ((min(_common(other, key), most), other) for other in self._saved), default=(0, ())
        )
        if saved > shared and self.engine.load_sequence(sequence, file, self._saved[file]):
            self.engine.cut_sequence(sequence, saved)
            return saved
        if shared:
            self.engine.copy_sequence(self._held[held][0], sequence, shared)
        return shared

    def _path(self, key: tuple[int, ...]) -> Path | None:
        if self._directory is None or len(key) < _WORTH_SAVING:
            return None
        digest = hashlib.sha256(repr((self._fingerprint, key)).encode()).hexdigest()[:32]
        return self._directory / f'{digest}.kv'

    def _save(self, sequence: int, key: tuple[int, ...], path: Path | None) -> None:
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if self.engine.save_sequence(sequence, key, path):
                self._remember(key, path)
            self._prune()
        except OSError:
            # A full or read-only disk costs time at the next start, nothing else.
            self._directory = None

    def _remember(self, key: tuple[int, ...], path: Path) -> None:
        self._saved[key] = path
        self._saved.move_to_end(key)
        if len(self._saved) > _REMEMBERED:
            self._saved.popitem(last=False)

    def _prune(self) -> None:
        assert self._directory is not None
        files = sorted(self._directory.glob('*.kv'), key=lambda file: file.stat().st_mtime)
        total = sum(file.stat().st_size for file in files)
        for file in files:
            if total <= self._disk_bytes:
                return
            total -= file.stat().st_size
            file.unlink(missing_ok=True)


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    """How many tokens two texts begin with alike."""
    return next(
        (
            place
            for place, (one, other) in enumerate(zip(left, right, strict=False))
            if one != other
        ),
        min(len(left), len(right)),
    )
