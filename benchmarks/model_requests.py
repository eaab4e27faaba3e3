"""What a strong model behind a server is asked: requests, tokens, what is sent again.

Ten household tasks are planned for servers on loopback that answer as a strong model would: by
rules that know the goal (the teacher of the shipped memory), with a thought at the beginning of
each node. Three servers are played: a hosted one (chat, JSON schemas), one with chat alone, and
vLLM (raw completions, structured outputs). No model runs, so the figures are the same on any
machine.

    python -m benchmarks.model_requests
    python -m benchmarks.model_requests --beside FOLDER   # an older checkout, in the same run

* requests a decision: of those that were not taken by facts
* tokens: a quarter of the letters, of the messages and, behind `+`, of the JSON schema
* begun before: share of a request (schema and messages) that an earlier one of the run began with
* solved: by the teacher, and (`--chance`) by a model that answers by chance; nothing here is about
  planning
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelError
from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind, Event
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.openai_server.model import OpenAiServerModel
from reactree_planner.runs.presets import settings_of_preset
from reactree_tools.episode import InProcessMemory, plan_episode, shipped_memory
from reactree_tools.seed_memory.expert_models import ScriptedExpertModel, TeacherSession
from reactree_tools.seed_memory.writing import teacher_for
from sim_bridge.worlds.household.tasks import FAMILIES
from sim_bridge.worlds.registry import make_world

HOSTED, CHAT_ALONE, RAW = 'hosted', 'chat alone', 'vLLM'
SERVERS = (HOSTED, CHAT_ALONE, RAW)
TASKS = 10
_FIRST_SEED = 9501
_LETTERS_A_TOKEN = 4
#: Decisions of a model that answers by chance.
_BY_CHANCE = Limits(decisions=40, steps=40)
_WAYS = ('Act:', 'Think:', 'Expand:')
_ENDS = ('done', 'failure')
_DECIDED = re.compile(
    r'\n\n(?:A thought (?:may come|comes) first|No thought comes now)\.(?: Options:\n(.*))?\Z',
    re.DOTALL,
)
_LISTED = re.compile(r'\n\n(?:A line like [^\n]*\n)?Options:\n((?:- [^\n]*\n?)*)\Z')
_TOLD_RAW = re.compile(r'\(What comes next is one of: .*\)\n(?=[^\n]*\Z)')
_NAMES = re.compile(r'(.*) <one of: (.*)>')
_KINDS = (DecisionKind.THINK, DecisionKind.ACT, DecisionKind.EXPAND)
#: How models write one option, {}; see test/unit/llm/test_written_answers.py.
_FRAMES = (
    '{}', '\n{}', '{}.', '"{}"', '`{}`', '**{}**', '- {}', '* {}', '1. {}', '2) {}', 'Act: {}',
    'Act {}', 'ACTION: {}', 'Answer: {}', 'Sure!\n{}', '```\n{}\n```', '{{"choice": "{}"}}',
    '```json\n{{"choice": "{}"}}\n```', 'Here it is: {{"choice": "{}"}}',
    '<think>open fridge 1?</think>\n{}',
)  # fmt: skip
_WORDS = ('pick up apple 1', 'Pick up apple 1.', 'pick up apple (1)')
_OFFERED = (' pick up apple 1\n', ' pick up apple 12\n', ' open fridge 1\n', ' done\n')

#: Given a text and the options behind it (None: free text): an option, or what comes next.
Brain = Callable[[str, Sequence[str] | None], str]


def strong(teacher: ScriptedExpertModel, events: Sequence[Event]) -> Brain:
    """As the teacher, with a thought first in each node, and nothing that cannot be done.

    :param events: of the run so far.
    """

    def answer(text: str, options: Sequence[str] | None) -> str:
        session = TeacherSession(teacher, text)
        if options is None:
            return session.generate()
        node = text.rpartition('Your task is to: ')[2]
        if 'Think:' in options and 'Think:' not in node:
            return 'Think:'
        seen = next(one for one in reversed(events) if isinstance(one, Observation))
        possible = {*seen.admissible_skills, *_ENDS}
        good = [one for one in options if one in possible or one.startswith('recall ')]
        good = good or list(options)
        return good[session.select(good).index]

    return answer


def by_chance(seed: int) -> Brain:
    """Any option, and words of the text."""
    source = random.Random(seed)

    def answer(text: str, options: Sequence[str] | None) -> str:
        return source.choice(options) if options else ' '.join(text.split()[-4:])

    return answer


@dataclass
class Asked:
    """The requests of one run."""

    messages: int = 0
    schemas: int = 0
    again: int = 0
    count: int = 0
    _texts: list[str] = field(default_factory=list)

    def add(self, body: dict[str, Any]) -> None:
        """Count one."""
        schema = json.dumps(body['response_format']) if 'response_format' in body else ''
        messages = body.get('prompt') or ''.join(
            f'{one["role"]}: {one["content"]}\n' for one in body['messages']
        )
        text = schema + messages
        self.again += max((_alike(text, one) for one in self._texts), default=0)
        self._texts.append(text)
        self.messages += len(messages)
        self.schemas += len(schema)
        self.count += 1

    @property
    def share_again(self) -> float:
        """Of all letters, those with which an earlier request began too."""
        return self.again / max(1, self.messages + self.schemas)


def _alike(one: str, other: str) -> int:
    """Letters with which both begin."""
    pairs = zip(one, other, strict=False)
    shorter = min(len(one), len(other))
    return next((at for at, (mine, its) in enumerate(pairs) if mine != its), shorter)


class ModelServer:
    """One of the three on loopback. :ivar brain: who answers. :ivar asked: what was asked."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.brain: Brain = by_chance(0)
        self.asked = Asked()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            wbufsize = 65536

            def log_message(self, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                self._send(*outer.told(self.path))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
                self._send(*outer.answered(self.path, body))

            def _send(self, status: int, value: object) -> None:
                content = json.dumps(value).encode()
                self.send_response(status)
                self.send_header('Content-Length', str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        self.http = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.http.daemon_threads = True

    @property
    def url(self) -> str:
        """Where it is."""
        return f'http://127.0.0.1:{self.http.server_port}'

    def told(self, path: str) -> tuple[int, object]:
        """What a GET answers."""
        if path == '/v1/models':
            return 200, {'data': [{'id': 'strong', 'max_model_len': 131_072}]}
        if path == '/version' and self.kind == RAW:
            return 200, {'version': '0.12.0'}
        return 404, {'error': {'message': 'Not Found'}}

    def answered(self, path: str, body: dict[str, Any]) -> tuple[int, object]:
        """What a POST answers."""
        is_chat = path.endswith('/chat/completions')
        if path.endswith('/tokenize'):
            return 200, {'tokens': [0] * (len(body['prompt']) // _LETTERS_A_TOKEN)}
        if is_chat == (self.kind == RAW):
            return 404, {'error': {'message': 'Not Found'}}
        if 'response_format' in body and self.kind != HOSTED:
            return 400, {'error': {'message': 'response_format is not supported'}}
        self.asked.add(body)
        text = self._chat(body) if is_chat else self._raw(body)
        said = {'message': {'role': 'assistant', 'content': text}} if is_chat else {'text': text}
        return 200, {'choices': [said | {'finish_reason': 'stop'}]}

    def _raw(self, body: dict[str, Any]) -> str:
        text = _TOLD_RAW.sub('', body['prompt'])
        choices = (body.get('structured_outputs') or {}).get('choice')
        if not choices:
            return f' {self.brain(text, None).strip()}'
        labels = [choice.strip() for choice in choices]
        return str(choices[labels.index(self._chosen(text, labels))])

    def _chat(self, body: dict[str, Any]) -> str:
        told, content = body['messages'][0]['content'], body['messages'][-1]['content']
        form = body.get('response_format') or {}
        decided = _DECIDED.search(content)
        if decided is not None:
            always = told.partition('Always an option:\n')[2]
            return self._decision(content[: decided.start()], listed(decided[1] or '', always))
        listed_options = _LISTED.search(content)
        if listed_options is None:
            return self.brain(content, None)
        chosen = self._chosen(content[: listed_options.start()], listed(listed_options[1]))
        return json.dumps({'choice': chosen}) if form else chosen

    def _decision(self, text: str, options: list[str]) -> str:
        thought = ''
        skills = [one for one in options if not one.startswith('expand: ')]
        flows = [one.removeprefix('expand: ') for one in options if one not in skills]
        ways = ['Act:', *(['Expand:'] if flows else [])]
        if 'Think:' not in text.rpartition('Your task is to: ')[2]:
            thought = self.brain(f'{text}Think:', None).strip()
        way = self.brain(f'{text}Think: {thought}\nOK.\n' if thought else text, ways)
        if way == 'Act:':
            return json.dumps(
                {'thought': thought, 'choice': self.brain(f'{text}Act:', skills), 'subgoals': []}
            )
        flow = self.brain(f'{text}Expand:\n- control flow:', flows)
        row = self.brain(f'{text}Expand:\n- control flow: {flow}\n- subgoals:', None)
        subgoals = [one.strip() for one in row.split(', ')]
        return json.dumps({'thought': thought, 'choice': f'expand: {flow}', 'subgoals': subgoals})

    def _chosen(self, text: str, labels: list[str]) -> str:
        skills = [label.removeprefix('Act: ') for label in labels if label.startswith('Act: ')]
        if not skills:
            return self.brain(text, labels)
        # All that comes next in one choice.
        ways = ['Act:', *(label for label in labels if label in _WAYS)]
        way = self.brain(text, ways)
        return f'Act: {self.brain(f"{text}Act:", skills)}' if way == 'Act:' else way


def listed(*lists: str) -> list[str]:
    """The options of lists in a prompt, each name by itself."""
    options: list[str] = []
    for line in '\n'.join(lists).splitlines():
        label = line.removeprefix('- ')
        told = _NAMES.fullmatch(label)
        if told is None:
            options.append(label)
            continue
        names = [name for one in told[2].split('; ') for name in _names(one)]
        options += [f'{start} {name}' for start in told[1].split(', ') for name in names]
    return [option for option in options if option]


def _names(told: str) -> list[str]:
    numbered = re.fullmatch(r'(.*) \((.*)\)', told)
    return [f'{numbered[1]} {one}' for one in numbered[2].split(', ')] if numbered else [told]


@contextmanager
def served(kind: str) -> Iterator[tuple[ModelServer, OpenAiServerModel]]:
    """A server, and a model that asks it."""
    server = ModelServer(kind)
    thread = threading.Thread(target=server.http.serve_forever, args=(0.05,))
    thread.start()
    model = OpenAiServerModel(server.url, max_retries=0)
    try:
        yield server, model
    finally:
        model.close()
        server.http.shutdown()
        server.http.server_close()
        thread.join()


@dataclass
class Row:
    """What the tasks came to with one preset and server."""

    requests: int = 0
    decisions: int = 0
    messages: int = 0
    schemas: int = 0
    again: int = 0
    solved: int = 0
    solved_by_chance: int | None = None

    def text(self, name: str) -> str:
        """A line of the table."""
        letters = max(1, self.messages + self.schemas)
        chance = '' if self.solved_by_chance is None else self.solved_by_chance
        tokens = self.messages // _LETTERS_A_TOKEN, self.schemas // _LETTERS_A_TOKEN
        return (
            f'| {name} | {self.requests} | {self.decisions} '
            f'| {self.requests / max(1, self.decisions):.2f} | {tokens[0]:,} + {tokens[1]:,} '
            f'| {self.again / letters:.2f} | {self.solved} | {chance} |'
        )


def measured(preset: str, kind: str, tasks: int, memory: InProcessMemory, chance: bool) -> Row:
    """Plan the tasks. :param chance: by chance too."""
    row = Row()
    for number in range(tasks):
        family = FAMILIES[number % len(FAMILIES)]
        seed = _FIRST_SEED + number
        for is_chance in (False, True) if chance else (False,):
            world = make_world('household')
            world.reset(f'generated:{seed}', f'{family}:{seed}', seed)
            events: list[Event] = []
            with served(kind) as (server, model):
                server.brain = by_chance(seed) if is_chance else strong(teacher_for(world), events)
                limits = _BY_CHANCE if is_chance else Limits()
                settings = settings_of_preset(preset, 'reactree')
                episode = plan_episode(world, model, memory, settings, limits, watch=events.append)
            if is_chance:
                row.solved_by_chance = (row.solved_by_chance or 0) + episode.goal_met
                continue
            row.solved += episode.goal_met
            row.decisions += sum(map(_is_asked, events))
            row.requests += server.asked.count
            row.messages += server.asked.messages
            row.schemas += server.asked.schemas
            row.again += server.asked.again
    return row


def _is_asked(event: Event) -> bool:
    if not isinstance(event, Decision) or event.kind not in _KINDS:
        return False
    # What facts have decided tells why.
    return event.kind is not DecisionKind.ACT or not event.text


def _always(answer: str, text: str, options: Sequence[str] | None) -> str:
    return answer


def lost() -> tuple[int, int]:
    """Answers in natural variations that were taken for none, and how many there are."""
    answers = [frame.format(words) for frame in _FRAMES for words in _WORDS]
    failed = 0
    for answer in answers:
        with served(CHAT_ALONE) as (server, model):
            server.brain = partial(_always, answer)
            session = model.session(CancelToken(), 'Your task is to: take an apple\nAct:')
            try:
                failed += session.select(_OFFERED).index != 0 or server.asked.count != 1
            except ModelError:
                failed += 1
    return failed, len(answers)


def main(words: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--tasks', type=int, default=TASKS)
    parser.add_argument('--presets', nargs='+', default=['published', 'default,decides=model'])
    parser.add_argument('--servers', nargs='+', default=SERVERS, choices=SERVERS)
    parser.add_argument('--chance', action='store_true', help='a model that chooses by chance too')
    parser.add_argument('--beside', default='', help='another checkout, measured first')
    asked = parser.parse_args(words)
    if asked.beside:
        root = Path(asked.beside).resolve()
        print(f'{root.name}:', flush=True)
        path = f'{root / "src"}{os.pathsep}{Path.cwd()}'
        again = ['--tasks', str(asked.tasks), '--presets', *asked.presets]
        again += ['--servers', *asked.servers]
        command = [sys.executable, '-m', 'benchmarks.model_requests', *again]
        subprocess.run(command, env=os.environ | {'PYTHONPATH': path}, check=True)
        print('here:')
    print(
        '| preset, server | requests | decisions | requests a decision | tokens sent '
        '| begun before | solved | by chance |\n|---|---|---|---|---|---|---|---|'
    )
    memory = InProcessMemory(shipped_memory())
    for preset in asked.presets:
        for kind in asked.servers:
            print(
                measured(preset, kind, asked.tasks, memory, asked.chance).text(
                    f'{preset}, {kind}'
                ),
                flush=True,
            )
    failed, count = lost()
    print(f'\nAnswers lost: {failed} of {count}')


if __name__ == '__main__':
    main()
