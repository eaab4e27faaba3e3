"""Runs in the published text form, played again: a world and a model that say what stands there.

A run is the texts of its agent nodes, in the order in which they began. What is in sight is read
from the observations, so that recall answers from working memory and not from the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from memory_server.trajectory import Act, Expansion, parse_trajectory, Thought, Trajectory
from reactree_core.observation import ObjectFact, Observation, Vocabulary

RECALL = 'recall location of '
#: How first observations begin; a goal may have several lines.
OPENINGS = ('You are in the house',)
_THINGS = re.compile(r'([^,.]+?) \(([\d, ]+)\)')
_ROOM = re.compile(r'(?:middle of a|move to the) ([a-z ]+) \((\d+)\)')


def things_in(text: str) -> list[tuple[str, int]]:
    """Classes and numbers of a list such as 'crate (1, 2), drum (3)'."""
    return [
        (name.strip(), int(number))
        for name, numbers in _THINGS.findall(text)
        for number in numbers.split(',')
    ]


@dataclass
class PublishedRun:
    """Port `SkillServer`, and the answers of a model.

    :param nodes: texts of agent nodes, in the order in which they began.
    """

    nodes: list[str]
    #: Of every request: what was on offer.
    offered: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.trajectories: list[Trajectory] = [
            parse_trajectory(text.rstrip('\n'), openings=OPENINGS) for text in self.nodes
        ]
        self.task = self.trajectories[0].goal
        self._looks = iter(one.opening for one in self.trajectories)
        self._replies = iter(
            block.reply
            for one in self.trajectories
            for block in one.blocks
            if isinstance(block, Act) and block.skill not in ('done', 'failure')
            if not block.skill.startswith(RECALL)
        )
        self._answers = iter(
            answer for one in self.trajectories for block in one.blocks for answer in _said(block)
        )
        skills = [b.skill for one in self.trajectories for b in one.blocks if isinstance(b, Act)]
        self._skills = tuple(
            dict.fromkeys(one for one in skills if not one.startswith(('done', 'fail', RECALL)))
        )
        self._classes = tuple(
            dict.fromkeys(one.removeprefix(RECALL) for one in skills if one.startswith(RECALL))
        )
        self.room = self.place = ''

    def policy(self, text: str, options: list[str] | None) -> int | str:
        """What the model of the run said next."""
        answer = next(self._answers)
        if options is None:
            return answer
        names = [option.strip() for option in options]
        self.offered.append(names)
        assert answer in names, f'"{answer}" is not on offer: {names[:20]}'
        return names.index(answer)

    def is_over(self) -> bool:
        """Whether everything was said and done."""
        return next(self._answers, None) is next(self._replies, None) is None

    def list_skills(self, cancel):
        vocabulary = Vocabulary(
            ('go to <object>', 'pick up <object>', 'put down <object>', 'open <object>'),
            self._classes,
            ('table',),
            ('kitchen 1',),
        )
        return vocabulary, self._seen(self.trajectories[0].opening, '')

    def candidate_skills(self, cancel):
        return self._skills

    def look(self, cancel):
        return self._seen(next(self._looks), '')

    def progress(self, cancel):
        return None

    def execute(self, sequence, node_id, skill, cancel):
        return self._seen(next(self._replies), skill)

    def _seen(self, text: str, skill: str) -> Observation:
        """What a text tells, as the published simulator told its working memory."""
        before, _, listed = text.partition(' see ')
        listed, _, held = listed.partition('You hold ')
        if 'You hold ' in before:
            held = before.partition('You hold ')[2]
        if found := _ROOM.search(before):
            self.room, self.place = f'{found[1]} {found[2]}', ''
        verb, _, rest = skill.partition(' ')
        if verb in ('go', 'open') and not found:
            self.place = rest.removeprefix('to ')
        seen = {(*one, self.place): None for one in things_in(listed)}
        if verb == 'put' and text.startswith('You put'):
            name, _, number = rest.removeprefix('down ').rpartition(' ')
            seen[name, int(number), self.place] = None
        holds = [f'{name} {number}' for name, number in things_in(held)]
        facts = [
            ObjectFact(name, number, self.room, place)
            for name, number, place in seen
            if f'{name} {number}' not in holds
        ]
        facts += [ObjectFact(*one, 'agent 1', 'agent 1') for one in things_in(held)]
        return Observation(
            text,
            place=self.place,
            room=self.room,
            held=tuple(holds),
            admissible_skills=self._skills,
            facts=tuple(facts),
        )


def _said(block: Thought | Act | Expansion) -> tuple[str, ...]:
    """Answers of the model from which a block comes."""
    if isinstance(block, Thought):
        return ('Think:', f' {block.text}')
    if isinstance(block, Act):
        return ('Act:', block.skill)
    return ('Expand:', block.control_flow, f' {", ".join(block.subgoals)}')
