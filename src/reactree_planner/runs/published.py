"""What the papers and their code set: the values of the presets, each beside its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reactree_core.ports import Strategy
from reactree_core.record.run_settings import Ask, Flows, Frame, ParallelPolicy, RetrievalUnit
from reactree_planner.runs.settings import (
    Decides,
    ExecutorPrompt,
    Guards,
    OnInadmissible,
    Score,
    TrialSampling,
)

#: Presets of the papers; `published-code` is what the published code sets where it differs.
PUBLISHED = 'published'
PUBLISHED_CODE = 'published-code'


@dataclass(frozen=True, slots=True)
class PresetValue:
    """One value of a preset.

    :param planner: whose; '' for every planner.
    :param setting: its name as in an override, e.g. 'plans.samples'; 'guards' for all guards.
    :param source: section of the paper, or file of the published code.
    """

    planner: str
    setting: str
    value: Any
    source: str


#: More than any run decides or any prompt holds: no bound.
UNBOUNDED = 999_999
_REACTREE = 'ReAcTree'
_CODE = "ReAcTree's code,"
_TREE_PLANNER = 'Tree-Planner 4.1'
_ADAPT = 'ADaPT appendix A'


def _rows(planners: str, values: dict[str, tuple[Any, str]]) -> tuple[PresetValue, ...]:
    """Values that several planners share. :param planners: their names, spaces between them."""
    return tuple(
        PresetValue(planner, setting, value, source)
        for planner in planners.split()
        for setting, (value, source) in values.items()
    )


_EVERY_PLANNER = (
    PresetValue('', 'guards', Guards.none(), 'no paper has guards'),
    PresetValue('', 'repairs', 0, 'no paper repairs its plans'),
    PresetValue('', 'decides', Decides.MODEL, 'in every paper the model decides everything'),
    PresetValue('', 'ask', Ask.NEVER, 'no paper asks people'),
)
_AGENTS = (
    *_rows(
        'reactree react',
        {
            'thoughts': (UNBOUNDED, f'{_REACTREE} 4.1, eq. 1: thinking is always on offer'),
            'thought_tokens': (200, f'{_CODE} src/llm_agent.py; not in the paper'),
            'example_count': (160, f'{_REACTREE} 4.2: the token limit alone determines k'),
            'example_tokens': (5000, f'{_REACTREE} 5.1'),
            'retrieval_unit': (
                RetrievalUnit.SUBGOAL,
                f'{_REACTREE} 4.2; in ReAct a node is a whole task',
            ),
            'frame': (
                Frame.PUBLISHED,
                f'{_REACTREE} appendix E; {_CODE} src/wah/wah_llm_agent.py',
            ),
            'selection': (Strategy.CONSTRAINED, f'{_REACTREE} 5.1: Guidance, temperature 0'),
            'free_endings': (
                True,
                f'{_CODE} src/wah/wah_reactree.py, wah_react.py; not in the paper',
            ),
            'fail_at_limits': (
                True,
                f'{_REACTREE} 4.1; depth and context: {_CODE} src/reactree.py',
            ),
            'memory_by_closeness': (True, f'{_REACTREE} 4.2; {_CODE} src/wah/wah_utils.py'),
        },
    ),
    *_rows(
        'reactree',
        {
            'parallel_policy': (ParallelPolicy.MAJORITY, f'{_REACTREE} 4.1'),
            'flows': (Flows.ALL, f'{_REACTREE} 4.1'),
            'expand_tokens': (200, f'{_CODE} src/llm_agent.py; not in the paper'),
            'expand_tries': (1, f'{_REACTREE} 4.1: the first answer is used'),
            'subgoals': (200, f'{_REACTREE} 4.1: as many as the model writes'),
        },
    ),
)
_FIXED_EXAMPLES = {
    'example_count': (4, f'{_TREE_PLANNER}: 4 fixed tasks; here the 4 nearest'),
    'example_tokens': (32768, f'{_TREE_PLANNER}: no bound but the context'),
}
_PLAN_WRITERS = (
    *_rows(
        'tree_planner best_first sampled_plans iterative local_replan global_replan',
        _FIXED_EXAMPLES,
    ),
    *_rows(
        'tree_planner best_first sampled_plans',
        {
            'plans.samples': (50, f'{_TREE_PLANNER}: N is 25 or 50'),
            'plans.temperature': (0.8, _TREE_PLANNER),
            'plans.top_p': (0.95, _TREE_PLANNER),
            'plans.tokens': (512, 'Tree-Planner, arguments.py: max_generation_tokens'),
            'plans.steps': (200, 'Tree-Planner, plan_generation.py: no bound but the tokens'),
            'plans.undo': (
                True,
                'Tree-Planner 3.3 and utils/exec_utils.py: the state is put back',
            ),
        },
    ),
    *_rows(
        'tree_planner',
        {
            'plans.votes': (20, _TREE_PLANNER),
            'plans.vote_temperature': (0.7, f'{_TREE_PLANNER} and B.1; top-p is 1'),
            'plans.corrections': (10, _TREE_PLANNER),
            'plans.facts_at_forks': (True, 'Tree-Planner 3.3 and utils/env_utils.py'),
            'plans.keep_errors': (True, 'Tree-Planner, utils/exec_utils.py: errors accumulate'),
        },
    ),
    *_rows(
        'sampled_plans',
        {'parallel_policy': (ParallelPolicy.ANY, 'Tree-Planner figure 5: the best of all plans')},
    ),
    *_rows(
        'best_first',
        {
            'plans.score': (Score.HYBRID, 'Tree-Planner C.5, table 7: the best of three'),
            'plans.language_share': (0.5, 'Tree-Planner C.5: alpha'),
            'plans.corrections': (0, 'Tree-Planner C.5: without error correction'),
        },
    ),
    *_rows(
        'iterative local_replan global_replan',
        {'plans.step_tries': (1, 'Tree-Planner B.1: temperature 0, so once')},
    ),
    *_rows(
        'iterative',
        {'plans.on_inadmissible': (OnInadmissible.STOP, f'{_TREE_PLANNER}: Exec of 0 or 1')},
    ),
    *_rows('local_replan global_replan', {'plans.corrections': (10, _TREE_PLANNER)}),
    *_rows(
        'global_replan', {'plans.undo': (True, 'Tree-Planner 1: from the initial state again')}
    ),
    *_rows(
        'zero_shot',
        {
            'plans.steps': (20, 'Tree-Planner B.2'),
            'plans.least_similarity': (0.5, 'Tree-Planner B.2: early stopping'),
            'plans.step_samples': (10, 'Zero-shot Planner, src/demo.ipynb: n'),
            'plans.step_temperature': (0.6, 'Zero-shot Planner, src/demo.ipynb'),
            'plans.step_top_p': (0.9, 'Zero-shot Planner, src/demo.ipynb'),
            'plans.likelihood_weight': (0.3, 'Zero-shot Planner, src/demo.ipynb: BETA'),
            'plans.on_inadmissible': (OnInadmissible.STOP, f'{_TREE_PLANNER}: Exec of 0 or 1'),
            'example_count': (1, 'Tree-Planner B.2: a retrieved plan as exemplar'),
            'example_tokens': (32768, 'Zero-shot Planner, src/demo.ipynb: no bound'),
        },
    ),
    *_rows(
        'progprompt',
        {
            'plans.program_tokens': (600, 'ProgPrompt, scripts/run_eval.py: max_tokens'),
            'plans.steps': (200, 'ProgPrompt, scripts/run_eval.py: no bound but the tokens'),
            'plans.on_inadmissible': (
                OnInadmissible.SKIP,
                'ProgPrompt, scripts/utils_execute.py: goes on after a failed step',
            ),
            'example_count': (3, 'ProgPrompt, scripts/run_eval.py: prompt-num-examples'),
            'example_tokens': (32768, 'ProgPrompt, scripts/run_eval.py: no bound'),
        },
    ),
)
_EXECUTORS = (
    *_rows(
        'plan_and_execute try_again reflexion adapt',
        {
            'executor_decisions': (20, f'{_ADAPT}: 20 for ALFWorld and TextCraft, 15 for WebShop'),
            'executor_prompt': (
                ExecutorPrompt.SKILLS_AND_TASKS,
                f'{_ADAPT}: demonstrations of skills, and gold trajectories of two tasks',
            ),
            'thoughts': (1000, 'ADaPT 4.2: think and act as in ReAct'),
            'thought_tokens': (100, 'ADaPT, run_alfworld.py: max_tokens'),
        },
    ),
    *_rows(
        'plan_and_execute adapt',
        {
            'plan_tokens': (400, 'ADaPT, run_alfworld.py: max_tokens of plan_llm'),
            'expand_tries': (1, 'ADaPT, run_alfworld.py: a plan is asked for once'),
        },
    ),
    *_rows(
        'try_again reflexion adapt',
        {'trials': (3, 'ADaPT 4.2: d_max is 3 for ALFWorld and WebShop, 4 for TextCraft')},
    ),
    *_rows(
        'try_again',
        {
            'all_trials': (True, 'ADaPT 4.2: d_max trials in all, the best counts'),
            'parallel_policy': (ParallelPolicy.ANY, 'ADaPT 4.2: the best counts'),
            'trial_sampling': (TrialSampling.EVERYTHING, f'{_ADAPT}: trajectories at 0.7'),
        },
    ),
    *_rows(
        'reflexion',
        {
            'judged_trials': (True, 'ADaPT 4.2: reflects if unsuccessful; the world tells'),
            'trial_sampling': (TrialSampling.NOTHING, f'{_ADAPT}: only Try Again samples'),
        },
    ),
)
_LATS = "LATS's code, webshop/"
_SEARCHES = _rows(
    'lats',
    {
        'free_actions': (True, f'{_LATS}lats.py: what is no action is answered so'),
        'trials': (30, f'{_LATS}lats.sh: iterations'),
        'turns': (15, f'{_LATS}lats.py: max_depth'),
        'plans.samples': (5, f'{_LATS}lats.sh: n_generate_sample'),
        'plans.temperature': (1.0, f'{_LATS}lats.sh: temperature'),
        'plans.top_p': (1.0, f'{_LATS}models.py: not set'),
        'thought_tokens': (100, f'{_LATS}models.py: max_tokens'),
        'executor_prompt': (
            ExecutorPrompt.SKILLS_AND_TASKS,
            f"{_LATS}prompt.py: one worked task; here ADaPT's demonstrations",
        ),
    },
)
_PROCWORLD = 'ProcWorld appendix'
_CHATS = (
    *_rows(
        'agentbench alfchat stateflow',
        {
            'free_actions': (True, f'{_PROCWORLD} B.2: the model writes, the world answers'),
            'turns': (50, f'{_PROCWORLD} C: max steps'),
            'chat_tokens': (2048, f'{_PROCWORLD} C: max tokens of input and output'),
            'executor_prompt': (
                ExecutorPrompt.TASK,
                'AgentBench, src/server/tasks/alfworld/task.py: one worked task of the same kind',
            ),
            'thought_tokens': (200, f'{_PROCWORLD} C: not stated; from its printed rollouts'),
        },
    ),
    *_rows(
        'stateflow',
        {'plan_tokens': (200, 'StateFlow, ALFWorld/stateflow_prompts.py: a plan of examples')},
    ),
)
#: In the order in which they are set: a planner's own value follows that of every planner.
FROM_PAPERS: tuple[PresetValue, ...] = (
    *_EVERY_PLANNER,
    *_AGENTS,
    *_PLAN_WRITERS,
    *_EXECUTORS,
    *_SEARCHES,
    *_CHATS,
)
#: Where the published code of a planner differs from its paper.
FROM_CODE: tuple[PresetValue, ...] = (
    PresetValue(
        'reactree',
        'parallel_policy',
        ParallelPolicy.ALL,
        f'{_CODE} src/reactree.py, ControlFlowNode.run',
    ),
    PresetValue('adapt', 'executor_decisions', 19, 'run_alfworld.py: range(1, max_runs)'),
    PresetValue('adapt', 'executor_prompt', ExecutorPrompt.SKILLS, 'run_alfworld.py: --executor'),
)
