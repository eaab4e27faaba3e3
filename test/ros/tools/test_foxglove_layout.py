"""The layout for Foxglove shows topics and fields that a bag has."""

from __future__ import annotations

import json
from pathlib import Path

from reactree_tools.recording.ros.node import TOPICS

LAYOUT = Path(__file__).parents[3] / 'config' / 'foxglove_layout.json'


def test_every_path_of_the_layout_is_a_field_of_a_recorded_topic():
    layout = json.loads(LAYOUT.read_text(encoding='utf-8'))
    paths = []
    for panel in layout['configById'].values():
        paths += [panel['topicPath']] if 'topicPath' in panel else []
        paths += [path['value'] for path in panel.get('paths', [])]
    kinds = {f'/{topic.name.lstrip("/")}': topic.kind for topic in TOPICS}
    assert len(paths) > 8
    for path in paths:
        topic, _, fields = path.partition('.')
        message = kinds[topic]()
        for field in fields.replace('[:]', '').split('.') if fields else ():
            message = getattr(message, field)


def test_every_panel_has_its_place():
    layout = json.loads(LAYOUT.read_text(encoding='utf-8'))

    def panels(part):
        if isinstance(part, str):
            return [part]
        return panels(part['first']) + panels(part['second'])

    assert sorted(panels(layout['layout'])) == sorted(layout['configById'])
