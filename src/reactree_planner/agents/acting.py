"""One agent at work on a goal: it thinks, is offered skills, acts, and says when it is done.

What agents of every planner share; a planner adds what else its agents may decide.
"""

from __future__ import annotations

from reactree_core.errors import EpisodeOver
from reactree_core.ports import Outlook
from reactree_core.record import trajectory_text
from reactree_core.working_memory import RECALL
from reactree_planner.agents import offering
from reactree_planner.agents.guide import guide_of, Taken
from reactree_planner.agents.node_context import ModelTalk
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.skill_choice import MOST_AT_ONCE, SkillChoice
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.runs.planner import AgentRun
from reactree_planner.runs.settings import Decoding, TrialSampling


class Actor:
    """Decides for one agent node, with its own talk with the model.

    :param situation: what it has done and is asked. :param context: its talk with the model.
    :param trial: 0 for the first trial of a task; later ones are sampled as the settings say.
    :param is_whole_task: whether its goal is the run's task: then it is not done while a condition
        of that is known to be missing.
    :param until: how many milestones of the task are met once the node is done; 0: all.
    """

    #: Words before a thought and a skill, and what answers a thought.
    think_word = trajectory_text.THINK
    act_word = trajectory_text.ACT
    _acknowledged = trajectory_text.ACKNOWLEDGE
    #: Whether the model was told what is on offer.
    _lists_offer = False

    def __init__(
        self,
        run: AgentRun,
        node_id: int,
        situation: NodeSituation,
        context: ModelTalk,
        trial: int = 0,
        is_whole_task: bool = False,
        until: int = 0,
    ) -> None:
        self.situation = situation
        self.context = context
        self._run = run
        self._id = node_id
        self._guards = run.settings.guards
        self._trial = 0 if run.settings.trial_sampling is TrialSampling.NOTHING else trial
        self._choice = SkillChoice(run.world, context, trial)
        self._thoughts = 0
        self._thought_last = False
        #: The last skill that worked, and what came of it; '' before any.
        self.last_success = ''
        #: What it has thought last; '' before any thought.
        self.last_thought = ''
        #: What decides by facts, where the node's goal was read whole.
        self._guide = guide_of(run.world, run.aims, situation.goal, is_whole_task, until)
        self._is_whole_task = is_whole_task and self._guards.true_ends
        #: What rules of permission still want done, where nothing else is left to do.
        self._due: tuple[str, ...] = ()
        #: Skills that rules wanted before the end and that were done.
        self._dues_done: set[str] = set()
        #: Whether it is on the way to such a skill.
        self._is_owing = False
        #: Why the agent has failed although all that its goal literally asks for was done.
        self.lack = ''

    def think_first(self, offered: list[str], may_expand: bool = False) -> bool:
        """Begin with a thought, where the guards want one; True when a decision was made."""
        if not self._begins_with_thought():
            return False
        self._foresee(offered, may_expand, thinks=True, must_think=True)
        self.context.session.append(self.think_word)
        self.think()
        return True

    def _begins_with_thought(self) -> bool:
        return self._guards.first_thought and not self._thoughts

    def think(self) -> None:
        """Write the thought that the model has chosen to have."""
        self._thoughts += 1
        thought = self.context.thought(self._trial)
        self.context.session.append('\n' + self._acknowledged)
        self.last_thought = thought = trajectory_text.single_line(thought, 1000)
        self._thought_last = True
        self._run.events.think(self._id, thought, self.context.take_usage())

    def offered(self) -> list[str]:
        """What may be done now; never empty.

        `done` is not, while a rule of permission wants something before the end, or a condition of
        a task that facts decide is missing.
        """
        permitted = self._run.world.permitted(self._skills())
        self._due = ()
        lack = self._is_whole_task and self._run.aims.lack
        options = self._choices(permitted, is_unfinished=bool(lack))
        if lack:
            self._due = self._run.world.rules.due(permitted)
        return list(dict.fromkeys([*self._due, *options]))

    def _skills(self) -> tuple[str, ...]:
        """Skills of the world from which it may be offered some."""
        if self._guards.admissible_only:
            return self.situation.observation.admissible_skills
        return self._run.world.candidates()

    def _choices(self, skills: tuple[str, ...], is_unfinished: bool = False) -> list[str]:
        remembers = self._run.settings.working_memory
        named_only = self._guards.admissible_only
        return offering.choices(self.situation, skills, remembers, named_only, is_unfinished)

    def _note_act(self, skill: str) -> None:
        """Have the model read what was done without asking it."""
        self.context.session.append(f'{self.act_word} {skill}\n')

    def _note_observation(self, text: str) -> None:
        """Have the model read what came of a skill."""
        self.context.hear(text)

    def obvious(self, offered: list[str]) -> tuple[str, str] | None:
        """What is done without asking the model and why; None where it is to be asked.

        What follows from facts, where the node's goal was read whole; else what a rule wants
        before the end, and the end itself where only that is left.
        """
        if self._guide is None:
            return None
        due = self._next_due() if self._is_owing else ''
        taken = self._owed(due) if due else self._guide.next()
        if taken is None:
            return None
        missing = self._is_whole_task and self._run.aims.ending.missing
        if taken.skill == offering.DONE and missing:
            due = self._next_due()
            if not due and self._guide.may_ask:
                return None
            taken = (
                self._owed(due)
                if due
                else Taken(offering.FAILURE, self._run.aims.lack.rstrip('.'))
            )
        elif self.lack and not due and taken.skill not in (offering.DONE, offering.FAILURE):
            # What a rule wants before the end has undone it once more.
            taken = Taken(offering.FAILURE, self.lack)
        if taken.skill == offering.FAILURE:
            self.lack = taken.reason
        self._note_act(taken.skill)
        return taken.skill, taken.reason

    def _next_due(self) -> str:
        """The next skill towards what rules want before the end; '' for none.

        Once begun it goes on, although the goal that was reached may be left on the way.
        """
        assert self._guide is not None, 'facts decide'
        due = self._due[0] if self._due else self._guide.towards(self._run.aims.due_later)
        self._is_owing = bool(due)
        return due

    def _owed(self, skill: str) -> Taken:
        """Take what a rule wants before the end: for the last time where it undoes the goal."""
        if skill in self._dues_done and skill in self._due:
            self.lack = f'"{skill}", which a rule wants before the end, undoes what is asked for'
        if skill in self._due:
            self._dues_done.add(skill)
        return Taken(skill, 'a rule wants it before the end')

    def choose_kind(self, offered: list[str], may_expand: bool = False) -> str:
        """What the model decides to do: to think, act or expand."""
        session = self.context.session
        kinds = [self.act_word]
        thinks = not (self._guards.first_thought and self._thought_last)
        if thinks and self._thoughts < self._run.settings.thoughts:
            kinds.append(self.think_word)
        if may_expand:
            kinds.append(trajectory_text.EXPAND)
        if len(kinds) == 1:
            session.append(kinds[0])
            return kinds[0]
        self._foresee(offered, may_expand, thinks=self.think_word in kinds)
        if trajectory_text.EXPAND not in kinds:
            sampled = self._choice.sampled(kinds)
            if sampled is not None:
                session.append(kinds[sampled])
                return kinds[sampled]
            return kinds[self.context.choose(session, kinds)]
        # The session is kept from before an expansion, which may turn out unusable.
        with self.context.fork() as fork:
            kind = kinds[self.context.choose(fork, kinds)]
        session.append(kind if kind != trajectory_text.EXPAND else '')
        return kind

    def _foresee(
        self, offered: list[str], may_expand: bool, thinks: bool, must_think: bool = False
    ) -> None:
        """Let the model know what it will be asked: its server may decide it by one request."""
        settings = self._run.settings
        sampled = self._trial or settings.decoding is Decoding.FREE
        if sampled or len(offered) > MOST_AT_ONCE:
            return
        # What every class has stands on every offer, unless only what is named is recalled.
        lasting = () if self._guards.admissible_only else offered
        flows = prompt.FLOWS[settings.flows] if may_expand else ()
        self.context.foresee(
            Outlook(
                self.act_word,
                tuple(offered),
                self.think_word if thinks else '',
                f'\n{self._acknowledged}',
                must_think,
                trajectory_text.EXPAND if may_expand else '',
                tuple(trajectory_text.FLOW_WORDS[flow] for flow in flows),
                trajectory_text.BEFORE_FLOW,
                trajectory_text.BEFORE_SUBGOALS,
                frozenset(one for one in lasting if one.startswith(RECALL)),
                self._lists_offer,
                settings.thought_tokens + (settings.expand_tokens if may_expand else 0),
            )
        )

    def choose_skill(self, offered: list[str]) -> str:
        """The skill that the model chooses after `Act:`."""
        return self._choice.choose(offered)

    def end(self, over: EpisodeOver) -> bool:
        """End as the world has decided; answers that."""
        return self._conclude(offering.DONE if over.success else offering.FAILURE, str(over))

    def perform(self, skill: str, reason: str = '') -> bool | None:
        """Do what was chosen: True after `done`, False after `failure`, None after a skill.

        :param reason: why it was taken without asking the model; '' when the model chose it.
        """
        if skill in (offering.DONE, offering.FAILURE):
            return self._conclude(skill, reason)
        self._execute(skill, reason)
        return None

    def _execute(self, skill: str, reason: str) -> None:
        run = self._run
        explored = ''
        if skill.startswith(RECALL) and self._guards.admissible_only:
            explored = run.world.belief.explored_text(run.world.belief.vocabulary.rooms)
        usage = self.context.take_usage()
        observation = run.acting.act(self._id, skill, usage, reason, explored)
        self.situation.record(skill)
        text = trajectory_text.quoted(observation.text)
        if observation.succeeded and not skill.startswith(RECALL):
            self.last_success = f'{skill}. {trajectory_text.single_line(observation.text, 300)}'
        self._note_observation(text)
        self._thought_last = False

    def _conclude(self, skill: str, reason: str) -> bool:
        success = skill == offering.DONE
        reason = reason or ('' if success else self.lack)
        self._run.events.conclude(self._id, skill, self.context.take_usage(), reason)
        return success
