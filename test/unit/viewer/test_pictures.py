"""Pictures of trees: everything is drawn, nothing overlaps, and text stays text."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree

from hypothesis import given, settings, strategies

from reactree_core.observation import Observation, Outcome
from reactree_core.record.events import ControlFlow, Decision, DecisionKind
from reactree_tools.viewer.pictures.layout import MARGIN
from reactree_tools.viewer.pictures.plot import plot
from support.made_up_runs import MadeUpRun
from support.repaired_run import repaired_run

SVG = '{http://www.w3.org/2000/svg}'


@settings(max_examples=25, deadline=None)
@given(strategies.integers(1, 80), strategies.integers(0, 10_000))
def test_boxes_do_not_overlap_and_stay_inside_the_picture(nodes, seed):
    picture = plot(MadeUpRun(nodes, seed=seed))
    rows = {}
    for node_id, place in picture.layout.places.items():
        box = picture.boxes[node_id]
        assert place.x >= MARGIN - 1e-6
        assert place.x + box.width <= picture.layout.width - MARGIN + 1e-6
        assert place.y + box.height <= picture.layout.height - MARGIN + 1e-6
        rows.setdefault(place.y, []).append((place.x, place.x + box.width))
    assert len(picture.layout.places) == len(picture.tree.snapshot().nodes)
    for row in rows.values():
        row.sort()
        for (_, right), (left, _) in itertools.pairwise(row):
            assert right < left


def test_goals_and_numbered_steps_are_written_and_failures_marked():
    skills = [f'go to place {number}' for number in range(5)]
    events = [Decision(1, 0, DecisionKind.START, text='tidy <up> & away')]
    for number, skill in enumerate(skills, start=2):
        outcome = Outcome.EXECUTION_FAILED if number == 3 else Outcome.SUCCEEDED
        events.append(Decision(number, 1, DecisionKind.ACT, skill=skill))
        events.append(Observation('seen', outcome, skill, sequence=number, node_id=1))
    events.append(
        Decision(9, 1, DecisionKind.EXPAND, control_flow=ControlFlow.FALLBACK, subgoals=('a', 'b'))
    )
    root = ElementTree.fromstring(plot(events, most_steps=3).svg())
    texts = [''.join(text.itertext()) for text in root.iter(f'{SVG}text')]
    assert 'tidy <up> & away' in texts
    assert texts[1:7] == ['1', 'go to place 0', '2', '× go to place 1', '3', 'go to place 2']
    assert 'and 2 more' in texts
    assert any(title.text == 'fallback' for title in root.iter(f'{SVG}title'))


def test_what_a_repair_replaced_is_drawn_faint_beside_what_replaced_it():
    root = ElementTree.fromstring(plot(repaired_run()).svg())
    faint = [group for group in root.iter(f'{SVG}g') if group.get('opacity')]
    words = [text.text for group in faint for text in group.iter(f'{SVG}text')]
    assert len(faint) == 4 and 'load crate 1 from shelf' in ' '.join(filter(None, words))
    assert 'find a crate' not in ' '.join(filter(None, words))


def test_a_run_without_events_is_an_empty_picture():
    assert ElementTree.fromstring(plot([]).svg()).tag == f'{SVG}svg'


def test_a_png_is_twice_as_large_as_the_svg_up_to_a_limit():
    picture = plot(MadeUpRun(5))
    data = picture.png()
    assert data.startswith(b'\x89PNG')
    assert int.from_bytes(data[16:20], 'big') == int(picture.layout.width * 2)
