"""Plans that go back put the world back, where it can be; else skills take back what they can."""

from __future__ import annotations

import pytest

pytest.importorskip('numpy')
