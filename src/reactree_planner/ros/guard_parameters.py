"""Parameters of the guards, a switch each, and what they become."""

from __future__ import annotations

from types import SimpleNamespace

from reactree_core.ros.parameters import ParameterSpec
from reactree_planner.runs.settings import Guards
from reactree_planner.runs.settings import Preset

_GUARDS = {
    'admissible_only': 'Offer only skills that can succeed now; off: the published wider set.',
    'named_only': 'Handle and recall only what the goals name, and no more than they want.',
    'once_only': 'Do not repeat or take back what was done, until something changed.',
    'whole_search': 'Search the places of the goal, each once, and end when none is left.',
    'go_straight': 'Go to what is in sight or recalled, and bring what is held, before all else.',
    'checked_ends': 'Offer `done` and `failure` only where what was seen does not speak against.',
    'goal_match': 'Take an admissible skill that the goal literally asks for.',
    'cover_goal': 'Subgoals name what their goal names, as often; searches name all regions.',
    'search_order': 'Search regions in the order in which the model expects the thing.',
    'first_thought': 'Every node begins with a thought; never two in a row.',
    'choose_examples': 'Choose examples by kind of goal, situation and termination.',
}

GUARD_PARAMETERS: tuple[ParameterSpec, ...] = (
    ParameterSpec(
        'guards',
        Preset.ALL.value,
        'Which guards hold: all whose switch is on; neutral: of these, none of the domain alone; '
        'none, as published.',
        choices=tuple(preset.value for preset in Preset),
    ),
    *(ParameterSpec(f'guards.{name}', True, text) for name, text in _GUARDS.items()),
)


def guards_of(values: SimpleNamespace) -> Guards:
    """Guards from parameter values."""
    switches = Guards(**{name: getattr(values, f'guards_{name}') for name in _GUARDS})
    return switches.under(Preset(values.guards))
