"""Trying every clause of the robot contract on one skill server."""

from __future__ import annotations

import time
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from reactree_tools.ros.conformance.clauses import CLAUSES
from reactree_tools.ros.conformance.trial import BrokenClauseError
from reactree_tools.ros.conformance.trial import NotTried
from reactree_tools.ros.conformance.trial import Patience
from reactree_tools.ros.conformance.trial import ServerTrial
from reactree_tools.ros.session import Session


class Verdict(Enum):
    """What came of a clause."""

    KEPT = 'ok'
    BROKEN = 'BROKEN'
    NOT_TRIED = 'not tried'


@dataclass(frozen=True, slots=True)
class ClauseResult:
    """One clause of the contract.

    :param clause: a sentence. :param seen: what the server did, or how it broke the clause.
    """

    clause: str
    verdict: Verdict
    seen: str
    seconds: float


def check_skill_server(
    session: Session,
    bridge: str = 'bridge',
    status: str = 'bridge_status',
    may_move: bool = False,
    patience: Patience | None = None,
    say: Callable[[ClauseResult], object] = lambda result: None,
) -> Sequence[ClauseResult]:
    """Try every clause, in order, also after one is broken.

    :param bridge: node name of the skill server. :param status: its state topic.
    :param may_move: execute skills; else only what moves nothing is tried.
    :param say: told each result as it comes.
    :raises SkillError: there is no such server.
    """
    trial = ServerTrial(session, bridge, status, patience or Patience(), may_move)
    trial.find()
    results = []
    for clause, check in CLAUSES:
        began = time.monotonic()
        try:
            verdict, seen = Verdict.KEPT, check(trial)
        except BrokenClauseError as broken:
            verdict, seen = Verdict.BROKEN, str(broken)
        except NotTried as reason:
            verdict, seen = Verdict.NOT_TRIED, str(reason)
        results.append(ClauseResult(clause, verdict, seen, time.monotonic() - began))
        say(results[-1])
    return results
