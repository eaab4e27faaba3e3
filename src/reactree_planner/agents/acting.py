"""One agent at work on a goal: it thinks, is offered skills, acts, and says when it is done.

What agents of every planner share; a planner adds what else its agents may decide.
"""

from __future__ import annotations

from reactree_core.errors import EpisodeOver
from reactree_planner.agents import offering
from reactree_planner.agents.direct_steps import direct_step
from reactree_planner.agents.guide import Guide
from reactree_planner.agents.guide import Taken
from reactree_planner.agents.likely import Expectations
from reactree_planner.agents.node_context import ModelTalk
from reactree_planner.agents.situation import NodeSituation
from reactree_planner.agents.skill_choice import SkillChoice
from reactree_planner.agents.skills import RECALL
from reactree_planner.prompting import reactree_prompt as prompt
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.settings import TrialSampling
from reactree_planner.tree.trajectory import think_block


class Actor:
    """Decides for one agent node, with its own talk with the model.

    :param situation: what it has done and is asked. :param context: its talk with the model.
    :param trial: 0 for the first trial of a task; later ones are sampled as the settings say.
    :param is_whole_task: whether its goal is the run's task: then it is not done while a condition
        of that is known to be missing.
    :param until: how many milestones of the task are met once the node is done; 0: all.
    """

    #: Words before a thought and a skill, and what answers a thought.
    think_word = prompt.THINK
    act_word = prompt.ACT
    _acknowledged = prompt.ACKNOWLEDGE

    def __init__(
        self,
        run: PlanRun,
        node_id: int,
        situation: NodeSituation,
        context: ModelTalk,
        trial: int = 0,
        is_whole_task: bool = False,
        until: int = 0,
    ) -> None:
        guided = is_whole_task or until > 0
        self.situation = situation
        self.context = context
        self._run = run
        self._id = node_id
        self._guards = run.settings.guards
        self._trial = 0 if run.settings.trial_sampling is TrialSampling.NOTHING else trial
        self._choice = SkillChoice(run, context, trial)
        self._expected = Expectations(run, context)
        self._thoughts = 0
        self._thought_last = False
        #: The last skill that worked, and what came of it; '' before any.
        self.last_success = ''
        reasoner = run.world.reasoner
        #: What decides by facts, where the node's goal was read whole.
        self._guide = Guide(reasoner, until) if reasoner is not None and guided else None
        self._is_whole_task = is_whole_task and self._guards.true_ends
        #: Sentences about what is missing that were told; none twice.
        self._told: list[str] = []
        #: What rules of permission still want done, where nothing else is left to do.
        self._due: tuple[str, ...] = ()
        #: Why the agent has failed although all that its goal literally asks for was done.
        self.lack = ''

    def give_up(self) -> bool:
        """Fail where the guards see that nothing else is left; True when that was decided."""
        remembers = self._run.settings.working_memory
        if not offering.should_give_up(self.situation, self._guards, remembers):
            return False
        self._conclude(offering.FAILURE, 'nothing is left to look at')
        return True

    def think_first(self) -> bool:
        """Begin with a thought, where the guards want one; True when a decision was made."""
        if not self._begins_with_thought():
            return False
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
        thought = prompt.single_line(thought, 1000)
        self._thought_last = True
        self._run.think(self._id, thought, self.context.take_usage())

    def offered(self) -> list[str]:
        """What may be done now; never empty.

        `done` is not, where a condition of the task is missing: the agent is told so once. It may
        fail when nothing is left to look at, or it was told of as many lacks as a run repairs.
        """
        permitted = self._run.rules.permitted(self._skills())
        options = self._choices(permitted)
        self.lack, self._due = '', ()
        if not self._is_whole_task or offering.DONE not in options:
            return options
        lack = self._run.ending.lack
        if not lack:
            return options
        options = self._choices(permitted, is_unfinished=True)
        self._due = self._run.rules.due(permitted)
        if self._due:
            return list(dict.fromkeys([*self._due, *options]))
        if lack not in self._told and len(self._told) < self._run.settings.repairs:
            self._told.append(lack)
            self._tell(lack)
        elif len(self._told) >= self._run.settings.repairs or offering.FAILURE in options:
            self.lack = lack
            options = list(dict.fromkeys([*options, offering.FAILURE]))
        return options

    def _skills(self) -> tuple[str, ...]:
        """Skills of the world from which it may be offered some."""
        if self._guards.admissible_only:
            return self.situation.observation.admissible_skills
        return self._run.world.candidates()

    @property
    def was_told(self) -> bool:
        """Whether it wanted to end while something was missing."""
        return bool(self._told)

    def _choices(self, skills: tuple[str, ...], is_unfinished: bool = False) -> list[str]:
        remembers = self._run.settings.working_memory
        return offering.choices(self.situation, skills, self._guards, remembers, is_unfinished)

    def _tell(self, lack: str) -> None:
        """Have the agent know what is missing, as a thought that is not the model's."""
        self._note_told(lack)
        self._thought_last = True
        self._run.think(self._id, lack, self.context.take_usage())

    def _note_told(self, text: str) -> None:
        """Have the model read what it is told."""
        self.context.session.append(think_block(text))

    def _note_act(self, skill: str) -> None:
        """Have the model read what was done without asking it."""
        self.context.session.append(f'{self.act_word} {skill}\n')

    def _note_observation(self, text: str) -> None:
        """Have the model read what came of a skill."""
        self.context.session.append(f'{text}\n')

    def obvious(self, offered: list[str]) -> tuple[str, str] | None:
        """What is done without asking the model and why; None where it is to be asked.

        What the goal literally asks for, else what follows from facts where it asks one thing.
        Of another goal, the model first has the thought that the guards want.
        """
        if self._guide is not None:
            return self._guided(offered)
        now = self.situation
        is_understood = (
            now.reading.single or now.making.is_all or offering.skill_without_names(now)
        )
        if not is_understood and self._begins_with_thought():
            return None
        taken = self._asked_literally(offered) if self._guards.goal_match else None
        if taken is None:
            taken = direct_step(self.situation, offered, self._run.settings, self._expected)
        if taken is not None:
            self._note_act(taken[0])
        return taken

    def _guided(self, offered: list[str]) -> tuple[str, str] | None:
        """What follows from facts, or what a rule wants before the end."""
        assert self._guide is not None, 'asked where there is one'
        taken = self._guide.next()
        if taken.skill == offering.DONE and self._run.ending.missing:
            if not self._due:
                return None
            taken = Taken(self._due[0], 'a rule wants it before the end')
        if taken.skill == offering.FAILURE:
            self.lack = taken.reason
        self._note_act(taken.skill)
        return taken

    def _asked_literally(self, offered: list[str]) -> tuple[str, str] | None:
        if self._due:
            return self._due[0], 'a rule wants it before the end'
        if offering.DONE in offered and offering.asks_no_more(self.situation):
            return offering.DONE, 'the goal asks for no more'
        if self.lack and offering.asks_no_more(self.situation):
            return offering.FAILURE, self.lack
        matched = offering.matched_skill(self.situation, offered)
        return None if matched is None else (matched, 'the goal asks for it')

    def choose_kind(self, offered: list[str], may_expand: bool = False) -> str:
        """What the model decides to do: to think, act or expand."""
        session = self.context.session
        kinds = [self.act_word]
        thinks = not (self._guards.first_thought and self._thought_last)
        if thinks and self._thoughts < self._run.settings.thoughts:
            kinds.append(self.think_word)
        if may_expand and not offering.should_act(self.situation, offered, self._guards):
            kinds.append(prompt.EXPAND)
        if len(kinds) == 1:
            session.append(kinds[0])
            return kinds[0]
        if prompt.EXPAND not in kinds:
            sampled = self._choice.sampled(kinds)
            if sampled is not None:
                session.append(kinds[sampled])
                return kinds[sampled]
            return kinds[self._run.model.choose(session, kinds)]
        # The session is kept from before an expansion, which may turn out unusable.
        with self.context.fork() as fork:
            kind = kinds[self._run.model.choose(fork, kinds)]
        session.append(kind if kind != prompt.EXPAND else '')
        return kind

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
        before = self.situation.observation
        explored = ''
        if skill.startswith(RECALL) and self._guards.whole_search:
            explored = run.belief.explored_text(self.situation.reading.scope)
        usage = self.context.take_usage()
        observation = run.act(self._id, skill, usage, reason, explored)
        self.situation.record(skill, before)
        text = prompt.quoted(observation.text)
        if observation.succeeded and not skill.startswith(RECALL):
            self.last_success = f'{skill}. {prompt.single_line(observation.text, 300)}'
        self._note_observation(text)
        self._thought_last = False

    def _conclude(self, skill: str, reason: str) -> bool:
        success = skill == offering.DONE
        situation = self.situation
        if not success and situation.brings_something and situation.given_up is not None:
            situation.belief.stranded.update(situation.held_things())
        # Others have to lay down a tool that it leaves in the hand.
        situation.belief.stranded.update(
            name
            for name in situation.held_things()
            if any(tool.matches(name) for tool in situation.reading.tools)
        )
        reason = reason or ('' if success else self.lack)
        self._run.conclude(self._id, skill, self.context.take_usage(), reason)
        return success
