"""Whether an answer is right."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from reactree_core.record.trajectory_text import FLOW_WORDS
from reactree_planner.agents.expansion import Expansion
from reactree_planner.exam.questions import ExpansionQuestion, ObjectQuestion, ReadingQuestion
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.reading.goal import accumulated, Goal
from reactree_planner.reading.names import Names

#: Around JSON, as many models write it and the client of model servers reads it.
_FENCE = re.compile(r'\A\s*```(?:json)?\s*\n?(.*?)\s*```\s*\Z', re.DOTALL)
#: Subgoals beyond those that are wanted, as a first look or a last check.
_MORE_SUBGOALS = 2


def reads_right(question: ReadingQuestion, goal: Goal, names: Names) -> bool:
    """Whether a reading is the one that is wanted, and says that it is whole."""
    steps = [conditions_of(tuple(step)) for step in question.wanted]
    wanted = _texts(accumulated(steps, names.words))
    never = frozenset(one.wording for one in goal.never)
    return goal.whole and _texts(goal.milestones) == wanted and never == question.never


def _texts(milestones: Sequence[Sequence[object]]) -> list[frozenset[str]]:
    return [frozenset(getattr(one, 'text', '') for one in each) for each in milestones]


def expands_right(question: ExpansionQuestion, expansion: Expansion | None) -> bool:
    """Whether a task is split under the right control flow, and all parts are there.

    Each part is said by a subgoal of its own; of a sequence and a fallback in the wanted order.
    """
    if expansion is None or FLOW_WORDS[expansion.flow] != question.flow:
        return False
    subgoals = expansion.subgoals
    if len(subgoals) > len(question.parts) + _MORE_SUBGOALS:
        return False
    places: list[int] = []
    for part in question.parts:
        fitting = [at for at, text in enumerate(subgoals) if _says(text, part)]
        free = [at for at in fitting if at not in places]
        if not free:
            return False
        places.append(free[0])
    return question.flow == 'parallel' or places == sorted(places)


def _says(text: str, part: Sequence[str]) -> bool:
    return all(re.search(rf'\b(?:{words})', text, re.IGNORECASE) for words in part)


def is_right_object(question: ObjectQuestion, written: str) -> bool:
    """Whether a text is one JSON object, with these fields and no other, and right values."""
    fenced = _FENCE.match(written)
    try:
        content = json.loads(fenced[1] if fenced else written)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(content, dict)
        and content.keys() == question.values.keys()
        and all(_is_one_of(content[name], right) for name, right in question.values.items())
    )


def _is_one_of(value: object, right: Sequence[object]) -> bool:
    """Whether a value is one of some, of the same type: true is no 1."""
    return any(type(value) is type(one) and value == one for one in right)
