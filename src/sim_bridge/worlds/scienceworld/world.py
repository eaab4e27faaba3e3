"""ScienceWorld behind the bridge: a house of ten rooms, thirty kinds of school experiments.

The simulator is that of the package `scienceworld` 1.2.3, in a Java process of its own
(requirements/scienceworld.txt). Texts, valid actions and the score are the package's; which of the
valid actions are offered is ours (see `actions`), and so is that the room is given on arrival.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Observation, Outcome, Progress, Vocabulary, WorldTask
from sim_bridge.worlds.one_episode import OneEpisode
from sim_bridge.worlds.scienceworld.actions import (
    CHOOSE,
    is_question,
    offered,
    outcome_of,
    parsed,
    SKILL_TYPES,
    usual_form,
)
from sim_bridge.worlds.scienceworld.simulator import (
    Action,
    SIMPLIFICATIONS,
    Simulator,
    SPLITS,
    task_names,
)
from sim_bridge.worlds.scienceworld.tasks import Chosen, chosen

DOMAIN = 'scienceworld'
ABOUT = (
    'You do an experiment in a house with a kitchen, a bathroom, a bedroom, a living room, a '
    'hallway, an art studio, a workshop, a greenhouse and a foundry, and outside. You reach and '
    'see what is in your room; what is in closed things is seen after opening them.'
)
#: Skills that are offered at most, as an option; all valid ones can be done.
MOST_SKILLS = 400
_LEAST, _MOST = 20, 5000
_ROOM = re.compile(r'called the ([^.\n]+)\.')
_LOOK_AROUND = 'look around'
_WAITING = ('wait', 'wait1')
_FAILED = 'failed: this task can no longer be solved'
_NUMBER = re.compile(r'[0-9]{1,4}')


@dataclass
class _Episode:
    """A variation that is played, and what was last seen of it."""

    chosen: Chosen
    task: WorldTask
    room: str = ''
    score: float = 0.0
    solved: bool = False
    #: Whether the last reply asked to choose a number.
    asks: bool = False
    valid: tuple[Action, ...] = ()
    held: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        # A score below zero is for good: the wrong thing was focused on.
        return self.solved or self.score < 0


class ScienceWorldWorld(OneEpisode[_Episode]):
    """Ports `TaskWorld` and `ExpertWorld`.

    :param simplifications: 'easy', names joined by commas, or a list of names; '' for none.
    :param most_skills: skills that are offered at most, 20..5000.
    :param room_on_arrival: whether the text of going somewhere tells the room too.
    :raises ConfigurationError: a value is out of range.
    """

    #: A skill takes a tenth of a second, most of it for the list of valid ones.
    name = 'scienceworld'
    quick = False
    splits = SPLITS

    def __init__(
        self,
        simplifications: str | Sequence[str] = '',
        most_skills: int = MOST_SKILLS,
        room_on_arrival: bool = True,
    ) -> None:
        if isinstance(simplifications, (list, tuple)):
            simplifications = ','.join(map(str, simplifications))
        names = [name.strip() for name in str(simplifications).split(',') if name.strip()]
        unknown = [name for name in names if name not in SIMPLIFICATIONS]
        if unknown:
            raise ConfigurationError(
                f'there is no simplification {unknown[0]!r}: choose some of '
                f'{", ".join(SIMPLIFICATIONS)}, joined by commas'
            )
        if isinstance(most_skills, bool) or not isinstance(most_skills, int):
            raise ConfigurationError(f'most_skills must be a number, not {most_skills!r}')
        if not _LEAST <= most_skills <= _MOST:
            raise ConfigurationError(f'most_skills must be {_LEAST} to {_MOST}, not {most_skills}')
        self._simplifications = ','.join(names)
        self._most = most_skills
        self._room_on_arrival = bool(room_on_arrival)
        self._simulator: Simulator | None = None

    @property
    def scene(self) -> str:
        """The variation, which brings its house along."""
        return self._episode.chosen.text if self._episode else ''

    def reset(self, scene: str, task: str, seed: int) -> Observation:
        """Begin a variation of a task.

        :param scene: the same texts, where the task is ''; else ''.
        :param task: 'boil:3', 'test:boil:3', 'test:3', 'generated:3', each also without its
            number; '' for that of the scene, else 'generated'. See `tasks.chosen`.
        :param seed: used where the task has no number.
        :raises ConfigurationError: no such task, or package or Java are missing.
        :raises SkillError: Java ended or hung.
        """
        wanted = chosen(
            task.strip() or scene.strip(), seed, task_names(), lambda name: self._java.splits(name)
        )
        self._begin(wanted)
        return self._observation('', self._first_text)

    def _begin(self, wanted: Chosen) -> None:
        simulator = self._java
        text = _plain(simulator.load(wanted.task, wanted.variation))
        instruction = _instruction(simulator.description())
        task = WorldTask(wanted.text, wanted.task, instruction)
        self._episode = _Episode(wanted, task, _room_of(text))
        self._first_text = text
        self._take()

    @property
    def _java(self) -> Simulator:
        """The simulator; one that has ended is started again."""
        if self._simulator is None or not self._simulator.is_running:
            self.close()
            self._simulator = Simulator(self._simplifications)
        return self._simulator

    def close(self) -> None:
        """End Java; a reset starts it again."""
        if self._simulator is not None:
            self._simulator.close()
        self._simulator = None

    def _take(self) -> None:
        """What holds after an action."""
        episode, simulator = self._now, self._running
        episode.score, episode.solved = simulator.judged()
        episode.valid = simulator.valid()
        if not episode.asks:
            begin = 'put down '
            episode.held = tuple(
                action.text.removeprefix(begin)
                for action in episode.valid
                if action.text.startswith(begin)
            )

    def vocabulary(self) -> Vocabulary:
        """Skills, and what the valid actions name."""
        names = {name for action in self._now.valid for name in parsed(action.text).names}
        return Vocabulary(
            templates=tuple(skill.template for skill in SKILL_TYPES),
            # Places and things are alike here: either is moved, opened and walked to.
            other_classes=tuple(sorted(name for name in names if not name.isdigit())),
            skill_types=SKILL_TYPES,
            domain=DOMAIN,
            about=ABOUT,
        )

    def observe(self) -> Observation:
        """The room and what is held; changes nothing."""
        simulator = self._running
        return self._observation('', _plain(f'{simulator.look()}\n{simulator.inventory()}'))

    def admissible_skills(self) -> tuple[str, ...]:
        """The valid actions that can be to the point."""
        episode = self._now
        if episode.over:
            return ()
        return offered(
            episode.valid,
            episode.chosen.task,
            episode.task.instruction,
            episode.held,
            self._most,
        )

    def candidate_skills(self) -> tuple[str, ...]:
        """All that the package holds valid."""
        episode = self._now
        if episode.over:
            return ()
        begin = CHOOSE if episode.asks else ''
        return tuple(f'{begin}{action.text}' for action in episode.valid)

    def step(self, skill: str) -> Observation:
        """Do one action, in any words that the simulator reads; see the port.

        :raises SkillError: Java ended or hung.
        """
        episode, simulator = self._now, self._running
        if episode.over:
            text = 'The task is over: nothing can be done until the world is reset.'
            return self._observation(skill, text, Outcome.PRECONDITION_FAILED)
        number = skill.strip().removeprefix(CHOOSE)
        if episode.asks and _NUMBER.fullmatch(number):
            reply = simulator.do(number)
        else:
            if episode.asks:
                # What is left empty cancels the question; else this action would be lost.
                simulator.do('')
            reply = simulator.do(skill)
        outcome = outcome_of(reply)
        episode.asks = is_question(reply)
        text = _plain(reply) or 'Nothing is to be seen.'
        if outcome is Outcome.SUCCEEDED:
            text = self._arrived(skill, text)
        self._take()
        if episode.score < 0:
            text = f'{text}\nThe task has failed.'
        return self._observation(skill, text, outcome)

    def _arrived(self, skill: str, text: str) -> str:
        """The reply, with the room where the robot is another one now."""
        episode = self._now
        if skill == _LOOK_AROUND:
            episode.room = _room_of(text) or episode.room
            return text
        if not text.startswith(('You move to the ', 'You teleport to the ')):
            return text
        look = _plain(self._running.look())
        episode.room = _room_of(look)
        return f'{text}\n{look}' if self._room_on_arrival else text

    def progress(self) -> Progress | None:
        """The package's score from 0 to 1; its subgoals as lines."""
        episode = self._now
        lines = [
            f'{"met" if one.met else "not met"}: {one.text}{"" if one.needed else " (may help)"}'
            for one in self._running.subgoals()
        ]
        if episode.score < 0:
            lines.insert(0, _FAILED)
        return Progress(0, 0, tuple(lines), min(1.0, max(0.0, episode.score)))

    def task(self) -> WorldTask | None:
        """What is to be done."""
        return self._episode.task if self._episode else None

    def task_families(self) -> tuple[str, ...]:
        """Names of the thirty tasks.

        :raises ConfigurationError: the package is not installed.
        """
        return task_names()

    def scene_of(self, seed: int) -> str:
        """A variation brings its house along."""
        return ''

    def tasks_of_file(self, path: Path) -> Sequence[WorldTask]:
        """There are none. :raises ConfigurationError: always."""
        raise ConfigurationError(
            f'the world scienceworld reads no task files ({path}): name a task as boil:3'
        )

    def expert(self) -> tuple[str, ...]:
        """Play the package's gold path; see the port.

        :raises SkillError: it does not solve the task from where it is.
        """
        episode = self._now
        done = []
        for action in self._running.gold(episode.chosen.task, episode.chosen.variation):
            if episode.over:
                break
            self.step(action)
            done.append(action)
        if episode.score < 1.0:
            raise SkillError(
                f'the gold path of {episode.chosen.text} ends with a score of '
                f'{max(0.0, episode.score):.2f}: it begins where the task does, so reset first'
            )
        return tuple(done)

    def gold_skills(self, most: int = 40) -> tuple[str, ...]:
        """The gold path in skills that are offered, from the beginning; () where some are not.

        It is rehearsed; afterwards the task begins anew.

        :param most: actions; a longer path is not tried.
        """
        wanted = self._now.chosen
        gold = self._running.gold(wanted.task, wanted.variation)
        if len(gold) > most:
            return ()
        self._begin(wanted)
        done = []
        for action in gold:
            if self._now.over:
                # What changes by itself does not take equally long each time.
                done += [action] if action in _WAITING else []
                continue
            # The room is given on arrival.
            if action == _LOOK_AROUND:
                continue
            skill = usual_form(action, self._now.valid, self._running.names())
            if skill in self.admissible_skills() and self.step(skill).succeeded:
                done.append(skill)
        solved = self._now.solved and self._now.score >= 1.0
        self._begin(wanted)
        return tuple(done) if solved else ()

    @property
    def _running(self) -> Simulator:
        """The simulator of the task that is loaded; one that ended has taken the task along."""
        if self._episode is None or self._simulator is None:
            raise ConfigurationError('no task is loaded: reset the world first')
        return self._simulator

    def _observation(
        self, skill: str, text: str, outcome: Outcome = Outcome.SUCCEEDED
    ) -> Observation:
        episode = self._now
        return Observation(
            text,
            outcome,
            skill,
            place=episode.room,
            held=episode.held,
            admissible_skills=self.admissible_skills(),
            over=episode.over,
        )


def _plain(text: str) -> str:
    """Without tabs, which no observation may hold, and without spaces at the ends of lines."""
    lines = (line.rstrip().replace('\t', '  ') for line in text.splitlines())
    return '\n'.join(lines).strip()


def _room_of(look: str) -> str:
    found = _ROOM.search(look)
    return found[1] if found else ''


def _instruction(description: str) -> str:
    """The sentence of a task: as the package has it, on one line, without its first words."""
    text = ' '.join(description.split())
    text = text.removeprefix('Task Description:').strip().removeprefix('Your task is to ')
    return text[:1].upper() + text[1:]
