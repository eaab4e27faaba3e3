"""Actions on a thing that stays where it is: doors, switches, plugs, cleaning, using it.

The order of the conditions is that of VirtualHome's own executor: the first that fails is told.
"""

from __future__ import annotations

from sim_bridge.worlds.household.programs import conditions as need
from sim_bridge.worlds.household.programs.actions.action import acting
from sim_bridge.worlds.household.programs.actions.action import Action
from sim_bridge.worlds.household.programs.actions.action import swapping
from sim_bridge.worlds.household.programs.stage import Stage

# Doors, switches, plugs


def _against_open(stage: Stage, thing: int) -> str:
    return need.first(
        need.openable(stage, thing),
        need.close(stage, thing),
        need.empty_hand(stage),
        need.in_state(stage, thing, 'CLOSED'),
        need.not_in_state(stage, thing, 'ON', 'is still on'),
    )


def _against_close(stage: Stage, thing: int) -> str:
    # Closing takes no free hand.
    return need.first(
        need.openable(stage, thing),
        need.close(stage, thing),
        need.in_state(stage, thing, 'OPEN'),
    )


def _against_switch(stage: Stage, thing: int, state: str) -> str:
    return need.first(
        need.having(stage, thing, ('HAS_SWITCH',), 'does not have a switch'),
        need.close(stage, thing),
        need.in_state(stage, thing, state),
    )


def _against_switch_on(stage: Stage, thing: int) -> str:
    plugged = need.not_in_state(stage, thing, 'PLUGGED_OUT', 'is unplugged')
    return need.first(_against_switch(stage, thing, 'OFF'), plugged)


def _against_switch_off(stage: Stage, thing: int) -> str:
    return _against_switch(stage, thing, 'ON')


def _plugging(old: str, new: str) -> Action:
    """PLUGIN and PLUGOUT."""
    return swapping(
        lambda stage, thing: need.first(
            need.having(stage, thing, ('HAS_PLUG',), 'does not have a plug'),
            need.close(stage, thing),
            need.empty_hand(stage),
            need.in_state(stage, thing, old),
        ),
        old,
        new,
    )


# Using things


def _moving(action: str) -> Action:
    """PUSH, PULL and MOVE."""
    return acting(
        lambda stage, thing: need.first(
            need.movable(stage, thing, action),
            need.close(stage, thing),
            need.reachable(stage, thing),
            need.empty_hand(stage),
        )
    )


def _using(names: tuple[str, ...], lack: str) -> Action:
    """Something done with a held thing of some kind."""
    return acting(
        lambda stage, thing: need.first(
            need.having(stage, thing, names, lack), need.holding(stage, thing)
        )
    )


def _against_wipe(stage: Stage, thing: int) -> str:
    return need.first(need.close(stage, thing), need.something_held(stage))


def _against_eat(stage: Stage, thing: int) -> str:
    return need.first(need.close(stage, thing), need.eatable(stage, thing))


def _against_cut(stage: Stage, thing: int) -> str:
    return need.first(
        need.empty_hand(stage),
        need.close(stage, thing),
        need.having(stage, thing, ('EATABLE',), 'is not eatable'),
        need.having(stage, thing, ('CUTTABLE',), 'is not cuttable'),
        need.knife_held(stage),
    )


def _against_type(stage: Stage, thing: int) -> str:
    return need.first(need.close(stage, thing), need.typed_on(stage, thing))


def _against_touch(stage: Stage, thing: int) -> str:
    return need.first(need.close(stage, thing), need.reachable(stage, thing))


def _against_squeeze(stage: Stage, thing: int) -> str:
    return need.first(
        need.empty_hand(stage), need.close(stage, thing), need.squeezable(stage, thing)
    )


_WASH = swapping(need.close, 'DIRTY', 'CLEAN')

HANDLING: dict[str, Action] = {
    'OPEN': swapping(_against_open, 'CLOSED', 'OPEN'),
    'CLOSE': swapping(_against_close, 'OPEN', 'CLOSED'),
    'SWITCHON': swapping(_against_switch_on, 'OFF', 'ON'),
    'SWITCHOFF': swapping(_against_switch_off, 'ON', 'OFF'),
    'PLUGIN': _plugging('PLUGGED_OUT', 'PLUGGED_IN'),
    'PLUGOUT': _plugging('PLUGGED_IN', 'PLUGGED_OUT'),
    'WIPE': swapping(_against_wipe, 'DIRTY', 'CLEAN'),
    'WASH': _WASH,
    'RINSE': _WASH,
    'SCRUB': _WASH,
    'DRINK': _using(('DRINKABLE', 'RECIPIENT'), 'is not drinkable or not recipient'),
    'READ': _using(('READABLE',), 'is not readable'),
    'EAT': acting(_against_eat),
    'CUT': acting(_against_cut),
    'TYPE': acting(_against_type),
    'TOUCH': acting(_against_touch),
    'SQUEEZE': acting(_against_squeeze),
    'PUSH': _moving('PUSH'),
    'PULL': _moving('PULL'),
    'MOVE': _moving('MOVE'),
}
