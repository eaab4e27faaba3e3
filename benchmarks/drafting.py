"""Writing with and without guessed tokens: the texts of one recorded tree run, the same model.

scripts/with_ros python -m benchmarks.drafting
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from benchmarks.recorded_run import OurPlayer, play, record, Step
from reactree_planner.llm.llama import LlamaModel, LlamaOptions
from reactree_planner.llm.llama.engine import LlamaEngine
from reactree_planner.llm.models import resolve_model


class WritingPlayer(OurPlayer):
    """Takes every recorded choice, and times what the model writes."""

    def __init__(self, model: LlamaModel) -> None:
        super().__init__(model)
        self.seconds = 0.0
        self.tokens = 0
        self.passes = 0
        self.texts: list[str] = []

    def select(self, session: int, options: list[str], chosen: int) -> bool:
        """Take the recorded option; what waits is evaluated before the next text."""
        self._sessions[session].append(options[chosen])
        return True

    def generate(self, session: int, text: str) -> None:
        """Write a line in a fork, which evaluates what waits, then take the recorded text."""
        trial = self._sessions[session].fork()
        engine = self._model.engine
        assert isinstance(engine, LlamaEngine)
        before, began = engine.decode_calls, time.perf_counter()
        self.texts.append(trial.generate())
        self.seconds += time.perf_counter() - began
        self.passes += engine.decode_calls - before
        self.tokens += trial.usage.completion_tokens
        trial.drop()
        self._sessions[session].append(text)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--model', default='qwen2.5-coder-1.5b')
    parser.add_argument('--decisions', type=int, default=60)
    parser.add_argument('--draft-tokens', type=int, default=LlamaOptions().draft_tokens)
    arguments = parser.parse_args()
    path = resolve_model(arguments.model)
    players: list[WritingPlayer] = []
    with tempfile.TemporaryDirectory() as folder:
        steps: list[Step] = record(arguments.decisions)
        for draft_tokens in (0, arguments.draft_tokens):
            options = LlamaOptions(state_directory=Path(folder), draft_tokens=draft_tokens)
            model = LlamaModel(path, options)
            player = WritingPlayer(model)
            play(steps, player)
            model.close()
            players.append(player)
            print(
                f'{draft_tokens} guessed at once: {len(player.texts)} texts, {player.tokens} '
                f'tokens in {player.passes} passes, {player.seconds:.1f} s'
            )
    plain, drafted = players
    same = sum(left == right for left, right in zip(plain.texts, drafted.texts, strict=True))
    print(f'{path.stem}, {os.cpu_count()} cores: same text {same} of {len(plain.texts)} times')
    print(f'ratio: {plain.seconds / drafted.seconds:.2f}')


if __name__ == '__main__':
    main()
