"""The C functions of the prebuilt llama.cpp library (wheel `ik-llama-cpp-python`) that we call.

The wheel binds what its own class needs; sequence copies and saved states are bound here on the
same loaded library. Struct layouts come from the wheel, so they always match it.
"""

from __future__ import annotations

import ctypes
import os
from types import SimpleNamespace
from typing import Any

from reactree_core.errors import ModelError

_CONTEXT = ctypes.c_void_p
_SEQUENCE = ctypes.c_int32
_POSITION = ctypes.c_int32
_TOKENS = ctypes.POINTER(ctypes.c_int32)
_LOG_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)

#: name, argument types, result type of what the wheel does not bind itself.
_EXTRA: tuple[tuple[str, list[Any], Any], ...] = (
    ('llama_kv_cache_seq_rm', [_CONTEXT, _SEQUENCE, _POSITION, _POSITION], ctypes.c_bool),
    ('llama_kv_cache_seq_cp', [_CONTEXT, _SEQUENCE, _SEQUENCE, _POSITION, _POSITION], None),
    (
        'llama_state_seq_save_file',
        [_CONTEXT, ctypes.c_char_p, _SEQUENCE, _TOKENS, ctypes.c_size_t],
        ctypes.c_size_t,
    ),
    (
        'llama_state_seq_load_file',
        [
            _CONTEXT,
            ctypes.c_char_p,
            _SEQUENCE,
            _TOKENS,
            ctypes.c_size_t,
            ctypes.POINTER(ctypes.c_size_t),
        ],
        ctypes.c_size_t,
    ),
    (
        'llama_model_meta_val_str',
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t],
        ctypes.c_int32,
    ),
    ('llama_n_ctx_train', [ctypes.c_void_p], ctypes.c_int32),
    ('llama_vocab_get_add_bos', [ctypes.c_void_p], ctypes.c_bool),
)

_library: SimpleNamespace | None = None
#: ctypes callbacks must outlive the library that calls them.
_kept: list[Any] = []


def load_library() -> SimpleNamespace:
    """The loaded library as one namespace of functions and structs; loaded once a process.

    :raises ModelError: the wheel is not installed or does not load on this machine.
    """
    global _library
    if _library is not None:
        return _library
    # Threads that wait by spinning take the cores from the other nodes (and from each other: four
    # to five times slower on a busy machine); read when the library is loaded.
    os.environ.setdefault('OMP_WAIT_POLICY', 'passive')
    try:
        from ik_llama_cpp import _ctypes_api as api
    except (ImportError, OSError, FileNotFoundError) as error:
        raise ModelError(
            f'The in-process llama.cpp library does not load ({error}). Install the wheel '
            'ik-llama-cpp-python on x86_64 Linux (`make setup` does), or give the planner an '
            'OpenAI-compatible server with model:=http://...'
        ) from error
    raw = api._lib
    names = {name: getattr(api, name) for name in dir(api) if not name.startswith('__')}
    for name, arguments, result in _EXTRA:
        function = getattr(raw, name)
        function.argtypes = arguments
        function.restype = result
        names[name] = function
    # The library writes pages of tensor listings to stderr; our own errors say what matters.
    silent = _LOG_CALLBACK(lambda level, text, data: None)
    raw.llama_log_set.argtypes = [_LOG_CALLBACK, ctypes.c_void_p]
    raw.llama_log_set.restype = None
    raw.llama_log_set(silent, None)
    _kept.append(silent)
    api.llama_backend_init()
    _library = SimpleNamespace(**names)
    return _library
