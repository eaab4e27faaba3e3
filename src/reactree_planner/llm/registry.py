"""From the parameter `model` to a language model.

`qwen2.5-coder-1.5b` (a name of the catalogue), `hf:owner/repository/file.gguf` (fetched before),
`/path/file.gguf`, `http://host:port/v1`,
`transformers:folder or owner/name`, `vision:folder or owner/name` (a vision-language model of
transformers), `scripted:file.yaml`, `recorded:file.jsonl`, `random:SEED`, `none`; or two of them,
`EXECUTOR,planner=PLANNER`, of which the second writes plans.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from reactree_core.errors import ConfigurationError, ModelError
from reactree_core.ports import LanguageModel
from reactree_planner.llm.two_models import parts_of, TwoModels
from reactree_planner.llm.without_model import load_without_model, needs_no_model

if TYPE_CHECKING:
    from reactree_planner.llm.models.progress import FetchProgress


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What a back end may need.

    :param context_tokens: longest prompt of a local model, and of a server that reports none.
    :param threads: 0 takes all cores.
    :param device: of a transformers model: cpu, cuda, ...; '' takes a GPU where there is one.
    :param chat_template: of a model in this process: 'none', 'auto' or a name, see
        `in_process.named_templates`.
    :param draft_tokens: most tokens that a GGUF model guesses at once, 0..16.
    :param server_model: model name asked of a server; '' takes its only one.
    :param api_key_variable: name of the environment variable with the server's key.
    :param api_key_over_http: send it to another machine unencrypted too.
    :param reasoning_effort: of a server's model, one of `thinking.EFFORTS`.
    :param thinking_tokens: room for thinking at most; 0: half of the context.
    :param options_in_prompt: tell a server's model its options in raw completions too.
    :param connect_timeout: seconds. :param request_timeout: seconds for a whole answer.
    :param keep_states: save evaluated prompt prefixes between processes.
    :param progress: told how far it is when a known model that is not on this machine is fetched
        at its first request; None refuses such a model.
    """

    context_tokens: int = 8192
    threads: int = 0
    device: str = ''
    chat_template: str = 'none'
    draft_tokens: int = 6
    server_model: str = ''
    api_key_variable: str = ''
    api_key_over_http: bool = False
    reasoning_effort: str = 'auto'
    thinking_tokens: int = 0
    options_in_prompt: bool = True
    connect_timeout: float = 5.0
    request_timeout: float = 120.0
    keep_states: bool = True
    progress: FetchProgress | None = None


def state_directory() -> Path:
    """Where evaluated prefixes are kept."""
    return platformdirs.user_cache_path('reactree') / 'states'


#: Begin the names of models that are no GGUF file on this machine.
_ELSEWHERE = ('http://', 'https://', 'scripted:', 'recorded:', 'transformers:')


#: Begin the names of models that are answered for in this process, but not by llama.cpp.
_IN_PROCESS = ('transformers', 'vision', 'scripted', 'recorded')


def check_model_file(spec: str) -> None:
    """Find the files of the GGUF models that a parameter names; nothing is loaded.

    :raises ConfigurationError: one is not there, or has not been fetched.
    """
    from reactree_planner.llm.models import resolve_model

    for part in parts_of(spec):
        if not part.startswith(_ELSEWHERE) and not needs_no_model(part):
            resolve_model(part)


def served_by(spec: str) -> tuple[str, bool]:
    """What answers for a model, for telemetry, and whether that is another process.

    :param spec: as `load_model` takes it; of two models, what stands first tells.
    """
    kind = parts_of(spec)[0].partition(':')[0]
    if kind in ('http', 'https'):
        return 'openai', True  # whose interface it has
    if kind in _IN_PROCESS or needs_no_model(kind):
        return kind, False
    return 'llama.cpp', False


def load_model(spec: str, options: ModelOptions) -> LanguageModel:
    """Load the model a parameter names. Back ends are imported only when asked for.

    :raises ConfigurationError: nothing has this name. :raises ModelError: it does not load.
    """
    if not spec.strip():
        raise ConfigurationError(
            'No model is named: set model to a name of '
            '`reactree model list`, a GGUF file or a server address.'
        )
    executor, *planners = parts_of(spec)
    if planners:
        plans = load_model(planners[0], options)
        try:
            return TwoModels(load_model(executor, options), plans)
        except (ConfigurationError, ModelError):
            plans.close()
            raise
    if spec.startswith(('http://', 'https://')):
        from reactree_planner.llm.openai_server.model import OpenAiServerModel
        from reactree_planner.llm.openai_server.thinking import Thinking

        return OpenAiServerModel(
            spec,
            model=options.server_model,
            api_key_env=options.api_key_variable,
            connect_timeout=options.connect_timeout,
            # A model on a CPU is silent while it reads a long prompt.
            read_timeout=options.request_timeout,
            total_timeout=options.request_timeout,
            key_over_http=options.api_key_over_http,
            usual_context=options.context_tokens,
            thinking=Thinking(options.reasoning_effort, options.thinking_tokens),
            lists_options=options.options_in_prompt,
        )
    if needs_no_model(spec):
        return load_without_model(spec)
    kind, _, rest = spec.partition(':')
    if kind == 'scripted' and rest:
        from reactree_planner.llm.scripted import load_scripted_model

        return load_scripted_model(Path(rest))
    if kind == 'recorded' and rest:
        from reactree_planner.llm.recorded import load_recorded_model

        return load_recorded_model(Path(rest))
    if kind == 'transformers' and rest:
        from reactree_planner.llm.transformers import TransformersModel, TransformersOptions

        return TransformersModel(
            rest,
            TransformersOptions(
                context_tokens=options.context_tokens,
                threads=options.threads,
                device=options.device,
                chat_template=options.chat_template,
                state_directory=state_directory() if options.keep_states else None,
            ),
        )
    if kind == 'vision' and rest:
        from reactree_planner.llm.transformers import load_vision_model

        return load_vision_model(rest, options.context_tokens, options.threads, options.device)
    return _load_file(spec, options)


def _load_file(spec: str, options: ModelOptions) -> LanguageModel:
    """A GGUF model: loaded now, or fetched when it is first asked."""
    from reactree_planner.llm.fetched_model import ModelToFetch
    from reactree_planner.llm.llama import LlamaModel, LlamaOptions
    from reactree_planner.llm.models import absent_model, fetch_model, resolve_model

    llama = LlamaOptions(
        context_tokens=options.context_tokens,
        threads=options.threads,
        chat_template=options.chat_template,
        draft_tokens=options.draft_tokens,
        state_directory=state_directory() if options.keep_states else None,
    )
    absent = absent_model(spec) if options.progress is not None else None
    if absent is not None and options.progress is not None:
        return ModelToFetch(
            absent.name,
            min(options.context_tokens, absent.context_tokens),
            lambda progress: fetch_model(spec, progress),
            lambda path: LlamaModel(path, llama),
            options.progress,
        )
    return LlamaModel(resolve_model(spec), llama)
