"""Every choice a planner leaves open, by name. The ROS node declares them as parameters."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace
from enum import Enum

from reactree_core.ports import Strategy
from reactree_planner.tree.control_flow import ParallelPolicy


class Preset(Enum):
    """Guards by one word."""

    NONE = 'none'
    NEUTRAL = 'neutral'
    ALL = 'all'


@dataclass(frozen=True, slots=True)
class Guards:
    """What helps a small model, each rule on its own switch; `none()` is the published setting.

    No rule knows a domain or the wording of a task: they read what skills do (kinds and effects),
    the names the skill server knows, what has been seen, and the words of the node's own goal. A
    rule with nothing to read is silent.

    :param admissible_only: offer only skills that can succeed now; else the published wider set.
    :param repeat_guard: a skill done in this node is not offered again until something changed.
    :param skip_explored: places looked at are not offered again unless something wanted is there;
        recall also tells where has been looked and where not.
    :param sighted_first: while what the goal wants is in sight, nothing else is searched, and a
        goal that asks for a skill on it is acted on, not expanded.
    :param finish_looking: what may be opened and not been looked into is not walked away from.
    :param take_first: a robot that holds nothing takes what the goal wants before it goes on.
    :param failure_guard: `failure` only once nothing in the goal's scope is left to look at.
    :param done_guard: `done` only after what the goal asks was done (or holds already), after an
        effect, or on arrival where the goal is about one thing alone.
    :param known_subgoals: subgoals may only name known things, each once; a name of the goal of
        which only the last word is written is written out.
    :param cover_goal: a sequence or parallel names every place and movable thing its goal names,
        as often as the goal says, and no other thing, and several things are no matter of
        fallback. A subgoal about one of several is repeated for the others; what else is lacking
        is asked for again, and the best try is taken.
    :param complete_search: a fallback over regions or places is given the regions with unseen
        places that it leaves out, in its own words.
    :param search_order: the ways of a search are tried in the order in which the model expects the
        thing in their regions; it is asked that beside the task.
    :param no_ancestor_goal: a subgoal equal to its own or an ancestor's goal is refused.
    :param two_parts: below the root, a goal is split in two subgoals or more, or acted on.
    :param first_thought: every node begins with a thought; never two in a row.
    :param thought_on_goal: a first thought about movable things that the goal (or the nearest
        above it that names any) does not name is thought again, and left out in the end.
    :param named_only: what is gone to, handled and recalled is what the goals name.
    :param enough_in_hand: no more of a thing is taken than the goal wants of it.
    :param stay_in_scope: a goal that names regions confines moves to them, and one to find
        something in numbered places to the regions and doors of these.
    :param follow_recall: a node that is to find a thing, and has recalled in which region it was
        seen, goes there; it neither looks elsewhere nor expands before.
    :param end_search: a node that is to find a thing in certain regions or places fails, without
        the model being asked, once nothing there is left to look at.
    :param carry_straight: a node that brings what it holds to a place that is not in sight goes to
        where that was seen, or to regions not seen yet, and opens nothing on the way.
    :param keep_effects: what this run has put in its place is not taken again.
    :param same_place: a place named without a number stays the one first used for it.
    :param no_undo: a node does not take back what it has done, by the inverses that are told.
    :param choose_examples: examples by kind of goal, situation and termination, instead of
        similarity alone.
    :param goal_match: an admissible skill that the goal literally asks for is taken, and a node
        that has done all its goal asks for is done.
    :param of_domain: the rules of the run's domain hold too.
    """

    admissible_only: bool = True
    repeat_guard: bool = True
    skip_explored: bool = True
    sighted_first: bool = True
    finish_looking: bool = True
    take_first: bool = True
    failure_guard: bool = True
    done_guard: bool = True
    known_subgoals: bool = True
    cover_goal: bool = True
    complete_search: bool = True
    search_order: bool = True
    no_ancestor_goal: bool = True
    two_parts: bool = True
    first_thought: bool = True
    thought_on_goal: bool = True
    named_only: bool = True
    enough_in_hand: bool = True
    stay_in_scope: bool = True
    follow_recall: bool = True
    end_search: bool = True
    carry_straight: bool = True
    keep_effects: bool = True
    same_place: bool = True
    no_undo: bool = True
    choose_examples: bool = True
    goal_match: bool = True
    of_domain: bool = True

    @classmethod
    def none(cls) -> Guards:
        """Every rule off: decisions as in the published system."""
        return cls(**dict.fromkeys(cls.__slots__, False))

    def under(self, preset: Preset) -> Guards:
        """These switches, as far as a preset lets them be on."""
        if preset is Preset.NONE:
            return Guards.none()
        return replace(self, of_domain=self.of_domain and preset is Preset.ALL)


class OnInadmissible(Enum):
    """What a planner without corrections does at a step that cannot be done."""

    STOP = 'stop'
    SKIP = 'skip'


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """How the planners that write plans of steps do it (Tree-Planner section 4.1).

    :param steps: most steps of a plan, 1..200.
    :param tokens: longest plan, 1..4096 tokens.
    :param step_tokens: longest step that is written alone, 1..256 tokens.
    :param samples: plans sampled for an action tree, 1..200 (published: 25 or 50).
    :param temperature: of sampled plans, 0..2. :param top_p: of sampled plans, over 0..1.
    :param votes: votes at a fork of the action tree, 1..100 (published: 20).
    :param vote_temperature: of votes, 0..2.
    :param corrections: most failed steps that a run goes on after, 0..1000.
    :param undo: take back what led to a failed step, before another way is tried.
    :param on_inadmissible: at a step that cannot be done, where nothing is corrected.
    :param least_similarity: a written step that is less like every known skill is none, -1..1.
    """

    steps: int = 20
    tokens: int = 160
    step_tokens: int = 24
    samples: int = 8
    temperature: float = 0.8
    top_p: float = 0.95
    votes: int = 20
    vote_temperature: float = 0.7
    corrections: int = 10
    undo: bool = True
    on_inadmissible: OnInadmissible = OnInadmissible.STOP
    least_similarity: float = 0.5


@dataclass(frozen=True, slots=True)
class PlannerSettings:
    """How nodes decide.

    :param parallel_policy: when a parallel node succeeds.
    :param selection: how the model chooses among options.
    :param example_count: most examples in a prompt, 0..16.
    :param example_tokens: most tokens of examples in a prompt, 0..32768 (published: 5000).
    :param thought_tokens: longest thought, 1..1024 tokens.
    :param thought_tries: times a thought that is off its goal is thought, 1..10.
    :param expand_tokens: longest list of subgoals, 1..2048 tokens.
    :param expand_tries: times an unusable list of subgoals is asked for again, 1..10.
    :param thoughts: most thoughts of one node, 0..1000.
    :param domain: whose prompts, examples and rules are used: a name, or the path of a folder; '':
        what the skill server names.
    :param working_memory: whether `recall` is offered, and places looked at are left out.
    :param executor_decisions: most decisions of an executor on one task, 1..1000 (ADaPT: 20).
    :param plan_tokens: longest step of a plan or execution order, 1..2048 tokens.
    :param levels: deepest level of tasks of `adapt`, 1..16 (ADaPT's d_max).
    :param trials: most trials of `try_again` and `reflexion`, 1..16 (ADaPT's d_max).
    :param reflection_tokens: longest reflection of `reflexion`, 1..2048 tokens.
    :param reset_world: whether trials may have the world put back to where the task began.
    :param seed: of everything random.
    :param plans: of the planners that write plans of steps.
    """

    parallel_policy: ParallelPolicy = ParallelPolicy.MAJORITY
    guards: Guards = Guards()
    selection: Strategy = Strategy.CONSTRAINED
    example_count: int = 3
    example_tokens: int = 700
    thought_tokens: int = 60
    thought_tries: int = 3
    expand_tokens: int = 200
    expand_tries: int = 3
    thoughts: int = 1
    domain: str = ''
    working_memory: bool = True
    executor_decisions: int = 20
    plan_tokens: int = 60
    levels: int = 3
    trials: int = 3
    reflection_tokens: int = 120
    reset_world: bool = True
    seed: int = 0
    plans: PlanSettings = PlanSettings()

    def seed_of(self, draw: int) -> int:
        """Seed of one of a run's draws; runs of other seeds share none of them.

        :param draw: number of the draw, 0..1008.
        """
        return (self.seed * 1009 + draw) % 2**31
