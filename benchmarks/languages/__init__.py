"""Tasks and prohibitions in other languages."""
