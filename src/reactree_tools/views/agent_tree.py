"""The agent tree in the terminal: whole, cut to a number of lines, and the rails of its depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from rich.cells import cell_len
from rich.text import Text
from rich.tree import Tree

from reactree_core.record.events import NodeKind
from reactree_core.record.snapshot import ENDED, replaced_nodes, TreeNode, TreeSnapshot
from reactree_tools.glyphs import Glyphs
from reactree_tools.plain_text import count, visible
from reactree_tools.views.statuses import (
    lines_below_task,
    node_figures,
    status_glyph,
    status_style,
    status_word,
)

#: Characters of a goal that are shown.
GOAL_CHARACTERS = 200


def agent_tree(
    tree: TreeSnapshot, glyphs: Glyphs, hidden: Mapping[int, int] | None = None
) -> Tree | None:
    """A rich tree, with what the task means and forbids below the task.

    A control-flow node is shown on the line of the agent that expanded. Of an agent that was
    repaired this is its newest one, and what was below an earlier one is dim.

    :param hidden: how many agents are left out below an agent, by its id; lines are then cut to
        the width instead of wrapped. None when all are there.
    :returns: None when there are no nodes.
    """
    branches: dict[int, Tree] = {}
    flows = {node.parent_id: node for node in tree.nodes if node.kind is not NodeKind.AGENT}
    replaced = replaced_nodes(tree.nodes)
    top: Tree | None = None
    for node in tree.nodes:
        if node.kind is not NodeKind.AGENT:
            parent = branches.get(node.parent_id)
            if parent is not None:
                branches[node.node_id] = parent
            continue
        goal = tree.task or node.goal if top is None else node.goal
        is_replaced = node.node_id in replaced
        label = _label(node, goal, flows.get(node.node_id), is_replaced, glyphs)
        if hidden is not None:
            label.no_wrap, label.overflow = True, 'ellipsis'
            if node.node_id in hidden:
                label.append(f'  +{count(hidden[node.node_id], "agent")}', style='bright_black')
        parent = branches.get(node.parent_id)
        if parent is not None:
            branches[node.node_id] = parent.add(label)
        elif top is None:
            for line in lines_below_task(tree):
                label.append('\n  ').append(line.plain, style=f'not bold {line.style}')
            top = branches[node.node_id] = Tree(label, guide_style='bright_black')
    return top


def _label(
    node: TreeNode, goal: str, flow: TreeNode | None, is_replaced: bool, glyphs: Glyphs
) -> Text:
    style = status_style(node.status)
    label = Text(f'{status_glyph(node.status, glyphs)} ', style=f'bold {style}')
    label.append(f'{node.node_id}  ', style='not bold bright_black')
    label.append(visible(goal, GOAL_CHARACTERS), style='not bold default')
    word = status_word(node.status)
    label.append(f'  {word}{", replaced" * is_replaced}', style=f'not bold {style}')
    if flow is not None:
        label.append(f', {flow.kind.name.lower()}', style='not bold magenta')
    figures = node_figures(node)
    if figures:
        label.append(f'  ({", ".join(figures)})', style='not bold bright_black')
    if is_replaced:
        label.stylize('dim')
    return label


@dataclass(frozen=True, slots=True)
class FittedTree:
    """What is shown, and how many agents are not, by the agent above them."""

    tree: TreeSnapshot
    hidden: dict[int, int] = field(default_factory=dict)


def fitted(tree: TreeSnapshot, lines: int) -> FittedTree:
    """Leave out what matters least until the agents fit.

    First go agents below ended ones and those that a repair replaced, then ended ones, then those
    not tried; within each, what is longest ago or farthest ahead. Agents above the active one
    stay, whatever the number.

    :param lines: agents that fit, 1 or more.
    """
    nodes = tree.nodes
    known = {node.node_id: node for node in nodes}
    kept = {node.node_id for node in nodes if node.kind is NodeKind.AGENT}
    above = _ancestors(known, tree.active_node_id)
    surplus = len(kept) - lines
    for node_id in _in_order_of_leaving(nodes, known, above):
        if surplus <= 0:
            break
        if node_id in kept:
            kept.remove(node_id)
            surplus -= 1
    hidden: dict[int, int] = {}
    for node in nodes:
        if node.kind is NodeKind.AGENT and node.node_id not in kept:
            holder = _nearest(known, kept, node)
            hidden[holder] = hidden.get(holder, 0) + 1
    shown = tuple(
        node for node in nodes if node.node_id in kept or node.kind is not NodeKind.AGENT
    )
    return FittedTree(replace(tree, nodes=shown), hidden)


def _ancestors(known: dict[int, TreeNode], node_id: int) -> set[int]:
    found = {1}
    while node_id in known:
        found.add(node_id)
        node_id = known[node_id].parent_id
    return found


def _in_order_of_leaving(
    nodes: tuple[TreeNode, ...], known: dict[int, TreeNode], above: set[int]
) -> list[int]:
    agents = [node for node in nodes if node.kind is NodeKind.AGENT and node.node_id not in above]
    ended = {node.node_id for node in agents if node.status in ENDED}
    past = ended | replaced_nodes(nodes)
    below = [node for node in agents if past & _ancestors(known, node.parent_id)]
    settled = [node for node in agents if node.node_id in ended and node not in below]
    rest = [node for node in agents if node not in below and node not in settled]
    # Children come after their parents, and must go before them.
    ordered = [*sorted(below, key=lambda node: -node.depth), *settled, *reversed(rest)]
    return [node.node_id for node in ordered]


def _nearest(known: dict[int, TreeNode], kept: set[int], node: TreeNode) -> int:
    while node.parent_id in known:
        node = known[node.parent_id]
        if node.node_id in kept:
            return node.node_id
    return 0


#: Columns that rails leave for text, however deep the tree.
TEXT_COLUMNS = 44
#: A space at which no line is broken; printed as any other.
FIXED_SPACE = '\N{NO-BREAK SPACE}'
_RAIL_STYLE = 'bright_black'


@dataclass(frozen=True, slots=True)
class Rails:
    """Lays lines out for a console of some width.

    :param width: columns, 40 or more.
    :param margin: columns of the left margin (a clock), 0 or more.
    """

    glyphs: Glyphs
    width: int
    margin: int = 0

    def _rails(self, level: int) -> Text:
        """Two columns a level; levels that do not fit are counted instead of drawn."""
        most = max(1, (self.width - self.margin - TEXT_COLUMNS) // 2)
        if level <= most:
            return Text(f'{self.glyphs.rail} ' * level, style=_RAIL_STYLE)
        left = f'{self.glyphs.rail} ' * (most - 2)
        return Text(left + f'+{level - most + 2}'.ljust(4)[:4], style=_RAIL_STYLE)

    def lines(
        self, level: int, sign: Text, body: Text, margin: str = '', hanging: int = 2
    ) -> Iterator[Text]:
        """A sign and a text at some level; what does not fit continues below, indented.

        :param level: rails to the left, 0 or more.
        :param sign: starts the first line.
        :param margin: text of the left margin on the first line.
        :param hanging: columns by which the following lines are indented.
        """
        rails = self._rails(level)
        taken = self.margin + cell_len(rails.plain) + max(cell_len(sign.plain) + 1, hanging)
        for number, part in enumerate(_wrap(body, max(16, self.width - taken))):
            line = Text(style='')
            left = margin if number == 0 else ''
            line.append(left.rjust(self.margin - 1) + ' ' if self.margin else '', _RAIL_STYLE)
            line.append_text(rails)
            if number == 0:
                line.append_text(sign)
                line.append(' ')
            else:
                line.append(' ' * hanging)
            line.append_text(part)
            line.plain = line.plain.replace(FIXED_SPACE, ' ')
            line.rstrip()
            yield line

    def empty_line(self, level: int) -> Text:
        """Rails with nothing beside them, to let the next line stand out."""
        line = Text(' ' * self.margin)
        line.append_text(self._rails(level))
        line.rstrip()
        return line


def _wrap(body: Text, columns: int) -> list[Text]:
    """Lines of at most so many columns, broken at spaces where there are any."""
    text = body.plain
    cuts: list[int] = []
    begin = 0
    while (cut := _cut(text, begin, columns)) < len(text):
        cuts.append(cut)
        begin = cut
        while text.startswith(' ', begin):
            begin += 1
    # All at once: cutting off a line at a time would copy the rest of a long text for each.
    first, *others = body.divide(cuts)
    lines = [first]
    for line in others:
        lines[-1].rstrip()
        lines.append(line[len(line.plain) - len(line.plain.lstrip(' ')) :])
    return lines


def _cut(text: str, begin: int, columns: int) -> int:
    """Where a line that begins there ends: all that fits, up to the last space in it.

    :return: its end, beyond `begin` unless that is the end of the text.
    """
    used = 0
    for end in range(begin, len(text)):
        used += cell_len(text[end])
        if used > columns:
            space = text.rfind(' ', begin + 1, end + 1)
            return max(begin + 1, space if space > 0 else end)
    return len(text)
