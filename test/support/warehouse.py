"""A small warehouse: crates in two aisles, a truck and a pump at the dock; skills may fail."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.record.events import DecisionKind
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.runs.run import PlanRun

_SKILLS = (
    SkillType('enter <region>', ('region',), SkillKind.MOVE),
    SkillType('lift <crate>', ('thing',), SkillKind.TAKE),
    SkillType('load <crate> onto <truck>', ('thing', 'place'), SkillKind.PUT),
    SkillType('scan <crate>', ('thing',), SkillKind.CHANGE, effects=('<crate> is scanned',)),
    SkillType('switch on <pump>', ('name',), SkillKind.SWITCH_ON, 'switch off <pump>'),
    SkillType('switch off <pump>', ('name',), SkillKind.SWITCH_OFF, 'switch on <pump>'),
)
VOCABULARY = Vocabulary(
    tuple(one.template for one in _SKILLS),
    object_classes=('crate', 'drum'),
    place_classes=('truck', 'shelf', 'pump'),
    rooms=('dock 1', 'aisle 1', 'aisle 2'),
    skill_types=_SKILLS,
)


class Warehouse:
    """Port `SkillServer`.

    :param faults: skill and how often it fails before it succeeds.
    """

    def __init__(self, faults: Counter[str] | None = None) -> None:
        self.faults = Counter(faults or ())
        self.executed: list[str] = []
        self.room = 'dock 1'
        self.held = ''
        self.pump_is_on = False
        self.scanned: set[str] = set()
        self.at = {'crate 1': 'shelf 1', 'crate 2': 'shelf 2', 'drum 1': 'shelf 2'}
        self.in_room = {'truck 1': 'dock 1', 'pump 1': 'dock 1'}
        self.in_room |= {'shelf 1': 'aisle 1', 'shelf 2': 'aisle 2'}

    def list_skills(self, cancel):
        return VOCABULARY, self.look(cancel)

    def candidate_skills(self, cancel):
        return self._skills()

    def look(self, cancel):
        return self._observation(f'You are in {self.room}.')

    def reset(self, cancel):
        raise NotImplementedError

    def progress(self, cancel):
        return None

    def execute(self, sequence, node_id, skill, cancel):
        self.executed.append(skill)
        if self.faults[skill] > 0:
            self.faults[skill] -= 1
            failed = self._observation('The motor stalls.')
            return replace(failed, outcome=Outcome.EXECUTION_FAILED)
        if skill not in self._skills():
            failed = self._observation('That cannot be done here.')
            return replace(failed, outcome=Outcome.PRECONDITION_FAILED)
        verb, _, rest = skill.partition(' ')
        if verb == 'enter':
            self.room = rest
        elif verb == 'lift':
            self.held = rest
            self.at[rest] = ''
        elif verb == 'load':
            self.at[self.held] = 'truck 1'
            self.held = ''
        elif verb == 'scan':
            self.scanned.add(rest)
        else:
            self.pump_is_on = rest.startswith('on')
        return self._observation(f'You {skill}.')

    def _here(self):
        return [name for name, room in self.in_room.items() if room == self.room]

    def _skills(self):
        things = [name for name, place in self.at.items() if place in self._here()]
        skills = [f'enter {room}' for room in VOCABULARY.rooms if room != self.room]
        if not self.held:
            skills += [f'lift {name}' for name in things]
        skills += [f'scan {name}' for name in (*things, *filter(None, [self.held]))]
        if self.room == 'dock 1':
            skills.append('switch off pump 1' if self.pump_is_on else 'switch on pump 1')
            if self.held:
                skills.append(f'load {self.held} onto truck 1')
        return tuple(skills)

    def _observation(self, text):
        here = self._here()
        facts = [
            ObjectFact(
                name[:-2],
                int(name[-1]),
                self.room,
                state=('on' if self.pump_is_on else 'off') if name == 'pump 1' else '',
            )
            for name in here
        ]
        for name, place in self.at.items():
            state = 'scanned' if name in self.scanned else ''
            if place in here or name == self.held:
                where = place or 'agent 1'
                facts.append(ObjectFact(name[:-2], int(name[-1]), self.room, where, state))
        return Observation(
            text,
            room=self.room,
            looked_at=tuple(here),
            held=(self.held,) if self.held else (),
            admissible_skills=self._skills(),
            facts=tuple(facts),
        )


class GroundedRun(PlanRun):
    """A run whose task was grounded to `wanted`, as its first event tells."""

    wanted: tuple[str, ...] = ()

    def start(self, planner, *kept):
        super().start(planner, *kept)
        if self.wanted:
            self.events.decide(0, DecisionKind.GROUND, text=self.task, subgoals=self.wanted)
