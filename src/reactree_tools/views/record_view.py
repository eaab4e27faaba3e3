"""A recorded run in the terminal: its tree, its figures, and its transcript when asked for."""

from __future__ import annotations

from rich.text import Text

from reactree_planner.tree.snapshot import AgentTree
from reactree_tools.output import Output
from reactree_tools.plain_text import count
from reactree_tools.plain_text import seconds
from reactree_tools.viewer.frames import FrameMaker
from reactree_tools.viewer.sources import RunSource
from reactree_tools.views.agent_tree import agent_tree
from reactree_tools.views.statuses import result_words
from reactree_tools.views.statuses import status_glyph
from reactree_tools.views.statuses import status_style
from reactree_tools.views.transcript import Transcript


def show_record(source: RunSource, output: Output, transcript: bool = False) -> None:
    """Print the newest run of a source.

    :param transcript: also every thought, act and observation, before the tree.
    """
    entry = source.entries()[0]
    lines = Transcript(output.glyphs, output.console.width, full=True)
    maker = FrameMaker()
    for event in source.events(entry.run_id):
        maker.take(event)
        if transcript:
            for line in lines.lines(event):
                output.console.print(line, no_wrap=True, overflow='ignore', crop=False)
    if transcript:
        output.console.print()
    snapshot = maker.tree.snapshot()
    tree = agent_tree(snapshot.nodes, output.glyphs, must_not=snapshot.must_not)
    if tree is not None:
        output.print_lines(tree)
    output.console.print()
    word = Text(f'{status_glyph(entry.status, output.glyphs)} ', status_style(entry.status))
    word.append(result_words(entry.status, entry.reason))
    figures = _figures(maker.tree, maker.usage.evaluated_tokens + maker.usage.completion_tokens)
    separator = f' {output.glyphs.separator} '
    parts = [*figures, seconds(entry.duration), f'run {entry.run_id}']
    word.append(separator + separator.join(parts), style='bright_black')
    output.console.print(word, soft_wrap=True)


def _figures(tree: AgentTree, tokens: int) -> list[str]:
    figures = [count(tree.decisions, 'decision'), count(tree.steps, 'step')]
    return figures + ([count(tokens, 'token')] if tokens else [])
