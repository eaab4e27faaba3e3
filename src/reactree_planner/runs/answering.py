"""Answers to questions, from what the run knows: each with its source and time.

    How many crates are on the dock?      2: crate 1, crate 2 (last seen 31 s ago).
    Is there any oil left?                Not known: no oil was seen. Not looked at: shed.

Of a place that was not looked at nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reactree_core.belief import ago, holds, Verdict, why
from reactree_core.observation import ObjectFact
from reactree_core.skill_types import Effect, is_of_class, Relation
from reactree_core.working_memory import sighting_sentence
from reactree_planner.reading.form import FormCondition, Inquiry
from reactree_planner.runs.run_belief import RunBelief

#: Most things that an answer names.
_MOST_TOLD = 8


class Answers:
    """Answers questions of one run.

    :param belief: of the run. :param recall: what is known of the things of a class, also by the
        memory.
    """

    def __init__(self, belief: RunBelief, recall: Callable[[str], Sequence[ObjectFact]]) -> None:
        self._belief = belief
        self._facts = belief.facts
        self._recall = recall

    def answer(self, question: Inquiry) -> str:
        """The answer as sentences for a person."""
        about = question.about
        if about.relation == 'is':
            text = self._state(about)
        elif question.ask == 'what':
            text = self._contents(about.value or '')
        elif question.ask == 'where' or about.relation not in ('in', 'near'):
            text = self._where(about.thing or '')
        else:
            text = self._number(about, question.ask == 'how many')
        looks = ' To have it looked at, send the robot there first.' if question.look else ''
        return f'{text}{looks}'

    def _state(self, about: FormCondition) -> str:
        known = []
        for fact in self._recall(about.thing or ''):
            effect = Effect(Relation.IS, fact.name, about.value or '', about.holds)
            verdict = holds(self._facts.evidence, effect, self._facts.now)
            if verdict.holds is not None:
                no = '' if verdict.holds is about.holds else 'not '
                known.append(f'{fact.name} is {no}{about.value}{self._since(verdict)}.')
        return ' '.join(known[:_MOST_TOLD]) or (
            f'Not known: nobody has seen whether the {about.thing} is {about.value}.'
        )

    def _where(self, thing: str) -> str:
        told = [self._told(one) for one in self._recall(thing)[:_MOST_TOLD]]
        return ' '.join(told) or f'No {thing} was seen. {self._unseen("")}'.strip()

    def _number(self, about: FormCondition, counts: bool) -> str:
        place = about.value or ''
        facts = self._recall(about.thing or '')
        found = [one for one in facts if not place or is_of_class(one.receptacle, place)]
        told = ' '.join(map(self._told, found[:_MOST_TOLD]))
        unseen = self._unseen(place)
        if found:
            least = 'At least ' if unseen and counts else ''
            return f'{least}{len(found)}. {told}' if counts else f'Yes. {told}'
        if unseen:
            return f'Not known: no {about.thing} was seen{_at(place)}. {unseen}'
        return f'{"0" if counts else "No"}: no {about.thing} was seen{_at(place)}.'

    def _contents(self, place: str) -> str:
        found = [
            one
            for name in self._belief.names.words.names
            for one in self._recall(name)
            if is_of_class(one.receptacle, place)
        ]
        told = ' '.join(dict.fromkeys(map(self._told, found[:_MOST_TOLD])))
        return told or self._unseen(place) or f'Nothing was seen{_at(place)}.'

    def _unseen(self, place: str) -> str:
        """Places of a class, or all that may hold things, that were not looked at."""
        unseen = sorted(self._not_looked_at(place))[:_MOST_TOLD]
        return f'Not looked at: {", ".join(unseen)}.' if unseen else ''

    def _not_looked_at(self, place: str) -> Iterator[str]:
        looked = self._facts.looked
        if place and not any(is_of_class(one, place) for one in looked):
            yield place
        elif not place:
            yield from (one for one in self._facts.visited if one not in looked)

    def _told(self, fact: ObjectFact) -> str:
        where = Effect(Relation.IN, fact.name, fact.receptacle)
        verdict = holds(self._facts.evidence, where, self._facts.now)
        return sighting_sentence(fact).removesuffix('.') + f'{self._since(verdict)}.'

    def _since(self, verdict: Verdict) -> str:
        """Source and time of what is known, where it is not seen now."""
        text = why(verdict, self._facts.now)
        if not text and verdict.evidence:
            past = self._facts.now - verdict.evidence[0].time
            text = f'seen {ago(past)}' if past >= 1.0 else ''
        return f' ({text})' if text else ''


def _at(place: str) -> str:
    return f' in or on the {place}' if place else ''
