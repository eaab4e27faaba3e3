"""The catalogue of language models in words."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from reactree_planner.llm.models import ModelFile
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count
from reactree_tools.views.rails import Rails


def model_lines(
    models: Sequence[ModelFile], default: str, folder: Path, glyphs: Glyphs, width: int
) -> Iterator[Text]:
    """Two lines for each model: name and state, then what it is."""
    rails = Rails(glyphs, width)
    columns = max((len(model.entry.name) for model in models), default=0)
    for model in models:
        entry = model.entry
        here = Text(glyphs.success if model.present else glyphs.idle, style='bold green')
        name = Text(entry.name.ljust(columns), style='bold')
        name.append(f'  {entry.size / 1e6:,.0f} MB  {_state(model)}', style='not bold')
        if entry.name == default:
            name.append('  default', style='not bold cyan')
        yield from rails.lines(0, here, name)
        kind = 'follows instructions' if entry.instructed else 'base model'
        about = f'{entry.title}; {kind}; {count(entry.context_tokens, "token")} of context; '
        yield from rails.lines(0, Text(' '), Text(f'{about}{entry.licence}', style='dim'))
    yield Text('')
    yield from rails.lines(0, Text('kept in'), Text(str(folder)), hanging=8)


def _state(model: ModelFile) -> str:
    if model.present:
        return 'fetched'
    if model.joined:
        return f'{100 * model.joined // model.entry.size} % fetched'
    return 'not fetched'
