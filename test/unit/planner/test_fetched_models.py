"""Runs and models that are not there yet: who needs none fetches none, and waits are uncounted."""

from __future__ import annotations

import time

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelError
from reactree_core.record.journal_lines import Answer
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.fetched_model import ModelToFetch
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.run_log import RunLog, UNCOUNTED
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.household.world import HouseholdWorld

SECONDS = 300.0


def test_a_task_that_is_read_whole_asks_for_no_model_not_even_at_its_end() -> None:
    def fetch(progress):
        raise ModelError('nobody may fetch it')

    world = HouseholdWorld()
    world.reset('generated:506', 'put_dishwasher:506', 0)
    model = ModelToFetch('absent', 8192, fetch, lambda path: None, lambda status: None)
    settings = settings_of_preset('default', 'reactree')
    episode = plan_episode(world, model, InProcessMemory(), settings, Limits())
    assert episode.outcome.success and episode.goal_met
    kept = episode.experiences('00')
    assert kept and all(one.tokens > 0 and one.model == 'absent' for one in kept)
    assert episode.run.budget.usage.requests == 0


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test moves."""

    class Clock:
        now = 1000.0

    monkeypatch.setattr(time, 'monotonic', lambda: Clock.now)
    monkeypatch.setattr(time, 'monotonic_ns', lambda: round(Clock.now * 1e9))
    return Clock


def made(make_home, make_memory, log, fetch_seconds, clock):
    """A run of a minute whose model takes longer to come."""
    ran = []

    def load(path):
        return PolicyModel(lambda text, options: 0 if options else ' well', 'big')

    cancel = CancelToken(clock.now + 60.0 - log.used_seconds + log.uncounted_seconds)
    inner = ModelToFetch('big', 8192, lambda progress: None, load, lambda status: None)

    def fetched(token):
        clock.now += fetch_seconds
        ran.append('fetched')
        return 'big.gguf'

    inner._fetched = fetched
    run = PlanRun(
        'tidy up',
        Ports(LoggedModel(inner, log), make_home(), make_memory()),
        settings_of_preset('default,interprets=false,decides=model,no-guards', 'reactree'),
        Limits(decisions=4, seconds=60.0),
        cancel,
        lambda event: None,
        log=log,
    )
    inner.attend(cancel, run.uncounted)
    return run, ran


def test_a_limit_of_time_does_not_run_out_while_a_model_is_fetched(make_home, make_memory, clock):
    records = []
    log = RunLog(records.append)
    run, ran = made(make_home, make_memory, log, SECONDS, clock)
    with pytest.raises(Exception, match='decisions'):
        carry_out(make_planner('reactree'), run)
    assert ran == ['fetched'] and run.events.elapsed() >= SECONDS
    (noted,) = [one for one in records if isinstance(one, Answer) and one.kind == UNCOUNTED]
    assert noted.content == {'seconds': SECONDS}
    assert run.notices[0] == (
        'Fetching the model big took 300 s, which count for no limit of time.'
    )
    assert not run.cancel.expired and run.cancel.remaining(100.0) == 60.0
    clock.now += 60.0
    assert run.cancel.expired, 'what was left is still a limit'
    with pytest.raises(Exception, match='limit of time'):
        run.events.limits.check_time(run.events.elapsed())

    # A run that goes on after an interruption neither pays for it nor fetches again to replay.
    again = RunLog(records.append, tuple(records[:-2]))
    assert again.uncounted_seconds == SECONDS <= again.used_seconds
    resumed, ran = made(make_home, make_memory, again, SECONDS, clock)
    resumed.budget.check()
    assert resumed.events.limits.seconds == 60.0 + SECONDS
    with pytest.raises(Exception, match='decisions'):
        carry_out(make_planner('reactree'), resumed)


def test_without_a_fetch_time_is_as_short_as_it_was(make_home, make_memory, clock):
    log = RunLog()
    run, _ = made(make_home, make_memory, log, 0.0, clock)
    assert (log.uncounted_seconds, run.events.limits.seconds) == (0.0, 60.0)
    clock.now += 61.0
    with pytest.raises(Exception, match='limit of time'):
        run.budget.check()
