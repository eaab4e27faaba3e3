"""The household: VirtualHome scenes in process, speaking as the published WAH-NL environment.

Observation texts, failure sentences, the order of checks, two hands, partial observability and
goal scoring follow ReAcTree's WAH-NL environment. Where a simulator decides there, or what is
published would mislead a planner, this is what happens here:

* CLOSE is defined in `closeness.py`; held things are close.
* Names that no thing has, and things to go to that are out of sight, are INVALID_SKILL.
* What lies in an open thing inside a closed one is hidden too; things the robot put into a
  container without a door stay visible (`sight.py`).
* Nothing is put on a held thing (`cannot be put down on`).
* After going to a thing that can be carried off, what is close is remembered at the fixture that
  it belongs to (`facts.py`; `remembered: target` is the published rule).
* With nothing to list, a text says `you see nothing`.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, TYPE_CHECKING

from reactree_core.errors import ConfigurationError
from reactree_core.observation import (
    ObjectFact,
    Observation,
    Outcome,
    Progress,
    Vocabulary,
    WorldTask,
)
from sim_bridge.worlds.household import phrases
from sim_bridge.worlds.household.admissible_skills import SkillEnumerator
from sim_bridge.worlds.household.facts import Facts
from sim_bridge.worlds.household.graph_reading import find_graph, read_graph
from sim_bridge.worlds.household.placement import INSIDE, ON
from sim_bridge.worlds.household.roles import known_classes, PUBLISHED
from sim_bridge.worlds.household.scoring import Goal
from sim_bridge.worlds.household.skill_parsing import examples, parse_skill
from sim_bridge.worlds.household.skills import (
    ABOUT,
    Command,
    DOMAIN,
    GO_TO,
    OPEN,
    perform,
    PICK_UP,
    PUT_DOWN,
    Reply,
    skill_types_for,
    TEMPLATES,
)
from sim_bridge.worlds.household.state import HouseholdState, Options
from sim_bridge.worlds.one_episode import OneEpisode

if TYPE_CHECKING:
    from sim_bridge.pictures import Picture

GENERATED = re.compile(r'generated:\s*(-?\d+)')


class _Episode:
    """A state with what is derived from it."""

    def __init__(self, state: HouseholdState, goal: Mapping[str, int]) -> None:
        self._conditions = goal
        self.take(state)

    def take(self, state: HouseholdState) -> None:
        """Go on from a state."""
        self.state = state
        self.menu = SkillEnumerator(state)
        self.facts = Facts(state)
        self.goal = Goal(self._conditions, state.graph)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A household as it was. :param episode: pickled."""

    scene: str
    data: Mapping[str, Any] | None
    task: Any
    episode: bytes


class HouseholdWorld(OneEpisode[_Episode]):
    """The `World` port on VirtualHome-format scene graphs.

    :param options: fields of `Options`, e.g. failure_rate=0.1.
    :raises ConfigurationError: a value is out of range.
    """

    loads = 'scene'
    name = 'household'
    #: A skill takes less than a millisecond or so (see `WorldThread`).
    quick = True

    def __init__(self, **options: Any) -> None:
        self._options = Options(**options)
        self._scene = ''
        self._data: Mapping[str, Any] | None = None
        self._task: Any = None

    @property
    def scene(self) -> str:
        """What is loaded: 'generated:<seed>' or a path; '' before the first reset."""
        return self._scene

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load a scene and a task.

        :param scene: 'generated:<seed>', a path of a graph file, 'wah:<path>#<task id>' for the
            home of a published task, or '' for the loaded scene as it was first (before any:
            'generated:<seed of the reset>'). A task that has a home of its own starts there.
        :param task: whatever `sim_bridge.worlds.household.tasks.load_task` takes; '' for no goal.
        :param seed: for the first room (when the scene does not say it) and injected failures.
        :raises ConfigurationError: either cannot be loaded; the world stays as it was.
        """
        scene = scene.strip()
        if not scene and self._data is not None:
            return self._begin(self._scene, self._data, task, seed)
        scene = scene or f'generated:{seed}'
        return self._begin(scene, load_scene(scene), task, seed)

    def reset_to(self, graph: Mapping[str, Any], task: str = '', seed: int = 0) -> Observation:
        """Load a scene from a graph in memory, e.g. one sent by a client.

        :param graph: VirtualHome's format, wrapped or not; not changed.
        :raises ConfigurationError: as `reset`.
        """
        return self._begin('graph', find_graph(graph), task, seed)

    def _begin(self, scene: str, data: Mapping[str, Any], task: str, seed: int) -> Observation:
        loaded = _load_task(task, data, seed) if task.strip() else None
        start = data if loaded is None or loaded.graph is None else loaded.graph
        goal = {} if loaded is None else loaded.goal
        episode = _Episode(self._make_state(start, seed), goal)
        if loaded is not None and loaded.home:
            scene, data = loaded.home, start
        self._scene, self._data, self._episode, self._task = scene, data, episode, loaded
        return self.observe()

    def _make_state(self, data: Mapping[str, Any], seed: int) -> HouseholdState:
        """The start of an episode."""
        return HouseholdState(data, self._options, seed)

    def _perform(self, state: HouseholdState, command: Command) -> Reply:
        """Do what has been understood."""
        return perform(state, command)

    def vocabulary(self) -> Vocabulary:
        """Names and templates: the published lists, and what else the scene has."""
        state = self._now.state
        things, places = set(), set()
        if self._options.classes == PUBLISHED:
            for known in known_classes().values():
                if known.roles.grabbable:
                    things.add(known.name)
        for key, roles in state.roles.items():
            if roles.observable and key not in (state.graph.character, *state.graph.rooms):
                if roles.grabbable:
                    things.add(state.names.word[key])
                elif roles.place:
                    places.add(state.names.word[key])
        rooms = sorted(state.rooms, key=state.names.rank.__getitem__)
        return Vocabulary(
            TEMPLATES,
            tuple(sorted(things)),
            tuple(sorted(places)),
            tuple(state.names.name[room] for room in rooms),
            skill_types_for(self._names_with('openable'), self._names_with('switchable')),
            domain=DOMAIN,
            about=ABOUT,
        )

    def _names_with(self, role: str) -> frozenset[str]:
        """Classes that have a role: those of the published list, and what the scene has."""
        state = self._now.state
        found = {
            state.names.word[key] for key, roles in state.roles.items() if getattr(roles, role)
        }
        if self._options.classes == PUBLISHED:
            found |= {one.name for one in known_classes().values() if getattr(one.roles, role)}
        return frozenset(found)

    def observe(self) -> Observation:
        """The text every agent node begins with; changes nothing."""
        episode = self._now
        return self._observation('', phrases.initial(episode.state), facts=episode.facts.around())

    def admissible_skills(self) -> tuple[str, ...]:
        """Skills that can succeed now, sorted; what a planner should choose from."""
        return self._now.menu.admissible()

    def candidate_skills(self) -> tuple[str, ...]:
        """WAH-NL's wider set (without recall, done and failure, which are the planner's)."""
        return self._now.menu.candidates()

    def step(self, skill: str) -> Observation:
        """Do one skill; one that is not understood or fails a check changes nothing."""
        episode = self._now
        command = parse_skill(episode.state, skill)
        if isinstance(command, str):
            text = command + examples(episode.menu.admissible())
            return self._observation(skill, text, Outcome.INVALID_SKILL)
        reply = self._perform(episode.state, command)
        if reply.outcome is not Outcome.SUCCEEDED:
            return self._observation(skill, reply.text, reply.outcome)
        facts, looked_at = self._learned(command)
        return self._observation(skill, reply.text, reply.outcome, facts, looked_at)

    def _learned(self, command: Command) -> tuple[tuple[ObjectFact, ...], tuple[str, ...]]:
        """Facts of a skill that succeeded, and the places whose content is known by it."""
        state, facts = self._now.state, self._now.facts
        target = command.target
        if command.verb == GO_TO:
            if target in state.rooms:
                return facts.around(), ()
            return facts.arrived(), facts.places_seen()
        if command.verb == OPEN:
            return facts.opened(target), facts.places_seen()
        if command.verb == PUT_DOWN and state.receptacle is not None:
            return facts.laid(target, state.receptacle), ()
        if command.verb == PICK_UP or state.graph.root(target) in state.held:
            return facts.carried(), ()
        return (facts.fact(target),), ()

    def progress(self) -> Progress | None:
        """Goal conditions met on the graph as it is now, or None without any."""
        return self._now.goal.progress()

    def task(self) -> Any:
        """The loaded task, or None."""
        return self._task

    def graph(self) -> dict[str, Any]:
        """The scene as it is now, the character included, with CLOSE edges to what is close."""
        state = self._now.state
        return state.graph.to_dict(state.close())

    def snapshot(self) -> Snapshot:
        """The world as it is now; see the port."""
        # Pickled rather than copied: it cannot change, and is a tenth of the work.
        return Snapshot(self._scene, self._data, self._task, pickle.dumps(self._now))

    def restore(self, snapshot: object) -> Observation:
        """Put the world back.

        :raises ConfigurationError: it is no snapshot of such a world.
        """
        if not isinstance(snapshot, Snapshot):
            raise ConfigurationError('this is no snapshot of a household: take one first')
        self._scene, self._data, self._task = snapshot.scene, snapshot.data, snapshot.task
        self._episode = pickle.loads(snapshot.episode)
        return self.observe()

    def displace(self, thing: str, choice: Random) -> bool:
        """Put a thing on or into furniture out of reach, in another room if there is one."""
        state = self._now.state
        graph = state.graph
        target = state.names.find(thing)
        if target is None or not state.roles[target].grabbable or graph.root(target) in state.held:
            return False
        not_there = {state.sight.fixture.get(target), *graph.subtree(target)}
        places = [
            key
            for key, roles in state.roles.items()
            if roles.receptacle and roles.observable and not roles.grabbable
            if key not in not_there and not state.is_close(key)
            if graph.nodes[key].has('CONTAINERS' if state.goes_in(key) else 'SURFACES')
            if graph.room_of(key) in state.rooms and state.sight.hidden_by(key) is None
        ]
        elsewhere = [key for key in places if graph.room_of(key) != graph.room_of(target)]
        if not places:
            return False
        place = choice.choice(elsewhere or places)
        state.displace(target, INSIDE if state.goes_in(place) else ON, place)
        return True

    def task_families(self) -> tuple[str, ...]:
        """E.g. 'setup_table'."""
        from sim_bridge.worlds.household.tasks import FAMILIES

        return FAMILIES

    def scene_of(self, seed: int) -> str:
        """A home for each seed."""
        return f'generated:{seed}'

    def tasks_of_file(self, path: Path) -> Sequence[WorldTask]:
        """Tasks of a JSON or YAML file; see the port."""
        from sim_bridge.worlds.household.tasks.loading import read_task_file

        return read_task_file(path)

    def expert(self) -> tuple[str, ...]:
        """Do the loaded task; see the port."""
        from sim_bridge.worlds.household.tasks.expert import solve

        return solve(self)

    def picture(self, camera: int, width: int, height: int) -> Picture:
        """What a camera of the scene or of the robot sees; see `Cameras`.

        :param camera: index of `views.scene_cameras`, then those of the robot, the last six.
        :raises ConfigurationError: no such camera or size, or no OpenCV.
        """
        # Only needed here: a world is played without pictures.
        from sim_bridge.worlds.household.pictures import views
        from sim_bridge.worlds.household.pictures.boxes import Figure
        from sim_bridge.worlds.household.pictures.drawing import draw

        state = self._now.state
        nodes, me = state.graph.nodes, state.graph.character
        pose = views.pose_at(nodes, state.room, state.place())
        cameras = views.scene_cameras(nodes, state.graph.rooms)
        cameras += views.character_cameras(me, state.room, pose)
        seen = views.camera_at(cameras, camera)
        figures = [Figure(me, pose, state.held)] if pose else []
        return draw(self.graph(), seen, 'normal', width, height, figures)

    @property
    def state(self) -> HouseholdState:
        """The home as it is now."""
        return self._now.state

    def _observation(
        self,
        skill: str,
        text: str,
        outcome: Outcome = Outcome.SUCCEEDED,
        facts: tuple[ObjectFact, ...] = (),
        looked_at: tuple[str, ...] = (),
    ) -> Observation:
        episode = self._now
        state = episode.state
        name = state.names.name
        return Observation(
            text + phrases.holding(state),
            outcome,
            skill,
            name[state.place()],
            name[state.room],
            looked_at,
            tuple(name[key] for key in state.held),
            episode.menu.admissible(),
            facts,
        )


def load_scene(scene: str) -> Mapping[str, Any]:
    """The graph of a scene.

    :param scene: 'generated:<seed>', a path, or 'wah:<path>#<task id>'.
    :raises ConfigurationError: none of them.
    """
    if scene.startswith('wah:'):
        return _load_wah_scene(scene)
    generated = GENERATED.fullmatch(scene)
    if generated:
        # A copy: whoever asks for the graph may change it.
        graph: Mapping[str, Any] = pickle.loads(_generated(int(generated[1])))
        return graph
    if scene.startswith('generated:'):
        raise ConfigurationError(f"scene {scene!r} needs a whole number, as in 'generated:7'")
    return read_graph(scene)


@lru_cache(maxsize=8)
def _generated(seed: int) -> bytes:
    """A generated home, pickled: episodes of a study begin in it again and again."""
    # Only needed here: a graph file needs no generator.
    from sim_bridge.worlds.household.scenes import generate_apartment

    return pickle.dumps(generate_apartment(seed))


def _load_task(task: str, data: Mapping[str, Any], seed: int) -> Any:
    from sim_bridge.worlds.household.tasks import load_task

    return load_task(task, dict(data), seed)


def _load_wah_scene(scene: str) -> Mapping[str, Any]:
    from sim_bridge.worlds.household.tasks.wah import wah_scene

    graph = wah_scene(scene, 0)
    if graph is None:
        raise ConfigurationError(f'task {scene} has no home of its own: name a scene for it')
    return graph
