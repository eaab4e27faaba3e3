"""Bytes of single tokens, which `tokenizers` itself only decodes in rows."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

_BYTE = re.compile(r'<0x([0-9A-Fa-f]{2})>')
#: Stands for a space in SentencePiece vocabularies.
_SPACE = '\u2581'


@cache
def _bytes_of_letters() -> dict[str, int]:
    """GPT-2's table: every byte as a printable letter."""
    plain = [*range(ord('!'), ord('~') + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)]
    table = {chr(byte): byte for byte in plain}
    others = [byte for byte in range(256) if byte not in plain]
    return table | {chr(256 + place): byte for place, byte in enumerate(others)}


class TokenPieces:
    """Bytes by token of one fast tokenizer.

    :param tokenizer: a `PreTrainedTokenizerFast`.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._control = set(tokenizer.all_special_ids) | {
            token for token, added in tokenizer.added_tokens_decoder.items() if added.special
        }
        self._byte_level = 'ByteLevel' in str(tokenizer.backend_tokenizer.decoder)

    def piece(self, token: int) -> bytes:
        """Bytes of one token; b'' for control tokens and numbers beyond the vocabulary."""
        if token in self._control:
            return b''
        text = self._tokenizer.convert_ids_to_tokens(token)
        if text is None:
            return b''
        byte = _BYTE.fullmatch(text)
        if byte:
            return bytes([int(byte[1], 16)])
        letters = _bytes_of_letters()
        if self._byte_level and all(letter in letters for letter in text):
            return bytes(letters[letter] for letter in text)
        return str(text).replace(_SPACE, ' ').encode()
