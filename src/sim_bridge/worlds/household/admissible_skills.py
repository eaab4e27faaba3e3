"""Which skills to offer: those that can succeed now, and the wider published set.

Both are sorted. The state keeps their parts until something in the room changes, because a planner
asks for one after every skill.
"""

from __future__ import annotations

from collections.abc import Iterable

from sim_bridge.worlds.household.skills import (
    CLOSE,
    Command,
    failed_precondition,
    GO_TO,
    OPEN,
    PICK_UP,
    PUT_DOWN,
    TURN_ON,
)
from sim_bridge.worlds.household.state import HouseholdState

_Handled = tuple[list[str], list[str], list[str], list[str]]


class SkillEnumerator:
    """The lists of one episode."""

    def __init__(self, state: HouseholdState) -> None:
        self._state = state
        names = state.names.name
        self._go = {key: f'{GO_TO} {name}' for key, name in names.items()}
        self._text = {
            verb: {key: f'{verb} {name}' for key, name in names.items()}
            for verb in (CLOSE, OPEN, PICK_UP, PUT_DOWN, TURN_ON)
        }

    def admissible(self) -> tuple[str, ...]:
        """Skills that succeed now; see the port."""
        state, stand = self._state, self._state.stand
        here = self._go[stand.room if stand.target is None else stand.target]
        ways = [way for way in state.keep('ways', self._ways) if way != here]
        carried = state.sight.carried()
        if carried:
            ways = sorted((*ways, *(self._go[key] for key in carried)))
        puts = self._puts()
        if not state.has_free_hand:
            return (*ways, *puts)
        closes, opens, grabs, switches = state.keep(('near', stand.fixture), self._near)
        if state.held:
            own = self._handle((*carried, *state.held))
            closes, opens, grabs, switches = (
                sorted((*near, *mine))
                for near, mine in zip((closes, opens, grabs, switches), own, strict=True)
            )
        return (*closes, *ways, *opens, *grabs, *puts, *switches)

    def candidates(self) -> tuple[str, ...]:
        """Everything visible with every skill its class is listed for (WAH-NL's decoding set)."""
        state = self._state
        shown = state.keep('candidates', lambda: self._candidates(state.sight.visible(state.room)))
        rooms = (self._go[room] for room in state.rooms)
        own = self._candidates((*state.sight.carried(), *state.held))
        return tuple(sorted((*rooms, *shown, *own)))

    def _ways(self) -> list[str]:
        """Everything one can go to from anywhere in the room, sorted."""
        state = self._state
        targets = (*state.rooms, *state.sight.visible(state.room))
        return sorted(self._go[key] for key in targets)

    def _puts(self) -> list[str]:
        """Putting down needs the same of everything that is held."""
        held = self._state.held
        if not held or failed_precondition(self._state, Command(PUT_DOWN, held[0])):
            return []
        return sorted(self._text[PUT_DOWN][key] for key in held)

    def _near(self) -> _Handled:
        return self._handle(self._state.sight.close_in_room(self._state.stand))

    def _handle(self, things: Iterable[int]) -> _Handled:
        """What can be done with a free hand: closing, opening, picking up, turning on; sorted."""
        state, text = self._state, self._text
        closes, opens, grabs, switches = [], [], [], []
        for key in things:
            node, roles = state.graph.nodes[key], state.roles[key]
            if roles.grabbable and node.has('GRABBABLE') and key not in state.held:
                if state.sight.shut_in(key) is None:
                    grabs.append(text[PICK_UP][key])
            if roles.openable and node.has('CAN_OPEN'):
                if node.is_open:
                    closes.append(text[CLOSE][key])
                else:
                    opens.append(text[OPEN][key])
            if roles.switchable and node.has('HAS_SWITCH') and 'ON' not in node.states:
                switches.append(text[TURN_ON][key])
        return sorted(closes), sorted(opens), sorted(grabs), sorted(switches)

    def _candidates(self, things: Iterable[int]) -> list[str]:
        skills = []
        for key in things:
            roles = self._state.roles[key]
            skills.append(self._go[key])
            if roles.grabbable:
                skills += (self._text[PICK_UP][key], self._text[PUT_DOWN][key])
            if roles.openable:
                skills += (self._text[OPEN][key], self._text[CLOSE][key])
            if roles.switchable:
                skills.append(self._text[TURN_ON][key])
        return skills
