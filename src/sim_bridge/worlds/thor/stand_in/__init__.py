"""The Unity side of AI2-THOR, played: an executable that the real client drives.

It speaks the protocol of both generations of the client (5.0.0 over pipes or HTTP, 2.1.0 over
HTTP), builds scenes from ALFRED's and ALFWorld's files, from ProcTHOR houses or from a seed, and
does to them what actions say. See `docs/thor.md`.
"""
