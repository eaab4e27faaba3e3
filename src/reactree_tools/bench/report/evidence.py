"""What a run's events say about why its goal was not met, in words that can be compared.

Names of things and places are taken from facts, where the world reports any; from the texts of
observations else. Nothing here knows what a word means: words are compared, that is all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import dropwhile
from pathlib import Path

from reactree_core.errors import JournalError
from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import (
    Decision,
    DecisionKind,
    Event,
    NodeKind,
    NodeStatus,
    QUESTION,
)
from reactree_core.record.journal import read_journal
from reactree_core.record.run_settings import Kept
from reactree_core.record.snapshot import reduce_events
from reactree_core.skill_types import Relation
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.reading.plain_words import plain_words
from reactree_tools.bench.rows import EpisodeRow
from reactree_tools.plain_text import visible

#: Letters of an observation that are kept to be shown.
_KEPT_TEXT = 300
#: Its words, in their base forms.
Name = tuple[str, ...]
#: Words of conditions that name nothing.
_EMPTY = frozenset(
    plain_words(
        'in inside on upon at within under near beside by atop around into onto to from off out '
        'is are be being been all every each any remaining rest holding a an the of and or not no '
        'with it'
    )
)
#: How alike two words are that are taken for one, misspelled; 'plate' and 'place' are not.
_ALIKE = 0.84
#: Letters of a word that stands for a longer one, as 'counter' for 'countertop'.
_LEAST_CUT = 4
#: What reasons have before the conditions; see `reason_of` in `reactree_tools.bench.episodes`.
_BEFORE = re.compile(r'.*(?:Conditions: |the planner held the goal for met, but: )', re.DOTALL)
_MET_BEHIND = re.compile(r'(?P<text>.+): (?P<met>\d+) of (?P<need>\d+)')
_MET_BEFORE = re.compile(r'(?P<met>\d+) of (?P<need>\d+) (?P<text>.+)')
#: A word for how a thing is, at a condition's end.
_STATE = re.compile(r'\b(?:is|are) (?:not )?[^\W\d_]+$')
_TOLD = re.compile(r'(?P<no>not )?met: (?P<text>.+)')


def base_form(word: str) -> str:
    """A word without the ending of a plural, as far as its letters say."""
    if len(word) > 3 and word.endswith('ies'):
        return f'{word[:-3]}y'
    if word.endswith(('sses', 'shes', 'ches', 'xes')):
        return word[:-2]
    if len(word) > 3 and word.endswith('s') and not word.endswith('ss'):
        return word[:-1]
    return word


def bases(text: str) -> tuple[str, ...]:
    """The words of a text in order, without numbers, each without the ending of a plural."""
    return tuple(base_form(word) for word in plain_words(text) if not word.isdigit())


def is_among(word: str, words: Iterable[str]) -> bool:
    """Whether a word, perhaps misspelled, is one of others."""
    known = tuple(words)
    return word in known or bool(get_close_matches(word, known, 1, _ALIKE))


def are_one_name(one: Name, other: Name) -> bool:
    """Whether the shorter name ends the longer one, words misspelled or cut short."""
    pairs = [sorted(pair, key=len) for pair in zip(reversed(one), reversed(other), strict=False)]
    return bool(pairs) and all(
        is_among(word, (longer,)) or (len(word) >= _LEAST_CUT and longer.startswith(word))
        for word, longer in pairs
    )


@dataclass(frozen=True, slots=True)
class Unmet:
    """A condition of the goal that did not hold at the end.

    :param need: how many things it wants, at least 1.
    """

    text: str
    need: int = 1


def unmet_conditions(row: EpisodeRow) -> tuple[Unmet, ...]:
    """What the world's goal lacked, as far as the reason says it; else what the run knew of."""
    reason = _BEFORE.sub('', row.reason, count=1) if _BEFORE.match(row.reason) else ''
    found = []
    for line in reason.split('; '):
        match = _MET_BEHIND.fullmatch(line) or _MET_BEFORE.fullmatch(line)
        if match is not None:
            met, need = int(match['met']), int(match['need'])
            if met < need:
                found.append(Unmet(match['text'], need))
        elif (match := _TOLD.fullmatch(line)) is not None and match['no']:
            found.append(Unmet(match['text']))
    found = found or list(map(Unmet, row.missing))
    # Of two conditions in the same words each wants a thing of its own.
    counts = Counter(one.text for one in found)
    return tuple(
        replace(one, need=max(one.need, counts[one.text]))
        for one in {one.text: one for one in found}.values()
    )


@dataclass(frozen=True, slots=True)
class Step:
    """A skill that was done, and what came of it.

    :param fresh: whether it showed a thing that had not been seen.
    :param same: how often the same skill had come to the same before, with the same held, since
        something new was seen.
    :param text: what was observed, or its beginning.
    """

    skill: str
    outcome: Outcome
    place: str
    room: str
    fresh: bool
    same: int
    text: str = ''

    @property
    def words(self) -> tuple[str, ...]:
        """Of the skill."""
        return bases(self.skill)


@dataclass
class Evidence:
    """Of one run.

    :param told: words of the task, of what it was taken for, and of people's answers.
    :param seen: words of all that was observed. :param places: words of places' names.
    :param tells_facts: whether observations told more than their texts.
    :param names: classes that were seen or are asked for, each with the names of things seen.
    :param verbs: words of skills that name nothing.
    :param expansions: subgoals of each expansion. :param untried: branches that were never begun.
    """

    planner: str = ''
    kept: Kept = Kept.NODES
    told: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)
    tells_facts: bool = False
    names: dict[Name, set[str]] = field(default_factory=dict)
    verbs: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    steps: list[Step] = field(default_factory=list)
    expansions: list[tuple[str, ...]] = field(default_factory=list)
    untried: tuple[str, ...] = ()

    @property
    def subgoals(self) -> Iterator[tuple[str, ...]]:
        """The words of every subgoal."""
        return (bases(goal) for goals in self.expansions for goal in goals)

    def names_of_subgoals(self) -> list[list[Name]]:
        """The names in every subgoal, without words before them that stand in no known name."""
        known = {word for name in self.names for word in name}
        return [
            [(*dropwhile(lambda word: word not in known, name[:-1]), name[-1]) for name in names]
            for names in (self.names_in(goal) for goals in self.expansions for goal in goals)
        ]

    def content(self, text: str) -> tuple[str, ...]:
        """Words of a condition or skill that name things or places, in order."""
        return tuple(word for name in self.names_in(text) for word in name)

    def thing_and_place(self, text: str) -> tuple[Name, Name]:
        """Words of a condition for the thing that it is about, and for its place, if any."""
        first, *others = self.names_in(text) or [()]
        return first, tuple(word for name in others for word in name)

    def has_seen(self, name: Name) -> bool:
        """Whether something of that name was seen; without facts, whether all its words were."""
        if not self.tells_facts:
            return self.seen.issuperset(name)
        return any(things and key[-len(name) :] == name for key, things in self.names.items())

    def names_in(self, text: str) -> list[Name]:
        """Names of a text: words that stand together, taken apart where names are known."""
        found: list[Name] = []
        together: list[str] = []
        for word in (*bases(_STATE.sub('', text)), ''):
            if word and word not in _EMPTY | self.verbs:
                together.append(word)
                continue
            found += self._taken_apart(together)
            together = []
        return found

    def _taken_apart(self, words: Sequence[str]) -> Iterator[Name]:
        begin = place = 0
        while place < len(words):
            ends = range(len(words), place, -1)
            end = next((end for end in ends if tuple(words[place:end]) in self.names), None)
            if end is None:
                place += 1
                continue
            if begin < place:
                yield tuple(words[begin:place])
            yield tuple(words[place:end])
            begin = place = end
        if begin < len(words):
            yield tuple(words[begin:])


def evidence_of(events: Iterable[Event], instruction: str = '') -> Evidence:
    """What the events of a run tell."""
    known = tuple(events)
    found = Evidence(told=set(bases(instruction)))
    found.tells_facts = any(isinstance(event, Observation) and event.facts for event in known)
    same: dict[tuple[str, str, tuple[str, ...]], int] = {}
    for event in known:
        if isinstance(event, Decision):
            _decide(found, event)
            continue
        if event.skill.startswith(QUESTION):
            found.told.update(bases(event.text))
            continue
        fresh = _see(found, event)
        if fresh:
            same.clear()
        if event.skill:
            key = (event.skill, event.text, event.held)
            found.steps.append(
                Step(
                    event.skill,
                    event.outcome,
                    event.place,
                    event.room,
                    fresh,
                    same.get(key, 0),
                    visible(event.text, _KEPT_TEXT),
                )
            )
            same[key] = same.get(key, 0) + 1
    skills = {step.skill for step in found.steps}
    for event in known:
        if isinstance(event, Observation):
            skills.update(event.admissible_skills)
    for skill in skills:
        found.verbs.update(_verb_words(bases(skill), found.seen))
    nodes = reduce_events(known).nodes
    found.untried = tuple(
        node.goal
        for node in nodes
        if node.kind is NodeKind.AGENT
        and (node.status is NodeStatus.IDLE or node.detail.startswith('not tried'))
    )
    return found


def _decide(found: Evidence, event: Decision) -> None:
    if event.kind is DecisionKind.START:
        found.planner = event.settings.planner
        found.kept = event.settings.kept
        found.told.update(bases(event.text))
    elif event.kind is DecisionKind.GROUND:
        for text in (event.text, *event.subgoals):
            found.told.update(bases(text))
        for condition in conditions_of(event.subgoals):
            for name in condition.names:
                found.names.setdefault(bases(name), set())
            if condition.relation in (Relation.IN, Relation.AT):
                found.places.update(bases(condition.value))
    elif event.kind in (DecisionKind.EXPAND, DecisionKind.REPAIR) and event.subgoals:
        found.expansions.append(event.subgoals)


def _see(found: Evidence, event: Observation) -> bool:
    """Note what an observation shows; True when a thing or word was new."""
    before = len(found.seen), sum(map(len, found.names.values()))
    for name in filter(None, (event.place, event.room, *event.looked_at)):
        found.places.update(bases(name))
        found.seen.update(bases(name))
        found.names.setdefault(bases(name), set()).add(name)
    for fact in event.facts:
        for where in (fact.receptacle, fact.room):
            found.places.update(bases(where))
        found.seen.update((*bases(fact.name), *bases(fact.state)))
        found.names.setdefault(bases(fact.object_class), set()).add(fact.name)
    for name in event.held:
        found.held.add(name)
        found.seen.update(bases(name))
    if not found.tells_facts and event.succeeded:
        found.seen.update(bases(event.own_text))
    # "The robot 1" as the receptacle of what is held is no place of a task.
    for name in event.held:
        for fact in event.facts:
            if fact.name == name and fact.receptacle:
                found.places.difference_update(bases(fact.receptacle))
    return before != (len(found.seen), sum(map(len, found.names.values())))


def _verb_words(words: tuple[str, ...], names: set[str]) -> tuple[str, ...]:
    """The words of a skill before the first name; the first word alone where none is known."""
    for place, word in enumerate(words):
        if place and word in names:
            return words[:place]
    return words[:1]


def read_evidence(folder: Path, row: EpisodeRow) -> Evidence | None:
    """What the journal of an episode tells; None where there is none that can be read."""
    path = folder / f'{row.run}.jsonl'
    if not row.run or Path(row.run).name != row.run or not path.is_file():
        return None
    try:
        return evidence_of(read_journal(path), row.instruction)
    except JournalError:
        return None
