"""A run that was interrupted goes on from its journal, wherever that ends."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import LimitReached, ReactreeError, ResumeError, SkillError
from reactree_core.experience import Experience, Termination
from reactree_core.observation import Observation, Outcome
from reactree_core.permission.hour import Hour
from reactree_core.permission.rules import Rules
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.ports import Sample
from reactree_core.record.events import Decision, DecisionKind, NodeKind, NodeStatus
from reactree_core.record.journal import Journal, read_records
from reactree_core.record.journal_lines import Answer, decode_record, encode_record
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.plans.grounding import PLAN_WRITERS
from reactree_planner.planners.registry import general_planners, make_planner
from reactree_planner.resume import logged_ports
from reactree_planner.resume.logged_experiences import EXAMPLES, RETRIEVE
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.logged_ports import logged_gate, LoggedMemory, LoggedSkills
from reactree_planner.resume.run_log import is_resumption, read_past, RunLog
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Decides, PlannerSettings, PlanSettings, Score
from reactree_tools.viewer.prompts import prompt_of, retrieval_of
from support.repaired_run import repaired_run
from support.warehouse import Warehouse

TASK = 'put apple on table'
#: What it wants of each kind of thing it is asked, the first that is offered.
WISHES = (
    'put down apple 1',
    'pick up apple 1',
    'open fridge 1',
    'go to fridge 1',
    'go to table 1',
)
#: Of these, what it wants with the apple in its hand.
CARRYING = ('put down apple 1', 'go to table 1')
#: The way to there, for planners that write plans.
WAY = (
    'go to kitchen',
    'go to fridge',
    'open fridge',
    'pick up apple',
    'go to bedroom',
    'go to table',
    'put down apple',
    'done',
)
#: The same as a program.
PROGRAM = '\n'.join(
    f"    {'_'.join(step.split()[:-1])}('{step.split()[-1]}')" for step in WAY[:-1]
)
#: Here the model is to be asked for skills; what follows from facts has a test of its own.
ASKED = PlannerSettings(decides=Decides.MODEL)


class Killed(BaseException):
    """The planner's process is gone."""


class Home:
    """The small home; nothing that it does is lost when its planner is killed."""

    def __init__(self, inner):
        self._inner = inner
        self.executed = inner.executed
        self.look = inner.look
        self.list_skills = inner.list_skills
        self.candidate_skills = inner.candidate_skills
        self.progress = inner.progress
        self.reset = inner.reset
        self.expert_plan = inner.expert_plan
        self.execute_anew = inner.execute


class CarefulHome(Home):
    """Never executes a number twice, as the contract wants."""

    def __init__(self, inner):
        super().__init__(inner)
        self._answers = {}

    def execute(self, sequence, node_id, skill, cancel):
        if sequence not in self._answers:
            self._answers[sequence] = self.execute_anew(sequence, node_id, skill, cancel)
        return self._answers[sequence]


class ForgetfulHome(Home):
    """Would do again what it has done for the planner before."""

    def execute(self, sequence, node_id, skill, cancel):
        if skill not in self.look(cancel).admissible_skills:
            raise SkillError('rejected')
        return self.execute_anew(sequence, node_id, skill, cancel)


class SomeMemory:
    """Always has the same two examples, and something to say."""

    def retrieve(self, query, cancel):
        return tuple(
            Experience(
                name, query.goal, f'Your task is to: {name}\nAct: done\n', Termination.SUCCESS, 'r'
            )
            for name in ('find apple', 'find pear')
        )

    def recall(self, object_class, sequence, cancel):
        return f'I do not know where {object_class} is.'


@pytest.fixture
def careful(small_home):
    """Makes homes that keep the contract."""
    return lambda: CarefulHome(type(small_home)())


@pytest.fixture
def forgetful(small_home):
    """Makes homes that do not."""
    return lambda: ForgetfulHome(type(small_home)())


def written(text):
    """What is written: subgoals, a whole plan or its next step, a vote, or a thought."""
    steps = text.rpartition('Your task is to:')[2]
    if '- subgoals:' in text:
        return ' find and pick up apple, put down apple on table'
    if text.endswith('Act:'):
        return f' {WAY[min(steps.count("Act:"), len(WAY)) - 1]}\n'
    if text.endswith('Answer:'):
        return ' A'
    if text.endswith('():\n'):
        return PROGRAM
    if text.endswith('Step 1:'):
        return ' find and pick up apple'
    if text.endswith('Step 2:'):
        return ' put down apple on table'
    if text.endswith('Execution Order:'):
        return ' Step 1 AND Step 2'
    if text.endswith('.'):
        number = len([line for line in steps.splitlines() if line[:1].isdigit()])
        return '\n'.join(WAY[max(0, number - 1) :])
    return ' hm'


def policy(text, options):
    """Decides by what the session says: a resumed one must say the same."""
    if options is None:
        return written(text)
    # Skills of a conversation stand behind another word.
    text = text.replace('ACTION: ', 'Act: ')
    steps = text.rpartition('Your task is to:')[2]
    stripped = [option.strip() for option in options]
    if 'Execution Order:' in stripped and 'Step 2:' in steps:
        return stripped.index('Execution Order:')
    if 'sequence' in stripped:
        return ' sequence\n'
    if 'ACTION:' in stripped:
        return 'THOUGHT:' if 'THOUGHT:' not in steps and 'THOUGHT:' in stripped else 'ACTION:'
    if 'Act:' in stripped:
        if 'Expand:' in stripped and 'put apple on table\n' in steps:
            return 'Expand:'
        return 'Think:' if 'Think:' not in steps and 'Think:' in stripped else 'Act:'
    if 'recall location of apple' in stripped and 'recall' not in steps:
        return stripped.index('recall location of apple')
    goal = steps.split('\n')[0]
    acts = steps.replace('ACTION: ', 'Act: ')
    picked, put = 'Act: pick up apple 1' in acts, 'Act: put down apple 1' in acts
    held = not put and (
        picked or 'Act: pick up apple' in text or goal.strip().startswith('put down')
    )
    wanted = ['done'] if put or (picked and goal.strip().startswith('find')) else []
    there = 'Act: go to table 1' in acts
    wishes = [skill for skill in WISHES if (skill in CARRYING) == held]
    wishes = [skill for skill in wishes if skill != 'put down apple 1' or there]
    wishes.append('go to bedroom 1' if held else 'go to kitchen 1')
    wanted += [skill for skill in wishes if f'Act: {skill}' not in acts] + ['done']
    wanted = [skill for skill in wanted if skill in stripped]
    return stripped.index(wanted[0]) if wanted else 0


def go(home, past=(), stop_before=None, stop_after=None, planner='reactree', **options):
    """Plan with a log; the process is killed before or after this many new records."""
    written = []

    def write(record):
        if len(written) == stop_before:
            raise Killed
        # As a file would have it.
        written.append(decode_record(encode_record(record)))
        if len(written) == stop_after:
            raise Killed

    published = []
    log = RunLog(write, past)
    run = PlanRun(
        TASK,
        Ports(
            LoggedModel(options.get('model') or PolicyModel(policy), log),
            LoggedSkills(home, log),
            LoggedMemory(SomeMemory(), log),
        ),
        options.get('settings') or ASKED,
        options.get('limits') or Limits(),
        CancelToken(),
        published.append,
        logged_gate(options.get('gate') or (lambda decision: None), log),
        log=log,
        permission=options.get('permission') or Rules(),
    )
    try:
        success = make_planner(planner).run(run)
        run.finish(NodeStatus.SUCCESS if success else NodeStatus.FAILURE, '')
    except Killed:
        success = None
    return success, run, [*past, *written], published


def told(records):
    """What happened, whenever and however often the planner was killed."""
    events = [
        record
        for record in records
        if not isinstance(record, Answer) and not is_resumption(record)
    ]
    return [
        replace(event, stamp=0.0, **({'usage': None} if isinstance(event, Decision) else {}))
        for event in events
    ]


@pytest.fixture(params=general_planners())
def planner(request):
    """Every planner that any world serves."""
    return request.param


def test_killed_at_any_record_a_run_goes_on_as_if_nothing_had_happened(planner, careful):
    home = careful()
    success, _, whole, _ = go(home, planner=planner)
    assert home.executed, 'the run should do something'
    for cut in range(0, len(whole), 2):
        for moment in ({'stop_before': cut}, {'stop_after': cut + 1}):
            again = careful()
            ended, _, kept, _ = go(again, planner=planner, **moment)
            assert ended is None
            resumed, second, records, published = go(again, past=kept, planner=planner)
            assert resumed == success
            assert again.executed == home.executed
            assert second.tree.snapshot().nodes and told(published) == told(records)
            assert _without_doubt(records) == _without_doubt(whole)


@pytest.mark.parametrize('planner', ['reactree', 'react'])
def test_steps_that_follow_from_facts_follow_again_when_the_run_goes_on(planner, careful):
    home = careful()
    success, _, whole, _ = go(home, planner=planner, settings=PlannerSettings())
    assert success
    assert not any(isinstance(one, Answer) and one.kind == 'select' for one in whole)
    for cut in range(len(whole)):
        again = careful()
        _, _, kept, _ = go(again, planner=planner, settings=PlannerSettings(), stop_after=cut + 1)
        resumed, _, records, _ = go(again, past=kept, planner=planner, settings=PlannerSettings())
        assert resumed
        assert again.executed == home.executed
        assert _without_doubt(records) == _without_doubt(whole)


def _without_doubt(records):
    """Events, texts of observations aside: a skill that was in doubt is answered by a look."""
    return [
        event if isinstance(event, Decision) else (event.sequence, event.skill, event.place)
        for event in told(records)
    ]


def test_killed_again_and_again_it_still_comes_to_its_end(careful):
    home = careful()
    success, _, whole, _ = go(home)
    again, kept, ended = careful(), (), None
    while ended is None:
        ended, _, kept, _ = go(again, past=kept, stop_after=3)
    assert ended == success
    assert again.executed == home.executed
    assert _without_doubt(kept) == _without_doubt(whole)
    assert sum(map(is_resumption, kept)) > 5, 'the journal says how often it was resumed'


def test_a_skill_that_left_its_mark_is_not_asked_for_again(careful, forgetful):
    _, _, whole, _ = go(careful())
    acts = [
        number
        for number, record in enumerate(whole)
        if isinstance(record, Decision)
        and record.skill.startswith(('open', 'pick up', 'put down'))
    ]
    for number in acts:
        home = forgetful()
        _, _, kept, _ = go(home, stop_before=number + 1)  # done, but nobody was told
        before = list(home.executed)
        success, _, records, _ = go(home, past=kept)
        assert success and len(before) == len(set(before))
        assert home.executed.count(before[-1]) == 1
        (answer,) = [
            record
            for record in records
            if getattr(record, 'sequence', 0) == whole[number].sequence
            and hasattr(record, 'place')
        ]
        assert 'was under way when the planner ended' in answer.text


def test_a_skill_that_is_rejected_the_second_time_and_changed_nothing_has_failed(careful):
    def reject(*_):
        raise SkillError('The goal was rejected.')

    home, log = careful(), RunLog()
    home.execute = reject
    log.in_doubt, log.last_observation = 7, home.look(CancelToken())
    answer = LoggedSkills(home, log).execute(7, 1, 'open fridge 1', CancelToken())
    assert answer.outcome is Outcome.EXECUTION_FAILED
    assert 'was under way when the planner ended' in answer.text


class HalfDone(Warehouse):
    """Drives off to load something, when the planner is killed."""

    def execute(self, sequence, node_id, skill, cancel):
        if skill.startswith('load'):
            self.room = 'aisle 2'
            raise Killed
        return super().execute(sequence, node_id, skill, cancel)


class Deaf(Warehouse):
    """The planner is killed before it has sent anything."""

    def execute(self, sequence, node_id, skill, cancel):
        raise Killed


def act_in(warehouse, skills, rules, past=(), asked=None):
    """A run that does these skills in a warehouse, as a planner would; and its records."""
    records = list(past)
    log = RunLog(records.append, past)

    def gate(decision):
        asked.append(decision.skill)

    run = PlanRun(
        'Load crate 1.',
        Ports(
            LoggedModel(PolicyModel(policy), log),
            LoggedSkills(warehouse, log),
            LoggedMemory(SomeMemory(), log),
        ),
        ASKED,
        Limits(),
        CancelToken(),
        lambda event: None,
        None if asked is None else logged_gate(gate, log),
        log=log,
        permission=rules,
    )
    answers = []
    with suppress(Killed):
        run.start('x')
        run.acting.look(1)
        for skill in skills:
            answers.append(run.acting.act(1, skill))
    return run, answers, records


def test_a_skill_in_doubt_that_only_changed_something_fulfills_no_rule():
    rule = RuleEntry(name='on', skills='lift <crate>', then='load <crate> onto *').rule
    skills, rules = ['lift crate 1', 'load crate 1 onto truck 1'], Rules((rule,))
    warehouse = HalfDone()
    warehouse.room = 'aisle 1'
    _, answers, records = act_in(warehouse, skills, rules)
    assert len(answers) == 1 and warehouse.room == 'aisle 2'
    run, answers, _ = act_in(warehouse, skills, rules, records)
    assert answers[-1].outcome is Outcome.EXECUTION_FAILED
    assert 'was under way when the planner ended' in answers[-1].text
    assert 'load crate 1' in ''.join(run.world.rules.pending())
    # Done after all, as can be seen.
    warehouse.held, warehouse.at['crate 1'] = '', 'truck 1'
    warehouse.room = 'dock 1'
    run, answers, _ = act_in(warehouse, skills, rules, records)
    assert answers[-1].succeeded and not run.world.rules.pending()


def test_a_skill_in_doubt_is_sent_again_only_if_that_may_be_done_now(monkeypatch):
    night = {'name': 'night', 'skills': 'enter *', 'between': ['22:00', '06:00'], 'decide': 'deny'}
    ask = {'name': 'ask', 'skills': 'enter *', 'decide': 'ask'}
    rules = Rules(tuple(RuleEntry(**one).rule for one in (night, ask)))
    now = [datetime(2026, 1, 1, 21, 59)]
    monkeypatch.setattr(logged_ports, 'hour_of', lambda ledger: Hour(now[0]))
    asked: list[str] = []
    _, answers, records = act_in(Deaf(), ['enter aisle 1'], rules, asked=asked)
    assert not answers and asked == ['enter aisle 1']

    now[0] = datetime(2026, 1, 1, 23, 30)
    warehouse = Warehouse()
    _, answers, at_night = act_in(warehouse, ['enter aisle 1'], rules, records, asked)
    assert answers[-1].outcome is Outcome.SAFETY_REJECTED and 'night' in answers[-1].text
    assert not warehouse.executed and asked == ['enter aisle 1']
    # The journal goes on from there, whenever it is read.
    assert act_in(warehouse, ['enter aisle 1'], rules, at_night, asked)[1] == answers

    now[0] = datetime(2026, 1, 2, 9, 0)
    _, answers, _ = act_in(warehouse, ['enter aisle 1'], rules, records, asked)
    assert answers[-1].succeeded and warehouse.executed == ['enter aisle 1']
    assert asked == ['enter aisle 1', 'enter aisle 1'], 'who approved then is asked anew'


def test_what_was_used_before_counts(careful):
    _, run, whole, _ = go(careful())
    half = whole[: len(whole) // 2]
    home = careful()
    go(home, stop_after=len(half))
    with pytest.raises(LimitReached):
        go(home, past=half, limits=Limits(decisions=run.tree.decisions - 1))
    home = careful()
    go(home, stop_after=len(half))
    _, resumed, _, _ = go(home, past=half)
    assert resumed.budget.usage.requests == run.budget.usage.requests
    assert resumed.budget.usage.completion_tokens == run.budget.usage.completion_tokens


def test_an_uninterrupted_part_asks_neither_model_nor_gate_again(careful):
    _, _, whole, _ = go(careful(), gate=lambda decision: None)
    asked = []

    def refuse(text, options):
        asked.append(text)
        raise AssertionError('the model was asked again')

    success, _, records, _ = go(
        careful(), past=whole, model=PolicyModel(refuse), gate=asked.append
    )
    assert success and not asked
    assert records == list(whole), 'nothing new is written to a run that had ended'


def test_a_journal_tells_which_of_what_memory_offered_the_prompt_showed(planner, careful):
    if planner == 'oracle':
        return  # it has no prompt
    success, _, whole, _ = go(careful(), planner=planner)
    notes = [one.content['chosen'] for one in whole if getattr(one, 'kind', '') == EXAMPLES]
    asked = [one for one in whole if getattr(one, 'kind', '') == RETRIEVE]
    assert len(notes) == len(asked) > 0
    # Plan writers show only what plan writers did.
    shown = [] if planner in PLAN_WRITERS else ['find pear', 'find apple']
    assert all(sorted(chosen) == sorted(shown) for chosen in notes), notes
    # A journal of a version without such notes is gone on with too.
    again = careful()
    _, _, kept, _ = go(again, stop_after=len(whole) // 2, planner=planner)
    older = [one for one in kept if getattr(one, 'kind', '') != EXAMPLES]
    assert go(again, past=older, planner=planner)[0] == success


def test_the_viewer_writes_a_prompt_again_as_the_model_read_it(careful):
    read = []

    def reading(text, options):
        read.append(text)
        return policy(text, options)

    _, run, records, _ = go(careful(), model=PolicyModel(reading))
    events = [one for one in records if not isinstance(one, Answer)]
    for node in (one for one in run.tree.snapshot().nodes if one.kind is NodeKind.AGENT):
        shown = [one.trajectory for one in retrieval_of(records, node.node_id).examples]
        prompt = prompt_of(run.tree, events, node.node_id, shown)
        known = max((text for text in read if prompt.startswith(text)), key=len)
        assert 'Your task is to: find pear' in known
        # Up to a recall, to which the planner adds where has been looked; events do not tell that.
        assert known.endswith(('Act:', '- subgoals:'))


def test_interrupted_anywhere_a_grounded_and_repaired_run_is_taken_up_event_by_event():
    events = repaired_run()
    for killed in range(1, len(events)):
        written = []
        log = RunLog(written.append, events[:killed])
        assert [log.take(event) for event in events] == events
        assert written == events[killed:] and not log.replaying


def test_a_planner_that_resumes_tells_all_events_also_of_earlier_resumptions(careful):
    """A recorder that hears of it only now records a whole run."""
    records = ()
    for _ in range(3):
        _, _, records, _ = go(careful(), past=records, stop_after=9)
    success, _, records, published = go(careful(), past=records)
    assert success
    events = [record for record in records if not isinstance(record, Answer)]
    assert sum(map(is_resumption, events)) == 3
    assert published == events


@pytest.mark.parametrize(
    'change', [{'ties': ('"boxes" is bin',)}, {'subgoals': ('bin in truck',)}]
)
def test_words_that_are_taken_otherwise_now_end_a_resumption_with_a_sentence(change):
    events = repaired_run()
    for place, event in enumerate(events):
        if isinstance(event, Decision) and event.kind in (
            DecisionKind.GROUND,
            DecisionKind.REPAIR,
        ):
            log = RunLog(past=events)
            for known in events[:place]:
                log.take(known)
            with pytest.raises(ResumeError, match=f'{event.kind.name.lower()} "{event.text}"'):
                log.take(replace(event, **change))


def test_a_refusal_is_remembered(careful):
    refused = []

    def gate(decision):
        if decision.skill == 'open fridge 1' and not refused:
            refused.append(decision)
            return 'not now'
        return None

    home = careful()
    _, _, whole, _ = go(home, gate=gate, limits=Limits(decisions=200))
    number = next(index for index, record in enumerate(whole) if record_kind(record) == 'refusal')
    for cut in (number + 1, number + 2):
        again = careful()
        refused.clear()
        _, _, kept, _ = go(again, gate=gate, stop_after=cut)
        go(again, past=kept, gate=gate)
        assert again.executed == home.executed


def record_kind(record):
    return record.kind if isinstance(record, Answer) else ''


def test_other_settings_that_change_the_plan_are_noticed_and_leave_the_journal_alone(careful):
    _, _, whole, _ = go(careful())
    written = []
    log = RunLog(written.append, whole[: len(whole) // 2])
    run = PlanRun(
        'find pear',
        Ports(
            LoggedModel(PolicyModel(policy), log),
            LoggedSkills(careful(), log),
            LoggedMemory(SomeMemory(), log),
        ),
        PlannerSettings(),
        Limits(),
        CancelToken(),
        lambda event: None,
        log=log,
    )
    with pytest.raises(ResumeError, match='parameters'):
        make_planner('reactree').run(run)
    assert not written


def test_a_journal_says_what_was_asked_for(tmp_path, careful):
    journal = Journal(tmp_path, 'run')
    _, _, whole, _ = go(careful(), limits=Limits(steps=70, seconds=60.0))
    for record in whole:
        journal.append(record)
    journal.close()
    past = read_past(tmp_path, 'run')
    assert (past.task, past.settings.planner) == (TASK, 'reactree')
    assert past.settings.limits == Limits(steps=70, seconds=60.0)
    assert list(past.records) == whole


def test_what_cannot_be_resumed_says_why(tmp_path, careful):
    with pytest.raises(ResumeError, match='no journal'):
        read_past(tmp_path, 'none')
    (tmp_path / 'empty.jsonl').touch()
    with pytest.raises(ResumeError, match='does not begin'):
        read_past(tmp_path, 'empty')
    journal = Journal(tmp_path, 'ended')
    _, _, whole, _ = go(careful())
    journal.append(whole[0])
    journal.append(replace(whole[-1], status=NodeStatus.CANCELED, text='canceled by its user'))
    journal.close()
    with pytest.raises(ResumeError, match='canceled by its user'):
        read_past(tmp_path, 'ended')


@pytest.mark.parametrize('damage', [None, 'text', [[]], 10**400])
def test_damaged_answers_end_a_resumption_with_a_sentence(careful, damage):
    _, _, whole, _ = go(careful())
    places = [place for place, record in enumerate(whole) if isinstance(record, Answer)]
    assert {whole[place].kind for place in places} >= {'list_skills', RETRIEVE, 'recall', 'select'}
    for place in places:
        answer = whole[place]
        for content in ({}, *({**answer.content, name: damage} for name in answer.content)):
            past = [*whole[:place], Answer(answer.kind, content), *whole[place + 1 :]]
            try:
                go(careful(), past=past)
            except ReactreeError as error:
                assert str(error).endswith('.')


def test_a_last_line_without_its_end_is_no_part_of_the_past_nor_of_the_journal(careful, tmp_path):
    """Else what was read of it would be missing when the run is resumed once more."""
    _, _, whole, _ = go(careful())
    journal = Journal(tmp_path, 'run')
    for record in whole[:10]:
        journal.append(record)
    journal.close()
    journal.path.write_bytes(journal.path.read_bytes()[:-1])
    for _ in range(2):
        past = read_past(tmp_path, 'run').records
        assert [record for record in past if not is_resumption(record)][:9] == whole[:9]
        again = Journal(tmp_path, 'run')
        _, _, records, _ = go(careful(), past=past, stop_after=5)
        for record in records[len(past) :]:
            again.append(record)
        again.close()
    assert told(read_records(journal.path)) == told(whole)[: len(told(records))]


def test_probabilities_of_sampled_plans_are_in_the_log_and_come_back(careful):
    """A run that is gone on with ranks its plans as it did."""

    def writing(text, options):
        words = text.split()[-1]
        score = {0: -0.1, 1: -3.0}[writing.count % 2]
        writing.count += 1
        steps = ('go to table', 'go to kitchen')[score < -1.0]
        assert words == '1.'
        return Sample(f' {steps}\n', ((f' {steps}\n', score),))

    writing.count = 0
    settings = PlannerSettings(plans=PlanSettings(samples=4, score=Score.LANGUAGE))
    _, first, whole, _ = go(
        careful(), planner='best_first', settings=settings, model=PolicyModel(writing)
    )
    assert any('go to table: best by language' in getattr(one, 'text', '') for one in whole)

    def silent(text, options):
        raise AssertionError('the model was asked again')

    _, again, records, _ = go(
        careful(), past=whole, planner='best_first', settings=settings, model=PolicyModel(silent)
    )
    assert records == whole
    assert again.budget.usage == first.budget.usage


def test_a_run_that_is_resumed_at_night_goes_by_the_clock_of_then_and_now(careful, monkeypatch):
    hour = {'when': datetime(2026, 3, 4, 12)}
    monkeypatch.setattr(logged_ports, 'hour_of', lambda ledger: Hour(hour['when']))
    asleep = RuleEntry(name='asleep', skills='*', between=['22:00', '06:00'], decide='deny').rule
    rules = Rules((asleep,))
    success, _, whole, _ = go(careful(), permission=rules)
    assert success
    cut = next(
        number
        for number, record in enumerate(whole)
        if isinstance(record, Observation) and record.skill.startswith('go to')
    )
    home = careful()
    _, _, past, _ = go(home, permission=rules, stop_after=cut + 1)
    assert len(home.executed) == 1
    hour['when'] = datetime(2026, 3, 4, 23)
    success, _, records, _ = go(home, past=past, permission=rules)
    # What was done by day stands; by night nothing more is.
    assert not success
    assert len(home.executed) == 1
    assert told(records)[: len(told(past))] == told(past)
