"""A recorded tree run of 60 decisions, its every model request played again to a real model.

The run is recorded from a rule-following model in a generated home, with the prompts, examples and
options of a real run. Each choice is made by the real model and timed, then the recorded one is
taken, so that every run asks exactly the same. With `--guidance` the same requests go through
Guidance's `select` and `gen` on llama-cpp-python, same file (needs requirements/benchmarks.txt).

    scripts/with_ros python -m benchmarks.recorded_run [--guidance]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from reactree_core.cancellation import CancelToken
from reactree_core.errors import LimitReached
from reactree_core.ports import LanguageModel, LanguageSession, Selection, Strategy
from reactree_core.record.run_settings import Limits
from reactree_core.usage import LlmUsage
from reactree_planner.llm.llama import LlamaModel, LlamaOptions
from reactree_planner.llm.models import resolve_model
from reactree_planner.planners.reactree import ReAcTreePlanner
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory, shipped_memory
from reactree_tools.seed_memory.expert_models import ScriptedExpertModel
from reactree_tools.seed_memory.writing import root_lesson
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.household.roles import name_of
from sim_bridge.worlds.household.tasks import FAMILIES
from sim_bridge.worlds.registry import make_world

#: A home that no shipped example comes from.
_SEED = 5001
Step = dict[str, Any]


class Player(Protocol):
    """Whatever plays the requests of one session after another."""

    def begin(self, session: int, text: str) -> None:
        """Begin a session."""

    def append(self, session: int, text: str) -> None:
        """Add text."""

    def fork(self, session: int, new: int) -> None:
        """A second session with the same text."""

    def select(self, session: int, options: list[str], chosen: int) -> bool:
        """Choose, then take the recorded option; whether they were the same."""

    def generate(self, session: int, text: str) -> None:
        """Generate as many tokens as the recorded text has, then take that text."""

    def drop(self, session: int) -> None:
        """End a session."""


@dataclass(slots=True)
class Played:
    """What playing came to."""

    seconds: float
    selects: int = 0
    agreed: int = 0
    choices: list[int] = field(default_factory=list)


class Recorder:
    """Another model (port `LanguageModel`), with every step of its sessions kept."""

    def __init__(self, inner: LanguageModel) -> None:
        self._inner = inner
        self.steps: list[Step] = []
        self._sessions = 0
        self.name, self.context_tokens = inner.name, inner.context_tokens
        self.count_tokens, self.close = inner.count_tokens, inner.close

    def new_number(self) -> int:
        """Of the next session."""
        self._sessions += 1
        return self._sessions

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> RecordedSession:
        """Begin a session."""
        number = self.new_number()
        self.steps.append({'do': 'session', 'session': number, 'text': shared_prefix})
        return RecordedSession(self, self._inner.session(cancel, shared_prefix), number)


class RecordedSession:
    """Port `LanguageSession`."""

    def __init__(self, model: Recorder, inner: LanguageSession, number: int) -> None:
        self._model = model
        self._inner = inner
        self._number = number
        self.drop = inner.drop

    @property
    def text(self) -> str:
        """Everything so far."""
        return self._inner.text

    @property
    def usage(self) -> LlmUsage:
        """The inner session's."""
        return self._inner.usage

    def _keep(self, do: str, **content: Any) -> None:
        self._model.steps.append({'do': do, 'session': self._number, **content})

    def append(self, text: str) -> None:
        """Add text."""
        self._inner.append(text)
        self._keep('append', text=text)

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """Choose."""
        chosen = self._inner.select(options, strategy)
        self._keep('select', options=list(options), index=chosen.index)
        return chosen

    def generate(self, *arguments: Any, **named: Any) -> str:
        """Write."""
        text = self._inner.generate(*arguments, **named)
        self._keep('generate', answer=text)
        return text

    def fork(self) -> RecordedSession:
        """A second session with the same text."""
        number = self._model.new_number()
        self._keep('fork', new=number)
        return RecordedSession(self._model, self._inner.fork(), number)


def record(decisions: int) -> list[Step]:
    """Steps of a run that ends after so many decisions."""
    world = make_world('household')
    for seed in range(_SEED, _SEED + 50):
        world.reset(f'generated:{seed}', f'{FAMILIES[seed % len(FAMILIES)]}:{seed}', seed)
        task = world.task()
        assert task is not None
        subgoals, plan = root_lesson(task, name_of)
        model = Recorder(ScriptedExpertModel(world.vocabulary().rooms, subgoals, plan))
        run = PlanRun(
            task.instruction,
            Ports(model, InProcessSkillServer(world), InProcessMemory(shipped_memory())),
            PlannerSettings(),
            Limits(decisions=decisions, steps=0),
            CancelToken(),
            lambda event: None,
        )
        try:
            ReAcTreePlanner().run(run)
        except LimitReached:
            pass
        model.close()
        if run.tree.decisions >= decisions:
            return model.steps
    raise SystemExit(f'no run of {decisions} decisions was found')


def play(steps: list[Step], player: Player) -> Played:
    """Play every step in order; sessions end after their last."""
    last = {step['session']: number for number, step in enumerate(steps)}
    last |= {
        step['new']: max(number, last.get(step['new'], 0))
        for number, step in enumerate(steps)
        if 'new' in step
    }
    played = Played(0.0)
    began = time.perf_counter()
    for number, step in enumerate(steps):
        session = step['session']
        match step['do']:
            case 'session':
                player.begin(session, step['text'])
            case 'append':
                player.append(session, step['text'])
            case 'fork':
                player.fork(session, step['new'])
            case 'select':
                played.selects += 1
                played.agreed += player.select(session, step['options'], step['index'])
            case 'generate':
                player.generate(session, step['answer'])
        for ended in [name for name, end in last.items() if end == number]:
            player.drop(ended)
    played.seconds = time.perf_counter() - began
    return played


class OurPlayer:
    """Through the model port."""

    def __init__(self, model: LlamaModel) -> None:
        self._model = model
        self._sessions: dict[int, LanguageSession] = {}
        self.choices: list[int] = []
        self.usage = LlmUsage()

    def begin(self, session: int, text: str) -> None:
        """Begin a session."""
        self._sessions[session] = self._model.session(CancelToken(), text)

    def append(self, session: int, text: str) -> None:
        """Add text."""
        self._sessions[session].append(text)

    def fork(self, session: int, new: int) -> None:
        """A second session with the same text."""
        self._sessions[new] = self._sessions[session].fork()

    def select(self, session: int, options: list[str], chosen: int) -> bool:
        """Choose in a fork; go on with it, or with the recorded option where that is another."""
        trial = self._sessions[session].fork()
        index = trial.select(options).index
        self.choices.append(index)
        if index == chosen:
            trial, self._sessions[session] = self._sessions[session], trial
        else:
            self._sessions[session].append(options[chosen])
        self._end(trial)
        return index == chosen

    def generate(self, session: int, text: str) -> None:
        """Generate in a fork, then take the recorded text."""
        trial = self._sessions[session].fork()
        trial.generate(stop=(), max_tokens=max(1, self._model.count_tokens(text)))
        self._end(trial)
        self._sessions[session].append(text)

    def _end(self, session: LanguageSession) -> None:
        self.usage += session.usage
        session.drop()

    def drop(self, session: int) -> None:
        """End a session."""
        self._end(self._sessions.pop(session))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--model', default='qwen2.5-coder-1.5b')
    parser.add_argument('--decisions', type=int, default=60)
    parser.add_argument('--context', type=int, default=8192, help='tokens')
    parser.add_argument('--guidance', action='store_true', help='play it to Guidance too')
    parser.add_argument(
        '--plain-weights',
        action='store_true',
        help="leave Guidance's weights as they are: where llama.cpp's AMX kernels crash",
    )
    arguments = parser.parse_args()
    path = resolve_model(arguments.model)
    with tempfile.TemporaryDirectory() as folder:
        steps = record(arguments.decisions)
        model = LlamaModel(
            path,
            LlamaOptions(arguments.context, state_directory=Path(folder, 'states')),
        )
        ours = OurPlayer(model)
        played = play(steps, ours)
        again = OurPlayer(model)
        warm = play(steps, again)
        model.close()
    print(f'{path.stem}, {os.cpu_count()} cores, {arguments.decisions} decisions')
    print(f'{len(steps)} requests, {played.selects} of them selects')
    for name, player, result in (('first run', ours, played), ('again', again, warm)):
        share = player.usage.evaluated_tokens / player.usage.prompt_tokens
        print(
            f'ours, {name}: {result.seconds:.1f} s, {player.usage.prompt_tokens} prompt tokens in '
            f'all contexts, {player.usage.evaluated_tokens} evaluated: {share:.1%} '
            '(wanted: under 15 %)'
        )
    if arguments.guidance:
        from benchmarks.comparisons.guidance_player import GuidancePlayer

        other = GuidancePlayer(path, arguments.context, arguments.plain_weights)
        theirs = play(steps, other)
        same = sum(left == right for left, right in zip(ours.choices, other.choices, strict=True))
        print(f'Guidance: {theirs.seconds:.1f} s')
        print(f'ratio, our first run: {theirs.seconds / played.seconds:.2f} (wanted: 2 or more)')
        print(f'same choice in {same} of {played.selects} selects')


if __name__ == '__main__':
    main()
