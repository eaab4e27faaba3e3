"""What each planner sends the model in each domain, as text to be read and compared.

    PYTHONPATH=src:test python -m support.sent_prompts                  # writes all files anew
    PYTHONPATH=src:test python -m support.sent_prompts webshop adapt    # prints one

A run begins in a world of the domain, with a model that answers by rule: it thinks, splits the
task once where it may, does a skill, gives up, plans. Every request is shown: whole where it
begins anew, else what has been added since the one that it goes on from.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, ExitStack
from functools import cache
from itertools import product
from pathlib import Path
from unittest import mock

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.seed.loader import shipped_experiences
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.cancellation import CancelToken
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.errors import ReactreeError
from reactree_core.observation import Observation, Vocabulary
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.runs.presets import settings_of_preset
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports, SkillServer
from reactree_tools.episode import InProcessMemory
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.registry import given_back, make_task_world
from sim_bridge.worlds.scienceworld import world as scienceworld
from sim_bridge.worlds.thor import offers
from support.science import SmallSimulator, TASKS
from support.small_warehouse import SmallWarehouse

FOLDER = Path(__file__).parents[1] / 'unit' / 'planner' / 'sent_prompts'
REGENERATE = 'PYTHONPATH=src:test python -m support.sent_prompts'
#: Planner -> preset; those that are left out send what one of these sends.
PLANNERS = {
    'reactree': 'default,decides=model,example_count=1',
    'react': 'published,example_count=1',
    'adapt': 'published',
    'plan_and_execute': 'published',
    'reflexion': 'published,trials=2',
    'tree_planner': 'published,plans.samples=2,plans.votes=1,example_count=1',
    'zero_shot': 'published,plans.step_samples=1',
    'iterative': 'published,example_count=1',
    'progprompt': 'published,example_count=1',
    'agentbench': 'published',
    'alfchat': 'published',
    'stateflow': 'published',
}
#: What else is kept -> planner and preset: ReAcTree as published, and the model as a reader.
PUBLISHED = {
    'reactree_published': ('reactree', 'published,example_count=1'),
    'reading': ('reactree', 'default,reading=model,example_count=1'),
}
#: Domain -> its world, and a task of it.
WORLDS = {
    'alfworld': ('alfworld', 'generated:1'),
    'household': ('household', 'generated:1'),
    'procworld': ('procworld', 'generated:1'),
    'programs': ('programs', 'generated:1'),
    'scienceworld': ('scienceworld', 'find-plant:3'),
    'textcraft': ('textcraft', 'generated:1'),
    'webshop': ('webshop', 'generated:7'),
}
NAMES = (*PLANNERS, *PUBLISHED)
DOMAINS = ('alfred', 'neutral', *WORLDS)
_MOST_REQUESTS = 14
#: Of planners that go on in the same way from request to request.
_FEWER = {
    'reading': 1,
    'iterative': 3,
    'agentbench': 3,
    'alfchat': 3,
    'stateflow': 4,
    'zero_shot': 2,
}
_SHOWN_OPTIONS = 6


def sent(domain: str, name: str) -> str:
    """The requests of one run, as text.

    :param name: one of `NAMES`; or any planner, as published.
    """
    planner, preset = PUBLISHED.get(name) or (name, PLANNERS.get(name, 'published'))
    with _server_of(domain) as (task, server):
        model = _Answers(server)
        memory = InProcessMemory(_examples() if planner in ('reactree', 'react') else None)
        run = PlanRun(
            task,
            Ports(model, server, memory, lambda: HashingEmbedder()),
            settings_of_preset(preset, planner),
            Limits(decisions=_MOST_REQUESTS),
            CancelToken(),
            lambda event: None,
        )
        try:
            carry_out(make_planner(planner), run)
        except ReactreeError as error:
            model.noted.append(f'(the run ends: {error})')
    head = f'{name} ({preset}) in {domain}. Written by: {REGENERATE}\n'
    return head + '\n'.join(model.noted[: _FEWER.get(name, _MOST_REQUESTS)]) + '\n'


def templates(domain: str) -> tuple[str, ...]:
    """Of the skills of its world."""
    with _server_of(domain) as (_, server):
        return server.list_skills(CancelToken())[0].templates


@cache
def _examples() -> EpisodicMemory:
    """The shipped examples, by their words alone: always the same ones."""
    memory = EpisodicMemory(SqliteStore(None), HashingEmbedder())
    memory.store(shipped_experiences())
    return memory


class _Answers(PolicyModel):
    """Answers by rule, and notes what it was asked."""

    def __init__(self, server: SkillServer) -> None:
        super().__init__(self._answer)
        self._server = server
        self._texts: list[str] = []
        self.noted: list[str] = []
        self._expanded = False
        self._acted: dict[str, int] = {}

    def _answer(self, text: str, options: Sequence[str] | None) -> int | str:
        answer = self._written(text) if options is None else self._chosen(text, options)
        said = options[answer] if isinstance(answer, int) and options else str(answer)
        self.noted.append(f'{self._asked(text, options)}\n---- answer: {said.strip()!r}\n')
        self._texts.append(text)
        return answer

    def _asked(self, text: str, options: Sequence[str] | None) -> str:
        number, before = max(
            ((number, _shared(text, other)) for number, other in enumerate(self._texts, 1)),
            key=lambda one: (one[1], one[0]),
            default=(0, 0),
        )
        goes_on = before > len(text) // 3
        begins = f', goes on from {number}' if goes_on else ''
        shown = text[before:] if goes_on else text
        told = '' if options is None else f'\n---- one of {_listed(options)}'
        return f'======== request {len(self._texts) + 1}{begins}\n{_shortened(shown)}{told}'

    def _chosen(self, text: str, options: Sequence[str]) -> int:
        names = [option.strip() for option in options]
        if 'Execution Order:' in names:
            return int('Step 3' in names[0])
        if 'Expand:' in names and not self._expanded and text.endswith('OK.\n'):
            self._expanded = True
            return names.index('Expand:')
        for thought in ('Think:', 'THOUGHT:'):
            if thought in names and not text.rstrip().endswith('OK.') and self._turn(text) % 2:
                return names.index(thought)
        for act in ('Act:', 'ACTION:'):
            if act in names:
                return names.index(act)
        if 'failure' in names:
            # A skill, then the end.
            return names.index('failure') if self._has_acted(text) else 0
        return 0

    def _turn(self, text: str) -> int:
        goal = _goal(text)
        self._acted[goal] = self._acted.get(goal, 0) + 1
        return self._acted[goal]

    def _has_acted(self, text: str) -> bool:
        own = text.rpartition('Your task is to: ')[2]
        return any(f'{act} ' in own for act in ('Act:', 'ACTION:'))

    def _written(self, text: str) -> str:
        skills = self._server.look(CancelToken()).admissible_skills or ('wait',)
        last = text.rpartition('\n')[2]
        if last == '- subgoals:':
            return ' do the first half, do the second half'
        if last.startswith('Step '):
            return f' do part {last[5:-1]}'
        if last == 'Execution Order:':
            return ' Step 1 AND Step 2'
        if last == '1.':
            return f' {skills[len(self._texts) % 2 % len(skills)]}\n2. done'
        if last == 'Act:':
            return f' {skills[0]}'
        if last == 'Answer:':
            return ' A'
        if last == 'Reflection:':
            return ' I gave up too early.'
        if last.startswith('def '):
            return '    # 1: done\n'
        if 'Assistant' in last:
            return f' THOUGHT: I do this first.\nACTION: {skills[0]}'
        return ' I do what the task needs.'


def _shortened(text: str) -> str:
    """A text with long lists of available actions cut."""
    kept: list[str] = []
    listed = None
    for line in text.split('\n'):
        if line == 'AVAILABLE ACTIONS:':
            listed = 0
        elif line.startswith(('Assistant', 'User:')):
            if listed is not None and listed > _SHOWN_OPTIONS:
                kept.append(f'[{listed - _SHOWN_OPTIONS} more of these lines]')
            listed = None
        elif listed is not None:
            listed += 1
            if listed > _SHOWN_OPTIONS:
                continue
        kept.append(line)
    return '\n'.join(kept)


def _shared(text: str, other: str) -> int:
    """Letters with which both begin, whole lines."""
    if text.startswith(other):
        return len(other)
    same = next(
        (place for place, (one, two) in enumerate(zip(text, other, strict=False)) if one != two),
        min(len(text), len(other)),
    )
    return text.rfind('\n', 0, same) + 1


def _goal(text: str) -> str:
    return text.rpartition('Your task is to: ')[2].partition('\n')[0]


def _listed(options: Sequence[str]) -> str:
    names = [option.strip() for option in options]
    more = len(names) - _SHOWN_OPTIONS - 2
    if more <= 0:
        return f'{len(names)}: {" | ".join(names)}'
    shown = (*names[:_SHOWN_OPTIONS], f'({more} more)', *names[-2:])
    return f'{len(names)}: {" | ".join(shown)}'


@contextmanager
def _server_of(domain: str) -> Iterator[tuple[str, SkillServer]]:
    """A task and what carries out its skills."""
    made: dict[str, Callable[[], tuple[str, SkillServer]]] = {
        'alfred': _alfred,
        'neutral': _warehouse,
    }
    if domain in made:
        yield made[domain]()
        return
    name, task = WORLDS[domain]
    with ExitStack() as stack:
        if domain == 'scienceworld':
            # Its own simulator needs Java.
            stack.enter_context(mock.patch.object(scienceworld, 'Simulator', SmallSimulator))
            stack.enter_context(mock.patch.object(scienceworld, 'task_names', lambda: TASKS))
        world = stack.enter_context(given_back(make_task_world(name)))

        def begin() -> None:
            world.reset(world.scene_of(1), task, 1)

        begin()
        told = world.task()
        assert told is not None
        yield told.instruction, InProcessSkillServer(world, begin)


class _Forklift(SmallWarehouse):
    """A robot of which only its skill server tells; it says where it is and what it sees."""

    def look(self, cancel: CancelToken) -> Observation:
        places = ', '.join(place for place, aisle in self.places.items() if aisle == self.aisle)
        held = ', '.join(self.held) or 'nothing'
        return self._observation(f'You are in {self.aisle}. You see {places}. You hold {held}.')

    def reset(self, cancel: CancelToken) -> None:
        self.aisle, self.place = 'aisle 1', ''


def _warehouse() -> tuple[str, SkillServer]:
    server = _Forklift(
        {'rack 1': 'aisle 1', 'bin 1': 'aisle 1', 'press 1': 'aisle 2'},
        {'crate 1': 'bin 1', 'pallet 1': 'rack 1'},
        says_where=True,
    )
    return 'Get the crate out of the way, onto the press.', server


class _Bedroom:
    """A room of AI2-THOR in which only what is there first is told; for its texts alone."""

    _FIRST = (
        'You are in the house, and you arrive at the bedroom, Looking quickly around the room, '
        'you see Bed (1), Desk (1), Drawer (1, 2), Shelf (1).'
    )

    def __init__(self) -> None:
        types = offers.SKILL_TYPES
        self.vocabulary = Vocabulary(
            tuple(one.template for one in types),
            ('Book', 'DeskLamp', 'Pillow'),
            ('Bed', 'Desk', 'Drawer', 'Shelf'),
            ('bedroom',),
            types,
            domain=offers.DOMAIN,
            about=offers.ABOUT,
        )

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        return self.vocabulary, self.look(cancel)

    def candidate_skills(self, cancel: CancelToken) -> tuple[str, ...]:
        return self.look(cancel).admissible_skills

    def look(self, cancel: CancelToken) -> Observation:
        places = ('Bed (1)', 'Desk (1)', 'Drawer (1)', 'Drawer (2)', 'Shelf (1)')
        return Observation(
            self._FIRST, admissible_skills=tuple(f'go to {place}' for place in places)
        )

    def progress(self, cancel: CancelToken) -> None:
        return None

    def reset(self, cancel: CancelToken) -> None:
        return None

    def execute(self, sequence: int, node_id: int, skill: str, cancel: CancelToken) -> Observation:
        text = 'You arrive at Bed (1). You see Pillow (1), Book (1), Bed (1).'
        seen = self.look(cancel).admissible_skills
        return Observation(
            text, skill=skill, sequence=sequence, node_id=node_id, admissible_skills=seen
        )


def _alfred() -> tuple[str, SkillServer]:
    return 'Examine a book by the light of a lamp.', _Bedroom()


def file_of(domain: str, planner: str) -> Path:
    """Where it is kept."""
    return FOLDER / domain / f'{planner}.txt'


def main(asked: Sequence[str]) -> None:
    """Print those asked for, or write them all."""
    if asked:
        for planner in asked[1:] or NAMES:
            sys.stdout.write(f'{sent(asked[0], planner)}\n')
        return
    for domain, planner in product(DOMAINS, NAMES):
        file = file_of(domain, planner)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(sent(domain, planner), encoding='utf-8')


if __name__ == '__main__':
    main(sys.argv[1:])
