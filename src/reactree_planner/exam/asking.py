"""Asks a model the questions of the exam, as planners ask: their prompts, their readers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from reactree_core.cancellation import CancelToken
from reactree_core.errors import (
    LimitReached,
    ModelOutputError,
    NotUnderstoodError,
    PromptTooLongError,
)
from reactree_core.experience import Experience, ExperienceQuery
from reactree_core.observation import Observation, Progress, Vocabulary
from reactree_core.ports import LanguageModel, Strategy
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.run_settings import Limits
from reactree_core.usage import LlmUsage
from reactree_planner.agents.offering import DONE, FAILURE
from reactree_planner.exam.answers import Answer
from reactree_planner.exam.questions import (
    ChoiceQuestion,
    exam_questions,
    ExamDomain,
    MOST_REQUESTS,
    Question,
    ReadingQuestion,
    WorldQuestion,
)
from reactree_planner.exam.scoring import passes, reads_right
from reactree_planner.exam.world import PlayedWorld
from reactree_planner.planners.reactree import ReAcTreePlanner
from reactree_planner.reading.model_reader import CORRECTIONS, ModelReader
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import AloneReader, ModelAlone, TaskReader
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import ModelAccount, Ports, Timing

#: As a run with the default preset asks a model that decides, without examples and recalls.
_PRESET = 'default,decides=model,example_count=0,ask=never'
#: Questions without a usable answer from the start, after which there is no use in going on.
_MOST_FAULTS = 6
_DECISIONS = 5
#: Requests of a decision: to act or to think, and which skill.
_REQUESTS = 2


def ask_all(
    model: LanguageModel,
    cancel: CancelToken,
    begin: Callable[[int, int], object] = lambda number, of: None,
    *,
    patient: bool = False,
) -> list[Answer]:
    """The answers to all questions.

    :param begin: called with the number of each question, from 1, and how many there are.
    :param patient: whether a model that answers nothing at all is asked to the end.
    :raises ModelError: the model cannot be reached or used. :raises CanceledError: stopped.
    """
    pairs = list(exam_questions())
    answers: list[Answer] = []
    for number, (domain, question) in enumerate(pairs, 1):
        begin(number, len(pairs))
        used = sum(one.requests for one in answers)
        needed = sum(least_requests(one) for _, one in pairs[number - 1 :])
        spare = max(0, min(CORRECTIONS, MOST_REQUESTS - used - needed))
        answers.append(ask(model, domain, question, cancel, spare))
        faults = [one.fault for one in answers]
        if not patient and len(faults) == _MOST_FAULTS and all(faults):
            raise ModelOutputError(
                f'{model.name} has answered none of the first {_MOST_FAULTS} questions in a way '
                f'that can be used. The last: {faults[-1]}'
            )
    return answers


def least_requests(question: Question) -> int:
    """Requests that a question takes in any case."""
    if isinstance(question, ReadingQuestion):
        return 1
    return _REQUESTS * (_DECISIONS if isinstance(question, WorldQuestion) else 1)


def ask(
    model: LanguageModel,
    domain: ExamDomain,
    question: Question,
    cancel: CancelToken,
    corrections: int = CORRECTIONS,
) -> Answer:
    """The answer to a question, and what it took.

    :param corrections: times that a reading is sent back at most.
    :raises ModelError: the model cannot be reached or used. :raises CanceledError: stopped.
    """
    asking = _Asking(model, domain, cancel, corrections)
    began = time.monotonic()
    try:
        answer = asking.answer(question)
    except (ModelOutputError, PromptTooLongError, LimitReached, NotUnderstoodError) as error:
        # Without a model a task that is not read is not begun.
        answer = _blank(domain, question).model_copy(update={'fault': str(error)})
    return answer.costing(asking.usage, time.monotonic() - began)


def grammar_answers() -> list[Answer]:
    """What the grammar, which needs no model, makes of the sentences."""
    reader = AloneReader()
    return [
        _blank(domain, question).model_copy(
            update=_read_by(reader, question, Names(domain.vocabulary))
        )
        for domain, question in exam_questions()
        if isinstance(question, ReadingQuestion)
    ]


def _blank(domain: ExamDomain, question: Question) -> Answer:
    """What is wanted, before anything is answered."""
    wanted, chance = '', 0.0
    match question:
        case ReadingQuestion():
            kept = [f'must not {one}' for one in (*question.forbids, *question.rules)]
            wanted = '; '.join(filter(None, (' or '.join(question.right), *kept))) or '(nothing)'
        case ChoiceQuestion():
            wanted = ' or '.join(question.right)
            chance = len(question.right) / len({*question.offered, DONE, FAILURE})
        case WorldQuestion():
            wanted = '; '.join(f'{thing} in {place}' for thing, place in question.wanted.items())
    return Answer(
        domain=domain.name,
        kind=question.kind.value,
        question=question.about,
        wanted=wanted,
        chance=round(chance, 3),
    )


def _read_by(reader: TaskReader, question: ReadingQuestion, names: Names) -> dict[str, object]:
    goal = reader.read(question.say, names)
    kept = [f'must not {one.wording}' for one in goal.permission_rules]
    return {
        'given': '; '.join(filter(None, (goal.means, *kept, *goal.unreachable))),
        'whole': goal.whole,
        'passes': passes(goal) and not goal.is_empty,
        'right': reads_right(question, goal, names.words.skills),
    }


@dataclass
class _Moment:
    """Port `SkillServer`: one moment of a task; whatever is done there ends it."""

    vocabulary: Vocabulary
    observation: Observation

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        return self.vocabulary, self.observation

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        return self.observation.admissible_skills

    def look(self, cancel: CancelToken) -> Observation:
        return self.observation

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        return Observation('The exam goes on.', skill=skill, over=True)

    def progress(self, cancel: CancelToken) -> Progress | None:
        return None

    def reset(self, cancel: CancelToken) -> None:
        """Nothing has changed."""


class _NoMemory:
    """Port `Memory` without any."""

    def retrieve(self, query: ExperienceQuery, cancel: CancelToken) -> tuple[Experience, ...]:
        return ()

    def store(self, experiences: Sequence[Experience], cancel: CancelToken) -> None:
        """Keeps nothing."""

    def recall(self, object_class: str, sequence: int, cancel: CancelToken) -> str:
        return ''


class _Asking:
    """One question at a model, and what it uses."""

    def __init__(
        self, model: LanguageModel, domain: ExamDomain, cancel: CancelToken, corrections: int
    ) -> None:
        self._corrections = corrections
        self._model = model
        self._domain = domain
        self._cancel = cancel
        self._account = ModelAccount(model, Strategy.CONSTRAINED, cancel, Timing())
        self._run: PlanRun | None = None

    @property
    def usage(self) -> LlmUsage:
        """So far."""
        return self._run.budget.usage if self._run is not None else self._account.usage

    def answer(self, question: Question) -> Answer:
        """What the model says. :raises ModelError: it says nothing usable."""
        match question:
            case ReadingQuestion():
                reader = ModelAlone(ModelReader(self._account, self._corrections))
                given = _read_by(reader, question, Names(self._domain.vocabulary))
            case ChoiceQuestion():
                given = self._choose(question)
            case WorldQuestion():
                given = self._play(question)
        return _blank(self._domain, question).model_copy(update=given)

    def _choose(self, question: ChoiceQuestion) -> dict[str, object]:
        seen = Observation(question.seen, admissible_skills=tuple(question.offered))
        moment = _Moment(self._domain.vocabulary, seen)
        acts = self._run_of(question.task, moment, 2)
        chosen = acts[0] if acts else ''
        return {'given': chosen, 'right': chosen in question.right}

    def _play(self, question: WorldQuestion) -> dict[str, object]:
        world = PlayedWorld(self._domain.vocabulary, question)
        acts = self._run_of(question.task, world, _DECISIONS)
        return {'given': '; '.join(acts), 'right': world.is_right}

    def _run_of(self, task: str, server: _Moment | PlayedWorld, decisions: int) -> list[str]:
        """Skills that the model decides for, in order."""
        events: list[Event] = []
        self._run = PlanRun(
            task,
            Ports(self._model, server, _NoMemory()),
            replace(
                settings_of_preset(_PRESET, ReAcTreePlanner.name), working_memory=False, go_on=True
            ),
            # At this depth a choice has no expansion beside it.
            Limits(decisions=decisions, depth=1),
            self._cancel,
            events.append,
        )
        with suppress(LimitReached):
            ReAcTreePlanner().run(self._run)
        return [
            event.skill
            for event in events
            if isinstance(event, Decision) and event.kind is DecisionKind.ACT
        ]
