"""Places and things that are told by their relation to another thing, in the household world.

    python -m benchmarks.relations --model none
    python -m benchmarks.relations --model random:1

Sentences and what is wanted: `relations.yaml`, written before any was run. Printed is, of each,
whether it is so in the end, and whether the run claimed it (done; verified). Of relations that no
server tells nothing may be claimed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory, plan_episode
from sim_bridge.worlds.household.state import HouseholdState
from sim_bridge.worlds.household.world import HouseholdWorld

SENTENCES = Path(__file__).with_suffix('.yaml')
_MOST_SKILLS = 130


def main(words: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--model', default='none')
    parser.add_argument('--file', type=Path, default=SENTENCES)
    asked = parser.parse_args(words)
    model = load_model(asked.model, ModelOptions())
    met = claimed = falsely = verified = known = 0
    for row in yaml.safe_load(asked.file.read_text(encoding='utf-8')):
        world = HouseholdWorld()
        world.reset(f'generated:{row["seed"]}', f'generated:{row["seed"]}', row['seed'])
        state = world._now.state
        began = dict(state.graph.parent)
        events: list[Any] = []
        episode = plan_episode(
            world,
            model,
            InProcessMemory(),
            PlannerSettings(),
            Limits(_MOST_SKILLS, _MOST_SKILLS),
            watch=events.append,
            sentence=row['say'],
        )
        so = is_as_wanted(row, state, began)
        skills = sum(bool(getattr(one, 'skill', '')) for one in events) // 2
        told = next(
            (
                one
                for one in events
                if isinstance(one, Decision) and one.kind is DecisionKind.GROUND
            ),
            None,
        )
        means = '; '.join(told.subgoals) if told else '-'
        ending = episode.run.aims.ending
        sure = bool(ending.verified) and not (ending.missing or ending.unknown)
        is_known = not row.get('not_known')
        known += is_known
        met += so and is_known
        claimed += episode.outcome.success
        verified += episode.outcome.success and sure
        falsely += episode.outcome.success and sure and not so
        print(
            f'{row["seed"]}  {"met" if so else "-":4}'
            f'{episode.ended:9}{"verified" if sure else "":9}{skills:4} skills  {row["say"]}\n'
            f'      means: {means}\n      {episode.outcome.message}'
        )
    print(
        f'{asked.model}: met {met} of {known}; of all: said done {claimed}, '
        f'verified {verified}, falsely verified {falsely}'
    )


def is_as_wanted(row: dict[str, Any], state: HouseholdState, began: dict[int, Any]) -> bool:
    """Whether things are where a sentence wants them. :param began: the place of each at first."""
    graph, names = state.graph, state.names

    def named(name: str) -> list[int]:
        return [key for key in names.name if name in (names.word[key], names.name[key])]

    def place(key: int) -> int | None:
        return graph.parent[key][1] if key in graph.parent else None

    def together(name: str, other: str) -> bool:
        number, name = (2, name[2:]) if name.startswith('2 ') else (1, name)
        return any(
            sum(place(one) == place(anchor) != None for one in named(name)) >= number  # noqa: E711
            and began.get(anchor, ('', None))[1] == place(anchor)
            for anchor in named(other)
        )

    if row.get('not_known'):
        return False
    return all(together(*pair) for pair in row.get('together', ())) and all(
        any(place(one) in named(where) for one in named(name)) for name, where in row.get('in', ())
    )


if __name__ == '__main__':
    main()
