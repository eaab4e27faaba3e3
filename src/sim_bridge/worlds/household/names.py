"""Names of the things of one scene: `apple 2` in skills, `apple (2, 3)` in observations.

The number is the 1-based rank of the node's id among the nodes of the same name in the graph as it
was loaded (WAH-NL); it never changes during an episode.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sim_bridge.worlds.household.nodes import Node
from sim_bridge.worlds.household.roles import name_of


class Names:
    """Both directions between nodes and names.

    :param nodes: by id.

    Public, all by node id: `word` ('apple'), `number` (2), `name` ('apple 2'), `rank` (position
    when everything is sorted by word and number).
    """

    def __init__(self, nodes: Mapping[int, Node]) -> None:
        self.word: dict[int, str] = {key: name_of(node.class_name) for key, node in nodes.items()}
        self.number: dict[int, int] = {}
        counts: dict[str, int] = {}
        for key in sorted(nodes):
            word = self.word[key]
            counts[word] = counts.get(word, 0) + 1
            self.number[key] = counts[word]
        self.name: dict[int, str] = {
            key: f'{word} {self.number[key]}' for key, word in self.word.items()
        }
        ordered = sorted(nodes, key=lambda key: (self.word[key], self.number[key]))
        self.rank: dict[int, int] = {key: position for position, key in enumerate(ordered)}
        self._ids = {name: key for key, name in self.name.items()}
        self._folded = {name.casefold(): key for name, key in self._ids.items()}

    def find(self, name: str) -> int | None:
        """The node of a name with number, e.g. 'apple 2'; letter case does not matter."""
        found = self._ids.get(name)
        return found if found is not None else self._folded.get(name.casefold())

    def numbered(self, node_id: int) -> str:
        """As in observations, e.g. 'apple (2)'."""
        return f'{self.word[node_id]} ({self.number[node_id]})'

    def listed(self, node_ids: Iterable[int]) -> str:
        """Things grouped by word, words and numbers sorted: 'apple (1, 2), bowl (1)'."""
        parts: list[str] = []
        last = ''
        for key in sorted(node_ids, key=self.rank.__getitem__):
            word = self.word[key]
            if word == last:
                parts.append(f', {self.number[key]}')
            else:
                parts.append(f'), {word} ({self.number[key]}')
                last = word
        # Drop the bracket that closes nothing.
        return ''.join(parts)[3:] + ')' if parts else ''
