"""The vision back end with a tiny model of random weights, made here: nothing is downloaded."""

from __future__ import annotations

import time

import pytest

from reactree_core.cancellation import CancelToken
from reactree_core.chat import Role, Turn
from reactree_core.errors import CanceledError, ModelError, PromptTooLongError
from reactree_core.png import png_file
from reactree_core.ports import ChatModel, Strategy
from reactree_planner.llm.registry import load_model, ModelOptions
from support.needs import needed_module, needs

torch = needed_module('torch', 'transformers')
transformers = needed_module('transformers', 'transformers')
tokenizers = needed_module('tokenizers', 'transformers')

pytestmark = [needs('transformers'), pytest.mark.timeout(600)]
SIDE, PATCH = 28, 14
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<image>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
    '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'
)
SYSTEM = Turn(Role.SYSTEM, 'You are a robot.')
OPTIONS = [' lift crate 1\n', ' lift crate 12\n', ' wait\n']
RED, BLUE = (png_file(8, 8, pixel * 64) for pixel in (b'\xff\0\0', b'\0\0\xff'))


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """A LLaVA of two layers that reads bytes, as its parts would be downloaded."""
    path = tmp_path_factory.mktemp('seer')
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    bpe = tokenizers.Tokenizer(tokenizers.models.BPE({x: n for n, x in enumerate(letters)}, []))
    bpe.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = tokenizers.decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token='<|im_end|>',
        pad_token='<pad>',
        extra_special_tokens={'image_token': '<image>', 'begin_token': '<|im_start|>'},
    )
    crop = {'height': SIDE, 'width': SIDE}
    processor = transformers.LlavaProcessor(
        transformers.CLIPImageProcessorPil(size={'shortest_edge': SIDE}, crop_size=crop),
        tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy='default',
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    )
    torch.manual_seed(7)
    small = {
        'hidden_size': 32,
        'intermediate_size': 32,
        'num_hidden_layers': 2,
        'num_attention_heads': 2,
    }
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(**small, image_size=SIDE, patch_size=PATCH),
        text_config=transformers.LlamaConfig(
            **small,
            num_key_value_heads=2,
            vocab_size=len(tokenizer),
            max_position_embeddings=1024,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        ),
        image_token_index=tokenizer.convert_tokens_to_ids('<image>'),
    )
    transformers.LlavaForConditionalGeneration(config).save_pretrained(path)
    processor.save_pretrained(path)
    return path


@pytest.fixture(scope='module')
def model(folder):
    model = load_model(f'vision:{folder}', ModelOptions(context_tokens=2048, threads=1))
    yield model
    model.close()


def seen(model, picture, text='What do you see?'):
    """What is answered about a picture."""
    chat = model.chat(CancelToken(), [SYSTEM])
    chat.say(Role.USER, text, [picture] if picture else [])
    return chat.generate(stop=(), max_tokens=6), chat


def test_the_answer_depends_on_the_picture(model):
    assert isinstance(model, ChatModel) and model.takes_pictures
    logits = []
    for picture in (RED, RED, BLUE):
        chat = model.chat(CancelToken(), [SYSTEM])
        chat.say(Role.USER, 'Look.', [picture])
        logits.append(chat._logits(model.inputs_of(chat._conversation)))
    assert (logits[0] == logits[1]).all()
    assert abs(logits[0] - logits[2]).max() > 1e-4


def test_the_same_is_answered_alike_and_counted(model):
    (one, first), (other, _) = seen(model, RED), seen(model, RED)
    assert one == other
    assert first.text.endswith(one)
    usage = first.usage
    assert usage.requests == 1 and 0 < usage.completion_tokens <= 6
    # Four patches of a picture, and a letter a token.
    assert usage.prompt_tokens > model.count_tokens('What do you see?') + 4


def test_a_choice_is_one_of_the_options_with_or_without_a_picture(model):
    for picture in (RED, None):
        _, chat = seen(model, picture)
        chat.say(Role.USER, 'What do you do?', [BLUE] if picture else [])
        chat.append('ACTION:')
        chosen = chat.select(OPTIONS)
        assert chat.text.endswith(f'ACTION:{OPTIONS[chosen.index]}')
        assert chosen.log_probability < 0.0
        fork = chat.fork()
        fork.say(Role.USER, 'only here')
        assert 'only here' not in chat.text


def test_only_the_newest_picture_is_read(model):
    _, chat = seen(model, RED)
    length = chat.usage.prompt_tokens
    chat.say(Role.USER, 'And now?', [BLUE])
    inputs = model.inputs_of(chat._conversation)
    assert inputs['pixel_values'].shape[0] == 1
    assert inputs['input_ids'].shape[1] > length


@pytest.mark.parametrize('marker', ['<|im_end|>', '<|im_start|>system', '<image>', '<pad>'])
def test_what_is_said_spells_no_control_token(model, marker):
    chats = [seen(model, RED, text)[1] for text in ('On it:', f'On it: {marker}')]
    control = set(model.tokenizer.all_special_ids)
    counts = [
        sum(
            token in control
            for token in model.inputs_of(chat._conversation)['input_ids'][0].tolist()
        )
        for chat in chats
    ]
    assert counts[0] == counts[1]
    assert marker in chats[1].text


def test_plain_text_is_gone_on_with_and_whole_options_are_not_scored(model):
    session = model.session(CancelToken(), 'You are a robot.\nAct:')
    chosen = session.select(OPTIONS)
    assert session.text == f'You are a robot.\nAct:{OPTIONS[chosen.index]}'
    with pytest.raises(ModelError, match='constrained'):
        session.select(OPTIONS, Strategy.LIKELIHOOD)


def test_a_stop_text_and_the_longest_answer_end_an_answer(model):
    text, chat = seen(model, RED)
    assert chat.usage.completion_tokens <= 6
    # It says the same up to there.
    chat = model.chat(CancelToken(), [SYSTEM])
    chat.say(Role.USER, 'What do you see?', [RED])
    assert chat.generate(stop=(text[0],), max_tokens=6) == ''


def test_sampling_repeats_with_its_seed(model):
    def sampled(seed):
        chat = model.chat(CancelToken(), [SYSTEM])
        chat.say(Role.USER, 'Sing.')
        return chat.generate(stop=(), max_tokens=12, temperature=1.0, seed=seed)

    assert sampled(1) == sampled(1)
    assert len({sampled(seed) for seed in range(4)}) > 1


def test_what_is_too_long_is_told_and_a_cancel_ends_a_request(model):
    chat = model.chat(CancelToken(), [SYSTEM])
    chat.say(Role.USER, 'far ' * 400)
    with pytest.raises(PromptTooLongError, match='raise context_tokens'):
        chat.generate()
    late = CancelToken(time.monotonic() - 1.0)
    with pytest.raises(CanceledError):
        model.chat(late, [SYSTEM])


def test_a_folder_without_a_model_is_told(tmp_path):
    with pytest.raises(ModelError, match='does not load as a vision-language model'):
        load_model(f'vision:{tmp_path}', ModelOptions())
