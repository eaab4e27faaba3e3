"""One choice among skills, and a JSON object, beside the field's constrained decoders.

The same GGUF file in one process, over the logits of one engine: what differs is what a library
does between two model calls, and how many it needs. The prompt is in the cache. All of them answer
every question, one after the other, and each time stands beside ours for the same question. Times
are processor time of the process, with one thread for the model: other load counts little.

    PYTHONPATH=~/decoders scripts/with_ros python -m benchmarks.decoders [--without Outlines]

~/decoders: see requirements/decoders.txt.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks.comparisons.decoders import Constraint, Decoder, DECODERS, Words
from benchmarks.select_options import prompt_head, situations
from reactree_core.cancellation import CancelToken
from reactree_planner.llm.in_process.session import InProcessSession
from reactree_planner.llm.llama import LlamaModel, LlamaOptions
from reactree_planner.llm.llama.engine import LlamaEngine
from reactree_planner.llm.models import resolve_model

OURS = 'ours'
_KINDS = ('act', 'think', 'expand')
_REASON = 40
_THINGS = tuple(
    f'{word} {number}'
    for word in ('salt', 'water', 'flour', 'sugar', 'oil', 'rice', 'milk', 'tea', 'soap', 'sand')
    for number in range(1, 11)
)
#: 10,000 skills of two slots.
_SLOTS = ([' mix '], _THINGS, [' with '], _THINGS, ['\n'])
_MIXING = 'Your task is to: mix salt 3 with water 7\nYou stand before ten shelves.\nAct:'


@dataclass
class Answer:
    """What one decoder answered, and what it took.

    :param seconds: in all; of them `inside` the engine, and `prepared` before the first token.
    """

    text: str
    seconds: float
    inside: float
    prepared: float
    calls: int


Ask = Callable[[InProcessSession], Answer]


class Bench:
    """One model, and all who choose by it."""

    def __init__(self, model: LlamaModel, rounds: int) -> None:
        assert isinstance(model.engine, LlamaEngine)
        self._model = model
        self._engine = model.engine
        self._rounds = rounds
        self._words = Words(model.engine)
        self.decoders: dict[str, Decoder] = {}
        for kind in DECODERS:
            began = time.process_time()
            self.decoders[kind.name] = kind(self._words)
            print(f'{kind.name}: vocabulary in {time.process_time() - began:.1f} s, once')
        self._inside = 0.0
        decode = model.engine.decode_rows

        def timed(*arguments: Any) -> None:
            began = time.process_time()
            try:
                decode(*arguments)
            finally:
                self._inside += time.process_time() - began

        model.engine.decode_rows = timed  # type: ignore[method-assign,assignment]

    def measured(
        self, session: InProcessSession, ask: Callable[[InProcessSession], tuple[str, float]]
    ) -> Answer:
        """Ask in a fork of a session whose prompt is evaluated."""
        fork = session.fork()
        with self._model.lock:
            fork.evaluated_text.logits()
        inside, calls = self._inside, self._engine.decode_calls
        began = time.process_time()
        text, prepared = ask(fork)
        seconds = time.process_time() - began
        fork.drop()
        return Answer(
            text, seconds, self._inside - inside, prepared, self._engine.decode_calls - calls
        )

    def written(
        self, session: InProcessSession, make: Callable[[], Constraint], end: bytes
    ) -> tuple[str, float]:
        """The likeliest text under a constraint, and how long the constraint took to make."""
        began = time.process_time()
        constraint = make()
        prepared = time.process_time() - began
        evaluated, text = session.evaluated_text, b''
        with self._model.lock:
            while True:
                tokens = constraint.forced()
                evaluated.append(tokens)
                text += b''.join(map(self._words.pieces.__getitem__, tokens))
                if text.endswith(end):
                    return text.decode(), prepared
                logits = np.where(constraint.allowed(), evaluated.logits(), -np.inf)
                token = int(logits.argmax())
                constraint.take(token)
                evaluated.append([token])
                text += self._words.pieces[token]
                if text.endswith(end):
                    return text.decode(), prepared

    def row(self, name: str, prompts: Sequence[tuple[str, dict[str, Ask]]]) -> None:
        """Print how all answer, beside us. :param prompts: each with who is asked, and how."""
        answers: dict[str, list[Answer]] = {}
        for number, (prompt, asks) in enumerate(list(prompts) * self._rounds):
            session = self._model.session(CancelToken(), prompt_head())
            session.append(prompt)
            with self._model.lock:
                session.evaluated_text.logits()
            # Nobody is always the first.
            order = list(asks)
            for who in order[number % len(order) :] + order[: number % len(order)]:
                answers.setdefault(who, []).append(asks[who](session))
            session.drop()
        ours = answers[OURS]
        for who, theirs in answers.items():
            pairs = list(zip(theirs, ours, strict=True))
            ratio = statistics.median(one.seconds / own.seconds for one, own in pairs)
            same = sum(one.text == own.text for one, own in pairs)
            outside = [one.seconds - one.inside for one in theirs]
            print(
                f'{name} | {who} | {ratio:.1f} | '
                f'{statistics.median(one.seconds for one in theirs) * 1e3:,.0f} ms | '
                f'{statistics.median(outside) * 1e3:,.1f} ms | '
                f'{statistics.median(one.prepared for one in theirs) * 1e3:,.1f} ms | '
                f'{sum(one.calls for one in theirs) / len(theirs):.1f} | '
                f'{same} of {len(pairs)}',
                flush=True,
            )

    def about_choice(
        self, slots: Sequence[Sequence[str]], without: Sequence[str] = ()
    ) -> dict[str, Ask]:
        """Who is asked for one text of each slot, and how. :param without: who is not asked."""
        ours = partial(_choose, slots)
        return self._asks(lambda decoder: decoder.choice(slots), b'\n', ours, without)

    def about_object(self, options: Sequence[str]) -> dict[str, Ask]:
        """Who is asked for an object of `schema_of` some skills, and how."""
        skills = [option.strip() for option in options]
        schema = schema_of(skills)
        ours = partial(_write_object, skills)
        return self._asks(lambda decoder: decoder.schema(schema), b'}', ours)

    def _asks(
        self,
        make: Callable[[Decoder], Constraint],
        end: bytes,
        ours: Callable[[InProcessSession], str],
        without: Sequence[str] = (),
    ) -> dict[str, Ask]:
        def by(decoder: Decoder) -> Ask:
            return lambda session: self.measured(
                session, lambda fork: self.written(fork, lambda: make(decoder), end)
            )

        return {
            OURS: lambda session: self.measured(session, lambda fork: (ours(fork), 0.0)),
            **{name: by(one) for name, one in self.decoders.items() if name not in without},
        }


def _choose(slots: Sequence[Sequence[str]], session: InProcessSession) -> str:
    """One text of each slot by our `select`; where there is but one, it is not asked for."""
    found = ''
    for slot in slots:
        if len(slot) == 1:
            session.append(slot[0])
            found += slot[0]
        else:
            found += slot[session.select(slot).index]
    return found


def _write_object(skills: Sequence[str], session: InProcessSession) -> str:
    """The object of `schema_of` by our `select` and `generate`."""
    slots = ['{"kind": "'], _KINDS, ['", "skill": "'], skills, ['", "reason": "']
    head = _choose(slots, session)
    reason = session.generate(('"',), _REASON)[:_REASON]
    return f'{head}{reason}"}}'


def schema_of(skills: Sequence[str]) -> dict[str, Any]:
    """An object of three fields: what kind of decision, which skill, and why."""
    fields = {
        'kind': {'enum': list(_KINDS)},
        'skill': {'enum': list(skills)},
        'reason': {'type': 'string', 'maxLength': _REASON},
    }
    return {
        'type': 'object',
        'properties': fields,
        'required': list(fields),
        'additionalProperties': False,
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--model', default='qwen2.5-coder-1.5b')
    parser.add_argument('--context', type=int, default=8192, help='tokens')
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--most', type=int, default=8, help='situations of each kind')
    parser.add_argument(
        '--without', action='append', default=[], help='decoder that is not asked for 10,000'
    )
    arguments = parser.parse_args()
    packages = ('ik-llama-cpp-python', 'llguidance', 'xgrammar', 'outlines-core')
    print(', '.join(f'{name} {version(name)}' for name in packages))
    path = resolve_model(arguments.model)
    print(f'{path.stem}, {os.cpu_count()} cores, 1 thread')
    model = LlamaModel(path, LlamaOptions(arguments.context, threads=1))
    bench = Bench(model, arguments.rounds)
    print('question | who | times ours | median | outside the model | to prepare | calls | same')
    for count in (20, 80):
        found = situations(count)[: arguments.most]
        prompts = [(text, bench.about_choice([options])) for text, options in found]
        bench.row(f'{count} skills', prompts)
    bench.row(
        'JSON object, 3 fields',
        [
            (f'{text.removesuffix("Act:")}As JSON: ', bench.about_object(options))
            for text, options in situations(20)[: arguments.most]
        ],
    )
    skills = [f' mix {one} with {other}\n' for one in _THINGS for other in _THINGS]
    bench.row('10,000 skills, as 2 slots', [(_MIXING, bench.about_choice(_SLOTS))])
    as_list = bench.about_choice([skills], arguments.without)
    bench.row('10,000 skills, as a list', [(_MIXING, as_list)])
    model.close()


if __name__ == '__main__':
    main()
