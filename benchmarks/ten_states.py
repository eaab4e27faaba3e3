"""How often a model's next skill is right, by way of choosing, in ten fixed moments.

scripts/with_ros python -m benchmarks.ten_states [--models qwen2.5-coder-1.5b gemma-3-270m]
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import yaml

from benchmarks.select_options import prompt_head
from reactree_core.cancellation import CancelToken
from reactree_core.ports import LanguageModel, Strategy
from reactree_core.record.trajectory_text import ACKNOWLEDGE
from reactree_planner.llm.registry import load_model, ModelOptions

State = dict[str, Any]


def next_skill(
    model: LanguageModel, head: str, state: State, strategy: Strategy, think: bool
) -> str:
    """The skill that the model takes in a state."""
    session = model.session(CancelToken(), head)
    session.append(f'Your task is to: {state["goal"]}\n{state["seen"]}\n{state["steps"]}')
    if think:
        session.append('Think:')
        session.generate(max_tokens=60)
        session.append(f'\n{ACKNOWLEDGE}')
    session.append('Act:')
    chosen = session.select([f' {skill}\n' for skill in state['offered']], strategy)
    session.drop()
    return str(state['offered'][chosen.index])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--models', nargs='+', default=['qwen2.5-coder-1.5b', 'gemma-3-270m'])
    parser.add_argument('--verbose', action='store_true', help='say what was chosen wrongly')
    arguments = parser.parse_args()
    states: list[State] = yaml.safe_load(
        Path(__file__).with_suffix('.yaml').read_text(encoding='utf-8')
    )
    head = prompt_head()
    print(f'{len(states)} states, {os.cpu_count()} cores\n')
    print('| model | way of choosing | right | s per decision |\n|---|---|---|---|')
    for name in arguments.models:
        model = load_model(name, ModelOptions())
        model.session(CancelToken(), head).drop()
        for think in (False, True):
            for strategy in Strategy:
                right = 0
                began = time.perf_counter()
                for state in states:
                    skill = next_skill(model, head, state, strategy, think)
                    right += skill in state['right']
                    if arguments.verbose and skill not in state['right']:
                        print(f'{state["goal"]}: {skill}')
                pace = (time.perf_counter() - began) / len(states)
                way = ('think, then ' if think else '') + strategy.value
                print(f'| {name} | {way} | {right} of {len(states)} | {pace:.1f} |', flush=True)
        model.close()


if __name__ == '__main__':
    main()
