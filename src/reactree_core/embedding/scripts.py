"""Scripts whose sentences an encoder cannot distinguish, and what compares them instead.

An encoder trained on one language gives all sentences of another script nearly one vector. Where
it is so is seen from a few sentences of different meaning, compared with the same in English.
"""

from __future__ import annotations

import logging
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.ports import Embedder, FloatMatrix

#: What people call a script, and in it: count to ten, wait for me, turn left, it rains today.
_SENTENCES = {
    'LATIN': ('Latin', ('count to ten', 'wait for me', 'turn left', 'it rains today')),
    'CJK': ('Chinese', ('数到十', '等我', '向左转', '今天下雨')),
    'KANA': ('Japanese', ('十まで数えて', '私を待って', '左に曲がって', '今日は雨です')),
    'HANGUL': ('Korean', ('열까지 세', '나를 기다려', '왼쪽으로 돌아', '오늘 비가 와')),
    'CYRILLIC': (
        'Cyrillic',
        ('посчитай до десяти', 'подожди меня', 'поверни налево', 'сегодня идёт дождь'),
    ),
    'GREEK': ('Greek', ('μέτρα ως το δέκα', 'περίμενέ με', 'στρίψε αριστερά', 'σήμερα βρέχει')),
    'ARABIC': ('Arabic', ('عد إلى عشرة', 'انتظرني', 'انعطف يسارا', 'تمطر اليوم')),
    'HEBREW': ('Hebrew', ('ספור עד עשר', 'חכה לי', 'פנה שמאלה', 'היום יורד גשם')),
    'DEVANAGARI': (
        'Devanagari',
        ('दस तक गिनो', 'मेरा इंतज़ार करो', 'बाएँ मुड़ो', 'आज बारिश हो रही है'),
    ),
    'BENGALI': (
        'Bengali',
        ('দশ পর্যন্ত গোনো', 'আমার জন্য অপেক্ষা করো', 'বাম দিকে ঘোরো', 'আজ বৃষ্টি হচ্ছে'),
    ),
    'TAMIL': (
        'Tamil',
        ('பத்து வரை எண்ணு', 'எனக்காகக் காத்திரு', 'இடது பக்கம் திரும்பு', 'இன்று மழை பெய்கிறது'),
    ),
    'TELUGU': (
        'Telugu',
        ('పది వరకు లెక్కించు', 'నా కోసం ఆగు', 'ఎడమవైపు తిరుగు', 'ఈరోజు వర్షం పడుతోంది'),
    ),
    'THAI': ('Thai', ('นับถึงสิบ', 'รอฉันด้วย', 'เลี้ยวซ้าย', 'วันนี้ฝนตก')),
    'GEORGIAN': ('Georgian', ('დათვალე ათამდე', 'დამელოდე', 'მოუხვიე მარცხნივ', 'დღეს წვიმს')),
    'ARMENIAN': ('Armenian', ('հաշվիր մինչև տասը', 'սպասիր ինձ', 'թեքվիր ձախ', 'այսօր անձրև է')),
}
_SAME = {'HIRAGANA': 'KANA', 'KATAKANA': 'KANA', 'FULLWIDTH': 'LATIN', 'HALFWIDTH': 'KANA'}
#: How far apart these have to be, of how far they are in English. MiniLM: German 0.9, Spanish 0.9,
#: Hebrew and Georgian 0.7, Chinese, Japanese and Korean 0.6, Greek 0.4, Thai 0.
_LEAST = 0.75

_LOG = logging.getLogger(__name__)


@cache
def _script_of_letter(letter: str) -> str:
    name = unicodedata.name(letter, 'LATIN').split()[0]
    return _SAME.get(name, name)


def script_of(text: str) -> str:
    """The script of most letters of a text, by its name in Unicode; LATIN where there is none.

    Chinese characters among Japanese ones are Japanese.
    """
    counts = Counter(_script_of_letter(letter) for letter in text if letter.isalpha())
    if counts['KANA']:
        counts['KANA'] += counts.pop('CJK', 0)
    return max(counts, key=lambda script: counts[script], default='LATIN')


class ScriptGuard:
    """An encoder (port `Embedder`), and letters in its place where it is blind.

    The two kinds of vectors are as good as at right angles, so that neither is taken for near to
    the other.

    :param warn: called once for each script that is compared by letters.
    """

    def __init__(self, inner: Embedder, warn: Callable[[str], None] = _LOG.warning) -> None:
        self._inner = inner
        self._warn = warn
        self._letters = HashingEmbedder(inner.dimension, letters=True)
        self._blind: dict[str, bool] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Name of the encoder behind."""
        return self._inner.name

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._inner.dimension

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """One unit row a text.

        :raises EncoderError: the encoder does not answer.
        """
        blind = [self._is_blind(script_of(text)) for text in texts]
        if not any(blind):
            return self._inner.embed(texts)
        rows = np.empty((len(texts), self.dimension), np.float32)
        for encoder, by_letters in ((self._inner, False), (self._letters, True)):
            chosen = [number for number, one in enumerate(blind) if one is by_letters]
            if chosen:
                rows[chosen] = encoder.embed([texts[number] for number in chosen])
        return rows

    def _is_blind(self, script: str) -> bool:
        if script == 'LATIN' or script not in _SENTENCES:
            return False
        with self._lock:
            if script not in self._blind:
                share = self._spread(script) / max(self._spread('LATIN'), 1e-6)
                self._blind[script] = share < _LEAST
                if self._blind[script]:
                    called = _SENTENCES[script][0]
                    self._warn(
                        f'The encoder {self.name} cannot distinguish sentences in {called} '
                        'script apart: they are compared by their letters, and not by meaning. '
                        'encoder:=multilingual compares them by meaning; goals that were stored '
                        'before are found again after `reactree memory reembed`'
                    )
            return self._blind[script]

    def _spread(self, script: str) -> float:
        """How far from each other the sentences are on average, 0 (alike) to 2."""
        vectors = self._inner.embed(_SENTENCES[script][1])
        others = ~np.eye(len(vectors), dtype=bool)
        return 1.0 - float((vectors @ vectors.T)[others].mean())
