"""`python` and the name of this folder: the simulation without building the package."""

from two_arm_bench.stack import main

main()
