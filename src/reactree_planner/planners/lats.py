"""LATS: a Monte Carlo tree search over the lines that the model writes (Zhou et al. 2023).

A place of the search is a way from the beginning: thoughts, skills, and what came of them. One
round goes down to a leaf by UCT, has the model write several next steps there, asks it how far
each has come, and goes on from the best to an end, whose reward is learned by all places above.
Of ends that were none the model writes lessons, which all later steps are told. The world is put
back for every step, so it must keep snapshots. At last the best way is carried out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from reactree_core.errors import SkillError
from reactree_core.record.events import ControlFlow
from reactree_core.record.run_settings import Kept
from reactree_core.record.trajectory import act_block
from reactree_core.record.trajectory_text import ACT, single_line
from reactree_planner.agents import offering
from reactree_planner.agents.executor import acted_examples, prompt_parts
from reactree_planner.llm.sampling import Draw
from reactree_planner.planners.plans.execution import conclude
from reactree_planner.planners.written_steps import read_step, TextContext, WrittenStep
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.prompting.reactree_prompt import PromptParts
from reactree_planner.runs.planner import PlannedRun
from reactree_planner.runs.run_world import KeptWorld

#: Deepest place, where the settings have no `turns` (lats.py: 15), and what an end there is worth.
_DEPTH = 15
_TOO_DEEP = -0.5
#: At the root twice as many steps are written (lats.py).
_AT_ROOT = 2
#: Lessons are written of so many ends, each of another reward (lats.py).
_MOST_LESSONS = 3
#: Words before what the model says of a way, and its scores from 1.
_JUDGEMENT, _SCORE, _SCORES = 'Judgement:', 'Score:', 10
#: Draws of one run, of which every sample takes another (`PlannerSettings.seed_of`).
_DRAWS = 1009
_ENDS = (offering.DONE, offering.FAILURE)


@dataclass(eq=False)
class Place:
    """Where a way has led to.

    :param told: the way's last block, as prompts have it; '' at the beginning.
    :param kept: the world there. :param skill: that led there; '' of a thought.
    :param reward: of an end, -0.5 to 1; None where the way goes on.
    :param value: mean of what ends below it were worth; before any, what the model says.
    """

    told: str = ''
    kept: KeptWorld | None = None
    skill: str = ''
    parent: Place | None = None
    reward: float | None = None
    value: float = 0.0
    visits: int = 0
    #: Whether nothing below it is left to be tried.
    is_closed: bool = False
    children: list[Place] = field(default_factory=list)

    def up(self) -> Iterator[Place]:
        """Itself and what it was reached from, to the beginning."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.parent

    @property
    def depth(self) -> int:
        """Steps from the beginning."""
        return sum(1 for _ in self.up()) - 1

    @property
    def blocks(self) -> tuple[str, ...]:
        """The way, as prompts have it."""
        return tuple(place.told for place in reversed([*self.up()]) if place.told)

    @property
    def skills(self) -> tuple[str, ...]:
        """The skills of the way."""
        return tuple(place.skill for place in reversed([*self.up()]) if place.skill)

    def uct(self) -> float:
        """Its value, and how little it was looked at (LATS, equation 1, with w = 1)."""
        if not self.visits or self.parent is None:
            return math.inf
        return self.value + math.sqrt(math.log(self.parent.visits) / self.visits)

    def learn(self, reward: float) -> None:
        """Have all places of the way take in what its end was worth (equation 2)."""
        for place in self.up():
            place.visits += 1
            place.value += (reward - place.value) / place.visits


def leaf_of(root: Place) -> Place | None:
    """Where to go on: the best by UCT, down to what has no children; None where all has ended."""
    place = root
    while place.children:
        left = [child for child in place.children if not child.is_closed]
        if left:
            place = max(left, key=lambda child: (child.uct(), child.value))
            continue
        place.is_closed = True
        if place.parent is None:
            return None
        place = place.parent
    return None if place.is_closed else place


class LatsPlanner:
    """Searches in one node, and carries out the best way in another."""

    name = 'lats'

    def run(self, run: PlannedRun) -> bool:
        """Search until a way is worth 1, or `trials` rounds are over; True when the task is done.

        :raises SkillError: the world cannot be put back.
        :raises ReactreeError: whatever else ended the run early.
        """
        run.start(self.name, Kept.PLANS)
        run.acting.look(1)
        search, way = run.events.grow(
            1,
            ControlFlow.SEQUENCE,
            ('search for a way', 'carry out the best way'),
            reason=f'at most {run.settings.trials} rounds of search',
        )
        root = Place(kept=run.world.keep())
        if root.kept is None:
            raise SkillError(
                f'The planner {self.name} needs a world with snapshots, to be put back by them. '
                'Choose try_again or adapt, which need none.'
            )
        best = _Search(run, search, root).best()
        run.events.end_node(search, True, f'the best way is worth {best.reward or 0.0:.2f}')
        return self._carry_out(run, way, root.kept, best)

    def _carry_out(self, run: PlannedRun, node_id: int, begun: KeptWorld, best: Place) -> bool:
        run.world.restore(node_id, begun)
        skills = best.skills
        for skill in skills:
            if skill in _ENDS:
                continue
            run.acting.before_decision()
            run.acting.act(node_id, skill, reason=f'of the best way, {len(skills)} skills')
        progress = run.world.progress()
        success = best.reward == 1.0 if progress is None else progress.success
        return conclude(run, node_id, success, reason=f'worth {best.reward or 0.0:.2f}')


class _Search:
    """One search. :param node_id: whose decisions these are. :param root: where it begins."""

    def __init__(self, run: PlannedRun, node_id: int, root: Place) -> None:
        self._run = run
        self._id = node_id
        self._root = root
        self._parts = prompt_parts(run, node_id, run.tree.goal, acted_examples)
        self._lessons: list[str] = []
        #: Rewards of the ends of which lessons were written.
        self._learned: list[float] = []
        self._draws = 0
        self._best = root

    def best(self) -> Place:
        """The end that is worth most, after the last round; the beginning where nothing ended."""
        for number in range(1, self._run.settings.trials + 1):
            leaf = leaf_of(self._root)
            if leaf is None:
                self._tell(f'Round {number}: all ways have ended.')
                break
            end = self._round(leaf)
            reward = end.reward if end.reward is not None else _TOO_DEEP
            end.learn(reward)
            self._tell(f'Round {number}: {len(end.skills)} skills, worth {reward:.2f}.')
            if (self._best.reward or 0.0) >= 1.0:
                break
        return self._best

    def _tell(self, text: str) -> None:
        self._run.events.think(self._id, text)

    @property
    def _deepest(self) -> int:
        return self._run.settings.turns or _DEPTH

    def _round(self, leaf: Place) -> Place:
        """Expand a leaf, and go on from the best child to an end, or as deep as may be."""
        leaf.children = self._grown(leaf, _AT_ROOT if leaf is self._root else 1)
        place = _best_of(leaf.children) or leaf
        while place.reward is None and place.depth < self._deepest:
            # What a rollout tries is no part of the tree (lats.py).
            place = _best_of(self._grown(place)) or place
        return place

    def _grown(self, place: Place, times: int = 1) -> list[Place]:
        """Places after different next steps, each with its value."""
        found = [self._reached(place, step) for step in self._steps(place, times)]
        going_on = [one for one in found if one.reward is None]
        if len(found) > 1:
            for one in going_on:
                one.value = self._judged(one)
        for one in found:
            one.is_closed = one.reward is not None or one.depth >= self._deepest
        return found

    def _steps(self, place: Place, times: int) -> list[WrittenStep]:
        """Different next steps that the model writes at a place."""
        run, settings = self._run, self._run.settings
        self._put_back(place)
        run.acting.before_decision()
        on_offer = [*run.world.permitted(run.world.belief.observation.admissible_skills), *_ENDS]
        text = TextContext(run, self._told(place))
        try:
            seeds = [
                settings.seed_of((self._draws + number) % _DRAWS)
                for number in range(settings.plans.samples * times)
            ]
            self._draws += len(seeds)
            draw = Draw(settings.thought_tokens, settings.plans.temperature, settings.plans.top_p)
            lines = [sample.text for sample in text.samples(seeds, draw)]
            steps = list(dict.fromkeys(read_step(line, on_offer) for line in lines))
            if not settings.free_actions:
                steps = [one for one in steps if one.is_thought or one.text in on_offer]
            if not steps:
                # The model has written nothing that can be done: it chooses.
                text.session.append(ACT)
                chosen = run.model.choose(text.session, [f' {one}\n' for one in on_offer])
                steps = [WrittenStep(on_offer[chosen])]
            names = '; '.join(
                f'think: {one.text}' if one.is_thought else one.text for one in steps
            )
            run.events.think(self._id, single_line(f'Next: {names}', 1000), text.take_usage())
            return steps
        finally:
            text.end()

    def _told(self, place: Place, instruction: str = '') -> PromptParts:
        """A prompt that ends at a place. :param instruction: other than that of the agent."""
        parts = self._parts
        if instruction:
            parts = replace(parts, system=self._run.prompts.text(instruction), examples=())
        task = prompt.lessons(self._lessons) + parts.task
        return replace(parts, task=task, steps=place.blocks)

    def _put_back(self, place: Place) -> None:
        assert place.kept is not None, 'every place keeps the world'
        if not self._run.world.restore(self._id, place.kept):
            raise SkillError('The world could not be put back, so the search cannot go on.')

    def _reached(self, place: Place, step: WrittenStep) -> Place:
        """Where a step leads to."""
        if step.is_thought:
            return Place(step.told, place.kept, parent=place)
        if step.text in _ENDS:
            self._put_back(place)
            reached = Place(act_block(step.text, None), place.kept, step.text, place)
            reached.reward = self._reward(says_done=step.text == offering.DONE)
        else:
            self._put_back(place)
            self._run.acting.before_decision()
            seen = self._run.acting.act(self._id, step.text)
            turn = act_block(step.text, seen.text)
            reached = Place(turn, self._run.world.keep(), step.text, place)
            if seen.over:
                reached.reward = self._reward(says_done=True)
        if reached.reward is not None:
            self._note_end(reached, reached.reward)
        return reached

    def _reward(self, says_done: bool) -> float:
        """What an end is worth, as the world judges; else as the model says."""
        progress = self._run.world.progress()
        if progress is None:
            return float(says_done)
        return progress.ratio if progress.score is None else progress.score

    def _note_end(self, place: Place, reward: float) -> None:
        if self._best is self._root or reward > (self._best.reward or 0.0):
            self._best = place
        if reward < 1.0 and reward not in self._learned and len(self._learned) < _MOST_LESSONS:
            self._learned.append(reward)
            self._reflect(place)

    def _reflect(self, place: Place) -> None:
        """Write down what later ways should know."""
        run = self._run
        text = TextContext(run, self._told(place, 'reflection'))
        try:
            text.session.append(prompt.REFLECTION)
            said = text.session.generate(
                max_tokens=run.settings.reflection_tokens, seed=run.settings.seed
            )
            lesson = single_line(said, 1000)
            run.events.think(self._id, f'Reflection: {lesson}', text.take_usage())
        finally:
            text.end()
        if lesson:
            self._lessons.append(lesson)

    def _judged(self, place: Place) -> float:
        """How far a way has come, as the model says, 0..1 (LATS 4.2: the value function)."""
        run = self._run
        run.budget.check()
        text = TextContext(run, self._told(place, 'value'))
        try:
            text.session.append(_JUDGEMENT)
            said = text.session.generate(max_tokens=run.settings.thought_tokens)
            text.session.append(f'\n{_SCORE}')
            scores = [f' {number}\n' for number in range(1, _SCORES + 1)]
            value = (run.model.choose(text.session, scores) + 1) / _SCORES
            verdict = f'{place.told.splitlines()[0]} Worth {value:.1f}: {said}'
            run.events.think(self._id, single_line(verdict, 1000), text.take_usage())
            return value
        finally:
            text.end()


def _best_of(places: list[Place]) -> Place | None:
    """The end that is worth most, if it is worth anything, else the best place; None of none."""
    return max(
        places, key=lambda one: (one.reward or 0.0, one.reward is None, one.value), default=None
    )
