"""The planner node's parameters, and what they become."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from reactree_core.errors import ConfigurationError
from reactree_core.permission.spending import read_price
from reactree_core.record.journal_keeping import read_keep
from reactree_core.record.run_settings import Limits
from reactree_core.ros.managed_node import MANAGED, TELEMETRY
from reactree_core.ros.parameter_specs import LiveValues, Table
from reactree_core.ros.parameter_specs import ParameterSpec as Row
from reactree_planner.llm.in_process.named_templates import CHOICES
from reactree_planner.llm.openai_server.thinking import EFFORTS
from reactree_planner.llm.registry import ModelOptions
from reactree_planner.planners.registry import planner_names
from reactree_planner.ros.bridge_services import SkillDeadlines
from reactree_planner.runs.presets import checked_settings, settings_of_preset
from reactree_planner.runs.settings import PlannerSettings

#: Settings that are parameters of their own.
_OF_THEIR_OWN = ('seed', 'domain', 'working_memory', 'reset_world')


def _objection_to_preset(text: str) -> str:
    for part in text.split(','):
        name = part.partition('=')[0].strip()
        if name in _OF_THEIR_OWN:
            return f'{name} is a parameter of its own: set {name}'
    try:
        settings_of_preset(text, '')
    except ValueError as error:
        return str(error)
    return ''


def _objection_to_price(text: str) -> str:
    try:
        read_price(text)
    except ConfigurationError as error:
        return str(error)
    return ''


def _objection_to_keep(text: str) -> str:
    try:
        read_keep(text)
    except ConfigurationError as error:
        return str(error)
    return ''


# fmt: off
_MODEL: Table = (
    Row('planner', 'reactree', 'Planner for goals that name none.', choices=planner_names()),
    Row('model', 'qwen2.5-coder-1.5b',
        'Language model: catalogue name, GGUF file, transformers:NAME, vision:NAME, server '
        '(http://...), scripted:FILE, recorded:JOURNAL, random:SEED or none; with A,planner=B '
        'model B writes the plans (docs/language_models.md).',
        read_only=True),
    Row('context_tokens', 8192,
        'Length of the context of a local model, and of a server that does not report it.',
        unit='tokens', low=512, high=262144, read_only=True),
    Row('threads', 0, 'CPU threads of a local model; 0: all cores.',
        low=0, high=1024, read_only=True),
    Row('device', '',
        'Device of a transformers model: cpu, cuda, ...; empty: a GPU if there is one.',
        read_only=True),
    Row('chat_template', 'none',
        'Turn markers around the prompt of a local model; none: the text as it is.',
        choices=CHOICES, read_only=True),
    Row('server_model', '', 'Model name in requests to a server; empty: its only model.',
        read_only=True),
    Row('api_key_variable', '', 'Environment variable with the API key of the model server.',
        read_only=True),
    Row('api_key_over_http', False,
        'Send the key in api_key_variable to another machine even over plain http, where others '
        'on the network can read it.',
        read_only=True),
    Row('reasoning_effort', 'auto',
        "How hard a server's model thinks before it answers; auto: its own way, and little where "
        'it thinks without answering. Left out where the server refuses it.',
        choices=EFFORTS, read_only=True),
    Row('thinking_tokens', 0,
        "Maximum room for the thinking of a server's model, beside its answer; 0: half of the "
        'context.',
        unit='tokens', low=0, high=262144, read_only=True),
    Row('options_in_prompt', True,
        "Tell a server's model its options in the prompt of a raw completion too; false: only the "
        'constraint has them, as published, which is faster on a CPU.',
        read_only=True),
    Row('request_timeout', 120.0, 'Timeout of a request to the model server.',
        unit='s', low=1.0, high=3600.0, read_only=True),
)

_RUN: Table = (
    Row('max_decisions', 200, 'Maximum number of decisions in a run; 0: no limit.',
        low=0, high=1000000),
    Row('max_steps', 200, 'Maximum number of skills in a run; 0: no limit.', low=0, high=1000000),
    Row('max_depth', 20, 'Maximum depth of the tree; 0: no limit.', low=0, high=10000),
    Row('max_tokens', 0,
        'Maximum number of tokens that a run evaluates and generates; 0: no limit.',
        unit='tokens', low=0, high=2**53),
    Row('price', '',
        'Price of the model for a million tokens, in any money: of the prompt, of a cached prompt '
        'and of the completion, e.g. "2.5 0.25 10"; empty: none, or that of the file of rules.',
        check=_objection_to_price),
    Row('max_cost', 0.0, 'Maximum cost of the model in a run, by its price; 0: no limit.',
        low=0.0, high=1e9),
    Row('max_time', 0.0, 'Maximum wall time of a run; 0: no limit.', unit='s', low=0.0, high=1e7),
    Row('standing_time', 86400.0,
        'Maximum time from the first wait to the end of a run whose task waits for something '
        '("whenever ...", "every ten minutes ..."); 0: such tasks are left to the model.',
        unit='s', low=0.0, high=1e7),
    Row('standing_times', 1000,
        'Maximum number of times that such a run does its task; 0: no limit.',
        low=0, high=1000000),
    Row('standing_look', 5.0,
        'Time between two looks of a run that waits, where the skill server does not report that '
        'something has changed.',
        unit='s', low=0.05, high=3600.0),
    Row('lost_time', 30.0,
        'Time in all that a run of a team waits for robots that are lost and may come back, where '
        'no other robot can go on; 0: it ends at once.',
        unit='s', low=0.0, high=86400.0),
    Row('preset', 'default',
        'How the planner decides: default, published (as in the paper) or published-code, then '
        'changes, as in default,decides=model,thoughts=3,ask=never (docs/planners.md).',
        check=_objection_to_preset),
    Row('seed', 0, 'Seed of all random choices.', low=0, high=2**31 - 1),
    Row('domain', '',
        'Domain of prompts and examples: a name (neutral, ...) or the path of a folder; '
        'empty: the domain that the skill server names.'),
    Row('working_memory', True, 'Offer `recall`, and skip places that were searched before.'),
    Row('reset_world', True,
        'Planners try_again and reflexion may reset a simulated world between trials.'),
    Row('question_timeout', 60.0, "Time after which a question's default answer is taken.",
        unit='s', low=1.0, high=86400.0),
    Row('require_approval', False,
        "Every skill waits for a person's approval (~/resolve_approval)."),
    Row('permission', '',
        'File of rules on what may be done (docs/permission.md), or allow, ask or deny for all '
        'skills; empty: ask before a robot moves, allow everything in a simulated world.',
        read_only=True),
    Row('hazards', '',
        'Hazards that a person is asked about (docs/permission.md): a file, on (also in a '
        'simulated world), off, and names to leave out behind "-"; empty: the shipped ones, on '
        'robots.',
        read_only=True),
    Row('approval_timeout', 300.0,
        'Time after which a skill without an answer counts as refused.',
        unit='s', low=1.0, high=86400.0),
    Row('journal_directory', '', "Folder of the runs' journals; empty: the user's state folder.",
        read_only=True),
    Row('record_key', '',
        'File of a private Ed25519 key (PEM) that signs the closing hash of each journal, beside '
        'it (`reactree verify`); empty: no signature.',
        read_only=True),
    Row('keep_journals', '2 GB',
        'How many journals of ended runs are kept in the folder, e.g. 1000 runs, 2 GB, 90 days; '
        'empty: all.',
        check=_objection_to_keep, read_only=True),
    Row('resume_within', 0.0,
        'After a restart the planner continues an interrupted run if the last record of the run '
        'is not older than this; 0: never.',
        unit='s', low=0.0, high=86400.0, read_only=True),
)

_MEMORY: Table = (
    Row('memory', True, 'Use the memory node.'),
    Row('memory_timeout', 3.0, 'Timeout of a call to the memory node.',
        unit='s', low=0.1, high=600.0),
    Row('shared_memory', '',
        'Name of a working memory that several robots share at one memory node; empty: each run '
        'has its own.'),
    Row('robot_name', '', "Name of this robot in a shared memory; empty: the node's namespace."),
    Row('keep_experiences', True,
        'Store the experiences of a run whose goal was met; where nothing verified it, they are '
        'no examples until `reactree memory confirm`.'),
)

_SKILL_SERVER: Table = (
    Row('team', (),
        'Robots that do one task together: namespaces of their bridges below that of the planner, '
        'in the order that settles who comes first; empty: one robot, in the same namespace. '
        'Goals that name no planner have the planner team then (docs/team.md).',
        read_only=True),
    Row('skill_vocabulary', '',
        "File that maps the planner's skills and names to the robot's; empty: both are the same.",
        read_only=True),
    Row('bridge_timeout', 10.0, 'Timeout for finding a skill server at the start of a run.',
        unit='s', low=0.1, high=600.0),
    Row('skill_timeout', 120.0, 'Time limit of a skill.',
        unit='s', low=0.1, high=86400.0),
    Row('service_timeout', 5.0,
        'Timeout of a service call to the skill server, and for it to accept a skill.',
        unit='s', low=0.1, high=600.0),
    Row('reset_timeout', 60.0, 'Timeout of a reset of the simulated world.',
        unit='s', low=0.1, high=3600.0),
)
# fmt: on

PARAMETERS: Table = (*_MODEL, *_RUN, *_MEMORY, *_SKILL_SERVER, *TELEMETRY, *MANAGED)


def settings_of(values: SimpleNamespace, planner: str, preset: str = '') -> PlannerSettings:
    """Planner settings from parameter values, for a run of this planner.

    :param preset: of a run that is resumed; '' for the parameter's.
    :raises ConfigurationError: the planner has no such preset.
    """
    own = {name: getattr(values, name) for name in _OF_THEIR_OWN}
    return replace(checked_settings(preset or values.preset, planner), **own)


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
        values.max_cost,
    )


def deadlines_of(values: LiveValues) -> SkillDeadlines:
    """Deadlines of the skill client."""
    return SkillDeadlines(
        values.bridge_timeout,
        values.skill_timeout,
        values.service_timeout,
        values.reset_timeout,
    )


def model_options_of(values: SimpleNamespace) -> ModelOptions:
    """Options of the model back ends."""
    return ModelOptions(
        context_tokens=values.context_tokens,
        threads=values.threads,
        device=values.device,
        chat_template=values.chat_template,
        server_model=values.server_model,
        api_key_variable=values.api_key_variable,
        api_key_over_http=values.api_key_over_http,
        reasoning_effort=values.reasoning_effort,
        thinking_tokens=values.thinking_tokens,
        options_in_prompt=values.options_in_prompt,
        request_timeout=values.request_timeout,
    )
