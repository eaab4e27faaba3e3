"""Where a robot's skill server is found when it has names of its own."""

from __future__ import annotations

#: What a skill server serves beside its action, below its name.
SERVICES = ('list_skills', 'get_world_state', 'reset_world')
#: An action's own services and topics; remapping the action's name alone does not reach them.
ACTION_PARTS = ('send_goal', 'cancel_goal', 'get_result', 'feedback', 'status')


def bridge_remappings(bridge: str, status: str) -> list[tuple[str, str]]:
    """Remapping rules (name, name on the robot) for the nodes that talk to a skill server.

    :param bridge: stands for `bridge` in the names of its action and services.
    :param status: the topic on which it says that it is alive.
    """
    rules = []
    if bridge != 'bridge':
        rules += [(f'bridge/{service}', f'{bridge}/{service}') for service in SERVICES]
        rules += [
            (f'bridge/execute_skill/_action/{part}', f'{bridge}/execute_skill/_action/{part}')
            for part in ACTION_PARTS
        ]
    return [*rules, ('bridge_status', status)] if status != 'bridge_status' else rules
