"""Demonstrators of the text worlds: they know the task's goal, and show how it is reached.

A demonstrator answers what a model is asked, under the real planner, so that what it writes has
the form and the observations of later runs. It knows the world's rules and the goal; what lies
where it finds out as a robot has to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Protocol

from reactree_core.errors import ConfigurationError
from reactree_core.skill_types import class_and_number
from reactree_planner.llm.scripted import PolicyModel
from reactree_tools.seed_memory.alfred_demonstrator import AlfredDemonstrator
from sim_bridge.worlds.alfworld.engine import BuiltinEngine
from sim_bridge.worlds.alfworld.world import AlfworldWorld
from sim_bridge.worlds.procworld import ProcWorldWorld
from sim_bridge.worlds.procworld.exploring import explore
from sim_bridge.worlds.procworld.tasks import HouseTask
from sim_bridge.worlds.programs.world import ProgramsWorld
from sim_bridge.worlds.scienceworld.world import ScienceWorldWorld
from sim_bridge.worlds.textcraft.world import TextCraftWorld
from sim_bridge.worlds.thor import ThorWorld
from sim_bridge.worlds.webshop.pages import BUY
from sim_bridge.worlds.webshop.pages import PageKind
from sim_bridge.worlds.webshop.world import SEARCH
from sim_bridge.worlds.webshop.world import WebShopWorld

_GOAL = 'Your task is to: '
#: Treatment -> class of the receptacle that it needs.
_TOOLS = {'clean': 'sinkbasin', 'heat': 'microwave', 'cool': 'fridge'}
_SEARCH = 'search['
_CONTROL_FLOWS = ('sequence', 'fallback', 'parallel')


class Demonstrator(Protocol):
    """What a world's demonstrator answers of a node's goal and its text since then."""

    def thought(self, goal: str) -> str:
        """What it thinks first."""

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """What it splits a goal into, one after another; () for one that it does itself."""

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of a goal that it does itself; '' when it is reached."""

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of the whole task, for planners without subgoals."""


def demonstrator_of(world: object) -> Demonstrator:
    """The demonstrator of a world with its task.

    :raises ConfigurationError: it has none.
    """
    if isinstance(world, TextCraftWorld):
        return CraftDemonstrator(world)
    if isinstance(world, AlfworldWorld):
        return RoomDemonstrator(world)
    if isinstance(world, WebShopWorld):
        return ShopDemonstrator(world)
    if isinstance(world, ProgramsWorld):
        return ProgramDemonstrator(world)
    if isinstance(world, ScienceWorldWorld):
        return ScienceDemonstrator(world)
    if isinstance(world, ThorWorld):
        return AlfredDemonstrator(world)
    if isinstance(world, ProcWorldWorld):
        return HouseDemonstrator(world)
    raise ConfigurationError(
        'this world has no demonstrator: choose textcraft, alfworld, webshop, programs, '
        'scienceworld, thor or procworld'
    )


def demonstrating(demonstrator: Demonstrator) -> PolicyModel:
    """A model that answers as a demonstrator does."""

    def answer(text: str, options: Sequence[str] | None) -> int | str:
        node = text.rsplit(_GOAL, 1)[-1]
        goal, _, rest = node.partition('\n')
        splits = '3. Expand' in text and bool(demonstrator.subgoals(goal))
        act = demonstrator.skill if '3. Expand' in text else demonstrator.next_of_all
        last = rest.rpartition('Act:')[2]
        written = '' if '\n' in last else last
        done = re.findall(r'^Act: (.*)$', rest.removesuffix(written), re.MULTILINE)
        if options is None:
            if text.endswith('- subgoals:'):
                return ' ' + ', '.join(demonstrator.subgoals(goal))
            begun = text.rpartition('\nAct: ')[2]
            if '\n' not in begun:
                # The words of an open slot.
                return act(goal, done).removeprefix(begun)
            return ' ' + demonstrator.thought(goal)
        words = [option.strip() for option in options]
        if words[0] in _CONTROL_FLOWS:
            return words.index('sequence')
        if {'Act:', 'Expand:'} & set(words):
            if 'Think:' in words and '\nThink:' not in rest:
                return words.index('Think:')
            return words.index('Expand:' if splits and 'Expand:' in words else 'Act:')
        wanted = act(goal, done) or 'done'
        if wanted.startswith(_SEARCH) and SEARCH in words:
            wanted = SEARCH
        # Among many skills, the words of one are chosen one after another.
        fitting = [
            option for option in options if f'{wanted}\n'.startswith((written + option).lstrip())
        ]
        if not fitting:
            return words.index('failure')
        return list(options).index(max(fitting, key=len))

    return PolicyModel(answer, 'demonstrator')


class CraftDemonstrator:
    """Crafts what is missing first, one ingredient after another. :param world: with its task."""

    _CRAFT = re.compile(r'(?:craft|make) (?:(\d+) )?(.+?)(?: using .*| from these)?$')

    def __init__(self, world: TextCraftWorld) -> None:
        self._world = world

    def thought(self, goal: str) -> str:
        """What the goal is made of, and what of it has to be made."""
        item, amount = self._wanted(goal)
        needs = self._needs(item, amount)
        listed = ' and '.join(f'{need} {name}' for name, need in needs)
        missing = self._missing(needs)
        crafted = [name for name, _ in missing if self._world.is_made(name)]
        said = f'For {item} I need {listed}.'
        if crafted:
            return f'{said} I do not have {" and ".join(crafted)} yet, so I craft that first.'
        return f'{said} I get what is missing and craft it.' if missing else f'{said} I have that.'

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """Each ingredient that has to be made, then the thing itself."""
        item, amount = self._wanted(goal)
        missing = self._missing(self._needs(item, amount))
        made = [f'craft {need} {name}' for name, need in missing if self._world.is_made(name)]
        return (*made, f'make {item} from these') if made else ()

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next command of this goal."""
        item, amount = self._wanted(goal)
        count = self._world.recipe_for(item)[0].count
        crafted = count * sum(text.startswith(f'craft {count} {item} using ') for text in done)
        return '' if crafted >= amount else self._next(item)

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The next command; see the base."""
        return self.skill(goal, done)

    def _next(self, item: str) -> str:
        recipe, items = self._world.recipe_for(item)
        for name, amount in self._missing(self._needs(item, recipe.count)):
            if self._world.is_made(name):
                return self._next(name)
            return self._world.get_command(name, amount)
        return recipe.filled(items)

    def _wanted(self, goal: str) -> tuple[str, int]:
        found = self._CRAFT.match(goal.rstrip('.'))
        assert found, goal
        return found[2], int(found[1] or 1)

    def _needs(self, item: str, amount: int) -> list[tuple[str, int]]:
        recipe, items = self._world.recipe_for(item)
        batches = -(-amount // recipe.count)
        pairs = zip(items, recipe.ingredients, strict=True)
        return [(name, each * batches) for name, (_, each) in pairs]

    def _missing(self, needs: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
        return [(name, need) for name, need in needs if self._world.amount_of(name) < need]


class RoomDemonstrator:
    """Searches, treats and places things in a room of ALFWorld. :param world: with its task."""

    _FIND = re.compile(r'find and take (?:a |an |another )(.+)$')
    _TREAT = re.compile(r'(clean|heat|cool) the (.+) with the (.+)$')
    _PUT = re.compile(r'move the (.+) to the (.+)$')
    _USE = re.compile(r'find the (.+) and use it$')

    def __init__(self, world: AlfworldWorld) -> None:
        self._world = world
        task = world.task()
        assert task is not None
        self._family = task.task_type
        self._thing, self._place = world.goal_classes()

    @property
    def _engine(self) -> BuiltinEngine:
        return self._world.rules

    def thought(self, goal: str) -> str:
        """What is to be done, in the order in which it is done."""
        parts = self.subgoals(goal)
        if parts:
            return f'I {", then ".join(part.replace("the ", "") for part in parts)}.'
        if self._FIND.match(goal):
            return 'I look at the places where it may be, one after another, until I see it.'
        return 'I know where to go for this and do it there.'

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """The parts of the whole task."""
        if any(form.match(goal) for form in (self._FIND, self._TREAT, self._PUT, self._USE)):
            return ()
        thing, place = self._thing, self._place
        find, put = f'find and take a {thing}', f'move the {thing} to the {place}'
        if self._family == 'look':
            return find, f'find the {place} and use it'
        if self._family == 'put_two':
            return find, put, f'find and take another {thing}', put
        if self._family in _TOOLS:
            tool = _TOOLS[self._family]
            return find, f'{self._family} the {thing} with the {tool}', put
        return find, put

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The first part that is not reached yet, done by itself."""
        held = bool(self._engine.state.held)
        parts = self.subgoals(goal)
        if self._family == 'look':
            part = parts[1] if held else parts[0]
        elif held:
            treated = any(skill.startswith(self._family + ' ') for skill in done)
            left = parts[1:] if self._family != 'put_two' else parts[1:2]
            part = left[-1] if treated or self._family not in _TOOLS else left[0]
        else:
            part = parts[0]
        return self.skill(part, done)

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of one part."""
        engine = self._engine
        held = engine.layout.names.get(engine.state.held, '')
        kind = class_and_number(held)[0] if held else ''
        if found := self._FIND.match(goal):
            return '' if kind == found[1] else self._search(found[1], done)
        if found := self._TREAT.match(goal):
            command = f'{found[1]} {held} with {self._nearest(found[3])}'
            return '' if command in done else self._at(found[3], command)
        if found := self._USE.match(goal):
            used = any(skill.startswith('use ') for skill in done)
            return '' if used else self._search(found[1], done)
        found = self._PUT.match(goal)
        if found is None or kind != found[1]:
            return ''
        return self._at(found[2], f'move {held} to {self._nearest(found[2])}')

    def _at(self, kind: str, command: str) -> str:
        """A command at the nearest receptacle of a class."""
        place = self._nearest(kind)
        key = self._engine.layout.by_name[place]
        if self._engine.layout.place_of[key] != self._engine.state.location:
            return f'go to {place}'
        if command.startswith('move ') and self._engine.is_closed(key):
            return f'open {place}'
        return command

    def _nearest(self, kind: str) -> str:
        """A receptacle of a class: the one with the lowest number."""
        layout = self._engine.layout
        names = [layout.names[key] for key in layout.receptacles]
        return min((name for name in names if class_and_number(name)[0] == kind), key=_number)

    def _search(self, kind: str, done: Sequence[str]) -> str:
        """Take a thing of a class, or use it; else look at the next place where it may be."""
        engine, layout = self._engine, self._engine.layout
        here = [
            key
            for key in layout.here.get(engine.state.location, ())
            if f'go to {layout.names[key]}' in done
        ]
        wanted = engine.commands()
        for key in here:
            if engine.is_closed(key):
                return f'open {layout.names[key]}'
            for thing in engine.state.inside[key]:
                name = layout.names[thing]
                if class_and_number(name)[0] != kind:
                    continue
                if f'use {name}' in wanted:
                    return f'use {name}'
                # Not one that lies where it has to go.
                if class_and_number(layout.names[key])[0] != self._place or self._family in _TOOLS:
                    return f'take {name} from {layout.names[key]}'
        places = [
            layout.names[key]
            for key in layout.receptacles
            if self._may_contain(key, kind) and layout.place_of[key] != engine.state.location
        ]
        left = [name for name in sorted(places, key=_number) if f'go to {name}' not in done]
        return f'go to {left[0]}' if left else 'failure'

    def _may_contain(self, key: str, kind: str) -> bool:
        layout = self._engine.layout
        pair = layout.type_of.get(key, ''), f'{kind}type'
        # What cannot be moved is in no table: it stands on something open.
        fixed = kind in ('desklamp', 'floorlamp') and key not in layout.openable
        return pair in layout.can_contain or fixed


class ShopDemonstrator:
    """Searches for what is wanted by its kind and properties, and buys the first that is right.

    It gives up where that is none of those whose titles and prices stand on the page.

    :param world: with its task.
    """

    _FIND = re.compile(r'find .* and open its page$')
    _CHOOSE = re.compile(r'choose .* on the page of the product$')
    _BUY = 'buy the product that is open'

    def __init__(self, world: WebShopWorld) -> None:
        self._world = world
        goal = world.goal
        noun = re.search(
            r'(?:for|need|find|buy) (.+?)(?: that (?:is|are)| which| for me|\.)',
            goal.instruction,
        )
        self._kind = noun[1] if noun else goal.product.query
        self._bound = f'{goal.price_upper:.2f} dollars'

    def thought(self, goal: str) -> str:
        """What is wanted, and what is done next."""
        wanted = self._world.goal
        properties = ' and '.join(wanted.attributes)
        if self._CHOOSE.match(goal):
            return 'I click each of these values, and nothing else.'
        if goal.startswith(self._BUY):
            return 'It fits and its options are chosen, so I buy it.'
        said = f'I need {self._kind}, {properties}, for less than {self._bound}'
        if self._FIND.match(goal):
            return f'{said}. I search by kind and properties, and compare titles and prices.'
        options = ' and '.join(wanted.options)
        if not options:
            return f'{said}. First I find it, then I buy it.'
        return f'{said}. First I find it, then I choose {options}, then I buy it.'

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """To find it, to choose its options and to buy it."""
        if self._FIND.match(goal) or self._CHOOSE.match(goal) or goal.startswith(self._BUY):
            return ()
        wanted = self._world.goal
        properties = ' and '.join(wanted.attributes)
        options = ' and '.join(wanted.options)
        return (
            f'find {self._kind} that is {properties} for less than {self._bound} '
            'and open its page',
            *([f'choose {options} on the page of the product'] if options else []),
            self._BUY,
        )

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of one part."""
        found = self._world.page.kind is PageKind.ITEM
        if self._FIND.match(goal):
            return '' if found else self._next()
        if self._CHOOSE.match(goal):
            return self._next() if self._world.options_for_goal(self._world.page) else ''
        return self._next()

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of the whole task."""
        return self._next()

    def _next(self) -> str:
        world = self._world
        goal, page = world.goal, world.page
        if page.kind is PageKind.INIT:
            kind = re.sub('^an? ', '', self._kind)
            return f'{_SEARCH}{kind} {" ".join(goal.attributes)}]'
        if page.kind is PageKind.RESULTS:
            text = world.observe().text
            shown = [one.asin for one in world.shop.results(page) if one.title in text]
            return next((f'click[{asin}]' for asin in shown if self._fits(asin)), 'failure')
        left = world.options_for_goal(page)
        return f'click[{left[0]}]' if left else f'click[{BUY}]'

    def _fits(self, asin: str) -> bool:
        """Whether a product on a page of results, with the options that are wanted, is right."""
        page = self._world.shop.clicked(self._world.page, asin)
        return self._world.reward(self._world.with_options(page)).value == 1.0


class PartsDemonstrator:
    """Does a task whose skills are known beforehand, part by part.

    :param parts: of the task, in order, each with its skills.
    """

    def __init__(self, parts: Mapping[str, Sequence[str]]) -> None:
        self._parts = parts
        self._skills = tuple(skill for part in parts.values() for skill in part)

    def thought(self, goal: str) -> str:
        """The parts of the whole task, or that this one is begun."""
        parts = self.subgoals(goal)
        return f'I {", then ".join(parts)}.' if parts else 'I do this step by step.'

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """The parts of the whole task; () for one of them, or for the only one."""
        single = goal in self._parts or len(self._parts) == 1
        return () if single else tuple(self._parts)

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of a part."""
        steps = self._parts.get(goal, self._skills)
        return steps[len(done)] if len(done) < len(steps) else ''

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of the whole task."""
        return self._skills[len(done)] if len(done) < len(self._skills) else ''


class ProgramDemonstrator(PartsDemonstrator):
    """Does the gold program of a task, one errand after another. :param world: with its task."""

    #: With what an errand ends.
    _ENDS = re.compile(r'(?:grab|put|close|sit) ')

    def __init__(self, world: ProgramsWorld) -> None:
        skills = world.gold_skills()
        errands: dict[str, tuple[str, ...]] = {}
        errand: list[str] = []
        for skill in skills:
            errand.append(skill)
            if self._ENDS.match(skill) or skill == skills[-1]:
                names = [re.sub(r' \d+', '', part) for part in errand]
                errands[' and '.join(names)] = tuple(errand)
                errand = []
        super().__init__(errands)


class HouseDemonstrator(PartsDemonstrator):
    """Does a task of ProcWorld as its expert does that explores. :param world: with its task."""

    def __init__(self, world: ProcWorldWorld) -> None:
        task = world.task()
        assert isinstance(task, HouseTask), 'only tasks with a goal are shown'
        parts: dict[str, list[str]] = {}
        for one in explore(world.engine, task.goal):
            parts.setdefault(one.part, []).append(one.skill)
        super().__init__({part: tuple(skills) for part, skills in parts.items()})

    def thought(self, goal: str) -> str:
        """The parts of the whole task, or how this one is done."""
        if self.subgoals(goal):
            return super().thought(goal)
        if goal.startswith('find '):
            return 'I go to what I see where it may be, then farther on, until it is told.'
        return 'I go to where this is done, and do it there.'


class ScienceDemonstrator:
    """Plays the gold path of a task of ScienceWorld, one room after another.

    :param world: with its task; it is rehearsed and begun anew.
    """

    #: Skills of a part that is done in a room.
    _LONGEST = 2
    #: What belongs to the part that goes to a room.
    _MOVES = re.compile(r'(?:open (?:door.*|.* door)|go to .*)$')

    def __init__(self, world: ScienceWorldWorld) -> None:
        self._skills = world.gold_skills()
        #: Part of the task -> its skills.
        self._parts: dict[str, tuple[str, ...]] = {}
        part: list[str] = []
        moves = True
        for skill in self._skills:
            if bool(self._MOVES.match(skill)) is not moves:
                self._keep(part)
                part, moves = [], not moves
            if not moves and len(part) == self._LONGEST:
                self._keep(part)
                part = []
            part.append(skill)
        self._keep(part)

    def _keep(self, skills: list[str]) -> None:
        if not skills:
            return
        goes = [skill for skill in skills if skill.startswith('go to ')]
        # Where the robot goes to is all that a walk is about.
        name = goes[-1] if goes else ' and then '.join(skills)
        # No two subgoals of a list are called the same.
        while name in self._parts:
            name += ' again'
        self._parts[name] = tuple(skills)

    def thought(self, goal: str) -> str:
        """The parts of the whole task, or that this one is begun."""
        if not self._skills:
            return 'I do not know how.'
        parts = self.subgoals(goal)
        if parts:
            return f'I {", then ".join(parts)}.'.replace(' and then', ', then')
        return 'I do this step by step.'

    def subgoals(self, goal: str) -> tuple[str, ...]:
        """The parts of the whole task; () for one of them, or for the only one."""
        single = goal in self._parts or len(self._parts) == 1
        return () if single else tuple(self._parts)

    def skill(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of a part."""
        skills = self._parts.get(goal, self._skills)
        return skills[len(done)] if len(done) < len(skills) else ''

    def next_of_all(self, goal: str, done: Sequence[str]) -> str:
        """The next skill of the whole task."""
        return self.skill('', done) or ('' if self._skills else 'failure')


def _number(name: str) -> tuple[str, int]:
    return class_and_number(name)
