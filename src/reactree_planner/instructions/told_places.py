"""What a text tells around the names of places: several of one, and one after another."""

from __future__ import annotations

from reactree_planner.instructions.condition_words import BE
from reactree_planner.instructions.condition_words import BETWEEN
from reactree_planner.instructions.condition_words import DEFINITE
from reactree_planner.instructions.condition_words import PREPOSITIONS
from reactree_planner.instructions.condition_words import THEN
from reactree_planner.instructions.named_text import NamedText
from reactree_planner.instructions.names import DETERMINERS
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.words import NUMBERS
from reactree_planner.instructions.words import word_set

#: Before a place: more than one of them.
_SEVERAL = word_set('each every all both different separate several various multiple')
_ARTICLES = BETWEEN | DETERMINERS | DEFINITE
#: Between a place and the one that holds it, or to which its things are brought.
_WITHIN = _ARTICLES | word_set('in inside on')
#: Between two places of the same things.
_JOINTS = THEN | word_set('and or')
_JOINING = _WITHIN | _JOINTS | {'also'}
_BEFORE_ADJECTIVES = BETWEEN | DEFINITE | {'a', 'an'}
#: Letters that end a part of a list.
_COMMA = ','


def is_several(text: NamedText, place: Mention) -> bool:
    """Whether more than one place is told by its name: "each truck", "two trucks"."""
    i = place.start - 1
    while text.word(i) in BETWEEN | {'one'}:
        i -= 1
    word = text.word(i)
    return word in _SEVERAL or (int(word) if word.isdigit() else NUMBERS.get(word, 1)) > 1


def is_within(text: NamedText, first: Mention, second: Mention) -> bool:
    """Whether one place follows another by a preposition alone: "on the rack in the truck"."""
    between = text.words[first.end : second.start]
    return _are_places(first, second) and bool(between) and _WITHIN.issuperset(between)


def is_joined(text: NamedText, first: Mention, second: Mention, preposition: str) -> bool:
    """Whether a place is told beside another of the same things: "in bay 1 and bay 2".

    :param preposition: before the second place, as it was read.
    """
    begin, end = first.end, second.end
    if not _are_places(first, second):
        return False
    between = set(text.words[begin : second.start])
    gaps = {text.gaps[k] for k in range(begin, second.start + 1)} - {''}
    if not (between <= _JOINING and gaps <= {_COMMA}):
        return False
    if not (between & _JOINTS or (gaps and not preposition)):
        return False
    # "... and the truck should be closed"
    return text.breaks(end) or not (
        text.word(end) in PREPOSITIONS | BE or text.state_at(end) or text.verb_at(end)
    )


def is_done_after(text: NamedText, place: int, first: Mention, second: Mention) -> bool:
    """Whether a thing that was brought somewhere is told again: "wash the cup in the sink and put
    the cup on the rack", not "put the old cup in the sink and the new cup on the rack".

    :param place: index of the word behind where it is brought.
    """
    told = _described(text, first), _described(text, second)
    if first == second:
        return True
    if text.item(second).is_new or (all(told) and told[0] != told[1]):
        return False
    between = range(place, second.start)
    return any(text.words[k] in THEN or text.verb_at(k) for k in between)


def _are_places(first: Mention, second: Mention) -> bool:
    return first.kind is second.kind is NameKind.PLACE and first.end <= second.start


def _described(text: NamedText, mention: Mention) -> tuple[str, ...]:
    """Adjectives of a name, behind its determiner."""
    begin = mention.start
    while begin > 0 and not text.breaks(begin) and mention.start - begin < 4:
        if text.word(begin - 1) in _BEFORE_ADJECTIVES:
            return tuple(text.words[begin : mention.start])
        begin -= 1
    return ()
