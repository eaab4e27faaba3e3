"""A short run: a skill that a person has approved, and others that could have been done."""

from __future__ import annotations

from dataclasses import asdict

from reactree_core.observation import Observation, Vocabulary
from reactree_core.permission.rules import Rules
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.record.journal_lines import Answer, Record
from reactree_core.skill_types import SkillKind, SkillType

RULES = Rules((RuleEntry(name='hands off', things='knife', decide='deny').rule,))
_VOCABULARY = Vocabulary(
    object_classes=('knife', 'gate'),
    skill_types=(
        SkillType('open <thing>', kind=SkillKind.OPEN, inverse='close <thing>'),
        SkillType('take <thing>', kind=SkillKind.TAKE),
    ),
)
_OFFERED = ('open gate 1', 'open gate 2', 'take knife 1')


def approved_run() -> list[Record]:
    """Its journal."""
    return [
        Decision(1, 0, DecisionKind.START, text='let them in'),
        Answer('list_skills', {'vocabulary': asdict(_VOCABULARY)}),
        Observation('Two gates.', sequence=2, node_id=1, admissible_skills=_OFFERED),
        Decision(3, 1, DecisionKind.THINK, text='The first gate is the nearest.'),
        Decision(
            4,
            1,
            DecisionKind.ACT,
            skill='open gate 1',
            allowed_by='person (rule "gates")',
            approver='Ada <b>',
            undone_by='close gate 1',
        ),
        Observation(
            'It is open.', skill='open gate 1', sequence=4, node_id=1, admissible_skills=_OFFERED
        ),
        Decision(5, 1, DecisionKind.ACT, skill='done'),
        Decision(6, 1, DecisionKind.FINISH, status=NodeStatus.SUCCESS),
        Decision(7, 0, DecisionKind.FINISH, status=NodeStatus.SUCCESS, text='verified'),
    ]
