"""The robots of a team seen as one robot that can do what any of them can."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from reactree_core.observation import Observation, Vocabulary
from reactree_core.ports import Listed


def whole_of(listed: Sequence[Listed]) -> tuple[Vocabulary, Observation]:
    """What the robots can do and name together, and what the first of them sees.

    :param listed: 1 or more robots. Where they declare a skill differently, the first one counts.
    """
    all_ = [one.vocabulary for one in listed]
    first = listed[0]
    vocabulary = replace(
        first.vocabulary,
        templates=_union(one.templates for one in all_),
        object_classes=_union(one.object_classes for one in all_),
        place_classes=_union(one.place_classes for one in all_),
        rooms=_union(one.rooms for one in all_),
        skill_types=tuple(
            {one.template: one for vocabulary in reversed(all_) for one in vocabulary.skill_types}[
                template
            ]
            for template in _union(
                (one.template for one in vocabulary.skill_types) for vocabulary in all_
            )
        ),
        other_classes=_union(one.other_classes for one in all_),
        other_words=tuple(dict.fromkeys(words for one in all_ for words in one.other_words)),
        states=_union(one.states for one in all_),
        numbers=_union(one.numbers for one in all_),
    )
    return vocabulary, replace(first.observation, who=first.who)


def seen_by_all(seen: Sequence[Observation]) -> Observation:
    """What the first robot sees, with the facts that all robots report. :param seen: 1 or more."""
    facts = {fact.name: fact for one in reversed(seen) for fact in one.facts}
    return replace(seen[0], facts=tuple(facts.values()))


def _union(parts: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts for name in part))
