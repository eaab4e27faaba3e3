"""Every choice a planner leaves open, by name; `presets` sets them by one line of text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from reactree_core.ports import Strategy
from reactree_core.record.run_settings import (
    Ask,
    Flows,
    Frame,
    ParallelPolicy,
    Reading,
    RetrievalUnit,
)


@dataclass(frozen=True, slots=True)
class Guards:
    """What helps a small model beside facts, each on its own switch; `none()` is as published.

    None of them knows a domain, withholds a skill that can be done, or changes what the model
    writes.

    :param admissible_only: offer only skills that can succeed now, and recalls of what the goals
        name; else the published wider set.
    :param first_thought: every node begins with a thought, unless what it does first follows from
        facts; never two in a row.
    :param choose_examples: examples by kind of goal, situation and termination, instead of
        similarity alone.
    :param ground_words: before the first decision the task is read: conditions in milestones, and
        what was not read.
    :param check_expansions: an expansion that cannot be done, says its own goal once more or
        repeats what failed is refused with a sentence, and asked for again.
    :param true_ends: the task is not done while a condition of a whole reading is known to be
        missing, and done where all are known to hold, whatever its nodes say.
    :param rules_in_time: what the task's sentence allows so often only, only after something, or
        only with something after it, is kept for certain, as what it forbids always is.
    """

    admissible_only: bool = True
    first_thought: bool = True
    choose_examples: bool = True
    ground_words: bool = True
    check_expansions: bool = True
    true_ends: bool = True
    rules_in_time: bool = True

    @classmethod
    def none(cls) -> Guards:
        """Every rule off: decisions as in the published system."""
        return cls(**dict.fromkeys(cls.__slots__, False))


class Decides(Enum):
    """Who decides on the next skill.

    FACTS: where the task was read whole, a skill that follows from facts is done without asking;
    the model is asked for everything else. MODEL: the model decides everything, as in the papers.
    """

    FACTS = 'facts'
    MODEL = 'model'


class Decoding(Enum):
    """How an agent names the skill that it does next.

    CONSTRAINED: it chooses among what is offered. FREE: it writes a line; what is no skill, or
    cannot be done, is answered by the skill server, and the decision is spent.
    """

    CONSTRAINED = 'constrained'
    FREE = 'free'


class OnInadmissible(Enum):
    """What a planner without corrections does at a step that cannot be done."""

    STOP = 'stop'
    SKIP = 'skip'


class Score(Enum):
    """By what `best_first` ranks the steps at a fork (Tree-Planner appendix C.5)."""

    LANGUAGE = 'language'
    ENVIRONMENT = 'environment'
    HYBRID = 'hybrid'


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """How the planners that write plans of steps do it (Tree-Planner section 4.1).

    :param steps: most steps of a plan, 1..200.
    :param tokens: longest plan, 1..4096 tokens.
    :param program_tokens: longest program of `progprompt`, 1..4096 tokens.
    :param step_tokens: longest step that is written alone, 1..256 tokens.
    :param step_samples: texts written for one step by `zero_shot`, 1..100; the best is taken, by
        its similarity to a skill and how likely the model found it.
    :param step_temperature: of these, 0..2. :param step_top_p: of these, over 0..1.
    :param likelihood_weight: of a text's mean log-probability beside its similarity, 0..10.
    :param step_tries: most times that `iterative` and its corrections write a step, sampled after
        the first, while it is one that was useless there before, 1..10.
    :param samples: plans sampled for an action tree, 1..200 (published: 25 or 50); steps that
        `lats` samples at a place (5).
    :param gold: whether the plan of the world's expert is one of these (Tree-Planner, table 2).
    :param temperature: of sampled plans, 0..2. :param top_p: of sampled plans, over 0..1.
    :param votes: votes at a fork of the action tree, 1..100 (published: 20).
    :param vote_temperature: of votes, 0..2.
    :param facts_at_forks: whether votes read all that is seen as facts, things and how they stand
        to each other, instead of what the world reports in words.
    :param keep_errors: whether votes read every failure since the last step that was done, instead
        of the last alone.
    :param score: by what `best_first` ranks steps: how likely the model finds them, whether their
        things are in sight, or both.
    :param language_share: weight of the model's probabilities in the score of both, 0..1.
    :param corrections: most failed steps that a run goes on after, 0..1000.
    :param undo: take back what led to a failed step, before another way is tried.
    :param on_inadmissible: at a step that cannot be done, where nothing is corrected.
    :param least_similarity: a written step whose similarity to every known skill is below
        this is dropped, -1..1.
    """

    steps: int = 20
    tokens: int = 160
    program_tokens: int = 400
    step_tokens: int = 24
    step_samples: int = 1
    step_temperature: float = 0.0
    step_top_p: float = 1.0
    likelihood_weight: float = 0.3
    step_tries: int = 3
    samples: int = 8
    gold: bool = False
    temperature: float = 0.8
    top_p: float = 0.95
    votes: int = 20
    vote_temperature: float = 0.7
    facts_at_forks: bool = False
    keep_errors: bool = False
    score: Score = Score.HYBRID
    language_share: float = 0.5
    corrections: int = 10
    undo: bool = True
    on_inadmissible: OnInadmissible = OnInadmissible.STOP
    least_similarity: float = 0.5


class TrialSampling(Enum):
    """What is sampled in the trials of a task after its first."""

    NOTHING = 'nothing'
    THOUGHTS = 'thoughts'
    EVERYTHING = 'everything'


class ExecutorPrompt(Enum):
    """Which examples an executor reads.

    RETRIEVED: from the memory, by its goal. SKILLS: demonstrations of single skills, of the
    domain. SKILLS_AND_TASKS: these, and whole tasks, the same for every goal. TASK: the one of
    these tasks that is most like the goal.
    """

    RETRIEVED = 'retrieved'
    TASK = 'task'
    SKILLS = 'skills'
    SKILLS_AND_TASKS = 'skills_and_tasks'


class TrialsBy(Enum):
    """Who makes the trials of `reflexion`: the executor, or a conversation as in AgentBench."""

    EXECUTOR = 'executor'
    AGENTBENCH = 'agentbench'


@dataclass(frozen=True, slots=True)
class PlannerSettings:
    """How nodes decide.

    :param parallel_policy: when a parallel node succeeds.
    :param decides: who decides on the next skill.
    :param selection: how the model chooses among options.
    :param decoding: whether skills are chosen among options at all, or written freely.
    :param example_count: most examples in a prompt, 0..160; ReAcTree 4.2: what the tokens allow.
    :param fixed_example: path of a text that is the only example of every prompt, whatever the
        memory has; '' for none. ReAcTree 5.3: of one task, where there is no episodic memory.
    :param retrieval_unit: what memory finds for an example (ReAcTree 4.2: subgoals; the earlier
        version of the paper compares tasks); of tasks, a whole one stands or none of it.
    :param frame: how prompts are framed (ReAcTree appendix E).
    :param example_tokens: most tokens of examples in a prompt, 0..32768 (published: 5000).
    :param thought_tokens: longest thought, 1..1024 tokens.
    :param expand_tokens: longest list of subgoals, 1..2048 tokens.
    :param expand_tries: times an unusable list of subgoals is asked for again, 1..10.
    :param subgoals: most subgoals of an expansion, 1..200; ReAcTree 4.1: as many as written.
    :param flows: control flows that an expansion may use (ReAcTree 5.4).
    :param thoughts: most thoughts of one node, 0..999999; ReAcTree 4.1: without bound.
    :param free_endings: whether `done` and `failure` count as no decision (ReAcTree's code).
    :param fail_at_limits: whether a node fails at the run's limits of decisions, skills and depth,
        and where its context is full (ReAcTree 4.1 and code); else the limit ends the run, and
        the oldest steps are left out.
    :param repairs: most times in a run that a node goes on after its subgoals failed, or left
        something out, 0..100; the last one is kept for the task itself. 0 in `published`.
    :param domain: whose prompts, examples and rules are used: a name, or the path of a folder; '':
        what the skill server names.
    :param working_memory: whether `recall` is offered, and places looked at are left out.
    :param memory_by_closeness: whether a thing is remembered by the place where the robot stood as
        it saw it, and never forgotten (ReAcTree 4.2 and code); else by the place that the server
        tells, until it is not found there.
    :param executor_decisions: most decisions of an executor on one task, 1..1000 (ADaPT: 20).
    :param plan_tokens: longest step of a plan or execution order, 1..2048 tokens.
    :param trials: most trials of `try_again` and `reflexion`, deepest level of tasks of `adapt`
        (ADaPT's d_max), 1..16; most rounds of `lats`, 1..1000.
    :param all_trials: whether every trial is made, though one has succeeded before; the trials are
        then a parallel, which succeeds by `parallel_policy`.
    :param judged_trials: whether the world, where it judges, says if a trial has succeeded; else
        the executor itself.
    :param trial_sampling: what is sampled in trials after the first.
    :param executor_prompt: which examples executors read.
    :param free_actions: whether `agentbench`, `alfchat`, `stateflow`, `react` and `lats` take what
        the model writes for an action, which the world may refuse; else the model is kept to what
        is on offer.
    :param turns: most actions of these, 0..999999; 0: only the run's limits hold. Deepest place of
        `lats`; 0: 15.
    :param chat_tokens: most tokens of a conversation, and of a text with `free_actions`,
        0..1000000; 0: the model's context.
    :param pictures: whether a model is shown the newest picture of the world with the prompt of
        ReAcTree and each observation, or each turn of a conversation; it must take pictures.
    :param trials_by: who makes the trials of `reflexion`.
    :param reflection_tokens: longest reflection of `reflexion`, 1..2048 tokens.
    :param reset_world: whether trials may have the world put back to where the task began.
    :param ask: when people are asked, where somebody is there.
    :param reading: who reads the task (docs/reading.md).
    :param go_on: whether the model decides skill by skill on a task of which not all was read,
        also on a robot, and where words that may forbid were not read.
    :param seed: of everything random.
    :param plans: of the planners that write plans of steps.
    :param preset: the text that all this comes from, for records.
    """

    parallel_policy: ParallelPolicy = ParallelPolicy.MAJORITY
    decides: Decides = Decides.FACTS
    guards: Guards = Guards()
    selection: Strategy = Strategy.CONSTRAINED
    decoding: Decoding = Decoding.CONSTRAINED
    example_count: int = 3
    example_tokens: int = 700
    fixed_example: str = ''
    retrieval_unit: RetrievalUnit = RetrievalUnit.MEMORY
    frame: Frame = Frame.OWN
    thought_tokens: int = 60
    expand_tokens: int = 200
    expand_tries: int = 3
    subgoals: int = 16
    flows: Flows = Flows.ALL
    thoughts: int = 1
    free_endings: bool = False
    fail_at_limits: bool = False
    repairs: int = 4
    domain: str = ''
    working_memory: bool = True
    memory_by_closeness: bool = False
    executor_decisions: int = 20
    plan_tokens: int = 60
    trials: int = 3
    all_trials: bool = False
    judged_trials: bool = False
    trial_sampling: TrialSampling = TrialSampling.THOUGHTS
    executor_prompt: ExecutorPrompt = ExecutorPrompt.RETRIEVED
    free_actions: bool = False
    turns: int = 0
    chat_tokens: int = 0
    pictures: bool = False
    trials_by: TrialsBy = TrialsBy.EXECUTOR
    reflection_tokens: int = 120
    reset_world: bool = True
    ask: Ask = Ask.WHEN_UNSURE
    reading: Reading = Reading.GRAMMAR
    go_on: bool = False
    seed: int = 0
    plans: PlanSettings = PlanSettings()
    preset: str = 'default'

    def seed_of(self, draw: int) -> int:
        """Seed of one of a run's draws; runs of other seeds share none of them.

        :param draw: number of the draw, 0..1008.
        """
        return (self.seed * 1009 + draw) % 2**31
