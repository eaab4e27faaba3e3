"""What was not understood moves no robot: it is asked back, refused, or marked in a simulation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import LimitReached, NotConfirmedError, NotUnderstoodError
from reactree_core.observation import ObjectFact
from reactree_core.record.events import NodeStatus
from reactree_core.record.outcome import ErrorCode, outcome_of_error
from reactree_core.record.run_settings import Ask, Limits
from reactree_planner.language.goal import ReadBy
from reactree_planner.language.reader import Reading
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Decides, PlannerSettings
from support.memories import FixedMemory

_UNREAD = 'make it cosy in here for grandmother'
_GERMAN = 'Leg den Apfel auf den Tisch und mach den Kühlschrank nicht auf'
_CONTRADICTION = 'Open the fridge and go to the table. Never open the fridge.'
#: What was not read may forbid: in another language, or in none that is known.
_MIXED = [
    f'Put the apple on the table. {other}'
    for other in (
        'Fass den Herd nicht an!', 'Niemals Herd!', 'Herd tabu!', '绝对不要碰炉子。',
        'コンロに触るな。', 'Не трогай плиту.', 'I say: ohne Herd.', 'Konro ni sawaranaide.',
        'Finger weg vom Herd, please.',
    )
]  # fmt: skip
_UNTOLD = ['Milch Kühlschrank', 'Konro ni sawaranaide', 'Nem szabad']
_NO_REQUESTS = ['Is there any milk left?', 'Never mind.', 'Hello robot!', '🍎🧊']


class Person:
    """Answers one of the options; None: nobody is there."""

    def __init__(self, chosen=None):
        self.attended = chosen is not None
        self.chosen = chosen
        self.asked = []

    def ask(self, question, cancel):
        self.asked.append(question)
        return question.options[self.chosen]


def _first_skill(text, options):
    """Moves whatever can be moved."""
    if options is None:
        return ' I move.'
    names = [one.strip() for one in options]
    wanted = (one for one in ('Act:', 'go to kitchen 1', 'go to fridge 1') if one in names)
    return names.index(next(wanted, names[0]))


def begin(
    make_home, task, people, *, simulated=False, sink=lambda event: None, decisions=4, model='',
    **settings,
):  # fmt: skip
    home = make_home()
    run = PlanRun(
        task,
        Ports(PolicyModel(_first_skill, model or 'policy'), home, FixedMemory(), people=people),
        replace(PlannerSettings(), **settings),
        Limits(decisions=decisions),
        CancelToken(),
        sink,
        lambda decision: None,
        simulated=simulated,
    )
    return home, run


def carried_out(run):
    try:
        return carry_out(make_planner('react'), run)
    except NotUnderstoodError as error:
        return outcome_of_error(error)
    except LimitReached:
        return None


@pytest.mark.parametrize('simulated', [True, False])
@pytest.mark.parametrize('task', _NO_REQUESTS)
@pytest.mark.parametrize('decides', list(Decides))
def test_what_is_no_request_moves_nothing_anywhere(make_home, task, simulated, decides):
    home, run = begin(make_home, task, Person(), simulated=simulated, decides=decides)
    ended = carried_out(run)
    assert ended.code is ErrorCode.INVALID_TASK and not ended.success
    assert ended.message.endswith('.') and not home.executed


@pytest.mark.parametrize('task', [_UNREAD, _GERMAN])
def test_on_a_robot_a_person_is_asked_who_says_no(make_home, task):
    person = Person(-1)
    home, run = begin(make_home, task, person)
    assert carried_out(run).code is ErrorCode.INVALID_TASK
    assert person.asked[0].text.startswith('Not understood: ') and person.asked[0].node_id == 0
    assert person.asked[0].default == person.asked[0].options[-1]
    assert not home.executed


@pytest.mark.parametrize('task', [_UNREAD, _GERMAN])
def test_on_a_robot_a_person_may_let_the_model_go_on(make_home, task):
    home, run = begin(make_home, task, Person(-2))
    carried_out(run)
    assert home.executed


@pytest.mark.parametrize('task', [_UNREAD, _GERMAN])
@pytest.mark.parametrize('ask', [Ask.NEVER, Ask.WHEN_UNSURE])
def test_on_a_robot_without_a_person_the_run_ends_with_a_sentence(make_home, task, ask):
    home, run = begin(make_home, task, Person(), ask=ask)
    ended = carried_out(run)
    assert ended.code is ErrorCode.INVALID_TASK and 'other words' in ended.message
    assert not home.executed


@pytest.mark.parametrize('task', [*_MIXED, *_UNTOLD])
def test_what_may_forbid_in_another_language_is_never_acted_over(make_home, task):
    home, run = begin(make_home, task, Person())
    ended = carried_out(run)
    assert ended.code is ErrorCode.INVALID_TASK and not home.executed
    assert task.split('. ')[-1].rstrip('.!。').removesuffix(', please') in ended.message


@pytest.mark.parametrize(
    'task',
    [
        'Put the apple on the table. Fass den Herd nicht an!',
        'Put the apple on the table, niemals den Herd.',
        'Put the apple on the table ohne Herd',
        'Put the apple on the table. 绝对不要碰炉子。',
        'Konro ni sawaranaide',
    ],
)
def test_nor_does_a_robot_move_over_it_where_the_model_decides(make_home, task):
    home, run = begin(make_home, task, Person(), decides=Decides.MODEL)
    assert carried_out(run).code is ErrorCode.INVALID_TASK and not home.executed


def test_who_is_there_is_asked_about_what_a_model_read_as_forbidden(make_home):
    task = 'Leg den Apfel auf den Tisch, aber öffne nie den Kühlschrank'
    lines = (
        '"Leg den Apfel auf den Tisch" -> apple in table\n'
        '"aber öffne nie den Kühlschrank" -> must not (open) fridge\n'
    )

    def reads(text, options):
        done = text.rsplit(f'Sentence: {task}\n', 1)[-1]
        left = lines.removeprefix(done)
        return max((one for one in options if left.startswith(one)), key=len, default='end\n')

    person = Person(-1)
    home = make_home()
    run = PlanRun(
        task,
        Ports(PolicyModel(reads), home, FixedMemory(), people=person),
        replace(PlannerSettings(), reading=Reading.MODEL),
        Limits(decisions=4),
        CancelToken(),
        lambda event: None,
    )
    with pytest.raises(NotConfirmedError):
        carry_out(make_planner('react'), run)
    assert 'must not: open fridge' in person.asked[0].text and not home.executed


@pytest.mark.parametrize('task', [*_MIXED, *_UNTOLD])
def test_in_a_simulation_it_is_told_before_anything_moves(make_home, task):
    events = []
    _, run = begin(make_home, task, Person(), simulated=True, sink=events.append)
    carried_out(run)
    assert task.split('. ')[-1].rstrip('.!。').removesuffix(', please') in run.notices[0]
    assert run.aims.goal.by is ReadBy.GRAMMAR and not run.aims.goal.acts


def test_who_lets_the_model_decide_on_purpose_is_not_asked_but_for_another_language(make_home):
    home, run = begin(make_home, _UNREAD, Person(), decides=Decides.MODEL)
    carried_out(run)
    assert home.executed and 'not understood' in run.notices[0]
    home, run = begin(make_home, _GERMAN, Person(), decides=Decides.MODEL)
    assert 'German' in carried_out(run).message and not home.executed


@pytest.mark.parametrize('task', [_UNREAD, _GERMAN])
def test_in_a_simulation_the_model_tries_and_a_notice_says_so(make_home, task):
    home, run = begin(make_home, task, Person(), simulated=True)
    carried_out(run)
    assert home.executed
    assert [one for one in run.notices if 'not understood' in one]


@pytest.mark.parametrize(
    'task',
    [
        'put the apple on the table, twinkle softly',
        'never open the fridge, and gladden the apple',
        'never open the fridge',
    ],
)
def test_a_robot_does_not_move_for_a_part_of_what_was_told(make_home, task):
    home, run = begin(make_home, task, Person())
    assert carried_out(run).code is ErrorCode.INVALID_TASK and not home.executed
    home, run = begin(make_home, task, Person(0))
    carried_out(run)
    assert home.executed


@pytest.mark.parametrize(
    ('task', 'simulated'),
    [('Could you put the apple on the table?', False), ('never open the fridge', True)],
)
def test_what_was_read_needs_nobody(make_home, task, simulated):
    person = Person()
    home, run = begin(make_home, task, person, simulated=simulated)
    carried_out(run)
    assert not [one for one in run.notices if 'not understood' in one]
    assert home.executed


@pytest.mark.parametrize(
    ('task', 'told'),
    [
        ('close the fridge', 'verified'),
        (_UNREAD, 'not known: not all of the task was read'),
    ],
)
def test_the_record_of_the_end_says_whether_it_is_verified(make_home, task, told):
    events = []
    _, run = begin(make_home, task, Person(), simulated=True, sink=events.append, decisions=40)
    carried_out(run)
    run.finish(NodeStatus.SUCCESS, '')
    assert events[-1].text == told


@pytest.mark.parametrize('person', [Person(), Person(1)], ids=['nobody', 'who says no'])
def test_a_task_that_forbids_what_it_asks_for_moves_nothing(make_home, person):
    home, run = begin(make_home, _CONTRADICTION, person, simulated=True)
    ended = carried_out(run)
    assert ended.code is ErrorCode.INVALID_TASK and 'contradicts itself' in ended.message
    assert not home.executed


def test_a_person_may_say_go_on_and_what_is_forbidden_is_kept(make_home):
    person = Person(0)
    home, run = begin(make_home, _CONTRADICTION, person, simulated=True)
    ended = carried_out(run)
    assert 'what would bring it about' in person.asked[0].text
    assert getattr(ended, 'code', None) is not ErrorCode.INVALID_TASK
    assert 'open fridge 1' not in home.executed


@pytest.mark.parametrize('simulated', [True, False])
def test_a_question_is_answered_with_what_was_seen(make_home, simulated):
    task, events = 'Where is the fridge?', []
    home, run = begin(make_home, task, Person(), simulated=simulated, sink=events.append)
    look = home.look
    seen = ObjectFact('fridge', 1, 'kitchen 1', '', 'closed')
    home.look = lambda cancel: replace(look(cancel), facts=(seen,))
    assert carried_out(run) is True
    assert run.answer == 'fridge 1: in kitchen 1, closed.' and not home.executed
    assert run.tree.finished and events[-1].text == run.answer
    assert run.tree.node(1).status is NodeStatus.SUCCESS


def test_what_a_model_takes_it_for_moves_no_robot_alone(make_home):
    home, run = begin(make_home, _UNREAD, Person())
    assert carried_out(run).code is ErrorCode.INVALID_TASK and not home.executed
    assert run.model.usage.requests == 0


def test_a_person_is_shown_what_the_model_takes_it_for(make_home):
    person = Person(0)
    _, run = begin(make_home, _UNREAD, person)
    carried_out(run)
    goal = run.aims.goal
    assert goal.whole and goal.by is ReadBy.PERSON
    assert person.asked[0].text.endswith(f'Is this meant: {goal.means}?')


def test_in_a_simulation_it_is_done_and_never_called_verified(make_home):
    _, run = begin(make_home, _UNREAD, Person(), simulated=True)
    carried_out(run)
    goal = run.aims.goal
    assert goal.acts and goal.by is ReadBy.INTERPRETED and run.aims.is_read
    assert run.aims.ending.unread and not run.aims.ending.is_verified


@pytest.mark.parametrize('settings', [{'interprets': False}, {'decides': Decides.MODEL}])
def test_a_setting_keeps_the_model_from_it(make_home, settings):
    _, run = begin(make_home, _UNREAD, Person(), simulated=True, **settings)
    carried_out(run)
    assert not run.aims.goal.acts


def _says_nothing(text, options):
    """Takes a task for nothing."""
    if options is None:
        return ' do nothing.'
    return options.index('end\n') if 'end\n' in options else 0


def test_what_nobody_takes_for_anything_is_told_at_once(make_home):
    home, run = begin(make_home, _UNREAD, Person(), simulated=True)
    run.model.model = PolicyModel(_says_nothing)
    ended = carried_out(run)
    assert ended.code is ErrorCode.INVALID_TASK and not home.executed
    assert 'was not read' in ended.message and 'say which thing shall be where' in ended.message


def test_a_person_may_take_one_of_the_nearest_sentences(make_home):
    person = Person(0)
    home, run = begin(make_home, 'opn up the fridge', person, model='none', decisions=12)
    success = carried_out(run)
    (question,) = person.asked
    assert question.options == ('open fridge', 'close fridge', 'pick up fridge', 'do nothing')
    assert success is True and home.executed[-1] == 'open fridge 1'
    assert run.aims.goal.by is ReadBy.PERSON and run.aims.goal.means == 'fridge is open'


def test_who_takes_none_of_them_is_not_asked_again(make_home):
    person = Person(-1)
    home, run = begin(make_home, 'opn up the fridge', person, model='none')
    ended = carried_out(run)
    assert ended.code is ErrorCode.INVALID_TASK and len(person.asked) == 1 and not home.executed
    assert 'Did you mean' not in ended.message


@pytest.mark.parametrize('simulated', [True, False])
def test_where_nobody_is_and_no_model_the_end_names_them(make_home, simulated):
    home, run = begin(make_home, 'opn up the fridge', Person(), model='none', simulated=simulated)
    ended = carried_out(run)
    assert ended.code is ErrorCode.INVALID_TASK and not home.executed
    assert ended.message.endswith('Did you mean: open fridge / close fridge / pick up fridge?')
