#!/usr/bin/env python3
"""A domain of your own: a prompt in your words and a rule, beside the robot of own_world.py.

python examples/own_domain.py

The domain is the folder tea_domain. A planner node takes it with `domain:=./tea_domain`, or when
the skill server names it; `reactree domain check ./examples/tea_domain` says what is to be mended.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from own_world import follow
from own_world import plan
from own_world import RECIPE

from reactree_planner.llm.scripted import PolicyModel
from reactree_planner.runs.settings import PlannerSettings

FOLDER = Path(__file__).parent / 'tea_domain'


def main() -> int:
    """Serve tea, and show what the model read and what it was offered."""
    recipe = follow(RECIPE)
    asked: list[str] = []
    offered: set[str] = set()

    def answer(text: str, options: Sequence[str] | None) -> int | str:
        asked.append(text)
        offered.update(option.strip() for option in options or ())
        return recipe(text, options)

    episode = plan(PolicyModel(answer), PlannerSettings(domain=str(FOLDER)))
    print('The model reads:', asked[0][:300], '...', sep='\n')
    print('Offered:', ', '.join(sorted(name for name in offered if name.startswith('brew'))))
    return 0 if episode.goal_met else 1


if __name__ == '__main__':
    sys.exit(main())
