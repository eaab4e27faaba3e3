"""What a model answered, and what it comes to: right of asked for each kind, time, tokens."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field

from reactree_core.permission.spending import Price
from reactree_core.usage import LlmUsage
from reactree_core.written_files import Written
from reactree_planner.exam.questions import Kind


class Answer(Written):
    """Of one question.

    :param wanted: what is right, and :param given: what came, for people.
    :param chance: that a guess among what was offered is right, 0..1.
    :param whole: of a reading, whether it says that every word was read.
    :param passes: of a reading, whether the check lets it pass, be it after a person's yes.
    :param fault: why there is no usable answer; '' where there is one.
    :param seconds: in all. :param prompt_tokens: presented, cached or not.
    """

    domain: str
    kind: str
    question: str
    wanted: str
    given: str = ''
    right: bool = False
    chance: float = 0.0
    whole: bool = False
    passes: bool = False
    fault: str = ''
    seconds: float = 0.0
    requests: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0

    def costing(self, usage: LlmUsage, seconds: float) -> Answer:
        """The same, with what it took."""
        took = {
            'seconds': round(seconds, 3),
            'requests': usage.requests,
            'prompt_tokens': usage.prompt_tokens,
            'cached_tokens': usage.cached_tokens,
            'completion_tokens': usage.completion_tokens,
        }
        return self.model_copy(update=took)


class Score(Written):
    """Of the questions of one kind, or of all.

    :param chance: right answers expected of guesses, as a share, 0..1.
    :param seconds: of a question, and :param request_seconds: of a request, on average.
    :param cost: in the money of the price; None where none is known.
    """

    kind: str
    right: int = Field(ge=0)
    asked: int = Field(ge=0)
    chance: float = 0.0
    unanswered: int = 0
    seconds: float = 0.0
    request_seconds: float = 0.0
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None

    @property
    def share(self) -> float:
        """Right of asked; 0 where nothing was asked."""
        return self.right / self.asked if self.asked else 0.0

    @property
    def words(self) -> str:
        """For people: '5 of 9'."""
        return f'{self.right} of {self.asked}'


def score_of(kind: str, answers: Iterable[Answer], price: Price | None = None) -> Score:
    """What some answers come to.

    :param kind: as the row is called. :param price: of the model; None where it is not known.
    """
    given = list(answers)
    number = max(1, len(given))
    requests = sum(one.requests for one in given)
    seconds = sum(one.seconds for one in given)
    usage = LlmUsage(
        prompt_tokens=sum(one.prompt_tokens for one in given),
        cached_tokens=sum(one.cached_tokens for one in given),
        completion_tokens=sum(one.completion_tokens for one in given),
    )
    return Score(
        kind=kind,
        right=sum(one.right for one in given),
        asked=len(given),
        chance=round(sum(one.chance for one in given) / number, 3),
        unanswered=sum(bool(one.fault) for one in given),
        seconds=round(seconds / number, 3),
        request_seconds=round(seconds / max(1, requests), 3),
        requests=requests,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost=price.of(usage) if price is not None else None,
    )


class ReadingMeasure(Written):
    """Readings of an exam in sum.

    :param precision: right of those that pass the check, :param coverage: share that passes, of
        sentences that ask for something; both 0..1. :param misread: called whole and wrong.
    """

    precision: float = 0.0
    coverage: float = 0.0
    misread: int = 0


def readings_of(answers: Iterable[Answer]) -> ReadingMeasure:
    """Precision and coverage of readings."""
    kinds = {kind.value for kind in Kind if kind.is_reading}
    given = [one for one in answers if one.kind in kinds]
    passed = [one for one in given if one.passes]
    asking = [one for one in given if one.kind != Kind.NOTHING.value]
    return ReadingMeasure(
        precision=round(sum(one.right for one in passed) / max(1, len(passed)), 3),
        coverage=round(sum(one.passes for one in asking) / max(1, len(asking)), 3),
        misread=sum(one.whole and not one.right for one in given),
    )


def scores_of(answers: Iterable[Answer], price: Price | None = None) -> list[Score]:
    """A row for each kind, and one for all."""
    given = list(answers)
    rows = [
        score_of(kind.value, [one for one in given if one.kind == kind.value], price)
        for kind in Kind
    ]
    return [*rows, score_of('all', given, price)]
