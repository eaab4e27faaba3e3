"""One model of `transformers` as a token engine; everything that touches torch is here.

A sequence is, per layer, its keys and values as two tensors. They are never changed in place, so
that copies share them until they grow. Layers with a sliding window are kept whole and masked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from reactree_core.cancellation import CancelToken
from reactree_core.errors import ModelError
from reactree_planner.llm.in_process.engine import batches, Logits
from reactree_planner.llm.token_trie import TokenTree
from reactree_planner.llm.transformers.branches import (
    KeysAndValues,
    TransformersBranches,
    tree_mask,
)

#: Name of the tensor that says which tokens a saved state is of.
_TOKENS = 'tokens'
_BYTE = re.compile(r'<0x([0-9A-Fa-f]{2})>')
#: Stands for a space in SentencePiece vocabularies.
_SPACE = '\u2581'


class TransformersEngine:
    """A loaded model.

    :param source: folder, GGUF file or `owner/name`. :param cells: longest sequence.
    :raises ModelError: it does not load.
    """

    def __init__(self, source: str, cells: int, threads: int, device: str, batch: int) -> None:
        if threads:
            torch.set_num_threads(threads)
        self._device = torch.device(device or ('cuda' if torch.cuda.is_available() else 'cpu'))
        # Processors without bfloat16 units take ten times as long with it.
        dtype: Any = torch.float32 if self._device.type == 'cpu' else 'auto'
        transformers.logging.disable_progress_bar()
        path = Path(source).expanduser()
        is_file = path.suffix == '.gguf'
        where = str(path.parent) if is_file else source
        which = {'gguf_file': path.name} if is_file else {}
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(where, **which)
            self._model: Any = transformers.AutoModelForCausalLM.from_pretrained(
                where, dtype=dtype, **which
            )
        except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
            said = ' '.join(str(error).split())[:300]
            raise ModelError(
                f'{source} does not load with transformers ({said}). Give a folder with a causal '
                'language model, a GGUF file, or owner/name where the hub can be reached.'
            ) from error
        self._model.eval().to(self._device)
        self.dtype = str(self._model.dtype)
        config = self._model.config.get_text_config()
        self.trained_context: int = getattr(config, 'max_position_embeddings', 0) or 0
        self.cells = cells
        self._window: int = getattr(config, 'sliding_window', None) or 0
        self._layer_types = tuple(dict.fromkeys(getattr(config, 'layer_types', None) or ()))
        self._batch = batch
        self._pieces = TokenPieces(self._tokenizer)
        self._begin: list[int] = self._tokenizer('', add_special_tokens=True)['input_ids']
        self._ends = _ending_tokens(self._model, self._tokenizer)
        self._sequences: dict[int, KeysAndValues] = {}
        self._next = 0
        self._cancel: CancelToken | None = None
        self.forward_calls = 0
        for layer in _decoder_layers(self._model):
            layer.register_forward_pre_hook(self._hear_cancel)

    def _hear_cancel(self, *_: Any) -> None:
        if self._cancel is not None:
            self._cancel.check()

    @property
    def sequences_left(self) -> int:
        """No limit but memory."""
        return 1_000_000 - len(self._sequences)

    @property
    def chat_template(self) -> str:
        """The model's own chat template (Jinja), '' when it has none."""
        own = getattr(self._tokenizer, 'chat_template', None)
        return own if isinstance(own, str) else ''

    @property
    def end_marker(self) -> str:
        """How the token that ends a text is spelled, '' where there is none."""
        return self._tokenizer.eos_token or ''

    def tokenize(self, text: str, first: bool, control: bool = False) -> list[int]:
        """Tokens of a text; control tokens spelled in it stay plain unless `control`."""
        clean = text.encode('utf-8', errors='replace').decode()
        tokens = self._tokenizer(clean, add_special_tokens=False, split_special_tokens=not control)
        return [*(self._begin if first else ()), *tokens['input_ids']]

    def piece(self, token: int) -> bytes:
        """Bytes of one token; b'' for control tokens."""
        return self._pieces.piece(token)

    def ends_generation(self, token: int) -> bool:
        """Whether the model says with this token that it has finished."""
        return token in self._ends

    def take_sequence(self) -> int:
        """An empty sequence."""
        self._next += 1
        self._sequences[self._next] = KeysAndValues([])
        return self._next

    def release_sequence(self, sequence: int) -> None:
        """Give a sequence back."""
        del self._sequences[sequence]

    def copy_sequence(self, source: int, target: int, length: int) -> None:
        """Let `target` begin with the first `length` tokens of `source`."""
        self._sequences[target] = self._sequences[source].first(length)

    def cut_sequence(self, sequence: int, length: int) -> None:
        """Forget everything after the first `length` tokens."""
        self._sequences[sequence] = self._sequences[sequence].first(length)

    def evaluate(
        self,
        sequence: int,
        start: int,
        tokens: Sequence[int],
        cancel: CancelToken,
        wanted: int = 1,
    ) -> list[Logits] | None:
        """Append tokens to a sequence; the logits after the last ones, None beyond `cells`."""
        if start + len(tokens) > self.cells:
            return None
        kept = self._sequences[sequence].first(start)
        for begin, end in batches(len(tokens), self._batch):
            positions = range(start + begin, start + end)
            size = end - begin
            last = range(size - min(wanted, size), size)
            kept, logits = self.forward(kept, tokens[begin:end], positions, last, cancel)
        self._sequences[sequence] = kept
        return list(logits.numpy())

    def evaluate_tree(
        self, sequence: int, start: int, tree: TokenTree, cancel: CancelToken
    ) -> TransformersBranches:
        """A tree of continuations, each token evaluated once."""

        def run(nodes: Sequence[int]) -> tuple[KeysAndValues, torch.Tensor]:
            kept = self._sequences[sequence].first(start)
            positions = [start + depth for depth in tree.depths()]
            masks = {
                kind: tree_mask(tree, start, window, self._model.dtype, self._device)
                for kind, window in self._windows().items()
            }
            mask = masks if self._layer_types else masks['full_attention']
            return self.forward(kept, tree.tokens, positions, nodes, cancel, mask)

        def keep(kept: KeysAndValues) -> None:
            self._sequences[sequence] = kept

        return TransformersBranches(tree, start, run, keep)

    def _windows(self) -> dict[str, int]:
        """Window by kind of layer, 0 for none."""
        kinds = self._layer_types or ('full_attention',)
        return {kind: self._window if 'sliding' in kind else 0 for kind in kinds}

    def forward(
        self,
        kept: KeysAndValues,
        tokens: Sequence[int],
        positions: Sequence[int],
        wanted: Sequence[int],
        cancel: CancelToken,
        mask: Any = None,
    ) -> tuple[KeysAndValues, torch.Tensor]:
        """One pass: the sequence with these tokens, and logits after the wanted rows (on CPU).

        :raises CanceledError: stopped, noticed before each layer. :raises ModelError: it failed.
        """
        cancel.check()
        past = (
            transformers.DynamicCache(kept.layers) if kept.layers else transformers.DynamicCache()
        )
        device = self._device
        self._cancel = cancel
        self.forward_calls += 1
        try:
            with torch.inference_mode():
                output = self._model(
                    input_ids=torch.tensor([list(tokens)], device=device),
                    position_ids=torch.tensor([list(positions)], device=device),
                    attention_mask=mask,
                    past_key_values=past,
                    use_cache=True,
                    logits_to_keep=torch.tensor(list(wanted), device=device),
                )
        except RuntimeError as error:
            raise ModelError(f'The model failed: {" ".join(str(error).split())[:300]}') from error
        finally:
            self._cancel = None
        layers = [(layer.keys, layer.values) for layer in past.layers]
        return (
            KeysAndValues(layers, kept.length + len(tokens)),
            output.logits[0].to('cpu', torch.float32),
        )

    def save_sequence(self, sequence: int, tokens: Sequence[int], path: Path) -> bool:
        """Write a sequence's keys and values; False when they could not be written."""
        tensors = {_TOKENS: torch.tensor(list(tokens))}
        for number, (keys, values) in enumerate(self._sequences[sequence].layers):
            # Copied, because views of longer tensors cannot be written.
            tensors[f'keys {number}'] = keys.contiguous().clone()
            tensors[f'values {number}'] = values.contiguous().clone()
        temporary = path.with_name(f'{path.name}.{os.getpid()}.part')
        try:
            save_file(tensors, temporary)
            temporary.replace(path)
        except (OSError, SafetensorError):
            temporary.unlink(missing_ok=True)
            return False
        return True

    def load_sequence(self, sequence: int, tokens: Sequence[int], path: Path) -> bool:
        """Fill an empty sequence from a file; False when the file is for other tokens or bad."""
        try:
            tensors = load_file(path, device=str(self._device))
            if tensors.pop(_TOKENS).tolist() != list(tokens):
                return False
            layers = [
                (tensors[f'keys {number}'], tensors[f'values {number}'])
                for number in range(len(tensors) // 2)
            ]
        except (OSError, SafetensorError, KeyError):
            return False
        self._sequences[sequence] = KeysAndValues(layers, len(tokens))
        return True

    def close(self) -> None:
        """Free the model; safe to call twice."""
        self._sequences.clear()
        self._model = None


def _decoder_layers(model: Any) -> Sequence[Any]:
    """The repeated layers, wherever this architecture keeps them."""
    lists = [module for module in model.modules() if isinstance(module, torch.nn.ModuleList)]
    return max(lists, key=len, default=())


def _ending_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    ends = getattr(model.generation_config, 'eos_token_id', None)
    known = ends if isinstance(ends, list) else [ends]
    return frozenset(token for token in (*known, tokenizer.eos_token_id) if token is not None)


@cache
def _bytes_of_letters() -> dict[str, int]:
    """GPT-2's table: every byte as a printable letter."""
    plain = [*range(ord('!'), ord('~') + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)]
    table = {chr(byte): byte for byte in plain}
    others = [byte for byte in range(256) if byte not in plain]
    return table | {chr(256 + place): byte for place, byte in enumerate(others)}


class TokenPieces:
    """Bytes by token of one fast tokenizer, which itself only decodes tokens in rows.

    :param tokenizer: a `PreTrainedTokenizerFast`.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._control = set(tokenizer.all_special_ids) | {
            token for token, added in tokenizer.added_tokens_decoder.items() if added.special
        }
        self._byte_level = 'ByteLevel' in str(tokenizer.backend_tokenizer.decoder)

    def piece(self, token: int) -> bytes:
        """Bytes of one token; b'' for control tokens and numbers beyond the vocabulary."""
        if token in self._control:
            return b''
        text = self._tokenizer.convert_ids_to_tokens(token)
        if text is None:
            return b''
        byte = _BYTE.fullmatch(text)
        if byte:
            return bytes([int(byte[1], 16)])
        letters = _bytes_of_letters()
        if self._byte_level and all(letter in letters for letter in text):
            return bytes(letters[letter] for letter in text)
        return str(text).replace(_SPACE, ' ').encode()
