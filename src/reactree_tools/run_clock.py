"""Stamps of a run's events as seconds since its first event, never going back."""

from __future__ import annotations

from dataclasses import replace

from reactree_planner.tree.events import Event


class RunClock:
    """Messages carry the node's clock; a reader wants to know how long a run has been going."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._last = 0.0

    def rebase(self, event: Event) -> Event:
        """The event with its stamp counted from the first event that came here.

        :param event: the next one, in order.
        """
        if self._began is None:
            self._began = event.stamp
        self._last = max(self._last, event.stamp - self._began)
        return replace(event, stamp=self._last)
