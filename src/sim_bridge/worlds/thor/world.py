"""AI2-THOR behind the bridge: one room, one hand, ReAcTree's ALFRED skills, ALFRED's tasks.

The simulator is whatever program the published client `ai2thor` is given; without one it is the
stand-in of this package (`sim_bridge.worlds.thor.stand_in`). See docs/thor.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError, SkillError, WorldGoneError
from reactree_core.observation import Observation, Outcome, Progress, Vocabulary, WorldTask
from reactree_core.written_files import path_of
from sim_bridge.pictures import opencv, Picture, picture_of
from sim_bridge.worlds.task_names import family_and_seed, GENERATED
from sim_bridge.worlds.thor.classes import room_of
from sim_bridge.worlds.thor.client import ControllerClient, ThorClient
from sim_bridge.worlds.thor.eb_alfred import eb_task, layouts_of, trajectories_of
from sim_bridge.worlds.thor.eb_alfred import PREFIX as EB_ALFRED
from sim_bridge.worlds.thor.expert import Expert
from sim_bridge.worlds.thor.generator import floor_plans_of, generated_task, NotHereError
from sim_bridge.worlds.thor.goals import Goal, progress_of, TASK_TYPES
from sim_bridge.worlds.thor.loading import check_furniture, restored, scene_of
from sim_bridge.worlds.thor.metadata import is_closed, Metadata
from sim_bridge.worlds.thor.names import Names, STABLE
from sim_bridge.worlds.thor.offers import (
    admissible_skills,
    candidate_skills,
    facts,
    fixed_receptacles,
    vocabulary_of,
)
from sim_bridge.worlds.thor.skills import Reply, Robot
from sim_bridge.worlds.thor.smart_llm import check_scene, smart_task
from sim_bridge.worlds.thor.smart_llm import PREFIX as SMART_LLM
from sim_bridge.worlds.thor.starting import client_options, command_of
from sim_bridge.worlds.thor.tasks import alfred_task, AlfredTask, PREFIX, tasks_of_file
from sim_bridge.worlds.thor.texts import PLAIN, Texts

_RECALL = 'recall location of '
_OVER = 'The episode is over.'


@dataclass
class _Episode:
    """A scene with its robot and task."""

    task: AlfredTask | None
    robot: Robot
    names: Names
    texts: Texts
    room: str
    #: Skills that were tried, and those of them that did not succeed.
    steps: int = 0
    failed: int = 0


class ThorWorld:
    """Ports `TaskWorld`, `ExpertWorld` and `Cameras`.

    :param executable: the Unity program, or a command; '' for the stand-in.
    :param version: '2.1' or '5': which client is to be installed; '' for any.
    :param transport: 'fifo' or 'http'; '' for fifo with 5.x and http with 2.1.
    :param display: X display of the program, e.g. ':0'.
    :param size: of frames in pixels, '300' or '400x300'.
    :param names: stable, published or plain. :param texts: plain or published.
    :param record: file to which every event is written. :param stand_in: options of the stand-in.
    :param answer: seconds that one action may take. :param start: for starting and loading.
    :raises ConfigurationError: a value cannot be used.
    """

    name = 'thor'
    #: A skill is one to a dozen actions of a program (see `WorldThread`).
    quick = False

    def __init__(
        self,
        executable: str = '',
        version: str | float = '',
        transport: str = '',
        display: str | int = '',
        size: str | int = 300,
        names: str = STABLE,
        texts: str = PLAIN,
        record: str = '',
        stand_in: str = '',
        answer: float = 1.5,
        start: float = 120.0,
    ) -> None:
        self._options = client_options(
            executable, version, transport, display, size, record, answer, start
        )
        self._stand_in = str(stand_in)
        # Wrong styles are told at once.
        Texts(texts, Names(names))
        self._names, self._texts = names, texts
        self._client: ThorClient | None = None
        #: How the program was started.
        self.command = ''
        self._scene = ''
        self._episode: _Episode | None = None

    @property
    def scene(self) -> str:
        """The floor plan, or the file of a house."""
        return self._scene

    # Loading -----------------------------------------------------------------------------

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load a scene and a task.

        :param scene: 'FloorPlan10', the file of a ProcTHOR house, or '' for that of the task.
        :param task: 'alfred:<file or folder>#<task>/<annotation>', also without its prefix;
            'eb_alfred:<folder>#<split>/<number>'; 'smart_llm:<folder>#<floor plan>/<number>';
            '<task type>:<seed>' or
            'generated:<seed>', drawn from what the scene has; '' or a sentence for no goal.
        :param seed: where the task has none, and to choose among the tasks of a file.
        :raises ConfigurationError: either cannot be loaded, or the program cannot be started.
        """
        scene, task = scene.strip(), task.strip()
        drawn = family_and_seed(task, TASK_TYPES, seed)
        if drawn:
            return self._draw(scene, *drawn)
        loaded: AlfredTask | None = None
        source, layouts = '', None
        if task.startswith(EB_ALFRED):
            loaded = eb_task(task)
            source, layouts = str(trajectories_of(task)), layouts_of(task)
        elif task.startswith(SMART_LLM):
            loaded = smart_task(task)
        elif task.startswith(PREFIX) or path_of(task.partition('#')[0]) is not None:
            loaded = alfred_task(task, seed)
            source = task.removeprefix(PREFIX).partition('#')[0]
        elif task and ' ' not in task:
            raise ConfigurationError(
                f'there is no task {task!r}: write alfred:<file>#<task>/<annotation>, '
                f'{GENERATED}:<seed>, or one of {", ".join(TASK_TYPES)} with :<seed>'
            )
        if loaded is not None and scene not in ('', loaded.floor_plan):
            raise ConfigurationError(
                f'the task {loaded.task_id} is set in {loaded.floor_plan}, not in {scene}: '
                'leave the scene empty'
            )
        scene = loaded.floor_plan if loaded else scene or self._scene or floor_plans_of(seed)[0]
        began = self._begin(scene, loaded, *self._load(scene, loaded, source, layouts))
        if self._is_over():
            self._episode = None
            raise ConfigurationError(
                f'the goal of {task} holds at its start, as the scene is set: nothing is to be '
                'done, so the task is left out'
            )
        return began

    def _draw(self, scene: str, task_type: str, number: int) -> Observation:
        """Set a generated task in a scene, or in the first of some that does."""
        scenes = (scene,) if scene else floor_plans_of(number, task_type)
        for one in scenes:
            start, points = self._load(one, None, '')
            try:
                task = generated_task(one, start, task_type, number)
            except NotHereError:
                if one == scenes[-1]:
                    raise
            else:
                return self._begin(one, task, start, points)
        raise AssertionError('the last one has raised')

    def _load(
        self, scene: str, task: AlfredTask | None, source: str, layouts: Path | None = None
    ) -> tuple[Metadata, Sequence[Any]]:
        """Have the program load a scene.

        :param source: file or folder of the task; '' for none. :param layouts: beside it.
        :return: what is there, and the points where the robot can stand.
        """
        house = scene_of(scene)
        client = self._started(house, source, layouts)
        # What was there is gone as soon as the program begins to load.
        self._episode, self._scene = None, scene
        start, points = restored(client, house, task)
        if task is not None and not self._options.executable:
            check_furniture(task, start)
        if task is not None:
            check_scene(task, start)
        return start, points

    def _begin(
        self, scene: str, task: AlfredTask | None, start: Metadata, points: Sequence[Any]
    ) -> Observation:
        assert self._client is not None, 'it has loaded the scene'
        names = Names(self._names)
        texts = Texts(self._texts, names)
        robot = Robot(self._client, names, texts, start, points)
        self._episode = _Episode(task, robot, names, texts, room_of(scene))
        return self.observe()

    def _started(
        self, scene: str | Mapping[str, Any], tasks: str, layouts: Path | None
    ) -> ThorClient:
        """The client with its program; one that is gone is started again."""
        command = command_of(self._options.executable, self._stand_in, tasks, layouts)
        if self._client is not None and (self._client.gone or command != self.command):
            self.close()
        if self._client is None:
            own = not self._options.executable
            self._client = ControllerClient(self._options, command, scene, not own)
            # A program that is started again does not empty the recording of the one before.
            self._options = replace(self._options, goes_on=True)
            self.command = command
        return self._client

    def close(self) -> None:
        """End the program."""
        if self._client is not None:
            self._client.close()
            self._client = None

    # What there is -----------------------------------------------------------------------

    def vocabulary(self) -> Vocabulary:
        """Skills, all classes that can be handled, and the receptacles of the scene."""
        return vocabulary_of(self._now.robot.metadata, self._now.names, self._room)

    def observe(self) -> Observation:
        """What was given first, with what is held; changes nothing."""
        episode = self._now
        text = episode.texts.start(episode.room, fixed_receptacles(episode.robot.metadata))
        episode.robot.seen = ()
        return self._observation('', episode.texts.finished(text, episode.robot.held))

    def admissible_skills(self) -> tuple[str, ...]:
        """What can succeed now, as far as the program's metadata tell."""
        return admissible_skills(self.robot, self.names)

    def candidate_skills(self) -> tuple[str, ...]:
        """The published set: by classes of what the last text told, whether or not it can be."""
        return candidate_skills(self.robot, self.names)

    # Doing -------------------------------------------------------------------------------

    def step(self, skill: str) -> Observation:
        """Do one skill; see the port.

        :raises WorldGoneError: the program has ended or hung; a reset starts it again.
        """
        episode = self._now
        if self._is_over():
            return self._observation(skill, _OVER, Reply(_OVER, Outcome.PRECONDITION_FAILED))
        robot = episode.robot
        ways: tuple[tuple[str, Callable[[str], Reply]], ...] = (
            ('go to ', robot.go_to),
            ('pick up ', robot.pick_up),
            ('put down ', robot.put_down),
            ('open ', robot.open),
            ('close ', robot.close),
            ('turn on ', robot.turn_on),
            ('turn off ', robot.turn_off),
            ('slice ', robot.slice),
            (_RECALL, robot.recall),
        )
        for verb, do in ways:
            if skill.startswith(verb) and skill[len(verb) :].strip():
                reply = do(skill[len(verb) :].strip())
                break
        else:
            words = ', '.join(verb.strip() for verb, _ in ways)
            reply = Reply(f'There is no such skill: {words}.', Outcome.INVALID_SKILL)
        if not skill.startswith(_RECALL):
            robot.seen = reply.seen
            episode.steps += 1
            episode.failed += reply.outcome is not Outcome.SUCCEEDED
        text = episode.texts.finished(reply.text, robot.held)
        looked = reply.outcome is Outcome.SUCCEEDED and skill.startswith(('go to ', 'open '))
        return self._observation(skill, text, reply, self._looked_at() if looked else ())

    def _looked_at(self) -> tuple[str, ...]:
        robot = self._now.robot
        place = robot.thing(robot.visited)
        if place is None or not place.get('receptacle') or is_closed(place):
            return ()
        return (self._now.names.of(robot.visited),)

    def _observation(
        self, skill: str, text: str, reply: Reply | None = None, looked_at: Sequence[str] = ()
    ) -> Observation:
        episode = self._now
        robot = episode.robot
        held = episode.names.of(robot.held)
        learned = reply is None or reply.learned
        return Observation(
            text,
            reply.outcome if reply else Outcome.SUCCEEDED,
            skill,
            place=episode.names.of(robot.receptacle or robot.visited),
            room=self._room,
            looked_at=tuple(looked_at),
            held=(held,) if held else (),
            admissible_skills=self.admissible_skills(),
            facts=facts(robot, episode.names, self._room) if learned else (),
            over=self._is_over(),
        )

    def _is_over(self) -> bool:
        """Whether the task takes no more skills; see `Ends`."""
        episode = self._now
        ends = episode.task.ends if episode.task is not None else None
        progress = self.progress() if ends is not None else None
        if ends is None or progress is None:
            return False
        return progress.success or episode.steps >= ends.steps or episode.failed >= ends.failed

    # Tasks -------------------------------------------------------------------------------

    def progress(self) -> Progress | None:
        """Conditions of the goal, judged on the last event; None without a goal."""
        episode = self._now
        if episode.task is None:
            return None
        return progress_of(episode.task.goal, episode.robot.metadata, episode.robot.treated)

    def task(self) -> WorldTask | None:
        """What is to be done."""
        return self._episode.task if self._episode else None

    def task_families(self) -> tuple[str, ...]:
        """ALFRED's seven sorts."""
        return TASK_TYPES

    def scene_of(self, seed: int) -> str:
        """The task of a seed is set where its sort can be."""
        return ''

    def tasks_of_file(self, path: Path) -> Sequence[WorldTask]:
        """ALFRED's instructions of a file, folder or index; see the port."""
        return tasks_of_file(path)

    @property
    def pid(self) -> int:
        """Number of the program's process; 0 where none runs."""
        return self._client.pid if self._client is not None else 0

    @property
    def client(self) -> ThorClient:
        """What the program is spoken to with."""
        if self._client is None:
            raise ConfigurationError('no scene is loaded: reset the world first')
        return self._client

    @property
    def robot(self) -> Robot:
        """The robot of this episode; of several the one that acts."""
        return self._now.robot

    @robot.setter
    def robot(self, robot: Robot) -> None:
        self._now.robot = robot

    @property
    def names(self) -> Names:
        """Names of the things of this episode."""
        return self._now.names

    def expert(self) -> tuple[str, ...]:
        """Do the gold plan of the task; see the port.

        :raises ConfigurationError: there is no task with a plan.
        """
        episode = self._now
        task = episode.task
        if task is None or not task.plan or not isinstance(task.goal, Goal):
            raise ConfigurationError(
                'there is no gold plan: load a task of ALFRED, or a generated one'
            )
        expert = Expert(self.step, episode.robot, episode.names, task.goal)
        expert.follow(task.plan)
        progress = self.progress()
        if progress is not None and not progress.success:
            left = [line for line in progress.conditions if line.startswith('not met')]
            raise SkillError(f'The gold plan does not reach the goal: {"; ".join(left)}.')
        return tuple(expert.done)

    def picture(self, camera: int, width: int, height: int) -> Picture:
        """What the robot sees; see `Cameras`.

        :param camera: 0 or -1: there is one.
        """
        if camera not in (0, -1):
            raise ConfigurationError(f'there is no camera {camera}: the robot has one, 0')
        frame = self.client.frame()
        if frame is None:
            raise SkillError('the program sends no frames: start it with a display')
        pixels = frame[..., 2::-1].copy()
        if pixels.shape[:2] != (height, width):
            pixels = opencv().resize(pixels, (width, height))
        return picture_of(pixels)

    @property
    def _room(self) -> str:
        return f'{self._now.room} 1'

    @property
    def _now(self) -> _Episode:
        if self._episode is None:
            if self._client is not None and self._client.gone:
                raise WorldGoneError('the AI2-THOR program is gone: reset the world')
            raise ConfigurationError('no scene is loaded: reset the world first')
        return self._episode
