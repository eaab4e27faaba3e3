"""AI2-THOR behind the bridge: one room, one hand, ReAcTree's ALFRED skills, ALFRED's tasks.

The simulator is whatever program the published client `ai2thor` is given; without one it is the
stand-in of this package (`sim_bridge.thor_stand_in`). See docs/thor.md.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError
from reactree_core.errors import SkillError
from reactree_core.errors import WorldGoneError
from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.observation import Progress
from reactree_core.observation import Vocabulary
from reactree_core.observation import WorldTask
from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import plain_name
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_core.working_memory import AGENT
from reactree_core.written_files import read_file
from sim_bridge.pictures import opencv
from sim_bridge.pictures import Picture
from sim_bridge.pictures import picture_of
from sim_bridge.worlds.thor.classes import class_of
from sim_bridge.worlds.thor.classes import FIXED_RECEPTACLES
from sim_bridge.worlds.thor.classes import KNIVES
from sim_bridge.worlds.thor.classes import LAMPS
from sim_bridge.worlds.thor.classes import OPENABLE
from sim_bridge.worlds.thor.classes import other_words
from sim_bridge.worlds.thor.classes import PICKABLE
from sim_bridge.worlds.thor.classes import room_of
from sim_bridge.worlds.thor.classes import SLICEABLE
from sim_bridge.worlds.thor.classes import TOGGLEABLE
from sim_bridge.worlds.thor.client import ClientOptions
from sim_bridge.worlds.thor.client import ControllerClient
from sim_bridge.worlds.thor.client import FIFO
from sim_bridge.worlds.thor.client import HTTP
from sim_bridge.worlds.thor.client import ThorClient
from sim_bridge.worlds.thor.expert import Expert
from sim_bridge.worlds.thor.generator import floor_plan_of
from sim_bridge.worlds.thor.generator import GENERATED
from sim_bridge.worlds.thor.generator import generated_task
from sim_bridge.worlds.thor.goals import progress_of
from sim_bridge.worlds.thor.goals import TASK_TYPES
from sim_bridge.worlds.thor.metadata import is_closed
from sim_bridge.worlds.thor.metadata import is_piece
from sim_bridge.worlds.thor.metadata import Metadata
from sim_bridge.worlds.thor.metadata import parents
from sim_bridge.worlds.thor.metadata import succeeded
from sim_bridge.worlds.thor.metadata import Thing
from sim_bridge.worlds.thor.metadata import things_of
from sim_bridge.worlds.thor.names import Names
from sim_bridge.worlds.thor.names import STABLE
from sim_bridge.worlds.thor.skills import Reply
from sim_bridge.worlds.thor.skills import Robot
from sim_bridge.worlds.thor.tasks import alfred_task
from sim_bridge.worlds.thor.tasks import AlfredTask
from sim_bridge.worlds.thor.tasks import PREFIX
from sim_bridge.worlds.thor.tasks import tasks_of_file
from sim_bridge.worlds.thor.texts import PLAIN
from sim_bridge.worlds.thor.texts import Texts

DOMAIN = 'alfred'
ABOUT = (
    'A robot with one hand in a single room. Going to a thing or place shows what is near it; what '
    'is in a closed place is seen after opening it. A thing is put down at the place gone to last.'
)
SKILL_TYPES = (
    SkillType(
        'go to <name>', ('name',), SkillKind.MOVE, description='a place, or a thing that you see'
    ),
    SkillType(
        'pick up <object>',
        ('thing',),
        SkillKind.TAKE,
        'put down <object>',
        description='only what you see, with an empty hand',
    ),
    SkillType(
        'put down <object>',
        ('thing',),
        SkillKind.PUT,
        'pick up <object>',
        description='in or on the place that you have just gone to, or gone to and opened',
    ),
    SkillType('open <name>', ('name',), SkillKind.OPEN, 'close <name>'),
    SkillType('close <name>', ('name',), SkillKind.CLOSE, 'open <name>'),
    SkillType(
        'turn on <name>',
        ('name',),
        SkillKind.SWITCH_ON,
        'turn off <name>',
        description='a microwave heats what is in it, a faucet cleans what is in its sink basin',
    ),
    SkillType('turn off <name>', ('name',), SkillKind.SWITCH_OFF, 'turn on <name>'),
    SkillType(
        'slice <object>',
        ('thing',),
        SkillKind.CHANGE,
        effects=('<object> is sliced',),
        description='with a knife in the hand',
    ),
)
_RECALL = 'recall location of '
_SEEDED = re.compile(rf'({GENERATED}|{"|".join(TASK_TYPES)})(?::(\d{{1,18}}))?')
_FLOOR_PLAN = re.compile(r'FloorPlan\d{1,3}')
_LARGEST_HOUSE = 64 * 1024**2
#: Sides of frames in pixels; 2.1 takes no smaller ones.
_LEAST_SIDE, _MOST_SIDE = 300, 4096
_SIZE = re.compile(r'(\d{2,4})(?:x(\d{2,4}))?')


@dataclass
class _Episode:
    """A scene with its robot and task."""

    task: AlfredTask | None
    robot: Robot
    names: Names
    texts: Texts
    room: str
    #: Ids of what the last text told to be visible.
    seen: tuple[str, ...] = ()


class ThorWorld:
    """Ports `TaskWorld`, `ExpertWorld` and `Cameras`.

    :param executable: the Unity program, or a command; '' for the stand-in.
    :param version: '2.1' or '5': which client is to be installed; '' for any.
    :param transport: 'fifo' or 'http'; '' for fifo with 5.x and http with 2.1.
    :param display: X display of the program, e.g. ':0'. :param size: of frames, '300' or '400x300'.
    :param names: stable, published or plain. :param texts: plain or published.
    :param record: file to which every event is written. :param stand_in: options of the stand-in.
    :param answer: seconds that one action may take. :param start: for starting and loading.
    :raises ConfigurationError: a value cannot be used.
    """

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
        if transport not in ('', FIFO, HTTP):
            raise ConfigurationError(f'transport must be {FIFO} or {HTTP}, not {transport!r}')
        for name, value in (('answer', answer), ('start', start)):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise ConfigurationError(f'{name} must be seconds, not {value!r}')
            if not 0.0 < value < 1e6:
                raise ConfigurationError(f'{name} must be above 0 s, not {value!r}')
        told = str(display)
        self._options = ClientOptions(
            executable=str(executable).strip(),
            version=str(version).strip(),
            transport=transport,
            display=f':{told}' if told.isdigit() else told,
            size=_size(str(size)),
            answer=float(answer),
            start=float(start),
            record=str(record),
        )
        self._stand_in = str(stand_in)
        # Wrong styles are told at once.
        Texts(texts, Names(names))
        self._names, self._texts = names, texts
        self._client: ThorClient | None = None
        self._command = ''
        self._scene = ''
        self._episode: _Episode | None = None

    @property
    def name(self) -> str:
        """'thor'."""
        return 'thor'

    @property
    def scene(self) -> str:
        """The floor plan, or the file of a house."""
        return self._scene

    # Loading -----------------------------------------------------------------------------

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load a scene and a task.

        :param scene: 'FloorPlan10', the file of a ProcTHOR house, or '' for that of the task.
        :param task: 'alfred:<file or folder>#<task>/<annotation>', also without its prefix;
            '<task type>:<seed>' or 'generated:<seed>', drawn from what the scene has; '' or a
            sentence for no goal.
        :param seed: where the task has none, and to choose among the tasks of a file.
        :raises ConfigurationError: either cannot be loaded, or the program cannot be started.
        """
        scene, task = scene.strip(), task.strip()
        loaded: AlfredTask | None = None
        drawn = _SEEDED.fullmatch(task)
        number = int(drawn[2]) if drawn and drawn[2] else seed
        if drawn:
            kind = '' if drawn[1] == GENERATED else drawn[1]
            scene = scene or floor_plan_of(number, kind)
        elif task and (task.startswith(PREFIX) or _is_path(task)):
            loaded = alfred_task(task, seed)
            if scene and scene != loaded.floor_plan:
                raise ConfigurationError(
                    f'the task {loaded.task_id} is set in {loaded.floor_plan}, not in {scene}: '
                    'leave the scene empty'
                )
            scene = loaded.floor_plan
        elif task and ' ' not in task:
            raise ConfigurationError(
                f'there is no task {task!r}: write alfred:<file>#<task>/<annotation>, '
                f'{GENERATED}:<seed>, or one of {", ".join(TASK_TYPES)} with :<seed>'
            )
        scene = scene or self._scene or floor_plan_of(seed)
        house = _scene_of(scene)
        client = self._started(house, task.removeprefix(PREFIX).partition('#')[0] if loaded else '')
        self._episode, self._scene = None, scene
        start, points = _restored(client, house, loaded)
        if drawn:
            loaded = generated_task(scene, start, drawn[1], number)
        names = Names(self._names)
        texts = Texts(self._texts, names)
        robot = Robot(client, names, texts, start, points)
        self._episode = _Episode(loaded, robot, names, texts, room_of(scene))
        return self.observe()

    def _started(self, scene: str | Mapping[str, Any], tasks: str) -> ThorClient:
        """The client with its program; one that is gone is started again."""
        command = self._options.executable or self._stand_in_command(tasks)
        if self._client is not None and (self._client.gone or command != self._command):
            self.close()
        if self._client is None:
            own = not self._options.executable
            self._client = ControllerClient(self._options, command, scene, not own)
            self._command = command
        return self._client

    def _stand_in_command(self, tasks: str) -> str:
        """How the stand-in is started. :param tasks: a file or folder that tells where things lie."""
        source = Path(__file__).resolve().parents[3]
        words = ['env', f'PYTHONPATH={source}', sys.executable, '-m', 'sim_bridge.thor_stand_in']
        if tasks and '--trajectories' not in self._stand_in:
            path = Path(tasks).expanduser().absolute()
            words += ['--trajectories', str(path if path.is_dir() else path.parent)]
        try:
            given = shlex.split(self._stand_in)
        except ValueError as error:
            raise ConfigurationError(f'stand_in {self._stand_in!r} cannot be read: {error}') from error
        return shlex.join(words + given)

    def close(self) -> None:
        """End the program."""
        if self._client is not None:
            self._client.close()
            self._client = None

    # What there is -----------------------------------------------------------------------

    def vocabulary(self) -> Vocabulary:
        """Skills, all classes that can be handled, and the receptacles of the scene."""
        names = self._now.names
        classes = {one['objectType'] for one in things_of(self._now.robot.metadata)}
        places = sorted(classes & FIXED_RECEPTACLES)
        things = [*sorted(PICKABLE), *LAMPS]
        others = sorted((classes & TOGGLEABLE) - set(places) - set(things))
        return Vocabulary(
            templates=tuple(skill.template for skill in SKILL_TYPES),
            object_classes=tuple(map(names.kind, things)),
            place_classes=tuple(map(names.kind, places)),
            other_classes=tuple(map(names.kind, others)),
            rooms=(self._room,),
            skill_types=SKILL_TYPES,
            other_words=tuple(
                (names.kind(one), *other_words(one)) for one in (*things, *places, *others)
            ),
            domain=DOMAIN,
            about=ABOUT,
        )

    def observe(self) -> Observation:
        """What was told first, with what is held; changes nothing."""
        episode = self._now
        fixed = [one['objectId'] for one in self._fixed()]
        text = episode.texts.start(episode.room, fixed)
        episode.seen = ()
        return self._observation('', episode.texts.finished(text, episode.robot.held))

    def _fixed(self) -> list[Thing]:
        """Receptacles that stay where they are."""
        return [
            one
            for one in things_of(self._now.robot.metadata)
            if one.get('receptacle') and class_of(one['name']) in FIXED_RECEPTACLES
        ]

    def admissible_skills(self) -> tuple[str, ...]:
        """What can succeed now, as far as the program's metadata tell."""
        episode = self._now
        robot, name = episode.robot, episode.names.of
        held = robot.held
        visible = [one for one in things_of(robot.metadata) if one.get('visible')]
        things = {one['objectId']: one for one in visible if one['objectId'] != held}
        skills = [f'go to {name(key)}' for key in self._places_first(things)]
        knife = held.partition('|')[0] in KNIVES
        place = robot.thing(robot.receptacle) if robot.receptacle else None
        if held and place is not None and place.get('receptacle') and not is_closed(place):
            skills.append(f'put down {name(held)}')
        for key in episode.names.ordered(things):
            one, called = things[key], name(key)
            if one.get('pickupable') and not held:
                skills.append(f'pick up {called}')
            if one.get('openable'):
                skills.append(f'{"close" if one.get("isOpen") else "open"} {called}')
            if one.get('toggleable'):
                skills.append(f'turn {"off" if one.get("isToggled") else "on"} {called}')
            if one.get('sliceable') and not one.get('isSliced') and knife:
                skills.append(f'slice {called}')
        return tuple(dict.fromkeys(skills))

    def _places_first(self, visible: Mapping[str, Thing]) -> list[str]:
        """Fixed receptacles, then what else is visible and has a class that is handled."""
        names = self._now.names
        handled = PICKABLE | OPENABLE | TOGGLEABLE | FIXED_RECEPTACLES
        rest = [
            key
            for key, one in visible.items()
            if one['objectType'] in handled or is_piece(one) or one.get('pickupable')
        ]
        fixed = names.ordered(one['objectId'] for one in self._fixed())
        return list(dict.fromkeys((*fixed, *names.ordered(rest))))

    def candidate_skills(self) -> tuple[str, ...]:
        """The published set: by classes of what the last text told, whether or not it can be."""
        episode = self._now
        name = episode.names.of
        fixed = episode.names.ordered(one['objectId'] for one in self._fixed())
        skills = [f'go to {name(key)}' for key in fixed]
        held = episode.robot.held
        for key in episode.names.ordered(episode.seen):
            kind, called = class_of(key.partition('|')[0]), name(key)
            skills.append(f'go to {called}')
            if kind in PICKABLE:
                skills.append(f'pick up {called}')
                skills += [f'put down {name(held)}'] if held else []
            if kind in OPENABLE:
                skills += [f'open {called}', f'close {called}']
            if kind in TOGGLEABLE:
                skills += [f'turn on {called}', f'turn off {called}']
            if kind in SLICEABLE:
                skills.append(f'slice {called}')
        return tuple(dict.fromkeys(skills))

    # Doing -------------------------------------------------------------------------------

    def step(self, skill: str) -> Observation:
        """Do one skill; see the port.

        :raises WorldGoneError: the program has ended or hung; a reset starts it again.
        """
        episode = self._now
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
            episode.seen = reply.seen
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
            facts=self._facts() if learned else (),
        )

    def _facts(self) -> tuple[ObjectFact, ...]:
        """What is visible, with where it lies and how it is."""
        episode = self._now
        robot, treated = episode.robot, episode.robot.treated
        facts = []
        for one in things_of(robot.metadata):
            key = one['objectId']
            if not one.get('visible') and key != robot.held:
                continue
            states = []
            if one.get('openable'):
                states.append('open' if one.get('isOpen') else 'closed')
            if one.get('toggleable'):
                states.append('on' if one.get('isToggled') else 'off')
            if one.get('isSliced') or is_piece(one):
                states.append('sliced')
            states += ['clean'] if key in treated.clean else []
            states += ['hot'] if key in treated.hot else []
            states += ['cold'] if key in treated.cold else []
            above = next((up for up in parents(one) if episode.names.of(up)), '')
            where = AGENT if key == robot.held else plain_name(episode.names.of(above))
            kind, number = class_and_number(episode.names.of(key))
            facts.append(ObjectFact(kind, number, receptacle=where, state=', '.join(states)))
        return tuple(facts)

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
    def robot(self) -> Robot:
        """The robot of this episode."""
        return self._now.robot

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
        if task is None or not task.plan:
            raise ConfigurationError('there is no gold plan: load a task of ALFRED, or a generated one')
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
        if self._client is None:
            raise ConfigurationError('no scene is loaded: reset the world first')
        frame = self._client.frame()
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


def _restored(
    client: ThorClient, scene: str | Mapping[str, Any], task: AlfredTask | None
) -> tuple[Metadata, list[Any]]:
    """A scene as its task wants it, and the points where the robot can stand."""
    client.reset(scene)
    actions: list[dict[str, Any]] = []
    if task is not None and task.toggles:
        actions.append({'action': 'SetObjectToggles', 'objectToggles': list(task.toggles)})
    if task is not None and task.dirty_and_empty:
        for change, on in (('CanBeDirty', True), ('CanBeFilled', False)):
            actions.append(
                {'action': 'SetStateOfAllObjects', 'StateChange': change, 'forceAction': on}
            )
    if task is not None and task.poses:
        actions.append({'action': 'SetObjectPoses', 'objectPoses': list(task.poses)})
    for action in actions:
        told = client.do_slowly(action)
        if action['action'] == 'SetObjectPoses' and not succeeded(told):
            reason = ' '.join(str(told.get('errorMessage') or 'no reason').split())[:200]
            raise ConfigurationError(
                f'the program cannot place the things of {task.task_id if task else ""}: {reason}; '
                "ALFRED's poses fit the program of AI2-THOR 2.1.0 (version=2.1)"
            )
    told = client.do_slowly({'action': 'GetReachablePositions'})
    points = told.get('actionReturn') or told.get('reachablePositions') or []
    if not points:
        raise ConfigurationError(f'the program tells no point where the robot can stand in {scene}')
    if task is not None and task.begin is not None:
        told = client.do_slowly(client.dialect.begin(task.begin))
    return told, [*points]


def _scene_of(scene: str) -> str | Mapping[str, Any]:
    """A floor plan's name, or a house.

    :raises ConfigurationError: it is neither.
    """
    if _FLOOR_PLAN.fullmatch(scene):
        return scene
    path = Path(scene).expanduser()
    if not path.is_file():
        raise ConfigurationError(
            f'there is no scene {scene!r}: write FloorPlan1 to 30, 201 to 230, 301 to 330 or 401 '
            'to 430, or the path of a ProcTHOR house (JSON)'
        )
    house: Mapping[str, Any] = read_file(
        path, dict[str, Any], form='must be a ProcTHOR house', largest=_LARGEST_HOUSE
    )
    return house


def _is_path(task: str) -> bool:
    name = task.partition('#')[0]
    return bool(name) and len(name) < 4096 and Path(name).expanduser().exists()


def _size(text: str) -> tuple[int, int]:
    found = _SIZE.fullmatch(text)
    sides = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not all(_LEAST_SIDE <= side <= _MOST_SIDE for side in sides):
        raise ConfigurationError(
            f"size must be {_LEAST_SIDE} to {_MOST_SIDE} pixels, as '300' or '400x300', not {text!r}"
        )
    return sides
