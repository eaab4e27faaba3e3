"""Questions to people: their place in a run and its record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, NotConfirmedError
from reactree_core.observation import Observation, Vocabulary
from reactree_core.record.events import Decision, QUESTION
from reactree_core.record.journal_lines import Answer, decode_record, encode_record
from reactree_core.record.questions import (
    NOBODY,
    Question,
)
from reactree_core.record.run_settings import Ask, Limits
from reactree_core.record.snapshot import reduce_events
from reactree_core.record.trajectory import trajectories_of
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.logged_ports import LoggedMemory, LoggedPeople, LoggedSkills
from reactree_planner.resume.recorded_people import RecordedPeople
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.recording.rerun import rerun
from support.memories import FixedMemory

WHICH = Question('Which crate?', ('crate 1', 'crate 2'), 'crate 1')


class Killed(BaseException):
    """The process ended here."""


class Attendant:
    """A person who answers by a list; None: not in time. A class of error is raised."""

    attended = True

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def ask(self, question, cancel):
        self.asked.append(question)
        answer = self.answers.pop(0)
        if isinstance(answer, type):
            raise answer
        return answer


class Dock:
    """One crate to load; its server can ask people too."""

    def __init__(self, kinds=((SkillKind.ASK, 'ask <text>'), (SkillKind.OTHER, 'load <crate>'))):
        self._types = tuple(SkillType(template, kind=kind) for kind, template in kinds)
        self.executed = []

    def _seen(self, text):
        return Observation(text, place='dock 1', admissible_skills=('ask <text>', 'load crate 1'))

    def list_skills(self, cancel):
        templates = tuple(one.template for one in self._types)
        told = Vocabulary(templates, object_classes=('crate',), skill_types=self._types)
        return told, self._seen('You are at the dock.')

    def look(self, cancel):
        return self._seen('You are at the dock.')

    def execute(self, sequence, node_id, skill, cancel):
        self.executed.append(skill)
        return self._seen(f'You did: {skill}.')

    def progress(self, cancel):
        return None


def made_run(people=NOBODY, ask=Ask.WHEN_UNSURE, task='load the crate', policy=None, **given):
    """A run that has begun to log: (run, dock, records)."""
    records = []

    def write(record):
        if len(records) == given.get('stop_before'):
            raise Killed
        # As a file would have it.
        records.append(decode_record(encode_record(record)))

    log = RunLog(write, given.get('past', ()))
    dock = given.get('dock') or Dock()
    run = PlanRun(
        task,
        Ports(
            LoggedModel(PolicyModel(policy or (lambda text, options: 0)), log),
            LoggedSkills(dock, log),
            LoggedMemory(FixedMemory(), log),
            people=LoggedPeople(people, log),
        ),
        replace(PlannerSettings(interprets=False), ask=ask),
        given.get('limits') or Limits(),
        CancelToken(),
        lambda event: None,
        log=log,
    )
    return run, dock, records


def events_of(records):
    """The events of a log."""
    return [record for record in records if not isinstance(record, Answer)]


def asked_and_answered(records):
    """(skill, text of the observation) of every question."""
    return [
        (event.skill, event.text)
        for event in events_of(records)
        if isinstance(event, Observation) and event.skill.startswith(QUESTION)
    ]


# In a run ------------------------------------------------------------------------------------


def test_a_question_is_an_act_and_its_answer_an_observation_but_no_step():
    people = Attendant('crate 2')
    run, dock, records = made_run(people)
    run.start('reactree')
    run.acting.look(1)
    assert run.aims.understanding.is_attended
    assert run.acting.ask(1, WHICH) == 'crate 2'
    decision, observation = events_of(records)[-2:]
    assert decision.skill == observation.skill == 'ask: Which crate? [crate 1 | crate 2]'
    assert observation.text == 'The person answers: crate 2'
    assert observation.place == 'dock 1' and observation.admissible_skills
    assert decision.sequence == observation.sequence == people.asked[0].number
    tree = run.tree.snapshot()
    assert (tree.decisions, tree.steps, tree.nodes[0].steps) == (1, 0, 0)
    assert reduce_events(events_of(records)) == tree
    assert not dock.executed


def test_a_question_before_the_root_has_looked_belongs_to_the_run():
    run, _, records = made_run(Attendant('2'))
    run.start('reactree')
    run.acting.ask(0, WHICH)
    assert run.tree.snapshot().decisions == 0
    run.acting.look(1)
    trajectory = trajectories_of(events_of(records)).of(1)
    assert trajectory.first_observation == 'You are at the dock.' and not trajectory.steps


@pytest.mark.parametrize(
    ('people', 'ask'),
    [(NOBODY, Ask.ALWAYS), (Attendant(), Ask.NEVER), (Attendant(None), Ask.ALWAYS)],
)
def test_where_nobody_answers_the_default_is_taken(people, ask):
    run, _, records = made_run(people, Ask.NEVER)
    run.start('reactree')
    run.settings = replace(run.settings, ask=ask)
    assert run.acting.ask(0, WHICH) == 'crate 1'
    assert asked_and_answered(records)[0][1] == 'Nobody answered: "crate 1" is taken.'


def test_a_run_that_is_stopped_while_it_waits_ends():
    run, _, records = made_run(Attendant(CanceledError))
    run.start('reactree')
    with pytest.raises(CanceledError):
        run.acting.ask(0, WHICH)
    assert isinstance(events_of(records)[-1], Decision)


def test_a_question_needs_no_step_but_a_decision():
    run, _, _ = made_run(Attendant('crate 1'), limits=Limits(decisions=5, steps=1))
    run.start('reactree')
    run.acting.look(1)
    run.acting.act(1, 'load crate 1')
    assert run.acting.ask(1, WHICH) == 'crate 1'


def test_always_asks_whether_the_task_was_understood_and_no_ends_the_run():
    run, _, records = made_run(Attendant('yes'), Ask.ALWAYS)
    run.start('reactree')
    ((line, text),) = asked_and_answered(records)
    assert line == 'ask: Is this what you want: done load crate? [yes | no]'
    assert text == 'The person answers: yes'
    run, _, _ = made_run(Attendant('no'), Ask.ALWAYS)
    with pytest.raises(NotConfirmedError, match='other words'):
        run.start('reactree')
    run, _, records = made_run(Attendant(None), Ask.ALWAYS)
    run.start('reactree')
    assert asked_and_answered(records)[0][1] == 'Nobody answered: "yes" is taken.'


def test_what_a_task_forbids_is_shown_to_whoever_attends():
    task = 'load the crate, but never load crate 3'
    run, _, records = made_run(Attendant('yes'), task=task)
    run.start('reactree')
    assert run.tree.must_not == ('load crate 3',)
    assert '(must not: load crate 3)? [yes | no]' in asked_and_answered(records)[0][0]
    # Nobody there, or nothing forbidden: nobody is asked.
    for people, said in ((NOBODY, task), (Attendant('no'), 'load the crate')):
        run, _, records = made_run(people, task=said)
        run.start('reactree')
        assert not asked_and_answered(records)


def test_a_skill_that_asks_goes_to_people_who_attend_and_else_to_the_server():
    people = Attendant('the red one')
    run, dock, records = made_run(people)
    run.start('reactree')
    run.acting.look(1)
    observation = run.acting.act(1, 'ask which one? [red | blue]')
    assert observation.text == 'The person answers: the red one'
    assert people.asked[0].options == ('red', 'blue')
    assert asked_and_answered(records)[0][0] == 'ask: which one? [red | blue]'
    assert not dock.executed and run.tree.steps == 0
    run, dock, _ = made_run(NOBODY)
    run.start('reactree')
    run.acting.look(1)
    assert run.acting.act(1, 'ask which one?').text == 'You did: ask which one?.'
    assert dock.executed == ['ask which one?'] and run.tree.steps == 1


@pytest.mark.parametrize(
    ('ask', 'is_asked'), [(Ask.WHEN_UNSURE, True), (Ask.ALWAYS, True), (Ask.NEVER, False)]
)
def test_who_is_there_is_asked_whether_a_rule_in_time_was_meant(ask, is_asked):
    task = 'load the crate, but load at most two crates'
    people = Attendant('no')
    run, _, _ = made_run(people, ask, task)
    if is_asked:
        with pytest.raises(NotConfirmedError):
            run.start('reactree')
        assert '(must not: load crate more than twice)' in people.asked[0].text
    else:
        run.start('reactree')
    assert run.world.rules.must_not == ('load crate more than twice',)


def test_settings_of_a_preset_switch_questions_off():
    assert settings_of_preset('default', 'reactree').ask is Ask.WHEN_UNSURE
    assert settings_of_preset('default,ask=never', 'reactree').ask is Ask.NEVER
    with pytest.raises(ValueError, match='never, when-unsure, always'):
        settings_of_preset('default,ask=often', 'reactree')


# Interrupted, and done again --------------------------------------------------------------------


def asking_run(**given):
    """A run that asks, works, and asks again: (answers, run, dock, records, attendant)."""
    people = Attendant(*given.pop('answers', ('yes', 'crate 2', None)))
    run, dock, records = made_run(people, Ask.ALWAYS, **given)
    answers = []
    try:
        run.start('reactree')
        run.acting.look(1)
        answers.append(run.acting.ask(1, WHICH))
        run.acting.act(1, 'load crate 1')
        answers.append(run.acting.ask(1, WHICH))
    except Killed:
        answers = None
    return answers, run, dock, [*given.get('past', ()), *records], people


def test_killed_at_any_record_no_answer_is_asked_for_twice():
    answers, _, _, whole, people = asking_run()
    assert answers == ['crate 2', 'crate 1'] and len(people.asked) == 3
    for cut in range(1, len(whole)):
        _, _, _, kept, before = asking_run(stop_before=cut)
        known = sum(isinstance(one, Answer) and one.kind == 'person' for one in kept)
        left = ('yes', 'crate 2', None)[known:]
        resumed, _, _, records, after = asking_run(past=kept, answers=left)
        assert resumed == answers
        assert len(after.asked) == 3 - known, 'an open question is asked again, no other'
        assert asked_and_answered(records) == asked_and_answered(whole)
        assert len(before.asked) in (known, known + 1)


def test_a_resumed_run_stays_attended_or_not_as_it_was():
    _, _, _, whole, _ = asking_run()
    run, _, _ = made_run(NOBODY, Ask.ALWAYS, past=whole)
    run.start('reactree')
    run.acting.look(1)
    assert run.acting.ask(1, WHICH) == 'crate 2'


def test_a_run_with_questions_is_done_again_without_them():
    _, _, _, whole, _ = asking_run()
    dock = Dock()
    done = rerun(events_of(whole), dock, CancelToken())
    assert done.divergence is None and done.steps == 1
    assert dock.executed == ['load crate 1']


def test_recorded_people_say_again_what_they_said():
    _, _, _, whole, _ = asking_run()
    answers = [record for record in whole if isinstance(record, Answer)]
    run, _, again = made_run(RecordedPeople(answers), Ask.ALWAYS)
    run.start('reactree')
    run.acting.look(1)
    assert run.acting.ask(1, WHICH) == 'crate 2'
    run.acting.act(1, 'load crate 1')
    assert run.acting.ask(1, WHICH) == 'crate 1'
    assert asked_and_answered(again) == asked_and_answered(whole)
    nobody = RecordedPeople([])
    assert not nobody.attended and nobody.ask(WHICH, CancelToken()) is None


def test_a_planner_may_choose_to_ask():
    def policy(text, options):
        if options is None:
            return ' which one? [red | blue]\n'
        names = [option.strip() for option in options]
        for wanted in ('Act:', 'Think:'):
            if wanted in names:
                return names.index(wanted)
        asks = next((at for at, name in enumerate(names) if name.startswith('ask')), None)
        if asks is not None and 'answers' not in text.rpartition('Your task is to')[2]:
            return asks
        return names.index('done') if 'done' in names else 0

    people = Attendant('red', 'red', 'red')
    run, dock, records = made_run(people, task='tell which one', policy=policy)
    assert make_planner('react').run(run)
    assert asked_and_answered(records)[0] == (
        'ask: which one? [red | blue]', 'The person answers: red'
    )  # fmt: skip
    assert 'The person answers: red' in trajectories_of(events_of(records)).of(1).text
    assert not dock.executed
