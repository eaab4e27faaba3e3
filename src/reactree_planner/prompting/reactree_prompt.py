"""The prompt of an agent node: system text, examples, goal information, goal, observation.

Everything a node shares with others comes first and unchanged, so that it is evaluated once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from reactree_core.domain import Words
from reactree_core.errors import PromptTooLongError
from reactree_core.experience import Experience
from reactree_core.foreign_text import cleaned
from reactree_core.record.events import ControlFlow
from reactree_core.record.run_settings import Flows, Frame
from reactree_core.record.trajectory_text import (
    FLOW_WORDS,
    goal_information,
    LIKE_A_FRAME,
    marked,
    single_line,
    task_line,
)

#: Stands where a prompt that has grown too long leaves steps out.
EARLIER_STEPS = '(Earlier steps are left out here.)\n'

#: Text after which a reflection is written.
REFLECTION = 'Reflection:'
#: Skills of other agents that are given, the last.
_OTHERS = 8
#: Reflections that a trial is given, as published.
_LESSONS = 3

#: The control flows of each configuration, in the order in which they are offered.
FLOWS = {
    Flows.ALL: (ControlFlow.SEQUENCE, ControlFlow.FALLBACK, ControlFlow.PARALLEL),
    Flows.SEQUENCE_FALLBACK: (ControlFlow.SEQUENCE, ControlFlow.FALLBACK),
    Flows.SEQUENCE: (ControlFlow.SEQUENCE,),
}


def with_flows(text: str, flows: Flows) -> str:
    """A prompt without the lines that explain control flows which no expansion may use."""
    gone = [f'- {word}:' for flow, word in FLOW_WORDS.items() if flow not in FLOWS[flows]]
    lines = text.splitlines(keepends=True)
    return ''.join(line for line in lines if not line.lstrip().startswith(tuple(gone)))


def forbidden(must_not: Sequence[str], said: Sequence[str] = ()) -> str:
    """What the task forbids, for every node's prompt; '' where it forbids nothing."""
    line = f'You must not: {"; ".join(map(single_line, must_not))}.\n' if must_not else ''
    return line + ''.join(f'The person has said since: {single_line(one)}\n' for one in said)


def with_demonstrations(text: str) -> tuple[str, tuple[str, ...]]:
    """A prompt of a domain without its demonstrations, and these.

    :param text: paragraphs; the first with a task begins the demonstrations.
    """
    paragraphs = re.split(r'\n\n+', text.strip())
    task = f'\n{task_line("").rstrip()}'
    begun = next((k for k, one in enumerate(paragraphs) if task in f'\n{one}'), len(paragraphs))
    return '\n\n'.join(paragraphs[:begun]), tuple(paragraphs[begun:])


def tried_before(tasks: Sequence[str]) -> str:
    """What a planner is told of tasks that an executor could not do; '' without any."""
    listed = '; '.join(single_line(task, 200) for task in dict.fromkeys(tasks))
    return f'Tried without success: {listed}\n' if listed else ''


def done_before(information: str) -> str:
    """What a step is told of the steps before it; '' when there is nothing to tell."""
    return f'Done just before: {single_line(information, 400)}\n' if information else ''


def done_by_others(skills: Sequence[str]) -> str:
    """What other agents of the tree have done to things of a goal; '' where they have not."""
    done = '; '.join(map(single_line, skills[-_OTHERS:]))
    return f'others have done: {done}.' if done else ''


def lessons(reflections: Sequence[str]) -> str:
    """What a trial is told of earlier ones; the last few of what was written down."""
    lines = [f'- {reflection}\n' for reflection in reflections[-_LESSONS:]]
    return f'What earlier trials of this task have taught:\n{"".join(lines)}' if lines else ''


#: Steps that stay whatever happens: what was thought and done last, and what came of it. All but
#: the last may be cut.
KEPT_STEPS = 6
#: Letters of the first observation, and of earlier steps, that stay.
_KEPT_LETTERS = 200
_CUT = ' ...'
NO_WORDS = Words()
#: Prompts that the published frame has in a form of its own, without hints of a domain.
_FRAMED_PROMPTS = ('reactree', 'executor')
#: Headings of the published frame, which stand even without examples.
_FRAMED = Words(
    examples_begin='Source domain, where others were at work:',
    examples_end='Target domain, where you are at work now:',
)


def prompt_name(name: str, frame: Frame) -> str:
    """The prompt of a domain that has this form."""
    framed = frame is Frame.PUBLISHED and name in _FRAMED_PROMPTS
    return f'published_{name}' if framed else name


def frame_words(words: Words, frame: Frame) -> Words:
    """Words between the parts of a prompt. :param words: of the domain."""
    return _FRAMED if frame is Frame.PUBLISHED else words


def example_text(example: Experience, frame: Frame) -> str:
    """An example as prompts show it: in the published frame with why its node existed."""
    context = _context_text(example.context) if frame is Frame.PUBLISHED else ''
    return context + example.trajectory


def _context_text(context: str) -> str:
    """Why the node of an example existed, in the words in which a node is told of itself."""
    released = _RELEASED_CONTEXT.fullmatch(context.strip())
    if released is None:
        return f'{context}\n' if context else ''
    siblings = re.split(r', and |, ', released['siblings'])
    return goal_information(released['parent'], ControlFlow[released['flow'].upper()], siblings)


#: How released trajectories (ReAcTree) tell the goal above a node, and its siblings.
_RELEASED_CONTEXT = re.compile(
    r'Your primary goal is to: (?P<parent>.+)\n[^\n]*\b(?P<flow>sequence|fallback|parallel)\b'
    r'.*\bsibling tasks are: (?P<siblings>.+?)\.?',
    re.DOTALL,
)

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class PromptParts:
    """A prompt in parts.

    :param system: who the model is and what it may answer. :param examples: in their order.
    :param task: goal information and goal. :param first_observation: one line.
    :param steps: what the agent thought, did and saw since, oldest first; before them
        `steps_left_out` others. :param steps_cut: how many of them are only told with their first
        letters. :param words: of the domain.
    """

    system: str
    examples: tuple[str, ...]
    task: str
    first_observation: str
    steps: tuple[str, ...] = ()
    steps_left_out: int = 0
    steps_cut: int = 0
    words: Words = NO_WORDS

    @property
    def head(self) -> str:
        """What prompts with the same examples share."""
        parts = [self.system.strip()]
        if self.examples or self.words is _FRAMED:
            examples = (self._kept_apart(example.strip()) for example in self.examples)
            parts += [self.words.examples_begin, *examples, self.words.examples_end]
        return '\n\n'.join(parts) + '\n\n'

    def _kept_apart(self, example: str) -> str:
        """An example that does not end the examples: it may be a stranger's."""
        begin, end = (self.words.examples_begin, self.words.examples_end)
        lines = (
            f'| {line}' if line.strip() in (begin, end) else marked(line, LIKE_A_FRAME)
            for line in cleaned(example).split('\n')
        )
        return '\n'.join(lines)

    @property
    def rest(self) -> str:
        """What is this agent's own."""
        gap = EARLIER_STEPS if self.steps_left_out else ''
        steps = (*map(_cut, self.steps[: self.steps_cut]), *self.steps[self.steps_cut :])
        return f'{self.task}{self.first_observation}\n{gap}{"".join(steps)}'


def _cut(step: str) -> str:
    return step if len(step) <= _KEPT_LETTERS else f'{step[:_KEPT_LETTERS].rstrip()}{_CUT}\n'


def fits(parts: PromptParts, budget: int, count_tokens: CountTokens) -> bool:
    """Whether a prompt has at most `budget` tokens."""
    # A token has at least one byte, so short prompts need no counting.
    if len(parts.head.encode()) + len(parts.rest.encode()) <= budget:
        return True
    return count_tokens(parts.head) + count_tokens(parts.rest) <= budget


def fitted(parts: PromptParts, budget: int, count_tokens: CountTokens) -> PromptParts:
    """The prompt with as little as possible given up: what earlier steps saw, the oldest steps,
    what the last but one saw, examples, the end of the first observation.

    :param budget: tokens, 1 or more.
    :raises PromptTooLongError: it does not fit even so.
    """
    while not fits(parts, budget, count_tokens):
        shorter = _shortened(parts)
        if shorter is None:
            raise PromptTooLongError(
                f'The prompt does not fit {budget} tokens even without examples and earlier '
                'steps. Raise context_tokens, or shorten the task.'
            )
        parts = shorter
    return parts


def _shortened(parts: PromptParts) -> PromptParts | None:
    """The prompt with the next part given up, or None when nothing may be."""
    whole = len(parts.steps) - parts.steps_cut
    if whole > KEPT_STEPS:
        return replace(parts, steps_cut=parts.steps_cut + 1)
    if len(parts.steps) > KEPT_STEPS:
        return replace(
            parts,
            steps=parts.steps[1:],
            steps_left_out=parts.steps_left_out + 1,
            steps_cut=max(0, parts.steps_cut - 1),
        )
    if whole > 1:
        return replace(parts, steps_cut=parts.steps_cut + 1)
    if parts.examples:
        return replace(parts, examples=parts.examples[1:])
    seen = parts.first_observation.removesuffix(_CUT)
    if len(seen) > _KEPT_LETTERS:
        kept = max(_KEPT_LETTERS, len(seen) // 2)
        return replace(parts, first_observation=seen[:kept] + _CUT)
    return None
