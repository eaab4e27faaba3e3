"""The goal of a sentence that is made of declared skills.

Of a skill that leaves something behind its effects are asked for: "open the lid" is done where the
lid is seen to be open. A skill without effects, one that changes a number, and one of several ways
to the same effects is itself asked for: it is executed once for each time that it is named.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from reactree_planner.facts.conditions import Condition, Milestone, read_condition
from reactree_planner.reading.goal import accumulated, Goal, ReadBy, supersedes, Word
from reactree_planner.reading.names import Names
from reactree_planner.reading.skill_clause import Match, SaidSkill
from reactree_planner.reading.skill_sentence import matcher_of, SkillSentence
from reactree_planner.reading.small_words import ASKING, DETERMINERS, PREPOSITIONS
from reactree_planner.reading.tokens import tokens_of, words_of
from reactree_planner.reading.vocabulary import english, NameKind, ServerWords

#: In effects: where the robot is.
_HERE = 'here'
_COURTESY, _BETWEEN = 'courtesy', 'between'
#: Verbs of English that say how something is handled, and so are a certain way to it.
_CERTAIN = ('touch', 'near', 'enter', 'examine', 'keep', 'swap')
#: First words of verbs that say what shall hold, and no certain way to it: "go", "put".
_PLAIN = frozenset(
    verb.partition(' ')[0]
    for act, verbs in english()['verbs'].items()
    if act not in _CERTAIN
    for verb in verbs
)


def read_skills(text: str, names: Names) -> Goal | None:
    """The goal of a sentence that is made of skills alone; None for any other sentence.

    :param text: word for word. :param names: of the skill server.
    """
    read = matcher_of(names).read(text)
    if read is None:
        return None
    steps = _Steps(names.words)
    sources: list[tuple[str, str]] = []
    accounts = []
    for match in read.matches:
        wanted = conditions_of(match, names)
        if not wanted:
            return None
        skills = (*match.where, *match.skills)
        for number, (one, said) in enumerate(zip(wanted, skills, strict=True)):
            later = _comes_in_turn(match) if number else match.later
            # A condition beside what is asked for may hold already.
            if not steps.add(one, later) and not said.anyhow:
                # "fold the arm and fold the arm"
                return None
        accounts.append('; '.join(dict.fromkeys(one.text for step in wanted for one in step)))
        for each in match.skills:
            sources += _sources(each)
    return Goal(
        text,
        accumulated(steps.found, names.words),
        tuple(dict.fromkeys(sources)),
        words=tuple(_words(text, read, accounts)),
        by=ReadBy.SKILL,
        acts=True,
    )


def said_skills(text: str, names: Names) -> dict[tuple[int, int], tuple[str, ...]]:
    """Clauses of a text that only its skills say: by their characters, what they are asked for.

    What a skill leaves behind can be said in other words too; these are skills that are themselves
    asked for, and customary orders.
    """
    orders = {one.say for one in names.orders}
    found: dict[tuple[int, int], tuple[str, ...]] = {}
    for match in matcher_of(names).find(text):
        wanted = [one for step in conditions_of(match, names) for one in step]
        ends = text[match.end :].lstrip().startswith('?')
        if ends and ASKING.isdisjoint(words_of(text[: match.start])):
            # "take a photo?"
            continue
        itself = any(one.relation is Relation.DONE for one in wanted)
        if itself or any(one.type.template in orders for one in match.skills):
            found.setdefault((match.start, match.end), tuple(one.text for one in wanted))
    return found


class _Steps:
    """Conditions of skills in their order, as milestones."""

    def __init__(self, words: ServerWords) -> None:
        self._words = words
        self.found: list[Milestone] = []

    def add(self, wanted: Milestone, later: bool) -> bool:
        """Take in what a skill is asked for; False where it is asked for already."""
        wanted = tuple(map(self._counted, wanted))
        standing = accumulated(self.found, self._words)[-1] if self.found else ()
        if any(one in standing for one in wanted):
            return False
        if later or not self.found or not self._joins(wanted, self.found[-1]):
            self.found.append(wanted)
        else:
            self.found[-1] = (*self.found[-1], *wanted)
        return True

    def _counted(self, one: Condition) -> Condition:
        """A skill that was to be done before is to be done once more in all."""
        before = [
            old.count for each in self.found for old in each if old.subject == one.subject
            if one.relation is old.relation is Relation.DONE
        ]  # fmt: skip
        return replace(one, count=one.count + max(before, default=0))

    def _joins(self, wanted: Milestone, before: Milestone) -> bool:
        """Whether conditions may come about together with those before them."""
        in_turn = (Relation.AT, Relation.DONE)
        return not any(
            one.relation in in_turn
            or old.relation is Relation.DONE
            or supersedes(one, old, self._words)
            or self._changes_again(one, old)
            for one in wanted
            for old in before
        )

    def _changes_again(self, one: Condition, old: Condition) -> bool:
        """Whether a thing is brought into one state after another."""
        same = one.relation is old.relation is Relation.IS and one.subject == old.subject
        return same and one.value != old.value


def _comes_in_turn(match: Match) -> bool:
    """Whether the skills of a clause are done one after the other: first there, then the skill."""
    skills = (*match.where, *match.skills)
    arrives = all(_is_arrival(one.type, any_verb=True) for one in skills)
    return bool(match.where) or arrives


def conditions_of(match: Match, names: Names) -> tuple[Milestone, ...]:
    """The conditions that each skill of a clause is asked for; () where that is left open.

    :param names: of the server.
    """
    skills = (*match.where, *match.skills)
    found = [_conditions_of(one, names) for one in skills]
    return () if None in found else tuple(one for one in found if one is not None)


def _conditions_of(said: SaidSkill, names: Names) -> Milestone | None:
    """The effects of a skill, that it is done, or the conditions of a customary order.

    :return: None where it leaves open with which thing it is done, and that matters.
    """
    order = next((one for one in names.orders if one.say == said.type.template), None)
    if order is not None:
        texts = order.filled(list(map(plain_name, said.values)))
        return tuple(one for text in texts if (one := read_condition(text)) is not None)
    types = tuple(names.skill_types)
    repeats = said.again and not _is_reversible(said.type, types)
    if said.anyhow or not (said.times or repeats or _is_certain_way(said, types)):
        conditions = _wanted(said)
        if conditions:
            # "put a crate in the chest and open it": which of the two shall be open?
            return None if said.refers else conditions
    is_any = any(names.kind(said.values[index]) is NameKind.THING for index in said.open)
    if (said.times > 1 or said.refers or repeats) and is_any:
        # "scan the crate twice", "lift a crate and scan it": which crate is scanned?
        return None
    if said.times > 1 and _is_arrival(said.type):
        # "go to the shed twice": from where, the second time?
        return None
    return (Condition(Relation.DONE, said.text, '', said.times or 1),)


def _is_reversible(skill: SkillType, types: tuple[SkillType, ...]) -> bool:
    """Whether "again" asks for what was so before: a lid is closed again, a crate scanned anew."""
    rivals = exclusive_states(types)
    return all(f.relation is not Relation.IS or f.value in rivals for f in skill.facts)


def _is_arrival(skill: SkillType, any_verb: bool = False) -> bool:
    """Whether all that it leaves is where the robot is, and its verb says no certain way.

    :param any_verb: whether that may be, too.
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
    return bool(mine - others - PREPOSITIONS - DETERMINERS)


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


def _words(text: str, read: SkillSentence, accounts: Sequence[str]) -> list[Word]:
    """Every word of the text with the conditions that it is part of."""

    def account(start: int) -> str:
        for match, wanted in zip(read.matches, accounts, strict=True):
            if match.start <= start < match.end:
                return wanted
        return _COURTESY if any(a <= start < b for a, b in read.frames) else _BETWEEN

    tokens = [one for one in tokens_of(text) if one.is_word]
    return [Word(text[one.start : one.end], account(one.start)) for one in tokens]
