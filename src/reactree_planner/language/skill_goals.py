"""The goal of a sentence that is made of declared skills.

Of a skill that leaves something behind its effects are asked for: "open the lid" is done where the
lid is seen to be open. A skill without effects, one that changes a number, and one of several ways
to the same effects is itself asked for: it is executed once for each time that it is named.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from reactree_core.exclusive_states import exclusive_states
from reactree_core.skill_types import (
    Effect,
    is_of_class,
    plain_name,
    Relation,
    SkillKind,
    SkillType,
    SLOT,
    Slot,
    SlotType,
)
from reactree_planner.facts.conditions import Condition
from reactree_planner.language import lexicon
from reactree_planner.language.discourse import Discourse
from reactree_planner.language.domain import domain_of
from reactree_planner.language.goal import Goal, Word
from reactree_planner.language.meanings import Clause, Customary, Perform, Series
from reactree_planner.language.names import NameKind, Names
from reactree_planner.language.skill_clause import Match, SaidSkill
from reactree_planner.language.skill_sentence import matcher_of, SkillSentence
from reactree_planner.language.tokens import Token, tokens_of
from reactree_planner.language.verbs import CLOSING, OPENING, STARTING, STOPPING, VERBS

#: In effects: where the robot is.
_HERE = 'here'
_COURTESY, _BETWEEN = 'courtesy', 'between'
#: First words of verbs that tell what shall be so, and no certain way to it: "go", "put".
_PLAIN = frozenset(
    word.split('_')[0]
    for verbs in (*VERBS.values(), OPENING, CLOSING, STARTING, STOPPING)
    for word in verbs.split()
)


def read_skills(text: str, names: Names) -> Goal | None:
    """The goal of a sentence that is made of skills alone; None for any other sentence.

    :param text: word for word. :param names: of the skill server.
    """
    read = matcher_of(names).read(text)
    if read is None:
        return None
    discourse = Discourse(domain_of(names))
    sources: list[tuple[str, str]] = []
    accounts = []
    for at, match in enumerate(read.matches):
        clauses = clauses_of(match, names, at, at + 1)
        if not clauses:
            return None
        for number, clause in enumerate(clauses):
            discourse.take(clause, match.later and not number)
        accounts.append('; '.join(dict.fromkeys(map(_account, clauses))))
        for said in match.skills:
            sources += _sources(said)
    told = discourse.told()
    if told.unread:
        # "fold the arm and fold the arm"
        return None
    return Goal(
        text,
        told.milestones,
        tuple(dict.fromkeys(sources)),
        words=tuple(_words(text, read, accounts)),
        acts=True,
    )


def clauses_of(match: Match, names: Names, start: int = 0, end: int = 0) -> tuple[Clause, ...]:
    """The clauses of a match, in order; () for one that leaves open what matters.

    :param names: of the server. :param start: :param end: of the clause, in tokens.
    """
    told = (*match.where, *match.skills)
    found = []
    for said in told:
        clause = _clause_of(said, names, start, end)
        if clause is None:
            return ()
        found.append(clause)
    if match.where or all(_is_arrival(one.type, any_verb=True) for one in told):
        # First there; and from one place to the next.
        return (Series(tuple(found), start, end),) if len(found) > 1 else tuple(found)
    return tuple(found)


def _account(clause: Clause) -> str:
    """The conditions of a clause, as one text."""
    if isinstance(clause, Series):
        return '; '.join(map(_account, clause.clauses))
    if isinstance(clause, Customary):
        return '; '.join(one.text for one in clause.conditions)
    assert isinstance(clause, Perform), 'a skill is done, or asked for its effects'
    return f'done {SkillType(clause.template).filled([str(one) for one in clause.values])}'


def _clause_of(said: SaidSkill, names: Names, start: int, end: int) -> Clause | None:
    """The goal of a skill: its effects, or that it is done.

    :return: None where it leaves open with which thing it is done, and that matters.
    """
    slots = zip(said.type.slots, said.values, strict=True)
    named = tuple(plain_name(value) for slot, value in slots if slot.type.is_name)
    types = tuple(names.skill_types)
    repeats = said.again and not _is_reversible(said.type, types)
    if said.anyhow or not (said.times or repeats or _is_certain_way(said, types)):
        conditions = _wanted(said)
        if conditions and said.refers:
            # "put a crate in the chest and open it": how things shall be is told of either.
            return None
        if conditions:
            return Customary((), conditions, start, end, named, beside=said.anyhow)
    is_any = any(names.kind(said.values[index]) is NameKind.THING for index in said.open)
    if (said.times > 1 or said.refers or repeats) and is_any:
        # "scan the crate twice", "lift a crate and scan it": which crate is scanned?
        return None
    if said.times > 1 and _is_arrival(said.type):
        # "go to the shed twice": from where, the second time?
        return None
    return Perform(said.type.template, said.values, said.times or 1, start, end, named)


def _is_reversible(skill: SkillType, types: tuple[SkillType, ...]) -> bool:
    """Test that "again" brings a state back: a lid is closed again, a crate scanned anew."""
    rivals = exclusive_states(types)
    return all(f.relation is not Relation.IS or f.value in rivals for f in skill.facts)


def _is_arrival(skill: SkillType, any_verb: bool = False) -> bool:
    """Test that all its effect is where the robot is, and that its verb says no certain way.

    :param any_verb: take every verb.
    """
    is_plain = any_verb or skill.verb.partition(' ')[0].casefold() in _PLAIN
    return is_plain and {one.relation for one in skill.facts} == {Relation.AT}


def _wanted(said: SaidSkill) -> tuple[Condition, ...]:
    """Conditions that say all that a skill is asked for; () where none do."""
    skill = said.type
    facts = [fact for fact in skill.facts if fact.holds]
    if skill.changes or any(_HERE in (fact.subject, fact.value) for fact in facts):
        return ()
    told = {side for fact in facts for side in (fact.subject, fact.value)}
    silent = [slot for slot in skill.slots if slot.text not in told]
    slots = zip(skill.slots, said.values, strict=True)
    named = {slot.text: plain_name(value) for slot, value in slots}
    number = 1
    if skill.kind is SkillKind.TAKE:
        # "take the cup from the table": which one it is.
        silent = [slot for slot in silent if slot not in skill.slots[1:2]]
    if {fact.relation for fact in facts} == {Relation.HOLDING}:
        # "get 3 hemp": how many.
        numbers = [slot for slot in silent if slot.type is SlotType.NUMBER]
        counts = [slot for slot in numbers if not (slot.bounds and slot.bounds.unit)]
        if len(counts) == 1 and named[counts[0].text].isdecimal():
            number = int(named[counts[0].text])
            silent.remove(counts[0])
    is_about = told.intersection(named)
    # "heat the cup with the oven": with any; but not "groom Luna with the curry comb", where the
    # slot takes brushes, too.
    fills = [skill.slots[index] for index in said.open] if is_about else []
    anyhow = {slot.text for slot in fills if _takes_nothing_else(slot, named[slot.text])}
    if not anyhow.issuperset(slot.text for slot in silent) or not 0 < number < 1000:
        return ()
    return tuple(replace(_condition(_with_names(fact, named)), count=number) for fact in facts)


def _takes_nothing_else(slot: Slot, name: str) -> bool:
    """Test that a slot takes things of the class of a name alone, as far as is declared."""
    return all(is_of_class(one, name) for one in slot.classes)


def _with_names(fact: Effect, named: dict[str, str]) -> Effect:
    """An effect with names in place of slots. :param named: by the texts of slots."""
    return replace(
        fact,
        subject=named.get(fact.subject, fact.subject),
        value=named.get(fact.value, fact.value),
    )


def _condition(fact: Effect) -> Condition:
    if fact.relation is Relation.HOLDING:
        return Condition(fact.relation, fact.value)
    return Condition(fact.relation, fact.subject, fact.value)


@lru_cache(maxsize=4096)
def _is_certain_way(said: SaidSkill, types: tuple[SkillType, ...]) -> bool:
    """Test for one of several ways to the same effects of which it says which: "visit", or, of
    two to "lift up <part>", "with the left arm".
    """
    slots = zip(said.type.slots, said.values, strict=True)
    named = {slot.text: plain_name(value) for slot, value in slots}
    facts = tuple(_with_names(fact, named) for fact in said.type.facts if fact.holds)
    others = [one for one in types if one.template != said.type.template]
    if said.type.verb.partition(' ')[0].casefold() in _PLAIN:
        others = [
            one for one in others if one.verb == said.type.verb and _says_more(said.type, one)
        ]
    return any(_brings_about(one, facts, {}) for one in others)


def _says_more(skill: SkillType, other: SkillType) -> bool:
    """Test for fixed words, beside small ones, that another skill of the verb has not."""
    mine, others = (set(SLOT.sub(' ', one.template).casefold().split()) for one in (skill, other))
    return bool(mine - others - lexicon.PREPOSITIONS - lexicon.DETERMINERS)


def _brings_about(skill: SkillType, facts: tuple[Effect, ...], filled: dict[str, str]) -> bool:
    """Whether a skill has all of some effects, with a name in each of its slots.

    :param filled: names in its slots, by their texts.
    """
    if not facts:
        return True
    first, *rest = facts
    return any(
        _brings_about(skill, tuple(rest), {**filled, **more})
        for fact in skill.facts
        if fact.holds and fact.relation is first.relation
        for more in [_names_between(skill, fact, first, filled)]
        if more is not None
    )


def _names_between(
    skill: SkillType, pattern: Effect, fact: Effect, filled: dict[str, str]
) -> dict[str, str] | None:
    """Names in the slots of an effect that make it a certain fact; None where none do."""
    slots = {slot.text for slot in skill.slots if slot.type.is_name}
    found = dict(filled)
    for side, name in ((pattern.subject, fact.subject), (pattern.value, fact.value)):
        if (found.setdefault(side, name) if side in slots else side) != name:
            return None
    return found


def _sources(said: SaidSkill) -> list[tuple[str, str]]:
    """Where the sentence says that a thing is taken from."""
    skill = said.type
    told = {side for fact in skill.facts for side in (fact.subject, fact.value)}
    slots = [
        (slot, plain_name(value))
        for slot, value in zip(skill.slots, said.values, strict=True)
        if slot.type.is_name
    ]
    is_from = skill.kind is SkillKind.TAKE and len(slots) == 2 and slots[1][0].text not in told
    return [(slots[0][1], slots[1][1])] if is_from else []


def _words(text: str, read: SkillSentence, accounts: list[str]) -> list[Word]:
    """Every word of the text with the conditions that it is part of."""

    def account(token: Token) -> str:
        for match, told in zip(read.matches, accounts, strict=True):
            if match.start <= token.start < match.end:
                return told
        return _COURTESY if any(a <= token.start < b for a, b in read.frames) else _BETWEEN

    return [Word(text[one.start : one.end], account(one)) for one in tokens_of(text)]
