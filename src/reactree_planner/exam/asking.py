"""Asks a model the questions of the exam, as planners ask: their prompts, their readers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
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
from reactree_core.record.trajectory_text import FLOW_WORDS
from reactree_core.usage import LlmUsage
from reactree_planner.agents.offering import DONE, FAILURE
from reactree_planner.exam.answers import Answer
from reactree_planner.exam.questions import (
    ChoiceQuestion,
    exam_questions,
    ExamDomain,
    ExpansionQuestion,
    ObjectQuestion,
    Question,
    ReadingQuestion,
)
from reactree_planner.exam.scoring import expands_right, is_right_object, reads_right
from reactree_planner.planners.reactree import ReAcTreePlanner
from reactree_planner.reading.model_reader import ModelReader
from reactree_planner.reading.names import Names
from reactree_planner.reading.reader import AloneReader, ModelAlone, TaskReader
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import ModelAccount, Ports, Timing

#: As a run with the default preset asks a model that decides, without examples and recalls.
_PRESET = 'default,decides=model,example_count=0,ask=never'
#: Questions without a usable answer from the start, after which there is no use in going on.
_MOST_FAULTS = 6
_DECISIONS = 8
_OBJECT_TOKENS = 200
_OBJECT_BEGINS = 'JSON:'
_OBJECT = """\
Write what a note says as one JSON object and nothing else, with these fields:
"""


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
        answers.append(ask(model, domain, question, cancel))
        faults = [one.fault for one in answers]
        if not patient and len(faults) == _MOST_FAULTS and all(faults):
            raise ModelOutputError(
                f'{model.name} has answered none of the first {_MOST_FAULTS} questions in a way '
                f'that can be used. The last: {faults[-1]}'
            )
    return answers


def ask(
    model: LanguageModel, domain: ExamDomain, question: Question, cancel: CancelToken
) -> Answer:
    """The answer to a question, and what it took.

    :raises ModelError: the model cannot be reached or used. :raises CanceledError: stopped.
    """
    asking = _Asking(model, domain, cancel)
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
    wanted, chance, flow = '', 0.0, ''
    match question:
        case ReadingQuestion():
            wanted = ' / '.join(question.lines.splitlines())
        case ChoiceQuestion():
            wanted = ' or '.join(question.right)
            chance = len(question.right) / len({*question.offered, DONE, FAILURE})
        case ExpansionQuestion():
            flow = question.flow
            wanted = f'{flow}: {"; ".join(" ".join(part) for part in question.parts)}'
        case ObjectQuestion():
            wanted = ', '.join(f'{name}: {one[0]}' for name, one in question.values.items())
    return Answer(
        domain=domain.name,
        kind=question.kind.value,
        question=question.about,
        wanted=wanted,
        chance=round(chance, 3),
        wanted_flow=flow,
    )


def _read_by(reader: TaskReader, question: ReadingQuestion, names: Names) -> dict[str, object]:
    goal = reader.read(question.say, names)
    never = [f'must not {one.wording}' for one in goal.never]
    milestones = [', '.join(one.text for one in step) for step in goal.milestones]
    return {
        'given': '; '.join(filter(None, (' then '.join(milestones), *never))),
        'whole': goal.whole,
        'right': reads_right(question, goal, names),
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

    def __init__(self, model: LanguageModel, domain: ExamDomain, cancel: CancelToken) -> None:
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
                reader = ModelAlone(ModelReader(self._account))
                given = _read_by(reader, question, Names(self._domain.vocabulary))
            case ChoiceQuestion():
                given = self._choose(question)
            case ExpansionQuestion():
                given = self._expand(question)
            case ObjectQuestion():
                given = self._write(question)
        return _blank(self._domain, question).model_copy(update=given)

    def _choose(self, question: ChoiceQuestion) -> dict[str, object]:
        events: list[Event] = []
        run = self._begin(question.task, question.seen, question.offered, events)
        ReAcTreePlanner().run(run)
        chosen = next(
            (
                event.skill
                for event in events
                if isinstance(event, Decision) and event.kind is DecisionKind.ACT
            ),
            '',
        )
        return {'given': chosen, 'right': chosen in question.right}

    def _expand(self, question: ExpansionQuestion) -> dict[str, object]:
        run = self._begin(question.task, question.seen, (), [])
        expansion = ReAcTreePlanner().expansion_of(run)
        flow = FLOW_WORDS[expansion.flow] if expansion is not None else ''
        return {
            'given': f'{flow}: {"; ".join(expansion.subgoals)}' if expansion is not None else '',
            'flow': flow,
            'right': expands_right(question, expansion),
        }

    def _write(self, question: ObjectQuestion) -> dict[str, object]:
        session = self._account.session(_OBJECT)
        try:
            fields = ''.join(f'"{name}": {kind}\n' for name, kind in question.fields.items())
            session.append(f'{fields}Note: {question.note}\n{_OBJECT_BEGINS}')
            # A model that continues texts may write another one behind it.
            stop = ('\n\n', f'\n{_OBJECT_BEGINS}', f' {_OBJECT_BEGINS}')
            written = session.generate(stop=stop, max_tokens=_OBJECT_TOKENS).strip()
        finally:
            self._account.drop(session)
        return {'given': written, 'right': is_right_object(question, written)}

    def _begin(self, task: str, seen: str, offered: Sequence[str], events: list[Event]) -> PlanRun:
        moment = _Moment(
            self._domain.vocabulary, Observation(seen, admissible_skills=tuple(offered))
        )
        self._run = PlanRun(
            task,
            Ports(self._model, moment, _NoMemory()),
            replace(settings_of_preset(_PRESET, ReAcTreePlanner.name), working_memory=False),
            # At this depth a choice has no expansion beside it.
            Limits(decisions=_DECISIONS, depth=1),
            self._cancel,
            events.append,
        )
        return self._run
