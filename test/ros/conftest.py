"""Surroundings of all tests with ROS: a domain of their own, on this machine only."""

from __future__ import annotations

import gc
import os

import pytest

from reactree_tools.processes.domains import free_domain


@pytest.fixture(scope='session', autouse=True)
def surroundings(tmp_path_factory):
    """Environment of nodes and processes; what the caller has set stays."""
    patch = pytest.MonkeyPatch()
    for name, value in {
        'ROS_DOMAIN_ID': str(free_domain()),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        # Shared memory of a killed process would stay behind in /dev/shm.
        'FASTDDS_BUILTIN_TRANSPORTS': 'UDPv4',
        'ROS_LOG_DIR': str(tmp_path_factory.mktemp('log')),
        # Stops of robots and their records.
        'XDG_STATE_HOME': str(tmp_path_factory.mktemp('state')),
    }.items():
        if name not in os.environ:
            patch.setenv(name, value)
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def participants_let_go():
    """Free the middleware's participants, which live as long as their context object.

    They find each other on one machine only while there are fewer than 32.
    """
    yield
    gc.collect()
