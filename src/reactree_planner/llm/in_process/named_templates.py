"""Chat templates by name: what the parameter `chat_template` offers, without their engine."""

from __future__ import annotations

_TURN = '{% for message in messages %}'
_END = '{% endfor %}'
#: A line's end at the end of a template, which would be left out as it is.
_LINE = "{{ '\\n' }}"
#: Templates of families that are known by their markers.
TEMPLATES = {
    'chatml': _TURN + "<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    f'{_END}<|im_start|>assistant{_LINE}',
    'llama3': _TURN + "<|start_header_id|>{{ message['role'] }}<|end_header_id|>\n\n"
    "{{ message['content'] }}<|eot_id|>"
    f'{_END}<|start_header_id|>assistant<|end_header_id|>\n{_LINE}',
    # These two have no system turn: what is shared is said by the user.
    'gemma': _TURN + "{% if message['role'] == 'system' %}{{ raise_exception('no system') }}"
    "{% endif %}<start_of_turn>{{ 'user' if message['role'] == 'user' else 'model' }}\n"
    f"{{{{ message['content'] }}}}<end_of_turn>\n{_END}<start_of_turn>model{_LINE}",
    'mistral': _TURN + "{% if message['role'] == 'system' %}{{ raise_exception('no system') }}"
    "{% elif message['role'] == 'user' %}[INST] {{ message['content'] }} [/INST]"
    f"{{% else %}}{{{{ message['content'] }}}}</s>{{% endif %}}{_END}",
}
#: What a model's own template of each family contains.
SIGNS = {
    'chatml': '<|im_start|>',
    'llama3': '<|start_header_id|>',
    'gemma': '<start_of_turn>',
    'mistral': '[INST]',
}
#: Values of the parameter `chat_template`.
CHOICES = ('none', 'auto', *TEMPLATES)
