"""One llama.cpp context: tokens in and out, sequences of its KV cache, cancel.

Everything that touches the C library is here. A sequence is a row of the unified KV cache;
copies of a sequence share its cells, so that a fork costs nothing until it grows.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np

from reactree_core.cancellation import CancelToken
from reactree_core.errors import CanceledError, ModelError
from reactree_planner.llm.in_process.engine import batches, CacheFullError, Logits
from reactree_planner.llm.llama.library import load_library
from reactree_planner.llm.token_trie import ROOT, TokenTree

_FULL = 1
_TEMPLATE_BYTES = 65_536
#: Token, position, sequences it belongs to, whether its logits are wanted.
Row = tuple[int, int, Sequence[int], bool]


class LlamaEngine:
    """A loaded GGUF file with one context of `cells` KV cells.

    :param path: GGUF file.
    :param cells: KV cells shared by all sequences, 512 or more; about 28 kB each for a 1.5B model.
    :param threads: CPU threads, 1 or more; 0 takes the machine's cores.
    :param batch: most tokens per decode call, 32..2048: a call cannot be stopped on its way.
    :param sequences: most sequences alive at once.
    :raises ModelError: the file does not load.
    """

    def __init__(
        self,
        path: Path,
        cells: int = 8192,
        threads: int = 0,
        batch: int = 32,
        sequences: int = 512,
    ) -> None:
        self._api = load_library()
        options = self._api.llama_model_default_params()
        # Weights rearranged for this CPU's vector units: prompt evaluation 1.3 times as fast.
        options.repack_tensors = True
        self._model = self._api.llama_model_load_from_file(os.fsencode(path), options)
        if not self._model:
            raise ModelError(
                f'{path} does not load as a GGUF model. Check the file (`reactree model check`), '
                'or fetch it again (`reactree model fetch`).'
            )
        self._vocabulary = self._api.llama_model_get_vocab(self._model)
        self.vocabulary_size: int = self._api.llama_vocab_n_tokens(self._vocabulary)
        self.trained_context: int = self._api.llama_n_ctx_train(self._model)
        self.begins_with_bos: bool = self._api.llama_vocab_get_add_bos(self._vocabulary)
        self.cells = cells
        self.batch_tokens = batch
        self.decode_calls = 0
        context = self._api.llama_context_default_params()
        context.n_ctx = cells
        context.n_batch = batch
        context.n_ubatch = min(batch, 512)
        context.n_threads = context.n_threads_batch = threads or os.cpu_count() or 1
        context.n_seq_max = sequences
        # This library's CPU flash attention answers wrongly when sequences share the cache
        # (test_llama_model.py compares with fresh evaluation).
        context.flash_attn = False
        self._context = self._api.llama_init_from_model(self._model, context)
        if not self._context:
            self._api.llama_free_model(self._model)
            raise ModelError(
                f'No memory for {cells} context tokens of {path}: lower context_tokens.'
            )
        self._batch = self._api.llama_batch_init(batch, 0, sequences)
        self._free_sequences = list(range(sequences - 1, -1, -1))
        self._piece_buffer = ctypes.create_string_buffer(256)

    @property
    def chat_template(self) -> str:
        """The model's own chat template (Jinja), '' when it has none."""
        return self._told(b'tokenizer.chat_template')

    def _told(self, key: bytes) -> str:
        """What the file says under a key, '' where it says nothing."""
        buffer = ctypes.create_string_buffer(_TEMPLATE_BYTES)
        size = self._api.llama_model_meta_val_str(self._model, key, buffer, len(buffer))
        return buffer.value.decode(errors='replace') if size > 0 else ''

    @property
    def end_marker(self) -> str:
        """How the token that ends a text is spelled, '' where there is none."""
        number = self._told(b'tokenizer.ggml.eos_token_id')
        return self._piece(int(number), True).decode(errors='replace') if number.isdigit() else ''

    def tokenize(self, text: str, first: bool, control: bool = False) -> list[int]:
        """Tokens of a text; control tokens spelled in it stay plain text unless asked otherwise.

        :param first: the text begins a sequence (adds the begin token where the model wants one).
        :param control: the text is our own and spells control tokens.
        """
        data = text.encode('utf-8', errors='replace')
        capacity = len(data) + 2
        tokens = (ctypes.c_int32 * capacity)()
        add = first and self.begins_with_bos
        count = self._api.llama_tokenize(
            self._model, data, len(data), tokens, capacity, add, control
        )
        if count < 0:
            raise ModelError('The model cannot tokenize this text.')
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """Bytes of one token; b'' for control tokens."""
        return self._piece(token, False)

    def _piece(self, token: int, control: bool) -> bytes:
        """Bytes of one token. :param control: whether control tokens are spelled."""
        size = self._api.llama_token_to_piece(
            self._model, token, self._piece_buffer, len(self._piece_buffer), 0, control
        )
        return bytes(self._piece_buffer.raw[:size]) if size > 0 else b''

    def ends_generation(self, token: int) -> bool:
        """Whether the model says with this token that it has finished."""
        return bool(self._api.llama_token_is_eog(self._model, token))

    @property
    def sequences_left(self) -> int:
        """Sequences that can still be taken."""
        return len(self._free_sequences)

    def take_sequence(self) -> int:
        """An empty sequence. :raises ModelError: too many sessions are alive."""
        if not self._free_sequences:
            raise ModelError('Too many model sessions are open at once.')
        return self._free_sequences.pop()

    def release_sequence(self, sequence: int) -> None:
        """Give a sequence and its own cells back."""
        self._api.llama_kv_cache_seq_rm(self._context, sequence, -1, -1)
        self._free_sequences.append(sequence)

    def copy_sequence(self, source: int, target: int, length: int, first: int = 0) -> None:
        """Let `target` have the tokens `first` to `length` of `source`, sharing the cells."""
        self._api.llama_kv_cache_seq_cp(self._context, source, target, first, length)

    def cut_sequence(self, sequence: int, length: int) -> None:
        """Forget everything after the first `length` tokens."""
        self._api.llama_kv_cache_seq_rm(self._context, sequence, length, -1)

    def evaluate(
        self,
        sequence: int,
        start: int,
        tokens: Sequence[int],
        cancel: CancelToken,
        wanted: int = 1,
    ) -> list[Logits] | None:
        """Append tokens to a sequence and return the logits after the last ones.

        :param start: tokens the sequence holds already.
        :param wanted: after how many of the last tokens, 1 to 32.
        :return: logits of shape (vocabulary_size,) each, or None when the KV cache is full.
        :raises CanceledError: stopped. :raises ModelError: the evaluation failed.
        """
        try:
            for begin, end in batches(len(tokens), self.batch_tokens):
                rows = [
                    (tokens[index], start + index, (sequence,), len(tokens) - index <= wanted)
                    for index in range(begin, end)
                ]
                self.decode_rows(rows, cancel)
        except CacheFullError:
            self.cut_sequence(sequence, start)
            return None
        except (CanceledError, ModelError):
            self.cut_sequence(sequence, start)
            raise
        size = end - begin
        return [self.logits_of(row) for row in range(size - min(wanted, size), size)]

    def evaluate_tree(
        self, sequence: int, start: int, tree: TokenTree, cancel: CancelToken
    ) -> LlamaBranches:
        """A tree of continuations, each token evaluated once.

        :raises ModelError: more leaves than sequences left.
        """
        return LlamaBranches(self, sequence, start, tree, cancel)

    def decode_rows(self, rows: Sequence[Row], cancel: CancelToken) -> None:
        """One decode call, at most `batch_tokens` rows, unless stopped before.

        Cells of a call that failed may be half computed: the caller cuts its sequences.

        :raises CacheFullError: no room. :raises CanceledError: stopped.
        :raises ModelError: the evaluation failed.
        """
        cancel.check()
        batch = self._batch
        batch.n_tokens = len(rows)
        for index, (token, position, sequences, wanted) in enumerate(rows):
            batch.token[index] = token
            batch.pos[index] = position
            batch.n_seq_id[index] = len(sequences)
            ids = batch.seq_id[index]
            for place, sequence in enumerate(sequences):
                ids[place] = sequence
            batch.logits[index] = wanted
        self.decode_calls += 1
        result = int(self._api.llama_decode(self._context, batch))
        if result == _FULL:
            raise CacheFullError
        if result:
            raise ModelError(
                f'llama.cpp failed to evaluate a prompt (code {result}): give the task again, or '
                'start the planner again.'
            )

    def logits_of(self, row: int) -> Logits:
        """Logits after a row of the last decode call that wanted them."""
        pointer = self._api.llama_get_logits_ith(self._context, row)
        return np.ctypeslib.as_array(pointer, (self.vocabulary_size,)).copy()

    def save_sequence(self, sequence: int, tokens: Sequence[int], path: Path) -> bool:
        """Write a sequence's KV state to a file; False when it could not be written."""
        array = (ctypes.c_int32 * len(tokens))(*tokens)
        temporary = path.with_name(f'{path.name}.{os.getpid()}.part')
        size = self._api.llama_state_seq_save_file(
            self._context, os.fsencode(temporary), sequence, array, len(tokens)
        )
        if not size:
            temporary.unlink(missing_ok=True)
            return False
        temporary.replace(path)
        return True

    def load_sequence(self, sequence: int, tokens: Sequence[int], path: Path) -> bool:
        """Fill an empty sequence from a file; False when the file is for other tokens or bad."""
        array = (ctypes.c_int32 * len(tokens))()
        count = ctypes.c_size_t(0)
        size = self._api.llama_state_seq_load_file(
            self._context, os.fsencode(path), sequence, array, len(tokens), ctypes.byref(count)
        )
        if size and list(array[: count.value]) == list(tokens):
            return True
        self._api.llama_kv_cache_seq_rm(self._context, sequence, -1, -1)
        return False

    def close(self) -> None:
        """Free the context and the model; safe to call twice."""
        if self._context:
            self._api.llama_batch_free(self._batch)
            self._api.llama_free(self._context)
            self._api.llama_free_model(self._model)
            self._context = self._model = None


class LlamaBranches:
    """One evaluation of a tree after a sequence (protocol `TreeEvaluation`).

    Every leaf has a sequence of its own. A token belongs to the sequences of all leaves below it,
    so that it is evaluated once and every branch sees exactly the tokens that lead to it.

    :raises ModelError: more leaves than sequences left.
    """

    def __init__(
        self,
        engine: LlamaEngine,
        sequence: int,
        start: int,
        tree: TokenTree,
        cancel: CancelToken,
    ) -> None:
        leaves = tree.leaves()
        if len(leaves) > engine.sequences_left:
            raise ModelError(
                f'{len(leaves)} different options cannot be scored at once '
                f'({engine.sequences_left} sequences are left): offer fewer, or select by '
                'constrained.'
            )
        self._engine = engine
        self._sequence = sequence
        self._start = start
        self._tree = tree
        self._cancel = cancel
        self._depths = tree.depths()
        self._own = [engine.take_sequence() for _ in leaves]
        self._below: list[list[int]] = [[] for _ in tree.tokens]
        for leaf, own in zip(leaves, self._own, strict=True):
            self._below[leaf].append(own)
        for node in reversed(range(len(tree.tokens))):
            if tree.parents[node] != ROOT:
                self._below[tree.parents[node]] += self._below[node]

    def __enter__(self) -> LlamaBranches:
        for own in self._own:
            self._engine.copy_sequence(self._sequence, own, self._start)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for own in self._own:
            self._engine.release_sequence(own)

    def logits(self, wanted: Collection[int]) -> Iterator[tuple[int, Logits]]:
        """Evaluate the whole tree in as few decode calls as the batch size allows."""
        tokens = self._tree.tokens
        for first in range(0, len(tokens), self._engine.batch_tokens):
            nodes = range(first, min(first + self._engine.batch_tokens, len(tokens)))
            rows = [
                (
                    tokens[node],
                    self._start + self._depths[node],
                    self._below[node],
                    node in wanted,
                )
                for node in nodes
            ]
            self._engine.decode_rows(rows, self._cancel)
            for row, node in enumerate(nodes):
                if node in wanted:
                    yield node, self._engine.logits_of(row)

    def keep(self, node: int) -> None:
        """Let the sequence go on with the tokens that lead to this node."""
        end = self._start + self._depths[node] + 1
        self._engine.copy_sequence(self._below[node][0], self._sequence, end, self._start)
