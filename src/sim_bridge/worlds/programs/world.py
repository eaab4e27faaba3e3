"""Tasks of VirtualHome programs behind the bridge: one skill is one step of a program.

The conditions and effects are those of VirtualHome's own executor; what is seen, the goals and
what counts as reached are Tree-Planner's.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import (
    ObjectFact,
    Observation,
    Outcome,
    Progress,
    Vocabulary,
    WorldTask,
)
from reactree_core.skill_types import SkillKind
from reactree_core.working_memory import AGENT
from sim_bridge.worlds.household.nodes import is_room
from sim_bridge.worlds.household.programs.execution import failed_at, misuse, perform
from sim_bridge.worlds.household.programs.script import folded, Named, Step
from sim_bridge.worlds.household.programs.stage import Fact, PUBLISHED, Stage
from sim_bridge.worlds.household.world import load_scene
from sim_bridge.worlds.one_episode import OneEpisode
from sim_bridge.worlds.programs.pairs import files_of_set, Pair, read_pair, sentence_of
from sim_bridge.worlds.programs.seeing import deciding_text, is_furnishing, visible
from sim_bridge.worlds.programs.skills import (
    ALL_ACTIONS,
    FORMS,
    groundings,
    name_in,
    read_skill,
    SKILLS,
    skills_of,
    text_of,
    WORDS,
)
from sim_bridge.worlds.programs.tasks import INVENTED, named_pair, resources_of, task_of

DOMAIN = 'programs'
ABOUT = (
    'A person in a home, who sees the room around, but not what is in closed things. Things are '
    'handled from close by, so go up to a thing first. Two hands; opening needs a free one. Stand '
    'up before walking.'
)


@dataclass
class _Episode:
    """A home in which something is to be done.

    :param reached: the most conditions of the goal that held at one moment since the start.
    :param place: id of what the character went to last, or None.
    """

    scene: str
    pair: Pair | None
    home: Stage
    reached: frozenset[Fact] = frozenset()
    place: int | None = None
    skills: dict[bool, tuple[str, ...]] = field(default_factory=dict)

    def look(self) -> None:
        """Note what of the goal holds now."""
        self.skills.clear()
        if self.pair is not None:
            now = self.pair.goal & self.home.facts(PUBLISHED)
            self.reached = max(self.reached, now, key=len)

    @property
    def over(self) -> bool:
        return self.pair is not None and self.reached == self.pair.goal


class ProgramsWorld(OneEpisode[_Episode]):
    """Ports `GraphWorld`, `TaskWorld`, `ExpertWorld` and `SnapshotWorld`.

    :param actions: '28' of Tree-Planner's table or 'all' that VirtualHome's executor knows, in the
        lists of skills; `step` takes them all.
    :param form: of the skills: 'words' or 'program'.
    :param resources: folder of VirtualHome's resources, for what programs name and scenes lack;
        '' for none.
    :raises ConfigurationError: a value is out of range, or the folder holds no resources.
    """

    loads = 'scene'
    name = 'programs'
    #: A skill takes some milliseconds (see `WorldThread`).
    quick = True

    def __init__(
        self, actions: str | int = ALL_ACTIONS, form: str = WORDS, resources: str = ''
    ) -> None:
        if form not in FORMS:
            raise ConfigurationError(f'form must be one of {", ".join(FORMS)}, not {form!r}')
        self._skills = skills_of(str(actions))
        self._form = form
        self._resources = resources_of(resources)

    @property
    def scene(self) -> str:
        """What is loaded: 'generated:<seed>', a path, or the scene of the task."""
        return self._episode.scene if self._episode else ''

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load a home and a task.

        :param scene: 'generated:<seed>' or a path of a graph file; '' for the loaded one, before
            any 'generated:<seed of the reset>'. A task of a set brings its own.
        :param task: 'generated:<seed>' for one of the invented programs, 'invented:<name>', a
            program (*.txt), a set (its folder) or one of its files, with '#<id>' to choose; '' for
            none.
        :param seed: used where the task has none, and to choose among the tasks of a set.
        :raises ConfigurationError: either cannot be loaded; the world stays as it was.
        """
        task, scene = task.strip(), scene.strip() or self.scene or f'generated:{seed}'
        pair = named_pair(task, scene, seed, self._resources) if task else None
        graph = pair.graph if pair else load_scene(scene)
        home = Stage(graph, self._resources.properties, self._resources.equivalents)
        scene = pair.scene if pair else scene
        self._episode = _Episode(scene, pair, home)
        self._now.look()
        return self.observe()

    def vocabulary(self) -> Vocabulary:
        """Skills, and the classes of the whole home."""
        home = self._now.home
        types = tuple(skill.type(self._form) for skill in self._skills)
        things = [key for key in home.nodes if is_furnishing(home, key)]
        carried = {key for key in things if home.nodes[key].has('GRABBABLE')}
        return Vocabulary(
            tuple(kind.template for kind in types),
            tuple(sorted({self._class(key) for key in carried})),
            tuple(sorted({self._class(key) for key in things if key not in carried})),
            tuple(self._name(key) for key in sorted(home.nodes) if is_room(home.nodes[key])),
            types,
            domain=DOMAIN,
            about=ABOUT,
        )

    def observe(self) -> Observation:
        """The room around, and what is held; changes nothing."""
        home = self._now.home
        text = deciding_text(home, home.held())
        return self._observation('', text, facts=self._around(), looked_at=self._shown())

    def admissible_skills(self) -> tuple[str, ...]:
        """Skills with what is seen that can be done now."""
        return self._listed(checked=True)

    def candidate_skills(self) -> tuple[str, ...]:
        """Every skill with what is seen, and moves to all there is."""
        return self._listed(checked=False)

    def _listed(self, checked: bool) -> tuple[str, ...]:
        episode = self._now
        if episode.over:
            return ()
        if checked not in episode.skills:
            episode.skills[checked] = tuple(
                text_of(skill, self._form, episode.home, keys)
                for skill, keys in groundings(episode.home, self._skills, checked)
            )
        return episode.skills[checked]

    def step(self, skill: str) -> Observation:
        """Do one step of a program, in words or as programs write it."""
        episode = self._now
        if episode.over:
            text = 'The task is done: there is nothing left to do.'
            return self._observation(skill, text, Outcome.PRECONDITION_FAILED)
        step = read_skill(skill)
        fault = self._fault(step)
        if step is None or fault:
            return self._observation(skill, fault, Outcome.INVALID_SKILL)
        home = episode.home
        keys = [found for one in step.objects if (found := home.find(one)) is not None]
        named = (Named(home.nodes[key].class_name, key, is_id=True) for key in keys)
        meant = Step(step.action, tuple(named))
        room, shut = home.room_of(home.me), self._shut()
        reason = perform(home, meant)
        if reason:
            text = f'Script is not executable, since {failed_at(meant, 1, reason)}'
            return self._observation(skill, text, Outcome.PRECONDITION_FAILED)
        kinds = {one.action: one.kind for one in self._skills}
        if kinds.get(step.action) is SkillKind.MOVE:
            episode.place = keys[0]
        episode.look()
        # What is in the room is given again when that may have changed.
        anew = home.room_of(home.me) != room or self._shut() != shut
        text = deciding_text(home, [*keys, *home.held()], with_rooms=anew)
        if anew:
            facts, looked_at = self._around(), self._shown()
        else:
            facts = tuple(self._fact(key) for key in (*keys, *home.held()))
            looked_at = ()
        return self._observation(skill, text, facts=facts, looked_at=looked_at)

    def _fault(self, step: Step | None) -> str:
        """Why a text is no step here, in a sentence; '' when it is one."""
        if step is None:
            return (
                'That is no skill: write it as one of the skills that are listed, or as a step of '
                'a program, e.g. [Walk] <kitchen> (11).'
            )
        home = self._now.home
        classes = {folded(node.class_name) for node in home.nodes.values()}
        for named in step.objects:
            names = (named.name, *self._resources.equivalents.get(named.name, ()))
            if classes.isdisjoint(map(folded, names)) or home.find(named) is None:
                return f'There is no {named.name.replace("_", " ")} in this home.'
        return misuse(step)

    def progress(self) -> Progress | None:
        """Conditions of the goal at the best moment since the start; None without a task."""
        episode = self._now
        if episode.pair is None:
            return None
        reached, goal = episode.reached, sorted(episode.pair.goal, key=str)
        lines = (
            f'{sentence_of(fact, episode.home)}: {int(fact in reached)} of 1' for fact in goal
        )
        return Progress(len(reached), len(goal), tuple(lines))

    def task(self) -> WorldTask | None:
        """The loaded task, or None."""
        pair = self._episode.pair if self._episode else None
        return task_of(pair) if pair else None

    def task_families(self) -> tuple[str, ...]:
        """('invented',)."""
        return (INVENTED,)

    def scene_of(self, seed: int) -> str:
        """A home for each seed."""
        return f'generated:{seed}'

    def tasks_of_file(self, path: Path) -> Sequence[WorldTask]:
        """Tasks of a set; see the port."""
        return tuple(task_of(read_pair(file)) for file in files_of_set(path))

    def expert(self) -> tuple[str, ...]:
        """Do the gold program; see the port."""
        done = []
        for skill in self.gold_skills():
            if self._now.over:
                break
            done.append(skill)
            observation = self.step(skill)
            if not observation.succeeded:
                raise SkillError(f'The expert finds no way: {observation.text}')
        return tuple(done)

    def gold_skills(self) -> tuple[str, ...]:
        """The gold program as skills of this form.

        :raises ConfigurationError: no task with a program is loaded.
        """
        episode = self._now
        if episode.pair is None:
            raise ConfigurationError('no task with a program is loaded: name one')
        found = []
        for step in episode.pair.gold:
            skill = next(
                one
                for one in SKILLS
                if (one.action, one.objects) == (step.action, len(step.objects))
            )
            keys = tuple(named.number for named in step.objects)
            found.append(text_of(skill, self._form, episode.home, keys))
        return tuple(found)

    def graph(self) -> dict[str, Any]:
        """The home as it is now."""
        return self._now.home.to_dict()

    def snapshot(self) -> object:
        """The home, and what was reached in it; see the port."""
        return pickle.dumps(self._now)

    def restore(self, snapshot: object) -> Observation:
        """Put it back; what was reached since then does not count. See the port.

        :raises ConfigurationError: it is no snapshot of such a world.
        """
        # Only bytes of this process come here: the bridge keeps them, and hands out names.
        episode = pickle.loads(snapshot) if isinstance(snapshot, bytes) else None
        if not isinstance(episode, _Episode):
            raise ConfigurationError('this is no snapshot of a home of programs: take one first')
        self._episode = episode
        return self.observe()

    # What is told

    def _name(self, key: int) -> str:
        return name_in(self._form, self._now.home, key)

    def _class(self, key: int) -> str:
        name = self._now.home.nodes[key].class_name
        return name.replace('_', ' ') if self._form == WORDS else f'<{name}>'

    def _shut(self) -> frozenset[int]:
        home = self._now.home
        return frozenset(key for key, node in home.nodes.items() if 'CLOSED' in node.states)

    def _around(self) -> tuple[ObjectFact, ...]:
        home = self._now.home
        return tuple(self._fact(key) for key in sorted(visible(home)) if is_furnishing(home, key))

    def _shown(self) -> tuple[str, ...]:
        """The room, and in it all places that are not closed: their whole content is seen."""
        home = self._now.home
        room = home.room_of(home.me)
        places = [] if room is None else [room]
        places += [
            key
            for key in sorted(visible(home))
            if is_furnishing(home, key)
            and not home.nodes[key].has('GRABBABLE')
            and 'CLOSED' not in home.nodes[key].states
        ]
        return tuple(map(self._name, places))

    def _fact(self, key: int) -> ObjectFact:
        home = self._now.home
        room = home.room_of(key)
        on = [
            one
            for relation in ('ON', 'INSIDE')
            for one in home.targets(key, relation)
            if is_furnishing(home, one)
        ]
        place = AGENT if key in home.held() else self._name(on[0]) if on else ''
        states = ', '.join(home.nodes[key].states).lower().replace('_', ' ')
        where = self._name(room) if room is not None else ''
        return ObjectFact(self._class(key), key, where, place, states)

    def _observation(
        self,
        skill: str,
        text: str,
        outcome: Outcome = Outcome.SUCCEEDED,
        facts: tuple[ObjectFact, ...] = (),
        looked_at: tuple[str, ...] = (),
    ) -> Observation:
        episode = self._now
        home = episode.home
        room = home.room_of(home.me)
        place = episode.place if episode.place is not None else room
        return Observation(
            text,
            outcome,
            skill,
            '' if place is None else self._name(place),
            '' if room is None else self._name(room),
            looked_at,
            tuple(map(self._name, home.held())),
            self.admissible_skills(),
            facts,
            over=episode.over,
        )
