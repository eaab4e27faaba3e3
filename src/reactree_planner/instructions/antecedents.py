"""What was spoken of before, and what a pronoun stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

from reactree_planner.instructions.condition_words import Act
from reactree_planner.instructions.condition_words import REST
from reactree_planner.instructions.condition_words import Verb
from reactree_planner.instructions.condition_words import Words
from reactree_planner.instructions.named_text import Item
from reactree_planner.instructions.named_text import NamedText
from reactree_planner.instructions.names import Mention
from reactree_planner.instructions.names import NameKind


@dataclass
class Clause:
    """What has been read since the last verb.

    :param place: where its things shall be. :param verb_end: index behind its last verb.
    :param emitted: conditions of the text before this clause's last place.
    """

    verbs: list[Verb] = field(default_factory=list)
    group: list[Item] = field(default_factory=list)
    place: Mention | None = None
    verb_end: int = 0
    emitted: int = -1

    @property
    def act(self) -> Act | None:
        """Of the last verb."""
        return self.verbs[-1].act if self.verbs else None

    @property
    def puts(self) -> bool:
        """Whether the last verb puts things somewhere."""
        return self.act in (Act.PUT, Act.BRING)


class Antecedents:
    """What the clauses so far spoke of last.

    `place` is the last place, `opened` the last one that was opened, `things` the last items that
    are no places.
    """

    def __init__(self, text: NamedText, domain: Words) -> None:
        self._text = text
        self._domain = domain
        self._items: tuple[Item, ...] = ()
        self.things: tuple[Item, ...] = ()
        self.place: Mention | None = None
        self.opened: Mention | None = None

    @property
    def items(self) -> tuple[Item, ...]:
        """What was spoken of last."""
        return self._items

    @items.setter
    def items(self, items: tuple[Item, ...]) -> None:
        self._items = items
        things = tuple(item for item in items if not item.is_place)
        self.things = things if things or not items else self.things

    def of_pronoun(self, i: int, now: Clause) -> list[Item] | str:
        """The things that the pronoun at an index stands for; a phrase that cannot be read."""
        word = self._text.words[i]
        if word in REST | {'one'} and len(self._items) == 1:
            return [replace(self._items[0], count=1, told=True, is_new=True)]
        last = self._handled_by(now)
        if word == 'it':
            return meant_by_it(self.place, last, now)
        told = self._text.quantity_before(i - 1) if self._text.word(i - 1) == 'of' else None
        if told is not None and told[0] is None:
            return self._text.phrase(told[1], i + 1)
        if told is not None:
            last = tuple(replace(item, count=told[0] or 1, told=True) for item in last)
        return [replace(item, is_new=False) for item in last]

    def _handled_by(self, now: Clause) -> tuple[Item, ...]:
        """What was spoken of last, of what the verb can handle."""
        is_of_things = any(
            verb.act is Act.STATE and verb.state in self._domain.of_things for verb in now.verbs
        )
        if (is_of_things or now.puts or now.act is Act.TAKE) and self.things:
            return self.things
        return self._items

    def is_switched(self, behind: int, now: Clause) -> bool:
        """Whether "it" is what is opened or switched: the last place, no thing.

        :param behind: index behind the pronoun.
        """
        states = self._domain.opening | self._domain.switching
        if now.act is Act.STATE:
            return now.verbs[-1].state in states
        told = behind < len(self._text.words) and self._text.state_at(behind)
        if now.group or not told or told not in states or now.act is Act.TAKE:
            return False
        return (
            self._text.words[behind] not in ('on', 'off')
            or self._text.breaks(behind + 1)
            or (self._text.words[behind + 1] in ('and', 'then', 'when', 'before', 'after'))
        )


def meant_by_it(container: Mention | None, last: Sequence[Item], now: Clause) -> list[Item]:
    """The things of before; once they are in something that can be carried, that."""
    if now.puts and container is not None and container.kind is NameKind.THING:
        return [Item(container)]
    return [replace(item, is_new=False) for item in last]
