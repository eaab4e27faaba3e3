"""Which skills parts of an instruction mean: its verbs, things and places, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_planner.instructions.clauses import Reading
from reactree_planner.instructions.meant_skills import contains
from reactree_planner.instructions.meant_skills import does
from reactree_planner.instructions.meant_skills import MeantSkills
from reactree_planner.instructions.names import DETERMINERS
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.names import PREPOSITIONS
from reactree_planner.instructions.negations import ProhibitionSpan
from reactree_planner.instructions.spoken_verbs import SAID
from reactree_planner.instructions.spoken_verbs import SpokenVerbs
from reactree_planner.instructions.words import BEING
from reactree_planner.instructions.words import MODALS
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
_ANYTHING = word_set('anything any everything things thing all something stuff nothing')
_PRONOUNS = word_set('it them they that this those these one')
#: What stands before a verb that tells what was done: "you have first closed".
_HAVING = word_set('you have having has had ve first already also then again')
_ASIDE = word_set('not never only always')
#: Words that say nothing about which thing is meant.
_FILLING = (
    DETERMINERS
    | _ANYTHING
    | _PRONOUNS
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
        self._mentions = names.find_all(' '.join(reading.words))
        self._known = tuple(names.all_words())
        self._moving = self._spoken.of_kind(SkillKind.MOVE)

    def _meant(
        self, verbs: tuple[str, ...], thing: tuple[str, ...], where: tuple[str, ...]
    ) -> MeantSkills:
        return MeantSkills(verbs, thing, where, server=self._verbs)

    def forbidden(self, region: ProhibitionSpan) -> tuple[MeantSkills, ...]:
        """What one region forbids; () where no skill is meant."""
        inside = self._words[region.start : region.end]
        if region.passive or region.verb or 'be' in inside:
            begin = region.clause if region.passive else region.start
            things, where = self._things(begin, region.end)
            verbs = self._only_verbs(region, begin)
            if not things:
                things = self._things_elsewhere(begin, region.end)
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

    def told(
        self,
        begin: int,
        end: int,
        count: tuple[int, int] = (0, 0),
        before: Sequence[MeantSkills] = (),
    ) -> tuple[MeantSkills, ...]:
        """Skills that a part of the text means for certain: a verb of theirs stands first, or
        behind "be", and their thing is known; () where none does.

        :param count: words of a number between verb and thing; (0, 0) for none.
        :param before: skills of which a pronoun may take its thing.
        """
        while begin < end and self._words[begin] in _HAVING:
            begin += 1
        if begin >= end:
            return ()
        if set(self._words[begin:end]) & BEING:
            return self._told_passive(begin, end, before)
        found = self._spoken.at(begin)
        if found is None and self._words[begin] not in SAID:
            return ()
        region = ProhibitionSpan(begin, end, begin)
        if not any(count):
            meant = self.forbidden(region)
        else:
            verbs, behind = self._first_verb(region)
            # "onto at most two trucks": no verb is right before the number.
            meant = (
                tuple(self._of_verb(verbs, count[1], end, region)) if behind == count[0] else ()
            )
        if not meant and before and _PRONOUNS.intersection(self._words[begin:end]):
            verbs = self._first_verb(region)[0]
            meant = tuple(self._meant(verbs, one.thing, ()) for one in before)
        return tuple(one for one in meant if self._is_certain(one, begin, end, found is None))

    def verb(self, begin: int, end: int) -> tuple[str, ...]:
        """Template verbs of a part that is a verb and nothing else; () for another."""
        rest = set(self._words[begin + 1 : end]) - {'again', 'on', 'off', 'up', 'down'}
        found = self._spoken.at(begin) if begin < end and not rest else None
        return found[0] if found else ()

    def brought_about(
        self, begin: int, end: int, before: Sequence[MeantSkills]
    ) -> tuple[MeantSkills, ...]:
        """Skills that bring about the state of which a part speaks: "the valve is closed".

        :param before: skills of which a pronoun may take its thing.
        """
        be = self._be(begin, end)
        if be is None or be + 2 != end:
            return ()
        state = self._words[be + 1]
        verbs = tuple(
            verb
            for verb, types in self._verbs.items()
            if any(
                effect.relation is Relation.IS and effect.holds and effect.value == state
                for one in types
                for effect in one.facts
            )
        )
        things = self._subject(begin, be, before)
        return tuple(self._meant(verbs, one, ()) for one in things if verbs)

    def has_or(self, begin: int, end: int) -> bool:
        """Whether one of several is meant."""
        return 'or' in self._words[begin:end]

    def _be(self, begin: int, end: int) -> int | None:
        """The last form of "be"; None for none."""
        found = [i for i in range(begin, end) if self._words[i] in BEING or self._is_s(i)]
        return found[-1] if found else None

    def _is_s(self, i: int) -> bool:
        """Whether this is the end of "it's"."""
        return self._words[i] == "'s" and i > 0 and self._words[i - 1] in _PRONOUNS

    def _told_passive(
        self, begin: int, end: int, before: Sequence[MeantSkills]
    ) -> tuple[MeantSkills, ...]:
        be = self._be(begin, end)
        assert be is not None
        found = self._spoken.at(be + 1) if be + 1 < end else None
        if found is None or be + 1 + found[1] != end:
            return ()
        things = self._subject(begin, be, before)
        return tuple(self._meant(found[0], one, ()) for one in things)

    def _subject(
        self, begin: int, be: int, before: Sequence[MeantSkills]
    ) -> tuple[tuple[str, ...], ...]:
        """What a form of "be" speaks of: known things, or that of other skills; () for others."""
        words = [w for w in self._words[begin:be] if w not in _HAVING | MODALS | _ASIDE]
        if words and _PRONOUNS.issuperset(words):
            return tuple(dict.fromkeys(one.thing for one in before if one.thing))
        told = [one for one in self._mentions if begin <= one.start and one.end <= be]
        covered = sum(one.end - one.start for one in told)
        joined = set(words) & {'and', 'or'}
        rest = [
            word for word in words if word in DETERMINERS or word in _FILLING or word in joined
        ]
        is_all = covered + len(rest) == len(words)
        return tuple(map(_words_of_mention, told)) if is_all else ()

    def _is_certain(self, meant: MeantSkills, begin: int, end: int, by_other_word: bool) -> bool:
        """Whether skills of the server and things that it knows are meant."""
        if not meant.verbs:
            return False
        types = [one for verb in meant.verbs for one in self._verbs[verb]]
        if not meant.thing:
            anything = bool(_ANYTHING.intersection(self._words[begin:end]))
            return anything or not any(one.slots for one in types)
        known = [one for one in self._mentions if _words_of_mention(one) == meant.thing]
        moves = all(does(verb, SkillKind.MOVE, self._verbs) for verb in meant.verbs)
        if by_other_word and moves and any(one.kind is NameKind.THING for one in known):
            # "move the crate": it is carried, and not gone to.
            return False
        plain = tuple(word for word in meant.thing if not word.isdigit())
        return bool(known) or any(contains(words, plain) for words in self._known)

    def _things_elsewhere(self, begin: int, end: int) -> list[tuple[str, ...]]:
        """The thing of a passive that does not name it: "nothing", or "it"."""
        words = self._words[begin:end]
        if any(word in _ANYTHING for word in words):
            return [()]
        before = [mention for mention in self._mentions if mention.end <= begin]
        if before and any(word in _PRONOUNS for word in words):
            return [_words_of_mention(before[-1])]
        return []

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
            word in PREPOSITIONS and following in _PRONOUNS for word, following in pairwise(words)
        )
        if any(word in ('there', 'here') for word in words) or (handled and things and in_it):
            places = [one for one in before if one.kind is NameKind.PLACE]
            where = _words_of_mention(places[-1]) if places else where
        if handled and not where and words[:1] and words[0] in PREPOSITIONS and region.inherits:
            # "put it anywhere but in the truck"
            where, things = (things[0] if things else ()), []
            words = ('it',)
        if not things and any(word in _PRONOUNS for word in words):
            things = [_words_of_mention(movable[-1])] if movable else []
        elif handled and things and not where and any(w in _PRONOUNS for w in words[:1]):
            # "never put it on the scale"
            where, things = things[0], [_words_of_mention(movable[-1])] if movable else []
        elif not things and (any(word in _ANYTHING for word in words) or (verbs and not words)):
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
                name = _words_of_mention(mention)
                if after_preposition and (things or told_first):
                    where = where or name
                else:
                    things.append(name)
                i = max(mention.end, i + 1)
                continue
            if word in PREPOSITIONS:
                after_preposition = after_preposition or bool(things) or told_first
                after_preposition = after_preposition or i == begin
            elif word in _ANYTHING:
                told_first = True
            elif word in ('out', 'off') and self._words[i + 1 : i + 2] == ('of',):
                after_preposition = bool(things) or told_first
            elif word.isdigit() and things and self._words[i - 1] in ('and', 'or', word):
                # "crates 1 and 2"
                things.append((*things[-1][:-1], word))
            elif word in ('or', 'and', 'nor'):
                after_preposition = False
            elif word in SAID or word in self._spoken.particles or self._spoken.at(i) is not None:
                pass
            elif word not in _FILLING and word not in _ENDING and not word.isdigit():
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
        while i < end and self._words[i] not in _ENDING and self._words[i] not in _FILLING:
            if any(m.start == i for m in self._mentions):
                break
            words.append(self._words[i])
            i += 1
            if words[-1].isdigit():
                break
        return tuple(words)


def _words_of_mention(mention: Mention) -> tuple[str, ...]:
    number = () if mention.instance is None else (str(mention.instance),)
    return (*words_of(mention.name), *number)
