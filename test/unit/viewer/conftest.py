"""Made-up runs and a server to ask, without ROS and without a browser."""

from __future__ import annotations

from contextlib import ExitStack

import httpx
import pytest

from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.web.application import Viewer
from reactree_tools.viewer.web.server import ViewerServer


@pytest.fixture
def serve():
    """Serves a viewer on a free port; gives the runs and a client."""
    with ExitStack() as stack:

        def begin(*sources, **options):
            runs = Runs(sources)
            server = stack.enter_context(ViewerServer(Viewer(runs, **options), 0))
            return runs, stack.enter_context(httpx.Client(base_url=server.url, timeout=20.0))

        yield begin
