"""ProcWorld: generated houses in which an agent reaches only so far."""
