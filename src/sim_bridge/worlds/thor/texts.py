"""What the robot is given, in the words of ReAcTree's ALFRED environment.

`published` is to the letter, with its spaces, repeated names and empty texts. `plain` has the same
words, tidied, and says something where the other says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.names import Names

PUBLISHED, PLAIN = 'published', 'plain'
STYLES = (PUBLISHED, PLAIN)
_STOPS = re.compile(r'\.\.+')


class Texts:
    """Texts about things that are named by `names`.

    :param style: published or plain.
    :raises ConfigurationError: it is neither.
    """

    def __init__(self, style: str, names: Names) -> None:
        if style not in STYLES:
            raise ConfigurationError(f'texts must be one of {", ".join(STYLES)}, not {style!r}')
        self._published = style == PUBLISHED
        self._names = names

    def finished(self, text: str, held: str) -> str:
        """A text with its end, which says what is held.

        :param held: id of it; '' for nothing.
        """
        if held:
            text = f'{text} I am holding {self._names.of(held)} now.'
        if self._published:
            return text
        return _STOPS.sub('.', ' '.join(text.split()))

    def start(self, room: str, fixed: Iterable[str]) -> str:
        """What is told first, and to every node of a tree.

        :param room: e.g. 'kitchen'. :param fixed: receptacles that stay where they are.
        """
        return (
            f'You are in the house, and you arrive at the {room}, Looking quickly around the '
            f'room, you see {self._names.listed(fixed)}.'
        )

    def _seen(self, visible: Sequence[str]) -> str:
        """Without its full stop."""
        if not visible and not self._published:
            return 'There are no visible objects'
        shown = visible if self._published else list(dict.fromkeys(visible))
        return f'You see {self._names.listed(shown)}'

    def unknown(self, name: str) -> str:
        """Nothing has this name."""
        return f'Cannot find {name}'

    # Going -------------------------------------------------------------------------------

    def arrived(
        self, name: str, visible: Sequence[str], receptacle: bool, already: bool = False
    ) -> str:
        """After going to a thing; what it is is given by `states`.

        :param already: it was visible and near before.
        """
        seen = self._seen(visible)
        if not visible and not already:
            seen = 'There are no visible objects.'
        if already:
            return f'You already arrive at {name}. {seen}. '
        return f'You arrive at {name}. {seen}. ' if receptacle else f'{seen}. '

    def not_reached(self, name: str) -> str:
        """All tries failed."""
        return f'Cannot move to {name}. '

    def states(self, name: str, is_open: bool | None, is_on: bool) -> str:
        """What is told of a thing after going there.

        :param is_open: None where it cannot be opened.
        """
        text = '' if is_open is None else f'{name} is {"open" if is_open else "closed"}. '
        return text + (f'{name} is already turned on. ' if is_on else '')

    # What succeeded ----------------------------------------------------------------------

    def done(self, what: str, visible: Sequence[str]) -> str:
        """E.g. 'You open Fridge (1). You see ...'. :param what: e.g. 'open Fridge (1)'."""
        return f'You {what}. {self._seen(visible)}.'

    def sliced(self, name: str, visible: Sequence[str], pieces: Sequence[str]) -> str:
        """After slicing. :param pieces: all pieces of all that was sliced."""
        return f'You slice {name}. {self._seen(visible)}. {self._names.listed(pieces)} are sliced.'

    def dropped(self, visible: Sequence[str]) -> str:
        """What was held lies somewhere."""
        return f'You put down failed, drop it. {self._seen(visible)}.'

    def not_dropped(self, visible: Sequence[str]) -> str:
        """The hand did not let go."""
        return f'Drop action failed. {self._seen(visible)}.'

    # What failed -------------------------------------------------------------------------

    def not_close(self, name: str) -> str:
        """Too far away, or out of sight."""
        return f'The {name} is not close to you.'

    def not_for_that(self, name: str, how: str) -> str:
        """No thing of that sort. :param how: 'pick up', 'opened', 'closed', 'turn on', ..."""
        return f'The {name} cannot be {how}.'

    def already(self, name: str, what: str) -> str:
        """It is so. :param what: 'is already open', 'already turn on', ..."""
        return f'The {name} {what}.'

    def hand_full(self, held: str) -> str:
        """Something else is held."""
        return f'You are currently holding {held}.'

    def nothing_held(self, visible: Sequence[str] | None) -> str:
        """The hand is empty. :param visible: None at a receptacle, where it is not given."""
        if visible is None:
            return 'You do not holding any object.'
        return f'You are not holding any object. {self._seen(visible)}.'

    def failed(self, name: str, how: str, reason: str = '') -> str:
        """It went wrong. :param how: e.g. 'slice failed'. :param reason: told instead."""
        return reason or f'The {name} {how}.'

    def silent(self, name: str, how: str) -> str:
        """Nothing is given. :param how: what could not be done, e.g. 'picked up'."""
        return '' if self._published else f'The {name} cannot be {how} here.'

    # Recall ------------------------------------------------------------------------------

    def recalled(
        self, asked: str, seen: Sequence[tuple[str, str]], held: str, dropped: str
    ) -> str:
        """Where things of a class were seen.

        :param asked: the class. :param seen: names, each with its place.
        :param held: the place that stands for the hand. :param dropped: that for what was dropped.
        """
        if not seen:
            return f'You have not seen {asked} before.'
        sentences = []
        for name, place in seen:
            if place == dropped:
                sentence = (
                    f'You dropped {asked} due to fail to put it on the receptacle. You need to '
                    'find it again.'
                )
            elif place == held and not self._published:
                sentence = f'You are holding {name}.'
            else:
                sentence = f'You saw {name} near {place}.'
            sentences.append(sentence)
        return ' '.join(sentences)
