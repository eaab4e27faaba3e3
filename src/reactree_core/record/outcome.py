"""How a run ends: error codes, which error stands for which, and what is known to hold then."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from reactree_core.belief import Status
from reactree_core.errors import (
    BridgeLostError,
    CanceledError,
    ConfigurationError,
    JournalError,
    LimitReached,
    ModelError,
    ModelOutputError,
    NotConfirmedError,
    NotPermittedError,
    NotUnderstoodError,
    PromptTooLongError,
    QuestionAnswered,
    ReactreeError,
    RobotStoppedError,
    SkillError,
)


class ErrorCode(IntEnum):
    """Equal to the constants of PlanTask's result."""

    NONE = 0
    TASK_FAILED = 100
    DECISION_LIMIT = 201
    STEP_LIMIT = 202
    DEPTH_LIMIT = 203
    TOKEN_LIMIT = 204
    TIME_LIMIT = 205
    CANCELED = 206
    NOT_PERMITTED = 207
    COST_LIMIT = 208
    LLM_UNAVAILABLE = 301
    LLM_INVALID_OUTPUT = 302
    PROMPT_TOO_LONG = 303
    BRIDGE_LOST = 401
    BRIDGE_UNAVAILABLE = 402
    SKILL_ERROR = 403
    INVALID_TASK = 501
    UNKNOWN_PLANNER = 502
    JOURNAL_ERROR = 503
    INTERNAL_ERROR = 599


_LIMITS = {
    'decisions': ErrorCode.DECISION_LIMIT,
    'steps': ErrorCode.STEP_LIMIT,
    'depth': ErrorCode.DEPTH_LIMIT,
    'tokens': ErrorCode.TOKEN_LIMIT,
    'time': ErrorCode.TIME_LIMIT,
    'cost': ErrorCode.COST_LIMIT,
}

#: Begin the reasons of runs that were stopped, which are canceled: by whom.
BY_EMERGENCY_STOP = 'Stopped by the emergency stop'
BY_PERSON = 'Stopped by a person'


def stop_words(reason: str) -> str:
    """How a canceled run was stopped, from its reason, for people; '' where it was not."""
    return next((one for one in (BY_EMERGENCY_STOP, BY_PERSON) if reason.startswith(one)), '')


#: First match wins, so the narrower classes come first.
_CODES: tuple[tuple[type[ReactreeError], ErrorCode], ...] = (
    (CanceledError, ErrorCode.CANCELED),
    (RobotStoppedError, ErrorCode.CANCELED),
    (NotConfirmedError, ErrorCode.CANCELED),
    (NotUnderstoodError, ErrorCode.INVALID_TASK),
    (QuestionAnswered, ErrorCode.NONE),
    (NotPermittedError, ErrorCode.NOT_PERMITTED),
    (ModelOutputError, ErrorCode.LLM_INVALID_OUTPUT),
    (PromptTooLongError, ErrorCode.PROMPT_TOO_LONG),
    (ModelError, ErrorCode.LLM_UNAVAILABLE),
    (BridgeLostError, ErrorCode.BRIDGE_LOST),
    (SkillError, ErrorCode.SKILL_ERROR),
    (JournalError, ErrorCode.JOURNAL_ERROR),
    (ConfigurationError, ErrorCode.UNKNOWN_PLANNER),
)


#: Between a condition of an `Ending` and the reason why it is not verified.
WHY = ': '
#: Letters of a sentence about what is missing.
_LONGEST_LACK = 400


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended.

    :param message: never empty unless the code is NONE; then only a question has one, its answer.
    """

    code: ErrorCode
    message: str = ''

    @property
    def success(self) -> bool:
        """The tree ended in success."""
        return self.code is ErrorCode.NONE


@dataclass(frozen=True, slots=True)
class Ending:
    """Status of the conditions of a task at the end of its run; each stands in one of the four.

    A condition that is assumed or unknown may bear its reason: `crate 1 in table 1: last seen 30 s
    ago`.

    :param verified: sensed in this run, within the age of the fact.
    :param missing: known not to hold, or not seen where it would show.
    :param unknown: no source reports it, sources disagree, or only an earlier run knew it.
    :param unread: phrases of the task that were not read: what they ask is not known.
    :param assumed: holds by the effect of a skill, or was sensed and is older than its age.
    """

    verified: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether something was asked for, all of it was read, and holds as far as is known."""
        met = self.verified or self.assumed
        return bool(met) and not self.missing and not self.unknown and not self.unread

    @property
    def is_verified(self) -> bool:
        """Whether all of it holds, and nothing of that is only assumed."""
        return self.status is Status.VERIFIED

    @property
    def status(self) -> Status:
        """Status of the task as a whole: the worst of its conditions.

        Exit status, result, assistants, viewer and record all show this one.
        """
        if self.missing:
            return Status.NOT_MET
        if not self.holds:
            return Status.NOT_KNOWN
        return Status.ASSUMED if self.assumed else Status.VERIFIED

    @property
    def is_judged(self) -> bool:
        """Test whether anything of the task was read as a condition that can be tested."""
        return bool(self.verified or self.assumed or self.unknown or self.missing)

    @property
    def why_not(self) -> str:
        """Why it is not verified, as the end of a sentence; '' where it is."""
        if self.missing:
            return 'conditions are missing'
        if self.unread:
            return 'not all of the task was read'
        if self.unknown:
            return 'some conditions are not known'
        if self.assumed:
            return 'some conditions are not shown beyond doubt'
        return '' if self.verified else 'no condition was read'

    @property
    def told(self) -> str:
        """Status with the reason why it is not verified, for people and records."""
        return f'{self.status.value}{WHY if self.why_not else ""}{self.why_not}'

    @property
    def lack(self) -> str:
        """A sentence about what is missing; '' when nothing is."""
        named = '; '.join(self.missing)[:_LONGEST_LACK]
        return f'Not done yet: {named}.' if named else ''


def without_reason(text: str) -> str:
    """The condition of an entry of an `Ending`, without why it is not verified."""
    return text.partition(WHY)[0]


def gave_up(reason: str, ending: Ending) -> str:
    """Why a run failed, as far as that is known.

    :param reason: of the root's end; '' for none.
    """
    parts = (
        reason.rstrip('.'),
        f'not reached: {"; ".join(ending.missing)}' if ending.missing else '',
        f'not known: {"; ".join(ending.unknown)}' if ending.unknown else '',
        f'not read: {"; ".join(ending.unread)}' if ending.unread else '',
    )
    known = '. '.join(part[:_LONGEST_LACK] for part in parts if part)
    if known:
        return f'The robot gave up: {known}.'
    return 'The robot gave up and gave no reason: the tree shows where.'


def outcome_of_error(error: ReactreeError) -> RunOutcome:
    """The error code and sentence of what ended a run early."""
    if isinstance(error, LimitReached):
        return RunOutcome(_LIMITS[error.limit], str(error))
    for kind, code in _CODES:
        if isinstance(error, kind):
            return RunOutcome(code, str(error) or code.name)
    return RunOutcome(ErrorCode.INTERNAL_ERROR, str(error) or type(error).__name__)


#: Of a run that has not come to its first event.
NOT_STARTED = RunOutcome(ErrorCode.INTERNAL_ERROR, 'The run did not start; see the log.')
