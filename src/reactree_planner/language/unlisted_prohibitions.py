"""Prohibitions whose words name nothing that the server knows: what they may mean is forbidden.

    Don't open the lorry.       open truck: the noun is near to a known name
    Don't set foot in the bay.  go to bay: no verb of a skill is said

They are read by the reading room (`reading/`), whose check knows no grammar. Where the grammar of
this room forbids something of known names, and where a prohibition is tied to a time, a case or an
order, it is left to that grammar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from weakref import WeakKeyDictionary

from reactree_core.observation import Observation
from reactree_core.permission.acts import Act
from reactree_core.permission.matching import Moment
from reactree_core.skill_types import SkillType
from reactree_planner.language.forbidding_words import REASONS
from reactree_planner.language.goal import Goal
from reactree_planner.language.meant_skills import MeantSkills
from reactree_planner.language.names import Names
from reactree_planner.reading.check import check, End
from reactree_planner.reading.goal import act_of
from reactree_planner.reading.grammar.sentences import read
from reactree_planner.reading.sentence import may_forbid, ORDERING, Sentence, Sign
from reactree_planner.reading.vocabulary import NameKind, ServerWords

_WORDS: WeakKeyDictionary[Names, tuple[int, ServerWords]] = WeakKeyDictionary()
#: Tokens of the longest text that is looked at.
_MOST_TOKENS = 120
#: Names that stand in a sample of what an act forbids.
_SAMPLE = 'sample'


def with_prohibitions(goal: Goal, names: Names) -> Goal:
    """A goal that also forbids what the reading room reads as forbidden, and nothing twice."""
    if not may_forbid(goal.text):
        return goal
    words = words_of_server(names)
    acts = _acts(goal.text, words, names.size)
    if all(_is_literal(one, words) for one in goal.never) and (goal.never or not goal.whole):
        return goal
    more = tuple(act for act in acts if _is_new(act, goal, names.skill_types))
    return replace(goal, never=(*goal.never, *more)) if more else goal


def words_of_server(names: Names) -> ServerWords:
    """The words of a server, with the names that were learned since."""
    known = _WORDS.get(names)
    if known is None or known[0] > names.size:
        known = 0, ServerWords(names.vocabulary)
    done, words = known
    for name, kind in names.learned[done:]:
        words.learn(name, NameKind(kind.value))
    _WORDS[names] = names.size, words
    return words


@lru_cache(maxsize=64)
def _acts(text: str, words: ServerWords, size: int) -> tuple[Act, ...]:
    """Acts that a sentence forbids always, () where its check refuses what was read."""
    del size
    sentence = Sentence(text, words, 'en')
    if len(sentence.tokens) > _MOST_TOKENS or not sentence.marked(Sign.NEGATION, Sign.KEEPING):
        return ()
    if sentence.marked(Sign.CONDITION, *ORDERING):
        return ()
    said = tuple(token.word for token in sentence.tokens)
    if any(next(REASONS.at(said, at), at) > at for at in range(len(said))):
        # "so that nobody opens the chest" asks for nothing.
        return ()
    report = check(read(text, words), text, words)
    if report.end is End.REFUSED:
        return ()
    return tuple(act_of(one) for one in report.form.never if one.until is None)


def _is_new(act: Act, goal: Goal, types: tuple[SkillType, ...]) -> bool:
    """Whether an act forbids a skill that the goal does not forbid yet."""
    for skill in _samples(act, types):
        moment = Moment(skill, Observation(''), {}, types)
        if act.matches(moment) and not any(one.matches(moment) for one in goal.never):
            return True
    return False


def _is_literal(one: MeantSkills | Act, words: ServerWords) -> bool:
    """Whether a prohibition speaks of a known name, or of anything."""
    if isinstance(one, Act) or not one.thing:
        return True
    text = Sentence(' '.join(one.thing), words, 'en')
    return any(mention.exact for mention in text.mentions)


def _samples(act: Act, types: tuple[SkillType, ...]) -> Iterator[str]:
    """Skills in whose slots the thing or place of an act stands."""
    values = tuple(filter(None, (act.thing, act.place))) or (_SAMPLE,)
    for one in types:
        for filling in product(values, repeat=min(len(one.slots), 2)):
            yield one.filled((*filling, *(_SAMPLE for _ in one.slots[len(filling) :])))
