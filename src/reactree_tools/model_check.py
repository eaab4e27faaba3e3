"""Whether a model can be used, asked before anything is started."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from reactree_core.errors import ConfigurationError
from reactree_planner.llm.models import (
    absent_model,
    DEFAULT_MODEL,
    find_entry,
    list_models,
    resolve_model,
)
from reactree_planner.llm.two_models import parts_of
from reactree_planner.llm.without_model import load_without_model, needs_no_model


def fetched_later(choice: str) -> str:
    """What a planner will fetch of the models it is given, when it first asks; '' for nothing.

    :param choice: as the planner's parameter `model`.
    """
    absent = [entry for part in parts_of(choice) if (entry := absent_model(part)) is not None]
    names = ' and '.join(f'{entry.name} ({entry.size / 1e9:.1f} GB)' for entry in absent)
    return f'{names} is fetched when it is first asked' if names else ''


def check_model_choice(choice: str, fetches: bool = False) -> None:
    """Say what to do about a model that is not there.

    :param choice: as the planner's parameter `model`; '' is for the planner to decide.
    :param fetches: whether a model of the catalogue is fetched once it is asked.
    :raises ConfigurationError: there is no such model, or it is not on this machine.
    """
    executor, *planners = parts_of(choice)
    if planners:
        check_model_choice(executor, fetches)
        check_model_choice(planners[0], fetches)
        return
    if not choice or choice.startswith(('http://', 'https://')):
        return
    if needs_no_model(choice):
        load_without_model(choice)
        return
    kind, _, rest = choice.partition(':')
    if kind in ('scripted', 'recorded') and rest:
        if not Path(rest).expanduser().is_file():
            raise ConfigurationError(f'There is no file {rest} for a {kind} model.')
        return
    if kind == 'transformers' and rest:
        missing_wheels = [name for name in ('torch', 'transformers') if find_spec(name) is None]
        if missing_wheels:
            raise ConfigurationError(
                f'A transformers model needs {" and ".join(missing_wheels)}: install '
                'requirements/transformers.txt with pip.'
            )
        return
    if fetches and absent_model(choice) is not None:
        return
    missing = {model.entry.name for model in list_models() if not model.present}
    if choice in missing:
        size = find_entry(choice).size / 1e9
        make = ' (or `make model` in a checkout)' if choice == DEFAULT_MODEL else ''
        raise ConfigurationError(
            f'The model {choice} is not on this machine. Fetch it with `reactree model fetch '
            f'{choice}`{make}, {size:.1f} GB; or give --model a GGUF file or the address of an '
            'OpenAI-compatible server.'
        )
    resolve_model(choice)
