"""The world of a run: its skill server and the shared memory, and what the run knows from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from reactree_core.cancellation import CancelToken
from reactree_core.chat import PictureFile
from reactree_core.errors import (
    BridgeLostError,
    CanceledError,
    EpisodeOver,
    SkillError,
    SkillResultError,
)
from reactree_core.foreign_text import bounded_names, bounded_observation, bounded_vocabulary
from reactree_core.observation import (
    KNOWN_BEFORE,
    Observation,
    Outcome,
    Progress,
    restamped,
    Vocabulary,
    WORLD_RESET,
    WORLD_RESTORED,
)
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules
from reactree_core.ports import ExpertSkillServer, SnapshotSkillServer, TellingSkillServer
from reactree_core.record.events import Decision
from reactree_core.record.outcome import Ending
from reactree_core.record.trajectory_text import quoted, single_line
from reactree_core.working_memory import RECALL
from reactree_planner.facts.conditions import Milestone, Milestones
from reactree_planner.facts.likely_places import Whereabouts
from reactree_planner.facts.pursuit import Pursuit
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.resume.logged_ports import NO_EXPERT
from reactree_planner.runs.reasoning import PermissionRules
from reactree_planner.runs.run_belief import RunBelief
from reactree_planner.runs.run_ports import Basis

#: Letters of what a node is told of where things were seen, when it begins.
_LONGEST_RECALL = 1000


@dataclass(frozen=True, slots=True)
class KeptWorld:
    """A moment that a run can go back to: the world, and what was known of it."""

    snapshot: str
    belief: RunBelief


class RunWorld:
    """Asks the skill server, notes what it answers, and makes events of it."""

    def __init__(self, basis: Basis) -> None:
        ports = basis.ports
        self._skills = ports.skills
        self._memory = ports.memory
        self._pictures = ports.pictures
        self._embedder = ports.embedder
        self._whereabouts: Whereabouts | None = None
        self._settings = basis.settings
        self._cancel = basis.cancel
        self._timing = basis.timing
        self._events = basis.events
        self._notify = basis.notify
        #: What may be done.
        self.rules = Permission(Rules(), simulated=True)
        #: Whether facts decide: the task was read whole.
        self._decides = False
        #: Whether the skill server has reported what there is.
        self.has_begun = False
        #: What people did not let through, and why: nobody is asked for it again.
        self.refused: dict[str, str] = {}
        #: Skills that were chosen so far, whether they were let through or not.
        self.skills_chosen: list[str] = []
        #: The last skill of each node that failed, with what was said of it.
        self.failed_skills: dict[int, str] = {}

    @property
    def reasoner(self) -> Reasoner | None:
        """Decides by facts, where the task was read whole; None elsewhere."""
        return self.belief.mind if self._decides else None

    def ending(self, conditions: Milestone = ()) -> Ending:
        """Status of the goal now. :param conditions: of a goal that facts do not decide for."""
        mind, goal = self.belief.mind, self.belief.mind.goal
        if self._decides:
            mind.advance()
        else:
            goal = Pursuit(mind.belief, mind.exploration, (conditions,) if conditions else ())
        return goal.ending(self._events.elapsed())

    def list_skills(self) -> tuple[Vocabulary, Observation]:
        """What the skill server can do and what it names, and what is seen at first.

        :raises SkillError: no answer in time.
        """
        with self._timing.measure('skills'):
            vocabulary, seen = self._skills.list_skills(self._cancel)
        vocabulary = bounded_vocabulary(vocabulary)
        # It begins a line of the prompt.
        vocabulary = replace(vocabulary, about=quoted(vocabulary.about))
        return vocabulary, bounded_observation(seen)

    def begin(self, vocabulary: Vocabulary, seen: Observation, rules: Permission) -> None:
        """Know what the skill server reported at first, under rules of permission."""
        self.rules = rules
        self.vocabulary = vocabulary
        if self._embedder is not None:
            self._whereabouts = Whereabouts(vocabulary, self._embedder)
        self.belief = self._new_belief(self._new_reasoner(()))
        self.has_begun = True
        seen = self.belief.with_sightings(seen)
        self._learn(restamped(seen, self._events.elapsed()))

    def aim(self, milestones: Milestones, given: Milestone = ()) -> Reasoner:
        """Have facts decide towards milestones, from the first look on.

        :param given: where these do not hold, nothing is to be done.
        What the skill server reported before is of now, in a resumed run too: it is in no log.
        """
        self.belief.mind, self._decides = self._new_reasoner(milestones, given), True
        return self.belief.mind

    def _new_reasoner(self, milestones: Milestones, given: Milestone = ()) -> Reasoner:
        return self.reasoner_for(self.vocabulary, milestones, given)

    def reasoner_for(
        self, vocabulary: Vocabulary, milestones: Milestones = (), given: Milestone = ()
    ) -> Reasoner:
        """One under the rules of this run that knows nothing yet: of one robot of a team."""
        rules = PermissionRules(self.rules, self.refused)
        return Reasoner(vocabulary, milestones, rules, keeps=self._whereabouts, given=given)

    def _learn(self, observation: Observation) -> None:
        """Know what was seen; it is what is seen now."""
        self.belief.update(observation)

    def learn(self, observation: Observation, of_all: Observation, began: float) -> None:
        """Take in and emit what one robot of a team has answered, or seen without a skill.

        :param of_all: the same as the team sees it. :param began: when its skill was begun, s.
        """
        now = self._events.elapsed()
        self._learn(restamped(self.belief.with_sightings(of_all), now))
        observation = restamped(self.belief.with_sightings(observation), now)
        if observation.skill:
            seconds = max(0.0, self._events.elapsed() - began)
            self.rules.record(observation.skill, observation, seconds)
        self._events.emit(observation)

    def _new_belief(self, mind: Reasoner) -> RunBelief:
        by_closeness = self._settings.memory_by_closeness
        return RunBelief(self.vocabulary, self.rules, by_closeness, mind)

    def look(self, node_id: int, recalled: str = '', known: str = '') -> Observation:
        """What a node sees first.

        :param recalled: class of which it is also told where things were seen; '' for none.
        :param known: what it is told of what was done before it; '' for nothing.
        """
        heard = self._heard(recalled) if recalled else ''
        observation = self._look()
        text = observation.text
        if recalled:
            seen = self.belief.with_sightings(observation)
            self._learn(restamped(seen, self._events.elapsed()))
            where = single_line(heard or self.belief.memory.recall(recalled), _LONGEST_RECALL)
            known = f'{where} {known}'.strip()
        if known:
            # While a run is resumed, the look that is in the log tells it already.
            text = f'{observation.own_text.rstrip()} {KNOWN_BEFORE} {known}'
        return self._take_in(node_id, observation, text)

    def listen(self, listener: Callable[[], None]) -> bool:
        """Have somebody told, from any thread, of changes in the world; whether any are given."""
        skills = self._skills
        return isinstance(skills, TellingSkillServer) and skills.listen(listener)

    def glance(self) -> Observation:
        """What is seen now, which nothing is learned from. :raises SkillError: no answer."""
        return bounded_observation(self._skills.look(self._cancel))

    def permitted(self, skills: Sequence[str]) -> tuple[str, ...]:
        """Those of some skills that no rule denies now and no person has refused."""
        return tuple(one for one in self.rules.permitted(skills) if one not in self.refused)

    def check_episode(self) -> None:
        """Ask the world for its verdict if it takes no more skills. :raises EpisodeOver: then."""
        if self.belief.observation.over:
            progress = self.progress()
            raise EpisodeOver(progress is not None and progress.success)

    def _look(self) -> Observation:
        with self._timing.measure('skills'):
            return bounded_observation(self._skills.look(self._cancel))

    def _take_in(self, node_id: int, observation: Observation, text: str) -> Observation:
        """Learn from what is seen without a skill, and emit it."""
        observation = replace(
            restamped(self.belief.with_sightings(observation), self._events.elapsed()),
            text=text,
            sequence=self._events.next_number(),
            node_id=node_id,
            skill='',
        )
        self._learn(observation)
        self._events.emit(observation)
        return observation

    def answer(
        self,
        decision: Decision,
        refusal: str | None,
        cancel: CancelToken,
        recalled_too: str = '',
    ) -> Observation:
        """Answer the choice of a skill or a recall; known from then on, and emitted.

        :param refusal: why a skill may not be done; None where it may.
        :param cancel: of the skill; where it ends alone, that is the skill's outcome.
        :param recalled_too: what stands after the answer of a recall.
        :raises SkillError: as `_execute`.
        """
        skill, node_id = decision.skill, decision.node_id
        if skill.startswith(RECALL):
            text = f'{self.recall(skill[len(RECALL) :])} {recalled_too}'.strip()
            observation = self.unmoved(decision, text, Outcome.SUCCEEDED)
        elif refusal is not None:
            observation = self.unmoved(decision, refusal, Outcome.SAFETY_REJECTED)
        else:
            began = self._events.elapsed()
            try:
                observation = self._execute(decision, cancel)
            except Exception as error:
                # It may have moved something before it ended, so it counts.
                canceled = isinstance(error, CanceledError)
                outcome = Outcome.CANCELED if canceled else Outcome.EXECUTION_FAILED
                self._record(began, self.unmoved(decision, str(error), outcome))
                raise
            self._record(began, observation)
            if not observation.succeeded:
                self.failed_skills[node_id] = f'{skill}: {observation.text}'
            elif self.failed_skills.get(node_id, '').startswith(f'{skill}: '):
                del self.failed_skills[node_id]
        self._events.emit(observation)
        return observation

    def _record(self, began: float, answer: Observation) -> None:
        self.rules.record(answer.skill, answer, max(0.0, self._events.elapsed() - began))

    def _execute(self, decision: Decision, cancel: CancelToken) -> Observation:
        """Have a skill carried out.

        :raises BridgeLostError: the server disappeared. :raises CanceledError: stopped.
        :raises SkillResultError: its result is none; what the world is now was looked at.
        """
        try:
            with self._timing.measure('skills'):
                observation = self._skills.execute(
                    decision.sequence, decision.node_id, decision.skill, cancel
                )
        except SkillResultError as error:
            self._look_after(decision, error)
            raise
        # With sightings, while it still has the time of whoever saw it.
        observation = bounded_observation(observation)
        observation = self._to(decision, self.belief.with_sightings(observation))
        self._learn(observation)
        return observation

    def _to(self, decision: Decision, observation: Observation) -> Observation:
        """The observation as the answer to a decision, stamped now."""
        return replace(
            restamped(observation, self._events.elapsed()),
            sequence=decision.sequence,
            node_id=decision.node_id,
            skill=decision.skill,
        )

    def _look_after(self, decision: Decision, error: SkillResultError) -> None:
        """Observe the world again after a skill returned an invalid result."""
        try:
            seen = self._look()
        except BridgeLostError:
            raise
        except SkillError:
            return  # the first error says more
        seen = replace(
            self.belief.with_sightings(seen),
            text=f'{error} What is seen now: {seen.text}',
            outcome=Outcome.EXECUTION_FAILED,
        )
        seen = self._to(decision, seen)
        self._learn(seen)
        self._events.emit(seen)

    def unmoved(self, decision: Decision, text: str, outcome: Outcome) -> Observation:
        """An answer that did not come from the world: everything is as it was."""
        unmoved = replace(
            self.belief.observation,
            text=text,
            outcome=outcome,
            facts=(),
            looked_at=(),
            evidence=(),
        )
        return self._to(decision, unmoved)

    def recall(self, object_class: str) -> str:
        """Where things of a class were seen, by robots together or by this run."""
        return self._heard(object_class) or self.belief.memory.recall(object_class)

    def _heard(self, object_class: str) -> str:
        """What a memory that robots share tells of a class, known from then on; '' without one."""
        with self._timing.measure('memory'):
            text = self._memory.recall(object_class, self._events.newest_observation, self._cancel)
        self.belief.hear(text)
        return text

    def reset(self, node_id: int) -> None:
        """Have the world put back to where its task began; what was known of it is forgotten.

        :raises SkillError: the skill server cannot do that; a robot never can.
        """
        with self._timing.measure('skills'):
            self._skills.reset(self._cancel)
        self.rules.forget()
        goal = self.belief.mind.goal
        self.belief = self._new_belief(self._new_reasoner(goal.milestones, goal.given))
        self._events.emit(
            Observation(
                WORLD_RESET,
                sequence=self._events.next_number(),
                node_id=node_id,
                stamp=self._events.elapsed(),
            )
        )

    def keep(self) -> KeptWorld | None:
        """Keep the world and what is known of it; None where only skills can take skills back."""
        if not isinstance(self._skills, SnapshotSkillServer):
            return None
        with self._timing.measure('skills'):
            snapshot = self._skills.snapshot(self._cancel)
        if not snapshot:
            return None
        return KeptWorld(snapshot, deepcopy(self.belief))

    def expert_plan(self) -> tuple[str, ...]:
        """Skills with which the world's expert does the task from here.

        :raises SkillError: there is no expert, or it finds no way.
        """
        if not isinstance(self._skills, ExpertSkillServer):
            raise SkillError(NO_EXPERT)
        with self._timing.measure('skills'):
            return self._skills.expert_plan(self._cancel)

    def restore(self, node_id: int, kept: KeptWorld) -> bool:
        """Put the world back; an observation of the node tells of it. False where it cannot be."""
        assert isinstance(self._skills, SnapshotSkillServer), 'it has kept one'
        try:
            with self._timing.measure('skills'):
                observation = bounded_observation(
                    self._skills.restore(kept.snapshot, self._cancel)
                )
        except BridgeLostError:
            raise
        except SkillError as error:
            self._notify(
                f'The world could not be put back: {error} Skills take back what they can.'
            )
            return False
        self.rules.forget()
        self.belief = deepcopy(kept.belief)
        self._take_in(node_id, observation, f'{WORLD_RESTORED} {observation.text}')
        return True

    def progress(self) -> Progress | None:
        """Goal conditions met now, or None when the bridge cannot judge."""
        with self._timing.measure('skills'):
            return self._skills.progress(self._cancel)

    def picture(self) -> PictureFile | None:
        """The newest picture of it, for a model that is to see it; None elsewhere.

        :raises ReactreeError: none can be had; says why.
        """
        if not self._settings.pictures or self._events.log.replaying:
            # What a resumed run was answered was answered to what was seen then.
            return None
        if self._pictures is None:
            self._notify(
                'There are no pictures of the world, so the model is shown none: take a world '
                'with a camera, and over ROS set camera.period of the bridge.'
            )
            return None
        with self._timing.measure('waiting'):
            return self._pictures.newest(self._cancel)

    def candidates(self) -> tuple[str, ...]:
        """The wider published set of skills."""
        with self._timing.measure('skills'):
            found = tuple(bounded_names(self._skills.candidate_skills(self._cancel)))
        return self.belief.skills.fitting(found)
