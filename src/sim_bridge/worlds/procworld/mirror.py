"""What has changed in a house is done in AI2-THOR as well, as far as its program goes along.

Doors are opened and closed, things put where they are now or taken into the hand, and lamps
switched. What is dirty, hot, cold or sliced stays as it was. What the program refuses stays as it
is there until it changes again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reactree_core.errors import SkillError, WorldGoneError
from sim_bridge.worlds.procworld.state import State
from sim_bridge.worlds.thor.client import ThorClient
from sim_bridge.worlds.thor.dialects import Action
from sim_bridge.worlds.thor.metadata import Metadata, succeeded, things_of

#: Where a thing is that is held.
_HAND = 'the hand'
_WHERE, _OPEN, _ON = 'where', 'open', 'on'


class Mirror:
    """What a program shows of a house.

    :param client: has loaded the house. :param ids: of things in the program, by their names.
    :param start: how the house begins. :param shown: what the program reported of it.
    """

    def __init__(
        self, client: ThorClient, ids: Mapping[str, str], start: State, shown: Metadata
    ) -> None:
        self._client = client
        self._ids = with_basins(ids, shown)
        self._where = _places(start)
        self._doors = frozenset(name for name in ids if start.can_open(name))
        self._opened = set(start.opened)
        self._on = _switched_on(start)
        self._held = ''
        #: What was refused: thing -> where it was to be, or what it was to be.
        self._refused: dict[tuple[str, str], str | bool] = {}

    def follow(self, state: State) -> None:
        """Do in the program what has changed since.

        :raises WorldGoneError: the program is gone.
        """
        self._refused = {
            (name, what): value
            for (name, what), value in self._refused.items()
            if value == _wanted(state, name, what)
        }
        self._follow_things(_places(state))
        for name in self._known(self._opened ^ state.opened):
            self._open(name, name in state.opened)
        now = _switched_on(state)
        for name in self._known(self._on ^ now):
            verb = 'ToggleObjectOn' if name in now else 'ToggleObjectOff'
            action = {'action': verb, 'objectId': self._ids[name], 'forceAction': True}
            if self._does(name, _ON, name in now, action):
                self._on ^= {name}

    def _follow_things(self, now: Mapping[str, str]) -> None:
        moved = self._known(
            name
            for name, place in now.items()
            if self._where.get(name) != place
            and (place == _HAND or place in self._ids)
            and not self._is_refused(name, _WHERE, place)
        )
        if moved and self._held and self._held not in moved:
            # There is one hand: what it holds is taken again afterwards.
            moved.append(self._held)
            self._drop()
        # What is held is put away first, what is to be held is taken last.
        for name in sorted(moved, key=lambda one: (one != self._held, now[one] == _HAND)):
            place = now[name]
            if self._held not in ('', name):
                continue
            action = {'action': 'PickupObject', 'objectId': self._ids[name], 'forceAction': True}
            if not self._held and not self._does(name, _WHERE, place, action):
                continue
            self._held, self._where[name] = name, _HAND
            if place != _HAND:
                self._put(name, place)

    def _put(self, name: str, holder: str) -> None:
        """Put what is held in or on something, or on the floor where that is refused."""
        if holder in self._doors - self._opened:
            self._open(holder, True)
        put = self._client.dialect.put(self._ids[name], self._ids[holder])
        if self._does(name, _WHERE, holder, put):
            self._where[name], self._held = holder, ''
        else:
            self._drop()

    def _drop(self) -> None:
        if self._done({'action': 'DropHandObject', 'forceAction': True}):
            self._where[self._held], self._held = '', ''

    def _open(self, name: str, is_open: bool) -> None:
        action = {'action': 'CloseObject', 'objectId': self._ids[name], 'forceAction': True}
        if is_open:
            action = self._client.dialect.open(self._ids[name])
        if self._does(name, _OPEN, is_open, action):
            self._opened ^= {name}

    def _known(self, names: Iterable[str]) -> list[str]:
        """Those that the program has, in an order that is always the same."""
        return sorted(name for name in names if name in self._ids)

    def _is_refused(self, name: str, what: str, wanted: str | bool) -> bool:
        return self._refused.get((name, what)) == wanted

    def _does(self, name: str, what: str, wanted: str | bool, action: Action) -> bool:
        """Whether the program does an action, which is not asked for again where it did not."""
        if self._is_refused(name, what, wanted):
            return False
        done = self._done(action)
        if done:
            self._refused.pop((name, what), None)
        else:
            self._refused[name, what] = wanted
        return done

    def _done(self, action: Action) -> bool:
        try:
            return succeeded(self._client.do(action))
        except WorldGoneError:
            raise
        except SkillError:
            return False


def _places(state: State) -> dict[str, str]:
    """Thing that can be carried -> what it is in or on, the hand, or '' where it stands loose."""
    return {name: _HAND if name == state.held else holder for name, holder in state.holder.items()}


def _wanted(state: State, name: str, what: str) -> str | bool:
    """What is so now: where a thing is, or whether it is open, or on."""
    if what == _WHERE:
        return _HAND if name == state.held else state.holder.get(name, '')
    return name in (state.opened if what == _OPEN else _switched_on(state))


def _switched_on(state: State) -> frozenset[str]:
    return frozenset(name for name, words in state.states.items() if 'on' in words)


def with_basins(ids: Mapping[str, str], shown: Metadata) -> dict[str, str]:
    """Sinks here are what the program calls the basin of a sink."""
    basins = [one['objectId'] for one in things_of(shown) if one['objectType'] == 'SinkBasin']
    return {
        name: next((one for one in basins if one.startswith(object_id)), object_id)
        for name, object_id in ids.items()
    }
