"""What a task forbids: found once in its sentence, kept at every node, whatever the model says."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_core.observation import Vocabulary
from reactree_core.permission.rules import Rule
from reactree_planner.instructions.amounts import amount_limits
from reactree_planner.instructions.clauses import read_clauses
from reactree_planner.instructions.meant_skills import MeantSkills
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.time_rules import rules_in_time
from reactree_planner.instructions.told_skills import ToldSkillReader


@dataclass(frozen=True, slots=True)
class TaskRules:
    """What a task forbids.

    :param prohibitions: what is never done. :param in_time: what is counted, waits for something,
        or has something follow it.
    :param left_to_model: what reads as forbidden for a time or a case, in the task's words.
    """

    prohibitions: tuple[MeantSkills, ...] = ()
    in_time: tuple[Rule, ...] = ()
    left_to_model: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All of it as rules of permission."""
        never = (Rule('the task', one, at_most=0, of_task=True) for one in self.prohibitions)
        return (*never, *self.in_time)


def rules_of(task: str, vocabulary: Vocabulary, in_time: bool = True) -> TaskRules:
    """What a task forbids, in the skills that a server's templates name.

    :param in_time: whether rules of time are read; else they are left to the model.
    """
    names = Names(vocabulary)
    reading = read_clauses(task, names.verbs)
    reader = ToldSkillReader(reading, names)
    amounts = amount_limits(task, vocabulary.skills) if in_time else ()

    def is_amount(word: int) -> bool:
        at = reading.spans[min(word, len(reading.spans) - 1)][0]
        return any(one.begin <= at < one.end for one in amounts)

    timed = tuple(
        (words, rule)
        for words, rule in (rules_in_time(task, reader, names) if in_time else ())
        if not any(map(is_amount, range(*words)))
    )
    found: list[MeantSkills] = []
    left = [' '.join(task[one.begin : one.end].split()) for one in amounts if not one.rules]
    for region in reading.regions:
        if any(begin <= region.start < end for (begin, end), _ in timed):
            continue
        if is_amount(region.start):
            continue
        meant = reader.forbidden(region) if region.enforced else ()
        found += meant
        if not meant:
            begin = max(0, region.start - 2) if not region.passive else region.clause
            words = reading.spans[begin : region.end]
            if words:
                left.append(' '.join(task[words[0][0] : words[-1][1]].split()))
    of_amounts = (rule for one in amounts for rule in one.rules)
    in_order = tuple(dict.fromkeys([*(rule for _, rule in timed), *of_amounts]))
    return TaskRules(tuple(dict.fromkeys(found)), in_order, tuple(left))
