"""A floor plan in letters, for terminals."""

from __future__ import annotations

from rich.text import Text

from reactree_tools.viewer.floor_plan import Box, FloorPlan

#: Columns and lines for one metre.
_COLUMNS, _LINES = 8, 4
#: Signs of walls by where they go on: east, west, south, north.
_WALLS = {
    'unicode': '·╶╴─╷┌┐┬╵└┘┴│├┤┼',
    'ascii': '.---|+++|+++|+++',
}
#: Metres of a side that is drawn at most.
_LARGEST = 60.0


def floor_lines(plan: FloorPlan, plain: bool) -> Text | None:
    """The plan; None where it is too wide for any terminal, or knows no corners of rooms.

    :param plain: ASCII only.
    """
    corners = [corner for room in plan.rooms for corner in room.corners]
    if not corners:
        return None
    xs, ys = zip(*corners, strict=True)
    left, top = min(xs), min(ys)
    if max(max(xs) - left, max(ys) - top) > _LARGEST:
        return None
    wide, high = _cell(max(xs) - left, max(ys) - top)
    signs = [[' '] * (wide + 9) for _ in range(high + 1)]
    styles = {}

    def write(box: Box, text: str, style: str) -> None:
        column, line = _cell(box.x - left, box.y - top)
        column = max(0, column - (len(text) - 1) // 2)
        for offset, letter in enumerate(text):
            if column + offset < len(signs[0]):
                signs[line][column + offset] = letter
                styles[line, column + offset] = style

    _draw_walls(plan, signs, styles, (left, top), plain)
    for thing in plan.fixtures:
        write(thing, thing.name.partition(' ')[0][:5], 'cyan')
    for place in plan.locations:
        here = (place.x, place.y) == plan.robot
        write(place, '@' if here else place.name.removeprefix('loc '), 'bold magenta')
    for door in plan.doors:
        write(door, '#' if plain else '▒', 'green')
    text = Text(no_wrap=True, overflow='crop')
    for line, row in enumerate(signs):
        width = len(''.join(row).rstrip())
        for column in range(width):
            text.append(row[column], style=styles.get((line, column), ''))
        text.append('\n')
    return text


def _cell(x: float, y: float) -> tuple[int, int]:
    return round(x * _COLUMNS), round(y * _LINES)


def _draw_walls(
    plan: FloorPlan,
    signs: list[list[str]],
    styles: dict[tuple[int, int], str],
    origin: tuple[float, float],
    plain: bool,
) -> None:
    # Bits of the directions in which walls go on from each cell.
    going: dict[tuple[int, int], int] = {}
    for room in plan.rooms:
        for (x, y), (x_then, y_then) in zip(
            room.corners, [*room.corners[1:], room.corners[0]], strict=True
        ):
            begin = _cell(x - origin[0], y - origin[1])
            end = _cell(x_then - origin[0], y_then - origin[1])
            axis = 0 if begin[1] == end[1] else 1
            low, high = sorted((begin, end))
            forward, back = ((1, 2), (4, 8))[axis]
            for along in range(low[axis], high[axis] + 1):
                cell = (along, low[1]) if axis == 0 else (low[0], along)
                bits = (forward if along < high[axis] else 0) | (back if along > low[axis] else 0)
                going[cell] = going.get(cell, 0) | bits
    for ends in plan.openings:
        low, high = sorted(_cell(x - origin[0], y - origin[1]) for x, y in ends)
        axis = 0 if low[1] == high[1] else 1
        forward, back = ((1, 2), (4, 8))[axis]
        for along in range(low[axis], high[axis] + 1):
            cell = (along, low[1]) if axis == 0 else (low[0], along)
            bits = (forward if along < high[axis] else 0) | (back if along > low[axis] else 0)
            going[cell] &= ~bits
    shapes = _WALLS['ascii' if plain else 'unicode']
    for (column, line), bits in going.items():
        if not bits:
            continue
        signs[line][column] = shapes[bits]
        styles[line, column] = 'bright_black'
