"""Why a run that is looked at did what it did, as `reactree why` tells it, for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reactree_core.observation import Vocabulary
from reactree_core.permission.rules import Rules
from reactree_core.record.journal_lines import Answer, Record
from reactree_tools.recording.reasons import RunReasons
from reactree_tools.recording.vocabularies import vocabulary_among
from reactree_tools.traces import audited

#: Other skills that a page is given.
_MOST = 500
_UNTOLD = 'The record does not say what its skill server declares; so less can be said.'


def why_for_page(
    run_id: str,
    records: Sequence[Record],
    rules: Rules,
    number: int,
    instead: str,
) -> dict[str, Any]:
    """Sentences, and which other skills can be asked about.

    :param rules: of the file that the run had. :param number: of the skill; 0 asks why the run
        ended.
    :param instead: a skill: why it was not done there; '' for why the skill was.
    :raises ConfigurationError: no skill has the number.
    """
    vocabulary = vocabulary_among(records)
    sentences = [] if vocabulary is not None else [_UNTOLD]
    vocabulary = vocabulary or Vocabulary()
    events = [one for one in records if not isinstance(one, Answer)]
    task_rules = audited(run_id, records, vocabulary).task_rules
    reasons = RunReasons(events, vocabulary, rules, task_rules)
    if not number:
        sentences += reasons.why_ended()
    elif instead:
        sentences += reasons.why_not(instead, number)
    else:
        sentences += reasons.why(number)
    others = reasons.others(number) if number and not instead else ()
    return {'sentences': sentences, 'others': others[:_MOST]}
