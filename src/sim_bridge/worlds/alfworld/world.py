"""ALFWorld behind the bridge: a room of receptacles, one thing in the hand, six kinds of tasks.

Texts, commands and endings are those of `alfworld` 0.4.2, by rules of our own (`engine: builtin`)
or by the published packages (`engine: textworld`), beside which the rules still run: they know the
facts and the progress, which the packages do not tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from reactree_core.errors import ConfigurationError
from reactree_core.observation import ObjectFact
from reactree_core.observation import Observation
from reactree_core.observation import Outcome
from reactree_core.observation import Progress
from reactree_core.observation import Vocabulary
from reactree_core.observation import WorldTask
from reactree_core.skill_types import class_and_number
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from sim_bridge.worlds.alfworld.engine import BuiltinEngine
from sim_bridge.worlds.alfworld.engine import Engine
from sim_bridge.worlds.alfworld.engine import Layout
from sim_bridge.worlds.alfworld.engine import NOTHING
from sim_bridge.worlds.alfworld.engine import satisfied
from sim_bridge.worlds.alfworld.engine import State
from sim_bridge.worlds.alfworld.engine import states_of
from sim_bridge.worlds.alfworld.expert import solve
from sim_bridge.worlds.alfworld.game import Game
from sim_bridge.worlds.alfworld.game import GAME_FILE
from sim_bridge.worlds.alfworld.game import read_game
from sim_bridge.worlds.alfworld.generator import FAMILIES
from sim_bridge.worlds.alfworld.generator import generated_game
from sim_bridge.worlds.alfworld.published_engine import PublishedEngine
from sim_bridge.worlds.thor.classes import STATE_WORDS
from sim_bridge.worlds.thor.classes import words_for

BUILTIN, TEXTWORLD = 'builtin', 'textworld'
GENERATED = 'generated'
DOMAIN = 'alfworld'
ABOUT = (
    'A robot with one hand in a single room. Going to a place shows what lies there; what is in a '
    'closed place is seen after opening it.'
)
SKILL_TYPES = (
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('open <place>', ('place',), SkillKind.OPEN, 'close <place>'),
    SkillType('close <place>', ('place',), SkillKind.CLOSE, 'open <place>'),
    SkillType(
        'take <object> from <place>',
        ('thing', 'place'),
        SkillKind.TAKE,
        'move <object> to <place>',
        description='only with an empty hand',
    ),
    SkillType(
        'move <object> to <place>',
        ('thing', 'place'),
        SkillKind.PUT,
        'take <object> from <place>',
        description='in or on a place where you are',
    ),
    SkillType(
        'clean <object> with <place>',
        ('thing', 'place'),
        SkillKind.CHANGE,
        effects=('<object> is clean',),
        description='at a sinkbasin, with the object in the hand',
        other_words=STATE_WORDS['clean'],
    ),
    SkillType(
        'heat <object> with <place>',
        ('thing', 'place'),
        SkillKind.CHANGE,
        effects=('<object> is hot',),
        description='at a microwave, with the object in the hand',
        other_words=STATE_WORDS['hot'],
    ),
    SkillType(
        'cool <object> with <place>',
        ('thing', 'place'),
        SkillKind.CHANGE,
        effects=('<object> is cool',),
        description='at a fridge, with the object in the hand',
        other_words=STATE_WORDS['cool'],
    ),
    SkillType(
        'slice <object> with <knife>',
        ('thing', 'thing'),
        SkillKind.CHANGE,
        effects=('<object> is sliced',),
        description='with a knife in the hand',
        other_words=STATE_WORDS['sliced'],
    ),
    SkillType('use <object>', ('name',), SkillKind.SWITCH_ON, description='turns a lamp on'),
    SkillType('examine <name>', ('name',), SkillKind.LOOK),
    SkillType('look', (), SkillKind.LOOK),
    SkillType('inventory', (), SkillKind.LOOK),
    SkillType('help', (), SkillKind.OTHER),
)
_SEEDED = re.compile(rf'({GENERATED}|{"|".join(FAMILIES)})(?::(\d{{1,18}}))?')
#: Commands that are offered only with the option `all_commands`.
_SELDOM = ('look', 'inventory', 'help')
#: Condition of a goal -> its sentence.
SENTENCES = {
    'isClean': '{0} is clean',
    'isHot': '{0} is hot',
    'isCool': '{0} is cool',
    'isSliced': '{0} is sliced',
    'isToggled': '{0} is on',
    'inReceptacle': '{0} is in or on {1}',
    'atLocation': 'you are where the lamp is',
    'holds': 'you hold {1}',
}


@dataclass
class _Episode:
    """A game that is played."""

    file: Path | None
    task: WorldTask
    builtin: BuiltinEngine
    engine: Engine
    place: str = ''


class AlfworldWorld:
    """Ports `TaskWorld`, `ExpertWorld`, and with the engine `builtin` `SnapshotWorld`.

    :param engine: builtin or textworld. :param all_commands: offer look, inventory and help too.
    :raises ConfigurationError: a value is out of range.
    """

    #: A skill takes less than a millisecond or so (see `WorldThread`).
    quick = True

    def __init__(self, engine: str = BUILTIN, all_commands: bool = False) -> None:
        if engine not in (BUILTIN, TEXTWORLD):
            raise ConfigurationError(f'engine must be {BUILTIN} or {TEXTWORLD}, not {engine!r}')
        self._engine = engine
        self.quick = engine == BUILTIN
        self._all_commands = all_commands
        self._episode: _Episode | None = None

    @property
    def name(self) -> str:
        """'alfworld'."""
        return 'alfworld'

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
        drawn = _SEEDED.fullmatch(wanted)
        if drawn:
            file = None
            game = generated_game(drawn[1], int(drawn[2]) if drawn[2] else seed)
        else:
            file = game_file_of(wanted, seed)
            game = read_game(file)
        if file is None and self._engine == TEXTWORLD:
            raise ConfigurationError(
                'engine textworld plays published games: name a game file as task, or take engine '
                'builtin for generated ones'
            )
        layout = Layout(game)
        builtin = BuiltinEngine(layout)
        engine = builtin if self._engine == BUILTIN else PublishedEngine(file or Path())
        self._close()
        self._episode = _Episode(file, _task_of(game), builtin, engine)
        return self._observation('', engine.first_text)

    def _close(self) -> None:
        engine = self._episode.engine if self._episode else None
        if isinstance(engine, PublishedEngine):
            engine.close()

    def vocabulary(self) -> Vocabulary:
        """Skills, the receptacles of the room, and all classes of things."""
        layout = self._now.builtin.layout
        kinds = {key: layout.type_of.get(key, '') for key in layout.names}
        places = {class_and_number(layout.names[key])[0] for key in layout.receptacles}
        # What may be here is known, what is here is not: classes that fit into the receptacles.
        things = {thing.removesuffix('type') for _, thing in layout.can_contain}
        things |= {
            class_and_number(layout.names[key])[0]
            for key in kinds
            if key not in layout.place_of and key in layout.pickupable
        }
        fixed = {class_and_number(layout.names[key])[0] for key in layout.able['toggle']}
        return Vocabulary(
            templates=tuple(skill.template for skill in SKILL_TYPES),
            other_words=words_for(sorted(things | places | fixed)),
            object_classes=tuple(sorted(things - places - fixed)),
            place_classes=tuple(sorted(places)),
            other_classes=tuple(sorted(fixed)),
            skill_types=SKILL_TYPES,
            domain=DOMAIN,
            about=ABOUT,
        )

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
        """Do one skill; what cannot be done changes nothing."""
        episode = self._now
        if episode.engine.won:
            text = 'The task is done: the game is over.'
            return self._observation(skill, text, Outcome.PRECONDITION_FAILED)
        text = episode.engine.do(skill)
        if episode.engine is not episode.builtin:
            episode.builtin.do(skill)
        if text == NOTHING:
            return self._observation(skill, text, self._failure(skill))
        verb, _, rest = skill.partition(' ')
        if verb == 'go':
            episode.place = rest.removeprefix('to ')
        return self._observation(skill, text, facts=self._learned(verb, rest), verb=verb)

    def _failure(self, skill: str) -> Outcome:
        names = self._now.builtin.layout.by_name
        for kind in SKILL_TYPES:
            if any(all(value in names for value in values) for values in kind.splits(skill)):
                return Outcome.PRECONDITION_FAILED
        return Outcome.INVALID_SKILL

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
        engine = self._now.builtin
        met, total, lines = 0, 0, []
        for goal in engine.layout.game.goals:
            here, choice = satisfied(goal, engine.state)
            met, total = met + here, total + len(goal.conditions)
            for one in goal.conditions:
                things = [choice.get(word, word) for word in one.atom[1:]]
                so = engine.state.is_so(one.atom[0], things) == one.holds
                sentence = _sentence(one.atom[0], things, engine.layout)
                lines.append(f'{"met" if so else "not met"}: {sentence}')
        return Progress(met, total, tuple(lines))

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
        return [_task_of(read_game(file)) for file in games_of(path)]

    @property
    def rules(self) -> BuiltinEngine:
        """The rules that run, with the state of the game."""
        return self._now.builtin

    def goal_classes(self) -> tuple[str, str]:
        """Classes of the thing of the task, and of where it has to go, or of the lamp."""
        names = self.rules.layout.names
        found: dict[str, str] = {}
        for goal in self.rules.layout.game.goals:
            found |= goal.choices[0]
        thing = names[found.get('?o', found.get('?o1', ''))]
        place = names[found.get('?ot', found.get('?r', ''))]
        return class_and_number(thing)[0], class_and_number(place)[0]

    def expert(self) -> tuple[str, ...]:
        """Do the loaded task; see the port."""
        rehearsal = BuiltinEngine(self._now.builtin.layout)
        rehearsal.state = self._now.builtin.state.copy()
        commands = solve(rehearsal)
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
        return episode.file, episode.task, episode.builtin.layout, episode.builtin.state.copy(), (
            episode.place
        )  # fmt: skip

    def restore(self, snapshot: object) -> Observation:
        """Put it back; see the port.

        :raises ConfigurationError: it is no snapshot of such a world.
        """
        match snapshot:
            case (
                Path() | None as file,
                WorldTask() as task,
                Layout() as layout,
                State() as state,
                str(place),
            ):
                engine = BuiltinEngine(layout)
                engine.state = state.copy()
                self._episode = _Episode(file, task, engine, engine, place)
            case _:
                raise ConfigurationError('this is no snapshot of ALFWorld: take one first')
        return self.observe()

    @property
    def _now(self) -> _Episode:
        if self._episode is None:
            raise ConfigurationError('no game is loaded: reset the world first')
        return self._episode

    def _observation(
        self,
        skill: str,
        text: str,
        outcome: Outcome = Outcome.SUCCEEDED,
        facts: tuple[ObjectFact, ...] = (),
        verb: str = '',
    ) -> Observation:
        episode = self._now
        engine = episode.builtin
        place = episode.place
        key = engine.layout.by_name.get(place, '')
        # A place counts as looked at once its content was seen.
        seen = verb in ('go', 'open', 'examine') and key and not engine.is_closed(key)
        held = engine.state.held
        return Observation(
            text,
            outcome,
            skill,
            place,
            '',
            (place,) if seen else (),
            (engine.layout.names[held],) if held else (),
            self.admissible_skills(),
            facts,
            over=episode.engine.won,
        )


def _sentence(predicate: str, things: Sequence[str], layout: Layout) -> str:
    names = [layout.names.get(thing, '') for thing in things]
    # Any thing of the class will do: its number would say too much.
    classes = ['a ' + class_and_number(name)[0] if name else '' for name in names]
    return SENTENCES.get(predicate, predicate).format(*classes, '', '')


def _task_of(game: Game) -> WorldTask:
    predicates = {one.atom[0] for goal in game.goals for one in goal.conditions}
    several = sum(len(goal.conditions) for goal in game.goals if len(game.goals) == 1)
    family = next(
        (
            name
            for name, predicate in (
                ('look', 'isToggled'),
                ('clean', 'isClean'),
                ('heat', 'isHot'),
                ('cool', 'isCool'),
            )
            if predicate in predicates
        ),
        'put_two' if several > 1 else 'put',
    )
    return WorldTask(game.name, family, game.task)


def games_of(path: Path) -> list[Path]:
    """The game files of a folder, of those below it, or the one itself; sorted."""
    if path.is_file():
        return [path]
    return sorted(path.rglob(GAME_FILE)) if path.is_dir() else []


def game_file_of(text: str, seed: int) -> Path:
    """The game that a text names.

    :param text: path, with '#<part of a name>' for one of several.
    :param seed: chooses among them.
    :raises ConfigurationError: there is none.
    """
    path, _, part = text.partition('#')
    place = Path(path).expanduser()
    found = [file for file in games_of(place) if part in str(file.parent)]
    if not found:
        raise ConfigurationError(
            f'there is no game {text!r}: write generated:<seed>, one of {", ".join(FAMILIES)} '
            f'with :<seed>, or the path of a {GAME_FILE} or of a folder of games'
        )
    return found[seed % len(found)]
