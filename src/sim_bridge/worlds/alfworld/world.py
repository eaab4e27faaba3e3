"""ALFWorld behind the bridge: a room of receptacles, one thing in the hand, six kinds of tasks.

Texts, commands and endings are those of `alfworld` 0.4.2, by rules of our own (`engine: builtin`)
or by the published packages (`engine: textworld`), beside which the rules still run: they know the
facts and the progress, which the packages do not say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from reactree_core.errors import ConfigurationError
from reactree_core.observation import (
    ObjectFact,
    Observation,
    Outcome,
    Progress,
    Vocabulary,
    WorldTask,
)
from reactree_core.skill_types import class_and_number
from sim_bridge.worlds.alfworld.engine import BuiltinEngine, Engine, NOTHING
from sim_bridge.worlds.alfworld.expert import solve
from sim_bridge.worlds.alfworld.game import read_game
from sim_bridge.worlds.alfworld.generator import FAMILIES
from sim_bridge.worlds.alfworld.judging import progress_of
from sim_bridge.worlds.alfworld.published_engine import PublishedEngine
from sim_bridge.worlds.alfworld.skills import failure_of, vocabulary_of
from sim_bridge.worlds.alfworld.state import Layout, states_of
from sim_bridge.worlds.alfworld.tasks import games_of, named_game, task_of
from sim_bridge.worlds.one_episode import OneEpisode
from sim_bridge.worlds.task_names import GENERATED

BUILTIN, TEXTWORLD = 'builtin', 'textworld'
#: Commands that are offered only with the option `all_commands`.
_SELDOM = ('look', 'inventory', 'help')


@dataclass
class _Episode:
    """A game that is played."""

    file: Path | None
    task: WorldTask
    builtin: BuiltinEngine
    engine: Engine
    place: str = ''

    def copy(self) -> _Episode:
        """One that goes on by itself, by the rules here."""
        rules = self.builtin.rehearsal()
        return replace(self, builtin=rules, engine=rules)


class AlfworldWorld(OneEpisode[_Episode]):
    """Ports `TaskWorld`, `ExpertWorld`, and with the engine `builtin` `SnapshotWorld`.

    :param engine: builtin or textworld. :param all_commands: offer look, inventory and help too.
    :raises ConfigurationError: a value is out of range.
    """

    loads = 'game'
    name = 'alfworld'
    #: A skill takes less than a millisecond or so (see `WorldThread`).
    quick = True

    def __init__(self, engine: str = BUILTIN, all_commands: bool = False) -> None:
        if engine not in (BUILTIN, TEXTWORLD):
            raise ConfigurationError(f'engine must be {BUILTIN} or {TEXTWORLD}, not {engine!r}')
        self._engine = engine
        self.quick = engine == BUILTIN
        self._all_commands = all_commands

    @property
    def scene(self) -> str:
        """The game, which brings its room along."""
        return self._episode.task.task_id if self._episode else ''

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Load a game, its room and its task.

        :param scene: a game's file or folder, where the task names none; else ''.
        :param task: 'generated:<seed>', '<family>:<seed>', either without its seed, a game's file
            or folder, or a folder of games with '#<part of a name>'; '' for that of the scene.
        :param seed: used where the task has none, and to choose among the games of a folder.
        :raises ConfigurationError: it cannot be loaded; the world stays as it was.
        """
        wanted = task.strip() or scene.strip() or GENERATED
        game, file = named_game(wanted, seed)
        if file is None and self._engine == TEXTWORLD:
            raise ConfigurationError(
                'engine textworld plays published games: name a game file as task, or take engine '
                'builtin for generated ones'
            )
        layout = Layout(game)
        builtin = BuiltinEngine(layout)
        engine = builtin if self._engine == BUILTIN else PublishedEngine(file or Path())
        self._close()
        self._episode = _Episode(file, task_of(game), builtin, engine)
        return self._observation('', engine.first_text)

    def _close(self) -> None:
        engine = self._episode.engine if self._episode else None
        if isinstance(engine, PublishedEngine):
            engine.close()

    def vocabulary(self) -> Vocabulary:
        """Skills, the receptacles of the room, and all classes of things."""
        return vocabulary_of(self._now.builtin.layout)

    def observe(self) -> Observation:
        """The room, where the robot is and what it holds; changes nothing."""
        engine = self._now.builtin
        room = engine.first_text.split('\n\n')[1]
        place = self._now.place
        texts = [room]
        if place:
            texts.append(f'You are at {place}. {engine.contents(engine.layout.by_name[place])}')
        if engine.state.held:
            texts.append(f'You are carrying: a {engine.layout.names[engine.state.held]}.')
        return self._observation('', ' '.join(texts), facts=self._facts_at(place))

    def admissible_skills(self) -> tuple[str, ...]:
        """What can be done now."""
        engine = self._now.engine
        if engine.won:
            return ()
        commands = engine.commands()
        return commands if self._all_commands else tuple(c for c in commands if c not in _SELDOM)

    def candidate_skills(self) -> tuple[str, ...]:
        """All commands of the published environment."""
        return () if self._now.engine.won else self._now.engine.commands()

    def step(self, skill: str) -> Observation:
        """Do one skill, blanks around it aside; what cannot be done changes nothing."""
        skill = skill.strip()
        episode = self._now
        if episode.engine.won:
            text = 'The task is done: the game is over.'
            return self._observation(skill, text, Outcome.PRECONDITION_FAILED)
        text = episode.engine.do(skill)
        if episode.engine is not episode.builtin:
            episode.builtin.do(skill)
        if text == NOTHING:
            return self._observation(skill, text, failure_of(skill, episode.builtin.layout))
        verb, _, rest = skill.partition(' ')
        if verb == 'go':
            episode.place = rest.removeprefix('to ')
        # Of several receptacles at one place, the one that the skill names is looked at.
        looked_at = rest.removeprefix('to ') if verb in ('go', 'open', 'examine') else ''
        return self._observation(skill, text, facts=self._learned(verb, rest), looked_at=looked_at)

    def _learned(self, verb: str, rest: str) -> tuple[ObjectFact, ...]:
        """What a skill that succeeded has shown."""
        engine = self._now.builtin
        by_name = engine.layout.by_name
        thing = by_name.get(re.split(' from | to | with ', rest)[0], '')
        if verb in ('go', 'open', 'close'):
            return self._facts_at(rest.removeprefix('to '))
        if verb == 'examine' and thing in engine.layout.place_of:
            return self._facts_at(rest)
        return (self._fact(thing),) if thing else ()

    def _facts_at(self, place: str) -> tuple[ObjectFact, ...]:
        engine = self._now.builtin
        key = engine.layout.by_name.get(place, '')
        if not key:
            return ()
        things = [] if engine.is_closed(key) else engine.state.inside[key]
        return (self._fact(key), *map(self._fact, things))

    def _fact(self, key: str) -> ObjectFact:
        engine = self._now.builtin
        layout, state = engine.layout, engine.state
        kind, number = class_and_number(layout.names[key])
        words = states_of(state, key)
        if key in layout.openable:
            words.append('closed' if engine.is_closed(key) else 'open')
        if key in state.toggled:
            words.append('on')
        where = 'agent 1' if state.held == key else ''
        for receptacle, things in state.inside.items():
            if key in things and receptacle in layout.names:
                where = layout.names[receptacle]
        return ObjectFact(kind, number, receptacle=where, state=', '.join(words))

    def progress(self) -> Progress | None:
        """The goal's conditions, one by one, of the things of which most hold."""
        engine, layout = self._now.builtin, self._now.builtin.layout
        return progress_of(layout.game.goals, engine.state, layout.class_of)

    def task(self) -> WorldTask | None:
        """What is to be done."""
        return self._episode.task if self._episode else None

    def task_families(self) -> tuple[str, ...]:
        """The six kinds of tasks."""
        return FAMILIES

    def scene_of(self, seed: int) -> str:
        """A game brings its room along."""
        return ''

    def tasks_of_file(self, path: Path) -> Sequence[WorldTask]:
        """The task of a game, or those of a folder of games; see the port."""
        return [task_of(read_game(file)) for file in games_of(path)]

    @property
    def rules(self) -> BuiltinEngine:
        """The rules that run, with the state of the game."""
        return self._now.builtin

    def goal_classes(self) -> tuple[str, str]:
        """Classes of the thing of the task, and of where it has to go, or of the lamp."""
        layout = self.rules.layout
        found: dict[str, str] = {}
        for goal in layout.game.goals:
            found |= goal.choices[0]
        thing, place = found.get('?o', found.get('?o1')), found.get('?ot', found.get('?r'))
        return layout.class_of(thing or ''), layout.class_of(place or '')

    def expert(self) -> tuple[str, ...]:
        """Do the loaded task; see the port."""
        commands = solve(self._now.builtin.rehearsal())
        for command in commands:
            self.step(command)
        return commands

    def displace(self, thing: str, choice: Random) -> bool:
        """Put an object somewhere else; see the port.

        :raises ConfigurationError: the published packages cannot.
        """
        episode = self._now
        if episode.engine is not episode.builtin:
            raise ConfigurationError('the engine textworld moves nothing itself: take builtin')
        builtin = episode.builtin
        return builtin.displace(builtin.layout.by_name.get(thing, ''), choice)

    def snapshot(self) -> object:
        """The game as it is; see the port.

        :raises ConfigurationError: the published packages cannot.
        """
        episode = self._now
        if episode.engine is not episode.builtin:
            raise ConfigurationError('the engine textworld takes no snapshots: take builtin')
        return episode.copy()

    def restore(self, snapshot: object) -> Observation:
        """Put it back; see the port.

        :raises ConfigurationError: it is no snapshot of such a world.
        """
        if not isinstance(snapshot, _Episode):
            raise ConfigurationError('this is no snapshot of ALFWorld: take one first')
        self._episode = snapshot.copy()
        return self.observe()

    def _observation(
        self,
        skill: str,
        text: str,
        outcome: Outcome = Outcome.SUCCEEDED,
        facts: tuple[ObjectFact, ...] = (),
        looked_at: str = '',
    ) -> Observation:
        episode = self._now
        engine = episode.builtin
        key = engine.layout.by_name.get(looked_at, '')
        # A receptacle counts as looked at once its content was seen.
        seen = key in engine.layout.place_of and not engine.is_closed(key)
        held = engine.state.held
        return Observation(
            text,
            outcome,
            skill,
            episode.place,
            '',
            (looked_at,) if seen else (),
            (engine.layout.names[held],) if held else (),
            self.admissible_skills(),
            facts,
            over=episode.engine.won,
        )
