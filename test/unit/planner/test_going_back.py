"""Plans that go back put the world back where it can be; else skills take back what they can."""

from __future__ import annotations

from itertools import count

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import SkillError
from reactree_core.observation import Observation, WORLD_RESTORED
from reactree_core.record.events import Decision
from reactree_core.record.journal_lines import Answer, decode_record, encode_record
from reactree_core.record.run_settings import Limits
from reactree_core.record.snapshot import reduce_events
from reactree_core.record.trajectory import TAKEN_BACK
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.logged_ports import LoggedSkills
from reactree_planner.resume.run_log import is_resumption, RunLog
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Guards, PlannerSettings, PlanSettings
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.registry import make_world
from support.memories import FixedMemory

FETCH_THE_APPLE = 'get the apple'
#: Two ways: the table has none; the other goes through the closed fridge.
FIRST_WAY = ('go to table', 'pick up apple')
SECOND_WAY = ('go to kitchen', 'go to fridge', 'open fridge', 'pick up apple')


class KeptHome:
    """The small home, which can be put back.

    :param keeps: whether it answers snapshots. :param restores: whether it still knows them later.
    """

    def __init__(self, inner, keeps=True, restores=True):
        self.inner = inner
        self._keeps = keeps
        self._restores = restores
        self._kept = {}
        self.restored = []
        for name in ('look', 'list_skills', 'candidate_skills', 'progress', 'reset'):
            setattr(self, name, getattr(inner, name))
        self._answers = {}

    def execute(self, sequence, node_id, skill, cancel):
        """Never does a number twice, as the contract wants."""
        if sequence not in self._answers:
            self._answers[sequence] = self.inner.execute(sequence, node_id, skill, cancel)
        return self._answers[sequence]

    def snapshot(self, cancel):
        if not self._keeps:
            return ''
        name = f'kept {len(self._kept)}'
        self._kept[name] = (
            self.inner.place,
            self.inner.room,
            self.inner.held,
            self.inner.open,
            self.inner.apple,
        )
        return name

    def restore(self, snapshot, cancel):
        self.restored.append(snapshot)
        if not self._restores:
            raise SkillError(f'There is no snapshot {snapshot!r}.')
        kept = self._kept[snapshot]
        home = self.inner
        home.place, home.room, home.held, home.open, home.apple = kept
        return home.look(cancel)


def sampling(*plans, drawn=0):
    """A model that samples these plans, and votes for the first step that is offered.

    :param drawn: how many it has sampled before.
    """
    numbers = count(drawn)

    def policy(text, options):
        if options is not None:
            return 0
        if text.endswith('Answer:'):
            return ' A'
        plan = plans[next(numbers) % len(plans)]
        return '\n'.join(f'{number}. {step}' for number, step in enumerate((*plan, 'done'), 1))

    return PolicyModel(policy)


def go(skills, model, name='tree_planner', log=None, **plans):
    """Carry out the task; (success, run, events)."""
    events = []
    wanted = PlanSettings(**{'samples': 2, 'votes': 1} | plans)
    run = PlanRun(
        FETCH_THE_APPLE,
        Ports(model, skills, FixedMemory()),
        PlannerSettings(plans=wanted),
        Limits(),
        CancelToken(),
        events.append,
        **({} if log is None else {'log': log}),
    )
    return make_planner(name).run(run), run, events


def texts_of(events):
    return [event.text for event in events if not isinstance(event, Decision)]


def taken_back(events):
    return [
        event.skill for event in events if isinstance(event, Decision) and TAKEN_BACK in event.text
    ]


def test_a_tree_of_plans_goes_back_by_putting_the_world_back(small_home):
    home = KeptHome(type(small_home)())
    success, run, events = go(home, sampling(FIRST_WAY, SECOND_WAY))
    assert success
    assert home.inner.held == ('apple 1',)
    assert home.restored == ['kept 0'], 'to the only fork'
    assert not taken_back(events), 'no skill was needed for it'
    told = [event for event in events if getattr(event, 'text', '').startswith(WORLD_RESTORED)]
    assert [event.place for event in told] == ['bedroom 1'], 'where the fork was decided'
    assert reduce_events(events) == run.tree.snapshot()


@pytest.mark.parametrize(('keeps', 'restores'), [(False, True), (True, False)])
def test_skills_take_skills_back_where_the_world_cannot_be_put_back(small_home, keeps, restores):
    home = KeptHome(type(small_home)(), keeps, restores)
    success, run, events = go(
        home, sampling(('go to kitchen', 'go to bedroom', 'pick up apple'), SECOND_WAY)
    )
    assert success
    assert not any(text.startswith(WORLD_RESTORED) for text in texts_of(events) if text)
    assert bool(home.restored) is keeps
    assert taken_back(events)
    notices = ' '.join(run.notices)
    assert ('could not be put back' in notices) is keeps
    assert ("There is no snapshot 'kept 0'." in notices) is keeps


def test_nothing_is_kept_where_nothing_is_taken_back(small_home):
    home = KeptHome(type(small_home)())
    go(home, sampling(FIRST_WAY, SECOND_WAY), undo=False)
    assert not home._kept and not home.restored


def test_what_was_seen_after_the_fork_is_forgotten(small_home):
    home = KeptHome(type(small_home)())
    first = ('go to kitchen', 'go to fridge', 'open fridge', 'go to table')
    success, run, _ = go(home, sampling((*first, 'pick up apple'), SECOND_WAY), corrections=0)
    assert not success
    seen_apple = run.world.belief.observation
    kept = run.world.keep()
    before = run.world.belief.observation
    run.world.belief.observation = run.acting.look(1)
    assert run.world.restore(1, kept)
    assert kept.belief.observation == before == seen_apple
    assert run.world.belief is not kept.belief, 'it can be gone back to once more'


def test_a_whole_plan_written_anew_begins_where_the_first_began(small_home):
    lines = iter(('go to kitchen', 'go to bedroom', 'pick up apple', *SECOND_WAY, 'done'))
    home = KeptHome(type(small_home)())
    success, _, events = go(
        home, PolicyModel(lambda text, options: f' {next(lines)}\n'), 'global_replan'
    )
    assert success
    assert home.restored == ['kept 0']
    assert not taken_back(events)


class Killed(BaseException):
    """The planner's process is gone."""


def test_killed_at_any_record_a_run_goes_back_as_if_nothing_had_happened(small_home):
    def run_from(home, past=(), stop=None):
        written = []

        def write(record):
            if len(written) == stop:
                raise Killed
            written.append(decode_record(encode_record(record)))

        log = RunLog(write, past)
        drawn = sum(isinstance(one, Answer) and one.kind == 'generate' for one in past)
        model = LoggedModel(sampling(FIRST_WAY, SECOND_WAY, drawn=drawn), log)
        try:
            success, _, _ = go(LoggedSkills(home, log), model, log=log)
        except Killed:
            success = None
        return success, [*past, *written]

    def told(records):
        # A skill that was in doubt is answered by a look.
        return [
            (record.skill, record.text if isinstance(record, Decision) else record.place)
            for record in records
            if isinstance(record, Decision | Observation) and not is_resumption(record)
        ]

    home = KeptHome(type(small_home)())
    success, whole = run_from(home)
    assert success and home.restored == ['kept 0']
    assert [one.kind for one in whole if isinstance(one, Answer)].count('restore') == 1
    assert run_from(home, whole)[0], 'all of it is answered by the journal'
    assert home.restored == ['kept 0']
    for cut in range(len(whole)):
        again = KeptHome(type(small_home)())
        ended, kept = run_from(again, stop=cut)
        assert ended is None
        resumed, records = run_from(again, kept)
        assert resumed
        assert told(records) == told(whole)


@pytest.mark.parametrize('world', ['programs', 'textcraft', 'alfworld', 'procworld', 'webshop'])
def test_worlds_go_back_to_a_moment_as_often_as_wanted(world):
    server = InProcessSkillServer(make_world(world))
    server.world.reset('', 'generated:3', 3)
    start = server.look(CancelToken())
    kept = server.snapshot(CancelToken())
    for _ in range(2):
        for number in range(1, 4):
            skills = server.look(CancelToken()).admissible_skills
            server.execute(number, 1, skills[number % len(skills)], CancelToken())
        back = server.restore(kept, CancelToken())
        assert back.admissible_skills == start.admissible_skills
        assert (back.text, back.held, back.place) == (start.text, start.held, start.place)
    with pytest.raises(SkillError, match="There is no snapshot '99'"):
        server.restore('99', CancelToken())


def test_a_world_that_keeps_nothing_answers_none():
    assert InProcessSkillServer(object()).snapshot(CancelToken()) == ''


def test_regions_that_were_told_later_are_forgotten_when_the_world_is_put_back():
    world = make_world('procworld,reach=1.5')

    def restart():
        world.reset('', 'validation:60', 0)

    restart()
    run = PlanRun(
        'put it away',
        Ports(PolicyModel(lambda *_: 0), InProcessSkillServer(world, restart), FixedMemory()),
        PlannerSettings(guards=Guards.none()),
        Limits(),
        CancelToken(),
        lambda _: None,
    )
    run.start('react')
    told = run.world.belief.vocabulary.rooms
    wanted = (conditions_of(('mug in desk',)),)
    run.world.aim(wanted)
    run.world.belief.update(Observation('There.', room='hall 9'))
    assert told and run.world.belief.vocabulary.rooms == (*told, 'hall 9')
    run.world.reset(1)
    assert run.world.belief.vocabulary.rooms == told
    assert run.world.reasoner.goal.milestones == wanted
