"""`python` and the name of this folder: the simulation without building the package."""

from rover.stack import main

main()
