"""Why a recorded run did a skill, did not do another one, and ended as it did: in sentences.

From the record and the reasoner; no model is asked. What was known at each moment is put together
again from the observations before it, as the planner did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import inf

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation, Outcome, Vocabulary
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rule, Rules, Verdict
from reactree_core.record.events import Decision, DecisionKind, Event, is_world_reset
from reactree_core.record.snapshot import AgentTree, is_step
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.operators import Operator
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.search import find_plan
from reactree_planner.facts.unreachable import told

#: Letters of a text of the record that are repeated in a sentence, and skills of a plan.
_LONGEST, _MOST_SKILLS = 200, 6
_ENDING = re.compile(r'\b(end(ed)?|stop(ped)?|fail(ed)?|succe\w+|finish(ed)?|give up|gave up)\b')
_NOT = re.compile(r"\bnot\b|n't\b|\binstead\b|\brather\b")
_NUMBER = re.compile(r'\b(?:skill|step|number|at)\s+#?(\d{1,6})\b')


@dataclass(frozen=True, slots=True)
class _Moment:
    """Before a decision: what was known, and what was forbidden."""

    decision: Decision
    goal: str
    offered: tuple[str, ...]
    reasoner: Reasoner | None
    #: Sentences of rules, by the skills that were asked about.
    objection: str


class RunReasons:
    """Answers questions about one run.

    :param events: in order, 1 or more. :param rules: that the run had, as far as they are written.
    :param task_rules: what its sentence forbids.
    """

    def __init__(
        self,
        events: Sequence[Event],
        vocabulary: Vocabulary,
        rules: Rules | None = None,
        task_rules: Sequence[Rule] = (),
    ) -> None:
        self.events = events
        self.vocabulary = vocabulary
        self._rules = rules if rules is not None else Rules()
        self._task_rules = task_rules

    def answer(self, question: str) -> tuple[str, ...]:
        """Sentences.

        :param question: "why open fridge 1", "why not take knife 1", "why did it end"; a skill's
            number in the record will do for its text ("skill 12").
        :raises ConfigurationError: it names no skill that could be meant.
        """
        text = ' '.join(question.casefold().replace('?', ' ').split())
        skill = self._skill_in(text)
        if not skill:
            if _ENDING.search(text):
                return self.why_ended()
            raise ConfigurationError(
                f'"{question[:80]}" names no skill of this run: ask "why SKILL", "why not SKILL" '
                'or "why did it end", with the skill as `reactree tree RUN --transcript` shows it.'
            )
        if _NOT.search(text.replace(skill.casefold(), ' ')):
            return self.why_not(skill)
        sent = [one for one in self._acts() if one.skill.casefold() == skill.casefold()]
        number = _NUMBER.search(text)
        chosen = [one for one in sent if number and one.sequence == int(number[1])] or sent
        if not chosen:
            return (f'"{skill}" was not done in this run.', *self.why_not(skill))
        return tuple(line for one in chosen[-1:] for line in self._why(one, len(sent)))

    def why(self, number: int) -> tuple[str, ...]:
        """Why a skill was done. :param number: of its decision in the record.

        :raises ConfigurationError: no skill has it.
        """
        act = next((one for one in self._acts() if one.sequence == number), None)
        if act is None or not is_step(act.skill):
            raise ConfigurationError(f'Event {number} of this run is no skill.')
        return tuple(self._why(act, 1))

    def others(self, number: int) -> tuple[str, ...]:
        """Skills that could have been done in place of the one with this number, sorted."""
        offered: tuple[str, ...] = ()
        for event in self.events:
            if isinstance(event, Observation):
                offered = event.admissible_skills or offered
            elif event.kind is DecisionKind.ACT and event.sequence == number:
                return tuple(sorted(set(offered) - {event.skill}))
        return ()

    def _acts(self) -> Iterator[Decision]:
        for event in self.events:
            if isinstance(event, Decision) and event.kind is DecisionKind.ACT:
                yield event

    def _skill_in(self, text: str) -> str:
        """The longest skill that stands in a text: one of the record, or any that is declared."""
        known = {one.skill for one in self._acts() if is_step(one.skill)}
        for event in self.events:
            if isinstance(event, Observation):
                known.update(event.admissible_skills)
        number = _NUMBER.search(text)
        if number:
            by_number = (one.skill for one in self._acts() if one.sequence == int(number[1]))
            return next(by_number, '')
        found = max((one for one in known if one.casefold() in text), key=len, default='')
        if found:
            return found
        words = text.split()
        tails = (' '.join(words[begin:]) for begin in range(len(words)))
        return next(filter(self._is_skill, tails), '')

    def _is_skill(self, text: str) -> bool:
        """Whether a text is a skill of the run's server."""
        kinds = self.vocabulary.skills
        return any(True for kind in kinds for _ in kind.splits(text))

    # Why a skill was done ----------------------------------------------------------------------

    def _why(self, act: Decision, times: int) -> Iterator[str]:
        moment = next(one for one in self._moments(act.skill) if one.decision is act)
        often = f' It was done {times} times; this is the last.' if times > 1 else ''
        yield (
            f'Skill {act.sequence}, "{act.skill}", was done by agent {act.node_id}, whose goal '
            f'was "{moment.goal}".{often}'
        )
        if act.is_unasked:
            yield f'Facts chose it without asking the model: {_short(act.text)}'
        else:
            others = sum(one != act.skill for one in moment.offered)
            yield f'The model chose it; the skill server offered {others} others.'
            thought = self._thought_before(act)
            if thought:
                yield f'The agent had thought: "{_short(thought)}"'
        yield from _by_facts(moment, act.skill)
        yield from _allowed(act)
        answer = self._answer_of(act)
        if answer is None:
            yield 'What came of it is not in the record.'
        elif answer.outcome is Outcome.SAFETY_REJECTED:
            yield f'It was not done: {_short(answer.text)}'
        else:
            word = (
                'It worked' if answer.succeeded else f'It failed ({answer.outcome.name.lower()})'
            )
            yield f'{word}: {_short(answer.text)}'

    def _thought_before(self, act: Decision) -> str:
        thoughts = [
            one.text
            for one in self.events
            if isinstance(one, Decision)
            and one.kind is DecisionKind.THINK
            and one.node_id == act.node_id
            and one.sequence < act.sequence
        ]
        return thoughts[-1] if thoughts else ''

    def _answer_of(self, act: Decision) -> Observation | None:
        answers = (one for one in self.events if isinstance(one, Observation))
        same = (one for one in answers if one.sequence == act.sequence and one.skill == act.skill)
        return next(same, None)

    # Why another one was not -------------------------------------------------------------------

    def why_not(self, skill: str, number: int = 0) -> tuple[str, ...]:
        """By the moments of the run: forbidden, not on offer, or worse than what was done.

        :param number: of the skill in whose place it is meant; 0 for any.
        """
        fits = self._is_skill(skill)
        moments = [
            one
            for one in self._moments(skill)
            if one.decision.skill != skill and number in (0, one.decision.sequence)
        ]
        said = [
            f'Skill {one.sequence} was it, and was not let through: {_short(answer.text)}'
            for one in self._acts()
            if one.skill == skill
            and (answer := self._answer_of(one)) is not None
            and answer.outcome is Outcome.SAFETY_REJECTED
        ]
        if not moments:
            return (*said, 'The run did no other skill.') if not said else tuple(said)
        forbidden = [one for one in moments if one.objection]
        free = [one for one in moments if skill in one.offered and not one.objection]
        if free:
            one = free[0]
            where = 'once' if len(free) == 1 else f'{len(free)} times'
            said.append(
                f'It could have been done {where}, first before skill {one.decision.sequence}, '
                f'where "{one.decision.skill}" was chosen.'
            )
            said += _compared(one, skill)
        elif forbidden:
            said.append(f'It was forbidden: {_short(forbidden[-1].objection)}')
        elif not fits:
            said.append('No skill of the server reads so: see the skills that it declares.')
        else:
            told_offers = any(one.offered for one in moments)
            if told_offers:
                said.append('It was never applicable: the skill server did not offer it.')
            said += _needs(moments[-1], skill)
        if free and forbidden:
            number = forbidden[0].decision.sequence
            said.append(
                f'Before skill {number} it was forbidden: {_short(forbidden[0].objection)}'
            )
        return tuple(said)

    # Why it ended ------------------------------------------------------------------------------

    def why_ended(self) -> tuple[str, ...]:
        """What was said, the last skill that failed, and what the task still lacked."""
        tree = AgentTree()
        end = None
        for event in self.events:
            tree.apply(event)
            if isinstance(event, Decision) and event.kind is DecisionKind.FINISH:
                end = event if event.node_id == 0 else end
        if end is None:
            return (
                'No end is recorded: the run goes on, or its planner was killed. Its last event '
                f'is number {tree.sequence}.',
            )
        why = _short(end.text) or 'nothing was said about why'
        said = [f'The run ended with {end.status.name.lower()}: {why}']
        failed = [
            one
            for one in self.events
            if isinstance(one, Observation) and one.skill and not one.succeeded
        ]
        if end.status.name != 'SUCCESS' and failed:
            last = failed[-1]
            said.append(
                f'The last skill that did not work was number {last.sequence}, "{last.skill}" '
                f'({last.outcome.name.lower()}): {_short(last.text)}'
            )
        if end.status.name != 'SUCCESS' and tree.reason:
            said.append(f'The last agent that gave up said: {_short(tree.reason)}')
        moment = next(self._moments(''), None)
        if moment is not None and moment.reasoner is not None:
            reasoner = self._reasoner_at_end()
            left = reasoner.advance() if reasoner is not None else ()
            met = 'All that was read of the task held then.'
            lacks = '; '.join(one.text for one in left)
            said.append(f'By what was known then it lacked: {lacks}.' if left else met)
        return tuple(said)

    # What was known ----------------------------------------------------------------------------

    def _reasoner(self) -> Reasoner | None:
        goals = (one.goal for one in self.events if isinstance(one, Decision))
        milestones = next((one.milestones for one in goals if one.milestones), ())
        if not milestones:
            return None
        read = tuple(conditions_of(tuple(one.split('; '))) for one in milestones)
        return Reasoner(self.vocabulary, read)

    def _reasoner_at_end(self) -> Reasoner | None:
        reasoner = self._reasoner()
        for event in self.events if reasoner is not None else ():
            if isinstance(event, Observation) and reasoner is not None:
                reasoner.see(event)
                reasoner.advance()
        return reasoner

    def _moments(self, skill: str) -> Iterator[_Moment]:
        """Before each skill that was chosen. :param skill: of which is asked what rules say."""
        tree = AgentTree()
        reasoner = self._reasoner()
        permission = Permission(
            self._rules,
            True,
            self.vocabulary.skills,
            self._task_rules,
            hour=None,
            regions=self.vocabulary.rooms,
        )
        offered: tuple[str, ...] = ()
        begun: Decision | None = None
        for event in self.events:
            if isinstance(event, Observation):
                if is_world_reset(event):
                    permission.forget()
                if begun is not None and event.skill == begun.skill:
                    permission.record(begun.skill, event)
                    begun = None
                permission.see(event)
                offered = event.admissible_skills or offered
                if reasoner is not None:
                    reasoner.see(event)
                    reasoner.advance()
            elif event.kind is DecisionKind.ACT and is_step(event.skill):
                ruling = permission.ruling(skill) if skill else None
                denied = ruling is not None and ruling.verdict is not Verdict.ALLOW
                yield _Moment(
                    event,
                    tree.node(event.node_id).goal if event.node_id else tree.task,
                    offered,
                    deepcopy(reasoner),
                    ruling.reason if ruling is not None and denied else '',
                )
                permission.begin(event.skill)
                begun = event
            tree.apply(event)


def _allowed(act: Decision) -> Iterator[str]:
    """Who let a skill through, and what takes it back; nothing of older records."""
    if not act.allowed_by:
        return
    if act.allowed_by.startswith('person'):
        by = act.approver or 'a person without a name'
        yield f'It was approved by {by} {act.allowed_by.removeprefix("person ")}.'
    else:
        yield f'It was allowed by {act.allowed_by}.'
    yield (
        f'"{act.undone_by}" takes it back.'
        if act.undone_by
        else 'No skill is declared to take it back.'
    )


def _by_facts(moment: _Moment, skill: str) -> Iterator[str]:
    """What the reasoner would do at a moment."""
    plan, goal = _plan_of(moment)
    if not plan:
        return
    texts = [one.text for one in plan if one.text]
    plan_sentence = ', '.join(f'"{one}"' for one in texts[:_MOST_SKILLS])
    plan_sentence += ', ...' if len(texts) > _MOST_SKILLS else ''
    if texts and texts[0] == skill:
        yield f'By what was known then it begins the way to {goal}: {plan_sentence}.'
    elif skill in texts:
        yield f'By what was known then it is on the way to {goal}: {plan_sentence}.'
    elif texts:
        yield f'By what was known then the way to {goal} would have been: {plan_sentence}.'


def _plan_of(moment: _Moment) -> tuple[tuple[Operator, ...], str]:
    """The plan of the reasoner at a moment, and what it is for; () where it has none."""
    if moment.reasoner is None or not moment.reasoner.goal.unmet():
        return (), ''
    bound = moment.reasoner.bound()
    if not bound.goal:
        return (), ''
    bound.problem.capacity = moment.reasoner.belief.most_held
    bound.problem.aim(bound.goal)
    goal = '; '.join(one.text for one in moment.reasoner.goal.unmet())
    return find_plan(bound.problem), f'"{goal}"'


def _compared(moment: _Moment, skill: str) -> Iterator[str]:
    """What another skill would have cost, beside the one that was chosen."""
    if moment.reasoner is None or not moment.reasoner.goal.unmet():
        yield 'What it would have brought cannot be told: the task was not read as conditions.'
        return
    other, chosen = (_cost_of(moment, one) for one in (skill, moment.decision.skill))
    goal = '; '.join(one.text for one in moment.reasoner.goal.unmet())
    if other == inf:
        act = moment.decision
        instead = f'; "{act.skill}" was done {act.text}' if act.is_unasked else ''
        yield f'It was on no way to "{goal}" that was known then{instead}.'
    elif other < chosen:
        yield f'Towards "{goal}" it would have been no worse, by what was known then.'
    else:
        more = 'more' if other > chosen else 'as much'
        yield (
            f'It costs {more}: towards "{goal}" about {other:.1f} in all, what was chosen about '
            f"{chosen:.1f} (the reasoner's estimate, in skills)."
        )


def _cost_of(moment: _Moment, skill: str) -> float:
    """The estimate of a way that begins with a skill; inf where it is on none."""
    assert moment.reasoner is not None
    bound = moment.reasoner.bound()
    problem = bound.problem
    problem.capacity = moment.reasoner.belief.most_held
    problem.aim(bound.goal)
    found = inf
    # Without a goal, something is to be found first, and nothing costs anything.
    for index, operator in enumerate(problem.operators if bound.goal else ()):
        if operator.text == skill and problem.is_applicable(index, problem.initial):
            after = problem.after(index, problem.initial)
            left = problem.cost_of(problem.goal, problem.estimate(after))
            found = min(found, operator.cost + left)
    return found


def _needs(moment: _Moment, skill: str) -> Iterator[str]:
    """What a skill lacked at a moment, as far as it declares what it needs."""
    if moment.reasoner is None:
        return
    reasoner = moment.reasoner
    if reasoner.belief.attempts.has_given_up(skill):
        yield 'It had failed too often to be tried again.'
    problem = reasoner.bound().problem
    problem.capacity = reasoner.belief.most_held
    ways = [one for one in problem.operators if one.text == skill]
    lacks = [
        ' or '.join(told(fact) for fact in group)
        for one in ways[:1]
        for group in one.needs
        if not problem.has(group)
    ]
    if lacks:
        at = moment.decision.sequence
        yield f'Before skill {at} it lacked: {"; ".join(lacks)}.'
    elif not ways:
        yield 'Nothing that was asked for needs it, by what was known.'


def _short(text: str) -> str:
    """A text of the record, in one line."""
    line = ' '.join(text.split())
    return line if len(line) <= _LONGEST else f'{line[:_LONGEST]}...'
