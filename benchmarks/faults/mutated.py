"""Runs a Python file with a patch: python -m benchmarks.faults.mutated PATCH FILE ARGUMENTS..."""

from __future__ import annotations

import runpy
import sys

from benchmarks.faults import patches

if __name__ == '__main__':
    patch, program = sys.argv[1], sys.argv[2]
    patches.apply(patch)
    sys.argv = sys.argv[2:]
    runpy.run_path(program, run_name='__main__')
