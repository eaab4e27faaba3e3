"""What actions that words tell of come to: skills of the server, with what pronouns stand for."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_core.skill_types import CARRYING, SkillKind, SWITCHING
from reactree_planner.language import forbidding_words as said
from reactree_planner.language import lexicon
from reactree_planner.language.actions import Action
from reactree_planner.language.forbidding import Forbidding
from reactree_planner.language.meanings import Noun, Pronoun, Reference, Thing, Unknown
from reactree_planner.language.meant_skills import contains, MeantSkills
from reactree_planner.language.names import NameKind
from reactree_planner.language.words import Form, words_of

_DETERMINERS = lexicon.DEFINITE | lexicon.ARTICLES
_JOINTS = frozenset({',', 'and', 'or', 'nor', 'neither', 'either'})


def words_of_noun(noun: Noun) -> tuple[str, ...]:
    """A name, with its number or label, as words."""
    return tuple(words_of(noun.text))


class ForbiddenSkills:
    """Turns actions into skills. :param chart: of the text."""

    def __init__(self, chart: Forbidding) -> None:
        self._chart = chart
        self._skills = chart.skills
        self._mentions = chart.mentions()

    def of(
        self, action: Action, before: Sequence[MeantSkills] = (), done: bool = False
    ) -> tuple[MeantSkills, ...]:
        """Skills that an action means; () where it cannot be told what it is about.

        :param before: of what a pronoun takes its thing, where another clause has just told it.
        :param done: whether it is done and not forbidden: who brings a thing has taken it.
        """
        verbs = action.word.verbs
        things = self._things(action, before)
        where: tuple[str, ...] = ()
        if action.where is not None:
            where = self._place(action.where, action.start)
            if not where and isinstance(action.where, Unknown):
                where = self._own_words(action.where)
        if self._handles(verbs, SkillKind.TAKE) and self._handles(verbs, SkillKind.PUT):
            # "do not bring the crate": it is not touched; "... to the hall": not put there.
            takes = action.away or (done and not where)
            kind = SkillKind.TAKE if takes else SkillKind.PUT
            known = self._skills.of_kind(kind)
            verbs = tuple(verb for verb in verbs if verb in known) if where or done else ()
        elif not (where or done) and self._moves(action):
            # "do not move the crate": nor is it taken.
            also = {*verbs, *self._skills.of_kind(SkillKind.TAKE)}
            verbs = tuple(verb for verb in self._skills.types if verb in also)
        state, types = action.word.state, self._skills.types
        return tuple(MeantSkills(verbs, one, where, server=types, state=state) for one in things)

    def _moves(self, action: Action) -> bool:
        """Whether a thing is put somewhere by a verb that tells of all that is done with it."""
        word = self._chart.word(action.start)
        is_any = bool(action.things) and any(word in one for one in said.TOUCHING.values())
        return is_any and self._handles(action.word.verbs, SkillKind.PUT)

    def _handles(self, verbs: tuple[str, ...], kind: SkillKind) -> bool:
        return any(verb in self._skills.of_kind(kind) for verb in verbs)

    def _things(
        self, action: Action, before: Sequence[MeantSkills]
    ) -> tuple[tuple[str, ...], ...]:
        if not action.things:
            return ((),)
        found: dict[tuple[str, ...], None] = {}
        for thing in action.things:
            if isinstance(thing, Noun):
                name, told = words_of_noun(thing), self._own_words(thing)
                # What no skill does is kept from whatever is called so: "never zap the bin".
                is_said = bool(told) and contains(name[-len(told) :], told)
                is_broad = is_said and not action.word.certain
                found[told if is_broad else name] = None
            elif isinstance(thing, Unknown):
                found[self._own_words(thing)] = None
            elif before:
                found.update((one.thing, None) for one in before if one.thing)
            else:
                found.update((words_of_noun(one), None) for one in self._meant_by(thing, action))
        return tuple(found)

    def _own_words(self, thing: Noun | Unknown) -> tuple[str, ...]:
        """What a thing is called in the text."""
        words = self._chart.words[thing.start : thing.end]
        return tuple(word for word in words if word not in lexicon.DETERMINERS)

    def _place(self, thing: Thing, at: int) -> tuple[str, ...]:
        if isinstance(thing, Noun):
            return words_of_noun(thing)
        places = [
            one
            for one in self._mentions
            if one.end <= thing.start and one.kind in (NameKind.PLACE, NameKind.REGION)
        ]
        stays = [one for one in places if one.kind is NameKind.PLACE] or places
        is_it = isinstance(thing, Pronoun)
        return words_of_noun(stays[-1]) if stays and is_it else ()

    # References ------------------------------------------------------------------------------

    def _meant_by(self, pronoun: Thing, action: Action) -> Sequence[Noun]:
        """What a pronoun may stand for: where several things could be meant, all of them."""
        before = [one for one in self._mentions if one.end <= pronoun.start]
        fitting = [one for one in before if self._fits(one, action)] or before
        if not fitting:
            return ()
        if isinstance(pronoun, Pronoun) and pronoun.reference is not Reference.ONE:
            return self._several(fitting)
        switches = any(self._handles(action.word.verbs, kind) for kind in SWITCHING)
        switches &= not action.word.state
        is_sure = switches and self._is_sure(fitting[-1])
        if is_sure or not switches:
            # Whatever the last sentence speaks of.
            last = self._sentence(fitting[-1])
            fitting = [one for one in fitting if self._sentence(one) == last]
            fitting = [one for one in fitting if not switches or self._is_sure(one)]
        return [one for one in fitting if not self._is_asked_of(one, action)] or fitting

    def _sentence(self, noun: Noun) -> int:
        return sum(word in ('.', '?', '\n') for word in self._chart.words[: noun.start])

    def _fits(self, noun: Noun, action: Action) -> bool:
        verbs = action.word.verbs
        if not verbs:
            return True
        if action.word.state:
            return noun.kind in (NameKind.THING, NameKind.OTHER)
        for kinds, fitting in (
            (SWITCHING, (NameKind.PLACE, NameKind.OTHER)),
            (CARRYING, (NameKind.THING, NameKind.OTHER)),
            ((SkillKind.MOVE,), (NameKind.PLACE, NameKind.REGION, NameKind.OTHER)),
        ):
            if all(any(self._handles((verb,), kind) for kind in kinds) for verb in verbs):
                if noun.kind not in fitting:
                    return False
        types = [one for verb in verbs for one in self._skills.types[verb] if one.slots]
        takes = self._chart.domain.takes
        return not types or any(takes(one, noun.kind, noun.name) for one in types)

    def _is_sure(self, noun: Noun) -> bool:
        """Whether the text itself says that it opens, closes, or has something in it."""
        at = self._behind_verb(noun)
        if self._chart.word(at - 1) in ('in', 'into', 'inside'):
            return True
        return bool(self._verbs_before(at) & set(self._skills.of_kind(*SWITCHING)))

    def _is_asked_of(self, noun: Noun, action: Action) -> bool:
        """Whether the text asks for what would be forbidden of it."""
        if action.where is not None:
            return self._chart.is_told_at(noun, action.where)
        before = [one for one in self._mentions if one.end <= noun.end]
        asked = self._verbs_before(self._behind_verb(self._group(before)[0]))
        if action.word.touches:
            return bool(asked - set(self._skills.of_kind(SkillKind.MOVE)))
        return bool(asked & set(action.word.verbs))

    def _behind_verb(self, noun: Noun) -> int:
        """Where a noun begins, with "the" or "a"."""
        at = noun.start
        while self._chart.word(at - 1) in _DETERMINERS:
            at -= 1
        return at

    def _verbs_before(self, at: int) -> set[str]:
        """Template verbs that end right before a token."""
        return {
            verb
            for begin in range(max(0, at - 3), at)
            for end, word, _ in self._skills.at(self._chart.words, begin, Form.BASE)
            if end == at
            for verb in word.verbs
        }

    def _several(self, nouns: Sequence[Noun]) -> Sequence[Noun]:
        """What "them" stands for: the last things that were named together, or in the plural."""
        for number in range(len(nouns), 0, -1):
            group = self._group(nouns[:number])
            if len(group) > 1 or self._chart.is_plural(group[-1]):
                return group
        return self._group(nouns)

    def _group(self, nouns: Sequence[Noun]) -> Sequence[Noun]:
        """The last of them, and those that are joined to it."""
        found = [nouns[-1]]
        for one in reversed(nouns[:-1]):
            between = self._chart.words[one.end : found[0].start]
            if not between or not set(between) <= _JOINTS | _DETERMINERS:
                break
            found.insert(0, one)
        return found
