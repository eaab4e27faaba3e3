"""`select` among 20 and 80 skills with the prompt in the cache; likelihood; reload of a prefix.

Then one choice among 10,000 groundings of a skill with two slots, slot by slot and as one list.
Same GGUF file, same machine, one run. With `--guidance` the same choices through Guidance's
`select` on llama-cpp-python (needs requirements/benchmarks.txt).

    scripts/with_ros python -m benchmarks.select_options [--guidance]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from memory_server.seed.loader import shipped_experiences
from reactree_core.cancellation import CancelToken
from reactree_core.domain import load_domain
from reactree_core.observation import Observation, Progress, Vocabulary
from reactree_core.ports import Strategy
from reactree_core.record.run_settings import Limits
from reactree_planner.agents import skill_choice
from reactree_planner.agents.node_context import NodeContext
from reactree_planner.agents.skill_choice import SkillChoice
from reactree_planner.llm.llama import LlamaModel, LlamaOptions
from reactree_planner.llm.llama.engine import LlamaEngine
from reactree_planner.llm.models import resolve_model
from reactree_planner.llm.token_trie import build_trie, TokenTree
from reactree_planner.prompting.reactree_prompt import PromptParts
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory
from sim_bridge.worlds.registry import make_world

_SEED = 5001
_INGREDIENTS = tuple(
    f'{word} {number}'
    for word in ('salt', 'water', 'flour', 'sugar', 'oil', 'rice', 'milk', 'tea', 'soap', 'sand')
    for number in range(1, 11)
)
_MIXING = 'mix salt 3 with water 7'
_SHELVES = 'You stand before ten shelves.'
_TASKS = (
    'find and pick up apple',
    'put down plate on kitchen table',
    'turn on dishwasher',
    'open fridge',
    'find and pick up cutlery fork in living room 1',
    'find and pick up juice in kitchen 1',
    'put down pudding in fridge',
    'find and pick up wine glass',
)


def prompt_head() -> str:
    """System text and two examples, as in a run."""
    examples = tuple(experience.trajectory for experience in shipped_experiences()[:2])
    system = load_domain('household').prompt('reactree', Vocabulary())
    return PromptParts(system, examples, '', '').head


def situations(count: int) -> list[tuple[str, list[str]]]:
    """Texts to go on from, each with so many skills of a generated home."""
    world = make_world('household')
    found = []
    for number, task in enumerate(_TASKS):
        world.reset(f'generated:{_SEED + number}', '', _SEED + number)
        seen = world.observe()
        skills = sorted({*world.admissible_skills(), *world.candidate_skills()})
        classes = world.vocabulary().object_classes
        skills += [f'recall location of {name}' for name in classes]
        spread = skills[:: max(1, len(skills) // count)][:count]
        found.append(
            (f'Your task is to: {task}\n{seen.text}\nAct:', [f' {skill}\n' for skill in spread])
        )
    return found


def branching_points(engine: LlamaEngine, options: list[str], chosen: int) -> int:
    """Places on the way to the chosen option where options part."""
    node = build_trie([engine.tokenize(option, first=False) for option in options])
    count = 0
    for token in engine.tokenize(options[chosen], first=False):
        count += len(node.children) + bool(node.ends) > 1
        node = node.children[token]
    return count


class Stopwatch:
    """Seconds spent inside the runtime's decode calls."""

    def __init__(self, engine: LlamaEngine) -> None:
        self.seconds = 0.0
        decode = engine.decode_rows

        def timed(*arguments: Any) -> None:
            began = time.perf_counter()
            try:
                decode(*arguments)
            finally:
                self.seconds += time.perf_counter() - began

        engine.decode_rows = timed  # type: ignore[method-assign,assignment]


def measure(model: LlamaModel, head: str, count: int, strategy: Strategy) -> list[int]:
    """Print the line of one table row; the choices made."""
    engine = model.engine
    assert isinstance(engine, LlamaEngine)
    watch = Stopwatch(engine)
    times, own, calls, points, tokens, wanted = [], [], 0, 0, 0, 0
    choices = []
    for text, options in situations(count):
        session = model.session(CancelToken(), head)
        session.append(text)
        session.fork().drop()
        before, decoded = session.usage.evaluated_tokens, engine.decode_calls
        inside = watch.seconds
        began = time.perf_counter()
        index = session.select(options, strategy).index
        spent = time.perf_counter() - began
        times.append(spent)
        own.append(spent - (watch.seconds - inside))
        calls += engine.decode_calls - decoded
        tokens += session.usage.evaluated_tokens - before
        # The first branching point is read from the logits of the prompt.
        points += branching_points(engine, options, index) - 1
        wanted += len(
            TokenTree.of([engine.tokenize(option, first=False) for option in options]).tokens
        )
        choices.append(index)
        session.drop()
    if strategy is Strategy.CONSTRAINED:
        assert calls == points, (calls, points)
        said = f'{calls} model calls = branching points after the first'
        wanted_own = ' (wanted: under 5)'
    else:
        assert tokens == wanted, (tokens, wanted)
        said = f'{tokens} tokens = distinct tokens of the tries, in {calls} batches'
        wanted_own = ''
    print(
        f'{count} skills, {strategy.value}: median {statistics.median(times) * 1e3:.0f} ms, own '
        f'{statistics.median(own) * 1e3:.1f} ms{wanted_own}, {said}'
    )
    return choices


def reload(path: Path, context: int, head: str) -> None:
    """Print how long a saved prefix takes to come back, and that it says the same."""
    text, options = situations(20)[0]
    with tempfile.TemporaryDirectory() as folder:
        answers = []
        for _ in range(2):
            model = LlamaModel(path, LlamaOptions(context, state_directory=Path(folder)))
            began = time.perf_counter()
            session = model.session(CancelToken(), head)
            spent = time.perf_counter() - began
            session.append(text)
            answers.append(session.select(options, Strategy.LIKELIHOOD))
            tokens = model.count_tokens(head)
            model.close()
    assert answers[0] == answers[1], answers
    print(
        f'prefix of {tokens} tokens from disk: {spent * 1e3:.0f} ms (wanted: under 50), same '
        'log-probabilities'
    )


class Kitchen:
    """A skill server with 10,000 things to do: `mix <first> with <second>`."""

    vocabulary = Vocabulary(('mix <first> with <second>',))
    skills = tuple(f'mix {one} with {other}' for one in _INGREDIENTS for other in _INGREDIENTS)

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        """What can be done."""
        return self.vocabulary, self.look(cancel)

    def look(self, cancel: CancelToken) -> Observation:
        """What is seen."""
        return Observation(_SHELVES, admissible_skills=self.skills)

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        """All of it."""
        return self.skills

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        """Whatever is asked."""
        return replace(self.look(cancel), text='Mixed.', skill=skill, sequence=sequence)

    def progress(self, cancel: CancelToken) -> Progress | None:
        """Nobody judges."""
        return None

    def reset(self, cancel: CancelToken) -> None:
        """Nothing is put back."""


def measure_groundings(model: LlamaModel) -> None:
    """Print what one choice among 10,000 groundings costs, in both ways."""
    server = Kitchen()
    seconds, tokens, chosen = [], [], []
    most = skill_choice.MOST_AT_ONCE
    for at_once in (most, most, len(server.skills)):  # the first warms up
        skill_choice.MOST_AT_ONCE = at_once
        ports = Ports(model, server, InProcessMemory())
        run = PlanRun(
            _MIXING, ports, PlannerSettings(), Limits(), CancelToken(), lambda event: None
        )
        run.start('react')
        parts = PromptParts(
            run.prompts.text('executor'), (), f'Your task is to: {_MIXING}\n', _SHELVES
        )
        context = NodeContext(run, _MIXING, parts)
        context.session.append('Act:')
        context.session.fork().drop()
        choice = SkillChoice(run.world, context)
        before = context.session.usage.evaluated_tokens
        began = time.perf_counter()
        chosen.append(choice.choose(server.skills))
        seconds.append(time.perf_counter() - began)
        tokens.append(context.session.usage.evaluated_tokens - before)
        context.end()
    skill_choice.MOST_AT_ONCE = most
    print(
        f'{len(server.skills):,} groundings of {server.vocabulary.templates[0]!r}: slot by slot '
        f'{seconds[1]:.2f} s ({chosen[1]}, {tokens[1]} tokens), as one list {seconds[2]:.2f} s '
        f'({chosen[2]}, {tokens[2]} tokens): {seconds[2] / seconds[1]:.1f} times as long'
    )


def compared(
    name: str, ours: list[int], choose: Callable[[str, list[str]], int], count: int
) -> None:
    """Print another system's time for the same choices."""
    times, choices = [], []
    for text, options in situations(count):
        choose(text, options[:2])
        began = time.perf_counter()
        choices.append(choose(text, options))
        times.append(time.perf_counter() - began)
    same = sum(left == right for left, right in zip(ours, choices, strict=True))
    print(
        f'{count} skills, {name}: median {statistics.median(times) * 1e3:.0f} ms, same choice in '
        f'{same} of {len(ours)}'
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--model', default='qwen2.5-coder-1.5b')
    parser.add_argument('--context', type=int, default=8192, help='tokens')
    parser.add_argument('--guidance', action='store_true', help='compare with Guidance')
    parser.add_argument(
        '--plain-weights',
        action='store_true',
        help="leave Guidance's weights as they are: where llama.cpp's AMX kernels crash",
    )
    arguments = parser.parse_args()
    path = resolve_model(arguments.model)
    head = prompt_head()
    print(f'{path.stem}, {os.cpu_count()} cores, {len(_TASKS)} choices each')
    model = LlamaModel(path, LlamaOptions(arguments.context))
    ours = {count: measure(model, head, count, Strategy.CONSTRAINED) for count in (20, 80)}
    for count in (20, 80):
        measure(model, head, count, Strategy.LIKELIHOOD)
    measure_groundings(model)
    model.close()
    reload(path, arguments.context, head)
    if arguments.guidance:
        from benchmarks.comparisons.guidance_player import GuidancePlayer

        player = GuidancePlayer(path, arguments.context, arguments.plain_weights)
        for count in (20, 80):
            compared(
                'Guidance',
                ours[count],
                lambda text, options: player.choose(head + text, options),
                count,
            )


if __name__ == '__main__':
    main()
