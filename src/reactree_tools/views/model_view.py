"""The catalogue of language models in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.text import Text

from reactree_planner.llm.models import HubModel, ModelFile
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count
from reactree_tools.views.agent_tree import Rails


def model_lines(
    models: Sequence[ModelFile], default: str, glyphs: Glyphs, width: int
) -> Iterator[Text]:
    """Two lines for each model of the catalogue: name and state, then what it is."""
    rails = Rails(glyphs, width)
    columns = max((len(model.entry.name) for model in models), default=0)
    for model in models:
        entry = model.entry
        name = Text(entry.name.ljust(columns), style='bold')
        state = _state(model.present, model.joined, entry.size)
        name.append(f'  {entry.size / 1e6:,.0f} MB  {state}', style='not bold')
        if entry.name == default:
            name.append('  default', style='not bold cyan')
        yield from rails.lines(0, _sign(model.present, glyphs), name)
        kind = 'follows instructions' if entry.instructed else 'base model'
        about = f'{entry.title}; {kind}; {count(entry.context_tokens, "token")} of context; '
        yield from rails.lines(0, Text(' '), Text(f'{about}{entry.licence}', style='dim'))


def hub_model_lines(models: Sequence[HubModel], glyphs: Glyphs, width: int) -> Iterator[Text]:
    """A line for each model of the hub that is on this machine: name and state."""
    rails = Rails(glyphs, width)
    for model in models:
        name = Text(model.file.name, style='bold')
        size = model.size or model.joined
        state = _state(model.present, model.joined, model.size)
        name.append(f'  {size / 1e6:,.0f} MB  {state}', style='not bold')
        yield from rails.lines(0, _sign(model.present, glyphs), name)


def lines_without_model(glyphs: Glyphs, width: int) -> Iterator[Text]:
    """What stands in place of a model and needs no file."""
    yield Text('')
    rails = Rails(glyphs, width)
    for name, words in (
        ('random:SEED', 'chance: what it does as well as a model, the model has not done'),
        ('none', 'facts alone decide; what was not read whole is not done'),
    ):
        yield from rails.lines(0, Text(name), Text(words), hanging=8)


def folder_lines(folder: Path, glyphs: Glyphs, width: int) -> Iterator[Text]:
    """Where all of them are kept."""
    yield Text('')
    yield from Rails(glyphs, width).lines(0, Text('kept in'), Text(str(folder)), hanging=8)


def _sign(present: bool, glyphs: Glyphs) -> Text:
    return Text(glyphs.success if present else glyphs.idle, style='bold green')


def _state(present: bool, joined: int, size: int) -> str:
    if present:
        return 'fetched'
    if joined and size:
        return f'{100 * joined // size} % fetched'
    return 'fetched in part' if joined else 'not fetched'
