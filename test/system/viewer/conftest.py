"""Viewers to look at."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from reactree_tools.viewer.runs import Runs
from reactree_tools.viewer.web.application import Viewer
from reactree_tools.viewer.web.server import ViewerServer


@pytest.fixture
def serve():
    """Serves viewers of sources and live runs; gives the runs and the address."""
    with ExitStack() as stack:

        def begin(*sources, **options):
            runs = Runs(sources)
            server = stack.enter_context(ViewerServer(Viewer(runs, **options), 0))
            return runs, server.url

        yield begin
