"""`python` and the name of this folder: the simulation without building the package."""

from table_arm.stack import main

main()
