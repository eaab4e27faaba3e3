"""What every language model back end must do, as a suite that anyone can run on their own.

    results = check_language_model(MyModel())
    assert all(result.passed for result in results)

Every back end of this package passes it. The model need not be clever: the hardest thing asked is
to copy a word that stands just above. It takes about as long as thirty short answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from reactree_core.errors import ReactreeError
from reactree_core.ports import LanguageModel
from reactree_planner.llm.conformance_clauses import CLAUSES
from reactree_planner.llm.conformance_trial import BrokenClauseError
from reactree_planner.llm.conformance_trial import Patience
from reactree_planner.llm.conformance_trial import Trial

__all__ = ['ClauseResult', 'Patience', 'check_language_model']


@dataclass(frozen=True, slots=True)
class ClauseResult:
    """One clause of the contract.

    :param clause: a sentence. :param seen: what the model did, or how it broke the clause.
    """

    clause: str
    passed: bool
    seen: str
    seconds: float


def check_language_model(
    model: LanguageModel, say: Callable[[str], object] = print, patience: Patience | None = None
) -> list[ClauseResult]:
    """Try every clause of the port `LanguageModel` and say one line about each.

    :param model: loaded; stays open. :param say: takes each line.
    :return: one result per clause, in order.
    """
    results = []
    for clause, check in CLAUSES:
        trial = Trial(model, patience or Patience())
        started = time.monotonic()
        try:
            seen, passed = check(trial), True
        except BrokenClauseError as broken:
            seen, passed = str(broken), False
        except ReactreeError as error:
            seen, passed = f'{type(error).__name__}: {error}', False
        results.append(ClauseResult(clause, passed, seen, time.monotonic() - started))
        last = results[-1]
        say(f'{"ok    " if passed else "BROKEN"} {clause} [{seen}] {last.seconds:.2f} s')
    return results
