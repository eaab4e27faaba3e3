"""Skills of which parts of an instruction tell: that were done, are done, or are to be counted."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_planner.instructions.meant_skills import contains
from reactree_planner.instructions.meant_skills import does
from reactree_planner.instructions.meant_skills import MeantSkills
from reactree_planner.instructions.names import DETERMINERS
from reactree_planner.instructions.names import NameKind
from reactree_planner.instructions.negations import ProhibitionSpan
from reactree_planner.instructions.skill_reading import ANYTHING
from reactree_planner.instructions.skill_reading import FILLING
from reactree_planner.instructions.skill_reading import PRONOUNS
from reactree_planner.instructions.skill_reading import SkillReader
from reactree_planner.instructions.skill_reading import words_of_mention
from reactree_planner.instructions.spoken_verbs import SAID
from reactree_planner.instructions.words import BEING
from reactree_planner.instructions.words import MODALS
from reactree_planner.instructions.words import word_set

#: What stands before a verb that tells what was done: "you have first closed".
_HAVING = word_set('you have having has had ve first already also then again')
_ASIDE = word_set('not never only always')


class ToldSkillReader(SkillReader):
    """Reads which skills a part of a text tells of, as far as that is certain."""

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
        if not meant and before and PRONOUNS.intersection(self._words[begin:end]):
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
        return self._words[i] == "'s" and i > 0 and self._words[i - 1] in PRONOUNS

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
        if words and PRONOUNS.issuperset(words):
            return tuple(dict.fromkeys(one.thing for one in before if one.thing))
        told = [one for one in self._mentions if begin <= one.start and one.end <= be]
        covered = sum(one.end - one.start for one in told)
        joined = set(words) & {'and', 'or'}
        rest = [word for word in words if word in DETERMINERS or word in FILLING or word in joined]
        is_all = covered + len(rest) == len(words)
        return tuple(map(words_of_mention, told)) if is_all else ()

    def _is_certain(self, meant: MeantSkills, begin: int, end: int, by_other_word: bool) -> bool:
        """Whether skills of the server and things that it knows are meant."""
        if not meant.verbs:
            return False
        types = [one for verb in meant.verbs for one in self._verbs[verb]]
        if not meant.thing:
            anything = bool(ANYTHING.intersection(self._words[begin:end]))
            return anything or not any(one.slots for one in types)
        known = [one for one in self._mentions if words_of_mention(one) == meant.thing]
        moves = all(does(verb, SkillKind.MOVE, self._verbs) for verb in meant.verbs)
        if by_other_word and moves and any(one.kind is NameKind.THING for one in known):
            # "move the crate": it is carried, and not gone to.
            return False
        plain = tuple(word for word in meant.thing if not word.isdigit())
        return bool(known) or any(contains(words, plain) for words in self._known)
