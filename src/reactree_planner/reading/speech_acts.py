"""What somebody does with a sentence: asks for something, asks a question, takes back, greets.

Only a request moves a robot. It knows small words of English alone: no names, no verbs of skills.
In doubt a sentence is a request: whether anything of it can be done is found by reading it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from reactree_planner.reading.languages import is_foreign, language_of
from reactree_planner.reading.phrases import Phrases
from reactree_planner.reading.small_words import (
    DETERMINERS,
    MODALS,
    NUMBER_WORDS,
    PREPOSITIONS,
    small_phrases,
    small_words,
)
from reactree_planner.reading.tokens import tokens_of, words_of


class SpeechAct(Enum):
    """REQUEST: anything that may be one. MARKED: only "?" says that it asks. EMPTY: no word."""

    REQUEST = 'request'
    QUESTION = 'question'
    MARKED = 'marked'
    CANCEL = 'cancel'
    GREETING = 'greeting'
    EMPTY = 'empty'


_ANSWERS = {
    SpeechAct.QUESTION: (
        'This is a question, and it names nothing that the robot knows. Nothing was done.'
    ),
    SpeechAct.MARKED: (
        'This is worded as a request and ends as a question. Nothing was done: leave the question '
        'mark out to have it done.'
    ),
    SpeechAct.CANCEL: 'This takes a task back: nothing was done.',
    SpeechAct.GREETING: 'There is nothing to do in this: say what the robot shall do.',
    SpeechAct.EMPTY: 'The task has no words: say in a sentence what the robot shall do.',
}

Words = tuple[str, ...]


_SECTION = 'speech_acts'
_GREETINGS = small_phrases(_SECTION, 'greetings')
#: Said with anything: alone it asks for nothing.
_COURTESY = small_phrases(_SECTION, 'courtesy')
#: The longest first.
_SAID_WITH_ANYTHING = sorted(_GREETINGS | _COURTESY, key=lambda one: (-len(one), one))
_TAKING_BACK = small_phrases(_SECTION, 'taking_back')
#: Said before or behind taking back, and nothing that could be done.
_BESIDE_TAKING_BACK = small_phrases(_SECTION, 'beside_taking_back')
_WH = small_words(_SECTION, 'wh')
_BE = small_words(_SECTION, 'be')
_AUXILIARIES = _BE | small_words(_SECTION, 'auxiliaries')
#: "Any oil left?" asks; "collect the crates?" may ask back.
_BEGIN_QUESTIONS = (
    _WH | _AUXILIARIES | MODALS | DETERMINERS | PREPOSITIONS | NUMBER_WORDS
    | {'no', 'more', 'enough', 'anything', 'anyone'}
)  # fmt: skip
#: Behind "how" or "what": a question without an auxiliary at once.
_MEASURES = small_words(_SECTION, 'measures')
_PERSONS = small_words(_SECTION, 'persons')
_SUBJECTS = _PERSONS | small_words(_SECTION, 'subjects')
_US = frozenset(['i', 'we'])
#: An answer is asked for: "can you tell me where ...".
_ANSWERING = small_words(_SECTION, 'answering')
_TELLING = frozenset(['tell', 'say', 'show'])
_CONTENTS = _WH | {'if', 'whether'}
#: "Would you mind putting ...", "is it possible to ...", "do you think you could ...".
_ASKING_POLITELY = small_phrases(_SECTION, 'asking_politely')
_TAGS = small_words(_SECTION, 'tags')
_LONG_TAGS = small_phrases(_SECTION, 'long_tags')
_WONDERING = small_phrases(_SECTION, 'wondering')
_SENTENCE_ENDS = frozenset('.!?;…\n')


def speech_act(text: str) -> SpeechAct:
    """What a text does. Of several sentences a request counts, unless the last one takes back.

    :param text: word for word; of a language other than English only emptiness is told.
    """
    if not words_of(text):
        return SpeechAct.EMPTY
    if is_foreign(language_of(text)):
        return SpeechAct.REQUEST
    acts = [_act(sentence) for sentence in _sentences(text)]
    told = [act for act in acts if act not in (SpeechAct.EMPTY, SpeechAct.GREETING)]
    if not told:
        return SpeechAct.GREETING
    if told[-1] is SpeechAct.CANCEL:
        return SpeechAct.CANCEL
    return SpeechAct.REQUEST if SpeechAct.REQUEST in told else told[0]


def answer_to(act: SpeechAct) -> str:
    """What is said to whoever did no request; '' for a request."""
    return _ANSWERS.get(act, '')


def _sentences(text: str) -> Iterator[Words]:
    """The words of each sentence, with its commas, and "?" at the end of one."""
    words: list[str] = []
    for token in tokens_of(text):
        if token.word in _SENTENCE_ENDS:
            if words:
                yield (*words, '?') if token.word == '?' else tuple(words)
            words = []
        elif token.is_word or token.word == ',':
            words.append(token.word)
    if words:
        yield tuple(words)


def _pieces(words: Words) -> Iterator[Words]:
    """What stands between commas, without words that are said with anything."""
    piece: list[str] = []
    for word in (*words, ','):
        if word == ',':
            told = _without_courtesy(tuple(piece))
            if told:
                yield told
            piece = []
        elif word != '?':
            piece.append(word)


def _without_courtesy(words: Words) -> Words:
    """A piece without greeting and courtesy at its ends."""
    changed = True
    while words and changed:
        changed = False
        for phrase in _SAID_WITH_ANYTHING:
            length = len(phrase)
            if words[:length] == phrase:
                words, changed = words[length:], True
            elif words[-length:] == phrase:
                words, changed = words[:-length], True
    return words


def _act(sentence: Words) -> SpeechAct:
    """What one sentence does; EMPTY for greetings and courtesy alone."""
    pieces = tuple(map(_affirmed, _pieces(sentence)))
    if not pieces:
        return SpeechAct.EMPTY
    if _takes_back(pieces):
        return SpeechAct.CANCEL
    if any(_is_request(one) for one in pieces):
        return SpeechAct.REQUEST
    first, is_marked = pieces[0], sentence[-1] == '?'
    if not _is_question(first, is_marked, _tag_of(sentence)):
        return SpeechAct.REQUEST
    asks = first[0] in _BEGIN_QUESTIONS or _is_question(first, False, False)
    return SpeechAct.QUESTION if asks else SpeechAct.MARKED


def _affirmed(piece: Words) -> Words:
    """A piece without the negation of its auxiliary: "can't you ..." asks what "can you" asks."""
    asks = piece[0] in MODALS | _AUXILIARIES and piece[1:2] == ('not',)
    # "Do not you ..." is an order; "don't open it" has no person behind.
    is_asked = piece[2:3] and piece[2] in _SUBJECTS and piece[0] != 'do'
    return (piece[0], *piece[2:]) if asks and is_asked else piece


def _is_request(piece: Words) -> bool:
    """Whether it asks somebody to do something: "could you ...", "will you"."""
    asks = piece[0] in MODALS and (piece[1:2] or ('',))[0] in _PERSONS
    return asks and not _wants_answer(piece)


def _takes_back(pieces: Sequence[Words]) -> bool:
    """Whether a sentence takes back, and says nothing else."""
    beside = _TAKING_BACK | _BESIDE_TAKING_BACK
    return all(one in beside for one in pieces) and any(one in _TAKING_BACK for one in pieces)


def _tag_of(sentence: Words) -> bool:
    """Whether "ok?", "please?" or "will you?" makes a request of what stands before it."""
    if sentence[-1] != '?':
        return False
    words = sentence[:-1]
    return bool(words) and (
        words[-1] in _TAGS or any(words[-len(tag) :] == tag for tag in _LONG_TAGS)
    )


def _is_question(words: Words, is_marked: bool, is_tagged: bool) -> bool:
    """Whether a sentence wants an answer and nothing done.

    :param words: without greeting. :param is_marked: it ends with "?".
    """
    if _has(words, _WONDERING) and not _asks_politely(words):
        return bool((_CONTENTS - {'when'}) & set(words)) or is_marked
    if words[0] in _TELLING and words[1:2] in (('me',), ('us',)) and words[2:3]:
        return words[2] in _CONTENTS and 'and' not in words
    if _asks_politely(words) and not _wants_answer(words):
        return False
    first, second = words[0], words[1] if len(words) > 1 else ''
    if first in _WH:
        return is_marked or second in _AUXILIARIES | _MEASURES | {"'s"}
    if first in MODALS:
        return _is_asked_by_modal(words, is_marked)
    if first in ('do', 'have', 'had'):
        return second in _SUBJECTS and (is_marked or second in _PERSONS)
    if first in _BE | {'does', 'did', 'has'}:
        return True
    # "Open the gate?" is no request, "open the gate, will you?" is one.
    return is_marked and not is_tagged


def _is_asked_by_modal(words: Words, is_marked: bool) -> bool:
    """Of "can you ...": what is asked of a person or for oneself is a request."""
    second = words[1] if len(words) > 1 else ''
    if second in _PERSONS:
        return True  # else `_is_request`
    if second in _US:
        return words[0] in ('should', 'must', 'will', 'would')
    return is_marked


def _wants_answer(words: Words) -> bool:
    """Whether "can you" is followed by telling and the like."""
    if words[0] in ('do', 'did', 'have') and words[1:2] == ('you',):
        return words[2:3] != ('mind',) and not _asks_politely(words[3:])
    for place, word in enumerate(words[:-1]):
        if word == 'you':
            return any(one in _ANSWERING for one in words[place + 1 : place + 3])
    return False


def _asks_politely(words: Words) -> bool:
    return _has(words, _ASKING_POLITELY)


def _has(words: Words, phrases: Phrases) -> bool:
    """Whether some of the phrases stand in a row in some words."""
    return phrases.stand_in(words)
