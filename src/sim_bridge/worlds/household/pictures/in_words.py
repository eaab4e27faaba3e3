"""Pictures of a home without bounding boxes: what is where, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sim_bridge.pictures import opencv, Picture, picture_of
from sim_bridge.worlds.household.graph import SceneGraph
from sim_bridge.worlds.household.names import Names
from sim_bridge.worlds.household.nodes import is_floor
from sim_bridge.worlds.household.pictures.boxes import UNDRAWN
from sim_bridge.worlds.household.placement import INSIDE


def written_down(graph: Mapping[str, Any], room: int | None, width: int, height: int) -> Picture:
    """A picture that says what is where: room by room, place by place."""
    library = opencv()
    font = library.FONT_HERSHEY_SIMPLEX
    pixels = np.full((height, width, 3), 245, np.uint8)
    words = _words(graph, room)
    for scale in (0.5, 0.45, 0.4, 0.35, 0.3):
        lines = _wrapped(library, words, width - 16, scale)
        step = round(34 * scale) + 1
        if step * len(lines) <= height - 12:
            break
    shown = max((height - 12) // step, 1)
    if len(lines) > shown:
        lines = [*lines[: shown - 1], f'... and {len(lines) - shown + 1} lines more']
    for number, line in enumerate(lines, start=1):
        colour = (40, 40, 214) if line.startswith('robot') else (40, 40, 40)
        place = (8, number * step)
        library.putText(pixels, line, place, font, scale, colour, 1, library.LINE_AA)
    return picture_of(pixels)


def _words(graph: Mapping[str, Any], room: int | None) -> list[str]:
    """What is where, a line for each place."""
    scene = SceneGraph(graph)
    names = Names(scene.nodes)
    lines = ['This home has no bounding boxes; in words:']
    for one in scene.rooms if room is None else [room]:
        lines.append(f'{names.name[one].upper()}')
        if scene.room_of(scene.character) == one:
            held = ', '.join(names.name[key] for key in scene.held)
            lines.append(f'robot: here, holding {held or "nothing"}')
        free = []
        for key, node in scene.nodes.items():
            if node.category in UNDRAWN or is_floor(node) or key == scene.character:
                continue
            if key in scene.parent or key in scene.held or scene.room_of(key) != one:
                continue
            upon = sorted(names.name[below] for below in _in_sight(scene, key))
            name = names.name[key] + (' (closed)' if 'CLOSED' in node.states else '')
            if upon:
                lines.append(f'{name}: {", ".join(upon)}')
            else:
                free.append(name)
        lines.append(f'besides: {", ".join(sorted(free)) or "nothing"}')
    return lines


def _in_sight(scene: SceneGraph, key: int) -> list[int]:
    """What is on or in a thing, however deep, and not behind a closed door."""
    shut = 'CLOSED' in scene.nodes[key].states
    found = []
    for below in scene.children.get(key, ()):
        if not (shut and scene.parent[below][0] == INSIDE):
            found += [below, *_in_sight(scene, below)]
    return found


def _wrapped(library: Any, words: list[str], width: int, scale: float) -> list[str]:
    """Lines that are no wider than a picture."""
    lines = []
    for line in words:
        rest = ''
        for word in line.split(' '):
            longer = f'{rest} {word}'.lstrip() if rest else word
            if rest and library.getTextSize(longer, 0, scale, 1)[0][0] > width:
                lines.append(rest)
                longer = f'   {word}'
            rest = longer
        lines.append(rest)
    return lines
