"""The planner node's parameters, and what they become."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace

from reactree_core.ports import Strategy
from reactree_core.ros.diagnostics import DIAGNOSTICS_PERIOD
from reactree_core.ros.parameters import LiveValues
from reactree_core.ros.parameters import ParameterSpec
from reactree_planner.llm.in_process.chat_templates import CHOICES
from reactree_planner.llm.loading import ModelOptions
from reactree_planner.planners.registry import planner_names
from reactree_planner.ros.skill_client import SkillDeadlines
from reactree_planner.runs.settings import Guards
from reactree_planner.runs.settings import OnInadmissible
from reactree_planner.runs.settings import PlannerSettings
from reactree_planner.runs.settings import PlanSettings
from reactree_planner.runs.settings import Preset
from reactree_planner.tree.run_settings import Limits
from reactree_planner.tree.run_settings import ParallelPolicy

_GUARDS = {
    'admissible_only': 'Offer only skills that can succeed now; off: the published wider set.',
    'named_only': 'Handle and recall only what the goals name, and no more than they want.',
    'once_only': 'Do not repeat or take back what was done, until something changed.',
    'whole_search': 'Search the places of the goal, each once, and end when none is left.',
    'go_straight': 'Go to what is in sight or recalled, and bring what is held, before all else.',
    'checked_ends': 'Offer `done` and `failure` only where what was seen does not speak against.',
    'goal_match': 'Take an admissible skill that the goal literally asks for.',
    'cover_goal': 'Subgoals name what their goal names, as often; searches name all regions.',
    'search_order': 'Search regions in the order in which the model expects the thing.',
    'first_thought': 'Every node begins with a thought; never two in a row.',
    'choose_examples': 'Choose examples by kind of goal, situation and termination.',
}

GUARD_PARAMETERS: tuple[ParameterSpec, ...] = (
    ParameterSpec(
        'guards',
        Preset.ALL.value,
        'Which guards hold: all whose switch is on; neutral: of these, none of the domain alone; '
        'none, as published.',
        choices=tuple(preset.value for preset in Preset),
    ),
    *(ParameterSpec(f'guards.{name}', True, text) for name, text in _GUARDS.items()),
)


def guards_of(values: SimpleNamespace) -> Guards:
    """Guards from parameter values."""
    switches = Guards(**{name: getattr(values, f'guards_{name}') for name in _GUARDS})
    return switches.under(Preset(values.guards))


_D = PlanSettings()

PLAN_PARAMETERS: tuple[ParameterSpec, ...] = (
    ParameterSpec('plans.steps', _D.steps, 'Most steps of a plan.', '', 1, 200),
    ParameterSpec('plans.tokens', _D.tokens, 'Longest plan.', 'tokens', 1, 4096),
    ParameterSpec(
        'plans.step_tokens', _D.step_tokens, 'Longest step written alone.', 'tokens', 1, 256
    ),
    ParameterSpec(
        'plans.samples',
        _D.samples,
        'Plans sampled for an action tree (published: 25 or 50).',
        '',
        1,
        200,
    ),
    ParameterSpec(
        'plans.temperature', _D.temperature, 'Temperature of sampled plans.', '', 0.0, 2.0
    ),
    ParameterSpec(
        'plans.top_p',
        _D.top_p,
        'Plans are sampled from the likeliest tokens that together have this probability.',
        '',
        0.01,
        1.0,
    ),
    ParameterSpec('plans.votes', _D.votes, 'Votes at a fork of the action tree.', '', 1, 100),
    ParameterSpec(
        'plans.vote_temperature', _D.vote_temperature, 'Temperature of votes.', '', 0.0, 2.0
    ),
    ParameterSpec(
        'plans.corrections',
        _D.corrections,
        'Failed steps that a run goes on after.',
        '',
        0,
        1000,
    ),
    ParameterSpec(
        'plans.undo',
        _D.undo,
        'Take back what led to a failed step, before another way is tried.',
    ),
    ParameterSpec(
        'plans.on_inadmissible',
        _D.on_inadmissible.value,
        'At a step that cannot be done, where a planner corrects nothing.',
        choices=tuple(choice.value for choice in OnInadmissible),
    ),
    ParameterSpec(
        'plans.least_similarity',
        _D.least_similarity,
        'A written step less like every known skill is none (cosine).',
        '',
        -1.0,
        1.0,
    ),
)


def plan_settings_of(values: SimpleNamespace) -> PlanSettings:
    """Settings of such planners from parameter values."""
    given = {field.name: getattr(values, f'plans_{field.name}') for field in fields(PlanSettings)}
    given['on_inadmissible'] = OnInadmissible(given['on_inadmissible'])
    return PlanSettings(**given)


_S = ParameterSpec

PARAMETERS: tuple[ParameterSpec, ...] = (
    _S('planner', 'reactree', 'Planner used when a goal names none.', choices=planner_names()),
    _S(
        'model',
        'qwen2.5-coder-1.5b',
        'Catalogue name, GGUF file, server (http://...), scripted:FILE or recorded:JOURNAL.',
        read_only=True,
    ),
    _S('context_tokens', 8192, 'Context of a local model.', 'tokens', 512, 262144, (), True),
    _S('threads', 0, 'CPU threads of a local model; 0: all cores.', '', 0, 1024, (), True),
    _S(
        'device',
        '',
        'Of a transformers model: cpu, cuda, ...; empty: a GPU where there is one.',
        read_only=True,
    ),
    _S(
        'chat_template',
        'none',
        'Turn markers around the prompt of a local model; none: the text as it is.',
        choices=CHOICES,
        read_only=True,
    ),
    _S(
        'draft_tokens',
        6,
        'Most tokens that a GGUF model guesses at once while it writes; 0: none.',
        'tokens',
        0,
        16,
        (),
        True,
    ),
    _S(
        'keep_states',
        True,
        'Save evaluated prompt prefixes for the next start.',
        '',
        None,
        None,
        (),
        True,
    ),
    _S('server_model', '', 'Model name asked of a server; empty: its only one.', read_only=True),
    _S(
        'api_key_variable',
        '',
        "Name of the environment variable that holds the server's key.",
        read_only=True,
    ),
    _S(
        'api_key_over_http',
        False,
        'Send that key to a server on another machine over http too, where anybody on the way can '
        'read it.',
        read_only=True,
    ),
    _S(
        'connect_timeout',
        5.0,
        'Longest wait for a model server to connect.',
        's',
        0.1,
        600.0,
        (),
        True,
    ),
    _S(
        'request_timeout',
        120.0,
        "Longest wait for a model server's answer.",
        's',
        1.0,
        3600.0,
        (),
        True,
    ),
    _S('max_decisions', 200, 'Decisions of a run; 0: no limit.', '', 0, 1000000),
    _S('max_steps', 200, 'Skills of a run; 0: no limit.', '', 0, 1000000),
    _S('max_depth', 20, 'Depth of the tree; 0: no limit.', '', 0, 10000),
    _S(
        'max_tokens', 0, 'Tokens a run may evaluate and generate; 0: no limit.', 'tokens', 0, 2**53
    ),
    _S('max_time', 0.0, 'Wall time of a run; 0: no limit.', 's', 0.0, 1e7),
    _S(
        'parallel_policy',
        'majority',
        'When a parallel node succeeds.',
        choices=tuple(policy.value for policy in ParallelPolicy),
    ),
    _S(
        'selection',
        'constrained',
        'How the model chooses: token by token, or by the likelihood of whole options '
        '(local models).',
        choices=tuple(strategy.value for strategy in Strategy),
    ),
    _S('example_count', 3, 'Most examples in a prompt.', '', 0, 16),
    _S(
        'example_tokens',
        700,
        'Most tokens of examples in a prompt (published: 5000).',
        'tokens',
        0,
        32768,
    ),
    _S('thought_tokens', 60, 'Longest thought.', 'tokens', 1, 1024),
    _S('expand_tokens', 200, 'Longest list of subgoals.', 'tokens', 1, 2048),
    _S('expand_tries', 3, 'Times an unusable list of subgoals is asked for again.', '', 1, 10),
    _S('thoughts', 1, 'Most thoughts of one node.', '', 0, 1000),
    _S('seed', 0, 'Of everything random.', '', 0, 2**31 - 1),
    _S(
        'domain',
        '',
        'Whose prompts, examples and rules are used: a name (neutral, ...) or the path of a '
        'folder; empty: what the skill server names.',
    ),
    _S('working_memory', True, 'Offer `recall`, and leave out places looked at before.'),
    _S(
        'executor_decisions',
        20,
        'Most decisions of an executor on one task (not of planner react).',
        '',
        1,
        1000,
    ),
    _S('plan_tokens', 60, 'Longest step, and order, of a written plan.', 'tokens', 1, 2048),
    _S('levels', 3, 'Planner adapt: deepest level of tasks (its d_max).', '', 1, 16),
    _S('trials', 3, 'Planners try_again and reflexion: most trials (their d_max).', '', 1, 16),
    _S('reflection_tokens', 120, 'Longest reflection of planner reflexion.', 'tokens', 1, 2048),
    _S(
        'reset_world',
        True,
        'Planners try_again and reflexion may have a simulated world put back between trials.',
    ),
    *GUARD_PARAMETERS,
    *PLAN_PARAMETERS,
    _S(
        'skill_vocabulary',
        '',
        "File that maps the planner's skills and names to the robot's own; empty: the same.",
        read_only=True,
    ),
    _S('memory', True, 'Use the memory node.'),
    _S(
        'shared_memory',
        '',
        'Name of a working memory that several robots fill together, at one memory node; empty: '
        'each run has its own.',
    ),
    _S(
        'robot_name',
        '',
        "Who this robot is in a shared memory; empty: the node's namespace.",
    ),
    _S('memory_timeout', 3.0, 'Longest wait for the memory node.', 's', 0.1, 600.0),
    _S(
        'bridge_timeout',
        10.0,
        'Longest wait for a skill server at the start of a run.',
        's',
        0.1,
        600.0,
    ),
    _S('accept_timeout', 5.0, 'Longest wait for a skill to be accepted.', 's', 0.1, 600.0),
    _S('skill_timeout', 120.0, 'Longest skill.', 's', 0.1, 86400.0),
    _S('service_timeout', 5.0, 'Longest wait for a service of the skill server.', 's', 0.1, 600.0),
    _S('reset_timeout', 60.0, 'Longest reset of a simulated world.', 's', 0.1, 3600.0),
    _S('cancel_timeout', 0.4, 'Longest wait for a canceled skill to end.', 's', 0.0, 60.0),
    _S('require_approval', False, 'Every skill waits for ~/resolve_approval.'),
    _S(
        'approval_timeout',
        300.0,
        'An unanswered approval counts as refused after this.',
        's',
        1.0,
        86400.0,
    ),
    _S(
        'journal_directory',
        '',
        "Folder of the runs' journals; empty: the user's state folder.",
        read_only=True,
    ),
    _S('journal_sync', False, 'Force every journal line to the disk at once.'),
    _S('keep_experiences', True, "Store a run's nodes when its goal was met."),
    DIAGNOSTICS_PERIOD,
)


def settings_of(values: SimpleNamespace) -> PlannerSettings:
    """Planner settings from parameter values."""
    return PlannerSettings(
        parallel_policy=ParallelPolicy(values.parallel_policy),
        selection=Strategy(values.selection),
        guards=guards_of(values),
        example_count=values.example_count,
        example_tokens=values.example_tokens,
        thought_tokens=values.thought_tokens,
        expand_tokens=values.expand_tokens,
        expand_tries=values.expand_tries,
        thoughts=values.thoughts,
        seed=values.seed,
        plans=plan_settings_of(values),
        domain=values.domain,
        working_memory=values.working_memory,
        executor_decisions=values.executor_decisions,
        plan_tokens=values.plan_tokens,
        levels=values.levels,
        trials=values.trials,
        reflection_tokens=values.reflection_tokens,
        reset_world=values.reset_world,
    )


def limits_of(
    values: SimpleNamespace, decisions: int, steps: int, depth: int, tokens: int, seconds: float
) -> Limits:
    """Limits of a run: the goal's where given, else the parameters'."""
    return Limits(
        decisions or values.max_decisions,
        steps or values.max_steps,
        depth or values.max_depth,
        tokens or values.max_tokens,
        seconds or values.max_time,
    )


def deadlines_of(values: LiveValues) -> SkillDeadlines:
    """Deadlines of the skill client."""
    return SkillDeadlines(
        values.bridge_timeout,
        values.accept_timeout,
        values.skill_timeout,
        values.service_timeout,
        values.cancel_timeout,
        values.reset_timeout,
    )


def model_options_of(values: SimpleNamespace) -> ModelOptions:
    """Options of the model back ends."""
    return ModelOptions(
        context_tokens=values.context_tokens,
        threads=values.threads,
        device=values.device,
        chat_template=values.chat_template,
        draft_tokens=values.draft_tokens,
        server_model=values.server_model,
        api_key_variable=values.api_key_variable,
        api_key_over_http=values.api_key_over_http,
        connect_timeout=values.connect_timeout,
        request_timeout=values.request_timeout,
        keep_states=values.keep_states,
    )
