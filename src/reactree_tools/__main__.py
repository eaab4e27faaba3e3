"""`python -m reactree_tools` is `reactree`."""

from __future__ import annotations

import sys

from reactree_tools.command_line import main

if __name__ == '__main__':
    sys.exit(main())
