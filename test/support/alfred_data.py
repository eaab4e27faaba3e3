"""ALFRED's tasks: those of the shared data, and files made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.needs import need_data


def stand_in_options(shared: Path) -> str:
    """Options of the stand-in for scenes from the shared data."""
    folders = {
        '--layouts': shared / 'alfred_layouts',
        '--games': shared / 'alfworld_valid_unseen_134',
        '--trajectories': shared / 'alfred_traj',
    }
    return ' '.join(f'{name} {folder}' for name, folder in folders.items() if folder.is_dir())


def alfred_folder(shared: Path) -> Path:
    """ALFRED's tasks among the shared data; skips where they are not there."""
    folder = shared / 'alfred_traj'
    need_data(folder / 'valid_index.json')
    return folder


def written_task(**changes: Any) -> dict[str, Any]:
    """A `traj_data.json` with two wordings."""
    told = {
        'task_id': 'trial_1',
        'task_type': 'pick_heat_then_place_in_recep',
        'pddl_params': {
            'object_target': 'Apple',
            'parent_target': 'Fridge',
            'mrecep_target': '',
            'toggle_target': '',
            'object_sliced': False,
        },
        'scene': {
            'floor_plan': 'FloorPlan10',
            'scene_num': 10,
            'object_poses': [
                {
                    'objectName': 'Apple_1',
                    'position': {'x': 0, 'y': 1.0, 'z': 0.5},
                    'rotation': {'x': 0, 'y': 0, 'z': 0},
                }
            ],
            'object_toggles': [{'objectType': 'StoveKnob', 'isOn': False}],
            'dirty_and_empty': True,
            'init_action': {'action': 'TeleportFull', 'x': 0.25, 'y': 0.9, 'z': 0.25,
                            'rotation': 90, 'horizon': 30, 'rotateOnTeleport': True},
        },
        'plan': {
            'high_pddl': [
                {
                    'discrete_action': {'action': 'PickupObject', 'args': ['apple']},
                    'planner_action': {'action': 'PickupObject', 'objectId': 'Apple|1'},
                },
                {
                    'discrete_action': {'action': 'HeatObject', 'args': ['apple']},
                    'planner_action': {'action': 'HeatObject', 'objectId': 'Microwave|1'},
                },
                {
                    'discrete_action': {'action': 'PutObject', 'args': ['apple', 'fridge']},
                    'planner_action': {'action': 'PutObject', 'objectId': 'Apple|1',
                                       'receptacleObjectId': 'Fridge|1'},
                },
                {
                    'discrete_action': {'action': 'NoOp', 'args': []},
                    'planner_action': {'action': 'End', 'value': 1},
                },
            ]
        },
        'turk_annotations': {
            'anns': [
                {'task_desc': 'Put a hot apple in the fridge.', 'high_descs': ['Walk.']},
                {'task_desc': ' Heat an apple,\n put it in the fridge. ', 'votes': [1]},
            ]
        },
    }  # fmt: skip
    return {**told, **changes}


def write_task(folder: Path, name: str = 'pick-10/trial_1', **changes: Any) -> Path:
    """It as a file, as ALFRED keeps it."""
    file = folder / name / 'traj_data.json'
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(written_task(**changes)), encoding='utf-8')
    return file
