"""Several clients and planners, cancels, strange answers, and a bad network."""

from __future__ import annotations

import time
from functools import partial
from random import Random

from benchmarks.faults.checks import broken_promises, unseen
from benchmarks.faults.client import answered, PATIENCE, PlannerClient, require
from benchmarks.faults.patches import LATE
from benchmarks.faults.row import Row
from benchmarks.faults.stage import await_end, Setup, SKILL, slack, Stage
from reactree_core.foreign_text import LIST_LIMIT
from reactree_core.observation import OBSERVATION_LIMIT
from reactree_core.record.journal import read_journal
from reactree_ros.action import PlanTask
from reactree_ros.msg import Observation

Result = PlanTask.Result
#: Seconds in which a cancel must have ended the run.
CANCEL = 1.0
#: Seconds in which a goal must be refused.
REFUSAL = 1.0
#: Longest skill, where skills take longer.
LONGEST_SKILL = 1.0
#: Seconds of a run whose skills are answered strangely.
STRANGE = 10.0
MIXED = (
    'another run', 'no run', 'another number', 'another skill', 'no text', 'no such outcome',
    'the outcome of a lost bridge',
)  # fmt: skip
STRANGE_BRIDGE = Setup(
    parameters={'planner': {'skill_timeout': LONGEST_SKILL}},
    patches={'bridge': ('strange_results:{folder}/mood',)},
)
#: Seconds of a run over a network that loses and delays.
BAD_NETWORK = 30.0


def two_clients(stage: Stage, chance: Random) -> float:
    """Two clients send a goal at the same moment."""
    other = PlannerClient(stage.namespace)
    try:
        other.find()
        runs = [stage.client.begin(), other.begin()]
        for client, run in zip((stage.client, other), runs, strict=True):
            client.wait(partial(answered, run), REFUSAL * slack(), 'an answer to the goal')
        taken = [run for run in runs if run.accepted]
        require(len(taken) == 1, f'{len(taken)} of the two goals were accepted')
        (refused,) = (run for run in runs if not run.accepted)
        client = stage.client if taken[0] is runs[0] else other
        result = client.result(taken[0], PATIENCE)
        require(result.success, f'the run failed: {result.error_msg}')
        if client is other:
            problems = list(broken_promises(other, taken[0], stage.journals))
            require(not problems, '; '.join(problems))
        return refused.answered - refused.sent
    finally:
        other.close()


def planners_share_a_bridge(stage: Stage, chance: Random) -> float:
    """A planner of another namespace asks the same bridge for skills."""
    there = f'{stage.namespace}/other'
    topics = ('execute_skill', 'list_skills', 'get_world_state')
    remaps = [f'bridge/{name}:={stage.namespace}/bridge/{name}' for name in topics]
    actions = ('send_goal', 'cancel_goal', 'get_result', 'feedback', 'status')
    remaps += [
        f'bridge/execute_skill/_action/{name}:='
        f'{stage.namespace}/bridge/execute_skill/_action/{name}'
        for name in actions
    ]
    remaps.append(f'bridge_status:={stage.namespace}/bridge_status')
    second = stage.begin('planner', there, remaps, memory='false')
    other = PlannerClient(there)
    try:
        stage.wait_for_words(second, 'planner ready')
        other.find()
        begun = {stage.client: stage.client.begin()}
        stage.pause(chance.random() * SKILL)
        begun[other] = other.begin()
        results = [client.result(run, PATIENCE) for client, run in begun.items()]
        require(any(result.success for result in results), 'neither task was done')
        for result in results:
            rejected = result.error_code == Result.SKILL_ERROR and 'rejected' in result.error_msg
            require(result.success or rejected, f'a run ended so: {result.error_msg}')
        problems = list(broken_promises(other, begun[other], stage.journals))
        require(not problems, '; '.join(problems))
        return max(run.ended - run.sent for run in begun.values())
    finally:
        other.close()
        stage.interrupt(second)
        await_end(second, PATIENCE)


def canceled(stage: Stage, chance: Random) -> float:
    """A cancel at any moment of a run."""
    run = stage.send()
    stage.pause(chance.random() * 4 * SKILL)
    asked = time.monotonic()
    run.handle.cancel_goal_async()
    result = stage.result(run, CANCEL)
    done = result.error_code in (Result.NONE, Result.CANCELED)
    require(done, f'the run ended with {result.error_code}: {result.error_msg}')
    stopped = result.error_code == Result.CANCELED
    require(stopped or run.ended - asked < SKILL, 'a canceled run went on to its end')
    return max(0.0, run.ended - asked)


def late_result(stage: Stage, chance: Random) -> float:
    """A skill answers after its time limit, and after the run has gone on without it."""
    mood = stage.folder / 'mood'
    run = stage.send()
    stage.wait_for_skill(run, chance.randint(1, 2))
    mood.write_text('late')
    try:
        result = stage.result(run, STRANGE)
    finally:
        mood.unlink()
    timed_out = [
        event
        for event in run.events
        if isinstance(event, Observation) and event.outcome == Observation.OUTCOME_TIMED_OUT
    ]
    require(timed_out, f'no skill timed out: {result.error_msg or "the run ended well"}')
    last, decided = timed_out[0], run.events
    (act,) = (
        event
        for event in decided
        if not isinstance(event, Observation) and event.sequence == last.sequence
    )
    return _stamp(last) - _stamp(act)


def _stamp(message: object) -> float:
    stamp = message.header.stamp  # type: ignore[attr-defined]
    return float(stamp.sec + stamp.nanosec * 1e-9)


def mixed_up_result(stage: Stage, chance: Random) -> float:
    """A skill is answered with what is not its result."""
    mood = stage.folder / 'mood'
    mood.write_text(chance.choice(MIXED))
    try:
        run = stage.send()
        result = stage.result(run, STRANGE)
    finally:
        mood.unlink()
    require(
        result.error_code == Result.SKILL_ERROR,
        f'the run ended with {result.error_code}: {result.error_msg}',
    )
    require(len(run.skills) <= 1, 'the run went on by a result that is none')
    return run.ended - run.sent


def loud_result(stage: Stage, chance: Random) -> float:
    """Observations of 5 MB."""
    return _oversized(stage, 'loud')


def crowded_result(stage: Stage, chance: Random) -> float:
    """Observations with 10,000 skills."""
    return _oversized(stage, 'crowded')


def _oversized(stage: Stage, how: str) -> float:
    mood = stage.folder / 'mood'
    mood.write_text(how)
    try:
        run = stage.send()
        result = stage.result(run, STRANGE)
    finally:
        mood.unlink()
    require(result.success, f'the run failed: {result.error_msg}')
    for event in read_journal(stage.journals / f'{run.run_id}.jsonl'):
        text = len(event.text.encode())
        require(text <= OBSERVATION_LIMIT, f'a text of {text} bytes is in the journal')
        skills = len(getattr(event, 'admissible_skills', ()))
        require(skills <= LIST_LIMIT, f'a list of {skills} skills is in the journal')
    return run.ended - run.sent


def bad_network(stage: Stage, chance: Random) -> float:
    """A run over a network that loses and delays datagrams."""
    run = stage.send()
    result = stage.result(run, BAD_NETWORK)
    require(result.success, f'the run failed: {result.error_msg}')
    stage.client.wait(
        lambda: unseen(run, stage.journals) == 0, BAD_NETWORK, 'all events at the client'
    )
    return run.ended - run.sent


ROWS = (
    Row(
        'two-clients',
        'Two clients send a goal at the same moment.',
        f'One is accepted and succeeds, the other is rejected within {REFUSAL:g} s.',
        'goal to rejection',
        100,
        'everybody_accepted',
        'planner',
        'the planner accepts a goal while it has one',
        two_clients,
    ),
    Row(
        'planners-share-a-bridge',
        'A second planner, in another namespace, asks the same bridge for skills.',
        'Both goals end with a result: success, or a rejection because the bridge is busy.',
        'goal to result of the later one',
        30,
        'skills_done_twice',
        'bridge',
        'the bridge executes a skill twice',
        planners_share_a_bridge,
    ),
    Row(
        'cancels',
        'The goal is canceled at a random moment of a run.',
        f'The run ends as canceled within {CANCEL:g} s, unless it was over already; the bridge '
        'takes the next skill.',
        'cancel to result',
        200,
        'cancel_unheeded',
        'planner',
        'the planner accepts a cancel and continues',
        canceled,
    ),
    Row(
        'late-results',
        f'A skill answers {LATE:g} s after it was done; skills may take {LONGEST_SKILL:g} s.',
        'The skill counts as timed out; its late result disturbs neither this run nor the next.',
        'decision to "timed out"',
        50,
        'skills_wait_for_ever',
        'planner',
        'the planner does not enforce the time limit of skills',
        late_result,
        STRANGE_BRIDGE,
    ),
    Row(
        'mixed-up-results',
        'A skill is answered with the result of another run, number or skill, with none, or with '
        'an outcome that cannot be.',
        'The run ends with SKILL_ERROR, and no further skill is executed.',
        'goal to result',
        70,
        'results_believed',
        'planner',
        'the planner accepts any answer as the result',
        mixed_up_result,
        STRANGE_BRIDGE,
    ),
    Row(
        'observations-of-5-MB',
        'Every skill is answered with an observation of 5 MB.',
        f'The task is done; at most {OBSERVATION_LIMIT} bytes of each are kept.',
        'goal to result of the whole run',
        20,
        'texts_unbounded',
        'planner',
        'the planner does not limit the length of texts',
        loud_result,
        STRANGE_BRIDGE,
    ),
    Row(
        '10000-skills',
        'Every observation lists 10,000 skills.',
        f'The task is done; at most {LIST_LIMIT} of them are kept.',
        'goal to result of the whole run',
        20,
        'lists_unbounded',
        'planner',
        'the planner does not limit the length of lists',
        crowded_result,
        STRANGE_BRIDGE,
    ),
    Row(
        'bad-network',
        'A tenth of all UDP datagrams is lost, the others are sent up to 5 ms late.',
        'The task is done, and the client sees every event of the journal.',
        'goal to result of the whole run',
        50,
        'events_once',
        'planner',
        'the planner publishes its events best effort, not reliable',
        bad_network,
        preload={'FAULTS_LOSS': '0.1', 'FAULTS_DELAY': '0.005'},
    ),
)
