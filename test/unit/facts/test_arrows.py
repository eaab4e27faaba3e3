"""Facts know no planner, no world, no model and no English."""

from __future__ import annotations

import ast
from pathlib import Path

import reactree_planner.facts

FOLDER = Path(reactree_planner.facts.__file__).parent


def imported(path):
    """Names of the project's modules that a module imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names)


def test_facts_import_only_the_core_and_themselves():
    own = ('reactree_planner.facts', 'reactree_core')
    packages = ('reactree', 'sim_bridge', 'robot_bridge', 'memory_server', 'benchmarks')
    strange = [
        (path.name, name)
        for path in sorted(FOLDER.glob('*.py'))
        for name in imported(path)
        if name.startswith(packages) and not name.startswith(own)
    ]
    assert strange == []
