"""Names of things in skills and texts: a class and a number, as `CounterTop (1)`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from reactree_core.errors import ConfigurationError
from sim_bridge.worlds.thor.classes import class_of, words_of
from sim_bridge.worlds.thor.metadata import Thing

PUBLISHED, STABLE, PLAIN = 'published', 'stable', 'plain'
STYLES = (PUBLISHED, STABLE, PLAIN)
_SPACING = re.compile(r'[^a-z0-9]+')
_ARTICLE = re.compile(r'(?:the|an|a) ', re.IGNORECASE)


class Names:
    """Names of the things of one episode.

    Things are numbered within their class in the reverse order of the program's names. With
    `published` all are numbered anew at every step, so that numbers change after something was
    sliced; with `stable` a number once given stays, and pieces get numbers of their own; `plain`
    does so too, in words: `counter top 1`.

    :param style: one of `STYLES`.
    :raises ConfigurationError: it is none.
    """

    def __init__(self, style: str = STABLE) -> None:
        if style not in STYLES:
            raise ConfigurationError(f'names must be one of {", ".join(STYLES)}, not {style!r}')
        self._style = style
        self._names: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._order: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        self._given: Counter[str] = Counter()
        self._by_key: dict[str, str] = {}

    def see(self, things: Sequence[Thing]) -> None:
        """Name all things of an event."""
        if len(things) == len(self._order) and all(
            one['objectId'] in self._order for one in things
        ):
            return
        ordered = sorted(things, key=lambda one: (one['name'], one['objectId']), reverse=True)
        if self._style == PUBLISHED:
            self._numbers.clear()
            self._given.clear()
        self._order = {one['objectId']: place for place, one in enumerate(ordered)}
        self._names = {}
        for one in ordered:
            key, kind = one['objectId'], class_of(one['name'])
            if key not in self._numbers:
                self._given[kind] += 1
                self._numbers[key] = self._given[kind]
            self._kinds[key] = self.kind(kind)
            self._names[key] = self._written(kind, self._numbers[key])
        self._by_key = {_key(name): key for key, name in self._names.items()}

    def _written(self, kind: str, number: int) -> str:
        if self._style == PLAIN:
            return f'{words_of(kind)} {number}'
        return f'{kind} ({number})'

    def of(self, object_id: str) -> str:
        """The name of a thing; '' for one that is not there."""
        return self._names.get(object_id, '')

    def class_and_number(self, object_id: str) -> tuple[str, int]:
        """What the name of a thing consists of."""
        return self._kinds[object_id], self._numbers[object_id]

    def id_of(self, name: str) -> str:
        """The thing of a name, in any spelling of it; '' for none."""
        return self._by_key.get(_key(_ARTICLE.sub('', name, count=1))) or self._by_key.get(
            _key(name), ''
        )

    def kind(self, class_name: str) -> str:
        """A class as it stands in names."""
        return words_of(class_name) if self._style == PLAIN else class_name

    def ordered(self, object_ids: Iterable[str]) -> list[str]:
        """Things in the order in which they are listed; repeated ones stay repeated."""
        return sorted(
            (one for one in object_ids if one in self._order), key=self._order.__getitem__
        )

    def listed(self, object_ids: Iterable[str]) -> str:
        """Things as a list: `Tomato (2), Mug (1, 2)`; plainly `tomato 2, mug 1, mug 2`."""
        ordered = self.ordered(object_ids)
        if self._style == PLAIN:
            return ', '.join(dict.fromkeys(map(self.of, ordered)))
        grouped: dict[str, list[int]] = {}
        for one in ordered:
            kind = self._names[one].rpartition(' ')[0]
            grouped.setdefault(kind, []).append(self._numbers[one])
        return ', '.join(
            f'{kind} ({", ".join(map(str, sorted(numbers)))})' for kind, numbers in grouped.items()
        )


def _key(name: str) -> str:
    """A name without its spelling: 'Counter Top (1)' is 'countertop 1'."""
    words = _SPACING.sub(' ', name.lower()).split()
    if len(words) > 1 and words[-1].isdigit():
        return f'{"".join(words[:-1])} {int(words[-1])}'
    return ''.join(words)
