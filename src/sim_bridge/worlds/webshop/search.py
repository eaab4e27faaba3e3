"""The shop's search: BM25 with the settings of the published engine (Lucene, by pyserini).

Terms, stop words, stems, k1, b and the form of the inverse document frequency are Lucene's; Lucene
keeps the lengths of texts in one byte, so that its ranks may differ in close cases.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

#: Results of one search.
MOST_HITS = 50
#: Results on one page.
PAGE_SIZE = 10
#: Saturation of a term's count, and how much the length of a text matters (pyserini's defaults).
_K1, _B = 0.9, 0.4


def words_in(text: str) -> tuple[str, ...]:
    """A list of words that is written as a text."""
    return tuple(text.split())


#: Lucene's words that are not searched.
STOP_WORDS = frozenset(
    words_in(
        'a an and are as at be but by for if in into is it no not of on or such that the their '
        'then there these they this to was will with'
    )
)
_TERM = re.compile(r"\w+(?:[.'’]\w+)*")
_POSSESSIVE = re.compile(r"['’]s$")
_STEMMER = snowballstemmer.stemmer('porter')


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


def terms_of(text: str) -> list[str]:
    """Stems of the words of a text, in order, stop words left out."""
    words = (_POSSESSIVE.sub('', word) for word in _TERM.findall(text.lower()))
    return [_stem(word) for word in words if word not in STOP_WORDS]


class SearchIndex:
    """Ranks texts by BM25.

    :param texts: one for each product; a hit is the index of its text.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        texts_of: dict[str, array[int]] = {}
        counts_of: dict[str, array[int]] = {}
        lengths = array('I')
        for index, text in enumerate(texts):
            terms = terms_of(text)
            lengths.append(len(terms))
            for term, count in Counter(terms).items():
                texts_of.setdefault(term, array('I')).append(index)
                counts_of.setdefault(term, array('I')).append(count)
        self._texts_of, self._counts_of = texts_of, counts_of
        self._size = len(lengths)
        average = (sum(lengths) / self._size if lengths else 0.0) or 1.0
        #: What is added to a term's count in each text.
        self._norms = _K1 * (1.0 - _B + _B * np.array(lengths, dtype=np.float64) / average)

    def scores(self, query: str) -> NDArray[np.float64]:
        """BM25 of each text; a word that stands twice in the query counts twice."""
        scores = np.zeros(self._size)
        for term, times in Counter(terms_of(query)).items():
            if term in self._texts_of:
                texts = np.array(self._texts_of[term], dtype=np.int64)
                counts = np.array(self._counts_of[term], dtype=np.float64)
                rarity = math.log1p((self._size - len(texts) + 0.5) / (len(texts) + 0.5))
                scores[texts] += times * rarity * counts / (counts + self._norms[texts])
        return scores

    def hits(self, query: str, most: int = MOST_HITS) -> tuple[int, ...]:
        """The best texts, best first; of equal ones those that come first."""
        scores = self.scores(query)
        found = np.flatnonzero(scores)
        best = found[np.argsort(-scores[found], kind='stable')][:most]
        return tuple(best.tolist())
