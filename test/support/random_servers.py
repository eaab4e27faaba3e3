"""Skill servers and rules made at random, and clients that want what is forbidden (doubles)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.permission.rules import Rules, Verdict
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.permission.spending import Amounts, Limits
from reactree_core.skill_types import class_and_number, SkillKind, SkillType

_CLASSES = ('crate', 'gate', 'valve', 'drum', 'lamp', 'hatch')
_PLACES = ('dock 1', 'aisle 2', 'shed 3')
_PAIRS = (
    ('open', 'close', SkillKind.OPEN, SkillKind.CLOSE),
    ('start', 'halt', SkillKind.SWITCH_ON, SkillKind.SWITCH_OFF),
)
_STATES = {'open': 'open', 'close': 'closed', 'start': 'on', 'halt': 'off', 'scan': 'scanned'}


class RandomServer:
    """Port `SkillServer`: some skills on some things, of which a share fails.

    :param failing: share of the skills that come to nothing, half of them without an effect.
    """

    def __init__(self, random: Random, failing: float = 0.0) -> None:
        self._random = random
        self._failing = failing
        self.things = [
            f'{one} {number}'
            for one in random.sample(_CLASSES, random.randint(2, 3))
            for number in range(1, random.randint(2, 3))
        ]
        types = [
            SkillType('drive to <place>', ('place',), SkillKind.MOVE),
            SkillType(
                'scan <thing>', ('thing',), SkillKind.CHANGE, effects=('<thing> is scanned',)
            ),
        ]
        for there, back, kind, opposite in random.sample(_PAIRS, random.randint(1, 2)):
            types.append(SkillType(f'{there} <thing>', ('thing',), kind, f'{back} <thing>'))
            types.append(SkillType(f'{back} <thing>', ('thing',), opposite, f'{there} <thing>'))
        if random.random() < 0.5:
            pour = 'pour <ml> ml on <thing>'
            types.append(SkillType(pour, ('number', 'thing'), SkillKind.CHANGE))
        # Some servers tell no kinds at all.
        told = random.random() < 0.8
        self.types = tuple(types if told else (SkillType(one.template) for one in types))
        self.states = dict.fromkeys(self.things, '')
        self.place = _PLACES[0]
        self.executed: list[str] = []

    def candidate_skills(self, cancel=None):
        """Whatever may be sent, sensible or not."""
        found = []
        for one in self.types:
            if 'place' in one.template:
                found += [one.filled([place]) for place in _PLACES]
            elif '<ml>' in one.template:
                found += [one.filled([ml, t]) for ml in ('50', '200') for t in self.things]
            else:
                found += [one.filled([thing]) for thing in self.things]
        return tuple(found)

    @property
    def vocabulary(self):
        classes = tuple(dict.fromkeys(class_and_number(one)[0] for one in self.things))
        templates = tuple(one.template for one in self.types)
        return Vocabulary(templates, classes, _PLACES, (), self.types)

    def list_skills(self, cancel):
        return self.vocabulary, self.look(cancel)

    def look(self, cancel=None):
        facts = tuple(
            ObjectFact(*class_and_number(thing), state=state)
            for thing, state in self.states.items()
        )
        return Observation(
            'You look.',
            place=self.place,
            facts=facts,
            admissible_skills=self.candidate_skills(),
        )

    def progress(self, cancel):
        return None

    def execute(self, sequence, node_id, skill, cancel):
        if self._random.random() < self._failing:
            outcomes = (Outcome.PRECONDITION_FAILED, Outcome.EXECUTION_FAILED, Outcome.TIMED_OUT)
            return replace(self.look(), text='No.', outcome=self._random.choice(outcomes))
        self.executed.append(skill)
        verb, _, name = skill.partition(' ')
        if verb == 'drive':
            self.place = name.removeprefix('to ')
        elif verb in _STATES:
            self.states[name] = _STATES[verb]
        return replace(self.look(), text=f'Done: {skill}.')


def random_rules(random: Random, server: RandomServer, within: bool) -> Rules:
    """1 to 4 rules over what a server can do.

    :param within: whether something may have to follow within some skills: a skill that fails then
        breaks such a rule, and nobody can help it.
    """
    templates = [one.template for one in server.types]
    there = [one for one in templates if one.startswith(('open', 'start'))]
    back = {'open <thing>': 'close <thing>', 'start <thing>': 'halt <thing>'}
    thing = random.choice(server.things)
    opening = random.choice(there)
    choices = [
        {'skills': random.choice(templates), 'decide': 'deny'},
        {'things': thing, 'decide': random.choice(('deny', 'ask', 'allow'))},
        {'things': class_and_number(thing)[0], 'at_most': random.randint(0, 2)},
        {'places': random.choice(_PLACES), 'decide': 'deny'},
        {'kinds': random.choice(('open', 'switch_on', 'change')), 'decide': 'deny'},
        {'skills': random.choice(templates), 'at_most': random.randint(0, 3)},
        {'skills': random.choice(templates), 'at_most': random.randint(1, 2), 'per': 'hour'},
        {'skills': opening, 'only_after': 'scan <thing>'},
        {'skills': opening, 'only_after': {'fact': '<thing> is scanned'}},
        {'skills': opening, 'then': back[opening]},
        {'skills': opening.replace('<thing>', thing), 'then': f'scan {thing}'},
    ]
    if within:
        choices.append({'skills': opening, 'then': back[opening], 'within': random.randint(1, 3)})
    if any('<ml>' in one for one in templates):
        total = {'of': '<ml>', 'for_each': '<thing>', 'at_most': 250}
        choices.append({'skills': 'pour <ml> ml on <thing>', 'total': total})
    chosen = random.sample(choices, random.randint(1, 4))
    entries = [RuleEntry(name=f'rule {n}', **one) for n, one in enumerate(chosen, start=1)]
    limits = Limits(Amounts(skills=6)) if random.random() < 0.2 else Limits()
    otherwise = random.choice((None, None, Verdict.ALLOW, Verdict.ASK))
    return Rules(tuple(entry.rule for entry in entries), otherwise, limits)


class ForbiddenFirst:
    """A model (policy) that takes what a rule speaks of whenever it is offered, and else anything.

    :param wanted: told a skill, whether it is one to insist on.
    """

    def __init__(self, random: Random, wanted) -> None:
        self._random = random
        self._wanted = wanted

    def __call__(self, text, options):
        if options is None:
            return ' open gate 1, start drum 1'
        names = [option.strip() for option in options]
        bad = [n for n, name in enumerate(names) if self._wanted(name.removeprefix('Act: '))]
        likely = [n for n, name in enumerate(names) if name not in ('failure', 'done', 'Think:')]
        return self._random.choice(bad or likely or range(len(names)))


class HostilePlanner:
    """A planner that acts past everything that is offered: whatever is forbidden now is sent."""

    name = 'hostile'

    def __init__(self, random: Random, server: RandomServer, steps: int = 12) -> None:
        self._random = random
        self._server = server
        self._steps = steps

    def run(self, run):
        run.start(self.name)
        run.acting.look(1)
        for _ in range(self._steps):
            skills = self._server.candidate_skills()
            tried = self._random.sample(skills, min(8, len(skills)))
            bad = [skill for skill in tried if run.world.rules.objection(skill)]
            insists = bad and self._random.random() < 0.5
            run.acting.act(1, self._random.choice(bad if insists else skills))
            run.acting.before_decision()
        return True
