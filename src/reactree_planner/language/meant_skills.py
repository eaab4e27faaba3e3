"""Which skills the words of an instruction mean: by verbs, the thing, and the place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from reactree_core.observation import ObjectFact
from reactree_core.permission.acts import holders_of
from reactree_core.permission.matching import (
    Binding,
    is_name_of,
    Matcher,
    Moment,
    plain,
    SkillPattern,
)
from reactree_core.skill_types import plain_name, SkillKind, SkillType
from reactree_planner.language.lexicon import PREPOSITIONS
from reactree_planner.language.lexicon import words as word_set
from reactree_planner.language.spelling import forms_of
from reactree_planner.language.words import words_of
from reactree_planner.reading.nouns import is_noun, likeness

#: Verbs of templates, longest first, and the skills that begin with them.
VerbTypes = Mapping[str, tuple[SkillType, ...]]
#: What people say for skills of a kind.
SAID_FOR = {
    SkillKind.MOVE: word_set('go walk drive enter visit approach move run head come step'),
    SkillKind.TAKE: word_set('take pick grab get fetch lift grasp remove hold carry steal bring'),
    SkillKind.PUT: word_set('put place set drop bring deliver store leave carry insert lay load'),
    SkillKind.OPEN: word_set('open'),
    SkillKind.CLOSE: word_set('close shut'),
    SkillKind.SWITCH_ON: word_set('activate start enable'),
    SkillKind.SWITCH_OFF: word_set('deactivate stop disable'),
}


@dataclass(frozen=True, slots=True)
class MeantSkills:
    """Skills that words of a task mean; a rule of permission reads them (`Matcher`).

    :param verbs: of templates; () for every skill that does more than move.
    :param thing: its words, singular, with its number where one is told; () for anything.
    :param where: words of the place at which it is meant; () for everywhere.
    :param slot: under which conditions of a rule speak of the same thing; '' where they do not.
    :param server: what the skill server's verbs do.
    :param state: that the thing comes into where something is done to all that is in a place; ''
        where skills are done with the thing itself.
    """

    verbs: tuple[str, ...]
    thing: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    slot: str = ''
    server: VerbTypes = field(default_factory=dict, compare=False)
    state: str = ''

    @property
    def wording(self) -> str:
        """For people: 'switch on pump'."""
        if self.state:
            place = f' at {" ".join(self.where)}' if self.where else ''
            return f'have {" ".join(self.thing) or "anything"} {self.state}{place}'
        verb = ' or '.join(self.verbs) or 'touch'
        thing = f'<{self.slot}>' if self.slot else ' '.join(self.thing) or 'anything'
        if not any(type_.slots for verb in self.verbs for type_ in self.server.get(verb, ())):
            # "dock", and what is done with whatever stands there.
            thing = thing if self.thing or not self.verbs else ''
        if self.thing and any(_speaks_of(one, self.thing) for one in self.verbs):
            # "open airlock", "open the door of <pen>" say themselves what they open.
            thing = ''
        place = f' at {" ".join(self.where)}' if self.where else ''
        return f'{verb} {thing}'.strip() + place

    @property
    def patterns(self) -> tuple[SkillPattern, ...]:
        """Nothing: words stand in names, so that no text tells all that is meant."""
        return ()

    @property
    def slots(self) -> frozenset[str]:
        """The slot that conditions may share."""
        return frozenset({self.slot} if self.slot else ())

    def readings(self, skill: str) -> tuple[dict[str, str], ...]:
        """What stands in the slot; nothing for another skill."""
        skill = _plain(skill)
        for type_ in self.server.get(_verb_of(skill, self.server), ()):
            if self.verbs and type_.verb not in self.verbs:
                continue
            for values in replace(type_, template=_plain(type_.template)).splits(skill):
                for slot, value in zip(type_.slots, values, strict=True):
                    if slot.type.is_name and contains(tuple(words_of(value)), self.thing):
                        return ({self.slot: value},)
        return ()

    def bound(self, binding: Binding) -> MeantSkills:
        """The same for one thing."""
        told = dict(binding).get(self.slot, '')
        return replace(self, thing=tuple(words_of(told)), slot='') if told else self

    def includes(self, other: Matcher) -> bool:
        """Whether whatever the other means, this means too."""
        if not isinstance(other, MeantSkills) or not contains(other.thing, self.thing):
            return False
        if self.state != other.state:
            return False
        verbs = bool(other.verbs) and set(other.verbs) <= set(self.verbs)
        return (verbs or self.verbs == other.verbs) and self.where in ((), other.where)

    def matches(self, moment: Moment) -> bool | None:
        """Whether the skill of this moment is meant, with the robot where it is then."""
        # As robots and worlds read it, who may take "Open Bin 1" for "open bin 1".
        skill, now = _plain(moment.skill), moment.now
        verb = _verb_of(skill, self.server)
        if self.state and self.verbs and verb in self.verbs:
            return self._treats(skill, verb, moment)
        if skill and not verb and not self.verbs:
            # No template says what it does.
            return None if contains(tuple(words_of(skill)), self.thing) else False
        if self.verbs and verb not in self.verbs:
            return False
        if not self.verbs and (not verb or does(verb, SkillKind.MOVE, self.server)):
            return False
        # A skill without slots, "open airlock", says itself what it is done with.
        target = skill[len(_plain(verb)) :].strip() or skill
        if not contains(tuple(words_of(target)), self.thing) and not _speaks_of(verb, self.thing):
            return False
        if not self.where:
            return True
        if PREPOSITIONS.intersection(words_of(target)):
            # The skill says where: "load crate 1 onto truck 2".
            return contains(tuple(words_of(target)), self.where)
        places = [now.place, now.room]
        if not does(verb, SkillKind.PUT, self.server):
            # Where the thing is decides, and not where the robot stands.
            known = [fact.name for fact in moment.facts.values() if _plain(fact.name) == target]
            places = [place for name in known for place in holders_of(name, moment.facts)]
            if not places:
                return None
        return any(contains(tuple(words_of(place)), self.where) for place in places)

    def _treats(self, skill: str, verb: str, moment: Moment) -> bool | None:
        """Whether the thing comes into the state: it is where something is done to all."""
        answers: list[bool | None] = []
        is_read = False
        for type_ in self.server[verb]:
            plainly = replace(type_, template=_plain(type_.template))
            makes = any(fact.holds and fact.value == self.state for fact in type_.facts)
            for values in plainly.splits(skill):
                is_read = True
                slots = {s.text: value for s, value in zip(type_.slots, values, strict=True)}
                told = [one.bound(slots) for one in type_.treatments if one.state == self.state]
                answers += [self._is_within(moment, one.place) for one in told if one is not None]
                answers += [contains(tuple(words_of(one)), self.thing) for one in values if makes]
        if not is_read:
            # No template says what it is done with.
            return None
        return True if True in answers else None if None in answers else False

    def _is_within(self, moment: Moment, place: str) -> bool | None:
        """Whether the thing is in a place, or in something that is; None where nobody knows."""
        if not self.thing:
            return True
        known = [fact for fact in moment.facts.values() if self._names(fact.name)]
        where = [_holders(fact, moment.facts) for fact in known]
        if any(is_name_of(holder, place) for holders in where for holder in holders):
            return True
        return False if known and all(where) else None

    def _names(self, name: str) -> bool:
        return contains(tuple(words_of(name)), self.thing)


@lru_cache(maxsize=4096)
def _speaks_of(verb: str, thing: tuple[str, ...]) -> bool:
    """Test that a thing, or a noun like it, stands in the fixed words of a skill.

    "Any door" and "any gate" are what `open the door of <pen>` opens.
    """
    fixed = tuple(words_of(verb))[1:]
    if not thing or contains(fixed, thing):
        return bool(thing)
    said = ' '.join(thing)
    return any(is_noun(word) and likeness(said, word) for word in fixed)


def _holders(fact: ObjectFact, facts: Mapping[str, ObjectFact]) -> list[str]:
    """What a thing is in, what that is in, and so on."""
    found: list[str] = []
    above: ObjectFact | None = fact
    by_name = {plain(plain_name(name)): one for name, one in facts.items()}
    while above is not None and above.receptacle and above.receptacle not in found:
        found.append(above.receptacle)
        above = by_name.get(plain(plain_name(above.receptacle)))
    return found


@lru_cache(maxsize=16_384)
def _plain(text: str) -> str:
    """The same for texts that only look different; however many spaces stand in them."""
    return plain(' '.join(text.split()))


def _verb_of(skill: str, server: VerbTypes) -> str:
    """The template verb with which a skill in plain form begins; '' for none."""
    return next((v for v in server if f'{skill} '.startswith(f'{_plain(v)} ')), '')


def does(verb: str, kind: SkillKind, server: VerbTypes) -> bool:
    """Whether skills of a verb are of a kind, as their server tells; else as the verb does."""
    told = {type_.kind for type_ in server.get(verb, ())}
    if told and told != {SkillKind.OTHER}:
        return kind in told
    moves = kind is SkillKind.MOVE and verb.endswith(' to')
    return moves or verb.partition(' ')[0] in SAID_FOR.get(kind, frozenset())


def contains(words: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Whether words, or their singular, stand in others, one behind the other; a name's number
    must not go on.
    """
    return any(
        words[start : start + len(part)] in _singulars(part)
        for start in range(len(words) - len(part) + 1)
    )


@lru_cache(maxsize=1024)
def _singulars(thing: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """A thing's words, and those of which they may be a plural."""
    last = next((i for i in reversed(range(len(thing))) if not thing[i].isdigit()), None)
    if last is None:
        return frozenset({thing})
    return frozenset((*thing[:last], form, *thing[last + 1 :]) for form in forms_of(thing[last]))
