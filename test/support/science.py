"""A small simulator in the place of ScienceWorld's."""

from __future__ import annotations

from sim_bridge.worlds.scienceworld.simulator import Action, Subgoal

TASKS = ('boil', 'find-plant', 'power-component')


class SmallSimulator:
    """Outside, with a kitchen next to it: focus on the fern, and take it to the kitchen."""

    started = 0

    def __init__(self, simplifications: str = '') -> None:
        SmallSimulator.started += 1
        self.simplifications = simplifications
        self.is_running = True
        self.heard: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self._room, self._open, self._held = 'outside', False, False
        self._focused, self._score, self._asked = False, 0.0, False

    def splits(self, task: str) -> dict[str, tuple[int, ...]]:
        return {'train': (0, 1, 2, 3), 'dev': (4, 5), 'test': (6, 7)}

    def load(self, task: str, variation: int) -> str:
        self._begin()
        return self.look()

    def gold(self, task: str, variation: int) -> tuple[str, ...]:
        return (
            'look around',
            'focus on green fern in outside',
            'pick up fern',
            'open door to kitchen',
            'go to kitchen',
            'drop fern in inventory',
        )

    def description(self) -> str:
        return 'Task Description:\nYour task is to find a fern.  Then, bring it to the kitchen.'

    def look(self) -> str:
        door = 'open' if self._open else 'closed'
        fern = '' if self._held or self._room == 'kitchen' else '\ta fern\n'
        return (
            f'This room is called the {self._room}. In it, you see: \n\tthe agent\n{fern}'
            f'You also see:\n\tA door (that is {door})'
        )

    def inventory(self) -> str:
        return 'In your inventory, you see:\n' + ('\ta fern\n' if self._held else '')

    def judged(self) -> tuple[float, bool]:
        return self._score, self._score == 1.0

    def valid(self) -> tuple[Action, ...]:
        if self._asked:
            return Action('0'), Action('1')
        found = [Action('open door', (9,)), Action('look around'), Action('wait1')]
        found += [Action('focus on fern', (1,)), Action('focus on stone', (2,))]
        found += [Action('mix agent', (5,)), Action('reset task'), Action('connect fern to stone')]
        if self._open:
            found[0] = Action('go to kitchen' if self._room == 'outside' else 'go to outside')
        found.append(Action('put down fern' if self._held else 'pick up fern', (1,)))
        return tuple(found)

    def names(self) -> dict[int, tuple[str, ...]]:
        return {1: ('fern', 'green fern'), 2: ('stone',), 9: ('ERROR',)}

    def subgoals(self) -> tuple[Subgoal, ...]:
        return (
            Subgoal('focus on fern', self._focused, True),
            Subgoal('be in kitchen', self._room == 'kitchen', False),
        )

    def do(self, action: str) -> str:
        self.heard.append(action)
        if self._asked:
            self._asked = False
            if action not in ('0', '1'):
                return "Unknown action.  Type 'help' for a list of actions."
            action = ('pick up fern', 'pick up stone')[int(action)]
        if action == 'pick up':
            self._asked = True
            return (
                'Ambiguous request: Please enter the number for the action you intended (or '
                'blank to cancel):\n0:\tpick up fern\n1:\tpick up stone\n'
            )
        if action in ('open door', 'open door to kitchen'):
            if self._open:
                return 'The door is already open.'
            self._open = True
            return 'The door is now open.'
        if action in ('go to kitchen', 'go to outside'):
            if not self._open:
                return 'The door is not open. '
            self._room = action.removeprefix('go to ')
            return f'You move to the {self._room}.'
        if action.startswith('pick up'):
            self._held = True
            return 'You move the fern to the inventory.'
        if action.startswith(('put down', 'drop')) and self._held:
            self._held = False
            if self._focused and self._room == 'kitchen':
                self._score = 1.0
            return f'You move the fern to the {self._room}.'
        if action.startswith('focus on'):
            right = 'fern' in action
            self._focused, self._score = right, 0.5 if right else -1.0
            return f'You focus on the {action.removeprefix("focus on ")}.'
        if action == 'wait1':
            return 'You decide to wait for 1 iterations.'
        if action == 'look around':
            return self.look()
        return 'No known action matches that input.'

    def close(self) -> None:
        self.is_running = False
