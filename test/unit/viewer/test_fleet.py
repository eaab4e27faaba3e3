"""Several robots on one page: each robot's own viewer, and what they have seen."""

from __future__ import annotations

import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.sightings import sightings_of
from reactree_tools.viewer.web.application import Viewer
from reactree_tools.viewer.web.fleet import Fleet
from reactree_tools.viewer.web.server import ViewerServer

SEEN = {
    'run_id': 'shared:fleet',
    'objects': {
        'crate': [
            {'instance': 2, 'room': 'aisle 1', 'receptacle': 'shelf 4', 'seen_at': 5.0,
             'seen_by': 'robot_1', 'state': 'closed'},
            {'instance': 3, 'room': 'aisle 2', 'receptacle': '', 'seen_at': 9.0,
             'seen_by': 'robot_2', 'state': ''},
        ],
    },
}  # fmt: skip


def test_what_robots_share_is_told_the_newest_first():
    assert sightings_of(json.dumps(SEEN)) == [
        {'thing': 'crate 3', 'place': 'aisle 2', 'state': '', 'robot': 'robot_2'},
        {'thing': 'crate 2', 'place': 'shelf 4, aisle 1', 'state': 'closed', 'robot': 'robot_1'},
    ]


def test_what_one_run_has_seen_is_not_shared():
    assert sightings_of(json.dumps({**SEEN, 'run_id': 'a' * 32})) == []


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(_JSON)
def test_whatever_the_memory_tells_becomes_short_texts(objects):
    told = json.dumps({'run_id': 'shared:x', 'objects': {'crate': objects}})
    for row in sightings_of(told):
        assert all(isinstance(text, str) and len(text) <= 80 for text in row.values())


@given(st.text())
def test_what_is_no_json_tells_nothing(told):
    assert isinstance(sightings_of(told), list)


@pytest.fixture
def client():
    viewers = {'robot_1': Viewer(Runs()), 'robot_2': Viewer(Runs())}
    fleet = Fleet(viewers, lambda: sightings_of(json.dumps(SEEN)))
    with ViewerServer(fleet, 0) as server, httpx.Client(base_url=server.url) as found:
        yield found


def test_each_robot_has_its_own_pages_below_its_name(client):
    assert 'fleet.js' in client.get('').text
    for robot in ('robot_1', 'robot_2'):
        page = client.get(f'robots/{robot}/')
        assert page.status_code == 200 and 'main.js' in page.text
        assert client.get(f'robots/{robot}/main.js').status_code == 200
        assert client.get(f'robots/{robot}/api/runs').json() == []
    assert client.get('robots/robot_3/').status_code == 404


def test_the_page_is_told_the_robots_and_what_they_have_seen(client):
    told = client.get('api/fleet').json()
    assert told['robots'] == ['robot_1', 'robot_2']
    assert [row['thing'] for row in told['sightings']] == ['crate 3', 'crate 2']


def test_only_the_viewers_own_pages_may_frame_a_robots_page(client):
    for path in ('', 'robots/robot_1/'):
        policy = client.get(path).headers['content-security-policy']
        assert "frame-ancestors 'self'" in policy and "frame-src 'self'" in policy
        assert "default-src 'none'" in policy
    strange = client.get('robots/robot_1/', headers={'sec-fetch-site': 'cross-site'})
    assert strange.status_code == 403
