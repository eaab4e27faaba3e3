"""What the place of a published trajectory tells of it: planner, task, kind of task.

Released collections (ReAcTree) have a file for each agent node, or for each run of a planner
without subgoals, and say the rest by names:

    <set>/em_llm/reactree_wm/text_traj/040/40_<kind>_dec003_depth03.txt
    <set>/em_llm/react/text_traj/105/105_<kind>.txt
    <set>/em_human/reactree_wm/text_traj/<kind>-<details>_trial_<id>_ann_0_dec001_depth01.txt

`_wm` stands for collected with a working memory. A node that began where another had begun
already has the time at the end of its name.
"""

from __future__ import annotations

import re
from pathlib import Path

from memory_server.exchange.json_lines import IMPORT_RUN

_FOLDER = re.compile(r'(react|reactree)(?:_wm)?')
_NODE = re.compile(r'(?P<task>.+?)_dec\d{3,}_depth\d{2,}(?:_\d{14})?')
_NUMBERED = re.compile(r'\d+_(?P<kind>.+)')
#: Names of folders above the planner's that belong to the name of a run: the set and who planned.
_ABOVE = 2
#: Folders from the planner's down to the file's, both counted.
_DEEPEST = 3


def labels_of(path: Path) -> dict[str, str]:
    """Labels of the trajectory in a file, one run for each task; none for other files.

    :param path: as above; looked at only, not read.
    """
    folders = path.parts[:-1]
    places = [
        place
        for place, name in enumerate(folders)
        if _FOLDER.fullmatch(name) and len(folders) - place <= _DEEPEST
    ]
    node = _NODE.fullmatch(path.stem)
    if not places and node is None:
        return {}
    task = node['task'] if node is not None else path.stem
    numbered = _NUMBERED.fullmatch(task)
    labels = {'task_type': numbered['kind'] if numbered is not None else task.partition('-')[0]}
    above: tuple[str, ...] = ()
    if places:
        above = folders[max(0, places[-1] - _ABOVE) : places[-1] + 1]
        labels['planner'] = folders[places[-1]].removesuffix('_wm')
    elif node is not None:
        labels['planner'] = 'reactree'
    labels['run_id'] = '/'.join((IMPORT_RUN, *(name for name in above if name != '/'), task))
    return labels
