"""`python` and the name of this folder: the simulation without building the package."""

from mobile_robot.stack import main

main()
