"""Which skills of a server words stand for: their own verbs in all forms, and what people say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reactree_core.skill_types import by_verb, SkillKind
from reactree_planner.language.domain import Domain
from reactree_planner.language.meant_skills import does, SAID_FOR
from reactree_planner.language.verbs import Act, VERBS
from reactree_planner.language.words import Form, verb_forms, words_of

_KINDS_OF_ACT = {
    Act.MOVE: (SkillKind.MOVE,),
    Act.TAKE: (SkillKind.TAKE,),
    Act.PUT: (SkillKind.PUT,),
    Act.BRING: (SkillKind.TAKE, SkillKind.PUT),
    Act.FILL: (SkillKind.PUT,),
    Act.LEAVE: (SkillKind.PUT,),
    Act.MAKE: (SkillKind.MAKE,),
    Act.FIND: (SkillKind.LOOK,),
}
#: Particles that may stand behind a verb or its thing and say nothing more.
IDLE_PARTICLES = ('up', 'down', 'away', 'back', 'out', 'off')


@dataclass(frozen=True, slots=True)
class SkillWord:
    """What a verb stands for.

    :param verbs: of templates; () with `touches`.
    :param touches: whether it stands for whatever is done with a thing: "use", "touch".
    :param certain: whether some skill is meant by its own verb, or by what all people say for it.
    :param state: that skills bring things into by what they do to all that is in a place.
    """

    verbs: tuple[str, ...]
    touches: bool = False
    certain: bool = True
    state: str = ''


class SkillWords:
    """Verbs of one skill server. :param types: template verbs, longest first, and their skills."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        names = domain.names
        found = by_verb(names.skill_types)
        self.types = {verb: found.get(verb, ()) for verb in names.verbs}
        #: First word in a form -> (words behind it, form, template verbs).
        self._own: dict[str, list[tuple[tuple[str, ...], Form, tuple[str, ...]]]] = {}
        for verb, types in self.types.items():
            self._learn(words_of(verb), verb)
            for one in types:
                for other in one.other_words:
                    self._learn(words_of(other), verb)

    def _learn(self, words: list[str], verb: str) -> None:
        if not words:
            return
        rest = tuple(words[1:])
        heads = [words[0]]
        if rest in (('on',), ('off',)):
            heads += [one for one in VERBS[Act.TURN].split() if one != words[0]]
        for head in heads:
            for word, form in verb_forms(head):
                self._own.setdefault(word, []).append((rest, form, (verb,)))

    def of_kind(self, *kinds: SkillKind) -> tuple[str, ...]:
        """Template verbs that do one of these."""
        return tuple(verb for verb in self.types if any(self._is(verb, one) for one in kinds))

    def _is(self, verb: str, kind: SkillKind) -> bool:
        """Whether it does this, as declared; else as its word says."""
        if kind not in SAID_FOR:
            return any(one.kind is kind for one in self.types[verb])
        return does(verb, kind, self.types)

    def are_all(self, verbs: tuple[str, ...], kind: SkillKind) -> bool:
        """Whether all of some template verbs do this, and there are any."""
        return bool(verbs) and all(self._is(verb, kind) for verb in verbs)

    def has_slots(self, verbs: tuple[str, ...]) -> bool:
        """Whether one of these skills is done with something."""
        return any(one.slots for verb in verbs for one in self.types[verb])

    def making(self, state: str) -> tuple[str, ...]:
        """Template verbs that bring a state about."""
        found = {one.verb for one in self._domain.makers.get(state, ())}
        return tuple(verb for verb in self.types if verb in found)

    def at(
        self, words: tuple[str, ...], at: int, form: Form
    ) -> Iterator[tuple[int, SkillWord, str]]:
        """Verbs in a form that begin there: the index behind, what they stand for, and the
        particle that is still to come; '' for none.
        """
        own = [one for one in self._own.get(words[at], ()) if one[1] is form] if at < len(
            words
        ) else []  # fmt: skip
        told = False
        for rest, _, verbs in own:
            if rest == ('to',):
                told = True
                yield at + 1, SkillWord(verbs), ''
            elif words[at + 1 : at + 1 + len(rest)] == rest:
                told = True
                yield at + 1 + len(rest), SkillWord(verbs), ''
            elif len(rest) == 1:
                yield at + 1, SkillWord(verbs), rest[0]
        if at < len(words) and not told:
            yield from self._general(words, at, form)

    def _general(
        self, words: tuple[str, ...], at: int, form: Form
    ) -> Iterator[tuple[int, SkillWord, str]]:
        seen: dict[int, dict[str, None]] = {}
        for end, verb, stands_as, particle in self._domain.verbs_at(words, at):
            if stands_as is not form or verb.own:
                continue
            if verb.act is Act.CHANGE:
                makers = self._domain.makers.get(verb.state, ())
                treated = any(t.state == verb.state for one in makers for t in one.treatments)
                state = verb.state if treated else ''
                yield end, SkillWord(self.making(verb.state), state=state), particle
                continue
            kinds = _KINDS_OF_ACT.get(verb.act, ())
            if particle in ('', *IDLE_PARTICLES) and kinds:
                seen.setdefault(end, {}).update(dict.fromkeys(self.of_kind(*kinds)))
        base = _SAID.get((words[at], form), '')
        if base:
            kinds = tuple(kind for kind, said in SAID_FOR.items() if base in said)
            if kinds and (kinds[0], base) != (SkillKind.MOVE, 'move'):
                seen.setdefault(at + 1, {}).update(dict.fromkeys(self.of_kind(*kinds)))
        for end, verbs in seen.items():
            ordered = tuple(one for one in self.types if one in verbs)
            if ordered:
                yield end, SkillWord(ordered), ''
                while end < len(words) and words[end] in IDLE_PARTICLES:
                    end += 1
                    yield end, SkillWord(ordered), ''


#: Forms of what people say for skills -> the verb.
_SAID = {key: verb for said in SAID_FOR.values() for verb in said for key in verb_forms(verb)}
