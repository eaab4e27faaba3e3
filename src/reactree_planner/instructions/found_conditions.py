"""The conditions that are read from a text, merged."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace

from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import Relation
from reactree_planner.instructions.condition_words import Words
from reactree_planner.instructions.conditions import ALL
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.named_text import Item
from reactree_planner.instructions.names import Mention

_MOST = 999


class FoundConditions:
    """Collects conditions as they are read.

    :param domain: whose states exclude each other.
    """

    def __init__(self, domain: Words) -> None:
        self._domain = domain
        self.all: list[tuple[Condition, bool]] = []
        #: What only a verb of taking says; dropped where more is said of the thing.
        self.held: list[Condition] = []
        self.moved_to = ''
        #: Classes that something else happens to, and places that only hold them.
        self.handled: set[str] = set()
        self.used_up: set[str] = set()
        #: Classes of things that the text names.
        self.named: set[str] = set()
        self.place_of: dict[str, Mention] = {}
        #: Things of which it is not read how many are meant, as the text tells them.
        self.unread: list[str] = []

    def note(self, condition: Condition, is_new: bool = False) -> None:
        """Take one in. :param is_new: it is about others than those before: "another crate"."""
        self.all.append((condition, is_new))

    def note_state(self, group: Sequence[Item], state: str) -> None:
        """Things shall be in a state."""
        for item in group:
            for told in (*item.states, state):
                self.note(Condition(Relation.IS, item.subject, told, item.count))

    def place(self, group: Sequence[Item], place: Mention, is_listed: bool) -> None:
        """Things shall be at a place.

        :param is_listed: without a verb, where a number behind a name is how many there shall be.
        """
        for item in group:
            if item.is_place or item.subject == place.text:
                continue
            if is_listed and item.mention.instance and not item.told:
                # "crates 2, barrels 3 -> truck"
                mention = replace(item.mention, instance=None)
                item = replace(item, mention=mention, count=item.mention.instance)
            self.handled.update((item.mention.name, place.name))
            self.place_of[item.mention.name] = place
            self.note(Condition(Relation.IN, item.subject, place.text, item.count), item.is_new)
            for state in item.states:
                self.note(Condition(Relation.IS, item.subject, state, item.count))

    def left_out(self) -> tuple[str, ...]:
        """Things that the text names and of which nothing, or not all, was read."""
        told = {class_and_number(one.subject)[0] for one, _ in self.all}
        told |= {class_and_number(one.subject)[0] for one in self.held}
        told |= {class_and_number(one.value)[0] for one, _ in self.all}
        left = sorted(self.named - told - self.used_up - self.handled)
        return tuple(dict.fromkeys((*self.unread, *left)))

    def move_since(self, first: int, place: str) -> None:
        """Things that shall be somewhere by what was noted since then shall be at this place."""
        self.all[first:] = [
            (replace(one, value=place) if one.relation is Relation.IN else one, is_new)
            for one, is_new in self.all[first:]
        ]

    def merged(self, ends_moving: bool) -> tuple[Condition, ...]:
        """All of them, each once, in the order of the text.

        :param ends_moving: whether the text ends with where the robot shall go.
        """
        merged: dict[tuple[Relation, str, str], Condition] = {}
        for place, (condition, is_new) in enumerate(self.all):
            if self._is_on_the_way(condition, self.all[place + 1 :]):
                continue
            key = (condition.relation, condition.subject, condition.value)
            before = merged.get(key)
            if before is None:
                merged[key] = condition
            elif ALL in (before.count, condition.count):
                merged[key] = replace(before, count=ALL)
            elif is_new and not condition.is_numbered and condition.relation is Relation.IN:
                merged[key] = replace(before, count=min(before.count + condition.count, _MOST))
            else:
                merged[key] = replace(before, count=max(before.count, condition.count))
        more = {one.subject for one in merged.values()} | self.handled | self.used_up
        for condition in self.held:
            if condition.subject not in more:
                merged.setdefault((Relation.HOLDING, condition.subject, ''), condition)
        used = {
            key
            for key, one in merged.items()
            if one.relation is Relation.HOLDING and one.subject in self.used_up
        }
        lasting = tuple(self._lasting([one for key, one in merged.items() if key not in used]))
        if self.moved_to and self.moved_to not in {one.value for one in lasting}:
            if not lasting or ends_moving:
                return (*lasting, Condition(Relation.AT, '', self.moved_to))
        return lasting

    @staticmethod
    def _is_on_the_way(one: Condition, later: Sequence[tuple[Condition, bool]]) -> bool:
        """Whether the same thing is put somewhere else later: "in the oven, then on the table"."""
        return (
            one.relation is Relation.IN
            and one.count == 1
            and any(
                (other.relation, other.subject, other.count) == (one.relation, one.subject, 1)
                and other.value != one.value
                and not is_new
                for other, is_new in later
            )
        )

    def _lasting(self, found: list[Condition]) -> Iterator[Condition]:
        """Without what only leads to another: what is opened to get at a thing; of two states of
        one thing the later stands.
        """
        pairs = (self._domain.opening, self._domain.switching)
        opened = self._domain.states.get('open', '')
        for place, one in enumerate(found):
            if one.relation is Relation.IS:
                if one.value == opened and class_and_number(one.subject)[0] in self.handled:
                    continue
                if any(
                    one.value in pair and other.subject == one.subject and other.value in pair
                    for pair in pairs
                    for other in found[place + 1 :]
                ):
                    continue
            yield one
