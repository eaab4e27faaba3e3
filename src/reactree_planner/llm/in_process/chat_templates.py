"""Turn markers of instruction-tuned models: a model's own template (Jinja), or a known one.

A planner's prompt is a text that the model continues. With a template, the shared beginning
(system text and examples) becomes the system turn, and everything after it the answer's turn, so
that what the robot sees stays part of one growing text. Without one, the text goes in as it is,
which is what base models need. A conversation has the markers between all of its turns.

A template is rendered with placeholders in place of what is said, and taken apart at these: only
the markers become control tokens, whatever the turns spell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reactree_core.chat import alternating, Role, Turn
from reactree_core.errors import ConfigurationError, ModelError
from reactree_planner.llm.in_process.named_templates import CHOICES, SIGNS, TEMPLATES

#: Stands for what turn number so-and-so says; letters of private use, which no template strips.
_PLACEHOLDER = '\ue000{}\ue001'
_PLACED = re.compile('\ue000(\\d+)\ue001')


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """A template. :param source: in Jinja. :param end: how the model spells the end of a text."""

    source: str
    end: str = ''

    def markers(self, roles: Sequence[Role]) -> tuple[str, ...]:
        """Control texts before the first turn, between turns, and behind the last.

        The last one begins an answer. A model that knows no system, or no two turns of one
        speaker, has them as one turn.

        :param roles: who speaks, one or more. :raises ModelError: the template cannot do that.
        """
        return _markers(self.source, self.end, tuple(roles))


@lru_cache(maxsize=1024)
def _markers(source: str, end: str, roles: tuple[Role, ...]) -> tuple[str, ...]:
    turns = [Turn(role, _PLACEHOLDER.format(place)) for place, role in enumerate(roles)]
    for said in (turns, alternating(turns)):
        pieces = _PLACED.split(_rendered(source, end, said))
        if pieces[1::2] == [str(place) for place in range(len(roles))]:
            return tuple(pieces[::2])
    raise ModelError(
        'The chat template of the model cannot show this conversation: name another with the '
        f'parameter chat_template ({", ".join(TEMPLATES)}).'
    )


def _rendered(source: str, end: str, turns: Sequence[Turn]) -> str:
    """What the template makes of turns; '' where it refuses them, or is broken."""
    with suppress(Exception):  # the template of somebody else, which may raise anything
        return _render(source, end, turns)
    return ''


def _render(source: str, end: str, turns: Sequence[Turn]) -> str:
    text: str = _compiled(source).render(
        messages=[{'role': turn.role.value, 'content': turn.text} for turn in turns],
        add_generation_prompt=True,
        # The tokenizer adds it where the model wants it.
        bos_token='',
        eos_token=end,
    )
    return text


@lru_cache(maxsize=8)
def _compiled(source: str) -> Any:
    """Templates come with models, from anybody: they run in a sandbox."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=['jinja2.ext.loopcontrols']
    )
    environment.globals['raise_exception'] = _refuse
    environment.globals['strftime_now'] = lambda form: datetime.now().strftime(form)
    return environment.from_string(source)


def _refuse(message: str) -> None:
    raise TemplateError(message)


def choose_template(choice: str, own: str, end: str = '') -> ChatTemplate | None:
    """The template of a model, None for plain text.

    :param choice: one of CHOICES; 'auto' takes the model's own, or what it looks like where that
        cannot be rendered.
    :param own: the model's own template (Jinja), '' when it has none.
    :param end: how the model spells the end of a text.
    :raises ConfigurationError: there is no such choice.
    """
    if choice == 'none':
        return None
    if choice == 'auto':
        looks_like = [TEMPLATES[name] for name, sign in SIGNS.items() if sign in own]
        for source in (own, *looks_like) if own else ():
            template = ChatTemplate(source, end)
            try:
                template.markers((Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER))
            except ModelError:
                continue
            return template
        return None
    if choice not in TEMPLATES:
        raise ConfigurationError(
            f'There is no chat template {choice[:50]!r}: choose one of {", ".join(CHOICES)}.'
        )
    return ChatTemplate(TEMPLATES[choice], end)
