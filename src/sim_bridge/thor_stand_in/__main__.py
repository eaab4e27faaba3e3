"""`python -m sim_bridge.thor_stand_in`: what the launchers start."""

import sys

from sim_bridge.thor_stand_in.program import main

sys.exit(main())
