"""Planners by name: those of this package, and those that other distributions bring.

A distribution brings one by an entry point of the group `reactree.planners`
(docs/add_a_planner.md); it is imported only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import entry_points, EntryPoint
from typing import TYPE_CHECKING

from reactree_core.errors import ConfigurationError

if TYPE_CHECKING:
    # All that reads and plans, which only a run needs.
    from reactree_planner.runs.planner import Planner

#: Entry point group of planners outside this package.
GROUP = 'reactree.planners'

#: Name -> 'module:class' of the planners of this package.
PLANNERS = {
    'reactree': 'reactree_planner.planners.reactree:ReAcTreePlanner',
    'react': 'reactree_planner.planners.react:ReActPlanner',
    'plan_and_execute': 'reactree_planner.planners.plan_and_execute:PlanAndExecutePlanner',
    'try_again': 'reactree_planner.planners.try_again:TryAgainPlanner',
    'reflexion': 'reactree_planner.planners.reflexion:ReflexionPlanner',
    'adapt': 'reactree_planner.planners.adapt:AdaptPlanner',
    'zero_shot': 'reactree_planner.planners.zero_shot:ZeroShotPlanner',
    'iterative': 'reactree_planner.planners.iterative:IterativePlanner',
    'local_replan': 'reactree_planner.planners.iterative:LocalReplanner',
    'global_replan': 'reactree_planner.planners.iterative:GlobalReplanner',
    'tree_planner': 'reactree_planner.planners.tree_planner:TreePlanner',
    'best_first': 'reactree_planner.planners.best_first:BestFirstPlanner',
    'progprompt': 'reactree_planner.planners.progprompt:ProgPromptPlanner',
    'agentbench': 'reactree_planner.planners.agentbench:AgentBenchPlanner',
    'alfchat': 'reactree_planner.planners.alfchat:AlfChatPlanner',
    'stateflow': 'reactree_planner.planners.stateflow:StateFlowPlanner',
    'lats': 'reactree_planner.planners.lats:LatsPlanner',
    'naive_buyer': 'reactree_planner.planners.naive_buyer:NaiveBuyerPlanner',
    'sampled_plans': 'reactree_planner.planners.sampled_plans:SampledPlansPlanner',
    'team': 'reactree_planner.planners.team:TeamPlanner',
    'oracle': 'reactree_planner.planners.oracle:OraclePlanner',
}
#: Not for every world: they put it back by its snapshots, are for a shop, or for several robots.
PARTICULAR = frozenset({'lats', 'naive_buyer', 'sampled_plans', 'team'})


def planner_names() -> tuple[str, ...]:
    """Names that may be given to `make_planner`; whether one can be loaded is not tried."""
    return tuple(sorted({*PLANNERS, *(entry.name for entry in _entries())}))


def general_planners() -> tuple[str, ...]:
    """Those of `planner_names` that any world serves."""
    return tuple(name for name in planner_names() if name not in PARTICULAR)


def is_planner(name: str) -> bool:
    """Whether a planner has this name."""
    # What others bring is looked for on the disk, in all that is installed: 20 ms.
    return name in PLANNERS or name in planner_names()


def check_planner(name: str) -> None:
    """:raises ConfigurationError: no planner has this name."""
    if not is_planner(name):
        raise ConfigurationError(
            f'There is no planner "{name[:80]}". Choose one of: {", ".join(planner_names())}.'
        )


def make_planner(name: str) -> Planner:
    """A fresh planner.

    :raises ConfigurationError: no planner has this name, or its distribution is broken.
    """
    if name in PLANNERS:
        module, _, class_name = PLANNERS[name].partition(':')
        planner: Planner = getattr(import_module(module), class_name)()
        return planner
    check_planner(name)
    found = [entry for entry in _entries() if entry.name == name]
    if len({entry.value for entry in found}) > 1:
        raise ConfigurationError(
            f'Several installed packages bring a planner "{name}" ({_sources(found)}): '
            'uninstall all but one.'
        )
    return _loaded(found[0])


def _entries() -> tuple[EntryPoint, ...]:
    """Entry points of others; none takes the place of a planner of this package."""
    return tuple(entry for entry in entry_points(group=GROUP) if entry.name not in PLANNERS)


def _sources(entries: Iterable[EntryPoint]) -> str:
    return ', '.join(sorted(_source(entry) for entry in entries))


def _source(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value


def _loaded(entry: EntryPoint) -> Planner:
    try:
        made = entry.load()()
    except Exception as error:  # somebody else's code, which may raise anything
        raise ConfigurationError(
            f'The planner "{entry.name}" of {_source(entry)} cannot be loaded '
            f'({entry.value}: {type(error).__name__}: {error}). Mend or uninstall '
            f'{_source(entry)}; the other planners work.'
        ) from error
    missing = [] if callable(getattr(made, 'run', None)) else ['run']
    if getattr(made, 'name', None) != entry.name:
        missing.insert(0, f"name = '{entry.name}'")
    if missing:
        raise ConfigurationError(
            f'The planner "{entry.name}" of {_source(entry)} is no planner: '
            f'{type(made).__name__} lacks {", ".join(missing)}. See docs/add_a_planner.md.'
        )
    planner: Planner = made
    return planner
