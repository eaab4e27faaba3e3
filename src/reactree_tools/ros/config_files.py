"""Writes config/*.yaml from the nodes' tables: `python -m reactree_tools.ros.config_files`.

So the files cannot drift from what the nodes take; a test compares them.
"""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from textwrap import wrap

import yaml

from reactree_core import permission
from reactree_core.ros.parameter_specs import ParameterSpec
from reactree_tools.ros.parameter_tables import TABLES

WIDTH = 99
_HEAD = """\
# Main parameters of the {node}, with their defaults; docs/parameters.md has all of them.
# Copy what you want to change into a file of your own, and give that to
#   reactree up --params FILE      or      ros2 launch reactree_ros ... params_file:=FILE
# The name {section} lets the same file work in every namespace.
# Written by `python -m reactree_tools.ros.config_files`.
"""

#: Headings and the parameters below them; a name that ends with a dot stands for its group.
LAYOUT: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    'planner': (
        (
            'How the planner decides',
            ('planner', 'preset', 'seed'),
        ),
        ('Domain and memory of a run', ('domain', 'working_memory')),
        ('Planners other than reactree', ('reset_world',)),
        (
            'Language model (fixed at start)',
            (
                'model',
                'context_tokens',
                'threads',
                'server_model',
                'api_key_variable',
                'request_timeout',
            ),
        ),
        (
            'Limits of a run, over the whole tree',
            ('max_decisions', 'max_steps', 'max_depth', 'max_tokens', 'max_time'),
        ),
        ('People', ('question_timeout',)),
        (
            'The robot',
            ('bridge_timeout', 'skill_timeout', 'require_approval', 'permission', 'hazards'),
        ),
        ('Memory and records', ('memory', 'keep_experiences', 'journal_directory')),
        ('Start and restart (docs/managed_nodes.md)', ('autostart', 'resume_within')),
    ),
    'memory': (
        ('Experiences', ('store_path', 'seed', 'encoder')),
        ('Working memory', ('working_memory_path',)),
    ),
    'manager': (
        ('Managed nodes', ('nodes',)),
        ('Timeouts', ('discovery_timeout', 'transition_timeout')),
    ),
    'perception': (
        (
            'The server of a vision-language model (fixed at start)',
            ('server_model', 'api_key_variable'),
        ),
        ('Pictures', ('model_picture_size', 'shown_picture_size', 'shown_picture_period')),
    ),
    'recorder': (('Bags (fixed at start)', ('directory', 'sync_period')),),
    'viewer': (('Web page (fixed at start)', ('port', 'control', 'journal_directory')),),
    'bridge': (
        ('Simulated world', ('world', 'world_options')),
        ('Scene and task at the start', ('scene', 'task', 'seed')),
        (
            'How skills behave',
            ('skill_duration', 'skill_time_limit', 'failure_probability', 'permission'),
        ),
        ('Pictures on ~/camera/image_raw', ('camera.',)),
    ),
}


def config_text(node: str) -> str:
    """The parameter file of a node.

    :param node: 'bridge', 'manager', 'memory', 'perception', 'planner', 'recorder' or 'viewer'.
    """
    section = f'/**/{node}'
    lines = [_HEAD.format(node=node, section=section), f'{section}:', '  ros__parameters:']
    for number, (heading, names) in enumerate(LAYOUT[node]):
        lines += [''] * bool(number) + [f'    # {heading}', '']
        for name in names:
            lines += _group(node, name) if name.endswith('.') else _entry(TABLES[node][name], 4)
    return '\n'.join(lines) + '\n'


def _group(node: str, prefix: str) -> list[str]:
    specs = [spec for name, spec in TABLES[node].items() if name.startswith(prefix)]
    lines = [f'    {prefix[:-1]}:']
    for spec in specs:
        lines += _entry(spec, 6)
    return lines


def _entry(spec: ParameterSpec, indentation: int) -> list[str]:
    margin = ' ' * indentation
    details = [spec.unit] if spec.unit else []
    details += [spec.allowed] if spec.choices else []
    comment = spec.description + (f' [{", ".join(details)}]' if details else '')
    value = yaml.safe_dump(spec.ros_default, default_flow_style=True, width=1000)
    shown = value.removesuffix('...\n').strip()
    name = spec.name.rpartition('.')[2]
    begin = f'{margin}# '
    lines = wrap(comment, WIDTH, initial_indent=begin, subsequent_indent=begin)
    return [*lines, f'{margin}{name}: {shown}']


def main() -> int:
    """Write all files into a checkout's config folder."""
    folder = Path(__file__).parents[3] / 'config'
    for node in LAYOUT:
        (folder / f'{node}.yaml').write_text(config_text(node), encoding='utf-8')
        print(folder / f'{node}.yaml')
    # To be edited; a planner and a bridge read their own.
    (folder / 'hazards.yaml').write_bytes(files(permission).joinpath('hazards.yaml').read_bytes())
    return 0


if __name__ == '__main__':
    sys.exit(main())
