"""Measurements; `make bench` runs them."""

import sys
from pathlib import Path

# What tests and benchmarks share.
sys.path.append(str(Path(__file__).parents[1] / 'test'))
