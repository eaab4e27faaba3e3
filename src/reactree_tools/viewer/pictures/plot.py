"""A run's tree as SVG, and as PNG by way of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from xml.sax.saxutils import escape

from reactree_core.errors import ConfigurationError
from reactree_core.record.events import Event, NodeKind, NodeStatus
from reactree_core.record.snapshot import AgentTree, replaced_nodes
from reactree_tools.viewer.pictures.boxes import (
    Box,
    FLOW_HEIGHT,
    FLOW_WIDTH,
    GOAL_LINE,
    GOAL_SIZE,
    make_boxes,
    PADDING,
    SIGN,
    STEP_LINE,
    STEP_SIZE,
)
from reactree_tools.viewer.pictures.layout import BELOW, lay_out, Layout, Place

#: Largest side of a PNG, pixels; a larger picture is scaled down.
LARGEST_SIDE = 8000
_FONT = 'DejaVu Sans, Verdana, sans-serif'
#: Colours that colour-blind people can tell apart (Okabe and Ito), darkened for white paper.
_COLOURS = {
    NodeStatus.IDLE: '#7c8794',
    NodeStatus.RUNNING: '#0072b2',
    NodeStatus.SUCCESS: '#00795a',
    NodeStatus.FAILURE: '#c44e00',
    NodeStatus.EXPANDED: '#6f4aa8',
    NodeStatus.CANCELED: '#8a6400',
}
_LINE, _TEXT, _MUTED = '#9aa5b1', '#1a1f26', '#59636f'
#: Signs in a square of 20, as in the viewer's page: every status has a shape of its own.
_SIGNS = {
    NodeStatus.IDLE: '<circle cx="10" cy="10" r="7" class="l" stroke-dasharray="2.6 2.6"/>',
    NodeStatus.RUNNING: '<circle cx="10" cy="10" r="8.2" class="l"/>'
    '<circle cx="10" cy="10" r="4.6" class="f"/>',
    NodeStatus.SUCCESS: '<circle cx="10" cy="10" r="8.5" class="f"/>'
    '<path d="M6 10.4l2.8 2.8L14 7.6" class="i"/>',
    NodeStatus.FAILURE: '<rect x="2.2" y="2.2" width="15.6" height="15.6" rx="2" class="f"/>'
    '<path d="M6.7 6.7l6.6 6.6M13.3 6.7l-6.6 6.6" class="i"/>',
    NodeStatus.EXPANDED: '<circle cx="10" cy="10" r="8" class="l"/>'
    '<path d="M10 5.5v8M6.6 10.4l3.4 3.4 3.4-3.4" class="l"/>',
    NodeStatus.CANCELED: '<circle cx="10" cy="10" r="8" class="l"/>'
    '<path d="M4.6 15.4L15.4 4.6" class="l"/>',
}
#: Signs in 32 by 26: an arrow, a diamond with a question mark, two arrows in a parallelogram.
_FLOWS = {
    NodeKind.SEQUENCE: '<path d="M2 4h20l8 9-8 9H2z" class="b"/>'
    '<path d="M8 13h13M16.5 8.5L21 13l-4.5 4.5" class="l"/>',
    NodeKind.FALLBACK: '<path d="M16 1l15 12-15 12L1 13z" class="b"/>'
    '<path d="M12.7 10.2c0-4.2 6.6-4.2 6.6 0 0 2.4-3.3 2.3-3.3 5M16 18.7v.4" class="l"/>',
    NodeKind.PARALLEL: '<path d="M8 3h22l-6 20H2z" class="b"/>'
    '<path d="M9 10h13M9 16h13M19 7l3 3-3 3M19 13l3 3-3 3" class="l"/>',
}
_STYLE = (
    '.l{fill:none;stroke:currentColor;stroke-width:1.9;stroke-linecap:round;'
    'stroke-linejoin:round}.f{fill:currentColor}.i{fill:none;stroke:#fff;stroke-width:2.2;'
    'stroke-linecap:round;stroke-linejoin:round}.b{fill:#fff;stroke:currentColor;'
    f'stroke-width:1.6;stroke-linejoin:round}}text{{font-family:{_FONT};fill:{_TEXT}}}'
    f'.g{{font-size:{GOAL_SIZE}px;font-weight:bold}}.s{{font-size:{STEP_SIZE}px}}'
    f'.m{{font-size:{STEP_SIZE}px;fill:{_MUTED}}}'
)


class SizedPicture(Protocol):
    """A picture in two forms."""

    def svg(self) -> str:
        """As a file of its own."""

    def png(self) -> bytes:
        """The same in pixels."""


@dataclass(frozen=True)
class Picture:
    """A tree, drawn."""

    tree: AgentTree
    boxes: dict[int, Box]
    layout: Layout

    def svg(self) -> str:
        """The picture as a file of its own, on white."""
        width, height = self.layout.width, self.layout.height
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}" role="img">',
            f'<title>{escape(self.tree.task)}</title><style>{_STYLE}</style>',
            '<rect width="100%" height="100%" fill="#fff"/>',
            *self._lines(),
        ]
        replaced = replaced_nodes(self.tree.snapshot().nodes)
        for node_id, place in self.layout.places.items():
            parts += _drawn(self.boxes[node_id], place, 0.55 if node_id in replaced else 1.0)
        return ''.join([*parts, '</svg>\n'])

    def _lines(self) -> Iterator[str]:
        for node_id, place in self.layout.places.items():
            box = self.boxes[node_id]
            x, y = place.x + box.width / 2, _middle(box, place.y, box.height)
            for child in self.tree.children(node_id):
                there = self.layout.places[child.node_id]
                x2 = there.x + self.boxes[child.node_id].width / 2
                middle = there.y - BELOW / 2
                end = _middle(self.boxes[child.node_id], there.y, 0.0)
                dash = ' stroke-dasharray="4 3"' if child.status is NodeStatus.IDLE else ''
                yield (
                    f'<path d="M{x:g} {y:g}V{middle:g}H{x2:g}V{end:g}" fill="none" '
                    f'stroke="{_LINE}" stroke-width="1.6"{dash}/>'
                )

    def png(self) -> bytes:
        """The same in pixels; see `in_pixels`."""
        return in_pixels(self.svg(), self.layout.width, self.layout.height)


def in_pixels(svg: str, width: float, height: float) -> bytes:
    """A picture as PNG, with twice as many pixels as it has units where that is not too large.

    :raises ConfigurationError: the converter or a font is not installed.
    """
    try:
        import resvg_py
    except ImportError:
        raise ConfigurationError(
            'PNG needs the package resvg_py: install it (pip install resvg_py), or write SVG.'
        ) from None
    if not _has_font():
        raise ConfigurationError(
            'There is no font here to write with: install one (apt-get install '
            'fonts-dejavu-core), or write SVG.'
        )
    scale = min(2.0, LARGEST_SIDE / max(width, height))
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=max(1, int(width * scale))))


def write_picture(path: Path, picture: SizedPicture) -> None:
    """Write a picture as SVG or PNG, by the end of the file's name.

    :raises ConfigurationError: it ends in neither, or cannot be written.
    """
    if path.suffix not in ('.svg', '.png'):
        raise ConfigurationError(f'{path} ends neither in .svg nor in .png.')
    try:
        path.write_bytes(picture.png() if path.suffix == '.png' else picture.svg().encode())
    except OSError as error:
        raise ConfigurationError(f'{path} cannot be written ({error.strerror}).') from error


def plot(events: Iterable[Event], most_steps: int = 8) -> Picture:
    """Draw the tree after some events.

    :param most_steps: of one agent that are written out; the rest is counted.
    """
    tree, boxes = make_boxes(events, most_steps)
    return Picture(tree, boxes, lay_out(tree, boxes))


def _has_font() -> bool:
    import resvg_py

    def drawn(text: str) -> bytes:
        size = 'xmlns="http://www.w3.org/2000/svg" width="20" height="20"'
        content = f'<text x="2" y="16" font-family="{_FONT}">{text}</text>'
        return bytes(resvg_py.svg_to_bytes(svg_string=f'<svg {size}>{content}</svg>'))

    return drawn('a') != drawn('')


def _middle(box: Box, top: float, edge: float) -> float:
    """Where a line meets a box: at an edge, or under the sign of a control flow."""
    return top + (edge if box.node.kind is NodeKind.AGENT else box.height / 2)


def _drawn(box: Box, place: Place, opacity: float) -> Iterator[str]:
    colour = _COLOURS[box.node.status]
    faint = f' opacity="{opacity:g}"' if opacity < 1.0 else ''
    yield f'<g transform="translate({place.x:g} {place.y:g})" color="{colour}"{faint}>'
    if box.node.kind is NodeKind.AGENT:
        yield from _agent(box, colour)
    else:
        scale = min(FLOW_WIDTH / 32, FLOW_HEIGHT / 26)
        kind = box.node.kind
        yield f'<title>{kind.name.lower()}</title><g transform="scale({scale:.3f})">'
        yield f'{_FLOWS[kind]}</g>'
    yield '</g>'


def _agent(box: Box, colour: str) -> Iterator[str]:
    idle = box.node.status is NodeStatus.IDLE
    dash = ' stroke-dasharray="5 4"' if idle else ''
    yield (
        f'<rect width="{box.width:g}" height="{box.height:g}" rx="8" fill="#fff" '
        f'stroke="{colour}" stroke-width="1.6"{dash}/>'
    )
    yield f'<g transform="translate({PADDING:g} {PADDING:g})">{_SIGNS[box.node.status]}</g>'
    y = PADDING + GOAL_SIZE + 1
    for line in box.goal:
        yield f'<text class="g" x="{PADDING + SIGN + 6:g}" y="{y:g}">{escape(line)}</text>'
        y += GOAL_LINE
    y = PADDING + max(SIGN, len(box.goal) * GOAL_LINE) + 4 + STEP_SIZE
    for step in box.steps:
        sign = '' if step.succeeded else f'<tspan fill="{_COLOURS[NodeStatus.FAILURE]}">× </tspan>'
        number = f'x="{PADDING + 20:g}" y="{y:g}" text-anchor="end">{step.number}'
        yield f'<text class="m" {number}</text>'
        yield f'<text class="s" x="{PADDING + 26:g}" y="{y:g}">{sign}{escape(step.skill)}</text>'
        y += STEP_LINE
    if box.more:
        yield f'<text class="m" x="{PADDING + 26:g}" y="{y:g}">and {box.more} more</text>'
