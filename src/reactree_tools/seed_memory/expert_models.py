"""A rule-following stand-in for the language model: it writes the shipped example trajectories.

It sees what a model sees (the session's text, and the options offered) and the task's list of
things to bring, which the instruction says in other words. It runs under the real planner, so the
trajectories have exactly the form, the guards and the observations of later runs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelOutputError
from reactree_core.ports import Selection, Strategy
from reactree_core.usage import LlmUsage

_GOAL = re.compile(r'Your task is to: (.*)\n(.*)\n')
_PUT = re.compile(
    r'put (?:another |a |the )?(?:first |second |third |fourth |fifth )?'
    r'(?P<thing>.+?) (?P<how>on|in) (?P<place>.+)$'
)
_FIND_IN = re.compile(r'find and pick up (?P<thing>.+?) in (?P<room>.+ \d+)$')
_FIND = re.compile(r'find and pick up (?P<thing>.+)$')
_LAY = re.compile(r'put down (?P<thing>.+?) (?P<how>on|in) (?P<place>.+)$')
_TURN_ON = re.compile(r'turn on (?P<place>.+)$')
#: What memory says is in place, and where nobody has looked.
_PLACED = re.compile(r'Already in place: (.+?)\.')
_UNSEEN = re.compile(r'You have not looked at (.+?) yet\.')

#: Where the things of the tasks are found most, first.
_ROOMS = ('kitchen', 'dining', 'living', 'office', 'bed', 'bath')


def likelihood(room: str) -> tuple[int, str]:
    """For sorting rooms: where the things of the tasks are found most comes first."""
    known = (index for index, start in enumerate(_ROOMS) if room.startswith(start))
    return next(known, len(_ROOMS)), room


class ScriptedExpertModel:
    """Port `LanguageModel`.

    :param rooms: rooms of the home, in the order in which they are searched.
    :param subgoals: of the task at the root, in order. :param plan: the root's thought.
    """

    name = 'teacher'
    context_tokens = 1 << 20

    def __init__(self, rooms: Sequence[str], subgoals: Sequence[str], plan: str) -> None:
        self.rooms = tuple(rooms)
        self.subgoals = tuple(subgoals)
        self.plan = plan

    def count_tokens(self, text: str) -> int:
        """A quarter of the characters: what tokenizers make of English."""
        return len(text) // 4

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> TeacherSession:
        """A session that follows the rules."""
        return TeacherSession(self, shared_prefix)

    def close(self) -> None:
        """Nothing to free."""


class TeacherSession:
    """Port `LanguageSession`: reads its own text to know where it stands."""

    def __init__(self, model: ScriptedExpertModel, text: str) -> None:
        self._model = model
        self.text = text
        self.usage = LlmUsage('teacher')

    def append(self, text: str) -> None:
        """Add text."""
        self.text += text

    def fork(self) -> TeacherSession:
        """A copy."""
        return TeacherSession(self._model, self.text)

    def drop(self) -> None:
        """Nothing to give back."""

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """The option the rules want."""
        if not _GOAL.search(self.text):
            # A question beside the task, such as where to look first: as the rules have it.
            index = 0
        elif options[0].strip() in ('Act:', 'Think:', 'Expand:'):
            index = self._kind(options)
        elif options[0].strip() in ('sequence', 'fallback', 'parallel'):
            index = [option.strip() for option in options].index(self._expansion()[0])
        else:
            index = self._skill([option.strip() for option in options])
        self.text += options[index]
        return Selection(index, 0.0, 0.0)

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """A thought, or a list of subgoals."""
        if self.text.endswith('- subgoals:'):
            answer = ' ' + ', '.join(self._expansion()[1])
        else:
            answer = ' ' + self._thought()
        self.text += answer
        return answer

    # Where the node stands ----------------------------------------------------------------

    @property
    def _node(self) -> tuple[str, str, str]:
        """Goal, first observation and everything after it."""
        match = list(_GOAL.finditer(self.text))[-1]
        return match[1], match[2], self.text[match.end() :]

    def _room(self) -> str:
        _, first, after = self._node
        found = re.findall(r'(?:middle of a|move to the) ([\w ]+?) \((\d+)\)', first + after)
        return f'{found[-1][0]} {found[-1][1]}'

    def _is_root(self) -> bool:
        return 'The larger task is:' not in self.text.rsplit('Your task is to:', 1)[0][-600:]

    def _holds(self, thing: str) -> bool:
        _, first, _ = self._node
        return f'{thing} (' in first.partition('You hold ')[2]

    # Rules --------------------------------------------------------------------------------

    def _thought(self) -> str:
        goal, first, _ = self._node
        if self._is_root():
            return self._model.plan
        lay, find_in, find = _LAY.match(goal), _FIND_IN.match(goal), _FIND.match(goal)
        put, turn = _PUT.match(goal), _TURN_ON.match(goal)
        if lay:
            thing, place = lay['thing'], lay['place']
            if f'{place} (' in first.partition(' You hold ')[0]:
                return f'I hold the {thing} and see the {place}. I go there and put it down.'
            return (
                f'I hold the {thing}. I do not see the {place} here, so I recall where it is, '
                'go there and put it down.'
            )
        if find_in:
            thing, room = find_in['thing'], find_in['room']
            start = '' if room == self._room() else f'I go to {room} first. '
            return (
                f'{start}If I see the {thing} in {room} I go to it, else I open what is '
                'closed there.'
            )
        if find:
            return f'I must find the {find["thing"]}. I recall whether I have seen it.'
        if put:
            return (
                f'First I find the {put["thing"]} and pick it up, then I put it down '
                f'{put["how"]} the {put["place"]}.'
            )
        if turn:
            place = turn['place']
            if f'{place} (' in first:
                return f'I see the {place}. I go to it and turn it on.'
            return f'I do not see the {place} here, so I recall where it is and turn it on there.'
        return 'I do what the task says.'

    def _expansion(self) -> tuple[str, tuple[str, ...]]:
        goal, _, _ = self._node
        if self._is_root():
            return 'parallel', self._model.subgoals
        find, put = _FIND.match(goal), _PUT.match(goal)
        if find:
            return 'fallback', tuple(
                f'find and pick up {find["thing"]} in {room}' for room in self._model.rooms
            )
        if put:
            thing, how, place = put['thing'], put['how'], put['place']
            return 'sequence', (f'find and pick up {thing}', f'put down {thing} {how} {place}')
        raise ValueError(f'the teacher has no expansion for "{goal}"')

    def _kind(self, options: Sequence[str]) -> int:
        goal, _, after = self._node
        names = [option.strip() for option in options]
        expands = self._is_root()
        if not expands and not _LAY.match(goal) and not _FIND_IN.match(goal):
            find = _FIND.match(goal)
            if find:
                expands = (
                    not self._holds(find['thing'])
                    and 'Act: recall' in after
                    and not self._is_known(after)
                )
            elif _PUT.match(goal):
                expands = True
        return names.index('Expand:' if expands and 'Expand:' in names else 'Act:')

    def _is_known(self, after: str) -> bool:
        """Whether memory named one of the thing that is not in its place already."""
        answer = after.partition('Act: recall')[2].partition('\n')[2].partition('\n')[0]
        seen = re.findall(r'You saw ([\w ]+? \d+) ', answer)
        return any(not _is_placed(name, after) for name in seen)

    def _is_met(self, after: str) -> bool:
        """Whether the node has done what its goal says."""
        goal = self._node[0]
        find = _FIND_IN.match(goal) or _FIND.match(goal)
        lay, turn = _LAY.match(goal), _TURN_ON.match(goal)
        if find:
            thing = find['thing']
            return self._holds(thing) or _has_done('pick up', thing, after)
        if lay:
            return _has_done('put down', lay['thing'], after)
        return turn is not None and _has_done('turn on', turn['place'], after)

    def _skill(self, options: list[str]) -> int:
        goal, _, after = self._node
        if self._is_met(after) and 'done' in options:
            return options.index('done')
        lay, turn = _LAY.match(goal), _TURN_ON.match(goal)
        find = _FIND_IN.match(goal) or _FIND.match(goal)
        if find:
            wishes = self._finding(find['thing'], find.groupdict().get('room', ''), after)
        elif lay:
            wishes = self._going_to(lay['place'], f'put down {lay["thing"]}', after)
        elif turn:
            wishes = self._going_to(turn['place'], f'turn on {turn["place"]}', after)
        else:
            raise ModelOutputError(f'The teacher does not know how to "{goal[:200]}".')
        untried = [option for option in options if f'Act: {option}\n' not in after]
        for wish in wishes:
            for option in untried:
                if re.fullmatch(rf'{re.escape(wish)}( \d+)?', option):
                    name = re.sub('^(pick up|go to) ', '', option)
                    if not find or not _is_placed(name, after):
                        return options.index(option)
        return options.index('failure') if 'failure' in options else 0

    def _finding(self, thing: str, room: str, after: str) -> list[str]:
        """Skills that find a thing and take it, most wanted first."""
        if room and room != self._room():
            return [f'go to {room}']
        wishes = [f'recall location of {thing}', f'pick up {thing}', f'go to {thing}']
        if not room:
            return wishes + _recalled(after)
        places = ', '.join(_UNSEEN.findall(after)).split(', ')
        unseen = [place for place in places if place not in self._model.rooms]
        return wishes + [f'{verb} {place}' for verb in ('open', 'go to') for place in unseen]

    def _going_to(self, place: str, skill: str, after: str) -> list[str]:
        """Skills that do something at a place, most wanted first."""
        moves = re.findall(r'^Act: go to (.+)$', after, re.MULTILINE)
        is_there = moves and re.fullmatch(rf'{re.escape(place)}( \d+)?', moves[-1])
        there = [f'open {place}', skill] if is_there else []
        rooms = [f'go to {room}' for room in self._model.rooms]
        return [
            *there,
            f'go to {place}',
            f'recall location of {place}',
            *_recalled(after),
            *rooms,
        ]


def _is_placed(name: str, after: str) -> bool:
    """Whether memory said that a thing is in its place already."""
    return bool(name) and any(f'{name} (' in place for place in _PLACED.findall(after))


def _has_done(verb: str, name: str, after: str) -> bool:
    """Whether a skill was done to one of these."""
    return bool(re.search(rf'^Act: {verb} {re.escape(name)} \d+$', after, re.MULTILINE))


def _recalled(after: str) -> list[str]:
    """Moves to where memory said that a thing was, the last told first."""
    recalled = re.findall(r'You saw [\w ]+? \d+ (?:near ([\w ]+? \d+) )?in ([\w ]+? \d+)\.', after)
    return [f'go to {place}' for pair in reversed(recalled) for place in pair if place]
