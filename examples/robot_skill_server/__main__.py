"""`python` and the name of this folder: the node without building the package."""

from robot_skill_server.skill_server import main

main()
