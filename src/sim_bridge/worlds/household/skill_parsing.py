"""From a skill's text to a command, or a sentence that helps to say it better.

`go to` accepts visible objects and any room. For the other skills the names of
all things are understood, as published: that an unseen thing is not close is said by the checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from sim_bridge.worlds.household.skills import Command, GO_TO, TEMPLATES, VERBS
from sim_bridge.worlds.household.state import HouseholdState

_LONGEST_QUOTE = 80
_LONGEST_SKILL = 200
_MATCHES = 3
_EXAMPLES = 6


def parse_skill(state: HouseholdState, skill: str) -> Command | str:
    """What a skill asks for, or why it cannot be taken up; changes nothing.

    :param skill: e.g. 'pick up apple 1'; letter case and extra spaces do not matter.
    """
    verb, name = _split(skill)
    if not verb:
        return f'There is no skill {quote(skill)}. Skills are: {", ".join(TEMPLATES)}.'
    target = state.names.find(name)
    if target is not None and target in state.rooms:
        if verb == GO_TO:
            return Command(verb, target)
        return f'{name} is a room: you can only go to it.'
    if verb == GO_TO and target is not None and target in state.graph.rooms:
        kind = state.graph.nodes[target].class_name
        return (
            f'The published environment has no {kind}, so one cannot go to {name}: '
            "start the world with the option classes: 'properties'."
        )
    if target is None or target in (state.graph.character, *state.graph.rooms):
        return _unknown(state, verb, name)
    if verb == GO_TO and target not in state.seen:
        return _unknown(state, verb, name)
    if verb == GO_TO and not state.can_see(target):
        seen = state.names.name[target]
        return f'You cannot see {seen} from where you are.{_whereabouts(state, target)}'
    return Command(verb, target)


def examples(admissible: Sequence[str]) -> str:
    """A few skills that would work, spread over the list."""
    if not admissible:
        return ''
    step = max(1, len(admissible) // _EXAMPLES)
    return f' Some of what you can do: {", ".join(admissible[::step][:_EXAMPLES])}.'


def quote(text: str) -> str:
    """A text from outside, bounded and printable."""
    plain = ''.join(letter if letter.isprintable() else ' ' for letter in text[:_LONGEST_QUOTE])
    return f"'{plain}{'...' if len(text) > _LONGEST_QUOTE else ''}'"


def _split(skill: str) -> tuple[str, str]:
    """Verb and name; an empty verb when there is none."""
    if len(skill) > _LONGEST_SKILL:
        return '', ''
    words = ' '.join(skill.split())
    for verb in VERBS:
        if words[: len(verb)].casefold() == verb and words[len(verb) : len(verb) + 1] in ('', ' '):
            return verb, words[len(verb) + 1 :]
    return '', ''


def _unknown(state: HouseholdState, verb: str, name: str) -> str:
    known = {state.names.name[key]: key for key in sorted(state.seen)}
    if verb == GO_TO:
        known |= {state.names.name[room]: room for room in state.rooms}
    same_word = [
        one for one, key in known.items() if state.names.word[key].casefold() == name.casefold()
    ]
    near = same_word[:_MATCHES] or get_close_matches(name.casefold(), known, _MATCHES)
    hint = f' Did you mean {" or ".join(f"{verb} {one}" for one in near)}?' if near else ''
    if not name:
        return f"'{verb}' needs a name with its number, as in '{verb} apple 1'.{hint}"
    return f'You have not seen {quote(name)}.{hint}'


def _whereabouts(state: HouseholdState, target: int) -> str:
    """Where to look for a thing that was seen; does not say what happened unseen."""
    room = state.graph.room_of(target)
    if room is None or room == state.room:
        return ''
    return f' It is not in {state.names.name[state.room]}: go to {state.names.name[room]} first.'
