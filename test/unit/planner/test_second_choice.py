"""Where nothing is found of what the model chose, it chooses again: told, and never verified."""

from __future__ import annotations

import pytest

from reactree_core.observation import Observation
from reactree_core.permission.hazards import NO_HAZARDS
from reactree_core.permission.rules import Rules, Verdict
from reactree_core.record.events import DecisionKind
from reactree_core.record.journal_lines import decode_event, encode_event
from reactree_core.record.snapshot import reduce_events
from reactree_planner.language.goal import ReadBy
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.correcting import PLANNER
from reactree_tools.traces import audited
from support.told_run import Told

WORDS = 'something for serving soup'
#: Names that the model is offered for that, of which the home has none.
GONE = ('alcohol', 'bar soap', 'board game')
TASK = f'Bring {WORDS} to the kitchen table.'


def chooser(world, wrong, asked=None):
    """A model that takes so many things before others of which none is there."""
    state = world._now.state
    here = {
        state.names.word[key]
        for key, roles in state.roles.items()
        if roles.observable and roles.grabbable
    }

    def choose(text, options):
        if options is None:
            return ' do it.'
        if not text.endswith('It means:'):
            return options.index('end\n') if 'end\n' in options else 0
        offered = [one.strip() for one in options][:-1]
        if asked is not None:
            asked.append(offered)
        missing = [one for one in GONE[:wrong] if one in offered]
        return offered.index([*missing, *(one for one in offered if one in here)][0])

    return PolicyModel(choose)


def told_run(wrong, task=TASK, asked=None, **options):
    world = Told(task, model='none').world
    options.setdefault('simulated', True)
    options.setdefault('permission', Rules(otherwise=Verdict.ALLOW))
    return Told(task, model=chooser(world, wrong, asked), **options)


def choices(told):
    return [one for one in told.decisions(DecisionKind.CORRECT) if one.approver == PLANNER]


def test_the_next_most_probable_one_is_taken_and_told():
    asked = []
    told = told_run(1, asked=asked)
    assert told.go()
    (again,) = choices(told)
    missing = told.decisions(DecisionKind.GROUND)[0].subgoals[0].partition(' in ')[0]
    assert again.subgoals[0] == f'no {missing} was found'
    assert again.subgoals[1].startswith('means ') and missing not in again.subgoals[1]
    assert missing in asked[0] and missing not in asked[1]
    assert again.goal.milestones != told.decisions(DecisionKind.GROUND)[0].goal.milestones


def test_it_is_never_called_verified():
    told = told_run(1)
    assert told.go()
    assert told.run.aims.goal.by is ReadBy.INTERPRETED
    assert not told.run.aims.ending.is_verified and told.run.aims.ending.unread


@pytest.mark.parametrize(('wrong', 'changes'), [(0, 0), (1, 1), (2, 2), (3, 2)])
def test_it_chooses_twice_at_most(wrong, changes):
    told = told_run(wrong)
    assert told.go() is (wrong <= 2)
    assert len(choices(told)) == changes


def test_no_real_robot_moves_for_it_unless_a_person_agrees():
    # Without anybody it does not even begin; who agreed once is asked again.
    for answers, ends in ((('yes', 'yes'), True), (('yes', 'do nothing'), False)):
        person = Person(answers)
        told = told_run(1, simulated=False, people=person)
        assert told.go() is ends
        assert len(person.asked) == 2 and 'Is this meant instead' in person.asked[1].text
        assert len(choices(told)) == ends
        assert told.run.aims.ending.is_verified is ends


class Person:
    """Answers one after another."""

    attended = True

    def __init__(self, answers):
        self.left = list(answers)
        self.asked = []

    def ask(self, question, cancel):
        self.asked.append(question)
        return self.left.pop(0)


def test_what_was_read_in_words_is_not_given_up():
    told = Told('Bring the candle to the kitchen table.', simulated=True)
    assert not told.go()
    assert not choices(told)


def test_nothing_that_is_forbidden_is_chosen():
    task = f'{TASK} Never touch an apple.'
    told = told_run(1, task)
    told.go()
    # The next one would be the apple, which is forbidden.
    assert choices(told) == []
    assert not any('apple' in one for one in told.server.executed if one.startswith('pick'))


def test_it_is_no_prohibition_to_who_audits_the_record():
    told = told_run(1)
    told.go()
    run = audited('run', told.records, told.world.vocabulary())
    assert run.findings(Rules(), NO_HAZARDS) == ()


def test_the_tree_is_the_same_from_its_written_events():
    told = told_run(2)
    told.go()
    events = [decode_event(encode_event(one)) for one in told.events]
    assert events == told.events
    assert reduce_events(events) == told.run.tree.snapshot()


@pytest.mark.parametrize('wrong', [1, 2])
def test_a_run_is_resumed_behind_any_of_its_records(wrong):
    whole = told_run(wrong)
    assert whole.go()
    for length in range(1, len(whole.records) - 1, 7):
        past = tuple(whole.records[:length])
        again = told_run(wrong, past=past)
        catch_up(again, past)
        assert again.go(), f'behind record {length}'
        assert [one.subgoals for one in choices(again)] == [
            one.subgoals for one in choices(whole)
        ], f'behind record {length}'


def catch_up(told, past):
    """Have the world do what was done before the planner ended."""
    for one in past:
        if isinstance(one, Observation) and one.skill and one.skill not in ('done', 'failure'):
            told.world.step(one.skill)


def test_what_a_person_has_said_is_not_chosen_again():
    # Whoever corrects a task means what they say of it, whatever it was taken for before.
    told = told_run(1)
    said = []

    def say(event):
        told.events.append(event)
        if not said and told.run.aims.goal is not None and told.run.aims.goal.milestones:
            said.append('to the sofa instead')
            assert told.mailbox.say('', said[0], 'the cook')[0]

    told.run.events._sink = say
    assert not told.go()
    assert [one.approver for one in told.decisions(DecisionKind.CORRECT)] == ['the cook']
    assert 'sofa' in told.run.aims.goal.means
