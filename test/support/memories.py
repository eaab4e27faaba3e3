"""Memories for tests of planners: always the same, whatever is asked."""

from __future__ import annotations


class FixedMemory:
    """Port `Memory`: these experiences, in this order, and one answer to what is recalled.

    :param recalled: with the class asked for in place of {}.
    """

    def __init__(self, *experiences, recalled=''):
        self.found = experiences
        self.units = []
        self._recalled = recalled

    def retrieve(self, query, cancel):
        """All of them; what `unit` was asked is kept."""
        self.units.append(query.unit)
        return self.found

    def store(self, experiences, cancel):
        """Keeps nothing."""

    def recall(self, object_class, sequence, cancel):
        """The one answer."""
        return self._recalled.format(object_class)
