"""Who may use what: one robot at a time, for one thing, one door, one seat.

A skill takes all that it needs at once, or nothing: nobody holds one thing while it waits for
another, so skills cannot lock each other out. What outlasts a skill is the seat at a place that
has few of them: robots that stand in each other's way form a circle, and the last of it in the
order of the team steps aside (`standing_in_the_way`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wait:
    """Why a robot waits. :param whom: for which robot. :param what: that it uses, or stands at."""

    whom: str
    what: str

    @property
    def text(self) -> str:
        """For people."""
        return f'waits for {self.whom}, which is at {self.what}'


class Reservations:
    """What is in use.

    :param robots: in the order that settles who gives way.
    :param seats: how many robots a place has room for; a place that is not named has room for all.
    :param patience: how many skills of others a robot waits for, before it turns to other work.

    Public: `seats`, which may become known later.
    """

    def __init__(
        self, robots: Sequence[str], seats: Mapping[str, int] | None = None, patience: int = 20
    ) -> None:
        self._robots = tuple(robots)
        self.seats = dict(seats or {})
        self._patience = patience
        self._users: dict[str, str] = {}
        #: Where robots are, and where those will be that are on their way: both are taken.
        self._stands: dict[str, str] = {}
        self._goes_to: dict[str, str] = {}
        #: Who waits, why, and since how many skills of others.
        self.waits: dict[str, Wait] = {}
        self._waited: Counter[str] = Counter()

    def reserve(self, who: str, names: Iterable[str], goes_to: str = '') -> Wait | None:
        """Take all that a skill needs until `release`; else nothing, and why.

        :param names: of things and doors. :param goes_to: place where the robot will stand.
        """
        wait = self._obstacle(who, sorted(set(names)), goes_to)
        if wait is not None:
            self.waits[who] = wait
            return wait
        self.waits.pop(who, None)
        self._waited.pop(who, None)
        self._users.update(dict.fromkeys(names, who))
        if goes_to:
            self._goes_to[who] = goes_to
        return None

    def _obstacle(self, who: str, names: Sequence[str], goes_to: str) -> Wait | None:
        for name in names:
            user = self._users.get(name, who)
            if user != who:
                return Wait(user, name)
        room = self.seats.get(goes_to)
        if room is not None:
            others = [one for one in self._robots if one != who]
            there = [
                one for one in others if goes_to in (self._stands.get(one), self._goes_to.get(one))
            ]
            if len(there) >= room:
                return Wait(there[0], goes_to)
        return None

    def stand(self, who: str, at: str) -> None:
        """Know where a robot is that is on its way to nowhere."""
        self._stands[who] = at

    def release(self, who: str, at: str) -> None:
        """Give back what a skill has taken that has ended. :param at: where its robot is now."""
        self._users = {name: user for name, user in self._users.items() if user != who}
        self._goes_to.pop(who, None)
        self.stand(who, at)
        for one in self.waits:
            if one != who:
                self._waited[one] += 1

    def drop(self, who: str) -> None:
        """Forget a robot that is lost: what it used is free, where it may stand is not."""
        self._users = {name: user for name, user in self._users.items() if user != who}
        self.waits.pop(who, None)

    def is_tired(self, who: str) -> bool:
        """Whether a robot has waited for so many skills of others that it turns to other work."""
        return self._waited[who] >= self._patience

    def give_up(self, who: str) -> None:
        """Have a robot wait no more."""
        self.waits.pop(who, None)
        self._waited.pop(who, None)

    def standing_in_the_way(self, busy: Container[str] = ()) -> str:
        """Who steps aside: of robots that wait for each other the last; '' for none.

        :param busy: robots that will go on by themselves.
        """
        for first in self._robots:
            circle = [first]
            while circle[-1] in self.waits:
                then = self.waits[circle[-1]].whom
                if then == first:
                    return max(circle, key=self._robots.index)
                if then in circle:
                    break
                circle.append(then)
            if circle[-1] not in self.waits and circle[-1] != first and first in self.waits:
                idle = circle[-1]
                stands = self._stands.get(idle) == self.waits[circle[-2]].what
                if stands and idle not in busy:
                    # It does nothing, and stands where another one has to be.
                    return idle
        return ''
