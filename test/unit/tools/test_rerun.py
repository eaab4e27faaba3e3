"""A recorded run done again: the same world answers the same, another one is told apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.errors import RecordingError
from reactree_core.observation import Observation, WORLD_RESET
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.run_settings import Limits, RunSettings
from reactree_core.record.trajectory import trajectories_of
from reactree_planner.runs.settings import Decides, PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from reactree_tools.recording.rerun import recorded_server, rerun
from reactree_tools.seed_memory.writing import teacher_for
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.registry import make_world
from support.repaired_run import MEANT, repaired_run

SCENE, TASK = 'generated:9003', 'put_fridge:9003'


def start(**told: Any) -> Decision:
    settings = RunSettings(**{'scene': SCENE, 'world_task': TASK, **told})
    return Decision(1, 0, DecisionKind.START, settings=settings)


@pytest.fixture(scope='module')
def episode():
    """A run of the teacher, and its events."""
    world = make_world('household')
    world.reset(SCENE, TASK, 0)
    events = []
    done = plan_episode(
        world,
        teacher_for(world),
        InProcessMemory(),
        PlannerSettings(example_count=0, decides=Decides.MODEL),
        Limits(),
        watch=events.append,
    )
    assert done.worth_keeping
    return done, events


def steps(events) -> list[Observation]:
    return [
        event
        for event in events
        if isinstance(event, Observation) and event.skill and not event.skill.startswith('recall')
    ]


def server() -> InProcessSkillServer:
    return recorded_server(start(), 'household', 0)


def test_the_same_world_answers_the_same(episode) -> None:
    told: list[str] = []
    done = rerun(episode[1], server(), CancelToken(), lambda step, skill: told.append(skill))
    assert done.divergence is None
    assert told == [event.skill for event in steps(episode[1])] and done.steps == len(told) > 5


def test_what_was_grounded_and_repaired_asks_nothing_of_the_world(episode) -> None:
    start_event, *events = episode[1]
    decided = [event for event in repaired_run() if isinstance(event, Decision)]
    extra = [one for one in decided if one.kind in (DecisionKind.GROUND, DecisionKind.REPAIR)]
    done = rerun([start_event, *extra, *events, *extra], server(), CancelToken())
    assert done.divergence is None and done.steps == len(steps(events))


def test_a_repaired_run_leaves_what_its_nodes_did() -> None:
    trajectories = trajectories_of(repaired_run())
    assert trajectories.of(1).goal == MEANT
    assert {node_id: len(trajectories.of(node_id).steps) for node_id in (1, 3, 7)} == {
        1: 2,
        3: 3,
        7: 2,
    }


def test_a_changed_thing_is_found_where_it_is_first_seen(episode) -> None:
    """A cupboard that stands open in the home as it is now."""
    events = episode[1]
    opened = next(event for event in steps(events) if event.skill.startswith('open '))
    place = opened.skill.removeprefix('open ')
    world = server().world
    graph = world.graph()
    kind = place.rpartition(' ')[0].replace(' ', '')
    for node in graph['nodes']:
        if node['class_name'].lower() == kind:
            node['states'] = ['OPEN' if state == 'CLOSED' else state for state in node['states']]
    world.reset_to(graph, TASK, 0)
    done = rerun(events, InProcessSkillServer(world), CancelToken())
    assert done.divergence is not None
    first = next(
        event
        for event in events
        if isinstance(event, Observation)
        and (
            f'open {place}' in event.admissible_skills
            or any(fact.name == place and 'closed' in fact.state for fact in event.facts)
        )
    )
    assert done.divergence.sequence == first.sequence, done.divergence.sentence
    assert done.divergence.sentence.endswith('now.')


def test_whatever_field_differs_is_named_with_both_values(episode) -> None:
    events = list(episode[1])
    place = events.index(steps(events)[3])
    seen = events[place]
    for field, changed, words in (
        ('text', 'x' + seen.text, 'the text'),
        ('place', 'moon 1', "the place was 'moon 1'"),
        ('held', ('sword 1',), 'also sword 1'),
        ('admissible_skills', (*seen.admissible_skills, 'fly'), 'also fly'),
    ):
        events[place] = replace(seen, **{field: changed})
        divergence = rerun(events, server(), CancelToken()).divergence
        assert divergence is not None
        assert (divergence.step, divergence.sequence) == (4, seen.sequence)
        assert words in divergence.sentence


def test_what_a_resumed_planner_only_saw_is_compared_with_what_is_seen(episode) -> None:
    events = list(episode[1])
    place = events.index(steps(events)[2])
    seen = events[place]
    events[place] = replace(seen, text='"it" was under way when the planner ended.', facts=())
    assert rerun(events, server(), CancelToken()).divergence is not None
    again = Decision(seen.sequence, 0, DecisionKind.START, settings=RunSettings(resumed=True))
    events.insert(place, again)
    assert rerun(events, server(), CancelToken()).divergence is None


def test_a_world_that_was_put_back_is_put_back_again(episode) -> None:
    events = [*episode[1], Observation(WORLD_RESET, node_id=1), *episode[1]]
    done = rerun(events, server(), CancelToken())
    assert done.divergence is None and done.steps == 2 * len(steps(episode[1]))


def test_a_world_that_cannot_be_made_anew_is_told() -> None:
    with pytest.raises(RecordingError, match='3 other skills'):
        recorded_server(start(skills_before=3), 'household', 0)
    with pytest.raises(RecordingError, match='get_world_state'):
        recorded_server(start(scene=''), 'household', 0)


def test_lessons_of_a_record_are_those_of_the_planner(episode) -> None:
    done, events = episode
    own = [
        (lesson.experience_id, lesson.goal, lesson.trajectory, lesson.termination)
        for lesson in done.experiences('run')
    ]
    found = trajectories_of(events).experiences('run')
    assert own == [(one.experience_id, one.goal, one.trajectory, one.termination) for one in found]
    assert found[0].planner == 'reactree'
