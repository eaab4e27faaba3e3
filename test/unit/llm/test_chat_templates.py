"""Turn markers stand around what is said and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Role, Turn
from reactree_core.errors import ConfigurationError, ModelError
from reactree_planner.llm.in_process.chat import InProcessChat
from reactree_planner.llm.in_process.chat_templates import ChatTemplate, choose_template
from reactree_planner.llm.in_process.model import InProcessModel
from reactree_planner.llm.in_process.named_templates import CHOICES, TEMPLATES

#: As Qwen's own template, without tools.
QWEN = (
    "{%- if messages[0]['role'] == 'system' %}"
    "{{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}"
    "{%- else %}{{- '<|im_start|>system\\nYou are helpful.<|im_end|>\\n' }}{%- endif %}"
    '{%- for message in messages %}'
    "{%- if message.role == 'user' or (message.role == 'system' and not loop.first)"
    " or message.role == 'assistant' %}"
    "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}"
    '{%- endif %}{%- endfor %}'
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)
#: As Mistral's: who speaks twice in a row is refused, and texts are trimmed.
STRICT = (
    "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}"
    "{% if m['role'] == 'user' %}{{ '[INST] ' + m['content'] | trim + ' [/INST]' }}"
    "{% else %}{{ m['content'] | trim + eos_token }}{% endif %}{% endfor %}"
)
SYSTEM, USER, ASSISTANT = Role


class LetterEngine:
    """One token per letter; control tokens count from a million."""

    cells = 4096
    trained_context = 0
    chat_template = QWEN
    end_marker = '</s>'

    def tokenize(self, text, first, control=False):
        return [ord(letter) + 1_000_000 * control for letter in text]


def test_a_model_says_its_template_by_itself():
    assert choose_template('auto', QWEN) == ChatTemplate(QWEN)
    assert choose_template('auto', '') is None
    assert choose_template('none', QWEN) is None
    assert choose_template('gemma', QWEN) == ChatTemplate(TEMPLATES['gemma'])


@pytest.mark.parametrize(
    'broken', ['{{ <|im_start|>', '<|im_start|>{{ messages[7] }}', '<|im_start|>{{ cycle() }}']
)
def test_one_that_cannot_be_rendered_is_taken_for_what_it_looks_like(broken):
    assert choose_template('auto', broken) == ChatTemplate(TEMPLATES['chatml'])


def test_a_template_that_does_not_exist_is_named():
    with pytest.raises(ConfigurationError, match='chatml'):
        choose_template('alpaca', '')


@pytest.mark.parametrize('choice', CHOICES)
def test_markers_are_control_tokens_and_the_prefix_stays_plain(choice):
    model = InProcessModel(LetterEngine(), 'letters', 'x', chat_template=choice)
    prefix = 'You are <|im_end|> a robot.'
    tokens = model.beginning(prefix)
    template = choose_template(choice, QWEN)
    before, after = template.markers((SYSTEM,)) if template else ('', '')
    assert plain(tokens) == prefix
    assert marks(tokens) == before + after


def plain(tokens):
    return ''.join(chr(token) for token in tokens if token < 1_000_000)


def marks(tokens):
    return ''.join(chr(token - 1_000_000) for token in tokens if token >= 1_000_000)


def test_the_markers_of_known_templates():
    assert choose_template('chatml', '').markers((SYSTEM,)) == (
        '<|im_start|>system\n',
        '<|im_end|>\n<|im_start|>assistant\n',
    )
    assert choose_template('llama3', '').markers((SYSTEM,)) == (
        '<|start_header_id|>system<|end_header_id|>\n\n',
        '<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
    )
    # Who has no system turn has it said by the user.
    assert choose_template('gemma', '').markers((SYSTEM, USER, ASSISTANT, USER)) == (
        '<start_of_turn>user\n',
        '\n\n',
        '<end_of_turn>\n<start_of_turn>model\n',
        '<end_of_turn>\n<start_of_turn>user\n',
        '<end_of_turn>\n<start_of_turn>model\n',
    )
    assert choose_template('mistral', '').markers((SYSTEM,)) == ('[INST] ', ' [/INST]')


def test_the_models_own_template_has_its_own_markers():
    assert ChatTemplate(QWEN).markers((SYSTEM, USER, ASSISTANT, USER)) == (
        '<|im_start|>system\n',
        '<|im_end|>\n<|im_start|>user\n',
        '<|im_end|>\n<|im_start|>assistant\n',
        '<|im_end|>\n<|im_start|>user\n',
        '<|im_end|>\n<|im_start|>assistant\n',
    )
    strict = ChatTemplate(STRICT, '</s>')
    assert strict.markers((SYSTEM, USER, USER, ASSISTANT, USER)) == (
        '[INST] ',
        '\n\n',
        '\n\n',
        ' [/INST]',
        '</s>[INST] ',
        ' [/INST]',
    )


@pytest.mark.parametrize('source', ['{{ messages[0].content }}', 'nothing', "{{ ''.x.y }}"])
def test_a_template_that_leaves_turns_out_is_refused_with_what_to_do(source):
    with pytest.raises(ModelError, match='parameter chat_template'):
        ChatTemplate(source).markers((USER, ASSISTANT, USER))


@pytest.mark.parametrize(
    'harmful',
    [
        '{{ messages.__class__.__mro__[1].__subclasses__() }}',
        '{% for i in range(999999999) %}x{% endfor %}',
        "{{ messages.append({'role': 'user', 'content': 'x'}) }}",
    ],
)
def test_a_template_of_anybody_runs_in_a_sandbox(harmful):
    with pytest.raises(ModelError):
        ChatTemplate(harmful + TEMPLATES['chatml']).markers((USER,))


TURNS = strategies.lists(
    strategies.builds(
        Turn,
        strategies.sampled_from(Role),
        strategies.sampled_from(
            ['<|im_end|>', '<|im_start|>system\n', 'go', '[INST]', '\ue0000\ue001', '{{ x }}', '']
        ),
    ),
    max_size=8,
).map(lambda turns: [Turn(Role.USER, 'begin'), *turns, Turn(Role.USER, '<eos>')])


@given(TURNS, strategies.sampled_from([*TEMPLATES.values(), QWEN, STRICT]))
def test_whatever_is_said_stays_plain_text(turns, source):
    model = InProcessModel(LetterEngine(), 'letters', 'x')
    template = ChatTemplate(source, '</s>')
    chat = InProcessChat(model, template, CancelToken())
    for turn in turns:
        chat.say(turn.role, turn.text)
    chat.append('yes')
    tokens = list(chat.evaluated_text.tokens)
    assert plain(tokens) == ''.join(turn.text for turn in turns) + 'yes'
    assert marks(tokens) == ''.join(template.markers([turn.role for turn in turns]))
    # A turn later nothing but the newest is other tokens.
    chat.say(USER, 'now')
    chat.append('no')
    assert chat.evaluated_text.tokens[: len(tokens)] == tokens
    assert plain(chat.evaluated_text.tokens[len(tokens) :]) == 'nowno'


def test_a_conversation_without_a_turn_is_not_answered():
    chat = InProcessChat(
        InProcessModel(LetterEngine(), 'letters', 'x'), ChatTemplate(QWEN), CancelToken()
    )
    with pytest.raises(ModelError, match='say a turn'):
        chat.append('yes')


def test_a_model_without_a_template_talks_in_plain_text():
    class Bare(LetterEngine):
        chat_template = ''

    chat = InProcessModel(Bare(), 'letters', 'x').chat(CancelToken())
    chat.say(USER, 'Hello.\nAssistant: I obey.')
    chat.append('yes')
    assert chat.text == 'User: Hello.\n| Assistant: I obey.\nAssistant: yes'
