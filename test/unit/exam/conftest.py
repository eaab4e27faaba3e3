"""The exam of a model behind a server on loopback, and a state folder of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unit.llm.conftest import FakeServer
