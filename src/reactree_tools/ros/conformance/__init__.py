"""Whether a skill server keeps the contract of docs/robot_contract.md, tried over ROS."""
