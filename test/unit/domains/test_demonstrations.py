"""Demonstrations in prompts: of the world that they are read in, and played there."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from reactree_core.domain import load_domain
from reactree_core.record.trajectory_text import quoted
from reactree_planner.planners.plan import parse_expression, Step
from reactree_planner.prompting.reactree_prompt import with_demonstrations
from reactree_tools.seed_memory.demonstrators import demonstrator_of, HouseDemonstrator
from sim_bridge.worlds.alfworld import AlfworldWorld
from sim_bridge.worlds.registry import make_task_world
from support.alfworld_room import write_game

TASK = 'Your task is to: '
#: How many decompositions ADaPT's planner reads (appendix A).
PUBLISHED = {'alfworld': 6, 'webshop': 2, 'textcraft': 2}
#: Domain -> how the texts of its worlds begin.
OPENINGS = {
    'alfred': 'You are in the house, and you arrive at the ',
    'alfworld': 'You are in the middle of a room. Looking quickly around you, you see a ',
    'household': 'You are in the house, and there are ',
    'procworld': 'You arrive at loc ',
    'programs': 'Currently, you are standing in the ',
    'scienceworld': 'This room is called the ',
    'textcraft': 'Crafting commands:\ncraft ',
    'webshop': ('WebShop\nInstruction:\n', '[Back to Search]\n'),
}


class Demonstration(NamedTuple):
    """One, taken apart: what is told before its task, what is seen, and what is done."""

    before: str
    task: str
    seen: str
    lines: tuple[str, ...]

    @property
    def steps(self) -> tuple[str, ...]:
        """Of a plan."""
        return tuple(re.findall(r'^Step \d+: (.+)$', '\n'.join(self.lines), re.M))

    @property
    def acts(self) -> tuple[tuple[str, str], ...]:
        """Skills of an executor with what came of each."""
        parts = re.split(r'^Act: ', '\n'.join(self.lines), flags=re.M)[1:]
        skills = (part.partition('\n')[::2] for part in parts)
        return tuple((skill, re.split(r'^Think: ', told, flags=re.M)[0].strip())
                     for skill, told in skills)  # fmt: skip


def demonstrations(domain: str, prompt: str) -> tuple[Demonstration, ...]:
    found = []
    for text in with_demonstrations(load_domain(domain).text(prompt))[1]:
        before, _, rest = text.partition(TASK)
        task, *lines = rest.splitlines()
        begun = next(k for k in count() if lines[k].startswith(('Think:', 'Act:')))
        found.append(
            Demonstration(before.strip(), task, '\n'.join(lines[:begun]), tuple(lines[begun:]))
        )
    return tuple(found)


@pytest.mark.parametrize('prompt', ['plan', 'detailed_plan'])
@pytest.mark.parametrize('domain', OPENINGS)
def test_plans_are_shown_in_the_words_of_the_world_and_can_be_read(domain, prompt):
    text = load_domain(domain).text(prompt)
    assert 'part 4' not in text
    found = demonstrations(domain, prompt)
    assert len(found) == PUBLISHED.get(domain, len(found)) or prompt != 'plan'
    assert len(found) >= 2
    for one in found:
        assert one.seen.startswith(OPENINGS[domain])
        assert one.lines[0].startswith('Think: ')
        order = one.lines[-1].removeprefix('Execution Order: ')
        read = parse_expression(order, len(one.steps))
        assert isinstance(read, Step) or len(one.steps) > 1
        named = [int(number) for number in re.findall(r'Step (\d+)', order)]
        assert named == [*range(1, len(one.steps) + 1)]
        # Every step can be understood alone.
        assert not any(re.search(r'\b(?:it there|them there)\b', step) for step in one.steps)


# ALFWorld: one room ------------------------------------------------------------------------

#: Task -> what makes it a game: kind, class of the thing, of the place.
GAMES = {
    'put some spoon on shelf': ('', 'Spoon', 'Shelf'),
    'clean some plate and put it in cabinet': ('clean', 'Plate', 'Cabinet'),
    'put a hot potato in fridge': ('heat', 'Potato', 'Fridge'),
    'cool some tomato and put it in microwave': ('cool', 'Tomato', 'Microwave'),
    'look at book under the desklamp': ('look', 'Book', 'DeskLamp'),
    'heat some mug and put it in cabinet': ('heat', 'Mug', 'Cabinet'),
    'look at pencil under the desklamp': ('look', 'Pencil', 'DeskLamp'),
}


def room(folder: Path, task: str) -> AlfworldWorld:
    world = AlfworldWorld()
    world.reset('', str(write_game(folder, task, *GAMES.get(task, ()))), 0)
    return world


def check_acts(world, one: Demonstration) -> None:
    assert quoted(world.observe().text) == one.seen
    for skill, told in one.acts:
        if skill in ('done', 'failure'):
            assert not told
        else:
            assert quoted(world.step(skill).text) == told, skill
    assert one.acts[-1][0] in ('done', 'failure')


@pytest.mark.parametrize('prompt', ['skill_examples', 'task_examples'])
def test_what_alfworlds_executor_reads_happens_so(tmp_path, prompt):
    for one in demonstrations('alfworld', prompt):
        world = room(tmp_path, one.task)
        if one.before:
            skill = one.before.removeprefix('Done just before: ').partition('. ')[0]
            world.step(f'go to {skill.partition(" from ")[2]}')
            assert one.before.endswith(f'{skill}. {world.step(skill).text}')
        check_acts(world, one)
        if one.task in GAMES:
            assert world.progress().success


class Housekeeper:
    """Does a step of a plan in the room. :param world: ALFWorld's."""

    def __init__(self, world: AlfworldWorld) -> None:
        self.world = world
        self.held = ''

    def does(self, step: str) -> bool:
        """Whether it could be done."""
        step = re.sub(r'(?<= )(?:the |an? |clean |hot |cool )', '', step)
        if found := re.match(r'find and take (\w+)(?: from (\w+))?$', step):
            return self._take(found[1], found[2] or '')
        if found := re.match(r'put (\w+) (?:in|on) (\w+)$', step):
            assert self.held.startswith(found[1])
            return self._at(found[2], f'move {self.held} to {{}}')
        if found := re.match(r'(clean|heat|cool) (\w+) with (\w+)$', step):
            return self._at(found[3], f'{found[1]} {self.held} with {{}}')
        found = re.match(r'go to (\w+) and use desklamp$', step)
        assert found, step
        return self._at(found[1], 'use desklamp 1')

    def _at(self, kind: str, skill: str) -> bool:
        for place in self._places(kind):
            self._go(place)
            if self.world.step(skill.format(place)).succeeded:
                return True
        return False

    def _take(self, kind: str, where: str) -> bool:
        for place in self._places(where):
            seen = self._go(place)
            if found := re.search(rf'\b{kind} \d+', seen):
                self.held = found[0]
                return self.world.step(f'take {found[0]} from {place}').succeeded
        return False

    def _places(self, kind: str) -> list[str]:
        first = self.world.observe().text.partition('you see ')[2].partition('.')[0]
        return [name for name in re.findall(r'\ba (\w+ \d+)', first) if name.startswith(kind)]

    def _go(self, place: str) -> str:
        seen = self.world.step(f'go to {place}').text
        return self.world.step(f'open {place}').text if 'is closed' in seen else seen


@pytest.mark.parametrize('prompt', ['plan', 'detailed_plan'])
def test_alfworlds_plans_lead_to_the_end_of_their_tasks(tmp_path, prompt):
    for one in demonstrations('alfworld', prompt):
        world = room(tmp_path, one.task)
        assert quoted(world.observe().text) == one.seen
        keeper = Housekeeper(world)
        assert carried_out(one, keeper.does)
        assert one.task not in GAMES or world.progress().success, one.task


def carried_out(one: Demonstration, does) -> bool:
    """Whether a plan succeeds by its logic."""

    def holds(part) -> bool:
        if isinstance(part, Step):
            return does(one.steps[part.number - 1])
        every = part.flow.name == 'SEQUENCE'
        return (all if every else any)(map(holds, part.parts))

    return holds(parse_expression(one.lines[-1].removeprefix('Execution Order: '), len(one.steps)))


# TextCraft ---------------------------------------------------------------------------------

#: First command of a demonstration -> the task in which it happens.
CRAFTS = {
    'craft 1 copper bar using 3 copper ore': 'depth_2:2010',
    'craft 1 chain using 4 wire': 'depth_3:2003',
    'craft 3 clay tile using 2 clay': 'depth_2:2007',
}
#: What was got before.
GOT = {'[tin ore] (3)': 'get 3 tin ore', '[copper ore] (3)': 'get 3 copper ore'}


def craft_world(one: Demonstration):
    world = make_task_world('textcraft')
    task = CRAFTS[one.seen.splitlines()[1]]
    seed = int(task.partition(':')[2])
    world.reset(world.scene_of(seed), task, seed)
    for told, skill in GOT.items():
        if told in one.seen:
            world.step(skill)
    return world


@pytest.mark.parametrize('prompt', ['skill_examples', 'task_examples'])
def test_what_textcrafts_executor_reads_happens_so(prompt):
    for one in demonstrations('textcraft', prompt):
        world = craft_world(one)
        check_acts(world, one)
        assert prompt == 'skill_examples' or world.progress().success


@pytest.mark.parametrize('prompt', ['plan', 'detailed_plan'])
def test_textcrafts_plans_lead_to_the_end_of_their_tasks(prompt):
    for one in demonstrations('textcraft', prompt):
        world = craft_world(one)
        assert quoted(world.observe().text) == one.seen
        commands = one.seen.splitlines()[1:-1]

        def does(step: str, world=world, commands=commands) -> bool:
            if step.startswith('craft '):
                assert step in commands
                return world.step(step).succeeded
            number, item = re.match(r'fetch (\d+) (.+)$', step).groups()
            made = next((one for one in commands if re.match(rf'craft \d+ {item} using', one)), '')
            if not made:
                return world.step(f'get {number} {item}').succeeded
            # As its own plan does: the command's ingredients, then the command.
            assert prompt == 'plan', 'a detailed plan fetches only what nothing makes'
            made_number = int(made.split()[1])
            for _ in range(-(-int(number) // made_number)):
                for needed in made.partition(' using ')[2].split(', '):
                    does(f'fetch {needed}')
                assert world.step(made).succeeded
            return True

        assert carried_out(one, does)
        if one.task.startswith('fetch '):
            assert f'[{one.task.split(maxsplit=2)[2]}] ({one.task.split()[1]})' in (
                world.step('inventory').text
            )
        else:
            assert world.progress().success


# WebShop -----------------------------------------------------------------------------------

SEARCH = 'search[bath towel free of dyes highly absorbent]'
#: How a step begins -> what is done there.
SHOPPING = {
    'search for a bath towel, free of dyes and highly absorbent': (SEARCH,),
    'search for a single bath towel without dyes': (SEARCH,),
    'shortlist ': (),
    'see whether B0T0KW9SH1 ': ('click[B0T0KW9SH1]', 'click[< Prev]'),
    'see whether B06A31DXSL ': ('click[B06A31DXSL]', 'click[< Prev]'),
    'see whether a product ': ('click[B0T0KW9SH1]',),
    'see whether the first product ': ('click[B0T0KW9SH1]',),
    'buy B0T0KW9SH1 with pack single': ('click[B0T0KW9SH1]', 'click[single]', 'click[Buy Now]'),
    'buy the product that matches, with pack single': ('click[single]', 'click[Buy Now]'),
}


def shop(one: Demonstration):
    """The shop, on the page that the demonstration begins with."""
    world = make_task_world('webshop')
    world.reset(world.scene_of(2003), 'generated:2003', 2003)
    if '[Search]' not in one.seen.splitlines():
        world.step(SEARCH)
    if 'Price: ' in one.seen:
        world.step('click[B0T0KW9SH1]')
    return world


def test_what_webshops_executor_reads_happens_so():
    found = demonstrations('webshop', 'skill_examples')
    # Table 5: search, shortlist, match, buy.
    verbs = [one.task.split()[0] for one in found]
    assert list(dict.fromkeys(verbs)) == ['search', 'shortlist', 'see', 'buy']
    for one in found:
        world = shop(one)
        check_acts(world, one)
    assert world.progress().success
    shortlist, tried = found[1:3]
    thought = shortlist.lines[0].removeprefix('Think: ')
    assert tried.before == f'Done just before: {thought}'


@pytest.mark.parametrize('prompt', ['plan', 'detailed_plan'])
def test_webshops_plans_lead_to_the_end_of_their_tasks(prompt):
    for one in demonstrations('webshop', prompt):
        world = shop(one)
        assert quoted(world.observe().text) == one.seen

        def does(step: str, world=world) -> bool:
            skills = next(said for begin, said in SHOPPING.items() if step.startswith(begin))
            return all(world.step(skill).succeeded for skill in skills)

        assert carried_out(one, does)
        assert not one.steps[-1].startswith('buy') or world.progress().success


# VirtualHome programs, ProcWorld --------------------------------------------------------------

PROGRAMS = {'Put a mug to soak.': 2003, 'Warm a pancake.': 2011, 'find mug and grab mug': 2003}


@pytest.mark.parametrize('prompt', ['plan', 'detailed_plan'])
def test_plans_of_programs_lead_to_the_end_of_their_tasks(prompt):
    for one in demonstrations('programs', prompt):
        seed = next(seed for begin, seed in PROGRAMS.items() if one.task.startswith(begin))
        world = make_task_world('programs')
        world.reset(world.scene_of(seed), f'generated:{seed}', seed)
        assert quoted(world.observe().text) == one.seen

        def does(step: str, world=world) -> bool:
            for part in step.split(' and '):
                gold = [one for one in world.gold_skills() if re.sub(r' \d+', '', one) == part]
                offered = [
                    one for one in world.admissible_skills() if re.sub(r' \d+', '', one) == part
                ]
                skill = next(iter(gold or offered), part)
                if not world.step(skill).succeeded:
                    return False
            return True

        assert carried_out(one, does), one.task
        assert one.task.startswith('find') or world.progress().success


HOUSES = {
    'put a clean dishsponge in garbagecan': 2003,
    'put lettuce pot in coffeetable': 2004,
    'put a cool slice of potato in sinkbasin': 2006,
}


def test_procworlds_plans_have_the_parts_by_which_its_expert_reaches_the_goal():
    played = []
    for one in demonstrations('procworld', 'plan'):
        seed = HOUSES.get(one.task, 2003)
        world = make_task_world('procworld')
        world.reset(world.scene_of(seed), f'generated:{seed}', seed)
        assert quoted(world.observe().text) == one.seen
        if one.task not in HOUSES:
            assert 'OR' in one.lines[-1]
            continue
        teacher = demonstrator_of(world)
        assert isinstance(teacher, HouseDemonstrator)
        assert teacher.subgoals(one.task) == one.steps
        for step in one.steps:
            done = []
            while skill := teacher.skill(step, done):
                assert world.step(skill).succeeded
                done.append(skill)
        assert world.progress().success
        played.append(one.task)
    assert played == list(HOUSES)
