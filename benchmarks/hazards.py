"""How many of 50 hazardous instructions a person is asked about, and of 50 that only look so.

Each instruction stands beside the skills that an obedient planner sends for it, so this measures
the hazards, and no reading and no model. Each skill is asked of the rules as before a robot moves,
under `otherwise: allow`; its declared effects hold afterwards. Caught is what is refused, asked
about, or has to be taken back before the run ends.

    python -m benchmarks.hazards              # both halves; --half 1 or 2, --misses shows them
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reactree_core.observation import ObjectFact, Observation
from reactree_core.permission.hazards import read_hazards
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules, Verdict
from reactree_core.skill_types import class_and_number, read_effect, Relation, SkillKind, SkillType

INSTRUCTIONS = Path(__file__).parents[1] / 'test/unit/permission/hazards/instructions.txt'
HALF = 25
#: Skills of a household robot; where it puts things, a preposition of its own.
TYPES = (
    SkillType('go to <place>', ('place',), SkillKind.MOVE),
    SkillType('pick up <thing>', ('thing',), SkillKind.TAKE),
    *(
        SkillType(f'put <thing> {where} <place>', ('thing', 'place'), SkillKind.PUT)
        for where in ('in', 'on', 'at', 'in front of')
    ),
    SkillType('push <thing> to <place>', ('thing', 'place'), SkillKind.PUT),
    SkillType('open <thing>', ('thing',), SkillKind.OPEN, 'close <thing>'),
    SkillType('close <thing>', ('thing',), SkillKind.CLOSE, 'open <thing>'),
    SkillType('turn on <thing>', ('thing',), SkillKind.SWITCH_ON, 'turn off <thing>'),
    SkillType('turn off <thing>', ('thing',), SkillKind.SWITCH_OFF, 'turn on <thing>'),
    *(
        SkillType(f'{verb} <thing>', ('thing',), SkillKind.CHANGE)
        for verb in ('wash', 'water', 'break', 'burn')
    ),
    SkillType('water <thing> with <number> ml', ('thing', 'number'), SkillKind.CHANGE),
    *(
        SkillType(f'{verb} <thing> {where} <place>', ('thing', 'place'), SkillKind.CHANGE)
        for verb, wheres in {
            'pour': ('into', 'onto'),
            'spray': ('on',),
            'empty': ('into', 'over'),
            'throw': ('at',),
            'drop': ('in',),
            'hand': ('to', 'blade first to', 'tip first to'),
        }.items()
        for where in wheres
    ),
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One line. :param skills: in order. :param facts: before them."""

    number: str
    say: str
    skills: tuple[str, ...]
    facts: tuple[str, ...] = ()

    @property
    def is_hazard(self) -> bool:
        """Whether it may hurt somebody or something."""
        return self.number.startswith('h')

    @property
    def half(self) -> int:
        """1 of those that were there while the hazards were written, 2 of the others."""
        return 1 if int(self.number[1:]) <= HALF else 2


def instructions() -> Iterator[Instruction]:
    """All of the file."""
    for line in INSTRUCTIONS.read_text(encoding='utf-8').splitlines():
        if line and not line.startswith('#'):
            number, say, skills, facts = (part.strip() for part in line.split('|'))
            yield Instruction(number, say, _several(skills), _several(facts))


def _several(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(';') if part.strip())


def caught(one: Instruction, hazards: str = '') -> str:
    """Why an instruction is not just done, as a sentence; '' for one that is.

    :param hazards: as of the parameter of this name.
    """
    rules = Rules(otherwise=Verdict.ALLOW, hazards=read_hazards(hazards))
    permission = Permission(rules, False, TYPES)
    seen = _with('', (), one.facts)
    permission.see(seen)
    for skill in one.skills:
        if not any(kind.splits(skill) and list(kind.splits(skill)) for kind in TYPES):
            raise ValueError(f'{one.number}: no skill "{skill}" is declared')
        ruling = permission.begin(skill)
        if ruling.verdict is not Verdict.ALLOW:
            return ruling.reason
        seen = _with(skill, seen.facts, _effects(skill))
        permission.record(skill, seen)
    return '; '.join(permission.pending())


def _effects(skill: str) -> tuple[str, ...]:
    for kind in TYPES:
        for values in kind.splits(skill):
            names = dict(zip((slot.text for slot in kind.slots), values, strict=True))
            texts = [effect.text for effect in kind.facts]
            for slot, name in names.items():
                texts = [text.replace(slot, name) for text in texts]
            return tuple(texts)
    return ()


def _with(skill: str, facts: tuple[ObjectFact, ...], texts: tuple[str, ...]) -> Observation:
    """What is seen once these hold too."""
    known = {fact.name: fact for fact in facts}
    held: list[str] = []
    for text in texts:
        effect = read_effect(text)
        assert effect is not None, text
        if effect.relation is Relation.HOLDING:
            held += [effect.value] if effect.holds else []
        elif effect.relation is not Relation.AT:
            old = known.get(effect.subject, ObjectFact(*class_and_number(effect.subject)))
            is_in = effect.relation is Relation.IN
            known[effect.subject] = ObjectFact(
                old.object_class,
                old.instance,
                receptacle=effect.value if is_in else old.receptacle,
                state=old.state if is_in else effect.value,
            )
    return Observation('Done.', skill=skill, held=tuple(held), facts=tuple(known.values()))


def shares(half: int) -> tuple[float, float, list[Instruction]]:
    """Caught of the hazards, caught of the others, and what was judged wrongly."""
    chosen = [one for one in instructions() if one.half == half]
    wrong = [one for one in chosen if bool(caught(one)) is not one.is_hazard]
    missed = sum(one.is_hazard for one in wrong)
    return 1 - missed / HALF, (len(wrong) - missed) / HALF, wrong


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--half', type=int, choices=(1, 2), help='only this one')
    parser.add_argument('--misses', action='store_true', help='also what was judged wrongly')
    args = parser.parse_args()
    print('| half | hazards refused, asked about or taken back | harmless ones |\n|---|---|---|')
    for half in [args.half] if args.half else (1, 2):
        hazards, harmless, wrong = shares(half)
        print(f'| {half} | {hazards:.2f} of {HALF} | {harmless:.2f} of {HALF} |')
        for one in wrong if args.misses else ():
            print(f'  {one.number} {one.say}: {caught(one) or "nothing"}')


if __name__ == '__main__':
    main()
