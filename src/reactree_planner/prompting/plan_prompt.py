"""Prompts of the planners that write plans of steps (Tree-Planner appendix F has the published).

Plan sampling reads instruction, what the world knows, examples, task and first observation; the
iterative planners read the same and then every observation; a decision at a fork reads its
instruction, task, history and the options.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from string import Template

from reactree_core.domain import Domain, Words
from reactree_core.observation import Observation, Vocabulary
from reactree_core.record.trajectory_text import ACT, quoted, task_line
from reactree_planner.prompting.reactree_prompt import EARLIER_STEPS

#: Stands before the steps of a plan.
PLAN = 'Plan:'
#: What ends a plan; servers take four stop texts at most.
PLAN_STOPS = ('\n\n', 'done', 'Your task')
#: Stands before a decision at a fork.
ANSWER = 'Answer:'
_MARK = re.compile(r'[^A-Za-z]*([A-Za-z]{1,2})(?![A-Za-z])')


@dataclass(frozen=True, slots=True)
class PlanExample:
    """A task and the steps that carry it out, without the end."""

    task: str
    steps: tuple[str, ...]


def shipped_examples(domain: Domain) -> tuple[PlanExample, ...]:
    """The examples of a domain, written for no world in particular."""
    blocks = domain.text('plan_examples').strip().split('\n\n')
    examples = []
    for block in filter(None, blocks):
        task, *steps = block.splitlines()
        examples.append(PlanExample(task, tuple(steps)))
    return tuple(examples)


def whole_plan(example: PlanExample) -> str:
    """An example as plans are sampled: numbered lines."""
    lines = [f'{number}. {step}' for number, step in enumerate((*example.steps, 'done'), start=1)]
    return '\n'.join((task_line(example.task) + PLAN, *lines))


def step_by_step(example: PlanExample) -> str:
    """An example as steps are asked for one at a time, observations left out."""
    lines = [f'{ACT} {step}' for step in (*example.steps, 'done')]
    return '\n'.join((task_line(example.task) + PLAN, *lines))


def system_text(prompt: str, vocabulary: Vocabulary, words: Words) -> str:
    """Instruction and what the world knows: skills, regions, names (`global information`)."""
    lines = [prompt.strip(), f'Skills: {", ".join(vocabulary.templates)}.']
    for title, names in (
        (words.regions, vocabulary.rooms),
        ('Places', vocabulary.place_classes),
        ('Things', vocabulary.object_classes),
    ):
        if names:
            lines.append(f'{title}: {", ".join(names)}.')
    return '\n'.join(lines)


def whereabouts(observation: Observation, words: Words) -> str:
    """Where the robot is and what it holds; '' where the world does not report the region."""
    if not observation.room:
        return ''
    held = ', '.join(observation.held) or 'nothing'
    place = Template(words.whereabouts).safe_substitute(region=observation.room, held=held)
    return f'{place}\n'


def facts_text(observation: Observation, words: Words) -> str:
    """What is seen as facts: where the robot is, states, what is in or on what, and by region.

    A world that tells no facts is quoted in its own words.
    """
    facts = observation.facts
    if not facts:
        return quoted(observation.text)
    lines = [whereabouts(observation, words).strip()]
    lines += sorted({f'{fact.name} is {fact.state}' for fact in facts if fact.state})
    lines += sorted(
        {f'{fact.name} is in or on {fact.receptacle}' for fact in facts if fact.receptacle}
    )
    for region in sorted({fact.room for fact in facts if fact.room}):
        names = sorted({fact.name for fact in facts if fact.room == region})
        lines.append(f'In {region}: {", ".join(names)}')
    return quoted('\n'.join(filter(None, lines)))


def lessons_text(lessons: Sequence[str]) -> str:
    """What a plan that is written anew must avoid; '' without any."""
    if not lessons:
        return ''
    return 'Other ways were tried and taken back:\n' + ''.join(
        f'- {lesson}\n' for lesson in lessons
    )


def marks_of(options: int) -> list[str]:
    """The marks of so many options: A, B, ...; AA, AB, ... where letters do not suffice."""
    letters = string.ascii_uppercase
    if options <= len(letters):
        return list(letters[:options])
    return [''.join(pair) for pair in islice(product(letters, repeat=2), options)]


def option_of(answer: str, options: int) -> int | None:
    """Index of the option whose mark begins an answer; None when none does."""
    match = _MARK.match(answer)
    marks = marks_of(options)
    mark = match[1].upper() if match else ''
    return marks.index(mark) if mark in marks else None


def decision_text(
    task: str,
    history: Sequence[tuple[str, str]],
    now: str,
    error: str,
    options: Sequence[str],
    left_out: bool = False,
) -> str:
    """What is asked at a fork, after the instruction.

    :param history: skills done and what was observed. :param now: what the robot sees.
    :param error: of the step that failed last; '' for none.
    :param left_out: whether earlier steps were left out.
    """
    lines = [task_line(task).strip()]
    if history or left_out:
        lines.append('Done so far:')
    if left_out:
        lines.append(EARLIER_STEPS.strip())
    if history:
        lines += [f'{ACT} {skill}\n{text}' for skill, text in history]
    lines.append(f'Now: {now}')
    if error:
        lines.append(error)
    lines.append('Which step comes next?')
    marked = zip(marks_of(len(options)), options, strict=True)
    lines += [f'{mark}. {option}' for mark, option in marked]
    return '\n'.join(lines) + f'\n{ANSWER}'
