"""What was read whole was read: change a sentence, and its goal changes or is whole no longer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.grounding.alfred import read_alfred
from benchmarks.grounding.phrasings import Half, own_sets, Phrasing, read_own_set
from benchmarks.grounding.wah_nl import read_wah_nl
from reactree_core.observation import Vocabulary
from reactree_planner.reading.goal import Goal
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import read_alone
from support.changed_sentences import CHANGES, is_one_clause
from support.needs import need_data, needs

#: Sentences of each set that are changed: all of them would take minutes.
SENTENCES = 3
#: Pairs of sentences of each set that are told in both orders.
PAIRS = 8
#: The longest one that is changed, in characters.
LONGEST = 120


@dataclass(frozen=True)
class Read:
    """A sentence that is read whole, and its goal."""

    text: str
    names: Names
    goal: Goal


@cache
def names_of(vocabulary: Vocabulary) -> Names:
    return Names(vocabulary)


def asked(goal: Goal) -> tuple[object, ...]:
    """All that a goal says, in an order that does not matter where none is told."""
    milestones = tuple(frozenset(one.text for one in milestone) for milestone in goal.milestones)
    never = frozenset(map(repr, goal.never))
    when = goal.trigger.text if goal.trigger is not None else ''
    return milestones, never, frozenset(map(repr, goal.rules)), frozenset(goal.sources), when


def wished(goal: Goal) -> set[str]:
    return {condition.text for milestone in goal.milestones for condition in milestone}


def read_whole(phrasings: tuple[Phrasing, ...], most: int) -> list[Read]:
    """Development phrasings that are read whole and ask for something, spread over the set."""
    candidates = [one for one in phrasings if one.half is Half.DEVELOPMENT]
    step = 7 if len(candidates) % 7 else 5
    found = []
    for index in range(len(candidates)):
        one = candidates[index * step % len(candidates)]
        if len(one.text) > LONGEST:
            continue
        goal = read_alone(one.text, names_of(one.vocabulary))
        if goal.whole and goal.milestones:
            found.append(Read(one.text, names_of(one.vocabulary), goal))
        if len(found) == most:
            break
    return found


@cache
def sentences(name: str, folder: Path | None, most: int = SENTENCES) -> tuple[Read, ...]:
    if folder is None:
        return tuple(read_whole(read_own_set(name), most))
    if name == 'WAH-NL':
        wah = read_wah_nl(folder / 'wah_nl_train', folder / 'wah_graphs', every=20)
        return tuple(read_whole(wah, most))
    alfred = read_alfred(folder / 'alfred_traj', folder / 'alfred_layouts')
    return tuple(read_whole(alfred, most))


def remarks(goal: Goal) -> list[str]:
    """Words that only describe the one thing or place there is; shown and not asked about."""
    left = goal.form.cannot_say if goal.form is not None else ()
    why = (
        'no name or state says so',
        'which of several places it is cannot be told',
        'it says by when',
    )
    return [one.words for one in left if one.why in why and one.words in goal.plainly]


def faults(change: str, one: Read, number: int) -> Iterator[str]:
    """What a change should have changed, and has not. :param number: of the sentence."""
    denies = change in ('negated', 'said_otherwise', 'cancelled')
    texts = list(dict.fromkeys(CHANGES[change](one.text, one.names)))
    if change == 'clause_put_in':
        # There are seventy, and nine sets: each is put into one sentence of a set.
        texts = texts[number::SENTENCES]
    for text in texts:
        if text.strip() == one.text.strip():
            continue
        goal = read_alone(text, one.names)
        rest = one.text.partition('. ')[2] if change == 'negated' else ''
        if rest and asked(goal) == asked(read_alone(rest, one.names)):
            # The first sentence is denied, and the others say the same: "... bring it back".
            continue
        told = f'{text!r} is {goal.means!r}, of {one.text!r}'
        # "in" and "from" say the same of a place where a thing lies.
        lies = change == 'preposition_changed' and one.goal.sources
        if goal.whole and asked(goal) == asked(one.goal) and not (lies or remarks(goal)):
            yield f'the same: {told}'
        elif denies and goal.whole and is_one_clause(one.text) and wished(goal):
            yield f'asks for what is denied: {told}'
        elif change == 'negated' and is_one_clause(one.text) and wished(goal):
            yield f'asks in part for what is denied: {told}'


def folder_of(name: str, request: pytest.FixtureRequest) -> Path | None:
    """Where the set is; None for one that comes with the project. Skips where it is absent."""
    if name in own_sets():
        return None
    folder: Path = request.getfixturevalue('shared_data')
    needed = folder / ('wah_nl_train' if name == 'WAH-NL' else 'alfred_traj')
    need_data(needed)
    return folder


SETS = (
    *own_sets(),
    *(pytest.param(name, marks=needs('shared data')) for name in ('WAH-NL', 'ALFRED')),
)


@pytest.mark.parametrize('name', SETS)
@pytest.mark.parametrize('change', CHANGES)
def test_a_changed_sentence_has_another_goal_or_is_whole_no_longer(
    name: str, change: str, request: pytest.FixtureRequest
) -> None:
    found = sentences(name, folder_of(name, request))
    assert len(found) == SENTENCES
    wrong = [fault for number, one in enumerate(found) for fault in faults(change, one, number)]
    assert not wrong, '\n'.join(wrong[:20])


@pytest.mark.parametrize('name', SETS)
def test_steps_in_the_other_order_are_another_goal(
    name: str, request: pytest.FixtureRequest
) -> None:
    found = sentences(name, folder_of(name, request), PAIRS + 1)
    wrong = []
    for first, second in pairwise(found):
        if first.names is not second.names or wished(first.goal) == wished(second.goal):
            continue
        texts = [one.text.strip().rstrip('.!? ') for one in (first, second)]
        forward, backward = (
            read_alone(f'First, {a}. Then {b[0].lower()}{b[1:]}.', first.names)
            for a, b in (texts, texts[::-1])
        )
        if forward.whole and backward.whole and asked(forward) == asked(backward):
            wrong.append(f'{forward.text!r} and {backward.text!r} are {forward.means!r}')
    assert not wrong, '\n'.join(wrong)
