"""What the papers and their code set: the values of the presets, each beside its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reactree_planner.runs.settings import Guards
from reactree_planner.tree.run_settings import Ask

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


#: In the order in which they are set: a planner's own value follows that of every planner.
FROM_PAPERS: tuple[PresetValue, ...] = (
    PresetValue('', 'guards', Guards.none(), 'no paper has guards'),
    PresetValue('', 'repairs', 0, 'no paper repairs its plans'),
    PresetValue('', 'direct_steps', False, 'no paper: the model decides everything'),
    PresetValue('', 'ask', Ask.NEVER, 'no paper asks people'),
)
#: Where the published code of a planner differs from its paper.
FROM_CODE: tuple[PresetValue, ...] = ()
