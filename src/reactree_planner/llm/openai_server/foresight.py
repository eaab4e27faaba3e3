"""A decision that is asked bit by bit (think or act? which skill?), answered by one request.

A session is told what it will be asked (`Outlook`). At the first question the server decides it
all, as JSON with a schema that never changes, because services cache what a request begins with,
schema included. The answer becomes the text that the agent will have said; later questions read
from it as long as what was said in between is just that text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reactree_core.ports import Outlook
from reactree_planner.llm.option_constraints import FOLDS, listed, proposed_index
from reactree_planner.llm.written_answers import json_objects

_SCHEMA_NAME = 'decision'
END_OF_SKILL = '\n'
DECIDE = (
    'You go on with a text in which an agent decides step by step. Answer only with JSON: '
    '"thought" is what the agent thinks now, in one or two short sentences, or "" for nothing; '
    '"choice" is exactly one of the options, letter for letter; "subgoals" is [] unless the '
    f'choice expands the goal. {FOLDS}'
)
_EXPAND = 'expand: {}'
_THINKS, _MUST_THINK = 'A thought may come first.', 'A thought comes first.'
_NO_THOUGHT = 'No thought comes now.'


@dataclass(slots=True)
class Foresight:
    """What was foretold at a place of a session, and what came of it; shared by forks.

    :param place: where in the session it holds.
    :param continuation: what the agent says from there on; None before the server was asked, ''
        where it was asked in vain.
    """

    outlook: Outlook
    place: tuple[int, int]
    continuation: str | None = None

    def rest(self, said: str) -> str:
        """What is left to say. :param said: since the place."""
        foreseen = self.continuation or ''
        return foreseen[len(said) :] if foreseen.startswith(said) else ''

    def is_next(self, said: str) -> bool:
        """Whether the server is to be asked now. :param said: since the place."""
        begun = self.outlook.think if self.outlook.must_think else ''
        return self.continuation is None and said == begun

    def fits(self, said: str, outlook: Outlook) -> bool:
        """Whether what is left to say is on offer in a later outlook too."""
        rest = self.rest(said)
        if not rest or outlook.must_think:
            return False
        if outlook.expand and rest.startswith(outlook.expand):
            return True
        skill = rest.removeprefix(f'{outlook.act} ').removesuffix(END_OF_SKILL)
        return rest.startswith(outlook.act) and skill in outlook.skills


def begun_by(rest: str, options: Sequence[str]) -> int | None:
    """Index of the longest option with which a text begins."""
    begun = [index for index, option in enumerate(options) if rest.startswith(option)]
    return max(begun, key=lambda index: len(options[index])) if begun else None


def paths_of(outlook: Outlook) -> list[str]:
    """All that the agent may say first, each as one option."""
    paths = [f'{outlook.act} {skill}{END_OF_SKILL}' for skill in outlook.skills]
    return [*paths, *filter(None, (outlook.think, outlook.expand))]


def choices_of_outlook(outlook: Outlook) -> list[str]:
    """What a decision may name: skills, and expansions with their control flow."""
    expansions = [_EXPAND.format(flow) for flow in outlook.flows] if outlook.expand else []
    return [*outlook.skills, *expansions]


def listed_first(outlook: Outlook) -> str:
    """What stands before the text: it stays the same as long as the run."""
    lasting = [skill for skill in outlook.skills if skill in outlook.lasting]
    return DECIDE if not lasting else f'{DECIDE}\nAlways an option:\n{listed(lasting)}'


def listed_last(outlook: Outlook) -> str:
    """What stands behind the text: the options of now."""
    now = [one for one in outlook.skills if one not in outlook.lasting]
    if outlook.are_told:
        now = []
    expansions = choices_of_outlook(outlook)[len(outlook.skills) :]
    thought = _MUST_THINK if outlook.must_think else _THINKS if outlook.think else _NO_THOUGHT
    options = [*now, *expansions]
    return f'{thought} Options:\n{listed(options)}' if options else thought


def decision_format(is_strict: bool) -> dict[str, Any]:
    """The field `response_format`. :param is_strict: whether the server knows schemas by name."""
    text, texts = {'type': 'string'}, {'type': 'array', 'items': {'type': 'string'}}
    properties = {'thought': text, 'choice': text, 'subgoals': texts}
    schema = {
        'type': 'object',
        'properties': properties,
        'required': list(properties),
        'additionalProperties': False,
    }
    if not is_strict:
        return {'type': 'json_object', 'schema': schema}
    return {
        'type': 'json_schema',
        'json_schema': {'name': _SCHEMA_NAME, 'strict': True, 'schema': schema},
    }


def continuation_of(outlook: Outlook, answer: str) -> str:
    """What the agent says by this answer; '' where it decides nothing that is on offer."""
    for found in json_objects(answer):
        said = _said(outlook, found)
        if said:
            return said
    return ''


def _said(outlook: Outlook, answer: Mapping[str, Any]) -> str:
    choice, thought, subgoals = (answer.get(key) for key in ('choice', 'thought', 'subgoals'))
    thought = ' '.join(thought.split()) if isinstance(thought, str) and outlook.think else ''
    if not isinstance(choice, str) or (outlook.must_think and not thought):
        return ''
    choices = choices_of_outlook(outlook)
    index = proposed_index(choice, choices)
    if index is None:
        return ''
    before = f'{outlook.think} {thought}{outlook.after_thought}' if thought else ''
    if index < len(outlook.skills):
        return f'{before}{outlook.act} {outlook.skills[index]}{END_OF_SKILL}'
    flow = outlook.flows[index - len(outlook.skills)]
    parts = [one for one in subgoals if isinstance(one, str)] if isinstance(subgoals, list) else []
    row = ', '.join(' '.join(part.split()) for part in parts if part.strip())
    said = f'{before}{outlook.expand}{outlook.before_flow} {flow}\n{outlook.before_list}'
    return f'{said} {row}' if row else said
