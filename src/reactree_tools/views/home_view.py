"""A home as a tree of rooms, furniture and things."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.text import Text
from rich.tree import Tree

from reactree_tools.home import Fixture
from reactree_tools.home import Home
from reactree_tools.home import Room
from reactree_tools.plain_text import count
from reactree_tools.plain_text import visible

_NUMBERED = re.compile(r'(.+) (\d+)')


def home_heading(scene: str, home: Home, separator: str) -> Text:
    """One line: the scene and its counts."""
    heading = Text(visible(scene), style='bold')
    parts = [
        count(len(home.rooms), 'room'),
        count(home.fixtures, 'piece of furniture', 'pieces of furniture'),
        count(home.things, 'thing to carry', 'things to carry'),
        count(home.nodes, 'node'),
    ]
    heading.append('  ' + f' {separator} '.join(parts), style='not bold dim')
    return heading


def home_tree(heading: Text, home: Home) -> Tree:
    """The whole home."""
    tree = Tree(heading, guide_style='bright_black')
    for room in home.rooms:
        branch = tree.add(_room_label(room, home))
        for fixture in room.fixtures:
            branch.add(_fixture_label(fixture))
        if room.loose:
            label = Text('elsewhere', style='dim')
            label.append(f': {grouped(room.loose)}', style='not dim green')
            branch.add(label)
    return tree


def room_lines(home: Home) -> Text:
    """The rooms in one line, each with the count of its furniture."""
    line = Text()
    for number, room in enumerate(home.rooms):
        line.append(', ' if number else '')
        line.append(visible(room.name), style='bold' if room.name == home.robot else '')
    line.append(f'; the robot is in the {visible(home.robot)}')
    return line


def _room_label(room: Room, home: Home) -> Text:
    label = Text(visible(room.name), style='bold blue')
    things = len(room.loose) + sum(len(fixture.things) for fixture in room.fixtures)
    figures = [
        count(len(room.fixtures), 'piece of furniture', 'pieces of furniture'),
        count(things, 'thing'),
    ]
    label.append(f'  {", ".join(figures)}', style='not bold dim')
    if room.name == home.robot:
        label.append('  robot', style='bold magenta')
        if home.held:
            label.append(f' holds {grouped(home.held)}', style='not bold magenta')
    return label


def _fixture_label(fixture: Fixture) -> Text:
    label = Text(visible(fixture.name))
    if fixture.condition:
        label.append(f' ({visible(fixture.condition)})', style='yellow')
    if fixture.things:
        label.append(f': {grouped(fixture.things)}', style='green')
    return label


def grouped(names: Sequence[str]) -> str:
    """Names with numbers, those of one word together: 'apple 1, plate (2, 3)'."""
    numbers: dict[str, list[str]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        word, number = match.groups() if match else (name, '')
        numbers.setdefault(word, []).append(number)
    parts = [
        f'{word} ({", ".join(found)})' if len(found) > 1 else f'{word} {found[0]}'.strip()
        for word, found in numbers.items()
    ]
    return visible(', '.join(parts))
