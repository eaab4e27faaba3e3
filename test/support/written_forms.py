"""A model that reads every task as one form, and takes the last choice of anything else."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from reactree_planner.reading.form import FormCondition, GoalForm, Interpretation, to_json

#: "Leg den Apfel auf den Tisch", in a home.
APPLE = FormCondition('in', 'apple', 'table', words='Leg den Apfel auf den Tisch')
TAKEN = (Interpretation('Apfel', 'apple'), Interpretation('Tisch', 'table'))


def reads(form: GoalForm) -> Callable[[str, Sequence[str] | None], str | int]:
    """A policy that writes a form where a task is to be read."""
    written = json.dumps(to_json(form))

    def policy(text: str, options: Sequence[str] | None) -> str | int:
        if options is None:
            return written if 'Task: ' in text else ' I think.'
        ends = [place for place, option in enumerate(options) if 'failure' in option]
        return ends[0] if ends else 0

    return policy
