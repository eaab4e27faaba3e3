"""Which skills parts of an instruction mean: its verbs, things and places, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from reactree_core.skill_types import SkillKind
from reactree_planner.instructions.clauses import Reading
from reactree_planner.instructions.meant_skills import MeantSkills
from reactree_planner.instructions.names import DETERMINERS
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.negations import ProhibitionSpan
from reactree_planner.instructions.spoken_numbers import NUMBER_WORDS
from reactree_planner.instructions.spoken_verbs import SAID
from reactree_planner.instructions.spoken_verbs import SpokenVerbs
from reactree_planner.instructions.words import PREPOSITIONS
from reactree_planner.instructions.words import word_set
from reactree_planner.instructions.words import words_of

#: Words of `clauses` for what would change a state that is to be kept.
_CHANGING = {
    'opening': SkillKind.OPEN,
    'closing': SkillKind.CLOSE,
    'switching on': SkillKind.SWITCH_ON,
    'switching off': SkillKind.SWITCH_OFF,
    'taking': SkillKind.TAKE,
}
ANYTHING = word_set('anything any everything things thing all something stuff nothing')
PRONOUNS = word_set('it them they that this those these one')
#: What begins an exception, and words for some things of a sort, whichever they are.
_EXCEPTING = word_set('but except excepting from for than')
_SOME = word_set('a an any some those these ones one few several most')
#: Verbs for whatever is done with a thing.
_TOUCHING = word_set('touching handling moving disturbing using')
#: Words that say nothing about which thing is meant.
FILLING = (
    DETERMINERS
    | ANYTHING
    | PRONOUNS
    | word_set('ever my your our his her its their of there here anywhere somewhere through near')
)
#: What ends the words of a thing.
_ENDING = PREPOSITIONS | word_set(
    'or and nor either neither by with for while during today tonight please is are be been being '
    'must may can should when as because again afterwards afterward later ever not never no off '
    'limits out bounds forbidden '
    'prohibited taboo allowed stay stays remain remains kept closed shut alone untouched unopened '
    "where permitted supposed to you 's i we he she they make sure let anywhere made"
)


class SkillReader:
    """Reads the verbs and things of parts of a text.

    :param reading: of the text. :param names: of the skill server.
    """

    def __init__(self, reading: Reading, names: Names) -> None:
        self._words = reading.plain
        self._spoken = SpokenVerbs(reading.plain, names)
        self._verbs = self._spoken.types
        self._mentions = names.find_all(reading.text)
        self._names = names
        self._known = tuple(names.all_words())
        self._moving = self._spoken.of_kind(SkillKind.MOVE)

    def _meant(
        self, verbs: tuple[str, ...], thing: tuple[str, ...], where: tuple[str, ...]
    ) -> MeantSkills:
        return MeantSkills(verbs, thing, where, server=self._verbs)

    def forbidden(self, region: ProhibitionSpan) -> tuple[MeantSkills, ...]:
        """What one region forbids; () where no skill is meant."""
        inside = self._words[region.start : region.end]
        if self._is_open(region) or self._is_unknown_gerund(region):
            return ()
        if region.passive or region.verb or 'be' in inside:
            begin = region.clause if region.passive else region.start
            things, where = self._things(begin, region.end)
            verbs = self._only_verbs(region, begin)
            if not things:
                things = self._things_elsewhere(
                    [one for some in verbs for one in some], begin, region.end
                )
            return tuple(self._meant(verb, thing, where) for verb in verbs for thing in things)
        found: list[MeantSkills] = []
        verb, start = self._first_verb(region)
        verb += self._other_particle(verb, region)
        shared: tuple[str, ...] = ()
        while True:
            following = self._next_verb(start, region.end)
            stop = following[1] if following else region.end
            words = [word for word in self._words[start:stop] if word not in ('or', 'and', 'nor')]
            if following is not None and not words:
                # "open or close the gate"
                shared += verb
            else:
                found += self._of_verb(verb, start, stop, region)
                if shared and found:
                    found.append(replace(found[-1], verbs=shared))
                    shared = ()
            if following is None:
                return tuple(found)
            verb, _, start = following

    def _is_open(self, region: ProhibitionSpan) -> bool:
        """Whether it says not for certain which things it is about: "all but one crate"."""
        named = [one for one in self._mentions if region.start <= one.start < region.end]
        if any(one.goes_on for one in named):
            return True
        if not region.inherits or not self._is_exception(region):
            return False
        before = [one.name for one in self._mentions if one.end <= region.start]
        words = self._words[region.start : named[0].start if named else region.end]
        some = any(word in NUMBER_WORDS or word in _SOME or word.isdecimal() for word in words)
        return some or any(one.text == one.name and one.name in before[-1:] for one in named)

    def _is_exception(self, region: ProhibitionSpan) -> bool:
        before = self._words[max(0, region.start - 2) : region.start]
        return not _EXCEPTING.isdisjoint(before)

    def _things_elsewhere(
        self, verbs: Sequence[str], begin: int, end: int
    ) -> list[tuple[str, ...]]:
        """The thing of a passive that does not name it: "nothing", or "it"."""
        words = self._words[begin:end]
        if any(word in ANYTHING for word in words):
            return [()]
        before = [mention for mention in self._mentions if mention.end <= begin]
        if before and any(word in PRONOUNS for word in words):
            return [words_of_mention(self._last_for(verbs, before))]
        return []

    def _last_for(self, verbs: Sequence[str], before: Sequence[Mention]) -> Mention:
        """Of names, the last one that verbs can handle; the last one if they can handle none."""
        slots = [
            one.slots[0]
            for verb in verbs
            for one in self._verbs[verb]
            if one.slots and one.slots[0].type.is_name
        ]
        fitting = [one for one in before if any(self._names.may_take(slot, one) for slot in slots)]
        return (fitting or before)[-1]

    # Verbs -----------------------------------------------------------------------------------

    def _only_verbs(self, region: ProhibitionSpan, begin: int) -> tuple[tuple[str, ...], ...]:
        """Verbs of a region that has one: a passive, or a phrase that stands for a verb."""
        if region.verb == 'anything':
            return self._moving, ()
        if region.verb == 'approach':
            return (self._moving,)
        if region.verb == 'touch':
            return ((),)
        if region.verb:
            kind = _CHANGING.get(region.verb)
            said = self._spoken.said(region.verb) if kind is None else self._spoken.of_kind(kind)
            return (said,) if said else ()
        told: list[tuple[str, ...]] = []
        for i in range(begin, region.end):
            found = self._spoken.at(i)
            if found is not None:
                told.append(found[0])
            elif not told and self._words[i] in SAID and not self._is_name(i):
                told.append(self._spoken.said(self._words[i]))
        return tuple(dict.fromkeys(told)) or ((),)

    def _other_particle(self, verbs: tuple[str, ...], region: ProhibitionSpan) -> tuple[str, ...]:
        """'switch off' beside 'switch on', of "switch the scale on or off"."""
        words = self._words[region.start : region.end]
        return tuple(
            other
            for verb in verbs
            for other in self._verbs
            if verb.split()[0] == other.split()[0] and verb != other
            for first, joint, second in zip(words, words[1:], words[2:], strict=False)
            if joint == 'or' and {first, second} == {verb.split()[-1], other.split()[-1]}
        )

    def _first_verb(self, region: ProhibitionSpan) -> tuple[tuple[str, ...], int]:
        """The verb with which a region begins, and where its thing may begin."""
        if region.inherits:
            for i in range(region.start - 1, -1, -1):
                found = self._spoken.at(i)
                if found is not None:
                    return found[0], region.start
                if self._words[i] in SAID and not self._is_name(i):
                    return self._spoken.said(self._words[i]), region.start
            return (), region.start
        for i in range(region.start, min(region.start + 2, region.end)):
            found = self._spoken.at(i)
            if found is not None:
                return found[0], i + found[1]
            if self._words[i] in SAID:
                return self._spoken.said(self._words[i]), i + 1
        if any(mention.start == region.start for mention in self._mentions):
            return (), region.start
        # A verb that no template has: whatever is done with the thing.
        return (), region.start + 1

    def _is_unknown_gerund(self, region: ProhibitionSpan) -> bool:
        """Whether a region begins with the -ing form of a verb that no skill is known for."""
        word = self._words[region.start] if region.start < region.end else ''
        if not word.endswith('ing') or word in _TOUCHING or region.inherits:
            return False
        return not self._is_name(region.start) and not self._first_verb(region)[0]

    def _next_verb(self, begin: int, end: int) -> tuple[tuple[str, ...], int, int] | None:
        for i in range(begin, end):
            found = self._spoken.at(i)
            if found is not None and not self._is_name(i):
                return found[0], i, i + max(found[1], 1)
            joined = i > begin and self._words[i - 1] in ('or', 'and', 'nor')
            if joined and self._words[i] in SAID and not self._is_name(i):
                return self._spoken.said(self._words[i]), i, i + 1
        return None

    def _is_name(self, i: int) -> bool:
        return any(mention.start <= i < mention.end for mention in self._mentions)

    # Things ----------------------------------------------------------------------------------

    def _of_verb(
        self, verbs: tuple[str, ...], begin: int, end: int, region: ProhibitionSpan
    ) -> list[MeantSkills]:
        words = self._words[begin:end]
        before = [mention for mention in self._mentions if mention.end <= begin]
        things, where = self._things(begin, end)
        puts, takes = self._spoken.of_kind(SkillKind.PUT), self._spoken.of_kind(SkillKind.TAKE)
        handled = any(verb in (*puts, *takes) for verb in verbs)
        if handled:
            movable = [one for one in before if one.kind is NameKind.THING]
        else:
            movable = before
        in_it = any(
            word in PREPOSITIONS and following in PRONOUNS for word, following in pairwise(words)
        )
        if any(word in ('there', 'here') for word in words) or (handled and things and in_it):
            places = [one for one in before if one.kind is NameKind.PLACE]
            where = words_of_mention(places[-1]) if places else where
        if handled and not where and words[:1] and words[0] in PREPOSITIONS and region.inherits:
            # "put it anywhere but in the truck"
            where, things = (things[0] if things else ()), []
            words = ('it',)
        if not things and any(word in PRONOUNS for word in words):
            things = [words_of_mention(self._last_for(verbs, movable))] if movable else []
        elif handled and things and not where and any(w in PRONOUNS for w in words[:1]):
            # "never put it on the scale"
            where, things = things[0], [words_of_mention(movable[-1])] if movable else []
        elif not things and (any(word in ANYTHING for word in words) or (verbs and not words)):
            things = [()]
        if set(verbs) & set(takes) and set(verbs) & set(puts):
            # "do not bring the crate": it is not touched; "... to the hall": not left there.
            verbs = tuple(verb for verb in verbs if verb in puts) if where else ()
        return [self._meant(verbs, thing, where) for thing in things]

    def _things(self, begin: int, end: int) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
        """What stands there: things, and the place at which they are meant."""
        things: list[tuple[str, ...]] = []
        where: tuple[str, ...] = ()
        i = begin
        after_preposition = False
        told_first = False
        while i < end:
            mention = next((m for m in self._mentions if m.start == i), None)
            word = self._words[i]
            if mention is not None:
                name = words_of_mention(mention)
                if after_preposition and (things or told_first):
                    where = where or name
                else:
                    things.append(name)
                i = max(mention.end, i + 1)
                continue
            if word in PREPOSITIONS:
                after_preposition = after_preposition or bool(things) or told_first
                after_preposition = after_preposition or i == begin
            elif word in ANYTHING:
                told_first = True
            elif word in ('out', 'off') and self._words[i + 1 : i + 2] == ('of',):
                after_preposition = bool(things) or told_first
            elif word in ('or', 'and', 'nor'):
                after_preposition = False
            elif word in SAID or word in self._spoken.particles or self._spoken.at(i) is not None:
                pass
            elif word not in FILLING and word not in _ENDING and not word.isdigit():
                unknown = self._unknown_name(i, end)
                determined = i == begin or self._words[i - 1] in DETERMINERS
                known = any(begin <= mention.start < end for mention in self._mentions)
                leads = any(mention.start == i + len(unknown) for mention in self._mentions)
                told = determined or self._words[i - 1] in ('or', 'and', 'nor')
                is_place = after_preposition and bool(things or told_first)
                if unknown and not leads and not is_place and (told if known else not things):
                    things.append(unknown)
                i += max(len(unknown), 1)
                continue
            i += 1
        return things, where

    def _unknown_name(self, i: int, end: int) -> tuple[str, ...]:
        """A thing that nobody has told of yet, by the words of the task."""
        words: list[str] = []
        while i < end and self._words[i] not in _ENDING and self._words[i] not in FILLING:
            if any(m.start == i for m in self._mentions):
                break
            words.append(self._words[i])
            i += 1
            if words[-1].isdigit():
                break
        return tuple(words)


def words_of_mention(mention: Mention) -> tuple[str, ...]:
    """A name, its number or label as words."""
    return tuple(words_of(mention.text))
