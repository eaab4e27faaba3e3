"""A robot's own actions, services and topics as a skill server, from a file."""
