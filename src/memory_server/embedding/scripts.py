"""Scripts that an encoder cannot tell sentences of apart, and what compares them instead.

An encoder trained on one language gives all sentences of another script nearly one vector: to
MiniLM "turn on the lamp" in Chinese is "wash the dishes" by 0.9. Where it is so is seen from a few
sentences that mean different things, compared with the same in English.
"""

from __future__ import annotations

import logging
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable
from collections.abc import Sequence
from functools import cache

import numpy as np

from memory_server.embedding.encoders import HashingEmbedder
from reactree_core.ports import Embedder
from reactree_core.ports import FloatMatrix

#: What people call a script, and four errands in it: dishes, lamp, water, window.
_ERRANDS = {
    'LATIN': (
        'Latin',
        ('wash the dishes', 'turn on the lamp', 'bring me water', 'open the window'),
    ),
    'CJK': ('Chinese', ('洗碗', '打开灯', '给我拿水', '把窗户打开')),
    'KANA': ('Japanese', ('皿を洗って', '電気をつけて', '水を持ってきて', '窓を開けて')),
    'HANGUL': ('Korean', ('설거지를 해', '전등을 켜', '물 좀 가져와', '창문을 열어')),
    'CYRILLIC': (
        'Cyrillic',
        ('помой посуду', 'включи лампу', 'принеси мне воды', 'открой окно'),
    ),
    'GREEK': (
        'Greek',
        ('πλύνε τα πιάτα', 'άναψε τη λάμπα', 'φέρε μου νερό', 'άνοιξε το παράθυρο'),
    ),
    'ARABIC': ('Arabic', ('اغسل الصحون', 'شغل المصباح', 'أحضر لي ماء', 'افتح النافذة')),
    'HEBREW': ('Hebrew', ('שטוף את הכלים', 'הדלק את המנורה', 'הבא לי מים', 'פתח את החלון')),
    'DEVANAGARI': ('Devanagari', ('बर्तन धो दो', 'बत्ती जलाओ', 'मुझे पानी लाओ', 'खिड़की खोलो')),
    'BENGALI': ('Bengali', ('থালা বাসন ধোও', 'বাতি জ্বালাও', 'আমাকে পানি দাও', 'জানালা খোলো')),
    'TAMIL': (
        'Tamil',
        ('பாத்திரங்களைக் கழுவு', 'விளக்கை ஏற்று', 'தண்ணீர் கொண்டு வா', 'ஜன்னலைத் திற'),
    ),
    'TELUGU': ('Telugu', ('గిన్నెలు కడుగు', 'దీపం వెలిగించు', 'నీళ్ళు తీసుకురా', 'కిటికీ తెరువు')),
    'THAI': ('Thai', ('ล้างจาน', 'เปิดไฟ', 'เอาน้ำมาให้ฉัน', 'เปิดหน้าต่าง')),
    'GEORGIAN': (
        'Georgian',
        ('გარეცხე ჭურჭელი', 'აანთე ნათურა', 'მომიტანე წყალი', 'გააღე ფანჯარა'),
    ),
    'ARMENIAN': ('Armenian', ('լվա ամանները', 'միացրու լամպը', 'ջուր բեր', 'բացիր պատուհանը')),
}
_SAME = {'HIRAGANA': 'KANA', 'KATAKANA': 'KANA', 'FULLWIDTH': 'LATIN', 'HALFWIDTH': 'KANA'}
#: How far apart different errands have to be, of how far they are in English. MiniLM: German 0.8,
#: Vietnamese 0.8, Korean 0.6, Japanese and Chinese 0.5, Thai 0.
_LEAST = 0.7

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

    :param warn: told once for each script that is compared by letters.
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
        if script == 'LATIN' or script not in _ERRANDS:
            return False
        with self._lock:
            if script not in self._blind:
                share = self._spread(script) / max(self._spread('LATIN'), 1e-6)
                self._blind[script] = share < _LEAST
                if self._blind[script]:
                    self._warn(
                        f'The encoder {self.name} cannot tell sentences in {_ERRANDS[script][0]} '
                        'script apart: they are compared by their letters, and not by meaning. '
                        'encoder:=multilingual compares them by meaning; goals that were stored '
                        'before are found again after `reactree memory reembed`'
                    )
            return self._blind[script]

    def _spread(self, script: str) -> float:
        """How far from each other the errands are on average, 0 (alike) to 2."""
        vectors = self._inner.embed(_ERRANDS[script][1])
        others = ~np.eye(len(vectors), dtype=bool)
        return 1.0 - float((vectors @ vectors.T)[others].mean())
