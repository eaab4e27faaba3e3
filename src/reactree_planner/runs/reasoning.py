"""Rules of permission, as the reasoner of a run asks them."""

from __future__ import annotations

from collections.abc import Container, Iterable

from reactree_core.permission.permission import Permission


class PermissionRules:
    """What permission says, as the reasoner asks it: it keeps its own record of what was done.

    :param refused: what people have refused in this run so far.
    """

    def __init__(self, permission: Permission, refused: Container[str] = ()) -> None:
        self._permission = permission
        self._refused = refused

    def forbids(self, skill: str) -> bool:
        """Whether a skill may not be done now."""
        return skill in self._refused or bool(self._permission.objection(skill))

    def after(self, skill: str) -> PermissionRules:
        """The same: permission records by itself what was done."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> PermissionRules:
        """Itself: what was done stays done where a world is put back."""
        return self

    def bars(self, skill: str) -> bool:
        """Whether a skill may not be done in this run any more."""
        return skill in self._refused or self._permission.bars(skill)

    def firsts(self, skills: Iterable[str]) -> tuple[str, ...]:
        """Those of these skills for which others have to wait."""
        return self._permission.waited_for(skills)

    def owed_after(self, skill: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What a skill obliges to: names of rules, and skills of which each wants one."""
        owed = self._permission.owed_after(skill)
        return tuple((rule.called, skills) for rule, skills in owed)

    def foresee(self) -> ForeseenRules:
        """What permission would say in the course of a plan."""
        return ForeseenRules(self._permission, self._refused)

    @property
    def is_met(self) -> bool:
        """Always: what a rule wants before the end is done once the goal is reached.

        A plan for the goal is not lost because something is open while it is carried out.
        """
        return True


class ForeseenRules(PermissionRules):
    """The same in a search: each skill is thought to succeed. Kept for one search alone.

    :param told: skills so far that a rule has heard of.
    """

    def __init__(
        self, permission: Permission, refused: Container[str], forbidden: tuple[str, ...] = ()
    ) -> None:
        super().__init__(permission, refused)
        self._told = forbidden
        self._forbidden: dict[str, bool] = {}
        self._after: dict[str, ForeseenRules] = {}

    def forbids(self, skill: str) -> bool:
        """Whether a skill may not be done then."""
        if skill not in self._forbidden:
            self._forbidden[skill] = super().forbids(skill)
        return self._forbidden[skill]

    def after(self, skill: str) -> ForeseenRules:
        """The rules once a skill is done; itself where none has heard of it."""
        found = self._after.get(skill)
        if found is None:
            then = self._permission.foreseen(skill)
            found = self
            if then is not self._permission:
                found = ForeseenRules(then, self._refused, tuple(sorted((*self._told, skill))))
            self._after[skill] = found
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ForeseenRules) and self._told == other._told

    def __hash__(self) -> int:
        return hash(self._told)
