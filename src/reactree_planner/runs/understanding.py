"""Reading of a task in a run: what is not certain is confirmed by people, or not acted on.

A question to a person is a decision of the run, and its answer an observation; it is no step of
the robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reactree_core.chat import Turn
from reactree_core.errors import (
    NotConfirmedError,
    NotUnderstoodError,
    QuestionAnswered,
)
from reactree_core.observation import ObjectFact, Observation, Outcome
from reactree_core.permission.rules import Rule
from reactree_core.ports import ChatSession, LanguageSession
from reactree_core.record.events import DecisionKind
from reactree_core.record.questions import (
    answer_text,
    confirmation,
    one_line,
    Question,
    read_question,
    YES,
)
from reactree_core.record.run_settings import Ask
from reactree_core.skill_types import SkillKind, SlotType
from reactree_core.usage import LlmUsage, NO_USAGE
from reactree_core.working_memory import sighting_sentence
from reactree_planner.reading.contradictions import contradictions
from reactree_planner.reading.goal import confirmed, Goal, ReadBy
from reactree_planner.reading.languages import may_be_foreign
from reactree_planner.reading.model_reader import ModelReader
from reactree_planner.reading.offers import did_you_mean, offers_for
from reactree_planner.reading.reader import may_forbid, ModelAlone, read_alone, reader_of
from reactree_planner.reading.record import is_in_unread_language, record_of, why_not_whole
from reactree_planner.reading.sentence import may_forbid as has_negation
from reactree_planner.reading.skill_goals import read_skills
from reactree_planner.reading.speech_acts import answer_to, speech_act, SpeechAct
from reactree_planner.runs.answering import Answers
from reactree_planner.runs.run_ports import Basis, ModelAccount
from reactree_planner.runs.run_world import RunWorld
from reactree_planner.runs.settings import Decides

#: Things of a class that an answer names.
_MOST_TOLD = 8
#: Choices where a task was not understood.
_NOTHING_READ = 'nothing that the robot could do was read'
_KEEP = 'go on, and keep what is forbidden'
_GO_ON, _STOP = 'let the model do what it takes it for', 'do nothing'
#: A model by this name decides nothing.
_NO_MODEL = 'none'


class Understanding:
    """Reads tasks, and asks people.

    :param model: and its cost.
    """

    def __init__(self, basis: Basis, world: RunWorld, model: ModelAccount) -> None:
        self._settings = basis.settings
        self._people = basis.ports.people
        self._cancel = basis.cancel
        self._timing = basis.timing
        self._events = basis.events
        self._world = world
        self._model = model
        self._reading_usage = NO_USAGE
        #: Whether a task that is not read is done all the same, decided skill by skill.
        self._goes_on = basis.settings.go_on
        #: Whether a person took none of the sentences that were offered instead.
        self._declines = False
        #: Whether nothing but a world moves.
        self.is_simulated = False

    @property
    def is_attended(self) -> bool:
        """Whether people may be asked and somebody is there; when resumed, as it was then."""
        return self._settings.ask is not Ask.NEVER and self._people.attended

    def read(self, task: str, simulated: bool, may_wait: bool = True) -> Goal:
        """Read the goal of the task, and emit it.

        :param simulated: whether nothing but a world moves.
        :param may_wait: whether a task may wait for something; else one that does is not acted on.
        :raises NotUnderstoodError: a person says that something else was asked.
        """
        self.is_simulated = simulated
        goal = self._offered(self._confirmed(self.read_said(task)))
        if goal.trigger is not None and goal.trigger.waits and not may_wait:
            goal = replace(
                goal, trigger=None, acts=False, unread=(*goal.unread, goal.trigger.text)
            )
        self._events.decide(
            0,
            DecisionKind.GROUND,
            subgoals=tuple(condition.text for condition in goal.conditions),
            ties=goal.ties,
            usage=self._reading_usage,
            goal=record_of(goal),
        )
        return goal

    def _confirmed(self, goal: Goal) -> Goal:
        """The goal after a person's yes to what is not certain of it.

        Where nobody is there, it is acted on in a simulation and not on a robot. A model's reading
        needs a yes on a robot unless the grammar agrees.
        """
        certain = not goal.questions
        alone = goal.by is ReadBy.MODEL and not self.is_simulated
        if goal.unread or not goal.milestones or (certain and not alone):
            return goal
        if self.is_attended:
            text = ' '.join((*goal.plainly.splitlines(), *goal.questions))
            # In a simulation silence is neither yes nor no.
            default = '' if self.is_simulated else _STOP
            answer = self.ask(Question(f'Is this meant? {text}', (YES, _STOP), default))[0]
            if answer == _STOP:
                raise NotUnderstoodError(
                    f'Nobody said that this is meant: {goal.means}. Nothing was done: say it in '
                    'other words.'
                )
            if answer == YES:
                return confirmed(goal)
        return replace(goal, acts=self.is_simulated)

    @property
    def has_model(self) -> bool:
        """Whether a model can be asked."""
        return self._model.model.name != _NO_MODEL

    def _offered(self, goal: Goal) -> Goal:
        """What a person takes of the nearest sentences that are read, of a task that is not."""
        is_read = goal.acts and bool(goal.milestones)
        by_model = self._settings.decides is not Decides.FACTS
        is_left = self.has_model and (self.is_simulated or by_model)
        if is_read or is_left or goal.never or goal.rules or not self.is_attended:
            return goal
        offers = self._offers(goal)
        if not offers:
            return goal
        others = (_GO_ON, _STOP) if self.has_model else (_STOP,)
        why = why_not_whole(record_of(goal)) or _NOTHING_READ
        asked = Question(
            f'Not understood: {why}. Did you mean one of these?', (*offers, *others), _STOP
        )
        answer = self.ask(asked)[0]
        self._goes_on, self._declines = answer == _GO_ON, answer == _STOP
        return confirmed(self.read_said(answer)) if answer in offers else goal

    def _offers(self, goal: Goal) -> tuple[str, ...]:
        """Sentences that a question can show in full."""
        belief = self._world.belief
        found = offers_for(goal.text, belief.names, belief.observation.admissible_skills)
        return tuple(one for one in found if Question('?', (one,)).options == (one,))

    def read_said(self, text: str) -> Goal:
        """Read a sentence of a person, as the task is read, and emit nothing."""
        model = ModelAlone(ModelReader(self)) if self.has_model else None
        reader = reader_of(self._settings.reading, model, self._which_reading)
        return reader.read(text, self._world.belief.names)

    def chat(self, turns: Sequence[Turn]) -> ChatSession:
        """Begin the conversation in which the model reads (`Reads`)."""
        return self._model.chat(turns)

    def drop(self, session: LanguageSession) -> None:
        """Count what it used as the reading's, and give it back."""
        self._reading_usage += self._model.drop(session)

    def _which_reading(self, question: str, readings: Sequence[str]) -> str:
        """The reading that a person means; '' where nobody is asked."""
        if not self.is_attended:
            return ''
        return self.ask(Question(question, tuple(readings), readings[-1]))[0]

    def check_request(self, task: str) -> None:
        """Whether a task asks for something to be done.

        :raises QuestionAnswered: it asks what is known, and names it; with the answer.
        :raises NotUnderstoodError: it asks for nothing; says what it is.
        """
        act = speech_act(task)
        is_skill = read_skills(task, self._world.belief.names) is not None
        if is_skill and act is not SpeechAct.CANCEL:
            # "Good night." may be what a skill is called.
            return
        answer = answer_to(act)
        read = read_alone(task, self._world.belief.names)
        question = read.form.question if read.form is not None else None
        if question is not None and not (read.unread or read.questions or read.milestones):
            self._world.look(0)
            answers = Answers(self._world.belief, self._facts_of)
            raise QuestionAnswered(answers.answer(question))
        # "Shouldn't the cup be in the sink?" asks for no answer.
        if act is SpeechAct.QUESTION and not has_negation(task):
            names = dict.fromkeys(one.name for one in self._world.belief.names.find_all(task))
            if names:
                self._world.look(0)
                raise QuestionAnswered(' '.join(map(self._known_of, names)))
        if answer:
            raise NotUnderstoodError(answer)

    def _facts_of(self, name: str) -> Sequence[ObjectFact]:
        """What was seen of the things of a class, by this robot or others of its memory."""
        self._world.recall(name)
        facts: Sequence[ObjectFact] = self._world.belief.memory.facts(name)
        return facts

    def _known_of(self, name: str) -> str:
        """The same as sentences."""
        facts = self._facts_of(name)[:_MOST_TOLD]
        return ' '.join(sighting_sentence(fact) for fact in facts) or f'No {name} was seen.'

    def check_understood(
        self, goal: Goal, *, forbids: bool, simulated: bool, by_model: bool
    ) -> str:
        """Whether the robot may move for what was read of the task.

        In a simulation a model decides skill by skill where nothing, or not all, was read; on a
        robot a person lets it. Where words may forbid and were not read, a person decides, or the
        setting `go_on`. Else a robot stays where it is.

        :param forbids: whether something that is kept was read apart from the goal.
        :param simulated: whether nothing but a world moves.
        :param by_model: whether the model was chosen to decide everything.
        :return: a notice for people; '' where it was read.
        :raises NotUnderstoodError: it may not. :raises CanceledError: stopped.
        """
        record = record_of(goal)
        is_foreign = is_in_unread_language(record) or self._is_in_part_foreign(goal)
        is_read = not goal.is_empty or forbids
        forbids_unread = may_forbid(goal, self._world.belief.names)
        if goal.left_to_model and not goal.acts:
            is_read = False
        elif not (simulated or by_model):
            is_read = goal.acts and bool(goal.milestones)
        if is_read and not is_foreign:
            return ''
        why = why_not_whole(record) or _NOTHING_READ
        decides = simulated or (by_model and not is_foreign)
        if self._goes_on or (self.has_model and decides and not forbids_unread):
            return f'The task was not read: {why}. The model decides skill by skill.'
        asked = Question(f'Not understood: {why}. Go on?', (_GO_ON, _STOP), _STOP)
        may_ask = self.is_attended and self.has_model and not self._declines
        if may_ask and self.ask(asked)[0] == _GO_ON:
            return ''
        offers = () if self._declines else self._offers(goal)
        hint = did_you_mean(offers) or 'Say it in other words.'
        raise NotUnderstoodError(f'The task was not understood: {why}. Nothing was done. {hint}')

    def _is_in_part_foreign(self, goal: Goal) -> bool:
        """Whether the grammar left words that may forbid and are in another language."""
        if goal.by is not ReadBy.GRAMMAR or not goal.left_to_model:
            return False
        known = self._world.belief.names.all_words().words
        return any(may_be_foreign(one, known) for one in goal.unread)

    def check_consistent(self, goal: Goal) -> None:
        """Whether what the task forbids leaves a way to what it asks for; else a person decides.

        :raises NotUnderstoodError: it does not. :raises CanceledError: stopped.
        """
        if not goal.never:
            return
        reasoner = self._world.reasoner
        for one in contradictions(goal, self._world.vocabulary):
            if reasoner is not None and reasoner.goal.holds(one.condition):
                continue
            asked = Question(f'{one.sentence} Go on?', (_KEEP, _STOP), _STOP)
            if not self.is_attended or self.ask(asked)[0] != _KEEP:
                raise NotUnderstoodError(
                    f'The task contradicts itself: {one.sentence} Nothing was done.'
                )

    def confirm(self, wanted: str, rules: Sequence[Rule]) -> None:
        """Ask whether the task was understood; silence is consent.

        :param wanted: what it asks for. :param rules: what it forbids.
        :raises NotConfirmedError: it was not.
        """
        forbidden = '; '.join(rule.wording for rule in rules)
        forbidden = f' (must not: {forbidden})' if forbidden else ''
        if self.ask(confirmation(f'Is this what you want: {wanted}{forbidden}?'))[0] != YES:
            raise NotConfirmedError(
                'A person said that this is not what was meant: give the task in other words.'
            )

    def ask(
        self, question: Question, usage: LlmUsage = NO_USAGE, reason: str = ''
    ) -> tuple[str, Observation]:
        """Ask a person: the answer, and the observation that it is.

        :raises CanceledError: stopped. :raises LimitReached: the decision limit.
        """
        attended = self.is_attended
        decision = self._events.decision(
            question.node_id, DecisionKind.ACT, skill=question.line, text=reason, usage=usage
        )
        self._events.emit(decision)
        answer = None
        if attended:
            asked = replace(question, number=decision.sequence)
            with self._timing.measure('waiting'):
                answer = self._people.ask(asked, self._cancel)
        text = answer_text(answer, question.default)
        observation = self._world.unmoved(decision, text, Outcome.SUCCEEDED)
        self._world.belief.update(observation)
        self._events.emit(observation)
        return answer if answer is not None else question.default, observation

    def question(self, node_id: int, skill: str) -> Question | None:
        """What a skill of kind ASK asks; None for other skills, or where nobody is there."""
        parsed = self._world.belief.skills.parse(skill)
        if parsed is None or parsed.kind is not SkillKind.ASK or not self.is_attended:
            return None
        slots = zip(parsed.type.slots, parsed.values, strict=True)
        texts = [one_line(value) for slot, value in slots if slot.type is SlotType.TEXT]
        return replace(read_question(next(filter(None, texts), skill)), node_id=node_id)
