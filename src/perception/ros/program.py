"""The program of the perception node."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence

from perception import MISSING
from reactree_core.ros.spinning import EXIT_CONFIGURATION, run_node

#: Of the executor: pictures of cameras come beside detections, transforms and services.
_THREADS = 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; see `run_node` for the exit codes."""
    if importlib.util.find_spec('cv2') is None:
        sys.stderr.write(f'{MISSING}\n')
        return EXIT_CONFIGURATION
    from perception.ros.node import PerceptionNode

    return run_node(PerceptionNode, _THREADS, arguments)


if __name__ == '__main__':
    sys.exit(main())
