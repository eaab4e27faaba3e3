"""Turn markers of instruction-tuned models, around a prompt that goes on as one text.

A planner's prompt is a text that the model continues. With a template, the shared beginning
(system text and examples) becomes the system turn, and everything after it the answer's turn, so
that what the robot sees stays part of one growing text. Without one, the text goes in as it is,
which is what base models need.
"""

from __future__ import annotations

from dataclasses import dataclass

from reactree_core.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """Markers around the shared beginning.

    :param before: control text before it. :param after: control text after it.
    :param sign: what a model's own template (Jinja) of this kind contains.
    """

    before: str
    after: str
    sign: str


TEMPLATES = {
    'chatml': ChatTemplate(
        '<|im_start|>system\n', '<|im_end|>\n<|im_start|>assistant\n', '<|im_start|>'
    ),
    'llama3': ChatTemplate(
        '<|start_header_id|>system<|end_header_id|>\n\n',
        '<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
        '<|start_header_id|>',
    ),
    # These two have no system turn: what is shared is said by the user.
    'gemma': ChatTemplate(
        '<start_of_turn>user\n', '<end_of_turn>\n<start_of_turn>model\n', '<start_of_turn>'
    ),
    'mistral': ChatTemplate('[INST] ', ' [/INST]', '[INST]'),
}
#: Values of the parameter `chat_template`.
CHOICES = ('none', 'auto', *TEMPLATES)


def choose_template(choice: str, own: str) -> ChatTemplate | None:
    """The template of a model, None for plain text.

    :param choice: one of CHOICES; 'auto' recognises the model's own.
    :param own: the model's own template (Jinja), '' when it has none.
    :raises ConfigurationError: there is no such choice.
    """
    if choice == 'none':
        return None
    if choice == 'auto':
        found = [template for template in TEMPLATES.values() if template.sign in own]
        return found[0] if found else None
    if choice not in TEMPLATES:
        raise ConfigurationError(
            f'There is no chat template {choice[:50]!r}: choose one of {", ".join(CHOICES)}.'
        )
    return TEMPLATES[choice]
