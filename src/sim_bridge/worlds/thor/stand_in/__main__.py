"""`python -m sim_bridge.worlds.thor.stand_in`: what the launchers start."""

import sys

from sim_bridge.worlds.thor.stand_in.program import main

sys.exit(main())
