#!/usr/bin/env python3
"""A domain of your own: a prompt in your words, beside the robot of own_world.py.

python examples/own_domain.py

The domain is the folder tea_domain. A planner node takes it with `domain:=./tea_domain`, or when
the skill server names it; `reactree domain check ./examples/tea_domain` says what is to be mended.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from own_world import follow, plan, RECIPE

from reactree_planner.llm.policy import PolicyModel
from reactree_planner.runs.settings import Decides, PlannerSettings

FOLDER = Path(__file__).parent / 'tea_domain'


def main() -> int:
    """Serve tea, and show what the model read."""
    recipe = follow(RECIPE)
    asked: list[str] = []

    def answer(text: str, options: Sequence[str] | None) -> int | str:
        asked.append(text)
        return recipe(text, options)

    # Facts would choose every skill of this task, and the model would read nothing.
    settings = PlannerSettings(domain=str(FOLDER), decides=Decides.MODEL)
    episode = plan(PolicyModel(answer), settings)
    print('The model reads:', asked[0][:300], '...', sep='\n')
    return 0 if episode.goal_met else 1


if __name__ == '__main__':
    sys.exit(main())
