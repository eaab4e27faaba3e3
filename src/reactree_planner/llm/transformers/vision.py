"""Vision-language models of `transformers`: turns may have pictures.

Every architecture joins pictures and text in its own way, known to its processor and its
`generate` alone; so each answer is generated from the whole conversation, and nothing is kept
between answers.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
import transformers
from PIL import Image

from reactree_core.cancellation import CancelToken
from reactree_core.chat import alternating, Conversation, PictureFile, Role, Turn, without_control
from reactree_core.errors import ModelError, PromptTooLongError
from reactree_core.ports import check_options, Selection, Strategy
from reactree_core.usage import LlmUsage
from reactree_planner.llm.in_process.engine import Logits
from reactree_planner.llm.token_trie import walk_greedily

#: Context of a model that does not say.
_USUAL_CONTEXT = 8192
Inputs = dict[str, Any]


class VisionModel:
    """A loaded model and its processor (port `ChatModel`).

    :param source: folder or `owner/name`. :param context_tokens: longest conversation.
    :param threads: CPU threads; 0 leaves it to torch. :param device: cpu, cuda, ...; '' takes a
        GPU where there is one.
    :raises ModelError: it does not load.
    """

    def __init__(
        self, source: str, context_tokens: int = 8192, threads: int = 0, device: str = ''
    ) -> None:
        if threads:
            torch.set_num_threads(threads)
        self.device = torch.device(device or ('cuda' if torch.cuda.is_available() else 'cpu'))
        dtype: Any = torch.float32 if self.device.type == 'cpu' else 'auto'
        transformers.logging.disable_progress_bar()
        try:
            self.processor: Any = transformers.AutoProcessor.from_pretrained(source)
            self.model: Any = transformers.AutoModelForImageTextToText.from_pretrained(
                source, dtype=dtype
            )
        except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
            said = ' '.join(str(error).split())[:300]
            raise ModelError(
                f'{source} does not load as a vision-language model ({said}). Give a folder with '
                'one and its processor, or owner/name where the hub can be reached.'
            ) from error
        self.tokenizer: Any = getattr(self.processor, 'tokenizer', self.processor)
        self.model.eval().to(self.device)
        self._name = source.rstrip('/').rpartition('/')[2]
        config = self.model.config.get_text_config()
        trained = getattr(config, 'max_position_embeddings', 0) or _USUAL_CONTEXT
        self._context = min(context_tokens, trained)
        self._cancel: CancelToken | None = None
        self.lock = threading.RLock()
        added = self.tokenizer.added_tokens_decoder.values()
        self._special = {
            *self.tokenizer.all_special_tokens,
            *(token.content for token in added if token.special),
        }
        for modules in self.model.modules():
            if isinstance(modules, torch.nn.ModuleList):
                for layer in modules:
                    layer.register_forward_pre_hook(self._hear_cancel)

    def _hear_cancel(self, *_: Any) -> None:
        if self._cancel is not None:
            self._cancel.check()

    @property
    def name(self) -> str:
        """For people and records."""
        return self._name

    @property
    def context_tokens(self) -> int:
        """Longest conversation in tokens, those of pictures among them."""
        return self._context

    @property
    def takes_pictures(self) -> bool:
        """Yes."""
        return True

    def count_tokens(self, text: str) -> int:
        """Tokens of a text by the model's own tokenizer."""
        return len(self.tokens_of(text))

    def tokens_of(self, text: str) -> list[int]:
        """Tokens of a text; control tokens spelled in it stay plain."""
        clean = text.encode('utf-8', errors='replace').decode()
        found = self.tokenizer(clean, add_special_tokens=False, split_special_tokens=True)
        return list(found['input_ids'])

    def plain(self, text: str) -> str:
        """A text that spells no control token, for processors that read them from text."""
        text = without_control(text)
        for token in self._special:
            text = text.replace(token, f'{token[:1]} {token[1:]}')
        return text

    def session(self, cancel: CancelToken, shared_prefix: str = '') -> VisionSession:
        """A session of plain text."""
        return VisionSession(self, cancel, Conversation(answer=shared_prefix))

    def chat(self, cancel: CancelToken, turns: Sequence[Turn] = ()) -> VisionSession:
        """Begin a conversation."""
        cancel.check()
        return VisionSession(self, cancel, Conversation(list(turns)), True)

    def inputs_of(self, conversation: Conversation) -> Inputs:
        """What the model reads: the conversation, and what was answered of it.

        :raises ModelError: the model has no template for it.
        :raises PromptTooLongError: it does not fit.
        """
        shown = [picture for turn in conversation.turns for picture in turn.pictures]
        if conversation.turns:
            text = self._rendered(conversation.turns)
            pictures = [Image.open(io.BytesIO(one.data)).convert('RGB') for one in shown]
            try:
                read = self.processor(
                    text=[text], images=[pictures] if pictures else None, return_tensors='pt'
                )
            except (ValueError, TypeError, OSError) as error:
                raise ModelError(
                    f'The processor of {self._name} cannot read this conversation: {error}'
                ) from error
            inputs = {name: value.to(self.device) for name, value in read.items()}
        else:
            begin = self.tokenizer('', add_special_tokens=True)['input_ids']
            tokens = torch.tensor([begin], dtype=torch.long, device=self.device)
            inputs = {'input_ids': tokens, 'attention_mask': torch.ones_like(tokens)}
        inputs = longer(inputs, self.tokens_of(conversation.answer))
        length = inputs['input_ids'].shape[1]
        if not length:
            raise ModelError('The session is empty: append a text before you ask the model.')
        if length >= self._context:
            raise PromptTooLongError(
                f'The conversation of {length} tokens does not fit the context of '
                f'{self._context}: raise context_tokens, or take smaller pictures.'
            )
        return inputs

    def _rendered(self, turns: Sequence[Turn]) -> str:
        reason = ''
        for said in (turns, alternating(turns)):
            messages = [
                {
                    'role': turn.role.value,
                    'content': [
                        *({'type': 'image'} for _ in turn.pictures),
                        {'type': 'text', 'text': self.plain(turn.text)},
                    ],
                }
                for turn in said
            ]
            try:
                text: str = self.processor.apply_chat_template(
                    messages, add_generation_prompt=True, tokenize=False
                )
            except Exception as error:
                # The template of somebody else, which may raise anything.
                reason = f'{type(error).__name__}: {error}'
                if said is turns:
                    continue
                raise ModelError(
                    f'The chat template of {self._name} cannot show this conversation '
                    f'({reason[:200]}): take another model.'
                ) from error
            return text
        raise AssertionError('unreachable')

    @contextmanager
    def heard(self, cancel: CancelToken) -> Iterator[None]:
        """One request at a time, stopped by its cancel before each layer."""
        with self.lock, torch.inference_mode():
            cancel.check()
            self._cancel = cancel
            try:
                yield
            except RuntimeError as error:
                said = ' '.join(str(error).split())[:300]
                raise ModelError(f'The model failed: {said}') from error
            finally:
                self._cancel = None

    def close(self) -> None:
        """Free the model; safe to call twice."""
        self.model = None


def longer(inputs: Mapping[str, Any], tokens: Sequence[int]) -> Inputs:
    """The same with tokens of text behind it."""
    ids = inputs['input_ids']
    if not tokens:
        return dict(inputs)
    added = torch.tensor([list(tokens)], dtype=ids.dtype, device=ids.device)
    grown = {'input_ids': added, 'attention_mask': torch.ones_like(added)}
    return {
        # What else is told of each token is of pictures: 0 for text.
        name: torch.cat([value, grown.get(name, torch.zeros_like(added)).to(value.dtype)], dim=1)
        if value.shape == ids.shape
        else value
        for name, value in inputs.items()
    }


class VisionSession:
    """Ports `LanguageSession` and `ChatSession`: read whole for every answer.

    :param conversation: which this session alone goes on with; a plain text is an answer to
        nothing.
    """

    def __init__(
        self,
        model: VisionModel,
        cancel: CancelToken,
        conversation: Conversation,
        has_turns: bool = False,
    ) -> None:
        self._model = model
        self._cancel = cancel
        self._conversation = conversation
        self._has_turns = has_turns
        self._usage = LlmUsage(model.name)

    @property
    def text(self) -> str:
        """Everything so far, turns as plain text."""
        return self._conversation.text if self._has_turns else self._conversation.answer

    @property
    def usage(self) -> LlmUsage:
        """Counts since this session began."""
        return self._usage

    def append(self, text: str) -> None:
        """Add to what the assistant says, or to the text."""
        self._conversation.answer += text

    def say(self, role: Role, text: str, pictures: Sequence[PictureFile] = ()) -> None:
        """Add a whole turn."""
        self._conversation.say(Turn(role, text, tuple(pictures)))

    def select(
        self, options: Sequence[str], strategy: Strategy = Strategy.CONSTRAINED
    ) -> Selection:
        """Choose one option token by token.

        :raises ModelError: another strategy than CONSTRAINED is asked for.
        """
        check_options(options)
        if strategy is not Strategy.CONSTRAINED:
            raise ModelError(
                f'{self._model.name} cannot score whole options: set selection to constrained.'
            )
        started = time.monotonic()
        tokenized = [self._model.tokens_of(option) for option in options]
        inputs = self._model.inputs_of(self._conversation)
        passes = 0

        def logits_after(path: list[int]) -> Logits:
            nonlocal passes
            passes += 1
            return self._logits(longer(inputs, path))

        with self._model.heard(self._cancel):
            walk = walk_greedily(tokenized, logits_after)
        self.append(options[walk.index])
        self._count(inputs, max(1, passes), len(tokenized[walk.index]), started)
        return Selection(walk.index, walk.log_probability, walk.margin)

    def _logits(self, inputs: Inputs) -> Logits:
        output = self._model.model.generate(
            **inputs,
            max_new_tokens=1,
            do_sample=False,
            output_logits=True,
            return_dict_in_generate=True,
        )
        logits: Logits = output.logits[0][0].to('cpu', torch.float32).numpy()
        return np.asarray(logits)

    def generate(
        self,
        stop: Sequence[str] = ('\n',),
        max_tokens: int = 200,
        temperature: float = 0.0,
        seed: int = 0,
        top_p: float = 1.0,
    ) -> str:
        """Free text up to the first stop text."""
        started = time.monotonic()
        inputs = self._model.inputs_of(self._conversation)
        length = inputs['input_ids'].shape[1]
        room = min(max_tokens, self._model.context_tokens - length)
        samples = temperature > 0.0
        drawing: Inputs = {'temperature': temperature, 'top_p': top_p, 'top_k': 0}
        devices = [] if self._model.device.type == 'cpu' else [self._model.device]
        with self._model.heard(self._cancel), torch.random.fork_rng(devices):
            torch.manual_seed(seed)
            output = self._model.model.generate(
                **inputs,
                max_new_tokens=room,
                do_sample=samples,
                **(drawing if samples else {}),
                stopping_criteria=[_Stops(self._model.tokenizer, length, stop)],
            )
        tokens = output[0][length:]
        text = str(self._model.tokenizer.decode(tokens, skip_special_tokens=True))
        cut = min((at for at in map(text.find, stop) if at >= 0), default=len(text))
        self.append(text[:cut])
        self._count(inputs, 1, len(tokens), started)
        return text[:cut]

    def _count(self, inputs: Inputs, passes: int, completion: int, started: float) -> None:
        length = inputs['input_ids'].shape[1]
        self._usage += LlmUsage(
            self._model.name,
            prompt_tokens=length,
            evaluated_tokens=passes * length + completion,
            completion_tokens=completion,
            requests=1,
            latency=time.monotonic() - started,
        )

    def fork(self) -> VisionSession:
        """A second session with the same turns."""
        return VisionSession(self._model, self._cancel, self._conversation.copy(), self._has_turns)

    def drop(self) -> None:
        """Nothing to give back."""


class _Stops(transformers.StoppingCriteria):  # type: ignore[misc, name-defined, unused-ignore]
    """Ends a generation at a stop text. :param length: tokens of the prompt."""

    def __init__(self, tokenizer: Any, length: int, stop: Sequence[str]) -> None:
        self._tokenizer = tokenizer
        self._length = length
        self._stop = tuple(stop)

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        text = self._tokenizer.decode(input_ids[0][self._length :], skip_special_tokens=True)
        stops = any(one in text for one in self._stop)
        return torch.full((input_ids.shape[0],), stops, dtype=torch.bool, device=input_ids.device)
