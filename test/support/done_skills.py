"""Skills that a test has done under rules of permission."""

from __future__ import annotations

from reactree_core.observation import Observation, Outcome
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Verdict


def does(
    permission: Permission, *skills: str, outcome: Outcome = Outcome.SUCCEEDED, **seen: object
) -> None:
    """Do skills that may be done. :param seen: fields of what is observed after each."""
    for skill in skills:
        assert permission.begin(skill).verdict is not Verdict.DENY
        permission.record(skill, Observation('x', outcome, skill, **seen))  # type: ignore[arg-type]
