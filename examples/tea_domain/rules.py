"""What holds where tea is made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def only_the_drink_asked_for(situation: Any, skills: Iterable[Any]) -> list[Any]:
    """No drink is brewed that the goal does not name."""
    return [skill for skill in skills if skill.verb != 'brew' or skill.name in situation.goal]


RULES = (('named_only', only_the_drink_asked_for),)
