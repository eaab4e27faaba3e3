"""Turn markers stand around the shared prefix and nowhere else."""

from __future__ import annotations

import pytest

from reactree_core.errors import ConfigurationError
from reactree_planner.llm.in_process.chat_templates import CHOICES
from reactree_planner.llm.in_process.chat_templates import choose_template
from reactree_planner.llm.in_process.chat_templates import TEMPLATES
from reactree_planner.llm.in_process.session import InProcessModel

#: As Qwen's own template begins, shortened.
QWEN = "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n'}}{% endfor %}"


class LetterEngine:
    """One token per letter; control tokens count from a million."""

    cells = 4096
    trained_context = 0
    chat_template = QWEN

    def tokenize(self, text, first, control=False):
        return [ord(letter) + 1_000_000 * control for letter in text]


def test_a_model_says_its_template_by_itself():
    assert choose_template('auto', QWEN) is TEMPLATES['chatml']
    assert choose_template('auto', '') is None
    assert choose_template('none', QWEN) is None
    assert choose_template('gemma', QWEN) is TEMPLATES['gemma']


def test_a_template_that_does_not_exist_is_named():
    with pytest.raises(ConfigurationError, match='chatml'):
        choose_template('alpaca', '')


@pytest.mark.parametrize('choice', CHOICES)
def test_markers_are_control_tokens_and_the_prefix_stays_plain(choice):
    model = InProcessModel(LetterEngine(), 'letters', 'x', chat_template=choice)
    prefix = 'You are <|im_end|> a robot.'
    tokens = model.beginning(prefix)
    plain = ''.join(chr(token) for token in tokens if token < 1_000_000)
    marks = ''.join(chr(token - 1_000_000) for token in tokens if token >= 1_000_000)
    assert plain == prefix
    template = choose_template(choice, QWEN)
    assert marks == (template.before + template.after if template else '')
