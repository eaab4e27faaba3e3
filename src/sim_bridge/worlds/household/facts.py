"""What an observation says about objects, for working memory (WAH-NL rules).

A look around a room tells the room only. Arriving and opening tell where everything close is: at
the thing one walked to (or opened). When one walked to something that can be carried off, that is
the fixture it belongs to, from where the same things are close. With `remembered: target` it is
the thing itself, as published.
"""

from __future__ import annotations

from reactree_core.observation import ObjectFact
from reactree_core.working_memory import AGENT
from sim_bridge.worlds.household.state import FIXTURE, HouseholdState, TARGET


class Facts:
    """Makes the facts of one episode; the same fact is made once."""

    def __init__(self, state: HouseholdState) -> None:
        self._state = state
        self._made: dict[tuple[int, int, str, str], ObjectFact] = {}

    def fact(self, node_id: int, receptacle: str = '') -> ObjectFact:
        """What is known of a thing in the robot's room.

        :param receptacle: name with number of what it is in or on; '' unknown.
        """
        state = self._state
        key = (node_id, state.stand.room, receptacle, state.condition(node_id))
        fact = self._made.get(key)
        if fact is None:
            names = state.names
            fact = ObjectFact(
                names.word[node_id],
                names.number[node_id],
                names.name[state.room],
                receptacle,
                key[3],
            )
            self._made[key] = fact
        return fact

    def around(self) -> tuple[ObjectFact, ...]:
        """After a look around a room."""
        return (*self._state.keep('around', self._around), *self.carried())

    def _around(self) -> tuple[ObjectFact, ...]:
        state = self._state
        things = (key for key in state.sight.visible(state.room) if state.roles[key].look)
        # As published, a look replaces what was known more exactly.
        place = state.names.name[state.room] if state.options.remembered == TARGET else ''
        return tuple(self.fact(key, place) for key in things)

    def arrived(self) -> tuple[ObjectFact, ...]:
        """After going to a thing."""
        here = self._here()
        key = ('arrived', self._state.stand.fixture, here)
        return (*self._state.keep(key, lambda: self._close(here)), *self.carried())

    def _close(self, here: int | None) -> tuple[ObjectFact, ...]:
        state = self._state
        return tuple(self._fact_at(key, here) for key in state.sight.close_in_room(state.stand))

    def opened(self, target: int) -> tuple[ObjectFact, ...]:
        """After opening a thing; what is out of its own reach is given at where the robot is."""
        state, here = self._state, self._here()
        if state.options.remembered == TARGET:
            return (*self._close(target), *self.carried())
        if target in state.held:
            return self.carried()
        sight = state.sight
        fixture = sight.fixture[target]
        there = fixture if fixture in state.seen else target
        facts = (
            self._fact_at(key, there if sight.near(fixture, sight.fixture[key]) else here)
            for key in sight.close_in_room(state.stand)
        )
        return (*facts, *self.carried())

    def laid(self, target: int, receptacle: int) -> tuple[ObjectFact, ...]:
        """After putting down, with all that lies on the thing."""
        state = self._state
        name = state.names.name[receptacle]
        things = [key for key in state.graph.subtree(target) if key in state.seen]
        shown = sorted(things, key=state.names.rank.__getitem__)
        return (*(self.fact(key, name) for key in shown), *self.carried())

    def places_seen(self) -> tuple[str, ...]:
        """Receptacles close to the robot whose whole content shows: open, or without a door."""
        return self._state.keep(('places', self._state.stand.fixture), self._places_seen)

    def _places_seen(self) -> tuple[str, ...]:
        state = self._state
        return tuple(
            state.names.name[key]
            for key in state.sight.close_in_room(state.stand)
            if self._is_place(key) and not (state.goes_in(key) and state.is_shut(key))
        )

    def _is_place(self, node_id: int) -> bool:
        """Where things are looked for: furniture and boxes, not every plate."""
        roles = self._state.roles[node_id]
        return roles.receptacle and (roles.look or roles.container)

    def carried(self) -> tuple[ObjectFact, ...]:
        """What the robot has in its hands, and what is on or in that."""
        state = self._state
        if not state.held:
            return ()
        names, root = state.names.name, state.graph.root
        return (
            *(self.fact(key, AGENT) for key in state.held),
            *(self.fact(key, names[root(key)]) for key in state.sight.carried()),
        )

    def _here(self) -> int | None:
        """Where the robot stands: a fixture that can be walked to, else what it walked to."""
        state, stand = self._state, self._state.stand
        if state.options.remembered == TARGET:
            return stand.target
        for one in (stand.fixture, stand.target):
            if one is not None and one in state.seen and state.graph.root(one) not in state.held:
                return one
        return None

    def _fact_at(self, node_id: int, place: int | None) -> ObjectFact:
        if place is None or (place == node_id and self._state.options.remembered == FIXTURE):
            return self.fact(node_id)
        return self.fact(node_id, self._state.names.name[place])
