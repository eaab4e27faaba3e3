"""A laboratory (a double) that no rule of the planner was made for, which says what is true in it.

A bench, a freezer that is closed, an incubator and two cabinets in one room; vials and flasks. It
tells exact facts of what it sees from where the robot stands, and declares what its skills do.
"""

from __future__ import annotations

import random
from dataclasses import replace

from reactree_core.cancellation import CancelToken
from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.record.run_settings import Limits
from reactree_core.skill_types import class_and_number, SkillKind, SkillType
from reactree_planner.llm.policy import PolicyModel
from reactree_planner.planners.registry import make_planner
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from support.memories import FixedMemory

#: Skill that changes a thing -> the state that it is in afterwards.
_STATES = {'label': 'labelled', 'sterilise': 'sterile'}
TYPES = (
    SkillType('walk to <place>', ('place',), SkillKind.MOVE),
    SkillType('grasp <thing>', ('thing',), SkillKind.TAKE, effects=('holding <thing>',)),
    SkillType(
        'place <thing> in <place>',
        ('thing', 'place'),
        SkillKind.PUT,
        effects=('<thing> in <place>',),
    ),
    SkillType(
        'open <place>',
        ('place',),
        SkillKind.OPEN,
        inverse='close <place>',
        effects=('<place> is open',),
    ),
    SkillType(
        'close <place>',
        ('place',),
        SkillKind.CLOSE,
        inverse='open <place>',
        effects=('<place> is closed',),
    ),
    *(
        SkillType(
            f'{verb} <thing>', ('thing',), SkillKind.CHANGE, effects=(f'<thing> is {state}',)
        )
        for verb, state in _STATES.items()
    ),
)


class Laboratory:
    """Port `SkillServer`, and what is true in it.

    :param held: what the robot holds as the run begins; '' for nothing.
    """

    types = TYPES
    places = ('bench 1', 'freezer 1', 'incubator 1', 'cabinet 1', 'cabinet 2')

    def __init__(self, held: str = '') -> None:
        self.at = {
            'vial 1': 'bench 1',
            'vial 2': 'bench 1',
            'vial 3': 'bench 1',
            'flask 1': 'bench 1',
            'flask 2': 'cabinet 1',
        }
        self.here = 'bench 1'
        self.held = held
        self.at.pop(held, None)
        self.opened: set[str] = set()
        self.states: dict[str, list[str]] = {}
        self.executed: list[str] = []

    @property
    def vocabulary(self):
        return Vocabulary(
            tuple(one.template for one in self.types),
            ('vial', 'flask'),
            ('bench', 'freezer', 'incubator', 'cabinet'),
            ('lab 1',),
            self.types,
            about='A robot in a laboratory.',
        )

    def list_skills(self, cancel):
        return self.vocabulary, self.look(cancel)

    def look(self, cancel):
        return self._seen('You look.')

    def candidate_skills(self, cancel):
        return self._skills()

    def progress(self, cancel):
        return None

    def _is_shut(self):
        return self.here == 'freezer 1' and self.here not in self.opened

    def _around(self):
        return [name for name, place in self.at.items() if place == self.here]

    def _skills(self):
        skills = [f'walk to {place}' for place in self.places if place != self.here]
        if self.here == 'freezer 1':
            skills.append(f'{"close" if self.here in self.opened else "open"} {self.here}')
        near = [] if self._is_shut() else self._around()
        if not self.held:
            skills += [f'grasp {name}' for name in near]
        elif not self._is_shut():
            skills.append(f'place {self.held} in {self.here}')
        for name in (*near, *filter(None, [self.held])):
            has = self.states.get(name, ())
            skills += [f'{verb} {name}' for verb, state in _STATES.items() if state not in has]
        return tuple(skills)

    def execute(self, sequence, node_id, skill, cancel):
        if skill not in self._skills():
            return replace(self._seen('No.'), outcome=Outcome.PRECONDITION_FAILED)
        self.executed.append(skill)
        verb, _, rest = skill.partition(' ')
        if verb == 'walk':
            self.here = rest.removeprefix('to ')
        elif verb == 'grasp':
            self.held = rest
            del self.at[rest]
        elif verb == 'place':
            self.at[self.held], self.held = self.here, ''
        elif verb == 'open':
            self.opened.add(rest)
        elif verb == 'close':
            self.opened.discard(rest)
        else:
            self.states.setdefault(rest, []).append(_STATES[verb])
        return self._seen(f'Done: {skill}.')

    def _seen(self, text):
        def fact(name, place='', state=''):
            return ObjectFact(*class_and_number(name), 'lab 1', place, state=state)

        shut = self._is_shut()
        facts = [
            fact(
                place,
                state='' if place != 'freezer 1' else 'open' if place in self.opened else 'closed',
            )
            for place in self.places
        ]
        facts += [
            fact(name, self.here, ', '.join(self.states.get(name, ())))
            for name in ([] if shut else self._around())
        ]
        if self.held:
            facts.append(fact(self.held, state=', '.join(self.states.get(self.held, ()))))
        return Observation(
            text,
            place=self.here,
            room='lab 1',
            looked_at=() if shut else (self.here,),
            held=tuple(filter(None, [self.held])),
            admissible_skills=self._skills(),
            facts=tuple(facts),
        )


def carried_out(task, world=None, planner='reactree', seed=0, settings=None, decisions=60):
    """Whether a run says that a task is done, and the run, with a model that draws its answers."""
    drawn = random.Random(seed)

    def policy(text, options):
        return f' {task}\n' if options is None else drawn.randrange(len(options))

    run = PlanRun(
        task,
        Ports(PolicyModel(policy), world or Laboratory(), FixedMemory()),
        settings or PlannerSettings(seed=seed),
        Limits(decisions=decisions),
        CancelToken(),
        lambda event: None,
    )
    return carry_out(make_planner(planner), run), run
