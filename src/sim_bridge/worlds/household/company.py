"""Several characters in one household, of which one acts at a time.

The state is seen with the eyes of the one that acts: where it stands, what it holds and what it
went to last are its own; what was seen is known to all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.household.names import Names
from sim_bridge.worlds.household.roles import Roles
from sim_bridge.worlds.household.state import HouseholdState
from sim_bridge.worlds.household.visibility import RobotPosition

#: In one home.
MOST_CHARACTERS = 8


@dataclass(slots=True)
class Companion:
    """One of them.

    :param node_id: in the graph. :param stand: where it stands, while it does not act.
    :param receptacle: as in HouseholdState. :param hands: as in SceneGraph.
    :param carried: as in Sight.
    """

    node_id: int
    stand: RobotPosition
    receptacle: int | None = None
    hands: dict[str, int] = field(default_factory=dict)
    carried: list[int] = field(default_factory=list)


State = TypeVar('State', bound=HouseholdState)
One = TypeVar('One', bound=Companion)


class Company(Generic[State, One]):
    """A household and its characters.

    :param state: with one character. :param first: that one.

    Public: `state` (with the eyes of the one that acts, the first unless within `acting`),
    `members`, `active` (number of who acts), `me` (who acts).
    """

    def __init__(self, state: State, first: One) -> None:
        self.state = state
        self.members = [first]
        self._active = 0

    @property
    def active(self) -> int:
        """Number of who acts."""
        return self._active

    @property
    def me(self) -> One:
        """Who acts."""
        return self.members[self._active]

    def new_place(self, room: int) -> tuple[int, RobotPosition]:
        """Room for one more: the id of its node, and where it stands.

        :raises ConfigurationError: there are as many as there can be.
        """
        if len(self.members) >= MOST_CHARACTERS:
            raise ConfigurationError(f'a home has at most {MOST_CHARACTERS} characters')
        state, nodes = self.state, self.state.graph.nodes
        wanted = len(self.members) + 1
        new = wanted if wanted not in nodes else max(nodes) + 1
        state.graph.join(new, room)
        state.roles[new] = Roles()
        state.names = Names(nodes)
        return new, RobotPosition(room)

    @contextmanager
    def acting(self, who: int) -> Iterator[State]:
        """Let one of them act, then the one before again."""
        before = self._active
        self._become(who)
        try:
            yield self.state
        finally:
            self._become(before)

    def _become(self, who: int) -> None:
        if who == self._active:
            return
        state, last, me = self.state, self.me, self.members[who]
        last.stand, last.receptacle, last.hands = state.stand, state.receptacle, state.graph.hands
        state.graph.become(me.node_id, me.hands)
        last.carried = state.sight.carry(me.carried)
        state.stand, state.receptacle = me.stand, me.receptacle
        self._active = who
