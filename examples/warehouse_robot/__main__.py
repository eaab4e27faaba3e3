"""`python` and the name of this folder: the node without building the package."""

import sys
from pathlib import Path

# The folder beside this one has what all skill servers share.
sys.path.append(str(Path(__file__).resolve().parents[1] / 'robot_skill_server'))

from warehouse_robot.skill_server import main

main()
