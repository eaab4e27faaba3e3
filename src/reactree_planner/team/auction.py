"""Who does what: a sequential single-item auction.

Parts are sold one after the other. In each round every robot bids for every part that is left
what its whole work would cost with it, and the lowest bid gets its part. Bidding the whole, and
not what the part adds, makes the longest work of the team short (rule MiniMax of Lagoudakis et al.
2005, "Auction-Based Multi-Robot Routing"; sequential auctions: Koenig et al. 2006, "The Power of
Sequential Single-Item Auctions for Agent Coordination").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Generic, TypeVar

P = TypeVar('P')
#: What the whole work of a robot costs; inf where it cannot do it.
Bid = Callable[[str, tuple[P, ...]], float]


@dataclass(frozen=True, slots=True)
class Sale(Generic[P]):
    """What an auction has led to.

    :param work: of each robot, in the order in which it got it. :param costs: what that costs.
    :param unsold: parts for which no robot had a bid.
    """

    work: Mapping[str, tuple[P, ...]]
    costs: Mapping[str, float]
    unsold: tuple[P, ...]


def sell(
    parts: Sequence[P],
    robots: Sequence[str],
    bid: Bid[P],
    had: Mapping[str, tuple[P, ...]] | None = None,
) -> Sale[P]:
    """Give parts to robots.

    :param robots: in an order that settles ties. :param bid: asked once for each set of parts.
    :param had: what robots are at already, and keep.
    """
    work = {robot: tuple((had or {}).get(robot, ())) for robot in robots}
    costs = {robot: bid(robot, work[robot]) if work[robot] else 0.0 for robot in robots}
    left = list(parts)
    bids: dict[str, dict[P, float]] = {}
    while left:
        for robot in robots:
            if robot not in bids:
                bids[robot] = {part: bid(robot, (*work[robot], part)) for part in left}
        cost, _, _, robot, part = (
            min(
                # Of equal bids, that of whoever has less to do: none waits for the other.
                (bids[robot][part], costs[robot], (number, place), robot, part)
                for number, robot in enumerate(robots)
                for place, part in enumerate(left)
            )
            if robots
            else (inf, 0.0, (0, 0), '', left[0])
        )
        if cost == inf:
            break
        work[robot] = (*work[robot], part)
        costs[robot] = cost
        left.remove(part)
        # Only its own bids have changed.
        del bids[robot]
    return Sale(work, costs, tuple(left))
