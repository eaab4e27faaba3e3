"""All that the test of a robot's file says, as a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reactree_core.observation import Observation, Outcome
from reactree_core.permission.hazards import Hazards
from reactree_core.permission.rules import Rules
from reactree_planner.facts.retries import Attempts
from reactree_planner.facts.skills import Skills
from reactree_tools.robot_check.pairs import pairs_of
from reactree_tools.robot_check.self_test import Row, self_test
from reactree_tools.robot_check.trials import Text, texts_of
from robot_bridge.provenance import SourceProvenance
from robot_bridge.robot import Robot

#: Tries of one skill that are counted.
_MOST_TRIES = 100


@dataclass(frozen=True, slots=True)
class Report:
    """The test of one file.

    :param rows: of skills, rules and hazards. :param inferred: sentences on what the file does not
        say and is taken for so. :param retries: the retry policy, a sentence a skill or for all.
    :param sources: where the state comes from.
    """

    robot: str
    rows: tuple[Row, ...]
    inferred: tuple[str, ...] = ()
    retries: tuple[str, ...] = ()
    sources: tuple[SourceProvenance, ...] = ()

    @property
    def failed(self) -> tuple[Row, ...]:
        """Rows with a check that failed."""
        return tuple(row for row in self.rows if row.failed)


def report_of(
    robot: Robot, rules: Rules, hazards: Hazards, sources: tuple[SourceProvenance, ...]
) -> Report:
    """Test a file against itself. :param sources: where its state comes from."""
    texts = [text for skill in robot.skills for text in texts_of(robot, skill)]
    inferred = tuple(
        f'"{text.skill.type.template}" and "{pair.back.skill.type.template}" take each other '
        f'back: {pair.note}'
        for text, pair in pairs_of(robot, texts)
        if not text.skill.type.inverse
    )
    return Report(
        robot.file.robot,
        tuple(self_test(robot, rules, hazards)),
        inferred,
        tuple(_retries(robot, texts)),
        sources,
    )


def _retries(robot: Robot, texts: Sequence[Text]) -> Iterator[str]:
    """How often skills are tried that fail, as the policy itself counts it."""
    skills = Skills(robot.vocabulary())
    tries: dict[int, list[str]] = {}
    for text in texts:
        read = skills.parse(text.text)
        if read is None:
            continue
        attempts, count = Attempts(), 0
        while not attempts.has_given_up(text.text) and count < _MOST_TRIES:
            attempts.note(read, Observation('', Outcome.EXECUTION_FAILED, text.text))
            count += 1
        tries.setdefault(count, []).append(text.skill.type.template)
    for count, templates in sorted(tries.items()):
        which = 'each skill' if len(tries) == 1 else ', '.join(f'"{one}"' for one in templates)
        often = 'once' if count == 1 else f'{count} times'
        yield f'{which} is tried {often} where it fails, then given up'
