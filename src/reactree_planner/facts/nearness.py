"""Nearness: from where a thing can be handled, by where it lies or may come to lie.

These facts follow from others by themselves, by operators without a skill.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from reactree_planner.facts.belief import Belief
from reactree_planner.facts.fillers import Fillers, MOST_FILLERS
from reactree_planner.facts.operators import AnyOf, Fact, following, Operator, unshut
from reactree_planner.facts.skills import Sort
from reactree_planner.facts.things import HAND


class Nearness:
    """By what is known, and where skills may bring things.

    :param wanted: facts that are asked for so far; whoever asks adds to them.
    """

    def __init__(self, belief: Belief, fillers: Fillers, wanted: Set[Fact]) -> None:
        self._belief = belief
        self._fillers = fillers
        self._wanted = wanted
        #: Places where each thing may come to be.
        self._places: dict[str, dict[str, None]] = {}

    def of(self, name: str) -> Iterator[Operator]:
        """From where a thing can be handled: these follow by themselves."""
        belief = self._belief
        sort = belief.sort(name)
        at, near = ('at', name), ('near', name)
        if sort is not Sort.THING and not belief.holder(name):
            places = [name]
            thing = belief.things.get(name)
            if thing is not None and thing.beside and name not in belief.moves:
                places.append(thing.beside)
            yield following((tuple(('at', place) for place in places),), near)
            room = belief.room_of(name)
            if room and not any(move for one in places for move in self._fillers.moves_to(one)):
                # Where robots only change regions, all in a region is in reach.
                yield following(((('room', room),),), near)
            return
        if name in belief.moves and belief.sort(name) is Sort.THING:
            if name not in belief.held:
                yield following(((at,), (('in', name, self._now_in(name)),)), near)
        elif name in belief.moves:
            yield following(((at,),), near)
        if sort in (Sort.THING, Sort.OTHER, None):
            yield following(((('in', name, HAND),),), near)
        for place in self.places_of(name):
            yield from self._lying(name, place)

    def _lying(self, name: str, place: str) -> Iterator[Operator]:
        """Be near a thing where it lies, with that open where it hides what is in it."""
        belief = self._belief
        if place == HAND or not place:
            return
        thing = belief.things.get(name)
        needs: list[AnyOf] = [(('in', name, place),)]
        if place.startswith('~'):
            if thing is not None and thing.beside:
                yield following((*needs, (('at', thing.beside),)), ('near', name))
            return
        spot, then = thing.reached if thing is not None else ('', '')
        # It may be out of sight from where its place is gone to.
        needs.append((('at', spot),) if spot and then == place else (('near', place),))
        needs += () if belief.is_in_reach_of(place) else unshut(belief, place)
        yield following(tuple(needs), ('near', name))

    def _now_in(self, name: str) -> str:
        """Where a thing is now; a place of no name where only its surroundings are known."""
        return str(self._belief.value(('in', name)))

    def places_of(self, name: str) -> list[str]:
        """Where a thing is, and may come to be."""
        known = self._places.setdefault(name, {})
        known.setdefault(self._now_in(name), None)
        return list(known)

    def comes_to(self, name: str, place: str) -> Iterator[Operator]:
        """Know that a thing may come to lie in a place, from where it can be taken."""
        self.places_of(name)
        if place not in self._places[name]:
            self._places[name][place] = None
            if ('near', name) in self._wanted:
                yield from self._lying(name, place)

    def within(self, thing: str, place: str) -> Iterator[Operator]:
        """A place has it: in itself, or in what is there."""
        belief = self._belief
        now = self._now_in(thing)
        if place in belief.rooms:
            inside = [
                name
                for name in belief.things
                if belief.room_of(name) == place and belief.sort(name) is Sort.PLACE
            ]
            yield following(((('in', thing, place),),), ('within', thing, place))
            if belief.room_of(thing) == place and now != HAND:
                yield following(((('in', thing, now),),), ('within', thing, place))
        else:
            inside = [place, *(name for name in (now,) if place in belief.holders(thing))]
        near = sorted(inside, key=lambda name: (belief.is_shut(name), name != belief.at))
        for holder in near[: MOST_FILLERS + 1]:
            yield following(((('in', thing, holder),),), ('within', thing, place))
