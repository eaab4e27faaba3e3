"""What the papers and their code set: the values of the presets, each beside its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reactree_core.ports import Strategy
from reactree_planner.runs.settings import Guards
from reactree_planner.tree.run_settings import Ask
from reactree_planner.tree.run_settings import Flows
from reactree_planner.tree.run_settings import Frame
from reactree_planner.tree.run_settings import ParallelPolicy
from reactree_planner.tree.run_settings import RetrievalUnit

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

#: What ReAcTree and its baseline ReAct have in common: (setting, value, source).
_REACTREE_AND_REACT: tuple[tuple[str, Any, str], ...] = (
    ('thoughts', UNBOUNDED, f'{_REACTREE} 4.1, eq. 1: thinking is always among the actions'),
    ('thought_tokens', 200, f'{_CODE} src/llm_agent.py; the paper tells none'),
    ('example_count', 160, f'{_REACTREE} 4.2: the token limit alone determines k'),
    ('example_tokens', 5000, f'{_REACTREE} 5.1, implementation details'),
    ('retrieval_unit', RetrievalUnit.SUBGOAL, f'{_REACTREE} 4.2; of ReAct a node is a whole task'),
    ('frame', Frame.PUBLISHED, f'{_REACTREE} appendix E; {_CODE} src/wah/wah_llm_agent.py'),
    ('selection', Strategy.CONSTRAINED, f'{_REACTREE} 5.1: Guidance, temperature 0'),
    ('free_endings', True, f'{_CODE} src/wah/wah_reactree.py, wah_react.py; paper: not told'),
    ('fail_at_limits', True, f'{_REACTREE} 4.1; depth and context: {_CODE} src/reactree.py'),
    ('memory_by_closeness', True, f'{_REACTREE} 4.2; {_CODE} src/wah/wah_utils.py'),
)

#: In the order in which they are set: a planner's own value follows that of every planner.
FROM_PAPERS: tuple[PresetValue, ...] = (
    PresetValue('', 'guards', Guards.none(), 'no paper has guards'),
    PresetValue('', 'repairs', 0, 'no paper repairs its plans'),
    PresetValue('', 'direct_steps', False, 'no paper: the model decides everything'),
    PresetValue('', 'ask', Ask.NEVER, 'no paper asks people'),
    *(
        PresetValue(planner, *value)
        for planner in ('reactree', 'react')
        for value in _REACTREE_AND_REACT
    ),
    PresetValue('reactree', 'parallel_policy', ParallelPolicy.MAJORITY, f'{_REACTREE} 4.1'),
    PresetValue('reactree', 'flows', Flows.ALL, f'{_REACTREE} 4.1'),
    PresetValue('reactree', 'expand_tokens', 200, f'{_CODE} src/llm_agent.py; paper: not told'),
    PresetValue('reactree', 'expand_tries', 1, f'{_REACTREE} 4.1: what is written is taken'),
    PresetValue('reactree', 'subgoals', 200, f'{_REACTREE} 4.1: as many as are written'),
)
#: Where the published code of a planner differs from its paper.
FROM_CODE: tuple[PresetValue, ...] = (
    PresetValue(
        'reactree',
        'parallel_policy',
        ParallelPolicy.ALL,
        f'{_CODE} src/reactree.py, ControlFlowNode.run',
    ),
)
