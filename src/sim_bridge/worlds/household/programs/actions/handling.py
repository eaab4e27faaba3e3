"""Actions on a thing that stays where it is: doors, switches, plugs, cleaning, using it.

The order of the conditions is that of VirtualHome's own executor: the first that fails is given.
"""

from __future__ import annotations

from sim_bridge.worlds.household.programs import conditions as need
from sim_bridge.worlds.household.programs.actions.action import acting, Action, swapping
from sim_bridge.worlds.household.programs.stage import Stage

# Doors, switches, plugs


def _check_open(home: Stage, thing: int) -> str:
    return (
        need.openable(home, thing)
        or need.close(home, thing)
        or need.empty_hand(home)
        or need.in_state(home, thing, 'CLOSED')
        or need.not_in_state(home, thing, 'ON', 'is still on')
    )


def _check_close(home: Stage, thing: int) -> str:
    # Closing takes no free hand.
    return (
        need.openable(home, thing) or need.close(home, thing) or need.in_state(home, thing, 'OPEN')
    )


def _check_switch(home: Stage, thing: int, state: str) -> str:
    return (
        need.having(home, thing, ('HAS_SWITCH',), 'does not have a switch')
        or need.close(home, thing)
        or need.in_state(home, thing, state)
    )


def _check_switch_on(home: Stage, thing: int) -> str:
    plugged = need.not_in_state(home, thing, 'PLUGGED_OUT', 'is unplugged')
    return _check_switch(home, thing, 'OFF') or plugged


def _check_switch_off(home: Stage, thing: int) -> str:
    return _check_switch(home, thing, 'ON')


def _plugging(old: str, new: str) -> Action:
    """PLUGIN and PLUGOUT."""
    return swapping(
        lambda home, thing: (
            need.having(home, thing, ('HAS_PLUG',), 'does not have a plug')
            or need.close(home, thing)
            or need.empty_hand(home)
            or need.in_state(home, thing, old)
        ),
        old,
        new,
    )


# Using things


def _moving(action: str) -> Action:
    """PUSH, PULL and MOVE."""
    return acting(
        lambda home, thing: (
            need.movable(home, thing, action)
            or need.close(home, thing)
            or need.reachable(home, thing)
            or need.empty_hand(home)
        )
    )


def _using(names: tuple[str, ...], lack: str) -> Action:
    """Something done with a held thing of some kind."""
    return acting(
        lambda home, thing: need.having(home, thing, names, lack) or need.holding(home, thing)
    )


def _check_wipe(home: Stage, thing: int) -> str:
    return need.close(home, thing) or need.something_held(home)


def _check_eat(home: Stage, thing: int) -> str:
    return need.close(home, thing) or need.eatable(home, thing)


def _check_cut(home: Stage, thing: int) -> str:
    return (
        need.empty_hand(home)
        or need.close(home, thing)
        or need.having(home, thing, ('EATABLE',), 'is not eatable')
        or need.having(home, thing, ('CUTTABLE',), 'is not cuttable')
        or need.knife_held(home)
    )


def _check_type(home: Stage, thing: int) -> str:
    return need.close(home, thing) or need.typed_on(home, thing)


def _check_touch(home: Stage, thing: int) -> str:
    return need.close(home, thing) or need.reachable(home, thing)


def _check_squeeze(home: Stage, thing: int) -> str:
    return need.empty_hand(home) or need.close(home, thing) or need.squeezable(home, thing)


_WASH = swapping(need.close, 'DIRTY', 'CLEAN')

HANDLING: dict[str, Action] = {
    'OPEN': swapping(_check_open, 'CLOSED', 'OPEN'),
    'CLOSE': swapping(_check_close, 'OPEN', 'CLOSED'),
    'SWITCHON': swapping(_check_switch_on, 'OFF', 'ON'),
    'SWITCHOFF': swapping(_check_switch_off, 'ON', 'OFF'),
    'PLUGIN': _plugging('PLUGGED_OUT', 'PLUGGED_IN'),
    'PLUGOUT': _plugging('PLUGGED_IN', 'PLUGGED_OUT'),
    'WIPE': swapping(_check_wipe, 'DIRTY', 'CLEAN'),
    'WASH': _WASH,
    'RINSE': _WASH,
    'SCRUB': _WASH,
    'DRINK': _using(('DRINKABLE', 'RECIPIENT'), 'is not drinkable or not recipient'),
    'READ': _using(('READABLE',), 'is not readable'),
    'EAT': acting(_check_eat),
    'CUT': acting(_check_cut),
    'TYPE': acting(_check_type),
    'TOUCH': acting(_check_touch),
    'SQUEEZE': acting(_check_squeeze),
    'PUSH': _moving('PUSH'),
    'PULL': _moving('PULL'),
    'MOVE': _moving('MOVE'),
}
