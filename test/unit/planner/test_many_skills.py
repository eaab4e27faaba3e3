"""A run with 5,000 declared skills begins soon, and hears a cancel at every moment."""

from __future__ import annotations

import os
import threading
import time

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError
from reactree_core.observation import ObjectFact, Observation, Vocabulary
from reactree_core.record.run_settings import Limits
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.planners.registry import make_planner
from reactree_planner.resume.logged_ports import LoggedMemory, LoggedSkills
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory

MANY = 5_000
#: Seconds on a quiet machine; by texts compared each with each, these were 30 to 70.
ENDED = 1.0
BEGUN = 8.0
PATIENCE = 120.0
SHAPES = {
    'in a slot': lambda n: SkillType(f'polish{n} <object>', ('object',)),
    'behind words': lambda n: SkillType(f'run program {n} on <object>', ('object',)),
    'without a slot': lambda n: SkillType(f'run program {n}'),
    'a state each': lambda n: SkillType(
        f'bring into state {n} <object>', ('object',), effects=(f'<object> is state{n}',)
    ),
}


def slack():
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Server:
    """Declares many skills; a skill goes on until it is canceled."""

    def __init__(self, shape):
        move = SkillType('drive to <place>', ('place',), SkillKind.MOVE)
        types = (move, *map(SHAPES[shape], range(MANY - 1)))
        self._vocabulary = Vocabulary(
            tuple(one.template for one in types), ('crate',), ('rack', 'dock'), skill_types=types
        )
        facts = [ObjectFact(name, n) for name in ('rack', 'dock', 'crate') for n in (1, 2)]
        can = [one.template.replace('<object>', 'crate 1') for one in types[1:4001]]
        self._seen = Observation(
            'There are racks.',
            place='dock 1',
            facts=tuple(facts),
            admissible_skills=('drive to rack 1', *can),
        )
        self.begun = threading.Event()

    def list_skills(self, cancel):
        return self._vocabulary, self._seen

    def look(self, cancel):
        return self._seen

    def execute(self, sequence, node_id, skill, cancel):
        self.begun.set()
        cancel.wait(PATIENCE)
        cancel.check()
        raise AssertionError('nobody has canceled the skill')

    def progress(self, cancel):
        return None


def run_of(server, cancel, task='drive to rack 1', model='none'):
    log = RunLog()
    ports = Ports(
        load_model(model, ModelOptions()),
        LoggedSkills(server, log),
        LoggedMemory(InProcessMemory(), log),
    )
    return PlanRun(task, ports, PlannerSettings(), Limits(), cancel, lambda event: None, log=log)


def canceled_after(server, seconds, **options):
    """Seconds from a cancel to the end of a run. :param seconds: from its start to the cancel."""
    cancel, canceled = CancelToken(), []

    def stop():
        canceled.append(time.monotonic())
        cancel.cancel()

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        carry_out(make_planner('reactree'), run_of(server, cancel, **options))
    except CanceledError:
        return time.monotonic() - canceled[0]
    finally:
        timer.cancel()
        timer.join()
    return 0.0


@pytest.mark.parametrize('shape', SHAPES)
def test_a_run_begins_soon_and_a_skill_under_way_is_canceled(shape):
    server, cancel = Server(shape), CancelToken()
    ended = []

    def run():
        with pytest.raises(CanceledError):
            carry_out(make_planner('reactree'), run_of(server, cancel))
        ended.append(time.monotonic())

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert server.begun.wait(BEGUN * slack())
    finally:
        canceled = time.monotonic()
        cancel.cancel()
        thread.join(PATIENCE)
    assert ended and ended[0] - canceled < ENDED * slack()


@pytest.mark.parametrize('shape', ['behind words', 'a state each'])
@pytest.mark.parametrize('seconds', [0.1, 0.5, 1.0, 1.5])
def test_a_run_that_still_reads_hears_a_cancel(shape, seconds):
    took = canceled_after(
        Server(shape), seconds, task='tidy the crate, then drive to rack 2', model='random:1'
    )
    assert took < ENDED * slack()
