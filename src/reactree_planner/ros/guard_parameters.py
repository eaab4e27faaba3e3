"""Parameters of the guards, a switch each, and what they become."""

from __future__ import annotations

from types import SimpleNamespace

from reactree_core.ros.parameters import ParameterSpec
from reactree_planner.planners.settings import Guards
from reactree_planner.planners.settings import Preset

_GUARDS = {
    'admissible_only': 'Offer only skills that can succeed now; off: the published wider set.',
    'repeat_guard': 'Do not offer again what a node has done until something changed.',
    'skip_explored': 'Do not offer places looked at before; recall tells where was looked.',
    'sighted_first': 'While what the goal wants is in sight, search nothing else.',
    'finish_looking': 'Do not walk away from what can be opened and was not looked into.',
    'take_first': 'A robot that holds nothing takes what the goal wants before it goes on.',
    'failure_guard': 'Offer `failure` only when nothing is left to look at.',
    'done_guard': 'Offer `done` only after what the goal asks was done, or after an effect.',
    'known_subgoals': 'Subgoals may only name known things.',
    'cover_goal': 'Subgoals of a sequence or parallel name what their goal names, as often.',
    'complete_search': 'A search over regions or places gets the unseen regions it leaves out.',
    'search_order': 'Search regions in the order in which the model expects the thing.',
    'no_ancestor_goal': "Refuse subgoals equal to their own or an ancestor's goal.",
    'two_parts': 'Below the root, split a goal in two subgoals or more, or act on it.',
    'first_thought': 'Every node begins with a thought; never two in a row.',
    'thought_on_goal': 'Think again when a first thought is about things that no goal names.',
    'named_only': 'Handle and recall only what the goals name.',
    'enough_in_hand': 'Take no more of a thing than the goal wants of it.',
    'stay_in_scope': 'A goal that names regions is pursued in them.',
    'follow_recall': 'Go where the thing that is searched was seen, once that was recalled.',
    'end_search': 'A search of certain places fails once nothing there is left to see.',
    'carry_straight': 'Bring what is held to its place without looking into others on the way.',
    'keep_effects': 'Do not take again what this run has put in its place.',
    'same_place': 'A place named without a number stays the one first used for it.',
    'no_undo': 'A node does not take back what it has done.',
    'choose_examples': 'Choose examples by kind of goal, situation and termination.',
    'goal_match': 'Take an admissible skill that the goal literally asks for.',
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
